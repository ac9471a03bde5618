# Sourced by run.sh: the rules and schemas of ci/recipes/policy, by conftest and kubeconform, and the commands of docs/howto/policy.md.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

policy=$root/ci/recipes/policy
(cd "$here/policy" && go build -mod=readonly -o "$work/bin/" tool) >"$work/policy.log" 2>&1 ||
	give_up "conftest and kubeconform cannot be had: $(tail -n 3 "$work/policy.log")"

# The example repository, with the mirrors that the rules permit.
mkdir "$scratch/policy" "$scratch/policy/bin"
ln -s "$program" "$scratch/policy/bin/osm-gen"
"$program" init -q "$scratch/policy/fleet" --example --keys "$scratch/policy/keys" >/dev/null
cp -r "$policy" "$scratch/policy/fleet/policy"
recipient=$(sed -n 's/^# public key: //p' "$scratch/policy/keys/identity.txt")
sed -i "s/age1[a-z0-9]*/$recipient/" "$scratch/policy/fleet/policy/data.yaml"
printf '/policy/\n' >>"$scratch/policy/fleet/.osm-gen-ignore"
commit_all "$scratch/policy/fleet" start
exits "policy: the output" 0 env -u OSM_GEN_SEAL_SEED OSM_GEN_SEAL_SEED_FILE="$scratch/policy/keys/seed.txt" "$program" generate -q --repo "$scratch/policy/fleet"

in_fleet() { (cd "$scratch/policy/fleet" && PATH=$scratch/policy/bin:$work/bin:$PATH bash -euo pipefail -c "$1"); }
commands() { # NAME: a block of the page
	sed -n "/^<!-- policy: $1 -->/,/^<!-- end -->/p" "$root/docs/howto/policy.md" | sed '/^<!--/d; /^```/d; /^$/d'
}
refused() { # NAME FILE MESSAGE: both programs refuse a changed file, and conftest prints the message
	ok "policy: $1: kubeconform refuses it" conform "$2"
	exits "policy: $1: conftest refuses it" 1 in_fleet "conftest test --no-color -p policy/osm-gen.rego -d policy/data.yaml $2"
	ok "policy: $1: and names it" grep -qF "$3" "$scratch/out"
	git -C "$scratch/policy/fleet" checkout -q -- "$2"
}
conform() { # FILE: kubeconform finds a mistake in it
	! in_fleet "kubeconform -strict -schema-location 'policy/schemas/{{.ResourceKind}}{{.KindSuffix}}.json' $1"
}

ok "policy: the page has commands" test "$(commands output | wc -l)" -ge 2 -a "$(commands mirrors | wc -l)" -ge 1
exits "policy: the output is as the rules want it" 0 in_fleet "$(commands output)"
ok "policy: every file is checked" grep -qE 'Valid: [1-9][0-9]*, Invalid: 0, Errors: 0, Skipped: 0' "$scratch/out"
same "policy: none was left out" "$(find "$scratch/policy/fleet/out" -name '*.yaml' | wc -l)" "$(sed -n 's/^Summary: \([0-9]*\) resources.*/\1/p' "$scratch/out")"

secret=out/staging/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
sed -i 's/^    cloud-config: .*/    cloud-config: clear/' "$scratch/policy/fleet/$secret"
refused "a clear value" "$secret" "stringData.cloud-config is not sealed"
sed -i '/^sops:/,$d' "$scratch/policy/fleet/$secret"
refused "a Secret that SOPS did not make" "$secret" "without the part of SOPS"
role=$(cd "$scratch/policy/fleet" && echo out/staging/worker/cloud-init-settings/role-*.yaml)
sed -i 's/^  - get$/  - get\n  - delete/; s/verbs: \[.*/verbs: [get, delete]/' "$scratch/policy/fleet/$role"
refused "a Role that permits more" "$role" "delete"
sed -i "s/$recipient/age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk/" "$scratch/policy/fleet/policy/data.yaml"
exits "policy: another recipient" 1 in_fleet "conftest test --no-color -p policy/osm-gen.rego -d policy/data.yaml $secret"
ok "policy: is named" grep -qF "$recipient may open it" "$scratch/out"

exits "policy: what comes from elsewhere" 1 in_fleet "$(commands mirrors)"
ok "policy: is named, with the setting" grep -qF "dl.k8s.io (KUBE_BINARIES_URL moves it)" "$scratch/out"
sed -i 's/^  - mirror.example.com$/&\n  - dl.k8s.io\n  - github.com\n  - download.docker.com\n  - registry.edge.example.com/' "$scratch/policy/fleet/policy/data.yaml"
exits "policy: hosts that are permitted" 0 in_fleet "$(commands mirrors)"
