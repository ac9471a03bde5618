#!/bin/sh
# Runs the scripts of profiles/ubuntu.yaml: with servers that fail, forged downloads, real cloud-init.
exec /usr/bin/python3 -B "$(dirname "$0")/ubuntu_scripts.py" "$@"
