# Sourced by run.sh: pre-commit itself, with a repository of hooks that has the file where pre-commit looks for it.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

hooks=$scratch/hooks
mkdir -p "$hooks" "$scratch/installed"
cp "$program" "$scratch/installed/osm-gen"
cp -r "$home/VERSION" "$home/.pre-commit-hooks.yaml" "$home/ci" "$hooks/"
git -C "$hooks" -c init.defaultBranch=main init -q
commit_all "$hooks" "hooks"
revision=$(git -C "$hooks" rev-parse HEAD)

with_osm_gen=$scratch/installed:$PATH
pre_commit() { # WORDS...: in the clone, as someone who has osm-gen, and no key
	(cd "$clone" && "${clean[@]}" "PATH=$with_osm_gen" PRE_COMMIT_HOME="$scratch/pre-commit" \
		GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@osm-gen.example GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@osm-gen.example "$@")
}
pre_commit=("$work/python/bin/pre-commit")

clone=$(fleet hooked)
"$program" --repo "$clone" -q || give_up "the sample fleet cannot be generated"
sed "s|repo: .*|repo: file://$hooks|; s|rev: .*|rev: $revision|" "$recipes/pre-commit/.pre-commit-config.yaml" >"$clone/.pre-commit-config.yaml"
exits "the manifest of hooks is valid" 0 pre_commit "${pre_commit[@]}" validate-manifest "$hooks/.pre-commit-hooks.yaml"
exits "the configuration is valid" 0 pre_commit "${pre_commit[@]}" validate-config .pre-commit-config.yaml
exits "install" 0 pre_commit "${pre_commit[@]}" install
git -C "$clone" add -A
with_osm_gen=$PATH
for how in program digest signature; do
	serve $how
	exits "without osm-gen, a forged release: $how" 1 pre_commit git commit -q -m "with hooks"
	says "without osm-gen, a forged release: $how" "$(refusal $how)"
	not_pwned "without osm-gen, a forged release: $how"
done
ok "there is no commit" test -n "$(git -C "$clone" status --porcelain)"
serve genuine
: >"$host/requests"
exits "without osm-gen, the release" 0 pre_commit git commit -q -m "with hooks"
same "it is downloaded once" 1 "$(grep -c 'GET /public/releases/.*/osm-gen-.* 200' "$host/requests")"
with_osm_gen=$scratch/installed:$PATH

raise_kubelet "$clone"
exits "a change" 0 pre_commit git commit -a -m "a kubelet"
ok "the hooks ran" grep -q 'the inputs of osm-gen are right.*Passed' "$scratch/err"
says "the plan is shown" "3 machines in 1 MachineDeployment roll"
printf 'kind: MachineDeployment\nkind: twice\n' >"$clone/wrong.yaml"
git -C "$clone" add -A
before=$(git -C "$clone" rev-parse HEAD)
exits "a mistake" 1 pre_commit git commit -m "a mistake"
says "is named" "wrong.yaml:2:1: error[OSG1003]"
same "and not committed" "$before" "$(git -C "$clone" rev-parse HEAD)"
git -C "$clone" reset -q --hard
# What is not in the commit does not count: pre-commit puts it aside.
sed -i 's/kubelet: /kubelet: [/' "$clone/tests/fleet/prod-us-1/machinedeployments.yaml"
echo "# a word" >>"$clone/osm-gen.yaml"
git -C "$clone" add osm-gen.yaml
exits "a mistake that is not staged" 0 pre_commit git commit -m "a word"
git -C "$clone" checkout -q .
echo "text" >"$clone/README"
git -C "$clone" add README
exits "another file" 0 pre_commit git commit -m "a text"
ok "needs no hook" grep -q 'no files to check' "$scratch/err"
exits "try-repo" 0 pre_commit "${pre_commit[@]}" try-repo "$hooks" osm-gen-validate --all-files
