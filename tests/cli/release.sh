#!/usr/bin/env bash
# A release: what ci/packaging/release puts together, how others read it, and how ci/release/fetch verifies it.
# Slow: makes a release
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
cd "$root" || exit 1
needs_commit "there is no commit to release"
version=$(cat VERSION)
same "the program's version is that of VERSION" "osm-gen $version" "$("$program" --version | head -n 1)"
ok "and is in the changelog" grep -q "^## \[\{0,1\}$version\]\{0,1\}" docs/changelog.md

# ---- the recipes ---------------------------------------------------------------------------------------------------------------
ok "recipes have the version, the address and the download" ci/release/fill --check
mkdir -p "$scratch/home/ci"
cp -r VERSION README.md .pre-commit-hooks.yaml "$scratch/home/"
cp -r ci/recipes ci/release ci/example "$scratch/home/ci/"
mkdir -p "$scratch/home/docs/howto"
cp -r docs/example "$scratch/home/docs/"
cp docs/howto/install.md "$scratch/home/docs/howto/"
echo 9.8.7 >"$scratch/home/VERSION"
sed -i 's|^home=.*|home=https://elsewhere.example/o|; s|^signer=.*|signer="ssh-ed25519 AAAAx"|' "$scratch/home/ci/recipes/home"
exits "others would be seen" 1 "$scratch/home/ci/release/fill" --check
ok "others are written" "$scratch/home/ci/release/fill"
while read -r recipe; do
	case $recipe in
	home | policy/* | pre-commit/osm-gen | github/main.yml | github/pull-request.yml | github/shards.yml | github/comment.yml | github/proposal.yml | gitlab/templates/osm-gen-note/template.yml | gitlab/templates/osm-gen-proposal/template.yml) ;; # no version, no address
	*) ok "$recipe has the version or the address" grep -qE '9\.8\.7|https://elsewhere\.example/o' "$scratch/home/ci/recipes/$recipe" ;;
	esac
	same "$recipe has no other" "" "$(grep -v '^home=' "$scratch/home/ci/recipes/$recipe" |
		grep -E "git\.osm-gen\.example|REPLACE-BY|[^.0-9]${version//./\\.}[^.0-9].*# version")"
done < <(cd ci/recipes && find . -type f -printf '%P\n' | sort)
same "copies in the example have no other" "" "$(grep -rE "# version of osm-gen" "$scratch/home/docs/example" | grep -v "9\.8\.7")"

ok "the example has copies" "$scratch/home/ci/example" check
for page in README.md docs/howto/install.md; do
	same "$page has version, place and key" "version=9.8.7 downloads=\"https://elsewhere.example/o/releases/download\" signer=\"ssh-ed25519 AAAAx\"" \
		"$(sed -n '/^\(version\|downloads\|signer\)=/p' "$scratch/home/$page" | paste -sd ' ')"
done
exits "then nothing is to be written" 0 "$scratch/home/ci/release/fill" --check
echo >>"$scratch/home/docs/example/.github/workflows/osm-gen.yml"
exits "a copy that differs" 1 "$scratch/home/ci/release/fill" --check

# ---- the parts: a program for each processor, a package for each system -----------------------------------------------------
parts=$scratch/parts
mkdir -p "$parts/bookworm" "$parts/noble"
: >"$scratch/map"
for architecture in amd64 arm64; do
	strip -o "$parts/$architecture" build/osm-gen # as the static program is; the rest would be compressed many times
	ci/packaging/sbom "$parts/$architecture" "$scratch/map" >"$parts/$architecture.cdx.json"
done
echo >>"$parts/arm64"
for suite in bookworm noble; do
	mkdir -p "$scratch/$suite/DEBIAN" "$scratch/$suite/usr/bin"
	printf 'Package: osm-gen\nVersion: %s-1~%s\nArchitecture: amd64\nMaintainer: a <a@osm-gen.example>\nDescription: test\n' \
		"$version" "$suite" >"$scratch/$suite/DEBIAN/control"
	cp "$parts/amd64" "$scratch/$suite/usr/bin/osm-gen"
	dpkg-deb --root-owner-group -b "$scratch/$suite" "$parts/$suite/osm-gen_$version-1~${suite}_amd64.deb" >/dev/null
done
ssh-keygen -q -t ed25519 -N '' -C releaser -f "$scratch/key"
signer=$(cut -d ' ' -f 1,2 "$scratch/key.pub")
export GNUPGHOME=$scratch/gnupg
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'osm-gen test <test@osm-gen.example>' ed25519 sign never 2>/dev/null
gpg_key=$(gpg --batch --with-colons --list-keys | sed -n 's/^fpr:*\([0-9A-F]*\):$/\1/p' | head -n 1)

# ---- put together --------------------------------------------------------------------------------------------------------------
cp -r "$scratch/home" "$scratch/stale" && cp -r ci/packaging "$scratch/stale/ci/" && sed -i 's/^version=.*/version=0.0.1/' "$scratch/stale/README.md"
exits "a README of another version" 1 "$scratch/stale/ci/packaging/release" "$scratch/release" "$parts" "$scratch/key"
says "is not released" "commit what ci/release/fill writes"
exits "nobody's key" 64 ci/packaging/release "$scratch/release" "$parts" ""
says "is asked for" "whose key signs it"
exits "an ssh key" 0 ci/packaging/release "$scratch/release" "$parts" "$scratch/key" "$gpg_key"
says "what is missing is said" "no RPM package: left out"
exits "again, without gpg" 0 ci/packaging/release "$scratch/unsigned" "$parts" "$scratch/key"
says "without gpg" "GPG_KEY=FINGERPRINT"
# Somebody else makes it, in a clone: other keys, another time zone, language and umask.
git clone -q --depth 1 "file://$root" "$scratch/else/where/clone"
cp -r ci "$scratch/else/where/clone/"
ssh-keygen -q -t ed25519 -N '' -C second -f "$scratch/second"
gpg --batch --quiet --passphrase '' --quick-generate-key 'second test <second@osm-gen.example>' ed25519 sign never 2>/dev/null
second=$(gpg --batch --with-colons --list-keys second@osm-gen.example | sed -n 's/^fpr:*\([0-9A-F]*\):$/\1/p' | head -n 1)
elsewhere() { (umask 077 && TZ=Asia/Kathmandu LC_ALL=C.UTF-8 "$scratch/else/where/clone/ci/packaging/release" "$@"); }
exits "by somebody else" 0 elsewhere "$scratch/again" "$parts" "$scratch/second" "$second"
exits "the same bytes but for signatures" 0 ci/release/compare "$scratch/release" "$scratch/again"
same "each file was compared" "$(cd "$scratch/release" && find . -type f ! -name 'SHA256SUMS.*' ! -name InRelease ! -name '*.gpg' | wc -l)" \
	"$(sed -n 's/^\([0-9]*\) files are the same.*, 0 are not$/\1/p' "$scratch/out")"
echo >>"$scratch/again/apt/dists/noble/Release"
rm "$scratch/again/osm-gen.rb"
exits "other bytes" 1 ci/release/compare "$scratch/release" "$scratch/again"
ok "are named" grep -qx 'differs: apt/dists/noble/Release' "$scratch/out"
ok "and a file that is missing" grep -qx "only in $scratch/release: osm-gen.rb" "$scratch/out"
rm -r "$scratch/again/apt"
cp "$scratch/release/osm-gen.rb" "$scratch/again/"
exits "as it is downloaded, without a repository for apt" 0 ci/release/compare "$scratch/release" "$scratch/again"
ok "which it says" grep -qx 'apt/ is not in both: not compared' "$scratch/out"
exits "no release" 64 ci/release/compare "$scratch/release" "$scratch/else"
cd "$scratch/release" || exit 1
same "all files are in SHA256SUMS" "$(find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%f\n' | LC_ALL=C sort)" \
	"$(awk '{print $2}' SHA256SUMS)"
ok "the digests hold" sha256sum --check --strict --quiet SHA256SUMS
echo "osm-gen $signer" >"$scratch/signers"
# As docs/howto/install.md describes it.
page() { # FOLDER
	(cd "$1" && signer=$signer bash -euc "$(sed -n '/^<!-- install: check -->/,/^<!-- end -->/p' "$root/docs/howto/install.md" | sed '/^<!--/d; /^```/d')")
}
cp -r "$scratch/release" "$scratch/downloaded"
rm "$scratch/downloaded"/*arm64* "$scratch/downloaded"/*.deb
exits "the page's three commands" 0 page "$scratch/downloaded"
ok "check what was downloaded" grep -qx "osm-gen-$version-linux-amd64: OK" "$scratch/out"
echo >>"$scratch/downloaded/osm-gen-$version-linux-amd64"
exits "another program" 1 page "$scratch/downloaded"
ok "is refused" grep -qx "osm-gen-$version-linux-amd64: FAILED" "$scratch/out"
(cd "$scratch/downloaded" && sha256sum osm-gen-* >SHA256SUMS)
exits "with its digest" 255 page "$scratch/downloaded"
says "is refused, too" "incorrect signature"
verified() { ssh-keygen -Y verify -f "$scratch/signers" -I osm-gen -n osm-gen-release -s SHA256SUMS.sig <"$1"; }
ok "the signature holds" verified SHA256SUMS
sed '1s/^./x/' SHA256SUMS >"$scratch/sums"
unverified() { ! verified "$1"; }
ok "and not of other digests" unverified "$scratch/sums"

# ---- the provenance, the bills of materials -----------------------------------------------------------------------------------
statement=osm-gen-$version.intoto.json
same "in-toto's and SLSA's forms" '["https://in-toto.io/Statement/v1","https://slsa.dev/provenance/v1"]' \
	"$(jq -c '[._type, .predicateType]' "$statement")"
same "of the commit" "$(git -C "$root" rev-parse HEAD)" \
	"$(jq -r '.predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit' "$statement")"
same "its digests are those of SHA256SUMS" "$(grep -v intoto SHA256SUMS)" \
	"$(jq -r '.subject[] | .digest.sha256 + "  " + .name' "$statement")"
bill=osm-gen-$version-linux-amd64
same "SPDX names what CycloneDX does" "$(jq -r '.components[].name' "$bill.cdx.json" | sort)" \
	"$(jq -r '.packages[1:][].name' "$bill.spdx.json" | sort)"
same "SPDX: each package is related" "$(jq '.packages | length' "$bill.spdx.json")" "$(jq '.relationships | length' "$bill.spdx.json")"
same "SPDX: identifiers are valid and differ" "" "$(jq -r '.packages[].SPDXID' "$bill.spdx.json" | sort | uniq -d)$(
	jq -r '.packages[].SPDXID' "$bill.spdx.json" | grep -vE '^SPDXRef-[A-Za-z0-9.-]+$')"
same "SPDX: the program's digest" "$(sha256sum <"$bill" | cut -d ' ' -f 1)" "$(jq -r '.packages[0].checksums[0].checksumValue' "$bill.spdx.json")"

# ---- the image ----------------------------------------------------------------------------------------------------------------
mkdir "$scratch/image"
tar -xf "osm-gen-$version-oci.tar" -C "$scratch/image"
blob() { echo "$scratch/image/blobs/sha256/${1#sha256:}"; }
same "each blob is its digest" "" "$(cd "$scratch/image/blobs/sha256" && sha256sum -- * | awk '$1 != $2')"
images=$(blob "$(jq -r '.manifests[0].digest' "$scratch/image/index.json")")
same "for both processors" "amd64 arm64" "$(jq -r '[.manifests[].platform.architecture] | join(" ")' "$images")"
manifest=$(blob "$(jq -r '.manifests[0].digest' "$images")")
config=$(blob "$(jq -r .config.digest "$manifest")")
same "not root" '65532:65532 ["/osm-gen"] /repo' "$(jq -r '.config | .User + " " + (.Entrypoint | tojson) + " " + .WorkingDir' "$config")"
layer=$(blob "$(jq -r '.layers[0].digest' "$manifest")")
same "the layer is what the configuration says" "$(jq -r '.rootfs.diff_ids[0]' "$config")" "sha256:$(gunzip -c "$layer" | sha256sum | cut -d ' ' -f 1)"
ok "with the program" cmp <(tar -xzOf "$layer" osm-gen) "$parts/amd64"
if command -v skopeo >/dev/null; then
	ok "skopeo reads both" skopeo --insecure-policy copy -q --all "oci-archive:osm-gen-$version-oci.tar" "dir:$scratch/skopeo"
else
	skip "skopeo is not installed: it does not read the image"
fi

# ---- the repository for apt: apt itself reads it --------------------------------------------------------------------------------
aptly() { # SUITE COMMAND...: apt with nothing but this repository
	local home=$scratch/apt-$1 suite=$1
	shift
	mkdir -p "$home/lists/partial" "$home/cache/archives/partial"
	: >"$home/status"
	echo "deb [signed-by=$scratch/release/apt/osm-gen.gpg arch=amd64] copy:$scratch/release/apt $suite main" >"$home/sources.list"
	"$@" -q -o Dir::Etc::SourceList="$home/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$home" \
		-o Dir::State::status="$home/status" -o Dir::State::Lists="$home/lists" -o Dir::Cache="$home/cache" -o APT::Architecture=amd64 \
		-o APT::Sandbox::User=root -o Acquire::Languages=none -o APT::Update::Error-Mode=any
}
for suite in bookworm noble; do
	exits "apt-get update, $suite" 0 aptly "$suite" apt-get update
	same "apt finds the package of $suite" "$version-1~$suite" "$(aptly "$suite" apt-cache policy osm-gen | awk '/Candidate/ {print $2}')"
	(cd "$scratch" && exits "apt downloads it, $suite" 0 aptly "$suite" apt-get download osm-gen)
done
cp apt/dists/noble/InRelease "$scratch/InRelease"
sed -i 's/^Label: .*/Label: somebody/' apt/dists/noble/InRelease
rm -f apt/dists/noble/Release apt/dists/noble/Release.gpg
rm -rf "$scratch/apt-noble"
exits "a changed repository is refused" 100 aptly noble apt-get update
cp "$scratch/InRelease" apt/dists/noble/InRelease

# ---- Homebrew, asdf ---------------------------------------------------------------------------------------------------------------
same "the formula has both digests" "$(sha256sum "$bill" "osm-gen-$version-linux-arm64" | cut -d ' ' -f 1)" "$(sed -n 's/^ *sha256 "\(.*\)"$/\1/p' osm-gen.rb)"
same "and no placeholder" 0 "$(grep -c '@' osm-gen.rb)"
if command -v ruby >/dev/null; then ok "it is Ruby" ruby -c osm-gen.rb; else skip "ruby is not installed: the formula is not parsed"; fi

mkdir -p "$scratch/served"
ln -s "$scratch/release" "$scratch/served/v$version"
python3 - "$scratch/served" "$scratch/port" <<'PYTHON' &
import functools, http.server, os, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1]))
with open(sys.argv[2] + ".part", "w") as file: file.write(str(server.server_port))
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
PYTHON
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do [ -s "$scratch/port" ] && break; sleep 0.1; done
downloads=http://127.0.0.1:$(cat "$scratch/port")
fetch() { env no_proxy=127.0.0.1 "$root/ci/release/fetch" "$downloads" "$version" "$1" "$scratch/fetched"; }
# The README's downloads, as they are once there is a home, in a shell that reads them as its input, with the place, the version and
# the key of this release; what it would give to sudo is copied here.
readme() { # SIGNER SHELL...
	local signer=$1
	shift
	rm -rf "$scratch/user"
	mkdir -p "$scratch/user/bin"
	# shellcheck disable=SC2016 # of the script that is written
	printf '#!/bin/sh\n[ "$1 $3" = "install /usr/local/bin/osm-gen" ] && cp "$2" "%s"\n' "$scratch/user/osm-gen" >"$scratch/user/bin/sudo"
	chmod +x "$scratch/user/bin/sudo"
	sed -n '/^<!-- downloads -->/,/^<!-- end -->/p' "$scratch/home/README.md" | sed '1,/^```sh$/d; /^```$/,$d' |
		sed "s|^version=.*|version=$version|; s|^downloads=.*|downloads=$downloads|; s|^signer=.*|signer='$signer'|; s|curl |curl -s |" |
		env -C "$scratch/user" no_proxy=127.0.0.1 PATH="$scratch/user/bin:$PATH" "$@"
}
case $(uname -m) in
x86_64) mine=osm-gen-$version-linux-amd64 ;;
aarch64) mine=osm-gen-$version-linux-arm64 ;;
*) mine= ;;
esac
if [ -n "$mine" ]; then
	exits "fetch" 0 fetch "$signer"
	ok "gets the program of this processor" cmp "$mine" "$scratch/fetched"
	rm "$scratch/fetched"
	if [ "$mine" = "osm-gen-$version-linux-amd64" ]; then
		exits "the README's downloads" 0 readme "$signer" bash -eu
		ok "installs the program" cmp "$mine" "$scratch/user/osm-gen"
		if command -v zsh >/dev/null 2>&1; then
			# Interactive: this zsh takes no comments.
			exits "the README's downloads, pasted into zsh" 0 readme "$signer" zsh -f -i
			ok "installs the program, too" cmp "$mine" "$scratch/user/osm-gen"
		else
			skip "zsh is not installed: the README's downloads is not pasted into it"
		fi
	fi
	ssh-keygen -q -t ed25519 -N '' -C other -f "$scratch/other"
	exits "another releaser's signature" 1 fetch "$(cut -d ' ' -f 1,2 "$scratch/other.pub")"
	says "another releaser's signature" "the releaser did not sign"
	ok "nothing is installed" test ! -e "$scratch/fetched"
	cp "$mine" "$scratch/kept"
	echo >>"$mine"
	exits "another program" 1 fetch "$signer"
	says "another program" "$mine is not the file of the release"
	if [ "$mine" = "osm-gen-$version-linux-amd64" ]; then
		exits "another program, with the README's downloads" 1 readme "$signer" bash -eu
		ok "installs nothing" test ! -e "$scratch/user/osm-gen"
		exits "another key, with the README's downloads" 255 readme "$(cut -d ' ' -f 1,2 "$scratch/other.pub")" bash -eu
		ok "installs nothing either" test ! -e "$scratch/user/osm-gen"
	fi
	ok "again nothing" test ! -e "$scratch/fetched"
	mv "$scratch/kept" "$mine"
	sed -i "s/^[0-9a-f]*  $mine\$/$(sha256sum </dev/null | cut -d ' ' -f 1)  $mine/" SHA256SUMS
	exits "other digests" 1 fetch "$signer"
	says "other digests" "the releaser did not sign"
	exits "no https" 1 "$root/ci/release/fetch" http://osm-gen.example "$version" "$signer" "$scratch/fetched"
	says "no https" "is not https"
else
	skip "no release has a program for $(uname -m)"
fi
kill $server
wait $server 2>/dev/null
if command -v minisign >/dev/null 2>&1; then
	minisign -G -W -p "$scratch/mini.pub" -s "$scratch/mini.key" >/dev/null 2>&1
	cd "$root" || exit 1
	exits "a key of minisign" 0 ci/packaging/release "$scratch/release" "$parts" "$scratch/mini.key"
	ok "its signature holds, too" minisign -V -q -p "$scratch/mini.pub" -m "$scratch/release/SHA256SUMS"
else
	skip "minisign is not installed"
fi
finish
