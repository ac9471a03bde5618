#!/bin/sh
# make oracle [SEED=n] [PART=controller]: compare build/osm-gen with the real things, live. Needs Go. PART=controller leaves out
# sealed-secrets, Gardener and machine-controller, whose libraries take longer to build than the tests to run.
# The last line is the count; exit 0 all passed, 1 some failed, 3 the real
# things could not be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/oracle
: "${OSM_GEN:=$root/build/osm-gen}"
export OSM_GEN
mkdir -p "$work"

give_up() {
	echo "oracle: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}

command -v go >/dev/null || give_up "Go is not installed"
[ -x "$OSM_GEN" ] || give_up "no program at $OSM_GEN: run make first"

# shellcheck source=tests/oracle/_go.sh
. "$here/_go.sh"
use_modules go
(cd "$here" && go mod download k8c.io/operating-system-manager) ||
	give_up "the module of the controller cannot be downloaded"

build_sops "${sops_versions##* }" || give_up "sops cannot be built"
SOPS=$newest_sops
export SOPS

: "${SEED:=1}"
export SEED
cd "$here"
status=0
go test -count=1 -json -timeout 40m ./... >"$work/result.json" || status=$?
if [ "${PART:-all}" = controller ]; then
	go run ./cmd/count "$work/result.json" || exit 1
	exit "$status"
fi
# The sealed-secrets controller wants libraries of its own: a module beside this one.
(cd sealed && GOFLAGS=$go_flags go test -count=1 -json -timeout 40m ./...) >>"$work/result.json" || status=$?
# So does Gardener, of today and of 2021; gardenercases is what the tests against both share.
for module in gardenercases gardener gardener2021; do
	(cd "$module" && GOFLAGS=$go_flags go test -count=1 -json -timeout 40m ./...) >>"$work/result.json" || status=$?
done
# machine-controller links every cloud's libraries, one of which the module proxy does not serve: a copy of it without them.
copy=$work/machine-controller
if (cd machines && GOFLAGS=$go_flags go mod download k8c.io/machine-controller@v1.66.0); then
	rm -rf "$copy"
	cp -r "$(go env GOMODCACHE)/k8c.io/machine-controller@v1.66.0" "$copy"
	chmod -R u+w "$copy"
	cp machines/testdata/provider.go "$copy/pkg/cloudprovider/"
	(cd machines && GOFLAGS=$go_flags go test -count=1 -json -timeout 40m ./...) >>"$work/result.json" || status=$?
else
	give_up "the module of machine-controller cannot be downloaded"
fi
go run ./cmd/count "$work/result.json" || exit 1
exit "$status"
