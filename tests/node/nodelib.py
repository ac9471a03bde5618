"""What the node tests share: a fleet to render, user-data as a machine receives it, and a count of checks.

The fleet has one MachineDeployment for each provider of the Ubuntu profile and each variant below. render() asks
build/osm-gen for its two user-datas; OSM_GEN names another program. Files rendered elsewhere (by the real controller,
say) can be checked with --rendered DIR, holding DIR/PROVIDER-VARIANT/bootstrap and .../provisioning.
"""

import argparse
import base64
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILE = ROOT / "profiles" / "ubuntu.yaml"
SERVER = "https://api.example.test:6443"
TOKEN = "getter-token-of-the-node-tests"
KUBELET_ANNOTATION = "v1.kubelet-config.machine-controller.kubermatic.io/"

# flags: of osm-gen; the rest: of the MachineDeployment. `only`: the providers it is rendered for, all when absent.
VARIANTS = {
    "plain": {"version": "1.35.1", "flags": []},
    "dual": {"version": "1.33.2", "flags": [], "family": "IPv4+IPv6"},
    "external": {"version": "1.34.0", "flags": ["--external-cloud-provider"], "family": "IPv6"},
    "full": {
        "version": "1.36.0",
        "family": "IPv6+IPv4",
        "flags": [
            "--external-cloud-provider",
            "--cluster-dns=10.96.0.10,fd00::a",
            "--node-http-proxy=http://proxy.example.test:3128",
            "--node-no-proxy=.svc,.cluster.local,10.0.0.0/8",
            "--initial-taints=node.cilium.io/agent-not-ready=true:NoSchedule",
            "--host-ca-bundle=@CA@",
            "--node-kubelet-feature-gates=RotateKubeletServerCertificate=true,NodeSwap=false",
        ],
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
    # The last kubelets with a cloud provider built in.
    "in-tree": {
        "version": "1.28.15",
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


def profile():
    return yaml.safe_load(PROFILE.read_text())


def cases():
    """(case name, provider, variant name) of the whole fleet."""
    for provider in [p["name"] for p in profile()["spec"]["supportedCloudProviders"]]:
        for name, variant in VARIANTS.items():
            if provider in variant.get("only", [provider]):
                yield f"{provider}-{name}", provider, name


def certificate(folder):
    """A self-signed CA for this run: paths of certificate and key."""
    crt, key = folder / "ca.crt", folder / "ca.key"
    if not crt.exists():
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=node-test-ca",
             "-keyout", str(key), "-out", str(crt)])
    return crt, key


def run(command, **options):
    options.setdefault("check", True)
    return subprocess.run(command, capture_output=True, text=True, **options)


def machine_deployment(case, provider, variant):
    annotations = {"k8c.io/operating-system-profile": "osp-ubuntu",
                   "machinedeployment.clusters.k8s.io/revision": "1"}
    for name, value in variant.get("annotations", {}).items():
        annotations[KUBELET_ANNOTATION + name] = value
    value = {"cloudProvider": provider, "cloudProviderSpec": variant.get("spec", {}), "operatingSystem": "ubuntu",
             "operatingSystemSpec": {"distUpgradeOnBoot": variant is VARIANTS["full"]},
             "sshPublicKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX me"]}
    if "family" in variant:
        value["network"] = {"ipFamily": variant["family"]}
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": case, "namespace": "kube-system", "annotations": annotations},
            "spec": {"template": {"spec": {"versions": {"kubelet": variant["version"]},
                                           "providerSpec": {"value": value}}}}}


def write_fleet(repo, ca, server=SERVER):
    """A repository that holds the profile, a MachineDeployment a case and what the controller finds in a cluster."""
    kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "", "cluster": {
        "certificate-authority-data": base64.b64encode(ca.read_bytes()).decode(), "server": server}}]}
    documents = [profile()]
    documents += [machine_deployment(case, provider, VARIANTS[name]) for case, provider, name in cases()]
    documents += [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
         "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "cloud-init-getter-token",
                                                            "namespace": "cloud-init-settings"},
         "type": "Opaque", "data": {"token": base64.b64encode(TOKEN.encode()).decode()}},
    ]
    (repo / "fleet.yaml").write_text(yaml.safe_dump_all(documents))
    git = ["git", "-C", str(repo), "-c", "user.name=test", "-c", "user.email=test@localhost"]
    run(git + ["init", "-q", "-b", "main"])
    run(git + ["add", "fleet.yaml"])
    run(git + ["commit", "-q", "-m", "fleet"])


class Fleet:
    """Gives the user-data of a case, rendered on demand."""

    def __init__(self, scratch, rendered=None, server=SERVER):
        self.rendered = pathlib.Path(rendered) if rendered else None
        self.program = os.environ.get("OSM_GEN", str(ROOT / "build" / "osm-gen"))
        self.scratch = scratch
        self.ca, self.ca_key = certificate(scratch)
        if not self.rendered:
            if not os.access(self.program, os.X_OK):
                sys.exit(f"no program at {self.program}: run make first\n0 passed, 1 failed")
            self.repo = scratch / "fleet"
            self.repo.mkdir()
            write_fleet(self.repo, self.ca, server)
            self.seed = scratch / "seed"
            self.seed.write_text(run([self.program, "keygen", "seed"]).stdout)

    def user_data(self, case, variant, kind):
        if self.rendered:
            return (self.rendered / case / kind).read_text()
        flags = [flag.replace("@CA@", str(self.ca)) for flag in VARIANTS[variant]["flags"]]
        return run([self.program, "render", "--repo", str(self.repo), "--machine-deployment", f"kube-system/{case}",
                    "--print", kind, "--reveal", "--seal-seed-file", str(self.seed)] + flags).stdout


def on_machine(user_data, name="worker-1"):
    """What machine-controller hands to the machine: the name filled in, lines of blanks emptied."""
    text = user_data.replace("<MACHINE_NAME>", name)
    return re.sub(r"(?m)^[ \t]+$", "", text)


def files(user_data):
    """path -> {permissions, encoding, data} of write_files, decoded as cloud-init does, in order."""
    result = {}
    for entry in yaml.safe_load(user_data)["write_files"]:
        data = entry.get("content") or ""
        if entry.get("encoding") == "b64":
            data = base64.b64decode(data, validate=True).decode()
        result[entry["path"]] = {"permissions": entry["permissions"], "encoding": entry.get("encoding"), "data": data}
    return result


def start(description):
    """Arguments and a scratch folder that goes away with the process."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rendered", metavar="DIR", help="check these files instead of rendering")
    arguments = parser.parse_args()
    holder = tempfile.TemporaryDirectory(prefix="node-test-")
    return arguments, holder, pathlib.Path(holder.name)
