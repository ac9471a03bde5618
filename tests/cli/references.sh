#!/usr/bin/env bash
# References to Secrets, ConfigMaps and profiles that are not there: what `validate` finds, which has no keys, beside `generate`.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

keyless() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }
secret() { # NAMESPACE NAME [KEY]
	printf 'apiVersion: v1\nkind: Secret\nmetadata: {namespace: %s, name: %s}\nstringData: {%s: value}\n' "$1" "$2" "${3:-password}"
}
new() { # NAME
	repo=$(small "$1")
	sed -i '/externalCloudProvider/d' "$repo/clusters/prod/osm-gen.yaml"
}
# NAME WHERE TEXT: validate, and plan without a seed, warn once and are done; generate fails, at the same place.
only_warned() {
	local name=$1 where=$2 text=$3
	commit_all "$repo" "$name"
	for command in validate plan; do
		exits "$name: $command" 0 keyless "$command" --repo "$repo"
		says "$name: $command" "$where: warning[OSG2108]: $text"
		same "$name: $command: once" 1 "$(grep -c OSG2108 "$scratch/err")"
	done
	mkdir -p "$scratch/outside"
	exits "$name: validate --secrets" 2 keyless validate --repo "$repo" --secrets "$scratch/outside"
	says "$name: validate --secrets" "$where: error[OSG2105]"
	exits "$name: generate" 2 "$program" --repo "$repo"
	says "$name: generate" "$where: error[OSG2105]"
}
# NAME: no command misses anything
found() {
	exits "$1: validate" 0 keyless validate --repo "$repo" "${@:2}"
	same "$1: validate" 0 "$(grep -c 'OSG2108\|OSG2105' "$scratch/err")"
}
# NAME WHERE CODE: validate fails like generate
wrong() {
	commit_all "$repo" "$1"
	exits "$1: validate" 2 keyless validate --repo "$repo"
	says "$1: validate" "$2: error[$3]"
	exits "$1: generate" 2 "$program" --repo "$repo"
	says "$1: generate" "$2: error[$3]"
}

# ---- Secrets ---------------------------------------------------------------------------------------
new credential
openstack "$repo/clusters/prod" "region: r, username: u, domainName: d, password: {secretKeyRef: {namespace: cloud, name: account, key: password}}"
secret cloud acount >"$repo/clusters/prod/account.yaml"
only_warned "a credential" clusters/prod/openstack.yaml:12:141 "Secret cloud/account is not among the manifests: generate fails without it"
says "a similar name" "did you mean cloud/acount?"
mkdir "$scratch/given"
secret cloud account >"$scratch/given/account.yaml"
found "given by --secrets" --secrets "$scratch/given"
exits "given by --secrets: generate" 0 "$program" --repo "$repo" --secrets "$scratch/given" -q
secret cloud account >"$repo/clusters/prod/account.yaml"
commit_all "$repo" "the Secret"
found "a Secret in the clear"
cat >"$repo/clusters/prod/account.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {namespace: cloud, name: account}
stringData:
  password: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]
sops:
  age:
    - recipient: $recipient
      enc: |
        -----BEGIN AGE ENCRYPTED FILE-----
        YWdl
        -----END AGE ENCRYPTED FILE-----
  encrypted_regex: ^(data|stringData)$
  lastmodified: "2026-01-01T00:00:00Z"
  mac: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]
  version: 3.9.0
YAML
commit_all "$repo" "encrypted"
found "an encrypted Secret"
sed -i 's/^  password: ENC/  user: ENC/' "$repo/clusters/prod/account.yaml"
commit_all "$repo" "encrypted, another key"
exits "an encrypted Secret without the key" 2 keyless validate --repo "$repo"
says "an encrypted Secret without the key" "clusters/prod/openstack.yaml:12:141: error[OSG2103]"
secret cloud account other >"$repo/clusters/prod/account.yaml"
wrong "a key that is missing" clusters/prod/openstack.yaml:12:141 OSG2103

new registry
sed -i 's/^  settings:/&\n    nodeRegistryCredentialsSecret: kube-system\/registry/' "$repo/clusters/prod/osm-gen.yaml"
only_warned "credentials of registries" clusters/prod/osm-gen.yaml:7:36 "Secret kube-system/registry is not among the manifests"
new account
sed -i 's/^  settings:/&\n    bootstrapTokenServiceAccountName: kube-system\/boot/' "$repo/clusters/prod/osm-gen.yaml"
only_warned "a ServiceAccount's token" clusters/prod/osm-gen.yaml:7:39 "no token Secret of ServiceAccount kube-system/boot is among the manifests"
printf 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {namespace: kube-system, name: boot}\nsecrets: [{name: boot-token}]\n' >"$repo/clusters/prod/account.yaml"
only_warned "a Secret that a ServiceAccount lists" clusters/prod/account.yaml:4:18 "Secret kube-system/boot-token is not among the manifests"

# An OperatingSystemConfig of Gardener's.
repo=$scratch/gardener
mkdir "$repo"
git -C "$repo" -c init.defaultBranch=main init -q
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {sealing: {recipients: [%s]}}\n' "$recipient" >"$repo/osm-gen.yaml"
cat >"$repo/osc.yaml" <<'YAML'
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: pool, namespace: shoot--a--b}
spec:
  type: ubuntu
  purpose: provision
  units: []
  files:
    - path: /etc/secret
      content: {secretRef: {name: nowhere, dataKey: key}}
YAML
only_warned "a file of an OperatingSystemConfig" osc.yaml:10:35 "Secret shoot--a--b/nowhere is not among the manifests"

# ---- ConfigMaps and profiles: nothing else could give them -----------------------------------------------
new config-map
openstack "$repo/clusters/prod" "region: {configMapKeyRef: {namespace: cloud, name: account, key: region}}, username: u, domainName: d, password: p"
wrong "a ConfigMap" clusters/prod/openstack.yaml:12:100 OSG2105
new profile
sed -i 's/osp-small/osp-smal/' "$repo/clusters/prod/workers.yaml"
wrong "a profile" clusters/prod/workers.yaml:7:38 OSG4003
says "a similar profile" 'did you mean "osp-small"?'
new cluster-info
git -C "$repo" rm -q clusters/prod/cluster-info.yaml
commit_all "$repo" "no cluster-info"
exits "cluster-info: validate" 2 keyless validate --repo "$repo"
says "cluster-info: validate" "ConfigMap kube-public/cluster-info is not among the manifests"
finish
