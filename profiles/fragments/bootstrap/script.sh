#!/usr/bin/env bash
# Stage 1 of 2: fetches this machine's provisioning config from the cluster, lets cloud-init apply it and
# starts stage 2 (setup.service). Log: journalctl -u bootstrap. Safe to run again.
set -euo pipefail

readonly config_url='{{ .ServerURL }}/api/v1/namespaces/cloud-init-settings/secrets/{{ .SecretName }}'
# It holds the token. Not among cloud-init's own files, where it would stay and be read at every boot.
readonly config='/run/osm-node/{{ .SecretName }}.cfg'

%include shell/messages.sh
{{ template "configureProxyScript" }}
%if subscription

{{- $user := .RhelConfig.RHELSubscriptionManagerUser }}
{{- $registers := or .RhelConfig.RHELUseSatelliteServer (and $user (ne $user "\"\"")) }}
{{- if $registers }}

# cloud-init has tried that at boot, when no proxy was set yet. It leaves a registered machine alone.
register() {
  log "registering the machine unless it is"
  cloud-init single --name rh_subscription --frequency always
}
{{- end }}
%end

%include @packager@/@packager@.sh

install_tools() {
  %include @packager@/tools.sh
}

%include shell/fetch-secret.sh

# While the Secret is being replaced the answer may be 404, or lack the key. Neither may be taken for a config.
fetch_config() {
  local answer
  answer=$(fetch_secret "$config_url" 'header = "Authorization: Bearer {{ .Token }}"') || exit
{{- template "provisioningSplit" }}
  (umask 077 && mkdir -p "${config%/*}" && jq -er '.data["cloud-config"]' <<<"$answer" | base64 -d >"$config") ||
    die "no cloud-config in ${config_url}"
  [[ $(head -n 1 "$config") == '#cloud-config' ]] || die "the answer of ${config_url} is not a cloud-config"
}

# Single modules instead of `cloud-init clean` and `init`: those would also write the network config and
# the SSH host keys of a running machine anew, and forget that this boot's runcmd has run.
apply_module() {
  log "applying $1"
  # The option belongs to the subcommand since 24.1, and stood before it until then.
  if [[ $(cloud-init single --help 2>/dev/null) == *--file* ]]; then
    cloud-init single --file "$config" --name "$1" --frequency always
  else
    cloud-init --file "$config" single --name "$1" --frequency always
  fi
}

apply_config() {
  local module
  # The user-data's own runcmd script may be what waits for this service. Written over, its shell would read on
  # in the middle of the new one; removed, it keeps what it has.
  rm -f /var/lib/cloud/instance/scripts/runcmd
  for module in bootcmd write_files runcmd; do
    # Unless the config brings the key itself, cloud-init would use the one of the user-data.
    if grep -q "^${module}:" "$config"; then apply_module "$module"; fi
  done
  # The runcmd module writes a script; this one runs it.
  if grep -q '^runcmd:' "$config"; then apply_module scripts_user; fi
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
  register
{{- end }}
%end
  install_tools
  fetch_config
  set_host_name
  apply_config
  systemctl daemon-reload
  systemctl enable setup.service
  systemctl restart --no-block setup.service
  systemctl disable bootstrap.service
  log "done; go on with: journalctl -u setup"
}

main "$@"
