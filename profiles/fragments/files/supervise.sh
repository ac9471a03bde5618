#!/usr/bin/env bash
# supervise.sh COMMAND [ARGUMENT...]: runs the command until it succeeds, for about an hour. The file
# /var/lib/osm-node/NAME.done, where NAME is the command's, says that it has. When all was in vain, the machine's
# console and /var/log/osm-node-NAME.log say why.
#
# Some failures pass less often than others: status 77 (the API server refuses the token) is given 20 attempts,
# status 78 (no attempt can succeed) one.
set -uo pipefail

name=${1##*/}
readonly name done_file=/var/lib/osm-node/${name}.done report=/var/log/osm-node-${name}.log

# The end of the log. Programs may print what they were given: no tokens, no passwords of proxies.
journal() {
  journalctl --quiet --no-pager --output=cat --unit="${name}.service" --lines=50 "$@" 2>/dev/null |
    sed -E -e 's/\b[a-z0-9]{6}\.[a-z0-9]{16}\b|\beyJ[A-Za-z0-9_.-]{20,}/<token>/g' -e 's|://[^/@[:space:]]+@|://<password>@|g'
}

say_on_consoles() {
  local console told=
  for console in $(cat /sys/class/tty/console/active 2>/dev/null) console; do
    # The last one is for machines on which none of the others could be written to.
    [[ $console != console || -z $told ]] || break
    [[ -e /dev/$console ]] && timeout 10 tee -a "/dev/${console}" <<<"$1" >/dev/null 2>&1 && told=yes
  done
}

mkdir -p "${done_file%/*}"
rm -f "$done_file"
refusals=0 pause=1
for ((attempt = 1; ; attempt++)); do
  began=$(date +%s)
  "$@"
  status=$?
  if ((status == 0)); then
    : >"$done_file"
    exit 0
  fi
  if ((status == 77)); then refusals=$((refusals + 1)); else refusals=0; fi
  said=$(journal --since="@${began}" | grep -v '^supervise: ')
  cause=$(grep -F "${name}: error: " <<<"$said" | tail -n 1)
  cause=${cause:-$(tail -n 1 <<<"$said") (status ${status})}
  if ((attempt >= 120 || refusals >= 20 || status == 78)); then break; fi
  if ((attempt % 10 == 0)); then say_on_consoles "osm-node: attempt ${attempt} has failed: ${cause}"; fi
  echo "supervise: '$*' failed with status ${status}, next attempt in ${pause}s" >&2
  sleep "$pause"
  # Slower and slower, to 30 s: a node must not hammer a server that is down, nor be slow when it is back.
  pause=$((pause < 30 ? pause + 1 : 30))
done

echo "supervise: '$*' failed with status ${status}, giving up after ${attempt} attempts" >&2
text="osm-node: this machine does not become a node, after ${attempt} attempts: ${cause}
$(journal)
osm-node: that was the end of: journalctl -u ${name}. To try again: systemctl restart ${name}"
(umask 077 && echo "$text" >"$report")
say_on_consoles "$text"
exit "$status"
