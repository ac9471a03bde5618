"""What the boot test sees of its machines."""

import collections
import hashlib
import os
import pathlib
import stat

import machine
from surroundings import SLEPT


def differences(m, entries):
    """What keeps the files of a machine from being these, in cloud-init's form."""
    found = []
    for path, entry in entries.items():
        file = m.path(path)
        if file.is_symlink() or not file.is_file():
            found.append(f"{path}: no such file")
            continue
        status = file.stat()
        if file.read_text() != entry["data"]:
            found.append(f"{path}: content")
        if stat.S_IMODE(status.st_mode) != int(entry["permissions"], 8):
            found.append(f"{path}: mode {stat.S_IMODE(status.st_mode):o} instead of {entry['permissions']}")
        if (status.st_uid, status.st_gid) != (0, 0):
            found.append(f"{path}: owner {status.st_uid}:{status.st_gid}")
    return found


def missing_of(m, config):
    """What a machine lacks of an OperatingSystemConfig's files. Secrets are redacted there: such lines prove nothing."""
    found = []
    for item in config["files"]:
        file, data = m.path(item["path"]), item["content"]["inline"]["data"]
        if not file.is_file() or stat.S_IMODE(file.stat().st_mode) != int(str(item.get("permissions", 644)), 8):
            found.append(item["path"])
            continue
        have = collections.Counter(file.read_text().splitlines())
        want = collections.Counter(line for line in data.splitlines() if "<sealed:" not in line)
        found += [f"{item['path']}: {line}" for line in want - have if line.strip()]
    return found


def readable_by_all(m, text):
    """The files that hold the text and that everybody on the machine may read."""
    found = []
    for folder, names, files in os.walk(m.folder / "upper"):
        here = pathlib.Path(folder)
        names[:] = [name for name in names if (here / name).stat().st_mode & 0o001]
        for name in files:
            file = here / name
            if file.is_symlink() or not file.is_file() or not file.stat().st_mode & 0o004:
                continue
            if text.encode() in file.read_bytes():
                found.append("/" + str(file.relative_to(m.folder / "upper")))
    return found


def stored(m):
    """What there is of stage 2."""
    paths = ("/opt/bin/setup", "/var/lib/osm-node/bootstrap.done")
    configs = m.run("find", "/etc/cloud/cloud.cfg.d", "/run/osm-node", "-name", "*-provisioning-config*").stdout.split()
    return configs + [path for path in paths if m.path(path).exists()]


def slept(m):
    """How many seconds the machine has paused, by its own reckoning."""
    return sum(map(int, m.read(SLEPT).split()))


def mark(m, unit):
    """How much the unit has said so far, for `since`."""
    return len(m.journal(unit))


def wait_in_journal(m, unit, text, seconds, since=0):
    """Until the unit has said it, at all or since a mark."""
    try:
        machine.wait_for(lambda: text in m.journal(unit)[since:], seconds, f"{unit} to say: {text}", m)
    except AssertionError as error:
        failed = m.run("systemctl", "--failed", "--no-legend").stdout
        raise AssertionError(f"{error}\n{m.journal(unit)[-3000:]}\n{failed}\n{m.console()[-1000:]}") from None


def written(m, *folders):
    """What the machine has below some folders that is not as its image had it: path -> mode, owner and checksum, or target
    of a link."""
    upper, found = m.folder / "upper", {}
    for top in folders:
        for folder, names, files in os.walk(upper / top.lstrip("/")):
            for file in (pathlib.Path(folder) / name for name in (*names, *files)):
                status = file.lstat()
                what = (os.readlink(file) if file.is_symlink()
                        else hashlib.sha256(file.read_bytes()).hexdigest() if stat.S_ISREG(status.st_mode) else "")
                found["/" + str(file.relative_to(upper))] = (f"{status.st_mode:o}", status.st_uid, status.st_gid, what)
    return found


def changes(before, after):
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))


def enabled(m):
    return m.run("systemctl", "list-unit-files", "--no-legend", "--no-pager").stdout
