#!/bin/sh
# The third part of make bench: Secrets of 32 KiB sealed by osm-gen and by sops' own library, one core
# each. Figures only. The peer needs Go.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
ours=${BENCH_SEAL:-$root/build/bench-seal}
count=${BENCH_SECRETS:-30000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2046 # words on purpose
set -- $("$ours" "$count")
seconds=$1
echo "sealing $count Secrets of 32 KiB, $2 bytes of files"
echo "  osm-gen                     ${seconds} s"
command -v go >/dev/null || {
	echo "  sops' library               not measured: Go is not installed"
	exit 0
}
if ! (cd "$root/tests/bench/sops" && go build -o "$work/peer" .) >"$work/log" 2>&1; then
	tail -3 "$work/log" >&2
	echo "  sops' library               not measured: its module cannot be built"
	exit 0
fi
# shellcheck disable=SC2046 # words on purpose
set -- $(GOMAXPROCS=1 "$work/peer" -n "$count")
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.1f", a / b; else printf "-" }'
}
echo "  sops' library, in Go, in all $1 s    $(ratio "$1" "$seconds") times ours   wanted >= 3"
