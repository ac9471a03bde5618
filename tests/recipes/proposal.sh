# Sourced by run.sh: a main branch that takes no push, and the one pull request that GitHub's and GitLab's recipes open, update and close.
# shellcheck shell=bash disable=SC2154,SC2034 # _lib.sh's and _tools.sh's; _gitlab.sh reads what is set here
# shellcheck source=tests/recipes/_github.sh
. "$here/_github.sh"
# shellcheck source=tests/recipes/_gitlab.sh
. "$here/_gitlab.sh"

# ---- the two forges ---------------------------------------------------------------------------------------------------------

# Each runs the recipe for main's newest commit. $scratch/log has what the jobs print; `ran` is success or failure.
run_github() {
	local sha job
	sha=$(pushed "$project")
	: >"$scratch/log"
	for job in generate pull-request; do
		github_job "$workflow" push "$project" refs/heads/main "$sha" own $job
		same "$job: no error of form" 0 "$(result '.errors | length')"
		result .log >>"$scratch/log"
		ran=$(result .conclusion)
		[ "$ran" = success ] || return
	done
	same "the pull request's job: rights" '{"contents":"write","pull-requests":"write"}' "$(result '.permissions | tojson')"
	same "the pull request's job: nothing is checked out" "" "$(ls -A "$scratch/workspace")"
	same "the pull request's job: no secret" 0 "$(grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY "$scratch/result.json")"
}
run_gitlab() {
	git -C "$clone" fetch -q origin
	pipeline "$clone" origin/main "${of_main[@]}" "CI_API_V4_URL=$url/gitlab" CI_PROJECT_ID=7 "OSM_GEN_PROPOSAL_TOKEN=$proposals" >"$scratch/log" 2>&1 &&
		ran=success || ran=failure
}
empty_github() { printf '{"tokens": {"%s": ["contents", "pull-requests"], "%s": ["pull-requests"]}, "pulls": [], "artifacts": {}}' "$proposals" "$comments"; }
empty_gitlab() { printf '{"token": "%s", "projects": {"7": {"repository": "%s", "merge_requests": []}}}' "$proposals" "$project"; }
# All proposals as GitHub words them.
proposals_github() { jq -c .pulls "$host/github.json"; }
proposals_gitlab() {
	jq -c '.projects["7"].merge_requests | map({number: .iid, state: (if .state == "opened" then "open" else .state end), title, body: .description})' "$host/gitlab.json"
}
# A person ends the newest proposal.
end_github() { set_state '.pulls[-1].state = "closed"'; } # closed|merged
end_gitlab() { set_state ".projects[\"7\"].merge_requests[-1].state = \"$1\""; }
set_state() { jq "$1" "$host/$forge.json" >"$scratch/state" && cp "$scratch/state" "$host/$forge.json"; } # FILTER

# ---- what happens to main ---------------------------------------------------------------------------------------------------

# A change of the inputs, as the forge merges it.
merged() { # SED MESSAGE
	git -C "$clone" fetch -q origin
	git -C "$clone" reset -q --hard origin/main
	sed -i "$1" "$clone/tests/fleet/prod-us-1/machinedeployments.yaml"
	commit_all "$clone" "$2"
	git -C "$clone" push -q origin main
}
# The proposal is squashed with its title and its description.
squashed() {
	git -C "$clone" fetch -q origin
	git -C "$clone" reset -q --hard origin/main
	git -C "$clone" merge -q --squash origin/osm-gen/main >/dev/null
	git -C "$clone" commit -q -m "$(newest .title) (#$(newest .number))" -m "$(newest .body)"
	git -C "$clone" push -q origin main
	"end_$forge" merged
}
newest() { "proposals_$forge" | jq -r ".[-1] | $1"; } # FILTER
branch() { git -C "$host/$project.git" "$@"; }

works() { # NAME: the recipe ends well, and shows no token
	"run_$forge"
	same "$1: ends" success "$ran"
	[ "$ran" = success ] || tail -n 20 "$scratch/log"
	hides "$1"
}
hides() { # NAME
	same "$1: no token in the log" 0 "$(grep -cF -e "$token" -e "$proposals" -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY "$scratch/log")"
	not_pwned "$1"
}
proposes() { # NAME NUMBER: one open proposal, of one commit on main, worded by it
	same "$1: the open ones" "[$2]" "$("proposals_$forge" | jq -c '[.[] | select(.state == "open") | .number]')"
	same "$1: one commit" "$(pushed "$project")" "$(branch rev-parse osm-gen/main~1)"
	same "$1: its subject" "$(branch log -1 --format=%s osm-gen/main)" "$(newest .title)"
	same "$1: its text" "$(branch log -1 --format=%b osm-gen/main)" "$(newest .body)"
}
proposes_nothing() { # NAME
	same "$1: none is open" 0 "$("proposals_$forge" | jq '[.[] | select(.state == "open")] | length')"
	ok "$1: no branch" bash -c "! git -C '$host/$project.git' rev-parse -q --verify osm-gen/main"
}
writes() { grep -cE "^(POST|PATCH|PUT|DELETE) /$forge/" "$host/requests"; }
fails() { # NAME METHOD PATH STATUS BODY WORDS: the forge refuses a request
	set_state "$(jq -nr --arg method "$2" --arg path "$3" --argjson status "$4" --arg body "$5" '".fail = " + ([$method, $path, $status, $body] | tojson)')"
	"run_$forge"
	same "$1: ends" failure "$ran"
	ok "$1: says why" grep -qF "$6" "$scratch/log"
	ok "$1: no trace of the program" bash -c "! grep -q Traceback '$scratch/log'"
	hides "$1"
	set_state 'del(.fail)'
}
pods() { echo "s/MaxPods: \"[0-9]*\"/MaxPods: \"$1\"/"; } # NUMBER

delivered() { # FORGE: the recipe from the first proposal to the last one
	forge=$1 project=proposal-$1
	clone=$(hosted "$project") || give_up "the sample fleet cannot be generated"
	workflow=$recipes/github/proposal.yml
	cp "$recipes/gitlab/proposal.gitlab-ci.yml" "$clone/.gitlab-ci.yml"
	commit_all "$clone" "the recipe of proposals"
	git -C "$clone" push -q origin main
	"empty_$forge" >"$host/$forge.json"
	# Who comes by HTTP may not push to main.
	# shellcheck disable=SC2016 # for the hook's shell
	printf '#!/bin/sh\nwhile read -r old new ref; do [ "$ref" != refs/heads/main ] || [ -z "$REMOTE_USER" ] || exit 1; done\n' >"$host/$project.git/hooks/pre-receive"
	chmod +x "$host/$project.git/hooks/pre-receive"

	: >"$host/requests"
	works "$forge, nothing to propose"
	proposes_nothing "$forge, nothing to propose"
	same "$forge, nothing to propose: nothing is written" 0 "$(writes)"
	merged 's/kubelet: 1.34.1/kubelet: 1.34.2/' "$hostile_text"
	works "$forge, a change"
	proposes "$forge, a change" 1
	: >"$host/requests"
	works "$forge, the same commit again"
	proposes "$forge, the same commit again" 1
	same "$forge, the same commit again: nothing is written" 0 "$(writes)"
	merged "$(pods 61)" "61 pods"
	works "$forge, another change"
	proposes "$forge, another change" 1
	ok "$forge, another change: both are in it" bash -c "git -C '$host/$project.git' diff main osm-gen/main -- out | grep -q 'v1.34.2'"

	squashed
	works "$forge, squashed"
	proposes_nothing "$forge, squashed"
	ok "$forge, squashed: the proof is there" "$program" verify --repo "$clone"
	merged "$(pods 62)" "62 pods"
	works "$forge, a change after it"
	proposes "$forge, a change after it" 2
	same "$forge, a change after it: that one alone" "" "$(branch diff main osm-gen/main -- out | grep 'v1\.34')"
	merged "$(pods 61)" "61 pods again"
	works "$forge, taken back"
	proposes_nothing "$forge, taken back"
	same "$forge, taken back: it is closed" closed "$(newest .state)"
	works "$forge, taken back, again"
	proposes_nothing "$forge, taken back, again"

	merged "$(pods 63)" "63 pods"
	works "$forge, a third one"
	proposes "$forge, a third one" 3
	"end_$forge" closed
	works "$forge, closed by hand"
	proposes "$forge, closed by hand" 4
}

delivered github
refused='{"message": "GitHub Actions is not permitted to create or approve pull requests.\n::set-output name=a::b ##[add-path]c"}'
end_github closed
fails "github, the setting is off" POST /pulls 403 "$refused" "failed with status 403: GitHub Actions is not permitted to create or approve pull requests."
same "github, the setting is off: the log asks for nothing" "" "$(result '.commands[].name')"
fails "github is out of order" GET /pulls 502 '<html>Bad gateway</html>' "GET /pulls failed with status 502: Bad Gateway"
fails "github, a limit" GET /git/commits/ 429 '{"message": "You have exceeded a secondary rate limit"}' "status 429: You have exceeded a secondary rate limit"
works "github works again"
proposes "github works again" 5
# A branch of the same name elsewhere is not looked at.
set_state '.pulls += [{number: 6, state: "open", title: "x", body: "x", base: {ref: "main"}, head: {label: "stranger:osm-gen/main", ref: "osm-gen/main"}}]'
merged "$(pods 64)" "64 pods"
works "github, a fork's branch of that name"
same "github, a fork's branch of that name: its pull request stays" x "$(newest .title)"
ok "github, a fork's branch of that name: ours is updated" grep -qxF "updated pull request 5" "$scratch/log"
sed '/deletes the branch/d' "$workflow" >"$scratch/less.yml"
workflow=$scratch/less.yml
merged "$(pods 61)" "61 pods"
run_github
same "github, a right less: ends" failure "$ran"
ok "github, a right less: says why" grep -qF "DELETE /git/refs/heads/osm-gen/main failed with status 403: Resource not accessible by integration" "$scratch/log"
hides "github, a right less"

delivered gitlab
end_gitlab closed
fails "gitlab, a token without the scope" POST /merge_requests 403 '{"error": "insufficient_scope", "scope": "api"}' "failed with status 403: insufficient_scope"
fails "gitlab is out of order" GET /merge_requests 502 '<html>Bad gateway</html>' "GET /merge_requests failed with status 502: Bad Gateway"
works "gitlab works again"
proposes "gitlab works again" 5
pipeline "$clone" origin/main "${of_main[@]}" "CI_API_V4_URL=$url/gitlab" CI_PROJECT_ID=7 >"$scratch/log" 2>&1
ok "gitlab, no token: the variable is named" grep -qF "OSM_GEN_PROPOSAL_TOKEN is empty" "$scratch/log"

# In parts, as docs/ci.md has it: the job that commits is another one, in a later stage.
git -C "$clone" fetch -q origin && git -C "$clone" reset -q --hard origin/main
cat >"$clone/.gitlab-ci.yml" <<'YAML'
include:
  - local: templates/osm-gen-shards/template.yml
    inputs: {shards: "2", numbers: ["1", "2"], branch: osm-gen/main}
  - local: templates/osm-gen-proposal/template.yml
    inputs: {after: osm-gen-merge, stage: deploy}
stages: [build, deploy]
YAML
sed -i "$(pods 65)" "$clone/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$clone" "65 pods, in parts"
git -C "$clone" push -q origin main
works "gitlab, in parts"
proposes "gitlab, in parts" 5
