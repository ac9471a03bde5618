"""What gardenerFlow: node-agent writes, and its script on a node (tests/cli/gardener_agent.sh): ROOT PROGRAM

A node is a folder. It is mounted over /var/lib and /opt in a mount namespace of its own. ctr, curl and uname are stubs that
note down how they were called."""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from _checks import check, equal, finish
from _gardener_node import Fleet as Repository
from _gardener_node import ROOT, run

KEY = "gardener-node-agent-pool"
STATE = "/var/lib/gardener-node-agent"
CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
IN_NAMESPACE = 'mount --bind "$NODE/lib" /var/lib && mount --bind "$NODE/opt" /opt && exec "$@"'


def text64(text):
    return base64.b64encode(text.encode()).decode()


def cluster_info():
    kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [
        {"name": "c", "cluster": {"server": "https://api.example.com:6443", "certificate-authority-data": text64(CA)}}]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
            "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}}


def osc(purpose="reconcile", name=KEY + "-original", a="one", units=None, kind="minimal"):
    return {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
            "metadata": {"name": name, "namespace": "shoot"},
            "spec": {"type": kind, "purpose": purpose,
                     "units": units or [{"name": "a.service", "content": "[Service]\nExecStart=/a\n", "filePaths": ["/etc/a"]}],
                     "files": [{"path": "/etc/a", "permissions": 0o644, "content": {"inline": {"encoding": "", "data": a}}}]}}


class Fleet(Repository):
    defaults = {"gardenerFlow": "node-agent", "gardenerKubernetesVersion": "1.33.1"}

    def plan(self, *manifests):
        self.commit(*manifests)
        return {unit["name"]: unit for unit in json.loads(self.program("plan", "-o", "json").stdout)["units"]}

    def files(self):
        out = self.repo / "out/default"
        return sorted(str(path.relative_to(out)) for path in out.rglob("*.yaml") if path.name != "kustomization.yaml")

    def osc_yaml(self):
        return yaml.load(self.unsealed(f"worker/kube-system/secret-{KEY}.yaml")["osc.yaml"], yaml.CSafeLoader)

    def user_data(self):
        return self.unsealed(f"management/shoot/secret-osc-result-{KEY}-init.yaml")["cloud_config"]

    def tokens(self):
        folder = self.repo / "out/default/worker/kube-system"
        return sorted(path.stem.removeprefix("secret-bootstrap-token-") for path in folder.glob("secret-bootstrap-token-*"))


def written(script, path):
    """The file that user-data writes, or None."""
    found = re.search(rf"osc_put '{re.escape(path)}' ([0-7]+) base64 -d <<<'(.*)'", script)
    return base64.b64decode(found.group(2)).decode() if found else None


def test_output(folder):
    fleet = Fleet(folder / "output", tokenRotation="weekly")
    fleet.generate(osc(), cluster_info())
    files = fleet.files()
    equal("files", [name for name in files if "bootstrap-token" not in name], [
        f"management/shoot/secret-osc-result-{KEY}-init.yaml",
        f"status/shoot/nodeeffect-{KEY}-init.yaml", f"status/shoot/nodeeffect-{KEY}-original.yaml",
        f"status/shoot/operatingsystemconfig-{KEY}-original.yaml",
        "worker/clusterrole-osm-gen-node-agent.yaml", "worker/clusterrolebinding-osm-gen-node-agent.yaml",
        "worker/clusterrolebinding-osm-gen-node-bootstrapper.yaml", "worker/clusterrolebinding-osm-gen-node-client-renewal.yaml",
        "worker/clusterrolebinding-osm-gen-node-client.yaml",
        f"worker/kube-system/role-{KEY}.yaml", "worker/kube-system/role-osm-gen-node-agent.yaml",
        f"worker/kube-system/rolebinding-{KEY}.yaml", "worker/kube-system/rolebinding-osm-gen-node-agent.yaml",
        f"worker/kube-system/secret-{KEY}.yaml",
        "worker/validatingadmissionpolicy-osm-gen-node-agent.yaml", "worker/validatingadmissionpolicybinding-osm-gen-node-agent.yaml"])
    script = fleet.user_data()
    token = written(script, f"{STATE}/credentials/bootstrap-token")
    equal("tokens of two periods", len(fleet.tokens()), 2)
    check("the token is one of them", token.split(".")[0] in fleet.tokens(), token)
    clear = "".join(path.read_text() for path in (fleet.repo / "out").rglob("*.yaml"))
    check("no token in the clear", token.split(".")[1] not in clear)
    equal("the Role of the Secret", fleet.file(f"worker/kube-system/role-{KEY}.yaml")["rules"],
          [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": [KEY], "verbs": ["get", "list", "watch"]}])
    equal("for the agents", fleet.file(f"worker/kube-system/rolebinding-{KEY}.yaml")["subjects"],
          [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "gardener.cloud:node-agents"}])
    config = yaml.load(written(script, f"{STATE}/config-v1.145.0.yaml"), yaml.CSafeLoader)
    equal("configuration", config, {
        "apiVersion": "nodeagent.config.gardener.cloud/v1alpha1", "kind": "NodeAgentConfiguration",
        "apiServer": {"server": "https://api.example.com:6443", "caBundle": text64(CA)},
        "controllers": {"operatingSystemConfig": {"kubernetesVersion": "1.33.1", "secretName": KEY}}})
    check("own machines are named after their host", f"{STATE}/machine-name" not in re.findall(r"osc_put '(\S+)'", script))
    units = [unit["name"] for unit in fleet.osc_yaml()["spec"]["units"]]
    equal("the agent keeps its unit", units, ["a.service", "gardener-node-agent.service"])
    text = (fleet.repo / f"out/default/worker/validatingadmissionpolicy-osm-gen-node-agent.yaml").read_text()
    check("the policy names the Lease of the Secret", f"request.name in ['{KEY}']" in text, text)
    fleet.settings["gardenerNodeAgentVersion"] = "v1.146.2"
    fleet.generate(osc(), cluster_info())
    check("another version", written(fleet.user_data(), f"{STATE}/config-v1.146.2.yaml"))


def test_versions(folder):
    """From v1.147 on the CA is a file. A version that is not known is a warning that names one that is."""
    fleet = Fleet(folder / "versions", gardenerNodeAgentVersion="v1.147.0")
    check("known", "OSG4134" not in (error := fleet.generate(osc(), cluster_info())), error)
    script, path = fleet.user_data(), f"{STATE}/cluster-ca.crt"
    config = yaml.load(written(script, f"{STATE}/config-v1.147.0.yaml"), yaml.CSafeLoader)
    equal("the configuration names it", config["apiServer"], {"server": "https://api.example.com:6443", "caFile": path})
    equal("on new nodes", written(script, path), CA)
    check("its mode", f"osc_put '{path}' 0640 " in script)
    spec = fleet.osc_yaml()["spec"]
    equal("on running nodes", [file["permissions"] for file in spec["files"] if file["path"] == path], [0o640])
    unit = [unit for unit in spec["units"] if unit["name"] == "gardener-node-agent.service"][0]
    check("the agent restarts for it", path in unit["filePaths"], unit)
    for version, says in (("v1.151.0", "the newest version that it knows is v1.150"), ("v2.0.0", "the newest version that it knows is v1.150"),
                          ("v1.144.9", "the oldest version that it knows is v1.145")):
        fleet.settings["gardenerNodeAgentVersion"] = version
        error = fleet.generate(osc(), cluster_info())
        check(f"{version} is not known", "OSG4134" in error and says in error, error)


def test_machines(folder):
    """machine-controller-manager fills in names and tokens."""
    fleet = Fleet(folder / "machines", gardenerBootstrapToken="machine", gardenerMachineSecret=True)
    fleet.generate(osc(), cluster_info())
    script = fleet.user_data()
    check("placeholders are in the clear", "<<BOOTSTRAP_TOKEN>>" in script and "<<MACHINE_NAME>>" in script, script)
    equal("no token of ours", fleet.tokens(), [])
    policy = fleet.file("worker/validatingadmissionpolicy-osm-gen-node-agent.yaml")["spec"]["validations"]
    equal("Nodes may have other names than machines", [rule["message"] for rule in policy], ["gardener-node-agent changes its own Lease only"])


def test_given(folder):
    """A provision OperatingSystemConfig of the repository is used, and so is a token."""
    fleet = Fleet(folder / "given")
    secret = {"apiVersion": "v1", "kind": "Secret",
              "metadata": {"name": "bootstrap-token-abcdef", "namespace": "kube-system", "labels": {"osm-gen.dev/cloud-config": KEY}},
              "stringData": {"token-id": "abcdef", "token-secret": "0123456789abcdef"}}
    fleet.generate(osc(), cluster_info(), secret)
    equal("the given token", written(fleet.user_data(), f"{STATE}/credentials/bootstrap-token"), "abcdef.0123456789abcdef")
    equal("its Secret is not written", fleet.tokens(), [])
    own = osc("provision", KEY + "-init", units=[{"name": "own.service", "content": "[Service]\nExecStart=/own\n"}])
    fleet.generate(osc(), own, cluster_info())
    script = fleet.user_data()
    check("the given provision", "own.service" in script and "install.sh" not in script, script)
    equal("it has its own token", fleet.tokens(), [])


def test_classes(folder):
    fleet = Fleet(folder / "classes", tokenRotation="weekly")
    fleet.generate(osc(), cluster_info())
    units = fleet.plan(osc(a="two"), cluster_info())
    equal("a file", {name: (unit["class"], unit.get("restarts")) for name, unit in units.items()},
          {KEY + "-init": ("NONE", None), KEY + "-original": ("IN-PLACE", ["a.service"])})
    fleet.settings["gardenerNodeAgentVersion"] = "v1.146.2"
    units = fleet.plan(osc(), cluster_info())
    equal("the agent's version", {name: (unit["class"], unit.get("restarts")) for name, unit in units.items()},
          {KEY + "-init": ("NEW-NODES-ONLY", None), KEY + "-original": ("IN-PLACE", ["gardener-node-agent.service"])})
    del fleet.settings["gardenerNodeAgentVersion"]
    before = fleet.tokens()
    fleet.date += 7 * 86400
    fleet.generate(osc(), cluster_info())
    equal("the last token stays valid in the next period", len(set(before) & set(fleet.tokens())), 1)


def test_settings(folder):
    fleet = Fleet(folder / "settings")
    for more, word in (({"gardenerKubernetesVersion": ""}, "gardenerKubernetesVersion"),
                       ({"gardenerContract": "2021"}, "gardenerContract: current"),
                       ({"gardenerNodeAgentURL": "https://a.example/{arch}"}, "checksum"),
                       ({"gardenerNodeAgentSHA256": "amd64=" + "0" * 64}, "gardenerNodeAgentURL")):
        own = dict(fleet.settings)
        fleet.settings |= more
        error = fleet.generate(osc(), cluster_info(), status=2)
        check(f"{more}", "OSG4183" in error and word in error, error)
        fleet.settings = own
    for name, value in (("gardenerNodeAgentURL", "http://a.example/x"), ("gardenerNodeAgentImage", "a b"),
                        ("gardenerNodeAgentImage", "-k/a"),
                        ("gardenerNodeAgentVersion", "1.145.0"), ("gardenerNodeAgentSHA256", "amd64=abc")):
        own = dict(fleet.settings)
        fleet.settings[name] = value
        check(f"{name}: {value}", "OSG2107" in (error := fleet.generate(osc(), cluster_info(), status=2)) and name in error, error)
        fleet.settings = own
    error = fleet.generate(osc(), status=2)
    check("no cluster-info", "kube-public/cluster-info" in error, error)
    fleet.settings |= {"overrideBootstrapKubeletAPIServer": "https://b.example", "kubernetesCABundle": CA.replace("MIIB", text64("0\x82\x01\x01AAAA"))}
    error = fleet.program("validate").stderr
    fleet.generate(osc())
    check("settings in its place", "https://b.example" in written(fleet.user_data(), f"{STATE}/config-v1.145.0.yaml"), error)


def test_inventory(folder):
    fleet = Fleet(folder / "inventory", gardenerNodeAgentImage="mirror.example/agent")
    fleet.commit(osc(), cluster_info())
    rows = json.loads(fleet.program("inventory", "-o", "json").stdout)
    check("the image of a mirror", "mirror.example/agent" in json.dumps(rows) and "europe-docker.pkg.dev" in json.dumps(rows), rows)
    del fleet.settings["gardenerNodeAgentImage"]
    fleet.settings |= {"gardenerNodeAgentURL": "https://a.example/{arch}/agent", "gardenerNodeAgentSHA256": "arm64=" + "a" * 64}
    fleet.commit(osc(), cluster_info())
    rows = fleet.program("inventory", "-o", "json").stdout
    check("the file of a URL", "https://a.example/arm64/agent" in rows and "a" * 64 in rows, rows)


def test_approver(_):
    """docs/howto/gardener-csr-approver.yaml: the program waits for all that it watches, so both ends are of its namespace alone."""
    items = list(yaml.load_all((ROOT / "docs/howto/gardener-csr-approver.yaml").read_text(), yaml.CSafeLoader))
    config = yaml.load(next(item for item in items if item["kind"] == "ConfigMap")["data"]["config.yaml"], yaml.CSafeLoader)
    for end in ("sourceClientConnection", "targetClientConnection"):
        equal(end, config.get(end), {"namespaces": ["gardener-csr-approver"]})
    rules = next(item for item in items if item["kind"] == "ClusterRole")["rules"]
    equal("what it may do in the whole cluster", sorted({resource for rule in rules for resource in rule["resources"]}),
          ["certificatesigningrequests", "certificatesigningrequests/approval", "nodes", "signers"])


# ---- a node ------------------------------------------------------------------------------------------

class Node:
    def __init__(self, folder):
        self.root = folder
        for name in ("lib", "opt", "stubs"):
            (folder / name).mkdir(parents=True)
        self.stub("uname", 'case $1 in -n) echo Node-1 ;; -m) echo "${MACHINE:-x86_64}" ;; esac')
        self.stub("curl", 'echo "curl $*" >>"$CALLS"; while [ "$1" != --output ]; do shift; done; cp "$SERVED" "$2"')
        self.stub("ctr", 'echo "ctr $*" >>"$CALLS"; case "$*" in *pull*--help*) echo "$CTR_HELP" ;; *mount*) '
                         '[ "$2" = unmount ] || cp -r "$IMAGE/." "$4" ;; esac; case "$*" in *unmount*) rm -rf "$3"/* ;; esac')

    def stub(self, name, text):
        (self.root / "stubs" / name).write_text("#!/bin/sh\n" + text + "\n")
        (self.root / "stubs" / name).chmod(0o755)

    def text(self, path):
        path = self.root / path
        return path.read_text() if path.exists() else None

    def run(self, script, **env):
        """(status, calls, stderr)"""
        calls = self.root / "calls"
        calls.write_text("")
        (self.root / "script").write_text(script)
        environment = {"PATH": f"{self.root / 'stubs'}:{os.environ['PATH']}", "NODE": str(self.root), "CALLS": str(calls), "LC_ALL": "C",
                       "SERVED": str(self.root / "served"), "IMAGE": str(self.root / "image"), "CTR_HELP": ""} | env
        result = subprocess.run(["unshare", "-rm", "sh", "-c", IN_NAMESPACE, "sh", "sh", str(self.root / "script")],
                                capture_output=True, text=True, env=environment, timeout=60, check=False)
        return result.returncode, calls.read_text().splitlines(), result.stderr


AGENT = "opt/bin/gardener-node-agent"


def test_url(folder):
    binary = "#!/bin/sh\necho agent\n"
    fleet = Fleet(folder / "url", gardenerNodeAgentURL="https://a.example/{arch}/agent",
                  gardenerNodeAgentSHA256="amd64=" + hashlib.sha256(binary.encode()).hexdigest())
    fleet.generate(osc(), cluster_info())
    script = written(fleet.user_data(), f"{STATE}/install.sh")
    node = Node(folder / "url-node")
    (node.root / "served").write_text("damaged")
    status, calls, error = node.run(script)
    check("a damaged file is refused", status == 1 and "checksum" in error and node.text(AGENT) is None, error)
    (node.root / "served").write_text(binary)
    status, calls, error = node.run(script)
    equal("status", (status, node.text(AGENT)), (0, binary))
    check("the architecture's URL, over TLS", len(calls) == 1 and "https://a.example/amd64/agent" in calls[0] and "--insecure" not in calls[0]
          and " -k" not in calls[0] and "--proto =https" in calls[0], calls)
    check("it may run", os.access(node.root / AGENT, os.X_OK))
    equal("the machine's name", node.text("lib/gardener-node-agent/machine-name"), "node-1\n")
    equal("the credentials' folder", (node.root / "lib/gardener-node-agent/credentials").stat().st_mode & 0o777, 0o700)
    equal("nothing is fetched again", node.run(script)[:2], (0, []))
    (node.root / AGENT).write_text("changed")
    equal("what was changed is fetched again", (node.run(script)[0], node.text(AGENT)), (0, binary))
    (node.root / "lib/gardener-node-agent/machine-name").write_text("machine-7")
    node.run(script)
    equal("a name that was filled in stays", node.text("lib/gardener-node-agent/machine-name"), "machine-7")
    status, calls, error = node.run(script, MACHINE="aarch64")
    check("no checksum for the architecture", status == 1 and "arm64" in error and not calls, error)


def test_image(folder):
    fleet = Fleet(folder / "image", gardenerNodeAgentImage="mirror.example:5000/agent")
    fleet.generate(osc(), cluster_info())
    script = written(fleet.user_data(), f"{STATE}/install.sh")
    node = Node(folder / "image-node")
    (node.root / "image").mkdir()
    status, calls, error = node.run(script)
    check("an image without the program", status == 1 and "no gardener-node-agent" in error and node.text(AGENT) is None, error)
    (node.root / "image/gardener-node-agent").write_text("agent")
    status, calls, error = node.run(script)
    equal("status", (status, node.text(AGENT)), (0, "agent"))
    equal("it is pulled with the hosts of containerd", [call for call in calls if "pull --hosts" in call],
          ["ctr images pull --hosts-dir /etc/containerd/certs.d mirror.example:5000/agent:v1.145.0"])
    check("it is unmounted", any(call.startswith("ctr images unmount") for call in calls), calls)
    equal("nothing is pulled again", node.run(script)[:2], (0, []))
    (node.root / AGENT).write_text("changed")
    equal("what was changed is pulled again", (node.run(script, CTR_HELP="--skip-metadata")[0], node.text(AGENT)), (0, "agent"))
    check("a newer ctr pulls one architecture", "--skip-metadata" in (node.root / "calls").read_text())
    node.stub("ctr", "exit 1")
    (node.root / AGENT).unlink()
    status, calls, error = node.run(script)
    check("a registry that is down", status == 1 and "could not be pulled" in error, error)


def test_registry_ca(folder):
    """The system trusts the registry's CA before the image is pulled (gardenerRegistryCA)."""
    authority = run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=registry", "-days", "2",
                    "-keyout", str(folder / "registry.key"))
    fleet = Fleet(folder / "registry", gardenerRegistryCA=authority)
    fleet.generate(osc(), cluster_info())
    path = "/var/lib/ca-certificates-local/registry-ca.crt"
    equal("on new nodes", written(fleet.user_data(), path), authority)
    spec = fleet.osc_yaml()["spec"]
    equal("on running nodes", [file["permissions"] for file in spec["files"] if file["path"] == path], [0o644])
    unit = [unit for unit in spec["units"] if unit["name"] == "gardener-node-agent.service"][0]
    check("the agent restarts for it", path in unit["filePaths"], unit)
    script = written(fleet.user_data(), f"{STATE}/install.sh").replace("/etc/", "/opt/etc/")
    local = "update-ca-certificates --fresh --localcertsdir /var/lib/ca-certificates-local"
    for name, files, update, copy in (("debian", {"debian_version": "13"}, local, None),
                                      ("flatcar", {"os-release": "ID=flatcar"}, "update-ca-certificates", "ssl/certs/registry-ca.pem"),
                                      ("rhel", {"os-release": "ID=rhel", "pki/ca-trust/source/anchors/x": ""}, "update-ca-trust",
                                       "pki/ca-trust/source/anchors/registry-ca.crt"),
                                      ("suse", {"os-release": "ID=sles"}, "update-ca-certificates", "pki/trust/anchors/registry-ca.pem")):
        node = Node(folder / f"registry-{name}")
        for program in ("update-ca-certificates", "update-ca-trust", "systemctl"):
            node.stub(program, f'echo "$(echo {program} $*)" >>"$CALLS"')
        for file, text in ({"ssl/certs/x": ""} | files).items():
            (node.root / "opt/etc" / file).parent.mkdir(parents=True, exist_ok=True)
            (node.root / "opt/etc" / file).write_text(text)
        (node.root / "image").mkdir()
        (node.root / "image/gardener-node-agent").write_text("agent")
        equal(f"{name}: without a CA", node.run(script)[1][0][:4], "ctr ")
        (node.root / AGENT).unlink()
        ca = node.root / "lib/ca-certificates-local/registry-ca.crt"
        ca.parent.mkdir(exist_ok=True)
        ca.write_text(authority)
        status, calls, error = node.run(script)
        equal(f"{name}: before the pull", (status, calls[:2], calls[2][:4]), (0, [update, "systemctl restart containerd"], "ctr "))
        check(f"{name}: the file", copy is None or node.text(f"opt/etc/{copy}") == authority, error)
        equal(f"{name}: then nothing", node.run(script)[:2], (0, []))
        node.stub(update.split()[0], "exit 1")
        ca.write_text(authority + "\n")
        status, calls, error = node.run(script)
        check(f"{name}: a failure", status == 1 and "failed with 1" in error and calls == [], (calls, error))
    fleet.fleet["spec"]["contract"] = 1
    check("contract 1", "needs output contract 2" in (error := fleet.generate(osc(), cluster_info(), status=2)), error)


def test_systems(folder):
    """The user-data of all systems fits, and what they run is shell without a fault."""
    fleet = Fleet(folder / "systems")
    for kind in ("minimal", "ubuntu", "suse-chost", "gardenlinux", "flatcar", "memoryone-chost"):
        error = fleet.generate(osc(kind=kind), cluster_info())
        check(f"{kind}: user-data fits", "OSG7019" not in error, error)
    fleet.generate(osc(), cluster_info())
    path = folder / "install.sh"
    path.write_text(written(fleet.user_data(), f"{STATE}/install.sh"))
    equal("sh -n", subprocess.run(["sh", "-n", str(path)], check=False).returncode, 0)
    if shutil.which("shellcheck"):
        result = subprocess.run(["shellcheck", "-s", "sh", str(path)], capture_output=True, text=True, check=False)
        check("shellcheck", result.returncode == 0, result.stdout)


with tempfile.TemporaryDirectory() as scratch:
    for test in (test_output, test_versions, test_machines, test_given, test_classes, test_settings, test_inventory, test_approver, test_url, test_image, test_registry_ca, test_systems):
        test(pathlib.Path(scratch))
finish()
