{{- if eq .CloudProviderName "vmware-cloud-director" -}}
PATH+=:/oem/bin:/usr/share/oem/bin

ovf() { sed -n "s|.*oe:key=\"vCloud_$1\" oe:value=\"\([^\"]*\)\".*|\1|p" <<<"$environment"; }

# 255.255.240.0 is 20.
prefix_length() {
  local octet bits=0 octets
  IFS=. read -ra octets <<<"$1"
  for octet in "${octets[@]}"; do
    for (( ; octet > 0; octet >>= 1)); do bits=$((bits + (octet & 1))); done
  done
  echo "$bits"
}

# The primary interface alone has a gateway: the others reach their own network.
describe_interface() {
  echo "[Match]
MACAddress=$(ovf "macaddr_$1")
[Network]
Address=$(ovf "ip_$1")/$(prefix_length "$(ovf "netmask_$1")")"
  if [[ $1 == "$(ovf primaryNic)" ]]; then
    echo "Gateway=$(ovf "gateway_$1")
DNS=$(ovf "dns1_$1") $(ovf "dns2_$1")"
  fi
}

configure_network() {
  local i count
  environment=$(vmtoolsd --cmd 'info-get guestinfo.ovfEnv')
  count=$(ovf numnics)
  for ((i = 0; i < ${count:-0}; i++)); do
    if [[ $(ovf "bootproto_$i") == static ]]; then
      log "interface $i has a static address"
      describe_interface "$i" >"/etc/systemd/network/10-vcloud-$i.network"
    fi
  done
  networkctl reload
}
{{- end }}
