"""A machine that a kubelet can work on: as the boot test's, with a network of its own and cgroups of every controller.

Its network namespace has one interface, eth0, whose other end is the caller's. /var/lib/kubelet and /var/lib/containerd
are folders of their own, as containers' file systems cannot be laid over an overlay; like the rest they outlive a
power-off. The controllers are handed down as the system has them, in cgroups of version 1 or 2.
"""

import contextlib
import pathlib
import subprocess

import machine

ETH0_PEER = "node0"
CONTROLLERS = {"cpu", "cpuset", "memory", "pids"}  # those that a kubelet asks for
FOLDERS = ("var/lib/kubelet", "var/lib/containerd")
# systemd's words for the hierarchies of version 1, each mounted on its own as here.
LEGACY = "systemd.unified_cgroup_hierarchy=0 systemd.legacy_systemd_cgroup_controller=1"


class Hierarchy:
    """A cgroup hierarchy, mounted below `folder`: `name` is its folder on a machine, `options` are those of mount."""

    def __init__(self, folder, name, kind, options, own):
        self.name, self.kind, self.options = name, kind, options
        self.mounted = folder / name
        self.mounted.mkdir(parents=True)
        subprocess.run(["mount", "-t", kind, *(["-o", options] if options else []), "cgroup", self.mounted], check=True)
        self.own = self.mounted / own.lstrip("/")  # the caller's cgroup, so that limits on it hold for machines too

    def controllers(self):
        return set((self.mounted / "cgroup.controllers").read_text().split())

    def make_group(self, name):
        """The folder of a new group; cpuset wants its processors named before a process may enter."""
        group = self.own / name
        group.mkdir(exist_ok=True)
        for setting in ("cpuset.cpus", "cpuset.mems"):
            if self.kind == "cgroup" and (group / setting).exists():
                (group / setting).write_text((self.own / setting).read_text())
        return group


class Cgroups:
    """The system's hierarchies, for machines."""

    def __init__(self, folder):
        self.folder, self.hierarchies, self.added = folder, [], []
        self.legacy = False

    def open(self):
        """Whether all the controllers that a kubelet asks for can be handed down."""
        lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
        paths = {names: path for _, names, path in lines}
        unified = Hierarchy(self.folder, "unified", "cgroup2", "", paths.pop("", "/"))
        self.legacy = not CONTROLLERS <= unified.controllers()
        if not self.legacy:
            return self.hand_down(unified)
        if not CONTROLLERS <= {name for names in paths for name in names.split(",")}:
            return False
        paths.setdefault("name=systemd", "/")
        for names, path in paths.items():
            # systemd's own hierarchy has a name and no controllers.
            options = f"none,{names}" if names.startswith("name=") else names
            self.hierarchies.append(Hierarchy(self.folder, names.removeprefix("name="), "cgroup", options, path))
        return True

    def hand_down(self, unified):
        """In version 2 groups with processes cannot hand controllers down; the root can, unless it is a container's."""
        unified.own = unified.mounted
        self.hierarchies = [unified]
        control = unified.mounted / "cgroup.subtree_control"
        for name in sorted(unified.controllers() & (CONTROLLERS | {"io", "hugetlb"})):
            if name not in control.read_text().split():
                try:
                    control.write_text(f"+{name}")
                except OSError:
                    return False
                self.added.append((control, name))
        return True

    def close(self):
        """What was handed down for the machines' sake is taken back."""
        for control, name in self.added:
            with contextlib.suppress(OSError):
                control.write_text(f"-{name}")


class Node(machine.Machine):
    """`address` and `gateway` are those of its eth0, which is there before systemd starts."""

    unshare = [*machine.UNSHARE, "--net"]
    disk = 3 << 30

    def __init__(self, lower, folder, cgroups, address, gateway):
        super().__init__(lower, folder, cgroups.hierarchies[0].own)
        self.address, self.gateway = address, gateway
        self.groups = [hierarchy.own / self.group_name() for hierarchy in cgroups.hierarchies]
        self.hierarchies = cgroups.hierarchies
        self.options = LEGACY if cgroups.legacy else ""
        if cgroups.legacy:
            self.cgroup_mounts = 'mount -t tmpfs -o mode=755,nosuid,nodev,noexec tmpfs "$root/sys/fs/cgroup"\n'
            for hierarchy in cgroups.hierarchies:
                self.cgroup_mounts += self.mount_of(hierarchy)
        # The kubelet wants to watch kernel messages, which are not this machine's. A real one's mounts are shared.
        self.last = (": >dev/kmsg\nmount --bind dev/null dev/kmsg\nmount --make-rshared /\n"
                     "until ip route get 192.0.2.1 >/dev/null 2>&1; do sleep 0.05; done")
        for path in FOLDERS:
            (folder / path).mkdir(parents=True)
            self.path(path).mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--bind", folder / path, self.path(path)], check=True)

    @staticmethod
    def mount_of(hierarchy):
        """Commands that mount a hierarchy of version 1; each controller can be found under its own name."""
        commands = (f'mkdir "$root/sys/fs/cgroup/{hierarchy.name}"\n'
                    f'mount -t cgroup -o {hierarchy.options} cgroup "$root/sys/fs/cgroup/{hierarchy.name}"\n')
        for name in hierarchy.name.split(","):
            if name != hierarchy.name:
                commands += f'ln -s {hierarchy.name} "$root/sys/fs/cgroup/{name}"\n'
        return commands

    def power_on(self):
        for hierarchy in self.hierarchies:
            hierarchy.make_group(self.group_name())
        super().power_on()

    def connect(self):
        """The cable, and what DHCP would say over it."""
        inside = ["nsenter", "--target", self.init, "--net", "ip"]
        # The interface of a machine that was switched off goes some time after it.
        subprocess.run(["ip", "link", "delete", ETH0_PEER], capture_output=True, check=False)
        for command in (["ip", "link", "add", ETH0_PEER, "type", "veth", "peer", "name", "eth0", "netns", self.init],
                        ["ip", "address", "add", f"{self.gateway}/24", "dev", ETH0_PEER],
                        ["ip", "link", "set", ETH0_PEER, "up"],
                        [*inside, "link", "set", "lo", "up"],
                        [*inside, "address", "add", f"{self.address}/24", "dev", "eth0"],
                        [*inside, "link", "set", "eth0", "up"],
                        [*inside, "route", "add", "default", "via", self.gateway]):
            subprocess.run(command, check=True)
