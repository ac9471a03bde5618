{{- if eq .CloudProviderName "vmware-cloud-director" }}
PATH+=:/oem/bin:/usr/share/oem/bin

ovf_property() { sed -n "s|.*oe:key=\"vCloud_$1\" oe:value=\"\([^\"]*\)\".*|\1|p" <<<"$ovf_environment"; }

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
  echo "[Match]"
  echo "MACAddress=$(ovf_property "macaddr_$1")"
  echo "[Network]"
  echo "Address=$(ovf_property "ip_$1")/$(prefix_length "$(ovf_property "netmask_$1")")"
  if [[ $1 == "$(ovf_property primaryNic)" ]]; then
    echo "Gateway=$(ovf_property "gateway_$1")"
    echo "DNS=$(ovf_property "dns1_$1") $(ovf_property "dns2_$1")"
  fi
}

configure_network() {
  local i count
  ovf_environment=$(vmtoolsd --cmd 'info-get guestinfo.ovfEnv')
  count=$(ovf_property numnics)
  for ((i = 0; i < ${count:-0}; i++)); do
    if [[ $(ovf_property "bootproto_$i") == static ]]; then
      log "interface ${i} has a static address"
      describe_interface "$i" >"/etc/systemd/network/10-vcloud-${i}.network"
    fi
  done
  networkctl reload
}
{{- end }}
