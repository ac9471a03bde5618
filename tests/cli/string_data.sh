#!/usr/bin/env bash
# Text of Secrets in stringData: where it is used, that the live Secret is the same, and that a change between it
# and data is none for machines (docs/spec/output.md 4.2). tests/readers asks Flux itself.
# shellcheck disable=SC2016,SC2317 # variables of scripts are not ours; called by ok
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")
generate() { # NAME [OPTIONS...]
	local name=$1
	shift
	exits "$name: generate" 0 "$program" --repo "$repo" "$@"
}
delivery() { # MEMBERS: sets the Fleet's delivery, and commits that
	sed -i '/^  delivery:/d' "$repo/osm-gen.yaml"
	[ -z "$1" ] || printf '  delivery: {%s}\n' "$1" >>"$repo/osm-gen.yaml"
	commit_all "$repo" "delivery: $1"
}
# The Secrets of the output, each with the member of its values: "bootstrap stringData".
members() {
	python3 - "$repo" <<'PY'
import glob, re, sys
found = {}
for path in glob.glob(f"{sys.argv[1]}/out/*/worker/*/secret-*.yaml"):
    kind = next(kind for kind in ("bootstrap-token", "kubelet", "provisioning", "bootstrap") if kind in path.split("/secret-")[1])
    found.setdefault(kind, set()).update(re.findall(r"^(data|stringData):$", open(path).read(), re.M))
print("; ".join(f"{kind} {' '.join(sorted(found[kind]))}" for kind in sorted(found)))
PY
}
# All Secrets as an API server gets them: the values' bytes, and all else.
opened() {
	local file
	for file in "$repo"/out/*/worker/*/secret-*.yaml; do
		"$program" unseal "$file"
		echo ---
	done >"$scratch/opened.yaml"
	python3 - "$scratch/opened.yaml" <<'PY'
import base64, json, sys, yaml
for o in yaml.load_all(open(sys.argv[1]), yaml.CSafeLoader):
    if o:
        values = {key: base64.b64decode(text).decode() for key, text in o.pop("data", {}).items()}
        values.update(o.pop("stringData", {}))
        print(json.dumps([o, values], sort_keys=True))
PY
}
units() { # "CLASS..." of the last plan, each once, and the words of its sealed files
	python3 -c 'import json, sys; p = json.load(open(sys.argv[1])); print(" ".join(sorted({u["class"] for u in p["units"]})), sorted({"+".join(f["sealed"]) for f in p["sealed"]}))' "$scratch/out"
}
output_tree() { git -C "$repo" rev-parse HEAD:out; }

# ---- where it is used ------------------------------------------------------------------------------------
repo=$(fleet text)
# A file that is not base64 in user-data: its variables are what Flux must not replace.
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemProfileExtension\nmetadata: {name: greet}\nspec: {provisioningConfig: {files: [{path: /etc/greet, content: {inline: {encoding: "", data: "echo ${HOME}\\n"}}}]}}\n' >"$repo/tests/fleet/greet.yaml"
commit_all "$repo" "an extension"
generate "no applier"
same "no applier: data" "bootstrap data; bootstrap-token data; kubelet data; provisioning data" "$(members)"
opened >"$scratch/truth"
delivery "applier: flux, secretText: data"
generate "data"
same "data: data" "bootstrap data; bootstrap-token data; kubelet data; provisioning data" "$(members)"
with_data=$(output_tree)
delivery "applier: flux"
exits "the change: plan" 0 "$program" plan --repo "$repo" -o json
same "the change is none for machines" "METADATA []" "$(units)"
generate "flux"
same "flux: text where keys stay" "bootstrap stringData; bootstrap-token data; kubelet stringData; provisioning stringData" "$(members)"
with_text=$(output_tree)
opened >"$scratch/now"
ok "the Secrets are the same" cmp "$scratch/truth" "$scratch/now"
same "immutable as before" "$(grep -c '"immutable": true' "$scratch/truth")" "$(grep -c '"immutable": true' "$scratch/now")"
ok "of which there are some" grep -q '"immutable": true' "$scratch/now"
changed=$(git -C "$repo" diff --name-only HEAD~1 -- out | grep -vE '/(secret-[a-z0-9.-]*\.yaml|index\.json)$')
same "no other file changes" "" "$changed"
same "of the indexes only proofs: no revision, no digest" "" \
	"$(git -C "$repo" diff -U0 HEAD~1 -- out/*/index.json | grep '^[+-] ' | grep -v '"proof": "[0-9a-f]\{32\}"$')"
ok "each may not be substituted" bash -c "! grep -L 'kustomize.toolkit.fluxcd.io/substitute: \"disabled\"' $repo/out/*/worker/*/secret-*.yaml | grep ."
file=$(ls "$repo"/out/prod-us-1/worker/cloud-init-settings/secret-workers-kube-system-provisioning-config.yaml)
exits "unseal" 0 "$program" unseal "$file"
ok "prints lines of text" grep -q '^  cloud-config: |' "$scratch/out"
ok "that people read" grep -q '^    #cloud-config$' "$scratch/out"
ok "scripts with their variables among them" grep -qF 'echo ${HOME}' "$scratch/out"
exits "verify" 0 "$program" verify --repo "$repo"
generate "again"
same "nothing new" "$with_text" "$(output_tree)"
exits "check" 0 "$program" check --repo "$repo"
smaller() { [ $(($(du -bc "$@" | tail -n 1 | cut -f1) * 100)) -lt $((old_size * 85)) ]; }
old_size=$(git -C "$repo" ls-tree -r -l "$with_data" | awk '$5 ~ /secret-.*-(bootstrap|provisioning)-config\.yaml$/ { s += $4 } END { print s }')
ok "files of user-data are a sixth smaller" smaller "$repo"/out/*/worker/cloud-init-settings/secret-*-{bootstrap,provisioning}-config.yaml

# ---- and back ----------------------------------------------------------------------------------------------
delivery "applier: flux, secretText: data"
exits "back: plan" 0 "$program" plan --repo "$repo" -o json
same "back: none for machines" "METADATA []" "$(units)"
generate "back"
same "back: every byte" "$with_data" "$(output_tree)"
delivery "applier: flux, secretText: stringData"
generate "and forth"
same "by its name, too" "$with_text" "$(output_tree)"

# ---- together with other changes ---------------------------------------------------------------------------
delivery "applier: flux, secretText: data"
generate "data once more"
mds=$repo/tests/fleet/prod-us-1/machinedeployments.yaml
sed -i '0,/kubelet: 1.34.1/s//kubelet: 1.34.2/' "$mds"
delivery "applier: flux"
exits "with another kubelet: plan" 0 "$program" plan --repo "$repo" -o json
same "with another kubelet: that shows" "METADATA ROLL ['value']" "$(units)"
generate "with another kubelet"
second=$("$program" keygen identity | sed -n 's/^# public key: //p')
sed -i "s/^    recipients:\$/    recipients:\n    - $second/" "$repo/osm-gen.yaml"
delivery "applier: flux, secretText: data"
exits "with another recipient: plan" 0 "$program" plan --repo "$repo" -o json --rotate-recipients
same "with another recipient: that alone" "METADATA ['recipients']" "$(units)"
generate "with another recipient" --rotate-recipients
opened >"$scratch/now"
delivery "applier: flux"
generate "text for two"
opened >"$scratch/then"
ok "the same for two recipients" cmp "$scratch/now" "$scratch/then"

# ---- one cluster by itself, and what keeps data ---------------------------------------------------------------
repo=$(fleet one)
delivery "applier: flux"
sed -i 's/^spec:$/spec:\n  delivery: {secretText: data}/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "data for one"
generate "one cluster"
same "one cluster: data" 0 "$(grep -l '^stringData:' "$repo"/out/edge-eu-1/worker/*/*.yaml | wc -l)"
ok "the other: text" grep -q '^stringData:' "$repo"/out/prod-us-1/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
sed -i "s/^    recipients:\$/    roundLengths: 4096\n    recipients:/" "$repo/osm-gen.yaml"
commit_all "$repo" "rounded"
generate "rounded lengths"
same "rounded lengths: data" 0 "$(grep -l '^stringData:' "$repo"/out/*/worker/*/*.yaml | wc -l)"
repo=$(fleet argocd)
delivery 'applier: argocd, source: {url: "https://git.example.com/fleet.git"}'
generate "Argo CD"
same "Argo CD: data" 0 "$(grep -l '^stringData:' "$repo"/out/*/worker/*/*.yaml | wc -l)"

# ---- a rule of .sops.yaml that does not have it ------------------------------------------------------------------
repo=$(fleet rule)
sed -i '/^  sealing:/,/^    - age1/d' "$repo/osm-gen.yaml"
delivery "applier: flux"
printf 'creation_rules:\n- encrypted_regex: ^data$\n  age: %s\n' "$ours" >"$repo/.sops.yaml"
commit_all "$repo" "a rule"
exits "a rule for data alone" 2 "$program" --repo "$repo"
says "would leave text in clear" 'the rule would leave in clear stringData.'
says "and how to mend that" 'encrypted_regex: ^(data|stringData)$'
sed -i 's/\^data\$/^(data|stringData)$/' "$repo/.sops.yaml"
commit_all "$repo" "for both"
generate "a rule for both"
ok "a rule for both: text" grep -q '^stringData:' "$repo"/out/prod-us-1/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
exits "a rule for both: verify" 0 "$program" verify --repo "$repo"

# ---- SealedSecrets have neither -----------------------------------------------------------------------------------
if command -v openssl >/dev/null; then
	repo=$(fleet wrapped)
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$scratch/key.pem" -out "$repo/seal.pem" -days 3650 -subj /CN=sealed-secret/ 2>/dev/null
	sed -i '/^  sealing:/,/^    - age1/d' "$repo/osm-gen.yaml"
	sed -i 's/^spec:$/spec:\n  sealing: {format: sealed-secrets, certificate: seal.pem}/' "$repo/osm-gen.yaml"
	delivery "applier: flux, secretText: data"
	generate "SealedSecrets"
	before=$(output_tree)
	delivery "applier: flux"
	generate "SealedSecrets again"
	same "SealedSecrets are the same" "$before" "$(output_tree)"
fi

# ---- live objects ---------------------------------------------------------------------------------------------------
adopted "$here/adopt/live.yaml"
exits "of an adopted cluster" 0 "$program" generate --revisions clusters/revisions
for file in out/prod/*/*/*.yaml clusters/prod/kube-system/machinedeployment-*.yaml; do
	case $file in
	*/kustomization.yaml) continue ;;
	*/secret-*) "$program" unseal "$file" ;;
	*) cat "$file" ;;
	esac
	echo ---
done >"$scratch/applied.yaml"
printf '  delivery: {applier: flux}\n  defaults: {managementCluster: self}\n' >>osm-gen.yaml
commit_all . "for Flux"
exits "for Flux" 0 "$program" generate --revisions clusters/revisions
ok "is text now" grep -q '^stringData:' out/prod/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
exits "compare: what is live is the same" 0 "$program" compare --live "$scratch/applied.yaml"
same "compare: all of it" "equal: cluster prod, 10 equal" "$(cat "$scratch/out")"
# The MachineDeployments of git have no live revisions.
exits "observe: machines" 1 "$program" observe --no-machines "$scratch/applied.yaml"
ok "observe: every object is live as it is committed" grep -q ', 11 as committed$' "$scratch/out"
sed 's/^  cloud-config: .*/  cloud-config: Y2hhbmdlZAo=/' "$scratch/applied.yaml" >"$scratch/changed.yaml"
exits "observe: another text" 1 "$program" observe --no-machines "$scratch/changed.yaml"
ok "observe: is another one" grep -q 'Secret cloud-init-settings/workers-kube-system-bootstrap-config.*data' "$scratch/out"
finish
