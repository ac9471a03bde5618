#!/usr/bin/python3 -B
"""run.py [--mutants N] [--seed S] [--list] [--only PATH] [--kinds KIND,...]: changes one line of src/ at a time and runs the
tests that run it.

N mutants are drawn by the seed, each operator as often as the others. A mutant is caught if a test fails, or does not end. At
least 95 % must be. equivalent.txt has mutants that no test can tell from the original, each with the reason.

First run the C tests (unit) and the fuzzers' seeds (fuzz), then the golden cases (golden), with sanitizers, then the scripts of
tests/cli (script), fastest first. --kinds leaves out all others. --list prints what is drawn and runs nothing; it fails if
equivalent.txt has a mutant that does not exist."""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import queue
import random
import re
import subprocess
import sys
import time

import covering
import mutate

ROOT, BUILD = covering.ROOT, covering.BUILD
ROOMS = ("src/seal/", "src/lib/secrecy/", "src/git/", "src/tree/", "src/userdata/")
WANTED = 0.95
ORDER = ("unit", "fuzz", "golden", "script")
CAUGHT = {"fails": "caught", "does not end": "timed out"}
SCRIPT_SECONDS = 120  # of the scripts together, for one mutant


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


def draw(mutants, seed):
    """All mutants in an order of the seed's; operators take turns."""
    dice = random.Random(seed)
    groups = collections.defaultdict(list)
    for mutant in mutants:
        groups[mutant.operator].append(mutant)
    for operator in sorted(groups):
        dice.shuffle(groups[operator])
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
        objects = []
        for text in (original, source):
            file = self.compile("plain", mutant, text)
            objects.append(file and file.read_bytes())
        return objects[0] == objects[1]


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
    """What became of each mutant, kept until a test or the library changes: a run that was interrupted goes on."""

    def __init__(self, kinds):
        programs = [path for build in ("mutation", "plain") for path in (BUILD / build).glob("osm-gen*")]
        programs += (BUILD / "mutation/tests").glob("*/*_test")
        programs += [path for folder in ("cli", "golden") for path in (ROOT / "tests" / folder).rglob("*")]
        self.path = BUILD / "mutation" / f"results-{'-'.join(kinds)}.json"
        fresh = self.path.exists() and self.path.stat().st_mtime > covering.newest(programs)
        self.known = json.loads(self.path.read_text()) if fresh else {}

    def get(self, mutant, source):
        return self.known.get(hashlib.sha256(mutant.apply(source).encode()).hexdigest())

    def put(self, mutant, source, how, test):
        self.known[hashlib.sha256(mutant.apply(source).encode()).hexdigest()] = [how, test]
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.known))
        new.replace(self.path)


class Judge:
    def __init__(self, tests, workers, sources, kept):
        self.tests, self.sources, self.kept, self.sound = tests, sources, kept, {}
        self.idle = queue.SimpleQueue()
        for worker in workers:
            self.idle.put(worker)

    def tests_of(self, mutant):
        """The tests that run the line, or, of a statement of several lines, lines near it."""
        for reach in (0, 1, 3, 8):
            lines = set(range(mutant.line - min(reach, 3), mutant.line + reach + 1))
            found = [test for test in self.tests if test.lines.get(mutant.path, set()) & lines]
            if found:
                return sorted(found, key=lambda test: (ORDER.index(test.kind), test.seconds))
        return []

    def notices(self, worker, build, test):
        """How a test ends that notices the mutant: "fails" or "does not end"; None if it does not notice it."""
        seconds = 10 + 10 * test.seconds
        ended = test.run(BUILD / build, seconds, LD_LIBRARY_PATH=str(worker.folder / build))
        if ended == "passes":
            return None
        # One that fails without a change, too, shows nothing.
        if (build, test.key) not in self.sound:
            self.sound[build, test.key] = test.run(BUILD / build, seconds) == "passes"
        return ended if self.sound[build, test.key] else None

    def judge(self, mutant):
        """(how it ended, the test that caught it)"""
        source = self.sources[mutant.path]
        known = self.kept.get(mutant, source)
        if known:
            return known[0], next((test for test in self.tests if test.key == known[1]), None)
        worker = self.idle.get()
        try:
            how, test = self.judge_in(worker, mutant)
            self.kept.put(mutant, source, how, test.key if test else None)
            return how, test
        finally:
            self.idle.put(worker)

    def judge_in(self, worker, mutant):
        original = self.sources[mutant.path]
        changed, left = mutant.apply(original), SCRIPT_SECONDS
        object_file = worker.compile("mutation", mutant, changed)
        if not object_file:
            return "none", None
        worker.link("mutation", object_file)
        tests = self.tests_of(mutant)
        for test in tests:
            if test.kind != "script" and (ended := self.notices(worker, "mutation", test)):
                return CAUGHT[ended], test
        if worker.is_same(mutant, changed, original):
            return "none", None
        scripts = [test for test in tests if test.kind == "script"]
        if scripts:
            worker.link("plain", worker.folder / "plain" / "mutant.o")
        for test in scripts:
            if (left := left - test.seconds) > 0 and (ended := self.notices(worker, "plain", test)):
                return CAUGHT[ended], test
        return "survived" if tests else "not run by any test", None


def sources_and_mutants(only):
    paths = sorted(str(path.relative_to(ROOT)) for room in ROOMS for path in ROOT.glob(f"{room}**/*.c"))
    sources = {path: (ROOT / path).read_text() for path in paths}
    return sources, [mutant for path in paths if only in path for mutant in mutate.find(path, sources[path])]


def show(mutant, source, how):
    before, after = mutant.lines(source)
    return f"{mutant.path}:{mutant.line} {mutant.function}: {how}\n    - {before}\n    + {after}"


def try_all(judge, mutants, count, equivalents):
    """The first `count` of the mutants that compile to something else, each with how it ended."""
    results, at = [], 0
    with concurrent.futures.ThreadPoolExecutor(judge.idle.qsize()) as pool:
        while len(results) < count and at < len(mutants):
            batch = mutants[at:at + count - len(results)]
            at += len(batch)
            judged = [mutant for mutant in batch if not equivalents.has(mutant, judge.sources[mutant.path])]
            results += [(mutant, "equivalent", None) for mutant in batch if mutant not in judged]
            for mutant, (how, test) in zip(judged, pool.map(judge.judge, judged)):
                if how != "none":
                    results.append((mutant, how, test))
                if how != "none" and how not in CAUGHT.values():
                    print(show(mutant, judge.sources[mutant.path], how), flush=True)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default=",".join(ORDER))
    arguments = parser.parse_args()
    began = time.monotonic()
    sources, mutants = sources_and_mutants(arguments.only)
    equivalents = Equivalents(pathlib.Path(__file__).with_name("equivalent.txt"))
    stale = equivalents.known - {identity(mutant, sources[mutant.path]) for mutant in mutants}
    if stale and not arguments.only:
        sys.exit("equivalent.txt has mutants that do not exist:\n" + "\n".join(" | ".join(entry) for entry in sorted(stale)))
    drawn = draw(mutants, arguments.seed)
    print(f"{min(arguments.mutants, len(drawn))} of {len(drawn)} mutants, drawn by seed {arguments.seed}", flush=True)
    if arguments.list:
        for mutant in drawn[:arguments.mutants]:
            print(show(mutant, sources[mutant.path], mutant.operator))
        return
    kinds = arguments.kinds.split(",")
    tests = covering.covering(ROOMS, kinds)
    commands = {build: make_commands(build) for build in ("mutation", "plain")}
    # Scripts run the plain program.
    rests = {build: link_rest(build, commands[build][1]) for build in commands if build == "mutation" or "script" in kinds}
    check_library(Worker("check", commands, rests))
    workers = [Worker(str(number), commands, rests) for number in range(os.cpu_count())]
    judge = Judge(tests, workers, sources, Kept(kinds))
    results = try_all(judge, drawn, arguments.mutants, equivalents)
    tally = collections.Counter((mutant.operator, how) for mutant, how, _ in results)
    for operator in sorted({mutant.operator for mutant, _, _ in results}):
        print(f"{operator}: " + ", ".join(f"{n} {how}" for (name, how), n in sorted(tally.items()) if name == operator))
    by_kind = collections.Counter(test.kind for _, _, test in results if test)
    ends = collections.Counter(how for _, how, _ in results)
    caught, equal = ends["caught"] + ends["timed out"], ends["equivalent"]
    share = caught / max(1, len(results) - equal)
    unsound = sorted(f"{key} ({build})" for (build, key), passes in judge.sound.items() if not passes)
    if unsound:
        print("these tests fail without a change, too, and were left out: " + ", ".join(unsound))
    print("caught by " + ", ".join(f"{kind}: {n}" for kind, n in by_kind.most_common()))
    print(", ".join(f"{n} {how}" for how, n in ends.most_common()))
    print(f"{caught} of {len(results) - equal} mutants caught, {share:.1%}; {equal} equivalent; {time.monotonic() - began:.0f} s")
    sys.exit(0 if share >= WANTED else 1)


if __name__ == "__main__":
    main()
