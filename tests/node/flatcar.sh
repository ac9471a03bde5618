#!/bin/sh
# Runs the scripts of Flatcar's profiles with stubs for what would change the machine.
exec /usr/bin/python3 -B "$(dirname "$0")/flatcar.py" "$@"
