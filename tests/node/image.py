"""Roots of Debian 12 and 13 with cloud-init, and the packages that a node installs: the boot test's machines start from
them, and other tests use the cloud-init of both.

Made once with mmdebstrap, from the mirror that this system has its own packages from, and kept below build/ until what
goes into them changes. Everything after that needs no network."""

import dataclasses
import fcntl
import functools
import hashlib
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import nodelib

CACHE = nodelib.ROOT / "build" / "boot"
PROFILE = nodelib.ROOT / "profiles" / "ubuntu.yaml"

# What a cloud image has; curl and jq are left to stage 1.
INCLUDED = ["systemd-sysv", "cloud-init", "dbus", "iproute2", "kmod", "openssh-server", "procps", "python3-yaml"]


@dataclasses.dataclass(frozen=True)
class Age:
    """A release of Debian, by its suite, and the version of cloud-init that it is here for."""

    suite: str
    name: str
    cloud_init: str


# cloud-init 24.1 moved --file behind the subcommand: one of these is older, the other younger.
AGES = (Age("bookworm", "Debian 12", "22.4"), Age("trixie", "Debian 13", "25.1"))


# Runs a command in a root that it cannot change, with a folder of this system at the same path. Everything that is mounted
# goes away with the command.
ENTER = r"""
set -eu
lower=$1 own=$2 shared=$3
shift 3
mount -t tmpfs -o mode=755 tmpfs "$own"
mkdir "$own/upper" "$own/work" "$own/root"
mount -t overlay -o "lowerdir=$lower,upperdir=$own/upper,workdir=$own/work" overlay "$own/root"
mkdir -p "$own/root$shared"
mount --bind "$shared" "$own/root$shared"
mount --rbind /proc "$own/root/proc"
mount --rbind /dev "$own/root/dev"
exec chroot "$own/root" /usr/bin/env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""
NAMESPACE = ["unshare", "--mount", "--propagation", "private"]
# All that making a root and running a command in it need of this system, tried on nothing. A container may refuse it, and so
# does a chroot, whose root is no mount.
PROBE = """set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/lower" "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=$1/lower,upperdir=$1/upper,workdir=$1/work" overlay "$1/root"
mkdir "$1/root/proc" "$1/root/dev"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mknod "$1/null" c 1 3
"""


def installed_by(profile):
    """The packages that a profile's scripts ask apt for by name."""
    calls = re.findall(r"apt(?:_get|-get) [^\n]*\binstall\b((?:[^\n;|&]*\\\n)*[^\n;|&]*)", profile)
    words = {word for call in calls for word in call.split()}
    return sorted(word for word in words if re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", word))


def mirror(suite):
    """Where this system's packages come from, which has the suite too, for mmdebstrap; nothing means its default."""
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(COMPONENT) $(LABEL) $(REPO_URI)",
                            "Identifier: Packages"], capture_output=True, text=True, check=False).stdout.splitlines()
    found = {release: uri for release, _, uri in (re.fullmatch(r"(\w+) (main) Debian (http\S*)", line).groups()
             for line in lines if re.fullmatch(r"\w+ main Debian http\S*", line))}
    return [found[suite]] if suite in found else list(found.values())[:1]


def package_list(debs, prefix):
    """Debian's Packages file for these, whose Filename begins with the prefix."""
    entries = []
    for deb in debs:
        data = deb.read_bytes()
        control = nodelib.run(["dpkg-deb", "--field", str(deb)]).stdout.strip()
        entries.append(f"{control}\nFilename: {prefix}/{deb.name}\nSize: {len(data)}\n"
                       f"SHA256: {hashlib.sha256(data).hexdigest()}\n")
    return "\n".join(entries)


def make(folder, age, packages):
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"{age.suite}-making-", dir=folder.parent))
    try:
        archives = "var/cache/apt/archives"
        fetch = (f'chroot "$1" apt-get -q -y install --download-only --no-install-recommends {" ".join(packages)} && '
                 f'mkdir {work}/debs && mv "$1"/{archives}/*.deb {work}/debs')
        proxy = subprocess.run(["apt-config", "shell", "P", "Acquire::http::Proxy"], capture_output=True, text=True,
                               check=False).stdout.strip()
        options = [f"--aptopt=Acquire::http::Proxy \"{proxy[3:-1]}\""] if proxy else []
        result = subprocess.run(
            ["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", f"--include={','.join(INCLUDED)}", *options,
             f"--customize-hook={fetch}", age.suite, work / "root", *mirror(age.suite)],
            capture_output=True, text=True, check=False)
        if result.returncode:
            raise OSError(f"mmdebstrap: {result.stderr[-1500:]}")
        (work / "debs" / "Packages").write_text(package_list(sorted((work / "debs").glob("*.deb")), "pool"))
        work.chmod(0o755)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@functools.cache
def why_not():
    """What keeps the roots from being made or used here, or None. Asked once, before anything is made."""
    if os.environ.get("OSM_GEN_TESTS_QUICK"):
        return "a quick run installs no packages"
    if os.geteuid() != 0:
        return "it needs root, for namespaces with devices and mounts"
    missing = [tool for tool in ("mmdebstrap", "unshare", "mount", "chroot") if not shutil.which(tool)]
    if missing:
        return f"not installed: {' '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="image-probe-") as folder:
        result = nodelib.run([*NAMESPACE, "sh", "-c", PROBE, "sh", folder], check=False)
    return f"no mount namespaces with overlay and devices here: {result.stderr.strip()}" if result.returncode else None


def get(age):
    """A folder with root/ and debs/ of the age; OSError says why there is none. Several processes may ask at a time."""
    packages = installed_by(PROFILE.read_text())
    recipe = "\n".join([inspect.getsource(make), age.suite, *INCLUDED, *packages])
    folder = CACHE / f"{age.suite}-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}"
    CACHE.mkdir(parents=True, exist_ok=True)
    others = tuple(other.suite for other in AGES if other != age)
    with (CACHE / f".{age.suite}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            for old in [old for old in CACHE.iterdir() if not old.name.startswith((".", *others))]:
                shutil.rmtree(old)
            make(folder, age, packages)
    return folder


def inside(made, shared, *command):
    """The command line that runs a command in a root of get(), with the folder `shared` at the same path."""
    own = shared / f"root-of-{made.name}"
    own.mkdir(exist_ok=True)
    return [*NAMESPACE, "sh", "-c", ENTER, "sh",
            *map(str, (made / "root", own, shared, *command))]


def cloud_inits(t, what):
    """(age, folder of get()) for each age whose cloud-init can be run here; the folder is None when this system is of that
    age. What cannot be run is printed, and counted."""
    own = nodelib.run(["cloud-init", "--version"], check=False) if shutil.which("cloud-init") else None
    for age in AGES:
        if own and f" {age.cloud_init}." in own.stdout + own.stderr:
            yield age, None
            continue
        try:
            if why_not():
                raise OSError(why_not())
            yield age, get(age)
        except OSError as error:
            t.skip(f"{what} of {age.name}", str(error))
