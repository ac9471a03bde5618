#!/usr/bin/env bash
# The ConfigMaps of provisioning: split that the output keeps for machines with an older Secret: an edited file does not count as one.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_split.sh
. "$here/_split.sh"

make_fleet "$scratch/fleet"
cd "$scratch/fleet" || exit 1
ok "generate" generate
first=$(named workers-00001)
change_profile further v9.0.1
ok "a profile's change" generate
old=$folder/configmap-$first.yaml
ok "keeps the ConfigMap before" test -f "$old"

# ---- an edited file
git clone -q . "$scratch/edited"
sed -i 's/^\( *\)install_packages() {/&\n\1 touch \/tmp\/mine/' "$scratch/edited/$old"
git -C "$scratch/edited" commit -q -a -m "edit the ConfigMap"
cat >"$scratch/binding" <<'YAML'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: mine}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: mallory}]
YAML
git clone -q . "$scratch/another"
cp "$scratch/binding" "$scratch/another/$old"
git -C "$scratch/another" commit -q -a -m "another object"
for place in edited another; do
	exits "check finds $place" 1 "$program" check -q --repo "$scratch/$place" --out out
	ok "a run on $place" "$program" generate -q --repo "$scratch/$place" --out out
	exits "keeps it no longer" 1 test -f "$scratch/$place/$old"
	exits "nor does the kustomization of $place name it" 1 grep -qF "$first" "$scratch/$place/out/c000/worker/kustomization.yaml"
	exits "check of $place" 0 "$program" check -q --repo "$scratch/$place" --out out
	ok "another run" "$program" generate -q --no-proofs --repo "$scratch/$place" --out out
	exits "is the same" 0 "$program" check -q --repo "$scratch/$place" --out out
done

# ---- only what the file says differently is made anew: annotations, comments
git clone -q . "$scratch/notes"
sed -i -e '1s/.*/# A note./' -e '/prune: disabled/d' "$scratch/notes/$old"
git -C "$scratch/notes" commit -q -a -m "notes"
exits "check finds an annotation that is missing" 1 "$program" check -q --repo "$scratch/notes" --out out
ok "a run restores it" "$program" generate -q --repo "$scratch/notes" --out out
same "to the byte" "" "$(diff "$old" "$scratch/notes/$old")"

# ---- edited names
for name in ../../../mine kube-root-ca.crt "provisioning-$(printf %032d 0 | tr 0 X)"; do
	git clone -q . "$scratch/names"
	sed -i "s|\"configMapBefore\": \"$first\"|\"configMapBefore\": \"$name\"|" "$scratch/names/out/c000/index.json"
	git -C "$scratch/names" commit -q -a -m "a name"
	ok "a run" "$program" generate -q --repo "$scratch/names" --out out
	same "does not take the name $name from the index" "" "$(grep -rlF -e "$name" "$scratch/names/out")"
	rm -rf "$scratch/names"
done

# ---- another applier
git clone -q . "$scratch/argocd"
sed -i -e 's|^  sealing:|  delivery: {applier: argocd, source: {url: "https://git.example.com/fleet.git", revision: main}}\n&|' \
	-e 's/provisioning: split/&, managementCluster: self/' "$scratch/argocd/osm-gen.yaml"
git -C "$scratch/argocd" commit -q -a -m "Argo CD"
ok "with Argo CD" "$program" generate -q --repo "$scratch/argocd" --out out
same "the ConfigMaps before have its annotation, too" 8 \
	"$(grep -lr 'argocd.argoproj.io/sync-options: Prune=false' "$scratch/argocd/out" --include 'configmap-*' | wc -l)"

# ---- what was clear becomes a secret
change_profile CANARY-of-the-token v9.0.2
ok "a word" generate
third=$(named workers-00001 | head -n 1)
change_profile other v9.0.3
sed -i 's/^  token: .*/  token: CANARY-of-the-token/' clusters/c000/getter-token.yaml
commit "a secret"
ok "becomes a secret" generate
same "the ConfigMap that has it goes" "" "$(grep -rlF CANARY-of-the-token out/c000)"
exits "check" 0 "$program" check -q --repo . --out out
same "the Role still has its name, for the one in the cluster" "$third" "$(named workers-00001 | tail -n 1)"

finish
