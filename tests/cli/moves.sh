#!/usr/bin/env bash
# A cluster that moves to another management cluster or another applier, or whose delivery changes in another way: no unit
# changes, but each report and the commit state it, with the machines, in place of "no machine is replaced".
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

blind() { env -u OSM_GEN_SEAL_SEED "$@"; }
planned() { # NAME FIRST-LINE NOTE: with and without the seed
	exits "$1" 0 "$program" plan --repo "$repo"
	ok "$1: the first line" bash -c "head -n 1 $scratch/out | grep -qF '$2'"
	ok "$1: the note" grep -qF -- "$3" "$scratch/out"
	ok "$1: nothing is called calm" bash -c "! grep -q 'no machine is replaced' $scratch/out"
	exits "$1, without the seed" 0 blind "$program" plan --repo "$repo"
	ok "$1, without the seed: the first line" bash -c "head -n 1 $scratch/out | grep -qF '$2'"
	ok "$1, without the seed: the note" grep -qF -- "$3" "$scratch/out"
}
fleet() { # LINES of spec.delivery: of the Fleet
	sed -i '/^  delivery:/,$d' "$repo/osm-gen.yaml"
	[ $# -eq 0 ] || printf '  delivery:\n' >>"$repo/osm-gen.yaml"
	[ $# -eq 0 ] || printf '    %s\n' "$@" >>"$repo/osm-gen.yaml"
	commit_all "$repo" "delivery: $*"
}
undo() { git -C "$repo" reset -q --hard "$base"; }

flux=('applier: flux' 'source: {kind: GitRepository, name: fleet, namespace: flux-system}' 'kubeconfigSecret: "{cluster}-kubeconfig"'
	'managementNamespace: exists')
repo=$scratch/fleet
cp -r "$root/tests/golden/base" "$repo"
sed -i 's/^  settings:/  settings:\n    managementCluster: hub-eu/' "$repo/clusters/prod/osm-gen.yaml"
git -C "$repo" -c init.defaultBranch=main init -q
fleet "${flux[@]}"
exits "the first output" 0 "$program" generate --repo "$repo"
base=$(git -C "$repo" rev-parse HEAD)

# ---- another management cluster ------------------------------------------------------------------------------------------------
sed -i 's/hub-eu/hub-us/' "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "to hub-us"
planned "another hub" "1 cluster (3 machines) moves to another management cluster" \
	"Another management cluster: cluster prod (3 machines): hub-eu -> hub-us. The applier of the first one removes or orphans its objects"
for form in markdown html github gitlab junit json; do
	exits "$form" 0 "$program" plan --repo "$repo" --report "$form=$scratch/report"
	ok "$form has both" grep -Eq 'cluster prod \(3 machines\): hub-eu -(>|&gt;) hub-us' "$scratch/report"
	ok "$form has what happens" grep -qF 'two machine-controllers may own the machines, or none' "$scratch/report"
done
exits "diff" 1 "$program" diff --repo "$repo"
says "diff has both" "cluster prod (3 machines): hub-eu -> hub-us"
exits "generate" 0 "$program" generate --repo "$repo"
same "the subject" "osm-gen: cluster prod moves to another management cluster" "$(git -C "$repo" log -1 --format=%s)"
ok "the message" bash -c "git -C $repo log -1 --format=%b | grep -q '^! Another management cluster: cluster prod (3 machines): hub-eu -> hub-us'"
exits "then nothing changes" 0 "$program" plan --repo "$repo"
same "and is told so" "no machine is replaced, and no user-data changes" "$(head -n 1 "$scratch/out")"
sed -i 's/hub-us/self/' "$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "to itself"
planned "its own" "1 cluster (3 machines) moves to another management cluster" "cluster prod (3 machines): hub-us -> itself."
undo

# ---- another applier ---------------------------------------------------------------------------------------------------------------
fleet 'applier: argocd' 'source: {url: https://git.example.com/fleet.git}' 'managementNamespace: exists'
planned "Argo CD" "1 cluster (3 machines) gets another applier" "cluster prod (3 machines): Flux at hub-eu -> Argo CD at hub-eu."
exits "generate" 0 "$program" generate --repo "$repo"
fleet 'applier: argocd' 'source: {url: https://git.example.com/moved.git}' 'managementNamespace: exists'
planned "another source" "1 cluster (3 machines) is applied in another way" "https://git.example.com/fleet.git -> https://git.example.com/moved.git in ApplicationSet"
undo
fleet
planned "none" "1 cluster (3 machines) loses its applier" "Flux at hub-eu no longer has its objects"
exits "generate" 0 "$program" generate --repo "$repo"
fleet "${flux[@]}"
planned "again" "1 cluster (3 machines) gets an applier" "cluster prod (3 machines): Flux at hub-eu applies the output from now on."
undo

# ---- other objects of the applier --------------------------------------------------------------------------------------------------
fleet "${flux[@]:0:2}" 'kubeconfigSecret: "other-{cluster}"' "${flux[3]}"
planned "another cluster to apply to" "1 cluster (3 machines) is applied in another way" \
	"Another delivery: cluster prod (3 machines): spec.kubeConfig.secretRef.name <cluster>-kubeconfig -> other-<cluster> in Kustomization <cluster>-worker"
exits "generate" 0 "$program" generate --repo "$repo"
same "the subject of it" "osm-gen: cluster prod is applied in another way" "$(git -C "$repo" log -1 --format=%s)"
undo
fleet "${flux[@]}" 'interval: 7m'
planned "another interval" "1 cluster (3 machines) is applied in another way" "spec.interval 10m -> 7m in Kustomization <cluster>-management"
undo
finish
