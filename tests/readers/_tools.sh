# Sourced behind _lib.sh by the scripts of this folder: sops, Flux's decryptor and Argo CD's generator, in build/readers/bin.
# shellcheck shell=bash disable=SC2154 # root is _lib.sh's
readers=$root/tests/readers
work=$root/build/readers
mkdir -p "$work/bin"

give_up() {
	echo "readers: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}

command -v go >/dev/null || give_up "go is not installed"
# The first version whose files look as osm-gen's, and the newest.
for version in v3.9.0 v3.13.3; do
	[ -x "$work/bin/sops-$version" ] && continue
	GOBIN=$work/bin go install "github.com/getsops/sops/v3/cmd/sops@$version" >"$work/log" 2>&1 ||
		give_up "sops $version cannot be installed: $(tail -n 3 "$work/log")"
	mv "$work/bin/sops" "$work/bin/sops-$version"
done
(cd "$readers/flux" && go build -mod=readonly -o "$work/bin/reader" .) >"$work/log" 2>&1 ||
	give_up "Flux's decryptor cannot be built: $(tail -n 3 "$work/log")"
# As large as Argo CD: ten minutes of a core the first time.
(cd "$readers/argocd" && go build -mod=readonly -o "$work/bin/argocd" .) >"$work/log" 2>&1 ||
	give_up "Argo CD's generator cannot be built: $(tail -n 3 "$work/log")"
