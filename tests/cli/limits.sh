#!/usr/bin/env bash
# What a run may take, as docs/limits.md has it: the fleet that needs more gets there by following the message,
# and what the table says of one MachineDeployment is about what it takes.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# Where nothing has changed a run takes less: `check` of these finds a difference, which is what it is to get to.
changed() { # FILE...: another version in all of them
	sed -i 's/kubelet: 1\.[0-9.]*/kubelet: 1.33.6/' "$@"
	commit_all "$repo" "another version"
}

# ---- the remedy, followed ----------------------------------------------------------------------------------
# Each option so low that the sample fleet does not fit; doubled, as the message says, until it does.
repo=$(fleet remedy)
exits "the output before" 0 "$program" -q --repo "$repo"
changed "$repo"/tests/fleet/*/machinedeployments.yaml
follow() { # OPTION CODE LOW: by that option alone
	local option=$1 code=$2 max=$3 rounds=0
	exits "$option $max" 2 "$program" check --repo "$repo" "$option" "$max"
	says "$option $max" "error[$code]"
	says "$option $max" "above $max, the most that $option allows"
	says "$option $max" "raise $option"
	while grep -q "raise $option" "$scratch/err" && [ $((rounds += 1)) -lt 40 ]; do
		max=$((max * 2))
		"$program" check --repo "$repo" "$option" "$max" >"$scratch/out" 2>"$scratch/err"
	done
	exits "$option $max is enough" 1 "$program" check --repo "$repo" "$option" "$max"
	ok "$option: it took some rounds" test "$rounds" -ge 2
}
follow --max-entries OSG1021 4
follow --max-input OSG1022 1024
follow --max-values OSG1023 64
follow --max-steps OSG1024 32
follow --max-output OSG1025 4096

# Where the repository itself is the stricter one, its setting is what is to be raised.
lower() { # SETTING NUMBER
	sed -i '/^  limits:/d' "$repo/osm-gen.yaml"
	sed -i "s/^spec:/spec:\n  limits: {$1: $2}/" "$repo/osm-gen.yaml"
	commit_all "$repo" "limits"
}
lower maxValues 100
exits "the repository's limit" 2 "$program" check --repo "$repo"
says "the repository's limit" "error[OSG1023]: values in manifests above 100, the most that limits.maxValues of the Fleet allows"
says "the repository's limit: the remedy" "raise limits.maxValues in osm-gen.yaml, up to --max-values"
exits "the option does not help" 2 "$program" check --repo "$repo" --max-values 1000000
lower maxValues 100000
exits "the setting does" 1 "$program" check --repo "$repo"
exits "up to the option" 2 "$program" check --repo "$repo" --max-values 90
says "up to the option" "above 90, the most that --max-values allows"

# ---- what one MachineDeployment takes -----------------------------------------------------------------------
machines=200
"$root/tests/bench/fleet.sh" "$scratch/many" $machines 2
sed -i '/machinedeployment.clusters.k8s.io\/revision/d' "$scratch"/many/clusters/*/machinedeployments.yaml
repo=$scratch/many
git -C "$repo" -c init.defaultBranch=main init -q && commit_all "$repo" "many"
exits "many: the output" 0 "$program" -v --repo "$repo"
ok "many: the benchmark's fleet has nothing to warn of" bash -c "! grep -q 'warning\[' '$scratch/err'"
changed "$repo"/clusters/*/machinedeployments.yaml
whole=()
while IFS='|' read -r _ option _ each _; do
	option=$(tr -d ' `' <<<"$option") each=$(tr -d ' ,' <<<"$each")
	ok "$option: a number" grep -qxE '[0-9]+' <<<"$each"
	# Profiles are the same for all of them.
	[ "$option" != --max-input ] || profiles=$(cat "$repo"/profiles/* | wc -c)
	whole+=("$option" "$((each * machines + ${profiles:-0}))")
	profiles=0
	exits "$option: a third of that is too little" 2 "$program" check --repo "$repo" "$option" "$((each * machines / 3))"
	says "$option: a third of that is too little" "raise $option"
done < <(grep '^| `--max-' "$root/docs/limits.md")
same "five of them" 10 ${#whole[@]}
exits "all of them together are enough" 1 "$program" check --repo "$repo" "${whole[@]}"
# Why the output differs takes a look at the history, which may hold any number of outputs: the answer stands without.
says "the reason is left out" "warning[OSG5086]: osm-gen did not search for the reason of the difference"
exits "with more entries" 1 "$program" check --repo "$repo" "${whole[@]}" --max-entries 1000000
ok "it is not" bash -c "! grep -q OSG5086 '$scratch/err'"
finish
