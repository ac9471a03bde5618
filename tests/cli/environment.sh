#!/usr/bin/env bash
# Values of cloud-configs from the environment: only what --allow-env names, hidden like any secret,
# and an input like any other.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet repo)
cat >"$repo/tests/fleet/prod-us-1/azure.yaml" <<'END'
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {name: azure, namespace: kube-system}
spec:
  selector: {matchExpressions: [{key: pool, operator: DoesNotExist}]}
  template:
    spec:
      versions: {kubelet: 1.28.15}
      providerSpec:
        value:
          cloudProvider: azure
          cloudProviderSpec: {tenantID: tenant, subscriptionID: subscription, location: westeurope}
          operatingSystem: ubuntu
END
commit_all "$repo" "a machine with a legacy cloud-config"
flags=(--repo "$repo" --external-cloud-provider=false)
allow=(--allow-env "AZURE_CLIENT_ID,AZURE_CLIENT_SECRET" --allow-env POD_NAMESPACE)
export AZURE_CLIENT_ID=client-from-the-environment AZURE_CLIENT_SECRET='s3cret "from" the environment'
inputs=$(git -C "$repo" rev-parse HEAD)

exits "nothing is allowed" 2 "$program" "${flags[@]}"
says "the variable is named" "from its environment variable AZURE_CLIENT_SECRET, which is not allowed here"
says "and what to do" "give --allow-env prod-us-1:AZURE_CLIENT_SECRET"
exits "allowed and not set" 2 env -u AZURE_CLIENT_SECRET "$program" "${flags[@]}" "${allow[@]}"
says "that is reported" "which is not set here"
exits "validate" 0 "$program" validate "${flags[@]}" "${allow[@]}"
exits "validate reads none" 0 env -u AZURE_CLIENT_ID -u AZURE_CLIENT_SECRET "$program" validate "${flags[@]}" "${allow[@]}"
exits "validate knows what a run would lack" 2 "$program" validate "${flags[@]}"
exits "no such variable" 64 "$program" "${flags[@]}" --allow-env HOME
exits "not for every command" 64 "$program" profiles --allow-env AZURE_CLIENT_ID
same "nothing happened so far" "$inputs" "$(git -C "$repo" rev-parse HEAD)"

exits "allowed and set" 0 "$program" "${flags[@]}" "${allow[@]}"
osc=$repo/out/prod-us-1/management/kube-system/operatingsystemconfig-azure-kube-system-config.yaml
ok "hidden in the OSC" grep -qF '"aadClientId":<sealed:env:AZURE_CLIENT_ID>,"aadClientSecret":<sealed:env:AZURE_CLIENT_SECRET>' "$osc"
ok "in the clear nowhere" test -z "$(grep -rlF -e client-from-the -e 's3cret "from"' -e 's3cret \"from\"' "$repo/out")"
reveal() {
	"$program" render "${flags[@]}" "${allow[@]}" --machine-deployment prod-us-1/kube-system/azure --print provisioning "$@"
}
reveal --reveal | tr -d ' \n' | grep -o '[A-Za-z0-9+/=]\{80,\}' | while read -r text; do printf %s "$text" | base64 -d 2>/dev/null; done >"$scratch/files"
ok "the machine gets it" grep -qF '"aadClientId":"client-from-the-environment","aadClientSecret":"s3cret \"from\" the environment"' "$scratch/files"
ok "masked unless revealed" sh -c "! $(printf %q "$program") render $(printf '%q ' "${flags[@]}" "${allow[@]}") --machine-deployment prod-us-1/kube-system/azure --print osc | grep -q s3cret"

first=$(git -C "$repo" rev-parse HEAD)
exits "again" 0 "$program" "${flags[@]}" "${allow[@]}"
says "nothing to do" "is up to date"
exits "check" 0 "$program" check "${flags[@]}" "${allow[@]}"
AZURE_CLIENT_SECRET=another-one exits "another value" 1 "$program" check "${flags[@]}" "${allow[@]}"
AZURE_CLIENT_SECRET='' exits "an empty value is one" 1 "$program" check "${flags[@]}" "${allow[@]}"
PATH=$PATH:/nowhere exits "what is not named does not count" 0 "$program" check "${flags[@]}" "${allow[@]}"
same "the branch stands" "$first" "$(git -C "$repo" rev-parse HEAD)"
AZURE_CLIENT_SECRET=another-one exits "a new value is rolled out" 0 "$program" "${flags[@]}" "${allow[@]}"
ok "by a commit" test "$first" != "$(git -C "$repo" rev-parse HEAD)"

# A credential from there may stand in no manifest either.
sed -i 's/location: westeurope/location: another-one/' "$repo/tests/fleet/prod-us-1/azure.yaml"
commit_all "$repo" "a secret in the wrong place"
AZURE_CLIENT_SECRET=another-one exits "found in clear output" 2 "$program" "${flags[@]}" "${allow[@]}"
says "by its name" "env:AZURE_CLIENT_SECRET"

# Nor may what stands inside of one: here in base64, in JSON.
sed -i 's/location: another-one/location: k3y-of-the-account/' "$repo/tests/fleet/prod-us-1/azure.yaml"
cat >"$repo/tests/fleet/prod-us-1/gce.yaml" <<'END'
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {name: gce, namespace: kube-system}
spec:
  selector: {matchExpressions: [{key: pool, operator: DoesNotExist}]}
  template:
    spec:
      versions: {kubelet: 1.28.15}
      providerSpec:
        value:
          cloudProvider: gce
          cloudProviderSpec: {zone: europe-west3-a}
          operatingSystem: ubuntu
END
commit_all "$repo" "a member of a secret in the wrong place"
GOOGLE_SERVICE_ACCOUNT=$(printf '{"project_id": "the-project", "private_key": "k3y-of-the-account"}' | base64 -w0)
export GOOGLE_SERVICE_ACCOUNT
exits "found in clear output too" 2 "$program" "${flags[@]}" "${allow[@]}" --allow-env GOOGLE_SERVICE_ACCOUNT
says "by the name of the whole" "env:GOOGLE_SERVICE_ACCOUNT"
sed -i 's/location: k3y-of-the-account/location: westeurope/' "$repo/tests/fleet/prod-us-1/azure.yaml"
commit_all "$repo" "and out of it"
exits "where it belongs" 0 "$program" "${flags[@]}" "${allow[@]}" --allow-env GOOGLE_SERVICE_ACCOUNT
osc=$repo/out/prod-us-1/management/kube-system/operatingsystemconfig-gce-kube-system-config.yaml
ok "the project is hidden with its account" grep -qF 'project-id = <sealed:env:GOOGLE_SERVICE_ACCOUNT>' "$osc"
finish
