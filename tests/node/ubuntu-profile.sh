#!/bin/sh
# Renders profiles/ubuntu.yaml for each provider and checks the user-data with its real consumers.
exec /usr/bin/python3 -B "$(dirname "$0")/ubuntu_profile.py" "$@"
