#!/usr/bin/env bash
# Repositories that somebody made to do harm: links and paths that lead out, indexes that lie, texts that
# grow without end. Each run ends by itself, with a message, and touches nothing but its output folder.
# shellcheck source=tests/cli/_lib.sh disable=SC2016
. "$(dirname "$0")/_lib.sh"

outside=$scratch/outside
mkdir -p "$outside"
echo kept >"$outside/kept"
state() { git -C "$1" rev-parse HEAD && (cd "$1" && find . -path ./.git -prune -o -printf '%p %m %l\n' | sort) && git -C "$1" status --porcelain; }
outside_kept() { same "$1: nothing outside was touched" "kept" "$(cd "$outside" && ls && grep -v '^kept$' kept)"; }
refused() { # NAME STATUS REPO ARGUMENTS...: fails, and changes nothing
	local name=$1 want=$2 repo=$3 before
	shift 3
	before=$(state "$repo")
	exits "$name" "$want" timeout 120 "$program" --repo "$repo" "$@"
	same "$name: nothing changed" "$before" "$(state "$repo")"
	outside_kept "$name"
}

# ---- links ----------------------------------------------------------------------------------------
repo=$(fleet linked)
ln -s "$outside" "$repo/out"
commit_all "$repo" "out leads elsewhere"
refused "the output folder is a link" 64 "$repo"
refused "the output folder is a link, without a commit" 64 "$repo" --no-commit
refused "the output folder is a link, of the work tree" 64 "$repo" --worktree
refused "a folder above it is a link" 64 "$repo" --no-commit --out out/below
rm "$repo/out"
commit_all "$repo" "no link"
mkdir "$repo/out" && ln -s "$outside" "$repo/out/edge-eu-1"
exits "a cluster's folder is a link" 3 "$program" --repo "$repo"
outside_kept "a cluster's folder is a link"
exits "a cluster's folder is a link, without a commit" 3 "$program" --repo "$repo" --no-commit
outside_kept "a cluster's folder is a link, without a commit"
rm -r "$repo/out"
exits "then" 0 "$program" --repo "$repo"
osc=$repo/out/edge-eu-1/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml
ln -sf "$outside/kept" "$osc"
sed -i 's/kubelet: 1.35.2/kubelet: 1.35.1/' "$repo/tests/fleet/edge-eu-1/machinedeployments.yaml"
git -C "$repo" commit -q -m "another version" -- tests
exits "a file is a link" 3 "$program" --repo "$repo"
outside_kept "a file is a link"
# Manifests that are links are not read: not of the commit, nor of the work tree.
repo=$(fleet linked-input)
cat >"$outside/kept.yaml" <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
stringData: {token: read-through-a-link-0123456789}
YAML
rm "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
ln -s "$outside/kept.yaml" "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
commit_all "$repo" "a manifest leads elsewhere"
exits "a manifest is a link" 0 "$program" --repo "$repo"
ok "a manifest is a link: not followed" test -e "$repo/out/edge-eu-1/worker/namespace-cloud-init-settings.yaml"
exits "a manifest is a link, of the work tree" 0 "$program" --repo "$repo" --worktree --out other
ok "a manifest is a link, of the work tree: not followed" test -e "$repo/other/edge-eu-1/worker/namespace-cloud-init-settings.yaml"
rm "$outside/kept.yaml"
ln -s /etc/shadow "$repo/tests/fleet/edge-eu-1/ca.pem"
sed -i 's/  settings:/  settings:\n    hostCABundle: ca.pem/' "$repo/tests/fleet/edge-eu-1/osm-gen.yaml"
commit_all "$repo" "a setting's file leads elsewhere"
exits "a setting's file is a link" 2 "$program" --repo "$repo"
exits "a setting's file is a link, of the work tree" 2 "$program" --repo "$repo" --worktree
ok "a setting's file is a link: not shown" bash -c "! grep -q root: $scratch/err"

# ---- reports, and files that options name ------------------------------------------------------------
repo=$(fleet reports)
mkdir "$repo/kept" "$outside/folder"
echo "TEST-ONLY-not-for-them" >"$outside/private"
ln -s "$outside/kept" "$repo/report"
ln -s "$outside/folder" "$repo/folder"
ln -s "$outside/private" "$repo/ca.pem"
ln -s "$outside/none" "$repo/none"
ln -s "$repo" "$scratch/way"
commit_all "$repo" "links"
mkfifo "$repo/pipe"
for format in json sarif junit markdown; do
	for path in "$repo/report" "$repo/folder/new" "$repo/none" "$repo/pipe" "$scratch/way/report" "$repo/kept/../folder/new"; do
		exits "a report to ${path#"$scratch"}" 3 timeout 60 "$program" validate --repo "$repo" --report "$format=$path"
		says "a report to ${path#"$scratch"}" "error[OSG6112]"
	done
	(cd "$repo" && exits "a report to a link here" 3 "$program" validate --report "$format=report"; exit "$failed")
	same "a report to a link here" 0 $?
done
exits "a report in the work tree" 0 "$program" validate --repo "$repo" --report "json=$repo/fine.json"
ok "a report in the work tree" grep -q valid "$repo/fine.json"
rm "$repo/pipe" "$repo/fine.json"
same "reports lead nowhere" "folder kept private" "$(cd "$outside" && echo * | grep -v none)"
same "reports leave what is there" "kept" "$(cat "$outside/kept")"
for option in --revisions --seal-seed-file --host-ca-bundle; do
	exits "$option through a link" 3 env -u OSM_GEN_SEAL_SEED "$program" --repo "$repo" "$option" "$repo/ca.pem"
	says "$option through a link" "error[OSG6112]"
	ok "$option through a link: nothing of it is shown" bash -c "! grep -q TEST-ONLY-not $scratch/err"
done
mkdir "$repo/mounted" && ln -s "$outside/private" "$repo/mounted/x.yaml"
exits "--secrets with a link of the repository's" 3 "$program" --repo "$repo" --secrets "$repo/mounted"
says "--secrets with a link of the repository's" "error[OSG6112]"
rm -r "$outside/private" "$outside/folder"

# ---- the hidden folder of an export, committed ---------------------------------------------------------
repo=$(fleet hidden)
for path in ../../../outside/kept ../osm-gen.yaml /etc/none link/kept .git/config; do
	mkdir -p "$repo/out/.osm-gen-stage"
	ln -sf "$outside" "$repo/out/link"
	echo theirs >"$repo/out/.osm-gen-stage/1.old"
	printf 'osm-gen journal 1\0folder\0put\0001\0%s\0' "$path" >"$repo/out/.osm-gen-stage/journal"
	refused "a journal that names $path" 3 "$repo" --no-commit
	rm -r "$repo/out"
done
ln -s "$outside" "$repo/aside" && mkdir "$repo/out" && ln -s ../aside "$repo/out/.osm-gen-stage"
refused "a hidden folder that is a link" 3 "$repo" --no-commit

# ---- --out, names, indexes ------------------------------------------------------------------------
repo=$(fleet paths)
for out in . .. ../x / .git .git/x .git/../x out/.. "" "$repo" "$repo/.git" "$repo/.git/x"; do
	refused "--out '$out'" 64 "$repo" --out "$out"
done
for out in .GIT src/.git/x $'a\nb'; do
	refused "--out '$out'" 2 "$repo" --out "$out"
done
machines=tests/fleet/edge-eu-1/machinedeployments.yaml
for name in ../../x a/b .. '.' '"a\nb"' '"a\e[31m"'; do
	repo=$(fleet names)
	N=$name perl -0pi -e 's/name: workers\n/name: $ENV{N}\n/' "$repo/$machines"
	commit_all "$repo" "a name"
	refused "the name $name" 2 "$repo"
	ok "the name $name is shown without control characters" bash -c "! grep -q $'\e' $scratch/err"
	rm -rf "$repo"
	repo=$(fleet names)
	N=$name perl -0pi -e 's/namespace: kube-system\n/namespace: $ENV{N}\n/' "$repo/$machines"
	commit_all "$repo" "a namespace"
	refused "the namespace $name" 2 "$repo"
	rm -rf "$repo"
done
repo=$(fleet index)
exits "generate" 0 "$program" --repo "$repo"
for path in ../../osm-gen.yaml /etc/passwd x/../../../osm-gen.yaml ./x ..; do
	sed -i "s|\"files\": \[.*|\"files\": [{\"path\": \"$path\"},|" "$repo/out/edge-eu-1/index.json"
	commit_all "$repo" "an index that lies"
	refused "an index that lists $path" 2 "$repo"
done

# A path stands in a comment of what is made from it.
repo=$(fleet lines)
git -C "$repo" mv "$machines" "tests/fleet/edge-eu-1/m"$'\n'"kind: Pod"$'\n\xff\xe2\x80\xa8'".yaml"
commit_all "$repo" "a path of several lines"
exits "a path of several lines" 0 "$program" --repo "$repo"
ok "a path of several lines: one line of the output" bash -c "! grep -raq '^kind: Pod' $repo/out"
ok "a path of several lines: the output is UTF-8" bash -c "cat $repo/out/*/*/*/* | iconv -f UTF-8 -t UTF-8"
ok "a path of several lines: sealed files can be read" bash -c "$program unseal $repo/out/edge-eu-1/worker/*/secret-*"

# ---- names that speak to CI ---------------------------------------------------------------------------
repo=$(fleet commands)
name=$'::error file=a,line=1::##[group]@octocat #1 GH-1 `x` | \n##vso[task.complete]\r\e[2J\xe2\x80\xae.yaml'
printf 'kind: Secret\n  ::warning::x: [##[error]\n' >"$repo/$name"
sed -i 's/^  version: .*/  version: v1.2.1+GH-1/' "$repo/profiles/ubuntu.yaml"
commit_all "$repo" "names"
reports=(--report "json=$scratch/c.json" --report "sarif=$scratch/c.sarif" --report "junit=$scratch/c.xml" --report "markdown=$scratch/c.md")
for color in never always; do
	exits "names that speak to CI, colour $color" 2 "$program" validate --repo "$repo" --color "$color" "${reports[@]}"
	for file in err c.json c.sarif c.xml c.md; do
		ok "no command in $file" bash -c "! grep -qP '^\s*::|##\w*\[|\r|\xe2\x80\xae' $scratch/$file"
	done
	ok "nobody is mentioned" python3 -c 'import re, sys
for line in open(sys.argv[1]):
    line = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
    assert "@" not in line and not re.search(r"#\d|GH-", line), line' "$scratch/c.md"
done
git -C "$repo" --literal-pathspecs rm -q -- "$name" && git -C "$repo" commit -q -m "without it"
exits "a version that links" 0 "$program" --repo "$repo"
ok "a version that links does not, in the commit" bash -c "git -C $repo log -1 --format=%B | grep -qF 'v1.2.1+\x47H-1'"

# ---- texts that grow --------------------------------------------------------------------------------
grows() { # NAME FILE: stdin is the file's text
	repo=$(fleet grows)
	cat >"$repo/$2"
	commit_all "$repo" "grows"
	refused "$1" 2 "$repo"
	rm -rf "$repo"
}
map=$'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n'
{
	printf '%sa0: &a0 [x,x,x,x,x,x,x,x,x]\n' "$map"
	for i in 1 2 3 4 5 6 7 8 9; do printf 'a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n' $i $i $((i - 1)){,}{,}{,} | cut -d, -f1-7; done | sed 's/$/]/; s/\]\]/]/'
} | grows "aliases of aliases" x.yaml
{ printf '%sa: ' "$map"; head -c 100000 /dev/zero | tr '\0' '['; } | grows "lists in lists" x.yaml
{ printf '{"kind": "Secret", "a": '; head -c 1000000 /dev/zero | tr '\0' '['; } | grows "lists in lists of JSON" x.json
template() { # NAME TEMPLATE
	repo=$(fleet template)
	T=$2 perl -0pi -e 's/^spec:.*?\K\{\{/$ENV{T} . "{{"/sme' "$repo/profiles/ubuntu.yaml"
	commit_all "$repo" "a template"
	refused "$1" 2 "$repo"
	rm -rf "$repo"
}
template "a template that calls itself" '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}'
template "a text without end" '{{ repeat 2000 (repeat 2000 (repeat 2000 "xxxxxxxx")) }}'
template "a text that doubles" '{{ $x := "aaaaaaaa" }}{{ range until 60 }}{{ $x = printf "%s%s" $x $x }}{{ end }}{{ $x }}'
template "loops in loops" '{{ range until 1000000 }}{{ range until 1000000 }}x{{ end }}{{ end }}'
template "a map that holds itself" '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $d }}'

finish
