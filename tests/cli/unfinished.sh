#!/usr/bin/env bash
# A merge, rebase, cherry-pick, revert or am that is not finished, and conflicts in the index: `generate` refuses and changes
# nothing, commands that read go on working, and after git's own way out everything works again.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# main and topic change the same line; NOTES of topic merges without a conflict.
origin=$(small origin)
ok "an output" "$program" --repo "$origin" -q
kubelet() { # VERSION MESSAGE
	sed -i "s/kubelet: .*/kubelet: $1/" "$origin/clusters/prod/workers.yaml"
	commit_all "$origin" "$2"
}
git -C "$origin" checkout -q -b topic
echo "a note" >"$origin/NOTES"
commit_all "$origin" "a note"
git -C "$origin" tag note
kubelet 1.34.1 "topic's kubelet"
git -C "$origin" checkout -q main
kubelet 1.35.1 "main's kubelet"

repo=
clone() { # NAME
	repo=$scratch/$1
	git clone -q "$origin" "$repo"
	git -C "$repo" fetch -q origin topic:topic --tags
}
state() {
	local git_dir
	git_dir=$(git -C "$repo" rev-parse --absolute-git-dir)
	git -C "$repo" for-each-ref
	git -C "$repo" ls-files -s -v
	git -C "$repo" status --porcelain
	find "$git_dir" -type f \( -name '*HEAD' -o -name todo -o -name '*.lock' -o -name '*osm-gen*' \) -exec sha256sum {} + | sort -k 2
	find "$repo" -name .git -prune -o -type f -exec sha256sum {} + | sort -k 2
}
# NAME WHAT HELP: what `generate` says; then the commands that read.
refused() {
	local name=$1 what=$2 help=$3 before command
	before=$(state)
	for command in "generate" "generate --no-commit" "generate --branch other" "generate --worktree"; do
		# shellcheck disable=SC2086 # words are options
		exits "$name: $command" 3 "$program" $command --repo "$repo"
		says "$name: $command" "error[OSG6021]: $what"
		says "$name: $command" "$help"
		same "$name: $command: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
	done
	exits "$name: generate elsewhere" 3 "$program" --repo "$repo" --out "$scratch/elsewhere"
	ok "$name: generate elsewhere writes nothing" test ! -e "$scratch/elsewhere"
	exits "$name: validate" 0 "$program" validate --repo "$repo"
	exits "$name: plan" 0 "$program" plan --repo "$repo"
	exits "$name: diff" "${differs:-1}" "$program" diff --repo "$repo"
	exits "$name: check" "${differs:-1}" "$program" check --repo "$repo"
	exits "$name: doctor" 1 "$program" doctor --repo "$repo" -o json
	same "$name: doctor" "look" "$(jq -r '.findings[] | select(.check == "unfinished").level' "$scratch/out")"
	ok "$name: doctor names it" grep -qF "$what" "$scratch/out"
	same "$name: nothing changes" "$before" "$(state)"
}
works() { # NAME
	exits "$1: then generate works" 0 "$program" --repo "$repo"
	same "$1: then all is in step" "" "$(git -C "$repo" status --porcelain)"
	exits "$1: then doctor is quiet" 0 "$program" doctor --repo "$repo" -o json
	same "$1: then doctor is quiet" "" "$(jq -r '.findings[] | select(.check == "unfinished").level' "$scratch/out")"
	ok "$1: sound" git -C "$repo" fsck --strict
}
git_in() { git -C "$repo" "$@" >/dev/null 2>&1; }

clone merge
git_in merge --no-edit topic
refused "a merge with conflicts" "a merge is not finished, and files have conflicts" "git merge --abort"
git_in merge --abort
works "a merge that was aborted"
clone merge-resolved
git_in merge --no-edit topic
git_in checkout --ours clusters && git_in add -A
refused "a merge without conflicts left" "a merge is not finished: " "git merge --continue"
GIT_EDITOR=true git_in merge --continue
works "a merge that was finished"
clone merge-no-commit
git_in merge --no-commit --no-ff note
refused "a merge before its commit" "a merge is not finished: " "git merge --continue"
clone squash
git_in merge --squash topic
refused "conflicts alone" "files have conflicts: " "git add"
git_in reset --merge
works "conflicts that were taken back"

clone rebase
git_in rebase topic
refused "a rebase" "a rebase is not finished, and files have conflicts" "git rebase --abort"
git_in rebase --abort
works "a rebase that was aborted"
clone rebase-apply
git_in rebase --apply topic
refused "a rebase by patches" "a rebase is not finished, and files have conflicts" "git rebase --continue"
clone rebase-edit
GIT_SEQUENCE_EDITOR="sed -i s/^pick/edit/" git_in rebase -i HEAD~1
refused "a rebase that stopped to edit" "a rebase is not finished: " "git rebase --continue"
git_in rebase --continue
works "a rebase that was finished"
clone cherry-pick
git_in cherry-pick topic
refused "a cherry-pick" "a cherry-pick is not finished, and files have conflicts" "git cherry-pick --abort"
git_in cherry-pick --abort
works "a cherry-pick that was aborted"
# Between two commits of a series there is no CHERRY_PICK_HEAD.
clone series
git_in cherry-pick topic note
git_in checkout --ours clusters && git_in add -A && git_in commit --allow-empty -m "resolved"
ok "a series: only its list is left" test ! -e "$repo/.git/CHERRY_PICK_HEAD" -a -e "$repo/.git/sequencer/todo"
refused "a series of cherry-picks" "a cherry-pick is not finished: " "git cherry-pick --continue"
git_in cherry-pick --continue
works "a series that was finished"
clone revert
sed -i 's/kubelet: .*/kubelet: 1.35.3/' "$repo/clusters/prod/workers.yaml"
commit_all "$repo" "another kubelet"
git_in revert --no-edit HEAD~1
refused "a revert" "a revert is not finished, and files have conflicts" "git revert --abort"
git_in revert --abort
works "a revert that was aborted"
clone am
git -C "$repo" format-patch -q -1 topic -o "$scratch/patches"
git_in am "$scratch"/patches/*.patch
refused "an am" "an am is not finished: " "git am --abort"
git_in am --abort
works "an am that was aborted"

# A work tree's operation is its own; a bisection is none, and a bare repository has none.
clone main-tree
git_in worktree add "$scratch/linked" -b linked
git_in merge --no-edit topic
repo=$scratch/linked
works "a linked work tree beside a merge"
git_in checkout -q -B linked main
git_in merge --no-edit topic
refused "a merge in a linked work tree" "a merge is not finished, and files have conflicts" "git merge --abort"
clone bisect
git_in bisect start
works "a bisection"
git clone -q --bare "$origin" "$scratch/bare"
git -C "$origin" rev-parse topic >"$scratch/bare/MERGE_HEAD"
exits "a bare repository" 0 "$program" --repo "$scratch/bare"
finish
