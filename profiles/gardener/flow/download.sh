# Downloads the Secret of this node's pool, checks it, and runs the execution script in it. systemd starts this again
# 30 seconds after it has ended. The line above, which osm-gen wrote, sets name, the Secret's.
set -u
umask 077
state=/var/lib/cloud-config-downloader
credentials=$state/credentials
work=$state/download
longest=300

say() { echo "$*" >&2; }
digest() { sha256sum | cut -d ' ' -f 1; }
random() { echo $(($(od -An -N2 -tu2 /dev/urandom) % $1)); }

# ---- the API server's answer -------------------------------------------------------------------------

# TOKEN: sets code to the status of HTTP, or to what went wrong. The token is in no command line.
fetch() {
	rm -f "$work/answer"
	if command -v curl >/dev/null; then
		printf 'header = "Authorization: Bearer %s"\nheader = "Accept: application/json"\n' "$1" >"$work/config"
		# An empty --capath: the cluster's CA alone is trusted, and not those of the system.
		code=$(curl -q -sS -K "$work/config" --cacert "$credentials/ca.crt" --capath "$work/none" --proto =https \
			--connect-timeout 20 --max-time 120 -o "$work/answer" -w '%{http_code}' "$url") || code="error $? of curl"
	elif command -v wget >/dev/null && wget --version 2>/dev/null | grep -q '^GNU Wget'; then
		printf 'header = Authorization: Bearer %s\nheader = Accept: application/json\n' "$1" >"$work/config"
		WGETRC=$work/config SSL_CERT_FILE=$credentials/ca.crt SSL_CERT_DIR=$work/none wget --check-certificate \
			--ca-certificate="$credentials/ca.crt" --ca-directory="$work/none" --max-redirect=0 -nv -S -T 60 -t 1 \
			-O "$work/answer" "$url" 2>"$work/log"
		ended=$?
		code=$(sed -n 's/^ *HTTP\/[0-9.]* \([0-9]*\).*/\1/p' "$work/log" | tail -n 1)
		[ "$ended" -eq 0 ] || [ "${code:-200}" != 200 ] || code="error $ended of wget"
	else
		code="neither curl nor GNU Wget"
	fi
	rm -f "$work/config"
}

# KEY: prints data.KEY, which is base64. It prints nothing if the answer is not one whole Secret of this name. Quotes
# divide JSON into what is inside of strings and what is outside.
member() {
	LC_ALL=C awk -v key="$1" -v name="$name" '
	BEGIN { RS = "\"" }
	is_string {
		text = text $0
		slashes = 0
		while (slashes < length($0) && substr($0, length($0) - slashes, 1) == "\\") slashes++
		if (slashes % 2) { text = text "\""; next }
		is_string = 0
		if (is_key) names[depth] = text
		else if (depth == 1 && names[1] == "kind") kind = text
		else if (depth == 2 && names[1] == "metadata" && names[2] == "name") found = text
		else if (depth == 2 && names[1] == "data" && names[2] == key) { value = text; values++ }
		next
	}
	{
		for (i = 1; i <= length($0); i++) {
			c = substr($0, i, 1)
			if (c == "{" || c == "[") { kinds[++depth] = c; names[depth] = ""; is_key = c == "{"; opened++ }
			else if (c == "}" || c == "]") { depth--; is_key = 0; if (depth < 0) exit }
			else if (c == ",") is_key = kinds[depth] == "{"
			else if (c == ":") is_key = 0
		}
		is_string = 1
		text = ""
	}
	END {
		if (depth == 0 && opened && is_string && text == "" && kind == "Secret" && found == name && values == 1) print value
	}' "$work/answer"
}

# Keeps the script if it is the one that was written, and the user-data, whose digest is in the script. A power cut leaves
# the earlier ones or these.
keep() {
	member checksum | base64 -d >"$work/checksum" 2>/dev/null
	member script | base64 -d >"$work/script" 2>/dev/null
	[ -s "$work/script" ] && [ "$(digest <"$work/script")" = "$(cat "$work/checksum")" ] || return 1
	member cloud_config | base64 -d >"$work/cloud_config" 2>/dev/null
	sync "$work/script" "$work/cloud_config" 2>/dev/null || sync
	mv -f "$work/cloud_config" "$state/cloud_config" || return 1
	mv -f "$work/script" "$state/script"
}

# ---- the whole ---------------------------------------------------------------------------------------

# Tries the pool's token, then the one of the first boot, which somebody may have renewed.
download() {
	code='no token'
	for file in token bootstrap-token; do
		token=$(cat "$credentials/$file" 2>/dev/null)
		case $token in
		'' | *[!A-Za-z0-9._-]*) continue ;;
		esac
		fetch "$token"
		case $code in
		200)
			keep && return 0
			say "what $url answered is damaged: its checksum is wrong"
			return 1
			;;
		401 | 403) ;;
		*) break ;;
		esac
	done
	case $code in
	401 | 'no token') say "this node has no valid token ($code): write a new one into $credentials/bootstrap-token, or replace the machine" ;;
	403) say "this node's token may not read Secret kube-system/$name" ;;
	404) say "Secret kube-system/$name is missing" ;;
	*) say "cannot download $url: ${code:-no answer}" ;;
	esac
	return 1
}

# A node that fails waits for longer each time, and not for as long as the others.
back_off() {
	failures=$(cat "$state/failures" 2>/dev/null)
	case $failures in
	'' | *[!0-9]* | ?????*) failures=0 ;;
	esac
	failures=$((failures + 1))
	echo "$failures" >"$state/failures"
	pause=10
	while [ "$failures" -gt 1 ] && [ "$pause" -lt "$longest" ]; do
		pause=$((pause * 2)) failures=$((failures - 1))
	done
	[ "$pause" -le "$longest" ] || pause=$longest
	sleep "$((pause / 2 + $(random "$pause")))"
	exit 1
}

mkdir -p "$work" || back_off
rm -rf "$work/none"
server=$(cat "$credentials/server")
url=${server%/}/api/v1/namespaces/kube-system/secrets/$name
sleep "$(random 10)"
downloaded=yes
download || downloaded=no
rm -f "$work/answer"
# Without a download the last script ends what it began, or does nothing.
if [ -s "$state/script" ]; then
	sh "$state/script" </dev/null || back_off
fi
[ "$downloaded" = yes ] || back_off
rm -f "$state/failures"
