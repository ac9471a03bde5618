#!/usr/bin/env bash
# A cluster of 3,000 MachineDeployments in an address space that is too small for all of their values, files or
# differences at once (docs/limits.md): `generate` of them, and `diff` of a changed profile.
# Slow: a fleet of thousands
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# within KIB COMMAND...: in an address space of that size. One thread: each one more has space of its own.
within() {
	local kib=$1
	shift
	bash -c 'ulimit -v "$1" && shift && exec "$@"' bash "$kib" "$@"
}

"$root/tests/bench/fleet.sh" "$scratch/large" 3000 1
repo=$scratch/large
git -C "$repo" -c init.defaultBranch=main init -q && commit_all "$repo" "large"
exits "generate" 0 within 163840 "$program" -q -j 1 --repo "$repo"
same "an OperatingSystemConfig for each" 3000 "$(git -C "$repo" ls-files out | grep -c operatingsystemconfig-)"

sed -i 's/^  version: v[0-9.]*/  version: v99.9.9/; s/go on with: journalctl -u setup/& (changed)/' "$repo/profiles/ubuntu.yaml"
commit_all "$repo" "another profile"
exits "diff" 1 within 409600 "$program" diff -v -j 1 --repo "$repo"
# Some of the new contents were in memory, the others in the temporary file.
# The cluster's own copy of the profile is one more.
same "diff: a change of each" 3001 "$(grep -c '^+ .*go on with: journalctl -u setup (changed)' "$scratch/out")"
# Each index comes last.
grep '^+++ b/' "$scratch/out" | grep -v '/index\.json$' >"$scratch/printed"
ok "diff: in the order of paths" env LC_ALL=C sort -c "$scratch/printed"
finish
