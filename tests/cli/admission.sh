#!/usr/bin/env bash
# What the controller's webhooks hold: profiles change with their version only, configurations are
# replaced as wholes.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet immutable)
profile=$repo/profiles/ubuntu.yaml
version=$(sed -n 's/^  version: //p' "$profile")
exits "the first output" 0 "$program" --repo "$repo"
exits "validate" 0 "$program" validate --repo "$repo"

# ---- what counts as a change -----------------------------------------------------------------------
sed -i 's/^spec:/spec: # a comment/' "$profile"
commit_all "$repo" "a comment"
exits "a comment is no change" 0 "$program" --repo "$repo"

sed -i '0,/^\( *\)#!.*bash$/s//&\n\1# changed/' "$profile"
exits "a profile being tried out" 0 "$program" --repo "$repo" render --worktree \
	--machine-deployment edge-eu-1/kube-system/workers --print osc
exits "the work tree is compared with the commit" 2 "$program" --repo "$repo" --worktree
says "at the version" "profiles/ubuntu.yaml:$(grep -n '^  version:' "$profile" | cut -d: -f1):12: error[OSG4025]"
commit_all "$repo" "the same version"
head=$(git -C "$repo" rev-parse HEAD)
for command in generate check diff validate; do
	exits "$command refuses a changed profile of the same version" 2 "$program" "$command" --repo "$repo"
	says "and says so" "error[OSG4025]: the profile was changed, but its version is $version as before"
	says "where it changed" "content.inline.data differs from out/"
	says "how often" "the same in 1 more cluster"
	says "the remedy" "help: set version: v"
	same "once" "1" "$(grep -c OSG4025 "$scratch/err")"
done
exits "without a commit" 2 "$program" --repo "$repo" --no-commit
exits "without a seed" 2 env -u OSM_GEN_SEAL_SEED "$program" validate --repo "$repo"
says "validate finds it without a seed" "error[OSG4025]"
same "nothing moved" "$head" "$(git -C "$repo" rev-parse HEAD)"
same "nothing written" "" "$(git -C "$repo" status --porcelain)"
exits "an output that is not there yet" 0 "$program" --repo "$repo" --out elsewhere --no-commit
rm -rf "$repo/elsewhere"

# ---- a bare clone, an output outside ---------------------------------------------------------------
git clone -q --bare "$repo" "$scratch/bare.git"
exits "a bare repository" 2 "$program" --repo "$scratch/bare.git"
says "compares as well" "error[OSG4025]"
git clone -q "$repo" "$scratch/exported"
git -C "$scratch/exported" checkout -q HEAD^
exits "an export" 0 "$program" --repo "$scratch/exported" --out "$scratch/export"
git -C "$scratch/exported" checkout -q main
exits "an export over another" 2 "$program" --repo "$scratch/exported" --out "$scratch/export"
says "compares with what is there" "error[OSG4025]"

# ---- a new version, a former file removed ----------------------------------------------------------
git clone -q "$repo" "$scratch/removed"
git -C "$scratch/removed" rm -q -r out/*/management/kube-system/operatingsystemprofile-*
commit_all "$scratch/removed" "profiles are to be made anew"
exits "a profile without former file" 0 "$program" --repo "$scratch/removed"
sed -i 's/^  version: .*/  version: v77.0.0/' "$profile"
commit_all "$repo" "another version"
exits "a new version" 0 "$program" --repo "$repo"
exits "and again" 0 "$program" check --repo "$repo"

# ---- an embedded profile under the version of the repository's own ---------------------------------
git clone -q "$repo" "$scratch/embedded"
embedded=$("$program" profiles show osp-ubuntu | sed -n 's/^  version: //p')
sed -i "s/^  version: .*/  version: $embedded/" "$scratch/embedded/profiles/ubuntu.yaml"
git -C "$scratch/embedded" rm -q -r --cached out
rm -rf "$scratch/embedded/out"
commit_all "$scratch/embedded" "as if made by another osm-gen"
exits "another osm-gen's output" 0 "$program" --repo "$scratch/embedded"
git -C "$scratch/embedded" rm -q profiles/ubuntu.yaml
commit_all "$scratch/embedded" "the profile inside the program"
exits "the embedded profile" 2 "$program" --repo "$scratch/embedded"
says "is named as such" "profiles/ubuntu.yaml"
says "with a remedy that can be followed" "profiles show osp-ubuntu"

# ---- a seed is changed: its fingerprints are no change ---------------------------------------------
sed -i 's/^  provisioningConfig:/&\n    modules:\n      rh_subscription: {username: u, password: 0123-plant-4567}/' "$profile"
sed -i 's/^  version: .*/  version: v78.0.0/' "$profile"
commit_all "$repo" "a profile with a secret"
exits "a profile with a secret" 0 "$program" --repo "$repo" --report markdown="$scratch/report.md"
other=$("$program" keygen seed)
export OSM_GEN_SEAL_SEED=$other
exits "sealed with another seed" 0 "$program" --repo "$repo" --rotate-seed

# ---- configurations ---------------------------------------------------------------------------------
for osc in "$repo"/out/*/management/*/operatingsystemconfig-*; do
	same "$(basename "$osc") is replaced as a whole" "    kustomize.toolkit.fluxcd.io/force: Enabled" \
		"$(grep fluxcd.io/force "$osc")"
done
same "profiles are not" "" "$(grep -l fluxcd.io/force "$repo"/out/*/management/*/operatingsystemprofile-*)"

# ---- how full the user-data is ------------------------------------------------------------------------
index=$repo/out/edge-eu-1/index.json
bootstrap=$(jq -c '[.files[] | select(.path | endswith("secret-workers-kube-system-bootstrap-config.yaml")) | .userData][0]' "$index")
same "index.json has the provider's limit" 32768 "$(jq .budget <<<"$bootstrap")"
ok "and what is used of it" test "$(jq .bytes <<<"$bootstrap")" -gt 500
same "and a Secret's" 1048576 "$(jq '[.files[] | select(.path | endswith("-provisioning-config.yaml")) | .userData.budget] | unique[]' "$index")"
exits "reports" 0 "$program" check --repo "$repo" --report json="$scratch/report.json"
row='.machineDeployments[] | select(.cluster == "edge-eu-1" and .name == "workers")'
same "the JSON report has both" "$(jq .bytes <<<"$bootstrap") 32768 1048576" \
	"$(jq -r "$row | \"\(.bootstrap.bytes) \(.bootstrap.limit) \(.provisioning.limit)\"" "$scratch/report.json")"
ok "the Markdown report too" grep -qF "$(jq .bytes <<<"$bootstrap" | sed 's/\(...\)$/,\1/') / 32,768 |" "$scratch/report.md"
sed -i 's/  settings:/  settings:\n    userDataLimits: {hetzner: 1000}/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "a lower limit"
exits "a limit of one's own" 2 "$program" check --repo "$repo"
says "is a limit" "limit: the setting userDataLimits"
exits "a flag overrides it" 1 "$program" check --repo "$repo" --user-data-limits hetzner=0
finish
