"""osm-gen's output, from a commit to machines, in clusters of real programs: three kube-apiservers (a management cluster and
two worker clusters, one etcd), Flux's source- and kustomize-controller, machine-controller with its kubevirt provider, the
controller's webhooks, and a machine whose cloud-init runs the user-data that machine-controller gave its platform.

The loop, with `out/flux/` as it is generated: first apply, a MachineDeployment changed, a profile changed, removed, reverted,
rotated (tokens, recipients, seed), damaged, a lost race (steps.py). After each step every live object equals `osm-gen unseal`
of its file (live.py), and `osm-gen observe` finds both clusters settled; mistakes made on purpose show that the checks can fail
(mistakes.py). Nothing can leave: all of it sits in a network namespace with nothing but loopback, and ends with this
process.

What stands in: for KubeVirt, the CustomResourceDefinitions with its own schemas, in the management cluster, where the test
says that VirtualMachines run; for kubelets, Nodes that the test writes (nodes.py); Debian for Ubuntu on the machine that boots,
where no kubelet is in the end (make node-test has one that joins); nothing for kube-controller-manager. machine-controller is
built with its provider kubevirt alone, since the proxy does not give out a module that Anexia's needs. etcd is taken out of
Debian's package and not installed, which would start a service. Needs root, for namespaces, and is skipped without.

main.py pools: in its place, MachineDeployments of the output, with a real API server, machine-controller and its webhook
(pools.py).

main.py first-apply: in its place, an adopted cluster that several programs applied, from its export to the first apply with Flux and with
Argo CD (first_apply.py).

main.py [bench [UNITS]]: in the place of the loop, the time that Flux takes for a reconciliation that changes nothing, of a
cluster with 1,000 MachineDeployments, cut into parts and as a whole (bench.py).

main.py machine-controller-manager: in its place, MachineClasses with the real machine-controller-manager (mcm.py).

main.py gardener [downloader|node-agent] [SYSTEM]: in the place of the loop, the flows of Gardener's contracts on machines with a kubelet
(gardener.py).

main.py joining: in the place of the loop, the rights of the two tokens of gardenerFlow: downloader, with an API server alone
(joining.py).
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback

import bench
import boots
import builds
import first_apply
import gardener
import joining
import machine
import mcm
import nodelib
import plane
import pools
import servers
import shoot
import steps

TOOLS = ("unshare", "nsenter", "setpriv", "ip", "openssl", "git", "dpkg-deb", "apt-get")
# What the planes and the machine need of this system, tried on nothing.
PROBE = f"""set -e
d=$1
mount -t tmpfs tmpfs "$d"
mkdir "$d/a" "$d/b" "$d/c" "$d/d" "$d/e"
mount -t overlay -o "lowerdir=$d/a,upperdir=$d/b,workdir=$d/c" overlay "$d/d"
mount -t cgroup2 cgroup "$d/e"
mkdir "$d/e/osm-gen-test-${{d##*/}}"
rmdir "$d/e/osm-gen-test-${{d##*/}}"
ip link set lo up
ip address add {plane.ADDRESS}/24 dev lo
"""


def skip(reason):
    print(f"skip  cluster: {reason}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


def outside(arguments):
    """Everything that needs the network, then the rest of this file where there is none."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    reason = machine.why_not(TOOLS, PROBE, "namespaces, overlay or cgroups")
    if reason:
        skip(reason)
    part = "".join(arguments[:1])
    names = {"bench": builds.FOR_BENCH, "pools": builds.FOR_POOLS, "first-apply": builds.FOR_FIRST_APPLY, "gardener": builds.FOR_GARDENER,
             "joining": builds.FOR_JOINING, "machine-controller-manager": builds.FOR_MCM}.get(part, builds.FOR_LOOP)
    began = time.monotonic()
    try:
        paths = builds.get(names)
        image = boots.image({"": {f"image of {name}": age for name, (age, _) in boots.SYSTEMS.items()},
                             "gardener": {"image": shoot.AGE}}.get(part, {}))
        if part == "gardener" and not image:
            raise OSError("no image of a machine")
    except OSError as error:
        skip(str(error))
    except AssertionError as error:
        t = nodelib.Checks()
        t.check("the programs", False, error)
        t.finish()
    times = builds.seconds(names)
    print(f"note  programs: there after {time.monotonic() - began:.0f} s; a cold build of them took {sum(times.values())} s ("
          + ", ".join(f"{name} {value}" for name, value in times.items()) + ")", flush=True)
    found = json.dumps({name: str(path) for name, path in {**paths, **image}.items()})
    os.execvp("unshare", [*machine.NAMESPACES, sys.executable, "-B", __file__, "--inside", found, *arguments])


def inside(programs, arguments):
    # The programs, mounts and network end with this process however it ends; the scratch folder, cgroups and the agent of gpg
    # need a regular end, which SIGTERM is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    t, began, load = nodelib.Checks(), time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="cluster-test-") as name:
        scratch = pathlib.Path(name)
        servers.run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", scratch)
        for command in ("link set lo up", f"address add {plane.ADDRESS}/24 dev lo"):
            servers.run("ip", *command.split())
        processes = plane.Processes(scratch)
        run = {"bench": bench.run, "pools": pools.run, "first-apply": first_apply.run, "gardener": gardener.run,
               "joining": joining.run, "machine-controller-manager": mcm.run}.get("".join(arguments[:1]), steps.run)
        try:
            run(t, scratch, processes, programs, *arguments[1:])
        except Exception as error:  # whatever it is, the logs say more
            t.check("the way to its end", False, "".join(traceback.format_exception(error)))
            for process in processes.running:
                print(f"---- {process}\n{processes.log(process)[-1500:]}")
        finally:
            processes.close()
            machine.unmount(scratch)
    used = os.times()
    print(f"note  cluster: {time.monotonic() - began:.0f} s, {sum(used[:4]):.0f} s of processor time; the load was {load:.1f} "
          f"before, of {os.cpu_count()} cores")
    t.finish()


if __name__ == "__main__":
    os.environ["PATH"] = machine.PATH + ":" + os.environ["PATH"]  # root's, wherever this is started from, and Go's
    if sys.argv[1:2] == ["--inside"]:
        inside({name: pathlib.Path(path) for name, path in json.loads(sys.argv[2]).items()}, sys.argv[3:])
    else:
        outside(sys.argv[1:])
