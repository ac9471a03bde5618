#!/usr/bin/env bash
# The surroundings fail: exit status 3, nothing half-written. Wrong usage: 64.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet failing)
state() { git -C "$1" rev-parse HEAD && git -C "$1" status --porcelain && (cd "$1" && find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum); }
before=$(state "$repo")
unchanged() { same "$1: nothing changed" "$before" "$(state "$repo")"; }

# ---- keys ----------------------------------------------------------------------------------------
exits "no seed" 3 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo"
says "no seed" "osm-gen keygen seed"
unchanged "no seed"
exits "a cut seed" 3 env OSM_GEN_SEAL_SEED="${OSM_GEN_SEAL_SEED%????}" "$program" --repo "$repo"
exits "a mistyped seed" 3 env OSM_GEN_SEAL_SEED="${OSM_GEN_SEAL_SEED/Q/P}" "$program" --repo "$repo"
says "a mistyped seed" "checksum"
exits "a seed file that is not there" 3 "$program" --repo "$repo" --seal-seed-file "$scratch/none"
says "a seed file that is not there" "help: no such file; check the path"
printf '%s\n' "$OSM_GEN_SEAL_SEED" >"$scratch/seed"
exits "a seed from a file" 1 env -u OSM_GEN_SEAL_SEED "$program" check --repo "$repo" --out none --seal-seed-file "$scratch/seed"
unchanged "keys"

# ---- the --secrets folder ------------------------------------------------------------------------
mkdir "$scratch/mounted"
printf 'kind: Secret\nmetadata: {name: [\n' >"$scratch/mounted/broken.yaml"
exits "a broken manifest of --secrets" 2 "$program" --repo "$repo" --secrets "$scratch/mounted"
ok "it is not for .osm-gen-ignore, which is for the repository's" bash -c "! grep -q osm-gen-ignore $scratch/err"
unchanged "a broken manifest of --secrets"

# ---- repositories --------------------------------------------------------------------------------
mkdir -p "$scratch/empty"
exits "no repository" 3 "$program" --repo "$scratch/empty"
exits "nothing there" 3 "$program" --repo "$scratch/nowhere"
exits "no such revision" 3 "$program" --repo "$repo" --rev v9.9
says "no such revision" "help: name an existing commit"
git -C "$scratch/empty" init -q
exits "no commit yet" 3 "$program" --repo "$scratch/empty"
cp -r "$repo" "$scratch/damaged"
find "$scratch/damaged/.git/objects" -type f -exec sh -c 'for f; do chmod u+w "$f"; echo garbage >"$f"; done' sh {} +
exits "a damaged repository" 3 "$program" --repo "$scratch/damaged"
find "$scratch/damaged/.git/objects" -type f -exec chmod u+w {} + -exec truncate -s 3 {} +
exits "a repository cut off" 3 timeout 60 "$program" --repo "$scratch/damaged"
says "a repository cut off" "loose object"

# ---- the lost race -------------------------------------------------------------------------------
cp -r "$repo" "$scratch/race"
touch "$scratch/race/.git/refs/heads/main.lock"
exits "the branch is locked" 3 "$program" --repo "$scratch/race"
rm -f "$scratch/race/.git/refs/heads/main.lock"
touch "$scratch/race/.git/index.lock"
exits "the index is locked" 3 "$program" --repo "$scratch/race"
says "the index is locked" "help: run again"
rm -f "$scratch/race/.git/index.lock"
same "nothing is left behind" "" "$(git -C "$scratch/race" status --porcelain)"
exits "then it goes through" 0 "$program" --repo "$scratch/race"

# ---- a full disk ---------------------------------------------------------------------------------
if [ "$(id -u)" -eq 0 ] && mkdir -p "$scratch/small" && mount -t tmpfs -o size=2m tmpfs "$scratch/small" 2>/dev/null; then
	trap 'umount "$scratch/small" 2>/dev/null; rm -rf "$scratch"' EXIT
	git clone -q "$repo" "$scratch/small/fleet"
	head=$(git -C "$scratch/small/fleet" rev-parse HEAD)
	dd if=/dev/zero of="$scratch/small/fill" bs=1k count=2048 2>/dev/null
	exits "a full disk" 3 "$program" --repo "$scratch/small/fleet"
	says "a full disk" "space"
	same "the branch stays" "$head" "$(git -C "$scratch/small/fleet" rev-parse HEAD)"
	same "the work tree stays" "" "$(git -C "$scratch/small/fleet" status --porcelain)"
	rm "$scratch/small/fill"
	ok "the repository is sound" git -C "$scratch/small/fleet" fsck --strict
else
	skip "a full disk needs a tmpfs, so root"
fi

# ---- usage ---------------------------------------------------------------------------------------
exits "an unknown option" 64 "$program" --repo "$repo" --clusterdns 10.0.0.1
says "an unknown option" "did you mean --cluster-dns?"
exits "an unknown command" 64 "$program" generat
exits "a missing value" 64 "$program" --repo
exits "a flag that needs a cluster" 64 "$program" --kubeconfig x
says "a flag that needs a cluster" "no meaning without a cluster"
exits "render without a name" 64 "$program" render --repo "$repo"
exits "jobs" 64 "$program" --repo "$repo" -j 0
exits "a report of an unknown kind" 64 "$program" --repo "$repo" --report xml=x
exits "help" 0 "$program" help
exits "help of a command" 0 "$program" help render
exits "--help" 0 "$program" --help
exits "version" 0 "$program" --version
exits "explain" 0 "$program" explain
exits "explain a code" 0 "$program" explain OSG9002
exits "explain nothing" 64 "$program" explain OSG0000
exits "profiles" 0 "$program" profiles
exits "a profile" 0 "$program" profiles show osp-ubuntu
exits "no such profile" 64 "$program" profiles show nothing
exits "out may not be the root" 64 "$program" --repo "$repo" --out .
exits "nor above it" 64 "$program" --repo "$repo" --out ../x
exits "nor git's folder" 64 "$program" --repo "$repo" --out .git/x
unchanged "usage"

finish
