#!/usr/bin/env bash
# adopt, compare and observe for a cluster that Gardener runs: OperatingSystemConfigs, their files and Secrets.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

leaks='CANARY|Q0FOQVJZ|NBTkFSW|DQU5BUl|canary\.0|cAuMDEy|Y2FuYXJ5Lj'
namespace=shoot--garden--prod
for contract in current 2021; do
	for side in seed shoot; do
		python3 -B "$here/_gardener_export.py" "$contract" "$side" >"$scratch/$contract-$side.json"
	done
done
repository() { # NAME
	mkdir -p "$scratch/$1"
	git -C "$scratch/$1" -c init.defaultBranch=main init -q
	printf '%s\n' 'apiVersion: osm-gen.dev/v1alpha1' 'kind: Fleet' 'spec:' \
		"  sealing: {recipients: [$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")]}" >"$scratch/$1/osm-gen.yaml"
	commit_all "$scratch/$1" fleet
}
# The export after osm-gen's output was applied: its Secrets, and its status in place of the extension's.
applied() { # CONTRACT
	{
		find out/*/* -path '*/status' -prune -o -name 'secret-*.yaml' -print | sort | while read -r file; do
			"$program" unseal "$file"
			echo ---
		done
	} >"$scratch/secrets.yaml"
	python3 -B - "$scratch/$1-seed.json" "$scratch/secrets.yaml" <<'PYTHON'
import glob, json, sys, yaml
status = {}
for path in glob.glob("out/*/status/*/operatingsystemconfig-*.yaml"):
    found = yaml.safe_load(open(path))
    status[found["metadata"]["name"]] = found["status"]
objects = [d for d in yaml.safe_load_all(open(sys.argv[2])) if d]
for found in json.load(open(sys.argv[1]))["items"]:
    name = found["metadata"]["name"]
    if name.startswith("osc-result-"):
        continue
    if name in status:
        found["status"] = {**status[name], "lastOperation": {"description": "by an extension"}, "conditions": []}
    objects.append(found)
json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, sys.stdout)
PYTHON
}
get() { # FILE EXPRESSION: of the manifest d
	python3 -c 'import sys, yaml; d = yaml.safe_load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

# ---- contract current ------------------------------------------------------------------------------
key=gardener-node-agent-worker-0123456789abcdef
repository current
cd "$scratch/current" || exit 1
exits "a cluster is taken over" 0 "$program" adopt "$scratch/current-seed.json" "$scratch/current-shoot.json" --cluster prod --into clusters/prod
for words in \
	"${key/worker/other}-original: its status keeps the fields that an extension added, since osm-gen has no document for its type" \
	"$key-original-credentials: new: 3 files of OperatingSystemConfig $namespace/$key-original that may hold a secret" \
	"label helm.sh/chart of 1 object: no object that osm-gen reads uses it" \
	"2 Secrets that the controller made: osm-gen makes them" \
	"1 of kind Worker: not a kind that osm-gen reads"; do
	says "it says so" "$words"
done
ok "no other system is missed" sh -c "! grep -qE 'cloud-init-getter|controller.s Deployment|status\.' '$scratch/err'"
same "its files" "operatingsystemconfig-${key/worker/other}-original.yaml operatingsystemconfig-$key-init.yaml operatingsystemconfig-$key-original.yaml \
secret-ca-kubelet.yaml secret-$key-original-credentials.yaml" "$(find clusters/prod/$namespace -type f -printf '%f\n' | LC_ALL=C sort | paste -sd' ')"
same "its settings" "{'gardenerNodeAgentSecrets': True}" "$(get clusters/prod/osm-gen.yaml 'd["spec"]["settings"]')"
same "nothing of the server's is left" "" "$(grep -rlE 'managedFields|resourceVersion|uid:|generation|creationTimestamp|finalizers|timestamp' clusters)"
same "nothing secret is in the clear" "" "$(grep -rlE "$leaks" . "$scratch/err")"
manifest=clusters/prod/$namespace/operatingsystemconfig-$key-original.yaml
same "files that may hold a secret refer to it" "/root/.netrc root-.netrc,/var/lib/kubelet/kubeconfig-bootstrap var-lib-kubelet-kubeconfig-bootstrap" \
	"$(get $manifest '",".join(sorted(f["path"] + " " + f["content"]["secretRef"]["dataKey"] for f in d["spec"]["files"]
		if f["content"].get("secretRef", {}).get("name", "").endswith("-credentials") and "health" not in f["path"]))')"
same "the others stay" "/etc/systemd/journald.conf,/var/lib/kubelet/config" \
	"$(get $manifest '",".join(sorted(f["path"] for f in d["spec"]["files"] if "inline" in f["content"]))')"
same "as do annotations that are read, and labels" "{'reconciliation.osc.node-agent.gardener.cloud/serial': '1'} {'worker.gardener.cloud/pool': 'worker'}" \
	"$(get $manifest 'str(d["metadata"]["annotations"]) + " " + str(d["metadata"]["labels"])')"
same "a status only where it is needed" "False True" \
	"$(get $manifest '"status" in d') $(get "${manifest/worker/other}" 'list(d["status"]) == ["extensionFiles"]')"
exits "the new Secret opens" 0 "$program" unseal "clusters/prod/$namespace/secret-$key-original-credentials.yaml"
same "with the file's bytes" "password CANARYpull71secret" "$(sed -n 's/^  root-.netrc: //p' "$scratch/out" | base64 -d | tail -n 1)"
commit_all . adopt
exits "it renders" 0 "$program" generate
same "nothing secret is in the output" "" "$(git grep -lE "$leaks" HEAD)"
applied current >"$scratch/applied.json"
exits "compare: the same cluster with that output" 0 "$program" compare -v --live "$scratch/applied.json"
for words in \
	"equal: OperatingSystemConfig $namespace/$key-init" \
	"equal but for files that git holds in a Secret: OperatingSystemConfig $namespace/$key-original" \
	"equal: Secret kube-system/$key"; do
	ok "it says: $words" grep -qxF "$words" "$scratch/out"
done
exits "observe: it is settled" 0 "$program" observe "$scratch/applied.json"
exits "observe: also without the inputs" 0 "$program" observe "$scratch/secrets.yaml"

# ---- what differs ----------------------------------------------------------------------------------
changed() { # STATEMENT: of the applied cluster
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
osc = {o["metadata"]["name"]: o for o in d["items"] if o["kind"] == "OperatingSystemConfig"}
main = next(o for n, o in osc.items() if n.endswith("worker-0123456789abcdef-original"))
exec(sys.argv[2])
json.dump(d, sys.stdout)' "$scratch/applied.json" "$1" >"$scratch/changed.json"
}
differs() { # PLACE STATEMENT
	changed "$2"
	exits "compare: $1" 1 "$program" compare --live "$scratch/changed.json"
	ok "the place: $1" grep -qF "$key-original, first in $1" "$scratch/out"
	same "no secret is shown" "" "$(grep -E "$leaks|another-word" "$scratch/out" "$scratch/err")"
}
differs "spec.files[0].content.inline.data" 'main["spec"]["files"][0]["content"]["inline"]["data"] = "YW5vdGhlci13b3Jk"'
ok "its content is not shown" sh -c "! grep -q YW5vdGhlci13b3Jk '$scratch/out'"
differs "spec.files[3].content.secretRef" 'main["spec"]["files"][3]["content"]["inline"]["data"] = "YW5vdGhlci13b3Jk"'
differs "spec.units[0].enable" 'main["spec"]["units"][0]["enable"] = False'
differs "spec.criConfig.containerd.sandboxImage" 'main["spec"]["criConfig"]["containerd"]["sandboxImage"] = "x"'
differs "status.extensionUnits" 'main["status"]["extensionUnits"] = [{"name": "another-word.service"}]'
differs "status.extensionFiles[0].content.inline.data" 'main["status"]["extensionFiles"][0]["content"]["inline"]["data"] += "another-word"'
differs "metadata.labels.worker.gardener.cloud/pool" 'main["metadata"]["labels"]["worker.gardener.cloud/pool"] = "x"'
differs "metadata.annotations.reconciliation.osc.node-agent.gardener.cloud/serial" 'main["metadata"]["annotations"] = {}'
changed 'main["spec"]["files"][0]["content"]["inline"] = {"encoding": "", "data": __import__("base64").b64decode(main["spec"]["files"][0]["content"]["inline"]["data"]).decode()}'
exits "compare: the same bytes in another encoding are equal" 0 "$program" compare --live "$scratch/changed.json"
changed 'del main["status"]'
exits "compare: without a status, nobody writes one" 0 "$program" compare --live "$scratch/changed.json"
changed 'main["metadata"]["name"] += "-2"'
exits "compare: one is gone, one is new" 1 "$program" compare --live "$scratch/changed.json"
ok "only here" grep -qxF "only here: OperatingSystemConfig $namespace/$key-original" "$scratch/out"
ok "only live" grep -qxF "only live: OperatingSystemConfig $namespace/$key-original-2" "$scratch/out"
exits "observe: one that the output does not know" 1 "$program" observe "$scratch/changed.json"
ok "only live" grep -qxF "only live: OperatingSystemConfig $namespace/$key-original-2" "$scratch/out"

# ---- refused ---------------------------------------------------------------------------------------
refused() { # NAME CODE TEXT STATEMENT: of the export
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
main = next(o for o in d["items"] if o["metadata"]["name"].endswith("worker-0123456789abcdef-original"))
exec(sys.argv[2])
json.dump(d, sys.stdout)' "$scratch/current-seed.json" "$4" >"$scratch/refused.json"
	exits "refused: $1" 2 "$program" adopt "$scratch/refused.json" --cluster bad --into clusters/bad
	says "$1" "error[$2]"
	says "$1" "$3"
	ok "nothing is written" test ! -e clusters/bad
	same "nothing secret is shown" "" "$(grep -E 'Tulip1234567' "$scratch/out" "$scratch/err")"
}
refused "a secret in a unit" OSG2061 "spec.units.content of OperatingSystemConfig" 'main["spec"]["units"][0]["content"] += "Environment=DB_PASSWORD=Tulip1234567\n"'
says "the remedy" "move it to a file of spec.files, which can refer to a Secret"
refused "a private key in a drop-in" OSG2060 "spec.units.dropIns.content" \
	'main["spec"]["units"][0]["dropIns"][0]["content"] = "-----BEGIN RSA PRIVATE KEY-----\nVHVsaXAxMjM0NTY3MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=\n-----END RSA PRIVATE KEY-----\n"'
refused "a password deep in providerConfig" OSG2061 "spec.providerConfig.mirrors.password" 'main["spec"]["providerConfig"] = {"mirrors": [{"password": "Tulip1234567"}]}'
refused "a file of status" OSG2061 "status.extensionFiles.content.inline.data" \
	'main["spec"]["type"] = "talos"; main["status"]["extensionFiles"] = [{"path": "/x", "content": {"inline": {"encoding": "", "data": "password: Tulip1234567"}}}]'

# A Secret of that name is in the cluster.
python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
one = next(o for o in d["items"] if o["metadata"]["name"] == "cloudprovider")
one["metadata"]["name"] = sys.argv[2] + "-original-credentials"
json.dump(d, sys.stdout)' "$scratch/current-seed.json" "$key" >"$scratch/taken.json"
exits "a name that is taken" 0 "$program" adopt "$scratch/taken.json" --cluster two --into clusters/two
says "another name" "Secret $namespace/$key-original-credentials-2: new"
says "without Secrets of nodes it says which are missing" "gardenerNodeAgentSecrets: the exports have no Secret of gardener-node-agent"

# ---- contract 2021 ---------------------------------------------------------------------------------
key=cloud-config-worker-0a1b2
repository old
cd "$scratch/old" || exit 1
exits "2021: a cluster is taken over" 0 "$program" adopt "$scratch/2021-seed.json" "$scratch/2021-shoot.json" --cluster prod --into clusters/prod
says "what writes the nodes' Secrets" "gardenerFlow: gardenlet writes the nodes' Secrets and their tokens"
says "the key of the downloader" "$key-downloader-credentials: new: 1 file of OperatingSystemConfig"
same "2021: its settings" "{'gardenerContract': '2021'}" "$(get clusters/prod/osm-gen.yaml 'd["spec"]["settings"]')"
same "2021: nothing secret is in the clear" "" "$(grep -rlE "$leaks" . "$scratch/err")"
same "a placeholder stays, in clear text" "{'inline': {'encoding': '', 'data': '<<BOOTSTRAP_TOKEN>>'}, 'transmitUnencoded': True}" \
	"$(get "clusters/prod/$namespace/operatingsystemconfig-$key-downloader.yaml" 'd["spec"]["files"][0]["content"]')"
commit_all . adopt
exits "2021: it renders" 0 "$program" generate
same "2021: nothing secret is in the output" "" "$(git grep -lE "$leaks" HEAD)"
applied 2021 >"$scratch/applied.json"
exits "2021: compare" 0 "$program" compare -v --live "$scratch/applied.json"
ok "2021: equal, with the status" grep -qxF "equal but for files that git holds in a Secret: OperatingSystemConfig $namespace/$key-original" "$scratch/out"
sed 's#/usr/bin/env bash /var#/usr/bin/env sh /var#g' "$scratch/applied.json" >"$scratch/changed.json"
exits "2021: another command" 1 "$program" compare --live "$scratch/changed.json"
ok "2021: its place" grep -qF "first in status.command" "$scratch/out"

# ---- nothing to take ---------------------------------------------------------------------------------
exits "Secrets alone" 2 "$program" adopt "$scratch/2021-shoot.json" --cluster three --into clusters/three
says "what is missing" "error[OSG2044]: the exports hold no MachineDeployment or OperatingSystemConfig to adopt"
finish
