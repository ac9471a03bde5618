#!/usr/bin/env bash
# Repositories as earlier versions left them (tests/upgrade), upgraded as docs/howto/upgrade.md and the changelog describe.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

# The repository that VERSION left, its output committed as that version did; prints its path.
left_by() { # VERSION NAME
	local folder=$scratch/$2 from=$root/tests/upgrade/$1
	cp -r "$from/repo" "$folder"
	mv "$folder/out" "$scratch/out-of-$2"
	git -C "$folder" -c init.defaultBranch=main init -q
	commit_all "$folder" "inputs"
	mv "$scratch/out-of-$2" "$folder/out"
	git -C "$folder" add -A
	sed "s/^Osm-Gen-Source: .*/Osm-Gen-Source: $(git -C "$folder" rev-parse HEAD)/" "$from/message" |
		GIT_AUTHOR_NAME=osm-gen GIT_AUTHOR_EMAIL=osm-gen@localhost git -C "$folder" commit -q -F -
	echo "$folder"
}
# What a sealed file of a commit holds.
opened() { # REPO COMMIT PATH
	git -C "$1" show "$2:$3" >"$scratch/sealed.yaml" && "$program" unseal "$scratch/sealed.yaml"
}

# ---- 0.1.0: one run with --rotate-recipients ----------------------------------------------------------------------------------
repo=$(left_by 0.1.0 plain)
old=$(git -C "$repo" rev-parse HEAD)
exits "0.1.0: a run without a word" 2 "$program" generate --repo "$repo"
says "0.1.0: is refused" "error[OSG5071]"
says "0.1.0: with the remedy" "run with --rotate-recipients once"
same "0.1.0: nothing moved" "$old" "$(git -C "$repo" rev-parse HEAD)$(git -C "$repo" status --porcelain)"
exits "0.1.0: the plan" 0 "$program" plan --rotate-recipients -o json --repo "$repo"
same "0.1.0: no machine is replaced" '{"NEW-NODES-ONLY":1}' \
	"$(jq -c '.classes | with_entries(select(.value.units > 0) | .value = .value.units)' "$scratch/out")"
exits "0.1.0: rotate-recipients" 0 "$program" generate --rotate-recipients --repo "$repo"
says "0.1.0: the class" "NEW-NODES-ONLY: profile version v1.2.0 -> "
for secret in kube-system/secret-bootstrap-token-4h7f8c cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config; do
	same "0.1.0: $secret stays, so nodes that join now still can" "" "$(git -C "$repo" diff --name-only "$old" HEAD -- "out/prod/worker/$secret.yaml")"
done
same "0.1.0: no file goes, none is new" "" "$(git -C "$repo" diff --diff-filter=AD --name-only "$old" HEAD)"
bootstrap=out/prod/worker/cloud-init-settings/secret-workers-kube-system-bootstrap-config.yaml
ok "0.1.0: the revision stays" grep -q 'machine-deployment-revision: "1"' <(opened "$repo" HEAD "$bootstrap")
ok "0.1.0: and was that" grep -q 'machine-deployment-revision: "1"' <(opened "$repo" "$old" "$bootstrap")
exits "0.1.0: check" 0 "$program" check --repo "$repo"
exits "0.1.0: verify" 0 "$program" verify --repo "$repo"
new=$(git -C "$repo" rev-parse HEAD)
exits "0.1.0: the next run" 0 "$program" generate --repo "$repo"
same "0.1.0: has nothing to commit" "$new" "$(git -C "$repo" rev-parse HEAD)"
exits "0.1.0: the contract" 0 "$program" upgrade --repo "$repo"
same "0.1.0: is one line" "+  contract: $("$program" version -o json | jq .contracts.newest)" \
	"$(git -C "$repo" diff --unified=0 | grep '^[-+][^-+]')"
commit_all "$repo" "contract"
exits "0.1.0: and the same bytes" 0 "$program" check --repo "$repo"

# ---- 0.1.0: where CI holds the list of who may read ----------------------------------------------------------------------------
repo=$(left_by 0.1.0 list)
printf 'prod %s\n' "$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")" >"$scratch/recipients"
exits "0.1.0: with the list nothing else is needed" 0 "$program" generate --allow-recipients "$scratch/recipients" --repo "$repo"
same "0.1.0: the same output" "$(git -C "$scratch/plain" rev-parse "$new:out")" "$(git -C "$repo" rev-parse HEAD:out)"
finish
