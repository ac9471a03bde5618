"""What the node tests share: a fleet to render, user-data as a machine receives it, and a count of checks.

The fleet has one MachineDeployment for each profile, provider of the profile and variant below. Fleet.user_data asks
build/osm-gen for its two user-datas; OSM_GEN names another program. A test that reads most of a variant's asks for all of them
first (Fleet.generate), in one run. Files rendered elsewhere (by the real controller, say) can be checked with --rendered DIR,
holding DIR/SYSTEM-PROVIDER-VARIANT/bootstrap and .../provisioning.
"""

import argparse
import base64
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = "https://api.example.test:6443"
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX me"
TOKEN = "getter-token-of-the-node-tests"
# libyaml's where they are there: user-data and profiles are long, and Python's own take ten times as long.
LOADER, DUMPER = getattr(yaml, "CSafeLoader", yaml.SafeLoader), getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# openssl's options for a key that takes no time to make.
NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
IDENTITY = ROOT / "tests" / "keys" / "TEST-ONLY-identity.txt"
KUBELET_ANNOTATION = "v1.kubelet-config.machine-controller.kubermatic.io/"


@dataclasses.dataclass(frozen=True)
class Profile:
    """How a profile differs from the others."""

    os: str
    os_version: str
    providers: tuple
    ca_command: str
    resolv_conf: str
    proxy_file: str  # that of what does not read /etc/environment: the package manager's, the updater's
    settings: dict  # of the system's own: name -> default
    key: str = ""  # the file's name, where several are for one system
    containerd: str = ""  # CONTAINERD_PACKAGE
    install: str = ""  # the call that installs it
    lock: str = ""  # the call that keeps it
    cni: str = "v1.9.1"
    cni_sum: str = "b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303"
    guest_tools: tuple = ()
    guest_agent: tuple = ()
    iscsi: tuple = ()
    in_tree: bool = True  # has flags for the providers that were built into the kubelet
    cgroup_v1: bool = False
    version_2: bool = False  # containerd's configuration is written in its second version alone
    files: dict = dataclasses.field(default_factory=dict)  # of its own: path -> the file that it comes after
    utility: str = "cloud-init"
    own: frozenset = frozenset()  # files that it has not, or not as the others have them

    def __post_init__(self):
        object.__setattr__(self, "key", self.key or self.os)

    @property
    def path(self):
        return ROOT / "profiles" / f"{self.key}.yaml"

    @property
    def name(self):
        return f"osp-{self.key}"

    def text(self):
        return self.path.read_text()

    def load(self):
        return load_yaml(self.text())


DOCKER = "https://download.docker.com/linux/"
DNF = {"ca_command": "update-ca-trust extract", "resolv_conf": "/etc/resolv.conf",
       "containerd": "containerd.io-2.2*", "lock": "dnf --quiet versionlock add containerd.io",
       "install": "dnf --quiet --assumeyes --setopt=install_weak_deps=False install --allowerasing",
       "proxy_file": "/etc/dnf/dnf.conf"}
GUESTS = {"guest_tools": ("vsphere",), "guest_agent": ("kubevirt",)}


def yum_settings(system):
    return {"CONTAINERD_YUM_URL": DOCKER + system, "CONTAINERD_YUM_KEY_URL": f"{DOCKER}{system}/gpg",
            "CONTAINERD_YUM_KEY_FINGERPRINT": "060A61C51B558A7F742B77AAC52FEB6B621E9F35"}


FLATCAR_OWN = frozenset({"/etc/systemd/system/bootstrap.service", "/etc/profile.d/opt-bin-path.sh", "/opt/disable-swap.sh"})
FLATCAR = {"os": "flatcar", "os_version": "2983.2.0", "ca_command": "update-ca-certificates",
           "resolv_conf": "/run/systemd/resolve/resolv.conf", "settings": {"FLATCAR_UPDATE_SERVER": ""},
           "proxy_file": "/etc/systemd/system/update-engine.service.d/50-proxy.conf", "version_2": True}

PROFILES = (
    Profile(
        os="ubuntu", os_version="24.04",
        providers=("alibaba", "aws", "azure", "baremetal", "digitalocean", "edge", "gce", "hetzner", "kubevirt", "nutanix",
                   "openstack", "vmware-cloud-director", "vsphere"),
        ca_command="update-ca-certificates", resolv_conf="/run/systemd/resolve/resolv.conf", containerd="containerd.io=2.2*",
        install="apt-get --quiet --yes -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o "
                "Dpkg::Options::=--force-confold install --no-install-recommends --allow-downgrades "
                "--allow-change-held-packages",
        lock="apt-mark hold containerd.io", proxy_file="/etc/apt/apt.conf.d/95proxy.conf",
        settings={"CONTAINERD_APT_URL": DOCKER + "ubuntu", "CONTAINERD_APT_KEY_URL": DOCKER + "ubuntu/gpg",
                  "CONTAINERD_APT_KEY_FINGERPRINT": "9DC858229FC7DD38854AE2D88D81803C0EBFCD88"},
        guest_tools=("vsphere", "vmware-cloud-director"), guest_agent=("kubevirt", "nutanix"), iscsi=("nutanix",),
        files={"/etc/default/grub.d/60-swap-accounting.cfg": "/etc/sysctl.d/k8s.conf"}),
    Profile(
        os="rockylinux", os_version="9.6",
        providers=("aws", "azure", "digitalocean", "hetzner", "kubevirt", "openstack", "vsphere"),
        settings=yum_settings("centos"), **DNF, **GUESTS),
    Profile(
        os="rhel", os_version="9.5", providers=("aws", "azure", "kubevirt", "openstack", "vsphere"),
        settings=yum_settings("rhel"), in_tree=False, **DNF, **GUESTS),
    Profile(
        os="amzn2", os_version="2.0", providers=("aws",), ca_command="update-ca-trust extract",
        resolv_conf="/etc/resolv.conf", containerd="containerd-1.7*", install="yum --quiet --assumeyes install",
        lock="yum --quiet versionlock add containerd", proxy_file="/etc/yum.conf", settings={"CONTAINERD_EXTRA": "docker"},
        cni="v1.7.1", cni_sum="1a28a0506bfe5bcdc981caf1a49eeab7e72da8321f1119b7be85f22621013098", cgroup_v1=True,
        version_2=True),
    Profile(
        os="amzn2", key="amzn2023", os_version="2023", providers=("aws",), settings={}, **{**DNF, "containerd": "containerd-2*",
        "lock": "dnf --quiet versionlock add containerd"}),
    Profile(
        key="flatcar", utility="ignition",
        providers=("aws", "azure", "gce", "kubevirt", "openstack", "vmware-cloud-director", "vsphere"),
        own=FLATCAR_OWN, **FLATCAR),
    Profile(key="flatcar-cloud-init", providers=("anexia",), own=FLATCAR_OWN, **FLATCAR),
)

# flags: of osm-gen; the rest: of the MachineDeployment. `only`: the providers it is rendered for, all when absent. `rhel` and
# `flatcar`: its operatingSystemSpec there; `address`: of Flatcar, where machines can have one of their own.
VARIANTS = {
    "plain": {"version": "1.35.1", "flags": [], "flatcar": {"disableLocksmithD": True}},
    "dual": {"version": "1.33.2", "flags": [], "family": "IPv4+IPv6", "flatcar": {"disableUpdateEngine": True},
             "rhel": {"rhelUseSatelliteServer": True, "rhelSatelliteServer": "satellite.example.test",
                      "rhelOrganizationName": "1234567", "rhelActivationKey": "activation-key-of-the-node-tests"}},
    "external": {"version": "1.34.0", "flags": ["--external-cloud-provider"], "family": "IPv6",
                 # No subscription, written so that it reads as text.
                 "rhel": {"rhelSubscriptionManagerUser": '""', "rhelSubscriptionManagerPassword": '""'},
                 "flatcar": {"disableAutoUpdate": True},
                 "address": {"cidr": "2001:db8::4/64", "gateway": "2001:db8::1", "dns": {"servers": ["2001:db8::53"]}}},
    "full": {
        "version": "1.36.0",
        "family": "IPv6+IPv4",
        "flags": [
            "--external-cloud-provider",
            "--cluster-dns=10.96.0.10,fd00::a",
            "--node-http-proxy=http://proxy.example.test:3128",
            "--node-no-proxy=.svc,.cluster.local,10.0.0.0/8",
            "--initial-taints=node.cilium.io/agent-not-ready=true:NoSchedule,example.test/new:NoExecute",
            "--host-ca-bundle=@CA@",
            "--node-kubelet-feature-gates=RotateKubeletServerCertificate=true,KubeletInUserNamespace=false",
            "--pause-image=registry.example.test/pause:3.10",
        ],
        "rhel": {"rhelSubscriptionManagerUser": "subscriber", "attachSubscription": True,
                 "rhelSubscriptionManagerPassword": "password-of-the-node-tests"},
        "annotations": {
            "KubeReserved": "cpu=300m,memory=400Mi",
            "SystemReserved": "cpu=100m",
            "EvictionHard": "memory.available<5%,nodefs.available<7%",
            "MaxPods": "64",
            "ContainerLogMaxSize": "200Mi",
            "ContainerLogMaxFiles": "9",
            "ImageGCHighThresholdPercent": "80",
            "ImageGCLowThresholdPercent": "60",
            "ImageMinimumGCAge": "90s",
            "ImageMaximumGCAge": "48h",
        },
    },
    # The last kubelets with AWS's cloud provider built in.
    "in-tree": {
        "version": "1.26.15",
        "flags": [],
        "only": ["aws"],
        "spec": {"availabilityZone": "eu-central-1a", "vpcId": "vpc-1", "subnetId": "subnet-1"},
    },
}


class Checks:
    """Counts checks; prints those that fail."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, name, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL  {name}")
            for line in str(detail).splitlines()[:40]:
                print(f"      {line}")
        return good

    def equal(self, name, have, want):
        return self.check(name, have == want, f"have: {have!r}\nwant: {want!r}")

    def skip(self, name, why):
        self.skipped += 1
        print(f"skip  {name}: {why}")

    def finish(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{skipped}")
        sys.exit(1 if self.failed or not self.passed else 0)


def cases():
    """(case name, profile, provider, variant name) of the whole fleet."""
    for profile in PROFILES:
        for provider in profile.providers:
            for name, variant in VARIANTS.items():
                if provider in variant.get("only", [provider]):
                    yield f"{profile.key}-{provider}-{name}", profile, provider, name


def certificate(folder):
    """A self-signed CA for this run: paths of certificate and key."""
    crt, key = folder / "ca.crt", folder / "ca.key"
    if not crt.exists():
        run(["openssl", "req", "-x509", *NEW_KEY, "-days", "2", "-subj", "/CN=node-test-ca", "-keyout", str(key), "-out", str(crt)])
    return crt, key


def load_yaml(text):
    return yaml.load(text, Loader=LOADER)


def load_yaml_all(text):
    return yaml.load_all(text, Loader=LOADER)


def dump_yaml(*documents):
    return yaml.dump_all(documents, Dumper=DUMPER)


def in_order(text, *wanted):
    """The first of the texts that does not come, or comes too early."""
    at = 0
    for part in wanted:
        at = text.find(part, at)
        if at < 0:
            return part
        at += len(part)
    return None


def run(command, **options):
    options.setdefault("check", True)
    return subprocess.run(command, capture_output=True, text=True, **options)


def machine_deployment(case, profile, provider, variant):
    annotations = {"machinedeployment.clusters.k8s.io/revision": "1"}
    # Without the annotation the profile follows from system, provider and utility.
    if variant is not VARIANTS["plain"] or profile.key == "amzn2023":
        annotations["k8c.io/operating-system-profile"] = profile.name
    for name, value in variant.get("annotations", {}).items():
        annotations[KUBELET_ANNOTATION + name] = value
    system = {"distUpgradeOnBoot": variant is VARIANTS["full"]}
    if profile.os == "flatcar":
        system = {"provisioningUtility": profile.utility}
    if profile.os in ("rhel", "flatcar"):
        system.update(variant.get(profile.os, {}))
    value = {"cloudProvider": provider, "cloudProviderSpec": variant.get("spec", {}), "operatingSystem": profile.os,
             "operatingSystemSpec": system,
             "sshPublicKeys": [SSH_KEY]}
    if "family" in variant:
        value["network"] = {"ipFamily": variant["family"]}
        if profile.os == "flatcar":
            value["network"].update(variant.get("address", {}))
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": case, "namespace": "kube-system", "annotations": annotations},
            "spec": {"selector": {"matchLabels": {"pool": case}},
                     "template": {"metadata": {"labels": {"pool": case}},
                                  "spec": {"versions": {"kubelet": variant["version"]},
                                           "providerSpec": {"value": value}}}}}


def write_fleet(repo, ca, server=SERVER, change=lambda profile, manifest: None, more=()):
    """A repository that holds the profiles, a MachineDeployment a case and what the controller finds in a cluster. `change`
    may change the manifest of a profile before; `more` are documents besides."""
    kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "", "cluster": {
        "certificate-authority-data": base64.b64encode(ca.read_bytes()).decode(), "server": server}}]}
    documents = list(more)
    for profile in PROFILES:
        documents.append(profile.load())
        change(profile, documents[-1])
    documents += [machine_deployment(case, profile, provider, VARIANTS[name]) for case, profile, provider, name in cases()]
    documents += [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
         "data": {"kubeconfig": dump_yaml(kubeconfig)}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "cloud-init-getter-token",
                                                            "namespace": "cloud-init-settings"},
         "type": "Opaque", "data": {"token": base64.b64encode(TOKEN.encode()).decode()}},
    ]
    (repo / "fleet.yaml").write_text(dump_yaml(*documents))
    recipient = re.search(r"age1[0-9a-z]+", IDENTITY.read_text()).group()
    (repo / "osm-gen.yaml").write_text(json.dumps({"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet",
                                                   "spec": {"sealing": {"recipients": [recipient]}}}))
    git = ["git", "-C", str(repo), "-c", "user.name=test", "-c", "user.email=test@localhost"]
    run(git + ["init", "-q", "-b", "main"])
    run(git + ["add", "."])
    run(git + ["commit", "-q", "-m", "fleet"])


class Fleet:
    """Gives the user-data of a case, rendered on demand."""

    def __init__(self, scratch, rendered=None, server=SERVER, **how):
        self.rendered = pathlib.Path(rendered) if rendered else None
        self.program = os.environ.get("OSM_GEN", str(ROOT / "build" / "osm-gen"))
        self.scratch = scratch
        self.ca, self.ca_key = certificate(scratch)
        if not self.rendered:
            if not os.access(self.program, os.X_OK):
                sys.exit(f"no program at {self.program}: run make first\n0 passed, 1 failed")
            self.repo = scratch / "fleet"
            self.repo.mkdir()
            write_fleet(self.repo, self.ca, server, **how)
            self.seed = scratch / "seed"
            self.seed.write_text(run([self.program, "keygen", "seed"]).stdout)
        self.generated = {}  # (case, kind, flags) -> user-data

    def flags(self, variant, *more_flags):
        return tuple(flag.replace("@CA@", str(self.ca)) for flag in (*VARIANTS[variant]["flags"], *more_flags))

    def user_data(self, case, variant, kind, *more_flags):
        if self.rendered:
            return (self.rendered / case / kind).read_text()
        key = (case, kind, self.flags(variant, *more_flags))
        if key not in self.generated:
            self.generated[key] = self.render(case, variant, kind, *more_flags)
        return self.generated[key]

    def render(self, case, variant, kind, *more_flags):
        """Of the one MachineDeployment, by a command of its own."""
        return run([self.program, "render", "--repo", str(self.repo), "--machine-deployment", f"kube-system/{case}",
                    "--print", kind, "--reveal", "--seal-seed-file", str(self.seed), *self.flags(variant, *more_flags)]).stdout

    def generate(self, variant, *more_flags):
        """Renders all cases of the variant in one run, a tenth of the time that it takes to render each by itself, and
        unseals what machines get. The cases that it rendered."""
        if self.rendered:
            return []
        flags = self.flags(variant, *more_flags)
        with tempfile.TemporaryDirectory(dir=self.scratch) as out:
            run([self.program, "generate", "-q", "--repo", str(self.repo), "--out", out, "--seal-seed-file", str(self.seed),
                 *flags])
            of_it = [case for case, _, _, name in cases() if name == variant]
            kinds = [(case, kind) for case in of_it for kind in ("bootstrap", "provisioning")]
            folder = f"{out}/default/worker/cloud-init-settings"
            files = [f"{folder}/secret-{case}-kube-system-{kind}-config.yaml" for case, kind in kinds]
            text = run([self.program, "unseal", *files], env={**os.environ, "SOPS_AGE_KEY_FILE": str(IDENTITY)}).stdout
        for (case, kind), secret in zip(kinds, load_yaml_all(text), strict=True):
            if secret["metadata"]["name"] != f"{case}-kube-system-{kind}-config":
                raise AssertionError(f"{case} {kind}: {secret['metadata']}")
            self.generated[case, kind, flags] = base64.b64decode(secret["data"]["cloud-config"]).decode()
        return of_it


def on_machine(user_data, name="worker-1"):
    """What machine-controller hands to the machine: the name filled in, lines of blanks emptied."""
    text = user_data.replace("<MACHINE_NAME>", name)
    return re.sub(r"(?m)^[ \t]+$", "", text)


def files(user_data):
    """path -> {permissions, encoding, data} of what the user-data writes, units included, decoded as the machine's reader
    does, in order."""
    if user_data.startswith("{"):
        return ignition_files(json.loads(user_data))
    config = load_yaml(user_data)
    result = {}
    for entry in config["write_files"]:
        data = entry.get("content") or ""
        if entry.get("encoding") == "b64":
            data = base64.b64decode(data, validate=True).decode()
        result[entry["path"]] = {"permissions": entry["permissions"], "encoding": entry.get("encoding"), "data": data}
    for unit in config.get("coreos", {}).get("units", []):
        result.update(unit_files(unit["name"], unit.get("content"), unit.get("drop_ins", []), "content"))
    return result


def ignition_files(config):
    result = {}
    for entry in config["storage"].get("files", []):
        source = entry["contents"]["source"].removeprefix("data:,")
        result[entry["path"]] = {"permissions": f"0{entry['mode']:o}", "encoding": None,
                                 "data": urllib.parse.unquote(source, errors="strict")}
    for unit in config["systemd"].get("units", []):
        result.update(unit_files(unit["name"], unit.get("contents"), unit.get("dropins", []), "contents"))
    return result


def unit_files(name, text, drop_ins, key):
    texts = {name: text} if text else {}
    texts.update({f"{name}.d/{drop_in['name']}": drop_in.get(key, "") for drop_in in drop_ins})
    return {f"/etc/systemd/system/{path}": {"permissions": "0644", "encoding": None, "data": text}
            for path, text in texts.items()}


def start(description):
    """Arguments and a scratch folder that goes away with the process."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rendered", metavar="DIR", help="check these files instead of rendering")
    arguments = parser.parse_args()
    holder = tempfile.TemporaryDirectory(prefix="node-test-")
    return arguments, holder, pathlib.Path(holder.name)
