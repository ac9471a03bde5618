"""Which tests run which lines: every test once with the program of `make coverage`, its counters in a folder of its own."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
# These look at the program's own calls, memory or size, or install it: they need it as it is released.
NOT_BY_SCRIPT = {"faults", "write_faults", "interrupted", "memory", "valgrind", "install", "packages", "hostile_size",
                 "hostile_growth", "portability", "cites", "layers", "words", "one_test", "docs", "output_contract_next",
                 "mutants", "push_programs", "help", "tutorial"}
# A test that takes longer with counters is left out: of scripts the fast ones do most of what all do.
SECONDS_MAX = {"unit": 120, "fuzz": 120, "golden": 60, "script": 60}
# A mutant may allocate or write without end.
MEMORY_MAX, FILE_MAX = 4 << 30, 1 << 30
# Two libraries have the globals of a mutant's file (run.py).
ASAN_OPTIONS = f"detect_leaks=1:detect_odr_violation=0:hard_rss_limit_mb={MEMORY_MAX >> 20}"


def digest_of(files):
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    return whole.hexdigest()


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory():
    limit()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


class Test:
    """A test that can be run with the programs of any build."""

    def __init__(self, kind, name):
        self.kind, self.name, self.key = kind, name, f"{kind} {name}"
        self.lines, self.seconds = {}, 0.0

    def command(self, build):
        if self.kind == "unit":
            return [build / "unit", self.name]
        if self.kind == "fuzz":
            return [build / "fuzz-seeds", self.name, ROOT / "tests/fuzz/seeds" / self.name]
        if self.kind == "golden":
            return [ROOT / "tests/golden/run.py", self.name]
        return [ROOT / "tests" / self.name]

    def digest(self):
        """Changes when the test does, but not when the library does."""
        folders = {"unit": [BUILD / f"mutation/tests/unit/{self.name}_test.o"],
                   "fuzz": [BUILD / f"mutation/tests/fuzz/{self.name}_fuzz.o", ROOT / "tests/fuzz/seeds" / self.name],
                   "golden": [ROOT / "tests/golden/run.py", ROOT / "tests/golden" / self.name, ROOT / "tests/golden/base"],
                   "script": [ROOT / "tests" / self.name, ROOT / "tests/cli/_lib.sh"]}[self.kind]
        files = [file for folder in folders for file in ([folder] if folder.is_file() else sorted(folder.rglob("*"))) if file.is_file()]
        return digest_of(files)

    def run(self, build, seconds, **environment):
        """How it ends: "passes", "fails" or "does not end"."""
        env = {**os.environ, "OSM_GEN": str(build / "osm-gen"), "TOY_PROGRAM": str(build / "osm-gen-toy"),
               "TEMPLATE_CASES": str(build / "template-cases"), "ASAN_OPTIONS": ASAN_OPTIONS, "OSM_GEN_TESTS_QUICK": "1",
               **environment}
        # A test of its own session ends with all that it started.
        limits = limit if build.name == "mutation" else limit_memory # sanitizers reserve all addresses
        process = subprocess.Popen(self.command(build), cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limits)
        try:
            return "passes" if process.wait(seconds) == 0 else "fails"
        except subprocess.TimeoutExpired:
            return "does not end"
        finally:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass
            process.wait()


def all_tests():
    tests = [Test("unit", path.stem.removesuffix("_test")) for path in sorted(ROOT.glob("tests/unit/*_test.c"))]
    tests += [Test("fuzz", path.stem.removesuffix("_fuzz")) for path in sorted(ROOT.glob("tests/fuzz/*_fuzz.c"))]
    tests += [Test("golden", path.name) for path in sorted(ROOT.glob("tests/golden/*"))
              if path.is_dir() and path.name != "base"]
    tests += [Test("script", f"cli/{path.name}") for path in sorted(ROOT.glob("tests/cli/[a-z]*.sh"))
              if path.stem not in NOT_BY_SCRIPT]
    return tests + [Test("script", "dialect/run.sh"), Test("script", "template/run.sh")]


def executed(data, rooms):
    """The lines of the rooms that ran, by file, from the counters below the folder."""
    counters = [path for room in rooms for path in (data / room).rglob("*.gcda")]
    lines = {}
    for path in counters:
        notes = BUILD / "coverage" / path.relative_to(data).with_suffix(".gcno")
        path.with_suffix(".gcno").symlink_to(notes)
    if counters:
        done = subprocess.run(["gcov", "--json-format", "--stdout", *counters], cwd=ROOT, capture_output=True, text=True, check=True)
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"]:
                if file["file"].startswith(tuple(rooms)):
                    lines.setdefault(file["file"], set()).update(
                        line["line_number"] for line in file["lines"] if line["count"] > 0)
    return {file: sorted(found) for file, found in lines.items() if found}


def measure(test, rooms):
    """Runs the test with counters. Without lines if it does not pass, or takes too long."""
    data = BUILD / "mutation" / "counters" / re.sub(r"\W", "-", f"{test.kind}-{test.name}")
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    strip = len((BUILD / "coverage").parts) - 1
    began = time.monotonic()
    ended = test.run(BUILD / "coverage", SECONDS_MAX[test.kind], GCOV_PREFIX=str(data), GCOV_PREFIX_STRIP=str(strip))
    seconds = time.monotonic() - began
    lines = executed(data, rooms) if ended == "passes" else {}
    shutil.rmtree(data)
    return {"digest": test.digest(), "seconds": seconds, "ended": ended, "lines": lines}


def covering(rooms, kind, pattern):
    """The tests of this kind, of those whose key matches, that run lines of the rooms. What was measured is kept until the test changes, or a file of the
    rooms."""
    kept = BUILD / "mutation" / f"covering-{kind}.json"
    sources = digest_of([path for room in rooms for path in sorted((ROOT / room).rglob("*.c"))])
    known = json.loads(kept.read_text()) if kept.exists() else {}
    if known.get("sources") != sources:
        known = {"sources": sources}
    tests = [test for test in all_tests() if test.kind == kind and re.search(pattern, test.key)]
    unknown = [test for test in tests if known.get(test.key, {}).get("digest") != test.digest()]
    if unknown:
        began = time.monotonic()
        print(f"finding out which lines {len(unknown)} tests run ({kind})", flush=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for count, (test, found) in enumerate(zip(unknown, pool.map(lambda test: measure(test, rooms), unknown)), 1):
                known[test.key] = found
                if count % 5 == 0 or test is unknown[-1]:  # a run that is interrupted goes on from here
                    new = kept.with_suffix(".new")
                    new.write_text(json.dumps(known))
                    new.replace(kept)
        print(f"found out in {time.monotonic() - began:.0f} s", flush=True)
    left_out = [f"{test.name} ({known[test.key]['ended']})" for test in tests if known[test.key]["ended"] != "passes"]
    if left_out:
        print("left out: " + ", ".join(left_out), flush=True)
    result = []
    for test in tests:
        if known[test.key]["lines"]:
            test.seconds = known[test.key]["seconds"]
            test.lines = {file: set(lines) for file, lines in known[test.key]["lines"].items()}
            result.append(test)
    return result
