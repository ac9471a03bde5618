#!/bin/sh
# Runs the scripts of the profiles: with servers that fail, forged downloads, real cloud-init.
# Slow: runs the scripts of each profile to their end
exec /usr/bin/python3 -B "$(dirname "$0")/scripts.py" "$@"
