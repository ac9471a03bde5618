#!/bin/sh
# Power cuts at each write of the profiles' two stages, on file systems in images. Needs root.
# Slow: each power cut is a copy of an image
exec /usr/bin/python3 -B "$(dirname "$0")/power.py" "$@"
