"""The root that the boot test's machines start from: Debian 12 with cloud-init, and the packages that a node installs.

Made once with mmdebstrap, from the mirror that this system has its own packages from, and kept below build/ until what
goes into it changes. Everything after that needs no network."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import tempfile

import servers

SUITE = "bookworm"
# What a cloud image has; curl and jq are left to stage 1.
INCLUDED = ["systemd-sysv", "cloud-init", "dbus", "iproute2", "kmod", "openssh-server", "procps", "python3-yaml"]


def installed_by(profile):
    """The packages that a profile's scripts ask apt for by name."""
    calls = re.findall(r"apt(?:_get|-get) [^\n]*\binstall\b((?:[^\n]*\\\n)*[^\n]*)", profile)
    words = {word for call in calls for word in call.split()}
    return sorted(word for word in words if re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", word))


def mirror():
    """Where this system's packages of the suite come from, for mmdebstrap; nothing means its default."""
    lines = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(COMPONENT) $(LABEL) $(REPO_URI)",
                            "Identifier: Packages"], capture_output=True, text=True, check=False).stdout.splitlines()
    found = [line.split(" ", 3)[3] for line in lines if line.startswith(f"{SUITE} main Debian http")]
    return found[:1]


def make(folder, packages):
    work = pathlib.Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    try:
        archives = "var/cache/apt/archives"
        fetch = (f'chroot "$1" apt-get -q -y install --download-only --no-install-recommends {" ".join(packages)} && '
                 f'mkdir {work}/debs && mv "$1"/{archives}/*.deb {work}/debs')
        proxy = subprocess.run(["apt-config", "shell", "P", "Acquire::http::Proxy"], capture_output=True, text=True,
                               check=False).stdout.strip()
        options = [f"--aptopt=Acquire::http::Proxy \"{proxy[3:-1]}\""] if proxy else []
        result = subprocess.run(
            ["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", f"--include={','.join(INCLUDED)}", *options,
             f"--customize-hook={fetch}", SUITE, work / "root", *mirror()],
            capture_output=True, text=True, check=False)
        if result.returncode:
            raise OSError(f"mmdebstrap: {result.stderr[-1500:]}")
        (work / "debs" / "Packages").write_text(servers.package_list(sorted((work / "debs").glob("*.deb")), "pool"))
        work.chmod(0o755)
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def get(cache, profile):
    """A folder with root/ and debs/."""
    packages = installed_by(profile)
    recipe = "\n".join([pathlib.Path(__file__).read_text(), *packages])
    folder = cache / hashlib.sha256(recipe.encode()).hexdigest()[:16]
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.iterdir():
            shutil.rmtree(old)
        make(folder, packages)
    return folder
