{{- if .HostCACert -}}
install_host_ca() {
  local directory=@ca_directory@
  log "installing the host CA bundle"
  rm -f "$directory"/host-ca-*.@ca_ending@
  awk -v prefix="$directory/host-ca-" '
    /-----BEGIN CERTIFICATE-----/ {file = sprintf("%s%02d.@ca_ending@", prefix, ++count)}
    file {print > file}
    /-----END CERTIFICATE-----/ {close(file); file = ""}' <<'BUNDLE'
{{ .HostCACert }}
BUNDLE
  update-ca-certificates
}
{{- end }}
