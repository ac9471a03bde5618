#!/usr/bin/env bash
# More clusters than delivery.maxClusters: their folders stand in buckets. Nothing that is sealed
# changes as they move there and back, and every command finds them where they stand.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# Buckets are the first two digits of the SHA-256 of the name.
declare -A folder=([ab]=fb/ab [east-194]=ab/east-194 [edge-eu-1]=54/edge-eu-1 [prod-us-1]=b7/prod-us-1)

generate() { # NAME [OPTIONS...]
	local name=$1
	shift
	exits "$name" 0 "$program" --repo "$repo" "$@"
}
another() { # NAME: one more cluster, as edge-eu-1
	cp -r "$repo/tests/fleet/edge-eu-1" "$repo/tests/fleet/$1"
	sed -i "s/name: edge-eu-1\$/name: $1/" "$repo/tests/fleet/$1/osm-gen.yaml"
}
contents() { # FOLDER: what a cluster's folder holds, but for what its index says of delivery
	(cd "$repo/out/$1" && find . -type f ! -name index.json -exec sha256sum {} + | sort -k2 &&
		python3 -c 'import json, sys; i = json.load(open("index.json")); i.pop("delivery", 0); print(json.dumps(i))')
}
classes() { # of all units, as plan says
	"$program" plan --repo "$repo" -o json 2>"$scratch/err" |
		python3 -c 'import json, sys; print(" ".join(sorted({u["class"] for u in json.load(sys.stdin)["units"]})))'
}
indexes() { # where they stand
	(cd "$repo/out" && find . -name index.json | sed 's|^\./||; s|/index.json$||' | sort | paste -sd ' ')
}
moved() { git -C "$repo" show --name-status -M100% --format= HEAD -- out | grep -c "^R100.*$1"; }
good() { # NAME: every look at it says that all is well
	exits "$1: check" 0 "$program" check --repo "$repo"
	exits "$1: verify" 0 "$program" verify --repo "$repo"
	same "$1: verify finds nothing" "" "$(grep -E 'warning|error' "$scratch/out" "$scratch/err")"
	exits "$1: without a seed nothing differs" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"
	same "$1: no machine is touched" NONE "$(classes)"
	exits "$1: validate" 0 "$program" validate --repo "$repo"
}

# ---- as many as the bound
repo=$(fleet buckets)
printf '  delivery: {maxClusters: 3, applier: flux, managementNamespace: exists}\n' >>"$repo/osm-gen.yaml"
sed -i 's/managementCluster: self/managementCluster: hub/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
another ab
commit_all "$repo" "three"
generate "three clusters"
same "stand side by side" "ab edge-eu-1 prod-us-1" "$(indexes)"
declare -A before
for name in ab edge-eu-1 prod-us-1; do before[$name]=$(contents $name); done
names=$(grep -rh '^  name: ' "$repo/out/flux" | sort)

# ---- one more
another east-194
commit_all "$repo" "four"
same "no machine is touched by the move" "ADD METADATA" "$(classes)"
same "nor without a seed" "ADD METADATA" "$(env -u OSM_GEN_SEAL_SEED "$program" plan --repo "$repo" -o json 2>"$scratch/err" |
	python3 -c 'import json, sys; print(" ".join(sorted({u["class"] for u in json.load(sys.stdin)["units"]})))')"
generate "four clusters"
same "the commit says what is new, and what is not" "osm-gen: add 2, update 6 MachineDeployments" "$(git -C "$repo" log -1 --format=%s)"
same "stand in buckets" "54/edge-eu-1 ab/east-194 b7/prod-us-1 fb/ab" "$(indexes)"
same "and nowhere else" "54 ab b7 fb flux" "$(find "$repo/out" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')"
for name in ab edge-eu-1 prod-us-1; do same "$name: the same bytes" "${before[$name]}" "$(contents "${folder[$name]}")"; done
ok "files have only moved" test "$(moved secret-)" -ge 9
same "the applier's objects are called as before" "$names" "$(grep -rh '^  name: ' "$repo/out/flux" | sort | grep -v east-194)"
same "and lead to the buckets" "./out/b7/prod-us-1/worker" "$(sed -n 's/^  path: //p' "$repo/out/flux/hub/b7/prod-us-1/worker.yaml")"
same "the list stays where it was" "- b7/prod-us-1" "$(grep '^- ' "$repo/out/flux/hub/kustomization.yaml")"
good "in buckets"
exits "again" 0 "$program" --repo "$repo"
same "changes nothing" "four" "$(git -C "$repo" log -1 --format=%s HEAD^)"
ok "doctor finds all" bash -c "'$program' doctor --repo '$repo' | grep -q 'out has 4 of 4 clusters'"

# A cluster of which an index is in a bucket of another name has none.
audit=$scratch/audit
cp -r "$repo" "$audit"
git -C "$audit" mv out/54 out/55
commit_all "$audit" "another bucket"
exits "in the bucket of another name" 1 "$program" verify --repo "$audit"
ok "no index lists the files" grep -q 'out/55/edge-eu-1/index.json: warning\[OSG5102\]' "$scratch/out"
git -C "$audit" reset -q --hard HEAD^
git -C "$audit" checkout -q HEAD~2 -- out/edge-eu-1
commit_all "$audit" "what was moved is back"
exits "a cluster that stands twice" 1 env -u OSM_GEN_SEAL_SEED "$program" verify --repo "$audit"
ok "is found" grep -q 'out/edge-eu-1/index.json: warning\[OSG5105\]: cluster "edge-eu-1" has a second index, 54/edge-eu-1/index.json' "$scratch/out"
exits "the next run" 0 "$program" --repo "$audit"
ok "removes it" test ! -e "$audit/out/edge-eu-1" -a -e "$audit/out/54/edge-eu-1/index.json"

# ---- what is done with single files
secret=$(cd "$repo/out/54/edge-eu-1/worker" && find . -name 'secret-*bootstrap-config.yaml' | head -n 1)
exits "unseal" 0 "$program" unseal "$repo/out/54/edge-eu-1/worker/$secret"
cp "$repo/out/54/edge-eu-1/worker/$secret" "$audit/out/ab/east-194/worker/$secret"
exits "unseal, of another cluster's" 2 "$program" unseal "$audit/out/ab/east-194/worker/$secret"
says "it is said" "tests/fleet/east-194/machinedeployments.yaml"
mkdir -p "$audit/out/54/edge-eu-1/worker/other"
cp "$repo/out/54/edge-eu-1/worker/$secret" "$audit/out/54/edge-eu-1/worker/other/secret-x.yaml"
exits "unseal, where no index lists it" 2 "$program" unseal "$audit/out/54/edge-eu-1/worker/other/secret-x.yaml"
says "it is said" "does not list it"
cp "$(find "$repo/out/b7/prod-us-1/worker" -name 'secret-*provisioning-config.yaml' | head -n 1)" "$audit/out/54/edge-eu-1/worker/$secret"
exits "unseal, another object's" 2 "$program" unseal "$audit/out/54/edge-eu-1/worker/$secret"
says "it is said" "the file holds Secret"

# ---- observe: what is live is what was committed
python3 - "$program" "$repo/out/54/edge-eu-1" >"$scratch/live.yaml" <<'PY'
import pathlib
import subprocess
import sys

for file in sorted(pathlib.Path(sys.argv[2]).glob("*/**/*.yaml")):
    if file.name != "kustomization.yaml":
        sealed = "\nsops:" in file.read_text()
        print("---\n" + (subprocess.run([sys.argv[1], "unseal", file], check=True, capture_output=True, text=True).stdout if sealed else file.read_text()))
PY
exits "observe, without the MachineDeployments" 1 "$program" observe --repo "$repo" --cluster edge-eu-1 --no-machines "$scratch/live.yaml"
ok "every object is as committed" grep -q '^not settled: cluster edge-eu-1, commit [0-9a-f]*, 11 as committed$' "$scratch/out"
exits "observe none" 2 "$program" observe --repo "$repo" "$scratch/live.yaml"
says "names them" "ab, east-194, edge-eu-1, prod-us-1"

# ---- fewer: a cluster more or less moves nothing
git -C "$repo" rm -rq tests/fleet/prod-us-1
commit_all "$repo" "three again"
generate "three again" --allow-removal
same "stay" "54/edge-eu-1 ab/east-194 fb/ab" "$(indexes)"
same "nothing moves" 0 "$(moved '')"
good "three in buckets"
git -C "$repo" rm -rq tests/fleet/ab
commit_all "$repo" "two"
generate "two, no fewer than half of the bound" --allow-removal
same "stay, too" "54/edge-eu-1 ab/east-194" "$(indexes)"
good "two in buckets"

# ---- fewer than half of the bound; in the same commit a template changes
one=$scratch/one
cp -r "$repo" "$one"
git -C "$repo" rm -rq tests/fleet/east-194
workers=$(grep -l 'name: workers' "$repo"/tests/fleet/edge-eu-1/*.yaml | head -n 1)
sed -i '0,/kubelet: /s/kubelet: .*/kubelet: 1.33.9/' "$workers"
commit_all "$repo" "one, with another kubelet"
generate "fewer than half" --allow-removal
same "it stands as at first" "edge-eu-1" "$(indexes)"
same "the revision counts on from that in the bucket" 2 "$(python3 -c 'import json, sys; print(max(int(f.get("revision") or 0) for f in json.load(open(sys.argv[1]))["files"]))' "$repo/out/edge-eu-1/index.json")"
good "side by side again"
same "nothing is left of the buckets" "edge-eu-1 flux" "$(find "$repo/out" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd ' ')"
# Source and output brought back together: what the revision was in between is seen across the move.
git -C "$repo" revert --no-edit -n HEAD HEAD^ 2>/dev/null
git -C "$repo" commit -qm "back"
exits "brought back" 0 "$program" --repo "$repo"
says "it is seen" "warning[OSG6034]"

# ---- never
repo=$one
another more
another most
sed -i 's/maxClusters: 3/maxClusters: 0/' "$repo/osm-gen.yaml"
commit_all "$repo" "never"
generate "maxClusters: 0"
same "is never" "east-194 edge-eu-1 more most" "$(indexes)"
same "with the bytes of the first time" "${before[edge-eu-1]}" "$(contents edge-eu-1)"
good "never"
sed -i 's/maxClusters: 0/maxClusters: many/' "$repo/osm-gen.yaml"
commit_all "$repo" "no number"
exits "no number" 2 "$program" validate --repo "$repo"
says "it is said" "maxClusters of spec.delivery must be a number"

# ---- who may read: an index in a bucket guards, also where only the history has it
repo=$(fleet guard)
another ab
printf '  delivery: {maxClusters: 2}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "inputs"
generate "for the guard"
other=$("$program" keygen identity 2>/dev/null | sed -n 's/^# public key: //p')
sed -i "s/age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk/$other/" "$repo/osm-gen.yaml"
commit_all "$repo" "others"
exits "others read it" 2 "$program" --repo "$repo"
says "is refused" "error[OSG5071]"
git -C "$repo" rm -rq out
commit_all "$repo" "without the output"
exits "others, without the output" 2 "$program" --repo "$repo"
says "is refused, too" "the recipients of cluster ab have changed"
git -C "$repo" revert --no-edit HEAD >/dev/null
sed -i 's/maxClusters: 2/maxClusters: 9/' "$repo/osm-gen.yaml"
commit_all "$repo" "out of the buckets"
exits "others, on the way out" 2 "$program" --repo "$repo"
says "is refused, as well" "the recipients of cluster ab have changed"
generate "what is meant is done" --rotate-recipients

# ---- .sops.yaml sees where files stand
repo=$(fleet rules)
sed -i '/recipients:/,/age1/d' "$repo/osm-gen.yaml"
printf 'creation_rules:\n- path_regex: ^out/[0-9a-f]{2}/\n  age: %s\n- path_regex: ^out/\n  age: %s\n' "$recipient" "$other" >"$repo/.sops.yaml"
printf '  delivery: {maxClusters: 1}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "rules"
generate "rules"
same "that of the bucket holds" "\"$recipient\"" "$(grep -h -A1 '"recipients": \[' "$repo"/out/*/*/index.json | grep -o '"age1[^"]*"' | sort -u)"
git -C "$repo" rm -rq tests/fleet/prod-us-1
commit_all "$repo" "one is left"
generate "one is left" --allow-removal
same "stays in its bucket, and under its rule" "54/edge-eu-1" "$(indexes)"
good "under its rule"

# ---- what is read back of the output is found there: a status keeps the time of its last change
repo=$scratch/status
mkdir -p "$repo"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {recipients: [%s]}\n  delivery: {maxClusters: 2}\n' "$recipient" >"$repo/osm-gen.yaml"
shoot() { # CLUSTER
	mkdir -p "$repo/$1"
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\nspec: {settings: {managementCluster: self}}\n' "$1" >"$repo/$1/osm-gen.yaml"
	printf 'apiVersion: extensions.gardener.cloud/v1alpha1\nkind: OperatingSystemConfig\nmetadata: {name: pool-a-init, namespace: shoot}\n' >"$repo/$1/osc.yaml"
	printf 'spec: {type: ubuntu, purpose: provision, units: [{name: one.service, enable: true, content: "[Unit]"}], files: []}\n' >>"$repo/$1/osc.yaml"
}
git -C "$repo" -c init.defaultBranch=main init -q
shoot a
shoot ab
commit_all "$repo" "two"
generate "two shoots"
status=$(cat "$repo/out/ab/status/shoot/operatingsystemconfig-pool-a-init.yaml")
shoot b
export GIT_COMMITTER_DATE="2026-05-06T07:08:09+0200"
commit_all "$repo" "three, later"
generate "three shoots"
same "the status has moved as it was" "$status" "$(cat "$repo/out/fb/ab/status/shoot/operatingsystemconfig-pool-a-init.yaml")"
ok "and holds a time" grep -q lastUpdateTime <<<"$status"
good "shoots in buckets"
finish
