#!/bin/sh
# What ten changes of a whole fleet leave in a repository, with and without --history: the size of a bare clone of the
# branch that has the output. BENCH_HISTORY_SIZE MachineDeployments (default 1000), BENCH_HISTORY_KEPT commits (2).
# Figures only; nothing here passes or fails.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/bench-history
osm_gen=${OSM_GEN:-$root/build/osm-gen}
size=${BENCH_HISTORY_SIZE:-1000}
kept=${BENCH_HISTORY_KEPT:-2}

[ -x "$osm_gen" ] || {
	echo "bench: no program at $osm_gen: run make first" >&2
	exit 3
}
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost
OSM_GEN_SEAL_SEED=OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE
export OSM_GEN_SEAL_SEED

"$here/fleet.sh" "$work/fleet" "$size" 10
git -C "$work/fleet" init -q -b main
git -C "$work/fleet" add -A
git -C "$work/fleet" commit -q -m fleet
git clone -q "$work/fleet" "$work/short"

# KiB of a bare clone of the branch, as a server or a new clone has it
clone() {
	rm -rf "$work/bare"
	git clone -q --bare --single-branch --branch rendered "file://$work/$1" "$work/bare"
	du -sk "$work/bare" | cut -f1
}
row() {
	all=$(clone fleet)
	few=$(clone short)
	echo "$1 changes of $size MachineDeployments: $all KiB with all commits, $few KiB with --history $kept"
}

# A template that all MachineDeployments share changes: every sealed Secret does.
for change in 0 1 2 3 4 5 6 7 8 9 10; do
	for one in fleet short; do
		repo=$work/$one
		sed -i "s/^  defaults: .*/  defaults: {externalCloudProvider: true, clusterDNS: [10.10.10.$((10 + change))]}/" \
			"$repo/osm-gen.yaml"
		git -C "$repo" commit -qam "change $change"
		if [ $one = short ]; then
			"$osm_gen" -q --repo "$repo" --branch rendered --history "$kept"
		else
			"$osm_gen" -q --repo "$repo" --branch rendered
		fi
	done
	case $change in
	0 | 1 | 10) row "$change" ;;
	esac
done
