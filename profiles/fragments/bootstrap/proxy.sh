{{- if or .HTTPProxy .NoProxy }}
set_environment() {
  local name
  for name in "$1" "${1,,}"; do
    sed -i "/^${name}=/d" /etc/environment
    echo "${name}=$2" >>/etc/environment
    export "${name}=$2"
  done
}

configure_proxy() {
%if packager
%else
  # Newer images have a link into the read-only /usr here.
  if [[ -L /etc/environment ]]; then
    { cat /etc/environment || true; } >/etc/environment.new
    mv /etc/environment.new /etc/environment
  fi
%end
  touch /etc/environment
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
}
{{- end }}
