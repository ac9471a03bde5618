"""The first apply of an adopted cluster, as docs/migration.md has it: with Flux in one cluster, with Argo CD in another.

Each has 29 MachineDeployments that several programs apply (tests/cli/adopt/appliers.py), with the managers that the API server notes for
them, and the Secrets and OperatingSystemConfigs that a controller left. Six MachineDeployments are applied by a real Kustomization of
Flux, or by a real Application of Argo CD, which prune. From an export to the first apply no spec of a MachineDeployment changes, which
machine-controller acts on, and no object is deleted, by Flux, by Argo CD, or by whom they were taken from. Argo CD deletes and makes again
what cannot be updated (Force=true), but no MachineDeployment.

Real are the API servers, kustomize-controller, and gitops-engine, the part of Argo CD that compares, applies and prunes. The test itself
gives Flux its artifacts, as source-controller would, and Argo CD its objects in clear text, as its repo-server would with KSOPS.
"""

import copy
import datetime
import hashlib
import http.server
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import time

import flux
import machine
import nodelib
import plane
import repository
import yaml

CLI = nodelib.ROOT / "tests" / "cli" / "adopt"
IDENTITY, SEED = nodelib.IDENTITY, nodelib.ROOT / "tests" / "keys" / "TEST-ONLY-seed.txt"
ARTIFACT_PORT = 9091
OLD = {"flux": "kustomize.toolkit.fluxcd.io/name", "argocd": "argocd.argoproj.io/tracking-id"}
# Who applies an object, by the name of one of its labels or annotations: what the API server notes as its manager.
MANAGERS = {"helm.toolkit.fluxcd.io/name": "helm-controller", "objectset.rio.cattle.io/id": "fleetagent",
            "argocd.argoproj.io/tracking-id": "argocd-controller", "kustomize.toolkit.fluxcd.io/name": "kustomize-controller",
            "kapp.k14s.io/app": "kapp", "meta.helm.sh/release-name": "helm"}
INPUTS = ("hetzner", "unrelated", "cloud-init-getter-token")
OF_SERVER = ("uid", "creationTimestamp", "resourceVersion", "generation", "managedFields", "finalizers", "selfLink", "ownerReferences")
KINDS = ("/api/v1/secrets", "/api/v1/configmaps", "/apis/cluster.k8s.io/v1alpha1/machinedeployments",
         "/apis/operatingsystemmanager.k8c.io/v1alpha1/operatingsystemconfigs",
         "/apis/operatingsystemmanager.k8c.io/v1alpha1/operatingsystemprofiles")


def osm_gen(folder, *arguments, status=0):
    """What it prints on both streams."""
    environment = {"PATH": os.environ["PATH"], "SOPS_AGE_KEY_FILE": str(IDENTITY), "OSM_GEN_SEAL_SEED_FILE": str(SEED)}
    program = os.environ.get("OSM_GEN", str(nodelib.ROOT / "build" / "osm-gen"))
    result = subprocess.run([program, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != status:
        raise AssertionError(f"osm-gen {arguments[0]} ends with {result.returncode}: {result.stderr}{result.stdout}")
    return result.stdout + result.stderr


def new_fleet(folder, **spec):
    """A repository with a Fleet alone."""
    folder.mkdir()
    recipient = next(line.split()[-1] for line in IDENTITY.read_text().splitlines() if "public key" in line)
    (folder / "osm-gen.yaml").write_text(yaml.safe_dump({
        "apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet", "spec": {"sealing": {"recipients": [recipient]}, **spec}}))
    nodelib.run(["git", "-C", str(folder), "init", "-q", "-b", "main"])
    commit(folder, "fleet")


def commit(folder, message):
    nodelib.run(["git", "-C", str(folder), "add", "-A"])
    nodelib.run(["git", "-C", str(folder), "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q", "-m", message])


def load(file):
    """The object of a file of the output, in clear text."""
    text = file.read_text()
    if "ENC[" in text:
        text = osm_gen(file.parent, "unseal", file)
    return yaml.load(text, Loader=nodelib.LOADER)


def objects_of(folder):
    """The objects of a folder's kustomization, those that KSOPS opens among them."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    generators = [yaml.safe_load((folder / name).read_text()) for name in kustomization.get("generators", [])]
    names = [*kustomization.get("resources", []), *(name for item in generators for name in item["files"])]
    found = []
    for name in names:
        found += objects_of(folder / name) if (folder / name).is_dir() else [load(folder / name)]
    return found


def with_data(item):
    """A Secret as the API server stores it."""
    if item["kind"] == "Secret" and "stringData" in item:
        item["data"] = repository.secret_data(item)
        del item["stringData"]
    return item


# ---- the live cluster ----------------------------------------------------------------------------


def left_by_controller(scratch):
    """(the MachineDeployments with their traces, the other objects, the controller's Deployments): a cluster before the migration. The
    controller's Secrets and configurations are what osm-gen renders of it, without its own annotations."""
    text = nodelib.run([sys.executable, "-B", str(CLI / "appliers.py"), str(CLI / "live.yaml")]).stdout
    (scratch / "original.json").write_text(text)
    folder = scratch / "rendered"
    new_fleet(folder, defaults={"osc": "sealed", "managementCluster": "self"})
    osm_gen(folder, "adopt", "-q", scratch / "original.json", "--cluster", "prod", "--into", "clusters/prod")
    commit(folder, "adopted")
    osm_gen(folder, "generate", "-q", "--revisions", "clusters/revisions")
    made = [load(file) for file in sorted((folder / "out/prod").rglob("*.yaml")) if file.name not in ("kustomization.yaml", "ksops.yaml")]
    made = [with_data(item) for item in made if item["kind"] in ("Secret", "OperatingSystemConfig", "OperatingSystemProfile")
            and not item["metadata"]["name"].startswith("bootstrap-token-")]
    names = {(item["kind"], item["metadata"]["name"]) for item in made}
    pools, others, controller = [], [], []
    for item in json.loads(text)["items"]:
        for name in OF_SERVER:
            item["metadata"].pop(name, None)
        item.pop("status", None)
        if item["kind"] == "MachineDeployment":
            pools.append(item)
        elif item["kind"] == "Deployment":
            args = item["spec"]["template"]["spec"]["containers"][0].get("args", [])
            args[:] = [word for word in args if "CANARY" not in word and "-ca-bundle" not in word]
            controller.append(item)
        elif item["kind"] in ("Secret", "ConfigMap", "OperatingSystemProfile") and (item["kind"], item["metadata"]["name"]) not in names:
            # The export's own Secrets of the controller are of another MachineDeployment.
            if item["kind"] != "Secret" or item["metadata"]["name"] in INPUTS:
                others.append(item)
    for item in made:
        notes = item["metadata"].get("annotations", {})
        item["metadata"]["annotations"] = {key: value for key, value in notes.items()
                                           if not key.startswith(("osm-gen.dev/", "kustomize.", "argocd."))}
    return pools, [*others, *made], controller


def as_read(value):
    """A spec as machine-controller reads it, whose metadata has no pointers: null and an empty map are absent members. The provider's
    part it compares as it is."""
    if not isinstance(value, dict):
        return value
    parts = {key: item if key == "providerSpec" else as_read(item) for key, item in value.items()}
    return {key: item for key, item in parts.items() if item not in (None, {})}


def marks(item):
    return {**item["metadata"].get("labels", {}), **item["metadata"].get("annotations", {})}


def is_of(item, mark):
    """Whether an object has this trace, and not as a copy of another object's."""
    return mark in marks(item) and not marks(item)[mark].endswith("/another")


class Site:
    """One cluster, and the repository into which it is adopted."""

    def __init__(self, scratch, api_plane, applier):
        self.plane, self.api, self.applier = api_plane, api_plane.admin, applier
        self.folder = scratch / applier
        self.folder.mkdir()
        self.repo = self.folder / "fleet"

    def server_side(self, item, manager):
        path = f"{plane.path_of(item)}?fieldManager={manager}&force=true"
        status, answer = self.api.call("PATCH", path, item, kind="application/apply-patch+yaml")
        if status not in (200, 201):
            raise AssertionError(f"{item['metadata']['name']}: {status} {answer}")

    def annotate(self, items, annotation, value):
        for item in items:
            status = self.plane.patch(item, {"metadata": {"annotations": {annotation: value}}})
            if status != 200:
                raise AssertionError(f"{item['metadata']['name']}: {status}")

    def identities(self):
        """(kind, namespace, name) -> uid of all objects that nobody has deleted."""
        return {(path.rsplit("/", 1)[1], item["metadata"].get("namespace"), item["metadata"]["name"]): item["metadata"]["uid"]
                for path in KINDS for item in self.api.get(path)["items"] if "deletionTimestamp" not in item["metadata"]}

    def specs(self):
        """What machine-controller reads of MachineDeployments: name -> (uid, spec)."""
        return {item["metadata"]["name"]: (item["metadata"]["uid"], as_read(item["spec"]))
                for item in self.api.get(KINDS[2])["items"] if "deletionTimestamp" not in item["metadata"]}

    def export(self):
        """kubectl's, with managedFields."""
        lists = {KINDS[0]: ("v1", "Secret"), KINDS[1]: ("v1", "ConfigMap"), KINDS[2]: ("cluster.k8s.io/v1alpha1", "MachineDeployment"),
                 KINDS[3]: ("operatingsystemmanager.k8c.io/v1alpha1", "OperatingSystemConfig"),
                 KINDS[4]: ("operatingsystemmanager.k8c.io/v1alpha1", "OperatingSystemProfile")}
        items = [{**item, "apiVersion": version, "kind": kind} for path, (version, kind) in lists.items()
                 for item in self.api.get(path)["items"]]
        file = self.folder / "live.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        return file

    def outlived(self, t, name, identities, specs, made_again=frozenset()):
        """Everything is there still, the same objects but those of a set, and no MachineDeployment has another spec."""
        now = self.identities()
        t.equal(f"{name}: nothing is deleted", sorted(set(identities) - set(now)), [])
        t.equal(f"{name}: nothing else is made again",
                sorted(key for key, uid in identities.items() if now.get(key, uid) != uid and key not in made_again), [])
        have = self.specs()
        t.equal(f"{name}: no MachineDeployment changes", {key: have.get(key) for key in specs if have.get(key) != specs[key]}, {})


# ---- Flux ----------------------------------------------------------------------------------------


class Flux:
    """kustomize-controller, and what stands in for source-controller."""

    def __init__(self, site, scratch, processes, programs):
        self.site, self.api, self.artifacts, self.count = site, site.api, {}, 0
        artifacts = self.artifacts

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                data = artifacts.get(self.path)
                self.send_response(200 if data else 404)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")

        server = http.server.ThreadingHTTPServer(("127.0.0.1", ARTIFACT_PORT), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        plane.define(site.plane, [item for name in ("source-controller-definitions", "kustomize-controller")
                                  for item in plane.manifests(programs[f"{name}/"], "CustomResourceDefinition")])
        self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": flux.NAMESPACE}})
        kubeconfig = scratch / "flux.kubeconfig"
        kubeconfig.write_text(site.plane.kubeconfig())
        (scratch / "tmp-flux").mkdir()
        processes.run("kustomize-controller", [
            programs["kustomize-controller"], "--watch-all-namespaces=true", "--events-addr=", "--requeue-dependency=1s",
            "--metrics-addr=127.0.0.1:8181", "--health-addr=127.0.0.1:9441"],
            {"PATH": os.environ["PATH"], "RUNTIME_NAMESPACE": flux.NAMESPACE, "KUBECONFIG": str(kubeconfig),
             "TMPDIR": str(scratch / "tmp-flux"), "HOME": str(scratch)})
        self.processes = processes

    def publish(self, name, data):
        """Gives a GitRepository an artifact; its revision."""
        self.count += 1
        path, now = f"/{name}-{self.count}.tar.gz", datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        revision = f"main@sha1:{hashlib.sha1(data).hexdigest()}"
        self.artifacts[path] = data
        source = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                  "metadata": {"name": name, "namespace": flux.NAMESPACE},
                  "spec": {"interval": "10m", "url": "https://git.example.test/fleet.git", "ref": {"branch": "main"}}}
        if not self.site.plane.find(source):
            self.api.create(source)
        status = {"status": {"observedGeneration": 1, "conditions": [
            {"type": "Ready", "status": "True", "reason": "Succeeded", "message": "stored", "lastTransitionTime": now,
             "observedGeneration": 1}], "artifact": {
                 "path": path[1:], "url": f"http://127.0.0.1:{ARTIFACT_PORT}{path}", "revision": revision, "lastUpdateTime": now,
                 "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}}}
        answer = self.api.call("PATCH", f"{plane.path_of(source)}/status", status, kind="application/merge-patch+json")
        if answer[0] != 200:
            raise AssertionError(f"{name}: {answer}")
        return revision

    def wait(self, names, revision, seconds=240):
        """Until these Kustomizations have applied the revision."""
        last = {}

        def applied():
            self.processes.alive()
            found = {item["metadata"]["name"]: flux.state(item) for item in self.api.get(f"{flux.GROUP}/kustomizations")["items"]}
            last.update(found)
            return all(found.get(name, [None])[:3] == [True, True, revision] for name in names)

        try:
            machine.wait_for(applied, seconds, f"Flux to apply {revision}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{last}") from None


def packed(objects):
    """An artifact with a folder `apps` of these objects."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for number, item in enumerate(objects):
            data = yaml.safe_dump(item).encode()
            info = tarfile.TarInfo(f"apps/{number}.yaml")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


CONTROL = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"control-{name}", "namespace": "default"}}
           for name in ("stays", "goes")]


class FluxCD:
    """What Flux does in a cluster: as the applier before the migration, and with the output."""

    def __init__(self, site, scratch, processes, programs):
        self.site, self.flux = site, Flux(site, scratch, processes, programs)

    def apply_old(self, items):
        """The Kustomization that applies MachineDeployments before the migration, and prunes."""
        revision = self.flux.publish("apps", packed(items))
        if not self.site.api.find(f"{flux.GROUP}/namespaces/{flux.NAMESPACE}/kustomizations/apps"):
            self.site.api.create(flux.kustomization("apps", "./apps", sourceRef={"kind": "GitRepository", "name": "apps"}))
        self.flux.wait(["apps"], revision)

    def hand_over(self, items):
        self.site.annotate(items, "kustomize.toolkit.fluxcd.io/prune", "disabled")

    def delivery(self):
        return {"applier": "flux", "source": {"kind": "GitRepository", "name": "fleet", "namespace": flux.NAMESPACE}}

    def made_again(self):
        return frozenset()

    def apply_output(self):
        """By the Kustomization that a person makes, and those of the output; their number."""
        site = self.site
        data = subprocess.run(["git", "-C", site.repo, "archive", "--format=tar.gz", "HEAD"], capture_output=True, check=True).stdout
        revision = self.flux.publish("fleet", data)
        site.api.create(flux.secret(flux.NAMESPACE, "sops-age", identities_agekey=IDENTITY.read_text()))
        if not site.api.find(f"{flux.GROUP}/namespaces/{flux.NAMESPACE}/kustomizations/{flux.BY_HAND}"):
            site.api.create(flux.kustomization(flux.BY_HAND, "./out/flux/prod"))
        self.flux.wait([flux.BY_HAND], revision)
        generated = [f"{file.parent.name}-{file.stem}" for file in (site.repo / "out/flux/prod").glob("*/*.yaml")
                     if file.name != "kustomization.yaml"]
        self.flux.wait(generated, revision)
        return len(generated)


class ArgoCD:
    """The same for Argo CD. Its Applications are synced one after the other, by their waves."""

    def __init__(self, site, scratch, processes, programs):
        self.site, self.program = site, programs["argocd-sync"]
        self.kubeconfig = scratch / "argocd.kubeconfig"
        self.kubeconfig.write_text(site.plane.kubeconfig())

    def sync(self, application, objects):
        """Syncs an Application, with prune; what became of each object."""
        file = self.site.folder / f"{application}.json"
        file.write_text(json.dumps(objects))
        result = subprocess.run([self.program, f"--application={application}", "--prune", file], capture_output=True, text=True,
                                check=False, env={"PATH": os.environ["PATH"], "HOME": str(self.site.folder),
                                                  "KUBECONFIG": str(self.kubeconfig)})
        found = [json.loads(line) for line in result.stdout.splitlines()]
        failed = [item for item in found if item["status"] == "SyncFailed"]
        if result.returncode or failed:
            raise AssertionError(f"{application}: {result.stderr[-2000:]}{failed[:3]}")
        return found

    def apply_old(self, items):
        self.sync("machines", items)

    def hand_over(self, items):
        self.site.annotate(items, "argocd.argoproj.io/sync-options", "Prune=false")

    def delivery(self):
        return {"applier": "argocd", "source": {"url": "https://git.example.test/fleet.git", "revision": "main"}}

    def made_again(self):
        """What Argo CD may delete and make again, as it cannot be updated."""
        return frozenset(
            (item["kind"].lower() + "s", item["metadata"].get("namespace"), item["metadata"]["name"])
            for side in ("management", "worker") for item in objects_of(self.site.repo / "out/prod" / side)
            if "Force=true" in item["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-options", ""))

    def apply_output(self):
        applications = load(self.site.repo / "out/argocd/prod/prod/applicationset.yaml")["spec"]["generators"][0]["list"]["elements"]
        for element in sorted(applications, key=lambda element: int(element["wave"])):
            self.sync(element["name"], objects_of(self.site.repo / element["path"]))
        return len(applications)


# ---- the steps -----------------------------------------------------------------------------------


def run(t, scratch, processes, programs):
    planes = plane.start(scratch, programs, processes, ("hub", "one"))
    before = left_by_controller(scratch)
    for name, api_plane, kind in (("flux", planes["hub"], FluxCD), ("argocd", planes["one"], ArgoCD)):
        began, checks = time.monotonic(), t.passed + t.failed
        site = Site(scratch, api_plane, name)
        plane.define(api_plane, [item for part in ("machine-controller-definitions", "operating-system-manager-definitions")
                                 for item in plane.manifests(programs[f"{part}/"], "CustomResourceDefinition")])
        migrate(t, site, kind(site, site.folder, processes, programs), copy.deepcopy(before))
        print(f"step  first apply with {name}: {t.passed + t.failed - checks} checks, {time.monotonic() - began:.0f} s", flush=True)


def migrate(t, site, applier, before):
    pools, others, controller = before
    name = site.applier
    mark = OLD[name]
    make_live(site, applier, pools, others)
    old = [item for item in pools if is_of(item, mark)]
    t.equal(f"{name}: the MachineDeployments of the applier before", len(old), 6)
    identities, specs = site.identities(), site.specs()
    t.equal(f"{name}: 29 MachineDeployments", len(specs), 29)

    said = adopt(site, applier, controller)
    for line in ("6 MachineDeployments: Helm release kube-system/pools", "5 MachineDeployments: Rancher default-pools",
                 "6 MachineDeployments: Argo CD's Application machines", "6 MachineDeployments: Flux's Kustomization flux-system/apps",
                 "1 MachineDeployment: kapp's app", "1 MachineDeployment: Terraform (field manager Terraform)",
                 "1 MachineDeployment: kubectl apply (field manager kubectl-client-side-apply)"):
        t.check(f"{name}: adopt names {line}", line in said, said)
    compared = osm_gen(site.repo, "compare", "--live", site.export(), "--live", site.folder / "controller.json", "--cluster", "prod",
                       "--revisions", "clusters/revisions")
    t.check(f"{name}: compare finds it equal", compared.startswith("equal: cluster prod"), compared)
    t.check(f"{name}: compare replaces no machine",
            "applying the output replaces no machine: 29 MachineDeployments have the live template" in compared, compared)
    osm_gen(site.repo, "generate", "-q", "--revisions", "clusters/revisions")

    # The applier before gives its objects up, and still prunes others.
    applier.hand_over(old)
    applier.apply_old(CONTROL[:1])
    now = site.identities()
    t.equal(f"{name}: the applier before prunes", [("configmaps", "default", item["metadata"]["name"]) in now for item in CONTROL],
            [True, False])
    del identities[("configmaps", "default", "control-goes")]
    site.outlived(t, f"{name}, handed over", identities, specs)

    count = applier.apply_output()
    t.check(f"{name}: several folders are applied", count >= 3, count)
    site.outlived(t, f"{name}, the first apply", identities, specs, applier.made_again())
    identities = site.identities()
    applier.apply_output()
    site.outlived(t, f"{name}, applied again", identities, specs)
    after = osm_gen(site.repo, "compare", "--live", site.export(), "--cluster", "prod")
    t.check(f"{name}: nothing has drifted", after.startswith("equal: cluster prod"), after)
    mistake(t, site, applier, specs)


def make_live(site, applier, pools, others):
    """The cluster before: each MachineDeployment by the program whose traces it has."""
    mark = OLD[site.applier]
    site.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "cloud-init-settings"}})
    for item in others:
        site.api.create(item)
    mine = [item for item in pools if is_of(item, mark)]
    applied = []
    for item in mine:
        clean = copy.deepcopy(item)
        for part in ("labels", "annotations"):
            clean["metadata"][part] = {key: value for key, value in clean["metadata"].get(part, {}).items()
                                       if not key.startswith(("kustomize.", "argocd.", "kubectl."))}
        applied.append(clean)
    applier.apply_old([*CONTROL, *applied])
    for number, item in enumerate(pools):
        if item in mine:
            continue
        manager = next((manager for key, manager in MANAGERS.items() if is_of(item, key)), None)
        if manager:
            site.server_side(item, manager)
        elif "kubectl.kubernetes.io/last-applied-configuration" in marks(item):
            create_as(site, item, "kubectl-client-side-apply")
        elif number == len(pools) - 3:
            site.server_side(item, "Terraform")
        else:
            create_as(site, item, "kubectl-create")


def create_as(site, item, manager):
    kind = plane.cluster.collection(item)
    status, answer = site.api.call("POST", f"{kind}?fieldManager={manager}", item)
    if status != 201:
        raise AssertionError(f"{item['metadata']['name']}: {status} {answer}")


def adopt(site, applier, controller):
    """Takes the exports into a new repository, with the output's MachineDeployments; what adopt printed."""
    new_fleet(site.repo, defaults={"managementCluster": "self", "machineDeployments": "output"}, delivery=applier.delivery())
    file = site.folder / "controller.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": controller}))
    said = osm_gen(site.repo, "adopt", site.export(), file, "--cluster", "prod", "--into", "clusters/prod")
    commit(site.repo, "adopted")
    return said


def mistake(t, site, applier, specs):
    """Another kubelet in git: the checks find what it does."""
    file = site.repo / "clusters/prod/kube-system/machinedeployment-pool-00.yaml"
    text = file.read_text()
    kubelet = yaml.safe_load(text)["spec"]["template"]["spec"]["versions"]["kubelet"]
    file.write_text(text.replace(f"kubelet: {kubelet}", "kubelet: 1.99.0"))
    commit(site.repo, "another kubelet")
    osm_gen(site.repo, "generate", "-q")
    applier.apply_output()
    changed = [name for name, value in site.specs().items() if specs[name] != value]
    t.equal(f"{site.applier}: a changed template is found", changed, ["pool-00"])
