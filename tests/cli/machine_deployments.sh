#!/usr/bin/env bash
# machineDeployments: output: the MachineDeployments in the output, after their Secrets, for every applier and both layouts;
# that no applier is told to delete one, and no run takes one away by itself.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

generate() { # NAME [OPTIONS...]
	local name=$1
	shift
	exits "$name" 0 "$program" generate --repo "$repo" "$@"
}
settings() { # LINES: of the Fleet's defaults, in place of those before
	sed -i '/^  defaults:/,$d' "$repo/osm-gen.yaml"
	printf '  defaults:\n' >>"$repo/osm-gen.yaml"
	printf '    %s\n' "$@" >>"$repo/osm-gen.yaml"
}
yaml() { python3 -c 'import sys, yaml, json; print(json.dumps(eval(sys.argv[2], {"o": yaml.load(open(sys.argv[1]), yaml.CSafeLoader)})))' "$1" "$2"; }
kinds() { # FOLDER: of the objects that its kustomization applies, each once
	python3 - "$1" <<'END'
import pathlib, sys, yaml
def objects(folder):
    for entry in yaml.load((folder / "kustomization.yaml").read_text(), yaml.CSafeLoader).get("resources", []):
        path = folder / entry
        yield from objects(path) if path.is_dir() else [yaml.load(path.read_text(), yaml.CSafeLoader)["kind"]]
print(" ".join(sorted(set(objects(pathlib.Path(sys.argv[1]))))))
END
}

# ---- nobody asks for it ------------------------------------------------------------------------------------------------------
repo=$(small first)
generate "without the setting"
same "none is written" 0 "$(find "$repo/out" -name 'machinedeployment-*' | wc -l)"
before=$(git -C "$repo" rev-parse HEAD:out)
settings "machineDeployments: input" "replicas: omit"
commit_all "$repo" "input is the default"
generate "input"
same "the same bytes" "$before" "$(git -C "$repo" rev-parse HEAD:out)"

# ---- marks of other appliers: by each of them the object would be deleted or claimed --------------------------------------------
# What Argo CD, Helm, Flux, kapp, Rancher, Config Sync, cli-utils, kustomize and kubectl write, or read as "delete this".
marked=$(small marked)
printf '  defaults:\n    machineDeployments: output\n' >>"$marked/osm-gen.yaml"
commit_all "$marked" "output"
exits "without marks" 0 "$program" generate --repo "$marked"
before=$(git -C "$marked" rev-parse HEAD:out/prod/worker/kube-system/machinedeployment-workers.yaml)
python3 - "$marked/clusters/prod/workers.yaml" <<'END'
import sys
annotations = {
    "helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "before-hook-creation", "helm.sh/hook-weight": "1",
    "helm.sh/resource-policy": "keep", "meta.helm.sh/release-name": "a", "meta.helm.sh/release-namespace": "b",
    "argocd.argoproj.io/hook": "Sync", "argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
    "argocd.argoproj.io/tracking-id": "app:cluster.k8s.io/MachineDeployment:kube-system/workers",
    "argocd.argoproj.io/sync-options": "Replace=true,Force=true",
    "kustomize.toolkit.fluxcd.io/force": "Enabled", "helm.toolkit.fluxcd.io/driftDetection": "disabled",
    "fluxcd.io/sync-checksum": "a", "reconcile.fluxcd.io/requestedAt": "now",
    "kapp.k14s.io/update-strategy": "always-replace", "kapp.k14s.io/identity": "v1;a/b/c/d", "kapp.k14s.io/original": "{}",
    "objectset.rio.cattle.io/applied": "a", "objectset.rio.cattle.io/owner-gvk": "k3s.cattle.io/v1, Kind=Addon",
    "objectset.rio.cattle.io/owner-name": "a", "field.cattle.io/projectId": "a:b", "fleet.cattle.io/bundle-id": "a",
    "configmanagement.gke.io/managed": "enabled", "configsync.gke.io/resource-id": "cluster.k8s.io_machinedeployment_kube-system_workers",
    "configsync.gke.io/declared-fields": "{}", "cli-utils.sigs.k8s.io/on-remove": "keep", "client.lifecycle.config.k8s.io/mutation": "ignore",
    "config.k8s.io/owning-inventory": "a", "config.kubernetes.io/local-config": "true",
    "internal.config.kubernetes.io/index": "0",
}
labels = {
    "helm.sh/chart": "a-1.0.0", "kustomize.toolkit.fluxcd.io/name": "other", "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    "helm.toolkit.fluxcd.io/name": "a", "kapp.k14s.io/app": "1234", "kapp.k14s.io/association": "v1.1",
    "objectset.rio.cattle.io/hash": "0123456789", "argocd.argoproj.io/instance": "other", "configsync.gke.io/declared-version": "v1alpha1",
    "applyset.kubernetes.io/part-of": "applyset-x-v1",
}
path = sys.argv[1]
text = open(path).read()
lines = lambda marks: "".join(f"    {key}: '{value}'\n" for key, value in marks.items())
text = text.replace("  annotations:\n", "  annotations:\n" + lines(annotations), 1)
text = text.replace("metadata:\n", "metadata:\n  labels:\n" + lines(labels), 1)
open(path, "w").write(text)
END
commit_all "$marked" "marks"
exits "with marks" 0 "$program" generate --repo "$marked"
same "none is left" '{}' "$(yaml "$marked/out/prod/worker/kube-system/machinedeployment-workers.yaml" 'o["metadata"]["labels"]')"
git -C "$marked" cat-file blob "$before" >"$scratch/before.yaml"
ok "nothing else differs" diff <(cat "$scratch/before.yaml") <(grep -v '^  labels: {}$' "$marked/out/prod/worker/kube-system/machinedeployment-workers.yaml")
sed -i 's/^  labels:$/  labels:\n    team: blue\n    app.kubernetes.io\/managed-by: people/; s/^  annotations:$/  annotations:\n    kustomize.toolkit.fluxcd.io\/ssa: IfNotPresent\n    argocd.argoproj.io\/compare-options: IgnoreExtraneous/' "$marked/clusters/prod/workers.yaml"
commit_all "$marked" "and of people"
exits "with marks of people" 0 "$program" generate --repo "$marked"
same "their labels stay" '{"app.kubernetes.io/managed-by": "people", "team": "blue"}' "$(yaml "$marked/out/prod/worker/kube-system/machinedeployment-workers.yaml" 'o["metadata"]["labels"]')"
same "and harmless annotations" '["IgnoreExtraneous", "IfNotPresent"]' "$(yaml "$marked/out/prod/worker/kube-system/machinedeployment-workers.yaml" \
	'[o["metadata"]["annotations"][k] for k in ("argocd.argoproj.io/compare-options", "kustomize.toolkit.fluxcd.io/ssa")]')"

# ---- what is written -----------------------------------------------------------------------------------------------------------
sed -i 's/^status:.*//; s/^  annotations:/  creationTimestamp: "2026-01-01T00:00:00Z"\n  generation: 4\n  resourceVersion: "77"\n  uid: 0d7d3a0e-6c1c-4d0c-9a7e-6a4f7d1f3c11\n  finalizers: [foregroundDeletion]\n  annotations:\n    kustomize.toolkit.fluxcd.io\/force: Enabled\n    kubectl.kubernetes.io\/last-applied-configuration: "{}"\n    machinedeployment.clusters.k8s.io\/revision: "5"\n    team: blue/' \
	"$repo/clusters/prod/workers.yaml"
printf 'status: {replicas: 3}\n' >>"$repo/clusters/prod/workers.yaml"
settings "machineDeployments: output"
commit_all "$repo" output
exits "plan" 0 "$program" plan --repo "$repo" -o json
same "no machine is concerned" '["METADATA"]' "$(jq -c '[.units[].class]' "$scratch/out")"
generate "output"
written=out/prod/worker/kube-system/machinedeployment-workers.yaml
same "annotations" '{"argocd.argoproj.io/sync-options": "Prune=confirm,Delete=confirm", "argocd.argoproj.io/sync-wave": "1", "k8c.io/operating-system-profile": "osp-small", "kustomize.toolkit.fluxcd.io/prune": "disabled", "kustomize.toolkit.fluxcd.io/substitute": "disabled", "team": "blue"}' \
	"$(yaml "$repo/$written" 'o["metadata"]["annotations"]')"
same "metadata" '["annotations", "finalizers", "name", "namespace"]' "$(yaml "$repo/$written" 'sorted(o["metadata"])')"
same "members" '["apiVersion", "kind", "metadata", "spec"]' "$(yaml "$repo/$written" 'list(o)')"
same "the spec is the manifest's" "$(yaml "$repo/clusters/prod/workers.yaml" 'o["spec"]')" "$(python3 - "$repo/$written" "$repo/clusters/prod/workers.yaml" <<'END'
import json, sys, yaml
written, given = (yaml.load(open(path), yaml.CSafeLoader)["spec"] for path in sys.argv[1:])
print(json.dumps(given) if written == given else json.dumps(written))
END
)"
same "the revision is the annotation's" 5 "$(sed -n 's/.*machine-deployment-revision: "\(.*\)"/\1/p' "$repo"/out/prod/management/kube-system/operatingsystemconfig-*)"
same "without an applier, one kustomization has both" "MachineDeployment Namespace Role RoleBinding Secret" "$(kinds "$repo/out/prod/worker")"
same "the index" '["machines",false]' "$(jq -c '.files[] | select(.object.kind == "MachineDeployment") | [.role, .sealed]' "$repo/out/prod/index.json")"
exits "check" 0 "$program" check --repo "$repo"
exits "verify" 0 "$program" verify --repo "$repo"
exits "diff without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"
exits "render" 0 "$program" render --repo "$repo" --machine-deployment kube-system/workers --print machine-deployment
ok "prints what is written" diff <(sed 1d "$repo/$written") "$scratch/out"
exits "again" 0 "$program" generate --repo "$repo" --no-proofs
says "nothing to do" "out is up to date"

# The controller digests the live annotations, which are those of the output.
hash() { sed -n 's/.*mdannotations-hash: //p' "$1"; }
want=$(python3 -c 'import hashlib, json, sys, yaml
print(hashlib.sha256(json.dumps(yaml.load(open(sys.argv[1]), yaml.CSafeLoader)["metadata"]["annotations"], sort_keys=True, separators=(",", ":")).encode()).hexdigest())' "$repo/$written")
same "their digest" "$want" "$(hash "$repo"/out/prod/management/kube-system/operatingsystemconfig-*)"

# ---- read again: the output as a manifest gives the same output ------------------------------------------------------------------
again=$(small again)
cp "$repo/osm-gen.yaml" "$again/"
sed 1d "$repo/$written" >"$again/clusters/prod/workers.yaml"
cp "$repo/clusters/prod/osm-gen.yaml" "$again/clusters/prod/"
commit_all "$again" "the output as a manifest"
exits "from the output" 0 "$program" generate --repo "$again"
ok "the MachineDeployment is the same" cmp "$repo/$written" "$again/$written"
ok "so is the digest of its annotations" test "$(hash "$repo"/out/prod/management/kube-system/operatingsystemconfig-*)" = \
	"$(hash "$again"/out/prod/management/kube-system/operatingsystemconfig-*)"

# ---- KubeOne's worker sets -------------------------------------------------------------------------------------------------------
kubeone=$(small kubeone)
sed 's/v1beta3/v1beta2/; s/^- name: pool1/- name: pool2\n  replicas: 4\n  providerSpec:\n    operatingSystem: ubuntu\n    labels: {tier: front}\n    taints: [{key: a, effect: NoSchedule}]\n    cloudProviderSpec: {serverType: cx52}\n&/' \
	"$root/tests/golden/kubeone-v1beta3/repo/clusters/prod/kubeone.yaml" >"$kubeone/clusters/prod/kubeone.yaml"
rm "$kubeone/clusters/prod/workers.yaml"
cp "$repo/osm-gen.yaml" "$kubeone/"
commit_all "$kubeone" kubeone
exits "a KubeOneCluster" 0 "$program" generate --repo "$kubeone"
sets=$(find "$kubeone/out" -name 'machinedeployment-*.yaml' | sort)
same "its worker sets are MachineDeployments" "machinedeployment-pool1.yaml machinedeployment-pool2.yaml" "$(for file in $sets; do basename "$file"; done | paste -sd " ")"
given=$scratch/kubeone-again
cp -r "$kubeone" "$given"
rm "$given/clusters/prod/kubeone.yaml"
for file in $sets; do
	sed 1d "$file" >"$given/clusters/prod/${file##*/}"
done
commit_all "$given" "what KubeOne makes"
exits "from these MachineDeployments" 0 "$program" generate --repo "$given" --no-proofs
for file in $sets; do
	ok "${file##*/} is the same" diff <(sed 1d "$file") <(sed 1d "$given/${file#"$kubeone/"}")
done

# ---- Gardener's units have no MachineDeployment --------------------------------------------------------------------------------------
gardener=$scratch/gardener
cp -r "$root/tests/golden/base" "$gardener"
cp -r "$root/tests/golden/gardener-warnings/repo/." "$gardener/"
sed -i 's/defaults: {/&machineDeployments: output, /' "$gardener/osm-gen.yaml"
mv "$gardener/osc.yaml" "$gardener/clusters/prod/"
git -C "$gardener" -c init.defaultBranch=main init -q
commit_all "$gardener" gardener
exits "Gardener's units beside one" 0 "$program" generate --repo "$gardener"
same "one MachineDeployment, not more" "machinedeployment-workers.yaml" "$(find "$gardener/out" -name 'machinedeployment-*' -printf '%f\n' | paste -sd ' ')"

# ---- credentials in it are sealed --------------------------------------------------------------------------------------------------
sed -i 's/cloudProviderSpec: {serverType: cx42}/cloudProviderSpec: {serverType: cx42, token: kQ7-not-for-everybody-93}/' "$repo/clusters/prod/workers.yaml"
commit_all "$repo" "a token"
generate "a token"
ok "the file is sealed" grep -q 'token: ENC\[' "$repo/$written"
ok "the rest is not" grep -q 'serverType: "cx42"' "$repo/$written"
ok "nowhere in the clear" bash -c "! grep -rq not-for-everybody $repo/out"
exits "unseal" 0 "$program" unseal "$repo/$written"
ok "has it" grep -q 'token: .*not-for-everybody' "$scratch/out"
exits "verify" 0 "$program" verify --repo "$repo"
exits "render masks it" 0 "$program" render --repo "$repo" --machine-deployment kube-system/workers --print machine-deployment
ok "with a mark" grep -q 'token: <sealed:' "$scratch/out"
exits "render --reveal" 0 "$program" render --repo "$repo" --machine-deployment kube-system/workers --print machine-deployment --reveal
ok "shows it" grep -q 'token: .*not-for-everybody' "$scratch/out"
git -C "$repo" reset -q --hard HEAD~2

# ---- who counts the machines -------------------------------------------------------------------------------------------------------
sed -i 's/^    team: blue/    team: blue\n    cluster.k8s.io\/cluster-api-autoscaler-node-group-max-size: "9"/' "$repo/clusters/prod/workers.yaml"
commit_all "$repo" "an autoscaler"
exits "an autoscaler, and nothing said" 2 "$program" generate --repo "$repo"
says "asks" "clusters/prod/workers.yaml:16:5: error[OSG4202]"
settings "machineDeployments: output" "replicas: keep"
commit_all "$repo" keep
generate "keep"
same "the manifest's number" 3 "$(yaml "$repo/$written" 'o["spec"]["replicas"]')"
settings "machineDeployments: output" "replicas: omit"
commit_all "$repo" omit
generate "omit"
same "no number" null "$(yaml "$repo/$written" 'o["spec"].get("replicas")')"
exits "a word that is none" 64 "$program" validate --repo "$repo" --replicas 3
says "is refused" "must be keep or omit"
exits "another" 64 "$program" validate --repo "$repo" --machine-deployments yes
says "is refused, too" "must be input or output"

# ---- what leaves the output --------------------------------------------------------------------------------------------------------
for name in two three four five six seven eight nine ten; do
	sed "s/name: workers/name: $name/" "$again/clusters/prod/workers.yaml" >"$repo/clusters/prod/$name.yaml"
done
commit_all "$repo" "ten"
generate "ten"
git -C "$repo" rm -q clusters/prod/two.yaml
commit_all "$repo" "one is gone"
tip=$(git -C "$repo" rev-parse HEAD)
exits "one of ten" 2 "$program" generate --repo "$repo"
says "is too many" "error[OSG2033]: 1 MachineDeployment would leave the output"
says "names it" "prod/kube-system/two leaves it"
same "nothing was changed" "$tip" "$(git -C "$repo" rev-parse HEAD)"
exits "check" 2 "$program" check --repo "$repo"
exits "diff goes on" 1 "$program" diff --repo "$repo"
says "and warns" "warning[OSG2034]"
exits "plan" 0 "$program" plan --repo "$repo" -o json
same "says REMOVE" 1 "$(jq '[.units[] | select(.class == "REMOVE")] | length' "$scratch/out")"
exits "plan, for people" 0 "$program" plan --repo "$repo"
ok "its machines stay" grep -q 'MachineDeployment removed: appliers leave it and its [0-9]* machines\{0,1\} in the cluster' "$scratch/out"
generate "allowed" --allow-removal
ok "it is gone" test ! -e "$repo/${written/workers/two}"
sed -i 's/apiVersion: cluster.k8s.io/apiVersion: cluster.x-k8s.io/' "$repo/clusters/prod/three.yaml"
commit_all "$repo" "a slip of the pen"
exits "a slip of the pen" 2 "$program" generate --repo "$repo"
says "is found" "MachineDeployment kube-system/three was made from this file"
git -C "$repo" reset -q --hard HEAD~1
settings "machineDeployments: input"
commit_all "$repo" "off"
exits "the setting is turned off" 2 "$program" generate --repo "$repo"
says "all leave" "9 MachineDeployments would leave the output"
exits "by the command line alone" 2 "$program" generate --repo "$repo" --machine-deployments input
generate "allowed" --allow-removal
same "all are gone" 0 "$(find "$repo/out" -name 'machinedeployment-*' | wc -l)"
exits "verify" 0 "$program" verify --repo "$repo"

# ---- proofs, shards, another branch ----------------------------------------------------------------------------------------------------
settings "machineDeployments: output" "replicas: omit"
commit_all "$repo" "on again"
generate "on again"
sed -i 's/1.35.2/1.35.3/' "$repo/clusters/prod/four.yaml"
commit_all "$repo" "one kubelet"
cp -r "$repo" "$scratch/sharded"
cp -r "$repo" "$scratch/whole"
generate "one kubelet" -v
says "the others are kept" "1 rendered, 8 kept"
exits "without proofs" 0 "$program" generate --repo "$scratch/whole" --no-proofs
same "the same tree" "$(git -C "$repo" rev-parse HEAD:out)" "$(git -C "$scratch/whole" rev-parse HEAD:out)"
for index in 1 2; do
	exits "shard $index" 0 "$program" -q --repo "$scratch/sharded" --shard "$index/2" --out "$scratch/shard-$index"
done
exits "merge" 0 "$program" merge "$scratch/shard-1" "$scratch/shard-2" --repo "$scratch/sharded"
same "the same commit" "$(git -C "$scratch/whole" rev-parse HEAD)" "$(git -C "$scratch/sharded" rev-parse HEAD)"

# New pools that ask for no machine: the cluster sets 1, as the output has no number. Only the run that adds them warns.
warned() { grep -cF "$1" "$scratch/err"; } # CODE
for pool in idle resting; do
	sed "s/name: workers/name: $pool/; s/^  replicas: .*/  replicas: 0/" "$scratch/whole/clusters/prod/workers.yaml" >"$scratch/whole/clusters/prod/$pool.yaml"
done
sed 's/name: workers/name: busy/' "$scratch/whole/clusters/prod/workers.yaml" >"$scratch/whole/clusters/prod/busy.yaml"
commit_all "$scratch/whole" "new pools"
exits "plan of pools without machines" 0 "$program" plan --repo "$scratch/whole"
says "plan of pools without machines" "warning[OSG4203]: spec.replicas of 2 MachineDeployments is 0"
exits "pools without machines" 0 "$program" generate --repo "$scratch/whole"
says "pools without machines" "note: prod/kube-system/resting"
same "no other pool is named" 0 "$(sed -n '/OSG4203/,/^$/p' "$scratch/err" | grep -c "note: prod/kube-system/busy")"
same "that one has a number of its own" 1 "$(sed -n '/OSG2039.*is in the manifest and not in the output/,/^$/p' "$scratch/err" | grep -c "note: ")"
says "that one has a number of its own" "note: prod/kube-system/busy"
exits "the run after it" 0 "$program" generate --repo "$scratch/whole"
same "the run after it does not warn" 0 "$(warned OSG4203)"
sed -i 's/replicas: omit/replicas: keep/; s/1.35.3/1.35.2/' "$scratch/whole/osm-gen.yaml" "$scratch/whole/clusters/prod/four.yaml"
commit_all "$scratch/whole" "keep"
exits "with replicas: keep" 2 "$program" generate --repo "$scratch/whole"
says "0 takes the place of the cluster's number" "note: prod/kube-system/idle: replicas 0 in place of the cluster's own number"
exits "with replicas: keep, allowed" 0 "$program" generate --repo "$scratch/whole" --allow-removal
sed -i 's/replicas: keep/replicas: omit/' "$scratch/whole/osm-gen.yaml"
commit_all "$scratch/whole" "omit"
exits "from keep to omit" 0 "$program" generate --repo "$scratch/whole"
same "the run that makes the change warns" 1 "$(warned OSG2039)"
same "of existing pools it is the only warning" 0 "$(warned OSG4203)"
exits "once more" 0 "$program" generate --repo "$scratch/whole"
same "the next run does not warn" 0 "$(warned OSG2039)"
tree=$(git -C "$again" rev-parse HEAD:out)
git -C "$again" reset -q --hard HEAD~1
exits "another branch" 0 "$program" generate --repo "$again" --branch rendered
same "the same tree there" "$tree" "$(git -C "$again" rev-parse rendered:out)"
exits "check there" 0 "$program" check --repo "$again" --branch rendered
sed -i "s/name: workers/name: other/" "$again/clusters/prod/workers.yaml"
commit_all "$again" "another name"
exits "a name that goes, there" 2 "$program" generate --repo "$again" --branch rendered
exits "allowed there" 0 "$program" generate --repo "$again" --branch rendered --allow-removal
git -C "$again" reset -q --hard HEAD~1

# ---- Flux and Argo CD: after their Secrets, in a Kustomization or an Application of their own -------------------------------------------
applier() { sed -i "s|^  sealing:|  delivery: $1\n  sealing:|; /^  delivery: {$2/d" "$repo/osm-gen.yaml"; }
applier '{applier: flux}' none
commit_all "$repo" "Flux"
generate "Flux"
flux=$repo/out/flux/prod/prod
same "the Secrets' Kustomization has no MachineDeployment" "Namespace Role RoleBinding Secret" "$(kinds "$repo/out/prod/worker")"
same "the MachineDeployments' has nothing else" "MachineDeployment" "$(kinds "$repo/out/prod/worker/kube-system")"
same "and follows" '["./out/prod/worker/kube-system", "prod-worker", "Orphan"]' \
	"$(yaml "$flux/worker-kube-system.yaml" '[o["spec"]["path"], o["spec"]["dependsOn"][0]["name"], o["spec"]["deletionPolicy"]]')"
exits "verify" 0 "$program" verify --repo "$repo"
applier '{applier: argocd, source: {url: "https://git.example.com/fleet.git"}}' 'applier: flux'
commit_all "$repo" "Argo CD"
generate "Argo CD"
set=$repo/out/argocd/prod/prod/applicationset.yaml
same "a wave of its own, the last" '["0", "2", "4"]' "$(yaml "$set" '[s["matchExpressions"][0]["values"][0] for s in o["spec"]["strategy"]["rollingSync"]["steps"]]')"
same "for the folder" '["out/prod/worker/kube-system", "4"]' "$(yaml "$set" '[[e["path"], e["wave"]] for e in o["spec"]["generators"][0]["list"]["elements"] if e["name"] == "prod-worker-kube-system"][0]')"
same "Argo CD asks before it deletes, and leaves others' number" '"Prune=confirm,Delete=confirm,ServerSideApply=true"' "$(yaml "$repo/${written/workers/four}" 'o["metadata"]["annotations"]["argocd.argoproj.io/sync-options"]')"
exits "verify" 0 "$program" verify --repo "$repo"

# ---- 199 and 200 units -------------------------------------------------------------------------------------------------------------------
rm "$repo"/clusters/prod/{three,four,five,six,seven,eight,nine,ten}.yaml
applier '{applier: flux}' 'applier: argocd'
pool=$(sed '/^# /d' "$again/clusters/prod/workers.yaml")
for ((i = 1; i < 199; i++)); do
	printf -- '---\n%s\n' "${pool/name: workers/name: pool-$i}"
done >"$repo/clusters/prod/pools.yaml"
commit_all "$repo" 199
generate "199 units" --allow-removal
same "one Kustomization" "worker-kube-system.yaml worker.yaml" "$(basename -a "$flux"/worker* | sort | paste -sd ' ')"
same "with all of them" 199 "$(grep -c machinedeployment- "$repo/out/prod/worker/kube-system/kustomization.yaml")"
sed "s/name: workers/name: pool-x/" "$again/clusters/prod/workers.yaml" >"$repo/clusters/prod/one.yaml"
commit_all "$repo" 200
exits "plan of 200" 0 "$program" plan --repo "$repo" -o json
same "no machine is concerned by the cut" "1 ADD 199 METADATA" "$(jq -r '.units[].class' "$scratch/out" | sort | uniq -c | xargs)"
generate "200 units"
same "all are there" 200 "$(find "$repo/out/prod/worker" -name 'machinedeployment-*' | wc -l)"
part=$(find "$repo/out/prod/worker" -name 'machinedeployment-pool-7.yaml' | sed "s,.*/worker/\([^/]*\)/.*,\1,")
same "in the part of their Secrets" 1 "$(find "$repo/out/prod/worker/$part" -name 'secret-pool-7-kube-system-provisioning*' | wc -l)"
same "a part's MachineDeployments follow it" '["prod-worker-'"$part"'"]' "$(yaml "$flux/worker-$part-kube-system.yaml" '[d["name"] for d in o["spec"]["dependsOn"]]')"
same "and stay if it goes" '"Orphan"' "$(yaml "$flux/worker-$part-kube-system.yaml" 'o["spec"]["deletionPolicy"]')"
same "whoever applies the whole side has them" "MachineDeployment Namespace Role RoleBinding Secret" "$(kinds "$repo/out/prod/worker")"
exits "verify" 0 "$program" verify --repo "$repo"
exits "check" 0 "$program" check --repo "$repo"
rm "$repo/clusters/prod/one.yaml"
sed -i 's/{applier: flux}/{applier: flux, maxUnits: 0}/' "$repo/osm-gen.yaml"
commit_all "$repo" "199, and never cut"
generate "not cut again" --allow-removal
same "one Kustomization again" "worker-kube-system.yaml worker.yaml" "$(basename -a "$flux"/worker* | sort | paste -sd ' ')"
exits "verify" 0 "$program" verify --repo "$repo"
finish
