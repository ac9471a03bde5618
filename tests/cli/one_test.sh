#!/usr/bin/env bash
# The runner of tests: names of suites, what it prints of each, in which order, and its last line (ci/run-tests).
# shellcheck disable=SC2016 # $ in single quotes is meant
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

known() { "$root/ci/run-tests" known "$@"; }
exits "a name with a letter missing" 64 known unit/osm_setings
says "the right name comes first" "unit/osm_setings: no such test; similar: unit/osm_settings,"
exits "a name without its folder" 64 known plan
says "the suite of that name is named" "plan: no such test; similar: cli/plan"
exits "a module without a test of that name" 64 known unit/yaml unit/secrecy
says "all tests of the module are listed" "unit/secrecy_credential, unit/secrecy_known,"
same "and only the unknown name is reported" 1 "$(grep -c . "$scratch/err")"
exits "nothing similar" 64 known qqq
says "all tests are listed" "there are cli/admission, "
exits "names as people write them" 0 known unit/osm_settings tests/unit/osm_settings_test.c tests/cli/plan.sh golden fuzz/yaml cli/plan review

steps() { make -C "$root" --no-print-directory -n "$@" 2>&1; }
for name in osm_settings osm_settings_test tests/unit/osm_settings_test.c; do
	ok "T=$name runs the test" grep -qx "ci/run-tests all unit/osm_settings" <(steps unit "T=$name")
done
ok "make test T=cli/plan runs that suite" grep -qx "ci/run-tests test cli/plan" <(steps test T=cli/plan)
ok "make test-all T=golden runs that suite with sanitizers" grep -qx "ci/run-tests all golden" <(steps test-all T=golden)

# ---- what it prints ----------------------------------------------------------------------------------------------------------
suites=()
for name in a b c d e f g h i j; do
	printf '#!/bin/sh\necho "1 passed, 0 failed"\n' >"$scratch/$name.sh"
	suites+=("$scratch/$name.sh")
done
# This one ends when it has been shown as running.
cat >"$scratch/long.sh" <<END
#!/bin/sh
for i in \$(seq 600); do grep -q 'running:.*long' "$scratch/shown" && break; sleep 0.1; done
echo "2 passed, 0 failed, 1 skipped"
END
printf '#!/bin/sh\necho "skipped: no such program"\necho "what went wrong"\necho "0 passed, 1 failed, 1 skipped"\n' >"$scratch/wrong.sh"
printf '#!/bin/sh\necho "not a word of counts"\n' >"$scratch/silent.sh"
printf '#!/bin/sh\necho "3 passed, 0 failed"\nkill -SEGV $$\n' >"$scratch/crash.sh"
chmod +x "$scratch"/*.sh
runner() { OSM_GEN_TEST_LOGS=$scratch/logs "$root/ci/run-tests" scripts "$@"; }
: >"$scratch/shown"
OSM_GEN_TEST_PROGRESS=1 runner "$scratch/long.sh" "${suites[@]}" >"$scratch/shown" 2>&1
same "all pass" 0 $?
same "the first line counts the suites" "11 suites: 11 scripts" "$(sed -n '1s/;.*//p' "$scratch/shown")"
ok "the others are done meanwhile" grep -qE '^ +[0-9]+ s  [0-9]+ done, running: .*long \([0-9]+ s\)' "$scratch/shown"
ok "a line says how many have ended" grep -qE '^\[ 11/11\] ok   long \(2, 1 skipped\)' "$scratch/shown"
ok "the slowest are named" grep -qE '^slowest: ' "$scratch/shown"
same "the last line counts" "12 passed, 0 failed, 1 skipped" "$(tail -n 1 "$scratch/shown")"
exits "some fail" 1 runner "$scratch/wrong.sh" "$scratch/silent.sh" "$scratch/crash.sh" "${suites[@]}"
same "no progress is shown without a terminal" 0 "$(grep -c 'running:' "$scratch/out")"
ok "a failure has the command that repeats it" grep -qE '^\[ *[0-9]+/13\] FAIL wrong \(0, 1 skipped, 1 failed\), 0 s; again: make test T=wrong$' "$scratch/out"
ok "and its log" grep -qx "    what went wrong" "$scratch/out"
ok "it is repeated at the end" grep -qE '^FAIL  wrong: 1 failed, see .*; again: make test T=wrong$' <(tail -n 4 "$scratch/out")
ok "a suite that counts nothing fails" grep -qE 'FAIL silent \(0, 1 failed\)' "$scratch/out"
ok "so does one that ends by a signal" grep -qE 'FAIL crash \(3, 1 failed\)' "$scratch/out"
same "the last line counts the failures" "13 passed, 3 failed, 1 skipped" "$(tail -n 1 "$scratch/out")"
if command -v script >/dev/null; then
	OSM_GEN_TEST_LOGS=$scratch/logs script -qec "'$root/ci/run-tests' scripts '$scratch/a.sh' '$scratch/wrong.sh'" /dev/null </dev/null >"$scratch/terminal" 2>&1
	ok "a terminal shows failures in red" grep -qF $'\033[31m' "$scratch/terminal"
else
	skip "no program script: the runner on a terminal"
fi

# ---- slow suites, and programs that are missing --------------------------------------------------------------------------------
same "every slow suite has a reason" "" "$(grep -lx '# Slow: *' "$root"/tests/*/*.sh)"
mkdir -p "$scratch/copy/tests/cli" "$scratch/copy/tests/keys"
cp "$here/_lib.sh" "$scratch/copy/tests/cli/"
cp "$root/tests/keys/TEST-ONLY"* "$scratch/copy/tests/keys/"
printf '#!/usr/bin/env bash\n# A test.\n# Needs: build/osm-gen-leaky\n. "$(dirname "$0")/_lib.sh"\nfinish\n' >"$scratch/copy/tests/cli/alone.sh"
exits "a script without its program" 1 env -u OSM_GEN bash "$scratch/copy/tests/cli/alone.sh"
ok "names what builds it" grep -qE 'needs build/osm-gen: run make build/osm-gen$' "$scratch/out"
mkdir "$scratch/copy/build"
printf '#!/bin/sh\n' >"$scratch/copy/build/osm-gen"
chmod +x "$scratch/copy/build/osm-gen"
exits "nor with one of two" 1 env -u OSM_GEN bash "$scratch/copy/tests/cli/alone.sh"
ok "names the other" grep -qE 'needs build/osm-gen-leaky: run make build/osm-gen-leaky$' "$scratch/out"

# ---- packages -------------------------------------------------------------------------------------------------------------------
look() { PATH=$scratch/path "$scratch/path/sh" "$root/ci/install" "$@"; }
mkdir "$scratch/path"
for name in sh dirname sed grep id env cat printf sleep; do ln -s "$(command -v $name)" "$scratch/path/$name"; done
exits "no compiler and no library" 1 look --look build
says "each package is named" "These Debian packages are missing: gcc g++ make pkg-config git libgit2-dev"
says "where apt is not" "Install what this system calls them"
printf '#!/bin/sh\necho "$@" >>"%s/apt"\n' "$scratch" >"$scratch/path/apt-get"
chmod +x "$scratch/path/apt-get"
exits "with apt" 1 look --look build
says "the command is named" "make setup     (or "
printf '#!/bin/sh\necho 1000\n' >"$scratch/path/not-root"
chmod +x "$scratch/path/not-root"
rm "$scratch/path/id"
ln -s not-root "$scratch/path/id"
exits "neither root nor sudo" 1 look --allowed build
says "nothing is installed, and the command is named" "Install them: as root: make setup     (or as root: apt-get install gcc"
ok "apt was not called" test ! -e "$scratch/apt"
printf '#!/bin/sh\n[ "$1" = -n ] && exit 1\nexec "$@"\n' >"$scratch/path/sudo"
chmod +x "$scratch/path/sudo"
exits "a sudo that asks for a password" 1 look --allowed build
says "is not called" "Install them: sudo make setup"
printf '#!/bin/sh\n[ "$1" = -n ] && exit 0\nexec "$@"\n' >"$scratch/path/sudo"
exits "a sudo that does not" 0 look --allowed build
says "is, and it is said first" "They are installed now, with sudo."
ok "apt installs them" grep -qE '^install -y .* gcc g\+\+ make' "$scratch/apt"
finish
