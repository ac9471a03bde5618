# Sourced by run.sh: Tekton's Tasks and Argo's WorkflowTemplate. go/ validates them with their own code, replaces parameters as their
# controllers do, and says what container comes of it; container.py runs its script in one: a root of its own that cannot be
# written, its user, no capability, and the volumes, with a clone and, where the recipe mounts it, the Secret.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

if ! unshare --mount true 2>/dev/null && ! unshare --mount --user --map-root-user true 2>/dev/null; then
	skip "this machine lets nobody make namespaces: no container for Tekton's and Argo's scripts"
	return
fi
volumes=$scratch/volumes
mkdir -p "$scratch/image" "$scratch/secret"
rm -f "$scratch/image/osm-gen"
grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt" >"$scratch/secret/seed"
cp "$SOPS_AGE_KEY_FILE" "$scratch/secret/identities"
cp "$scratch/recipients" "$scratch/secret/recipients"
printf '%s' "$token" >"$scratch/secret/token"

# pod KIND FILE NAME REF [NAME=VALUE...]: its steps one after the other; stderr of `exits` is theirs.
pod() {
	local kind=$1 file=$2 name=$3 ref=$4
	shift 4
	rm -rf "$volumes"
	mkdir -p "$volumes"/{source,report,keys,results,tools}
	"$work/bin/recipes" "$kind" "$file" "$name" "$@" >"$scratch/steps.json" || return 99
	git init -q "$volumes/source"
	git -C "$volumes/source" fetch -q "file://$host/pods.git" "$ref"
	git -C "$volumes/source" checkout -q --detach FETCH_HEAD
	cp "$scratch"/secret/* "$volumes/keys/"
	"${clean[@]}" python3 "$here/container.py" "$scratch/steps.json" "$scratch/image" "$volumes" "$scratch/ca.pem"
}

tasks=$recipes/tekton/tasks.yaml
template=$recipes/argo/workflowtemplate.yaml
: >"$scratch/none"
clone=$(hosted pods) || give_up "the sample fleet cannot be generated"
git -C "$clone" checkout -q -b "$hostile_branch"
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin HEAD:refs/heads/proposal
git -C "$clone" checkout -q main
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
before=$(pushed pods)
want=$(expected "$clone")

review() { # NAME KIND FILE TASK RESULT [NAME=VALUE...]
	local name=$1 kind=$2 file=$3 task=$4 result=$5
	shift 5
	: >"$host/requests"
	exits "$name" 0 pod "$kind" "$file" "$task" proposal "$@"
	says "$name" "3 machines in 1 MachineDeployment roll"
	same "$name: the result" true "$(cat "$volumes/$result" 2>/dev/null)"
	ok "$name: the page" grep -qF "default-src 'none'" "$volumes/report/osm-gen.html"
	same "$name: no key is mounted" "" "$(jq -r '.[].mounts[] | select(.name == "keys") | .path' "$scratch/steps.json")"
	same "$name: no key is named" "" "$(jq -r '.[].env | keys[]' "$scratch/steps.json" | grep -E 'SEED|SOPS')"
	same "$name: main stays" "$before" "$(pushed pods)"
	not_pwned "$name"
}
# Only what CI names itself is a parameter that a stranger may choose: a ref, or the output folder of the trigger's.
review "Tekton, a proposal" tekton "$tasks" osm-gen-review results/changed
review "Argo, a proposal" argo "$template" review report/changed "url=$url/pods.git" revision=refs/heads/proposal
# Argo's clone has branches and tags; the ref of a pull request has to be fetched by name.
fetched=$(jq -r '.[-1].checkout.fetch' "$scratch/steps.json")
git init -q "$scratch/fetched"
ok "Argo fetches the proposal" git -C "$scratch/fetched" fetch -q "file://$host/pods.git" "$fetched"
same "and looks at it" "$(git -C "$host/pods.git" rev-parse proposal)" \
	"$(git -C "$scratch/fetched" rev-parse "$(jq -r '.[-1].checkout.revision' "$scratch/steps.json")")"
exits "Tekton, a hostile parameter" 2 pod tekton "$tasks" osm-gen-review proposal "out=$hostile_text"
not_pwned "Tekton, a hostile parameter"
exits "Argo, a hostile parameter" 2 pod argo "$template" review proposal "url=$url/pods.git" "revision=$hostile_branch" "out=$hostile_text"
not_pwned "Argo, a hostile parameter"

cp "$program" "$scratch/image/osm-gen"
: >"$host/requests"
exits "Tekton, an image with osm-gen" 0 pod tekton "$tasks" osm-gen-review proposal
exits "Argo, an image with osm-gen" 0 pod argo "$template" review proposal "url=$url/pods.git"
same "an image with osm-gen: nothing is downloaded" 0 "$(grep -c /public/ "$host/requests")"
rm "$scratch/image/osm-gen"

generate() { # NAME KIND FILE TASK RESULT [NAME=VALUE...]
	local name=$1 kind=$2 file=$3 task=$4 result=$5
	shift 5
	git -C "$clone" push -q -f origin main
	for how in program digest signature; do
		serve $how
		exits "$name, a forged release: $how" 1 pod "$kind" "$file" "$task" main "$@"
		says "$name, a forged release: $how" "$(refusal $how)"
		not_pwned "$name, a forged release: $how"
	done
	serve genuine
	same "$name, a forged release: nothing is pushed" "$(git -C "$clone" rev-parse main)" "$(pushed pods)"
	exits "$name" 0 pod "$kind" "$file" "$task" main "$@"
	same "$name: pushes the commit that anybody's run makes" "$want" "$(pushed pods)"
	same "$name: the result" "$want" "$(cat "$volumes/$result" 2>/dev/null)"
	same "$name: no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token")"
	same "$name: no token in the clone" "" "$(grep -rl "$token" "$volumes/source")"
	not_pwned "$name"
	exits "$name: a hostile branch" 64 pod "$kind" "$file" "$task" main "$@" "branch=$hostile_text"
	says "$name: a hostile branch" "cannot name a branch"
	not_pwned "$name: a hostile branch"
}
generate "Tekton, the main branch" tekton "$tasks" osm-gen-generate results/commit "url=$url/pods.git"
generate "Argo, the main branch" argo "$template" generate report/commit "url=$url/pods.git"
for entrypoint in review generate; do
	"$work/bin/recipes" argo "$template" $entrypoint image=x url=x >"$scratch/steps.json"
	same "Argo, $entrypoint: nobody's submodules are fetched" false "$(jq -r '.[-1].checkout.submodules' "$scratch/steps.json")"
done
for task in "tekton $tasks osm-gen-review" "tekton $tasks osm-gen-generate" "argo $template review" "argo $template generate"; do
	# shellcheck disable=SC2086,SC2046 # words
	"$work/bin/recipes" $task image=x $(grep -q review <<<"${task/argo*/}" || echo url=x) >"$scratch/steps.json"
	same "$task is confined" $'65534 true false ALL\n65532 true false ALL' \
		"$(jq -r '.[] | "\(.user) \(.readOnlyRoot) \(.escalation) \(.dropped | join(" "))"' "$scratch/steps.json")"
done

# What these checks are worth: mistakes that a linter of YAML does not see.
sed 's/timeout: 10m/timeouts: 10m/' "$tasks" >"$scratch/wrong.yaml"
exits "Tekton's types know their members" 1 "$work/bin/recipes" tekton "$scratch/wrong.yaml" osm-gen-review image=x
sed 's/params.out/params.nobody/' "$tasks" >"$scratch/wrong.yaml"
exits "Tekton knows the parameters" 1 "$work/bin/recipes" tekton "$scratch/wrong.yaml" osm-gen-review image=x
sed 's/workflow.parameters.out/workflow.parameters.nobody/' "$template" >"$scratch/wrong.yaml"
exits "Argo knows the parameters" 1 "$work/bin/recipes" argo "$scratch/wrong.yaml" review image=x url=x
# shellcheck disable=SC2016 # not for this shell
sed 's|osm-gen diff|echo {{workflow.parameters.revision}}; osm-gen diff|' "$template" >"$scratch/wrong.yaml"
exits "a parameter in a script is seen" 1 "$work/bin/recipes" argo "$scratch/wrong.yaml" review image=x url=x
