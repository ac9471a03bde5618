#!/usr/bin/env bash
# convert: extensions of KKP's draft become osm-gen's, which validate takes and which do the same on a machine.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

convert() { exits "$1" "$2" "$program" convert --color never "${@:3}"; }
lacks() { same "$1: not on stdout: $2" "" "$(grep -F -- "$2" "$scratch/out")"; }
prints() { ok "$1: on stdout: $2" grep -qxF -- "$2" "$scratch/out"; }

# ---- what has a counterpart ----------------------------------------------------------------------
draft=$scratch/draft.yaml
cat >"$draft" <<'YAML'
# The certificates of the company, and its clock.
apiVersion: kubermatic.k8c.io/v1
kind: OperatingSystemProfileExtension
metadata:
  name: trust-and-clock
  uid: 0b7e3c1e-5c22-4f0c-9d93-7a8f6f2f8d11
  labels: {team: platform}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    osm-gen.dev/inventory: ""
spec:
  ospTarget:
    profileName: osp-ubuntu
  enforced: true
  default: false
  selector: {datacenters: []}
  files:
  - path: /usr/local/share/ca-certificates/company.crt
    permissions: 644
    content:
      inline:
        data: |
          not really a certificate
  - path: /etc/company/node
    content: {inline: {encoding: b64, data: "kubelet {{ .KubeVersion }}\n"}}
  units:
  - name: company-clock.service
    enable: true
    content: |
      [Service]
      ExecStart=/usr/bin/true
      [Install]
      WantedBy=multi-user.target
    dropIns:
    - {name: 10-slow.conf, content: "[Service]\nNice=19\n"}
  beforeCommands:
  - echo before >>/var/log/company
  afterCommands:
  - update-ca-certificates
  - echo after >>/var/log/company
status: {}
YAML
convert "a draft" 0 "$draft"
says "the folder takes over from enforced" "$draft:14:3: warning[OSG4082]: enforced has no counterpart"
same "and nothing else is reported" "1 warning" "$(tail -n 1 "$scratch/err")"
same "the result" "$(cat <<'YAML'
apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemProfileExtension
metadata:
  name: trust-and-clock
  labels:
    team: platform
  annotations:
    osm-gen.dev/inventory: ""
spec:
  selector:
    profiles:
    - osp-ubuntu
  bootstrapConfig:
    files:
    - path: /usr/local/share/ca-certificates/company.crt
      permissions: 644
      content:
        inline:
          data: |
            not really a certificate
    - path: /etc/company/node
      content:
        inline:
          encoding: b64
          data: |
            kubelet {{ .KubeVersion }}
  units:
  - name: company-clock.service
    enable: true
    content: |
      [Service]
      ExecStart=/usr/bin/true
      [Install]
      WantedBy=multi-user.target
    dropIns:
    - name: 10-slow.conf
      content: |
        [Service]
        Nice=19
  commands:
    beforeSetup:
    - echo before >>/var/log/company
    afterSetup:
    - update-ca-certificates
    - echo after >>/var/log/company
YAML
)" "$(cat "$scratch/out")"
cp "$scratch/out" "$scratch/result.yaml"

exits "standard input" 0 "$program" convert - <"$draft"
same "is read as a file is" "$(cat "$scratch/result.yaml")" "$(cat "$scratch/out")"
says "with its name" "standard input:14:3"
convert "the result itself" 2 "$scratch/result.yaml"
says "is not a draft" "error[OSG2093]: nothing here can be converted"
says "but osm-gen's" "warning[OSG2094]: the OperatingSystemProfileExtension is not converted"
same "and nothing is printed" "" "$(cat "$scratch/out")"

# ---- on a machine --------------------------------------------------------------------------------
repo=$scratch/repo
mkdir -p "$repo/clusters"
cp -r "$root/tests/golden/base/." "$repo/"
sed -i '/annotations:/d; /operating-system-profile/d' "$repo/clusters/prod/workers.yaml"
git -C "$repo" -c init.defaultBranch=main init -q
cp "$draft" "$repo/clusters/prod/extension.yaml"
commit_all "$repo" draft
exits "the draft in a repository" 0 "$program" validate --repo "$repo" --color never
says "is skipped" "warning[OSG2070]"
says "and convert is named" "\`osm-gen convert clusters/prod/extension.yaml\` prints it as"
cp "$scratch/result.yaml" "$repo/clusters/prod/extension.yaml"
commit_all "$repo" result
exits "the result" 0 "$program" validate --repo "$repo" --color never
same "is right" "" "$(grep -F extension.yaml "$scratch/err")"
unit=$("$program" list --repo "$repo" --cluster prod -o json | jq -r '.units[0] | "\(.cluster)/\(.namespace)/\(.name)"')
exits "the configuration" 0 "$program" render --repo "$repo" --machine-deployment "$unit" --print osc
stage() { sed -n "/^  $1:/,/^  [a-z]/p" "$scratch/out"; }
for path in /usr/local/share/ca-certificates/company.crt /etc/company/node; do
	ok "$path is in the first stage" grep -qF "path: $path" < <(stage bootstrapConfig)
done
ok "rendered as a template" grep -qE "^ *kubelet v?[0-9]" < <(stage bootstrapConfig)
for path in units/500-trust-and-clock before-setup/500-trust-and-clock after-setup/500-trust-and-clock; do
	ok "$path is in the second" grep -qF "path: /opt/osm-node/$path" < <(stage provisioningConfig)
done
exits "the profile" 0 "$program" profiles --repo "$repo" show --effective "$unit"
ok "has the unit" grep -qF "ExecStart=/usr/bin/true" "$scratch/out"
ok "and its drop-in" grep -qF "10-slow.conf" "$scratch/out"

# ---- what has none -------------------------------------------------------------------------------
cat >"$scratch/lost.yaml" <<'YAML'
apiVersion: kubermatic.k8c.io/v1
kind: OperatingSystemProfileExtension
metadata:
  name: lost
spec:
  ospTarget: {os: ubuntu, provider: aws}
  default: true
  selector:
    datacenters: [eu-1]
  files:
  - path: /etc/a
    owner: root
    content: {inline: {data: a, encrypted: true}}
  units:
  - {name: a.service, enable: true, restart: true}
  priority: 3
sops: {mac: x}
YAML
convert "members without counterpart" 2 "$scratch/lost.yaml"
for place in "6:27: error[OSG4081]: provider" "7:3: warning[OSG4082]: default" "8:3: error[OSG4081]: selector" \
	"12:5: error[OSG4081]: owner" "13:33: error[OSG4081]: encrypted" "15:37: error[OSG4081]: restart" \
	"16:3: error[OSG4081]: priority" "17:1: error[OSG4081]: sops"; do
	says "each is named" "$scratch/lost.yaml:$place has no counterpart"
done
says "with the remedy" "help: put the result into the folder of each cluster of these datacenters"
same "and no other" "7 errors, 1 warning" "$(tail -n 1 "$scratch/err")"
prints "the rest" "    operatingSystems:"
prints "the rest" "    - path: /etc/a"
lacks "the others" restart

cat >"$scratch/no-target.yaml" <<'YAML'
apiVersion: kubermatic.k8c.io/v1
kind: OperatingSystemProfileExtension
metadata: {name: for-all}
spec:
  enforced: false
  afterCommands: ["true"]
YAML
convert "no target" 2 "$scratch/no-target.yaml"
says "would be for all" "error[OSG4081]: the extension has no ospTarget"
says "nor is it anybody's" "5:3: warning[OSG4082]: the extension is neither enforced nor default"

# Mistakes of the result are at their places in the draft.
cat >"$scratch/wrong.yaml" <<'YAML'
apiVersion: kubermatic.k8c.io/v1
kind: OperatingSystemProfileExtension
metadata: {name: wrong}
spec:
  ospTarget: {os: centos}
  enforced: true
  files: [{path: relative, permissions: "0644", content: {inline: {data: "{{ .Nope"}}}]
  afterCommands: echo a
YAML
convert "mistakes" 2 "$scratch/wrong.yaml"
for place in 5:19 7:18 7:41 7:82 8:18; do
	says "each at its place" "$scratch/wrong.yaml:$place: error["
done

# ---- files ---------------------------------------------------------------------------------------
cat >"$scratch/many.yaml" <<'YAML'
apiVersion: v1
kind: List
items:
- {apiVersion: kubermatic.k8c.io/v1, kind: OperatingSystemProfileExtension, metadata: {name: first}, spec: {ospTarget: {os: ubuntu}, enforced: true, afterCommands: [a]}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: beside}}
---
---
apiVersion: kubermatic.k8c.io/v1
kind: OperatingSystemProfileExtension
metadata: {name: second}
spec: {ospTarget: {os: flatcar}, enforced: true, beforeCommands: [b]}
YAML
printf '{"apiVersion": "kubermatic.k8c.io/v1", "kind": "OperatingSystemProfileExtensionList", "items":\n\t[{"metadata": {"name": "third"}, "spec": {"ospTarget": {"os": "rhel"}, "default": true, "afterCommands": ["c"]}}]}' \
	>"$scratch/many.json"
convert "Lists, streams and JSON" 0 "$scratch/many.yaml" "$scratch/many.json"
same "all are printed" "first second third" "$(sed -n 's/^  name: //p' "$scratch/out" | paste -sd ' ')"
same "as documents" 2 "$(grep -cx -- --- "$scratch/out")"
says "another object is named" "many.yaml:5:3: warning[OSG2094]: the ConfigMap is not converted"

convert "not YAML" 2 - <<<"a: b: c"
says "where" "standard input:1:5: error[OSG1001]"
convert "no file" 3 "$scratch/nowhere.yaml"
convert "nothing" 64
: >"$scratch/empty.yaml"
convert "an empty file" 2 "$scratch/empty.yaml"
says "is named" "empty.yaml: error[OSG2093]"
ln -s "$draft" "$repo/link.yaml"
convert "a link in the repository" 3 -C "$repo" link.yaml
says "is not followed" "link.yaml"
finish
