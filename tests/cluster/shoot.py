"""A cluster and a machine of Gardener's contracts, without a Gardener: etcd, API server and controller manager, the fleet's
repository, what a machine downloads, and systemd on a node's root.

The API server is behind a relay, which can cut connections off. The worker side of the output is applied on the server, as
appliers do, and what has left it is deleted. Nothing else gives nodes rights: the cluster has no bindings of its own.
"""

import base64
import json
import socket
import threading
import time

import cluster
import image
import machine
import node
import plane
import programs
import repository
import servers
from repository import ONE

AGE = image.AGES[0]
ADDRESS, GATEWAY = "198.51.100.77", "198.51.100.1"
ARCHIVE_PORT, RELAY_PORT = 8080, 7443
ARCHIVE = f"http://archive.example.test:{ARCHIVE_PORT}"
SERVER = f"https://{cluster.HOST}:{RELAY_PORT}"
HOSTS = (f"127.0.0.1 localhost\n::1 localhost\n{GATEWAY} {cluster.HOST} archive.example.test registry.example.test\n")
NAME_SERVER = "198.51.100.53"
APPLIER = "kustomize-controller"
# Empty packages in the place of those that the documents of Gardener's systems install and that no check here needs.
STAND_INS = {"docker.io": "containerd", "logrotate": "curl", "policykit-1": ""}
# A network for Pods, which a cluster's own Pods would write.
CNI_CONFIG = {"cniVersion": "1.0.0", "name": "pods", "plugins": [{"type": "bridge", "ipam": {"type": "host-local"}}]}

KUBELET_CONFIG = """apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous:
    enabled: false
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
maxPods: {max_pods}
rotateCertificates: true
"""
KUBELET_UNIT = """[Unit]
After=containerd.service
[Service]
ExecStartPre=/opt/bin/get-kubelet
ExecStart=/opt/bin/kubelet \\
    --config=/var/lib/kubelet/config/kubelet \\
    --bootstrap-kubeconfig=/var/lib/kubelet/kubeconfig-bootstrap \\
    --kubeconfig=/var/lib/kubelet/kubeconfig-real
Restart=always
RestartSec=2
[Install]
WantedBy=multi-user.target
"""
GET_KUBELET = f"""#!/bin/sh
set -eu
[ ! -x /opt/bin/kubelet ] || exit 0
curl --fail --silent --show-error --output /opt/bin/kubelet.new {ARCHIVE}/kubelet
echo "DIGEST  /opt/bin/kubelet.new" | sha256sum --check --quiet
chmod 0755 /opt/bin/kubelet.new
mv /opt/bin/kubelet.new /opt/bin/kubelet
"""


def inline(path, text, mode=0o644):
    return {"path": path, "permissions": mode, "content": {"inline": {"encoding": "", "data": text}}}


def service(name, script, **more):
    """Returns a unit that runs a script, and the file of the script."""
    path = f"/opt/bin/{name}"
    unit = {"name": f"{name}.service", "enable": True, "command": "start", **more,
            "content": f"[Service]\nExecStart={path}\n[Install]\nWantedBy=multi-user.target\n"}
    return unit, inline(path, script, 0o755)


def walk(t, flow, site, steps):
    """Runs the steps one after the other and prints the docstring of each; closes the site."""
    try:
        for function in steps:
            began, before = time.monotonic(), t.passed + t.failed
            name = f"{flow}: {function.__name__.replace('_', ' ')}"
            function(t, site, name)
            print(f"step  {name}: {t.passed + t.failed - before} checks, {time.monotonic() - began:.0f} s: "
                  f"{' '.join(function.__doc__.split())}", flush=True)
    finally:
        site.close()


class Relay:
    """Passes connections on to the API server. With `limit` an answer ends after so many bytes; `cut` counts such ones."""

    def __init__(self, port, target):
        self.target, self.limit, self.cut = target, None, 0
        self.socket = socket.create_server(("", port))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.socket.accept()[0]
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for source, sink, limited in ((client, server, False), (server, client, True)):
                threading.Thread(target=self.copy, args=(source, sink, limited), daemon=True).start()

    def copy(self, source, sink, limited):
        copied = 0
        try:
            while data := source.recv(4096):
                if limited and self.limit is not None and copied + len(data) > self.limit:
                    self.cut += 1
                    break
                copied += len(data)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class Surroundings:
    """What machines download, and their cgroups: one for all scenarios."""

    def __init__(self, scratch, paths):
        self.scratch, self.paths = scratch, paths
        self.arch = servers.run("dpkg", "--print-architecture").strip()
        self.cgroups = node.Cgroups(scratch / "cgroups")
        self.key = self.mirror = self.relay = self.registry = None

    def open(self):
        """Returns False where a machine cannot have cgroups."""
        if not self.cgroups.open():
            return False
        archive = self.scratch / "archive"
        for name in ("containerd", "stand-ins"):
            (archive / name).mkdir(parents=True)
        debs = self.paths["image"] / "debs"
        (archive / "pool").symlink_to(debs)
        (archive / "kubelet").symlink_to(self.paths["kubelet"])
        deb = programs.build_containerd(archive / "containerd", "containerd", self.paths["containerd/"], self.paths["runc"],
                                        self.arch, config="")
        others = [servers.build_package(archive / "stand-ins", name, "1", {}, depends) for name, depends in STAND_INS.items()]
        listed = [(debs / "Packages").read_text(), image.package_list([deb], "containerd"), image.package_list(others, "stand-ins")]
        self.key = servers.SigningKey(self.scratch, "archive")
        servers.write_repository(archive, AGE.suite, "main", "\n".join(listed), self.arch, self.key)
        self.mirror = servers.Mirror(archive, ARCHIVE_PORT)
        self.relay = Relay(RELAY_PORT, cluster.PORT)
        return True

    def close(self):
        self.cgroups.close()
        if self.key:
            self.key.close()


class Shoot:
    """A control plane, a repository whose cluster ONE it is, and one machine, of a system of systems.py."""

    def __init__(self, t, name, surroundings, system, **settings):
        self.t, self.surroundings, self.system = t, surroundings, system
        self.folder = surroundings.scratch / f"{name}-{system.type}"
        self.folder.mkdir()
        authority = cluster.Authority(self.folder, "cluster-ca")
        # A cluster's installer lets the API server use the kubelets' API; the worker side does not.
        self.cluster = cluster.Cluster(self.folder, authority, surroundings.paths, GATEWAY, cluster.BINDINGS[-1:])
        self.repo = repository.Repository(self.folder, {ONE: SERVER}, authority.crt, ())
        self.settings = self.repo.clusters[ONE]["settings"]
        self.settings |= settings
        self.ca, self.applied, self.machine = authority, {}, None
        self.cluster.start()

    # ---- the fleet

    def kubelet(self, max_pods):
        """Returns the units and the files of a kubelet."""
        script = GET_KUBELET.replace("DIGEST", programs.sha256(self.surroundings.paths["kubelet"]))
        unit = {"name": "kubelet.service", "enable": True, "command": "start", "content": KUBELET_UNIT}
        return [unit], [inline("/opt/bin/get-kubelet", script, 0o755),
                        inline("/var/lib/kubelet/config/kubelet", KUBELET_CONFIG.format(max_pods=max_pods))]

    def publish(self, message, date=None):
        """Commits, generates and applies."""
        self.repo.write_settings()
        self.repo.commit(message, date)
        self.repo.generate("--allow-removal")
        self.apply()

    def apply(self):
        """Applies the worker side on the server, and deletes what has left it since the last time."""
        last, self.applied = self.applied, {}
        for item in sorted(self.repo.objects(ONE, "worker"), key=lambda item: item["kind"] != "Namespace"):
            self.applied[self.apply_one(item)] = item
        for path in sorted(set(last) - set(self.applied)):
            self.cluster.admin.call("DELETE", path)

    def apply_one(self, item):
        """Applies an object; returns its path."""
        path = plane.path_of(item)
        status, answer = self.cluster.admin.call("PATCH", f"{path}?fieldManager={APPLIER}&force=true", item,
                                                 kind="application/apply-patch+yaml")
        if status not in (200, 201):
            raise AssertionError(f"{path}: {status} {answer}")
        return path

    def user_data(self, name):
        item = next(item for item in self.repo.objects(ONE, "management") if item["metadata"]["name"] == name)
        return base64.b64decode(repository.secret_data(item)["cloud_config"]).decode()

    def tokens(self):
        """Returns the applied tokens by their IDs."""
        found = {}
        for item in self.applied.values():
            if item.get("type") == "bootstrap.kubernetes.io/token":
                data = {key: base64.b64decode(value).decode() for key, value in repository.secret_data(item).items()}
                found[data["token-id"]] = f"{data['token-id']}.{data['token-secret']}"
        return found

    # ---- the machine

    def boot(self, user_data, files=()):
        """Boots a new machine, whose image has these files, too: (path, text) each."""
        m = node.Node(self.surroundings.paths["image"] / "root", self.folder / "node", self.surroundings.cgroups, ADDRESS, GATEWAY)
        self.machine = m
        machine.prepare(m, user_data, HOSTS, f"deb {ARCHIVE} {AGE.suite} main\n", self.surroundings.key.armored)
        m.write("/etc/tmpfiles.d/resolved.conf", "d /run/systemd/resolve 0755\n"
                f"f /run/systemd/resolve/resolv.conf 0644 - - - nameserver {NAME_SERVER}\n")
        m.write("/etc/systemd/system.conf.d/test.conf", "[Manager]\nDefaultTimeoutStopSec=10s\n")
        for path, text in files:
            m.write(path, text)
        self.system.make_image(m, f"deb http://127.0.0.1:{ARCHIVE_PORT} {AGE.suite} main")
        self.system.read_user_data(m, user_data, self.surroundings.paths["ignition"])
        m.power_on()

    def name(self):
        return self.machine.run("hostname").stdout.strip().lower()

    def node(self):
        """Returns the machine's Node, or None."""
        return self.cluster.admin.find(f"/api/v1/nodes/{self.name()}")

    def is_ready(self):
        conditions = (self.node() or {"status": {}})["status"].get("conditions", [])
        return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in conditions)

    def max_pods(self):
        return (self.node() or {"status": {}})["status"].get("capacity", {}).get("pods")

    def write_network(self):
        self.machine.write("/etc/cni/net.d/10-pods.conflist", json.dumps(CNI_CONFIG))

    def running(self, *units):
        """Returns the main process of each unit, which is another one after a restart."""
        return {unit: self.machine.run("systemctl", "show", unit, "--property=MainPID", "--value").stdout.strip() for unit in units}

    def wait_active(self, *units):
        """Waits until units run, which are started without waiting for them."""
        active = lambda: self.machine.run("systemctl", "is-active", *units).stdout.split() == ["active"] * len(units)
        self.wait(active, 120, f"{' '.join(units)} to run", *units)

    def wait(self, condition, seconds, what, *units):
        """As machine.wait_for. Its error has the ends of the units' journals and of the control plane's logs."""
        try:
            return machine.wait_for(condition, seconds, what)
        except AssertionError as error:
            words = "".join(f"\n---- {unit}\n{self.machine.journal(unit)[-3000:]}" for unit in units)
            logs = "".join(f"\n---- {name}\n{self.cluster.log(name)[-1500:]}" for name, _ in self.cluster.running)
            raise AssertionError(f"{error}{words}{logs}") from None

    def wait_in_journal(self, unit, text, seconds=120, since=0):
        """Waits until the unit's journal has the text after its first `since` characters."""
        self.wait(lambda: text in self.machine.journal(unit)[since:], seconds, f"{text!r} in the journal of {unit}", unit)

    def close(self):
        self.cluster.close()
        if self.machine:
            self.machine.kill()
            machine.unmount(self.machine.folder)
