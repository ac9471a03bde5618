#!/usr/bin/env bash
# The setting roll: machines are replaced if their profile, or their user-data, changes, and for no other reason: not when the
# setting is turned on or off, not when tokens or the seed are rotated; never more in one run than rollGuard allows.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(small fleet)
profile=$repo/osp-small.yaml
workers=$repo/clusters/prod/workers.yaml

generate() { # NAME [OPTIONS...]
	local name=$1
	shift
	exits "$name" 0 "$program" generate --repo "$repo" "$@"
}
settings() { # LINES: of the Fleet's defaults, in place of those before
	sed -i '/^  defaults:/,$d' "$repo/osm-gen.yaml"
	printf '  defaults:\n    machineDeployments: output\n' >>"$repo/osm-gen.yaml"
	printf '    %s\n' "$@" >>"$repo/osm-gen.yaml"
	commit_all "$repo" "$*"
}
patch() { # NUMBER: another content and version of the profile
	sed -i "s/version: v1\.[0-9]*\.0/version: v1.$1.0/; s/^\( *\)data: |.*\$/&\n\1  # change $1/" "$profile"
	commit_all "$repo" "profile $1"
}
annotation() { # of the MachineDeployment
	sed -n 's/.*osm-gen.dev\/roll-digest: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$repo/out/prod/worker/kube-system/machinedeployment-workers.yaml"
}
revision() { sed -n 's/.*machine-deployment-revision: "\(.*\)"/\1/p' "$repo"/out/prod/management/kube-system/operatingsystemconfig-workers-*; }
class() { # NAME CLASSES [OPTIONS...]: what plan tells of the units
	local name=$1 want=$2
	shift 2
	exits "$name: plan" 0 "$program" plan --repo "$repo" -o json "$@"
	same "$name" "$want" "$(jq -r '[.units[].class] | unique | join(" ")' "$scratch/out")"
}

# ---- where it can be set ---------------------------------------------------------------------------------------------------------
settings "roll: profile"
sed -i '/machineDeployments/d' "$repo/osm-gen.yaml"
commit_all "$repo" "roll alone"
exits "without the MachineDeployments" 2 "$program" generate --repo "$repo"
says "nothing can roll" "osm-gen.yaml:8:11: error[OSG2037]"
exits "a word that is none" 64 "$program" validate --repo "$repo" --machine-deployments output --roll always
says "is refused" "must be never, profile or user-data"
exits "a number that is none" 64 "$program" validate --repo "$repo" --machine-deployments output --roll-guard -1
says "is refused, too" "must be a number of machines"

# ---- turning it on rolls nothing ------------------------------------------------------------------------------------------------------
settings "roll: never"
generate "output alone"
before=$(git -C "$repo" rev-parse HEAD:out/prod/worker HEAD:out/prod/management)
settings "roll: profile"
class "turned on" NONE
generate "turned on"
same "no file changes but the index" "$before" "$(git -C "$repo" rev-parse HEAD:out/prod/worker HEAD:out/prod/management)"
newest=$("$program" version -o json | jq .contracts.newest)
same "which has the first digest" "[\"profile\",\"$newest\",null]" "$(jq -c '.rolls[] | [.by, .contract, .value]' "$repo/out/prod/index.json")"
exits "check" 0 "$program" check --repo "$repo"
exits "verify" 0 "$program" verify --repo "$repo"
generate "again" --no-proofs
says "nothing to do" "out is up to date"

# ---- a profile's change ------------------------------------------------------------------------------------------------------------------
patch 1
class "another profile" ROLL
exits "without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" plan --repo "$repo" -o json
same "it can be told, too" ROLL "$(jq -r '.units[].class' "$scratch/out")"
exits "diff" 1 "$program" diff --repo "$repo"
ok "shows the annotation" grep -q '^ *+.*osm-gen.dev/roll-digest' "$scratch/out"
generate "another profile"
first=$(annotation)
same "the template has the digest" 32 "${#first}"
same "which is that of the index" "$first" "$(jq -r '.rolls[].value' "$repo/out/prod/index.json")"
same "the Secrets have the next revision" 2 "$(revision)"
exits "check" 0 "$program" check --repo "$repo"
exits "verify" 0 "$program" verify --repo "$repo"
class "nothing more" NONE
sed -i 's/version: v1\.1\.0/version: v1.9.0/' "$profile"
commit_all "$repo" "its version alone"
class "its version alone" METADATA
generate "its version alone"
same "rolls nothing" "$first 2" "$(annotation) $(revision)"
sed -i 's/kubelet: 1.35.2/kubelet: 1.35.3/' "$workers"
commit_all "$repo" kubelet
generate "a kubelet"
same "is a roll of its own" "$first 3" "$(annotation) $(revision)"

# ---- rotations ------------------------------------------------------------------------------------------------------------------------------
settings "roll: profile" "tokenRotation: second"
generate "other tokens"
same "roll nothing" "$first 3" "$(annotation) $(revision)"
seed=$("$program" keygen seed 2>/dev/null | grep -v '^#')
old=$OSM_GEN_SEAL_SEED
export OSM_GEN_SEAL_SEED=$seed
generate "another seed" --rotate-seed --rotate-recipients
same "rolls nothing" "$first 3" "$(annotation) $(revision)"
patch 2
generate "another profile under it"
ok "rolls" test "$(annotation)" != "$first"
same "once" 4 "$(revision)"
second=$(annotation)
export OSM_GEN_SEAL_SEED=$old
generate "the old seed" --rotate-seed --rotate-recipients
same "rolls nothing, either" "$second 4" "$(annotation) $(revision)"

# ---- off, on, another --------------------------------------------------------------------------------------------------------------------------
settings "roll: never"
generate "off"
same "the annotation stays" "$second 4" "$(annotation) $(revision)"
patch 3
class "a profile while it is off" NEW-NODES-ONLY
generate "a profile while it is off"
same "rolls nothing" "$second 4" "$(annotation) $(revision)"
settings "roll: user-data"
generate "on, by user-data"
same "is a first run again" "$second 4 user-data" "$(annotation) $(revision) $(jq -r '.rolls[].by' "$repo/out/prod/index.json")"
settings "roll: user-data" "tokenRotation: third"
generate "tokens"
same "are not counted" "$second 4" "$(annotation) $(revision)"
settings "roll: user-data" "tokenRotation: third" "nodeRegistryMirrors: [https://mirror.osm-gen.example]"
class "a setting that changes user-data" ROLL
settings "roll: profile" "tokenRotation: third" "nodeRegistryMirrors: [https://mirror.osm-gen.example]"
class "not the profile" NEW-NODES-ONLY
settings "roll: user-data" "tokenRotation: third"
patch 4
class "user-data" ROLL
generate "user-data"
ok "roll" test "$(annotation)" != "$second"
exits "check" 0 "$program" check --repo "$repo"

# ---- a first run that could be meant to roll --------------------------------------------------------------------------------------------------------
sed -i 's/roll: user-data/roll: profile/' "$repo/osm-gen.yaml"
patch 5
exits "on and changed at once" 2 "$program" generate --repo "$repo"
says "is asked about" "error[OSG2035]: the first run with the setting roll"
says "by name" "note: prod/kube-system/workers"
third=$(annotation)
generate "it is meant" --allow-roll
ok "and rolls" test "$(annotation)" != "$third"
exits "check" 0 "$program" check --repo "$repo"

# ---- the guard ------------------------------------------------------------------------------------------------------------------------------------
sed -i 's/replicas: 3/replicas: 11/' "$workers"
patch 6
tip=$(git -C "$repo" rev-parse HEAD)
exits "11 machines" 2 "$program" generate --repo "$repo"
says "are too many" "11 machines of 1 MachineDeployment would roll, more than rollGuard allows in one run (10 in cluster prod)"
same "nothing was changed" "$tip" "$(git -C "$repo" rev-parse HEAD)"
exits "check" 2 "$program" check --repo "$repo"
class "plan goes on" ROLL
exits "plan" 0 "$program" plan --repo "$repo"
says "and warns" "warning[OSG2036]"
exits "another bound" 0 "$program" generate --repo "$repo" --no-commit --roll-guard 11
git -C "$repo" reset -q --hard "$tip"
git -C "$repo" clean -qfd
sed -i 's/^  settings:/  settings:\n    rollGuard: 0/' "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "no machine at all"
exits "none" 2 "$program" generate --repo "$repo"
says "by the cluster's own" "(0 in cluster prod)"
sed -i 's/rollGuard: 0/rollGuard: x/' "$repo/clusters/prod/osm-gen.yaml"
exits "no number" 2 "$program" validate --repo "$repo" --worktree
says "is refused" "rollGuard: must be a number of machines"
sed -i '/rollGuard/d' "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "the default again"
generate "allowed" --allow-roll

# ---- an index that somebody edited ------------------------------------------------------------------------------------------------------------------
index=$repo/out/prod/index.json
file=$repo/out/prod/worker/kube-system/machinedeployment-workers.yaml
start=$(git -C "$repo" rev-parse HEAD)
edit() { # NAME FILTER: of jq
	git -C "$repo" reset -q --hard "$start"
	jq "$2" "$index" >"$scratch/edited"
	cp "$scratch/edited" "$index"
	commit_all "$repo" "$1"
	template=$(sed -n '/^  template:/,$p' "$file")
}
while read -r name filter; do
	edit "$name" "$filter"
	exits "$name" 0 "$program" generate --repo "$repo"
	same "$name: nothing rolls" "$template" "$(sed -n '/^  template:/,$p' "$file")"
	edit "$name" "$filter"
	patch 20
	tip=$(git -C "$repo" rev-parse HEAD)
	exits "$name, and another profile" 2 "$program" generate --repo "$repo"
	says "$name, and another profile" "error[OSG2035]"
	same "$name: nothing was changed" "$tip" "$(git -C "$repo" rev-parse HEAD)"
done <<'END'
no-rolls del(.rolls)
empty-rolls .rolls=[]
other-value .rolls[].value="00000000000000000000000000000000"
no-value del(.rolls[].value)
other-setting .rolls[].by="user-data"
no-setting del(.rolls[].by)
other-contract .rolls[].contract="7"
other-seed .rolls[].seedId="0000000000000000"
other-digest .rolls[].digest="00000000000000000000000000000000"
no-digest del(.rolls[].digest)
other-unit .rolls[].name="other"
other-template (.files[]|select(.templateDigest)).templateDigest="00000000000000000000000000000000"
no-template del(.files[].templateDigest)
END
edit "no rolls, and no MachineDeployment" 'del(.rolls)'
git -C "$repo" rm -q "$file"
commit_all "$repo" "no MachineDeployment"
exits "no rolls, and no MachineDeployment" 2 "$program" generate --repo "$repo"
says "no rolls, and no MachineDeployment" "11 machines of 1 MachineDeployment would roll"
edit "the digest of another template" "$(printf '(.files[]|select(.templateDigest)).templateDigest="%032d"' 0)"
class "the digest of another template" ROLL
git -C "$repo" reset -q --hard "$start"
sed -i 's/kubelet: 1.35.3/kubelet: 1.35.9/' "$workers"
commit_all "$repo" "a kubelet"
cp -r "$repo" "$scratch/calm"
exits "a template that changed" 0 "$program" generate --repo "$scratch/calm"
digest=$(jq -r '[.files[].templateDigest // empty][0]' "$scratch/calm/out/prod/index.json")
jq "(.files[] | select(.templateDigest)).templateDigest = \"$digest\"" "$index" >"$scratch/edited"
cp "$scratch/edited" "$index"
commit_all "$repo" "the index has the digest already"
class "a template whose digest the index has already" ROLL
git -C "$repo" reset -q --hard "$start"

# ---- a cluster that goes first, proofs, shards -----------------------------------------------------------------------------------------------------
mkdir "$repo/clusters/canary"
sed 's/name: prod$/name: canary/; s/^  settings:/  settings:\n    roll: profile/' "$repo/clusters/prod/osm-gen.yaml" >"$repo/clusters/canary/osm-gen.yaml"
cp "$repo/clusters/prod/cluster-info.yaml" "$repo/clusters/canary/"
sed 's/replicas: 11/replicas: 2/' "$workers" >"$repo/clusters/canary/workers.yaml"
settings "roll: never"
generate "two clusters" --rotate-recipients
patch 7
exits "plan" 0 "$program" plan --repo "$repo" -o json
same "the canary rolls, the other waits" '["canary ROLL","prod NEW-NODES-ONLY"]' "$(jq -c '[.units[] | "\(.cluster) \(.class)"] | sort' "$scratch/out")"
cp -r "$repo" "$scratch/sharded"
cp -r "$repo" "$scratch/whole"
generate "the canary"
exits "without proofs" 0 "$program" generate --repo "$scratch/whole" --no-proofs
same "the same tree" "$(git -C "$scratch/whole" rev-parse HEAD:out)" "$(git -C "$repo" rev-parse HEAD:out)"
for index in 1 2; do
	exits "shard $index" 0 "$program" -q --repo "$scratch/sharded" --shard "$index/2" --out "$scratch/shard-$index"
done
exits "merge" 0 "$program" merge "$scratch/shard-1" "$scratch/shard-2" --repo "$scratch/sharded"
same "the same tree" "$(git -C "$scratch/whole" rev-parse HEAD:out)" "$(git -C "$scratch/sharded" rev-parse HEAD:out)"
sed -i 's/kubelet: 1.35.3/kubelet: 1.35.4/' "$repo/clusters/canary/workers.yaml"
commit_all "$repo" "the canary's kubelet"
generate "one is kept" -v
says "with what index.json has of it" "1 rendered, 1 kept"
exits "check, all rendered" 0 "$program" check --repo "$repo" --no-proofs

# ---- the output as a manifest keeps the annotation, so that nobody who applies it rolls ---------------------------------------------------------------
value=$(annotation)
sed 1d "$repo/out/prod/worker/kube-system/machinedeployment-workers.yaml" >"$workers"
commit_all "$repo" "the output as a manifest"
exits "plan" 0 "$program" plan --repo "$repo" --cluster prod -o json
same "changes no machine" '["NONE"]' "$(jq -c '[.units[].class]' "$scratch/out")"
generate "the output as a manifest"
same "the same annotation" "$value" "$(annotation)"
finish
