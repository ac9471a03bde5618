#!/usr/bin/env bash
# delivery: what is written for appliers, for a cluster that applies all of its output itself and for
# clusters that are managed from another one; that nothing of it stays behind.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

golden() { # NAME: a repository of a golden case, generated; prints its path
	local folder=$scratch/$1 line
	rm -rf "$folder"
	mkdir -p "$folder"
	cp -r "$root/tests/golden/base/." "$root/tests/golden/$1/repo/." "$folder/"
	if [ -f "$root/tests/golden/$1/remove" ]; then
		while read -r line; do rm "$folder/$line"; done <"$root/tests/golden/$1/remove"
	fi
	git -C "$folder" -c init.defaultBranch=main init -q
	commit_all "$folder" "inputs"
	"$program" --repo "$folder" -q || echo "generate failed" >&2
	echo "$folder"
}
generate() { # NAME [OPTIONS...]
	local name=$1
	shift
	exits "$name" 0 "$program" --repo "$repo" "$@"
}
second_cluster() { # NAME: of the same management cluster
	mkdir "$repo/clusters/$1"
	sed "s/name: prod\$/name: $1/; s/cluster-prod/cluster-$1/" "$repo/clusters/prod/osm-gen.yaml" >"$repo/clusters/$1/osm-gen.yaml"
	sed "s/cluster-prod/cluster-$1/" "$repo/clusters/prod/osp-small.yaml" >"$repo/clusters/$1/osp-small.yaml"
	cp "$repo/clusters/prod/workers.yaml" "$repo/clusters/prod/cluster-info.yaml" "$repo/clusters/$1/"
}
listed() { # PATH: how many indexes list it
	grep -lF "\"$1\"" "$repo"/out/*/index.json | wc -l
}

# ---- nobody asks for it
repo=$(fleet none)
generate "no delivery"
ok "nothing is written for it" test ! -e "$repo/out/flux"
ok "nor in an index" bash -c "! grep -rq delivery $repo/out"

# ---- one cluster, both sides in one place (KubeOne)
repo=$(golden delivery-flux-kubeone)
ok "KubeOne: the objects" diff -r "$root/tests/cli/delivery/kubeone" "$repo/out/flux"
exits "check" 0 "$program" check --repo "$repo"
exits "verify" 0 "$program" verify --repo "$repo"

# ---- a management cluster and a worker cluster (KKP)
repo=$(golden delivery-flux-kkp)
ok "KKP: the objects" diff -r "$root/tests/cli/delivery/kkp" "$repo/out/flux"
exits "verify" 0 "$program" verify --repo "$repo"
second_cluster west
commit_all "$repo" "a second cluster"
generate "a second cluster"
same "stands in the list" "prod west" "$(sed -n 's/^- //p' "$repo/out/flux/seed-eu/kustomization.yaml" | paste -sd ' ')"
same "which both indexes list" 2 "$(listed flux/seed-eu/kustomization.yaml)"
same "and each its own files alone" 1 "$(listed flux/seed-eu/west/worker.yaml)"
exits "verify two clusters" 0 "$program" verify --repo "$repo"
exits "without a seed nothing of it differs" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"

# What Flux applies is what the indexes list.
audit=$scratch/audit
cp -r "$repo" "$audit"
printf -- '- ../../evil\n' >>"$audit/out/flux/seed-eu/kustomization.yaml"
commit_all "$audit" "a list with more in it"
exits "more in the list" 1 env -u OSM_GEN_SEAL_SEED "$program" verify --repo "$audit"
ok "is found" grep -q "out/flux/seed-eu/kustomization.yaml: warning\[OSG5105\]" "$scratch/out"
cp "$repo/out/flux/seed-eu/kustomization.yaml" "$audit/out/flux/seed-eu/"
cp "$audit/out/flux/seed-eu/west/worker.yaml" "$audit/out/flux/seed-eu/west/other.yaml"
cp "$audit/out/flux/seed-eu/west/management.yaml" "$audit/out/flux/seed-eu/west/worker.yaml"
commit_all "$audit" "one in the other's place"
exits "one in the other's place" 1 env -u OSM_GEN_SEAL_SEED "$program" verify --repo "$audit"
ok "an object that is another" grep -q "west/worker.yaml: warning\[OSG5105\]: the file holds" "$scratch/out"
ok "a file that no index lists" grep -q "west/other.yaml: warning\[OSG5102\]" "$scratch/out"

# Branches that each add a cluster far from the other's merge; what is one list conflicts where lines touch.
git -C "$repo" rm -rq clusters/west
commit_all "$repo" "the second one goes"
generate "goes" --allow-removal
ok "with all of its files" test ! -e "$repo/out/flux/seed-eu/west" -a ! -e "$repo/out/west"
same "the list names the other one" "prod" "$(sed -n 's/^- //p' "$repo/out/flux/seed-eu/kustomization.yaml")"
sed -i 's/applier: flux/applier: none/' "$repo/osm-gen.yaml"
commit_all "$repo" "no applier"
generate "no applier any more"
ok "nothing stays" test ! -e "$repo/out/flux"

# ---- where the output stands
repo=$(golden delivery-flux-kubeone)
generate "outside of the repository" --out "$scratch/export"
same "paths begin there" "  path: ./prod/worker" "$(grep ' path:' "$scratch/export/flux/prod/prod/worker.yaml")"
generate "another folder" --out deep/er
same "paths follow" "  path: ./deep/er/prod/worker" "$(grep ' path:' "$repo/deep/er/flux/prod/prod/worker.yaml")"
sed -i 's/applier: flux/applier: flux, path: "."/' "$repo/osm-gen.yaml"
commit_all "$repo" "the root of the source"
generate "the root of the source"
same "is said" "  path: ./prod/worker" "$(grep ' path:' "$repo/out/flux/prod/prod/worker.yaml")"

# ---- names
long=$(printf 'a%.0s' {1..60})
sed -i "s/name: prod\$/name: $long/" "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "a long name"
generate "a long name" --allow-removal --rotate-recipients
same "is cut, and not the same for both sides" "63 63 2" "$(sed -n 's/^  name: //p' "$repo/out/flux/$long/$long"/{worker,management}.yaml |
	awk 'length > 20 { printf "%s ", length; n[$0] } END { print length(n) }')"

# ---- what becomes of what is sealed
repo=$(fleet sealed)
printf '  delivery: {applier: flux}\n' >>"$repo/osm-gen.yaml"
edge=out/flux/edge-eu-1/edge-eu-1
for osc in redacted sealed patch; do
	sed -i "/osc:/d; s/^  settings:\$/  settings:\n    osc: $osc/" "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
	commit_all "$repo" "osc: $osc"
	generate "osc: $osc"
	same "osc: $osc brings decryption" "$([ $osc = redacted ] && echo 0 || echo 1)" "$(grep -c decryption: "$repo/$edge/management.yaml")"
	same "osc: $osc: where something is sealed" "$(grep -c decryption: "$repo/$edge/management.yaml")" \
		"$(grep -rlE 'mac: ENC|"mac":' "$repo/out/edge-eu-1/management" | head -n 1 | wc -l)"
done
cp "$root/tests/golden/certificate/repo/one.pem" "$repo/tests/fleet/edge-eu-1/"
sed -i '/osc:/d; s/^spec:$/spec:\n  sealing: {format: sealed-secrets, certificate: one.pem}/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "SealedSecrets"
generate "SealedSecrets" --rotate-recipients
same "their controller decrypts, and can be waited for" "  wait: true" "$(grep -E 'decryption|wait' "$repo/$edge/worker.yaml")"

# ---- Argo CD: ApplicationSets, what it reads on objects, KSOPS
repo=$(fleet argocd)
printf '  delivery: {applier: argocd, source: {url: "https://git.example.com/fleet.git", revision: main}}\n' >>"$repo/osm-gen.yaml"
sed -i 's/managementCluster: self/managementCluster: hub/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "Argo CD"
generate "Argo CD"
ok "the ApplicationSets" diff -r "$root/tests/cli/delivery/argocd" "$repo/out/argocd"
same "the order is that of the steps" "0 2" "$(sed -n '/^  strategy:/,/^  syncPolicy:/s/^ *- "\([0-9]\)"$/\1/p' "$repo/out/argocd/hub/prod-us-1/applicationset.yaml" | paste -sd ' ')"
same "what Flux replaces it replaces" "$(grep -rlE 'kustomize.toolkit.fluxcd.io/force' "$repo/out" | sort)" \
	"$(grep -rlE 'argocd.argoproj.io/sync-options"?: "?Replace=true,Force=true' "$repo/out" | sort)"
ok "there are such objects" grep -rq 'Replace=true,Force=true' "$repo/out"
same "profiles come before what names them" "$(find "$repo/out" -name 'operatingsystemprofile-*' | sort)" \
	"$(grep -rlE 'argocd.argoproj.io/sync-wave"?: "-1"' "$repo/out/"*/management | sort)"
ok "so does RBAC" grep -qE 'argocd.argoproj.io/sync-wave"?: "-1"' "$repo"/out/prod-us-1/worker/*/role-*.yaml
same "nothing sealed is a resource" "" "$(cd "$repo/out/prod-us-1/worker" && sed -n 's/^- //p' kustomization.yaml | xargs grep -l 'ENC\[')"
same "all that is sealed is KSOPS's" "$(cd "$repo/out/prod-us-1/worker" && grep -rl 'ENC\[' . | sed 's|^\./||' | sort)" \
	"$(sed -n '/^files:/,$s/^- //p' "$repo/out/prod-us-1/worker/ksops.yaml" | sort)"
exits "verify" 0 "$program" verify --repo "$repo"
exits "check" 0 "$program" check --repo "$repo"
sed -i '$d' "$repo/out/prod-us-1/worker/ksops.yaml"
commit_all "$repo" "one that KSOPS leaves out"
exits "one that KSOPS leaves out" 1 env -u OSM_GEN_SEAL_SEED "$program" verify --repo "$repo"
ok "is found" grep -q "worker/ksops.yaml: warning\[OSG5105\]" "$scratch/out"

# ---- a side that is cut
pools() { # FIRST LAST: MachineDeployments
	for ((i = $1; i <= $2; i++)); do
		printf -- '---\napiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata:\n  name: pool-%d\n  namespace: kube-system\n' "$i"
		printf '  annotations: {k8c.io/operating-system-profile: osp-ubuntu}\nspec:\n  selector: {matchExpressions: [{key: none, operator: DoesNotExist}]}\n  template:\n    spec:\n      versions: {kubelet: 1.34.1}\n'
		printf '      providerSpec: {value: {cloudProvider: hetzner, cloudProviderSpec: {serverType: cx42}, operatingSystem: ubuntu,\n'
		printf '        operatingSystemSpec: {distUpgradeOnBoot: false}}}\n'
	done
}
moved() { git -C "$repo" show --name-status -M100% --format= HEAD -- out | grep -c '^R100.*secret-'; }
objects() { # the set of them, wherever they stand
	(cd "$repo/out/prod-us-1" && find . -name '*.yaml' ! -name kustomization.yaml -exec sha256sum {} + | awk '{ n = split($2, p, "/"); print $1, p[n] }' | sort)
}
repo=$(fleet cut)
printf '  delivery: {maxUnits: 8}\n' >>"$repo/osm-gen.yaml"
us=$repo/tests/fleet/prod-us-1
pools 1 5 >"$us/pools.yaml"
commit_all "$repo" "seven"
generate "below the bound"
ok "nothing is cut" test -e "$repo/out/prod-us-1/worker/cloud-init-settings" -a ! -e "$repo/out/prod-us-1/worker/shared"
before=$(objects)
pools 6 6 >"$us/more.yaml"
commit_all "$repo" "eight"
exits "plan" 0 "$program" plan --repo "$repo" -o json
same "no machine is touched by the cut" "ADD METADATA NONE" "$(python3 -c 'import json, sys; print(" ".join(sorted({u["class"] for u in json.load(sys.stdin)["units"]})))' <"$scratch/out")"
generate "at the bound"
ok "it is cut" test ! -e "$repo/out/prod-us-1/worker/cloud-init-settings" -a -e "$repo/out/prod-us-1/worker/shared/kustomization.yaml"
same "all objects are there with the same bytes" "" "$(comm -23 <(echo "$before") <(objects))"
same "files have only moved" "$(echo "$before" | grep -c ' secret-')" "$(moved)"
exits "check" 0 "$program" check --repo "$repo"
exits "without a seed nothing differs" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"
exits "verify" 0 "$program" verify --repo "$repo"
same "the other cluster is not cut" 0 "$(find "$repo/out/edge-eu-1" -name shared | wc -l)"
pools 7 30 >"$us/more2.yaml"
commit_all "$repo" "many more"
generate "many more"
same "moves nothing" 0 "$(moved)"
git -C "$repo" rm -q "${us#"$repo"/}/more2.yaml"
git -C "$repo" rm -q "${us#"$repo"/}/more.yaml"
commit_all "$repo" "seven again"
generate "seven again" --allow-removal
ok "stays cut" test -e "$repo/out/prod-us-1/worker/shared/kustomization.yaml"
same "and moves nothing" 0 "$(moved)"
exits "verify" 0 "$program" verify --repo "$repo"
# A file in another part than its unit's.
audit=$scratch/cut-audit
cp -r "$repo" "$audit"
part=$(cd "$audit/out/prod-us-1/worker" && find . -mindepth 1 -maxdepth 1 -type d -name '?' -printf '%f\n' | sort | head -n 1)
file=$(cd "$audit/out/prod-us-1/worker/$part" && find . -name 'secret-*provisioning*' | head -n 1)
mkdir -p "$audit/out/prod-us-1/worker/shared/cloud-init-settings"
mv "$audit/out/prod-us-1/worker/$part/$file" "$audit/out/prod-us-1/worker/shared/$file"
sed -i "s|\"worker/$part/${file#./}\"|\"worker/shared/${file#./}\"|" "$audit/out/prod-us-1/index.json"
commit_all "$audit" "in another part"
exits "in another part" 1 env -u OSM_GEN_SEAL_SEED "$program" verify --repo "$audit"
ok "is found" grep -q "shared/${file#./}: warning\[OSG5105\]: the file holds" "$scratch/out"
pools 1 1 >"$us/pools.yaml"
commit_all "$repo" "three"
generate "less than half of the bound" --allow-removal
ok "is one again" test -e "$repo/out/prod-us-1/worker/cloud-init-settings" -a ! -e "$repo/out/prod-us-1/worker/shared"
exits "verify" 0 "$program" verify --repo "$repo"
sed -i 's/maxUnits: 8/maxUnits: 2, applier: flux/' "$repo/osm-gen.yaml"
pools 1 20 >"$us/pools.yaml"
commit_all "$repo" "for Flux"
generate "for Flux"
same "one a part, and the parts' own come last" "prod-us-1-management-shared" \
	"$(sed -n '/dependsOn:/,/name:/s/.*name: //p' "$repo"/out/flux/prod-us-1/prod-us-1/management-?.yaml | sort -u)"
ok "an emptied part leaves nothing in the cluster" bash -c "grep -L 'deletionPolicy: MirrorPrune' $repo/out/flux/prod-us-1/prod-us-1/worker-?.yaml | grep -c . | grep -qx 0"
ok "a whole side leaves it to others" grep -q 'deletionPolicy: Orphan' "$repo/out/flux/prod-us-1/prod-us-1/worker-shared.yaml"
sed -i 's/kubelet: 1.34.1/kubelet: 1.33.9/' "$us/pools.yaml"
commit_all "$repo" "another kubelet in all of them"
exits "another kubelet" 0 "$program" plan --repo "$repo" -o json
same "is one change, in whichever parts they stand" "1 20" "$(python3 -c 'import json, sys; g = json.load(sys.stdin)["groups"]; print(len(g), len(g[0]["units"]))' <"$scratch/out")"
same "the index says how it is cut" '  "cut": 1,' "$(grep '"cut"' "$repo/out/prod-us-1/index.json")"
sed -i 's|applier: flux|applier: argocd, source: {url: "https://git.example.com/fleet.git"}|' "$repo/osm-gen.yaml"
commit_all "$repo" "for Argo CD"
generate "for Argo CD"
ok "Flux's objects go" test ! -e "$repo/out/flux"
set=$repo/out/argocd/prod-us-1/prod-us-1/applicationset.yaml
same "an Application for each part" "$(find "$repo/out/prod-us-1" -mindepth 3 -name kustomization.yaml | wc -l)" "$(grep -c '^      - name: ' "$set")"
same "in four steps" "0 1 2 3" "$(sed -n '/^  strategy:/,/^  syncPolicy:/s/^ *- "\([0-9]\)"$/\1/p' "$set" | paste -sd ' ')"
same "only a part takes its objects along" "$(grep -cE '^ *path: .*/[0-9a-f]$' "$set")" "$(grep -c 'isPart: true' "$set")"
ok "by the finalizer" grep -q 'resources-finalizer.argocd.argoproj.io' "$set"
exits "verify" 0 "$program" verify --repo "$repo"

# ---- the bound where nothing is said: the same for all who apply the output
repo=$(fleet bound)
us=$repo/tests/fleet/prod-us-1
pools 1 197 >"$us/pools.yaml"
commit_all "$repo" "199, and no delivery at all"
generate "199 without delivery"
ok "are not cut" test ! -e "$repo/out/prod-us-1/worker/shared"
pools 198 198 >"$us/more.yaml"
commit_all "$repo" "200"
generate "200 without delivery"
ok "are cut" test -e "$repo/out/prod-us-1/worker/shared/kustomization.yaml" -a ! -e "$repo/out/prod-us-1/worker/cloud-init-settings"
printf '  delivery: {maxUnits: 0}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "never"
generate "maxUnits: 0"
ok "are not" test ! -e "$repo/out/prod-us-1/worker/shared"

# ---- the namespace of the management side
repo=$(golden delivery-flux-kkp)
sed -i 's/managementNamespace: exists/managementNamespace: create/' "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "create"
generate "created"
ok "is there, and never removed" grep -q 'kustomize.toolkit.fluxcd.io/prune: disabled' "$repo/out/prod/management/namespace-cluster-prod.yaml"
ok "and applied" grep -q -- '- namespace-cluster-prod.yaml' "$repo/out/prod/management/kustomization.yaml"
# Two clusters in one namespace: one of them makes it.
cp -r "$repo/clusters/prod" "$repo/clusters/test"
sed -i 's/^  name: prod/  name: test/' "$repo/clusters/test/osm-gen.yaml"
find "$repo/clusters/test" -name '*.yaml' ! -name osm-gen.yaml -exec sed -i -E '/^kind: MachineDeployment/,/^---/s/^  name: /&test-/; s/osp-small/osp-test/' {} +
commit_all "$repo" "two"
exits "both make it" 2 "$program" --repo "$repo"
says "that is an error" "both write Namespace cluster-prod there"
says "and what to do" "write managementNamespace: exists into delivery of all but one"
sed -i 's/managementNamespace: create/managementNamespace: exists/' "$repo/clusters/test/osm-gen.yaml"
commit_all "$repo" "one makes it"
generate "one of two makes it"
ok "it is in the one" test -e "$repo/out/prod/management/namespace-cluster-prod.yaml" -a ! -e "$repo/out/test/management/namespace-cluster-prod.yaml"
finish
