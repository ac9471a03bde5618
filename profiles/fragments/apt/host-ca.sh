{{- if .HostCACert }}
install_host_ca() {
  local directory=/usr/local/share/ca-certificates
  log "installing the host CA bundle"
  rm -f "${directory}"/host-ca-*.crt
  awk -v prefix="${directory}/host-ca-" '
    /-----BEGIN CERTIFICATE-----/ {file = sprintf("%s%02d.crt", prefix, ++count)}
    file {print > file}
    /-----END CERTIFICATE-----/ {close(file); file = ""}' <<'BUNDLE'
{{ .HostCACert }}
BUNDLE
  update-ca-certificates
}
{{- end }}
