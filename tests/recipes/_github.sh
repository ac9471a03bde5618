# Sourced by github.sh and proposal.sh: runs a job of GitHub's by github/runner.mjs.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

# The event as the runner has it. JOB.json for runner.mjs; secrets are there for whoever gets them.
proposals="proposes-only" # the token of a job that may write pull requests and branches
comments="comments-only" # the token of a job that may write comments; the event of a workflow_run is in event.json
github_job() { # WORKFLOW EVENT REPOSITORY REF SHA FORK [JOB [MATRIX]]: with a JOB, artifacts of earlier ones stay
	mkdir -p "$scratch/artifacts"
	[ $# -gt 6 ] || rm -rf "$scratch"/artifacts/*
	rm -rf "$scratch/workspace" "$scratch/temp"
	mkdir "$scratch/workspace" "$scratch/temp"
	python3 - "$@" <<PY >"$scratch/job.json"
import json, sys
workflow, event, repository, ref, sha, fork = sys.argv[1:7]
more = ({"job": sys.argv[7]} if len(sys.argv) > 7 else {}) | ({"matrix": json.loads(sys.argv[8])} if len(sys.argv) > 8 else {})
branch = """$hostile_branch"""
seed, identities = "$OSM_GEN_SEAL_SEED", open("$SOPS_AGE_KEY_FILE").read()
github = {"event_name": event, "repository": repository, "ref": ref, "sha": sha, "server_url": "$url", "api_url": "$url/github",
          "ref_name": ref.split("/", 2)[2], "head_ref": branch if event != "push" else "", "base_ref": "main",
          "event": json.load(open("$scratch/event.json")) if event == "workflow_run" else {"pull_request": {"number": 7, "title": """${hostile_text//\`/\\\`}""", "body": "x",
                                     "head": {"ref": branch, "repo": {"fork": fork == "fork"}}}}}
print(json.dumps(more | {
    "workflow": workflow, "github": github, "workspace": "$scratch/workspace", "temp": "$scratch/temp",
    "artifacts": "$scratch/artifacts", "repositories": {"osm-gen/osm-gen": "$url/home.git"}, "tokens": {"read": "read-only", "write": "$token", "comment": "$comments", "propose": "$proposals"},
    "secrets": {}, "vars": {},
    "environments": {"osm-gen": {"secrets": {"OSM_GEN_SEAL_SEED": seed, "SOPS_AGE_KEY": identities},
                                 "vars": {"OSM_GEN_RECIPIENTS": open("$scratch/recipients").read().rstrip()}}},
    "environment": {"PATH": "$PATH", "HOME": "$scratch", "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "PWNED": "$scratch/pwned",
                    "CURL_CA_BUNDLE": "$scratch/ca.pem", "GIT_SSL_CAINFO": "$scratch/ca.pem", "SSL_CERT_FILE": "$scratch/ca.pem"}}))
PY
	"${clean[@]}" node "$work/npm/runner.mjs" "$scratch/job.json" >"$scratch/result.json" 2>"$scratch/err" ||
		ok "the runner: $(head -n 3 "$scratch/err")" false
}
result() { jq -r "$1" "$scratch/result.json"; }
concludes() { # NAME CONCLUSION
	same "$1: no error of form" 0 "$(result '.errors | length')"
	same "$1: conclusion" "$2" "$(result .conclusion)"
	[ "$(result .conclusion)" = "$2" ] || result .log | tail -n 20
}
