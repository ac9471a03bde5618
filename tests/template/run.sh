#!/bin/sh
# Template cases: our own, whose results real Go gave (tests/oracle/cmd/template -fill), and the
# conformance collection where it lies beside the repository. KNOWN lists the differences that are
# meant to be, one case a line with its reason.
# Needs: build/asan/template-cases
set -u
cd "$(dirname "$0")/../.." || exit 1
program=${TEMPLATE_CASES:-build/${OSM_GEN_TEST_BUILD:-asan}/template-cases}
collection=../shared/conformance/template
passed=0 failed=0 skipped=0

[ -x "$program" ] || {
	echo "no $program: run make $program"
	echo "0 passed, 1 failed"
	exit 1
}

check() { # NAME [OPTION...] < CASES
	name=$1
	shift
	log=$(mktemp)
	# The day on which the conformance cases were made.
	"$program" "$@" --known tests/template/KNOWN --now 1795176000 >"$log" 2>&1
	summary=$(grep -E '^[0-9]+ equal, ' "$log" | tail -n 1)
	# shellcheck disable=SC2046 # words on purpose
	set -- "$name" $(echo "$summary" | tr -cd '0-9 ')
	if [ $# -lt 3 ]; then
		failed=$((failed + 1))
	else
		passed=$((passed + $2 + $4))
		failed=$((failed + $3))
	fi
	echo "$1: $summary"
	grep -vE '^[0-9]+ equal, ' "$log" | head -n 60
	rm -f "$log"
}

for cases in tests/template/*.jsonl; do
	name=$(basename "$cases" .jsonl)
	check "$name" --check <"$cases"
done
for set in core sprig osp; do
	if [ -e "$collection/$set.jsonl" ]; then
		check "conformance/$set" --check <"$collection/$set.jsonl"
	else
		echo "conformance/$set: not here, skipped"
		skipped=$((skipped + 1))
	fi
done
if [ -e "$collection/fuzz.jsonl.gz" ]; then
	gzip -dc "$collection/fuzz.jsonl.gz" >build/fuzz-cases.jsonl
	check conformance/fuzz --check <build/fuzz-cases.jsonl
else
	echo "conformance/fuzz: not here, skipped"
	skipped=$((skipped + 1))
fi
if [ -e "$collection/regex.txt.gz" ]; then
	gzip -dc "$collection/regex.txt.gz" >build/regex-cases.txt
	check conformance/regex --regex <build/regex-cases.txt
else
	echo "conformance/regex: not here, skipped"
	skipped=$((skipped + 1))
fi
if [ "$skipped" -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
