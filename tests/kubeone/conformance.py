#!/usr/bin/env python3
"""Compares kubeone-expand with what KubeOne itself made of manifests: conformance.py EXPAND CASES

CASES has a folder for each manifest: kubeone.yaml, perhaps tf.json, and either expected.yaml (what `kubeone config
machinedeployments` printed) or error, whose first line is a class; osm-flags.txt has the flags that KubeOne gives the
controller. would-be.yaml is what KubeOne's code for v1beta3 makes of a manifest that KubeOne refuses.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

expand, cases = sys.argv[1], pathlib.Path(sys.argv[2])
# Classes of errors, and the codes of osm-gen. `release` and `v1beta3` are warnings; upstream's bugs are none of ours.
CODES = {"decode": {4191, 1002, 1003}, "workers": {4192}, "cluster": {4193, 5061}, "terraform": {4195, 4193}}
RELEASE, VERSION, MERGE, CREDENTIALS = 4194, 4197, 4196, 4198
FLAGS = {"cluster-dns": "clusterDNS", "namespace": "namespace", "container-runtime": "containerRuntime",
         "pause-image": "pauseImage", "external-cloud-provider": "externalCloudProvider", "host-ca-bundle": "hostCABundle",
         "node-containerd-registry-mirrors": "nodeContainerdRegistryMirrors",
         "node-registry-credentials-secret": "nodeRegistryCredentialsSecret",
         "node-insecure-registries": "nodeInsecureRegistries", "node-http-proxy": "nodeHTTPProxy",
         "node-no-proxy": "nodeNoProxy", "device-ownership-from-security-context": "deviceOwnershipFromSecurityContext"}
passed = failed = 0


def check(name, what, good, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"not ok: {name}: {what}\n    {str(detail)[:1500]}")


def run(folder):
    return json.loads(subprocess.run([expand, folder], capture_output=True, text=True, check=True).stdout)


def plain(value):
    """Numbers as JSON has them: 3.0 is 3."""
    if isinstance(value, dict):
        return {key: plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def units(path):
    made = {}
    for document in yaml.load_all(path.read_text(), yaml.CSafeLoader):
        if document:
            document.pop("status", None)
            made.setdefault(document["metadata"]["name"], []).append(plain(document))
    return made


def expected_settings(path):
    found = {"externalCloudProvider": False}
    for line in path.read_text().split("\n"):
        flag, _, value = line.lstrip("-").partition("=")
        if not line.startswith("-"):
            continue
        name = FLAGS[flag]
        if name == "nodeContainerdRegistryMirrors":
            found.setdefault(name, []).append(value)
        elif name == "nodeInsecureRegistries":
            found[name] = value.split(",")
        else:
            found[name] = value if value or name == "nodeNoProxy" else True
    return found


for case in sorted(path for path in cases.iterdir() if (path / "kubeone.yaml").exists()):
    name = case.name
    manifest = (case / "kubeone.yaml").read_text()
    result = run(case)
    with tempfile.TemporaryDirectory() as scratch:
        if any(one["code"] == CREDENTIALS for one in result["diagnostics"]):
            # Refused, since the credentials are in the clear. Without them the rest must be as KubeOne has it.
            check(name, "credentials are refused", any(one["error"] for one in result["diagnostics"]))
            copy = pathlib.Path(scratch) / "copy"
            shutil.copytree(case, copy, copy_function=shutil.copyfile)
            copy.chmod(0o755)  # the cases may be read-only, and root alone would write into them
            (copy / "kubeone.yaml").write_text(re.sub(r"(?m)^(\s*)auth: *(\{.*\}|(\n\1 +.*)+)$", r"\1auth: {}", manifest))
            result = run(copy)
    errors = [one for one in result["diagnostics"] if one["error"]]
    codes = {one["code"] for one in result["diagnostics"]}
    check(name, "every message has a position and a help",
          all(one["line"] > 0 and one["help"] or not one["line"] and one["file"] == "tf.json" for one in result["diagnostics"]),
          result["diagnostics"])
    wanted = next((case / file for file in ("expected.yaml", "would-be.yaml") if (case / file).exists()), None)
    if (case / "error").exists():
        kind = (case / "error").read_text().split("\n")[0].removeprefix("class: ")
        if kind == "release":
            check(name, "a warning, no error", RELEASE in codes and not errors, result["diagnostics"])
        elif kind == "v1beta3":
            check(name, "a warning", VERSION in codes, result["diagnostics"])
        elif kind == "upstream-bug":
            check(name, "merged with a warning", MERGE in codes and not errors and result["units"], result["diagnostics"])
        else:
            check(name, f"an error of class {kind}", errors and {one["code"] for one in errors} & CODES[kind],
                  result["diagnostics"])
    if wanted:
        check(name, "no error", not errors, errors)
        made = {}
        for unit in result["units"]:
            made.setdefault(unit["metadata"]["name"], []).append(plain(unit))
        want = units(wanted)
        check(name, "the MachineDeployments", made == want, f"want {json.dumps(want, sort_keys=True)}\n    got  {json.dumps(made, sort_keys=True)}")
    if (case / "osm-flags.txt").exists() and not errors:
        want = expected_settings(case / "osm-flags.txt")
        got = dict(result["settings"])
        if isinstance(got.get("clusterDNS"), list):
            got["clusterDNS"] = ",".join(got["clusterDNS"])
        if "hostCABundle" in want:
            want["hostCABundle"] = got.get("hostCABundle") and got["hostCABundle"]
        check(name, "the settings", got == want, f"want {want}\n    got  {got}")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
