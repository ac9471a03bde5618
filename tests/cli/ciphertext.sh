#!/usr/bin/env bash
# Files that are ciphertext as a whole, encrypted values, and units whose file is no manifest of theirs any more.
# shellcheck disable=SC2016 # $ in single quotes is meant
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(small repo)
cd "$repo" || exit 1
workers=clusters/prod/workers.yaml
cp "$workers" "$scratch/workers"

# Makes ciphertext as tools do, from the clear text: the headers and shapes are their formats', the rest is random with a seed.
cat >"$scratch/encrypt.py" <<'PY'
import base64, json, random, sys
path, folder = sys.argv[1:]
text = open(path, "rb").read()
noise = random.Random(5).randbytes
armor = lambda name, body: f"-----BEGIN {name}-----\n{base64.encodebytes(body).decode()}-----END {name}-----\n".encode()
sealed = lambda n: f"ENC[AES256_GCM,data:{base64.b64encode(noise(n)).decode()},iv:{base64.b64encode(noise(32)).decode()}," \
                   f"tag:{base64.b64encode(noise(16)).decode()},type:str]"
block = {"age": [{"recipient": "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p", "enc": armor("AGE ENCRYPTED FILE", noise(200)).decode()}],
         "lastmodified": "2026-01-01T00:00:00Z", "mac": sealed(64), "version": "3.9.0"}
age = b"age-encryption.org/v1\n-> X25519 " + base64.b64encode(noise(32)) + b"\n" + noise(400)
made = {
    "git-crypt": b"\0GITCRYPT\0" + noise(12) + noise(len(text)),
    "ansible-vault": b"$ANSIBLE_VAULT;1.1;AES256\n" + b"\n".join([noise(40).hex().encode() for _ in range(20)]) + b"\n",
    "pgp": b"\n" + armor("PGP MESSAGE", noise(500)),
    "pgp-binary": bytes([0x85, 1, 0x0C, 3]) + noise(500),
    "pgp-password": bytes([0xC3, 13, 4, 9, 3, 8]) + noise(500),
    "age": age,
    "age-armor": armor("AGE ENCRYPTED FILE", age),
    "sops-binary": json.dumps({"data": sealed(len(text)), "sops": block}, indent="\t").encode(),
    "sops-binary-yaml": f"data: {sealed(len(text))}\nsops:\n    mac: {sealed(64)}\n    version: 3.9.0\n    age: []\n    lastmodified: x\n".encode(),
    "transcrypt": base64.encodebytes(b"Salted__" + noise(500)),
    "openssl": b"Salted__" + noise(500),
    "strongbox": b"# STRONGBOX ENCRYPTED RESOURCE ; See https://github.com/uw-labs/strongbox\n" + base64.encodebytes(noise(400)),
    "cms": armor("CMS", noise(400)),
    "base64": base64.encodebytes(noise(600)),
    "hex": noise(300).hex().encode() + b"\n",
    "noise": b"\x93" + noise(600),
    "gzip": b"\x1f\x8b\x08\x00" + noise(600),
}
for tool, content in made.items():
    open(f"{folder}/{tool}", "wb").write(content)
PY
mkdir "$scratch/made" && python3 "$scratch/encrypt.py" "$workers" "$scratch/made"
encrypt() { cp "$scratch/made/$1" "$2"; } # TOOL FILE
back() { # to the state after the first run
	git reset -q --hard base
	git clean -qfd
}

cat >>"$workers" <<YAML
---
apiVersion: v1
kind: ConfigMap
metadata: {name: more, namespace: kube-system}
YAML
sed 's/workers/spare/' "$scratch/workers" >clusters/prod/spare.yaml
commit_all . "two pools"
exits "the first run" 0 "$program" generate
git tag base

# ---- files that are ciphertext as a whole: in every command, and with the unit that the file had --------------
while IFS='|' read -r tool words; do
	encrypt "$tool" "$workers"
	commit_all . "$tool"
	for command in validate plan generate; do
		exits "$tool: $command" 2 "$program" "$command"
		says "$tool: $command: the file" "$workers: error[OSG6120]: this file $words"
	done
	says "$tool: its unit" "MachineDeployment kube-system/workers was made from this file, as out/prod/index.json lists, and stays"
	same "$tool: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
	back
done <<'TOOLS'
git-crypt|is encrypted as a whole by git-crypt
ansible-vault|is encrypted as a whole by ansible-vault
pgp|is encrypted or signed as a whole by PGP
pgp-binary|is encrypted as a whole by PGP
pgp-password|is encrypted as a whole by PGP
age|is encrypted as a whole by age
age-armor|is encrypted as a whole by age
sops-binary|is encrypted as a whole by sops, in its binary form
sops-binary-yaml|is encrypted as a whole by sops, in its binary form
transcrypt|is encrypted as a whole by transcrypt or openssl
openssl|is encrypted as a whole by openssl
strongbox|is encrypted as a whole by strongbox
cms|is encrypted as a whole (CMS)
base64|has nothing but base64 or hex digits, and may be encrypted as a whole
hex|has nothing but base64 or hex digits, and may be encrypted as a whole
noise|is not text, and may be encrypted as a whole
gzip|is not text, and may be encrypted as a whole
TOOLS
for tool in git-crypt age sops-binary noise; do
	encrypt "$tool" clusters/prod/tool.json
	commit_all . "$tool as JSON"
	exits "$tool as JSON" 2 env -u OSM_GEN_SEAL_SEED "$program" plan
	says "$tool as JSON: named" "clusters/prod/tool.json: error[OSG6120]"
	back
done
encrypt age osm-gen.yaml
commit_all . "settings"
exits "settings" 2 "$program" validate
says "settings: named" "osm-gen.yaml: error[OSG6120]: this file is encrypted as a whole by age"
back
mkdir "$scratch/secrets"
encrypt ansible-vault "$scratch/secrets/token.yaml"
exits "--secrets" 2 "$program" validate --secrets "$scratch/secrets"
says "--secrets: named" "token.yaml: error[OSG6120]"
says "--secrets: the remedy" 'let CI decrypt it (`ansible-vault view`) before osm-gen runs'

# What a profile or a Secret would have given is not taken for missing as well.
encrypt git-crypt osp-small.yaml
commit_all . "profile"
exits "a profile" 2 "$program" generate
same "a profile: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
back

# Files that are none of osm-gen's business.
encrypt git-crypt clusters/prod/other.yaml
echo other.yaml >.osm-gen-ignore
iconv -f UTF-8 -t UTF-16LE >clusters/prod/windows.json <<<'{"name": "Größe – von etwas"}'
iconv -f UTF-8 -t UTF-16 >clusters/prod/windows.yaml <<<'name: 日本語'
iconv -f UTF-8 -t LATIN1 >clusters/prod/latin.json <<<'{"name": "Größe"}'
printf '{"a": 1}' >clusters/prod/small.json
printf '# nothing\n' >clusters/prod/comment.yaml
printf '"hello"\n' >clusters/prod/text.json
commit_all . "others"
exits "other files" 0 "$program" generate
same "other files: nothing is said" 0 "$(grep -c OSG "$scratch/err")"
back

# ---- filters of git ------------------------------------------------------------------------------------------
echo '*.json filter=vault' >.gitattributes
echo 'some opaque words' >clusters/prod/opaque.json
echo '{"a": 1}' >clusters/prod/clear.json
encrypt noise clusters/prod/noise.json
commit_all . "filter"
exits "a filter" 2 "$program" validate
says "a filter: of what is not known" "clusters/prod/opaque.json: error[OSG6120]: this file has no object: osm-gen cannot read it"
says "a filter: named" ".gitattributes gives it the filter vault, and osm-gen reads the commit, without filters"
same "a filter: not of what can be read" 0 "$(grep -c clear.json "$scratch/err")"
git clone -q --bare . "$scratch/bare"
cp "$scratch/err" "$scratch/worktree"
exits "a filter in a bare repository" 2 "$program" validate --repo "$scratch/bare"
ok "a filter in a bare repository: the same" cmp "$scratch/err" "$scratch/worktree"
back

# ---- encrypted values ----------------------------------------------------------------------------------------
value='ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]'
in_value() { # NAME FILE SED WORDS
	sed -i "$3" "$2"
	commit_all . "$1"
	exits "$1" 2 "$program" validate
	says "$1: where" "$4"
	back
}
in_value "a MachineDeployment" "$workers" "s/cx42/\"$value\"/" \
	"$workers:18:43: error[OSG2098]: the value of spec.template.spec.providerSpec.value.cloudProviderSpec.serverType is encrypted by sops"
in_value "part of a value" "$workers" "s/cx42/\"a-$value\"/" "error[OSG2098]"
in_value "ansible-vault" "$workers" 's/cx42/"$ANSIBLE_VAULT;1.1;AES256 6638"/' "is encrypted by ansible-vault"
in_value "settings" clusters/prod/osm-gen.yaml "s|externalCloudProvider: true|nodeHTTPProxy: \"$value\"|" \
	"the value of spec.settings.nodeHTTPProxy is encrypted by sops"
in_value "a profile" osp-small.yaml "s|version: .*|version: \"$value\"|" "osp-small.yaml"
in_value "a ConfigMap" clusters/prod/cluster-info.yaml "s|server: .*|server: \"$value\"|" "the value of data.kubeconfig is encrypted"
cat >clusters/prod/secret.yaml <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: "x"}
YAML
in_value "a Secret without its block" clusters/prod/secret.yaml "s|\"x\"|\"$value\"|" "the value of stringData.token is encrypted by sops"
cat >clusters/prod/secret.yaml <<YAML
apiVersion: v1
kind: Secret
metadata: {name: other, namespace: default}
stringData: {token: "$value"}
YAML
commit_all . "a Secret that nothing names"
exits "a Secret that nothing names" 0 "$program" validate
back
encrypt age clusters/prod/ca.pem
in_value "a file that a setting names" clusters/prod/osm-gen.yaml 's|externalCloudProvider: true|hostCABundle: ca.pem|' \
	"clusters/prod/ca.pem: error[OSG6120]: this file is encrypted as a whole by age"

# ---- a KubeOneCluster and the files that it and its Cluster name -----------------------------------------------
block() { printf 'sops:\n  age: []\n  lastmodified: "2026-01-01T00:00:00Z"\n  mac: %s\n  version: 3.9.0\n' "$value"; }
kubeone() { # commits a cluster that KubeOne made
	rm "$workers"
	cat >clusters/prod/kubeone.yaml <<-YAML
		apiVersion: kubeone.k8c.io/v1beta2
		kind: KubeOneCluster
		name: prod
		versions: {kubernetes: 1.35.2}
		cloudProvider: {hetzner: {}, external: true}
		apiEndpoint: {host: api.prod.osm-gen.example}
		controlPlane: {hosts: [{publicAddress: 203.0.113.1, privateAddress: 10.0.0.1}]}
		features: {nodeLocalDNS: {deploy: true}}
		dynamicWorkers:
		- name: pool1
		  replicas: 2
		  providerSpec:
		    operatingSystem: ubuntu
		    cloudProviderSpec: {serverType: cx42, datacenter: fsn1-dc14, location: fsn1}
	YAML
	printf '  terraformOutput: tf.json\n' >>clusters/prod/osm-gen.yaml
	cat >clusters/prod/tf.json <<-JSON
		{"kubeone_api": {"value": {"endpoint": "api.prod.osm-gen.example"}},
		 "kubeone_workers": {"value": {"pool1": {"providerSpec": {"cloudProviderSpec": {"serverType": "cx32"}}}}}}
	JSON
}
kubeone
commit_all . "KubeOne"
exits "KubeOne" 0 "$program" validate
git tag kubeone
again() { # to the KubeOneCluster
	git reset -q --hard kubeone
	git clean -qfd
}
of_kubeone() { # NAME FILE SED WORDS: reported once, by commands with and without keys
	sed -i "$3" "$2"
	commit_all . "$1"
	for command in validate "generate --allow-removal"; do
		# shellcheck disable=SC2086 # words
		exits "$1: $command" 2 "$program" $command
		says "$1: $command: where" "$4"
		same "$1: $command: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
	done
	exits "$1: without keys" 2 env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" plan
	says "$1: without keys: where" "$4"
}
of_kubeone "Terraform's output" clusters/prod/tf.json "s|cx32|$value|" \
	"clusters/prod/tf.json:2:95: error[OSG2098]: the value of kubeone_workers.value.pool1.providerSpec.cloudProviderSpec.serverType is encrypted by sops"
says "Terraform's output: what names it" "clusters/prod/osm-gen.yaml:"
says "Terraform's output: what to do" "commit the file in the clear (\`sops decrypt --in-place\`)"
again
printf '{"kubeone_api": {"value": {"endpoint": "%s"}}, "sops": {"age": [], "lastmodified": "x", "mac": "%s", "version": "3.9.0"}}' \
	"$value" "$value" >clusters/prod/tf.json
commit_all . "all of Terraform's output"
# tests/cli/encrypted_kubeone.sh has files that can be opened.
exits "all of Terraform's output" 0 "$program" validate
says "all of Terraform's output" "warning[OSG2087]: encrypted inputs are not decrypted here"
exits "all of Terraform's output: no key" 3 "$program" generate --allow-removal
says "all of Terraform's output: no key" "clusters/prod/tf.json:1:"
again
of_kubeone "a value of a KubeOneCluster" clusters/prod/kubeone.yaml "s|host: api.*|host: \"$value\"}|" \
	"clusters/prod/kubeone.yaml:6:21: error[OSG2098]: the value of apiEndpoint.host is encrypted by sops"
again
block >>clusters/prod/kubeone.yaml
sed -i "s|host: api.*|host: \"$value\"}|" clusters/prod/kubeone.yaml
commit_all . "an encrypted KubeOneCluster"
exits "an encrypted KubeOneCluster" 0 "$program" validate
says "an encrypted KubeOneCluster" "clusters/prod/kubeone.yaml:15:1: warning[OSG2087]"
again
block >>clusters/prod/kubeone.yaml
sed -i "s|^kind: .*|kind: \"$value\"|; s|^apiVersion: .*|apiVersion: \"$value\"|" clusters/prod/kubeone.yaml
commit_all . "a KubeOneCluster with its kind"
exits "a KubeOneCluster with its kind" 2 "$program" validate
says "a KubeOneCluster with its kind: named" "clusters/prod/kubeone.yaml:2:7: note: if it is this file, which is encrypted as a whole"
python3 - "$value" >clusters/prod/kubeone.json <<-'PY'
	import json, sys
	print(json.dumps({"apiVersion": sys.argv[1], "kind": sys.argv[1], "sops": {"age": [], "lastmodified": "x", "mac": sys.argv[1],
	      "version": "3.9.0"}}, separators=(",", ":")))
PY
git rm -q -f clusters/prod/kubeone.yaml
commit_all . "compact JSON"
exits "compact JSON with its kind" 2 "$program" validate
says "compact JSON with its kind: named" "clusters/prod/kubeone.json:1:"
again
printf 'certificateAuthority: {file: ca.pem}\n' >>clusters/prod/kubeone.yaml
printf -- '-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n' "$value" >clusters/prod/ca.pem
of_kubeone "a value in a CA" clusters/prod/ca.pem '' "clusters/prod/ca.pem:2:1: error[OSG2098]: this value is encrypted by sops"
says "a value in a CA: what names it" "clusters/prod/kubeone.yaml:15:30: note: the file is named here"
again
printf 'certificateAuthority: {file: ca.pem}\n' >>clusters/prod/kubeone.yaml
encrypt ansible-vault clusters/prod/ca.pem
of_kubeone "an encrypted CA" clusters/prod/ca.pem '' "clusters/prod/ca.pem: error[OSG6120]: this file is encrypted as a whole by ansible-vault"
back

# A flag has no file that sops could decrypt.
for flag in "--node-no-proxy=.svc,$value" "--token-rotation=$value" "--node-insecure-registries=$value" "--pause-image=a/$value"; do
	exits "${flag%%=*}" 64 "$program" validate "$flag"
	says "${flag%%=*}: why" "is encrypted by sops"
done

# ---- files that change their nature ----------------------------------------------------------------------------
changed() { # NAME WORDS: what a run reports
	git add -A
	git commit -q -m "$1"
	for command in plan "plan --keyless" generate; do
		if [ "$command" = "plan --keyless" ]; then
			exits "$1: $command" 2 env -u OSM_GEN_SEAL_SEED "$program" plan
		else
			exits "$1: $command" 2 "$program" "$command"
		fi
		says "$1: $command: why" "$2"
		same "$1: $command: no removal" 0 "$(grep -cE 'REMOVE|removed|OSG203' "$scratch/out" "$scratch/err" | grep -cv ':0$')"
	done
}
is_allowed() { # after changed, if the file itself is no error
	exits "with --allow-removal" 0 "$program" generate --allow-removal
	back
}
from="MachineDeployment kube-system/spare was made from this file, which"
spare=clusters/prod/spare.yaml
: >$spare
changed "emptied" "$spare: error[OSG2097]: $from is empty now"
says "emptied: both files" "out/prod/index.json lists the file"
is_allowed
printf -- '---\n# later\n' >$spare
changed "blanked" "$from is empty now"
is_allowed
rm $spare && ln -s workers.yaml $spare
changed "a link" "$from is a symbolic link now"
is_allowed
printf 'words\n' >$spare
changed "a word" "$from has no object now"
is_allowed
{ echo '# Generated by osm-gen from x; do not edit.' && sed 's/workers/spare/' "$scratch/workers"; } >$spare
changed "a file of the output" "$from begins as a file of the output does"
is_allowed
printf 'pools:\n{{- range .Values.pools }}\n- {{ . }}\n{{- end }}\n' >$spare
changed "a template" "$from cannot be parsed now"
is_allowed
sed -i 's/^kind: .*/kind: MachineSet/' $spare
changed "another kind" "$spare:2:7: error[OSG2097]: $from has the kind MachineSet of cluster.k8s.io/v1alpha1 now"
is_allowed
sed -i 's/^kind: .*/kind: Deployment/; s|^apiVersion: .*|apiVersion: apps/v1|' $spare
changed "another kind and group" "$from has the kind Deployment of apps/v1 now"
is_allowed
sed -i 's/^kind: .*/kind: ConfigMap/; s|^apiVersion: .*|apiVersion: v1|' $spare
changed "a ConfigMap with a spec" "$from has the kind ConfigMap of v1 now"
is_allowed
sed -i 's|^apiVersion: .*|apiVersion: cluster.x-k8s.io/v1beta1|' $spare
changed "another group" "$from has the kind MachineDeployment of cluster.x-k8s.io/v1beta1 now"
is_allowed
sed -i '/^kind: /d' $spare
changed "no kind" "$from is an object without a kind now"
is_allowed
sed -i '/^apiVersion: /d' $spare
changed "no apiVersion" "$from is an object without an apiVersion now"
is_allowed
head -n 1 $spare >"$scratch/first" && cp "$scratch/first" $spare
changed "cut off" "$from is an object without a kind now"
is_allowed
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 800\n' >$spare
changed "an LFS pointer" "$spare: error[OSG6103]"
says "an LFS pointer: its unit" "MachineDeployment kube-system/spare was made from this file"
back
cp "$here/sops-whole-md.txt" $spare
git add -A && git commit -q -m "encrypted with its kind"
exits "encrypted with its kind, without keys" 2 env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" plan
says "encrypted with its kind, without keys: why" "$from is encrypted now"
exits "encrypted with its kind" 2 "$program" generate
back
for edit in 's/^  name: spare$/  name: ""/' 's/^  name: spare$/  name: [spare]/' '/^  name: spare$/d' 's/^kind: .*/kind: MachineDeploymnt/'; do
	sed -i "$edit" $spare
	changed "an error of its own ($edit)" "$spare:"
	back
done

# ---- removals that are meant -------------------------------------------------------------------------------------
removed() { # NAME
	git add -A
	git commit -q -m "$1"
	exits "$1: plan" 0 "$program" plan
	ok "$1: REMOVE" grep -q REMOVE "$scratch/out"
	exits "$1: generate" 0 "$program" generate
	back
}
rm $spare
removed "a file"
git mv $spare clusters/prod/spare.txt
sed -i 's/^kind: .*/kind: None/' clusters/prod/spare.txt
removed "a file with another ending"
echo spare.yaml >.osm-gen-ignore
removed "a file that is ignored"
cat >$spare <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: spare, namespace: kube-system}
data: {a: b}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: spare, namespace: kube-system}
spec: {minAvailable: 1, selector: {matchLabels: {pool: spare}}}
YAML
removed "a document, beside others of its name"
{ cat "$scratch/workers"; echo ---; cat $spare; } | sed '1,/^---/s/workers/third/' >"$scratch/two"
cp "$scratch/two" $spare
commit_all . "two in a file"
exits "two in a file" 0 "$program" generate
git tag -f two >/dev/null
sed 's/workers/third/' "$scratch/workers" >$spare
git add -A && git commit -q -m "one of two"
exits "one of two documents" 0 "$program" generate
ok "one of two documents: its files went" bash -c '! grep -rq "kube-system/spare" out && grep -rq third out'
finish
