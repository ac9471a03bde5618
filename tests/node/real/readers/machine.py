"""A system of its own to run a program in, and the programs, which are built on demand."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]


def built(t, name, versions):
    """key -> folder of the program, of those of the versions (key -> version) that build.sh can build."""
    result = {}
    for key, version in versions.items():
        done = subprocess.run([HERE.parent / "build.sh", name, version], stdout=subprocess.PIPE, text=True, check=False)
        if t.check(f"{name} {version} is built", done.returncode == 0):
            result[key] = pathlib.Path(done.stdout.strip())
    return result


def build_own():
    """The folder of the programs of the Go module that stands here."""
    folder = ROOT / "build" / "node-programs" / "readers"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["nice", "go", "build", "-trimpath", "-buildvcs=false", "-o", f"{folder}/", "./..."], cwd=HERE, check=True,
                   env={**os.environ, "CGO_ENABLED": "0"})
    return folder


class Machine:
    """A root folder with files, /opt/bin with programs, no network but its own loopback, no swap, and control groups of
    one version. It goes away, with what runs in it, at the end of a `with` statement."""

    def __init__(self, scratch, files, programs, cgroups=2):
        self.programs, self.cgroups = programs, cgroups
        self.holder = tempfile.TemporaryDirectory(dir=scratch)
        self.root = pathlib.Path(self.holder.name)
        self.started = []
        self.write({"/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "/etc/group": "root:x:0:\n",
                    "/etc/machine-id": f"{1:032x}\n"})
        self.write(files)
        # Made by the profiles' setup, or by the packages.
        for folder in ("etc/kubernetes/manifests", "etc/cni/net.d", "var/lib/kubelet/volumeplugins", "run/containerd"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)

    def write(self, files):
        for path, text in files.items():
            place = self.root / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    def beside(self, program, socket):
        """Starts a program that serves the machine from outside, at a socket in its folder."""
        place = self.root / socket.lstrip("/")
        process = subprocess.Popen([program, place])
        self.started.append(process)
        while not place.exists() and process.poll() is None:
            time.sleep(0.01)

    def lines(self, command, marker, seconds=60):
        """What a command writes, up to the line with the marker; whether it came to that line. It is ended then."""
        process = subprocess.Popen(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", HERE / "machine.sh",
                                    self.root, self.programs, str(self.cgroups), *command], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        result, reached = [], False
        for line in process.stdout:
            result.append(line.rstrip("\n"))
            if marker in line:
                reached = True
                break
        timer.cancel()
        process.kill()
        # It ends when the last process in there has: none writes to the folder then.
        process.stdout.read()
        process.stdout.close()
        process.wait()
        return result, reached

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            process.kill()
            process.wait()
        self.holder.cleanup()


def need(t):
    """What the tests of this folder need of the machine, or an end with a word."""
    why = "this test needs root, for namespaces" if os.geteuid() else "Go is not installed" if not shutil.which("go") else ""
    if why:
        t.check(why, False)
        t.finish()
    sys.stdout.reconfigure(line_buffering=True)
