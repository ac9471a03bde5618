#!/usr/bin/env bash
# Derived tokens with a lifetime: tokenRotation weekly, by the dates of commits. Whatever a machine was
# started with is good until the end of the next week.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet weekly)
out=$repo/out/prod-us-1/worker
sed -i 's/tokenRotation: .*/tokenRotation: weekly/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_on() { # DATE: an empty commit of that day
	GIT_COMMITTER_DATE="$1" GIT_AUTHOR_DATE=2020-01-01T00:00:00Z git -C "$repo" commit -q --allow-empty -am "$1"
}
token_ids() { find "$out/kube-system" -name 'secret-bootstrap-token-*' 2>/dev/null | sed 's/.*-//; s/.yaml//' | sort; }
field() { # TOKEN-ID KEY: of its Secret
	"$program" unseal "$out/kube-system/secret-bootstrap-token-$1.yaml" | sed -n "s/^  $2: //p" | tr -d '"' | {
		read -r text
		base64 -d <<<"$text" 2>/dev/null || printf '%s' "$text"
	}
}
expirations() { for id in $(token_ids); do field "$id" expiration; echo; done | sort -u | paste -sd' '; }
newest() { # the id in the user-data of workers
	"$program" unseal "$out/cloud-init-settings/secret-kube-system-workers-kubelet-bootstrap-config.yaml" |
		sed -n 's/^  kubeconfig: //p' | tr -d '"' | base64 -d | sed -n 's/^ *token: \([a-z0-9]*\)\..*/\1/p'
}
may_read() { sed -n 's/^ *name: "\?system:bootstrap:\([a-z0-9]*\)"\?$/\1/p' "$out"/cloud-init-settings/rolebinding-*"$1"*.yaml | sort -u; }

commit_on 2026-11-22T12:00:00Z
exits "a Sunday" 0 "$program" --repo "$repo"
machines=$(grep -c 'kind: MachineDeployment' "$repo/tests/fleet/prod-us-1/machinedeployments.yaml")
same "two tokens a MachineDeployment" "$((2 * machines))" "$(token_ids | wc -l | tr -d ' ')"
same "the old ones end with the week, the new ones a week later" "2026-11-23T00:00:00Z 2026-11-30T00:00:00Z" "$(expirations)"
first=$(newest)
same "machines start with the new one" "2026-11-30T00:00:00Z" "$(field "$first" expiration)"
same "both may read" "2" "$(may_read workers | wc -l | tr -d ' ')"
ok "both are named" grep -qx "$first" <(may_read workers)
cp "$out/kube-system/secret-bootstrap-token-$first.yaml" "$scratch/first.yaml"

commit_on 2026-11-16T00:00:00Z
exits "another day of that week" 0 "$program" --repo "$repo"
same "changes nothing" "2026-11-16T00:00:00Z" "$(git -C "$repo" log -1 --format=%s)"
commit_on 2026-11-23T02:00:00+02:00
exits "check: the week is over" 1 "$program" check --repo "$repo"
exits "Monday, in UTC" 0 "$program" --repo "$repo"
second=$(newest)
ok "machines start with another token" test "$first" != "$second"
ok "the one before is still there" cmp "$scratch/first.yaml" "$out/kube-system/secret-bootstrap-token-$first.yaml"
same "and may read" "$(printf '%s\n' "$first" "$second" | sort)" "$(may_read workers)"
same "for one more week" "2026-11-30T00:00:00Z 2026-12-07T00:00:00Z" "$(expirations)"
exits "up to date" 0 "$program" check --repo "$repo"
commit_on 2026-11-30T00:00:00Z
exits "the week after" 0 "$program" --repo "$repo"
ok "the first token is gone" test ! -e "$out/kube-system/secret-bootstrap-token-$first.yaml"
ok "nor may it read" bash -c "! grep -rq 'system:bootstrap:$first' $out"
ok "the second is there" test -e "$out/kube-system/secret-bootstrap-token-$second.yaml"
other=$repo/out/edge-eu-1/worker/kube-system
ok "other clusters keep theirs" bash -c "[ \$(ls $other/secret-bootstrap-token-* | wc -l) -eq 2 ]"
ok "which do not end" bash -c "! $program unseal $other/secret-bootstrap-token-* | grep -q expiration"

sed -i 's/tokenRotation: .*/tokenRotation: by hand/' "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
commit_on 2026-12-01T00:00:00Z
exits "a text of one's own" 0 "$program" --repo "$repo"
same "one token a MachineDeployment" "$machines" "$(token_ids | wc -l | tr -d ' ')"
commit_on 2027-12-01T00:00:00Z
exits "a year later" 0 "$program" --repo "$repo"
same "changes nothing then" "2027-12-01T00:00:00Z" "$(git -C "$repo" log -1 --format=%s)"
finish
