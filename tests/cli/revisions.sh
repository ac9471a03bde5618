#!/usr/bin/env bash
# Revisions: --revisions of one cluster and of several, as JSON and YAML; the annotation that was left
# behind when the template went on.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet repo)
us=$repo/tests/fleet/prod-us-1
eu=$repo/tests/fleet/edge-eu-1
annotation=machinedeployment.clusters.k8s.io/revision

revision() { # CLUSTER NAME: of its config, as the file says it
	sed -n 's/^ *k8c.io\/machine-deployment-revision: "\?\([0-9]*\)"\?$/\1/p' \
		"$repo/out/$1/management/kube-system/operatingsystemconfig-$2-kube-system-config.yaml"
}
live() { # NUMBER: as kubectl prints it
	printf '{"apiVersion": "v1", "kind": "List", "items": [{"metadata": {"namespace": "kube-system", "name": "%s",
		"annotations": {"%s": "%s"}}}]}\n' workers "$annotation" "$1"
}
machine_deployment() { # NAME KUBELET [REVISION]
	printf 'apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata:\n  name: %s\n  namespace: kube-system\n' "$1"
	printf '  annotations:\n    k8c.io/operating-system-profile: osp-ubuntu\n'
	[ -z "${3:-}" ] || printf '    %s: "%s"\n' "$annotation" "$3"
	printf 'spec:\n  replicas: 1\n  selector: {matchExpressions: [{key: none, operator: DoesNotExist}]}\n  template:\n    spec:\n      versions: {kubelet: %s}\n      providerSpec:\n        value:\n' "$2"
	printf '          cloudProvider: hetzner\n          cloudProviderSpec: {serverType: cx42}\n          operatingSystem: ubuntu\n'
	printf '          operatingSystemSpec: {distUpgradeOnBoot: false}\n'
}

# ---- of one cluster, or of several
machine_deployment workers 1.34.1 >"$us/more.yaml"
machine_deployment workers 1.34.1 >"$eu/more.yaml"
sed -i 's/name: workers$/name: elsewhere/' "$us/machinedeployments.yaml" "$eu/machinedeployments.yaml"
commit_all "$repo" "one name in two clusters"
live 5 >"$scratch/live.json"
exits "one file for two clusters" 2 "$program" --repo "$repo" --revisions "$scratch/live.json"
says "names the code" "error[OSG2024]"
says "names the object" "kube-system/workers"
says "names the clusters" "edge-eu-1 and prod-us-1"

mkdir "$scratch/revisions"
exits "a folder without files" 2 "$program" --repo "$repo" --revisions "$scratch/revisions"
says "is another folder, most likely" "error[OSG2024]: the folder holds no file of a cluster, such as edge-eu-1.json"
live 5 >"$scratch/revisions/prod-us-1.json"
printf 'apiVersion: v1\nkind: List\nitems:\n- metadata:\n    namespace: kube-system\n    name: workers\n    annotations: {%s: "9"}\n' \
	"$annotation" >"$scratch/revisions/edge-eu-1.yaml"
exits "a folder with both" 0 "$program" --repo "$repo" --revisions "$scratch/revisions"
same "JSON is read" 5 "$(revision prod-us-1 workers)"
same "YAML is read" 9 "$(revision edge-eu-1 workers)"
same "and nothing is warned of" "" "$(grep -o 'OSG2047' "$scratch/err")"
mv "$scratch/revisions/edge-eu-1.yaml" "$scratch/revisions/edge-eu1.yaml"
cp "$scratch/revisions/prod-us-1.json" "$scratch/revisions/staging.json"
mkdir "$scratch/revisions/old.json"
echo '{}' >"$scratch/revisions/old.json/older.json"
echo 'how these were made' >"$scratch/revisions/README"
exits "files of no cluster" 0 "$program" --repo "$repo" --revisions "$scratch/revisions/"
says "the misspelt one" "revisions/edge-eu1.yaml: warning[OSG2047]: there is no cluster \"edge-eu1\", and its revisions are not read"
says "has a nearest name" "help: did you mean edge-eu-1? Else remove the file"
says "the stranger" "revisions/staging.json: warning[OSG2047]"
says "has a remedy, too" "help: name the file after its cluster"
same "two of them, and no more" 2 "$(grep -c 'OSG2047' "$scratch/err")"
same "the cluster is counted on" 9 "$(revision edge-eu-1 workers)"
exits "plan says so, too, without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" plan --repo "$repo" --revisions "$scratch/revisions"
says "by name" "warning[OSG2047]"
rm "$scratch/revisions/staging.json" "$scratch/revisions/prod-us-1.json"
exits "nobody's file at all" 2 "$program" --repo "$repo" --revisions "$scratch/revisions"
says "still has its nearest name" "did you mean edge-eu-1?"
rm -r "$scratch/revisions/old.json"
mv "$scratch/revisions/edge-eu1.yaml" "$scratch/revisions/edge-eu-1.yaml"
live 5 >"$scratch/revisions/prod-us-1.json"
cp "$scratch/revisions/edge-eu-1.yaml" "$scratch/revisions/edge-eu-1.json"
exits "two files of a cluster" 2 "$program" --repo "$repo" --revisions "$scratch/revisions"
says "names both" "edge-eu-1.yaml: error[OSG2024]: cluster edge-eu-1 has two files of revisions, this one and edge-eu-1.json"
rm "$scratch/revisions/edge-eu-1.json"
sed -i 's/"9"/nine/' "$scratch/revisions/edge-eu-1.yaml"
exits "a wrong number in YAML" 2 "$program" --repo "$repo" --revisions "$scratch/revisions"
says "has its place" "edge-eu-1.yaml:7:"
printf 'items: [\n' >"$scratch/revisions/edge-eu-1.yaml"
exits "broken YAML" 2 "$program" --repo "$repo" --revisions "$scratch/revisions/"
says "has its place, too" "edge-eu-1.yaml:"
printf 'kind: MachineDeployment\nmetadata: {name: workers}\n' >"$scratch/revisions/edge-eu-1.yaml"
exits "no list" 2 "$program" --repo "$repo" --revisions "$scratch/revisions/"
says "is said" "error[OSG6107]"

# A file whose names belong to one cluster each is as good as a folder.
git -C "$repo" rm -q "$eu/more.yaml"
commit_all "$repo" "one name, one cluster"
live 6 >"$scratch/live.json"
exits "one file, no doubt" 0 "$program" --repo "$repo" --revisions "$scratch/live.json"
same "is read" 6 "$(revision prod-us-1 workers)"

# ---- the annotation
kept() { # NAME KUBELET REVISION: commits the MachineDeployment, and generates
	machine_deployment kept "$2" "$3" >"$us/kept.yaml"
	commit_all "$repo" "$1"
	exits "$1" 0 "$program" --repo "$repo"
}
kept "first" 1.34.1 7
same "the annotation is taken" 7 "$(revision prod-us-1 kept)"
kept "another template" 1.34.2 7
says "warns" "warning[OSG4034]: annotation $annotation has revision 7, which is not the template's any more: 8 is used"
same "is counted on" 8 "$(revision prod-us-1 kept)"
exits "the same commit again" 0 "$program" --repo "$repo"
same "stays" 8 "$(revision prod-us-1 kept)"
exits "check agrees" 0 "$program" check --repo "$repo"
sed -i 's/replicas: 1/replicas: 2/' "$us/kept.yaml"
commit_all "$repo" "replicas"
exits "more replicas" 0 "$program" --repo "$repo"
same "are no other template: it does not go back" 8 "$(revision prod-us-1 kept)"
kept "another template again" 1.34.3 7
same "goes on" 9 "$(revision prod-us-1 kept)"
kept "a higher annotation" 1.34.4 12
same "is a live one: used as it is" 12 "$(revision prod-us-1 kept)"
same "without a warning" "" "$(grep -o 'OSG4034' "$scratch/err")"
exits "caught up" 0 "$program" --repo "$repo"
same "an annotation that is right is no matter" "" "$(grep -o 'OSG4034' "$scratch/err")"
live 20 | sed 's/"workers"/"kept"/' >"$scratch/live.json"
machine_deployment kept 1.34.5 12 >"$us/kept.yaml"
commit_all "$repo" "behind, with live revisions"
exits "--revisions comes first" 0 "$program" --repo "$repo" --revisions "$scratch/live.json"
same "before the annotation" 20 "$(revision prod-us-1 kept)"
same "and without a warning" "" "$(grep -o 'OSG4034' "$scratch/err")"
exits "a value that is none" 64 "$program" --repo "$repo" --revision-annotation always
kept "behind again" 1.34.6 12
same "counted on from what was live" 21 "$(revision prod-us-1 kept)"
exits "pinned by hand" 0 "$program" --repo "$repo" --revision-annotation pin
same "keeps to the annotation" 12 "$(revision prod-us-1 kept)"

# ---- exports, put together
export_of() { # NAME REVISION...
	printf '{"kind": "List", "items": ['
	while [ $# -gt 1 ]; do
		printf '{"metadata": {"namespace": "kube-system", "name": "%s", "annotations": {"%s": "%s", "token": "s3cret"}}}%s' "$1" "$annotation" "$2" "$([ $# -gt 2 ] && echo ,)"
		shift 2
	done
	printf ']}\n'
}
mkdir "$scratch/exports"
export_of workers 3 build 1 >"$scratch/exports/prod-us-1.json"
export_of workers 5 later 2 >"$scratch/exports/newer.json"
printf 'items:\n- metadata: {namespace: a, name: b, annotations: {%s: "7"}}\n' "$annotation" >"$scratch/exports/edge-eu-1.yaml"
exits "revisions" 0 "$program" revisions "$scratch/exports/prod-us-1.json" "prod-us-1=$scratch/exports/newer.json" "$scratch/exports/edge-eu-1.yaml"
same "are sorted, the highest of a cluster's" "edge-eu-1/a/b 7 prod-us-1/kube-system/build 1 prod-us-1/kube-system/later 2 prod-us-1/kube-system/workers 5" \
	"$(paste -sd ' ' "$scratch/out")"
printf '{"kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": [' >"$scratch/exports/nested.json"
printf '{"metadata": {"namespace": "a", "name": "b", "annotations": {"%s": "8"}}}]}]}\n' "$annotation" >>"$scratch/exports/nested.json"
exits "a List in a List" 0 "$program" revisions "edge-eu-1=$scratch/exports/nested.json"
same "is read, too" "edge-eu-1/a/b 8" "$(cat "$scratch/out")"
exits "as JSON" 0 "$program" revisions -o json "$scratch/exports/prod-us-1.json"
same "has each" "prod-us-1 kube-system build 1" "$(python3 -c 'import json, sys; print(*json.load(sys.stdin)["revisions"][0].values())' <"$scratch/out")"
exits "into a folder" 0 "$program" revisions --into "$scratch/merged" "$scratch/exports/prod-us-1.json" "prod-us-1=$scratch/exports/newer.json"
ok "nothing else comes along" bash -c "! grep -q s3cret '$scratch/merged/prod-us-1.json'"
exits "which revisions reads again" 0 "$program" revisions "$scratch/merged/prod-us-1.json"
same "the same" "prod-us-1/kube-system/workers 5" "$(tail -n 1 "$scratch/out")"
exits "from standard input" 0 "$program" revisions prod=- <"$scratch/exports/newer.json"
exits "of no cluster" 64 "$program" revisions - <"$scratch/exports/newer.json"
says "asks for it" "write CLUSTER=-"
export_of workers many >"$scratch/exports/bad.json"
exits "no number" 2 "$program" revisions "$scratch/exports/bad.json"
says "says of what" "of kube-system/workers must be a string with a whole number"

# ---- source and output reverted together
repo=$(fleet reverted)
us=$repo/tests/fleet/prod-us-1
run() { exits "$1" 0 "$program" --repo "$repo"; }
quiet_about() { ok "$1" bash -c "! grep -q OSG6034 '$scratch/err'"; }
machine_deployment back 1.34.1 >"$us/back.yaml"
commit_all "$repo" "first"
run "first"
first=$(git -C "$repo" rev-parse HEAD)
machine_deployment back 1.34.2 >"$us/back.yaml"
commit_all "$repo" "second"
run "second"
same "counts on" 2 "$(revision prod-us-1 back)"
quiet_about "nothing was reverted"
git -C "$repo" checkout -q "$first" -- out tests
commit_all "$repo" "both back"
run "both back"
same "has the old revision" 1 "$(revision prod-us-1 back)"
says "warns" "tests/fleet/prod-us-1/back.yaml:4:9: warning[OSG6034]: the output was reverted"
says "with the number that was" "gets revision 1; commit"
says "and the remedy" "--revisions revisions.json"
exits "check warns, too" 0 "$program" check --repo "$repo"
says "of the same" "OSG6034"
machine_deployment back 1.34.3 >"$us/back.yaml"
commit_all "$repo" "third"
run "third"
same "counts from the old one" 2 "$(revision prod-us-1 back)"
says "still warns" "OSG6034"
export_of back 4 >"$scratch/live.json"
exits "the remedy" 0 "$program" --repo "$repo" --revisions "$scratch/live.json"
same "is taken" 4 "$(revision prod-us-1 back)"
quiet_about "with the remedy"
run "after it"
quiet_about "after the remedy"
# The source alone: osm-gen counts on, and all is well.
repo=$(fleet source)
us=$repo/tests/fleet/prod-us-1
machine_deployment back 1.34.1 >"$us/back.yaml"
commit_all "$repo" "first"
run "first"
first=$(git -C "$repo" rev-parse HEAD)
machine_deployment back 1.34.2 >"$us/back.yaml"
commit_all "$repo" "second"
run "second"
git -C "$repo" checkout -q "$first" -- tests
commit_all "$repo" "the source back"
run "the source back"
same "goes on" 3 "$(revision prod-us-1 back)"
quiet_about "the source alone"
finish
