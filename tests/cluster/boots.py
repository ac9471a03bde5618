"""A machine of `two` boots with what machine-controller gave its platform: the fetch script of the user-data reads the
provisioning Secret from the API server, with the token that it came with, and cloud-init writes its files.

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
from repository import TWO

AGE = images.AGES[0]
ARCHIVE_PORT = 8080
POOL = "workers"
HOSTS = f"127.0.0.1 localhost\n::1 localhost\n{plane.ADDRESS} api-two.example.test\n127.0.0.1 archive.example.test\n"
DONE = "/var/lib/osm-node/bootstrap.done"


def image():
    """{"image": the folder with the root and the packages}, or nothing where it cannot be made."""
    try:
        if images.why_not():
            raise OSError(images.why_not())
        return {"image": images.get(AGE)}
    except OSError as error:
        print(f"note  a machine's image: {error}")
        return {}


class Booting:
    """`when` says after which steps the machine starts and is looked at."""

    def __init__(self, t, site, when):
        self.t, self.site, self.when = t, site, when
        self.made = site.programs.get("image")
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
        scratch = self.site.scratch
        self.name = self.site.machines(TWO, POOL)[0][0]["metadata"]["name"]
        arch = servers.run("dpkg", "--print-architecture").strip()
        archive, cgroups = scratch / "archive", scratch / "cgroups"
        for folder in (archive, cgroups):
            folder.mkdir()
        servers.run("mount", "-t", "cgroup2", "cgroup", cgroups)
        self.key = servers.SigningKey(scratch, "archive")
        (archive / "pool").symlink_to(self.made / "debs")
        servers.write_repository(archive, AGE.suite, "main", (self.made / "debs" / "Packages").read_text(), arch, self.key)
        servers.Mirror(archive, ARCHIVE_PORT)
        m = machine.Machine(self.made / "root", scratch / "machine", cgroups)
        self.machine = m
        machine.prepare(m, self.site.user_data(TWO, self.name), HOSTS,
                        f"deb http://archive.example.test:{ARCHIVE_PORT} {AGE.suite} main\n", self.key.armored)
        self.asked = len(self.requests())
        m.power_on()

    def requests(self):
        return cluster.requests(self.site.planes[TWO].audit_log)

    def check(self):
        """What stage 1 has left on the machine is what stands in git, sealed."""
        t, m = self.t, self.machine
        try:
            machine.wait_for(lambda: m.path(DONE).exists(), 120, "stage 1 of the machine")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{m.journal('bootstrap')[-3000:]}") from None
        provisioning = self.site.repo.secret(TWO, f"{POOL}-kube-system-provisioning-config")["cloud-config"]
        entries = nodelib.files(nodelib.on_machine(provisioning, self.name))
        t.check("machine: the files of the provisioning Secret", len(entries) >= 20, list(entries))
        t.equal("machine: each with its content, mode and owner", observe.differences(m, entries), [])
        t.equal("machine: its name is the Machine's", m.run("hostname").stdout.strip(), self.name)
        t.equal("machine: stage 2 was started", m.run("systemctl", "is-enabled", "setup").stdout.strip(), "enabled")
        kubeconfig = self.site.repo.secret(TWO, f"kube-system-{POOL}-kubelet-bootstrap-config")["kubeconfig"]
        t.check("machine: the kubelet's kubeconfig is that of the Secret",
                m.read("/etc/kubernetes/bootstrap-kubelet.conf") == kubeconfig)
        identity, token = self.site.repo.node_token(TWO, POOL).split(".")
        t.check("machine: the token is in no journal", token not in m.journal())
        asked = self.requests()[self.asked:]
        user, in_tree = f"system:bootstrap:{identity}", "/api/v1/namespaces/cloud-init-settings/secrets"
        get = lambda name: ("get", f"{in_tree}/{name}", user, 200)
        t.equal("machine: its fetch script has got the provisioning Secret with its token", asked[:1],
                [get(f"{POOL}-kube-system-provisioning-config")])
        t.equal("machine: and nothing else but, in stage 2, the kubelet's kubeconfig",
                sorted({*asked[1:]} - {get(f"kube-system-{POOL}-kubelet-bootstrap-config")}), [])
        print(f"step  a machine boots: {self.name} has fetched its Secret and written {len(entries)} files", flush=True)
        m.kill()

    def close(self):
        if self.machine:
            self.machine.kill()
            subprocess.run(["umount", self.site.scratch / "cgroups"], check=False)
        if self.key:
            self.key.close()
