#!/usr/bin/env bash
# A dialect that nothing but toy.c names gets all that the pipeline has: toy.c is linked in place of
# the registry into osm-gen-toy, and its units stand beside MachineDeployments.
# Needs: build/asan/osm-gen-toy
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"
program=${TOY_PROGRAM:-$root/build/${OSM_GEN_TEST_BUILD:-asan}/osm-gen-toy}
password=pass-word-of-the-toy-91

repo=$scratch/repo
mkdir -p "$repo/clusters/one"
cp "$root/osm-gen.yaml" "$repo/"
cat >"$repo/clusters/one/osm-gen.yaml" <<'END'
apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {name: one}
spec: {settings: {toySign: "?"}}
END
greeting() { # NAME TEXT
	cat <<END
apiVersion: toy.example/v1
kind: Greeting
metadata: {name: $1, namespace: demo}
spec:
  text: $2
  secretName: password
---
END
}
{ greeting hello "good morning"; greeting other "good night"; } >"$repo/clusters/one/greetings.yaml"
cat >"$repo/clusters/one/secret.yaml" <<END
apiVersion: v1
kind: Secret
metadata: {name: password, namespace: demo}
stringData: {password: $password}
END
git -C "$repo" -c init.defaultBranch=main init -q
commit_all "$repo" inputs

out=$repo/out/one
index() { python3 -c "import json,sys; f=json.load(open('$out/index.json'))['files']; print($1)"; }

exits "generate" 0 "$program" --repo "$repo"
says "its units are named by their kind" "2 Greetings"
says "rows" "one/demo/hello, "
ok "a config on the management side" grep -q 'greeting: "\?good morning <sealed:demo/password:password>?' "$out/management/demo/configmap-hello.yaml"
ok "a sealed Secret on the worker side" grep -q 'greeting: ENC\[' "$out/worker/demo/secret-hello.yaml"
exits "it opens again" 0 "$program" unseal "$out/worker/demo/secret-hello.yaml"
ok "with its text" grep -q "$(printf 'good morning %s?' "$password" | base64)" "$scratch/out"
ok "kustomizations list them" grep -q configmap-other "$out/management/kustomization.yaml"
ok "no secret in the clear" test -z "$(grep -r "$password" "$repo/out")"
same "the index has units" "Greeting demo/hello" \
	"$(index "[' '.join([x['unit']['kind'], x['unit']['namespace'] + '/' + x['unit']['name']]) for x in f if x['path'] == 'worker/demo/secret-hello.yaml'][0]")"
same "roles" "bootstrap config" "$(index "' '.join(sorted({x['role'] for x in f if 'unit' in x}))")"
same "sizes" "$(printf 'good morning %s?' "$password" | wc -c) of 1024" \
	"$(index "['%d of %d' % (x['userData']['bytes'], x['userData']['budget']) for x in f if 'userData' in x and x['unit']['name'] == 'hello'][0]")"
ok "the subject counts them" grep -q 'add 2 Greetings' <(git -C "$repo" log -1 --format=%s)
exits "a second run has nothing to do" 0 "$program" --repo "$repo"
says "it" "is up to date"
exits "check agrees" 0 "$program" check --repo "$repo"
exits "render prints the config" 0 "$program" render --repo "$repo" --machine-deployment one/demo/hello --print osc
ok "redacted" grep -q '<sealed:demo/password:password>' "$scratch/out"
exits "render prints user-data" 0 "$program" render --repo "$repo" --machine-deployment demo/hello --print bootstrap --reveal
same "revealed" "good morning $password?" "$(cat "$scratch/out")"
exits "what it does not have" 2 "$program" render --repo "$repo" --machine-deployment demo/hello --print provisioning
says "it" "has no provisioning to print"

exits "its setting is a flag" 1 "$program" diff --repo "$repo" --toy-sign .
ok "and changes clear and sealed files" grep -q 'sealed values differ' "$scratch/out"
exits "help lists it" 0 "$program" help --all generate
ok "with its text" grep -q 'toy-sign TEXT' "$scratch/out"
sed -i 's/toySign: "?"/toySign: 7/' "$repo/clusters/one/osm-gen.yaml"
exits "a wrong setting in a file" 2 "$program" validate --worktree --repo "$repo"
says "is shown at its place" "clusters/one/osm-gen.yaml:4:28: error[OSG2107]"
git -C "$repo" checkout -q clusters

sed -i 's/secretName: password/secretName: nothing/' "$repo/clusters/one/greetings.yaml"
exits "an error" 2 "$program" check --worktree --repo "$repo" --report "json=$scratch/r.json" \
	--report "sarif=$scratch/r.sarif" --report "junit=$scratch/r.xml" --report "markdown=$scratch/r.md"
says "names place and object" "clusters/one/greetings.yaml:5:9: error"
says "and cluster" "in Greeting demo/hello, cluster one"
ok "JSON names the object" grep -q '"object": "Greeting demo/hello"' "$scratch/r.json"
git -C "$repo" checkout -q clusters

for format in json sarif junit markdown; do
	exits "report $format" 0 "$program" check --repo "$repo" --report "$format=$scratch/report.$format"
done
ok "JSON has its units" grep -q '"kind": "Greeting"' "$scratch/report.json"
ok "JUnit has its cases" grep -q 'demo/hello' "$scratch/report.junit"

# A leak: the name of the ConfigMap is written in clear.
greeting "$password" text >>"$repo/clusters/one/greetings.yaml"
commit_all "$repo" leak
exits "the leak scan stops" 2 "$program" --repo "$repo"
says "it" "would hold the secret demo/password:password"
git -C "$repo" reset -q --hard HEAD~1

greeting hello "good morning" >"$repo/clusters/one/greetings.yaml"
commit_all "$repo" "one less"
exits "pruning" 0 "$program" --repo "$repo"
says "reports the unit" "one/demo/other, number of machines unknown: clusters/one/greetings.yaml no longer has it"
ok "and removes its files" test ! -e "$out/worker/demo/secret-other.yaml"

# A live cluster: what its own controller made, in capitals, which only the toy's own hook takes for equal.
cat >"$scratch/toy.py" <<'PY'
import base64
import sys

password, committed, changes = sys.argv[1], sys.argv[2], sys.argv[3:]
text = f"good morning {password}?"
shown = committed if committed else text.upper()
if "other" in changes:
    shown = "GOOD EVENING"
if "sealed" in changes:
    text = "good evening"
greeting = base64.b64encode(text.encode()).decode()
print(f"""apiVersion: v1
kind: List
items:
- apiVersion: toy.example/v1
  kind: Greeting
  metadata: {{name: hello, namespace: demo, uid: 1-2-3, resourceVersion: "7"}}
  spec: {{text: good morning, secretName: password, other: x}}
  status: {{said: true}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {{name: hello, namespace: demo}}
  data: {{greeting: "{shown}"}}
- apiVersion: v1
  kind: Secret
  type: toy.example/greeting
  metadata: {{name: hello, namespace: demo}}
  data: {{greeting: {greeting}}}
- apiVersion: v1
  kind: Secret
  metadata: {{name: password, namespace: demo}}
  data: {{password: {base64.b64encode(password.encode()).decode()}}}""")
if "more" in changes:
    print("""- apiVersion: toy.example/v1
  kind: Greeting
  metadata: {name: gone, namespace: demo}
- apiVersion: v1
  kind: Secret
  type: toy.example/greeting
  metadata: {name: gone, namespace: demo}""")
PY
live() { # COMMITTED CHANGE...: the text of the ConfigMap, or empty for the controller's
	python3 "$scratch/toy.py" "$password" "$@" >"$scratch/live.yaml"
}
line() { ok "$1" grep -qxF -- "$2" "$scratch/out"; }

live ""
exits "compare" 0 "$program" compare --repo "$repo" --live "$scratch/live.yaml" -v
line "asks the toy's own hook" "equal: ConfigMap demo/hello"
line "Secrets are compared" "equal: Secret demo/hello"
line "what it ignores is listed" "  whether a greeting is shouted"
same "and no MachineDeployment is named" "" "$(grep MachineDeployment "$scratch/out")"
live "" other sealed more
exits "compare: a difference" 1 "$program" compare --repo "$repo" --live "$scratch/live.yaml"
line "is found by the toy's hook" "differs: ConfigMap demo/hello, first in data.greeting"
line "and in the Secret" "differs: Secret demo/hello, first in data.greeting"
line "as is what is live only" "only live: Greeting demo/gone"
line "with its Secret" "only live: Secret demo/gone"

exits "a last run" 0 "$program" --repo "$repo"
live "good morning <sealed:$(sed -n 's/.*<sealed:\(.*\)>.*/\1/p' "$out/management/demo/configmap-hello.yaml")>?"
exits "observe" 0 "$program" observe --repo "$repo" "$scratch/live.yaml" -v
line "objects are as committed" "as committed: ConfigMap demo/hello"
same "a unit without machines is an input, which the cluster need not have" "" "$(grep Greeting "$scratch/out")"
exits "observe, as JSON" 0 "$program" observe --repo "$repo" "$scratch/live.yaml" -o json
ok "names no unit" grep -q '"machineDeployments": \[\]' "$scratch/out"
live "" other more
exits "observe: a difference" 1 "$program" observe --repo "$repo" "$scratch/live.yaml"
line "is found by the toy's hook" "with another content: ConfigMap demo/hello, first in data.greeting"
line "what is live only, too" "only live: Greeting demo/gone"

fleet=$scratch/adopting
mkdir "$fleet"
git -C "$fleet" -c init.defaultBranch=main init -q
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {sealing: {recipients: [%s]}}\n' \
	"$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")" >"$fleet/osm-gen.yaml"
live ""
cd "$fleet" || exit 1
exits "adopt" 0 "$program" adopt "$scratch/live.yaml" --cluster one --into clusters/one
says "takes its units" "Greeting demo/hello"
says "leaves out what is made of them" "1 Secret that the controller made: osm-gen makes them"
same "its files" "clusters/one/demo/greeting-hello.yaml clusters/one/demo/secret-password.yaml clusters/one/osm-gen.yaml osm-gen.yaml" \
	"$(find . -name '*.yaml' ! -path './.git/*' | sed 's/..//' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
same "the fields that it reads" "" "$(grep -E 'uid|resourceVersion|status|other' clusters/one/demo/greeting-hello.yaml)"
same "no secret in the clear" "" "$(grep -rF "$password" clusters)"
commit_all . "adopt one"
exits "and it renders" 0 "$program" generate
ok "the same" grep -q 'greeting: "\?good morning <sealed:demo/password:password' out/one/management/demo/configmap-hello.yaml

# Nothing else names it.
same "no other file names it" "" \
	"$(cd "$root" && git grep -liE 'toy_dialect|toy\.example' -- src cmd ci tests Makefile ':!tests/dialect' | tr '\n' ' ')"
ok "it is one file of at most 220 lines" test "$(wc -l <"$root/tests/dialect/toy.c")" -le 220
finish
