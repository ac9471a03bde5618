#!/usr/bin/env bash
# The script of `osm-gen inventory --mirror-script` with the real curl and a server on loopback; and a profile whose
# inventory wants to be shell, options of curl, or files outside of the mirror's folder.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$scratch/fleet
inventory=("$program" inventory --repo "$repo" --worktree)
mkdir "$repo"
git -C "$repo" init -q
openstack "$repo" 'username: u, password: p, domainName: d'
sed 's/^    \(osm-gen.dev.inventory\): |/    \1: ""\n    without: |/' "$root/profiles/ubuntu.yaml" >"$repo/ubuntu.yaml"
cp "$root/osm-gen.yaml" "$root/tests/fleet/prod-us-1/cluster-info.yaml" "$repo"
commit_all "$repo" inputs
annotated() { # NAME: machines have an extension with the inventory on standard input, and nothing but that is listed
	mkdir -p "$repo/extensions"
	{
		printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemProfileExtension\nmetadata:\n  name: %s\n' "$1"
		printf '  annotations:\n    osm-gen.dev/inventory: |\n'
		sed 's/^/      /'
		printf 'spec:\n  selector: {operatingSystems: [ubuntu]}\n  sysctls: {vm.swappiness: "1"}\n'
	} >"$repo/extensions/$1.yaml"
}

# ---- what would be shell -------------------------------------------------------------------------------
annotated hostile <<END
A='\$(touch $scratch/one)\`touch $scratch/two\`'
archive shell url=https://h.example.test/\${A}/a.tgz
archive quote url=https://h.example.test/';touch\${A}
archive option url=-o$scratch/three://x/y
archive config url=--config=$scratch/rc://x/y
archive local url=file://localhost$scratch/err
archive parent url=https://..
archive folder url=https://h.example.test/folder/
archive here url=https://h.example.test/./x
archive away url=https://h.example.test/x/../../../../../../..$scratch/four
archive braces url=https://h.example.test/{a,b}[1-3].tgz
archive secret url=https://user:pa55word@h.example.test/secret.tgz
key hidden url=https://h.example.test/{{ "a\\u202eb\\u0007c\\rtouch $scratch/five" }}
image \${A}{{ "\\u202e" }}
package \${A};touch from=\`touch\`
END
exits "a hostile inventory" 0 "${inventory[@]}" --mirror-script
cp "$scratch/out" "$scratch/hostile.sh"
ok "is text" bash -c "! grep -qP '[^\x20-\x7e\t]' $scratch/hostile.sh"
same "fetches what has a place in a folder" "get_published 'h.example.test/{a,b}[1-3].tgz' 'https://h.example.test/{a,b}[1-3].tgz'
get_published h.example.test/secret.tgz https://h.example.test/secret.tgz" "$(grep -E '^get\w* [^(]' "$scratch/hostile.sh" | LC_ALL=C sort)"
same "and says of the others that they have none" 10 "$(grep -c '^# Has no place in a folder: ' "$scratch/hostile.sh")"
mkdir "$scratch/bin"
cat >"$scratch/bin/curl" <<'SH_'
#!/bin/sh
printf '%s\n' "$@" >>"$ASKED"
for url; do :; done
while [ "$1" != --output ]; do shift; done
case $url in
*.sha256) printf x | sha256sum >"$2" ;;
*) printf x >"$2" ;;
esac
SH_
chmod +x "$scratch/bin/curl"
exits "it runs" 0 env PATH="$scratch/bin:$PATH" ASKED="$scratch/asked" bash "$scratch/hostile.sh" "$scratch/hostile"
same "and is no shell" "" "$(find "$scratch" -maxdepth 1 \( -name one -o -name two -o -name three -o -name four -o -name five \))"
same "writes in the folder alone" "./h.example.test/secret.tgz ./h.example.test/secret.tgz.sha256 ./h.example.test/{a,b}[1-3].tgz ./h.example.test/{a,b}[1-3].tgz.sha256" \
	"$(cd "$scratch/hostile" && find . -type f | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
ok "takes braces as they are" grep -qx -- --globoff "$scratch/asked"
ok "no password is in it" bash -c "! grep -q pa55word $scratch/hostile.sh"
exits "what has no place" 1 "${inventory[@]}" --check-mirror "$scratch/hostile"
same "is missing" 10 "$(grep -vc '\.sha256$\|checked;' "$scratch/out")"
ok "and is shown" grep -qF 'missing  https://h.example.test/a\u202eb\x07c' "$scratch/out"
printf '%s\n' https://h.example.test/secret.tgz >"$scratch/list"
exits "a list" 1 "${inventory[@]}" --check-mirror "$scratch/list"
ok "has no passwords either" bash -c "! grep -q 'secret.tgz$' $scratch/out"
rm "$repo/extensions/hostile.yaml"

# ---- the real curl -------------------------------------------------------------------------------------
command -v curl >/dev/null || { skip "curl is not installed"; finish; }
cat >"$scratch/server.py" <<'PY'
"""Serves /NAME: files as they are; "ranges" from where they are asked for, "cut" breaks off once; "moved" is elsewhere."""
import http.server, pathlib, re, sys

DATA = bytes(range(256)) * 4096
cut = []

class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, format, *args):
        pass

    def do_GET(self):
        name, _, suffix = self.path.lstrip("/").partition(".sha256")
        import hashlib
        if self.path.endswith(".sha256"):
            body = {"empty": b"", "page": b"<html>\n"}.get(name, (hashlib.sha256(DATA).hexdigest().upper() + "\n").encode())
        elif name == "moved":
            self.send_response(302)
            self.send_header("Location", "/plain")
            return self.end_headers()
        elif name == "absent":
            return self.send_error(404)
        else:
            body = DATA
        match = re.match(r"bytes=(\d+)-", self.headers.get("Range", "")) if name == "ranges" else None
        start = int(match[1]) if match else 0
        if match and start >= len(body):
            return self.send_error(416)
        self.send_response(206 if match else 200)
        if match:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        if not self.path.endswith(".sha256") and name in ("ranges", "whole") and name not in cut:
            cut.append(name)
            return self.wfile.write(body[:100000])
        self.wfile.write(body[start:])

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
pathlib.Path(sys.argv[1]).write_text(str(server.server_address[1]))
server.serve_forever()
PY
python3 "$scratch/server.py" "$scratch/port" &
server=$!
trap 'kill "$server"; rm -rf "$scratch"' EXIT
for ((i = 0; i < 200; i++)); do
	[ -s "$scratch/port" ] && break
	sleep 0.1
done
at=127.0.0.1:$(cat "$scratch/port")
sum=$(python3 -c 'import hashlib; print(hashlib.sha256(bytes(range(256)) * 4096).hexdigest())')
fill() { # NAME...: the mirror with these, into $scratch/mirror
	for name; do echo "archive $name url=http://$at/$name"; done | annotated served
	"${inventory[@]}" --mirror-script >"$scratch/mirror.sh" || return
	no_proxy='*' bash "$scratch/mirror.sh" "$scratch/new/mirror"
}
has() { [ "$(sha256sum <"$scratch/new/mirror/$at/$1" | cut -d ' ' -f 1)" = "$sum" ]; }
exits "files that are there" 0 fill plain moved
ok "are fetched" has plain
ok "from where they have moved to" has moved
exits "all is there" 0 "${inventory[@]}" --check-mirror "$scratch/new/mirror"
for name in ranges whole; do
	exits "$name: a download that breaks off" 18 fill "$name"
	same "$name: is kept" 100000 "$(wc -c <"$scratch/new/mirror/$at/$name.part")"
	exits "$name: once more" 0 fill "$name"
	ok "$name: is whole" has "$name"
done
rm "$scratch/new/mirror/$at/ranges"
head -c 2000000 /dev/zero >"$scratch/new/mirror/$at/ranges.part"
exits "more was there than the file has" 0 fill ranges
ok "is fetched afresh" has ranges
exits "an absent file" 22 fill absent
for name in empty page; do
	exits "a checksum that is $name" 1 fill "$name"
	says "is said" "http://$at/$name.sha256 is no checksum"
	ok "and nothing is kept" bash -c "! ls $scratch/new/mirror/$at/$name* 2>/dev/null"
	echo forged >"$scratch/new/mirror/$at/$name"
	: >"$scratch/new/mirror/$at/$name.sha256"
	exits "a mirror that has one" 1 "${inventory[@]}" --check-mirror "$scratch/new/mirror"
	same "is damaged" "damaged  http://$at/$name" "$(grep -v checked "$scratch/out")"
done
finish
