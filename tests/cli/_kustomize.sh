# Sourced behind _lib.sh: the published kustomize, as $kustomize, in build/kustomize. KUSTOMIZE names another one.
# shellcheck shell=bash disable=SC2154 # root is _lib.sh's
kustomize_version=v5.7.1
kustomize=${KUSTOMIZE:-$root/build/kustomize/kustomize}
if [ ! -x "$kustomize" ] && command -v go >/dev/null; then
	mkdir -p "$root/build/kustomize"
	# shellcheck source=tests/oracle/_go.sh
	. "$root/tests/oracle/_go.sh"
	# Suites run beside each other: the first one builds, the others wait.
	# shellcheck disable=SC2016 # the inner shell's
	CGO_ENABLED=0 GOBIN=$root/build/kustomize flock "$root/build/kustomize" sh -c '[ -x "$0" ] || go install "$1"' \
		"$kustomize" "sigs.k8s.io/kustomize/kustomize/v5@$kustomize_version" >"$root/build/kustomize/log" 2>&1
fi
if [ ! -x "$kustomize" ]; then
	skip "kustomize is not there, and cannot be built with Go"
	finish
	exit
fi
# The first program of that name.
mkdir "$scratch/bin"
ln -s "$kustomize" "$scratch/bin/kustomize"
PATH=$scratch/bin:$PATH
export PATH

# A fleet whose cluster prod is made by kustomize: clusters/prod patches base/. Prints its path.
kustomized() { # NAME
	local folder=$scratch/$1
	mkdir -p "$folder/base" "$folder/clusters/prod/overlay"
	cp "$root/osm-gen.yaml" "$folder/"
	cp "$root/tests/fleet/prod-us-1/cluster-info.yaml" "$folder/base/"
	cp "$root/tests/fleet/prod-us-1/machinedeployments.yaml" "$folder/base/"
	cat >"$folder/base/kustomization.yaml" <<'END'
resources:
- cluster-info.yaml
- machinedeployments.yaml
END
	cat >"$folder/clusters/prod/overlay/kustomization.yaml" <<'END'
resources:
- ../../../base
patches:
- path: kubelet.yaml
- target: {kind: MachineDeployment, name: build}
  patch: |
    - op: replace
      path: /spec/replicas
      value: 7
END
	cat >"$folder/clusters/prod/overlay/kubelet.yaml" <<'END'
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {name: workers, namespace: kube-system}
spec: {template: {spec: {versions: {kubelet: 1.33.4}}}}
END
	cat >"$folder/clusters/prod/osm-gen.yaml" <<'END'
apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {name: prod}
spec:
  kustomize: clusters/prod/overlay
  settings: {managementCluster: self}
END
	git -C "$folder" -c init.defaultBranch=main init -q
	git -C "$folder" add -A
	git -C "$folder" commit -qm "a fleet with an overlay"
	echo "$folder"
}
