"""A control plane of real programs: etcd, kube-apiserver and kube-controller-manager, and a client for its API.

They run in the caller's network namespace and end with the caller. Authorization is Node and RBAC; the controller manager
approves and signs certificates as in any cluster. No scheduler: Pods name their node.
"""

import base64
import http.client
import json
import pathlib
import ssl
import subprocess
import urllib.parse

import machine
import servers
import yaml

HOST, PORT = "api.example.test", 6443
SERVICES, SERVICE_ADDRESS = "10.96.0.0/16", "10.96.0.1"
# One line an answered request: who, what, which status. What health checks and watches do is of no interest.
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived", "ResponseStarted"],
                "rules": [{"level": "None", "users": ["system:apiserver", "system:kube-controller-manager"]},
                          {"level": "Metadata", "resources": [{"group": ""}, {"group": "certificates.k8s.io"}]},
                          {"level": "None"}]}
NODE_GROUP = servers.NODE_GROUP
# What a cluster's installer grants: the worker tree does not. Those who hold a pool's token may ask for a node's certificate,
# which is approved; nodes may renew theirs; and the API server may use the kubelets' API.
BINDINGS = (("kubelet-bootstrap", "system:node-bootstrapper", "Group", NODE_GROUP),
            ("node-autoapprove-bootstrap", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", "Group",
             NODE_GROUP),
            ("node-autoapprove-renewal", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "Group",
             "system:nodes"),
            ("api-server-to-kubelet", "system:kubelet-api-admin", "User", "api-server"))


class Api:
    """A client: `token`, or a certificate and key."""

    def __init__(self, ca, pair=None, token=None, port=PORT):
        self.port = port
        self.context = ssl.create_default_context(cafile=str(ca))
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        if pair:
            self.context.load_cert_chain(*map(str, pair))

    def call(self, verb, path, body=None, kind="application/json"):
        """(status, answer), the answer decoded if it is JSON."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=30)
        connection.request(verb, path, body=None if body is None else json.dumps(body),
                           headers={**self.headers, "Content-Type": kind})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(data) if is_json else data.decode(errors="replace")

    def get(self, path):
        """The answer of a GET that must succeed."""
        status, answer = self.call("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {answer}")
        return answer

    def find(self, path):
        """The answer, or None when there is no such object."""
        status, answer = self.call("GET", path)
        return answer if status == 200 else None

    def delete(self, path):
        """Deletes an object that is there."""
        status, answer = self.call("DELETE", path)
        if status not in (200, 202):
            raise AssertionError(f"DELETE {path}: {status} {answer}")

    def create(self, item):
        """Creates an object, or puts it in the place of one that has its name. No field may be unknown or said twice."""
        path, name, strict = collection(item), urllib.parse.quote(item["metadata"]["name"]), "?fieldValidation=Strict"
        status, answer = self.call("POST", path + strict, item)
        if status == 409:
            status, answer = self.call("PUT", f"{path}/{name}{strict}", item)
        if status not in (200, 201):
            raise AssertionError(f"{item['kind']} {name}: {status} {answer}")
        return answer


def collection(item):
    """The path of an object's collection."""
    group = item["apiVersion"]
    namespace = item["metadata"].get("namespace")
    kind = item["kind"].lower()
    plural = kind[:-1] + "ies" if kind.endswith("y") else kind + ("es" if kind.endswith("s") else "s")
    root = ("/api/" if "/" not in group else "/apis/") + group
    return root + (f"/namespaces/{namespace}" if namespace else "") + f"/{plural}"


class Authority(servers.Authority):
    """A CA whose certificates may also name addresses, and users and their groups."""

    def issue_for(self, name, subject, alternatives=""):
        """(certificate, key) for both ends of a connection."""
        crt, key, extensions = (self.folder / f"{name}{suffix}" for suffix in (".crt", ".key", ".ext"))
        extensions.write_text("extendedKeyUsage=serverAuth,clientAuth\n" +
                              (f"subjectAltName={alternatives}\n" if alternatives else ""))
        request = servers.run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                              "-subj", subject, "-keyout", key)
        servers.run("openssl", "x509", "-req", "-CA", self.crt, "-CAkey", self.key, "-CAcreateserial", "-days", "2",
                    "-extfile", extensions, "-out", crt, input=request)
        return crt, key


class Cluster:
    """`programs` has the paths of etcd, kube-apiserver and kube-controller-manager; `bindings` are made once it is ready."""

    def __init__(self, folder, authority, programs, address, bindings=BINDINGS):
        self.folder, self.ca, self.programs, self.address, self.bindings = folder, authority, programs, address, bindings
        self.running = []
        (folder / "audit.yaml").write_text(yaml.safe_dump(AUDIT_POLICY))
        self.accounts_key = folder / "accounts.key"
        servers.run("openssl", "genrsa", "-out", self.accounts_key, "2048")
        self.admin = Api(authority.crt, authority.issue_for("admin", "/O=system:masters/CN=admin"))

    def start(self):
        manager = [str(path) for path in self.ca.issue_for("manager", "/CN=system:kube-controller-manager")]
        self.run("etcd", f"--data-dir={self.folder}/etcd", "--listen-client-urls=http://127.0.0.1:2379",
                 "--advertise-client-urls=http://127.0.0.1:2379", "--listen-peer-urls=http://127.0.0.1:2380",
                 "--unsafe-no-fsync")
        self.start_server()
        kubeconfig = {"apiVersion": "v1", "kind": "Config", "current-context": "test", "clusters": [{
            "name": "test", "cluster": {"server": f"https://127.0.0.1:{PORT}", "certificate-authority": str(self.ca.crt)}}],
            "users": [{"name": "test", "user": {"client-certificate": manager[0], "client-key": manager[1]}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]}
        (self.folder / "manager.kubeconfig").write_text(yaml.safe_dump(kubeconfig))
        self.run("kube-controller-manager", f"--kubeconfig={self.folder}/manager.kubeconfig", "--leader-elect=false",
                 "--bind-address=127.0.0.1", "--controllers=*,bootstrapsigner,tokencleaner", f"--root-ca-file={self.ca.crt}",
                 "--use-service-account-credentials=true", f"--service-account-private-key-file={self.accounts_key}",
                 f"--cluster-signing-cert-file={self.ca.crt}", f"--cluster-signing-key-file={self.ca.key}",
                 f"--cert-dir={self.folder}")
        for name, role, kind, who in self.bindings:
            self.admin.create({
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": who}]})
        # Pods need it, and the controller manager makes it.
        machine.wait_for(lambda: self.alive() and self.admin.find("/api/v1/namespaces/default/serviceaccounts/default"), 60,
                         "the default ServiceAccount")

    def start_server(self):
        """Also again, after stop("kube-apiserver"): what it knows is in etcd."""
        pair = lambda name, subject, alternatives="": [str(path) for path in self.ca.issue_for(name, subject, alternatives)]
        serving = pair("api-server", "/CN=kube-apiserver", f"DNS:{HOST},DNS:kubernetes.default.svc,IP:127.0.0.1,"
                                                           f"IP:{self.address},IP:{SERVICE_ADDRESS}")
        kubelet = pair("to-kubelets", "/CN=api-server")
        self.run("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--advertise-address={self.address}",
                 f"--secure-port={PORT}", f"--tls-cert-file={serving[0]}", f"--tls-private-key-file={serving[1]}",
                 f"--client-ca-file={self.ca.crt}", "--authorization-mode=Node,RBAC", "--enable-bootstrap-token-auth=true",
                 "--enable-admission-plugins=NodeRestriction", f"--service-cluster-ip-range={SERVICES}",
                 "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                 f"--service-account-key-file={self.accounts_key}", f"--service-account-signing-key-file={self.accounts_key}",
                 f"--kubelet-certificate-authority={self.ca.crt}", f"--kubelet-client-certificate={kubelet[0]}",
                 f"--kubelet-client-key={kubelet[1]}", "--kubelet-preferred-address-types=InternalIP",
                 f"--audit-policy-file={self.folder}/audit.yaml", f"--audit-log-path={self.folder}/audit.log",
                 "--audit-log-mode=blocking", f"--cert-dir={self.folder}")
        machine.wait_for(lambda: self.alive() and self.is_ready(), 120, "the API server")

    def stop(self, name):
        process = dict(self.running)[name]
        self.running.remove((name, process))
        process.kill()
        process.wait()

    def run(self, name, *options):
        log = (self.folder / f"{name}.log").open("a")
        command = ["setpriv", "--pdeathsig", "KILL", str(self.programs[name]), *options]
        self.running.append((name, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)))
        log.close()

    def alive(self):
        for name, process in self.running:
            if process.poll() is not None:
                raise AssertionError(f"{name} ended with {process.returncode}:\n{self.log(name)[-1500:]}")
        return True

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def is_ready(self):
        try:
            return self.admin.call("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def requests(self):
        """Of every request that the policy lists: (verb, path without its query, user, status)."""
        return requests(self.folder / "audit.log")

    def requests_for_certificates(self):
        """The CertificateSigningRequests, oldest first."""
        items = self.admin.get("/apis/certificates.k8s.io/v1/certificatesigningrequests")["items"]
        return sorted(items, key=lambda item: item["metadata"]["creationTimestamp"])

    def approve(self, request):
        """As an operator or machine-controller does for the kubelets' serving certificates."""
        path = f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{request['metadata']['name']}/approval"
        request["status"].setdefault("conditions", []).append(
            {"type": "Approved", "status": "True", "reason": "Test", "message": "the node's own name and address"})
        status, answer = self.admin.call("PUT", path, request)
        if status != 200:
            raise AssertionError(f"approval: {status} {answer}")

    def close(self):
        """In no order: nothing of theirs is kept."""
        for _, process in self.running:
            process.kill()
            process.wait()


def requests(log):
    """Of every request in an audit log: (verb, path without its query, user, status)."""
    events = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return [(event["verb"], event["requestURI"].split("?")[0], event["user"].get("username"),
             event["responseStatus"]["code"]) for event in events]


def subject_of(request):
    """(subject, alternative names) of a CertificateSigningRequest, in openssl's words."""
    pem = base64.b64decode(request["spec"]["request"]).decode()
    text = servers.run("openssl", "req", "-noout", "-subject", "-nameopt", "RFC2253", "-text", input=pem)
    lines = [line.strip() for line in text.splitlines()]
    names = [lines[at + 1] for at, line in enumerate(lines) if line.startswith("X509v3 Subject Alternative Name")]
    subject = next(line for line in lines if line.startswith("subject="))
    return subject.removeprefix("subject="), ", ".join(names)


def path_of(item):
    return f"{collection(item)}/{item['metadata']['name']}"


def from_tree(folder):
    """The manifests of a worker tree, in an order in which they can be applied: namespaces first, Secrets last."""
    order = lambda path: (not path.name.startswith("namespace-"), path.name.startswith("secret-"), str(path))
    return sorted((path for path in pathlib.Path(folder).rglob("*.yaml") if path.name != "kustomization.yaml"), key=order)
