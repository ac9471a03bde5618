#!/usr/bin/env bash
# Stage 1 of 2: fetches this machine's provisioning config from the cluster, has Flatcar's own cloud-config reader
# apply it and starts stage 2 (setup.service). Log: journalctl -u bootstrap. Safe to run again.
set -euo pipefail

url='{{ .ServerURL }}/api/v1/namespaces/cloud-init-settings/secrets/{{ .SecretName }}'
header='header = "Authorization: Bearer {{ .Token }}"'

config=$(mktemp /var/tmp/provisioning-config.XXXXXX)
trap 'rm -f "$config"' EXIT

%include shell/messages.sh
{{- template "configureProxyScript" }}

%include shell/fetch-secret.sh

main() {
  # The interfaces were up before the user-data's files were written.
  networkctl reload
{{- if or .HTTPProxy .NoProxy }}
  configure_proxy
{{- end }}
  fetch_secret "$url" '["cloud-config"]' "$config"
{{- template "provisioningSplit" }}
  [[ $(head -n 1 "$config") == '#cloud-config' ]] || die "the answer of $url is not a cloud-config"
  log "applying the provisioning config"
  coreos-cloudinit --from-file="$config"
  # Stage 2 is on the disk before stage 1 is over: after a power cut until then stage 1 fetches and applies it again.
  sync
  systemctl daemon-reload
  systemctl enable setup.service
  systemctl restart --no-block setup.service
  # The user-data starts bootstrap.service at every boot; a machine that is through keeps its state.
  touch /etc/bootstrap-complete
  systemctl disable bootstrap.service
  log "done; go on with: journalctl -u setup"
}

main "$@"
