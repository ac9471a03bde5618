#!/usr/bin/env bash
# What becomes of machines: `plan`, the classes in every report and in the commit, sealed changes told
# apart; and the guard that stops a run which would remove much.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk
new_recipient() { "$program" keygen identity | sed -n 's/^# public key: //p'; }

planned() { # NAME WANT [OPTION...]: "CLUSTER/NAME CLASS REPLICAS" of all units but those of class NONE
	local name=$1 want=$2
	shift 2
	exits "$name: plan" 0 "$program" plan -o json --repo "$repo" "$@"
	same "$name" "$want" "$(python3 - "$scratch/out" <<'END'
import json, sys
plan = json.load(open(sys.argv[1]))
print("; ".join(f"{u['cluster']}/{u['name']} {u['class']} {u['replicas']}" for u in plan["units"] if u["class"] != "NONE"))
assert sum(c["units"] for c in plan["classes"].values()) == len(plan["units"])
END
)"
}
sealed() { # the words of all sealed files of the last plan, each once
	python3 -c 'import json, sys; print(" ".join(sorted({"+".join(f["sealed"]) for f in json.load(open(sys.argv[1]))["sealed"]})))' "$scratch/out"
}
generated() { exits "$1: generate" 0 "$program" --repo "$repo" "${@:2}"; }

repo=$(fleet classes)
mds=$repo/tests/fleet/prod-us-1/machinedeployments.yaml
planned "nothing is there yet" "edge-eu-1/storage ADD 3; edge-eu-1/workers ADD 3; prod-us-1/build ADD 3; prod-us-1/workers ADD 3"
generated "first"
planned "nothing changes" ""
exits "nothing changes: text" 0 "$program" plan --repo "$repo"
ok "nothing changes: said" grep -q "^no machine is replaced, and no user-data changes" "$scratch/out"
same "plan says nothing else" "" "$(cat "$scratch/err")"

# ---- how many at once, and with which control plane -------------------------------------------------------
git -C "$repo" switch -q -c pace
sed -i 's/^  settings:$/&\n    kubernetesVersion: "1.36.0"/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
sed -i 's/kubelet: 1.35.2/kubelet: 1.34.2/; s/^  replicas: 3$/  replicas: 10/; 0,/^  selector:/s//  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 2}}\n&/' "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "kubelets of another minor version, a pace"
exits "a pace" 0 "$program" plan --repo "$repo" --report "html=$scratch/pace.html" --report "markdown=$scratch/pace.md"
for line in 'rolling: in all up to 4 machines more and 2 machines fewer at once' \
	'rolling: up to 3 machines more and 2 machines fewer at once (maxSurge 25%, maxUnavailable 2 in 1 MachineDeployment)' \
	'rolling: up to 1 machine more at once, none fewer (maxSurge 1, maxUnavailable 0 in 1 MachineDeployment)' \
	'kubelet 1.34.2 with control plane 1.36.0, 2 minor versions older, in 2 MachineDeployments'; do
	ok "text: $line" grep -qxF "$line" "$scratch/out"
	ok "HTML: $line" grep -qF "<li>$line</li>" "$scratch/pace.html"
	ok "Markdown: $line" grep -qxF -- "- \`$line\`" "$scratch/pace.md"
done
exits "as JSON" 0 "$program" plan -o json --repo "$repo"
same "its numbers" '[4,2,[["1","0",1,10,1,0],["25%","2",1,10,3,2]],[["1.34.2","1.36.0",2,0,2]]]' "$(jq -c '.rollout | [.more, .fewer,
	(.paces | map([.maxSurge, .maxUnavailable, .units, .replicas, .more, .fewer]) | sort), (.kubelets | map([.kubelet, .controlPlane, .minorsBehind, .minorsAhead, .units]))]' "$scratch/out")"
sed -i 's/kubernetesVersion: "1.36.0"/kubernetesVersion: "1.33.4"/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "an old control plane"
exits "a kubelet that is too new" 0 "$program" plan --repo "$repo"
says "it is warned of" "kubelet 1.34.2 is newer than the cluster's 1.33.4"
exits "for a comment and annotations" 0 "$program" plan --repo "$repo" --report "markdown=$scratch/skew.md" --report "github=$scratch/skew.log"
same "one row, one annotation" "1 1" "$(grep -c OSG4200 "$scratch/skew.md") $(grep -cE 'newer|OSG4200' "$scratch/skew.log")"
ok "at its line, with all places and the help" grep -qE '^::warning file=[^,]*,line=[0-9]+,col=[0-9]+,title=A kubelet newer than its control plane::1.34.2 with 1.33.4: .*also at .*%0Ahelp: ' "$scratch/skew.log"
ok "with the other place" grep -q "also at .*machinedeployments.yaml:" "$scratch/skew.md"
ok "and refused" grep -qF "kubelet 1.34.2 with control plane 1.33.4, 1 minor version newer: refused by Kubernetes, in" "$scratch/out"
exits "the setting alone changes nothing" 0 "$program" validate --repo "$repo"
sed -i 's/kubernetesVersion: "1.33.4"/kubernetesVersion: new/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
exits "no version" 2 "$program" validate --worktree --repo "$repo"
says "a version is wanted" "must be a version"
git -C "$repo" checkout -q -f main

# ---- each class ----------------------------------------------------------------------------------------
sed -i '0,/kubelet: 1.34.1/s//kubelet: 1.34.2/' "$mds"
sed -i '0,/SystemReserved: cpu=200m,memory=512Mi/s//SystemReserved: cpu=300m,memory=512Mi/' "$mds"
commit_all "$repo" "another kubelet"
planned "another template" "prod-us-1/workers ROLL 3"
same "its values are others" "value" "$(sealed)"
exits "as text" 0 "$program" plan --repo "$repo"
same "machines are counted" "3 machines in 1 MachineDeployment roll" "$(head -n 1 "$scratch/out")"
exits "diff" 1 "$program" diff --repo "$repo" --report "json=$scratch/report.json" --report "markdown=$scratch/report.md" --report "junit=$scratch/report.xml"
says "diff says it" "  3 machines in 1 MachineDeployment roll"
ok "JSON has it" python3 - "$scratch/report.json" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["formatVersion"] == "1.6", report["formatVersion"]
classes = {(u["cluster"], u["name"]): (u["class"], u["replicas"]) for u in report["units"]}
assert classes[("prod-us-1", "workers")] == ("ROLL", 3), classes
assert classes[("prod-us-1", "build")] == ("NONE", 3), classes
assert any(f.get("sealed") == ["value"] for f in report["files"]), report["files"]
END
ok "Markdown has it" grep -qF '**3 machines in 1 MachineDeployment roll**' "$scratch/report.md"
ok "Markdown's table, too" grep -qF '| changed | ROLL | 3 |' "$scratch/report.md"
ok "JUnit has it" grep -qF '3 machines in 1 MachineDeployment roll' "$scratch/report.xml"
generated "another template"
same "so has the commit" "3 machines in 1 MachineDeployment roll" "$(git -C "$repo" log -1 --format=%b | head -n 1)"

sed -i '0,/SystemReserved: cpu=300m,memory=512Mi/s//SystemReserved: cpu=400m,memory=512Mi/' "$mds"
commit_all "$repo" "another reserve"
planned "user-data alone" "prod-us-1/workers NEW-NODES-ONLY 3"
generated "user-data alone"

sed -i '0,/replicas: 3/s//replicas: 5/' "$mds"
commit_all "$repo" "more machines"
planned "replicas are no template" ""

printf '{"items": [{"metadata": {"namespace": "kube-system", "name": "build", "annotations": {"machinedeployment.clusters.k8s.io/revision": "7"}}}]}' >"$scratch/revisions.json"
planned "a revision that the cluster has" "prod-us-1/build METADATA 3" --revisions "$scratch/revisions.json"
same "whose values stay" "" "$(sealed)"

sed -i '0,/replicas: 5/{/replicas: 5/d}' "$mds"
sed -i '0,/kubelet: 1.34.2/s//kubelet: 1.34.3/' "$mds"
commit_all "$repo" "no replicas"
planned "replicas are 1 where nothing is said" "prod-us-1/workers ROLL 1"
git -C "$repo" reset -q --hard HEAD~1

# ---- who can read, and by which seed ---------------------------------------------------------------------
printf '  sealing: {recipients: [%s, %s]}\n' "$ours" "$(new_recipient)" >>"$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "one more reader"
planned "other recipients" "prod-us-1/build METADATA 3; prod-us-1/workers METADATA 5" --rotate-recipients
same "the values stay" "recipients" "$(sealed)"
sed -i '0,/SystemReserved: cpu=400m,memory=512Mi/s//SystemReserved: cpu=500m,memory=512Mi/' "$mds"
commit_all "$repo" "and another value"
planned "other recipients and a value" "prod-us-1/build METADATA 3; prod-us-1/workers NEW-NODES-ONLY 5" --rotate-recipients
same "both are said" "recipients value+recipients" "$(sealed)"
git -C "$repo" reset -q --hard HEAD~2

"$program" keygen seed >"$scratch/seed"
# New machines of prod-us-1 read a token that is derived; those of edge-eu-1 have one from a Secret.
planned "another seed" "edge-eu-1/storage METADATA 3; edge-eu-1/workers METADATA 3; prod-us-1/build NEW-NODES-ONLY 3; prod-us-1/workers NEW-NODES-ONLY 5" --rotate-seed --seal-seed-file "$scratch/seed"
same "what cannot be told is said" "seed+unknown" "$(sealed)"
sed -i '0,/SystemReserved: cpu=400m,memory=512Mi/s//SystemReserved: cpu=500m,memory=512Mi/' "$mds"
commit_all "$repo" "and another value"
planned "another seed and a value" "edge-eu-1/storage METADATA 3; edge-eu-1/workers METADATA 3; prod-us-1/build NEW-NODES-ONLY 3; prod-us-1/workers NEW-NODES-ONLY 5" --rotate-seed --seal-seed-file "$scratch/seed"

# ---- an output of format 1 -------------------------------------------------------------------------------
generated "before"
for cluster in edge-eu-1 prod-us-1; do
	python3 - "$repo/out/$cluster/index.json" <<'END'
import json, sys
index = json.load(open(sys.argv[1]))
index["formatVersion"] = 1
for file in index["files"]:
    for member in ("unit", "role", "revision", "templateDigest", "profile"):
        file.pop(member, None)
json.dump(index, open(sys.argv[1], "w"), indent=2)
END
done
sed -i '0,/kubelet: 1.34.2/s//kubelet: 1.34.3/' "$mds"
commit_all "$repo" "an index as it was"
planned "format 1" "prod-us-1/workers ROLL 5"
git -C "$repo" rm -q -r tests/fleet/edge-eu-1
commit_all "$repo" "a cluster less"
exits "format 1: a cluster goes" 2 "$program" --repo "$repo"
says "and is named" "cluster edge-eu-1 goes as a whole"

# ---- a digest that an earlier version took ---------------------------------------------------------------
repo=$(fleet digest)
mds=$repo/tests/fleet/prod-us-1/machinedeployments.yaml
sed -i '0,/      labels: {pool: workers}/s//      creationTimestamp: null\n&/' "$mds"
commit_all "$repo" "as kubectl writes it"
generated "digest"
python3 - "$repo" <<'END'
import hashlib, json, pathlib, re, sys
template = {
    "metadata": {"creationTimestamp": None, "labels": {"pool": "workers"}},
    "spec": {
        "versions": {"kubelet": "1.34.1"},
        "providerSpec": {"value": {
            "sshPublicKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE3tQ6n9mT4mF1oT0n8yZ7mT1c2xw0V9pX3kV6Q2sTES ops@osm-gen.example"],
            "cloudProvider": "aws",
            "cloudProviderSpec": {"region": "us-east-1", "availabilityZone": "us-east-1a", "vpcId": "vpc-0a1b2c3d", "subnetId": "subnet-0a1b2c3d", "instanceType": "m6i.large"},
            "operatingSystem": "ubuntu",
            "operatingSystemSpec": {"distUpgradeOnBoot": False},
        }},
    },
}
text = json.dumps(template, sort_keys=True, separators=(",", ":"))
earlier = hashlib.sha256(text.encode()).hexdigest()[:32]
out = pathlib.Path(sys.argv[1], "out/prod-us-1")
config = out / "management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml"
now = re.search("template-digest: ([0-9a-f]{32})", config.read_text())[1]
assert now != earlier
for file in (config, out / "index.json"):
    file.write_text(file.read_text().replace(now, earlier))
END
commit_all "$repo" "as an earlier version wrote it"
exits "it stays" 0 "$program" check --repo "$repo"
sed -i '0,/kubelet: 1.34.1/s//kubelet: 1.34.2/' "$mds"
commit_all "$repo" "another kubelet"
planned "and is compared" "prod-us-1/workers ROLL 3"
git -C "$repo" reset -q --hard HEAD~1
generated "nothing to do"
sed -i '/creationTimestamp: null/d' "$mds"
git -C "$repo" revert --no-edit HEAD >/dev/null 2>&1
commit_all "$repo" "without it"
planned "what is empty does not count" ""

# ---- what goes ---------------------------------------------------------------------------------------------
repo=$(fleet removal)
generated "removal"
head=$(git -C "$repo" rev-parse HEAD)
refused() { # NAME TEXT: nothing is changed, and told
	local tip
	tip=$(git -C "$repo" rev-parse HEAD)
	exits "$1: check" 2 "$program" check --repo "$repo"
	exits "$1" 2 "$program" --repo "$repo"
	says "$1: the code" "error[OSG2030]"
	says "$1: what" "$2"
	says "$1: the way out" "--allow-removal"
	same "$1: nothing moved" "$tip" "$(git -C "$repo" rev-parse HEAD)"
	exits "$1: diff shows it" 1 "$program" diff --repo "$repo"
	says "$1: with a warning" "warning[OSG2031]"
	exits "$1: so does plan" 0 "$program" plan --repo "$repo"
	says "$1: with the same" "warning[OSG2031]"
}
git -C "$repo" rm -q -r tests/fleet/edge-eu-1
commit_all "$repo" "a cluster less"
refused "a whole cluster" "cluster edge-eu-1 goes as a whole: 2 MachineDeployments"
planned "a whole cluster" "edge-eu-1/storage REMOVE 3; edge-eu-1/workers REMOVE 3"
exits "as text" 0 "$program" plan --repo "$repo"
same "removals come first" "2 MachineDeployments (6 machines) are removed" "$(head -n 1 "$scratch/out")"
generated "it is meant" --allow-removal
ok "and gone" test ! -e "$repo/out/edge-eu-1"
git -C "$repo" reset -q --hard "$head"

echo '*machinedeployments.yaml' >"$repo/.osm-gen-ignore"
commit_all "$repo" "a wrong line"
refused "nothing is left" "4 of the output's 4 MachineDeployments would be removed: nothing asks for any"
generated "even that can be meant" --allow-removal
same "then no unit is left" "0" "$(find "$repo/out" -name 'operatingsystemconfig-*' | wc -l)"
git -C "$repo" reset -q --hard "$head"

many() { # N: machines of one cluster beside the others
	local i
	for i in $(seq "$1"); do
		sed "/^---$/,\$d; s/name: workers/name: more-$i/" "$root/tests/fleet/prod-us-1/machinedeployments.yaml" >"$repo/tests/fleet/prod-us-1/more-$i.yaml"
	done
	commit_all "$repo" "$1 more"
}
many 6
generated "ten units"
git -C "$repo" rm -q tests/fleet/prod-us-1/more-1.yaml tests/fleet/prod-us-1/more-2.yaml
commit_all "$repo" "two less"
exits "two of ten" 1 "$program" check --repo "$repo"
git -C "$repo" rm -q tests/fleet/prod-us-1/more-3.yaml
commit_all "$repo" "three less"
refused "three of ten" "3 of the output's 10 MachineDeployments would be removed"
printf '  removalGuard: {percent: 31}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "31 percent"
exits "the setting counts" 1 "$program" check --repo "$repo"
sed -i 's/percent: 31/percent: 10, least: 4/' "$repo/osm-gen.yaml"
commit_all "$repo" "4 at least"
exits "so does the other" 1 "$program" check --repo "$repo"
sed -i 's/least: 4/least: 1/' "$repo/osm-gen.yaml"
commit_all "$repo" "1 at least"
refused "and is strict where wanted" "3 of the output's 10 MachineDeployments would be removed"

# ---- an output folder that holds inputs ----------------------------------------------------------------------
repo=$(fleet inputs)
exits "--out where the inputs are" 2 "$program" --repo "$repo" --out tests/fleet
says "the code" "error[OSG6020]"
says "the files are named" "tests/fleet/edge-eu-1/machinedeployments.yaml"
generated "elsewhere"
cp "$repo/tests/fleet/prod-us-1/machinedeployments.yaml" "$repo/out/prod-us-1/"
commit_all "$repo" "put into the wrong folder"
exits "a manifest among the output" 2 "$program" check --repo "$repo"
says "is named" "out/prod-us-1/machinedeployments.yaml"
git -C "$repo" rm -q out/prod-us-1/machinedeployments.yaml
echo "what lies here is generated" >"$repo/out/README.md"
commit_all "$repo" "a word for people"
exits "what is no manifest may stay" 0 "$program" check --repo "$repo"

finish
