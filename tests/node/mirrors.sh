#!/bin/sh
# Holds docs/profiles.md against what the profiles reach over the network.
# Slow: runs what every profile downloads with
exec /usr/bin/python3 -B "$(dirname "$0")/mirrors.py" "$@"
