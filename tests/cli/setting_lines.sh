#!/usr/bin/env bash
# Each setting and each other member of osm-gen.yaml, set alone: what reaches a node, a recipient, an applier or a number of machines is in the plan, with and without the seed.
# Slow: a run for each member of osm-gen.yaml
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(small fleet)
sed -n 's/.*certificate-authority-data: //p' "$root/tests/golden/base/clusters/prod/cluster-info.yaml" | base64 -d >"$scratch/ca.pem"
printf '    machineDeployments: output\n' >>"$repo/clusters/prod/osm-gen.yaml"
printf '  delivery: {applier: flux}\n' >>"$repo/osm-gen.yaml"
# A profile that uses every setting.
sed -i "s/osp-small/osp-ubuntu/" "$repo/clusters/prod/workers.yaml"
commit_all "$repo" "the output has MachineDeployments"
exits "the first output" 0 "$program" generate -q --repo "$repo"
counted "each member" python3 -B "$root/tests/cli/_setting_lines.py" "$program" "$repo" "$root/docs" "$scratch/ca.pem" "$root/tests/keys/TEST-ONLY-sealed-secrets.crt"
[ -z "${SHOW:-}" ] || cat "$scratch/counts"
ok "many have an effect" test "$(grep -c "others$" "$scratch/counts")" -gt 14
finish
