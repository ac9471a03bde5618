"""What a machine of the boot test reaches over loopback: the API server, the site's mirrors, and the keys of both."""

import base64
import collections
import datetime
import functools
import hashlib
import http.server
import io
import json
import pathlib
import shutil
import subprocess
import tarfile

import loopback

STUBS = pathlib.Path(__file__).resolve().parent
SLOW, SLOW_FLAG = "slow-to-configure", "/var/lib/slow-to-configure"
NODE_GROUP = "system:bootstrappers:machine-controller:default-node-token"


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if result.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {result.stderr}")
    return result.stdout


class Authority:
    """A CA of this run."""

    def __init__(self, folder, name):
        self.folder, self.crt, self.key = folder, folder / f"{name}.crt", folder / f"{name}.key"
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", self.key, "-out", self.crt)

    def issue(self, host, first_day=-1, last_day=2):
        """A server's (certificate, key), valid for these days, counted from today."""
        name = f"{self.crt.stem}-{host}-{first_day}"
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        crt, key, request, settings = (folder / f"{name}.{suffix}" for suffix in ("crt", "key", "csr", "cnf"))
        (folder / "index.txt").write_text("")
        settings.write_text(f"[ca]\ndefault_ca=this\n[this]\ndatabase={folder}/index.txt\nnew_certs_dir={folder}\n"
                            f"rand_serial=yes\ndefault_md=sha256\npolicy=any\nx509_extensions=server\n"
                            f"[any]\ncommonName=supplied\n[server]\nsubjectAltName=DNS:{host}\n")
        days = [f"{datetime.datetime.now(datetime.UTC) + datetime.timedelta(days):%Y%m%d%H%M%SZ}"
                for days in (first_day, last_day)]
        run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={host}",
            "-keyout", key, "-out", request)
        run("openssl", "ca", "-batch", "-notext", "-config", settings, "-cert", self.crt, "-keyfile", self.key, "-in", request,
            "-out", crt, "-startdate", days[0], "-enddate", days[1])
        return crt, key


def serve(handler, port, pair=None):
    """Starts a server on all addresses. Its TLS context may get another certificate at any time."""
    return loopback.serve(handler, pair, ("", port))


class Quiet:
    """Keeps a server silent, whatever its peers do."""

    protocol_version = "HTTP/1.1"
    timeout = 600

    def log_message(self, *arguments):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            self.close_connection = True  # certificates that are refused end up here


class ApiServer:
    """An API server for the worker tree of a cluster: bootstrap tokens, Roles, RoleBindings and Secrets are those of
    `objects`, and a request is allowed if they allow it. `troubles` come first: path -> (status, object) each, for one GET
    of somebody known. `afterwards`: (path, user) -> what is called, once, before a GET is answered with an object of the tree.
    `seen` has (verb, path, user or None, status) of every request."""

    KINDS = {"secrets": "Secret", "configmaps": "ConfigMap"}

    def __init__(self, objects):
        self.objects, self.seen, self.troubles, self.afterwards, self.server = objects, [], {}, {}, None

    def start(self, port, pair):
        outer = self

        class Handler(Quiet, http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer("GET")

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.answer("POST")

            def answer(self, verb):
                user = outer.user(self.headers.get("Authorization", ""))
                troubles = outer.troubles.get(self.path) if user and verb == "GET" else None
                is_well = not troubles
                status, body = outer.decide(verb, self.path, user) if is_well else troubles.pop(0)
                outer.seen.append((verb, self.path, user and user[0], status))
                if is_well and status == 200:
                    outer.afterwards.pop((self.path, user[0]), lambda: None)()
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = serve(Handler, port, pair)

    def stop(self):
        """From here on its port is closed; a connection that there is already gets its answer."""
        self.server.shutdown()
        self.server.server_close()

    def of_kind(self, kind):
        return [item for item in self.objects if item["kind"] == kind]

    def user(self, header):
        """(name, groups) of a bootstrap token that a Secret of kube-system confirms, else None."""
        identity, _, secret = header.removeprefix("Bearer ").partition(".")
        for item in self.of_kind("Secret"):
            if item.get("type") != "bootstrap.kubernetes.io/token" or item["metadata"]["namespace"] != "kube-system":
                continue
            data = {key: base64.b64decode(value).decode() for key, value in item["data"].items()}
            said = [item["metadata"]["name"], data["token-id"], data["token-secret"], data["usage-bootstrap-authentication"]]
            if said == [f"bootstrap-token-{identity}", identity, secret, "true"]:
                return f"system:bootstrap:{identity}", ["system:bootstrappers", *data["auth-extra-groups"].split(",")]
        return None

    def may_get(self, user, namespace, resource, name):
        """Whether a Role that is bound to the user, or to a group of the user, lets read this object."""
        who = {("User", user[0]), *(("Group", group) for group in user[1])}
        bound = {binding["roleRef"]["name"] for binding in self.of_kind("RoleBinding")
                 if binding["metadata"]["namespace"] == namespace
                 and who & {(subject["kind"], subject["name"]) for subject in binding["subjects"]}}
        return any("get" in rule["verbs"] and resource in rule["resources"] and "" in rule["apiGroups"]
                   and name in rule.get("resourceNames", [name])
                   for role in self.of_kind("Role")
                   if role["metadata"]["namespace"] == namespace and role["metadata"]["name"] in bound
                   for rule in role["rules"])

    def decide(self, verb, path, user):
        def status(code, reason):
            return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}

        if not user:
            return status(401, "Unauthorized")
        if (verb, path) == ("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests"):
            return (201, {"kind": "CertificateSigningRequest"}) if NODE_GROUP in user[1] else status(403, "Forbidden")
        match path.split("/"):
            case ["", "api", "v1", "namespaces", namespace, resource, name] if verb == "GET" and resource in self.KINDS:
                if not self.may_get(user, namespace, resource, name):
                    return status(403, "Forbidden")
                for item in self.of_kind(self.KINDS[resource]):
                    if (item["metadata"]["namespace"], item["metadata"]["name"]) == (namespace, name):
                        return 200, item
        return status(404, "NotFound")


class Mirror:
    """Serves a folder; `seen` has the paths that were asked for, by the address that they were asked at. `forged` ones have
    other content. What `allows` says no to is refused, and stands in `refused`, too."""

    def __init__(self, folder, port, pair=None):
        self.folder, self.seen, self.refused = folder, collections.defaultdict(list), collections.defaultdict(list)
        self.forged, self.allows = {}, lambda address, path: True
        outer = self

        class Handler(Quiet, http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                address = self.connection.getsockname()[0]
                outer.seen[address].append(self.path)
                if not outer.allows(address, self.path):
                    outer.refused[address].append(self.path)
                    self.send_error(403)
                    return
                data = outer.forged.get(self.path)
                if data is None:
                    super().do_GET()
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        serve(functools.partial(Handler, directory=folder), port, pair)


class SigningKey:
    """A GnuPG key of this run."""

    def __init__(self, folder, name):
        self.home = folder / f"gnupg-{name}"
        self.home.mkdir(mode=0o700)
        self.gpg("--quick-gen-key", f"{name}@example.test", "ed25519", "sign")
        listing = self.gpg("--with-colons", "--list-keys").splitlines()
        self.fingerprint = next(line.split(":")[9] for line in listing if line.startswith("fpr:"))
        self.armored = self.gpg("--armor", "--export")

    def gpg(self, *arguments, **options):
        return run("gpg", "--homedir", self.home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "",
                   *arguments, **options)

    def close(self):
        """Ends the agent that gpg has started."""
        run("gpgconf", "--homedir", self.home, "--kill", "gpg-agent")


def write_repository(folder, suite, component, packages, arch, key):
    """The signed index of an apt repository for a suite of Debian."""
    index = f"{component}/binary-{arch}/Packages"
    dists = folder / "dists" / suite
    (dists / index).parent.mkdir(parents=True)
    (dists / index).write_text(packages)
    data = packages.encode()
    release = (f"Origin: Test\nLabel: Test\nSuite: {suite}\nCodename: {suite}\nDate: Mon, 01 Jan 2024 00:00:00 UTC\n"
               f"Architectures: {arch}\nComponents: {component}\nSHA256:\n"
               f" {hashlib.sha256(data).hexdigest()} {len(data)} {index}\n")
    (dists / "InRelease").write_text(key.gpg("--clearsign", input=release))


def build_package(folder, name, version, files, depends=""):
    """A package; its control files are among the files, below DEBIAN/."""
    tree = folder / f"{name}_{version}"
    control = (f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Test <test@example.test>\n"
               f"{depends and f'Depends: {depends}'}\nDescription: of the boot test\n".replace("\n\n", "\n"))
    for path, text in {"DEBIAN/control": control, **files}.items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755 if path.startswith(("usr/bin/", "DEBIAN/p")) else 0o644)
    deb = folder / f"{name}_{version}_all.deb"
    run("dpkg-deb", "--root-owner-group", "--build", tree, deb)
    shutil.rmtree(tree)
    return deb


def build_containerd(folder, version):
    """A containerd.io as Docker's is: binary, unit, and a configuration of its own. It comes with another package."""
    return build_package(folder, "containerd.io", version, {
        "DEBIAN/conffiles": "/etc/containerd/config.toml\n",
        "etc/containerd/config.toml": 'disabled_plugins = ["cri"]\n',
        "usr/bin/containerd": (STUBS / "containerd").read_text().replace("@VERSION@", version),
        "lib/systemd/system/containerd.service": "[Unit]\nDescription=stands in for containerd\n[Service]\nType=notify\n"
                                                 "ExecStart=/usr/bin/containerd\n[Install]\nWantedBy=multi-user.target\n",
    }, f"python3 (>= 3.11), {SLOW}")


def build_slow(folder):
    """A package that containerd.io depends on, so that dpkg configures it first. On a machine that has the file SLOW_FLAG
    that takes until the power fails."""
    return build_package(folder, SLOW, "1", {
        "DEBIAN/postinst": f"#!/bin/sh\nset -e\n[ ! -e {SLOW_FLAG} ] || exec sleep 3600\n"})


def pack(target, contents):
    """A .tar.gz of executables."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(target, "w:gz") as archive:
        for name, text in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.uid, entry.gid = len(text), 0o755, 1000, 1000
            archive.addfile(entry, io.BytesIO(text.encode()))
    return hashlib.sha256(target.read_bytes()).hexdigest()


def write_binaries(site, arch, kubernetes, cni, cri_tools):
    """The site's mirror of CNI plugins, crictl, kubelet and kubectl; the checksum of crictl, which is published nowhere."""
    plugins = {f"./{name}": f"#!/bin/sh\necho {name}\n" for name in ("bridge", "host-local", "loopback", "portmap")}
    archive = site / "cni" / cni / f"cni-plugins-linux-{arch}-{cni}.tgz"
    sum_ = pack(archive, plugins)
    archive.with_name(archive.name + ".sha256").write_text(f"{sum_}  {archive.name}\n")
    folder = site / "kubernetes" / kubernetes / "bin" / "linux" / arch
    folder.mkdir(parents=True)
    for name, text in (("kubelet", (STUBS / "kubelet").read_text()), ("kubectl", "#!/bin/sh\necho kubectl\n")):
        (folder / name).write_text(text)
        (folder / f"{name}.sha256").write_text(hashlib.sha256(text.encode()).hexdigest())
    return pack(site / "cri" / cri_tools / f"crictl-{cri_tools}-linux-{arch}.tar.gz",
                {"crictl": (STUBS / "crictl").read_text(), "LICENSE": "none of the profile's business\n"})
