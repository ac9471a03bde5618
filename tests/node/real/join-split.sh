#!/bin/sh
# As join.sh, with a provisioning config in two parts (provisioning: split).
exec "$(dirname "$0")/join.sh" site split
