readonly default_kube_version='{{ .KubeVersion }}'
{{- if semverCompare "~1.33.0" .KubeVersion }}
readonly default_cri_tools_version=v1.33.0
{{- else if semverCompare "~1.34.0" .KubeVersion }}
readonly default_cri_tools_version=v1.34.0
{{- else if semverCompare "~1.35.0" .KubeVersion }}
readonly default_cri_tools_version=v1.35.0
{{- else if semverCompare "~1.36.0" .KubeVersion }}
readonly default_cri_tools_version=v1.36.0
{{- else }}
readonly default_cri_tools_version=v1.37.0
{{- end }}

# Known checksums. A version from the settings is not among them and is checked against the file beside it.
declare -rA pinned_sha256=(
%if cgroup_v1
  [cni-plugins-linux-amd64-v1.7.1.tgz]=1a28a0506bfe5bcdc981caf1a49eeab7e72da8321f1119b7be85f22621013098
  [cni-plugins-linux-arm64-v1.7.1.tgz]=119fcb508d1ac2149e49a550752f9cd64d023a1d70e189b59c476e4d2bf7c497
%else
  [cni-plugins-linux-amd64-v1.9.1.tgz]=b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303
  [cni-plugins-linux-arm64-v1.9.1.tgz]=56171987d3947707c3563db2f4001bccaf50fd63468611b9f3cbecb1375ee7ec
%end
{{- if semverCompare "~1.33.0" .KubeVersion }}
  [crictl-v1.33.0-linux-amd64.tar.gz]=8307399e714626e69d1213a4cd18c8dec3d0201ecdac009b1802115df8973f0f
  [crictl-v1.33.0-linux-arm64.tar.gz]=e1f34918d77d5b4be85d48f5d713ca617698a371b049ea1486000a5e86ab1ff3
{{- else if semverCompare "~1.34.0" .KubeVersion }}
  [crictl-v1.34.0-linux-amd64.tar.gz]=a8ff2a3edb37a98daf3aba7c3b284fe0aa5bff24166d896ab9ef64c8913c9f51
  [crictl-v1.34.0-linux-arm64.tar.gz]=c31d252e203df5f4cf37f314bd3092eb79087e791631c1e607087c74b6d0423f
{{- else if semverCompare "~1.35.0" .KubeVersion }}
  [crictl-v1.35.0-linux-amd64.tar.gz]=2e141e5b22cb189c40365a11807d69b76b9b3caced89fac2f4ec879408ce2177
  [crictl-v1.35.0-linux-arm64.tar.gz]=519071de89b64c43e2a1661bb5489c6c3fd5e9e5fcef75e50e542b0c891f1118
{{- else if semverCompare "~1.36.0" .KubeVersion }}
  [crictl-v1.36.0-linux-amd64.tar.gz]=83855e114566a8a8c44c548d515670f51de3a5e1da8b2effb59870e2f10c25a3
  [crictl-v1.36.0-linux-arm64.tar.gz]=68328594ccf780a80ae2b092d9f6ce484eec7cf540c275242e8fd954bfd95332
{{- else }}
  [crictl-v1.37.0-linux-amd64.tar.gz]=67c983ee8a6bbce73d39a186e633c5fe4f8a70e62171ac3bd92a9c1b2c601670
  [crictl-v1.37.0-linux-arm64.tar.gz]=c9dfdf9ebc353a0027c88622206a5e90ee6f0e78cfabf1a9ef4dc575298fd555
{{- end }}
)

# TLS all the way, redirects included, unless the operator's own setting names a mirror without it.
download() {
  local url=$1 destination=$2 protocols='=https' retry=(--retry 3 --retry-delay 3 --retry-connrefused)
  case $url in
    http://*) protocols='=http,https' ;;
    file://*) protocols='=file' ;;
  esac
  # New in curl 7.71; Enterprise Linux 8 has 7.61.
  if [[ $(curl --help all 2>/dev/null) == *--retry-all-errors* ]]; then retry+=(--retry-all-errors); fi
  log "downloading ${url}"
  curl --fail --location --silent --show-error --proto "$protocols" --proto-redir "$protocols" "${retry[@]}" \
    --connect-timeout 15 --speed-limit 1024 --speed-time 60 --output "$destination" "$url" || die "cannot download ${url}"
}

# Prints the checksum that the file NAME at URL must have: the operator's, else the pinned, else the published one.
expected_sha256() {
  local name=$1 url=$2 sum=
  if [[ -n $CHECKSUMS_FILE ]]; then
    sum=$(awk -v name="$name" '$2 == name || $2 == "*" name {print $1; exit}' "$CHECKSUMS_FILE")
  fi
  sum=${sum:-${pinned_sha256[$name]:-}}
  if [[ -z $sum ]]; then
    download "${url}.sha256" "${scratch}/${name}.sha256"
    # Some projects publish the bare sum without a line end, others "sum  name".
    read -r sum _ <"${scratch}/${name}.sha256" || true
  fi
  [[ $sum =~ ^[0-9a-f]{64}$ ]] || die "'${sum}' is not a SHA-256 checksum for ${name}"
  echo "$sum"
}

has_sha256() { sha256sum --check --status <<<"$2  $1"; }

# Downloads to the scratch folder; a file that fails the check is removed and never installed.
download_verified() {
  local name=$1 url=$2 sum=$3
  download "$url" "${scratch}/${name}"
  if ! has_sha256 "${scratch}/${name}" "$sum"; then
    rm -f "${scratch}/${name}"
    die "${url} does not have the checksum ${sum}"
  fi
}

# kubelet and kubectl: a bare binary.
install_kubernetes_binary() {
  local binary=$1 name url sum
  name="${binary}-${KUBE_VERSION}-linux-${arch}"
  url="${KUBE_BINARIES_URL}/${KUBE_VERSION}/bin/linux/${arch}/${binary}"
  sum=$(expected_sha256 "$name" "$url")
  if [[ -x /opt/bin/${binary} ]] && has_sha256 "/opt/bin/${binary}" "$sum"; then
    log "${name} is in place"
    return
  fi
  download_verified "$name" "$url" "$sum"
  install -D -m 0755 "${scratch}/${name}" "/opt/bin/${binary}"
}

# An archive, unpacked into a folder. A file of the component's says which archive that was, and what its files must be: a
# later run unpacks it again unless all of that holds.
install_archive() {
  local component=$1 name=$2 url=$3 directory=$4 sum record unpacked
  shift 4
  record="${state}/${component}.sha256" unpacked="${scratch}/${component}"
  sum=$(expected_sha256 "$name" "$url")
  if [[ -f $record && $(head -n 1 "$record") == "# ${sum}" ]] && sha256sum --check --status "$record"; then
    log "${name} is in place"
    return
  fi
  download_verified "$name" "$url" "$sum"
  rm -f "$record"
  mkdir -p "$directory" "$unpacked"
  tar --extract --gzip --no-same-owner --file "${scratch}/${name}" --directory "$unpacked" "$@"
  cp --no-dereference --preserve=mode --remove-destination "$unpacked"/* "$directory"
  (cd "$unpacked" && echo "# ${sum}" && sha256sum -- * | sed "s|  |  ${directory}/|") >"${record}.part"
  mv "${record}.part" "$record"
}

install_binaries() {
  local cni="cni-plugins-linux-${arch}-${CNI_VERSION}.tgz"
  local cri="crictl-${CRI_TOOLS_VERSION}-linux-${arch}.tar.gz"
  install_archive cni-plugins "$cni" "${CNI_PLUGINS_URL}/${CNI_VERSION}/${cni}" /opt/cni/bin
  install_archive crictl "$cri" "${CRI_TOOLS_URL}/${CRI_TOOLS_VERSION}/${cri}" /opt/bin crictl
  install_kubernetes_binary kubelet
  install_kubernetes_binary kubectl
%if packager
  # Found by every shell, whatever its PATH.
  ln -sf /opt/bin/crictl /usr/local/bin/crictl
  ln -sf /opt/bin/kubectl /usr/local/bin/kubectl
%end
}
