# Stores what the jq filter .data$2 takes of the object at URL, in base64, in FILE, for root alone: fetch_secret URL FILTER FILE.
# $header has the token: through standard input, as arguments can be read by every process.
fetch_secret() {
  local answer status=0 why
  answer=$(curl -sS --proto =https --connect-timeout 10 -m 60 -w '\n%{http_code}' \
{{- if .KubernetesCACert }}
    --cacert /etc/kubernetes/pki/ca.crt \
{{- end }}
    -K - "$1" <<<"$header") || status=$?
  # Nothing of the answer is printed but three characters: it may be the Secret.
  case $status:${answer##*$'\n'} in
    0:200)
      # While a Secret is being replaced it may lack the key, which reads as the text "null".
      (umask 077 && jq -er ".data$2" <<<"${answer%$'\n'*}" | base64 -d >"$3") || die "no data$2 in $1"
      return
      ;;
    0:401)
      log "error: cannot get $1: the API server does not know this machine's token (401). If it was rotated since, replace the machine"
      exit 77
      ;;
    0:???) why="the API server answers ${answer##*$'\n'}" ;;
    6:*) why="the host has no address" ;;
    7:*) why="the host does not take the connection" ;;
    28:*) why="the host does not answer in time" ;;
    60:*) why="its certificate is not valid for this machine, whose clock says $(date -u '+%F %T') UTC" ;;
    *) why="curl's status is $status" ;;
  esac
  die "cannot get $1: $why"
}
