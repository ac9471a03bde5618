#!/usr/bin/env bash
# Post-quantum recipients and identities (age1pq1...): with a libcrypto that has ML-KEM-768 the output has the same bytes on every
# system; another one refuses them, and its errors name the static program. SSH's RSA keys, which each libcrypto has.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

keys=$root/tests/keys
identity=$keys/TEST-ONLY-post-quantum.txt
recipient=$(sed -n 's/^# public key: //p' "$identity")
rsa=$(cut -d' ' -f1,2 "$keys/TEST-ONLY-ssh-rsa.pub")
of_sops=$root/tests/fuzz/seeds/sops
name=worker/cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config.yaml

# ---- SSH's RSA ------------------------------------------------------------------------------------

exits "what sops encrypted for an RSA key" 0 env -u SOPS_AGE_KEY_FILE SOPS_AGE_SSH_PRIVATE_KEY_FILE="$keys/TEST-ONLY-ssh-rsa.key" \
	"$program" unseal "$of_sops/ssh-rsa.yaml"
ok "its text" grep -qx '  token: of sops' "$scratch/out"
exits "with another key" 3 env SOPS_AGE_SSH_PRIVATE_KEY_FILE="$keys/TEST-ONLY-ssh-ed25519.key" "$program" unseal "$of_sops/ssh-rsa.yaml"
says "the keys that were tried" "note: tried $(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE"), $(cut -d' ' -f1,2 "$keys/TEST-ONLY-ssh-ed25519.pub")"
repo=$(fleet rsa)
exits "an X25519 recipient" 0 "$program" --repo "$repo"
sed -i "s|    - age1.*|    - $rsa|" "$repo/osm-gen.yaml"
commit_all "$repo" "an RSA recipient"
exits "an RSA recipient" 0 "$program" --rotate-recipients --repo "$repo"
ok "its name in the commit" bash -c "git -C $repo log -1 --format=%B | grep -q 'can be read by ssh-rsa AAAAB3NzaC1yc2EA\.\.\.'"
exits "unseal with its key" 0 env -u SOPS_AGE_KEY_FILE SOPS_AGE_SSH_PRIVATE_KEY_FILE="$keys/TEST-ONLY-ssh-rsa.key" \
	"$program" unseal "$repo/out/prod-us-1/$name"
ok "the kubeconfig" grep -q '  kubeconfig: YXBp' "$scratch/out"

# ---- post-quantum keys ------------------------------------------------------------------------------

repo=$(fleet quantum)
exits "an X25519 recipient" 0 "$program" --repo "$repo"
sed -i "s/    - age1.*/    - $recipient/" "$repo/osm-gen.yaml"
commit_all "$repo" "a post-quantum recipient"
cat "$SOPS_AGE_KEY_FILE" "$identity" >"$scratch/both"
if "$program" --repo "$repo" --rotate-recipients >"$scratch/out" 2>"$scratch/err"; then
	sealed=$repo/out/prod-us-1/$name
	ok "the recipient of the output" grep -qx " *recipient: $recipient" "$sealed"
	# The bytes that each system and the static program must make. They change with the sample fleet and with nothing else.
	same "the same bytes on every system" "35393361bdb5cc12fc02ea39ea46fa8a285374263033365db4ad919c7130abc5" "$(sha256sum <"$sealed" | cut -d' ' -f1)"
	ok "its name in the commit" bash -c "git -C $repo log -1 --format=%B | grep -q 'can be read by ${recipient:0:24}\.\.\.${recipient: -16}'"
	exits "nothing to do the next time" 0 "$program" check --repo "$repo"
	exits "unseal with the identity" 0 env SOPS_AGE_KEY_FILE="$identity" "$program" unseal "$sealed"
	ok "the kubeconfig" grep -q '  kubeconfig: YXBp' "$scratch/out"
	exits "unseal with another one" 3 "$program" unseal "$sealed"
	exits "what sops encrypted" 0 env SOPS_AGE_KEY_FILE="$identity" "$program" unseal "$of_sops/post-quantum.yaml"
	ok "its text" grep -qx '  token: of sops' "$scratch/out"
	exits "with a classical line beside it" 0 env SOPS_AGE_KEY_FILE="$scratch/both" "$program" unseal "$of_sops/post-quantum.yaml"
	exits "doctor" 0 env SOPS_AGE_KEY_FILE="$scratch/both" "$program" doctor --repo "$repo"
	ok "both identities" grep -q '2 age identities' "$scratch/out"
else
	exits "a libcrypto without ML-KEM-768" 3 "$program" --repo "$repo" --rotate-recipients
	says "refuses the recipient" "OSG5018"
	says "and names what can" "the static program"
	same "and writes nothing" "" "$(git -C "$repo" status --porcelain)"
	exits "an identity alone" 3 env SOPS_AGE_KEY_FILE="$identity" "$program" unseal "$of_sops/post-quantum.yaml"
	says "is refused" "lacks ML-KEM-768; the static program has it"
	exits "beside a classical one" 3 env SOPS_AGE_KEY_FILE="$scratch/both" "$program" unseal "$of_sops/post-quantum.yaml"
	says "does not open a file for itself" "for post-quantum keys of age (which the static program opens) only"
	sed -i "s/    - age1pq.*/    - $(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")/" "$repo/osm-gen.yaml"
	commit_all "$repo" "the X25519 recipient again"
	exits "doctor" 0 env SOPS_AGE_KEY_FILE="$scratch/both" "$program" doctor --repo "$repo"
	ok "counts what is used" grep -q '1 age identity' "$scratch/out"
	ok "and names the other" grep -q 'a key of the file is passed over: a post-quantum identity' "$scratch/out"
	exits "and does no harm" 0 env SOPS_AGE_KEY_FILE="$scratch/both" "$program" unseal "$root/out/prod-us-1/$name"
fi
sed -i "s/    - age1.*/    - ${recipient%?}b/" "$repo/osm-gen.yaml" # "b" is no digit of Bech32
commit_all "$repo" "a mistyped recipient"
exits "a mistyped recipient" 2 "$program" validate --repo "$repo"
says "a mistyped recipient" "OSG5011"
finish
