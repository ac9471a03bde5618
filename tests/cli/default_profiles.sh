#!/usr/bin/env bash
# The setting defaultProfiles: which profile MachineDeployments get that name none.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet defaults)
osc=management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml
generates() { # NAME: the output of the commit
	rm -rf "$repo/out"
	exits "generate: $1" 0 "$program" generate --repo "$repo" --worktree --no-commit
}
profiles() { # NAME WANT: cluster/unit=profile of all of them
	exits "list: $1" 0 "$program" list --repo "$repo" --worktree -o json
	same "$1" "$2" "$(jq -r '[.units[] | .cluster + "/" + .name + "=" + .profile] | join(" ")' "$scratch/out")"
}
fleet_default() { # MAP
	sed -i "/defaultProfiles/d; s/^    clusterDNS.*/&\n    defaultProfiles: $1/" "$repo/osm-gen.yaml"
}
cluster_default() { # MAP
	sed -i "/defaultProfiles/d; s/^  settings:/&\n    defaultProfiles: $1/" "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
}

# Two profiles of one's own, beside those of the repository.
for name in osp-acme osp-edge; do
	sed "s/name: osp-ubuntu$/name: $name/; s/^  version: v.*/  version: v9.0.0/" "$repo/profiles/ubuntu.yaml" >"$repo/profiles/$name.yaml"
done
commit_all "$repo" "own profiles"
generates "with annotations"
webhook=$(grep mdannotations-hash "$repo/out/prod-us-1/$osc")
ok "there is a hash" test -n "$webhook"

# What the controller would render for the annotation.
cp -r "$repo/tests/fleet" "$scratch/annotated"
sed -i 's/operating-system-profile: osp-ubuntu/operating-system-profile: osp-acme/' "$repo"/tests/fleet/*/machinedeployments.yaml
generates "with the annotation of one's own"
cp -r "$repo/out" "$scratch/wanted"
rm -rf "$repo/tests/fleet" && cp -r "$scratch/annotated" "$repo/tests/fleet"

fleet_default '{ubuntu: osp-acme, rhel: osp-none}'
profiles "annotations win" \
	"edge-eu-1/storage=osp-ubuntu edge-eu-1/workers=osp-ubuntu prod-us-1/build=osp-ubuntu prod-us-1/workers=osp-ubuntu"
sed -i '/operating-system-profile: osp-ubuntu/d' "$repo"/tests/fleet/*/machinedeployments.yaml
profiles "the fleet's" "edge-eu-1/storage=osp-acme edge-eu-1/workers=osp-acme prod-us-1/build=osp-acme prod-us-1/workers=osp-acme"

generates "with the setting"
same "the hash is the webhook's" "$webhook" "$(grep mdannotations-hash "$repo/out/prod-us-1/$osc")"
same "and all that differs from the annotation's" "1 1" \
	"$(diff <(grep -v '^ *#' "$scratch/wanted/prod-us-1/$osc") <(grep -v '^ *#' "$repo/out/prod-us-1/$osc") |
		awk '/^[<>].*mdannotations-hash/ { hash++ } /^[<>]/ { all++ } END { print hash / 2, all / 2 }')"
ok "the profile is written" test -f "$repo/out/prod-us-1/management/kube-system/operatingsystemprofile-osp-acme.yaml"
ok "no other one" test ! -e "$repo/out/prod-us-1/management/kube-system/operatingsystemprofile-osp-ubuntu.yaml"

cluster_default '{ubuntu: osp-edge}'
profiles "a cluster's" "edge-eu-1/storage=osp-edge edge-eu-1/workers=osp-edge prod-us-1/build=osp-acme prod-us-1/workers=osp-acme"
cluster_default '{rhel: osp-edge}'
profiles "which takes the place of the whole map" \
	"edge-eu-1/storage=osp-ubuntu edge-eu-1/workers=osp-ubuntu prod-us-1/build=osp-acme prod-us-1/workers=osp-acme"
exits "config show" 0 "$program" config show --repo "$repo" --worktree
for line in 'defaultProfiles {"ubuntu":"osp-acme","rhel":"osp-none"} (fleet, osm-gen.yaml:7)' \
	'defaultProfiles {"rhel":"osp-edge"} (cluster, tests/fleet/edge-eu-1/osm-gen.yaml:7)'; do
	ok "shows $line" grep -qxF -- "$line" <(tr -s ' ' <"$scratch/out" | sed 's/^ //')
done
cluster_default '{}'
profiles "none of it" \
	"edge-eu-1/storage=osp-ubuntu edge-eu-1/workers=osp-ubuntu prod-us-1/build=osp-acme prod-us-1/workers=osp-acme"
exits "a flag" 0 "$program" validate --repo "$repo" --worktree --default-profiles ubuntu=osp-edge,rhel=osp-acme
exits "a variable" 0 env OSM_GEN_DEFAULT_PROFILES=ubuntu=osp-edge "$program" validate --repo "$repo" --worktree

# ---- mistakes ----------------------------------------------------------------------------------------
exits "an unknown profile by flag" 2 "$program" validate --repo "$repo" --worktree --default-profiles ubuntu=osp-acm
says "is unknown" 'error[OSG4003]: OperatingSystemProfile "osp-acm" not found'
says "the setting chose it" "the setting defaultProfiles names it, for ubuntu"
says "the nearest" 'did you mean "osp-acme"?'
exits "a misspelt system by flag" 64 "$program" validate --repo "$repo" --worktree --default-profiles ubuntuu=osp-acme
says "has a nearest one" 'did you mean "ubuntu"?'
exits "a profile for another system" 2 "$program" validate --repo "$repo" --worktree --default-profiles ubuntu=osp-flatcar
says "is said at the setting" 'error[OSG4006]: defaultProfiles: OperatingSystemProfile "osp-flatcar" is for flatcar, not for ubuntu'
finish
