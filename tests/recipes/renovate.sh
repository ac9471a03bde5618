# Sourced by run.sh: the rule for Renovate. Its schema, its own file matching and regex manager (renovate.mjs), and RE2's syntax,
# which Renovate's regular expressions have to be of. Looking up versions is Renovate's, and needs the network.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

config=$recipes/renovate/renovate.json
schema=$work/npm/node_modules/renovate/renovate-schema.json
cat >"$scratch/validate.py" <<'PY'
import json, sys
import jsonschema
schema, document = (json.load(open(path)) for path in sys.argv[1:])
errors = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(document))
for error in errors:
    print("/".join(map(str, error.path)), error.message[:300])
sys.exit(bool(errors))
PY
exits "the schema" 0 python3 "$scratch/validate.py" "$schema" "$config"
sed 's/"regex",/"regexp",/' "$config" >"$scratch/wrong.json"
exits "the schema sees a mistake" 1 python3 "$scratch/validate.py" "$schema" "$scratch/wrong.json"
exits "RE2" 0 "$work/bin/recipes" re2 "$config"
sed 's/\[\[:space:\]\]\|(?:^|/(?=^|/' "$config" >"$scratch/wrong.json"
exits "RE2 has no look-ahead" 1 "$work/bin/recipes" re2 "$scratch/wrong.json"

clone=$(fleet renovated)
cat >"$clone/forms.yaml" <<'YAML'
a: {versions: {kubelet: 1.28.1}}
b:
  kubelet: "v1.29.2" # quoted
  "kubelet": 1.30.3
  # kubelet: 9.9.9
  notkubelet: 9.9.8
  kubelet: 1.31
  kubeletVersion: 9.9.7
c: |
  # renovate: datasource=github-releases depName=containerd/containerd
  CONTAINERD_VERSION=2.1.4
  # renovate: datasource=docker depName=pause
  pause: '3.10'
YAML
"$program" --repo "$clone" -q || give_up "the sample fleet cannot be generated"
git -C "$clone" add -A
exits "Renovate's extraction" 0 node "$work/npm/renovate.mjs" "$config" "$clone"
cp "$scratch/out" "$scratch/found.json"
found() { # FILE: what was found in it
	jq -r --arg file "$1" '.[$file] // [] | .[] | "\(.depName) \(.currentValue)"' "$scratch/found.json"
}
# Each kubelet that the program itself reads, and no other.
"$program" list --repo "$clone" -o json >"$scratch/list.json"
same "the kubelets of every MachineDeployment" "$(jq -r '.units[].kubeletVersion' "$scratch/list.json" | sort)" \
	"$(jq -r 'to_entries[] | select(.key | endswith("machinedeployments.yaml")) | .value[] | select(.depName == "kubelet") | .currentValue' \
		"$scratch/found.json" | sort)"
same "every form" "kubelet 1.28.1
kubelet 1.29.2
kubelet 1.30.3
containerd/containerd 2.1.4
pause 3.10" "$(found forms.yaml)"
for recipe in action.yml main.yml; do cp "$recipes/github/$recipe" "$clone/"; done
cp "$recipes/gitlab/.gitlab-ci.yml" "$recipes/gitlab/templates/osm-gen/template.yml" "$recipes/tekton/tasks.yaml" "$recipes/argo/workflowtemplate.yaml" \
	"$recipes/kubernetes/shards.yaml" "$recipes/pre-commit/.pre-commit-config.yaml" "$clone/"
git -C "$clone" add -A
exits "Renovate's extraction of the recipes" 0 node "$work/npm/renovate.mjs" "$config" "$clone"
for recipe in action.yml .gitlab-ci.yml template.yml tasks.yaml workflowtemplate.yaml shards.yaml .pre-commit-config.yaml; do
	same "osm-gen itself in $recipe" "osm-gen $version git-tags $url/home" \
		"$(jq -r --arg file "$recipe" '.[$file] // [] | .[] | "\(.depName) \(.currentValue) \(.datasource) \(.packageName)"' "$scratch/out" | sort -u)"
done
for profile in "$clone"/profiles/*.yaml; do
	same "cri-tools in ${profile##*/}" "$(sed -n 's/.*default_cri_tools_version=\(v[0-9.]*\).*/cri-tools \1/p' "$profile")" \
		"$(found "profiles/${profile##*/}")"
done
same "nothing in the output" "" "$(jq -r 'keys[] | select(startswith("out/"))' "$scratch/found.json")"
ok "the output has some" grep -rq "default_cri_tools_version=v" "$clone/out"
