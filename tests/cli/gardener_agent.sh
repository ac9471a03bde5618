#!/usr/bin/env bash
# The setting gardenerFlow: node-agent. What is written, what `plan` and `inventory` make of it, and its script on a node
# that is a mount namespace.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if ! unshare -rm true 2>/dev/null || ! [ -d /opt ]; then
	skip "no mount namespaces, or no /opt to mount on"
	finish
fi
counted "the flow" python3 -B "$here/_gardener_agent.py" "$root" "$program"

# ---- docs/howto/gardener-node-agent.md, as it stands -------------------------------------------------------------------
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/bin" "$scratch/home" "$scratch/tutorial"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8 \
	counted "docs/howto/gardener-node-agent.md" python3 "$here/_console.py" "$root/docs/howto/gardener-node-agent.md" "$scratch/tutorial"
finish
