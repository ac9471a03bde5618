#!/usr/bin/env bash
# ci/cites, which looks where cites lead: that of this repository do, and what it says of those that do not.
# shellcheck disable=SC2016 # backquotes are those of Markdown
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

exits "all cites of this repository lead somewhere" 0 "$root/ci/cites"
sed 's/^/    /' "$scratch/out"

copy=$scratch/copy
mkdir -p "$copy/ci" "$copy/docs/spec" "$copy/src/yaml"
cp "$root/ci/cites" "$copy/ci/"
echo '# osm-gen' | tee "$copy/README.md" >"$copy/CONTRIBUTING.md"
echo 'all:' >"$copy/Makefile"
printf '# What it does\n\n## 1 Order\n\nText.\n\n### 1.1 First, of all\n\n```\n# 9 no heading\n```\n' >"$copy/docs/spec/controller.md"
exits "a small tree" 0 "$copy/ci/cites"

good() { # NAME FILE TEXT
	printf '%b\n' "$3" >"$copy/$2"
	exits "$1 is right" 0 "$copy/ci/cites"
	rm "$copy/$2"
}
mistake() { # NAME FILE TEXT EXPECTED
	printf '%b\n' "$3" >"$copy/$2"
	exits "$1 is a mistake" 1 "$copy/ci/cites"
	ok "$1: the message says where and what" grep -q "^$2:$4" "$scratch/out"
	rm "$copy/$2"
}

good "a document" src/yaml/a.c '/* as docs/spec/controller.md says */'
good "a section" src/yaml/a.c '/* (docs/spec/controller.md 1.1) */'
good "a section behind a line break" src/yaml/a.c '/*\n * (docs/spec/controller.md\n * 1.1).\n */'
good "several sections" src/yaml/a.c '/* (docs/spec/controller.md 1, 1.1; RFC 5869) */'
good "a link" docs/a.md 'See [the order](spec/controller.md#1-order), [this](spec/controller.md) 1.1 and `src/yaml/`.'
good "a placeholder" docs/a.md 'A file `tests/golden/NAME/` and `ci/{cites,cites}`.'
mistake "a document that is not there" src/yaml/a.c '/*\n * (docs/spec/nothing.md 1) */' '2: docs/spec/nothing.md is not there'
mistake "a section that is not there" src/yaml/a.c '/* (docs/spec/controller.md 1.2) */' '1: docs/spec/controller.md has no section 1.2'
mistake "one of several" src/yaml/a.c '/* (docs/spec/controller.md 1,\n * 7) */' '1: docs/spec/controller.md has no section 7'
mistake "a heading inside of code" src/yaml/a.c '/* (docs/spec/controller.md 9) */' '1: .* has no section 9'
mistake "a text from elsewhere" src/yaml/a.c '/* The order (osm.md 2.1). */' '1: osm.md is not in the repository'
mistake "a section from elsewhere" src/yaml/a.c '/* as it shall be (design 5) */' '1: "design 5" is a section of a text'
mistake "one behind a line break" ci/a.sh '# as it shall be (design\n# 5)' '1: "design # 5" is'
mistake "a link that leads nowhere" docs/a.md '[it](spec/it.md)' '1: spec/it.md is not there'
mistake "a link to no heading" docs/a.md '[it](spec/controller.md#2-names)' '1: .*: no such heading'
mistake "a section behind a link" docs/a.md '[it](spec/controller.md) 4' '1: docs/spec/controller.md has no section 4'
mistake "a path in a document" docs/a.md 'It is in `src/yaml/pen.c`.' '1: src/yaml/pen.c is not there'
printf '\n## 1 Again\n' >>"$copy/docs/spec/controller.md"
exits "a number given twice is a mistake" 1 "$copy/ci/cites"
ok "and named" grep -q '^docs/spec/controller.md: section 1 is there twice' "$scratch/out"
finish
