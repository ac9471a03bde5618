#!/bin/sh
# Gardener's OperatingSystemConfigs by what they do to a node, beside the answers of the real extensions.
# Slow: a node for every kind of change
exec /usr/bin/python3 -B "$(dirname "$0")/gardener.py" "$@"
