#!/usr/bin/env bash
# Stage 1 of 2: fetches this machine's provisioning config from the cluster, lets cloud-init apply it and
# starts stage 2 (setup.service). Log: journalctl -u bootstrap. Safe to run again.
set -euo pipefail

url='{{ .ServerURL }}/api/v1/namespaces/cloud-init-settings/secrets/{{ .SecretName }}'
header='header = "Authorization: Bearer {{ .Token }}"'
# It holds the token. Not among cloud-init's own files, where it would stay and be read at every boot.
readonly config='/run/osm-node/{{ .SecretName }}.cfg'

%include shell/messages.sh
{{- template "configureProxyScript" }}
%if subscription

{{- $user := .RhelConfig.RHELSubscriptionManagerUser }}
{{- $registers := or .RhelConfig.RHELUseSatelliteServer (and $user (ne $user "\"\"")) }}
%end

%include @packager@/@packager@.sh

install_tools() {
  %include @packager@/tools.sh
}

%include shell/fetch-secret.sh

fetch_config() {
  install -d -m 700 "${config%/*}"
  fetch_secret "$url" '["cloud-config"]' "$config"
{{- template "provisioningSplit" }}
  [[ $(head -n 1 "$config") == '#cloud-config' ]] || die "the answer of $url is not a cloud-config"
}

# Single modules instead of `cloud-init clean` and `init`: those would also write the network config and
# the SSH host keys of a running machine anew, and forget that this boot's runcmd has run.
apply_config() {
  local module single=(--file "$config" single) modules=
  # cloud-init takes the option after the subcommand from 24.1 on, and before it in older versions.
  [[ $(cloud-init single --help 2>/dev/null) != *--file* ]] || single=(single --file "$config")
  # The user-data's own runcmd script may be what waits for this service. Written over, its shell would read on
  # in the middle of the new one; removed, it keeps what it has.
  rm -f /var/lib/cloud/instance/scripts/runcmd
  for module in bootcmd write_files runcmd; do
    # Unless the config brings the key itself, cloud-init would use the one of the user-data.
    ! grep -q "^$module:" "$config" || modules+=" $module"
  done
  # The runcmd module writes a script; the last one runs it.
  for module in ${modules/runcmd/runcmd scripts_user}; do
    log "applying $module"
    cloud-init "${single[@]}" --name "$module" --frequency always
  done
  # Some mistakes in a config are none to cloud-init.
  [[ -x /opt/bin/setup && -f /etc/systemd/system/setup.service ]] || die "cloud-init has made no stage 2 of the config"
}

%include shell/host-name.sh

main() {
  trap 'rm -f "$config"' EXIT
  # Enabled until done, so that a reboot in between starts it again.
  systemctl enable bootstrap.service
{{- if or .HTTPProxy .NoProxy }}
  configure_proxy
{{- end }}
%if subscription
{{- if $registers }}
  # cloud-init has tried that at boot, when no proxy was set yet. It leaves a registered machine alone.
  log "registering the machine unless it is"
  cloud-init single --name rh_subscription --frequency always
{{- end }}
%end
  install_tools
  fetch_config
  set_host_name
  apply_config
  # Stage 2 is on the disk before stage 1 is over: after a power cut until then stage 1 fetches and applies it again.
  sync
  systemctl daemon-reload
  systemctl enable setup.service
  systemctl restart --no-block setup.service
  systemctl disable bootstrap.service
  log "done; go on with: journalctl -u setup"
}

main "$@"
