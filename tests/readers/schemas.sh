#!/usr/bin/env bash
# The JSON Schemas in the programs that people use them with: kubeconform on the manifests of the tests, and yaml-language-server,
# which editors run. Needs Go and npm; what is downloaded stays below build/.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"

give_up() {
	echo "schemas: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}
readers=$root/tests/readers
work=$root/build/readers
program=$(realpath "$program")
for tool in go npm node; do
	command -v $tool >/dev/null || give_up "$tool is not installed"
done
# shellcheck source=tests/oracle/_go.sh
. "$root/tests/oracle/_go.sh"
mkdir -p "$work/bin" "$work/editor"
(cd "$readers/kubeconform" && go build -mod=readonly -o "$work/bin/kubeconform" github.com/yannh/kubeconform/cmd/kubeconform) >"$work/log" 2>&1 ||
	give_up "kubeconform cannot be built: $(tail -n 3 "$work/log")"
cp "$readers"/editor/* "$work/editor/"
(cd "$work/editor" && npm ci --no-audit --no-fund --ignore-scripts) >"$work/log" 2>&1 ||
	give_up "yaml-language-server cannot be installed: $(tail -n 3 "$work/log")"

counted "kubeconform" python3 -B "$readers/_schemas.py" "$program" "$work/bin/kubeconform" "$scratch"

# ---- documents as init writes them, and a profile and a KubeOneCluster ------------------------------------------------------
fleet=$scratch/edited
exits "init --editor" 0 "$program" init -q --editor --keys "$scratch/keys" "$fleet"
first=$(head -n 1 "$fleet/clusters/example/workers.yaml")
same "the first line names the schema" "# yaml-language-server: \$schema=../../osm-gen.schema.json" "$first"
exits "a profile" 0 "$program" profiles show osp-ubuntu
{ echo "$first" && cat "$scratch/out"; } >"$fleet/clusters/example/profile.yaml"
{ echo "$first" && cat "$root/tests/golden/kubeone-v1beta3/repo/clusters/prod/kubeone.yaml"; } >"$fleet/clusters/example/kubeone.yaml"
counted "yaml-language-server" node "$work/editor/editor.mjs" "$fleet"
finish
