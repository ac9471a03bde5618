#!/usr/bin/env bash
# The steps of docs/howto/rotate.md, as they stand there, run on the sample fleet.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk
seed=$OSM_GEN_SEAL_SEED
mkdir -p "$scratch/bin"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH

# shellcheck disable=SC2016 # backquotes are those of Markdown
steps() { # NAME: the commands, with the sample's own names
	sed -n "/^<!-- rotation: $1 -->/,/^<!-- end -->/p" "$root/docs/howto/rotate.md" |
		sed -n '/^```sh$/,/^```$/{/^```/d; p}' |
		sed "s/^old=age1\.\.\.$/old=$ours/; s|clusters/prod/|tests/fleet/prod-us-1/|"
}
start() { # NAME: a clone of a fleet with its output
	mkdir -p "$scratch/$1"
	repo=$(fleet "$1/clone")
	exits "$1: the output before" 0 "$program" -q --repo "$repo"
	git clone -q --bare "$repo" "$scratch/$1/origin.git"
	git -C "$repo" remote add origin "$scratch/$1/origin.git"
	git -C "$repo" fetch -q
	git -C "$repo" branch -q --set-upstream-to origin/main
	cp -r "$repo/out" "$scratch/$1/before"
	before=$(git -C "$repo" rev-parse HEAD)
}
follow() { # NAME: every step, in order, none of which fails
	steps "$1" >"$scratch/$1/steps"
	ok "$1: there are steps" test -s "$scratch/$1/steps"
	(cd "$repo" && exits "$1: the steps" 0 bash -euo pipefail "$scratch/$1/steps" && [ "$failed" -eq 0 ]) || failed=$((failed + 1))
	same "$1: pushed" "$(git -C "$repo" rev-parse HEAD)" "$(git -C "$scratch/$1/origin.git" rev-parse main)"
	ok "$1: something is new" test "$(git -C "$repo" rev-parse HEAD)" != "$before"
	exits "$1: nothing is left to do" 0 "$program" check --repo "$repo" "${@:2}"
}
kept() { # sealed files that are as before
	diff -rsq "$scratch/$1/before" "$repo/out" | grep -c 'secret-.*identical'
}
tokens() { find "$1" -name 'secret-bootstrap-token-*' -printf '%f\n' | sort; }

start seed
cp "$root/tests/keys/TEST-ONLY-seed.txt" "$scratch/old-seed.txt"
follow seed --seal-seed-file "$scratch/seed/new-seed.txt"
same "seed: every sealed file is another" "0" "$(kept seed)"
same "seed: and every token" "" "$(comm -12 <(tokens "$scratch/seed/before") <(tokens "$repo/out"))"
exits "seed: the old one is refused" 3 env OSM_GEN_SEAL_SEED="$seed" "$program" check --repo "$repo"

start recipient
follow recipient
same "recipient: every sealed file is another" "0" "$(kept recipient)"
same "recipient: tokens stay" "$(tokens "$scratch/recipient/before")" "$(tokens "$repo/out")"
sealed=("$repo"/out/*/worker/*/secret-*.yaml)
exits "recipient: the new identity opens all" 0 env SOPS_AGE_KEY_FILE="$scratch/recipient/new-identity.txt" "$program" unseal "${sealed[@]}"
exits "recipient: the old one none" 3 "$program" unseal "${sealed[@]}"
same "recipient: two commits say so" "2" "$(git -C "$repo" log --format=%s | grep -c '; recipients of 2 clusters change')"

start token
follow token
same "token: those of the cluster are others" "" "$(comm -12 <(tokens "$scratch/token/before/prod-us-1") <(tokens "$repo/out/prod-us-1"))"
same "token: those of the other are not" "$(tokens "$scratch/token/before/edge-eu-1")" "$(tokens "$repo/out/edge-eu-1")"

start period
sed -i 's/tokenRotation: .*/tokenRotation: weekly/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "weekly"
exits "period: the first one" 0 "$program" -q --repo "$repo"
first=$(tokens "$repo/out/prod-us-1")
GIT_COMMITTER_DATE=2026-03-11T05:06:08+0200 follow period
same "period: half of the tokens are others" "$(($(wc -l <<<"$first") / 2))" "$(comm -12 <(echo "$first") <(tokens "$repo/out/prod-us-1") | wc -l | tr -d ' ')"

start fleet
follow fleet
same "fleet: every sealed file is another" "0" "$(kept fleet)"
same "fleet: and every token" "" "$(comm -12 <(tokens "$scratch/fleet/before") <(tokens "$repo/out"))"
finish
