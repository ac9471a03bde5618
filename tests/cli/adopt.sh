#!/usr/bin/env bash
# adopt: exports of a live cluster to a folder of git; what is refused; nothing secret in the clear.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

live=$here/adopt/live.yaml

# osp-ubuntu in the export is that of contract 1.
repository() { # NAME: with a Fleet that names a recipient
	mkdir -p "$scratch/$1"
	git -C "$scratch/$1" -c init.defaultBranch=main init -q
	cat >"$scratch/$1/osm-gen.yaml" <<-YAML
		apiVersion: osm-gen.dev/v1alpha1
		kind: Fleet
		spec:
		  contract: 1
		  sealing:
		    recipients: [$recipient]
	YAML
	commit_all "$scratch/$1" "fleet"
}

files() { (cd "$1" && find . -type f ! -path './.git/*' | LC_ALL=C sort | tr '\n' ' '); }

# What a cluster's exports hold, file by file.
repository fleet
cd "$scratch/fleet" || exit 1
exits "a cluster is taken over" 0 "$program" adopt "$live" --cluster prod --into clusters/prod
for words in \
	"MachineDeployment kube-system/old: it is being deleted" \
	"OperatingSystemProfile kube-system/osp-ubuntu: it equals the profile embedded in osm-gen" \
	"OperatingSystemProfile kube-system/osp-rockylinux: it differs from the profile embedded in osm-gen, first in spec.version" \
	"Secret kube-system/bootstrap-token-bbbbbb: it is the controller's token, valid for about an hour" \
	"2 Secrets that the controller made: osm-gen makes them" \
	"1 Secret: nothing that osm-gen reads refers to it" \
	"3 of kind Role: not a kind that osm-gen reads" \
	"argument -node-http-proxy: it holds a password" \
	"argument -worker-count: it has no effect without a controller" \
	"argument -host-ca-bundle: it names a file of the controller's container" \
	"--allow-env prod:OS_PASSWORD" \
	"batch-credentials: new: credentials from the MachineDeployment itself" \
	"osm-gen generate --revisions clusters/revisions"; do
	says "it says so" "$words"
done
same "its files" "./clusters/prod/cloud-init-settings/secret-cloud-init-getter-token.yaml \
./clusters/prod/kube-public/configmap-cluster-info.yaml \
./clusters/prod/kube-system/machinedeployment-batch.yaml \
./clusters/prod/kube-system/machinedeployment-workers.yaml \
./clusters/prod/kube-system/operatingsystemprofile-osp-rockylinux.yaml \
./clusters/prod/kube-system/secret-batch-credentials.yaml \
./clusters/prod/kube-system/secret-hetzner.yaml \
./clusters/prod/osm-gen.yaml ./clusters/revisions/prod.json ./osm-gen.yaml " "$(files .)"
same "its settings" 'apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata:
  name: prod
spec:
  settings:
    clusterDNS: 169.254.20.10
    externalCloudProvider: true
    namespace: kube-system
    pauseImage: registry.example.com/pause:3.10
    nodeContainerdRegistryMirrors:
    - docker.io=https://mirror.example.com' "$(cat clusters/prod/osm-gen.yaml)"
same "nothing of the server's is left" "" "$(grep -rlE \
	'managedFields|resourceVersion|uid:|creationTimestamp|last-applied|clusters.k8s.io/revision:|jws-kubeconfig|^status' clusters/prod)"
same "nothing secret stands in the clear" "" "$(grep -rlE 'CANARY|Q0FOQVJZ|NBTkFSW|DQU5BUl|canarycanary' .)"
same "revisions, with those of MachineSets" '2 "4" "2"' "$(grep -c '"name"' clusters/revisions/prod.json) \
$(sed -n 's/.*revision": \(.*\)/\1/p' clusters/revisions/prod.json | tr '\n' ' ' | sed 's/ $//')"
exits "Secrets open again" 0 "$program" unseal clusters/prod/kube-system/secret-hetzner.yaml
same "with their text" "CANARY-hetzner-token-0123456789abcdef" "$(sed -n 's/^  token: //p' "$scratch/out" | base64 -d)"
exits "and the new one" 0 "$program" unseal clusters/prod/kube-system/secret-batch-credentials.yaml
same "with what stood in the clear" "CANARY-inline-hetzner-token-0123456789" \
	"$(sed -n 's/^  token: //p' "$scratch/out" | base64 -d)"
commit_all . "adopt prod"
exits "it renders" 0 "$program" generate --revisions clusters/revisions
same "with the live revisions" "2 4 " "$(sed -n 's/.*machine-deployment-revision: "\(.*\)"/\1/p' \
	out/prod/management/kube-system/operatingsystemconfig-*.yaml | tr '\n' ' ')"
same "and nothing secret in the output" "" "$(git grep -lE 'CANARY|Q0FOQVJZ|NBTkFSW|DQU5BUl|canarycanary' HEAD)"

# The same export gives the same files with a seed; without one, others that open as well.
repository again
cd "$scratch/again" || exit 1
exits "adopted once more" 0 "$program" adopt "$live" --cluster prod --into clusters/prod
same "the same bytes" "" "$(diff -r clusters "$scratch/fleet/clusters")"
rm -r clusters/prod
exits "after a run that was killed when it had written the revisions" 0 \
	"$program" adopt "$live" --cluster prod --into clusters/prod
same "the same bytes" "" "$(diff -r clusters "$scratch/fleet/clusters")"
rm -r clusters
exits "without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" adopt "$live" --cluster prod --into clusters/prod
same "another ciphertext" "differs" "$(cmp -s clusters/prod/kube-system/secret-hetzner.yaml \
	"$scratch/fleet/clusters/prod/kube-system/secret-hetzner.yaml" || echo differs)"
exits "which opens" 0 "$program" unseal clusters/prod/kube-system/secret-hetzner.yaml

# Flux applies the folder that is written.
mkdir flux && cat >flux/gotk-sync.yaml <<'EOF'
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec:
  path: ./clusters/staging
  sourceRef: {kind: GitRepository, name: flux-system}
EOF
exits "a folder that Flux applies" 0 "$program" adopt "$live" --cluster staging --into clusters/staging/nodes
says "names it" "flux/gotk-sync.yaml:5:9: warning[OSG2115]: Flux's Kustomization flux-system applies clusters/staging/nodes/osm-gen.yaml"
says "encrypted Secrets reach the API server" "has no spec.decryption"
rm -r flux clusters/staging clusters/revisions/staging.json

# Nothing is overwritten, and what fails leaves nothing behind.
unchanged() { same "$1: nothing was written" "$before" "$(files .)"; }
echo >>clusters/revisions/prod.json
before=$(files .)
exits "a folder that is not empty" 3 "$program" adopt "$live" --cluster prod --into clusters/prod
says "it" "error[OSG9010]: --into clusters/prod already exists and is not empty"
exits "the repository itself" 3 "$program" adopt "$live" --cluster prod --into .
exits "other revisions of that cluster" 3 "$program" adopt "$live" --cluster prod --into clusters/other
says "they" "already has revisions of that cluster beside it"
exits "a folder in no repository" 3 "$program" adopt "$live" --cluster prod --into "$scratch/nowhere/prod"
says "it" "is not in a git work tree"
exits "a name that is none" 64 "$program" adopt "$live" --cluster "No Name" --into clusters/x
exits "no name" 64 "$program" adopt "$live" --into clusters/x
unchanged "what is refused"

repository nobody
cd "$scratch/nobody" || exit 1
git rm -q osm-gen.yaml
before=$(files .)
exits "no recipients" 2 "$program" adopt "$live" --cluster prod --into clusters/prod
says "nobody to encrypt to" "error[OSG2042]: no recipient is given to encrypt the cluster's Secrets to"
says "the remedy" "or give --recipient age1..."
exits "a recipient that is none" 2 "$program" adopt "$live" --cluster prod --into clusters/prod --recipient age1x
unchanged "without recipients"
exits "recipients given" 0 "$program" adopt "$live" --cluster prod --into prod --recipient "$recipient"
cat >.sops.yaml <<-YAML
	creation_rules:
	  - path_regex: clusters/.*/secret-.*\.yaml$
	    encrypted_regex: ^(data|stringData)$
	    age: $recipient
YAML
exits "those of .sops.yaml" 0 "$program" adopt "$live" --cluster two --into clusters/two
exits "which open" 0 "$program" unseal clusters/two/kube-system/secret-hetzner.yaml

# Exports: JSON, standard input, several files; cut short; of several clusters.
repository exports
cd "$scratch/exports" || exit 1
python3 - "$live" "$scratch" <<'PY'
import json
import sys

import yaml

live = yaml.safe_load(open(sys.argv[1]))
folder = sys.argv[2]
text = open(sys.argv[1]).read()
json.dump(live, open(folder + "/live.json", "w"), indent=4)
open(folder + "/cut.yaml", "w").write(text[: text.index("kind: List")])
open(folder + "/cut-inside.yaml", "w").write(text[: text.index("jws-kubeconfig") + 3])
whole = json.dumps(live, indent=4)
open(folder + "/cut.json", "w").write(whole[: len(whole) // 2])
machines = [o for o in live["items"] if o["kind"].startswith("Machine")]
others = [o for o in live["items"] if not o["kind"].startswith("Machine")]
typed = {"apiVersion": "v1", "kind": "List", "items": machines}
yaml.safe_dump(typed, open(folder + "/machines.yaml", "w"))
yaml.safe_dump_all(others, open(folder + "/others.yaml", "w"))
for o in live["items"]:
    o["metadata"]["uid"] = o["metadata"]["uid"].replace("0000-4000", "0001-4000")
yaml.safe_dump(live, open(folder + "/other-cluster.yaml", "w"))
controllers = [o for o in live["items"] if o["metadata"]["name"] == "operating-system-manager"]
controllers[0]["metadata"]["namespace"] = "cluster-abcdef"
yaml.safe_dump_all(controllers, open(folder + "/second-controller.yaml", "w"))
yaml.safe_dump_all([o for o in others if o["kind"] == "Secret"], open(folder + "/secrets.yaml", "w"))
for o in machines:
    if o["metadata"]["name"] == "batch":
        o["spec"]["template"]["spec"]["providerSpec"]["value"]["overwriteCloudConfig"] = "password = CANARY-cloud-config\n"
yaml.safe_dump(typed, open(folder + "/cloud-config.yaml", "w"))
open(folder + "/nothing.yaml", "w").write("# nothing\n")
PY
exits "an export as JSON" 0 "$program" adopt "$scratch/live.json" --cluster prod --into json/prod
same "gives the same" "" "$(diff -r json/prod "$scratch/fleet/clusters/prod")"
exits "several exports" 0 "$program" adopt "$scratch/machines.yaml" "$scratch/others.yaml" --cluster prod --into two/prod
same "give the same values" "$(files "$scratch/fleet/clusters/prod")" "$(files two/prod)"
exits "an export twice" 0 "$program" adopt "$live" "$scratch/live.json" --cluster prod --into twice/prod
"$program" adopt - --cluster prod --into stdin/prod <"$live" 2>"$scratch/err"
same "an export on standard input" "" "$(diff -r stdin/prod "$scratch/fleet/clusters/prod")"
before=$(files .)
exits "a List that is cut short" 2 "$program" adopt "$scratch/cut.yaml" --cluster c --into c
says "where it ends" "cut.yaml:$(wc -l <"$scratch/cut.yaml"):"
says "what it is" "error[OSG2040]: the export is cut short: its List ends without a kind"
exits "one cut in a line" 2 "$program" adopt "$scratch/cut-inside.yaml" --cluster c --into c
says "where" "cut-inside.yaml:5:"
exits "JSON cut short" 2 "$program" adopt "$scratch/cut.json" --cluster c --into c
says "where" "cut.json:$(wc -l <"$scratch/cut.json" | awk '{print $1 + 1}'):"
exits "an empty export" 2 "$program" adopt "$scratch/nothing.yaml" --cluster c --into c
says "it" "error[OSG2040]: the export is empty"
exits "two clusters" 2 "$program" adopt "$live" "$scratch/other-cluster.yaml" --cluster c --into c
says "they" "error[OSG2041]: ConfigMap kube-public/cluster-info is in the exports twice"
exits "two controllers" 2 "$program" adopt "$live" "$scratch/second-controller.yaml" --cluster c --into c
says "they" "the exports hold the controllers of two clusters"
exits "no MachineDeployment" 2 "$program" adopt "$scratch/secrets.yaml" --cluster c --into c
says "it" "error[OSG2044]: the exports hold no MachineDeployment or OperatingSystemConfig to adopt"
exits "a credential that no Secret can hold" 2 "$program" adopt "$scratch/cloud-config.yaml" --cluster c --into c
says "it" "error[OSG2043]: overwriteCloudConfig of a MachineDeployment holds a credential"
same "and is not shown" "" "$(grep CANARY "$scratch/err")"
exits "an export that is not there" 3 "$program" adopt "$scratch/missing.yaml" --cluster c --into c
unchanged "what is no export"

# cluster-info is what every joining machine may read, so that it stays clear, and reviewers see the API server;
# one with a credential in it is encrypted, and who has no key still sees what a change does.
without_keys() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }
for kind in clear sealed; do
	repository "info-$kind"
	cd "$scratch/info-$kind" || exit 1
	cp "$live" "$scratch/info.yaml"
	[ $kind = clear ] || sed -i 's/^      users: null$/      users: [{name: x, user: {token: CANARY-token-of-cluster-info}}]/' "$scratch/info.yaml"
	exits "cluster-info, $kind" 0 "$program" adopt -q "$scratch/info.yaml" --cluster prod --into clusters/prod
	same "cluster-info, $kind: encrypted" "$([ $kind = clear ] || echo 1)" \
		"$(grep -c 'kubeconfig: ENC' clusters/prod/kube-public/configmap-cluster-info.yaml | grep -v '^0')"
	same "cluster-info, $kind: nothing secret" "" "$(grep -rl CANARY .)"
	commit_all . "adopt prod"
	exits "cluster-info, $kind: generate" 0 "$program" generate -q --revisions clusters/revisions
	config=out/prod/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml
	same "cluster-info, $kind: the API server" "$([ $kind = sealed ] || echo https://api.prod.example.com:6443)" \
		"$(grep -o 'https://api.prod.example.com:6443' $config | sort -u)"
	exits "cluster-info, $kind: validate" 0 without_keys validate
	exits "cluster-info, $kind: plan without keys" 0 without_keys plan
	same "cluster-info, $kind: sees no change" "no machine is replaced, and no user-data changes" "$(head -n 1 "$scratch/out")"
	exits "cluster-info, $kind: diff without keys" 0 without_keys diff
	sed -i 's/kubelet: .*/kubelet: 1.34.9/' clusters/prod/kube-system/machinedeployment-workers.yaml
	commit_all . "another kubelet"
	exits "cluster-info, $kind: a change, without keys" 0 without_keys plan
	ok "cluster-info, $kind: is seen" grep -qF -- '-> 1.34.9' "$scratch/out"
done
exits "encrypted, with the seed and no identity" 3 env -u SOPS_AGE_KEY_FILE "$program" plan
same "is one error" 1 "$(grep -c 'error\[' "$scratch/err")"
says "that says so" "note: so is ConfigMap kube-public/cluster-info"
finish
