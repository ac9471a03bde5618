"""A machine joins a cluster: from the worker tree that osm-gen wrote to a Pod that runs, with real programs all the way.

etcd, kube-apiserver and kube-controller-manager hold the worker tree of a repository that went through osm-gen. A machine
(node.py) with systemd, Debian's cloud-init and the Ubuntu profile's user-data, unedited, boots; `bootstrap` fetches the
provisioning Secret, `setup` installs containerd, runc, CNI plugins and the kubelet from mirrors that the profile's settings
name, the profile's units start them, the kubelet asks for its certificates. A registry stands behind the cluster's
registry mirror. Nothing can leave: cluster and machine have a network namespace each, and one cable between them.

What stands in: Debian 12 for Ubuntu, with a file where Ubuntu has systemd-resolved; crictl (its module is not
published), which asks containerd all the same, and kubectl, which nothing on a node calls; Docker's packaging of
containerd; modprobe, the real one, but configured with what to run instead of loading modules; the kernel's settings, swap list,
messages and clock, which are not the machine's to change or read here; the address of eth0, set before systemd instead of
asked for; where this system lacks CAP_SYS_RESOURCE, oomScoreAdj of containers; and for the cluster's own parts, the test:
it approves the serving certificate, writes the CNI configuration, says which node a Pod runs on.
Needs root and cgroups, and is skipped without.

main.py [site|system [whole|split]]: containerd 2 from the site's own repository, or containerd 1.6 from the system's, Debian's;
the value of the setting provisioning. With split, the machine meets no ConfigMap, a changed one, and an API server that stops
after it has given the Secret.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import checks
import image
import machine
import node
import nodelib
import programs
import scene
import servers

TOOLS = ("mmdebstrap", "unshare", "nsenter", "setpriv", "ip", "openssl", "gpg", "gpg-agent", "gpgconf", "dpkg-deb", "git", "go",
         "apt-get")
# What the surroundings need of this system, tried on nothing; the cgroups are tried by node.Cgroups.
PROBE = """set -e
d=$1
mount -t tmpfs tmpfs "$d"
mkdir "$d/a" "$d/b" "$d/c" "$d/d"
mount -t overlay -o "lowerdir=$d/a,upperdir=$d/b,workdir=$d/c" overlay "$d/d"
ip link set lo up
ip link add one type veth peer name two
ip link add three type bridge
"""


def skip(reason):
    print(f"skip  join: {reason}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def outside(origin="site", provisioning="whole"):
    """Everything that needs the network, then the rest of this file where there is none."""
    reason = machine.why_not(TOOLS, PROBE, "namespaces, overlay, veth or bridge")
    if reason:
        skip(reason)
    try:
        made = image.get(scene.AGE)
        debian = programs.from_debian(nodelib.ROOT / "build" / "join")
        paths = {"image": made, **debian, "containerd": programs.built("containerd", programs.CONTAINERDS[origin][1]),
                 "cni": programs.built("cni-plugins", programs.CNI)}
        for name in ("kubelet", "kube-apiserver", "kube-controller-manager"):
            paths[name] = programs.built(name, programs.KUBERNETES) / name
    except OSError as error:
        skip(str(error))
    os.execvp("unshare", [*machine.NAMESPACES, sys.executable, "-B", __file__, "--inside", origin, provisioning,
                          json.dumps({name: str(path) for name, path in paths.items()})])


def inside(origin, provisioning, paths):
    # Processes, mounts and network end with this process however it ends; the scratch folder and cgroups need a regular end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    t = nodelib.Checks()
    with tempfile.TemporaryDirectory(prefix="join-test-") as name:
        scratch = pathlib.Path(name)
        servers.run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", scratch)
        servers.run("ip", "link", "set", "lo", "up")
        cgroups = node.Cgroups(scratch / "cgroups")
        site = scene.Site(scratch, paths, cgroups, origin, provisioning)
        try:
            if not cgroups.open():
                skip("no cgroup controllers to hand down to a machine")
            site.open()
            site.start_cluster()
            checks.starts(t, site)
            checks.joins(t, site)
            checks.client_certificate(t, site)
            checks.token_rights(t, site)
            checks.serving_certificate(t, site)
            checks.effective_configuration(t, site)
            checks.ready(t, site)
            checks.pods_run(t, site)
            checks.extended(t, site)
            checks.units(t, site)
            checks.restarts(t, site)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            t.check("the way to its end", False, f"{type(error).__name__}: {error}")
            print(site.describe())
        finally:
            site.close()
            cgroups.close()
            machine.unmount(scratch)
    t.finish()


if __name__ == "__main__":
    os.environ["PATH"] = machine.PATH + ":" + os.environ["PATH"]  # root's, wherever this is started from, and Go's
    if sys.argv[1:2] == ["--inside"]:
        inside(*sys.argv[2:4], {name: pathlib.Path(path) for name, path in json.loads(sys.argv[4]).items()})
    else:
        outside(*sys.argv[1:])
