#!/usr/bin/env python3
"""Compares the JSON Schemas of KubeOneClusters with what kubeone-expand takes: schema.py PROGRAM EXPAND FOLDER...

First the manifests and the fenced examples below the folders, then each member that the schemas list, alone in a manifest
that is taken, with right and wrong values. The schema may not complain of what is taken, and has to of what is not decoded
(OSG4191). It may complain of what the rules refuse.
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from _checks import check, finish  # noqa: E402

program, expand, folders = sys.argv[1], sys.argv[2], map(pathlib.Path, sys.argv[3:])
DECODE = 4191
VERSIONS = ("v1beta2", "v1beta3")
NAMES = {"v1beta2": "KubeOneCluster/v1beta2", "v1beta3": "KubeOneCluster"}
SCHEMAS = {version: json.loads(subprocess.run([program, "schema", NAMES[version]], capture_output=True, check=True).stdout) for version in VERSIONS}
VALIDATORS = {version: jsonschema.Draft7Validator(schema) for version, schema in SCHEMAS.items()}
VALUES = [None, "", "x", "10m", "YQ==", 7, -1, 2**40, 1.5, True, [], ["x"], [None], [7], [{}], {}, {"x": "x"}, {"x": None}, {"x": 7}, {"x": {}}]
SAMPLES = ["x", "1.35.4", "10.0.0.0/16", *VALUES[3:]]
BASE = {"kind": "KubeOneCluster", "name": "fen", "versions": {"kubernetes": "1.35.4"}, "cloudProvider": {"hetzner": {}},
        "apiEndpoint": {"host": "api.fen.example.net"}, "controlPlane": {"hosts": [{"publicAddress": "203.0.113.4"}]},
        "dynamicWorkers": [{"name": "a", "replicas": 1, "providerSpec": {"operatingSystem": "ubuntu", "cloudProviderSpec": {}}}]}
for schema in SCHEMAS.values():
    jsonschema.Draft7Validator.check_schema(schema)


def errors_of(documents):
    """The codes of the errors that each document has."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = [pathlib.Path(scratch) / str(number) for number in range(len(documents))]
        for path, document in zip(paths, documents):
            path.mkdir()
            (path / "kubeone.yaml").write_text(document if isinstance(document, str) else json.dumps(document))
        lines = [line for at in range(0, len(paths), 200)
                 for line in subprocess.run([expand, *paths[at:at + 200]], capture_output=True, text=True, check=True).stdout.splitlines()]
    return [{one["code"] for one in json.loads(line)["diagnostics"] if one["error"]} for line in lines]


def agree(name, version, document, errors):
    alarms = [f"{list(error.absolute_path)}: {error.message[:200]}" for error in VALIDATORS[version].iter_errors(document)]
    check(name, not alarms if not errors else bool(alarms) or DECODE not in errors, f"errors {errors}, alarms {alarms}: {json.dumps(document)[:900]}")
    return bool(alarms)


# ---- manifests that exist ------------------------------------------------------------------------------------------
def manifests():
    for path in sorted(path for folder in folders for pattern in ("*.yaml", "*.md", "*.sh") for path in folder.rglob(pattern) if path.is_file()):
        text = path.read_text(errors="replace")
        blocks = [text] if path.suffix == ".yaml" else re.findall(r"^(apiVersion: kubeone.*?)^(?:END|```)$", text, re.S | re.M)
        for block in blocks:
            if re.search("^apiVersion: kubeone.k8c.io/v1beta[23]$", block, re.M) and re.search("^kind: KubeOneCluster$", block, re.M):
                yield path, block


found = list(manifests())
taken = 0
for (path, text), errors in zip(found, errors_of([text for _, text in found])):
    try:
        document = yaml.load(text, yaml.CSafeLoader)
    except yaml.YAMLError:
        continue
    if "sops" in document:  # kubeone-expand gets it with its values encrypted
        errors = set()
    taken += not errors
    agree(path, document["apiVersion"].partition("/")[2], document, errors)
check("most manifests are taken", len(found) > 20 and taken > len(found) / 3, f"{taken} of {len(found)}")


# ---- every member --------------------------------------------------------------------------------------------------
def plain(node, schema):
    """The node without references and without the choice of null."""
    for key in ("anyOf", "allOf"):
        if key in node:
            return plain(node[key][0], schema)
    return schema["definitions"][node["$ref"].split("/")[-1]] if "$ref" in node else node


def members(node, schema, seen, path=()):
    """Paths of the members that are not in `seen`, and adds them; 0 is an item of a list, x any key."""
    node = plain(node, schema)
    inner = dict(node.get("properties", {}))
    if isinstance(node.get("additionalProperties"), dict):
        inner["x"] = node["additionalProperties"]
    if "items" in node:
        inner[0] = node["items"]
    for name, one in inner.items():
        row = (*path, name, json.dumps(plain(one, schema)))
        if row not in seen:
            yield (*path, name)
        seen.add(row)
        yield from members(one, schema, seen, (*path, name))


def least(node, schema):
    """The smallest value that the node allows, but not null."""
    validator = jsonschema.Draft7Validator({**node, "definitions": schema["definitions"]})
    node = plain(node, schema)
    if "properties" in node:
        return {name: least(node["properties"][name], schema) for name in node.get("required", [])}
    return next(value for value in [*node.get("enum", []), *SAMPLES] if value is not None and validator.is_valid(value))


def put(document, node, path, value, schema):
    """The document with the value at the path."""
    if not path:
        return value
    node = plain(node, schema)
    name, *rest = path
    if name == 0:
        rest_of = document[1:] if document else []
        return [put(document[0] if document else least(node["items"], schema), node["items"], rest, value, schema), *rest_of]
    below = node["properties"].get(name) if "properties" in node else node["additionalProperties"]
    before = document.get(name) if name in document else (None if not rest else least(below, schema))
    return {**document, name: put(before, below, rest, value, schema)}


seen = set()
for version, schema in SCHEMAS.items():
    base = {"apiVersion": f"kubeone.k8c.io/{version}", **BASE}
    root = schema["else"]
    paths = list(members(root, schema, seen))
    # Every other value, since many members have the same type. The reader of files looks at apiVersion and kind first.
    cases = [(path, value) for at, path in enumerate(paths) for value in VALUES[at % 2::2] if path not in (("apiVersion",), ("kind",))]
    cases += [((*place, "unheardOf"), {}) for place in {path[:-1] for path in paths if path[-1] not in (0, "x")}]
    documents = [put(copy.deepcopy(base), root, path, value, schema) for path, value in cases]
    results = errors_of(documents)
    alarms = sum(agree(f"{version}: {path} is {value!r}", version, document, errors)
                 for (path, value), document, errors in zip(cases, documents, results))
    undecoded = sum(DECODE in errors for errors in results)
    good = sum(not errors for errors in results)
    check(f"{version}: some of each", min(alarms, undecoded, good) > len(documents) / 20, (alarms, undecoded, good, len(documents)))
finish()
