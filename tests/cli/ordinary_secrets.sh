#!/usr/bin/env bash
# Secrets that hold ordinary files (scripts, units, manifests, configurations) beside clear files that have many of the
# same lines: such lines refuse no run, and a line with a credential is still found when it would be written in the clear.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
make_them() { python3 "$here/ordinary_secrets.py" "$@"; }
make_them canaries >"$scratch/canaries"
count=$(wc -l <"$scratch/canaries")
ok "at least thirty files" test "$count" -ge 30

# ---- Kubermatic's dialect: files of an extension ---------------------------------------------------------------
kubermatic=$(fleet kubermatic)
in=$kubermatic/tests/fleet/edge-eu-1
make_them kubermatic "$in"
commit_all "$kubermatic" "ordinary files"
exits "kubermatic: ordinary files" 0 "$program" --repo "$kubermatic"
ok "kubermatic: the clear ones are in the output" grep -rq 'set -euo pipefail' "$kubermatic/out/edge-eu-1/management"
ok "kubermatic: the others are marks" grep -rq '<sealed:kube-system/wireguard:wg0.conf' "$kubermatic/out/edge-eu-1/management"

# ---- Gardener's ------------------------------------------------------------------------------------------------
gardener=$scratch/gardener
mkdir "$gardener"
git -C "$gardener" -c init.defaultBranch=main init -q
make_them gardener "$gardener"
sed '/^  defaults:/,/^    clusterDNS/d; /^  commit:/,$d' "$root/osm-gen.yaml" >"$gardener/osm-gen.yaml"
commit_all "$gardener" "ordinary files"
exits "gardener: ordinary files" 0 "$program" --repo "$gardener"

# ---- a line of each that would be written in the clear ---------------------------------------------------------
# Credentials that stand in a text with structure are known by themselves, and so reported where they are written.
found() { # DIALECT NAMESPACE NAME LINE
	ok "$1: $3, the Secret is named" grep -q "would hold .*the secret $2/$3:" "$scratch/err"
	grep -q "^[^ ]*secrets.yaml:.*would hold line $4 of the secret $2/$3:" "$scratch/err" && at_secret=$((at_secret + 1))
}
at_secret=0
while IFS=$'\t' read -r name number line; do
	cat >"$in/leak.yaml" <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemProfileExtension
metadata: {name: leak}
spec: {provisioningConfig: {files: [{path: /etc/leak, permissions: 644, content: {inline: {encoding: "", data: '{{ "$(printf '%s' "$line" | base64 -w0)" | b64dec }}'}}}]}}
YAML
	exits "kubermatic: $name, by a template" 2 "$program" -q --worktree --no-commit --repo "$kubermatic"
	found kubermatic kube-system "$name" "$number"
	ok "kubermatic: $name is not printed" bash -c "! grep -qF -- '${line//\'/}' '$scratch/err'"
	# Of a Secret that is a text with structure (YAML, JSON) and goes into no user-data, only what has a credential's
	# name is looked for.
	case $name in static-pod | cloud-config | service-account | kubelet-config | ipsec) continue ;; esac
	# Whoever commits the same line in the clear does not make it public: it has the form of a credential.
	python3 - "$gardener/leak.yaml" "$line" <<'PY'
import json, sys
document = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemExtension", "metadata": {"name": "leaky"},
            "spec": {"version": "v1.0.0", "types": ["ubuntu"], "contract": "current", "provision": {"format": "bash"}, "reconcile": {
                "files": [{"path": "/etc/leak", "permissions": "0644", "content": sys.argv[2] + "\n"}]}}}
json.dump(document, open(sys.argv[1], "w"))
PY
	exits "gardener: $name, in a clear manifest" 2 "$program" -q --worktree --no-commit --repo "$gardener"
	found gardener shoot "$name" "$number"
done <"$scratch/canaries"
ok "nearly all are reported at the Secret's line ($at_secret)" test "$at_secret" -ge $((2 * count - 10))
finish
