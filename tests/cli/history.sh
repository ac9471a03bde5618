#!/usr/bin/env bash
# --history N: a branch that has the output of another one's inputs keeps its newest commits only, and what later runs
# ask of the others.
# shellcheck source=tests/cli/_push.sh
. "$(dirname "$0")/_push.sh"

run() { "$program" --repo "$repo" --branch rendered "$@"; }
log() { git -C "$repo" log "$@"; }
count() { git -C "${2:-$repo}" rev-list --count "${1:-rendered}"; }
trees() { git -C "$1" log -n "$2" --format='%T %an %ae %ad %cn %ce %cd %s' rendered; }
first_of() { git -C "$1" rev-list --max-parents=0 rendered; }
kubelet() { # VERSION: of all MachineDeployments of edge-eu-1
	sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.$1/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
	commit_all "$repo" "kubelet 1.35.$1"
}
# A branch to begin with: a copy of the repository NAME under the name that `repo` gets.
copy() { # NAME FROM
	cp -r "$2" "$scratch/$1"
	repo=$scratch/$1
}
refused() { # NAME CODE TEXT: branch and reflog stay
	local before
	before=$(git -C "$repo" rev-parse -q --verify rendered)
	exits "$1" 3 run --history 1
	says "$1: names the code" "error[$2]"
	says "$1: says why" "$3"
	same "$1: the branch stays" "$before" "$(git -C "$repo" rev-parse -q --verify rendered)"
}

# ---- the options ------------------------------------------------------------------------------

repo=$inputs
for given in "--history 0 --branch rendered" "--history -1 --branch rendered" "--history many --branch rendered" \
	"--history 3" "--history 3 --branch rendered --shard 1/2 --out /tmp/none" "--history 3 --branch rendered --no-commit" "--history 3 --branch rendered --push"; do
	# shellcheck disable=SC2086
	exits "$given" 64 "$program" --repo "$repo" $given
done
says "--push without --rev: names the remedy" "--rev HEAD"
exits "check has no --history" 64 "$program" check --repo "$repo" --branch rendered --history 3
exits "an output that is no commit" 64 "$program" --repo "$repo" --branch rendered --history 3 --out "$scratch/elsewhere"

# ---- it keeps the newest ----------------------------------------------------------------------

copy long "$inputs"
long=$repo
copy short "$inputs"
short=$repo
for i in 11 12 13 14 15; do
	for repo in "$long" "$short"; do kubelet "$i"; done
	repo=$long
	exits "all of them, $i" 0 run
	repo=$short
	[ "$i" != 14 ] || rm -rf "$scratch/before" "$scratch/four"
	[ "$i" != 14 ] || cp -r "$repo" "$scratch/before"
	tip_before=$(git -C "$repo" rev-parse -q --verify rendered)
	exits "the newest of them, $i" 0 run --history 3
	[ "$i" != 13 ] || same "up to three are on top of the source" "$(git -C "$long" rev-parse rendered)" "$(head_of "$repo" rendered)"
done
says "says that it was replaced" "rendered was replaced and keeps 3 commits; it was at $tip_before"
same "three are kept" 3 "$(count)"
same "they begin with one without a parent" "$(git -C "$repo" rev-parse rendered~2)" "$(first_of "$repo")"
same "with the same trees, people, dates and subjects" "$(trees "$long" 3)" "$(trees "$repo" 3)"
same "the newest has the same message" "$(git -C "$long" log -1 --format=%B rendered)" "$(log -1 --format=%B rendered)"
ok "the first one states how many are gone" grep -qx "Osm-Gen-Left-Out: 2" <(log -1 --format=%B rendered~2)
same "and no other one does" 1 "$(log --format=%B rendered | grep -c '^Osm-Gen-Left-Out: ')"
ok "git finds them sound" git -C "$repo" fsck --strict --no-dangling
same "the reflog has the commit before" "$tip_before" "$(git -C "$repo" rev-parse 'rendered@{1}')"
ok "and so all that were" git -C "$repo" cat-file -e "$tip_before~2"
same "HEAD and the work tree are as they were" "" "$(git -C "$repo" status --porcelain)"
exits "check" 0 "$program" check --repo "$repo" --branch rendered
exits "verify" 0 "$program" verify --repo "$repo" --rev rendered --inputs-rev HEAD --require-history
tip_before=$(git -C "$repo" rev-parse rendered)
exits "nothing new" 0 run --history 3
exits "nothing new, and fewer" 0 run --history 1
same "no commit is made" "$tip_before" "$(git -C "$repo" rev-parse rendered)"

# The same inputs and the same branch give the same ids.
repo=$scratch/before
git -C "$repo" reset -q --hard
exits "once more" 0 run --history 3 -j1
copy four "$repo"
same "a fourth, made twice" "$(git -C "$short" rev-parse 'rendered@{1}')" "$(git -C "$repo" rev-parse rendered)"

# Without a commit below: one without a parent, which states the others.
copy one "$short"
kubelet 16
exits "only one" 0 run --history 1
same "is one" 1 "$(count)"
ok "it states five that are gone" grep -qx "Osm-Gen-Left-Out: 5" <(log -1 --format=%B rendered)
exits "the one vouches" 0 "$program" verify --repo "$repo" --rev rendered --inputs-rev HEAD
one=$repo
kubelet 17
exits "and without --history" 0 run
same "a commit goes on top" 2 "$(count)"
same "it has no such trailer" "" "$(log -1 --format=%B rendered | grep Left-Out)"

# A bare repository keeps no reflog: the summary has the only name of what was.
git clone -q --bare "$long" "$scratch/bare"
repo=$scratch/bare
git -C "$repo" update-ref refs/heads/rendered rendered~1
exits "a bare repository" 0 run --history 2 --report json="$scratch/report.json"
same "keeps two" 2 "$(count)"
same "the report names the commit before" "$(git -C "$long" rev-parse rendered~1)" \
	"$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["replaced"])' "$scratch/report.json")"

# People begin such a branch with nothing: an empty commit.
copy empty "$inputs"
git -C "$repo" update-ref refs/heads/rendered "$(git -C "$repo" commit-tree -m begin "$(git -C "$repo" mktree </dev/null)")"
exits "a branch that began empty" 0 run --history 1
kubelet 11
exits "the second commit" 0 run --history 1
same "goes without it" 1 "$(count)"
same "and has output only" out "$(git -C "$repo" ls-tree --name-only rendered)"

# ---- what the guards ask of earlier commits ----------------------------------------------------

# A cluster that was removed long ago comes back, for somebody else, who reads every other one.
copy guard "$inputs"
other=age1n7m5s8le3r2j6jtfg7jy50dvdpwp0jma4fke3xrgyr2f28ms8d8qspk97p
own="apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {name: prod-us-1}
spec: {sealing: {recipients: [$other]}}"
theirs=$repo/tests/fleet/prod-us-1/osm-gen.yaml
cp "$theirs" "$scratch/ours.yaml"
echo "$own" >"$theirs"
commit_all "$repo" "prod-us-1 for its own people"
exits "two clusters" 0 run --history 1 --rotate-recipients
git -C "$repo" rm -rq tests/fleet/prod-us-1
commit_all "$repo" "without prod-us-1"
exits "one is removed" 0 run --history 1 --allow-removal
for i in 21 22; do
	kubelet $i
	exits "later, $i" 0 run --history 1
done
same "nothing of it is in the history" "" "$(log --format=%H rendered -- out/prod-us-1)"
ok "but who read it" grep -q "^Osm-Gen-Left-Out-Recipients: prod-us-1 .* $other\$" <(log -1 --format=%B rendered)
removed=$repo
copy back "$removed"
git -C "$repo" checkout -q HEAD~3 -- tests/fleet/prod-us-1
cp "$scratch/ours.yaml" "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "prod-us-1 for us"
exits "it comes back, for others" 2 run --history 1
says "is refused" "error[OSG5071]: the recipients of cluster prod-us-1 have changed"
exits "check refuses it, too" 2 "$program" check --repo "$repo" --branch rendered
exits "if that is meant" 0 run --history 1 --rotate-recipients
same "the output has them again, and the history need not" "" "$(log --format=%B rendered | grep Left-Out-Recipients)"
copy same "$removed"
git -C "$repo" checkout -q HEAD~3 -- tests/fleet/prod-us-1
commit_all "$repo" "prod-us-1 as it was"
exits "it comes back as it was" 0 run --history 1
copy stranger "$removed"
git -C "$repo" checkout -q HEAD~3 -- tests/fleet/prod-us-1
sed -i 's/name: prod-us-1/name: prod-us-2/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$repo" "prod-us-2"
exits "another cluster for them" 2 run --history 1
says "who do not read all" "error[OSG5072]: cluster prod-us-2 is new in the output"
copy seed "$removed"
kubelet 23
exits "another seed" 3 env OSM_GEN_SEAL_SEED="$("$program" keygen seed)" "$program" --repo "$repo" --branch rendered --history 1
says "is refused" "OSG5003"

# The trailers are gone, and with them what was known: nothing is believed.
copy lost "$removed"
git -C "$repo" update-ref refs/heads/rendered \
	"$(git -C "$repo" log -1 --format=%B rendered | grep -v Left-Out | git -C "$repo" commit-tree 'rendered^{tree}')"
git -C "$repo" checkout -q HEAD~3 -- tests/fleet/prod-us-1
commit_all "$repo" "prod-us-1 as it was"
refused "a first commit that states nothing" OSG6057 "does not name the commit before it"
exits "nor is a cluster taken for new" 3 run
says "a cluster that cannot be known" "error[OSG6057]: cluster prod-us-1 has no output"
exits "unless CI states that it is meant" 0 run --rotate-recipients

# An old output that is brought back with its message does not vouch.
copy replay "$short"
old=$(git -C "$short" rev-parse 'rendered@{1}')
for i in 31 32 33; do
	kubelet $i
	exits "later, $i" 0 run --history 2
done
git -C "$repo" update-ref refs/heads/rendered \
	"$(git -C "$repo" log -1 --format=%B "$old" | git -C "$repo" commit-tree -p rendered "$old^{tree}")"
exits "verify finds an old output" 1 "$program" verify --repo "$repo" --rev rendered --inputs-rev HEAD
ok "and that its message is a copy" grep -q "a later commit repeats the message of a run" "$scratch/out" "$scratch/err"

# Revisions that go back with the output: a cluster that saw the commits in between has higher ones.
copy revisions "$inputs"
sed -i 's/  settings: *$/&\n    revisionAnnotation: pin/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
revision() { # NUMBER: as the MachineDeployment's own annotation
	python3 - "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml" "$1" <<-'PY'
		import re, sys
		path, number = sys.argv[1:]
		text = re.sub(r"\n    machinedeployment\S+: .*", "", open(path).read())
		line = f'\n    machinedeployment.clusters.k8s.io/revision: "{number}"'
		open(path, "w").write(text.replace("\n  annotations:", "\n  annotations:" + line, 1))
	PY
	commit_all "$repo" "revision $1"
	exits "revision $1" 0 run --history "$2"
}
revision 7 2
revision 8 2
revision 7 2
exits "the next run" 0 run --history 2
says "warns" "warning[OSG6034]: the output was reverted"
says "with the revision that was" "had 8, and clusters that already applied it keep counting from there"
exits "and check" 0 "$program" check --repo "$repo" --branch rendered
says "warns, too" "OSG6034"
sed -i 's/kubelet: 1\.34\.[0-9]*/kubelet: 1.34.1/' "$repo"/tests/fleet/prod-us-1/machinedeployments.yaml
for i in 1 2; do
	sed -i "s/replicas: [0-9]*/replicas: $((i + 20))/; s/serverType: .*}/serverType: x$i}/" "$repo"/tests/fleet/prod-us-1/machinedeployments.yaml
	commit_all "$repo" "another cluster, $i"
	exits "another cluster, $i" 0 run --history 1
	says "it is still known, $i" "had 8, and clusters that already applied it keep counting from there"
done
revision 9 1
exits "a higher one" 0 run --history 1
same "ends it" "" "$(grep OSG6034 "$scratch/err")"

# ---- branches that it leaves alone --------------------------------------------------------------

copy head "$long"
exits "the branch of HEAD" 3 "$program" --repo "$repo" --branch main --history 1
says "is the inputs'" "error[OSG6056]"
git -C "$repo" checkout -q --detach
git -C "$repo" update-ref refs/remotes/origin/main HEAD
git -C "$repo" symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
exits "the branch of a remote's HEAD" 3 "$program" --repo "$repo" --branch main --history 1
says "is the inputs', too" "error[OSG6056]"
copy shared "$inputs"
exits "output beside the inputs" 0 "$program" --repo "$repo"
git -C "$repo" checkout -q -b other
refused "a branch that begins with output" OSG6056 "it has output and inputs"
copy merge "$long"
kubelet 18
git -C "$repo" update-ref refs/heads/rendered \
	"$(git -C "$repo" log -1 --format=%B rendered | git -C "$repo" commit-tree -p rendered -p main 'rendered^{tree}')"
refused "a merge" OSG6056 "is a merge"
copy foreign "$long"
kubelet 18
git -C "$repo" update-ref refs/heads/rendered "$(git -C "$repo" commit-tree -m "by hand" -p rendered 'rendered^{tree}')"
refused "somebody's commit" OSG6056 "is not osm-gen's"
says "has a remedy" "git rebase --onto"
copy files "$long"
kubelet 18
tree=$(git -C "$repo" ls-tree rendered | grep -v osm-gen.yaml | git -C "$repo" mktree)
git -C "$repo" update-ref refs/heads/rendered \
	"$(git -C "$repo" log -1 --format=%B rendered | git -C "$repo" commit-tree -p rendered "$tree")"
refused "a commit with a run's message that changes other files" OSG6056 "changes other files than the output"
git clone -q --no-local --depth 2 --no-single-branch "file://$long" "$scratch/shallow" 2>"$scratch/.log"
repo=$scratch/shallow
git -C "$repo" branch -q rendered origin/rendered
kubelet 18
refused "a shallow clone" OSG6057 "the clone is shallow"
git clone -q "$long" "$scratch/unfetched" 2>"$scratch/.log"
repo=$scratch/unfetched
kubelet 18
refused "a branch that was not fetched" OSG6057 "branch rendered is not in this clone, but origin/rendered is"
copy signed "$one"
kubelet 18
ssh-keygen -q -t ed25519 -N "" -C test -f "$scratch/key"
git -C "$repo" config commit.gpgsign true
git -C "$repo" config gpg.format ssh
git -C "$repo" config user.signingkey "$scratch/key"
exits "signatures that would be lost" 3 run --history 2
says "are named" "error[OSG6056]"
exits "one signed commit" 0 run --history 1
ok "is signed" grep -q "BEGIN SSH SIGNATURE" <(git -C "$repo" cat-file commit rendered)
same "and alone" 1 "$(count)"

# ---- pushing ------------------------------------------------------------------------------------

git -C "$long" push -q "$url" main:main rendered:rendered
pushes() { exits "$1" "${2:-0}" "$program" --repo "$repo" --push --rev HEAD --branch rendered --history 2; }
repo=$(clone ci1)
kubelet 41
git -C "$repo" push -q origin main
pushes "a push that replaces"
same "the remote has two commits" 2 "$(count rendered "$hosted")"
same "those of the clone" "$(head_of "$repo" rendered)" "$(tip_of rendered)"
says "says it" "rendered was replaced and keeps 2 commits"
pushes "the same again"
says "has nothing to push" "nothing to push"
git -C "$long" fetch -q "$url" +rendered:refs/remotes/origin/rendered
same "a clone follows with +" "$(tip_of rendered)" "$(git -C "$long" rev-parse refs/remotes/origin/rendered)"
# A clone that has the branch as it was.
repo=$(clone ci2)
git -C "$repo" branch -q rendered "$(git -C "$long" rev-parse rendered)" 2>"$scratch/.log" || git -C "$repo" fetch -q "$long" rendered:rendered
kubelet 42
git -C "$repo" push -q origin main
pushes "a clone that has the old branch"
same "follows and replaces" "$(head_of "$repo" rendered)" "$(tip_of rendered)"
same "two commits" 2 "$(count rendered "$hosted")"

# Another run replaces the branch between the last look and the push: the lease is lost, nobody's commit is.
first=$(clone ci3)
repo=$first
kubelet 43
git -C "$repo" push -q origin main
second=$(clone ci4)
echo "$OSM_GEN_SEAL_SEED" >"$scratch/seed.txt" # git, and so the wrapper, does not get the variable
cat >"$scratch/wrapper/git" <<WRAPPER
#!/bin/sh
for word; do
	if [ "\$word" = push ] && mkdir "$scratch/raced" 2>/dev/null; then
		(unset GIT_DIR; PATH=\${PATH#*:}; cd "$second" && sed -i 's/1\.35\.43/1.35.44/' tests/fleet/edge-eu-1/machinedeployments.yaml &&
			"$real" commit -qam "kubelet 1.35.44" && "$program" --seal-seed-file "$scratch/seed.txt" --push --rev HEAD --branch rendered --history 2) >"$scratch/raced/log" 2>&1
	fi
done
exec "$real" "\$@"
WRAPPER
chmod +x "$scratch/wrapper/git"
exits "a race" 0 env PATH="$scratch/wrapper:$PATH" "$program" --repo "$first" --push --rev HEAD --branch rendered --history 2
says "is lost, and rendered afresh" "rendered afresh 1 time"
same "on top of the one who won" "$(head_of "$second")" "$(git -C "$hosted" log -1 --format=%B rendered~1 | sed -n 's/^Osm-Gen-Source: //p')"
same "the remote has what is here" "$(head_of "$first" rendered)" "$(tip_of rendered)"
same "two commits, again" 2 "$(count rendered "$hosted")"
# A person's commit on the remote stops it.
repo=$first
git -C "$hosted" update-ref refs/heads/rendered "$(git -C "$hosted" commit-tree -m "by hand" -p rendered 'rendered^{tree}')"
by_hand=$(tip_of rendered)
kubelet 45
pushes "somebody's commit on the remote" 3
says "is not replaced" "error[OSG6056]"
same "and stays" "$by_hand" "$(tip_of rendered)"
git -C "$hosted" update-ref refs/heads/rendered "$by_hand^"
git -C "$repo" update-ref refs/heads/rendered "$by_hand^"
git -C "$hosted" config receive.denyNonFastForwards true
pushes "a remote that refuses" 3
says "is named" "error[OSG6045]"
says "with the right that is missing" "by force, too, as --history replaces it"

for code in OSG6056 OSG6057; do
	exits "explain $code" 0 "$program" explain "$code"
	ok "names the option" grep -q -e "--history\|left out" "$scratch/out"
done
finish
