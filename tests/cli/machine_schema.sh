#!/usr/bin/env bash
# The JSON Schema of MachineDeployments takes what osm-gen takes, and nothing of another type.
# Slow: some 6,000 documents
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if ! python3 -c 'import jsonschema' 2>/dev/null; then
	skip "no python3-jsonschema"
	finish
fi
mkdir "$scratch/repo"
git -C "$scratch/repo" init -q
cp "$root/tests/golden/base/clusters/prod/cluster-info.yaml" "$scratch/repo"
cat >"$scratch/repo/osm-gen.yaml" <<'END'
apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  defaults: {externalCloudProvider: true}
  sealing: {format: sops, recipients: [age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk]}
END
python3 -B "$here/_machine_schema.py" "$program" "$scratch/repo" \
	"$root/tests" "$root/docs/example" >"$scratch/result"
grep -v ' passed, ' "$scratch/result"
read -r good bad <<<"$(grep ' passed, ' "$scratch/result" | tr -cd '0-9 ')"
passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
finish
