{{- if .HostCACert -}}
install_host_ca() {
  log "installing the host CA bundle"
  cat >/etc/pki/ca-trust/source/anchors/host-ca.crt <<'BUNDLE'
{{ .HostCACert }}
BUNDLE
  update-ca-trust extract
}
{{- end }}
