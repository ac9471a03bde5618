#!/usr/bin/env bash
# The JSON Schemas of Gardener's documents under a real validator, beside osm-gen: both refuse the same members and types.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

counted "the schemas" python3 -B "$here/_gardener_schema.py" "$program" "$root"
finish
