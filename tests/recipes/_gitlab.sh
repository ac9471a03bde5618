# Sourced by gitlab.sh and proposal.sh: runs a pipeline of GitLab's by gitlab-ci-local in its shell executor.
# shellcheck shell=bash disable=SC2154,SC2034 # _lib.sh's and _tools.sh's; who sources this file reads what is set here

mkdir -p "$scratch/image"
# gitlab-ci-local copies each checkout with it, for containers; there are none here.
printf '#!/bin/sh\n' >"$scratch/image/rsync"
chmod +x "$scratch/image/rsync"

project=gitlab # its repository on the host
# pipeline CLONE REF [NAME=VALUE...]: in a fresh checkout, detached as a runner's is, with what is in image/ on the path as in an image.
pipeline() {
	local from=$1 ref=$2 words=() one
	shift 2
	rm -rf "$scratch/builds"
	git init -q "$scratch/builds"
	git -C "$scratch/builds" remote add origin "$url/$project.git"
	git -C "$scratch/builds" fetch -q "file://$from" "$ref"
	git -C "$scratch/builds" checkout -q --detach FETCH_HEAD
	for one in "$@"; do words+=(--variable "$one"); done
	(cd "$scratch/builds" && "${clean[@]}" "PATH=$scratch/image:$PATH" node "$work/npm/node_modules/.bin/gitlab-ci-local" \
		--force-shell-executor --state-dir .git/local --home "$scratch" --variable "CI_SERVER_URL=$url" \
		--variable "CI_PROJECT_URL=$url/$project" --variable CI_DEFAULT_BRANCH=main "${words[@]}")
}
of_merge_request=(CI_PIPELINE_SOURCE=merge_request_event "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=$hostile_branch"
	"CI_MERGE_REQUEST_TITLE=$hostile_text" "CI_COMMIT_MESSAGE=$hostile_text" CI_COMMIT_REF_PROTECTED=false)
# As GitLab has them on a protected branch: what is of type File is a file outside of the checkout.
of_main=(CI_PIPELINE_SOURCE=push CI_COMMIT_BRANCH=main CI_COMMIT_REF_PROTECTED=true "CI_COMMIT_MESSAGE=$hostile_text"
	"OSM_GEN_SEAL_SEED_FILE=$root/tests/keys/TEST-ONLY-seed.txt" "SOPS_AGE_KEY_FILE=$SOPS_AGE_KEY_FILE"
	"OSM_GEN_RECIPIENTS_FILE=$scratch/recipients" "OSM_GEN_PUSH_TOKEN=$token")
