#!/usr/bin/env bash
# What a newcomer reads first: the short help, and the examples of each command, which are run; -o json of what is listed.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
mapfile -t commands < <("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p')

# ---- the overview ------------------------------------------------------------------------------------------------------
exits "help" 0 "$program" help
ok "fits on two screens" test "$(wc -l <"$scratch/out")" -le 64
ok "says where the rest is" grep -qF 'osm-gen help COMMAND' "$scratch/out"
ok "has what every command takes" grep -qE -- '^  -q, --quiet ' "$scratch/out"
ok "and nothing else" bash -c "! grep -qE -- '^  (-., )?--(repo|output|cluster-dns)' '$scratch/out'"
for command in "${commands[@]}"; do
	exits "help $command" 0 "$program" help "$command"
	ok "$command: no line is empty twice" bash -c "! grep -Pzo '\n\n\n' '$scratch/out'"
	ok "$command: has examples" grep -q '^Examples$' "$scratch/out"
	sed -n '/^Examples$/,/^$/s/^  \([^ ].*\)$/\1/p' "$scratch/out" | sed 's/   *[^ ].*//' >"$scratch/examples-$command"
	ok "$command: they are of its own" bash -c "test -s '$scratch/examples-$command' &&
		! grep -vE '^osm-gen( -.*)?\$|osm-gen $command( |\$)' '$scratch/examples-$command'"
done

# ---- examples: each does what it says, in the sample fleet -----------------------------------------------------------
# What kubectl printed lies beside the repository, which has a remote; kustomize is a stand-in.
mkdir "$scratch/bin" "$scratch/exports"
ln -s "$program" "$scratch/bin/osm-gen"
cat >"$scratch/bin/kustomize" <<'SH'
#!/bin/sh
for file in tests/fleet/prod-us-1/*.yaml; do cat "$file"; echo ---; done
SH
chmod +x "$scratch/bin/kustomize"
export PATH=$scratch/bin:$PATH
first=$(fleet first)
(
	cd "$first" && osm-gen -q --repo .
	git config --bool core.bare true
) || exit 1
cp "$here/adopt/live.yaml" "$scratch/exports/live.yaml"
mkdir "$scratch/exports/kkp"
cp "$root/tests/fuzz/seeds/convert/whole" "$scratch/exports/kkp/extension.yaml"
cat >"$scratch/exports/live.json" <<'JSON'
{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
"metadata": {"name": "workers", "namespace": "kube-system", "annotations": {"machinedeployment.clusters.k8s.io/revision": "3"}}}]}
JSON
number=0
for command in "${commands[@]}"; do
	while read -r example; do
		number=$((number + 1))
		folder=$scratch/examples/$number/fleet
		mkdir -p "${folder%/*}"
		git clone -q --no-local "$first" "$folder"
		cp -r "$scratch"/exports/* "${folder%/*}/"
		want=0
		# What is live is not what the sample fleet makes; nothing is in the mirror.
		case $example in *" compare "* | *" observe "* | *--check-mirror*) want=1 ;; esac
		# shellcheck disable=SC2016 # the inner shell's
		exits "$example" "$want" bash -euo pipefail -c 'cd "$1"; eval "$2"' bash "$folder" "$example"
		ok "$example: prints something" test -s "$scratch/out" -o -s "$scratch/err" -o -n "$(git -C "$folder" status --porcelain)" -o -n "$(find "${folder%/*}" -newer "$folder/.git/HEAD" -name '*.txt')"
	done <"$scratch/examples-$command"
done
ok "there are many" test "$number" -gt 30

# ---- -o json, wherever something is listed ---------------------------------------------------------------------------
for command in "${commands[@]}"; do
	case $command in
	# What prints manifests, keys, scripts or texts for people.
	render | roll | convert | init | adopt | unseal | keygen | completion | man | help) continue ;;
	esac
	ok "$command takes -o json" bash -c "'$program' help $command | grep -qE -- '^  -o, --output text\|json'"
done
exits "profiles" 0 "$program" profiles -o json
same "profiles: as many as in the text" "$("$program" profiles list | wc -l)" "$(jq '.profiles | length' "$scratch/out")"
same "profiles: one of them" '["1.0","osp-ubuntu","osm"]' \
	"$(jq -c '[.formatVersion] + (.profiles[] | select(.name == "osp-ubuntu") | [.name, .dialect])' "$scratch/out")"
ok "profiles: with version and summary" jq -e '[.profiles[] | select((.version | length) > 0 and (.summary | length) > 0)] | length > 10' "$scratch/out"
exits "profiles show prints a manifest" 64 "$program" profiles show osp-ubuntu -o json
says "and says so" "-o json goes with list"
exits "explain" 0 "$program" explain -o json
same "explain: as many as in the text" "$("$program" explain | wc -l)" "$(jq '.diagnostics | length' "$scratch/out")"
exits "explain of one" 0 "$program" explain osg3001 -o json
same "explain: that one" '["1.0","OSG3001","error","input","template cannot be parsed"]' \
	"$(jq -c '[.formatVersion] + (.diagnostics[] | [.code, .severity, .class, .title])' "$scratch/out")"
ok "explain: with its text" jq -e '.diagnostics[0].explanation | test("text/template")' "$scratch/out"
finish
