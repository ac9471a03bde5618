# Prints the object at the URL $1. The header $2 has the token: through standard input, as every process can read
# arguments.
fetch_secret() {
  local answer code status=0 why
  answer=$(curl --silent --show-error --proto =https --connect-timeout 10 --max-time 60 --write-out '\n%{http_code}' \
{{- if .KubernetesCACert }}
    --cacert /etc/kubernetes/pki/ca.crt \
{{- end }}
    --config - "$1" <<<"$2") || status=$?
  code=${answer##*$'\n'}
  # Nothing of the answer is printed: it may be the Secret.
  [[ $code =~ ^[0-9]{3}$ ]] || code=unclearly
  case $status:$code in
    0:200)
      echo "${answer%$'\n'*}"
      return
      ;;
    0:401)
      log "error: cannot get $1: the API server does not know this machine's token (401)." \
        "If it was rotated after the machine had been made, replace the machine"
      exit 77
      ;;
    0:*) why="the API server answers ${code}" ;;
    6:*) why="the host's name cannot be resolved" ;;
    7:*) why="the host does not take the connection" ;;
    28:*) why="the host does not answer in time" ;;
    60:*) why="its certificate is not valid for this machine, whose clock says $(date --utc '+%F %T') UTC" ;;
    *) why="curl ended with status ${status}" ;;
  esac
  die "cannot get $1: ${why}"
}
