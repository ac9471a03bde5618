#!/usr/bin/env bash
# Mistakes that people make when they begin. Each is judged: where it is, which object, what is wrong in
# one sentence, and a remedy that works when it is followed: the run after it passes.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# A mistake is a block of lines KEY: TEXT on stdin; a key may stand in several lines.
#
#   do      commands, in the repository of tests/golden/base; what they change is committed
#   edit    the same, not committed
#   run     the wrong run (default: osm-gen generate)
#   status  its exit status (default 2)
#   place   how the diagnostic begins
#   object  the object that it names
#   says    words of its sentence
#   help    words of its remedy
#   mend    commands: the remedy, followed; committed
#   then    the run behind it, which passes (default: that before it)
workers=clusters/prod/workers.yaml
seed=$OSM_GEN_SEAL_SEED
export seed workers scratch root
number=0

# shellcheck disable=SC2317 # called from the blocks
osm-gen() { "$program" "$@" --color never; }
# shellcheck disable=SC2317
commit() {
	git add -A
	git -c core.safecrlf=false commit -q -m "$1" --allow-empty
}
in_repository() ( # COMMANDS...: with the environment of a run
	cd "$repo" || exit
	unset SOPS_AGE_KEY_FILE
	eval "$1"
)
read_block() {
	local key text line
	fields=([run]='osm-gen generate' [status]=2)
	while IFS= read -r line; do
		[ -n "$line" ] || continue
		key=${line%%:*} text=${line#*: }
		case $key in
		do | edit | mend) fields[$key]+=$text$'\n' ;;
		*) fields[$key]=$text ;;
		esac
	done
	: "${fields[then]:=${fields[run]}}"
}

mistake() { # NAME
	local name=$1 key
	local -A fields=()
	read_block
	number=$((number + 1))
	repo=$scratch/mistake-$number
	cp -r "$root/tests/golden/base" "$repo"
	git -C "$repo" -c init.defaultBranch=main init -q
	in_repository 'commit inputs'
	[ -z "${fields[do]:-}" ] || in_repository "${fields[do]} commit mistake"
	[ -z "${fields[edit]:-}" ] || in_repository "${fields[edit]}"
	exits "$name" "${fields[status]}" in_repository "${fields[run]}"
	for key in place object says help; do
		[ -z "${fields[$key]:-}" ] || says "$name: $key" "${fields[$key]}"
	done
	same "$name: it is the first to be said" "${fields[place]:-}" \
		"$(head -n 1 "$scratch/err" | cut -c "1-${#fields[place]}")"
	[ -z "${VERBOSE:-}" ] || sed "s/^/[$number $name] /" "$scratch/err"
	[ -z "${fields[mend]:-}" ] || in_repository "${fields[mend]} [ ! -d .git ] || commit remedy"
	exits "$name, mended" 0 in_repository "${fields[then]}"
	same "$name: nothing is left to say" "" "$(grep -E ' (error|warning)\[|^(error|warning)\[' "$scratch/err")"
}

# ---- what is not there ------------------------------------------------------------------------

mistake "no cluster-info" <<'END'
do: git rm -q clusters/prod/cluster-info.yaml
place: clusters/prod/osm-gen.yaml:4:9: error[OSG4018]
object: cluster prod
says: cluster-info
help: kubectl -n kube-public get configmap cluster-info -o yaml
mend: git checkout -q HEAD~1 -- clusters/prod/cluster-info.yaml
END
mistake "no seed" <<'END'
run: unset OSM_GEN_SEAL_SEED; osm-gen generate
status: 3
place: error[OSG5001]
says: no sealing seed
help: osm-gen keygen seed
mend: osm-gen keygen seed >"$scratch/seed"
then: unset OSM_GEN_SEAL_SEED; osm-gen --seal-seed-file "$scratch/seed"
END
mistake "no recipients" <<'END'
do: sed -i '/recipients/d' osm-gen.yaml
place: osm-gen.yaml:5:5: error[OSG5010]
says: recipient
help: recipients: [age1...]
mend: git checkout -q HEAD~1 -- osm-gen.yaml
END
mistake "an identity file that is not there" <<'END'
run: SOPS_AGE_KEY_FILE=nowhere.txt osm-gen generate
status: 3
place: error[OSG9002]
says: nowhere.txt
help: SOPS_AGE_KEY_FILE
then: SOPS_AGE_KEY_FILE=$root/tests/keys/TEST-ONLY-identity.txt osm-gen generate
END
mistake "a Secret that is not there" <<'END'
do: printf '    nodeRegistryCredentialsSecret: kube-system/registries\n' >>clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:8:36: error[OSG2105]
object: cluster prod
says: Secret kube-system/registries
help: --secrets
mend: mkdir "$scratch/outside"; printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: registries, namespace: kube-system}\nstringData: {}\n' >"$scratch/outside/registries.yaml"
then: osm-gen --secrets "$scratch/outside"
END
mistake "a --secrets folder that is not there" <<'END'
run: osm-gen --secrets /nowhere/secrets
status: 3
place: error[OSG6104]
says: /nowhere/secrets
help: name a folder of Secret manifests, or leave --secrets out
then: mkdir -p "$scratch/mounted"; osm-gen --secrets "$scratch/mounted"
END
mistake "no provider's part" <<'END'
do: sed -i '/providerSpec/,/^    metadata/{/^    metadata/!d}' $workers
place: clusters/prod/workers.yaml:12:7: error[OSG4010]
object: MachineDeployment kube-system/workers
says: no spec.template.spec.providerSpec.value
help: cloudProvider, cloudProviderSpec and operatingSystem
mend: git checkout -q HEAD~1 -- $workers
END
mistake "no kubelet" <<'END'
do: sed -i '/versions:/d; /kubelet:/d' $workers
place: clusters/prod/workers.yaml:12:7: error[OSG4012]
object: MachineDeployment kube-system/workers
says: no versions.kubelet
help: kubelet: "1.34.1" under spec.template.spec.versions
mend: sed -i 's/^      providerSpec:/      versions:\n        kubelet: "1.34.1"\n&/' $workers
END
mistake "no name" <<'END'
do: sed -i '/name: workers/d' $workers
place: clusters/prod/workers.yaml:4:3: error[OSG2101]
object: MachineDeployment
says: the MachineDeployment has no name
help: add metadata.name
mend: sed -i 's/^metadata:/&\n  name: workers/' $workers
END
mistake "no name of a cluster" <<'END'
do: sed -i '/metadata/d; /name: prod/d' clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:1:1: error[OSG2006]
object: Cluster
says: metadata
help: metadata: {name: NAME}
mend: sed -i 's/^spec:/metadata: {name: prod}\n&/' clusters/prod/osm-gen.yaml
END

# ---- texts ------------------------------------------------------------------------------------

mistake "indentation" <<'END'
do: sed -i 's/^        kubelet:/     kubelet:/' $workers
place: clusters/prod/workers.yaml:13:6: error[OSG1001]
says: indent
help: column
mend: sed -i 's/^     kubelet:/        kubelet:/' $workers
END
mistake "a tab" <<'END'
do: sed -i 's/^        kubelet:/\tkubelet:/' $workers
place: clusters/prod/workers.yaml:13:1: error[OSG1001]
says: a tab is not allowed in the indentation
help: indent with spaces
mend: sed -i 's/^\tkubelet:/        kubelet:/' $workers
END
mistake "a key twice" <<'END'
do: sed -i 's/^  replicas: 3/&\n  replicas: 4/' $workers
place: clusters/prod/workers.yaml:10:3: error[OSG1003]
says: "replicas"
help: remove one
mend: sed -i '/replicas: 4/d' $workers
END
mistake "a colon in a text" <<'END'
do: sed -i 's/^    k8c.io/    note: see: the wiki\n&/' $workers
place: clusters/prod/workers.yaml:7:14: error[OSG1001]
says: `: `
help: quotes
mend: sed -i "s/note: .*/note: 'see: the wiki'/" $workers
END
mistake "a merge that is not finished" <<'END'
do: sed -i 's/^  replicas: 3/<<<<<<< HEAD\n  replicas: 3\n=======\n  replicas: 4\n>>>>>>> more/' $workers
place: clusters/prod/workers.yaml:9:1: error[OSG1020]
says: merge
help: remove the lines
mend: sed -i '/^<<<<<<<\|^=======\|^>>>>>>>\|replicas: 4/d' $workers
END
mistake "a comma too many" <<'END'
do: printf '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "more", "namespace": "x",}}\n' >clusters/prod/more.json
place: clusters/prod/more.json:1:89: error[OSG1011]
says: key
help: comma
mend: sed -i 's/,}}/}}/' clusters/prod/more.json
END
mistake "a file that is much too large" <<'END'
do: truncate -s 65M clusters/prod/dump.json
place: clusters/prod/dump.json: error[OSG1013]
says: larger than
help: name it in .osm-gen-ignore
mend: echo 'dump.json' >.osm-gen-ignore
END
mistake "a template of Helm" <<'END'
do: sed -i 's/name: workers/name: {{ .Values.name }}/' $workers
place: clusters/prod/workers.yaml:4:10: error[OSG1026]
says: template of Helm
help: .osm-gen-ignore
mend: git mv $workers clusters/prod/chart.yaml; git show HEAD~1:$workers >$workers; echo clusters/prod/chart.yaml >.osm-gen-ignore
END

# ---- kinds and names --------------------------------------------------------------------------

mistake "a kind" <<'END'
do: sed -i 's/^kind: MachineDeployment/kind: MachineDeploymnet/' $workers
place: clusters/prod/workers.yaml:2:7: error[OSG2002]
object: MachineDeploymnet kube-system/workers
says: cluster.k8s.io has no kind "MachineDeploymnet"
help: did you mean MachineDeployment?
mend: sed -i 's/MachineDeploymnet/MachineDeployment/' $workers
END
mistake "an apiVersion" <<'END'
do: sed -i 's/^apiVersion: .*/apiVersion: cluster.k8s.io\/v1beta1/' $workers
place: clusters/prod/workers.yaml:1:13: error[OSG2001]
object: MachineDeployment kube-system/workers
says: "cluster.k8s.io/v1beta1"
help: write apiVersion: cluster.k8s.io/v1alpha1
mend: sed -i 's/v1beta1/v1alpha1/' $workers
END
mistake "the apiVersion of a profile" <<'END'
do: sed -i 's/^apiVersion: .*/apiVersion: operatingsystemmanager.k8c.io\/v1/' osp-small.yaml
place: osp-small.yaml:1:13: error[OSG2001]
object: OperatingSystemProfile kube-system/osp-small
help: write apiVersion: operatingsystemmanager.k8c.io/v1alpha1
mend: sed -i 's/^apiVersion: .*/apiVersion: operatingsystemmanager.k8c.io\/v1alpha1/' osp-small.yaml
END
mistake "a profile's name" <<'END'
do: sed -i 's/osp-small/osp-smal/' $workers
place: clusters/prod/workers.yaml:7:38: error[OSG4003]
object: MachineDeployment kube-system/workers
says: "osp-smal" not found
help: did you mean "osp-small"?
mend: sed -i 's/osp-smal$/osp-small/' $workers
END
mistake "a profile's namespace" <<'END'
do: sed -i 's/namespace: kube-system/namespace: osm/' osp-small.yaml
place: clusters/prod/workers.yaml:7:38: error[OSG2015]
object: MachineDeployment kube-system/workers
says: not in namespace "kube-system"
help: k8c.io/operating-system-profile-namespace: osm
mend: sed -i 's/^    k8c.io.*/&\n    k8c.io\/operating-system-profile-namespace: osm/' $workers
END
mistake "an operating system" <<'END'
do: sed -i 's/operatingSystem: ubuntu/operatingSystem: ubunut/' $workers
place: clusters/prod/workers.yaml:19:28: error[OSG4014]
object: MachineDeployment kube-system/workers
says: unknown operating system "ubunut"
help: did you mean "ubuntu"?
mend: sed -i 's/ubunut/ubuntu/' $workers
END
mistake "another operating system than the profile's" <<'END'
do: sed -i 's/operatingSystem: ubuntu/operatingSystem: rockylinux/' $workers
place: clusters/prod/workers.yaml:19:28: error[OSG4006]
object: MachineDeployment kube-system/workers
says: "osp-small" is for ubuntu, not for rockylinux
help: correct operatingSystem
mend: sed -i 's/rockylinux/ubuntu/' $workers
END
mistake "a provider" <<'END'
do: sed -i 's/cloudProvider: hetzner/cloudProvider: hcloud/' $workers
place: clusters/prod/workers.yaml:17:26: error[OSG4007]
object: MachineDeployment kube-system/workers
says: the cloud provider "hcloud" does not exist
help: did you mean "hetzner"?
mend: sed -i 's/hcloud/hetzner/' $workers
END
mistake "a kubelet's version" <<'END'
do: sed -i 's/kubelet: .*/kubelet: latest/' $workers
place: clusters/prod/workers.yaml:13:18: error[OSG4012]
object: MachineDeployment kube-system/workers
says: "latest"
help: a version such as 1.34.1
mend: sed -i 's/kubelet: .*/kubelet: 1.34.1/' $workers
END
mistake "a version that YAML takes for a number" <<'END'
do: sed -i 's/kubelet: .*/kubelet: 1.34/' $workers
place: clusters/prod/workers.yaml:13:18: error[OSG4012]
object: MachineDeployment kube-system/workers
says: must be a string
help: "1.34.1"
mend: sed -i 's/kubelet: .*/kubelet: "1.34.1"/' $workers
END
mistake "a key of providerSpec" <<'END'
do: sed -i 's/sshPublicKeys/sshPublicKey/' $workers
place: clusters/prod/workers.yaml:16:11: error[OSG4011]
object: MachineDeployment kube-system/workers
says: unknown key "sshPublicKey"
help: did you mean "sshPublicKeys"?
mend: sed -i 's/sshPublicKey:/sshPublicKeys:/' $workers
END
mistake "an annotation" <<'END'
do: sed -i 's/^    k8c.io.*/&\n    v1.kubelet-config.machine-controller.kubermatic.io\/MaxPod: "200"/' $workers
status: 0
place: clusters/prod/workers.yaml:8:5: warning[OSG4040]
object: MachineDeployment kube-system/workers
says: it is ignored
help: did you mean v1.kubelet-config.machine-controller.kubermatic.io/MaxPods?
mend: sed -i 's/MaxPod:/MaxPods:/' $workers
END
mistake "an annotation that is a number" <<'END'
do: sed -i 's/^    k8c.io.*/&\n    v1.kubelet-config.machine-controller.kubermatic.io\/MaxPods: 200/' $workers
place: clusters/prod/workers.yaml:8:65: error[OSG4010]
object: MachineDeployment kube-system/workers
says: must be a string
help: put it in quotes
mend: sed -i 's/MaxPods: 200/MaxPods: "200"/' $workers
END
mistake "a name in capitals" <<'END'
do: sed -i 's/name: workers/name: Workers_1/' $workers
place: clusters/prod/workers.yaml:4:9: error[OSG2102]
object: MachineDeployment kube-system/Workers_1
says: "Workers_1"
help: a-z, 0-9, - and .
mend: sed -i 's/name: Workers_1/name: workers-1/' $workers
END

# ---- places -----------------------------------------------------------------------------------

mistake "a MachineDeployment outside of every cluster" <<'END'
do: git mv $workers workers.yaml
place: workers.yaml:4:9: error[OSG2010]
object: MachineDeployment kube-system/workers
says: outside of every cluster's folder
help: move the file into a folder with a Cluster
mend: git mv workers.yaml $workers
END
mistake "a MachineDeployment twice" <<'END'
do: cp $workers clusters/prod/copy.yaml
place: clusters/prod/workers.yaml:4:9: error[OSG2004]
object: MachineDeployment kube-system/workers
says: given twice in one cluster
help: rename or remove one of them
mend: git rm -q clusters/prod/copy.yaml
END
mistake "a patch for kustomize" <<'END'
do: printf 'resources: [workers.yaml]\npatches: [{path: patch.yaml}]\n' >clusters/prod/kustomization.yaml
do: printf 'apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata: {name: workers, namespace: kube-system, labels: {a: b}}\n' >clusters/prod/patch.yaml
place: clusters/prod/kustomization.yaml:2:18: error[OSG2071]
object: MachineDeployment kube-system/workers
says: kustomize changes MachineDeployment kube-system/workers with this patch
help: kustomize build clusters/prod
mend: git rm -q -f clusters/prod/patch.yaml clusters/prod/kustomization.yaml
END
mistake "a patch for kustomize without a name" <<'END'
do: printf 'resources: [workers.yaml]\npatches: [{path: patch.yaml}]\n' >clusters/prod/kustomization.yaml
do: printf 'apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata: {labels: {a: b}}\n' >clusters/prod/patch.yaml
place: clusters/prod/kustomization.yaml:2:18: error[OSG2071]
object: a patch of a kind that osm-gen reads
says: without a name and without a target
help: make the change in the manifest itself
mend: printf 'kustomization.yaml\npatch.yaml\n' >.osm-gen-ignore
END
mistake "settings in a file of another name" <<'END'
do: git mv clusters/prod/osm-gen.yaml clusters/prod/cluster.yaml
place: clusters/prod/cluster.yaml:1:1: error[OSG2003]
object: Cluster
says: file of another name
help: move them to a file named osm-gen.yaml
mend: git mv clusters/prod/cluster.yaml clusters/prod/osm-gen.yaml
END
mistake "a cluster within a cluster" <<'END'
do: mkdir clusters/prod/a; sed 's/name: prod/name: a/' clusters/prod/osm-gen.yaml >clusters/prod/a/osm-gen.yaml
place: clusters/prod/a/osm-gen.yaml:4:9: error[OSG2009]
object: cluster "a"
says: prod
help: beside
mend: git mv clusters/prod/a clusters/a
END

# ---- settings ---------------------------------------------------------------------------------

mistake "a member of osm-gen.yaml" <<'END'
do: sed -i 's/  settings:/  setings:/' clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:6:3: error[OSG2005]
says: "setings"
help: did you mean "settings"?
mend: sed -i 's/setings:/settings:/' clusters/prod/osm-gen.yaml
END
mistake "a setting" <<'END'
do: printf '    clusterDns: [10.10.10.10]\n' >>clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:8:5: error[OSG2007]
says: "clusterDns"
help: did you mean "clusterDNS"?
mend: sed -i 's/clusterDns/clusterDNS/' clusters/prod/osm-gen.yaml
END
mistake "a setting's value" <<'END'
do: printf '    clusterDNS: [10.10.10]\n' >>clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:8:18: error[OSG2107]
says: clusterDNS
help: 10.10.10.10
mend: sed -i 's/\[10.10.10\]/[10.10.10.10]/' clusters/prod/osm-gen.yaml
END
mistake "a boolean in words" <<'END'
do: sed -i 's/externalCloudProvider: true/externalCloudProvider: enabled/' clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:7:28: error[OSG2107]
says: externalCloudProvider: must be true or false
help: write true or false
mend: sed -i 's/: enabled/: true/' clusters/prod/osm-gen.yaml
END
mistake "the apiVersion of osm-gen.yaml" <<'END'
do: sed -i 's/^apiVersion: .*/apiVersion: osm-gen.dev\/v1/' clusters/prod/osm-gen.yaml
place: clusters/prod/osm-gen.yaml:1:13: error[OSG2001]
object: Cluster
help: write apiVersion: osm-gen.dev/v1alpha1
mend: sed -i 's/^apiVersion: .*/apiVersion: osm-gen.dev\/v1alpha1/' clusters/prod/osm-gen.yaml
END

# ---- keys -------------------------------------------------------------------------------------

mistake "a seed that is cut off" <<'END'
run: OSM_GEN_SEAL_SEED=${seed%?????} osm-gen generate
status: 3
place: OSM_GEN_SEAL_SEED: error[OSG5002]
says: cut off
help: osm-gen keygen seed
then: osm-gen generate
END
mistake "another seed" <<'END'
do: osm-gen -q
run: OSM_GEN_SEAL_SEED=$(osm-gen keygen seed) osm-gen generate
status: 3
place: out/prod/index.json: error[OSG5003]
says: another seed
help: --rotate-seed
then: OSM_GEN_SEAL_SEED=$(osm-gen keygen seed) osm-gen -q --rotate-seed
END
mistake "a recipient with a letter wrong" <<'END'
do: sed -i 's/age1f0g2/age1f0g3/' osm-gen.yaml
place: osm-gen.yaml:6:18: error[OSG5011]
says: mistyped or cut off
help: `osm-gen keygen identity`
mend: sed -i 's/age1f0g3/age1f0g2/' osm-gen.yaml
END
mistake "an identity as a recipient" <<'END'
do: sed -i "s/age1[0-9a-z]*/$(osm-gen keygen identity | tail -n 1)/" osm-gen.yaml
place: osm-gen.yaml:6:18: error[OSG5011]
says: a secret key, not its recipient
help: public
mend: git checkout -q HEAD~1 -- osm-gen.yaml
END

# ---- the command line -------------------------------------------------------------------------

mistake "an option" <<'END'
run: osm-gen --oot build
status: 64
place: error[OSG9001]
says: --oot
help: did you mean --out?
then: osm-gen --out build
END
mistake "a command" <<'END'
run: osm-gen generat
status: 64
place: error[OSG9001]
says: generat
help: did you mean generate?
then: osm-gen generate
END
mistake "the root as the output folder" <<'END'
run: osm-gen --out .
status: 64
place: error[OSG6101]
says: --out "." is not a folder of its own
help: below the repository's root, such as out
then: osm-gen --out out
END
mistake "a folder that is no repository" <<'END'
edit: mkdir "$scratch/plain"
run: osm-gen --repo "$scratch/plain"
status: 3
place: error[OSG6001]
says: not a git repository
help: the root of a work tree
then: osm-gen --repo .
END
mistake "no commit yet" <<'END'
edit: rm -rf .git; git -c init.defaultBranch=main init -q
status: 3
place: error[OSG6003]
says: no commit
help: commit
mend: :
END
mistake "an edit that is not committed" <<'END'
edit: sed -i 's/replicas: 3/replicas: 5/' $workers
status: 0
place: warning[OSG6102]
says: clusters/prod/workers.yaml
help: commit
mend: :
END
mistake "a revision of git's that is not there" <<'END'
run: osm-gen --rev v9.9 --no-commit
status: 3
place: error[OSG6003]
says: no commit v9.9
help: name an existing commit, tag or branch
then: osm-gen --rev HEAD --no-commit
END
mistake "a MachineDeployment to render" <<'END'
run: osm-gen render kube-system/worker --print osc
place: error[OSG6108]
says: kube-system/worker
help: kube-system/workers
then: osm-gen render kube-system/workers --print osc
END

# ---- profiles and output ----------------------------------------------------------------------

mistake "a field of a template" <<'END'
do: sed -i 's/\.KubeVersion/.KubeVerison/' osp-small.yaml
place: osp-small.yaml:44:21: error[OSG3002]
object: MachineDeployment kube-system/workers
says: KubeVerison
help: .KubeVersion
mend: sed -i 's/\.KubeVerison/.KubeVersion/' osp-small.yaml
END
mistake "a profile edited under its version" <<'END'
do: osm-gen -q
do: sed -i 's/echo {{/echo version {{/' osp-small.yaml
place: osp-small.yaml:9:12: error[OSG4025]
object: OperatingSystemProfile kube-system/osp-small
says: v1.0.0
help: set version: v1.0.1
mend: sed -i 's/v1.0.0/v1.0.1/' osp-small.yaml
END
mistake "a file of one's own in the output" <<'END'
do: mkdir -p out/prod/worker; echo mine >out/prod/worker/kustomization.yaml
place: out/prod/worker/kustomization.yaml: error[OSG6106]
says: osm-gen
help: move
mend: git rm -q -r out
END
mistake "Secrets in the clear" <<'END'
do: printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}\nstringData: {token: abcdefgh}\n' >clusters/prod/getter.yaml
status: 0
place: clusters/prod/getter.yaml:3:18: warning[OSG2026]
object: Secret cloud-init-settings/cloud-init-getter-token
says: in clear text
help: sops --encrypt --in-place
mend: mkdir "$scratch/getter"; git mv clusters/prod/getter.yaml "$scratch/getter/" 2>/dev/null || mv clusters/prod/getter.yaml "$scratch/getter/"
then: osm-gen --secrets "$scratch/getter"
END
mistake "a bootstrap token that is none" <<'END'
do: printf 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: bootstrap-token-abcdef\n  namespace: kube-system\n  labels: {machinedeployment.k8s.io/name: kube-system-workers}\nstringData: {token-id: abcdef, token-secret: short}\n' >clusters/prod/token.yaml
run: osm-gen generate 2>&1 | grep -v '^$' | sed -n '/OSG4037/,$p' >&2; exit "${PIPESTATUS[0]}"
status: 0
place: clusters/prod/token.yaml:7:46: warning[OSG4037]
object: MachineDeployment kube-system/workers
says: token-secret is not 16 characters
help: remove the Secret, and osm-gen derives a token
mend: git rm -q clusters/prod/token.yaml
then: osm-gen generate
END

# ---- what is encrypted ------------------------------------------------------------------------

# A Secret for somebody else: what osm-gen sealed in another repository.
"$program" keygen identity >"$scratch/theirs"
theirs=$(sed -n 's/^# public key: //p' "$scratch/theirs")
cp -r "$root/tests/golden/base" "$scratch/elsewhere"
sed -i "s/age1[0-9a-z]*/$theirs/" "$scratch/elsewhere/osm-gen.yaml"
git -C "$scratch/elsewhere" -c init.defaultBranch=main init -q
commit_all "$scratch/elsewhere" "inputs"
exits "another repository" 0 "$program" --repo "$scratch/elsewhere"
sealed=$scratch/elsewhere/out/prod/worker/cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config.yaml
sed '/^#/d' "$sealed" >"$scratch/sealed.yaml"
# shellcheck disable=SC2317
use_sealed() {
	cp "$scratch/sealed.yaml" clusters/prod/cloud.yaml
	sed -i "s/{serverType: cx42}/{serverType: cx42, token: {secretKeyRef: {namespace: cloud-init-settings, name: kube-system-workers-kubelet-bootstrap-config, key: kubeconfig}}}/" "$workers"
}
mistake "an encrypted Secret, and no identity" <<'END'
do: use_sealed
status: 3
place: clusters/prod/cloud.yaml:4:11: error[OSG2017]
object: Secret cloud-init-settings/kube-system-workers-kubelet-bootstrap-config
says: no age identity is given
help: SOPS_AGE_KEY_FILE
then: SOPS_AGE_KEY_FILE=$scratch/theirs osm-gen generate
END
mistake "a Secret that is encrypted for somebody else" <<'END'
do: use_sealed
run: SOPS_AGE_KEY_FILE=$root/tests/keys/TEST-ONLY-identity.txt osm-gen generate
status: 3
place: clusters/prod/cloud.yaml:11:5: error[OSG5041]
object: Secret cloud-init-settings/kube-system-workers-kubelet-bootstrap-config
says: none of the age identities given can decrypt the file
help: identity
then: SOPS_AGE_KEY_FILE=$scratch/theirs osm-gen generate
END
mistake "a public key for an identity" <<'END'
do: use_sealed; grep -o 'age1[0-9a-z]*' osm-gen.yaml >"$scratch/public"
run: SOPS_AGE_KEY_FILE=$scratch/public osm-gen generate
status: 3
place: /
says: public:1:1: error[OSG5020]: this line is not an age identity
object: SOPS_AGE_KEY_FILE
help: AGE-SECRET-KEY-1
then: SOPS_AGE_KEY_FILE=$scratch/theirs osm-gen generate
END
mistake "a Secret's name" <<'END'
do: printf '    nodeRegistryCredentialsSecret: kube-system/registrys\n' >>clusters/prod/osm-gen.yaml
do: printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: registries, namespace: kube-system, annotations: {osm-gen.dev/clear: accepted}}\nstringData: {}\n' >clusters/prod/registries.yaml
place: clusters/prod/osm-gen.yaml:8:36: error[OSG2105]
object: cluster prod
says: Secret kube-system/registrys with registry credentials is not among the manifests
help: did you mean kube-system/registries?
mend: sed -i 's/registrys$/registries/' clusters/prod/osm-gen.yaml
END

# ---- live revisions ---------------------------------------------------------------------------

mistake "live revisions of one cluster for two" <<'END'
do: mkdir clusters/more; cp clusters/prod/*.yaml clusters/more/; sed -i 's/name: prod/name: more/; s/settings:/&\n    managementCluster: self/' clusters/more/osm-gen.yaml; sed -i "s#server: https://#&more-#" clusters/more/cluster-info.yaml
do: sed -i 's/settings:/&\n    managementCluster: self/' clusters/prod/osm-gen.yaml
do: printf '{"items": [{"metadata": {"name": "workers", "namespace": "kube-system", "annotations": {"machinedeployment.clusters.k8s.io/revision": "4"}}}]}' >"$scratch/live.json"
run: osm-gen --revisions "$scratch/live.json"
place: /
object: MachineDeployment kube-system/workers
says: error[OSG2024]
help: with a file for each cluster
mend: mkdir -p "$scratch/live"; cp "$scratch/live.json" "$scratch/live/prod.json"; cp "$scratch/live.json" "$scratch/live/more.json"
then: osm-gen --revisions "$scratch/live"
END
mistake "a revision that was left behind" <<'END'
do: sed -i 's/^    k8c.io.*/&\n    machinedeployment.clusters.k8s.io\/revision: "7"/' $workers; commit first; osm-gen -q
do: sed -i 's/kubelet: .*/kubelet: 1.34.2/' $workers
status: 0
place: clusters/prod/workers.yaml:8:49: warning[OSG4034]
object: MachineDeployment kube-system/workers
says: 8 is used
help: remove the annotation
mend: sed -i '/revision: "7"/d' $workers
END
same "there are forty, and more" yes "$([ "$number" -ge 40 ] && echo yes)"
finish
