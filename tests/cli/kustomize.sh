#!/usr/bin/env bash
# `kustomize: DIR` in a Cluster: its manifests are what kustomize makes of the commit's files.
# Slow: builds kustomize
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_kustomize.sh
. "$(dirname "$0")/_kustomize.sh"
repo=$(kustomized fleet)
cd "$repo" || exit 1
allow=(--allow-program kustomize)

# ---- only when the command line allows it ---------------------------------------------------------------------------------
exits "not allowed" 3 "$program" validate
says "is reported" "OSG9040]: this folder needs the program kustomize, which the command line does not allow"
says "with the option" "add --allow-program kustomize"
says "at its place" "clusters/prod/osm-gen.yaml:5:14"
same "once" 1 "$(grep -c 'error\[' "$scratch/err")"
exits "another program" 64 "$program" validate --allow-program helm
exits "no program" 3 env PATH=/usr/sbin "$program" validate "${allow[@]}"
says "is reported, too" "neither kustomize nor kubectl was found in PATH"
mkdir -p bin
cp "$kustomize" bin/kustomize
exits "one in the work tree" 3 env PATH="$repo/bin:/usr/sbin" "$program" validate "${allow[@]}"
rm -r bin

# ---- the same as kustomize's output in git ----------------------------------------------------------------------------------
exits "validate" 0 "$program" validate "${allow[@]}"
says "has the base's MachineDeployments" "2 MachineDeployments"
exits "generate" 0 "$program" generate "${allow[@]}"
says "names the program" "kustomize v5.7.1"
trailer=$(git log -1 --format='%(trailers:key=Osm-Gen-Program,valueonly)' | head -n 1)
same "the commit names version and digest" "kustomize v5.7.1 sha256:$(sha256sum <"$kustomize" | cut -d ' ' -f 1)" "$trailer"
ok "the patch was applied" grep -rqF 1.33.4 out/prod
ok "no annotation is left" bash -c '! grep -rqF config.kubernetes.io out'
ok "the output names the file of the base" grep -rqF base/machinedeployments.yaml out/prod/index.json
git worktree add -q "$scratch/plain" HEAD~1
"$kustomize" build clusters/prod/overlay >"$scratch/built.yaml"
(
	cd "$scratch/plain" || exit 1
	git checkout -qb plain
	sed -i '/kustomize:/d' clusters/prod/osm-gen.yaml
	git rm -rq base clusters/prod/overlay
	cp "$scratch/built.yaml" clusters/prod/built.yaml
	git add -A
	git commit -qm "the output in git"
)
exits "the output in git" 0 "$program" generate --repo "$scratch/plain"
(cd "$scratch/plain" && grep -rl clusters/prod/built.yaml out | while read -r file; do
	sed -i "s|clusters/prod/built.yaml|$(sed -n 's/^ *"source": "\(.*\)",\?$/\1/p;s/^# .* from \(.*\)\. .*/\1/p' "$repo/$file" | head -n 1)|" "$file"
done)
same "is rendered alike" "" "$(diff -r -I '"proof": ' -I '"source": ' -I '^# ' out "$scratch/plain/out")"

# ---- what comes after -------------------------------------------------------------------------------------------------------
exits "again: nothing to do" 0 "$program" generate "${allow[@]}"
says "nothing" "out is up to date"
exits "check" 0 "$program" check "${allow[@]}"
exits "and without proofs" 0 "$program" check "${allow[@]}" --no-proofs
exits "check without the option" 3 "$program" check
exits "plan" 0 "$program" plan "${allow[@]}"
exits "diff" 0 "$program" diff "${allow[@]}"
exits "list" 0 "$program" list "${allow[@]}"
exits "verify needs no program" 0 "$program" verify
sed -i 's/value: 7/value: 8/' clusters/prod/overlay/kustomization.yaml
exits "the work tree is not read" 0 "$program" check "${allow[@]}"
exits "but with --worktree" 0 "$program" render --worktree "${allow[@]}" --machine-deployment kube-system/build --print osc
sed -i 's/kubelet: 1.33.4/kubelet: 1.33.5/' clusters/prod/overlay/kubelet.yaml
git commit -qam "patch other fields"
exits "a changed patch" 1 "$program" diff "${allow[@]}"
ok "is shown" grep -q '^+.*1.33.5' "$scratch/out"
exits "shard 1" 0 "$program" "${allow[@]}" --shard 1/2 --out "$scratch/part1"
exits "shard 2" 0 "$program" "${allow[@]}" --shard 2/2 --out "$scratch/part2"
exits "merge without the option" 3 "$program" merge "$scratch/part1" "$scratch/part2"
exits "merge" 0 "$program" merge "${allow[@]}" "$scratch/part1" "$scratch/part2"
tree=$(git rev-parse 'HEAD^{tree}')
message=$(git log -1 --format=%B)
git reset -q --hard HEAD~1
exits "in one run" 0 "$program" generate "${allow[@]}"
same "the same tree" "$tree" "$(git rev-parse 'HEAD^{tree}')"
same "the same message" "$message" "$(git log -1 --format=%B)"

# ---- another version ---------------------------------------------------------------------------------------------------------
cat >"$scratch/bin/other" <<END
#!/bin/sh
[ "\$1" = version ] && echo v9.9.9 && exit
exec $kustomize "\$@"
END
chmod +x "$scratch/bin/other"
mv "$scratch/bin/kustomize" "$scratch/bin/real"
mv "$scratch/bin/other" "$scratch/bin/kustomize"
exits "another version" 0 "$program" check "${allow[@]}"
says "is a warning" "OSG9041]: kustomize is v9.9.9, and the last commit of osm-gen was made with v5.7.1"
says "with both digests" "then: sha256:"
mv "$scratch/bin/real" "$scratch/bin/kustomize"

# ---- where mistakes are ------------------------------------------------------------------------------------------------------
sed -i 's/kubelet: 1.33.5/kubelet: latest/' clusters/prod/overlay/kubelet.yaml
git commit -qam "a mistake in the patch"
exits "a mistake in a patch" 2 "$program" validate "${allow[@]}"
says "is shown in the patch" "clusters/prod/overlay/kubelet.yaml:4:"
git reset -q --hard HEAD~1
sed -i 's/operatingSystem: .*/operatingSystem: ubuntuu/' base/machinedeployments.yaml
git commit -qam "a mistake in the base"
exits "a mistake in the base" 2 "$program" validate "${allow[@]}"
says "is shown in the base" "base/machinedeployments.yaml:$(grep -n ubuntuu base/machinedeployments.yaml | head -n 1 | cut -d : -f 1):"
git reset -q --hard HEAD~1

# ---- an encrypted Secret ----------------------------------------------------------------------------------------------------
mkdir "$scratch/adopting"
cp osm-gen.yaml "$scratch/adopting/"
git -C "$scratch/adopting" init -q
exits "a Secret that adopt encrypts" 0 "$program" -C "$scratch/adopting" adopt "$here/adopt/live.yaml" --cluster live --into live
secret=$scratch/adopting/live/cloud-init-settings/secret-cloud-init-getter-token.yaml
token=$("$program" unseal "$secret" | sed -n 's/^ *token: *//p' | tr -d '"' | base64 -d)
ok "has a token" test ${#token} -gt 20
cp "$secret" base/getter-token.yaml
echo "- getter-token.yaml" >>base/kustomization.yaml
printf 'labels:\n- pairs: {team: a}\n' >>clusters/prod/overlay/kustomization.yaml
git add -A
git commit -qm "an encrypted Secret, which gets a label"
exits "generate with it" 0 "$program" generate "${allow[@]}"
exits "render" 0 "$program" render "${allow[@]}" --machine-deployment kube-system/workers --print bootstrap --reveal
python3 -c '
import base64, re, sys
text = sys.stdin.read()
for _ in "data", "files of cloud-init":
    runs = re.findall(r"[A-Za-z0-9+/]{40,}={0,2}", text)
    text = "\\n".join(base64.b64decode(run + "=" * (-len(run) % 4)).decode(errors="replace") for run in runs if len(run.rstrip("=")) % 4 != 1)
    print(text)' <"$scratch/out" >"$scratch/user-data"
ok "its token reaches user-data" grep -qF "$token" "$scratch/user-data"
same "and nothing else in the clear" "" "$(grep -rlF "$token" . --exclude-dir=.git; grep -rlF "$(printf %s "$token" | base64 -w0)" . --exclude-dir=.git)"
exits "validate needs no identity" 0 env -u SOPS_AGE_KEY_FILE -u OSM_GEN_SEAL_SEED "$program" validate "${allow[@]}"
exits "generate without the identity" 3 env -u SOPS_AGE_KEY_FILE "$program" generate "${allow[@]}" --no-proofs
says "names the file" "base/getter-token.yaml:"
sed -i 's/name: "cloud-init-getter-token"/&\n    labels: {a: b}/' base/getter-token.yaml
git commit -qam "a label in the encrypted file"
exits "a changed file" 2 "$program" generate "${allow[@]}"
says "its MAC is checked" "base/getter-token.yaml:"
git reset -q --hard HEAD~1
mkdir -p clusters/other/shared
sed 's/name: prod/name: other/; /kustomize:/d' clusters/prod/osm-gen.yaml >clusters/other/osm-gen.yaml
git mv base/getter-token.yaml clusters/other/shared/getter-token.yaml
echo "resources: [getter-token.yaml]" >clusters/other/shared/kustomization.yaml
sed -i 's|^- getter-token.yaml|- ../clusters/other/shared|' base/kustomization.yaml
git add -A
git commit -qm "the encrypted file of another cluster"
exits "another cluster's encrypted file" 2 "$program" generate "${allow[@]}"
says "is refused" "OSG2022"
git reset -q --hard HEAD~1
finish
