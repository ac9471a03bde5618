#!/bin/sh
# Runs what the profiles do about addresses and IPv6 in network namespaces, with a router that sends advertisements.
# Slow: waits for routers
exec /usr/bin/python3 -B "$(dirname "$0")/network.py" "$@"
