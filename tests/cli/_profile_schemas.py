"""The JSON Schemas of profiles and extensions beside osm-gen: called by profile_schemas.sh with PROGRAM SCRATCH ROOT."""
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

program, scratch, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
KINDS = {"OperatingSystemProfile": "operatingsystemmanager.k8c.io/v1alpha1", "OperatingSystemProfileExtension": "osm-gen.dev/v1alpha1"}
# Codes of mistakes in a document, and the sentences for those that a table of members knows.
CODES = {"OSG4001", "OSG4002", "OSG4070", "OSG4071"}
KNOWN = re.compile(r"unknown field|lacks \w+ here|cannot be \"|must be (a string|a list|a map|true or false|a number|the digits)|a command of \w+ must be"
                   r"|left the controller's schema|its schema with|of the selector is empty|is not a semantic version")
# One wrong value of each type, and strings that no choice has.
WRONG = [None, True, 7, -7, 3.5, "", "no such word", [], {}, [None], [7], ["a word"], [{}], {"a": 7}, {"a": None}, {"a": "b"}, {"a": {"b": 7}}]
FULL = {
    "OperatingSystemProfile": """
        osName: flatcar
        osVersion: '1'
        version: v1.0.0
        provisioningUtility: ignition
        supportedCloudProviders: [{name: aws, spec: {a: 1}}]
        bootstrapConfig:
          supportedContainerRuntimes:
          - {name: containerd, files: [{path: /c, permissions: 755, content: {inline: {data: x, encoding: b64}}}], templates: {a: b}}
          templates: {a: x}
          units: [{name: a.service, enable: true, mask: false, content: x, dropIns: [{name: a.conf, content: x}]}]
          files: [{path: /a, content: {inline: {data: x}}}]
          modules: {bootcmd: [a], runcmd: [c], rh_subscription: {username: u}, yum_repos: {r: {baseurl: b}}, yum_repo_dir: /etc}
        provisioningConfig: {}
        """,
    "OperatingSystemProfileExtension": """
        order: 7
        selector: {profiles: [a], machineDeployments: [a], operatingSystems: [ubuntu], cloudProviders: [aws], matchLabels: {a: b}}
        bootstrapConfig:
          files:
          - {path: /a, permissions: 644, content: {inline: {data: x, encoding: b64}}, replace: true}
          - {path: /b, content: {secretKeyRef: {namespace: a, name: b, key: c}}}
          modules: {bootcmd: [a], runcmd: [b], yum_repo_dir: /x}
        provisioningConfig: {}
        units: [{name: a.service, content: x, dropIns: [{name: a.conf, content: x}], enable: true, mask: false, replace: true}]
        packages: [vim]
        kernelModules: [br_netfilter]
        sysctls: {net.core.somaxconn: 1, vm.a: '2'}
        caCertificates: ['{{ .CA }}']
        sshKeys: [{user: u, keys: ['ssh-ed25519 AAAA x']}]
        commands: {beforeSetup: [a], beforeKubelet: [b], afterSetup: [c]}
        kubelet: {configuration: 'maxPods: 200'}
        containerd: {configuration: 'a = 1', configurationVersion2: '[a]', nvidia: true}
        """,
}
schemas = {kind: json.loads(subprocess.check_output([program, "schema", kind])) for kind in KINDS}
validators = {}
for kind, schema in schemas.items():
    jsonschema.Draft7Validator.check_schema(schema)
    validators[kind] = jsonschema.Draft7Validator(schema)


def documents_of(path):
    """The profiles and extensions in a file."""
    try:
        found = list(yaml.load_all(path.read_text(), yaml.CSafeLoader))
        json.dumps(found, default=str)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        return []  # made to be hostile
    return [d for d in found if isinstance(d, dict) and (d.get("kind"), d.get("apiVersion")) in KINDS.items()]


def places(value, path=()):
    """The path of each value below this one."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in entries for found in [path + (key,), *places(item, path + (key,))]]


def at(value, path):
    for key in path:
        value = value[key]
    return value


def mistakes(document):
    """Copies of a document with one change each: a value of another type, a member that is missing or unknown."""
    for path in places(document["spec"]):
        for wrong in WRONG + ["remove", "rename"]:
            copied = copy.deepcopy(document)
            parent = at(copied["spec"], path[:-1])
            if wrong == "remove":
                del parent[path[-1]]
            elif wrong == "rename" and isinstance(parent, dict):
                parent[f"{path[-1]}Not"] = parent.pop(path[-1])
            elif wrong != "rename":
                parent[path[-1]] = wrong
            yield f"{'.'.join(map(str, path))}: {wrong}", copied


def judge(documents):
    """The messages of osm-gen about each of the documents."""
    repo = scratch / "documents"
    subprocess.run(["rm", "-rf", str(repo)], check=True)
    repo.mkdir()
    subprocess.run(["git", "-c", "init.defaultBranch=main", "init", "-q", str(repo)], check=True)
    (repo / "osm-gen.yaml").write_text("apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec: {}\n")
    for i, document in enumerate(documents):
        named = {**document, "metadata": {**(document.get("metadata") or {}), "name": f"d{i}"}}
        (repo / f"d{i}.yaml").write_text(json.dumps(named, default=str))
    run = subprocess.run([program, "validate", "--worktree", "-o", "json", "--repo", str(repo)], capture_output=True, text=True, check=False)
    messages = [[] for _ in documents]
    for diag in json.loads(run.stdout)["diagnostics"]:
        if diag["code"] in CODES:
            messages[int(re.search(r"d(\d+)\b", diag.get("path") or diag["object"]).group(1))].append(diag["message"])
    return messages


def alarms(document):
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validators[document["kind"]].iter_errors(document)]


# ---- documents that people wrote: the schema finds nothing in what osm-gen takes ---------------------------------------------
folders = [root / "profiles", root / "tests/golden", root / "tests/shapes"]
module = pathlib.Path(os.environ.get("GOMODCACHE", pathlib.Path.home() / "go/pkg/mod")) / "k8c.io/operating-system-manager@v1.11.0/deploy/osps/default"
if module.exists():
    folders.append(module)
written = [(path, d) for folder in folders for path in sorted(folder.rglob("*")) if path.is_file() for d in documents_of(path)]
check("there are profiles and extensions", len(written) > 60, len(written))
for (path, document), messages in zip(written, judge([d for _, d in written])):
    found = alarms(document)
    check(f"{path}: no false alarm", messages or not found, found[:3])
    check(f"{path}: an alarm", found or not any(KNOWN.search(m) for m in messages), messages[:3])

# ---- documents made wrong on purpose: both find the mistake, or neither ------------------------------------------------------
for kind, spec in FULL.items():
    whole = {"apiVersion": KINDS[kind], "kind": kind, "metadata": {"name": "whole"}, "spec": yaml.load(spec, yaml.CSafeLoader)}
    check(f"{kind}: nothing is wrong", not judge([whole])[0] and not alarms(whole), [judge([whole]), alarms(whole)])
    reached = {path[-1] for path in places(whole["spec"]) if isinstance(path[-1], str)}
    listed = {name for shape in [*schemas[kind]["definitions"].values()] for name in shape.get("properties", {})} - {"name"}
    check(f"{kind}: every member is there", listed <= reached | {"yum_repos"}, listed - reached)
    changed = list(mistakes(whole))
    for (name, document), messages in zip(changed, judge([d for _, d in changed])):
        found = alarms(document)
        # osm-gen checks an extension's repositories once a profile gets them.
        if not (found and ".modules.yum_repos" in "".join(found)):
            check(f"{kind}: {name}: no false alarm", messages or not found, found[:3])
        check(f"{kind}: {name}: an alarm", found or not any(KNOWN.search(m) for m in messages), messages[:3])
finish()
