#!/usr/bin/env bash
# Canaries in every kind of place that can hold a secret, through every command, succeeding and failing:
# none stands in the clear in a git object, the index, the reflog, the output, a report, a message, a
# temporary file, the environment or a core, in any encoding. The work is done by canaries.py.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
python3 "$here/canaries.py" "$program" "$scratch" "$root"
