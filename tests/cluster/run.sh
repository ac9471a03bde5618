#!/bin/sh
# osm-gen's output in clusters of real programs: run.sh [pools | first-apply | gardener [FLOW] [SYSTEM] | joining | machine-controller-manager | bench [UNITS]]. main.py says what is done.
here=$(dirname "$0")
PYTHONPATH=$here/../node:$here/../node/boot:$here/../node/real/join exec /usr/bin/python3 -B "$here/main.py" "$@"
