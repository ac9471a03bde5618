# Sourced by the scripts of this folder: a scratch folder, real git repositories, counted checks.
# shellcheck shell=bash
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
program=${OSM_GEN:-$root/build/osm-gen}
# Each script says what to build if it is run alone.
if [ -z "${OSM_GEN:-}" ]; then
	# shellcheck disable=SC2013 # words
	for needed in build/osm-gen $(sed -n "/^[^#]/q; s:build/asan/:build/${OSM_GEN_TEST_BUILD:-asan}/:g; s/^# Needs: //p" "$0"); do
		[ -x "$root/$needed" ] && continue
		echo "$0 needs $needed: run make $needed"
		echo "0 passed, 1 failed"
		exit 1
	done
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0

# No maintenance after each commit and fetch, and none of the sample hooks in each repository.
mkdir -p "$scratch/.template/hooks" "$scratch/.template/info"
printf '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n' >"$scratch/.gitconfig"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$scratch/.gitconfig GIT_TEMPLATE_DIR=$scratch/.template
export GIT_AUTHOR_NAME=Tester GIT_AUTHOR_EMAIL=tester@osm-gen.example
export GIT_COMMITTER_NAME=Tester GIT_COMMITTER_EMAIL=tester@osm-gen.example
export GIT_AUTHOR_DATE="2026-03-04T05:06:07+0200" GIT_COMMITTER_DATE="2026-03-04T05:06:08+0200"
OSM_GEN_SEAL_SEED=$(grep -v '^#' "$root/tests/keys/TEST-ONLY-seed.txt")
SOPS_AGE_KEY_FILE=$root/tests/keys/TEST-ONLY-identity.txt
export OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE
recipient=$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")
unset OSM_GEN_SEAL_SEED_FILE SOPS_AGE_KEY SOPS_AGE_SSH_PRIVATE_KEY_FILE

# ok NAME COMMAND...: the command succeeds.
ok() {
	local name=$1
	shift
	if "$@" >"$scratch/.log" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $name ($*)"
		sed 's/^/    /' "$scratch/.log" | head -n 30
	fi
}

# same NAME WANT GOT
same() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'not ok: %s\n    want: %s\n    got:  %s\n' "$1" "$2" "$3"
	fi
}

# exits NAME STATUS COMMAND...: stdout in $scratch/out, stderr in $scratch/err.
exits() {
	local name=$1 want=$2 got
	shift 2
	"$@" >"$scratch/out" 2>"$scratch/err"
	got=$?
	if [ "$got" -eq "$want" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $name: exit status $got, want $want ($*)"
		head -n 30 "$scratch/err" | sed 's/^/    /'
	fi
}

says() { # NAME TEXT: stderr of the last `exits` holds it
	if grep -qF -- "$2" "$scratch/err"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $1: stderr lacks: $2"
		head -n 30 "$scratch/err" | sed 's/^/    /'
	fi
}

skip() {
	skipped=$((skipped + 1))
	echo "skipped: $*"
}

# Ends the suite where the sources are no git repository, as in a tarball of them. WHY: what is missing.
needs_commit() { # WHY
	if ! git -C "$root" rev-parse -q --verify HEAD >/dev/null 2>&1; then
		skip "this is no git repository: $1"
		finish
	fi
}

# A repository of the sample fleet without its output, committed; prints its path. The first one is made, the others are copies of
# it. Of profiles/ it has the profile that the fleet uses: git and osm-gen would read the other ones in every test.
fleet() {
	local folder=$scratch/$1 first=$scratch/.fleet
	mkdir -p "$folder"
	if [ ! -e "$first" ]; then
		mkdir -p "$first/profiles" "$first/tests"
		cp "$root/osm-gen.yaml" "$first/"
		cp "$root/profiles/ubuntu.yaml" "$first/profiles/"
		cp -r "$root/tests/fleet" "$first/tests/"
		git -C "$first" -c init.defaultBranch=main init -q
		commit_all "$first" "inputs"
	fi
	cp -a "$first/." "$folder"
	echo "$folder"
}

# Goes to a repository into which the export of a live cluster was adopted, as prod.
adopted() { # EXPORT
	mkdir "$scratch/fleet"
	cd "$scratch/fleet" || exit 1
	git -c init.defaultBranch=main init -q
	cat >osm-gen.yaml <<YAML
apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  sealing:
    recipients: [$(sed -n 's/^# public key: //p' "$SOPS_AGE_KEY_FILE")]
YAML
	"$program" adopt -q "$1" --cluster prod --into clusters/prod || exit 1
	commit_all . "adopt prod"
}

# Writes openstack.yaml into a folder: a MachineDeployment whose nodes get a cloud-config, in which credentials stand.
openstack() { # FOLDER MEMBERS-OF-CLOUD-PROVIDER-SPEC
	cat >"$1/openstack.yaml" <<YAML
apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {name: openstack, namespace: kube-system, annotations: {k8c.io/operating-system-profile: osp-ubuntu}}
spec:
  selector: {matchExpressions: [{key: pool, operator: DoesNotExist}]}
  template:
    spec:
      versions: {kubelet: 1.28.1}
      providerSpec:
        value:
          cloudProvider: openstack
          cloudProviderSpec: {identityEndpoint: https://k.osm-gen.example, projectName: p, $2}
          operatingSystem: ubuntu
          operatingSystemSpec: {}
YAML
}

commit_all() { # REPO MESSAGE
	git -C "$1" add -A && git -C "$1" commit -q -m "$2"
}

kms_key=arn:aws:kms:eu-central-1:111122223333:key/11111111-2222-3333-4444-555555555555

# Prints a getter token as sops encrypts it with AWS KMS, for the sops of _sops.py.
kms_secret() { # [TEXT]
	cat <<YAML
apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}
data:
  token: ${1:-ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]}
sops:
  kms:
    - arn: $kms_key
      created_at: "2026-01-01T00:00:00Z"
      enc: AQICAHh=
      aws_profile: ""
  encrypted_regex: ^data\$
  mac_only_encrypted: true
  lastmodified: "2026-01-01T00:00:00Z"
  mac: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]
  version: 3.9.0
YAML
}

# small NAME: a repository with one cluster and one MachineDeployment; prints its path
small() {
	local folder=$scratch/$1
	cp -r "$root/tests/golden/base" "$folder"
	sed -i 's/^  settings:/  settings:\n    managementCluster: self/' "$folder/clusters/prod/osm-gen.yaml"
	git -C "$folder" -c init.defaultBranch=main init -q
	commit_all "$folder" inputs
	echo "$folder"
}
# counted NAME COMMAND...: adds what the command counts.
counted() {
	local name=$1 good bad left
	shift
	"$@" >"$scratch/counts" 2>&1
	read -r good _ bad _ left _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$scratch/counts")
	passed=$((passed + ${good:-0})) failed=$((failed + ${bad:-1})) skipped=$((skipped + ${left:-0}))
	grep '^skipped: ' "$scratch/counts"
	[ "${bad:-1}" -eq 0 ] || { echo "not ok: $name"; head -n 40 "$scratch/counts"; }
}

# conform FILE...: what commands print with -o json, in files named DEFINITION-WHAT.json, against docs/output.schema.json.
conform() {
	counted "the schema of -o json" python3 "$here/_json_schema.py" "$root/docs/output.schema.json" "$@"
}

finish() {
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" -eq 0 ]
	exit
}
