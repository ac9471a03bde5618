#!/usr/bin/env bash
# The next output contract, as a maintainer makes it (CONTRIBUTING.md, "Change a profile"): in a copy of the
# sources contract 1 is frozen, a profile, a script of extensions, a document of Gardener's and a choice of the
# program are changed, and the program is built. Contract 1 must still give its kept bytes.
# Slow: builds a copy of the sources
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

first=$("$program" version -o json | jq .contracts.newest)
oldest=$("$program" version -o json | jq .contracts.oldest)
next=$((first + 1))
source=$scratch/source today=$program
mkdir "$source"
# With the objects that are there only what is changed is compiled; without any, everything.
parts=(Makefile VERSION ci cmd docs/example src profiles tests/contract tests/keys tests/cli)
[ -d "$root/build/release" ] && parts+=(build/gen build/release)
tar -c -C "$root" "${parts[@]}" | tar -x -C "$source"
rm -f "$source/build/release/libosm-gen.a"
cd "$source" || exit 1

build() {
	local cache=
	command -v ccache >/dev/null && cache=ccache
	# shellcheck disable=SC2086
	make -s -j"$(nproc)" CC="$cache cc" CXX="$cache c++" CFLAGS=-O0 CXXFLAGS=-O0 build/osm-gen >"$scratch/build.log" 2>&1 ||
		{ cat "$scratch/build.log"; return 1; }
}

# ---- what a maintainer does ------------------------------------------------------------------------------
echo $((first - 1)) >tests/contract/released
exits "freezing what is not released" 1 ci/contract freeze
ok "release" ci/contract release
ok "freeze" ci/contract freeze
exits "freezing twice" 1 ci/contract freeze
ok "texts are kept as they are" cmp profiles/ubuntu.yaml "profiles/contracts/$first/ubuntu.yaml"

version=$(sed -n 's/^  version: //p' profiles/ubuntu.yaml)
sed -i 's/^  version: .*/  version: v9.0.0/' profiles/ubuntu.yaml profiles/flatcar.yaml
sed -i '0,/set -e/s//set -e # of the next contract/' profiles/ubuntu.yaml profiles/flatcar.yaml
echo 'echo "of the next contract"' >>profiles/extension/end.sh
sed -i -E '0,/^( *)\[Service\]$/s//\1[Service]\n\1# of the next contract/' profiles/gardener/suse-chost.yaml
awk -v next_contract="$next" '
	/return artifact_of\(osm_profile_object/ { sub(/return/, "struct artifact choice ="); found = 1 }
	{ print }
	found && /;$/ {
		print "\tif (cluster->contract >= " next_contract ")"
		print "\t\tvalue_map_set(arena, value_map_get_mutable(&choice.object, SV(\"metadata\")), SV(\"generateName\"), value_string(SV(\"choice\")));"
		print "\treturn choice;"
		found = 0
	}' src/osm/dialect.c >dialect.c && mv dialect.c src/osm/dialect.c
# A word that everybody may read is none any more.
sed -i 's/noninteractive/unattended/g' profiles/*.yaml
for file in profiles/ubuntu.yaml profiles/flatcar.yaml profiles/extension/end.sh profiles/gardener/suse-chost.yaml; do
	same "$file is changed" 1 "$(grep -c "of the next contract" "$file")"
done
ok "so is a choice" grep -q "contract >= $next" src/osm/dialect.c
ok "build" build
program=$source/build/osm-gen
export OSM_GEN=$program

# ---- kept and new bytes -----------------------------------------------------------------------------------
same "both are carried" "{\"oldest\":$oldest,\"newest\":$next}" "$("$program" version -o json | jq -c .contracts)"
exits "the new one has no digests yet" 1 tests/cli/output_contract.sh
ok "and nothing else is missing" bash -c "grep 'has changed' $scratch/out | grep -v 'contract $next' | wc -l | grep -qx 0"
exits "accept it" 0 tests/cli/output_contract.sh --accept
exits "kept and new ones hold" 0 tests/cli/output_contract.sh --into "$scratch/trees"
ok "the old digests are the repository's" cmp "$root/tests/contract/$first/digests" "tests/contract/$first/digests"
new_in() { (cd "$scratch/trees/$1" && grep -rlE "$2" . | sed -E 's,^\./([^/]*)/([^/]*)/.*,\1/\2,' | sort -u | tr '\n' ' '); }
same "nothing new in the old one" "" "$(new_in "$first" "of the next contract|generateName|v9.0.0")"
ok "profiles" grep -rqx '  version: v9.0.0' "$scratch/trees/$next/flux/profiles/management"
ok "scripts of extensions" grep -rq 'echo \\*"of the next contract' "$scratch/trees/$next/flux/tuned/management"
ok "documents of Gardener's" bash -c "! diff -rq $scratch/trees/$first/argocd/current $scratch/trees/$next/argocd/current"
# A proof covers the contract's number.
ok "alone" diff -r -I '^ *"proof": "[0-9a-f]\{32\}"$' "$scratch/trees/$first/argocd/older" "$scratch/trees/$next/argocd/older"
ok "choices" grep -rq 'generateName: choice' "$scratch/trees/$next/flux/profiles/management"

# ---- fleets -----------------------------------------------------------------------------------------------
repo=$(fleet fleet)
git -C "$repo" rm -rq profiles # those inside the program are meant
commit_all "$repo" "without profiles"
ubuntu() { sed -n 's/^  version: //p' "$repo"/out/prod-us-1/management/*/operatingsystemprofile-osp-ubuntu.yaml; }
contract() { # CONTRACT or nothing
	sed -i '/^  contract:/d' "$repo/osm-gen.yaml"
	[ -z "$1" ] || sed -i "s/^spec:.*/&\n  contract: $1 # what we have agreed on/" "$repo/osm-gen.yaml"
	commit_all "$repo" "contract $1" || true
}
exits "absent" 0 "$program" --repo "$repo"
same "the newest" v9.0.0 "$(ubuntu)"
tree=$(git -C "$repo" rev-parse HEAD:out)
contract "$next"
exits "the newest, named" 0 "$program" --repo "$repo"
same "the same bytes" "$tree" "$(git -C "$repo" rev-parse HEAD:out)"
contract $((next + 1))
exits "unknown" 2 "$program" --repo "$repo"
says "at its place" "error[OSG2048]: this osm-gen does not know contract $((next + 1))"
says "those that are known" "it supports contracts $oldest to $next"
git -C "$repo" rm -rq out
contract "$first"
exits "the old one" 0 "$program" --repo "$repo"
same "has the old profile" "$version" "$(ubuntu)"
exits "config show" 0 "$program" config show --repo "$repo"
ok "shows it" grep -q "^  contract  *$first  (fleet, osm-gen.yaml:" "$scratch/out"
"$program" doctor --repo "$repo" >"$scratch/out" 2>/dev/null
ok "doctor advises" grep -q "^note   contract    output contract $first holds; this osm-gen knows up to $next" "$scratch/out"
exits "diff" 0 "$program" diff --repo "$repo"

# ---- what everybody may read --------------------------------------------------------------------------------
words=$(fleet words)
git -C "$words" rm -rq profiles
sed -i "s/^spec:.*/&\n  contract: $first/" "$words/osm-gen.yaml"
mapfile -t machines < <(grep -rlE "^kind: MachineDeployment" "$words/tests/fleet")
python3 - "${machines[@]}" <<'PY'
import pathlib, sys, yaml
for path in map(pathlib.Path, sys.argv[1:]):
    documents = [*yaml.safe_load_all(path.read_text())]
    for document in documents:
        if document and document["kind"] == "MachineDeployment":
            value = document["spec"]["template"]["spec"]["providerSpec"]["value"]
            value["cloudProviderSpec"] = {**(value.get("cloudProviderSpec") or {}), "token": "noninteractive"}
    path.write_text(yaml.safe_dump_all(documents))
PY
commit_all "$words" "a token that is a word of the profiles"
exits "a word of the old profiles" 0 "$program" --repo "$words"
exits "by today's program" 0 "$today" --repo "$words" --rev HEAD~1 --no-commit --out "$scratch/as-today"
ok "the same bytes" diff -r "$scratch/as-today" "$words/out"

# ---- adopting into a repository of the old one ---------------------------------------------------------------
"$program" profiles show osp-ubuntu >"$scratch/next.yaml"
cp "profiles/contracts/$first/ubuntu.yaml" "$scratch/live.yaml"
for live in live next; do
	cat >>"$scratch/$live.yaml" <<'YAML'
---
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {name: workers, namespace: kube-system}
spec:
  selector: {matchExpressions: [{key: pool, operator: DoesNotExist}]}
  template:
    spec:
      providerSpec: {value: {cloudProvider: hetzner, operatingSystem: ubuntu}}
      versions: {kubelet: 1.33.5}
YAML
	git -C "$words" clean -fdq
	exits "adopt the profile of $live" 0 "$program" adopt "$scratch/$live.yaml" --cluster "$live" --into "$words/clusters/$live"
	cp "$scratch/err" "$scratch/adopted.$live"
done
ok "the old one's is left out" grep -q "osp-ubuntu: it equals the profile embedded in osm-gen" "$scratch/adopted.live"
ok "another is taken" grep -q "osp-ubuntu: it differs from the profile embedded in osm-gen" "$scratch/adopted.next"

# ---- upgrade ----------------------------------------------------------------------------------------------
cp "$repo/osm-gen.yaml" "$scratch/before.yaml"
state=$(git -C "$repo" rev-parse HEAD; git -C "$repo" status --porcelain)
exits "dry run" 0 "$program" upgrade --dry-run -o json --repo "$repo"
same "every unit is for new nodes only" '["NEW-NODES-ONLY"]' "$(jq -c '[.units[].class] | unique' "$scratch/out")"
same "nothing was written" "$state" "$(git -C "$repo" rev-parse HEAD; git -C "$repo" status --porcelain)"
exits "to where it is" 0 "$program" upgrade --to "$first" --repo "$repo"
exits "without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" upgrade --dry-run --repo "$repo"
exits "upgrade" 0 "$program" upgrade --repo "$repo"
ok "the plan" grep -q "NEW-NODES-ONLY" "$scratch/out"
same "one number changed, its comment stayed" "-  contract: $first # what we have agreed on+  contract: $next # what we have agreed on" \
	"$(git -C "$repo" diff -U0 | grep '^[-+] ' | tr -d '\n')"
commit_all "$repo" "upgrade"
exits "run" 0 "$program" --repo "$repo"
same "what the plan said" v9.0.0 "$(ubuntu)"
exits "back" 64 "$program" upgrade --to "$first" --repo "$repo"

# ---- a released contract that changes ------------------------------------------------------------------------
cp "profiles/contracts/$first/ubuntu.yaml" "$scratch/kept.yaml"
sed -i '0,/set -e/s//set -eu/' "profiles/contracts/$first/ubuntu.yaml"
ok "build with another old profile" build
exits "is noticed" 1 tests/cli/output_contract.sh
ok "with its file" grep -qE '^    [-+] .*/operatingsystemprofile-osp-ubuntu.yaml' "$scratch/out"
ok "and what to do" grep -q 'ci/contract freeze' "$scratch/out"
cp "$scratch/kept.yaml" "profiles/contracts/$first/ubuntu.yaml"

# ---- one that is carried no more -----------------------------------------------------------------------------
exits "not the oldest" 1 ci/contract expire "$next" 0.1.0
for ((contract = oldest; contract <= first; contract++)); do
	ok "expire $contract" ci/contract expire "$contract" 0.1.0
done
ok "build without it" build
contract "$first"
exits "expired" 2 "$program" --repo "$repo"
says "at its place" "error[OSG2049]: this osm-gen does not support contract $first any more"
says "who has it" "osm-gen 0.1.0 is the last with $first"
exits "upgrade all the same" 0 "$program" upgrade --repo "$repo"
ok "to the newest" grep -q "^  contract: $next # what we" "$repo/osm-gen.yaml"
exits "the kept ones that are left" 0 tests/cli/output_contract.sh
finish
