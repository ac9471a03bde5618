local packages=()
# Only what is missing: curl would collide with the curl-minimal of some images.
command -v curl >/dev/null || packages+=(curl)
command -v jq >/dev/null || packages+=(jq)
if ((${#packages[@]} == 0)); then return; fi
repair_packages
log "installing ${packages[*]}"
dnf_install "${packages[@]}"
