#!/usr/bin/env bash
# docs/tutorial.md, run as it stands: its commands in an empty folder, what they print beside what it shows.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE XDG_CONFIG_HOME
mkdir "$scratch/bin" "$scratch/home" "$scratch/tutorial"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
export PATH=$scratch/bin:$PATH HOME=$scratch/home LC_ALL=C.UTF-8

python3 "$here/_console.py" "$root/docs/tutorial.md" "$scratch/tutorial" >"$scratch/counts"
status=$?
sed '$d' "$scratch/counts"
read -r good _ bad _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/counts")
passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1}))
ok "it has commands" test "${good:-0}" -ge 20
same "its status says so" "$((${bad:-1} > 0))" "$status"

# ---- the test itself: what is not printed is noticed -------------------------------------------------------------
mkdir "$scratch/wrong"
printf '%s\n' '```console' '$ echo one' 'two' '$ false' '```' >"$scratch/wrong.md"
exits "a document that is wrong" 1 python3 "$here/_console.py" "$scratch/wrong.md" "$scratch/wrong"
same "is wrong twice" "0 passed, 2 failed" "$(tail -n 1 "$scratch/out")"
finish
