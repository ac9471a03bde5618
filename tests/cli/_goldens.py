"""Repositories of golden cases, for tests that do something to them at random."""
import json
import os
import shutil
import subprocess

GIT_ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.com",
           "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com"}
GIT = ["git", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main", "-c", "gc.auto=0", "-c", "maintenance.auto=false"]


def commit(repo, message):
    for arguments in (["add", "-A"], ["commit", "-q", "--allow-empty", "-m", message]):
        subprocess.run([*GIT, *arguments], cwd=repo, env=GIT_ENV, check=True, capture_output=True)


def rendered(program, golden, folder, has_enough=None):
    """Golden cases that need neither arguments nor variables and render at least one MachineDeployment (or what else is enough), with
    their output."""
    found = []
    for case in sorted(golden.iterdir()):
        if not (case / "repo").is_dir() or any((case / name).exists() for name in ("before", "args", "env", "remove", "links")):
            continue
        repo = folder / case.name
        shutil.copytree(golden / "base", repo)
        shutil.copytree(case / "repo", repo, dirs_exist_ok=True)
        subprocess.run([*GIT, "init", "-q"], cwd=repo, check=True)
        commit(repo, "inputs")
        done = subprocess.run([program, "generate", "-q"], cwd=repo, env=GIT_ENV, capture_output=True, check=False)
        if done.returncode == 0 and (has_enough or sources)(repo):
            found.append(repo)
        else:
            shutil.rmtree(repo)
    if not found:
        raise SystemExit(f"no case renders: {done.stderr.decode(errors='replace')}")
    return found


def sources(repo):
    """The file of each MachineDeployment with output, by cluster, namespace and name, as index.json names it."""
    found = {}
    for path in repo.glob("out/*/index.json"):
        for file in json.loads(path.read_text())["files"]:
            unit = file.get("unit")
            if unit and unit["kind"] == "MachineDeployment" and file["role"] == "config":
                found[unit["cluster"], unit["namespace"], unit["name"]] = file["source"]
    return found


def inputs(repo):
    return sorted(path for path in repo.rglob("*") if path.is_file() and not {".git", "out"} & set(path.relative_to(repo).parts))
