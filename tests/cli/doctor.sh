#!/usr/bin/env bash
# doctor: every finding, with its exit status; nothing is changed.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

level() { # CHECK: the levels of its findings in the last output
	jq -r --arg check "$1" '[.findings[] | select(.check == $check) | .level] | join(" ")' "$scratch/out"
}
doctor() { # NAME STATUS CHECK LEVELS OPTION...
	local name=$1 status=$2 check=$3 levels=$4
	shift 4
	exits "$name" "$status" "$program" doctor -o json "$@"
	same "$name: $check" "$levels" "$(level "$check")"
}

repo=$(fleet well)
ok "an output" "$program" --repo "$repo" -q
head=$(git -C "$repo" rev-parse HEAD)
exits "all well" 0 "$program" doctor --repo "$repo"
ok "in words" grep -qx 'ok     seed        the seed is sound' "$scratch/out"
ok "what CI needs" grep -q '^note   ci .*OSM_GEN_SEAL_SEED' "$scratch/out"
doctor "as JSON" 0 output ok --repo "$repo"
same "nothing to look at" "" "$(jq -r '.findings[] | select(.level == "look" or .level == "wrong") | .check' "$scratch/out")"
same "no key in it" "0" "$(cat "$scratch/out" "$scratch/err" | grep -cE 'OSMGEN-SEED-1|AGE-SECRET-KEY')"


# What `init --example` wrote, until it is replaced.
doctor "an example's API server" 0 api-server note --repo "$repo"
ok "of both clusters" grep -q 'cluster edge-eu-1 and 1 more: cluster-info still has the API server of an example' "$scratch/out"
own=$(fleet own)
find "$own" -name cluster-info.yaml -exec sed -i 's|osm-gen[.]example:|fleet.internal:|' {} +
commit_all "$own" "own API servers"
doctor "an API server of one's own" 0 api-server "" --repo "$own"
find "$own" -name cluster-info.yaml -exec sed -i "s/fleet.internal/notexample.com/" {} +
commit_all "$own" "another name"
doctor "another name that ends alike" 0 api-server "" --repo "$own"
find "$own" -name cluster-info.yaml -exec sed -i 's|https://|&somebody@|; s/notexample.com/fleet.example/' {} +
commit_all "$own" "a name in the address"
exits "a name in the address" 0 "$program" doctor --repo "$own"
ok "is not the host's" grep -q 'API server of an example, edge-eu-1.fleet.example$' "$scratch/out"

doctor "no .gitattributes" 0 attributes note --repo "$repo"
git clone -q "$repo" "$scratch/attributes"
"$program" init "$scratch/attributes" --keys "$scratch/more-keys" >/dev/null 2>&1
commit_all "$scratch/attributes" "attributes"
doctor "those of init" 0 attributes "" --repo "$scratch/attributes"
git clone -q "$repo" "$scratch/filtered"
echo '*.json filter=lfs -text' >>"$scratch/filtered/.gitattributes"
commit_all "$scratch/filtered" "a filter"
doctor "a filter of git on the output" 1 filter look --repo "$scratch/filtered"
for command in validate plan check diff; do
	exits "$command with a filter on the output" 3 "$program" $command --repo "$scratch/filtered"
	says "which it names" "error[OSG6009]"
done
mkdir "$scratch/new" && git -C "$scratch/new" init -q
doctor "before the first commit" 1 inputs look --repo "$scratch/new"
ok "what is next" grep -q "run .osm-gen generate" "$scratch/out"

# ---- git ------------------------------------------------------------------------------------------
git clone -q --bare "$repo" "$scratch/bare"
doctor "bare" 0 work-tree note --repo "$scratch/bare"
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
doctor "shallow" 0 history note --repo "$scratch/shallow"
exits "shallow: a run does well" 0 "$program" --repo "$scratch/shallow" -q
same "shallow: and warns of nothing" "" "$(cat "$scratch/err")"
bare_inputs=$(fleet inputs)
git clone -q --depth 1 "file://$bare_inputs" "$scratch/shallow-first"
doctor "shallow, without an output" 1 history "note look" --repo "$scratch/shallow-first"
exits "which a run warns of" 0 "$program" --repo "$scratch/shallow-first"
says "which a run warns of" "warning[OSG5076]"
git -C "$repo" config uploadpack.allowFilter true
git clone -q --filter=blob:none "file://$repo" "$scratch/partial"
doctor "partial" 0 history note --repo "$scratch/partial"
git clone -q "$repo" "$scratch/detached"
git -C "$scratch/detached" checkout -q --detach
doctor "detached" 0 branch note --repo "$scratch/detached"
ok "detached: what follows" jq -e '.findings[] | select(.check == "branch") | (.text | test("no branch gets the commit")) and (.help | test("--branch NAME"))' "$scratch/out"
doctor "detached, with a branch" 0 branch ok --repo "$scratch/detached" --branch main
git -C "$repo" worktree add -q "$scratch/linked" -b linked
exits "linked" 0 "$program" doctor --repo "$scratch/linked"
ok "is said" grep -q 'a linked work tree' "$scratch/out"
echo '# more' >>"$scratch/linked/tests/fleet/prod-us-1/machinedeployments.yaml"
doctor "dirty" 1 inputs look --repo "$scratch/linked"
says "is named" "OSG6102"
git clone -q "$repo" "$scratch/ignoring"
echo '/out/' >"$scratch/ignoring/.gitignore"
doctor "out/ is ignored" 1 ignored look --repo "$scratch/ignoring"
doctor "an older revision" 0 tip note --repo "$repo" --rev HEAD~1
if [ "$(id -u)" = 0 ]; then
	git clone -q "$repo" "$scratch/foreign"
	chown 65534 "$scratch/foreign"
	doctor "another owner" 0 owner note --repo "$scratch/foreign"
else
	skip "not root: no work tree of another owner"
fi
doctor "no repository" 3 repository wrong --repo "$scratch"

# ---- keys -----------------------------------------------------------------------------------------
seed=$OSM_GEN_SEAL_SEED identity=$SOPS_AGE_KEY_FILE
unset OSM_GEN_SEAL_SEED
doctor "no seed" 1 seed look --repo "$repo"
OSM_GEN_SEAL_SEED=OSMGEN-SEED-1NONSENSE doctor "a broken seed" 3 seed wrong --repo "$repo"
"$program" keygen seed -o "$scratch/other-seed"
doctor "another seed" 1 output look --repo "$repo" --seal-seed-file "$scratch/other-seed"
export OSM_GEN_SEAL_SEED=$seed
unset SOPS_AGE_KEY_FILE
doctor "no identity" 0 identities note --repo "$repo"
SOPS_AGE_KEY=nonsense doctor "a broken identity" 3 identities wrong --repo "$repo"
"$program" keygen identity -q -o "$scratch/stranger"
SOPS_AGE_KEY_FILE=$scratch/stranger doctor "a stranger's identity" 0 recipients "note note" --repo "$repo"
export SOPS_AGE_KEY_FILE=$identity

# ---- inputs ---------------------------------------------------------------------------------------
other=$(fleet other)
ok "an output" "$program" --repo "$other" -q
sed -i "s/age1f0g.*/$(sed -n 's/^# public key: //p' "$scratch/stranger")/" "$other/osm-gen.yaml"
commit_all "$other" "other recipients"
doctor "other recipients" 1 recipients "look note look note" --repo "$other"
sed -i 's/age1.*/age1nonsense/' "$other/osm-gen.yaml"
commit_all "$other" "wrong recipients"
exits "wrong recipients" 2 "$program" doctor --repo "$other"
echo 'nonsense: 1' >>"$other/osm-gen.yaml"
commit_all "$other" "wrong inputs"
doctor "wrong inputs" 2 inputs wrong --repo "$other"
doctor "an author" 0 author "" --repo "$repo"
sed -i '/commit:/,$d' "$repo/osm-gen.yaml"
sed -i 's,"version": *"v1[0-9.]*","version": "v1.1.0",' "$repo"/out/*/index.json
commit_all "$repo" "no author, an index of an older profile"
doctor "no author" 0 author note --repo "$repo"
same "an older profile" "note note" "$(level profiles)"
AZURE_CLIENT_SECRET=geheim doctor "a variable" 0 variables note --repo "$repo"
ok "is named" grep -q AZURE_CLIENT_SECRET "$scratch/out"
same "without its value" "0" "$(cat "$scratch/out" "$scratch/err" | grep -c geheim)"
same "no commit was made" "$head" "$(git -C "$repo" rev-parse HEAD~1)"
exits "doctor takes no argument" 64 "$program" doctor x
exits "help" 0 "$program" help doctor
finish
