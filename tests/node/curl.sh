#!/bin/sh
# Runs what the profiles do with curl: with the curl of Enterprise Linux 8, and with servers that redirect out of TLS.
# Slow: servers that fail in every way while nodes download
exec /usr/bin/python3 -B "$(dirname "$0")/curl.py" "$@"
