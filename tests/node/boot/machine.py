"""A machine for the boot test: systemd as process 1 of a container of namespaces, over a root that is only read.

Its processes, mounts, names and cgroups are its own; its network is the caller's, who sits in a network namespace with
nothing but loopback. What it writes goes to memory, and is gone with the caller. The rest of the system is out of its
reach: /sys is read-only, /proc/sys a copy, /proc/swaps empty, and the capabilities that reach further are dropped.
Its console is a terminal of its own, on which the test reads what a person would.
"""

import errno
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

# Runs as process 1 of the new namespaces, then becomes systemd.
ENTER = r"""
set -eu
root=$1 own=$2 console=$3
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount --bind "$own/sys" "$root/proc/sys"
mount --bind "$own/swaps" "$root/proc/swaps"
for path in sysrq-trigger kmsg kcore; do
  if [ -e "/proc/$path" ]; then mount --bind /dev/null "$root/proc/$path"; fi
done
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
@CGROUPS@
mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
for path in null zero full random urandom tty; do
  : >"$root/dev/$path"
  mount --bind "/dev/$path" "$root/dev/$path"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
: >"$root/dev/console"
mount --bind "$console" "$root/dev/console"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for number_name in 0stdin 1stdout 2stderr; do ln -s "/proc/self/fd/${number_name%%std*}" "$root/dev/${number_name#?}"; done
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$root/run"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp"
cd "$root"
mkdir run/before
pivot_root . run/before
umount -l run/before
rmdir run/before
@LAST@
exec /usr/bin/env -i container=osm-gen-test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio,-sys_boot,-syslog,-mac_admin,-mac_override \
    --inh-caps=-all /lib/systemd/systemd --log-target=journal --show-status=0 @OPTIONS@ </dev/null >/dev/console 2>&1
"""

UNSHARE = ["setpriv", "--pdeathsig", "KILL", "unshare", "--fork", "--kill-child", "--pid", "--mount", "--uts", "--ipc",
           "--cgroup", "--propagation", "private"]
# What the machines' surroundings sit in: a network without anything, and mounts that end with it.
NAMESPACES = ["unshare", "--net", "--mount", "--propagation", "private"]
IMAGE_CONFIG = "90-image.cfg"
# Units that the packages of Debian bring along and no test asks about. There is no console; timers would only add chance; NFS
# is for kernels that have it, and all machines of a test share one network, in which one alone could have rpcbind's port.
MASKED = ("console-getty.service", "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer",
          "fstrim.timer", "rpcbind.socket", "rpcbind.service", "run-rpc_pipefs.mount", "rpc-statd.service",
          "rpc-statd-notify.service", "nfs-blkmap.service", "nfs-client.target", "dm-event.socket", "lvm2-lvmpolld.socket",
          "lvm2-monitor.service")
LONGEST = 1200  # seconds after which whatever is waited for has failed, also on a slow system
IDLE = 0.02  # the part of a processor that a machine takes with nothing to do
LOOK, SLOWEST_LOOK = 0.4, 1.2  # seconds from one look to the next, which starts a program in the machine, and after many looks
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def why_not(tools, probe, what):
    """What keeps a test with machines from running here, or None. `probe` tries in a folder, on nothing, what the
    surroundings need of this system; `what` says what that is."""
    if os.geteuid() != 0:
        return "it needs root, for namespaces with devices, mounts and cgroups"
    found = lambda tool: any(os.access(f"{folder}/{tool}", os.X_OK) for folder in os.environ["PATH"].split(":"))
    missing = [tool for tool in tools if not found(tool)]
    if missing:
        return f"not installed: {' '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="machine-probe-") as folder:
        result = subprocess.run([*NAMESPACES, *UNSHARE[4:], "sh", "-c", probe, "sh", folder], capture_output=True, text=True,
                                check=False)
    return f"no {what} here: {result.stderr.strip()}" if result.returncode else None


def copy_kernel_settings(target):
    """/proc/sys as plain files, for the machine to write to. Bridges have settings once br_netfilter is loaded."""
    for folder, _, names in os.walk("/proc/sys"):
        here = target / os.path.relpath(folder, "/proc/sys")
        here.mkdir(exist_ok=True)
        for name in names:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    (here / name).write_bytes(file.read(65536))
            except OSError:
                pass  # some are for writing only
    bridge = target / "net" / "bridge"
    bridge.mkdir(parents=True, exist_ok=True)
    for name in ("bridge-nf-call-iptables", "bridge-nf-call-ip6tables"):
        (bridge / name).write_text("0\n")


class Machine:
    """Powered off at first; `root` is its file system, to prepare and to look at. `folder` must be empty.

    A kind of machine that is different in these points has a class of its own: the commands that mount its cgroups, those
    that run last before systemd does, systemd's options, the namespaces, the cgroups that it is started in, and what its
    files may take. (Half of a boot test's machine is in use once it is a node.)"""

    cgroup_mounts = 'mount -t cgroup2 -o nosuid,nodev,noexec cgroup "$root/sys/fs/cgroup"'
    last = ""
    options = ""
    unshare = UNSHARE
    disk = 1 << 30

    def __init__(self, lower, folder, cgroups):
        self.folder, self.root = folder, folder / "root"
        self.groups = [cgroups / self.group_name()]
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=755,size={self.disk}", "tmpfs", folder], check=True)
        for name in ("root", "upper", "work", "sys"):
            (folder / name).mkdir()
        (folder / "swaps").write_text("Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n")
        copy_kernel_settings(folder / "sys")
        layers = f"lowerdir={lower},upperdir={folder / 'upper'},workdir={folder / 'work'}"
        subprocess.run(["mount", "-t", "overlay", "-o", layers, "overlay", self.root], check=True)
        self.process = self.init = None
        self.screen = bytearray()
        # The machine's end stays open here too: between two boots nobody else has it.
        keyboard, self.terminal = os.openpty()
        threading.Thread(target=self.watch, args=(keyboard,), daemon=True).start()

    def watch(self, keyboard):
        while True:
            self.screen += os.read(keyboard, 4096)

    def console(self):
        """All that the console has shown."""
        return self.screen.decode(errors="replace").replace("\r\n", "\n")

    def fill_disk(self):
        """Takes what is free, to the last byte."""
        filler = os.open(self.folder / "filler", os.O_WRONLY | os.O_CREAT)
        try:
            free = os.statvfs(self.folder)
            os.posix_fallocate(filler, 0, free.f_bavail * free.f_frsize * 9 // 10)
            os.lseek(filler, 0, os.SEEK_END)
            while True:  # the machine takes some of it meanwhile
                os.write(filler, bytes(1 << 16))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        finally:
            os.close(filler)

    def free_disk(self):
        (self.folder / "filler").unlink()

    def group_name(self):
        return f"osm-gen-test-{os.getpid()}-{self.folder.name}"

    def path(self, path):
        return self.root / path.lstrip("/")

    def write(self, path, text, mode=0o644):
        self.path(path).parent.mkdir(parents=True, exist_ok=True)
        self.path(path).write_text(text)
        self.path(path).chmod(mode)

    def read(self, path):
        return self.path(path).read_text(errors="replace") if self.path(path).is_file() else ""

    def kernel_setting(self, name):
        file = self.folder / "sys" / name.replace(".", "/")
        return file.read_text().strip() if file.exists() else None

    def power_on(self):
        for group in self.groups:
            group.mkdir(exist_ok=True)
        join = "".join(f'echo 0 >"{group}/cgroup.procs"; ' for group in self.groups) + 'exec "$@"'
        enter = ENTER
        for name, text in (("CGROUPS", self.cgroup_mounts), ("LAST", self.last), ("OPTIONS", self.options)):
            enter = enter.replace(f"@{name}@", text)
        self.process = subprocess.Popen(["sh", "-c", join, "sh", *self.unshare, "sh", "-c", enter, "sh", self.root, self.folder,
                                         os.ttyname(self.terminal)], stdin=subprocess.DEVNULL)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        wait_for(lambda: children.read_text().split(), 120, "process 1")
        self.init = children.read_text().split()[0]
        self.connect()
        # Before that, it is not in its own root yet.
        wait_for(lambda: pathlib.Path(f"/proc/{self.init}/comm").read_text() == "systemd\n", 120, "systemd")

    def connect(self):
        """Called once the machine's namespaces are there: the network is the caller's, so there is nothing to do."""

    def work(self):
        """The seconds of processor time that the machine has taken since it was powered on."""
        try:
            lines = (self.groups[0] / "cpu.stat").read_text().splitlines()
        except OSError:  # powered off, or a hierarchy that does not count
            return 0
        return next((int(line.split()[1]) / 1e6 for line in lines if line.startswith("usage_usec ")), 0)

    def run(self, *command, timeout=LONGEST):
        """Runs a command inside; its output and status."""
        enter = ["nsenter", "--target", self.init, "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--net", "--root",
                 "--wd", "/usr/bin/env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8"]
        return subprocess.run([*enter, *command], capture_output=True, text=True, timeout=timeout, check=False,
                              stdin=subprocess.DEVNULL)

    def journal(self, *units):
        """The messages of units, or of all, of this boot and those before."""
        names = [f"--unit={unit}" for unit in units]
        return self.run("journalctl", "--quiet", "--no-pager", "--output=cat", *names).stdout

    def failed(self, *units):
        """Those of the units that systemd calls failed, each with the end of its messages."""
        lines = self.run("systemctl", "--failed", "--no-legend", "--plain", "--full", "list-units", *units).stdout.splitlines()
        return [(line, self.run("journalctl", "--quiet", "--no-pager", "--lines=8", f"--unit={line.split()[0]}").stdout)
                for line in lines]

    def power_off(self):
        """In order, as a reboot does it; what the disk holds stays."""
        if self.process and self.process.poll() is None:
            os.kill(int(self.init), signal.SIGRTMIN + 4)  # systemd's signal for poweroff
            try:
                self.process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                self.kill()
        self.clean()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()  # and the namespaces' process 1 with it
            self.process.wait()
        self.clean()

    def clean(self):
        """The cgroups are the one thing that would outlive this process."""
        for _ in range(1000):
            for folder in (folder for group in self.groups for folder, _, _ in os.walk(group, topdown=False)):
                try:
                    os.rmdir(folder)
                except OSError:
                    time.sleep(0.1)  # processes that are just going
            if not any(group.exists() for group in self.groups):
                return


def prepare(m, user_data, hosts, packages, key):
    """Gives a new machine its image's own files and its platform's user-data. `packages` is a line of apt's sources, whose
    archive is signed with `key`."""
    m.write("/etc/machine-id", os.urandom(16).hex() + "\n")
    m.write("/etc/hosts", hosts)
    m.write("/etc/hostname", "of-the-platform\n")
    m.write("/etc/resolv.conf", "")
    m.write("/etc/fstab", "tmpfs /media tmpfs noauto 0 0\n/swap.img none swap sw 0 0\n# /old none swap sw 0 0\n")
    m.write("/etc/apt/sources.list", packages)
    m.write("/etc/apt/trusted.gpg.d/archive.asc", key)
    m.write("/etc/modprobe.d/test.conf", "".join(
        f"install {module} echo {module} >>/var/log/modules\n" for module in (
            "overlay", "br_netfilter", "nf_conntrack", "ip_vs", "ip_vs_rr", "ip_vs_wrr", "dummy")))
    m.write(f"/etc/cloud/cloud.cfg.d/{IMAGE_CONFIG}", "datasource_list: [NoCloud]\nlocale: C.UTF-8\n"
            "network: {config: disabled}\napt: {preserve_sources_list: true}\npreserve_hostname: true\n")
    m.write("/var/lib/cloud/seed/nocloud/meta-data", f"instance-id: {m.folder.name}\n")
    m.write("/var/lib/cloud/seed/nocloud/user-data", user_data, 0o600)
    for unit in MASKED:
        m.path(f"/etc/systemd/system/{unit}").symlink_to("/dev/null")
    # Nothing may fail because the system that the test runs on has much else to do.
    m.write("/etc/systemd/system.conf.d/test.conf", "[Manager]\nDefaultTimeoutStartSec=20min\nDefaultTimeoutStopSec=20min\n")


def unmount(folder):
    """With all that is mounted below it; an agent of gpg that was stopped may still have it open."""
    umount = lambda: subprocess.run(["umount", "--recursive", folder], capture_output=True, check=False).returncode == 0
    wait_for(umount, 60, f"the last user of {folder} to go")


def wait_for(condition, seconds, what, m=None):
    """Asks until the condition holds; its value. AssertionError when so many seconds were of no use.

    They do not pass on a system with much else to do: a look counts as one on an idle system, however long it takes, and
    not at all if the machine has worked since the last one. LONGEST ends it in any case."""
    began = looked = time.monotonic()
    waited, worked, pause = 0, m.work() if m else 0, LOOK
    while True:
        value = condition()
        if value:
            return value
        if waited > seconds or looked - began > LONGEST:
            raise AssertionError(f"waited {looked - began:.0f} s in vain for {what}")
        time.sleep(pause)
        before, looked = looked, time.monotonic()
        had, worked = worked, m.work() if m else 0
        if worked - had < IDLE * (looked - before):
            waited += min(looked - before, pause)
        pause = min(pause * 1.25, SLOWEST_LOOK)
