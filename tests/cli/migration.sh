#!/usr/bin/env bash
# The steps of docs/migration.md, as they stand there, with a kubectl that prints a live cluster: one
# that is as the controller would have left it.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mkdir -p "$scratch/bin"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
PATH=$scratch/bin:$PATH

repository() { # FOLDER OSC
	mkdir -p "$1"
	git -C "$1" -c init.defaultBranch=main init -q
	cat >"$1/osm-gen.yaml" <<-YAML
		apiVersion: osm-gen.dev/v1alpha1
		kind: Fleet
		spec:
		  defaults: {osc: $2}
		  sealing:
		    recipients: [$recipient]
	YAML
	commit_all "$1" "fleet"
}

opened() { # the objects of the output in the current folder, in the clear
	local file
	for file in out/prod/*/*/*.yaml; do
		case $file in
		*/kustomization.yaml) continue ;;
		esac
		if grep -q '^sops:' "$file"; then osm-gen unseal "$file"; else cat "$file"; fi
		echo ---
	done
}

# A live cluster: what osm-gen renders of an export, without what marks it as osm-gen's.
repository "$scratch/source" sealed
cd "$scratch/source" || exit 1
{ osm-gen adopt -q "$here/adopt/live.yaml" --cluster prod --into clusters/prod && commit_all . adopt &&
	osm-gen -q --revisions clusters/revisions; } || exit 1
opened >"$scratch/rendered.yaml"
python3 - "$here/adopt/live.yaml" "$scratch/rendered.yaml" "$scratch/live.yaml" <<'PY'
import sys

import yaml

live = yaml.load(open(sys.argv[1]), yaml.CSafeLoader)
rendered = [o for o in yaml.load_all(open(sys.argv[2]), yaml.CSafeLoader) if o]
own = ("osm-gen.dev/", "kustomize.toolkit.fluxcd.io/")
made = []
for o in rendered:
    if o["kind"] not in ("Secret", "OperatingSystemConfig") or o["metadata"]["name"].startswith("bootstrap-token-"):
        continue
    notes = o["metadata"].get("annotations", {})
    for name in [n for n in notes if n.startswith(own)]:
        del notes[name]
    made.append(o)
names = {(o["kind"], o["metadata"]["namespace"], o["metadata"]["name"]) for o in made}
kept = []
for o in live["items"]:
    if (o["kind"], o["metadata"]["namespace"], o["metadata"]["name"]) in names:
        continue
    if o["kind"] == "Deployment":
        container = o["spec"]["template"]["spec"]["containers"][0]
        container["args"] = [a for a in container.get("args", []) if "CANARY" not in a and "-ca-bundle" not in a]
    if o["metadata"]["name"] == "bootstrap-token-bbbbbb":
        continue  # it is not the one that was rendered with
    kept.append(o)
live["items"] = kept + made
yaml.dump(live, open(sys.argv[3], "w"), Dumper=yaml.CSafeDumper)
PY
cat >"$scratch/bin/kubectl" <<STUB
#!/bin/sh
# Prints the kinds that are asked for, of the cluster that is live now.
exec python3 "$scratch/bin/live.py" "$scratch/live.yaml" "\$@"
STUB
cat >"$scratch/bin/live.py" <<'PY'
import sys

import yaml

live = yaml.load(open(sys.argv[1]), yaml.CSafeLoader)
words = sys.argv[2:]
kinds = [k.split(".")[0].rstrip("s") for k in words[words.index("get") + 1].split(",")]
live["items"] = [o for o in live["items"] if o["kind"].lower() in kinds]
assert live["items"], words
print(yaml.dump(live, Dumper=yaml.CSafeDumper))
PY
chmod 755 "$scratch/bin/kubectl"

# shellcheck disable=SC2016 # backquotes are those of Markdown
steps() { # NAME
	sed -n "/^<!-- migration: $1 -->/,/^<!-- end -->/p" "$root/docs/migration.md" | sed -n '/^```sh$/,/^```$/{/^```/d; p}'
}

follow() { # PATH_NAME EXPORT: every step, in order, none of which fails
	local step
	repository "$scratch/$1/fleet" redacted
	git clone -q --bare "$scratch/$1/fleet" "$scratch/$1/origin.git"
	cd "$scratch/$1/fleet" || exit 1
	git remote add origin "$scratch/$1/origin.git"
	git fetch -q && git branch -q --set-upstream-to origin/main
	for step in "$2" adopt compare generate; do
		steps "$step" >"$scratch/$1/$step"
		ok "$1: there are steps to $step" test -s "$scratch/$1/$step"
		exits "$1: $step" 0 bash -euo pipefail "$scratch/$1/$step"
	done
	same "$1: it is pushed" "$(git rev-parse HEAD)" "$(git -C "$scratch/$1/origin.git" rev-parse main)"
	same "$1: the live revisions are in the output" "2 4 " "$(sed -n 's/.*machine-deployment-revision: "\(.*\)"/\1/p' \
		out/prod/management/kube-system/operatingsystemconfig-*.yaml | tr '\n' ' ')"
	same "$1: exports are not in the repository" "" "$(git ls-files | grep live-)"
	same "$1: nor is a secret" "" "$(git grep -lE 'CANARY|Q0FOQVJZ|NBTkFSW|DQU5BUl' HEAD)"
	same "$1: exports are their owner's alone" "600 600 600 " "$(stat -c %a ../live-*.yaml | tr '\n' ' ')"
}

# Whoever has no repository yet makes one by the page, and takes the cluster over with its keys.
mkdir "$scratch/none"
cd "$scratch/none" || exit 1
steps start >"$scratch/none/start"
# shellcheck disable=SC2016 # of the script that is written
echo 'osm-gen adopt "$1" --cluster prod --into clusters/prod' >>"$scratch/none/start"
exits "a repository is started, and takes the cluster over" 0 env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE \
	bash -euo pipefail "$scratch/none/start" "$scratch/live.yaml"
same "without the example cluster" "prod revisions " "$(cd "$scratch/none/fleet/clusters" && printf '%s ' *)"

cp "$scratch/live.yaml" "$scratch/before.yaml"
follow kkp export-kkp
follow kubeone export-kubeone

# Flux has applied it.
opened >"$scratch/rendered.yaml"
python3 - "$scratch/before.yaml" "$scratch/rendered.yaml" "$scratch/live.yaml" <<'PY'
import sys

import yaml

live = yaml.load(open(sys.argv[1]), yaml.CSafeLoader)
made = [o for o in yaml.load_all(open(sys.argv[2]), yaml.CSafeLoader) if o]


def key(o):
    return o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]


keys = {key(o) for o in made}
live["items"] = [o for o in live["items"] if key(o) not in keys] + made
yaml.dump(live, open(sys.argv[3], "w"), Dumper=yaml.CSafeDumper)
PY
steps drift >"$scratch/drift"
exits "the drift report" 0 bash -euo pipefail "$scratch/drift"
same "says that nothing differs" "equal: cluster prod" "$(grep -oE '^equal: cluster prod' "$scratch/out")"
same "and the exports are gone" "" "$(ls ../live-* 2>/dev/null)"

finish
