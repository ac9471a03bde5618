#!/usr/bin/env bash
# Stage 1 of 2: fetches this machine's provisioning config from the cluster and reboots, so that Ignition
# applies it. Log: journalctl -u bootstrap. Safe to run again.
set -euo pipefail

readonly config_url='{{ .ServerURL }}/api/v1/namespaces/cloud-init-settings/secrets/{{ .SecretName }}'

%include shell/messages.sh
{{ template "configureVCloudNetworkStatic" }}
{{ template "configureProxyScript" }}

%include shell/fetch-secret.sh

# Ignition prefers the OEM partition's file to the user-data. While the Secret is being replaced the answer may
# be 404, or lack the key. Neither may get there: everything is checked first, then moved into place at once.
fetch_config() {
  local answer part config=/usr/share/oem/config.ign
  # Newer images mount the partition there.
  if [[ -d /oem ]]; then config=/oem/config.ign; fi
  answer=$(fetch_secret "$config_url" 'header = "Authorization: Bearer {{ .Token }}"') || exit
{{- template "provisioningSplit" }}
  part="${config}.part"
  (umask 077 && jq -er '.data["cloud-config"]' <<<"$answer" | base64 -d >"$part") ||
    die "no cloud-config in ${config_url}"
  jq -e '.ignition.version' "$part" >/dev/null || die "the answer of ${config_url} is not an Ignition config"
  mv "$part" "$config"
  log "stored ${config}"
}

# GRUB finds first_boot and has Ignition run again; without a machine id systemd enables the units that Ignition
# has named. Stage 1 is among them, so it must be gone by then.
reboot_into_ignition() {
  mkdir -p /boot/flatcar
  touch /boot/flatcar/first_boot
  systemctl disable bootstrap.service
  rm -rf /etc/systemd/system/bootstrap.service /etc/systemd/system/bootstrap.service.d /etc/machine-id
  log "rebooting; go on with: journalctl -u setup"
  systemctl reboot
}

main() {
{{- if eq .CloudProviderName "vmware-cloud-director" }}
  configure_network
{{- end }}
{{- if or .HTTPProxy .NoProxy }}
  configure_proxy
{{- end }}
  fetch_config
  reboot_into_ignition
}

main "$@"
