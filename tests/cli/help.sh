#!/usr/bin/env bash
# What a newcomer reads first: the short help, and the examples of each command, which are run; -o json of what is listed.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
mapfile -t commands < <("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p')

# ---- the overview ------------------------------------------------------------------------------------------------------
exits "help" 0 "$program" help
ok "fits on two screens" test "$(wc -l <"$scratch/out")" -le 64
ok "says where the rest is" grep -qF 'osm-gen help [--all] COMMAND' "$scratch/out"
ok "has what every command takes" grep -qE -- '^  -q, --quiet ' "$scratch/out"
ok "and nothing else" bash -c "! grep -qE -- '^  (-., )?--(repo|output|cluster-dns)' '$scratch/out'"

# ---- a command: the usual options, and all of them in groups ---------------------------------------------------------
for command in "${commands[@]}"; do
	exits "help --all $command" 0 "$program" help --all "$command"
	cp "$scratch/out" "$scratch/all"
	exits "$command --help --all" 0 "$program" "$command" --help --all
	ok "$command: is the same" cmp "$scratch/all" "$scratch/out"
	exits "$command --help" 0 "$program" "$command" --help
	cp "$scratch/out" "$scratch/usual"
	exits "help $command" 0 "$program" help "$command"
	ok "$command: its help is that of --help" cmp "$scratch/usual" "$scratch/out"
	options=$(sed -n '/^Options/,$p' "$scratch/usual" | grep -cE '^  (-., )?--')
	all=$(sed -n '/^Options/,/^Settings/p' "$scratch/all" | grep -cE '^  (-., )?--')
	settings=$(sed -n '/^Settings/,$p' "$scratch/all" | grep -cE '^  --')
	ok "$command: at most ten options" test "$options" -le 10
	want=
	[ "$all" -eq "$options" ] || want="$((all - options)) more options"
	[ "$settings" -eq 0 ] || want="${want:+$want and }$settings settings"
	same "$command: the number of the others" "${want:+$want: osm-gen help --all $command}" "$(grep -E '^[0-9]+ (more|settings)' "$scratch/usual")"
	# Each option of the manual page is in the same group of the help.
	same "$command: the groups of the manual page" \
		"$("$program" man "$command" | sed 's/\\-/-/g' | sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' | sed -nE 's/^\.SS (.*)/\1/p; s/^\\fB(-., )?(--[a-z-]*)\\fR.*/\2/p' | tr '[:upper:]' '[:lower:]')" \
		"$(sed -n '/^Options/,/^Settings/p' "$scratch/all" | sed -nE 's/^Options: (.*)/\1/p; s/^  (-., )?(--[a-z-]*).*/\2/p')"
done
ok "generate has seven groups" test "$("$program" help --all generate | grep -c '^Options: ')" -eq 7
exits "--all is for help" 64 "$program" generate --all

# ---- usage lines and examples: each works, in the sample fleet ----------------------------------------------------------
# What kubectl printed lies beside the repository, which has a remote; kustomize is a stand-in.
mkdir -p "$scratch/bin" "$scratch/usage/kkp"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
cat >"$scratch/bin/kustomize" <<'SH'
#!/bin/sh
for file in tests/fleet/prod-us-1/*.yaml; do cat "$file"; echo ---; done
SH
chmod +x "$scratch/bin/kustomize"
export PATH=$scratch/bin:$PATH
first=$(fleet first)
(
	cd "$first" && osm-gen -q --repo . && kustomize >"$scratch/usage/manifests.yaml"
	git config --bool core.bare true
) || exit 1
git clone -q --no-local "$first" "$scratch/usage/fleet"
cp "$here/adopt/live.yaml" "$scratch/usage/live.yaml"
cp "$root/tests/fuzz/seeds/convert/whole" "$scratch/usage/kkp/extension.yaml"
cat >"$scratch/usage/live.json" <<'JSON'
{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
"metadata": {"name": "workers", "namespace": "kube-system", "annotations": {"machinedeployment.clusters.k8s.io/revision": "3"}}}]}
JSON
cp "$scratch/usage/live.json" "$scratch/usage/prod-us-1.json"
counted "usage lines and examples" python3 "$here/_usage.py" "$program" "$scratch/usage"

# ---- -o json, wherever something is listed ---------------------------------------------------------------------------
for command in "${commands[@]}"; do
	case $command in
	# What prints manifests, keys, scripts, texts for people, or nothing.
	render | roll | convert | merge-driver | init | adopt | unseal | keygen | completion | man | help) continue ;;
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
