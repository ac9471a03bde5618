"""A machine that is a folder, and the servers it reaches: what the tests of the profiles' scripts run them with.

A script is moved below the folder first (its /etc, /opt, /var become the folder's), and what would change the machine
(systemctl, apt-get, ...) is a stub that notes down how it was called. NODE_BASH names another bash to run the scripts
with: Amazon Linux 2 has 4.2."""

import base64
import hashlib
import json
import os
import re
import subprocess
import tarfile

import loopback
import nodelib

STUB = '#!/bin/sh\necho "${0##*/} $*" >>"$CALLS"\n'
# Where stage 2 asks for its kubeconfig, among others.
OWN = "/opt/bin/setup.env"
SECRET_URL = re.compile(r"https://[^/']+(?=/api/v1/namespaces/cloud-init-settings/)")


def secret(**data):
    return {"kind": "Secret", "data": {key.replace("_", "-"): base64.b64encode(value.encode()).decode()
                                       for key, value in data.items()}}


class ApiServer:
    """Serves a list of answers, (status, object) each, the last one for ever; notes paths and Authorization headers."""

    def __init__(self, folder, ca, ca_key):
        key, request, crt, extension = (folder / name for name in ("api.key", "api.csr", "api.crt", "api.ext"))
        extension.write_text("subjectAltName=IP:127.0.0.1\n")
        nodelib.run(["openssl", "req", *nodelib.NEW_KEY, "-subj", "/CN=api", "-keyout", str(key), "-out", str(request)])
        nodelib.run(["openssl", "x509", "-req", "-in", str(request), "-CA", str(ca), "-CAkey", str(ca_key),
                     "-CAcreateserial", "-days", "2", "-extfile", str(extension), "-out", str(crt)])
        self.answers, self.seen = [(404, {})], []
        outer = self

        class Handler(loopback.Quiet):
            def do_GET(self):
                outer.seen.append((self.path, self.headers.get("Authorization")))
                status, body = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.url = loopback.serve(Handler, (crt, key)).url


class Machine:
    """A folder that stands for a machine's file system, with the files of both stages in it."""

    def __init__(self, folder, fleet, profile, variant, api_url, provider=None, flags=()):
        self.root, self.calls_file, self.bin, self.journal = folder, folder / "calls", folder / "stubs", folder / "journal"
        self.api_url, self.profile = api_url, profile
        self.provider = provider or profile.providers[0]
        for name in ("bin", "etc/cloud/cloud.cfg.d", "etc/default", "etc/yum.repos.d", "var/tmp", "stubs"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        entries = {}
        for kind in ("provisioning", "bootstrap"):
            text = fleet.user_data(f"{profile.key}-{self.provider}-{variant}", variant, kind, *flags)
            entries.update(nodelib.files(nodelib.on_machine(text)))
        entries["/etc/kubernetes/pki/ca.crt"]["data"] = fleet.ca.read_text()
        for path, entry in entries.items():
            is_moved = entry["data"].startswith("#!") or path == OWN
            self.write(path, self.moved(entry["data"]) if is_moved else entry["data"], int(entry["permissions"], 8))
        for name in ("systemctl", "cloud-init", "hostnamectl", "apt-get", "apt-mark", "modprobe", "sysctl", "swapoff",
                     "sleep", "update-ca-certificates", "dnf", "yum", "rpm", "amazon-linux-extras", "setenforce",
                     "update-ca-trust", "networkctl", "coreos-cloudinit", "dpkg"):
            self.stub(name)
        self.stub("journalctl", f"cat '{self.journal}'\n")
        self.stub("getenforce", "echo Enforcing\n")
        self.stub("getent", "exit 2\n")
        self.stub("containerd", "echo containerd containerd.io v2.2.1 0123456789abcdef\n")
        self.stub("uname", "echo x86_64\n")
        self.write("/etc/os-release", f'VERSION_ID="{profile.os_version}"\nVERSION_CODENAME=codename\n')
        self.path(profile.proxy_file).parent.mkdir(parents=True, exist_ok=True)
        if profile.os == "flatcar":
            self.path("/usr/share/oem").mkdir(parents=True)
        if os.environ.get("NODE_BASH"):
            (self.bin / "bash").symlink_to(os.environ["NODE_BASH"])

    def moved(self, text):
        text = SECRET_URL.sub(self.api_url, text)
        return re.sub(r"(?<![\w.}/$])/(etc|opt|var|boot|oem|run/osm-node|usr/(?:local|share/oem))(?=[/ ])", rf"{self.root}/\1", text)

    def stub(self, name, body=""):
        self.write(f"/stubs/{name}", STUB + body, 0o755)

    def path(self, path):
        return self.root / path.lstrip("/")

    def write(self, path, text, mode=0o644):
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(text)
        self.path(path).chmod(mode)

    def run(self, *command, **environment):
        """Runs the command; the machine's journal is what it prints to stderr."""
        self.calls_file.write_text("")
        env = {"PATH": f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin", "CALLS": str(self.calls_file), "LC_ALL": "C"}
        with self.journal.open("w") as journal:
            result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=journal, text=True,
                                    timeout=1200, env={**env, **environment}, check=False)
        result.stderr = self.journal.read_text()
        return result

    def calls(self):
        return self.calls_file.read_text().splitlines()

    def call_function(self, commands, script="/opt/bin/setup", **environment):
        """Runs shell commands with the functions of the script at hand."""
        text = self.path(script).read_text()
        assert text.rstrip().endswith('main "$@"')
        self.write("/functions", text.rstrip().removesuffix('main "$@"') + commands + "\n", 0o755)
        return self.run(self.path("/functions"), **environment)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def mirror_binaries(m):
    """A mirror of what every stage 2 downloads; the settings that name it, with the operator's own checksums."""
    mirror, sums, lines = m.root / "mirror2", [], []

    def publish(setting, path, data, name=None):
        file = mirror / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        sums.append(f"{sha256(data)}  {name or file.name}\n")
        lines.append(f"{setting}=file://{mirror}\n")

    plugin = m.root / "crictl"
    plugin.write_text("tool")
    for setting, path in (("CNI_PLUGINS_URL", f"{m.profile.cni}/cni-plugins-linux-amd64-{m.profile.cni}.tgz"),
                          ("CRI_TOOLS_URL", "v1.35.0/crictl-v1.35.0-linux-amd64.tar.gz")):
        with tarfile.open(m.root / "archive", "w:gz") as tar:
            tar.add(plugin, arcname="crictl")
        publish(setting, path, (m.root / "archive").read_bytes())
    for binary in ("kubelet", "kubectl"):
        publish("KUBE_BINARIES_URL", f"v1.35.1/bin/linux/amd64/{binary}", binary.encode(), f"{binary}-v1.35.1-linux-amd64")
    m.write("/sums", "".join(sums))
    return "".join(lines) + f"CHECKSUMS_FILE={m.path('/sums')}\n"
