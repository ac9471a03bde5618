#!/usr/bin/env bash
# The plan of a pull request's job, which has no keys: it compares what is clear, knows what has the same inputs as the commit that
# made the output, and calls the rest UNKNOWN. KEYLESS_CASES, KEYLESS_SEED: how many random fleets, which.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

cases=${KEYLESS_CASES:-4}
exits "$cases fleets, changed at random" 0 python3 "$here/keyless_random.py" "$program" "$cases" 10 "${KEYLESS_SEED:-6}"
cat "$scratch/out"

# ---- what is clear, and what can be known -------------------------------------------------------------------------
blind() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE "$@"; }
first_line() { head -n 1 "$scratch/out"; }
repo=$(small clear)
cd "$repo" || exit 1
settings=clusters/prod/osm-gen.yaml
sed -i 's/^  settings:/&\n    machineDeployments: output\n    roll: profile\n    nodeHTTPProxy: "http:\/\/fleet:pw-of-the-proxy-1@proxy.osm-gen.example:3128"\n    nodeNoProxy: .osm-gen.example/' "$settings"
sed -i 's/echo {{ .KubeVersion }}/& {{ .HTTPProxy }}/' osp-small.yaml
commit_all . "a proxy"
exits "the first run" 0 "$program" generate -q --allow-roll --rotate-recipients
git tag start
pool=$(grep -rl "kind: MachineDeployment" clusters | head -n 1)
back() { git reset -q --hard start; }
plans() { # NAME FIRST-LINE: the same first line with the seed and without
	commit_all . "$1"
	exits "$1: with the seed" 0 "$program" plan
	same "$1: the first line with the seed" "$2" "$(first_line)"
	exits "$1: without" 0 blind "$program" plan
	same "$1: the first line without" "$2" "$(first_line)"
}
exits "nothing" 0 blind "$program" plan
same "nothing changes, and that is known" "no machine is replaced, and no user-data changes" "$(first_line)"
exits "nothing: diff" 0 blind "$program" diff
sed -i s/pw-of-the-proxy-1/pw-of-the-proxy-2/ "$settings"
plans "the proxy's password" "1 MachineDeployment changes for new nodes only"
exits "the proxy's password: diff" 1 blind "$program" diff
ok "the proxy's password: is not shown" bash -c "! grep -q pw-of-the-proxy '$scratch/out' '$scratch/err'"
back
sed -i 's/^    roll: profile/&\n    nodeContainerdRegistryMirrors: [docker.io=https:\/\/mirror.osm-gen.example]/' "$settings"
plans "a mirror where the profile rolls machines" "1 MachineDeployment changes for new nodes only"
back
sed -i 's/^    roll: profile/&\n    tokenRotation: "1"/' "$settings"
plans "tokenRotation" "1 MachineDeployment changes for new nodes only"
back
# The number of machines is in the output.
sed -i 's/replicas: .*/replicas: 7/' "$pool"
commit_all . "replicas"
exits "replicas" 0 blind "$program" plan
ok "replicas: named" grep -q "replicas [0-9]* -> 7" "$scratch/out"
back

# ---- encrypted values --------------------------------------------------------------------------------------------
encrypted=$(fleet encrypted)
cd "$encrypted" || exit 1
settings=tests/fleet/prod-us-1/osm-gen.yaml
cp "$here/encrypted_settings/cluster.yaml" "$settings"
commit_all . "encrypted settings"
exits "encrypted settings: the first run" 0 "$program" generate -q
git tag start
exits "encrypted settings" 0 blind "$program" plan
same "encrypted settings: the same ciphertext is the same value" "no machine is replaced, and no user-data changes" "$(first_line)"
kms_secret 'ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]' | sed 's/cloud-init-getter-token/of-something-else/' >other.yaml
commit_all . "an encrypted file of something else"
exits "an encrypted file of something else" 0 blind "$program" plan
same "an encrypted file of something else: no unit needs it" "no machine is replaced, and no user-data changes" "$(first_line)"
sed -i 's/nodeHTTPProxy: ENC\[AES256_GCM,data:./&A/' "$settings"
sed -i 's/SystemReserved: cpu=200m,memory=512Mi/SystemReserved: cpu=300m,memory=512Mi/' tests/fleet/edge-eu-1/machinedeployments.yaml
commit_all . "another ciphertext"
exits "another ciphertext" 0 blind "$program" plan
ok "another ciphertext: the units and the file" grep -q "^UNKNOWN: encrypted values of $settings changed in 2 MachineDeployments of prod-us-1" "$scratch/out"
exits "another ciphertext: JSON" 0 blind "$program" plan -o json
same "another ciphertext: only the units that need it" "UNKNOWN UNKNOWN" "$(python3 -c 'import json, sys; print(*(u["class"] for u in json.load(open(sys.argv[1]))["units"] if u["cluster"] == "prod-us-1" and u["reason"] == sys.argv[2]))' \
	"$scratch/out" "encrypted values of $settings changed")"
cd "$repo" || exit 1
settings=clusters/prod/osm-gen.yaml

# ---- recipients --------------------------------------------------------------------------------------------------
another=$(blind "$program" keygen identity 2>/dev/null | sed -n 's/^# public key: //p')
sed -i "s/^  defaults:\|^spec:/&/; s/$recipient/$another/" osm-gen.yaml
commit_all . "another recipient"
exits "another recipient: with the seed" 2 "$program" plan
exits "another recipient" 0 blind "$program" plan
says "another recipient: said" "warning[OSG5081]: the recipients of cluster prod have changed"
says "another recipient: who" "added recipient $another"
same "another recipient: all files are sealed anew" "1 MachineDeployment changes without effect on nodes" "$(first_line)"
exits "another recipient, allowed" 0 blind "$program" plan --rotate-recipients
says "another recipient, allowed" "warning[OSG5073]: the recipients of cluster prod change"
back

# ---- no commit to compare with -----------------------------------------------------------------------------------
unknown() { # NAME REASON: a plan without the seed that knows nothing, and says why
	exits "$1" 0 blind "$program" plan
	same "$1: unknown" "1 MachineDeployment may change (secrets are not compared without the seed)" "$(first_line)"
	ok "$1: why" grep -qE "^UNKNOWN: $2" "$scratch/out"
	ok "$1: nothing is called unchanged" bash -c "! grep -qE '^NONE|no machine is replaced' '$scratch/out'"
}
git commit -q --amend -m "$(git log -1 --format=%B | grep -v '^Osm-Gen-Source')"
unknown "a squashed commit" "commit [0-9a-f]{12} brought the output, and does not name the commit that it was made from"
git reset -q --hard start
git commit -q --amend -m "$(git log -1 --format=%B | sed 's/^Osm-Gen-Version: .*/Osm-Gen-Version: 0.0.1/')"
unknown "another version of the program" "the output was made by osm-gen 0\.0\.1, and this is osm-gen "
back
git clone -q --depth 1 "file://$repo" "$scratch/shallow"
cd "$scratch/shallow" || exit 1
unknown "a shallow clone" "this clone lacks "
cd "$repo" || exit 1
exits "an output elsewhere" 0 blind "$program" plan --out "$scratch/elsewhere"
# Somebody names another commit as the source, with the change in it, and leaves the output as it is.
sed -i s/pw-of-the-proxy-1/pw-of-the-proxy-2/ "$settings"
commit_all . "a change"
git commit -q --allow-empty -m "$(git log -1 --format=%B start | sed "s/^Osm-Gen-Source: .*/Osm-Gen-Source: $(git rev-parse HEAD)/")"
exits "a commit that only names a source" 0 blind "$program" plan
same "a commit that only names a source: not believed" "1 MachineDeployment changes for new nodes only" "$(first_line)"
# Somebody takes the output away, too, and brings it again.
git reset -q --hard HEAD~1
source=$(git rev-parse HEAD)
git rm -q -r out
git commit -q -m "take it away"
git checkout -q start -- out
git commit -q -m "$(git log -1 --format=%B start | sed "s/^Osm-Gen-Source: .*/Osm-Gen-Source: $source/")"
exits "an output that is brought again" 0 blind "$program" plan
same "an output that is brought again: not believed" "1 MachineDeployment changes for new nodes only" "$(first_line)"
# The same beside the branch.
git checkout -q --orphan beside
git commit -q -m "$(git log -1 --format=%B start | sed "s/^Osm-Gen-Source: .*/Osm-Gen-Source: $source/")"
git checkout -q --detach "$source"
git merge -q --allow-unrelated-histories -s ours -m merge beside
unknown "an output from beside" "several branches brought the same output"
git checkout -q -B main start
back
# The run that made the output had an option that this one does not have.
exits "a run with an option" 0 "$program" generate -q --pause-image registry.osm-gen.example/other:1
unknown "a run with an option" "the output is not what commit [0-9a-f]{12} gives here"
git reset -q --hard HEAD~1
# A merge, as a forge makes one of a pull request.
back
git checkout -q -b feature start~1
echo "# a comment" >>"$pool"
commit_all . "a comment"
git checkout -q --detach start
git merge -q --no-edit feature
exits "a merge" 0 blind "$program" plan
same "a merge: the output's commit is found" "no machine is replaced, and no user-data changes" "$(first_line)"

# ---- nothing to look at ------------------------------------------------------------------------------------------
mkdir "$scratch/empty"
cd "$scratch/empty" || exit 1
git -c init.defaultBranch=main init -q
echo text >README
commit_all . "no manifests"
exits "no MachineDeployment" 0 blind "$program" plan
same "no MachineDeployment: said" "there is no MachineDeployment to look at" "$(first_line)"
exits "no MachineDeployment, with the seed" 0 "$program" plan
same "no MachineDeployment, with the seed: said" "there is no MachineDeployment to look at" "$(first_line)"

finish
