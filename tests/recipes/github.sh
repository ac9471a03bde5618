# Sourced by run.sh: GitHub's action and its two workflows, run by github/runner.mjs and linted by actionlint.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

# shellcheck source=tests/recipes/_github.sh
. "$here/_github.sh"

# The workflow of pull requests, with a program of the fleet's own.
own_program() { # FILE DIGEST
	sed "s|^\( *\)command: review|&\n\1url: $url/public/${1##*/}\n\1sha256: \"$2\"|" "$recipes/github/pull-request.yml"
}

clone=$(hosted github) || give_up "the sample fleet cannot be generated"
workflows=$clone/.github/workflows
(cd "$clone" && "$work/bin/actionlint") >"$scratch/log" 2>&1
same "actionlint" "" "$(cat "$scratch/log")"
cat >"$scratch/injected.yml" <<'YAML'
on: pull_request
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo '${{ github.head_ref }}'
YAML
ok "actionlint sees an injection" bash -c "! '$work/bin/actionlint' '$scratch/injected.yml'"
sed -n '/run: |/,/^    - name/p' "$recipes/github/action.yml" | grep -v 'name:' >"$scratch/scripts"
# shellcheck disable=SC2016 # an expression of GitHub's
same "no expression in a script of the action" 0 "$(grep -cF '${{' "$scratch/scripts")"
same "no pull_request_target" 0 "$(cat "$recipes"/github/*.yml | grep -v '^#' | grep -c pull_request_target)"

# ---- a pull request of a stranger's -----------------------------------------------------------------------

git -C "$clone" checkout -q -b "$hostile_branch"
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin "HEAD:refs/pull/7/merge"
head=$(git -C "$clone" rev-parse HEAD)
before=$(pushed github)
: >"$host/requests"
github_job "$workflows/pull-request.yml" pull_request github refs/pull/7/merge "$head" fork
concludes "a fork's pull request" success
same "its rights" '{"contents":"read"}' "$(result '.permissions | tojson')"
same "the job sees no secret" 0 "$(grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token" "$scratch/result.json")"
same "it pushes nothing" 0 "$(grep -c receive-pack "$host/requests")"
same "main stays" "$before" "$(pushed github)"
ok "the summary says what rolls" grep -qF "3 machines in 1 MachineDeployment roll" <(result .summary)
ok "and shows the change" grep -qF "+            kube_version=v1.34.2" <(result .summary)
ok "annotations do, too" grep -qF "ROLL%3A kubelet 1." <(result '.commands[] | .properties')
same "the log asks for nothing but annotations" "" "$(result '.commands[].name' | sort -u | grep -vE '^(notice|warning|error)$')"
ok "the page is kept" grep -qF "default-src 'none'" "$scratch/artifacts/osm-gen-osm-gen.html"
not_pwned "a fork's pull request"
cp "$scratch/artifacts/osm-gen-comment-summary.md" "$scratch/reported.md"
github_job "$workflows/main.yml" pull_request github refs/pull/7/merge "$head" fork
same "the main branch's workflow does not run for it" false "$(result .triggered)"

# ---- the comment, by a workflow of the default branch that runs afterwards ------------------------------------

markdown=md
# The API's state: a comment of somebody else's with the mark before 100 others, and a pull request of the same branch's name elsewhere.
forge_state() { # REPORT
	rm -f "$scratch/report.zip"
	(cd "$scratch" && cp "$1" "summary.$markdown" && python3 -m zipfile -c report.zip "summary.$markdown")
	python3 - "$host/github.json" "$head" "$scratch/report.zip" "$hostile_branch" <<'PY'
import json, sys
file, head, archive, branch = sys.argv[1:]
pull = lambda number, repository, sha, state="open", owner="stranger": {"number": number, "state": state, "head": {
    "label": f"{owner}:{branch}", "sha": sha, "repo": repository and {"id": repository}}}
somebody = {"login": "stranger", "type": "User"}
json.dump({"tokens": {"comments-only": ["pull-requests"]},
           "pulls": [pull(5, 77, head, owner="other"), pull(6, 42, head, "closed"), pull(8, 43, head), pull(9, None, head),
                     pull(10, 42, "0" * 40), pull(7, 42, head)],
           "comments": {"7": [{"id": 1, "user": somebody, "body": "<!-- osm-gen -->\nmine"}] +
                             [{"id": 2 + i, "user": somebody, "body": "hm"} for i in range(120)]},
           "artifacts": {"1234": [{"id": 1, "name": "osm-gen", "file": "/dev/null"}, {"id": 2, "name": "osm-gen-comment", "file": archive}],
                         "99": [{"id": 3, "name": "osm-gen-comment", "file": "/dev/null"}]}}, open(file, "w"))
PY
}
# A run has ended; its event, in which a fork's run has no pull request.
review_ended() { # NAME [RUN [CONCLUSION [EVENT]]]
	jq -nc --arg sha "$head" --arg branch "$hostile_branch" --arg run "${2:-1234}" --arg how "${3:-success}" --arg event "${4:-pull_request}" \
		'{workflow_run: {id: ($run | tonumber), html_url: "https://github.example/run", event: $event, conclusion: $how, head_sha: $sha,
		head_branch: $branch, head_repository: {id: 42, owner: {login: "stranger"}}, pull_requests: []}}' >"$scratch/event.json"
	: >"$host/requests"
	github_job "$workflows/comment.yml" workflow_run github refs/heads/main "$before" own comment
	same "$1: no error of form" 0 "$(result '.errors | length')"
}
comment() { jq -r '.comments["7"] | map(select(.user.type == "Bot")) | '"$1" "$host/github.json"; }
writes() { grep -cE '^(POST|PATCH|PUT)' "$host/requests"; }

forge_state "$scratch/reported.md"
review_ended "the comment"
same "the comment: conclusion" success "$(result .conclusion)"
same "the comment: its rights" '{"actions":"read","pull-requests":"write"}' "$(result '.permissions | tojson')"
same "the comment: nothing is checked out" "" "$(ls -A "$scratch/workspace")"
same "the comment: there is one" 1 "$(comment length)"
ok "the comment: begins with the mark, and names the commit" grep -qF "for $head." <(comment '.[0].body' | head -n 2)
ok "the comment: says what rolls" grep -qF "3 machines in 1 MachineDeployment roll" <(comment '.[0].body')
same "the comment: only this pull request's" 7 "$(jq -r '.comments | keys | join(" ")' "$host/github.json")"
same "the comment: its token is not in the log" 0 "$(result .log | grep -cF "$comments")"
not_pwned "the comment"
same "another run's comment is not its own" "<!-- osm-gen --> mine" "$(jq -r '.comments["7"][0].body' "$host/github.json" | paste -sd' ')"

# The artifact as a stranger may have written it.
# shellcheck disable=SC2016 # an expression of GitHub's
python3 -c 'print("<!-- osm-gen -->\n@org/team \x1b[31m\u202e::set-output name=a::b\n${{ github.token }}\n" + "\U0001f600" * 70000)' >"$scratch/hostile.md"
kept=$(jq -c .comments "$host/github.json")
forge_state "$scratch/hostile.md"
jq -c --argjson kept "$kept" '.comments = $kept' "$host/github.json" >"$scratch/state" && cp "$scratch/state" "$host/github.json"
review_ended "a hostile artifact" 1234 failure
same "a hostile artifact: updates the comment" 1 "$(comment length)"
same "a hostile artifact: by one request" 1 "$(writes)"
same "a hostile artifact: is cut" 65536 "$(comment '.[0].body | length')"
same "a hostile artifact: calls nobody" 0 "$(comment '.[0].body' | grep -c '@org')"
same "a hostile artifact: has no control characters" 0 "$(comment '.[0].body' | LC_ALL=C grep -c $'\x1b\|\xe2\x80\xae')"
same "a hostile artifact: the log asks for nothing" 0 "$(result '.commands | length')"
not_pwned "a hostile artifact"
review_ended "an artifact that is no archive" 99
ok "an artifact that is no archive: the comment says so" grep -qF "wrote no report" <(comment '.[0].body')
review_ended "a run without an artifact" 98
ok "a run without an artifact: the comment says so" grep -qF "wrote no report" <(comment '.[0].body')
for how in "1234 cancelled" "1234 action_required" "1234 success push"; do
	# shellcheck disable=SC2086 # words
	review_ended "$how" $how
	same "$how: is skipped" skipped "$(result .conclusion)"
	same "$how: nothing is asked" "" "$(cat "$host/requests")"
done
jq '.pulls |= map(select(.number != 7))' "$host/github.json" >"$scratch/state" && cp "$scratch/state" "$host/github.json"
review_ended "a head that moved on"
same "a head that moved on: conclusion" success "$(result .conclusion)"
same "a head that moved on: writes nothing" 0 "$(writes)"

# The log: osm-gen escapes what would be a command, and the action has the runner obey nothing of what it prints.
printf 'kind: MachineDeployment\nkind: twice\n' >"$clone/::set-output name=changed::hostile.yaml"
propose() { # MESSAGE
	commit_all "$clone" "$1"
	git -C "$clone" push -q -f origin "HEAD:refs/pull/7/merge"
	github_job "$workflows/pull-request.yml" pull_request github refs/pull/7/merge "$(git -C "$clone" rev-parse HEAD)" fork
}
propose "a name"
concludes "wrong inputs" failure
ok "a hostile name is in the log, as text" grep -qF '\x3a:set-output name=changed::hostile' <(result .log)
ok "errors are annotations" grep -qx error <(result '.commands[].name')
ok "the page is kept all the same" test -s "$scratch/artifacts/osm-gen-osm-gen.html"
rm "$clone"/::*
sed -i 's/^\( *\)# Known checksums\..*/&\n\1##[add-path]hostile/; s/^  version: v.*/  version: v9.9.9/' "$clone/profiles/ubuntu.yaml"
propose "a script"
concludes "a hostile script" success
ok "it is in the log, as text" grep -qF '#\x23[add-path]hostile' <(result .log)
printf '#!/bin/sh\necho "##[add-path]hostile"\necho "::set-output name=changed::hostile" >&2\nexec "%s" "$@"\n' "$host/public/osm-gen" >"$host/public/talks"
own_program "$host/public/talks" "$(sha256sum "$host/public/talks" | cut -d' ' -f1)" >"$scratch/other.yml"
cp "$scratch/other.yml" "$workflows/pull-request.yml"
propose "a program that escapes nothing"
concludes "a program that escapes nothing" success
ok "its text is in the log" grep -qxF '##[add-path]hostile' <(result .log)
same "and no command" "" "$(result '.commands[].name' | sort -u | grep -vE '^(notice|warning|error)$')"
# The same without the guard, so that the runner is known to see it.
sed -i '/stop-commands::/d; /::%s::/d' "$clone/.github/actions/osm-gen/action.yml"
propose "no guard"
same "unguarded they would be two" "add-path set-output" "$(result '.commands[].name' | grep -vE '^(notice|warning|error)$' | sort -u | paste -sd' ')"
git -C "$clone" checkout -q main -- .github

# ---- the program -------------------------------------------------------------------------------------------

review_with() { # NAME CONCLUSION WORDS: of the workflow in other.yml
	github_job "$scratch/other.yml" pull_request github refs/pull/7/merge "$head" fork
	concludes "$1" "$2"
	[ -z "$3" ] || ok "$1: the log says why" grep -qF "$3" <(result .log)
	[ "$2" = success ] || same "$1: nothing is run" "" "$(ls "$scratch/temp/osm-gen/messages" 2>/dev/null)"
	not_pwned "$1"
}
own_program osm-gen "$digest" >"$scratch/other.yml"
review_with "a program of the fleet's own" success ""
own_program osm-gen "$(printf '%064d' 0)" >"$scratch/other.yml"
review_with "a program of another digest" failure "checksum did NOT match"
own_program osm-gen "" >"$scratch/other.yml"
review_with "a program without a digest" failure "needs the input sha256"
own_program osm-gen "$(printf '%064d' 0)" | sed '/^ *url:/d' >"$scratch/other.yml"
review_with "a release of another digest" failure "checksum did NOT match"
cp "$workflows/pull-request.yml" "$scratch/other.yml"
for how in program digest signature; do
	serve $how
	review_with "a forged release: $how" failure "$(refusal $how)"
done
serve genuine

# ---- the action as osm-gen's home publishes it, and as somebody replaced it --------------------------------------

git init -q -b main "$home"
commit_all "$home" "a release"
git -C "$home" tag v1
git clone -q --bare "$home" "$host/home.git"
git -C "$host/home.git" config uploadpack.allowAnySHA1InWant true
published=$(git -C "$home" rev-parse HEAD)
action() { sed "s|uses: ./.github/actions/osm-gen|uses: osm-gen/osm-gen/ci/recipes/github@$1|" "$recipes/github/pull-request.yml"; } # COMMIT
action "$published" >"$scratch/other.yml"
review_with "the published action" success ""
cp -r "$host/home.git" "$scratch/published.git"
# shellcheck disable=SC2016 # for whoever runs the action
sed -i 's|^      run: |&\n        touch "$PWNED"|' "$home/ci/recipes/github/action.yml"
commit_all "$home" "somebody's"
git -C "$home" tag -f v1 >/dev/null
git -C "$home" push -q -f "$host/home.git" main refs/tags/v1
review_with "another action under the same tag" success ""
rm -rf "$host/home.git"
git -C "$home" checkout -q --orphan replaced
commit_all "$home" "somebody's history"
git clone -q --bare --single-branch --no-tags "file://$home" "$host/home.git"
git -C "$host/home.git" config uploadpack.allowAnySHA1InWant true
review_with "a home without the commit" failure "git fetch"
rm -rf "$host/home.git" && mv "$scratch/published.git" "$host/home.git"
action v1 >"$scratch/other.yml"
(github_job "$scratch/other.yml" pull_request github refs/pull/7/merge "$head" fork) >/dev/null
ok "an action by its tag is refused" grep -qF "not pinned" "$scratch/err"
not_pwned "an action by its tag"

# ---- the main branch -----------------------------------------------------------------------------------------

git -C "$clone" checkout -q main
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin main
want=$(expected "$clone")
: >"$host/requests"
serve digest
github_job "$workflows/main.yml" push github refs/heads/main "$(git -C "$clone" rev-parse HEAD)" own
concludes "the main branch, a forged release" failure
same "the main branch, a forged release: nothing is pushed" 0 "$(grep -c receive-pack "$host/requests")"
not_pwned "the main branch, a forged release"
serve genuine
github_job "$workflows/main.yml" push github refs/heads/main "$(git -C "$clone" rev-parse HEAD)" own
concludes "the main branch" success
same "pushes the commit that anybody's run makes" "$want" "$(pushed github)"
same "after having said who it is" "POST /github.git/git-receive-pack 200" "$(grep 'POST.*receive-pack' "$host/requests")"
same "its rights" '{"contents":"write"}' "$(result '.permissions | tojson')"
ok "the summary is there" grep -qF "osm-gen generate: committed" <(result .summary)
ok "no secret in log, summary and page" bash -c "! jq -r '.log, .summary' '$scratch/result.json' | cat - '$scratch/temp/osm-gen/osm-gen.html' |
	grep -qF -e '$OSM_GEN_SEAL_SEED' -e AGE-SECRET-KEY -e '$token'"
ok "nor in the clone's configuration" bash -c "! grep -riq -e authorization -e '$token' '$scratch/workspace/.git/config'"
not_pwned "the main branch"

github_job "$workflows/main.yml" push github refs/heads/main "$want" own
concludes "a second time" success
same "there is nothing to push" "$want" "$(pushed github)"
git -C "$clone" fetch -q origin && git -C "$clone" reset -q --hard origin/main
before=$(git -C "$clone" rev-parse HEAD)
moved() { # PODS: another commit on the same parent
	git -C "$clone" reset -q --hard "$before"
	sed -i "s/MaxPods: \"58\"/MaxPods: \"$1\"/" "$clone/tests/fleet/prod-us-1/machinedeployments.yaml"
	commit_all "$clone" "$1 pods"
}
moved 65
git -C "$clone" push -q origin HEAD:refs/heads/late
late=$(git -C "$clone" rev-parse HEAD)
moved 64
git -C "$clone" push -q origin main
github_job "$workflows/main.yml" push github refs/heads/main "$late" own
concludes "a lost race" failure
same "is no force push" "$(git -C "$clone" rev-parse HEAD)" "$(pushed github)"
git -C "$clone" reset -q --hard "$before"
sed -i "s/^    - age1.*/    - $("$program" keygen identity | sed -n 's,^# public key: ,,p')/" "$clone/osm-gen.yaml"
commit_all "$clone" "another recipient"
git -C "$clone" push -q -f origin main
github_job "$workflows/main.yml" push github refs/heads/main "$(git -C "$clone" rev-parse HEAD)" own
concludes "a recipient that is not on CI's list" failure
ok "is refused by its code" grep -qE "OSG507[0-9]" <(result .log)
same "and nothing is pushed" "$(git -C "$clone" rev-parse HEAD)" "$(pushed github)"

# ---- the main branch, in parts ---------------------------------------------------------------------------------

shards=$workflows/shards.yml
moved 66
git -C "$clone" push -q -f origin main
source=$(git -C "$clone" rev-parse HEAD)
want=$(expected "$clone")
rm -rf "$scratch/artifacts"
: >"$host/requests"
total=$(sed -n 's/^ *shard: \[\(.*\)\].*/\1/p' "$shards" | tr ',' '\n' | wc -l)
for ((shard = 1; shard < total; shard++)); do
	github_job "$shards" push github refs/heads/main "$source" own shard "{\"shard\": $shard}"
	concludes "part $shard of $total" success
	same "part $shard of $total: its rights" '{"contents":"read"}' "$(result '.permissions | tojson')"
done
github_job "$shards" push github refs/heads/main "$source" own merge
concludes "a part is missing" failure
ok "the log names it" grep -qF "of $total shards 1 is missing: $total" <(result .log)
github_job "$shards" push github refs/heads/main "$source" own shard "{\"shard\": $total}"
concludes "part $total of $total" success
same "no part pushes" 0 "$(grep -c receive-pack "$host/requests")"
cp -r "$scratch/artifacts" "$scratch/good"
printf 'x' >>"$scratch/artifacts/osm-gen-shard-1/shard-1-of-$total.shard"
github_job "$shards" push github refs/heads/main "$source" own merge
concludes "an artifact that somebody changed" failure
ok "the log names that one" grep -qF "error[OSG6075]" <(result .log)
rm -rf "$scratch/artifacts" && mv "$scratch/good" "$scratch/artifacts"
github_job "$shards" push github refs/heads/main "$source" own merge
concludes "all parts" success
same "all parts: the commit that a single run makes is pushed" "$want" "$(pushed github)"
ok "no secret in log and artifacts" bash -c "! jq -r '.log, .summary' '$scratch/result.json' | cat - '$scratch'/artifacts/*/* |
	grep -qaF -e '$OSM_GEN_SEAL_SEED' -e AGE-SECRET-KEY -e '$token'"
not_pwned "all parts"
