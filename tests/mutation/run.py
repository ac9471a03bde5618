#!/usr/bin/python3 -B
"""run.py [--mutants N] [--seed S] [--list] [--only PATH] [--kinds KIND,...] [--tests REGEX] [--again]: changes one line of src/
at a time and runs the tests that run it.

N mutants are drawn by the seed, each operator as often as the others. A mutant is caught if a test fails, or does not end. At
least 95 % must be. equivalent.txt has mutants that no test can tell from the original, each with the reason.

All mutants are tried with the C tests and the fuzzers' seeds (unit, fuzz), with sanitizers. Those that are left are tried with
the golden cases (golden), then with the scripts of tests/cli (script), as many of each as take a minute or two, so that 500
mutants take two hours on two cores. --kinds leaves out all other kinds: `--kinds unit,fuzz` takes half an hour. --tests leaves out
tests whose kind and name do not match: `--tests 'unit|allow_program'`.

What became of each mutant is kept in build/mutation: a run that was stopped goes on, and a mutant that is left is tried again
with those tests only that are new or have changed. --again forgets it. build/mutation/left.txt has the mutants that are left.

--list prints what is drawn and runs nothing; it fails if equivalent.txt has a mutant that does not exist."""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

import covering
import mutate

ROOT, BUILD = covering.ROOT, covering.BUILD
ROOMS = ("src/seal/", "src/lib/secrecy/", "src/git/", "src/tree/", "src/userdata/")
WANTED = 0.95
KINDS = ("unit", "fuzz", "golden", "script")
STAGES = (("unit", "fuzz"), ("golden",), ("script",))
CAUGHT = {"fails": "caught", "does not end": "timed out"}
# As many tests are tried on one mutant as took this time together, with counters.
SECONDS = {"unit": 600, "fuzz": 600, "golden": 60, "script": 120}


class Equivalents:
    """equivalent.txt: "FILE FUNCTION", "- BEFORE", "+ AFTER", and the reason in indented lines; blocks parted by empty lines."""

    def __init__(self, path):
        self.known = set()
        for block in re.split(r"\n\n+", path.read_text().strip()):
            lines = [line for line in block.splitlines() if not line.startswith("#")]
            if not lines:
                continue
            if len(lines) < 4 or not (lines[1].startswith("- ") and lines[2].startswith("+ ") and lines[3].startswith("  ")):
                sys.exit(f"{path.name}: not FILE FUNCTION, -, +, reason: {block}")
            self.known.add((*lines[0].split(), lines[1][2:], lines[2][2:]))

    def has(self, mutant, source):
        return identity(mutant, source) in self.known


def identity(mutant, source):
    return (mutant.path, mutant.function, *mutant.lines(source))


def draw(mutants, seed, sources):
    """All mutants in an order of the seed's; operators take turns. Each is drawn by what it changes, so that an edit elsewhere
    leaves the others where they are."""
    def number(mutant):
        return hashlib.sha256("\0".join((seed, *identity(mutant, sources[mutant.path]))).encode()).digest()
    groups = collections.defaultdict(list)
    for mutant in mutants:
        groups[mutant.operator].append(mutant)
    for operator in sorted(groups):
        groups[operator].sort(key=number)
    rows = [groups[operator] for operator in sorted(groups)]
    return [row[i] for i in range(max(map(len, rows))) for row in rows if i < len(row)]


def make_commands(build):
    """How make compiles a file, and how it links the library."""
    def command(target, mark):
        done = subprocess.run(["make", "-n", "-B", "--no-print-directory", f"build/{build}/{target}"], cwd=ROOT,
                              capture_output=True, text=True, check=True)
        return next(line.split() for line in reversed(done.stdout.splitlines()) if mark in line)
    return command("src/git/pack.o", " -c -o "), command("libosm-gen.so", " -shared ")


def link_rest(build, command):
    """Links the whole library under another name. A mutant's library has the object of its file alone and needs this one: the
    loader finds each symbol in the first library that has it. So a mutant is linked in a fraction of a second."""
    rest = BUILD / build / "rest" / "libosm-gen-rest.so"
    rest.parent.mkdir(exist_ok=True)
    words = [word.replace("-soname,libosm-gen.so", f"-soname,{rest.name}") for word in command]
    words[words.index("-o") + 1] = str(rest)
    subprocess.run(words, cwd=ROOT, check=True)
    return rest


class Worker:
    """A folder in which one mutant at a time is built."""

    def __init__(self, name, commands, rests):
        self.commands, self.rests = commands, rests
        self.plain = {}  # what an optimizing compiler makes of each file
        self.folder = BUILD / "mutation" / "workers" / name
        for build in commands:
            (self.folder / build).mkdir(parents=True, exist_ok=True)

    def compile(self, build, mutant, source):
        """The object, or None if it does not compile."""
        file, object_file = self.folder / build / pathlib.Path(mutant.path).name, self.folder / build / "mutant.o"
        file.write_text(source)
        return object_file if self.compile_file(build, file, object_file) else None

    def compile_file(self, build, file, object_file):
        command = [word for word in self.commands[build][0] if word not in ("-MMD", "-MP")]
        command[command.index("-o") + 1:] = [str(object_file), str(file)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).returncode == 0

    def link(self, build, object_file):
        command = self.commands[build][1]
        rest = self.rests[build]
        done = subprocess.run([*command[:command.index("-o")], "-o", self.folder / build / "libosm-gen.so", object_file,
                               "-Wl,--no-as-needed", rest, f"-Wl,-rpath,{rest.parent}"], cwd=ROOT, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"the linker: {done.stderr}")

    def is_same(self, mutant, source, original):
        """True if an optimizing compiler makes the same of both."""
        if mutant.path not in self.plain:
            file = self.compile("plain", mutant, original)
            self.plain[mutant.path] = file and file.read_bytes()
        file = self.compile("plain", mutant, source)
        return (file and file.read_bytes()) == self.plain[mutant.path]


def check_library(worker):
    """Ends the run if the programs do not take what a worker linked: no mutant would ever be noticed."""
    for build in worker.rests:
        file, object_file = worker.folder / build / "start.c", worker.folder / build / "start.o"
        file.write_text('#include "codec/codec.h"\nbool codec_start(void)\n{\n\treturn false;\n}\n')
        worker.compile_file(build, file, object_file)
        worker.link(build, object_file)
        # The program ends at once with this status where libcrypto does not start.
        environment = {**os.environ, "LD_LIBRARY_PATH": str(worker.folder / build), "ASAN_OPTIONS": covering.ASAN_OPTIONS}
        if subprocess.run([BUILD / build / "osm-gen", "profiles"], env=environment, capture_output=True,
                          check=False).returncode != 3:
            sys.exit(f"build/{build}/osm-gen does not use {worker.folder / build}/libosm-gen.so")


class Kept:
    """What became of each mutant: how it ended, the test that caught it, and those that did not, with their digests."""

    def __init__(self, forget):
        self.path = BUILD / "mutation" / "results.json"
        self.known = json.loads(self.path.read_text()) if self.path.exists() and not forget else {}
        self.lock = threading.Lock()

    @staticmethod
    def key(mutant, source):
        return hashlib.sha256(mutant.apply(source).encode()).hexdigest()

    def how(self, mutant, source):
        return self.known.get(self.key(mutant, source), {}).get("how")

    def get(self, mutant, source):
        with self.lock:
            return self.known.setdefault(self.key(mutant, source), {"how": None, "test": None, "passed": {}})

    def set(self, state, how, test=None):
        with self.lock:
            state.update(how=how, test=test)

    def add_passed(self, state, test, digest):
        with self.lock:
            state["passed"][test] = digest

    def save(self):
        with self.lock:
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps(self.known))
            new.replace(self.path)


class Judge:
    """Tries the tests of one stage on mutants."""

    def __init__(self, workers, sources, kept):
        self.sources, self.kept, self.sound, self.tests, self.digests = sources, kept, {}, [], {}
        self.catches = collections.Counter()
        self.idle = queue.SimpleQueue()
        for worker in workers:
            self.idle.put(worker)

    def begin(self, tests):
        self.tests = tests
        self.digests = {test.key: test.digest() for test in tests}

    def tests_of(self, mutant):
        """The tests that run the line, or, of a statement or table of several lines, lines near it. First those that caught other mutants
        of the file, then the fast ones."""
        for reach in (0, 1, 3, 8, 40):
            lines = set(range(mutant.line - min(reach, 3), mutant.line + reach + 1))
            found = [test for test in self.tests if test.lines.get(mutant.path, set()) & lines]
            if found:
                return sorted(found, key=lambda test: (-self.catches[mutant.path, test.key], test.seconds))
        return []

    def notices(self, worker, test):
        """How a test ends that notices the mutant: "fails" or "does not end"; None if it does not notice it."""
        build = "plain" if test.kind == "script" else "mutation"
        seconds = 10 + 10 * test.seconds
        ended = test.run(BUILD / build, seconds, LD_LIBRARY_PATH=str(worker.folder / build))
        if ended == "passes":
            return None
        # One that fails without a change, too, shows nothing.
        if test.key not in self.sound:
            self.sound[test.key] = test.run(BUILD / build, seconds) == "passes"
        return ended if self.sound[test.key] else None

    def judge(self, mutant):
        """How it ended: in kept."""
        state = self.kept.get(mutant, self.sources[mutant.path])
        if state["how"] in ("none", *CAUGHT.values()):
            return
        worker = self.idle.get()
        try:
            self.judge_in(worker, mutant, state)
            self.kept.save()
        finally:
            self.idle.put(worker)

    def judge_in(self, worker, mutant, state):
        original = self.sources[mutant.path]
        changed, left, built = mutant.apply(original), dict(SECONDS), set()
        for test in self.tests_of(mutant):
            left[test.kind] -= test.seconds
            if left[test.kind] < 0 or state["passed"].get(test.key) == self.digests[test.key]:
                continue
            build = "plain" if test.kind == "script" else "mutation"
            if build not in built:
                object_file = worker.compile(build, mutant, changed)
                if not object_file:
                    self.kept.set(state, "none")
                    return
                worker.link(build, object_file)
                built.add(build)
            ended = self.notices(worker, test)
            if ended:
                self.kept.set(state, CAUGHT[ended], test.key)
                self.catches[mutant.path, test.key] += 1
                return
            self.kept.add_passed(state, test.key, self.digests[test.key])
        if state["how"] is None and worker.is_same(mutant, changed, original):
            self.kept.set(state, "none")
        else:
            self.kept.set(state, "survived" if state["passed"] else "not run by any test")


def sources_and_mutants(only):
    paths = sorted(str(path.relative_to(ROOT)) for room in ROOMS for path in ROOT.glob(f"{room}**/*.c"))
    sources = {path: (ROOT / path).read_text() for path in paths}
    return sources, [mutant for path in paths if only in path for mutant in mutate.find(path, sources[path])]


def show(mutant, source, how):
    before, after = mutant.lines(source)
    return f"{mutant.path}:{mutant.line} {mutant.function}: {how}\n    - {before}\n    + {after}"


class Drawn:
    """The mutants that are tried: the first `count` that compile to something else, by the order in which they were drawn."""

    def __init__(self, judge, mutants, count, equivalents):
        self.judge, self.mutants, self.count = judge, mutants, count
        self.equivalents = {mutant for mutant in mutants if equivalents.has(mutant, judge.sources[mutant.path])}

    def state(self, mutant):
        return self.judge.kept.get(mutant, self.judge.sources[mutant.path])

    def how(self, mutant):
        return "equivalent" if mutant in self.equivalents else self.judge.kept.how(mutant, self.judge.sources[mutant.path])

    def chosen(self):
        """Those of them that are known so far to compile, or of which nothing is known."""
        return [mutant for mutant in self.mutants if self.how(mutant) != "none"][:self.count]

    def left(self):
        return [mutant for mutant in self.chosen() if self.how(mutant) not in ("equivalent", *CAUGHT.values())]

    def try_all(self, tests):
        """Tries the tests on all that are not caught, until as many as wanted have been tried."""
        self.judge.begin(tests)
        tried = set()
        with concurrent.futures.ThreadPoolExecutor(self.judge.idle.qsize()) as pool:
            while batch := [mutant for mutant in self.left() if mutant not in tried]:
                tried.update(batch)
                for count, _ in enumerate(pool.map(self.judge.judge, batch), 1):
                    if count % 50 == 0 or count == len(batch):
                        print(f"  {count} of {len(batch)}, {len(self.left())} not caught yet", flush=True)


def place(mutant):
    return mutant.path, mutant.line, mutant.start


def report(trial, began):
    """Prints how many were caught, by operator, by folder and by kind of test; returns the share."""
    results = [(mutant, trial.how(mutant)) for mutant in trial.chosen()]

    def table(name_of):
        rows = collections.defaultdict(collections.Counter)
        for mutant, how in results:
            if how != "equivalent":
                rows[name_of(mutant)]["caught" if how in CAUGHT.values() else "left"] += 1
        for name, row in sorted(rows.items()):
            print(f"{name}: {row['caught']} of {sum(row.values())} caught")
    table(lambda mutant: mutant.operator)
    table(lambda mutant: next(room for room in ROOMS if mutant.path.startswith(room)))
    by_kind = collections.Counter(trial.state(mutant)["test"].split()[0] for mutant, how in results if how in CAUGHT.values())
    ends = collections.Counter(how for _, how in results)
    caught, tried = sum(ends[how] for how in CAUGHT.values()), len(results) - ends["equivalent"]
    print("caught by " + ", ".join(f"{kind}: {n}" for kind, n in by_kind.most_common()))
    print(", ".join(f"{n} {how}" for how, n in ends.most_common()))
    share = caught / max(1, tried)
    print(f"{caught} of {tried} mutants caught, {share:.1%}; {ends['equivalent']} equivalent; {time.monotonic() - began:.0f} s")
    return share


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--tests", default="")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    began = time.monotonic()
    sources, mutants = sources_and_mutants(arguments.only)
    equivalents = Equivalents(pathlib.Path(__file__).with_name("equivalent.txt"))
    stale = equivalents.known - {identity(mutant, sources[mutant.path]) for mutant in mutants}
    if stale and not arguments.only:
        sys.exit("equivalent.txt has mutants that do not exist:\n" + "\n".join(" | ".join(entry) for entry in sorted(stale)))
    drawn = draw(mutants, arguments.seed, sources)
    print(f"{min(arguments.mutants, len(drawn))} of {len(drawn)} mutants, drawn by seed {arguments.seed}", flush=True)
    if arguments.list:
        for mutant in drawn[:arguments.mutants]:
            print(show(mutant, sources[mutant.path], mutant.operator))
        return
    kinds = arguments.kinds.split(",")
    commands = {build: make_commands(build) for build in ("mutation", "plain")}
    # Scripts run the plain program.
    rests = {build: link_rest(build, commands[build][1]) for build in commands if build == "mutation" or "script" in kinds}
    check_library(Worker("check", commands, rests))
    workers = [Worker(str(number), commands, rests) for number in range(os.cpu_count())]
    judge = Judge(workers, sources, Kept(arguments.again))
    trial = Drawn(judge, drawn, arguments.mutants, equivalents)
    for stage in STAGES:
        wanted = [kind for kind in stage if kind in kinds]
        if wanted and trial.left():
            print(f"{', '.join(wanted)}: {len(trial.left())} mutants", flush=True)
            trial.try_all([test for kind in wanted for test in covering.covering(ROOMS, kind, arguments.tests)])
    unsound = sorted(key for key, passes in judge.sound.items() if not passes)
    if unsound:
        print("these tests fail without a change, too, and were left out: " + ", ".join(unsound))
    left = "\n".join(show(mutant, sources[mutant.path], trial.how(mutant)) for mutant in sorted(trial.left(), key=place))
    (BUILD / "mutation" / "left.txt").write_text(left + "\n")
    print(left)
    sys.exit(0 if report(trial, began) >= WANTED else 1)


if __name__ == "__main__":
    main()
