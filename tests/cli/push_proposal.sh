#!/usr/bin/env bash
# --push --branch osm-gen/main: one commit for a pull request, on top of a main branch that takes no push; a server that asks for a
# sign-off and for Conventional Commits; and the proof of the output after each way to merge.
# shellcheck source=tests/cli/_push.sh
. "$(dirname "$0")/_push.sh"

# A protected branch, and commits as DCO and commitlint want them.
hook "$hosted" pre-receive <<'SH'
#!/bin/sh
while read -r old new ref; do
	[ "$ref" != refs/heads/main ] || [ -n "$BY_FORGE" ] || { echo "main is protected" >&2; exit 1; }
	case $new in *[!0]*) ;; *) continue ;; esac
	for commit in $(git rev-list "$new" --not --all); do
		git log -1 --format=%s "$commit" | grep -qE '^(feat|fix|chore|build)(\([a-z]+\))?: .{1,100}$' || { echo "$commit: the subject" >&2; exit 1; }
		git log -1 --format=%B "$commit" | grep -qxF "Signed-off-by: $(git log -1 --format='%an <%ae>' "$commit")" || { echo "$commit: no sign-off" >&2; exit 1; }
	done
done
SH
signed="Signed-off-by: Tester <tester@osm-gen.example>"
# A person's change of main, as the forge merges it.
merged() { # SED MESSAGE
	git -C "$inputs" fetch -q origin
	git -C "$inputs" reset -q --hard origin/main
	sed -i "$1" "$inputs/tests/fleet/edge-eu-1/machinedeployments.yaml" "$inputs/osm-gen.yaml"
	commit_all "$inputs" "chore: $2

$signed"
	BY_FORGE=1 git -C "$inputs" push -q origin main
}
proposed() { tip_of osm-gen/main; }
job() { # NAME: a clone as a job of main has it
	clone "$1"
	git -C "$scratch/$1" checkout -q --detach
	git -C "$scratch/$1" branch -q -D main
}
propose() { # NAME REPO
	exits "$1" 0 "$program" generate --repo "$2" --push --branch osm-gen/main --author "Fleet Bot <bot@osm-gen.example>"
}
one_commit() { # NAME: the branch is main and one commit of the output
	same "$1: on main" "$(tip)" "$(tip_of osm-gen/main~1)"
	same "$1: changes the output alone" "" "$(git -C "$hosted" diff --name-only main osm-gen/main | grep -v ^out/)"
}

repo=$(job first | head -n 1)
exits "main takes no push" 3 "$program" generate --repo "$repo" --push --branch main
says "main takes no push" "main is protected"
exits "the words of the server" 3 "$program" generate --repo "$repo" --push --branch osm-gen/main
says "the words of the server" "the subject"
git -C "$repo" branch -q -D osm-gen/main main
merged '/^  commit:$/a\\    subject: "chore(nodes): {changes}"\n    trailers: ["Signed-off-by: {author}"]' "words"
git -C "$repo" fetch -q origin && git -C "$repo" checkout -q --detach origin/main
propose "a proposal" "$repo"
says "a proposal" "pushed to osm-gen/main of origin"
one_commit "a proposal"
before=$(proposed)
propose "again" "$repo"
says "again" "nothing to push"
repo=$(job second | head -n 1)
propose "another job of the commit" "$repo"
same "another job of the commit: the same proposal" "$before" "$(proposed)"

# main has moved on: the proposal is made anew, in the old clone and in a new one.
old=$(git -C "$repo" rev-parse HEAD)
merged 's/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.41/' "a kubelet"
git -C "$repo" fetch -q origin && git -C "$repo" checkout -q --detach origin/main
propose "main has moved on" "$repo"
one_commit "main has moved on"
ok "main has moved on: its kubelet" git -C "$hosted" grep -q '1\.35\.41' osm-gen/main -- out
before=$(proposed)
repo=$(job third | head -n 1)
propose "a job that has no such branch" "$repo"
same "a job that has no such branch: the same proposal" "$before" "$(proposed)"
git -C "$repo" checkout -q --detach "$old"
propose "a late job of an older commit" "$repo"
same "a late job of an older commit: the newer proposal stays" "$before" "$(proposed)"
merged 's/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.42/' "another kubelet"
repo=$(job fourth | head -n 1)
# Somebody else proposes between the look and the push.
cat >"$scratch/wrapper/git" <<SH
#!/bin/sh
case " \$* " in *" push "*) [ -e "$scratch/once" ] || { touch "$scratch/once"; "$real" -C "$hosted" update-ref refs/heads/osm-gen/main main; } ;; esac
exec "$real" "\$@"
SH
chmod +x "$scratch/wrapper/git"
exits "a race" 0 env PATH="$scratch/wrapper:$PATH" "$program" generate --repo "$repo" --push --branch osm-gen/main --author "Fleet Bot <bot@osm-gen.example>"
ok "a race: there was one" test -e "$scratch/once"
one_commit "a race"

# A person's commit on the branch is never lost.
person=$(clone person -b osm-gen/main)
git -C "$person" commit -q --allow-empty -m "chore: mine

$signed"
git -C "$person" push -q origin osm-gen/main
merged 's/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.43/' "a third kubelet"
repo=$(job fifth | head -n 1)
before=$(proposed)
exits "a person's commit" 3 "$program" generate --repo "$repo" --push --branch osm-gen/main
says "a person's commit" "error[OSG6044]: branch osm-gen/main has commit ${before:0:12}, which osm-gen did not make"
same "a person's commit stays" "$before" "$(proposed)"
git -C "$hosted" update-ref -d refs/heads/osm-gen/main
propose "without the branch" "$repo"
one_commit "without the branch"

# ---- merged: nothing is left to propose, and the proof -------------------------------------------------------------------------
start=$(tip)
proposal=$(proposed)
forge() { # NAME COMMAND...: merges the proposal into main, from the same beginning
	name=$1
	shift
	git -C "$hosted" update-ref refs/heads/main "$start"
	git -C "$hosted" update-ref refs/heads/osm-gen/main "$proposal"
	git -C "$inputs" fetch -q origin
	git -C "$inputs" reset -q --hard origin/main
	"$@" >/dev/null 2>&1
	BY_FORGE=1 git -C "$inputs" push -q origin main
	rm -rf "$scratch/after"
	repo=$(job after | head -n 1)
	propose "$name: nothing is left" "$repo"
	same "$name: the branch is main, or what was merged" "" "$(git -C "$hosted" rev-list osm-gen/main --not main "$proposal")"
	same "$name: the job has no proposal" "$(head_of "$repo")" "$(git -C "$repo" rev-parse -q --verify refs/heads/osm-gen/main || head_of "$repo")"
}
squash() { # MESSAGE
	git -C "$inputs" merge --squash origin/osm-gen/main
	git -C "$inputs" commit -m "$1"
}
subject=$(git -C "$hosted" log -1 --format=%s osm-gen/main)
body=$(git -C "$hosted" log -1 --format=%b osm-gen/main)
forge "a merge" git -C "$inputs" merge --no-ff -m "chore: merge osm-gen/main

$signed" origin/osm-gen/main
exits "a merge: verify" 0 "$program" verify --repo "$repo"
forge "a rebase" git -C "$inputs" cherry-pick origin/osm-gen/main
exits "a rebase: verify" 0 "$program" verify --repo "$repo"
forge "a squash with title and description" squash "$subject (#7)

$body
$signed"
exits "a squash with title and description: verify" 0 "$program" verify --repo "$repo"
forge "a squash with the title alone" squash "$subject (#7)

$signed"
exits "a squash with the title alone: verify" 1 "$program" verify --repo "$repo"
ok "a squash with the title alone: verify says what helps" grep -q -- "generate --vouch" "$scratch/out"
exits "a squash with the title alone: vouch" 0 "$program" generate --repo "$repo" --push --branch osm-gen/main --vouch --author "Fleet Bot <bot@osm-gen.example>"
same "a squash with the title alone: a proposal without a file" "1 " "$(git -C "$hosted" rev-list --count main..osm-gen/main) $(git -C "$hosted" diff --name-only main osm-gen/main)"
git -C "$inputs" fetch -q origin
git -C "$inputs" merge -q --ff-only origin/osm-gen/main
BY_FORGE=1 git -C "$inputs" push -q origin main
exits "a squash with the title alone: verify, after it" 0 "$program" verify --repo "$inputs"
finish
