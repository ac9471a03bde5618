%if docker
# An attacker who controls the mirror could serve a key of his own: the file must hold exactly the expected key.
%include setup/verify-key.sh

add_containerd_repository() {
  local release key=/etc/pki/rpm-gpg/containerd.asc
  # shellcheck source=/dev/null
  release=$(. /etc/os-release && echo "${VERSION_ID%%.*}")
  download "$CONTAINERD_YUM_KEY_URL" "$scratch/containerd.asc"
  verify_key "$scratch/containerd.asc" "$CONTAINERD_YUM_KEY_FINGERPRINT"
  install -D -m 0644 "$scratch/containerd.asc" "$key"
  cat >/etc/yum.repos.d/containerd.repo <<REPOSITORY
[containerd]
name=containerd
baseurl=$CONTAINERD_YUM_URL/$release/\$basearch/stable
enabled=1
gpgcheck=1
gpgkey=file://$key
REPOSITORY
}

%end
install_container_runtime() {
  local package=${CONTAINERD_PACKAGE%%-[0-9]*}
%if docker
  if [[ $CONTAINERD_YUM_URL != none ]]; then
    add_containerd_repository
  fi
%end
  log "installing $CONTAINERD_PACKAGE"
  # A lock of an earlier run would hide the version that is wanted now.
  dnf --quiet versionlock delete "$package" >/dev/null 2>&1 || true
  # The package replaces a runc that the image may have brought for Podman.
  dnf_install --allowerasing "$CONTAINERD_PACKAGE"
  # An unattended upgrade must not restart the runtime under running pods.
  dnf --quiet versionlock add "$package"
  %include setup/start-containerd.sh
}
