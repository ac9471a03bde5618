#!/usr/bin/env bash
# generate --shard and merge: the commit that a single run makes, from any number of shards; and whatever is no shard of that
# commit is refused, with nothing changed.
# Slow: one fleet in many numbers of shards
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# parts NAME REPO N ARGUMENTS...: each shard of N, in a folder of its own; prints their folder
parts() {
	local into=$scratch/parts-$1 repo=$2 count=$3 index job jobs=() status=0
	shift 3
	rm -rf "$into" "$into.err"
	for index in $(seq "$count"); do
		"$program" -q --repo "$repo" --shard "$index/$count" --out "$into/$index" "$@" 2>>"$into.err" &
		jobs+=($!)
	done
	for job in "${jobs[@]}"; do wait "$job" || status=1; done
	echo "$into"
	return "$status"
}

# equal NAME REPO N ARGUMENTS...: N shards and merge do in one clone what a single run does in another: status, branch, work tree,
# what is printed, and the report.
equal() {
	local name=$1 repo=$2 count=$3 clone folder
	shift 3
	for clone in one merged; do
		rm -rf "${scratch:?}/$clone"
		cp -r "$repo" "$scratch/$clone"
	done
	(cd "$scratch/one" && "$program" --report json="$scratch/one.json" "$@") >/dev/null 2>"$scratch/one.err"
	same "$name: a single run" 0 $?
	folder=$(cd "$scratch/merged" && parts equal . "$count" "$@") || {
		same "$name: shards" 0 1
		cat "$scratch/parts-equal.err"
		return
	}
	(cd "$scratch/merged" && "$program" merge "$folder"/* --report json="$scratch/merged.json" "$@") >/dev/null 2>"$scratch/merged.err"
	same "$name: merge" 0 $?
	same "$name: the commit" "$(git -C "$scratch/one" rev-parse HEAD)" "$(git -C "$scratch/merged" rev-parse HEAD)"
	same "$name: what is printed" "$(cat "$scratch/one.err")" "$(cat "$scratch/merged.err")"
	same "$name: the report" "$(cat "$scratch/one.json")" "$(cat "$scratch/merged.json")"
	same "$name: the work tree" "$(git -C "$scratch/one" status --porcelain)" "$(git -C "$scratch/merged" status --porcelain)"
}

# golden NAME: a repository of tests/golden; prints its path
golden() {
	local folder=$scratch/golden-$1
	cp -r "$root/tests/golden/base" "$folder"
	git -C "$folder" -c init.defaultBranch=main init -q
	if [ -d "$root/tests/golden/$1/before" ]; then
		cp -r "$root/tests/golden/$1/before/." "$folder"
		commit_all "$folder" before
		"$program" -q --repo "$folder" || return
	fi
	[ ! -d "$root/tests/golden/$1/repo" ] || cp -r "$root/tests/golden/$1/repo/." "$folder"
	if [ -f "$root/tests/golden/$1/remove" ]; then
		(cd "$folder" && xargs rm -rf <"$root/tests/golden/$1/remove")
	fi
	git -C "$folder" add -A
	git -C "$folder" commit -q --allow-empty -m inputs
	echo "$folder"
}

# ---- the same commit ----------------------------------------------------------------------------

repo=$(fleet repo)
for count in 1 2 3 7; do
	equal "the sample fleet, $count" "$repo" "$count"
done
ok "the message has a proof" grep -q '^Osm-Gen-Inputs:' <(git -C "$scratch/one" log -1 --format=%B)
# On that commit: a template that rolls, a unit that is gone, one that only moves; the review has groups.
"$program" -q --repo "$repo"
sed -i '0,/kubelet: .*/s//kubelet: 1.33.9/' "$repo"/tests/fleet/*/machinedeployments.yaml
python3 - "$repo/tests/fleet/prod-us-1/machinedeployments.yaml" <<'PY'
import pathlib, sys
path = pathlib.Path(sys.argv[1])
path.write_text("---\n".join(path.read_text().split("---\n")[:-1]))
PY
commit_all "$repo" "a change"
changed=$repo
for count in 2 5; do
	equal "changed units, $count" "$changed" "$count" --allow-removal
done
ok "the report has groups" grep -q '"groups": \[$' "$scratch/merged.json"
equal "options" "$changed" 3 --allow-removal --cluster-dns 10.1.1.1 --skip-ci

"$root/tests/bench/fleet.sh" "$scratch/large" 40 1
git -C "$scratch/large" -c init.defaultBranch=main init -q
commit_all "$scratch/large" inputs
equal "one large cluster" "$scratch/large" 7
divided=$(for part in "$scratch/parts-equal"/*/*.shard; do [ "$(stat -c %s "$part")" -lt 400 ] || echo "$part"; done | wc -l)
same "a large cluster is divided" 7 "$divided"
"$root/tests/bench/fleet.sh" "$scratch/many" 24 12
git -C "$scratch/many" -c init.defaultBranch=main init -q
commit_all "$scratch/many" inputs
equal "many clusters" "$scratch/many" 3
# Parts have as many units as one another, wherever a cluster ends.
cp -r "$scratch/many" "$scratch/uneven"
rm -rf "$scratch/uneven/out"
sed -i 's/^  defaults: {/&managementCluster: self, /' "$scratch/uneven/osm-gen.yaml"
for cluster in c000 c011; do cp "$scratch/large/clusters/c000/machinedeployments.yaml" "$scratch/uneven/clusters/$cluster/"; done
commit_all "$scratch/uneven" "clusters of other sizes"
equal "clusters of other sizes" "$scratch/uneven" 7
counted=$(for part in 1 2 3 4 5 6 7; do
	"$program" generate --shard "$part/7" --out "$scratch/parts-counted" --repo "$scratch/uneven" 2>&1
done | sed -n 's/.* clusters, \([0-9]*\) MachineDeployments.*/\1/p' | sort | uniq -c | xargs)
same "parts have as many units as one another" "5 14 2 15" "$counted"

mkdir -p "$scratch/gardener/clusters/shoot"
sed -n '/^apiVersion/,$p' "$scratch/large/osm-gen.yaml" | sed '/^  defaults:/s/.*/  defaults: {gardenerNodeAgentSecrets: true}/' >"$scratch/gardener/osm-gen.yaml"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: shoot}\n' >"$scratch/gardener/clusters/shoot/osm-gen.yaml"
for pool in a b c d e; do
	cat <<-YAML
		---
		apiVersion: extensions.gardener.cloud/v1alpha1
		kind: OperatingSystemConfig
		metadata: {name: pool-$pool, namespace: shoot}
		spec:
		  type: ubuntu
		  purpose: $([ "$pool" = a ] && echo provision || echo reconcile)
		  units:
		  - {name: agent.service, command: start, content: "[Service]\nExecStart=/opt/$pool\n"}
		  files:
		  - {path: /etc/ca.crt, permissions: 0644, content: {secretRef: {name: ca, dataKey: ca.crt}}}
	YAML
done >"$scratch/gardener/clusters/shoot/configs.yaml"
cat >>"$scratch/gardener/clusters/shoot/configs.yaml" <<'YAML'
---
apiVersion: v1
kind: Secret
metadata: {name: ca, namespace: shoot}
stringData: {ca.crt: certificate-of-nobody-71}
YAML
git -C "$scratch/gardener" -c init.defaultBranch=main init -q
commit_all "$scratch/gardener" inputs
equal "Gardener" "$scratch/gardener" 3

for name in delivery-flux-kkp userdata-near-limit certificate-changed osc-patch removal-allowed revision-stale; do
	folder=$(golden "$name") || continue
	eval "args=($(cat "$root/tests/golden/$name/args" 2>/dev/null))"
	[ "${args[0]:-}" != generate ] || unset 'args[0]'
	equal "$name" "$folder" 3 "${args[@]}"
done

# ---- other places than the branch that is checked out -------------------------------------------

git clone -q --bare "$repo" "$scratch/bare.git"
git clone -q --bare "$repo" "$scratch/bare-one.git"
"$program" -q --repo "$scratch/bare-one.git" --allow-removal --branch rendered --out deploy/all
folder=$(parts bare "$scratch/bare.git" 2 --allow-removal --branch rendered --merged-out deploy/all)
exits "another output folder" 3 "$program" merge "$folder"/* --repo "$scratch/bare.git" --allow-removal --branch rendered
says "another output folder" 'for the output folder deploy/all, and this run is for the output folder out'
says "another output folder" "--merged-out"
exits "a bare repository" 0 "$program" merge "$folder"/* --repo "$scratch/bare.git" --allow-removal --branch rendered --out deploy/all
same "a bare repository: the commit" "$(git -C "$scratch/bare-one.git" rev-parse rendered)" "$(git -C "$scratch/bare.git" rev-parse rendered)"
folder=$(parts folder "$repo" 2 --allow-removal)
cp -r "$repo" "$scratch/single"
"$program" -q --repo "$scratch/single" --allow-removal
exits "nothing new" 0 "$program" merge "$folder"/* --repo "$scratch/single" --allow-removal
says "nothing new" "up to date"
exits "an output outside" 64 "$program" merge "$folder"/* --repo "$repo" --allow-removal --out "$scratch/outside"
says "an output outside" "error[OSG6101]"

# ---- what is in a shard -------------------------------------------------------------------------

exits "the MAC and the head, by the specification" 0 python3 "$here/_shard.py" "$folder/2/shard-2-of-2.shard"
same "numbers, version, commit" "2 2 $("$program" version | awk '{print $2}') $(git -C "$repo" rev-parse HEAD)" \
	"$(awk '{print $1, $2, $4, $6}' "$scratch/out")"
ok "git reads the pack" git -C "$scratch/single" index-pack "$folder/2/shard-2-of-2.pack" -o "$scratch/shard.idx"
git -C "$scratch/single" show-index <"$scratch/shard.idx" | awk '{print $2}' | sort >"$scratch/in-pack"
git -C "$scratch/single" ls-tree -r HEAD out | awk '{print $3}' | sort >"$scratch/in-commit"
same "the pack has files of the commit only" "" "$(comm -23 "$scratch/in-pack" "$scratch/in-commit")"
for pack in "$folder"/*/*.pack; do
	git -C "$scratch/single" unpack-objects -n -q <"$pack" || same "whole objects" 0 1
done
mkdir "$scratch/clear"
for pack in "$folder"/*/*.pack; do git -C "$scratch/single" index-pack "$pack" -o "$scratch/shard.idx" >/dev/null
	git -C "$scratch/single" show-index <"$scratch/shard.idx" | awk '{print $2}' |
		git -C "$scratch/single" cat-file --batch >"$scratch/clear/$(basename "$pack")"; done
cp "$folder"/*/*.shard "$scratch/clear/"
{ echo "$OSM_GEN_SEAL_SEED"; sed -n 's/^ *token: //p' "$repo/tests/fleet/edge-eu-1/getter-token.yaml"; } >"$scratch/secrets"
same "no secret in the clear" "" "$(python3 "$here/_find_secrets.py" "$scratch/clear" <"$scratch/secrets" 2>&1 | head -n 3)"

# ---- what is refused ----------------------------------------------------------------------------

# refuses NAME TEXT COMMAND...: merge fails with status 3, and changes nothing
refuses() {
	local name=$1 text=$2 before
	shift 2
	before=$(git -C "$repo" rev-parse HEAD; find "$repo/out" -type f -exec sha256sum {} + | sort)
	exits "$name" 3 "$@"
	says "$name" "$text"
	same "$name: nothing changes" "$before" "$(git -C "$repo" rev-parse HEAD; find "$repo/out" -type f -exec sha256sum {} + | sort)"
}
merge() { "$program" merge --repo "$repo" --allow-removal "$@"; }
# with NAME: a copy of the good shards, to be spoilt
with() {
	rm -rf "$scratch/bad"
	cp -r "$folder" "$scratch/bad"
}
# flip FILE AT: turns the bits of one byte
flip() {
	python3 -c 'import sys; f = open(sys.argv[1], "r+b"); at = int(sys.argv[2]); f.seek(at); b = f.read(1)[0]; f.seek(at)
f.write(bytes([b ^ 255]))' "$1" "$2"
}
bad=$scratch/bad/2/shard-2-of-2

refuses "one is missing" "error[OSG6071]: of 2 shards 1 is missing: 2" merge "$folder/1"
mkdir "$scratch/empty"
refuses "none at all" "error[OSG6071]: the given folders have no file of a shard" merge "$scratch/empty"
refuses "no such folder" "$scratch/absent" merge "$scratch/absent"
refuses "one twice" "error[OSG6072]: this is shard 1 of 2, and so is" merge "$folder"/* "$folder/1"
three=$(parts three "$repo" 3 --allow-removal)
refuses "of two divisions" "error[OSG6072]: this is shard 3 of 3, and $folder/1/shard-1-of-2.shard is one of 2" merge "$folder"/* "$three/3"
seed=$("$program" keygen seed)
other=$(OSM_GEN_SEAL_SEED=$seed parts seed "$repo" 2 --allow-removal --rotate-seed)
refuses "of another seed" "$other/2/shard-2-of-2.shard: error[OSG6073]" merge "$folder/1" "$other/2"
other=$(parts options "$repo" 2 --allow-removal --cluster-dns 10.9.9.9)
refuses "of other options" "$other/2/shard-2-of-2.shard: error[OSG6074]: this shard was rendered with --cluster-dns, and $folder/1/shard-1-of-2.shard without it" merge "$folder/1" "$other/2"
refuses "of options that merge lacks" "error[OSG6074]: this shard was rendered with --cluster-dns, and this run without it" merge "$other"/*
refuses "with options that only merge has" "error[OSG6074]: this shard was rendered without --cluster-dns, and this run with it" env OSM_GEN_CLUSTER_DNS=10.9.9.9 "$program" merge --repo "$repo" --allow-removal "$folder"/*
third=$(parts options-2 "$repo" 2 --allow-removal --cluster-dns 10.8.8.8)
refuses "with another value" "$third/2/shard-2-of-2.shard: error[OSG6074]: this shard was rendered with another --cluster-dns than $other/1/shard-1-of-2.shard" merge --cluster-dns 10.9.9.9 "$other/1" "$third/2"
for option in --allow-roll --rotate-recipients --rotate-seed "--branch main" "--secrets $scratch/empty-secrets" "--allow-env edge-eu-1:OS_PASSWORD"; do
	mkdir -p "$scratch/empty-secrets"
	set -f
	# shellcheck disable=SC2086 # words
	third=$(OS_PASSWORD=x parts some "$repo" 2 --allow-removal $option)
	set +f
	refuses "of shards with $option" "error[OSG6074]: this shard was rendered with ${option%% *}, and $folder/1/shard-1-of-2.shard without it" merge "$folder/1" "$third/2"
	refuses "of shards without $option" "error[OSG6074]: this shard was rendered without ${option%% *}, and $third/1/shard-1-of-2.shard with it" merge "$third/1" "$folder/2"
	refuses "of merge without $option" "error[OSG6074]: this shard was rendered with ${option%% *}, and this run without it" merge "$third"/*
done
third=$(parts removal "$repo" 2)
refuses "without --allow-removal" "error[OSG6074]: this shard was rendered without --allow-removal, and this run with it" merge "$third"/*
for field in version build source tip; do
	with
	python3 "$here/_shard.py" "$bad.shard" "$field" 0123456789012345678901234567890123456789
	refuses "another $field, signed" "shard-2-of-2.shard: error[OSG6074]" merge "$scratch"/bad/*
done
for change in "index 0" "index 3" "index 1" "count 0" "count 1001" "units 9" "content 40" "content 900"; do
	with
	# shellcheck disable=SC2086 # two words
	python3 "$here/_shard.py" "$bad.shard" $change
	refuses "$change, signed" "shard-2-of-2.shard: error[OSG607" merge "$scratch"/bad/*
done
size=$(stat -c %s "$bad.shard")
for at in 0 15 20 40 70 $((size / 2)) $((size - 1)); do
	with
	flip "$bad.shard" "$at"
	refuses "byte $at of the file" "shard-2-of-2.shard: error[OSG607" merge "$scratch"/bad/*
done
for cut in 0 10 40 70 $((size - 1)); do
	with
	truncate -s "$cut" "$bad.shard"
	refuses "cut to $cut" "shard-2-of-2.shard: error[OSG6075]" merge "$scratch"/bad/*
done
with
printf 'x' >>"$bad.shard"
refuses "a byte more" "error[OSG6075]" merge "$scratch"/bad/*
size=$(stat -c %s "$bad.pack")
for at in 12 $((size / 2)) $((size - 30)); do
	with
	chmod u+w "$bad.pack"
	flip "$bad.pack" "$at"
	refuses "byte $at of the pack" "shard-2-of-2.pack: error[OSG6075]" merge "$scratch"/bad/*
done
with
cp -f "$(find "$scratch/parts-equal" -name '*.pack' | head -n 1)" "$bad.pack"
refuses "the pack of another run" "shard-2-of-2.pack: error[OSG6075]" merge "$scratch"/bad/*
with
rm -f "$bad.pack"
refuses "no pack" "$bad.pack" merge "$scratch"/bad/*
mkfifo "$bad.pack"
refuses "a pipe for a pack" "$bad.pack" merge "$scratch"/bad/*
rm "$bad.pack" && ln -s "$folder/2/shard-2-of-2.pack" "$bad.pack"
refuses "a link for a pack" "$bad.pack" merge "$scratch"/bad/*
with
truncate -s 300M "$bad.shard"
refuses "a huge file" "shard-2-of-2.shard" merge "$scratch"/bad/*
with
for at in $(seq 1001); do : >"$scratch/bad/2/$at.shard"; done
refuses "too many files" "more than 1000 files of shards" merge "$scratch"/bad/*
same "a mistake is reported once a code" 1 "$(grep -c 'more than 1000' "$scratch/err")"

exits "in the repository" 64 "$program" --repo "$repo" --shard 1/2 --out "$repo/parts"
says "in the repository" "error[OSG6101]"
exits "in git's folder" 64 "$program" --repo "$repo" --shard 1/2 --out "$repo/.git/parts"
ok "and it makes no folder" test ! -e "$repo/parts" -a ! -e "$repo/.git/parts"
for wrong in 0/2 3/2 1 1/0 x/2 1/1001 -1/2; do
	exits "--shard $wrong" 64 "$program" --repo "$repo" --shard "$wrong" --out "$scratch/wrong"
done
exits "without --out" 64 "$program" --repo "$repo" --shard 1/2
exits "with --push" 64 "$program" --repo "$repo" --shard 1/2 --out "$scratch/wrong" --push
exits "--merged-out alone" 64 "$program" --repo "$repo" --merged-out out
exits "merge without a folder" 64 "$program" merge --repo "$repo"
exits "merge without the seed" 3 env -u OSM_GEN_SEAL_SEED "$program" merge --repo "$repo" "$folder"/*
says "merge without the seed" OSG5001
guarded=$(golden removal-guard)
exits "the guard of removal, shard 1" 2 "$program" --repo "$guarded" --shard 1/2 --out "$scratch/guard"
says "the guard of removal, shard 1" "error[OSG2030]"
exits "the guard of removal, shard 2" 2 "$program" --repo "$guarded" --shard 2/2 --out "$scratch/guard"
says "the guard of removal, shard 2" "error[OSG6070]: the inputs are wrong: shard 1 reports 1 error"
allowed=$(parts guard "$guarded" 2 --allow-removal)
exits "the guard of removal, merge" 2 "$program" merge --repo "$guarded" "$allowed"/*
says "the guard of removal, merge" "error[OSG2030]"
exits "removal is allowed" 0 "$program" merge --repo "$guarded" "$allowed"/* --allow-removal
exits "merge, then the branch moves" 0 merge "$folder"/*
echo "# later" >>"$repo/osm-gen.yaml"
commit_all "$repo" later
refuses "another commit" "error[OSG6074]: this shard was rendered from commit" merge "$folder"/*

# ---- mistakes of the inputs ---------------------------------------------------------------------

wrong=$(fleet wrong)
printf 'kind: MachineDeployment\nkind: twice\n' >"$wrong/wrong.yaml"
commit_all "$wrong" wrong
exits "wrong inputs, shard 1" 2 "$program" --repo "$wrong" --shard 1/3 --out "$scratch/wrong-1"
says "wrong inputs, shard 1" "wrong.yaml:2:1: error[OSG1003]"
for index in 2 3; do
	exits "wrong inputs, shard $index" 2 "$program" --repo "$wrong" --shard "$index/3" --out "$scratch/wrong-$index"
	says "wrong inputs, shard $index" "error[OSG6070]: the inputs are wrong: shard 1 reports 1 error"
	same "wrong inputs, shard $index: one error" 1 "$(grep -c 'error\[' "$scratch/err")"
done
ok "nothing is written" test -z "$(find "$scratch"/wrong-? -type f)"
exits "wrong inputs, merge" 2 "$program" merge --repo "$wrong" "$scratch"/wrong-*
says "wrong inputs, merge" "error[OSG1003]"
# A mistake of one unit is reported by its shard alone.
wrong=$(fleet unit)
sed -i '0,/kubelet: .*/s//kubelet: not-a-version/' "$wrong/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$wrong" wrong
reported=0
for index in 1 2 3; do
	"$program" --repo "$wrong" --shard "$index/3" --out "$scratch/unit-$index" 2>"$scratch/err"
	status=$?
	found=$(grep -c 'error\[' "$scratch/err")
	reported=$((reported + found))
	same "a unit's mistake, shard $index: the status" "$((found > 0 ? 2 : 0))" "$status"
done
same "a unit's mistake is reported once" 1 "$reported"
finish
