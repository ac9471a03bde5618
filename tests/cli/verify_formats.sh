#!/usr/bin/env bash
# `osm-gen verify` on output that is sealed in other ways than the usual one: nothing is found in what osm-gen
# wrote, all of it is opened and sealed again, and each thing that somebody else did is found.
# Slow: an output in every way of sealing
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

keys=$root/tests/keys
recipient=$(sed -n 's/^# public key: //p' "$keys/TEST-ONLY-identity.txt")
secrets=out/prod-us-1/worker/cloud-init-settings
workers=$secrets/secret-workers-kube-system-provisioning-config.yaml
build=$secrets/secret-build-kube-system-provisioning-config.yaml
kubelet=$secrets/secret-kube-system-workers-kubelet-bootstrap-config.yaml
without_keys() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$@"; }
generate() { "$program" --repo "$repo" -q "$@" 2>>"$scratch/generate.err"; }

sealing() { # NAME [DEFAULT SETTINGS]: a new repository, whose `sealing` is stdin
	repo=$(fleet "$1")
	{
		printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]%s}\n  sealing:\n' "${2:-}"
		sed 's/^/    /'
	} >"$repo/osm-gen.yaml"
	commit_all "$repo" "sealing"
	generate
	ok "$1: there is output" test -e "$repo/$kubelet"
	base=$repo
}
fine() { # NAME [OPTIONS...]: nothing is found, and all that is sealed is opened and sealed again
	local name=$1
	shift
	exits "$name" 0 "$program" verify --repo "$repo" -v "$@"
	ok "$name: all is opened and sealed again" grep -qE '([1-9][0-9]*) of them sealed; \1 opened, \1 sealed again' "$scratch/out"
}
found() { # NAME CODE PATH [OPTIONS...]
	local name=$1 code=$2 path=$3
	shift 3
	exits "$name" 1 "$program" verify --repo "$repo" -v "$@"
	ok "$name: $code at $path" grep -qF "$path: warning[$code]: " "$scratch/out"
}
found_without_keys() { # NAME CODE PATH
	exits "$1" 1 without_keys "$program" verify --repo "$repo" -v
	ok "$1: $2 at $3" grep -qF "$3: warning[$2]: " "$scratch/out"
}
notes() { ok "$1" grep -qF -- "$2" "$scratch/out"; }
finds_not() { ok "$1: no $2" bash -c "! grep -q '$2' '$scratch/out'"; } # NAME CODE
fresh() { # a copy of the last repository
	repo=$scratch/$1
	cp -r "$base" "$repo"
}
with_other_seed() { # all of the output sealed with another seed, committed over the last one
	exits "another seed" 0 env OSM_GEN_SEAL_SEED="$("$program" keygen seed)" "$program" --repo "$repo" -q --rotate-seed
}

# ---- SealedSecrets -----------------------------------------------------------------------------------------
key=(--key "$keys/TEST-ONLY-sealed-secrets.key")
for scope in strict namespace-wide cluster-wide; do
	repo=$(fleet "scope-$scope")
	cp "$keys/TEST-ONLY-sealed-secrets.crt" "$repo/cert.pem"
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]}\n  sealing: {format: sealed-secrets, certificate: cert.pem, scope: %s}\n' "$scope" >"$repo/osm-gen.yaml"
	commit_all "$repo" "SealedSecrets"
	generate
	ok "$scope: a SealedSecret" grep -q '^kind: SealedSecret$' "$repo/$kubelet"
	fine "$scope: all is well" "${key[@]}"
	notes "$scope: which key it was is not known" "were sealed; their files do not show it"
	exits "$scope: without the key" 0 "$program" verify --repo "$repo"
	notes "$scope: says what was not checked" "this check needs their controller's private key"
	exits "$scope: without any key" 0 without_keys "$program" verify --repo "$repo"
	exits "$scope: in its place" 0 "$program" unseal "${key[@]}" "$repo/$kubelet"
	base=$repo

	fresh "moved-$scope"
	cp "$repo/$build" "$repo/$workers"
	commit_all "$repo" "one over another"
	found_without_keys "$scope: another object's" OSG5105 "$workers"
	exits "$scope: unseal refuses it" 2 "$program" unseal "${key[@]}" "$repo/$workers"
	says "$scope: says why" "error[OSG5085]"

	# The values of one under the other's name: only a wide scope lets them be opened.
	fresh "values-$scope"
	python3 - "$repo/$build" "$repo/$workers" <<'PY'
import sys
source, target = (open(path).read() for path in sys.argv[1:])
cut = lambda text: (text.index("  encryptedData:"), text.index("  template:"))
(a, b), (c, d) = cut(source), cut(target)
open(sys.argv[2], "w").write(target[:c] + source[a:b] + target[d:])
PY
	commit_all "$repo" "the values of another"
	found "$scope: another object's values" "$([ "$scope" = strict ] && echo OSG5106 || echo OSG5108)" "$workers" "${key[@]}"
done

base=$scratch/scope-strict
for change in \
	's/^  encryptedData:$/&\n    extra: cGxhaW4=/|OSG5106|spec.encryptedData.extra should be sealed' \
	's/^  template:$/&\n    data: {extra: plain}/|OSG5106|spec.template.data does not belong' \
	's/^  template:$/&\n    immutable: true/|OSG5106|spec.template.immutable does not belong' \
	's/^spec:$/&\n  data: {a: x}/|OSG5106|spec.data does not belong' \
	's/^spec:$/status: {}\n&/|OSG5106|status does not belong' \
	's/^  annotations:$/&\n    sealedsecrets.bitnami.com\/cluster-wide: "true"/|OSG5106|the annotations mean cluster-wide' \
	's/^      name: .*/      name: other/|OSG5105|another name'; do
	IFS='|' read -r how code text <<<"$change"
	fresh changed
	sed -i "$how" "$repo/$workers"
	commit_all "$repo" "$text"
	found_without_keys "SealedSecret: $text" "$code" "$workers"
	notes "SealedSecret: says $text" "$text"
	rm -rf "$repo"
done
fresh scope
python3 - "$repo/$workers" <<'PY'
import sys
text = open(sys.argv[1]).read()
for indent in "  ", "      ":
    above = "\n" + indent + "annotations:\n"
    assert text.count(above) == 1
    text = text.replace(above, above + indent + "  sealedsecrets.bitnami.com/cluster-wide: \"true\"\n")
open(sys.argv[1], "w").write(text)
PY
commit_all "$repo" "a wider scope"
found_without_keys "another scope than the inputs say" OSG5106 "$workers"
notes "says which" "the file's scope is cluster-wide, but the cluster's is strict"
fresh seed
with_other_seed
found "SealedSecrets with another seed" OSG5108 "$workers" "${key[@]}"
openssl genrsa 2048 >"$scratch/other.key" 2>/dev/null
repo=$base
exits "another controller's key" 0 "$program" verify --repo "$repo" --key "$scratch/other.key" -v
notes "is no finding" "none of the private keys decrypts the file"
exits "no key" 3 "$program" verify --repo "$repo" --key "$keys/TEST-ONLY-ssh-ed25519.key"
fresh certificate
openssl req -x509 -key "$scratch/other.key" -subj /CN=other -days 3650 -out "$repo/cert.pem" 2>/dev/null
commit_all "$repo" "another certificate"
fine "the certificate has changed since: that of the last run counts" "${key[@]}"
notes "the certificate has changed since" "sealed files follow the settings of the last run"
cp -r "$repo" "$scratch/certificate-forged"
repo=$scratch/certificate-forged
OSM_GEN_SEAL_SEED="$("$program" keygen seed)" "$program" --repo "$scratch/seed" -q --rotate-seed 2>>"$scratch/generate.err"
cp "$scratch/seed/$workers" "$repo/$workers"
commit_all "$repo" "one by another seed"
found "the certificate has changed since: somebody else's file" OSG5108 "$workers" "${key[@]}"
git clone -q --depth 1 "file://$scratch/certificate" "$scratch/certificate-shallow"
repo=$scratch/certificate-shallow
exits "the certificate has changed since: without the last run's commit" 0 "$program" verify --repo "$repo" "${key[@]}" -v
notes "nothing is sealed again" "the inputs do not hold the certificate that the index names"
finds_not "nobody is blamed" OSG5108
fresh mixed
sed -i '/"x509-sha256:/s/"x509[^"]*"/"'"$recipient"'"/' "$repo/out/prod-us-1/index.json"
commit_all "$repo" "an age recipient"
found_without_keys "an index of age recipients" OSG5107 "$workers"

# ---- osc: patch --------------------------------------------------------------------------------------------
sealing patch ", osc: patch" <<<"{format: sops, recipients: [$recipient]}"
patch=$(cd "$repo" && find out/prod-us-1 -name '*.sealed' | sort | head -n 1)
other=$(cd "$repo" && find out/prod-us-1 -name '*.sealed' | sort | tail -n 1)
ok "there are patches" test -n "$patch" -a "$patch" != "$other"
fine "patches: all is well"
exits "unseal a patch" 0 "$program" unseal "$repo/$patch"
fresh patch-over
cp "$repo/$other" "$repo/$patch"
commit_all "$repo" "one patch over another"
found "another object's patch" OSG5108 "$patch"
fresh patch-object
cp "$repo/$kubelet" "$repo/$patch"
commit_all "$repo" "an object over a patch"
found_without_keys "an object in the place of a patch" OSG5105 "$patch"
exits "unseal refuses it" 2 "$program" unseal "$repo/$patch"
fresh patch-value
sed -i 's/\(data:[A-Za-z0-9+\/]\{6\}\)./\1A/' "$repo/$patch"
commit_all "$repo" "a changed patch"
found "a changed patch" OSG5106 "$patch"
fresh patch-kustomization
python3 - "$repo/out/prod-us-1/management/kustomization.yaml" <<'PY'
import sys
text = open(sys.argv[1]).read()
assert "\npatches:\n" in text
open(sys.argv[1], "w").write(text + "- path: somewhere\n")
PY
commit_all "$repo" "one patch more"
found_without_keys "a patch that the index does not list" OSG5105 out/prod-us-1/management/kustomization.yaml
fresh patch-seed
with_other_seed
found "patches with another seed" OSG5108 "$patch"
fresh patch-moved
git -C "$repo" mv "$patch" "${patch%.sealed}-x.sealed"
base_name=$(basename "$patch" .sealed)
sed -i "s/$base_name\.sealed/$base_name-x.sealed/" "$repo/out/prod-us-1/index.json" "$repo/out/prod-us-1/management/kustomization.yaml"
commit_all "$repo" "a patch of another name"
found_without_keys "a patch that is not beside its object" OSG5105 "${patch%.sealed}-x.sealed"

# ---- .sops.yaml --------------------------------------------------------------------------------------------
rules() { # NAME: a repository whose .sops.yaml is stdin, and whose osm-gen.yaml names no recipient
	repo=$(fleet "$1")
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]%s}\n' "${2:-}" >"$repo/osm-gen.yaml"
	cat >"$repo/.sops.yaml"
	commit_all "$repo" "rules"
	generate
	ok "$1: there is output" test -e "$repo/$kubelet"
	base=$repo
	fine "$1: all is well"
}
rules encrypted <<<"creation_rules: [{path_regex: ^out/, encrypted_regex: '^(data|stringData|token)\$', mac_only_encrypted: true, age: $recipient}]"
ok "the rule stands in the file" grep -q 'encrypted_regex: .*token' "$repo/$kubelet"
ok "and how the MAC is made" grep -q 'mac_only_encrypted: true' "$repo/$kubelet"
fresh rule
sed -i 's/|token//' "$repo/.sops.yaml"
commit_all "$repo" "another rule"
# An auditor asks whether the output is osm-gen's: the last run's own inputs say so, and check says the rest.
fine "the rule was changed after the run"
ok "the rule was changed after the run: how many files, and what to do" grep -qE '([1-9][0-9]*) of them sealed' "$scratch/out"
notes "the rule was changed after the run" "sealed files follow the settings of the last run, and .sops.yaml or osm-gen.yaml has changed since: run \`osm-gen generate\`"
exits "the rule was changed after the run: check" 1 "$program" check --repo "$repo"
cp -r "$repo" "$scratch/rule-forged"
cp -r "$repo" "$scratch/rule-run"
git clone -q --depth 1 "file://$repo" "$scratch/rule-shallow"
repo=$scratch/rule-forged
OSM_GEN_SEAL_SEED="$("$program" keygen seed)" "$program" --repo "$scratch/rule" -q --rotate-seed 2>>"$scratch/generate.err"
cp "$scratch/rule/$kubelet" "$repo/$kubelet"
commit_all "$repo" "one by another seed"
found "the rule was changed after the run: somebody else's file" OSG5108 "$kubelet"
repo=$scratch/rule-shallow
found "the rule was changed after the run: without its commit" OSG5108 "$kubelet"
notes "says what to do" "after a change of .sops.yaml run \`osm-gen generate\`"
repo=$scratch/rule-run
generate
fine "the rule was changed after the run: the remedy"
ok "leaves nothing to say" bash -c "! grep -q 'settings of the last run' '$scratch/out'"
fresh no-rule
rm "$repo/.sops.yaml"
cp "$root/osm-gen.yaml" "$repo/osm-gen.yaml"
commit_all "$repo" "no rule"
fine "the rule is gone"
notes "the rule is gone" "sealed files follow the settings of the last run"
fresh rule-seed
with_other_seed
found "another seed under the rule" OSG5108 "$kubelet"
# Without mac_only_encrypted in the file the MAC covers all; with it, what is clear could be changed.
rules usual <<<"creation_rules: [{age: $recipient}]"
fresh mac-only
sed -i 's/^    lastmodified:/    mac_only_encrypted: true\n&/' "$repo/$kubelet"
commit_all "$repo" "a MAC over less"
found "mac_only_encrypted that no rule asks for" OSG5106 "$kubelet"
rules unencrypted <<<"creation_rules: [{unencrypted_regex: '^(apiVersion|kind|metadata|type|immutable)\$', key_groups: [{age: [$recipient]}]}]"
ok "the other kind of rule stands in the file" grep -q 'unencrypted_regex: ' "$repo/$kubelet"
rules sealed-osc ", osc: sealed" <<<"creation_rules: [{age: $recipient}]"
ok "sealed OperatingSystemConfigs" grep -rq '^sops:' "$repo/out/prod-us-1/management"
rules sealed-osc-rule ", osc: sealed" <<<"creation_rules: [{encrypted_regex: '^(data|stringData)\$', age: $recipient}]"
ok "OperatingSystemConfigs under a rule" grep -rqF 'encrypted_regex: ^(data|stringData)$' "$repo/out/prod-us-1/management"

# ---- lengths, fleets, several recipients -------------------------------------------------------------------
sealing lengths <<<"{format: sops, roundLengths: 4096, recipients: [$recipient]}"
fine "rounded lengths"
sealing patch-lengths ", osc: patch" <<<"{format: sops, roundLengths: 4096, recipients: [$recipient]}"
fine "rounded patches"
# One cluster's output as SealedSecrets, the other one's with SOPS.
repo=$(fleet two-formats)
cp "$keys/TEST-ONLY-sealed-secrets.crt" "$repo/tests/fleet/prod-us-1/cert.pem"
printf '  sealing: {format: sealed-secrets, certificate: cert.pem}\n' >>"$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "two formats"
generate
fine "a format for each cluster" "${key[@]}"
exits "without the controller's key" 0 "$program" verify --repo "$repo"
ok "the others are opened" grep -qE '[1-9][0-9]* opened, [1-9][0-9]* sealed again' "$scratch/out"
sealing fleet <<<"{format: sops, fleet: one, recipients: [$recipient]}"
fine "a fleet with a name"
notes "somebody vouches" "vouched for by commit"
fresh fleet-changed
sed -i 's/fleet: one/fleet: two/' "$repo/osm-gen.yaml"
commit_all "$repo" "another name"
found "another fleet's output" OSG5108 "$kubelet"
notes "names the remedy" "after a change of the seed or of sealing.fleet run it with --rotate-seed"
generate --rotate-seed
fine "sealed for this fleet"
sealing own-branch <<<"{format: sops, fleet: one, recipients: [$recipient]}"
git -C "$repo" rm -rq out
commit_all "$repo" "without output"
generate --branch rendered
git -C "$repo" commit -q --allow-empty -m "later"
fine "on a branch of its own" --rev rendered --inputs-rev HEAD
# There the run's inputs are those of its source.
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]}\n  sealing: {fleet: one}\n' >"$repo/osm-gen.yaml"
echo "creation_rules: [{path_regex: ^out/, encrypted_regex: '^(data|stringData|token)\$', age: $recipient}]" >"$repo/.sops.yaml"
commit_all "$repo" "a rule"
generate --branch rendered
fine "on a branch of its own, under a rule" --rev rendered --inputs-rev HEAD
sed -i 's/|token//' "$repo/.sops.yaml"
commit_all "$repo" "another rule"
fine "on a branch of its own, the rule was changed after the run" --rev rendered --inputs-rev HEAD
notes "on a branch of its own, the rule was changed after the run" "sealed files follow the settings of the last run"
"$program" keygen identity >"$scratch/second"
second=$(sed -n 's/^# public key: //p' "$scratch/second")
ssh=$(cut -d' ' -f1,2 <"$keys/TEST-ONLY-ssh-ed25519.pub")
sealing several <<<"{format: sops, recipients: ['$ssh TEST-ONLY comment', $recipient, $second]}"
ok "three of them" test "$(grep -c 'recipient: ' "$repo/$kubelet")" -eq 3
fine "an SSH key and several others"
repo=$base
exits "with the second identity alone" 0 env SOPS_AGE_KEY_FILE="$scratch/second" "$program" verify --repo "$repo"
ok "all is opened and sealed again" grep -qE '([1-9][0-9]*) of them sealed; \1 opened, \1 sealed again' "$scratch/out"
fresh fewer
python3 - "$repo/out/prod-us-1/index.json" "$second" <<'PY'
import json, sys
index = json.load(open(sys.argv[1]))
index["recipients"].remove(sys.argv[2])
json.dump(index, open(sys.argv[1], "w"))
PY
commit_all "$repo" "one recipient less"
found_without_keys "one whom the index does not name" OSG5107 "$kubelet"

# ---- output from before there were trailers ----------------------------------------------------------------
sealing vouch <<<"{format: sops, recipients: [$recipient]}"
untrailed() { # the last commit, with a message that says nothing of a run
	git -C "$repo" commit -q --amend --allow-empty -m "output"
}
untrailed
found "no trailers" OSG5109 out
notes "names the remedy" "osm-gen generate --vouch"
before=$(git -C "$repo" rev-parse HEAD)
exits "a run with nothing to change" 0 "$program" --repo "$repo"
says "says that nobody vouches" "warning[OSG5109]: the output is up to date, and no commit vouches for it"
says "and what to do" "osm-gen generate --vouch"
same "and makes no commit" "$before" "$(git -C "$repo" rev-parse HEAD)"
exits "and check is content" 0 "$program" check --repo "$repo"
cp -r "$repo" "$scratch/vouch-again"
exits "--vouch" 0 "$program" generate --vouch --repo "$repo"
ok "no warning then" bash -c "! grep -q OSG5109 $scratch/err"
made=$(git -C "$repo" rev-parse HEAD)
same "one commit, with the same tree" "$before $(git -C "$repo" rev-parse "$before^{tree}")" \
	"$(git -C "$repo" rev-parse HEAD^) $(git -C "$repo" rev-parse "HEAD^{tree}")"
same "its subject" "osm-gen: vouch for the output" "$(git -C "$repo" log -1 --format=%s)"
same "the work tree is as it was" "" "$(git -C "$repo" status --porcelain)"
fine "it vouches"
notes "by name" "vouched for by commit ${made:0:12}"
exits "--vouch once more" 0 "$program" generate --vouch --repo "$repo"
same "makes no other" "$made" "$(git -C "$repo" rev-parse HEAD)"
exits "a run after it" 0 "$program" --repo "$repo"
ok "has no warning" bash -c "! grep -q OSG5109 $scratch/err"
exits "the same from the same" 0 "$program" generate --vouch -j 1 --repo "$scratch/vouch-again"
same "is the same commit" "$made" "$(git -C "$scratch/vouch-again" rev-parse HEAD)"
# Somebody's output is not vouched for: the run replaces it, and its commit says so.
fresh vouch-changed
untrailed
echo "# more" >>"$repo/$kubelet"
commit_all "$repo" "a line"
exits "--vouch where the output is changed" 0 "$program" generate --vouch --repo "$repo"
ok "it is what the inputs make again" bash -c "! grep -q '^# more' $repo/$kubelet"
ok "by a commit that changes it" bash -c "! git -C $repo diff --quiet HEAD^ HEAD"
fine "which vouches"
fresh vouch-replay
old=$(git -C "$repo" rev-parse HEAD)
sed -i '0,/kubelet: 1\.[0-9.]*/s//kubelet: 1.34.3/' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$repo" "another version"
generate
git -C "$repo" checkout -q "$old" -- .
commit_all "$repo" "the old inputs and the old output"
found "an old output, brought back with its inputs" OSG5101 "$workers"
# The inputs ask for it, which --vouch has compared: a commit that takes another one back looks the same.
exits "--vouch for it" 0 "$program" generate --vouch --repo "$repo"
same "makes a commit: the vouchers are of something else" "osm-gen: vouch for the output" "$(git -C "$repo" log -1 --format=%s)"
fine "which vouches for it"
for other in --no-commit --worktree; do
	exits "--vouch $other" 64 "$program" generate --vouch "$other" --repo "$repo"
	says "--vouch $other" "--vouch does not go with $other"
done
repo=$(fleet vouch-branch)
generate --branch rendered
tree=$(git -C "$repo" rev-parse "rendered^{tree}")
git -C "$repo" update-ref refs/heads/rendered "$(git -C "$repo" commit-tree -p main -m "output" "$tree")"
exits "--vouch on a branch of its own" 0 "$program" generate --vouch --branch rendered --repo "$repo"
same "there" "osm-gen: vouch for the output" "$(git -C "$repo" log -1 --format=%s rendered)"
exits "it vouches" 0 "$program" verify --repo "$repo" --rev rendered --inputs-rev main
finish
