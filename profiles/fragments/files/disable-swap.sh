#!/usr/bin/env bash
# Turns swap off, now and for later boots: the kubelet does not start with swap on. Runs before each kubelet start.
set -euo pipefail

# Comment out what is not yet commented out; the third field of a swap line is "swap".
sed -i -E 's/^([^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap([[:space:]].*)?)$/# \1/' /etc/fstab
swapoff --all
