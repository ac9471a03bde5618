{{- if or .HTTPProxy .NoProxy -}}
{{- $both := and .HTTPProxy .NoProxy -}}
# For this run and for the services that read /etc/environment. Writes a new file, as images may have a link into the read-only
# /usr there, and a power cut must not leave an empty one.
configure_proxy() {
  local line lines='
{{- with .HTTPProxy }}HTTP_PROXY={{ . }}
http_proxy={{ . }}
HTTPS_PROXY={{ . }}
https_proxy={{ . }}
{{- end }}
{{- if $both }}
{{ end }}
{{- with .NoProxy }}NO_PROXY={{ . }}
no_proxy={{ . }}
{{- end }}'
  {
    grep -viE '^({{ if .HTTPProxy }}https?{{ end }}{{ if $both }}|{{ end }}{{ if .NoProxy }}no{{ end }})_proxy=' /etc/environment || true
    echo "$lines"
  } >/etc/environment.new
  sync
  mv /etc/environment.new /etc/environment
  while read -r line; do export "${line?}"; done <<<"$lines"
%if packager
{{- with .HTTPProxy }}
  %include @packager@/proxy.sh
{{- end }}
%end
}
{{- end }}
