#!/usr/bin/env bash
# What index.json remembers for a later run: units, roles, revisions, user-data; also of the format
# that came before.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet repo)
cluster=$repo/tests/fleet/prod-us-1
out=$repo/out/prod-us-1

index() { # EXPRESSION over the list of files, f
	python3 -c "import json; f = json.load(open('$out/index.json'))['files']; print($1)"
}
revision() { # NAME: of its config, as the file says it
	sed -n 's/^ *k8c.io\/machine-deployment-revision: "\?\([0-9]*\)"\?$/\1/p' \
		"$out/management/kube-system/operatingsystemconfig-$1-kube-system-config.yaml"
}

# A namespace and names that look like parts of what is generated.
sed -e 's/name: build$/name: x-bootstrap-config/' -e 's/namespace: kube-system$/namespace: team-kubelet/' \
	"$cluster/machinedeployments.yaml" >"$scratch/more.yaml"
cp "$scratch/more.yaml" "$cluster/more.yaml"
commit_all "$repo" "names that mislead"
exits "generate" 0 "$program" --repo "$repo"
same "each unit has two files of user-data" "2" \
	"$(index "sorted({len([y for y in f if 'userData' in y and y['unit'] == x['unit']]) for x in f if 'unit' in x})[0]")"
same "and only those roles have them" "bootstrap provisioning" \
	"$(index "' '.join(sorted({x['role'] for x in f if 'userData' in x}))")"
same "all roles" "bootstrap config credential provisioning support" \
	"$(index "' '.join(sorted({x['role'] for x in f if 'role' in x}))")"
same "a unit is named in full" "prod-us-1 MachineDeployment team-kubelet x-bootstrap-config" \
	"$(index "[' '.join(x['unit'].values()) for x in f if x['path'].endswith('secret-x-bootstrap-config-team-kubelet-bootstrap-config.yaml')][0]")"
same "with its profile" "osp-ubuntu" "$(index "{x['profile']['name'] for x in f if 'profile' in x}.pop()")"
ok "and the recipients of the cluster" grep -q '"age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"' "$out/index.json"

same "the first revision" "1" "$(revision workers)"
sed -i 's/kubelet: .*/kubelet: 1.33.9/' "$cluster/machinedeployments.yaml"
commit_all "$repo" "another template"
exits "generate again" 0 "$program" --repo "$repo"
same "is counted on" "2" "$(revision workers)"
same "in the index, too" "2" \
	"$(index "[x['revision'] for x in f if x.get('unit', {}).get('name') == 'workers' and x['unit']['namespace'] == 'kube-system' and x['role'] == 'config'][0]")"

# The same output with an index as it was written before: revisions are kept, and counted on.
for index in "$repo"/out/*/index.json; do
	python3 - "$index" <<'END'
import json, sys
with open(sys.argv[1]) as file:
    index = json.load(file)
index["formatVersion"] = 1
del index["recipients"]
for entry in index["files"]:
    for key in ("role", "unit", "revision", "templateDigest", "profile"):
        entry.pop(key, None)
with open(sys.argv[1], "w") as file:
    json.dump(index, file, indent=2)
    file.write("\n")
END
done
commit_all "$repo" "an index of format 1"
exits "format 1 does not say who reads" 2 "$program" --repo "$repo"
says "format 1 does not say who reads" "error[OSG5071]"
exits "from format 1" 0 "$program" --repo "$repo" --rotate-recipients
same "the revision is kept" "2" "$(revision workers)"
same "only indexes change" "out/edge-eu-1/index.json out/prod-us-1/index.json" \
	"$(git -C "$repo" diff --name-only HEAD~1 | tr '\n' ' ' | sed 's/ $//')"
ok "to format 2" grep -q '"formatVersion": 2' "$out/index.json"
git -C "$repo" reset -q --hard HEAD~1
sed -i 's/kubelet: .*/kubelet: 1.33.8/' "$cluster/machinedeployments.yaml"
git -C "$repo" rm -q "$cluster/more.yaml"
commit_all "$repo" "a third template, and fewer units"
exits "from format 1, changed" 0 "$program" --repo "$repo" --rotate-recipients
same "the revision is counted on" "3" "$(revision workers)"
ok "what is gone is removed" test ! -e "$out/management/kube-system/operatingsystemconfig-workers-team-kubelet-config.yaml"

cp "$scratch/more.yaml" "$cluster/more.yaml"
commit_all "$repo" "more again"
exits "added" 0 "$program" --repo "$repo"
git -C "$repo" rm -q "$cluster/more.yaml"
commit_all "$repo" "fewer again"
exits "removed" 0 "$program" --repo "$repo"
says "is named by kind and place" "prod-us-1/team-kubelet/x-bootstrap-config, 3 machines: tests/fleet/prod-us-1/more.yaml was deleted"
finish
