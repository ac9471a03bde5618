#!/usr/bin/env bash
# What `make mutants` draws: the same by the same seed, of every kind; and each mutant of equivalent.txt exists.
# Slow: parses every source
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mutants=$root/tests/mutation/run.py
exits "what seed 1 draws" 0 "$mutants" --list --mutants 50
cp "$scratch/out" "$scratch/first"
exits "what it draws again" 0 "$mutants" --list --mutants 50
ok "is the same" cmp "$scratch/first" "$scratch/out"
exits "what seed 2 draws" 0 "$mutants" --list --mutants 50 --seed 2
ok "is something else" bash -c "! cmp -s '$scratch/first' '$scratch/out'"
for kind in constant delete negate operator return; do
	same "every kind takes its turn: $kind" 10 "$(grep -cE "^src/[^ ]+ [a-z0-9_]+: $kind\$" "$scratch/first")"
done
same "each changes a line" "" "$(sed -n 's/^    - //p' "$scratch/first" | paste -d '\n' - <(sed -n 's/^    + //p' "$scratch/first") | uniq -d)"
same "make -n runs none" "" "$(make -C "$root" --no-print-directory -n mutants MUTANTS=1 2>/dev/null | grep -E ' mutants, drawn')"
finish
