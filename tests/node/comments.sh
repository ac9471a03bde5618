#!/bin/sh
# What nodes get without comments does what it does with them, in every profile.
# Slow: every profile with every provider, twice
exec /usr/bin/python3 -B "$(dirname "$0")/comments.py" "$@"
