#!/usr/bin/env bash
# Another number of replicas in the output: the applier deletes or adds machines, which each report states before all else, and
# the guard of removals counts. And a number that only a manifest has, which somebody else applies.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

pools() { # FOLDER: three more MachineDeployments like that of the folder
	local pool
	for pool in a b c; do sed "s/name: workers/name: $pool/" "$1/workers.yaml" >"$1/$pool.yaml"; done
}
replicas() { # NUMBER FILES...
	local number=$1
	shift
	sed -i "s/^  replicas: .*/  replicas: $number/" "$@"
}
settings() { # LINES: of the Fleet's defaults, in place of those before
	sed -i '/^  defaults:/,$d' "$repo/osm-gen.yaml"
	printf '  defaults:\n' >>"$repo/osm-gen.yaml"
	printf '    %s\n' "$@" >>"$repo/osm-gen.yaml"
}
classes() { # NAME WANT [OPTIONS...]
	local name=$1 want=$2
	shift 2
	exits "$name: plan" 0 "$program" plan --repo "$repo" -o json "$@"
	same "$name" "$want" "$(jq -r '[.units[] | "\(.name) \(.class)"] | join(" ")' "$scratch/out")"
}
first_line() { # NAME WANT [OPTIONS...]
	local name=$1 want=$2
	shift 2
	exits "$name: plan" 0 "$program" plan --repo "$repo" "$@"
	same "$name" "$want" "$(head -n 1 "$scratch/out")"
}
blind_line() { # NAME WANT: how the first line begins without the seed
	exits "$1: plan" 0 env -u OSM_GEN_SEAL_SEED "$program" plan --repo "$repo"
	same "$1" "$2" "$(head -n 1 "$scratch/out" | cut -c1-${#2})"
}
undo() { git -C "$repo" reset -q --hard "${1:-HEAD~1}"; }

repo=$(small fleet)
folder=$repo/clusters/prod
pools "$folder"
replicas 10 "$folder"/workers.yaml "$folder"/[abc].yaml
settings "machineDeployments: output"
commit_all "$repo" "four pools"
exits "the first output" 0 "$program" generate --repo "$repo"

# ---- one pool to nothing --------------------------------------------------------------------------------------------------------
replicas 0 "$folder/a.yaml"
commit_all "$repo" "a: nothing"
classes "to nothing" "a SCALE b NONE c NONE workers NONE"
same "both numbers" '{"before":10,"after":0}' "$(jq -c '.scaled[0].scale' "$scratch/out")"
same "of the unit, too" '{"before":10,"after":0}' "$(jq -c '.units[0].scale' "$scratch/out")"
same "how many machines" '{"units":1,"replicas":10}' "$(jq -c '.classes.SCALE' "$scratch/out")"
first_line "the first line" "10 machines of 1 MachineDeployment are deleted (replicas 10 -> 0)"
ok "and it is named" grep -qxF "    prod/kube-system/a, replicas 10 -> 0: 10 machines are deleted" "$scratch/out"
says "what generate will do" "warning[OSG2029]: all machines of 1 MachineDeployment would be deleted, by spec.replicas: 0"
blind_line "without the seed" "10 machines of 1 MachineDeployment are deleted (replicas 10 -> 0)"
for form in markdown html github gitlab junit sarif json; do
	exits "$form" 0 "$program" plan --repo "$repo" --report "$form=$scratch/report"
	ok "$form has the numbers" grep -Eq 'replicas 10 -(>|&gt;) 0' "$scratch/report"
	ok "$form has the machines" grep -Eq '10 machines( of 1 MachineDeployment)? are deleted' "$scratch/report"
	ok "$form does not call it calm" bash -c "! grep -q 'no machine reads\|METADATA: \|without effect' $scratch/report"
done
exits "diff" 1 "$program" diff --repo "$repo"
says "diff has the numbers" "replicas 10 -> 0: 10 machines are deleted"
exits "generate refuses" 2 "$program" generate --repo "$repo"
says "why" "error[OSG2028]: all machines of 1 MachineDeployment would be deleted, by spec.replicas: 0"
says "which" "note: prod/kube-system/a: replicas 10 -> 0"
exits "check, too" 2 "$program" check --repo "$repo"
exits "unless it is allowed" 0 "$program" generate --repo "$repo" --allow-removal
same "the subject" "osm-gen: replicas 10 -> 0 in prod/kube-system/a; 10 machines deleted" "$(git -C "$repo" log -1 --format=%s)"
ok "the message" bash -c "git -C $repo log -1 --format=%b | grep -qxF '* prod/kube-system/a: replicas 10 -> 0: 10 machines are deleted'"
replicas 10 "$folder/a.yaml"
commit_all "$repo" "a: again"
first_line "back" "10 machines are added to 1 MachineDeployment (replicas 0 -> 10)"
exits "more machines need no permission" 0 "$program" generate --repo "$repo"

# ---- in proportion -----------------------------------------------------------------------------------------------------------------
base=$(git -C "$repo" rev-parse HEAD)
replicas 9 "$folder/a.yaml"
commit_all "$repo" "a: one less"
first_line "one machine" "1 machine of 1 MachineDeployment is deleted (replicas 10 -> 9)"
exits "a small part passes" 0 "$program" generate --repo "$repo"
undo "$base"
replicas 6 "$folder/a.yaml" "$folder/b.yaml" "$folder/c.yaml"
commit_all "$repo" "a third"
first_line "twelve machines" "12 machines of 3 MachineDeployments are deleted (replicas 30 -> 18 in all)"
exits "30 %" 2 "$program" generate --repo "$repo"
says "counts by machines" "error[OSG2028]: 12 of the output's 40 machines would be deleted, by a smaller spec.replicas of 3 MachineDeployments"
printf '  removalGuard: {percent: 50}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "half of them"
exits "another removalGuard" 0 "$program" generate --repo "$repo"
undo "$base"
sed -i '/^  replicas:/d' "$folder/a.yaml"
commit_all "$repo" "a: no number"
first_line "a number that is gone is 1" "9 machines of 1 MachineDeployment are deleted (replicas 10 -> 1)"
undo "$base"

# ---- beside other changes -----------------------------------------------------------------------------------------------------------
settings "machineDeployments: output" "roll: profile" "rollGuard: 5"
commit_all "$repo" "roll"
exits "first digests" 0 "$program" generate --repo "$repo"
replicas 0 "$folder"/workers.yaml "$folder"/[abc].yaml
sed -i 's/version: v1\.[0-9]*\.0/version: v1.9.0/; s/^\( *\)data: |.*$/&\n\1  # another/' "$repo/osp-small.yaml"
commit_all "$repo" "another profile, and no machines"
first_line "both are told" "40 machines of 4 MachineDeployments are deleted (replicas 40 -> 0 in all), 40 machines in 4 MachineDeployments roll"
exits "rollGuard counts the machines before" 2 "$program" generate --repo "$repo" --allow-removal
says "forty" "error[OSG2035]: 40 machines of 4 MachineDeployments would roll"
exits "both guards" 0 "$program" generate --repo "$repo" --allow-removal --allow-roll
undo "$base"

# ---- who counts the machines ------------------------------------------------------------------------------------------------------
settings "machineDeployments: output" "replicas: omit"
commit_all "$repo" "omit"
first_line "from keep to omit" "machines of 4 MachineDeployments may be deleted"
exits "omit" 0 "$program" generate --repo "$repo"
replicas 0 "$folder/a.yaml"
commit_all "$repo" "a number that nobody applies"
classes "with omit nothing scales" "a NONE b NONE c NONE workers NONE"
exits "nothing to do" 0 "$program" generate --repo "$repo"
settings "machineDeployments: output" "replicas: keep"
commit_all "$repo" "keep"
classes "from omit to keep" "a SCALE b SCALE c SCALE workers SCALE"
exits "0 in place of the cluster's own number" 2 "$program" generate --repo "$repo"
says "may delete" "note: prod/kube-system/a: replicas 0 in place of the cluster's own number"
undo "$base"

# ---- with credentials in the MachineDeployment, which seal its file -----------------------------------------------------------------
sed -i 's/{serverType: cx42}/{serverType: cx42, token: 7h4kQ9wZr2LmXb8v}/' "$folder/a.yaml"
commit_all "$repo" "a credential"
exits "sealed" 0 "$program" generate --repo "$repo"
ok "is the file" grep -q 'ENC\[' "$repo/out/prod/worker/kube-system/machinedeployment-a.yaml"
replicas 0 "$folder/a.yaml"
commit_all "$repo" "a: nothing"
first_line "a sealed file" "10 machines of 1 MachineDeployment are deleted (replicas 10 -> 0)"
blind_line "a sealed file without the seed" "10 machines of 1 MachineDeployment are deleted (replicas 10 -> 0)"
undo "$base"

# ---- shards ---------------------------------------------------------------------------------------------------------------------------
replicas 0 "$folder/a.yaml"
commit_all "$repo" "a: nothing"
for part in 1 2; do exits "shard $part" 0 "$program" generate --repo "$repo" --shard "$part/2" --out "$scratch/part$part"; done
exits "a merge has the guard" 2 "$program" merge --repo "$repo" "$scratch/part1" "$scratch/part2"
says "of the shards' units" "error[OSG2028]: all machines of 1 MachineDeployment"
undo "$base"

# ---- in the manifest alone -------------------------------------------------------------------------------------------------------------
settings "machineDeployments: input"
commit_all "$repo" "input"
exits "input" 0 "$program" generate --repo "$repo" --allow-removal
replicas 0 "$folder/a.yaml"
commit_all "$repo" "a: nothing"
classes "the output stays" "a NONE b NONE c NONE workers NONE"
same "a note" "replicas 10 -> 0 since the output was made: the applier of the manifest deletes machines, not that of the output" \
	"$(jq -r '.notes[].text' "$scratch/out")"
first_line "the first line has it" "1 MachineDeployment has another number of machines in its manifest (replicas 10 -> 0)"
exits "in the working tree" 0 "$program" plan --repo "$repo" --worktree
ok "too" grep -q 'replicas 10 -> 0' "$scratch/out"
printf '# only a comment\n' >>"$folder/b.yaml"
commit_all "$repo" "b: a comment"
exits "another change of a manifest" 0 "$program" plan --repo "$repo"
same "is no note" 1 "$(grep -c 'in manifests:' "$scratch/out")"
finish
