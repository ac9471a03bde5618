"""The surroundings of the boot test's machines: keys, mirrors, the fleet, the API server; and the machines' images."""

import base64
import socket

import yaml

import addition
import fleet
import image
import machine
import nodelib
import servers

KUBERNETES, CNI, CRI_TOOLS = "v1.35.2", "v0.0.1", "v1.35.0"
ADDRESS, MIRRORS, NAME = "192.0.2.77", "127.0.0.1", "worker-abc12"
API_PORT, SITE_PORT, ARCHIVE_PORT = 6443, 8443, 8080
SITE = f"https://mirror.example.test:{SITE_PORT}"
# The kubelet takes the address from which the machine talks to the API server.
HOSTS = f"127.0.0.1 localhost\n::1 localhost\n{ADDRESS} api.example.test\n%s mirror.example.test archive.example.test\n"
KEY_PATH = "/containerd/gpg"
KUBELET_SEEN = "/var/lib/kubelet/seen.json"
SECRETS = "/api/v1/namespaces/cloud-init-settings/secrets/"
CONFIG_MAPS = "/api/v1/namespaces/cloud-init-settings/configmaps/"
PROVISIONING = f"{SECRETS}workers-kube-system-provisioning-config"
KUBECONFIG = f"{SECRETS}kube-system-workers-kubelet-bootstrap-config"
# The pauses of supervise.sh pass a hundred times as fast, except when it waits for journald (half seconds). SLEPT has what
# was asked for, a line each.
SLEPT = "/var/lib/slept"
SLEEP = f"""#!/bin/sh
case "$1 $(tr '\\0' ' ' <"/proc/$PPID/cmdline")" in
[1-9]*/supervise.sh*) echo "$1" >>{SLEPT}; exec /usr/bin/sleep "$1e-2" ;;
*) exec /usr/bin/sleep "$@" ;;
esac
"""


class Site:
    """Keys, mirrors, fleet, API server and machines of a run."""

    def __init__(self, scratch, age, made, provisioning):
        self.scratch, self.age, self.made = scratch, age, made
        self.arch = servers.run("dpkg", "--print-architecture").strip()
        self.cluster_ca, self.site_ca, self.stranger, self.proxy_ca = (
            servers.Authority(scratch, name) for name in ("cluster-ca", "site-ca", "stranger-ca", "proxy-ca"))
        self.keys = [servers.SigningKey(scratch, name) for name in ("archive", "containerd", "forger")]
        self.publish(scratch / "archive", scratch / "site")
        changes = lambda text: fleet.site_profile(text, self.settings(), self.checksums)
        self.fleet = fleet.Fleet(scratch, changes, self.cluster_ca, self.site_ca, extension=addition.extension(self.proxy_ca),
                                 provisioning=provisioning)
        self.api = servers.ApiServer(self.fleet.objects)
        self.archive = servers.Mirror(scratch / "archive", ARCHIVE_PORT)
        self.mirror = servers.Mirror(scratch / "site", SITE_PORT, self.site_ca.issue("mirror.example.test"))
        self.cgroups = scratch / "cgroups"
        self.cgroups.mkdir()
        servers.run("mount", "-t", "cgroup2", "cgroup", self.cgroups)
        self.machines = []
        # The port of rpcbind, of which the machines have one only: none may need it.
        self.taken = socket.create_server(("", 111))

    def publish(self, archive, site):
        archive.mkdir()
        (archive / "pool").symlink_to(self.made / "debs")
        servers.write_repository(archive, self.age.suite, "main", (self.made / "debs" / "Packages").read_text(),
                                 self.arch, self.keys[0])
        pool = site / "containerd" / "pool"
        pool.mkdir(parents=True)
        debs = [servers.build_containerd(pool, version) for version in ("2.1.9-1", "2.2.4-1", "2.3.0-1")]
        debs.append(servers.build_slow(pool))
        servers.write_repository(site / "containerd", self.age.suite, "stable", image.package_list(debs, "pool"), self.arch,
                                 self.keys[1])
        (site / "containerd" / "gpg").write_text(self.keys[1].armored)
        checksum = servers.write_binaries(site, self.arch, KUBERNETES, CNI, CRI_TOOLS)
        self.checksums = f"{checksum}  crictl-{CRI_TOOLS}-linux-{self.arch}.tar.gz\n"

    def settings(self):
        return (f"KUBE_BINARIES_URL={SITE}/kubernetes\nCNI_VERSION={CNI}\nCNI_PLUGINS_URL={SITE}/cni\n"
                f"CRI_TOOLS_URL={SITE}/cri\nCHECKSUMS_FILE={fleet.SETTINGS}.sha256\n"
                f"CONTAINERD_APT_URL={SITE}/containerd\nCONTAINERD_APT_KEY_FINGERPRINT={self.keys[1].fingerprint}\n")

    def machine(self, name, user_data, mirrors=MIRRORS, also_masked=()):
        """A new machine with its image's own files and its platform's user-data. The address at which it finds the mirrors
        distinguishes machines."""
        m = machine.Machine(self.made / "root", self.scratch / name, self.cgroups)
        self.machines.append(m)
        machine.prepare(m, user_data, HOSTS % mirrors,
                        f"deb http://archive.example.test:{ARCHIVE_PORT} {self.age.suite} main\n", self.keys[0].armored)
        m.write("/usr/local/sbin/sleep", SLEEP, 0o755)
        for unit in also_masked:
            m.path(f"/etc/systemd/system/{unit}").symlink_to("/dev/null")
        return m

    def user_data(self, pool, name):
        """What the platform gets for a machine of the pool."""
        return nodelib.on_machine(self.fleet.secret(f"{pool}-kube-system-bootstrap-config")["cloud-config"], name)

    def user(self, pool):
        """The API server's name for the pool's machines, before they are nodes."""
        return f"system:bootstrap:{self.fleet.node_token(pool).split('.')[0]}"

    def provisioning(self, pool):
        """The paths of what stage 1 of the pool's machines fetches: the Secret, and with `provisioning: split` the ConfigMap."""
        config_map = self.fleet.config_map(pool)
        return [f"{SECRETS}{pool}-kube-system-provisioning-config", *([CONFIG_MAPS + config_map["metadata"]["name"]] if config_map else [])]

    def with_other_token(self, user_data):
        """The user-data with a token that nobody knows, and the token."""
        config, token = yaml.safe_load(user_data), self.fleet.node_token("workers")
        wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
        for entry in config["write_files"]:
            if entry["path"] == "/opt/bin/bootstrap":
                script = nodelib.files(user_data)[entry["path"]]["data"]
                if script.count(token) != 1:
                    raise AssertionError(f"the token is in the script of stage 1 {script.count(token)} times")
                entry.pop("encoding", None)
                entry["content"] = script.replace(token, wrong)
        return "#cloud-config\n" + yaml.safe_dump(config), wrong

    def rotate(self, pool):
        """The pool's token gets a new secret half; whoever has the old one is not known any more."""
        token = self.fleet.node_token(pool)
        secret = self.fleet.secret_object(f"bootstrap-token-{token.split('.')[0]}")
        secret["data"]["token-secret"] = base64.b64encode(b"0123456789abcdef").decode()

    def close(self):
        for m in self.machines:
            m.kill()
        for key in self.keys:
            key.close()


