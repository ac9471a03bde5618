"""Two fleets of the same clusters: one with random overlays of kustomize, one with what kustomize makes of them.

_kustomize_random.py COUNT SEED KUSTOMIZE OVERLAYS BUILT: writes the files of both into two folders.
"""
import json, os, random, shutil, subprocess, sys

count, seed, kustomize, overlays, built = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
POOLS = {"workers": "ubuntu", "batch": "flatcar", "build": "ubuntu"}


def write(root, path, text):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text, indent=2) + "\n")


def machine_deployment(name, system):
    labels = {"pool": name}
    return {
        "apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
        "metadata": {"name": name, "namespace": "kube-system", "labels": {"tier": "a" if system == "ubuntu" else "b"},
                     "annotations": {"v1.kubelet-config.machine-controller.kubermatic.io/MaxPods": "110"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels}, "spec": {"versions": {"kubelet": "1.34.1"}, "providerSpec": {"value": {
                "cloudProvider": "aws", "cloudProviderSpec": {"region": "eu-central-1", "instanceType": "m6i.large"},
                "operatingSystem": system, "operatingSystemSpec": {"disableAutoUpdate": True},
                "sshPublicKeys": []}}}}}}


def merge_patch(rng, name):
    """A part of a MachineDeployment."""
    spec = rng.choice([
        {"replicas": rng.randrange(9)},
        {"template": {"spec": {"versions": {"kubelet": f"1.{rng.choice([33, 34, 35])}.{rng.randrange(1, 4)}"}}}},
        {"template": {"spec": {"taints": [{"key": "dedicated", "value": name, "effect": "NoSchedule"}]}}},
        {"template": {"spec": {"providerSpec": {"value": {"cloudProviderSpec": {"instanceType": "m6i.xlarge", "diskSize": 50}}}}}},
        {"paused": True, "template": {"metadata": {"annotations": {"example.com/since": str(rng.randrange(99))}}}},
    ])
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": name, "namespace": "kube-system"}, "spec": spec}


def operations(rng):
    pods = "/metadata/annotations/v1.kubelet-config.machine-controller.kubermatic.io~1MaxPods"
    return rng.choice([
        [{"op": "replace", "path": "/spec/replicas", "value": rng.randrange(9)}],
        [{"op": "replace", "path": pods, "value": str(rng.randrange(50, 250))}],
        [{"op": "remove", "path": pods}, {"op": "test", "path": "/kind", "value": "MachineDeployment"}],
        [{"op": "add", "path": "/spec/template/spec/providerSpec/value/network", "value": {"ipFamily": "IPv4"}}],
        [{"op": "copy", "from": "/metadata/labels/tier", "path": "/metadata/labels/copied"}],
    ])


def add_patches(rng, folder, spec, names):
    for number in range(rng.randrange(3)):
        name = rng.choice(names)
        path = f"patch-{number}.yaml"
        kind = rng.randrange(5)
        if kind == 0:
            write(overlays, f"{folder}/{path}", merge_patch(rng, name))
            spec.setdefault("patches", []).append({"path": path})
        elif kind == 1:
            spec.setdefault("patches", []).append({"patch": json.dumps(merge_patch(rng, name))})
        elif kind == 2:
            write(overlays, f"{folder}/{path}", operations(rng))
            spec.setdefault("patches", []).append({"path": path, "target": {"kind": "MachineDeployment", "name": name}})
        elif kind == 3:
            spec.setdefault("patches", []).append({"patch": json.dumps(operations(rng)), "target": {
                "group": "cluster.k8s.io", "kind": "MachineDeployment", "labelSelector": f"tier={rng.choice('ab')}"}})
        elif name == "build":
            spec.setdefault("patches", []).append({"patch": json.dumps({**merge_patch(rng, name), "$patch": "delete"})})
            names.remove(name)


def add_rest(rng, level, spec, names):
    """Members that change all objects, and generators. Names change at the end: patches use those of the base."""
    if rng.random() < 0.4:
        spec["labels"] = [{"pairs": {"team": rng.choice(["a", "b"])}, "includeSelectors": rng.random() < 0.3,
                           "includeTemplates": rng.random() < 0.5}]
    if rng.random() < 0.3:
        spec["commonAnnotations"] = {"example.com/owner": "platform"}
    if rng.random() < 0.3:
        spec["images"] = [{"name": "registry.example.com/web", "newTag": str(rng.randrange(9))}]
    if rng.random() < 0.3:
        spec["configMapGenerator"] = [{"name": f"flags-{level}", "namespace": "kube-system", "literals": [f"level={rng.randrange(9)}"]}]
    if rng.random() < 0.2:
        spec["secretGenerator"] = [{"name": f"nothing-{level}", "namespace": "kube-system", "literals": ["user=nobody"],
                                    "options": {"disableNameSuffixHash": rng.random() < 0.5}}]
    if rng.random() < 0.3 and len(names) > 1:
        source, target = rng.sample(names, 2)
        field = rng.choice(["spec.replicas", "spec.template.spec.versions.kubelet"])
        spec["replacements"] = [{"source": {"kind": "MachineDeployment", "name": source, "fieldPath": field},
                                 "targets": [{"select": {"kind": "MachineDeployment", "name": target}, "fieldPaths": [field]}]}]


def make_overlay(rng, number):
    names = list(POOLS)
    folder = f"clusters/c{number}"
    lower = "../../../base"
    if rng.random() < 0.4:
        middle = {"resources": ["../../../base"]}
        add_patches(rng, f"{folder}/middle", middle, names)
        add_rest(rng, "middle", middle, names)
        write(overlays, f"{folder}/middle/kustomization.yaml", middle)
        lower = "../middle"
    spec = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": [lower]}
    add_patches(rng, f"{folder}/overlay", spec, names)
    if rng.random() < 0.4:
        spec["components"] = ["../../../components/" + rng.choice(["large", "tainted"])]
    add_rest(rng, "top", spec, names)
    if rng.random() < 0.3:
        spec.update(rng.choice([{"namePrefix": "x-"}, {"nameSuffix": "-x"}, {"namePrefix": "a-", "nameSuffix": "-b"}]))
    if rng.random() < 0.3:
        spec["namespace"] = "machines"
    write(overlays, f"{folder}/overlay/{rng.choice(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])}", spec)


def cluster(name, more):
    return f"apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {{name: {name}}}\nspec:\n{more}  settings: {{managementCluster: self}}\n"


def build(rng, number):
    """Returns what kustomize makes of a random overlay: the first one that it takes, as a patch may name what another removed."""
    for _ in range(50):
        make_overlay(rng, number)
        made = subprocess.run([kustomize, "build", f"{overlays}/clusters/c{number}/overlay"], capture_output=True, text=True)
        if made.returncode == 0:
            return made.stdout
        shutil.rmtree(f"{overlays}/clusters/c{number}")
    sys.exit(f"kustomize: {made.stderr}")


def main():
    rng = random.Random(seed)
    for name, system in POOLS.items():
        write(overlays, f"base/{name}.yaml", machine_deployment(name, system))
    write(overlays, "base/web.yaml", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
            "containers": [{"name": "web", "image": "registry.example.com/web:1"}]}}}})
    write(overlays, "base/kustomization.yaml", {"resources": [f"{name}.yaml" for name in POOLS] + ["web.yaml"]})
    for name, patch in {"large": {"op": "add", "path": "/spec/template/spec/providerSpec/value/cloudProviderSpec/diskSize", "value": 99},
                        "tainted": {"op": "add", "path": "/spec/template/spec/taints", "value": []}}.items():
        write(overlays, f"components/{name}/kustomization.yaml", {
            "apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component",
            "patches": [{"target": {"kind": "MachineDeployment"}, "patch": json.dumps([patch])}]})
    objects = 0
    for number in range(count):
        made = build(rng, number)
        write(overlays, f"clusters/c{number}/osm-gen.yaml", cluster(f"c{number}", f"  kustomize: clusters/c{number}/overlay\n"))
        objects += made.count("kind: MachineDeployment\n")
        write(built, f"clusters/c{number}/osm-gen.yaml", cluster(f"c{number}", ""))
        write(built, f"clusters/c{number}/built.yaml", made)
    print(objects)


main()
