"""Compares the JSON Schema of MachineDeployments with what osm-gen takes: called by machine_schema.sh with the program,
a folder for a repository, and folders whose files may hold MachineDeployments.

Every manifest, and every variant of one that has each member of its cloud, is validated by both. Where osm-gen has no message
about members and types, the schema must have none; where osm-gen has one about a type or a name, the schema must have one, too.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

from _checks import check, finish

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
LINE = re.compile(r"^(m\d+\.yaml):\d+:\d+: (error|warning)\[(OSG\d+)\]: (.*)$", re.M)
# Warnings about members and their values.
WARNINGS = {"OSG4027", "OSG4041", "OSG4049", "OSG4052"}
# Messages about types and names, which a schema can know.
TYPES = {f"OSG{code}" for code in (4010, 4011, 4014, 4027, 4041, 4043, 4050, 4052)}
VALUES = (7, -1, 1.5, "x", "", True, None, ["a"], [7], [], {"x": "y"}, {})


def schema(provider):
    made = json.loads(subprocess.check_output([program, "schema", f"MachineDeployment/{provider}" if provider else "MachineDeployment"]))
    jsonschema.Draft7Validator.check_schema(made)
    return jsonschema.Draft7Validator(made)


general = schema("")
definitions = general.schema["definitions"]
providers = [name for name in definitions["Config"]["properties"]["cloudProvider"]["enum"]]
validators = {name: schema(name) for name in providers}


def right(node):
    """A value that a part of the schema allows."""
    if "$ref" in node:
        return right(definitions[node["$ref"].rsplit("/", 1)[1]])
    for word in ("anyOf", "allOf"):
        if word in node:
            return right(node[word][0])
    if "enum" in node:
        return node["enum"][0]
    kind = node.get("type", "object")
    kind = kind if isinstance(kind, str) else kind[0]
    if kind == "object":
        return {name: right(part) for name, part in node["properties"].items()} if "properties" in node else {"a": "b"}
    if kind == "array":
        return [right(node["items"])]
    return {"string": "2026-01-31T12:00:00Z" if "format" in node else "1", "integer": 1, "number": 1.5, "boolean": True}[kind]


def base(provider, system="ubuntu"):
    """A MachineDeployment with each member of its cloud."""
    config = {"sshPublicKeys": [], "cloudProvider": provider, "operatingSystem": system, "network": {"ipFamily": "IPv4"},
              "operatingSystemSpec": {"distUpgradeOnBoot": True}}
    if provider in definitions:
        config["cloudProviderSpec"] = right({"$ref": f"#/definitions/{provider}"})
    labels = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}
    spec = {"versions": {"kubelet": "1.35.2"}, "providerSpec": {"value": config}, "metadata": {"labels": {"c": "d"}},
            "taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]}
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": "m", "namespace": "kube-system", "labels": {"e": "f"}, "annotations": {"g": "h"}},
            "spec": {"replicas": 1, "paused": False, "minReadySeconds": 1, "selector": labels,
                     "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
                     "template": {"metadata": {"labels": {"a": "b"}}, "spec": spec}}}


def paths(node, path=()):
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield path + (key,)
        yield from paths(node[key], path + (key,))


def changed(document, path, value):
    """A copy with another value at a path; "gone" takes the member away, "misspelt" and "upper" change its name."""
    made = copy.deepcopy(document)
    at = made
    for key in path[:-1]:
        at = at[key]
    if value == "gone":
        del at[path[-1]]
    elif value == "misspelt":
        at[f"{path[-1]}X"] = at.pop(path[-1])
    elif value == "upper":
        at[path[-1].upper()] = at.pop(path[-1])
    else:
        at[path[-1]] = value
    return made


def variants():
    yield from ((f"{name}, {system}", base(name, system)) for name in providers for system in ("ubuntu", "flatcar", "rhel"))
    document = base("aws")
    for path in paths(document):
        if path[0] == "spec" and "cloudProviderSpec" not in path[:-1] or path[:1] == ("metadata",) and path[1:] != ("name",):
            for value in VALUES + ("gone",) + (("misspelt",) if isinstance(path[-1], str) else ()):
                yield f"{path}: {value!r}", changed(document, path, value)
    config = ("spec", "template", "spec", "providerSpec", "value")
    for provider in providers:
        document = base(provider)
        for path in paths(document):
            if path[:5] == config and "cloudProviderSpec" in path[5:-1]:
                for value in VALUES + (("misspelt", "upper") if isinstance(path[-1], str) else ()):
                    yield f"{provider}, {path[6:]}: {value!r}", changed(document, path, value)
    members = definitions["Config"]["allOf"]
    for rule in members:
        for system in rule["if"]["properties"].get("operatingSystem", {}).get("enum", ()):
            for name in [*rule["then"]["properties"]["operatingSystemSpec"]["properties"], "nothing"]:
                for value in VALUES:
                    document = base("aws", system)
                    yield f"{system}, {name}: {value!r}", changed(document, config + ("operatingSystemSpec",), {name: value})


def written():
    """The MachineDeployments of the given folders."""
    for root in sys.argv[3:]:
        for path in sorted(pathlib.Path(root).rglob("*.y*ml")):
            try:
                documents = [d for d in yaml.load_all(path.read_text(), yaml.CSafeLoader)] if path.is_file() else []
                documents = json.loads(json.dumps(documents, default=str))
            except (yaml.YAMLError, UnicodeDecodeError, TypeError, ValueError, RecursionError):
                continue
            for number, d in enumerate(documents):
                if (isinstance(d, dict) and d.get("kind") == "MachineDeployment" and isinstance(d.get("metadata"), dict) and
                        d.get("apiVersion") == "cluster.k8s.io/v1alpha1" and "sops" not in d):
                    yield f"{path}, document {number}", d


def validate(names):
    """What osm-gen reports of these files alone: lists of codes and texts. Adds to `refused` those with an error."""
    for path in folder.glob("m?????.yaml"):
        if path.name not in names:
            path.unlink()
    subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
    subprocess.run(["git", "-C", folder, "commit", "-qm", "machines", "--allow-empty"], check=True)
    run = subprocess.run([program, "validate", "-v"], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    reported = {}
    for name, severity, code, text in LINE.findall(run.stderr):
        reported.setdefault(name, []).append((severity, code, text))
    return run, reported


cases = [*written(), *variants()]
for number, (_, document) in enumerate(cases):
    if isinstance(document.get("metadata"), dict) and document["metadata"].get("name"):
        document["metadata"]["name"] = f"m{number:05}"
    (folder / f"m{number:05}.yaml").write_text(json.dumps(document))
# Errors keep osm-gen from rendering, which finds more: what has one is left out of the next round.
found, names = {}, {f"m{number:05}.yaml" for number in range(len(cases))}
for attempt in range(6):
    run, reported = validate(names)
    for name, messages in reported.items():
        found.setdefault(name, []).extend(messages)
    wrong = {name for name, messages in reported.items() if any(severity == "error" for severity, _, _ in messages)}
    if not wrong & names:
        break
    names -= wrong
check("the rest is sound", run.returncode == 0, f"{run.returncode}: {run.stderr[-600:]}")
false, silent, taken, refused = [], [], 0, 0
for number, (name, document) in enumerate(cases):
    messages = [m for m in found.get(f"m{number:05}.yaml", []) if m[0] == "error" or m[1] in WARNINGS]
    try:
        provider = document["spec"]["template"]["spec"]["providerSpec"]["value"]["cloudProvider"]
    except (KeyError, TypeError):
        provider = ""
    validator = validators.get(provider, general) if isinstance(provider, str) else general
    errors = [f"{list(e.absolute_path)}: {e.message[:90]}" for e in validator.iter_errors(document)]
    if validator is not general and number % 20 == 0:
        check(f"the general schema has the same verdict: {name}", general.is_valid(document) == (not errors))
    if not messages:
        taken += 1
        # A list without strings is COMPAT for a variable of a cloud, and nobody means it.
        false += [(name, errors[:2])] if errors and not re.match(r"[\w-]+, \(.*: \[7?\]$", name) else []
    elif any(code in TYPES for _, code, _ in messages):
        refused += 1
        # A null is no string, which only the annotations of the whole object must be.
        silent += [(name, messages[:2])] if not errors and name != "('metadata', 'annotations', 'g'): None" else []
check("the schema takes what osm-gen takes", not false, f"{len(false)} of {taken}: {false[:20]}")
check("the schema refuses types and names as osm-gen does", not silent, f"{len(silent)} of {refused}: {silent[:20]}")
check("there were enough", taken > 1000 and refused > 1000, (len(cases), taken, refused))
finish()
