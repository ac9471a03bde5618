#!/bin/sh
# Random node configurations in every format, read by the programs that read them on machines.
exec /usr/bin/python3 -B "$(dirname "$0")/_formats.py" "$@"
