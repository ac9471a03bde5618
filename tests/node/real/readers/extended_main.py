"""Lets the real readers read what the profiles render with extensions: kubelets merge the drop-ins below --config-dir, and
containerd has NVIDIA's runtime and the rest beside what the profiles configure, 2.x by its imports and 1.x by text that
stands in the file itself. With arguments, programs of these versions alone."""

import pathlib
import re
import sys
import tempfile
import tomllib

import containerds
import extended
import kubelets
import machine
import nodelib

CONFIG, OLD_CONFIG = "/etc/containerd/config.toml", "/etc/containerd/config-1.x.toml"
DROP_IN = f"/etc/containerd/conf.d/{extended.FIRST}.toml"
NVIDIA = {"runtime_type": "io.containerd.runc.v2", "BinaryName": "/usr/bin/nvidia-container-runtime", "SystemdCgroup": True}
PAUSE = ("--pause-image=registry.example.test/pause:3.10",)


def dump(scratch, folder, files, path):
    """What a containerd makes of its configuration, in a root that has its imports; and what else it says."""
    with machine.Machine(scratch, files, folder) as system:
        lines, _ = system.lines(["/opt/bin/containerd", "--config", path, "config", "dump"], "\0")
    said = [line for line in lines if re.match(r"(time=|containerd:)", line)]
    try:
        return tomllib.loads("\n".join(line for line in lines if line not in said)), said
    except tomllib.TOMLDecodeError as error:
        return None, [*said, str(error)]


def runtimes(tree):
    plugins = tree["plugins"]
    cri = plugins.get("io.containerd.cri.v1.runtime") or plugins["io.containerd.grpc.v1.cri"]
    return cri["containerd"]["runtimes"]


def nvidia(tree):
    """The settings of NVIDIA's runtime, wherever this version has them."""
    given = runtimes(tree).get("nvidia", {})
    return {name: {**given, **given.get("options", {})}.get(name) for name in NVIDIA}


def check_containerd(t, scratch, versions, name, files, path):
    written = tomllib.loads(files[path])["version"]
    wanted = containerds.intended(PAUSE, {})
    more = ["crun"] if written == 2 else []
    for version in [version for version in containerds.READS[written] if version in versions]:
        what = f"containerd {version} reads {path} of {name}"
        tree, said = dump(scratch, versions[version], files, path)
        if not t.check(what, tree is not None, "\n".join(said)):
            continue
        t.equal(f"{what}: says nothing against it", containerds.unknown(said), [])
        have = containerds.meaning(tree)
        t.equal(f"{what}: runtimes", sorted(have.pop("runtimes")), sorted(["runc", "nvidia", *more]))
        wanted.pop("runtimes", None)
        t.equal(f"{what}: all that the profile configures", have, wanted)
        t.equal(f"{what}: NVIDIA's runtime", nvidia(tree), NVIDIA)
        if written == 3:
            images = tree["plugins"]["io.containerd.cri.v1.images"]
            t.equal(f"{what}: the extension's own", images["image_pull_progress_timeout"], "7m0s")
        complaints = containerds.Containerd(scratch, versions[version]).start(files, path)
        t.check(f"{what} and starts", not complaints, "\n".join(complaints))


def check_imports(t, scratch, versions, files, path):
    """Why files of version 2 import nothing: of a section that is imported, 1.x keeps nothing else. Version 3 is merged."""
    text = files[path].partition('[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.crun]')[0]
    imported = "version = 2\n\n" + files[path][len(text):]
    for version in [version for version in versions if version.startswith("1.")]:
        tree, said = dump(scratch, versions[version], {
            **files, path: f'imports = ["/etc/containerd/conf.d/*.toml"]\n{text}', DROP_IN: imported}, path)
        if t.check(f"containerd {version} reads imports", tree is not None, "\n".join(said)):
            cri = tree["plugins"]["io.containerd.grpc.v1.cri"]
            t.equal(f"containerd {version} has nothing but the imported section",
                    (sorted(runtimes(tree)), cri["registry"]["config_path"]), (["crun", "nvidia"], ""))


def check_kubelets(t, scratch, folders, fleet):
    if not folders:
        return
    own = machine.build_own()
    reader = kubelets.Kubelets(scratch, own, folders)
    for minor, version in kubelets.VERSIONS.items():
        if minor not in folders:
            continue
        variant = f"plain-{minor}"
        for profile in nodelib.PROFILES:
            case = f"{profile.key}-{profile.providers[0]}-{variant}"
            files = texts(fleet.user_data(case, variant, "provisioning"))
            command = kubelets.expanded(files[kubelets.SERVICE], nodelib.VARIANTS[variant])
            t.check(f"{case}: --config-dir", f"--config-dir={kubelets.DROP_INS.rstrip('/')}" in command, command)
            name = f"kubelet {version} merges the drop-ins of {profile.key}"
            said, missing = reader.run(minor, files, command)
            t.check(name, not said + missing, "\n".join(said + missing))
        _, missing = reader.run(minor, files, [word for word in command if "--config-dir" not in word])
        t.check(f"kubelet {version}: without the option their settings are missed", any(
            line.startswith("maxPods: ") for line in missing), missing)
        broken = {**files, f"{kubelets.DROP_INS}{extended.FIRST}.conf": files[
            f"{kubelets.DROP_INS}{extended.FIRST}.conf"].replace("maxPods: ", "maxPods: many")}
        said, _ = reader.run(minor, broken, command)
        t.check(f"kubelet {version} notices a mistake in a drop-in", any("maxPods" in line for line in said), said)


def texts(user_data):
    return {path: file["data"] for path, file in nodelib.files(nodelib.on_machine(user_data)).items()}


def main():
    asked = sys.argv[1:]
    t = nodelib.Checks()
    with tempfile.TemporaryDirectory(prefix="node-test-") as holder:
        scratch = pathlib.Path(holder)
        machine.need(t)
        only = lambda versions: {key: version for key, version in versions.items() if not asked or version in asked}
        for minor, version in kubelets.VERSIONS.items():
            nodelib.VARIANTS[f"plain-{minor}"] = {**nodelib.VARIANTS["plain"], "version": version.removeprefix("v")}
        fleet = nodelib.Fleet(scratch, more=extended.documents())
        versions = machine.built(t, "containerd", only(containerds.VERSIONS))
        for profile in nodelib.PROFILES:
            files = texts(fleet.user_data(f"{profile.key}-{profile.providers[0]}-plain", "plain", "provisioning", *PAUSE))
            for path in (CONFIG, OLD_CONFIG):
                if path in files:
                    check_containerd(t, scratch, versions, profile.key, files, path)
            if profile.os == "ubuntu":
                check_imports(t, scratch, versions, files, OLD_CONFIG)
        check_kubelets(t, scratch, machine.built(t, "kubelet", only(kubelets.VERSIONS)), fleet)
    t.finish()


main()
