# Sourced behind _lib.sh by the scripts of this folder: sops, Flux's decryptor and Argo CD's generator, in build/readers/bin.
# shellcheck shell=bash disable=SC2154 # root is _lib.sh's
readers=$root/tests/readers
give_up() {
	echo "readers: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}

# shellcheck source=tests/readers/_sops.sh
. "$readers/_sops.sh"
(cd "$readers/flux" && go build -mod=readonly -o "$work/bin/reader" .) >"$work/log" 2>&1 ||
	give_up "Flux's decryptor cannot be built: $(tail -n 3 "$work/log")"
# As large as Argo CD: ten minutes of a core the first time.
(cd "$readers/argocd" && go build -mod=readonly -o "$work/bin/argocd" .) >"$work/log" 2>&1 ||
	give_up "Argo CD's generator cannot be built: $(tail -n 3 "$work/log")"
