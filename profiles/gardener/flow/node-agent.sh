# The lines above, which osm-gen wrote, set: image, or url and sha256_amd64 and sha256_arm64.
#
# systemd runs this before each start of gardener-node-agent, and again some seconds after it failed. What is there
# already is not fetched again.
set -u
umask 022
binary=/opt/bin/gardener-node-agent
state=/var/lib/gardener-node-agent
# The image of which the binary was taken, and the binary's digest.
installed=$state/installed

say() { echo "gardener-node-agent: $*" >&2; }
fail() {
	say "$*"
	exit 1
}
digest() { sha256sum "$1" | cut -d ' ' -f 1; }

# machine-controller-manager fills in the name of the machine. Elsewhere it is the name under which kubelets register.
name_machine() {
	if [ -s "$state/machine-name" ] && ! grep -q '<<' "$state/machine-name"; then
		return
	fi
	if ! uname -n | tr '[:upper:]' '[:lower:]' >"$state/machine-name.new" ||
		! mv -f "$state/machine-name.new" "$state/machine-name"; then
		fail "cannot write $state/machine-name"
	fi
}

# FILE: becomes the binary, in one step.
put() {
	chmod 0755 "$1" || fail "cannot make $1 executable"
	# A power cut after the rename must not leave an empty file.
	sync "$1" 2>/dev/null || sync
	mv -f "$1" "$binary" || fail "cannot write $binary"
}

# ---- the registry's CA -------------------------------------------------------------------------------

# Makes the system trust the CA before anything is pulled, as Gardener does, where the system looks for such files.
trust_registry() {
	ca=/var/lib/ca-certificates-local/registry-ca.crt
	[ -s "$ca" ] || return 0
	now=$(digest "$ca")
	if [ -s "$state/trusted" ] && [ "$(cat "$state/trusted")" = "$now" ]; then
		return
	fi
	say "trusts the CA of the registry"
	options='' update=update-ca-certificates
	if [ -f /etc/debian_version ]; then
		# /usr may be read-only: certificates of the image are copied to the other folder.
		cp -a /usr/local/share/ca-certificates/. "${ca%/*}" 2>/dev/null
		options="--fresh --localcertsdir ${ca%/*}"
	elif grep -qi flatcar /etc/os-release; then
		cp "$ca" /etc/ssl/certs/registry-ca.pem || fail "cannot write to /etc/ssl/certs"
	elif [ -d /etc/pki/ca-trust/source/anchors ]; then
		cp "$ca" /etc/pki/ca-trust/source/anchors/registry-ca.crt || fail "cannot write to /etc/pki"
		update='update-ca-trust'
	else
		mkdir -p /etc/pki/trust/anchors || fail "cannot write to /etc/pki"
		cp "$ca" /etc/pki/trust/anchors/registry-ca.pem || fail "cannot write to /etc/pki"
	fi
	# shellcheck disable=SC2086 # no word, or several
	"$update" $options >&2 || fail "$update failed with $?"
	# It reads the certificates of the system when it starts.
	systemctl restart containerd || fail "containerd could not be restarted"
	echo "$now" >"$state/trusted" || fail "cannot write $state/trusted"
}

# ---- a file ------------------------------------------------------------------------------------------

fetch_url() {
	case $(uname -m) in
	x86_64) arch=amd64 wanted=$sha256_amd64 ;;
	aarch64) arch=arm64 wanted=$sha256_arm64 ;;
	*) arch=$(uname -m) wanted= ;;
	esac
	[ -n "$wanted" ] || fail "gardenerNodeAgentSHA256 has no checksum for $arch"
	if [ -x "$binary" ] && [ "$(digest "$binary")" = "$wanted" ]; then
		return
	fi
	from=$(printf '%s' "$url" | sed "s/{arch}/$arch/g")
	say "fetches its program"
	if command -v curl >/dev/null; then
		curl --fail --silent --show-error --location --proto '=https' --proto-redir '=https' --retry 5 --max-time 600 \
			--output "$binary.new" "$from" || fail "the program could not be fetched"
	else
		wget --quiet --tries=5 --timeout=60 --output-document="$binary.new" "$from" || fail "the program could not be fetched"
	fi
	if [ "$(digest "$binary.new")" != "$wanted" ]; then
		rm -f "$binary.new"
		fail "the program that was fetched has another checksum than gardenerNodeAgentSHA256"
	fi
	put "$binary.new"
}

# ---- an image ----------------------------------------------------------------------------------------

fetch_image() {
	if [ -x "$binary" ] && [ -s "$installed" ] && [ "$(cat "$installed")" = "$image $(digest "$binary")" ]; then
		return
	fi
	say "pulls $image"
	# Newer versions pull the manifests of all architectures, which a mirror may lack.
	metadata=
	if ctr images pull --help 2>/dev/null | grep -q skip-metadata; then
		metadata=--skip-metadata
	fi
	# shellcheck disable=SC2086 # no word, or one
	ctr images pull $metadata --hosts-dir /etc/containerd/certs.d "$image" >/dev/null || fail "the image could not be pulled"
	mount=$(mktemp -d) || fail "no folder for the image"
	# shellcheck disable=SC2064 # the folder of now
	trap "ctr images unmount '$mount' >/dev/null 2>&1; rmdir '$mount'" EXIT
	ctr images mount "$image" "$mount" >/dev/null || fail "the image could not be mounted"
	found=
	for path in gardener-node-agent ko-app/gardener-node-agent; do
		if [ -f "$mount/$path" ]; then
			found=$mount/$path
			break
		fi
	done
	[ -n "$found" ] || fail "the image has no gardener-node-agent"
	cp "$found" "$binary.new" || fail "cannot write $binary.new"
	put "$binary.new"
	printf '%s %s\n' "$image" "$(digest "$binary")" >"$installed" || fail "cannot write $installed"
}

mkdir -p "${binary%/*}" "$state/credentials" "$state/tmp" || fail "cannot make $state"
chmod 0700 "$state/credentials" || fail "cannot protect $state/credentials"
name_machine
trust_registry
if [ -n "$url" ]; then
	fetch_url
else
	fetch_image
fi
