#!/usr/bin/env bash
# Each field of an index.json, taken out, emptied and changed: no guard lets more pass than with the right one.
# Slow: six runs for each field of an index
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_pools.sh
. "$(dirname "$0")/_pools.sh"

# Each field is taken out, emptied and changed wherever the index of prod has it. With that alone a run either fails or makes the
# output that it made before. With a change beside it that a guard refuses, it is refused.
repo=$(small fields)
cp "$repo/clusters/prod/osm-gen.yaml" "$scratch/cluster.yaml"
rm "$repo/clusters/prod/workers.yaml"
cluster edge
for name in a b c d; do pool prod $name 3; done
for name in a b c d; do pool edge $name 1; done
printf '  delivery: {applier: flux}\n  defaults: {machineDeployments: output, roll: profile, rollGuard: 2, replicas: keep}\n' >>"$repo/osm-gen.yaml"
commit_all "$repo" "two clusters"
exits "generate" 0 "$program" generate --repo "$repo" --allow-roll
sed -i 's/version: v1.0.0/version: v1.0.1/; s/echo {{/echo one {{/' "$repo/osp-small.yaml"
commit_all "$repo" "a profile"
exits "its machines roll" 0 "$program" generate --repo "$repo" --allow-roll
start=$(git -C "$repo" rev-parse HEAD)
index=$repo/out/prod/index.json
cp "$index" "$scratch/index"
mkdir "$scratch/edited"
python3 - "$scratch/index" "$scratch/edited" <<'END'
import copy, json, pathlib, sys

index = json.loads(pathlib.Path(sys.argv[1]).read_text())

def fields(value, path=()):
    """The paths of all fields; items of lists have the same one."""
    items = value.items() if isinstance(value, dict) else (("*", item) for item in value) if isinstance(value, list) else ()
    for key, item in items:
        yield path + (key,)
        yield from fields(item, path + (key,))

def change(value, how):
    if how == "empty":
        return type(value)()
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return ("1" if value[:1] == "0" else "0") + value[1:]
    return value[:-1] if isinstance(value, list) else {"name": "other"}

def edit(value, path, how):
    for key in list(range(len(value))) if path[0] == "*" else [path[0]] if path[0] in value else []:
        if len(path) > 1:
            edit(value[key], path[1:], how)
        elif how == "gone":
            value[key] = None
        else:
            value[key] = change(value[key], how)
    if len(path) == 1 and how == "gone":
        if isinstance(value, list):
            value.clear()
        else:
            value.pop(path[0], None)

index["cut"] = 0
for path in dict.fromkeys(fields(index)):
    for how in ("gone", "empty", "change"):
        edited = copy.deepcopy(index)
        edit(edited, path, how)
        if edited["cut" if "cut" in edited else "files"] == 0:
            del edited["cut"]
        if edited != {key: value for key, value in index.items() if key != "cut"}:
            name = "-".join(path).replace("*", "each") + "-" + how
            (pathlib.Path(sys.argv[2]) / name).write_text(json.dumps(edited, indent=2) + "\n")
END
profile() { sed -i 's/version: v1.0.1/version: v1.0.2/; s/echo one/echo two/' "$repo/osp-small.yaml"; }
immutable() { sed -i 's/echo one/echo two/' "$repo/osp-small.yaml"; }
nothing() { :; }
seed=$("$program" keygen seed 2>/dev/null | grep -v '^#')
try() { # CHANGE: prints the status of a run with an edited index and this change
	git -C "$repo" reset -q --hard "$start"
	cp "$1" "$index"
	$2
	git -C "$repo" add -A
	git -C "$repo" commit -q --allow-empty -m edited
	if [ "$2" = nothing ] && [ "${3:-}" = seed ]; then
		OSM_GEN_SEAL_SEED=$seed "$program" generate -q --repo "$repo" >"$scratch/err" 2>&1
	else
		"$program" generate -q --repo "$repo" >"$scratch/err" 2>&1
	fi
	echo $?
}
for change in three emptied reader profile immutable "nothing seed"; do
	# shellcheck disable=SC2086 # words
	ok "the right index: $change is refused" test "$(try "$scratch/index" $change)" -ge 2
done
count=0
for edited in "$scratch"/edited/*; do
	name=${edited##*/}
	count=$((count + 1))
	passes=
	for change in three emptied reader profile immutable "nothing seed"; do
		# shellcheck disable=SC2086 # words
		[ "$(try "$edited" $change)" -ge 2 ] || passes="$passes $change"
	done
	same "$name: what a guard refuses" "" "$passes"
	# A proof that does not hold counts for nothing, and with another digest a revision counts on.
	case $name in proofs-* | files-each-templateDigest-*) continue ;; esac
	if [ "$(try "$edited" nothing)" = 0 ]; then
		same "$name alone: the output" "" "$(git -C "$repo" diff --stat "$start" HEAD -- out)"
	fi
done
ok "there were many fields" test "$count" -gt 100
finish
