#!/usr/bin/env bash
# --push while others push, while the server refuses, and when it is stopped or killed.
# Slow: many pushes at once
# shellcheck source=tests/cli/_push.sh
. "$(dirname "$0")/_push.sh"

# ---- races ------------------------------------------------------------------------------------

# Somebody else's push arrives before the server accepts the first one.
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

# Somebody pushes between the last check and the push: a program git that does so first.
move
repo=$(clone wrapped)
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

# A server that asks for the words of commits: Conventional Commits and a sign-off of the author.
move
repo=$(clone words)
hook "$hosted" pre-receive <<'HOOK'
#!/bin/sh
read -r _ new ref
[ "$ref" = refs/heads/main ] || exit 0
git log -1 --format=%s "$new" | grep -Eq '^(feat|fix|chore)(\([a-z]+\))?: [a-z]' || { echo "commitlint: no type" >&2; exit 1; }
git log -1 --format=%B "$new" | git interpret-trailers --parse | grep -qx "Signed-off-by: $(git log -1 --format='%an <%ae>' "$new")" || { echo "dco: no sign-off" >&2; exit 1; }
HOOK
exits "osm-gen's own words" 3 "$program" --repo "$repo" --push
says "osm-gen's own words" "commitlint: no type"
git -C "$repo" reset -q --hard HEAD~1
cp "$repo/osm-gen.yaml" "$scratch/words.yaml"
sed -i '/^  commit:$/,/^    author/d; s/^spec:/spec:\n  commit: {author: "Fleet Bot <bot@osm-gen.example>", subject: "chore(nodes): {changes}", trailers: ["Signed-off-by: {author}", "Refs: {source}"]}/' "$repo/osm-gen.yaml"
mv "$hosted/hooks/pre-receive" "$hosted/hooks/pre-receive.asks"
commit_all "$repo" "words"
git -C "$repo" push -q origin main
source=$(head_of "$repo")
mv "$hosted/hooks/pre-receive.asks" "$hosted/hooks/pre-receive"
exits "the words that it asks for" 0 "$program" --repo "$repo" --push
ok "the subject begins so" bash -c "git -C '$repo' log -1 --format=%s | grep -q '^chore(nodes): [a-z]'"
same "the source is a trailer" "Refs: ${source:0:12}" "$(git -C "$repo" log -1 --format=%B | git interpret-trailers --parse | grep ^Refs)"
exits "the same words make the same commit" 0 "$program" check --repo "$repo"
exits "and it is osm-gen's" 0 "$program" verify --repo "$repo"
rm "$hosted/hooks/pre-receive"
exits "--skip-ci beside them" 0 "$program" --repo "$repo" --skip-ci --author "Other <other@osm-gen.example>" --pause-image registry.osm-gen.example/pause:3
ok "--skip-ci beside them" bash -c "git -C '$repo' log -1 --format=%s | grep -q '^chore(nodes): .* \[skip ci\]$'"
same "the author of the command line signs" "Signed-off-by: Other <other@osm-gen.example>" "$(git -C "$repo" log -1 --format=%B | grep ^Signed)"
git -C "$repo" reset -q --hard HEAD~1
cp "$scratch/words.yaml" "$repo/osm-gen.yaml"
commit_all "$repo" "osm-gen's own words"
git -C "$repo" push -q origin main

# A run that is stopped while the server is at work.
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

# A run that is killed while the server is at work, or between commit and push.
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
	# The hook that it started waits for a word on the pipe: this ends it.
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

finish
