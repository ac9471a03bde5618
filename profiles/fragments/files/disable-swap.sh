#!/usr/bin/env bash
# Turns swap off, now and for later boots: the kubelet does not start with swap on. Runs before each kubelet start.
set -euo pipefail

# Comments out what is not yet commented out; the third field of a swap line is "swap". sed -i does not sync: after a power cut
# /etc/fstab could be empty.
swap='^([^#[:space:]]+[[:space:]]+[^[:space:]]+[[:space:]]+swap([[:space:]].*)?)$'
if grep -qsE "$swap" /etc/fstab; then
  cp --archive /etc/fstab /etc/fstab.new
  sed -i -E "s/$swap/# \\1/" /etc/fstab.new
  sync
  mv /etc/fstab.new /etc/fstab
fi
swapoff --all
