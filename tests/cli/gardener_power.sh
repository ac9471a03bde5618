#!/usr/bin/env bash
# The setting gardenerFlow: downloader: power cuts at each write of an execution script, on file systems in images. Needs root.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if [ "$(id -u)" -ne 0 ] || ! unshare -rm true 2>/dev/null || ! [ -d /etc/systemd/system ]; then
	skip "not root, no mount namespaces, or no /etc/systemd/system to mount on"
	finish
fi
exec python3 -B "$root/tests/cli/_gardener_power.py" "$root" "$program"
