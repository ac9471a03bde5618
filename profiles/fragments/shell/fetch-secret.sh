# Prints the Secret at a URL, or says why it cannot be had. The token goes through standard input, as arguments can be
# read by every process.
fetch_secret() {
  local url=$1 answer status=0
  answer=$(curl --silent --show-error --proto =https --connect-timeout 10 --max-time 60 --write-out '\n%{http_code}' \
{{- if .KubernetesCACert }}
    --cacert /etc/kubernetes/pki/ca.crt \
{{- end }}
    --config - "$url" <<<'header = "Authorization: Bearer {{ .Token }}"') || status=$?
  case ${status}:${answer##*$'\n'} in
    0:200) echo "${answer%$'\n'*}" ;;
    0:401)
      log "error: cannot get ${url}: the API server does not know this machine's token (401)." \
        "If the token was rotated after the machine had been made, replace the machine"
      exit 77
      ;;
    0:*) die "cannot get ${url}: the API server answers ${answer##*$'\n'}" ;;
    6:*) die "cannot get ${url}: the host's name cannot be resolved" ;;
    7:*) die "cannot get ${url}: the host does not take the connection" ;;
    28:*) die "cannot get ${url}: the host does not answer in time" ;;
    60:*) die "cannot get ${url}: the certificate is not valid for this machine, whose clock says $(date --utc '+%F %T') UTC" ;;
    *) die "cannot get ${url}: curl ended with status ${status}" ;;
  esac
}
