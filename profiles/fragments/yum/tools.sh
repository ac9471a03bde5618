if command -v curl >/dev/null && command -v jq >/dev/null; then return; fi
repair_packages
log "installing curl and jq"
yum_install curl jq
