#!/bin/sh
# As join.sh, with the containerd 1.6 of the system's own package sources (CONTAINERD_APT_URL=none).
exec "$(dirname "$0")/join.sh" system
