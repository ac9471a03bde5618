#!/usr/bin/env bash
# An osm-gen.yaml whose values sops has encrypted (docs/howto/settings.md). The files in encrypted_settings/ were made by
# sops 3.13.2 for the test identity; tests/readers/settings.sh encrypts with several versions of sops.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
files=$here/encrypted_settings
keyless() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }
settings=tests/fleet/prod-us-1/osm-gen.yaml
proxy=TESTONLYproxy-us-5a1c
mirror=TESTONLYmirror-us-77d2
noproxy=TESTONLYnoproxy-9b0e
name=prod-us-1:spec.settings.nodeHTTPProxy
user_data() { # REPO CLUSTER: what the cluster's machines get
	(cd "$1" && "$program" unseal "out/$2"/worker/cloud-init-settings/secret-*.yaml) | python3 -c '
import base64, gzip, re, sys, yaml
def show(text):
    print(text.decode(errors="replace"))
    for part in re.findall(rb"[A-Za-z0-9+/]{24,}=*", text):
        try:
            part = base64.b64decode(part, validate=True)
        except ValueError:
            continue
        show(gzip.decompress(part) if part.startswith(b"\x1f\x8b") else part)
for document in yaml.load_all(sys.stdin, yaml.CSafeLoader):
    for key, text in sorted((document.get("data") or {}).items()):
        show(base64.b64decode(text))'
}
hides() { # NAME FILE...: no secret is in them
	local what=$1
	shift
	# shellcheck disable=SC2016 # the inner shell's
	ok "$what: no secret is shown" bash -c '! grep -rqE "$0" "$@"' "$proxy|$mirror|$noproxy" "$@"
}

# ---- decrypted -------------------------------------------------------------------------------------------
repo=$(fleet decrypted)
cp "$files/cluster.yaml" "$repo/$settings"
cp "$files/fleet.yaml" "$repo/osm-gen.yaml"
sed -i '/nodeNoProxy/d' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "encrypted settings"
exits "generate" 0 "$program" --repo "$repo" --report "json=$scratch/report.json" --report "html=$scratch/report.html"
hides "generate" "$repo/out" "$scratch/err" "$scratch/report.json" "$scratch/report.html"
ok "the proxy is a mark" grep -rqF "<sealed:$name>" "$repo/out/prod-us-1/management"
ok "so is what the Fleet gives" grep -rqF "<sealed:spec.defaults.nodeNoProxy>" "$repo/out/edge-eu-1/management"
user_data "$repo" prod-us-1 >"$scratch/unsealed"
for secret in "$proxy" "$mirror" "$noproxy"; do
	ok "$secret is in user-data" grep -qF "$secret" "$scratch/unsealed"
done
user_data "$repo" edge-eu-1 >"$scratch/unsealed"
ok "what the Fleet gives is in all user-data" grep -qF "$noproxy" "$scratch/unsealed"
ok "the Cluster's is not" bash -c "! grep -qE '$proxy|$mirror' '$scratch/unsealed'"
exits "check" 0 "$program" check --repo "$repo"
exits "check without proofs" 0 "$program" check --no-proofs --repo "$repo"
exits "a second run" 0 "$program" --repo "$repo"
says "a second run: nothing" "out is up to date"
for command in "config show" "config show -o json" list "list -o json" inventory doctor "plan -o json"; do
	# shellcheck disable=SC2086 # words
	"$program" $command --repo "$repo" >"$scratch/out" 2>"$scratch/err"
	hides "$command" "$scratch/out" "$scratch/err"
done
exits "config show" 0 "$program" config show prod-us-1 --repo "$repo"
ok "config show masks it" grep -qE '^  nodeHTTPProxy +\*\*\*  \(cluster, ' "$scratch/out"
exits "render" 0 "$program" render --machine-deployment prod-us-1/kube-system/workers --print osc --repo "$repo"
hides "render" "$scratch/out" "$scratch/err"
exits "render --reveal" 0 "$program" render --machine-deployment prod-us-1/kube-system/workers --print osc --reveal --repo "$repo"
ok "render --reveal shows it" grep -qF "$proxy" "$scratch/out"
base=$(git -C "$repo" rev-parse HEAD)

# The same values in the clear: machines get the same.
clear=$(fleet clear)
sed -i "s|nodeHTTPProxy:.*||; s|^    managementCluster: self|    managementCluster: self\n    nodeHTTPProxy: http://fleet:$proxy@proxy.prod-us-1.osm-gen.example:3128\n    nodeContainerdRegistryMirrors: {docker.io: ['https://fleet:$mirror@mirror.prod-us-1.osm-gen.example']}|" "$clear/$settings"
sed -i "s|^    clusterDNS:.*|&\n    nodeNoProxy: .svc,$noproxy.osm-gen.example|" "$clear/osm-gen.yaml"
commit_all "$clear" "the same in the clear"
exits "in the clear" 0 "$program" --repo "$clear"
same "user-data is the same" "$(user_data "$clear" prod-us-1 | sha256sum)" "$(user_data "$repo" prod-us-1 | sha256sum)"

# ---- other ways to choose what is encrypted ----------------------------------------------------------------
for file in mac unencrypted; do
	cp "$files/$file.yaml" "$repo/$settings"
	commit_all "$repo" "$file"
	exits "$file" 0 "$program" --repo "$repo"
	same "$file: the same output" "" "$(git -C "$repo" diff --stat "$base" HEAD -- out ':!out/*/index.json')"
	git -C "$repo" reset -q --hard "$base"
done

# ---- without keys ------------------------------------------------------------------------------------------
for command in validate plan diff "render --machine-deployment prod-us-1/kube-system/workers --print osc"; do
	# shellcheck disable=SC2086 # words
	exits "keyless: $command" 0 keyless $command --repo "$repo"
	says "keyless: $command" "warning[OSG2087]: encrypted settings are not decrypted here"
	says "keyless: $command: the MAC" "the MAC of the file is not checked"
done
exits "validate with an identity decrypts nothing" 0 "$program" validate --repo "$repo"
says "validate with an identity" "OSG2087"
for command in generate check diff; do
	exits "no identity: $command" 3 env -u SOPS_AGE_KEY_FILE "$program" $command --no-proofs --repo "$repo"
	says "no identity: $command" "$settings:14:1: note: so are these"
	says "no identity: $command: what to give" "set SOPS_AGE_KEY, or SOPS_AGE_KEY_FILE to a file of identities"
done
"$program" keygen identity >"$scratch/other.txt"
exits "another identity" 3 env SOPS_AGE_KEY_FILE="$scratch/other.txt" "$program" check --no-proofs --repo "$repo"
says "another identity" "error[OSG5041]"
sed -i 's/type:str\]/type:int]/' "$repo/$settings"
commit_all "$repo" "a type"
exits "types are checked" 2 keyless validate --repo "$repo"
says "types are checked" "error[OSG2107]: nodeHTTPProxy: must be a string"
git -C "$repo" reset -q --hard "$base"

# ---- what somebody changed ---------------------------------------------------------------------------------
edited() { # WHAT SED-SCRIPT STATUS [CODE]
	sed -i "$2" "$repo/$settings"
	commit_all "$repo" "$1"
	exits "$1" "$3" "$program" --repo "$repo"
	[ "${4:-}" ] && says "$1" "$4"
	hides "$1" "$scratch/err"
	git -C "$repo" reset -q --hard "$base"
}
edited "a clear value" 's/tokenRotation: .*/tokenRotation: "2026-12"/' 0
edited "a sealed value removed" '/^        nodeHTTPProxy:/d' 2 OSG5042
edited "a sealed value in the clear" 's|^        nodeHTTPProxy: .*|        nodeHTTPProxy: http://proxy.example:1|' 2 OSG5040
edited "moved to another setting" 's/^        nodeHTTPProxy:/        nodeNoProxy:/' 2 OSG5042
edited "the way to choose" 's/encrypted_regex: .*/encrypted_regex: ^nothing$/' 2 OSG50
edited "what the MAC covers" 's/mac_only_encrypted: true/mac_only_encrypted: false/' 2 OSG5042
cp "$files/mac.yaml" "$repo/$settings"
commit_all "$repo" "a MAC over all"
before=$base
base=$(git -C "$repo" rev-parse HEAD)
edited "a clear value under a MAC over all" 's/tokenRotation: .*/tokenRotation: "2026-12"/' 2 OSG5042
base=$before
git -C "$repo" reset -q --hard "$base"

# ---- what cannot be encrypted ------------------------------------------------------------------------------
refused() { # WHAT FILE TO TEXT
	cp "$files/$2" "$repo/$3"
	commit_all "$repo" "$1"
	for command in generate validate; do
		exits "$1: $command" 2 "$program" $command --repo "$repo"
		says "$1: $command" "error[OSG2076]: $4"
		same "$1: $command: one message" 1 "$(grep -c 'error\[' "$scratch/err")"
	done
	git -C "$repo" reset -q --hard "$base"
}
refused "recipients" recipients.yaml osm-gen.yaml "spec.defaults.clusterDNS cannot be encrypted"
refused "a name" names.yaml "$settings" "metadata.name cannot be encrypted"
refused "everything" everything.yaml "$settings" "this document of osm-gen.yaml is encrypted as a whole"

# ---- deputies: somebody without a key opens a pull request ---------------------------------------------------
evil=$(sed -n 's/^# public key: //p' "$scratch/other.txt")
edge=tests/fleet/edge-eu-1/osm-gen.yaml
attack() { # WHAT CODE: nothing is decrypted, nothing is written
	commit_all "$repo" "$1"
	exits "$1" 2 "$program" --repo "$repo"
	says "$1" "error[$2]"
	same "$1: nothing is committed" "$1" "$(git -C "$repo" log -1 --format=%s)"
	hides "$1" "$scratch/err"
	# A message about the MAC would come from a key that was used.
	sed -i 's/^    mac: ENC\[AES256_GCM,data:..../    mac: ENC[AES256_GCM,data:AAAA/' "$repo/osm-gen.yaml" "$repo/$settings" "$repo/$edge"
	commit_all "$repo" "$1, with a wrong MAC"
	exits "$1, with a wrong MAC" 2 "$program" --repo "$repo"
	ok "$1: nothing is decrypted" bash -c "! grep -qE 'OSG504[0-2]' '$scratch/err'"
	git -C "$repo" reset -q --hard "$base"
}
sed 's/name: prod-us-1/name: edge-eu-1/' "$repo/$settings" >"$repo/$edge"
attack "a copied file" OSG2022
exits "a copied file: the original is untouched" 0 "$program" check --repo "$repo"
sed -i "s/^    settings:/    sealing: {recipients: [$evil]}\n    settings:/" "$repo/$settings"
attack "other recipients" OSG5071
sed -i "s/^            - age1.*/            - $evil/" "$repo/osm-gen.yaml"
attack "other recipients of the Fleet" OSG5071
sed -i "s/name: prod-us-1/name: mine/; s/^    settings:/    sealing: {recipients: [$evil]}\n    settings:/" "$repo/$settings"
attack "another name, with recipients" OSG5072
mkdir "$repo/mine"
sed "s/name: edge-eu-1/name: mine/; s/^  settings:/  sealing: {recipients: [$evil]}\n  settings:/" "$repo/$edge" >"$repo/mine/osm-gen.yaml"
attack "a new cluster that the Fleet's value would reach" OSG5072

# ---- moved to a cluster with other recipients, which are known ------------------------------------------------
# SOPS binds a value to its key only, and the name of the cluster is clear.
sed -i "s/^  settings:/  sealing: {recipients: [$evil]}\n  settings:/" "$repo/$edge"
commit_all "$repo" "edge-eu-1 is somebody else's"
exits "recipients of its own" 0 "$program" generate -q --rotate-recipients --repo "$repo"
exits "a run without the option" 0 "$program" check --repo "$repo"
ok "the index lists what prod-us-1 had" jq -e '.encryptedSettings | length > 2' "$repo/out/prod-us-1/index.json"
ok "that of edge-eu-1 does not" jq -e '.encryptedSettings | not' "$repo/out/edge-eu-1/index.json"
base=$(git -C "$repo" rev-parse HEAD)
take() { # the names are exchanged, and who reads what stays as it is
	sed -i "s/name: prod-us-1/name: edge-eu-1/; s/^    settings:/    sealing: {recipients: [$evil]}\n    settings:/" "$repo/$settings"
	sed -i "s/name: edge-eu-1/name: prod-us-1/; /^  sealing:/d" "$repo/$edge"
}
take
attack "exchanged names" OSG2088
sed "s/name: prod-us-1/name: edge-eu-1/; s/^    settings:/    sealing: {recipients: [$evil]}\n    settings:/" "$repo/$settings" >"$repo/$edge"
cp "$root/$settings" "$repo/$settings"
attack "a moved file" OSG2088
sed -n '/^sops:/,$p' "$repo/$settings" >"$scratch/sops"
sed -n '/^        nodeHTTPProxy:/,/^sops:/p' "$repo/$settings" | sed '$d; s/^    //' >"$scratch/values"
sed -i "/nodeHTTPProxy/d; /nodeRegistryMirrors/d" "$repo/$edge"
cat "$scratch/values" "$scratch/sops" >>"$repo/$edge"
cp "$root/$settings" "$repo/$settings"
attack "moved values" OSG2088
# The owner is gone, and its index was edited: the history has the right one, and a shallow clone cannot see it.
for filter in 'del(.encryptedSettings)' '.encryptedSettings=[]' 'del(.recipientsDigest) | del(.encryptedSettings)'; do
	sed -i "/nodeHTTPProxy/d; /nodeRegistryMirrors/d; /^sops:/,\$d" "$repo/$edge"
	cat "$scratch/values" "$scratch/sops" >>"$repo/$edge"
	git -C "$repo" rm -rq "${settings%/*}"
	jq "$filter" "$repo/out/prod-us-1/index.json" >"$scratch/index.json"
	cp "$scratch/index.json" "$repo/out/prod-us-1/index.json"
	commit_all "$repo" "moved values, and $filter"
	exits "moved values, and $filter" 2 "$program" --repo "$repo"
	says "moved values, and $filter" "error[OSG2088]: cluster edge-eu-1 would get encrypted settings that were those of cluster prod-us-1"
	git clone -q --depth 1 "file://$repo" "$scratch/shallow-settings"
	exits "the same in a shallow clone" 2 "$program" --repo "$scratch/shallow-settings"
	says "the same in a shallow clone" "error[OSG2088]: cluster edge-eu-1 would get encrypted settings, and osm-gen cannot see"
	rm -rf "$scratch/shallow-settings"
	git -C "$repo" reset -q --hard "$base"
done
cp "$repo/osm-gen.yaml" "$scratch/fleet.yaml"
{
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {recipients: [%s]}\n  defaults:\n' "$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")"
	cat "$scratch/values" "$scratch/sops"
} >"$repo/osm-gen.yaml"
cp "$root/$settings" "$repo/$settings"
attack "moved into the Fleet" OSG2088
take
git -C "$repo" rm -rq out/prod-us-1
attack "exchanged names, the output of one removed" OSG2088
take
jq 'del(.encryptedSettings)' "$repo/out/prod-us-1/index.json" >"$scratch/index.json"
cp "$scratch/index.json" "$repo/out/prod-us-1/index.json"
commit_all "$repo" "exchanged names, and another index"
exits "exchanged names, and another index" 2 "$program" --repo "$repo"
says "exchanged names, and another index" "the recipients of cluster prod-us-1 are confirmed by no earlier run"
git -C "$repo" reset -q --hard "$base"
take
commit_all "$repo" "exchanged names, on purpose"
exits "exchanged names, on purpose" 0 "$program" generate -q --rotate-recipients --repo "$repo"
ok "then the index lists them" jq -e '.encryptedSettings | length > 2' "$repo/out/edge-eu-1/index.json"
git -C "$repo" reset -q --hard "$base"
finish
