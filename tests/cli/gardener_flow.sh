#!/usr/bin/env bash
# The setting gardenerFlow: downloader. What is written, and what its scripts do on a node that is a mount namespace.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if ! unshare -rm true 2>/dev/null || ! [ -d /etc/systemd/system ]; then
	skip "no mount namespaces, or no /etc/systemd/system to mount on"
	finish
fi
exec python3 -B "$root/tests/cli/_gardener_flow.py" "$root" "$program"
