#!/usr/bin/env bash
# Small repositories that ask for much: each stops at what a run may take, with the option's name. With
# OSM_GEN_HOSTILE=full (make hostile) at full size, and with memory and processor time held to what honest manifests of
# that size take, beside the base that docs/limits.md says: 512 MiB and 6 s.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

full=false caps=(--max-entries 20000 --max-input 2M --max-values 40000 --max-steps 40000 --max-output 64K)
if [ "${OSM_GEN_HOSTILE:-}" = full ]; then
	full=true caps=()
fi
size() { if $full; then echo "$2"; else echo "$1"; fi; } # SMALL FULL

# The command's status; what it took goes to $scratch/took.
# shellcheck disable=SC2317 # exits calls it
measured() {
	python3 - "$scratch/took" "$@" <<'PY'
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], "w").write(f"{used.ru_maxrss} {int(used.ru_utime)}\n")
sys.exit(status)
PY
}
holds() { # NAME STATUS CODE REPO ARGUMENTS...
	local name=$1 status=$2 code=$3 repo=$4 kib seconds bytes
	shift 4
	exits "$name" "$status" measured "$program" validate --repo "$repo" "${caps[@]}" "$@"
	[ -z "$code" ] || says "$name" "error[$code]"
	same "$name: said once" "$([ -n "$code" ] && echo 1 || echo 0)" "$(grep -c 'error\[OSG102[1-5]\]' "$scratch/err")"
	if $full; then
		read -r kib seconds <"$scratch/took"
		bytes=$(find "$repo" -name .git -prune -o -type f -printf '%s\n' | awk '{all += $1} END {print all + 0}')
		echo "$name: $((kib / 1024)) MiB, $seconds s, of $((bytes / 1000000)) MB"
		ok "$name: memory" test "$kib" -lt $((512 * 1024 + bytes * 45 / 1000))
		ok "$name: time" test "$seconds" -lt $((6 + bytes / 2000000))
	fi
	rm -rf "$repo"
}
empty() { git -C "$scratch" -c init.defaultBranch=main init -q "$1" && echo "$scratch/$1"; }
made() { # NAME PYTHON: a repository with the files that the expression gives, a map of names to texts
	local repo
	repo=$(empty "$1")
	python3 -c "import os, sys
for name, text in ($2).items():
    os.makedirs(os.path.dirname(os.path.join(sys.argv[1], name)) or '.', exist_ok=True)
    open(os.path.join(sys.argv[1], name), 'w').write(text)" "$repo"
	commit_all "$repo" "$1"
	echo "$repo"
}

n=$(size 30000 20000000)
holds "lists in a list of JSON" 2 OSG1023 "$(made json-lists "{'a.json': '{\"kind\":\"Secret\",\"a\":[' + '[],' * $n + '1]}'}")"
n=$(size 60000 30000000)
holds "numbers of JSON" 2 OSG1023 "$(made json-numbers "{'a.json': '{\"kind\":\"Secret\",\"a\":[' + '1,' * $n + '1]}'}")"
n=$(size 20000 4000000)
holds "maps of JSON" 2 OSG1023 "$(made json-maps "{'a.json': '{\"kind\":\"Secret\",\"a\":{' + ','.join('\"%d\":{}' % i for i in range($n)) + '}}'}")"
n=$(size 30000 6000000)
holds "lists of YAML" 2 OSG1023 "$(made yaml-lists "{'a.yaml': 'kind: Secret\na:\n' + '- []\n' * $n}")"
holds "lists of YAML, none of ours" 2 OSG1023 "$(made yaml-others "{'a.yaml': 'a:\n' + '- []\n' * $n}")"
n=$(size 30000 3000000)
holds "documents" 2 OSG1023 "$(made documents "{'a.yaml': 'kind: Secret\n---\n' * $n}")"
n=$(size 300 30000)
holds "aliases in many files" 2 OSG1023 "$(made aliases "{'f%d.yaml' % i: 'kind: Secret\na: &a [' + 'x,' * 100 + ']\nb: [' + '*a,' * 100 + ']\n' for i in range($n // 10)}")"
n=$(size 700000 60000000)
holds "long texts" 2 OSG1022 "$(made long "{'%s.yaml' % c: 'kind: Secret\na: ' + 'x' * $n for c in 'abcdef'}")"
holds "empty lines" 2 OSG1022 "$(made lines "{'%s.yaml' % c: 'kind: Secret\n' + '\n' * $n for c in 'abcdef'}")"
n=$(size 500 20000)
holds "mistakes" 2 "" "$(made mistakes "{'f%d.yaml' % i: 'kind: Secret\na: [\n' for i in range($n)}")"
n=$(size 500 100000)
holds "secrets" 0 "" "$(made secrets "{'f.yaml': ''.join('apiVersion: v1\nkind: Secret\nmetadata: {name: s%d}\nstringData: {a: TEST-ONLY-0123456789-%d}\n---\n' % (i, i) for i in range($n))}")"

# One folder in another, again and again: a commit of a few kilobytes.
repo=$(empty trees)
blob=$(printf 'kind: Secret\n' | git -C "$repo" hash-object -w --stdin)
tree=$(for i in $(seq 1 100); do printf '100644 blob %s\tf%d.yaml\n' "$blob" "$i"; done | git -C "$repo" mktree)
for _ in 1 2 3 4; do
	tree=$(for i in $(seq 1 100); do printf '040000 tree %s\td%d\n' "$tree" "$i"; done | git -C "$repo" mktree)
done
git -C "$repo" update-ref refs/heads/main "$(git -C "$repo" commit-tree "$tree" -m trees)"
holds "a tree of ten billion files" 2 OSG1021 "$repo"

# Templates: each rendering below its own limit, all of them above the run's.
repo=$(fleet steps)
n=$(size 3000 300000)
perl -0pi -e "s/^spec:.*?\K\{\{/{{ range until $n }}{{ end }}{{/sm" "$repo/profiles/ubuntu.yaml"
commit_all "$repo" "loops"
holds "loops in templates" 2 OSG1024 "$repo" --max-steps "$(size 5000 500000)"
repo=$(fleet output)
exits "output" 2 "$program" --repo "$repo" --max-output 20K
says "output" "error[OSG1025]: bytes of output above 20480, the most that --max-output allows"
same "output: nothing is written" "" "$(git -C "$repo" status --porcelain)"

# The repository lowers what it may take, and raises nothing.
limited() { # SETTING: into spec.limits of the fleet
	sed -i "s/^spec:/spec:\n  limits: {$1}/" "$repo/osm-gen.yaml"
	commit_all "$repo" "limits"
}
limited "maxValues: 100"
exits "a limit of the repository's" 2 "$program" validate --repo "$repo"
says "a limit of the repository's" "error[OSG1023]: values in manifests above 100"
sed -i "s/maxValues: 100}/maxValues: 1000000000, maxOutput: 20480}/" "$repo/osm-gen.yaml"
commit_all "$repo" "limits"
exits "one that would raise it" 2 "$program" validate --repo "$repo" --max-values 100
exits "one of the output" 2 "$program" --repo "$repo"
says "one of the output" "error[OSG1025]"
sed -i "s/maxOutput: 20480}/maxOutput: 20K, maxStep: 1}/" "$repo/osm-gen.yaml"
commit_all "$repo" "limits"
exits "limits that are wrong" 2 "$program" validate --repo "$repo"
says "limits that are wrong" "error[OSG2006]: maxOutput of spec.limits must be a number from 0 on"
says "limits that are wrong" "error[OSG2005]"
git -C "$repo" checkout -q HEAD~3 -- . && commit_all "$repo" "as before"

# Settings times MachineDeployments: neither is many, and each is within what one of them may take.
n=$(size 2000 4000)
holds "mirrors of many MachineDeployments" 2 OSG1024 "$(made mirrors "(lambda s: s.fleet(**{'osm-gen.yaml': s.FLEET.replace('OSPs: true', 'OSPs: true, nodeContainerdRegistryMirrors: [' + ','.join('\"r%d.example.com=https://mirror.example.com\"' % i for i in range($n)) + ']'), 'm.yaml': s.many(20, lambda i: s.machines('m%d' % i))}))(__import__('sys').path.insert(0, '$here') or __import__('_hostile_shapes'))")" --max-steps "$(size 200000 1000000)"

# A commit of a kilobyte in the repository whose message is many times that.
repo=$(fleet message)
head -c 2000000 /dev/zero | tr '\0' x | git -C "$repo" commit -q --allow-empty --cleanup=verbatim -F -
for command in validate plan list; do
	exits "$command with a long message" 3 "$program" "$command" --repo "$repo"
	says "$command with a long message" "error[OSG6022]: commit $(git -C "$repo" rev-parse HEAD) has 2000"
done
git -C "$repo" commit -q --allow-empty -m "behind it"
exits "plan behind a long message" 3 "$program" plan --repo "$repo"
says "plan behind a long message" "error[OSG6022]: commit $(git -C "$repo" rev-parse HEAD~)"
exits "generate behind a long message" 3 "$program" --repo "$repo"
same "generate behind a long message: nothing is written" "" "$(git -C "$repo" status --porcelain)"

# What is fine stays fine, and numbers are read.
exits "the sample fleet" 0 "$program" validate --repo "$repo"
exits "no number" 64 "$program" validate --repo "$repo" --max-values many
says "no number" "--max-values takes a number"
for amount in -1 1T K "" 99999999999G; do
	exits "--max-input '$amount'" 64 "$program" validate --repo "$repo" --max-input "$amount"
done
exits "for the commands that read inputs" 64 "$program" unseal --max-input 1M x
if $full; then
	"$root/tests/bench/fleet.sh" "$scratch/large" 10000 10
	git -C "$scratch/large" -c init.defaultBranch=main init -q && commit_all "$scratch/large" "large"
	caps=(--max-entries 200000 --max-input 64M --max-values 2M --max-steps 2G)
	holds "10,000 MachineDeployments, with half of the values and less of the rest" 0 "" "$scratch/large"
fi

finish
