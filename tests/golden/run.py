#!/usr/bin/python3 -B
# Needs: build/asan/osm-gen
"""Golden cases, see README.md: run.py [--accept] [CASE...]

One process runs all cases: it copies a prepared repository for each, and compares what is there before and after a run itself."""

import concurrent.futures
import difflib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = os.environ.get("OSM_GEN", str(ROOT / "build" / os.environ.get("OSM_GEN_TEST_BUILD", "asan") / "osm-gen"))
SEED = next(line for line in (ROOT / "tests/keys/TEST-ONLY-seed.txt").read_text().splitlines() if not line.startswith("#"))
DATE = "2026-01-02T03:04:05Z"
# A run signs its commits where whoever runs this has configured git so.
BASE_ENV = {**{name: value for name, value in os.environ.items()
               if name not in ("OSM_GEN_SEAL_SEED_FILE", "SOPS_AGE_KEY", "SOPS_AGE_KEY_FILE")},
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "OSM_GEN_SEAL_SEED": SEED}
GIT_ENV = {**BASE_ENV, "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com", "GIT_COMMITTER_NAME": "t",
           "GIT_COMMITTER_EMAIL": "t@example.com", "GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE}
GIT = ["git", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main", "-c", "gc.auto=0", "-c", "maintenance.auto=false"]


class Failure(Exception):
    """What is wrong with a case."""


def git(repo, *arguments):
    subprocess.run([*GIT, *arguments], cwd=repo, env=GIT_ENV, check=True, capture_output=True)


def commit(repo):
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "inputs")


def copy(source, target):
    # With times of now: git takes a file of the same size and time for unchanged.
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, copy_function=shutil.copy)


def text_of(case, name, default=None):
    path = case / name
    return path.read_text() if path.exists() else default


def state(repo):
    """Everything of a repository that a failed run must leave alone: files with their modes, refs and the index."""
    found = {}
    for folder, folders, files in os.walk(repo):
        if folder == str(repo):
            folders.remove(".git")
        for name in folders + files:
            path = pathlib.Path(folder, name)
            status = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path.relative_to(repo))] = (status.st_mode, content)
    for path in [repo / ".git/HEAD", repo / ".git/index", repo / ".git/packed-refs", *sorted((repo / ".git/refs").rglob("*"))]:
        if path.is_file():
            found[str(path.relative_to(repo))] = path.read_bytes()
    return found


def without_remedy(text):
    """The first diagnostic that does not say what to do: it ends at an empty line."""
    for block in text.split("\n\n"):
        head = re.search(r".*(?:error|warning)\[OSG\d+\]: .*", block)
        if head and not re.search(r"^  help: ", block, re.M):
            return head[0]
    return None


def difference(name, want, got):
    return "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), f"{name}, expected", f"{name}, got"))


def prepare(case, repo):
    """Makes the repository of a case."""
    if (case / "before").is_dir():
        copy(case / "before", repo)
        commit(repo)
        first = subprocess.run([PROGRAM, "-q"], cwd=repo, env=BASE_ENV, text=True, capture_output=True, check=False)
        if first.returncode != 0:
            raise Failure(f"the run before failed\n{first.stderr}")
    if (case / "repo").is_dir():
        copy(case / "repo", repo)
    elif (case / "before").is_dir() and not (case / "remove").exists():
        return # a second run, with nothing new to commit
    for line in text_of(case, "links", "").splitlines():
        path, target = line.split(" ", 1)
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).symlink_to(target)
    for line in text_of(case, "remove", "").splitlines():
        path = repo / line
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    commit(repo)


def run(case, repo):
    env = dict(BASE_ENV)
    for line in text_of(case, "env", "").splitlines():
        if line == "no-seed":
            del env["OSM_GEN_SEAL_SEED"]
        else:
            name, value = line.split("=", 1)
            env[name] = value
    arguments = shlex.split(text_of(case, "args", "generate"))
    done = subprocess.run([PROGRAM, *arguments, "--color", "never", "-j", "2"], cwd=repo, env=env, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    stderr = re.sub(r"committed [0-9a-f]{40}", "committed COMMIT", done.stderr.replace(str(repo), "REPOSITORY"))
    return done.returncode, done.stdout, stderr


def try_case(case, prepared, scratch, accept):
    repo = scratch / case.name
    copy(prepared, repo)
    try:
        prepare(case, repo)
        before = state(repo)
        status, stdout, stderr = run(case, repo)
        if accept:
            (case / "expected").write_text(stderr)
            if (case / "stdout").exists():
                (case / "stdout").write_text(stdout)
        want = int(text_of(case, "status", "2"))
        if status != want:
            raise Failure(f"exit status {status}, want {want}\n{stderr}")
        for name, got in (("expected", stderr), ("stdout", stdout)):
            expected = text_of(case, name, got)
            if expected != got:
                raise Failure(f"{'stderr' if name == 'expected' else name} differs\n{difference(name, expected, got)}")
        if missing := without_remedy(stderr):
            raise Failure(f"a diagnostic without a remedy: {missing}")
        if status > 1:
            after = state(repo)
            changed = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
            if changed:
                raise Failure(f"the repository was changed: {', '.join(changed)}")
    finally:
        shutil.rmtree(repo)


def main():
    accept = "--accept" in sys.argv[1:]
    names = [name for name in sys.argv[1:] if name != "--accept"] or sorted(path.parent.name for path in HERE.glob("*/expected"))
    failed = 0 if names else 1
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        scratch = pathlib.Path(folder).resolve()
        prepared = scratch / "prepared"
        copy(HERE / "base", prepared)
        git(prepared, "init", "-q", "--template=")
        git(prepared, "add", "-A")
        tries = {name: pool.submit(try_case, HERE / name, prepared, scratch, accept) for name in names}
        for name, tried in tries.items():
            try:
                tried.result()
            except (Failure, OSError, subprocess.CalledProcessError) as why:
                failed += 1
                print(f"{name}: {why}", flush=True)
    print(f"{len(names) - failed if names else 0} passed, {failed} failed")
    return failed == 0


if __name__ == "__main__":
    sys.exit(not main())
