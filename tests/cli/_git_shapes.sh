# Sourced by git_shapes.sh and git_settings.sh: repositories in every shape that CI gives them, each made by the real git. A
# run works there, with the commit that a plain clone gets, or it is an error that names a remedy, which the script follows
# and which then works; in no case is anything left behind.
# shellcheck shell=bash disable=SC2034 # some names are for the scripts alone
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/_lib.sh"

# ---- what each shape is made from, and what it is compared with ----------------------------------
# Inputs, an output, and inputs that changed: a run reads history, reads the old output, and commits.
kubelet() { # REPO VERSION
	sed -i "s/kubelet: 1\.3[0-9.]*/kubelet: $2/" "$1/tests/fleet/prod-us-1/machinedeployments.yaml"
	commit_all "$1" "kubelet $2"
}
# Submodules from a folder.
git config --file "$GIT_CONFIG_GLOBAL" protocol.file.allow always
origin=$(fleet origin)
git -C "$origin" config uploadpack.allowFilter true
git -C "$origin" config uploadpack.allowAnySHA1InWant true
"$program" --repo "$origin" -q || exit 1
kubelet "$origin" 1.34.2
head=$(git -C "$origin" rev-parse HEAD)
git -C "$origin" repack -a -d -q
url=file://$origin

git clone -q "$url" "$scratch/plain"
exits "plain: plan" 0 "$program" plan --repo "$scratch/plain" -o json
plan=$(cat "$scratch/out")
exits "plain" 0 "$program" --repo "$scratch/plain"
want=$(git -C "$scratch/plain" rev-parse HEAD)
ok "plain: a commit" test "$want" != "$head"
tree=$(git -C "$scratch/plain" rev-parse HEAD:out)

# What a failed run may not change: refs, what the index holds, work tree; and that no lock or half file is left.
state() { # REPO
	local git_dir
	git_dir=$(git -C "$1" rev-parse --absolute-git-dir 2>/dev/null || echo "$1/.git")
	cat "$git_dir/HEAD"
	git -C "$1" ls-files -s -v
	find "$git_dir" -type f \( -path '*/refs/*' -o -name packed-refs -o -name '*.lock' -o -name 'tmp_*' -o -name '*osm-gen*' \) \
		-exec sha256sum {} + | sort -k 2
	find "$1" -name .git -prune -o -type f -exec sha256sum {} + | sort -k 2
} 2>/dev/null

# Clean for git itself, in the tree and index of the last commit, and sound.
sound() { # NAME REPO
	[ "$(git -C "$2" rev-parse --is-bare-repository)" = true ] ||
		same "$1: in step" "" "$(git -C "$2" status --porcelain --ignore-submodules=none 2>&1)"
	ok "$1: sound" git -C "$2" fsck --strict
	same "$1: nothing left behind" "" "$(find "$(git -C "$2" rev-parse --path-format=absolute --git-common-dir)" \
		-name '*osm-gen*' -o -name '*.lock' -o -name 'tmp_*')"
}

# NAME REPO [OPTION...]: all four commands work as in the plain clone, and the commit is the same.
works() {
	local name=$1 repo=$2 before
	shift 2
	before=$(state "$repo")
	exits "$name: validate" 0 "$program" validate --repo "$repo"
	exits "$name: plan" 0 "$program" plan --repo "$repo" -o json "$@"
	same "$name: plan says the same" "$plan" "$(cat "$scratch/out")"
	exits "$name: check" 1 "$program" check --repo "$repo" "$@"
	same "$name: nothing is written until then" "$before" "$(state "$repo")"
	exits "$name: generate" 0 "$program" --repo "$repo" "$@"
	same "$name: the same commit" "$want" "$(git -C "$repo" rev-parse HEAD)"
	exits "$name: check again" 0 "$program" check --repo "$repo" "$@"
	sound "$name" "$repo"
}

# NAME STATUS CODE REPO COMMAND...: each command fails with that code, and changes nothing.
refused() {
	local name=$1 status=$2 code=$3 repo=$4 command before
	shift 4
	before=$(state "$repo")
	for command in "$@"; do
		exits "$name: $command" "$status" "$program" "$command" --repo "$repo"
		says "$name: $command" "error[$code]"
		same "$name: $command: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
		ok "$name: $command names a remedy" grep -q '^  help: ' "$scratch/err"
		same "$name: $command changes nothing" "$before" "$(state "$repo")"
	done
}
every=(validate plan check generate)

clone() { # NAME [OPTION...]: a clone of main
	repo=$scratch/$1
	shift
	git clone -q "$@" "$url" "$repo"
}
