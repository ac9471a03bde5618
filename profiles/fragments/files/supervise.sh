#!/usr/bin/env bash
# supervise.sh COMMAND [ARGUMENT...]: runs the command until it succeeds, 120 times within about an hour. Status 77, a
# refused token, is given 20 attempts, and status 78, no attempt can succeed, one. /var/lib/osm-node/NAME.done says that
# the command NAME has succeeded, the machine's console and /var/log/osm-node-NAME.log why it has not.
set -uo pipefail

name=${1##*/}
succeeded=/var/lib/osm-node/$name.done

# The end of the log. Programs may print what they were given: no tokens, no passwords of proxies.
journal() {
  journalctl -q --no-pager -o cat -u "$name" -n 50 "$@" 2>/dev/null |
    sed -E 's/\b[a-z0-9]{6}\.[a-z0-9]{16}\b|\beyJ[A-Za-z0-9_.-]{20,}/<token>/g; s|(/{2})[^/@[:space:]]+@|\1<password>@|g'
}

# /dev/console is the last of the kernel's consoles.
tell_consoles() {
  local console consoles=
  { read -r consoles </sys/class/tty/console/active; } 2>/dev/null
  [[ $consoles == *' '* ]] || consoles=
  for console in ${consoles% *} console; do
    [[ ! -e /dev/$console ]] || timeout 10 tee -a "/dev/$console" <<<"osm-node: $1" >/dev/null 2>&1
  done
}

# cloud-init and Ignition have written the command's files, and have synced none of them.
sync
mkdir -p /var/lib/osm-node
rm -f "$succeeded"
refusals=0 pause=1
for ((attempt = 1; ; attempt++)); do
  began=$(date +%s)
  "$@" && sync && : >"$succeeded" && exit
  status=$?
  ((refusals = status == 77 ? refusals + 1 : 0))
  # journald may lag: once it shows this line it has what the attempt printed.
  mark="supervise: attempt $attempt of $$ has ended"
  echo "$mark" >&2
  for _ in {1..20}; do
    said=$(journal --since="@$began")
    [[ $said != *"$mark"* ]] || break
    sleep 0.5
  done
  said=$(grep -v '^supervise: ' <<<"$said")
  cause=$(grep -F "$name: error: " <<<"$said" | tail -n1)
  cause=${cause:-$(tail -n1 <<<"$said") (status $status)}
  failed="supervise: '$*' failed with status $status,"
  if ((attempt >= 120 || refusals >= 20 || status == 78)); then break; fi
  if ((attempt % 10 == 0)); then tell_consoles "attempt $attempt has failed: $cause"; fi
  echo "$failed next attempt in ${pause}s" >&2
  sleep "$pause"
  # Slower and slower: a node must not hammer a server that is down, nor be slow when it is back.
  ((pause += pause < 30))
done

echo "$failed giving up after $attempt attempts" >&2
report="this machine does not become a node, after $attempt attempts: $cause
$(journal)
osm-node: that was the end of: journalctl -u $name. To try again: systemctl restart $name"
(umask 077 && echo "osm-node: $report" >"/var/log/osm-node-$name.log")
tell_consoles "$report"
exit "$status"
