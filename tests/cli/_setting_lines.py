"""_setting_lines.py PROGRAM REPO DOCS CA CERTIFICATE: sets each member of osm-gen.yaml alone to another value, settings to their
example, and reads the plan, with and without the seed.

The truth is what generate makes of it: if a file of the output is another one, the plan must not be calm, and without the seed it
may only know less. Prints each member with what it does, then "N passed, M failed".
"""
import json
import os
import pathlib
import subprocess
import sys

import yaml

program, repo, docs, ca, certificate = (pathlib.Path(word).resolve() for word in sys.argv[1:])
CONFIG = {"Cluster": repo / "clusters/prod/osm-gen.yaml", "Fleet": repo / "osm-gen.yaml"}
CALM = {"NONE"}
ALLOWED = ("--allow-removal", "--rotate-recipients", "--rotate-seed")
refused = {}
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
    made = run("plan", "-q", "-o", "json", *ALLOWED, seed=seed)
    if made.returncode != 0:
        refused[seed] = made.stderr
        return None
    document = json.loads(made.stdout)
    return {unit["class"] for unit in document["units"]}, document["notes"]


def effect(start):
    """Which files of the output are others, apart from index.json; None if the run fails."""
    made = run("generate", "-q", *ALLOWED)
    if made.returncode != 0:
        return None
    paths = [path for path in git("diff", "--name-only", start, "HEAD", "--", "out").splitlines() if not path.endswith("index.json")]
    return paths


definitions = json.load(open(docs / "osm-gen.schema.json"))["definitions"]
OTHER = "age1n7m5s8le3r2j6jtfg7jy50dvdpwp0jma4fke3xrgyr2f28ms8d8qspk97p"
# Values that are not those of the fleet, for what has no example, and beside those of settings.
VALUES = {
    "contract": 1,
    "sealing.format": "sealed-secrets", "sealing.recipients": [OTHER], "sealing.certificate": "sealing.pem", "sealing.scope": "cluster-wide",
    "sealing.roundLengths": 4096, "sealing.fleet": "other", "sealing.inputs": {"prod": [OTHER]},
    "commit.author": "Somebody <somebody@osm-gen.example>", "commit.subject": "chore: {changes}",
    "commit.trailers": ["Signed-off-by: {author}"],
    "limits.maxEntries": 1000, "limits.maxInput": 10 << 20, "limits.maxValues": 100000, "limits.maxSteps": 1000000, "limits.maxOutput": 10 << 20,
    "removalGuard.percent": 90, "removalGuard.least": 10,
    "delivery.namespace": "other", "delivery.decryptionSecret": "other", "delivery.kubeconfigSecret": "other", "delivery.kubeconfigKey": "other",
    "delivery.destination": "other", "delivery.managementNamespace": "create", "delivery.secretText": "data", "delivery.dependsOn": ["other"],
    "delivery.applier": ["argocd", "none"], "delivery.source.kind": "OCIRepository", "delivery.source.name": "other",
    "delivery.source.namespace": "other", "delivery.source.url": "https://git.osm-gen.example/other.git", "delivery.source.revision": "other",
    "delivery.path": "deliver", "delivery.interval": "7m", "delivery.wait": True, "delivery.project": "other", "delivery.maxUnits": 1,
    "delivery.maxClusters": 1, "kustomize": "overlay", "terraformOutput": "tf.json",
    "settings.managementCluster": "hub", "settings.machineDeployments": "input", "settings.externalCloudProvider": False,
    "settings.revisionAnnotation": "stale",
}


def members(kind, schema, path=()):
    """Each member below spec with a value that may be set: kind, path, value."""
    schema = schema.get("allOf", schema.get("anyOf", [schema]))[0] if "examples" not in schema else schema
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    if schema.get("properties"):
        for name, member in schema["properties"].items():
            yield from members(kind, member, (*path, name))
        return
    name = ".".join(path).replace("defaults.", "settings.")
    for value in schema.get("examples", [])[:1]:
        yield kind, path, value
    other = VALUES.get(name)
    ok(f"{kind} {name}: the test has a value", schema.get("examples") or other is not None)
    for value in other if name == "delivery.applier" else [] if other is None else [other]:
        yield kind, path, value


def put(file, path, value):
    document = yaml.safe_load(file.read_text())
    holder = document["spec"]
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = value
    file.write_text(yaml.safe_dump(document))


def beside(kind, path, value):
    """Writes the file that a value names, and what else it needs."""
    folder = CONFIG[kind].parent
    if path[-1].endswith("CABundle"):
        (folder / value).parent.mkdir(exist_ok=True)
        (folder / value).write_text(ca.read_text())
    elif path[-1] == "certificate":
        (folder / value).write_text(certificate.read_text())
    elif path[-1] == "format":
        (folder / "sealing.pem").write_text(certificate.read_text())
        put(CONFIG[kind], (*path[:-1], "certificate"), "sealing.pem")
        if kind == "Fleet":
            put(CONFIG[kind], (*path[:-1], "recipients"), None)
    elif value == "argocd":
        put(CONFIG[kind], ("delivery", "source", "url"), "https://git.osm-gen.example/fleet.git")


def try_member(kind, path, value):
    name = f"{kind} {'.'.join(path)}"
    put(CONFIG[kind], path, value)
    beside(kind, path, value)
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", name)
    start = git("rev-parse", "HEAD").strip()
    seen, blind = plan(True), plan(False)
    paths = effect(start)
    print(name, ("refused: " + refused[True].splitlines()[0]) if seen is None else sorted(seen[0]), "others" if paths else "same")
    if seen is None or paths is None:
        ok(f"{name}: refused by both", seen is None and paths is None, f"{seen} {paths}")
    else:
        ok(f"{name}: not calm", not paths or seen[0] - CALM or seen[1], f"{seen}: {paths}")
        ok(f"{name}: no alarm", paths or seen[0] <= CALM, f"{seen}")
        ok(f"{name}: without the seed it may only know less", blind is None or not paths or blind[0] - CALM or blind[1], f"{blind}: {paths}")
        ok(f"{name}: without the seed it has no other class", blind is None or blind[0] <= seen[0] | {"UNKNOWN"}, f"{blind} {seen}")
    git("reset", "-q", "--hard", f"{start}~1")
    git("clean", "-q", "-f", "-d")


for member in [*members("Cluster", definitions["Cluster"]["properties"]["spec"]),
               *(one for one in members("Fleet", definitions["Fleet"]["properties"]["spec"]) if one[1][0] != "defaults")]:
    try_member(*member)
print(f"{counts[True]} passed, {counts[False]} failed")
