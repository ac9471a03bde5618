#!/usr/bin/env bash
# Random overlays: the units that osm-gen makes of them are those of what the published kustomize prints, in every byte of the
# output. KUSTOMIZE_CASES overlays (default 12) of SEED (default 1).
# Slow: builds kustomize
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_kustomize.sh
. "$(dirname "$0")/_kustomize.sh"
cases=${KUSTOMIZE_CASES:-12}

exits "overlays" 0 python3 -B "$here/_kustomize_random.py" "$cases" "${SEED:-1}" "$kustomize" "$scratch/overlays" "$scratch/built"
units=$(cat "$scratch/out")
ok "MachineDeployments of most pools" test "$units" -gt "$((cases * 2))"
for repo in overlays built; do
	mkdir -p "$scratch/$repo/shared"
	cp "$root/tests/golden/base/clusters/prod/cluster-info.yaml" "$scratch/$repo/shared/"
	cat >"$scratch/$repo/osm-gen.yaml" <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  defaults: {machineDeployments: output}
  sealing: {recipients: [$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")]}
YAML
	git -C "$scratch/$repo" -c init.defaultBranch=main init -q
	commit_all "$scratch/$repo" inputs
done
exits "with overlays" 0 "$program" generate --repo "$scratch/overlays" --allow-program kustomize
exits "with what kustomize prints" 0 "$program" generate --repo "$scratch/built"
same "as many units" "$units" "$("$program" list --repo "$scratch/built" -o json | jq '.units | length')"
# Files name the file that they come from, and nothing else differs.
same "the same output" "" "$(diff -r -I '"proof": ' -I '"source": ' -I '^# ' "$scratch/overlays/out" "$scratch/built/out")"
ok "with MachineDeployments" test "$(find "$scratch/overlays/out" -name 'machinedeployment-*' | wc -l)" -eq "$units"
exits "again" 0 "$program" generate --repo "$scratch/overlays" --allow-program kustomize
says "nothing changes" "up to date"

# ---- kubectl in its place ----------------------------------------------------------------------------------------------------
if command -v kubectl >/dev/null; then
	mkdir "$scratch/kubectl"
	ln -s "$(command -v kubectl)" "$scratch/kubectl/kubectl"
	tree=$(git -C "$scratch/overlays" rev-parse HEAD:out)
	git -C "$scratch/overlays" reset -q --hard HEAD~1
	exits "kubectl kustomize" 0 env PATH="$scratch/kubectl" "$program" generate --repo "$scratch/overlays" --allow-program kustomize
	same "makes the same" "$tree" "$(git -C "$scratch/overlays" rev-parse HEAD:out)"
else
	skip "kubectl is not there"
fi
finish
