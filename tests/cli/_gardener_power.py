"""Power cuts while an execution script runs (tests/cli/gardener_power.sh): ROOT PROGRAM

The node's folders are on a file system in an image. At each rename and each call of systemctl the image is copied as it is: what
the kernel holds in memory is lost, as in a power cut. Each copy is mounted, and the next run must make the node whole."""

import contextlib
import os
import pathlib
import shutil
import tempfile

from _checks import check, equal, finish
from _gardener_node import STATE, SYSTEMCTL, Fleet, Node, config, run

SYSTEMS = [("ext4, noauto_da_alloc", "ext4", 64, "noauto_da_alloc"), ("ext4", "ext4", 64, "defaults"), ("xfs", "xfs", 300, "nouuid")]
COPY = """
if [ -n "${COPIES:-}" ]; then
	cp --sparse=always "$IMAGE" "$COPIES/$(ls "$COPIES" | wc -l)" || exit 1
fi
"""


@contextlib.contextmanager
def mounted(image, kind, options, at):
    at.mkdir(exist_ok=True)
    run("mount", "-t", kind, "-o", f"loop,{options}", str(image), str(at))
    try:
        yield at
    finally:
        run("umount", str(at))


class Machine(Node):
    """A node whose folders are on a file system that is mounted at a folder. The stubs are outside of it."""

    def __init__(self, root, stubs):
        self.root, self.stubs, self.calls_file = root, stubs, stubs / "calls"
        if not stubs.exists():
            stubs.mkdir()
            self.stub("systemctl", SYSTEMCTL + COPY)
            self.stub("mv", f'#!/bin/sh\n{shutil.which("mv")} "$@" || exit\n' + COPY)
        if not (root / "lib").exists():
            for name in ("systemd", "lib", "opt"):
                (root / name).mkdir()
            self.put(f"{STATE}/credentials/server", "https://api.example.com")
            self.put(f"{STATE}/credentials/ca.crt", "certificate\n")

    def configuration(self):
        """The files of the OperatingSystemConfig, and what is recorded of units."""
        found = {}
        for name in ("systemd", "opt", f"{STATE}/applied/units"):
            for path in sorted((self.root / name).rglob("*")):
                if path.is_file() and not path.name.startswith(".osc."):
                    found[str(path.relative_to(self.root))] = path.read_text()
        return found


def units_without_whole_files(node, whole):
    """Units that systemd did not start at the boot after the power cut, since their files were damaged."""
    return {path.split("/")[1].removesuffix(".d") for path, text in whole.items() if path.startswith("systemd/") and node.text(path) != text}


def cut(folder, name, kind, options, image, scripts):
    """Runs the last of the scripts, and cuts the power at each write."""
    copies, mount = folder / "copies", folder / "mount"
    copies.mkdir()
    shutil.copy(image, folder / "image")
    with mounted(folder / "image", kind, options, mount):
        node = Machine(mount, folder.parent / "stubs")
        for script in scripts[:-1]:
            node.run(script)
        run("sync", "-f", str(mount))
        status = node.run(scripts[-1], COPIES=str(copies), IMAGE=str(folder / "image"))[0]
        shutil.copy(folder / "image", copies / str(len(list(copies.iterdir()))))
        equal(f"{name}: the run", status, 0)
        whole = node.configuration()
        checksum = node.text(f"{STATE}/applied/checksum")
    places = sorted(copies.iterdir(), key=lambda path: int(path.name))
    for place in places:
        at = f"{name}: power cut at {place.name} of {len(places)}"
        with mounted(place, kind, options, mount):
            node = Machine(mount, folder.parent / "stubs")
            damaged = {path for path, text in whole.items() if node.text(path) != text}
            check(f"{at}: what is recorded is there", node.text(f"{STATE}/applied/checksum") != checksum or not damaged, damaged)
            off = units_without_whole_files(node, whole) - {"c.service", "docker.service"}
            status, calls, stderr = node.run(scripts[-1])
            equal(f"{at}: the next run", status, 0)
            have = node.configuration()
            check(f"{at}: the node is whole", have == whole, {path for path in have | whole if have.get(path) != whole.get(path)})
            check(f"{at}: units that could not start", all(f"restart --no-block {unit}" in calls for unit in off), f"{off} {calls}")
            equal(f"{at}: then nothing", node.run(scripts[-1])[:2], (0, []))
        place.unlink()
    check(f"{name}: several places", len(places) > 10, len(places))


def test_cuts(folder):
    fleet = Fleet(folder / "fleet")
    first, change = fleet.script(config()), fleet.script(config(a_conf="two\n", b_more="Nice=1\n", motd="bye\n"))
    for name, kind, size, options in SYSTEMS:
        image, scratch = folder / f"{kind}.img", folder / name.replace(", ", "-")
        if not shutil.which(f"mkfs.{kind}"):
            print(f"# {kind} is left out: there is no mkfs.{kind}")
            continue
        if not image.exists():
            with image.open("wb") as file:
                file.truncate(size << 20)
            run(f"mkfs.{kind}", "-q", str(image))
        for what, scripts in (("first", [first]), ("change", [first, change])):
            (scratch / what).mkdir(parents=True)
            cut(scratch / what, f"{name}, {what}", kind, options, image, scripts)


def test_repairs(folder):
    """What is damaged after it was recorded is applied again."""
    fleet, node = Fleet(folder / "repairs"), Node(folder / "repaired")
    script = fleet.script(config())
    node.run(script)
    for path, restarts in (("systemd/a.service", ["a"]), ("opt/demo/a.conf", ["a"]), ("opt/demo/it's motd", []), ("systemd/d.service.d/10-d.conf", [])):
        before = node.text(path)
        node.put(path, "")
        status, calls, stderr = node.run(script)
        restarted = [call.split()[-1].removesuffix(".service") for call in calls if call.startswith("restart")]
        equal(f"{path}: units", (status, [unit for unit in restarted if unit != "d"]), (0, restarts))
        equal(f"{path} is back", node.text(path), before)
        check(f"{path} is named", f"/{path.split('/')[-1]} is not as it was applied" in stderr, stderr)
        equal(f"{path}: then nothing", node.run(script)[:2], (0, []))
    (node.root / "systemd/b.service").unlink()
    status, calls, stderr = node.run(script)
    check("a removed unit", status == 0 and "restart --no-block b.service" in calls and node.text("systemd/b.service"), f"{calls} {stderr}")
    equal("then nothing", node.run(script)[:2], (0, []))
    # Something changes a file after each application.
    applications = 0
    for count in range(8):
        node.put("opt/demo/it's motd", f"changed {count}\n")
        status, calls, stderr = node.run(script)
        applications += bool(calls)
        check(f"changed {count}: said once", ("again and again" in stderr) == (count == 3), stderr)
    equal("it is left alone after three times", applications, 3)
    count = int(node.text(f"{STATE}/applied/repairs").split()[1])
    node.put(f"{STATE}/applied/repairs", f"another-boot {count}\n")
    check("until the next boot", node.run(script)[1])


with tempfile.TemporaryDirectory() as scratch_folder:
    scratch_path = pathlib.Path(scratch_folder)
    test_repairs(scratch_path)
    with open("/proc/filesystems", encoding="utf-8") as known:
        can = "\text4\n" in known.read() and os.path.exists("/dev/loop-control")
    if can:
        test_cuts(scratch_path)
    else:
        print("# power cuts are left out: no loop devices or no ext4")
finish()
