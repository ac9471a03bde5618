"""Boots machines with the user-data of the Ubuntu profile, both stages, and looks at what has become of them.

The way is the whole one: a repository goes through osm-gen, the committed Secrets are unsealed and served by an API
server on loopback that decides by the worker tree's own tokens and Roles; a machine with systemd and Debian's cloud-init
(machine.py) gets the bootstrap user-data as machine-controller would hand it over; packages and binaries come from
mirrors on loopback, named by the profile's settings. Nothing can leave: the network namespace has nothing but lo.

What stands in: Debian 12 for Ubuntu; kubelet, kubectl, crictl, CNI plugins and containerd, which take their files as the
real ones do and do nothing with them; modprobe, which is the real one but told what to run instead of loading modules;
and the kernel's settings, swap list and clock, which are not the machine's to change here. Needs root, and is skipped
without.
"""

import base64
import collections
import copy
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile

import yaml

import fleet
import image
import machine
import nodelib
import servers

KUBERNETES, CNI, CRI_TOOLS = "v1.35.2", "v0.0.1", "v1.35.0"
ADDRESS, NAME = "192.0.2.77", "worker-abc12"
API_PORT, SITE_PORT, ARCHIVE_PORT = 6443, 8443, 8080
SITE = f"https://mirror.example.test:{SITE_PORT}"
HOSTS = ("127.0.0.1 localhost\n::1 localhost\n127.0.0.1 api.example.test mirror.example.test archive.example.test\n")
KEY_PATH = "/containerd/gpg"
CONFIG = "/etc/cloud/cloud.cfg.d/workers-kube-system-provisioning-config.cfg"
KUBELET_SEEN = "/var/lib/kubelet/seen.json"
PROVISIONING = "/api/v1/namespaces/cloud-init-settings/secrets/workers-kube-system-provisioning-config"
KUBECONFIG = "/api/v1/namespaces/cloud-init-settings/secrets/kube-system-workers-kubelet-bootstrap-config"
NAMESPACES = ["unshare", "--net", "--mount", "--propagation", "private"]
# All that a machine needs of this system, tried on nothing.
PROBE = """set -e
d=$1
mount -t tmpfs tmpfs "$d"
mkdir "$d/a" "$d/b" "$d/c" "$d/d" "$d/e"
mount -t overlay -o "lowerdir=$d/a,upperdir=$d/b,workdir=$d/c" overlay "$d/d"
mount -t cgroup2 cgroup "$d/e"
mkdir "$d/e/osm-gen-test-$$"
rmdir "$d/e/osm-gen-test-$$"
ip link set lo up
"""
TOOLS = ("mmdebstrap", "unshare", "nsenter", "setpriv", "ip", "openssl", "gpg", "gpg-agent", "gpgconf", "dpkg-deb", "git")


# ---- before: what this system can do, and the root ----------------------------------------------

def why_not():
    """What keeps the test from running here, or None."""
    if os.geteuid() != 0:
        return "it needs root, for namespaces with devices and mounts"
    found = lambda tool: any(os.access(f"{folder}/{tool}", os.X_OK) for folder in machine.PATH.split(":"))
    missing = [tool for tool in TOOLS if not found(tool)]
    if missing:
        return f"not installed: {' '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="boot-probe-") as folder:
        result = subprocess.run([*NAMESPACES, *machine.UNSHARE[4:], "sh", "-c", PROBE, "sh", folder], capture_output=True,
                                text=True, check=False)
    return f"no namespaces, overlay or cgroups here: {result.stderr.strip()}" if result.returncode else None


def outside():
    reason = why_not()
    if reason:
        skip(reason)
    try:
        made = image.get(nodelib.ROOT / "build" / "boot", (nodelib.ROOT / "profiles" / "ubuntu.yaml").read_text())
    except OSError as error:
        skip(f"the root cannot be made: {error}")
    os.execvp("unshare", [*NAMESPACES, sys.executable, "-B", __file__, "--inside", str(made)])


def skip(reason):
    print(f"skip  boot: {reason}")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)


# ---- the surroundings of the machines -------------------------------------------------------------

class Site:
    """Keys, mirrors, fleet, API server and machines of a run."""

    def __init__(self, scratch, made):
        self.scratch, self.made = scratch, made
        self.arch = servers.run("dpkg", "--print-architecture").strip()
        self.cluster_ca, self.site_ca, self.stranger = (
            servers.Authority(scratch, name) for name in ("cluster-ca", "site-ca", "stranger-ca"))
        self.keys = [servers.SigningKey(scratch, name) for name in ("archive", "containerd", "forger")]
        self.publish(scratch / "archive", scratch / "site")
        changes = lambda text: fleet.site_profile(text, self.settings(), self.checksums)
        self.fleet = fleet.Fleet(scratch, changes, self.cluster_ca, self.site_ca)
        self.api = servers.ApiServer(self.fleet.objects)
        self.archive = servers.Mirror(scratch / "archive", ARCHIVE_PORT)
        self.mirror = servers.Mirror(scratch / "site", SITE_PORT, self.site_ca.issue("mirror.example.test"))
        self.cgroups = scratch / "cgroups"
        self.cgroups.mkdir()
        servers.run("mount", "-t", "cgroup2", "cgroup", self.cgroups)
        self.machines = []

    def publish(self, archive, site):
        archive.mkdir()
        (archive / "pool").symlink_to(self.made / "debs")
        servers.write_repository(archive, "main", (self.made / "debs" / "Packages").read_text(), self.arch, self.keys[0])
        pool = site / "containerd" / "pool"
        pool.mkdir(parents=True)
        debs = [servers.build_containerd(pool, version) for version in ("2.1.9-1", "2.2.4-1", "2.3.0-1")]
        servers.write_repository(site / "containerd", "stable", servers.package_list(debs, "pool"), self.arch, self.keys[1])
        (site / "containerd" / "gpg").write_text(self.keys[1].armored)
        checksum = servers.write_binaries(site, self.arch, KUBERNETES, CNI, CRI_TOOLS)
        self.checksums = f"{checksum}  crictl-{CRI_TOOLS}-linux-{self.arch}.tar.gz\n"

    def settings(self):
        return (f"KUBE_BINARIES_URL={SITE}/kubernetes\nCNI_VERSION={CNI}\nCNI_PLUGINS_URL={SITE}/cni\n"
                f"CRI_TOOLS_URL={SITE}/cri\nCHECKSUMS_FILE={fleet.SETTINGS}.sha256\n"
                f"CONTAINERD_APT_URL={SITE}/containerd\nCONTAINERD_APT_KEY_FINGERPRINT={self.keys[1].fingerprint}\n")

    def machine(self, name, user_data):
        """A new machine with its image's own files and its platform's user-data."""
        m = machine.Machine(self.made / "root", self.scratch / name, self.cgroups)
        self.machines.append(m)
        m.write("/etc/machine-id", os.urandom(16).hex() + "\n")
        m.write("/etc/hosts", HOSTS)
        m.write("/etc/hostname", "of-the-platform\n")
        m.write("/etc/resolv.conf", "")
        m.write("/etc/fstab", "tmpfs /media tmpfs noauto 0 0\n/swap.img none swap sw 0 0\n# /old none swap sw 0 0\n")
        m.write("/etc/apt/sources.list", f"deb http://archive.example.test:{ARCHIVE_PORT} bookworm main\n")
        m.write("/etc/apt/trusted.gpg.d/archive.asc", self.keys[0].armored)
        m.write("/etc/modprobe.d/test.conf", "".join(
            f"install {module} echo {module} >>/var/log/modules\n" for module in (
                "overlay", "br_netfilter", "nf_conntrack", "ip_vs", "ip_vs_rr", "ip_vs_wrr")))
        m.write("/etc/cloud/cloud.cfg.d/90-image.cfg", "datasource_list: [NoCloud]\nlocale: C.UTF-8\n"
                "network: {config: disabled}\napt: {preserve_sources_list: true}\npreserve_hostname: true\n")
        m.write("/var/lib/cloud/seed/nocloud/meta-data", f"instance-id: {name}\n")
        m.write("/var/lib/cloud/seed/nocloud/user-data", user_data, 0o600)
        # There is no console; timers would only add chance; NFS is for kernels that have it.
        for unit in ("console-getty.service", "apt-daily.timer", "apt-daily-upgrade.timer", "run-rpc_pipefs.mount"):
            m.path(f"/etc/systemd/system/{unit}").symlink_to("/dev/null")
        return m

    def close(self):
        for m in self.machines:
            m.kill()
        for key in self.keys:
            key.close()


# ---- what a machine must have become --------------------------------------------------------------

def differences(m, entries):
    """What keeps the files of a machine from being these, in cloud-init's form."""
    found = []
    for path, entry in entries.items():
        file = m.path(path)
        if file.is_symlink() or not file.is_file():
            found.append(f"{path}: no such file")
            continue
        status = file.stat()
        if file.read_text() != entry["data"]:
            found.append(f"{path}: content")
        if stat.S_IMODE(status.st_mode) != int(entry["permissions"], 8):
            found.append(f"{path}: mode {stat.S_IMODE(status.st_mode):o} instead of {entry['permissions']}")
        if (status.st_uid, status.st_gid) != (0, 0):
            found.append(f"{path}: owner {status.st_uid}:{status.st_gid}")
    return found


def missing_of(m, config):
    """What a machine lacks of an OperatingSystemConfig's files. Secrets are redacted there: such lines tell nothing."""
    found = []
    for item in config["files"]:
        file, data = m.path(item["path"]), item["content"]["inline"]["data"]
        if not file.is_file() or stat.S_IMODE(file.stat().st_mode) != int(str(item.get("permissions", 644)), 8):
            found.append(item["path"])
            continue
        have = collections.Counter(file.read_text().splitlines())
        want = collections.Counter(line for line in data.splitlines() if "<sealed:" not in line)
        found += [f"{item['path']}: {line}" for line in want - have if line.strip()]
    return found


def in_order(text, *wanted):
    """The first of the texts that does not come, or comes too early."""
    at = 0
    for part in wanted:
        at = text.find(part, at)
        if at < 0:
            return part
        at += len(part)
    return None


def readable_by_all(m, text):
    """The files that hold the text and that everybody on the machine may read."""
    found = []
    for folder, names, files in os.walk(m.folder / "upper"):
        here = pathlib.Path(folder)
        names[:] = [name for name in names if (here / name).stat().st_mode & 0o001]
        for name in files:
            file = here / name
            if file.is_symlink() or not file.is_file() or not file.stat().st_mode & 0o004:
                continue
            if text.encode() in file.read_bytes():
                found.append("/" + str(file.relative_to(m.folder / "upper")))
    return found


def stored(m):
    """What there is of stage 2."""
    return [path for path in (CONFIG, "/opt/bin/setup") if m.path(path).exists()]


def count(m, unit, text):
    return m.journal(unit).count(text)


def wait_in_journal(m, unit, text, seconds, times=1):
    try:
        machine.wait_for(lambda: count(m, unit, text) >= times, seconds, f"{unit} to say: {text}")
    except AssertionError as error:
        failed = m.run("systemctl", "--failed", "--no-legend").stdout
        raise AssertionError(f"{error}\n{m.journal(unit)[-3000:]}\n{failed}") from None


# ---- the checks --------------------------------------------------------------------------------------

def wrong_token(t, site, user_data):
    """A machine whose token nobody knows."""
    config = yaml.safe_load(user_data)
    token = site.fleet.node_token()
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    for entry in config["write_files"]:
        if entry["path"] == "/opt/bin/bootstrap":
            script = base64.b64decode(entry["content"]).decode()
            t.equal("token: it is in the user-data once", script.count(token), 1)
            entry["content"] = base64.b64encode(script.replace(token, wrong).encode()).decode()
    return wrong, site.machine("wrong-token", "#cloud-config\n" + yaml.safe_dump(config).replace(NAME, "worker-wrong"))


def turned_away(t, site, wrong, m):
    """It says what is wrong, stores nothing, goes on trying."""
    wait_in_journal(m, "bootstrap", "returned error: 401", 180)
    wait_in_journal(m, "bootstrap", f"bootstrap: error: cannot get {fleet.API}{PROVISIONING}", 10)
    t.check("wrong token: the API server has refused it", ("GET", PROVISIONING, None, 401) in site.api.seen, site.api.seen)
    t.check("wrong token: it is in no log", wrong not in m.journal(), m.journal("bootstrap"))
    t.equal("wrong token: nothing is stored", stored(m), [])
    t.equal("wrong token: a reboot would try again", m.run("systemctl", "is-enabled", "bootstrap").stdout, "enabled\n")
    m.kill()


def stage_1(t, site, m, other):
    """The API server is down, a stranger's, another host's, overloaded, without the Secret; then it is well. The other
    machine is switched on meanwhile."""
    api, ca = site.api, site.cluster_ca
    failed = "supervise: '/opt/bin/bootstrap' failed"
    m.power_on()
    wait_in_journal(m, "bootstrap", failed, 180)
    other.power_on()
    t.check("down: the machine says so and waits", "Failed to connect to api.example.test" in m.journal("bootstrap"),
            m.journal("bootstrap"))
    api.start(API_PORT, site.stranger.issue("api.example.test"))
    wait_in_journal(m, "bootstrap", failed, 120, times=2)
    t.check("wrong CA: the machine refuses it", "SSL certificate problem" in m.journal("bootstrap"), m.journal("bootstrap"))
    api.context.load_cert_chain(*ca.issue("other.example.test"))
    wait_in_journal(m, "bootstrap", failed, 120, times=3)
    t.check("wrong host: the machine refuses it", "no alternative certificate subject name matches" in m.journal("bootstrap"),
            m.journal("bootstrap"))
    t.equal("wrong CA and host: no token is sent", api.seen, [])
    api.troubles = [(503, {"kind": "Status"}), (200, {"kind": "Secret", "data": {}})]
    api.context.load_cert_chain(*ca.issue("api.example.test"))
    wait_in_journal(m, "bootstrap", failed, 120, times=5)
    t.equal("overloaded, or Secret incomplete: nothing is stored", stored(m), [])
    wait_in_journal(m, "bootstrap", "bootstrap: done", 120)
    user = f"system:bootstrap:{site.fleet.node_token().split('.')[0]}"
    t.equal("stage 1: the Secret is fetched with the pool's token", [entry for entry in api.seen if entry[2]][:3],
            [("GET", PROVISIONING, user, status) for status in (503, 200, 200)])
    said = m.journal("bootstrap")
    t.equal("stage 1: in order", in_order(
        said, "bootstrap: installing curl and jq", "Failed to connect", failed, "SSL certificate problem", failed,
        "no alternative certificate subject name", failed, "error: 503", failed, "no cloud-config in https://api.example.test",
        failed, "bootstrap: stored", "bootstrap: applying bootcmd", "bootstrap: applying write_files",
        "bootstrap: applying runcmd", "bootstrap: applying scripts_user", "bootstrap: done"), None)
    t.equal("stage 1: the site's commands ran once each, in order, under the machine's name", m.read(fleet.COMMANDS).splitlines(),
            [f"{NAME} {word}" for word in ("bootcmd", "first", "second", "third")])


def stage_2(t, site, m):
    """The mirror has a forged key, then the power fails, then the mirror has a forged kubelet; then all is well."""
    wait_in_journal(m, "setup", "holds key", 240)
    m.kill()
    del site.mirror.forged[KEY_PATH]
    m.power_on()
    wait_in_journal(m, "setup", "does not have the checksum", 240)
    t.check("forged kubelet: it is not installed", not m.path("/opt/bin/kubelet").exists(), m.read("/opt/bin/kubelet"))
    site.mirror.forged.clear()
    wait_in_journal(m, "setup", "setup: done", 120)
    said = m.journal("setup")
    t.equal("stage 2: in order", in_order(
        said, f"setup: reading {fleet.SETTINGS}", "setup: installing the host CA bundle", "1 added",
        "setup: loading kernel modules", "ip_vs_sh is not available", "setup: installing packages", "Setting up conntrack",
        f"setup: downloading {SITE}{KEY_PATH}", f"holds key {site.keys[2].fingerprint}, expected {site.keys[1].fingerprint}",
        f"setup: reading {fleet.SETTINGS}", f"setup: downloading {SITE}{KEY_PATH}", "setup: installing containerd.io=2.2*",
        "Setting up containerd.io (2.2.4-1)", "containerd.io set on hold",
        f"setup: downloading {SITE}/cni/{CNI}/", f"setup: downloading {SITE}/cri/{CRI_TOOLS}/",
        "/kubelet does not have the checksum", "supervise: '/opt/bin/setup' failed",
        f"setup: downloading {SITE}/kubernetes/{KUBERNETES}/bin/linux/{site.arch}/kubelet",
        "setup: fetching the bootstrap kubeconfig", "setup: starting kubelet.service kubelet-healthcheck.service "
        "containerd-healthcheck.service", "setup: done; the kubelet takes over"), None)
    machine.wait_for(lambda: m.path(KUBELET_SEEN).exists(), 90, "the kubelet's start")


def node(t, site, m, entries):
    """The finished node."""
    token = site.fleet.node_token()
    t.equal("files: each with its content, mode and owner", differences(m, entries), [])
    t.check("files: all of the profile's", len(entries) >= 20, list(entries))
    spec = site.fleet.system_config()["spec"]
    for kind in ("bootstrapConfig", "provisioningConfig"):
        t.equal(f"files: all that the OperatingSystemConfig lists in {kind}", missing_of(m, spec[kind]), [])
    units = ("kubelet", "containerd", "kubelet-healthcheck", "containerd-healthcheck", "bootstrap", "setup")
    t.equal("units: enabled as they must be", m.run("systemctl", "is-enabled", *units).stdout.split(),
            ["enabled"] * 4 + ["disabled"] * 2)
    t.equal("units: running", m.run("systemctl", "is-active", *units[:4]).stdout.split(), ["active"] * 4)
    t.equal("units: none has failed", m.run("systemctl", "--failed", "--no-legend", "--plain").stdout, "")
    shown = m.run("systemctl", "show", "containerd", "--property=Restart,LimitNOFILE,TasksMax").stdout.split()
    t.equal("units: containerd's drop-ins hold", sorted(shown), ["LimitNOFILE=1048576", "Restart=always", "TasksMax=infinity"])

    seen = yaml.safe_load(m.read(KUBELET_SEEN))
    t.equal("kubelet: its options", seen["options"], {
        "config": "/etc/kubernetes/kubelet.conf", "bootstrap-kubeconfig": "/etc/kubernetes/bootstrap-kubelet.conf",
        "kubeconfig": "/var/lib/kubelet/kubeconfig", "cert-dir": "/etc/kubernetes/pki", "hostname-override": NAME,
        "node-ip": ADDRESS, "container-runtime-endpoint": "unix:///run/containerd/containerd.sock"})
    t.equal("kubelet: its configuration", [seen["config"][key] for key in ("clusterDNS", "maxPods", "cgroupDriver")],
            [["10.96.0.10"], 64, "systemd"])
    user = f"system:bootstrap:{token.split('.')[0]}"
    t.equal("kubelet: it asks for a certificate with the bootstrap token", [e for e in site.api.seen if e[0] == "POST"],
            [("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", user, 201)])
    t.check("kubelet: its kubeconfig came from the Secret", ("GET", KUBECONFIG, user, 200) in site.api.seen, site.api.seen)
    t.equal("kubelet: its kubeconfig is for root",
            oct(m.path("/etc/kubernetes/bootstrap-kubelet.conf").stat().st_mode & 0o777), "0o600")
    runtime = yaml.safe_load(m.read("/var/lib/containerd-seen.json"))
    t.equal("containerd: the pinned one, with our configuration",
            [runtime["version"], runtime["config"]["version"], "registry.example.test/pause:3.10" in str(runtime["config"])],
            ["2.2.4-1", 3, True])
    t.equal("crictl: finds the runtime", m.run("/usr/local/bin/crictl", "info").stdout, "ready\n")
    binaries = [path for folder in ("/opt/bin", "/opt/cni/bin") for path in m.path(folder).glob("[!.]*")]
    t.equal("binaries: there, and no more", sorted(path.name for path in binaries), sorted(
        ["bootstrap", "setup", "supervise.sh", "health-monitor.sh", "setup_net_env.sh", "kubelet", "kubectl", "crictl",
         "bridge", "host-local", "loopback", "portmap"]))
    t.equal("binaries: root's", {(path.stat().st_uid, oct(path.stat().st_mode & 0o777)) for path in binaries}, {(0, "0o755")})

    t.equal("host: its name", [m.run("hostname").stdout.strip(), m.read("/etc/hostname").strip()], [NAME, NAME])
    t.equal("host: kernel modules are asked for", set(m.read("/var/log/modules").split()),
            {"overlay", "br_netfilter", "nf_conntrack", "ip_vs", "ip_vs_rr", "ip_vs_wrr"})
    wanted = dict(re.findall(r"(?m)^([a-z0-9_.-]+) = (\d+)$", entries["/etc/sysctl.d/k8s.conf"]["data"]))
    t.check("host: kernel settings are loaded", wanted and {key: m.kernel_setting(key) for key in wanted} == wanted,
            {key: (value, m.kernel_setting(key)) for key, value in wanted.items()})
    t.equal("host: swap stays off", m.read("/etc/fstab"),
            "tmpfs /media tmpfs noauto 0 0\n# /swap.img none swap sw 0 0\n# /old none swap sw 0 0\n")
    t.equal("host: containerd is held", m.run("apt-mark", "showhold").stdout, "containerd.io\n")
    t.equal("host: the site's CA is trusted", m.run("curl", "-fsS", "-o", "/dev/null", f"{SITE}/containerd/gpg").stderr, "")
    t.check("host: the user's key is in place", fleet.KEY in m.read("/home/debian/.ssh/authorized_keys"), "")

    # The two scripts have modes that others' tooling relies on; docs/security.md tells it.
    t.equal("secrets: the token can be read in the scripts that send it, and nowhere else", sorted(readable_by_all(m, token)),
            ["/opt/bin/bootstrap", "/opt/bin/setup"])
    t.check("secrets: the token is in no journal", token not in m.journal() and token.split(".")[1] not in m.journal(), "")
    cloud_init_is_content(t, m, "first boot")


def cloud_init_is_content(t, m, when):
    status = m.run("cloud-init", "status", "--long", "--wait").stdout
    t.check(f"cloud-init: {when}: done", "status: done" in status, status)
    noise = [line for name in ("cloud-init.log", "cloud-init-output.log") for line in m.read(f"/var/log/{name}").splitlines()
             if re.search(r"WARNING|ERROR|CRITICAL|Traceback", line)]
    t.equal(f"cloud-init: {when}: no warnings, no errors", noise, [])


def roles(t, site):
    """The API server is strict: what the machine was given was its own."""
    user = site.api.user("Bearer " + site.fleet.node_token())
    for name, want in (("workers-kube-system-provisioning-config", 200), ("others-kube-system-provisioning-config", 403),
                       ("kube-system-others-kubelet-bootstrap-config", 403), ("no-such-secret", 403)):
        path = f"/api/v1/namespaces/cloud-init-settings/secrets/{name}"
        t.equal(f"roles: {name}", site.api.decide("GET", path, user)[0], want)


def reboot(t, site, m):
    """The next boot finds its way without user-data, stages or network."""
    state = lambda: (m.read("/etc/ssh/ssh_host_ed25519_key.pub"), len(site.api.seen), len(site.mirror.seen))
    before, commands = state(), m.read(fleet.COMMANDS)
    m.path(KUBELET_SEEN).unlink()
    m.power_off()
    m.power_on()
    machine.wait_for(lambda: m.path(KUBELET_SEEN).exists(), 120, "the kubelet's start after a reboot")
    cloud_init_is_content(t, m, "second boot")
    t.equal("reboot: the services are back", m.run("systemctl", "is-active", "kubelet", "containerd").stdout, "active\nactive\n")
    # The bootcmd module is for every boot, by cloud-init's own rule; runcmd is not.
    more = m.read(fleet.COMMANDS).removeprefix(commands)
    t.check("reboot: no other command runs again", more in ("", f"{NAME} bootcmd\n"), more)
    t.equal("reboot: same host keys, nothing asked for", state(), before)
    t.equal("reboot: the host keeps its name", m.run("hostname").stdout.strip(), NAME)


def again(t, site, m, entries):
    """Both stages once more: what is in place is left alone. Then with a Secret that was tampered with: it shows."""
    fetched = len(site.mirror.seen)
    done = count(m, "setup", "setup: done")
    m.run("systemctl", "restart", "bootstrap", timeout=120)
    wait_in_journal(m, "setup", "setup: done", 240, times=done + 1)
    t.equal("again: nothing but indexes, keys and checksums is fetched",
            [path for path in site.mirror.seen[fetched:] if not re.search(r"/dists/|/gpg$|\.sha256$", path)], [])
    t.equal("again: the files are the same", differences(m, entries), [])

    secret = site.fleet.secret_object("workers-kube-system-provisioning-config")
    config = yaml.safe_load(base64.b64decode(secret["data"]["cloud-config"]))
    by_path = {entry["path"]: entry for entry in config["write_files"]}
    by_path["/etc/kubernetes/kubelet.conf"]["permissions"] = "0666"
    by_path["/etc/crictl.yaml"]["content"] = "runtime-endpoint: unix:///run/other.sock\n"
    by_path["/opt/disable-swap.sh"]["owner"] = "daemon:daemon"
    config["write_files"].remove(by_path["/etc/sysctl.d/k8s.conf"])
    config["runcmd"] = ["touch /var/log/tampered"]
    m.path("/etc/sysctl.d/k8s.conf").unlink()
    tampered = copy.deepcopy(secret)
    tampered["data"]["cloud-config"] = base64.b64encode(b"#cloud-config\n" + yaml.safe_dump(config).encode()).decode()
    site.api.objects[site.api.objects.index(secret)] = tampered
    m.run("systemctl", "restart", "bootstrap", timeout=120)
    t.check("tampered: its commands run", m.path("/var/log/tampered").exists(), m.journal("bootstrap")[-2000:])
    t.equal("tampered: what is wrong is told, and nothing else", sorted(differences(m, entries)), [
        "/etc/crictl.yaml: content", "/etc/kubernetes/kubelet.conf: mode 666 instead of 0600",
        "/etc/sysctl.d/k8s.conf: no such file", "/opt/disable-swap.sh: owner 1:1"])


def inside(made):
    # Machines, mounts and network end with this process however it ends; the scratch folder and cgroups need a regular end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    t = nodelib.Checks()
    with tempfile.TemporaryDirectory(prefix="boot-test-") as name:
        scratch = pathlib.Path(name)
        servers.run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", scratch)
        # The profile asks the routing table for the way to 192.0.2.1: give the machine an address there.
        for command in ("link set lo up", f"address add {ADDRESS}/24 dev lo"):
            servers.run("ip", *command.split())
        site = Site(scratch, made)
        try:
            user_data = nodelib.on_machine(site.fleet.secret("workers-kube-system-bootstrap-config")["cloud-config"], NAME)
            entries = nodelib.files(site.fleet.secret("workers-kube-system-provisioning-config")["cloud-config"])
            m = site.machine("node", user_data)
            site.mirror.forged = {KEY_PATH: site.keys[2].armored.encode(),
                                  f"/kubernetes/{KUBERNETES}/bin/linux/{site.arch}/kubelet": b"#!/bin/sh\nforged\n"}
            wrong, other = wrong_token(t, site, user_data)
            stage_1(t, site, m, other)
            turned_away(t, site, wrong, other)
            stage_2(t, site, m)
            node(t, site, m, entries)
            roles(t, site)
            reboot(t, site, m)
            again(t, site, m, entries)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            t.check("the way to its end", False, f"{type(error).__name__}: {error}")
        finally:
            site.close()
            servers.run("umount", "--recursive", scratch)
    t.finish()


if __name__ == "__main__":
    os.environ["PATH"] = machine.PATH  # root's, wherever this is started from
    if sys.argv[1:2] == ["--inside"]:
        inside(pathlib.Path(sys.argv[2]))
    else:
        outside()
