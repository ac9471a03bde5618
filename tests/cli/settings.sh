#!/usr/bin/env bash
# What there is and how it is set: list, config show, the settings' reference and their JSON Schema.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet settings)
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE # nothing here needs a key

# ---- list ------------------------------------------------------------------------------------------
exits "list" 0 "$program" list --repo "$repo"
same "its table" 'CLUSTER    NAMESPACE/NAME       PROVIDER      OS      PROFILE            KUBELET  REPLICAS
edge-eu-1  kube-system/storage  hetzner       ubuntu  osp-ubuntu v1.2.0  1.35.2   3
edge-eu-1  kube-system/workers  hetzner       ubuntu  osp-ubuntu v1.2.0  1.35.2   3
prod-us-1  kube-system/build    digitalocean  ubuntu  osp-ubuntu v1.2.0  1.33.5   3
prod-us-1  kube-system/workers  aws           ubuntu  osp-ubuntu v1.2.0  1.34.1   3' "$(cat "$scratch/out")"
exits "list -o json" 0 "$program" list --repo "$repo" -o json
same "its units" '["edge-eu-1/storage","edge-eu-1/workers","prod-us-1/build","prod-us-1/workers"]' \
	"$(jq -c '[.units[] | .cluster + "/" + .name]' "$scratch/out")"
same "one of them" '["MachineDeployment","kube-system","aws","ubuntu","osp-ubuntu","v1.2.0","1.34.1",3]' \
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
