#!/usr/bin/env bash
# The release's jobs for GitHub and GitLab (ci/release): their scripts as the files have them, in a clone of a tag, with uploads to a
# forge on loopback. Not run: the installation of packages, and `make release` itself, in whose place ci/packaging/release puts small
# parts together.
# Slow: runs the jobs of a release
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
cd "$root" || exit 1
needs_commit "there is no tag to release"
version=$(git show HEAD:VERSION)

# ---- the parts, and a make that puts them together -------------------------------------------------------------------------------
mkdir -p "$scratch/parts" "$scratch/bin" "$scratch/uploads" "$scratch/home"
: >"$scratch/map"
# A small program stands in for osm-gen, whose image takes seconds to compress each time; tests/cli/release.sh has the real one.
for architecture in amd64 arm64; do
	cp /bin/true "$scratch/parts/$architecture"
	ci/packaging/sbom build/osm-gen "$scratch/map" >"$scratch/parts/$architecture.cdx.json"
done
cat >"$scratch/bin/make" <<END
#!/bin/sh
# make release KEY=FILE GPG_KEY=FINGERPRINT
[ "\$1" = release ] || exit 64
exec ci/packaging/release "build/osm-gen-\$(cat VERSION)" "$scratch/parts" "\${2#KEY=}" "\${3#GPG_KEY=}"
END
chmod +x "$scratch/bin/make"
ssh-keygen -q -t ed25519 -N '' -C releaser -f "$scratch/key"
echo "osm-gen $(cut -d ' ' -f 1,2 "$scratch/key.pub")" >"$scratch/signers"

# ---- a forge with the tag --------------------------------------------------------------------------------------------------------
git clone -q --bare --depth 1 "file://$root" "$scratch/osm-gen"
git -C "$scratch/osm-gen" tag -f "v$version" "$(git rev-parse HEAD)" >/dev/null
git -C "$scratch/osm-gen" tag -f v9.9.9 "$(git rev-parse HEAD)" >/dev/null
printf 'TEST-ONLY-job-token' >"$scratch/uploads.token"
python3 "$here/_forge.py" "$scratch/uploads" "$scratch/port" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do [ -s "$scratch/port" ] && break; sleep 0.1; done
forge=http://127.0.0.1:$(cat "$scratch/port")

steps() { # FILE SCRIPT-OF-PYTHON: the steps, without the installation of packages
	python3 -c 'import sys, yaml
document = yaml.safe_load(open(sys.argv[1]))
scripts = eval(sys.argv[2])
assert any("apt-get" in one for one in scripts) and len(scripts) >= 3, scripts
print("set -eo pipefail")
print("\n".join(one for one in scripts if "apt-get" not in one))' "$1" "$2" >"$scratch/steps"
}
job() { # NAME=VALUE...: the steps, with nothing of this user's
	rm -rf "$scratch/uploads"/*
	env -i PATH="$scratch/bin:$PATH" HOME="$scratch/home" LC_ALL=C.UTF-8 no_proxy=127.0.0.1 RELEASE_KEY="$(cat "$scratch/key")" "$@" \
		bash --noprofile --norc "$scratch/steps"
}
published() { # NAME [FILE]
	local name=$1
	same "$name: all files of SHA256SUMS are published, and its signature" \
		"$({ awk '{print $2}' "$scratch/uploads/SHA256SUMS"; printf '%s\n' SHA256SUMS SHA256SUMS.sig "${@:2}"; } | LC_ALL=C sort)" \
		"$(find "$scratch/uploads" -type f -printf '%f\n' | LC_ALL=C sort)"
	ok "$name: the digests hold" bash -c "cd '$scratch/uploads' && sha256sum --check --strict --quiet SHA256SUMS"
	ok "$name: so does the signature" bash -c "cd '$scratch/uploads' &&
		ssh-keygen -Y verify -f '$scratch/signers' -I osm-gen -n osm-gen-release -s SHA256SUMS.sig <SHA256SUMS"
	same "$name: the key is nowhere" "" "$(grep -rlF "$(sed -n 2p "$scratch/key")" "$scratch/uploads" "$scratch/work/build" "$scratch/out" "$scratch/err")"
}

# ---- GitHub ------------------------------------------------------------------------------------------------------------------------
github=(GITHUB_SERVER_URL="file://$scratch" GITHUB_REPOSITORY=osm-gen GITHUB_API_URL="$forge")
steps ci/release/github.yml '[step["run"] for step in document["jobs"]["release"]["steps"]]'
in_folder() { # COMMAND...: in a folder that is empty
	rm -rf "$scratch/work" && mkdir "$scratch/work" && (cd "$scratch/work" && "$@")
}
exits "GitHub" 0 in_folder job "${github[@]}" TAG="v$version" TOKEN=TEST-ONLY-job-token
published GitHub
exits "GitHub, another token" 22 in_folder job "${github[@]}" TAG="v$version" TOKEN=another
same "GitHub, another token: nothing is published" "" "$(ls "$scratch/uploads")"
exits "GitHub, a tag of another version" 1 in_folder job "${github[@]}" TAG=v9.9.9 TOKEN=TEST-ONLY-job-token
same "GitHub, a tag of another version: nothing is published" "" "$(ls "$scratch/uploads")"
exits "GitHub, no key" 1 in_folder job "${github[@]}" TAG="v$version" TOKEN=TEST-ONLY-job-token RELEASE_KEY=
same "GitHub, no key: nothing is published" "" "$(ls "$scratch/uploads")"

# Stands in for cosign, which would ask sigstore.dev: it writes its arguments into the bundle.
cat >"$scratch/cosign" <<'END'
#!/bin/sh
arguments=$*
while [ "$1" != --bundle ]; do shift; done
echo "$arguments; ${ACTIONS_ID_TOKEN_REQUEST_URL:-}${SIGSTORE_ID_TOKEN:-}" >"$2"
END
cosign=(COSIGN_URL="file://$scratch/cosign" COSIGN_SHA256="$(sha256sum <"$scratch/cosign" | cut -d ' ' -f 1)")
signs_by_identity() { # NAME IDENTITY
	published "$1" SHA256SUMS.cosign.json
	same "$1: without a key, and with an entry in the log" "; $2" "$(sed -n "s|^sign-blob --yes [^;]*/SHA256SUMS\(; .*\)|\1|p" "$scratch/uploads/SHA256SUMS.cosign.json")"
	same "$1: no other option" "" "$(grep -E -- '--(key|tlog|use-signing)' "$scratch/uploads/SHA256SUMS.cosign.json")"
}
exits "GitHub, with cosign" 0 in_folder job "${github[@]}" TAG="v$version" TOKEN=TEST-ONLY-job-token "${cosign[@]}" ACTIONS_ID_TOKEN_REQUEST_URL=github
signs_by_identity "GitHub, with cosign" github
exits "GitHub, another cosign" 1 in_folder job "${github[@]}" TAG="v$version" TOKEN=TEST-ONLY-job-token "${cosign[@]}" COSIGN_SHA256="$(sha256sum </dev/null | cut -d ' ' -f 1)"
says "GitHub, another cosign" "does not have the digest COSIGN_SHA256"
same "GitHub, another cosign: nothing is published" "" "$(ls "$scratch/uploads")"
same "GitHub: the job may ask for its identity" write "$(python3 -c 'import sys, yaml
print(yaml.safe_load(open("ci/release/github.yml"))["jobs"]["release"]["permissions"].get("id-token"))')"

# ---- GitLab, in the clone that its runner makes ------------------------------------------------------------------------------------
gitlab=(CI_JOB_TOKEN=TEST-ONLY-job-token CI_API_V4_URL="$forge" CI_PROJECT_ID=7)
steps ci/release/gitlab.yml 'document["release"]["script"]'
in_clone() { # COMMAND...
	rm -rf "$scratch/work" && git clone -q -c advice.detachedHead=false --depth 1 -b "v$version" "file://$scratch/osm-gen" "$scratch/work" &&
		(cd "$scratch/work" && "$@")
}
exits "GitLab" 0 in_clone job "${gitlab[@]}" CI_COMMIT_TAG="v$version"
published GitLab
exits "GitLab, a key of type File, and cosign" 0 in_clone job "${gitlab[@]}" CI_COMMIT_TAG="v$version" RELEASE_KEY="$scratch/key" \
	"${cosign[@]}" SIGSTORE_ID_TOKEN=gitlab
signs_by_identity "GitLab, a key of type File, and cosign" gitlab
exits "GitLab, a tag of another version" 1 in_clone job "${gitlab[@]}" CI_COMMIT_TAG=v9.9.9
same "GitLab, a tag of another version: nothing is published" "" "$(ls "$scratch/uploads")"
finish
