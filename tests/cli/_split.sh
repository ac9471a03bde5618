# shellcheck shell=bash
# A fleet with provisioning: split, and what its output has.
# shellcheck disable=SC2034,SC2154 # a variable of the scripts that source this; others are of _lib.sh
folder=out/c000/worker/cloud-init-settings

# Twelve MachineDeployments in two clusters, which have each the same text; the embedded profile, committed.
make_fleet() { # FOLDER
	"$root/tests/bench/fleet.sh" "$1" 12 2
	sed -i "s/externalCloudProvider: true/externalCloudProvider: true, provisioning: split/; s/age1[a-z0-9]*/$recipient/" "$1/osm-gen.yaml"
	sed -i -e '/clusters.k8s.io\/revision/d' -e 's/cloudProvider: [a-z-]*$/cloudProvider: hetzner/' \
		-e 's/cloudProviderSpec: {.*}/cloudProviderSpec: {location: hel1, serverType: cx22}/' -e 's/ipFamily: "[^"]*"/ipFamily: IPv4/' \
		-e 's/kubelet: [0-9.]*/kubelet: 1.34.1/' "$1"/clusters/*/machinedeployments.yaml
	"$program" profiles show osp-ubuntu >"$1/profiles/ubuntu.yaml"
	git -C "$1" -c init.defaultBranch=main init -q
	git -C "$1" add -A
	git -C "$1" commit -q -m fleet
}
generate() { "$program" generate -q --repo . --out out "$@" 2>"$scratch/err"; }
config_maps() { find out -name 'configmap-*' | sort; }
named() { # the ConfigMaps that Roles name, the newest first
	sed -n '/- configmaps/,/verbs:/s/^  - \(provisioning-.*\)/\1/p' "$folder/role-$1-kube-system-bootstrap-reader.yaml"
}
commit() { git commit -q -a -m "$1"; }
change_profile() { # WORD VERSION
	sed -i "s/log \"installing .*packages\"/log \"installing $1 packages\"/; s/^  version: v.*/  version: $2/" profiles/ubuntu.yaml
	commit "$1"
}
unsealed() { "$program" unseal "$1" | python3 -B -c 'import sys, yaml; sys.stdout.write(yaml.safe_load(sys.stdin)["stringData"]["cloud-config"])'; }
with_data() { grep -lr '^data:' out --include='secret-workers-*-config.yaml'; }
