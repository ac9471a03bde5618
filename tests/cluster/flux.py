"""Flux in the management cluster: a server for the repository, source- and kustomize-controller, and what a person gives them.

By hand are the GitRepository, the Kustomization of `out/flux/hub` (docs/howto/flux.md), the Secrets that these need,
and for each cluster a Kustomization of its MachineDeployments, which depends on the worker side.
"""

import base64
import datetime
import http.server
import itertools
import os
import pathlib
import subprocess
import threading

import machine
import repository

GIT_PORT, SOURCE_PORT = 8082, 9090
GROUP = "/apis/kustomize.toolkit.fluxcd.io/v1"
ASKED = "reconcile.fluxcd.io/requestedAt"
ADDED = (ASKED, "kustomize.toolkit.fluxcd.io/name", "kustomize.toolkit.fluxcd.io/namespace")
PRUNE = "kustomize.toolkit.fluxcd.io/prune"
NAMESPACE, BY_HAND = "flux-system", "osm-gen"
SOURCE = {"kind": "GitRepository", "name": "fleet", "namespace": NAMESPACE}


def serve_repository(folder):
    """git's own smart HTTP backend behind a server of this process."""
    backend = pathlib.Path(subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip())

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

        def answer(self):
            path, _, query = self.path.partition("?")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            environment = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(folder), "GIT_HTTP_EXPORT_ALL": "1",
                           "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query,
                           "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                           "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                           "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "127.0.0.1"}
            result = subprocess.run([backend / "git-http-backend"], input=body, capture_output=True, check=False,
                                    env=environment)
            head, _, data = result.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = answer

    server = http.server.ThreadingHTTPServer(("127.0.0.1", GIT_PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def secret(namespace, name, **data):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace},
            "data": {key.replace("_", "."): base64.b64encode(value.encode()).decode() for key, value in data.items()}}


def kustomization(name, path, namespace=NAMESPACE, **more):
    return {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"interval": "10m", "retryInterval": "5s", "path": path, "prune": True, "sourceRef": SOURCE, **more}}


class Flux:
    def __init__(self, hub, planes, repo, processes, programs):
        self.hub, self.planes, self.repo, self.processes, self.programs = hub, planes, repo, processes, programs
        self.count, self.by_hand = itertools.count(1), {BY_HAND}

    def start(self, folder):
        """The controllers, with nothing to do yet. They count requests as they do by default."""
        serve_repository(self.repo.folder)
        kubeconfig = folder / "hub.kubeconfig"
        kubeconfig.write_text(self.hub.kubeconfig())
        for port, (name, options) in enumerate((
                ("source-controller", [f"--storage-path={folder}/artifacts", f"--storage-addr=127.0.0.1:{SOURCE_PORT}",
                                       f"--storage-adv-addr=127.0.0.1:{SOURCE_PORT}"]),
                ("kustomize-controller", ["--requeue-dependency=1s"]))):
            (folder / "artifacts").mkdir(exist_ok=True)
            (folder / f"tmp-{name}").mkdir()
            environment = {"PATH": os.environ["PATH"], "RUNTIME_NAMESPACE": NAMESPACE, "KUBECONFIG": str(kubeconfig),
                           "TMPDIR": str(folder / f"tmp-{name}"), "HOME": str(folder)}
            self.processes.run(name, [
                self.programs[name], "--watch-all-namespaces=true", "--events-addr=", "--log-level=info",
                f"--metrics-addr=127.0.0.1:{8180 + port}", f"--health-addr=127.0.0.1:{9440 + port}", *options], environment)

    def give(self):
        """What a person gives Flux."""
        create = self.hub.admin.create
        for namespace in sorted({NAMESPACE, *(namespace for namespace, _, _ in repository.DELIVERY.values())}):
            create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        self.give_identities()
        for name in self.planes:
            if name in repository.DELIVERY:
                namespace, secret_name, key = repository.DELIVERY[name]
                create(secret(namespace, secret_name, **{key: self.planes[name].kubeconfig()}))
        create({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
                "metadata": {"name": SOURCE["name"], "namespace": NAMESPACE},
                "spec": {"interval": "10m", "timeout": "60s", "url": f"http://127.0.0.1:{GIT_PORT}/{self.repo.remote.name}",
                         "ref": {"branch": "main"}}})
        create(kustomization(BY_HAND, "./out/flux/hub"))

    def give_machines(self, name):
        """The MachineDeployments of a cluster: where they are applied is not osm-gen's to say."""
        namespace, secret_name, key = repository.DELIVERY[name]
        self.by_hand.add(f"{name}-machines")
        self.hub.admin.create(kustomization(
            f"{name}-machines", f"./clusters/{name}/machines", namespace, dependsOn=[{"name": f"{name}-worker"}],
            kubeConfig={"secretRef": {"name": secret_name, "key": key}}))

    def give_identities(self, text=None):
        """The Secret with the age identities, all of the repository's or those of a text."""
        for namespace in sorted({namespace for namespace, _, _ in repository.DELIVERY.values()}):
            self.hub.admin.create(secret(namespace, "sops-age", identities_agekey=text or self.repo.identities.read_text()))

    def ask(self, path):
        """Has a controller reconcile an object now; the word by which it says that it has."""
        word = f"{datetime.datetime.now(datetime.UTC):%H:%M:%S}-{next(self.count)}"
        status, answer = self.hub.admin.call("PATCH", path, {"metadata": {"annotations": {ASKED: word}}},
                                             kind="application/merge-patch+json")
        if status != 200:
            raise AssertionError(f"{path}: {status} {answer}")
        return word

    def ask_source(self):
        """Has source-controller look at what is pushed now."""
        self.ask(f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/gitrepositories/{SOURCE['name']}")

    def kustomizations(self):
        return self.hub.admin.get(f"{GROUP}/kustomizations")["items"]

    def wait_until_applied(self, seconds=150):
        """Until every Kustomization has applied what is pushed; AssertionError says which has not, and why."""
        revision = f"main@sha1:{self.repo.head()}"
        generated = [file for file in (self.repo.path / "out" / "flux" / "hub").glob("*/*.yaml")
                     if file.name != "kustomization.yaml"]
        wanted = self.by_hand | {f"{file.parent.name}-{file.stem}" for file in generated}
        self.ask_source()
        waiting = {}

        def applied():
            self.processes.alive()
            found = {item["metadata"]["name"]: state(item) for item in self.kustomizations()}
            waiting.clear()
            waiting.update({name: found.get(name) for name in wanted | set(found)
                            if name not in wanted or found.get(name, [None])[:3] != [True, True, revision]})
            return not waiting

        try:
            machine.wait_for(applied, seconds, f"Flux to apply {revision}")
        except AssertionError as error:
            lines = [f"{name}: {told}" for name, told in sorted(waiting.items())]
            raise AssertionError("\n".join([str(error), *lines])) from None

    def apply_again(self, name, namespace, seconds=120):
        """Reconciles one Kustomization once more, and waits until it is done."""
        path = f"{GROUP}/namespaces/{namespace}/kustomizations/{name}"
        word = self.ask(path)

        def done():
            self.processes.alive()
            item = self.hub.admin.get(path)
            return item["status"].get("lastHandledReconcileAt") == word and state(item)[0]

        machine.wait_for(done, seconds, f"{name} to be applied again")


def state(item):
    """[ready, of this generation, revision applied, the controller's words]"""
    status = item.get("status", {})
    ready = next((c for c in status.get("conditions", []) if c["type"] == "Ready"), {})
    return [ready.get("status") == "True", status.get("observedGeneration") == item["metadata"]["generation"],
            status.get("lastAppliedRevision"), ready.get("message")]


def clean(metadata):
    """Labels and annotations without those that Flux adds, and without what asked it to reconcile."""
    ours = lambda entries: {key: value for key, value in (entries or {}).items() if key not in ADDED}
    return ours(metadata.get("labels")), ours(metadata.get("annotations"))
