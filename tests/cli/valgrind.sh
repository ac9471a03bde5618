#!/usr/bin/env bash
# The release build under valgrind, which sees into the libraries too: no error, no memory lost.
# Slow: valgrind takes forty times as long
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

if ! command -v valgrind >/dev/null 2>&1; then
	skip "valgrind is not installed"
	finish
fi
watched=(valgrind --quiet --error-exitcode=99 --leak-check=full
	"--errors-for-leak-kinds=definite,indirect,possible" "$root/build/osm-gen")

repo=$(fleet watched)
exits "a first run" 0 "${watched[@]}" --repo "$repo" -j 2
exits "nothing new" 0 "${watched[@]}" check --repo "$repo" -j 2
sed -i 's/kubelet: 1.34.1/kubelet: 1.34.2/' "$repo"/tests/fleet/prod-us-1/machinedeployments.yaml
commit_all "$repo" "kubelet 1.34.2"
exits "a difference" 1 "${watched[@]}" diff --repo "$repo" -j 2
exits "a second run" 0 "${watched[@]}" --repo "$repo" -j 2
secret=$(find "$repo/out" -name '*-kubelet-bootstrap-config.yaml' | sort | head -n 1)
exits "unseal" 0 "${watched[@]}" unseal "$secret"
printf 'kind: MachineDeployment\nmetadata: [\n' >"$repo/broken.yaml"
commit_all "$repo" "broken"
exits "a mistake" 2 "${watched[@]}" --repo "$repo" -j 2

finish
