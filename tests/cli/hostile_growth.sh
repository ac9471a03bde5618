#!/usr/bin/env bash
# Repositories that ask for more than their size: each of a table (_hostile_shapes.py) takes time in proportion to its
# bytes, counted in instructions, so that no other load on the machine matters. With OSM_GEN_HOSTILE=full (make hostile)
# at full size, with processor time and memory held to what docs/limits.md says.
# Slow: measures repositories that are made to exhaust a run
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

measure() { # MODE ARGUMENTS...
	local mode=$1
	shift
	python3 "$here/_hostile_count.py" "$mode" "$program" "$scratch" "$OSM_GEN_SEAL_SEED" "$SOPS_AGE_KEY_FILE" "$@"
}
ok "a table of at least forty" python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import _hostile_shapes as s
names = [shape.name for shape in s.SHAPES]
assert len(names) >= 40 and len(set(names)) == len(names), len(names)
assert len(s.QUICK) >= 40 and s.QUICK <= set(names), s.QUICK - set(names)' "$here"
grows() { # quick|all|few
	# Sanitizers count their own instructions, and valgrind does not run them.
	program=$root/build/osm-gen
	exits "none grows faster than its size" 0 measure growth "$(nproc)" "$1"
	grep -E "^(not ok|drawn)" "$scratch/out"
}
if ! command -v valgrind >/dev/null 2>&1; then
	skip "valgrind is not installed"
elif [ "${OSM_GEN_HOSTILE:-}" = full ]; then
	grows all
elif [ -n "${OSM_GEN_TESTS_QUICK:-}" ]; then
	grows few
else
	grows quick
fi
if [ "${OSM_GEN_HOSTILE:-}" = full ]; then
	exits "at full size" 0 measure full
	cat "$scratch/out"
fi
finish
