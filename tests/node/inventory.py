"""osm-gen inventory against what the scripts ask for: both stages of every profile run for each of its providers, on both
architectures for the first and the last of them, with downloads and package managers that are stubs; then under the settings
that change what is fetched, and with an extension. What they are asked for, what containerd is told to pull and from where, and what the inventory lists must
be the same. A profile that asks for one thing more, or lists one, must show."""

import concurrent.futures
import json
import re
import shutil

import mirrors
import nodelib
import sandbox

API = "https://127.0.0.1:6443"
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
INSTALL = re.compile(r"^(?:apt-get|dnf|yum) .*?\binstall (.*)$")
# Sources that the image has; no script names an address of theirs.
OF_THE_IMAGE = {"distribution", "flatcar-updates", "rhel-subscription"}
# What every containerd has without being told another one, each of another version.
OWN_PAUSE = "registry.k8s.io/pause"
UNMARKED = "https://unmarked.example.test/tool.tgz"
# Where images come from, by two settings.
REGISTRIES = ("--node-containerd-registry-mirrors=docker.io=https://mirror.example.test/docker",
              "--node-containerd-registry-mirrors=registry.k8s.io=https://mirror.example.test/k8s",
              "--node-registry-mirrors=https://second.example.test")
SITE = "https://site.example.test"
AGENT = "https://tools.example.test/agent-%s.tgz"
EXTENSION = {
    "apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemProfileExtension",
    "metadata": {"name": "agent", "annotations": {"osm-gen.dev/inventory":
        f"# pinned\n[agent-amd64.tgz]={'a' * 64}\n[agent-arm64.tgz]={'b' * 64}\n"
        f"archive agent version={{{{ .KubeVersion }}}} url={AGENT % '${arch}'}\n"}},
    "spec": {"selector": {"operatingSystems": ["amzn2", "rhel", "rockylinux", "ubuntu"]}, "packages": ["nvme-cli", "tcpdump"],
             "commands": {"beforeKubelet": [
                 f"case $(uname -m) in x86_64) arch=amd64 ;; *) arch=arm64 ;; esac; curl --output /dev/null {AGENT % '$arch'}"]}}}


def package(word):
    """The name alone: apt puts a version behind "=", dnf and yum behind "-"."""
    return re.split(r"=|-(?=[0-9])", word)[0]


def inventory(fleet, *flags):
    text = nodelib.run([fleet.program, "inventory", "--repo", str(fleet.repo), "-o", "json", *flags]).stdout
    return json.loads(text)


def listed(found, case, arch):
    """What the inventory has for one MachineDeployment on one architecture."""
    result = set()
    for item in found["items"]:
        if item.get("architecture", arch) != arch or not any(unit.endswith(f"/kube-system/{case}") for unit in item["units"]):
            continue
        if item["kind"] == "package":
            result.add(("package", item["name"]))
        elif item["kind"] == "repository" and item["name"] not in OF_THE_IMAGE:
            result.add(("repository", item.get("url", item["name"])))
        elif item["kind"] in ("binary", "archive", "checksum", "key"):
            result.add(("url", item["url"]))
        elif item["kind"] == "api":
            result.add(("api", item["name"]))
        elif item["kind"] == "image":
            result.add(("image", ":".join(item[key] for key in ("name", "version") if key in item)))
        elif item["kind"] == "registry":
            result.add(("registry", item["name"].replace("*", "_default"), item["url"]))
    return result


def pulled(m):
    """The image that containerd pulls by itself, and where it is sent for a registry's, other than to the registry."""
    config = m.path("/etc/containerd/config.toml").read_text()
    found = {("image", name) for name in re.findall(r'(?m)^ *sandbox(?:_image)? = "(.*)"$', config)}
    found = found or {("image", OWN_PAUSE)}
    for file in m.path("/etc/containerd/certs.d").glob("*/hosts.toml"):
        text = file.read_text()
        own = re.search(r'(?m)^server = "(.*)"$', text)
        found |= {("registry", file.parent.name, url) for url in re.findall(r'(?m)^\[host\."(.*)"\]$', text)
                  if not own or url != own.group(1)}
    return found


def asked(t, name, m, mirror, arch, archives):
    """What both stages ask for on a machine. What the mirror has is right for the archives."""
    settings = mirror.serve(m)
    sum_ = m.path("/sums").read_text().split()[0]
    m.write("/sums", "".join(f"{sum_}  {url.rsplit('/', 1)[1]}\n" for url in archives))
    m.stub("uname", f'[ "$1" != -r ] || {{ echo 6.12.0-55; exit; }}\necho {MACHINES[arch]}\n')
    for folder in ("/etc/ssl/certs", "/etc/pki/ca-trust/source/anchors", "/usr/local/share/ca-certificates"):
        m.path(folder).mkdir(parents=True, exist_ok=True)
    # So that the package of kernel modules is asked for, too.
    m.stub("modprobe", '[ "$1" != --dry-run ]\n')
    m.stub("ip", 'echo "192.0.2.1 via x dev eth0 src 192.0.2.10 uid 0"\n')
    m.write("/asked", "")
    calls = []
    if "install_tools()" in m.path("/opt/bin/bootstrap").read_text():
        result = m.call_function("command() { return 1; }\ninstall_tools", "/opt/bin/bootstrap")
        t.check(f"{name}: stage 1 installs its tools", result.returncode == 0, result.stderr)
        calls += m.calls()
    result = m.run(m.path("/opt/bin/setup"), **settings)
    t.check(f"{name}: stage 2 succeeds", result.returncode == 0, result.stderr)
    calls += m.calls()
    if m.provider != "aws":
        m.write("/etc/machine-name", "worker-1\n")
    m.path("/etc/kubernetes").mkdir(parents=True, exist_ok=True)
    m.run(m.path("/opt/bin/setup_net_env.sh"))
    found = set()
    for call in calls:
        match = INSTALL.match(call)
        if match:
            found |= {("package", package(word)) for word in match.group(1).split() if not word.startswith("-")}
        if call.startswith("amazon-linux-extras enable "):
            found.add(("repository", f"extras-{call.split()[-1]}"))
    # curl is also asked for its help.
    for url in (line for line in m.path("/asked").read_text().splitlines() if "://" in line):
        if url.startswith(API):
            found.add(("api", "api-server"))
        elif url.startswith("http://169.254.169.254/"):
            found.add(("api", "metadata"))
        else:
            found.add(("url", url))
    for path, pattern in (("/etc/apt/sources.list.d/containerd.sources", r"(?m)^URIs: (.*)$"),
                          ("/etc/yum.repos.d/containerd.repo", r"(?m)^baseurl=(.*)/9/\$basearch/stable$")):
        if m.path(path).exists():
            found |= {("repository", url) for url in re.findall(pattern, m.path(path).read_text())}
    return found | pulled(m)


def check_pins(t, found, case, m):
    """The checksums that the script knows are those that the inventory says."""
    result = m.call_function('for name in "${!pinned_sha256[@]}"; do echo "$name ${pinned_sha256[$name]}"; done')
    pins = dict(line.split() for line in result.stdout.splitlines())
    want = {item["url"].rsplit("/", 1)[1]: item["sha256"] for item in found["items"] if item["kind"] == "archive"
            and item["name"] != "agent" and any(unit.endswith(f"/kube-system/{case}") for unit in item["units"])}
    t.check(f"{case}: there are pinned checksums", len(pins) == 4, result)
    t.equal(f"{case}: pinned checksums", want, pins)


def differences(t, scratch, fleet, mirror, found, job, flags=()):
    """(asked for and not listed, listed and not asked for)"""
    profile, provider, arch, variant = job
    case = f"{profile.key}-{provider}-{variant}"
    folder = scratch / f"{case}-{arch}"
    m = sandbox.Machine(folder, fleet, profile, variant, API, provider, flags)
    archives = [item["url"] for item in found["items"] if item["kind"] == "archive" and item["architecture"] == arch]
    have, want = listed(found, case, arch), asked(t, f"{case} {arch}", m, mirror, arch, archives)
    if (provider, variant) == (profile.providers[0], "plain"):
        check_pins(t, found, case, m)
    shutil.rmtree(folder)
    return want - have, have - want


def check_jobs(t, scratch, fleet, mirror, found, jobs, flags=(), name=""):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: differences(t, scratch, fleet, mirror, found, job, flags), jobs))
    for (profile, provider, arch, variant), (unlisted, idle) in zip(jobs, results):
        what = f"{profile.key} {provider} {arch} {name or variant}"
        t.equal(f"{what}: asked for and not listed", unlisted, set())
        t.equal(f"{what}: listed and not asked for", idle, set())


def flags_of(fleet, variant):
    return [flag.replace("@CA@", str(fleet.ca)) for flag in nodelib.VARIANTS[variant]["flags"]]


def check_all(t, scratch, fleet, mirror):
    fleet.generate("plain")
    found = inventory(fleet)
    t.equal("all profiles have an inventory", found["notInventoried"], [])
    # A profile's script is the same text on both architectures: both run for its first provider and its last, and of the others
    # the list is compared with itself.
    check_jobs(t, scratch, fleet, mirror, found, [(profile, provider, arch, "plain") for profile in nodelib.PROFILES
                                                  for provider in profile.providers for arch in MACHINES
                                                  if arch == "amd64" or provider in (profile.providers[0], profile.providers[-1])])
    for profile in nodelib.PROFILES:
        for case in (f"{profile.key}-{provider}-plain" for provider in profile.providers):
            on_amd64 = {tuple(word.replace("amd64", "arm64") for word in item) for item in listed(found, case, "amd64")}
            t.equal(f"{case}: both architectures fetch the same", listed(found, case, "arm64"), on_amd64)
    # What a provider adds does not depend on the rest.
    for variant, of_it in nodelib.VARIANTS.items():
        jobs = [(profile, provider, "amd64", variant) for profile in nodelib.PROFILES
                for provider in of_it.get("only", {profile.providers[0]: 0, profile.providers[-1]: 0})
                if provider in profile.providers]
        if variant != "plain":
            check_jobs(t, scratch, fleet, mirror, inventory(fleet, *flags_of(fleet, variant)), jobs)


def first_ones(arch, profiles=nodelib.PROFILES):
    return [(profile, profile.providers[0], arch, "plain") for profile in profiles]


def check_registries(t, scratch, fleet, mirror):
    """The registries' mirrors of the settings are what the list says and what containerd is told."""
    flags = (*REGISTRIES, "--pause-image=registry.example.test/pause:3.10")
    found = inventory(fleet, *flags)
    registries = {item["name"] for item in found["items"] if item["kind"] == "registry"}
    t.check("registries: there are some", {"docker.io", "registry.k8s.io"} <= registries, registries)
    check_jobs(t, scratch, fleet, mirror, found, first_ones("amd64"), flags, "registries")


def check_settings(t, scratch, mirror):
    """Every address that a setting moves, moved: the machine asks the site, and so says the list."""
    fleet = nodelib.Fleet(scratch)
    moved = {item["setting"] for item in inventory(fleet)["items"] if item.get("setting", "").endswith("_URL")}
    settings = "".join(f"{name}={SITE}/{name.lower()}{'/gpg' if name.endswith('KEY_URL') else ''}\n" for name in sorted(moved))
    t.check("settings: there are addresses to be moved", len(moved) >= 5, moved)

    def change(profile, manifest):
        manifest["spec"]["provisioningConfig"]["files"].append(
            {"path": "/etc/default/osm-node", "permissions": 644, "content": {"inline": {"data": settings}}})

    (scratch / "moved").mkdir()
    fleet = nodelib.Fleet(scratch / "moved", change=change)
    found = inventory(fleet)
    away = {item["url"] for item in found["items"] if item.get("setting") in moved and not item["url"].startswith(SITE)}
    t.equal("settings: nothing that they move stays where it was", away, set())
    check_jobs(t, scratch, fleet, mirror, found, first_ones("arm64"), name="settings")


def check_extension(t, scratch, mirror):
    """An extension's packages, and what it says that its commands fetch."""
    fleet = nodelib.Fleet(scratch, more=[EXTENSION])
    found = inventory(fleet)
    profiles = [profile for profile in nodelib.PROFILES if profile.os != "flatcar"]
    agents = {(item["url"], item["sha256"][0]) for item in found["items"] if item["name"] == "agent"}
    t.equal("extension: what it fetches is listed", agents, {(AGENT % "amd64", "a"), (AGENT % "arm64", "b")})
    for arch in MACHINES:
        check_jobs(t, scratch, fleet, mirror, found, first_ones(arch, profiles), name="extension")


def of_script(manifest, path):
    files = manifest["spec"]["provisioningConfig"]["files"]
    return next(entry["content"]["inline"] for entry in files if entry["path"] == path)


def check_mistakes(t, scratch, mirror):
    """The comparison sees one thing too many on either side, and a profile without an inventory is named."""
    def unmarked(profile, manifest):
        script = of_script(manifest, "/opt/bin/setup")
        script["data"] = script["data"].replace("\n install_binaries\n", f"\n install_binaries\n download {UNMARKED} $scratch/t\n")

    def idle(profile, manifest):
        manifest["metadata"]["annotations"]["osm-gen.dev/inventory"] += "package nobody-asks\n"

    def none(profile, manifest):
        del manifest["metadata"]["annotations"]["osm-gen.dev/inventory"]

    def settings(profile, manifest):
        manifest["spec"]["provisioningConfig"]["files"].append({
            "path": "/etc/default/osm-node", "permissions": 644, "content": {"inline": {"data":
                "KUBE_BINARIES_URL=https://user:pa55word@mirror.example.com/kube\nCONTAINERD_APT_URL='none'\n"}}})

    profile, fleets = nodelib.PROFILES[0], {}
    for name, change in (("unmarked", unmarked), ("idle", idle), ("none", none), ("settings", settings)):
        (scratch / name).mkdir()
        fleets[name] = nodelib.Fleet(scratch / name, change=change)
    job = (profile, "aws", "amd64", "plain")
    have = differences(t, scratch / "unmarked", fleets["unmarked"], mirror, inventory(fleets["unmarked"]), job)
    t.equal("an address without a mark shows", have, ({("url", UNMARKED)}, set()))
    have = differences(t, scratch / "idle", fleets["idle"], mirror, inventory(fleets["idle"]), job)
    t.equal("a mark that nothing asks for shows", have, (set(), {("package", "nobody-asks")}))
    fleet = fleets["none"]
    result = nodelib.run([fleet.program, "inventory", "--repo", str(fleet.repo), "-o", "json"])
    found = json.loads(result.stdout)
    t.equal("without an inventory: nothing is listed", found["items"], [])
    t.equal("without an inventory: all are named", len(found["notInventoried"]), len(list(nodelib.cases())))
    t.check("without an inventory: a warning", "OSG6053" in result.stderr, result.stderr)
    fleet = fleets["settings"]
    text = nodelib.run([fleet.program, "inventory", "--repo", str(fleet.repo), "-o", "json"]).stdout
    urls = {item["url"] for item in json.loads(text)["items"] if "url" in item}
    t.check("settings: a mirror takes the place of the default", not [url for url in urls if "dl.k8s.io" in url]
            and "https://***@mirror.example.com/kube/v1.35.1/bin/linux/amd64/kubelet" in urls, urls)
    t.check("settings: no password is printed", "pa55word" not in text)
    t.check("settings: none is no repository", not [url for url in urls if url.endswith("linux/ubuntu")], urls)
    mirror = ["--node-containerd-registry-mirrors", "docker.io=https://user:pa55word@mirror.example.com/docker.io"]
    text = json.dumps(inventory(fleet, *mirror))
    registries = {(item["name"], item["url"]) for item in json.loads(text)["items"] if item["kind"] == "registry"}
    t.equal("the registries' mirrors", registries, {("docker.io", "https://***@mirror.example.com/docker.io")})
    t.check("the registries' mirrors: no password is printed", "pa55word" not in text)
    images = {(item["name"], item["version"]) for item in inventory(fleet, "--pause-image", "registry.example.test:5000/pause:3.10")
              ["items"] if item["kind"] == "image"}
    t.equal("the pause image of the settings", images, {("registry.example.test:5000/pause", "3.10")})


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    if arguments.rendered or not shutil.which("gpg"):
        t.skip("inventory", "gpg is not installed, or there is no program to ask")
        t.check("gpg is installed", arguments.rendered)
        t.finish()
    fleet = nodelib.Fleet(scratch)
    mirror = mirrors.Mirror(scratch / "mirror")
    check_mistakes(t, scratch, mirror)
    check_all(t, scratch, fleet, mirror)
    check_registries(t, scratch, fleet, mirror)
    for name, check in (("settings", check_settings), ("extension", check_extension)):
        (scratch / f"of-{name}").mkdir()
        check(t, scratch / f"of-{name}", mirror)
    t.finish()


if __name__ == "__main__":
    main()
