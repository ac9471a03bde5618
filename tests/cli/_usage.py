"""Runs every usage line and every example that `osm-gen help COMMAND` prints, in copies of the sample fleet.

_usage.py PROGRAM FOLDER: FOLDER/fleet is a repository with its output; what kubectl printed lies beside it in FOLDER.
"""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
# What a usage line's placeholders stand for; those that differ from command to command come first.
VALUES = {
    ("convert", "FILE"): "../kkp/extension.yaml",
    ("unseal", "FILE"): "out/prod-us-1/worker/cloud-init-settings/secret-*.yaml",
    ("verify", "FILE"): "out/prod-us-1/index.json",
    ("init", "DIR"): "../new",
    ("schema", "DIR"): "../schemas",
    ("schema", "KIND"): "OperatingSystemProfile",
    ("merge", "DIR"): "../parts",
    ("adopt", "DIR"): "clusters/prod",
    ("adopt", "NAME"): "prod",
    ("revisions", "EXPORT"): "../prod-us-1.json",
    "EXPORT": "../live.yaml",
    "NAMESPACE/NAME": "kube-system/build",
    "NAME": "osp-ubuntu",
    "CLUSTER": "prod-us-1",
    "CODE": "OSG3001",
    "COMMAND": "plan",
}
# What must run before: merge takes the parts of other runs.
BEFORE = {"merge": "osm-gen -q generate --shard 1/1 --out ../parts"}
# The exports are not of this fleet, and the mirror is empty: differences.
DIFFERS = re.compile(r"osm-gen (compare|observe)|osm-gen doctor .*--live|--check-mirror")
# Nothing rolls in a repository that is up to date; a completion script only defines functions.
SILENT = re.compile(r'class == "ROLL"|^source ')
passed = failed = skipped = number = 0


def check(name, is_right, why=""):
    global passed, failed
    passed, failed = passed + bool(is_right), failed + (not is_right)
    if not is_right:
        print(f"not ok: {name}: {why}")


def printed(*words):
    return subprocess.run([PROGRAM, "help", *words], capture_output=True, text=True, check=True).stdout


def expand(usage):
    """All command lines of a usage line: [x] may be left out, a|b is one of both, x... is given once."""
    ways = []
    for part in re.findall(r"\[[^]]*\]|[^\[]+", usage.replace(" [OPTION...]", "").replace("...", "")):
        if part[0] == "[":
            ways.append(["", part[1:-1]])
        elif "|" in part:
            before, choices = re.fullmatch(r"(.* )?(\S+\|\S+)", part).groups()
            ways += [[before or ""], choices.split("|")]
        else:
            ways.append([part])
    return [" ".join("".join(way).split()) for way in itertools.product(*ways)]


def fill(command, line):
    """The line with a value for each placeholder. Fails if one is unknown."""
    def value(match):
        return VALUES.get((command, match[0])) or VALUES[match[0]]
    return re.sub(r"NAMESPACE/NAME|\b[A-Z]{2,}\b", value, line)


def listing(folder):
    return {(path, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts}


def copy_or_link(source, target):
    """Git never changes an object's file."""
    (os.link if "/.git/objects/" in source else shutil.copy2)(source, target)


def runs(line, before=None):
    """Runs a line in a copy of its own. It succeeds, and has some effect."""
    global number, skipped
    number += 1
    reader = re.search(r"\| (?!osm-gen )(\S+)", line)
    if reader and not shutil.which(reader[1]):
        skipped += 1
        print(f"skipped: {line}: {reader[1]} is not installed")
        return
    folder = FOLDER / "copies" / str(number)
    folder.mkdir(parents=True)
    for name in os.listdir(FOLDER):
        if name not in ("copies", "fleet"):
            copy = shutil.copytree if (FOLDER / name).is_dir() else shutil.copy
            copy(FOLDER / name, folder / name)
    shutil.copytree(FOLDER / "fleet", folder / "fleet", symlinks=True, copy_function=copy_or_link)
    shell = ["bash", "-euo", "pipefail", "-c"]
    if before:
        subprocess.run([*shell, before], cwd=folder / "fleet", check=True)
    earlier = listing(folder)
    # Keys that a command makes stay here.
    env = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
    with open(FOLDER / "manifests.yaml", encoding="utf-8") as manifests:
        done = subprocess.run([*shell, line], cwd=folder / "fleet", env=env, stdin=manifests, capture_output=True, check=False)
    want = 1 if DIFFERS.search(line) else 0
    check(line, done.returncode == want, f"exit status {done.returncode}, want {want}\n{done.stderr.decode()}")
    check(f"{line}: has an effect", done.stdout or done.stderr or listing(folder) != earlier or SILENT.search(line),
          "prints and writes nothing")
    check(f"{line}: no colour in a pipe", b"\x1b" not in done.stdout + done.stderr)
    shutil.rmtree(folder)


def of_command(command):
    text = printed(command)
    check(f"{command}: its help fits one screen", text.count("\n") <= 40, f"{text.count(chr(10))} lines")
    check(f"{command}: no line is empty twice", "\n\n\n" not in text)
    usages = text.split("\n\n")[0].split("\n")
    for usage in usages:
        check(f"{usage}: begins so", re.match(rf"osm-gen {command}( .*)? \[OPTION\.\.\.\]$", usage))
        for line in expand(usage):
            runs(fill(command, line), BEFORE.get(command))
    examples = re.findall(r"^  (\S.*?)(?:  .*)?$", re.search(r"^Examples\n((?:  .*\n)+)", text, re.M)[1], re.M)
    check(f"{command}: has examples", examples)
    for example in examples:
        check(f"{example}: is of {command}", re.search(rf"osm-gen ({command}|-.*)( |$)", example + " "))
        runs(example)


overview = printed()
commands = re.findall(r"^  ([a-z]+)", overview.split("\nCommands\n")[1].split("\n\n")[0], re.M)
for one in commands:
    of_command(one)
check("there are many", number > 90, f"{number}")
print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(failed > 0)
