#!/usr/bin/env bash
# Repositories with damaged files: whatever they hold, each command ends by itself and says why. REPOSITORY_SECONDS of processor
# time, REPOSITORY_SEED: how long, which (make repositories-random: an hour).
# Needs: build/asan/osm-gen
# Slow: random repositories
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

try() { # NAME STATUS PROGRAM SECONDS CASES
	mkdir "$scratch/$1"
	exits "$1" "$2" python3 -B "$here/repositories_random.py" "$3" "$4" "$5" "${REPOSITORY_SEED:-1}" "$root/tests/golden" "$scratch/$1"
}
try repositories 0 "$root/build/asan/osm-gen" "${REPOSITORY_SECONDS:-20}" 1000000
cat "$scratch/out"

# A program whose output is not what check expects is found out.
cat >"$scratch/restless.sh" <<SH
#!/bin/sh
test "\$1 \$2" = "generate --allow-removal" && exec "$(realpath "$program")" "\$@" --pause-image "registry.osm-gen.example/pause:\$\$"
exec "$(realpath "$program")" "\$@"
SH
chmod +x "$scratch/restless.sh"
try restless 1 "$scratch/restless.sh" 1000000 40
ok "is found out" grep -q "after generate, check: status 1" "$scratch/out"
finish
