#!/bin/sh
# make bench: osm-gen beside its peers, on one machine, in one run. Figures
# only; nothing here passes or fails. BENCH_SIZES="1000 10000" are the fleets,
# BENCH_CLUSTERS=100 the clusters in each. Peer (a) needs Go. What twice the
# fleet takes is measured against half of each. Everything is removed at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/bench
osm_gen=${OSM_GEN:-$root/build/osm-gen}
sizes=${BENCH_SIZES:-1000 10000}
clusters=${BENCH_CLUSTERS:-100}

[ -x "$osm_gen" ] || {
	echo "bench: no program at $osm_gen: run make first" >&2
	exit 3
}
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# An MachineDeployment's output is 120 KB: in the work tree, in the pack, and
# both once more for peer (b).
most=0
for n in $sizes; do
	[ "$n" -le "$most" ] || most=$n
done
free_kib=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
if [ "$free_kib" -lt $((most * 600)) ]; then
	echo "bench: $((most * 600 / 1024)) MiB of disk are wanted, $((free_kib / 1024)) are free in $work" >&2
	exit 3
fi
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$work/measure" "$here/measure.c"

# Nobody's own git settings, and a test seed that seals nothing real.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost
OSM_GEN_SEAL_SEED=OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE
export OSM_GEN_SEAL_SEED

# timed LABEL COMMAND...: leaves $seconds and $kib
timed() {
	label=$1
	shift
	sync # what was written before shall not be paid for now
	if ! "$work/measure" "$work/figures" "$@" >"$work/$label.log" 2>&1; then
		tail -5 "$work/$label.log" >&2
		echo "bench: $label failed" >&2
		exit 3
	fi
	read -r seconds kib <"$work/figures"
}

# fleet N: a committed repository of N in $work/N
fleet() {
	"$here/fleet.sh" "$work/$1" "$1" "$clusters"
	git -C "$work/$1" init -q -b main
	git -C "$work/$1" add -A
	git -C "$work/$1" commit -q -m fleet
}

# a / b with two decimals
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'
}

# The renderer of the controller, when its module can be had.
upstream=
if command -v go >/dev/null; then
	case ${GOFLAGS-} in
	*-modfile=*) ;;
	*)
		cp "$root/tests/oracle/go.mod" "$root/tests/oracle/go.sum" "$work/"
		GOFLAGS="${GOFLAGS-} -modfile=$work/go.mod"
		export GOFLAGS
		;;
	esac
	if (cd "$root/tests/oracle" &&
		go mod download k8c.io/operating-system-manager &&
		go build -o "$work/bench-upstream" ./cmd/bench-upstream) >"$work/go.log" 2>&1; then
		upstream=$work/bench-upstream
	else
		tail -3 "$work/go.log" >&2
		echo "bench: without (a): the controller's module cannot be built" >&2
	fi
else
	echo "bench: without (a): Go is not installed" >&2
fi

line() { # NAME SECONDS MIB RATIO WANTED
	printf '  %-32s %8s %8s   %-8s %s\n' "$1" "$2" "$3" "$4" "$5"
}

echo "$(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)"
for n in $sizes; do
	half=$((n / 2))
	fleet "$half"
	timed "osm-gen-$half" "$osm_gen" --repo "$work/$half" --out out
	half_seconds=$seconds

	fleet "$n"
	repo=$work/$n
	timed "osm-gen-$n" "$osm_gen" --repo "$repo" --out out
	full=$seconds full_kib=$kib
	commit=$(git -C "$repo" rev-parse HEAD)
	files=$(git -C "$repo" ls-tree -r --name-only HEAD out | wc -l)

	timed "unchanged-$n" "$osm_gen" --repo "$repo" --out out
	unchanged=$seconds unchanged_kib=$kib
	[ "$commit" = "$(git -C "$repo" rev-parse HEAD)" ] || echo "bench: the second run made a commit" >&2

	# (b) the same output tree, committed by git itself
	mkdir -p "$work/git-$n"
	cp -R "$repo/out" "$work/git-$n/out"
	git -C "$work/git-$n" init -q -b main
	# shellcheck disable=SC2016 # the inner shell expands it
	timed "git-$n" sh -c 'cd "$1" && git add -A && git commit -q -m out' sh "$work/git-$n"
	git_seconds=$seconds

	upstream_seconds=
	if [ -n "$upstream" ]; then
		upstream_seconds=$("$upstream" -fleet "$repo" -n "$n" 2>"$work/upstream-$n.log") || upstream_seconds=
	fi

	echo
	echo "$n MachineDeployments in $clusters clusters, $files files"
	line "" "seconds" "MiB" "osm-gen /" "wanted"
	line "osm-gen, all of it" "$full" "$((full_kib / 1024))" "" "below 512 MiB at 10000"
	if [ -n "$upstream_seconds" ]; then
		line "(a) controller, rendering only" "$upstream_seconds" "" "$(ratio "$full" "$upstream_seconds")" "< 0.33"
	else
		line "(a) controller, rendering only" "-" "" "-" "< 0.33 (not measured)"
	fi
	line "(b) git add and git commit" "$git_seconds" "" "$(ratio "$full" "$git_seconds")" "< 1"
	line "half the fleet ($half)" "$half_seconds" "" "$(ratio "$full" "$half_seconds")" "<= 2.2"
	line "nothing changed" "$unchanged" "$((unchanged_kib / 1024))" "1/$(ratio "$full" "$unchanged")" "below a fifth"
done
# Removing waits for the end: a file system that has just deleted many files makes new ones slowly.
