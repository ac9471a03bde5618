"""_memory_faults.py PROGRAM PRELOAD BEFORE AFTER SCRATCH COUNT [SEED]: has allocations fail, one at a time, in five commands.

BEFORE is a repository with inputs, AFTER the same with its output. COUNT of the allocations are drawn by SEED, or `all`, or
each fourth from the second on, `2/4`. What must come of each: the error OSG9004 and exit status 3, with nothing written; or, where the one who asked for the memory gets
over it, all that comes without the failure, to the byte. Once files are being written a run that ends leaves what the next
one finishes or removes; that is tried, too.
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
import threading
import time

PROGRAM, PRELOAD, BEFORE, AFTER, SCRATCH = (pathlib.Path(argument).resolve() for argument in sys.argv[1:6])
COUNT, SEED = sys.argv[6], (sys.argv[7:] or ["1"])[0]
# name, repository, arguments. One thread, so that the allocations come in the same order.
COMMANDS = (
    ("validate", AFTER, ("validate", "-j1")),
    ("generate", BEFORE, ("generate", "-j1")),
    ("check", AFTER, ("check", "-j1")),
    ("diff", AFTER, ("diff", "-j1")),
    ("verify", AFTER, ("verify",)),
)
CHANGED = "99"  # a child that would have changed a file
# The latter is the system's own word, where a folder cannot be listed.
OUT_OF_MEMORY = re.compile(r"error\[OSG9004\]|error\[OSG\d{4}\].*: Cannot allocate memory")

passed, failures, lock = 0, [], threading.Lock()


def check(name, good, detail=""):
    global passed
    with lock:
        if good:
            passed += 1
        else:
            failures.append(name)
            if len(failures) <= 20:
                print(f"not ok: {name}\n    {detail}")


def digest(data):
    """FNV-1a of 64 bits, as the preloaded library has it."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def run(arguments, repo, **environment):
    return subprocess.run([PROGRAM, *arguments], cwd=repo, capture_output=True, check=False, timeout=3600,
                          env={**os.environ, "LD_PRELOAD": str(PRELOAD), **environment})


def fresh(repo):
    """A copy, for this thread."""
    work = SCRATCH / f"work-{threading.get_ident()}"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(repo, work, symlinks=True)
    return work


def git(repo, *arguments):
    return subprocess.run(["git", "-C", repo, *arguments], capture_output=True, text=True, check=True).stdout.strip()


def rubbish(repo):
    return sorted(str(path.relative_to(repo)) for path in repo.rglob("*") if "/logs/" not in str(path) and re.search(
        r"\.lock$|tmp_|stage|osm-gen-", path.name))


class Command:
    """A command without a failure, and what becomes of it with one."""

    def __init__(self, name, repo, arguments):
        self.name, self.repo, self.arguments, self.seen = name, repo, arguments, collections.Counter()
        log = SCRATCH / f"{name}.log"
        work = fresh(repo)
        done = run(arguments, work, FAULT_LOG=str(log))
        self.status, self.out, self.err, self.head = done.returncode, done.stdout, done.stderr, git(work, "rev-parse", "HEAD")
        self.total, self.written = self.counts(log)
        check(f"{name}: without a failure", self.status == 0, done.stderr.decode())

    @staticmethod
    def counts(log):
        """How many allocations there were, and which was the first one after a file was changed."""
        lines = dict(line.split() for line in log.read_text().splitlines() if not line[0].isdigit())
        return int(lines["total"]), int(lines.get("written", lines["total"])) + 1

    def try_all(self, numbers):
        """Forks where no file has been changed; the others one by one. Two runs on a busy machine may differ by some hundred
        allocations: the run that forks counts for itself."""
        numbers_file, log, errors = (SCRATCH / f"{self.name}.{suffix}" for suffix in ("numbers", "results", "errors"))
        numbers_file.write_text("".join(f"{number}\n" for number in numbers))
        errors.mkdir(exist_ok=True)
        done = run(self.arguments, fresh(self.repo), FAULT_LIST=str(numbers_file), FAULT_LOG=str(log), FAULT_ERR=str(errors))
        check(f"{self.name}: the process that forks: {done.returncode}", done.returncode == self.status, done.stderr.decode()[-2000:])
        total, written = self.counts(log)
        alone = [number for number in numbers if self.written <= self.total and number >= min(written, self.written)]
        same = digest(self.out), digest(self.err)
        results = [line.split() for line in log.read_text().splitlines() if line[0].isdigit()]
        for number, how, status, out, err in results:
            if (how, status) == ("exit", CHANGED):
                alone.append(int(number))
                continue
            said = (errors / err).read_text(errors="replace")
            if (how, status) == ("exit", "3"):
                self.seen["ended by OSG9004"] += 1
                check(f"{self.name}: allocation {number}: a message", OUT_OF_MEMORY.search(said), said)
            else:
                self.seen["as if nothing had happened"] += 1
                check(f"{self.name}: allocation {number}: {how} {status}, the same output",
                      (how, status, (out, err)) == ("exit", str(self.status), same), said[-2000:])
        wanted = sum(number <= total and number < written for number in numbers)
        check(f"{self.name}: every allocation was tried", len(results) == wanted, f"{len(results)} of {wanted}, {total}")
        alone = sorted(set(alone))
        with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
            for result in [pool.submit(self.try_alone, number) for number in sorted(alone)]:
                result.result()

    def count(self, what):
        with lock:
            self.seen[what] += 1

    def try_alone(self, number):
        name = f"{self.name}: allocation {number}, in a run that writes"
        work = fresh(self.repo)
        before = git(work, "rev-parse", "HEAD")
        done = run(self.arguments, work, FAULT_AT=str(number))
        said = done.stderr.decode(errors="replace")
        if done.returncode == self.status:
            self.count("as if nothing had happened, in a run that writes")
            check(f"{name}: the same output", (done.stdout, done.stderr) == (self.out, self.err), said)
        else:
            where = "before" if git(work, "rev-parse", "HEAD") == before else "after"
            self.count(f"ended by OSG9004 {where} the branch moved, in a run that writes")
            check(f"{name}: status {done.returncode}, a message", done.returncode == 3 and OUT_OF_MEMORY.search(said), said)
            again = run(self.arguments, work)
            check(f"{name}: the next run", again.returncode == 0, again.stderr.decode())
        check(f"{name}: the same commit in the end", git(work, "rev-parse", "HEAD") == self.head, said)
        check(f"{name}: nothing is left", not rubbish(work) and not git(work, "status", "--porcelain"), rubbish(work))


def main():
    global PROGRAM  # a copy, since this takes long and the program may be built again
    PROGRAM = pathlib.Path(shutil.copy(PROGRAM, SCRATCH / "program"))
    commands = [Command(*command) for command in COMMANDS]
    everything = [(command, number) for command in commands for number in range(1, command.total + 1)]
    part, parts = map(int, COUNT.split("/")) if "/" in COUNT else (1, 1)
    drawn = random.Random(SEED).sample(everything, int(COUNT)) if COUNT.isdigit() else everything[part - 1::parts]
    for command in commands:
        began = time.monotonic()
        numbers = sorted(number for owner, number in drawn if owner is command)
        command.try_all(numbers)
        print(f"{command.name}: {len(numbers)} of {command.total} allocations, {time.monotonic() - began:.0f} s: "
              + ", ".join(f"{count} {what}" for what, count in command.seen.most_common()))
    print(f"{passed} checks passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
