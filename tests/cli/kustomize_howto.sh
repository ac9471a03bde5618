#!/usr/bin/env bash
# docs/howto/kustomize.md, run as it stands, with the published kustomize.
# Slow: builds kustomize
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_kustomize.sh
. "$here/_kustomize.sh"
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/home" "$scratch/tutorial"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
HOME=$scratch/home LC_ALL=C.UTF-8 \
	counted "docs/howto/kustomize.md" python3 "$here/_console.py" "$root/docs/howto/kustomize.md" "$scratch/tutorial"
ok "it has commands" grep -qE '^1[0-9] passed' "$scratch/counts"
finish
