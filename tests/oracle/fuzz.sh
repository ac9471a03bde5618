#!/bin/sh
# make oracle-fuzz: templates from a seed, rendered by both engines, for so many seconds. Needs Go.
#   tests/oracle/fuzz.sh SECONDS [SEED]
# Each difference is shown at its smallest; tests/oracle/template/known.txt lists those that are meant
# to be. The last line is the count; exit 0 no difference, 1 some, 3 Go's side could not be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/oracle
program=${TEMPLATE_CASES:-$root/build/asan/template-cases}
mkdir -p "$work"

give_up() {
	echo "oracle-fuzz: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}

command -v go >/dev/null || give_up "Go is not installed"
[ -x "$program" ] || give_up "no program at $program"

# shellcheck source=tests/oracle/_go.sh
. "$here/_go.sh"
use_modules fuzz
(cd "$here" && go build -o "$work/template" ./cmd/template) ||
	give_up "the controller's modules cannot be built"
exec "$work/template" -fuzz "$1" -seed "${2:-0}" -program "$program" -known "$here/template/known.txt"
