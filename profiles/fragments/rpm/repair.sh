# A package whose installation was cut short counts as installed, though files are missing or its scripts have not
# run. While the file is there an installation is under way, or was when the power failed.
readonly begun=/var/lib/osm-node/packages-begun

repair_packages() {
  local packages
  [[ -e $begun ]] || return 0
  log "finishing an interrupted installation of packages"
  rpm --query rpm >/dev/null 2>&1 || rpm --rebuilddb
  mapfile -t packages < <(rpm --query --all --queryformat '%{INSTALLTIME} %{NAME}\n' |
    awk -v since="$(stat --format=%Y "$begun")" '$1 >= since {print $2}')
  if ((${#packages[@]} > 0)); then @packager@ --quiet --assumeyes reinstall "${packages[@]}"; fi
  sync
  rm "$begun"
}
