#!/usr/bin/env bash
# The setting gardenerFlow: downloader. The generated user-data of new nodes, and its downloader with an API server on
# loopback, on a node that is a mount namespace.
# Slow: a downloader that meets every kind of damage
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if ! unshare -rm true 2>/dev/null || ! [ -d /etc/systemd/system ]; then
	skip "no mount namespaces, or no /etc/systemd/system to mount on"
	finish
fi
exec python3 -B "$root/tests/cli/_gardener_download.py" "$root" "$program"
