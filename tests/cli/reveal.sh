#!/usr/bin/env bash
# Sealed changes for those who may read them: diff --reveal, unseal --decode, and git diff with it.
# shellcheck disable=SC2016 # variables of the inner shells
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
mkdir "$scratch/bin"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
export PATH=$scratch/bin:$PATH
has() { ok "$1" grep -qE -- "$2" "$scratch/out"; }
hasnt() { ok "$1" bash -c '! grep -qE -- "$1" "$2"' _ "$2" "$scratch/out"; }

# ---- cloud-init of MachineDeployments ----------------------------------------------------------------
repo=$(fleet clouds)
exits "generate" 0 osm-gen generate -q --repo "$repo"
git -C "$repo" reset -q --hard
sealed=$(cd "$repo" && ls out/edge-eu-1/worker/cloud-init-settings/secret-workers-*-provisioning-config.yaml)
exits "unseal --decode" 0 osm-gen unseal --decode "$repo/$sealed"
has "the object is first" '^kind: Secret$'
has "user-data without contents" '^- path: /etc/systemd/system/kubelet.service$'
has "a file of it" '^==> cloud-config: /etc/systemd/system/kubelet.service <==$'
has "its lines" '^ExecStart='
hasnt "nothing is base64 any more" '[A-Za-z0-9+/]{200}'
osm-gen render --repo "$repo" --machine-deployment edge-eu-1/kube-system/workers --print provisioning --reveal >"$scratch/whole"
python3 - "$scratch/whole" "$scratch/out" <<'PY' >"$scratch/compared"
import base64, re, sys, yaml
data = yaml.safe_load(open(sys.argv[1]).read())
parts = re.split(r"^==> (.*) <==\n", open(sys.argv[2]).read(), flags=re.M)
shown = dict(zip(parts[1::2], parts[2::2]))
files = data["write_files"]
for f in files:
    text = base64.b64decode(f["content"]).decode() if f.get("encoding") == "b64" else f["content"]
    got = shown.pop("cloud-config: " + f["path"])
    assert got.rstrip("\n") == text.rstrip("\n"), f["path"]
assert list(shown) == ["cloud-config"], list(shown)
print(len(files) > 10)
PY
same "each file as PyYAML reads it" True "$(cat "$scratch/compared")"

sed -i 's/kubelet: [0-9.]*/kubelet: 1.34.9/' "$repo"/tests/fleet/edge-eu-1/*.yaml
commit_all "$repo" "another kubelet"
exits "diff masks" 1 osm-gen diff --repo "$repo"
hasnt "no file of the node" 'provisioning-config.yaml: cloud-config'
exits "diff --reveal" 1 osm-gen diff --reveal --repo "$repo"
has "names a file of the node" '^\+\+\+ b/out/edge-eu-1/.*-provisioning-config.yaml: cloud-config: /opt/bin/setup$'
has "its old line" '^-.*1\.35\.2'
has "its new line" '^\+.*1\.34\.9'
hasnt "no ciphertext" '^[-+].*ENC\['
hasnt "no file that is equal" 'cloud-config: /etc/sysctl.d/k8s.conf'
same "nothing is written" "" "$(git -C "$repo" status --porcelain)"
cp "$scratch/out" "$scratch/by-diff"
exits "with JSON it would not be shown" 64 osm-gen diff --reveal -o json --repo "$repo"

# ---- who may not -----------------------------------------------------------------------------------
exits "without an identity" 3 env -u SOPS_AGE_KEY_FILE osm-gen diff --reveal --repo "$repo"
says "it names the variables" "set SOPS_AGE_KEY_FILE to a file with an age identity"
exits "another's identity" 3 env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY="$(osm-gen keygen identity | grep AGE-SECRET)" osm-gen diff --reveal --repo "$repo"
same "and prints nothing" "" "$(cat "$scratch/out")"
says "it names a file" "/worker/"
exits "without the seed" 3 env -u OSM_GEN_SEAL_SEED osm-gen diff --reveal --repo "$repo"
says "it names the seed" "OSM_GEN_SEAL_SEED"
exits "check has no such option" 64 osm-gen check --reveal --repo "$repo"

# ---- git itself ------------------------------------------------------------------------------------
printf 'out/*/*/**/secret-*.yaml diff=osm-gen\n' >"$repo/.gitattributes"
commit_all "$repo" attributes
exits "the new output" 0 osm-gen generate -q --repo "$repo"
git -C "$repo" config diff.osm-gen.textconv 'osm-gen unseal --textconv'
git -C "$repo" config diff.osm-gen.xfuncname '^==> (.*) <==$'
exits "git diff" 0 git -C "$repo" diff HEAD~1 -- out/edge-eu-1/worker
has "has the old line" '^-.*1\.35\.2'
has "and the new line" '^\+.*1\.34\.9'
has "below the name of the file" '^ ==> cloud-config: /opt/bin/setup.env <==$'
same "the same lines as diff --reveal" "$(grep -hE '^[-+][a-z].*1\.3(4\.9|5\.2)' "$scratch/by-diff" | sort -u)" \
	"$(grep -hE '^[-+][^-+].*1\.3(4\.9|5\.2)' "$scratch/out" | sort -u)"
# Nobody's key opens it: git goes on, and shows whose it is and that it changed.
for key in "$scratch/nobody" /dev/null "$scratch/not-there"; do
	[ "$key" = "$scratch/nobody" ] && osm-gen keygen identity >"$key" 2>/dev/null
	exits "git log -p with $(basename "$key")" 0 env SOPS_AGE_KEY_FILE="$key" git -C "$repo" log -p -2 -- out/edge-eu-1/worker
	has "whom it is sealed to" "^\\+Secret cloud-init-settings/.*, sealed to $recipient\$"
	has "that it changed" '^-not opened here; content [0-9a-f]{12}$'
	hasnt "no clear text" 'kube_version'
	same "nothing on stderr" "" "$(cat "$scratch/err")"
done
exits "a file that is not sealed is shown as it is" 0 osm-gen unseal --textconv "$repo/osm-gen.yaml"
ok "a file that is not sealed is shown as it is" cmp "$repo/osm-gen.yaml" "$scratch/out"
exits "a file that is not there" 3 osm-gen unseal --textconv "$repo/not-there.yaml"
sed 's/data:[A-Za-z0-9+\/]\{6\}/data:AAAAAA/' "$repo/$sealed" >"$scratch/changed.yaml"
exits "a file that somebody changed" 0 osm-gen unseal --textconv "$scratch/changed.yaml"
has "a file that somebody changed" '^not opened here; content'
exits "a new recipient alone" 1 env bash -c 'cd "$1" && new=$(osm-gen keygen identity 2>/dev/null | sed -n "s/^# public key: //p") &&
	sed -i "s/^    - age1/    - $new\n&/" osm-gen.yaml && git commit -qam more && osm-gen diff --reveal --rotate-recipients --no-proofs' _ "$repo"
has "changes no clear text" '^@@ sealed anew, with the same clear text @@$'
hasnt "of any file" 'provisioning-config.yaml: '

# ---- many: each change once ------------------------------------------------------------------------
repo=$(fleet many)
for i in $(seq 20); do
	sed "s/^  name: \(workers\|storage\)$/&-$i/" "$root/tests/fleet/edge-eu-1/machinedeployments.yaml" >"$repo/tests/fleet/edge-eu-1/more-$i.yaml"
done
commit_all "$repo" many
exits "generate many" 0 osm-gen generate -q --repo "$repo"
git -C "$repo" reset -q --hard
sed -i 's/kubelet: [0-9.]*/kubelet: 1.34.9/' "$repo"/tests/fleet/edge-eu-1/*.yaml
commit_all "$repo" "another kubelet"
exits "diff --reveal of many" 1 osm-gen diff --reveal --repo "$repo"
same "a change is shown once" 1 "$(grep -c '^+++ .*: cloud-config: /opt/bin/setup$' "$scratch/out")"
has "and counted" '^[0-9]+ more parts of sealed files change alike \(-v shows them\)$'
exits "all of them" 1 osm-gen diff --reveal -v --repo "$repo"
ok "with -v" test "$(grep -c '^+++ .*: cloud-config: /opt/bin/setup$' "$scratch/out")" -gt 20

# ---- Gardener's scripts, which have no clear output --------------------------------------------------
garden=$scratch/garden
mkdir "$garden"
sed '/^  delivery/d; /^  commit/,$d' "$root/osm-gen.yaml" >"$garden/osm-gen.yaml"
osc() { # TEXT
	cat >"$garden/osc.yaml" <<YAML
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: pool-a-init, namespace: shoot}
spec:
  type: ubuntu
  purpose: provision
  files:
  - path: /opt/agent
    permissions: 0755
    content: {inline: {encoding: "", data: "#!/bin/sh\n$1\n"}}
YAML
}
osc "echo a line of before"
git -C "$garden" -c init.defaultBranch=main init -q
commit_all "$garden" inputs
exits "generate for Gardener" 0 osm-gen generate -q --repo "$garden"
git -C "$garden" reset -q --hard
result=$(cd "$garden" && git ls-files | grep 'secret-osc-result' | head -n 1)
exits "unseal --decode of a script" 0 osm-gen unseal --decode "$garden/$result"
has "has its files' lines decoded" '^    \| '
osc "echo a line of now"
commit_all "$garden" "a line"
exits "diff --reveal for Gardener" 1 osm-gen diff --reveal --repo "$garden"
has "shows the line in the script" '^\+    \| echo a line of now$'
has "and the one of before" '^-    \| echo a line of before$'
finish
