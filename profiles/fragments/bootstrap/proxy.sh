{{- if or .HTTPProxy .NoProxy }}
set_environment() {
  local name
  for name in "$1" "${1,,}"; do
    export "${name}=$2"
    environment=$(sed "/^${name}=/d" <<<"$environment")
    environment+=${environment:+$'\n'}${name}=$2
  done
}

# Writes a new file, as images may have a link into the read-only /usr there, and a power cut must not leave an empty one.
configure_proxy() {
  environment=$(cat /etc/environment || true)
{{- with .HTTPProxy }}
  set_environment HTTP_PROXY '{{ . }}'
  set_environment HTTPS_PROXY '{{ . }}'
%if packager
  %include @packager@/proxy.sh
%end
{{- end }}
{{- with .NoProxy }}
  set_environment NO_PROXY '{{ . }}'
{{- end }}
  echo "$environment" >/etc/environment.new
  sync
  mv /etc/environment.new /etc/environment
}
{{- end }}
