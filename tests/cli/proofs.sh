#!/usr/bin/env bash
# Units whose inputs have not changed keep their files, and the result is the one of a run without proofs.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

input=tests/fleet/edge-eu-1/machinedeployments.yaml
index=out/edge-eu-1/index.json

trailers() { # KEY
	git -C "$repo" log -1 --format="%(trailers:key=$1,valueonly)" | sed '/^$/d'
}

# counts RENDERED KEPT ARGUMENTS...: what a run with proofs does, and that it gives what a run without gives
counts() {
	local name=$1 rendered=$2 kept=$3
	shift 3
	rm -rf "$scratch/whole"
	cp -r "$repo" "$scratch/whole"
	exits "$name: check" "$("$program" check -q --repo "$scratch/whole" --no-proofs "$@" >/dev/null 2>&1; echo $?)" \
		"$program" check -v --report json=/dev/null --repo "$repo" "$@"
	says "$name: check" "  $rendered rendered, $kept kept"
	"$program" -v --report json=/dev/null --no-proofs --repo "$scratch/whole" "$@" >"$scratch/whole.out" 2>"$scratch/whole.err"
	exits "$name" "$?" "$program" -v --report json=/dev/null --repo "$repo" "$@"
	says "$name" "  $rendered rendered, $kept kept"
	same "$name: the same words" "$(grep -v ' kept$' "$scratch/whole.err")" "$(grep -v ' kept$' "$scratch/err")"
	same "$name: the same commit" "$(git -C "$scratch/whole" rev-parse HEAD)" "$(git -C "$repo" rev-parse HEAD)"
	same "$name: a clean work tree" "" "$(git -C "$repo" status --porcelain)"
}

edit() { # SED-SCRIPT FILE MESSAGE
	sed -i "$1" "$repo/$2"
	commit_all "$repo" "$3"
}

repo=$(fleet repo)
counts "the first run" 4 0
same "a proof of each unit" 2 "$(grep -c '"proof": "[0-9a-f]\{32\}"' "$repo/$index")"
ok "and of the program" test -n "$(trailers Osm-Gen-Rendered)"
first=$(git -C "$repo" rev-parse HEAD)

edit "\$a text" tests/fleet/README.md "no input"
counts "no input" 0 4
same "no commit" "no input" "$(git -C "$repo" log -1 --format=%s)"
edit '1i # a comment' "$input" "a comment"
counts "a comment" 0 4
edit '0,/kubelet: 1.35.2/s//kubelet: 1.35.1/' "$input" "one MachineDeployment"
counts "one MachineDeployment" 1 3
ok "one MachineDeployment: only its proof changes" test "$(git -C "$repo" diff HEAD~1 -- "$index" | grep -c '^+.*"proof"')" = 1
edit 's/tokenRotation: .*/tokenRotation: "2027"/' tests/fleet/prod-us-1/osm-gen.yaml "a setting of one cluster"
counts "a setting of one cluster" 2 2
edit 's/getter-token-4f1d0c6b9a/getter-token-4f1d0c6b9b/' tests/fleet/edge-eu-1/getter-token.yaml "a Secret of the other"
counts "a Secret of the other" 2 2
edit 's/clusterDNS: .*/clusterDNS: [10.10.10.11]/' osm-gen.yaml "a setting of all"
counts "a setting of all" 4 0
edit 's/ops@osm-gen.example/new@osm-gen.example/' "$input" "all of one cluster"
counts "all of one cluster" 2 2
# Another version of the program, and messages that somebody changed.
reword() { # NAME SED-SCRIPT RENDERED KEPT
	git -C "$repo" commit -q --amend -m "$(git -C "$repo" log -1 --format=%B | sed "$2")"
	counts "$1" "$3" "$4"
}
good=$(git -C "$repo" rev-parse HEAD)
reword "another program" 's/^Osm-Gen-Rendered: ./&0/; /^Osm-Gen-Inputs/d' 4 0
git -C "$repo" reset -q --hard "$good"
reword "other secrets" 's/^\(Osm-Gen-Rendered: [0-9a-f]*\) ./\1 0/' 0 4
git -C "$repo" reset -q --hard "$good"
reword "no trailer" '/^Osm-Gen-Rendered/d' 4 0
git -C "$repo" reset -q --hard "$good"
git -C "$repo" commit -q --amend -m "$(printf 'squashed\n\n%s\n' "$(git -C "$repo" log -1 --format=%B | sed 's/^/    /')")"
counts "quoted in a squashed commit" 0 4
git -C "$repo" reset -q --hard "$good"
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
git -C "$scratch/shallow" commit -q --allow-empty -m "on top"
exits "a shallow clone" 0 "$program" check -v --report json=/dev/null --repo "$scratch/shallow"
says "a shallow clone" "0 rendered, 4 kept"

# Output that somebody changed.
victim=$(cd "$repo" && git ls-files out/edge-eu-1/management | grep operatingsystemconfig- | head -n 1)
edit "\$a # by hand" "$victim" "by hand"
counts "edited output" 4 0
git -C "$repo" reset -q --hard "$good"
edit 's/"proof": "\(.\)\(.\)/"proof": "\2\1/' "$index" "forged proofs"
counts "forged proofs" 4 0
git -C "$repo" reset -q --hard "$good"
git -C "$repo" rm -q "$victim"
git -C "$repo" commit -q -m "a file is gone"
counts "a file is gone" 4 0
git -C "$repo" reset -q --hard "$good"
rm "$repo/$victim"
edit "\$a text" tests/fleet/README.md "no input"
git -C "$repo" checkout -q HEAD~1 -- "$victim"
git -C "$repo" commit -q --amend --no-edit
rm "$repo/$victim"
exits "a file of the work tree is gone" 0 "$program" -v --report json=/dev/null --repo "$repo"
says "a file of the work tree is gone" "0 rendered, 4 kept"
ok "it comes back" test -f "$repo/$victim"
git -C "$repo" reset -q --hard "$good"

counts "flags" 4 0 --pause-image registry.osm-gen.example/pause:1
counts "and without" 4 0
git -C "$repo" revert --no-edit HEAD >/dev/null
counts "output of another run" 0 4 --pause-image registry.osm-gen.example/pause:1
git -C "$repo" reset -q --hard HEAD^

# A new secret: files of kept units are scanned for it.
word=$(grep -oE 'AAAAC3Nza[A-Za-z0-9+/]*' "$repo/$input" | head -n 1)
mkdir "$scratch/secrets"
secret() { # VALUE
	cat >"$scratch/secrets/one.yaml" <<-YAML
		apiVersion: v1
		kind: Secret
		metadata: {name: unused, namespace: kube-system}
		stringData: {password: "$1"}
	YAML
}
secret "in none of the files"
counts "a new secret" 0 4 --secrets "$scratch/secrets"
secret "$word"
exits "a secret in kept files, without proofs" 2 "$program" check --no-proofs --repo "$repo" --secrets "$scratch/secrets"
cp "$scratch/err" "$scratch/whole.err"
exits "a secret in kept files" 2 "$program" check --repo "$repo" --secrets "$scratch/secrets"
says "a secret in kept files" OSG5050
ok "a secret in kept files: the same words" cmp "$scratch/whole.err" "$scratch/err"

# Profiles that ask for the time, and units with a warning, are rendered each time.
edit '0,/kubelet: 1.35/s//kubelet: 1.35/; 0,/    k8c.io.operating-system-profile: osp-ubuntu/s//&\n    k8s.io\/operating-system-profile: x/' "$input" "a warning"
counts "a warning" 1 3
counts "a warning again" 1 3
edit '/k8s.io.operating-system-profile: x/d' "$input" "no warning"
counts "no warning" 1 3
cp "$root/profiles/ubuntu.yaml" "$repo/tests/fleet/edge-eu-1/osp.yaml"
edit 's/name: osp-ubuntu$/name: osp-dated/; 0,/^\( *\)#!.*bash$/s//&\n\1# {{ now | date "2006" }}/' tests/fleet/edge-eu-1/osp.yaml "a profile"
edit '0,/system-profile: osp-ubuntu/s//system-profile: osp-dated/' "$input" "which one unit uses"
ok "a profile that asks for the time" grep -q '{{ now' "$repo/tests/fleet/edge-eu-1/osp.yaml"
counts "a profile that asks for the time" 1 3
counts "again" 1 3

# Removed and added; another seed; recipients.
git -C "$repo" rm -q -r tests/fleet/prod-us-1
git -C "$repo" commit -q -m "a cluster is gone"
counts "a cluster is gone" 1 1 --allow-removal
git -C "$repo" reset -q --hard "$first"
exits "verify" 0 "$program" verify --repo "$repo"
other=$("$program" keygen seed)
exits "another seed" 1 env OSM_GEN_SEAL_SEED="$other" "$program" check -v --repo "$repo" --rotate-seed
says "another seed" "4 rendered, 0 kept"
exits "without a seed" 0 env -u OSM_GEN_SEAL_SEED "$program" diff -v --repo "$repo"
says "without a seed" "4 rendered, 0 kept"
exits "--no-proofs" 0 "$program" check -v --no-proofs --repo "$repo"
says "--no-proofs" "4 rendered, 0 kept"
exits "an export has them" 0 "$program" --repo "$repo" --out "$scratch/export" -q
ok "the same as a commit's" diff -r "$repo/out" "$scratch/export"

finish
