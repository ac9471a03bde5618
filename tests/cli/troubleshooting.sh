#!/usr/bin/env bash
# The ways out of docs/troubleshooting.md, run as they stand in repositories that have the trouble; and the steps of
# docs/howto/kind.md up to the virtual machine, with a kubectl that prints what kind's cluster would.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
program=$(realpath "$program")
mkdir "$scratch/bin" "$scratch/home"
ln -s "$program" "$scratch/bin/osm-gen"
export PATH=$scratch/bin:$PATH HOME=$scratch/home GIT_EDITOR=true
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE
block() { # PAGE NAME
	sed -n "/^<!-- $2 -->/,/^<!-- end -->/p" "$root/docs/$1.md" | sed '/^<!--/d; /^```/d'
}
way_out() { # NAME: the commands of the page's block, which must succeed
	local commands
	commands=$(block troubleshooting "trouble: $1")
	ok "the page has commands: $1" test -n "$commands"
	exits "the way out: $1" 0 bash -euc "${commands//COMMIT/${commit:-}}"
}
manifest=clusters/example/workers.yaml
change() { # SED MESSAGE
	sed -i "$1" "$manifest" && git commit -q -a -m "$2"
}
revision() { sed -n 's/.*"revision": "\([0-9]*\)".*/\1/p' out/example/index.json | sort -u; }
settled() { exits "$1: check passes" 0 osm-gen check; }
# trouble NAME: a clone of the repository, with its remote, in a folder of its own.
trouble() {
	mkdir "$scratch/$1"
	cd "$scratch/$1" || exit 1
	git clone -q --bare "$scratch/start/fleet" remote.git
	git clone -q remote.git fleet 2>/dev/null
	cd fleet || exit 1
}

mkdir "$scratch/start"
(
	cd "$scratch/start" && osm-gen init -q fleet --keys keys && cd fleet && git branch -q -M main && git add . && git commit -q -m start
) >/dev/null 2>&1
cd "$scratch/start/fleet" || exit 1
export OSM_GEN_SEAL_SEED_FILE=$scratch/start/keys/seed.txt
exits "a repository to begin with" 0 osm-gen generate -q

# ---- looking changes nothing ----------------------------------------------------------------------------------------------
trouble look
before=$(git rev-parse HEAD; git status --porcelain)
for name in look nothing roll; do
	commands=$(block troubleshooting "trouble: $name")
	# doctor ends with 1 where it finds something to look at: the example's API server.
	exits "looking: $name" 0 bash -euc "${commands/osm-gen doctor/osm-gen doctor || test \$? = 1}"
done
same "nothing has changed" "$before" "$(git rev-parse HEAD; git status --porcelain)"

# ---- a merge conflict in out/ -----------------------------------------------------------------------------------------------
trouble conflict
sed 's/name: workers/name: ingress/; s/pool: workers/pool: ingress/' "$manifest" >clusters/example/ingress.yaml
commit_all . "ingress"
osm-gen generate -q
git switch -q -c other
change 's/kubelet: 1.34.1/kubelet: 1.34.2/' "kubelet 1.34.2"
sed -i 's/clusterDNS: .*/clusterDNS: [10.96.0.10]/' osm-gen.yaml
git commit -q -a -m "another DNS"
osm-gen generate -q
git switch -q main
git rm -q clusters/example/ingress.yaml
change 's/distUpgradeOnBoot: false/distUpgradeOnBoot: true/' "upgrade on boot"
osm-gen generate -q
exits "both branches have output: a conflict" 1 git merge other
ok "in out/ alone" test -z "$(git diff --name-only --diff-filter=U | grep -v ^out/)"
ok "of files that one side has removed, too" grep -q '^DU ' <(git status --porcelain)
way_out conflict
ok "the input has both changes" test "$(grep -cE 'kubelet: 1.34.2|distUpgradeOnBoot: true' "$manifest")" = 2
settled conflict
same "nothing is left of the merge" "" "$(git status --porcelain)$(git ls-files -u)"

# ---- conflict markers that were committed ------------------------------------------------------------------------------------
trouble markers
sed -i '1i <<<<<<< ours' out/example/index.json
git commit -q -a -m "a merge"
exits "conflict markers" 2 osm-gen generate
says "are named" "error[OSG1020]"
way_out markers
settled markers

# ---- rollback ---------------------------------------------------------------------------------------------------------------
trouble rollback
change 's/kubelet: 1.34.1/kubelet: 1.34.2/' "kubelet 1.34.2"
commit=$(git rev-parse HEAD)
osm-gen generate -q
same "the change counted on" 2 "$(revision)"
way_out rollback
ok "the plan shows it" grep -q "ROLL: kubelet 1.34.2 -> 1.34.1" "$scratch/out"
same "and the revision counts on" 3 "$(revision)"
settled rollback
trouble reverted
change 's/kubelet: 1.34.1/kubelet: 1.34.2/' "kubelet 1.34.2"
osm-gen generate -q
git revert --no-edit HEAD HEAD~1 >/dev/null 2>&1
exits "output and input reverted together" 0 osm-gen generate
says "the run warns, as the page has it" "warning[OSG6034]"

# ---- two runs at once ---------------------------------------------------------------------------------------------------------
trouble moved
git clone -q ../remote.git ../second 2>/dev/null
(cd ../second && change 's/kubelet: 1.34.1/kubelet: 1.34.2/' "kubelet 1.34.2" && osm-gen generate -q && git push -q)
change 's/replicas: 1/replicas: 2/' "two"
exits "a push that is too late" 1 git push
way_out moved
settled moved
same "both changes are in the remote" "$(git rev-parse HEAD)" "$(git -C ../remote.git rev-parse main)"
change 's/kubelet: 1.34.2/kubelet: 1.34.3/' "kubelet 1.34.3"
touch .git/index.lock
exits "a lock of the index" 3 osm-gen generate
says "is named with the remedy" "OSG6005"
rm .git/index.lock
touch .git/refs/heads/main.lock
exits "a lock of the branch" 3 osm-gen generate
says "is named, too" "OSG6012"
rm .git/refs/heads/main.lock

# ---- the seed, the identity ----------------------------------------------------------------------------------------------------
trouble seed
osm-gen keygen seed -o ../another.txt >/dev/null 2>&1
exits "another seed" 3 osm-gen generate --seal-seed-file ../another.txt
says "is not a lost one" "OSG5003"
way_out seed
OSM_GEN_SEAL_SEED_FILE=$PWD/../new-seed.txt settled seed
trouble identity
way_out identity
settled identity
exits "the new identity opens the output" 0 env SOPS_AGE_KEY_FILE=../new-identity.txt \
	osm-gen unseal out/example/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
exits "the former one does not" 3 env SOPS_AGE_KEY_FILE="$scratch/start/keys/identity.txt" \
	osm-gen unseal out/example/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml

# ---- out/ was deleted ----------------------------------------------------------------------------------------------------------
trouble deleted
tree=$(git rev-parse HEAD:out)
git rm -q -r out
git commit -q -m "no output"
commands=$(block troubleshooting "trouble: deleted")
exits "the way out: deleted" 0 bash -euc "${commands/osm-gen check/osm-gen check || test \$? = 1}"
same "the same bytes are back" "$tree" "$(git rev-parse HEAD:out)"
commit=$(git rev-parse HEAD)
git rm -q out/example/index.json
git commit -q -m "no index"
change 's/kubelet: 1.34.1/kubelet: 1.34.2/' "kubelet 1.34.2"
exits "an index that is gone" 2 osm-gen generate
says "is seen by what it listed" "OSG6106"
way_out index
settled index

# ---- docs/howto/kind.md ---------------------------------------------------------------------------------------------------------
mkdir "$scratch/kind"
cd "$scratch/kind" || exit 1
block howto/kind "kind: kind.yaml" >kind.yaml
block howto/kind "kind: grants.yaml" >grants.yaml
real_kubectl=$(command -v kubectl) # for `kubectl kustomize`, if there is one
cat >"$scratch/bin/kubectl" <<SH
#!/bin/sh
case \$* in
"get configmap cluster-info --namespace kube-public -o yaml") cat "$scratch/kind/cluster-info.yaml" ;;
"apply -k "*) echo "\$3" >"$scratch/kind/applied" ;;
*) echo "kubectl \$*: not expected" >&2; exit 1 ;;
esac
SH
chmod +x "$scratch/bin/kubectl"
sed "s|server: .*|server: https://trial-control-plane:6443|" "$scratch/start/fleet/clusters/example/cluster-info.yaml" >cluster-info.yaml
step() { block howto/kind "kind: $1"; }
steps="$(step repository)
$(step apply)
$(step user-data)"
exits "the trial on kind, up to the machine" 0 bash -euc "$steps"
same "the folder is applied that was opened" ../worker "$(cat applied)"
ok "no Secret of it is sealed" test -z "$(grep -rl 'ENC\[' worker)"
ok "the user-data is a cloud-config" grep -qx '#cloud-config' user-data
if command -v cloud-init >/dev/null; then
	exits "cloud-init takes it" 0 cloud-init schema -c user-data
else
	skip "cloud-init is not installed: it does not read the user-data of the trial on kind"
fi
ok "of the machine" grep -qx 'hostname: node-1' user-data
ok "without a place that is not filled in" test -z "$(grep MACHINE_NAME user-data)"
ok "it fetches from the address that the machine reaches" grep -q 'https://10.0.2.2:6443/api/v1' user-data
ok "the kubelet uses the cluster's DNS" grep -q '10\.96\.0\.10' trial/out/example/management/kube-system/operatingsystemconfig-*.yaml
if [ -n "$real_kubectl" ]; then
	exits "kustomize builds what is applied" 0 "$real_kubectl" kustomize worker
	same "every object of the worker side" "Namespace Role RoleBinding Secret Secret Secret Secret" \
		"$(sed -n 's/^kind: \(Namespace\|Role\|RoleBinding\|Secret\)$/\1/p' "$scratch/out" | paste -sd ' ')"
else
	skip "kubectl is not installed: it does not build the folder of the trial on kind"
fi
counted "files of docs/howto/kind.md and docs/howto/cluster.md" python3 - "$root" <<'PYTHON'
import pathlib
import re
import sys

sys.path.insert(0, sys.argv[1] + "/tests/cli")
import yaml

from _checks import check, equal, finish

root = pathlib.Path(sys.argv[1])
kind = yaml.safe_load(open("kind.yaml"))
equal("kind's form", (kind["kind"], kind["apiVersion"]), ("Cluster", "kind.x-k8s.io/v1alpha4"))
patch = yaml.safe_load(kind["nodes"][0]["kubeadmConfigPatches"][0])
check("the certificate has the address that the machine uses", "10.0.2.2" in patch["apiServer"]["certSANs"])
equal("the port is the one of the page's cluster-info", kind["networking"]["apiServerPort"], 6443)
grants = {item["roleRef"]["name"]: item["subjects"][0]["name"] for item in yaml.safe_load_all(open("grants.yaml"))}
table = (root / "docs/howto/machines.md").read_text().split("## What the cluster must grant")[1]
rows = re.findall(r"^\| `(\S+)` \| (.*?) \|$", table, re.M)
group = "system:bootstrappers:machine-controller:default-node-token"
equal("the grants are the table's", grants, {role: "system:nodes" if "system:nodes" in who else group for role, who in rows})
for item in yaml.safe_load_all(open("grants.yaml")):
    equal(f"the form of {item['metadata']['name']}", (item["kind"], item["apiVersion"], item["roleRef"]["kind"], item["subjects"][0]["kind"]),
          ("ClusterRoleBinding", "rbac.authorization.k8s.io/v1", "ClusterRole", "Group"))
text = (root / "docs/howto/cluster.md").read_text()
info = yaml.safe_load(re.search(r"<!-- cluster: cluster-info -->\n```yaml\n(.*?)```", text, re.S)[1])
config = yaml.safe_load(info["data"]["kubeconfig"])
equal("cluster-info's place", (info["metadata"]["namespace"], info["metadata"]["name"]), ("kube-public", "cluster-info"))
equal("and its members", sorted(config["clusters"][0]["cluster"]), ["certificate-authority-data", "server"])
finish()
PYTHON

# ---- docs/howto/uninstall.md -------------------------------------------------------------------------------------------------------
trouble uninstall
tokens=$(grep -o "grep -rhoE.*" "$root/docs/howto/uninstall.md" | sed 's|out/prod|out/example|')
same "the derived tokens are listed" "$(find out -name 'secret-bootstrap-token-*' -printf '%f\n' | sed 's/^secret-//; s/\.yaml$//' | sort)" \
	"$(bash -c "$tokens")"
finish
