#!/usr/bin/env bash
# The JSON Schemas of Gardener's documents under a real validator, beside osm-gen: both refuse the same members and types.
# Needs: build/asan/unit
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mkdir "$scratch/schemas"
ok "the schemas are written" env OSM_GEN_SCHEMAS="$scratch/schemas" "$root/build/${OSM_GEN_TEST_BUILD:-asan}/unit" gardener_shape
counted "the schemas" python3 -B "$here/_gardener_schema.py" "$program" "$scratch/schemas" "$root"
finish
