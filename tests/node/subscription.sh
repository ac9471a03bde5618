#!/bin/sh
# Runs cloud-init's subscription module on the user-data of the profile for RHEL.
exec /usr/bin/python3 -B "$(dirname "$0")/subscription.py" "$@"
