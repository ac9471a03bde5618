"""Validates documents of -o json: called by json.sh, compare.sh and observe.sh with SCHEMA and files named DEFINITION-WHAT.json.

The schema allows members that it does not list, since later versions add some; here they are mistakes, so that none is
left out of it. Each member that the schema lists must occur in a document, or be among those of REST.
"""
import copy
import json
import pathlib
import re
import sys

import jsonschema

from _checks import check, finish

# Members that need a server, another program or a branch of its own.
REST = {"branch", "brought", "but", "commit", "fingerprint", "limit", "programs", "push", "reason", "remote", "replaced", "replicas", "retries", "restarts", "stops",
        "setting", "templateUnknown", "upstream", "version"}

def closed(node):
    """The schema without room for members that it does not list."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: closed(value) for key, value in node.items()}
    if isinstance(node.get("properties"), dict) and "type" in node and "additionalProperties" not in node:
        node["additionalProperties"] = False
    return node


def listed(node):
    if isinstance(node, list):
        return {name for item in node for name in listed(item)}
    if not isinstance(node, dict):
        return set()
    own = set(node["properties"]) if isinstance(node.get("properties"), dict) and "type" in node else set()
    return own | {name for value in node.values() for name in listed(value)}


def reached(name):
    """The members that a definition lists, with those of the definitions that it refers to."""
    names, queue = set(), [name]
    while queue:
        name = queue.pop()
        if name not in names:
            names.add(name)
            queue += re.findall(r'"#/definitions/(\w+)"', json.dumps(schema["definitions"][name]))
    return set().union(*(listed(schema["definitions"][name]) for name in names))


def members(node):
    if isinstance(node, list):
        return {name for item in node for name in members(item)}
    if not isinstance(node, dict):
        return set()
    return set(node) | {name for value in node.values() for name in members(value)}


schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
jsonschema.Draft7Validator.check_schema(schema)
strict = closed(schema)["definitions"]
found, wanted = set(), set()
for path in map(pathlib.Path, sys.argv[2:]):
    document = json.loads(path.read_text())
    name = path.stem.split("-")[0]
    validator = jsonschema.Draft7Validator({"$ref": f"#/definitions/{name}", "definitions": strict})
    errors = [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(document)]
    check(path.name, not errors, errors[:3])
    check(f"{path.name}, by the schema as it is", jsonschema.Draft7Validator(schema).is_valid(document))
    found |= members(document)
    wanted |= reached(name)
    for key in document:
        broken = copy.deepcopy(document)
        broken[key] = 7.5
        check(f"{path.name} with another {key}", not validator.is_valid(broken))
    check(f"{path.name} with a member that is not listed", not validator.is_valid({**document, "stranger": 1}))
check("each listed member occurs", not wanted - found - REST, wanted - found - REST)
finish()
