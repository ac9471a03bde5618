#!/usr/bin/env bash
# Random histories, with and without proofs. PROOFS_CASES, PROOFS_SEED: how many, which (make proofs-random: 300).
# Slow: random histories
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

cases=${PROOFS_CASES:-8}
exits "$cases random histories" 0 python3 "$here/proofs_random.py" "$program" "$cases" "${PROOFS_SEED:-1}"
cat "$scratch/out"

# A program whose proofs are wrong is found out.
cat >"$scratch/wrong" <<SH
#!/bin/sh
case "\$*" in
*--no-proofs*) exec "$program" "\$@" ;;
generate*) exec "$program" "\$@" --pause-image registry.osm-gen.example/other:1 ;;
esac
exec "$program" "\$@"
SH
chmod +x "$scratch/wrong"
exits "a program whose proofs are wrong" 1 python3 "$here/proofs_random.py" "$scratch/wrong" 2 1
ok "is found out" grep -q "^not the same: generate" "$scratch/out"
finish
