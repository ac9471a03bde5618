#!/usr/bin/env bash
# osm-gen inventory: what it prints, mirrors that lack something, the script that fills one. What the list says is held against
# the profiles' scripts by tests/node/inventory.sh.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet fleet)
inventory=("$program" inventory --repo "$repo")

# ---- what it prints ---------------------------------------------------------------------------------
exits "a table" 0 "${inventory[@]}"
ok "of one line a thing" grep -qE '^archive +crictl +v1\.35\.0 +amd64 +[0-9]+ +1 +CRI_TOOLS_URL +https://' "$scratch/out"
ok "with what is no address" grep -qE '^package +jq +- +- .* distribution$' "$scratch/out"
exits "JSON" 0 "${inventory[@]}" -o json
cp "$scratch/out" "$scratch/all.json"
clusters=$(jq -r '[.items[].units[] | split("/")[0]] | unique | join(" ")' "$scratch/all.json")
cluster=${clusters%% *}
ok "of all clusters" test "$cluster" != "$clusters"
ok "pinned checksums" jq -e '[.items[] | select(.kind == "archive")] | all(.sha256 | test("^[0-9a-f]{64}$"))' "$scratch/all.json"
ok "published ones" jq -e '([.items[] | select(.kind == "binary").url + ".sha256"] | sort)
	== ([.items[] | select(.kind == "checksum").url] | sort)' "$scratch/all.json"
ok "all is known" jq -e '.notInventoried == []' "$scratch/all.json"
# Those in capitals stand in a file of the machine, rhel... in the MachineDeployment, bootstrapConfig in a profile.
"$program" config schema | jq -r '[.. | .properties? // empty | keys[]] | unique[]' >"$scratch/settings"
printf '%s\n' bootstrapConfig.files rhelUseSatelliteServer >>"$scratch/settings"
same "what moves a thing is a setting that there is" "" "$(jq -r '.items[].setting // empty' "$scratch/all.json" |
	sort -u | grep -v '^[A-Z_]*$' | grep -vxFf "$scratch/settings")"
exits "one cluster" 0 "${inventory[@]}" "$cluster" -o json
same "alone" "$cluster" "$(jq -r '[.items[].units[] | split("/")[0]] | unique | join(" ")' "$scratch/out")"
exits "no cluster" 64 "${inventory[@]}" "${cluster}x"
says "the nearest" "did you mean $cluster"
exits "another form" 64 "${inventory[@]}" -o yaml
exits "two at once" 64 "${inventory[@]}" -o json --mirror-script

# ---- CycloneDX (the published schema: make readers) -----------------------------------------------------
exits "CycloneDX" 0 "${inventory[@]}" -o cyclonedx
cp "$scratch/out" "$scratch/bom.json"
same "1.6" '["CycloneDX","1.6"]' "$(jq -c '[.bomFormat, .specVersion]' "$scratch/bom.json")"
same "everything is in it" "$(jq '.items | length' "$scratch/all.json")" \
	"$(jq '(.components | length) + (.services | length)' "$scratch/bom.json")"
ok "a serial number" jq -e '.serialNumber | test("^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$")' \
	"$scratch/bom.json"
exits "again" 0 "${inventory[@]}" -o cyclonedx
same "the same bytes" "$(sha256sum <"$scratch/bom.json")" "$(sha256sum <"$scratch/out")"
exits "of one cluster" 0 "${inventory[@]}" "$cluster" -o cyclonedx
ok "another number" test "$(jq .serialNumber "$scratch/bom.json")" != "$(jq .serialNumber "$scratch/out")"

# ---- a mirror that was filled by the script ----------------------------------------------------------
# Versions that the profile does not pin, so that what a stub serves has the checksum that is published.
python3 - "$repo/profiles/ubuntu.yaml" <<'PY'
import sys, pathlib
path = pathlib.Path(sys.argv[1])
head, tail = path.read_text().split("  provisioningConfig:\n", 1)
entry = """    files:
      - path: /etc/default/osm-node
        permissions: 644
        content:
          inline:
            data: |
              CNI_VERSION=v0.1.0
              CRI_TOOLS_VERSION="v0.2.0"
"""
assert tail.count("\n    files:\n") == 1
path.write_text(head + "  provisioningConfig:\n" + tail.replace("\n    files:\n", "\n" + entry + "\n", 1))
PY
commit_all "$repo" "versions"
exits "the settings of the nodes" 0 "${inventory[@]}" -o json
same "are those of the list" '["v0.1.0","v0.2.0"]' "$(jq -c '[.items[] | select(.kind == "archive").version] | unique' "$scratch/out")"
ok "without a pinned checksum" jq -e '[.items[] | select(.sha256)] == []' "$scratch/out"
jq -r '.items[] | select(.kind | test("^(binary|archive|checksum|key)$")).url' "$scratch/out" >"$scratch/urls"
exits "a script" 0 "${inventory[@]}" --mirror-script
cp "$scratch/out" "$scratch/mirror.sh"
if command -v shellcheck >/dev/null; then
	ok "that shellcheck likes" shellcheck "$scratch/mirror.sh"
else
	skip "shellcheck is not installed"
fi
mkdir "$scratch/bin" "$scratch/mirror"
cat >"$scratch/bin/curl" <<'SH'
#!/bin/sh
for url; do :; done
echo "$url" >>"$ASKED"
while [ "$1" != --output ]; do shift; done
case $url in
*"$LACKS"*) exit 22 ;;
*.sha256) printf '%s' "${url%.sha256}" | sha256sum | cut -d ' ' -f 1 >"$2" ;;
*) printf '%s' "$url" >"$2" ;;
esac
SH
chmod +x "$scratch/bin/curl"
fill() { PATH=$scratch/bin:$PATH ASKED=$scratch/asked LACKS=$1 bash "$scratch/mirror.sh" "$scratch/mirror"; }
exits "a mirror that is empty" 1 "${inventory[@]}" --check-mirror "$scratch/mirror"
same "lacks all" "$(sort "$scratch/urls")" "$(sed -n 's/^missing  //p' "$scratch/out" | sort)"
exits "a download that fails" 22 fill crictl
exits "is missing" 1 "${inventory[@]}" --check-mirror "$scratch/mirror"
: >"$scratch/asked"
exits "once more" 0 fill nothing
ok "asks for what it lacks" grep -q crictl "$scratch/asked"
ok "and for nothing else" bash -c "! grep -q cni-plugins $scratch/asked"
exits "it has all" 0 "${inventory[@]}" --check-mirror "$scratch/mirror"
ok "and says what it looked at" grep -qE "^$(wc -l <"$scratch/urls") files checked; [0-9]+ packages and images are not looked for$" "$scratch/out"
kubelet=$(grep '/kubelet$' "$scratch/urls" | head -n 1)
echo forged >"$scratch/mirror/${kubelet#https://}"
exits "a forged file" 1 "${inventory[@]}" --check-mirror "$scratch/mirror"
same "is named" "damaged  $kubelet" "$(head -n 1 "$scratch/out")"
exits "the script" 0 fill nothing
exits "takes another" 0 "${inventory[@]}" --check-mirror "$scratch/mirror"
exits "a list of all" 0 "${inventory[@]}" --check-mirror "$scratch/urls"
grep -vF "$kubelet" "$scratch/urls" >"$scratch/fewer"
exits "a list that lacks one" 1 "${inventory[@]}" --check-mirror "$scratch/fewer"
same "names it" "missing  $kubelet" "$(head -n 1 "$scratch/out")"
exits "no such mirror" 3 "${inventory[@]}" --check-mirror "$scratch/absent"
# A fleet whose machines fetch from the mirror already: the folder is filled and checked as before.
cp "$scratch/mirror.sh" "$scratch/before.sh"
python3 - "$repo/profiles/ubuntu.yaml" <<'PY'
import sys, pathlib
path = pathlib.Path(sys.argv[1])
text = path.read_text()
mirror = "https://mirror.example.com"
urls = {"KUBE_BINARIES_URL": "dl.k8s.io/release", "CNI_PLUGINS_URL": "github.com/containernetworking/plugins/releases/download",
        "CRI_TOOLS_URL": "github.com/kubernetes-sigs/cri-tools/releases/download",
        "CONTAINERD_APT_URL": "download.docker.com/linux/ubuntu"}
lines = "".join(f"              {name}={mirror}/{place}\n" for name, place in urls.items())
line = "              CNI_VERSION=v0.1.0\n"
assert text.count(line) == 1
path.write_text(text.replace(line, line + lines))
PY
commit_all "$repo" "mirror"
exits "moved" 0 "${inventory[@]}" -o json
jq -r '.items[] | select(.kind | test("^(binary|archive|checksum|key)$")) | .upstream // .url' "$scratch/out" | sort >"$scratch/upstream"
same "each address has the one before it was moved" "$(sort "$scratch/urls")" "$(cat "$scratch/upstream")"
ok "and is its place on the mirror" jq -e '[.items[] | select(.upstream) | .url == "https://mirror.example.com/" + (.upstream | sub("^https://"; ""))]
	| length > 8 and all' "$scratch/out"
exits "the script" 0 "${inventory[@]}" --mirror-script
ok "is the same but for the repositories" diff <(grep -v '^#' "$scratch/before.sh" | sort) <(grep -v '^#' "$scratch/out" | sort)
exits "it has all for them, too" 0 "${inventory[@]}" --check-mirror "$scratch/mirror"
ok "and as many files" grep -qE "^$(wc -l <"$scratch/urls") files checked" "$scratch/out"
exits "another server's list" 1 "${inventory[@]}" --check-mirror "$scratch/urls"
ok "lacks what machines ask for" grep -q '^missing  https://mirror.example.com/dl.k8s.io/release/' "$scratch/out"
git -C "$repo" -c core.editor=true revert --no-edit HEAD >"$scratch/log"

# With a checksum that is pinned nothing else counts.
git -C "$repo" -c core.editor=true revert --no-edit HEAD~2 >"$scratch/log"
exits "a pinned checksum" 1 "${inventory[@]}" --check-mirror "$scratch/mirror"
archive=$(jq -r 'first(.items[] | select(.kind == "archive").url)' "$scratch/all.json")
mkdir -p "$(dirname "$scratch/mirror/${archive#https://}")"
echo forged >"$scratch/mirror/${archive#https://}"
exits "is asked for" 1 "${inventory[@]}" --check-mirror "$scratch/mirror"
ok "of an archive" grep -qF "damaged  $archive" "$scratch/out"

# ---- extensions ----------------------------------------------------------------------------------------
mkdir "$repo/extensions"
cat >"$repo/extensions/agent.yaml" <<'YAML'
apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemProfileExtension
metadata:
  name: agent
  annotations:
    osm-gen.dev/inventory: |
      settings /etc/default/osm-node
      AGENT_URL=${AGENT_URL:-https://agents.example.test}
      [agent-arm64.tgz]=2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
      archive agent version={{ .KubeVersion }} url=${AGENT_URL}/agent-${arch}.tgz
spec:
  selector: {operatingSystems: [ubuntu]}
  packages: [tcpdump]
YAML
exits "of an extension" 0 "${inventory[@]}" --worktree -o json
same "what it says" 'archive|agent|amd64|https://agents.example.test/agent-amd64.tgz||AGENT_URL
archive|agent|arm64|https://agents.example.test/agent-arm64.tgz|2c26b46b|AGENT_URL
checksum|agent|amd64|https://agents.example.test/agent-amd64.tgz.sha256||AGENT_URL
package|tcpdump||||' "$(jq -r '.items[] | select(.name == "agent" or .name == "tcpdump")
	| [.kind, .name, .architecture, .url, .sha256[:8], .setting] | join("|")' "$scratch/out" | sort -u)"
ok "of the machines that it is for" jq -e '[.items[] | select(.name == "agent").version | startswith("v1.")] | all' "$scratch/out"
exits "the output with it" 0 "$program" generate --repo "$repo" --no-commit --worktree -q
ok "holds none of it" bash -c "! grep -rq osm-gen.dev/inventory $repo/out"
sed -i 's|archive agent|archives agent|' "$repo/extensions/agent.yaml"
exits "a line that is none" 2 "${inventory[@]}" --worktree
says "at its place" "extensions/agent.yaml:6:"
says "is shown" "error[OSG6054]: the inventory's line \"archives agent"
sed -i 's|archives agent.*|api {{ .Token }}|' "$repo/extensions/agent.yaml"
exits "a secret" 2 "${inventory[@]}" --worktree
says "is refused" "the inventory holds a secret once it is rendered"
# What it has machines run, and says nothing of.
silent() { # ANNOTATION SPEC: how many units are not inventoried with such an extension
	printf '%s\n' 'apiVersion: osm-gen.dev/v1alpha1' 'kind: OperatingSystemProfileExtension' "metadata: {name: agent$1}" "spec:" \
		"  selector: {operatingSystems: [ubuntu]}" "  $2" >"$repo/extensions/agent.yaml"
	"${inventory[@]}" --worktree -o json 2>"$scratch/err" | jq '.notInventoried | length > 0'
}
file='path: /opt/agent, content: {inline: {data: x}}'
for runs in 'commands: {afterSetup: [agent]}' 'units: [{name: agent.service, content: x}]' 'units: [{name: setup.service, dropIns: [{name: a.conf, content: x}]}]' \
	"provisioningConfig: {files: [{permissions: 755, $file}]}" "bootstrapConfig: {files: [{permissions: 711, $file}]}" 'provisioningConfig: {modules: {runcmd: [agent]}}' \
	'provisioningConfig: {files: [{path: /opt/bin/setup_net_env.sh, replace: true, content: {inline: {data: x}}}]}'; do
	same "$runs" true "$(silent '' "$runs")"
	says "$runs: is said" 'warning[OSG6053]: the extension "agent" has machines run something, and no annotation osm-gen.dev/inventory'
done
for rests in 'packages: [tcpdump]' 'sysctls: {vm.swappiness: "1"}' "provisioningConfig: {files: [{permissions: 644, $file}]}" 'containerd: {nvidia: true}' \
	'units: [{name: setup.service, enable: true}]'; do
	same "$rests" false "$(silent '' "$rests")"
done
same "an empty inventory says that it is nothing" false "$(silent ', annotations: {osm-gen.dev/inventory: ""}' 'commands: {afterSetup: [agent]}')"
rm "$repo/extensions/agent.yaml"
# The settings may be a file of either stage, or of the environment that services have; the later file stays.
settings() { # PATH CONFIG ADDRESS...: of an extension
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemProfileExtension\nmetadata: {name: settings}\nspec:\n'
	for ((i = 2; i < $#; i += 2)); do
		printf '  %s:\n    files:\n    - path: %s\n      permissions: 644\n      content: {inline: {data: "KUBE_BINARIES_URL=%s"}}\n' "${!i}" "$1" "${@:i+1:1}"
	done
}
moved() { # ADDRESS: of the kubelets
	"${inventory[@]}" --worktree -o json 2>"$scratch/err" |
		jq -r '.items[] | select(.name == "kubelet" and .kind == "binary").url | split("/")[2]' | sort -u | tr '\n' ' '
}
settings /etc/default/osm-node bootstrapConfig https://one.example.test >"$repo/extensions/settings.yaml"
same "a file of stage 1" "one.example.test " "$(moved)"
settings /etc/default/osm-node bootstrapConfig https://one.example.test provisioningConfig https://two.example.test >"$repo/extensions/settings.yaml"
same "one of stage 2 stands over it" "two.example.test " "$(moved)"
settings /etc/environment provisioningConfig https://three.example.test >"$repo/extensions/settings.yaml"
same "the environment" "three.example.test " "$(moved)"
rm -r "$repo/extensions" "$repo/out"

# ---- images ------------------------------------------------------------------------------------------
digest=2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
image() { # IMAGE: how the list has it, and the script
	"${inventory[@]}" --pause-image "$1" -o json | jq -r 'first(.items[] | select(.kind == "image")) | [.name, .version, .sha256] | join("|")'
	"${inventory[@]}" --pause-image "$1" --mirror-script | sed -n 's/^#   skopeo copy --all --preserve-digests //p'
}
same "a tag" "r.example.test:5000/pause|3.10|
docker://r.example.test:5000/pause:3.10 docker://REGISTRY/r.example.test:5000/pause:3.10" "$(image r.example.test:5000/pause:3.10)"
same "a port is none" "r.example.test:5000/pause||
docker://r.example.test:5000/pause docker://REGISTRY/r.example.test:5000/pause" "$(image r.example.test:5000/pause)"
same "a digest" "r.example.test/pause||$digest
docker://r.example.test/pause@sha256:$digest docker://REGISTRY/r.example.test/pause@sha256:$digest" "$(image "r.example.test/pause@sha256:$digest")"
same "both" "r.example.test/pause|3.10|$digest
docker://r.example.test/pause:3.10 docker://REGISTRY/r.example.test/pause:3.10" "$(image "r.example.test/pause:3.10@sha256:$digest")"

# ---- Gardener's: what OperatingSystemConfigs name, and that it is not all ------------------------------
shoots=$scratch/shoots
cp -r "$root/tests/contract/1/argocd" "$shoots"
sed -i 's,https://mirror.osm-gen.example,https://user:pa55word@mirror.osm-gen.example,' "$shoots/clusters/current/osc.yaml"
sed -i '/name: gardener-node-agent-flatcar/,/data: AAECAwQF/s/data: AAECAwQF.*/&\n  - {path: \/opt\/bin\/kubelet, content: {imageRef: {image: "r.example.test\/hyperkube:v1.34.1", filePathInImage: \/kubelet}}}/' \
	"$shoots/clusters/current/osc.yaml"
git -C "$shoots" init -q
commit_all "$shoots" "Gardener's"
exits "of Gardener's" 0 "$program" inventory current --repo "$shoots" -o json
same "images and registries" 'image|r.example.test/hyperkube|v1.34.1||gardener-node-agent
image|registry.osm-gen.example/pause|3.10||containerd
registry|quay.io||https://***@mirror.osm-gen.example|criConfig' \
	"$(jq -r '.items[] | [.kind, .name, .version, .url, .from] | join("|")' "$scratch/out")"
ok "each unit is not inventoried" jq -e '.notInventoried | length == 12' "$scratch/out"
says "why" "warning[OSG6053]: OperatingSystemConfigs do not list the downloads of their units and scripts"
same "once, with the places of all clusters" 1 "$(grep -c OSG6053 "$scratch/err")"
ok "which are named" grep -q "also at" "$scratch/err"
exits "a mirror for it" 1 "$program" inventory current --repo "$shoots" --check-mirror "$scratch/mirror"

# ---- profiles without an inventory, or with one that cannot be read -----------------------------------
exits "the output" 0 "$program" generate --repo "$repo" --no-commit -q
ok "holds none of it" bash -c "! grep -rq osm-gen.dev/inventory $repo/out"
sed -i 's|^      settings /etc/default/osm-node$|      nonsense of=this|' "$repo/profiles/ubuntu.yaml"
exits "a line that is none" 2 "${inventory[@]}" --worktree
says "is shown" "error[OSG6054]: the inventory's line \"nonsense of=this\""
exits "other commands" 0 "$program" validate --repo "$repo" --worktree
sed -i 's|^      nonsense of=this$|      api {{ .Token }}|' "$repo/profiles/ubuntu.yaml"
exits "a secret" 2 "${inventory[@]}" --worktree
says "is refused" "OSG6054"
sed -i 's|osm-gen.dev/inventory:|osm-gen.dev/other:|' "$repo/profiles/ubuntu.yaml"
exits "none" 0 "${inventory[@]}" --worktree
says "is said" "warning[OSG6053]: osp-ubuntu has no annotation osm-gen.dev/inventory"
ok "and listed" grep -q '^not inventoried: ' "$scratch/out"
exits "a mirror for it" 1 "${inventory[@]}" --worktree --check-mirror "$scratch/mirror"
finish
