#!/usr/bin/env bash
# The recipes of CONTRIBUTING.md, "How to add": _recipes.py follows all of them in one copy of the sources, in the files that they
# name; the copy is built, and what was added works. A recipe that names a wrong file, or one too few or too many, is noticed.
# Slow: builds a copy of the sources
# shellcheck disable=SC2016,SC2317 # backquotes are those of Markdown; called by exits
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS

copy_to() { # FOLDER
	mkdir "$1"
	tar -c -C "$root" Makefile VERSION LICENSE README.md CONTRIBUTING.md SECURITY.md osm-gen.yaml .clang-format ci cmd docs profiles src tests | tar -x -C "$1"
}
recipes() { python3 -B "$here/_recipes.py" "$@"; }

# ---- recipes that are wrong --------------------------------------------------------------------------------------------
copy_to "$scratch/wrong"
cd "$scratch/wrong" || exit 1
mistake() { # NAME RECIPE SED-COMMAND MESSAGE
	cp "$root/CONTRIBUTING.md" .
	sed -i "/^### $2/,/^##/$3" CONTRIBUTING.md
	ok "$1: the recipe is changed" bash -c "! cmp -s '$root/CONTRIBUTING.md' CONTRIBUTING.md"
	exits "$1" 1 recipes . "$2"
	ok "$1: the message says so" grep -qF "CONTRIBUTING.md: $2: $4" "$scratch/out"
	rm -rf "$scratch/wrong/src" && cp -r "$root/src" "$scratch/wrong/src"
}
mistake "another file" "A setting" 's,src/osm/settings.c,src/osm/taints.c,' "no file that it names has the line"
mistake "a file that is not there" "A setting" 's,src/osm/settings.c,src/osm/settings_table.c,' "src/osm/settings_table.c is not there"
mistake "a file too few" "A template function" 's,`tests/template/functions.jsonl`,a file,' "no file that it names has the line"
mistake "a file too many" "An option that is not a setting" 's,a member,`src/osm/choose.c`; a member,' "it names src/osm/choose.c, where nothing"
mistake "a command too few" "A provider" 's,`make profiles`,this,' 'it does not name `make profiles`'
mistake "another folder" "A sealed format" 's,`src/seal/`,`src/tree/`,' "it does not name the folder src/seal/"
echo '### A meadow' >"$scratch/recipe"
sed -i "/^### A setting/{
	r $scratch/recipe
	N
}" CONTRIBUTING.md
exits "a recipe that no test follows" 1 recipes . "A meadow"
says_it() { grep -qF "$1" "$scratch/out"; }
ok "is named" says_it "CONTRIBUTING.md: A meadow: no test follows it"
cd "$root" || exit 1
rm -rf "$scratch/wrong"

# ---- all recipes, as they are ---------------------------------------------------------------------------------------------
copy_to "$scratch/copy"
cd "$scratch/copy" || exit 1
exits "every recipe leads to its files" 0 recipes .
grep '^CONTRIBUTING' "$scratch/out"

# Without sanitizers and optimization: it is built once.
cache=
command -v ccache >/dev/null && cache=ccache
make_it() { make -s -j"$(nproc)" CC="$cache cc" CXX="$cache c++" ASAN='-O0 -g0' "$@"; }
ok "build" make_it build/asan/osm-gen build/asan/template-cases
program=$scratch/copy/build/asan/osm-gen
export OSM_GEN=$program
[ -x "$program" ] || finish
ok "ci/settings" ci/settings
counted "C tests" make_it unit T="docs osm_settings osm_profile osm_cloud_config userdata_budget fleet_settings"

# ---- what was added works --------------------------------------------------------------------------------------------------
number=$(sed -n 's/^DIAG_CODE(DIAG_MD_GOODBYE, \([0-9]*\),.*/\1/p' src/lib/diag/codes.def)
exits "explain knows the diagnostic" 0 "$program" explain "OSG$number"
ok "with its cause" grep -q "visitors of the meadow go again" "$scratch/out"
"$program" man >"$scratch/manual"
ok "the manual has the setting" grep -q 'the greeting of a meadow' "$scratch/manual"
ok "and the option" grep -q 'rest for a while' "$scratch/manual"
ok "so has docs/settings.md" grep -q '`greeting`.*the greeting of a meadow' docs/settings.md
ok "and the JSON Schema, with the format" grep -q '"meadow"' docs/osm-gen.schema.json

repo=$(small fleet)
cat >"$repo/osp-meadow.yaml" <<'YAML'
apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {name: osp-meadow, namespace: kube-system}
spec:
  osName: ubuntu
  osVersion: "24.04"
  osCodename: noble
  version: v1.0.0
  supportedCloudProviders: [{name: meadow}]
  bootstrapConfig:
    files:
    - {path: /etc/greeting, permissions: 644, content: {inline: {encoding: b64, data: '{{ greet "meadow" }}'}}}
    - {path: /etc/cloud, permissions: 644, content: {inline: {encoding: b64, data: '{{ .CloudConfig }}'}}}
  provisioningConfig: {}
YAML
sed -i 's/osp-small/osp-meadow/; s/cloudProvider: hetzner/cloudProvider: meadow/; s/cloudProviderSpec: .*/cloudProviderSpec: {field: clover}/
	s/kubelet: .*/kubelet: 1.28.9/' "$repo/clusters/prod/workers.yaml"
sed -i 's/externalCloudProvider: true/greeting: goodbye/; $a\  sealing: {format: meadow, recipients: ['"$recipient"']}' \
	"$repo/clusters/prod/osm-gen.yaml"
commit_all "$repo" "a meadow"
exits "config show" 0 "$program" config show prod --repo "$repo"
ok "has the setting, and where it is set" grep -qE '^ *greeting +goodbye +\(cluster, clusters/prod/osm-gen.yaml:' "$scratch/out"
exits "generate" 0 "$program" --repo "$repo" --meadow
says "the diagnostic is reported" "warning[OSG$number]: greeting: visitors will go again"
ok "the field of profiles is known" bash -c "! grep -q osCodename '$scratch/err'"
ok "and in the output" grep -rqE 'osCodename: "?noble' "$repo/out/prod/management"
exits "render" 0 "$program" render kube-system/workers --print osc --repo "$repo"
ok "the function renders" grep -q 'hello, meadow' "$scratch/out"
ok "the provider has its cloud-config" grep -q 'field="clover"' "$scratch/out"
exits "check" 0 "$program" check --repo "$repo"
exits "the sealed format opens" 0 "$program" unseal "$repo"/out/prod/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
sed -i 's/osCodename: noble/osCodename: 24/' "$repo/osp-meadow.yaml"
exits "a wrong field" 2 "$program" validate --worktree --repo "$repo"
says "is shown at its place" "osp-meadow.yaml:7:15: error"
exits "help of another option" 64 "$program" validate --meadow --repo "$repo"
ok "the embedded profile supports the provider" grep -q 'name: "\?meadow' <("$program" profiles show osp-ubuntu)
exits "template cases" 0 env TEMPLATE_CASES="$scratch/copy/build/asan/template-cases" tests/template/run.sh
counted "the added dialect" env TOY_PROGRAM="$program" "$root/tests/dialect/run.sh"
counted "the script with the option's cases" tests/cli/contract.sh

# ---- what looks after the sources finds nothing ----------------------------------------------------------------------------
ln -s asan build/release # circles and unused read objects there
for check in circles cites codes layers unused; do
	ok "ci/$check" ci/$check
done
ok "ci/settings --check" ci/settings --check
ok "ci/profiles --check" ci/profiles --check
counted "documents" tests/cli/docs.sh
finish
