"""MachineDeployments of the output (machineDeployments: output), applied by Flux, with machine-controller and its webhook.

Flux's source- and kustomize-controller follow the repository with `out/flux/` as it is generated. A pool of somebody else's is
adopted with 20 machines; numbers of replicas change their manager by the steps of docs/howto/machine-deployments.md; a profile's
change rolls with `roll: profile` alone; a pool and the setting leave the output. After each step all machines that should
outlive it are the same objects as before.
"""

import os
import time

import flux
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
        plane.define(self.hub, [
            *plane.kubevirt_definitions(programs["kubevirt/"]),
            *(definition for name in ("source-controller", "kustomize-controller", "operating-system-manager")
              for definition in plane.manifests(programs[f"{name}/"], "CustomResourceDefinition"))])
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
        self.flux = flux.Flux(self.hub, self.planes, self.repo, processes, programs)
        self.flux.start(scratch)

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

    # ---- what people and Flux do

    def kubectl(self, *arguments, text=None):
        return nodelib.run([str(self.programs["kubectl"]), f"--kubeconfig={self.kubeconfig}", *arguments], input=text).stdout

    def of_pool(self, verb, pool, *options):
        return self.kubectl("-n", "kube-system", verb, "machinedeployment", pool, *options)

    def commit(self, message, *options):
        """Has osm-gen commit the output, which nobody applies yet; what osm-gen said."""
        self.repo.write_settings()
        self.repo.commit(message)
        return self.repo.generate(*options).stderr

    def push(self):
        """Pushes, and waits until Flux has applied everything."""
        result = self.repo.push()
        if result.returncode:
            raise AssertionError(f"git push: {result.stderr}")
        self.flux.wait_until_applied(600)

    def publish(self, message, *options):
        said = self.commit(message, *options)
        self.push()
        return said

    def apply_again(self):
        """Has Flux apply the MachineDeployments once more, from the same commit."""
        for name in self.appliers():
            self.flux.apply_again(name, "flux-system")

    def appliers(self):
        """The Kustomizations that have applied a MachineDeployment."""
        return [item["metadata"]["name"] for item in self.flux.kustomizations()
                if any("_MachineDeployment" in entry["id"] for entry in item["status"].get("inventory", {}).get("entries", []))]

    def dry_run(self, item):
        """The object as the API server would have it if Flux applied this one, and nothing is changed."""
        path = f"{plane.path_of(item)}?fieldManager={APPLIER}&force=true&dryRun=All"
        status, answer = self.api.call("PATCH", path, item, kind="application/apply-patch+yaml")
        if status != 200:
            raise AssertionError(f"{item['metadata']['name']}: {status} {answer}")
        return answer

    def written(self):
        """The MachineDeployments of the output, by name."""
        return {item["metadata"]["name"]: item for item in self.repo.objects(ONE, "worker") if item["kind"] == "MachineDeployment"}

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
    for step in (adopted, keep_to_omit, scaled, adopted_without_number, rolled, many, removed, turned_off):
        before, began = t.passed + t.failed, time.monotonic()
        step(t, site)
        print(f"step  {step.__name__.replace('_', ' ')}: {t.passed + t.failed - before} checks, {time.monotonic() - began:.0f} s",
              flush=True)


def adopted(t, site):
    """A pool of 20 that somebody applied with kubectl: its machines stay when the output has it."""
    site.repo.write_pool(ONE, "workers", replicas=20)
    site.repo.write_pool(ONE, "others", replicas=2)
    site.commit("two pools")
    site.repo.push()
    site.flux.give()
    site.push()
    site.kubectl("apply", "-f", str(site.repo.path / "clusters/one/machines/workers.yaml"))
    site.wait("workers", 20, "20 machines of somebody's pool")
    machines, sets = site.uids("machines", "workers"), site.uids("machinesets", "workers")
    t.equal("adoption: Flux applies no MachineDeployment yet", site.appliers(), [])
    site.settings["machineDeployments"] = "output"
    site.commit("machineDeployments: output")
    export = scratch_file(site, "live.yaml", site.kubectl("get", "machinedeployments", "-A", "-o", "yaml"))
    said = site.repo.start("doctor", "--repo", site.repo.path, "--live", export).communicate()[0]
    t.check("adoption: doctor finds that no machine rolls", "replaces no machine: 1 MachineDeployment has" in said, said)
    site.push()
    t.equal("adoption: one Kustomization applies them", len(site.appliers()), 1)
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
    machines = {pool: site.uids("machines", pool) for pool in ("workers", "others")}
    site.settings["replicas"] = "omit"
    said = site.commit("replicas: omit")
    t.check("omit: the run warns", "OSG2039" in said, said)
    for name, count in (("workers", 20), ("others", 2)):
        item = site.written()[name]
        t.check(f"omit: the output has no number of {name}", "replicas" not in item["spec"], item["spec"])
        t.equal(f"omit: Flux is the only manager of {name}", site.managers(name), [APPLIER])
        t.equal(f"omit: without another one the webhook would set 1 in {name}", site.dry_run(item)["spec"]["replicas"], 1)
        live = site.of_pool("get", name, "-o", "jsonpath={.spec.replicas}")
        t.equal(f"omit: the live number of {name}", live, str(count))
        site.kubectl("apply", "--server-side", f"--field-manager={OTHER}", "-f", "-", text=f"""apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata: {{name: {name}, namespace: kube-system}}
spec: {{replicas: {live}}}
""")
        t.equal(f"omit: two managers of {name}", site.managers(name), sorted([APPLIER, OTHER]))
    site.push()
    for name, count in (("workers", 20), ("others", 2)):
        t.check(f"omit: the other manager of {name} has the number", OTHER in site.managers(name), site.managers(name))
        t.equal(f"omit: {name} has its {count} machines", site.live(name)["spec"]["replicas"], count)
        t.equal(f"omit: the machines of {name} are the same", site.uids("machines", name), machines[name])


def scaled(t, site):
    """kubectl scale and kubectl patch, and Flux after each of them: a number of people's stays."""
    site.of_pool("scale", "others", "--replicas=3")
    site.wait("others", 3, "a third machine")
    machines = site.uids("machines", "others")
    site.apply_again()
    t.equal("scale: Flux leaves 3", site.live("others")["spec"]["replicas"], 3)
    t.equal("scale: and the machines", site.uids("machines", "others"), machines)
    site.of_pool("patch", "others", "--type=merge", "-p", '{"spec": {"replicas": 4}}')
    site.wait("others", 4, "a fourth machine")
    machines = site.uids("machines", "others")
    site.apply_again()
    t.equal("patch: Flux leaves 4", site.live("others")["spec"]["replicas"], 4)
    t.equal("patch: and the machines", site.uids("machines", "others"), machines)
    site.of_pool("scale", "others", "--replicas=3")
    site.wait("others", 3, "one machine less")


def adopted_without_number(t, site):
    """A pool of somebody's, with kubectl's number, that comes into an output without numbers."""
    site.repo.write_pool(ONE, "late", replicas=3)
    site.kubectl("apply", "-f", str(site.repo.path / "clusters/one/machines/late.yaml"))
    site.wait("late", 3, "3 machines of somebody's pool")
    machines = site.uids("machines", "late")
    site.publish("a pool that was applied before")
    t.equal("late adoption: 3 replicas", site.live("late")["spec"]["replicas"], 3)
    t.equal("late adoption: the machines are the same", site.uids("machines", "late"), machines)
    t.equal("late adoption: Flux applies it", site.live("late")["metadata"]["annotations"].get(
        "kustomize.toolkit.fluxcd.io/prune"), "disabled")


def rolled(t, site):
    """`roll: profile`: the first run and rotated tokens roll nothing, a changed profile rolls."""
    sets = site.uids("machinesets")
    site.settings.update(roll="profile", rollGuard=50)
    site.publish("roll: profile")
    t.equal("roll: the first run rolls nothing", (site.roll_annotation("workers"), site.uids("machinesets")), (None, sets))
    site.settings["tokenRotation"] = "another"
    site.publish("other tokens")
    t.equal("roll: neither do other tokens", (site.roll_annotation("workers"), site.uids("machinesets")), (None, sets))
    before = site.listed("machines", "others")
    site.repo.profile["spec"]["version"] = "v9.9.9"
    site.repo.profile["spec"]["provisioningConfig"]["files"].append(
        {"path": "/etc/of-a-site", "permissions": 644, "content": {"inline": {"data": "another"}}})
    site.repo.write("clusters/one/profile.json", site.repo.profile)
    said = site.publish("another profile")
    t.check("roll: the run names it", "ROLL" in said, said)
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
    for number in range(MANY - 3):
        site.repo.write_pool(ONE, f"pool-{number:03}", replicas=0)
    site.settings["replicas"] = "keep"
    for name in ("workers", "others", "late"):
        site.repo.write_pool(ONE, name, replicas=site.live(name)["spec"]["replicas"])
    machines = {pool: site.uids("machines", pool) for pool in ("others", "late")}
    site.publish("199 pools")
    t.equal("199: all are live", len(site.listed("machinedeployments")), MANY)
    t.equal("199: in one Kustomization", len(site.appliers()), 1)
    uids = site.uids("machinedeployments")

    def outlived(name, parts):
        t.check(f"{name}: {'parts' if parts else 'one Kustomization'} for the MachineDeployments",
                (len(site.appliers()) > 1) == parts, site.appliers())
        t.check(f"{name}: every MachineDeployment is the same object", uids <= site.uids("machinedeployments"))
        for pool, before in machines.items():
            t.equal(f"{name}: the machines of {pool} are the same", site.uids("machines", pool), before)

    site.repo.write_pool(ONE, "pool-x", replicas=0)
    site.publish("200 pools")
    outlived("200", True)
    site.repo.fleet["spec"]["delivery"]["maxUnits"] = 0
    site.publish("as a whole")
    outlived("as a whole", False)


def removed(t, site):
    """A pool leaves the output: Flux takes its Secrets away, and leaves it and its machines to people."""
    uids, machines = site.uids("machinedeployments"), site.uids("machines", "late")
    (site.repo.path / "clusters/one/machines/late.yaml").unlink()
    site.repo.commit("a pool less")
    said = site.repo.osm_gen("generate", "--repo", site.repo.path, "--seal-seed-file", site.repo.seed, status=2).stderr
    t.check("removed: is refused", "OSG2033" in said, said)
    site.repo.generate("--allow-removal")
    site.push()
    secrets = {item["metadata"]["name"] for item in site.api.get("/api/v1/namespaces/cloud-init-settings/secrets")["items"]}
    t.equal("removed: its Secrets are gone", [name for name in secrets if "late" in name], [])
    t.check("removed: others' Secrets are not", any("others" in name for name in secrets), secrets)
    t.equal("removed: no MachineDeployment is deleted", site.uids("machinedeployments"), uids)
    t.equal("removed: no machine of it is", site.uids("machines", "late"), machines)


def turned_off(t, site):
    """The setting off: refused without --allow-removal; what is live stays."""
    uids, machines = site.uids("machinedeployments"), site.uids("machines")
    for name in ("machineDeployments", "replicas", "roll", "rollGuard"):
        site.settings.pop(name)
    site.repo.write_settings()
    site.repo.commit("off")
    said = site.repo.osm_gen("generate", "--repo", site.repo.path, "--seal-seed-file", site.repo.seed, status=2).stderr
    t.check("off: is refused", "OSG2033" in said, said)
    site.repo.generate("--allow-removal", "--allow-roll")
    t.equal("off: the output has none", site.written(), {})
    site.push()
    t.equal("off: Flux applies none any more", site.appliers(), [])
    t.equal("off: the MachineDeployments stay", site.uids("machinedeployments"), uids)
    t.equal("off: no machine is deleted", site.uids("machines") & machines, machines)
