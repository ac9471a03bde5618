# Sourced behind _lib.sh by run.sh: what runs the recipes, in build/recipes, and a host for repositories.
# shellcheck shell=bash disable=SC2154,SC2034 # root, scratch and program are _lib.sh's; the recipes use what is set here
here=$root/tests/recipes
work=$root/build/recipes
renovate=41.173.1
renovate_sha512=0cd71e2648a1e4f02f95847433b6b9b05c49b9ef04fc90f1e2c9c23b641c746e2808a520d2a8d4cdd7e1696ee32c1466cb3944aa4fbd5b797b4d5c5f96b42921
mkdir -p "$work/bin" "$work/npm"

give_up() {
	echo "recipes: $1" >&2
	echo "0 passed, 1 failed"
	exit 3
}

for tool in go node npm python3 curl openssl ssh-keygen unshare; do
	command -v $tool >/dev/null || give_up "$tool is not installed"
done

# shellcheck source=tests/oracle/_go.sh
. "$root/tests/oracle/_go.sh"
get_go() { (cd "$here/go" && go build -mod=readonly -o "$work/bin/" . tool); }
get_npm() {
	local archive=renovate-$renovate.tgz
	cp "$here/github/runner.mjs" "$here/renovate.mjs" "$work/npm/"
	cmp -s "$here/npm/package-lock.json" "$work/npm/installed" && return
	cp "$here"/npm/package*.json "$work/npm/"
	cd "$work/npm" && npm ci --no-audit --no-fund --ignore-scripts || return 1
	# Without the 700 packages behind it, of which its regex manager loads the few that package.json has.
	[ -e "$archive" ] || npm pack "renovate@$renovate" --silent || return 1
	echo "$renovate_sha512  $archive" | sha512sum --check --quiet || return 1
	mkdir -p node_modules/renovate && tar -xzf "$archive" -C node_modules/renovate --strip-components=1 &&
		cp package-lock.json installed
}
get_python() {
	cmp -s "$here/requirements.txt" "$work/python/installed" && return
	[ -x "$work/python/bin/python" ] || python3 -m venv "$work/python" || return 1
	"$work/python/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$here/requirements.txt" &&
		cp "$here/requirements.txt" "$work/python/installed"
}

waiting=()
for kind in go npm python; do
	"get_$kind" >"$work/$kind.log" 2>&1 &
	waiting+=($!)
done
for kind in go npm python; do
	wait "${waiting[0]}" || give_up "what comes from $kind cannot be had: $(tail -n 3 "$work/$kind.log")"
	waiting=("${waiting[@]:1}")
done

# ---- a host of repositories -----------------------------------------------------------------------------

host=$scratch/host
mkdir -p "$host/public"
cp "$program" "$host/public/osm-gen"
chmod +x "$host/public/osm-gen"
digest=$(sha256sum "$program" | cut -d' ' -f1)
echo "write-$digest" >"$host/token"
printf '[safe]\n\tdirectory = *\n[http]\n\treceivepack = true\n' >"$host/gitconfig"
: >"$host/requests"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$scratch/key.pem" -out "$scratch/ca.pem" -days 2 -subj /CN=127.0.0.1 \
	-addext subjectAltName=IP:127.0.0.1 2>"$scratch/log" || give_up "no certificate: $(tail -n 3 "$scratch/log")"
chmod 644 "$scratch/ca.pem"
python3 "$here/server.py" "$host" "$scratch/ca.pem" "$scratch/key.pem" "$scratch/port" 2>"$scratch/server.log" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
for ((i = 0; i < 200; i++)); do
	[ -e "$scratch/port" ] && break
	sleep 0.05
done
[ -e "$scratch/port" ] || give_up "the host does not start: $(tail -n 3 "$scratch/server.log")"
url=https://127.0.0.1:$(cat "$scratch/port")
token=$(cat "$host/token")
# The host's certificate, and nothing of this user's: no key, no configuration of git.
clean=(env -i "PATH=$PATH" "HOME=$scratch" LC_ALL=C.UTF-8 GIT_CONFIG_NOSYSTEM=1 "CURL_CA_BUNDLE=$scratch/ca.pem"
	"GIT_SSL_CAINFO=$scratch/ca.pem" "SSL_CERT_FILE=$scratch/ca.pem" "PWNED=$scratch/pwned")

# ---- a release on that host, and the recipes as they are where it is osm-gen's home ------------------------

version=$(cat "$root/VERSION")
release=$host/public/releases/v$version
home=$scratch/home
mkdir -p "$scratch/genuine" "$host/public/releases" "$home/ci/release"
for architecture in amd64 arm64; do ln "$host/public/osm-gen" "$scratch/genuine/osm-gen-$version-linux-$architecture"; done
for key in releaser stranger; do ssh-keygen -q -t ed25519 -N '' -C "$key" -f "$scratch/$key"; done
sign() { # KEY FOLDER
	(cd "$2" && sha256sum osm-gen-* >SHA256SUMS && rm -f SHA256SUMS.sig && ssh-keygen -q -Y sign -f "$scratch/$1" -n osm-gen-release SHA256SUMS)
}
sign releaser "$scratch/genuine"
cp -r "$root/VERSION" "$root/.pre-commit-hooks.yaml" "$home/"
cp -r "$root/ci/recipes" "$home/ci/"
cp "$root/ci/release/fetch" "$root/ci/release/fill" "$home/ci/release/"
recipes=$home/ci/recipes
sed -i "s|^home=.*|home=$url/home|; s|^downloads=.*|downloads=$url/public/releases|; s|^signer=.*|signer='$(cut -d ' ' -f 1,2 "$scratch/releaser.pub")'|" \
	"$recipes/home"
"$home/ci/release/fill" >/dev/null || give_up "the recipes get no address"

# The release as it is, or as somebody left it who can write to the host: another program; its digest, too; and a signature, of
# a key that is not the releaser's.
serve() { # genuine|program|digest|signature
	local program
	rm -rf "$release"
	cp -r "$scratch/genuine" "$release"
	[ "$1" != genuine ] || return 0
	for program in "$release"/osm-gen-*; do
		rm "$program"
		# shellcheck disable=SC2016 # whoever runs it
		printf '#!/bin/sh\ntouch "$PWNED"\n' >"$program"
		chmod +x "$program"
	done
	case $1 in
	digest) cp "$release/SHA256SUMS.sig" "$scratch/kept" && sign stranger "$release" && cp "$scratch/kept" "$release/SHA256SUMS.sig" ;;
	signature) sign stranger "$release" ;;
	esac
}
refusal() { [ "$1" = program ] && echo "is not the file of the release" || echo "the releaser did not sign"; } # HOW
serve genuine

# ---- the fleet, its output, and what is proposed ----------------------------------------------------------

# The bytes of a branch's name and of a commit's message that do something where they become part of a script.
# shellcheck disable=SC2016 # not for this shell
hostile_branch='x";touch${IFS}$PWNED;"$(touch${IFS}$PWNED)`touch${IFS}$PWNED`'
# shellcheck disable=SC2016
hostile_text='"; touch $PWNED; $(touch $PWNED) `touch $PWNED` ${{ github.token }} {{workflow.parameters.url}} $(params.url)
::add-mask::a
::set-output name=changed::hostile
##[set-env name=A]b'
printf '*  %s\n' "$(sed -n 's/^# public key: //p' "$root/tests/keys/TEST-ONLY-identity.txt")" >"$scratch/recipients"

# The sample fleet with the recipes of GitHub and GitLab in it, and its output, on main of HOST/NAME.git; prints its clone.
hosted() { # NAME
	local clone
	clone=$(fleet "$1")
	mkdir -p "$clone/.github/actions/osm-gen" "$clone/.github/workflows" "$clone/templates"
	cp "$recipes/github/action.yml" "$clone/.github/actions/osm-gen/"
	cp "$recipes/github/main.yml" "$recipes/github/pull-request.yml" "$recipes/github/shards.yml" "$recipes/github/comment.yml" "$recipes/github/proposal.yml" "$clone/.github/workflows/"
	cp -r "$recipes"/gitlab/templates/* "$clone/templates/"
	cp "$recipes/gitlab/.gitlab-ci.yml" "$clone/"
	commit_all "$clone" "recipes"
	"$program" --repo "$clone" -q || return 1
	git init -q --bare -b main "$host/$1.git"
	git -C "$clone" remote add origin "$host/$1.git"
	git -C "$clone" push -q origin main
	echo "$clone"
}

raise_kubelet() { # CLONE
	sed -i 's/kubelet: 1.34.1/kubelet: 1.34.2/' "$1/tests/fleet/prod-us-1/machinedeployments.yaml"
}

# What a run on this commit of main commits, whoever makes it: the one thing that each recipe has to push.
expected() { # CLONE
	git clone -q "$1" "$scratch/expected" && "$program" --repo "$scratch/expected" -q --allow-recipients "$scratch/recipients" &&
		git -C "$scratch/expected" rev-parse HEAD
	rm -rf "$scratch/expected"
}

pushed() { git -C "$host/$1.git" rev-parse main; } # NAME
not_pwned() { ok "$1: nothing hostile was run" test ! -e "$scratch/pwned"; }
