#!/usr/bin/env bash
# compare --live: what would be rendered beside an export of a live cluster. That it is equal to what
# the real controller leaves is tests/oracle/adopt's to show; here the live cluster is one that
# osm-gen's own output was applied to.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

export=$here/adopt/live.yaml
adopted "$export"

# Beside the controller's cluster, of which this export has little.
exits "a live cluster that is another" 1 "$program" compare -v --live "$export" --revisions clusters/revisions
for line in \
	"only here: OperatingSystemConfig kube-system/batch-kube-system-config" \
	"differs: OperatingSystemConfig kube-system/workers-kube-system-config, first in spec" \
	"differs: Secret cloud-init-settings/workers-kube-system-bootstrap-config, first in" \
	"only here: Secret cloud-init-settings/workers-kube-system-provisioning-config" \
	"MachineDeployment kube-system/batch: another template than the live one: applying the manifest replaces its machines" \
	"different: cluster prod"; do
	ok "it says: $line" grep -qF -- "$line" "$scratch/out"
done
same "and shows no secret" "" "$(grep -E 'CANARY|canarycanary' "$scratch/out" "$scratch/err")"
exits "without -v" 1 "$program" compare --live "$export" --revisions clusters/revisions
same "what is being deleted is not shown" "" "$(grep -w old "$scratch/out")"
python3 "$here/adopt/appliers.py" "$export" >"$scratch/appliers.json"
exits "exports that show who applies" 1 "$program" compare --live "$scratch/appliers.json" --revisions clusters/revisions
ok "it says who" grep -qxF "applied by Helm release kube-system/pools (annotation meta.helm.sh/release-name): 6 MachineDeployments" "$scratch/out"
"$program" compare --live "$scratch/appliers.json" --revisions clusters/revisions -o json >"$scratch/compare-appliers.json"
exits "without the live revisions" 1 "$program" compare --live "$export"
"$program" compare --live "$export" --revisions clusters/revisions -o json >"$scratch/compare-revisions.json"
ok "it says that no machine would start" grep -qF \
	"revision 1 is rendered, 4 is live: no machine would start (--revisions)" "$scratch/out"

# Flux has applied the output: nothing differs, tokens neither.
exits "the output" 0 "$program" generate --revisions clusters/revisions
applied() {
	local file
	for file in out/prod/*/*/*.yaml clusters/prod/kube-system/machinedeployment-*.yaml; do
		case $file in
		*/kustomization.yaml) continue ;;
		*/secret-*) "$program" unseal "$file" ;;
		*) cat "$file" ;;
		esac
		echo ---
	done
}
applied >"$scratch/applied.yaml"
exits "once it is applied" 0 "$program" compare --live "$scratch/applied.yaml"
same "it says so" "equal: cluster prod, 10 equal" "$(cat "$scratch/out")"
exits "with -v" 0 "$program" compare --live "$scratch/applied.yaml" -v
ok "what is equal is named" grep -qxF "equal: Secret cloud-init-settings/workers-kube-system-bootstrap-config" "$scratch/out"
ok "and what is not compared" grep -qF "the annotation k8c.io/mdannotations-hash" "$scratch/out"
exits "as JSON" 0 "$program" compare --live "$scratch/applied.yaml" -o json
cp "$scratch/out" "$scratch/compare-equal.json"
same "which programs read" "1.0 True prod 10 2" "$(python3 -c '
import json, sys
c = json.load(open(sys.argv[1]))
print(c["formatVersion"], c["equal"], c["cluster"], len(c["objects"]), len(c["machineDeployments"]))' "$scratch/out")"
"$program" compare --live - <"$scratch/applied.yaml" >"$scratch/out"
same "on standard input" "equal: cluster prod, 10 equal" "$(cat "$scratch/out")"
csplit -s -f "$scratch/part" "$scratch/applied.yaml" '/^kind: Secret/-1' 2>/dev/null
exits "in several exports" 0 "$program" compare --live "$scratch/applied.yaml" --live "$scratch/applied.yaml" --cluster prod

# Somebody changed the live cluster.
sed 's/169\.254\.20\.10/169.254.20.11/' "$scratch/applied.yaml" >"$scratch/changed.yaml"
exits "live was changed" 1 "$program" compare --live "$scratch/changed.yaml"
"$program" compare --live "$scratch/changed.yaml" -o json >"$scratch/compare-changed.json"
ok "the line is shown" grep -qE '^    - - "169\.254\.20\.11"$' "$scratch/out"
python3 - "$scratch/applied.yaml" "$scratch" <<'PY'
import base64
import copy
import sys

import yaml

objects = [o for o in yaml.load_all(open(sys.argv[1]), yaml.CSafeLoader) if o]
folder = sys.argv[2]


def write(name, items):
    yaml.dump_all(items, open(f"{folder}/{name}.yaml", "w"), yaml.CSafeDumper)


changed = copy.deepcopy(objects)
for o in changed:
    if o["kind"] == "Secret" and o.get("type") == "bootstrap.kubernetes.io/token":
        o.get("stringData", o.get("data"))["token-secret"] = "CANARYCANARY1234"
write("token", changed)
write("fewer", [o for o in copy.deepcopy(objects) if o["metadata"]["name"] != "workers-kube-system-config"])
more = copy.deepcopy(objects)
extra = next(o for o in copy.deepcopy(objects) if o["metadata"]["name"] == "workers-kube-system-config")
extra["metadata"]["name"] = "gone-kube-system-config"
write("more", more + [extra])
secret = copy.deepcopy(objects)
for o in secret:
    if o["metadata"]["name"] == "workers-kube-system-bootstrap-config":
        data = o.setdefault("stringData", {})
        for key, text in list(o.get("data", {}).items()):
            data[key] = base64.b64decode(text).decode()
        o.pop("data", None)
        data["cloud-config"] += "password: CANARY-root-password\n"
write("user-data", secret)
PY
exits "another token is live" 1 "$program" compare --live "$scratch/token.yaml"
ok "it is found" grep -qE '^differs: 2 Secrets, first in data.token-secret' "$scratch/out"
same "and not shown" "" "$(grep CANARY "$scratch/out")"
exits "an object that lacks" 1 "$program" compare --live "$scratch/fewer.yaml"
ok "it is found" grep -qxF "only here: OperatingSystemConfig kube-system/workers-kube-system-config" "$scratch/out"
exits "one that is one too many" 1 "$program" compare --live "$scratch/more.yaml"
ok "it is found" grep -qxF "only live: OperatingSystemConfig kube-system/gone-kube-system-config" "$scratch/out"
exits "another secret in user-data" 1 "$program" compare --live "$scratch/user-data.yaml"
same "is not shown either" "" "$(grep CANARY "$scratch/out")"

# The repository has gone on.
sed -i 's/fsn1/nbg1/' clusters/prod/kube-system/machinedeployment-workers.yaml
commit_all . "another location"
exits "git has another template" 1 "$program" compare --live "$scratch/applied.yaml"
"$program" compare --live "$scratch/applied.yaml" -o json >"$scratch/compare-template.json"
ok "machines would be replaced" grep -qF "MachineDeployment kube-system/workers: another template than the live one" "$scratch/out"
ok "the first difference is shown" grep -qxF '    + nbg1' "$scratch/out"

# Which cluster.
"$program" adopt -q "$export" --cluster two --into clusters/two || exit 1
commit_all . "two clusters"
exits "several clusters" 2 "$program" compare --live "$scratch/applied.yaml"
says "it asks" "error[OSG2045]: there are several clusters: which one is live?"
says "it names them" "give --cluster with one of: prod, two"
exits "a cluster that is not there" 2 "$program" compare --live "$scratch/applied.yaml" --cluster three
says "it" "there is no cluster \"three\""
exits "one of them" 1 "$program" compare --live "$scratch/applied.yaml" --cluster prod
exits "no export" 64 "$program" compare
exits "an export of something else" 2 "$program" compare --live osm-gen.yaml --cluster prod
says "it" "error[OSG2044]: the exports hold nothing that could be compared"
exits "no seed" 3 env -u OSM_GEN_SEAL_SEED "$program" compare --live "$scratch/applied.yaml" --cluster prod

conform "$scratch"/compare-*.json

# ---- provisioning: split -----------------------------------------------------------------------------------------
# The profiles of the controller cannot be split.
git rm -q -r clusters/two clusters/prod/*/operatingsystemprofile-*.yaml
printf '  defaults: {provisioning: split}\n' >>osm-gen.yaml
commit_all . split
exits "split beside the controller's Secrets" 2 "$program" compare --live "$export" --revisions clusters/revisions
says "says that they are whole" "error[OSG2099]: cluster prod has provisioning: split, and Secret cloud-init-settings/workers-kube-system-bootstrap-config of the exports is the controller's, which is whole"
says "and how to compare" "compare with --provisioning whole: machines get the same files with both"
exits "which works" 1 "$program" compare --live "$export" --revisions clusters/revisions --provisioning whole
exits "the output in two parts" 0 "$program" generate --revisions clusters/revisions
applied >"$scratch/applied.yaml"
exits "once it is applied" 0 "$program" compare --live "$scratch/applied.yaml"
same "is equal with its ConfigMap" "equal: cluster prod, 11 equal" "$(cat "$scratch/out")"
map=$(basename out/prod/worker/cloud-init-settings/configmap-*.yaml .yaml)
map=${map#configmap-}
python3 -B - "$scratch/applied.yaml" "$scratch" <<'PYTHON'
import sys, yaml
objects = [o for o in yaml.load_all(open(sys.argv[1], encoding="utf-8"), yaml.CSafeLoader) if o]
maps = [o for o in objects if o["kind"] == "ConfigMap"]
others = [o for o in objects if o["kind"] != "ConfigMap"]
def write(name, objects):
    yaml.dump_all(objects, open(f"{sys.argv[2]}/{name}.yaml", "w", encoding="utf-8"))
write("none", others)
root = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt", "namespace": "cloud-init-settings"}, "data": {}}
write("missing", [*others, root])
maps[0]["data"]["config"] += "\n"
write("changed", [*others, *maps])
PYTHON
exits "exports without ConfigMaps" 0 "$program" compare -v --live "$scratch/none.yaml"
ok "say that they are not compared" grep -qxF "not compared (the exports have no ConfigMaps of its namespace): ConfigMap cloud-init-settings/$map" "$scratch/out"
exits "a ConfigMap that is missing" 1 "$program" compare --live "$scratch/missing.yaml"
ok "is named" grep -qxF "only here: ConfigMap cloud-init-settings/$map" "$scratch/out"
exits "a ConfigMap of another content" 1 "$program" compare --live "$scratch/changed.yaml"
ok "differs" grep -qF "differs: ConfigMap cloud-init-settings/$map, first in data.config" "$scratch/out"
exits "observe: a ConfigMap that is missing" 1 "$program" observe --no-machines "$scratch/missing.yaml"
ok "observe: is named" grep -qxF "missing: ConfigMap cloud-init-settings/$map" "$scratch/out"
exits "observe: a ConfigMap of another content" 1 "$program" observe --no-machines "$scratch/changed.yaml"
ok "observe: differs" grep -qF "with another content: ConfigMap cloud-init-settings/$map, first in data.config" "$scratch/out"
exits "adopt" 0 "$program" adopt -q "$scratch/applied.yaml" --cluster again --into clusters/again
same "adopt: takes no ConfigMap that osm-gen made" "" "$(grep -rl 'kind: ConfigMap' clusters/again)"

finish
