"""Measures the shapes of _hostile_shapes.py.

growth PROGRAM SCRATCH SEED IDENTITY JOBS quick|all|few: each shape small and four times as large, counted in instructions (valgrind), so
that the machine's load does not matter. The larger one may take at most GROWTH times as many; what takes little is let
off. A line for each that takes more, or ends otherwise than it should.

full PROGRAM SCRATCH SEED IDENTITY: each at full size, and the products of _hostile_products.py, with processor time and memory; a
line for each that is above both what documents say of a run and ten times what an honest repository of its size takes.
"""

import concurrent.futures
import os
import random
import re
import resource
import subprocess
import sys

import _hostile_products
import _hostile_shapes as shapes

GROWTH = 5.0  # four times the size: a square would be 16, a logarithm beside it some 4.3
SLACK = 60_000_000  # instructions that may grow as they like: some 20 ms
FEW = 12  # shapes that `make test-quick` measures
MOST_SECONDS, MOST_MIB = 6.0, 512
HONEST_TIMES = 10

BASE = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Tester",
    "GIT_AUTHOR_EMAIL": "tester@osm-gen.example",
    "GIT_COMMITTER_NAME": "Tester",
    "GIT_COMMITTER_EMAIL": "tester@osm-gen.example",
}


def remove(top):
    """Removes a tree of any depth; shutil recurses once for each folder."""
    subprocess.run(["rm", "-rf", top], check=True)


def build(files, top):
    """A repository with one commit; the bytes of its files."""
    repo = os.path.join(top, "repo")
    remove(top)
    os.makedirs(repo)
    size = 0
    for path, text in files.items():
        name = os.path.normpath(os.path.join(repo, path))
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as out:
            size += out.write(text.encode())
    # Without gc.auto=0 git tidies up behind our back, while the tree is being removed.
    for command in (["-c", "init.defaultBranch=main", "init", "-q"], ["config", "gc.auto", "0"], ["add", "-A"],
                    ["commit", "-q", "-m", "shape"]):
        subprocess.run(["git", "-C", repo, *command], env=BASE, check=True)
    return repo, size


class Runner:
    def __init__(self, program, scratch, seed, identity):
        self.program, self.scratch = program, scratch
        self.env = {**BASE, "OSM_GEN_SEAL_SEED": seed, "SOPS_AGE_KEY_FILE": identity}

    def place(self, shape, size):
        name = re.sub(r"[^a-z0-9]+", "-", shape.name.lower())
        return os.path.join(self.scratch, f"{name}-{size}")

    def arguments(self, shape, top):
        repo = os.path.join(top, "repo")
        return [self.program] + [part.format(repo=repo, aside=top) for part in shape.command] + ["-q"]

    def instructions(self, command, top):
        """Instructions of a command (0 if they are unknown), its exit status and what it said."""
        # cachegrind counts instructions and nothing else, in two thirds of callgrind's time. Most of that goes into translating
        # code that runs once: pieces that end at every jump, by a program that does not change itself, take a sixth less.
        tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={top}/log",
                "--vex-guest-chase=no", "--smc-check=none"]
        one = {**self.env, "OSM_GEN_JOBS": "1"}
        done = subprocess.run(tool + command, env=one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with open(top + "/log") as log:
            found = re.search(r"I +refs: +([\d,]+)", log.read())
        return int(found.group(1).replace(",", "")) if found else 0, done.returncode, done.stderr.decode(errors="replace")

    def count(self, shape, size):
        top = self.place(shape, size)
        build(shape.files(size), top)
        result = self.instructions(self.arguments(shape, top), top)
        remove(top)
        return result

    def growth(self, shape, start):
        """A line if the shape grows faster than its size. `start`: instructions of a program that only starts, so that what
        takes little at the larger size need not be counted at the smaller one, too."""
        many, status, said = self.count(shape, 4 * shape.size)
        if status not in shape.statuses:
            return f"{shape.name}: exit status {status}: {said[:300]}"
        if 0 < many <= GROWTH * start + SLACK:
            return ""
        few, _, _ = self.count(shape, shape.size)
        if few == 0 or many == 0 or many > GROWTH * few + SLACK:
            return f"{shape.name}: {few} instructions at {shape.size}, {many} at four times that"
        return ""

    def full(self, shape):
        """Seconds of processor time, MiB, bytes, status, what was said."""
        top = self.place(shape, shape.full)
        _, size = build(shape.files(shape.full), top)
        with open(top + "/err", "wb") as err, open(top + "/out", "wb") as out:
            child = subprocess.Popen(
                self.arguments(shape, top),
                env=self.env,
                stdout=out,
                stderr=err,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)),
            )
            _, status, used = os.wait4(child.pid, 0)
        with open(top + "/err", errors="replace") as err:
            said = err.read(300)
        remove(top)
        seconds = used.ru_utime + used.ru_stime
        return seconds, used.ru_maxrss / 1024, size, os.waitstatus_to_exitcode(status), said


def growth(runner, jobs, which):
    bad = 0
    some = [shape for shape in shapes.SHAPES if which == "all" or shape.name in shapes.QUICK]
    if which == "few":
        drawn = os.environ.get("SEED") or str(random.randrange(10**6))
        some = random.Random(drawn).sample(some, FEW)
        print(f"drawn with SEED={drawn}: " + ", ".join(shape.name for shape in some), flush=True)
    start, _, _ = runner.instructions([runner.program, "version"], runner.scratch)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for wrong in pool.map(lambda shape: runner.growth(shape, start), some):
            if wrong:
                bad += 1
                print("not ok:", wrong, flush=True)
    print(f"{len(some)} shapes, {bad} that grow")
    return bad


def full(runner):
    bad = 0
    honest = shapes.SHAPES[0]
    honest_seconds, honest_mib, honest_size, _, _ = runner.full(honest)
    products = [shapes.Shape(name, 0, _hostile_products.TIMES_MANY, lambda n, files=files: files(_hostile_products.MANY, n))
                for name, files in _hostile_products.products()]
    for shape in shapes.SHAPES + products:
        seconds, mib, size, status, said = runner.full(shape)
        may_seconds = max(MOST_SECONDS, HONEST_TIMES * honest_seconds * size / honest_size)
        may_mib = max(MOST_MIB, HONEST_TIMES * honest_mib * size / honest_size)
        fine = status in shape.statuses and seconds < may_seconds and mib < may_mib
        bad += not fine
        print(
            f"{'ok' if fine else 'not ok'}: {shape.name}: {seconds:.1f} s, {mib:.0f} MiB of {size / 1e6:.1f} MB,"
            f" status {status}" + ("" if fine else f" (may be {may_seconds:.1f} s, {may_mib:.0f} MiB): {said}"),
            flush=True,
        )
    print(f"{len(shapes.SHAPES)} shapes, {len(products)} products, {bad} that are too much")
    return bad


def main():
    mode, program, scratch, seed, identity = sys.argv[1:6]
    runner = Runner(program, scratch, seed, identity)
    bad = full(runner) if mode == "full" else growth(runner, int(sys.argv[6]), sys.argv[7])
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
