#!/usr/bin/env bash
# Canaries in every kind of place that can hold a secret, through every command, succeeding and failing:
# none stands in the clear in a git object, the index, the reflog, the output, a report, a message, a
# temporary file, the environment or a core, in any encoding. The work is done by canaries.py.
# Slow: plants a secret in every place of every input
# Needs: build/osm-gen-leaky
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
ok "a program with a mistake is found out" \
	python3 "$here/canaries.py" "${OSM_GEN_LEAKY:-$root/build/osm-gen-leaky}" "$scratch" "$root" leaky
python3 "$here/canaries.py" "$program" "$scratch" "$root" >"$scratch/counts"
status=$?
cat "$scratch/counts"
ok "every place was looked at" grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$scratch/counts"
ok "no canary was found" test $status -eq 0
read -r good _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/counts")
passed=$((passed + ${good:-0}))
finish
