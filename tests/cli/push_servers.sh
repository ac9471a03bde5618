#!/usr/bin/env bash
# --push over HTTP, to git's own http-backend behind a password, and through the program that ssh is set to.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset SSH_AUTH_SOCK SSH_ASKPASS GIT_ASKPASS http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export no_proxy=127.0.0.1
hosted=$scratch/served/fleet.git
word=hidden-word

inputs=$(fleet inputs)
git init -q --bare -b main "$hosted"
git -C "$hosted" config http.receivepack true
git -C "$inputs" push -q "$hosted" main
mkfifo "$scratch/until"
python3 "$here/_git_http.py" "$scratch/served" "bot:$word" "$scratch/port" <"$scratch/until" 2>"$scratch/server.err" &
server=$!
exec 9>"$scratch/until"
until [ -s "$scratch/port" ] || ! kill -0 "$server" 2>/dev/null; do sleep 0.05; done
host=127.0.0.1:$(cat "$scratch/port")

tip() { git -C "$hosted" rev-parse main; }
silent() { # NAME: the password is in nothing that was printed, nor in what git keeps of the repository
	same "$1" "" "$(grep -l "$word" "$scratch/out" "$scratch/err"; grep -rl "$word" "$repo/.git/logs" "$repo/.git/FETCH_HEAD" 2>/dev/null)"
}
move() {
	git -C "$inputs" pull -q --rebase "$hosted" main
	echo "$1" >"$inputs/MOVED.txt"
	commit_all "$inputs" "moved $1"
	git -C "$inputs" push -q "$hosted" main
}
repo=$scratch/clone
git clone -q "$hosted" "$repo"

# ---- credentials ------------------------------------------------------------------------------

before=$(tip)
git -C "$repo" remote set-url origin "http://$host/fleet.git"
exits "a server that asks for a password" 3 "$program" --repo "$repo" --push </dev/null
says "is an error" "OSG6042"
says "in git's words" "could not read Username"
git -C "$repo" remote set-url origin "http://bot:wrong-$word@$host/fleet.git"
exits "a wrong password" 3 "$program" --repo "$repo" --push
says "is an error, too" "OSG6042"
says "in git's words, masked by itself" "Authentication failed for 'http://$host/fleet.git/'"
silent "without the password"
exits "a wrong one on the command line" 3 "$program" --repo "$repo" --push="http://bot:wrong-$word@$host/fleet.git"
says "is masked" "http://***@$host/fleet.git"
silent "that one, too"
same "nothing was pushed" "$before" "$(tip)"

move 1
git -C "$repo" remote set-url origin "http://bot:$word@$host/fleet.git"
exits "the right one, and a branch that moved" 0 "$program" --repo "$repo" --push --notes --report json="$scratch/report.json"
same "the remote has the commit" "$(git -C "$repo" rev-parse HEAD)" "$(tip)"
same "on the new tip" "moved 1" "$(git -C "$hosted" log -1 --format=%s main~1)"
ok "and the note" git -C "$hosted" notes --ref=osm-gen show main~1
silent "nothing of it shows the password"
same "nor the report" 0 "$(grep -c "$word" "$scratch/report.json")"
exits "by a URL" 0 "$program" --repo "$repo" --push="http://bot:$word@$host/fleet.git" --report json="$scratch/report.json"
says "which is shown" "nothing to push to main of http://***@$host/fleet.git"
same "as in the report" "http://***@$host/fleet.git" "$(jq -r .push.remote "$scratch/report.json")"
silent "masked"
exits "by the environment" 0 env OSM_GEN_PUSH="http://bot:$word@$host/fleet.git" "$program" --repo "$repo"
silent "masked as well"

# A credential helper, as CI sets one up in the environment's own configuration.
move 2
git -C "$repo" remote set-url origin "http://$host/fleet.git"
exits "a credential helper" 0 env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=credential.helper \
	GIT_CONFIG_VALUE_0="!f() { echo username=bot; echo password=$word; }; f" "$program" --repo "$repo" --push
same "is asked" "$(git -C "$repo" rev-parse HEAD)" "$(tip)"
silent "and not repeated"
move 3
exits "a header, as actions/checkout leaves it" 0 env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.http://$host/.extraheader" \
	GIT_CONFIG_VALUE_0="Authorization: Basic $(printf 'bot:%s' "$word" | base64)" "$program" --repo "$repo" --push
same "is sent" "$(git -C "$repo" rev-parse HEAD)" "$(tip)"

# A token that may read and not write.
sed -i "s/kubelet: 1\.35\.[0-9]*/kubelet: 1.35.77/" "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$repo" "a change"
before=$(tip)
exits "a token that may only read" 3 "$program" --repo "$repo" --push="http://bot:$word@$host/readonly/fleet.git"
says "is refused" "OSG6045"
says "in git's words" "The requested URL returned error: 403"
says "the commit stays" "stays on main"
silent "without the password"
same "the remote is as it was" "$before" "$(tip)"
exec 9>&-
wait "$server"
exits "nobody is there" 3 "$program" --repo "$repo" --push
says "is an error" "OSG6042"
says "in git's words" "Failed to connect to 127.0.0.1"

# ---- ssh --------------------------------------------------------------------------------------

# In the place of ssh: what it was asked to run on the host is run here.
cat >"$scratch/ssh" <<SSH
#!/bin/sh
[ "\$1" = -G ] && exit 0
echo "\$SSH_AUTH_SOCK \$*" >>"$scratch/asked"
for last; do :; done
exec sh -c "\$last"
SSH
chmod +x "$scratch/ssh"
exits "by ssh" 0 env GIT_SSH_COMMAND="$scratch/ssh" SSH_AUTH_SOCK="$scratch/agent" \
	"$program" --repo "$repo" --push "git@forge.example:$hosted"
same "the remote has the commit" "$(git -C "$repo" rev-parse HEAD)" "$(tip)"
same "with the agent" "$scratch/agent" "$(cut -d' ' -f1 "$scratch/asked" | sort -u)"
ok "on the host" grep -q "git@forge.example git-receive-pack '$hosted'" "$scratch/asked"
# The address of a host names a user that is no secret.
exits "again" 0 env GIT_SSH_COMMAND="$scratch/ssh" "$program" --repo "$repo" --push "git@forge.example:$hosted"
says "it is named" "nothing to push to main of git@forge.example:"
finish
