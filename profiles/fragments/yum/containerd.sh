install_container_runtime() {
  local package=${CONTAINERD_PACKAGE%%-[0-9]*}
  if [[ $CONTAINERD_EXTRA != none ]]; then
    amazon-linux-extras enable "$CONTAINERD_EXTRA" >/dev/null
  fi
  log "installing $CONTAINERD_PACKAGE"
  # A lock of an earlier run would hide the version that is wanted now.
  yum --quiet versionlock delete "*:$package-[0-9]*" >/dev/null 2>&1 || true
  yum_install "$CONTAINERD_PACKAGE"
  # An unattended upgrade must not restart the runtime under running pods.
  yum --quiet versionlock add "$package"
  %include setup/start-containerd.sh
}
