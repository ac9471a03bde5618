"""MachineClasses of Gardener's contract 2021 (docs/spec/gardener.md 8) with the real machine-controller-manager.

It and the machine controller of a provider whose machines are files (machine_driver/main.go, on machine-controller-manager's
own library) run beside a real API server, to which the management side of the output is applied. Machines get the output's
user-data. They are replaced when what only new machines read changes, and by nothing else. A class that has left the output
stays, with its Secret, as long as a machine uses it. The test writes the nodes that machines become.
"""

import base64
import json
import time

import machine
import nodes
import plane
import repository
from repository import ONE

NAMESPACE = "shoot"
GROUP = f"/apis/machine.sapcloud.io/v1alpha1/namespaces/{NAMESPACE}"
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
KINDS = ("MachineClass", "MachineDeployment", "Secret")
CREDENTIAL = "the cloud's"
RELOAD = "/var/lib/cloud-config-downloader/downloads/cloud_config"


def document(first_boot):
    """An operating system, with a command that only new machines run."""
    reload = "systemctl daemon-reload\n"
    return {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemExtension", "metadata": {"name": "mine"},
            "spec": {"version": "v1.0.0", "types": ["mine"], "contract": "2021", "command": "/usr/bin/env bash {{ .Path }}",
                     "provision": {"format": "bash", "after": reload + first_boot}, "reconcile": {"format": "bash", "after": reload}}}


def osc(name, purpose, files, **spec):
    return {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
            "metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"type": "mine", "purpose": purpose, "files": files, **spec}}


def file(path, text, **content):
    return {"path": path, "permissions": 0o644, "content": {"inline": {"encoding": "", "data": text}, **content}}


def template(pool, of, image):
    return {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass", "provider": "files",
            "metadata": {"name": pool, "namespace": NAMESPACE, "annotations": {"osm-gen.dev/operating-system-config": of}},
            "providerSpec": {"image": image}, "secretRef": {"name": "cloud", "namespace": NAMESPACE}}


def deployment(pool, replicas):
    return {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": pool, "namespace": NAMESPACE},
            "spec": {"replicas": replicas, "minReadySeconds": 0, "selector": {"matchLabels": {"name": pool}},
                     "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                     "template": {"metadata": {"labels": {"name": pool}},
                                  "spec": {"class": {"kind": "MachineClass", "name": pool}}}}}


class Site:
    def __init__(self, scratch, processes, programs):
        self.scratch, self.processes = scratch, processes
        self.plane = plane.start(scratch, programs, processes, (ONE,))[ONE]
        self.api = self.plane.admin
        plane.define(self.plane, plane.manifests(programs["machine-controller-manager/"], "CustomResourceDefinition"))
        for item in ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
                     {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "cloud", "namespace": NAMESPACE},
                      "stringData": {"credential": CREDENTIAL}}):
            self.api.create(item)
        self.machines, self.joined, self.may_join = scratch / "machines", set(), ("pool",)
        self.machines.mkdir()
        self.start(programs)
        self.repo = repository.Repository(scratch, {ONE: self.plane.url()}, self.plane.ca.crt, ())
        self.repo.clusters[ONE]["settings"].update(gardenerContract="2021", gardenerFlow="downloader")
        self.settings = self.repo.clusters[ONE]["settings"]
        self.replicas, self.motd, self.first_boot, self.image, self.written = 2, "one\n", "", "image-1", {}

    def start(self, programs):
        kubeconfig = self.scratch / "one.kubeconfig"
        kubeconfig.write_text(self.plane.kubeconfig())
        flags = [f"--control-kubeconfig={kubeconfig}", f"--target-kubeconfig={kubeconfig}", f"--namespace={NAMESPACE}",
                 "--leader-elect=false", "--controller-start-interval=0s"]
        program = programs["machine-controller-manager"]
        self.processes.run("machine-controller-manager", [program, *flags, "--port=10258"])
        self.processes.run("machine-driver", [program.parent / "machine-driver", *flags, "--port=10259", f"--machines={self.machines}"])

    # ---- what people and appliers do

    def publish(self, message):
        """Commits, generates, and applies the management side; nothing is pruned, as the annotations say."""
        placeholders = [file("/etc/token", "<<BOOTSTRAP_TOKEN>>", transmitUnencoded=True),
                        file("/etc/name", "<<MACHINE_NAME>>", transmitUnencoded=True)]
        for item in (document(self.first_boot), template("pool", "pool-downloader", self.image), deployment("pool", self.replicas),
                     osc("pool-original", "reconcile", [file("/etc/motd", self.motd)], reloadConfigFilePath=RELOAD),
                     template("lake", "lake-init", "image-1"), deployment("lake", 1), osc("lake-init", "provision", placeholders)):
            self.repo.write(f"clusters/one/{item['kind']}-{item['metadata']['name']}.json", item)
        self.repo.write_settings()
        self.repo.commit(message)
        self.repo.generate()
        self.written = {(item["kind"], item["metadata"]["name"]): item for item in self.repo.objects(ONE, "management")
                        if item["kind"] in KINDS and item["metadata"]["namespace"] == NAMESPACE}
        for item in sorted(self.written.values(), key=lambda item: KINDS.index(item["kind"]) % 2):
            path = f"{plane.path_of(item)}?fieldManager=applier&force=true"
            status, answer = self.api.call("PATCH", path, item, kind="application/apply-patch+yaml")
            if status not in (200, 201):
                raise AssertionError(f"{path}: {status} {answer}")

    def class_name(self, pool="pool"):
        return self.written["MachineDeployment", pool]["spec"]["template"]["spec"]["class"]["name"]

    def user_data(self, pool="pool"):
        """As the output has it."""
        return base64.b64decode(repository.secret_data(self.written["Secret", self.class_name(pool)])["userData"]).decode()

    # ---- what there is then

    def join(self):
        """Each machine of the pools that may becomes a ready node."""
        for name in self.made():
            if name not in self.joined and name.startswith(self.may_join):
                self.joined.add(name)
                nodes.create(self.api, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
                                        "spec": {"providerID": f"files:///{name}"}}, {"conditions": [nodes.READY]})

    def made(self, pool=""):
        """What the cloud was given, by machine."""
        return {path.stem: json.loads(path.read_text()) for path in self.machines.glob(f"{pool}*.json")}

    def listed(self, plural, pool="pool"):
        return {item["metadata"]["name"]: item for item in self.api.get(f"{GROUP}/{plural}")["items"]
                if item["metadata"].get("labels", {}).get("name") == pool}

    def classes(self, pool="pool"):
        """The classes of the pool's machines, and of what the cloud was given."""
        return ({item["spec"]["class"]["name"] for item in self.listed("machines", pool).values()},
                {made["class"] for made in self.made(pool).values()})

    def is_settled(self, pool, count, of):
        found = self.listed("machines", pool)
        return (len(found) == count and self.classes(pool) == ({of}, {of}) and len(self.made(pool)) == count and
                all(item.get("status", {}).get("currentStatus", {}).get("phase") == "Running" for item in found.values()))

    def settle(self, what, pool="pool", count=None):
        def settled():
            self.processes.alive()
            self.join()
            return self.is_settled(pool, self.replicas if count is None else count, self.class_name(pool))
        machine.wait_for(settled, 180, what)

    def watch(self, seconds=8):
        """The machines that the pool has had in this time."""
        seen, end = set(), time.monotonic() + seconds
        while time.monotonic() < end:
            self.processes.alive()
            seen |= set(self.listed("machines"))
            time.sleep(0.5)
        return seen


def run(t, scratch, processes, programs):
    site = Site(scratch, processes, programs)
    for step in (created, applied_in_place, rotated, rolled, other_image, reverted):
        before, began = t.passed + t.failed, time.monotonic()
        step(t, site)
        print(f"step  {step.__name__.replace('_', ' ')}: {t.passed + t.failed - before} checks, {time.monotonic() - began:.0f} s",
              flush=True)


def created(t, site):
    """Machines start with the output's user-data and the cloud's credentials."""
    site.publish("two pools")
    site.settle("two machines")
    machine.wait_for(lambda: site.processes.alive() and site.made("lake"), 60, "a machine of the lake")
    made = site.made("pool").values()
    t.equal("created: with the output's user-data", {base64.b64decode(one["userData"]).decode() for one in made}, {site.user_data()})
    t.equal("created: with the cloud's credential", {base64.b64decode(one["credential"]).decode() for one in made}, {CREDENTIAL})
    t.equal("created: by a class that names its Secret", {(one["class"], one["secret"]) for one in made}, {(site.class_name(),) * 2})
    name, made = next(iter(site.made("lake").items()))
    got, given = base64.b64decode(made["userData"]).decode(), site.user_data("lake")
    before, _, rest = given.partition("<<BOOTSTRAP_TOKEN>>")
    token = got[len(before):len(before) + 23]
    t.equal("created: both placeholders are filled in", got, given.replace("<<BOOTSTRAP_TOKEN>>", token).replace("<<MACHINE_NAME>>", name))
    t.check("created: there were both", rest and "<<MACHINE_NAME>>" in given)
    asked = lambda: site.plane.by_token(token).call("GET", "/api/v1/namespaces")[0]
    t.equal("created: the API server knows the token, which may nothing", asked(), 403)
    site.may_join += ("lake",)
    site.settle("a machine of the lake", "lake", 1)
    machine.wait_for(lambda: asked() == 401, 60, "the token to end")


def stays(t, site, what, machines):
    t.equal(f"{what}: no machine is replaced", site.watch(), machines)
    t.equal(f"{what}: there is one set of machines", len(site.listed("machinesets")), 1)


def applied_in_place(t, site):
    """Running nodes apply what an OperatingSystemConfig of purpose reconcile changes."""
    machines, name = set(site.listed("machines")), site.class_name()
    site.motd = "two\n"
    site.publish("another file")
    t.equal("applied in place: the class stays", site.class_name(), name)
    stays(t, site, "applied in place", machines)


def rotated(t, site):
    """Another token reaches new machines, and replaces none."""
    machines, name, before = set(site.listed("machines")), site.class_name(), site.user_data()
    site.settings["tokenRotation"] = "another"
    site.publish("another token")
    t.equal("rotated: the class stays", site.class_name(), name)
    t.check("rotated: its user-data is another", site.user_data() != before)
    stays(t, site, "rotated", machines)
    site.replicas = 3
    site.publish("a third machine")
    site.settle("a third machine")
    t.check("rotated: the others stay", machines < set(site.listed("machines")))
    new = next(made for name, made in site.made("pool").items() if name not in machines)
    t.equal("rotated: the new one has the new token", base64.b64decode(new["userData"]).decode(), site.user_data())


def rolled(t, site):
    """What only new machines read replaces all; the class before stays until none uses it."""
    machines, name = set(site.listed("machines")), site.class_name()
    site.first_boot = "mkswap /dev/vdb\n"
    site.publish("another command of the first boot")
    t.check("rolled: the class has another name", site.class_name() != name)
    t.check("rolled: the output has the class before no more", ("MachineClass", name) not in site.written)
    machine.wait_for(lambda: site.processes.alive() and len(site.made("pool")) == 4, 120, "a machine of the new class")
    paths = (f"{GROUP}/machineclasses/{name}", f"{SECRETS}/{name}")
    for path in paths:
        status = site.api.call("DELETE", path)[0]
        t.check(f"rolled: somebody deletes {path}", status in (200, 202), status)
    t.equal("rolled: the class and its Secret stay, as machines use them",
            [bool(site.api.find(path)["metadata"].get("deletionTimestamp")) for path in paths], [True, True])
    site.settle("all machines anew")
    t.check("rolled: all are new", not machines & set(site.listed("machines")))
    t.equal("rolled: with the output's user-data", {base64.b64decode(one["userData"]).decode() for one in site.made("pool").values()},
            {site.user_data()})
    machine.wait_for(lambda: not any(site.api.find(path) for path in paths), 120, "the class before and its Secret to go")
    # Its user-data has the command, too.
    site.settle("the machine of the lake anew", "lake", 1)


def other_image(t, site):
    """A change of the template replaces machines, too."""
    machines, name = set(site.listed("machines")), site.class_name()
    site.image = "image-2"
    site.publish("another image")
    site.settle("all machines with another image")
    t.check("other image: all are new", not machines & set(site.listed("machines")))
    t.check("other image: the class before, which nobody deleted, is there", site.api.find(f"{GROUP}/machineclasses/{name}"))


def reverted(t, site):
    """The class before again, of the same name."""
    site.image = "image-1"
    site.publish("the image before")
    site.settle("all machines with the image before")
    t.equal("reverted: with the output's user-data", {base64.b64decode(one["userData"]).decode() for one in site.made("pool").values()},
            {site.user_data()})
