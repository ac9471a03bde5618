"""JSON Schemas of OperatingSystemConfigs and OperatingSystemExtensions: called by gardener_schema.sh with PROGRAM ROOT.

A document that osm-gen takes without a warning about its members is valid. Each member of two documents that have all of them
is given other values: osm-gen and the schema must agree on each.
"""
import collections
import copy
import json
import os
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

from _checks import check, finish

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMAS = {"osc-current": "OperatingSystemConfig", "osc-2021": "OperatingSystemConfig/2021", "system": "OperatingSystemExtension"}
# Members and types of an OperatingSystemConfig, modes, paths, encodings, commands; of an OperatingSystemExtension.
OSC_CODES = {"4101", "4102", "4105", "4107", "4111", "4118"}
SYSTEM_CODES = {"4151", "4152"}

formats = jsonschema.FormatChecker(())


@formats.checks("date-time")
def is_time(text):
    return not isinstance(text, str) or bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text))


validators = {}
for short, name in SCHEMAS.items():
    schema = json.loads(subprocess.check_output([program, "schema", name]))
    jsonschema.Draft7Validator.check_schema(schema)
    validators[short] = jsonschema.Draft7Validator(schema, format_checker=formats)


class Loader(yaml.SafeLoader):
    """Reads a time as a string and 0o644 as a number, as osm-gen does."""


Loader.yaml_implicit_resolvers = {key: [(tag, regexp) for tag, regexp in pairs if not tag.endswith(":timestamp")]
                                  for key, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"0o[0-7]+$"), ["0"])


def documents(path):
    """The text and the value of each document, and of each object of a List."""
    text = path.read_text(errors="replace")
    if "OperatingSystemConfig" not in text and "OperatingSystemExtension" not in text:
        return
    for part in re.split(r"^---.*$", text, flags=re.M):
        try:
            value = yaml.load(part, Loader)
        except yaml.YAMLError:
            return
        if isinstance(value, dict) and value.get("kind") == "List":
            yield from ((json.dumps(item), item) for item in value.get("items") or [])
        else:
            yield part, value


def kind_of(document):
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        return None
    group = str(document.get("apiVersion")).split("/")[0]
    return {("extensions.gardener.cloud", "OperatingSystemConfig"): "osc",
            ("osm-gen.dev", "OperatingSystemExtension"): "system"}.get((group, document.get("kind")))


def reports(contract, texts):
    """What osm-gen reports for documents of one kind, by the name of the object."""
    run = subprocess.run([program, "validate", "-", "-v", "--gardener-contract", contract], input="\n---\n".join(texts), capture_output=True,
                         text=True, check=False)
    found = collections.defaultdict(list)
    for block in run.stderr.split("\n\n"):
        name = re.search(r"^  in \w+ (?:ns/)?([^,\n]*)", block, re.M)
        found[name.group(1) if name else None].append(block)
    return found


def codes(blocks):
    return set(re.findall(r"(?:error|warning)\[OSG(\d+)\]", "\n".join(blocks)))


def mistakes(name, document):
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validators[name].iter_errors(document)]


# ---- documents with all members ---------------------------------------------------------------------------
OSC = {
    "apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig", "metadata": {"name": "a-original", "namespace": "ns"},
    "spec": {
        "type": "minimal", "purpose": "reconcile", "class": "shoot", "providerConfig": {"apiVersion": "x/v1", "kind": "Y"},
        "reloadConfigFilePath": "/var/lib/cloud_config",
        "criConfig": {"name": "containerd", "cgroupDriver": "systemd", "containerd": {
            "sandboxImage": "pause:3",
            "registries": [{"upstream": "docker.io", "server": "https://docker.io", "readinessProbe": True, "hosts": [
                {"url": "http://10.0.0.1:5000", "capabilities": ["pull", "resolve", "push"], "caCerts": ["/a"], "overridePath": True}]}],
            "plugins": [{"op": "add", "path": ["a"], "values": {"b": 1}}]}},
        "units": [{"name": "a.service", "command": "restart", "enable": False, "content": "[Install]\n", "filePaths": ["/etc/a"],
                   "dropIns": [{"name": "10-a.conf", "content": "A"}]}],
        "files": [{"path": "/etc/a", "permissions": 420, "hostName": "node-1", "content": {
                      "inline": {"encoding": "", "data": "A"}, "transmitUnencoded": True}},
                  {"path": "/etc/b", "content": {"imageRef": {"image": "a:b", "filePathInImage": "/b"}}},
                  {"path": "/etc/c", "content": {"secretRef": {"name": "ca", "dataKey": "ca.crt"}}}],
        "inPlaceUpdates": {"operatingSystemVersion": "1", "kubelet": "1.34.1", "credentialsRotation": {
            "certificateAuthorities": {"lastInitiationTime": "2026-01-02T03:04:05Z"}, "serviceAccountKey": {}}},
    },
}
STAGE = {"format": "bash", "once": True, "before": "a", "after": "b",
         "files": [{"path": "/etc/a", "content": "a", "permissions": "0644", "after": True, "when": "a"}],
         "units": [{"name": "a.service", "command": "start", "enable": True, "mask": False, "content": "a", "filePaths": ["/etc/a"],
                    "reported": True, "after": False, "when": "a", "dropIns": [{"name": "a.conf", "content": "a"}]}],
         "links": [{"path": "/etc/l", "target": "a", "when": "a"}], "multipart": [{"contentType": "text/plain", "text": "a", "when": "a"}],
         "start": {"units": "spec", "except": ["b.service"], "noBlock": True}}
SYSTEM = {
    "apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemExtension", "metadata": {"name": "rocky"},
    "spec": {
        "version": "v1.0.0", "types": ["rocky"], "contract": "current", "provision": STAGE,
        "reconcile": {"files": [{"path": "/etc/{{ .Type }}", "content": "a"}], "cgroupDriver": "systemd",
                      "inPlaceUpdate": {"command": "a", "args": ["b"], "when": "a"}},
        "cloudConfig": {"provision": {"format": "cloud-config", "cloudInit": "a: b"}},
        "providerConfig": [{"types": ["rocky"], "apiVersion": "x/v1", "kind": "Y", "members": {"a": "string", "b": "bool"}}],
        "templates": {"t": "text"}, "readOnly": ["/usr"],
    },
}
UNIT = {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig", "metadata": {"name": "b-init", "namespace": "ns"},
        "spec": {"type": "rocky", "purpose": "provision"}}

# ---- documents of the repository: what osm-gen takes is valid --------------------------------------------
# The cases of Gardener's real extensions are not part of the sources.
folders = [root / "tests", root / "profiles", root / "docs",
           pathlib.Path(os.environ.get("GARDENER_CONFORMANCE", root.parent / "shared/conformance/gardener"))]
count = {"osc": 0, "system": 0}
for path in sorted(path for folder in folders for path in folder.rglob("*.yaml") if path.is_file()):
    for text, document in documents(path):
        kind = kind_of(document)
        if not kind or "sops" in document:
            continue
        for contract in ("current", "2021") if kind == "osc" else ("current",):
            blocks = sum(reports(contract, [text] + [json.dumps(UNIT)] * (kind == "system")).values(), [])
            if codes(blocks) & (SYSTEM_CODES | OSC_CODES | {"2101", "2102"}):
                continue
            count[kind] += 1
            wrong = mistakes(f"osc-{contract}" if kind == "osc" else "system", document)
            check(f"{path}, contract {contract}", not wrong, wrong[:3])
check("documents are taken", count["osc"] > 40 and count["system"] > 10, count)

# ---- each member, with other values ----------------------------------------------------------------------
GONE = object()
# What depends on other members, or on how a number is written.
UNKNOWABLE = {("contract 2021", "spec.type", ""), ("a system", "spec.types.0", "word"), ("a system", "spec.providerConfig.0.types.0", "word"),
              ("a system", "spec.provision.files.0.permissions", 5)}
OTHERS = [GONE, None, "", 5, True, "word", [], [None], [5], {}, {"zzzzzz": 1}]


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, at + (key,))


def changed(document, place, other):
    document = copy.deepcopy(document)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    if other is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = other
    return document


def compare(title, document, schema, contract, wanted):
    """Compares osm-gen and the schema, for each value of each member below spec. Returns how many of them are wrong."""
    cases = []
    for place in places(document["spec"], ("spec",)):
        dotted = ".".join(map(str, place))
        for other in OTHERS:
            if isinstance(other, (str, int)) and (title, dotted, other) in UNKNOWABLE:
                continue
            case = changed(document, place, other)
            case["metadata"]["name"] = f"case-{len(cases)}"
            cases.append((f"{dotted} is {'not there' if other is GONE else json.dumps(other)}", case))
    found = reports(contract, [json.dumps(case) for _, case in cases] + [json.dumps(UNIT)] * (schema == "system"))
    wrong = 0
    for name, case in cases:
        blocks = found[case["metadata"]["name"]]
        alarms = mistakes(schema, case)
        wrong += bool(alarms)
        check(f"{title}: {name}", bool(alarms) == bool(codes(blocks) & wanted), f"schema: {alarms[:2]}\n    osm-gen: {blocks[:2]}")
    return wrong


current = copy.deepcopy(OSC)
del current["spec"]["reloadConfigFilePath"]
old = copy.deepcopy(OSC)
old["spec"] = {key: OSC["spec"][key] for key in ("type", "purpose", "providerConfig", "reloadConfigFilePath")}
old["spec"]["criConfig"] = {"name": "docker"}
old["spec"]["units"] = [{"name": "a.service", "command": "reload"}]
for title, document, schema, contract, wanted, least in (("contract current", current, "osc-current", "current", OSC_CODES, 400),
                                                         ("contract 2021", old, "osc-2021", "2021", OSC_CODES, 40),
                                                         ("a system", SYSTEM, "system", "current", SYSTEM_CODES, 400)):
    check(f"{title}: all of it is right", not mistakes(schema, document), mistakes(schema, document)[:3])
    wrong = compare(title, document, schema, contract, wanted)
    check(f"{title}: alarms", wrong > least, wrong)

# ---- members of one contract only ------------------------------------------------------------------------
for contract, missing in (("current", ["reloadConfigFilePath"]), ("2021", ["class", "inPlaceUpdates"])):
    alarms = mistakes(f"osc-{contract}", {**OSC, "spec": {key: value for key, value in OSC["spec"].items() if key != "criConfig"}})
    check(f"members of another contract than {contract}", all(any(name in alarm for alarm in alarms) for name in missing), alarms)
finish()
