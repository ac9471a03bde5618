#!/usr/bin/env bash
# --push runs no hook and no program of the work tree, and shows no key to the ones that it runs.
# shellcheck source=tests/cli/_push.sh
. "$(dirname "$0")/_push.sh"

# ---- hooks, the environment -------------------------------------------------------------------

move
repo=$(clone hooks)
hook "$repo/.git" pre-push <<HOOK
#!/bin/sh
cat >"$scratch/refs"
tr '\0' '\n' </proc/self/environ >"$scratch/environment"
HOOK
exits "a pre-push hook" 0 env OS_PASSWORD=taken-from-it SOPS_AGE_KEY="$(grep AGE-SECRET "$SOPS_AGE_KEY_FILE")" \
	GIT_DIR=/nowhere GIT_TERMINAL_PROMPT=1 "$program" --repo "$repo" --push --allow-env OS_PASSWORD
ok "is run" grep -q "^$(tip) $(tip) refs/heads/main " "$scratch/refs"
same "without what is secret" 0 "$(grep -cE '^OSM_GEN_|SOPS|taken-from-it|OSMGEN-SEED|AGE-SECRET' "$scratch/environment")"
ok "with what it needs" grep -qxF "GIT_CONFIG_GLOBAL=$GIT_CONFIG_GLOBAL" "$scratch/environment"
ok "without questions" grep -q "^GIT_TERMINAL_PROMPT=0" "$scratch/environment"
# The descriptors of the program git, as git has files of its own open when it runs a hook.
# Not in a pipeline, as the shell would have an end of it open while ls lists them.
printf '#!/bin/sh\nls -1 /proc/$$/fd >>"%s/descriptors"\nexec "%s" "$@"\n' "$scratch" "$real" >"$scratch/wrapper/git"
chmod +x "$scratch/wrapper/git"
"$scratch/wrapper/git" --version >"$scratch/out" 2>"$scratch/err" </dev/null
sort -u "$scratch/descriptors" >"$scratch/usual"
exits "a git that looks at its files" 0 env PATH="$scratch/wrapper:$PATH" "$program" --repo "$repo" --push
ok "which it did" test "$(sort "$scratch/descriptors" | uniq -c | sort -n | tail -n 1 | awk '{print $1}')" -gt 1
same "has none of osm-gen's" "" "$(sort -u "$scratch/descriptors" | comm -13 "$scratch/usual" -)"
move
echo 'echo "the hook says no" >&2; exit 1' >>"$repo/.git/hooks/pre-push"
exits "a hook that refuses" 3 "$program" --repo "$repo" --push
says "is an error" "OSG6045"
says "in its words" "the hook says no"
says "and how to see it again" "\`git push origin main\` works here"

# Files of the work tree are not run.
mkdir -p "$inputs/bin" "$inputs/.githooks"
for trap in bin/git bin/ssh-keygen bin/git-remote-file .githooks/pre-push .githooks/post-index-change .githooks/reference-transaction; do
	printf '#!/bin/sh\ntouch "%s/sprung"\nexit 1\n' "$scratch" >"$inputs/$trap"
	chmod +x "$inputs/$trap"
done
git -C "$inputs" pull -q --rebase origin main
commit_all "$inputs" "traps"
git -C "$inputs" push -q origin main
repo=$(clone traps)
git -C "$repo" config core.hooksPath .githooks
git -C "$repo" config core.fsmonitor bin/git
git -C "$repo" config gpg.ssh.program bin/ssh-keygen
cd "$repo" || exit
PATH="$repo/bin:.:bin:$PATH" exits "hooks of the work tree" 0 "$program" --push
cd "$here" || exit
says "are not run" "OSG6048"
move
exits "nor when the branch moves" 0 "$program" --repo "$repo" --push
git -C "$repo" config --unset core.hooksPath
ln -s ../../.githooks/pre-push "$repo/.git/hooks/pre-push"
move
exits "nor by a link" 0 "$program" --repo "$repo" --push
says "which is said" "OSG6048"
# Files that come only with the branch: a folder of hooks, the target of a link, a configuration file.
coming=$(clone coming)
git -C "$coming" config core.hooksPath .later
linked=$(clone linked-hook)
ln -s ../../.later/pre-push "$linked/.git/hooks/pre-push"
included=$(clone included)
git -C "$included" config include.path ../.gitconfig
git -C "$inputs" pull -q --rebase origin main
mkdir "$inputs/.later"
for trap in pre-push post-index-change reference-transaction; do cp "$inputs/.githooks/pre-push" "$inputs/.later/$trap"; done
printf '[core]\n\tsshCommand = touch %s/sprung; false\n[remote "origin"]\n\tuploadpack = touch %s/sprung; git-upload-pack\n' \
	"$scratch" "$scratch" >"$inputs/.gitconfig"
printf '[remote "origin"]\n\treceivepack = touch %s/sprung; git-receive-pack\n' "$scratch" >>"$inputs/.gitconfig"
commit_all "$inputs" "traps that are sprung later"
git -C "$inputs" push -q origin main
move
exits "a folder of hooks that comes with the branch" 0 "$program" --repo "$coming" --push
says "is said, too" "OSG6048"
move
exits "what a link leads to comes with the branch" 0 "$program" --repo "$linked" --push
says "as well" "OSG6048"
move
before=$(tip)
exits "a file of configuration that comes with the branch" 3 "$program" --repo "$included" --push
says "is an error" "OSG6040"
says "which names it" "$included/.gitconfig"
exits "and there from the start" 3 "$program" --repo "$included" --push
same "nothing was pushed" "$before" "$(tip)"
git -C "$included" config commit.gpgsign true
exits "nor is anything signed with it" 3 "$program" --repo "$included"
says "for that reason" "OSG6040"
git -C "$included" config --unset commit.gpgsign
git -C "$included" config --unset include.path
echo "[push]" >"$included/.own"
git -C "$included" config include.path ../.own
exits "a file that no commit has is this clone's own" 0 "$program" --repo "$included" --push
same "no trap sprang" "" "$(ls "$scratch/sprung" 2>/dev/null)"

# ---- programs of the work tree ----------------------------------------------------------------
git -C "$inputs" pull -q --rebase origin main
mkdir -p "$inputs/tools/nested.git"
printf '#!/bin/sh\ntouch "%s/sprung"\ncat\nexit 1\n' "$scratch" >"$inputs/tools/trap"
cp "$inputs/tools/trap" "$inputs/tools/git-credential-trap"
chmod +x "$inputs"/tools/*
git init -q --bare "$inputs/tools/nested.git"
rm -rf "$inputs"/tools/nested.git/hooks/*
cp "$inputs/tools/trap" "$inputs/tools/nested.git/hooks/pre-receive"
echo "tests/** filter=trap" >"$inputs/.gitattributes"
commit_all "$inputs" "tools"
git -C "$inputs" push -q origin main
trapped=$(clone trapped)
ln -s ../tools/trap "$trapped/.git/linked"
mkdir "$scratch/elsewhere"
ln -s "$trapped/tools/trap" "$scratch/elsewhere/trap"
before=$(head_of "$trapped")
refuses() { # NAME WORDS...: the run ends, and no trap springs
	local name=$1
	shift
	exits "$name" 3 "$@"
	says "$name: is refused" "error[OSG6055]"
	same "$name: nothing is run" "" "$(ls "$scratch/sprung" 2>/dev/null)"
	same "$name: nothing is committed" "$before" "$(head_of "$trapped")"
	rm -f "$scratch/sprung"
}
configured() { # NAME KEY VALUE...: as configuration of the environment's, so that each trap stands alone
	local name=$1 count=0 settings=()
	shift
	while [ $# -gt 0 ]; do
		settings+=("GIT_CONFIG_KEY_$count=$1" "GIT_CONFIG_VALUE_$count=$2")
		count=$((count + 1))
		shift 2
	done
	refuses "$name" env GIT_CONFIG_COUNT=$count "${settings[@]}" "$program" --repo "$trapped" "${push[@]}"
}
git -C "$trapped" remote add far ssh://nowhere.osm-gen.example/x.git
git -C "$trapped" remote add web http://127.0.0.1:9/x.git
push=(--push far)
configured "core.sshCommand, absolute" core.sshCommand "$trapped/tools/trap"
configured "core.sshCommand, relative to git's folder" core.sshCommand ../tools/trap
configured "core.sshCommand, relative to the work tree" core.sshCommand tools/trap
configured "core.sshCommand, a link in .git" core.sshCommand "$trapped/.git/linked"
configured "core.sshCommand, a link elsewhere" core.sshCommand "$scratch/elsewhere/trap"
configured "core.sshCommand, an interpreter" core.sshCommand "sh $trapped/tools/trap"
configured "core.sshCommand, sh -c" core.sshCommand "sh -c 'exec $trapped/tools/trap'"
configured "core.sshCommand, an option" core.sshCommand "ssh -F$trapped/tools/trap"
# shellcheck disable=SC2016 # git's shell expands it
configured "core.sshCommand, a variable" core.sshCommand '$PWD/../tools/trap'
configured "core.sshCommand, not there yet" core.sshCommand "$trapped/later/trap"
push=(--push web)
configured "credential.helper" credential.helper "$trapped/tools/trap"
configured "credential.helper, of the shell" credential.helper "!f() { $trapped/tools/trap; }; f"
configured "credential.helper, of an address" credential.http://127.0.0.1:9.helper "$trapped/tools/trap"
configured "core.askPass" core.askPass "$trapped/tools/trap"
configured "core.gitProxy" core.gitProxy "$trapped/tools/trap"
push=(--push)
configured "remote.NAME.uploadpack" remote.origin.uploadpack "$trapped/tools/trap"
configured "remote.NAME.receivepack" remote.origin.receivepack "$trapped/tools/trap"
configured "filter.NAME.smudge" filter.trap.smudge tools/trap
configured "filter.NAME.process" filter.trap.process ./tools/trap
configured "url.ext.insteadOf" "url.ext::$trapped/tools/trap.insteadOf" "$url" protocol.ext.allow always
configured "url.ext.pushInsteadOf" "url.ext::sh $trapped/tools/trap.pushInsteadOf" "$url" protocol.ext.allow always
configured "gpg.program, of a signed push" push.gpgSign true gpg.program "$trapped/tools/trap"
configured "remote.NAME.pushurl" remote.origin.pushurl "ext::$trapped/tools/trap" protocol.ext.allow always
push=(--push "ext::$trapped/tools/trap")
configured "an address" protocol.ext.allow always
push=(--push "$trapped/tools/nested.git")
configured "a remote in the work tree" push.default current
push=()
sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.97/" "$trapped/tests/fleet/edge-eu-1/machinedeployments.yaml"
git -C "$trapped" commit -q --no-gpg-sign -am "to be signed"
pushed=$before
before=$(head_of "$trapped")
configured "gpg.program" commit.gpgSign true gpg.program "$trapped/tools/trap"
configured "gpg.openpgp.program" commit.gpgSign true gpg.openpgp.program ../tools/trap
configured "gpg.ssh.program" commit.gpgSign true gpg.format ssh user.signingKey "$scratch/none" gpg.ssh.program "$trapped/tools/trap"
configured "gpg.ssh.defaultKeyCommand" commit.gpgSign true gpg.format ssh gpg.ssh.defaultKeyCommand "sh $trapped/tools/trap"
git -C "$trapped" reset -q --hard "$pushed"
before=$pushed
for name in GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH; do
	refuses "$name" env "$name=$trapped/tools/trap" "$program" --repo "$trapped" --push far
	says "$name: is named" "the environment variable $name names it"
done
refuses "GIT_SSH_COMMAND, an interpreter" env GIT_SSH_COMMAND="sh ../tools/trap" "$program" --repo "$trapped" --push far
# Programs outside of the work tree, and files of this clone alone, are the choice of whoever runs the job.
move
cp "$(type -P true)" "$scratch/elsewhere/true"
echo key >"$trapped/own-key"
exits "programs outside of the work tree" 0 env GIT_ASKPASS="$scratch/elsewhere/true" GIT_CONFIG_COUNT=4 \
	GIT_CONFIG_KEY_0=core.sshCommand GIT_CONFIG_VALUE_0="ssh -i $trapped/own-key -F /dev/null" \
	GIT_CONFIG_KEY_1=credential.helper GIT_CONFIG_VALUE_1=store GIT_CONFIG_KEY_2=filter.other.clean GIT_CONFIG_VALUE_2="git-lfs clean -- %f" \
	GIT_CONFIG_KEY_3=gpg.program GIT_CONFIG_VALUE_3="$trapped/tools/trap" "$program" --repo "$trapped" --push
same "nor is what nothing needs" "" "$(ls "$scratch/sprung" 2>/dev/null)"

finish
