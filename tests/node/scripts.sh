#!/bin/sh
# Runs the scripts of the profiles: with servers that fail, forged downloads, real cloud-init.
exec /usr/bin/python3 -B "$(dirname "$0")/scripts.py" "$@"
