#!/usr/bin/env bash
# Builds real programs of a node from their published Go modules: tests/node/real/build.sh NAME VERSION
#
# NAME VERSION is one of kubelet, kubectl, kube-apiserver or kube-controller-manager v1.33.13, containerd v2.2.9 or v1.7.35
# (with its shim and ctr), cni-plugins v1.9.1 (each plugin), containerd debian (Debian's package, unpacked, not installed);
# kustomize-controller v1.9.5, source-controller v1.9.3, machine-controller v1.66.0 (with its provider kubevirt alone),
# machine-controller-webhook v1.66.0 (likewise) or operating-system-manager v1.11.0 (its webhook), with the manifests of their modules in the folder manifests; kubevirt
# v1.4.0, of which there is the Go source with the schemas of its kinds; gardener-node-agent or gardener-resource-manager
# v1.145.0, with the definition of ManagedResources in the folder manifests; machine-controller-manager v0.61.3, with the
# controller of machines that are files (tests/cluster/machine_driver); argocd-sync v0.7.1-0.20250905160054-e48120133eec, the
# gitops-engine of Argo CD 3.1 (tests/cluster/argocd_sync); or source-controller-definitions, machine-controller-definitions or
# operating-system-manager-definitions of these versions, which are their manifests alone.
# Prints the folder that holds the result; it is made once and kept in build/node-programs, or in the folder that PROGRAMS
# names, where NAME-VERSION.seconds says how long that took. Needs Go; progress and errors go to stderr.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
[ $# -eq 2 ] || { echo "usage: $0 NAME VERSION" >&2; exit 64; }
name=$1 version=$2
kept=${PROGRAMS:-$root/build/node-programs}
result=$kept/$name-$version

if [ -d "$result" ]; then
	echo "$result"
	exit
fi
command -v go >/dev/null || { echo "$0: Go is not installed" >&2; exit 3; }
mkdir -p "$kept"
partial=$(mktemp -d "$kept/.$name-$version.XXXXXX")
trap 'rm -rf "$partial"' EXIT
chmod 755 "$partial"
export CGO_ENABLED=0

# Prints the folder of a module at $version.
module() { # PATH
	(cd "$partial" && go mod download -json "$1@$version" | jq -er '.Dir // empty') ||
		{ echo "$0: the module $1@$version cannot be had" >&2; exit 3; }
}

# Builds packages of the module in the current folder.
build() { # LDFLAGS PACKAGE...
	local flags=$1
	shift
	nice go build -mod=mod -trimpath -buildvcs=false -ldflags "-s -w $flags" -o "$partial/" "$@"
}

# Kubernetes requires its staging modules as v0.0.0 and takes them from its own repository. The same sources are published
# as v0.33.13 for v1.33.13, so a module of our own puts those in their place.
kubernetes_module() { # VERSION
	local source modules staging version=$1
	source=$(module k8s.io/kubernetes)
	mkdir "$partial/module"
	cd "$partial/module"
	awk '/^(go|godebug) / { print } END { print "module node-programs" }' "$source/go.mod" >go.mod
	go mod edit -require="k8s.io/kubernetes@$version"
	mapfile -t modules < <(awk '$2 == "v0.0.0" { print $1 }' "$source/go.mod")
	for staging in "${modules[@]}"; do
		go mod edit -replace="$staging=$staging@${version/v1./v0.}"
	done
}

kubernetes() {
	local variable flags=
	kubernetes_module "$version"
	for variable in "gitVersion=$version" gitMajor=1 "gitMinor=$(cut -d. -f2 <<<"$version")" gitTreeState=clean \
		gitCommit=0000000000000000000000000000000000000000; do
		flags+=" -X k8s.io/component-base/version.$variable -X k8s.io/client-go/pkg/version.$variable"
	done
	build "$flags" "k8s.io/kubernetes/cmd/$name"
	cd "$root"
	rm -r "$partial/module"
}

# Its API is a module of its own, of the same version. The agent looks for a configuration of the version that it has.
gardener() {
	local source flags="-X k8s.io/component-base/version.gitVersion=$version" path=github.com/gardener/gardener
	source=$(module "$path")
	mkdir "$partial/module"
	cd "$partial/module"
	awk '/^(go|godebug) / { print } END { print "module node-programs" }' "$source/go.mod" >go.mod
	go mod edit -require="$path@$version" -require="$path/pkg/apis@$version"
	flags+=" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=$(cut -d. -f2 <<<"$version")"
	build "$flags" "$path/cmd/$name"
	mkdir "$partial/manifests"
	cp "$source"/example/seed-crds/*managedresources.yaml "$partial/manifests"
	chmod -R u+w "$partial/manifests"
	cd "$root"
	rm -r "$partial/module"
}

# What follows is built as a main module, from a copy: the module cache cannot be written to.
copy_of() { # PATH
	local source
	source=$(module "$1")
	cp -r "$source" "$partial/module"
	chmod -R u+w "$partial/module"
	cd "$partial/module"
}

# As root apt takes on a user of its own, who may not write here.
debian() { # PACKAGE
	local get=(apt-get -q -o APT::Sandbox::User=root)
	mkdir "$partial/package"
	cd "$partial/package"
	"${get[@]}" download "$1" >&2 || { "${get[@]}" update >&2 && "${get[@]}" download "$1" >&2; }
	dpkg-deb -x "$1"_*.deb .
	mv usr/bin/* "$partial/"
	cd "$root"
	rm -r "$partial/package"
}

containerd() {
	local path=github.com/containerd/containerd/v2
	[[ $version != v1.* ]] || path=${path%/v2}
	copy_of "$path"
	build "-X $path/version.Version=$version" ./cmd/containerd ./cmd/containerd-shim-runc-v2 ./cmd/ctr
	cd "$root"
	rm -r "$partial/module"
}

# Its API may be a module of its own, which it takes from a folder that the published module does not have.
controller() { # PATH API-OR-NOTHING PACKAGE MANIFESTS...
	local path=$1 api=$2 package=$3
	shift 3
	copy_of "$path"
	[[ $name != machine-controller* ]] || kubevirt_alone
	[ -z "$api" ] || go mod edit -dropreplace="$path/$api" -require="$path/$api@$version"
	build "" "$package"
	mkdir "$partial/manifests"
	find "$@" -name '*.yaml' -exec cp -t "$partial/manifests" {} +
	cd "$root"
	rm -r "$partial/module"
}

# A module that Anexia's provider needs cannot be had from the proxy, so machine-controller is built without; and without the
# others but kubevirt, whose SDKs would take most of the time.
kubevirt_alone() {
	local file=pkg/cloudprovider/provider.go
	awk '/\/provider\/[a-z]+"$/ && !/\/kubevirt"$/ { next }
		/^\t\tproviderconfig\.CloudProvider/ { other = !/KubeVirt/ }
		!other { print }
		/^\t\t},$/ { other = 0 }' "$file" >"$partial/provider.go"
	mv "$partial/provider.go" "$file"
}

# Its library makes a machine controller of each provider; ours is beside it.
machines() {
	copy_of "github.com/gardener/$name"
	mkdir cmd/machine-driver
	cp "$root/tests/cluster/machine_driver/main.go" cmd/machine-driver/
	build "" "./cmd/$name" ./cmd/machine-driver
	mkdir "$partial/manifests"
	cp kubernetes/crds/*.yaml "$partial/manifests/"
	cd "$root"
	rm -r "$partial/module"
}

# With the Kubernetes of the API server, most of which is built then.
argocd() {
	kubernetes_module v1.33.13
	go mod edit -require="github.com/argoproj/gitops-engine@$version"
	cp "$root/tests/cluster/argocd_sync/main.go" .
	build "" .
	mv "$partial/node-programs" "$partial/$name"
	cd "$root"
	rm -r "$partial/module"
}

definitions() { # PATH MANIFESTS...
	local source
	source=$(module "$1")
	shift
	mkdir "$partial/manifests"
	(cd "$source" && find "$@" -name '*.yaml' -exec cp -t "$partial/manifests" {} +)
	chmod -R u+w "$partial/manifests"
}

schemas() { # PATH FILE
	local source
	source=$(module "$1")
	cp "$source/$2" "$partial/"
}

cni_plugins() {
	copy_of github.com/containernetworking/plugins
	build "-X github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=$version" ./plugins/main/... \
		./plugins/meta/... ./plugins/ipam/...
	cd "$root"
	rm -r "$partial/module"
}

echo "building $name $version, once" >&2
case $name in
kubelet | kubectl | kube-apiserver | kube-controller-manager) kubernetes ;;
containerd) if [ "$version" = debian ]; then debian containerd; else containerd; fi ;;
cni-plugins) cni_plugins ;;
gardener-node-agent | gardener-resource-manager) gardener ;;
machine-controller-manager) machines ;;
argocd-sync) argocd ;;
source-controller-definitions) definitions github.com/fluxcd/source-controller config/crd/bases ;;
machine-controller-definitions) definitions k8c.io/machine-controller examples/machine-controller.yaml ;;
operating-system-manager-definitions) definitions k8c.io/operating-system-manager deploy ;;
kustomize-controller | source-controller) controller "github.com/fluxcd/$name" api . config/crd/bases ;;
machine-controller) controller k8c.io/machine-controller sdk ./cmd/machine-controller examples/machine-controller.yaml ;;
machine-controller-webhook) controller k8c.io/machine-controller sdk ./cmd/webhook examples/machine-controller.yaml ;;
operating-system-manager) controller k8c.io/operating-system-manager "" ./cmd/webhook deploy ;;
kubevirt) schemas kubevirt.io/kubevirt pkg/virt-operator/resource/generate/components/validations_generated.go ;;
*) echo "$0: no program $name" >&2; exit 64 ;;
esac
echo "$SECONDS" >"$result.seconds"
# Another build of the same may have been quicker.
mv -T "$partial" "$result" 2>/dev/null || [ -d "$result" ]
echo "$result"
