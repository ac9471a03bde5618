#!/usr/bin/env bash
# adopt: exports with a secret planted anywhere, and no clear byte of it. ADOPT_CASES, ADOPT_SEED: how many, which
# (make adopt-random: 2,000).
# Slow: random exports
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

cases=${ADOPT_CASES:-200}
exits "$cases random exports" 0 python3 -B "$here/adopt_random.py" "$program" "$cases" "${ADOPT_SEED:-1}"
cat "$scratch/out"

# An adopter that copies what it is given is found out.
cat >"$scratch/copier" <<'SH'
#!/bin/sh
mkdir -p clusters/prod
for word; do
	case $word in
	*live-*) cp "$word" clusters/prod/ ;;
	esac
done
SH
chmod +x "$scratch/copier"
exits "a program that copies exports" 1 python3 -B "$here/adopt_random.py" "$scratch/copier" 20 1
ok "is found out" grep -q " 20 with the canary in the clear" "$scratch/out"
finish
