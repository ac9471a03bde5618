"""What the real kubelets make of kubelet.conf and of kubelet.service's flags: each starts in full, with the configuration
and the flags as they were rendered, a container runtime that is never ready and an API server that does not answer."""

import base64
import pathlib
import re
import shlex

import yaml

import machine
import nodelib

# minor -> the version that is built: a kubelet reads what is rendered for its own minor.
VERSIONS = {33: "v1.33.13", 34: "v1.34.9", 35: "v1.35.4", 36: "v1.36.3", 37: "v1.37.1"}
CONFIGURATION, SERVICE = "/etc/kubernetes/kubelet.conf", "/etc/systemd/system/kubelet.service"
# Files of extensions, read after it in the order of their names.
DROP_INS = f"{CONFIGURATION}.d/"
STARTED = '"Started kubelet"'
# The line after which a kubelet's parts begin to work, each with complaints about the runtime in an order of their own.
READ = '"Container runtime initialized"'
# What the kubelet makes of the configuration and the flags together: up to 1.36 JSON with names of its own, from then on
# YAML with those of the file.
EFFECTIVE = re.compile(r'KubeletConfiguration" config(uration)?=<$')
OWN_NAMES = {"resolvconf": "resolverconfig"}
# Complaints that are not about the configuration.
KNOWN = {
    "no API server answers": r"connection refused",
    "a default of 1.37 that Amazon Linux 2, with control groups of version 1, does without": r"MemoryQoS feature only works",
    "a container may not be allowed to": r"(Failed to set rlimit on max file handles|ApplyOOMScoreAdj)",
}


def minor_of(variant):
    return int(variant["version"].split(".")[1])


def expanded(unit, variant):
    """The command of the service, with what setup_net_env.sh finds out."""
    family = variant.get("family", "IPv4")
    addresses = {"IPv4": "192.0.2.7", "IPv6": "2001:db8::7", "IPv4+IPv6": "192.0.2.7,2001:db8::7",
                 "IPv6+IPv4": "2001:db8::7,192.0.2.7"}
    command = re.search(r"^ExecStart=(.*)", unit.replace("\\\n", ""), re.M)[1]
    for name, value in {"KUBELET_HOSTNAME": "worker-1", "KUBELET_NODE_IP": addresses[family]}.items():
        command = command.replace(f"${{{name}}}", value)
    return shlex.split(command)


def complaints(lines):
    """Warnings, errors and what a kubelet calls wrong in another way while it reads, but for what is known."""
    bad = re.compile(r"^[WEF]\d{4} |^Error|lenient|deprecated|unknown|unrecognized|[Ww]arning|will be removed")
    result = []
    for line in lines:
        if READ in line:
            break
        if bad.search(line) and not any(re.search(pattern, line) for pattern in KNOWN.values()):
            result.append(line)
    return result


def effective(lines):
    """The configuration that the kubelet works with."""
    start = next((number for number, line in enumerate(lines) if EFFECTIVE.search(line)), None)
    if start is None:
        return {}
    end = next(number for number, line in enumerate(lines[start:], start) if line.strip() == ">")
    return yaml.safe_load("\n".join(line.removeprefix("\t") for line in lines[start + 1:end]))


def seconds(duration):
    """Of Go's text for a duration."""
    units = {"h": 3600, "m": 60, "s": 1}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+)([hms])", duration))


def lost(have, want, path=""):
    """What of the written configuration is not in the effective one, or is not the same."""
    if isinstance(want, dict) and isinstance(have, dict):
        names = {name.lower(): value for name, value in have.items()}
        return [line for name, value in want.items() for line in
                lost(names.get(name.lower(), names.get(OWN_NAMES.get(name.lower()))), value, f"{path}.{name}".lstrip("."))]
    if isinstance(have, dict) and set(have) == {"Duration"}:
        have, want = seconds(have["Duration"]), seconds(want)
    # The YAML leaves out a 0.
    return [] if have == want or (have, want) == (None, 0) else [f"{path}: {have!r}, not {want!r}"]


class Kubelets:
    def __init__(self, scratch, own, folders):
        self.scratch, self.own, self.folders = scratch, own, folders
        crt, key = (base64.b64encode(path.read_bytes()).decode() for path in nodelib.certificate(scratch))
        self.kubeconfig = yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "node",
            "contexts": [{"name": "node", "context": {"cluster": "of-the-node", "user": "node"}}],
            "clusters": [{"name": "of-the-node", "cluster": {"server": "https://127.0.0.1:1"}}],
            "users": [{"name": "node", "user": {"client-certificate-data": crt, "client-key-data": key}}]})

    def run(self, minor, files, command, cgroups=2):
        """What a kubelet says against the files and the command, and what of the configuration it does not work with."""
        files_and_kubeconfig = {**files, "/var/lib/kubelet/kubeconfig": self.kubeconfig}
        with machine.Machine(self.scratch, files_and_kubeconfig, self.folders[minor], cgroups) as system:
            system.beside(self.own / "cri", "/run/containerd/containerd.sock")
            lines, reached = system.lines([*command, "--v=5"], STARTED)
        result = complaints(lines)
        if not reached:
            result += ["it does not start", *lines[-3:]]
        written = {}
        for path in (CONFIGURATION, *sorted(path for path in files if path.startswith(DROP_INS))):
            written.update(yaml.safe_load(files[path]))
        written = {name: value for name, value in written.items() if name not in ("apiVersion", "kind")}
        return result, lost(effective(lines), written)


def check(t, scratch, own, rendered):
    """rendered: (case, profile, variant, files) of every machine"""
    minors = {minor_of(variant) for _, _, variant, _ in rendered}
    for minor in sorted(minors - set(VERSIONS)):
        name = f"machines with kubelet 1.{minor}"
        if minor < min(VERSIONS):
            t.skip(name, f"kubelets before 1.{min(VERSIONS)} are not built")
        else:
            t.check(name, False, f"VERSIONS names no kubelet 1.{minor}")
    kubelets = Kubelets(scratch, own, machine.built(t, "kubelet", VERSIONS))
    seen, examples = set(), {}
    for case, profile, variant, files in rendered:
        minor = minor_of(variant)
        if minor not in kubelets.folders:
            continue
        command = expanded(files[SERVICE], variant)
        # Both versions of control groups where the system may have the first, which only a machine that has it can show.
        for cgroups in (1, 2) if profile.cgroup_v1 else (2,):
            key = (minor, files[CONFIGURATION], tuple(command), cgroups)
            if key in seen:
                continue
            seen.add(key)
            name = f"kubelet 1.{minor} starts as in {case}, control groups {cgroups}"
            if cgroups == 1 and not pathlib.Path("/sys/fs/cgroup/cpu").is_dir():
                t.skip(name, "this machine has control groups of version 2 only")
                continue
            said, missing = kubelets.run(minor, files, command, cgroups)
            t.check(name, not said + missing, "\n".join(said + missing))
        examples.setdefault(minor, (files, command))
    for minor, (files, command) in sorted(examples.items()):
        check_mistakes(t, kubelets, minor, files, command)


def check_mistakes(t, kubelets, minor, files, command):
    """Mistakes that a kubelet must be seen to notice: else the checks above prove nothing."""
    def changed(**values):
        return {**files, CONFIGURATION: yaml.safe_dump({**yaml.safe_load(files[CONFIGURATION]), **values})}

    for name, broken, line, expected in (
            ("a mistyped key", changed(rotateCertificate=True), command, "rotateCertificate"),
            ("an unknown feature gate", changed(featureGates={"NoSuchGate": True}), command, "NoSuchGate"),
            ("a text for a number", changed(maxPods="many"), command, "maxPods"),
            ("a number out of range", changed(imageGCHighThresholdPercent=140), command, "imageGCHighThresholdPercent"),
            ("a wrong threshold", changed(evictionHard={"memory.available": "much"}), command, "quantities must match"),
            ("an unknown flag", files, command + ["--no-such-flag"], "no-such-flag"),
            ("a deprecated flag", files, command + ["--max-pods=9"], "--max-pods has been deprecated")):
        said, _ = kubelets.run(minor, broken, line)
        t.check(f"kubelet 1.{minor} notices {name}", any(expected in text for text in said), "\n".join(said))
