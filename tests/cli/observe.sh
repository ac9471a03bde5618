#!/usr/bin/env bash
# observe EXPORT...: the committed output beside what is live. The live cluster is one that osm-gen's
# output was applied to; tests/cluster asks the same of real API servers.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

export=$here/adopt/live.yaml
identity=$SOPS_AGE_KEY_FILE
adopted "$export"
exits "no output yet" 2 "$program" observe "$export"
says "it is said" "has no output in out"
says "and what to do" "run \`osm-gen generate\` first"
exits "the output" 0 "$program" generate --revisions clusters/revisions

# What kubectl prints of the two sides once Flux has applied the output and machine-controller has made
# machines: live NAME [CHANGE...].
apply() { # UNSEAL-ARGUMENT...
	local file
	for file in out/prod/*/*/*.yaml; do
		case $file in
		*/kustomization.yaml) ;;
		*) if grep -qE '^sops:|^kind: SealedSecret' "$file"; then "$program" unseal "$@" "$file"; else cat "$file"; fi ;;
		esac
		echo ---
	done >"$scratch/applied.yaml"
}
apply
cat >"$scratch/live.py" <<'PY'
import base64
import copy
import glob
import sys

import yaml

scratch, name, *changes = sys.argv[1:]
objects = [o for o in yaml.load_all(open(f"{scratch}/applied.yaml"), yaml.CSafeLoader) if o]
units = [yaml.load(open(f), yaml.CSafeLoader) for f in sorted(glob.glob("clusters/prod/kube-system/machinedeployment-*.yaml"))]
REVISION = "machinedeployment.clusters.k8s.io/revision"
revisions = {"workers": "4", "batch": "1"}


def named(kind, part):
    return next(o for o in objects if o["kind"] == kind and part in o["metadata"]["name"])


def owned(kind, name, owner, revision, **more):
    o = {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": kind,
         "metadata": {"namespace": "kube-system", "name": name,
                      "ownerReferences": [{"kind": "any", "name": owner}]}, **more}
    if revision:
        o["metadata"]["annotations"] = {REVISION: revision}
    return o


for o in objects:  # as an API server holds them
    o["metadata"]["resourceVersion"] = "7"
    if o["kind"] == "OperatingSystemProfile":
        for config in o["spec"]["bootstrapConfig"], o["spec"]["provisioningConfig"]:
            for file in config["files"]:
                file.setdefault("permissions", 644)
    if o["kind"] == "Secret":
        data = o.setdefault("data", {})
        for key, text in o.pop("stringData", {}).items():
            data[key] = base64.b64encode(text.encode()).decode()
for unit in units:
    name_of = unit["metadata"]["name"]
    revision = revisions[name_of]
    unit["metadata"].setdefault("annotations", {})[REVISION] = revision
    unit["spec"]["replicas"] = 2
    objects.append(unit)
    objects.append(owned("MachineSet", f"{name_of}-old", name_of, "0"))
    objects.append(owned("MachineSet", f"{name_of}-new", name_of, revision))
    for i in range(2):
        objects.append(owned("Machine", f"{name_of}-new-{i}", f"{name_of}-new", "",
                             status={"nodeRef": {"name": f"node-{name_of}-{i}"}}))
machine = named("Machine", "workers-new-1")
for change in changes:
    if change == "node":
        del machine["status"]
    elif change == "old":
        machine["metadata"]["ownerReferences"][0]["name"] = "workers-old"
    elif change == "leaving":
        machine["metadata"]["deletionTimestamp"] = "2026-03-04T05:06:07Z"
    elif change == "fewer":
        objects.remove(machine)
    elif change == "rolled":
        named("MachineSet", "workers-new")["metadata"]["annotations"][REVISION] = "5"
    elif change == "revision":
        named("Secret", "workers-kube-system-bootstrap")["metadata"]["annotations"]["k8c.io/machine-deployment-revision"] = "3"
    elif change == "content":
        data = named("Secret", "workers-kube-system-bootstrap")["data"]
        text = base64.b64decode(data["cloud-config"]).decode() + "password: CANARY-root-password\n"
        data["cloud-config"] = base64.b64encode(text.encode()).decode()
    elif change == "profile":
        named("OperatingSystemProfile", "osp-ubuntu")["spec"]["bootstrapConfig"]["files"][0]["permissions"] = 777
    elif change == "missing":
        objects.remove(named("OperatingSystemConfig", "workers"))
    elif change == "stranger":
        extra = copy.deepcopy(named("OperatingSystemConfig", "workers"))
        extra["metadata"]["name"] = "gone-kube-system-config"
        objects.append(extra)
    elif change == "unit":
        objects.remove(next(u for u in objects if u["kind"] == "MachineDeployment" and u["metadata"]["name"] == "batch"))
    elif change == "worker":
        objects[:] = [o for o in objects if o["kind"] != "OperatingSystemConfig"]
    elif change == "management":
        objects[:] = [o for o in objects if o["kind"] == "OperatingSystemConfig"]
    else:
        sys.exit(f"unknown change {change}")
yaml.dump({"apiVersion": "v1", "kind": "List", "items": objects}, open(f"{scratch}/{name}.yaml", "w"), Dumper=yaml.CSafeDumper)
PY
live() { # NAME CHANGE...
	python3 "$scratch/live.py" "$scratch" "$@" || exit 1
}
shows() { # NAME LINE: stdout of the last `exits` has it
	ok "$1" grep -qxF -- "$2" "$scratch/out"
}
sed -i 's/"batch": "1"/"batch": "2"/' "$scratch/live.py"
commit=$(git rev-parse --short=12 HEAD)

live settled
exits "everything is live" 0 "$program" observe "$scratch/settled.yaml"
same "that is one line" "settled: cluster prod, commit $commit, 11 as committed" "$(cat "$scratch/out")"
exits "with -q" 0 "$program" observe -q "$scratch/settled.yaml"
same "nothing is said" "" "$(cat "$scratch/out" "$scratch/err")"
exits "on standard input" 0 "$program" observe - <"$scratch/settled.yaml"
exits "with -v" 0 "$program" observe -v "$scratch/settled.yaml"
shows "objects are named" "as committed: Secret cloud-init-settings/workers-kube-system-bootstrap-config"
shows "units, too" "MachineDeployment kube-system/workers: revision 4 is live; 2 of 2 machines: 2 current"
shows "and machines" "  workers-new-1: current, revision 4, node node-workers-1"
exits "as JSON" 0 "$program" observe "$scratch/settled.yaml" -o json
cp "$scratch/out" "$scratch/observe-settled.json"
same "which programs read" "1.0 True prod 11 2 4 current" "$(python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
machines = [m for u in o["machineDeployments"] for m in u["machines"]]
print(o["formatVersion"], o["settled"], o["cluster"], len(o["objects"]), len(o["machineDeployments"]), len(machines), *{m["state"] for m in machines})' "$scratch/out")"

# Two clusters, two exports; one of them alone is not everything.
live worker worker
live management management
exits "management and worker cluster" 0 "$program" observe "$scratch/worker.yaml" "$scratch/management.yaml"
exits "one of them" 1 "$program" observe "$scratch/worker.yaml"
shows "the other's objects are missing" "missing: OperatingSystemConfig kube-system/workers-kube-system-config"

# Without an identity revisions are compared, and content is not.
unset SOPS_AGE_KEY_FILE
exits "without an identity" 0 "$program" observe "$scratch/settled.yaml"
same "what was not compared is said" \
	"settled: cluster prod, commit $commit, 3 as committed; 8 of the committed revision, sealed content not compared" "$(cat "$scratch/out")"
live content content
exits "content that no key opens" 0 "$program" observe "$scratch/content.yaml"
export SOPS_AGE_KEY_FILE=$identity

differs() { # CHANGE LINE
	live changed "$1"
	exits "$1" 1 "$program" observe "$scratch/changed.yaml"
	shows "$1 is shown" "$2"
	same "$1: no secret is" "" "$(grep CANARY "$scratch/out" "$scratch/err")"
}
differs content "with another content: Secret cloud-init-settings/workers-kube-system-bootstrap-config, first in data.cloud-config, line 40"
"$program" observe "$scratch/changed.yaml" -o json >"$scratch/observe-content.json"
shows "and counted" "not settled: cluster prod, commit $commit, 10 as committed; 1 with another content"
differs revision "of another revision: Secret cloud-init-settings/workers-kube-system-bootstrap-config: 4 is committed, 3 is live"
differs profile "with another content: OperatingSystemProfile kube-system/osp-ubuntu, first in spec.bootstrapConfig.files[0].permissions"
differs missing "missing: OperatingSystemConfig kube-system/workers-kube-system-config"
differs stranger "only live: OperatingSystemConfig kube-system/gone-kube-system-config"
differs unit "MachineDeployment kube-system/batch: not in the exports"
differs rolled "MachineDeployment kube-system/workers: revision 5 is live, user-data is committed for 4: no machine would start (--revisions); 2 of 2 machines: 2 current"
differs old "  workers-new-1: of another revision, revision 0, node node-workers-1"
differs node "  workers-new-1: without a node yet, revision 4"
differs leaving "  workers-new-1: being deleted, revision 4, node node-workers-1"
differs fewer "MachineDeployment kube-system/workers: revision 4 is live; 1 of 2 machines: 1 current"
live changed node old
exits "without a look at machines" 0 "$program" observe --no-machines "$scratch/changed.yaml"
same "they are not counted" "settled: cluster prod, commit $commit, 11 as committed" "$(cat "$scratch/out")"
live changed rolled
exits "a revision is of the objects" 1 "$program" observe --no-machines "$scratch/changed.yaml"
shows "and is looked at" "MachineDeployment kube-system/workers: revision 5 is live, user-data is committed for 4: no machine would start (--revisions)"
exits "without machines as JSON" 1 "$program" observe --no-machines "$scratch/changed.yaml" -o json
same "there are none" "" "$(grep -w machines "$scratch/out")"
live changed revision node
exits "as JSON" 1 "$program" observe "$scratch/changed.yaml" -o json
cp "$scratch/out" "$scratch/observe-changed.json"
same "which programs read" "False otherRevision 4 3 noNode" "$(python3 -c '
import json, sys
o = json.load(open(sys.argv[1]))
other = next(x for x in o["objects"] if x["result"] != "asCommitted")
machine = next(m for u in o["machineDeployments"] for m in u["machines"] if m["state"] != "current")
print(o["settled"], other["result"], other["revision"], other["liveRevision"], machine["state"])' "$scratch/out")"

# What was live before the last commit is found by --rev.
sed -i 's/169\.254\.20\.10/169.254.20.11/' clusters/prod/osm-gen.yaml
commit_all . "another DNS server"
exits "a run" 0 "$program" generate --revisions clusters/revisions
exits "Flux has not applied it" 1 "$program" observe "$scratch/settled.yaml"
exits "what was there is live" 0 "$program" observe --rev HEAD~2 "$scratch/settled.yaml"

# Clusters, and exports that are none.
"$program" adopt -q "$export" --cluster test --into clusters/test || exit 1
sed -i 's/^  settings:/&\n    managementCluster: self/' clusters/test/osm-gen.yaml
commit_all . "two clusters"
exits "a run" 0 "$program" generate --rotate-recipients --revisions clusters/revisions
exits "which cluster?" 2 "$program" observe "$scratch/settled.yaml"
says "it is asked" "the output is of several clusters: which one is live?"
says "and which there are" "give --cluster with one of: prod, test"
exits "none of them" 2 "$program" observe --cluster nowhere "$scratch/settled.yaml"
says "it is said" 'the output has no cluster "nowhere"'
exits "one of them" 1 "$program" observe --cluster prod "$scratch/settled.yaml"
printf 'apiVersion: v1\nkind: List\nitems: []\n' >"$scratch/empty.yaml"
exits "an export of nothing" 2 "$program" observe --cluster prod "$scratch/empty.yaml"
says "and how to make one" "kubectl get machinedeployments,machinesets,machines,operatingsystemprofiles,operatingsystemconfigs,secrets,configmaps -A -o yaml"
exits "an export that is none" 2 "$program" observe --cluster prod osm-gen.yaml
exits "no export" 64 "$program" observe --cluster prod
exits "no such file" 3 "$program" observe --cluster prod "$scratch/nowhere.yaml"
git rm -qr clusters/test clusters/revisions/test.json out
sed -i 's/169\.254\.20\.11/169.254.20.10/' clusters/prod/osm-gen.yaml

# Other forms of sealing: what the index lists is looked for as it is in a cluster.
sealed_as() { # NAME SETTINGS SEEN [KEY-ARGUMENT...]
	local name=$1 settings=$2 seen=$3
	shift 3
	rm -rf out
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: %s\n' "$settings" >osm-gen.yaml
	git add -A
	commit_all . "$name"
	exits "$name: a run" 0 "$program" generate --revisions clusters/revisions --rotate-recipients
	apply --key "$root/tests/keys/TEST-ONLY-sealed-secrets.key"
	live settled
	exits "$name" 0 "$program" observe "$scratch/settled.yaml" "$@"
	same "$name: what is compared" "settled: cluster prod, commit $(git rev-parse --short=12 HEAD), $seen" "$(cat "$scratch/out")"
}
cp "$root/tests/keys/TEST-ONLY-sealed-secrets.crt" certificate.pem
sealed_as "osc: sealed" "{sealing: {recipients: [$recipient]}, defaults: {osc: sealed}}" "11 as committed"
sealed_as "osc: patch" "{sealing: {recipients: [$recipient]}, defaults: {osc: patch}}" \
	"9 as committed; 2 of the committed revision, sealed content not compared"
cp "$scratch/settled.yaml" "$scratch/before.yaml"
sealed_as "SealedSecrets" "{sealing: {format: sealed-secrets, certificate: certificate.pem}}" \
	"3 as committed; 8 of the committed revision, sealed content not compared"
sealed_as "SealedSecrets with the key" "{sealing: {format: sealed-secrets, certificate: certificate.pem}}" \
	"11 as committed" --key "$root/tests/keys/TEST-ONLY-sealed-secrets.key"
# Their controller changes a Secret in place, so that none is immutable.
exits "what SOPS left" 1 "$program" observe "$scratch/before.yaml" --key "$root/tests/keys/TEST-ONLY-sealed-secrets.key"
shows "is found" "with another content: Secret cloud-init-settings/workers-kube-system-bootstrap-config, first in immutable"

# The step of docs/ci.md, with a cluster that Flux reaches between its first look and its second.
live late revision
live settled
mkdir "$scratch/step" "$scratch/step/tmp"
sed -n '/^set -eu$/,/^exit 1$/p' "$root/docs/ci.md" | sed 's/prod-us-1/prod/' >"$scratch/step/run"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$scratch/step/osm-gen"
cat >"$scratch/step/kubectl" <<SH
#!/bin/sh
echo "\$*" >>"$scratch/step/asked"
if [ "\$(wc -l <"$scratch/step/asked")" -eq 1 ]; then cat "$scratch/late.yaml"; else cat "$scratch/settled.yaml"; fi
SH
printf '#!/bin/sh\n' >"$scratch/step/sleep"
chmod +x "$scratch/step/osm-gen" "$scratch/step/kubectl" "$scratch/step/sleep"
step() { PATH="$scratch/step:$PATH" TMPDIR="$scratch/step/tmp" sh "$scratch/step/run"; }
exits "the step of docs/ci.md" 0 step
same "waits until all is live" 2 "$(wc -l <"$scratch/step/asked")"
same "and leaves no export" "" "$(ls -A "$scratch/step/tmp")"
cp "$scratch/late.yaml" "$scratch/settled.yaml"
rm "$scratch/step/asked"
exits "what never comes" 1 step
same "is asked for to the end" 60 "$(wc -l <"$scratch/step/asked")"
same "and leaves no export, either" "" "$(ls -A "$scratch/step/tmp")"

# Nodes of gardener-node-agent, which apply a Secret by themselves.
mkdir "$scratch/gardener"
cd "$scratch/gardener" || exit 1
git -c init.defaultBranch=main init -q
cat >osm-gen.yaml <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec: {sealing: {recipients: [$recipient]}, defaults: {gardenerNodeAgentSecrets: true}}
YAML
cat >osc.yaml <<YAML
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: gardener-node-agent-blue-original, namespace: shoot}
spec: {type: minimal, purpose: reconcile, files: [{path: /etc/motd, content: {inline: {encoding: "", data: hello}}}]}
YAML
commit_all . "inputs"
exits "gardener-node-agent: a run" 0 "$program" generate
secret=out/default/worker/kube-system/secret-gardener-node-agent-blue.yaml
sum=$(sed -n 's|^ *checksum/data-script: "\(.*\)"$|\1|p' "$secret")
node() { # NAME LABEL CHECKSUM
	printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {worker.gardener.cloud/%s}, annotations: {checksum/cloud-config-data: "%s"}}\n' "$@"
}
"$program" unseal "$secret" >"$scratch/blue.yaml"
{
	cat "$scratch/blue.yaml"
	node new "pool: blue" "$sum"
	node named "gardener-node-agent-secret-name: gardener-node-agent-blue" "$sum"
	node green "pool: green" 00
	node elsewhere "gardener-node-agent-secret-name: gardener-node-agent-green, worker.gardener.cloud/pool: blue" 00
} >"$scratch/nodes.yaml"
commit=$(git rev-parse --short=12 HEAD)
exits "all nodes have applied it" 0 "$program" observe "$scratch/nodes.yaml"
same "that is one line" "settled: cluster default, commit $commit, 1 as committed; 2 of 2 nodes have applied it" "$(cat "$scratch/out")"
node old "pool: blue" 00 >>"$scratch/nodes.yaml"
exits "a node has not" 1 "$program" observe "$scratch/nodes.yaml" "$scratch/nodes.yaml"
shows "it is named" "Node old: has not yet applied Secret kube-system/gardener-node-agent-blue"
shows "and counted, once for two exports" "not settled: cluster default, commit $commit, 1 as committed; 2 of 3 nodes have applied it"
exits "without a look at nodes" 0 "$program" observe --no-machines "$scratch/nodes.yaml"
exits "as JSON" 1 "$program" observe -o json "$scratch/nodes.yaml"
cp "$scratch/out" "$scratch/observe-nodes.json"
same "which programs read" "named new old:kube-system/gardener-node-agent-blue" "$(jq -r '[.nodes[] | .name + if .applied then "" else ":\(.namespace)/\(.secret)" end] | join(" ")' "$scratch/out")"

conform "$scratch"/observe-*.json
finish
