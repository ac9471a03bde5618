# Kubelets from 1.38 on do not work with containerd 1.x.
check_containerd() {
%if containerd_v2
  local version config=/etc/containerd/config.toml
%else
  local version config=/etc/containerd/config-1.x.toml
%end
  version=$(PATH="$PATH:/run/torcx/bin" containerd --version | awk '{print $3}') || die "containerd does not run"
  log "containerd ${version#v} is installed"
  [[ ${version#v} == 1.* ]] || return 0
  if [[ $KUBE_VERSION =~ ^v1\.([0-9]+)\. ]] && ((BASH_REMATCH[1] >= 38)); then
%if packager
    die_for_good "the kubelet $KUBE_VERSION needs containerd 2, and this is ${version#v}: name another CONTAINERD_PACKAGE"
%else
    die_for_good "the kubelet $KUBE_VERSION needs containerd 2, and this is ${version#v}: a newer image has it"
%end
  fi
  # It ignores what it does not know without a word: nothing of the configuration format's third version may be left.
  if grep -qE 'io\.containerd\.cri\.v1|^version = 3|^bin_dirs|pinned_images' "$config"; then
    die_for_good "$config has settings that containerd ${version#v} does not know"
  fi
%if not containerd_v2
  install -m 0600 "$config" /etc/containerd/config.toml
%end
}
