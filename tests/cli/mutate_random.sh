#!/usr/bin/env bash
# What people and tools do to one file of a repository: no MachineDeployment disappears without an error or a removal that is
# one. MUTATE_CASES, MUTATE_SEED: how many, which (make mutate-random: 3,000).
# Slow: random commits
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

cases=${MUTATE_CASES:-150}
try() { # NAME STATUS PROGRAM CASES
	mkdir "$scratch/$1"
	exits "$1" "$2" python3 -B "$here/mutate_random.py" "$3" "$4" "${MUTATE_SEED:-1}" "$root/tests/golden" "$scratch/$1"
}
try commits 0 "$(realpath "$program")" "$cases"
cat "$scratch/out"

# A program that believes whatever it can still read is found out.
cat >"$scratch/believer.sh" <<SH
#!/bin/sh
case \$1 in
plan) exec "$(realpath "$program")" "\$@" --allow-removal ;;
*) exec "$(realpath "$program")" "\$@" ;;
esac
SH
chmod +x "$scratch/believer.sh"
try "a believer" 1 "$scratch/believer.sh" 100
ok "is found out" grep -q "is called removed" "$scratch/out"
finish
