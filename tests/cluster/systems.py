"""The kinds of systems that the machines of Gardener's flows are: what their images have that Debian's has not, and who reads
their user-data.

Debian stands in for all of them. What only their images have is stood in for by files that do nothing, and Garden Linux, SUSE's
and Flatcar have containerd before their user-data comes. Flatcar's user-data is read by Ignition, Debian's build of it, as
an initramfs does: on the root, before systemd starts.
"""

import dataclasses
import os
import subprocess

DOCKER = ("/etc/systemd/system/docker.service", "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n", 0o644)
# Runs apt-get in a root that is not started, from the mirror of the machines.
INSTALL = """set -eu
root=$1 source=$2
shift 2
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
echo "$source" >"$root/tmp/image.list"
in_root() { chroot "$root" /usr/bin/env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dir::Etc::SourceList=/tmp/image.list "$@"; }
in_root update
in_root -y install "$@"
rm "$root/tmp/image.list"
"""


def stand_in(path, text=""):
    """A program of an image that does nothing but what the text says."""
    return path, f"#!/bin/sh\n{text}", 0o755


@dataclasses.dataclass(frozen=True)
class System:
    """`type` is that of the OperatingSystemConfigs, `packages` and `files` are the image's."""

    type: str
    packages: tuple = ()
    files: tuple = ()
    ignition: bool = False

    def make_image(self, m, source):
        """Gives a machine what its image has; `source` is a line for apt."""
        for path, text, mode in self.files:
            m.write(path, text, mode)
        if self.packages:
            run(["unshare", "--mount", "--propagation", "private", "sh", "-c", INSTALL, "sh", m.root, source, *self.packages])

    def read_user_data(self, m, user_data, program):
        """Has `program`, Ignition, write what the user-data says where it is for Ignition; other systems have cloud-init."""
        if not self.ignition:
            return
        state = m.folder / "ignition"
        (state / "bin").mkdir(parents=True)
        (state / "user.ign").write_text(user_data)
        # The policy that it would label files by is not here.
        (state / "bin" / "setfiles").write_text("#!/bin/sh\n")
        (state / "bin" / "setfiles").chmod(0o755)
        for stage in ("fetch", "files"):
            run([program, "-platform", "file", "-stage", stage, "-root", m.root, "-config-cache", state / "config", "-state-file",
                 state / "state", "-neednet", state / "neednet", "-log-to-stdout"],
                env={"PATH": f"{state}/bin:{os.environ['PATH']}", "IGNITION_CONFIG_FILE": f"{state}/user.ign"})


def run(command, **options):
    result = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, check=False, **options)
    if result.returncode:
        raise AssertionError(f"{command[0]} ends with {result.returncode}: {result.stdout[-3000:]}")


# Images of Ubuntu have curl, and this one gets it with its user-data's packages.
ALL = (
    System("ubuntu"),
    System("gardenlinux", ("curl", "containerd"), (
        DOCKER, ("/etc/modprobe.d/nfsd.conf", "install nfsd echo nfsd >>/var/log/modules\n", 0o644))),
    System("suse-chost", ("curl", "containerd"), (
        DOCKER, ("/etc/sysconfig/network/ifcfg-eth0", "BOOTPROTO=dhcp\n", 0o644), stand_in("/usr/bin/zypper"), stand_in("/usr/sbin/wicked"),
        stand_in("/usr/bin/rpm", "echo 254\n"), stand_in("/usr/sbin/containerd", 'exec /usr/bin/containerd "$@"\n'),
        stand_in("/usr/sbin/containerd-ctr", 'exec /usr/bin/ctr "$@"\n'))),
    System("flatcar", ("curl", "containerd"), (
        ("/etc/cloud/cloud-init.disabled", "", 0o644), ("/etc/selinux/config", "SELINUX=permissive\nSELINUXTYPE=mcs\n", 0o644),
        # The first boot enables what Ignition names and nothing else, and asks nobody.
        ("/etc/machine-id", "uninitialized\n", 0o644), ("/etc/systemd/system-preset/21-image.preset", "disable *\n", 0o644),
        ("/etc/systemd/system/systemd-firstboot.service", "[Service]\nType=oneshot\nExecStart=/bin/true\n", 0o644)), True),
)
