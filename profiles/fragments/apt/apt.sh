# Waits for other package managers instead of failing, keeps the config files that are already there, and restarts no
# services on the side, as needrestart would.
apt_get() {
  DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 apt-get --quiet --yes -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"
}

# After a power cut in the middle of an installation apt refuses everything until this is done. dpkg does not wait for
# other package managers, so this does.
repair_packages() {
  local tries=0
  [[ -n $(dpkg --audit) ]] || compgen -G '/var/lib/dpkg/updates/[0-9]*' >/dev/null || return 0
  log "finishing an interrupted installation of packages"
  until DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 dpkg --configure -a --force-confdef --force-confold; do
    if ((++tries == 30)); then die "dpkg --configure -a has failed"; fi
    # It may be for want of packages that were not even unpacked.
    apt_get --fix-broken install || sleep 10
  done
  apt_get --fix-broken install
}
