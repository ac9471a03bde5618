log() { echo "${0##*/}: $*" >&2; }
die() { log "error: $*"; exit 1; }
