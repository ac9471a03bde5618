#!/usr/bin/env python3
"""Runs steps as a kubelet would: container.py STEPS.json IMAGE VOLUMES CERTIFICATE

STEPS.json is what go/ prints. Each script runs in namespaces of its own, in a root that holds this system's programs and those of
IMAGE, all of it to be read only, and the volumes: VOLUMES/NAME at the path that the step mounts it, to be
written where the step may. It runs as the step's user, without capabilities and without more privileges than that; a machine
that lets nobody else make namespaces has it as its own user. The host's network is there, for the repositories on it.
CERTIFICATE is what curl and git trust. Exit status: the first step's that fails."""
import json
import os
import subprocess
import sys

steps_path, image, volumes, certificate = sys.argv[1:]

# Arguments: root, number of mounts, then NAME-DIR PATH rw|ro each, then the command.
INSIDE = r"""
root=$1 image=$2 certificate=$3 workdir=$4 user=$5 count=$6
shift 6
mount -t tmpfs -o mode=755 tmpfs "$root"
for folder in usr etc bin sbin lib lib64; do
    [ -e "/$folder" ] || continue
    if [ -L "/$folder" ]; then cp -P "/$folder" "$root/$folder"; continue; fi
    mkdir "$root/$folder"
    mount --rbind "/$folder" "$root/$folder"
done
mkdir "$root/dev" "$root/proc" "$root/image"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
mount --bind "$image" "$root/image"
cp "$certificate" "$root/ca.pem"
while [ "$count" -gt 0 ]; do
    mkdir -p "$root$2"
    mount --bind "$1" "$root$2"
    [ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
    shift 3
    count=$((count - 1))
done
mount -o remount,ro "$root"
exec chroot "$root" /usr/bin/setpriv $user --bounding-set=-all --inh-caps=-all --no-new-privs \
    /usr/bin/env -C "$workdir" "$@"
"""


def run(step):
    root = os.path.join(volumes, ".root")
    os.makedirs(root, exist_ok=True)
    privileged = os.geteuid() == 0
    if privileged:
        for name in os.listdir(volumes):
            if name != ".root":
                subprocess.run(["chown", "-R", f"{step['user']}:{step['user']}", os.path.join(volumes, name)], check=True)
    mounts = []
    for mount in step["mounts"]:
        mounts += [os.path.join(volumes, mount["name"]), mount["path"], "ro" if mount["readOnly"] else "rw"]
    user = f"--reuid={step['user']} --regid={step['user']} --clear-groups" if privileged else ""
    if not step["readOnlyRoot"] or step["escalation"] or step["user"] == 0:
        sys.exit("a step that is not confined")
    # A script with a line #! runs by it, as Tekton has it; else the command reads it, as Argo has it.
    script = os.path.join(volumes, "results", ".script") if "results" in [m["name"] for m in step["mounts"]] else \
        os.path.join(volumes, "report", ".script")
    with open(script, "w") as file:
        file.write(step["script"])
    os.chmod(script, 0o755)
    inside = next(m["path"] for m in step["mounts"] if os.path.dirname(script) == os.path.join(volumes, m["name"]))
    environment = {"PATH": "/image:/usr/local/bin:/usr/bin:/bin", "HOME": "/", "GIT_CONFIG_NOSYSTEM": "1", "GIT_SSL_CAINFO": "/ca.pem",
                   "CURL_CA_BUNDLE": "/ca.pem",
                   "PWNED": inside + "/pwned", **step["env"]}
    command = (step["command"] or []) + [inside + "/.script"]
    words = ["unshare", "--mount", "--ipc", "--uts"] + ([] if privileged else ["--user", "--map-root-user"])
    words += ["sh", "-euc", INSIDE, "sh", root, image, certificate, step["workingDir"], user, str(len(mounts) // 3), *mounts]
    words += ["/usr/bin/env", "-i", *[f"{name}={value}" for name, value in environment.items()], *command]
    status = subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode
    os.unlink(script)
    if os.path.exists(os.path.join(os.path.dirname(script), "pwned")):
        open(os.environ["PWNED"], "w").close()
    return status


for one in json.load(open(steps_path)):
    result = run(one)
    if result:
        sys.exit(result)
