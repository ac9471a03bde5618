#!/usr/bin/env bash
# What other programs make of a release: cosign verifies its signature as docs/howto/install.md has it, Nix evaluates the flake, and
# rpmbuild makes the same bytes twice. A cosign that is not in $PATH can be named: COSIGN=FILE.
# Slow: makes a release
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
cd "$root" || exit 1
needs_commit "there is no commit to release"
version=$(cat VERSION)

# ---- cosign, with a key, without a network --------------------------------------------------------------------------------------
cosign=${COSIGN:-$(command -v cosign)}
if [ -n "$cosign" ]; then
	mkdir -p "$scratch/bin" "$scratch/parts"
	ln -s "$(realpath "$cosign")" "$scratch/bin/cosign"
	export PATH=$scratch/bin:$PATH COSIGN_PASSWORD=TEST-ONLY HOME=$scratch
	for key in cosign stranger; do ok "a key: $key" cosign generate-key-pair --output-key-prefix "$scratch/$key"; done
	ssh-keygen -q -t ed25519 -N '' -C releaser -f "$scratch/key"
	offline=()
	unshare --net true 2>/dev/null && offline=(unshare --net)
	exits "a release that cosign signs" 0 "${offline[@]}" env COSIGN_KEY="$scratch/cosign.key" \
		ci/packaging/release "$scratch/release" "$scratch/parts" "$scratch/key"
	page() { # KEY
		cp "$scratch/$1.pub" "$scratch/release/cosign.pub"
		(cd "$scratch/release" && "${offline[@]}" \
			bash -euc "$(sed -n '/^<!-- install: cosign -->/,/^<!-- end -->/p' "$root/docs/howto/install.md" | sed '/^<!--/d; /^```/d')")
	}
	exits "the page's command" 0 page cosign
	says "the page's command" "Verified OK"
	exits "another key" 1 page stranger
	echo >>"$scratch/release/SHA256SUMS"
	exits "other digests" 1 page cosign
	same "no key is in the release" "" "$(grep -rl PRIVATE "$scratch/release")"
else
	skip "there is no cosign: it verifies no signature (COSIGN=FILE)"
fi

# ---- Nix: the outputs of the flake, with a small nixpkgs that has what the flake uses ------------------------------------------
if command -v nix >/dev/null; then
	mkdir -p "$scratch/nixpkgs" "$scratch/home"
	cat >"$scratch/nixpkgs/flake.nix" <<'END'
{
  outputs = { self }: {
    lib = {
      genAttrs = names: make: builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
      fileContents = file: builtins.replaceStrings [ "\n" ] [ "" ] (builtins.readFile file);
      licenses.asl20.spdxId = "Apache-2.0";
    };
    legacyPackages = self.lib.genAttrs [ "x86_64-linux" "aarch64-linux" ] (system: {
      stdenv.mkDerivation = given: derivation {
        inherit system;
        name = "${given.pname}-${given.version}";
        builder = "/bin/sh";
        args = given.makeFlags ++ given.nativeBuildInputs ++ given.buildInputs;
        src = given.src;
      } // { inherit (given) meta; };
    } // self.lib.genAttrs [
      "pkg-config" "python3" "libgit2" "libyaml" "jansson" "libsodium" "openssl" "re2" "utf8proc" "zlib" "libdeflate" "isa-l"
    ] (name: name));
  };
}
END
	export NIX_STORE_DIR=$scratch/nix/store NIX_STATE_DIR=$scratch/nix/var NIX_LOG_DIR=$scratch/nix/log NIX_CONF_DIR=$scratch/nix/conf
	mkdir -p "$scratch/sources/ci/release"
	cp VERSION "$scratch/sources/"
	cp ci/release/flake.nix "$scratch/sources/ci/release/"
	git -C "$scratch/sources" init -q
	commit_all "$scratch/sources" sources
	flake() { # OUTPUT COMMAND...
		local output=$1
		shift
		HOME=$scratch/home nix --extra-experimental-features 'nix-command flakes' --offline "$@" \
			--no-write-lock-file --override-input nixpkgs "path:$scratch/nixpkgs" "git+file://$scratch/sources?dir=ci/release$output"
	}
	exits "nix flake show" 0 flake "" flake show --json
	same "the flake has the program for two processors" "aarch64-linux: osm-gen-$version, x86_64-linux: osm-gen-$version" \
		"$(jq -r '.packages | to_entries | map("\(.key): \(.value.default.name)") | join(", ")' "$scratch/out")"
	exits "it can be built" 0 flake "#packages.x86_64-linux.default.drvPath" eval --raw
	ok "from a derivation of that version" grep -q "^$scratch/nix/store/.*-osm-gen-$version\.drv$" "$scratch/out"
	sed -i 's/libyaml/libxaml/' "$scratch/sources/ci/release/flake.nix"
	exits "a library that is not there" 1 flake "#packages.x86_64-linux.default.drvPath" eval --raw
	says "a library that is not there" "undefined variable 'libxaml'"
else
	skip "nix is not installed: it does not read the flake"
fi

# ---- rpmbuild: a small package of the same script, at two times -----------------------------------------------------------------
if command -v rpmbuild >/dev/null; then
	small=$scratch/small
	mkdir -p "$small/ci/packaging"
	cp ci/packaging/rpm "$small/ci/packaging/"
	cp VERSION "$small/"
	: >"$small/sources"
	cat >"$small/ci/packaging/osm-gen.spec" <<'END'
Name: osm-gen
Version: @VERSION@
Release: 1
Summary: test
License: Apache-2.0
%description
test
%install
mkdir -p %{buildroot}/usr/bin
echo osm-gen >%{buildroot}/usr/bin/osm-gen
%files
/usr/bin/osm-gen
END
	git -C "$small" init -q
	commit_all "$small" "a package"
	for run in 1 2; do
		ok "rpmbuild, run $run" env HOME="$scratch" "$small/ci/packaging/rpm" "$scratch/rpm" "$small/sources"
		mv "$scratch/rpm/RPMS"/*/*.rpm "$scratch/$run.rpm"
		sleep 1.1
	done
	ok "the package is the same bytes" cmp "$scratch/1.rpm" "$scratch/2.rpm"
	same "its time is the commit's" "$(git -C "$small" log -1 --format=%ct)" "$(rpm -qp --queryformat '%{BUILDTIME}' "$scratch/1.rpm")"
else
	skip "rpmbuild is not installed: it makes no package"
fi
finish
