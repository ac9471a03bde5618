#!/usr/bin/env bash
# Options as variables of the environment, and what `version` says.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet variables)
cd "$scratch" || exit 1
tip() { git -C "$repo" rev-parse HEAD; }
first=$(tip)

# ---- every option and every setting has one, and the help says which -----------------------------------------------
for command in $("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p'); do
	"$program" help --all "$command" | sed -n '/^Options/,$p' | awk '
		function done_with() { if (option) print option, text ~ ("\\[" want "\\]") ? "named" : "unnamed" }
		/^(Options|Settings)/ { next }
		/^  (-[a-z], )?--/ { done_with(); text = ""; option = $1 == "-" substr($1, 2, 1) "," ? $2 : $1
			want = "OSM_GEN_" toupper(substr(option, 3)); gsub(/-/, "_", want) }
		{ text = text " " $0 }
		END { done_with() }' | sed "s/^/$command /"
done >"$scratch/named"
ok "hundreds of them" test "$(wc -l <"$scratch/named")" -gt 200
same "none but these lacks one" "--all --help --seal-seed-file --version" \
	"$(sed -n 's/^[a-z]* \(.*\) unnamed$/\1/p' "$scratch/named" | grep -v '^--output$' | sort -u | paste -sd ' ')"
same "--output lacks one where it names a file" "keygen" "$(sed -n 's/^\([a-z]*\) --output unnamed$/\1/p' "$scratch/named")"

# ---- what they do --------------------------------------------------------------------------------------------------
exits "text" 0 env OSM_GEN_REPO="$repo" "$program" validate
exits "the option wins" 3 env OSM_GEN_REPO="$repo" "$program" validate --repo "$scratch/nowhere"
exits "in any form" 0 env OSM_GEN_REPO="$scratch/nowhere" "$program" validate --repo="$repo"
exits "empty is not set" 0 env OSM_GEN_REV='' OSM_GEN_REPO="$repo" "$program" validate
exits "a flag" 0 env OSM_GEN_NO_COMMIT=true "$program" --repo "$repo"
same "commits nothing" "$first" "$(tip)"
ok "but writes" test -s "$repo/out/prod-us-1/index.json"
rm -rf "$repo/out"
exits "a flag of 0" 0 env OSM_GEN_NO_COMMIT=0 "$program" --repo "$repo"
ok "is none" test "$first" != "$(tip)"
exits "a flag is true or false" 64 env OSM_GEN_WORKTREE=yes "$program" validate --repo "$repo"
says "else it is refused" '--worktree is true or false, not "yes"'
says "and the variable is named" "set by the environment, too: OSM_GEN_WORKTREE"
exits "the option wins over a flag" 0 env OSM_GEN_WORKTREE=true OSM_GEN_REV=HEAD "$program" validate --worktree=false --repo "$repo"
exits "what does not go together" 64 env OSM_GEN_WORKTREE=true "$program" validate --rev HEAD --repo "$repo"
says "names the variable" "OSM_GEN_WORKTREE"
exits "what is another command's is passed over" 0 env OSM_GEN_CLUSTER=x OSM_GEN_INTO=y OSM_GEN_PRINT=z OSM_GEN_FORCE=true \
	"$program" validate --repo "$repo"
exits "where the command is the variable's, it counts" 64 env OSM_GEN_PRINT=z "$program" render --machine-deployment a/b --repo "$repo"
exits "an amount" 2 env OSM_GEN_MAX_INPUT=1K "$program" validate --repo "$repo"
exits "the option wins over an amount" 0 env OSM_GEN_MAX_INPUT=1K "$program" validate --repo "$repo" --max-input 128M
exits "threads" 64 env OSM_GEN_JOBS=0 "$program" validate --repo "$repo"
exits "the letter wins over it" 0 env OSM_GEN_JOBS=0 "$program" validate --repo "$repo" -j 2
exits "a format" 0 env OSM_GEN_OUTPUT=json "$program" list --repo "$repo"
ok "is taken" jq -e .units "$scratch/out"
exits "which is no file of keygen" 0 env OSM_GEN_OUTPUT=json "$program" keygen seed
ok "that prints" grep -q OSMGEN-SEED- "$scratch/out"
ok "and writes no file" test ! -e json
exits "help is asked for on the command line alone" 0 env OSM_GEN_HELP=true "$program" validate --repo "$repo"
exits "and so is the version, which CI has a variable for" 0 env OSM_GEN_VERSION=0.1.0 "$program" validate --repo "$repo"
ok "without a word of it" bash -c "! grep -q OSG9030 $scratch/err"

# ---- many times: one a line ----------------------------------------------------------------------------------------
exits "reports" 0 env OSM_GEN_REPORT="json=$scratch/a.json
 sarif=$scratch/b.sarif

" "$program" validate --repo "$repo"
ok "the first" jq -e .formatVersion "$scratch/a.json"
ok "the second" jq -e .runs "$scratch/b.sarif"
rm -f "$scratch"/*.json "$scratch"/*.sarif
exits "an option replaces them all" 0 env OSM_GEN_REPORT="json=$scratch/a.json" "$program" validate --repo "$repo" --report "junit=$scratch/c.xml"
ok "by its own" test -s "$scratch/c.xml" -a ! -e "$scratch/a.json"
exits "variables of cloud-configs" 64 env OSM_GEN_ALLOW_ENV=NONSENSE_OF_THE_TEST "$program" validate --repo "$repo"

# ---- settings --------------------------------------------------------------------------------------------------------
shown() { tr -s ' ' <"$scratch/out" | grep -F " $1 " | head -n 1; }
exits "a setting" 0 env OSM_GEN_CLUSTER_DNS=10.0.0.53 "$program" config show edge-eu-1 --repo "$repo"
same "and where it comes from" " clusterDNS 10.0.0.53 (flag, OSM_GEN_CLUSTER_DNS)" "$(shown clusterDNS)"
exits "the flag wins" 0 env OSM_GEN_CLUSTER_DNS=10.0.0.53 "$program" config show edge-eu-1 --repo "$repo" --cluster-dns 10.0.0.54
same "over it" " clusterDNS 10.0.0.54 (flag, --cluster-dns)" "$(shown clusterDNS)"
exits "a wrong one" 64 env OSM_GEN_CLUSTER_DNS=nonsense "$program" validate --repo "$repo"
says "is shown where it stands" "OSM_GEN_CLUSTER_DNS:1:1: error"
exits "a password in one" 0 env OSM_GEN_NODE_HTTP_PROXY=http://user:geheim@proxy:3128 "$program" config show edge-eu-1 --repo "$repo"
ok "is masked" bash -c "! grep -q geheim $scratch/out $scratch/err"
exits "several" 0 env OSM_GEN_NODE_CONTAINERD_REGISTRY_MIRRORS="docker.io=https://a.example
quay.io=https://b.example" "$program" config show edge-eu-1 --repo "$repo"
ok "one a line" grep -q 'https://a.example.*https://b.example' "$scratch/out"
exits "settings of a command that takes none" 0 env OSM_GEN_CLUSTER_DNS=nonsense "$program" list --repo "$repo"

# ---- keys keep their own rules ---------------------------------------------------------------------------------------
exits "the seed comes before its file" 0 env OSM_GEN_SEAL_SEED_FILE="$scratch/nowhere" "$program" check --repo "$repo"
exits "the option before both" 3 env OSM_GEN_SEAL_SEED_FILE="$root/tests/keys/TEST-ONLY-seed.txt" \
	"$program" check --repo "$repo" --seal-seed-file "$scratch/nowhere"
exits "a key where its file belongs" 64 env OSM_GEN_KEY="-----BEGIN PRIVATE KEY-----" "$program" unseal "$root/osm-gen.yaml"
ok "is not shown" bash -c "! grep -q BEGIN $scratch/err"

# ---- misspelt --------------------------------------------------------------------------------------------------------
exits "a misspelt variable" 0 env OSM_GEN_NO_COMIT=true "$program" validate --repo "$repo"
says "is warned of" "warning[OSG9030]: no option reads the environment variable OSM_GEN_NO_COMIT"
says "with the right name" "did you mean OSM_GEN_NO_COMMIT?"
exits "one that is like none" 0 env OSM_GEN_SOMETHING_OF_OURS=x OSM_GEN_NO_COMIT='' "$program" validate --repo "$repo"
ok "is nobody's business, nor is an empty one" bash -c "! grep -q OSG9030 $scratch/err"

# ---- version ---------------------------------------------------------------------------------------------------------
exits "version" 0 "$program" version
same "is one line" "$("$program" --version)" "$(cat "$scratch/out")"
exits "version -o json" 0 "$program" version -o json
cp "$scratch/out" "$scratch/version.json"
same "the same version" "$("$program" --version)" "osm-gen $(jq -r .version "$scratch/version.json")"
same "the source's digest" true "$(jq '.sourceDigest | test("^sha256:[0-9a-f]{64}$")' "$scratch/version.json")"
same "the controller that the oracle compares with" "$(sed -n 's|.*k8c.io/operating-system-manager \(v[0-9.]*\)$|\1|p' "$root/tests/oracle/go.mod")" \
	"$(jq -r '.controllers["operating-system-manager"]' "$scratch/version.json")"
# ISA-L is there or not, as where it was built.
same "libraries" '["jansson","libcrypto","libdeflate","libgit2","libsodium","libyaml","utf8proc","zlib"]' \
	"$(jq -c '.libraries | del(."isa-l") | keys' "$scratch/version.json")"
if pkg-config --exists libgit2 yaml-0.1 2>/dev/null; then
	same "libgit2's version" "$(pkg-config --modversion libgit2)" "$(jq -r .libraries.libgit2 "$scratch/version.json")"
	same "libyaml's version" "$(pkg-config --modversion yaml-0.1)" "$(jq -r .libraries.libyaml "$scratch/version.json")"
else
	skip "pkg-config does not know the libraries"
fi
exits "version of no other form" 64 "$program" version -o yaml
finish
