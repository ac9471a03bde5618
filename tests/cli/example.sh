#!/usr/bin/env bash
# The example repository, docs/example: what `init --editor --example` writes, and docs/howto/example.md, run as it stands.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
seed=$OSM_GEN_SEAL_SEED identity=$SOPS_AGE_KEY_FILE
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/bin" "$scratch/home" "$scratch/walk"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
export PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8

# ---- the page: from nothing to a pull request with a report -----------------------------------------------------------
python3 "$here/_console.py" "$root/docs/howto/example.md" "$scratch/walk" >"$scratch/counts"
sed '$d' "$scratch/counts"
read -r good _ bad _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/counts")
passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
ok "it has commands" test "${good:-0}" -ge 15
ok "the page of the report names the change" grep -q 'kubelet 1.34.1 -&gt; 1.34.2\|kubelet 1.34.1 -> 1.34.2' "$scratch/walk/report.html"
for cluster in staging production edge; do
	path=$(sed -n 's/^  path: //p' "$scratch/walk/fleet/flux/$cluster.yaml")
	ok "Flux finds the path of $cluster" test -f "$scratch/walk/fleet/$path/kustomization.yaml"
done

# ---- what init writes is docs/example, with a recipient and a name of its own ------------------------------------------
test_recipient=$(sed -n 's/^# public key: //p' "$identity")
exits "init" 0 osm-gen init "$scratch/new" --example --keys "$scratch/keys"
recipient=$(sed -n 's/^# public key: //p' "$scratch/keys/identity.txt")
cp -r "$root/docs/example" "$scratch/given"
cp -r "$scratch/given" "$scratch/wanted"
grep -rlF "$test_recipient" "$scratch/wanted" | xargs sed -i "s/$test_recipient # TEST ONLY/$recipient/"
sed -i "/^  sealing:$/r /dev/stdin" "$scratch/wanted/osm-gen.yaml" < <(grep -B 1 '^    fleet: "[0-9a-f]\{16\}"$' "$scratch/new/osm-gen.yaml")
ok "init writes docs/example" diff -r -x .git "$scratch/wanted" "$scratch/new"
ok "without a key of tests" bash -c "! grep -rqE 'TEST ONLY|$test_recipient' '$scratch/new'"
ok "every key of tests is marked" bash -c "! grep -rF '$test_recipient' '$root/docs/example' | grep -v 'TEST ONLY'"
same "the contract is the newest" "$(osm-gen version -o json | sed -n 's/.*"newest": *\([0-9]*\).*/\1/p')" \
	"$(sed -n 's/^  contract: //p' "$root/docs/example/osm-gen.yaml")"
ok "its jobs are those of the project" "$root/ci/example" check

# ---- docs/example as it is, with the keys of tests ---------------------------------------------------------------------
git -C "$scratch/given" -c init.defaultBranch=main init -q
commit_all "$scratch/given" "start"
exits "it renders" 0 env OSM_GEN_SEAL_SEED="$seed" osm-gen generate --repo "$scratch/given"
ok "without a warning" bash -c "! grep -q 'warning' $scratch/err"
exits "and opens" 0 env SOPS_AGE_KEY_FILE="$identity" OSM_GEN_SEAL_SEED="$seed" osm-gen verify --repo "$scratch/given"
ok "each sealed file" grep -qE '([0-9]+) of them sealed; \1 opened, \1 sealed again' "$scratch/out"
exits "it delivers by a registry, too" 0 env OSM_GEN_SEAL_SEED="$seed" osm-gen generate --repo "$scratch/given" --artifact "$scratch/images"

# ---- what else is in the folder ----------------------------------------------------------------------------------------
cp -r "$scratch/new" "$scratch/whole"
rm "$scratch/new/osm-gen.yaml" "$scratch/new/clusters/edge/workers.yaml"
exits "init of what a kill left" 0 osm-gen init "$scratch/new" --example --keys "$scratch/keys"
ok "is complete" diff -r -x .git "$scratch/whole" "$scratch/new"
exits "with settings" 3 osm-gen init "$scratch/new" --example --keys "$scratch/keys"
says "it is refused" "has osm-gen.yaml"
git init -q "$scratch/old"
cp "$root/docs/example/clusters/edge/workers.yaml" "$scratch/old/mine.yaml"
exits "with manifests" 3 osm-gen init "$scratch/old" --example --keys "$scratch/old-keys"
says "it is refused, too" "has manifests"
ok "and nothing is made" test ! -e "$scratch/old-keys"
finish
