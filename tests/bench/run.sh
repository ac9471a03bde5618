#!/bin/sh
# make bench: osm-gen beside its peers, on one machine, in one run. Figures
# only; nothing here passes or fails. Ratios are of processor time, the least of BENCH_TIMES=2 runs of each, which take turns.
# BENCH_SIZES="1000 10000" are the fleets, BENCH_CLUSTERS=100 the clusters in each. Peer (a) needs Go. What twice the fleet takes
# is measured against half of each. BENCH_FOLDER is where it works, on a disk or a tmpfs: build/ if it is not set. Everything is
# removed at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=${BENCH_FOLDER:-$root/build}
times=${BENCH_TIMES:-2}
osm_gen=${OSM_GEN:-$root/build/osm-gen}
floor=${BENCH_FLOOR:-$root/build/bench-floor}
static=${BENCH_STATIC:-$root/build/osm-gen-static}
sizes=${BENCH_SIZES:-1000 10000}
clusters=${BENCH_CLUSTERS:-100}

for program in "$osm_gen" "$floor"; do
	[ -x "$program" ] || {
		echo "bench: no program at $program: run make bench" >&2
		exit 3
	}
done
mkdir -p "$folder"
work=$(mktemp -d "$folder/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# For some minutes after files were deleted, ext4 examines each inode that was in use before it takes one, and a new file takes
# several times as long: on a disk, nothing is deleted before the end.
on_disk=1
[ "$(stat -f -c %T "$work")" != tmpfs ] || on_disk=0

# The output of a MachineDeployment is 120 KB: in the work tree, in the pack, and
# both once more for peer (b).
most=0
for n in $sizes; do
	[ "$n" -le "$most" ] || most=$n
done
free_kib=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
wanted_kib=$((most * (on_disk ? 600 + 500 * (times - 1) : 900)))
if [ "$free_kib" -lt "$wanted_kib" ]; then
	echo "bench: $((wanted_kib / 1024)) MiB are wanted, $((free_kib / 1024)) are free in $work" >&2
	exit 3
fi
${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$work/measure" "$here/measure.c"

# Nobody's own git settings, and a test seed that seals nothing real.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=bench GIT_AUTHOR_EMAIL=bench@localhost
export GIT_COMMITTER_NAME=bench GIT_COMMITTER_EMAIL=bench@localhost
# Nor does git's own gc run beside a command that is timed.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=gc.auto GIT_CONFIG_VALUE_0=0
# verify would try somebody's own identities on each file.
unset SOPS_AGE_KEY SOPS_AGE_KEY_FILE SOPS_AGE_SSH_PRIVATE_KEY_FILE
OSM_GEN_SEAL_SEED=OSMGEN-SEED-120JU043JAAT389X7M7W39XJ428G6XTN682GLQEKN6M6Z4ANUY4JSESTCZE
export OSM_GEN_SEAL_SEED

# timed LABEL COMMAND...: leaves $seconds, $kib and $cpu, seconds of processor time
timed() {
	label=$1
	shift
	sync # what was written before shall not be paid for now
	if ! "$work/measure" "$work/figures" "$@" >"$work/$label.log" 2>&1; then
		tail -5 "$work/$label.log" >&2
		echo "bench: $label failed" >&2
		exit 3
	fi
	read -r seconds kib cpu <"$work/figures"
}

# least NAME: keeps the least of $seconds and $cpu and the most of $kib that runs of this name have taken
least() {
	echo "$seconds $kib $cpu" >>"$work/runs-$1"
	awk 'NR == 1 { s = $1; k = $2; c = $3 } { if ($1 < s) s = $1; if ($2 > k) k = $2; if ($3 < c) c = $3 }
		END { print s, k, c }' "$work/runs-$1" >"$work/least-$1"
}

# out_of_the_way FOLDER...: deletes what is not needed any more where that takes no time from what comes next
out_of_the_way() {
	[ "$on_disk" = 1 ] || rm -rf "$@"
}

# fleet N CLUSTERS: a committed repository of N in $work/N
fleet() {
	"$here/fleet.sh" "$work/$1" "$1" "$2"
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

line() { # NAME SECONDS PROCESSOR-SECONDS MIB RATIO WANTED
	printf '  %-32s %8s %9s %6s   %-10s %s\n' "$1" "$2" "$3" "$4" "$5" "$6"
}

# Kilobytes that objects take in a repository.
stored() {
	git -C "$1" count-objects -v | awk '/^size(-pack)?:/ { sum += $2 } END { print sum }'
}

# one_change N: in a copy, changes one MachineDeployment, and gives it a field that its cloud does not have; leaves what the
# next two runs take, of which the second changes nothing and repeats the warning: $one_..., $warned_...
one_change() {
	cp -R "$work/$1" "$work/one-$1"
	sed -i '0,/instanceType: type-0/s//instanceType: type-0, colour: red/' "$work/one-$1/clusters/c000/machinedeployments.yaml"
	sed -i '0,/MaxPods: "100"/s//MaxPods: "101"/' "$work/one-$1/clusters/c000/machinedeployments.yaml"
	git -C "$work/one-$1" commit -q -a -m one
	timed "one-$1" "$osm_gen" --repo "$work/one-$1" --out out
	one_seconds=$seconds one_kib=$kib one_cpu=$cpu
	timed "warned-$1" "$osm_gen" --repo "$work/one-$1" --out out
	warned_seconds=$seconds warned_kib=$kib warned_cpu=$cpu
	grep -q 'OSG4052' "$work/warned-$1.log" || echo "bench: no warning stands" >&2
}

# profile_change N: changes a script of stage 1 in the profile of the whole fleet, by which each OperatingSystemConfig and each
# bootstrap Secret changes, and no provisioning Secret; leaves what plan and diff of it take, $added and $added_gc, the kilobytes that its commit adds to
# .git, before and after git gc, what generate, check and verify of it take, and $whole and $whole_gc, those that the same objects add if each is written whole.
profile_change() {
	cp -R "$work/$1" "$work/change-$1"
	(
		cd "$work/change-$1"
		git gc -q
		sed -i 's/^  version: v[0-9.]*/  version: v99.9.9/; s/go on with: journalctl -u setup/& (changed)/' profiles/ubuntu.yaml
		git commit -q -a -m change
		git gc -q
	)
	before=$(stored "$work/change-$1")
	timed "plan-$1" "$osm_gen" plan --repo "$work/change-$1" --out out
	plan_seconds=$seconds plan_cpu=$cpu plan_kib=$kib
	# It exits with 1, since the output differs.
	# shellcheck disable=SC2016 # the inner shell expands it
	timed "diff-$1" sh -c '"$@"; [ $? -eq 1 ]' sh "$osm_gen" diff --repo "$work/change-$1" --out out
	diff_seconds=$seconds diff_cpu=$cpu diff_kib=$kib
	# shellcheck disable=SC2016 # the same
	timed "check-$1" sh -c '"$@"; [ $? -eq 1 ]' sh "$osm_gen" check --repo "$work/change-$1" --out out
	check_seconds=$seconds check_cpu=$cpu check_kib=$kib
	timed "change-$1" "$osm_gen" -q --repo "$work/change-$1" --out out
	change_seconds=$seconds change_cpu=$cpu change_kib=$kib
	timed "verify-$1" "$osm_gen" verify --repo "$work/change-$1" --out out
	verify_seconds=$seconds verify_cpu=$cpu verify_kib=$kib
	added=$(($(stored "$work/change-$1") - before))
	whole=$(git -C "$work/change-$1" rev-list --objects HEAD^..HEAD | cut -d ' ' -f 1 |
		git -C "$work/change-$1" pack-objects -q --stdout --window=0 --no-reuse-delta --compression=1 | wc -c)
	whole=$((whole / 1024))
	git -C "$work/change-$1" gc -q
	added_gc=$(($(stored "$work/change-$1") - before))
}

# ms SECONDS: milliseconds of one of a hundred runs
ms() {
	awk -v s="$1" 'BEGIN { printf "%.1f ms", s * 10 }'
}

# smallest PROGRAM: what a run takes that finds one MachineDeployment as it was, the mean of a hundred.
smallest() {
	name=${1##*/}
	"$1" -q --repo "$work/1" --out out
	i=0
	while [ $i -lt "$times" ]; do
		i=$((i + 1))
		# shellcheck disable=SC2016 # the inner shell expands it
		timed smallest sh -c 'i=0; while [ $i -lt 100 ]; do "$@" || exit; i=$((i + 1)); done' \
			sh "$1" --repo "$work/1" --out out
		least "smallest-$name"
	done
	read -r seconds kib cpu <"$work/least-smallest-$name"
	line "$name" "$(ms "$seconds")" "$(ms "$cpu")" "$((kib / 1024))" "" "< 6 ms"
}

echo "$(nproc) cores, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)"
for n in $sizes; do
	half=$((n / 2))
	fleet "$half" "$clusters"
	timed "osm-gen-$half" "$osm_gen" --repo "$work/$half" --out out
	half_seconds=$seconds half_cpu=$cpu
	out_of_the_way "$work/$half"

	fleet "$n" "$clusters"
	repo=$work/$n
	i=0
	while [ $i -lt "$times" ]; do
		i=$((i + 1))
		# All of it; the last of the copies is the repository itself.
		full_repo=$repo
		if [ "$i" -lt "$times" ]; then
			full_repo=$repo-$i
			cp -R "$repo" "$full_repo"
			git -C "$full_repo" status >"$work/status.log" # the copy has other inodes
		fi
		timed "osm-gen-$n" "$osm_gen" --repo "$full_repo" --out out
		least "osm-gen-$n"

		# (b) the same output tree, committed by git itself
		mkdir -p "$work/git-$n-$i"
		cp -R "$full_repo/out" "$work/git-$n-$i/out"
		git -C "$work/git-$n-$i" init -q -b main
		# shellcheck disable=SC2016 # the inner shell expands it
		timed "git-$n" sh -c 'cd "$1" && git add -A && git commit -q -m out' sh "$work/git-$n-$i"
		least "git-$n"
		out_of_the_way "$work/git-$n-$i"

		# (c) each byte of it encrypted, hashed, compressed and written, once
		sync
		cpu=$("$floor" "$full_repo/out" "$work/floor-$n-$i" | cut -d ' ' -f 1)
		least "floor-$n"
		out_of_the_way "$work/floor-$n-$i"
		[ "$full_repo" = "$repo" ] || out_of_the_way "$full_repo"

		if [ -n "$upstream" ] && upstream_figures=$("$upstream" -fleet "$repo" -n "$n" 2>"$work/upstream-$n.log"); then
			seconds=${upstream_figures% *} cpu=${upstream_figures#* }
			least "upstream-$n"
		fi
	done
	read -r full full_kib full_cpu <"$work/least-osm-gen-$n"
	read -r git_seconds _ git_cpu <"$work/least-git-$n"
	read -r _ _ floor_cpu <"$work/least-floor-$n"
	upstream_seconds=- upstream_cpu=-
	[ ! -f "$work/least-upstream-$n" ] || read -r upstream_seconds _ upstream_cpu <"$work/least-upstream-$n"
	commit=$(git -C "$repo" rev-parse HEAD)
	files=$(git -C "$repo" ls-tree -r --name-only HEAD out | wc -l)

	timed "unchanged-$n" "$osm_gen" --repo "$repo" --out out
	unchanged=$seconds unchanged_kib=$kib unchanged_cpu=$cpu
	[ "$commit" = "$(git -C "$repo" rev-parse HEAD)" ] || echo "bench: the second run made a commit" >&2
	one_change "$n"

	echo
	echo "$n MachineDeployments in $clusters clusters, $files files"
	line "" "seconds" "processor" "MiB" "osm-gen /" "wanted"
	line "osm-gen, all of it" "$full" "$full_cpu" "$((full_kib / 1024))" "" "below 192 MiB at 10000"
	line "(a) controller, rendering only" "$upstream_seconds" "$upstream_cpu" "" "$(ratio "$full_cpu" "$upstream_cpu")" "< 0.33"
	line "(b) git add and git commit" "$git_seconds" "$git_cpu" "" "$(ratio "$full_cpu" "$git_cpu")" "< 0.40"
	line "(c) each byte once" "-" "$floor_cpu" "" "$(ratio "$full_cpu" "$floor_cpu")" "< 1.8"
	line "half the fleet ($half)" "$half_seconds" "$half_cpu" "" "$(ratio "$full_cpu" "$half_cpu")" "<= 2.2"
	line "nothing changed" "$unchanged" "$unchanged_cpu" "$((unchanged_kib / 1024))" "1/$(ratio "$full_cpu" "$unchanged_cpu")" "< 1/60"
	line "nothing changed, with a warning" "$warned_seconds" "$warned_cpu" "$((warned_kib / 1024))" "1/$(ratio "$full_cpu" "$warned_cpu")" "< 1/60"
	line "one MachineDeployment changed" "$one_seconds" "$one_cpu" "$((one_kib / 1024))" "1/$(ratio "$full_cpu" "$one_cpu")" "< 1/50"
done

fleet 1 1
echo
echo "1 MachineDeployment, nothing changed"
smallest "$osm_gen"
# The program that is downloaded: most of the time of a short run is the loader's, which it does not need.
[ ! -x "$static" ] || smallest "$static"

# git gc deletes objects. So this comes last.
for n in $sizes; do
	profile_change "$n"
	echo
	echo "$n MachineDeployments, the profile of all changed"
	read -r _ _ full_cpu <"$work/least-osm-gen-$n"
	line "" "seconds" "processor" "MiB" "/ all of it" "wanted"
	line "generate" "$change_seconds" "$change_cpu" "$((change_kib / 1024))" "$(ratio "$change_cpu" "$full_cpu")" "< 1.1"
	line "plan" "$plan_seconds" "$plan_cpu" "$((plan_kib / 1024))" "$(ratio "$plan_cpu" "$full_cpu")" "below 256 MiB at 10000"
	line "diff" "$diff_seconds" "$diff_cpu" "$((diff_kib / 1024))" "$(ratio "$diff_cpu" "$full_cpu")" "below 256 MiB at 10000"
	line "check" "$check_seconds" "$check_cpu" "$((check_kib / 1024))" "$(ratio "$check_cpu" "$full_cpu")" ""
	line "verify" "$verify_seconds" "$verify_cpu" "$((verify_kib / 1024))" "$(ratio "$verify_cpu" "$full_cpu")" "< 0.4"
	echo "  $added KB added to .git, $added_gc after git gc;" \
		"each object whole: $whole, $(ratio "$added" "$whole") of that (wanted < 0.6)"
done
# Removing waits for the end, too.
