#!/usr/bin/env bash
# This repository uses itself: out/ is what osm-gen makes from profiles/ and tests/fleet/.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

needs_commit "there is no out/ of a commit to check"
exits "the inputs are right, without any key" 0 env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$program" validate --repo "$root"
exits "out/ is up to date" 0 "$program" check --repo "$root"
exits "every sealed file opens" 0 "$program" unseal "$root"/out/*/worker/*/secret-*.yaml
ok "and holds user-data" grep -q "cloud-config: " "$scratch/out"

# The first thing that people see of the program.
exits "the demo" 0 env OSM_GEN="$program" "$root/ci/demo"
ok "warns of nothing" bash -c "! grep -qE 'warning\[|error\[' $scratch/out $scratch/err"
ok "and its output is vouched for" grep -q '^vouched for by commit ' "$scratch/out"
kubeconfig=$(sed -n 's/^  kubeconfig: //p' "$scratch/out")
ok "it shows the beginning of a kubeconfig" grep -q '^apiVersion: v1$' <(base64 -d 2>/dev/null <<<"$kubeconfig")
ok "and no more of it" test "${#kubeconfig}" -le 88
while read -r document; do
	ok "it ends with what to do next: $document" test -f "$root/$document"
done < <(sed -n '/^Next:/,$p' "$scratch/out" | grep -o 'docs/[a-z-]*\.md' || echo none)
ok "it ends with what to do next: init" grep -qE '^  osm-gen init ' "$scratch/out"
mv "$scratch/out" "$scratch/first"
exits "the demo on another day" 0 env GIT_AUTHOR_DATE="2031-02-03T04:05:06Z" GIT_COMMITTER_DATE="2031-02-03T04:05:06Z" OSM_GEN="$program" "$root/ci/demo"
ok "makes the same commits" cmp "$scratch/first" "$scratch/out"

tool=
if command -v kustomize >/dev/null 2>&1; then
	tool="kustomize build"
elif command -v kubectl >/dev/null 2>&1; then
	tool="kubectl kustomize"
fi
if [ -n "$tool" ]; then
	for file in "$root"/out/*/*/kustomization.yaml; do
		# shellcheck disable=SC2086 # a command and its word
		exits "$(dirname "${file#"$root"/}") builds" 0 $tool "$(dirname "$file")"
	done
else
	skip "kustomize is not installed: make oracle builds the folders"
fi
finish
