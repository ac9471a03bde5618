#!/usr/bin/env python3
"""Whole repositories that went wrong: whatever their files hold, each command ends by itself and says why.

    repositories_random.py PROGRAM SECONDS CASES SEED GOLDEN SCRATCH

Each case takes a golden case that renders and damages one to four of its files (inputs, settings, the output, git's own files):
bytes, lines, values and members of YAML, pieces of other repositories. It commits that and runs some commands. A command must end
with a status that is documented, within a minute, without a finding of a sanitizer. `generate` makes the same commit again as none,
and `check` agrees with it; where it fails, it has changed nothing. It ends after CASES cases or SECONDS of processor time.
"""
import copy
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys

import yaml

from _goldens import GIT, GIT_ENV, commit, rendered

PROGRAM, SECONDS, CASES, SEED = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
GOLDEN, SCRATCH = pathlib.Path(sys.argv[5]), pathlib.Path(sys.argv[6])
LOADER, DUMPER = getattr(yaml, "CSafeLoader", yaml.SafeLoader), getattr(yaml, "CSafeDumper", yaml.SafeDumper)
ENV = {**GIT_ENV, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99"}
WITHOUT_KEYS = {name: value for name, value in ENV.items() if name not in ("OSM_GEN_SEAL_SEED", "SOPS_AGE_KEY_FILE")}
STATUSES = {0, 1, 2, 3}
READERS = (["validate"], ["plan"], ["plan", "-o", "json"], ["plan", "-v"], ["diff"], ["diff", "--reveal"], ["check"], ["verify"],
           ["list"], ["list", "-o", "json"], ["doctor"], ["config", "show"], ["inventory"], ["validate", "--report", "html=/dev/null"],
           ["plan", "--report", "markdown=/dev/null", "--report", "sarif=/dev/null", "--report", "gitlab=/dev/null"], ["render", "kube-system/workers"], ["revisions", "clusters/prod/workers.yaml"])
SCALARS = (None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 1.5, float("inf"), "", " ", "~", "null", "yes", "0x1F", "1_000", "0123", "é", "\0", "a\nb", "\t",
           "{{ .Token }}", "{{", "{{ range . }}{{ . }}{{ end }}", "${HOME}", "../../etc/passwd", "/", "-", "--out=/", "a" * 300, "x" * 70_000, "ENC[AES256_GCM,data:AAAA]",
           "1.34.1", "v99.0.0", "1.34", "kube-system", "prod", "cloud-config", "ignition", "ubuntu", "flatcar", "http://u:p@h:1", "aws", "Secret",
           "MachineDeployment", "OperatingSystemProfile", "cluster.k8s.io/v1alpha1", "2026-11-29T00:00:00Z", [], {}, [None], {"": ""}, {"a": {"b": ["c"]}},
           [[]] * 5, {"$patch": "delete"}, {"<<": {}})
WORDS = (b"---\n", b"...\n", b"- ", b": ", b"{", b"}", b"[", b"]", b"&a ", b"*a", b"!!binary ", b"|\n", b">-\n", b"\xff", b"\0", b"\r\n", b"\t", b"%YAML 1.2\n", b"<<: *a\n",
         b"'", b'"', b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"{{", b"}}", b"#cloud-config\n", b"@@", b"-----BEGIN CERTIFICATE-----\n", b"sops:\n", b"kind: List\nitems:\n",
         b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> x\n", b"*.yaml filter=lfs\n", b"clusters/\n", b"!out/\n")

# ---- damage --------------------------------------------------------------------------------------


def places(value, found):
    """Each container of a document with one of its keys."""
    for key, member in list(value.items() if isinstance(value, dict) else enumerate(value)):
        found.append((value, key))
        if isinstance(member, (dict, list)) and len(found) < 5000:
            places(member, found)
    return found


def of_yaml(content, dice, others):
    """Changes members of the file's documents; others is a file of another repository, whose values may come in."""
    try:
        found = list(yaml.load_all(content.decode(), LOADER))
        strange = list(yaml.load_all(others.decode(), LOADER))
        places(found, []), places(strange, [])  # an alias may make a value a part of itself
    except (yaml.YAMLError, ValueError, RecursionError):
        return of_bytes(content, dice, others)
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        candidates, sources = places(found, []), places(strange, [])
        if not candidates:
            break
        container, key = dice.choice(candidates)
        way = dice.randrange(6)
        if way == 0:
            del container[key]
        elif way == 1 and sources:
            source, name = dice.choice(sources)
            container[key] = copy.deepcopy(source[name])
        elif way == 2 and sources and isinstance(container, dict):
            source, name = dice.choice(sources)
            container[str(name)] = copy.deepcopy(source[name])
        elif way == 3 and isinstance(container, list):
            container.extend([container[key]] * dice.choice((1, 3, 200)))
        elif way == 4:
            container[key] = {dice.choice(["a", "name", "value", "items", "data"]): container[key]}
        else:
            container[key] = copy.deepcopy(dice.choice(SCALARS))
    try:
        return yaml.dump_all(found, Dumper=DUMPER, allow_unicode=True, sort_keys=dice.random() < 0.5).encode()
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return of_bytes(content, dice, others)


def of_bytes(content, dice, others):
    content = bytearray(content)
    for _ in range(dice.choice((1, 1, 1, 2, 4, 16))):
        at = dice.randrange(len(content) + 1)
        length = dice.choice((1, 1, 4, 30, 400))
        way = dice.randrange(6)
        if way == 0:
            del content[at:at + length]
        elif way == 1:
            content[at:at] = dice.choice(WORDS)
        elif way == 2 and at < len(content):
            content[at] ^= 1 << dice.randrange(8)
        elif way == 3:
            content[at:at] = content[at:at + length] * dice.choice((1, 2, 50))
        elif way == 4:
            start = dice.randrange(len(others) + 1)
            content[at:at] = others[start:start + length]
        else:
            content[at:at + length] = dice.randbytes(dice.choice((1, 4, 40)))
    return bytes(content)


def of_lines(content, dice, others):
    lines, strange = content.splitlines(True), others.splitlines(True)
    for _ in range(dice.choice((1, 2, 6))):
        at = dice.randrange(len(lines) + 1)
        way = dice.randrange(4)
        if way == 0:
            del lines[at:at + dice.choice((1, 3))]
        elif way == 1 and strange:
            start = dice.randrange(len(strange))
            lines[at:at] = strange[start:start + dice.choice((1, 4))]
        elif way == 2 and at < len(lines):
            lines[at] = b" " * dice.choice((1, 2)) + lines[at]
        elif way == 3 and at < len(lines):
            lines.insert(dice.randrange(len(lines)), lines.pop(at))
    return b"".join(lines)


def files(repo):
    return sorted(path for path in repo.rglob("*") if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(repo).parts)


def damage(repo, dice, repos):
    """Damages files of a repository; inputs three times as often as the output."""
    told = []
    for _ in range(dice.choice((1, 1, 1, 1, 2, 4))):
        all_files = files(repo)
        outside = [path for path in all_files if "out" not in path.relative_to(repo).parts]
        path = dice.choice(outside if outside and dice.random() < 0.75 else all_files)
        if dice.random() < 0.04:
            path = repo / dice.choice([".gitattributes", ".gitignore", ".osm-gen-ignore", ".sops.yaml", ".sourceignore", "kustomization.yaml", "kubeone.yaml", "tf.json"])
        content = path.read_bytes() if path.exists() else b""
        way = dice.choice((of_yaml, of_yaml, of_bytes, of_lines))
        path.write_bytes(way(content, dice, dice.choice(files(dice.choice(repos))).read_bytes()))
        told.append(f"{path.relative_to(repo)} ({way.__name__})")
    return ", ".join(told)


# ---- cases ---------------------------------------------------------------------------------------


def git(repo, *arguments):
    return subprocess.run([*GIT, *arguments], cwd=repo, env=GIT_ENV, capture_output=True, check=True).stdout


def run(repo, arguments, env=ENV):
    """Runs a command. Returns its status and what is wrong with how it ended."""
    try:
        done = subprocess.run([PROGRAM, *arguments], cwd=repo, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return None, "takes more than a minute"
    if done.returncode not in STATUSES:
        return done.returncode, f"status {done.returncode}\n{done.stderr.decode(errors='replace')[:6000]}"
    if done.returncode >= 2 and not done.stderr.strip():
        return done.returncode, f"status {done.returncode} without a word"
    return done.returncode, ""


def try_generate(repo):
    """Generates. Returns what is wrong."""
    before = git(repo, "rev-parse", "HEAD")
    status, wrong = run(repo, ["generate", "--allow-removal"])
    if wrong:
        return wrong
    if git(repo, "status", "--porcelain"):
        return f"status {status}, and the work tree has changes:\n" + git(repo, "status", "--porcelain").decode(errors="replace")
    made = git(repo, "rev-parse", "HEAD")
    if status != 0:
        return "it failed and made a commit" if made != before else ""
    git(repo, "fsck", "--strict")
    for command in (["generate", "--allow-removal"], ["check"]):
        status, wrong = run(repo, command)
        # A run with nothing to write does not look at filters, which check refuses.
        if status == 3 and command == ["check"] and (repo / ".gitattributes").exists():
            continue
        if wrong or status != 0:
            return f"after generate, {command[0]}: {wrong or f'status {status}'}"
    return "" if git(repo, "rev-parse", "HEAD") == made else "a second run makes a second commit"


def try_one(number, repos, counts):
    dice = random.Random(f"{SEED} {number}")
    base, repo = dice.choice(repos), SCRATCH / "repo"
    shutil.copytree(base, repo, symlinks=True)
    told = damage(repo, dice, repos)
    commit(repo, "damage")
    wrong = ""
    for command in dice.sample(READERS, 2):
        status, wrong = run(repo, command, dice.choice((ENV, WITHOUT_KEYS)))
        if wrong:
            wrong = f"{' '.join(command)}: {wrong}"
            break
    if not wrong:
        head = git(repo, "rev-parse", "HEAD")
        wrong = try_generate(repo)
        wrong = wrong and f"generate: {wrong}"
        counts["refused" if git(repo, "rev-parse", "HEAD") == head else "rendered"] += 1
    shutil.rmtree(repo)
    return wrong and f"not ok: case {number}, {base.name}: {told}: {wrong}"


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    repos = rendered(PROGRAM, GOLDEN, SCRATCH / "bases", lambda repo: list(repo.glob("out/*/index.json")))
    counts, number, wrong = {"refused": 0, "rendered": 0}, 0, 0
    end = processor_time() + SECONDS
    while number < CASES and processor_time() < end:
        found = try_one(number, repos, counts)
        if found:
            print(found, flush=True)
            wrong += 1
            shutil.rmtree(SCRATCH / "repo", ignore_errors=True)
        number += 1
    print(f"{number} repositories: {counts['rendered']} rendered, {counts['refused']} not; {wrong} wrong")
    sys.exit(wrong > 0 or 0 in counts.values())


if __name__ == "__main__":
    main()
