#!/usr/bin/env bash
# --manifests: manifests that are not in the commit, for one cluster.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet manifests)
cd "$repo" || exit 1
cluster=tests/fleet/prod-us-1
md=$cluster/workers.yaml
[ -f "$md" ] || md=$(grep -l 'kind: MachineDeployment' "$cluster"/*.yaml | head -n 1)
# The whole output, made from git alone.
exits "from git alone" 0 "$program" generate
git archive HEAD out | tar x -C "$scratch"
mv "$scratch/out" "$scratch/plain"
same "no trailer" "" "$(git log -1 --format='%(trailers:key=Osm-Gen-Manifests)')"
git reset -q --hard HEAD~1

# ---- the same manifests, given beside the commit -----------------------------------------------------------------------
mkdir "$scratch/rendered"
mv "$md" "$scratch/rendered/helm.yaml"
git commit -qam "take the manifests out"
given=$scratch/rendered/helm.yaml
exits "validate with them" 0 "$program" validate --manifests "$given" --cluster prod-us-1
with=$(grep -o '[0-9]* MachineDeployments' "$scratch/err")
exits "validate without" 0 "$program" validate
ok "there are fewer" test "$with" != "$(grep -o '[0-9]* MachineDeployments' "$scratch/err")"
exits "list shows them" 0 "$program" list --manifests "prod-us-1=$given"
exits "plan reads standard input" 0 "$program" plan --manifests - --cluster prod-us-1 <"$given"
exits "generate" 0 "$program" generate --manifests "$given" --cluster prod-us-1
digest=$(git log -1 --format='%(trailers:key=Osm-Gen-Manifests,valueonly)')
ok "the commit names the file, and not its folder" grep -qxE 'prod-us-1 helm.yaml [0-9a-f]{32}' <<<"$digest"
grep -rlZ "$md" "$scratch/plain" | xargs -0 sed -i "s|$md|helm.yaml|"
same "the output is that of committed manifests, but for the name" "" \
	"$(diff -r -I '"proof": "[0-9a-f]*"' "$scratch/plain" out)"
ok "no folder of this machine" bash -c "! grep -rqF '$scratch' out"

# ---- what comes after ---------------------------------------------------------------------------------------------------
exits "again: nothing to do" 0 "$program" generate --manifests "$given" --cluster prod-us-1
says "nothing" "out is up to date"
exits "check with the same" 0 "$program" check --manifests "prod-us-1=$given"
exits "check without" 1 "$program" check --allow-removal
says "tells of it" "OSG2081]: the last commit of osm-gen was made with manifests that this run does not have: helm.yaml"
exits "verify" 0 "$program" verify
ok "tells that git alone is not enough" grep -q "cannot be reproduced from git alone" "$scratch/out"
sed 's/replicas: [0-9]*/replicas: 9/' "$given" >"$scratch/other.yaml"
sed 's/kubelet: .*/kubelet: 1.33.4/' "$given" >"$scratch/rendered/changed.yaml"
cp "$scratch/rendered/changed.yaml" "$given"
exits "other manifests are a difference" 1 "$program" check --manifests "prod-us-1=$given"
git checkout -q HEAD
exits "shards" 0 "$program" --shard 1/1 --out "$scratch/part" --manifests "prod-us-1=$given"
exits "merge needs the same" 2 "$program" merge "$scratch/part"
exits "merge" 0 "$program" merge "$scratch/part" --manifests "prod-us-1=$given"
same "has the trailer" 1 "$(git log -1 --format='%(trailers:key=Osm-Gen-Manifests)' | grep -c helm.yaml)"

# ---- Secrets in them ------------------------------------------------------------------------------------------------------
cat >"$scratch/secret.yaml" <<'END'
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: 0a1b2c3d4e5f6a7b8c9d}
END
exits "a Secret" 0 "$program" generate --manifests "prod-us-1=$given" --manifests "prod-us-1=$scratch/secret.yaml"
ok "is not in the output in clear text" bash -c '! git grep -q 0a1b2c3d4e5f6a7b8c9d HEAD -- out'
ok "nor in the message" bash -c '! git log -1 --format=%B | grep -q 0a1b2c3d4e5f'
ok "nor in a warning of clear text" bash -c "! grep -q OSG2026 $scratch/err"

# ---- mistakes -------------------------------------------------------------------------------------------------------------
exits "no cluster" 2 "$program" validate --manifests "$given"
says "must be named" "OSG2080]: --manifests does not name the cluster of this file, and the commit has several"
exits "a wrong one" 2 "$program" validate --manifests "$given" --cluster nowhere
says "is named" "gives this file to cluster nowhere, which the commit does not have"
same "once" 1 "$(grep -c 'error\[' "$scratch/err")"
exits "--cluster alone" 64 "$program" validate --cluster prod-us-1
exits "standard input twice" 64 "$program" validate --manifests - --manifests - --cluster prod-us-1 </dev/null
exits "beside -" 64 "$program" validate - --manifests "$given" </dev/null
exits "no such file" 3 "$program" validate --manifests "$scratch/none.yaml" --cluster prod-us-1
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {}\n' >"$scratch/osm-gen.yaml"
exits "settings" 2 "$program" validate --manifests "prod-us-1=$scratch/osm-gen.yaml"
says "are refused" "settings of osm-gen (kind Fleet) are in a file of another name"
ln -s "$given" link.yaml
exits "a link in the work tree" 3 "$program" validate --manifests prod-us-1=link.yaml
finish
