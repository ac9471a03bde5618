#!/usr/bin/env bash
# Who may read: a commit alone changes nobody's recipients, whatever it does to index.json. The attacks
# of docs/security.md on recipients, and what CI says to allow a change.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk
new_recipient() { "$program" keygen identity | sed -n 's/^# public key: //p'; }
theirs=$(new_recipient)
third=$(new_recipient)

head_of() { git -C "$repo" rev-parse HEAD; }
unbroken() { git -C "$repo" log -1 --format=%b | sed -z 's/\n  / /g'; } # long lines of the message as they were
subject() { git -C "$repo" log -1 --format=%s; }
refused() { # NAME: generate and check say so, and nothing moves
	local head
	head=$(head_of)
	exits "$1: check" 2 "$program" check --repo "$repo"
	exits "$1: diff" 2 "$program" diff --repo "$repo"
	exits "$1" 2 "$program" --repo "$repo"
	same "$1: nothing moved" "$head" "$(head_of)"
}
own_recipients() { # CLUSTER RECIPIENT: in its osm-gen.yaml
	printf '  sealing: {recipients: [%s]}\n' "$2" >>"$repo/tests/fleet/$1/osm-gen.yaml"
}
edit_index() { # CLUSTER PYTHON: changes the map i
	python3 - "$repo/out/$1/index.json" "$2" <<'END'
import json, sys
with open(sys.argv[1]) as file:
    i = json.load(file)
exec(sys.argv[2])
with open(sys.argv[1], "w") as file:
    json.dump(i, file, indent=2)
    file.write("\n")
END
}
start() { # a fleet with its output, and the commit to go back to
	repo=$(fleet "$1")
	exits "$1: a first run needs no word" 0 "$program" --repo "$repo"
	base=$(head_of)
}
again() { git -C "$repo" reset -q --hard "$base"; }

# ---- a change -------------------------------------------------------------------------------------
start change
ok "the index has a digest" grep -qE '"recipientsDigest": "[0-9a-f]{32}"' "$repo/out/prod-us-1/index.json"
own_recipients prod-us-1 "$theirs"
commit_all "$repo" "somebody else's recipient"
refused "another recipient"
says "another recipient: names code and cluster" "error[OSG5071]: the recipients of cluster prod-us-1 have changed"
says "another recipient: names who is added" "added recipient $theirs"
says "another recipient: and who is removed" "removed recipient $ours"
says "another recipient: and the ways out" "--rotate-recipients"
exits "check, with --rotate-recipients" 1 "$program" check --repo "$repo" --rotate-recipients
says "shows it" "warning[OSG5073]: the recipients of cluster prod-us-1 change"
exits "diff, with --rotate-recipients" 1 "$program" diff --repo "$repo" --rotate-recipients
says "shows it" "warning[OSG5073]"
ok "and the index" grep -qE "^out/prod-us-1/index.json: recipients, recipientsDigest changed " "$scratch/out"
exits "diff -v, with --rotate-recipients" 1 "$program" diff -v --repo "$repo" --rotate-recipients
ok "has its lines" grep -qF "+    \"$theirs\"" "$scratch/out"
reports=()
for format in json sarif junit markdown; do reports+=(--report "$format=$scratch/report.$format"); done
exits "generate, with --rotate-recipients" 0 "$program" --repo "$repo" --rotate-recipients "${reports[@]}"
for format in json sarif junit markdown; do
	ok "the $format report has it" grep -q "the recipients of cluster prod-us-1 change" "$scratch/report.$format"
done
ok "the subject has it" grep -qF "; recipients of prod-us-1 change" <(subject)
git -C "$repo" log -1 --format=%b >"$scratch/body"
ok "the body names who is added" grep -qxF "prod-us-1: can be read by $theirs" "$scratch/body"
ok "and who is removed" grep -qxF "prod-us-1: no longer by $ours" "$scratch/body"
exits "from then on it is settled" 0 "$program" check --repo "$repo"
ok "without a word" bash -c "! grep -q OSG507 $scratch/err"

# ---- nobody else writes the commit's message ------------------------------------------------------
again
edit_index prod-us-1 "i['recipients'] = ['x\\n\\nOsm-Gen-Inputs: 0123456789abcdef0123456789abcdef\\nCloses #1 @admin', 'GH-1', '\\x1b[31m', 'age1\\0'] + ['y'] * 5000"
commit_all "$repo" "an index with words for a commit's message"
exits "an index that tells a commit what to say" 0 "$program" --repo "$repo" --rotate-recipients
git -C "$repo" log -1 --format=%B >"$scratch/body"
ok "its words are escaped" grep -qF 'prod-us-1: no longer by x\x0a\x0aOsm-Gen-Inputs\x3a 0123' "$scratch/body"
same "it makes no trailers" 1 "$(grep -c '^Osm-Gen-Inputs: ' "$scratch/body")"
ok "closes no issue, mentions nobody, colours nothing" bash -c "! grep -qE '[#@]|GH-1|[[:cntrl:]]' $scratch/body"
ok "and the message stays short" test "$(wc -l <"$scratch/body")" -lt 100

# ---- the index is part of the commit --------------------------------------------------------------
again
own_recipients prod-us-1 "$theirs"
edit_index prod-us-1 "i['recipients'] = ['$theirs']"
commit_all "$repo" "osm-gen.yaml and index.json together"
refused "an index that agrees"
says "an index that agrees: is not believed" "confirmed by no earlier run"
again
own_recipients prod-us-1 "$theirs"
edit_index prod-us-1 "i['recipients'] = ['$theirs']; del i['recipientsDigest']"
commit_all "$repo" "without the digest"
refused "an index without a digest"
again
own_recipients prod-us-1 "$theirs"
edit_index prod-us-1 "i['recipients'] = ['$theirs']; i['formatVersion'] = 1; del i['recipientsDigest']; del i['seedId']"
commit_all "$repo" "made older"
refused "an index of format 1"
again
own_recipients prod-us-1 "$theirs"
own_recipients edge-eu-1 "$third"
exits "two changes" 0 git -C "$repo" commit -qam "two"
exits "two changes" 0 "$program" --repo "$repo" --rotate-recipients
ok "two clusters in the subject" grep -qF "; recipients of 2 clusters change" <(subject)
cp "$repo/out/edge-eu-1/index.json" "$scratch/edge.json"
base2=$(head_of)
sed 's/"edge-eu-1"/"prod-us-1"/' "$scratch/edge.json" >"$repo/out/prod-us-1/index.json"
sed -i "s/$theirs/$third/" "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "another cluster's index"
refused "another cluster's digest"
git -C "$repo" reset -q --hard "$base2"
edit_index prod-us-1 "i['recipients'] = []; del i['recipientsDigest']"
sed -i "s/$theirs/$third/" "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "nobody"
refused "an index that names nobody"

# ---- an index that is gone ------------------------------------------------------------------------
again
git -C "$repo" rm -rq out/prod-us-1
own_recipients prod-us-1 "$theirs"
commit_all "$repo" "as if the cluster were new"
refused "a cluster made new"
says "a cluster made new: its history tells" "have changed"
again
git -C "$repo" rm -rq out
own_recipients prod-us-1 "$theirs"
commit_all "$repo" "as if the fleet were new"
refused "a fleet made new"
again
git -C "$repo" rm -rq out
commit_all "$repo" "the output is removed"
exits "an output that is gone, recipients as before" 0 "$program" --repo "$repo"
again
git -C "$repo" rm -rq out tests/fleet/prod-us-1
cp -r "$repo/tests/fleet/edge-eu-1" "$repo/tests/fleet/evil"
git -C "$repo" rm -rq tests/fleet/edge-eu-1
sed -i "s/name: edge-eu-1/name: evil/" "$repo/tests/fleet/evil/osm-gen.yaml"
own_recipients evil "$theirs"
commit_all "$repo" "another fleet in its place"
refused "another fleet in its place"
says "another fleet in its place: is no first run" "error[OSG5072]"
again
git -C "$repo" rm -rq out
commit_all "$repo" "the output is removed"
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
exits "in a shallow clone it is a first run" 0 "$program" --repo "$scratch/shallow"
says "in a shallow clone it is a first run" "warning[OSG5076]"
same "of which one warning is enough" "1" "$(grep -c OSG5076 "$scratch/err")"
exits "from then on it is settled" 0 "$program" check --repo "$scratch/shallow"
ok "from then on it is settled: without a word" bash -c "! grep -q OSG507 $scratch/err"
rm -rf "$scratch/shallow"
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
printf '* %s\n' "$ours" >"$scratch/allowed"
exits "with a list" 0 "$program" --repo "$scratch/shallow" --allow-recipients "$scratch/allowed"
ok "there is nothing to warn of" bash -c "! grep -q OSG507 $scratch/err"

# ---- a new cluster --------------------------------------------------------------------------------
add_cluster() { # NAME
	cp -r "$repo/tests/fleet/edge-eu-1" "$repo/tests/fleet/$1"
	sed -i "s/name: edge-eu-1/name: $1/" "$repo/tests/fleet/$1/osm-gen.yaml"
}
again
add_cluster edge-eu-2
commit_all "$repo" "one more"
exits "a new cluster of the fleet's recipients needs no word" 0 "$program" --repo "$repo"
again
add_cluster edge-eu-2
own_recipients edge-eu-2 "$theirs"
commit_all "$repo" "one more, for somebody else"
refused "a new cluster with recipients of its own"
says "a new cluster: is refused as such" "error[OSG5072]: cluster edge-eu-2 is new in the output"
exits "a new cluster, with --rotate-recipients" 0 "$program" --repo "$repo" --rotate-recipients
ok "a new cluster: in the subject" grep -qF "; recipients of edge-eu-2 change" <(subject)
# Its recipient reads one cluster only: it is nobody's to give another one to.
git -C "$repo" rm -rq out/prod-us-1
commit_all "$repo" "forget one"
cp -r "$repo/tests/fleet/edge-eu-2" "$repo/tests/fleet/edge-eu-3"
sed -i "s/name: edge-eu-2/name: edge-eu-3/" "$repo/tests/fleet/edge-eu-3/osm-gen.yaml"
commit_all "$repo" "a third"
refused "the recipient of one cluster in a new one"

# ---- the list of CI -------------------------------------------------------------------------------
again
own_recipients prod-us-1 "$theirs"
commit_all "$repo" "somebody else's recipient"
list=$scratch/allowed
printf '# who may read\n\n* %s\n' "$ours" >"$list"
exits "a list without the recipient" 2 "$program" --repo "$repo" --allow-recipients "$list"
says "is named" "error[OSG5070]: recipient $theirs is not allowed for cluster prod-us-1"
exits "--rotate-recipients does not outdo the list" 2 "$program" --repo "$repo" --allow-recipients "$list" --rotate-recipients
printf 'edge-eu-1 %s\n' "$theirs" >>"$list"
exits "a line for another cluster" 2 "$program" check --repo "$repo" --allow-recipients "$list"
printf 'prod-us-1 \t%s\r\n' "$theirs" >>"$list"
exits "a line for it" 0 "$program" --repo "$repo" --allow-recipients "$list"
says "is a change all the same" "warning[OSG5073]"
ok "in the subject too" grep -qF "; recipients of prod-us-1 change" <(subject)
exits "up to date" 0 "$program" check --repo "$repo" --allow-recipients "$list"
printf 'edge-eu-1 %s\n' "$ours" >"$list"
exits "a list that allows less than there is" 2 "$program" check --repo "$repo" --allow-recipients "$list"
again
: >"$list"
exits "an empty list allows nobody" 2 "$program" --repo "$repo" --allow-recipients "$list"
printf 'prod-us-1\n' >"$list"
exits "a broken list" 3 "$program" --repo "$repo" --allow-recipients "$list"
says "is named" "error[OSG5074]"
exits "no list" 3 "$program" --repo "$repo" --allow-recipients "$scratch/none"
printf '* %s\n' "$ours" >"$repo/allowed.txt"
exits "a list that is not committed" 0 "$program" check --repo "$repo" --allow-recipients "$repo/allowed.txt"
commit_all "$repo" "a list of one's own"
exits "a list in the commit" 64 "$program" --repo "$repo" --allow-recipients "$repo/allowed.txt"
says "is named" "error[OSG5075]"
for how in "--rev $base" "--rev HEAD~1 --branch rendered"; do
	# shellcheck disable=SC2086
	exits "a list in what is checked out: $how" 64 "$program" --repo "$repo" $how --allow-recipients "$repo/allowed.txt"
	says "is named" "error[OSG5075]"
done
again
mkdir "$repo/lists"
git -C "$repo/lists" -c init.defaultBranch=main init -q
printf '* %s\n' "$ours" >"$repo/lists/allowed.txt"
commit_all "$repo/lists" "a list in a submodule"
git -C "$repo" -c advice.addEmbeddedRepo=false add lists
commit_all "$repo" "the submodule, whose commit anybody could choose"
exits "a list in a submodule" 64 "$program" --repo "$repo" --allow-recipients "$repo/lists/allowed.txt"
says "is named" "error[OSG5075]"
rm -rf "$repo/lists"

# ---- what a sealed value is bound to --------------------------------------------------------------
# A wider scope lets whoever creates objects have a value opened, a MAC over less lets it stand under
# another name: either is part of the recipient's text.
fleet_with() { # SEALING: the Fleet's, with .sops.yaml's rule when that is given as a second
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]}\n%s' "$1" >"$repo/osm-gen.yaml"
	[ $# -eq 1 ] || printf '%s\n' "$2" >"$repo/.sops.yaml"
}
listed() { python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["recipients"])' "$repo/out/prod-us-1/index.json"; }
sealed_to() { fleet_with "  sealing: {format: sealed-secrets, certificate: cert.pem, scope: $1}"$'\n'; }
repo=$(fleet scope)
cp "$root/tests/keys/TEST-ONLY-sealed-secrets.crt" "$repo/cert.pem"
sealed_to strict
commit_all "$repo" "SealedSecrets"
exits "SealedSecrets" 0 "$program" --repo "$repo"
certificate=$(listed)
ok "strict has no suffix" grep -qxE 'x509-sha256:[0-9a-f]{64}' <<<"$certificate"
base=$(head_of)
for scope in namespace-wide cluster-wide; do
	again
	sealed_to "$scope"
	commit_all "$repo" "a wider scope"
	refused "scope $scope"
	says "scope $scope: names code and cluster" "error[OSG5071]: the recipients of cluster prod-us-1 have changed"
	says "scope $scope: names it" "added recipient $certificate $scope"
	printf '* %s\n' "$certificate" >"$scratch/allowed"
	exits "scope $scope: a line without it" 2 "$program" --repo "$repo" --allow-recipients "$scratch/allowed"
	says "scope $scope: is named" "error[OSG5070]: recipient $certificate $scope is not allowed"
	printf '* %s %s\n' "$certificate" "$scope" >"$scratch/allowed"
	exits "scope $scope: a line with it" 1 "$program" check --repo "$repo" --allow-recipients "$scratch/allowed"
	exits "scope $scope: --rotate-recipients" 0 "$program" --repo "$repo" --rotate-recipients
	ok "scope $scope: is no other certificate" bash -c "! grep -q OSG5015 $scratch/err"
	same "scope $scope: in the index" "$certificate $scope" "$(listed)"
	ok "scope $scope: in the message" grep -qxF "prod-us-1: can be read by $certificate $scope" <(unbroken)
	exits "scope $scope: is settled" 0 "$program" check --repo "$repo"
	exits "scope $scope: verify" 0 "$program" verify --repo "$repo" --key "$root/tests/keys/TEST-ONLY-sealed-secrets.key"
	edit_index prod-us-1 "i['recipients'] = ['$certificate']"
	commit_all "$repo" "an index that says strict"
	exits "scope $scope: verify tells what the index hides" 1 "$program" verify --repo "$repo"
	ok "scope $scope: by its code" grep -q "OSG5107.*the file's scope is $scope" "$scratch/out"
done
repo=$(fleet mac)
rule="creation_rules: [{path_regex: ^out/, age: $ours"
fleet_with "" "$rule}]"
commit_all "$repo" "recipients of .sops.yaml"
exits "recipients of .sops.yaml" 0 "$program" --repo "$repo"
base=$(head_of)
fleet_with "" "$rule, mac_only_encrypted: true}]"
commit_all "$repo" "a MAC over less"
refused "mac_only_encrypted"
says "mac_only_encrypted: is named" "added recipient $ours mac-only-encrypted"
printf '* %s\n' "$ours" >"$scratch/allowed"
exits "mac_only_encrypted: a line without it" 2 "$program" --repo "$repo" --allow-recipients "$scratch/allowed"
printf '* %s mac-only-encrypted\n' "$ours" >"$scratch/allowed"
exits "mac_only_encrypted: a line with it" 0 "$program" --repo "$repo" --allow-recipients "$scratch/allowed"
same "mac_only_encrypted: in the index" "$ours mac-only-encrypted" "$(listed)"
ok "mac_only_encrypted: in the message" grep -qxF "prod-us-1: can be read by $ours mac-only-encrypted" <(unbroken)
exits "mac_only_encrypted: is settled" 0 "$program" check --repo "$repo"
exits "mac_only_encrypted: verify" 0 "$program" verify --repo "$repo"
file=$(find "$repo/out/prod-us-1/worker" -name 'secret-*bootstrap-config.yaml' | sort | head -n 1)
sed -i 's/^    osm-gen.dev\/.*/&x/; s/^type: .*/type: "changed"/' "$file"
commit_all "$repo" "a clear member"
exits "mac_only_encrypted: a clear member: unseal says nothing" 0 "$program" unseal "$file"
exits "mac_only_encrypted: a clear member: verify does" 1 "$program" verify --repo "$repo"
ok "by the seed" grep -q 'OSG5100' "$scratch/out"

# ---- the seed -------------------------------------------------------------------------------------
start seeds
"$program" keygen seed >"$scratch/seed"
exits "another seed" 3 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo" --seal-seed-file "$scratch/seed"
says "another seed: is named" "error[OSG5003]"
same "another seed: once" 1 "$(grep -c 'OSG5003' "$scratch/err")"
says "another seed: with the other clusters" "so was the output of 1 other cluster"
own_recipients prod-us-1 "$theirs"
commit_all "$repo" "a recipient while the seed is rotated"
exits "--rotate-seed lets no recipient in" 2 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo" --seal-seed-file "$scratch/seed" --rotate-seed
again
exits "--rotate-seed" 0 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo" --seal-seed-file "$scratch/seed" --rotate-seed
sed -i 's/^  sealing:/  sealing:\n    fleet: sample/' "$repo/osm-gen.yaml"
commit_all "$repo" "a fleet with a name"
exits "another sealing.fleet" 3 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo" --seal-seed-file "$scratch/seed"
says "another sealing.fleet: is named" "whether sealing.fleet was changed"
cp -r "$repo/out" "$scratch/out.nameless"
exits "another sealing.fleet is rotated as a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo" --seal-seed-file "$scratch/seed" --rotate-seed
derived() { # tokens, sealed values, keys, fingerprints, the seed's name
	{
		grep -rhoE 'name: "?bootstrap-token-[a-z0-9]*|data:[^,]{16,},iv:[^,]+|<sealed:[^>]*#[0-9a-f]+>|"(seedId|recipientsDigest)": "[0-9a-f]+"' "$1"
		find "$1" -name 'secret-*.yaml' -exec grep -hoE '^ +[A-Za-z0-9+/=]{64}$' {} +
	} | sort -u
}
same "a name shares nothing with none" "" "$(comm -12 <(derived "$repo/out") <(derived "$scratch/out.nameless"))"
ok "of all that is derived" test "$(derived "$repo/out" | wc -l)" -gt 50
exits "is settled then" 0 env -u OSM_GEN_SEAL_SEED "$program" check --repo "$repo" --seal-seed-file "$scratch/seed"
finish
