#!/bin/sh
# Has a machine with the Ubuntu profile's user-data join a cluster of real programs.
here=$(dirname "$0")
PYTHONPATH=$here/..:$here/../boot exec /usr/bin/python3 -B "$here/join/main.py" "$@"
