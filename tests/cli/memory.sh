#!/usr/bin/env bash
# What docs/security.md, "Keys", says of memory: keys and what is decrypted, derived or given by --secrets stand in
# locked memory, nothing of them is left at the end, and no other process of the user can look.
# Slow: measures memory of big fleets
# shellcheck source=tests/cli/_lib.sh
. "$(dirname "$0")/_lib.sh"
chmod 711 "$scratch"

read -ra compiler <<<"${CC:-cc}"
ok "the dumper" "${compiler[@]}" -O1 -D_GNU_SOURCE -shared -fPIC -o "$scratch/memory.so" "$here/_memory.c" -ldl

# ---- what is where ---------------------------------------------------------------------------------------
# A fleet that adopt filled: one cluster's token is encrypted, another's comes from --secrets, the third's is derived, and
# the fourth's is decrypted by the program sops. The third has an encrypted setting.
repo=$(fleet memory)
encrypted=TESTONLYencrypted0123456789abcdefg
mounted=TESTONLYmounted0123456789abcdefghi
asked=TESTONLYdecryptedbysops0123456789abc
variable=TESTONLYvariable0123456789abcdefgh
setting=TESTONLYproxy-us-5a1c
python3 - "$encrypted" >"$scratch/export.json" <<'PY'
import base64, json, sys
secret = {"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
          "metadata": {"namespace": "cloud-init-settings", "name": "cloud-init-getter-token"},
          "data": {"token": base64.b64encode(sys.argv[1].encode()).decode()}}
machines = {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"namespace": "kube-system", "name": "m", "annotations": {"k8c.io/operating-system-profile": "osp-ubuntu"}},
            "spec": {"template": {"spec": {"versions": {"kubelet": "1.35.2"}, "providerSpec": {"value": {
                "cloudProvider": "hetzner", "cloudProviderSpec": {"serverType": "x"}, "operatingSystem": "ubuntu", "operatingSystemSpec": {}}}}}}}
print(json.dumps({"apiVersion": "v1", "kind": "List", "items": [secret, machines]}))
PY
exits "adopt" 0 "$program" adopt "$scratch/export.json" --cluster edge-eu-1 --into "$repo/adopted"
token=$(grep -rl 'ENC\[' "$repo/adopted" | head -n 1)
ok "an encrypted Secret" mv "$token" "$repo/tests/fleet/edge-eu-1/getter-token.yaml"
rm -r "$repo/adopted"
cp -r "$repo/tests/fleet/edge-eu-1" "$repo/tests/fleet/edge-eu-2"
sed -i 's/edge-eu-1/edge-eu-2/' "$repo/tests/fleet/edge-eu-2/osm-gen.yaml"
mkdir -p "$scratch/mounted/edge-eu-2"
rm "$repo/tests/fleet/edge-eu-2/getter-token.yaml"
getter() { # TOKEN
	printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: cloud-init-getter-token, namespace: cloud-init-settings}\nstringData:\n  token: %s\n' "$1"
}
getter "$mounted" >"$scratch/mounted/edge-eu-2/token.yaml"
openstack "$repo/tests/fleet/prod-us-1" "username: u, domainName: d"
cp "$here/encrypted_settings/cluster.yaml" "$repo/tests/fleet/prod-us-1/osm-gen.yaml"
cp -r "$repo/tests/fleet/edge-eu-2" "$repo/tests/fleet/edge-eu-4"
sed -i 's/edge-eu-2/edge-eu-4/' "$repo/tests/fleet/edge-eu-4/osm-gen.yaml"
kms_secret "" >"$repo/tests/fleet/edge-eu-4/getter-token.yaml"
mkdir "$scratch/bin"
python3 "$here/_sops.py" "$scratch/bin/sops" "$scratch/sops.log" "$(printf %s "$asked" | base64 -w 0)" good
PATH=$scratch/bin:$PATH
commit_all "$repo" "secrets"
seen() { OS_PASSWORD=$variable MEMORY_DUMP=$scratch/dump LD_PRELOAD=$scratch/memory.so "$program" generate --repo "$repo" \
	--secrets "$scratch/mounted" --allow-program sops --allow-env OS_PASSWORD,OS_PASSWORD --no-commit -q -j 1 --report "json=$scratch/report.json"; }
exits "a run" 0 seen
derived=$("$program" unseal "$repo"/out/prod-us-1/worker/kube-system/secret-bootstrap-token-*.yaml | sed -n 's/^  token-secret: "\?\([^"]*\)"\?$/\1/p' | sort | head -n 1)
derived=$(base64 -d <<<"$derived" 2>/dev/null || echo "$derived")
ok "a derived token" grep -qxE '[a-z0-9]{16}' <<<"$derived"
# shellcheck disable=SC2034 # used by its name, below
identity=$(grep -v '^#' "$SOPS_AGE_KEY_FILE")

places() { # WHEN SECRET: the kinds of memory that hold it, raw or in base64
	python3 - "$scratch/dump.$1" "$2" <<'PY'
import base64, re, sys
data = open(sys.argv[1], "rb").read()
secret = sys.argv[2].encode()
forms = [secret] + [base64.b64encode(b"\0" * n + secret)[4 if n else 0:-4] for n in range(3)]
heads = list(re.finditer(rb"\n@@REGION (\w+) .*\n", data))
assert len(heads) > 20, heads
kinds = set()
for head, behind in zip(heads, heads[1:] + [None]):
    region = data[head.end():behind.start() if behind else len(data)]
    kinds |= {head[1].decode() for form in forms if form in region}
print(*sorted(kinds))
PY
}
# At this text the tokens of both clusters have been used, and the third's is at hand: all of them at some moment.
rm -f "$scratch"/dump.*
texts=$(grep -c . <(grep -rhoE 'ENC\[' "$repo/out"))
declare -A held=()
for number in 1 $((texts / 4)) $((texts / 2)) $((texts * 3 / 4)) $((texts - 1)); do
	rm -rf "$repo/out"
	export MEMORY_AT=$number
	exits "a run, seen at text $number" 0 seen
	unset MEMORY_AT
	ok "seen at text $number" test -s "$scratch/dump.sealing" -a -s "$scratch/dump.end"
	for name in encrypted mounted variable setting derived asked identity OSM_GEN_SEAL_SEED; do
		where=$(places sealing "${!name}")
		ok "text $number: $name is in locked memory only, not in: $where" test "$where" = locked -o -z "$where"
		held[$name]+=$where
		same "text $number: nothing of $name is left at the end" "" "$(places end "${!name}")"
	done
done
for name in encrypted mounted variable setting derived asked identity OSM_GEN_SEAL_SEED; do
	ok "$name was in memory" test -n "${held[$name]}"
done
# The dumps show plain memory, too, at both moments: a path is no secret.
for when in sealing end; do
	ok "what is no secret is found, $when" grep -q unlocked <<<"$(places $when tests/fleet/edge-eu-2/machinedeployments.yaml)"
done

# Other commands that have them in hand.
git -C "$repo" clean -fdq out
inputs=(--repo "$repo" --secrets "$scratch/mounted" --allow-program sops --allow-env OS_PASSWORD)
left() { # STATUS COMMAND ARGUMENTS...: with those variables that it takes
	local status=$1 name="$2 $3" given=()
	shift
	[[ " $* " == *" --allow-env "* ]] && given=(OS_PASSWORD="$variable")
	[[ $1 == unseal || $1 == observe ]] && given=(-u OSM_GEN_SEAL_SEED)
	rm -f "$scratch/dump.end"
	exits "$name" "$status" env "${given[@]}" MEMORY_DUMP="$scratch/dump" LD_PRELOAD="$scratch/memory.so" "$program" "$@"
	for secret in encrypted mounted variable setting derived asked identity OSM_GEN_SEAL_SEED; do
		same "$name: nothing of $secret is left at the end" "" "$(places end "${!secret}")"
	done
	same "$name: no stack keeps what a library left there" "" "$(places end "left on the stack by a library")"
}
left 1 check "${inputs[@]}"
left 1 diff "${inputs[@]}"
left 0 plan "${inputs[@]}"
left 0 render "${inputs[@]}" --machine-deployment edge-eu-2/kube-system/workers --print bootstrap
left 0 generate "${inputs[@]}"
left 0 check "${inputs[@]}"
left 0 verify --repo "$repo"
left 1 compare --live "$scratch/export.json" --cluster edge-eu-1 "${inputs[@]}"
left 1 observe "$scratch/export.json" --cluster edge-eu-1 --repo "$repo"
left 0 adopt "$scratch/export.json" --cluster again --into "$repo/again"
rm -r "$repo/again"
left 0 render "${inputs[@]}" --machine-deployment edge-eu-2/kube-system/workers --print bootstrap --reveal
left 0 unseal "$repo"/out/*/worker/*/secret-*.yaml

# What sops was given: no secret of the run in its arguments or its environment, and it writes no file here.
ok "sops ran" test -s "$scratch/sops.log"
python3 - "$scratch/sops.log" "$encrypted" "$mounted" "$variable" "$setting" "$derived" "$asked" "$identity" "$OSM_GEN_SEAL_SEED" >"$scratch/seen" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    call = json.loads(line)
    for secret in sys.argv[2:]:
        assert secret not in json.dumps(call), "a secret was passed on"
    assert call["core"] == [0, 0], call["core"]
print("checked")
PY
same "what sops was given" checked "$(cat "$scratch/seen")"

# ---- other processes ---------------------------------------------------------------------------------------
# As somebody who is not root: root may look into everything.
as_user=()
if [ "$(id -u)" -eq 0 ]; then
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
mkdir "$scratch/open"
cp "$program" "$scratch/open/osm-gen"
chmod 755 "$scratch/open" "$scratch/open/osm-gen"
mkfifo -m 666 "$scratch/open/fifo"
sealed=$(grep -rl '^sops:' "$repo/out" | sort | head -n 1)
cp "$sealed" "$scratch/open/sealed.yaml"
cp "$SOPS_AGE_KEY_FILE" "$scratch/open/identity.txt"
chmod 644 "$scratch"/open/*.*
cat >"$scratch/open/look.py" <<'PY'
"""Another process of the same user: look.py COMMAND... starts it, and prints what can be had of it while it waits."""
import ctypes, os, resource, signal, subprocess, sys, time
# As far as one may: what the command says of itself counts.
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
child = subprocess.Popen(sys.argv[1:], cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for _ in range(400):
    if open(f"/proc/{child.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "S" and open(f"/proc/{child.pid}/comm").read().strip() != "python3":
        break
    time.sleep(0.05)
else:
    sys.exit("it does not wait")
for what in ("environ", "maps", "mem", "auxv"):
    try:
        with open(f"/proc/{child.pid}/{what}", "rb") as file:
            print(what, "" if what == "mem" else len(file.read(100)) > 0)
    except PermissionError:
        print("no", what)
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(16, child.pid, None, None) == 0:  # PTRACE_ATTACH, then PTRACE_DETACH
    print("traced")
    os.waitpid(child.pid, 0)
    libc.ptrace(17, child.pid, None, None)
else:
    print("no tracing")
if sys.argv[1].endswith("osm-gen"):
    print(*(line.split()[-2] for line in open(f"/proc/{child.pid}/limits") if line.startswith("Max core")), "bytes of core at most")
child.send_signal(signal.SIGSEGV)
_, status = os.waitpid(child.pid, 0)
print("core" if os.WCOREDUMP(status) else "no core", "after signal", os.WTERMSIG(status))
PY
chmod 644 "$scratch/open/look.py"
look() { env -u OSM_GEN_SEAL_SEED -u SOPS_AGE_KEY_FILE PATH=/usr/bin:/bin timeout -k 5 60 "${as_user[@]}" python3 "$scratch/open/look.py" "$@"; }
exits "a program like others" 0 look cat "$scratch/open/fifo"
ok "can be looked into" grep -q '^environ True' "$scratch/out"
# Whether it can be traced, and leaves a core, is up to the system.
others=$(cat "$scratch/out")
exits "osm-gen" 0 look "$scratch/open/osm-gen" adopt "$scratch/open/fifo" --cluster x --into "$scratch/none"
for what in environ maps mem auxv; do
	ok "not at $what" grep -q "^no $what" "$scratch/out"
done
ok "not traced" grep -qx "no tracing" "$scratch/out"
ok "no core, whatever the limit was" grep -qx "0 bytes of core at most" "$scratch/out"
ok "no core after a crash" grep -qx "no core after signal 11" "$scratch/out"
grep -q '^traced' <<<"$others" || skip "this system lets nobody trace: that osm-gen forbids it is seen at /proc alone"
grep -q '^core' <<<"$others" || skip "this system writes no core of any program"

# Where nothing may be locked, the run goes on.
# shellcheck disable=SC2016 # expanded by that shell
exits "no memory may be locked" 0 env -u OSM_GEN_SEAL_SEED SOPS_AGE_KEY_FILE="$scratch/open/identity.txt" "${as_user[@]}" \
	bash -c 'ulimit -l 0 && exec "$@"' bash "$scratch/open/osm-gen" unseal --force "$scratch/open/sealed.yaml"
finish
