"""Runs the scripts of the profiles on machines in folders (sandbox.py): against an API server that answers wrongly, mirrors
that forge, a machine without an address. Where the system allows it, the bootstrap script also runs as it is, with real
cloud-init, in a mount namespace of its own."""

import os
import re
import shutil
import tarfile

import image
import nodelib
import sandbox
import systems

NEW_CONFIG = """#cloud-config

ssh_pwauth: false

write_files:
- path: '/opt/new/file'
  permissions: '0640'
  content: |-
    from the provisioning config
- path: '/opt/bin/setup'
  permissions: '0700'
  content: |-
    #!/bin/sh
- path: '/etc/systemd/system/setup.service'
  permissions: '0644'
  content: |-
    [Unit]

runcmd:
- touch /opt/new/runcmd
"""


def test_supervise(t, m):
    m.stub("flaky", f'echo x >>{m.root}/tries\n[ "$(wc -l <{m.root}/tries)" -ge 3 ]\n')
    result = m.run(m.path("/opt/bin/supervise.sh"), "flaky", "a b")
    t.equal("supervise: runs until it succeeds", (result.returncode, m.calls().count("flaky a b")), (0, 3))
    t.equal("supervise: waits longer each time", [c for c in m.calls() if "sleep" in c], ["sleep 1", "sleep 2"])
    t.check("supervise: says what failed", "'flaky a b' failed with status 1" in result.stderr, result.stderr)
    t.check("supervise: leaves a mark of the success", m.path("/var/lib/osm-node/flaky.done").exists(), result)


def test_giving_up(t, m):
    """How long a stage is tried again, and what is said when that was in vain."""
    script = m.path("/opt/bin/supervise.sh")
    token, jwt = "abcdef.0123456789abcdef", "eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl"
    # The console, and the list of those that there are.
    m.write("/opt/bin/supervise.sh", script.read_text().replace("/dev/$console", f"{m.root}/dev/$console").replace(
        "/sys/class/tty", f"{m.root}/tty"), 0o755)
    m.write("/tty/console/active", "ttyS0 tty0\n")
    m.write("/dev/ttyS0", "")
    m.write("/dev/console", "")
    m.stub("journalctl", f"""
grep '^supervise: ' {m.journal}
echo "hopeless: error: the mirror https://user:pa55word@mirror.example.test/ is away, token {token}"
echo "a program printed {jwt}"
""")
    done, report, console = m.path("/var/lib/osm-node/hopeless.done"), m.path("/var/log/osm-node-hopeless.log"), m.path("/dev/ttyS0")
    report.parent.mkdir(exist_ok=True)
    for status, attempts in ((1, 120), (77, 20), (78, 1)):
        m.write("/dev/ttyS0", "")
        done.parent.mkdir(exist_ok=True)
        done.touch()
        m.stub("hopeless", f"exit {status}\n")
        result = m.run(script, "hopeless")
        name = f"giving up: status {status}"
        t.equal(f"{name}: attempts", (result.returncode, m.calls().count("hopeless ")), (status, attempts))
        t.check(f"{name}: no mark of success stays", not done.exists(), done)
        pauses = [int(call.split()[1]) for call in m.calls() if call.startswith("sleep")]
        t.equal(f"{name}: slower and slower, to 30 s", pauses, [min(n, 30) for n in range(1, attempts)])
        said = report.read_text()
        t.check(f"{name}: the report begins with the cause", said.startswith(
            f"osm-node: this machine does not become a node, after {attempts} attempts: hopeless: error: the mirror "
            "https://<password>@mirror.example.test/ is away, token <token>\n"), said)
        t.check(f"{name}: the console has the report", console.read_text().endswith(said), console.read_text())
        t.check(f"{name}: and so has the other", m.path("/dev/console").read_text().endswith(said), said)
        t.equal(f"{name}: a line on the console every ten attempts",
                console.read_text().count("osm-node: attempt "), (attempts - 1) // 10)
        t.equal(f"{name}: no token, no password", [secret for secret in (token, jwt, "pa55word")
                                                  if secret in said + console.read_text()], [])
        t.equal(f"{name}: the report is for root", oct(report.stat().st_mode & 0o777), "0o600")
    m.stub("journalctl")
    m.write("/dev/console", "")
    console.unlink()
    m.run(script, "hopeless")
    t.check("giving up: /dev/console where there is no other, and the status without a cause",
            "(status 78)" in m.path("/dev/console").read_text(), m.path("/dev/console"))
    t.equal("giving up: a journal without the attempt is read again for ten seconds",
            [call for call in m.calls() if call.startswith("sleep")], ["sleep 0.5"] * 20)


def test_lagging_journal(t, m):
    """The journal has what an attempt printed only when it is read for the third time."""
    report = m.path("/var/log/osm-node-late.log")
    report.parent.mkdir(exist_ok=True)
    m.stub("late", 'echo "late: error: the cause" >&2\nexit 78\n')
    m.stub("journalctl", f"""echo x >>{m.root}/looks
[ "$(wc -l <{m.root}/looks)" -lt 3 ] || cat {m.journal}
""")
    m.run(m.path("/opt/bin/supervise.sh"), "late")
    t.check("a lagging journal: the report has the cause", report.read_text().startswith(
        "osm-node: this machine does not become a node, after 1 attempts: late: error: the cause\nlate: error: the cause\n"),
        report.read_text())
    t.equal("a lagging journal: is waited for", [c for c in m.calls() if c.startswith("sleep")], ["sleep 0.5"] * 2)
    m.stub("journalctl", f"cat '{m.journal}'\n")


def test_bootstrap(t, m, api):
    system = f"bootstrap: {m.profile.key}"
    script, config = m.path("/opt/bin/bootstrap"), next(iter(
        re.findall(r"readonly config='(.*)'", m.path("/opt/bin/bootstrap").read_text())))
    stored = lambda: [path for folder in ("/etc/cloud", "/run") for path in m.path(folder).rglob("*.cfg")]
    m.stub("cloud-init", f'[ "$2" = --help ] || cat "{config}" >{m.root}/applied\n')
    for name, status, body in (("404", 404, {"kind": "Status", "code": 404}), ("no data", 200, {"data": None}),
                               ("no such key", 200, sandbox.secret(other="x")), ("not a cloud-config", 200, sandbox.secret(cloud_config="null")),
                               ("not base64", 200, {"data": {"cloud-config": "%%%"}})):
        api.answers = [(status, body)]
        result = m.run(script)
        t.check(f"{system}: {name} is an error", result.returncode != 0 and "bootstrap: error:" in result.stderr, result)
        t.equal(f"{system}: {name} stores nothing", stored(), [])
        t.check(f"{system}: {name} applies nothing", not [c for c in m.calls() if c.startswith("cloud-init")], m.calls())
    for status in (401, 403, 503):
        api.answers = [(status, {"kind": "Status", "code": status})]
        result = m.run(script)
        t.equal(f"{system}: {status}: from the status supervise.sh knows how long to try", result.returncode, 77 if status == 401 else 1)
        t.check(f"{system}: {status} is reported", f"({status})" in result.stderr or f"answers {status}" in result.stderr, result)

    api.answers = [(404, {}), (200, {"data": {}}), (200, sandbox.secret(cloud_config=NEW_CONFIG))]
    api.seen.clear()
    m.write("/etc/machine-name", "worker-1\n")
    result = m.run(m.path("/opt/bin/supervise.sh"), script)
    t.equal(f"{system}: tries again until the answer is good", (result.returncode, len(api.seen)), (0, 3))
    t.check(f"{system}: sends the token", len({a for _, a in api.seen}) == 1 and api.seen[0][1].startswith("Bearer "), api.seen)
    t.check(f"{system}: asks for the provisioning Secret", api.seen[0][0].endswith("-provisioning-config"), api.seen)
    t.equal(f"{system}: gives the config to cloud-init", m.path("/applied").read_text(), NEW_CONFIG)
    t.equal(f"{system}: and keeps nothing of it", stored(), [])
    t.equal(f"{system}: its folder is root's alone", oct(m.path("/run/osm-node").stat().st_mode & 0o777), "0o700")
    calls = [c for c in m.calls() if not c.startswith("sleep") and c != "cloud-init single --help"]
    last = calls[len(calls) - calls[::-1].index("systemctl enable bootstrap.service"):]
    t.equal(f"{system}: applies it and starts stage 2", last,
            ["hostnamectl set-hostname worker-1"] + [f"cloud-init --file {config} single --name {module} --frequency always"
               for module in ("write_files", "runcmd", "scripts_user")]
            + ["systemctl daemon-reload", "systemctl enable setup.service", "systemctl restart --no-block setup.service",
               "systemctl disable bootstrap.service"])

    m.stub("cloud-init", '[ "$2" != --help ] || echo "usage: cloud-init single [-h] --name NAME [--file FILES]"\n')
    m.run(script)
    t.equal(f"{system}: where the option belongs to the subcommand", [c for c in m.calls() if "--file" in c],
            [f"cloud-init single --file {config} --name {module} --frequency always"
             for module in ("write_files", "runcmd", "scripts_user")])
    unit = m.path("/etc/systemd/system/setup.service")
    unit.rename(unit.with_suffix(".gone"))
    result = m.run(script)
    t.check(f"{system}: a config that makes no stage 2 is an error", result.returncode != 0 and
            "no stage 2" in result.stderr and "systemctl enable setup.service" not in m.calls(), result)
    unit.with_suffix(".gone").rename(unit)
    m.stub("cloud-init", "exit 1\n")
    result = m.run(script)
    t.check(f"{system}: a failing module is an error", result.returncode != 0 and
            "systemctl restart --no-block setup.service" not in m.calls(), result)
    m.stub("cloud-init")

    trusted = m.path("/etc/kubernetes/pki/ca.crt").read_text()
    (m.root / "stranger").mkdir()
    stranger, _ = nodelib.certificate(m.root / "stranger")
    m.write("/etc/kubernetes/pki/ca.crt", stranger.read_text())
    api.seen.clear()
    result = m.run(script)
    t.check(f"{system}: sends no token to a server it does not know", result.returncode != 0 and not api.seen, (result, api.seen))
    t.check(f"{system}: a certificate that is not valid may be the clock's fault", "whose clock says 20" in result.stderr, result)
    m.write("/etc/kubernetes/pki/ca.crt", trusted)


def test_proxy(t, m, api):
    api.answers = [(200, sandbox.secret(cloud_config=NEW_CONFIG))]
    m.write("/etc/environment", 'PATH="/usr/bin"\nHTTP_PROXY=http://old:1\n')
    if m.profile.os != "ubuntu":
        m.write(m.profile.proxy_file, "[main]\ngpgcheck=1\nproxy=http://old:1\n")
    for _ in range(2):
        # The server of this test is not behind the proxy.
        m.run(m.path("/opt/bin/bootstrap"))
    lines = m.path("/etc/environment").read_text().splitlines()
    want = ['PATH="/usr/bin"']
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        want += [f"{n}=http://proxy.example.test:3128" for n in (name, name.lower())]
    want += [f"{n}=.svc,.cluster.local,10.0.0.0/8" for n in ("NO_PROXY", "no_proxy")]
    t.equal(f"proxy: {m.profile.key}: in the environment, once", sorted(lines), sorted(want))
    text = m.path(m.profile.proxy_file).read_text()
    if m.profile.os == "ubuntu":
        t.equal("proxy: for apt", text.count("http://proxy.example.test:3128"), 2)
    else:
        t.equal(f"proxy: {m.profile.key}: for the package manager, once", text,
                "[main]\nproxy=http://proxy.example.test:3128\ngpgcheck=1\n")
    t.equal(f"proxy: {m.profile.key}: registers the machine", "cloud-init single --name rh_subscription --frequency always"
            in m.calls(), m.profile.os == "rhel")
    t.equal(f"proxy: {m.profile.key}: installs nothing that is there", [c for c in m.calls() if "install" in c], [])


def test_settings(t, m):
    own = list(m.profile.settings)
    first = f"{own[0]}=https://mirror/docker\n" if own else ""
    show = "read_settings; default_settings; printf '%s\\n' " + " ".join(f'"${name}"' for name in [
        "CNI_VERSION", "KUBE_BINARIES_URL", "CRI_TOOLS_URL", "KUBE_VERSION", "CONTAINERD_PACKAGE"] + own)
    m.write("/etc/default/osm-node", "# comment\nCNI_VERSION=v9.9.9\nKUBE_BINARIES_URL=\"https://mirror/kube\"\n"
            f"CRI_TOOLS_URL=$(touch hacked)\n{first}lower=1\nKUBE_VERSION=v1.0.0")
    result = m.call_function(show, KUBE_VERSION="v2.0.0")
    key = ["https://mirror/docker/gpg", m.profile.settings[own[2]]] if len(own) > 1 else []
    t.equal(f"settings: {m.profile.key}: environment, file, default", result.stdout.splitlines(),
            ["v9.9.9", "https://mirror/kube", "$(touch hacked)", "v2.0.0", m.profile.containerd, *["https://mirror/docker"][:len(own)], *key])
    m.path("/etc/default/osm-node").unlink()
    result = m.call_function(show)
    t.equal(f"settings: {m.profile.key}: defaults", result.stdout.splitlines(),
            [m.profile.cni, "https://dl.k8s.io/release", "https://github.com/kubernetes-sigs/cri-tools/releases/download",
             "v1.35.1", m.profile.containerd] + list(m.profile.settings.values()))


def test_downloads(t, m):
    mirror = m.root / "mirror"
    folder = mirror / "v1.35.1/bin/linux/amd64"
    folder.mkdir(parents=True)
    kubelet = folder / "kubelet"
    kubelet.write_bytes(b"#!/bin/sh\necho kubelet\n")
    published = folder / "kubelet.sha256"
    settings = {"KUBE_BINARIES_URL": f"file://{mirror}", "KUBE_VERSION": "v1.35.1"}
    install = "default_settings; install_kubernetes_binary kubelet"
    installed = m.path("/opt/bin/kubelet")

    published.write_text("0" * 64)
    result = m.call_function(install, **settings)
    t.check("download: a forged binary is refused", result.returncode != 0 and "does not have the checksum" in result.stderr
            and not installed.exists(), result)
    published.write_text("<html>not found</html>")
    result = m.call_function(install, **settings)
    t.check("download: a checksum that is none is refused", result.returncode != 0 and not installed.exists(), result)
    for name, text in (("bare", sandbox.sha256(kubelet.read_bytes())), ("with a name", sandbox.sha256(kubelet.read_bytes()) + "  kubelet\n")):
        published.write_text(text)
        installed.unlink(missing_ok=True)
        result = m.call_function(install, **settings)
        t.check(f"download: checksum {name}", result.returncode == 0 and os.access(installed, os.X_OK), result)
    kubelet.rename(folder / "gone")
    result = m.call_function(install, **settings)
    t.check("download: none when the file is in place", result.returncode == 0 and "is in place" in result.stderr, result)
    installed.write_text("damaged")
    result = m.call_function(install, **settings)
    t.check("download: a damaged file is noticed", result.returncode != 0, result)

    name = f"cni-plugins-linux-amd64-{m.profile.cni}.tgz"
    result = m.call_function(f"default_settings; expected_sha256 {name} file:///nowhere")
    t.equal("checksum: pinned, whatever the mirror says", result.stdout.strip(),
            m.profile.cni_sum)
    m.write("/sums", f"{'a' * 64}  other\n{'b' * 64} *{name}\n")
    result = m.call_function(f"default_settings; expected_sha256 {name} file:///nowhere", CHECKSUMS_FILE=str(m.path("/sums")))
    t.equal("checksum: the operator's wins", result.stdout.strip(), "b" * 64)

    content = m.root / "bridge"
    content.write_text("plugin")
    archive = mirror / "v9/cni-plugins-linux-amd64-v9.tgz"
    archive.parent.mkdir()
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(content, arcname="bridge")
    unpack = f"default_settings; install_archive cni-plugins {archive.name} file://{archive} {m.path('/opt/cni/bin')}"
    archive.with_suffix(".tgz.sha256").write_text(f"{sandbox.sha256(archive.read_bytes())}  {archive.name}\n")
    result = m.call_function(unpack)
    t.check("archive: unpacked", result.returncode == 0 and m.path("/opt/cni/bin/bridge").exists(), result)
    result = m.call_function(unpack)
    t.check("archive: once", "is in place" in result.stderr, result)
    plugin = m.path("/opt/cni/bin/bridge")
    for how, change in (("is gone", plugin.unlink), ("is damaged", lambda: plugin.write_text("other"))):
        change()
        result = m.call_function(unpack)
        t.check(f"archive: again when a file {how}", result.returncode == 0 and plugin.read_text() == "plugin", result)
    content.write_text("plugin of v8")
    older = archive.parent / "cni-plugins-linux-amd64-v8.tgz"
    with tarfile.open(older, "w:gz") as tar:
        tar.add(content, arcname="bridge")
    older.with_suffix(".tgz.sha256").write_text(sandbox.sha256(older.read_bytes()))
    m.call_function(unpack.replace(archive.name, older.name))
    t.equal("archive: another version", plugin.read_text(), "plugin of v8")
    m.call_function(unpack)
    t.equal("archive: and back", plugin.read_text(), "plugin")
    archive.write_bytes(b"forged")
    archive.with_suffix(".tgz.sha256").write_text("c" * 64)
    result = m.call_function(unpack)
    t.check("archive: a forged one is refused", result.returncode != 0 and
            m.path("/opt/cni/bin/bridge").read_text() == "plugin", result)
    t.equal("scratch folders are gone", list(m.path("/var/tmp").iterdir()), [])


def test_disk(t, m):
    """A full disk is called by its name."""
    m.stub("df", "printf 'Avail\\n99999999\\n512\\n'\n")
    result = m.call_function("die something")
    t.check("disk: a full one is reported last", result.stderr.splitlines()[-1].endswith("error: the disk is full: 512 KiB left"), result)
    result = m.call_function("true")
    t.check("disk: but not after a success", "full" not in result.stderr, result)
    (m.bin / "df").unlink()


HOST_CA_FOLDERS = {"ubuntu": "/usr/local/share/ca-certificates", "flatcar": "/etc/ssl/certs"}


def test_host_ca(t, m, bundle):
    """`m` is of the variant that has a bundle."""
    folder = m.path(HOST_CA_FOLDERS.get(m.profile.os, "/etc/pki/ca-trust/source/anchors"))
    folder.mkdir(parents=True)
    for _ in range(2):
        result = m.call_function("install_host_ca")
    t.equal(f"host CA: {m.profile.key}: is installed, once", [path.read_text().strip() for path in folder.iterdir()], [bundle])
    t.equal(f"host CA: {m.profile.key}: is made known", (result.returncode, [c.strip() for c in m.calls()][1:]),
            (0, [m.profile.ca_command]))


def test_kubeconfig(t, m, api):
    target = m.path("/etc/kubernetes/bootstrap-kubelet.conf")
    own = "/var/lib/kubelet/kubeconfig"
    for name, status, body in (("404", 404, {}), ("no key", 200, {"data": {}}), ("no kubeconfig", 200, sandbox.secret(kubeconfig="null"))):
        api.answers = [(status, body)]
        result = m.call_function("fetch_bootstrap_kubeconfig")
        t.check(f"kubeconfig: {name} is an error and stores nothing", result.returncode != 0 and not target.exists(), result)
    m.write(own, "x")
    api.answers = [(404, {})]
    t.equal("kubeconfig: a node that has joined does without", m.call_function("fetch_bootstrap_kubeconfig").returncode, 0)
    m.path(own).unlink()
    api.answers = [(200, sandbox.secret(kubeconfig="apiVersion: v1\nkind: Config\n"))]
    result = m.call_function("fetch_bootstrap_kubeconfig")
    t.check("kubeconfig: stored for root only", result.returncode == 0 and
            oct(target.stat().st_mode & 0o777) == "0o600" and "kind: Config" in target.read_text(), result)


def test_setup(t, m, api):
    """The whole of stage 2, from mirrors named in the settings file, twice."""
    package = m.profile.containerd.removesuffix("*") + ".1-1"
    origin = "".join(f"{name}=none\n" for name in list(m.profile.settings)[:1])
    m.write("/etc/default/osm-node", f"{origin}CONTAINERD_PACKAGE={package}\n" + sandbox.mirror_binaries(m))
    m.write("/etc/fstab", "LABEL=root / ext4 defaults 0 1\n/swap.img none swap sw 0 0\n")
    m.path("/usr/local/bin").mkdir(parents=True, exist_ok=True)
    open_up = [] if m.profile.os == "ubuntu" else ["setenforce 0"]
    open_up += [f"systemctl {verb} {unit}.service" for unit in ("ufw", "firewalld") for verb in ("stop", "mask")]
    m.path("/opt/bin/kubelet").unlink(missing_ok=True)
    api.answers = [(200, sandbox.secret(kubeconfig="apiVersion: v1\nkind: Config\n"))]
    for round_ in ("first", "second"):
        result = m.run(m.path("/opt/bin/setup"))
        calls = m.calls()
        t.check(f"setup: {m.profile.key}: {round_} run succeeds", result.returncode == 0, result.stderr)
        units = "kubelet.service kubelet-healthcheck.service containerd-healthcheck.service"
        wanted = open_up + [
            "modprobe --all overlay br_netfilter nf_conntrack", "swapoff --all", f"{m.profile.install} {package}", m.profile.lock,
            "systemctl restart containerd.service", f"systemctl restart --no-block {units}",
            "systemctl disable setup.service"]
        t.equal(f"setup: {m.profile.key}: {round_} run does it all, in order", [c for c in calls if c in wanted], wanted)
    t.equal(f"setup: {m.profile.key}: kubelet is there", m.path("/opt/bin/kubelet").read_text(), "kubelet")
    t.equal(f"setup: {m.profile.key}: swap stays off", m.path("/etc/fstab").read_text(),
            "LABEL=root / ext4 defaults 0 1\n# /swap.img none swap sw 0 0\n")
    t.check(f"setup: {m.profile.key}: nothing is downloaded twice", "downloading" not in result.stderr, result.stderr)


def test_addresses(t, machines):
    """Names and addresses by IP family, and the wait for an address that never comes."""
    ip = 'case "$1" in -4) a=192.0.2.10 ;; -6) a=2001:db8::10 ;; esac\necho "$4 via x dev eth0 src $a uid 0 \\\\    cache"\n'
    four, six = "192.0.2.10", "2001:db8::10"
    for variant, want in (("plain", four), ("dual", f"{four},{six}"), ("external", six), ("full", f"{six},{four}")):
        m = machines(variant)
        m.stub("ip", ip)
        m.write("/etc/machine-name", "Worker-1\n")
        result = m.run(m.path("/opt/bin/setup_net_env.sh"))
        have = m.path("/etc/kubernetes/nodeip.conf")
        t.equal(f"addresses: {variant}", have.read_text() if have.exists() else result,
                f"KUBELET_NODE_IP={want}\nKUBELET_HOSTNAME=worker-1\n")
    m.stub("ip", 'echo "RTNETLINK answers: Network is unreachable" >&2; exit 2\n')
    m.path("/etc/kubernetes/nodeip.conf").unlink(missing_ok=True)
    result = m.run(m.path("/opt/bin/setup_net_env.sh"))
    t.check("addresses: none is an error, after a while", result.returncode != 0 and m.calls().count("sleep 2") == 30
            and not m.path("/etc/kubernetes/nodeip.conf").exists(), result)


def test_name(t, m):
    """A node on AWS is named by the platform, and keeps its name once a certificate bears it. `m` is one of AWS."""
    key = f"name: {m.profile.key}"
    m.stub("ip", 'echo "x via x dev eth0 src 192.0.2.10 uid 0"\n')
    m.stub("hostname", '[ "$1" = --fqdn ] && echo IP-10-0-0-1.of.the.resolver || echo ip-10-0-0-1\n')
    environment = m.path("/etc/kubernetes/nodeip.conf")
    environment.unlink(missing_ok=True)
    script = m.path("/opt/bin/setup_net_env.sh")

    def name():
        m.run(script)
        return environment.read_text().splitlines()[1].removeprefix("KUBELET_HOSTNAME=")

    m.stub("curl", "exit 28\n")
    t.equal(f"{key}: without a metadata service", name(), "ip-10-0-0-1.of.the.resolver")
    m.stub("curl", """
case "$*" in
*"X-aws-ec2-metadata-token-ttl-seconds: 60"*--request*PUT*|*--request*PUT*"X-aws-ec2-metadata-token-ttl-seconds: 60"*) echo secret ;;
*"X-aws-ec2-metadata-token: secret"*/local-hostname) echo "ip-10-0-0-1.eu.compute.internal corp.example.test" ;;
*) exit 22 ;;
esac
""")
    t.equal(f"{key}: the metadata service's", name(), "ip-10-0-0-1.eu.compute.internal")
    m.stub("curl", "exit 28\n")
    m.stub("hostname", '[ "$1" != --fqdn ] && echo ip-10-0-0-1\n')
    m.write("/var/lib/kubelet/kubeconfig", "x")
    t.equal(f"{key}: a node that has joined keeps its name", name(), "ip-10-0-0-1.eu.compute.internal")
    m.path("/var/lib/kubelet/kubeconfig").unlink()
    t.equal(f"{key}: one that has not does without the resolver", name(), "ip-10-0-0-1")
    m.write("/etc/machine-name", "Worker-1\n")
    t.equal(f"{key}: the machine's own", name(), "worker-1")


def test_health_monitor(t, m):
    monitor = m.path("/opt/bin/health-monitor.sh")
    m.stub("curl", "exit 22\n")
    m.write("/opt/bin/crictl", "#!/bin/sh\nexit 0\n", 0o755)
    m.stub("sleep", '[ "$(grep -c "^sleep 15" "$CALLS")" -le 6 ]\n')
    m.run(monitor, "kubelet")
    t.equal("health monitor: restarts what does not answer", m.calls().count("systemctl restart kubelet.service"), 1)
    m.run(monitor, "container-runtime")
    t.check("health monitor: leaves alone what does", not [c for c in m.calls() if "restart" in c], m.calls())
    m.stub("systemctl", 'case "$*" in *is-active*) exit 3 ;; esac\n')
    m.run(monitor, "kubelet")
    t.check("health monitor: leaves alone what was stopped", not [c for c in m.calls() if "restart" in c], m.calls())
    m.stub("systemctl")
    for status in (126, 127):
        m.stub("timeout", f"exit {status}\n")
        m.stub("sleep", '[ "$(grep -c "^sleep" "$CALLS")" -le 12 ]\n')
        result = m.run(monitor, "container-runtime")
        t.check(f"health monitor: a crictl that cannot be run ({status}) is not the runtime's fault",
                not [c for c in m.calls() if "restart" in c] and f"status {status}" in result.stdout, (result, m.calls()))
    t.equal("health monitor: usage", m.run(monitor, "other").returncode, 64)


def test_cloud_init(t, m, api, fleet, case, age, made):
    """The bootstrap script as it is, with real cloud-init, in mount and user namespaces of its own: with this system's
    cloud-init, or with that of another age in its own root, which gets curl and jq."""
    inside = m.root / "inside.sh"
    user_data = nodelib.on_machine(fleet.user_data(case, "plain", "bootstrap")).replace("/etc/machine-name", "/opt/machine-name")
    entries = nodelib.files(user_data)
    m.write("/user-data", user_data + "\n- touch /opt/runcmd-of-the-user-data\n")
    m.write("/script", sandbox.SECRET_URL.sub(api.url, entries["/opt/bin/bootstrap"]["data"])
            .replace("/etc/kubernetes/pki/ca.crt", str(fleet.ca)), 0o755)
    m.write("/prepare.py", "import sys\nsys.argv = ['cloud-init']\nfrom cloudinit import sources, stages\n"
            "init = stages.Init(ds_deps=[sources.DEP_FILESYSTEM])\ninit.read_cfg()\ninit.initialize()\n"
            "init.fetch(existing='check')\ninit.instancify()\ninit.setup_datasource()\ninit.update()\n"
            "init.consume_data('once-per-instance')\n")
    (m.root / "own-etc").mkdir()
    inside.write_text(f"""set -eu
for deb in {m.root}/debs/*.deb; do if [ -e "$deb" ]; then dpkg-deb --extract "$deb" /; fi; done
cp -r --preserve=mode /etc/. {m.root}/own-etc 2>/dev/null || : # some of it is for root alone
mount --bind {m.root}/own-etc /etc
for folder in /var/lib /var/log /run /opt /etc/systemd/system; do mount -t tmpfs tmpfs "$folder"; done
echo 'datasource_list: [NoCloud, None]' >/etc/cloud/cloud.cfg.d/99-test.cfg
mkdir -p /var/lib/cloud/seed/nocloud
echo 'instance-id: i-1' >/var/lib/cloud/seed/nocloud/meta-data
cp {m.root}/user-data /var/lib/cloud/seed/nocloud/user-data
/usr/bin/python3 {m.root}/prepare.py
export PATH={m.root}/stubs:$PATH
{m.root}/script
ls -l /opt/new
cat /opt/new/file
ls /opt
""")
    (m.bin / "cloud-init").unlink(missing_ok=True)
    api.answers = [(200, sandbox.secret(cloud_config=NEW_CONFIG))]
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if m.run(*unshare, "mount", "-t", "tmpfs", "tmpfs", "/opt").returncode != 0:
        t.skip(f"real cloud-init {age.cloud_init}", "mount namespaces are not allowed here")
        return
    command = ["bash", inside]
    if made:
        shutil.copytree(made / "debs", m.root / "debs")
        command = image.inside(made, fleet.scratch, *command)
    result = m.run(*unshare, *command)
    name = f"cloud-init {age.cloud_init}"
    t.check(f"{name}: the script succeeds", result.returncode == 0, result.stderr)
    t.check(f"{name}: writes the files of the provisioning config", "from the provisioning config" in result.stdout
            and "-rw-r-----" in result.stdout, result.stdout + result.stderr)
    t.check(f"{name}: runs its runcmd", " runcmd" in result.stdout, result.stdout)
    t.check(f"{name}: does not run the user-data again", "machine-name" not in result.stdout
            and "runcmd-of-the-user-data" not in result.stdout, result.stdout)


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    if not shutil.which("jq") or not shutil.which("curl"):
        t.skip("scripts", "curl or jq is not installed")
        t.check("curl and jq are installed", False)
        t.finish()
    api = sandbox.ApiServer(scratch, fleet.ca, fleet.ca_key)

    def machine(profile, variant, suffix=""):
        return sandbox.Machine(scratch / f"machine-{profile.key}-{variant}{suffix}", fleet, profile, variant, api.url)

    # flatcar.py tests Flatcar's.
    for profile in (profile for profile in nodelib.PROFILES if profile.os != "flatcar"):
        plain, full = machine(profile, "plain"), machine(profile, "full")
        test_bootstrap(t, plain, api)
        test_proxy(t, full, api)
        test_host_ca(t, full, fleet.ca.read_text().strip())
        test_settings(t, plain)
        test_downloads(t, plain)
        if len(profile.settings) > 1:
            systems.test_key(t, plain)
        if profile.key == "amzn2":
            systems.test_amazon(t, plain)
        if profile.key in ("rockylinux", "rhel"):
            systems.test_kernel_modules(t, plain)
        test_name(t, sandbox.Machine(scratch / f"machine-{profile.key}-aws", fleet, profile, "plain", api.url, "aws"))
        if profile.os == "ubuntu":
            systems.test_grub(t, plain)
        else:
            systems.test_selinux(t, plain)
        systems.test_architecture(t, plain)
        systems.test_repair(t, plain)
        systems.test_containerd(t, plain)
        test_setup(t, plain, api)
    # What follows is the same text in every profile.
    ubuntu = nodelib.PROFILES[0]
    plain = machine(ubuntu, "plain", "-shared")
    test_supervise(t, plain)
    test_lagging_journal(t, plain)
    test_giving_up(t, plain)
    test_disk(t, plain)
    test_kubeconfig(t, plain, api)
    test_addresses(t, lambda variant: machine(ubuntu, variant, "-addresses"))
    test_health_monitor(t, plain)
    for age, made in image.cloud_inits(t, "real cloud-init"):
        m = machine(ubuntu, "plain", f"-cloud-init-{age.suite}")
        test_cloud_init(t, m, api, fleet, "ubuntu-hetzner-plain", age, made)
    t.finish()


if __name__ == "__main__":
    main()
