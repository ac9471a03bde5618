#!/usr/bin/env bash
# init: a repository to start with, which renders; and what it leaves alone.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
unset OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE
mkdir "$scratch/bin" "$scratch/home"
ln -s "$(realpath "$program")" "$scratch/bin/osm-gen"
export PATH=$scratch/bin:$PATH HOME=$scratch/home
unset XDG_CONFIG_HOME

# ---- from nothing: what is printed is run as it stands ----------------------------------------------
dir="$scratch/my fleet's"
mask=$(umask)
umask 0
exits "init" 0 osm-gen init "$dir"
umask "$mask"
cp "$scratch/out" "$scratch/next"
keys="$HOME/.config/osm-gen/my fleet's"
for key in seed identity; do
	same "$key.txt is private" 600 "$(stat -c %a "$keys/$key.txt")"
	ok "and said to be there" grep -qF "added $keys/$key.txt" "$scratch/err"
done
recipient=$(sed -n 's/^# public key: //p' "$keys/identity.txt")
ok "the fleet's recipient" grep -qxF "    - $recipient" "$dir/osm-gen.yaml"
ok "the one of .sops.yaml" grep -qxF "  age: $recipient" "$dir/.sops.yaml"
same "nothing is for editors" "" "$(cd "$dir" && ls -d .vscode osm-gen.schema.json 2>/dev/null; grep -rl yaml-language-server . --include=*.yaml)"
same "the branch" "refs/heads/main" "$(git -C "$dir" symbolic-ref HEAD)"
ok "no key is in the repository" bash -c "! grep -rqE 'OSMGEN-SEED-1|AGE-SECRET-KEY-1' '${dir//\'/\'\\\'\'}'"
exits "before the first commit" 0 osm-gen validate --worktree --repo "$dir"
ok "name the identity for encrypted inputs" grep -q '^export SOPS_AGE_KEY_FILE=.*identity.txt' "$scratch/next"
exits "the commands that are printed" 0 bash -e "$scratch/next"
says "commit an output" "osm-gen: committed"
ok "a sealed Secret" grep -q "recipient: $recipient" "$dir/out/example/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml"
same "nothing is left over" "" "$(git -C "$dir" status --porcelain)"
ok "no warning" bash -c "! grep -q 'warning' $scratch/err"
export OSM_GEN_SEAL_SEED_FILE="$keys/seed.txt"
exits "check" 0 osm-gen check --repo "$dir"
exits "unseal with the identity" 0 env SOPS_AGE_KEY_FILE="$keys/identity.txt" osm-gen unseal \
	"$dir/out/example/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml"
same "forges fold sealed files" "linguist-generated: set gitlab-generated: set diff: osm-gen" "$(git -C "$dir" check-attr linguist-generated gitlab-generated diff -- \
	out/example/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml | sed 's/^[^:]*: //' | paste -sd ' ')"
same "git merges lists, if it knows the driver" "osm-gen" "$(git -C "$dir" check-attr merge -- out/example/index.json | sed 's/.*: //')"
same "and show configs" "unspecified" "$(git -C "$dir" check-attr linguist-generated -- \
	out/example/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml | sed 's/.*: //')"

# ---- what changes inside of sealed files, by git itself ------------------------------------------------
printf '  delivery:\n    applier: flux\n    source: {kind: GitRepository, name: fleet, namespace: flux-system}\n' >>"$dir/osm-gen.yaml"
git -C "$dir" commit -q -a -m "with Flux, Secrets carry text"
exits "the text" 0 osm-gen generate -q --repo "$dir"
sed -i 's/kubelet: 1.34.1/kubelet: 1.34.2/' "$dir/clusters/example/workers.yaml"
git -C "$dir" commit -q -a -m newer
exits "the change" 0 osm-gen generate -q --repo "$dir"
git -C "$dir" config diff.osm-gen.textconv "osm-gen unseal --textconv"
export SOPS_AGE_KEY_FILE="$keys/identity.txt"
exits "git diff" 0 git -C "$dir" diff HEAD~1 -- out/example/worker
ok "shows the line that changes in a file of cloud-init" grep -q '^+kube_version=v1.34.2' "$scratch/out"
ok "and no ciphertext" bash -c "! grep -q '^[+-].*ENC\[' $scratch/out"
unset SOPS_AGE_KEY_FILE
git -C "$dir" config --unset diff.osm-gen.textconv
git -C "$dir" reset -q --hard HEAD~4
unset OSM_GEN_SEAL_SEED_FILE

# ---- once more: nothing is replaced -------------------------------------------------------------------
head=$(git -C "$dir" rev-parse HEAD)
cat "$keys"/* >"$scratch/keys.before"
rm "$dir/.osm-gen-ignore"
exits "init again" 0 osm-gen init "$dir"
ok "adds what lacks" grep -qx 'added .osm-gen-ignore' "$scratch/err"
ok "keeps the rest" grep -qx 'kept  .gitattributes' "$scratch/err"
ok "says why no keys are made" grep -q 'no keys are made: .*osm-gen keygen seed -o FILE' "$scratch/err"
ok "says that no example is" grep -qx 'no example is added: there are settings already' "$scratch/err"
ok "says nothing of a .sops.yaml that is there" bash -c "! grep -q 'no .sops.yaml' $scratch/err"
same "nothing differs" "" "$(git -C "$dir" status --porcelain)"
same "no commit" "$head" "$(git -C "$dir" rev-parse HEAD)"
ok "the keys are those" cmp "$scratch/keys.before" <(cat "$keys"/*)

# ---- settings of somebody's, and nothing else ---------------------------------------------------------
settings=$scratch/settings
git init -q "$settings"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {}\n' >"$settings/osm-gen.yaml"
cp "$settings/osm-gen.yaml" "$scratch/settings.before"
exits "init" 0 osm-gen init "$settings" --keys "$scratch/settings-keys"
ok "leaves them" cmp "$settings/osm-gen.yaml" "$scratch/settings.before"
ok "says that no .sops.yaml is added, and why" grep -q '^no .sops.yaml is added: it names who decrypts the inputs' "$scratch/err"
ok "and no keys" test ! -e "$scratch/settings-keys"
same "adds what does no harm" ".gitattributes
.osm-gen-ignore" "$(git -C "$settings" status --porcelain | sed -n 's/^?? //p' | grep -v '^osm-gen.yaml$')"

# ---- for editors ------------------------------------------------------------------------------------------
exits "for editors" 0 osm-gen init --editor "$scratch/editor" --keys "$scratch/editor-keys"
for file in osm-gen.yaml clusters/example/osm-gen.yaml clusters/example/workers.yaml; do
	# shellcheck disable=SC2016 # $schema is the word of editors
	schema=$(sed -n '1s/^# yaml-language-server: \$schema=//p' "$scratch/editor/$file")
	ok "$file names the schema" test -f "$scratch/editor/$(dirname "$file")/$schema"
done
ok "of all documents" python3 -c 'import json, sys; json.load(open(sys.argv[1]))["definitions"]["MachineDeployment.v1alpha1"]' "$scratch/editor/osm-gen.schema.json"
ok "that are mapped in VS Code" python3 -c 'import json, sys; json.load(open(sys.argv[1]))["yaml.schemas"]["./osm-gen.schema.json"]' "$scratch/editor/.vscode/settings.json"
printf '{}\n' >"$scratch/editor/.vscode/settings.json"
exits "again" 0 osm-gen init --editor "$scratch/editor"
same "settings of the editor are kept" "{}" "$(cat "$scratch/editor/.vscode/settings.json")"
exits "the example for editors" 0 osm-gen init --editor --example "$scratch/editor-example" --keys "$scratch/example-keys"
ok "names the schema, too" grep -rq '^# yaml-language-server: .*osm-gen.schema.json' "$scratch/editor-example/clusters"

# ---- interrupted: the next one completes it -------------------------------------------------------------
exits "init" 0 osm-gen init "$scratch/halfway" --keys "$scratch/halfway-keys"
cp -r "$scratch/halfway" "$scratch/whole"
rm "$scratch/halfway/osm-gen.yaml" "$scratch/halfway/clusters/example/workers.yaml"
exits "init of what a kill left" 0 osm-gen init "$scratch/halfway" --keys "$scratch/halfway-keys"
ok "is complete" diff -r -x .git "$scratch/whole" "$scratch/halfway"

# ---- two repositories in folders of one name: no key is shared without a word ------------------------------
exits "a team's fleet" 0 osm-gen init "$scratch/team-a/nodes"
own="$HOME/.config/osm-gen/nodes"
cat "$own"/* >"$scratch/keys.before"
exits "another team's" 3 osm-gen init "$scratch/team-b/nodes"
says "is refused" "OSG9022"
says "whose keys they are" "the keys in $own were made before, for the repository $scratch/team-a/nodes"
says "how to say that it is meant" "only if both repositories shall have the same keys, name theirs: --keys $own"
ok "no folder is left" test ! -e "$scratch/team-b"
ok "the keys are those" cmp "$scratch/keys.before" <(cat "$own"/*)
mv "$own" "$scratch/moved"
mkdir "$own"
cp "$scratch/moved/seed.txt" "$scratch/moved/identity.txt" "$own"
exits "keys of an earlier version" 3 osm-gen init "$scratch/team-b/nodes"
says "are refused, too" "the keys in $own were made before, and are not known to be of this repository"
rm -r "$own"
mv "$scratch/moved" "$own"
exits "if it is meant" 0 osm-gen init "$scratch/team-b/nodes" --keys "$own"
exits "the one whose keys they are" 0 bash -c "rm $scratch/team-a/nodes/osm-gen.yaml && osm-gen init $scratch/team-a/nodes"
for team in a b; do
	git -C "$scratch/team-$team/nodes" add .
	git -C "$scratch/team-$team/nodes" commit -q -m start
	exits "the output of team $team" 0 osm-gen generate -q --repo "$scratch/team-$team/nodes" --seal-seed-file "$own/seed.txt"
	(cd "$scratch/team-$team/nodes" && find out -name 'secret-bootstrap-token-*') >"$scratch/token-$team"
	same "one bootstrap token, whose id is in the file's name" 1 "$(wc -l <"$scratch/token-$team")"
done
ok "the tokens differ, by sealing.fleet" bash -c "! cmp -s $scratch/token-a $scratch/token-b"
ok "which is random" bash -c "[ \"\$(sed -n 's/^    fleet: //p' $scratch/team-*/nodes/osm-gen.yaml | grep -cE '^\"[0-9a-f]{16}\"\$')\" = 2 ]"

# ---- a repository with manifests ------------------------------------------------------------------------
old=$(fleet "old")
rm "$old/osm-gen.yaml"
commit_all "$old" "without settings"
exits "init" 0 osm-gen init "$old" --keys "$scratch/old-keys"
ok "adds settings" test -f "$old/osm-gen.yaml"
ok "no example" test ! -e "$old/clusters"
ok "keys where they are wanted" test -f "$scratch/old-keys/seed.txt"
exits "another repository with the same keys" 0 osm-gen init "$scratch/second" --keys "$scratch/old-keys"
ok "keeps them" grep -qF "kept  $scratch/old-keys/seed.txt" "$scratch/err"
cp -r "$scratch/old-keys" "$scratch/odd-keys"
sed -i "s/^# public key: .*/# public key: $recipient/" "$scratch/odd-keys/identity.txt"
exits "keys whose comment names somebody else" 0 osm-gen init "$scratch/third" --keys "$scratch/odd-keys"
same "the identity counts" "$(grep 'age1' "$old/.sops.yaml")" "$(grep 'age1' "$scratch/third/.sops.yaml")"
grep AGE-SECRET "$scratch/old-keys/identity.txt" >"$scratch/odd-keys/identity.txt"
exits "keys without a comment" 0 osm-gen init "$scratch/fourth" --keys "$scratch/odd-keys"
same "are as good" "$(grep 'age1' "$old/.sops.yaml")" "$(grep 'age1' "$scratch/fourth/.sops.yaml")"
echo '# nothing' >"$scratch/odd-keys/identity.txt"
exits "keys without an identity" 3 osm-gen init "$scratch/fifth" --keys "$scratch/odd-keys"
says "are refused" "identity.txt holds no identity"
same "and names their recipient" "$(grep 'age1' "$old/.sops.yaml")" "$(grep 'age1' "$scratch/second/.sops.yaml")"

# ---- places that do not do --------------------------------------------------------------------------------
mkdir -p "$old/deep/folder"
exits "within a repository" 3 osm-gen init "$old/deep/folder"
says "is said" "OSG9022"
git init -q --bare "$scratch/bare"
exits "a bare repository" 3 osm-gen init "$scratch/bare"
says "is said" "OSG9022"
touch "$scratch/file"
mkdir "$scratch/others-keys"
echo nonsense >"$scratch/others-keys/identity.txt"
for dir in "$scratch/fresh" "$scratch/fresh/deep/er"; do
	for place in "$dir/keys" "$old/keys" "$scratch/file/keys" "$scratch/others-keys"; do
		exits "keys at $place" 3 osm-gen init "$dir" --keys "$place"
		ok "no folder is left" test ! -e "$scratch/fresh"
	done
done
for place in "$scratch/fresh/keys" "$old/keys"; do
	exits "keys at $place" 3 osm-gen init "$scratch/fresh" --keys "$place"
	says "are refused" "OSG9021"
done
exits "no home" 3 env -u HOME "$scratch/bin/osm-gen" init "$scratch/fresh"
says "asks for --keys" "--keys"
ok "no folder is left" test ! -e "$scratch/fresh"
cd "$scratch" || exit 1
exits "a relative folder" 0 osm-gen init relative/folder/ --keys relative-keys
ok "is made" test -f "$scratch/relative/folder/osm-gen.yaml"
ok "with its keys" test -f "$scratch/relative-keys/seed.txt"
exits "a new folder within a repository" 3 osm-gen init "$old/deep/new"
says "is said" "OSG9022"
ok "is not made" test ! -e "$old/deep/new"
exits "a file" 3 osm-gen init "$scratch/file" --keys "$scratch/file-keys"
exits "a relative XDG_CONFIG_HOME" 0 env XDG_CONFIG_HOME=relative "$scratch/bin/osm-gen" init "$scratch/fresh"
ok "does not count" test -f "$HOME/.config/osm-gen/fresh/seed.txt"
exits "no folder" 64 osm-gen init
ok "help" bash -c "osm-gen help init | grep -q -- '--keys DIR'"
finish
