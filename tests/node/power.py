"""Power cuts while the two stages of a machine run. A machine's folders are on a file system in an image (sandbox.py). At each
call of a program that changes a file, the metadata of the file system is committed, as any program's fsync does, and the image is
copied as it is: what the kernel holds in memory is lost, as in a power cut. Each copy must be a machine that has its stage behind
it, with all files, or one whose next boot runs it again and makes the same of it."""

import contextlib
import os
import shutil

import nodelib
import sandbox

SYSTEMS = (("ext4, noauto_da_alloc", "ext4", 64, "noauto_da_alloc"), ("xfs", "xfs", 300, "nouuid"))
# Of profiles whose scripts write the same files one.
PROFILES = ("ubuntu", "rockylinux", "flatcar", "flatcar-cloud-init")
WANTS = "/etc/systemd/system/multi-user.target.wants"
# Of a stub: what it changes is done, then the power is cut in a copy.
CUT = """
if [ -n "${COPIES:-}" ]; then
    echo x >>"$MACHINE/another-file"
    sync "$MACHINE/another-file"
    /bin/cp --sparse=always "$IMAGE" "$COPIES/$(ls "$COPIES" | wc -l)"
fi
"""
SYSTEMCTL = f"""
case $1 in
enable|disable)
    verb=$1
    shift
    for unit; do
        case $unit in -*) continue ;; esac
        mkdir -p "$MACHINE{WANTS}"
        if [ "$verb" = enable ]; then ln -sf "../$unit" "$MACHINE{WANTS}/$unit"; else rm -f "$MACHINE{WANTS}/$unit"; fi
    done
    ;;
esac
"""
# What cloud-init and coreos-cloudinit write of a provisioning config, without a sync.
STAGE_2 = {"/opt/bin/setup": "#!/bin/sh\n" + "# stage 2\n" * 2000, "/etc/systemd/system/setup.service": "[Unit]\nDescription=stage 2\n",
           "/opt/bin/health-monitor.sh": "#!/bin/sh\n" + "# monitor\n" * 500}
WRITE_STAGE_2 = 'for path in /opt/bin/setup /etc/systemd/system/setup.service /opt/bin/health-monitor.sh; do\n' \
                '    cp "$ORIGINALS$path" "$MACHINE$path"\ndone\n'
IGNITION = '{"ignition": {"version": "2.3.0"}, "storage": {"files": []}, "x": "' + "x" * 20000 + '"}'
USER_DATA = "user-data\n" * 2000
FSTAB = "LABEL=root / ext4 defaults 0 1\n/swap.img none swap sw 0 0\n"


@contextlib.contextmanager
def mounted(image, kind, options, at):
    at.mkdir(exist_ok=True)
    nodelib.run(["mount", "-t", kind, "-o", f"loop,{options}", str(image), str(at)])
    try:
        yield
    finally:
        nodelib.run(["umount", str(at)])


class Disk:
    """An image with a file system, where its copies go, and what is outside of the machine."""

    def __init__(self, folder, kind, size, options):
        self.image, self.copies, self.machine, self.originals = (folder / name for name in ("image", "copies", "machine", "originals"))
        self.kind, self.options = kind, options
        folder.mkdir(parents=True)
        self.copies.mkdir()
        with self.image.open("wb") as file:
            file.truncate(size << 20)
        nodelib.run([f"mkfs.{kind}", "-q", str(self.image)])
        for path, text in STAGE_2.items():
            (self.originals / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            (self.originals / path[1:]).write_text(text)

    def mount(self, image=None):
        return mounted(image or self.image, self.kind, self.options, self.machine)

    def environment(self, cuts):
        copies = {"COPIES": str(self.copies), "IMAGE": str(self.image)} if cuts else {}
        return {"MACHINE": str(self.machine), "ORIGINALS": str(self.originals), **copies}


def prepare(disk, fleet, profile, api, unit, flags=()):
    """A machine before a stage, whose unit is enabled, with programs that cut the power after each change."""
    m = sandbox.Machine(disk.machine, fleet, profile, "plain", api.url, flags=flags)
    m.stub("systemctl", SYSTEMCTL + CUT)
    m.stub("cloud-init", f'[ "$2" = --help ] && exit\n{WRITE_STAGE_2}' + CUT)
    m.stub("coreos-cloudinit", WRITE_STAGE_2 + CUT)
    m.stub("dnf", 'case "$*" in *" install "*) head -c 20000 /dev/zero | tr "\\0" p >"$MACHINE/opt/package" ;; esac\n' + CUT)
    for name in ("mv", "touch", "rm", "install", "sed"):
        m.write(f"/stubs/{name}", f'#!/bin/sh\n{shutil.which(name)} "$@" || exit\n' + CUT, 0o755)
    m.write("/etc/fstab", FSTAB)
    m.write("/etc/selinux/config", "SELINUX=enforcing\n")
    m.write("/etc/machine-id", "0" * 32)
    for folder in ("/oem", "/usr/local/bin", WANTS):
        m.path(folder).mkdir(parents=True, exist_ok=True)
    if unit:
        m.path(f"{WANTS}/{unit}").symlink_to(f"../{unit}")
    if profile.key == "rockylinux":
        m.write("/etc/dnf/dnf.conf", "[main]\ngpgcheck=1\n")
    m.write("/etc/environment", "LANG=C\n")
    m.write("/etc/default/osm-node", sandbox.mirror_binaries(m) + "".join(f"{name}=none\n" for name in list(profile.settings)[:1]))
    nodelib.run(["sync", "-f", str(disk.machine)])
    # What cloud-init has written just before.
    m.write("/opt/user-data", USER_DATA)
    return m


def enabled(m, unit):
    return os.path.lexists(m.path(f"{WANTS}/{unit}"))


def texts(m, paths):
    return {path: m.path(path).read_text(errors="replace") if m.path(path).exists() else None for path in paths}


def check_always(t, at, m):
    """What holds at every moment: files that the system had before, and packages that were installed."""
    fstab = m.path("/etc/fstab").read_text()
    t.check(f"{at}: fstab", fstab in (FSTAB, FSTAB.replace("/swap", "# /swap")), fstab)
    selinux = m.path("/etc/selinux/config").read_text()
    t.check(f"{at}: SELinux's configuration", selinux in ("SELINUX=enforcing\n", "SELINUX=permissive\n"), selinux)
    t.equal(f"{at}: the user-data's files", m.path("/opt/user-data").read_text(), USER_DATA)
    manager = m.path("/etc/dnf/dnf.conf")
    t.check(f"{at}: the package manager's configuration", not manager.exists() or "gpgcheck=1" in manager.read_text(), manager)
    package, begun = m.path("/opt/package"), m.path("/var/lib/osm-node/packages-begun")
    if package.exists() and not begun.exists():
        t.equal(f"{at}: a package whose installation has ended", package.stat().st_size, 20000)


def cut(t, disk, m, name, script, unit, is_over, outcome):
    """Runs the script, and cuts the power at each change. `is_over(m)`: the stage does not run at the next boot. `outcome(m)`:
    what must be then."""
    with disk.mount():
        result = m.run(m.path("/opt/bin/supervise.sh"), m.path(script), **disk.environment(cuts=True))
        t.equal(f"{name}: the stage succeeds", result.returncode, 0) or print(result.stderr)
        t.check(f"{name}: it is over", is_over(m), m.calls())
        wanted = outcome(m)
    places = sorted(disk.copies.iterdir(), key=lambda path: int(path.name))
    t.check(f"{name}: several cuts", len(places) > 5, len(places))
    done = m.path(f"/var/lib/osm-node/{unit.removesuffix('.service')}.done")
    over = again = 0
    for place in places:
        at = f"{name}: power cut at {place.name} of {len(places)}"
        with disk.mount(place):
            check_always(t, at, m)
            if done.exists():
                t.equal(f"{at}: the stage is done", outcome(m), wanted)
            if is_over(m):
                over += 1
                t.equal(f"{at}: all is there", outcome(m), wanted)
            else:
                again += 1
                m.run(m.path("/opt/bin/supervise.sh"), m.path(script), **disk.environment(cuts=False))
                check_always(t, at, m)
                t.check(f"{at}: the next boot finishes it", is_over(m), m.calls())
                t.equal(f"{at}: as without the cut", outcome(m), wanted)
        place.unlink()
    t.check(f"{name}: cuts before and after its end", over and again, (over, again))


def test_stage_1(t, disk, fleet, profile, api, name):
    """A proxy is set, so that files of the system change."""
    # Elsewhere stage 1 enables itself.
    unit = "bootstrap.service" if profile.os == "flatcar" else None
    with disk.mount():
        m = prepare(disk, fleet, profile, api, unit, ("--node-http-proxy=http://proxy.example.test:3128", "--node-no-proxy=127.0.0.1"))
    ignition = profile.utility == "ignition"
    api.answers = [(200, sandbox.secret(cloud_config=IGNITION if ignition else "#cloud-config\nwrite_files: []\nruncmd: []\n"))]
    paths = ["/oem/config.ign"] if ignition else list(STAGE_2)
    if ignition:
        # Ignition runs, and systemd enables what it has written; the unit of stage 1 is not there to start.
        is_over = lambda m: not (enabled(m, "bootstrap.service") and m.path("/etc/systemd/system/bootstrap.service").exists())
        outcome = lambda m: (texts(m, paths), m.path("/boot/flatcar/first_boot").exists(), m.path("/etc/machine-id").exists())
    else:
        is_over = lambda m: m.path("/etc/bootstrap-complete").exists() if profile.os == "flatcar" else \
            not enabled(m, "bootstrap.service") and enabled(m, "setup.service")
        outcome = lambda m: (texts(m, paths), enabled(m, "setup.service"))
    files = lambda m: (outcome(m), sorted(m.path("/etc/environment").read_text().splitlines()))
    cut(t, disk, m, name, "/opt/bin/bootstrap", "bootstrap.service", is_over, files)


def test_stage_2(t, disk, fleet, profile, api, name):
    with disk.mount():
        m = prepare(disk, fleet, profile, api, "setup.service")
    api.answers = [(200, sandbox.secret(kubeconfig="apiVersion: v1\nkind: Config\n"))]
    paths = ["/opt/bin/kubelet", "/opt/bin/kubectl", "/opt/bin/crictl", "/opt/cni/bin/crictl", "/etc/fstab",
             "/etc/kubernetes/bootstrap-kubelet.conf", "/etc/containerd/config.toml"]
    cut(t, disk, m, name, "/opt/bin/setup", "setup.service", lambda m: not enabled(m, "setup.service"),
        lambda m: (texts(m, paths), [unit for unit in ("kubelet.service", "containerd.service") if enabled(m, unit)]))


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
        t.skip("power cuts", "not root, or no loop devices")
        print("0 passed, 0 failed, 1 skipped")
        return
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    api = sandbox.ApiServer(scratch, fleet.ca, fleet.ca_key)
    for name, kind, size, options in SYSTEMS:
        if not shutil.which(f"mkfs.{kind}"):
            t.skip(f"power cuts on {name}", f"there is no mkfs.{kind}")
            continue
        for profile in (profile for profile in nodelib.PROFILES if profile.key in PROFILES):
            for stage, test in (("stage 1", test_stage_1), ("stage 2", test_stage_2)):
                folder = scratch / f"{kind}-{options}-{profile.key}-{stage[-1]}"
                test(t, Disk(folder, kind, size, options), fleet, profile, api, f"{name}, {profile.key}, {stage}")
                shutil.rmtree(folder)
    t.finish()


if __name__ == "__main__":
    main()
