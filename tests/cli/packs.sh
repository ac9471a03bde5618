#!/usr/bin/env bash
# The packs that osm-gen writes, read by git: whole objects, and differences from objects of the same pack.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$scratch/fleet
"$root/tests/bench/fleet.sh" "$repo" 60 3
git -C "$repo" -c init.defaultBranch=main init -q
commit_all "$repo" fleet
cd "$repo" || exit 1

# deltas PACK: how many objects are differences, and how long the longest chain of them is
deltas() {
	git verify-pack -v "$1" >"$scratch/verified" || return 1
	awk 'length($1) == 40 && NF == 7 { count++; if ($6 > longest) longest = $6 } END { print count + 0, longest + 0 }' "$scratch/verified"
}

# sound NAME: git finds nothing wrong with the repository, and reads each file of the output
sound() {
	ok "$1: git fsck" git fsck --strict --full --no-dangling
	ok "$1: nothing to say" test ! -s "$scratch/.log"
	ok "$1: each file reads" bash -c "git ls-tree -r HEAD out | awk '{ print \$3 }' | git cat-file --batch >'$scratch/all' && ! grep -a ' missing\$' '$scratch/all'"
}

packs() { find .git/objects/pack -name '*.pack' | sort; }

for threads in 1 4; do
	packs >"$scratch/before"
	sed -i "s/^  version: v[0-9.]*/  version: v9.9.$threads/" profiles/ubuntu.yaml
	commit_all . "version $threads"
	exits "$threads threads: a run" 0 "$program" -q -j "$threads"
	pack=$(packs | comm -13 "$scratch/before" -)
	read -r count longest < <(deltas "$pack")
	# The OperatingSystemConfig of each MachineDeployment but the first of a kind and thread.
	ok "$threads threads: of 60 OperatingSystemConfigs most are differences ($count)" test "$count" -ge 50
	ok "$threads threads: in short chains" test "$longest" -ge 1 -a "$longest" -le 4
	ok "$threads threads: the pack stands alone" bash -c "cp '$pack' '$scratch/alone.pack' && git index-pack --strict -o '$scratch/alone.idx' '$scratch/alone.pack'"
	ok "$threads threads: with the index that git would write" cmp "$scratch/alone.idx" "${pack%.pack}.idx"
	rm -f "$scratch"/alone.*
	sound "$threads threads"
done

# A fleet-wide change adds less than the OperatingSystemConfigs would take, even compressed.
whole=$(git ls-tree -r HEAD out | awk '/operatingsystemconfig-/ { print $3 }' | git pack-objects --stdout --window=0 --no-reuse-delta | wc -c)
differences=$(awk 'NR == FNR { config[$3]; next } $1 in config { sum += $4 } END { print sum }' \
	<(git ls-tree -r HEAD out | grep operatingsystemconfig-) "$scratch/verified")
ok "differences are small: $differences of $whole bytes" test $((differences * 4)) -lt "$whole"

# What reads it besides: a clone, a server's check, gc, and osm-gen itself.
tree=$(git rev-parse HEAD:out)
ok "a clone, checked" git -c fetch.fsckObjects=true clone -q --no-local --bare . "$scratch/clone.git"
same "it has the tree" "$tree" "$(git -C "$scratch/clone.git" rev-parse HEAD:out)"
ok "git gc" git gc -q
sound "after git gc"
ok "all of it packed anew" git repack -q -a -d -f
sound "packed anew"
exits "osm-gen finds nothing to do" 0 "$program" check
same "the tree" "$tree" "$(git rev-parse HEAD:out)"
finish
