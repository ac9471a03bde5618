#!/usr/bin/env bash
# --push: the branch that is pushed, the remotes that it goes to, and commits that must not be pushed.
# shellcheck source=tests/cli/_push.sh
. "$(dirname "$0")/_push.sh"

# ---- plainly ----------------------------------------------------------------------------------

repo=$(clone plain)
before=$(head_of "$repo")
exits "a commit is pushed" 0 "$program" --repo "$repo" --push
says "and said to be" "pushed to main of origin"
same "the remote has it" "$(head_of "$repo")" "$(tip)"
same "on top of its source" "$before" "$(head_of "$repo" HEAD~1)"
same "and so is the branch that follows it" "$(tip)" "$(head_of "$repo" refs/remotes/origin/main)"
same "nothing of fetching is left" "" "$(git -C "$repo" for-each-ref refs/osm-gen)"
exits "nothing new" 0 "$program" --repo "$repo" --push=origin
says "nothing to push" "nothing to push to main of origin"
exits "a report" 0 "$program" --repo "$repo" --push origin --report json=-
same "says where" '{"remote":"origin","branch":"main","retries":0}' "$(jq -c .push "$scratch/out")"
exits "by the environment" 0 env OSM_GEN_PUSH=true "$program" --repo "$repo"
says "it is on" "nothing to push"
exits "and off" 0 env OSM_GEN_PUSH=false "$program" --repo "$repo"
same "it is off" 0 "$(grep -c "to push" "$scratch/err")"

# ---- usage ------------------------------------------------------------------------------------

exits "no commit" 64 "$program" --repo "$repo" --push --no-commit
exits "the work tree" 64 "$program" --repo "$repo" --push --worktree
exits "notes alone" 64 "$program" --repo "$repo" --notes
exits "retries" 64 "$program" --repo "$repo" --push --push-retries=-1
exits "an export" 64 "$program" --repo "$repo" --push --out "$scratch/export"
ok "a page says that the commit stays" bash -c "'$program' explain OSG6045 | grep -q 'exit status 3, the commit stays'"
exits "another command" 64 "$program" --push check --repo "$repo"
says "it says which" '--push does not apply to "check"'

# ---- detached, shallow ------------------------------------------------------------------------

move
ci=$(clone ci --depth 1)
git -C "$ci" checkout -q --detach
git -C "$ci" branch -q -D main
before=$(git -C "$ci" for-each-ref)
exits "a detached HEAD names no branch" 3 "$program" --repo "$ci" --push
says "that is an error" "OSG6041"
same "and nothing is changed" "$before" "$(git -C "$ci" for-each-ref)"
start=$(head_of "$ci")
exits "named, it is pushed" 0 "$program" --repo "$ci" --push --branch refs/heads/main
same "on its source" "$start" "$(git -C "$hosted" rev-parse main~1)"

# The branch has moved since the job began: its new tip is rendered.
move
ci=$(clone ci2 --depth 1)
git -C "$ci" checkout -q --detach
move
wanted=$(tip)
exits "the branch moved before" 0 "$program" --repo "$ci" --push --branch main
same "the output is the new tip's" "$wanted" "$(git -C "$hosted" rev-parse main~1)"
same "whose source is named" "Osm-Gen-Source: $wanted" "$(git -C "$hosted" log -1 --format=%B main | grep ^Osm-Gen-Source)"
ok "and whose kubelet it has" git -C "$hosted" grep -q "1\.35\.$version" main -- out
other=$(clone other)
git -C "$other" reset -q --hard HEAD~1
exits "a run of the same source elsewhere" 0 "$program" --repo "$other"
same "makes the same commit" "$(tip)" "$(head_of "$other")"
ok "the shallow clone is as shallow" git -C "$ci" rev-parse --is-shallow-repository
exits "it is up to date" 0 "$program" check --repo "$other"

# A branch that is checked out: branch, work tree and index are moved.
repo=$(clone behind)
move
exits "a branch that is behind" 0 "$program" --repo "$repo" --push
says "says what it read" "rendered $(git -C "$hosted" rev-parse --short=12 main~1), to which the branch had moved"
same "is where the remote's is" "$(tip)" "$(head_of "$repo")"
clean "work tree and index, too" "$repo"

# The inputs that came in meanwhile are wrong: the message must not claim that nothing was changed.
repo=$(clone wrong)
git -C "$inputs" pull -q --rebase origin main
echo "kind: [" >"$inputs/tests/fleet/edge-eu-1/broken.yaml"
commit_all "$inputs" "a mistake"
git -C "$inputs" push -q origin main
exits "a branch whose new tip is wrong" 2 "$program" --repo "$repo" --push --report json="$scratch/report.json"
says "it says where the branch is" "failed, nothing was committed; main is now at $(tip), as on origin"
same "so does a report" "$(tip)" "$(jq -r .push.brought "$scratch/report.json")"
same "the branch is there" "$(tip)" "$(head_of "$repo")"
git -C "$inputs" rm -q tests/fleet/edge-eu-1/broken.yaml
git -C "$inputs" commit -q -m "no mistake"
git -C "$inputs" push -q origin main

# A clone that CI reuses has a branch of an earlier job.
exits "an old branch of that name" 0 "$program" --repo "$ci" --push --branch main
git -C "$ci" fetch -q --depth 1 origin main
git -C "$ci" checkout -q --detach FETCH_HEAD
move
exits "it is brought along" 0 "$program" --repo "$ci" --push --branch main
same "as the remote has it" "$(tip)" "$(head_of "$ci" main)"

# The branch equals the remote's, but the job was started for an older commit, or for somebody else's.
git -C "$ci" checkout -q --detach HEAD
exits "an older commit" 0 "$program" --repo "$ci" --push --branch main
says "is not rendered again" "nothing to push"
same "on the branch" "$(tip)" "$(head_of "$ci" main)"
sed -i 's/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.97/' "$ci/tests/fleet/edge-eu-1/machinedeployments.yaml"
git -C "$ci" commit -q -am "a proposal"
before=$(tip)
exits "a proposal" 3 "$program" --repo "$ci" --push --branch main
says "is not the branch's to have" "OSG6043"
same "and its output is not pushed" "$before" "$(tip)"

# ---- remotes ----------------------------------------------------------------------------------

move
repo=$(clone remotes)
before=$(head_of "$repo")
exits "no such remote" 3 "$program" --repo "$repo" --push upstream
says "is an error" "OSG6042"
says "which lists those there are" "--push takes one of origin"
exits "an option is none" 3 "$program" --repo "$repo" --push=--exec=touch
exits "a helper is run by nobody's wish" 3 "$program" --repo "$repo" --push="ext::touch $scratch/helped"
says "as git has it" "transport 'ext' not allowed"
ok "it was not" test ! -e "$scratch/helped"
git -C "$repo" remote rename origin away
git -C "$repo" config remote.away.url "file://$scratch/nowhere.git"
exits "an option with a password" 3 "$program" --repo "$repo" --push="-https://somebody:hidden-word@forge.example"
same "is masked" 0 "$(grep -c hidden-word "$scratch/err")"
git -C "$repo" remote remove away
exits "and where there is no remote" 3 "$program" --repo "$repo" --push="-https://somebody:hidden-word@forge.example"
same "masked as well" 0 "$(grep -c hidden-word "$scratch/err")"
exits "a token in a query" 3 "$program" --repo "$repo" --push="https://127.0.0.1:1/x.git?private_token=hidden-word"
same "and that one" 0 "$(grep -c hidden-word "$scratch/err")"
git -C "$repo" remote add origin "$url"
git -C "$repo" fetch -q origin
git -C "$repo" branch -q -u origin/main
exits "an address where nothing is" 3 "$program" --repo "$repo" --push="file://somebody:hidden-word@localhost$scratch/nowhere.git"
says "is an error, too" "OSG6042"
same "without its password" 0 "$(grep -c hidden-word "$scratch/err")"
same "nothing was committed" "$before" "$(head_of "$repo")"
git -C "$repo" remote rename origin forge
exits "the upstream's remote" 0 "$program" --repo "$repo" --push
says "is the default" "of forge"
git -C "$repo" remote set-url forge ../hosted.git
exits "an address that is relative to the work tree" 0 "$program" --repo "$repo" --push
exits "a URL in place of a name" 0 "$program" --repo "$repo" --push "$url"
same "a branch that is not there yet" 128 "$(git -C "$hosted" rev-parse --verify -q fresh >/dev/null || echo 128)"
exits "is made" 0 "$program" --repo "$repo" --push forge --branch fresh --rev HEAD
exits "no git program" 3 env PATH=/nowhere "$program" --repo "$repo" --push
says "is said" "OSG6040"
exits "a repository that git does not trust" 3 env GIT_TEST_ASSUME_DIFFERENT_OWNER=1 "$program" --repo "$repo" --push
says "in git's words" "dubious ownership"

# ---- what must not be pushed ------------------------------------------------------------------

repo=$(clone merged)
git -C "$repo" checkout -q -b proposal
sed -i 's/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.99/' "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "not reviewed"
git -C "$repo" checkout -q main
git -C "$repo" merge -q --no-ff -m "Merge proposal" proposal
git -C "$repo" checkout -q --detach
git -C "$repo" branch -q -D main
before=$(tip)
exits "a merge that is nobody's yet" 3 "$program" --repo "$repo" --push --branch main
says "is not pushed" "OSG6043"
same "the remote is as it was" "$before" "$(tip)"
same "and so is this side" "" "$(git -C "$repo" for-each-ref refs/heads/main)"
move
before=$(tip)
exits "nor when the branch has moved on" 3 "$program" --repo "$repo" --push --branch main
says "for that reason" "OSG6043"
same "the remote still is" "$before" "$(tip)"

repo=$(clone diverged)
move
git -C "$repo" commit -q --allow-empty -m "somebody's own"
before=$(head_of "$repo")
exits "two sides" 3 "$program" --repo "$repo" --push
says "are a person's to join" "OSG6044"
same "the commit stays" "$before" "$(head_of "$repo")"
git -C "$repo" pull -q --rebase origin main
exits "joined" 0 "$program" --repo "$repo" --push
same "both are pushed" "somebody's own" "$(git -C "$hosted" log -1 --format=%s main~1)"

repo=$(clone dirty)
move
echo "# a change" >>"$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
before=$(head_of "$repo")
exits "a file that is changed here and there" 3 "$program" --repo "$repo" --push
says "is not overwritten" "OSG6044"
same "the branch stays" "$before" "$(head_of "$repo")"
ok "and the change" grep -q "a change" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"

repo=$(clone locked)
move
touch "$repo/.git/index.lock"
exits "an index that another git has locked, and a branch that moved" 3 "$program" --repo "$repo" --push
says "is an error" "OSG6005"
says "which says what to do" "if a git was killed, remove its lock"
rm "$repo/.git/index.lock"
git -C "$repo" checkout -q --detach
touch "$repo/.git/refs/heads/main.lock"
exits "a branch that is locked" 3 "$program" --repo "$repo" --push --branch main
says "is one, too" "OSG6012"
rm "$repo/.git/refs/heads/main.lock"
exits "without locks" 0 "$program" --repo "$repo" --push --branch main
move

# ---- output on a branch of its own ------------------------------------------------------------

repo=$(clone apart)
exits "another branch, the first time" 0 "$program" --repo "$repo" --push --rev HEAD --branch rendered
first=$(tip_of rendered)
move
git -C "$repo" pull -q
apart=$(clone apart2)
exits "another clone, the second time" 0 "$program" --repo "$apart" --push --rev HEAD --branch rendered
same "on top of the first" "$first" "$(tip_of rendered~1)"
same "the inputs are the clone's" "Osm-Gen-Source: $(head_of "$apart")" \
	"$(git -C "$hosted" log -1 --format=%B rendered | grep ^Osm-Gen-Source)"
exits "without --rev" 3 "$program" --repo "$apart" --push --branch rendered
says "nobody knows whose inputs" "--rev HEAD"

bare=$scratch/bare.git
git clone -q --bare "$url" "$bare"
move
exits "a bare repository" 0 "$program" --repo "$bare" --push
same "goes along" "$(tip)" "$(head_of "$bare" main)"
move
exits "where bare ones have to be named" 0 env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.bareRepository \
	GIT_CONFIG_VALUE_0=explicit "$program" --repo "$bare" --push
mirror=$scratch/mirror.git
git clone -q --mirror "$url" "$mirror"
move
exits "a mirror, whose remote takes all refs or none" 0 "$program" --repo "$mirror" --push
same "gets the branch pushed" "$(tip)" "$(head_of "$mirror" main)"
git -C "$mirror" update-ref refs/heads/main "$(echo "somebody's own" | git -C "$mirror" commit-tree -p main 'main^{tree}')"
before=$(head_of "$mirror" main)
move
exits "a mirror with a commit of its own" 3 "$program" --repo "$mirror" --push
says "is for a person to join" "OSG6044"
same "which fetching does not lose" "$before" "$(head_of "$mirror" main)"
git -C "$hosted" config uploadpack.allowFilter true
partial=$(clone partial --filter=blob:none)
git -C "$partial" checkout -q --detach
git -C "$partial" branch -q -D main
move
exits "a partial clone, detached, and a branch that moved" 0 "$program" --repo "$partial" --push --branch main
same "has what is new whole" "$(tip)" "$(head_of "$partial" main)"
git -C "$repo" worktree add -q --detach "$scratch/linked"
exits "a linked work tree, its branch elsewhere" 3 "$program" --repo "$scratch/linked" --push --branch main
says "is an error" "OSG6011"
git -C "$repo" checkout -q --detach
exits "a linked work tree" 0 "$program" --repo "$scratch/linked" --push --branch main
same "pushes" "$(git -C "$repo" rev-parse main)" "$(tip)"

finish
