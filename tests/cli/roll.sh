#!/usr/bin/env bash
# osm-gen roll: one annotation in manifests of the working tree, whatever their style, and no other byte.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet first)
workers=$repo/tests/fleet/prod-us-1/machinedeployments.yaml
exits "generate" 0 "$program" -C "$repo" generate
restore() { git -C "$repo" checkout -q .; }
annotation() { python3 -c '
import sys, yaml
for md in yaml.load_all(open(sys.argv[1]), yaml.CSafeLoader):
    if md and md.get("kind") == "MachineDeployment":
        print(md["metadata"]["name"], ((md["spec"]["template"].get("metadata") or {}).get("annotations") or {}).get("osm-gen.dev/roll", "-"))' "$1"; }

# ---- one MachineDeployment -------------------------------------------------------------------------------------------------
exits "roll" 0 "$program" -C "$repo" roll prod-us-1/kube-system/workers
says "how many machines" "marked 1 MachineDeployment with 3 machines in 1 file"
same "the counter begins at 1" "workers 1" "$(annotation "$workers" | grep workers)"
same "one file changed, in added lines alone" "$(git -C "$repo" diff --numstat | cut -f3)" "tests/fleet/prod-us-1/${workers##*/}"
exits "plan" 0 "$program" -C "$repo" plan --worktree -o json
same "it rolls, alone" '["workers"]' "$(jq -c '[.units[] | select(.class == "ROLL") | .name]' "$scratch/out")"
exits "again" 0 "$program" -C "$repo" roll prod-us-1/kube-system/workers -q
same "counts" "workers 2" "$(annotation "$workers" | grep workers)"
same "-q says nothing" "" "$(cat "$scratch/err")"
commit_all "$repo" "roll"
exits "generate" 0 "$program" -C "$repo" generate
exits "plan after the commit" 0 "$program" -C "$repo" plan
says_out() { ok "$1" grep -qF "$2" "$scratch/out"; }
says_out "nothing rolls" "no machine is replaced, and no user-data changes"

sed -i '0,/replicas: 3/s//replicas: "three"/' "$workers"
exits "a number of machines that is none" 0 "$program" -C "$repo" roll prod-us-1/kube-system/workers
says "is not stated" "marked 1 MachineDeployment in 1 file"
restore

# ---- who is chosen -----------------------------------------------------------------------------------------------------------
chosen() { sed -n 's/^    \(.*\): osm-gen.dev.*/\1/p' "$scratch/err" | paste -sd ' '; }
exits "a cluster" 0 "$program" -C "$repo" roll --cluster edge-eu-1
same "all of it" "edge-eu-1/kube-system/storage edge-eu-1/kube-system/workers" "$(chosen | tr ' ' '\n' | sort | paste -sd ' ')"
restore
exits "a profile in a cluster" 0 "$program" -C "$repo" roll --cluster edge-eu-1 --profile osp-ubuntu
restore
exits "a name of several clusters" 0 "$program" -C "$repo" roll kube-system/workers
same "all that have it" "edge-eu-1/kube-system/workers prod-us-1/kube-system/workers" "$(chosen | tr ' ' '\n' | sort | paste -sd ' ')"
restore
exits "nothing" 64 "$program" -C "$repo" roll
says "is refused" '"roll" needs --profile, --cluster or names'
exits "a name that is not there" 64 "$program" -C "$repo" roll kube-system/worker
says "the nearest" "did you mean kube-system/workers?"
exits "a name of another namespace" 64 "$program" -C "$repo" roll default/workers
says "the one that is there" "did you mean kube-system/workers?"
exits "a name that a choice leaves out" 64 "$program" -C "$repo" roll kube-system/build --cluster edge-eu-1
says "says why" "--cluster or --profile leaves it out"
exits "a cluster that is not there" 64 "$program" -C "$repo" roll --cluster edge-eu
says "the nearest" "did you mean edge-eu-1?"
exits "a profile that nobody has" 64 "$program" -C "$repo" roll --profile osp-ubunt
says "the nearest" "did you mean osp-ubuntu?"
same "nothing was changed" "" "$(git -C "$repo" status --porcelain)"
git clone -q --bare "$repo" "$scratch/bare.git"
exits "a bare repository" 3 "$program" -C "$scratch/bare.git" roll kube-system/workers
says "has no manifests to mark" "no working tree"

# ---- what cannot be edited -----------------------------------------------------------------------------------------------------
base() { rm -rf "$scratch/base" && cp -r "$root/tests/golden/base" "$scratch/base" && git -C "$scratch/base" init -q; }
manifest=$scratch/base/clusters/prod/workers.yaml
refused() { # NAME WORDS
	cp "$manifest" "$scratch/before"
	exits "$1" 2 "$program" -C "$scratch/base" roll --cluster prod
	says "$1: why" "error[OSG6109]: cannot be marked: "
	says "$1: the reason" "$2"
	says "$1: which" "MachineDeployment kube-system/workers"
	ok "$1: nothing changed" cmp "$manifest" "$scratch/before"
}
base && sed -i 's/metadata: {labels: {pool: workers}}/metadata: \&m {labels: {pool: workers}}/; s/matchLabels: {pool: workers}/matchLabels: {pool: workers}/' "$manifest"
printf 'x: *m\n' >>"$manifest"
refused "an anchor that is used elsewhere" "cannot be added without changing something else"
base && sed -i 's/metadata: {labels: {pool: workers}}/metadata: {labels: {pool: workers}, annotations: {osm-gen.dev\/roll: "soon"}}/' "$manifest"
refused "an annotation that is no count" "is not a count"
base && sed 's/name: workers/name: other/' "$manifest" >"$scratch/base/clusters/prod/other.yaml"
sed -i 's/metadata: {labels: {pool: workers}}/metadata: {labels: {pool: workers}, annotations: {osm-gen.dev\/roll: "-1"}}/' "$manifest"
refused "one of two" "is not a count"
ok "the other is not marked" bash -c "! grep -q roll '$scratch/base/clusters/prod/other.yaml'"

# ---- 250 files in random styles ---------------------------------------------------------------------------------------------------
base
rm "$manifest"
mkdir "$scratch/base/clusters/prod/pools"
python3 "$here/roll.py" make "$scratch/base/clusters/prod/pools" "${SEED:-1}" 250
cp -r "$scratch/base/clusters/prod/pools" "$scratch/pools"
exits "roll of 250 files" 0 "$program" -C "$scratch/base" roll --cluster prod
ok "each has the annotation, and nothing else changed" python3 "$here/roll.py" check "$scratch/pools" "$scratch/base/clusters/prod/pools" 1
exits "and again" 0 "$program" -C "$scratch/base" roll --cluster prod
ok "each counts" python3 "$here/roll.py" check "$scratch/pools" "$scratch/base/clusters/prod/pools" 2
finish
