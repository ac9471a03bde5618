if command -v curl >/dev/null && command -v jq >/dev/null; then return; fi
repair_packages
log "installing curl and jq"
apt_get update
apt_get install --no-install-recommends ca-certificates curl jq
