#!/usr/bin/env bash
# .gitignore and .gitattributes that are links, pipes or folders: nothing is followed, as git does not, and no command hangs.
# Slow: a clone for each link in each place
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mkfifo "$scratch/pipe"
echo '*.yaml' >"$scratch/everything"
printf '* filter=evil\n' >"$scratch/filters"
base=$(small base)
head=$(git -C "$base" rev-parse HEAD)
exits "without links" 0 "$program" generate --repo "$base"
wanted=$(git -C "$base" rev-parse HEAD:out)

# place NAME FOLDER TARGET: a clone whose FOLDER has links NAME to TARGET, committed
place() {
	repo=$scratch/$((++count))
	git clone -q "$base" "$repo" 2>/dev/null
	git -C "$repo" reset -q --hard "$head"
	mkdir -p "$repo/$2"
	ln -s "$3" "$repo/$2/$1"
	git -C "$repo" add -A 2>/dev/null
	git -C "$repo" commit -q -m link 2>/dev/null
}
count=0
for name in .gitignore .gitattributes; do
	for folder in . clusters clusters/prod out out/prod; do
		for target in "$scratch/pipe" "$scratch/everything" "$scratch/filters" /dev/zero missing .; do
			place "$name" "$folder" "$target"
			cp "$repo/clusters/prod/workers.yaml" "$repo/clusters/prod/other.yaml"
			for command in validate plan "generate -q"; do
				# shellcheck disable=SC2086 # words
				exits "$command, $folder/$name to $target" 0 timeout 20 "$program" $command --repo "$repo"
				[ "$command" = validate ] && says "a file that git does not ignore" "other.yaml"
			done
			[ "$folder" = out ] || [ "$folder" = out/prod ] ||
				same "the same output" "$wanted" "$(git -C "$repo" rev-parse HEAD:out)"
			exits "the work tree" 3 timeout 20 "$program" validate --worktree --repo "$repo"
			says "is not read through the link" "$name is not a regular file, so git does not read it"
		done
	done
done
place .gitignore . "$scratch/pipe"
exits "a key" 3 timeout 20 "$program" keygen seed -o "$repo/key.txt"
says "is not taken for ignored" "OSG9021"
rm "$repo/.gitignore"
mkfifo "$repo/.gitignore"
exits "a pipe itself" 0 timeout 20 "$program" validate --repo "$repo"
finish
