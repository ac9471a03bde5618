"""Boots machines with the user-data of the Ubuntu profile, both stages, and looks at what has become of them: on Debian 12
and on Debian 13, whose cloud-init and systemd are of different ages, with a provisioning config that is whole and with one that
is split. boot.sh WORD... boots with some of them: bookworm, trixie, whole, split.

The way is the whole one: a repository goes through osm-gen, the committed Secrets are unsealed and served by an API
server on loopback that decides by the worker tree's own tokens and Roles; a machine with systemd and Debian's cloud-init
(machine.py) gets the bootstrap user-data as machine-controller would hand it over; packages and binaries come from
mirrors on loopback, named by the profile's settings. Nothing can leave: the network namespace has nothing but lo, and the
mirrors serve only what `osm-gen inventory` lists (closed.py).

What stands in: Debian for Ubuntu; kubelet, kubectl, crictl, CNI plugins and containerd, which take their files as the
real ones do and do nothing with them; modprobe, which is the real one but configured with what to run instead of loading modules;
and the kernel's settings, swap list and clock, which are not the machine's to change here. Where the clock should be wrong,
the API server's certificate is of another time instead; where minutes should pass, the pauses of supervise.sh are a hundredth
of what it asks for; a power cut kills all processes of the machine and keeps what they had written. Needs root, and is
skipped without.
"""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import addition
import closed
import faults
import image
import machine
import nodelib
import servers
import surroundings
import way

PROVISIONING = ("whole", "split")
# Nobody waits for a run whose parent is gone: it cleans up and ends.
UNTIL = ["setpriv", "--pdeathsig", "TERM"]
# What the machines of an age take of the user's inotify instances (fs.inotify.max_user_instances): seven a machine, two a key.
INOTIFY_OF_AN_AGE = 40
# All that a machine needs of this system, tried on nothing.
PROBE = """set -e
d=$1
mount -t tmpfs tmpfs "$d"
mkdir "$d/a" "$d/b" "$d/c" "$d/d" "$d/e"
mount -t overlay -o "lowerdir=$d/a,upperdir=$d/b,workdir=$d/c" overlay "$d/d"
mount -t cgroup2 cgroup "$d/e"
mkdir "$d/e/osm-gen-test-${d##*/}"
rmdir "$d/e/osm-gen-test-${d##*/}"
ip link set lo up
"""
TOOLS = ("mmdebstrap", "unshare", "nsenter", "setpriv", "ip", "openssl", "gpg", "gpg-agent", "gpgconf", "dpkg-deb", "git")


# ---- before: what this system can do, and the root ----------------------------------------------

def inotify_left(most):
    """How many inotify instances root can have yet, of at most so many. A systemd without them does not start anything."""
    libc, found = ctypes.CDLL(None), []
    while len(found) < most and (descriptor := libc.inotify_init1(os.O_CLOEXEC)) >= 0:
        found.append(descriptor)
    for descriptor in found:
        os.close(descriptor)
    return len(found)


def outside(words):
    """The ages at the same time, as they wait more than they work; the sum of their checks. `words` are suites and values of
    the setting provisioning; none of either means all."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    chosen = lambda all_, name: [value for value in all_ if name(value) in words] or all_
    ages = chosen(image.AGES, lambda age: age.suite)
    left = inotify_left(INOTIFY_OF_AN_AGE * len(ages))
    reason = machine.why_not(TOOLS, PROBE, "namespaces, overlay or cgroups")
    if not reason and left < INOTIFY_OF_AN_AGE:
        reason = f"root has {left} inotify instances left, of {INOTIFY_OF_AN_AGE} (sysctl fs.inotify.max_user_instances)"
    t = nodelib.Checks()
    made, runs = {}, []
    for age in ages:
        try:
            if reason:
                raise OSError(reason)
            made[age] = image.get(age)
        except OSError as error:
            t.skip(f"boot of {age.name}", str(error))
    try:
        for provisioning in chosen(PROVISIONING, str) if made else ():
            for age, folder in made.items():
                command = [*UNTIL, *machine.NAMESPACES, sys.executable, "-B", __file__, "--inside", age.suite, str(folder), provisioning]
                runs.append((f"{age.name}, {provisioning}", subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
                if left < INOTIFY_OF_AN_AGE * len(ages):
                    finish(t, *runs[-1])  # one after the other
            for name, run in runs:
                finish(t, name, run)
    finally:
        for _, run in runs:
            run.terminate()
            run.wait()
    if not runs:
        print(f"0 passed, 0 failed, {t.skipped} skipped")
        sys.exit(0)
    t.finish()


def finish(t, name, run):
    """Waits for a run, and counts its checks, once."""
    if run.stdout.closed:
        return
    lines = run.communicate()[0].splitlines()
    print(f"{name}: " + "\n".join(lines or ["ended without a word"]))
    numbers = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1]) if lines else None
    passed, failed = map(int, numbers.groups() if numbers else (0, 1))
    t.passed, t.failed = t.passed + passed, t.failed + failed


def the_way(t, site):
    user_data = site.user_data("workers", surroundings.NAME)
    entries = nodelib.files(site.fleet.whole("workers"))
    m = site.machine("node", user_data)
    closed.close(site)
    others_token = site.fleet.node_token("others")
    unknown_data, unknown_token = site.with_other_token(site.user_data("workers", "worker-unknown"))
    # One machine alone can have the port of ssh.
    unknown = site.machine("unknown", unknown_data, "127.0.0.2", ["ssh.service"])
    rotated = site.machine("rotated", site.user_data("others", "worker-rotated"), "127.0.0.3", ["ssh.service"])
    short = site.machine("short", site.user_data("workers", "worker-short"), closed.SHORT, ["ssh.service"])
    binary = f"/kubernetes/{surroundings.KUBERNETES}/bin/linux/{site.arch}/kubelet"
    site.mirror.forged = {surroundings.KEY_PATH: site.keys[2].armored.encode(), binary: b"#!/bin/sh\nforged\n"}
    site.api.afterwards[site.provisioning("others")[-1], site.user("others")] = lambda: site.rotate("others")
    way.away(t, site, m)
    way.stage_1(t, site, m)
    rotated.power_on()
    unknown.power_on()
    short.power_on()
    way.stage_2(t, site, m)
    closed.short(t, site, short)
    way.node(t, site, m, entries)
    closed.on_node(t, site, m)
    addition.on_node(t, m, surroundings.NAME, site.proxy_ca)
    way.roles(t, site)
    faults.wrong_token(t, site, unknown, unknown_token)
    way.reboot(t, site, m)
    way.again(t, site, m, entries)
    way.tampered(t, site, m, entries)
    faults.rotated(t, site, rotated, others_token)


def inside(age, made, provisioning):
    # Machines, mounts and network end with this process however it ends; the scratch folder and cgroups need a regular end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    t = nodelib.Checks()
    with tempfile.TemporaryDirectory(prefix="boot-test-") as name:
        scratch = pathlib.Path(name)
        servers.run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", scratch)
        # The address from which the machine reaches the API server, which is there too.
        for command in ("link set lo up", f"address add {surroundings.ADDRESS}/24 dev lo"):
            servers.run("ip", *command.split())
        site = surroundings.Site(scratch, age, made, provisioning)
        try:
            the_way(t, site)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            t.check("the way to its end", False, f"{type(error).__name__}: {error}")
        finally:
            site.close()
            machine.unmount(scratch)
    t.finish()


if __name__ == "__main__":
    os.environ["PATH"] = machine.PATH  # root's, wherever this is started from
    if sys.argv[1:2] == ["--inside"]:
        inside(next(age for age in image.AGES if age.suite == sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4])
    else:
        outside(sys.argv[1:])
