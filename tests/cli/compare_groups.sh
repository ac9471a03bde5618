#!/usr/bin/env bash
# compare: the verdict first, and the same difference of many objects once.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

python3 "$here/adopt/appliers.py" "$here/adopt/live.yaml" >"$scratch/live.json"
adopted "$scratch/live.json"
exits "29 MachineDeployments" 0 "$program" generate -q --revisions clusters/revisions
# The live cluster: what the controller would have written, with the mirrors of its arguments.
for file in out/prod/*/*/*.yaml clusters/prod/kube-system/machinedeployment-*.yaml; do
	case $file in
	*/kustomization.yaml) continue ;;
	*/secret-*) "$program" unseal "$file" ;;
	*) cat "$file" ;;
	esac
	echo ---
done >"$scratch/applied.yaml"
exits "what is live" 0 "$program" compare --live "$scratch/applied.yaml"
same "is equal, in a line" "equal: cluster prod, 145 equal" "$(cat "$scratch/out")"

# A mirror that adopt did not see.
sed -i '/nodeContainerdRegistryMirrors/,+1d' clusters/prod/osm-gen.yaml
commit_all . "no mirror"
exits "a mirror is missing" 1 "$program" compare --live "$scratch/applied.yaml"
same "the verdict is first" "different: cluster prod, 87 equal; 58 differs" "$(head -n 1 "$scratch/out")"
for line in "differs: 29 OperatingSystemConfigs, first in spec." "differs: 29 Secrets, first in data.cloud-config, line " \
	"    kube-system/pool-00-kube-system-config, kube-system/pool-01-kube-system-config, kube-system/pool-02-kube-system-config and 26 more (-v lists them all)"; do
	ok "what differs, once: $line" grep -qF -- "$line" "$scratch/out"
done
same "in few lines" 9 "$(wc -l <"$scratch/out")"
exits "with -v" 1 "$program" compare -v --live "$scratch/applied.yaml"
same "the verdict is first, too" "different: cluster prod, 87 equal; 58 differs" "$(head -n 1 "$scratch/out")"
same "each object" 58 "$(grep -c '^differs: ' "$scratch/out")"
exits "as JSON" 1 "$program" compare --live "$scratch/applied.yaml" -o json
same "each object, too" "58 false" "$(jq -r '"\([.objects[] | select(.result == "differs")] | length) \(.equal)"' "$scratch/out")"

# Templates of which several have the same change, and machines by the number of all.
sed 's/^    machineDeployments.*//; s/^  settings:/&\n    machineDeployments: output/' -i clusters/prod/osm-gen.yaml
for file in clusters/prod/kube-system/machinedeployment-pool-0*.yaml; do
	sed -i 's/kubelet: .*/kubelet: 1.35.2/' "$file"
done
commit_all . "another kubelet in ten pools"
exits "ten templates" 1 "$program" compare --live "$scratch/applied.yaml"
replicas=$(grep -h '^  replicas:' clusters/prod/kube-system/machinedeployment-pool-00.yaml | tr -dc 0-9)
ok "are one group" grep -qF "10 MachineDeployments: another template than the live ones: applying the output replaces their $((10 * replicas)) machines" "$scratch/out"
same "and one change" 1 "$(grep -c 'versions.kubelet: ' "$scratch/out")"
same "the machines come right after the verdict" "applying the output replaces $((10 * replicas)) machines of 10 MachineDeployments" "$(sed -n 2p "$scratch/out")"

# Who applies the live objects.
exits "with the exports of the cluster" 1 "$program" compare --live "$scratch/live.json" --revisions clusters/revisions
ok "who applies them" grep -qxF "applied by Helm release kube-system/pools (annotation meta.helm.sh/release-name): 6 MachineDeployments" "$scratch/out"
exits "as JSON" 1 "$program" compare --live "$scratch/live.json" --revisions clusters/revisions -o json
same "who applies them, as JSON" "6 MachineDeployment flux-system/apps" \
	"$(jq -r '.appliers[] | select(.trace == "label kustomize.toolkit.fluxcd.io/name") | "\(.names | length) \(.kind) \(.source)"' "$scratch/out")"
finish
