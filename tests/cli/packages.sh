#!/usr/bin/env bash
# What is given to others: the tarball, the static program and its bill of materials.
# Slow: links the static program
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
cd "$root" || exit 1
version=$("$program" --version | sed 's/osm-gen //')

# ---- the tarball: the same bytes whoever makes it ------------------------------------------------------------------
if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	exits "dist" 0 ci/packaging/dist "$scratch/a.tar.gz"
	git clone -q --no-local . "$scratch/clone"
	exits "of another clone, by somebody else" 0 env -u GIT_CONFIG_GLOBAL HOME="$scratch" LC_ALL=C.UTF-8 TZ=Asia/Kathmandu \
		bash -c "git config --global core.autocrlf true; umask 077; '$scratch/clone/ci/packaging/dist' '$scratch/b.tar.gz'"
	ok "is the same" cmp "$scratch/a.tar.gz" "$scratch/b.tar.gz"
	tar -tzf "$scratch/a.tar.gz" >"$scratch/list"
	same "all of it in one folder" "osm-gen-$version" "$(cut -d / -f 1 "$scratch/list" | sort -u)"
	same "the files of the commit" "$(git ls-files | wc -l)" "$(grep -vc '/$' "$scratch/list")"
	# dh_clean removes these from the sources of the Debian package, where the goldens run. (A file NAME~ is there to be passed over.)
	same "no file that Debian's tools remove" "" "$(git ls-files | grep -E '(#|\.bak|\.orig|\.rej|\.SUMS|/TAGS|DEADJOE)$')"
	ok "the license too" grep -qx "osm-gen-$version/LICENSE" "$scratch/list"
else
	skip "this is no git repository: there is no commit to pack"
fi

# ---- what the files of the packages say ------------------------------------------------------------------------------
same "Debian's control names what ci/packages does" \
	"$(architecture=amd64 ci/install --names build | grep -e '-dev$' | sort)" \
	"$(sed -n '/^Build-Depends/,/^[A-Z].*-Version/p' ci/packaging/debian/control | grep -oE '[a-z0-9-]+-dev' | sort)"
# What only one architecture has, Debian's control asks for there alone.
while read -r architecture package; do
	ok "$package on $architecture alone" grep -qF "$package [$architecture]" ci/packaging/debian/control
done < <(sed -n 's/^build-//p' ci/packages)
read -ra modules < <(sed -n 's/^PACKAGES := //p' Makefile)
modules+=(libisal)
for module in "${modules[@]}"; do
	ok "the RPM is built with $module" grep -qF "pkgconfig($module)" ci/packaging/osm-gen.spec
done

if [ -n "${OSM_GEN_TESTS_QUICK:-}" ]; then
	skip "the static program, its bill of materials, the signature: in make test-all"
	finish
fi
# ---- the static program ------------------------------------------------------------------------------------------------
exits "it is linked" 0 env -u MAKEFLAGS -u MAKELEVEL make -s build/osm-gen-static.cdx.json
static=$root/build/osm-gen-static
ok "it needs no library" bash -c "! readelf -dW '$static' | grep -q NEEDED"
ok "nor a loader" bash -c "! readelf -lW '$static' | grep -q INTERP"
ok "it is hardened as the other" ci/hardening "$static"
same "it is the same program" "$("$root/build/osm-gen" version -o json | jq -r .sourceDigest)" "$("$static" version -o json | jq -r .sourceDigest)"
repo=$(fleet static)
# As in an image: nothing but the program, no writing but below /repo, a user without a name.
if [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null; then
	mkdir -p "$scratch/image/repo"
	cp "$static" "$scratch/image/osm-gen"
	chmod 711 "$scratch"
	chown -R 65532:65532 "$repo"
	# shellcheck disable=SC2016 # the inner shell's
	in_image() {
		unshare --mount --propagation private sh -euc '
			image=$1 repo=$2
			shift 2
			mount --bind "$image" "$image"
			mount --bind "$repo" "$image/repo"
			mount -o remount,bind,ro "$image"
			SOPS_AGE_KEY=$(cat "$SOPS_AGE_KEY_FILE")
			unset SOPS_AGE_KEY_FILE
			export SOPS_AGE_KEY
			exec chroot --userspec=65532:65532 "$image" /osm-gen "$@"' sh "$scratch/image" "$repo" "$@"
	}
	exits "in an image" 0 in_image --repo /repo
	exits "its output is right" 0 "$program" check --repo "$repo" --out out
	again=$(fleet again)
	exits "the other program" 0 "$program" -q --repo "$again"
	ok "makes the same" diff -r "$again/out" "$repo/out"
	exits "check in an image" 0 in_image check --repo /repo
	exits "standard input in an image" 0 in_image validate - < <(for file in "$repo"/tests/fleet/prod-us-1/*.yaml; do cat "$file"; echo ---; done)
	exits "what cannot be written is an error there" 3 in_image --repo /repo --no-commit --out /elsewhere
else
	skip "mounting needs root: the static program is not run in an image"
fi

# ---- the bill of materials ---------------------------------------------------------------------------------------------
sbom=$root/build/osm-gen-static.cdx.json
same "it is CycloneDX" '["CycloneDX","1.5"]' "$(jq -c '[.bomFormat, .specVersion]' "$sbom")"
same "of this program" "$(sha256sum <"$static" | cut -d ' ' -f 1)" "$(jq -r '.metadata.component.hashes[0].content' "$sbom")"
for library in libgit2 libyaml jansson libsodium openssl re2 utf8proc zlib libdeflate glibc; do
	# shellcheck disable=SC2016 # jq's variable
	ok "with $library" jq -e --arg name "$library" '.components[] | select(.name | startswith($name)) | .version' "$sbom"
done
while read -r package wanted; do
	same "$package's version" "$wanted" "$(dpkg-query -W -f '${Package} ${Version}' "$package" | cut -d ' ' -f 2)"
done < <(jq -r '.components[].properties[]? | select(.name == "osm-gen:package").value' "$sbom")
ok "each is depended on" jq -e '([.components[]."bom-ref"] | sort) == (.dependencies[0].dependsOn | sort)' "$sbom"
exits "of the program that shares libraries" 0 bash -c "ld_map=\$(mktemp); ci/packaging/sbom build/osm-gen \$ld_map; rm \$ld_map"
ok "they are named" jq -e '[.components[] | select(.properties[]?.value == "dynamic").name] | index("libgit2")' "$scratch/out"
exits "again" 0 ci/packaging/sbom "$static" "$static.map"
ok "it is the same" cmp "$scratch/out" "$sbom"

finish
