"""The control planes: one etcd, and an API server for each cluster, which has a part of etcd of its own.

They sit in the caller's network namespace, where ports are theirs alone, and end with the caller. Authorization is Node and
RBAC. There is no kube-controller-manager: what the test needs of it, the namespace of system Pods, is there without.
"""

import base64
import json
import pathlib
import re
import subprocess
import textwrap

import cluster
import machine
import servers
import yaml
from cluster import path_of

ADDRESS = "192.0.2.77"
PORTS = {"hub": 6443, "one": 6444, "two": 6445}
ETCD = "http://127.0.0.1:2379"
SERVICES = "10.96.0.0/16"
# What is noted is what machines ask for with the tokens that they start with.
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [
    {"level": "Metadata", "userGroups": ["system:bootstrappers"]}, {"level": "None"}]}
KUBEVIRT_KINDS = {"VirtualMachine": "virtualmachine", "VirtualMachineInstance": "virtualmachineinstance"}


class Processes:
    """Programs that run beside the test, each with a log."""

    def __init__(self, folder):
        self.folder, self.running = folder, {}

    def run(self, name, command, environment=None):
        with (self.folder / f"{name}.log").open("a") as log:
            self.running[name] = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, command)], env=environment,
                                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def alive(self):
        """True, or AssertionError with the last words of one that has ended."""
        for name, process in self.running.items():
            if process.poll() is not None:
                raise AssertionError(f"{name} ended with {process.returncode}:\n{self.log(name)[-2000:]}")
        return True

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def kill(self, name):
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def close(self):
        for name in list(self.running):
            self.kill(name)


class Plane:
    """An API server; `admin` is a client with all rights."""

    def __init__(self, name, folder, authority):
        self.name, self.folder, self.ca, self.port = name, folder, authority, PORTS[name]
        self.audit_log = folder / f"{name}-audit.log"
        self.admin_pair = authority.issue_for(f"{name}-admin", "/O=system:masters/CN=admin")
        self.admin = cluster.Api(authority.crt, self.admin_pair, port=self.port)

    def host(self):
        return f"api-{self.name}.example.test"

    def url(self):
        """As machines know it."""
        return f"https://{self.host()}:{self.port}"

    def start(self, processes, program):
        serving = self.ca.issue_for(f"{self.name}-server", "/CN=kube-apiserver",
                                    f"DNS:{self.host()},DNS:kubernetes.default.svc,IP:127.0.0.1,IP:{ADDRESS}")
        accounts = self.folder / f"{self.name}-accounts.key"
        servers.run("openssl", "genrsa", "-out", accounts, "2048")
        policy = self.folder / f"{self.name}-audit.yaml"
        policy.write_text(yaml.safe_dump(AUDIT_POLICY))
        processes.run(f"kube-apiserver-{self.name}", [
            program, f"--etcd-servers={ETCD}", f"--etcd-prefix=/{self.name}", f"--advertise-address={ADDRESS}",
            f"--secure-port={self.port}", f"--tls-cert-file={serving[0]}", f"--tls-private-key-file={serving[1]}",
            f"--client-ca-file={self.ca.crt}", "--authorization-mode=Node,RBAC", "--enable-bootstrap-token-auth=true",
            "--enable-admission-plugins=NodeRestriction",
            "--endpoint-reconciler-type=none", f"--service-cluster-ip-range={SERVICES}",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local", "--profiling=false",
            f"--service-account-key-file={accounts}", f"--service-account-signing-key-file={accounts}",
            f"--audit-policy-file={policy}", f"--audit-log-path={self.audit_log}", "--audit-log-mode=blocking",
            f"--cert-dir={self.folder}/{self.name}-certs"])

    def is_ready(self):
        try:
            return self.admin.call("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def kubeconfig(self):
        """Of the administrator, with everything in it: Flux takes no other."""
        encoded = lambda path: base64.b64encode(pathlib.Path(path).read_bytes()).decode()
        return yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                      "certificate-authority-data": encoded(self.ca.crt)}}],
            "users": [{"name": "test", "user": {"client-certificate-data": encoded(self.admin_pair[0]),
                                                "client-key-data": encoded(self.admin_pair[1])}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]})

    def by_token(self, token):
        return cluster.Api(self.ca.crt, token=token, port=self.port)

    def find(self, item):
        """The live object that has the name of this one, or None."""
        return self.admin.find(path_of(item))

    def delete(self, item):
        self.admin.delete(path_of(item))

    def patch(self, item, change):
        """The status of a merge patch."""
        return self.admin.call("PATCH", path_of(item), change, kind="application/merge-patch+json")[0]


def start(folder, programs, processes, names=tuple(PORTS)):
    """The planes by name, once they are ready."""
    authority = cluster.Authority(folder, "cluster-ca")
    planes = {name: Plane(name, folder, authority) for name in names}
    processes.run("etcd", [programs["etcd"], f"--data-dir={folder}/etcd", f"--listen-client-urls={ETCD}",
                           f"--advertise-client-urls={ETCD}", "--listen-peer-urls=http://127.0.0.1:2380", "--unsafe-no-fsync",
                           "--quota-backend-bytes=8589934592"])
    for plane in planes.values():
        plane.start(processes, programs["kube-apiserver"])
    for plane in planes.values():
        machine.wait_for(lambda plane=plane: processes.alive() and plane.is_ready(), 240, f"the API server of {plane.name}")
        for name in ("kube-system", "kube-public"):
            machine.wait_for(lambda plane=plane, name=name: plane.admin.find(f"/api/v1/namespaces/{name}"), 60, name)
    return planes


# ---- what the controllers' projects publish ------------------------------------------------------

def manifests(folder, *kinds):
    """The objects of these kinds in the YAML files of a folder. The published ones may have templates in other kinds."""
    found = []
    for file in sorted((folder / "manifests").glob("*.yaml")):
        for text in re.split(r"(?m)^---.*\n", file.read_text()):
            kind = re.search(r"(?m)^kind: (\S+)", text)
            if kind and kind[1] in kinds:
                found.append(yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    return found


def kubevirt_definitions(folder):
    """CustomResourceDefinitions with KubeVirt's own schemas, which it has as texts in Go."""
    source = (folder / "validations_generated.go").read_text()
    definitions = []
    for kind, name in KUBEVIRT_KINDS.items():
        schema = yaml.load(re.search(rf'(?ms)^\t"{name}": `(.*?)`,$', source)[1],
                           Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        definitions.append({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{name}s.kubevirt.io"},
            "spec": {"group": "kubevirt.io", "scope": "Namespaced",
                     "names": {"plural": f"{name}s", "singular": name, "kind": kind, "listKind": f"{kind}List"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema,
                                   "subresources": {"status": {}}}]}})
    return definitions


def define(plane, definitions):
    """Creates CustomResourceDefinitions, and waits until their kinds can be used."""
    for definition in definitions:
        definition.pop("status", None)
        definition["metadata"].get("annotations", {}).pop("cert-manager.io/inject-ca-from", None)
        status, answer = plane.admin.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        if status not in (201, 409):
            raise AssertionError(f"{definition['metadata']['name']}: {status} {textwrap.shorten(json.dumps(answer), 2000)}")
    for definition in definitions:
        spec = definition["spec"]
        version = next(version["name"] for version in spec["versions"] if version["served"])
        path = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
        machine.wait_for(lambda path=path: plane.admin.call("GET", path)[0] == 200, 60, path)
