prepare_kernel() {
  log "loading kernel modules and setting kernel parameters"
%if extra_modules
  # In a package of its own from version 10 of the system on.
  if ! modprobe --dry-run --quiet br_netfilter; then
    dnf_install "kernel-modules-extra-$(uname -r)" ||
      die "the kernel $(uname -r) lacks br_netfilter, and its kernel-modules-extra cannot be installed"
  fi
%end
  /opt/load-kernel-modules.sh
  sysctl --quiet --load=/etc/sysctl.d/k8s.conf
%if packager
  /opt/disable-swap.sh
%end
%if grub
  # /etc/default/grub.d has a file of this profile, for the next boot.
  if command -v update-grub >/dev/null && [[ -f /boot/grub/grub.cfg ]] && ! grep -q swapaccount /boot/grub/grub.cfg; then
    update-grub || log "update-grub has failed; containers' swap is not accounted for"
  fi
%end
  systemctl restart systemd-journald.service
}
