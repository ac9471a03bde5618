#!/usr/bin/env bash
# Settings that real sops encrypted, in every way that it has of choosing values, edited by sops and by hand; and
# docs/howto/settings.md as it stands.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"

give_up() {
	echo "settings: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}
# shellcheck source=tests/readers/_sops.sh
. "$root/tests/readers/_sops.sh"
program=$(realpath "$program")
age=$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")
proxy=TESTONLYproxy-91c4
noproxy=TESTONLYnoproxy-03be
repo=$(fleet settings)
settings=tests/fleet/prod-us-1/osm-gen.yaml
inputs=$(git -C "$repo" rev-parse HEAD)

plain() { # INDENT: the Cluster's document
	cat <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata:
  name: prod-us-1
spec:
  settings:
    managementCluster: self
    tokenRotation: "2026-11"
    nodeHTTPProxy: http://fleet:$proxy@proxy.osm-gen.example:3128
    nodeNoProxy: .svc,$noproxy.osm-gen.example
YAML
}
encrypt() { # SOPS MAC-ONLY SELECTION FILE
	printf 'creation_rules:\n- %s\n  mac_only_encrypted: %s\n  age: %s\n' "$3" "$2" "$age" >"$scratch/sops.yaml"
	"$1" --config "$scratch/sops.yaml" --encrypt --in-place "$4"
}
revealed() {
	"$program" render --repo "$repo" --machine-deployment prod-us-1/kube-system/workers --print osc --reveal
}

# ---- the same output, however it is encrypted ----------------------------------------------------------------
declare -A selections=(
	[encrypted_regex]='encrypted_regex: ^(nodeHTTPProxy|nodeNoProxy)$'
	[regex]='encrypted_regex: Pro[x]y$'
	[unencrypted_regex]='unencrypted_regex: ^(apiVersion|kind|metadata|managementCluster|tokenRotation)$'
	[encrypted_suffix]='encrypted_suffix: Proxy'
)
wanted=
for version in $sops_versions; do
	sops=$root/build/sops/sops-$version
	for selection in "${!selections[@]}"; do
		for only in true false; do
			name="$version, $selection, mac_only_encrypted: $only"
			git -C "$repo" reset -q --hard "$inputs"
			plain >"$repo/$settings"
			ok "$name: encrypted" encrypt "$sops" "$only" "${selections[$selection]}" "$repo/$settings"
			ok "$name: not readable" bash -c "! grep -q TESTONLY '$repo/$settings'"
			commit_all "$repo" "$name"
			exits "$name" 0 "$program" generate -q --repo "$repo"
			output=$(git -C "$repo" ls-tree -r HEAD out | grep -v index.json)
			same "$name: the same output" "${wanted:=$output}" "$output"
			ok "$name: both values are used" test "$(revealed | grep -cE "$proxy|$noproxy")" -ge 2
			# A change of a clear value.
			sed -i 's/tokenRotation: .*/tokenRotation: "2026-12"/' "$repo/$settings"
			commit_all "$repo" "$name, by hand"
			if [ "$only" = true ]; then
				exits "$name: changed by hand" 0 "$program" generate -q --repo "$repo"
				ok "$name: changed by hand, sops decrypts" "$sops" --decrypt "$repo/$settings"
			else
				exits "$name: changed by hand" 2 "$program" generate -q --repo "$repo"
				says "$name: changed by hand" "OSG5042"
			fi
		done
	done
done

# ---- two documents in one file, and what upgrade does to them -------------------------------------------------
for only in true false; do
	name="two documents, mac_only_encrypted: $only"
	one=$scratch/one-$only
	mkdir -p "$one"
	cp -r "$root/tests/fleet/prod-us-1/." "$one"
	{
		printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults:\n    nodeNoProxy: .svc,%s.osm-gen.example\n' "$noproxy"
		printf '  sealing:\n    recipients: [%s]\n---\n' "$age"
		plain | sed '/nodeNoProxy/d'
	} >"$one/osm-gen.yaml"
	ok "$name: encrypted" encrypt "$newest_sops" "$only" "${selections[encrypted_regex]}" "$one/osm-gen.yaml"
	git -C "$one" -c init.defaultBranch=main init -q
	commit_all "$one" "$name"
	exits "$name" 0 "$program" generate -q --repo "$one"
	ok "$name: decrypted" bash -c "'$program' render --repo '$one' --machine-deployment kube-system/workers --print osc --reveal | grep -q '$noproxy'"
	if [ "$only" = true ]; then
		exits "$name: upgrade" 0 "$program" upgrade --repo "$one"
		ok "$name: sops takes it" "$newest_sops" --decrypt "$one/osm-gen.yaml"
		ok "$name: it has the contract" grep -qE '^ +contract: [1-9]' "$one/osm-gen.yaml"
	else
		exits "$name: upgrade" 3 "$program" upgrade --repo "$one"
		says "$name: upgrade" "it can be changed only with the key"
		command=$(sed -n "s/.*with the identity: \(sops set .*\); --dry-run.*/\1/p" "$scratch/err")
		mkdir -p "$scratch/path"
		ln -sf "$newest_sops" "$scratch/path/sops"
		ok "$name: what upgrade advises" env -C "$one" PATH="$scratch/path:$PATH" bash -c "$command"
		ok "$name: it has the contract" grep -qE '^ +contract: [1-9]' "$one/osm-gen.yaml"
	fi
	commit_all "$one" "upgraded"
	exits "$name: upgraded" 0 "$program" generate -q --repo "$one"
done

# ---- keys that only sops uses -----------------------------------------------------------------------------------
head -c 32 /dev/urandom >"$scratch/kms.key"
python3 "$root/tests/readers/_kms.py" "$scratch/kms.key" "$scratch/kms.log" token >"$scratch/kms.port" &
server=$!
# shellcheck disable=SC2064 # the server of now
trap "kill $server 2>/dev/null; rm -rf '$scratch'" EXIT
for ((i = 0; i < 100; i++)); do
	[ -s "$scratch/kms.port" ] && break
	sleep 0.1
done
AWS_ENDPOINT_URL=http://127.0.0.1:$(cat "$scratch/kms.port")
export AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID=AKIATESTONLY AWS_SECRET_ACCESS_KEY=TESTONLYaws AWS_REGION=eu-central-1
git -C "$repo" reset -q --hard "$inputs"
plain >"$repo/$settings"
"$newest_sops" --encrypt --in-place --encrypted-regex '^(nodeHTTPProxy|nodeNoProxy)$' \
	--kms arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555 "$repo/$settings"
commit_all "$repo" "encrypted with AWS KMS"
exits "AWS KMS, without the option" 3 "$program" generate --repo "$repo"
says "AWS KMS, without the option" "error[OSG2085]: these settings are encrypted for keys that only the program sops uses (AWS KMS)"
mkdir -p "$scratch/path"
ln -sf "$newest_sops" "$scratch/path/sops"
exits "AWS KMS" 0 env PATH="$scratch/path:$PATH" "$program" generate --repo "$repo" --allow-program sops
same "AWS KMS: the same output" "$wanted" "$(git -C "$repo" ls-tree -r HEAD out | grep -v index.json)"

# ---- docs/howto/settings.md, as it stands -----------------------------------------------------------------------
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/home" "$scratch/howto"
ln -s "$program" "$scratch/path/osm-gen"
exits "docs/howto/settings.md" 0 env PATH="$scratch/path:$PATH" HOME="$scratch/home" LC_ALL=C.UTF-8 \
	python3 "$root/tests/cli/_console.py" "$root/docs/howto/settings.md" "$scratch/howto"
ok "it has commands" grep -qE '^1[0-9] passed' "$scratch/out"
finish
