# kube-proxy and the network plugin write the packet filter's rules, which these would drop or overrule.
stop_firewall() {
  local unit
  for unit in ufw.service firewalld.service; do
    if systemctl --quiet is-enabled "$unit" 2>/dev/null || systemctl --quiet is-active "$unit"; then
      log "turning $unit off"
      systemctl stop "$unit"
      systemctl mask "$unit"
    fi
  done
}
