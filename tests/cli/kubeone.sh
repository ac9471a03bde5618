#!/usr/bin/env bash
# KubeOneClusters as inputs: what KubeOne itself made of manifests, random ones against a model of its rules, rendering as
# from committed MachineDeployments, settings, and docs/howto/kubeone.md as it stands.
# Needs: build/asan/kubeone-expand
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
expand=$root/build/${OSM_GEN_TEST_BUILD:-asan}/kubeone-expand
cases=${KUBEONE_CASES_DIR:-$root/../shared/conformance/kubeone/cases}

# ---- KubeOne's own results, and the model ------------------------------------------------------------------------
if [ -d "$cases" ]; then
	counted "as KubeOne" python3 "$root/tests/kubeone/conformance.py" "$expand" "$cases"
else
	echo "skipped: KubeOne's own results are not part of the sources; KUBEONE_CASES_DIR names a folder that has them"
	skipped=$((skipped + 1))
fi
counted "as the schemas" python3 -B "$root/tests/kubeone/schema.py" "$program" "$expand" "$root/tests" "$root/docs" "$cases"
counted "as the model" python3 "$root/tests/kubeone/random_cases.py" "$expand" 120 "${KUBEONE_SEED:-7}"

# ---- rendering is that of committed MachineDeployments -------------------------------------------------------------
base() { # FOLDER TERRAFORM SETTINGS
	mkdir -p "$1/clusters/meadow"
	cp "$root/osm-gen.yaml" "$1/"
	cp "$root/tests/golden/base/clusters/prod/cluster-info.yaml" "$1/clusters/meadow/"
	cat >"$1/clusters/meadow/osm-gen.yaml" <<-END
		apiVersion: osm-gen.dev/v1alpha1
		kind: Cluster
		metadata: {name: meadow}
		spec: {$2 settings: {managementCluster: self$3}}
	END
	git -C "$1" -c init.defaultBranch=main init -q
}
one=$scratch/one two=$scratch/two
base "$one" "terraformOutput: tf.json," ""
cat >"$one/clusters/meadow/kubeone.yaml" <<'END'
apiVersion: kubeone.k8c.io/v1beta2
kind: KubeOneCluster
name: meadow
versions: {kubernetes: v1.35.4}
cloudProvider: {aws: {}}
loggingConfig: {containerLogMaxSize: 50Mi, containerLogMaxFiles: 9}
proxy: {http: "http://user:pass-word-7361@proxy:3128", noProxy: .example.net}
dynamicWorkers:
- name: meadow-a
  replicas: 3
  providerSpec:
    labels: {tier: front}
    sshPublicKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFRFU1QtT05MWTogYSBrZXkgb2YgdGVzdHMgYWxvbmUu ops]
    annotations: {k8c.io/operating-system-profile: osp-flatcar}
    taints: [{key: a, effect: NoSchedule}]
    cloudProviderSpec: {region: eu-north-1, diskSize: 60, tags: {owner: platform}}
    operatingSystem: flatcar
    operatingSystemSpec: {provisioningUtility: ignition}
END
cat >"$one/clusters/meadow/tf.json" <<'END'
{"kubeone_api": {"value": {"endpoint": "lb.example.net"}},
 "kubeone_hosts": {"value": {"control_plane": {"cluster_name": "meadow-tf", "private_address": ["10.1.1.2"]}}},
 "kubeone_workers": {"value": {
   "meadow-a": {"providerSpec": {"cloudProviderSpec": {"ami": "ami-1", "region": "x", "instanceType": "m7i.large"}}},
   "meadow-b": {"replicas": 1, "providerSpec": {"operatingSystem": "ubuntu", "cloudProviderSpec": {"ami": "ami-2"}}}}},
 "secret_output": {"sensitive": true, "value": "correct-horse-battery-staple"}}
END
python3 - "$root/tests/kubeone" "$one/clusters/meadow" >"$scratch/printed.json" <<'END'
import json, pathlib, sys, yaml
sys.path.insert(0, sys.argv[1])
import model
folder = pathlib.Path(sys.argv[2])
units, settings = model.expand(yaml.load((folder / "kubeone.yaml").read_text(), yaml.CSafeLoader), json.loads((folder / "tf.json").read_text()))
print(json.dumps({"apiVersion": "v1", "kind": "List", "items": units}))
del settings["namespace"]
(folder.parent / "settings").write_text(", " + json.dumps(settings)[1:-1])
END
base "$two" "" "$(cat "$one/clusters/settings")"
rm "$one/clusters/settings"
cp "$scratch/printed.json" "$two/clusters/meadow/workers.json"
for repo in "$one" "$two"; do
	commit_all "$repo" inputs
	exits "generate in ${repo##*/}" 0 "$program" generate --repo "$repo"
done
outputs() { # FOLDER: the output without the names of its sources
	rm -rf "$scratch/out-${1##*/}"
	cp -r "$1/out" "$scratch/out-${1##*/}"
	# Proofs cover the path of the source.
	find "$scratch/out-${1##*/}" -type f -exec sed -i -e '/^# .*generated/d' -e 's/"proof": "[0-9a-f]*"/"proof": ""/' -e 's,clusters/meadow/\(kubeone.yaml\|workers.json\),SOURCE,g' {} +
}
outputs "$one"
outputs "$two"
ok "the same output" diff -r "$scratch/out-one" "$scratch/out-two"
ok "with two units" grep -q meadow-b "$one/out/meadow/index.json"
ok "whose file is the manifest" grep -q clusters/meadow/kubeone.yaml "$one/out/meadow/index.json"
ok "without the password" bash -c "! grep -rqF -e pass-word-7361 -e correct-horse $one/out"

exits "print" 0 "$program" render --repo "$one" --machine-deployment kube-system/meadow-a --print machine-deployment
ok "the MachineDeployment" python3 - "$scratch/printed.json" "$scratch/out" <<'END'
import json, sys, yaml
want, got = json.load(open(sys.argv[1]))["items"][0], yaml.load(open(sys.argv[2]), yaml.CSafeLoader)
sys.exit(want != got)
END
exits "list" 0 "$program" list --repo "$one" -o json
same "its units" '["meadow-a","meadow-b"]' "$(jq -c '[.units[].name]' "$scratch/out")"
exits "plan" 0 "$program" plan --repo "$one" -o json
same "nothing to do" '["NONE","NONE"]' "$(jq -c '[.units[].class]' "$scratch/out")"

# ---- a live cluster that KubeOne made: equal to its kubeone.yaml, and adopted it gives the same --------------------------
{
	python3 - "$one/clusters/meadow" "$root/tests/kubeone" <<-'END'
		import json, pathlib, sys, yaml
		sys.path.insert(0, sys.argv[2])
		import model
		folder = pathlib.Path(sys.argv[1])
		units, _ = model.expand(yaml.load((folder / "kubeone.yaml").read_text(), yaml.CSafeLoader), json.loads((folder / "tf.json").read_text()))
		for unit in units:
		    unit["metadata"] |= {"resourceVersion": "17", "uid": "0c3d0a1e-0000-4000-8000-000000000000"}
		    unit["metadata"].setdefault("annotations", {})["machinedeployment.clusters.k8s.io/revision"] = "1"
		    unit["spec"] |= {"paused": False, "progressDeadlineSeconds": 600, "revisionHistoryLimit": 1}
		    print(yaml.safe_dump(unit | {"status": {"replicas": 3}}) + "---")
	END
	for file in "$one"/out/meadow/*/*/*.yaml; do
		case $file in
		*/kustomization.yaml) continue ;;
		*/secret-*) "$program" unseal "$file" ;;
		*) cat "$file" ;;
		esac
		echo ---
	done
	cat "$one/clusters/meadow/cluster-info.yaml"
} >"$scratch/live.yaml"
exits "a live cluster" 0 "$program" compare --repo "$one" --live "$scratch/live.yaml" --cluster meadow
same "is equal" "equal: cluster meadow, 10 equal" "$(cat "$scratch/out")"
exits "a changed one" 1 "$program" compare --repo "$one" --cluster meadow --live <(sed 's/ami: ami-2/ami: ami-4/' "$scratch/live.yaml")
ok "its MachineDeployment" grep -q "MachineDeployment kube-system/meadow-b: another template than the live one" "$scratch/out"
cp -r "$one" "$scratch/adopted"
exits "adopt" 0 bash -c "cd $scratch/adopted && $(realpath "$program") adopt $scratch/live.yaml --cluster meadow --into clusters/live"
mv "$scratch"/adopted/clusters/live/kube-system/machinedeployment-* "$scratch/adopted/clusters/meadow/"
rm -r "$scratch/adopted/clusters/live"
commit_all "$scratch/adopted" adopted
exits "kubeone.yaml beside" 0 "$program" validate --repo "$scratch/adopted"
same "no difference" "" "$(grep OSG2092 "$scratch/err")"
exits "generate with both" 0 "$program" generate --repo "$scratch/adopted"
outputs "$scratch/adopted"
outputs "$one"
find "$scratch/out-adopted" -type f -exec sed -i 's,clusters/meadow/machinedeployment-meadow-.\.yaml,SOURCE,' {} +
ok "the same output as of kubeone.yaml alone" diff -r "$scratch/out-one" "$scratch/out-adopted"
sed -i 's/ami-2/ami-4/' "$scratch/adopted/clusters/meadow/tf.json"
exits "another Terraform output" 0 "$program" validate --repo "$scratch/adopted" --worktree
says "is a difference" OSG2092

# ---- only the units are rendered whose inputs change, and the result is that of rendering all --------------------------
again() { # NAME RENDERED KEPT SED-SCRIPT FILE
	sed -i "$4" "$one/clusters/meadow/$5"
	commit_all "$one" "$1"
	rm -rf "$scratch/whole" && cp -r "$one" "$scratch/whole"
	exits "$1, all" 0 "$program" generate --repo "$scratch/whole" --no-proofs
	exits "$1" 0 "$program" generate -v --repo "$one"
	says "$1" "  $2 rendered, $3 kept"
	same "$1: the same commit" "$(git -C "$scratch/whole" rev-parse HEAD)" "$(git -C "$one" rev-parse HEAD)"
}
again "a comment" 0 2 '1i # meadow' kubeone.yaml
again "another output of Terraform" 0 2 's/correct-horse/wrong-horse/' tf.json
again "one set in Terraform's output" 1 1 's/ami-2/ami-3/' tf.json
again "one set in the manifest" 1 1 's/tier: front/tier: back/' kubeone.yaml
again "a setting" 2 0 's/noProxy: .example.net/noProxy: .example.org/' kubeone.yaml
again "the version" 2 0 's/v1.35.4/v1.35.5/' kubeone.yaml
again "the version back" 2 0 's/v1.35.5/v1.35.4/' kubeone.yaml
again "no comment" 0 2 '1d' kubeone.yaml

# ---- settings --------------------------------------------------------------------------------------------------------
exits "config show" 0 "$program" config show meadow --repo "$one" -o json
same "of the manifest" '{"value":"http://***@proxy:3128","from":"manifest","at":"clusters/meadow/kubeone.yaml:7"}' \
	"$(jq -c '.clusters[0].settings.nodeHTTPProxy' "$scratch/out")"
same "of the cluster" '{"value":"self","from":"cluster","at":"clusters/meadow/osm-gen.yaml:4"}' \
	"$(jq -c '.clusters[0].settings.managementCluster' "$scratch/out")"
sed -i 's/managementCluster: self/&, nodeHTTPProxy: "http:\/\/other:3128", clusterDNS: 10.96.0.10/' "$one/clusters/meadow/osm-gen.yaml"
exits "a setting of the cluster" 0 "$program" config show meadow --repo "$one" --worktree -o json
same "wins" '["http://other:3128","cluster","10.96.0.10"]' \
	"$(jq -c '.clusters[0].settings | [.nodeHTTPProxy.value, .nodeHTTPProxy.from, .clusterDNS.value]' "$scratch/out")"
git -C "$one" checkout -q clusters
ok "the fleet has a default" grep -q 'clusterDNS: \[10.10.10.10\]' "$one/osm-gen.yaml"
exits "a default of the fleet" 0 "$program" config show meadow --repo "$one" --worktree -o json
same "does not" '["169.254.20.10","manifest"]' "$(jq -c '.clusters[0].settings.clusterDNS | [.value, .from]' "$scratch/out")"
git -C "$one" checkout -q .

# ---- certificateAuthority.file ---------------------------------------------------------------------------------------
mkdir "$one/clusters/meadow/pki"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$scratch/key.pem" -subj /CN=meadow -days 30000 \
	-out "$one/clusters/meadow/pki/ca.pem" 2>/dev/null
echo 'certificateAuthority: {file: pki/ca.pem}' >>"$one/clusters/meadow/kubeone.yaml"
exits "a CA bundle" 0 "$program" config show meadow --repo "$one" --worktree -o json
same "is a setting" '["manifest","clusters/meadow/kubeone.yaml:19"]' "$(jq -c '.clusters[0].settings.hostCABundle | [.from, .at]' "$scratch/out")"
sed -i 's,pki/ca.pem,../../../key.pem,' "$one/clusters/meadow/kubeone.yaml"
exits "one outside of the repository" 2 "$program" validate --repo "$one" --worktree
says "is none" "the repository has no file ../../../key.pem beside the KubeOneCluster"
cp "$scratch/key.pem" "$one/clusters/meadow/pki/"
sed -i 's,\.\./\.\./\.\./key.pem,pki/key.pem,' "$one/clusters/meadow/kubeone.yaml"
exits "a private key" 2 "$program" validate --repo "$one" --worktree
says "is refused" "hostCABundle holds no certificate"
ok "and not shown" bash -c "! grep -q 'PRIVATE KEY-----$' $scratch/err"
git -C "$one" checkout -q . && rm -r "$one/clusters/meadow/pki"

# ---- credentials of clouds, in the manifest and in Terraform's output ---------------------------------------------------
three=$scratch/three
base "$three" "terraformOutput: tf.json," ""
cat >"$three/clusters/meadow/kubeone.yaml" <<'END'
apiVersion: kubeone.k8c.io/v1beta2
kind: KubeOneCluster
name: meadow
versions: {kubernetes: 1.35.4}
cloudProvider: {digitalocean: {}}
dynamicWorkers:
- name: meadow-a
  replicas: 1
  providerSpec:
    cloudProviderSpec: {token: CANARY-of-the-manifest-7733, region: fra1}
    operatingSystem: ubuntu
END
cat >"$three/clusters/meadow/tf.json" <<'END'
{"kubeone_api": {"value": {"endpoint": "lb.example.net"}},
 "kubeone_hosts": {"value": {"control_plane": {"cluster_name": "meadow", "private_address": ["10.1.1.2"]}}},
 "kubeone_workers": {"value": {"meadow-b": {"replicas": 1, "providerSpec": {
   "operatingSystem": "ubuntu", "cloudProviderSpec": {"token": "CANARY-of-Terraform-8844", "size": "s"}}}}},
 "db": {"sensitive": true, "value": "CANARY-of-an-output-9955"}}
END
commit_all "$three" inputs
exits "generate with credentials" 0 "$program" generate --repo "$three"
ok "they are not in the output" bash -c "! grep -rqF -e CANARY -e $(printf CANARY-of | base64) $three/out $scratch/err"
for name in meadow-a meadow-b; do
	exits "print $name" 0 "$program" render --repo "$three" --machine-deployment "kube-system/$name" --print machine-deployment
	ok "$name: its token is masked" grep -qF "token: <sealed:kube-system/$name:providerSpec.cloudProviderSpec.token>" "$scratch/out"
done
exits "print with --reveal" 0 "$program" render --repo "$three" --machine-deployment kube-system/meadow-b --print machine-deployment --reveal
ok "it is Terraform's" grep -qF "token: CANARY-of-Terraform-8844" "$scratch/out"
sed -i 's/"size": "s"/"size": 7, "token": 8/; s/"replicas": 1/"replicas": "CANARY-1"/' "$three/clusters/meadow/tf.json"
exits "a mistake in that file" 2 "$program" validate --repo "$three" --worktree
same "its lines are not shown" "" "$(grep CANARY "$scratch/err")"

# ---- the same as a stream, and encrypted -------------------------------------------------------------------------------
sed 's/dynamicWorkers/apiEndpoint: {host: a}\ncontrolPlane: {hosts: [{publicAddress: 203.0.113.1}]}\n&/' "$one/clusters/meadow/kubeone.yaml" >"$scratch/kubeone.yaml"
{ echo ---; cat "$one/clusters/meadow/cluster-info.yaml"; } >>"$scratch/kubeone.yaml"
exits "from standard input" 0 "$program" render - --machine-deployment kube-system/meadow-a --print machine-deployment <"$scratch/kubeone.yaml"
ok "its tag" grep -q 'kubernetes.io/cluster/meadow: shared' "$scratch/out"
printf 'sops:\n  mac: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]\n' >>"$one/clusters/meadow/kubeone.yaml"
exits "an encrypted manifest that nobody can open" 3 "$program" generate --no-commit --repo "$one" --worktree
says "is an error" "error[OSG5041]"
git -C "$one" checkout -q .

# Terraform has what KubeOne cannot merge, and the manifest nothing.
four=$scratch/four
base "$four" "terraformOutput: tf.json," ""
cp "$root/tests/golden/kubeone-merge/repo/clusters/prod/tf.json" "$four/clusters/meadow/"
sed '/^  providerSpec:/,$d; s/^name: prod/name: meadow/' "$root/tests/golden/kubeone-merge/repo/clusters/prod/kubeone.yaml" >"$four/clusters/meadow/kubeone.yaml"
commit_all "$four" "a worker set with a name alone"
exits "a worker set without providerSpec" 2 "$program" validate --repo "$four"
says "is an error at its line" "clusters/meadow/kubeone.yaml:9:3: error[OSG4014]: operatingSystem is empty"

# ---- docs/howto/kubeone.md, as it stands -------------------------------------------------------------------------------
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/bin" "$scratch/home" "$scratch/tutorial"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8 \
	counted "docs/howto/kubeone.md" python3 "$here/_console.py" "$root/docs/howto/kubeone.md" "$scratch/tutorial"
ok "it has commands" grep -qE '^[12][0-9] passed' "$scratch/counts"
finish
