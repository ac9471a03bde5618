#!/usr/bin/env bash
# Kustomizations that would fetch, run or read what they must not: an error, and the program does not even start.
# Slow: builds kustomize
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
# shellcheck source=tests/cli/_kustomize.sh
. "$(dirname "$0")/_kustomize.sh"
repo=$(kustomized fleet)
cd "$repo" || exit 1
overlay=clusters/prod/overlay
# A kustomize that leaves a mark for every build.
rm "$scratch/bin/kustomize"
cat >"$scratch/bin/kustomize" <<END
#!/bin/sh
[ "\$1" = version ] || : >$scratch/started
exec $kustomize "\$@"
END
chmod +x "$scratch/bin/kustomize"
mkdir "$scratch/tmp"
export TMPDIR=$scratch/tmp
check() { exits "$1" "$2" "$program" validate --worktree --allow-program kustomize "${@:3}"; }
restore() { git checkout -q . && git clean -qfd; }

check "the fleet itself" 0
ok "runs the program" rm "$scratch/started"

# refused NAME TEXT: the message has the text, nothing was started, and nothing is left.
refused() {
	check "$1" 2
	says "$1" "error[OSG2082]: "
	says "$1" "$2"
	ok "$1: nothing was started" test ! -e "$scratch/started"
	same "$1: nothing is left" "" "$(ls -A "$TMPDIR")"
	restore
}
with() { # NAME TEXT LINES: refused with these lines added to the overlay
	printf '%s\n' "$3" >>$overlay/kustomization.yaml
	refused "$1" "$2"
}
resource() { # NAME TEXT PATH
	sed -i "s|- ../../../base|&\n- $3|" $overlay/kustomization.yaml
	refused "$1" "$2"
}

# ---- elsewhere -------------------------------------------------------------------------------------------------------------
outside="outside of the commit, which is not fetched"
resource "a remote base" "$outside" "https://github.com/kubernetes-sigs/kustomize//examples/helloWorld?ref=v1.0.6"
resource "without a scheme" "$outside" "github.com/kubernetes-sigs/kustomize/examples/helloWorld"
resource "in capitals" "$outside" "GitHub.com/kubernetes-sigs/kustomize"
resource "by ssh" "$outside" "git@example.com:fleet/base.git"
resource "by git::" "$outside" "git::file:///etc"
resource "gh:" "$outside" "gh:org/repo"
resource "a file by http" "$outside" "http://127.0.0.1:9/x.yaml"
mkdir -p $overlay/github.com/org/repo
echo 'resources: []' >$overlay/github.com/org/repo/kustomization.yaml
resource "a folder that is named like one" "$outside" "github.com/org/repo"
resource "another host" "the commit has no file \"example.com/org/repo\"" "example.com/org/repo"
sed -i 's|path: kubelet.yaml|path: https://example.com/p.yaml|' $overlay/kustomization.yaml
refused "a remote patch" "$outside"
with "a remote schema" "$outside" 'openapi: {path: "https://example.com/s.json"}'
with "remote configurations" "$outside" 'configurations: ["http://example.com/c.yaml"]'
with "remote crds" "$outside" 'crds: ["http://example.com/c.yaml"]'
with "a remote component" "$outside" 'components: ["https://example.com/c"]'
with "remote replacements" "$outside" 'replacements: [{path: "https://example.com/r.yaml"}]'
with "a remote file of a generator" "$outside" 'configMapGenerator: [{name: a, files: ["k=https://example.com/f"]}]'
with "a remote file of a transformer" "$outside" "$(printf 'transformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: a}\n  path: https://example.com/p.yaml')"
resource "a password in an address" "https://***@example.com/x" "https://user:geheim@example.com/x"
ok "is not shown" bash -c "! grep -q 'cannot read.*geheim' $scratch/err"

# ---- paths -----------------------------------------------------------------------------------------------------------------
resource "out of the repository" "leads out of the repository" "../../../../etc"
resource "far out" "leads out of the repository" "../../../../../../../../etc/passwd"
resource "an absolute path" "leads out of the repository" "/etc/passwd"
resource "a missing file" "the commit has no file" "nothing.yaml"
ln -s /etc/passwd $overlay/passwd.yaml
resource "a link" "is a symbolic link" "passwd.yaml"
ln -s /etc $overlay/etc
resource "below a link" "is a symbolic link" "etc/passwd"
ln -s ../../../base base2
ln -s /tmp clusters/prod/linked
resource "a linked folder" "is a symbolic link" "../linked"
rm $overlay/kustomization.yaml
ln -s /etc/passwd $overlay/kustomization.yaml
refused "a linked kustomization" "is a symbolic link"
with "a file of a generator" "leads out of the repository" 'secretGenerator: [{name: a, files: ["/etc/shadow"]}]'
with "envs" "leads out of the repository" 'secretGenerator: [{name: a, envs: ["../../../../secret.env"]}]'
cp $overlay/kustomization.yaml $overlay/Kustomization
refused "two kustomizations" "has several kustomizations"
rm $overlay/kustomization.yaml
refused "none" "has no kustomization.yaml"
sed -i 's|kustomize: .*|kustomize: ../elsewhere|' clusters/prod/osm-gen.yaml
refused "the Cluster's folder" "leads out of the repository"
sed -i 's|kustomize: .*|kustomize: https://github.com/a/b|' clusters/prod/osm-gen.yaml
refused "the Cluster's address" "$outside"

# ---- programs --------------------------------------------------------------------------------------------------------------
with "helmCharts" "would run Helm" 'helmCharts: [{name: x, repo: "https://example.com"}]'
with "helmChartInflationGenerator" "would run Helm" 'helmChartInflationGenerator: [{chartName: x}]'
plugin="this is a plugin of kustomize"
with "an exec function" "$plugin" "$(printf 'transformers:\n- |-\n  apiVersion: example.com/v1\n  kind: Run\n  metadata:\n    name: a\n    annotations:\n      config.kubernetes.io/function: |\n        exec: {path: /bin/true}')"
with "a builtin with a function" "$plugin" "$(printf 'transformers:\n- |-\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata:\n    name: a\n    annotations: {config.kubernetes.io/function: "exec: {path: x}"}')"
with "Helm as a generator" "$plugin" "$(printf 'generators:\n- |-\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: a}\n  name: x')"
printf 'apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a}\n' >$overlay/plugin.yaml
with "a plugin in a file" "$plugin" 'generators: [plugin.yaml]'
printf 'apiVersion: example.com/v1\nkind: Plugin\nmetadata: {name: a}\n' >$overlay/plugin.yaml
with "a validator" "$plugin" 'validators: [plugin.yaml]'
with "an unknown member" "does not know the member futureFetch" 'futureFetch: x'
with "a misspelt one" "did you mean resources?" 'resource: [x]'

# ---- size ------------------------------------------------------------------------------------------------------------------
{
	echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "a$i: &a$i [*a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1)), *a$((i - 1))]"
	done
} >$overlay/anchors.yaml
sed -i 's|- ../../../base|&\n- anchors.yaml|' $overlay/kustomization.yaml
check "endless anchors" 2
says "are a limit" "$overlay/anchors.yaml:"
ok "before anything starts" test ! -e "$scratch/started"
restore
printf 'resources: [../overlay]\n' >$overlay/kustomization.yaml
check "a circle" 2
says "is kustomize's error" "error[OSG2083]: \`kustomize build clusters/prod/overlay\` failed"
says "with its words" "kustomize: Error: "
ok "without the private folder" bash -c "! grep -q '$TMPDIR' $scratch/err"
rm -f "$scratch/started"
restore
# shellcheck disable=SC2016 # the program's own words
printf '#!/bin/sh\n[ "$1" = version ] && echo v1 && exit\nwhile :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done\n' >"$scratch/bin/kustomize2"
chmod +x "$scratch/bin/kustomize2"
mv "$scratch/bin/kustomize" "$scratch/bin/good"
ln -s kustomize2 "$scratch/bin/kustomize"
# shellcheck disable=SC2016 # the program's own words
printf '#!/bin/sh\n[ "$1" = version ] && echo v1 && exit\nexec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n' | sed 's|exec yes|exec /usr/bin/yes|' >"$scratch/bin/kustomize2"
check "huge output" 2
says "is cut" "printed more than 64 MiB"
same "nothing is left of it" "" "$(ls -A "$TMPDIR")"
# A program sees no variables, no network and no terminal, and cannot write.
cat >"$scratch/bin/kustomize2" <<END
#!/bin/bash
[ "\$1" = version ] && echo v1 && exit
{
	export -p | /usr/bin/grep -c SEED
	echo "devices \$(/usr/bin/grep -c : /proc/net/dev)"
	/usr/bin/stat -c %a .
} >&2
(echo x >written) 2>/dev/null || echo "cannot write" >&2
exit 7
END
printf 'resources: [../../../base]\n' >$overlay/kustomization.yaml
check "a program that looks around" 2
says "sees no seed" "kustomize: 0"
says "has a private folder" "kustomize: 700"
says "cannot write" "kustomize: cannot write"
if unshare -n true 2>/dev/null || unshare -rn true 2>/dev/null; then
	says "has no network" "kustomize: devices 1"
else
	skip "no network namespace can be made here"
fi
restore
rm "$scratch/bin/kustomize"
mv "$scratch/bin/good" "$scratch/bin/kustomize"

# ---- signals ---------------------------------------------------------------------------------------------------------------
cat >"$scratch/bin/slow" <<END
#!/bin/sh
[ "\$1" = version ] && echo v1 && exit
: >$scratch/started
exec /bin/sleep 30
END
chmod +x "$scratch/bin/slow"
mv "$scratch/bin/kustomize" "$scratch/bin/good"
mv "$scratch/bin/slow" "$scratch/bin/kustomize"
"$program" validate --allow-program kustomize >"$scratch/out" 2>"$scratch/err" &
pid=$!
for _ in $(seq 100); do
	[ -e "$scratch/started" ] && break
	sleep 0.1
done
kill -TERM $pid
wait $pid
same "a signal ends it" 143 $?
same "and nothing is left" "" "$(ls -A "$TMPDIR")"
mv "$scratch/bin/good" "$scratch/bin/kustomize"

# ---- encrypted files -------------------------------------------------------------------------------------------------------
cp "$root"/tests/golden/secret-sops/repo/*.yaml "$scratch/" 2>/dev/null
printf 'data: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]\nsops: {version: 3.9.0, mac: "ENC[AES256_GCM,data:AAAA]"}\n' >$overlay/sealed.yaml
printf 'secretGenerator: [{name: a, files: [sealed.yaml]}]\n' >>$overlay/kustomization.yaml
rm -f "$scratch/started"
check "secretGenerator over an encrypted file" 2
says "is refused" "OSG2084]: a generator of a kustomization would wrap this encrypted file"
says "by its name" "$overlay/sealed.yaml"
ok "and not run" test ! -e "$scratch/started"
finish
