# containerd is part of the system.
install_container_runtime() {
  log "starting containerd"
  # Docker would start on the first connection to its socket, and pods would find its packet filter rules.
  systemctl mask docker.socket docker.service
  systemctl stop docker.socket docker.service || true
  check_containerd
  systemctl daemon-reload
  systemctl enable containerd.service
  systemctl restart containerd.service
}
