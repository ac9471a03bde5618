#!/bin/sh
# Boots machines with the Ubuntu profile's user-data, both stages: systemd and Debian's cloud-init in a container.
# Slow: boots machines
here=$(dirname "$0")
PYTHONPATH=$here exec /usr/bin/python3 -B "$here/boot/main.py" "$@"
