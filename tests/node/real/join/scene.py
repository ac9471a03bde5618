"""The surroundings of the machine that joins: mirrors, registry, fleet, cluster; and what is asked for its pool."""

import pathlib

import cluster
import extension
import fleet
import image
import machine
import node
import nodelib
import programs
import registry
import servers

STUBS = pathlib.Path(__file__).resolve().parent
NAME = "worker-abc12"
AGE = image.AGES[0]  # the younger one's systemd has no cgroups of version 1
ADDRESS, GATEWAY = "198.51.100.77", "198.51.100.1"
SITE_PORT, ARCHIVE_PORT, REGISTRY_PORT = 8443, 8080, 8444
SITE = f"https://mirror.example.test:{SITE_PORT}"
HOSTS = f"127.0.0.1 localhost\n::1 localhost\n{GATEWAY} api.example.test mirror.example.test archive.example.test\n"
CLUSTER_DNS, NAME_SERVER = "10.96.0.10", "198.51.100.53"
TAINT = {"key": "example.test/joining", "value": "yes", "effect": "NoSchedule"}
REGISTRY = "registry.example.test"
PAUSE = f"{REGISTRY}/pause:3.10"
SETTINGS = {"clusterDNS": [CLUSTER_DNS], "pauseImage": PAUSE, "initialTaints": "{key}={value}:{effect}".format(**TAINT),
            "nodeContainerdRegistryMirrors": [f"{REGISTRY}=https://mirror.example.test:{REGISTRY_PORT}"]}
# Values that are nobody's default.
KUBELET = {"MaxPods": "64", "ContainerLogMaxSize": "20Mi", "ContainerLogMaxFiles": "3", "KubeReserved": "cpu=150m,memory=210Mi",
           "SystemReserved": "cpu=110m,memory=120Mi", "EvictionHard": "memory.available<120Mi,nodefs.available<6%",
           "ImageGCHighThresholdPercent": "82", "ImageGCLowThresholdPercent": "61", "ImageMinimumGCAge": "3m"}
# An extension's, above what the annotation says.
MAX_PODS = 77
# A program that waits, and ends on a signal: as the first process of a container it must say so.
WAIT = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"
SECRETS = ("workers-kube-system-provisioning-config", "kube-system-workers-kubelet-bootstrap-config")
IN_TREE = "/api/v1/namespaces/cloud-init-settings/secrets"
NODE = f"/api/v1/nodes/{NAME}"
PODS = "/api/v1/namespaces/default/pods"
CNI_CONFIG = {"cniVersion": "1.0.0", "name": "pods", "plugins": [
    {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipam": {
        "type": "host-local", "ranges": [[{"subnet": "10.244.7.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
    {"type": "portmap", "capabilities": {"portMappings": True}}]}


class Site:
    """Mirrors, registry, fleet, cluster and the machine, which has its containerd from `origin` (programs.CONTAINERDS), and its
    provisioning config whole or split."""

    def __init__(self, scratch, paths, cgroups, origin, provisioning):
        self.scratch, self.paths, self.cgroups, self.origin, self.provisioning = scratch, paths, cgroups, origin, provisioning
        self.arch = servers.run("dpkg", "--print-architecture").strip()
        self.cluster_ca, self.site_ca = cluster.Authority(scratch, "cluster-ca"), servers.Authority(scratch, "site-ca")
        self.proxy_ca = servers.Authority(scratch, "proxy-ca")
        self.keys = []
        self.node = self.cluster = self.fleet = self.registry = self.checksums = None
        self.failures = 2  # of a stage, with which it is still well

    def open(self):
        """Mirrors and registry, and the fleet that names them."""
        scratch = self.scratch
        for name in ("archive", "containerd"):
            self.keys.append(servers.SigningKey(scratch, name))
        self.publish(scratch / "archive", scratch / "site")
        self.fleet = fleet.Fleet(scratch, self.profile, self.cluster_ca, self.site_ca,
                                 kubelet=programs.KUBERNETES.removeprefix("v"), settings=SETTINGS, annotations=KUBELET,
                                 extension=extension.spec(self.proxy_ca, MAX_PODS), provisioning=self.provisioning)
        servers.Mirror(scratch / "archive", ARCHIVE_PORT)
        pair = self.site_ca.issue("mirror.example.test")
        servers.Mirror(scratch / "site", SITE_PORT, pair)
        self.registry = registry.Registry(REGISTRY_PORT, pair)
        busybox = self.paths["busybox-static"].read_bytes()
        self.registry.add("pause", "3.10", self.arch, busybox, ["/bin/sh", "-c", WAIT])
        self.registry.add("team/program", "v1", self.arch, busybox, ["/bin/sh", "-c"])

    def publish(self, archive, site):
        archive.mkdir()
        debs = self.paths["image"] / "debs"
        (archive / "pool").symlink_to(debs)
        listed = (debs / "Packages").read_text()
        pool = archive / "containerd" if self.origin == "system" else site / "containerd" / "pool"
        pool.mkdir(parents=True)
        deb = programs.build_containerd(pool, programs.CONTAINERDS[self.origin][0], self.paths["containerd"], self.paths["runc"],
                                        self.arch)
        package = image.package_list([deb], pool.name)
        if self.origin == "system":
            listed += "\n" + package
        else:
            servers.write_repository(site / "containerd", AGE.suite, "stable", package, self.arch, self.keys[1])
            (site / "containerd" / "gpg").write_text(self.keys[1].armored)
        servers.write_repository(archive, AGE.suite, "main", listed, self.arch, self.keys[0])
        stub = self.scratch / "kubectl"
        stub.write_text("#!/bin/sh\necho 'stands in for kubectl'\n")
        self.checksums = programs.write_mirror(site, self.arch, self.paths["cni"],
                                               STUBS / "crictl",
                                               [self.paths["kubelet"], stub])

    def profile(self, text):
        """The profile with the settings of the site's mirrors, as docs/profiles.md has sites do it."""
        settings = (f"KUBE_BINARIES_URL={SITE}/kubernetes\nCNI_PLUGINS_URL={SITE}/cni\nCNI_VERSION={programs.CNI}\n"
                    f"CRI_TOOLS_URL={SITE}/cri\nCRI_TOOLS_VERSION={programs.CRI_TOOLS}\n"
                    f"CHECKSUMS_FILE={fleet.SETTINGS}.sha256\n")
        if self.origin == "system":
            settings += f"CONTAINERD_APT_URL=none\nCONTAINERD_PACKAGE={programs.CONTAINERDS['system'][0]}\n"
        else:
            settings += (f"CONTAINERD_APT_URL={SITE}/containerd\n"
                         f"CONTAINERD_APT_KEY_FINGERPRINT={self.keys[1].fingerprint}\n")
        profile = fleet.site_profile(text, settings, self.checksums)
        del profile["spec"]["provisioningConfig"]["modules"]
        return profile

    def start_cluster(self):
        folder = self.scratch / "cluster"
        folder.mkdir()
        paths = {"etcd": self.paths["etcd-server"], **self.paths}
        self.cluster = cluster.Cluster(folder, self.cluster_ca, paths, GATEWAY)
        self.cluster.start()
        for file in cluster.from_tree(self.fleet.repo / "out" / "one" / "worker"):
            self.cluster.admin.create(self.fleet.unsealed(file))

    def start_machine(self):
        user_data = nodelib.on_machine(self.fleet.secret("workers-kube-system-bootstrap-config")["cloud-config"], NAME)
        m = node.Node(self.paths["image"] / "root", self.scratch / "node", self.cgroups, ADDRESS, GATEWAY)
        self.node = m
        machine.prepare(m, user_data, HOSTS, f"deb http://archive.example.test:{ARCHIVE_PORT} {AGE.suite} main\n",
                        self.keys[0].armored)
        m.write("/etc/tmpfiles.d/resolved.conf", "d /run/systemd/resolve 0755\n"
                f"f /run/systemd/resolve/resolv.conf 0644 - - - nameserver {NAME_SERVER}\n")
        # In a namespace of cgroups of version 1 systemd does not hear that a container has ended.
        m.write("/etc/systemd/system.conf.d/test.conf", "[Manager]\nDefaultTimeoutStopSec=10s\n")
        m.power_on()

    def tries(self):
        """AssertionError when a stage has failed and failed again: here nothing is slow to come."""
        for unit in ("bootstrap", "setup"):
            if self.failed(unit) > self.failures:
                raise AssertionError(f"{unit} fails again and again")
        return True

    def failed(self, unit):
        return self.node.journal(unit).count(" failed with status")

    def close(self):
        if self.node:
            self.node.kill()
        if self.cluster:
            self.cluster.close()
        for key in self.keys:
            key.close()

    def describe(self):
        """The last words of everybody, for a run that does not come to its end."""
        text = ""
        if self.node and self.node.init:
            for unit in ("bootstrap", "setup", "containerd", "kubelet"):
                text += f"---- {unit}\n{self.node.journal(unit)[-1500:]}\n"
        for name, _ in self.cluster.running if self.cluster else ():
            text += f"---- {name}\n{self.cluster.log(name)[-1000:]}\n"
        return text
