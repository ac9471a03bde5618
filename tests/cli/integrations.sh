#!/usr/bin/env bash
# The pages of Terraform and of secrets of a store: their commands, with a program that stands for kubectl. sops runs if it is there.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
program=$(realpath "$program")
mkdir "$scratch/bin" "$scratch/home"
ln -s "$program" "$scratch/bin/osm-gen"
export PATH=$scratch/bin:$PATH HOME=$scratch/home
commands() { # PAGE NAME: a block of docs/howto/PAGE
	sed -n "/^<!-- $2 -->/,/^<!-- end -->/p" "$root/docs/howto/$1.md" | sed '/^<!--/d; /^```/d'
}
in_fleet() { (cd "$scratch/fleet" && bash -euo pipefail -c "$1"); }

"$program" init -q "$scratch/fleet" --example --keys "$scratch/keys" >/dev/null
commit_all "$scratch/fleet" start
export OSM_GEN_SEAL_SEED_FILE=$scratch/keys/seed.txt

# ---- Terraform: its external data source takes an object of strings, and nothing else ---------------------------------
exits "the command" 0 in_fleet "$(commands terraform 'terraform: command')"
cp "$scratch/out" "$scratch/result"
ok "gives an object of strings" python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))
assert result and all(isinstance(value, str) for value in result.values()), result
assert result["unit"] == "production/kube-system/workers" and result["print"] == "bootstrap"
open(sys.argv[2], "w").write(result["text"])' "$scratch/result" "$scratch/text"
exits "as text" 0 "$program" render --repo "$scratch/fleet" --machine-deployment production/kube-system/workers --print bootstrap --reveal
ok "it is the same" cmp "$scratch/out" "$scratch/text"
ok "with the place of the name" grep -q '<MACHINE_NAME>' "$scratch/text"
exits "without --reveal" 0 "$program" render --repo "$scratch/fleet" --machine-deployment production/kube-system/workers --print bootstrap -o json
ok "secrets are masked" grep -q '<sealed:derived/kube-system-workers:token' "$scratch/out"
exits "a MachineDeployment that is not there" 2 "$program" render --repo "$scratch/fleet" --machine-deployment production/a/b --print bootstrap -o json
same "prints no object" "" "$(cat "$scratch/out")"
# The members that the page's table has.
same "the page has the members" "formatVersion print text unit" \
	"$(python3 -c 'import json, sys; print(*sorted(json.load(open(sys.argv[1]))))' "$scratch/result")"
for member in formatVersion print text unit; do
	ok "the page has $member" grep -qE "^\|.*\`$member\`" "$root/docs/howto/terraform.md"
done

# Terraform or OpenTofu itself, with the page's data source. The provider is not downloaded.
terraform=$(command -v terraform || command -v tofu)
if [ -n "$terraform" ] && provider=$(command -v terraform-provider-external); then
	mkdir "$scratch/terraform"
	ln -s "$scratch/fleet" "$scratch/terraform/fleet"
	sed -n '/^data "external"/,/^}/p' "$root/docs/howto/terraform.md" >"$scratch/terraform/main.tf"
	printf 'output "user_data" {\n  sensitive = true\n  value = %s\n}\n' \
		"$(sed -n 's/^ *user_data = //p' "$root/docs/howto/terraform.md")" >>"$scratch/terraform/main.tf"
	printf 'provider_installation {\n  dev_overrides { "hashicorp/external" = "%s" }\n  direct {}\n}\n' "$(dirname "$provider")" >"$scratch/terraformrc"
	in_terraform() { TF_CLI_CONFIG_FILE=$scratch/terraformrc CHECKPOINT_DISABLE=1 "$terraform" -chdir="$scratch/terraform" "$@"; }
	exits "Terraform reads the data source" 0 in_terraform apply -auto-approve -no-color
	exits "and gives a machine's user-data" 0 in_terraform output -no-color -raw user_data
	ok "with its name" cmp "$scratch/out" <(sed 's/<MACHINE_NAME>/worker-1/' "$scratch/text")
else
	skip "Terraform does not run: terraform (or tofu) and terraform-provider-external are not both on PATH"
fi

# ---- secrets of a store ------------------------------------------------------------------------------------------------
mv "$scratch/fleet/clusters/production" "$scratch/fleet/clusters/prod"
sed -i 's/name: production/name: prod/; s/^  settings:/&\n    nodeRegistryCredentialsSecret: kube-system\/registries/' "$scratch/fleet/clusters/prod/osm-gen.yaml"
printf 'apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: registries, namespace: kube-system}\nspec: {target: {name: registries}}\n' \
	>"$scratch/fleet/clusters/prod/external.yaml"
commit_all "$scratch/fleet" "credentials"
exits "an ExternalSecret alone" 2 "$program" generate --repo "$scratch/fleet"
says "is not enough" "OSG2105"
says "and named" "this ExternalSecret creates it"
cat >"$scratch/bin/kubectl" <<'SH'
#!/bin/sh
# `create` and `get` print the Secret; `create` reads its value from standard input.
case "$*" in *create*) value=$(cat) ;; *) value='{"username": "machine", "password": "canary-of-the-store"}' ;; esac
printf 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: registries\n  namespace: kube-system\ndata:\n  registry.example.com: %s\n' \
	"$(printf %s "$value" | base64 -w 0)"
SH
chmod +x "$scratch/bin/kubectl"
exits "a folder of Secrets" 0 in_fleet "$(commands external-secrets 'external-secrets: folder')"
says "commits" "osm-gen: committed"
ok "and no file has the value" bash -c "! grep -rqE 'canary-of-the-store|$(printf canary-of-the-store | base64)' '$scratch/fleet/out'"
exits "the node gets it" 0 env SOPS_AGE_KEY_FILE="$scratch/keys/identity.txt" "$program" unseal --decode \
	"$scratch/fleet/out/prod/worker/cloud-init-settings/secret-workers-kube-system-provisioning-config.yaml"
ok "as it is in the store" grep -q 'canary-of-the-store' "$scratch/out"

if command -v sops >/dev/null; then
	rm "$scratch/fleet/clusters/prod/external.yaml"
	commit_all "$scratch/fleet" "without the ExternalSecret"
	export REGISTRY='{"username": "machine", "password": "canary-of-the-repository"}' SOPS_AGE_KEY_FILE="$scratch/keys/identity.txt"
	exits "a Secret in the repository" 0 in_fleet "$(commands external-secrets 'external-secrets: repository')"
	says "is used" "osm-gen: committed"
	ok "and is encrypted" bash -c "! grep -rqE 'canary-of-the-rep|$(printf canary-of-the-rep | base64 | cut -c -20)' '$scratch/fleet/clusters' '$scratch/fleet/out'"
else
	skip "a Secret in the repository: sops is not installed"
fi
finish
