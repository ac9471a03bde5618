#!/bin/sh
# Holds `osm-gen inventory` against what the scripts of each profile ask for, provider by provider, on both architectures.
# Slow: every node downloads what the inventory lists
exec /usr/bin/python3 -B "$(dirname "$0")/inventory.py" "$@"
