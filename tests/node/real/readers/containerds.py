"""What containerd makes of the profiles' configuration. It takes a mistyped table, a mistyped key and a whole file of a
later version in silence, so its dump is compared with what the configuration means."""

import functools
import re
import subprocess
import tomllib

import machine

# Debian 12's 1.6, the last 1.x (Amazon Linux 2, older Flatcar), that of the profiles' packages and the newest.
VERSIONS = {"1.6": "debian", "1.7": "v1.7.35", "2.2": "v2.2.9", "2.4": "v2.4.2"}
READS = {2: tuple(VERSIONS), 3: ("2.2", "2.4")}
STARTED = "containerd successfully booted"
# Warnings and errors of a containerd that are not about its configuration.
KNOWN = {
    "without a network add-on there is no CNI configuration": r"failed to load cni during init",
    "btrfs, devmapper and fs-verity are not on every machine": r"(btrfs|devmapper|fsverity)",
    "containerd 2 reads earlier versions and says so": r"Configuration migrated from version",
    "the controller writes credentials to where containerd 2 would rather not have them":
        r"(`configs` is deprecated|Found 'Registry.Configs' in CRI config)",
}


def leaves(tree, path=()):
    if not isinstance(tree, dict):
        return {path: tree}
    return {leaf: value for key, below in tree.items() for leaf, value in leaves(below, path + (key,)).items()}


def meaning(dump):
    """The settings that matter, wherever this version of containerd has them."""
    plugins = dump["plugins"]
    if "io.containerd.cri.v1.runtime" in plugins:
        images, runtime = plugins["io.containerd.cri.v1.images"], plugins["io.containerd.cri.v1.runtime"]
        pause, discards = images["pinned_images"]["sandbox"], images["discard_unpacked_layers"]
    else:
        images = runtime = plugins["io.containerd.grpc.v1.cri"]
        pause, discards = images["sandbox_image"], images["containerd"]["discard_unpacked_layers"]
    # From version 4 on.
    metrics = plugins.get("io.containerd.server.v1.metrics") or dump["metrics"]
    runc, cni = runtime["containerd"]["runtimes"]["runc"], runtime["cni"]
    return {
        "default runtime": runtime["containerd"]["default_runtime_name"],
        "runtimes": list(runtime["containerd"]["runtimes"]),
        "runc's type": runc["runtime_type"],
        "SystemdCgroup": runc["options"].get("SystemdCgroup"),
        "device ownership": runtime["device_ownership_from_security_context"],
        "CNI plugins": cni.get("bin_dirs") or [cni["bin_dir"]],
        "CNI configuration": cni["conf_dir"],
        "pause image": pause,
        "layers discarded": discards,
        "registries": images["registry"]["config_path"],
        "credentials": {host: {name: value for name, value in settings["auth"].items() if value}
                        for host, settings in images["registry"].get("configs", {}).items() if settings.get("auth")},
        "metrics": metrics["address"],
    }


def intended(flags, credentials):
    """The same settings, as the profiles and the flags of osm-gen ask for them. Without a pause image it is containerd's."""
    result = {
        "default runtime": "runc", "runtimes": ["runc"], "runc's type": "io.containerd.runc.v2", "SystemdCgroup": True,
        "device ownership": "--device-ownership-from-security-context" in flags, "CNI plugins": ["/opt/cni/bin"],
        "CNI configuration": "/etc/cni/net.d", "layers discarded": False, "registries": "/etc/containerd/certs.d",
        "credentials": credentials, "metrics": "127.0.0.1:1338",
    }
    result.update({"pause image": flag.removeprefix("--pause-image=") for flag in flags if flag.startswith("--pause-image=")})
    return result


class Containerd:
    def __init__(self, scratch, folder):
        self.scratch, self.folder = scratch, folder

    def run(self, *arguments):
        return subprocess.run([self.folder / "containerd", *arguments], capture_output=True, text=True, check=False)

    @functools.cached_property
    def default(self):
        return tomllib.loads(self.run("config", "default").stdout)

    def complaints(self, text, wanted):
        """How its reading of a configuration differs from what was wanted, and what it says."""
        config = self.scratch / "config.toml"
        config.write_text(text)
        done = self.run("--config", str(config), "config", "dump")
        if done.returncode:
            return [f"exit status {done.returncode}", *done.stderr.splitlines()]
        dump = tomllib.loads(done.stdout)
        result = unknown(done.stderr.splitlines())
        want, have = {**meaning(self.default), **wanted}, meaning(dump)
        result += [f"{name}: {have[name]!r}, not {want[name]!r}" for name in want if have[name] != want[name]]
        written = tomllib.loads(text)
        if written.get("version") == dump["version"]:
            read = leaves(dump)
            result += [f"{'.'.join(path)} = {value!r} is read as {read.get(path)!r}" for path, value in leaves(written).items()
                       if path not in read or read[path] != value or type(read[path]) is not type(value)]
        return result

    def start(self, files, path):
        """What it complains about when it starts, and whether it does start."""
        with machine.Machine(self.scratch, files, self.folder) as system:
            lines, reached = system.lines(["/opt/bin/containerd", "--config", path], STARTED)
        return unknown(lines) + ([] if reached else ["it does not start", *lines[-5:]])


def unknown(lines):
    """Warnings and errors but for those that are known."""
    return [line for line in lines if re.search(r"level=(warn|error|fatal|panic)", line)
            and not any(re.search(pattern, line) for pattern in KNOWN.values())]


def check_configuration(t, scratch, configurations):
    """configurations: text -> (names of cases, path, what is intended, files of the first case)"""
    readers = {version: Containerd(scratch, folder) for version, folder in machine.built(t, "containerd", VERSIONS).items()}
    for text, (names, path, wanted, files) in configurations.items():
        written = tomllib.loads(text)["version"]
        for version in [version for version in READS[written] if version in readers]:
            name = f"containerd {version} reads {path} of {names[0]}"
            complaints = readers[version].complaints(text, wanted)
            t.check(name, not complaints, "\n".join(complaints))
            complaints = readers[version].start({**files, path: text}, path)
            t.check(f"{name} and starts", not complaints, "\n".join(complaints))
        # 1.7 refuses a file of a later version, 1.6 reads it as if it were empty. Some profile must have another for it.
        for version in [version for version in readers if version not in READS[written]]:
            t.check(f"containerd {version} does not understand {path} of {names[0]}", readers[version].complaints(text, wanted))
    for written in READS:
        text, (names, path, wanted, _) = next(
            (item for item in configurations.items() if tomllib.loads(item[0])["version"] == written), (None, ((),) * 4))
        if t.check(f"a configuration of version {written} is rendered", text is not None):
            check_mistakes(t, readers, text, wanted)


def mistyped(text):
    """(name, text with that key or table mistyped, values that are lost by it) of each key and each table with keys"""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        name = re.match(r"(\w+)(?= = )|\[(?:.*\.)?(\w+)(?=\]$)", line)
        values = []
        for following in lines[number:] if name and name[1] else lines[number + 1:]:
            if not re.match(r"\w+ = ", following):
                break
            values += tomllib.loads(following).values()
            if name and name[1]:
                break
        if name and values and name[0] != "version":
            broken = f"{name[0]}s{line[name.end():]}"
            yield name[0], "\n".join(lines[:number] + [broken] + lines[number + 1:]), values


def check_mistakes(t, readers, text, wanted):
    """Each key and each table, mistyped, must be noticed: else the checks above prove nothing. Where a containerd takes the
    file for an older version, only the loss of what is not its default can be."""
    version = tomllib.loads(text)["version"]
    for reader in [reader for reader in READS[version] if reader in readers]:
        migrates, default = readers[reader].default["version"] != version, meaning(readers[reader].default)
        for name, broken, values in mistyped(text):
            if migrates and all(value in (*default.values(), *default["CNI plugins"]) for value in values):
                continue
            t.check(f"containerd {reader}: {name} of version {version}, mistyped, is noticed",
                    readers[reader].complaints(broken, wanted), broken)
