#!/usr/bin/env bash
# Every call that changes a file fails, or the process is killed there: the repository stays sound, the branch is the old or
# the new one, and the next run gives what an undisturbed one gives.
# 100 pairs of a call and a fault are drawn by SEED; OSM_GEN_FAULTS=all (make faults) tries them all, OSM_GEN_FAULTS=2/4 each
# fourth from the second on, OSM_GEN_FAULTS=bare:EIO:63 the one that was printed so.
# Hundreds of copies of a repository: in memory where there is room for them.
# Slow: many runs with a fault each
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	export TMPDIR=/dev/shm
fi
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

read -ra compiler <<<"${CC:-cc}"
ok "the faults" "${compiler[@]}" -O1 -D_GNU_SOURCE -shared -fPIC -o "$scratch/faults.so" "$here/_faults.c" -ldl
adopted "$here/adopt/live.yaml"
rm -rf "$scratch/fleet/.git/hooks"
mkdir "$scratch/trials"
python3 -B "$here/_write_faults.py" "$program" "$scratch/faults.so" "$scratch/fleet" "$here/adopt/live.yaml" "$scratch/trials" \
	"${OSM_GEN_FAULTS:-100}" "${SEED:-1}" | tee "$scratch/said"
ok "every fault ends as it must" test "${PIPESTATUS[0]}" = 0
finish
