#!/bin/sh
# ci/uncomment.py, which takes comments out of what profiles put on nodes: what stays, and what it refuses.
exec python3 -B "$(dirname "$0")/_uncomment.py"
