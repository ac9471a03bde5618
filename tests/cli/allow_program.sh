#!/usr/bin/env bash
# --allow-program sops: which program runs, what it gets, and programs that misbehave (_sops.py). tests/readers/kms.sh
# has the real sops.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

value=$(printf TESTONLYencrypted0123456789abcdefg | base64)
repo=$(fleet programs)
secret=$repo/tests/fleet/edge-eu-1/getter-token.yaml
kms_secret >"$secret"
commit_all "$repo" "encrypted with AWS KMS"

mkdir "$scratch/bin"
sops() { # MODE
	python3 "$here/_sops.py" "$scratch/bin/sops" "$scratch/log" "$value" "$1"
	rm -f "$scratch/log"
}
run() { env PATH="$scratch/bin:$PATH" "$program" "$@" --repo "$repo"; }
keyless() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }

# ---- only when the command line says so ------------------------------------------------------------------
sops good
exits "without the option" 3 run generate --no-commit
says "without the option" "OSG2085"
says "without the option" "--allow-program sops"
ok "without the option: it does not run" test ! -e "$scratch/log"
exits "another program" 64 run generate --allow-program rm
says "another program" '"rm"'
exits "a command without inputs" 64 "$program" verify --allow-program sops
exits "with the option" 0 run generate --no-commit --allow-program sops
says "with the option" "sops 9.8.7 ($scratch/bin/sops) decrypted 1 file"
exits "in the environment" 1 env OSM_GEN_ALLOW_PROGRAM=sops PATH="$scratch/bin:$PATH" "$program" check --repo "$repo" --out out --worktree

# ---- what it gets ----------------------------------------------------------------------------------------
rm -f "$scratch/log"
exits "what it gets" 0 env AWS_REGION=eu-central-1 VAULT_TOKEN=t UNRELATED=x SOPS_AGE_KEY=AGE-SECRET-KEY-1GVHT0A5SVYYXGWQ6FD3VE5YSQ2ZCKKLJMPWHV5KQU8ZZS2Y6JH0SZ7MQ9T \
	PATH="$scratch/bin:$PATH" "$program" validate --repo "$repo" --allow-program sops
ok "validate runs nothing" test ! -e "$scratch/log"
exits "validate without the option" 0 keyless validate --repo "$repo"
says "validate without the option" "warning[OSG2086]: a value of Secret cloud-init-settings/cloud-init-getter-token is needed"
exits "what it gets" 0 env AWS_REGION=eu-central-1 VAULT_TOKEN=t UNRELATED=x GIT_DIR= PATH="$scratch/bin:relative:$repo:$PATH" \
	"$program" generate --no-commit --repo "$repo" --allow-program sops
python3 - "$scratch/log" "$value" "$OSM_GEN_SEAL_SEED" "$repo" >"$scratch/seen" <<'PY'
import json, sys
calls = [json.loads(line) for line in open(sys.argv[1])]
assert len(calls) == 3, len(calls)
for call in calls:
    env = call["environment"]
    assert call["folder"] == "/" and call["core"] == [0, 0], call
    assert env["AWS_REGION"] == "eu-central-1" and env["VAULT_TOKEN"] == "t"
    assert env["SOPS_AGE_KEY_FILE"] and "SOPS_AGE_KEY" not in env
    assert not [name for name in env if name.startswith(("OSM_GEN_", "GIT_", "UNRELATED"))], sorted(env)
    assert "relative" not in env["PATH"] and sys.argv[4] not in env["PATH"].split(":"), env["PATH"]
    text = json.dumps([call["arguments"], env])
    assert sys.argv[2] not in text and sys.argv[3] not in text and "AGE-SECRET-KEY" not in text
print("checked")
PY
same "arguments, environment and folder" "checked" "$(cat "$scratch/seen")"

# A Secret that nothing asks for is never decrypted.
kms_secret | sed 's/cloud-init-getter-token/unused/' >"$repo/tests/fleet/edge-eu-1/unused.yaml"
mv "$secret" "$scratch/token.yaml"
commit_all "$repo" "a Secret that nothing asks for"
rm -f "$scratch/log"
exits "a Secret that nothing asks for" 0 run generate --no-commit --allow-program sops
ok "a Secret that nothing asks for is not decrypted" test ! -e "$scratch/log"
exits "a Secret that nothing asks for: without the option" 0 run generate --no-commit
exits "a Secret that nothing asks for: validate" 0 keyless validate --repo "$repo"
ok "a Secret that nothing asks for: no warning" bash -c "! grep -q OSG2086 '$scratch/err'"
kms_secret | sed 's/^kind: Secret/kind: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]/' >"$repo/tests/fleet/edge-eu-1/unused.yaml"
commit_all "$repo" "a manifest that is encrypted as a whole"
exits "encrypted as a whole: validate" 0 keyless validate --repo "$repo"
says "encrypted as a whole: validate" "warning[OSG2086]: a manifest is encrypted as a whole"
mv "$scratch/token.yaml" "$secret"
rm "$repo/tests/fleet/edge-eu-1/unused.yaml"
commit_all "$repo" "the token"

# ---- which program runs ----------------------------------------------------------------------------------
mkdir "$repo/tools"
python3 "$here/_sops.py" "$repo/tools/sops" "$scratch/evil" "$value" good
ln -s "$repo/tools" "$scratch/link"
for path in "$repo/tools" "$scratch/link" tools; do
	exits "of the work tree: $path" 3 env -C "$repo" PATH="$path:/usr/bin:/bin" "$program" generate --no-commit --repo . --allow-program sops
	says "of the work tree: $path" "OSG5046"
done
ok "of the work tree: it does not run" test ! -e "$scratch/evil"

# ---- programs that misbehave -----------------------------------------------------------------------------
fails() { # MODE CODE STATUS
	sops "$1"
	exits "$1" "$3" run generate --no-commit --allow-program sops
	says "$1" "$2"
	ok "$1: no value is shown" bash -c "! grep -qE '$value|TESTONLY' '$scratch/err'"
}
fails no-key OSG5041 3
says "no-key: its words" "sops: AccessDenied"
fails other OSG5046 3
fails no-mac OSG5046 3
fails wrong OSG5042 2
fails more OSG5046 3
fails no-json OSG5046 3
fails another OSG5046 3

# ---- files that it is not asked for ----------------------------------------------------------------------
sops good
kms_secret geheim >"$secret"
commit_all "$repo" "a value in the clear"
exits "a value in the clear" 2 run generate --no-commit --allow-program sops
says "a value in the clear" "OSG5040"
kms_secret | sed 's/^  kms:/  azure_kv: [{vault_url: "https:\/\/kms.example", name: a, version: b, enc: c}]\n  kms:/' >"$secret"
commit_all "$repo" "a server that is not Azure's"
exits "a server that is not Azure's" 2 run generate --no-commit --allow-program sops
says "a server that is not Azure's" "OSG5047"
kms_secret | sed 's/^  encrypted_regex:/  encrypted_comment_regex:/' >"$secret"
commit_all "$repo" "chosen by comments"
exits "chosen by comments" 2 run generate --no-commit --allow-program sops
says "chosen by comments" "OSG5040"

# ---- the keys that a cluster may use (sealing.inputs) ----------------------------------------------------
sed -i "s|^  sealing:|  sealing:\n    inputs: {edge-eu-1: ['$kms_key'], prod-us-1: [$recipient]}|" "$repo/osm-gen.yaml"
kms_secret >"$secret"
commit_all "$repo" "the key is listed"
rm -f "$scratch/log"
exits "a listed key" 0 run generate --no-commit --allow-program sops
ok "a listed key: sops gets no identity of age" bash -c "test -s '$scratch/log' && ! grep -q '\"SOPS_AGE_' '$scratch/log'"
kms_secret | sed "s|^  encrypted_regex:|    - {arn: '${kms_key%/*}/another', created_at: '2026-01-01T00:00:00Z', enc: AQICAHh=}\n&|" >"$secret"
commit_all "$repo" "another key, too"
exits "a key that is not listed" 2 run generate --no-commit --allow-program sops
says "a key that is not listed" "OSG5047"
says "a key that is not listed" "/another: sealing.inputs does not list it for the cluster"

finish
