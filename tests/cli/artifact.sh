#!/usr/bin/env bash
# --artifact DIR: the output as OCI image layouts (docs/spec/delivery.md 4). tests/readers reads them with the
# libraries of Flux and go-containerregistry.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

dir=$scratch/artifacts
generate() { # NAME [OPTIONS...]
	local name=$1
	shift
	exits "$name" 0 "$program" --repo "$repo" --artifact "$dir" "$@"
}
# Checks a layout by its digests and prints its archive's path, then what it says.
inspect() { # LAYOUT
	python3 - "$1" <<'PY'
import gzip, hashlib, json, os, sys
layout = sys.argv[1]
read = lambda *parts: open(os.path.join(layout, *parts), "rb").read()
used = set()
def blob(descriptor, kind):
    assert descriptor["mediaType"] == kind, descriptor
    name, digest = descriptor["digest"].split(":")
    data = read("blobs", name, digest)
    assert hashlib.sha256(data).hexdigest() == digest and len(data) == descriptor["size"], descriptor
    used.add(digest)
    return data
assert json.loads(read("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
index = json.loads(read("index.json"))
assert (index["schemaVersion"], index["mediaType"]) == (2, "application/vnd.oci.image.index.v1+json")
[descriptor] = index["manifests"]
assert descriptor["annotations"] == {"org.opencontainers.image.ref.name": "latest"}
manifest = json.loads(blob(descriptor, "application/vnd.oci.image.manifest.v1+json"))
assert (manifest["schemaVersion"], manifest["mediaType"]) == (2, descriptor["mediaType"])
[layer] = manifest["layers"]
config = json.loads(blob(manifest["config"], "application/vnd.cncf.flux.config.v1+json"))
packed = blob(layer, "application/vnd.cncf.flux.content.v1.tar+gzip")
assert packed[4:8] == bytes(4), "a time in gzip's header"
tar = gzip.decompress(packed)
assert config["rootfs"] == {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(tar).hexdigest()]}
assert used == set(os.listdir(os.path.join(layout, "blobs/sha256"))), "blobs that nothing refers to"
open(layout + ".tar", "wb").write(tar)
notes = manifest["annotations"]
assert config["created"] == notes["org.opencontainers.image.created"]
print(" ".join(f"{key.split('.')[-1]}={notes[key]}" for key in sorted(notes)))
PY
}
extracted() { # LAYOUT: real tar's result, a new folder
	rm -rf "$scratch/extracted"
	mkdir "$scratch/extracted"
	tar -xf "$1.tar" -C "$scratch/extracted"
}
digests() { jq -r '.artifacts[] | "\(.path) \(.digest)"' "$dir/artifacts.json"; }
names() { jq -r '.artifacts[].path' "$dir/artifacts.json" | paste -sd ' '; }

# ---- an image a cluster --------------------------------------------------------------------------------
repo=$(fleet images)
printf '  delivery: {applier: flux, source: {kind: OCIRepository, name: "osm-gen-{cluster}"}}\n' >>"$repo/osm-gen.yaml"
git -C "$repo" remote add origin https://robot:TEST-ONLY-password@git.osm-gen.example/fleet.git
commit_all "$repo" "for Flux"
generate "images beside the commit"
says "they are counted" "wrote 4 OCI images to $dir"
same "one a cluster, one for each cluster that Flux runs in" "edge-eu-1 flux/edge-eu-1 flux/prod-us-1 prod-us-1" "$(names)"
head=$(git -C "$repo" rev-parse HEAD)
for name in $(names); do
	same "$name: its commit, its time, no password" \
		"created=2026-03-04T03:06:08Z revision=sha1:$head source=https://git.osm-gen.example/fleet.git" "$(inspect "$dir/$name")"
	extracted "$dir/$name"
	git -C "$repo" archive HEAD "out/$name" | (mkdir "$scratch/committed" && tar -x -C "$scratch/committed")
	ok "$name: what is committed, at its path" diff -r "$scratch/committed" "$scratch/extracted"
	rm -r "$scratch/committed"
	same "$name: nobody's user, fixed times, sorted" "0/0 2026-03-04 03:06:08" "$(TZ=UTC tar -tvf "$dir/$name.tar" --numeric-owner --full-time | awk '{ print $2, $4, $5 }' | sort -u)"
	ok "$name: sorted" bash -c "LC_ALL=C tar -tf '$dir/$name.tar' | LC_ALL=C sort -C"
	same "$name: modes" "-rw-r--r--" "$(tar -tvf "$dir/$name.tar" | cut -d' ' -f1 | sort -u)"
	rm "$dir/$name.tar"
done
# Each Kustomization finds its path in the image of its cluster.
for object in "$repo"/out/flux/*/*/*.yaml; do
	case $object in */kustomization.yaml) continue ;; esac
	cluster=$(sed -n 's/^    name: osm-gen-//p' "$object")
	path=$(sed -n 's|^  path: ./||p' "$object")
	inspect "$dir/$cluster" >"$scratch/out"
	ok "${object##*/} of $cluster: its path is in the image" bash -c "tar -tf '$dir/$cluster.tar' | grep -q '^$path/kustomization.yaml$'"
	rm "$dir/$cluster.tar"
done

# ---- the same again --------------------------------------------------------------------------------------
before=$(digests)
generate "nothing new"
same "the same images" "$before" "$(digests)"
rm -r "$dir"
git clone -q --depth 1 "file://$repo" "$scratch/clone"
git -C "$scratch/clone" remote set-url origin https://git.osm-gen.example/fleet.git
repo=$scratch/clone generate "of a shallow clone, another place"
same "the same images there" "$before" "$(digests)"
cp -r "$dir" "$scratch/kept"
sed -i '0,/kubelet: 1.34.1/s//kubelet: 1.34.2/' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
GIT_COMMITTER_DATE="2026-03-05T05:06:08+0200" git -C "$repo" commit -qam "another kubelet"
generate "another kubelet"
same "the images of another commit" "revision=sha1:$(git -C "$repo" rev-parse HEAD)" "$(inspect "$dir/prod-us-1" | grep -o 'revision=[^ ]*')"
rm "$dir/prod-us-1.tar"
ok "its old blobs are gone" bash -c "! diff -q '$dir/prod-us-1/index.json' '$scratch/kept/prod-us-1/index.json' && [ \$(ls '$dir/prod-us-1/blobs/sha256' | wc -l) -eq 3 ]"
same "nothing else is left" "artifacts.json edge-eu-1 flux prod-us-1" "$(find "$dir" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort | paste -sd ' ')"

# ---- clusters that are gone --------------------------------------------------------------------------------
git -C "$repo" rm -qr tests/fleet/edge-eu-1
commit_all "$repo" "one cluster fewer"
generate "one cluster fewer" --allow-removal
same "its images go" "flux/prod-us-1 prod-us-1" "$(names)"
same "from the disk, too" "prod-us-1 prod-us-1" "$(basename -a "$dir"/[!a]*/prod-us-1 "$dir/prod-us-1" | paste -sd ' ')"
ok "nothing of it is left" test ! -e "$dir/edge-eu-1" -a ! -e "$dir/flux/edge-eu-1"

# ---- without a commit ----------------------------------------------------------------------------------------
generate "without a commit" --no-commit
inspect "$dir/prod-us-1" >"$scratch/out"
extracted "$dir/prod-us-1"
ok "the folder's files" diff -r "$repo/out/prod-us-1" "$scratch/extracted/out/prod-us-1"
generate "an output outside" --out "$scratch/outside"
inspect "$dir/prod-us-1" >"$scratch/out"
extracted "$dir/prod-us-1"
ok "its files, from its own root" diff -r "$scratch/outside/prod-us-1" "$scratch/extracted/prod-us-1"
rm "$dir/prod-us-1.tar"
git clone -q --bare "$repo" "$scratch/bare.git"
repo=$scratch/bare.git generate "of a bare repository"
exits "-q" 0 "$program" --repo "$repo" --artifact "$dir" -q
same "-q is silent" "" "$(cat "$scratch/err")"
exits "a variable" 0 env "OSM_GEN_ARTIFACT=$scratch/variable" "$program" --repo "$repo" -q
ok "has it, too" test -f "$scratch/variable/prod-us-1/oci-layout"

# ---- what is refused -------------------------------------------------------------------------------------------
tip=$(git -C "$repo" rev-parse HEAD)
refused() { # NAME STATUS TEXT FOLDER [OPTIONS...]
	exits "$1" "$2" "$program" --repo "$repo" --artifact "$4" "${@:5}"
	says "$1" "$3"
	same "$1: nothing was changed" "$tip" "$(git -C "$repo" rev-parse HEAD)"
}
sed -i '0,/kubelet: 1.34.2/s//kubelet: 1.34.3/' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$repo" "a third kubelet"
tip=$(git -C "$repo" rev-parse HEAD)
refused "a folder of the repository" 3 "error[OSG6060]: --artifact $repo/images is in the repository" "$repo/images"
ln -s "$repo" "$scratch/link"
refused "a link to it" 3 "is in the repository" "$scratch/link/deep/er"
refused "the git folder" 3 "is in the repository" "$repo/.git/images"
mkdir "$scratch/strange"
echo mine >"$scratch/strange/file"
refused "somebody's folder" 3 "error[OSG6060]: --artifact $scratch/strange has files that osm-gen did not write" "$scratch/strange"
same "of which nothing is removed" mine "$(cat "$scratch/strange/file")"
ln -s "$scratch/nowhere" "$scratch/dangling"
refused "a link to nothing" 3 "is not the path of a folder" "$scratch/dangling"
refused "a file" 3 "OSG6060" "$scratch/strange/file"
refused "the working tree" 64 "--artifact does not go with --worktree" "$scratch/other" --worktree
refused "a shard" 64 "--artifact does not go with --shard" "$scratch/other" --shard 1/2 --out "$scratch/shard"
ok "and nothing is made" test ! -e "$scratch/other"
exits "check has none" 64 "$program" check --repo "$repo" --artifact "$dir"
# Something in an image's place is noticed when it is written: the commit stays.
rm -r "$dir/prod-us-1"
mkdir "$dir/prod-us-1"
echo mine >"$dir/prod-us-1/file"
exits "somebody's folder in an image's place" 3 "$program" --repo "$repo" --artifact "$dir"
says "it is named" "--artifact $dir/prod-us-1 is not an image that osm-gen wrote"
ok "the commit stays" test "$tip" = "$(git -C "$repo" rev-parse HEAD~1)"
same "and the file" mine "$(cat "$dir/prod-us-1/file")"
rm -r "$dir/prod-us-1"
generate "the next run mends it"
ok "the image is back" test -f "$dir/prod-us-1/index.json"
ok "no leftovers" test ! -e "$dir/.osm-gen-stage"

# ---- an interrupted run ------------------------------------------------------------------------------------------
mkdir -p "$dir/.osm-gen-stage/blobs/sha256"
echo half >"$dir/.osm-gen-stage/blobs/sha256/half"
generate "after one that was stopped"
ok "its half image is gone" test ! -e "$dir/.osm-gen-stage"
echo damaged >"$dir/artifacts.json"
generate "a damaged list"
same "is written anew" "flux/prod-us-1 prod-us-1" "$(names)"

# ---- long names -----------------------------------------------------------------------------------------------------
long=pool-$(printf 'x%.0s' {1..57})
repo=$(fleet long)
sed -i "0,/name: workers/s//name: $long/" "$repo/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$repo" "a long name"
rm -r "$dir"
generate "long paths"
inspect "$dir/prod-us-1" >"$scratch/out"
extracted "$dir/prod-us-1"
ok "there are some" bash -c "tar -tf '$dir/prod-us-1.tar' | awk 'length > 100' | grep -q ."
ok "and they are all there" diff -r "$repo/out/prod-us-1" "$scratch/extracted/out/prod-us-1"
finish
