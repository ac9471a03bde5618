"""The network of the boot test's machines is closed to everything that `osm-gen inventory` does not list for them: the
mirrors refuse it, and no other host has an address. A node that comes up shows that the list is complete; what it asked for
shows that the list is no longer than it must be."""

import json
import re
import urllib.parse

from observe import wait_in_journal
from surroundings import KUBERNETES, MIRRORS, SITE

UNIT = "one/kube-system/workers"
SHORT = "127.0.0.4"  # where the machine finds the mirrors for which the list is cut short
BY_URL = ("archive", "binary", "checksum", "key")


class List:
    """What the inventory has for the machines of a unit. `packages` are the indexes of the repositories, as texts."""

    def __init__(self, fleet, arch, packages):
        found = json.loads(fleet.osm_gen("inventory", "--repo", fleet.repo, "-o", "json"))
        self.items = [item for item in found["items"] if UNIT in item["units"] and item.get("architecture", arch) == arch]
        self.urls = {item["url"] for item in self.of(*BY_URL)}
        self.repositories = [item["url"] + "/" for item in self.of("repository") if "url" in item]
        self.packages = needed({item["name"] for item in self.of("package")}, "\n".join(packages))

    def of(self, *kinds):
        return [item for item in self.items if item["kind"] in kinds]

    def names(self):
        """What is listed, in the form of asked()."""
        return {(item["kind"], item["url"] if item["kind"] in BY_URL else item["name"]) for item in self.items}

    def allows(self, url):
        in_repository = any(url.startswith(repository) for repository in self.repositories)
        return url in self.urls or in_repository and self.allows_file(url)

    def allows_file(self, path):
        """A file of a repository: its indexes, and the packages that are listed, with what they depend on."""
        name = urllib.parse.unquote(path.rsplit("/", 1)[1])
        return not name.endswith(".deb") or name.split("_")[0] in self.packages


def needed(names, index):
    """The packages of the names, and all that they may depend on."""
    depends, provided = {}, {}
    for entry in index.split("\n\n"):
        fields = dict(re.findall(r"(?m)^([\w-]+): (.*)$", entry))
        if "Package" not in fields:
            continue
        words = lambda key: re.findall(r"(?:^|[,|]) *([a-z0-9][a-z0-9+.-]*)", fields.get(key, ""))
        depends.setdefault(fields["Package"], set()).update(words("Depends"), words("Pre-Depends"))
        for name in words("Provides"):
            provided.setdefault(name, set()).add(fields["Package"])
    result, rest = set(), set(names)
    while rest:
        name = rest.pop()
        result.add(name)
        rest |= (depends.get(name, set()) | provided.get(name, set())) - result
    return result


def close(site):
    """From here on the mirrors serve what is listed."""
    indexes = [file.read_text() for folder in ("archive", "site/containerd")
               for file in (site.scratch / folder / "dists").glob(f"{site.age.suite}/*/binary-{site.arch}/Packages")]
    site.listed = List(site.fleet, site.arch, indexes)
    has_archive = ("repository", "distribution") in site.listed.names()
    site.archive.allows = lambda address, path: has_archive and site.listed.allows_file(path)
    site.mirror.allows = lambda address, path: site.listed.allows(SITE + path) and not (
        address == SHORT and SITE + path == kubelet(site))


def kubelet(site):
    return f"{SITE}/kubernetes/{KUBERNETES}/bin/linux/{site.arch}/kubelet"


def asked(site, m):
    """What a machine has asked for, in the terms of the inventory: addresses by the mirrors' logs, packages by apt's."""
    urls = {SITE + path for path in site.mirror.seen[MIRRORS]}
    found = {(item["kind"], item["url"]) for item in site.listed.of(*BY_URL) if item["url"] in urls}
    found |= {("repository", item["name"]) for item in site.listed.of("repository")
              if any(url.startswith(item["url"] + "/") for url in urls if "url" in item)}
    if site.archive.seen[MIRRORS]:
        found.add(("repository", "distribution"))
    if site.api.seen:
        found.add(("api", "api-server"))
    for line in re.findall(r"(?m)^Commandline: .* install (.*)$", m.read("/var/log/apt/history.log")):
        found |= {("package", word.split("=")[0]) for word in line.split() if not word.startswith("-")}
    return found


def on_node(t, site, m):
    """The node that has come up."""
    t.equal("closed network: nothing is asked for that the inventory does not list",
            [path for mirror in (site.mirror, site.archive) for path in mirror.refused[MIRRORS]], [])
    listed, have = site.listed.names(), asked(site, m)
    t.equal("closed network: no package is asked for that the inventory does not list", have - listed, set())
    # The containerd of the test pulls no images.
    t.equal("closed network: all that the inventory lists is asked for", {name for name in listed - have if name[0] != "image"},
            set())
    t.check("closed network: the list is a long one", len(listed) > 25, listed)


def short(t, site, m):
    """A machine for which one thing is missing in the list."""
    wait_in_journal(m, "setup", f"cannot download {kubelet(site)}\n", 240)
    t.equal("short list: that one thing is refused", {SITE + path for path in site.mirror.refused[SHORT]}, {kubelet(site)})
    t.check("short list: there is no node", not m.path("/opt/bin/kubelet").exists()
            and m.run("systemctl", "is-active", "kubelet").stdout != "active\n", m.journal("setup")[-2000:])
    m.kill()
