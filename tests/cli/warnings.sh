#!/usr/bin/env bash
# A run with nothing to do repeats the warnings of the whole run, byte for byte, without reading its inputs.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

input=tests/fleet/edge-eu-1/machinedeployments.yaml

# without_input COMMAND...: while the blob of an input is away, which a whole run cannot do without
without_input() {
	local id object status
	id=$(git -C "$repo" rev-parse "HEAD:$input")
	object=$repo/.git/objects/${id:0:2}/${id:2}
	mv "$object" "$scratch/object"
	"$@"
	status=$?
	mv "$scratch/object" "$object"
	return "$status"
}

trailers() { # KEY
	git -C "$repo" log -1 --format="%(trailers:key=$1,valueonly)" | sed '/^$/d'
}

# add_warnings: what a fleet may warn of at each kind of place
add_warnings() {
	# A whole file.
	printf 'apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n' >"$repo/forgotten.yaml.txt"
	ln -s osm-gen.yaml "$repo/link.yaml"
	# A line that is shown, with letters that a message must escape: other scripts, directions, mentions, issues.
	cat >"$repo/profiles/noted.yaml" <<-'YAML'
		apiVersion: operatingsystemmanager.k8c.io/v1alpha1
		kind: OperatingSystemProfile
		metadata: {name: osp-noted, namespace: kube-system}
		spec:
		  # fixes #12, @everybody, GH-12, [skip ci] äöü 😀 "quoted" \ back
		  "fixes #12, @everybody, GH-12, [skip ci] äöü 😀 \"quoted\" \\ back": true
		  osName: ubuntu
		  osVersion: "24.04"
		  version: v1.0.0
		  provisioningUtility: cloud-init
		  supportedCloudProviders: [{name: hetzner}]
		  bootstrapConfig: {files: [{path: /a, content: {inline: {encoding: b64, data: "text"}}}]}
		  provisioningConfig: {files: [{path: /a, content: {inline: {encoding: b64, data: "text"}}}]}
	YAML
	# A line that is not shown, since its file has a secret.
	cat >"$repo/tests/fleet/prod-us-1/clear.yaml" <<-'YAML'
		apiVersion: v1
		kind: Secret
		metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
		stringData: {token: "in the clear, and used"}
	YAML
}
# Nowhere: a variable for a cluster that does not exist.
flags=(--allow-env nowhere:VSPHERE_PASSWORD)

repo=$(fleet repo)
add_warnings
commit_all "$repo" "warnings"
exits "the first run" 0 "$program" -q --repo "$repo" "${flags[@]}"
cp "$scratch/err" "$scratch/first"
same "each kind of place warns" "OSG2026 OSG2077 OSG2078 OSG4002 OSG5078" \
	"$(grep -oE 'OSG[0-9]{4}' "$scratch/first" | sort -u | tr '\n' ' ' | sed 's/ $//')"
ok "a line that is shown" grep -qF '😀' "$scratch/first"
ok "a line that is not shown" grep -qF 'the line is not shown' "$scratch/first"
ok "the proof" test "$(trailers Osm-Gen-Inputs | wc -l)" = 1
count=$(grep -c 'warning\[' "$scratch/first")
trailers Osm-Gen-Warnings >"$scratch/trailers"
ok "and several trailers for the warnings" test "$(wc -l <"$scratch/trailers")" -gt 5
same "of at most 100 characters" "" "$(git -C "$repo" log -1 --format=%B | grep '^Osm-Gen-Warnings: ' | grep -E '.{101}')"
same "of plain characters" "" "$(tr -d '\t' <"$scratch/trailers" | LC_ALL=C grep -n '[^ -~]')"
same "that mention nobody, close nothing and skip nothing" "" \
	"$(grep -nE '[@#]|GH-|\[skip' "$scratch/trailers")"
same "and hold no secret" "" "$(grep -n 'in the clear, and' "$scratch/trailers")"

exits "the same again" 0 without_input "$program" -q --repo "$repo" "${flags[@]}"
ok "the warnings are the same" cmp "$scratch/first" "$scratch/err"
exits "check" 0 without_input "$program" check -q --repo "$repo" "${flags[@]}"
ok "check warns of the same" cmp "$scratch/first" "$scratch/err"
exits "diff" 0 without_input "$program" diff -q --repo "$repo" "${flags[@]}"
ok "diff warns of the same" cmp "$scratch/first" "$scratch/err"
exits "in colour" 0 without_input "$program" -q --repo "$repo" "${flags[@]}" --color always
cp "$scratch/err" "$scratch/colour"
exits "a whole run in colour" 0 "$program" -q --repo "$repo" "${flags[@]}" --color always --report json="$scratch/all.json"
ok "is the same" cmp "$scratch/colour" "$scratch/err"
for format in sarif github gitlab; do
	exits "report $format" 0 without_input "$program" -q --repo "$repo" "${flags[@]}" --report "$format=$scratch/$format"
	exits "report $format of a whole run" 0 "$program" -q --repo "$repo" "${flags[@]}" \
		--report "$format=$scratch/$format-whole" --report json="$scratch/all.json"
	ok "report $format is the same" cmp "$scratch/$format" "$scratch/$format-whole"
	ok "report $format has warnings" grep -q OSG4002 "$scratch/$format"
	ok "and so has stderr" cmp "$scratch/first" "$scratch/err"
done
same "JSON has all of them" "$count" \
	"$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["diagnostics"]))' "$scratch/all.json")"

# A dirty input is found anew, and comes first as in a whole run.
echo "# later" >>"$repo/$input"
exits "a dirty input" 0 without_input "$program" -q --repo "$repo" "${flags[@]}"
cp "$scratch/err" "$scratch/dirty"
exits "a dirty input of a whole run" 0 "$program" -q --repo "$repo" "${flags[@]}" --report json="$scratch/all.json"
ok "a dirty input among the others" cmp "$scratch/dirty" "$scratch/err"
git -C "$repo" checkout -q -- "$input"

# What somebody else wrote into the message proves nothing, and nothing of it is printed.
good=$(git -C "$repo" rev-parse HEAD)
rewrite() { # NAME SED-SCRIPT
	git -C "$repo" reset -q --hard "$good"
	git -C "$repo" commit -q --amend -m "$(git -C "$repo" log -1 --format=%B | sed -e "$2")"
	exits "$1: inputs are read" 3 without_input "$program" -q --repo "$repo" "${flags[@]}"
	exits "$1" 0 "$program" -q --repo "$repo" "${flags[@]}"
	ok "$1: the warnings of the inputs" cmp "$scratch/first" "$scratch/err"
}
yes 'Osm-Gen-Warnings: 0,0,{"code":4002,"message":"fire"}' | head -n 30 >"$scratch/many"
rewrite "an edited warning" '0,/"message":/s/"message":/"message":"your cluster is on fire","object":/'
rewrite "an edited position" '0,/"offset":/s/"offset":/"offset":1/'
rewrite "a removed trailer" '0,/^Osm-Gen-Warnings/{/^Osm-Gen-Warnings/d}'
rewrite "all warnings removed" '/^Osm-Gen-Warnings/d'
rewrite "each trailer twice" '/^Osm-Gen-Warnings/{p;}'
# shellcheck disable=SC2016 # a script of sed
rewrite "an added warning" '$a Osm-Gen-Warnings: \t0,0,{"code":4002,"message":"your cluster is on fire"}'
rewrite "no JSON" '/^Osm-Gen-Warnings/s/{/[/'
rewrite "edited counts" '/^Osm-Gen-Counts/s/: [0-9]*/: 77/'
rewrite "many warnings" "\$r $scratch/many"
git -C "$repo" reset -q --hard "$good"
git -C "$repo" commit -q --amend -m "$(printf 'squashed\n\n%s\n' "$(git -C "$repo" log -1 --format=%B | sed 's/^/    /')")"
exits "quoted in a squashed commit" 0 without_input "$program" -q --repo "$repo" "${flags[@]}"
ok "quoted in a squashed commit: the same" cmp "$scratch/first" "$scratch/err"

# unproven NAME ARGUMENTS...: the commit of the next run must not have a proof.
unproven() {
	local name=$1
	shift
	exits "$name" 0 "$program" -q --repo "$repo" "$@"
	cp "$scratch/err" "$scratch/unproven"
	ok "$name: a warning" grep -q 'warning\[' "$scratch/err"
	ok "$name: a commit" test -n "$(trailers Osm-Gen-Version)"
	same "$name: no proof" "" "$(trailers Osm-Gen-Inputs)$(trailers Osm-Gen-Warnings)"
	exits "$name: inputs are read" 3 without_input "$program" -q --repo "$repo" "$@"
	exits "$name: again" 0 "$program" -q --repo "$repo" "$@"
	ok "$name: the same warnings" cmp "$scratch/unproven" "$scratch/err"
}

# profile LINE...: a repository with a profile that has unknown fields
profile() {
	git -C "$repo" reset -q --hard "$inputs"
	add_warnings
	sed -i '/fixes #12/d' "$repo/profiles/noted.yaml"
	printf '  %s\n' "$@" >"$scratch/fields"
	sed -i "/^spec:/r $scratch/fields" "$repo/profiles/noted.yaml"
	commit_all "$repo" "a profile"
}
inputs=$(git -C "$repo" rev-parse "$good~2")
secret=$(sed -n 's/^  token: //p' "$repo/tests/fleet/edge-eu-1/getter-token.yaml")

# The lines of Osm-Gen-Warnings (docs/spec/proofs.md 4), and the way back.
cat >"$scratch/unpack.py" <<'END'
import sys
before = ""
for part in sys.stdin.read().replace("\n", "").split("\t"):
    begin, end, middle = part.split(",", 2)
    before = before[:int(begin)] + middle + before[len(before) - int(end):]
    print(before)
END
# packed NAME: the commit of the next run has its many warnings, and the run after it repeats them.
packed() {
	exits "$1" 0 "$program" -q --repo "$repo"
	cp "$scratch/err" "$scratch/many"
	ok "$1: a proof" test -n "$(trailers Osm-Gen-Inputs)"
	trailers Osm-Gen-Warnings | python3 "$scratch/unpack.py" >"$scratch/lines"
	"$program" -q --repo "$repo" --report json="$scratch/all.json" 2>"$scratch/unused"
	same "$1: all are there" "$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["diagnostics"]))' "$scratch/all.json")" "$(wc -l <"$scratch/lines")"
	same "$1: in plain characters" "" "$(LC_ALL=C grep -n '[^ -~]' "$scratch/lines")"
	for command in generate check diff; do
		exits "$1: $command" 0 without_input "$program" "$command" -q --repo "$repo"
		ok "$1: $command warns of the same" cmp "$scratch/many" "$scratch/err"
	done
	exits "$1: a whole run" 0 "$program" -q --repo "$repo" --no-proofs
	ok "$1: has the same" cmp "$scratch/many" "$scratch/err"
}
mapfile -t fields < <(seq -f 'field%g: 1' 21)
profile "${fields[@]}"
packed "21 warnings"
# One of them says something else. The runs above had no flags either.
flags=()
good=$(git -C "$repo" rev-parse HEAD)
cp "$scratch/many" "$scratch/first"
rewrite "edited numbers" '0,/^Osm-Gen-Warnings: 0,0/s//Osm-Gen-Warnings: 1,0/'
rewrite "no numbers" 's|^Osm-Gen-Warnings: .*|Osm-Gen-Warnings: hello|'
# shellcheck disable=SC2016 # a script of sed
rewrite "most warnings removed" '4,${/^Osm-Gen-Warnings/{n;d;}}'
mapfile -t fields < <(seq 12 | sed "s/\$/$(printf 'x%.0s' $(seq 700)): 1/; s/^/field/")
profile "${fields[@]}"
packed "words longer than a line"
mapfile -t fields < <(seq -f 'field%g: 1' 1000)
profile "${fields[@]}"
packed "1,000 warnings"
ok "take a third of their lines" test "$(($(trailers Osm-Gen-Warnings | wc -c) * 3))" -lt "$(wc -c <"$scratch/lines")"
# Lines that have little in common.
mapfile -t fields < <(awk 'BEGIN { srand(1); for (i = 0; i < 1000; i++) { s = "f"; while (length(s) < 700) s = s sprintf("%x", int(rand() * 65536)); print s ": 1" } }')
profile "${fields[@]}"
unproven "more warnings than a message has room for"
profile "colour: $secret"
unproven "a secret in the line"
ok "which is masked" grep -qF 'colour: ***' "$scratch/err"
profile "$secret: colour"
unproven "a secret in the warning"
ok "is masked" grep -qF '"***"' "$scratch/err"
profile "colour: red"
mkdir "$scratch/live"
for cluster in elsewhere edge-eu-1; do
	echo '{"apiVersion": "v1", "kind": "List", "items": []}' >"$scratch/live/$cluster.json"
done
unproven "a file outside of the commit" --revisions "$scratch/live"
ok "which is warned of" grep -q OSG2047 "$scratch/err"

# A warning that follows from the output before the run, and from the output after it, too.
git -C "$repo" reset -q --hard "$inputs"
sed -i '0,/    k8c.io.operating-system-profile: osp-ubuntu/s//&\n    machinedeployment.clusters.k8s.io\/revision: "1"/' "$repo/$input"
commit_all "$repo" "a revision"
exits "a revision" 0 "$program" -q --repo "$repo"
ok "without a warning there is a proof" test -n "$(trailers Osm-Gen-Inputs)"
sed -i '0,/kubelet: 1.35.2/s//kubelet: 1.35.1/' "$repo/$input"
commit_all "$repo" "another template"
exits "an outdated revision" 0 "$program" -q --repo "$repo"
cp "$scratch/err" "$scratch/outdated"
says "an outdated revision" OSG4034
says "is counted on" "2 is used"
# The line that is shown is read from its file.
input=tests/fleet/prod-us-1/machinedeployments.yaml
exits "an outdated revision again" 0 without_input "$program" -q --repo "$repo"
ok "is warned of in the same words" cmp "$scratch/outdated" "$scratch/err"
exits "an outdated revision in a whole run" 0 "$program" -q --repo "$repo" --report json="$scratch/all.json"
ok "of which it has the same" cmp "$scratch/outdated" "$scratch/err"

# Files in the output folder that nobody wrote: check warns of them.
git -C "$repo" reset -q --hard "$inputs"
mkdir "$repo/out"
echo text >"$repo/out/README"
commit_all "$repo" "a stranger"
exits "a stranger's file" 0 "$program" -q --repo "$repo"
same "a stranger's file: no proof" "" "$(trailers Osm-Gen-Inputs)"

finish
