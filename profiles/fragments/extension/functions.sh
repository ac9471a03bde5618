
# What extensions of the profile add stands in files below this folder, which are read in the order of their names.
readonly extensions=/opt/osm-node

# extension_lines FILE...: the lines of those that are there, without comments and empty ones.
extension_lines() {
  local file
  for file; do
    if [[ -f $file ]]; then sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^#/d' -e '/^$/d' "$file"; fi
  done
}

# A script that fails ends this attempt; the next one runs it again.
run_extension_scripts() {
  local script
  for script in "$extensions/$1"/*.sh; do
    if [[ ! -f $script ]]; then continue; fi
    log "running $script"
    bash "$script" || die "$script ended with status $?"
  done
}

# One certificate a file: of a file that holds several, only the first would get a hash link.
trust_extension_certificates() {
  local directory=/usr/local/share/ca-certificates ending=crt bundle
  compgen -G "$extensions/certificates/*" >/dev/null || return 0
  log "trusting the extensions' certificates"
  if [[ -d /etc/pki/ca-trust/source/anchors ]]; then
    for bundle in "$extensions"/certificates/*; do
      install -m 0644 "$bundle" "/etc/pki/ca-trust/source/anchors/osm-node-${bundle##*/}.crt"
    done
    update-ca-trust extract
    return
  fi
  if [[ ! -d $directory ]]; then directory=/etc/ssl/certs ending=pem; fi
  rm -f "$directory"/osm-node-*."$ending"
  awk -v prefix="$directory/osm-node-" -v ending="$ending" '
    /-----BEGIN CERTIFICATE-----/ {file = sprintf("%s%02d.%s", prefix, ++count, ending)}
    file {print > file}
    /-----END CERTIFICATE-----/ {close(file); file = ""}' "$extensions"/certificates/*
  update-ca-certificates
}

# Flatcar writes authorized_keys anew at every boot, from what this program was given.
register_extension_ssh_keys() {
  local user
  for user in $(extension_lines "$@" | cut -d ' ' -f 1 | sort -u); do
    getent passwd "$user" >/dev/null || die_for_good "there is no user $user on this machine for an SSH key"
    log "setting the extensions' SSH keys of $user"
    extension_lines "$@" | awk -v user="$user" '$1 == user && sub(/^[^ ]+ +/, "") && !seen[$0]++' |
      update-ssh-keys -u "$user" -a osm-node || die "update-ssh-keys has failed"
  done
}

# Lines of "USER KEY". What the platform has put there stays.
add_extension_ssh_keys() {
  local user key home file
  if command -v update-ssh-keys >/dev/null; then
    register_extension_ssh_keys "$extensions"/ssh-keys/*
    return
  fi
  while read -r user key; do
    home=$(getent passwd "$user" | cut -d : -f 6) || home=
    [[ -n $home ]] || die_for_good "there is no user $user on this machine for an SSH key"
    file="$home/.ssh/authorized_keys"
    if grep -qxF -- "$key" "$file" 2>/dev/null; then continue; fi
    log "adding an SSH key of $user"
    install -d -m 0700 -o "$user" -g "$(id -g "$user")" "$home/.ssh"
    # The last line may lack its end.
    if [[ -s $file && -n $(tail -c 1 "$file") ]]; then echo >>"$file"; fi
    echo "$key" >>"$file"
    chown "$user:$(id -g "$user")" "$file"
    chmod 0600 "$file"
  done < <(extension_lines "$extensions"/ssh-keys/*)
}

install_extension_packages() {
  local packages
  mapfile -t packages < <(extension_lines "$extensions"/packages/*)
  if ((${#packages[@]} == 0)); then return; fi
  log "installing ${packages[*]}"
  # By what the profile works with: a system may have the programs of others.
  if declare -F apt_get >/dev/null; then
    apt_get install --no-install-recommends "${packages[@]}"
  elif declare -F dnf_install >/dev/null; then
    dnf_install "${packages[@]}"
  else
    yum_install "${packages[@]}"
  fi
}

set_extension_kernel() {
  local module file
  while read -r module; do
    log "loading the kernel module $module"
    modprobe "$module" || die "the kernel has no module $module"
  done < <(extension_lines /etc/modules-load.d/osm-node-*.conf)
  for file in /etc/sysctl.d/osm-node-*.conf; do
    if [[ -f $file ]]; then sysctl --quiet --load="$file"; fi
  done
}

# Does the unit run, or will it at the next boot?
extension_unit_is_used() {
  systemctl --quiet is-active "$1" || systemctl --quiet is-enabled "$1" 2>/dev/null
}

# Lines of "enable|disable|mask|restart UNIT". The kubelet may wait for none of them. What is turned off, and what has
# got drop-ins, need not be on this machine.
set_extension_units() {
  local action unit
  systemctl daemon-reload
  while read -r action unit; do
    log "$action $unit"
    case $action in
      enable)
        systemctl enable "$unit" || die "$unit cannot be enabled"
        systemctl restart --no-block "$unit"
        ;;
      disable | mask)
        systemctl "$action" --now "$unit" || ! extension_unit_is_used "$unit" || die "$unit cannot be turned off"
        ;;
      restart) systemctl try-restart --no-block "$unit" || log "there is no $unit to be restarted" ;;
    esac
  done < <(extension_lines "$extensions"/units/*)
}
