#!/bin/sh
# instructions.sh [--accept]: instructions that osm-gen takes for a full run of 100 MachineDeployments in 10 clusters, for one of
# them changed, and for nothing changed with 0, 21 and 100 warnings, counted by callgrind on one thread. Fails if one is more than 3 %
# away from tests/bench/instructions.txt; --accept writes that file. Counts depend on the libraries, so the file names the system,
# and on another one figures are printed and not compared. Without valgrind it is skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
osm_gen=${OSM_GEN:-$root/build/osm-gen}
expected=$here/instructions.txt

command -v valgrind >/dev/null || {
	echo "instructions: skipped: valgrind is not installed"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Nobody's own git settings, and a test seed that seals nothing real. The same commits each time.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost GIT_AUTHOR_DATE=2024-01-01T00:00:00Z
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost GIT_COMMITTER_DATE=2024-01-01T00:00:00Z
# verify would try somebody's own identities on each file.
unset SOPS_AGE_KEY SOPS_AGE_KEY_FILE SOPS_AGE_SSH_PRIVATE_KEY_FILE
OSM_GEN_SEAL_SEED=OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE
export OSM_GEN_SEAL_SEED

# count NAME REPOSITORY: adds a row of $command
command=generate
count() {
	# git trusts the stat data of files that are older than its index.
	sleep 1.1
	git -C "$2" update-index -q --refresh
	one_thread="-j 1"
	[ "$command" != verify ] || one_thread= # it has no other
	# shellcheck disable=SC2086 # two words or none
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$osm_gen" "$command" -q $one_thread --repo "$2" --out out >"$work/log" 2>&1 || {
		tail -5 "$work/log" >&2
		exit 3
	}
	printf '%s\t%s\n' "$1" "$(sed -n 's/.*Collected : //p' "$work/log")" >>"$work/counts"
}

# warned NUMBER: the fleet with that many fields that no cloud has
warned() {
	cp -R "$work/inputs" "$work/warned-$1"
	left=$1
	for file in "$work/warned-$1"/clusters/*/machinedeployments.yaml; do
		[ "$left" -gt 0 ] || break
		awk -v left="$left" '/cloudProviderSpec: \{/ && left > 0 { sub(/cloudProviderSpec: \{/, "&colour: red, "); left-- } { print }' \
			"$file" >"$work/file"
		left=$((left - $(grep -c 'colour: red' "$work/file")))
		cat "$work/file" >"$file"
	done
	git -C "$work/warned-$1" commit -q -a -m warned
	"$osm_gen" -q --repo "$work/warned-$1" --out out 2>"$work/log"
	count "nothing changed, $1 warnings" "$work/warned-$1"
}

"$here/fleet.sh" "$work/fleet" 100 10
git -C "$work/fleet" init -q -b main
git -C "$work/fleet" add -A
git -C "$work/fleet" commit -q -m fleet
cp -R "$work/fleet" "$work/inputs"
count "full run" "$work/fleet"
count "nothing changed" "$work/fleet"
warned 21
warned 100
sed -i '0,/MaxPods: "100"/s//MaxPods: "101"/' "$work/fleet/clusters/c000/machinedeployments.yaml"
git -C "$work/fleet" commit -q -a -m one
count "one MachineDeployment changed" "$work/fleet"

sed -i 's/^  version: v[0-9.]*/  version: v99.9.9/; s/go on with: journalctl -u setup/& (changed)/' "$work/fleet/profiles/ubuntu.yaml"
git -C "$work/fleet" commit -q -a -m profile
command=plan
count "the profile of all changed: plan" "$work/fleet"
command=generate
count "the profile of all changed" "$work/fleet"
command=verify
count "verify" "$work/fleet"

# shellcheck source=/dev/null
system=$(. /etc/os-release && echo "$ID $VERSION_ID $(uname -m)")
if [ "${1-}" = --accept ]; then
	{
		echo "# $system: instructions by callgrind, see instructions.sh"
		cat "$work/counts"
	} >"$expected"
fi
compared=1
grep -q "^# $system:" "$expected" || compared=0
awk -F '\t' -v compared="$compared" '
	FNR == NR { if ($0 !~ /^#/) before[$1] = $2; next }
	{
		if ($1 == "full run") full = $2
		change = before[$1] ? 100 * ($2 / before[$1] - 1) : 100
		printf "  %-33s %14.0f   1/%-6.1f %+.1f %%\n", $1, $2, full / $2, change
		if (change > 3 || change < -3) wrong = 1
	}
	END {
		if (!compared) print "instructions: another system than that of instructions.txt: not compared"
		else if (wrong) { print "instructions: more than 3 % away: look why; instructions.sh --accept writes the new figures"; exit 1 }
	}' "$expected" "$work/counts"
