"""The way of one machine through both stages, to a node, and what comes after. It takes longer than it has to: whatever the
machine can get over goes wrong once."""

import base64
import copy
import re

import yaml

import addition
import fleet
import machine
import servers
from nodelib import in_order
from observe import (changes, differences, enabled, mark, missing_of, readable_by_all, slept, stored, wait_in_journal,
                     written)
from surroundings import (ADDRESS, API_PORT, CNI, CONFIG_MAPS, CRI_TOOLS, KEY_PATH, KUBECONFIG, KUBELET_SEEN, KUBERNETES,
                          MIRRORS, NAME, PROVISIONING, SECRETS, SITE)

FAILED = "supervise: '%s' failed"
# Units of the image that work with what the profile writes, or that give the machine its user-data.
OF_THE_SYSTEM = ("systemd-modules-load.service", "systemd-sysctl.service", "ssh.service", "cloud-*.service")


def away(t, site, m):
    """The API server is away for five minutes, by the reckoning of the machine, whose pauses pass faster."""
    m.power_on()
    machine.wait_for(lambda: slept(m) >= 300, 180, "five minutes to pass", m)
    said = m.journal("bootstrap")
    t.check("away: the machine says so and waits", "Failed to connect to api.example.test" in said, said[-2000:])
    t.check("away: its pauses grow to half a minute", 10 <= said.count(FAILED % "/opt/bin/bootstrap") <= 40, said[-2000:])
    t.equal("away: it has not given up", m.run("systemctl", "is-active", "bootstrap").stdout, "activating\n")


def stage_1(t, site, m):
    """The API server is a stranger's, another host's, of another time, overloaded, without the Secret; then it is well."""
    api, ca, failed = site.api, site.cluster_ca, FAILED % "/opt/bin/bootstrap"
    # A clock that is wrong sees a certificate that is right as these are: it is the certificate that is changed here.
    troubles = (
        ("wrong CA", site.stranger.issue("api.example.test"), "unable to get local issuer certificate"),
        ("wrong host", ca.issue("other.example.test"), "no alternative certificate subject name matches"),
        ("clock in the past", ca.issue("api.example.test", 700, 800), "certificate is not yet valid"),
        ("clock in the future", ca.issue("api.example.test", -800, -700), "certificate has expired"))
    for name, pair, words in troubles:
        before = mark(m, "bootstrap")
        if api.server:
            api.server.context.load_cert_chain(*pair)
        else:
            api.start(API_PORT, pair)
        wait_in_journal(m, "bootstrap", words, 60, since=before)
        if name.startswith("clock"):
            wait_in_journal(m, "bootstrap", failed, 60, since=before + m.journal("bootstrap")[before:].index(words))
            said = m.journal("bootstrap")[before:].partition(words)[2].partition(failed)[0]
            t.check(f"{name}: the machine says what its clock says", re.search(r"clock.* 20\d\d(-\d\d){2} \d\d:\d\d", said), said)
    t.equal("wrong CA, host, time: no token is sent, nothing is stored", [*api.seen, *stored(m)], [])
    before = mark(m, "bootstrap")
    user, paths = site.user("workers"), site.provisioning("workers")
    fetched, words_of_parts = [(PROVISIONING, 503), (PROVISIONING, 200)], []
    api.troubles = {PROVISIONING: [(503, {"kind": "Status"}), (200, {"kind": "Secret", "data": {}})]}
    right = ca.issue("api.example.test")
    if paths[1:]:
        words_of_parts, more = second_part_is_bad(site, paths[1], user)
        fetched += more
    api.server.context.load_cert_chain(*right)
    wait_in_journal(m, "bootstrap", f"no data[\"cloud-config\"] in {fleet.API}", 60, since=before)
    if paths[1:]:
        wait_in_journal(m, "bootstrap", words_of_parts[0], 60)
        api.start(API_PORT, right)
    wait_in_journal(m, "bootstrap", "bootstrap: done", 120)
    fetched += [(path, 200) for path in paths]
    t.equal("stage 1: its config is fetched with the pool's token", [entry for entry in api.seen if entry[2] == user][:len(fetched)],
            [("GET", path, user, status) for path, status in fetched])
    t.equal("stage 1: the console says what is wrong with the ConfigMap", [words for words in words_of_parts[1:]
                                                                          if f"error: {words}" not in m.console()], [])
    said = m.journal("bootstrap")
    t.equal("stage 1: in order", in_order(
        said, "bootstrap: installing curl and jq", "Failed to connect", failed, *(
            part for _, _, words in troubles for part in (words, failed)), "503", failed,
        'no data["cloud-config"] in https://api.example.test', failed, *(part for words in words_of_parts for part in (words, failed)),
        "bootstrap: applying bootcmd", "bootstrap: applying write_files",
        "bootstrap: applying runcmd", "bootstrap: applying scripts_user", "bootstrap: done"), None)
    t.equal("stage 1: the site's commands ran once each, in order, under the machine's name",
            m.read(fleet.COMMANDS).splitlines(), [f"{NAME} {word}" for word in ("bootcmd", "first", "second", "third")])
    machine.wait_for(lambda: m.run("systemctl", "is-active", "bootstrap").stdout == "inactive\n", 20, "stage 1 to end", m)
    t.equal("stage 1: the provisioning config is gone, its files are here", stored(m),
            ["/opt/bin/setup", "/var/lib/osm-node/bootstrap.done"])


def second_part_is_bad(site, path, user):
    """With `provisioning: split`: when the machine has the Secret, the API server stops. When it is back there is no ConfigMap at
    `path`, then another one, each until the console says so: every tenth attempt is there. What stage 1 says of these, and
    what it fetches, as (path, status)."""
    api, attempts = site.api, 10
    api.afterwards[PROVISIONING, user] = api.stop
    changed = copy.deepcopy(site.fleet.config_map("workers"))
    changed["data"]["config"] += "\n"
    api.troubles[path] = [(404, {"kind": "Status"})] * attempts + [(200, changed)] * attempts
    name, url = path.rsplit("/", 1)[1], f"cannot get {fleet.API}{path}"
    words = [f"{url}: the host does not take the connection", f"{url}: the API server answers 404",
             f"the ConfigMap {name} is not the one that {fleet.API}{PROVISIONING} names"]
    return words, [(PROVISIONING, 200), *[(PROVISIONING, 200), (path, 404)] * attempts, *[(PROVISIONING, 200), (path, 200)] * attempts]


def stage_2(t, site, m):
    """The mirror has a forged key, the disk is full, the power fails while dpkg is at work, the mirror has a forged kubelet;
    then all is well."""
    wait_in_journal(m, "setup", "holds key", 240)
    before = mark(m, "setup")
    m.fill_disk()
    try:
        wait_in_journal(m, "setup", "disk is full", 60, since=before)
    finally:
        m.free_disk()
    m.write(servers.SLOW_FLAG, "")
    del site.mirror.forged[KEY_PATH]
    states = lambda: m.run("dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", "containerd.io",
                           servers.SLOW).stdout
    machine.wait_for(lambda: states() == f"containerd.io unpacked\n{servers.SLOW} half-configured\n", 120,
                     "dpkg to be at work", m)
    m.kill()
    t.check("power cut: dpkg had not come to its end", list(m.path("/var/lib/dpkg/updates").iterdir()))
    m.path(servers.SLOW_FLAG).unlink()
    m.power_on()
    before = len(m.journal("setup"))
    wait_in_journal(m, "setup", "does not have the checksum", 240)
    t.check("forged kubelet: it is not installed", not m.path("/opt/bin/kubelet").exists(), m.read("/opt/bin/kubelet"))
    site.mirror.forged.clear()
    wait_in_journal(m, "setup", "setup: done", 120)
    said = m.journal("setup")
    t.check("power cut: no package manager refuses to work", "dpkg was interrupted" not in said, said[before:])
    t.equal("stage 2: in order", in_order(
        said, f"setup: reading {fleet.SETTINGS}", "setup: installing the host CA bundle", "1 added",
        "setup: installing packages", "Setting up conntrack", "setup: loading kernel modules", "ip_vs_sh is not available",
        f"setup: downloading {SITE}{KEY_PATH}", f"holds key {site.keys[2].fingerprint}, expected {site.keys[1].fingerprint}",
        "disk is full", f"setup: reading {fleet.SETTINGS}", f"setup: downloading {SITE}{KEY_PATH}",
        "setup: installing containerd.io=2.2*", "Setting up containerd.io (2.2.4-1)", "containerd.io set on hold",
        f"setup: downloading {SITE}/cni/{CNI}/", f"setup: downloading {SITE}/cri/{CRI_TOOLS}/",
        "/kubelet does not have the checksum", FAILED % "/opt/bin/setup",
        f"setup: downloading {SITE}/kubernetes/{KUBERNETES}/bin/linux/{site.arch}/kubelet",
        "setup: starting kubelet.service kubelet-healthcheck.service containerd-healthcheck.service",
        "setup: done; the kubelet takes over"), None)
    try:
        machine.wait_for(lambda: m.path(KUBELET_SEEN).exists(), 90, "the kubelet's start", m)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{m.journal('kubelet')[-3000:]}") from None


def node(t, site, m, entries):
    """The finished node."""
    token = site.fleet.node_token("workers")
    t.equal("files: each with its content, mode and owner", differences(m, entries), [])
    t.check("files: all of the profile's", len(entries) >= 20, list(entries))
    spec = site.fleet.system_config()["spec"]
    for kind in ("bootstrapConfig", "provisioningConfig"):
        t.equal(f"files: all that the OperatingSystemConfig lists in {kind}", missing_of(m, spec[kind]), [])
    units = ("kubelet", "containerd", "kubelet-healthcheck", "containerd-healthcheck", "bootstrap", "setup")
    t.equal("units: enabled as they must be", m.run("systemctl", "is-enabled", *units).stdout.split(),
            ["enabled"] * 4 + ["disabled"] * 2)
    t.check("units: both stages are done", all(m.path(f"/var/lib/osm-node/{unit}.done").exists() for unit in units[4:]))
    t.equal("units: running", m.run("systemctl", "is-active", *units[:4]).stdout.split(), ["active"] * 4)
    t.equal("units: none has failed of those that the profile, the extension or the site's commands are about",
            m.failed(*units, *addition.UNITS, *OF_THE_SYSTEM), [])
    shown = m.run("systemctl", "show", "containerd", "--property=Restart,LimitNOFILE,TasksMax").stdout.split()
    t.equal("units: containerd's drop-ins hold", sorted(shown), ["LimitNOFILE=1048576", "Restart=always", "TasksMax=infinity"])

    seen = yaml.safe_load(m.read(KUBELET_SEEN))
    t.equal("kubelet: its options", seen["options"], {
        "config": "/etc/kubernetes/kubelet.conf", "bootstrap-kubeconfig": "/etc/kubernetes/bootstrap-kubelet.conf",
        "kubeconfig": "/var/lib/kubelet/kubeconfig", "cert-dir": "/etc/kubernetes/pki", "hostname-override": NAME,
        "node-ip": ADDRESS, "config-dir": "/etc/kubernetes/kubelet.conf.d"})
    keys = ("clusterDNS", "maxPods", "cgroupDriver", "containerRuntimeEndpoint")
    t.equal("kubelet: its configuration", [seen["config"].get(key) for key in keys],
            [["10.96.0.10"], addition.MAX_PODS, "systemd", "unix:///run/containerd/containerd.sock"])
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
        ["bootstrap", "setup", "setup.env", "supervise.sh", "health-monitor.sh", "setup_net_env.sh", "kubelet", "kubectl", "crictl",
         "bridge", "host-local", "loopback", "portmap"]))
    t.equal("binaries: root's", {path.stat().st_uid for path in binaries}, {0})
    modes = {path.name: oct(path.stat().st_mode & 0o777) for path in binaries}
    t.equal("binaries: those with a token are for root alone", modes,
            {name: {"bootstrap": "0o700", "setup": "0o700", "setup.env": "0o600"}.get(name, "0o755") for name in modes})

    t.equal("host: its name", [m.run("hostname").stdout.strip(), m.read("/etc/hostname").strip()], [NAME, NAME])
    t.equal("host: kernel modules are asked for", set(m.read("/var/log/modules").split()),
            {"overlay", "br_netfilter", "nf_conntrack", "ip_vs", "ip_vs_rr", "ip_vs_wrr", "dummy"})
    wanted = dict(re.findall(r"(?m)^([a-z0-9_.-]+) = (\d+)$", entries["/etc/sysctl.d/k8s.conf"]["data"]))
    t.check("host: kernel settings are loaded", wanted and {key: m.kernel_setting(key) for key in wanted} == wanted,
            {key: (value, m.kernel_setting(key)) for key, value in wanted.items()})
    t.equal("host: swap stays off", m.read("/etc/fstab"),
            "tmpfs /media tmpfs noauto 0 0\n# /swap.img none swap sw 0 0\n# /old none swap sw 0 0\n")
    t.equal("host: containerd is held", m.run("apt-mark", "showhold").stdout, "containerd.io\n")
    t.equal("host: the site's CA is trusted", m.run("curl", "-fsS", "-o", "/dev/null", f"{SITE}/containerd/gpg").stderr, "")
    t.check("host: the user's key is in place", fleet.KEY in m.read("/home/debian/.ssh/authorized_keys"), "")

    t.equal("secrets: the token can be read by root alone", readable_by_all(m, token), [])
    names = lambda root: {path.name for path in (root / "etc/cloud/cloud.cfg.d").iterdir()}
    t.equal("secrets: cloud-init's configuration is the image's", names(m.root) - names(site.made / "root"),
            {machine.IMAGE_CONFIG})
    t.check("secrets: the token is not on the console", token.split(".")[1] not in m.console(), m.console())
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
    user = site.api.user("Bearer " + site.fleet.node_token("workers"))
    for path in site.provisioning("workers"):
        t.equal(f"roles: {path}", site.api.decide("GET", path, user)[0], 200)
    for path in (site.provisioning("others")[0], f"{SECRETS}kube-system-others-kubelet-bootstrap-config", f"{SECRETS}no-such-secret",
                 f"{CONFIG_MAPS}no-such-config-map"):
        t.equal(f"roles: {path}", site.api.decide("GET", path, user)[0], 403)


def reboot(t, site, m):
    """The next boot finds its way without user-data, stages or network."""
    state = lambda: (m.read("/etc/ssh/ssh_host_ed25519_key.pub"), 
                     [entry for entry in site.api.seen if "others" not in entry[1]], site.mirror.seen[MIRRORS])
    before, commands = copy.deepcopy(state()), m.read(fleet.COMMANDS)
    m.path(KUBELET_SEEN).unlink()
    m.power_off()
    m.power_on()
    machine.wait_for(lambda: m.path(KUBELET_SEEN).exists(), 120, "the kubelet's start after a reboot", m)
    cloud_init_is_content(t, m, "second boot")
    t.equal("reboot: the services are back", m.run("systemctl", "is-active", "kubelet", "containerd").stdout, "active\nactive\n")
    # cloud-init's bootcmd module is for every boot, but the config that had the commands is gone.
    more = m.read(fleet.COMMANDS).removeprefix(commands)
    t.equal("reboot: no command runs again, not even a bootcmd", more, "")
    t.equal("reboot: same host keys, nothing asked for", state(), before)
    t.equal("reboot: the host keeps its name", m.run("hostname").stdout.strip(), NAME)


def again(t, site, m, entries):
    """Both stages once more: what is in place is left alone."""
    fetched, said = len(site.mirror.seen[MIRRORS]), mark(m, "setup")

    def state():
        """What is written, once no service is about to replace a file of its own."""
        def settled():
            try:
                files = written(m, "/etc", "/opt", "/usr", "/home", "/root")
            except FileNotFoundError:
                return None
            return None if any(path.endswith(".part") for path in files) else files
        return machine.wait_for(settled, 60, "files that are written to the end", m)

    before, units = state(), enabled(m)
    m.run("systemctl", "restart", "bootstrap")
    wait_in_journal(m, "setup", "setup: done", 240, since=said)
    t.equal("again: nothing but indexes, keys and checksums is fetched",
            [path for path in site.mirror.seen[MIRRORS][fetched:] if not re.search(r"/dists/|/gpg$|\.sha256$", path)], [])
    t.equal("again: every file is what it was", changes(before, state()), [])
    t.equal("again: units are enabled as they were", enabled(m), units)
    t.equal("again: the files are the profile's", differences(m, entries), [])


def tampered(t, site, m, entries):
    """Stage 1 with a whole Secret that was tampered with: it shows."""
    secret = site.fleet.secret_object("workers-kube-system-provisioning-config")
    config = yaml.safe_load(site.fleet.whole("workers"))
    by_path = {entry["path"]: entry for entry in config["write_files"]}
    by_path["/etc/kubernetes/kubelet.conf"]["permissions"] = "0666"
    by_path["/etc/crictl.yaml"]["content"] = "runtime-endpoint: unix:///run/other.sock\n"
    by_path["/opt/disable-swap.sh"]["owner"] = "daemon:daemon"
    config["write_files"].remove(by_path["/etc/sysctl.d/k8s.conf"])
    config["runcmd"] = ["touch /var/log/tampered"]
    m.path("/etc/sysctl.d/k8s.conf").unlink()
    forged = copy.deepcopy(secret)
    forged["data"]["cloud-config"] = base64.b64encode(b"#cloud-config\n" + yaml.safe_dump(config).encode()).decode()
    site.api.objects[site.api.objects.index(secret)] = forged
    m.run("systemctl", "restart", "bootstrap")
    t.check("tampered: its commands run", m.path("/var/log/tampered").exists(), m.journal("bootstrap")[-2000:])
    t.equal("tampered: what is wrong is reported, and nothing else", sorted(differences(m, entries)), [
        "/etc/crictl.yaml: content", "/etc/kubernetes/kubelet.conf: mode 666 instead of 0600",
        "/etc/sysctl.d/k8s.conf: no such file", "/opt/disable-swap.sh: owner 1:1"])


