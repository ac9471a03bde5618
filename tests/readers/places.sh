#!/usr/bin/env bash
# make readers: the table of docs/security.md, "Sealed values and their places". Each row is done to a repository;
# Flux's own decryptor and kustomize do with it what its column says, and `osm-gen verify` finds one of its codes.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"
# shellcheck source=tests/readers/_tools.sh
. "$(dirname "$0")/_tools.sh"

identity=$SOPS_AGE_KEY_FILE
recipient=$(sed -n 's/^# public key: //p' "$identity")
worker=out/prod-us-1/worker
secrets=$worker/cloud-init-settings
workers=$secrets/secret-workers-kube-system-provisioning-config.yaml
build=$secrets/secret-build-kube-system-provisioning-config.yaml

sed -n '/^## Sealed values and their places/,/^## User-data/s/^| \(.*\) | \(.*\) | \(.*\) |$/\1\t\2\t\3/p' "$root/docs/security.md" |
	grep -vE '^(-|what was done)' >"$scratch/rows"
: >"$scratch/done"

generate() { exits "generate" 0 "$program" --repo "$repo" -q; }
fresh() { # BASE: a copy of it
	rm -rf "$scratch/attacked"
	cp -r "$1" "$scratch/attacked"
	repo=$scratch/attacked
}
apply() { # FOLDER: what Flux would apply of the copy, in $scratch/applied
	rm -rf "$scratch/source"
	cp -r "$repo/$1" "$scratch/source"
	"$work/bin/reader" apply "$identity" "$scratch/source" >"$scratch/applied" 2>"$scratch/err"
}
show() { # KIND NAME KEY: of an object that is applied, a Secret's key decoded; of a long text the digest
	python3 - "$scratch/applied" "$@" <<'PY'
import base64, hashlib, json, sys
path, kind, name, key = sys.argv[1:]
for o in json.load(open(path)):
    if (o["kind"], o["metadata"]["name"]) == (kind, name):
        o = {**o, **o["metadata"], **{k: base64.b64decode(v).decode() for k, v in o.get("data", {}).items()}, **o.get("stringData", {})}
        value = o.get(key)
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        print(text if len(text) < 100 else f"{len(text)} characters, {hashlib.sha256(text.encode()).hexdigest()}")
PY
}
# row TEXT FOLDER WANT [KIND NAME KEY]: what was done to the copy stands in the row of that text. Flux applies the
# folder and KEY of the object is then WANT; or it does not, and WANT stands in what it says: as the table has it.
row() {
	local text=$1 folder=$2 want=$3 flux codes
	shift 3
	IFS=$'\t' read -r flux codes < <(awk -F'\t' -v text="$text" 'index($1, text) { print $2 "\t" $3 }' "$scratch/rows")
	same "$text: stands in the table once" 1 "$(cut -f1 "$scratch/rows" | grep -cF -- "$text")"
	grep -F -- "$text" "$scratch/rows" | cut -f1 >>"$scratch/done"
	case $flux in
	"applies it"*)
		ok "$text: Flux applies it" apply "$folder"
		same "$text: with this effect" "$want" "$(show "$@")"
		;;
	"does not decrypt"*)
		ok "$text: Flux does not" bash -c "! $(declare -f apply); repo='$repo' scratch='$scratch' work='$work' identity='$identity'; ! apply '$folder'"
		says "$text" "$want"
		;;
	*) ok "$text: the table says what Flux does, not: $flux" false ;;
	esac
	commit_all "$repo" "$text"
	exits "$text: verify" 1 "$program" verify --repo "$repo" -v
	ok "$text: verify finds it ($codes)" grep -qE "$(grep -oE 'OSG[0-9]{4}' <<<"$codes" | paste -sd'|')" "$scratch/out"
}
cloud_config=(Secret workers-kube-system-provisioning-config cloud-config)

repo=$(fleet sops)
generate
honest=$repo
ok "Flux applies what osm-gen wrote" apply "$worker"
of_workers=$(show "${cloud_config[@]}")
of_build=$(show Secret build-kube-system-provisioning-config cloud-config)
ok "texts of two objects" test -n "$of_workers" -a -n "$of_build" -a "$of_workers" != "$of_build"

# ---- values --------------------------------------------------------------------------------------------
moved="a value under another key, or with a changed bit"
fresh "$honest"
sed -i 's/^    cloud-config: ENC/    other: ENC/' "$repo/$workers"
row "$moved" "$worker" "message authentication failed"
fresh "$honest"
python3 - "$repo/$workers" <<'PY'
import sys
text = open(sys.argv[1]).read()
at = text.index("ENC[AES256_GCM,data:") + 40
open(sys.argv[1], "w").write(text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:])
PY
row "$moved" "$worker" "message authentication failed"
fresh "$honest"
value=$(sed -n 's/^    cloud-config: //p' "$repo/$build")
awk -v value="$value" '/^    cloud-config: / { $0 = "    cloud-config: " value } { print }' "$honest/$workers" >"$repo/$workers"
row "a value from another file" "$worker" "message authentication failed"

# ---- objects and files -----------------------------------------------------------------------------------
clear="the sealed part of another object with its"
fresh "$honest"
{ sed '/^data:$/,$d' "$honest/$workers"; sed -n '/^data:$/,$p' "$honest/$build"; } >"$repo/$workers"
row "$clear" "$worker" "$of_build" "${cloud_config[@]}"
fresh "$honest"
sed -i 's/^    name: .*/    name: "chosen"/' "$repo/$workers"
row "$clear" "$worker" "$of_workers" Secret chosen cloud-config
fresh "$honest"
sed -i 's/^    namespace: .*/    namespace: "chosen"/' "$repo/$workers"
row "$clear" "$worker" chosen "${cloud_config[@]:0:2}" namespace
file="a whole file in another one's place"
fresh "$honest"
cp "$repo/$workers" "$repo/$build"
# Two objects of one name are more than kustomize takes: the other one goes.
sed -i "\\|${workers##*/}|d" "$repo/$worker/kustomization.yaml"
row "$file" "$worker" "$of_workers" "${cloud_config[@]}"
fresh "$honest"
apply out/edge-eu-1/worker
of_edge=$(show "${cloud_config[@]}")
ok "another cluster's text" test -n "$of_edge" -a "$of_edge" != "$of_workers"
cp "$repo/${workers/prod-us-1/edge-eu-1}" "$repo/$workers"
row "$file" "$worker" "$of_edge" "${cloud_config[@]}"

fresh "$honest"
sed -i 's/kubelet: 1\.[0-9.]*/kubelet: 1.33.6/' "$repo"/tests/fleet/prod-us-1/machinedeployments.yaml
commit_all "$repo" "another version"
generate
cp -r "$repo" "$scratch/newer"
ok "the newer one" apply "$worker"
ok "is another text" test "$(show "${cloud_config[@]}")" != "$of_workers"
older="an older version of a file, or of the whole output"
cp "$honest/$workers" "$repo/$workers"
row "$older" "$worker" "$of_workers" "${cloud_config[@]}"
fresh "$scratch/newer"
rm -r "$repo/out"
cp -r "$honest/out" "$repo/out"
row "$older" "$worker" "$of_workers" "${cloud_config[@]}"

sealed_by_hand() { # FILE: stdin, sealed to the public recipient as a stranger would
	"$newest_sops" --encrypt --age "$recipient" --encrypted-regex '^(data|stringData)$' --input-type yaml --output-type yaml /dev/stdin >"$1"
}
fresh "$honest"
printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: workers-kube-system-provisioning-config, namespace: cloud-init-settings}\nstringData: {cloud-config: chosen}\n' |
	sealed_by_hand "$scratch/stranger.yaml"
cp "$scratch/stranger.yaml" "$repo/$workers"
row "a file that somebody sealed with a public recipient" "$worker" chosen "${cloud_config[@]}"

# ---- kustomizations ----------------------------------------------------------------------------------------
another="another \`kustomization.yaml\`, a further manifest beside it"
fresh "$honest"
printf 'namePrefix: chosen-\n' >>"$repo/$worker/kustomization.yaml"
row "$another" "$worker" "$of_workers" Secret "chosen-${cloud_config[1]}" cloud-config
fresh "$honest"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: chosen, namespace: default}\ndata: {}\n' >"$repo/$worker/chosen.yaml"
printf -- '- chosen.yaml\n' >>"$repo/$worker/kustomization.yaml"
row "$another" "$worker" default ConfigMap chosen namespace
foreign="output of a run on other inputs, or of another repository with this seed"
other=$(fleet other)
sed -i 's/kubelet: 1\.[0-9.]*/kubelet: 1.33.5/' "$other"/tests/fleet/*/machinedeployments.yaml
commit_all "$other" "another repository"
"$program" --repo "$other" -q 2>/dev/null
repo=$other
ok "another repository's output" apply "$worker"
of_other=$(show "${cloud_config[@]}")
ok "is another text" test -n "$of_other" -a "$of_other" != "$of_workers"
fresh "$honest"
rm -r "$repo/out"
cp -r "$other/out" "$repo/out"
git -C "$repo" add -A
git -C "$repo" commit -q -m "$(git -C "$other" log -1 --format=%B)"
# The row's own commit would be one without a message.
touch "$repo/nothing"
row "$foreign" "$worker" "$of_other" "${cloud_config[@]}"

# ---- patches -----------------------------------------------------------------------------------------------
repo=$(fleet patches)
sed -i 's/^  defaults:$/&\n    osc: patch/' "$repo/osm-gen.yaml"
commit_all "$repo" "patches"
generate
honest=$repo
management=out/prod-us-1/management
osc=operatingsystemconfig-workers-kube-system-config
configuration=(OperatingSystemConfig workers-kube-system-config)
ok "Flux applies what osm-gen wrote" apply "$management"
ok "with its patches" grep -q '"kind":"OperatingSystemConfig"' "$scratch/applied"
ok "which put the texts in the marks' places" bash -c "! grep -q 'u003csealed:\\|<sealed:' '$scratch/applied'"
ok "where there are marks" grep -rq '<sealed:' "$repo/$management"
patch="a sealed patch (\`osc: patch\`) of another object"
# Its tests do not fit: nothing of the folder is applied, as the table's "if" says.
fresh "$honest"
cp "$(find "$repo/$management" -name 'operatingsystemconfig-build-*.sealed')" "$repo/$management/kube-system/$osc.sealed"
ok "$patch: Flux applies nothing where its tests do not fit" bash -c "$(declare -f apply); repo='$repo' scratch='$scratch' work='$work' identity='$identity'; ! apply '$management'"
says "$patch" "test"
chosen_patch() { # FILE: one whose tests fit, sealed to the public recipient
	printf -- '[{"op": "test", "path": "/metadata/name", "value": "workers-kube-system-config"}, {"op": "replace", "path": "/spec", "value": {"osName": "chosen"}}]' >"$scratch/patch"
	"$newest_sops" --encrypt --age "$recipient" --input-type binary --output-type json "$scratch/patch" >"$1"
}
fresh "$honest"
chosen_patch "$repo/$management/kube-system/$osc.sealed"
row "$patch" "$management" '{"osName": "chosen"}' "${configuration[@]}" spec
fresh "$honest"
chosen_patch "$repo/$management/kube-system/chosen.sealed"
printf -- '- path: kube-system/chosen.sealed\n  target: {kind: OperatingSystemConfig, name: workers-kube-system-config}\n' >>"$repo/$management/kustomization.yaml"
row "$patch" "$management" '{"osName": "chosen"}' "${configuration[@]}" spec

# ---- SealedSecrets -----------------------------------------------------------------------------------------
# What the controller opens is shown in tests/oracle/sealed; Flux hands them over as they are.
repo=$(fleet sealed-secrets)
cp "$root/tests/keys/TEST-ONLY-sealed-secrets.crt" "$repo/cert.pem"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]}\n  sealing: {format: sealed-secrets, certificate: cert.pem}\n' >"$repo/osm-gen.yaml"
commit_all "$repo" "SealedSecrets"
generate
honest=$repo
member="a SealedSecret of another name, or with a member that the controller would act on"
fresh "$honest"
sed -i '0,/^  name: .*/s//  name: chosen/; s/^      name: .*/      name: chosen/' "$repo/$workers"
row "$member" "$worker" cloud-init-settings SealedSecret chosen namespace
fresh "$honest"
sed -i 's/^  template:$/&\n    data: {chosen: text}/' "$repo/$workers"
ok "$member: a template" apply "$worker"
ok "$member: which is applied" grep -q '"template":{"data":{"chosen":"text"}' "$scratch/applied"
row "$member" "$worker" cloud-init-settings SealedSecret "${cloud_config[1]}" namespace
fresh "$honest"
OSM_GEN_SEAL_SEED=$("$program" keygen seed) "$program" --repo "$repo" -q --rotate-seed 2>/dev/null
git -C "$repo" reset -q --soft "$(git -C "$honest" rev-parse HEAD)"
of_stranger=$(sed -n 's/^    cloud-config: //p' "$repo/$workers")
ok "sealed anew" test "$of_stranger" != "$(sed -n 's/^    cloud-config: //p' "$honest/$workers")"
row "a SealedSecret that somebody sealed to the public certificate" "$worker" cloud-init-settings SealedSecret "${cloud_config[1]}" namespace

# ---- a MAC over less -----------------------------------------------------------------------------------------
# With mac_only_encrypted a clear member can be changed: sops, whose library KSOPS is, and osm-gen unseal do not tell.
for only in false true; do
	repo=$(fleet "mac-$only")
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  defaults: {clusterDNS: [10.10.10.10]}\n' >"$repo/osm-gen.yaml"
	printf 'creation_rules: [{age: %s, mac_only_encrypted: %s}]\n' "$recipient" "$only" >"$repo/.sops.yaml"
	commit_all "$repo" "rules"
	generate
	exits "mac_only_encrypted $only: sops -d" 0 "$newest_sops" -d "$repo/$workers"
	sed -i 's/^    name: .*/    name: "chosen"/' "$repo/$workers"
	exits "mac_only_encrypted $only: sops -d under another name" "$([ "$only" = true ] && echo 0 || echo 51)" \
		"$newest_sops" -d "$repo/$workers"
	ok "mac_only_encrypted $only: Flux" apply "$worker"
	ok "mac_only_encrypted $only: applies it under another name" test -n "$(show Secret chosen cloud-config)"
	commit_all "$repo" "another name"
	exits "mac_only_encrypted $only: verify" 1 "$program" verify --repo "$repo"
	ok "mac_only_encrypted $only: finds it" grep -q OSG5100 "$scratch/out"
done

same "every row of the table was done" "$(cut -f1 "$scratch/rows" | sort)" "$(sort -u "$scratch/done")"
finish
