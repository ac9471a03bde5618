#!/bin/sh
# A part of make bench: one run beside the seven shards of it, one after the other, and merge. Each commits in a bare clone, as
# checking files out takes the same time in both. A reading is one shard of a thousand. Seconds of the
# processor; figures only, apart from the commit's id.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
osm_gen=${OSM_GEN:-$root/build/osm-gen}
count=${BENCH_UNITS:-10000}
clusters=${BENCH_CLUSTERS:-100}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost
OSM_GEN_SEAL_SEED=OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE
export OSM_GEN_SEAL_SEED
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$work/measure" "$here/measure.c"

timed() { # ARGUMENTS...: leaves $kib and $seconds of the processor
	sync
	"$work/measure" "$work/figures" "$osm_gen" -q "$@" >"$work/log" 2>&1 || {
		tail -5 "$work/log" >&2
		echo "bench: osm-gen $* failed" >&2
		exit 3
	}
	read -r _ kib seconds <"$work/figures"
}
add() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }
line() { # NAME SECONDS MIB RATIO WANTED
	printf '  %-32s %8.2f %8s   %-8s %s\n' "$1" "$2" "$3" "$4" "$5"
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }

"$here/fleet.sh" "$work/fleet" "$count" "$clusters"
git -C "$work/fleet" init -q -b main
git -C "$work/fleet" add -A
git -C "$work/fleet" commit -q -m fleet
for clone in one merged; do git clone -q --bare "$work/fleet" "$work/$clone.git"; done

timed --repo "$work/one.git"
one=$seconds one_kib=$kib
timed --repo "$work/merged.git" --shard 1/1000 --out "$work/empty"
reading=$seconds
all=0
for index in 1 2 3 4 5 6 7; do
	timed --repo "$work/merged.git" --shard "$index/7" --out "$work/parts"
	all=$(add "$all" "$seconds")
done
shard_kib=$kib
timed merge "$work/parts" --repo "$work/merged.git"
merge=$seconds merge_kib=$kib
[ "$(git -C "$work/one.git" rev-parse HEAD)" = "$(git -C "$work/merged.git" rev-parse HEAD)" ] || {
	echo "bench: merge made another commit" >&2
	exit 3
}

echo
echo "$count MachineDeployments in $clusters clusters, in seven shards"
line "" 0 "MiB" "/ one run" "wanted" | sed 's/    0.00/ seconds/'
line "one run" "$one" "$((one_kib / 1024))" "" ""
line "a reading" "$reading" "" "$(ratio "$reading" "$one")" ""
line "seven shards, one after the other" "$all" "$((shard_kib / 1024))" "$(ratio "$all" "$one")" ""
line "merge" "$merge" "$((merge_kib / 1024))" "$(ratio "$merge" "$one")" "< 0.15"
line "both, without six readings" "$(awk -v a="$all" -v m="$merge" -v r="$reading" 'BEGIN { print a + m - 6 * r }')" "" \
	"$(awk -v a="$all" -v m="$merge" -v r="$reading" -v o="$one" 'BEGIN { printf "%.2f", (a + m - 6 * r) / o }')" "< 1.15"
