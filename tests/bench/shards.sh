#!/bin/sh
# A part of make bench: one run beside the seven shards of it, one after the other, and merge, and a smaller one beside four. Each commits in a bare clone, as
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

# fleet NAME UNITS CLUSTERS: two bare clones, NAME-one and NAME-merged
fleet() {
	"$here/fleet.sh" "$work/$1" "$2" "$3"
	git -C "$work/$1" init -q -b main
	git -C "$work/$1" add -A
	git -C "$work/$1" commit -q -m fleet
	for clone in one merged; do git clone -q --bare "$work/$1" "$work/$1-$clone.git"; done
	rm -rf "${work:?}/$1"
}
same_commit() {
	[ "$(git -C "$work/$1-one.git" rev-parse HEAD)" = "$(git -C "$work/$1-merged.git" rev-parse HEAD)" ] || {
		echo "bench: merge made another commit" >&2
		exit 3
	}
}

# A smaller fleet in four shards: the slowest one and merge are what people wait for.
fleet few 1000 10
timed --repo "$work/few-one.git"
few_one=$seconds
slowest=0
for index in 1 2 3 4; do
	timed --repo "$work/few-merged.git" --shard "$index/4" --out "$work/few-parts"
	slowest=$(awk -v a="$slowest" -v b="$seconds" 'BEGIN { print (a > b ? a : b) }')
done
timed merge "$work/few-parts" --repo "$work/few-merged.git"
few_merged=$(add "$slowest" "$seconds")
same_commit few

fleet all "$count" "$clusters"

timed --repo "$work/all-one.git"
one=$seconds one_kib=$kib
timed --repo "$work/all-merged.git" --shard 1/1000 --out "$work/empty"
reading=$seconds
all=0
for index in 1 2 3 4 5 6 7; do
	timed --repo "$work/all-merged.git" --shard "$index/7" --out "$work/parts"
	all=$(add "$all" "$seconds")
done
shard_kib=$kib
timed merge "$work/parts" --repo "$work/all-merged.git"
merge=$seconds merge_kib=$kib
same_commit all

echo
echo "$count MachineDeployments in $clusters clusters, in seven shards"
line "" 0 "MiB" "/ one run" "wanted" | sed 's/    0.00/ seconds/'
line "one run" "$one" "$((one_kib / 1024))" "" ""
line "a reading" "$reading" "" "$(ratio "$reading" "$one")" ""
line "seven shards, one after the other" "$all" "$((shard_kib / 1024))" "$(ratio "$all" "$one")" ""
line "merge" "$merge" "$((merge_kib / 1024))" "$(ratio "$merge" "$one")" "< 0.15"
line "both, without six readings" "$(awk -v a="$all" -v m="$merge" -v r="$reading" 'BEGIN { print a + m - 6 * r }')" "" \
	"$(awk -v a="$all" -v m="$merge" -v r="$reading" -v o="$one" 'BEGIN { printf "%.2f", (a + m - 6 * r) / o }')" "< 1.15"
echo
echo "1000 MachineDeployments in 10 clusters, in four shards"
line "one run" "$few_one" "" "" ""
line "the slowest shard, and merge" "$few_merged" "" "$(ratio "$few_merged" "$few_one")" "0.42"
