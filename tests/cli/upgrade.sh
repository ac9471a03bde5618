#!/usr/bin/env bash
# `osm-gen upgrade`: the plan, the one number that it writes, and where it refuses. What a second contract
# does is tests/cli/output_contract_next.sh's.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

newest=$("$program" version -o json | jq .contracts.newest)
state() { git -C "$repo" rev-parse HEAD && git -C "$repo" status --porcelain; }
changed() { git -C "$repo" diff --unified=0 | grep '^[-+][^-+]'; }

repo=$(fleet plain)
exits "generate" 0 "$program" --repo "$repo"
before=$(state)
exits "dry run" 0 "$program" upgrade --dry-run --repo "$repo"
ok "the plan is printed" grep -q "^no machine is replaced, and no user-data changes" "$scratch/out"
says "and that it was one" "nothing was written"
same "nothing was" "$before" "$(state)"

exits "upgrade" 0 "$program" upgrade --repo "$repo"
ok "the plan, again" grep -q "^no machine is replaced, and no user-data changes" "$scratch/out"
says "what to do next" "osm-gen.yaml has contract $newest now: review the plan, commit the file, run \`osm-gen generate\`"
same "one line was added" "+  contract: $newest" "$(changed)"
exits "not committed yet" 3 "$program" upgrade --repo "$repo"
says "the file differs" "error[OSG2050]: osm-gen.yaml of the working tree differs from HEAD's"
exits "a plan of HEAD all the same" 0 "$program" upgrade --dry-run -o json --repo "$repo"
ok "as JSON" jq -e '.units | length > 0' "$scratch/out"
commit_all "$repo" "contract $newest"
exits "the same bytes" 0 "$program" check --repo "$repo"
before=$(state)
exits "already there" 0 "$program" upgrade --repo "$repo"
same "no plan" "" "$(cat "$scratch/out")"
says "said" "contract $newest holds already"
exits "the same, named" 0 "$program" upgrade --to "$newest" --repo "$repo"
same "nothing was written" "$before" "$(state)"

# ---- refused ------------------------------------------------------------------------------------------
exits "no such contract" 64 "$program" upgrade --to $((newest + 1)) --repo "$repo"
says "which there are" "to $newest"
exits "no number" 64 "$program" upgrade --to newest --repo "$repo"
exits "of the working tree" 64 "$program" upgrade --worktree --repo "$repo"
exits "of another commit" 64 "$program" upgrade --rev HEAD~1 --repo "$repo"
sed -i "s/contract: $newest/contract: 99/" "$repo/osm-gen.yaml"
commit_all "$repo" "from a newer one"
exits "never lowered" 64 "$program" upgrade --repo "$repo"
says "why" "osm-gen.yaml has contract 99, above $newest"
exits "nor generated" 2 "$program" --repo "$repo"
says "an unknown one" "osm-gen.yaml:5:13: error[OSG2048]: this osm-gen does not know contract 99"
git -C "$repo" reset -q --hard HEAD~2
git clone -q --bare "$repo" "$scratch/bare"
exits "bare" 3 "$program" upgrade --repo "$scratch/bare"
says "there is no file to write" "no working tree"
exits "the plan of a bare one" 0 "$program" upgrade --dry-run --repo "$scratch/bare"
printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: &s {}\nmetadata: {name: all, labels: *s}\n' >"$repo/osm-gen.yaml"
commit_all "$repo" "shared"
exits "nowhere to put it" 3 "$program" upgrade --repo "$repo"
says "by hand, then" "write \`contract: NUMBER\` below spec of the Fleet yourself"
git -C "$repo" reset -q --hard HEAD~1
python3 - "$repo/osm-gen.yaml" <<'PY'
import pathlib, sys, yaml
path = pathlib.Path(sys.argv[1])
path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [*yaml.safe_load_all(path.read_text())]}))
PY
commit_all "$repo" "in a List"
before=$(state)
exits "in a List" 3 "$program" upgrade --repo "$repo"
says "by hand, too" "write \`contract: NUMBER\` below spec of the Fleet yourself"
same "nothing was written" "$before" "$(state)"
printf 'spec: [\n' >"$repo/osm-gen.yaml"
commit_all "$repo" "broken"
before=$(state)
exits "no YAML" 2 "$program" upgrade --repo "$repo"
same "as it was" "$before" "$(state)"
git -C "$repo" reset -q --hard HEAD~2
ln -sf tests/fleet/README.md "$repo/osm-gen.yaml"
commit_all "$repo" "a link"
before=$(state)
exits "a link" 3 "$program" upgrade --repo "$repo"
same "is not followed" "$before" "$(state)"
git -C "$repo" reset -q --hard HEAD~1
rm "$repo/osm-gen.yaml"
exits "a file that is gone" 3 "$program" upgrade --repo "$repo"
says "how it comes back" "git restore osm-gen.yaml"

# ---- a checkout with other ends of lines -------------------------------------------------------------------
git -C "$repo" reset -q --hard
echo 'osm-gen.yaml text eol=crlf' >"$repo/.gitattributes"
commit_all "$repo" "CR LF in the working tree"
rm "$repo/osm-gen.yaml"
git -C "$repo" checkout -q -- osm-gen.yaml
ok "CR LF is there" grep -q $'\r' "$repo/osm-gen.yaml"
exits "upgrade" 0 "$program" upgrade --repo "$repo"
same "one line was added" "+  contract: $newest" "$(changed)"
ok "with that end" grep -q $'  contract: '"$newest"$'\r' "$repo/osm-gen.yaml"

# ---- without a Fleet ------------------------------------------------------------------------------------
git -C "$repo" reset -q --hard
printf 'creation_rules:\n- age: age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk\n' >"$repo/.sops.yaml"
git -C "$repo" rm -q osm-gen.yaml
commit_all "$repo" "no Fleet"
exits "no Fleet" 0 "$program" upgrade --repo "$repo"
same "one is made" "$(printf 'apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  contract: %s' "$newest")" "$(cat "$repo/osm-gen.yaml")"
finish
