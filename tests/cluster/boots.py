"""A machine boots with what machine-controller gave its platform: the fetch script of the user-data reads the provisioning
Secret from the API server, with the token that it came with, and cloud-init writes its files. That of `one`, whose
provisioning config is split, finds no ConfigMap first, then a changed one, until Flux has made it anew.

It is the boot test's machine (tests/node/boot), over a root with Debian's cloud-init and a mirror of the packages that stage 1
installs. Stage 2 then looks for containerd and the kubelet, which nobody offers here: the boot and join tests go on there.
"""

import subprocess

import cluster
import image as images
import machine
import nodelib
import observe
import plane
import servers
from repository import ONE, TWO

# The system of each cluster's machine, and the port of its packages.
SYSTEMS = {TWO: (images.AGES[0], 8080), ONE: (images.AGES[1], 8081)}
POOL = "workers"
HOSTS = f"127.0.0.1 localhost\n::1 localhost\n{plane.ADDRESS} %s\n127.0.0.1 archive.example.test\n"
DONE = "/var/lib/osm-node/bootstrap.done"


def image(ages):
    """The folders with root and packages of ages by name, or nothing where they cannot be made."""
    try:
        if images.why_not():
            raise OSError(images.why_not())
        return {name: images.get(age) for name, age in ages.items()}
    except OSError as error:
        print(f"note  a machine's image: {error}")
        return {}


class Booting:
    """A machine of a cluster. `when` says after which steps it starts and is looked at."""

    def __init__(self, t, site, cluster_name, when):
        self.t, self.site, self.cluster, self.when = t, site, cluster_name, when
        self.plane, self.folder = site.planes[cluster_name], site.scratch / f"machine-of-{cluster_name}"
        self.made = site.programs.get(f"image of {cluster_name}")
        self.machine = self.key = self.name = None
        self.asked = 0

    def after(self, step):
        match self.when.get(step):
            case "start" if self.made is None:
                self.t.skip("a machine boots", "there is no image")
            case "start":
                self.start()
            case "check" if self.machine:
                self.check()

    def start(self):
        self.name = self.site.machines(self.cluster, POOL)[0][0]["metadata"]["name"]
        arch, (age, port) = servers.run("dpkg", "--print-architecture").strip(), SYSTEMS[self.cluster]
        archive, cgroups = self.folder / "archive", self.folder / "cgroups"
        for folder in (archive, cgroups):
            folder.mkdir(parents=True)
        servers.run("mount", "-t", "cgroup2", "cgroup", cgroups)
        self.key = servers.SigningKey(self.folder, "archive")
        (archive / "pool").symlink_to(self.made / "debs")
        servers.write_repository(archive, age.suite, "main", (self.made / "debs" / "Packages").read_text(), arch, self.key)
        servers.Mirror(archive, port)
        m = machine.Machine(self.made / "root", self.folder / "machine", cgroups)
        self.machine = m
        machine.prepare(m, self.site.user_data(self.cluster, self.name), HOSTS % self.plane.host(),
                        f"deb http://archive.example.test:{port} {age.suite} main\n", self.key.armored)
        self.asked = len(self.requests())
        config_maps = self.site.repo.config_map(self.cluster, POOL)
        for item in config_maps:
            self.plane.delete(item)
        m.power_on()
        for item in config_maps:
            self.meet_another(item)

    def meet_another(self, item):
        """The machine finds no ConfigMap, then a changed one, which somebody deletes."""
        name = item["metadata"]["name"]
        observe.wait_in_journal(self.machine, "bootstrap", f"/configmaps/{name}: the API server answers 404", 120)
        changed = {**item, "data": {**item["data"], "config": item["data"]["config"] + "\n"}}
        self.plane.admin.create(changed)
        observe.wait_in_journal(self.machine, "bootstrap", f"error: the ConfigMap {name} is not the one that", 60)
        self.plane.delete(changed)
        said = self.machine.journal("bootstrap")
        self.t.check(f"machine of {self.cluster}: nothing is applied before all fits", "bootstrap: applying" not in said, said)

    def requests(self):
        return cluster.requests(self.plane.audit_log)

    def check(self):
        """What stage 1 has left on the machine is what stands in git, sealed."""
        t, m, where = self.t, self.machine, f"machine of {self.cluster}"
        try:
            machine.wait_for(lambda: m.path(DONE).exists(), 120, f"stage 1 of the {where}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{m.journal('bootstrap')[-3000:]}") from None
        entries = nodelib.files(nodelib.on_machine(self.site.repo.whole(self.cluster, POOL), self.name))
        t.check(f"{where}: the files of the provisioning config", len(entries) >= 20, list(entries))
        t.equal(f"{where}: each with its content, mode and owner", observe.differences(m, entries), [])
        t.equal(f"{where}: its name is the Machine's", m.run("hostname").stdout.strip(), self.name)
        t.equal(f"{where}: stage 2 was started", m.run("systemctl", "is-enabled", "setup").stdout.strip(), "enabled")
        kubeconfig = self.site.repo.secret(self.cluster, f"kube-system-{POOL}-kubelet-bootstrap-config")["kubeconfig"]
        t.check(f"{where}: the kubelet's kubeconfig is that of the Secret",
                m.read("/etc/kubernetes/bootstrap-kubelet.conf") == kubeconfig)
        identity, token = self.site.repo.node_token(self.cluster, POOL).split(".")
        t.check(f"{where}: the token is in no journal", token not in m.journal())
        user, in_tree = f"system:bootstrap:{identity}", "/api/v1/namespaces/cloud-init-settings/secrets"
        asked = [entry for entry in self.requests()[self.asked:] if entry[2] == user]
        paths = [f"{in_tree}/{POOL}-kube-system-provisioning-config",
                 *map(plane.path_of, self.site.repo.config_map(self.cluster, POOL))]
        kubeconfig_path = f"{in_tree}/kube-system-{POOL}-kubelet-bootstrap-config"
        of_stage_1 = [entry for entry in asked if entry[1] != kubeconfig_path]
        t.equal(f"{where}: its fetch script has got the parts of its provisioning config with its token", of_stage_1[-len(paths):],
                [("get", path, user, 200) for path in paths])
        t.equal(f"{where}: and has asked for nothing else but, in stage 2, the kubelet's kubeconfig",
                sorted({entry[:3] for entry in asked} - {("get", path, user) for path in (*paths, kubeconfig_path)}), [])
        print(f"step  a machine boots: {self.name} has fetched its config and written {len(entries)} files", flush=True)
        m.kill()

    def close(self):
        if self.machine:
            self.machine.kill()
            subprocess.run(["umount", self.folder / "cgroups"], check=False)
        if self.key:
            self.key.close()
