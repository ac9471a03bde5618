"""The JSON Schema of osm-gen.yaml under a real validator, and beside osm-gen: called by settings.sh with PROGRAM SCRATCH ROOT."""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

program, scratch, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
schema = json.loads((root / "docs/osm-gen.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
passed = failed = 0
# What osm-gen says where a document's shape is wrong.
SHAPE = re.compile(r"OSG(2001|2002|2005|2006|2007|2013|2076|2107)")


def ok(name, holds, detail=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"not ok: {name}\n    {detail}"[:2000])


# ---- every settings file of the repository: what the schema refuses, osm-gen refuses ---------------------
files = [p for p in root.rglob("osm-gen.yaml") if "build" not in p.relative_to(root).parts]
ok("there are settings files", len(files) > 50, len(files))
for path in sorted(files):
    try:
        documents = [d for d in yaml.load_all(path.read_text(), yaml.CSafeLoader) if d is not None]
    except yaml.YAMLError:
        continue
    wrong = [e.message for d in documents for e in validator.iter_errors(d)]
    name = str(path.relative_to(root))
    if not wrong:
        ok(name, True)
        continue
    case = re.match(r"tests/golden/[^/]+", name)
    expected = (root / case.group() / "expected").read_text() if case else ""
    ok(f"{name}: refused by both", SHAPE.search(expected), wrong)

# ---- documents made wrong on purpose: both refuse ----------------------------------------------------------
RECIPIENT = "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"
repo = scratch / "schema"
(repo / "c").mkdir(parents=True)
subprocess.run(["git", "-c", "init.defaultBranch=main", "init", "-q", str(repo)], check=True)


def judge(fleet, cluster):
    """What osm-gen says of the two documents."""
    (repo / "osm-gen.yaml").write_text(yaml.dump(fleet, sort_keys=False, Dumper=yaml.CSafeDumper))
    (repo / "c/osm-gen.yaml").write_text(yaml.dump(cluster, sort_keys=False, Dumper=yaml.CSafeDumper))
    run = subprocess.run([program, "validate", "--worktree", "-v", "--repo", str(repo)], capture_output=True, text=True, check=False)
    return run.stderr


def documents():
    fleet = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet",
             "spec": {"defaults": {}, "sealing": {"recipients": [RECIPIENT]}, "commit": {}, "limits": {}}}
    cluster = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": "c"}, "spec": {"settings": {}, "sealing": {}}}
    return fleet, cluster


fleet, cluster = documents()
ok("the sound documents are sound", not SHAPE.search(judge(fleet, cluster)), judge(fleet, cluster))
ok("for the schema too", validator.is_valid(fleet) and validator.is_valid(cluster))
# The maps of both documents, and the schema of each.
MAPS = {
    "Fleet": lambda f, c: f, "spec of the Fleet": lambda f, c: f["spec"], "spec.sealing": lambda f, c: f["spec"]["sealing"],
    "spec.commit": lambda f, c: f["spec"]["commit"], "spec.limits": lambda f, c: f["spec"]["limits"],
    "Cluster": lambda f, c: c, "metadata": lambda f, c: c["metadata"], "spec of the Cluster": lambda f, c: c["spec"],
    "sealing of the Cluster": lambda f, c: c["spec"]["sealing"],
}
definitions = schema["definitions"]
SCHEMAS = {
    "Fleet": definitions["Fleet"], "spec of the Fleet": definitions["Fleet.spec"], "spec.sealing": definitions["Fleet.sealing"],
    "spec.commit": definitions["Fleet.commit"], "spec.limits": definitions["Fleet.limits"], "Cluster": definitions["Cluster"],
    "metadata": definitions["Cluster.metadata"], "spec of the Cluster": definitions["Cluster.spec"],
    "sealing of the Cluster": definitions["Cluster.sealing"],
}
for name, find in MAPS.items():
    fleet, cluster = documents()
    find(fleet, cluster)["zzzzzzzz"] = 1
    said = judge(fleet, cluster)
    ok(f"{name}: a misspelt key is refused by osm-gen", "OSG2005" in said, said)
    ok(f"{name}: and by the schema", not (validator.is_valid(fleet) and validator.is_valid(cluster)))
    # osm-gen lists what may stand there: the schema has the same names, no more and no fewer.
    listed = re.search(r"it may hold: (.*)", said)
    ok(f"{name}: the same members", listed and set(listed.group(1).split(", ")) == set(SCHEMAS[name]["properties"]),
       (listed and listed.group(1), list(SCHEMAS[name]["properties"])))
    for member in SCHEMAS[name]["properties"]:
        if member in ("apiVersion", "kind"):
            continue
        for value in (True, 1.5, "text", ["x"], {"a": "b"}, -1):
            fleet, cluster = documents()
            find(fleet, cluster)[member] = value
            if member == "scope":  # osm-gen looks at it where it has a use
                find(fleet, cluster)["format"] = "sealed-secrets"
            if not (validator.is_valid(fleet) and validator.is_valid(cluster)):
                said = judge(fleet, cluster)
                ok(f"{name}.{member}: {value!r} is refused by both", SHAPE.search(said), said)

# ---- what osm-gen takes, the schema takes -------------------------------------------------------------------
for name, member, value in (("spec.sealing", "format", None), ("spec.sealing", "scope", None), ("Cluster", "sops", None)):
    fleet, cluster = documents()
    MAPS[name](fleet, cluster)[member] = value
    ok(f"{name}.{member}: {value!r} is taken by both",
       validator.is_valid(fleet) and validator.is_valid(cluster) and not SHAPE.search(judge(fleet, cluster)))
for setting, value in (("gardenerContract", 2021), ("osc", None), ("gardenerApplySpread", 0)):
    fleet, cluster = documents()
    cluster["spec"]["settings"] = {setting: value}
    ok(f"{setting}: {value!r} is taken by both", validator.is_valid(cluster) and not SHAPE.search(judge(fleet, cluster)))
for setting, value in (("gardenerContract", 2022), ("gardenerApplySpread", 86401), ("rollGuard", -1), ("ignition", "2.4.0")):
    fleet, cluster = documents()
    cluster["spec"]["settings"] = {setting: value}
    ok(f"{setting}: {value!r} is refused by both", not validator.is_valid(cluster) and SHAPE.search(judge(fleet, cluster)))

# ---- many wrong documents at once: osm-gen names the file of each mistake ----------------------------------
def judge_all(name, files):
    """What osm-gen says of each file, by its path, in a repository of all of them."""
    repo = scratch / name
    for path, document in files.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(yaml.dump(document, sort_keys=False, Dumper=yaml.CSafeDumper))
    subprocess.run(["git", "-c", "init.defaultBranch=main", "init", "-q", str(repo)], check=True)
    run = subprocess.run([program, "validate", "--worktree", "-v", "--repo", str(repo)], capture_output=True, text=True, check=False)
    said = dict.fromkeys(files, "")
    for diagnostic in run.stderr.split("\n\n"):
        path = diagnostic.split(":")[0]
        if path in said:
            said[path] += diagnostic + "\n"
    return said


# ---- settings: wrong types -------------------------------------------------------------------------------
settings = definitions["settings"]["properties"]
ok("there are settings", len(settings) > 20)
files, names_of = {"osm-gen.yaml": documents()[0]}, {}
for setting in settings:
    refused = 0
    for value in (True, 1.5, ["x", 1], {"a": ["b", 1]}, 7, "misspelt"):
        number = len(files)
        cluster = documents()[1]
        cluster["metadata"]["name"] = f"c{number}"
        is_misspelt = value == "misspelt"
        cluster["spec"]["settings"][setting[:-1] + "zq" if is_misspelt else setting] = value
        if validator.is_valid(cluster):
            ok(f"{setting} misspelt is refused by the schema", not is_misspelt)
            continue
        refused += not is_misspelt
        files[f"c{number}/osm-gen.yaml"] = cluster
        names_of[f"c{number}/osm-gen.yaml"] = (f"{setting}: {value!r} is refused by both", re.compile("OSG2007") if is_misspelt else SHAPE)
    ok(f"{setting}: the schema refuses some types", refused >= 3, refused)
said = judge_all("settings", files)
for path, (name, code) in names_of.items():
    ok(name, code.search(said[path]), said[path])

# ---- extensions of profiles ------------------------------------------------------------------------------
KIND = "OperatingSystemProfileExtension"
EXTENSION = re.compile(r"OSG407[0-3]")
SOUND = {
    "order": 7, "selector": {"profiles": ["osp-ubuntu"], "machineDeployments": ["workers"], "operatingSystems": ["ubuntu"],
                             "cloudProviders": ["aws"], "matchLabels": {"a": "b"}},
    "provisioningConfig": {"files": [{"path": "/etc/a", "permissions": 644, "content": {"inline": {"data": "a"}}},
                                     {"path": "/etc/b", "content": {"secretKeyRef": {"namespace": "a", "name": "b", "key": "c"}}}],
                           "modules": {"runcmd": ["systemctl daemon-reload"]}},
    "units": [{"name": "a.service", "content": "[Service]", "enable": True, "dropIns": [{"name": "a.conf", "content": "[Unit]"}]}],
    "commands": {"afterSetup": ["true"]}, "sshKeys": [{"user": "core", "keys": ["ssh-ed25519 A"]}],
    "kubelet": {"configuration": "maxPods: 7"}, "containerd": {"nvidia": True}}
# The maps of the document that the schema has, by its own names, and where one stands in the sound document.
PLACES = {"Selector": ["selector"], "Configuration": ["provisioningConfig"], "Modules": ["provisioningConfig", "modules"],
          "File": ["provisioningConfig", "files", 0], "Content": ["provisioningConfig", "files", 0, "content"],
          "Inline": ["provisioningConfig", "files", 0, "content", "inline"],
          "SecretKeyReference": ["provisioningConfig", "files", 1, "content", "secretKeyRef"], "Unit": ["units", 0],
          "DropIn": ["units", 0, "dropIns", 0], "Commands": ["commands"], "SSHKeys": ["sshKeys", 0], "Kubelet": ["kubelet"],
          "Containerd": ["containerd"]}
EXTENSIONS = {}
TESTS = {}  # of each file: the name of a check, and what must hold of what osm-gen says


def extension(path=(), key=None, value=None):
    """The sound document with one member more, or another, at a place."""
    document = json.loads(json.dumps({"apiVersion": "osm-gen.dev/v1alpha1", "kind": KIND, "metadata": {"name": "a"}, "spec": SOUND}))
    at = document["spec"]
    for word in path:
        at = at[word]
    if key:
        at[key] = value
    return document


def add_extension(name, document, holds):
    path = f"a{len(EXTENSIONS)}.yaml"
    document["metadata"]["name"] = path.removesuffix(".yaml")
    EXTENSIONS[path], TESTS[path] = document, (name, holds)


def lists(members):
    """Whether osm-gen names these members, no more and no fewer."""
    def holds(said):
        listed = re.search(r"remove it, or use one of (.*)", said)
        return listed and set(re.split(r", | or ", listed.group(1).strip())) == set(members)
    return holds


add_extension("the sound extension is sound", extension(), lambda said: not EXTENSION.search(said))
ok("for the schema too", validator.is_valid(extension()), [e.message for e in validator.iter_errors(extension())])
names = {name.removeprefix(KIND + "."): own for name, own in definitions.items() if name.startswith(KIND + ".")}
del names["Metadata"]
PLACES["Spec"] = []
ok("every map of the schema has a place", names.keys() == PLACES.keys(), (list(names), list(PLACES)))
for name, place in PLACES.items():
    document = extension(place, "zzzzzzzz", 1)
    ok(f"{name}: a misspelt member is refused by the schema", not validator.is_valid(document))
    add_extension(f"{name}: and by osm-gen", document, lambda said: "OSG4071" in said)
    add_extension(f"{name}: the same members", extension(place, "zzzzzzzz", 1), lists(names[name]["properties"]))
    for member in names[name]["properties"]:
        for value in (True, 1.5, "text", ["x"], [1], {"a": "b"}, -1):
            document = extension(place, member, value)
            # What is in a repository is looked at where the extension is added to a profile.
            if not validator.is_valid(document) and (member, value) != ("yum_repos", {"a": "b"}):
                add_extension(f"{name}.{member}: {value!r} is refused by both", document, EXTENSION.search)
said = judge_all("extensions", EXTENSIONS)
for path, (name, holds) in TESTS.items():
    ok(name, holds(said[path]), said[path])
for path in sorted(root.rglob("*.yaml")):
    is_ours = path.is_file() and "build" not in path.relative_to(root).parts
    text = path.read_text(errors="replace") if is_ours else ""
    try:
        documents = [d for d in yaml.load_all(text, yaml.CSafeLoader) if isinstance(d, dict)] if f"kind: {KIND}" in text else []
    except yaml.YAMLError:
        continue
    for document in documents:
        case = re.match(r"tests/golden/[^/]+", str(path.relative_to(root)))
        expected = (root / case.group() / "expected").read_text() if case else ""
        # Another system has a kind of that name, which osm-gen passes over.
        if str(document.get("apiVersion")).startswith("kubermatic.k8c.io/"):
            continue
        if document.get("kind") == KIND and not validator.is_valid(document):
            ok(f"{path.relative_to(root)}: refused by both", EXTENSION.search(expected),
               [e.message for e in validator.iter_errors(document)])
print(f"schema: {passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
