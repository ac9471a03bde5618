# Sourced behind _lib.sh: real sops, two versions, in build/sops. Needs `give_up`.
# shellcheck shell=bash disable=SC2154 # root is _lib.sh's
work=$root/build/readers
mkdir -p "$work/bin"

command -v go >/dev/null || give_up "go is not installed"
# shellcheck source=tests/oracle/_go.sh
. "$root/tests/oracle/_go.sh"
for version in $sops_versions; do
	build_sops "$version" >"$work/log" 2>&1 || give_up "sops $version cannot be built: $(tail -n 3 "$work/log")"
done
