#!/usr/bin/env bash
# A fork's pull request: a clone without the seed, without identities, without --secrets. plan, diff and
# render are useful there, and show nothing secret.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

cd "$scratch" || exit 1
canary=CANARY-GETTER-7f3a9e51c2d84b60
outside=CANARY-OUTSIDE-b1946ac92492d234
inline=CANARY-INLINE-0c8a1f6e5d7b3924

# What a maintainer has: one cluster takes its token from --secrets, one derives it; a credential stands in
# a MachineDeployment, and one in a Secret outside of the repository.
repo=$(fleet upstream)
rm "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
mkdir -p "$scratch/secrets/edge-eu-1" "$scratch/secrets/prod-us-1"
cat >"$scratch/secrets/edge-eu-1/token.yaml" <<END
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: $canary}
END
cat >"$scratch/secrets/prod-us-1/cloud.yaml" <<END
apiVersion: v1
kind: Secret
metadata: {name: cloud, namespace: kube-system}
stringData: {token: $outside}
END
mds=$repo/tests/fleet/prod-us-1/machinedeployments.yaml
sed -i "s/cloudProviderSpec: {region: nyc3, /&token: {secretKeyRef: {namespace: kube-system, name: cloud, key: token}}, /" "$mds"
sed -i "s/cloudProviderSpec: {region: us-east-1, /&secretAccessKey: $inline, /" "$mds"
commit_all "$repo" "credentials"
exits "the maintainer's run" 0 "$program" --repo "$repo" --secrets "$scratch/secrets"
exits "the maintainer's plan" 0 "$program" plan --repo "$repo" --secrets "$scratch/secrets"
same "has no word of seeds" "" "$(grep -i 'seed\|OSG2032' "$scratch/err")"

# ---- sizes are the same in every command that prints them --------------------------------------------------------
sizes() { # NAME COMMAND...: each unit's, of the JSON report, and the fullest one, of the summary
	local name=$1
	shift
	exits "$name" 0 "$program" "$@" --repo "$repo" --secrets "$scratch/secrets" --report "json=$scratch/$1.json"
	python3 -c 'import json, sys; print(*((u["cluster"], u["name"], u["bootstrap"], u["provisioning"]) for u in json.load(open(sys.argv[1]))["units"]), sep="\n")' \
		"$scratch/$1.json" >"$scratch/$name"
	grep "fullest user-data" "$scratch/err" >>"$scratch/$name"
}
sizes sizes-of-a-run generate --no-proofs
same "four units have sizes, and one is the fullest" "4 1" "$(grep -c "'bytes': [0-9]\{4,5\}," "$scratch/sizes-of-a-run") $(grep -c fullest "$scratch/sizes-of-a-run")"
sizes sizes-of-proofs generate
ok "a run that keeps all units: the same sizes" cmp "$scratch/sizes-of-a-run" "$scratch/sizes-of-proofs"
# validate has a stand-in of the token's length. It compresses a little better or worse.
sizes sizes-of-validate validate
compressed="('prod-us-1', 'workers',"
same "validate: the same sizes" "$(grep -vF "$compressed" "$scratch/sizes-of-a-run")" "$(grep -vF "$compressed" "$scratch/sizes-of-validate")"
bytes_of() { grep -F "$compressed" "$scratch/$1" | grep -o "[0-9]*, 'limit': 16384" | cut -d , -f 1; } # NAME
difference=$(($(bytes_of sizes-of-a-run) - $(bytes_of sizes-of-validate)))
ok "validate: of compressed user-data almost the same size (${difference#-})" test "${difference#-}" -le 16

unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE
shows_nothing() { # NAME: no canary in what was printed or reported
	# The inline one stands in the repository, in a line that diagnostics must not show either.
	same "$1: shows no secret" "" "$(grep -l -e "$canary" -e "$outside" -e "$inline" "$scratch"/out "$scratch"/err "$scratch"/report.* 2>/dev/null)"
	same "$1: nor in base64" "" "$(for secret in "$canary" "$outside" "$inline"; do grep -l -e "$(printf %s "$secret" | base64 -w 0 | cut -c 1-24)" "$scratch"/out "$scratch"/err "$scratch"/report.* 2>/dev/null; done)"
}
as_fork() { # NAME STATUS COMMAND...: without keys; nothing in the clone changes
	local name=$1 status=$2 before
	shift 2
	before=$(git -C "$fork" rev-parse HEAD; git -C "$fork" status --porcelain)
	rm -f "$scratch"/report.*
	exits "$name" "$status" "$program" "$@" --repo "$fork"
	same "$name: nothing is changed" "$before" "$(git -C "$fork" rev-parse HEAD; git -C "$fork" status --porcelain)"
	shows_nothing "$name"
}
classes() { python3 -c 'import json, sys; print("; ".join("%s/%s %s" % (u["cluster"], u["name"], u["class"]) for u in json.load(open(sys.argv[1]))["units"] if u["class"] != "NONE"))' "$scratch/out"; }

git clone -q "$repo" "$scratch/fork"
fork=$scratch/fork
mds=$fork/tests/fleet/prod-us-1/machinedeployments.yaml

as_fork "nothing changes: diff" 0 diff
same "nothing changes: no text" "" "$(cat "$scratch/out")"
says "nothing changes: what is not known is said" "warning[OSG2032]: there is no seed: secrets are placeholders; it is unknown what happens to 2 MachineDeployments, and 12 files are not compared"
says "nothing changes: as far as is known" "up to date, as far as it was compared"
as_fork "nothing changes: plan" 0 plan
same "nothing changes: nothing is calm that is not known" "2 MachineDeployments may change (secrets are not compared without the seed)" "$(head -n 1 "$scratch/out")"
ok "nothing changes: why it is not known" grep -qE "^UNKNOWN: the output is not what commit [0-9a-f]{12} gives here: its run had other options, or secrets that are not in the repository in 2 MachineDeployments of edge-eu-1" "$scratch/out"
as_fork "nothing changes: plan of one cluster" 0 plan --cluster prod-us-1
same "nothing changes: what has the same inputs is known" "no machine is replaced, and no user-data changes" "$(head -n 1 "$scratch/out")"
as_fork "generate needs the seed" 3 generate
as_fork "so does check" 3 check
as_fork "so does a look behind the marks" 3 render --machine-deployment prod-us-1/kube-system/workers --print bootstrap --reveal
for part in osc bootstrap provisioning; do
	as_fork "render $part" 0 render --machine-deployment edge-eu-1/kube-system/workers --print "$part"
	ok "render $part: something" test -s "$scratch/out"
	says "render $part: the note" "OSG2032"
done

sed -i '0,/kubelet: 1.33.5/s//kubelet: 1.33.6/' "$mds"
sed -i '0,/SystemReserved: cpu=200m,memory=512Mi/s//SystemReserved: cpu=300m,memory=512Mi/' "$mds"
commit_all "$fork" "a contribution"
as_fork "a contribution: diff" 1 diff --report "json=$scratch/report.json" --report "markdown=$scratch/report.md"
ok "a contribution: the text" grep -qF "v1.33.6" "$scratch/out"
same "a contribution: no mark differs" "" "$(grep '^[-+].*<sealed:' "$scratch/out")"
as_fork "a contribution: plan" 0 plan -o json
unknown="edge-eu-1/storage UNKNOWN; edge-eu-1/workers UNKNOWN"
# The template of `workers` has a credential, and its digest a key: the commit that made the output tells that it stays.
same "a contribution: classes" "$unknown; prod-us-1/build ROLL; prod-us-1/workers NEW-NODES-ONLY" "$(classes)"
ok "a contribution: the plan says what it lacks" python3 - "$scratch/out" <<'END'
import json, sys
plan = json.load(open(sys.argv[1]))
assert plan["withoutSeed"] is True and plan["notCompared"] == 24, plan
assert not any("templateUnknown" in unit for unit in plan["units"]), plan["units"]
assert {"secrets that are not in the repository" in unit.get("reason", "") for unit in plan["units"] if unit["cluster"] == "edge-eu-1"} == {True}
END

git -C "$fork" reset -q --hard HEAD~1
sed -i 's/^  version: .*/  version: v99.0.0/' "$fork/profiles/ubuntu.yaml"
commit_all "$fork" "a profile's version"
as_fork "a profile's version: plan" 0 plan -o json
same "a profile's version: not the template" "$unknown; prod-us-1/build METADATA; prod-us-1/workers METADATA" "$(classes)"

sed -i 's/readonly default_cri_tools_version=/&""/' "$fork/profiles/ubuntu.yaml"
commit_all "$fork" "a profile's script"
as_fork "a profile's script: plan" 0 plan -o json
same "a profile's script: no machine rolls" "$unknown; prod-us-1/build NEW-NODES-ONLY; prod-us-1/workers NEW-NODES-ONLY" "$(classes)"
git -C "$fork" reset -q --hard HEAD~1

git -C "$fork" reset -q --hard HEAD~1
sed '/^---$/,$d; s/name: workers/name: more/' "$mds" >"$fork/tests/fleet/prod-us-1/more.yaml"
git -C "$fork" rm -q -r tests/fleet/edge-eu-1
commit_all "$fork" "one more, a cluster less"
as_fork "what comes and goes: plan" 0 plan -o json
same "what comes and goes" "prod-us-1/more ADD; edge-eu-1/storage REMOVE; edge-eu-1/workers REMOVE" "$(classes)"
says "what comes and goes: much goes" "warning[OSG2031]"
as_fork "what comes and goes: diff" 1 diff
ok "what comes: its config" grep -qF "+++ b/out/prod-us-1/management/kube-system/operatingsystemconfig-more-kube-system-config.yaml" "$scratch/out"
ok "what goes: its files" grep -qF -- "--- a/out/edge-eu-1/worker/kustomization.yaml" "$scratch/out"

# ---- the other ways to keep an OperatingSystemConfig, and inputs that are encrypted --------------------------
OSM_GEN_SEAL_SEED=$(grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt")
for osc in sealed patch; do
	sed -i '/^    osc: /d' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
	sed -i "s/^    managementCluster: self/&\n    osc: $osc/" "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
	commit_all "$repo" "osc: $osc"
	exits "osc $osc: the maintainer's run" 0 env OSM_GEN_SEAL_SEED="$OSM_GEN_SEAL_SEED" "$program" --repo "$repo" --secrets "$scratch/secrets"
	rm -rf "$scratch/fork"
	git clone -q "$repo" "$scratch/fork"
	as_fork "osc $osc: diff" 0 diff
	as_fork "osc $osc: plan" 0 plan
done

# A bootstrap token that sops encrypted: one that osm-gen sealed itself serves.
repo=$(fleet encrypted)
exits "encrypted: a first run" 0 env OSM_GEN_SEAL_SEED="$OSM_GEN_SEAL_SEED" "$program" --repo "$repo"
token=$(grep -l 'kube-system-build' "$repo"/out/prod-us-1/worker/kube-system/secret-bootstrap-token-*.yaml | head -n 1)
sed 1d "$token" >"$repo/tests/fleet/prod-us-1/token.yaml"
commit_all "$repo" "a token, encrypted"
exits "encrypted: the maintainer's run" 0 env OSM_GEN_SEAL_SEED="$OSM_GEN_SEAL_SEED" SOPS_AGE_KEY_FILE="$root/tests/keys/TEST-ONLY-identity.txt" "$program" --repo "$repo"
ok "encrypted: it is used" grep -q "<sealed:kube-system/bootstrap-token-" "$repo"/out/prod-us-1/management/kube-system/operatingsystemconfig-build-*.yaml
rm -rf "$scratch/fork"
git clone -q "$repo" "$scratch/fork"
as_fork "encrypted: diff" 0 diff
as_fork "encrypted: plan" 0 plan
ok "encrypted: nothing is concerned" grep -q "^no machine is replaced, and no user-data changes" "$scratch/out"

# ---- objects that are sealed are no resources of Argo CD's, whether or not they can be made
repo=$(fleet argocd)
printf '  delivery: {applier: argocd, source: {url: "https://git.osm-gen.example/fleet.git"}, managementNamespace: exists}\n' >>"$repo/osm-gen.yaml"
sed -i 's/^  defaults:$/&\n    osc: sealed/' "$repo/osm-gen.yaml"
commit_all "$repo" "osc: sealed, for Argo CD"
exits "osc: sealed for Argo CD" 0 env OSM_GEN_SEAL_SEED="$OSM_GEN_SEAL_SEED" "$program" --repo "$repo"
exits "nothing differs" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"

# ---- a side is cut, and put together again: what is sealed has moved, and does not look like removed
sed -i '/applier: argocd/d; s/osc: sealed/osc: patch/' "$repo/osm-gen.yaml"
for bound in 2 0; do
	exits "osc: patch" 0 env OSM_GEN_SEAL_SEED="$OSM_GEN_SEAL_SEED" "$program" --repo "$repo"
	sed -i '/delivery:/d' "$repo/osm-gen.yaml"
	printf '  delivery: {maxUnits: %d}\n' "$bound" >>"$repo/osm-gen.yaml"
	commit_all "$repo" "maxUnits: $bound"
	exits "maxUnits: $bound" 1 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo" -v
	ok "profiles have moved" grep -q '^--- a/out/.*operatingsystemprofile' "$scratch/out"
	ok "no patch is removed" bash -c "! grep -q '^--- a/out/.*\.sealed' '$scratch/out'"
done
unset OSM_GEN_SEAL_SEED

finish
