"""Gardener's OperatingSystemConfigs by what they do to a node: osm-gen's answers beside those of the real extensions.

Scripts, osm-gen's and the extension's with its known faults mended, each run below a folder that stands for the node's
file system, where what would change the machine is a stub that notes down how it was called: files, links and calls must
be equal. CoreOS cloud-config, cloud-config, Ignition and status are compared as data. Texts that the documents have in
words of their own (scripts, descriptions) are compared by running them.

The answers are in GARDENER_CONFORMANCE, ../shared/conformance/gardener by default; without them, only what needs none is
checked: that the documents' scripts are good bash, and what they call."""

import base64
import email
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import urllib.parse

import nodelib
import sandbox

ANSWERS = pathlib.Path(os.environ.get("GARDENER_CONFORMANCE", nodelib.ROOT.parent / "shared/conformance/gardener"))
PROGRAM = os.environ.get("OSM_GEN", str(nodelib.ROOT / "build/osm-gen"))
STUBS = ("systemctl", "apt-get", "apt", "zypper", "modprobe", "ip", "wicked", "reboot", "gardenlinux-update")
# Files and folders that their owner may not read or enter: on a node only root writes and reads them.
OF_ROOT = ("10-permissions",)
# Comments and descriptions: what a machine does not read.
SILENT = re.compile(r"^(#.*|Description=.*|)\n", re.M)


# ---- a node that is a folder ----------------------------------------------------------------------

class Node:
    """What stands on a node, and what was called there."""

    MOVED = re.compile(r"(?<![\w./$}-])/(etc|opt|var|run|sys|bin|usr)(?=/)")

    def __init__(self, folder, eth0=False, files=()):
        self.root, self.calls_file, self.stubs = folder / "root", folder / "calls", folder / "stubs"
        for name in ("root/bin", "root/usr/bin", "root/usr/sbin", "root/etc/sysconfig/network", "root/etc/systemd/system",
                     "root/sys/class/net", "stubs"):
            (folder / name).mkdir(parents=True)
        if eth0:
            (self.root / "sys/class/net/eth0").mkdir()
            (self.root / "etc/sysconfig/network/ifcfg-eth0").write_text("BOOTPROTO=dhcp\n")
        for name in STUBS:
            self.stub(name)
        self.stub("nslookup", "exit 1\n")
        self.stub("hostname", "echo node-1\n")
        self.stub("rpm", "echo 234\n")
        self.stub("containerd", "echo SystemdCgroup = false\n")
        self.stub("dpkg-query", "exit 1\n")
        self.stub("sleep")
        for path, text in files:
            self.put(path, text.encode(), None)
        self.calls_file.write_text("")

    def stub(self, name, body=""):
        path = self.stubs / name
        path.write_text(sandbox.STUB + body)
        path.chmod(0o755)

    def put(self, path, data, mode):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o644 if mode is None else mode)

    def moved(self, text):
        first, _, rest = text.partition("\n")
        if first.startswith("#!"):
            return first + "\n" + self.MOVED.sub(rf"{self.root}/\1", rest)
        return self.MOVED.sub(rf"{self.root}/\1", text)

    def run(self, text, *arguments):
        script = self.root.parent / "script"
        script.write_text(self.moved(text))
        env = {"PATH": f"{self.stubs}:/usr/sbin:/usr/bin:/sbin:/bin", "CALLS": str(self.calls_file), "LC_ALL": "C"}
        return subprocess.run(["bash", str(script), *arguments], capture_output=True, text=True, timeout=1200, env=env, check=False)

    def back(self, data):
        return data.replace(str(self.root).encode(), b"")

    def calls(self):
        return [self.back(line.encode()).decode() for line in self.calls_file.read_text().splitlines()]

    def tree(self):
        """path -> (mode, bytes) or (link's target)."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = "/" + str(path.relative_to(self.root))
            if path.is_symlink():
                found[name] = "-> " + self.back(os.readlink(path).encode()).decode()
            elif path.is_file():
                found[name] = (oct(stat.S_IMODE(path.stat().st_mode)), self.back(path.read_bytes()))
        return found


class Scratch:
    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def path(self):
        self.count += 1
        path = self.folder / f"{self.count:04}"
        path.mkdir()
        return path

    def node(self, **options):
        return Node(self.path(), **options)


def compare(t, name, have, want):
    """Two dictionaries or lists, by what differs in them."""
    if isinstance(have, dict) and isinstance(want, dict):
        differing = [f"{key}: {have.get(key)!r}, want {want.get(key)!r}"
                     for key in sorted(set(have) | set(want)) if have.get(key) != want.get(key)]
        return t.check(name, not differing, "\n".join(differing))
    return t.check(name, have == want, f"have: {have!r}\nwant: {want!r}")


# ---- user-data ------------------------------------------------------------------------------------

def mended(text):
    """The extension's own answer without the faults that are known of it (gardener#2058, a misspelled variable)."""
    text = re.sub(r"^EOFcat ", "EOF\ncat ", text, flags=re.M)
    text = re.sub(r"^(    [A-Za-z0-9+/=]+)- path:", r"\1\n- path:", text, flags=re.M)
    return text.replace("SYSMTED", "SYSTEMD")


def parts(text):
    """(the script, the settings of the hypervisor) of a MIME document; text itself is a script else."""
    if not text.startswith("Content-Type: multipart/"):
        return text, None
    found = {}
    for part in re.split(r"^--==BOUNDARY==(?:--)?\n?", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        if head:
            found[head.split(";")[0]] = body.lstrip("\n")
    settings = sorted(line for line in found["Content-Type: text/x-vsmp"].splitlines() if line)
    return found["Content-Type: text/x-shellscript"], settings


def check_mime(t, name, text):
    """That it is MIME, read by another program."""
    message = email.message_from_string(text)
    t.equal(f"{name}: MIME parts", [part.get_content_type() for part in message.get_payload()], ["text/x-vsmp", "text/x-shellscript"])
    t.equal(f"{name}: MIME without a fault", message.defects, [])


def script_of(text):
    if text.startswith("#cloud-config-archive"):
        return nodelib.load_yaml(text)[0]["content"]
    return parts(text)[0]


def with_own(tree, own):
    """The tree with the OperatingSystemConfig's files as it has them: what the extension makes of a text's end is a fault."""
    return {**tree, **{path: (tree[path][0], data) for path, data in own.items() if path in tree}}


def check_script(t, scratch, name, have, want, repo):
    if parts(have)[1] is not None:
        check_mime(t, name, have)
        t.equal(f"{name}: settings of the hypervisor", parts(have)[1], parts(want)[1])
    for eth0 in (False, True):
        ours, theirs = scratch.node(eth0=eth0), scratch.node(eth0=eth0)
        result = ours.run(script_of(have))
        theirs.run(script_of(mended(want)))
        t.check(f"{name}: no word of bash", "line " not in result.stderr and result.returncode == 0, result.stderr)
        compare(t, f"{name}: files", ours.tree(), with_own(theirs.tree(), repo.files))
        compare(t, f"{name}: calls", ours.calls(), theirs.calls())
        if repo.purpose == "reconcile":
            before = ours.tree()
            ours.run(script_of(have))
            compare(t, f"{name}: applied again", ours.tree(), before)
    check_bash(t, scratch, name, script_of(have))


def check_bash(t, scratch, name, text):
    path = scratch.path() / "script"
    path.write_text(text)
    result = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
    t.check(f"{name}: bash -n", result.returncode == 0, result.stderr)
    if shutil.which("shellcheck"):
        # An external program's status is what is asked for; a function may be called from elsewhere.
        result = subprocess.run(["shellcheck", "-s", "bash", str(path)], capture_output=True, text=True, check=False)
        t.check(f"{name}: shellcheck", result.returncode == 0, result.stdout)


def written(entry):
    data = entry.get("content", "")
    data = base64.b64decode(data) if entry.get("encoding") in ("b64", "base64") else data.encode()
    return {"mode": int(str(entry.get("permissions") or "644"), 8), "data": data}


def cloud_config(text):
    document = nodelib.load_yaml(mended(text))
    files = {}
    for entry in document.pop("write_files", None) or []:
        files[entry["path"]] = written(entry)
    return files, document.pop("runcmd", []), document


def as_script(command):
    return command if isinstance(command, str) else "".join(command[2:])


def applied(node, files, commands):
    """What cloud-init does with a cloud-config: its files are written, then its commands run."""
    for path, file in files.items():
        node.put(path, file["data"], file["mode"])
    return [node.run(as_script(command) + "\n") for command in commands]


def check_cloud_config(t, scratch, name, have, want, repo):
    nodes = []
    for text in (have, want):
        files, commands, top = cloud_config(text)
        node = scratch.node(eth0=True)
        for result in applied(node, files, commands):
            if text is have:
                t.check(f"{name}: no word of bash", "line " not in result.stderr, result.stderr)
        nodes.append((node, top))
    (ours, top), (theirs, wanted_top) = nodes
    compare(t, f"{name}: files", ours.tree(), with_own(theirs.tree(), repo.files))
    compare(t, f"{name}: calls", ours.calls(), theirs.calls())
    compare(t, f"{name}: members of cloud-init's", top, wanted_top)


def coreos(text):
    document = nodelib.load_yaml(text)
    files = {entry["path"]: written(entry) for entry in document.pop("write_files", None) or []}
    units = [{**unit, "content": unit.get("content", "")} for unit in document["coreos"].pop("units")]
    return files, units, document


def ignition(text):
    document = json.loads(text)
    files = {}
    for file in document["storage"].get("files", []):
        source = file["contents"]["source"]
        head, data = source[5:].split(",", 1)
        # The extension encodes a blank as a form does, which Ignition takes for a plus sign.
        data = base64.b64decode(data) if head.endswith(";base64") else urllib.parse.unquote_plus(data).encode()
        files[file["path"]] = {"mode": file.get("mode", 0o644), "data": data}
    for link in document["storage"].get("links", []):
        files[link["path"]] = {"link": link["target"], "overwrite": link["overwrite"]}
    units = document.get("systemd", {}).get("units", [])
    for unit in units:
        unit["content"] = unit.pop("contents", "")
        if "dropins" in unit:
            unit["dropins"] = [dict(sorted(drop_in.items())) for drop_in in unit["dropins"]]
    return files, units, {"version": document["ignition"]["version"]}


# ---- texts in words of our own --------------------------------------------------------------------

# What stands on the node when one of these scripts runs, and with which arguments.
KUBELET = ("/var/lib/kubelet/config/kubelet", "cgroupDriver: cgroupfs\nresolvConf: /etc/resolv.conf\n")
LOGROTATE = ("/etc/systemd/system/containerd-logrotate.service", "ExecStart=/usr/sbin/logrotate /etc/logrotate.conf\n")
CGROUPS = ("/sys/fs/cgroup/cgroup.controllers", "cpu\n")
SITUATIONS = {
    "/opt/bin/containerd-setup.sh": [([], [LOGROTATE]), ([], [LOGROTATE, CGROUPS, ("/usr/bin/logrotate", "")])],
    "/opt/bin/run-command.sh": [([], [])],
    "/opt/bin/kubelet_cgroup_driver.sh": [([], [KUBELET]), ([], [KUBELET, CGROUPS])],
    "/opt/gardener/bin/configure_kubelet_resolv_conf.sh": [([], [KUBELET]), ([], [])],
    "/opt/gardener/bin/install-ntp.sh": [(["systemd-timesyncd"], []), (["ntpd"], []), ([], []), (["chrony"], [])],
    "/opt/gardener/bin/inplace-update.sh": [(["1877.3.0"], []), ([], []),
                                            (["1"], [("/etc/gardenlinux/usirepo.conf", "registry.example.com/os\n")])],
}
PROGRAMS = ("/usr/bin/containerd", "/run/torcx/unpack/docker/bin/containerd")


def effect(scratch, path, text):
    """What a script does in each of its situations; a failure by its kind alone."""
    found = []
    for arguments, files in SITUATIONS[path]:
        for update in (0, 1, 2, 3) if path.endswith("inplace-update.sh") else (0,):
            node = scratch.node(files=files)
            node.stub("gardenlinux-update", f"exit {update}\n")
            for program in PROGRAMS:
                node.put(program, b"#!/bin/sh\necho SystemdCgroup = false\n", 0o755)
            result = node.run(text, *arguments)
            words = re.findall(r"invalid arguments|system failure|network problems", result.stdout)
            found.append((result.returncode, words, node.calls(), node.tree()))
    return found


def same_text(t, scratch, name, path, have, want):
    """Files whose words are our own: scripts by what they do, the others by what is read of them."""
    if path in SITUATIONS:
        compare(t, f"{name}: what {path} does", effect(scratch, path, have), effect(scratch, path, want))
        check_bash(t, scratch, f"{name}: {path}", have)
    else:
        t.equal(f"{name}: {path}", SILENT.sub("", have + "\n"), SILENT.sub("", want + "\n"))


def check_data(t, scratch, name, read, have, want):
    files, units, rest = read(have)
    wanted_files, wanted_units, wanted_rest = read(want)
    for path in sorted(set(files) & set(wanted_files) & set(SITUATIONS)):
        same_text(t, scratch, name, path, files[path].pop("data").decode(), wanted_files[path].pop("data").decode())
    compare(t, f"{name}: files", files, wanted_files)
    for unit in units + wanted_units:
        unit["content"] = SILENT.sub("", unit["content"] + "\n")
    t.equal(f"{name}: units", [sorted(unit.items()) for unit in units], [sorted(unit.items()) for unit in wanted_units])
    compare(t, f"{name}: the rest", rest, wanted_rest)


def check_user_data(t, scratch, name, have, want, repo):
    if want.startswith("{"):
        check_data(t, scratch, name, ignition, have, want)
    elif want.startswith("#cloud-config\n\ncoreos:"):
        check_data(t, scratch, name, coreos, have, want)
    elif want.startswith("#cloud-config\n"):
        check_cloud_config(t, scratch, name, have, want, repo)
    else:
        check_script(t, scratch, name, have, want, repo)


# ---- status and osc.yaml --------------------------------------------------------------------------

def check_status(t, scratch, name, have, folder, repo):
    """As an extension writes it; what it says of the operation, and of a generation that git does not have, is not here."""
    have = nodelib.load_yaml(have)["status"]
    want = nodelib.load_yaml((folder / "status").read_text()) or {}
    for key in ("lastOperation", "observedGeneration"):
        have.pop(key, None)
        want.pop(key, None)
    # Answers of 2021 are those of the generators: who names the Secret is the library.
    if "cloudConfig" in have and (folder / "cloud_config").exists():
        want.setdefault("cloudConfig", {"secretRef": {"name": f"osc-result-{repo.name.split('/')[1]}",
                                                      "namespace": repo.name.split("/")[0]}})
    if want.get("units") == []:
        del want["units"]
    for document in (have, want):
        for file in document.get("extensionFiles", []):
            inline = file["content"]["inline"]
            file["text"] = base64.b64decode(inline["data"]).decode() if inline["encoding"] == "b64" else inline["data"]
            del file["content"]
        for unit in document.get("extensionUnits", []):
            unit["content"] = SILENT.sub("", unit.get("content", "") + "\n")
    for ours, theirs in zip(have.get("extensionFiles", []), want.get("extensionFiles", [])):
        if ours["path"] == theirs["path"]:
            same_text(t, scratch, name, ours["path"], ours.pop("text"), theirs.pop("text"))
    # With "once" cloud-init applies only the first of all versions (check_applied_again).
    if "--frequency=once" in want.get("command", ""):
        want["command"] = want["command"].replace("--frequency=once", "--frequency=always")
    compare(t, f"{name}: status", have, want)


def check_node_agent(t, name, have, folder):
    def spec(text):
        return text.partition("\nstatus:")[0].rstrip("\n")

    t.equal(f"{name}: the OperatingSystemConfig for the node's agent, to the byte", spec(have), spec((folder / "osc.yaml").read_text()))


# ---- the cases ------------------------------------------------------------------------------------

class Repository:
    """One OperatingSystemConfig with its Secrets, and the settings of a set of answers."""

    def __init__(self, folder, text, settings, document=None):
        self.folder = folder
        if document:
            (folder / "document.yaml").write_text(document)
        recipient = re.search(r"- (age1[0-9a-z]+)", (nodelib.ROOT / "osm-gen.yaml").read_text()).group(1)
        fleet = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet",
                 "spec": {"sealing": {"recipients": [recipient]}, "defaults": settings}}
        (folder / "osm-gen.yaml").write_text(json.dumps(fleet))
        (folder / "osc.yaml").write_text(text)
        osc, *secrets = nodelib.load_yaml_all(text)
        self.name = f"{osc['metadata'].get('namespace', 'default')}/{osc['metadata']['name']}"
        self.purpose = osc["spec"]["purpose"]
        self.osc, self.secrets = osc, secrets
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t.example", "commit", "-qm", "t"]):
            nodelib.run(["git", "-C", str(folder), *command])

    @property
    def files(self):
        """path -> the bytes that the OperatingSystemConfig says."""
        return {file["path"]: self.content(file["content"]) for file in self.osc["spec"].get("files", [])}

    def content(self, content):
        if "inline" in content:
            data = content["inline"]["data"].encode()
            return base64.b64decode(data) if content["inline"].get("encoding") == "b64" else data
        found = [secret for secret in self.secrets if secret["metadata"]["name"] == content["secretRef"]["name"]]
        return base64.b64decode(found[0]["data"][content["secretRef"]["dataKey"]]) if found else None

    def render(self, seed, what):
        return subprocess.run([PROGRAM, "render", "--repo", str(self.folder), "--operating-system-config", self.name, "--print",
                               what, "--reveal", "--seal-seed-file", str(seed)], capture_output=True, text=True, check=False)


def check_wrong(t, name, repo, seed):
    """What the extension refuses is refused, at a line of the file, and nothing is written."""
    result = subprocess.run([PROGRAM, "--repo", str(repo.folder), "--out", "out", "--seal-seed-file", str(seed)],
                            capture_output=True, text=True, check=False)
    t.equal(f"{name}: refused", result.returncode, 2)
    t.check(f"{name}: at a line of the file", re.search(r"^osc\.yaml:\d+:\d+: error", result.stderr, re.M), result.stderr)
    t.check(f"{name}: nothing is written", not (repo.folder / "out").exists())


def check_case(t, scratch, seed, folder, settings):
    case, kind = folder.parent.name, folder.name
    name = f"{folder.parent.parent.name}/{case}/{kind}"
    text = (ANSWERS / "cases" / case / "input.yaml").read_text().replace("__TYPE__", kind)
    repo = Repository(scratch.path(), text, settings)
    if case == "12-enc-badb64" or (folder / "error").exists() or (folder / "panic").exists():
        return check_wrong(t, name, repo, seed)
    has_scripts = (folder / "cloud_config").exists()
    if has_scripts and case in OF_ROOT and os.geteuid() != 0:
        t.skip(f"{name}: the scripts' files", "it needs root, for files that their owner may not read")
    elif has_scripts:
        result = repo.render(seed, "user-data")
        if t.check(f"{name}: rendered", result.returncode == 0, result.stderr):
            check_user_data(t, scratch, name, result.stdout, (folder / "cloud_config").read_text(), repo)
    result = repo.render(seed, "status")
    if t.check(f"{name}: status rendered", result.returncode == 0, result.stderr):
        check_status(t, scratch, name, result.stdout, folder, repo)
    if (folder / "osc.yaml").exists():
        check_node_agent(t, name, repo.render(seed, "node-agent").stdout, folder)
    return None


# ---- the documents by themselves ------------------------------------------------------------------

START = ["enable a.service", "restart a.service", "enable cloud-config-downloader.service", "restart cloud-config-downloader.service"]
NO_BLOCK = [call.replace("restart ", "restart --no-block ") for call in START]
CONTAINERD, DOCKER = ["enable containerd", "restart containerd"], ["enable docker", "restart docker"]
RELOAD = ["daemon-reload"]
APT = ["apt-get update -qq", "apt-get install --no-upgrade -qqy {} socat nfs-common logrotate jq policykit-1"]
UBUNTU, TODAY = [[APT[0], APT[1].format(packages)] for packages in ("docker.io", "containerd runc")]
NETWORK = ["modprobe nfsd", "hostname ", "nslookup node-1", "restart systemd-networkd", "daemon-reload"]
DEFAULT = ["containerd config default"]
MTU, OLD_SYSTEMD = ["ip link set dev eth0 mtu 1460", "wicked ifreload eth0"], ["rpm -q --qf %{VERSION} systemd", "daemon-reload"]
ZYPPER = ["zypper -q install -y docker wget socat jq nfs-client", "hostname ", "daemon-reload", *DOCKER]
# (contract, format, type, purpose, criConfig.name): what is called, in order; systemctl's calls without its name.
CALLS = {
    ("2021", "auto", "ubuntu", "provision", ""): UBUNTU + RELOAD + ["restart docker"] + START,
    ("2021", "auto", "ubuntu", "provision", "containerd"): UBUNTU + DEFAULT + RELOAD + CONTAINERD + START,
    ("2021", "auto", "ubuntu", "reconcile", "containerd"): UBUNTU + RELOAD + START[:2],
    ("2021", "cloud-config", "ubuntu", "provision", ""): UBUNTU + RELOAD + ["restart docker"] + START,
    ("2021", "cloud-config", "ubuntu", "provision", "containerd"): UBUNTU + DEFAULT + RELOAD + CONTAINERD + START,
    ("2021", "cloud-config", "ubuntu", "reconcile", ""): UBUNTU + RELOAD + START[:2],
    ("2021", "auto", "gardenlinux", "provision", ""): NETWORK + DOCKER + START,
    ("2021", "auto", "gardenlinux", "provision", "containerd"): DEFAULT + NETWORK + CONTAINERD + DOCKER + START,
    ("2021", "auto", "gardenlinux", "reconcile", "containerd"): NETWORK + START[:2],
    ("2021", "auto", "suse-jeos", "provision", "containerd"):
        MTU + OLD_SYSTEMD + ZYPPER + ["enable cloud-config-downloader", "restart cloud-config-downloader"],
    ("2021", "auto", "suse-chost", "reconcile", ""): MTU + OLD_SYSTEMD,
    ("2021", "cloud-config", "suse-chost", "provision", ""): MTU + ZYPPER + RELOAD + START,
    ("2021", "cloud-config", "suse-chost", "reconcile", ""): MTU + RELOAD + START[:2],
    ("2021", "auto", "minimal", "provision", ""): RELOAD + START,
    ("2021", "auto", "minimal", "reconcile", ""): RELOAD + START[:2],
    ("current", "auto", "ubuntu-pro", "provision", "containerd"): TODAY + DEFAULT + RELOAD + CONTAINERD + NO_BLOCK,
    ("current", "auto", "gardenlinux-fips", "provision", "containerd"): DEFAULT + NETWORK + CONTAINERD + NO_BLOCK,
    ("current", "auto", "suse-chost", "provision", "containerd"):
        DEFAULT + ["show containerd -p Conflicts", "zypper -q install -y wget socat jq nfs-client", "hostname "] + RELOAD
        + CONTAINERD + ["disable docker", "stop docker", "restart systemd-journald"] + NO_BLOCK,
    ("current", "auto", "minimal", "provision", "containerd"): RELOAD + NO_BLOCK,
}


def check_calls(t, scratch, seed):
    """Each script of the documents, with no answer of another program at hand."""
    for (contract, form, kind, purpose, cri), want in CALLS.items():
        units = [{"name": name, "content": "[Service]\n"} for name in ("a.service", "cloud-config-downloader.service")]
        osc = {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
               "metadata": {"name": "a", "namespace": "shoot"}, "spec": {"type": kind, "purpose": purpose, "units": units}}
        if cri:
            osc["spec"]["criConfig"] = {"name": cri}
        repo = Repository(scratch.path(), json.dumps(osc), {"gardenerContract": contract, "gardenerFormat": form})
        result = repo.render(seed, "user-data")
        name = " ".join(word for word in (contract, form, kind, purpose, cri) if word)
        node = scratch.node(eth0=True)
        if form == "auto":
            node.run(script_of(result.stdout))
        else:
            applied(node, *cloud_config(result.stdout)[:2])
        t.equal(f"{name}: calls", [call.removeprefix("systemctl ") for call in node.calls()], want)
        if form == "auto":
            check_bash(t, scratch, name, result.stdout)
        if cri == "containerd" and kind == "ubuntu" and purpose == "provision":
            t.equal(f"{name}: the file of --config", (node.root / "etc/containerd/config.toml").read_text(), "SystemdCgroup = false\n")
            t.equal(f"{name}: resolv.conf", os.readlink(node.root / "etc/resolv.conf").partition("/run/")[2], "systemd/resolve/resolv.conf")


def check_applied_again(t, scratch, seed):
    """status.command of a cloud-config, run by the real cloud-init for two versions of a file, in mounts of its own."""
    if not shutil.which("cloud-init") or os.geteuid() != 0:
        t.skip("status.command runs twice", "there is no cloud-init, or it does not run as root")
        return
    usage = subprocess.run(["cloud-init", "--help"], capture_output=True, text=True, check=False).stdout
    if "--file" not in usage:
        t.skip("status.command runs twice", "this cloud-init, unlike those of 2021, has no --file before its command")
        return
    folder = scratch.path()
    osc = {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
           "metadata": {"name": "a", "namespace": "shoot"}, "spec": {
               "type": "suse-chost", "purpose": "reconcile", "reloadConfigFilePath": "/run/cloud_config", "files": [
                   {"path": "/run/applied", "content": {"inline": {"encoding": "", "data": "v1"}}}]}}
    settings = {"gardenerContract": "2021", "gardenerFormat": "cloud-config"}
    for version in ("v1", "v2"):
        osc["spec"]["files"][0]["content"]["inline"]["data"] = version
        repo = Repository(scratch.path(), json.dumps(osc), settings)
        (folder / version).write_text(repo.render(seed, "user-data").stdout)
        command = nodelib.load_yaml(repo.render(seed, "status").stdout)["status"]["command"]
    mounts = "mount -t tmpfs none /var/lib && mount -t tmpfs none /run"
    probe = subprocess.run(["unshare", "-m", "sh", "-c", mounts], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        t.skip("status.command runs twice", f"no mounts of its own here: {probe.stderr.strip()}")
        return
    script = (f"{mounts}\nfor v in v1 v2; do\n"
              f"cp '{folder}'/$v /run/cloud_config\n{command} >/run/log 2>&1 || cat /run/log\ncat /run/applied; echo\ndone")
    result = subprocess.run(["unshare", "-m", "bash", "-c", script], capture_output=True, text=True, check=False)
    t.equal("status.command: each version is applied", result.stdout, "v1\nv2\n")


def check_documents(t, scratch):
    """Scripts in the documents that no case reaches: the files that they write."""
    for path in sorted((nodelib.ROOT / "profiles/gardener").glob("*.yaml")):
        spec = nodelib.load_yaml(path.read_text())["spec"]
        for form in (spec, spec.get("cloudConfig", {})):
            for stage in ("provision", "reconcile"):
                for file in form.get(stage, {}).get("files", []):
                    if file["content"].startswith("#!"):
                        check_bash(t, scratch, f"{path.name}: {file['path']}", file["content"])


def check_example(t, scratch, seed):
    """The document that docs/gardener.md shows serves its type, without a word."""
    text = (nodelib.ROOT / "docs/gardener.md").read_text()
    shown = [block for block in re.findall(r"(?:^    .*\n|^\n)+", text, re.M) if "kind: OperatingSystemExtension" in block]
    t.equal("docs/gardener.md shows a document", len(shown), 1)
    document = re.sub(r"^    ", "", shown[0].strip("\n"), flags=re.M)
    kind = nodelib.load_yaml(document)["spec"]["types"][0]
    osc = {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
           "metadata": {"name": "a", "namespace": "shoot"}, "spec": {
               "type": kind, "purpose": "provision", "units": [{"name": "a.service", "content": "[Service]\nExecStart=/bin/a\n"}]}}
    repo = Repository(scratch.path(), json.dumps(osc), {}, document)
    result = repo.render(seed, "user-data")
    t.check("docs/gardener.md: the document is right", result.returncode == 0 and not result.stderr, result.stderr)
    check_bash(t, scratch, "docs/gardener.md", result.stdout)
    t.check("docs/gardener.md: its commands and the unit are there", "dnf install" in result.stdout
            and "restart --no-block 'a.service'" in result.stdout, result.stdout)


def main():
    _, _holder, folder = nodelib.start(__doc__)
    t = nodelib.Checks()
    scratch = Scratch(folder)
    seed = folder / "seed"
    seed.write_text(nodelib.run([PROGRAM, "keygen", "seed"]).stdout)
    seed.chmod(0o600)
    check_documents(t, scratch)
    check_example(t, scratch, seed)
    check_calls(t, scratch, seed)
    check_applied_again(t, scratch, seed)
    if not ANSWERS.is_dir():
        t.skip("the answers of Gardener's extensions", "they are not part of the sources; GARDENER_CONFORMANCE names a folder that has them")
        t.finish()
    sets = {
        "expected-2021": {"gardenerContract": "2021"},
        "expected-2021-cloudinit": {"gardenerContract": "2021", "gardenerFormat": "cloud-config"},
        "expected-current": {"gardenerContract": "current", "gardenerNodeAgentSecrets": True},
    }
    for name, settings in sets.items():
        for answer in sorted((ANSWERS / name).glob("*/*")):
            check_case(t, scratch, seed, answer, settings)
    t.finish()


if __name__ == "__main__":
    main()
