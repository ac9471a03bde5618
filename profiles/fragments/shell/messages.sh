log() { echo "${0##*/}: $*" >&2; }
die() { log "error: $*"; exit 1; }
# For what no further attempt can change: supervise.sh makes none.
die_for_good() { log "error: $*"; exit 78; }
