# Sourced behind _lib.sh: real sops, two versions, in build/readers/bin. Needs `give_up`.
# shellcheck shell=bash disable=SC2154 # root is _lib.sh's
work=$root/build/readers
mkdir -p "$work/bin"

command -v go >/dev/null || give_up "go is not installed"
# The first version whose files look as osm-gen's, and the newest.
for version in v3.9.0 v3.13.3; do
	[ -x "$work/bin/sops-$version" ] && continue
	GOBIN=$work/bin go install "github.com/getsops/sops/v3/cmd/sops@$version" >"$work/log" 2>&1 ||
		give_up "sops $version cannot be installed: $(tail -n 3 "$work/log")"
	mv "$work/bin/sops" "$work/bin/sops-$version"
done
