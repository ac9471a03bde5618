# The lines above, which osm-gen wrote, set: name, checksum (of all that is applied), reload (the path of the
# user-data) and user_data_digest, command, spread, kubeconfig (or nothing), token (or nothing) and has_downloader. They
# define user_data, each_file, each_unit and each_unit_file, and with has_downloader=yes server, ca, downloader and
# downloader_unit. They may set removed=remove, restarts=all, and joining=apart: token only reads, and the user-data brought
# the one to join with.
#
# A step that fails ends the script with 1, and nothing is recorded: the next run does it again.
set -u
: "${removed:=keep}" "${restarts:=changed}" "${joining:=token}"
umask 077
state=/var/lib/cloud-config-downloader
credentials=$state/credentials
applied=$state/applied
work=$state/work
units=/etc/systemd/system
# The kubelet's, which it asks for with a bootstrap token.
certificate=/var/lib/kubelet/pki/kubelet-client-current.pem

say() { echo "$name: $*" >&2; }
fail() {
	say "$*"
	exit 1
}
digest() { sha256sum | cut -d ' ' -f 1; }

# FILE: standard input becomes the file. A file that has this content already stays as it is.
put() {
	if ! (umask 022 && mkdir -p "${1%/*}") || ! cat >"$1.new"; then
		fail "cannot write $1"
	fi
	if [ -f "$1" ] && [ "$(digest <"$1")" = "$(digest <"$1.new")" ]; then
		rm -f "$1.new"
		return
	fi
	# A power cut after the rename must not leave an empty file.
	sync "$1.new" 2>/dev/null || sync
	mv -f "$1.new" "$1" || fail "cannot write $1"
}

# ---- credentials -------------------------------------------------------------------------------------

# Prints the token to join with: that of the user-data, or the pool's, else the machine's own, unless nobody filled that in.
print_token() {
	if [ "$joining" = apart ]; then
		cat "$credentials/bootstrap-token" 2>/dev/null
	elif [ -n "$token" ]; then
		printf '%s' "$token"
	elif [ -s "$credentials/token" ]; then
		cat "$credentials/token"
	elif [ -s "$credentials/bootstrap-token" ] && ! grep -q '<<BOOTSTRAP_TOKEN>>' "$credentials/bootstrap-token"; then
		cat "$credentials/bootstrap-token"
	fi
}

print_kubeconfig() { # TOKEN
	cat <<END
apiVersion: v1
kind: Config
clusters:
- name: default
  cluster:
    certificate-authority-data: $(base64 <"$credentials/ca.crt" | tr -d '\n')
    server: $(cat "$credentials/server")
contexts:
- name: default
  context:
    cluster: default
    user: bootstrap
current-context: default
users:
- name: bootstrap
  user:
    token: $1
END
}

# The next token is in place before the last one ends, also if there is nothing to apply.
install_credentials() {
	if [ -n "$token" ]; then
		printf '%s' "$token" | put "$credentials/token" || exit 1
	fi
	# A node that has joined keeps no token that can join.
	if [ "$joining" = apart ] && [ -s "$certificate" ]; then
		rm -f "$credentials/bootstrap-token" ${kubeconfig:+"$kubeconfig"} || fail "cannot remove the token to join with"
		return
	fi
	current=$(print_token)
	if [ -n "$kubeconfig" ] && [ -n "$current" ] && [ -s "$credentials/server" ] && [ -s "$credentials/ca.crt" ]; then
		print_kubeconfig "$current" | put "$kubeconfig" || exit 1
	fi
}

# The downloader of a node is the newest one. A script that runs keeps its own text.
install_downloader() {
	[ "$has_downloader" = yes ] || return 0
	server | put "$credentials/server" || exit 1
	ca | put "$credentials/ca.crt" || exit 1
	downloader | put "$state/download-cloud-config.sh" || exit 1
	file=$units/cloud-config-downloader.service
	[ -f "$file" ] && [ "$(downloader_unit | digest)" = "$(digest <"$file")" ] && return
	downloader_unit | put "$file" || exit 1
	systemctl daemon-reload || fail "systemctl daemon-reload failed with $?"
}

# ---- when --------------------------------------------------------------------------------------------

# The first configuration is applied at once, a change at a time of its own on each node.
is_due() {
	[ -e "$applied/checksum" ] && [ "$spread" -gt 0 ] || return 0
	now=$(date +%s)
	of='' due=0
	if [ -s "$state/due" ]; then
		read -r of due <"$state/due" || return 0
	fi
	# A clock that was set back must not make the node wait for longer.
	if [ "$of" != "$checksum" ] || [ "$due" -gt $((now + spread)) ]; then
		due=$((now + $(od -An -N4 -tu4 /dev/urandom) % spread))
		echo "$checksum $due" | put "$state/due" || exit 1
		say "the change is applied in $((due - now)) s"
	fi
	[ "$now" -ge "$due" ]
}

# ---- files and units ---------------------------------------------------------------------------------

check_file() { # MODE DIGEST PATH: reports a file that the command did not write
	if ! [ -f "$3" ] || [ "$(digest <"$3")" != "$2" ]; then
		say "$3 was not written"
		faults=$((faults + 1))
	elif [ "$1" != - ] && [ "$(stat -c %a "$3")" != "$1" ]; then
		say "$3 does not have the mode $1"
		faults=$((faults + 1))
	fi
}
list_file() { echo "$2 $3"; }
list_path() { echo "$3"; }
print_path() { echo "$1"; }
# PATH: a file of a unit as it is. The interpreter of user-data may have left it out.
list_unit_file() { [ ! -f "$1" ] || echo "$(digest <"$1") $1"; }

# A power cut must not leave empty files of which it is recorded that they were written.
settle_path() { # PATH
	device=$(stat -c %d "$1" 2>/dev/null) || return 0
	case " $settled " in
	*" $device "*) return ;;
	esac
	sync -f "$1" 2>/dev/null || sync || fail "cannot write $1 to the disk"
	settled="$settled $device"
}
settle_file() { settle_path "$3"; } # MODE DIGEST PATH
settle() {
	settled=
	each_file settle_file
	each_unit_file settle_path
}

warn_unnamed() { # MODE DIGEST PATH
	[ -s "$applied/files" ] && [ "$restarts" = changed ] || return 0
	grep -qxF -- "$2 $3" "$applied/files" || grep -qxF -- "$3" "$work/named" ||
		say "$3 has changed; no unit names it, and none is restarted for it (setting gardenerRestart: all)"
}

# FILE...: the configuration's files that are named in them.
named_in() { grep -aohFf "$work/paths" -- "$@" 2>/dev/null | sort -u; }

# NAME WORD...: a digest of the unit, its drop-ins, and the files that they name, directly or in a script.
unit_digest() {
	unit=$1
	for file in "$units/$unit" "$units/$unit.d"/*.conf; do
		[ -f "$file" ] && echo "$file" && cat "$file"
	done >"$work/unit"
	named_in "$work/unit" "/usr/lib/systemd/system/$unit" "/lib/systemd/system/$unit" >"$work/first"
	while IFS= read -r path; do
		named_in "$path"
	done <"$work/first" >"$work/second"
	sort -u "$work/first" "$work/second" >"$work/both"
	cat "$work/both" >>"$work/named"
	{
		echo "$@"
		cat "$work/unit"
		while IFS= read -r path; do
			echo "$path"
			cat "$path"
		done <"$work/both"
	} | digest
}

# The first boot may have mounted a data volume. The unit mounts it on the next boot; a volume that is not there would end
# that one.
enable_mount() {
	device=$(sed -n 's/^What=//p' "$units/var-lib.mount" 2>/dev/null | tail -n 1)
	if [ -z "$device" ] || ! [ -e "$device" ] || ! mountpoint -q /var/lib; then
		say "var-lib.mount stays as it is: $device is not mounted on /var/lib"
		return
	fi
	systemctl --quiet is-enabled var-lib.mount && return
	say "enable var-lib.mount"
	if systemctl enable var-lib.mount; then
		settled=
		settle_path "$units"
	else
		say "var-lib.mount could not be changed"
		faults=$((faults + 1))
	fi
}

restart_unit() { # ENABLE COMMAND NAME
	case $3 in
	# As in Gardener: these hold what runs, or run this script.
	docker.service | cloud-config-downloader.service) return ;;
	var-lib.mount)
		[ "$1" = no ] || enable_mount
		return
		;;
	esac
	now=$(unit_digest "$3" "$1" "$2")
	if [ "$2" != restart ] && [ "$restarts" = changed ] && [ -e "$applied/units/$3" ] && [ "$(cat "$applied/units/$3")" = "$now" ]; then
		return
	fi
	enable=enable verb='restart --no-block'
	[ "$1" = no ] && enable=disable
	[ "$2" = stop ] && verb=stop
	say "$enable and $verb $3"
	# shellcheck disable=SC2086 # the verb and its option
	if systemctl "$enable" "$3" && systemctl $verb "$3"; then
		# It is enabled by a link.
		settled=
		settle_path "$units"
		echo "$now" | put "$applied/units/$3" || exit 1
	else
		say "$3 could not be changed"
		faults=$((faults + 1))
	fi
}

# Removes what the last application recorded and the configuration no longer has. Units stop before.
remove_gone() {
	[ "$removed" = remove ] && [ -s "$applied/files" ] || return 0
	{
		each_file list_path
		each_unit_file print_path
	} >"$work/here"
	while IFS=' ' read -r _ path; do
		# Only what was written here: a path with a line break is recorded in parts.
		case $path in
		/*) ;;
		*) continue ;;
		esac
		if grep -qxF -- "$path" "$work/here" || ! [ -e "$path" ]; then
			continue
		fi
		unit=
		[ "${path%/*}" != "$units" ] || unit=${path##*/}
		case $unit in
		docker.service | var-lib.mount | cloud-config-downloader.service) continue ;;
		?*)
			say "stop and disable $unit"
			systemctl stop "$unit" || fail "$unit could not be stopped"
			systemctl disable "$unit" || fail "$unit could not be disabled"
			rm -f "$applied/units/$unit"
			;;
		esac
		say "$path is removed"
		rm -f "$path" || fail "cannot remove $path"
		case ${path%/*} in
		"$units"/*.d) rmdir "${path%/*}" 2>/dev/null ;;
		esac
	done <"$applied/files"
}

# ---- repairs -----------------------------------------------------------------------------------------

# Prints the paths of what is not as it was recorded.
list_damaged() {
	[ -s "$applied/files" ] || return 0
	sed 's/ /  /' "$applied/files" | LC_ALL=C sha256sum -c 2>/dev/null | sed -n 's/: FAILED.*$//p'
}

# ENABLE COMMAND NAME: a unit whose files are damaged restarts when they are back.
forget_damaged() {
	if [ -e "$applied/units/$3" ] && [ "$(unit_digest "$3" "$1" "$2")" != "$(cat "$applied/units/$3")" ]; then
		rm -f "$applied/units/$3"
	fi
}

# Applies again what is damaged. A file that something else changes after each application is left alone after three of
# them, until the next boot.
repair() {
	list_damaged >"$work/damaged"
	if ! [ -s "$work/damaged" ]; then
		rm -f "$applied/repairs"
		return
	fi
	boot=$(cat /proc/sys/kernel/random/boot_id)
	of='' count=0
	if [ -s "$applied/repairs" ]; then
		read -r of count <"$applied/repairs" || return 0
	fi
	[ "$of" = "$boot" ] || count=0
	[ "$count" -le 3 ] || return 0
	echo "$boot $((count + 1))" | put "$applied/repairs" || exit 1
	while IFS= read -r path; do
		if [ "$count" -eq 3 ]; then
			say "$path changes again and again: it stays as it is until the next boot"
		else
			say "$path is not as it was applied"
		fi
	done <"$work/damaged"
	[ "$count" -lt 3 ] || return 0
	each_file list_path >"$work/paths"
	: >"$work/named"
	each_unit forget_damaged
	apply
}

# ---- the Node ----------------------------------------------------------------------------------------

# METHOD PATH TYPE BODY: prints what the API server answers to the kubelet's certificate. Fails without an answer of 2xx.
ask() {
	url=$(cat "$credentials/server")
	url=${url%/}$2
	if command -v curl >/dev/null; then
		curl -q -sS -f -X "$1" -H "Content-Type: $3" -d "$4" --cert "$certificate" --cacert "$credentials/ca.crt" \
			--capath "$work/none" --proto =https --connect-timeout 20 --max-time 60 "$url"
	else
		SSL_CERT_FILE=$credentials/ca.crt SSL_CERT_DIR=$work/none wget -q -O - --method="$1" --header="Content-Type: $3" \
			--body-data="$4" --certificate="$certificate" --private-key="$certificate" --check-certificate \
			--ca-certificate="$credentials/ca.crt" --ca-directory="$work/none" --max-redirect=0 -T 60 -t 1 "$url"
	fi 2>/dev/null
}

# Writes into annotations of this Node which script it has run, once for each script and boot. A kubelet may change its own
# Node. A node is configured also without this, so that a failure is not one of the script.
report() {
	[ -f "$0" ] && [ -s "$certificate" ] && [ -s "$credentials/server" ] && [ -s "$credentials/ca.crt" ] || return 0
	sum=$(digest <"$0")
	this="$sum $(cat /proc/sys/kernel/random/boot_id)"
	[ "$(cat "$applied/reported" 2>/dev/null)" != "$this" ] || return 0
	if [ -e "$work/unreported" ]; then
		age=$(($(date +%s) - $(stat -c %Y "$work/unreported")))
		[ "$age" -lt 0 ] || [ "$age" -ge 60 ] || return 0
	fi
	node=$(ask POST /apis/authentication.k8s.io/v1/selfsubjectreviews application/json \
		'{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}' |
		sed -n 's/.*"username": *"system:node:\([^"]*\)".*/\1/p')
	if [ -n "$node" ] && ask PATCH "/api/v1/nodes/$node" application/merge-patch+json \
		"{\"metadata\":{\"annotations\":{\"checksum/cloud-config-data\":\"$sum\",\"osm-gen.dev/cloud-config\":\"$name\"}}}" >/dev/null; then
		echo "$this" | put "$applied/reported" || exit 1
		rm -f "$work/unreported"
	else
		# A Node that is not there yet, or an API server that refuses: it is reported once, and tried each minute.
		[ -e "$work/unreported" ] ||
			say "cannot write into the annotations of this Node${node:+, $node,} what is applied: it is tried again each minute"
		: >"$work/unreported"
	fi
}

# ---- the whole ---------------------------------------------------------------------------------------

apply() {
	say "applying $checksum"
	[ "$(user_data | digest)" = "$user_data_digest" ] || fail "the user-data is not what this script applies: it is downloaded again"
	user_data | put "$reload" || exit 1
	[ "$(digest <"$reload")" = "$user_data_digest" ] || fail "cannot write $reload"
	sh -c "$command" </dev/null 9>&- || fail "the command failed with $?: $command"
	faults=0
	each_file check_file
	[ "$faults" -eq 0 ] || fail "$faults files are not as they should be"
	settle
	remove_gone
	systemctl daemon-reload || fail "systemctl daemon-reload failed with $?"
	each_file list_path >"$work/paths"
	: >"$work/named"
	each_unit restart_unit
	[ "$faults" -eq 0 ] || fail "$faults units could not be changed"
	each_file warn_unnamed
	{
		each_file list_file
		each_unit_file list_unit_file
	} | put "$applied/files" || exit 1
	echo "$checksum" | put "$applied/checksum" || exit 1
	rm -f "$state/due"
	say "applied $checksum"
}

mkdir -p "$credentials" "$applied/units" "$work" || fail "cannot write $state"
exec 9>"$state/lock"
if command -v flock >/dev/null && ! flock -n 9; then
	say "another run is applying"
	exit 0
fi
install_downloader
install_credentials
if [ -e "$applied/checksum" ] && [ "$(cat "$applied/checksum")" = "$checksum" ]; then
	repair
	report
	exit 0
fi
is_due || exit 0
apply
report
