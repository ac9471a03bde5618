# An attacker who controls the mirror could serve a key of his own: the file must hold exactly the expected key.
%include setup/verify-key.sh

add_containerd_repository() {
  local codename key=/etc/apt/keyrings/containerd.asc
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  download "$CONTAINERD_APT_KEY_URL" "$scratch/containerd.asc"
  verify_key "$scratch/containerd.asc" "$CONTAINERD_APT_KEY_FINGERPRINT"
  install -D -m 0644 "$scratch/containerd.asc" "$key"
  cat >/etc/apt/sources.list.d/containerd.sources <<SOURCES
Types: deb
URIs: $CONTAINERD_APT_URL
Suites: $codename
Components: stable
Architectures: $arch
Signed-By: $key
SOURCES
}

install_container_runtime() {
  local package=${CONTAINERD_PACKAGE%%=*}
  if [[ $CONTAINERD_APT_URL != none ]]; then
    add_containerd_repository
    apt_get update
  fi
  log "installing $CONTAINERD_PACKAGE"
  apt_get install --no-install-recommends --allow-downgrades --allow-change-held-packages "$CONTAINERD_PACKAGE"
  # An unattended upgrade must not restart the runtime under running pods.
  apt-mark hold "$package"
  %include setup/start-containerd.sh
}
