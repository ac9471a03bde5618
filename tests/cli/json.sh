#!/usr/bin/env bash
# The JSON of each command against docs/output.schema.json, with a validator of its own.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mkdir "$scratch/json"
document() { # NAME STATUS COMMAND...
	local name=$1 status=$2
	shift 2
	exits "$name" "$status" "$program" "$@" -o json
	cp "$scratch/out" "$scratch/json/$name.json"
}

repo=$(fleet first)
document report-first 1 check --repo "$repo"
document report-validate 0 validate --repo "$repo"
document report-generate 0 generate --repo "$repo"
document plan-nothing 0 plan --repo "$repo"
git -C "$repo" reset -q --hard
mds=$repo/tests/fleet/edge-eu-1/machinedeployments.yaml
sed -i 's/^  name: storage$/  name: archive/; 0,/kubelet: 1.35.2/s//kubelet: 1.34.2/; s/replicas: 3/replicas: 4/; s/sshPublicKeys:/&\n          - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE3tQ6n9mT4mF1oT0n8yZ7mT1c2xw0V9pX3kV6Q2sTET more@osm-gen.example/' "$mds"
sed -i 's/^  settings:$/&\n    kubernetesVersion: "1.35.0"/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "a removed one, a new one, one that rolls"
document plan-changes 0 plan --repo "$repo"
document plan-upgrade 0 upgrade --dry-run --repo "$repo"
document report-changes 1 diff --repo "$repo"
document list 0 list --repo "$repo"
document render 0 render --repo "$repo" --machine-deployment edge-eu-1/kube-system/archive --print bootstrap
document verify 0 verify --repo "$repo"
document config 0 config show --repo "$repo"
document inventory 0 inventory --repo "$repo"
document doctor 0 doctor --repo "$repo"
document explain 0 explain
document profiles 0 profiles
document version 0 version
document schema 0 schema
printf '{' >"$repo/tests/fleet/edge-eu-1/broken.yaml"
sed -i 's/kubernetesVersion: "1.35.0"/kubernetesVersion: "1.33.0"/; s/^    externalCloudProvider: .*/    externalCloudProvider: 7/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "mistakes"
document report-mistakes 2 validate --repo "$repo"
sealed=$(find "$repo/out" -name 'secret-*provisioning*' | sort | head -n 1)
sed -i '0,/ENC\[/s//ENC[x/' "$sealed"
commit_all "$repo" "somebody's hand"
document verify-damaged 1 verify --repo "$repo"
repo=$(small scaled)
printf '  defaults: {machineDeployments: output}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "MachineDeployments in the output"
exits "MachineDeployments in the output" 0 "$program" generate --repo "$repo"
sed -i 's/replicas: 3/replicas: 4/' "$repo/clusters/prod/workers.yaml"
commit_all "$repo" "another number of machines"
document plan-scaled 0 plan --repo "$repo"
document report-scaled 1 diff --repo "$repo"

exits "the schema is what the program prints" 0 cmp <("$program" schema output) "$root/docs/output.schema.json"

conform "$scratch"/json/*.json
finish
