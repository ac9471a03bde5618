#!/usr/bin/env bash
# A command line like its neighbours': no command, -C, a subfolder, names that are nearly right, one mistake many times.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet first)
tip() { git -C "$repo" rev-parse HEAD; }
first=$(tip)

# ---- no command --------------------------------------------------------------------------------------------------------
exits "without a command" 64 env -C "$repo" "$program"
says "prints a short help" "osm-gen help COMMAND"
ok "that fits on a screen" test "$(wc -l <"$scratch/err")" -le 15
same "nothing on standard output" "" "$(cat "$scratch/out")"
exits "the keys are no command" 64 env -C "$repo" OSM_GEN_SEAL_SEED=x "$program"
exits "a misspelt variable is none either" 64 env -C "$repo" OSM_GEN_NO_COMIT=true "$program"
says "and is named" "did you mean OSM_GEN_NO_COMMIT?"
same "nothing was committed" "$first" "$(tip)"
exits "with an option in the environment" 0 env -C "$repo" OSM_GEN_NO_COMMIT=true "$program"
says "it generates, and warns" "warning[OSG9031]: osm-gen without a command will print a help in the next version"
ok "the output is there" test -s "$repo/out/prod-us-1/index.json"
rm -rf "$repo/out"

# ---- pasted with a comment -----------------------------------------------------------------------------------------------
for command in plan explain "init fleet" roll; do
	# shellcheck disable=SC2086 # words on purpose
	exits "$command, with a comment" 64 env -C "$repo" "$program" $command '#' what "it does"
	says "says what to leave out" 'error[OSG9001]: "#" is not an argument' "setopt interactive_comments"
	same "and nothing else" 1 "$(grep -c '^error' "$scratch/err")"
done

# ---- where it runs -----------------------------------------------------------------------------------------------------
exits "list at the root" 0 env -C "$repo" "$program" list
cp "$scratch/out" "$scratch/list"
for folder in tests tests/fleet/prod-us-1; do
	exits "list in $folder" 0 env -C "$repo/$folder" "$program" list
	ok "is the same" cmp "$scratch/list" "$scratch/out"
	exits "-C $folder" 0 "$program" -C "$repo/$folder" list
	ok "is the same, too" cmp "$scratch/list" "$scratch/out"
done
exits "-C and --repo" 0 "$program" -C "$repo/tests" list --repo ..
exits "-C in the environment" 0 env OSM_GEN_DIRECTORY="$repo" "$program" list
exits "a report is written where -C leads" 0 "$program" -C "$repo/tests" validate --report json=../../report.json
ok "there it is" test -s "$scratch/report.json"
exits "--repo names the root" 3 env -C "$repo" "$program" list --repo tests
says "which the help has" "the one above is $repo"
exits "-C to nowhere" 3 "$program" -C "$scratch/nowhere" list
says "says so" "cannot change to folder $scratch/nowhere"
git clone -q --bare "$repo" "$scratch/bare.git"
exits "in a bare repository" 0 env -C "$scratch/bare.git" "$program" list
exits "below it" 0 env -C "$scratch/bare.git/refs" "$program" list
mkdir "$scratch/plain"
exits "in no repository" 3 env -C "$scratch/plain" "$program" list
exits "generate in a subfolder" 0 env -C "$repo/tests/fleet" "$program" generate
ok "writes below the root" test -s "$repo/out/prod-us-1/index.json"

# ---- -o json -----------------------------------------------------------------------------------------------------------
for command in validate check diff generate; do
	exits "$command -o json" 0 "$program" -C "$repo" "$command" -o json
	same "$command: the report, and nothing else" "[\"$command\",\"1.6\",4]" "$(jq -c '[.command, .formatVersion, (.units | length)]' "$scratch/out")"
	cp "$scratch/out" "$scratch/json"
	exits "$command --report" 0 "$program" -C "$repo" "$command" --report json=-
	ok "$command: it is that of --report" cmp "$scratch/json" "$scratch/out"
done
exits "a difference in JSON" 1 "$program" -C "$repo" diff -o json --pause-image registry.example.com/pause:9
same "it has the units" 4 "$(jq '[.units[] | select(.change != "unchanged")] | length' "$scratch/out")"
ok "and no text of the difference" bash -c "! grep -q '^[-+]' '$scratch/out'"
exits "a failure in JSON" 3 "$program" -C "$repo" validate -o json --rev nowhere
same "is a document, too" '["failed","OSG6003"]' "$(jq -c '[.outcome, .diagnostics[0].code]' "$scratch/out")"
exits "upgrade -o json" 0 "$program" -C "$repo" upgrade -o json
same "prints the plan" 4 "$(jq '.units | length' "$scratch/out")"
commit_all "$repo" "contract"
exits "upgrade with nothing to raise" 0 "$program" -C "$repo" upgrade -o json
same "prints an empty plan" "[]" "$(jq -c .units "$scratch/out")"

# ---- one cluster -------------------------------------------------------------------------------------------------------
exits "list of a cluster" 0 "$program" -C "$repo" list --cluster edge-eu-1 -o json
same "has its units" "edge-eu-1 edge-eu-1" "$(jq -r '[.units[].cluster] | join(" ")' "$scratch/out")"
exits "list of no cluster" 64 "$program" -C "$repo" list --cluster edge-eu
says "names the nearest" "did you mean edge-eu-1?"
exits "generate" 0 "$program" -C "$repo" generate -q
exits "plan of no cluster, when nothing changed" 64 "$program" -C "$repo" plan --cluster edge-eu
exits "plan of a cluster, when nothing changed" 0 "$program" -C "$repo" plan --cluster edge-eu-1
sed -i 's/kubelet: .*/kubelet: 1.35.3/' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$repo" "another kubelet in prod-us-1"
for command in plan diff check; do
	exits "$command of the other cluster" 0 "$program" -C "$repo" "$command" --cluster edge-eu-1
	want=$([ "$command" = plan ] && echo 0 || echo 1)
	exits "$command of the cluster" "$want" "$program" -C "$repo" "$command" --cluster prod-us-1
	exits "$command of all" "$want" "$program" -C "$repo" "$command"
	exits "$command of no cluster" 64 "$program" -C "$repo" "$command" --cluster edge-eu
	says "$command: names the nearest" "did you mean edge-eu-1?"
done
exits "plan in JSON" 0 "$program" -C "$repo" plan -o json --cluster edge-eu-1
same "has its units, which stay" '["NONE","NONE"]' "$(jq -c '[.units[].class]' "$scratch/out")"
exits "a diff" 1 "$program" -C "$repo" diff --cluster prod-us-1
ok "has files of the cluster alone" bash -c "grep -q '^--- .*prod-us-1' '$scratch/out' && ! grep -q '^--- .*edge-eu-1' '$scratch/out'"
# index.json repeats what the other files show: one line, after them; jq counts the same entries in what a run writes.
index=out/prod-us-1/index.json
same "index.json is in the last line alone" "$(wc -l <"$scratch/out")" "$(grep -n 'index\.json' "$scratch/out" | cut -d: -f1)"
exits "a diff with -v" 1 "$program" -C "$repo" diff -v --cluster prod-us-1
same "has its lines, last" "+++ b/$index" "$(grep '^+++' "$scratch/out" | tail -n 1)"
counted_by_jq() { # FOLDER: what `generate` changes there
	cp "$1/$index" "$scratch/before.json"
	"$program" -C "$1" generate -q --allow-removal 2>"$scratch/err"
	jq -rn --slurpfile a "$scratch/before.json" --slurpfile b "$1/$index" '
		def entries: map({(.path): .}) | add;
		def count($what): select(. > 0) | "\(.) entr\(if . == 1 then "y" else "ies" end) \($what)";
		($a[0].files | entries) as $a | ($b[0].files | entries) as $b |
		[([$b | keys[] | select($a[.] and $a[.] != $b[.])] | length | count("changed")),
		 ([$b | keys[] | select($a[.] | not)] | length | count("added")),
		 ([$a | keys[] | select($b[.] | not)] | length | count("removed"))] | join(", ")'
}
shown_by_diff() { "$program" -C "$1" diff --allow-removal 2>"$scratch/err" | sed -n "s|^$index: \(.*\) (-v shows the lines)\$|\1|p"; }
cp -r "$repo" "$scratch/kubelet"
shown=$(shown_by_diff "$scratch/kubelet")
ok "entries changed ($shown)" grep -qE '^[0-9]+ entries changed$' <<<"$shown"
same "as many as jq counts" "$(counted_by_jq "$scratch/kubelet")" "$shown"
cp -r "$repo" "$scratch/renamed"
sed -i 's/name: build$/name: compile/' "$scratch/renamed/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$scratch/renamed" "another name"
shown=$(shown_by_diff "$scratch/renamed")
ok "entries changed, added and removed ($shown)" grep -qE '^[0-9]+ entries changed, [0-9]+ entries added, [0-9]+ entries removed$' <<<"$shown"
same "as many as jq counts" "$(counted_by_jq "$scratch/renamed")" "$shown"
exits "generate makes all of it" 64 "$program" -C "$repo" generate --cluster prod-us-1

# ---- nearly right ------------------------------------------------------------------------------------------------------
exits "two letters in each other's place" 64 "$program" plan --reprot json=x
says "is the nearest option" "did you mean --report?"
exits "a unit of several clusters" 2 "$program" -C "$repo" render kube-system/workers
says "asks for the cluster" "put the cluster in front: edge-eu-1/kube-system/workers, prod-us-1/kube-system/workers"
exits "a unit by an argument" 0 "$program" -C "$repo" render edge-eu-1/kube-system/workers
ok "its OperatingSystemConfig" grep -qE '^"?kind"?: "?OperatingSystemConfig' "$scratch/out"
cp "$scratch/out" "$scratch/by-argument"
exits "by an option" 0 "$program" -C "$repo" render --machine-deployment edge-eu-1/kube-system/workers --print osc
ok "the same" cmp "$scratch/out" "$scratch/by-argument"
exits "an argument and an option" 64 "$program" -C "$repo" render kube-system/workers --machine-deployment kube-system/workers
says "one of them" "takes one name"
exits "two names" 64 "$program" -C "$repo" render edge-eu-1/kube-system/workers edge-eu-1/kube-system/storage
says "the second is refused" '"render" takes no argument "edge-eu-1/kube-system/storage"'
for file in "$repo"/tests/fleet/edge-eu-1/*.yaml; do cat "$file" && echo ---; done >"$scratch/pipe.yaml"
from_pipe() { "$program" render "$@" <"$scratch/pipe.yaml"; }
exits "a unit of standard input, by an argument" 0 from_pipe - kube-system/workers
cp "$scratch/out" "$scratch/by-argument"
exits "by an option" 0 from_pipe - --machine-deployment kube-system/workers
ok "the same" cmp "$scratch/out" "$scratch/by-argument"
exits "two names of standard input" 64 from_pipe - kube-system/workers kube-system/storage
exits "none" 64 from_pipe -
says "asks for a name, too" "needs [CLUSTER/]NAMESPACE/NAME"
exits "no unit" 64 "$program" -C "$repo" render
says "asks for a name" "needs [CLUSTER/]NAMESPACE/NAME"
exits "no part" 64 "$program" -C "$repo" render kube-system/workers --print none
says "names the parts of all" "--print is osc, bootstrap, provisioning, configmap, machine-deployment, user-data, status"
exits "a unit in another namespace" 2 "$program" -C "$repo" render --machine-deployment default/workers --print osc
says "is named" "did you mean edge-eu-1/kube-system/workers?"
exits "validate of a file" 64 "$program" -C "$repo" validate tests/fleet/prod-us-1/workers.yaml
says "names both ways" "--worktree reads the repository's files as they are now, - reads manifests from standard input"
mkdir "$scratch/empty" && git -C "$scratch/empty" init -q
exits "a new repository" 3 "$program" -C "$scratch/empty" validate
# shellcheck disable=SC2016 # it is printed so
says "is told how to start" 'start with `osm-gen init .`'

# ---- words of other programs: the error names what osm-gen has instead -----------------------------------------------------
# shellcheck disable=SC2016 # backquotes are those of the messages
while IFS='|' read -r typed named; do
	# shellcheck disable=SC2086 # words on purpose
	exits "osm-gen $typed" 64 env -C "$repo" "$program" $typed
	says "osm-gen $typed names $named" "$named"
	same "osm-gen $typed: one error" 1 "$(grep -c '^error' "$scratch/err")"
done <<'TYPED'
generate --dry-run|`osm-gen plan`
apply -f out/ --wait|osm-gen commits files; Flux, Argo CD or kubectl applies them
decrypt out/x.yaml|`osm-gen unseal FILE`
encrypt|`osm-gen generate` seals
status|`osm-gen plan` shows what would change, `osm-gen observe` what is live, `osm-gen doctor`
list --json|use -o json
-V|use --version
template|`osm-gen render NAMESPACE/NAME`
build|`osm-gen generate`
lint|`osm-gen validate`
help sync|Flux
man rotate|--rotate-seed
generate --force|--allow-removal
generate --yes|asks no questions
validate -f x.yaml|--manifests FILE
-n kube-system list|NAMESPACE/NAME
list -A|--cluster CLUSTER
lisst|did you mean list?
plan --worktre|did you mean --worktree?
plan -z|`osm-gen help --all plan`
plan --kubeconfig=x|read from the repository
TYPED
sed -nE 's/^ *\{"([^"]*)",.*/\1/p' "$root/cmd/osm-gen/option_words.c" >"$scratch/words"
ok "there are many" test "$(wc -l <"$scratch/words")" -gt 150
same "each of them once" "" "$(sort "$scratch/words" | uniq -d)"
"$program" man | sed -n 's/\\-/-/g; s/^\\fB\([^\\]*\)\\fR.*/\1/p' | sed -E 's/^(-.), /\1\n/' >"$scratch/names"
while read -r word; do
	case $word in
	-*) "$program" generate "$word" ;;
	*) "$program" "$word" ;;
	esac >"$scratch/out" 2>"$scratch/err"
	same "$word is refused" 64 $?
	help=$(sed -n 's/^  help: //p' "$scratch/err")
	ok "$word: help" test -n "$help"
	# What it names is there.
	while read -r name; do
		ok "$word: $name is there" grep -qxF -- "$name" "$scratch/names"
	done < <(grep -oE '`osm-gen [a-z]+| -[-a-zA-Z]+|^-[-a-zA-Z]+' <<<"$help" | sed -E 's/`osm-gen //; s/^ //' | grep -vxE -- '-|-A')
done <"$scratch/words"

# ---- colour: on a terminal, and where it is asked for ----------------------------------------------------------------------
# Runs a command on a terminal; its output is in $scratch/out.
on_terminal() { # COMMAND...
	python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' env -u NO_COLOR TERM=xterm "$@" >"$scratch/out" 2>&1 </dev/null
}
colored() { grep -q $'\x1b\\[' "$scratch/out"; }
plain() { ! grep -q $'\x1b' "$scratch/out"; }
for command in plan list doctor diff; do
	on_terminal "$program" -C "$repo" "$command" --progress never
	ok "$command on a terminal" colored
	on_terminal NO_COLOR=1 "$program" -C "$repo" "$command" --progress never
	ok "$command with NO_COLOR" plain
	on_terminal TERM=dumb "$program" -C "$repo" "$command" --progress never
	ok "$command on a dumb terminal" plain
	on_terminal "$program" -C "$repo" "$command" --progress never --color never
	ok "$command with --color never" plain
	env -u NO_COLOR TERM=xterm "$program" -C "$repo" "$command" >"$scratch/out" 2>&1
	ok "$command in a pipe" plain
	NO_COLOR=1 "$program" -C "$repo" "$command" --color always >"$scratch/colored" 2>/dev/null
	"$program" -C "$repo" "$command" >"$scratch/uncolored" 2>/dev/null
	ok "$command with --color always" grep -q $'\x1b\\[' "$scratch/colored"
	ok "$command: the same words" cmp "$scratch/uncolored" <(sed 's/\x1b\[[0-9;]*m//g' "$scratch/colored")
	"$program" -C "$repo" "$command" -o json --color always >"$scratch/out" 2>/dev/null
	ok "$command -o json" plain
done

# ---- one mistake many times --------------------------------------------------------------------------------------------
copy() { cp -r "$root/tests/golden/base" "$scratch/many" && git -C "$scratch/many" init -q; }
copy
for i in 01 02 03 04 05 06 07; do
	sed "s/name: workers/name: workers-$i/; s/osp-small/osp-rocky/" "$scratch/many/clusters/prod/workers.yaml" >"$scratch/many/clusters/prod/workers-$i.yaml"
done
commit_all "$scratch/many" many
exits "seven units with a profile that is not there" 2 "$program" -C "$scratch/many" validate
says "a name that was cut short" 'did you mean "osp-rockylinux"?'
same "three are shown" 3 "$(grep -c '^clusters/prod/workers-0.*error' "$scratch/err")"
says "the others are counted, in the same words" 'and 4 more error[OSG4003]: OperatingSystemProfile "osp-rocky" not found'
says "and their places" '  at clusters/prod/workers-04.yaml:7:38, clusters/prod/workers-05.yaml:7:38, '
exits "with -v" 2 "$program" -C "$scratch/many" validate -v
same "all are shown" 7 "$(grep -c '^clusters/prod/workers-0.*error' "$scratch/err")"
finish
