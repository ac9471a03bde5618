#!/usr/bin/env bash
# Reports whose names look like markup and commands, under the JSON schema of SARIF 2.1.0. A package of npm has it, in the form that
# JSON Schema Store published at the standard's release; what is downloaded stays below build/.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"
work=$root/build/readers/sarif
package=@microsoft/jest-sarif@1.0.0-beta.0
archive=microsoft-jest-sarif-1.0.0-beta.0.tgz
sha512=0357ce84f77a21ce620e4e05f583f0d6a341e1717eefe22f891ef197caf617a433424c7972963d2ec1a4dab1318852047016e3a559d29b058606e9004a4890f4

command -v npm >/dev/null || skip "no npm: SARIF's schema cannot be had"
mkdir -p "$work" "$scratch/reports"
[ -e "$work/$archive" ] || exits "the package of the schema" 0 npm pack "$package" --silent --pack-destination "$work"
ok "it is the one that is meant" sha512sum --check --quiet <<<"$sha512  $work/$archive"
ok "it has the schema" tar -xzf "$work/$archive" -C "$work" package/lib/schemas/sarif-2.1.0-rtm.5.json
ok "the reports are written" env OSM_GEN_REPORTS="$scratch/reports" "$root/build/${OSM_GEN_TEST_BUILD:-asan}/unit" report_hostile
counted "the reports" python3 -B "$root/tests/cli/_report_parsers.py" "$scratch/reports" "$work/package/lib/schemas/sarif-2.1.0-rtm.5.json"
finish
