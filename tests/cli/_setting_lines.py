"""_setting_lines.py PROGRAM REPO DOCS CA: sets each setting alone to its example, and reads the plan, with and without the seed.

The truth is what generate makes of it: if a file of the output is another one, the plan must not be calm, and without the seed it
may only know less. Prints each setting with what it does, then "N passed, M failed".
"""
import json
import os
import pathlib
import subprocess
import sys

program, repo, docs, ca = (pathlib.Path(word).resolve() for word in sys.argv[1:])
config = repo / "clusters/prod/osm-gen.yaml"
CALM = {"NONE"}
counts = {True: 0, False: 0}


def ok(name, good, text=""):
    counts[bool(good)] += 1
    if not good:
        print(f"not ok: {name}\n    {text}")


def git(*words):
    return subprocess.run(["git", "-C", str(repo), *words], check=True, capture_output=True, text=True).stdout


def run(*words, seed=True):
    environment = {name: value for name, value in os.environ.items() if seed or name != "OSM_GEN_SEAL_SEED"}
    return subprocess.run([program, *words, "--repo", str(repo)], capture_output=True, text=True, env=environment)


def plan(seed):
    """The classes of the units and what is said beside them, or None if it fails."""
    made = run("plan", "-q", "-o", "json", "--allow-removal", "--rotate-recipients", seed=seed)
    if made.returncode != 0:
        return None
    document = json.loads(made.stdout)
    return {unit["class"] for unit in document["units"]}, document["notes"]


def effect(start):
    """Which files of the output are others, apart from index.json; None if the run fails."""
    made = run("generate", "-q", "--allow-removal", "--rotate-recipients")
    if made.returncode != 0:
        return None
    paths = [path for path in git("diff", "--name-only", start, "HEAD", "--", "out").splitlines() if not path.endswith("index.json")]
    return paths


properties = json.load(open(docs / "osm-gen.schema.json"))["definitions"]["settings"]["properties"]
text = config.read_text()
(config.parent / "ca").mkdir(exist_ok=True)
# Beside the examples, values that are not those of the fleet.
others = {"managementCluster": "hub", "machineDeployments": "input", "externalCloudProvider": False, "revisionAnnotation": "stale"}
values = [(name, schema["examples"][0]) for name, schema in properties.items()] + list(others.items())
for name, example in values:
    if name.endswith("CABundle"):
        file = config.parent / example
        file.parent.mkdir(exist_ok=True)
        file.write_text(ca.read_text())
    config.write_text("".join(line for line in text.splitlines(keepends=True) if not line.startswith(f"    {name}:"))
                      + f"    {name}: {json.dumps(example)}\n")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", name)
    start = git("rev-parse", "HEAD").strip()
    seen, blind = plan(True), plan(False)
    paths = effect(start)
    print(name, "refused" if seen is None else sorted(seen[0]), "others" if paths else "same")
    if seen is None or paths is None:
        ok(f"{name}: refused by both", seen is None and paths is None, f"{seen} {paths}")
    else:
        ok(f"{name}: not calm", not paths or seen[0] - CALM or seen[1], f"{seen}: {paths}")
        ok(f"{name}: no alarm", paths or seen[0] <= CALM, f"{seen}")
        ok(f"{name}: without the seed it may only know less", blind is None or not paths or blind[0] - CALM or blind[1], f"{blind}: {paths}")
        ok(f"{name}: without the seed it has no other class", blind is None or blind[0] <= seen[0] | {"UNKNOWN"}, f"{blind} {seen}")
    git("reset", "-q", "--hard", f"{start}~1")
    git("clean", "-q", "-f", "-d")
print(f"{counts[True]} passed, {counts[False]} failed")
