#!/usr/bin/env bash
# Same inputs, same bytes, same commit id: whatever the machine, the user and the day are like.
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"

repo=$(fleet origin)
git clone -q "$repo" "$scratch/one"
git clone -q "$repo" "$scratch/two"
mkdir -p "$scratch/home"
cat >"$scratch/home/.gitconfig" <<'CONFIG'
[user]
	name = Somebody Else
	email = else@osm-gen.example
[core]
	autocrlf = true
	quotepath = false
[i18n]
	commitEncoding = ISO-8859-1
CONFIG
exits "one" 0 env TZ=UTC LC_ALL=C "$program" --repo "$scratch/one" -j 1
(
	umask 077
	cd / || exit 1
	exits "two" 0 env -u GIT_CONFIG_GLOBAL -u GIT_CONFIG_NOSYSTEM HOME="$scratch/home" TZ=Asia/Kathmandu \
		LC_ALL=tr_TR.UTF-8 LANG=de_DE.UTF-8 SOURCE_DATE_EPOCH=1 COLUMNS=20 \
		GIT_AUTHOR_NAME=X GIT_AUTHOR_DATE="2001-01-01T00:00:00Z" \
		"$program" --repo "$scratch/two" --out out/ -j 7
	exit "$failed"
) || failed=$((failed + 1))
id=$(git -C "$scratch/one" rev-parse HEAD)
same "the same commit id" "$id" "$(git -C "$scratch/two" rev-parse HEAD)"
same "modes do not depend on the umask" "644" \
	"$(find "$scratch/two/out" -type f -printf '%m\n' | sort -u)"

# Which identities are given, and how, does not matter: a Secret decrypts to one value.
keys=$scratch/elsewhere
"$program" keygen identity >"$keys"
cat "$SOPS_AGE_KEY_FILE" >>"$keys"
for way in file text; do
	git clone -q "$repo" "$scratch/$way"
done
exits "a file with another identity, too" 0 env SOPS_AGE_KEY_FILE="$keys" "$program" --repo "$scratch/file"
exits "the identity as text" 0 env -u SOPS_AGE_KEY_FILE SOPS_AGE_KEY="$(cat "$SOPS_AGE_KEY_FILE")" "$program" --repo "$scratch/text"
same "the same commit id with other identities" "$id $id" \
	"$(git -C "$scratch/file" rev-parse HEAD) $(git -C "$scratch/text" rev-parse HEAD)"

# The name of the folder and the order in which manifests stand do not matter to what is sealed.
git clone -q "$repo" "$scratch/moved"
python3 - "$scratch/moved/tests/fleet/prod-us-1/machinedeployments.yaml" <<'PY'
import sys
path = sys.argv[1]
documents = open(path).read().split("---\n")
open(path, "w").write("---\n".join(reversed(documents)))
PY
commit_all "$scratch/moved" "another order"
exits "another order" 0 "$program" --repo "$scratch/moved"
same "the same tree" "$(git -C "$scratch/one" rev-parse HEAD:out)" "$(git -C "$scratch/moved" rev-parse HEAD:out)"

# Changing one MachineDeployment changes its files only.
sed -i '0,/distUpgradeOnBoot: false/s//distUpgradeOnBoot: true/' "$scratch/one/tests/fleet/edge-eu-1/machinedeployments.yaml"
commit_all "$scratch/one" "one MachineDeployment"
exits "one MachineDeployment" 0 "$program" --repo "$scratch/one"
same "its files only" "" "$(git -C "$scratch/one" diff --name-only HEAD^ HEAD | grep -vE 'out/edge-eu-1/(index.json|.*-workers-kube-system-(bootstrap-config|provisioning-config|config)\.yaml)$')"

# What time it is, for templates: the source commit's committer date, in UTC.
git clone -q "$repo" "$scratch/clock"
sed -i '0,/^\( *\)#!.*bash$/s//&\n\1# made at {{ now }}/' "$scratch/clock/profiles/ubuntu.yaml"
sed -i 's/^  version: v1\.\([0-9]*\)\.0$/  version: v1.\1.1/' "$scratch/clock/profiles/ubuntu.yaml"
commit_all "$scratch/clock" "a profile with a clock"
exits "a profile with a clock" 0 env TZ=Asia/Kathmandu "$program" --repo "$scratch/clock"
ok "shows the commit's time" grep -rq "# made at 2026-03-04 03:06:08 +0000 UTC" "$scratch/clock/out/edge-eu-1/management"
id=$(git -C "$scratch/clock" rev-parse HEAD)
exits "and stands still" 0 "$program" --repo "$scratch/clock"
same "with its commit" "$id" "$(git -C "$scratch/clock" rev-parse HEAD)"

# Time zones: what a machine knows of them must not matter. UTC needs no database.
without_zones() { # COMMAND...: on a machine without tzdata
	unshare --map-root-user --mount sh -c 'mount -t tmpfs none /usr/share/zoneinfo && exec "$@"' sh "$@"
}
with_zone() { # NAME ZONE: a clone whose profiles write the time of that zone
	git clone -q "$repo" "$scratch/$1"
	sed -i '0,/^\( *\)#!.*bash$/s//&\n\1# made at {{ dateInZone "15:04 MST" now "'"${2//\//\\/}"'" }}, {{ htmlDateInZone now "'"${2//\//\\/}"'" }}, {{ date "15:04 MST" now }}/' \
		"$scratch/$1/profiles/ubuntu.yaml"
	sed -i 's/^  version: v1\.\([0-9]*\)\.0$/  version: v1.\1.1/' "$scratch/$1/profiles/ubuntu.yaml"
	commit_all "$scratch/$1" "a profile with a zone"
}
for zone in UTC "" Local; do
	with_zone "zone-$zone" "$zone"
	cp -r "$scratch/zone-$zone" "$scratch/zone-$zone-bare"
	exits "zone \"$zone\"" 0 env TZ=Asia/Kathmandu "$program" --repo "$scratch/zone-$zone"
	ok "zone \"$zone\" is UTC" grep -rq "# made at 03:06 UTC, 2026-03-04, 03:06 UTC" "$scratch/zone-$zone/out/edge-eu-1/management"
	if without_zones true 2>/dev/null; then
		exits "zone \"$zone\" without tzdata" 0 without_zones "$program" --repo "$scratch/zone-$zone-bare"
		same "zone \"$zone\": the same commit" "$(git -C "$scratch/zone-$zone" rev-parse HEAD)" \
			"$(git -C "$scratch/zone-$zone-bare" rev-parse HEAD)"
	else
		skip "a machine without tzdata: no mount namespace to be had"
	fi
done
for zone in Europe/Berlin EST GMT No/Such ../UTC; do
	with_zone zone "$zone"
	exits "zone $zone" 2 "$program" --repo "$scratch/zone"
	says "zone $zone" "error[OSG3003]"
	says "zone $zone: the way out" 'help: print times in UTC'
	cp "$scratch/err" "$scratch/with-zones"
	if without_zones true 2>/dev/null; then
		exits "zone $zone without tzdata" 2 without_zones "$program" --repo "$scratch/zone"
		ok "zone $zone: the same words" cmp "$scratch/err" "$scratch/with-zones"
	fi
	rm -rf "$scratch/zone"
done
id=$(git -C "$scratch/two" rev-parse HEAD)

# Another seed: no sealed text in common, and not by accident.
other=$("$program" keygen seed)
exits "another seed is refused" 3 env OSM_GEN_SEAL_SEED="$other" "$program" --repo "$scratch/two"
says "with the way out" "--rotate-seed"
same "nothing moved" "$id" "$(git -C "$scratch/two" rev-parse HEAD)"
exits "unless it is meant" 0 env OSM_GEN_SEAL_SEED="$other" "$program" --repo "$scratch/two" --rotate-seed
grep -rhoE 'ENC\[[^]]*' "$scratch/moved/out" | sort -u >"$scratch/sealed.1"
grep -rhoE 'ENC\[[^]]*' "$scratch/two/out" | sort -u >"$scratch/sealed.2"
ok "there is sealed text" test -s "$scratch/sealed.1"
same "nothing sealed in common" "0" "$(comm -12 "$scratch/sealed.1" "$scratch/sealed.2" | wc -l | tr -d ' ')"
same "no IV twice" "0" "$(grep -oE 'iv:[^,]*' "$scratch/sealed.1" | sort | uniq -d | wc -l | tr -d ' ')"

finish
