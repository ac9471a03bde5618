#!/usr/bin/env bash
# machineDeployments: output before the first apply: compare --live and doctor --live name the machines that would roll, by field,
# or that none would.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(small first)
manifest=$repo/clusters/prod/workers.yaml
settings() { # LINES: of the Fleet's defaults, in place of those before
	sed -i '/^  defaults:/,$d' "$repo/osm-gen.yaml"
	printf '  defaults:\n' >>"$repo/osm-gen.yaml"
	printf '    %s\n' "$@" >>"$repo/osm-gen.yaml"
}
live() { # PYTHON: changes o, the live MachineDeployment of the manifest
	python3 - "$manifest" "$1" >"$scratch/live.yaml" <<'END'
import sys, yaml
o = yaml.safe_load(open(sys.argv[1]))
o["metadata"] |= {"uid": "0d7d3a0e-6c1c-4d0c-9a7e-6a4f7d1f3c11", "resourceVersion": "77", "generation": 3}
o["status"] = {"replicas": 3}
exec(sys.argv[2])
print(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [o]}))
END
}
compare() { # NAME STATUS: of the live one, without what it lacks
	exits "$1" "$2" "$program" compare --repo "$repo" --live "$scratch/live.yaml" "${@:3}"
	grep -v '^only here: \|^    [a-z-]*/' "$scratch/out" >"$scratch/machines"
}

# ---- somebody else applies them: compare names the fields, too ------------------------------------------------------------------
live 'o["spec"]["template"]["spec"]["versions"]["kubelet"] = "1.34.1"'
compare "input" 1
ok "another template" grep -qxF "MachineDeployment kube-system/workers: another template than the live one: applying the manifest replaces its machines" "$scratch/out"
ok "by field" grep -qxF "    spec.template.spec.versions.kubelet: 1.34.1 -> 1.35.2" "$scratch/out"
same "nothing of the output" 0 "$(grep -c 'applying the output' "$scratch/out")"
exits "doctor" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "names it, too" grep -qF "look   machines    cluster prod: MachineDeployment kube-system/workers: another template than the live one: applying the manifest replaces its machines" "$scratch/out"
ok "by field" grep -qF "spec.template.spec.versions.kubelet: 1.34.1 -> 1.35.2" "$scratch/out"
ok "and counts" grep -qxF "note   machines    cluster prod: the output does not have 1 MachineDeployment; with the live template: 0" "$scratch/out"
live 'o["spec"]["replicas"] = 7'
exits "doctor, the live template" 0 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "has the live template" grep -qxF "ok     machines    cluster prod: the output does not have 1 MachineDeployment; with the live template: 1" "$scratch/out"
live 'o["metadata"]["name"] = "others"'
exits "doctor, not in the export" 0 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "is not compared" grep -qxF "note   machines    cluster prod: the output does not have 1 MachineDeployment; with the live template: 0; not in the export: 1" "$scratch/out"
exits "doctor without an export" 0 "$program" doctor --repo "$repo" -o json
same "has nothing to say" "[]" "$(jq -c '[.findings[] | select(.check == "machines")]' "$scratch/out")"
live 'o["spec"]["template"]["spec"]["versions"]["kubelet"] = "1.34.1"'

# ---- the output applies them -------------------------------------------------------------------------------------------------------
settings "machineDeployments: output"
commit_all "$repo" output
exits "doctor, before the first run" 0 "$program" doctor --repo "$repo"
ok "notes them" grep -qxF 'note   machines    cluster prod: the next run puts 1 MachineDeployment into the output for the first time' "$scratch/out"
ok "and how to know" grep -q 'osm-gen doctor --live FILE. lists the machines' "$scratch/out"
compare "output" 1
ok "its machines roll" grep -qxF "MachineDeployment kube-system/workers: another template than the live one: applying the output replaces its 3 machines" "$scratch/out"
ok "by field" grep -qxF "    spec.template.spec.versions.kubelet: 1.34.1 -> 1.35.2" "$scratch/out"
ok "all of them" grep -qxF "applying the output replaces 3 machines of 1 MachineDeployment" "$scratch/out"
compare "as JSON" 1 -o json
same "for programs" '{"namespace":"kube-system","name":"workers","template":"other","changes":[{"place":"spec.template.spec.versions.kubelet","here":"1.35.2","live":"1.34.1"}],"applied":true,"replicas":3,"liveReplicas":3}' \
	"$(jq -c '.machineDeployments[0] | del(.revision, .liveRevision)' "$scratch/out")"
exits "doctor" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "says so, too" grep -qF 'look   machines    cluster prod: MachineDeployment kube-system/workers: another template than the live one: applying the output replaces its 3 machines' "$scratch/out"
ok "by field" grep -qF "spec.template.spec.versions.kubelet: 1.34.1 -> 1.35.2" "$scratch/out"
exits "without keys" 1 env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" doctor --repo "$repo" --live "$scratch/live.yaml" -o json
same "the same" 1 "$(jq '[.findings[] | select(.check == "machines" and .level == "look")] | length' "$scratch/out")"

# ---- nothing rolls -------------------------------------------------------------------------------------------------------------------
live 'o["spec"]["template"]["metadata"]["creationTimestamp"] = None'
exits "the live template" 0 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "no machine" grep -qxF 'ok     machines    cluster prod: applying the output replaces no machine: 1 MachineDeployment has the live template' "$scratch/out"
compare "the live template" 1
ok "no machine" grep -qxF 'applying the output replaces no machine: 1 MachineDeployment has the live template' "$scratch/out"
same "and nothing else of machines" 2 "$(wc -l <"$scratch/machines")"
live 'o["spec"]["template"]["spec"]["metadata"] = {"annotations": {"a-webhook": "filled"}}; o["spec"]["template"]["spec"]["providerSpec"]["value"]["caPublicKey"] = ""'
exits "defaults of a webhook" 0 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "stay when appliers apply on the server" grep -qF 'applying the output replaces no machine: 1 MachineDeployment has the live template' "$scratch/out"
live 'o["spec"]["template"]["spec"]["taints"] = [{"key": "a", "effect": "NoSchedule"}]; o["metadata"]["annotations"]["kustomize.toolkit.fluxcd.io/prune"] = "disabled"'
exits "of an object that osm-gen wrote" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "a member that is gone rolls" grep -qF 'spec.template.spec.taints: ' "$scratch/out"
live 'o["metadata"]["name"] = "others"'
compare "another MachineDeployment is live" 1
ok "this one is unknown" grep -qxF 'applying the output replaces no machine: 0 MachineDeployments have the live template; 1 not in the export' "$scratch/out"

# ---- who counts the machines ---------------------------------------------------------------------------------------------------------
live 'o["spec"]["replicas"] = 20'
compare "replicas" 1
ok "17 are deleted" grep -qxF 'MachineDeployment kube-system/workers: same template, no machine is replaced; applying the output sets its replicas from 20 to 3' "$scratch/out"
settings "machineDeployments: output" "replicas: omit"
commit_all "$repo" omit
compare "omitted" 1
same "left alone" 0 "$(grep -c 'sets its replicas' "$scratch/out")"

# ---- the annotation of `roll` ----------------------------------------------------------------------------------------------------------
settings "machineDeployments: output" "roll: profile" "rollGuard: 9"
commit_all "$repo" roll
exits "the first digests" 0 "$program" generate --repo "$repo" -q
live 'pass'
exits "the first digests roll nothing" 0 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
sed -i 's/version: v1.0.0/version: v1.0.1/; s/echo {{ .KubeVersion }}/& twice/' "$repo/osp-small.yaml"
commit_all "$repo" "another profile"
compare "a changed profile" 1
ok "rolls by the annotation" grep -qE '^    spec\.template\.metadata\.annotations(\.osm-gen\.dev/roll-digest)?: .*\(absent\) -> ' "$scratch/out"
exits "generate" 0 "$program" generate --repo "$repo" -q
exits "once it is committed" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "doctor knows" grep -qF 'osm-gen.dev/roll-digest' "$scratch/out"

# ---- credentials are masked ------------------------------------------------------------------------------------------------------------
sed -i 's/cloudProviderSpec: {serverType: cx42}/cloudProviderSpec: {serverType: cx42, token: kQ7-not-for-everybody-93}/' "$manifest"
commit_all "$repo" "a token"
live 'o["spec"]["template"]["spec"]["providerSpec"]["value"]["cloudProviderSpec"]["token"] = "zX4-another-live-token-17"'
compare "another token" 1
ok "is named" grep -qxF '    spec.template.spec.providerSpec.value.cloudProviderSpec.token: *** -> ***' "$scratch/out"
same "and not shown" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cE 'not-for-everybody|another-live-token')"
exits "doctor" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "names it" grep -qF 'cloudProviderSpec.token: *** -> ***' "$scratch/out"
same "and shows nothing" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cE 'not-for-everybody|another-live-token')"

# ---- which cluster ---------------------------------------------------------------------------------------------------------------------
mkdir "$repo/clusters/two"
sed 's/name: prod/name: two/' "$repo/clusters/prod/osm-gen.yaml" >"$repo/clusters/two/osm-gen.yaml"
cp "$repo/clusters/prod/cluster-info.yaml" "$repo/clusters/two/"
commit_all "$repo" "two clusters"
exits "of two clusters" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml"
ok "one must be named" grep -q 'no cluster is known to be the one of --live' "$scratch/out"
exits "named" 1 "$program" doctor --repo "$repo" --live "$scratch/live.yaml" --cluster prod
ok "is compared" grep -q 'cluster prod: applying the output replaces 3 machines' "$scratch/out"
exits "an export that is missing" 3 "$program" doctor --repo "$repo" --live "$repo/osm-gen.yaml.none" --cluster prod
finish
