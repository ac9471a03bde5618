#!/usr/bin/env bash
# adopt: secrets in places of an export where nobody looks for them. What is left out, moved, sealed and refused; and a fork of
# an older default profile.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mkdir -p "$scratch/fleet"
cd "$scratch/fleet" || exit 1
git -c init.defaultBranch=main init -q
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing:\n    recipients: [%s]\n' "$recipient" >osm-gen.yaml
"$program" profiles show osp-ubuntu >"$scratch/profile.yaml"

# The exports, one a case: TEST-ONLY secrets in a small cluster.
python3 - "$here/adopt/live.yaml" "$scratch" <<'PY'
import base64
import copy
import gzip
import json
import sys
import zlib

import yaml

folder = sys.argv[2]
items = yaml.safe_load(open(sys.argv[1]))["items"]
kept = [o for o in items if (o["kind"], o["metadata"]["name"]) in
        {("ConfigMap", "cluster-info"), ("MachineDeployment", "workers"), ("Secret", "hetzner"), ("Secret", "cloud-init-getter-token")}]
TOKEN = "TEST-ONLY-q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp"  # its last word is what is looked for
WORD = TOKEN.split("-")[-1]
KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAVEVTVC1PTkxZ" + WORD + "\n-----END OPENSSH PRIVATE KEY-----\n"


def case(name, change):
    objects = copy.deepcopy(kept)
    unit = next(o for o in objects if o["kind"] == "MachineDeployment")
    change(unit, objects)
    yaml.safe_dump({"apiVersion": "v1", "items": objects, "kind": "List"}, open(f"{folder}/{name}.yaml", "w"))


def value(unit):
    return unit["spec"]["template"]["spec"]["providerSpec"]["value"]


def annotate(unit, objects):
    whole = json.dumps({"kind": "MachineDeployment", "spec": {"token": TOKEN}})
    for o in objects:
        o["metadata"].setdefault("annotations", {}).update({
            "kapp.k14s.io/original": whole, "kapp.k14s.io/original-diff-md5": "0123456789abcdef0123456789abcdef",
            "objectset.rio.cattle.io/applied": base64.b64encode(gzip.compress(whole.encode())).decode(),
            "banzaicloud.com/last-applied": base64.b64encode(zlib.compress(whole.encode())).decode(),
            "example.com/note": TOKEN})
        o["metadata"].setdefault("labels", {}).update({
            "objectset.rio.cattle.io/hash": "0123456789abcdef0123456789abcdef01234567", "kapp.k14s.io/app": "1700000000000", "release": WORD, "team": "infra"})
    unit["spec"]["extra"] = {"token": TOKEN}
    unit["metadata"]["annotations"]["v1.kubelet-config.machine-controller.kubermatic.io/MaxPods"] = "50"


def in_cloud(key, text):
    def change(unit, objects):
        value(unit)["cloudProviderSpec"][key] = text
    return change


def packed(text, times):
    for _ in range(times):
        text = base64.b64encode(gzip.compress(text.encode())).decode()
    return text


case("annotations", annotate)
case("bearer", in_cloud("httpHeader", "Authorization: Bearer " + WORD))
case("tags", in_cloud("labels", {"owner": WORD}))
case("packed-tags", in_cloud("labels", {"owner": packed("the secret is " + WORD, 3)}))
case("known", in_cloud("labels", {"owner": packed("see CANARY-hetzner-token-0123456789abcdef", 2)}))
def in_other_secret(unit, objects):
    """A hexadecimal token in a field for identifiers, and in a Secret that nothing reads."""
    number = "0123456789abcdef0123456789abcd" + "ef" * 5
    in_cloud("projectID", number)(unit, objects)
    objects.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "default"},
                    "data": {"token": base64.b64encode(number.encode()).decode()}})


def project(unit, objects):
    number = "fedcba9876543210fedcba9876543210"
    in_cloud("projectID", number)(unit, objects)
    objects.append({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other", "namespace": "default"},
                    "data": {"OS_PROJECT_ID": base64.b64encode(number.encode()).decode()}})


case("project", project)
case("other-secret", in_other_secret)
case("key", lambda unit, objects: value(unit).update(sshPublicKeys=["ssh-ed25519 AAAA ops@example.com", KEY]))
case("age", lambda unit, objects: value(unit).update(sshPublicKeys=["AGE-SECRET-KEY-1" + WORD.upper()]))
case("template-label", lambda unit, objects: unit["spec"]["template"]["metadata"]["labels"].update(pool=WORD))
case("template-key", lambda unit, objects: unit["spec"]["template"]["metadata"]["labels"].update({WORD: "x"}))
case("named-json", lambda unit, objects: unit["spec"]["template"]["metadata"]["labels"].update(password='{"note": "Falcon-712!"}'))
case("named-map", lambda unit, objects: unit["spec"]["selector"]["matchLabels"].update(Authorization={"value": "Falcon-712!"}))
case("named-list", lambda unit, objects: unit["spec"]["selector"]["matchLabels"].update(password=["Falcon-712!"]))
case("data-key", lambda unit, objects: next(o for o in objects if o["metadata"]["name"] == "hetzner")["data"].update({WORD: "eA=="}))
case("config-map", lambda unit, objects: (
    in_cloud("location", {"configMapKeyRef": {"namespace": "kube-system", "name": "places", "key": "location"}})(unit, objects),
    objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "places", "namespace": "kube-system"},
                    "data": {"location": "fsn1", "motd": packed("token: " + WORD, 2)}})))
profile = yaml.safe_load(open(folder + "/profile.yaml"))


def fork(unit, objects, change):
    mine = copy.deepcopy(profile)
    mine["metadata"].update(name="corp-ubuntu", namespace="kube-system")
    change(mine)
    unit["metadata"]["annotations"]["k8c.io/operating-system-profile"] = "corp-ubuntu"
    objects.append(mine)


def older(mine):
    mine["spec"]["supportedCloudProviders"].insert(3, {"name": "equinixmetal"})
    mine["spec"]["supportedCloudProviders"].append({"name": "packet"})


def login(mine):
    mine["spec"]["provisioningConfig"]["files"][0]["content"]["inline"]["data"] += "\ncurl -H 'Authorization: Bearer " + WORD + "' https://x\n"


case("older", lambda unit, objects: fork(unit, objects, older))
case("login", lambda unit, objects: fork(unit, objects, login))
gone = copy.deepcopy(profile)
gone["metadata"].update(name="osp-centos", namespace="kube-system")
gone["spec"]["osName"] = "centos"
case("centos", lambda unit, objects: objects.append(gone))
PY
word=q7Rk2Vx9Lm4Tz8Wc5Nf3Bd6Hs1Jg0Yp
# shellcheck disable=SC2317 # exits calls it
adopt() { rm -rf clusters && "$program" adopt "$scratch/$1.yaml" --cluster prod --into clusters/prod "${@:2}"; }
clean() { # NAME: the word is in no file, in no form that grep finds, and in no message
	same "$1: nothing secret is in the clear" "" "$(grep -rlE "$word|${word^^}" clusters 2>/dev/null)$(grep -E "$word|${word^^}" "$scratch/out" "$scratch/err")"
}
refused() { # NAME TEXT
	exits "$1 is refused" 2 adopt "$1"
	says "$1: it says" "$2"
	same "$1: nothing was written" "" "$(ls clusters 2>/dev/null)"
	clean "$1"
}

# What nobody reads is left out, and said.
exits "annotations with whole objects" 0 adopt annotations
clean "annotations"
same "annotations that are read are kept" "    k8c.io/operating-system-profile: osp-ubuntu
    v1.kubelet-config.machine-controller.kubermatic.io/MaxPods: \"50\"" \
	"$(sed -n '/^  annotations:/,/^  [a-z]/{/^    /p}' clusters/prod/kube-system/machinedeployment-workers.yaml)"
same "labels of a person are kept" "    team: infra" \
	"$(sed -n '/^  labels:/,/^  [a-z]/{/^    /p}' clusters/prod/kube-system/machinedeployment-workers.yaml)"
same "nothing of tools is left" "" "$(grep -rE 'kapp|cattle|banzai|example.com/note|extra' clusters)"
for words in "annotation kapp.k14s.io/original of 4 objects" "annotation objectset.rio.cattle.io/applied of 4 objects" \
	"annotation banzaicloud.com/last-applied of 4 objects" "label objectset.rio.cattle.io/hash of 4 objects" \
	"label release of 1 object: it looks like a secret" "field spec.extra of 1 object"; do
	says "it says so" "$words"
done

# What may be in a Secret is moved there, and is the same to those who read it.
exits "a token in another field of cloudProviderSpec" 0 adopt bearer
clean "bearer"
exits "it is in a Secret" 0 "$program" unseal clusters/prod/kube-system/secret-workers-credentials.yaml
same "with its text" "Authorization: Bearer $word" "$(sed -n 's/^  httpHeader: //p' "$scratch/out" | base64 -d)"
ok "which git's manifest names" grep -q 'key: httpHeader' clusters/prod/kube-system/machinedeployment-workers.yaml
exits "a ConfigMap with a packed token" 0 adopt config-map
ok "is encrypted" grep -q 'motd: ENC' clusters/prod/kube-system/configmap-places.yaml
clean "config-map"

# What may not is refused, with the place and a way out.
refused key "error[OSG2060]: spec.template.spec.providerSpec.value.sshPublicKeys of MachineDeployment kube-system/workers holds a private key"
says "it names the line" "key.yaml:$(grep -n 'BEGIN OPENSSH' "$scratch/key.yaml" | cut -d: -f1):"
refused age "error[OSG2060]"
exits "no option allows a private key" 2 adopt key --allow-clear MachineDeployment/kube-system/workers:spec.template.spec.providerSpec.value.sshPublicKeys
refused tags "error[OSG2061]: spec.template.spec.providerSpec.value.cloudProviderSpec.labels.owner of MachineDeployment kube-system/workers looks like a random word"
refused packed-tags "error[OSG2061]"
refused known "looks like a packed text with the secret kube-system/hetzner:token"
exits "a project's number in such a Secret is none" 0 adopt project
refused other-secret "error[OSG5050]: kube-system/machinedeployment-workers.yaml would hold the secret default/other:token in clear"
refused data-key "error[OSG2061]: a key in data of Secret kube-system/hetzner looks like a random word"
refused template-key "error[OSG2061]: a key in spec.template.metadata.labels of MachineDeployment kube-system/workers"
refused named-json "error[OSG2061]: spec.template.metadata.labels.password of MachineDeployment kube-system/workers looks like a value after a credential's name"
refused named-map "error[OSG2061]: spec.selector.matchLabels.Authorization.value of MachineDeployment kube-system/workers"
refused named-list "error[OSG2061]: spec.selector.matchLabels.password of MachineDeployment kube-system/workers"
refused login "of OperatingSystemProfile kube-system/corp-ubuntu looks like a token or password of HTTP"
refused template-label "error[OSG2061]: spec.template.metadata.labels.pool of MachineDeployment kube-system/workers looks like a random word"
option=$(grep -o -e '--allow-clear [^ ]*' "$scratch/err")
same "the way out is said" "--allow-clear MachineDeployment/kube-system/workers:spec.template.metadata.labels.pool" "$option"
# shellcheck disable=SC2086
exits "and works" 0 adopt template-label $option
ok "the label is kept: no machine is replaced" grep -q "pool: $word" clusters/prod/kube-system/machinedeployment-workers.yaml

# A fork of an older default profile names clouds that the schema has dropped.
exits "a fork of an older default profile" 0 adopt older
says "it says what it left out" "equinixmetal, packet in supportedCloudProviders of OperatingSystemProfile kube-system/corp-ubuntu: the current schema of profiles"
same "the rest is as it was" "True" "$(python3 -c '
import sys, yaml
print(*[yaml.safe_load(open(sys.argv[1]))["spec"] == yaml.safe_load(open(sys.argv[2]))["spec"]])' \
	"$scratch/profile.yaml" clusters/prod/kube-system/operatingsystemprofile-corp-ubuntu.yaml)"
commit_all . "adopt prod"
exits "it renders" 0 "$program" generate --revisions clusters/revisions
for file in out/prod/*/*/secret-*.yaml; do
	"$program" unseal "$file"
	echo ---
done >"$scratch/made.yaml"
cat out/prod/management/kube-system/operatingsystemconfig-*.yaml >>"$scratch/made.yaml"
python3 - "$scratch" <<'PY'
import sys

import yaml

live = yaml.safe_load(open(sys.argv[1] + "/older.yaml"))["items"]
made = [o for o in yaml.safe_load_all(open(sys.argv[1] + "/made.yaml")) if o]
yaml.safe_dump_all(live + made, open(sys.argv[1] + "/applied.yaml", "w"))
PY
exits "and compares equal, with no edit by hand" 0 "$program" compare --live "$scratch/applied.yaml" --revisions clusters/revisions
exits "a profile that nothing names and the schema refuses" 0 adopt centos
says "is left out" "OperatingSystemProfile kube-system/osp-centos: the current schema of profiles refuses it, and no MachineDeployment names it"
finish
