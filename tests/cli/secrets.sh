#!/usr/bin/env bash
# Secrets planted in every input that can hold one: none stands in the clear anywhere; each is where it
# should be once unsealed; a change of one byte changes only what holds it.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

planted=$scratch/.planted
plant() { # NAME: a made-up secret, remembered
	local text
	text="PLANTED-$1-$(printf '%s' "$1" | sha256sum | cut -c1-20)"
	grep -qxF "$text" "$planted" 2>/dev/null || echo "$text" >>"$planted"
	printf '%s' "$text"
}
coproc finder { exec python3 "$here/_find_secrets.py" --serve; }
find_secrets() { # FILE...: prints the secrets that are in one, and fails then
	local IFS=$'\t' line
	echo "$planted	$*" >&"${finder[1]}"
	while IFS= read -r line <&"${finder[0]}" && [[ $line != [01] ]]; do
		echo "$line"
	done
	return "${line:-1}"
}

repo=$(fleet planted)
cluster=$repo/tests/fleet/edge-eu-1
cat >"$cluster/osm-gen.yaml" <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata:
  name: edge-eu-1
spec:
  settings:
    externalCloudProvider: true
    nodeHTTPProxy: http://proxyuser:$(plant proxy)@proxy.osm-gen.example:3128
    nodeRegistryMirrors: [https://mirroruser:$(plant mirror)@mirror.osm-gen.example]
    nodeRegistryCredentialsSecret: kube-system/registries
YAML
cat >"$cluster/getter-token.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
data:
  token: $(plant getter | base64 -w0)
YAML
auth=$(printf 'robot:%s' "$(plant registry-auth)" | base64 -w0)
cat >"$cluster/registries.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: registries, namespace: kube-system}
type: kubernetes.io/dockerconfigjson
stringData:
  .dockerconfigjson: '{"auths": {"registry.osm-gen.example": {"username": "robot", "password": "$(plant registry)"}, "other.osm-gen.example": {"auth": "$auth"}}}'
YAML
cat >"$cluster/bootstrap-token.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata:
  name: bootstrap-token-abc123
  namespace: kube-system
  labels:
    machinedeployment.k8s.io/name: kube-system-workers
type: bootstrap.kubernetes.io/token
stringData:
  token-id: abc123
  token-secret: 0123456789plant0
YAML
echo 0123456789plant0 >>"$planted"
sed -i "s/serverType: cx42,/serverType: cx42, token: $(plant inline-token),/" "$cluster/machinedeployments.yaml"
sed -i "s/region: us-east-1,/region: us-east-1, accessKeyId: AKIAEXAMPLE, secretAccessKey: $(plant inline-aws),/" \
	"$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
# A getter token outside of git for the other cluster.
mkdir -p "$scratch/mounted"
cat >"$scratch/mounted/token.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData:
  token: $(plant mounted)
YAML
commit_all "$repo" "planted"

exits "generate" 0 "$program" --repo "$repo" -v --report "json=$scratch/report.json" --report "markdown=$scratch/report.md"
cp "$scratch/err" "$scratch/said.1"
git -C "$repo" log -1 --format=%B >"$scratch/message"
ok "no secret in the output, the reports, what was said, the message" \
	find_secrets "$repo/out" "$scratch/report.json" "$scratch/report.md" "$scratch/said.1" "$scratch/message"
printf '%s\n' "$OSM_GEN_SEAL_SEED" >"$scratch/seed"
ok "nor the seed" bash -c "! grep -rqF -f $scratch/seed $repo/out $scratch/report.json $scratch/said.1"
sed -i 's/kubelet: 1.35.2/kubelet: 1.35.1/' "$cluster/machinedeployments.yaml"
commit_all "$repo" "another version"
exits "diff" 1 "$program" diff --repo "$repo"
cat "$scratch/out" "$scratch/err" >"$scratch/said.2"
ok "no secret in a diff" find_secrets "$scratch/said.2"
for what in osc bootstrap provisioning; do
	exits "render $what" 0 "$program" render --repo "$repo" --machine-deployment edge-eu-1/kube-system/workers --print $what
	cat "$scratch/out" "$scratch/err" >"$scratch/said.3"
	ok "no secret in a rendered $what" find_secrets "$scratch/said.3"
done
exits "render, revealed" 0 "$program" render --repo "$repo" --machine-deployment edge-eu-1/kube-system/workers --print osc --reveal
ok "shows the secret" grep -qF "$(plant inline-token)" "$scratch/out"
exits "with --secrets" 0 "$program" --repo "$repo" --secrets "$scratch/mounted" -v
ok "no secret of --secrets in the output" find_secrets "$repo/out" "$scratch/err" "$scratch/out"

# ---- each is where it should be -------------------------------------------------------------------
unsealed() { "$program" unseal "$repo/out/$1" | python3 -c '
import base64, re, sys
for name, text in re.findall(r"^  ([\w-]+): (\S+)$", sys.stdin.read(), re.M):
    try: text = base64.b64decode(text, validate=True).decode()
    except ValueError: continue
    print(text)
    for inner in re.findall(r"^ *([A-Za-z0-9+/]{40,}=*)$", text, re.M):
        print(base64.b64decode(inner).decode(errors="replace"))
'; }
holds() { unsealed "$1" 2>&1 | grep -qF -- "$2"; }
dir=worker/cloud-init-settings
ok "the getter token reaches the bootstrap Secret" holds edge-eu-1/$dir/secret-workers-kube-system-bootstrap-config.yaml "$(plant mounted)"
ok "the registry password reaches the provisioning Secret" holds edge-eu-1/$dir/secret-workers-kube-system-provisioning-config.yaml "$(plant registry)"
ok "the bootstrap token reaches the kubeconfig" holds edge-eu-1/$dir/secret-kube-system-workers-kubelet-bootstrap-config.yaml "abc123.0123456789plant0"
ok "the OSC says what was taken out" grep -rqE '<sealed:[^>]+>' "$repo/out/edge-eu-1/management"

# ---- one byte -------------------------------------------------------------------------------------
before=$(git -C "$repo" rev-parse HEAD)
sed -i 's/0123456789plant0/0123456789plant1/' "$cluster/bootstrap-token.yaml"
commit_all "$repo" "one byte of a token"
exits "one byte" 0 "$program" --repo "$repo" --secrets "$scratch/mounted"
same "changes only what holds it, and proofs" "out/edge-eu-1/index.json
out/edge-eu-1/$dir/secret-kube-system-workers-kubelet-bootstrap-config.yaml" \
	"$(git -C "$repo" diff --name-only "$before" HEAD -- out)"
same "and nothing but proofs of the index" "" \
	"$(git -C "$repo" diff -U0 "$before" HEAD -- out/edge-eu-1/index.json | grep '^[+-] ' | grep -v '"proof": "[0-9a-f]\{32\}"$')"

# ---- encrypted inputs ------------------------------------------------------------------------------
repo=$(fleet encrypted)
exits "generate" 0 "$program" --repo "$repo"
# A Secret that osm-gen sealed itself serves as an encrypted input.
cp "$repo/out/edge-eu-1/$dir/secret-workers-kube-system-bootstrap-config.yaml" "$scratch/sealed.yaml"
sed -i '1d; s/workers-kube-system-bootstrap-config/cloud-init-getter-token/; s/^\( *\)cloud-config:/\1token:/' "$scratch/sealed.yaml"
cp "$scratch/sealed.yaml" "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
commit_all "$repo" "a tampered Secret"
exits "a tampered input is noticed" 2 "$program" --repo "$repo"
exits "no identity" 3 env -u SOPS_AGE_KEY_FILE "$program" --repo "$repo"
says "names the variables" "SOPS_AGE_KEY"
exits "validate needs none" 0 env -u SOPS_AGE_KEY_FILE -u OSM_GEN_SEAL_SEED "$program" validate --repo "$repo"
if command -v sops >/dev/null 2>&1; then
	cat >"$repo/tests/fleet/edge-eu-1/getter-token.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData:
  token: $(plant encrypted)
YAML
	recipient=$(age-keygen -y "$SOPS_AGE_KEY_FILE")
	sops --encrypt --age "$recipient" --encrypted-regex '^(data|stringData)$' --in-place "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
	commit_all "$repo" "encrypted by sops"
	exits "an input that sops encrypted" 0 "$program" --repo "$repo"
	ok "stays sealed" find_secrets "$repo/out" "$scratch/err"
	ok "and arrives" holds edge-eu-1/$dir/secret-workers-kube-system-bootstrap-config.yaml "$(plant encrypted)"
else
	skip "sops is not installed: inputs that it encrypted are tested with make oracle"
fi

# ---- pasted where it does not belong ---------------------------------------------------------------
# A secret of the inputs ends the run wherever else it stands, also where no template writes it.
pasted() { # NAME FILE SED: nothing is written, nothing is said of it
	local head
	repo=$(fleet "pasted-$1")
	rm -f "$planted"
	plant getter >/dev/null
	sed -i "s/^  token: .*/  token: $(plant getter)/" "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
	sed -i "$3" "$repo/$2"
	commit_all "$repo" "pasted"
	head=$(git -C "$repo" rev-parse HEAD)
	exits "pasted into $1" 2 "$program" --repo "$repo" -v --report "json=$scratch/report.json"
	same "pasted into $1: nothing moved" "$head" "$(git -C "$repo" rev-parse HEAD)"
	ok "pasted into $1: nothing is shown" find_secrets "$scratch/err" "$scratch/out" "$scratch/report.json"
	for what in osc bootstrap provisioning; do
		"$program" render --repo "$repo" --machine-deployment edge-eu-1/kube-system/workers --print $what >"$scratch/out" 2>"$scratch/err"
		ok "pasted into $1: nor by render of the $what" find_secrets "$scratch/err" "$scratch/out"
	done
}
pasted "an SSH key" tests/fleet/edge-eu-1/machinedeployments.yaml "s/ops@osm-gen.example/$(plant getter)/"
pasted "another cluster" tests/fleet/prod-us-1/machinedeployments.yaml "s/vpc-0a1b2c3d/$(plant getter)/"
pasted "a profile" profiles/ubuntu.yaml "s/^  osVersion: .*/  osVersion: $(plant getter)/"
pasted "a broken template" profiles/ubuntu.yaml "/^spec:/,/{{/s/{{/$(plant getter) {{ nosuch }} {{/"

# ---- lines that are shown --------------------------------------------------------------------------
# Mistakes beside a credential are reported without the line.
beside() { # NAME SED
	repo=$(fleet "beside-$1")
	rm -f "$planted"
	plant inline >/dev/null
	sed -i "$2" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
	commit_all "$repo" "beside"
	exits "a mistake beside a credential, $1" 2 "$program" --repo "$repo" --report "markdown=$scratch/report.md"
	ok "a mistake beside a credential, $1: is not shown" find_secrets "$scratch/err" "$scratch/report.md"
	exits "a mistake beside a credential, $1: validate" 2 "$program" validate --repo "$repo"
	ok "a mistake beside a credential, $1: nor by validate" find_secrets "$scratch/err"
}
beside "in one line" "s/cloudProviderSpec: {/cloudProviderSpec: {token: $(plant inline)}, nosuch: {/"
beside "in broken YAML" "s/cloudProviderSpec: {/cloudProviderSpec: {token: $(plant inline)}, ]: {/"
beside "of a wrong kind" "s/operatingSystem: ubuntu/overwriteCloudConfig: [$(plant inline)]/"

# ---- credentials by many names ---------------------------------------------------------------------
repo=$(fleet names)
rm -f "$planted"
spec=""
for name in passwords adminPassword passwordBase64 apiTokens tokenValue client_secret secretData privateKeyPem \
	accessKey credentials kubeconfigData authorization pass auth; do
	spec+="$name: $(plant "$name"), "
done
spec+="nested: {list: [{token: [$(plant nested)]}]}, valued: {secret: {value: $(plant valued)}}, endpoint: 'https://u:$(plant url)@h.example/'"
sed -i "s|serverType: cx42,|serverType: cx42, $spec, userPassword: 2718281828459045, otherPassword: 31415926.5358979,|" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
printf '2718281828459045\n31415926.5358979\n' >>"$planted"
commit_all "$repo" "many names"
exits "credentials of many names" 0 "$program" --repo "$repo"
ok "are all hidden" find_secrets "$repo/out" "$scratch/err"
ok "what is none is shown" grep -rqF "serverType: cx42" "$repo/out"
sed -i "s|cloudProviderSpec: {serverType: cx52.*|cloudProviderSpec: $(plant no-map)|" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "no map"
exits "a credential in place of the specification" 2 "$program" --repo "$repo"
ok "is hidden" find_secrets "$repo/out" "$scratch/err"
git -C "$repo" checkout -q HEAD~1 -- tests/fleet && commit_all "$repo" "a map again"

# A password that is a word of our own output is no reason to fail.
for word in kubernetes password openstack cloud-init; do
	sed -i "s/serverType: cx42, .*networks: \[nodes\]}/serverType: cx42, password: $word, networks: [nodes]}/; s/serverType: cx42, password: [a-z-]*,/serverType: cx42, password: $word,/" \
		"$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
	commit_all "$repo" "$word"
	exits "the password $word" 0 "$program" --repo "$repo"
	ok "the password $word is hidden where it stands" grep -rq "password: <sealed:" "$repo/out"
done

# The digest that shows changes of a template confirms no guess of what stands in it.
repo=$(fleet digest)
sed -i "0,/operatingSystem: ubuntu/s//operatingSystem: ubuntu\n          overwriteCloudConfig: guessable/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "a cloud config"
exits "a cloud config" 0 "$program" --repo "$repo"
ok "has a keyed digest" grep -qE 'template-digest: "?[0-9a-f]{16}:[0-9a-f]{32}' "$repo/out/edge-eu-1/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml"

# ---- settings and cluster-info ---------------------------------------------------------------------
# Credentials in URLs, with and without a scheme; a profile that prints each setting by itself.
repo=$(fleet settings)
cluster=$repo/tests/fleet/edge-eu-1
rm -f "$planted"
cat >"$cluster/osm-gen.yaml" <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {name: edge-eu-1}
spec:
  settings:
    externalCloudProvider: true
    nodeHTTPProxy: proxyuser:$(plant proxy)@proxy.osm-gen.example:3128
    nodeNoProxy: localhost,other.osm-gen.example
    nodeContainerdRegistryMirrors: ["docker.io=https://u:$(plant mirror)@mirror.osm-gen.example"]
YAML
sed -i "s|server: https://|proxy-url: http://u:$(plant proxy-url)@p.osm-gen.example\n        server: https://u:$(plant server)@|" "$cluster/cluster-info.yaml"
sed "s/name: osp-ubuntu$/name: osp-printing/; /^spec:/,/{{/s/{{/{{ .HTTPProxy }} {{ .NoProxy }} {{ .ServerURL }} {{ .BootstrapKubeconfig }} {{/" "$repo/profiles/ubuntu.yaml" >"$cluster/osp.yaml"
sed -i 's/osp-ubuntu/osp-printing/' "$cluster/machinedeployments.yaml"
commit_all "$repo" "passwords in URLs"
exits "passwords in URLs" 0 "$program" --repo "$repo" -v
ok "are hidden" find_secrets "$repo/out" "$scratch/err"
ok "the profile was used" test -e "$repo/out/edge-eu-1/management/kube-system/operatingsystemprofile-osp-printing.yaml"
sed -i "s/nodeNoProxy/nosuch: {a: 'http:\/\/u:$(plant beside)@h'}\n    nodeNoProxys/; s/http:\/\/u:/banana: http:\/\/u:/" "$cluster/osm-gen.yaml"
commit_all "$repo" "mistakes beside them"
exits "mistakes beside them" 2 "$program" --repo "$repo"
ok "do not show them" find_secrets "$scratch/err"

# A private key among certificates would go to every machine, and stand in the OSC.
repo=$(fleet bundle)
{
	sed -n 's/.*certificate-authority-data: //p' "$repo/tests/fleet/edge-eu-1/cluster-info.yaml" | base64 -d
	printf -- '-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n' "$(plant key | base64 -w0)"
} >"$repo/tests/fleet/edge-eu-1/ca.pem"
sed -i 's/  settings:/  settings:\n    hostCABundle: ca.pem/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "a key in a bundle"
exits "a private key in hostCABundle" 2 "$program" --repo "$repo"
says "is reported" "holds a private key"
repo2=$(fleet bundle2)
sed -i "s/certificate-authority-data: .*/certificate-authority-data: $(base64 -w0 "$repo/tests/fleet/edge-eu-1/ca.pem")/" "$repo2/tests/fleet/edge-eu-1/cluster-info.yaml"
commit_all "$repo2" "a key in cluster-info"
exits "a private key in cluster-info" 2 "$program" --repo "$repo2"
says "is reported as well" "holds a private key"

# A password that YAML takes for something else is not quoted by the message.
for sign in '*' '&' '!' '%' '@' '|' '>' '[' '{' '"'; do
	repo=$(fleet sign)
	printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}\nstringData:\n  token: %s%s\n  more: [\n' \
		"$sign" "$(plant sign)" >"$repo/tests/fleet/edge-eu-1/getter-token.yaml"
	commit_all "$repo" "a password that begins with $sign"
	exits "a password that begins with $sign" 2 "$program" --repo "$repo"
	ok "a password that begins with $sign is not shown" find_secrets "$scratch/err"
	rm -rf "$repo"
done

# ---- where no secret belongs ------------------------------------------------------------------------
# Each ends the run, and neither what is said nor a report quotes it.
misplaced() { # NAME STATUS
	commit_all "$repo" "misplaced"
	for command in generate validate check diff; do
		exits "$1: $command" "$2" "$program" $command --repo "$repo" --report "json=$scratch/r.json" \
			--report "markdown=$scratch/r.md" --report "sarif=$scratch/r.sarif" --report "junit=$scratch/r.xml"
		ok "$1: $command is silent about it" find_secrets "$scratch/out" "$scratch/err" \
			"$scratch/r.json" "$scratch/r.md" "$scratch/r.sarif" "$scratch/r.xml"
	done
	rm -rf "$repo"
}
anew() {
	repo=$(fleet misplaced)
	cluster=$repo/tests/fleet/edge-eu-1
	rm -f "$planted"
}
anew
perl -0pi -e "s/- ssh-ed25519.*/- \"-----BEGIN OPENSSH PRIVATE KEY-----\\\\n$(plant ssh)\\\\n-----END OPENSSH PRIVATE KEY-----\"/" "$cluster/machinedeployments.yaml"
misplaced "a private key among sshPublicKeys" 2
for setting in "pauseImage: u:$(plant pause)@registry.example/pause:3" "nodeInsecureRegistries: ['http://u:$(plant insecure)@registry.example']" \
	"nodeContainerdRegistryMirrors: ['https://u:$(plant mirror)@registry.example=https://mirror.example']" \
	"nodeContainerdRegistryMirrors: {'u:$(plant name)@registry.example': [https://mirror.example]}" \
	"nodeContainerdRegistryMirrors: ['https://u:$(plant half)=x@registry.example']"; do
	anew
	for name in pause insecure mirror name half; do plant $name >/dev/null; done
	printf '    %s\n' "$setting" >>"$cluster/osm-gen.yaml"
	misplaced "${setting%%:*}" 2
done
anew
sed -i "s/recipients:/recipients:\n    - AGE-SECRET-KEY-1$(plant recipient)/" "$repo/osm-gen.yaml"
misplaced "an identity among recipients" 2
# Files that are no YAML, with credentials under names that stand elsewhere than before a colon.
for text in "env:\n- name: DB_PASSWORD\n  value: [$(plant env)}" "literals:\n- password=$(plant literal) ]: [" \
	"id_rsa: [-----BEGIN OPENSSH PRIVATE KEY-----$(plant rsa)}" "kind: ConfigMap\ndata: {password: $(plant map)]"; do
	anew
	for name in env literal rsa map; do plant $name >/dev/null; done
	printf "%b\n" "$text" >"$cluster/other.yaml"
	misplaced "${text%%:*} that is broken" 2
done
for text in "{$(plant braces)}" "{{ $(plant braces) }}"; do
	anew
	plant braces >/dev/null
	sed -i "s/cloudProviderSpec: {/cloudProviderSpec: {token: $text, /" "$cluster/machinedeployments.yaml"
	commit_all "$repo" "braces"
	exits "a password in braces" 2 "$program" --repo "$repo"
	ok "a password in braces is not shown" find_secrets "$scratch/err" "$scratch/out"
	rm -rf "$repo"
done

# A credential that a ConfigMap holds is one all the same.
anew
sed -i "s/cloudProvider: hetzner/cloudProvider: openstack/; s/cloudProviderSpec: {.*/cloudProviderSpec: {password: {configMapKeyRef: {namespace: kube-system, name: cloud, key: pw}}, username: u, identityEndpoint: 'https:\/\/x', domainName: d, region: r, tenantName: t}/; s/kubelet: 1.35.2/kubelet: 1.28.1/" "$cluster/machinedeployments.yaml"
sed -i 's/externalCloudProvider: true/externalCloudProvider: false/' "$cluster/osm-gen.yaml"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cloud, namespace: kube-system}\ndata: {pw: %s}\n' "$(plant config-map)" >"$cluster/cloud.yaml"
commit_all "$repo" "a password in a ConfigMap"
exits "a password in a ConfigMap" 0 "$program" --repo "$repo"
ok "a password in a ConfigMap is hidden" find_secrets "$repo/out" "$scratch/err" "$scratch/out"
ok "a password in a ConfigMap is used" holds edge-eu-1/$dir/secret-workers-kube-system-provisioning-config.yaml "$(plant config-map)"

# What people type.
anew
typed() { # NAME STATUS COMMAND...
	exits "$@"
	ok "$1: is not repeated" find_secrets "$scratch/err" "$scratch/out"
}
seed=OSMGEN-SEED-1$(plant typed)
typed "a seed as a file" 64 "$program" --repo "$repo" --seal-seed-file "$seed"
typed "a seed as a file, by the environment" 64 env -u OSM_GEN_SEAL_SEED OSM_GEN_SEAL_SEED_FILE="$seed" "$program" --repo "$repo"
typed "an identity as a file" 64 env SOPS_AGE_KEY_FILE="AGE-SECRET-KEY-1$(plant typed)" "$program" --repo "$repo"
typed "a seed as an option" 64 "$program" --repo "$repo" --seal-seed "$seed"
typed "a variable with its value" 64 "$program" --repo "$repo" --allow-env "AZURE_CLIENT_SECRET=$(plant typed)"
typed "a URL for a folder" 64 "$program" --repo "https://u:$(plant typed)@git.example/fleet.git"
typed "a wrong mirror" 64 "$program" --repo "$repo" --node-registry-mirrors "docker.io=http://u:$(plant typed)@h:bad port"
typed "a key for a bundle" 2 "$program" --repo "$repo" --host-ca-bundle <(echo "$seed")

# ---- a profile that tries to show a token ---------------------------------------------------------
# The same inputs but for the token, which the profile counts, compares and looks up: nothing in the
# clear may differ. Its fingerprint would, and rightly: a password has none.
repo=$(fleet shown)
sed -i 's/osp-ubuntu/osp-shows/' "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
cat >"$repo/tests/fleet/edge-eu-1/osp-shows.yaml" <<'YAML'
apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {name: osp-shows, namespace: kube-system}
spec:
  osName: ubuntu
  osVersion: "24.04"
  version: v1.0.0
  supportedCloudProviders: [{name: hetzner}]
  bootstrapConfig:
    files:
    - path: /opt/table
      content: {inline: {data: '{{ $t := dict "a" "A" "b" "B" }}first={{ get $t (substr 0 1 .Token) }}'}}
    - path: /opt/length
      content: {inline: {data: '{{ repeat (len (regexFindAll "a" .Token -1) | mul 100 | int) "x" }}'}}
    - path: /opt/places
      content: {inline: {data: 'a={{ regexFind "^a" .Token }};b={{ regexFind "^b" .Token }};'}}
  provisioningConfig:
    files:
    - path: /opt/order
      content: {inline: {data: '{{ list .Token "b" "aab" | sortAlpha | join "," }}'}}
    - path: /opt/size
      content: {inline: {data: '{{ repeat (len (regexFindAll "a" .Token -1) | mul 100 | int) "x" }}'}}
    - path: /opt/whole
      content: {inline: {data: 'token={{ .Token | b64enc | quote }};'}}
YAML
for token in aaaa-first-word bbb-second-word; do
	sed -i "s/^  token: .*/  token: $token/" "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
	commit_all "$repo" "$token"
	exits "a profile that tries to show $token" 0 "$program" --repo "$repo" --no-commit --out "$scratch/out-$token"
	ok "$token is not there" bash -c "! grep -rqF '$token' '$scratch/out-$token'"
done
same "nothing in the clear differs but keyed proofs" "" "$(diff -r -x 'secret-*' -I '"proof": "[0-9a-f]*"$' "$scratch/out-aaaa-first-word" "$scratch/out-bbb-second-word")"
osc=$scratch/out-aaaa-first-word/edge-eu-1/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml
same "what is derived is one mark, with the file's clear parts" 5 "$(grep -cE 'data: <sealed:cloud-init-settings/cloud-init-getter-token:token>$' "$osc")"
ok "a whole secret has a mark of its own" grep -qF 'token=<sealed:cloud-init-settings/cloud-init-getter-token:token>;' "$osc"

# ---- the last check --------------------------------------------------------------------------------
repo=$(fleet pasted)
token=$(sed -n 's/^  token: //p' "$repo/tests/fleet/edge-eu-1/getter-token.yaml")
sed -i "s/datacenter: fsn1-dc14/datacenter: $token/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "a token pasted into a MachineDeployment"
head=$(git -C "$repo" rev-parse HEAD)
exits "a pasted secret ends the run" 2 "$program" --repo "$repo"
says "with its name" "cloud-init-getter-token:token"
ok "but not its text" bash -c "! grep -qF '$token' $scratch/err"
same "nothing moved" "$head" "$(git -C "$repo" rev-parse HEAD)"

finish
