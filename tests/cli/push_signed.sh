#!/usr/bin/env bash
# Signed commits, notes of processed commits, and the mark for CI to skip one.
# shellcheck source=tests/cli/_push.sh
. "$(dirname "$0")/_push.sh"

# ---- signed commits ---------------------------------------------------------------------------

move
repo=$(clone signed)
unsigned=$(clone unsigned)
ssh-keygen -q -t ed25519 -N "" -C test -f "$scratch/key"
echo "fleet@osm-gen.example $(cat "$scratch/key.pub")" >"$scratch/signers"
git -C "$repo" config commit.gpgsign true
git -C "$repo" config gpg.format ssh
git -C "$repo" config user.signingkey "$scratch/missing"
git -C "$repo" config gpg.ssh.allowedSignersFile "$scratch/signers"
before=$(head_of "$repo")
exits "a key that is not there" 3 "$program" --repo "$repo"
says "is an error" "OSG6047"
same "no commit is made" "$before" "$(head_of "$repo")"
clean "nor anything else" "$repo"
git -C "$repo" config user.signingkey "$scratch/key"
exits "no git program" 3 env PATH=/nowhere "$program" --repo "$repo"
says "is an error, too" "OSG6047"
# shellcheck disable=SC2016 # of the script that is written
printf '#!/bin/sh\nfor w; do shift; [ "$w" = -S ] || set -- "$@" "$w"; done\nexec "%s" "$@"\n' "$real" >"$scratch/wrapper/git"
chmod +x "$scratch/wrapper/git"
exits "a commit that comes back unsigned" 3 env PATH="$scratch/wrapper:$PATH" "$program" --repo "$repo"
says "is refused" "or did not sign"
same "still no commit" "$before" "$(head_of "$repo")"
exits "signed with ssh" 0 "$program" --repo "$repo" --push
ok "git verifies it" git -C "$repo" verify-commit HEAD
same "author and committer stay" "osm-gen sample fleet <fleet@osm-gen.example> osm-gen sample fleet <fleet@osm-gen.example>" \
	"$(git -C "$repo" log -1 --format='%an <%ae> %cn <%ce>')"
exits "a signed run with nothing new" 0 "$program" --repo "$repo" --push
exits "unsigned" 0 "$program" --repo "$unsigned"
same "another id" 1 "$([ "$(head_of "$repo")" = "$(head_of "$unsigned")" ]; echo $?)"
same "of the same tree, parent and message" "$(git -C "$repo" log -1 --format='%T %P %ad %cd %B')" \
	"$(git -C "$unsigned" log -1 --format='%T %P %ad %cd %B')"
exits "an unsigned one gives way to it" 0 "$program" --repo "$unsigned" --push
same "as the remote has it" "$(tip)" "$(head_of "$unsigned")"
sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.98/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
git -C "$repo" commit -q --no-gpg-sign -am "not pushed"
git -C "$repo" config commit.gpgsign perhaps
exits "nobody knows whether to sign" 3 "$program" --repo "$repo"
says "is an error" "OSG6047"

if command -v gpg >/dev/null; then
	export GNUPGHOME=$scratch/gnupg
	mkdir -m 700 "$GNUPGHOME"
	gpg -q --batch --passphrase '' --quick-gen-key "fleet <fleet@osm-gen.example>" ed25519 sign 2>/dev/null
	move
	repo=$(clone gpg)
	git -C "$repo" config commit.gpgsign true
	git -C "$repo" config user.signingkey fleet@osm-gen.example
	exits "signed with OpenPGP" 0 "$program" --repo "$repo" --push
	ok "git verifies it" git -C "$repo" verify-commit HEAD
	gpgconf --kill all
	unset GNUPGHOME
else
	skip "gpg is not here: no OpenPGP signature was made"
fi

# ---- notes, and CI's sign ---------------------------------------------------------------------

move
repo=$(clone noted --depth 1)
source=$(head_of "$repo")
exits "a note" 0 "$program" --repo "$repo" --push --notes --skip-ci
says "it is said" "noted as processed in refs/notes/osm-gen"
same "says what was processed" "Osm-Gen-Processed: $source" "$(git -C "$hosted" notes --ref=osm-gen show "$source" | head -n 1)"
same "and where it is" "Osm-Gen-Commit: $(tip)" "$(git -C "$hosted" notes --ref=osm-gen show "$source" | sed -n 2p)"
same "CI is asked to skip it" "[skip ci]" "$(git -C "$hosted" log -1 --format=%s main | grep -o '\[skip ci\]$')"
notes=$(tip_of refs/notes/osm-gen)
exits "a second run" 0 "$program" --repo "$repo" --push --notes
same "notes the output's commit" "Osm-Gen-Processed: $(tip)" "$(git -C "$hosted" notes --ref=osm-gen show main | head -n 1)"
notes=$(tip_of refs/notes/osm-gen)
exits "a third one" 0 "$program" --repo "$repo" --push --notes
same "has nothing to add" "$notes" "$(tip_of refs/notes/osm-gen)"
git -C "$inputs" pull -q --rebase origin main
echo docs >"$inputs/NOTES.txt"
commit_all "$inputs" "nothing that matters"
git -C "$inputs" push -q origin main
repo=$(clone noted2)
exits "nothing to commit" 0 "$program" --repo "$repo" --push --notes
same "is noted all the same" "Osm-Gen-Processed: $(tip)" "$(git -C "$hosted" notes --ref=osm-gen show main | head -n 1)"
# Notes on both sides: the clone has a history of its own.
repo=$(clone noted3)
git -C "$repo" notes --ref=osm-gen add -m "made here" HEAD~1
exits "notes of two sides" 0 "$program" --repo "$repo" --push --notes
same "are merged" "made here" "$(git -C "$hosted" notes --ref=osm-gen show main~1 | grep -x "made here")"
ok "none is lost" git -C "$hosted" notes --ref=osm-gen show "$source"
move
hook "$hosted" pre-receive <<'HOOK'
#!/bin/sh
if grep -q refs/notes; then echo "no notes here" >&2; exit 1; fi
HOOK
exits "notes that are refused" 3 "$program" --repo "$repo" --push --notes
says "are an error" "OSG6049"
says "in the server's words" "no notes here"
same "the output is there" "$(head_of "$repo")" "$(tip)"
rm "$hosted/hooks/pre-receive"

finish
