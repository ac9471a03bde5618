# Sourced by run.sh: GitLab's component, included by a project's .gitlab-ci.yml, run by gitlab-ci-local in its shell executor,
# which checks it against GitLab's schema, too. Protected variables are given where GitLab would give them.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

mkdir -p "$scratch/image"
# gitlab-ci-local copies each checkout with it, for containers; there are none here.
printf '#!/bin/sh\n' >"$scratch/image/rsync"
chmod +x "$scratch/image/rsync"

# pipeline CLONE REF [NAME=VALUE...]: in a fresh checkout, detached as a runner's is, with what is in image/ on the path as in an image.
pipeline() {
	local from=$1 ref=$2 words=() one
	shift 2
	rm -rf "$scratch/builds"
	git init -q "$scratch/builds"
	git -C "$scratch/builds" remote add origin "$url/gitlab.git"
	git -C "$scratch/builds" fetch -q "file://$from" "$ref"
	git -C "$scratch/builds" checkout -q --detach FETCH_HEAD
	for one in "$@"; do words+=(--variable "$one"); done
	(cd "$scratch/builds" && "${clean[@]}" "PATH=$scratch/image:$PATH" node "$work/npm/node_modules/.bin/gitlab-ci-local" \
		--force-shell-executor --state-dir .git/local --home "$scratch" --variable "CI_SERVER_URL=$url" \
		--variable "CI_PROJECT_URL=$url/gitlab" --variable CI_DEFAULT_BRANCH=main "${words[@]}")
}
of_merge_request=(CI_PIPELINE_SOURCE=merge_request_event "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=$hostile_branch"
	"CI_MERGE_REQUEST_TITLE=$hostile_text" "CI_COMMIT_MESSAGE=$hostile_text" CI_COMMIT_REF_PROTECTED=false)
# As GitLab has them on a protected branch: what is of type File is a file outside of the checkout.
of_main=(CI_PIPELINE_SOURCE=push CI_COMMIT_BRANCH=main CI_COMMIT_REF_PROTECTED=true "CI_COMMIT_MESSAGE=$hostile_text"
	"OSM_GEN_SEAL_SEED_FILE=$root/tests/keys/TEST-ONLY-seed.txt" "SOPS_AGE_KEY_FILE=$SOPS_AGE_KEY_FILE"
	"OSM_GEN_RECIPIENTS_FILE=$scratch/recipients" "OSM_GEN_PUSH_TOKEN=$token")
# says PIPELINE JOB: it ran, alone
ran() { same "$1: the jobs" "$2" "$(sed 's/\x1b\[[0-9;]*m//g' "$scratch/out" | sed -n 's/^\(osm-gen-[a-z]*\) *starting .*/\1/p' | paste -sd' ')"; }

clone=$(hosted gitlab) || give_up "the sample fleet cannot be generated"
before=$(pushed gitlab)
git -C "$clone" checkout -q -b "$hostile_branch"
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
: >"$host/requests"
exits "a merge request" 0 pipeline "$clone" HEAD "${of_merge_request[@]}"
ran "a merge request" osm-gen-review
says "a merge request" "3 machines in 1 MachineDeployment roll"
ok "the page is an artifact" grep -qF "default-src 'none'" "$scratch/builds/osm-gen.html"
ok "Code Quality names the change" jq -e '.[] | select(.check_name == "rollout-ROLL")' "$scratch/builds/gl-code-quality-report.json"
same "main stays" "$before" "$(pushed gitlab)"
same "nobody asked to push" 0 "$(grep -c receive-pack "$host/requests")"
not_pwned "a merge request"
printf 'kind: MachineDeployment\nkind: twice\n' >"$clone/wrong.yaml"
commit_all "$clone" "wrong"
exits "wrong inputs" 1 pipeline "$clone" HEAD "${of_merge_request[@]}"
says "wrong inputs" OSG1003
exits "a branch that is not protected" 0 pipeline "$clone" main CI_PIPELINE_SOURCE=push CI_COMMIT_BRANCH=main CI_COMMIT_REF_PROTECTED=false
ran "a branch that is not protected" ""

downloads() { grep -c 'GET /public/releases/.*/osm-gen-.* 200' "$host/requests"; }
same "each job downloaded the release" 2 "$(downloads)"
cp "$program" "$scratch/image/osm-gen"
exits "an image with osm-gen" 1 pipeline "$clone" HEAD "${of_merge_request[@]}"
same "an image with osm-gen: that one runs" 2 "$(downloads)"
rm "$scratch/image/osm-gen"
for how in program digest signature; do
	serve $how
	exits "a forged release: $how" 1 pipeline "$clone" HEAD "${of_merge_request[@]}"
	says "a forged release: $how" "$(refusal $how)"
	not_pwned "a forged release: $how"
done

git -C "$clone" checkout -q main
raise_kubelet "$clone"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin main
exits "the default branch, a forged release" 1 pipeline "$clone" main "${of_main[@]}"
not_pwned "the default branch, a forged release"
serve genuine
want=$(expected "$clone")
refused=$(pushed gitlab)
exits "another token" 1 pipeline "$clone" main "${of_main[@]:0:7}" OSM_GEN_PUSH_TOKEN=another
says "another token" "error[OSG6045]"
same "another token pushes nothing" "$refused" "$(pushed gitlab)"
exits "the default branch" 0 pipeline "$clone" main "${of_main[@]}"
ran "the default branch" osm-gen-generate
same "pushes the commit that anybody's run makes" "$want" "$(pushed gitlab)"
same "no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token")"
not_pwned "the default branch"
# gitlab-ci-local makes no clone: that the job which has the secrets starts from nothing of another job's is read.
same "the default branch's job: a clone of its own, no cache, no artifacts" '["clone",[],[]]' \
	"$(python3 -c 'import json, sys, yaml; job = list(yaml.safe_load_all(sys.stdin))[1]["osm-gen-generate"]
print(json.dumps([job["variables"]["GIT_STRATEGY"], job["cache"], job["dependencies"]], separators=(",", ":")))' \
		<"$recipes/gitlab/templates/osm-gen/template.yml")"

# In parts: beside the component, whose other job is switched off. gitlab-ci-local runs the jobs of the matrix side by side, in one folder.
git -C "$clone" fetch -q origin && git -C "$clone" reset -q --hard origin/main
cat >>"$clone/.gitlab-ci.yml" <<'YAML'
  - local: templates/osm-gen-shards/template.yml
    inputs:
      shards: "2"
      numbers: ["1", "2"]
stages: [build, test, deploy]
osm-gen-generate: {rules: [{when: never}]}
YAML
sed -i 's/MaxPods: "58"/MaxPods: "67"/' "$clone/tests/fleet/prod-us-1/machinedeployments.yaml"
commit_all "$clone" "$hostile_text"
git -C "$clone" push -q origin main
want=$(expected "$clone")
exits "in parts" 0 pipeline "$clone" main "${of_main[@]}"
same "in parts: the jobs" "osm-gen-merge osm-gen-shard" \
	"$(sed 's/\x1b\[[0-9;]*m//g' "$scratch/out" | sed -n 's/^\(osm-gen-[a-z]*\).* starting .*/\1/p' | sort -u | paste -sd' ')"
same "in parts: pushes the commit that a single run makes" "$want" "$(pushed gitlab)"
same "in parts: no secret in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF -e "$OSM_GEN_SEAL_SEED" -e AGE-SECRET-KEY -e "$token")"
not_pwned "in parts"
