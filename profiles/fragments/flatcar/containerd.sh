# containerd is part of the system.
install_container_runtime() {
  log "starting containerd"
  # Docker would start on the first connection to its socket, and pods would find its packet filter rules.
  systemctl mask docker.socket docker.service
  systemctl stop docker.socket docker.service || true
  %include setup/start-containerd.sh
}
