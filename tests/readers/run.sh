#!/usr/bin/env bash
# make readers: what osm-gen sealed, opened by the programs that people open it with. Each has to give
# what `osm-gen unseal` gives. Needs Go, npm and age; what is downloaded stays below build/.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"
# shellcheck source=tests/readers/_tools.sh
. "$(dirname "$0")/_tools.sh"
identity=$SOPS_AGE_KEY_FILE

for tool in npm node age; do
	command -v $tool >/dev/null || give_up "$tool is not installed"
done
mkdir -p "$work/npm"
cp "$readers"/npm/* "$work/npm/"
(cd "$work/npm" && npm ci --no-audit --no-fund --ignore-scripts) >"$work/log" 2>&1 ||
	give_up "npm's packages cannot be installed: $(tail -n 3 "$work/log")"

# ---- sealed files: the sample fleet's, for two recipients, whose OperatingSystemConfigs are sealed, too ----

repo=$(fleet sealed)
"$program" keygen identity >"$scratch/second.txt"
second=$(sed -n 's/^# public key: //p' "$scratch/second.txt")
sed -i "s/^    recipients:\$/    recipients:\n    - $second/" "$repo/osm-gen.yaml"
sed -i 's/^  settings:$/  settings:\n    osc: sealed/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
sed -i "s|token: .*|token: \"a \\\\\"'<\&: # ü €\"|" "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
commit_all "$repo" "two recipients"
exits "generate" 0 "$program" --repo "$repo"
mapfile -t files < <(grep -rlE '^sops:' "$repo/out" "$root/out" | sort)
ok "there are sealed files" test "${#files[@]}" -ge 15
ok "an OperatingSystemConfig among them" bash -c 'printf "%s\n" "$@" | grep -q operatingsystemconfig' bash "${files[@]}"

reads() { # NAME FILE COMMAND...: the command prints what unseal printed
	local name=$1 file=$2
	shift 2
	if ! "$@" >"$scratch/opened.yaml" 2>"$scratch/log"; then
		ok "$name opens $file: $(head -n 3 "$scratch/log")" false
		return
	fi
	ok "$name reads the same from $file" "$work/bin/reader" same "$scratch/truth.yaml" "$scratch/opened.yaml"
}

stanzas() { # FILE: each recipient's copy of the data key in a file of its own, $scratch/stanza.N
	rm -f "$scratch"/stanza.*
	awk -v to="$scratch/stanza." '/BEGIN AGE/ { n++ } /BEGIN AGE/, /END AGE/ { sub(/^ +/, ""); print > (to n) }' "$1"
}

for file in "${files[@]}"; do
	short=${file#"$repo/"}
	short=${short#"$root/"}
	"$program" unseal "$file" >"$scratch/truth.yaml" 2>"$scratch/log" || {
		ok "unseal $short" false
		continue
	}
	# As JSON: for a text of one empty line the YAML writer of sops 3.9 writes an empty text.
	for version in $sops_versions; do
		reads "sops $version" "$short" "$root/build/sops/sops-$version" --decrypt --output-type json "$file"
	done
	reads "Flux" "$short" "$work/bin/reader" flux "$identity" "$file"
	reads "sops-age" "$short" node "$work/npm/read.js" sops "$identity" "$file"
	stanzas "$file"
	opened=0
	for stanza in "$scratch"/stanza.*; do
		for key in "$identity" "$scratch/second.txt"; do
			[ "$(age --decrypt --identity "$key" "$stanza" 2>/dev/null | wc -c)" -eq 32 ] && opened=$((opened + 1))
		done
	done
	same "age opens each recipient's data key of $short" "$(grep -c 'recipient:' "$file")" "$opened"
done
# ---- post-quantum recipients, and SSH's RSA keys: age 1.3, sops 3.12 and Flux 2.9 read the first, age and sops 3.10 the second ----

GOFLAGS=$go_flags GOBIN=$work/bin go install filippo.io/age/cmd/age@v1.3.2 >"$work/log" 2>&1 ||
	give_up "age cannot be built: $(tail -n 3 "$work/log")"
keys=$root/tests/keys
opened_by_all() { # KEYS RECIPIENT VARIABLE: the sample fleet, sealed to this recipient, opened by age and the newest sops
	repo=$(fleet "kinds.$3")
	sed -i "s|^    - age1.*|    - $2|" "$repo/osm-gen.yaml"
	commit_all "$repo" "another kind of recipient"
	exits "generate for ${2:0:12}" 0 "$program" --repo "$repo"
	mapfile -t files < <(grep -rlE '^sops:' "$repo/out" | sort)
	ok "there are sealed files" test "${#files[@]}" -ge 12
	for file in "${files[@]}"; do
		short=${file#"$repo/"}
		stanzas "$file"
		same "age opens the data key of $short" 32 "$("$work/bin/age" --decrypt --identity "$1" "$scratch/stanza.1" | wc -c)"
		env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY="$(cat "$1")" "$program" unseal "$file" >"$scratch/truth.yaml"
		reads "sops ${newest_sops##*-}" "$short" env -u SOPS_AGE_KEY_FILE "$3=$1" "$newest_sops" --decrypt --output-type json "$file"
	done
}
opened_by_all "$keys/TEST-ONLY-ssh-rsa.key" "$(cut -d' ' -f1,2 "$keys/TEST-ONLY-ssh-rsa.pub")" SOPS_AGE_SSH_PRIVATE_KEY_FILE
quantum=$keys/TEST-ONLY-post-quantum.txt
if SOPS_AGE_KEY_FILE=$quantum "$program" unseal "$root/tests/fuzz/seeds/sops/post-quantum.yaml" >/dev/null 2>&1; then
	opened_by_all "$quantum" "$(sed -n 's/^# public key: //p' "$quantum")" SOPS_AGE_KEY_FILE
	for file in "${files[@]}"; do
		SOPS_AGE_KEY_FILE=$quantum "$program" unseal "$file" >"$scratch/truth.yaml"
		reads "Flux" "${file#"$repo/"}" "$work/bin/reader" flux "$quantum" "$file"
	done
else
	skip "this program's libcrypto lacks ML-KEM-768: OSM_GEN=FILE names the static program of ci/portability static"
fi

# ---- delivery: Flux's Kustomizations, against the published schema, and what their paths build --------------

crds=$(cd "$readers/flux" && go list -mod=readonly -m -f '{{.Dir}}' github.com/fluxcd/kustomize-controller)/config/crd/bases
crd=$crds/kustomize.toolkit.fluxcd.io_kustomizations.yaml
repo=$(fleet delivered)
printf '  delivery: {applier: flux}\n' >>"$repo/osm-gen.yaml"
sed -i 's/managementCluster: self/managementCluster: hub/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
sed -i 's/^  settings:$/  settings:\n    osc: sealed/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
# A file in user-data whose variables Flux must leave alone.
# shellcheck disable=SC2016 # the node's shell expands it
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemProfileExtension\nmetadata: {name: greet}\nspec: {provisioningConfig: {files: [{path: /etc/greet, content: {inline: {encoding: "", data: "echo ${HOME}\\n"}}}]}}\n' >"$repo/tests/fleet/greet.yaml"
commit_all "$repo" "for Flux"
exits "generate for Flux" 0 "$program" --repo "$repo"
for management in hub edge-eu-1; do
	exits "Flux's Kustomizations of $management" 0 "$work/bin/reader" delivery "$crd" "$repo" "$repo/out/flux/$management"
	same "one a side, of $management" 2 "$(wc -l <"$scratch/out")"
done
# Text in stringData: what Flux sends is the same as with data, and postBuild replaces nothing of it.
file=$repo/out/prod-us-1/worker/cloud-init-settings/secret-workers-kube-system-provisioning-config.yaml
ok "text is in stringData" grep -q '^stringData:' "$file"
"$program" unseal "$file" >"$scratch/truth.yaml"
for version in $sops_versions; do
	reads "sops $version" "stringData" "$root/build/sops/sops-$version" --decrypt "$file"
done
reads "Flux" "stringData" "$work/bin/reader" flux "$identity" "$file"
reads "sops-age" "stringData" node "$work/npm/read.js" sops "$identity" "$file"
# shellcheck disable=SC2016 # the node's shell expands it
ok "scripts have variables" grep -qF 'echo ${HOME}' "$scratch/truth.yaml"
sent() { # CLUSTER: what Flux sends of its worker side
	rm -rf "$scratch/source"
	cp -r "$repo/out/$1/worker" "$scratch/source"
	exits "Flux sends the worker side of $1" 0 "$work/bin/reader" sent "$identity" "$scratch/source" HOME
}
for cluster in prod-us-1 edge-eu-1; do
	sent "$cluster"
	cp "$scratch/out" "$scratch/with-text.$cluster"
	same "no stringData is sent" 0 "$(grep -c '"stringData"' "$scratch/out")"
	same "nothing is replaced" 0 "$(jq -r 'select(.kind == "Secret").data[] | @base64d' "$scratch/out" | grep -c REPLACED-BY-FLUX)"
done
sed -i 's/applier: flux/applier: flux, secretText: data/' "$repo/osm-gen.yaml"
commit_all "$repo" "data"
exits "generate data" 0 "$program" --repo "$repo"
for cluster in prod-us-1 edge-eu-1; do
	sent "$cluster"
	ok "Flux sends the same for data, byte for byte" cmp "$scratch/with-text.$cluster" "$scratch/out"
done
sed -i 's/applier: flux, secretText: data/applier: flux/' "$repo/osm-gen.yaml"
commit_all "$repo" "text again"
exits "generate text" 0 "$program" --repo "$repo"
# The reader sees a variable that may be replaced.
sed -i '/kustomize.toolkit.fluxcd.io\/substitute/d' "$repo"/out/prod-us-1/worker/cloud-init-settings/*.yaml
sent prod-us-1
ok "without the annotation Flux replaces it" bash -c "jq -r 'select(.kind == \"Secret\").data[] | @base64d' '$scratch/out' | grep -q REPLACED-BY-FLUX"
git -C "$repo" checkout -q -- out

# ---- OCI images: pushed, and pulled with Flux's own library ----------------------------------------------------

images=$scratch/images
exits "generate images" 0 "$program" --repo "$repo" --artifact "$images"
for name in prod-us-1 edge-eu-1 flux/hub flux/edge-eu-1; do
	rm -rf "$scratch/pulled" "$scratch/committed"
	mkdir "$scratch/pulled" "$scratch/committed"
	exits "the image $name" 0 "$work/bin/reader" artifact "$images/$name" "$scratch/pulled"
	same "its commit" "2026-03-04T03:06:08Z sha1:$(git -C "$repo" rev-parse HEAD) " "$(cat "$scratch/out")"
	git -C "$repo" archive HEAD "out/$name" | tar -x -C "$scratch/committed"
	ok "$name: what is committed" diff -r "$scratch/committed" "$scratch/pulled"
done
exits "Flux builds the folder in it" 0 "$work/bin/reader" build "$images/../pulled/out/flux/edge-eu-1"
blob=$(find "$images/prod-us-1/blobs/sha256" -size +4k | head -n 1)
printf x >>"$blob"
exits "a damaged image" 1 "$work/bin/reader" artifact "$images/prod-us-1" "$scratch/pulled"

sed -i 's/prune: true/prune: "yes"/' "$repo/out/flux/hub/prod-us-1/worker.yaml"
exits "the schema sees a mistake" 1 "$work/bin/reader" delivery "$crd" "$repo" "$repo/out/flux/hub"
ok "the comparison sees a difference" bash -c "! '$work/bin/reader' same '$scratch/truth.yaml' '$root/osm-gen.yaml'"

# ---- delivery: Argo CD's ApplicationSets, against the published schema, and what its controller makes of them ----

crds=$(cd "$readers/argocd" && go list -mod=readonly -m -f '{{.Dir}}' github.com/argoproj/argo-cd/v3)/manifests/crds
sed -i 's|applier: flux|applier: argocd, source: {url: "https://git.example.com/fleet.git"}|' "$repo/osm-gen.yaml"
commit_all "$repo" "for Argo CD"
exits "generate for Argo CD" 0 "$program" --repo "$repo"
set=$repo/out/argocd/hub/prod-us-1/applicationset.yaml
exits "an ApplicationSet" 0 "$work/bin/argocd" "$crds" "$set"
inside=https://kubernetes.default.svc
same "gives an Application a side" "argocd/prod-us-1-management 0 out/prod-us-1/management $inside - -
argocd/prod-us-1-worker 1 out/prod-us-1/worker - prod-us-1 -" "$(cat "$scratch/out")"
sed -i 's/maxUnits: [0-9]*, //; s/applier: argocd/maxUnits: 2, applier: argocd/' "$repo/osm-gen.yaml"
commit_all "$repo" "in parts"
exits "generate in parts" 0 "$program" --repo "$repo"
exits "an ApplicationSet of parts" 0 "$work/bin/argocd" "$crds" "$set"
same "gives an Application for each folder" "$(cd "$repo" && find out/prod-us-1 -mindepth 3 -name kustomization.yaml -printf '%h\n' | sort)" \
	"$(cut -d' ' -f3 "$scratch/out" | sort)"
same "each in one step" "0 1 2 3" "$(cut -d' ' -f2 "$scratch/out" | sort -u | paste -sd ' ')"
same "parts, and they alone, take their objects along" "$(cut -d' ' -f1,3 "$scratch/out" | grep -v '/shared$' | cut -d' ' -f1)" \
	"$(awk '$6 == "resources-finalizer.argocd.argoproj.io" { print $1 }' "$scratch/out")"
sed -i 's/goTemplate: true/goTemplate: "yes"/' "$set"
exits "the schema sees a mistake" 1 "$work/bin/argocd" "$crds" "$set"

# ---- what machines fetch, as CycloneDX -----------------------------------------------------------------

exits "the inventory" 0 "$program" inventory --repo "$repo" -o cyclonedx
cp "$scratch/out" "$scratch/bom.json"
exits "is valid under the published schema" 0 node "$work/npm/read.js" bom "$scratch/bom.json"
jq '.components[0].sha256 = "none"' "$scratch/bom.json" >"$scratch/wrong.json"
exits "which sees a mistake" 1 node "$work/npm/read.js" bom "$scratch/wrong.json"

# ---- age's own test vectors ---------------------------------------------------------------------------

node "$work/npm/read.js" vectors "$work/vectors" || give_up "cctv-age holds no vectors"
"$root/build/age-vectors" "$work/vectors"/* >"$scratch/vectors" || sed 's/^/    /' "$scratch/vectors"
read -r good _ bad _ < <(tail -n 1 "$scratch/vectors")
passed=$((passed + good)) failed=$((failed + bad))
ok "there are vectors" test "$good" -ge 100
finish
