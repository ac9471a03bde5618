#!/usr/bin/env bash
# A run with nothing to do says so without reading its inputs, and only when that is so.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet repo)
input=tests/fleet/edge-eu-1/machinedeployments.yaml

# without_input COMMAND...: while the blob of an input is away, which a whole run cannot do without
without_input() {
	local id object status
	id=$(git -C "$repo" rev-parse "HEAD:$input")
	object=$repo/.git/objects/${id:0:2}/${id:2}
	mv "$object" "$scratch/object"
	"$@"
	status=$?
	mv "$scratch/object" "$object"
	return "$status"
}

fast() { # NAME ARGUMENTS...
	local name=$1
	shift
	exits "$name: nothing is read" 0 without_input "$program" --repo "$repo" "$@"
	says "$name" "is up to date"
}

whole() { # NAME ARGUMENTS...: a whole run, which makes no commit
	local name=$1 before
	shift
	before=$(git -C "$repo" rev-parse HEAD)
	exits "$name: inputs are read" 3 without_input "$program" --repo "$repo" "$@"
	exits "$name" 0 "$program" --repo "$repo" "$@"
	same "$name: no commit" "$before" "$(git -C "$repo" rev-parse HEAD)"
}

trailer() { # REVISION
	git -C "$repo" log -1 --format='%(trailers:key=Osm-Gen-Inputs,valueonly)' "$@" | tr -d '\n'
}

exits "first run" 0 "$program" --repo "$repo"
ok "a digest in the message" test "$(trailer HEAD | grep -cE '^[0-9a-f]{32}$')" = 1
same "and nothing in clear" "0" "$(git -C "$repo" log -1 --format=%B | grep -c "$OSM_GEN_SEAL_SEED")"
first=$(git -C "$repo" rev-parse HEAD)
fast "after our own commit"
same "with the counts of a whole run" \
	"$("$program" --repo "$repo" --report json="$scratch/r.json" 2>&1 | grep -v fullest)" \
	"$("$program" --repo "$repo" 2>&1)"
fast "again, with -j" -j 1
fast "detached" --rev HEAD
same "the branch stands" "$first" "$(git -C "$repo" rev-parse HEAD)"
exits "check" 0 without_input "$program" check --repo "$repo"
exits "diff" 0 without_input "$program" diff --repo "$repo"
same "diff prints nothing" "" "$(cat "$scratch/out")"
exits "validate reads" 3 without_input "$program" validate --repo "$repo"
exits "a report wants all rows" 3 without_input "$program" --repo "$repo" --report json="$scratch/report.json"
exits "an export is written" 3 without_input "$program" --repo "$repo" --out "$scratch/export"
exits "no commit, no proof" 3 without_input "$program" --repo "$repo" --no-commit

# Dirty inputs are still warned of, and are no inputs.
echo "# later" >>"$repo/$input"
fast "a dirty input"
says "a dirty input is warned of" "not committed are not read"
git -C "$repo" checkout -q -- "$input"

# What decides the output is asked anew.
whole "a flag" --initial-taints ""
mkdir "$scratch/secrets"
cat >"$scratch/secrets/one.yaml" <<'EOF'
apiVersion: v1
kind: Secret
metadata: {name: unused, namespace: kube-system}
stringData: {password: "unused in the fleet"}
EOF
whole "a secrets folder" --secrets "$scratch/secrets"
fast "an author decides no output" --author "Someone <someone@osm-gen.example>"
exits "a broken author" 64 "$program" --repo "$repo" --author nobody
other=$("$program" keygen seed)
exits "another seed" 3 env OSM_GEN_SEAL_SEED="$other" "$program" --repo "$repo"
says "another seed" "--rotate-seed"
exits "a broken seed" 3 env OSM_GEN_SEAL_SEED=OSMGEN-SEED-1X "$program" --repo "$repo"
exits "no seed" 3 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo"
exits "a broken identity" 3 env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY=AGE-SECRET-KEY-1X "$program" --repo "$repo"
fast "after all that"

# The work tree is brought back in step.
victim=$(cd "$repo" && git ls-files out | grep operatingsystemconfig- | head -n 1)
rm "$repo/$victim"
exits "a deleted file" 0 "$program" --repo "$repo"
ok "comes back" test -f "$repo/$victim"
echo "# edited" >>"$repo/$victim"
exits "an edited file" 0 "$program" --repo "$repo"
same "is overwritten" "" "$(git -C "$repo" status --porcelain)"
fast "in step again"

# An unrelated commit: a whole run, which finds nothing to do.
echo text >"$repo/NOTES"
commit_all "$repo" "unrelated"
whole "an unrelated commit"
git -C "$repo" revert --no-edit HEAD >/dev/null 2>&1
fast "and without it again"

# Output edited by hand is noticed, whatever its commit says.
echo "# by hand" >>"$repo/$victim"
commit_all "$repo" "by hand"
exits "edited output" 1 "$program" check --repo "$repo"
git -C "$repo" reset -q --hard "$first"
echo "# by hand" >>"$repo/$victim"
git -C "$repo" add -A
git -C "$repo" commit -q --amend --no-edit
ok "a commit of ours, amended" test -n "$(trailer HEAD)"
exits "amended output" 1 "$program" check --repo "$repo"
exits "is made right" 0 "$program" --repo "$repo"
same "as it was" "$(git -C "$repo" rev-parse "$first:out")" "$(git -C "$repo" rev-parse HEAD:out)"
git -C "$repo" rm -q "$victim"
git -C "$repo" commit -q -m "$(git -C "$repo" log -1 --format=%B HEAD)"
exits "a file is missing" 1 "$program" check --repo "$repo"

# A digest of another version, or of nobody, says nothing.
git -C "$repo" reset -q --hard "$first"
good=$(trailer HEAD)
bad=$(printf '%s' "$good" | tr 0-9a-f 1-9a-f0)
git -C "$repo" commit -q --amend -m "$(git -C "$repo" log -1 --format=%B | sed "s/$good/$bad/")"
whole "another digest"
git -C "$repo" commit -q --amend -m "$(printf 'squashed\n\n    Osm-Gen-Inputs: %s\n' "$good")"
whole "a digest without the counts that it covers"
counts=$(git -C "$repo" log -1 --format='%(trailers:key=Osm-Gen-Counts)' "$first")
git -C "$repo" commit -q --amend -m "$(printf 'squashed\n\n    Osm-Gen-Inputs: %s\n    %s\n' "$good" "$counts")"
fast "quoted in a squashed commit"

# A merge: the proof is behind the second parent.
git -C "$repo" reset -q --hard "$first^"
git -C "$repo" merge -q --no-ff -m "merge" "$first"
fast "a merge"
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
exits "a shallow clone, the proof cut off" 0 "$program" --repo "$scratch/shallow"
same "has nothing to commit" "$(git -C "$repo" rev-parse HEAD)" "$(git -C "$scratch/shallow" rev-parse HEAD)"

# Changed inputs under a message that proves others.
sed -i '0,/distUpgradeOnBoot: false/s//distUpgradeOnBoot: true/' "$repo/$input"
commit_all "$repo" "one MachineDeployment"
exits "changed inputs differ" 1 "$program" check --repo "$repo"
exits "changed inputs" 0 "$program" --repo "$repo"
ok "are committed" test "$(git -C "$repo" rev-parse HEAD:out)" != "$(git -C "$repo" rev-parse "$first:out")"
fast "and then rest"

# To a branch that is not checked out.
sed -i '0,/distUpgradeOnBoot: true/s//distUpgradeOnBoot: false/' "$repo/$input"
commit_all "$repo" "and back"
exits "another branch" 0 "$program" --repo "$repo" --branch rendered
fast "another branch" --branch rendered
git -C "$repo" branch -q -D rendered
exits "a branch that is gone" 0 "$program" --repo "$repo" --branch rendered
ok "is made again" git -C "$repo" rev-parse -q --verify rendered

finish
