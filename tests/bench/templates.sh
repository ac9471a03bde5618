#!/bin/sh
# The second part of make bench: a profile's templates, parsed once and rendered for 1,000 machines,
# beside Go's text/template, one core each, in processor time. Figures only. The profile is the
# controller's own osp-ubuntu, from its module, where Go is there; else profiles/ubuntu.yaml.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
ours=${BENCH_TEMPLATES:-$root/build/bench-templates}
profile=$root/profiles/ubuntu.yaml profile_name=profiles/ubuntu.yaml
count=${BENCH_RENDERINGS:-1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if command -v go >/dev/null; then
	cp "$root/tests/oracle/go.mod" "$root/tests/oracle/go.sum" "$work/"
	module=$(cd "$root/tests/oracle" &&
		go mod download -modfile="$work/go.mod" k8c.io/operating-system-manager >"$work/log" 2>&1 &&
		go list -modfile="$work/go.mod" -m -f '{{.Dir}}' k8c.io/operating-system-manager) || module=
	if [ -e "$module/deploy/osps/default/osp-ubuntu.yaml" ]; then
		profile=$module/deploy/osps/default/osp-ubuntu.yaml
		profile_name="the controller's osp-ubuntu"
	fi
fi

# OURS = the seconds and the bytes
# shellcheck disable=SC2046 # words on purpose
set -- $("$ours" "$profile" "$count")
seconds=$1 bytes=$2
echo "templates of $profile_name, $count renderings of $bytes bytes"
echo "  osm-gen                     ${seconds} s"

command -v go >/dev/null || {
	echo "  text/template               not measured: Go is not installed"
	exit 0
}
if ! (cd "$root/tests/oracle" &&
	go build -modfile="$work/go.mod" -o "$work/peer" ./cmd/bench-templates) >"$work/log" 2>&1; then
	tail -3 "$work/log" >&2
	echo "  text/template               not measured: its module cannot be built"
	exit 0
fi
# shellcheck disable=SC2046 # words on purpose
set -- $(GOMAXPROCS=1 "$work/peer" -profile "$profile" -n "$count")
[ "$3" = "$bytes" ] || echo "bench: text/template made $3 bytes" >&2
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.1f", a / b; else printf "-" }'
}
echo "  text/template, two passes   $1 s    $(ratio "$1" "$seconds") times ours"
echo "  text/template, running only $2 s    $(ratio "$2" "$seconds") times ours   wanted >= 5"
