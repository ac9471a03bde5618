#!/usr/bin/env bash
# make unit T=NAME: builds and runs one C test, and lists similar names if there is no such test.
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
finish
