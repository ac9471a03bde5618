#!/usr/bin/env bash
# A change of a whole fleet, as people see it: grouped, with what is worth a second look.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

"$root/tests/bench/fleet.sh" "$scratch/fleet" 60 3
git -C "$scratch/fleet" -c init.defaultBranch=main init -q
commit_all "$scratch/fleet" fleet
cd "$scratch/fleet" || exit 1
exits "the fleet" 0 "$program" -q
sed -i 's#https://dl.k8s.io#https://mirror.example.net#; s/^  version: v[0-9.]*/  version: v9.9.9/' profiles/ubuntu.yaml
commit_all . change

exits "a change of all" 1 "$program" check --report "markdown=$scratch/r.txt" --report "html=$scratch/r.html" --report "json=$scratch/r.json"
says "they change alike" "in 60 MachineDeployments of c000, c001, c002 (profile osp-ubuntu, 180 machines)"
says "with old and new" "-> v9.9.9"
says "a host is new" "A new host that nodes download from: mirror.example.net, in /opt/bin/setup (in 60 MachineDeployments)"
ok "the comment fits" test "$(wc -c <"$scratch/r.txt")" -lt 65536
ok "the comment has the group" grep -q "in 60 MachineDeployments of c000, c001, c002" "$scratch/r.txt"
ok "the page has it" grep -q "in 60 MachineDeployments of c000, c001, c002" "$scratch/r.html"
same "JSON has it" "60 3" "$(python3 -c 'import json, sys
group = json.load(open(sys.argv[1]))["groups"][0]
print(len(group["units"]), group["clusters"])' "$scratch/r.json")"

# Each format as its reader takes it: a group is one finding, whatever the number of its units.
exits "for CI systems" 1 "$program" check -q --report "github=$scratch/r.log" --report "gitlab=$scratch/r.gitlab" --report "junit=$scratch/r.xml"
ok "GitHub: one notice a group, at a line" grep -qE '^::notice file=clusters/c000/[^,]*,line=[0-9]+,col=[0-9]+,title=NEW-NODES-ONLY%3A profile version v[0-9.]+ -> v9\.9\.9 in 60 MachineDeployments of c000%2C c001%2C c002 ' "$scratch/r.log"
same "GitHub: that, and the sum of it" 2 "$(grep -c '^::notice ' "$scratch/r.log")"
same "GitHub: one warning for what stops" 1 "$(grep -c '^::warning title=A new host that nodes download from::mirror.example.net' "$scratch/r.log")"
ok "GitHub: names of the first" grep -qE '::c[^ ]*, [^ ]*, [^ ]* and 57 more$' "$scratch/r.log"
same "GitLab: one issue a fact" '["new-host","new-nodes-only","rollout"]' \
	"$(jq -c '[.[] | select(.check_name | test("OSG") | not) | .check_name] | sort' "$scratch/r.gitlab")"
ok "GitLab: how many" jq -e 'any(.[]; .description | startswith("NEW-NODES-ONLY: profile version ") and contains(" in 60 MachineDeployments of c000"))' "$scratch/r.gitlab"
ok "JUnit: in what failed" python3 - "$scratch/r.xml" <<'END'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0]
failure = suite.find("testcase/failure").text
assert "in 60 MachineDeployments of c000, c001, c002" in failure, failure
assert "-> v9.9.9" in failure and "worth a second look" in failure, failure
assert len(suite.findall("testcase")) == 61, len(suite.findall("testcase"))
END
exits "plan" 0 "$program" plan
ok "plan: what changes" grep -q -- '-> v9.9.9 in 60 MachineDeployments' "$scratch/out"
ok "plan: what to look at twice" grep -q 'A new host that nodes download from: mirror.example.net' "$scratch/out"
exits "plan as JSON" 0 "$program" plan -o json
same "plan as JSON: groups and notes" '[60,"A new host that nodes download from"]' "$(jq -c '[(.groups[0].units | length), .notes[0].title]' "$scratch/out")"

exits "diff" 1 "$program" diff -q
ok "diff is grouped" grep -q "in 60 MachineDeployments of c000, c001, c002" "$scratch/out"
ok "and fits a screen or two" test "$(wc -l <"$scratch/out")" -lt 120
exits "diff of every file" 1 "$program" diff -q -v
same "all configs are there" 60 "$(grep -c '^+++ b/out/.*/operatingsystemconfig-' "$scratch/out")"
exits "once more" 1 "$program" diff -q -j 1
cp "$scratch/out" "$scratch/one"
exits "on several threads" 1 "$program" diff -q -j 4
ok "threads change nothing" cmp "$scratch/one" "$scratch/out"

# A profile edited without a version, for those who may not have the seed either: in all that they read.
git checkout -q HEAD~1 -- profiles
sed -i 's#https://dl.k8s.io#https://mirror.example.net#' profiles/ubuntu.yaml
commit_all . "no new version"
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE
reports=()
for format in json sarif junit markdown html github gitlab; do reports+=(--report "$format=$scratch/edited.$format"); done
for command in plan diff validate; do
	exits "$command" 2 "$program" "$command" "${reports[@]}"
	says "$command: what changed" "note: spec.provisioningConfig.files"
	says "$command: for whom" "note: 60 MachineDeployments of 3 clusters use it"
	for format in json sarif junit markdown html github gitlab; do
		ok "$command: in $format" grep -q OSG4025 "$scratch/edited.$format"
	done
done
git rm -q --cached out/*/management/*/operatingsystemprofile-*.yaml
git commit -q -m "its file taken away"
git checkout -q -f .
exits "plan, with nothing to compare" 0 "$program" plan "${reports[@]}"
says "names the profile" "warning[OSG2046]"
says "counts the other clusters" "note: the same in 2 more clusters"
for format in json sarif junit markdown html github gitlab; do
	ok "in $format" grep -q OSG2046 "$scratch/edited.$format"
done

# ---- units that are new ------------------------------------------------------------------------------------------------------------
OSM_GEN_SEAL_SEED=$(grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt")
export OSM_GEN_SEAL_SEED
repo=$(small renamed)
cd "$repo" || exit 1
sed -i 's#{{ .ServerURL }}/api#https://dl.osm-gen.example/tool {{ .ServerURL }}/api#' osp-small.yaml
commit_all . "a download"
exits "the first run" 0 "$program" plan -o json
same "has no new host" 0 "$(jq '.notes | length' "$scratch/out")"
exits "the first run" 0 "$program" generate
sed 's/workers/more/' clusters/prod/workers.yaml >clusters/prod/more.yaml
commit_all . "a new pool"
exits "a new pool with known hosts" 0 "$program" plan -o json
same "has no note" '["ADD","NONE"] 0' "$(jq -c '[.units[].class] | sort' "$scratch/out") $(jq '.notes | length' "$scratch/out")"
git reset -q --hard HEAD~1
sed -i 's#dl.osm-gen.example#evil.osm-gen.example#; s/version: v1.0.0/version: v1.0.1/' osp-small.yaml
git mv clusters/prod/workers.yaml clusters/prod/renamed.yaml
sed -i 's/workers/renamed/' clusters/prod/renamed.yaml
commit_all . "another name and another host"
exits "a pool that is renamed" 0 "$program" plan -o json
same "has a note of its new host" '["ADD","REMOVE"] A new host that nodes download from: evil.osm-gen.example, in /opt/bin/bootstrap, ["prod/kube-system/renamed"]' \
	"$(jq -c '[.units[].class] | sort' "$scratch/out") $(jq -r '.notes[] | select(.title | startswith("A new host")) | "\(.title): \(.text), \(.units | map("\(.cluster)/\(.namespace)/\(.name)") | tojson)"' "$scratch/out")"
exits "the same without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" plan
ok "has it, too" grep -q 'A new host that nodes download from: evil.osm-gen.example' "$scratch/out"
for index in 1 2; do
	exits "shard $index" 0 "$program" -q --shard "$index/2" --out "$scratch/renamed-$index" --allow-removal
done
exits "merge" 0 "$program" merge "$scratch/renamed-1" "$scratch/renamed-2" --allow-removal --report "json=$scratch/renamed.json"
same "merge has it" 1 "$(jq '[.notes[] | select(.title | startswith("A new host"))] | length' "$scratch/renamed.json")"
finish
