#!/usr/bin/env bash
# What people type and what they forget: paths, branches, reports, settings, files never committed.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

unchanged() { # NAME REPO HEAD: neither branch nor files moved
	same "$1: no commit" "$3" "$(git -C "$2" rev-parse HEAD)"
	same "$1: no file" "" "$(git -C "$2" status --porcelain)"
}

# ---- the output folder's name ----------------------------------------------------------------------
repo=$(fleet paths)
exits "generate" 0 "$program" --repo "$repo"
for out in ./out out// ./out/. ././out "$repo//out/" "$repo/./out"; do
	exits "--out $out is out" 0 "$program" check --repo "$repo" --out "$out"
done
for out in "" . ./ / .. ../out out/../.. .git .git/x; do
	[ "$out" = / ] && continue
	exits "--out \"$out\" is refused" 64 "$program" check --repo "$repo" --out "$out"
done

# ---- branches --------------------------------------------------------------------------------------
repo=$(fleet branches)
head=$(git -C "$repo" rev-parse HEAD)
exits "a branch in full" 0 "$program" --repo "$repo" --branch refs/heads/rendered
ok "is that branch" git -C "$repo" rev-parse -q --verify refs/heads/rendered
for branch in a..b -x "a b" a.lock a/ "a~1" refs/heads/; do
	exits "--branch \"$branch\" is wrong usage" 64 "$program" --repo "$repo" --branch="$branch"
done
exits "--worktree with --rev" 64 "$program" --repo "$repo" --worktree --rev HEAD
exits "--worktree with --branch" 64 "$program" --repo "$repo" --worktree --branch x
unchanged "wrong usage" "$repo" "$head"

# ---- before the first commit ---------------------------------------------------------------------------
repo=$(fleet unborn)
rm -rf "$repo/.git"
git -C "$repo" -c init.defaultBranch=main init -q
show=(render --repo "$repo" --machine-deployment prod-us-1/kube-system/workers --print osc)
exits "validate --worktree" 0 "$program" validate --repo "$repo" --worktree
says "reads what is there" "2 clusters, 4 MachineDeployments"
exits "render --worktree" 0 "$program" "${show[@]}" --worktree
cp "$scratch/out" "$scratch/unborn-osc"
exits "an export of the work tree" 0 "$program" --repo "$repo" --worktree --out "$scratch/unborn-out"
exits "and its check" 0 "$program" check --repo "$repo" --worktree --out "$scratch/unborn-out"
for command in validate generate; do
	exits "$command reads a commit" 3 "$program" "$command" --repo "$repo"
	says "$command reads a commit" "the branch has no commit yet"
	says "$command can do without" "--worktree"
done
for command in check diff; do
	exits "$command --worktree compares with a commit" 3 "$program" "$command" --repo "$repo" --worktree
	says "$command says that it does" "no committed output to compare with"
	ok "$command does not advise what was done" bash -c "! grep -q 'use --worktree' $scratch/err"
done
sed -i 's/kind: MachineDeployment/kind: MachineDeploymnet/' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
exits "a mistake" 2 "$program" validate --repo "$repo" --worktree
sed -i 's/kind: MachineDeploymnet/kind: MachineDeployment/' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
exits "generate --worktree" 0 "$program" --repo "$repo" --worktree
ok "none of it made a commit" bash -c "! git -C $repo rev-parse -q --verify HEAD"
commit_all "$repo" "the first"
exits "render, of the first commit" 0 "$program" "${show[@]}"
ok "is what it was before" cmp "$scratch/unborn-osc" "$scratch/out"

# ---- manifests that nobody committed -----------------------------------------------------------------
repo=$(fleet forgotten)
fleet_folder=tests/fleet/prod-us-1
sed 's/name: workers/name: fresh/' "$repo/$fleet_folder/machinedeployments.yaml" >"$repo/$fleet_folder/fresh.yaml"
exits "an untracked manifest" 0 "$program" validate --repo "$repo"
says "is warned of" "not committed are not read: $fleet_folder/fresh.yaml"
git -C "$repo" add "$fleet_folder/fresh.yaml"
exits "one that is only staged" 0 "$program" validate --repo "$repo"
says "is warned of, too" "not committed are not read: $fleet_folder/fresh.yaml"
echo "$fleet_folder/fresh.yaml" >"$repo/.gitignore"
git -C "$repo" rm -q --cached "$fleet_folder/fresh.yaml"
mkdir -p "$repo/mounted" "$repo/other/.git"
cp "$repo/tests/fleet/edge-eu-1/getter-token.yaml" "$repo/mounted/"
cp "$repo/$fleet_folder/fresh.yaml" "$repo/other/"
echo '{"apiVersion": "v1", "kind": "List", "items": []}' >"$repo/live.json"
echo '{"some": "tool"}' >"$repo/tool.json"
echo 'not: [yaml' >"$repo/broken.yaml"
exits "what is ignored, given, foreign or none" 1 "$program" check --repo "$repo" --secrets "$repo/mounted" \
	--revisions "$repo/live.json" --out "$scratch/nowhere" --report "json=$repo/report.json"
same "is not" "0" "$(grep -c OSG6102 "$scratch/err")"

# ---- Secrets that sops encrypted as a whole ------------------------------------------------------------
repo=$(fleet whole)
cp "$here/sops-whole.txt" "$repo/$fleet_folder/getter-token.yaml"
commit_all "$repo" "a token"
exits "without an identity" 3 env -u SOPS_AGE_KEY_FILE "$program" --repo "$repo"
says "it is named" "$fleet_folder/getter-token.yaml:2:7: error[OSG2017]"
exits "validate needs none" 0 env -u SOPS_AGE_KEY_FILE "$program" validate --repo "$repo"
exits "kind and all" 0 "$program" --repo "$repo"
ok "the token is that of the file" bash -c \
	"'$program' render --repo '$repo' --machine-deployment prod-us-1/kube-system/workers --print osc --reveal |
	grep -q 'Bearer TEST-ONLY-hidden-getter-token-77aa11'"
same "no token is made, so none needs rights" "" "$(find "$repo/out/prod-us-1" -name 'role*')"
cp "$here/sops-whole-md.txt" "$repo/$fleet_folder/hidden.yaml"
commit_all "$repo" "a MachineDeployment"
exits "a MachineDeployment may not hide" 2 "$program" --repo "$repo"
says "and is named" "error[OSG2018]: a MachineDeployment is encrypted"

# ---- settings: whose mistake, and all of them ----------------------------------------------------------
repo=$(fleet settings)
head=$(git -C "$repo" rev-parse HEAD)
for words in "--ou elsewhere" "--ou check" "--format json"; do
	# shellcheck disable=SC2086
	exits "\"$words\" is wrong usage" 64 "$program" --repo "$repo" $words
	same "\"$words\" is one mistake" 1 "$(grep -c "error\[" "$scratch/err")"
done
exits "a misspelt command is wrong usage" 64 "$program" chek --repo "$repo"
says "a misspelt command" "did you mean check?"
exits "a flag's wrong value is wrong usage" 64 "$program" --repo "$repo" --cluster-dns 10.0.0.300
exits "so is that of --osc" 64 "$program" --repo "$repo" --osc hidden
unchanged "a flag's wrong value" "$repo" "$head"
cat >"$repo/osm-gen.yaml" <<'YAML'
apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  defaults: {clusterDNS: [10.0.0.300]}
  sealing: {recipient: [age1xyz]}
  comit: {}
YAML
commit_all "$repo" "mistakes"
exits "a file's is wrong input" 2 "$program" --repo "$repo"
says "the first mistake" "osm-gen.yaml:4:"
says "the second" "spec.sealing has no \"recipient\""
says "the third" "has no \"comit\""
says "and nothing that follows from them" "3 errors"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {sealing: {recipients: [age1xyz]}}\n' >"$repo/osm-gen.yaml"
commit_all "$repo" "a recipient"
exits "validate reads recipients" 2 "$program" validate --repo "$repo"
says "and names them" "osm-gen.yaml:3:31: error[OSG5011]"
says "once for all clusters" "1 error"

printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\n' >"$repo/osm-gen.yaml"
commit_all "$repo" "no recipient"
exits "nobody to seal to" 2 "$program" --repo "$repo"
says "is one mistake" "no recipients to seal to for any cluster"
says "and no more" "1 error"
exits "and none for validate" 0 "$program" validate --repo "$repo"

# ---- other people's index.json -------------------------------------------------------------------------
repo=$(fleet index)
mkdir -p "$repo/out/site" "$repo/out/prod-us-1"
echo '{"pages": []}' >"$repo/out/site/index.json"
commit_all "$repo" "a site"
exits "beside the clusters" 0 "$program" --repo "$repo"
same "it stays" '{"pages": []}' "$(cat "$repo/out/site/index.json")"
echo '{"pages": []}' >"$repo/out/prod-us-1/index.json"
commit_all "$repo" "in a cluster's folder"
exits "in a cluster's folder it is in the way" 2 "$program" --repo "$repo"
says "and is named" "out/prod-us-1/index.json: error[OSG6106]"

# ---- what changed --------------------------------------------------------------------------------------
repo=$(fleet rows)
exits "generate" 0 "$program" --repo "$repo"
says "MachineDeployments are named" "edge-eu-1/kube-system/storage, 3 machines: osp-ubuntu v"
same "files are not" "0" "$(grep -c 'kustomization.yaml' "$scratch/err")"
sed -i 's/name: build$/name: build-2/; s/namespace: kube-system/namespace: team-a/' "$repo/$fleet_folder/machinedeployments.yaml"
commit_all "$repo" "renamed"
exits "with -v" 0 "$program" --repo "$repo" -v
says "files are, once" "M  prod-us-1/worker/kustomization.yaml"
same "once" "1" "$(grep -c 'worker/kustomization.yaml' "$scratch/err")"
git -C "$repo" rm -q "$repo/$fleet_folder/machinedeployments.yaml"
commit_all "$repo" "gone"
exits "what is gone" 0 "$program" --repo "$repo" --allow-removal
says "has its own name" "prod-us-1/team-a/build-2, 3 machines: $fleet_folder/machinedeployments.yaml was deleted"
says "and is not counted" "2 MachineDeployments, "
same "nor in the message" "- prod-us-1/team-a/build-2: $fleet_folder/machinedeployments.yaml was deleted" "$(git -C "$repo" log -1 --format=%b | grep build-2)"

# ---- reports ---------------------------------------------------------------------------------------------
repo=$(fleet reports)
head=$(git -C "$repo" rev-parse HEAD)
for path in "$scratch/no/such/folder" "$scratch" ""; do
	exits "a report that cannot be written: \"$path\"" "$([ "$path" ] && echo 3 || echo 64)" \
		"$program" --repo "$repo" --report "json=$path"
done
unchanged "then" "$repo" "$head"
exits "a device" 0 "$program" validate --repo "$repo" --report json=/dev/null
ok "stays one" test -c /dev/null
echo old >"$scratch/real.json"
ln -s real.json "$scratch/link.json"
exits "a link" 0 "$program" validate --repo "$repo" --report "json=$scratch/link.json"
ok "stays one, too" test -L "$scratch/link.json"
ok "and leads to the report" grep -q '"outcome": "valid"' "$scratch/real.json"
all=(--report "json=$scratch/r.json" --report "sarif=$scratch/r.sarif" --report "junit=$scratch/r.xml" --report "markdown=$scratch/r.md")
exits "check, with all of them" 1 "$program" check --repo "$repo" "${all[@]}"
ok "what they say of a difference" python3 - "$scratch" <<'PY'
import json, sys, xml.etree.ElementTree as xml
folder = sys.argv[1]
sarif = json.load(open(folder + "/r.sarif"))
assert sarif["version"] == "2.1.0" and [r["ruleId"] for r in sarif["runs"][0]["results"]] == ["added"], sarif
suites = xml.parse(folder + "/r.xml").getroot()
cases = suites.findall("testsuite/testcase")
assert suites.tag == "testsuites" and len(cases) == int(suites.get("tests")) == 5
assert [c.get("name") for c in cases if c.find("failure") is not None] == ["out is up to date"]
assert suites.get("failures") == "1"
assert json.load(open(folder + "/r.json"))["outcome"] == "differs"
PY
printf '# \303\274 & <b>\nx: "\303\274\303\274" ; "\n' >"$repo/a b.yaml"
printf '{"kind": "ConfigMap", "\303\274\303\274": 1, "b": 2, "b": 3}\n' >"$repo/c.json"
sed -i 's/profile: osp-ubuntu/profile: osp-ubuntoo # \&<"/' "$repo/$fleet_folder/machinedeployments.yaml"
commit_all "$repo" "mistakes"
exits "mistakes, in all of them" 2 "$program" check --repo "$repo" "${all[@]}"
cp "$scratch/err" "$scratch/said"
ok "what they say of mistakes" python3 - "$scratch" "$repo" <<'PY'
import json, re, sys, urllib.parse, xml.etree.ElementTree as xml
folder, repo = sys.argv[1:]
said = re.findall(r"^(.+?):(\d+):(\d+): error\[(OSG\d+)\]", open(folder + "/said").read(), re.M)
run = json.load(open(folder + "/r.sarif"))["runs"][0]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
assert rules == sorted(set(rules)) and set(rules) == {code for *_, code in said}, rules
got = []
for result in run["results"]:
    place = result["locations"][0]["physicalLocation"]
    path = urllib.parse.unquote(place["artifactLocation"]["uri"])
    assert " " not in place["artifactLocation"]["uri"]
    line = open(repo + "/" + path, encoding="utf-8").read().split("\n")[place["region"]["startLine"] - 1]
    column = len(line[:place["region"]["startColumn"] - 1].encode()) + 1
    got.append((path, str(place["region"]["startLine"]), str(column), result["ruleId"]))
    assert result["level"] == "error" and result["message"]["text"]
assert got == said, (got, said)
cases = xml.parse(folder + "/r.xml").getroot().findall("testsuite/testcase")
failures = [c.find("failure") for c in cases if c.find("failure") is not None]
assert [f.get("type") for f in failures] == [code for *_, code in said], failures
assert len(said) >= 3, said
PY
exits "an unreadable seed" 3 "$program" --repo "$repo" --seal-seed-file "$scratch/none" --report "json=$scratch/r.json"
ok "is reported as well" grep -q '"outcome": "failed"' "$scratch/r.json"

# ---- kinds, and lines of broken files ------------------------------------------------------------------------
repo=$(fleet kinds)
sed -i '0,/^kind: MachineDeployment/s//kind: MachineDeploymnet/' "$repo/$fleet_folder/machinedeployments.yaml"
cat >"$repo/other.yaml" <<'YAML'
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineSet
metadata: {name: x}
---
apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemConfig
metadata: {name: x}
---
apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemprofile
metadata: {name: x}
YAML
commit_all "$repo" "misspelt"
exits "kinds that are misspelt" 2 "$program" validate --repo "$repo"
says "a MachineDeployment" "$fleet_folder/machinedeployments.yaml:2:7: error[OSG2002]"
says "a profile" "other.yaml:10:7: error[OSG2002]"
says "and no other" "2 errors"
repo=$(fleet broken)
sed -i '100s/^/x: {{ .Nope }}/' "$repo/profiles/ubuntu.yaml"
commit_all "$repo" "a broken profile"
exits "a broken profile" 2 "$program" validate --repo "$repo"
says "shows its line" "100 | x: {{ .Nope }}"
for line in 'password: hunter2-hunter2' '# apiToken: hunter2-hunter2' '- "secretKey": hunter2-hunter2' 'key: |' \
	'curl -H "Authorization: Bearer hunter2-hunter2"' 'url: https://me:hunter2-hunter2@x.example'; do
	printf 'kind: MachineDeployment\n%s\n\thunter2-hunter2\n' "$line" >"$repo/profiles/ubuntu.yaml"
	commit_all "$repo" "a broken file"
	exits "a broken file with: $line" 2 "$program" validate --repo "$repo"
	same "does not show it" "0" "$(grep -c hunter2 "$scratch/err")"
done

# ---- one mistake, made often ------------------------------------------------------------------------------
repo=$(fleet often)
{
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults:\n'
	seq -f '    noSuchSetting%.0f: x' 125
} >"$repo/osm-gen.yaml"
commit_all "$repo" "a mistake made often"
exits "a mistake made often" 2 "$program" validate --repo "$repo" --report "json=$scratch/often.json"
same "shows the first" "20" "$(grep -c 'error\[OSG2007\]: .*noSuchSetting' "$scratch/err")"
says "and counts the others" "and 105 more error[OSG2007]: "
ok "a report has them all" python3 -c 'import json, sys
codes = [d["code"] for d in json.load(open(sys.argv[1]))["diagnostics"]]
sys.exit(codes.count("OSG2007") != 125)' "$scratch/often.json"
exits "-v" 2 "$program" validate --repo "$repo" -v
same "shows all" "125" "$(grep -c 'error\[OSG2007\]: .*noSuchSetting' "$scratch/err")"

# ---- nobody reads on: osm-gen help | head -2 -----------------------------------------------------------------
repo=$(fleet unread)
exits "generate" 0 "$program" --repo "$repo"
sed -i 's/replicas: .*/replicas: 7/; s/kubelet: .*/kubelet: 1.34.1/' "$repo/$fleet_folder/machinedeployments.yaml"
commit_all "$repo" "a change to show"
mkfifo "$scratch/pipe"
unread() { # COMMAND...: its stdout is a pipe whose reader has gone
	: <"$scratch/pipe" &
	exec 3>"$scratch/pipe"
	wait $!
	"$@" >&3
	local status=$?
	exec 3>&-
	return "$status"
}
while read -r words; do
	# shellcheck disable=SC2086
	exits "$words, unread" 141 unread "$program" $words
	same "$words, unread, is quiet" "" "$(cat "$scratch/err")"
done <<END
help
help generate
--help
version
profiles
profiles show osp-ubuntu
explain
explain OSG3003
keygen seed
config schema
config settings
config show --repo $repo
list --repo $repo
diff -q --repo $repo
render --repo $repo --machine-deployment prod-us-1/kube-system/workers --print osc
check -q --repo $repo --report json=-
END
exits "wrong usage, unread" 64 unread "$program" explain OSG0000
says "is reported all the same" "error[OSG9001]"
before=$(git -C "$repo" rev-parse HEAD)
exits "generate, with a report that is unread" 0 unread "$program" --repo "$repo" --report json=-
ok "has committed" test "$before" != "$(git -C "$repo" rev-parse HEAD)"
says "and says so" "osm-gen: committed"
to_full_disk() { "$program" help >/dev/full; }
exits "a full disk is a failure" 3 to_full_disk

# ---- what explain and the messages say ---------------------------------------------------------------------
exits "explain" 0 "$program" explain OSG3003
for word in randAlpha htpasswd getHostByName now keys values; do
	ok "names $word" grep -qw "$word" "$scratch/out"
done
exits "the code that help names" 0 "$program" explain \
	"$("$program" help explain | grep -o 'OSG[0-9]*' | head -n 1)"

finish
