#!/usr/bin/env bash
# make unit T=NAME: builds and runs one C test, and lists similar names if there is no such test. What ci/run-tests prints.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

exits "a name with a letter missing" 64 "$root/ci/run-tests" known osm_setings
says "the right name comes first" "tests/unit/osm_setings_test.c: no such test; similar: osm_settings,"
exits "a module without a test of that name" 64 "$root/ci/run-tests" known yaml secrecy
says "all tests of the module are listed" "secrecy_credential, secrecy_known,"
same "and only the unknown name is reported" 1 "$(grep -c . "$scratch/err")"
exits "nothing similar" 64 "$root/ci/run-tests" known qqq
says "all tests are listed" "there are audit, base,"
exits "a test" 0 "$root/ci/run-tests" known osm_settings

steps() { make -C "$root" --no-print-directory -n unit "T=$1" 2>&1; }
for name in osm_settings osm_settings_test tests/unit/osm_settings_test.c; do
	ok "T=$name runs the test" grep -qx "ci/run-tests unit osm_settings" <(steps "$name")
	same "T=$name links no other" "" "$(steps "$name" | grep -o 'LD .*/tests/unit/.*' | grep -v osm_settings_test)"
done

# ---- the runner: progress, the slowest, the last line --------------------------------------------------------------------------
suites=()
for name in a b c d e f g h i; do
	printf '#!/bin/sh\necho "1 passed, 0 failed"\n' >"$scratch/$name.sh"
	suites+=("$scratch/$name.sh")
done
# This one ends when it has been shown as running.
cat >"$scratch/long.sh" <<END
#!/bin/sh
for i in \$(seq 600); do grep -q 'running:.*/long' "$scratch/shown" && break; sleep 0.1; done
echo "2 passed, 0 failed, 1 skipped"
END
printf '#!/bin/sh\necho "skipped: no such program"\necho "0 passed, 1 failed, 1 skipped"\n' >"$scratch/wrong.sh"
chmod +x "$scratch"/*.sh
runner() { OSM_GEN_TEST_LOGS=$scratch/logs "$root/ci/run-tests" scripts "$@"; }
: >"$scratch/shown"
OSM_GEN_TEST_PROGRESS=1 runner "$scratch/long.sh" "${suites[@]}" >"$scratch/shown" 2>&1
same "all pass" 0 $?
ok "the others are done meanwhile" grep -qE '^ +[0-9]+ s  [0-9]+ done, running: .*/long \([0-9]+ s\)' "$scratch/shown"
ok "the slowest are named" grep -qE '^slowest: .*/(long|[a-i]) [0-9]+ s \([0-9]+\), ' "$scratch/shown"
same "the last line counts" "11 passed, 0 failed, 1 skipped" "$(tail -n 1 "$scratch/shown")"
exits "without a terminal, one fails" 1 runner "$scratch/wrong.sh" "${suites[@]}"
same "no progress is shown" 0 "$(grep -c 'running:' "$scratch/out")"
ok "the reason of what was skipped is" grep -qF "skipped: no such program" "$scratch/out"
same "the last line counts the failure" "9 passed, 1 failed, 1 skipped" "$(tail -n 1 "$scratch/out")"
finish
