#!/usr/bin/env bash
# What docs/ says of the command line, against the program.
# shellcheck disable=SC2016 # backquotes are those of Markdown
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
program=$(realpath "$program")
cd "$root" || exit 1
documents=(README.md CONTRIBUTING.md SECURITY.md src/README.md tests/README.md ci/release/README.md docs/*.md docs/howto/*.md docs/spec/*.md)

# ---- exit statuses: the table of docs/spec/run.md 1.1 and `osm-gen help` -------------------------------------
documented=$(sed -n '/<!-- exit status -->/,/<!-- end -->/s/^| \([0-9]*\) | \(.*\) |$/\1 \2/p' docs/spec/run.md)
shown=$("$program" help | sed -n '/^Exit status/,$p' | sed 1d | sed 's/   */\n/g' | sed '/^$/d; s/^ *//')
same "exit statuses" "$documented" "$shown"

# ---- codes: each that a document names is explained ---------------------------------------------------------------
while read -r code; do
	ok "$code is explained" "$program" explain "$code"
done < <(grep -ohE 'OSG[0-9]{4}' "${documents[@]}" | sort -u)

# ---- commands: each example of a document is one, and each one is in the README, usage.md or the changelog --------------------
while read -r command; do
	ok "osm-gen $command is a command" "$program" help "$command"
done < <(sed -n '/^```/,/^```/s/^\(\$ \)*osm-gen \([a-z][a-z]*\).*/\2/p' README.md docs/*.md docs/howto/*.md | sort -u)
while read -r command; do
	ok "osm-gen $command is documented" grep -qE "osm-gen $command|\`$command\`" README.md docs/usage.md docs/changelog.md
done < <("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -vE '^(help|version)$')

# ---- options: each that a document names, but those of other programs ------------------------------------------------
"$program" man | sed -n 's/\\-/-/g; s/^\\fB\([^\\]*\)\\fR.*/\1/p' >"$scratch/manual"
while read -r option; do
	ok "$option is an option" grep -qE -- "(^|, )$option\$" "$scratch/manual"
done < <(grep -ohE '(osm-gen|`)[^`|]* ?`?--[a-z][a-z-]+' README.md docs/usage.md docs/spec/{output,delivery,inputs,run,reports,proofs}.md | grep -oE -- '--[a-z][a-z-]+' | sort -u |
	grep -vE -- '^--(accept|file|help|version)$')

# ---- make: each target that a document names ----------------------------------------------------------------------
while read -r target; do
	ok "make $target is a target" grep -qE "^$target:|^\.PHONY:.* $target( |\$)" Makefile
done < <(grep -ohE '`make [a-z -]+' "${documents[@]}" | sed 's/.*make //' | tr ' ' '\n' | grep -E '^[a-z][a-z-]*$' | sort -u)

# ---- the README: its length, and its example, which is run in an empty folder --------------------------------------------
words=$(wc -w <README.md)
ok "the README has less than 500 words ($words)" test "$words" -lt 500
ok "and names the platform" grep -q 'runs on Linux' README.md
mkdir "$scratch/bin" "$scratch/home" "$scratch/readme"
ln -s "$program" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH HOME=$scratch/home OSM_GEN_SEAL_SEED='' LC_ALL=C.UTF-8 \
	exits "the README's example prints what it shows" 0 python3 "$here/_console.py" README.md "$scratch/readme"
ok "and has ten commands" grep -qx '10 passed, 0 failed' "$scratch/out"
(
	cd "$scratch" && "$program" init started --keys keys && cd started && git add . && git commit -q -m 'Start with osm-gen' &&
		OSM_GEN_SEAL_SEED='' OSM_GEN_SEAL_SEED_FILE=$scratch/keys/seed.txt "$program" generate
) >/dev/null 2>&1

# ---- docs/howto/install.md: the program alone, by the page's commands; and a way for each kind of file that a release has ------------
mkdir "$scratch/installed"
version=$("$program" --version | sed 's/osm-gen //')
cp "$program" "$scratch/installed/osm-gen-$version-linux-amd64"
commands=$(sed -n '/^<!-- install: program -->/,/^<!-- end -->/p' docs/howto/install.md | sed '/^<!--/d; /^```/d')
by_the_page() {
	cd "$scratch/installed" && version=$version PATH=$scratch/installed:$PATH \
		bash -euc "sudo() { \"\$@\"; }; ${commands//\/usr\/local\/bin/$scratch\/installed}"
}
exits "the program is installed by the page's commands" 0 by_the_page
ok "and runs" grep -qx "osm-gen $version" "$scratch/out"
cd "$root" || exit 1
for file in .deb .rpm apt/ -oci.tar osm-gen.rb ci/release/asdf .tar.gz; do
	ok "the page has a command for $file" grep -qE "^\\|.*\`[^\`]*$file" docs/howto/install.md
done

# ---- CONTRIBUTING.md: its length -----------------------------------------------------------------------------------------
words=$(wc -w <CONTRIBUTING.md)
ok "CONTRIBUTING.md has at most 2,500 words ($words)" test "$words" -le 2500

# ---- src/README.md: the tree of folders, and four walks of at most 12 files; tests/README.md: the tests of every folder of src/ --------------
# The words before each description that end in "/" are folders; those with more blanks before them are in the one above.
same "the tree has every folder of src/" "$(find src -mindepth 1 -type d -printf '%f\n' | sort)" \
	"$(sed -n '/^src\/$/,/^```/p' src/README.md | tail -n +2 | grep -oE '^ +([a-z]+/ )+' | tr -d ' ' | tr '/' '\n' | grep . | sort)"
gdb_runs=$(gdb -q -nx -batch -ex 'run' /bin/true </dev/null 2>&1 | grep -c 'exited normally')
# How many rows of a walk occur among the calls of osm-gen in this order.
rows_called() { # WALK REPOSITORY COMMAND...
	local rows=$1 repo=$2
	shift 2
	while read -r _ function; do
		printf 'dprintf %s,"walk %s\\n"\n' "$function" "$function"
	done <"$rows" >"$scratch/calls.gdb"
	(
		cd "$repo" && ASAN_OPTIONS=detect_leaks=0 gdb -q -nx -batch -ex 'set pagination off' -x "$scratch/calls.gdb" -ex "run $*" \
			"$program" </dev/null 2>"$scratch/gdb" | grep -o 'walk [a-z0-9_]*'
	) | awk '
		NR == FNR { wanted[NR] = $2; next }
		$2 == wanted[reached + 1] { reached++ }
		END { print reached + 0 }' "$rows" -
}
walk() { # HEADING REPOSITORY COMMAND...
	local heading=$1 rows="$scratch/walk ${1##* }" steps
	shift
	sed -n "/^### $heading\$/,/^##/p" src/README.md >"$rows.md"
	sed -n 's/^| `\(src[^`]*\)` | `\([^`]*\)` |.*/\1 \2/p' "$rows.md" >"$rows"
	steps=$(wc -l <"$rows")
	ok "$heading: the walk has 5 to 12 files ($steps)" test "$steps" -ge 5 -a "$steps" -le 12
	same "$heading: each row names a file and its function" "$steps" "$(grep -c '^| `' "$rows.md")"
	while read -r file function; do
		ok "$heading: $file defines $function" grep -qE "^[a-z][a-z0-9_ *]*[ *]$function\(" "$file"
	done <"$rows"
	if [ "$gdb_runs" = 1 ]; then
		same "$heading: the walk is the order of the calls" "$steps" "$(rows_called "$rows" "$@")"
	else
		skip "$heading: the order of the calls: gdb cannot run programs here"
	fi
}
user_data() { # FILE: of a sealed Secret, with the files that are in it
	"$program" unseal "$1" | sed -n 's/^  cloud-config: //p' | base64 -d | python3 -c '
import base64, sys, yaml
text = sys.stdin.read()
print(text)
for file in yaml.safe_load(text)["write_files"]:
    print(base64.b64decode(file["content"]).decode() if file.get("encoding") == "b64" else file["content"])'
}
has_in() { # WORD FILE
	user_data "$2" | grep -qF -- "$1"
}

# The adopted cluster has encrypted Secrets.
adopted "$here/adopt/live.yaml" >/dev/null
cd "$root" || exit 1
token=$("$program" unseal "$scratch/fleet/clusters/prod/cloud-init-settings/secret-cloud-init-getter-token.yaml" |
	sed -n 's/^  token: //p' | base64 -d)
ok "the adopted cluster has a token" test -n "$token"
walk "A secret" "$scratch/fleet" generate
sealed=$scratch/fleet/out/prod/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
ok "the sealed user-data has the token" has_in "$token" "$sealed"
ok "and no file has it in the clear" bash -c '! grep -rqF -- "$1" "$2"' - "$token" "$scratch/fleet/out"

export OSM_GEN_SEAL_SEED='' OSM_GEN_SEAL_SEED_FILE=$scratch/keys/seed.txt SOPS_AGE_KEY_FILE=$scratch/keys/identity.txt
git -C "$scratch/started" rm -q -r out && git -C "$scratch/started" commit -q -m 'No output'
# A repository in which clusterDNS is the only setting: other ones would call the same functions.
cp -a "$scratch/started" "$scratch/alone"
sed -i '/managementCluster\|externalCloudProvider/d; s/settings:/settings: {}/' "$scratch/alone/clusters/example/osm-gen.yaml"
git -C "$scratch/alone" commit -q -a -m 'One setting'
walk "A setting" "$scratch/alone" generate
walk "A MachineDeployment" "$scratch/started" generate
sealed=$scratch/alone/out/example/worker/cloud-init-settings/secret-workers-kube-system-provisioning-config.yaml
address=$(sed -n 's/^ *clusterDNS: \[\(.*\)\]/\1/p' "$scratch/alone/osm-gen.yaml")
ok "the user-data has the address of clusterDNS" has_in "${address:-none}" "$sealed"
sed -i 's,sshPublicKeys: .*,sshPublicKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGLqpVoePTbQd5Ui+xZVKxsXxbYGOOXcfsbFJJuL4LHS ann],' \
	"$scratch/started/clusters/example/workers.yaml"
echo "src/review/notes.c review_find" >"$scratch/finder"
ok "a plan without a change does not find the fact" test "$gdb_runs" != 1 -o "$(rows_called "$scratch/finder" "$scratch/started" plan)" = 0
git -C "$scratch/started" commit -q -a -m 'A key'
walk "A fact" "$scratch/started" plan
(cd "$scratch/started" && "$program" plan) >"$scratch/out" 2>&1
ok "the plan has the fact" grep -qE '^ *An SSH key added: ssh-ed25519 .* ann \(example/kube-system/workers\)$' "$scratch/out"
export OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE=$root/tests/keys/TEST-ONLY-identity.txt
OSM_GEN_SEAL_SEED=$(grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt")
unset OSM_GEN_SEAL_SEED_FILE

rows=$(sed -n '/^## Which tests/,$s/^| `\(src[^`]*\)`.*/\1/p' tests/README.md | sort)
same "each folder of src/ has its tests" "$(printf '%s\n' src/*/ src/lib/*/ | sed 's,/$,,' | grep -vx src/lib | sort)" "$rows"
while read -r test; do
	ok "$test is there" compgen -G "$test"
done < <(sed -n '/^## Which tests/,$p' tests/README.md | grep '^| `src' | grep -oE '`(tests|ci)/[^`]*`' | tr -d '`' | sort -u)

# ---- docs/spec/gardener.md: the tests that its tables name --------------------------------------------------------------
tables=$(sed -n '/^## 7 /,$p' docs/spec/gardener.md | grep '^|')
while read -r name; do
	case $name in
	test_*) ok "the test $name is there" grep -qE "^def $name\(" tests/cli/_gardener_*.py ;;
	Test*) ok "the test $name is there" grep -qE "^func $name\(" tests/oracle/gardener*/*_test.go ;;
	*) ok "the test $name is there" test -e "$name" ;;
	esac
done < <(grep -oE '`(test_[a-z_]+|Test[A-Za-z]+|tests/[a-z0-9_./-]+)`' <<<"$tables" | tr -d '`' | sort -u)
while read -r name file; do
	ok "$file has the step $name" grep -q "^@step" <(grep -B 1 "^def $name(" "$file")
done < <(sed -nE 's/`(tests\/cluster\/[a-z]+\.py)` \(([a-z_]+)\)/\n\2 \1\n/gp' <<<"$tables" | grep -E '^[a-z_]+ tests/cluster/' | sort -u)
ok "the tables name tests" test "$(grep -cE '`test_[a-z_]+` *' <<<"$tables")" -ge 30

# ---- the site: `make site` refuses a page that its navigation lacks ---------------------------------------------------
for page in docs/*.md docs/howto/*.md docs/spec/*.md; do
	ok "${page#docs/} is in the navigation" grep -qE ": ${page#docs/}\$" ci/site/mkdocs.yaml
done

# ---- the tasks: docs/index.md has those of the navigation, in its five groups and order, with its names and a sentence each ----------
tasks=$(sed -n '/^<!-- tasks -->/,/^<!-- end -->/p' docs/index.md)
same "five groups of tasks" 5 "$(grep -c '^### ' <<<"$tasks")"
same "the tasks are those of the navigation" \
	"$(sed -n '/^- Tasks:/,/^- Reference:/{s/^  - \(.*\):$/\1/p; s/^    - \(.*\): \(.*\)$/\1|\2/p}' ci/site/mkdocs.yaml)" \
	"$(sed -n 's/^### //p; s/^- \[\(.*\)\](\([^)]*\)): .*\.$/\1|\2/p' <<<"$tasks")"

# ---- the glossary: sorted ----------------------------------------------------------------------------------------------
words=$(sed -n 's/^| \([A-Za-z][^|]*\) | .*/\1/p' docs/glossary.md | grep -vx word)
same "the glossary is sorted" "$(LC_ALL=C sort -f <<<"$words")" "$words"

# ---- the changelog: what is not released yet comes first --------------------------------------------------------------
same "the newest section" "## Unreleased" "$(grep -m 1 '^## ' docs/changelog.md)"
version=$("$program" --version | sed 's/osm-gen //')
day=$(sed -n "s/^## $version - \(.*\)$/\1/p" docs/changelog.md)
same "version $version is in the changelog, with the day that manual pages have" "$day" \
	"$("$program" man | sed -n 's/^\.TH OSM-GEN 1 \([0-9-]*\) .*/\1/p')"
finish
