#!/usr/bin/env bash
# make recipes: every recipe of ci/recipes run as its runner would, against repositories that a host on loopback serves over TLS.
#   github     the composite action and both workflows, by github/runner.mjs: GitHub's own parser and expressions, its documented
#              semantics otherwise, stand-ins for checkout and upload-artifact; and actionlint
#   gitlab     the component, by gitlab-ci-local in its shell executor, with GitLab's schema
#   proposal   the pull request of a main branch that takes no push, as both forges have it
#   commits    servers with a DCO check and commitlint: plain pushes and proposals
#   pods       Tekton's Tasks and Argo's WorkflowTemplate: types, validation and replacement of parameters by their own code, the
#              scripts in a container made with namespaces
#   kubernetes the Jobs, by the types of Kubernetes' API, their scripts likewise
#   hooks      the hooks, by pre-commit
#   policy     the rules and schemas, by conftest and kubeconform
#   renovate   the rule, by the file matching and the regex manager of the package renovate, with its schema, and as RE2
# What is needed comes from npm, PyPI and Go's proxy, pinned with digests, and stays in build/recipes. With cold caches most of the
# time goes into compiling Argo's validation (some 110 s of processor time); the whole of renovate, with its 700 packages, would
# double what is downloaded, and is left out. tests/recipes/run.sh NAME... runs some of them.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/../cli/_lib.sh"
# shellcheck source=tests/recipes/_tools.sh
. "$(dirname "$0")/_tools.sh"

[ $# -gt 0 ] || set -- github gitlab proposal commits pods kubernetes hooks renovate policy
for recipe in "$@"; do
	echo "== $recipe"
	# shellcheck source=/dev/null
	. "$here/$recipe.sh"
done
finish
