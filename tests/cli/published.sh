#!/usr/bin/env bash
# ci/release/fill: the README has downloads only while ci/recipes/home names a home and a key that are not its placeholders.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
cd "$root" || exit 1
tree=$scratch/tree
mkdir -p "$tree/ci" "$tree/docs/howto"
cp -r ci/recipes ci/release "$tree/ci/"
cp README.md VERSION .pre-commit-hooks.yaml "$tree/"
cp docs/howto/install.md "$tree/docs/howto/"
# home HOME SIGNER: what ci/recipes/home names from then on, filled in.
home() {
	sed "s|^home=.*|home=$1|; s|^signer=.*|signer=\"$2\"|" ci/recipes/home >"$tree/ci/recipes/home"
	"$tree/ci/release/fill"
}
block() { sed -n '/^<!-- downloads -->/,/^<!-- end -->/p' "$tree/$1" | sed '1d; $d'; }
unpublished() { # NAME
	same "$1: the README's section is one line" "No release is published yet: build osm-gen as above." "$(block README.md)"
	ok "$1: nothing of the README downloads" test -z "$(grep -E 'curl|^downloads=|^signer=' "$tree/README.md")"
	ok "$1: the page on installing starts with it" grep -q "No release is published yet" <(block docs/howto/install.md)
	exits "$1: nothing else is to be written" 0 "$tree/ci/release/fill" --check
}
placeholder=$(sed -n 's/^home=//p' ci/recipes/home) key=$(sed -n "s/^signer='\(.*\)'/\1/p" ci/recipes/home)
ok "both placeholders are there" test -n "$placeholder" -a -n "$key"

home "$placeholder" "$key" >/dev/null
unpublished "as it is"
home https://elsewhere.example/o "$key" >/dev/null
unpublished "a home without a key"
home "$placeholder" "ssh-ed25519 AAAAx" >/dev/null
unpublished "a key without a home"

home https://elsewhere.example/o "ssh-ed25519 AAAAx" >/dev/null
same "with both the README has version, place and key" \
	"version=$(cat VERSION) downloads=\"https://elsewhere.example/o/releases/download\" signer=\"ssh-ed25519 AAAAx\"" \
	"$(block README.md | sed -n '/^\(version\|downloads\|signer\)=/p' | paste -sd ' ')"
block README.md | sed '1,/^```sh$/d; /^```$/,$d' >"$scratch/commands"
ok "its commands are a shell's" bash -n "$scratch/commands"
ok "which verify before they install" grep -qzE 'ssh-keygen -Y verify.*sha256sum --check.*sudo install' "$scratch/commands"
same "the page on installing has no note" "" "$(block docs/howto/install.md)"
words=$(wc -w <"$tree/README.md")
ok "the README still has less than 500 words ($words)" test "$words" -lt 500
exits "nothing else is to be written" 0 "$tree/ci/release/fill" --check
sed -i 's/^downloads=.*/downloads="https:\/\/third.example"/' "$tree/README.md"
exits "another place" 1 "$tree/ci/release/fill" --check
ok "is named" grep -qx 'README.md: is not what ci/release/fill writes' "$scratch/out"

home "$placeholder" "$key" >/dev/null
unpublished "and back"
finish
