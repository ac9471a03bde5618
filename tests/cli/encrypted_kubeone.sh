#!/usr/bin/env bash
# A KubeOneCluster and Terraform's output that sops has encrypted (docs/spec/kubeone.md 1). sops 3.13.3 made the files in
# encrypted_kubeone/ for the test identity, from those with "clear" in their names.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
files=$here/encrypted_kubeone
folder=clusters/prod
put() { # REPO KUBEONE TF
	cp "$files/$2" "$1/$folder/kubeone.yaml"
	cp "$files/$3" "$1/$folder/tf.json"
	commit_all "$1" "$2 and $3"
}
cluster() { # NAME KUBEONE TF: a repository
	local repo
	repo=$(small "$1")
	rm "$repo/$folder/workers.yaml"
	grep -q terraformOutput "$repo/$folder/osm-gen.yaml" || printf '  terraformOutput: tf.json\n' >>"$repo/$folder/osm-gen.yaml"
	put "$repo" "$2" "$3"
	echo "$repo"
}
keyless() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }
hides() { # NAME FILE...: no encrypted value is in them
	local what=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	ok "$what: nothing is shown" bash -c '! grep -rqE "TESTONLY(cloud-config|proxy|noproxy|mirror|password|image|flavor|unread)" "$@"' bash "$@"
}
user_data() { # REPO: what machines get, from files and patches that are sealed
	(cd "$1" && "$program" unseal out/prod/worker/cloud-init-settings/secret-*.yaml) | python3 -c '
import base64, sys, yaml
for document in yaml.load_all(sys.stdin, yaml.CSafeLoader):
    for key, text in sorted((document.get("data") or {}).items()):
        print(base64.b64decode(text))'
}

# ---- opened ----------------------------------------------------------------------------------------------------
clear=$(cluster clear kubeone-clear.yaml tf-clear.json)
exits "in the clear" 0 "$program" --repo "$clear"
for pair in "kubeone-clear.yaml tf.json" "kubeone.yaml tf-clear.json" "kubeone.yaml tf.json"; do
	# shellcheck disable=SC2086 # words
	set -- $pair
	repo=$(cluster "open-$1-$2" "$1" "$2")
	exits "$pair" 0 "$program" --repo "$repo" --report "json=$scratch/report.json" --report "html=$scratch/report.html"
	[ "$pair" = "kubeone.yaml tf.json" ] && hides "$pair" "$repo/out" "$scratch/out" "$scratch/err" "$scratch/report.json" "$scratch/report.html"
	same "$pair: user-data is the same" "$(user_data "$clear" | sha256sum)" "$(user_data "$repo" | sha256sum)"
	exits "$pair: check" 0 "$program" check --no-proofs --repo "$repo"
done
ok "marks in the OperatingSystemConfig" grep -rqF "<sealed:kubeone_workers.value.pool1.providerSpec.cloudProviderSpec.flavor>" "$repo/out/prod/management"
ok "a number is a mark, too" grep -rqF "<sealed:kubeone_workers.value.pool1.providerSpec.cloudProviderSpec.rootDiskSizeGB>" "$repo/out/prod/management"
ok "and a boolean" grep -rqF "<sealed:kubeone_workers.value.pool1.providerSpec.cloudProviderSpec.trustDevicePath>" "$repo/out/prod/management"
same "clear files differ where they have marks only" "" \
	"$(diff -r "$clear/out/prod/management" "$repo/out/prod/management" | grep '^>' | grep -vE '<sealed:|cloud-init-settings|kubeone' | head -n 5)"
ok "the index lists what was encrypted" grep -q encryptedSettings "$repo/out/prod/index.json"
for command in "config show" "config show -o json" list inventory "plan -o json" "render --machine-deployment kube-system/pool1 --print osc"; do
	# shellcheck disable=SC2086 # words
	"$program" $command --repo "$repo" >"$scratch/out" 2>"$scratch/err"
	hides "$command" "$scratch/out" "$scratch/err"
done

# ---- MachineDeployments in the output ---------------------------------------------------------------------------
sed -i 's/settings: *{/&machineDeployments: output, /; s/^  settings:$/&\n    machineDeployments: output/' "$repo/$folder/osm-gen.yaml"
grep -q 'machineDeployments: output' "$repo/$folder/osm-gen.yaml" || printf '  settings: {machineDeployments: output}\n' >>"$repo/$folder/osm-gen.yaml"
commit_all "$repo" "with MachineDeployments"
exits "MachineDeployments" 0 "$program" --allow-roll --repo "$repo"
hides "MachineDeployments" "$repo/out" "$scratch/err"
(cd "$repo" && "$program" unseal "out/$(basename $folder)"/worker/kube-system/machinedeployment-pool1.yaml) >"$scratch/out"
ok "opened: the number" grep -qE '^ +rootDiskSizeGB: 50$' "$scratch/out"
ok "opened: the boolean" grep -qE '^ +trustDevicePath: true$' "$scratch/out"
git -C "$repo" reset -q --hard HEAD~2

# ---- without keys ------------------------------------------------------------------------------------------------
for command in validate plan diff; do
	exits "keyless: $command" 0 keyless "$command" --repo "$repo"
	says "keyless: $command" "warning[OSG2087]: encrypted inputs are not decrypted here"
done
exits "no identity" 3 env -u SOPS_AGE_KEY_FILE "$program" check --no-proofs --repo "$repo"
says "no identity: the file" "$folder/kubeone.yaml:"
says "no identity" "error[OSG2017]: inputs are encrypted, and no age identity is given"
says "no identity: the recipient" "encrypted to $recipient"
says "no identity: what to do" "set SOPS_AGE_KEY"
"$program" keygen identity >"$scratch/other.txt"
exits "another identity" 3 env SOPS_AGE_KEY_FILE="$scratch/other.txt" "$program" check --no-proofs --repo "$repo"
says "another identity" "error[OSG5041]"

# ---- what somebody changed -----------------------------------------------------------------------------------------
base=$(git -C "$repo" rev-parse HEAD)
edited() { # WHAT FILE SED WORDS
	sed -i "$3" "$repo/$folder/$2"
	commit_all "$repo" "$1"
	exits "$1" 2 "$program" --repo "$repo"
	says "$1" "$4"
	hides "$1" "$scratch/err"
	git -C "$repo" reset -q --hard "$base"
}
edited "a MAC of Terraform's output" tf.json 's/"mac": "ENC\[AES256_GCM,data:..../&AAAA/' OSG504
edited "a MAC of the manifest" kubeone.yaml 's/mac: ENC\[AES256_GCM,data:..../&AAAA/' OSG504
edited "a clear value that the MAC covers" kubeone.yaml 's/replicas: 2/replicas: 3/' OSG5042
edited "a value that was moved" tf.json 's/"image":/"subnet":/' OSG504

# ---- what cannot be encrypted ----------------------------------------------------------------------------------------
cp "$files/names.yaml" "$repo/$folder/kubeone.yaml"
commit_all "$repo" names
for command in generate validate; do
	exits "a name: $command" 2 "$program" $command --repo "$repo"
	says "a name: $command" "error[OSG2076]: name cannot be encrypted"
	says "a name: $command: all places" "note: nor can dynamicWorkers.replicas"
	same "a name: $command: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
done
git -C "$repo" reset -q --hard "$base"

# ---- deputies --------------------------------------------------------------------------------------------------------
mkdir -p "$repo/clusters/other"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: other}\nspec: {terraformOutput: ../prod/tf.json}\n' >"$repo/clusters/other/osm-gen.yaml"
cp "$files/kubeone-clear.yaml" "$repo/clusters/other/kubeone.yaml"
commit_all "$repo" "another cluster's file"
for command in generate validate; do
	exits "another cluster's file: $command" 2 "$program" $command --repo "$repo"
	says "another cluster's file: $command" "error[OSG2022]: cluster other names an encrypted file of cluster prod"
done
finish
