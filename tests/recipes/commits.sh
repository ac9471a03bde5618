# Sourced by run.sh: servers that look at commits. git's http-backend behind a token, whose hooks are a DCO check and the published
# commitlint with its rules for Conventional Commits; plain pushes and proposals, without and with the words of docs/howto/push.md.
# shellcheck shell=bash disable=SC2154 # _lib.sh's and _tools.sh's

# Hooks as a forge has them: each new commit of who comes by HTTP.
served=$host/commits.git
git init -q --bare -b main "$served"
cat >"$served/hooks/update" <<HOOK
#!/bin/sh
[ -n "\$REMOTE_USER" ] || exit 0
for commit in \$(git rev-list "\$3" --not --all); do
	git log -1 --format=%B "\$commit" | node "$work/npm/node_modules/.bin/commitlint" --cwd "$work/npm" --extends @commitlint/config-conventional >&2 || exit 1
	author=\$(git log -1 --format='%an <%ae>' "\$commit")
	git log -1 --format=%B "\$commit" | git interpret-trailers --parse | grep -qxF "Signed-off-by: \$author" || { echo "DCO: \$author has not signed off \$commit" >&2; exit 1; }
done
HOOK
chmod +x "$served/hooks/update"
clone=$(fleet commits)
git -C "$clone" remote add origin "$served"
# Warnings, which the commits record.
for name in first second third; do
	printf 'apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\n' >"$clone/$name-machinedeployment.yaml.txt"
done
commit_all "$clone" "manifests with a name that osm-gen does not read"
git -C "$clone" push -q origin main

# shellcheck disable=SC2016 # no expression, a fence of Markdown
sed -n '/^## Words that the server asks for/,/^## /p' "$root/docs/howto/push.md" | sed -n '/^```yaml/,/^```/p' | grep -v '^```' >"$scratch/words.yaml"
worded() { # KEY...: the Fleet words its commits with these members of the document's example
	python3 - "$clone/osm-gen.yaml" "$scratch/words.yaml" "$@" <<'PY'
import sys
import yaml
file, words, *keys = sys.argv[1:]
fleet, words = yaml.safe_load(open(file)), yaml.safe_load(open(words))["spec"]["commit"]
fleet["spec"]["commit"] = {key: words[key] for key in keys}
yaml.safe_dump(fleet, open(file, "w"), sort_keys=False)
PY
	git -C "$clone" commit -q -a -m "words: $*"
	git -C "$clone" push -q origin main
}
push_as_job() { # BRANCH [TOKEN]: in a clone of a job's own
	rm -rf "$scratch/job"
	git clone -q "file://$served" "$scratch/job"
	git -C "$scratch/job" remote set-url origin "$url/commits.git"
	"${clean[@]}" "OSM_GEN_SEAL_SEED=$OSM_GEN_SEAL_SEED" GIT_CONFIG_COUNT=1 "GIT_CONFIG_KEY_0=http.$url/.extraheader" \
		"GIT_CONFIG_VALUE_0=Authorization: Basic $(printf 'bot:%s' "${2-$token}" | base64 -w 0)" \
		"$program" generate --repo "$scratch/job" --push origin --branch "$1"
}
refused() { # NAME BRANCH WORDS
	local before
	before=$(git -C "$served" for-each-ref)
	exits "$1" 3 push_as_job "$2"
	says "$1" "error[OSG6045]"
	says "$1: in the server's words" "$3"
	same "$1: nothing is pushed" "$before" "$(git -C "$served" for-each-ref)"
	same "$1: no token in the log" 0 "$(cat "$scratch/out" "$scratch/err" | grep -cF "$token")"
}

for branch in main osm-gen/main; do
	worded author
	refused "$branch, osm-gen's own words" "$branch" "type may not be empty [type-empty]"
	worded author subject
	refused "$branch, a subject alone" "$branch" "DCO: Fleet Bot <bot@example.com> has not signed off"
	worded author trailers
	refused "$branch, trailers alone" "$branch" "subject may not be empty [subject-empty]"
	worded author subject trailers
	exits "$branch, another token" 3 push_as_job "$branch" another
	exits "$branch, the words that are asked for" 0 push_as_job "$branch"
	newest=$(git -C "$served" log -1 --format=%B "$branch")
	same "$branch, the words that are asked for: the commit" "$(git -C "$scratch/job" rev-parse "$branch")" "$(git -C "$served" rev-parse "$branch")"
	ok "$branch, warnings" grep -q '^Osm-Gen-Warnings: ' <<<"$newest"
	ok "$branch, a line was too long" grep -qE '^  [^ ]' <<<"$newest"
	exits "$branch, again" 0 push_as_job "$branch"
	says "$branch, again" "nothing to push"
	git -C "$served" update-ref -d refs/heads/osm-gen/main
	# The next branch begins with another first output.
	git -C "$clone" fetch -q origin && git -C "$clone" reset -q --hard origin/main
	git -C "$clone" rm -q -r --ignore-unmatch out
	git -C "$clone" commit -q --allow-empty -m "without the output"
done
