"""The real programs of a cluster and its nodes, and the forms in which a node's mirrors offer them.

build.sh builds them from their published modules; etcd, runc and busybox are Debian's, taken out of their packages.
"""

import hashlib
import pathlib
import subprocess
import tarfile

import servers

BUILD = pathlib.Path(__file__).resolve().parents[1] / "build.sh"
KUBERNETES, CNI, CRI_TOOLS = "v1.33.13", "v1.9.1", "v1.33.0"
# Where a machine has its containerd from: the name of the package, and what build.sh calls the program.
CONTAINERDS = {"site": ("containerd.io", "v2.2.9"), "system": ("containerd", "debian")}
FROM_DEBIAN = {"etcd-server": "usr/bin/etcd", "runc": "usr/sbin/runc", "busybox-static": "bin/busybox",
               "ignition": "usr/lib/dracut/modules.d/30ignition/ignition"}

# Docker's package has a unit like this; the profile adds to it.
CONTAINERD_UNIT = """[Unit]
Description=containerd container runtime
After=network.target

[Service]
Type=notify
ExecStart=/usr/bin/containerd
Delegate=yes
KillMode=process
Restart=always
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
"""
# Takes from a container's bundle, or from a process to run in one, what needs CAP_SYS_RESOURCE: a lower score for the
# kernel's out-of-memory killer than this process has.
RUNC_WRAPPER = """#!/usr/bin/python3 -I
import json, os, sys

def allow(path, find):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    process = find(document)
    with open("/proc/self/oom_score_adj", encoding="ascii") as file:
        if process.get("oomScoreAdj", 0) < int(file.read()):
            del process["oomScoreAdj"]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)

words = sys.argv[1:]
for option, find in (("--bundle", lambda document: document["process"]), ("--process", lambda document: document)):
    if option in words[:-1]:
        path = words[words.index(option) + 1]
        allow(os.path.join(path, "config.json") if option == "--bundle" else path, find)
os.execv("/usr/libexec/runc", ["runc", *words])
"""
MAY_LOWER_OOM_SCORE = 1 << 24  # CAP_SYS_RESOURCE


def built(name, version):
    """The folder of a program that build.sh builds; OSError when it cannot."""
    result = subprocess.run([BUILD, name, version], stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        raise OSError(f"{name} {version} cannot be built")
    return pathlib.Path(result.stdout.strip())


def from_debian(folder, packages=("etcd-server", "runc", "busybox-static")):
    """Downloads Debian's packages once; the path of each one's program."""
    paths = {package: FROM_DEBIAN[package] for package in packages}
    for package, path in paths.items():
        if (folder / package / path).exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob(f"{package}_*.deb"):
            old.unlink()
        result = subprocess.run(["apt-get", "-q", "download", package], cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode:
            raise OSError(f"apt-get download {package}: {result.stderr.strip()}")
        servers.run("dpkg-deb", "--extract", next(folder.glob(f"{package}_*.deb")), folder / package)
    return {package: folder / package / path for package, path in paths.items()}


def lacks_sys_resource():
    status = pathlib.Path("/proc/self/status").read_text()
    return not int(status.split("CapEff:")[1].split()[0], 16) & MAY_LOWER_OOM_SCORE


def version_of(containerd):
    """As a Node shows it, without what Debian adds."""
    return servers.run(containerd, "--version").split()[2].removeprefix("v").partition("~")[0]


def build_containerd(folder, package, binaries, runc, arch, config='disabled_plugins = ["cri"]\n'):
    """A package as Docker's is, with the real programs: binaries, runc, unit, and a configuration of its own. Ubuntu's has
    no configuration, which is an empty `config`."""
    version = f"{version_of(binaries / 'containerd')}-1"
    tree = folder / f"{package}_{version}"
    files = {"DEBIAN/control": (f"Package: {package}\nVersion: {version}\nArchitecture: {arch}\n"
                                "Maintainer: Test <test@example.test>\nDepends: libc6, libseccomp2, python3\n"
                                "Provides: runc\nConflicts: runc\nDescription: containerd and runc\n", 0o644),
             "lib/systemd/system/containerd.service": (CONTAINERD_UNIT, 0o644)}
    if config:
        files["DEBIAN/conffiles"] = ("/etc/containerd/config.toml\n", 0o644)
        files["etc/containerd/config.toml"] = (config, 0o644)
    programs = {f"usr/bin/{name}": binaries / name for name in ("containerd", "containerd-shim-runc-v2", "ctr")}
    if lacks_sys_resource():
        files["usr/bin/runc"] = (RUNC_WRAPPER, 0o755)
        programs["usr/libexec/runc"] = runc
    else:
        programs["usr/bin/runc"] = runc
    for path, (text, mode) in files.items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
    for path, source in programs.items():
        servers.run("install", "-D", "-m", "0755", source, tree / path)
    deb = folder / f"{package}_{version}_{arch}.deb"
    servers.run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, deb)
    servers.run("rm", "-r", tree)
    return deb


def sha256(file):
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def pack(target, files, prefix=""):
    """A .tar.gz of programs."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(target, "w:gz", compresslevel=1) as archive:
        for file in files:
            archive.add(file, arcname=prefix + file.name)
    return target


def write_mirror(site, arch, cni, crictl, kubernetes):
    """The site's mirror of CNI plugins, crictl, kubelet and kubectl, the paths being those of the projects. The text of a
    file with the checksums of what the profile pins, which is built anew here."""
    archives = [pack(site / "cni" / CNI / f"cni-plugins-linux-{arch}-{CNI}.tgz", sorted(cni.iterdir()), "./"),
                pack(site / "cri" / CRI_TOOLS / f"crictl-{CRI_TOOLS}-linux-{arch}.tar.gz", [crictl])]
    folder = site / "kubernetes" / KUBERNETES / "bin" / "linux" / arch
    folder.mkdir(parents=True)
    for program in kubernetes:
        (folder / program.name).symlink_to(program)
        (folder / f"{program.name}.sha256").write_text(sha256(program))
    return "".join(f"{sha256(archive)}  {archive.name}\n" for archive in archives)
