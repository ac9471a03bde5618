# Sourced by run.sh: the Jobs of Kubernetes that render parts and merge them. go/ reads them by the types of Kubernetes' API; each
# container's script runs as in pods.sh, the Indexed Job's once for each index, with one volume for all.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

if ! unshare --mount true 2>/dev/null && ! unshare --mount --user --map-root-user true 2>/dev/null; then
	skip "this machine lets nobody make namespaces: no container for the scripts of Kubernetes' Jobs"
	return
fi
volumes=$scratch/volumes
mkdir -p "$scratch/image" "$scratch/secret"
rm -f "$scratch/image/osm-gen"
grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt" >"$scratch/secret/seed"
cp "$SOPS_AGE_KEY_FILE" "$scratch/secret/identities"
cp "$scratch/recipients" "$scratch/secret/recipients"
printf '%s' "$token" >"$scratch/secret/token"
jobs=$recipes/kubernetes/shards.yaml

# job NAME COMMIT [NAME=VALUE...]: a pod of it, with volumes of its own but for the parts
job() {
	local name=$1 commit=$2
	shift 2
	rm -rf "$volumes"/{work,keys,results,tools}
	mkdir -p "$volumes"/{work,keys,results,tools,parts}
	cp "$scratch"/secret/* "$volumes/keys/"
	"$work/bin/recipes" job "$jobs" "$name" "URL=$url/kubernetes.git" "COMMIT=$commit" BRANCH=main "$@" >"$scratch/steps.json" || return 99
	"${clean[@]}" python3 "$here/container.py" "$scratch/steps.json" "$scratch/image" "$volumes" "$scratch/ca.pem"
}

rm -rf "$volumes"
clone=$(hosted kubernetes) || give_up "the sample fleet cannot be generated"
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin main
source=$(git -C "$clone" rev-parse HEAD)
want=$(expected "$clone")
for how in program digest signature; do
	serve $how
	exits "Kubernetes, a forged release: $how" 1 job osm-gen-shards "$source" JOB_COMPLETION_INDEX=0
	says "Kubernetes, a forged release: $how" "$(refusal $how)"
	not_pwned "Kubernetes, a forged release: $how"
done
serve genuine
: >"$host/requests"
completions=$(sed -n 's/^  completions: //p' "$jobs")
for ((index = 0; index < completions - 1; index++)); do
	exits "Kubernetes, index $index" 0 job osm-gen-shards "$source" JOB_COMPLETION_INDEX="$index"
done
same "no part pushes" 0 "$(grep -c 'POST.*receive-pack' "$host/requests")"
exits "Kubernetes, a part is missing" 3 job osm-gen-merge "$source"
says "Kubernetes, a part is missing" "error[OSG6071]: of $completions shards 1 is missing: $completions"
exits "Kubernetes, the last index" 0 job osm-gen-shards "$source" JOB_COMPLETION_INDEX=$((completions - 1))
exits "Kubernetes, merge" 0 job osm-gen-merge "$source"
same "Kubernetes: pushes the commit that a single run makes" "$want" "$(pushed kubernetes)"
same "Kubernetes: no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token")"
same "Kubernetes: no token in the clone" "" "$(grep -rl "$token" "$volumes/work")"
same "Kubernetes: the parts are removed" "" "$(ls "$volumes/parts")"
not_pwned "Kubernetes"
for name in osm-gen-shards osm-gen-merge; do
	"$work/bin/recipes" job "$jobs" $name >"$scratch/steps.json"
	same "$name is confined" $'65534 true false ALL\n65532 true false ALL' \
		"$(jq -r '.[] | "\(.user) \(.readOnlyRoot) \(.escalation) \(.dropped | join(" "))"' "$scratch/steps.json")"
done
sed 's/completionMode: Indexed/completionModes: Indexed/' "$jobs" >"$scratch/wrong.yaml"
exits "Kubernetes' types know their members" 1 "$work/bin/recipes" job "$scratch/wrong.yaml" osm-gen-shards
sed 's/completions: 7/completions: 8/' "$jobs" >"$scratch/wrong.yaml"
exits "the number of parts is that of completions" 1 "$work/bin/recipes" job "$scratch/wrong.yaml" osm-gen-shards
