"""MachineDeployments of the output (machineDeployments: output) beside a real API server, machine-controller and its webhook.

The test applies the worker side as Flux and Argo CD do: on the server, by force, as the field manager APPLIER. It removes
nothing, as every MachineDeployment has `prune: disabled`, which is checked. The pools of somebody else's are adopted with 20
machines; numbers of replicas change their manager by the steps of docs/howto/machine-deployments.md; a profile's change rolls
with `roll: profile` alone. After each step all machines that should outlive it are the same objects as before.
"""

import os

import machine
import nodelib
import nodes
import plane
import repository
from clusters import MACHINES
from repository import HUB, ONE

APPLIER, OTHER = "kustomize-controller", "replicas"
MANY = 199
WEBHOOK_PORT = 9876


class Cluster:
    def __init__(self, t, scratch, processes, programs):
        self.t, self.scratch, self.processes, self.programs = t, scratch, processes, programs
        self.planes = plane.start(scratch, programs, processes, (HUB, ONE))
        self.api, self.hub = self.planes[ONE].admin, self.planes[HUB]
        self.repo = repository.Repository(scratch, {ONE: self.planes[ONE].url()}, self.hub.ca.crt, ())
        self.nodes = nodes.Nodes(self.hub)
        self.kubeconfig = scratch / "one.kubeconfig"
        self.kubeconfig.write_text(self.planes[ONE].kubeconfig())
        self.settings = self.repo.clusters[ONE]["settings"]
        plane.define(self.hub, plane.kubevirt_definitions(programs["kubevirt/"]))
        plane.define(self.planes[ONE], plane.manifests(programs["machine-controller/"], "CustomResourceDefinition"))
        self.hub.admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"vms-{ONE}"}})
        self.hub.admin.create({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.test/none",
                               "metadata": {"name": repository.STORAGE_CLASS}})
        self.environment = {"PATH": os.environ["PATH"], "KUBEVIRT_KUBECONFIG": self.hub.kubeconfig(), "POD_NAMESPACE": f"vms-{ONE}"}
        self.start_webhook()
        self.processes.run("machine-controller", [
            programs["machine-controller"], f"-kubeconfig={self.kubeconfig}", "-enable-leader-election=false",
            "-metrics-address=127.0.0.1:8300", "-health-probe-address=127.0.0.1:8301", "-worker-count=4",
            "-node-csr-approver=false"], self.environment)

    def start_webhook(self):
        """machine-controller's own, as its project registers it, but reached by an address."""
        certificate, key = self.hub.ca.issue_for("machines-webhook", "/CN=webhook", "IP:127.0.0.1")
        self.processes.run("webhook", [
            self.programs["machine-controller-webhook"], f"-kubeconfig={self.kubeconfig}", f"-tls-cert-path={certificate}",
            f"-tls-key-path={key}", f"-listen-address=127.0.0.1:{WEBHOOK_PORT}", "-namespace=kube-system"], self.environment)
        for item in plane.manifests(self.programs["machine-controller-webhook/"], "MutatingWebhookConfiguration"):
            item["metadata"] = {"name": item["metadata"]["name"]}
            for webhook in item["webhooks"]:
                path = webhook["clientConfig"]["service"]["path"]
                webhook["clientConfig"] = {"url": f"https://127.0.0.1:{WEBHOOK_PORT}{path}",
                                           "caBundle": plane.base64.b64encode(self.hub.ca.crt.read_bytes()).decode()}
            self.planes[ONE].admin.create(item)

    # ---- what people and appliers do

    def kubectl(self, *arguments, text=None):
        return nodelib.run([str(self.programs["kubectl"]), f"--kubeconfig={self.kubeconfig}", *arguments], input=text).stdout

    def apply(self, item, query=""):
        """On the server, as appliers do; the object as it is then."""
        status, answer = self.api.call(
            "PATCH", f"{plane.path_of(item)}?fieldManager={APPLIER}&force=true{query}", item, kind="application/apply-patch+yaml")
        forced = item["metadata"].get("annotations", {}).get("kustomize.toolkit.fluxcd.io/force")
        if status == 422 and forced:  # an immutable Secret: Flux creates it again
            self.planes[ONE].delete(item)
            return self.apply(item, query)
        if status not in (200, 201):
            raise AssertionError(f"{item['kind']} {item['metadata']['name']}: {status} {answer}")
        return answer

    def written(self, kind="MachineDeployment"):
        return [item for item in self.repo.objects(ONE, "worker") if item["kind"] == kind]

    def apply_output(self):
        """Namespaces first, MachineDeployments last, as the Kustomizations' dependencies have it."""
        ranks = {"Namespace": 0, "MachineDeployment": 2}
        for item in sorted(self.repo.objects(ONE, "worker"), key=lambda item: ranks.get(item["kind"], 1)):
            self.apply(item)

    def publish(self, message, *options):
        self.repo.write_settings()
        self.repo.commit(message)
        return self.repo.generate(*options).stderr

    # ---- what there is then

    def live(self, name):
        return self.api.get(f"{MACHINES}/machinedeployments/{name}")

    def listed(self, plural, pool=None):
        return {item["metadata"]["name"]: item for item in self.api.get(f"{MACHINES}/{plural}")["items"]
                if pool is None or item["metadata"]["labels"].get("pool") == pool}

    def uids(self, plural, pool=None):
        return {item["metadata"]["uid"] for item in self.listed(plural, pool).values()}

    def wait(self, pool, count, what):
        """Until the pool has so many machines; their names."""
        machine.wait_for(lambda: self.processes.alive() and len(self.listed("machines", pool)) == count, 180, what)
        return self.listed("machines", pool)

    def managers(self, name):
        return sorted(entry["manager"] for entry in self.live(name)["metadata"]["managedFields"]
                      if "f:replicas" in entry["fieldsV1"].get("f:spec", {}))

    def roll_annotation(self, name):
        return self.live(name)["spec"]["template"]["metadata"].get("annotations", {}).get("osm-gen.dev/roll-digest")


def run(t, scratch, processes, programs):
    site = Cluster(t, scratch, processes, programs)
    for step in (adopted, keep_to_omit, scaled, rolled, many, turned_off):
        before = t.passed + t.failed
        step(t, site)
        print(f"step  {step.__name__.replace('_', ' ')}: {t.passed + t.failed - before} checks", flush=True)


def adopted(t, site):
    """A pool of 20 that somebody applied with kubectl: its machines stay when the output has it."""
    site.repo.write_pool(ONE, "workers", replicas=20)
    site.repo.write_pool(ONE, "others", replicas=2)
    site.publish("two pools")
    for item in sorted(site.repo.objects(ONE, "worker"), key=lambda item: item["kind"] != "Namespace"):
        site.apply(item)
    site.kubectl("apply", "-f", str(site.repo.path / "clusters/one/machines/workers.yaml"))
    site.wait("workers", 20, "20 machines of somebody's pool")
    machines, sets = site.uids("machines", "workers"), site.uids("machinesets", "workers")
    site.settings["machineDeployments"] = "output"
    site.publish("machineDeployments: output")
    export = scratch_file(site, "live.yaml", site.kubectl("get", "machinedeployments", "-A", "-o", "yaml"))
    said = site.repo.start("doctor", "--repo", site.repo.path, "--live", export).communicate()[0]
    t.check("adoption: doctor finds that no machine rolls", "replaces no machine: 1 MachineDeployment has" in said, said)
    site.apply_output()
    t.equal("adoption: 20 replicas", site.live("workers")["spec"]["replicas"], 20)
    site.wait("others", 2, "the machines of a pool that only the output has")
    t.equal("adoption: the machines are the same", site.uids("machines", "workers"), machines)
    t.equal("adoption: so is their MachineSet", site.uids("machinesets", "workers"), sets)
    for name in ("workers", "others"):
        annotations = site.live(name)["metadata"]["annotations"]
        t.equal(f"adoption: Flux may not delete {name}", annotations.get("kustomize.toolkit.fluxcd.io/prune"), "disabled")


def scratch_file(site, name, text):
    file = site.scratch / name
    file.write_text(text)
    return file


def keep_to_omit(t, site):
    """`replicas: omit` after `keep`: 1 without another manager of the field, as the howto has it the number without."""
    machines = site.uids("machines", "others")
    site.settings["replicas"] = "omit"
    said = site.publish("replicas: omit")
    t.check("omit: the run warns", "OSG2039" in said, said)
    others = next(item for item in site.written() if item["metadata"]["name"] == "others")
    t.check("omit: the output has no number", "replicas" not in others["spec"], others["spec"])
    t.equal("omit: the applier is the only manager", site.managers("others"), [APPLIER])
    t.equal("omit: without another one the webhook would set 1", site.apply(others, "&dryRun=All")["spec"]["replicas"], 1)
    live = site.kubectl("-n", "kube-system", "get", "machinedeployment", "others", "-o", "jsonpath={.spec.replicas}")
    site.kubectl("apply", "--server-side", f"--field-manager={OTHER}", "-f", "-", text=f"""apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {{name: others, namespace: kube-system}}
spec: {{replicas: {live}}}
""")
    t.equal("omit: two managers", site.managers("others"), sorted([APPLIER, OTHER]))
    site.apply_output()
    t.equal("omit: the other one alone", site.managers("others"), [OTHER])
    t.equal("omit: the pool has its 2 machines", site.live("others")["spec"]["replicas"], 2)
    t.equal("omit: of the pool of 20 kubectl is a manager, too", site.live("workers")["spec"]["replicas"], 20)
    t.equal("omit: the machines are the same", site.uids("machines", "others"), machines)


def scaled(t, site):
    """kubectl scale, and the applier afterwards."""
    site.kubectl("-n", "kube-system", "scale", "machinedeployment", "others", "--replicas=3")
    site.wait("others", 3, "a third machine")
    machines = site.uids("machines", "others")
    site.apply_output()
    t.equal("scale: the applier leaves 3", site.live("others")["spec"]["replicas"], 3)
    t.equal("scale: and the machines", site.uids("machines", "others"), machines)


def rolled(t, site):
    """`roll: profile`: the first run and rotated tokens roll nothing, a changed profile rolls."""
    sets = site.uids("machinesets")
    site.settings.update(roll="profile", rollGuard=50)
    site.publish("roll: profile")
    site.apply_output()
    t.equal("roll: the first run rolls nothing", (site.roll_annotation("workers"), site.uids("machinesets")), (None, sets))
    site.settings["tokenRotation"] = "another"
    site.publish("other tokens")
    site.apply_output()
    t.equal("roll: neither do other tokens", (site.roll_annotation("workers"), site.uids("machinesets")), (None, sets))
    before = site.listed("machines", "others")
    site.repo.profile["spec"]["version"] = "v9.9.9"
    site.repo.profile["spec"]["provisioningConfig"]["files"].append(
        {"path": "/etc/of-a-site", "permissions": 644, "content": {"inline": {"data": "another"}}})
    site.repo.write("clusters/one/profile.json", site.repo.profile)
    said = site.publish("another profile")
    t.check("roll: the run names it", "ROLL" in said, said)
    site.apply_output()
    t.check("roll: the template has the digest", site.roll_annotation("others") is not None)
    machine.wait_for(lambda: site.processes.alive() and len(site.listed("machinesets", "others")) == 2, 60, "a new MachineSet")
    while_rolling(t, site, before)
    t.check("roll: no machine of the old template is left", not set(before) & set(site.listed("machines", "others")))


def while_rolling(t, site, before):
    """One after the other: maxSurge is 1, maxUnavailable 0; a machine counts when its node is ready."""
    for name in before:
        site.nodes.join(site.planes[ONE], name)
    joined, most, fewest = set(before), len(before), len(before)

    def ended():
        nonlocal most, fewest
        site.processes.alive()
        now = site.listed("machines", "others")
        staying = sum("deletionTimestamp" not in item["metadata"] for item in now.values())
        most, fewest = max(most, staying), min(fewest, staying)
        for name in set(now) - joined:
            if site.hub.admin.find(f"/apis/kubevirt.io/v1/namespaces/vms-{ONE}/virtualmachines/{name}"):
                site.nodes.join(site.planes[ONE], name)
                joined.add(name)
        return not set(before) & set(now)

    machine.wait_for(ended, 180, "the roll-out of a pool of 3")
    t.check("roll: never fewer machines than replicas", fewest >= 3, fewest)
    t.check("roll: one more at a time", most <= 4, most)


def many(t, site):
    """199 and 200 units, whole and in parts: every MachineDeployment outlives the cut."""
    for number in range(MANY - 2):
        site.repo.write_pool(ONE, f"pool-{number:03}", replicas=0)
    site.publish("199 pools")
    site.apply_output()
    t.equal("199: all are live", len(site.listed("machinedeployments")), MANY)
    uids, machines = site.uids("machinedeployments"), site.uids("machines", "others")
    site.repo.write_pool(ONE, "pool-x", replicas=0)
    site.publish("200 pools")
    parts = [path for path in (site.repo.path / "out/one/worker").iterdir() if path.is_dir()]
    site.apply_output()
    t.check("200: the side is in parts", len(parts) > 3, parts)
    t.check("200: every MachineDeployment is the same object", uids < site.uids("machinedeployments"))
    t.check("200: no machine is deleted", machines <= site.uids("machines", "others"))
    site.repo.fleet["spec"]["delivery"]["maxUnits"] = 0
    site.publish("as a whole")
    site.apply_output()
    t.check("whole: every MachineDeployment is the same object", uids < site.uids("machinedeployments"))
    t.check("whole: no machine is deleted", machines <= site.uids("machines", "others"))


def turned_off(t, site):
    """The setting off: refused without --allow-removal; what is live stays."""
    uids, machines = site.uids("machinedeployments"), site.uids("machines", "others")
    for name in ("machineDeployments", "replicas", "roll", "rollGuard"):
        site.settings.pop(name)
    site.repo.write_settings()
    site.repo.commit("off")
    said = site.repo.osm_gen("generate", "--repo", site.repo.path, "--seal-seed-file", site.repo.seed, status=2).stderr
    t.check("off: is refused", "OSG2033" in said, said)
    site.repo.generate("--allow-removal", "--allow-roll")
    t.equal("off: the output has none", site.written(), [])
    site.apply_output()
    t.equal("off: the MachineDeployments stay", site.uids("machinedeployments"), uids)
    t.check("off: no machine is deleted", machines <= site.uids("machines", "others"))
