#!/usr/bin/env bash
# keygen and unseal beside the real age.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

exits "keygen seed" 0 "$program" keygen seed
same "one line" "1" "$(wc -l <"$scratch/out" | tr -d ' ')"
ok "of the right form" grep -qE '^OSMGEN-SEED-1[02-9AC-HJ-NP-Z]{58}$' "$scratch/out"
cp "$scratch/out" "$scratch/seed.1"
exits "keygen seed again" 0 "$program" keygen seed
ok "is another" bash -c "! cmp -s $scratch/out $scratch/seed.1"
exits "keygen identity" 0 "$program" keygen identity
cp "$scratch/out" "$scratch/identity"
exits "keygen nonsense" 64 "$program" keygen nonsense

# ---- -o FILE ----------------------------------------------------------------------------------------
mask=$(umask)
umask 0
exits "keygen seed -o" 0 "$program" keygen seed -o "$scratch/new-seed"
umask "$mask"
same "a seed's file is private" 600 "$(stat -c %a "$scratch/new-seed")"
ok "and holds a seed" grep -qE '^OSMGEN-SEED-1[02-9AC-HJ-NP-Z]{58}$' "$scratch/new-seed"
exits "keygen -o FILE identity" 0 "$program" keygen -o "$scratch/new-identity" identity
same "nothing on stdout" "" "$(cat "$scratch/out")"
same "the recipient is said" "$(sed -n 's/^# //p' "$scratch/new-identity" | grep '^public key')" "$(cat "$scratch/err")"
same "an identity's file is private" 600 "$(stat -c %a "$scratch/new-identity")"
exits "-o before the command" 0 "$program" -o "$scratch/third" keygen seed
before=$(cat "$scratch/new-seed")
exits "a file that is there" 3 "$program" keygen seed --output="$scratch/new-seed"
says "is not replaced" "OSG9020"
same "it stays" "$before" "$(cat "$scratch/new-seed")"
ln -s nowhere "$scratch/link"
exits "a link that leads nowhere" 3 "$program" keygen seed -o "$scratch/link"
says "is not followed" "OSG9020"
git -c init.defaultBranch=main init -q "$scratch/tree"
mkdir "$scratch/tree/deep"
ln -s tree/deep "$scratch/way"
for file in "$scratch/tree/seed" "$scratch/tree/deep/seed" "$scratch/way/seed"; do
	exits "$file" 3 "$program" keygen seed -o "$file"
	says "is refused" "OSG9021"
	ok "and not written" test ! -e "$file"
done
exits "a name alone" 3 env -C "$scratch/tree" "$program" keygen seed -o seed
says "is refused" "OSG9021"
ok "and not written" test ! -e "$scratch/tree/seed"
echo '/deep/' >"$scratch/tree/.gitignore"
exits "an ignored place" 0 "$program" keygen seed -o "$scratch/tree/deep/seed"
exits "git's own folder" 0 "$program" keygen seed -o "$scratch/tree/.git/seed"
exits "a folder that is not there" 3 "$program" keygen seed -o "$scratch/none/seed"
exits "no name" 64 "$program" keygen seed -o ""
exits "-o FILE is keygen's" 64 "$program" verify -o "$scratch/file"
exits "-o is no file of generate" 64 "$program" generate -o "$scratch/file"
ok "its help" bash -c "$program help keygen | grep -q -- '-o, --output FILE'"
ok "verify's help" bash -c "$program help verify | grep -q -- '-o, --output text|json'"

# Files of other forms, as sops 3.13.3 wrote them; what they hold was given to it.
forms=$root/tests/fuzz/seeds/sops_forms
exits "unseal a dotenv file" 0 "$program" unseal "$forms/dotenv.env"
same "its lines" 'TOKEN=the token
EMPTY=
LINES=a\nb
PLAIN_unencrypted=clear text
EQ=a=b=c' "$(cat "$scratch/out")"
exits "unseal a file of bytes" 0 "$program" unseal "$forms/binary"
ok "its bytes" cmp "$scratch/out" <(printf 'some bytes\n\000\001\376 and more\n')
exits "unseal a file of text" 0 "$program" unseal "$forms/binary-text"
same "its text" 'plain text
of two lines' "$(cat "$scratch/out")"
exits "unseal JSON" 0 "$program" unseal "$forms/json.json"
ok "its list" grep -qx -- '- 1000' "$scratch/out"
for change in 's/clear text/other text/' 's/^EMPTY=$/EMPTY=x/' 's/^sops_lastmodified=2026/sops_lastmodified=2027/' \
	's/^TOKEN=/TOKEM=/' '/^EQ=/d' 's/^sops_mac=.*/sops_mac=/' 's/list_0__map_enc/list_1__map_enc/' 's/^EQ=/TOKEN=/' 's/^EQ=/EQ/'; do
	sed "$change" "$forms/dotenv.env" >"$scratch/changed.env"
	ok "$change changes the file" bash -c "! cmp -s $scratch/changed.env $forms/dotenv.env"
	ok "a dotenv file with $change is refused" bash -c "! $program unseal $scratch/changed.env >$scratch/out 2>$scratch/err"
	ok "by name" grep -q 'OSG504' "$scratch/err"
	same "and nothing is printed" "" "$(cat "$scratch/out")"
done
for kind in kms:AWS pgp:PGP gcp_kms:Google azure_kv:Azure hc_vault:HashiCorp hckms:Huawei; do
	printf 'kind: Secret\ndata: {a: x}\nsops: {%s: [{enc: x}], mac: x, lastmodified: x}\n' "${kind%:*}" >"$scratch/kms.yaml"
	exits "a file for ${kind%:*} only" 3 "$program" unseal "$scratch/kms.yaml"
	says "a file for ${kind%:*} only" "${kind#*:}"
	says "the way out" "--secrets"
done
if command -v age-keygen >/dev/null 2>&1; then
	recipient=$(age-keygen -y "$scratch/identity")
	same "age reads the identity; the comment names its recipient" "$recipient" \
		"$(sed -n 's/^# public key: //p' "$scratch/identity")"
	repo=$(fleet keyed)
	sed -i "s/    - age1.*/    - $recipient\n    - $(age-keygen -y "$SOPS_AGE_KEY_FILE")/" "$repo/osm-gen.yaml"
	commit_all "$repo" "recipients"
	exits "two recipients" 0 "$program" --repo "$repo"
	file=$repo/out/prod-us-1/worker/cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config.yaml
	python3 - "$file" "$scratch" <<'PY'
import re, sys, textwrap
text = open(sys.argv[1]).read()
for i, block in enumerate(re.findall(r"enc: \|\n((?: +.*\n)+?) +recipient", text)):
    open(f"{sys.argv[2]}/armour.{i}", "w").write(textwrap.dedent(block))
PY
	cat "$scratch/identity" "$SOPS_AGE_KEY_FILE" >"$scratch/both"
	for i in 0 1; do
		ok "age opens the data key for recipient $i" bash -c "age -d -i $scratch/both -o $scratch/key.$i $scratch/armour.$i"
		same "of 32 bytes" "32" "$(wc -c <"$scratch/key.$i" | tr -d ' ')"
	done
	ok "the same data key" cmp "$scratch/key.0" "$scratch/key.1"
	exits "unseal with the first identity" 0 env SOPS_AGE_KEY_FILE="$scratch/identity" "$program" unseal "$file"
	cp "$scratch/out" "$scratch/clear.1"
	exits "unseal with the second" 0 "$program" unseal "$file"
	ok "the same text" cmp "$scratch/out" "$scratch/clear.1"
	ok "without the sops block" bash -c "! grep -q '^sops:' $scratch/out"
	exits "unseal from the variable" 0 env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY="$(grep -v '^#' "$scratch/identity")" "$program" unseal "$file"
	"$program" keygen identity >"$scratch/stranger"
	exits "a stranger's identity" 3 env SOPS_AGE_KEY_FILE="$scratch/stranger" "$program" unseal "$file"
	exits "no identity" 3 env -u SOPS_AGE_KEY_FILE "$program" unseal "$file"
	says "no identity" "SOPS_AGE_KEY"
	sed 's/kube-system-workers/kube-system-nothers/' "$file" >"$scratch/tampered.yaml"
	exits "a changed clear value" 2 "$program" unseal "$scratch/tampered.yaml"
	same "prints nothing" "" "$(cat "$scratch/out")"
	sed 's/\(data:[A-Za-z0-9+\/]\{6\}\)./\1A/' "$file" >"$scratch/tampered.yaml"
	exits "a changed sealed value" 2 "$program" unseal "$scratch/tampered.yaml"
	sed -i "s|    - $recipient|    - $(cat "$root/tests/keys/TEST-ONLY-ssh-ed25519.pub")|" "$repo/osm-gen.yaml"
	commit_all "$repo" "an SSH key in the place of the first"
	exits "an SSH key and an age key" 0 "$program" --rotate-recipients --repo "$repo"
	python3 -c 'import re, sys, textwrap; print(textwrap.dedent(re.findall(r"enc: \|\n((?: +.*\n)+?) +recipient", open(sys.argv[1]).read())[1]), end="")' \
		"$file" >"$scratch/armour.ssh"
	ok "age opens the data key with the SSH key" age -d -i "$root/tests/keys/TEST-ONLY-ssh-ed25519.key" -o "$scratch/key.ssh" "$scratch/armour.ssh"
	same "of 32 bytes" "32" "$(wc -c <"$scratch/key.ssh" | tr -d ' ')"
	ssh=$root/tests/keys/TEST-ONLY-ssh-ed25519.key
	exits "unseal with the SSH key" 0 env -u SOPS_AGE_KEY_FILE SOPS_AGE_SSH_PRIVATE_KEY_FILE="$ssh" "$program" unseal "$file"
	cp "$scratch/out" "$scratch/clear.ssh"
	exits "the SSH key among identities" 0 env SOPS_AGE_KEY_FILE="$ssh" "$program" unseal "$file"
	exits "the SSH key as text" 0 env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY="$(cat "$ssh")" "$program" unseal "$file"
	exits "a stranger's identity beside it" 0 env SOPS_AGE_KEY_FILE="$scratch/stranger" SOPS_AGE_SSH_PRIVATE_KEY_FILE="$ssh" "$program" unseal "$file"
	exits "an SSH key that is not there" 3 env SOPS_AGE_SSH_PRIVATE_KEY_FILE="$scratch/none" "$program" unseal "$file"
	says "an SSH key that is not there" "SOPS_AGE_SSH_PRIVATE_KEY_FILE names the file"
	{
		cat "$scratch/stranger"
		echo AGE-PLUGIN-YUBIKEY-1XYZ
	} >"$scratch/rolling"
	exits "a key of a plugin was passed over" 3 env SOPS_AGE_KEY_FILE="$scratch/rolling" "$program" unseal "$file"
	says "a key of a plugin was passed over" "among the keys that were given is an identity of a plugin"
	cat "$SOPS_AGE_KEY_FILE" >>"$scratch/rolling"
	exits "and does not matter if another opens" 0 env SOPS_AGE_KEY_FILE="$scratch/rolling" "$program" unseal "$file"
	touch_command="touch $scratch/ran"
	exits "a command that prints a key" 3 env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY_CMD="$touch_command" "$program" unseal "$file"
	says "a command that prints a key" "no age identity was given"
	says "a command that prints a key" "SOPS_AGE_KEY_CMD is set, but osm-gen runs no command that a variable names"
	exits "beside a stranger's identity" 3 env SOPS_AGE_KEY_FILE="$scratch/stranger" SOPS_AGE_KEY_CMD="$touch_command" "$program" unseal "$file"
	says "beside a stranger's identity" "SOPS_AGE_KEY_CMD is set"
	exits "beside an identity that opens" 0 env SOPS_AGE_KEY_CMD="$touch_command" "$program" unseal "$file"
	ok "no word of it then" bash -c "! grep -q SOPS_AGE_KEY_CMD '$scratch/err'"
	env SOPS_AGE_KEY_CMD="$touch_command" "$program" doctor --repo "$repo" >"$scratch/err" 2>&1
	says "doctor" "SOPS_AGE_KEY_CMD is set: osm-gen does not run its command"
	ok "the command does not run" test ! -e "$scratch/ran"
	exits "unseal with the other identity" 0 "$program" unseal "$file"
	ok "the same text as with the SSH key" cmp "$scratch/out" "$scratch/clear.ssh"
	exits "no sealed file" 2 "$program" unseal "$repo/osm-gen.yaml"
	exits "no file" 3 "$program" unseal "$scratch/none"
	cp "$root/tests/keys/TEST-ONLY-sealed-secrets.crt" "$repo/cert.pem"
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {format: sealed-secrets, certificate: cert.pem}\n' >"$repo/osm-gen.yaml"
	commit_all "$repo" "SealedSecrets"
	exits "SealedSecrets in the place of SOPS" 0 "$program" --rotate-recipients --repo "$repo"
	says "SealedSecrets in the place of SOPS" "OSG5015"
	ok "the file is a SealedSecret" grep -q '^kind: SealedSecret$' "$file"
	exits "nothing to do the next time" 0 "$program" check --repo "$repo"
	exits "unseal without its key" 3 "$program" unseal "$file"
	says "unseal without its key" "OSG5044"
	exits "unseal with its key" 0 "$program" unseal --key "$root/tests/keys/TEST-ONLY-sealed-secrets.key" "$file"
	ok "the kubeconfig" grep -q '^    kind: Config$' "$scratch/out"
	exits "unseal with another kind of key" 3 "$program" unseal --key "$root/tests/keys/TEST-ONLY-ssh-ed25519.key" "$file"
	says "unseal with another kind of key" "OSG5045"
else
	skip "age is not installed"
fi
finish
