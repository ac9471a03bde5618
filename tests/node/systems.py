"""What the scripts do differently from system to system: package managers that were interrupted, repositories and their keys,
containerd of either age, SELinux, kernel modules in packages of their own. scripts.py runs these on each system's machine."""

import configparser
import pathlib
import re
import shutil
import subprocess

import nodelib


def test_architecture(t, m):
    m.stub("uname", "echo riscv64\n")
    result = m.run(m.path("/opt/bin/setup"))
    t.check(f"architecture: {m.profile.key}: an unknown one ends at once", result.returncode == 78 and "riscv64" in result.stderr
            and not [c for c in m.calls() if not c.startswith("uname")], (result, m.calls()))
    m.stub("uname", "echo x86_64\n")


def test_containerd(t, m):
    """The configuration fits the containerd that is there, or the machine says that none can."""
    config, old = m.path("/etc/containerd/config.toml"), m.path("/etc/containerd/config-1.x.toml")
    new = config.read_text()
    check = "default_settings; check_containerd"
    for version, kubelet, status, wanted in (("v2.2.1", "v1.38.0", 0, new), ("1.6.20~ds1", "v1.37.4", 0, None),
                                             ("1.7.27", "v1.38.0", 78, new), ("1.7.27", "v1.40.1", 78, new)):
        m.write("/etc/containerd/config.toml", new)
        m.stub("containerd", f"echo containerd github.com/containerd/containerd {version} 0123\n")
        result = m.call_function(check, KUBE_VERSION=kubelet)
        name = f"containerd: {m.profile.key}: {version} with a kubelet {kubelet}"
        t.equal(f"{name}: status", result.returncode, status)
        t.equal(f"{name}: configuration", config.read_text(), wanted or (old if old.exists() else config).read_text())
        t.check(f"{name}: is reported", version.removeprefix("v") in result.stderr, result.stderr)
    strange = old if old.exists() else config
    kept = strange.read_text()
    m.write(str(strange.relative_to(m.root)), kept + '[plugins."io.containerd.cri.v1.runtime".new]\n')
    m.stub("containerd", "echo containerd containerd.io 1.7.27 0123\n")
    result = m.call_function(check)
    t.check(f"containerd: {m.profile.key}: nothing of the third version is left to 1.x", result.returncode == 78
            and "does not know" in result.stderr, result)
    m.write(str(strange.relative_to(m.root)), kept)
    m.stub("containerd", "exit 1\n")
    result = m.call_function(check)
    t.check(f"containerd: {m.profile.key}: one that does not run is an error", result.returncode == 1, result)
    m.stub("containerd", "echo containerd containerd.io v2.2.1 0123456789abcdef\n")
    m.write("/etc/containerd/config.toml", new)


def test_repair(t, m):
    """A package manager that was interrupted."""
    name = f"repair: {m.profile.key}"
    if m.profile.key == "ubuntu":
        m.call_function("repair_packages")
        t.equal(f"{name}: nothing to do", [c for c in m.calls() if "dpkg --configure" in c or "apt-get" in c], [])
        wanted = ["dpkg --configure -a --force-confdef --force-confold", "apt-get --quiet --yes -o DPkg::Lock::Timeout=300 "
                  "-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold --fix-broken install"]
        m.stub("dpkg", '[ "$1" != --audit ] || echo "The following packages are only half configured"\n')
        m.call_function("repair_packages")
        t.equal(f"{name}: half configured packages", m.calls()[-2:], wanted)
        m.stub("dpkg", f'[ "$1" != --configure ] || rm {m.path("/var/lib/dpkg/updates")}/0001\n')
        m.write("/var/lib/dpkg/updates/0001", "")
        m.call_function("repair_packages")
        t.equal(f"{name}: an unfinished record of dpkg's", m.calls()[-2:], wanted)
        m.stub("dpkg", '[ "$1" = --audit ] && echo something && exit 0\n[ "$(grep -c "dpkg --configure" "$CALLS")" -ge 2 ]\n')
        result = m.call_function("repair_packages")
        t.equal(f"{name}: fetches what dpkg lacks", (result.returncode, [c.split()[-1] for c in m.calls() if c.startswith("apt-get")]),
                (0, ["install", "install"]))
        m.stub("apt-get", '[ "$(grep -c "dpkg --configure" "$CALLS")" -ge 4 ]\n')
        m.stub("dpkg", '[ "$1" = --audit ] && echo something && exit 0\n[ "$(grep -c "dpkg --configure" "$CALLS")" -ge 4 ]\n')
        result = m.call_function("repair_packages")
        t.equal(f"{name}: waits for another package manager", (result.returncode, m.calls().count("sleep 10")), (0, 3))
        m.stub("dpkg", '[ "$1" = --audit ] && echo something && exit 0\nexit 1\n')
        m.stub("apt-get", "exit 100\n")
        result = m.call_function("repair_packages")
        t.check(f"{name}: not for ever", result.returncode == 1 and m.calls().count("sleep 10") == 29, result)
        m.stub("dpkg")
        m.stub("apt-get")
        return
    manager = "yum" if m.profile.key == "amzn2" else "dnf"
    begun = m.path("/var/lib/osm-node/packages-begun")
    begun.unlink(missing_ok=True)
    m.call_function("repair_packages")
    t.equal(f"{name}: nothing to do", [c for c in m.calls() if c.startswith((manager, "rpm"))], [])
    m.stub(manager, "exit 1\n")
    result = m.call_function(f"{manager}_install socat")
    t.check(f"{name}: an installation that fails leaves a mark", result.returncode == 1 and begun.exists(), result)
    m.stub(manager)
    rebuilt = m.path("/rebuilt")
    m.stub("rpm", f"""
case "$1 $2" in
"--rebuilddb ") touch {rebuilt} ;;
"--query rpm") [ -e {rebuilt} ] ;;
"--query --all") printf "1 old\\n9999999999 socat\\n" ;;
esac
""")
    m.call_function("repair_packages")
    t.equal(f"{name}: what has been installed since is installed anew",
            [c for c in m.calls() if c.startswith((manager, "rpm --rebuild"))],
            ["rpm --rebuilddb", f"{manager} --quiet --assumeyes reinstall socat"])
    t.check(f"{name}: once", not begun.exists(), begun)
    begun.touch()
    m.call_function("repair_packages")
    t.equal(f"{name}: a database that can be read is not made anew", [c for c in m.calls() if "--rebuilddb" in c], [])
    m.stub("rpm")


def test_selinux(t, m):
    """What is enforcing becomes permissive, and nothing else."""
    for before, mode, after, set_ in (("enforcing", "Enforcing", "permissive", 1), ("permissive", "Permissive", "permissive", 0),
                                      ("disabled", "Disabled", "disabled", 0)):
        m.write("/etc/selinux/config", f"# SELINUX=enforcing is the default\nSELINUX={before}\nSELINUXTYPE=targeted\n")
        m.stub("getenforce", f"echo {mode}\n")
        m.call_function("relax_selinux")
        t.equal(f"SELinux: {m.profile.key}: {before}", (m.path("/etc/selinux/config").read_text(), m.calls().count("setenforce 0")),
                (f"# SELINUX=enforcing is the default\nSELINUX={after}\nSELINUXTYPE=targeted\n", set_))
    m.path("/etc/selinux/config").unlink()
    m.stub("getenforce", "echo Enforcing\n")


def test_kernel_modules(t, m):
    """Version 10 of the system has br_netfilter in a package of its own."""
    m.stub("modprobe", '[ "$1" != --dry-run ]\n')
    m.stub("uname", '[ "$1" != -r ] || { echo 6.12.0-55.el10.x86_64; exit; }\necho x86_64\n')
    m.call_function("prepare_kernel")
    wanted = "kernel-modules-extra-6.12.0-55.el10.x86_64"
    t.equal(f"kernel modules: {m.profile.key}: of the running kernel", [c.split()[-1] for c in m.calls() if "install" in c], [wanted])
    m.stub("dnf", "exit 1\n")
    result = m.call_function("prepare_kernel")
    t.check(f"kernel modules: {m.profile.key}: none is an error", result.returncode == 1 and "br_netfilter" in result.stderr, result)
    for name in ("modprobe", "dnf"):
        m.stub(name)
    m.stub("uname", "echo x86_64\n")


def test_grub(t, m):
    """The boot loader hears of the profile's file once, and apt restarts no services on the side."""
    m.write("/etc/fstab", "")
    m.stub("update-grub")
    for text, wanted in (("linux /vmlinuz root=x\n", ["update-grub "]), ("linux /vmlinuz root=x swapaccount=1\n", [])):
        m.write("/boot/grub/grub.cfg", text)
        result = m.call_function("prepare_kernel")
        t.equal(f"grub: {m.profile.key}: {text.strip()}",
                (result.returncode, [c for c in m.calls() if c.startswith("update-grub")]), (0, wanted))
    m.path("/boot/grub/grub.cfg").unlink()
    m.stub("apt-get", 'echo "suspended=$NEEDRESTART_SUSPEND" >>"$CALLS"\n')
    m.call_function("apt_get install socat")
    t.equal(f"apt: {m.profile.key}: needrestart is suspended", m.calls()[-1], "suspended=1")
    m.stub("apt-get")


def test_key(t, m):
    if not shutil.which("gpg"):
        t.skip("repository key", "gpg is not installed")
        return
    home = m.root / "gnupg"
    home.mkdir(mode=0o700)
    gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet", "--passphrase", ""]
    prints = []
    for name in ("one", "two"):
        nodelib.run(gpg + ["--quick-gen-key", f"{name}@example.test", "ed25519", "sign"])
        listing = nodelib.run(gpg + ["--with-colons", "--list-keys", name]).stdout
        prints.append(re.search(r"(?m)^fpr:+([0-9A-F]+):", listing).group(1))
        m.write(f"/{name}.asc", nodelib.run(gpg + ["--armor", "--export", name]).stdout)
    m.write("/both.asc", nodelib.run(gpg + ["--armor", "--export", "one", "two"]).stdout)
    m.write("/none.asc", "not a key\n")
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)
    for file, good in (("one", True), ("two", False), ("both", False), ("none", False)):
        result = m.call_function(f"verify_key {m.path(f'/{file}.asc')} {prints[0]}")
        t.equal(f"repository key: {m.profile.key}: file with {file}", result.returncode == 0, good)

    # The repository itself, from a mirror that has the key that is asked for.
    origin = next(iter(m.profile.settings)).removesuffix("_URL")
    mirror = {f"{origin}_URL": "https://mirror.example.test/docker", f"{origin}_KEY_URL": f"file://{m.path('/one.asc')}"}
    source = m.path("/etc/apt/sources.list.d/containerd.sources" if m.profile.os == "ubuntu" else
                    "/etc/yum.repos.d/containerd.repo")
    source.parent.mkdir(parents=True, exist_ok=True)
    commands = "default_settings; add_containerd_repository"
    result = m.call_function(commands, **mirror, **{f"{origin}_KEY_FINGERPRINT": prints[1]})
    t.check(f"repository: {m.profile.key}: not with another key", result.returncode != 0 and not source.exists(), result)
    result = m.call_function(commands, **mirror, **{f"{origin}_KEY_FINGERPRINT": prints[0]})
    t.equal(f"repository: {m.profile.key}: is added", result.returncode, 0)
    if m.profile.os == "ubuntu":
        have = dict(line.split(": ", 1) for line in source.read_text().splitlines())
        want = {"Types": "deb", "URIs": "https://mirror.example.test/docker", "Suites": "codename", "Components": "stable",
                "Architectures": "amd64"}
        key = have.pop("Signed-By")
    else:
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(source)
        have = dict(parser["containerd"])
        want = {"name": "containerd", "baseurl": "https://mirror.example.test/docker/9/$basearch/stable", "enabled": "1",
                "gpgcheck": "1"}
        key = have.pop("gpgkey").removeprefix("file://")
    t.equal(f"repository: {m.profile.key}: what it says", have, want)
    t.equal(f"repository: {m.profile.key}: the key", pathlib.Path(key).read_text(), m.path("/one.asc").read_text())


def test_amazon(t, m):
    """Amazon Linux 2 has containerd in a topic of its own, and a yum that passes over what it cannot find."""
    result = m.call_function("default_settings; install_container_runtime")
    wanted = ["amazon-linux-extras enable docker", "yum --quiet versionlock delete *:containerd-[0-9]*",
              "yum --quiet --assumeyes install containerd-1.7*", "rpm --query --whatprovides containerd",
              "yum --quiet versionlock add containerd", "containerd --version", "systemctl daemon-reload",
              "systemctl enable containerd.service", "systemctl restart containerd.service"]
    t.equal("amzn2: containerd comes from Amazon's topic", (result.returncode, m.calls()[1:]), (0, wanted))
    m.stub("rpm", "exit 1\n")
    result = m.call_function("default_settings; install_container_runtime")
    t.check("amzn2: a package that yum did not find is an error", result.returncode != 0
            and "could be installed" in result.stderr and "systemctl restart containerd.service" not in m.calls(), result)
    m.stub("rpm")
