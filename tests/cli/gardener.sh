#!/usr/bin/env bash
# Gardener's OperatingSystemConfigs from a commit to the output tree: Secrets, status, the Secret of
# gardener-node-agent, `render`, and what is wrong with them.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
recipient=$(sed -n 's/^ *- \(age1[0-9a-z]*\)$/\1/p' "$root/osm-gen.yaml" | head -n 1)
password=pass-word-of-the-registry-71

settings() { # LINE... below defaults
	printf '%s\n' 'apiVersion: osm-gen.dev/v1alpha1' 'kind: Fleet' 'spec:' "  sealing: {recipients: [$recipient]}" '  defaults:'
	printf '    %s\n' "$@"
}
repository() { # NAME LINE...: prints its path; osc.yaml is standard input
	local folder=$scratch/$1
	shift
	mkdir -p "$folder"
	settings "$@" >"$folder/osm-gen.yaml"
	cat >"$folder/osc.yaml"
	git -C "$folder" -c init.defaultBranch=main init -q
	commit_all "$folder" inputs
	echo "$folder"
}
secret() {
	cat <<END
---
apiVersion: v1
kind: Secret
metadata: {name: registry, namespace: shoot}
stringData: {password: $password}
END
}
provision() {
	cat <<END
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata:
  name: pool-a-init
  namespace: shoot
spec:
  type: ubuntu
  purpose: provision
  units:
  - name: agent.service
    command: start
    content: |
      [Service]
      ExecStart=/opt/agent
  files:
  - path: /opt/agent
    permissions: 0755
    content: {inline: {encoding: "", data: "#!/bin/sh\necho '{{ literal }}' \$HOME\n"}}
  - path: /etc/registry/password
    permissions: 0600
    content: {secretRef: {name: registry, dataKey: password}}
  - path: /etc/token
    permissions: 0640
    content:
      inline: {encoding: "", data: "<<BOOTSTRAP_TOKEN>>"}
      transmitUnencoded: true
END
	secret
}
reconcile() { # NAME
	cat <<END
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: ${1:-gardener-node-agent-pool-a-0123456789abcdef-original}, namespace: ${2:-shoot}, generation: 3}
spec:
  type: ubuntu
  purpose: reconcile
  criConfig: {name: containerd}
  units:
  - name: kubelet.service
    enable: true
    dropIns: [{name: 10-a.conf, content: "[Service]\n"}]
  files:
  - path: /etc/registry/password
    permissions: 0600
    content: {secretRef: {name: registry, dataKey: password}}
---
END
}
index() { # REPO EXPRESSION over the list of files, f
	python3 -c "import json; f = json.load(open('$1/out/default/index.json'))['files']; print($2)"
}
get() { # FILE EXPRESSION over the document, d
	python3 -c "import yaml; d = yaml.load(open('$1'), yaml.CSafeLoader); print($2)"
}

# ---- current: purpose provision -----------------------------------------------------------------
repo=$(provision | repository provision)
exits "generate" 0 "$program" --repo "$repo"
says "units are named by their kind" "1 OperatingSystemConfig"
out=$repo/out/default
result=$out/management/shoot/secret-osc-result-pool-a-init.yaml
status=$out/status/shoot/operatingsystemconfig-pool-a-init.yaml
ok "the result Secret is sealed" grep -q 'cloud_config: ENC\[' "$result"
same "its type, and no owner without uid" "Opaque None" "$(get "$result" "d['type'], d['metadata'].get('ownerReferences')" | tr -d "(),'")"
same "no key of the machine's" "cloud_config" "$(get "$result" "' '.join(d['data'])")"
ok "the management side lists it" grep -q 'shoot/secret-osc-result-pool-a-init.yaml' "$out/management/kustomization.yaml"
ok "no applier is given the status" test -z "$(grep -rl 'status/' "$out"/*/kustomization.yaml; ls "$out/status/kustomization.yaml" 2>/dev/null)"
same "the status is an object of its own" "apiVersion kind metadata status" "$(get "$status" "' '.join(d)")"
same "it names the Secret" "osc-result-pool-a-init shoot" "$(get "$status" "' '.join(d['status']['cloudConfig']['secretRef'].values())")"
same "and the operation" "100 Succeeded Create 2026-03-04T03:06:08Z" \
	"$(get "$status" "' '.join(str(d['status']['lastOperation'][k]) for k in ('progress', 'state', 'type', 'lastUpdateTime'))")"
same "nothing of the contract of 2021, nor a generation that is not known" "cloudConfig lastOperation" "$(get "$status" "' '.join(d['status'])")"
same "the index lists it" "status/shoot/operatingsystemconfig-pool-a-init.yaml report" \
	"$(index "$repo" "[x['path'] + ' ' + x['role'] for x in f if x.get('role') == 'report'][0]")"
ok "no secret in the clear" test -z "$(grep -r "$password" "$repo/out")"
exits "the Secret opens" 0 "$program" unseal "$result"
cp "$scratch/out" "$scratch/result.yaml"
exits "render" 0 "$program" render --repo "$repo" --operating-system-config shoot/pool-a-init --print user-data --reveal
get "$scratch/result.yaml" "__import__('base64').b64decode(d['data']['cloud_config']).decode()" >"$scratch/sealed"
echo >>"$scratch/out"
ok "prints the same bytes" cmp "$scratch/sealed" "$scratch/out"
ok "a script with its placeholder readable" grep -q '<<BOOTSTRAP_TOKEN>>' "$scratch/out"
exits "masked" 0 "$program" render --repo "$repo" --operating-system-config default/shoot/pool-a-init --print user-data
ok "it shows a mark" grep -q '<sealed:shoot/registry:password' "$scratch/out"
exits "effect" 0 "$program" render --repo "$repo" --operating-system-config shoot/pool-a-init --print effect
ok "lists files" grep -q '/opt/agent' "$scratch/out"
exits "status" 0 "$program" render --repo "$repo" --operating-system-config shoot/pool-a-init --print status
ok "as the file has it" sh -c "grep -v '^#' '$status' | cmp - '$scratch/out'"
exits "no node-agent" 2 "$program" render --repo "$repo" --operating-system-config shoot/pool-a-init --print node-agent
says "says so" "has no node-agent to print"
exits "not its part" 64 "$program" render --repo "$repo" --operating-system-config shoot/pool-a-init --print osc
says "names the parts" "--print is user-data, status, node-agent, script, provision or effect"
exits "by an argument" 0 "$program" render --repo "$repo" shoot/pool-a-init
ok "its user-data, masked" grep -q '<sealed:shoot/registry:password' "$scratch/out"
exits "no part of it" 2 "$program" render --repo "$repo" shoot/pool-a-init --print osc
says "names its parts" "name another part of it with --print: user-data, status"
exits "no MachineDeployment" 2 "$program" render --repo "$repo" --machine-deployment shoot/pool-a-init --print osc
exits "a second run has nothing to do" 0 "$program" --repo "$repo"
says "it" "is up to date"
exits "check agrees" 0 "$program" check --repo "$repo"
exits "verify, too" 0 "$program" verify --repo "$repo"
exits "validate counts it" 0 "$program" validate --repo "$repo"
says "by kind" "1 OperatingSystemConfig"
exits "without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"
ok "the Secret is in the repository: what is sealed is known" grep -qx "osm-gen: out is up to date" "$scratch/err"

# What docs/gardener.md says brings the status to live objects, with a kubectl that tells what it is asked.
mkdir -p "$scratch/bin"
printf '#!/bin/sh\necho "$*"\n' >"$scratch/bin/kubectl"
chmod 755 "$scratch/bin/kubectl"
sed -n '/^find out -path/,/^done$/p' "$root/docs/gardener.md" >"$scratch/patch.sh"
same "the command of docs/gardener.md patches it" \
	"patch --subresource=status --type=merge --patch-file out/default/status/shoot/operatingsystemconfig-pool-a-init.yaml -n shoot operatingsystemconfigs.extensions.gardener.cloud pool-a-init" \
	"$(cd "$repo" && PATH=$scratch/bin:$PATH sh "$scratch/patch.sh")"

# The time stays while neither user-data nor the rest of the status changes.
sed -i 's/^  type: ubuntu$/&  # a comment/' "$repo/osc.yaml"
GIT_COMMITTER_DATE="2026-03-14T00:00:00Z" commit_all "$repo" "a comment"
exits "a comment" 0 "$program" --repo "$repo"
same "the status is as it was" "2026-03-04T03:06:08Z Create" "$(get "$status" "d['status']['lastOperation']['lastUpdateTime'], d['status']['lastOperation']['type']" | tr -d "(),'")"
sed -i 's/echo/printf/' "$repo/osc.yaml"
GIT_COMMITTER_DATE="2026-04-04T00:00:00Z" commit_all "$repo" "another text"
exits "another user-data" 0 "$program" --repo "$repo"
ok "is for new nodes" grep -q 'NEW-NODES-ONLY' <(git -C "$repo" log -1 --format=%B)
same "which the status shows, without a generation" "2026-04-04T00:00:00Z Reconcile" "$(get "$status" "d['status']['lastOperation']['lastUpdateTime'], d['status']['lastOperation']['type']" | tr -d "(),'")"
ok "the mark of the user-data is keyed" grep -qE '^  userData: <sealed:user-data#[0-9a-f]{10}>$' "$out/status/shoot/nodeeffect-pool-a-init.yaml"
sed -i "s/$password/$password-3/" "$repo/osc.yaml"
GIT_COMMITTER_DATE="2026-04-05T00:00:00Z" commit_all "$repo" "another secret"
exits "another secret" 0 "$program" --repo "$repo"
same "changes user-data, too" "2026-04-05T00:00:00Z" "$(get "$status" "d['status']['lastOperation']['lastUpdateTime']")"
exits "check agrees" 0 "$program" check --repo "$repo"
exits "without a seed nothing differs" 0 env -u OSM_GEN_SEAL_SEED "$program" diff --repo "$repo"
sed -i 's/^  namespace: shoot$/  namespace: shoot\n  generation: 7\n  uid: 0aa5e9f1-0000-4000-8000-000000000001/' "$repo/osc.yaml"
GIT_COMMITTER_DATE="2026-05-04T00:00:00Z" commit_all "$repo" "a generation and a uid"
exits "a generation" 0 "$program" --repo "$repo"
same "is observed, later" "7 Reconcile 2026-05-04T00:00:00Z" \
	"$(get "$status" "' '.join([str(d['status']['observedGeneration'])] + [d['status']['lastOperation'][k] for k in ('type', 'lastUpdateTime')])")"
same "and the uid owns" "pool-a-init 0aa5e9f1-0000-4000-8000-000000000001 True True" \
	"$(get "$result" "' '.join(str(d['metadata']['ownerReferences'][0][k]) for k in ('name', 'uid', 'controller', 'blockOwnerDeletion'))")"
sed -i 's/^  generation: 7$/  generation: 7\n  annotations: {gardener.cloud\/timestamp: "2026-06-01T10:00:00.5+02:00"}/' "$repo/osc.yaml"
GIT_COMMITTER_DATE="2026-05-05T00:00:00Z" commit_all "$repo" "a timestamp"
exits "never before the timestamp" 0 "$program" --repo "$repo"
same "that asks for it" "2026-06-01T08:00:00Z" "$(get "$status" "d['status']['lastOperation']['lastUpdateTime']")"

# ---- current: purpose reconcile, gardener-node-agent --------------------------------------------
repo=$( (reconcile; secret) | repository reconcile 'gardenerNodeAgentSecrets: true' 'gardenerMachineSecret: true')
out=$repo/out/default
agent=$out/worker/kube-system/secret-gardener-node-agent-pool-a-0123456789abcdef.yaml
exits "generate" 0 "$program" --repo "$repo"
ok "no result Secret" test -z "$(ls "$out/management" 2>/dev/null)"
same "labels" "operating-system-config pool-a" "$(get "$agent" "' '.join(d['metadata']['labels'].values())")"
exits "it opens" 0 "$program" unseal "$agent"
get "$scratch/out" "__import__('base64').b64decode(d['data']['osc.yaml']).decode(), end=''" >"$scratch/osc.yaml" 2>/dev/null ||
	python3 -c "import yaml,base64,sys; d=yaml.load(open('$scratch/out'), yaml.CSafeLoader); sys.stdout.write(base64.b64decode(d['data']['osc.yaml']).decode())" >"$scratch/osc.yaml"
same "the checksum is that of its text" "$(sha256sum <"$scratch/osc.yaml" | cut -d' ' -f1)" "$(get "$agent" "d['metadata']['annotations']['checksum/data-script']")"
same "secrets stand in it" "$password" "$(get "$scratch/osc.yaml" "__import__('base64').b64decode(d['spec']['files'][0]['content']['inline']['data']).decode()")"
ok "the extension's units, too" test -n "$(get "$scratch/osc.yaml" "d['status']['extensionUnits'][0]['name']")"
exits "render" 0 "$program" render --repo "$repo" --operating-system-config shoot/gardener-node-agent-pool-a-0123456789abcdef-original --print node-agent --reveal
ok "prints the same bytes" cmp "$scratch/osc.yaml" "$scratch/out"
exits "masked" 0 "$program" render --repo "$repo" --operating-system-config shoot/gardener-node-agent-pool-a-0123456789abcdef-original --print node-agent
ok "with a mark for the secret alone" grep -q 'data: <sealed:shoot/registry:password' "$scratch/out"
ok "no secret in the clear" test -z "$(grep -r "$password" "$repo/out")"
{ reconcile; reconcile gardener-node-agent-pool-a-0123456789abcdef-original other; secret; secret | sed 's/shoot/other/'; } >"$repo/osc.yaml"
exits "two of one key" 2 "$program" check --worktree --repo "$repo"
says "are an error" "error[OSG4182]"

# Secrets that nodes apply one after the other; names with the old hash and the machine's image.
repo=$(reconcile gardener-node-agent-pool-a-01234-ubuntu-original | sed 's/^metadata: {/&annotations: {reconciliation.osc.node-agent.gardener.cloud\/serial: "true"}, /' |
	(cat; secret) | repository serial 'gardenerNodeAgentSecrets: true')
agent=$repo/out/default/worker/kube-system/secret-gardener-node-agent-pool-a-01234.yaml
exits "a serial OperatingSystemConfig" 0 "$program" --repo "$repo"
same "has a serial Secret" true "$(get "$agent" "d['metadata']['annotations']['reconciliation.osc.node-agent.gardener.cloud/serial']")"
same "of the pool" pool-a "$(get "$agent" "d['metadata']['labels']['worker.gardener.cloud/pool']")"

# A type without a document: the status of a dumped object has what the extension added.
dumped() { # TYPE STATUS...
	reconcile "pool-${1:-none}" | sed "s/type: ubuntu/type: '$1'/; /^---\$/d"
	[ $# -eq 1 ] || printf '%s\n' 'status:' "${@:2}"
}
repo=$( (dumped rocky '  extensionUnits: [{name: rocky.service, content: "[Service]", filePaths: [/etc/rocky]}]' \
	'  extensionFiles: [{path: /etc/rocky, permissions: 420, content: {inline: {encoding: b64, data: YQo=}}}]'; secret) |
	repository dumped 'gardenerNodeAgentSecrets: true')
exits "a dumped status" 0 "$program" --repo "$repo"
exits "of a type without a document" 0 "$program" render --repo "$repo" --operating-system-config shoot/pool-rocky --print node-agent --reveal
cp "$scratch/out" "$scratch/osc.yaml"
same "is what nodes get" "rocky.service /etc/rocky a" \
	"$(get "$scratch/osc.yaml" "d['status']['extensionUnits'][0]['name'], d['status']['extensionFiles'][0]['path'], d['status']['extensionFiles'][0]['content']['inline']['data'].strip()" | tr -d "(),'")"
{ dumped rocky; secret; } >"$repo/osc.yaml"
exits "without a status" 2 "$program" check --worktree --repo "$repo"
says "a document is needed" 'error[OSG4181]: no OperatingSystemExtension serves type "rocky"'
{ dumped ''; secret; } >"$repo/osc.yaml"
exits "no operating system" 1 "$program" check --worktree --repo "$repo"
exits "needs none" 0 "$program" render --worktree --repo "$repo" --operating-system-config shoot/pool-none --print node-agent --reveal
ok "and nothing is added" grep -q '^status: {}$' "$scratch/out"

repo=$( (reconcile; secret) | repository nowhere)
exits "without Secrets for gardener-node-agent" 0 "$program" --repo "$repo"
says "nothing reaches a node" "warning[OSG4120]: the output has only the status of 1 OperatingSystemConfig of purpose reconcile"
exits "it may be meant" 0 "$program" --repo "$repo" --gardener-node-agent-secrets=false
ok "and is not said" sh -c "! grep -q OSG4120 '$scratch/err'"

# ---- 2021 ---------------------------------------------------------------------------------------
repo=$( (reconcile | sed 's/^  purpose: reconcile/&\n  reloadConfigFilePath: \/var\/lib\/cloud_config/'; provision) | repository old 'gardenerContract: "2021"' 'gardenerMachineSecret: true')
out=$repo/out/default
result=$out/management/shoot/secret-osc-result-gardener-node-agent-pool-a-0123456789abcdef-original.yaml
exits "generate" 0 "$program" --repo "$repo"
same "the machine's key, too" "cloud_config userData" "$(get "$result" "' '.join(d['data'])")"
same "what a consumer needs" "/usr/bin/env bash /var/lib/cloud_config kubelet.service" \
	"$(get "$result" "d['metadata']['annotations']['osm-gen.dev/command'] + ' ' + d['metadata']['annotations']['osm-gen.dev/units']")"
same "as in the status" "/usr/bin/env bash /var/lib/cloud_config ['kubelet.service']" \
	"$(get "$out/status/shoot/operatingsystemconfig-gardener-node-agent-pool-a-0123456789abcdef-original.yaml" "d['status']['command'] + ' ' + str(d['status']['units'])")"

# ---- Ignition -------------------------------------------------------------------------------------
version() { # REPO OPTION...: of the user-data of pool-a-init
	"$program" render --repo "$1" --operating-system-config shoot/pool-a-init --print user-data --reveal "${@:2}" 2>/dev/null |
		python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["ignition"]["version"], d["storage"]["files"][0].get("filesystem"))'
}
debian() { # CONTRACT
	cat <<END
---
apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemExtension
metadata: {name: debian}
spec: {version: v1.0.0, types: [debian], contract: "$1", provision: {format: ignition}, reconcile: {$([ "$1" = current ] || echo 'format: bash')}}
END
}
for contract in current 2021; do
	repo=$( (provision | sed 's/type: ubuntu/type: debian/'; debian "$contract") | repository "ignition-$contract" "gardenerContract: \"$contract\"")
	same "contract $contract: Ignition" "3.3.0 None" "$(version "$repo")"
	same "contract $contract: the older one" "2.3.0 root" "$(version "$repo" --ignition 2.3.0)"
done
exits "no other version" 64 "$program" check --repo "$repo" --ignition 2.4.0
says "both are named" "must be 3.3.0 or 2.3.0"

# ---- what becomes of nodes -----------------------------------------------------------------------
planned() { # WHAT CLASS RESTARTS STOPS: with the seed
	exits "$1: plan" 0 "$program" plan -o json --repo "$repo"
	same "$1" "$2 ${3:-} ${4:-}" "$(jq -r '.units[0] | .class + " " + ((.restarts // []) | join(",")) + " " + ((.stops // []) | join(","))' "$scratch/out")"
}
edit() { # SED: in the inputs, committed
	sed -i "$1" "$repo/osc.yaml"
	commit_all "$repo" "$1"
}
nodes() {
	reconcile pool-a | sed 's/^  files:$/  - name: dns.service\n    content: "[Service]\\n"\n    filePaths: [\/etc\/dns, \/etc\/registry\/password]\n  - name: old.service\n    content: "[Service]\\n"\n&\n  - path: \/etc\/dns\n    permissions: 0644\n    content: {inline: {encoding: "", data: "first\\n"}}/'
	secret
}
for setting in 'gardenerNodeAgentSecrets: true' 'gardenerNodeAgentSecrets: false'; do
	repo=$(nodes | repository "nodes-${setting##* }" "$setting")
	effect=$repo/out/default/status/shoot/nodeeffect-pool-a.yaml
	exits "$setting: generate" 0 "$program" -q --repo "$repo"
	same "the effect" "running /etc/dns first" "$(get "$effect" "d['spec']['nodes'], [f['path'] + ' ' + f['content'].strip() for f in d['spec']['files'] if f['path'] == '/etc/dns'][0]" | tr -d "(),'")"
	ok "a secret is a mark" grep -q 'content: <sealed:shoot/registry:password>' "$effect"
	planned "nothing changes" NONE
	edit 's/"first/"second/'
	planned "a file of a unit" IN-PLACE dns.service
	exits "without the seed" 0 env -u OSM_GEN_SEAL_SEED "$program" plan -o json --repo "$repo"
	same "it is the same" "IN-PLACE dns.service" "$(jq -r '.units[0] | .class + " " + (.restarts | join(","))' "$scratch/out")"
	exits "diff shows it" 1 "$program" diff --repo "$repo"
	ok "old and new" sh -c "grep -q '^-      first' '$scratch/out' && grep -q '^+      second' '$scratch/out'"
	exits "generate" 0 "$program" -q --repo "$repo"
	ok "the commit's message" grep -q '^~ IN-PLACE restarts dns.service, /etc/dns' <(git -C "$repo" log -1 --format=%B)
	edit '/old.service/,+1d'
	planned "a unit goes" IN-PLACE dns.service old.service
	exits "generate" 0 "$program" -q --repo "$repo"
	exits "nothing changes, without the seed" 0 env -u OSM_GEN_SEAL_SEED "$program" plan -o json --repo "$repo"
	same "the Secret is in the repository, too" NONE "$(jq -r '.units[0].class' "$scratch/out")"
	git -C "$repo" commit -q --amend -m "squashed"
	exits "the output's source is not known" 0 env -u OSM_GEN_SEAL_SEED "$program" plan --repo "$repo"
	ok "it is not 'no machine'" grep -q '^UNKNOWN: commit [0-9a-f]* brought the output, and does not name the commit that it was made from in default/shoot/pool-a' "$scratch/out"
	git -C "$repo" reset -q --hard 'HEAD@{1}'
done
repo=$scratch/nodes-true
edit "s/$password/$password-2/"
planned "a secret alone" IN-PLACE dns.service
repo=$(nodes | sed '/^    filePaths:/d' | repository nodes-2021 'gardenerContract: "2021"')
exits "2021: generate" 0 "$program" -q --repo "$repo"
edit 's/"first/"second/'
planned "2021: each unit restarts" IN-PLACE kubelet.service,dns.service,old.service
repo=$(provision | sed '/secretRef/d; /registry\/password/,+1d; /^---$/,$d' | repository nodes-new)
exits "provision: generate" 0 "$program" -q --repo "$repo"
exits "without a seed and secrets" 0 env -u OSM_GEN_SEAL_SEED "$program" plan -o json --repo "$repo"
same "nothing is unknown" NONE "$(jq -r '.units[0].class' "$scratch/out")"
edit 's/echo/printf/'
exits "and a change" 0 env -u OSM_GEN_SEAL_SEED "$program" plan -o json --repo "$repo"
same "is for new nodes" NEW-NODES-ONLY "$(jq -r '.units[0].class' "$scratch/out")"

# ---- what is wrong ------------------------------------------------------------------------------
repo=$(provision | sed 's/type: ubuntu/type: ubunto/' | repository wrong)
exits "no such type" 2 "$program" --repo "$repo"
says "at its place" "osc.yaml:7:9: error[OSG4181]"
says "the nearest" 'did you mean "ubuntu"?'
ok "nothing is written" test ! -e "$repo/out"
sed -i 's/ubunto/ubuntu/; s/v1alpha1/v1beta1/' "$repo/osc.yaml"
exits "another version" 2 "$program" check --worktree --repo "$repo"
says "is an error" "osc.yaml:1:13: error"
sed -i 's/v1beta1/v1alpha1/; s/extensions.gardener.cloud/operatingsystemmanager.k8c.io/' "$repo/osc.yaml"
exits "Kubermatic's kind is none of these" 0 "$program" check --worktree --repo "$repo"
says "there is nothing" "nothing to render"
provision >"$repo/osc.yaml"
python3 - "$repo/osc.yaml" <<'END'
import sys
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(text.replace("echo '{{ literal }}'", "x" * 20000))
END
exits "over 16 KiB" 1 "$program" check --worktree --repo "$repo"
says "is a warning" "warning[OSG7019]"
exits "with a limit" 2 "$program" check --worktree --repo "$repo" --user-data-limits gardener=16384
says "it is an error" "error[OSG7001]"
exits "any amount" 1 "$program" check --worktree --repo "$repo" --user-data-limits gardener=0,hetzner=100
exits "another name" 64 "$program" check --worktree --repo "$repo" --user-data-limits gardner=1
says "names the nearest" 'did you mean "gardener"?'
exits "a contract that is none" 64 "$program" check --worktree --repo "$repo" --gardener-contract 2022
says "names both" "must be current or 2021"

# ---- beside MachineDeployments ------------------------------------------------------------------
repo=$(fleet both)
provision >"$repo/tests/fleet/prod-us-1/osc.yaml"
commit_all "$repo" both
exits "both in one cluster" 0 "$program" --repo "$repo"
ok "its files" test -e "$repo/out/prod-us-1/management/shoot/secret-osc-result-pool-a-init.yaml"
ok "and those of the others" test -e "$repo/out/prod-us-1/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml"
# ---- live clusters ------------------------------------------------------------------------------
live() { # REPO...: the Secrets of the outputs, as kubectl prints them
	local repo file
	for repo; do
		find "$repo/out/default/management" "$repo/out/default/worker" -name 'secret-*.yaml' 2>/dev/null | sort | while read -r file; do
			echo ---
			"$program" unseal "$file"
		done
	done
}
compared=$( (reconcile; provision) | repository compared 'gardenerNodeAgentSecrets: true')
exits "an output" 0 "$program" -q --repo "$compared"
live "$compared" >"$scratch/live.yaml"
exits "compare: what was applied" 0 "$program" compare --verbose --repo "$compared" --live "$scratch/live.yaml"
ok "each Secret equals" sh -c "grep -q osc-result-pool-a-init '$scratch/out' && grep -q gardener-node-agent-pool-a '$scratch/out'"
exits "observe: it is settled" 0 "$program" observe --repo "$compared" --no-machines "$scratch/live.yaml"
sed -i "s/$password/another-pass-word-5/" "$compared/osc.yaml"
commit_all "$compared" "another secret"
exits "compare: another secret" 1 "$program" compare --verbose --repo "$compared" --live "$scratch/live.yaml"
ok "names the Secret and the place" grep -q 'data.osc.yaml' "$scratch/out"
for word in "$password" another-pass-word-5; do
	for at in 0 1 2; do
		part=$(printf %s "${word:$at}" | base64 -w0)
		ok "and not the secret, in base64" sh -c "! grep -qF '${part:0:12}' '$scratch/out'"
	done
	ok "nor in the clear" sh -c "! grep -qF '$word' '$scratch/out' '$scratch/err'"
done
exits "generate" 0 "$program" -q --repo "$compared"
exits "observe: it is not applied" 1 "$program" observe --repo "$compared" --no-machines "$scratch/live.yaml"
ok "and not the secret" sh -c "! grep -qF '$password' '$scratch/out'"
live "$compared" >"$scratch/live.yaml"
python3 - "$scratch/live.yaml" <<'END'
import copy, sys, yaml
objects = [d for d in yaml.load_all(open(sys.argv[1]), yaml.CSafeLoader) if d]
objects[-1]["metadata"]["labels"]["worker.gardener.cloud/pool"] = "other"
old = copy.deepcopy(objects[0])
old["metadata"]["name"] = "osc-result-old"
yaml.safe_dump_all(objects + [old], open(sys.argv[1], "w"))
END
exits "compare: a label, and a Secret of an object that is gone" 1 "$program" compare --repo "$compared" --live "$scratch/live.yaml"
ok "the label" grep -q 'worker.gardener.cloud/pool' "$scratch/out"
ok "the Secret" grep -q 'osc-result-old' "$scratch/out"
finish
