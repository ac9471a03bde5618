#!/usr/bin/env bash
# An index.json that is gone, or that somebody edited: no guard lets more pass than with the right one, and files of the output
# that no index lists are found.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_pools.sh
. "$(dirname "$0")/_pools.sh"
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
# ---- an index that hides a removal, or the recipients ------------------------------------------------------------------------------
# The MachineDeployments are not in the output: only the index knows how many there were.
repo=$(small hidden)
rm "$repo/clusters/prod/workers.yaml"
for name in a b c d; do pool prod $name 3; done
commit_all "$repo" "four pools"
exits "generate" 0 "$program" generate --repo "$repo"
start=$(git -C "$repo" rev-parse HEAD)
index=$repo/out/prod/index.json
cp "$index" "$scratch/index"
hidden() { # NAME FILTER CODE COMMAND...: a change beside the edited index
	local name=$1 filter=$2 code=$3
	shift 3
	git -C "$repo" reset -q --hard "$start"
	jq "$filter" "$scratch/index" >"$index"
	"$@"
	git -C "$repo" add -A
	git -C "$repo" commit -q --allow-empty -m "$name"
	exits "$name" 2 "$program" generate --repo "$repo"
	says "$name" "error[$code]"
	git clone -q --depth 1 "file://$repo" "$scratch/clone"
	exits "$name, shallow" 2 "$program" generate --repo "$scratch/clone"
	rm -rf "$scratch/clone"
}
hidden "three pools" . OSG2030 three
hidden "their units are gone" 'del(.files[].unit)' OSG6105 three
hidden "their units and roles are gone" 'del(.files[] | select(.unit.name != "d") | .unit, .role)' OSG6105 three
hidden "their units are one" '(.files[] | select(.unit) | .unit.name) = "d"' OSG6105 three
hidden "their units are one that is gone" '(.files[] | select(.unit.name != "d") | .unit.name) = "x"' OSG6105 three
hidden "their files are not listed" 'del(.files[] | select(.unit.name != "d"))' OSG5080 three
hidden "no file is listed" '.files = []' OSG5080 three
hidden "it is nobody's" '.generator = "somebody"' OSG5080 three
hidden "their objects are others" '(.files[] | select(.object) | .object.name) = "x"' OSG6105 three
hidden "their sides are cut" '.cut = 1' OSG6105 three
hidden "an emptied file" . OSG2097 emptied
hidden "another source" '(.files[] | select(.unit) | .source) = "clusters/prod/b.yaml"' OSG6105 emptied
hidden "no source" 'del(.files[].source)' OSG6105 emptied
hidden "a reader" . OSG5071 reader
hidden "a reader, and no recipients" '.recipients = []' OSG6105 reader
hidden "a reader, and no digest" 'del(.recipientsDigest)' OSG5071 reader
hidden "a reader, who is listed" ".recipients = [\"$other\"] + .recipients" OSG5071 reader
hidden "a reader, and format 1" '.formatVersion = 1' OSG5071 reader
git -C "$repo" reset -q --hard "$start"
sed -i 's/1.35.2/1.35.3/' "$repo"/clusters/prod/?.yaml
commit_all "$repo" "a kubelet"
exits "the second revision" 0 "$program" generate --repo "$repo"
start=$(git -C "$repo" rev-parse HEAD)
cp "$index" "$scratch/index"
hidden "a lower revision" '(.files[] | select(.revision) | .revision) = "1"' OSG6105 true
hidden "no revision" 'del(.files[].revision)' OSG6105 true
hidden "no seed" 'del(.seedId)' OSG6105 true
finish
