#!/bin/sh
# Renders the profiles of profiles/ for each provider and checks the user-data with its real consumers.
# Slow: every profile with every provider
exec /usr/bin/python3 -B "$(dirname "$0")/profiles.py" "$@"
