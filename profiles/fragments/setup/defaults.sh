  KUBE_VERSION=${KUBE_VERSION:-$default_kube_version}
  KUBE_BINARIES_URL=${KUBE_BINARIES_URL:-https://dl.k8s.io/release}
  CNI_VERSION=${CNI_VERSION:-@cni@}
  CNI_PLUGINS_URL=${CNI_PLUGINS_URL:-https://github.com/containernetworking/plugins/releases/download}
  CRI_TOOLS_VERSION=${CRI_TOOLS_VERSION:-$default_cri_tools_version}
  CRI_TOOLS_URL=${CRI_TOOLS_URL:-https://github.com/kubernetes-sigs/cri-tools/releases/download}
  CHECKSUMS_FILE=${CHECKSUMS_FILE:-}
%if packager
  CONTAINERD_PACKAGE=${CONTAINERD_PACKAGE:-@containerd_package@}
%if docker
  %include @packager@/defaults.sh
%end
%if cgroup_v1
  CONTAINERD_EXTRA=${CONTAINERD_EXTRA:-docker}
%end
%else
  FLATCAR_UPDATE_SERVER=${FLATCAR_UPDATE_SERVER:-}
%end
