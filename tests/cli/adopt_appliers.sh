#!/usr/bin/env bash
# adopt and compare name the programs that apply live objects, by their traces, and how to hand over.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

python3 "$here/adopt/appliers.py" "$here/adopt/live.yaml" >"$scratch/live.json"
mkdir "$scratch/fleet"
cd "$scratch/fleet" || exit 1
git -c init.defaultBranch=main init -q
cat >osm-gen.yaml <<-YAML
	apiVersion: osm-gen.dev/v1alpha1
	kind: Fleet
	spec:
	  sealing:
	    recipients: [$recipient]
YAML
commit_all . "fleet"

# Each program is named once, with its source, its trace and the number of objects; others leave none.
exits "29 MachineDeployments of several programs" 0 "$program" adopt "$scratch/live.json" --cluster prod --into clusters/prod
sed -n '/^two sources/,/^wrote/p' "$scratch/err" >"$scratch/sources"
same "who applies them" "two sources: other programs apply these objects, and go on when git applies them
  6 MachineDeployments: Helm release kube-system/pools (annotation meta.helm.sh/release-name)
  6 MachineDeployments: Argo CD's Application machines (annotation argocd.argoproj.io/tracking-id)
  6 MachineDeployments: Flux's Kustomization flux-system/apps (label kustomize.toolkit.fluxcd.io/name)
  5 MachineDeployments: Rancher default-pools (annotation objectset.rio.cattle.io/id)
  1 MachineDeployment: Flux's HelmRelease flux-system/edge (label helm.toolkit.fluxcd.io/name)
  1 MachineDeployment: kapp's app 1638455805474051000 (label kapp.k14s.io/app)
  1 MachineDeployment: kubectl apply (field manager kubectl-client-side-apply)
  1 MachineDeployment: Terraform (field manager Terraform)
  hand over before git applies them: two programs overwrite each other, and one that prunes deletes machines" \
	"$(grep -v '^    to hand over: \|^wrote' "$scratch/sources")"
for words in \
	"to hand over: set the annotation helm.sh/resource-policy: keep in the chart's templates and run helm upgrade" \
	"argocd.argoproj.io/sync-options: Prune=false on the live objects" \
	"to hand over: set the annotation kustomize.toolkit.fluxcd.io/prune: disabled on the live objects" \
	"with Fleet set keepResources: true" \
	"suspend the HelmRelease and delete it" \
	"kapp.k14s.io/delete-strategy: orphan" \
	"run terraform state rm"; do
	ok "how: $words" grep -qF -- "$words" "$scratch/sources"
done
same "no trace is adopted" "" "$(grep -rlE 'helm\.sh|argoproj|fluxcd|cattle|k14s|managed-by|last-applied' clusters)"

# The page has each trace that the program knows.
grep -oE 'SV_INIT\("(label|annotation) [^"]*/(name|id|tracking-id|instance|app|resource-id|owning-inventory|part-of|release-name|last-applied-configuration)"' \
	"$root/src/kube/applier.c" | sed 's/.* \(.*\)"/\1/' >"$scratch/traces"
same "traces" 11 "$(wc -l <"$scratch/traces")"
while read -r trace; do
	ok "docs/migration.md has $trace" grep -qE "^\| .* \`$trace\`" "$root/docs/migration.md"
done <"$scratch/traces"

# What is left out is counted, and named with -v.
says "29 tokens are one line" "  29 bootstrap tokens of the controller: valid for about an hour"
same "and no other" 1 "$(grep -c 'valid for about an hour' "$scratch/err")"
says "a Secret" "  1 Secret: nothing that osm-gen reads refers to it"
says "finalizers" "  finalizer foregroundDeletion of 29 objects: the live object keeps it"
same "without their names" "" "$(grep -E '^    (Secret|ConfigMap|Machine|kube-system)' "$scratch/err")"
rm -r clusters
exits "with -v" 0 "$program" adopt -v "$scratch/live.json" --cluster prod --into clusters/prod
for name in "Secret kube-system/bootstrap-token-tok028" "ConfigMap kube-system/coredns" "Secret kube-system/unrelated" \
	"MachineDeployment kube-system/pool-28" "kube-system/pool-11"; do
	ok "-v names $name" grep -qxF "    $name" "$scratch/err"
done
same "every token" 29 "$(grep -c '^    Secret kube-system/bootstrap-token-tok' "$scratch/err")"
same "nothing secret is shown" "" "$(grep -E 'CANARY|canarycanary' "$scratch/err")"

# A source whose name is a secret by mistake, and names that only look like a trace.
rm -r clusters
python3 - "$scratch/live.json" "$scratch/odd.json" <<'PY'
import json
import sys

live = json.load(open(sys.argv[1]))
for item in live["items"]:
    if item["metadata"]["name"] == "pool-00":
        item["metadata"]["annotations"]["meta.helm.sh/release-name"] = "ghp_CANARY0123456789abcdefCANARY0123456789"
    if item["metadata"]["name"] == "pool-01":
        item["metadata"]["annotations"] = ["meta.helm.sh/release-name"]
        item["metadata"]["managedFields"] = "helm"
        item["metadata"]["labels"] = {"kapp.k14s.io/app": {"a": 1}}
json.dump(live, open(sys.argv[2], "w"))
PY
exits "odd traces" 0 "$program" adopt -v "$scratch/odd.json" --cluster prod --into clusters/prod
says "a secret is masked" "1 MachineDeployment: Helm release kube-system/*** (annotation"
says "the others" "4 MachineDeployments: Helm release kube-system/pools"
same "and not shown" "" "$(grep CANARY "$scratch/err")"
same "managedFields are in the exports" "" "$(grep show-managed-fields "$scratch/err")"

# kubectl leaves managedFields out, unless it is asked for them.
rm -r clusters
jq '.items |= map(del(.metadata.managedFields))' "$scratch/live.json" >"$scratch/bare.json"
exits "without managedFields" 0 "$program" adopt "$scratch/bare.json" --cluster prod --into clusters/prod
says "how to see more" "  3 MachineDeployments: no trace shows who applies them; managedFields would, which the exports lack: kubectl get --show-managed-fields"
says "what kubectl apply leaves itself" "1 MachineDeployment: kubectl apply (annotation kubectl.kubernetes.io/last-applied-configuration)"
finish
