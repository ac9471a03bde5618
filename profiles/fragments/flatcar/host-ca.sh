{{- if .HostCACert }}
install_host_ca() {
  local directory=/etc/ssl/certs
  log "installing the host CA bundle"
  rm -f "${directory}"/host-ca-*.pem
  awk -v prefix="${directory}/host-ca-" '
    /-----BEGIN CERTIFICATE-----/ {file = sprintf("%s%02d.pem", prefix, ++count)}
    file {print > file}
    /-----END CERTIFICATE-----/ {close(file); file = ""}' <<'BUNDLE'
{{ .HostCACert }}
BUNDLE
  update-ca-certificates
}
{{- end }}
