"""What the site adds to its profile by an extension, and what becomes of it on a machine."""

import re

import fleet
import yaml
from nodelib import in_order

NAME = f"500-{fleet.EXTENSION}"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX of-an-extension"
SEEN = "/var/log/extension-commands"
MAX_PODS = 201
UNITS = ("agent.service", "chrony.service", "cups.service", "avahi-daemon.service")
# In the archive for pools of other providers, and started by nothing here.
PACKAGE = "qemu-guest-agent"


def extension(proxy_ca):
    """A proxy's CA, a package, settings of the kernel, the kubelet and containerd, units: there, absent and changed."""
    note = f"echo $(hostname) %s >>{SEEN}"
    return {
        "packages": [PACKAGE], "kernelModules": ["dummy"], "sysctls": {"net.core.somaxconn": 5000},
        "caCertificates": [proxy_ca.crt.read_text()],
        "sshKeys": [{"user": "debian", "keys": [KEY]}, {"user": "root", "keys": [KEY]}],
        "units": [
            {"name": "agent.service", "enable": True,
             "dropIns": [{"name": "10-files.conf", "content": "[Service]\nLimitNOFILE=1024\n"}],
             "content": "[Unit]\nDescription=Agent of the site\n\n[Service]\nExecStart=/bin/sleep infinity\n\n"
                        "[Install]\nWantedBy=multi-user.target\n"},
            {"name": "containerd.service", "dropIns": [{"name": "90-weight.conf", "content": "[Service]\nCPUWeight=200\n"}]},
            {"name": "chrony.service", "dropIns": [{"name": "90-weight.conf", "content": "[Service]\nCPUWeight=200\n"}]},
            {"name": "cups.service", "mask": True}, {"name": "avahi-daemon.service", "enable": False},
            {"name": "ssh.socket", "enable": False}],
        "commands": {"beforeSetup": [note % "before-setup", "test -s /etc/ssl/certs/ca-certificates.crt"],
                     "beforeKubelet": [note % "before-kubelet", f"dpkg-query --show {PACKAGE}",
                                       "systemctl is-active containerd"],
                     "afterSetup": [note % "after-setup"]},
        "kubelet": {"configuration": f"maxPods: {MAX_PODS}\n"},
        "containerd": {"nvidia": True, "configuration": "oom_score = -998\n"},
    }


def on_node(t, m, name, proxy_ca):
    """The finished node; stage 2 had several attempts."""
    said = m.journal("setup")
    t.equal("extension: in order", in_order(
        said, "setup: installing the host CA bundle", "setup: trusting the extensions' certificates", "1 added",
        "setup: adding an SSH key of debian", "setup: adding an SSH key of root", f"before-setup/{NAME}.sh",
        "setup: installing packages", "setup: loading kernel modules", f"setup: installing {PACKAGE}",
        f"Setting up {PACKAGE}", "setup: loading the kernel module dummy", "setup: downloading",
        "setup: enable agent.service", "setup: restart containerd.service", "setup: restart chrony.service",
        "there is no chrony.service to be restarted", "setup: mask cups.service", "setup: disable avahi-daemon.service",
        f"before-kubelet/{NAME}.sh", "setup: starting kubelet.service", f"after-setup/{NAME}.sh", "setup: done"), None)
    seen = m.read(SEEN).splitlines()
    t.equal("extension: its last commands, in order", seen[-3:],
            [f"{name} {moment}" for moment in ("before-setup", "before-kubelet", "after-setup")])
    t.equal("extension: commands that come late are for an attempt that comes so far",
            [line for line in seen if "before-setup" not in line], seen[-2:])
    trusted = m.read("/etc/ssl/certs/ca-certificates.crt")
    t.equal("extension: the CA is trusted, once", trusted.count(proxy_ca.crt.read_text().strip()), 1)
    t.equal("extension: keys, once", [m.read(f"{home}/.ssh/authorized_keys").count(KEY)
                                      for home in ("/home/debian", "/root")], [1, 1])
    t.check("extension: the platform's key is still there", fleet.KEY in m.read("/home/debian/.ssh/authorized_keys"))
    owner = m.run("stat", "--format=%U:%G %a", "/home/debian/.ssh/authorized_keys", "/home/debian/.ssh").stdout.splitlines()
    t.equal("extension: the keys are their user's", owner, ["debian:debian 600", "debian:debian 700"])
    t.equal("extension: the kernel's setting is loaded", m.kernel_setting("net.core.somaxconn"), "5000")
    status = m.run("dpkg-query", "--show", "--showformat=${db:Status-Status}", PACKAGE).stdout
    t.equal("extension: the package is installed", status, "installed")
    t.equal("extension: units", [m.run("systemctl", *words).stdout.strip() for words in (
        ("is-active", "agent"), ("is-enabled", "agent"), ("is-enabled", "cups"), ("is-enabled", "ssh.socket"))],
            ["active", "enabled", "masked", "disabled"])
    shown = m.run("systemctl", "show", "agent", "containerd", "--property=LimitNOFILESoft,CPUWeight").stdout
    t.check("extension: drop-ins hold", "LimitNOFILESoft=1024\n" in shown and "CPUWeight=200\n" in shown, shown)
    runtime = yaml.safe_load(m.read("/var/lib/containerd-seen.json"))
    imported = runtime["imported"][f"/etc/containerd/conf.d/{NAME}.toml"]
    runtimes = imported["plugins"]["io.containerd.cri.v1.runtime"]["containerd"]["runtimes"]
    t.equal("extension: containerd finds NVIDIA's runtime and the site's setting",
            (imported["oom_score"], list(runtimes)), (-998, ["nvidia"]))
    t.check("extension: nothing has failed over it", not re.search(r"setup: error: /opt/osm-node", said), said)
