#!/usr/bin/env bash
# CI holds the keys of every cluster: a commit must not have it open one cluster's secrets for another
# (docs/security.md, "Confused deputies").
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk
keyless() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }

# ---- a sealed file, copied --------------------------------------------------------------------------
# What osm-gen sealed serves as an encrypted input: it is looked up by its name.
repo=$(fleet copied)
exits "generate" 0 "$program" --repo "$repo"
name=kube-system-workers-kubelet-bootstrap-config
for cluster in edge-eu-1 prod-us-1; do
	sed -i "s|^  settings:|  settings:\n    nodeRegistryCredentialsSecret: cloud-init-settings/$name|" "$repo/tests/fleet/$cluster/osm-gen.yaml"
done
sed '1d' "$repo/out/prod-us-1/worker/cloud-init-settings/secret-$name.yaml" >"$repo/tests/fleet/prod-us-1/sealed.yaml"
base=$(git -C "$repo" rev-parse HEAD)
cp "$repo/tests/fleet/prod-us-1/sealed.yaml" "$repo/tests/fleet/edge-eu-1/stolen.yaml"
commit_all "$repo" "a copy"
for command in generate check diff; do
	exits "a copy: $command" 2 "$program" $command --repo "$repo"
	says "a copy: $command names both places" "tests/fleet/prod-us-1/sealed.yaml: error[OSG2022]"
	says "a copy: $command names both places" "tests/fleet/edge-eu-1/stolen.yaml: note: here"
done
exits "a copy: validate finds it without any key" 2 keyless validate --repo "$repo"
says "a copy: validate finds it without any key" "error[OSG2022]"

# ---- moved, so that nothing is there twice --------------------------------------------------------
git -C "$repo" rm -q tests/fleet/prod-us-1/sealed.yaml
sed -i '/nodeRegistryCredentialsSecret/d' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
"$program" keygen identity >"$scratch/edge.txt"
edge=$(sed -n 's/^# public key: //p' "$scratch/edge.txt")
cat "$SOPS_AGE_KEY_FILE" "$scratch/edge.txt" >"$scratch/both.txt"
sed -i "s/^  sealing:/  sealing:\n    inputs: {prod-us-1: [$ours], edge-eu-1: [$edge]}/" "$repo/osm-gen.yaml"
commit_all "$repo" "a file that was moved"
exits "a moved file" 2 env SOPS_AGE_KEY_FILE="$scratch/both.txt" "$program" --repo "$repo"
says "a moved file: is not opened" "error[OSG2023]: this file is not to be opened for cluster edge-eu-1"
exits "a moved file: validate finds it without any key" 2 keyless validate --repo "$repo"
sed -i "s/recipient: $ours/recipient: $edge/" "$repo/tests/fleet/edge-eu-1/stolen.yaml"
commit_all "$repo" "that says otherwise"
exits "a moved file that lies" 2 env SOPS_AGE_KEY_FILE="$scratch/both.txt" "$program" --repo "$repo"
says "a moved file that lies: is not opened" "error[OSG2023]"

# The commit that moves it may change the setting as well: nothing stops that but the keys of the job.
git -C "$repo" reset -q --hard HEAD~1
sed -i "s/edge-eu-1: \[$edge\]/edge-eu-1: [$ours]/" "$repo/osm-gen.yaml"
commit_all "$repo" "and sealing.inputs"
exits "a moved file, and sealing.inputs changed" 2 env SOPS_AGE_KEY_FILE="$scratch/both.txt" "$program" --repo "$repo"
ok "a moved file, and sealing.inputs changed: it is opened" bash -c "! grep -q OSG20 '$scratch/err'"
says "a moved file, and sealing.inputs changed: and found to be no registry's" "kubernetes.io/dockerconfigjson"
exits "a job with the other cluster's identity alone" 2 env SOPS_AGE_KEY_FILE="$scratch/edge.txt" "$program" --repo "$repo"
says "a job with the other cluster's identity alone" "no identity given is one of its recipients'"

# ---- folders of --secrets -------------------------------------------------------------------------
git -C "$repo" reset -q --hard "$base"
mkdir -p "$scratch/mounted/prod-us-1"
cat >"$scratch/mounted/prod-us-1/token.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: TEST-ONLY-of-prod-us-1-0123456789}
YAML
exits "a folder of its cluster" 0 "$program" --repo "$repo" --secrets "$scratch/mounted"
base=$(git -C "$repo" rev-parse HEAD)
# The cluster goes away, or is called otherwise: what was its own is not everybody's.
git -C "$repo" rm -rq tests/fleet/prod-us-1
commit_all "$repo" "without prod-us-1"
exits "a folder of a cluster that has gone" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder of a cluster that has gone" "error[OSG2020]: the folder prod-us-1 of --secrets is no cluster's"
# Another cluster moves to where it lay.
git -C "$repo" reset -q --hard "$base"
git -C "$repo" rm -rq tests/fleet/prod-us-1
git -C "$repo" mv tests/fleet/edge-eu-1 prod-us-1
commit_all "$repo" "edge-eu-1 moves"
exits "a folder taken over by its path" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder taken over by its path" "error[OSG2021]"
# Another cluster takes its name, with recipients of its own.
git -C "$repo" reset -q --hard "$base"
git -C "$repo" rm -rq tests/fleet/prod-us-1
sed -i 's/name: edge-eu-1/name: prod-us-1/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
printf '  sealing: {recipients: [%s]}\n' "$edge" >>"$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "edge-eu-1 calls itself prod-us-1"
exits "a folder taken over by its name" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder taken over by its name" "error[OSG5071]"
# A folder that waits for its cluster is taken by whoever comes first, but for CI's word.
git -C "$repo" reset -q --hard "$base"
mv "$scratch/mounted/prod-us-1" "$scratch/mounted/future"
cp -r "$repo/tests/fleet/edge-eu-1" "$repo/future"
sed -i 's/name: edge-eu-1/name: future/' "$repo/future/osm-gen.yaml"
printf '  sealing: {recipients: [%s]}\n' "$edge" >>"$repo/future/osm-gen.yaml"
commit_all "$repo" "a cluster of that name"
exits "a folder that waited" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder that waited" "error[OSG5072]"
finish
