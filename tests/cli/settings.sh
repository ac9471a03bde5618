#!/usr/bin/env bash
# What there is and how it is set: list, config show, the settings' reference and their JSON Schema.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet settings)
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE # nothing here needs a key

# ---- list ------------------------------------------------------------------------------------------
exits "list" 0 "$program" list --repo "$repo"
same "its table" 'CLUSTER    NAMESPACE/NAME       PROVIDER      OS      PROFILE            KUBELET  REPLICAS
edge-eu-1  kube-system/storage  hetzner       ubuntu  osp-ubuntu v1.4.0  1.35.2   3
edge-eu-1  kube-system/workers  hetzner       ubuntu  osp-ubuntu v1.4.0  1.35.2   3
prod-us-1  kube-system/build    digitalocean  ubuntu  osp-ubuntu v1.4.0  1.33.5   3
prod-us-1  kube-system/workers  aws           ubuntu  osp-ubuntu v1.4.0  1.34.1   3' "$(cat "$scratch/out")"
exits "list -o json" 0 "$program" list --repo "$repo" -o json
same "its units" '["edge-eu-1/storage","edge-eu-1/workers","prod-us-1/build","prod-us-1/workers"]' \
	"$(jq -c '[.units[] | .cluster + "/" + .name]' "$scratch/out")"
same "one of them" '["MachineDeployment","kube-system","aws","ubuntu","osp-ubuntu","v1.4.0","1.34.1",3]' \
	"$(jq -c '.units[3] | [.kind,.namespace,.provider,.operatingSystem,.profile,.profileVersion,.kubeletVersion,.replicas]' "$scratch/out")"
cp "$scratch/out" "$scratch/first"
exits "again, on one thread" 0 "$program" list --repo "$repo" -o json
ok "is the same" cmp "$scratch/out" "$scratch/first"

exits "a variable that is allowed" 0 env AZURE_CLIENT_SECRET=geheim "$program" list --repo "$repo" --allow-env AZURE_CLIENT_SECRET
ok "is not shown" bash -c "! grep -q geheim $scratch/out $scratch/err"

# ---- config show -------------------------------------------------------------------------------------
shows() { # NAME TEXT: a line of the last output, spaces squeezed
	ok "$1" grep -qxF -- "$2" <(tr -s ' ' <"$scratch/out" | sed 's/^ //')
}
exits "config show CLUSTER" 0 "$program" config show edge-eu-1 --repo "$repo"
shows "of the fleet" 'clusterDNS ["10.10.10.10"] (fleet, osm-gen.yaml:6)'
shows "of the cluster" 'externalCloudProvider true (cluster, tests/fleet/edge-eu-1/osm-gen.yaml:8)'
shows "the default" 'namespace kube-system (default)'
shows "no default" 'pauseImage - (default)'
ok "of this cluster alone" bash -c "! grep -q 'cluster prod-us-1' $scratch/out"
key=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk
shows "how it is sealed" 'sealing.format sops (fleet, osm-gen.yaml:8)'
shows "to whom" "sealing.recipients $key (fleet, osm-gen.yaml:11)"
shows "the rest of that" 'sealing.roundLengths 1 (default)'
shows "what is the fleet's" 'fleet'
shows "whose commits" 'commit.author osm-gen sample fleet <fleet@osm-gen.example> (fleet, osm-gen.yaml:13)'
shows "no name of the fleet" 'sealing.fleet - (default)'
newest=$("$program" version -o json | jq .contracts.newest)
shows "the output contract" "contract $newest (default)"
shows "the guard" 'removalGuard.percent 30 (default)'
shows "a limit" 'limits.maxEntries 2000000 (default)'
exits "as JSON" 0 "$program" config show edge-eu-1 --repo "$repo" -o json
same "sealing" '[{"value":"sops","from":"fleet","at":"osm-gen.yaml:8"},["'"$key"'"],"fleet","osm-gen.yaml:11",{"value":1,"from":"default"}]' \
	"$(jq -c '.clusters[0].sealing | [.format, .recipients.value, .recipients.from, .recipients.at, .roundLengths]' "$scratch/out")"
same "what is the fleet's" '[["commit","limits","removalGuard","sealing","spec"],"osm-gen.yaml:13",{"value":3,"from":"default"},{"value":null,"from":"default"}]' \
	"$(jq -c '.fleet | [keys, .commit.author.at, .removalGuard.least, .sealing.fleet]' "$scratch/out")"
{
	echo '  removalGuard: {percent: 50}'
	echo "  contract: $newest"
	printf '  limits:\n    maxEntries: 1000\n    maxValues: 9000000\n'
} >>"$repo/osm-gen.yaml"
sed -i 's/^    format: sops/&\n    fleet: blue/' "$repo/osm-gen.yaml"
echo '  sealing: {recipients: ['"$key"'], roundLengths: 64}' >>"$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
exits "all of it set" 0 "$program" config show edge-eu-1 --repo "$repo" --worktree
shows "the fleet's name" 'sealing.fleet blue (fleet, osm-gen.yaml:9)'
shows "the guard's percent" 'removalGuard.percent 50 (fleet, osm-gen.yaml:15)'
shows "the guard's other part" 'removalGuard.least 3 (default)'
shows "the output contract that is written" "contract $newest (fleet, osm-gen.yaml:16)"
shows "a lower limit" 'limits.maxEntries 1000 (fleet, osm-gen.yaml:18)'
shows "a limit beside one by size" 'limits.maxValues 9000000 (fleet, osm-gen.yaml:19)'
shows "a limit by size" 'limits.maxSteps by size (default)'
shows "the cluster's own recipients" "sealing.recipients $key (cluster, tests/fleet/edge-eu-1/osm-gen.yaml:12)"
shows "beside the fleet's format" 'sealing.format sops (fleet, osm-gen.yaml:8)'
shows "the cluster's lengths" 'sealing.roundLengths 64 (cluster, tests/fleet/edge-eu-1/osm-gen.yaml:12)'
sed -i '/recipients:/,/age1/d' "$repo/osm-gen.yaml"
git -C "$repo" checkout -q tests
printf 'creation_rules:\n- path_regex: nothing\n  age: age1nobody\n- age: %s\n' "$key" >"$repo/.sops.yaml"
exits "recipients of .sops.yaml" 0 "$program" config show edge-eu-1 --repo "$repo" --worktree
shows "have its line" "sealing.recipients $key (rule, .sops.yaml:4)"
exits "and as JSON" 0 "$program" config show edge-eu-1 --repo "$repo" --worktree -o json
same "too" '{"value":["'"$key"'"],"from":"rule","at":".sops.yaml:4"}' "$(jq -c '.clusters[0].sealing.recipients' "$scratch/out")"
cp tests/keys/TEST-ONLY-sealed-secrets.crt "$repo/controller.crt"
sed -i 's/format: sops/format: sealed-secrets\n    certificate: controller.crt/' "$repo/osm-gen.yaml"
exits "a certificate" 0 "$program" config show edge-eu-1 --repo "$repo" --worktree
shows "is named" 'sealing.certificate controller.crt (fleet, osm-gen.yaml:9)'
shows "with its scope" 'sealing.scope strict (default)'
rm "$repo/.sops.yaml" "$repo/controller.crt"
git -C "$repo" checkout -q .
exits "a flag" 0 "$program" config show --repo "$repo" --cluster-dns 10.0.0.53 --node-http-proxy http://user:geheim@proxy:3128
shows "wins" 'clusterDNS 10.0.0.53 (flag, --cluster-dns)'
shows "the user of a proxy is masked" 'nodeHTTPProxy http://***@proxy:3128 (flag, --node-http-proxy)'
ok "all clusters" grep -qx 'cluster prod-us-1' "$scratch/out"
sed -i 's|http://proxy|http://user:geheim@proxy|' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
for format in text json; do
	exits "a proxy's password in a file, $format" 0 "$program" config show edge-eu-1 --repo "$repo" --worktree -o $format
	ok "is masked" bash -c "grep -q 'http://\*\*\*@proxy' $scratch/out && ! grep -q geheim $scratch/out $scratch/err"
done
same "as JSON" '{"value":"http://***@proxy.edge-eu-1.osm-gen.example:3128","from":"cluster","at":"tests/fleet/edge-eu-1/osm-gen.yaml:9"}' \
	"$(jq -c '.clusters[0].settings.nodeHTTPProxy' "$scratch/out")"
git -C "$repo" checkout -q .
exits "a null" 0 bash -c "sed -i 's/externalCloudProvider: true/externalCloudProvider: null/' '$repo/tests/fleet/edge-eu-1/osm-gen.yaml' &&
	'$program' config show edge-eu-1 --worktree --repo '$repo'"
shows "sets nothing" 'externalCloudProvider false (default)'
git -C "$repo" checkout -q .
exits "a misspelt cluster" 64 "$program" config show edge-eu1 --repo "$repo"
says "has a nearest name" "did you mean edge-eu-1?"
exits "config without a word" 64 "$program" config
exits "config nonsense" 64 "$program" config nonsense
exits "wrong inputs" 2 bash -c "echo 'nonsense: 1' >>'$repo/osm-gen.yaml'; '$program' config show --worktree --repo '$repo'"
same "show nothing" "" "$(cat "$scratch/out")"
same "nor does list" "2" "$("$program" list --worktree --repo "$repo" >"$scratch/out" 2>/dev/null; echo $?)$(cat "$scratch/out")"
exits "settings are nothing to list" 64 "$program" list --cluster-dns 10.0.0.1
exits "--keys is nothing to list" 64 "$program" list --keys x

# ---- the reference and the schema ---------------------------------------------------------------------
cd "$root" || exit 1
exits "the committed reference is what the program prints" 0 env OSM_GEN="$program" ci/settings --check
if python3 -c 'import jsonschema, yaml' 2>/dev/null; then
	exits "the schema refuses and takes what osm-gen does" 0 python3 tests/cli/_schema.py "$program" "$scratch" "$root"
	ok "in many cases" grep -qE '^schema: [0-9]{3,} passed, 0 failed' "$scratch/out"
else
	skip "python3-jsonschema is not installed"
fi
finish
