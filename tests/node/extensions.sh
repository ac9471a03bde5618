#!/bin/sh
# Runs what extensions add to the profiles: checked by its real consumers, and stage 2 with it on machines in folders.
# Slow: every extension with every profile
exec /usr/bin/python3 -B "$(dirname "$0")/extensions.py" "$@"
