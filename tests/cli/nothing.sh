#!/usr/bin/env bash
# A repository without MachineDeployments: with an osm-gen.yaml nothing is written, with none of both generate fails.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

new() { # NAME: in $repo
	repo=$scratch/$1
	mkdir -p "$repo"
	git -C "$repo" -c init.defaultBranch=main init -q
	echo text >"$repo/README.md"
	commit_all "$repo" "no manifest"
}
unchanged() { # NAME HEAD
	same "$1: no commit" "$2" "$(git -C "$repo" rev-parse HEAD)"
	ok "$1: no output" test ! -e "$repo/out"
}
# NAME WORDS...: all commands say that there is nothing, and none finds a difference
nothing_to_do() {
	local name=$1 head command
	head=$(git -C "$repo" rev-parse HEAD)
	for command in validate plan check diff generate "generate --no-commit" "generate --out $scratch/elsewhere"; do
		# shellcheck disable=SC2086 # words are options
		exits "$name: $command" 0 "$program" $command --repo "$repo"
		says "$name: $command" "warning[OSG6111]"
	done
	says "$name: generate" "osm-gen: there is nothing to write to $scratch/elsewhere"
	exits "$name: report" 0 "$program" --repo "$repo" --report json=-
	unchanged "$name" "$head"
	same "$name: nor elsewhere" "" "$(ls -A "$scratch/elsewhere" 2>/dev/null)"
}

new empty
for command in "generate" "generate --no-commit" "generate --worktree" "generate --allow-removal"; do
	# shellcheck disable=SC2086 # words are options
	exits "no manifest: $command" 2 "$program" $command --repo "$repo"
	says "no manifest: $command" "error[OSG6115]: $repo has no MachineDeployment and no osm-gen.yaml"
	same "no manifest: $command: one message" 1 "$(grep -c OSG "$scratch/err")"
done
unchanged "no manifest" "$(git -C "$repo" rev-parse HEAD)"
exits "no manifest: validate" 0 "$program" validate --repo "$repo"
exits "no manifest: plan" 0 "$program" plan --repo "$repo"
exits "no manifest: check" 0 "$program" check --repo "$repo"
echo 'osm-gen.yaml' >"$repo/.osm-gen-ignore"
printf 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n' >"$repo/other.yaml"
commit_all "$repo" "another manifest"
exits "another manifest alone" 2 "$program" --repo "$repo"

# What init writes, without its example.
repo=$scratch/init
"$program" init "$repo" --keys "$scratch/keys" -q >/dev/null 2>&1
rm -r "$repo/clusters"
commit_all "$repo" "osm-gen.yaml"
nothing_to_do "init"
new fleet
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {delivery: {applier: flux}, defaults: {managementCluster: self}}\n' >"$repo/osm-gen.yaml"
commit_all "$repo" "a fleet"
nothing_to_do "a fleet with delivery"
mkdir -p "$repo/clusters/prod"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: prod}\n' >"$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "a cluster"
nothing_to_do "a cluster"

# With output from before, the guard of removals decides; then all of it goes.
repo=$(small before)
ok "an output" "$program" --repo "$repo" -q
git -C "$repo" rm -q -r clusters osm-gen.yaml osp-small.yaml
git -C "$repo" commit -q -m "nothing left"
exits "the last one goes" 2 "$program" --repo "$repo"
says "the last one goes" "error[OSG2030]"
exits "the last one goes: allowed" 0 "$program" --repo "$repo" --allow-removal
exits "afterwards" 0 "$program" check --repo "$repo"
finish
