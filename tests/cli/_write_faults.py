"""_write_faults.py PROGRAM PRELOAD FLEET EXPORT SCRATCH COUNT SEED: has calls that change files fail, one at a time.

FLEET is a repository with inputs, EXPORT an export of a live cluster. A scenario is a command in a copy of FLEET. Its calls are
counted in an undisturbed run. Then, for COUNT pairs of a call and a fault that SEED draws (or `all`, or each fourth from the
second on, `2/4`, or those of a scenario, `bare`, or the one that a report names, `bare:EIO:63`), the command runs again with that fault. What must hold after each: the repository is sound, the
branch is the old or the new one, a failure has a message, and what the program claims of itself is true. The next run gives what
an undisturbed one gives, and nothing is left.
"""

import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, PRELOAD, FLEET, EXPORT, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:6])
COUNT, SEED = sys.argv[6:8]
WRITES = {"write", "pwrite", "writev", "sendfile", "copy_file_range"}
FAULTS = ("EIO", "EDQUOT", "EINTR", "FULL", "READONLY", "SHORT", "KILL")
# What is left where a process is killed, or where no file can be removed: a file that was about to replace another one, and
# folders that the next run clears.
TEMPORARY = re.compile(r"(^|/)\.osm-gen-[^/]*(/|$)")
LEAVES = ("KILL", "READONLY", "FULL")
RUBBISH = re.compile(r"\.lock$|tmp_|stage|osm-gen-|^run-\d")


def run(arguments, folder, **environment):
    return subprocess.run([str(word) for word in arguments], cwd=folder, capture_output=True, text=True, check=False,
                          timeout=120, env={**os.environ, **environment})


def git(repo, *arguments):
    done = run(["git", *arguments], repo)
    if done.returncode != 0:
        raise RuntimeError(f"git {arguments}: {done.stderr}")
    return done.stdout.strip()


def files_of(folder, fault=None):
    """The files below the folder but git's own, and but those that the fault may leave, with their contents."""
    own = folder / "fleet" if (folder / "fleet" / "objects").is_dir() else folder / "fleet" / ".git"
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
             if path.is_file() and own not in path.parents}
    return {path: content for path, content in files.items() if fault not in LEAVES or not TEMPORARY.search(path)}


class Scenario:
    """A command in a folder that has the repository `fleet`; `prepare` makes the folder from a copy of FLEET. `{root}` in the
    arguments is the folder."""

    def __init__(self, name, arguments, prepare=None, commits=True, repeats=True):
        """`repeats`: the command may be given again after a success."""
        self.name, self.arguments, self.commits, self.repeats = name, arguments, commits, repeats
        self.start = SCRATCH / name
        self.start.mkdir()
        shutil.copytree(FLEET, self.start / "fleet", symlinks=True)
        if prepare:
            prepare(self.start / "fleet")
        log, root = SCRATCH / f"{name}.log", self.fresh()
        before = self.head(root)
        done = self.run(root, FAULT_LOG=str(log))
        if done.returncode != 0:
            sys.exit(f"{name}: without a fault: {done.stderr}")
        self.calls = [line.split(" ", 2) for line in log.read_text().splitlines()]
        self.before, self.after, self.old, self.new = before, self.head(root), files_of(self.start), files_of(root)
        if (self.before != self.after) != commits or (not commits and self.old == self.new):
            sys.exit(f"{name}: an undisturbed run changes nothing")
        shutil.rmtree(root)

    def fresh(self):
        root = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.name}-", dir=SCRATCH))
        shutil.copytree(self.start, root, symlinks=True, dirs_exist_ok=True)
        return root

    def run(self, root, **fault):
        preload = {"LD_PRELOAD": str(PRELOAD), **fault} if fault else {}
        return run([PROGRAM, *(word.format(root=root) for word in self.arguments)], root / "fleet", **preload)

    def head(self, root):
        return git(root / "fleet", "rev-parse", "refs/heads/main")

    def pairs(self):
        return [(self, number, fault) for number, call, _ in self.calls for fault in FAULTS
                if fault != "SHORT" or call in WRITES]

    def mistakes(self, root, done, fault):
        """What is wrong after the disturbed run."""
        head, files, failed = self.head(root), files_of(root, None if self.commits else fault), done.returncode != 0
        dirty = self.commits and (root / "fleet" / ".git").is_dir() and git(root / "fleet", "status", "--porcelain")
        if done.returncode not in ((-9,) if fault == "KILL" else (0, 3)):
            yield f"status {done.returncode}"
        if head not in (self.before, self.after):
            yield f"the branch is {head}"
        if fault != "KILL" and failed and not re.search(r"^error\[OSG\d{4}\]|: error\[OSG\d{4}\]", done.stderr, re.M):
            yield "no message"
        if fault != "KILL" and failed and self.commits and head == self.after and self.after not in done.stderr:
            yield "the commit is not named"
        if "nothing was changed" in done.stderr and (head != self.before or dirty):
            yield f"nothing is said to have changed: {dirty}"
        if not failed and (head != self.after or dirty or files != self.new):
            yield f"a success that is none: {dirty}"
        for path, content in files.items() if not self.commits else ():
            if content not in (self.old.get(path), self.new.get(path)):
                yield f"{path} is neither old nor new"
            if content != self.old.get(path) and "nothing was changed" in done.stderr:
                yield f"nothing is said to have changed, but {path}"

    def next_run(self, root, fault):
        again = self.run(root)
        files = files_of(root, None if self.commits else fault)
        if again.returncode != 0:
            yield f"the next run: status {again.returncode}: {again.stderr}"
        if self.head(root) != self.after:
            yield "the next run makes another commit"
        if files != self.new:
            yield f"the next run makes other files: {sorted(set(files.items()) ^ set(self.new.items()))[:2]}"
        left = [path.name for path in (root / "fleet").rglob("*") if RUBBISH.search(path.name) and "logs" not in path.parts]
        if self.commits and left:
            yield f"left: {left}"

    def try_pair(self, number, fault):
        root = self.fresh()
        done = self.run(root, FAULT_AT=number, FAULT_DO=fault)
        found = list(self.mistakes(root, done, fault))
        sound = run(["git", "fsck", "--strict"], root / "fleet")
        if sound.returncode != 0 or re.search("error|missing|corrupt", sound.stdout + sound.stderr):
            found.append(f"the repository is damaged: {sound.stdout}{sound.stderr}")
        if self.repeats or done.returncode != 0:
            found += self.next_run(root, fault)
        shutil.rmtree(root)
        return found, "done" if done.returncode == 0 else "killed" if fault == "KILL" else "refused", done.stderr


def make_bare(repo):
    git(repo.parent, "clone", "-q", "--bare", "fleet", "bare")
    shutil.rmtree(repo)
    (repo.parent / "bare").rename(repo)


def commit(repo, message):
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", message)


def make_update(repo):
    """The second run: a machine's version has changed, and one MachineDeployment is gone."""
    done = run([PROGRAM, "generate", "-q"], repo)
    if done.returncode != 0:
        sys.exit(done.stderr)
    deployments = sorted(repo.glob("clusters/**/machinedeployment-*.yaml"))
    deployments[0].unlink()
    text = deployments[1].read_text()
    changed = re.sub(r"kubelet: \"?(\d+\.\d+)\.\d+\"?", r"kubelet: \1.99", text)
    if changed == text:
        sys.exit("no kubelet to change")
    deployments[1].write_text(changed)
    commit(repo, "change")


def make_shards(repo):
    """What two jobs saved for `merge`: packs that become packs of the repository."""
    for path in sorted(repo.glob("clusters/**/machinedeployment-*.yaml")):
        name = path.stem.removeprefix("machinedeployment-")
        for number in (1, 2, 3):
            copy = path.with_name(f"machinedeployment-{name}-{number}.yaml")
            copy.write_text(path.read_text().replace(name, f"{name}-{number}"))
    commit(repo, "more")
    for index in (1, 2):
        done = run([PROGRAM, "--shard", f"{index}/2", "--out", repo.parent / "parts", "-j1", "-q"], repo)
        if done.returncode != 0:
            sys.exit(done.stderr)


def main():
    global PROGRAM  # a copy, since this takes long and the program may be built again
    PROGRAM = pathlib.Path(shutil.copy(PROGRAM, SCRATCH / "program"))
    scenarios = [
        Scenario("commit", ("generate", "-j1")),
        Scenario("bare", ("generate", "-j1"), make_bare),
        Scenario("update", ("generate", "-j1"), make_update),
        Scenario("merge", ("merge", "{root}/parts", "-j1"), make_shards),
        Scenario("folder", ("generate", "-j1", "--no-commit", "--out", "{root}/elsewhere"), commits=False),
        Scenario("adopt", ("adopt", str(EXPORT), "--cluster", "second", "--into", "clusters/second"), commits=False, repeats=False),
        Scenario("report", ("validate", "-j1", "--report", "json={root}/report.json"), commits=False),
    ]
    everything = [pair for scenario in scenarios for pair in scenario.pairs()]
    if COUNT.isdigit():
        drawn = random.Random(SEED).sample(everything, int(COUNT))
    elif "/" in COUNT:
        part, parts = map(int, COUNT.split("/"))
        drawn = everything[part - 1::parts]
    else:
        drawn = [(scenario, number, fault) for scenario, number, fault in everything
                 if COUNT == "all" or f"{scenario.name}:{fault}:{number}:".startswith(f"{COUNT}:")]
    print(f"{len(drawn)} of {len(everything)} faults" + (f", drawn by seed {SEED}" if COUNT.isdigit() else ""))
    began, seen, failed = time.monotonic(), collections.defaultdict(collections.Counter), 0
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        waiting = {pool.submit(scenario.try_pair, number, fault): (scenario, number, fault) for scenario, number, fault in drawn}
        for result in concurrent.futures.as_completed(waiting):
            scenario, number, fault = waiting[result]
            found, how, said = result.result()
            seen[scenario.name][how] += 1
            if found:
                failed += 1
                call = " ".join(scenario.calls[int(number) - 1][1:]).replace(str(SCRATCH), "")
                print(f"not ok: {scenario.name}:{fault}:{number} ({call})\n    " + "\n    ".join(found)
                      + "\n    " + said.strip().replace("\n", "\n    "))
    for scenario in scenarios:
        kinds = collections.Counter(call for _, call, _ in scenario.calls)
        print(f"{scenario.name}: {len(scenario.calls)} calls ({', '.join(f'{n} {call}' for call, n in kinds.most_common())}); "
              + ", ".join(f"{n} {how}" for how, n in sorted(seen[scenario.name].items())))
    print(f"{len(drawn) - failed} faults as they must be, {failed} not, {time.monotonic() - began:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
