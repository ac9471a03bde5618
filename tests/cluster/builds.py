"""The programs of the clusters: built from their published modules, or taken out of Debian's packages, once.

They are kept in build/cluster, or in the folder that CLUSTER_PROGRAMS names, and found there without Go or network.
"""

import os
import pathlib
import signal
import subprocess

import nodelib
import programs

KEPT = pathlib.Path(os.environ.get("CLUSTER_PROGRAMS") or nodelib.ROOT / "build" / "cluster")
# The program's name in its folder, when it has one that is not the folder's.
VERSIONS = {"kube-apiserver": ("v1.33.13", None), "kubectl": ("v1.33.13", None), "source-controller": ("v1.9.3", None),
            "kustomize-controller": ("v1.9.5", None), "machine-controller": ("v1.66.0", None),
            "machine-controller-webhook": ("v1.66.0", "webhook"),
            "operating-system-manager": ("v1.11.0", "webhook"), "kubevirt": ("v1.4.0", ""),
            "kube-controller-manager": ("v1.33.13", None), "kubelet": ("v1.33.13", None), "containerd": ("debian", None),
            "gardener-node-agent": ("v1.145.0", None), "gardener-resource-manager": ("v1.145.0", None),
            "machine-controller-manager": ("v0.61.3", None),
            "argocd-sync": ("v0.7.1-0.20250905160054-e48120133eec", None), "source-controller-definitions": ("v1.9.3", ""),
            "machine-controller-definitions": ("v1.66.0", ""), "operating-system-manager-definitions": ("v1.11.0", "")}
CANNOT_BE_HAD = 3  # build.sh's status without Go, or without the module
FOR_LOOP = ("kube-apiserver", "kubectl", "source-controller", "kustomize-controller", "machine-controller",
            "operating-system-manager", "kubevirt")
FOR_GARDENER = ("kube-apiserver", "kube-controller-manager", "kubelet", "containerd", "gardener-node-agent",
                "gardener-resource-manager")
FOR_JOINING = ("kube-apiserver",)
FOR_MCM = ("kube-apiserver", "machine-controller-manager")
FOR_POOLS = (*FOR_LOOP, "machine-controller-webhook")
FOR_FIRST_APPLY = ("kube-apiserver", "kustomize-controller", "argocd-sync", "source-controller-definitions",
                   "machine-controller-definitions", "operating-system-manager-definitions")
FOR_BENCH = ("kube-apiserver", "source-controller", "kustomize-controller", "operating-system-manager")


def get(names=tuple(VERSIONS)):
    """name -> the program, and name + "/" -> its folder; OSError says what cannot be had here, AssertionError what is here
    and does not build."""
    paths = {}
    environment = {**os.environ, "PROGRAMS": str(KEPT)}
    for name in names:
        version, program = VERSIONS[name]
        status, printed = build([programs.BUILD, name, version], environment)
        if status == CANNOT_BE_HAD:
            raise OSError(f"{name} {version} cannot be had")
        if status:
            raise AssertionError(f"{name} {version} does not build")
        folder = pathlib.Path(printed.strip())
        paths[f"{name}/"], paths[name] = folder, folder / (name if program is None else program)
    # A node of Kubernetes has runc, and of Gardener perhaps Ignition; a cluster of API servers alone has none.
    packages = ["etcd-server", *(["runc", "ignition"] if "containerd" in names else [])]
    found = programs.from_debian(KEPT / "debian", packages)
    return {**paths, **found, "etcd": found["etcd-server"]}


def build(command, environment):
    """A build's status and what it has printed. When this process is interrupted, the build takes away what it has made: it is
    in a session of its own, all of which ends then."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True) as process:
        try:
            printed = process.communicate()[0]
            return process.returncode, printed
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise


def seconds(names=tuple(VERSIONS)):
    """How long each one's build took, of those that were timed."""
    files = {name: KEPT / f"{name}-{VERSIONS[name][0]}.seconds" for name in names}
    return {name: int(file.read_text()) for name, file in files.items() if file.exists()}
