#!/usr/bin/env bash
# The setting provisioning: split: what is in the ConfigMap and what is sealed, that runs repeat, and how long old ConfigMaps stay.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_split.sh
. "$here/_split.sh"

make_fleet "$scratch/fleet"
cd "$scratch/fleet" || exit 1

# ---- what is where
ok "generate" generate
same "MachineDeployments of the same text share a ConfigMap: two a cluster, as some have kubelet settings of their own" 4 "$(config_maps | wc -l)"
map=$(named workers-00001)
ok "it is immutable" grep -qx 'immutable: true' "$folder/configmap-$map.yaml"
ok "it is not pruned" grep -qF 'kustomize.toolkit.fluxcd.io/prune: disabled' "$folder/configmap-$map.yaml"
ok "scripts are in it, to read" grep -qx ' *install_packages() {' "$folder/configmap-$map.yaml"
digest=$(python3 -B - "$folder/configmap-$map.yaml" <<'PYTHON'
import hashlib, sys, yaml
data = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))["data"]
text = "".join(key + "\n" + "".join(f" {line}\n" for line in data[key].split("\n") if data[key]) for key in sorted(data))
print(hashlib.sha256(text.encode()).hexdigest())
PYTHON
)
same "it is named by its digest" "provisioning-${digest:0:32}" "$map"
secret=$folder/secret-workers-00001-kube-system-provisioning-config.yaml
same "the Secret names it, with all of the digest" "$map $digest" "$(unsealed "$secret" | head -n 1)"
token=$(sed -n 's/^  token: //p' clusters/c000/getter-token.yaml)
ok "the token is in the Secret" grep -qF "$token" <(unsealed "$secret" | sed -n 's/^    \([A-Za-z0-9+/=]\{40,\}\)$/\1/p' | base64 -d)
same "and in the clear nowhere" "" "$(grep -rlF -e "$token" -e "$(printf %s "$token" | base64 -w0 | cut -c1-40)" out)"
ok "the kustomization has it" grep -qF "configmap-$map.yaml" out/c000/worker/kustomization.yaml
same "its row in index.json" '"configmap" null' "$(python3 -B -c '
import json, sys
rows = [row for row in json.load(open("out/c000/index.json"))["files"] if row["path"].endswith(sys.argv[1])]
print(*(json.dumps(row[member] if member in row else None) for row in rows for member in ("role", "unit")))' "configmap-$map.yaml")"
same "machines with kubelet settings of their own have these in the Secret" 1 \
	"$(unsealed $folder/secret-workers-00000-kube-system-provisioning-config.yaml | grep -c "path: '/etc/kubernetes/kubelet.conf'")"
ok "the ServiceAccount of the getter token may read it" grep -qF 'system:serviceaccounts:cloud-init-settings' \
	$folder/rolebinding-workers-00001-kube-system-bootstrap-reader.yaml
ok "verify" "$program" verify --repo . --out out

"$program" unseal --decode "$secret" >"$scratch/decoded"
ok "people see what the Secret has, file by file" grep -qx '==> cloud-config: /opt/bin/setup.env <==' "$scratch/decoded"
ok "and where the others are" grep -qx "# and the files of ConfigMap $map $digest" "$scratch/decoded"

exits "print the ConfigMap" 0 "$program" render -q c000/kube-system/workers-00001 --print configmap
same "it is the one of the output, to the byte" "" "$(tail -n +2 "$folder/configmap-$map.yaml" | diff - "$scratch/out")"
exits "without the seed" 0 env -u OSM_GEN_SEAL_SEED "$program" render -q c000/kube-system/workers-00001 --print configmap
same "the same" "" "$(tail -n +2 "$folder/configmap-$map.yaml" | diff - "$scratch/out")"
exits "one without a ConfigMap" 2 "$program" render -q c000/kube-system/workers-00001 --print configmap --provisioning whole
says "says what it has not" 'c000/kube-system/workers-00001 has no configmap to print'
says "and that a setting makes one" 'another setting would give it one'

# ---- runs repeat
first=$(git rev-parse HEAD)
ok "again" generate
ok "and without proofs" generate --no-proofs
same "nothing to commit" "$first" "$(git rev-parse HEAD)"
exits "check" 0 "$program" check -q --repo . --out out
make_fleet "$scratch/again"
ok "another repository of the same content" "$program" -q --repo "$scratch/again" --out out -j 1
same "has the same commit" "$first" "$(git -C "$scratch/again" rev-parse HEAD)"

# ---- an edited ConfigMap
sed -i 's/^\( *\)install_packages() {/&\n\1 touch \/tmp\/mine/' "$folder/configmap-$map.yaml"
commit "edit the ConfigMap"
exits "check finds an edited ConfigMap" 1 "$program" check -q --repo . --out out
ok "a run restores it" generate
same "as it was" "" "$(git diff "$first" --stat -- out)"

# ---- old ConfigMaps
change_profile further v9.0.1
exits "plan" 0 "$program" plan --repo . --out out
same "one change for all, and nothing about RBAC" 1 "$(grep -c '^NEW-NODES-ONLY' "$scratch/out")"
same "no note" "" "$(grep -i rbac "$scratch/out")"
exits "diff shows the ConfigMap against the one that it replaces" 1 "$program" diff -v --repo . --out out
same "with one line that differs, beside its name" 2 \
	"$(sed -n "/^--- .*configmap-$map/,/^---/p" "$scratch/out" | grep -c '^+[^+]')"
git clone -q . "$scratch/merged"
for shard in 1 2 3; do
	ok "shard $shard" "$program" generate -q --repo . --shard $shard/3 --out "$scratch/shards" --merged-out out
done
ok "a profile's change" generate
ok "shards" "$program" merge -q "$scratch/shards" --repo "$scratch/merged" --out out
same "make the same output" "$(git rev-parse HEAD:out)" "$(git -C "$scratch/merged" rev-parse HEAD:out)"
same "the ConfigMaps before are still there" 8 "$(config_maps | wc -l)"
ok "as it was" grep -qx "$folder/configmap-$map.yaml" <(config_maps)
second=$(named workers-00001 | head -n 1)
same "the Role allows both, the new one first" "$second $map" "$(named workers-00001 | xargs)"
same "machines' first user-data is as before: it was not sealed anew" "" "$(git diff --name-only HEAD~2 -- out | grep bootstrap-config)"
head=$(git rev-parse HEAD)
ok "nothing changes" generate --no-proofs
same "they stay" "$head" "$(git rev-parse HEAD)"
sed -i '0,/location: hel1/s//location: fsn1/' clusters/c000/machinedeployments.yaml
commit "something else"
ok "something else changes" generate
same "they stay for machines of any age" 8 "$(config_maps | wc -l)"
change_profile other v9.0.2
ok "the next change" generate
same "removes those of two changes before" 8 "$(config_maps | wc -l)"
exits "the first one is gone" 1 grep -qx "$folder/configmap-$map.yaml" <(config_maps)
same "the Role" "$(named workers-00001 | head -n 1) $second" "$(named workers-00001 | xargs)"

# ---- a patch release of Kubernetes
before=$(config_maps)
sed -i 's/kubelet: 1.34.1/kubelet: 1.34.2/' clusters/*/machinedeployments.yaml
commit "kubelet"
ok "a patch release" generate
same "changes no ConfigMap" "$before" "$(config_maps)"

# Git finds a small difference only where few files have the same size: what is sealed must be small.
same "changes of stage 1 no more than the revision and the MAC" "$(printf -- '-%s\n+%s\n' 'k8c.io/machine-deployment-revision:' 'k8c.io/machine-deployment-revision:' mac: mac: | sort)" \
	"$(git diff -U0 HEAD~1 -- $folder/secret-workers-00001-kube-system-bootstrap-config.yaml | grep '^[-+] ' | awk '{ print substr($1, 1, 1) $2 }' | sort)"
same "user-data is sealed as text, not as base64" "" "$(with_data)"
ok "stage 1 in less than 14 KB" [ "$(wc -c <$folder/secret-workers-00001-kube-system-bootstrap-config.yaml)" -lt 14000 ]
# With 12 MachineDeployments whose names have the same length, git finds none of the differences.
packed() { printf '%s\n' HEAD ^HEAD~1 | git pack-objects --revs --thin --stdout -q | wc -c; }
ok "a push sends at most 15 KB a MachineDeployment" [ "$(packed)" -le $((12 * 15000)) ]
ok "a reviewer sees at most 15 KB a MachineDeployment" [ "$(git diff HEAD~1 -- out | wc -c)" -le $((12 * 15000)) ]
git clone -q . "$scratch/base64"
sed -i 's/^  sealing:/  delivery: {secretText: data}\n&/' "$scratch/base64/osm-gen.yaml"
git -C "$scratch/base64" commit -q -a -m "base64"
exits "plan of secretText: data" 0 "$program" plan --repo "$scratch/base64" --out out
ok "changes no machine" grep -q '^METADATA: only the form of files changed in ' "$scratch/out"
same "and nothing else" 1 "$(grep -c '^[A-Z-]*: ' "$scratch/out")"
ok "secretText: data" "$program" -q --repo "$scratch/base64" --out out
same "keeps base64 where that is wanted" 24 "$(cd "$scratch/base64" && with_data | wc -l)"

# ---- without the seed
change_profile unsealed v9.0.3
exits "plan without the seed" 0 env -u OSM_GEN_SEAL_SEED "$program" plan -q --repo . --out out
ok "with it again" generate

# ---- one MachineDeployment goes, the last of its text goes
python3 -B - clusters/c001/machinedeployments.yaml <<'PYTHON'
import sys
text = open(sys.argv[1], encoding="utf-8").read().split("---\n")
open(sys.argv[1], "w", encoding="utf-8").write("---\n".join(part for part in text if "MaxPods" not in part))
PYTHON
commit "those with settings of their own go"
ok "removes them" generate --allow-removal
same "with their ConfigMaps" 2 "$(find out/c001 -name 'configmap-*' | wc -l)"

# ---- a file that holds a secret is sealed as a whole
mirrors='{docker.io: ["https://user:CANARY-password@one.example"], quay.io: ["https://two.example"]}'
sed -i "s|provisioning: split|&, nodeContainerdRegistryMirrors: $mirrors|" osm-gen.yaml
commit "a mirror with a password"
ok "a mirror with a password" generate
map=$(named workers-00001 | head -n 1)
same "is nowhere in the clear" "" "$(grep -rlF -e CANARY-password -e "$(printf %s CANARY-password | base64 -w0 | cut -c1-18)" out)"
same "the file that has it is not in the ConfigMap" "certs.d/quay.io" "$(grep -o 'certs.d/[a-z]*\.io' "$folder/configmap-$map.yaml")"
same "but in the Secret" "certs.d/docker.io" "$(unsealed "$secret" | grep -o 'certs.d/[a-z]*\.io')"

# ---- text that kustomize would change or refuse
cat >profiles/letters.yaml <<'YAML'
apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemProfileExtension
metadata: {name: letters}
spec:
  provisioningConfig:
    files:
    - {path: /etc/letters/plain, permissions: 644, content: {inline: {data: "\u00fc \u2028 \ufeff \U0001F600\n"}}}
    - {path: /etc/letters/next-line, permissions: 644, content: {inline: {data: "one\x85two\n"}}}
    - {path: /etc/letters/control, permissions: 644, content: {inline: {data: "one\x80two\n"}}}
    - {path: /etc/letters/none, permissions: 644, content: {inline: {data: "one\uFFFEtwo\n"}}}
YAML
git add profiles
commit "letters"
ok "letters" generate
map=$(named workers-00001 | head -n 1)
same "in the ConfigMap are those that arrive" plain "$(sed -n "s|.*path: '/etc/letters/\([a-z-]*\)'|\1|p" "$folder/configmap-$map.yaml")"
same "the others are in the Secret" "next-line control none" "$(unsealed "$secret" | sed -n "s|.*path: '/etc/letters/\([a-z-]*\)'|\1|p" | xargs)"
git rm -q profiles/letters.yaml
commit "no letters"

# ---- back to whole
sed -i 's/, provisioning: split/, provisioning: whole/' osm-gen.yaml
commit "whole"
ok "back to whole" generate
same "no ConfigMap" "" "$(config_maps)"
same "no Role for one" "" "$(grep -rl configmaps out/c000/worker out/c001/worker)"
ok "verify" "$program" verify --repo . --out out

finish
