#!/usr/bin/env python3
"""Compares kubeone-expand with model.py on random manifests: random_cases.py EXPAND CASES [SEED]

Half of the manifests have Terraform's output, a third of them a mistake; some are of clusters with committed MachineDeployments.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import model

expand, count = sys.argv[1], int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
CODES = {"decode": {4191}, "workers": {4192}, "cluster": {4193}, "terraform": {4195}}
rng = random.Random(seed)
WORDS = "alder birch cedar dogwood elm fir gum hazel".split()


def word():
    return rng.choice(WORDS) + str(rng.randrange(100))


def perhaps(make, chance=0.4):
    return {} if rng.random() > chance else make()


def text_map(most=3):
    return {word(): rng.choice([word(), "", "yes", "017", "1.35"]) for _ in range(rng.randint(0, most))}


def of_kind(kind):
    kind = kind.removeprefix("?")
    return {"s": lambda: rng.choice([word(), word(), ""]), "n": lambda: rng.choice([0, 7, 50, 2**53 + 1]),
            "b": lambda: rng.random() < 0.5, "l": lambda: [word() for _ in range(rng.randint(0, 2))],
            "m": text_map}[kind]()


def other_case(key):
    return rng.choice([str.upper, str.lower, str.capitalize])(key)


def cloud_spec(cloud, chance, fold=False):
    spec = {}
    for name, kind in model.fields(cloud) if cloud in model.MERGED else [["image", "s"], ["cpus", "n"], ["zones", "l"]]:
        if rng.random() < chance:
            key = other_case(name) if fold and rng.random() < 0.1 else name
            spec[key] = None if rng.random() < 0.08 else of_kind(kind)
    if cloud == "aws" and rng.random() < 0.2:
        spec["spotInstanceConfig"] = {"maxPrice": "0.1", "persistentRequest": rng.random() < 0.5}
    return spec


def provider_spec(cloud, chance, fold=False):
    spec = {"cloudProviderSpec": cloud_spec(cloud, chance, fold), "operatingSystem": rng.choice(["ubuntu", "flatcar", ""])}
    for key in ("annotations", "machineAnnotations", "nodeAnnotations", "machineObjectAnnotations", "labels"):
        spec |= perhaps(lambda: {key: rng.choice([text_map(), None])})
    spec |= perhaps(lambda: {"taints": [{"key": word(), "effect": "NoSchedule", **perhaps(lambda: {"value": rng.choice(["", "x"])})}
                                        for _ in range(rng.randint(0, 2))]})
    spec |= perhaps(lambda: {"sshPublicKeys": [f"ssh-ed25519 AAAA {word()}" for _ in range(rng.randint(0, 2))]})
    spec |= perhaps(lambda: {"operatingSystemSpec": rng.choice([{}, None, {"distUpgradeOnBoot": False, "deep": [{"a": 1}]}])})
    spec |= perhaps(lambda: {"overwriteCloudConfig": rng.choice(["", "x: 1\n", None])}, 0.2)
    spec |= perhaps(lambda: {"network": rng.choice([None, {}, {"cidr": "10.0.0.2/24", "gateway": "10.0.0.1", "dns": {"servers": ["10.0.0.1"]}},
                                                    {"dns": {}, "ipFamily": "IPv4"}, {"ipFamily": "other"}])}, 0.2)
    if rng.random() < 0.1:
        spec.pop("operatingSystem")
    return spec


def manifest_of(cloud):
    found = {"apiVersion": "kubeone.k8c.io/v1beta2", "kind": "KubeOneCluster", "name": word(),
             "versions": {"kubernetes": rng.choice(["1.35.4", "v1.34.1", "vv1.36.0", "1.35", "1.35.2+x"])},
             "cloudProvider": {cloud: {"infraNamespace": "x"} if cloud == "kubevirt" else {}},
             "controlPlane": {"hosts": [{"publicAddress": "203.0.113.4", "privateAddress": "10.0.0.4"}]},
             "dynamicWorkers": [{"name": name, "replicas": rng.choice([0, 1, 3, 2147483647]), "providerSpec": provider_spec(cloud, 0.5)}
                                for name in rng.sample(WORDS, rng.randint(0, 3))]}
    if cloud in ("azure", "openstack", "vsphere"):
        found["cloudProvider"]["cloudConfig"] = "x"
    if cloud == "vsphere":
        found["cloudProvider"]["csiConfig"] = "x"
    if rng.random() < 0.3:
        found["cloudProvider"]["external"] = cloud != "vmwareCloudDirector" and rng.random() < 0.5
    found |= perhaps(lambda: {"loggingConfig": {**perhaps(lambda: {"containerLogMaxSize": rng.choice(["", "100Mi", "50Mi"])}),
                                               **perhaps(lambda: {"containerLogMaxFiles": rng.choice([0, 5, 9])})}})
    found |= perhaps(lambda: {"features": rng.choice([{}, {"nodeLocalDNS": {}}, {"nodeLocalDNS": {"deploy": True}}, {"nodeLocalDNS": None}])})
    found |= perhaps(lambda: {"proxy": {**perhaps(lambda: {"http": "http://proxy:3128"}), **perhaps(lambda: {"https": "http://proxy:3129"}),
                                       **perhaps(lambda: {"noProxy": rng.choice([".x", ""])})}})
    found |= perhaps(lambda: {"clusterNetwork": {**perhaps(lambda: {"podSubnet": "10.100.0.0/16"}),
                                                **perhaps(lambda: {"serviceDomainName": rng.choice(["fen.local", ""])})}})
    found |= perhaps(lambda: {"registryConfiguration": {"overwriteRegistry": "r:5000", "insecureRegistry": rng.random() < 0.5}})
    found |= perhaps(lambda: {"containerRuntime": {"containerd": {"registries": {
        name: {**perhaps(lambda: {"mirrors": rng.sample(["https://a", "http://b/v2", "https://c?z=1&a=2"], 2)}, 0.8),
               **perhaps(lambda: {"overridePath": True}), **perhaps(lambda: {"tlsConfig": {"insecureSkipVerify": rng.random() < 0.5}})}
        for name in rng.sample(["*", "docker.io", "quay.io/org", "gcr.io"], 2)}}}})
    found |= perhaps(lambda: {"operatingSystemManager": {"deploy": rng.random() < 0.5, "enableNonRootDeviceOwnership": rng.random() < 0.5}})
    found |= perhaps(lambda: {"machineController": {"deploy": True}})
    return found


def terraform_of(cloud, manifest):
    names = rng.sample([worker["name"] for worker in manifest["dynamicWorkers"]] + ["maple", "oak"], rng.randint(0, 2))
    if cloud not in model.MERGED:  # KubeOne cannot merge there; only new sets are compared
        names = [name for name in names if name in ("maple", "oak")]
    workers = {name: {"replicas": rng.randint(0, 9), "providerSpec": provider_spec(cloud, 0.6, fold=True)} for name in names}
    control_plane = {**perhaps(lambda: {"cluster_name": rng.choice([word(), ""])}), **perhaps(lambda: {"cloud_provider": cloud}),
                     **perhaps(lambda: {"private_address": ["10.1.1.2"]}), **perhaps(lambda: {"public_address": ["198.51.100.7"]})}
    found = {"kubeone_workers": {"sensitive": False, "type": "x", "value": workers}, "ssh_commands": {"value": ["not for kubeone"]}}
    found |= perhaps(lambda: {"kubeone_hosts": {"sensitive": False, "type": "x", "value": {"control_plane": control_plane}}}, 0.8)
    found |= perhaps(lambda: {"kubeone_api": {"value": {"endpoint": rng.choice(["lb.example.net", ""])}}}, 0.7)
    return found


def spoil(manifest, terraform):
    workers = manifest["dynamicWorkers"]
    choices = [lambda: manifest.update(controlPlane={}), lambda: manifest["cloudProvider"].update(hetzner={}, gce={}),
               lambda: manifest.update(machineController={}), lambda: manifest.update(name="")]
    if workers:
        one = rng.choice(workers)
        choices += [lambda: one.update(replicas=-1), lambda: one.pop("replicas"), lambda: one.update(name=""),
                    lambda: one.update(replicas="2"), lambda: one.update(Labels={}), lambda: one["providerSpec"].update(label={}),
                    lambda: one["providerSpec"].update(labels={"gpu": True}), lambda: one["providerSpec"].update(cloudProviderSpec=[]),
                    lambda: one["providerSpec"].pop("cloudProviderSpec"), lambda: one["providerSpec"].update(network={"ipFamily": "IPv6"}),
                    lambda: one["providerSpec"]["cloudProviderSpec"].update(region={"secretKeyRef": {}}),
                    lambda: one["providerSpec"].update(taints="x"), lambda: one["providerSpec"].update(operatingSystem=7)]
    if terraform:
        value = terraform["kubeone_workers"]["value"]
        choices += [lambda: terraform["kubeone_workers"].update(extra=1),
                    lambda: terraform.setdefault("kubeone_hosts", {"value": {}}).update(
                        value={"control_plane": {"cloud_provider": "anexia"}})]
        if value:
            theirs = rng.choice(list(value.values()))
            choices += [lambda: theirs.update(extra=1), lambda: theirs["providerSpec"].pop("cloudProviderSpec"),
                        lambda: theirs["providerSpec"].update(cloudProviderSpec={"unknownMember": 1}), lambda: theirs.update(replicas=-3),
                        lambda: theirs["providerSpec"].update(labels={"a": 1})]
    rng.choice(choices)()


def plain(value):
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def case():
    cloud = rng.choice([cloud for cloud in model.CLOUDS if cloud != "none"])
    manifest = manifest_of(cloud)
    terraform = terraform_of(cloud, manifest) if rng.random() < 0.5 else None
    if rng.random() < 0.33:
        spoil(manifest, terraform)
    if terraform and rng.random() < 0.1:
        manifest.pop("controlPlane", None)
    has_units = rng.random() < 0.4
    if has_units and rng.random() < 0.4:
        # As where Terraform's state is remote.
        for key in rng.sample(["name", "controlPlane", "dynamicWorkers"], rng.randint(1, 3)):
            manifest[key] = {"name": "", "controlPlane": {}, "dynamicWorkers": []}[key]
    return manifest, terraform, has_units


def expected(*inputs):
    try:
        return model.expand(*inputs), None
    except model.Refused as refused:
        return None, refused.args[0]


def compare(inputs, result):
    """Returns what is wrong, or an empty string."""
    want, kind = expected(*inputs)
    errors = [one for one in result["diagnostics"] if one["error"]]
    if kind:
        return "" if {one["code"] for one in errors} & CODES[kind] else f"want an error of class {kind}, got {errors}"
    if errors:
        return f"want no error, got {errors}"
    units, settings = plain(result["units"]), result["settings"]
    if units != want[0]:
        return f"want {json.dumps(want[0], sort_keys=True)}\n    got  {json.dumps(units, sort_keys=True)}"
    return "" if settings == want[1] else f"want {want[1]}\n    got  {settings}"


cases = [case() for _ in range(count)]
failed = refused = 0
with tempfile.TemporaryDirectory() as scratch:
    folders = []
    for number, (manifest, terraform, has_units) in enumerate(cases):
        folder = pathlib.Path(scratch) / str(number)
        folder.mkdir()
        (folder / "kubeone.yaml").write_text(json.dumps(manifest))
        if terraform is not None:
            (folder / "tf.json").write_text(json.dumps(terraform))
        if has_units:
            (folder / "units.yaml").write_text("")
        folders.append(str(folder))
    lines = []
    for at in range(0, count, 100):
        ran = subprocess.run([expand, *folders[at:at + 100]], capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"{expand} ended with {ran.returncode}:\n{ran.stderr[-3000:]}")
        lines += ran.stdout.splitlines()
    for number, line in enumerate(lines):
        refused += expected(*cases[number])[1] is not None
        problem = compare(cases[number], json.loads(line))
        if problem:
            failed += 1
            if failed <= 5:
                print(f"not ok: case {number} of seed {seed}: {problem[:3000]}\n    {json.dumps(cases[number][0])[:2000]}\n"
                      f"    {json.dumps(cases[number][1])[:2000]}")
if refused < count // 10 or refused > count * 7 // 10:
    failed += 1
    print(f"not ok: {refused} of {count} cases are refused: the generator is off")
print(f"{count - failed} passed, {failed} failed")
sys.exit(failed > 0)
