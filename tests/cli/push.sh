#!/usr/bin/env bash
# --push against real remotes: bare repositories that are reached by file://, with hooks of their own.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset SSH_AUTH_SOCK SSH_ASKPASS GIT_ASKPASS
hosted=$scratch/hosted.git url=file://$scratch/hosted.git

inputs=$(fleet inputs)
git init -q --bare -b main "$hosted"
git -C "$inputs" remote add origin "$url"
git -C "$inputs" push -q origin main

clone() { # NAME [OPTION...]: a new clone; prints its path
	local name=$1
	shift
	git clone -q "$@" "$url" "$scratch/$name" 2>"$scratch/clone.log" || cat "$scratch/clone.log" >&2
	echo "$scratch/$name"
}
tip() { git -C "$hosted" rev-parse "${1:-main}"; }
head_of() { git -C "$1" rev-parse "${2:-HEAD}"; }
version=3
# A new kubelet, committed in the clone `inputs`, on top of what the remote has, and pushed.
move() {
	git -C "$inputs" pull -q --rebase origin main
	version=$((version + 1))
	sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.$version/" "$inputs/tests/fleet/edge-eu-1/machinedeployments.yaml"
	commit_all "$inputs" "kubelet 1.35.$version"
	git -C "$inputs" push -q origin main
}
clean() { # NAME REPO: the work tree and the index show HEAD
	same "$1" "" "$(git -C "$2" status --porcelain)"
}
linear() { # NAME: only one parent each, sound
	same "$1" "" "$(git -C "$hosted" rev-list --merges main)"
	ok "$1, and sound" git -C "$hosted" fsck --strict
}
hook() { # REPO NAME: the text of standard input
	cat >"$1/hooks/$2"
	chmod +x "$1/hooks/$2"
}

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

# The branch moved since the job began: the new tip is rendered.
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

# Checked out: branch, work tree and index go along.
repo=$(clone behind)
move
exits "a branch that is behind" 0 "$program" --repo "$repo" --push
says "says what it read" "rendered $(git -C "$hosted" rev-parse --short=12 main~1), to which the branch had moved"
same "is where the remote's is" "$(tip)" "$(head_of "$repo")"
clean "work tree and index, too" "$repo"

# What came in meanwhile is wrong: nobody is told that nothing was changed.
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

# A clone that CI uses again, with a branch of an earlier job.
exits "an old branch of that name" 0 "$program" --repo "$ci" --push --branch main
git -C "$ci" fetch -q --depth 1 origin main
git -C "$ci" checkout -q --detach FETCH_HEAD
move
exits "it is brought along" 0 "$program" --repo "$ci" --push --branch main
same "as the remote has it" "$(tip)" "$(head_of "$ci" main)"

# The branch is where the remote's is, and the job was started for an older commit, or for another's.
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

# ---- races ------------------------------------------------------------------------------------

# Before the server takes the first push, somebody else's comes: objects first, then the branch.
plant() { # TIMES: the hosted repository moves main to a new commit so many times, while a push is at work
	git -C "$hosted" update-ref -d refs/planted/count
	echo "$1" >"$hosted/planted"
	hook "$hosted" pre-receive <<-'HOOK'
		#!/bin/sh
		left=$(cat planted)
		[ "$left" -gt 0 ] || exit 0
		grep -q refs/heads/main || exit 0
		echo $((left - 1)) >planted
		unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
		new=$(echo "planted $left" | git commit-tree -p main 'main^{tree}')
		git update-ref refs/heads/main "$new"
	HOOK
}
repo=$(clone race)
version=$((version + 1))
sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.$version/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "a change"
git -C "$repo" push -q origin main
plant 1
exits "a race that is lost once" 0 "$program" --repo "$repo" --push
says "is said" "rendered afresh 1 time"
same "the one who won stays" "planted 1" "$(git -C "$hosted" log -1 --format=%s main~1)"
same "the remote has what is here" "$(head_of "$repo")" "$(tip)"
clean "and the work tree shows it" "$repo"
linear "history is a line"

move
before=$(tip)
ci=$(clone ci3 --depth 1)
git -C "$ci" checkout -q --detach
plant 3
exits "lost each time" 3 "$program" --repo "$ci" --push --branch main --push-retries 2
says "is an error" "OSG6046"
says "it says how often" "3 times in a row"
same "three were tried" 0 "$(cat "$hosted/planted")"
same "nothing of it is there" "" "$(git -C "$hosted" log --format=%s "$before..main" | grep osm-gen)"
exits "the next run" 0 "$program" --repo "$ci" --push --branch main --push-retries 0
same "gets through, on the last one" "planted 1" "$(git -C "$hosted" log -1 --format=%s main~1)"
rm "$hosted/hooks/pre-receive"

# Somebody pushes between the last look and the push: a program git that does so first.
move
repo=$(clone wrapped)
mkdir "$scratch/wrapper"
real=$(command -v git)
cat >"$scratch/wrapper/git" <<WRAPPER
#!/bin/sh
for word; do
	if [ "\$word" = push ] && mkdir "$scratch/raced" 2>/dev/null; then
		(unset GIT_DIR; cd "$inputs" && "$real" pull -q --rebase origin main && "$real" commit -q --allow-empty -m between &&
			"$real" push -q origin main) >&2
	fi
done
exec "$real" "\$@"
WRAPPER
chmod +x "$scratch/wrapper/git"
exits "a push in between" 0 env PATH="$scratch/wrapper:$PATH" "$program" --repo "$repo" --push
says "is followed" "rendered afresh 1 time"
same "and kept" "between" "$(git -C "$hosted" log -1 --format=%s main~1)"

# Many at once, and a person who pushes meanwhile.
move
started=$(tip)
for i in 1 2 3 4 5 6; do
	one=$(clone "many$i")
	[ $((i % 2)) = 0 ] || git -C "$one" checkout -q --detach
done
for i in 1 2 3 4 5 6; do
	"$program" -j1 --repo "$scratch/many$i" --push --branch main --notes --push-retries 50 >/dev/null 2>"$scratch/many$i.err" &
	jobs[i]=$!
done
for i in 1 2 3; do
	until git -C "$inputs" pull -q --rebase origin main && git -C "$inputs" commit -q --allow-empty -m "person $i" &&
		git -C "$inputs" push -q origin main; do :; done 2>/dev/null
done
for i in 1 2 3 4 5 6; do
	wait "${jobs[i]}"
	same "run $i of many" 0 $?
done
same "nobody's commit is lost" "person 1 person 2 person 3" \
	"$(git -C "$hosted" log --reverse --format=%s main | grep "^person [123]$" | uniq | xargs)"
linear "history of many is a line"
exits "one more run" 0 "$program" --repo "$scratch/many1" --push --branch main
git -C "$inputs" pull -q --rebase origin main
exits "it is what the inputs give" 0 "$program" check --repo "$inputs"
same "the commit they started for is noted, once" 1 \
	"$(git -C "$hosted" notes --ref=osm-gen show "$started" | grep -c "^Osm-Gen-Version")"

# ---- refused ----------------------------------------------------------------------------------

move
repo=$(clone refused)
hook "$hosted" pre-receive <<'HOOK'
#!/bin/sh
echo "GH006: Protected branch update failed at https://bot:hidden-word@forge.example/x" >&2
exit 1
HOOK
before=$(tip)
exits "a protected branch" 3 "$program" --repo "$repo" --push
says "is an error" "OSG6045"
says "in the server's words" "GH006: Protected branch update failed"
same "without passwords" 0 "$(grep -c hidden-word "$scratch/err")"
same "the remote is as it was" "$before" "$(tip)"
same "the commit stays" "$before" "$(head_of "$repo" HEAD~1)"
says "which is said" "stays on main"
waiting=$(head_of "$repo")
rm "$hosted/hooks/pre-receive"
exits "the next run pushes it" 0 "$program" --repo "$repo" --push
same "the same commit" "$waiting" "$(tip)"

# Stopped while the server is at work.
move
repo=$(clone stopped)
mkfifo "$scratch/reached" "$scratch/never"
hook "$hosted" pre-receive <<HOOK
#!/bin/sh
echo here >"$scratch/reached"
read -r word <"$scratch/never"
exit 1
HOOK
before=$(tip)
"$program" --repo "$repo" --push >"$scratch/out" 2>"$scratch/err" &
job=$!
read -r _ <"$scratch/reached"
kill -TERM "$job"
wait "$job"
same "a run that is stopped ends by the signal" 143 $?
says "and says so" "stopped by SIGTERM"
same "the remote has nothing" "$before" "$(tip)"
rm "$hosted/hooks/pre-receive"
clean "branch, index and work tree agree" "$repo"
exits "the next run finishes it" 0 "$program" --repo "$repo" --push
same "all is there" "$(head_of "$repo")" "$(tip)"

# Killed where nothing can be said any more: while the server is at work, and between commit and push.
for moment in push commit; do
	move
	repo=$(clone "killed-$moment")
	before=$(tip)
	if [ "$moment" = push ]; then
		hook "$hosted" pre-receive <<HOOK
#!/bin/sh
echo here >"$scratch/reached"
read -r word <"$scratch/never"
exit 1
HOOK
	else
		# git asks its hook before it talks of objects, when osm-gen has made its commit.
		hook "$repo/.git" pre-push <<HOOK
#!/bin/sh
echo here >"$scratch/reached"
read -r word <"$scratch/never"
exit 1
HOOK
	fi
	source=$(head_of "$repo")
	"$program" --repo "$repo" --push >"$scratch/out" 2>"$scratch/err" &
	job=$!
	read -r _ <"$scratch/reached"
	kill -KILL "$job"
	wait "$job" 2>/dev/null
	same "killed at $moment: ends by the signal" 137 $?
	# What it started waits for a word that nobody says; its hook ends with that.
	echo end >"$scratch/never"
	rm -f "$hosted/hooks/pre-receive" "$repo/.git/hooks/pre-push"
	same "killed at $moment: the remote has nothing" "$before" "$(tip)"
	same "killed at $moment: the commit is there" "$source" "$(head_of "$repo" HEAD~1)"
	clean "killed at $moment: branch, index and work tree agree" "$repo"
	waiting=$(head_of "$repo")
	exits "killed at $moment: the next run finishes it" 0 "$program" --repo "$repo" --push
	same "killed at $moment: with the same commit" "$waiting" "$(tip)"
	same "killed at $moment: of which there is one" "$source" "$(git -C "$hosted" rev-parse main~1)"
done

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
says "which says what to do" "remove a lock that a git left which was killed"
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
first=$(tip rendered)
move
git -C "$repo" pull -q
apart=$(clone apart2)
exits "another clone, the second time" 0 "$program" --repo "$apart" --push --rev HEAD --branch rendered
same "on top of the first" "$first" "$(tip rendered~1)"
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

# ---- hooks, the environment -------------------------------------------------------------------

move
repo=$(clone hooks)
hook "$repo/.git" pre-push <<HOOK
#!/bin/sh
cat >"$scratch/refs"
tr '\0' '\n' </proc/self/environ >"$scratch/environment"
HOOK
exits "a pre-push hook" 0 env OS_PASSWORD=taken-from-it SOPS_AGE_KEY="$(grep AGE-SECRET "$SOPS_AGE_KEY_FILE")" \
	GIT_DIR=/nowhere GIT_TERMINAL_PROMPT=1 "$program" --repo "$repo" --push --allow-env OS_PASSWORD
ok "is run" grep -q "^$(tip) $(tip) refs/heads/main " "$scratch/refs"
same "without what is secret" 0 "$(grep -cE '^OSM_GEN_|SOPS|taken-from-it|OSMGEN-SEED|AGE-SECRET' "$scratch/environment")"
ok "with what it needs" grep -q "^GIT_CONFIG_GLOBAL=/dev/null" "$scratch/environment"
ok "without questions" grep -q "^GIT_TERMINAL_PROMPT=0" "$scratch/environment"
# Of the program git itself, as it has files of its own open when it runs a hook.
# No pipeline: the shell has an end of it open while ls looks.
printf '#!/bin/sh\nls -1 /proc/$$/fd >>"%s/descriptors"\nexec "%s" "$@"\n' "$scratch" "$real" >"$scratch/wrapper/git"
"$scratch/wrapper/git" --version >"$scratch/out" 2>"$scratch/err" </dev/null
sort -u "$scratch/descriptors" >"$scratch/usual"
exits "a git that looks at its files" 0 env PATH="$scratch/wrapper:$PATH" "$program" --repo "$repo" --push
ok "which it did" test "$(sort "$scratch/descriptors" | uniq -c | sort -n | tail -n 1 | awk '{print $1}')" -gt 1
same "has none of osm-gen's" "" "$(sort -u "$scratch/descriptors" | comm -13 "$scratch/usual" -)"
move
echo 'echo "the hook says no" >&2; exit 1' >>"$repo/.git/hooks/pre-push"
exits "a hook that refuses" 3 "$program" --repo "$repo" --push
says "is an error" "OSG6045"
says "in its words" "the hook says no"
says "and how to see it again" "\`git push origin main\` works here"

# What stands in the work tree is not run.
mkdir -p "$inputs/bin" "$inputs/.githooks"
for trap in bin/git bin/ssh-keygen bin/git-remote-file .githooks/pre-push .githooks/post-index-change .githooks/reference-transaction; do
	printf '#!/bin/sh\ntouch "%s/sprung"\nexit 1\n' "$scratch" >"$inputs/$trap"
	chmod +x "$inputs/$trap"
done
git -C "$inputs" pull -q --rebase origin main
commit_all "$inputs" "traps"
git -C "$inputs" push -q origin main
repo=$(clone traps)
git -C "$repo" config core.hooksPath .githooks
git -C "$repo" config core.fsmonitor bin/git
git -C "$repo" config gpg.ssh.program bin/ssh-keygen
cd "$repo" || exit
PATH="$repo/bin:.:bin:$PATH" exits "hooks of the work tree" 0 "$program" --push
cd "$here" || exit
says "are not run" "OSG6048"
move
exits "nor when the branch moves" 0 "$program" --repo "$repo" --push
git -C "$repo" config --unset core.hooksPath
ln -s ../../.githooks/pre-push "$repo/.git/hooks/pre-push"
move
exits "nor by a link" 0 "$program" --repo "$repo" --push
says "which is said" "OSG6048"
# What stands there only once the branch has moved: a folder of hooks, what a link leads to, a file of configuration.
coming=$(clone coming)
git -C "$coming" config core.hooksPath .later
linked=$(clone linked-hook)
ln -s ../../.later/pre-push "$linked/.git/hooks/pre-push"
included=$(clone included)
git -C "$included" config include.path ../.gitconfig
git -C "$inputs" pull -q --rebase origin main
mkdir "$inputs/.later"
for trap in pre-push post-index-change reference-transaction; do cp "$inputs/.githooks/pre-push" "$inputs/.later/$trap"; done
printf '[core]\n\tsshCommand = touch %s/sprung; false\n[remote "origin"]\n\tuploadpack = touch %s/sprung; git-upload-pack\n' \
	"$scratch" "$scratch" >"$inputs/.gitconfig"
printf '[remote "origin"]\n\treceivepack = touch %s/sprung; git-receive-pack\n' "$scratch" >>"$inputs/.gitconfig"
commit_all "$inputs" "traps that are sprung later"
git -C "$inputs" push -q origin main
move
exits "a folder of hooks that comes with the branch" 0 "$program" --repo "$coming" --push
says "is said, too" "OSG6048"
move
exits "what a link leads to comes with the branch" 0 "$program" --repo "$linked" --push
says "as well" "OSG6048"
move
before=$(tip)
exits "a file of configuration that comes with the branch" 3 "$program" --repo "$included" --push
says "is an error" "OSG6040"
says "which names it" "$included/.gitconfig"
exits "and there from the start" 3 "$program" --repo "$included" --push
same "nothing was pushed" "$before" "$(tip)"
git -C "$included" config commit.gpgsign true
exits "nor is anything signed with it" 3 "$program" --repo "$included"
says "for that reason" "OSG6040"
git -C "$included" config --unset commit.gpgsign
git -C "$included" config --unset include.path
echo "[push]" >"$included/.own"
git -C "$included" config include.path ../.own
exits "a file that no commit has is this clone's own" 0 "$program" --repo "$included" --push
same "no trap sprang" "" "$(ls "$scratch/sprung" 2>/dev/null)"

# ---- programs of the work tree ----------------------------------------------------------------
git -C "$inputs" pull -q --rebase origin main
mkdir -p "$inputs/tools/nested.git"
printf '#!/bin/sh\ntouch "%s/sprung"\ncat\nexit 1\n' "$scratch" >"$inputs/tools/trap"
cp "$inputs/tools/trap" "$inputs/tools/git-credential-trap"
chmod +x "$inputs"/tools/*
git init -q --bare "$inputs/tools/nested.git"
rm -rf "$inputs"/tools/nested.git/hooks/*
cp "$inputs/tools/trap" "$inputs/tools/nested.git/hooks/pre-receive"
echo "tests/** filter=trap" >"$inputs/.gitattributes"
commit_all "$inputs" "tools"
git -C "$inputs" push -q origin main
trapped=$(clone trapped)
ln -s ../tools/trap "$trapped/.git/linked"
mkdir "$scratch/elsewhere"
ln -s "$trapped/tools/trap" "$scratch/elsewhere/trap"
before=$(head_of "$trapped")
refuses() { # NAME WORDS...: the run ends, and no trap springs
	local name=$1
	shift
	exits "$name" 3 "$@"
	says "$name: is refused" "error[OSG6055]"
	same "$name: nothing is run" "" "$(ls "$scratch/sprung" 2>/dev/null)"
	same "$name: nothing is committed" "$before" "$(head_of "$trapped")"
	rm -f "$scratch/sprung"
}
configured() { # NAME KEY VALUE...: as configuration of the environment's, so that each trap stands alone
	local name=$1 count=0 settings=()
	shift
	while [ $# -gt 0 ]; do
		settings+=("GIT_CONFIG_KEY_$count=$1" "GIT_CONFIG_VALUE_$count=$2")
		count=$((count + 1))
		shift 2
	done
	refuses "$name" env GIT_CONFIG_COUNT=$count "${settings[@]}" "$program" --repo "$trapped" "${push[@]}"
}
git -C "$trapped" remote add far ssh://nowhere.osm-gen.example/x.git
git -C "$trapped" remote add web http://127.0.0.1:9/x.git
push=(--push far)
configured "core.sshCommand, absolute" core.sshCommand "$trapped/tools/trap"
configured "core.sshCommand, relative to git's folder" core.sshCommand ../tools/trap
configured "core.sshCommand, relative to the work tree" core.sshCommand tools/trap
configured "core.sshCommand, a link in .git" core.sshCommand "$trapped/.git/linked"
configured "core.sshCommand, a link elsewhere" core.sshCommand "$scratch/elsewhere/trap"
configured "core.sshCommand, an interpreter" core.sshCommand "sh $trapped/tools/trap"
configured "core.sshCommand, sh -c" core.sshCommand "sh -c 'exec $trapped/tools/trap'"
configured "core.sshCommand, an option" core.sshCommand "ssh -F$trapped/tools/trap"
# shellcheck disable=SC2016 # git's shell expands it
configured "core.sshCommand, a variable" core.sshCommand '$PWD/../tools/trap'
configured "core.sshCommand, not there yet" core.sshCommand "$trapped/later/trap"
push=(--push web)
configured "credential.helper" credential.helper "$trapped/tools/trap"
configured "credential.helper, of the shell" credential.helper "!f() { $trapped/tools/trap; }; f"
configured "credential.helper, of an address" credential.http://127.0.0.1:9.helper "$trapped/tools/trap"
configured "core.askPass" core.askPass "$trapped/tools/trap"
configured "core.gitProxy" core.gitProxy "$trapped/tools/trap"
push=(--push)
configured "remote.NAME.uploadpack" remote.origin.uploadpack "$trapped/tools/trap"
configured "remote.NAME.receivepack" remote.origin.receivepack "$trapped/tools/trap"
configured "filter.NAME.smudge" filter.trap.smudge tools/trap
configured "filter.NAME.process" filter.trap.process ./tools/trap
configured "url.ext.insteadOf" "url.ext::$trapped/tools/trap.insteadOf" "$url" protocol.ext.allow always
configured "url.ext.pushInsteadOf" "url.ext::sh $trapped/tools/trap.pushInsteadOf" "$url" protocol.ext.allow always
configured "gpg.program, of a signed push" push.gpgSign true gpg.program "$trapped/tools/trap"
configured "remote.NAME.pushurl" remote.origin.pushurl "ext::$trapped/tools/trap" protocol.ext.allow always
push=(--push "ext::$trapped/tools/trap")
configured "an address" protocol.ext.allow always
push=(--push "$trapped/tools/nested.git")
configured "a remote in the work tree" push.default current
push=()
sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.97/" "$trapped/tests/fleet/edge-eu-1/machinedeployments.yaml"
git -C "$trapped" commit -q --no-gpg-sign -am "to be signed"
pushed=$before
before=$(head_of "$trapped")
configured "gpg.program" commit.gpgSign true gpg.program "$trapped/tools/trap"
configured "gpg.openpgp.program" commit.gpgSign true gpg.openpgp.program ../tools/trap
configured "gpg.ssh.program" commit.gpgSign true gpg.format ssh user.signingKey "$scratch/none" gpg.ssh.program "$trapped/tools/trap"
configured "gpg.ssh.defaultKeyCommand" commit.gpgSign true gpg.format ssh gpg.ssh.defaultKeyCommand "sh $trapped/tools/trap"
git -C "$trapped" reset -q --hard "$pushed"
before=$pushed
for name in GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH; do
	refuses "$name" env "$name=$trapped/tools/trap" "$program" --repo "$trapped" --push far
	says "$name: is named" "the environment variable $name names it"
done
refuses "GIT_SSH_COMMAND, an interpreter" env GIT_SSH_COMMAND="sh ../tools/trap" "$program" --repo "$trapped" --push far
# What stands outside, or is this clone's own, is for whoever runs the job to choose.
move
cp "$(command -v true)" "$scratch/elsewhere/true"
echo key >"$trapped/own-key"
exits "programs outside of the work tree" 0 env GIT_ASKPASS="$scratch/elsewhere/true" GIT_CONFIG_COUNT=4 \
	GIT_CONFIG_KEY_0=core.sshCommand GIT_CONFIG_VALUE_0="ssh -i $trapped/own-key -F /dev/null" \
	GIT_CONFIG_KEY_1=credential.helper GIT_CONFIG_VALUE_1=store GIT_CONFIG_KEY_2=filter.other.clean GIT_CONFIG_VALUE_2="git-lfs clean -- %f" \
	GIT_CONFIG_KEY_3=gpg.program GIT_CONFIG_VALUE_3="$trapped/tools/trap" "$program" --repo "$trapped" --push
same "nor is what nothing needs" "" "$(ls "$scratch/sprung" 2>/dev/null)"

# ---- signed commits ---------------------------------------------------------------------------

move
repo=$(clone signed)
unsigned=$(clone unsigned)
ssh-keygen -q -t ed25519 -N "" -C test -f "$scratch/key"
echo "fleet@osm-gen.example $(cat "$scratch/key.pub")" >"$scratch/signers"
git -C "$repo" config commit.gpgsign true
git -C "$repo" config gpg.format ssh
git -C "$repo" config user.signingkey "$scratch/missing"
git -C "$repo" config gpg.ssh.allowedSignersFile "$scratch/signers"
before=$(head_of "$repo")
exits "a key that is not there" 3 "$program" --repo "$repo"
says "is an error" "OSG6047"
same "no commit is made" "$before" "$(head_of "$repo")"
clean "nor anything else" "$repo"
git -C "$repo" config user.signingkey "$scratch/key"
exits "no git program" 3 env PATH=/nowhere "$program" --repo "$repo"
says "is an error, too" "OSG6047"
# shellcheck disable=SC2016 # of the script that is written
printf '#!/bin/sh\nfor w; do shift; [ "$w" = -S ] || set -- "$@" "$w"; done\nexec "%s" "$@"\n' "$real" >"$scratch/wrapper/git"
exits "a commit that comes back unsigned" 3 env PATH="$scratch/wrapper:$PATH" "$program" --repo "$repo"
says "is refused" "without a signature"
same "still no commit" "$before" "$(head_of "$repo")"
exits "signed with ssh" 0 "$program" --repo "$repo" --push
ok "git verifies it" git -C "$repo" verify-commit HEAD
same "author and committer stay" "osm-gen sample fleet <fleet@osm-gen.example> osm-gen sample fleet <fleet@osm-gen.example>" \
	"$(git -C "$repo" log -1 --format='%an <%ae> %cn <%ce>')"
exits "a signed run with nothing new" 0 "$program" --repo "$repo" --push
exits "unsigned" 0 "$program" --repo "$unsigned"
same "another id" 1 "$([ "$(head_of "$repo")" = "$(head_of "$unsigned")" ]; echo $?)"
same "of the same tree, parent and message" "$(git -C "$repo" log -1 --format='%T %P %ad %cd %B')" \
	"$(git -C "$unsigned" log -1 --format='%T %P %ad %cd %B')"
exits "an unsigned one gives way to it" 0 "$program" --repo "$unsigned" --push
same "as the remote has it" "$(tip)" "$(head_of "$unsigned")"
sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.98/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
git -C "$repo" commit -q --no-gpg-sign -am "not pushed"
git -C "$repo" config commit.gpgsign perhaps
exits "nobody knows whether to sign" 3 "$program" --repo "$repo"
says "is an error" "OSG6047"

if command -v gpg >/dev/null; then
	export GNUPGHOME=$scratch/gnupg
	mkdir -m 700 "$GNUPGHOME"
	gpg -q --batch --passphrase '' --quick-gen-key "fleet <fleet@osm-gen.example>" ed25519 sign 2>/dev/null
	move
	repo=$(clone gpg)
	git -C "$repo" config commit.gpgsign true
	git -C "$repo" config user.signingkey fleet@osm-gen.example
	exits "signed with OpenPGP" 0 "$program" --repo "$repo" --push
	ok "git verifies it" git -C "$repo" verify-commit HEAD
	gpgconf --kill all
	unset GNUPGHOME
else
	skip "gpg is not here: no OpenPGP signature was made"
fi

# ---- notes, and CI's sign ---------------------------------------------------------------------

move
repo=$(clone noted --depth 1)
source=$(head_of "$repo")
exits "a note" 0 "$program" --repo "$repo" --push --notes --skip-ci
says "it is said" "noted as processed in refs/notes/osm-gen"
same "says what was processed" "Osm-Gen-Processed: $source" "$(git -C "$hosted" notes --ref=osm-gen show "$source" | head -n 1)"
same "and where it is" "Osm-Gen-Commit: $(tip)" "$(git -C "$hosted" notes --ref=osm-gen show "$source" | sed -n 2p)"
same "CI is asked to skip it" "[skip ci]" "$(git -C "$hosted" log -1 --format=%s main | grep -o '\[skip ci\]$')"
notes=$(tip refs/notes/osm-gen)
exits "a second run" 0 "$program" --repo "$repo" --push --notes
same "notes the output's commit" "Osm-Gen-Processed: $(tip)" "$(git -C "$hosted" notes --ref=osm-gen show main | head -n 1)"
notes=$(tip refs/notes/osm-gen)
exits "a third one" 0 "$program" --repo "$repo" --push --notes
same "has nothing to add" "$notes" "$(tip refs/notes/osm-gen)"
git -C "$inputs" pull -q --rebase origin main
echo docs >"$inputs/NOTES.txt"
commit_all "$inputs" "nothing that matters"
git -C "$inputs" push -q origin main
repo=$(clone noted2)
exits "nothing to commit" 0 "$program" --repo "$repo" --push --notes
same "is noted all the same" "Osm-Gen-Processed: $(tip)" "$(git -C "$hosted" notes --ref=osm-gen show main | head -n 1)"
# Two histories of notes: this side has one of its own when it meets the other.
repo=$(clone noted3)
git -C "$repo" notes --ref=osm-gen add -m "made here" HEAD~1
exits "notes of two sides" 0 "$program" --repo "$repo" --push --notes
same "are merged" "made here" "$(git -C "$hosted" notes --ref=osm-gen show main~1 | grep -x "made here")"
ok "none is lost" git -C "$hosted" notes --ref=osm-gen show "$source"
move
hook "$hosted" pre-receive <<'HOOK'
#!/bin/sh
if grep -q refs/notes; then echo "no notes here" >&2; exit 1; fi
HOOK
exits "notes that are refused" 3 "$program" --repo "$repo" --push --notes
says "are an error" "OSG6049"
says "in the server's words" "no notes here"
same "the output is there" "$(head_of "$repo")" "$(tip)"
rm "$hosted/hooks/pre-receive"

finish
