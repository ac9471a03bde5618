#!/usr/bin/env bash
# The system fails, or the program is killed, at every call by which it changes a file: what stands is said,
# and the next run goes on from there without a person. _faults.c stands between program and system.
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
# The calls worth trying: all that touch git's own files, and every twelfth of those that come in crowds.
chosen() {
	awk '/\.git\/(index|refs|logs|HEAD|osm-gen\/)|objects\/pack\/|journal/ { print NR; next }
		{ crowd++ } crowd % 12 == 1 { print NR } END { if (crowd % 12 != 1) print NR }' "$scratch/calls" | sort -nu
}
rubbish() { find "$1" \( -name '*.lock' -o -name '*tmp_*' -o -name '*stage*' -o -name '*osm-gen-*' \) | grep -v '/logs/' | head; }

# ---- errors -----------------------------------------------------------------------------------------
repo=$(fleet errors)
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
	3,"$after") good=$([ "$said" = 0 ] && grep -qF "the commit $after is on branch main" "$scratch/err" && echo yes) ;;
	*) good= ;;
	esac
	same "an error of call $number ($call): status $status, $(tail -n 1 "$scratch/err")" "yes" "$good$dirty"
done
fresh "$repo"
faulty "$scratch/work" EIO "$behind"
same "an error behind the commit" "3 $after" "$? $(git -C "$scratch/work" rev-parse HEAD)"
says "an error behind the commit" "error[OSG6017]: the commit $after is on branch main, but the system reported an error"
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

finish
