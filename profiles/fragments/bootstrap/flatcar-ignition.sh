#!/usr/bin/env bash
# Stage 1 of 2: fetches this machine's provisioning config from the cluster and reboots, so that Ignition
# applies it. Log: journalctl -u bootstrap. Safe to run again.
set -euo pipefail

url='{{ .ServerURL }}/api/v1/namespaces/cloud-init-settings/secrets/{{ .SecretName }}'
header='header = "Authorization: Bearer {{ .Token }}"'

%include shell/messages.sh
{{- template "configureVCloudNetworkStatic" }}
{{- template "configureProxyScript" }}

%include shell/fetch-secret.sh

main() {
{{- if eq .CloudProviderName "vmware-cloud-director" }}
  configure_network
{{- else }}
  systemctl start network-online.target
{{- end }}
{{- if or .HTTPProxy .NoProxy }}
  configure_proxy
{{- end }}
  # Ignition prefers the OEM partition's file to the user-data. Everything is checked first, then moved into place at once. Older
  # images mount the partition elsewhere.
  cd /oem/ 2>/dev/null || cd /usr/share/oem/
  config=config.ign.part
  fetch_secret "$url" '["cloud-config"]' "$config"
{{- template "provisioningSplit" }}
  jq -e .ignition.version "$config" >/dev/null || die "the answer of $url is not an Ignition config"
  # A power cut must not leave an empty file there, or GRUB's mark without the file.
  sync
  mv "$config" config.ign
  sync
  # GRUB finds first_boot and has Ignition run again; without a machine id systemd enables the units that Ignition has named. Stage
  # 1 is among them, so it must be gone by then. It goes last: after a power cut until then it does all of this again.
  mkdir -p /boot/flatcar
  touch /boot/flatcar/first_boot
  rm -f /etc/machine-id
  sync
  systemctl disable bootstrap.service
  rm -rf /etc/systemd/system/bootstrap.service*
  log "rebooting; go on with: journalctl -u setup"
  systemctl reboot
}

main "$@"
