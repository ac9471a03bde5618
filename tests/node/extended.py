"""Extensions for the tests of nodes: two for every profile, so that their order shows, and what only some systems take."""

import functools
import subprocess

import nodelib

FIRST, SECOND = "100-site", "900-team"
KEYS = {"own": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX own",
        "root": 'from="192.0.2.0/24" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX its',
        "team": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX team"}
# The user that an image of the system has for its owner.
USERS = {"ubuntu": "ubuntu", "rockylinux": "rocky", "rhel": "cloud-user", "amzn2": "ec2-user", "flatcar": "core"}
# Settings of containerd, in both versions of its format, with those that the profiles themselves make beside them.
IMAGES = '[plugins."io.containerd.cri.v1.images"]\nimage_pull_progress_timeout = "7m0s"\n'
OLD_IMAGES = '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.crun]\nruntime_type = "io.containerd.runc.v2"\n'
MAX_PODS, LOG_SIZE = 201, "33Mi"
REPLACED, REPLACED_UNIT = "/etc/crictl.yaml", "kubelet-healthcheck.service"


@functools.cache
def authority(name):
    """The text of a CA's certificate."""
    return subprocess.run(
        ["openssl", "req", "-x509", *nodelib.NEW_KEY, "-days", "2",
         "-subj", f"/CN={name}", "-keyout", "/dev/null"], capture_output=True, text=True, check=True).stdout


def extension(name, order, spec, **selector):
    return {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemProfileExtension", "metadata": {"name": name},
            "spec": {"order": order, "selector": selector, **spec}}


def site():
    """What a site adds everywhere: a CA of its proxy, an agent, settings of the kernel, the kubelet and containerd."""
    return {
        "bootstrapConfig": {"files": [{"path": "/etc/site/early", "content": {"inline": {"data": "early\n"}}}]},
        "provisioningConfig": {"files": [
            {"path": "/etc/site/late", "permissions": 600,
             "content": {"inline": {"data": "{{ .KubeVersion }} on {{ .CloudProviderName }}\n"}}}]},
        "caCertificates": [authority("proxy-1") + authority("proxy-2")],
        "sshKeys": [{"keys": [KEYS["own"]]}, {"user": "root", "keys": [KEYS["root"]]}],
        "kernelModules": ["nf_conntrack", "dummy"],
        "sysctls": {"net.core.somaxconn": 4096, "vm.max_map_count": "262144"},
        "units": [
            {"name": "agent@site.service", "enable": True,
             "content": "[Unit]\nDescription=Agent\n\n[Service]\nExecStart=/usr/bin/env sleep infinity\n\n"
                        "[Install]\nWantedBy=multi-user.target\n",
             "dropIns": [{"name": "10-limits.conf", "content": "[Service]\nLimitNOFILE=1024\n"}]},
            {"name": "cups.service", "mask": True}, {"name": "avahi-daemon.service", "enable": False},
            {"name": "containerd.service", "dropIns": [{"name": "90-weight.conf", "content": "[Service]\nCPUWeight=200\n"}]}],
        "commands": {"beforeSetup": ["site before setup"], "afterSetup": ["site after setup"],
                     "beforeKubelet": ["site before kubelet", "for i in 1 2; do\n  site loop \"$i\"\ndone\n"]},
        "kubelet": {"configuration": f"maxPods: {MAX_PODS}\ncontainerLogMaxSize: {LOG_SIZE}\n"},
        "containerd": {"nvidia": True, "configuration": IMAGES, "configurationVersion2": OLD_IMAGES},
    }


def team():
    return {"sshKeys": [{"keys": [KEYS["team"], KEYS["own"]]}], "caCertificates": [authority("team")],
            "sysctls": {"fs.inotify.max_user_watches": 524288},
            "commands": {"beforeSetup": ["team before setup"], "afterSetup": ["team after setup"]},
            "kubelet": {"configuration": "podPidsLimit: 4096\n"}}


def replacing():
    """A file and a unit in the place of the profile's."""
    unit = ("[Unit]\nDescription=Looks after the kubelet\n\n[Service]\nExecStart=/usr/bin/env sleep infinity\n\n"
            "[Install]\nWantedBy=multi-user.target\n")
    return {"provisioningConfig": {"files": [
                {"path": REPLACED, "replace": True, "permissions": 600, "content": {"inline": {"data": "timeout: 7\n"}}}]},
            "units": [{"name": REPLACED_UNIT, "replace": True, "enable": True, "content": unit}]}


def modules(*, yum=False):
    """What cloud-init runs."""
    stages = {stage: {"bootcmd": [f"site bootcmd of {stage}"], "runcmd": [f"site runcmd of {stage}"]}
              for stage in ("bootstrap", "provisioning")}
    if yum:
        stages["bootstrap"]["yum_repos"] = {"site-tools": {
            "name": "Tools of the site", "baseurl": "https://mirror.example.com/tools/", "enabled": "true", "gpgcheck": "false"}}
    return {f"{stage}Config": {"modules": given} for stage, given in stages.items()}


def documents():
    """For every case but those of kubelets that are older than 1.30."""
    recent = [f"kube-system/{case}" for case, _, _, name in nodelib.cases() if name != "in-tree"]
    packaged = [profile.name for profile in nodelib.PROFILES if profile.os != "flatcar"]
    yum = [name for name in packaged if name != "osp-ubuntu"]
    return [extension("site", 100, site(), machineDeployments=recent),
            extension("team", 900, team(), machineDeployments=recent),
            extension("replacing", 700, replacing(), machineDeployments=recent),
            extension("modules", 300, modules(), profiles=["osp-ubuntu"]),
            extension("yum-modules", 300, modules(yum=True), profiles=yum),
            extension("packages", 500, {"packages": ["htop", "tree"]}, profiles=packaged)]
