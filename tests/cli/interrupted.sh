#!/usr/bin/env bash
# The system fails, or the program is killed, at every call by which it changes a file: what stands is said,
# and the next run goes on from there without a person. _faults.c stands between program and system.
# Hundreds of copies of a repository: in memory where there is room for them.
# Slow: many runs that are killed
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	export TMPDIR=/dev/shm
fi
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

read -ra compiler <<<"${CC:-cc}"
ok "the faults" "${compiler[@]}" -O1 -D_GNU_SOURCE -shared -fPIC -o "$scratch/faults.so" "$here/_faults.c" -ldl

# A run on a copy of REPO; one thread, so that the calls come in the same order.
faulty() { # WORK FAULT NUMBER ARGUMENTS...
	local work=$1 fault=$2 number=$3
	shift 3
	LD_PRELOAD=$scratch/faults.so FAULT_DO=$fault FAULT_AT=$number "$program" --repo "$work" -j 1 "$@" \
		>"$scratch/out" 2>"$scratch/err"
}
fresh() { rm -rf "$scratch/work" && cp -a "$1" "$scratch/work"; }
calls() { # REPO ARGUMENTS...: the log of a run without faults, in $scratch/calls
	fresh "$1"
	shift
	rm -f "$scratch/calls"
	FAULT_LOG=$scratch/calls faulty "$scratch/work" none 0 "$@"
}
# The calls worth trying: of those that touch git's own files the first of each kind in a row, and a few
# of those that come in crowds. write_faults.sh tries the others, too.
chosen() {
	awk '$2 ~ /^(close|f?chmod)$/ { next }
		/\.git\/(index|refs|logs|HEAD|osm-gen\/)|work\/(refs|logs|osm-gen\/)|objects\/pack|journal/ {
			if ($2 $3 != before) print NR; before = $2 $3; next }
		{ crowd++; before = "" } crowd % 40 == 1 { print NR }' "$scratch/calls" | sort -nu
}
rubbish() { find "$1" \( -name '*.lock' -o -name '*tmp_*' -o -name '*stage*' -o -name '*osm-gen-*' \) | grep -v '/logs/' | head; }

# ---- errors -----------------------------------------------------------------------------------------
repo=$(fleet errors)
rm -rf "$repo/.git/hooks"
before=$(git -C "$repo" rev-parse HEAD)
calls "$repo"
after=$(git -C "$scratch/work" rev-parse HEAD)
ok "a run without faults commits" test "$before" != "$after"
behind=$(grep -n 'fsync .*refs/heads$' "$scratch/calls" | tail -n 1 | cut -d: -f1) # the branch has moved by then
for number in $(chosen); do
	fresh "$repo"
	faulty "$scratch/work" EIO "$number"
	status=$?
	now=$(git -C "$scratch/work" rev-parse HEAD)
	dirty=$(git -C "$scratch/work" status --porcelain)
	said=$(grep -c 'nothing was changed' "$scratch/err")
	call=$(sed -n "${number}p" "$scratch/calls" | cut -d' ' -f2- | sed "s|$scratch||")
	case $status,$now in
	0,"$after") good=$([ "$said" = 0 ] && echo yes) ;;
	3,"$before") good=yes ;;
	3,"$after") good=$([ "$said" = 0 ] && grep -qF "commit $after is on branch main" "$scratch/err" && echo yes) ;;
	*) good= ;;
	esac
	same "an error of call $number ($call): status $status, $(tail -n 1 "$scratch/err")" "yes" "$good$dirty"
done
fresh "$repo"
faulty "$scratch/work" EIO "$behind"
same "an error behind the commit" "3 $after" "$? $(git -C "$scratch/work" rev-parse HEAD)"
says "an error behind the commit" "error[OSG6017]: commit $after is on branch main, but the system reported an error"
says "an error behind the commit" "committed $after"
ok "an error behind the commit: nothing else is claimed" bash -c "! grep -q 'nothing was changed' $scratch/err"
exits "and then" 0 "$program" --repo "$scratch/work"
says "and then" "is up to date"
git clone -q --bare "$repo" "$scratch/bare"
calls "$scratch/bare"
fresh "$scratch/bare"
faulty "$scratch/work" EIO "$(grep -n 'fsync .*refs/heads$' "$scratch/calls" | tail -n 1 | cut -d: -f1)"
same "an error behind the commit, bare" "3 $after" "$? $(git -C "$scratch/work" rev-parse HEAD)"
says "an error behind the commit, bare" "error[OSG6017]"


# ---- kills --------------------------------------------------------------------------------------------
# Killed before each call: the next run does what this one did not, with the same commit, and nothing is left.
killed() { # REPO SIGNAL NUMBER
	fresh "$1"
	{ faulty "$scratch/work" "$2" "$3"; } 2>/dev/null
	status=$?
	"$program" --repo "$scratch/work" -j 1 >"$scratch/out" 2>"$scratch/err"
	again=$?
}
call() { sed -n "${1}p" "$scratch/calls" | cut -d' ' -f2- | sed "s|$scratch||"; }
for shape in errors bare; do
	repo=$scratch/$shape
	calls "$repo"
	for number in $(chosen); do
		killed "$repo" KILL "$number"
		same "killed before call $number ($(call "$number")) of $shape: then $(head -n 3 "$scratch/err")" "137 0 $after" \
			"$status $again $(git -C "$scratch/work" rev-parse HEAD)"
		same "killed before call $number of $shape: the work tree" "" "$([ "$shape" = bare ] || git -C "$scratch/work" status --porcelain)"
		same "killed before call $number ($(call "$number")) of $shape: nothing is left" "" "$(rubbish "$scratch/work")"
	done
	ok "killed in $shape: the repository is sound" git -C "$scratch/work" fsck --strict
done
calls "$scratch/errors"
fresh "$scratch/errors"
{ faulty "$scratch/work" KILL "$(grep -n 'rename .*/index$' "$scratch/calls" | tail -n 1 | cut -d: -f1)"; } 2>/dev/null
ok "killed under git's lock" test -e "$scratch/work/.git/index.lock"
exits "the next run" 0 "$program" --repo "$scratch/work"
says "the next run" "warning[OSG6018]: an earlier run was stopped and left index.lock locked: removed"
# A lock that is not ours stays, whatever a journal says of it.
fresh "$scratch/errors"
{ faulty "$scratch/work" KILL "$(grep -n 'rename .*/index$' "$scratch/calls" | tail -n 1 | cut -d: -f1)"; } 2>/dev/null
rm "$scratch/work/.git/index.lock"
echo theirs >"$scratch/work/.git/index.lock"
exits "another git's lock" 3 "$program" --repo "$scratch/work"
says "another git's lock" "error[OSG6005]"
same "another git's lock stays" "theirs" "$(cat "$scratch/work/.git/index.lock")"
rm "$scratch/work/.git/index.lock"
exits "once it is gone" 0 "$program" --repo "$scratch/work"
same "once it is gone" "$after" "$(git -C "$scratch/work" rev-parse HEAD)"
# A journal that lies.
fresh "$scratch/errors"
mkdir "$scratch/work/.git/osm-gen"
cp "$scratch/work/osm-gen.yaml" "$scratch/work/.git/osm-gen/run-1-1.x"
for path in ../osm-gen.yaml ../../errors/osm-gen.yaml config HEAD refs/heads/main refs/heads/../../config.lock; do
	rm -f "$scratch/work/.git/osm-gen/run-1-1"
	printf 'osm-gen run 1\nboot x\npack tmp_pack_osm-gen-1-1\nlock run-1-1.x %s %s\n' \
		"$(stat -c %i "$scratch/work/.git/osm-gen/run-1-1.x")" "$path" >"$scratch/work/.git/osm-gen/run-1-1"
	exits "a journal that names $path" 0 "$program" --repo "$scratch/work"
	says "a journal that names $path" "warning[OSG6019]"
	ok "a journal that names $path: it stays" test -e "$scratch/work/.git/osm-gen/run-1-1"
done
ok "a journal that lies: the repository is sound" git -C "$scratch/work" fsck --strict

# ---- signals --------------------------------------------------------------------------------------------
# The process ends by the signal; what it did is nothing, or all of it.
repo=$scratch/errors
calls "$repo"
for signal in TERM INT HUP; do
	case $signal in TERM) want=143 ;; INT) want=130 ;; HUP) want=129 ;; esac
	for number in $(chosen | awk -v from="$want" 'NR % 3 == from % 3'); do
		fresh "$repo"
		# Not in the background, where a shell has SIGINT ignored.
		{ faulty "$scratch/work" "$signal" "$number"; } 2>>"$scratch/err"
		status=$?
		now=$(git -C "$scratch/work" rev-parse HEAD)
		case $now in
		"$before") good=$(grep -q "error\[OSG6113\]: stopped by SIG$signal" "$scratch/err" && grep -q 'nothing was changed' "$scratch/err" && echo yes) ;;
		"$after") good=$(grep -q "committed $after" "$scratch/err" && echo yes) ;;
		*) good= ;;
		esac
		same "SIG$signal before call $number ($(call "$number"))" "$want yes" "$status $good"
		same "SIG$signal before call $number: the work tree" "" "$(git -C "$scratch/work" status --porcelain)"
		same "SIG$signal before call $number ($(call "$number")): nothing is left" "" "$(rubbish "$scratch/work")"
	done
done
# At moments that nobody chose, on all threads.
repo=$(fleet moments)
for i in $(seq 1 12); do
	"$program" --repo "$repo" -q 2>/dev/null &
	child=$!
	sleep "0.0$((i * 7 % 10))$((i % 10))"
	kill -s "$([ $((i % 2)) = 0 ] && echo KILL || echo TERM)" "$child" 2>/dev/null
	wait "$child" 2>/dev/null
	[ $((i % 4)) = 0 ] && git -C "$repo" reset -q --hard "$(git -C "$repo" rev-list --max-parents=0 HEAD)"
done
exits "in the end" 0 "$program" --repo "$repo"
exits "in the end" 0 "$program" check --repo "$repo"
same "in the end: the work tree" "" "$(git -C "$repo" status --porcelain)"
same "in the end: nothing is left" "" "$(rubbish "$repo")"

finish
