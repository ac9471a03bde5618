#!/usr/bin/env bash
# Inputs that real sops encrypted for keys that osm-gen does not use: of AWS KMS and Vault (fakes on loopback, _kms.py),
# of gpg, split over key groups. --allow-program sops lets sops decrypt them.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"

give_up() {
	echo "kms: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}
# shellcheck source=tests/readers/_sops.sh
. "$root/tests/readers/_sops.sh"
command -v gpg >/dev/null || give_up "gpg is not installed"

# ---- keys ------------------------------------------------------------------------------------------------
token=TESTONLY-vault-token-7c1e
head -c 32 /dev/urandom >"$scratch/kms.key"
python3 "$root/tests/readers/_kms.py" "$scratch/kms.key" "$scratch/kms.log" "$token" >"$scratch/kms.port" &
server=$!
export GNUPGHOME=$scratch/gnupg
finish() {
	kill "$server" 2>/dev/null
	gpgconf --homedir "$GNUPGHOME" --kill all 2>/dev/null
	rm -rf "$scratch"
}
trap finish EXIT
for ((i = 0; i < 100; i++)); do
	[ -s "$scratch/kms.port" ] && break
	sleep 0.1
done
url=http://127.0.0.1:$(cat "$scratch/kms.port")
arn=arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555
mkdir -m 700 "$GNUPGHOME"
gpg --batch -q --trust-model always --passphrase '' --quick-generate-key tester@osm-gen.example default default never 2>"$scratch/gpg.log" ||
	give_up "gpg makes no key: $(cat "$scratch/gpg.log")"
fingerprint=$(gpg --list-keys --with-colons 2>/dev/null | sed -n 's/^fpr:*\([0-9A-F]*\):$/\1/p' | head -n 1)
age=$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")
export AWS_ENDPOINT_URL=$url AWS_ACCESS_KEY_ID=AKIATESTONLY AWS_SECRET_ACCESS_KEY=TESTONLYaws AWS_REGION=eu-central-1
export VAULT_ADDR=$url VAULT_TOKEN=$token
vault=$url/v1/transit/keys/fleet

declare -A keys=(
	[aws]="--kms $arn"
	[context]="--kms $arn --encryption-context Role:ci"
	[vault]="--hc-vault-transit $vault"
	[pgp]="--pgp $fingerprint"
	[all]="--kms $arn --hc-vault-transit $vault --pgp $fingerprint"
)

# ---- a repository for each -------------------------------------------------------------------------------
value=TESTONLYencrypted0123456789abcdefg
plain() {
	cat <<YAML
apiVersion: v1
kind: Secret
metadata:
  name: cloud-init-getter-token
  namespace: cloud-init-settings
  labels: {number: "0042", on: "true"}
type: Opaque
immutable: true
data:
  token: $(printf %s "$value" | base64)
  empty: ""
YAML
}
encrypt() { # SOPS KEYS... : standard input to standard output
	local sops=$1
	shift
	"$sops" --encrypt --encrypted-regex '^(data|stringData)$' --input-type yaml --output-type yaml "$@" /dev/stdin
}
repo=$(fleet kms)
secret=$repo/tests/fleet/edge-eu-1/getter-token.yaml
plain | encrypt "$newest_sops" --age "$age" >"$secret"
commit_all "$repo" "age"
exits "for an age recipient" 0 "$program" --repo "$repo" --no-commit -q
mv "$repo/out" "$scratch/by-age"

use() { # VERSION: the program that PATH has
	mkdir -p "$scratch/path-$1"
	ln -sf "$root/build/sops/sops-$1" "$scratch/path-$1/sops"
	path=$scratch/path-$1:$PATH
}
run() { env PATH="$path" "$program" "$@" --repo "$repo"; }

for version in $sops_versions; do
	use "$version"
	for kind in aws context vault pgp all; do
		name="$version, $kind"
		# shellcheck disable=SC2086 # several words
		plain | encrypt "$root/build/sops/sops-$version" ${keys[$kind]} >"$secret" || ok "$name: encrypted" false
		commit_all "$repo" "$name"
		: >"$scratch/kms.log"
		exits "$name: without the option" 3 run generate --no-commit
		says "$name: names it" "--allow-program sops"
		same "$name: asks nobody" "" "$(cat "$scratch/kms.log")"
		exits "$name" 0 run generate --no-commit --allow-program sops --report "json=$scratch/report.json"
		says "$name: reports the program" "sops ${version#v} ($scratch/path-$version/sops) decrypted 1 file"
		ok "$name: in the report" grep -q "sops ${version#v} .* decrypted 1 file" "$scratch/report.json"
		ok "$name: the same output" diff -r "$scratch/by-age" "$repo/out"
		# A clear value that somebody edited: the MAC is of both.
		sed -i 's/0042/0043/' "$secret"
		commit_all "$repo" "$name, edited"
		exits "$name: edited" 2 run generate --no-commit --allow-program sops
		says "$name: edited" "OSG5042"
	done
done

# ---- values of all types, several documents ---------------------------------------------------------------
use "${sops_versions##* }"
{
	plain
	echo ---
	sed 's/cloud-init-getter-token/other/; s/immutable: true/immutable: false/' <(plain)
} | encrypt "$newest_sops" --kms "$arn" >"$secret"
commit_all "$repo" "two documents"
exits "two documents" 0 run generate --no-commit --allow-program sops
ok "two documents: the same output" diff -r "$scratch/by-age" "$repo/out"

# ---- key groups -------------------------------------------------------------------------------------------
cat >"$scratch/groups.yaml" <<YAML
creation_rules:
  - encrypted_regex: ^data\$
    shamir_threshold: 2
    key_groups:
      - kms: [{arn: "$arn"}]
      - hc_vault: ["$vault"]
      - pgp: ["$fingerprint"]
YAML
plain >"$scratch/groups-secret.yaml"
"$newest_sops" --config "$scratch/groups.yaml" --encrypt "$scratch/groups-secret.yaml" >"$secret"
commit_all "$repo" "groups"
exits "key groups: without the option" 3 run generate --no-commit
exits "key groups" 0 run generate --no-commit --allow-program sops
ok "key groups: the same output" diff -r "$scratch/by-age" "$repo/out"

# ---- an identity comes first --------------------------------------------------------------------------------
plain | encrypt "$newest_sops" --kms "$arn" --age "$age" >"$secret"
commit_all "$repo" "age, too"
: >"$scratch/kms.log"
exits "with an identity" 0 run generate --no-commit --allow-program sops
same "with an identity: sops is not asked" "" "$(cat "$scratch/kms.log")"
exits "without one" 0 env -u SOPS_AGE_KEY_FILE PATH="$path" "$program" --repo "$repo" --no-commit --allow-program sops
ok "without one: sops is asked" grep -q Decrypt "$scratch/kms.log"

# ---- keys that do not open it -------------------------------------------------------------------------------
plain | encrypt "$newest_sops" --hc-vault-transit "$vault" >"$secret"
commit_all "$repo" "vault"
exits "another token" 3 env VAULT_TOKEN=wrong PATH="$path" "$program" --repo "$repo" --no-commit --allow-program sops
says "another token" "permission denied"
ok "another token: it is not shown" bash -c "! grep -q $token $scratch/err"
# Whoever writes the file chooses the server that would get the token.
for other in "VAULT_ADDR=http://127.0.0.1:9" "VAULT_ADDR="; do
	: >"$scratch/kms.log"
	exits "another server: $other" 2 env "$other" PATH="$path" "$program" --repo "$repo" --no-commit --allow-program sops
	says "another server: $other" "OSG5047"
	same "another server: $other: not asked" "" "$(cat "$scratch/kms.log")"
done
# sops does not mind the case of names; osm-gen passes on what it has read.
sed -i "s/^    hc_vault:/    HC_Vault:/; s/^        - created_at/        - created_at/" "$secret"
plain | encrypt "$newest_sops" --kms "$arn" | sed "s|^    kms:|    HC_Vault:\n        - vault_address: $url/evil\n          engine_path: transit\n          key_name: fleet\n          created_at: \"2026-01-01T00:00:00Z\"\n          enc: vault:v1:AAAA\n    kms:|" >"$secret"
commit_all "$repo" "hidden"
: >"$scratch/kms.log"
exits "a hidden key" 0 run generate --no-commit --allow-program sops
ok "a hidden key: its server is not asked" bash -c "! grep -q vault $scratch/kms.log"

# ---- sealing.inputs -----------------------------------------------------------------------------------------
inputs() { # KEYS
	sed -i '/^    inputs:/d' "$repo/osm-gen.yaml"
	sed -i "s|^  sealing:|  sealing:\n    inputs: {edge-eu-1: [$1], prod-us-1: [$age]}|" "$repo/osm-gen.yaml"
	commit_all "$repo" "inputs: $1"
}
plain | encrypt "$newest_sops" --kms "$arn" >"$secret"
inputs "\"$arn\""
exits "a listed key" 0 run generate --no-commit --allow-program sops
inputs "$age"
exits "a key that is not listed" 2 run generate --no-commit --allow-program sops
says "a key that is not listed" "OSG2023"
exits "a key that is not listed: validate" 2 run validate
inputs "\"$arn\", $fingerprint"
plain | encrypt "$newest_sops" --kms "$arn" --pgp "$fingerprint" >"$secret"
commit_all "$repo" "pgp, too"
exits "PGP cannot be limited" 2 run generate --no-commit --allow-program sops
plain | encrypt "$newest_sops" --kms "$arn" --hc-vault-transit "$vault" >"$secret"
inputs "\"$arn\""
exits "every key must be listed" 2 run generate --no-commit --allow-program sops

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
