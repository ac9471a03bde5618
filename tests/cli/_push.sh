# Sourced by the scripts that test --push: a bare repository reached by file://, clones of it, and its branch that moves.
# shellcheck shell=bash
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/_lib.sh"
unset SSH_AUTH_SOCK SSH_ASKPASS GIT_ASKPASS
hosted=$scratch/hosted.git url=file://$scratch/hosted.git

inputs=$(fleet inputs)
git init -q --bare -b main "$hosted"
git -C "$inputs" remote add origin "$url"
git -C "$inputs" push -q origin main
git -C "$hosted" repack -a -d -q

clone() { # NAME [OPTION...]: a new clone; prints its path
	local name=$1
	shift
	git clone -q "$@" "$url" "$scratch/$name" 2>"$scratch/clone.log" || cat "$scratch/clone.log" >&2
	echo "$scratch/$name"
}
tip_of() { git -C "$hosted" rev-parse "$1"; }
tip() { tip_of main; }
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
# A program git of the test's own, for a PATH that begins with $scratch/wrapper, calls the real one.
# shellcheck disable=SC2034 # read by the scripts that source this file
real=$(command -v git)
mkdir "$scratch/wrapper"
