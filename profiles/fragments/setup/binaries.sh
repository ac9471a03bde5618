%include setup/versions.sh

# Known checksums. A version from the settings is not among them and is checked against the file beside it.
declare -rA pinned_sha256=(
%include setup/pins.sh
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
  log "downloading $url"
  curl --fail --location --silent --show-error --proto "$protocols" --proto-redir "$protocols" "${retry[@]}" \
    --connect-timeout 15 --speed-limit 1024 --speed-time 60 --output "$destination" "$url" || die "cannot download $url"
}

# Prints the checksum that the file NAME at URL must have: the operator's, else the pinned, else the published one.
expected_sha256() {
  local name=$1 url=$2 sum=
  if [[ -n $CHECKSUMS_FILE ]]; then
    sum=$(awk -v name="$name" '$2 == name || $2 == "*" name {print $1; exit}' "$CHECKSUMS_FILE")
  fi
  sum=${sum:-${pinned_sha256[$name]:-}}
  if [[ -z $sum ]]; then
    download "$url.sha256" "$scratch/$name.sha256"
    # Some projects publish the bare sum without a line end, others "sum  name".
    read -r sum _ <"$scratch/$name.sha256" || true
  fi
  [[ $sum =~ ^[0-9a-f]{64}$ ]] || die "'$sum' is not a SHA-256 checksum for $name"
  echo "$sum"
}

has_sha256() { sha256sum --check --status <<<"$2  $1"; }

# Downloads to the scratch folder; a file that fails the check is removed and never installed.
download_verified() {
  local name=$1 url=$2 sum=$3
  download "$url" "$scratch/$name"
  if ! has_sha256 "$scratch/$name" "$sum"; then
    rm -f "$scratch/$name"
    die "$url does not have the checksum $sum"
  fi
}

# kubelet and kubectl: a bare binary.
install_kubernetes_binary() {
  local binary=$1 name url sum
  name="$binary-$KUBE_VERSION-linux-$arch"
  url="$KUBE_BINARIES_URL/$KUBE_VERSION/bin/linux/$arch/$binary"
  sum=$(expected_sha256 "$name" "$url")
  if [[ -x /opt/bin/$binary ]] && has_sha256 "/opt/bin/$binary" "$sum"; then
    log "$name is in place"
    return
  fi
  download_verified "$name" "$url" "$sum"
  install -D -m 0755 "$scratch/$name" "/opt/bin/$binary"
}

# An archive, unpacked into a folder. A file of the component's says which archive that was, and what its files must be: a
# later run unpacks it again unless all of that holds.
install_archive() {
  local component=$1 name=$2 url=$3 directory=$4 sum record unpacked
  shift 4
  record="$state/$component.sha256" unpacked="$scratch/$component"
  sum=$(expected_sha256 "$name" "$url")
  if [[ -f $record && $(head -n 1 "$record") == "# $sum" ]] && sha256sum --check --status "$record"; then
    log "$name is in place"
    return
  fi
  download_verified "$name" "$url" "$sum"
  rm -f "$record"
  mkdir -p "$directory" "$unpacked"
  tar --extract --gzip --no-same-owner --file "$scratch/$name" --directory "$unpacked" "$@"
  cp --no-dereference --preserve=mode --remove-destination "$unpacked"/* "$directory"
  (cd "$unpacked" && echo "# $sum" && sha256sum -- * | sed "s|  |  $directory/|") >"$record.part"
  mv "$record.part" "$record"
}

install_binaries() {
  local cni="cni-plugins-linux-$arch-$CNI_VERSION.tgz"
  local cri="crictl-$CRI_TOOLS_VERSION-linux-$arch.tar.gz"
  install_archive cni-plugins "$cni" "$CNI_PLUGINS_URL/$CNI_VERSION/$cni" /opt/cni/bin
  install_archive crictl "$cri" "$CRI_TOOLS_URL/$CRI_TOOLS_VERSION/$cri" /opt/bin crictl
  install_kubernetes_binary kubelet
  install_kubernetes_binary kubectl
%if packager
  # Found by every shell, whatever its PATH.
  ln -sf /opt/bin/crictl /usr/local/bin/crictl
  ln -sf /opt/bin/kubectl /usr/local/bin/kubectl
%end
}
