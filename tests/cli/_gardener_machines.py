"""MachineClasses, and what plan says of a change (tests/cli/gardener_machines.sh): ROOT PROGRAM"""

import copy
import json
import os
import pathlib
import subprocess
import tempfile

import yaml

from _checks import check, equal, finish
from _gardener_node import PROGRAM, ROOT, STATE, Fleet, Node, cluster_info, config, osc, run, service

ANNOTATION = "osm-gen.dev/operating-system-config"


def template(name="pool-z1", of="pool-downloader", **more):
    return {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass", "provider": "OpenStack",
            "metadata": {"name": name, "namespace": "shoot", "annotations": {ANNOTATION: of}},
            "providerSpec": {"flavorName": "m1.large", "imageName": "image-1"},
            "secretRef": {"name": "cloud", "namespace": "shoot"}} | more


def deployment(name="pool-z1", of="pool-z1", replicas=2):
    return {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": name, "namespace": "shoot"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"name": name}},
                     "template": {"metadata": {"labels": {"name": name}},
                                  "spec": {"class": {"kind": "MachineClass", "name": of}}}}}


class Machines(Fleet):
    def class_name(self, name="pool-z1"):
        return self.file(f"management/shoot/machinedeployment-{name}.yaml")["spec"]["template"]["spec"]["class"]["name"]

    def name_of(self, *manifests):
        self.generate(*manifests)
        return self.class_name()

    def plan_json(self, *manifests, seed=True):
        (self.repo / "osm-gen.yaml").write_text(yaml.safe_dump(self.fleet))
        (self.repo / "osc.yaml").write_text(yaml.safe_dump_all(manifests))
        env = {name: value for name, value in os.environ.items() if seed or not name.startswith("OSM_GEN_SEAL_SEED")}
        result = subprocess.run([PROGRAM, "plan", "--repo", str(self.repo), "--worktree", "-o", "json"], capture_output=True, text=True, check=False,
                                env=env)
        return json.loads(result.stdout)

    def forms(self, *manifests):
        """plan as text, as Markdown, and the headlines of its facts"""
        self.commit(*manifests)
        text = run(PROGRAM, "plan", "--repo", str(self.repo))
        markdown = subprocess.run([PROGRAM, "check", "--repo", str(self.repo), "--report", "markdown=-"], capture_output=True, text=True, check=False).stdout
        return text, markdown, "\n".join(fact["headline"] for fact in self.plan_json(*manifests)["facts"])

    def plan(self, *manifests):
        """(class, restarts, stops) of the pool, before these manifests are generated"""
        units = [unit for unit in self.plan_json(*manifests)["units"] if unit["name"] == "pool-original"]
        return (units[0]["class"], units[0].get("restarts", []), units[0].get("stops", [])) if units else None

    def rolls(self, *manifests, name="pool-downloader", seed=True):
        """(class, replicas, reason) of a unit; the reason is the first field of its group"""
        plan = self.plan_json(*manifests, seed=seed)
        units = [unit for unit in plan["units"] if unit["name"] == name]
        groups = [group for group in plan["groups"] if name in [unit["name"] for unit in group["units"]]]
        return units[0]["class"], units[0]["replicas"], groups[0]["fields"][0]["name"] if groups else ""


def test_objects(folder):
    fleet = Machines(folder / "objects")
    fleet.generate(config(), cluster_info(), template(), deployment(), deployment("pool-z2", "pool-z1"), deployment("other", "elsewhere"))
    name = fleet.class_name()
    check("the name has a digest", name.startswith("pool-z1-") and len(name) == len("pool-z1-") + 10, name)
    equal("both MachineDeployments of the template", fleet.class_name("pool-z2"), name)
    check("and no other", not (fleet.repo / "out/default/management/shoot/machinedeployment-other.yaml").exists())
    made = fleet.file(f"management/shoot/machineclass-{name}.yaml")
    equal("the template's members", (made["provider"], made["providerSpec"]), ("OpenStack", template()["providerSpec"]))
    equal("its own Secret", made["secretRef"], {"name": name, "namespace": "shoot"})
    equal("the cloud's credentials", made["credentialsSecretRef"], {"name": "cloud", "namespace": "shoot"})
    equal("found by a label", made["metadata"]["labels"], {"osm-gen.dev/machine-class": "pool-z1"})
    for path in (f"machineclass-{name}", f"secret-{name}", "machinedeployment-pool-z1"):
        annotations = fleet.file(f"management/shoot/{path}.yaml")["metadata"]["annotations"]
        equal(f"appliers keep {path.split('-')[0]}", (annotations["kustomize.toolkit.fluxcd.io/prune"],
              annotations["argocd.argoproj.io/sync-options"], ANNOTATION in annotations), ("disabled", "Prune=false", False))
    secret = fleet.unsealed(f"management/shoot/secret-{name}.yaml")
    equal("the Secret's key", list(secret), ["userData"])
    equal("its user-data", secret["userData"], fleet.unsealed("management/shoot/secret-osc-result-pool-downloader.yaml")["cloud_config"])
    resources = fleet.file("management/kustomization.yaml")["resources"]
    check("they are applied", {f"shoot/{path}.yaml" for path in (f"machineclass-{name}", f"secret-{name}", "machinedeployment-pool-z1")} <= set(resources), resources)
    equal("the rest of a MachineDeployment", fleet.file("management/shoot/machinedeployment-pool-z1.yaml")["spec"]["replicas"], 2)
    error = fleet.generate(config(), cluster_info(), template(of="lake-downloader"), status=2)
    check("an OperatingSystemConfig that is not there", "error[OSG2105]" in error and "shoot/lake-downloader" in error, error)


def test_encrypted(folder):
    """An encrypted template, in the form of SOPS, for the test identity: the output would show it in the clear."""
    fleet = Machines(folder / "encrypted")
    (fleet.repo / "class.yaml").write_text((ROOT / "tests/cli/_encrypted_machine_class.yaml").read_text())
    error = fleet.generate(config(), cluster_info(), deployment(), status=2)
    check("an encrypted template", "class.yaml:6:9: error[OSG2018]: a MachineClass is encrypted" in error and "credentialsSecretRef" in error, error)
    check("no output", not (fleet.repo / "out").exists())


def test_rolls(folder):
    """The name changes with what new machines alone read, and with nothing else."""
    fleet = Machines(folder / "rolls")
    rest = (cluster_info(), template(), deployment())
    name = fleet.name_of(config(), *rest)
    equal("again", fleet.name_of(config(), *rest), name)
    equal("what running nodes apply, too", fleet.name_of(config(a_conf="two\n", b_more="Nice=1\n"), *rest), name)
    equal("another CA, which the execution script brings", fleet.name_of(config(), cluster_info("two"), *rest[1:]), name)
    equal("another number of machines", fleet.name_of(config(), *rest[:2], deployment(replicas=1)), name)
    secret = fleet.unsealed(f"management/shoot/secret-{name}.yaml")
    fleet.settings["tokenRotation"] = "another"
    equal("another token", fleet.name_of(config(), *rest), name)
    check("which new machines get", fleet.unsealed(f"management/shoot/secret-{name}.yaml") != secret)
    other = template()
    other["providerSpec"]["imageName"] = "image-2"
    check("another image", fleet.name_of(config(), rest[0], other, rest[2]) != name)
    check("the file of the class before has left the output", not (fleet.repo / f"out/default/management/shoot/machineclass-{name}.yaml").exists())
    document = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemExtension", "metadata": {"name": "mine"},
                "spec": {"version": "v1.0.0", "types": ["minimal"], "contract": "2021", "command": "/usr/bin/env bash {{ .Path }}",
                         "provision": {"format": "bash", "after": "systemctl daemon-reload\n"},
                         "reconcile": {"format": "bash", "after": "systemctl daemon-reload\n"}}}
    equal("a document of the same user-data", fleet.name_of(config(), *rest, document), name)
    document["spec"]["provision"]["after"] = "systemctl daemon-reload\nmkswap /dev/vdb\n"
    check("commands of the first boot", fleet.name_of(config(), *rest, document) != name)
    document["spec"]["provision"]["after"] = "systemctl daemon-reload\n"
    document["spec"]["reconcile"]["after"] = "systemctl daemon-reload\ntrue\n"
    equal("commands of running nodes", fleet.name_of(config(), *rest, document), name)


def test_given(folder):
    """Of an OperatingSystemConfig in the repository all of its user-data counts; a secret of it only by a keyed digest."""
    given = osc([{"name": "mine.service", "content": service("/opt/mine")}],
                [{"path": "/opt/key", "content": {"secretRef": {"name": "key", "dataKey": "key"}}}], purpose="provision")
    given["metadata"]["name"] = "pool-downloader"
    del given["spec"]["reloadConfigFilePath"]

    def key(text):
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key", "namespace": "shoot"}, "stringData": {"key": text}}

    fleet = Machines(folder / "given", gardenerFlow="none")
    rest = (template(), deployment())
    name = fleet.name_of(given, key("correct horse battery"), *rest)
    equal("again", fleet.name_of(given, key("correct horse battery"), *rest), name)
    check("another secret", fleet.name_of(given, key("correct horse battery staple"), *rest) != name)
    other = copy.deepcopy(given)
    other["spec"]["units"][0]["content"] = service("/opt/mine --verbose")
    check("another unit", fleet.name_of(other, key("correct horse battery"), *rest) != name)
    keyed = Machines(folder / "keyed", gardenerFlow="none")
    keyed.fleet["spec"]["sealing"]["fleet"] = "another"
    check("the digest of secrets is keyed", keyed.name_of(given, key("correct horse battery"), *rest) != name)


def test_plan(folder):
    """Only units that changed restart, as the execution script finds them."""
    fleet = Machines(folder / "plan")
    rest = (cluster_info(),)
    fleet.generate(config(), *rest)
    equal("nothing", fleet.plan(config(), *rest), ("NONE", [], []))
    equal("a file that a unit's script names", fleet.plan(config(a_conf="two\n"), *rest), ("IN-PLACE", ["a.service", "d.service"], []))
    equal("a unit", fleet.plan(config(b_more="Nice=1\n"), *rest), ("IN-PLACE", ["b.service", "d.service"], []))
    equal("a file that no unit names", fleet.plan(config(motd="bye\n"), *rest), ("IN-PLACE", ["d.service"], []))
    stopped = config()
    stopped["spec"]["units"][2]["content"] += "# changed\n"
    equal("a unit that stops", fleet.plan(stopped, *rest), ("IN-PLACE", ["d.service"], ["c.service"]))
    fleet.settings["tokenRotation"] = "another"
    (fleet.repo / "osm-gen.yaml").write_text(yaml.safe_dump(fleet.fleet))
    equal("a token", fleet.plan(config(), *rest)[1:], ([], []))


def test_plan_removed(folder):
    """What the OperatingSystemConfig loses stays on nodes, or nodes remove it (gardenerRemoved). The nodes do what plan says."""
    fleet, node = Machines(folder / "removed"), Node(folder / "removing")

    def apply(manifest):
        script = fleet.script(manifest, cluster_info())
        # The downloader keeps it.
        node.put(f"{STATE}/cloud_config", fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["cloud_config"])
        return node.run(script)

    def named(calls, verb):
        return sorted({call.split()[-1] for call in calls if call.startswith(verb)})

    def step(name, manifest, want, **settings):
        fleet.settings |= settings
        fleet.commit(manifest, cluster_info())
        planned = fleet.plan(manifest, cluster_info())
        status, calls, stderr = apply(manifest)
        equal(f"{name}: plan", planned[1:], want)
        equal(f"{name}: the node", (status, named(calls, "restart"), named(calls, "stop")), (0, *map(sorted, want)))
        equal(f"{name}: then nothing", apply(manifest)[:2], (0, []))
        return stderr

    def lost(manifest=None):
        manifest = manifest or config()
        manifest["spec"]["units"][0]["dropIns"] = []
        return manifest

    first = config()
    first["spec"]["units"][0]["dropIns"] = [{"name": "10-a.conf", "content": "[Service]\nNice=1\n"}]
    fleet.generate(first, cluster_info())
    apply(first)
    path = "/etc/systemd/system/a.service.d/10-a.conf"
    for text in fleet.forms(lost(), cluster_info()):
        check("plan: it stays", f"{path} stays on running nodes" in text and f"{path} removed" not in text and "a.service," not in text, text)
    step("a drop-in that stays", lost(), (["d.service"], []))
    check("it stays", node.text("systemd/a.service.d/10-a.conf"))
    for text in fleet.forms(first, cluster_info()):
        check("plan: it is back", f"{path} added, where it did not stay" in text and "a.service," not in text, text)
    step("a drop-in that stayed is back", first, (["d.service"], []))
    step("and is lost again", lost(), (["d.service"], []))
    other = copy.deepcopy(first)
    other["spec"]["units"][0]["dropIns"][0]["content"] += "# other\n"
    step("another one of its name", other, (["a.service", "d.service"], []))
    gone = lost()
    del gone["spec"]["units"][1]
    step("and a unit that stays", gone, (["d.service"], []))
    step("which is back", lost(), (["d.service"], []))
    stopped = config(b_more="Nice=1\n")
    step("and changes", stopped, (["b.service", "d.service"], []))
    step("as before", lost(), (["b.service", "d.service"], []))
    step("the setting alone", lost(), ([], []), gardenerRemoved="remove")
    step("nothing is left to remove", lost(), ([], []))
    check("what stayed earlier stays", node.text("systemd/a.service.d/10-a.conf"))
    fleet.commit(first, cluster_info())
    apply(first)
    step("a drop-in that is removed", lost(), (["a.service", "d.service"], []))
    check("it is gone", node.text("systemd/a.service.d/10-a.conf") is None and not (node.root / "systemd/a.service.d").exists())
    gone = lost()
    del gone["spec"]["units"][1], gone["spec"]["files"][2]
    step("a unit and a file", gone, (["d.service"], ["b.service"]))
    check("both are gone", node.text("systemd/b.service") is None and node.text("opt/demo/it's motd") is None)
    check("its folder is not", (node.root / "opt/demo/a.conf").exists())
    step("it comes back", lost(), (["b.service", "d.service"], []))
    for text in fleet.forms(lost(config(motd="bye\n")), cluster_info()):
        check("a note of the file that no unit names", "no unit names /opt/demo/it's motd; with gardenerRestart: all" in text, text)
    step("all restart", lost(config(motd="bye\n")), (["a.service", "b.service", "d.service"], ["c.service"]), gardenerRestart="all")


def test_plan_reasons(folder):
    """The reason of a change is in what nodes get. The time in the status is none."""
    fleet = Machines(folder / "reasons")

    def with_secret(manifest, **spec):
        manifest["spec"]["files"].append({"path": "/etc/secret", "content": {"secretRef": {"name": "s", "dataKey": "k"}}})
        manifest["spec"] |= {"type": "ubuntu", "criConfig": {"name": "containerd"}} | spec
        return manifest

    def secret(text):
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shoot"}, "stringData": {"k": text}}

    def reasons(*manifests):
        fleet.date += 60
        fleet.commit(*manifests)
        groups = [group for group in fleet.plan_json(*manifests)["groups"] if "pool-original" in [unit["name"] for unit in group["units"]]]
        return [(field["name"], field.get("before"), field.get("after")) for group in groups for field in group["fields"] if "restarts" not in field["name"]]

    fleet.generate(with_secret(config()), cluster_info(), secret("hunter22"))
    equal("a changed secret", [name for name, _, _ in reasons(with_secret(config()), cluster_info(), secret("hunter33"))], ["userData"])
    equal("another container runtime", reasons(with_secret(config(), criConfig={"name": "docker"}), cluster_info(), secret("hunter22")),
          [("criConfig.name", "containerd", "docker")])
    moved = cluster_info()
    moved["data"]["kubeconfig"] = moved["data"]["kubeconfig"].replace("api.example.com", "b.example.com")
    equal("another API server", reasons(with_secret(config()), moved, secret("hunter22")),
          [("API server", "https://api.example.com", "https://b.example.com")])


def test_plan_refused(folder):
    """Gardener refuses another type of a live OperatingSystemConfig: plan names it first."""
    fleet = Machines(folder / "refused")
    fleet.generate(config(), cluster_info())
    other = config(a_conf="curl -k https://example.com\n")
    other["spec"]["type"] = "ubuntu"
    fleet.commit(other, cluster_info())
    facts = fleet.plan_json(other, cluster_info())["facts"]
    equal("the first fact", [facts[0][name] for name in ("kind", "severity", "where")], ["immutable", "stop", ["default/shoot/pool-original"]])
    check("what stops a hand, too, comes after it", [fact["kind"] for fact in facts[1:] if fact["severity"] == "stop"], facts)
    check("its values and the way", "type minimal -> ubuntu: Gardener refuses" in facts[0]["headline"] and "another name" in facts[0]["headline"], facts)
    equal("its place", facts[0]["at"]["path"], "osc.yaml")
    for text in fleet.forms(other, cluster_info()):
        check("all forms", "A field that must not change" in text and "type minimal -> ubuntu: Gardener" in text, text)


def test_plan_unnamed(folder):
    """A file that units reach by a folder, a glob or over three steps restarts nothing: plan names it and the way."""
    paths = ["/etc/containerd/conf.d/10-mirror.toml", "/etc/kubernetes/config.d/20-more.conf", "/opt/third"]

    def reached(text, steps="exec /opt/second\n"):
        unit = service("/opt/first --config /etc/containerd/config.toml --config-dir /etc/kubernetes/config.d")
        return osc([{"name": "a.service", "content": unit}],
                   [{"path": path, "content": {"inline": {"encoding": "", "data": data}}} for path, data in (
                    ("/etc/containerd/config.toml", 'imports = ["/etc/containerd/conf.d/*.toml"]\n'), ("/opt/first", steps),
                    ("/opt/second", "exec /opt/third\n"), *((path, text) for path in paths))])

    def notes(manifest, **settings):
        fleet.settings |= settings
        fleet.commit(manifest, cluster_info())
        plan = fleet.plan_json(manifest, cluster_info())
        return sorted(fact["headline"].split(" names ")[1].split(";")[0] for fact in plan["facts"] if fact["kind"] == "no-restart")

    fleet = Machines(folder / "unnamed")
    fleet.generate(reached("one\n"), cluster_info())
    equal("no file", notes(reached("one\n")), [])
    equal("three files", notes(reached("two\n")), sorted(paths))
    equal("nothing restarts", fleet.plan(reached("two\n"), cluster_info()), ("IN-PLACE", [], []))
    equal("a file in a second step", notes(reached("two\n", "exec /opt/third\n")), sorted(paths[:2]))
    equal("with the setting", notes(reached("two\n"), gardenerRestart="all"), [])


TEMPLATE = "template of the MachineClass changed: imageName image-1 -> image-2"
USER_DATA = "user-data that only new machines read changed"


def another_image(name="pool-z1", **more):
    other = template(name, **more)
    other["providerSpec"]["imageName"] = "image-2"
    return other


def test_plan_rolls(folder):
    """Another name of the class replaces machines, which plan and the commit report, with the number of machines."""
    fleet = Machines(folder / "plan-rolls")
    first, second = deployment(), deployment("pool-z2", "pool-z1", 3)
    rest = (cluster_info(), template(), first, second)
    fleet.generate(config(), *rest)
    equal("nothing", fleet.rolls(config(), *rest), ("NONE", None, ""))
    equal("in place", fleet.rolls(config(motd="bye\n"), *rest)[:2], ("NONE", None))
    equal("which is the other one's", fleet.rolls(config(motd="bye\n"), *rest, name="pool-original")[:2], ("IN-PLACE", 5))
    equal("another number of machines", fleet.rolls(config(), *rest[:3], deployment("pool-z2", "pool-z1", 4))[:2], ("SCALE", 6))
    equal("a number that an autoscaler sets", fleet.rolls(config(), *rest[:3], deployment("pool-z2", "pool-z1", None))[:2], ("METADATA", None))
    image = (rest[0], another_image(), first, second)
    equal("another image", fleet.rolls(config(), *image), ("ROLL", 5, TEMPLATE))
    equal("without a seed", fleet.rolls(config(), *image, seed=False), ("ROLL", 5, TEMPLATE))
    equal("beside what running nodes apply", fleet.rolls(config(motd="bye\n"), *image), ("ROLL", 5, TEMPLATE))
    equal("with the units", fleet.plan(config(motd="bye\n"), *image), ("IN-PLACE", ["d.service"], []))
    text = run(PROGRAM, "plan", "--repo", str(fleet.repo), "--worktree")
    check("the first line", text.startswith("5 machines in 1 OperatingSystemConfig roll, 1 OperatingSystemConfig changes on running nodes\n"), text)
    fleet.generate(config(), *image)
    message = run("git", "-C", str(fleet.repo), "log", "-1", "--format=%B")
    check("the commit", "5 machines in 1 OperatingSystemConfig roll" in message and f"ROLL {TEMPLATE}" in message, message)
    document = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemExtension", "metadata": {"name": "mine"},
                "spec": {"version": "v1.0.0", "types": ["minimal"], "contract": "2021", "command": "/usr/bin/env bash {{ .Path }}",
                         "provision": {"format": "bash", "after": "systemctl daemon-reload\nmkswap /dev/vdb\n"},
                         "reconcile": {"format": "bash", "after": "systemctl daemon-reload\n"}}}
    equal("commands of the first boot", fleet.rolls(config(), *image, document), ("ROLL", 5, USER_DATA))
    equal("without a seed, as no secret is in them", fleet.rolls(config(), *image, document, seed=False), ("ROLL", 5, USER_DATA))
    moved = (rest[0], another_image(), another_image("pool-z9"), deployment(of="pool-z9"), second)
    equal("another template", fleet.rolls(config(), *moved), ("ROLL", 5, "MachineDeployment has another MachineClass"))
    equal("no machines", fleet.rolls(config(), rest[0], template())[1], None)
    given = osc([], [{"path": "/opt/boot", "content": {"inline": {"encoding": "", "data": "boot\n"}}}], purpose="provision")
    given["metadata"]["name"] = "pool-downloader"
    del given["spec"]["reloadConfigFilePath"]
    equal("a new OperatingSystemConfig for the machines of another", fleet.rolls(config(), given, *image, name="pool-downloader"), ("ROLL", 5, USER_DATA))


def system(provision="", reconcile=""):
    return {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemExtension", "metadata": {"name": "mine"},
            "spec": {"version": "v1.0.0", "types": ["minimal"], "contract": "2021", "command": "/usr/bin/env bash {{ .Path }}",
                     "provision": {"format": "bash", "after": "systemctl daemon-reload\n" + provision},
                     "reconcile": {"format": "bash", "after": "systemctl daemon-reload\n" + reconcile}}}


def test_plan_stages(folder):
    """Another first boot is for new nodes alone. The output has it for a unit of its own, under contract 1 for the pool's."""
    classes = {1: [("pool-original", "NEW-NODES-ONLY")], 2: [("pool-downloader", "NEW-NODES-ONLY"), ("pool-original", "NONE")]}

    def units(*manifests):
        fleet.commit(*manifests)
        return [(unit["name"], unit["class"]) for unit in fleet.plan_json(*manifests)["units"]]

    restarting = config()
    restarting["spec"]["files"].append({"path": "/opt/pin", "content": {"secretRef": {"name": "pin", "dataKey": "pin"}}})
    restarting["spec"]["units"].append({"name": "reg.service", "content": service("/opt/reg /opt/pin")})
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pin", "namespace": "shoot"}, "stringData": {"pin": "1234"}}
    for contract, want in classes.items():
        fleet = Machines(folder / f"stages-{contract}")
        fleet.fleet["spec"]["contract"] = contract
        rest = (secret, cluster_info())
        fleet.generate(restarting, system(), *rest)
        equal(f"contract {contract}: nothing", {kind for _, kind in units(restarting, system(), *rest)}, {"NONE"})
        equal(f"contract {contract}: the first boot", units(restarting, system("mkswap /dev/vdb\n"), *rest), want)
        check("no restart", not any("restarts" in text for text in fleet.forms(restarting, system("mkswap /dev/vdb\n"), *rest)))
        equal(f"contract {contract}: running nodes", units(restarting, system("", "true\n"), *rest)[-1], ("pool-original", "IN-PLACE"))
        index = json.loads((fleet.repo / "out/default/index.json").read_text())
        owners = {file["unit"]["name"] for file in index["files"] if "pool-downloader" in file["path"]}
        equal(f"contract {contract}: the index", owners, {want[0][0]})
    fleet.generate(restarting, *rest[:1])
    equal("without a server nobody has a first boot", [name for name, _ in units(restarting, *rest[:1])], ["pool-original"])


def test_plan_given(folder):
    """A keyed digest is not compared without the seed: the commit that made the output tells what changes."""
    given = osc([], [{"path": "/opt/key", "content": {"secretRef": {"name": "key", "dataKey": "key"}}}], purpose="provision")
    given["metadata"]["name"] = "pool-downloader"
    del given["spec"]["reloadConfigFilePath"]

    def key(text):
        return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key", "namespace": "shoot"}, "stringData": {"key": text}}

    def rolls(*manifests, seed=True):
        return fleet.rolls(*manifests, name="pool-downloader", seed=seed)

    fleet = Machines(folder / "plan-given", gardenerFlow="none")
    rest = (template(), deployment())
    before, after = key("correct horse battery"), key("correct horse battery staple")
    fleet.generate(given, before, *rest)
    equal("nothing", rolls(given, before, *rest)[0], "NONE")
    equal("another secret", rolls(given, after, *rest), ("ROLL", 2, USER_DATA))
    equal("without the seed", [rolls(given, secret, *rest, seed=False)[:2] for secret in (before, after)], [("NONE", 2), ("ROLL", 2)])
    diff = subprocess.run([PROGRAM, "diff", "--repo", str(fleet.repo), "--worktree"], capture_output=True, text=True, check=False,
                          env={name: value for name, value in os.environ.items() if not name.startswith("OSM_GEN_SEAL_SEED")})
    check("the name of the class is not shown as another", "pool-z1" not in diff.stdout, diff.stdout)
    equal("another image without the seed", rolls(given, before, another_image(), rest[1], seed=False), ("ROLL", 2, TEMPLATE))
    other = copy.deepcopy(given)
    other["spec"]["files"].append({"path": "/opt/more", "content": {"inline": {"encoding": "", "data": "more\n"}}})
    equal("another file without the seed", rolls(other, before, *rest, seed=False)[:2], ("ROLL", 2))


with tempfile.TemporaryDirectory() as scratch:
    for test in (test_objects, test_encrypted, test_rolls, test_given, test_plan, test_plan_removed, test_plan_reasons, test_plan_refused, test_plan_unnamed, test_plan_stages, test_plan_rolls, test_plan_given):
        test(pathlib.Path(scratch))
finish()
