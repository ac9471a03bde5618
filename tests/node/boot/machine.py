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
mount -t cgroup2 -o nosuid,nodev,noexec cgroup "$root/sys/fs/cgroup"
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
exec /usr/bin/env -i container=osm-gen-test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio,-sys_boot,-syslog,-mac_admin,-mac_override \
    --inh-caps=-all /lib/systemd/systemd --log-target=journal --show-status=0 </dev/null >/dev/console 2>&1
"""

UNSHARE = ["setpriv", "--pdeathsig", "KILL", "unshare", "--fork", "--kill-child", "--pid", "--mount", "--uts", "--ipc",
           "--cgroup", "--propagation", "private"]
# What a machine's files may take. Half of it is in use once it is a node.
DISK = 1 << 30
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


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
    """Powered off at first; `root` is its file system, to prepare and to look at. `folder` must be empty."""

    def __init__(self, lower, folder, cgroups):
        self.folder, self.root = folder, folder / "root"
        self.cgroup = cgroups / f"osm-gen-test-{os.getpid()}-{folder.name}"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=755,size={DISK}", "tmpfs", folder], check=True)
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
        self.cgroup.mkdir(exist_ok=True)
        join = f'echo 0 >"{self.cgroup}/cgroup.procs"; exec "$@"'
        self.process = subprocess.Popen(["sh", "-c", join, "sh", *UNSHARE, "sh", "-c", ENTER, "sh", self.root, self.folder,
                                         os.ttyname(self.terminal)], stdin=subprocess.DEVNULL)
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        wait_for(lambda: children.read_text().split(), 10, "process 1")
        self.init = children.read_text().split()[0]
        # Before that, it is not in its own root yet.
        wait_for(lambda: pathlib.Path(f"/proc/{self.init}/comm").read_text() == "systemd\n", 10, "systemd")

    def run(self, *command, timeout=60):
        """Runs a command inside; its output and status."""
        enter = ["nsenter", "--target", self.init, "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--root", "--wd",
                 "/usr/bin/env", "-i", f"PATH={PATH}", "LC_ALL=C.UTF-8"]
        return subprocess.run([*enter, *command], capture_output=True, text=True, timeout=timeout, check=False,
                              stdin=subprocess.DEVNULL)

    def journal(self, *units):
        """The messages of units, or of all, of this boot and those before."""
        names = [f"--unit={unit}" for unit in units]
        return self.run("journalctl", "--quiet", "--no-pager", "--output=cat", *names).stdout

    def power_off(self):
        """In order, as a reboot does it; what the disk holds stays."""
        if self.process and self.process.poll() is None:
            os.kill(int(self.init), signal.SIGRTMIN + 4)  # systemd's signal for poweroff
            try:
                self.process.wait(60)
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
        for _ in range(50):
            for folder, _, _ in os.walk(self.cgroup, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    time.sleep(0.1)  # processes that are just going
            if not self.cgroup.exists():
                return


def wait_for(condition, seconds, what):
    """Asks until the condition holds; its value. AssertionError when the time is over."""
    until = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > until:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.4)
