#!/usr/bin/env bash
# MachineClasses of machine-controller-manager from a template, and the units that a change of the flow restarts.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

exec python3 -B "$root/tests/cli/_gardener_machines.py" "$root" "$program"
