"""What an extension adds to the profile of the machine that joins: NVIDIA's runtime, a sysctl, a proxy's CA, a kubelet's
drop-in. Where NVIDIA's program would be stands one that hands over to runc."""

import tomllib

import fleet

NAME = f"500-{fleet.EXTENSION}"
RUNTIME, USED = "/usr/bin/nvidia-container-runtime", "/var/log/nvidia-container-runtime"
SETTING = ("net.core.somaxconn", 5000)


def spec(proxy_ca, max_pods):
    return {
        "provisioningConfig": {"files": [{"path": RUNTIME, "permissions": 755, "content": {"inline": {
            "data": f'#!/bin/sh\necho "$*" >>{USED}\nexec runc "$@"\n'}}}]},
        "sysctls": dict([SETTING]), "caCertificates": [proxy_ca.crt.read_text()],
        "kubelet": {"configuration": f"maxPods: {max_pods}\n"}, "containerd": {"nvidia": True},
    }


def on_node(t, m, proxy_ca, origin):
    dumped = m.run("containerd", "config", "dump")
    tree = tomllib.loads(dumped.stdout)["plugins"]
    if origin == "site":
        images, cri = tree["io.containerd.cri.v1.images"], tree["io.containerd.cri.v1.runtime"]
        pause, folders = images["pinned_images"]["sandbox"], cri["cni"]["bin_dirs"]
    else:
        images = cri = tree["io.containerd.grpc.v1.cri"]
        pause, folders = cri["sandbox_image"], [cri["cni"]["bin_dir"]]
    runtimes = cri["containerd"]["runtimes"]
    options = {name: runtime["options"] for name, runtime in runtimes.items()}
    t.equal("extension: containerd's runtimes", {name: given.get("BinaryName") or "" for name, given in options.items()},
            {"runc": "", "nvidia": RUNTIME})
    t.equal("extension: with systemd's cgroups", {name: given.get("SystemdCgroup") for name, given in options.items()},
            {"runc": True, "nvidia": True})
    t.equal("extension: containerd has what the profile configures, too", (images["registry"]["config_path"], pause, folders),
            ("/etc/containerd/certs.d", "registry.example.test/pause:3.10", ["/opt/cni/bin"]))
    trusted = m.read("/etc/ssl/certs/ca-certificates.crt")
    t.equal("extension: the proxy's CA is trusted, once", trusted.count(proxy_ca.crt.read_text().strip()), 1)
    name, value = SETTING
    t.equal("extension: the kernel's setting is loaded", m.kernel_setting(name), str(value))


def used(m):
    """Containers were created with the runtime, and not those of the Pods before."""
    lines = [line for line in m.read(USED).splitlines() if " create " in f" {line} "]
    return 1 <= len(lines) <= 2
