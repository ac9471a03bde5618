"""The flows of Gardener's contracts (docs/spec/gardener.md 7 and 11) on a machine with systemd, beside a real API server.

downloader: contract 2021. The user-data of the output boots a machine; its downloader fetches the pool's Secret with a token
that may read nothing else, and applies it; a real kubelet joins with the certificate that the output's bindings approve. Then
changes are applied in place, and what may go wrong goes wrong: the API server is away, a download is cut off or damaged,
tokens rotate, the power fails. node-agent is agent.py.

The system is Debian for Ubuntu, with its containerd; docker.io, logrotate and policykit-1 are empty packages. The first steps
of both are for machines of other systems, too (systems.py). A machine is a container with namespaces and cgroups of its own. No
Pod runs: tests/node/real/join.sh has Pods.
"""

import base64
import json
import re
import threading
import time

import agent
import cluster
import machine
import repository
import servers
import shoot
import systems
from shoot import inline, service

UNIT = "cloud-config-downloader"
STATE = "/var/lib/cloud-config-downloader"
SECRETS = "/api/v1/namespaces/kube-system/secrets"
ROLE = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/cloud-config-pool"
CHECKSUM = f"{STATE}/applied/checksum"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
KUBECONFIG = "/var/lib/kubelet/kubeconfig-bootstrap"
WEEK = 7 * 86400
STEPS = []
# How many of the steps are for other systems than Ubuntu: what user-data does, a node that joins, a change.
OF_EVERY_SYSTEM = 4
# Contract 2021 has coreos-cloudinit for it, whose module is not published.
NOT_HERE = [("downloader", "flatcar")]


def request_for_node(name):
    """A CertificateSigningRequest as the kubelet of a node of that name makes it."""
    request = servers.run("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                          "-subj", f"/O=system:nodes/CN=system:node:{name}", "-keyout", "/dev/null")
    return {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": f"node-csr-{name}"},
            "spec": {"request": base64.b64encode(request.encode()).decode(), "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
                     "usages": ["digital signature", "client auth"]}}


def step(function):
    STEPS.append(function)
    return function


def run(t, scratch, _processes, paths, *chosen):
    """`chosen` are flows and types of systems; none of either means all."""
    surroundings = shoot.Surroundings(scratch, paths)
    try:
        if not surroundings.open():
            t.skip("gardener", "no cgroup controllers to hand down to a machine")
            return
        for name, site, steps in (("downloader", Site, STEPS), ("node-agent", agent.Site, agent.STEPS)):
            for system in systems.ALL:
                pair = name, system.type
                if set(chosen) <= set(pair) and pair not in NOT_HERE:
                    is_ubuntu = system == systems.ALL[0]
                    shoot.walk(t, f"{name}, {system.type}", site(t, surroundings, system), steps if is_ubuntu else steps[:OF_EVERY_SYSTEM])
    finally:
        surroundings.close()


class Site(shoot.Shoot):
    """The pool `pool`, of which a machine boots, and `lake`, of which none does."""

    def __init__(self, t, surroundings, system):
        super().__init__(t, "downloader", surroundings, system, gardenerContract="2021", gardenerFlow="downloader", gardenerApplySpread=0,
                         tokenRotation="weekly")
        self.date = int(time.time())
        self.max_pods_wanted, self.motd = 61, "one\n"

    def manifest(self, pool):
        units, files = self.kubelet(self.max_pods_wanted)
        hello = service("hello", "#!/bin/sh\nexec sleep infinity\n")
        units += [hello[0], {"name": "containerd.service", "dropIns": [
            {"name": "10-test.conf", "content": "[Service]\nEnvironment=IN_TEST=yes\n"}]}]
        return {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
                "metadata": {"name": f"{pool}-original", "namespace": "shoot"},
                "spec": {"type": self.system.type, "purpose": "reconcile", "criConfig": {"name": "containerd"},
                         "reloadConfigFilePath": f"{STATE}/downloads/cloud_config", "units": units,
                         "files": [*files, hello[1], inline("/etc/motd", self.motd)]}}

    def change(self, message):
        for pool in ("pool", "lake"):
            self.repo.write(f"clusters/one/{pool}.json", self.manifest(pool))
        self.publish(message, self.date)

    def token(self):
        return self.machine.read(f"{STATE}/credentials/token")

    def seen(self, unit=UNIT):
        """Returns the length of a unit's journal."""
        return len(self.machine.journal(unit))

    def script(self):
        """Returns the execution script of the pool's Secret in the output."""
        data = repository.secret_data(self.applied[f"{SECRETS}/cloud-config-pool"])
        return base64.b64decode(data["script"]).decode()

    def own_tokens(self):
        """Returns the pool's tokens: those that its RoleBinding names."""
        binding = self.applied["/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings/cloud-config-pool"]
        names = [subject["name"].removeprefix("system:bootstrap:") for subject in binding["subjects"]]
        return [token for identity, token in self.tokens().items() if identity in names]

    def wanted(self):
        """Returns the checksum of what the Secret of the output applies."""
        return re.search(r"(?m)^checksum='?([0-9a-f]{64})", self.script())[1]

    def wait_applied(self, seconds=180):
        self.wait(lambda: self.machine.read(CHECKSUM).strip() == self.wanted(), seconds, "the configuration to be applied", UNIT)

    def is_marked(self):
        """Returns whether the Node has the annotations of the Secret that it has applied."""
        found = self.node()["metadata"].get("annotations", {})
        secret = self.applied[f"{SECRETS}/cloud-config-pool"]["metadata"]
        return (found.get("checksum/cloud-config-data"), found.get("osm-gen.dev/cloud-config")) == \
            (secret["annotations"]["checksum/data-script"], secret["name"])

    def sooner(self):
        """Starts the next run now instead of 30 seconds later."""
        self.machine.run("systemctl", "restart", UNIT)


@step
def boots(t, site, name):
    """user-data of the output, its downloader, the first application"""
    site.change("a pool")
    user_data = site.user_data("osc-result-pool-downloader")
    t.check(f"{name}: user-data is below 16 KiB", len(user_data) < 16384, len(user_data))
    site.boot(user_data)
    site.wait(lambda: site.machine.read(CHECKSUM).strip() == site.wanted(), 600, "the first application", "cloud-final", UNIT)
    token = site.token()
    t.equal(f"{name}: the pool's token is in place", token in site.tokens().values(), True)
    t.check(f"{name}: the token is in no journal", token.split(".")[1] not in site.machine.journal())
    users = {f"system:bootstrap:{own.split('.')[0]}" for own in site.own_tokens()}
    asked = {(verb, path, code) for verb, path, user, code in site.cluster.requests() if user in users and path.startswith("/api/")}
    t.equal(f"{name}: its tokens have read the pool's Secret and nothing else", asked, {("get", f"{SECRETS}/cloud-config-pool", 200)})
    t.equal(f"{name}: the files are there", [site.machine.read("/etc/motd"), site.machine.read("/opt/bin/hello")],
            ["one\n", "#!/bin/sh\nexec sleep infinity\n"])
    site.wait_active("hello", "containerd")
    t.equal(f"{name}: user-data's own units are enabled", site.machine.run("systemctl", "is-enabled", UNIT, "hello").stdout.split(),
            ["enabled"] * 2)
    t.check(f"{name}: containerd has the drop-in", "IN_TEST=yes" in site.machine.run(
        "systemctl", "show", "containerd", "--property=Environment").stdout)
    t.equal(f"{name}: it runs again after 30 s", site.machine.run("systemctl", "show", UNIT, "--property=RestartUSec",
                                                                 "--value").stdout.strip(), "30s")


@step
def reads_one_secret(t, site, name):
    """what the RBAC authorizer lets the token do: get one Secret, nothing else; the one to join with also asks for a certificate"""
    token = site.token()
    api = cluster.Api(site.ca.crt, token=token)
    want = {f"{SECRETS}/cloud-config-pool": 200}
    for path in (f"{SECRETS}/cloud-config-lake", SECRETS, "/api/v1/secrets", "/api/v1/nodes", "/api/v1/namespaces",
                 *(f"{SECRETS}/bootstrap-token-{identity}" for identity in site.tokens()), f"{SECRETS}/no-such-secret",
                 "/api/v1/namespaces/default/pods", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"):
        want[path] = 403
    answers = lambda: {path: api.call("GET", path)[0] for path in want}
    t.equal(f"{name}: get", answers(), want)
    role = {"rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}
    site.cluster.admin.call("PATCH", ROLE, role, kind="application/merge-patch+json")
    site.wait(lambda: answers()[f"{SECRETS}/cloud-config-lake"] == 200, 60, "a wider Role to be noticed here")
    site.apply()
    site.wait(lambda: answers() == want, 60, "the applier to repair the Role")
    item = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "cloud-config-pool", "namespace": "kube-system"}}
    changes = [api.call(verb, path, body)[0] for verb, path, body in (
        ("DELETE", f"{SECRETS}/cloud-config-pool", None), ("PUT", f"{SECRETS}/cloud-config-pool", item), ("POST", SECRETS, item))]
    t.equal(f"{name}: it changes nothing", changes, [403] * 3)
    t.equal(f"{name}: it watches nothing", api.call("GET", f"{SECRETS}?watch=true&fieldSelector=metadata.name%3Dcloud-config-pool")[0], 403)
    t.equal(f"{name}: a token of the other pool does not read this Secret",
            {cluster.Api(site.ca.crt, token=other).call("GET", f"{SECRETS}/cloud-config-pool")[0]
             for other in site.tokens().values() if other not in site.own_tokens()}, {403})
    request = request_for_node("another-node")
    t.equal(f"{name}: the certificate of another node is forbidden", api.call("POST", REQUESTS, request)[0], 403)
    joining = [own for own in site.own_tokens() if cluster.Api(site.ca.crt, token=own).call("POST", f"{REQUESTS}?dryRun=All", request)[0] == 201]
    t.check(f"{name}: those to join with may ask", joining and token not in joining, len(joining))
    wrong = cluster.Api(site.ca.crt, token=f"{token.split('.')[0]}.{'b' * 16}")
    t.equal(f"{name}: its secret half counts", wrong.call("GET", f"{SECRETS}/cloud-config-pool")[0], 401)


@step
def joins(t, site, name):
    """a real kubelet, with a certificate that the output's bindings approve"""
    site.wait(lambda: site.node(), 300, "the Node", "kubelet")
    requests = [entry for entry in site.cluster.requests_for_certificates()
                if entry["spec"]["signerName"] == "kubernetes.io/kube-apiserver-client-kubelet"]
    users = {f"system:bootstrap:{token.split('.')[0]}" for token in site.own_tokens()}
    t.check(f"{name}: asked for with the pool's token", requests and {entry["spec"]["username"] for entry in requests} <= users, requests)
    t.equal(f"{name}: approved by Kubernetes", {condition["reason"] for entry in requests for condition in entry["status"]["conditions"]},
            {"AutoApproved"})
    site.write_network()
    site.wait(site.is_ready, 180, "the Node to be ready", "kubelet")
    info = site.node()["status"]["nodeInfo"]
    t.check(f"{name}: with its containerd", info["containerRuntimeVersion"].startswith("containerd://1.6"), info)
    t.equal(f"{name}: a kubelet of 1.33", info["kubeletVersion"], "v1.33.13")
    t.equal(f"{name}: the configuration is the OperatingSystemConfig's", site.max_pods(), "61")
    left = [site.machine.path(path) for path in (f"{STATE}/credentials/bootstrap-token", KUBECONFIG)]
    site.wait(lambda: not any(path.exists() for path in left), 120, "the token to join with to be removed", UNIT)
    site.wait(site.is_marked, 180, "the Node to have what it has applied in its annotations", UNIT)


@step
def in_place(t, site, name):
    """a file of the kubelet changed: within the interval, the kubelet restarts, others do not"""
    before = site.running("kubelet", "containerd", "hello")
    site.max_pods_wanted = 62
    site.change("more pods")
    site.wait_applied()
    site.wait(lambda: site.max_pods() == "62", 120, "the kubelet's new configuration", "kubelet")
    after = site.running("kubelet", "containerd", "hello")
    t.equal(f"{name}: the kubelet was restarted, and nothing else", [unit for unit in before if before[unit] != after[unit]], ["kubelet"])
    site.wait(site.is_ready, 120, "the Node to be ready again", "kubelet")
    site.wait(site.is_marked, 180, "the Node to have the change in its annotations", UNIT)
    site.motd = "two\n"
    site.change("a file that no unit names")
    site.wait_applied()
    t.equal(f"{name}: a file that no unit names", site.machine.read("/etc/motd"), "two\n")
    t.equal(f"{name}: restarts nothing", site.running("kubelet", "containerd", "hello"), after)
    # What follows waits for runs, and not for the time between them.
    site.machine.write(f"/etc/systemd/system/{UNIT}.service.d/99-test.conf", "[Service]\nRestartSec=2\n")
    site.machine.run("systemctl", "daemon-reload")


@step
def spread(t, site, name):
    """with gardenerApplySpread a change waits for the node's own time"""
    site.settings["gardenerApplySpread"] = 3600
    site.motd = "later\n"
    began = time.time()
    site.change("spread over an hour")
    site.wait(lambda: site.machine.read(f"{STATE}/due") or site.machine.read(CHECKSUM).strip() == site.wanted(), 120, "the time", UNIT)
    due = site.machine.read(f"{STATE}/due").split()
    if t.check(f"{name}: it has a time of its own", len(due) == 2, due):
        t.check(f"{name}: within the hour", began <= int(due[1]) <= time.time() + 3600, due)
        seen = site.seen()
        site.sooner()
        site.wait_in_journal(UNIT, "Deactivated successfully", since=seen)
        t.equal(f"{name}: until then nothing changes", site.machine.read("/etc/motd"), "two\n")
        site.machine.write(f"{STATE}/due", f"{due[0]} {int(time.time()) - 1}\n")
    site.wait_applied()
    t.equal(f"{name}: then it is applied", site.machine.read("/etc/motd"), "later\n")
    site.settings["gardenerApplySpread"] = 0
    site.change("without a spread")
    site.wait_applied()


@step
def api_server_stopped(t, site, name):
    """nothing changes on the node, which asks less and less often; afterwards it applies what it has missed"""
    before, seen = site.running("kubelet", "containerd", "hello"), site.seen()
    site.cluster.stop("kube-apiserver")
    site.wait_in_journal(UNIT, "cannot download", since=seen)
    site.wait(lambda: int(site.machine.read(f"{STATE}/failures").strip() or 0) >= 2, 180, "a second failure", UNIT)
    t.equal(f"{name}: the units run on", site.running("kubelet", "containerd", "hello"), before)
    site.cluster.start_server()
    site.motd = "missed\n"
    site.change("while the node waited")
    site.sooner()
    site.wait_applied()
    t.equal(f"{name}: then it is applied", site.machine.read("/etc/motd"), "missed\n")
    site.wait(lambda: not site.machine.read(f"{STATE}/failures"), 60, "the failures to be forgotten", UNIT)
    site.wait(site.is_ready, 120, "the Node to be ready again", "kubelet")


@step
def download_damaged(t, site, name):
    """a connection that is cut off, a Secret that somebody changed: nothing runs"""
    relay, script = site.surroundings.relay, site.machine.read(f"{STATE}/script")
    secret = site.cluster.admin.get(f"{SECRETS}/cloud-config-pool")
    seen = site.seen()
    relay.limit = len(json.dumps(secret)) // 2
    site.motd = "cut off\n"
    site.change("while connections are cut off")
    site.sooner()
    site.wait_in_journal(UNIT, "cannot download", since=seen)
    relay.limit = None
    t.check(f"{name}: connections were cut", relay.cut > 0)
    t.equal(f"{name}: the script before stays", site.machine.read(f"{STATE}/script"), script)
    site.sooner()
    site.wait_applied()
    t.equal(f"{name}: then it is applied", site.machine.read("/etc/motd"), "cut off\n")
    site.motd, seen = "damaged\n", site.seen()
    script = site.machine.read(f"{STATE}/script")
    path = f"{SECRETS}/cloud-config-pool"
    evil = base64.b64encode(b"touch /evil\n").decode()
    t.equal(f"{name}: somebody changes the Secret", site.cluster.admin.call("PATCH", path, {"data": {"script": evil}},
                                                                            kind="application/merge-patch+json")[0], 200)
    site.sooner()
    site.wait_in_journal(UNIT, "its checksum is wrong", since=seen)
    t.equal(f"{name}: it does not run", [site.machine.path("/evil").exists(), site.machine.read(f"{STATE}/script")], [False, script])
    site.change("the applier brings it back")
    site.sooner()
    site.wait_applied()
    t.equal(f"{name}: the applier repairs it", site.machine.read("/etc/motd"), "damaged\n")


@step
def tokens_rotated(t, site, name):
    """each week the node has the next token; a node that was off for longer has none that is valid"""
    before, units = site.token(), site.running("kubelet", "containerd", "hello")
    used = [before]
    for week in (1, 2):
        site.date += WEEK
        site.change(f"week {week}")
        site.sooner()
        site.wait(lambda: site.token() != used[-1], 120, "the next token", UNIT)
        used.append(site.token())
    t.equal(f"{name}: three tokens", len(set(used)), 3)
    t.check(f"{name}: the last one is the pool's newest", used[-1] in site.own_tokens())
    # The API server remembers a token for some seconds.
    known = lambda: cluster.Api(site.ca.crt, token=before).call("GET", f"{SECRETS}/cloud-config-pool")[0] != 401
    machine.wait_for(lambda: not known(), 60, "the first token not to be known any more")
    t.check(f"{name}: the node has none to join with", not site.machine.path(KUBECONFIG).exists())
    t.equal(f"{name}: nothing was restarted", site.running("kubelet", "containerd", "hello"), units)
    site.machine.run("systemctl", "stop", UNIT)
    site.date += 3 * WEEK
    site.motd = "off\n"
    site.change("three weeks later")
    seen = site.seen()
    site.machine.run("systemctl", "start", UNIT)
    site.wait_in_journal(UNIT, "no valid token (401)", since=seen)
    site.wait(site.is_ready, 60, "the Node to be ready", "kubelet")
    newest = [token for token in site.own_tokens() if f"token={token}\n" in site.script()]
    t.equal(f"{name}: the newest token of the output", len(newest), 1)
    site.machine.write(f"{STATE}/credentials/bootstrap-token", newest[0] + "\n", 0o600)
    site.sooner()
    site.wait_applied()
    t.equal(f"{name}: a token that somebody writes ends it", [site.token(), site.machine.read("/etc/motd")], [newest[0], "off\n"])


@step
def machines_own_tokens(t, site, name):
    """gardenerBootstrapToken: machine: a token as machine-controller-manager makes it reads the Secret; the pool's replaces it"""
    site.settings["gardenerBootstrapToken"] = "machine"
    site.motd = "with a token of its own\n"
    site.change("machines' own tokens")
    t.equal(f"{name}: user-data has the placeholder", site.user_data("osc-result-pool-downloader").count("<<BOOTSTRAP_TOKEN>>"), 1)
    site.cluster.admin.create({
        "apiVersion": "v1", "kind": "Secret", "type": "bootstrap.kubernetes.io/token",
        "metadata": {"name": "bootstrap-token-machin", "namespace": "kube-system"}, "stringData": {
            "token-id": "machin", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true"}})
    site.machine.run("systemctl", "stop", UNIT)
    site.machine.path(f"{STATE}/credentials/token").unlink()
    site.machine.write(f"{STATE}/credentials/bootstrap-token", "machin.0123456789abcdef", 0o600)
    # The API server learns of a token some moments later.
    api = cluster.Api(site.ca.crt, token="machin.0123456789abcdef")
    site.wait(lambda: api.call("GET", f"{SECRETS}/cloud-config-pool")[0] == 200, 60, "the token to be known")
    site.machine.run("systemctl", "start", UNIT)
    site.wait_applied()
    t.equal(f"{name}: it is applied", site.machine.read("/etc/motd"), "with a token of its own\n")
    t.check(f"{name}: the pool's token is in place", site.token() in site.own_tokens(), site.token().split(".")[0])
    t.equal(f"{name}: the machine's token reads no other Secrets", {path: api.call("GET", path)[0] for path in (
        SECRETS, f"{SECRETS}/bootstrap-token-machin", "/api/v1/nodes")}, {
        SECRETS: 403, f"{SECRETS}/bootstrap-token-machin": 403, "/api/v1/nodes": 403})
    site.settings.pop("gardenerBootstrapToken")
    site.change("the pool's token again")
    site.wait(lambda: api.call("GET", f"{SECRETS}/cloud-config-pool")[0] == 403, 60, "other tokens to be refused")
    site.wait_applied()


@step
def power_cut(t, site, name):
    """the power fails while the user-data runs, before units restart: the next boot goes on"""
    site.max_pods_wanted, site.motd = 63, "power\n"
    cut = threading.Event()
    mirror = site.surroundings.mirror

    def fails(_address, path):
        if path.endswith("/InRelease") and not cut.is_set():
            cut.set()
            threading.Thread(target=site.machine.process.kill).start()
            time.sleep(1)
        return True

    mirror.allows = fails
    site.change("before the power fails")
    site.sooner()
    machine.wait_for(cut.is_set, 180, "the user-data to ask for packages")
    site.machine.kill()
    mirror.allows = lambda *_: True
    t.equal(f"{name}: the files were written", site.machine.read("/etc/motd"), "power\n")
    t.check(f"{name}: the application is not recorded", site.machine.read(CHECKSUM).strip() != site.wanted())
    site.machine.power_on()
    site.wait_applied(600)
    site.wait(lambda: site.max_pods() == "63", 180, "the kubelet's new configuration", "kubelet")
    site.wait(site.is_ready, 180, "the Node to be ready", "kubelet")
    site.wait_active("hello", "containerd", "kubelet")
    t.equal(f"{name}: no unit has failed", site.machine.failed(), [])
