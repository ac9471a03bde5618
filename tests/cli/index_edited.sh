#!/usr/bin/env bash
# An index.json that is gone, or that somebody edited: no guard lets more pass than with the right one, and files of the output
# that no index lists are found.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

pool() { # CLUSTER NAME REPLICAS
	sed "s/workers/$2/; s/pool: workers/pool: $2/g; s/replicas: 3/replicas: $3/" "$root/tests/golden/base/clusters/prod/workers.yaml" \
		>"$repo/clusters/$1/$2.yaml"
}
cluster() { # NAME
	mkdir -p "$repo/clusters/$1"
	sed "s/name: prod$/name: $1/" "$scratch/cluster.yaml" >"$repo/clusters/$1/osm-gen.yaml"
	sed "s/prod-us-1/$1/" "$root/tests/golden/base/clusters/prod/cluster-info.yaml" >"$repo/clusters/$1/cluster-info.yaml"
}
blind() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$@"; }

# ---- files that no index lists ----------------------------------------------------------------------------------------------------
repo=$(small orphans)
cp "$repo/clusters/prod/osm-gen.yaml" "$scratch/cluster.yaml"
rm "$repo/clusters/prod/workers.yaml"
cluster edge
pool edge a 1
pool prod big 1
pool prod small 1
printf '  delivery: {applier: flux, source: {kind: GitRepository, name: fleet}}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "two clusters"
exits "generate" 0 "$program" generate --repo "$repo"
start=$(git -C "$repo" rev-parse HEAD)
left_over() { # NAME TEXT: each command refuses it, and nothing changes
	local tip
	commit_all "$repo" "$1"
	tip=$(git -C "$repo" rev-parse HEAD)
	for command in generate plan check diff; do
		exits "$1: $command" 2 "$program" $command --repo "$repo"
		says "$1: $command" "error[OSG5080]: $2"
		says "$1: $command: the way out" "git checkout COMMIT -- out/prod/index.json"
	done
	for command in plan diff; do
		exits "$1: $command without a seed" 2 blind "$program" $command --repo "$repo"
		says "$1: $command without a seed" "error[OSG5080]: "
	done
	same "$1: nothing was changed" "$tip" "$(git -C "$repo" rev-parse HEAD)"
}
settled() { # NAME: once the index is back, the run removes the files
	git -C "$repo" checkout -q "$start" -- out/prod/index.json
	commit_all "$repo" "$1: the index is back"
	exits "$1: the way out" 0 "$program" generate --repo "$repo" --allow-removal
	exits "$1: check" 0 "$program" check --repo "$repo"
}
git -C "$repo" rm -rq out/prod/index.json clusters/prod/big.yaml clusters/prod/small.yaml
left_over "the last pools" "21 files that osm-gen wrote for cluster prod are left over: out/prod/index.json is gone"
settled "the last pools"
same "the last pools: no Secret is left" 0 "$(find "$repo/out/prod" -name 'secret-*' | wc -l)"

git -C "$repo" reset -q --hard "$start"
git -C "$repo" rm -rq out/prod/index.json clusters/prod/big.yaml
left_over "one pool of two" "7 files that osm-gen wrote for cluster prod are left over: out/prod/index.json is gone"
settled "one pool of two"
same "one pool of two: the Secrets of the other stay" 4 "$(find "$repo/out/prod" -name 'secret-*' | wc -l)"

git -C "$repo" reset -q --hard "$start"
jq 'del(.files[] | select(.unit.name == "big"))' "$repo/out/prod/index.json" >"$scratch/index"
cp "$scratch/index" "$repo/out/prod/index.json"
git -C "$repo" rm -rq clusters/prod/big.yaml
left_over "an index without a pool" "7 files that osm-gen wrote for cluster prod are left over: out/prod/index.json does not list them"
settled "an index without a pool"

# The delivery of a cluster, with and without its index.
git -C "$repo" reset -q --hard "$start"
jq 'del(.delivery)' "$repo/out/prod/index.json" >"$scratch/index"
cp "$scratch/index" "$repo/out/prod/index.json"
sed -i '/delivery:/d' "$repo/osm-gen.yaml"
commit_all "$repo" "no delivery"
exits "a delivery that no index lists" 2 "$program" generate --repo "$repo"
says "a delivery that no index lists" "out/flux/prod/prod/"

git -C "$repo" reset -q --hard "$start"
git -C "$repo" rm -q out/prod/index.json
commit_all "$repo" "no index"
exits "an index that is gone, and nothing else" 0 "$program" generate --repo "$repo"
same "is written anew" "$(git -C "$repo" rev-parse "$start:out")" "$(git -C "$repo" rev-parse HEAD:out)"
git -C "$repo" reset -q --hard "$start"
git -C "$repo" rm -q out/prod/index.json
commit_all "$repo" "no index"
exits "the same without a seed" 0 blind "$program" plan --repo "$repo"
sed -i 's/1.35.2/1.35.3/' "$repo/clusters/prod/big.yaml"
commit_all "$repo" "a kubelet"
exits "an index that is gone, and a kubelet" 2 "$program" generate --repo "$repo"
says "is a file in the way" "error[OSG6106]: a file that osm-gen wrote once is in the way, and out/prod/index.json does not list it"
says "with a way out" "git checkout COMMIT -- out/prod/index.json"

# One cluster that is the whole repository, and nothing left of it.
git -C "$repo" reset -q --hard "$start"
git -C "$repo" rm -rq clusters out/prod/index.json out/edge
commit_all "$repo" "no cluster"
exits "no unit and no index" 2 "$program" generate --repo "$repo"
says "no unit and no index" "error[OSG5080]"
finish
