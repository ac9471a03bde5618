#!/usr/bin/env bash
# Repositories of the shapes that people have: each with what validate, plan, generate, doctor and a second run report.
# README.md describes the folders. Arguments: --accept, and names of shapes, or kustomize for all that need it.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"
cd "$root/tests/shapes" || exit 1
accept=
[ "${1:-}" = --accept ] && { accept=1; shift; }

# Puts the shape into a new repository: its files, the shared cluster-info, links and submodules.
make_repo() { # SHAPE REPO
	local path target
	cp -r "$1/repo" "$2"
	while read -r path; do
		cp "$root/tests/golden/base/clusters/prod/cluster-info.yaml" "$2/$path"
	done <"$1/cluster-info"
	git -C "$2" -c init.defaultBranch=main init -q
	git -C "$2" add -A
	[ ! -f "$1/links" ] || while read -r path target; do ln -s "$target" "$2/$path" && git -C "$2" add "$path"; done <"$1/links"
	[ ! -f "$1/submodules" ] || while read -r path; do
		mkdir -p "$2/$path"
		git -C "$2" update-index --add --cacheinfo "160000,$(git -C "$root" hash-object -t commit --stdin --literally <<<"$path"),$path"
	done <"$1/submodules"
	git -C "$2" commit -qm inputs
}

# Appends a command's status and output to the file of the shape.
tell() { # REPO TITLE COMMAND [ARGUMENT...]
	local repo=$1 title=$2 status
	shift 2
	(cd "$repo" && "$program" "$@" --color never) >"$scratch/text" 2>&1
	status=$?
	{
		echo "\$ osm-gen $title"
		sed -E "s|$repo|REPOSITORY|g; s|$scratch|SCRATCH|g; s/\b[0-9a-f]{40}\b/COMMIT/g" "$scratch/text"
		echo "exit status $status"
		echo
	} >>"$scratch/told"
}

tell_all() { # SHAPE
	local shape=$1 repo=$scratch/$1 more=() commits
	[ ! -f "$shape/args" ] || read -r -a more <"$shape/args"
	make_repo "$shape" "$repo" || return 1
	: >"$scratch/told"
	for command in validate plan generate doctor; do
		tell "$repo" "$command ${more[*]}" "$command" "${more[@]}"
	done
	commits=$(git -C "$repo" rev-list --count HEAD)
	tell "$repo" "generate ${more[*]}" generate "${more[@]}"
	same "$shape: a second run makes no commit" "$commits" "$(git -C "$repo" rev-list --count HEAD)"
	same "$shape: leaves no change" "" "$(git -C "$repo" status --porcelain --ignore-submodules)"
}

run_shape() { # SHAPE
	tell_all "$1"
	[ -z "$accept" ] || cp "$scratch/told" "$1/expected"
	ok "$1" diff -u "$1/expected" "$scratch/told"
}

# Those that need kustomize are the suite shapes/kustomize.
with_kustomize() { [ -f "$1/args" ] && grep -q kustomize "$1/args"; }

shapes=("$@")
if [ ${#shapes[@]} -eq 0 ]; then
	mapfile -t every < <(find . -mindepth 2 -maxdepth 2 -name repo -printf '%h\n' | sed 's|^\./||' | sort)
	ok "there are twelve shapes or more" test ${#every[@]} -ge 12
	for shape in "${every[@]}"; do with_kustomize "$shape" || shapes+=("$shape"); done
elif [ "${shapes[*]}" = kustomize ]; then
	shapes=()
	for args in */args; do with_kustomize "${args%/args}" && shapes+=("${args%/args}"); done
fi
for shape in "${shapes[@]}"; do
	if with_kustomize "$shape"; then
		# shellcheck source=tests/cli/_kustomize.sh
		[ -n "${kustomize:-}" ] || . "$root/tests/cli/_kustomize.sh"
	fi
	run_shape "$shape"
done
finish
