readonly extensions=/opt/osm-node
extension_lines() {
 local file
 for file; do
  if [[ -f $file ]]; then sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^#/d' -e '/^$/d' "$file"; fi
 done
}
run_extension_scripts() {
 local script
 for script in "$extensions/$1"/*.sh; do
  if [[ ! -f $script ]]; then continue; fi
  log "running $script"
  bash "$script" || die "$script ended with status $?"
 done
}
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
register_extension_ssh_keys() {
 local user
 for user in $(extension_lines "$@" | cut -d ' ' -f 1 | sort -u); do
  getent passwd "$user" >/dev/null || die_for_good "there is no user $user on this machine for an SSH key"
  log "setting the extensions' SSH keys of $user"
  extension_lines "$@" | awk -v user="$user" '$1 == user && sub(/^[^ ]+ +/, "") && !seen[$0]++' |
   update-ssh-keys -u "$user" -a osm-node || die "update-ssh-keys has failed"
 done
}
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
extension_unit_is_used() {
 systemctl --quiet is-active "$1" || systemctl --quiet is-enabled "$1" 2>/dev/null
}
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
