#!/bin/sh
# docs/profiles.md against the profiles: which rules of the CIS Kubernetes Benchmark nodes keep.
# Slow: every profile with every provider, twice
exec /usr/bin/python3 -B "$(dirname "$0")/cis.py" "$@"
