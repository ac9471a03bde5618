#!/usr/bin/env bash
# Names that look like markup, commands and escapes, in each form of a report, read by the programs that read them: an XML parser,
# GitHub's Markdown, Chromium, JSON, a workflow's runner, a terminal. None adds a tag, a member, a command or a colour.
# Needs: build/asan/unit
# Slow: opens pages in a browser
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

mkdir "$scratch/reports"
ok "the reports are written" env OSM_GEN_REPORTS="$scratch/reports" "$root/build/${OSM_GEN_TEST_BUILD:-asan}/unit" report_hostile
for name in chromium cmark-gfm; do
	command -v "$name" >/dev/null || skip "no $name: what it reads is not compared"
done
counted "the readers" python3 -B "$here/_report_parsers.py" "$scratch/reports"
finish
