#!/usr/bin/env python3
"""What people and tools do to a file of a repository that has output, and what `osm-gen plan` makes of it.

    mutate_random.py PROGRAM CASES SEED GOLDEN SCRATCH

Each case takes a golden case that renders, does one thing to one of its files, commits that, and plans. Either the plan fails,
with an error about that file if it had MachineDeployments, or it lists every MachineDeployment that had output: as removed only if the commit removed it.
`is_removed` is the model that decides what a commit removed. GOLDEN is tests/golden.
"""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import yaml

from _goldens import GIT_ENV, commit, inputs, rendered, sources

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PROGRAM, CASES, SEED, GOLDEN, SCRATCH = sys.argv[1], int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]), pathlib.Path(sys.argv[5])


# ---- the model -----------------------------------------------------------------------------------


def documents(path):
    """The objects of a file, or None if nobody can read it as manifests."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        found = [one for one in yaml.load_all(path.read_bytes().decode("utf-8-sig"), LOADER) if one is not None]
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return None
    return [item for one in found for item in (one["items"] if isinstance(one, dict) and one.get("kind") == "List" else [one])]


def is_removed(before, after):
    """Whether a MachineDeployment is gone because somebody took it out: its file is gone, or the file has some of its objects
    still, as they were, and no other ones."""
    if not after.is_symlink() and not after.exists():
        return True
    old, new = documents(before), documents(after)
    return bool(new) and old is not None and all(one in old for one in new)


# ---- what is done to a file ----------------------------------------------------------------------


def armored(dice, head, foot):
    return (head + "\n\n" + "".join(dice.choices("ABCDEFabcdef0123456789+/", k=64)) + "\n" + foot + "\n").encode()


def vault(dice):
    return b"$ANSIBLE_VAULT;1.1;AES256\n" + b"".join(b"%02x" % dice.randrange(256) for _ in range(40)) + b"\n"


ENCRYPTED = {
    "git-crypt": lambda dice: b"\0GITCRYPT\0" + dice.randbytes(80),
    "ansible-vault": vault,
    "PGP": lambda dice: armored(dice, "-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----"),
    "age": lambda dice: b"age-encryption.org/v1\n-> X25519 abc\nabc\n--- abc\n" + dice.randbytes(60),
    "age, armored": lambda dice: armored(dice, "-----BEGIN AGE ENCRYPTED FILE-----", "-----END AGE ENCRYPTED FILE-----"),
    "sops, binary": lambda dice: json.dumps({"data": "ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]",
                                             "sops": {"age": [], "mac": "ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]"}}).encode(),
}


def write(path, content):
    path.write_bytes(content)


def as_link(path, repo, dice):
    target = path.with_name("elsewhere.txt")
    path.rename(target)
    path.symlink_to(target.name)


def moved(path, repo, dice):
    folder = repo / "clusters" / "other"
    folder.mkdir(parents=True, exist_ok=True)
    path.rename(folder / path.name)


def renamed(path, repo, dice):
    path.rename(path.with_name(dice.choice(["renamed.yaml", "renamed.yml", path.name + ".bak", "renamed.txt"])))


def emptied(path, repo, dice):
    write(path, dice.choice([b"", b"\n", b"# nothing\n", b"---\n", b"null\n"]))


def other_kind(path, repo, dice):
    text = path.read_text()
    write(path, re.sub(r"(?m)^((?:- )?kind: ).*", lambda match: match[1] + dice.choice(["Deployment", "machinedeployment", "", "[]"]), text,
                       count=1).encode())


def other_group(path, repo, dice):
    write(path, re.sub(r"(?m)^((?:- )?apiVersion: ).*", lambda match: match[1] + dice.choice(["v1", "cluster.x-k8s.io/v1beta1", "''"]),
                       path.read_text(), count=1).encode())


def cut(path, repo, dice):
    content = path.read_bytes()
    write(path, content[:dice.randrange(len(content) or 1)])


def in_conflict(path, repo, dice):
    lines = path.read_text().splitlines(True)
    at = dice.randrange(len(lines) + 1)
    write(path, "".join([*lines[:at], "<<<<<<< HEAD\n", *lines[at:at + 2], "=======\n", *lines[at:at + 1], ">>>>>>> other\n", *lines[at + 2:]]).encode())


def one_object_less(path, repo, dice):
    parts = re.split(r"(?m)^---\n", path.read_text())
    if len(parts) > 1:
        parts.pop(dice.randrange(len(parts)))
    write(path, "---\n".join(parts).encode())


WAYS = {
    **{f"encrypted by {name}": lambda path, repo, dice, make=make: write(path, make(dice)) for name, make in ENCRYPTED.items()},
    "an LFS pointer": lambda path, repo, dice: write(
        path, b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 123\n"),
    "conflict markers": in_conflict,
    "cut": cut,
    "renamed": renamed,
    "executable": lambda path, repo, dice: path.chmod(0o755),
    "moved to another folder": moved,
    "another kind": other_kind,
    "another group": other_group,
    "empty": emptied,
    "a link": as_link,
    "a byte order mark": lambda path, repo, dice: write(path, b"\xef\xbb\xbf" + path.read_bytes()),
    "UTF-16": lambda path, repo, dice: write(path, path.read_text().encode("utf-16")),
    "removed": lambda path, repo, dice: path.unlink(),
    "an object less": one_object_less,
}


# ---- cases ---------------------------------------------------------------------------------------


def try_one(number, base, counts):
    dice = random.Random(f"{SEED} {number}")
    repo = SCRATCH / "repo"
    shutil.copytree(base, repo, symlinks=True)
    path, way = dice.choice(inputs(repo)), dice.choice(sorted(WAYS))
    name = str(path.relative_to(repo))
    try:
        WAYS[way](path, repo, dice)
    except UnicodeDecodeError:
        shutil.rmtree(repo)
        return ""
    commit(repo, way)
    done = subprocess.run([PROGRAM, "plan", "-o", "json", "--report", f"json={SCRATCH}/report.json"], cwd=repo, env=GIT_ENV, text=True,
                          capture_output=True, check=False)
    wrong = ""
    if done.returncode not in (0, 2, 3):
        wrong = f"exit status {done.returncode}"
    elif done.returncode == 0:
        classes = {(unit["cluster"], unit["namespace"], unit["name"]): unit["class"] for unit in json.loads(done.stdout)["units"]}
        for unit, source in sources(base).items():
            if unit not in classes:
                wrong = f"{unit} is in no class"
            elif classes[unit] == "REMOVE" and not is_removed(base / source, repo / source):
                wrong = f"{unit} is called removed"
    # Without the cluster's MachineDeployments, those of its KubeOneCluster would be made: that is said.
    elif name in sources(base).values() and not any(part in done.stderr for part in (os.path.basename(name), "the cluster has no MachineDeployment (")):
        wrong = "the error does not name the file"
    counts["refused" if done.returncode else "removed" if '"REMOVE"' in re.sub(r'"REMOVE": \{', "", done.stdout) else "went on"] += 1
    shutil.rmtree(repo)
    return wrong and f"not ok: case {number}, {base.name}: {name}, {way}: {wrong}\n{done.stderr}"


def main():
    repos = rendered(PROGRAM, GOLDEN, SCRATCH / "bases")
    counts = collections.Counter()
    wrong = [found for number in range(CASES) if (found := try_one(number, repos[number % len(repos)], counts))]
    print("\n".join(wrong[:20]))
    print(f"{CASES} commits to {len(repos)} repositories: " + ", ".join(f"{count} {how}" for how, count in sorted(counts.items())) +
          f"; {len(wrong)} wrong")
    sys.exit(bool(wrong) or min(counts[how] for how in ("refused", "removed", "went on")) == 0)


if __name__ == "__main__":
    main()
