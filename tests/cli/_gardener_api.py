"""An API server on loopback, as far as the downloader of gardenerFlow: downloader asks one.

Whoever has a token is found in the bootstrap tokens' Secrets of the output, and what they may do in its Roles and in all
bindings. Who has the certificate of a node may change that Node's annotations."""

import base64
import datetime
import http.server
import json
import ssl
import subprocess
import threading

import yaml

from _gardener_node import PROGRAM, run


class Authority:
    """A CA, and certificates for 127.0.0.1."""

    def __init__(self, folder):
        self.folder, self.certificate = folder, folder / "ca.crt"
        folder.mkdir()
        self.make_key("ca")
        self.openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", f"/CN={folder.name}", "-days", "3650", "-out", "ca.crt")
        (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
        self.make_key("server")
        self.openssl("req", "-new", "-key", "server.key", "-subj", "/CN=kube-apiserver", "-out", "server.csr")
        self.openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650",
                     "-extfile", "names", "-out", "server.crt")

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, check=True)

    def make_key(self, name):
        self.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")

    def kubelet(self, name):
        """The certificate and key of a node, in one text, as a kubelet keeps them."""
        self.make_key(name)
        self.openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/O=system:nodes/CN=system:node:{name}", "-out", f"{name}.csr")
        self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650",
                     "-out", f"{name}.crt")
        return (self.folder / f"{name}.crt").read_text() + (self.folder / f"{name}.key").read_text()

    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(self.certificate)
        context.load_cert_chain(self.folder / "server.crt", self.folder / "server.key")
        return context


class Api:
    def __init__(self, authority):
        self.users, self.secrets, self.allowed, self.asked = {}, {}, set(), []
        self.groups, self.bound = {}, {}
        self.nodes, self.written = {}, []
        self.now, self.damage = None, lambda body: body
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_address[1]
        self.url = f"https://127.0.0.1:{self.port}"
        self.trust(authority)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def trust(self, authority):
        self.context = authority.context()

    def handler(self):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def setup(self):
                self.request.settimeout(10)
                self.request = api.context.wrap_socket(self.request, server_side=True)
                super().setup()

            def do_GET(self):
                code, body = api.answer(self.path, self.headers.get("Authorization", ""))
                self.send(code, body, api.damage(body) if code == 200 else body)

            def do_POST(self):
                code, body = api.write(self.command, self.path, self.user(), self.headers["Content-Type"],
                                       json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                body = json.dumps(body).encode()
                self.send(code, body, body)

            do_PATCH = do_POST

            def user(self):
                subject = dict(pair for names in (self.request.getpeercert() or {}).get("subject", ()) for pair in names)
                return subject.get("commonName", "system:anonymous")

            def send(self, code, body, sent):
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_):
                pass

        return Handler

    def answer(self, path, authorization):
        user = self.users.get(authorization.removeprefix("Bearer "))
        name = path.removeprefix("/api/v1/namespaces/kube-system/secrets/")
        if not user or (user[1] and self.now and self.now >= user[1]):
            code, body = 401, {"kind": "Status", "code": 401}
        elif (user[0], name) not in self.allowed:
            code, body = 403, {"kind": "Status", "code": 403}
        elif name not in self.secrets:
            code, body = 404, {"kind": "Status", "code": 404}
        else:
            code, body = 200, self.secrets[name]
        self.asked.append((path, code))
        return code, json.dumps(body, indent=2).encode()

    def write(self, method, path, user, kind, body):
        """What a kubelet's certificate may: ask who it is, and change its own Node."""
        name = path.removeprefix("/api/v1/nodes/")
        if (method, path, kind) == ("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "application/json"):
            code, body = 201, body | {"status": {"userInfo": {"username": user, "groups": ["system:nodes"]}}}
        elif method != "PATCH" or kind != "application/merge-patch+json" or user != f"system:node:{name}":
            code, body = 403, {"kind": "Status", "code": 403}
        elif name not in self.nodes:
            code, body = 404, {"kind": "Status", "code": 404}
        else:
            self.nodes[name] |= body["metadata"]["annotations"]
            code, body = 200, {"kind": "Node"}
        self.written.append((path, code))
        return code, body

    def apply(self, fleet):
        """Takes the worker side of the output, as an applier would."""
        folder = fleet.repo / "out/default/worker/kube-system"
        self.users, self.secrets, self.allowed, self.groups, self.bound = {}, {}, set(), {}, {}
        for path in folder.glob("secret-*.yaml"):
            secret = yaml.load(run(PROGRAM, "unseal", str(path)), yaml.CSafeLoader)
            texts = secret.pop("stringData", {})
            secret["data"] = secret.get("data", {}) | {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}
            if secret["metadata"]["name"].startswith("bootstrap-token-"):
                data = fleet.unsealed(path.relative_to(fleet.repo / "out/default"))
                end = data.get("expiration")
                end = datetime.datetime.fromisoformat(end.replace("Z", "+00:00")).timestamp() if end else None
                token = f"{data['token-id']}.{data['token-secret']}"
                self.users[token] = (f"system:bootstrap:{data['token-id']}", end)
                self.groups[token] = {"system:bootstrappers", *filter(None, data.get("auth-extra-groups", "").split(","))}
            else:
                # What a real API server adds, with strings that look like the members that are read.
                secret["metadata"] |= {"uid": "7d3c", "annotations": {"note": '{"data": {"script": "bm8=", "checksum": "\\"}}', "e\\": ""},
                                       "managedFields": [{"manager": "kustomize-controller", "fieldsV1": {"f:data": {"script": "eA=="}}}]}
                secret["script"] = {"script": "bm8="}
                self.secrets[secret["metadata"]["name"]] = secret
        for path in folder.glob("rolebinding-*.yaml"):
            binding = yaml.load(path.read_text(), yaml.CSafeLoader)
            for rule in yaml.load((folder / f"role-{binding['roleRef']['name']}.yaml").read_text(), yaml.CSafeLoader)["rules"]:
                self.allowed |= {(subject["name"], name) for subject in binding["subjects"] for name in rule["resourceNames"]
                                 if rule["verbs"] == ["get"] and rule["resources"] == ["secrets"]}

        for path in folder.parent.glob("clusterrolebinding-*.yaml"):
            binding = yaml.load(path.read_text(), yaml.CSafeLoader)
            self.bound[binding["roleRef"]["name"].split(":")[-1]] = {subject["name"] for subject in binding["subjects"]}

    def roles(self, token):
        """Returns the ClusterRoles of a token, by the ends of their names."""
        return sorted(role for role, names in self.bound.items() if names & {self.users[token][0], *self.groups[token]})

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
