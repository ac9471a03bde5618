"""The flow of gardener-node-agent (docs/spec/gardener.md 11) with the published program: the user-data of the output boots a
machine, containerd pulls the agent's image from a mirror, the agent asks for its certificate and applies `osc.yaml`, a real
kubelet joins. Then osc.yaml changes.

The registry is the test's, as a mirror of the agent's own. The certificate is approved as docs/howto/gardener-node-agent.md has
people do it.
"""

import base64
import re
import time

import approver
import cluster
import registry
import servers
import shoot
import yaml
from shoot import inline, service

KEY = "gardener-node-agent-pool"
UNIT = "gardener-node-agent"
STATE = "/var/lib/gardener-node-agent"
REGISTRY_PORT = 8444
MIRROR = f"https://registry.example.test:{REGISTRY_PORT}"
IMAGE, TAG = "gardener-project/releases/gardener/node-agent", "v1.145.0"
HOSTS_TOML = f"""server = "https://europe-docker.pkg.dev"
[host."{MIRROR}"]
  capabilities = ["pull", "resolve"]
  ca = "/etc/ssl/registry.crt"
"""
SECRETS = "/api/v1/namespaces/kube-system/secrets"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
SIGNER = "kubernetes.io/kube-apiserver-client"
APPLIED, DOWNLOADED = "checksum/cloud-config-data", "checksum/data-script"
VERSION = "worker.gardener.cloud/kubernetes-version"
MERGE = "application/merge-patch+json"
STEPS = []


def step(function):
    STEPS.append(function)
    return function


def start_registry(surroundings):
    """Starts a registry that has the agent's image; its CA, and itself."""
    authority = servers.Authority(surroundings.scratch, "registry-ca")
    started = registry.Registry(REGISTRY_PORT, authority.issue("registry.example.test"))
    program = surroundings.paths["gardener-node-agent"].read_bytes()
    started.add_layer(IMAGE, TAG, surroundings.arch, registry.pack((), {"gardener-node-agent": program}, {}),
                      {"Entrypoint": ["/gardener-node-agent"]})
    return authority, started


class Site(shoot.Shoot):
    def __init__(self, t, surroundings, system):
        super().__init__(t, "node-agent", surroundings, system, gardenerFlow="node-agent", gardenerKubernetesVersion="1.33.1",
                         gardenerNtp="none", tokenRotation="weekly")
        self.authority, self.registry = surroundings.registry = surroundings.registry or start_registry(surroundings)
        self.registry.seen.clear()
        self.max_pods_wanted, self.with_hello, self.sandbox = 71, True, "registry.k8s.io/pause:3.10"
        self.annotations = {}

    def manifest(self):
        units, files = self.kubelet(self.max_pods_wanted)
        units[0]["filePaths"] = [file["path"] for file in files]
        hello = service("hello", "#!/bin/sh\nexec sleep infinity\n", filePaths=["/opt/bin/hello"])
        steady = service("steady", "#!/bin/sh\nexec sleep infinity\n", filePaths=["/opt/bin/steady"])
        for unit, file in (hello, steady) if self.with_hello else (steady,):
            units.append(unit)
            files.append(file)
        files.append(inline("/etc/motd", f"{self.max_pods_wanted}\n"))
        return {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
                "metadata": {"name": f"{KEY}-original", "namespace": "shoot", "annotations": self.annotations},
                "spec": {"type": self.system.type, "purpose": "reconcile", "units": units, "files": files,
                         "criConfig": {"name": "containerd", "cgroupDriver": "cgroupfs",
                                       "containerd": {"sandboxImage": self.sandbox}}}}

    def change(self, message):
        self.repo.write("clusters/one/pool.json", self.manifest())
        self.publish(message)

    def checksum(self):
        return self.applied[f"{SECRETS}/{KEY}"]["metadata"]["annotations"][DOWNLOADED]

    def wait_applied(self, seconds=240):
        """Waits until the agent has annotated its Node with the checksum."""
        self.wait(lambda: (self.node() or {"metadata": {}})["metadata"].get("annotations", {}).get(APPLIED) == self.checksum(),
                  seconds, "osc.yaml to be applied", UNIT, "kubelet")

    def newest_token(self):
        """Returns the token that a machine of today boots with."""
        found = re.search(r"bootstrap-token' [0-7]+ base64 -d <<<'(.*)'", self.user_data(f"osc-result-{KEY}-init"))
        return base64.b64decode(found[1]).decode().strip()

    def requests(self):
        """Returns the agent's requests for certificates."""
        return [entry for entry in self.cluster.requests_for_certificates() if entry["spec"]["signerName"] == SIGNER]

    def agent(self):
        """Returns a client with the agent's own certificate."""
        user = yaml.safe_load(self.machine.read(f"{STATE}/credentials/kubeconfig"))["users"][0]["user"]
        pair = [self.folder / "agent.crt", self.folder / "agent.key"]
        for file, key in zip(pair, ("client-certificate-data", "client-key-data")):
            file.write_bytes(base64.b64decode(user[key]))
        return cluster.Api(self.ca.crt, pair)


@step
def starts(t, site, name):
    """user-data of the output; the agent's image comes through containerd's mirror; it asks for its certificate"""
    site.change("a pool")
    site.boot(site.user_data(f"osc-result-{KEY}-init"), (
        ("/etc/containerd/certs.d/europe-docker.pkg.dev/hosts.toml", HOSTS_TOML),
        ("/etc/ssl/registry.crt", site.authority.crt.read_text())))
    site.wait(site.requests, 600, "the agent's request", "cloud-final", UNIT)
    t.check(f"{name}: the image came from the mirror", any(path.startswith(f"/v2/{IMAGE}/blobs/") for _, path in site.registry.seen),
            site.registry.seen)
    version = site.machine.run("/opt/bin/gardener-node-agent", "--version")
    t.check(f"{name}: the program is of the version", TAG in version.stdout + version.stderr, version)
    request = site.requests()[0]
    token = site.machine.read(f"{STATE}/credentials/bootstrap-token").strip()
    t.equal(f"{name}: asked for with the token of the pool", [request["spec"]["username"], site.tokens().get(token.split(".")[0])],
            [f"system:bootstrap:{token.split('.')[0]}", token])
    subject, names = cluster.subject_of(request)
    t.equal(f"{name}: for the machine's name and the agents' group", [set(subject.split(",")), names],
            [{f"CN=gardener.cloud:node-agent:machine:{site.name()}", "O=gardener.cloud:node-agents"}, ""])
    t.check(f"{name}: the token is in no journal", token.split(".")[1] not in site.machine.journal())
    time.sleep(3)
    t.equal(f"{name}: nothing approves it", site.requests()[0]["status"], {})
    site.cluster.approve(site.requests()[0])


@step
def applies(t, site, name):
    """osc.yaml is applied, the kubelet joins, the first token goes"""
    site.wait(site.node, 400, "the Node", UNIT, "kubelet")
    site.write_network()
    site.wait_applied()
    site.wait(site.is_ready, 180, "the Node to be ready", "kubelet")
    labels = site.node()["metadata"]["labels"]
    t.check(f"{name}: it is a worker", "node-role.kubernetes.io/worker" in labels, labels)
    t.equal(f"{name}: of the version that the agent was told", labels.get(VERSION), "1.33.1")
    t.equal(f"{name}: the configuration is the OperatingSystemConfig's", [site.max_pods(), site.machine.read("/etc/motd")], ["71", "71\n"])
    site.wait_active("hello", "steady", "kubelet", "containerd", UNIT)
    t.check(f"{name}: containerd has the image of Pods", site.sandbox in site.machine.read("/etc/containerd/config.toml"))
    t.equal(f"{name}: the tokens are gone", [site.machine.path(path).exists() for path in (
        f"{STATE}/credentials/bootstrap-token", "/var/lib/kubelet/kubeconfig-bootstrap")], [False, False])
    requests = [entry for entry in site.cluster.requests_for_certificates()
                if entry["spec"]["signerName"] == "kubernetes.io/kube-apiserver-client-kubelet"]
    t.equal(f"{name}: the kubelet's request is approved by Kubernetes",
            {condition["reason"] for entry in requests for condition in entry["status"]["conditions"]}, {"AutoApproved"})
    t.equal(f"{name}: one request of the agent", len(site.requests()), 1)
    t.equal(f"{name}: no unit has failed", site.machine.failed(), [])


@step
def rights(t, site, name):
    """what the agent's certificate may read and change, asked of the API server"""
    api, admin, own = site.agent(), site.cluster.admin, site.name()
    admin.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "another"}})
    for lease in ("gardener-node-agent-another", "another"):
        admin.create({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": lease, "namespace": "kube-system"}})
    want = {f"{SECRETS}/{KEY}": 200, SECRETS: 403, "/api/v1/secrets": 403, "/api/v1/namespaces/default/configmaps": 403,
            "/api/v1/nodes": 200, **{f"{SECRETS}/bootstrap-token-{identity}": 403 for identity in site.tokens()}}
    t.equal(f"{name}: get", {path: api.call("GET", path)[0] for path in want}, want)
    label = {"metadata": {"labels": {"of-a-test": "yes"}}}
    change = lambda path, body: api.call("PATCH", path, body, kind=MERGE)[0]
    t.equal(f"{name}: Nodes: its own alone", [change(f"/api/v1/nodes/{node}", label) for node in (own, "another")], [200, 422])

    def take(lease):
        item = admin.get(f"{LEASES}/{lease}")
        item["spec"]["holderIdentity"] = "somebody"
        return api.call("PUT", f"{LEASES}/{lease}", item)[0]

    t.equal(f"{name}: Leases: its own alone", [take(lease) for lease in (
        f"gardener-node-agent-{own}", "gardener-node-agent-another", "another")], [200, 422, 422])
    t.equal(f"{name}: Secrets: no change", change(f"{SECRETS}/{KEY}", label), 403)
    t.equal(f"{name}: Nodes: none is deleted", api.call("DELETE", f"/api/v1/nodes/{own}")[0], 403)


@step
def changed(t, site, name):
    """a file of the kubelet: applied at once, as no Node has the annotation of a delay; other units run on"""
    before = site.running("kubelet", "containerd", "hello", "steady", UNIT)
    site.max_pods_wanted = 72
    site.change("more pods")
    site.wait_applied()
    site.wait(lambda: site.max_pods() == "72", 120, "the kubelet's new configuration", "kubelet")
    after = site.running(*before)
    t.equal(f"{name}: the kubelet was restarted, and nothing else", [unit for unit in before if before[unit] != after[unit]], ["kubelet"])
    t.equal(f"{name}: a file without a unit", site.machine.read("/etc/motd"), "72\n")


@step
def removed(t, site, name):
    """a unit and its file leave osc.yaml: stopped, and gone"""
    before = site.running("kubelet", "containerd", "steady", UNIT)
    site.with_hello = False
    site.change("without hello")
    site.wait_applied()
    site.wait(lambda: site.machine.run("systemctl", "is-active", "hello").stdout.strip() != "active", 60, "hello to stop", UNIT)
    t.equal(f"{name}: files and unit are gone", [site.machine.path(path).exists() for path in (
        "/opt/bin/hello", "/etc/systemd/system/hello.service")], [False, False])
    t.equal(f"{name}: other units run on", site.running(*before), before)


@step
def containerd_configured(t, site, name):
    """another image of Pods: containerd restarts"""
    before = site.running("containerd", "steady")
    site.sandbox = "registry.k8s.io/pause:3.11"
    site.change("another image of Pods")
    site.wait_applied()
    site.wait(lambda: site.running("containerd")["containerd"] not in ("0", before["containerd"]), 120, "containerd to restart", UNIT)
    t.check(f"{name}: it has the image", site.sandbox in site.machine.read("/etc/containerd/config.toml"))
    t.equal(f"{name}: other units run on", site.running("steady"), {"steady": before["steady"]})
    site.wait(site.is_ready, 120, "the Node to be ready", "kubelet")


@step
def serial(t, site, name):
    """one node after the other: the agent may use the Lease of its Secret, and gives it back"""
    site.annotations = {"reconciliation.osc.node-agent.gardener.cloud/serial": "true"}
    site.max_pods_wanted = 74
    site.change("one after the other")
    site.wait_applied()
    t.equal(f"{name}: applied", site.machine.read("/etc/motd"), "74\n")
    lease = site.cluster.admin.get(f"{LEASES}/{KEY}")
    t.equal(f"{name}: the agent has made the Lease", [owner["name"] for owner in lease["metadata"]["ownerReferences"]], [KEY])
    site.wait(lambda: not site.cluster.admin.get(f"{LEASES}/{KEY}")["spec"].get("holderIdentity"), 60, "the Lease to be free", UNIT)
    site.annotations = {}


@step
def agent_changed(t, site, name):
    """another configuration of the agent: it restarts itself, and goes on with it"""
    before = site.running(UNIT, "steady", "kubelet")
    site.settings["gardenerKubernetesVersion"] = "1.33.13"
    site.change("another version of Kubernetes")
    site.wait_applied()
    site.wait(lambda: site.node()["metadata"]["labels"].get(VERSION) == "1.33.13", 120, "the label", UNIT)
    after = site.running(*before)
    t.equal(f"{name}: it alone was restarted", [unit for unit in before if before[unit] != after[unit]], [UNIT])


@step
def rebooted(t, site, name):
    """a machine that was off: the agent goes on with the certificate that it has, and applies what it has missed"""
    site.machine.power_off()
    site.max_pods_wanted = 73
    site.change("while it was off")
    site.machine.power_on()
    site.wait_applied(400)
    site.wait(lambda: site.max_pods() == "73", 180, "the kubelet's new configuration", "kubelet")
    site.wait(site.is_ready, 180, "the Node to be ready", "kubelet")
    t.equal(f"{name}: no new request", len(site.requests()), 1)
    t.equal(f"{name}: no unit has failed", site.machine.failed(), [])


@step
def off_for_long(t, site, name):
    """the steps of docs/howto/gardener-node-agent.md 5, with gardener-resource-manager as approver: it denies the request of a
    machine that has a Node, and approves it without one"""
    approver.start(site, cluster.PORT)
    first = {entry["metadata"]["name"] for entry in site.requests()}
    newest = site.newest_token()
    site.machine.write("/root/token", newest)
    for command in (("rm", f"{STATE}/credentials/kubeconfig"),
                    ("install", "-m", "0640", "/root/token", f"{STATE}/credentials/bootstrap-token"),
                    ("systemctl", "restart", UNIT)):
        t.equal(f"{name}: {command[0]}", site.machine.run(*command).returncode, 0)
    decided = lambda kind: [entry for entry in site.requests() if entry["metadata"]["name"] not in first
                            and any(condition["type"] == kind for condition in entry["status"].get("conditions", []))]
    site.wait(lambda: site.cluster.alive() and decided("Denied"), 120, "a request that is denied", UNIT)
    t.equal(f"{name}: none is approved", decided("Approved"), [])
    admin = site.cluster.admin
    status, _ = admin.call("DELETE", f"/api/v1/nodes/{site.name()}")
    t.equal(f"{name}: the Node is deleted", status, 200)
    site.wait(lambda: decided("Approved"), 240, "a request that is approved", UNIT)
    site.wait(lambda: site.machine.read(f"{STATE}/credentials/kubeconfig"), 120, "the new certificate", UNIT)
    t.equal(f"{name}: the kubelet restarts", site.machine.run("systemctl", "restart", "kubelet").returncode, 0)
    site.wait_applied(400)
    site.wait(site.is_ready, 180, "the Node to be ready", "kubelet")
    t.equal(f"{name}: the token is gone again", site.machine.path(f"{STATE}/credentials/bootstrap-token").exists(), False)
