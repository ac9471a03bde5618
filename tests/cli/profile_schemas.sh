#!/usr/bin/env bash
# The JSON Schemas of profiles and extensions beside the program: documents that it takes, and documents made wrong.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if ! python3 -c 'import jsonschema, yaml' 2>/dev/null; then
	skip "no python3-jsonschema, or no python3-yaml"
	finish
fi
python3 -B "$here/_profile_schemas.py" "$program" "$scratch" "$root" >"$scratch/checks"
grep -v ' passed, ' "$scratch/checks"
read -r good bad <<<"$(grep ' passed, ' "$scratch/checks" | tr -cd '0-9 ')"
passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
finish
