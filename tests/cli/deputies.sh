#!/usr/bin/env bash
# CI holds the keys of every cluster: a commit must not have it open one cluster's secrets for another
# (docs/security.md, "Confused deputies").
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk
keyless() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" "$@"; }

# ---- a sealed file, copied --------------------------------------------------------------------------
# What osm-gen sealed serves as an encrypted input: it is looked up by its name.
repo=$(fleet copied)
exits "generate" 0 "$program" --repo "$repo"
name=kube-system-workers-kubelet-bootstrap-config
for cluster in edge-eu-1 prod-us-1; do
	sed -i "s|^  settings:|  settings:\n    nodeRegistryCredentialsSecret: cloud-init-settings/$name|" "$repo/tests/fleet/$cluster/osm-gen.yaml"
done
sed '1d' "$repo/out/prod-us-1/worker/cloud-init-settings/secret-$name.yaml" >"$repo/tests/fleet/prod-us-1/sealed.yaml"
base=$(git -C "$repo" rev-parse HEAD)
cp "$repo/tests/fleet/prod-us-1/sealed.yaml" "$repo/tests/fleet/edge-eu-1/stolen.yaml"
commit_all "$repo" "a copy"
for command in generate check diff; do
	exits "a copy: $command" 2 "$program" $command --repo "$repo"
	says "a copy: $command names both places" "tests/fleet/prod-us-1/sealed.yaml: error[OSG2022]"
	says "a copy: $command names both places" "tests/fleet/edge-eu-1/stolen.yaml: note: here"
done
exits "a copy: validate finds it without any key" 2 keyless validate --repo "$repo"
says "a copy: validate finds it without any key" "error[OSG2022]"

# ---- moved, so that nothing is there twice --------------------------------------------------------
git -C "$repo" rm -q tests/fleet/prod-us-1/sealed.yaml
sed -i '/nodeRegistryCredentialsSecret/d' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
"$program" keygen identity >"$scratch/edge.txt"
edge=$(sed -n 's/^# public key: //p' "$scratch/edge.txt")
cat "$SOPS_AGE_KEY_FILE" "$scratch/edge.txt" >"$scratch/both.txt"
sed -i "s/^  sealing:/  sealing:\n    inputs: {prod-us-1: [$ours], edge-eu-1: [$edge]}/" "$repo/osm-gen.yaml"
commit_all "$repo" "a file that was moved"
exits "a moved file" 2 env SOPS_AGE_KEY_FILE="$scratch/both.txt" "$program" --repo "$repo"
says "a moved file: is not opened" "error[OSG2023]: this file may not be decrypted for cluster edge-eu-1"
exits "a moved file: validate finds it without any key" 2 keyless validate --repo "$repo"
sed -i "s/recipient: $ours/recipient: $edge/" "$repo/tests/fleet/edge-eu-1/stolen.yaml"
commit_all "$repo" "that says otherwise"
exits "a moved file that lies" 2 env SOPS_AGE_KEY_FILE="$scratch/both.txt" "$program" --repo "$repo"
says "a moved file that lies: is not opened" "error[OSG2023]"

# The commit that moves it may change the setting as well: nothing stops that but the keys of the job.
git -C "$repo" reset -q --hard HEAD~1
sed -i "s/edge-eu-1: \[$edge\]/edge-eu-1: [$ours]/" "$repo/osm-gen.yaml"
commit_all "$repo" "and sealing.inputs"
exits "a moved file, and sealing.inputs changed" 2 env SOPS_AGE_KEY_FILE="$scratch/both.txt" "$program" --repo "$repo"
ok "a moved file, and sealing.inputs changed: it is opened" bash -c "! grep -q OSG20 '$scratch/err'"
says "a moved file, and sealing.inputs changed: and found to be no registry's" "kubernetes.io/dockerconfigjson"
exits "a job with the other cluster's identity alone" 2 env SOPS_AGE_KEY_FILE="$scratch/edge.txt" "$program" --repo "$repo"
says "a job with the other cluster's identity alone" "none of the given identities that belong to its recipients"

# ---- folders of --secrets -------------------------------------------------------------------------
git -C "$repo" reset -q --hard "$base"
mkdir -p "$scratch/mounted/prod-us-1"
cat >"$scratch/mounted/prod-us-1/token.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: TEST-ONLY-of-prod-us-1-0123456789}
YAML
exits "a folder of its cluster" 0 "$program" --repo "$repo" --secrets "$scratch/mounted"
base=$(git -C "$repo" rev-parse HEAD)
# The cluster goes away, or is called otherwise: what was its own is not everybody's.
git -C "$repo" rm -rq tests/fleet/prod-us-1
commit_all "$repo" "without prod-us-1"
exits "a folder of a cluster that has gone" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder of a cluster that has gone" "error[OSG2020]: the folder prod-us-1 of --secrets does not belong to a cluster"
# Another cluster moves to where it lay.
git -C "$repo" reset -q --hard "$base"
git -C "$repo" rm -rq tests/fleet/prod-us-1
git -C "$repo" mv tests/fleet/edge-eu-1 prod-us-1
commit_all "$repo" "edge-eu-1 moves"
exits "a folder taken over by its path" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder taken over by its path" "error[OSG2021]"
# Another cluster takes its name, with recipients of its own.
git -C "$repo" reset -q --hard "$base"
git -C "$repo" rm -rq tests/fleet/prod-us-1
sed -i 's/name: edge-eu-1/name: prod-us-1/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
printf '  sealing: {recipients: [%s]}\n' "$edge" >>"$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "edge-eu-1 calls itself prod-us-1"
exits "a folder taken over by its name" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder taken over by its name" "error[OSG5071]"
# A folder that waits for its cluster is taken by whoever comes first, but for CI's word.
git -C "$repo" reset -q --hard "$base"
mv "$scratch/mounted/prod-us-1" "$scratch/mounted/future"
cp -r "$repo/tests/fleet/edge-eu-1" "$repo/future"
sed -i 's/name: edge-eu-1/name: future/' "$repo/future/osm-gen.yaml"
printf '  sealing: {recipients: [%s]}\n' "$edge" >>"$repo/future/osm-gen.yaml"
commit_all "$repo" "a cluster of that name"
exits "a folder that waited" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
says "a folder that waited" "error[OSG5072]"

# ---- variables of the environment ------------------------------------------------------------------
# CI has the password of one cluster's cloud; a member with a cluster of his own asks for it.
deputy=$(fleet deputy)
printf '  sealing: {recipients: [%s]}\n' "$edge" >>"$deputy/tests/fleet/edge-eu-1/osm-gen.yaml"
spec="region: r, username: {value: u}, domainName: d"
openstack "$deputy/tests/fleet/prod-us-1" "$spec"
commit_all "$deputy" "a cluster of OpenStack"
run=("$program" generate --repo "$deputy" --external-cloud-provider=false)
export OS_PASSWORD=TEST-ONLY-of-prod-us-1
exits "bound to its cluster" 0 "${run[@]}" --rotate-recipients --allow-env prod-us-1:OS_PASSWORD
for given in OS_PASSWORD "*:OS_PASSWORD" "prod-us-1:OS_PASSWORD,OS_REGION_NAME"; do
	exits "for every cluster: $given" 2 "${run[@]}" --allow-env "$given"
	says "for every cluster: $given: is refused" "error[OSG5077]"
	says "for every cluster: $given: says what to do" "--allow-env edge-eu-1:OS_"
done
exits "for every cluster, by the environment" 2 env OSM_GEN_ALLOW_ENV=OS_PASSWORD "${run[@]}"
says "for every cluster, by the environment: is refused" "error[OSG5077]"
for command in check diff; do
	exits "for every cluster: $command" 2 "$program" $command --repo "$deputy" --external-cloud-provider=false --allow-env OS_PASSWORD
	says "for every cluster: $command" "error[OSG5077]"
done
exits "for every cluster: validate finds it without any key" 2 \
	keyless validate --repo "$deputy" --external-cloud-provider=false --allow-env OS_PASSWORD
says "for every cluster: validate finds it without any key" "error[OSG5077]"
same "nothing was committed" "" "$(git -C "$deputy" log --format=%H HEAD~1.. -- tests)"
exits "validate takes the binding" 0 keyless validate --repo "$deputy" --external-cloud-provider=false --allow-env prod-us-1:OS_PASSWORD
openstack "$deputy/tests/fleet/edge-eu-1" "$spec"
commit_all "$deputy" "and another one"
before=$(git -C "$deputy" rev-parse HEAD)
exits "the variable of another cluster" 2 "${run[@]}" --allow-env prod-us-1:OS_PASSWORD
says "the variable of another cluster: is not given" "tests/fleet/edge-eu-1/openstack.yaml:12:30: error[OSG4030]"
says "the variable of another cluster: a binding of its own" "give --allow-env edge-eu-1:OS_PASSWORD"
same "the variable of another cluster: nothing is committed" "$before" "$(git -C "$deputy" rev-parse HEAD)"
# Each cluster has its own.
export OS_PASSWORD_EU=TEST-ONLY-of-edge-eu-1
both=prod-us-1:OS_PASSWORD,edge-eu-1:OS_PASSWORD=OS_PASSWORD_EU
exits "a variable each" 0 env OSM_GEN_ALLOW_ENV="$both" "${run[@]}"
given_to() { # CLUSTER: the password in its machines' cloud-config
	"$program" render --repo "$deputy" --external-cloud-provider=false --allow-env "$both" --machine-deployment "$1/kube-system/openstack" \
		--print provisioning --reveal | tr -d ' \n' | grep -o '[A-Za-z0-9+/=]\{80,\}' |
		while read -r text; do printf %s "$text" | base64 -d 2>/dev/null; done | sed -n 's/^ *password *= "\(.*\)"$/\1/p'
}
same "a variable each: prod-us-1" TEST-ONLY-of-prod-us-1 "$(given_to prod-us-1)"
same "a variable each: edge-eu-1" TEST-ONLY-of-edge-eu-1 "$(given_to edge-eu-1)"
exits "a variable each: check" 0 "$program" check --repo "$deputy" --external-cloud-provider=false --allow-env "$both"
exits "bound the other way round" 1 "$program" check --repo "$deputy" --external-cloud-provider=false \
	--allow-env edge-eu-1:OS_PASSWORD --allow-env prod-us-1:OS_PASSWORD=OS_PASSWORD_EU
ok "neither is there in the clear" bash -c "! grep -rqF TEST-ONLY-of- '$deputy/out'"
exits "the other variable is not set" 2 env -u OS_PASSWORD_EU "${run[@]}" --allow-env "$both"
says "the other variable is not set: is said" "the variable that --allow-env binds it to"
exits "a cluster that is not there" 0 "${run[@]}" --allow-env "$both,prod-us-2:OS_PASSWORD"
says "a cluster that is not there: is said" "warning[OSG5078]"
says "a cluster that is not there: the nearest" "did you mean prod-us-1:OS_PASSWORD?"
exits "bound twice" 64 "${run[@]}" --allow-env "$both,edge-eu-1:OS_PASSWORD"
for wrong in "prod-us-1:OS_PASSWORD=s3cret-, t3xt" "OS_PASSWORD=s3cret-,t3xt" "prod-us-1:OS_PASSWORD=OSM_GEN_SEAL_SEED" "a b:OS_PASSWORD" ":OS_PASSWORD"; do
	exits "no binding: $wrong" 64 "${run[@]}" --allow-env "$wrong"
	ok "no binding: $wrong: shows no value" bash -c "! grep -qE 's3cret|t3xt' '$scratch/err'"
done
# Clusters that the same people read may share one.
sed -i '/sealing:/d' "$deputy/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$deputy" "one recipient"
exits "the same recipients" 0 "${run[@]}" --rotate-recipients --allow-env OS_PASSWORD
exits "the same recipients, one of its own" 0 "${run[@]}" --allow-env OS_PASSWORD,edge-eu-1:OS_PASSWORD=OS_PASSWORD_EU
same "the binding to the cluster counts" TEST-ONLY-of-edge-eu-1 "$(given_to edge-eu-1)"
unset OS_PASSWORD OS_PASSWORD_EU

# ---- what lies outside of all clusters' folders ------------------------------------------------------
# Its place says that it serves every cluster, so that whoever owns one of them may name it.
shared=$(fleet shared)
printf '  sealing: {recipients: [%s]}\n' "$edge" >>"$shared/tests/fleet/edge-eu-1/osm-gen.yaml"
openstack "$shared/tests/fleet/edge-eu-1" \
	"region: r, username: {value: u}, domainName: d, password: {secretKeyRef: {namespace: kube-system, name: cloud, key: password}}"
commit_all "$shared" "a machine that names a Secret"
secret() { # FOLDER PASSWORD
	mkdir -p "$1"
	cat >"$1/cloud.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud, namespace: kube-system}
stringData: {password: TEST-ONLY-$2}
YAML
}
run=("$program" generate --repo "$shared" --external-cloud-provider=false --no-commit --rotate-recipients)
sealed_to() { # RECIPIENT CLUSTER: the machine's files are, and are not there in the clear
	grep -q "recipient: $1" "$shared/out/$2/worker/cloud-init-settings/secret-openstack-kube-system-provisioning-config.yaml" &&
		! grep -rqF TEST-ONLY- "$shared/out"
}
# In the folder of another cluster, here or below --secrets, it is not seen.
secret "$shared/tests/fleet/prod-us-1" of-prod-us-1
commit_all "$shared" "a Secret of another cluster"
exits "a Secret in another cluster's folder" 2 "${run[@]}"
says "a Secret in another cluster's folder: is not found" "tests/fleet/edge-eu-1/openstack.yaml:"
git -C "$shared" reset -q --hard HEAD~1
secret "$scratch/others/prod-us-1" of-prod-us-1
exits "a Secret in another cluster's folder of --secrets" 2 "${run[@]}" --secrets "$scratch/others"
# By design: whoever puts it there says that all clusters share it.
secret "$scratch/all" of-all
exits "a Secret beside the folders of --secrets serves all" 0 "${run[@]}" --secrets "$scratch/all"
ok "a Secret beside the folders of --secrets serves all: sealed" sealed_to "$edge" edge-eu-1
secret "$shared" of-all
commit_all "$shared" "a Secret outside of all folders"
exits "a Secret outside of all folders serves all" 0 "${run[@]}"
ok "a Secret outside of all folders serves all: sealed" sealed_to "$edge" edge-eu-1
git -C "$shared" reset -q --hard HEAD~1
# So does a credential in a flag or in the Fleet's defaults: it goes into the machines of every cluster, unasked.
proxy=http://user:TEST-ONLY-proxy@proxy.osm-gen.example:3128
secret "$shared/tests/fleet/edge-eu-1" of-edge-eu-1
commit_all "$shared" "a Secret of its own"
exits "a flag holds for all" 0 "${run[@]}" --node-http-proxy "$proxy"
ok "a flag holds for all: sealed" sealed_to "$edge" edge-eu-1
ok "a flag holds for all: hidden" grep -rq "<sealed:[^>]*nodeHTTPProxy" "$shared/out/edge-eu-1/management"
sed -i '/nodeHTTPProxy/d' "$shared/tests/fleet/edge-eu-1/osm-gen.yaml"
sed -i "s|^  defaults:|  defaults:\n    nodeHTTPProxy: $proxy|" "$shared/osm-gen.yaml"
commit_all "$shared" "defaults"
exits "a default holds for all" 0 "${run[@]}"
ok "a default holds for all: sealed" sealed_to "$edge" edge-eu-1
# That of one cluster stands in the cluster's own settings.
git -C "$shared" reset -q --hard HEAD~1
sed -i "s|^  settings:|&\n    nodeHTTPProxy: $proxy|" "$shared/tests/fleet/prod-us-1/osm-gen.yaml"
commit_all "$shared" "a setting of prod-us-1"
exits "a cluster's own setting" 0 "${run[@]}"
ok "a cluster's own setting: holds for it" grep -rq "<sealed:[^>]*nodeHTTPProxy" "$shared/out/prod-us-1/management"
ok "a cluster's own setting: and for nobody else" bash -c "! grep -rq '<sealed:[^>]*nodeHTTPProxy' '$shared/out/edge-eu-1'"
finish
