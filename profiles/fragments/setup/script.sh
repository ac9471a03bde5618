#!/usr/bin/env bash
%if packager
# Stage 2 of 2: prepares the kernel, installs the container runtime and the kubelet, and starts them.
%else
# Stage 2 of 2: prepares the kernel, installs the kubelet, and starts it and the container runtime.
%end
# Log: journalctl -u setup. Safe to run again: what is already in place is left alone.
# Every download location and version can be set in /etc/default/osm-node (NAME=value).
set -euo pipefail

readonly settings_file=/etc/default/osm-node
readonly state=/var/lib/osm-node
readonly bootstrap_kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf

%include shell/messages.sh
# For what no further attempt can change: supervise.sh makes none.
die_for_good() { log "error: $*"; exit 78; }

# What only machines of this MachineDeployment have.
{ IFS='=' read -r _ default_kube_version && IFS='=' read -r _ secret_url && IFS='=' read -r _ header; } </opt/bin/setup.env ||
  die_for_good "cannot read /opt/bin/setup.env"
readonly default_kube_version secret_url header

# As the download locations call it.
case $(uname -m) in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  *) die_for_good "there are no binaries for a machine of the architecture $(uname -m)" ;;
esac
readonly arch

# A full disk has many faces: say it by name.
clean_up() {
  local status=$? free
  rm -rf "${scratch:-}"
  free=$(df --output=avail -k /var /opt | awk 'NR > 1 && (min == "" || $1 < min) {min = $1} END {print min}') || free=
  if ((status != 0 && ${free:-102400} < 102400)); then log "error: the disk is full: $free KiB left"; fi
}
trap clean_up EXIT
mkdir -p "$state"
scratch=$(mktemp -d /var/tmp/setup.XXXXXX)
readonly scratch
%if packager

%include @packager@/@packager@.sh
%end
{{- template "configureHostCABundle" }}
{{- template "safeDownloadBinariesScript" }}
{{- template "containerRuntimeInstallation" }}
{{- template "extensionFunctions" }}

# The environment wins over the settings file, which is read as data, never executed.
read_settings() {
  local name value
  [[ -r $settings_file ]] || return 0
  log "reading $settings_file"
  while IFS='=' read -r name value || [[ -n $name ]]; do
    [[ $name =~ ^[A-Z][A-Z0-9_]*$ && -z ${!name:-} ]] || continue
    value=${value#[\"\']}
    printf -v "$name" '%s' "${value%[\"\']}"
  done <"$settings_file"
}

default_settings() {
%include setup/defaults.sh
}

%include setup/containerd-version.sh

%include setup/kernel.sh
%if packager

%include setup/firewall.sh
%if selinux

# The policy does not know the programs in /opt, and pods' volumes carry no labels. What does not enforce it stays as it
# is: a machine on which SELinux is off would label all its files at the next boot.
relax_selinux() {
  if grep -qs '^SELINUX=enforcing\b' /etc/selinux/config; then
    cp --archive /etc/selinux/config /etc/selinux/config.new
    sed -i 's/^SELINUX=enforcing\b/SELINUX=permissive/' /etc/selinux/config.new
    sync
    mv /etc/selinux/config.new /etc/selinux/config
  fi
  if command -v getenforce >/dev/null && [[ $(getenforce) == Enforcing ]]; then
    log "making SELinux permissive"
    setenforce 0
  fi
}
%end

# conntrack, iptables, ipset, ipvsadm and socat serve kube-proxy and port-forward, lvm2 and the file system tools
# volumes.
install_packages() {
  repair_packages
  log "installing packages"
  %include @packager@/packages.sh
}
%else

%include shell/host-name.sh

%include flatcar/updates.sh
%end

%include shell/fetch-secret.sh

# The kubelet uses it once, to ask for a certificate of its own. A node that has one does without.
fetch_bootstrap_kubeconfig() {
  local status=0 part=$bootstrap_kubeconfig.part
  log "fetching the bootstrap kubeconfig"
  (fetch_secret "$secret_url" .kubeconfig "$part") || status=$?
  if ((status != 0)); then
    [[ -s /var/lib/kubelet/kubeconfig ]] || exit "$status"
    log "the kubelet has its own kubeconfig, going on"
    return
  fi
  grep -q '^kind: Config' "$part" || die "the answer of $secret_url is not a kubeconfig"
  mv "$part" "$bootstrap_kubeconfig"
}

start_services() {
  local units=(kubelet.service kubelet-healthcheck.service containerd-healthcheck.service)
  log "starting ${units[*]}"
  mkdir -p /etc/kubernetes/manifests /etc/cni/net.d /var/lib/kubelet/volumeplugins
  systemctl daemon-reload
  systemctl enable "${units[@]}"
  # The kubelet may wait for an address; nothing of the above has to be done again for that.
  systemctl restart --no-block "${units[@]}"
}

main() {
%if unsupported
  log "warning: @unsupported@"
%end
  read_settings
  default_settings
  # Before anything is installed: it shows whether the token is still good.
  fetch_bootstrap_kubeconfig
{{- if .HostCACert }}
  install_host_ca
{{- end }}
{{- template "extensionStart" }}
%if packager
  # Before the kernel's modules: some come in packages.
  install_packages
%if selinux
  relax_selinux
%end
  stop_firewall
%end
  prepare_kernel
%if packager
%else
  set_host_name
  configure_updates
%end
{{- template "extensionSystem" }}
  install_container_runtime
  install_binaries
{{- template "extensionBeforeKubelet" }}
  start_services
{{- template "extensionEnd" }}
  # After a power cut until here stage 2 runs again, and replaces what is damaged.
  sync
%if not packager
  # What Ignition has read; it holds the token.
  rm -f /oem/config.ign /usr/share/oem/config.ign
%end
  # Enabled until done, so that a reboot in between starts it again; a finished node keeps its state.
  systemctl disable setup.service
  log "done; the kubelet takes over: journalctl -u kubelet"
}

main "$@"
