#!/usr/bin/env bash
# Memory runs out, at one allocation after the other: OSG9004, exit status 3, and nothing written.
# 500 allocations are drawn; OSM_GEN_FAULTS=all (make faults) tries them all, OSM_GEN_FAULTS=2/4 each fourth from the second on.
# Hundreds of copies of a repository: in memory where there is room for them.
# Slow: many runs with a fault each
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
	export TMPDIR=/dev/shm
fi
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

read -ra compiler <<<"${CC:-cc}"
ok "the faults" "${compiler[@]}" -O1 -D_GNU_SOURCE -shared -fPIC -o "$scratch/faults.so" "$here/_memory_faults.c" -ldl

adopted "$here/adopt/live.yaml"
cp -a "$scratch/fleet" "$scratch/before"
exits "generate" 0 "$program" generate -j 1
python3 -B "$here/_memory_faults.py" "$program" "$scratch/faults.so" "$scratch/before" "$scratch/fleet" "$scratch" \
	"${OSM_GEN_FAULTS:-500}" | tee "$scratch/said"
ok "every failure ends as it must" test "${PIPESTATUS[0]}" = 0

# ---- libraries that cannot be used ----------------------------------------------------------------
cat >"$scratch/openssl.cnf" <<'CONF'
openssl_conf = start
[start]
providers = providers
[providers]
null = null
[null]
activate = 1
CONF
exits "a libcrypto without algorithms" 3 env OPENSSL_CONF="$scratch/openssl.cnf" "$program" validate
says "a libcrypto without algorithms" "error[OSG9005]: libcrypto"
says "a libcrypto without algorithms" "OPENSSL_CONF=/dev/null"
exits "libcrypto as it is" 0 env OPENSSL_CONF=/dev/null "$program" validate
finish
