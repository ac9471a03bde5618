#!/usr/bin/env bash
# What a repository's files, settings, locks, formats and index may be; see _git_shapes.sh for what is asked of each.
# Tested elsewhere: --worktree on an unborn branch (contract.sh), this user's own git configuration (determinism.sh), locks
# and files of osm-gen's own runs that were killed (interrupted.sh), where an LFS pointer stands (golden/input-lfs).
# Slow: a repository for every setting of git
# shellcheck source=tests/cli/_git_shapes.sh
. "$(dirname "$0")/_git_shapes.sh"

# A clone without options is a copy of the first one; git_shapes.sh has them made by git.
git clone -q "$url" "$scratch/.cloned"
clone() { # NAME [OPTION...]
	repo=$scratch/$1
	shift
	if [ $# -gt 0 ]; then
		git clone -q "$@" "$url" "$repo"
	else
		cp -a "$scratch/.cloned" "$repo"
		git -C "$repo" update-index -q --refresh
	fi
}

# ---- Git LFS, filters, attributes ----------------------------------------------------------------
# A clean and smudge filter as LFS has one: in the repository stands a pointer.
lfs() { # REPO
	# shellcheck disable=SC2016 # for the filter's shell
	git -C "$1" config filter.lfs.clean 'f=$(mktemp) && cat >$f && mkdir -p "$(git rev-parse --git-dir)/lfs" &&
		d=$(sha256sum <$f | cut -c1-64) && cp $f "$(git rev-parse --git-dir)/lfs/$d" &&
		printf "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %s\n" $d $(stat -c %s $f); rm -f $f'
	# shellcheck disable=SC2016
	git -C "$1" config filter.lfs.smudge 'cat "$(git rev-parse --git-dir)/lfs/$(sed -n "s/^oid sha256://p")"'
	git -C "$1" config filter.lfs.required true
}
clone lfs-input
lfs "$repo"
echo '/tests/fleet/prod-us-1/* filter=lfs diff=lfs merge=lfs -text' >"$repo/.gitattributes"
git -C "$repo" add --renormalize .
commit_all "$repo" "manifests in LFS"
ok "LFS: a pointer is committed" bash -c "git -C '$repo' show HEAD:tests/fleet/prod-us-1/machinedeployments.yaml | grep -q '^oid'"
ok "LFS: the file is there" grep -q '^kind' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
before=$(state "$repo")
for command in "${every[@]}"; do
	exits "LFS: $command" 2 "$program" "$command" --repo "$repo"
	says "LFS: $command" "machinedeployments.yaml: error[OSG6103]"
done
same "LFS: nothing changed" "$before" "$(state "$repo")"
says "LFS" "git add --renormalize ."
git -C "$repo" rm -q .gitattributes
git -C "$repo" add --renormalize .
commit_all "$repo" "out of LFS"
exits "LFS: kept out of it" 0 "$program" --repo "$repo"
same "LFS: kept out of it, the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "LFS" "$repo"
clone lfs-output
lfs "$repo"
echo '*.yaml filter=lfs diff=lfs merge=lfs -text' >"$repo/.gitattributes"
echo 'tests/** -filter
profiles/** -filter
osm-gen.yaml -filter' >>"$repo/.gitattributes"
commit_all "$repo" "YAML in LFS"
refused "output under filter=lfs" 3 OSG6009 "$repo" generate
says "output under filter=lfs" "out/** -filter"
echo 'out/** -filter' >>"$repo/.gitattributes"
commit_all "$repo" "the output is not"
exits "output under filter=lfs, taken out" 0 "$program" --repo "$repo"
same "output under filter=lfs, taken out, the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "output under filter=lfs, taken out" "$repo"
for attribute in ident "text eol=crlf" "text=auto eol=crlf" -text "diff=sops merge=binary export-ignore"; do
	clone "attribute ${attribute%%[= ]*}"
	echo "out/** $attribute" >"$repo/.gitattributes"
	commit_all "$repo" "$attribute" 2>/dev/null
	exits "$attribute" 0 "$program" --repo "$repo"
	same "$attribute: the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
	sound "$attribute" "$repo"
	rm -rf "$repo"
done
clone encoding
echo 'out/** working-tree-encoding=UTF-16LE-BOM' >"$repo/.gitattributes"
git -C "$repo" add .gitattributes
git -C "$repo" commit -q -m "the output as UTF-16"
refused "working-tree-encoding" 3 OSG6009 "$repo" generate
says "working-tree-encoding" "out/** -working-tree-encoding"
echo 'out/** -working-tree-encoding' >>"$repo/.gitattributes"
git -C "$repo" add .gitattributes
git -C "$repo" commit -q -m "the output is not"
exits "working-tree-encoding, taken out" 0 "$program" --repo "$repo"
same "working-tree-encoding, taken out, the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "working-tree-encoding, taken out" "$repo"

# ---- .gitignore ----------------------------------------------------------------------------------
clone ignored
echo out/ >"$repo/.gitignore"
commit_all "$repo" "out/ ignored"
exits "ignored" 0 "$program" --repo "$repo"
says "ignored" "warning[OSG6010]"
says "ignored: the remedy" "remove the line from .gitignore"
same "ignored: the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "ignored" "$repo"
rm "$repo/.gitignore"
kubelet "$repo" 1.34.3
exits "no longer ignored" 0 "$program" --repo "$repo"
ok "no longer ignored: no warning" bash -c "! grep -q OSG6010 '$scratch/err'"
sound "no longer ignored" "$repo"

# ---- locks ---------------------------------------------------------------------------------------
# A living git: `git commit -a` holds index.lock while its editor runs, `git update-ref --stdin` a branch's from prepare on.
# shellcheck disable=SC2317 # it is called by ok
until_there() { # COMMAND...: waits until it succeeds, not for ever
	local tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || return 1
		sleep 0.05
	done
}
needs_no_lock() { # NAME REPO
	exits "$1: validate needs none" 0 "$program" validate --repo "$2"
	exits "$1: plan needs none" 0 "$program" plan --repo "$2"
	exits "$1: check needs none" 1 "$program" check --repo "$2"
}
clone locked
mkfifo "$scratch/go"
printf '#!/bin/sh\ntouch "%s"\nread -r line <"%s"\nexit 1\n' "$scratch/editing" "$scratch/go" >"$scratch/editor"
chmod +x "$scratch/editor"
: >"$repo/NOTE"
git -C "$repo" add NOTE
GIT_EDITOR=$scratch/editor git -C "$repo" commit -q -a >/dev/null 2>&1 &
holder=$!
ok "a git at work" until_there test -e "$scratch/editing"
ok "index.lock: git holds it" test -e "$repo/.git/index.lock"
refused "index.lock of a living git" 3 OSG6005 "$repo" generate
says "index.lock of a living git" "another git has locked it"
needs_no_lock "index.lock" "$repo"
echo >"$scratch/go"
wait "$holder"
git -C "$repo" rm -q -f NOTE
works "index.lock, once that git is done" "$repo"

clone locked-ref
mkfifo "$scratch/commands"
git -C "$repo" update-ref --stdin <"$scratch/commands" >"$scratch/answers" 2>&1 &
holder=$!
exec 9>"$scratch/commands"
printf 'start\nupdate refs/heads/main %s\nprepare\n' "$(git -C "$repo" rev-parse HEAD~1)" >&9
ok "a git at work" until_there grep -q 'prepare: ok' "$scratch/answers"
ok "main.lock: git holds it" test -e "$repo/.git/refs/heads/main.lock"
refused "main.lock of a living git" 3 OSG6012 "$repo" generate
needs_no_lock "main.lock" "$repo"
echo abort >&9
exec 9>&-
wait "$holder"
works "main.lock, once that git is done" "$repo"

clone locked-head
git -C "$repo" checkout -q --detach
: >"$scratch/answers"
git -C "$repo" update-ref --no-deref --stdin <"$scratch/commands" >"$scratch/answers" 2>&1 &
holder=$!
exec 9>"$scratch/commands"
printf 'start\nupdate HEAD %s\nprepare\n' "$(git -C "$repo" rev-parse HEAD~1)" >&9
ok "a git at work" until_there grep -q 'prepare: ok' "$scratch/answers"
ok "HEAD.lock: git holds it" test -e "$repo/.git/HEAD.lock"
refused "HEAD.lock of a living git, detached" 3 OSG6012 "$repo" generate
says "HEAD.lock of a living git, detached" "remove its lock $repo/.git/HEAD.lock"
needs_no_lock "HEAD.lock" "$repo"
echo abort >&9
exec 9>&-
wait "$holder"
works "HEAD.lock, once that git is done" "$repo"

# A git that packs refs holds packed-refs.lock; a branch's own file is written next to it.
clone locked-packed
touch "$repo/.git/packed-refs.lock"
exits "packed-refs.lock" 0 "$program" --repo "$repo"
rm "$repo/.git/packed-refs.lock"
same "packed-refs.lock: the same commit" "$want" "$(git -C "$repo" rev-parse HEAD)"
sound "packed-refs.lock" "$repo"

# A git that was killed leaves its locks; the remedy is to remove them.
clone stale
: >"$scratch/answers"
git -C "$repo" update-ref --stdin <"$scratch/commands" >"$scratch/answers" 2>&1 &
holder=$!
exec 9>"$scratch/commands"
printf 'start\nupdate refs/heads/main %s\nprepare\n' "$(git -C "$repo" rev-parse HEAD~1)" >&9
ok "a git at work" until_there grep -q 'prepare: ok' "$scratch/answers"
kill -KILL "$holder"
wait "$holder" 2>/dev/null
exec 9>&-
ok "stale main.lock" test -e "$repo/.git/refs/heads/main.lock"
refused "stale main.lock" 3 OSG6012 "$repo" generate
says "stale main.lock" "remove its lock $repo/.git/refs/heads/main.lock"
rm -f "$repo/.git/refs/heads/main.lock" "$repo/.git/HEAD.lock"
touch "$repo/.git/index.lock"
refused "stale index.lock" 3 OSG6005 "$repo" generate
says "stale index.lock" "remove index.lock"
rm "$repo/.git/index.lock"
works "stale locks, removed" "$repo"

# ---- formats that cannot be read -----------------------------------------------------------------
git init -q -b main --object-format=sha256 "$scratch/sha256"
git -C "$scratch/plain" archive "$head" | tar -x -C "$scratch/sha256"
commit_all "$scratch/sha256" "the same in SHA-256"
refused "SHA-256" 3 OSG6002 "$scratch/sha256" "${every[@]}"
says "SHA-256" "git fast-export"
git init -q -b main "$scratch/sha1"
git -C "$scratch/sha256" fast-export --all | git -C "$scratch/sha1" fast-import --quiet
git -C "$scratch/sha1" reset -q --hard
exits "SHA-256, exported to SHA-1" 0 "$program" --repo "$scratch/sha1"
same "SHA-256, exported to SHA-1, the same output" "$tree" "$(git -C "$scratch/sha1" rev-parse HEAD:out)"
sound "SHA-256, exported to SHA-1" "$scratch/sha1"
# git makes reftables from 2.45 on, and migrates them from 2.46 on; of an older one the configuration names them, which is
# what is looked at.
clone reftable
if git init -q --ref-format=reftable "$scratch/probe" 2>/dev/null; then
	rm -rf "$repo"
	git clone -q --ref-format=reftable "$url" "$repo"
	refused "reftable" 3 OSG6002 "$repo" "${every[@]}"
	git clone -q --ref-format=files "$repo" "$scratch/files"
	works "reftable, cloned to files" "$scratch/files"
	# Bare: before 2.48 git refuses to migrate a repository that has reflogs. Where the command is there, it has to work.
	if git --list-cmds=builtins | grep -qx refs; then
		git clone -q --bare --ref-format=reftable "$url" "$scratch/migrated.git"
		refused "reftable, bare" 3 OSG6002 "$scratch/migrated.git" "${every[@]}"
		ok "reftable, bare: migrated" git -C "$scratch/migrated.git" refs migrate --ref-format=files
		works "reftable, bare, migrated to files" "$scratch/migrated.git"
	else
		skip "git before 2.46: no git refs migrate, so no bare reftable repository migrated to files"
	fi
else
	skip "git before 2.45: no reftable of its own, cloned or migrated to files"
fi
clone named-reftable
git -C "$repo" config core.repositoryFormatVersion 1
git -C "$repo" config extensions.refStorage reftable
exits "reftable, by the configuration: validate" 3 "$program" validate --repo "$repo"
says "reftable, by the configuration" "error[OSG6002]"
says "reftable, by the configuration" "git refs migrate --ref-format=files"
says "reftable, by the configuration" "git clone --ref-format=files"

# ---- settings of the repository that change what git does with files -----------------------------
clone autocrlf --config core.autocrlf=true
ok "autocrlf: manifests have CRLF" grep -q $'\r' "$repo/osm-gen.yaml"
works "core.autocrlf" "$repo"
clone safecrlf --config core.autocrlf=input --config core.safecrlf=true
works "core.autocrlf=input, core.safecrlf" "$repo"
clone filemode --config core.fileMode=false --config core.symlinks=false --config core.ignoreCase=true
chmod +x "$repo/out/prod-us-1/index.json" "$repo/osm-gen.yaml"
works "core.fileMode=false" "$repo"
clone bigfiles --config core.bigFileThreshold=1k --config core.compression=0 --config core.looseCompression=0
works "core.bigFileThreshold, core.compression" "$repo"

# ---- git's variables: only --repo says which repository ------------------------------------------
git init -q "$scratch/stranger"
git -C "$scratch/stranger" commit -q --allow-empty -m "a stranger"
for variables in "GIT_DIR=$scratch/stranger/.git" "GIT_DIR=.git" "GIT_WORK_TREE=$scratch/stranger" \
	"GIT_INDEX_FILE=$scratch/stranger/.git/other-index" "GIT_OBJECT_DIRECTORY=$scratch/stranger/.git/objects" \
	"GIT_NAMESPACE=other" "GIT_DIR=$scratch/stranger/.git GIT_WORK_TREE=$scratch/stranger GIT_COMMON_DIR=$scratch/stranger/.git" \
	"GIT_CEILING_DIRECTORIES=$scratch" "GIT_ALTERNATE_OBJECT_DIRECTORIES=$scratch/stranger/.git/objects"; do
	clone "variables ${variables%%=*}"
	before=$(state "$scratch/stranger")
	for command in "check 1" "generate 0" "check 0"; do
		# shellcheck disable=SC2086
		exits "$variables: $command" "${command#* }" env $variables "$program" "${command% *}" --repo "$repo"
	done
	same "$variables: the same commit" "$want" "$(git -C "$repo" rev-parse HEAD)"
	sound "$variables" "$repo"
	same "$variables: the other repository is untouched" "$before" "$(state "$scratch/stranger")"
	rm -rf "$repo"
done
# ---- hooks: none is run, wherever the setting for them stands -------------------------------------
mkdir "$scratch/failing"
for hook in pre-commit prepare-commit-msg commit-msg post-commit reference-transaction post-checkout post-index-change \
	pre-auto-gc post-rewrite; do
	printf '#!/bin/sh\ntouch "%s"\nexit 1\n' "$scratch/hook-ran" >"$scratch/failing/$hook"
	chmod +x "$scratch/failing/$hook"
done
clone hooks
cp "$scratch/failing"/* "$repo/.git/hooks/"
exits "hooks" 0 "$program" --repo "$repo"
clone hooks-path
git -C "$repo" config core.hooksPath "$scratch/failing"
exits "core.hooksPath" 0 "$program" --repo "$repo"
ok "hooks: none was run" test ! -e "$scratch/hook-ran"
ok "hooks: git itself runs them" bash -c "! git -C '$repo' commit -q --allow-empty -m x && test -e '$scratch/hook-ran'"
for repo in "$scratch/hooks-path" "$scratch/hooks"; do
	git -C "$repo" config core.hooksPath /dev/null
	same "${repo##*/}: the same commit" "$want" "$(git -C "$repo" rev-parse HEAD)"
	sound "${repo##*/}" "$repo"
done
# A hook of git's own, which sets them.
clone hook
printf '#!/bin/sh\nexec "%s" --repo . -q\n' "$program" >"$repo/.git/hooks/post-checkout"
chmod +x "$repo/.git/hooks/post-checkout"
ok "a hook" git -C "$repo" checkout -q main
same "a hook: the same commit" "$want" "$(git -C "$repo" rev-parse HEAD)"
sound "a hook" "$repo"

# ---- no commit yet -------------------------------------------------------------------------------
clone unborn
git -C "$repo" checkout -q --orphan fresh
refused "unborn" 3 OSG6003 "$repo" "${every[@]}"
says "unborn" "commit the inputs"
git -C "$repo" commit -q -m "all of it"
exits "unborn, committed" 0 "$program" --repo "$repo"
same "unborn, committed, the same output" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
sound "unborn, committed" "$repo"
clone unborn-rev
git -C "$repo" checkout -q --orphan fresh
exits "unborn, another branch's commit" 0 "$program" --repo "$repo" --rev main
same "unborn: the branch begins there" "$want" "$(git -C "$repo" rev-parse fresh)"
sound "unborn, another branch's commit" "$repo"

# ---- objects of others, packs, refs --------------------------------------------------------------
git clone -q --mirror "$url" "$scratch/cache.git"
clone reference --reference "$scratch/cache.git"
ok "alternates: nearly nothing of its own" test "$(git -C "$repo" count-objects -v | sed -n 's/^in-pack: //p')" -lt 20
works "--reference" "$repo"
git clone -q --shared "$scratch/cache.git" "$scratch/shared"
works "--shared" "$scratch/shared"
git clone -q --bare --shared "$scratch/shared" "$scratch/shared-twice.git"
git -C "$scratch/shared-twice.git" update-ref refs/heads/main "$head"
works "--shared of --shared, bare" "$scratch/shared-twice.git"
clone relative --reference "$scratch/cache.git"
echo ../../../cache.git/objects >"$repo/.git/objects/info/alternates"
works "alternates, relative" "$repo"
clone dissociated --reference "$scratch/cache.git"
mv "$scratch/cache.git" "$scratch/moved.git"
refused "alternates that are gone" 3 OSG6050 "$repo" "${every[@]}"
says "alternates that are gone" "$scratch/cache.git/objects"
says "alternates that are gone" "git clone --dissociate"
mv "$scratch/moved.git" "$scratch/cache.git"
clone dissociated-clone --reference "$scratch/cache.git" --dissociate
mv "$scratch/cache.git" "$scratch/moved.git"
works "--dissociate, the reference gone" "$repo"
clone packed
git -C "$repo" pack-refs --all --prune
ok "packed refs: no file of the branch" test ! -e "$repo/.git/refs/heads/main"
works "packed refs" "$repo"
clone graph
git -C "$repo" -c commitGraph.changedPaths=true commit-graph write --reachable --split --changed-paths
git -C "$repo" repack -q -a -d -b --write-midx --cruft
git -C "$repo" multi-pack-index write --bitmap
works "commit-graph, bitmaps, multi-pack-index" "$repo"
exits "commit-graph: another run" 0 "$program" --repo "$repo"
ok "commit-graph: verified" git -C "$repo" commit-graph verify
ok "multi-pack-index: verified" git -C "$repo" multi-pack-index verify
clone loose
mkdir "$scratch/packs"
mv "$repo"/.git/objects/pack/* "$scratch/packs/"
for pack in "$scratch"/packs/*.pack; do git -C "$repo" unpack-objects -q <"$pack"; done
works "loose objects" "$repo"

# ---- the index -----------------------------------------------------------------------------------
clone fsmonitor
# shellcheck disable=SC2016
printf '#!/bin/sh\nprintf "token\\0"\n' >"$repo/.git/monitor"
chmod +x "$repo/.git/monitor"
git -C "$repo" config core.fsmonitor "$repo/.git/monitor"
git -C "$repo" update-index --fsmonitor
git -C "$repo" status >/dev/null
ok "fsmonitor: in the index" grep -q FSMN "$repo/.git/index"
works "core.fsmonitor, a monitor that sees nothing" "$repo"
clone untracked-cache
git -C "$repo" update-index --untracked-cache
git -C "$repo" status >/dev/null
ok "untracked cache: in the index" grep -q UNTR "$repo/.git/index"
works "untracked cache" "$repo"
clone split
git -C "$repo" update-index --split-index
refused "split index" 3 OSG6005 "$repo" "${every[@]}"
says "split index" "git update-index --no-split-index"
exits "split index: validate --worktree" 3 "$program" validate --worktree --repo "$repo"
says "split index: validate --worktree" "git update-index --no-split-index"
git -C "$repo" config core.splitIndex false
git -C "$repo" update-index --no-split-index
works "split index, made an ordinary one" "$repo"
for version in 2 4; do
	clone "index-$version"
	git -C "$repo" update-index --index-version "$version"
	works "index version $version" "$repo"
done
# NAME REPO: an index without checksum, which git leaves zero with index.skipHash: refused by an older libgit2.
without_checksum() {
	if ! "$program" validate -q --repo "$2" 2>/dev/null; then
		refused "$1" 3 OSG6005 "$2" "${every[@]}"
		says "$1" "git update-index --force-write-index"
		git -C "$2" config index.skipHash false
		git -C "$2" update-index --force-write-index
	fi
	works "$1" "$2"
}
# From git 2.40 on that is one of the things that feature.manyFiles sets.
clone many --config feature.manyFiles=true --config index.threads=true
git -C "$repo" update-index --force-write-index
without_checksum "feature.manyFiles" "$repo"
clone skip-hash
truncate -s -20 "$repo/.git/index"
head -c 20 /dev/zero >>"$repo/.git/index"
without_checksum "index.skipHash" "$repo"
# Flags that make it version 3.
clone flags
git -C "$repo" update-index --assume-unchanged out/prod-us-1/index.json
git -C "$repo" update-index --skip-worktree osm-gen.yaml
works "assume-unchanged, skip-worktree" "$repo"
finish
