#!/usr/bin/env bash
# Random pull requests with output, merged by git: MERGE_PAIRS pairs of MERGE_SEED in a small fleet (make merge-random: 200 pairs of
# 40 clusters).
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

exits "random pull requests" 0 python3 -B "$here/merge_random.py" "$program" "${MERGE_PAIRS:-2}" "${MERGE_SEED:-1}" 5
cat "$scratch/out"

# A driver that keeps our lists loses files of the other side: the run has to find them.
# shellcheck disable=SC2016 # of the script
printf '#!/bin/sh\n[ "$1" = merge-driver ] && exit 0\nexec "%s" "$@"\n' "$(realpath "$program")" >"$scratch/wrong"
chmod +x "$scratch/wrong"
exits "a driver that loses files" 1 python3 -B "$here/merge_random.py" "$scratch/wrong" 3 1 5
ok "is found out" grep -q "with the driver: " "$scratch/out"
finish
