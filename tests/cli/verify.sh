#!/usr/bin/env bash
# `osm-gen verify`: each way to put a sealed value, a file or a message where it does not belong is found,
# and what happens to honest repositories (rebases, squashes, reverts, comments) is not.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

secrets=worker/cloud-init-settings
workers=$secrets/secret-workers-kube-system-provisioning-config.yaml
build=$secrets/secret-build-kube-system-provisioning-config.yaml
without_keys() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$@"; }
without_seed() { env -u OSM_GEN_SEAL_SEED "$@"; }
without_identity() { env -u SOPS_AGE_KEY_FILE "$@"; }

found() { # NAME CODE PATH [COMMAND BEFORE...]: verify of $repo finds CODE at PATH
	local name=$1 code=$2 path=$3
	shift 3
	exits "$name" 1 "$@" "$program" verify --repo "$repo" -v
	ok "$name: $code at $path" grep -qF "$path: warning[$code]: " "$scratch/out"
}
finds_not() { # NAME CODE
	ok "$1: no $2" bash -c "! grep -q '$2' '$scratch/out'"
}
fine() { # NAME [OPTIONS...]: nothing is found
	local name=$1
	shift
	exits "$name" 0 "$program" verify --repo "$repo" "$@"
	if [ "$(grep -c 'nothing is wrong' "$scratch/out")" -ne 1 ]; then sed 's/^/    /' "$scratch/out"; fi
}
notes() { ok "$1" grep -qF -- "$2" "$scratch/out"; } # NAME TEXT: stdout of the last one holds it
fresh() { # a copy of the first repository
	repo=$scratch/$1
	cp -r "$base" "$repo"
}
message_of() { git -C "$repo" log -1 --format=%B "$1" >"$scratch/message"; }
generate() { "$program" --repo "$repo" -q "$@" 2>>"$scratch/generate.err"; }
set_version() { # of one MachineDeployment: an input that changes sealed files
	sed -i "0,/kubelet: 1\.[0-9.]*/s//kubelet: $1/" "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
	commit_all "$repo" "kubelet $1"
}

# ---- the sample fleet: two runs ----------------------------------------------------------------------
repo=$(fleet base)
base=$repo
generate
first=$(git -C "$repo" rev-parse HEAD)
set_version 1.34.3
generate
second=$(git -C "$repo" rev-parse HEAD)
git -C "$repo" repack -a -d -q
ok "two runs" test "$first" != "$second"
ok "the second run changed sealed files" bash -c "git -C $repo diff --name-only $first $second -- out | grep -q $secrets"
changed=$(git -C "$repo" diff --name-only "$first" "$second" -- out | grep "$secrets" | head -n 1)
ok "the trailer" bash -c "git -C $repo log -1 --format=%B | grep -qE '^Osm-Gen-Output: [0-9a-f]{32}$'"
fine "all is well"
notes "says who vouches" "vouched for by commit ${second:0:12}"
ok "opens and seals again" grep -qE '([0-9]+) of them sealed; \1 opened, \1 sealed again' "$scratch/out"
same "nothing on stderr" "" "$(cat "$scratch/err")"
exits "quiet" 0 "$program" verify --repo "$repo" -q
same "says nothing" "" "$(cat "$scratch/out")"
exits "without keys" 0 without_keys "$program" verify --repo "$repo"
notes "says what was not checked: the seed" "not checked: who wrote the files"
notes "says what was not checked: the identity" "not checked: whether sealed files decrypt"
exits "without an identity" 0 without_identity "$program" verify --repo "$repo"
notes "says what was not checked: sealing again" "not checked: whether resealing gives the same bytes"
exits "with another identity" 0 env SOPS_AGE_KEY="$("$program" keygen identity | tail -n 1)" SOPS_AGE_KEY_FILE= "$program" verify --repo "$repo"
notes "says which files it does not open" "not checked: prod-us-1/$workers: none of the identities decrypts the file"
exits "an earlier revision" 0 "$program" verify --repo "$repo" --rev "$first"
exits "some files" 0 "$program" verify --repo "$repo" "out/prod-us-1/$workers" "prod-us-1/$build"
notes "only these" ", 2 files, 2 of them sealed"
exits "a file that is none" 64 "$program" verify --repo "$repo" out/nowhere.yaml
says "names it" '"nowhere.yaml" is not a file of the output'
exits "no output folder" 1 "$program" verify --repo "$repo" --out elsewhere
exits "an output outside" 64 "$program" verify --repo "$repo" --out /elsewhere
exits "no repository" 3 "$program" verify --repo "$scratch/nowhere"
exits "no such revision" 3 "$program" verify --repo "$repo" --rev nowhere
exits "no such format" 64 "$program" verify --repo "$repo" -o xml
exits "a damaged seed" 3 env OSM_GEN_SEAL_SEED=OSMGEN-SEED-1 "$program" verify --repo "$repo"
git clone -q --bare "$repo" "$scratch/bare.git"
exits "a bare repository" 0 "$program" verify --repo "$scratch/bare.git"
before=$(git -C "$repo" status --porcelain | wc -l)
same "changes nothing" "0 $second" "$before $(git -C "$repo" rev-parse HEAD)"

# ---- JSON ----------------------------------------------------------------------------------------------
fresh json
echo >>"$repo/out/prod-us-1/$workers"
commit_all "$repo" "a line"
exits "JSON" 1 "$program" verify --repo "$repo" -o json
ok "its members" python3 - "$scratch/out" "$repo" "$second" "prod-us-1/$workers" <<'PY'
import json, subprocess, sys
report = json.load(open(sys.argv[1]))
head = subprocess.check_output(["git", "-C", sys.argv[2], "rev-parse", "HEAD"], text=True).strip()
assert report["formatVersion"] == "1.1" and report["commit"] == head and report["out"] == "out", report
assert report["seed"] and report["identity"], report
assert report["checked"]["sealed"] == report["checked"]["opened"] == report["checked"]["resealed"] > 0, report
assert [v["commit"] for v in report["vouchers"]] == [sys.argv[3]], report
assert {f["code"] for f in report["findings"]} == {"OSG5100", "OSG5108"}, report
assert {f["path"] for f in report["findings"]} == {"out/" + sys.argv[4]}, report
assert head[:12] in next(f["text"] for f in report["findings"] if f["code"] == "OSG5100"), report
PY

# ---- moved ---------------------------------------------------------------------------------------------
fresh object
cp "$repo/out/prod-us-1/$build" "$repo/out/prod-us-1/$workers"
commit_all "$repo" "one file over another"
mover=$(git -C "$repo" rev-parse HEAD)
found "a file over another object's" OSG5105 "out/prod-us-1/$workers"
notes "names the commit" "changed by commit ${mover:0:12}, not by osm-gen"
found "without keys too" OSG5105 "out/prod-us-1/$workers" without_keys
exits "unseal refuses it" 2 "$program" unseal "$repo/out/prod-us-1/$workers"
says "says why" "error[OSG5085]: this file does not belong here"
exits "unseal --force" 0 "$program" unseal --force "$repo/out/prod-us-1/$workers"

fresh value
python3 - "$repo/out/prod-us-1/$build" "$repo/out/prod-us-1/$workers" <<'PY'
import re, sys
value = re.search(r"^    cloud-config: (ENC\[.*\])$", open(sys.argv[1]).read(), re.M).group(1)
text = open(sys.argv[2]).read()
open(sys.argv[2], "w").write(re.sub(r"^    cloud-config: ENC\[.*\]$", "    cloud-config: " + value, text, flags=re.M))
PY
commit_all "$repo" "one value"
found "a value of another object" OSG5106 "out/prod-us-1/$workers"
found "with an identity alone" OSG5106 "out/prod-us-1/$workers" without_seed
found "with the seed alone" OSG5100 "out/prod-us-1/$workers" without_identity

# All of an object's sealed part, data key and MAC, under another object's name.
fresh block
python3 - "$repo/out/prod-us-1/$build" "$repo/out/prod-us-1/$workers" <<'PY'
import sys
source, target = (open(path).read() for path in sys.argv[1:])
open(sys.argv[2], "w").write(target[:target.index("\ndata:\n")] + source[source.index("\ndata:\n"):])
PY
commit_all "$repo" "a sealed block"
found "another object's sealed block" OSG5106 "out/prod-us-1/$workers" without_seed
notes "the MAC says so" "message authentication code does not match"

fresh cluster
cp "$repo/out/edge-eu-1/$workers" "$repo/out/prod-us-1/$workers"
commit_all "$repo" "another cluster's"
found "another cluster's Secret of that name" OSG5105 "out/prod-us-1/$workers" without_keys
found "and sealed for another cluster" OSG5108 "out/prod-us-1/$workers"
exits "unseal refuses it" 2 "$program" unseal "$repo/out/prod-us-1/$workers"
sed -i '1s/edge-eu-1/prod-us-1/' "$repo/out/prod-us-1/$workers"
commit_all "$repo" "with the first line made to fit"
found "whatever its first line says" OSG5108 "out/prod-us-1/$workers"
finds_not "its object and source fit" OSG5105
fresh index
rm -r "$repo/out/prod-us-1"
cp -r "$repo/out/edge-eu-1" "$repo/out/prod-us-1"
commit_all "$repo" "a whole cluster"
found "another cluster's folder" OSG5105 "out/prod-us-1/index.json" without_keys
exits "unseal refuses it" 2 "$program" unseal "$repo/out/prod-us-1/$workers"

other=$(fleet other)
sed -i 's/kubelet: 1.35/kubelet: 1.34/' "$other"/tests/fleet/*/machinedeployments.yaml
commit_all "$other" "another fleet, with the same seed"
"$program" --repo "$other" -q
fresh repository
git -C "$other" log -1 --format=%B >"$scratch/message"
rm -r "$repo/out"
cp -r "$other/out" "$repo/out"
git -C "$repo" add -A
git -C "$repo" commit -q -F "$scratch/message"
found "another repository's output, with its message" OSG5100 "out/edge-eu-1/$workers"
notes "whose run is not this commit's" "names a run, but does not hold that run's output and inputs"

# ---- brought back --------------------------------------------------------------------------------------
fresh old
git -C "$repo" checkout -q "$first" -- "$changed"
commit_all "$repo" "an old Secret"
found "an old sealed file" OSG5101 "$changed"
notes "names the version, and who brought it" "from commit ${first:0:12}, was brought back by commit $(git -C "$repo" rev-parse --short=12 HEAD)"
finds_not "it is in its place, and osm-gen's" "OSG510[5-8]"
exits "check says why" 1 "$program" check --repo "$repo"
says "with the commit" "warning[OSG5101]: an older version of this file, from commit ${first:0:12}"
fresh asked
sed -i 's/^    name: .*/    name: changed/' "$repo/out/prod-us-1/$build"
rm "$repo/out/prod-us-1/$workers"
commit_all "$repo" "changed and removed"
exits "check says who" 1 "$program" check --repo "$repo"
says "changed what" "out/prod-us-1/$build: warning[OSG5100]: changed by commit $(git -C "$repo" rev-parse --short=12 HEAD), not by osm-gen"
says "removed what" "out/prod-us-1/$workers: warning[OSG5100]: removed by commit"
says "what is missing" "out/prod-us-1/$workers: warning[OSG5103]"
git -C "$repo" reset -q --hard "$second"
set_version 1.33.6
exits "check of changed inputs" 1 "$program" check --repo "$repo"
ok "blames nobody" bash -c "! grep -q 'OSG51' '$scratch/err'"
repo=$scratch/old
git -C "$repo" checkout -q "$first" -- out/prod-us-1/index.json
commit_all "$repo" "with its index"
found "an old file and index" OSG5101 out/prod-us-1/index.json
git -C "$repo" checkout -q "$first" -- out
message_of "$first"
git -C "$repo" commit -q -F "$scratch/message"
found "the whole old output, with its message" OSG5101 "$changed"
fresh replay
rm -r "$repo/out"
git -C "$repo" checkout -q "$first" -- out tests
message_of "$first"
git -C "$repo" commit -q -F "$scratch/message"
found "the whole old output, its inputs, and its message" OSG5101 "$changed"
notes "says that the message is a copy" "a later commit repeats the message of a run"
ok "which the present run does not mistake" bash -c "git -C $repo diff --quiet $first HEAD"

# ---- sealed by somebody else ---------------------------------------------------------------------------
fresh reseal
"$program" unseal "$repo/out/prod-us-1/$workers" >"$scratch/clear.yaml"
sed -i 's/^  cloud-config: .*/  cloud-config: Zm9yZ2Vk/' "$scratch/clear.yaml"
seal_with() { # SEED: the clear file as osm-gen would seal it with another seed
	local fake=$scratch/fake-$RANDOM
	cp -r "$repo" "$fake"
	OSM_GEN_SEAL_SEED=$1 "$program" --repo "$fake" -q --rotate-seed
	cp "$fake/out/prod-us-1/$workers" "$repo/out/prod-us-1/$workers"
}
seal_with "$("$program" keygen seed)"
commit_all "$repo" "sealed with another seed"
found "with another seed" OSG5108 "out/prod-us-1/$workers"
finds_not "it opens" OSG5106
if command -v sops >/dev/null 2>&1; then
	{ head -n 1 "$repo/out/prod-us-1/$workers"; sops --encrypt --age "$recipient" --encrypted-regex '^(data|stringData)$' --input-type yaml --output-type yaml "$scratch/clear.yaml"; } >"$scratch/sealed.yaml"
	cp "$scratch/sealed.yaml" "$repo/out/prod-us-1/$workers"
	commit_all "$repo" "sealed with sops"
	found "with sops and the public recipient" OSG5108 "out/prod-us-1/$workers"
else
	skip "sops is not installed: osm-gen with another seed stands for it"
fi
fresh recipients
stranger=$("$program" keygen identity | sed -n 's/^# public key: //p')
sed -i "s/^          recipient: age1.*/          recipient: $stranger/" "$repo/out/prod-us-1/$workers"
commit_all "$repo" "another recipient"
found "another recipient" OSG5107 "out/prod-us-1/$workers" without_keys

# ---- in the clear --------------------------------------------------------------------------------------
fresh escaped
osc=$(cd "$repo" && echo out/prod-us-1/management/kube-system/operatingsystemconfig-workers-*.yaml)
python3 - "$repo/$osc" <<'PY'
import sys
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(text.replace("\nmetadata:\n", '\nmetadata:\n  labels: {"x": "ENC\\u005bAES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]"}\n', 1))
PY
commit_all "$repo" "escaped"
found "a sealed value with an escape in a clear file" OSG5106 "$osc" without_keys
fresh clear
sed -i 's/^    cloud-config: ENC.*/    cloud-config: "Y2xlYXI="/' "$repo/out/prod-us-1/$workers"
commit_all "$repo" "clear"
found "a clear value in a sealed file" OSG5106 "out/prod-us-1/$workers" without_keys
fresh replaced
printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: workers-kube-system-provisioning-config, namespace: cloud-init-settings}\nstringData: {cloud-config: x}\n' >"$repo/out/prod-us-1/$workers"
commit_all "$repo" "a clear Secret"
found "a clear Secret in a sealed one's place" OSG5106 "out/prod-us-1/$workers" without_keys

# ---- the folder ----------------------------------------------------------------------------------------
fresh stranger
echo "creation_rules: []" >"$repo/out/.sops.yaml"
commit_all "$repo" "sops"
found ".sops.yaml" OSG5102 out/.sops.yaml without_keys
found "by whom" OSG5100 out/.sops.yaml
exits "check warns" 0 "$program" check --repo "$repo"
says "of what no index lists" "out/.sops.yaml: warning[OSG5102]"
fresh link
ln -s ../index.json "$repo/out/prod-us-1/$secrets/extra.yaml"
git -C "$repo" update-index --add --cacheinfo "160000,$first,out/prod-us-1/module.yaml"
git -C "$repo" add out/prod-us-1/"$secrets"/extra.yaml
chmod +x "$repo/out/prod-us-1/$build"
git -C "$repo" add "out/prod-us-1/$build"
git -C "$repo" commit -q -m "a link, a submodule, a mode"
found "a link" OSG5104 "out/prod-us-1/$secrets/extra.yaml" without_keys
notes "a submodule" "out/prod-us-1/module.yaml: warning[OSG5104]: a submodule"
notes "an executable file" "out/prod-us-1/$build: warning[OSG5104]: an executable file"
found "an executable bit counts as a change" OSG5100 "out/prod-us-1/$build"
fresh folder
rm -r "$repo/out"
ln -s tests "$repo/out"
commit_all "$repo" "the folder is a link"
found "a link in the folder's place" OSG5104 out without_keys
fresh missing
rm "$repo/out/prod-us-1/$build"
commit_all "$repo" "removed"
found "a missing file" OSG5103 "out/prod-us-1/$build" without_keys
found "removed by whom" OSG5100 "out/prod-us-1/$build"
notes "removed" "removed by commit"
fresh damaged
echo "{" >"$repo/out/prod-us-1/index.json"
commit_all "$repo" "a damaged index"
found "a damaged index" OSG5104 out/prod-us-1/index.json without_keys
fresh large
head -c $((64 * 1024 * 1024 + 1)) /dev/zero | tr '\0' '#' >"$repo/out/prod-us-1/$build"
commit_all "$repo" "too large"
found "a file of more than 64 MiB" OSG5104 "out/prod-us-1/$build" without_keys
rm -rf "$repo"
for addition in "resources: [extra.yaml]" "patches: [{patch: x}]" "components: [../other]"; do
	fresh kustomization
	side=out/prod-us-1/management/kustomization.yaml
	if [ "${addition%%:*}" = resources ]; then
		echo "- ../../edge-eu-1/worker" >>"$repo/$side"
	else
		echo "$addition" >>"$repo/$side"
	fi
	commit_all "$repo" "kustomization"
	found "a kustomization with ${addition%%:*}" OSG5105 "$side" without_keys
	found "changed by whom: ${addition%%:*}" OSG5100 "$side"
	rm -rf "$repo"
done

repo=$scratch/many
mkdir -p "$repo/out/c"
python3 -c 'import json; print(json.dumps({"generator": "osm-gen", "cluster": "c", "files": [{"path": "worker/%d.yaml" % i} for i in range(50000)]}))' >"$repo/out/c/index.json"
git -C "$repo" init -q
commit_all "$repo" "many"
exits "an index of files that are not there" 1 without_keys "$program" verify --repo "$repo"
notes "counts what nobody reads" "and 40000 findings more"

# ---- messages ------------------------------------------------------------------------------------------
fresh forged
sed -i 's/^    name: .*/    name: forged/' "$repo/out/prod-us-1/$build"
git -C "$repo" commit -q -a -m "$(printf 'osm-gen: update\n\nOsm-Gen-Source: %s\nOsm-Gen-Version: 0.1.0\nOsm-Gen-Output: %032d\n' "$second" 0)"
found "a forged trailer" OSG5100 "out/prod-us-1/$build"
message_of "$second"
git -C "$repo" commit -q --amend -F "$scratch/message"
found "a copied trailer" OSG5100 "out/prod-us-1/$build"
fresh never-merged
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
message_of HEAD
git -C "$repo" checkout -q main
git -C "$repo" checkout -q topic -- out
git -C "$repo" commit -q -F "$scratch/message"
found "a run that was never merged, with its message" OSG5100 "$changed"
notes "does not count" "names a run, but does not hold that run's output and inputs"
git -C "$repo" branch -q -D topic
found "also where its commits are gone" OSG5100 "$changed"

# ---- no false alarms -----------------------------------------------------------------------------------
fresh crlf
message_of HEAD
git -C "$repo" commit -q --amend --cleanup=verbatim -m "$(sed 's/$/\r/' "$scratch/message")"
fine "a message with CRLF"
notes "counts" "vouched for by commit"
fresh others
echo "more" >"$repo/README.md"
commit_all "$repo" "no input"
fine "a change of no input"
finds_not "nor is it mentioned" "inputs have changed"
echo "# a comment" >>"$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$repo" "a comment"
generate
same "a run with nothing new makes no commit" "a comment" "$(git -C "$repo" log -1 --format=%s)"
fine "a comment in an input, after a run with nothing new"
notes "is mentioned" "inputs have changed since commit ${second:0:12}"
fresh revert
git -C "$repo" revert --no-edit HEAD~1 >/dev/null 2>&1
generate
fine "an input reverted, then a run"
notes "by the run" "vouched for by commit $(git -C "$repo" rev-parse --short=12 HEAD)"
fresh rebase
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
git -C "$repo" checkout -q main
echo "more" >"$repo/README.md"
commit_all "$repo" "meanwhile"
git -C "$repo" rebase -q main topic 2>/dev/null
git -C "$repo" checkout -q topic
fine "a rebased run"
notes "says that its source is gone" "is not in this history (rebased, cherry-picked or squashed since)"
git -C "$repo" checkout -q main
git -C "$repo" merge -q --no-ff -m "merge" topic
fine "merged"
git -C "$repo" checkout -q -b picked main~1
git -C "$repo" cherry-pick main~1..topic >/dev/null 2>&1 || git -C "$repo" cherry-pick --abort
fine "picked"
fresh squash
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
git -C "$repo" checkout -q main
git -C "$repo" merge -q --squash topic >/dev/null 2>&1
{ echo "topic (#1)"; echo; git -C "$repo" log --format=%B main..topic | sed 's/^/    /'; } >"$scratch/message"
git -C "$repo" commit -q -F "$scratch/message"
fine "squashed, with the message quoted"
fresh squash-more
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
echo "# later" >>"$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$repo" "later"
git -C "$repo" checkout -q main
git -C "$repo" merge -q --squash topic >/dev/null 2>&1
git -C "$repo" commit -q -F <(git -C "$repo" log --format=%B main..topic)
found "squashed with later inputs" OSG5100 "$changed"
notes "explains it" "squashed with other changes, or forged"
# The message has the title alone, as GitLab and one setting of GitHub write it.
fresh squash-title
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
git -C "$repo" checkout -q main
git -C "$repo" merge -q --squash topic >/dev/null 2>&1
git -C "$repo" commit -qm "Change the version (#2)"
title=$(git -C "$repo" rev-parse HEAD)
found "squashed, with its title alone" OSG5109 out
notes "names the commit" "came with commit ${title:0:12}, which changes inputs and names no run"
notes "names the file" "${changed#out/} was changed"
notes "how to mend it" "generate --vouch"
finds_not "squashed, with its title alone" OSG5100
exits "check finds nothing to change" 0 "$program" check --repo "$repo"
generate --vouch
same "vouches in one commit" 1 "$(git -C "$repo" rev-list --count "$title..HEAD")"
fine "squashed, then vouched for"
generate --vouch
same "vouches once" 1 "$(git -C "$repo" rev-list --count "$title..HEAD")"
echo "# by hand" >>"$repo/$changed"
commit_all "$repo" "output alone"
found "a change of the output alone" OSG5100 "$changed"
fresh branches
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
git -C "$repo" checkout -q main
sed -i "0,/kubelet: 1\.[0-9.]*/s//kubelet: 1.33.5/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "the other cluster"
generate
git -C "$repo" merge -q -m "merge" topic
fine "two runs of two branches, merged"
notes "says that check knows better" "2 branches with runs were merged"
same "both vouch" 2 "$(grep -c '^vouched for by commit' "$scratch/out")"
git -C "$repo" checkout -q "$second" -- out/edge-eu-1
git -C "$repo" commit -q -m "one side undone"
found "one side brought back" OSG5101 out/edge-eu-1/index.json
fresh separate
git -C "$repo" checkout -q --orphan output
git -C "$repo" rm -q -r --cached .
git -C "$repo" commit -q --allow-empty -m "an output of its own"
git -C "$repo" checkout -q -f main
generate --branch output
exits "an output branch, without its inputs" 1 "$program" verify --repo "$repo" --rev output
notes "nobody vouches" "out: warning[OSG5109]: no commit vouches for the output"
fine "an output branch, with them" --rev output --inputs-rev main

fresh unrelated
git -C "$repo" fetch -q "$other" main
git -C "$repo" merge -q --allow-unrelated-histories -s ours -m "another history" FETCH_HEAD
git -C "$repo" checkout -q FETCH_HEAD -- out
commit_all "$repo" "with another repository's output"
found "a fork's output, with its whole history" OSG5100 "out/edge-eu-1/$workers"
notes "whose inputs were left behind" "its inputs were not merged with it"
stranger_repo=$(fleet stranger-repo)
GIT_COMMITTER_DATE="2026-01-04T05:06:08+0200" git -C "$stranger_repo" commit -q --amend --no-edit
sed -i 's/kubelet: 1.35/kubelet: 1.34/' "$stranger_repo"/tests/fleet/*/machinedeployments.yaml
commit_all "$stranger_repo" "a fleet that has nothing in common but the seed"
"$program" --repo "$stranger_repo" -q
fresh unrelated-2
git -C "$repo" fetch -q "$stranger_repo" main
git -C "$repo" merge -q --allow-unrelated-histories -s ours -m "another history" FETCH_HEAD
git -C "$repo" checkout -q FETCH_HEAD -- out
commit_all "$repo" "with another repository's output"
found "another repository's output, with its whole history" OSG5101 "out/edge-eu-1/$workers"
fresh past-run
git -C "$repo" checkout -q -b topic
set_version 1.33.7
source=$(git -C "$repo" rev-parse HEAD)
generate
message_of HEAD
git -C "$repo" checkout -q main
git -C "$repo" merge -q --no-ff -m "the inputs alone" "$source"
set_version 1.33.8
generate
git -C "$repo" checkout -q topic -- out
git -C "$repo" commit -q -F "$scratch/message"
found "a run of a past source whose commit was not merged" OSG5100 "out/prod-us-1/$workers"
fresh merge-message
git -C "$repo" checkout -q -b topic
set_version 1.33.7
generate
git -C "$repo" checkout -q main
git -C "$repo" merge -q --no-ff -m "merge" -m "$(git -C "$repo" log -1 --format=%B topic)" topic
fine "a merge that quotes the run"

fresh elsewhere
git -C "$repo" rm -q -r out
printf '/tests/cli\n*.md\n' >"$repo/.osm-gen-ignore"
commit_all "$repo" "another folder, and an ignore file"
generate --out "$repo/deploy/osm//"
fine "an output folder of another name" --out ./deploy/osm/
fine "as an absolute path" --out "$repo/deploy/osm"

# ---- other ways to seal --------------------------------------------------------------------------------
repo=$(fleet sealed)
sed -i "s/^    clusterDNS:/    osc: sealed\n&/; s/^    - age1.*/&\n    - $stranger/" "$repo/osm-gen.yaml"
commit_all "$repo" "sealed OperatingSystemConfigs, two recipients"
generate
fine "sealed OperatingSystemConfigs, two recipients"
ok "are sealed again" grep -qE ' 20 of them sealed; 20 opened, 20 sealed again' "$scratch/out"
osc=$(cd "$repo" && echo out/prod-us-1/management/kube-system/operatingsystemconfig-workers-*.yaml)
sed -i 's/^    osVersion: .*/    osVersion: "1"/; s/permissions: 644/permissions: 777/' "$repo/$osc"
commit_all "$repo" "a clear member"
found "a clear member of a sealed object" OSG5106 "$osc" without_seed

# ---- what docs/howto/audit.md says ----------------------------------------------------------------------
repo=$scratch/base
sed -n '/<!-- audit commands -->/,/<!-- end -->/p' "$root/docs/howto/audit.md" | grep -vE '^(```|<!--)' >"$scratch/commands.sh"
ok "commands are there" grep -q "osm-gen verify" "$scratch/commands.sh"
printf '%s\n' "$OSM_GEN_SEAL_SEED" >"$scratch/seed.txt"
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/osm-gen"
sed -i "s#=seed.txt#=$scratch/seed.txt#; s#=identity.txt#=$root/tests/keys/TEST-ONLY-identity.txt#; s#> audit.json#> $scratch/audit.json#" "$scratch/commands.sh"
exits "the commands of docs/howto/audit.md" 0 env -u OSM_GEN_SEAL_SEED PATH="$scratch/bin:$PATH" bash -e -c "cd $repo && . $scratch/commands.sh"
same "each finds nothing" 3 "$(grep -c 'nothing is wrong' "$scratch/out")"

# ---- history that is not all here ----------------------------------------------------------------------
git clone -q --depth 1 "file://$base" "$scratch/shallow"
repo=$scratch/shallow
fine "a shallow clone"
notes "says what was not decided" "not checked: whether a whole older output was brought back with its commit message"
exits "which may count" 1 "$program" verify --repo "$repo" --require-history
notes "as a finding" "out: warning[OSG5086]"
echo "more" >"$repo/README.md"
commit_all "$repo" "no run"
git clone -q --depth 1 "file://$repo" "$scratch/shallower"
repo=$scratch/shallower
fine "a shallow clone without any run"
notes "says so" "not checked: who wrote the output: none of the 1 commits in this clone"
exits "which may count, too" 1 "$program" verify --repo "$repo" --require-history
repo=$base
fine "all of it" --require-history
repo=$(fleet unvouched)
generate --no-commit
commit_all "$repo" "by hand"
found "nobody vouches" OSG5109 out
fresh seeds
exits "another seed" 1 env OSM_GEN_SEAL_SEED="$("$program" keygen seed)" "$program" verify --repo "$repo"
notes "vouches for nothing" "OSG5109"
finish
