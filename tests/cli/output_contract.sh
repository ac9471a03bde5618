#!/usr/bin/env bash
# What an output contract promises: the inputs of tests/contract/NUMBER make the files whose digests are kept
# there, whatever version of osm-gen that carries the contract.
#
#   output_contract.sh                   compare, of every contract that the program carries
#   output_contract.sh --into DIR        also leave what was rendered in DIR: two programs' can be compared
#   output_contract.sh --accept          write the newest contract's digests anew; refused once it is released
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset SOPS_AGE_KEY_FILE

into=$scratch/trees accept=
case ${1:-} in
--accept) accept=1 ;;
--into) into=$2 ;;
esac
kept=${OSM_GEN_CONTRACTS:-$root/tests/contract}
oldest=$("$program" version -o json | jq .contracts.oldest)
newest=$("$program" version -o json | jq .contracts.newest)
released=$(cat "$kept/released")

render() { # CONTRACT: each of its repositories, into $into/CONTRACT
	local folder repo
	for folder in "$kept/$1"/*/; do
		repo=$scratch/repository/$1/$(basename "$folder")
		mkdir -p "$repo" "$into/$1"
		cp -r "$folder." "$repo"
		git -C "$repo" -c init.defaultBranch=main init -q
		git -C "$repo" add -A
		git -C "$repo" commit -q -m inputs
		exits "contract $1, $(basename "$folder"): generate" 0 "$program" -q --repo "$repo"
		rm -rf "${into:?}/$1/$(basename "$folder")"
		cp -r "$repo/out" "$into/$1/$(basename "$folder")"
	done
}
digests() { (cd "$into/$1" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -r -d '\n' sha256sum); }

for ((contract = oldest; contract <= newest; contract++)); do
	render "$contract"
	if [ "$accept" ] && [ "$contract" -eq "$newest" ]; then
		if [ "$contract" -le "$released" ]; then
			echo "contract $contract is released: ci/contract freeze makes the next one (CONTRIBUTING.md, \"Change a profile\")"
			exit 1
		fi
		digests "$contract" >"$kept/$contract/digests"
	fi
	digests "$contract" >"$scratch/digests"
	if cmp -s "$kept/$contract/digests" "$scratch/digests"; then
		passed=$((passed + $(wc -l <"$scratch/digests")))
		continue
	fi
	echo "not ok: the output of contract $contract has changed: (- kept, + now)"
	diff -u0 "$kept/$contract/digests" "$scratch/digests" | sed -n 's/^\([-+]\)[0-9a-f]*  /    \1 /p' | sort -k 2 -u | head -n 20
	failed=$((failed + $(diff "$kept/$contract/digests" "$scratch/digests" | grep -c '^>') + 1))
	cat <<END
    What is different in a file: the same test with the program before the change, and a diff of both:
        OSM_GEN=BEFORE tests/cli/output_contract.sh --into /tmp/before
        OSM_GEN=$program tests/cli/output_contract.sh --into /tmp/now; diff -r /tmp/before /tmp/now
END
	if [ "$contract" -le "$released" ]; then
		cat <<END
    Contract $contract is released: its bytes never change. If the change is meant, it belongs to the next one:
    take it back, run \`ci/contract freeze\`, make it again (CONTRIBUTING.md, "Change a profile").
END
	else
		echo "    Contract $contract is not released yet. If the change is meant: tests/cli/output_contract.sh --accept"
	fi
done
finish
