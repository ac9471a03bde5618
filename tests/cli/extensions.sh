#!/usr/bin/env bash
# Extensions of profiles: scopes, order, the profile that comes of them, and docs/extensions.md's examples.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

ours=age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk

# Two clusters, each with a MachineDeployment "workers" of the embedded profile for Ubuntu.
two_clusters() { # NAME: prints the repository's path
	local repo=$scratch/$1 cluster
	mkdir -p "$repo"
	git -C "$repo" -c init.defaultBranch=main init -q
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {format: sops, recipients: [%s]}\n' "$ours" >"$repo/osm-gen.yaml"
	for cluster in one two; do
		mkdir -p "$repo/$cluster"
		printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\nspec: {settings: {managementCluster: self}}\n' "$cluster" >"$repo/$cluster/osm-gen.yaml"
		cp "$root/tests/golden/base/clusters/prod/cluster-info.yaml" "$repo/$cluster/"
		sed '/annotations:/d; /operating-system-profile/d' "$root/tests/golden/base/clusters/prod/workers.yaml" >"$repo/$cluster/workers.yaml"
	done
	echo "$repo"
}

extension() { # FILE NAME [SPEC]: one that writes /etc/NAME, or what SPEC says
	local spec="{provisioningConfig: {files: [{path: /etc/$2, content: {inline: {data: \"$2\\n\"}}}]}}"
	mkdir -p "$(dirname "$1")"
	printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemProfileExtension\nmetadata: {name: %s}\nspec: %s\n' \
		"$2" "${3:-$spec}" >"$1"
}

commit() { git -C "$1" add -A && git -C "$1" commit -q -m "${2:-change}"; }

run() { exits "$1" "${3:-0}" "$program" --repo "$2" --color never; }
profiles() { # REPO CLUSTER: the profiles in the output
	find "$1/out/$2/management" -name 'operatingsystemprofile-*' -printf '%f\n' | sort | sed 's/operatingsystemprofile-//; s/\.yaml//'
}
profile_of() { "$program" list --repo "$1" -o json | jq -r ".units[] | select(.cluster == \"$2\") | .profile"; }

# ---- scopes and names ---------------------------------------------------------------------------
repo=$(two_clusters scopes)
commit "$repo" inputs
run "without extensions" "$repo"
same "the profile as it is" "osp-ubuntu" "$(profiles "$repo" one)"
cp -r "$repo/out" "$scratch/before"

extension "$repo/extensions/motd.yaml" motd
commit "$repo"
exits "a plan" 0 "$program" plan --repo "$repo" --color never
ok "new nodes alone are concerned" grep -q "NEW-NODES-ONLY" "$scratch/out"
run "a shared one" "$repo"
shared=$(profile_of "$repo" one)
ok "named by content" grep -qE '^osp-ubuntu-x[0-9a-f]{8}$' <<<"$shared"
same "for both" "$shared" "$(profile_of "$repo" two)"
same "its profile alone is written" "$shared" "$(profiles "$repo" one)"
same "the same file in both" "$(cat "$repo/out/one/management/kube-system/operatingsystemprofile-$shared.yaml")" \
	"$(cat "$repo/out/two/management/kube-system/operatingsystemprofile-$shared.yaml")"
ok "its version, too" grep -qE "^  version: v[0-9.]+\+${shared##*-}$" "$repo/out/one/management/kube-system/operatingsystemprofile-$shared.yaml"
ok "it says of what it was made" grep -q "osm-gen.dev/extensions: motd" "$repo/out/one/management/kube-system/operatingsystemprofile-$shared.yaml"
head_before=$(git -C "$repo" rev-parse HEAD)
run "again" "$repo"
same "nothing is left to do" "$head_before" "$(git -C "$repo" rev-parse HEAD)"

extension "$repo/two/motd.yaml" motd '{provisioningConfig: {files: [{path: /etc/motd, content: {inline: {data: "two\n"}}}]}}'
commit "$repo"
run "one in a cluster's folder of the same name" "$repo"
same "the other cluster keeps the shared one" "$shared" "$(profile_of "$repo" one)"
ok "it takes its place there" test "$shared" != "$(profile_of "$repo" two)"
ok "and nothing else is there" grep -q "two" <(grep -A8 "path: /etc/motd" "$repo/out/two/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml" -B8)
extension "$repo/two/motd.yaml" motd '{}'
commit "$repo"
run "one that adds nothing" "$repo"
same "the profile is what it is" "osp-ubuntu" "$(profiles "$repo" two)"
same "in that cluster alone" "$shared" "$(profiles "$repo" one)"
ok "without a warning" test ! -s <(grep -E "warning|error" "$scratch/err")
rm "$repo/two/motd.yaml" "$repo/extensions/motd.yaml"
commit "$repo"
run "taken away again" "$repo"
ok "the output is as before" diff -r -I '"proof": ' "$scratch/before" "$repo/out"

# ---- order --------------------------------------------------------------------------------------
repo=$(two_clusters order)
extension "$repo/extensions/a.yaml" a '{order: 900, commands: {afterSetup: [echo a]}, bootstrapConfig: {modules: {runcmd: [echo a]}}}'
extension "$repo/extensions/b.yaml" b '{order: 100, commands: {afterSetup: [echo b]}, bootstrapConfig: {modules: {runcmd: [echo b]}}}'
extension "$repo/extensions/c.yaml" c '{order: 100, commands: {afterSetup: [echo c]}, bootstrapConfig: {modules: {runcmd: [echo c]}}}'
commit "$repo"
run "three of them" "$repo"
osc=$repo/out/one/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml
same "commands by order, then by name" "/opt/osm-node/after-setup/100-b.sh /opt/osm-node/after-setup/100-c.sh /opt/osm-node/after-setup/900-a.sh" \
	"$(grep -o '/opt/osm-node/after-setup/[^ ]*\.sh' "$osc" | sort -u | xargs)"
same "runcmd likewise" "echo b echo c echo a" "$(grep -oE '^ +- echo [abc]$' "$osc" | sed 's/ *- //' | xargs)"
made=$(profile_of "$repo" one)
mv "$repo/extensions/a.yaml" "$repo/extensions/z.yaml"
commit "$repo"
same "files' names do not matter" "$made" "$(profile_of "$repo" one)"

# ---- what comes of it is a profile like any other -------------------------------------------------
repo=$(two_clusters effective)
extension "$repo/extensions/gpu.yaml" gpu '
  selector: {operatingSystems: [ubuntu], machineDeployments: [kube-system/workers]}
  packages: [nvidia-container-toolkit]
  kubelet: {configuration: "maxPods: 200\n"}
  containerd: {nvidia: true}
  provisioningConfig:
    files:
      - path: /etc/issue
        content:
          inline:
            data: |
              one

              Kubernetes {{ .KubeVersion }}'
commit "$repo"
run "an output" "$repo"
exits "show --effective" 0 "$program" profiles show --effective one/kube-system/workers --repo "$repo"
cp "$scratch/out" "$scratch/shown"
exits "show --effective --no-origins" 0 "$program" profiles show --effective --no-origins one/kube-system/workers --repo "$repo"
ok "the same lines" diff <(sed -E 's/^[^|]* \| ?//' "$scratch/shown") "$scratch/out"
ok "the same as in the output" diff <(grep -v '^#' "$repo"/out/one/management/kube-system/operatingsystemprofile-*.yaml) "$scratch/out"
# Each line that names a file and is no sum of several stands there, but for its indentation.
shopt -s extglob
declare -A line_at=()
read_lines() { # NAME PATH: into line_at[NAME:NUMBER], without their indentation
	local line number=0
	while IFS= read -r line; do
		number=$((number + 1))
		line_at[$1:$number]=${line##*([- ])}
	done <"$2"
}
wrong=0 lines=0
while IFS= read -r line; do
	place=${line%% *} text=${line#*| }
	file=${place%%:*} number=${place##*:}
	case $file in
	extensions/*) source=$repo/$file ;;
	profiles/*) source=$root/$file ;;
	*) continue ;;
	esac
	lines=$((lines + 1))
	[ -n "${line_at[$file:1]+read}" ] || read_lines "$file" "$source"
	there=${line_at[$place]-no such line}
	case $text in
	*"$there"* | *"- $there"*) ;;
	*)
		key=${text##*([- ])}
		[[ $there == *"${key%%:*( )|*}"* || $text == *version:* || $text == *imports* || $file == extensions/* || ($file == profiles/extension/* && $number == 1) ]] || {
			wrong=$((wrong + 1))
			echo "$line ($there)"
		}
		;;
	esac
done <"$scratch/shown"
same "each line is from where it says" 0 "$wrong"
ok "and there are many" test "$lines" -gt 1000
# Files that osm-gen puts together, too.
for line in '6 +\|  +nvidia-container-toolkit' '7 +\|  +maxPods: 200' '8 +\|  +BinaryName = '; do
	ok "of the extension: $line" grep -qE "^extensions/gpu.yaml:$line" "$scratch/shown"
done
ok "of the profile's text beside it" grep -qE '^profiles/ubuntu.yaml:[0-9]+ +\|  +\{\{ "imports' "$scratch/shown"
ok "what is osm-gen's alone" grep -qE '^osm-gen +\|  +kind: KubeletConfiguration' "$scratch/shown"
ok "lines of a block, too" grep -qE '^extensions/gpu.yaml:[0-9]+ +\|  +Kubernetes' "$scratch/shown"
cp "$scratch/out" "$scratch/manifest"
exits "the inventory" 0 "$program" inventory --repo "$repo"
ok "has the extension's packages" grep -q "nvidia-container-toolkit" "$scratch/out"
exits "an unknown one" 2 "$program" profiles show --effective one/kube-system/worker --repo "$repo"
says "the nearest" "did you mean one/kube-system/workers?"
exits "one of several clusters" 2 "$program" profiles show --effective kube-system/workers --repo "$repo"
says "the cluster is asked for" "put the cluster in front"
exits "without show" 64 "$program" profiles --effective --repo "$repo"

# As a profile of the repository, under the name that it has, it is what it was.
cp -r "$repo/out" "$scratch/made"
made=$(profile_of "$repo" one)
sed -i "s|^  namespace: kube-system|  namespace: kube-system\n  annotations: {k8c.io/operating-system-profile: $made}|" "$repo"/*/workers.yaml
commit "$repo"
run "named in the annotation" "$repo"
same "it is found" "$made" "$(profile_of "$repo" one)"
sed -i 's/maxPods: 200/maxPods: 250/' "$repo/extensions/gpu.yaml"
commit "$repo"
run "of another content" "$repo" 2
says "the annotation is stale" "error[OSG4076]"
cp "$scratch/manifest" "$repo/profile.yaml"
commit "$repo"
run "the profile beside the extension" "$repo"
same "what is in it is not added again" "$made" "$(profile_of "$repo" one)"
extension "$repo/extensions/motd.yaml" motd
commit "$repo"
run "and another extension" "$repo"
ok "is added" grep -qE "^$made-x[0-9a-f]{8}$" <<<"$(profile_of "$repo" one)"
ok "which the profile says" grep -q "osm-gen.dev/extensions: gpu,motd" "$repo/out/one/management/kube-system/operatingsystemprofile-$(profile_of "$repo" one).yaml"
rm -r "$repo/extensions"
commit "$repo"
run "the profile in the place of the extension" "$repo"
same "the same OperatingSystemConfig" "$(grep -v mdannotations-hash "$scratch/made/one/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml")" \
	"$(grep -v mdannotations-hash "$repo/out/one/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml")"

# ---- Secrets ------------------------------------------------------------------------------------
repo=$(two_clusters token)
extension "$repo/extensions/token.yaml" token '{provisioningConfig: {files: [{path: /etc/token, permissions: 600, content: {secretKeyRef: {namespace: kube-system, name: registry, key: token}}}]}}'
commit "$repo"
canary='TEST-ONLY-c4n4ry-{{ .KubeVersion }}-value'
mkdir -p "$scratch/secrets"
printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: registry, namespace: kube-system}\nstringData: {token: "%s"}\n' "$canary" >"$scratch/secrets/registry.yaml"
exits "a file that is a Secret's" 0 "$program" --repo "$repo" --secrets "$scratch/secrets"
ok "its value is nowhere" test -z "$(git -C "$repo" log -p | grep -F c4n4ry)"
exits "revealed" 0 "$program" render --repo "$repo" --secrets "$scratch/secrets" --machine-deployment one/kube-system/workers --print provisioning --reveal
ok "as it is, no template" grep -qF "$(printf '%s' "$canary" | base64 -w0)" "$scratch/out"
before=$(profile_of "$repo" one)
cp "$repo/out/one/management/kube-system/operatingsystemprofile-$before.yaml" "$scratch/profile"
sed -i 's/c4n4ry/c4n4ry-two/' "$scratch/secrets/registry.yaml"
exits "rotated" 0 "$program" --repo "$repo" --secrets "$scratch/secrets"
same "the profile is the same" "$(cat "$scratch/profile")" "$(cat "$repo/out/one/management/kube-system/operatingsystemprofile-$before.yaml")"
ok "the sealed Secret is another" test -n "$(git -C "$repo" show --name-only --format= | grep provisioning)"
exits "validate without it" 0 "$program" validate --repo "$repo"
exits "show --effective without it" 0 "$program" profiles show --effective one/kube-system/workers --repo "$repo"
ok "a mark" grep -qF '<sealed:kube-system/registry:token>' "$scratch/out"
same "osm-gen.yaml alone cannot encrypt one" 2 "$(
	printf 'sops: {version: 3.9.0}\n' >>"$repo/extensions/token.yaml"
	git -C "$repo" commit -qam encrypted
	"$program" validate --repo "$repo" >/dev/null 2>&1
	echo $?
)"

# ---- docs/extensions.md ---------------------------------------------------------------------------
repo=$(two_clusters docs)
sed -i 's/^  name: workers/  name: workers\n  labels: {pool: gpu}/' "$repo"/*/workers.yaml
mkdir -p "$repo/extensions"
awk -v folder="$repo/extensions" '/^```yaml/ {number++; inside = 1; next} /^```/ {inside = 0} inside {print > (folder "/" number ".yaml")}' "$root/docs/extensions.md"
commit "$repo"
run "the examples of docs/extensions.md" "$repo"
same "there are three" 3 "$(find "$repo/extensions" -name '*.yaml' | wc -l)"
ok "without a warning" test ! -s <(grep -E "warning|error" "$scratch/err")
for template in extensionFunctions extensionStart extensionSystem extensionBeforeKubelet extensionEnd extensionKubeletFlags; do
	ok "docs/extensions.md names $template" grep -q "^| \`$template\` |" "$root/docs/extensions.md"
	for profile in "$root"/profiles/*.yaml; do
		ok "$(basename "$profile") calls $template" grep -q "{{- template \"$template\" }}" "$profile"
	done
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
