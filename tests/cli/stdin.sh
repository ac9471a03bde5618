#!/usr/bin/env bash
# validate -, render - and unseal -: from standard input, without a repository.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
repo=$(fleet stdin)
mkdir "$scratch/empty"
cd "$scratch/empty" || exit 1
cluster=$repo/tests/fleet/prod-us-1
# The documents of files, in one stream.
stream() {
	local file
	for file in "$@"; do
		cat "$file"
		echo ---
	done
}
stream "$repo/osm-gen.yaml" "$cluster"/*.yaml >"$scratch/cluster.yaml"
render() { "$program" render - --machine-deployment "$@" <"$scratch/cluster.yaml"; }

# ---- validate ----------------------------------------------------------------------------------------------------------
exits "validate" 0 env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" validate - <"$scratch/cluster.yaml"
says "everything is there" "1 cluster, 2 MachineDeployments"
exits "without any settings" 0 "$program" validate - < <(stream "$cluster"/[!o]*.yaml)
exits "nothing" 0 "$program" validate - </dev/null
says "is nothing to render" "OSG6111]: there is no MachineDeployment in standard input"
exits "no standard input" 3 "$program" validate - <&-
says "is said" "standard input"
sed 's/cloudProvider: aws/cloudProvider: awss/' "$scratch/cluster.yaml" >"$scratch/wrong.yaml"
exits "a mistake" 2 "$program" validate - <"$scratch/wrong.yaml"
says "has its line" "standard input:$(grep -n awss "$scratch/wrong.yaml" | cut -d : -f 1):"
exits "a report" 2 "$program" validate - --report "json=$scratch/report.json" <"$scratch/wrong.yaml"
ok "has it, too" jq -e '.diagnostics[] | select(.path == "standard input")' "$scratch/report.json"
exits "no YAML" 2 "$program" validate - < <(printf 'kind: Secret\napiVersion: v1\nstringData: {password: geheim\n')
ok "shows no secret" bash -c "! grep -q geheim $scratch/err"
ok "and names no ignore file" bash -c "! grep -q osm-gen-ignore $scratch/err"
python3 - "$cluster"/[!o]*.yaml >"$scratch/list.json" <<'END'
import json, sys, yaml
items = [document for name in sys.argv[1:] for document in yaml.safe_load_all(open(name)) if document]
json.dump({"apiVersion": "v1", "kind": "List", "items": items}, sys.stdout, indent=4, default=str)
END
exits "what kubectl prints" 0 "$program" validate - <"$scratch/list.json"
says "is a cluster" "2 MachineDeployments"
exits "two Clusters" 2 "$program" validate - < <(stream "$scratch/cluster.yaml" "$repo/tests/fleet/edge-eu-1/osm-gen.yaml")
exits "too many values" 2 "$program" validate - --max-values 10 <"$scratch/cluster.yaml"
exits "too many bytes" 2 "$program" validate - --max-input 1K <"$scratch/cluster.yaml"

# ---- render: as of a repository that holds the same -----------------------------------------------------------------------
same_as_repository() { # NAME MACHINE-DEPLOYMENT PART OPTION...
	local name=$1 want
	shift
	want=$("$program" render --repo "$repo" --machine-deployment "$1" --print "$2" "${@:3}")
	exits "$name" 0 render "$1" --print "$2" "${@:3}"
	ok "$name: there is something" test "${#want}" -gt 100
	same "$name: as of the repository" "$want" "$(cat "$scratch/out")"
}
same_as_repository "a config" prod-us-1/kube-system/workers osc
same_as_repository "bootstrap user-data" prod-us-1/kube-system/workers bootstrap
same_as_repository "provisioning user-data, revealed" prod-us-1/kube-system/build provisioning --reveal
exits "without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" render - --machine-deployment kube-system/build --print osc <"$scratch/cluster.yaml"
says "there are stand-ins" "OSG2032"
exits "a setting as a flag" 0 render kube-system/build --print osc --pause-image registry.example/pause:3
ok "is heeded" grep -q registry.example/pause:3 "$scratch/out"
exits "none of that name" 2 render kube-system/buildd --print osc
says "has a nearest one" "did you mean kube-system/build?"
mkdir "$scratch/secrets"
exits "--secrets goes with it" 0 render kube-system/build --print osc --secrets "$scratch/secrets"
same "nothing was written" "" "$(ls -A)"

# ---- what does not go with it -----------------------------------------------------------------------------------------------
for option in --repo=x --out=x --rev=HEAD --worktree; do
	exits "$option" 64 "$program" validate - $option </dev/null
	says "$option is refused" "does not go with -"
done
exits "their variables are for other runs" 0 env OSM_GEN_REPO=/nowhere OSM_GEN_WORKTREE=true OSM_GEN_REV=x "$program" validate - <"$scratch/cluster.yaml"
exits "a file is no argument" 64 "$program" validate cluster.yaml
says "and what is" "- reads manifests from standard input"
exits "generate takes none" 64 "$program" generate -
exits "two are too many" 64 "$program" validate - - </dev/null

# ---- unseal -----------------------------------------------------------------------------------------------------------------
exits "the output" 0 "$program" --repo "$repo"
sealed=$repo/out/prod-us-1/worker/cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config.yaml
want=$("$program" unseal "$sealed")
exits "unseal" 0 "$program" unseal - <"$sealed"
same "is what the file gives" "$want" "$(cat "$scratch/out")"
cd "$repo/out/prod-us-1/worker" || exit 1
exits "a text has no place that it could be wrong in" 0 "$program" unseal - <"$sealed"
cd "$scratch/empty" || exit 1
cp "$sealed" "$scratch/copy"
exits "beside files" 0 "$program" unseal "$sealed" - <"$scratch/copy"
same "in their order" "$want
---
$want" "$(cat "$scratch/out")"
exits "what is not sealed" 2 "$program" unseal - <"$repo/osm-gen.yaml"
says "is named" "standard input"
sed 's/kubelet-bootstrap-config/kubelet-bootstrap-confog/' "$sealed" >"$scratch/tampered"
exits "a text that was changed" 2 "$program" unseal - <"$scratch/tampered"
same "prints nothing" "" "$(cat "$scratch/out")"
finish
