#!/usr/bin/env bash
# Stage 1 of 2: fetches this machine's provisioning config from the cluster, has Flatcar's own cloud-config reader
# apply it and starts stage 2 (setup.service). Log: journalctl -u bootstrap. Safe to run again.
set -euo pipefail

readonly config_url='{{ .ServerURL }}/api/v1/namespaces/cloud-init-settings/secrets/{{ .SecretName }}'

config=$(mktemp /var/tmp/provisioning-config.XXXXXX)
readonly config
trap 'rm -f "$config"' EXIT

%include shell/messages.sh
{{ template "configureProxyScript" }}

%include shell/fetch-secret.sh

# While the Secret is being replaced the answer may be 404, or lack the key. Neither may be taken for a config.
fetch_config() {
  local answer
  answer=$(fetch_secret "$config_url" 'header = "Authorization: Bearer {{ .Token }}"') || exit
{{- template "provisioningSplit" }}
  jq -er '.data["cloud-config"]' <<<"$answer" | base64 -d >"$config" || die "no cloud-config in ${config_url}"
  [[ $(head -n 1 "$config") == '#cloud-config' ]] || die "the answer of ${config_url} is not a cloud-config"
}

main() {
  # The interfaces were up before the user-data's files were written.
  networkctl reload
{{- if or .HTTPProxy .NoProxy }}
  configure_proxy
{{- end }}
  fetch_config
  log "applying the provisioning config"
  coreos-cloudinit --from-file="$config"
  systemctl daemon-reload
  systemctl enable setup.service
  systemctl restart --no-block setup.service
  # The user-data starts bootstrap.service at every boot; a machine that is through keeps its state.
  touch /etc/bootstrap-complete
  systemctl disable bootstrap.service
  log "done; go on with: journalctl -u setup"
}

main "$@"
