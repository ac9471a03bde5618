#!/usr/bin/env bash
# docs/howto/gardener-mcm.md and docs/howto/gardener-review.md, run as they stand.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/bin" "$scratch/home" "$scratch/tutorial"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8 \
	counted "docs/howto/gardener-mcm.md" python3 "$here/_console.py" "$root/docs/howto/gardener-mcm.md" "$scratch/tutorial"
ok "it has commands" grep -qE '^[12][0-9] passed' "$scratch/counts"
mkdir "$scratch/review"
PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8 \
	counted "docs/howto/gardener-review.md" python3 "$here/_console.py" "$root/docs/howto/gardener-review.md" "$scratch/review"
ok "it has commands" grep -qE '^1[0-9] passed' "$scratch/counts"
finish
