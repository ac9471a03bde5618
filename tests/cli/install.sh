#!/usr/bin/env bash
# What `make install` puts where, what `make uninstall` leaves, and that a build is the same bytes in any folder.
# Slow: builds twice, installs and removes
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
cd "$root" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS WERROR CPPFLAGS CFLAGS CXXFLAGS LDFLAGS PREFIX DESTDIR

# What is built is there.
made() { make -s --no-print-directory "$@"; }
installed() { (cd "$1" && find . -mindepth 1 -type f | sort | sed 's|^\./||'); }

# ---- install and uninstall ---------------------------------------------------------------------------
stage=$scratch/"a stage"
exits "install below DESTDIR" 0 made install DESTDIR="$stage"
ok "in /usr/local" test -x "$stage/usr/local/bin/osm-gen"
same "the program runs" "$("$root/build/osm-gen" --version)" "$("$stage/usr/local/bin/osm-gen" --version)"
ok "with the manual of each command" test "$(find "$stage/usr/local/share/man/man1" -name 'osm-gen*.1' | wc -l)" -eq \
	$(($(build/osm-gen help | sed -n '/^Commands/,/^$/p' | grep -c '^  [a-z]') + 1))
for file in bash-completion/completions/osm-gen zsh/site-functions/_osm-gen fish/vendor_completions.d/osm-gen.fish; do
	ok "with $file" test -s "$stage/usr/local/share/$file"
done
ok "it is the one that was built" cmp build/osm-gen "$stage/usr/local/bin/osm-gen"
same "it is nobody's to write but the owner's" 755 "$(stat -c %a "$stage/usr/local/bin/osm-gen")"
touch "$stage/usr/local/bin/another"
exits "uninstall" 0 made uninstall DESTDIR="$stage"
same "leaves what is not its own" usr/local/bin/another "$(installed "$stage")"
exits "uninstall again" 0 made uninstall DESTDIR="$stage"

exits "another PREFIX" 0 made install DESTDIR="$scratch/b" PREFIX=/usr
ok "and there it is" test -x "$scratch/b/usr/bin/osm-gen"
exits "another bindir" 0 made install DESTDIR="$scratch/c" PREFIX=/usr bindir=/opt/tools
ok "and there it is, too" test -x "$scratch/c/opt/tools/osm-gen"
ok "and nowhere else" test ! -e "$scratch/c/usr/bin"
ok "its manual stays with PREFIX" test -s "$scratch/c/usr/share/man/man1/osm-gen.1"
exits "uninstall with the same words" 0 made uninstall DESTDIR="$scratch/c" PREFIX=/usr bindir=/opt/tools
same "leaves nothing" "" "$(installed "$scratch/c")"
exits "another mandir" 0 made install DESTDIR="$scratch/e" PREFIX=/usr mandir=/opt/man
ok "is heeded" test -s "$scratch/e/opt/man/man1/osm-gen-plan.1" -a ! -e "$scratch/e/usr/share/man"
exits "without DESTDIR" 0 made install PREFIX="$scratch/d"
ok "into PREFIX itself" test -x "$scratch/d/bin/osm-gen"

# ---- the flags of whoever packages -------------------------------------------------------------------
# Each compiles and links with them; without them warnings end nothing.
compiled() { make -n -B BUILD="$scratch/n" "$@" 2>/dev/null | grep -E -- ' -c -o | -o [^ ]*/osm-gen '; }
commands=$(compiled "$scratch/n/osm-gen" CPPFLAGS=-DA_CPP CFLAGS=-DA_C CXXFLAGS=-DA_CXX LDFLAGS=-Wl,--a-link)
ok "CFLAGS reach each C file" test "$(grep -c -- '-DA_CPP -DA_C .* -c -o ' <<<"$commands")" -gt 300
ok "CXXFLAGS each of C++" grep -q -- '-DA_CPP -DA_CXX .*re2.o' <<<"$commands"
ok "LDFLAGS the program" grep -q -- '-Wl,--a-link -o [^ ]*/osm-gen ' <<<"$commands"
same "no -Werror by default" 0 "$(grep -c -- -Werror <<<"$commands")"
commands=$(compiled "$scratch/n/osm-gen" CPPFLAGS=-D_FORTIFY_SOURCE=3)
same "a level of _FORTIFY_SOURCE is theirs alone, as Ubuntu gives it" 0 "$(grep -c -- '_FORTIFY_SOURCE=2' <<<"$commands")"
ok "for each file" test "$(grep -c -- '-D_FORTIFY_SOURCE=3 .*-c -o ' <<<"$commands")" -gt 300
commands=$(compiled "$scratch/n/osm-gen" WERROR=1)
ok "WERROR=1 ends a build with warnings" test "$(grep -c -- '-Werror .* -c -o ' <<<"$commands")" -gt 300
# Where pkg-config says that headers lie, they are looked for.
mkdir "$scratch/pc"
cat >"$scratch/pc/libgit2.pc" <<'END'
Name: libgit2
Description: of a test
Version: 1.5.0
Cflags: -I/a/folder/of/its/own
Libs: -L/a/folder/of/its/own -lgit2
END
commands=$(PKG_CONFIG_PATH="$scratch/pc" compiled "$scratch/n/osm-gen")
ok "pkg-config says where headers are" grep -q -- '-I/a/folder/of/its/own .* -c -o ' <<<"$commands"
ok "and libraries" grep -q -- '-L/a/folder/of/its/own .*-o [^ ]*/osm-gen\|-o [^ ]*/osm-gen .*-L/a/folder/of/its/own' <<<"$commands"

# ---- the same bytes --------------------------------------------------------------------------------
# A C file, the C++ one, what is generated, and what holds the source digest; `make portability` takes the whole program.
exits "two builds in two folders are the same" 0 ci/reproducible build/release/src/lib/base/buf.o build/release/src/lib/regex/re2.o \
	build/release/gen/profiles.o build/release/gen/page.o build/release/cmd/osm-gen/run.o
ok "all of them" grep -qx '5 passed, 0 failed' "$scratch/out"
finish
