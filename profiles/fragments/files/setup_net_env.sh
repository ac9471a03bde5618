#!/usr/bin/env bash
# Finds out this node's name and address, writes them where kubelet.service reads them, and lets the machine forward
# IPv6 if the cluster uses it. Runs before each kubelet start.
set -euo pipefail

readonly environment_file=/etc/kubernetes/nodeip.conf
readonly server_url='{{ .ServerURL }}'

log() { echo "setup_net_env: $*" >&2; }

# The host of the API server's URL, a name or an address, without port and brackets.
server_host() {
  local host=${server_url#*://}
  host=${host%%/*}
  case $host in
    \[*) host=${host#\[} && echo "${host%%\]*}" ;;
    *) echo "${host%:*}" ;;
  esac
}

# Prints the API server's addresses of one family, as getent's database ahostsv4 or ahostsv6 has them. For a host
# without IPv6 the latter answers with IPv4 addresses in IPv6's notation. A resolver may take for ever to answer.
server_addresses() {
  timeout 5 getent "$1" "$(server_host)" | awk '$1 !~ /^::ffff:/ && !seen[$1]++ {print $1}' || true
}

# The address that the machine itself would use towards another. Asks the routing table, sends nothing; so it picks
# the right one of several addresses and never one of a pod network. An interface that has only its link-local address
# yet would use that.
source_address() {
  ip "$1" -oneline route get "$2" 2>/dev/null | sed -n '/ src fe80:/d; s/.* src \([^ ]*\).*/\1/p'
}

# Prints the address of one family that the machine uses towards the API server or, where no route leads there in this
# family, towards the Internet. Waits for it, as a lease or router advertisement may come late.
wait_for_address() {
  local family=$1 database=$2 outside=$3 target address tries
  for ((tries = 0; tries < 30; tries++)); do
    for target in $(server_addresses "$database") "$outside"; do
      address=$(source_address "$family" "$target") || true
      if [[ -n $address ]]; then
        echo "$address"
        return
      fi
    done
    sleep 2
  done
  log "error: no IPv${family#-} route to $server_url or out of this machine"
  return 1
}

ipv4() { wait_for_address -4 ahostsv4 192.0.2.1; }
ipv6() { wait_for_address -6 ahostsv6 2001:db8::1; }

node_ip() {
{{- if eq .NetworkIPFamily "IPv6" }}
  ipv6
{{- else if eq .NetworkIPFamily "IPv4+IPv6" }}
  local first second
  first=$(ipv4) && second=$(ipv6) && echo "$first,$second"
{{- else if eq .NetworkIPFamily "IPv6+IPv4" }}
  local first second
  first=$(ipv6) && second=$(ipv4) && echo "$first,$second"
{{- else }}
  ipv4
{{- end }}
}
{{- if eq .CloudProviderName "aws" }}

# The name that the platform gave the machine, which its cloud controller knows it by. A network may have several
# domains; the first one counts.
platform_name() {
  local metadata=http://169.254.169.254/latest header=X-aws-ec2-metadata-token token name
  token=$(curl --silent --fail --noproxy '*' --max-time 5 --request PUT --header "$header-ttl-seconds: 60" \
    "$metadata/api/token") || return 1
  name=$(curl --silent --fail --noproxy '*' --max-time 5 --header "$header: $token" \
    "$metadata/meta-data/local-hostname") || return 1
  [[ -n $name ]] && echo "${name%% *}"
}
{{- end }}

# The node's certificate bears its name: a node that has one keeps the name it had, whatever the resolver says today.
node_name() {
  local name=
  if [[ -s /var/lib/kubelet/kubeconfig && -s $environment_file ]]; then
    name=$(sed -n 's/^KUBELET_HOSTNAME=//p' "$environment_file")
  fi
  if [[ -z $name && -s /etc/machine-name ]]; then name=$(tr -d '[:space:]' </etc/machine-name); fi
{{- if eq .CloudProviderName "aws" }}
  if [[ -z $name ]]; then name=$(platform_name) || log "the metadata service does not tell this machine's name"; fi
{{- end }}
  if [[ -z $name ]]; then name=$(hostname --fqdn 2>/dev/null) || name=$(hostname); fi
  echo "${name,,}"
}
{{- if or (eq .NetworkIPFamily "IPv6") (eq .NetworkIPFamily "IPv4+IPv6") (eq .NetworkIPFamily "IPv6+IPv4") }}

# A machine that forwards IPv6 takes router advertisements only where accept_ra is 2, and elsewhere drops the default
# routes that it has from them. 0 stays: there systemd-networkd or NetworkManager reads them. The interfaces of pods
# have 1 and must keep it, or a pod could make itself the node's router: so only network cards.
keep_router_advertisements() {
  local setting interface
  for setting in /proc/sys/net/ipv6/conf/*/accept_ra; do
    interface=${setting%/accept_ra}
    interface=${interface##*/}
    if [[ -e /sys/class/net/$interface/device && $(cat "$setting") == 1 ]]; then
      log "$interface goes on taking router advertisements"
      sysctl --quiet --write "net/ipv6/conf/$interface/accept_ra=2"
    fi
  done
}
{{- end }}

address=$(node_ip)
name=$(node_name)
mkdir -p "${environment_file%/*}"
printf 'KUBELET_NODE_IP=%s\nKUBELET_HOSTNAME=%s\n' "$address" "$name" >"$environment_file.part"
sync "$environment_file.part"
mv "$environment_file.part" "$environment_file"
log "node $name, address $address"
{{- if or (eq .NetworkIPFamily "IPv6") (eq .NetworkIPFamily "IPv4+IPv6") (eq .NetworkIPFamily "IPv6+IPv4") }}
# Not in /etc/sysctl.d: where a machine forwards already, an interface that comes up does not ask for advertisements.
keep_router_advertisements
sysctl --quiet --write net.ipv6.conf.all.forwarding=1
{{- end }}
