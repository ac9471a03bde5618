#!/usr/bin/env bash
# Clones, checkouts and work trees as CI makes them; see _git_shapes.sh for what is asked of each.
# Tested elsewhere: first runs in bare, shallow, detached and linked ones (generate.sh, unit/git_output_test.c), shallow
# clones without an output (doctor.sh, recipients.sh, noop.sh, verify.sh), links in the way (hostile.sh), damaged objects
# (unit/git_test.c), and what git_settings.sh has.
# Slow: a repository in every shape of git
# shellcheck source=tests/cli/_git_shapes.sh
. "$(dirname "$0")/_git_shapes.sh"

# ---- clones, as CI's own checkouts make them -----------------------------------------------------
new() { # NAME [OPTION...]: git init, with the remote; the folder stands in $repo
	repo=$scratch/$1
	shift
	git -c init.defaultBranch=master init -q "$@" "$repo"
	git -C "$repo" remote add origin "$url"
}
# actions/checkout of a branch, and of a tag's or pull request's commit, which is detached
new actions-branch
git -C "$repo" -c protocol.version=2 fetch -q --no-tags --prune --depth=1 origin "+$head:refs/remotes/origin/main"
git -C "$repo" checkout -q --force -B main refs/remotes/origin/main
works "actions/checkout of a branch" "$repo"
# gitlab-runner: fetch with a depth, then the commit, detached
new gitlab
git -C "$repo" config fetch.recurseSubmodules false
git -C "$repo" fetch -q --depth 20 origin "+refs/heads/main:refs/remotes/origin/main"
git -C "$repo" checkout -q -f "$head"
works "gitlab-runner" "$repo"

# ---- merge refs: the commit that the merge would make, which is no branch's ----------------------
# The merge of the same change: its tree is the plain clone's, so its output is.
git -C "$origin" checkout -q -b topic HEAD~1
kubelet "$origin" 1.34.2
echo "a note" >"$origin/NOTES"
commit_all "$origin" "a note"
git -C "$origin" checkout -q main
git -C "$origin" checkout -q --detach
git -C "$origin" merge -q --no-ff -m "Merge topic into main" topic
merge=$(git -C "$origin" rev-parse HEAD)
git -C "$origin" update-ref refs/pull/1/merge "$merge"
git -C "$origin" update-ref refs/merge-requests/1/merge "$merge"
git -C "$origin" checkout -q main
for shape in "1 refs/pull/1/merge" "2 refs/pull/1/merge" "20 refs/merge-requests/1/merge" "0 refs/merge-requests/1/merge"; do
	depth=${shape% *} ref=${shape#* }
	name="$ref, depth $depth"
	new "merge-$depth"
	limit=()
	[ "$depth" -eq 0 ] || limit=(--depth="$depth")
	git -C "$repo" fetch -q --no-tags "${limit[@]}" origin "+$merge:refs/remotes/${ref#refs/}"
	git -C "$repo" checkout -q --force "refs/remotes/${ref#refs/}"
	exits "$name: validate" 0 "$program" validate --repo "$repo"
	exits "$name: plan" 0 "$program" plan --repo "$repo" -o json
	same "$name: plan says the same" "$plan" "$(cat "$scratch/out")"
	exits "$name: check" 1 "$program" check --repo "$repo"
	exits "$name: generate" 0 "$program" --repo "$repo"
	same "$name: the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
	same "$name: upon the merge" "$merge" "$(git -C "$repo" rev-parse HEAD^)"
	same "$name: its ref stays" "$merge" "$(git -C "$repo" rev-parse "refs/remotes/${ref#refs/}")"
	sound "$name" "$repo"
done

# ---- sparse checkouts ----------------------------------------------------------------------------
clone sparse-cone
git -C "$repo" sparse-checkout set --cone tests/fleet/edge-eu-1
ok "cone: the output is not there" test ! -e "$repo/out"
works "sparse, cone" "$repo"
ok "cone: nor afterwards" test ! -e "$repo/out"
clone sparse-out
git -C "$repo" sparse-checkout set --cone out/prod-us-1
works "sparse, cone over a part of the output" "$repo"
same "part of the output: it alone is there" prod-us-1 "$(ls "$repo/out")"
same "part of the output: its files are the commit's" "" "$(git -C "$repo" diff HEAD)"
clone sparse-patterns
git -C "$repo" sparse-checkout set --no-cone '/*' '!/out/' '!/tests/'
works "sparse, patterns" "$repo"
# What is not checked out is, for --worktree too, as the index has it.
"$program" list --repo "$scratch/plain" -o json >"$scratch/listed"
for shape in sparse-cone sparse-out sparse-patterns; do
	exits "$shape: list --worktree" 0 "$program" list --worktree --repo "$scratch/$shape" -o json
	same "$shape: --worktree has all of it" "$(cat "$scratch/listed")" "$(cat "$scratch/out")"
done
clone sparse-index
git -C "$repo" sparse-checkout set --cone --sparse-index tests
refused "sparse index" 3 OSG6005 "$repo" generate
says "sparse index" "git sparse-checkout reapply --no-sparse-index"
git -C "$repo" sparse-checkout reapply --no-sparse-index
works "sparse index, made an ordinary one" "$repo"

# ---- work trees and git directories elsewhere ----------------------------------------------------
clone main-tree
git -C "$repo" checkout -q -b other HEAD~1
git -C "$repo" worktree add -q "$scratch/linked" main
works "linked work tree" "$scratch/linked"
clone configured
git -C "$repo" checkout -q -b other HEAD~1
git -C "$repo" config extensions.worktreeConfig true
git -C "$repo" worktree add -q "$scratch/linked-sparse" main
git -C "$scratch/linked-sparse" sparse-checkout set --cone tests
works "linked work tree with a configuration of its own" "$scratch/linked-sparse"
clone behind-a-link
git -C "$repo" checkout -q -b other HEAD~1
git -C "$repo" worktree add -q "$scratch/linked-by-link" main
ln -s "$repo" "$scratch/a-link"
echo "gitdir: $scratch/a-link/.git/worktrees/linked-by-link" >"$scratch/linked-by-link/.git"
works "linked work tree, found through a symbolic link" "$scratch/linked-by-link"
echo "gitdir: ../behind-a-link/.git/worktrees/linked-by-link" >"$scratch/linked-by-link/.git"
sound "linked work tree, found by a relative path" "$scratch/linked-by-link"
exits "linked work tree, found by a relative path" 0 "$program" check --repo "$scratch/linked-by-link"
clone hub.git --bare
git -C "$repo" worktree add -q "$scratch/linked-to-bare" main
works "linked work tree of a bare repository" "$scratch/linked-to-bare"
clone bare.git --bare
works "bare" "$repo"
clone mirror.git --mirror
works "mirror" "$repo"
clone separate --separate-git-dir "$scratch/separate.git"
works "git directory elsewhere" "$repo"
clone pointed --separate-git-dir "$scratch/pointed.git"
git -C "$repo" config core.worktree "$repo"
rm "$repo/.git"
refused "core.worktree, the work tree alone" 3 OSG6001 "$repo" "${every[@]}"
works "core.worktree" "$scratch/pointed.git"
same "core.worktree: the work tree has it" "" "$(git --git-dir="$scratch/pointed.git" --work-tree="$repo" status --porcelain)"

# ---- partial clones: what a checkout does not need stays with the promisor -----------------------
missing() { git -C "$1" rev-list --objects --all --missing=print --quiet | grep -c '^?'; }
for filter in blob:none tree:0; do
	clone "partial-$filter" --filter="$filter"
	ok "--filter=$filter: something is missing" test "$(missing "$repo")" -gt 0
	works "--filter=$filter, checked out" "$repo"
	clone "partial-sparse-$filter" --filter="$filter" --sparse
	refused "--filter=$filter, sparse" 3 OSG6051 "$repo" "${every[@]}"
	says "--filter=$filter, sparse" "git sparse-checkout disable"
	git -C "$repo" sparse-checkout disable
	works "--filter=$filter, sparse no longer" "$repo"
	clone "partial-output-$filter" --filter="$filter" --sparse
	git -C "$repo" sparse-checkout set tests profiles
	refused "--filter=$filter, sparse, the inputs alone" 3 OSG6051 "$repo" "${every[@]}"
	says "--filter=$filter, sparse, the inputs alone" "the first is out/edge-eu-1/index.json"
	git -C "$repo" fetch -q --refetch --no-filter
	works "--filter=$filter, sparse, fetched again" "$repo"
	clone "partial-no-checkout-$filter" --filter="$filter" --no-checkout
	refused "--filter=$filter, nothing checked out" 3 OSG6051 "$repo" "${every[@]}"
	says "--filter=$filter, nothing checked out" "git checkout does"
	git -C "$repo" checkout -q
	works "--filter=$filter, checked out afterwards" "$repo"
	clone "partial-bare-$filter" --filter="$filter" --bare
	refused "--filter=$filter, bare" 3 OSG6051 "$repo" "${every[@]}"
	says "--filter=$filter, bare" "git fetch --refetch --no-filter"
	git -C "$repo" fetch -q --refetch --no-filter
	works "--filter=$filter, bare, fetched again" "$repo"
	# With the promisor gone: what is there is enough, or only another clone has it.
	clone "gone-$filter" --filter="$filter"
	git -C "$repo" remote set-url origin "file://$scratch/gone"
	works "--filter=$filter, the promisor gone" "$repo"
	clone "gone-sparse-$filter" --filter="$filter" --sparse
	git -C "$repo" remote set-url origin "file://$scratch/gone"
	refused "--filter=$filter, sparse, the promisor gone" 3 OSG6051 "$repo" "${every[@]}"
	says "--filter=$filter, sparse, the promisor gone" "clone without --filter"
done

# actions/checkout with `sparse-checkout` fetches that way, of one commit.
new actions-sparse
git -C "$repo" config remote.origin.promisor true
git -C "$repo" config remote.origin.partialclonefilter blob:none
git -C "$repo" fetch -q --no-tags --prune --filter=blob:none --depth=1 origin "+$merge:refs/remotes/pull/1/merge"
git -C "$repo" sparse-checkout set tests
git -C "$repo" checkout -q --force refs/remotes/pull/1/merge
refused "actions/checkout, sparse" 3 OSG6051 "$repo" "${every[@]}"
git -C "$repo" sparse-checkout disable
exits "actions/checkout, sparse no longer" 0 "$program" --repo "$repo"
same "actions/checkout, sparse no longer: the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "actions/checkout, sparse no longer" "$repo"

# ---- another owner -------------------------------------------------------------------------------
clone foreign
if chown -R 12345 "$repo" 2>/dev/null; then
	ok "foreign owner: git itself refuses" bash -c "! git -C '$repo' status"
	exits "foreign owner: validate" 0 "$program" validate --repo "$repo"
	exits "foreign owner: generate" 0 "$program" --repo "$repo"
	same "foreign owner: the same commit" "$want" "$(cat "$repo/.git/refs/heads/main")"
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$repo
	sound "foreign owner" "$repo"
	unset GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0
else
	skip "not root: no work tree of another owner"
fi

# ---- submodules ----------------------------------------------------------------------------------
git init -q "$scratch/module" -b main
cp -r "$origin/tests/fleet/edge-eu-1/." "$scratch/module/"
commit_all "$scratch/module" "a cluster"
clone super
git -C "$repo" rm -q -r tests/fleet/edge-eu-1
git -C "$repo" submodule --quiet add "$scratch/module" tests/fleet/edge-eu-1
commit_all "$repo" "a cluster in a submodule"
for command in "validate 0" "plan 0" "check 2" "generate 2"; do
	exits "a submodule: $command" "${command#* }" "$program" "${command% *}" --repo "$repo"
	says "a submodule: $command" "tests/fleet/edge-eu-1: warning[OSG6052]"
done
says "a submodule: what it held is missed" "OSG2030"
exits "a submodule: validate --worktree" 0 "$program" validate --worktree --repo "$repo"
says "a submodule: validate --worktree" "tests/fleet/edge-eu-1: warning[OSG6052]"
git -C "$repo" submodule --quiet deinit -f tests/fleet/edge-eu-1
git -C "$repo" rm -q tests/fleet/edge-eu-1
rm -rf "$repo/.git/modules"
git -C "$repo" commit -q -m "no submodule"
git -C "$repo" fetch -q "$scratch/module" main
git -C "$repo" read-tree --prefix=tests/fleet/edge-eu-1/ -u FETCH_HEAD
git -C "$repo" rm -q --cached .gitmodules
rm "$repo/.gitmodules"
git -C "$repo" commit -q -m "the cluster itself"
exits "a submodule, committed as files" 0 "$program" --repo "$repo"
same "a submodule, committed as files: the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "a submodule, committed as files" "$repo"
clone super-other
git -C "$repo" submodule --quiet add "$scratch/module" theme
echo /theme/ >"$repo/.osm-gen-ignore"
commit_all "$repo" "a submodule without manifests"
exits "a submodule in .osm-gen-ignore" 0 "$program" --repo "$repo"
ok "a submodule in .osm-gen-ignore: no warning" bash -c "! grep -q OSG6052 '$scratch/err'"
sound "a submodule in .osm-gen-ignore" "$repo"
# osm-gen inside of a submodule
git init -q "$scratch/outer" -b main
git -C "$scratch/outer" submodule --quiet add -b main "$url" fleet
commit_all "$scratch/outer" "a fleet"
works "inside of a submodule" "$scratch/outer/fleet"
same "inside of a submodule: the outer one sees a new commit" " M fleet" "$(git -C "$scratch/outer" status --porcelain)"

# ---- what a container does not have: the other half of a clone -----------------------------------
clone main-gone
git -C "$repo" worktree add -q "$scratch/half-linked" -b half
mv "$repo" "$scratch/main-away"
refused "linked work tree without its main one" 3 OSG6001 "$scratch/half-linked" "${every[@]}"
says "linked work tree without its main one" "$scratch/main-gone/.git/worktrees/half-linked"
mv "$scratch/main-away" "$repo"
works "linked work tree with its main one" "$scratch/half-linked"
git init -q "$scratch/outer2" -b main
git -C "$scratch/outer2" submodule --quiet add -b main "$url" fleet
mv "$scratch/outer2/.git" "$scratch/outer2/git-away"
refused "submodule without the outer repository" 3 OSG6001 "$scratch/outer2/fleet" "${every[@]}"
says "submodule without the outer repository" "../.git/modules/fleet"
mv "$scratch/outer2/git-away" "$scratch/outer2/.git"
works "submodule with the outer repository" "$scratch/outer2/fleet"
clone bad-worktree
git -C "$repo" config core.worktree "$scratch/nowhere"
refused "core.worktree that is gone" 3 OSG6001 "$repo" "${every[@]}"
says "core.worktree that is gone" "git config --unset core.worktree"
git --git-dir="$repo/.git" config --unset core.worktree
works "core.worktree that is gone, taken away" "$repo"
clone other-worktree
git -C "$repo" checkout -q -b aside
git clone -q "$repo" "$scratch/really"
git -C "$repo" config core.worktree "$scratch/really"
works "core.worktree elsewhere" "$repo"

# ---- a partial clone: without blobs the index of then is missing, without trees nothing is seen, as in a shallow one
git -C "$origin" checkout -q -b removed
git -C "$origin" rm -q -r out
git -C "$origin" commit -q -m "no output"
git -C "$origin" checkout -q main
clone removed-blobs --filter=blob:none --branch removed
exits "no blobs, the output removed" 2 "$program" --repo "$repo"
says "no blobs, the output removed" "error[OSG5079]"
says "no blobs, the output removed" "is not in this partial clone"
clone removed-trees --filter=tree:0 --branch removed
exits "no trees, the output removed" 0 "$program" --repo "$repo"
says "no trees, the output removed" "warning[OSG5076]"
says "no trees, the output removed" "the clone is partial"
says "no trees, the output removed" "a clone without --filter"
sound "no trees, the output removed" "$repo"
clone removed-whole --branch removed
exits "a whole clone, the output removed" 0 "$program" --repo "$repo"
ok "a whole clone, the output removed: history decides" bash -c "! grep -q OSG5076 '$scratch/err'"

# ---- an output folder some levels down, where the commit has files
repo=$(fleet levels)
echo text >"$repo/a"
commit_all "$repo" "a file"
exits "below a file" 2 "$program" --repo "$repo" --out a/b/c
says "below a file" "a: error[OSG6016]: a folder of the output belongs here, but the commit has a file"
git -C "$repo" rm -q a
mkdir "$repo/a"
echo text >"$repo/a/b"
commit_all "$repo" "a file, a level down"
exits "below a file, a level down" 2 "$program" --repo "$repo" --out a/b/c
says "below a file, a level down" "a/b: error[OSG6016]"
exits "beside it" 0 "$program" --repo "$repo" --out a/c/d
same "beside it: the file stays" text "$(git -C "$repo" show HEAD:a/b)"
same "beside it: all below the folder" "" "$(git -C "$repo" diff --name-only HEAD~1 | grep -v '^a/c/d/')"
sound "beside it" "$repo"
finish
