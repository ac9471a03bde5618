#!/bin/sh
# Puts the two parts of a provisioning configuration together (provisioning: split) as stage 1 does, on machines of each profile.
# Slow: runs stage 1 of each profile and variant
exec /usr/bin/python3 -B "$(dirname "$0")/split.py" "$@"
