"""The manifests of the tests under kubeconform, with the schemas of `osm-gen schema --into`, beside `osm-gen validate`: called by
schemas.sh with PROGRAM KUBECONFORM SCRATCH.

In a file of which osm-gen has no error and no warning, kubeconform finds nothing. In a file whose members, types or choices osm-gen
reports, it finds something. EXCEPT has those that cannot agree.
"""
import collections
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys

import jsonschema
import yaml

program, kubeconform, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
root = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tests/cli"), str(root / "tests/golden")]
import run as golden  # noqa: E402
from _checks import check, finish  # noqa: E402

# Members, types and choices: of profiles, MachineDeployments, extensions, Gardener's documents, KubeOne's, and settings.
SHAPE = {f"OSG{code}" for code in (4001, 4002, 4010, 4011, 4014, 4027, 4041, 4043, 4050, 4052, 4070, 4071, 4101, 4105, 4151, 4152,
                                   4191, 2001, 2002, 2005, 2006, 2007, 2013, 2076, 2107)}
# The files in which only one of the two finds something, and why.
PATCH = "a patch for kustomize: a part of an object"
GROUP = "a group or version without a schema: kubeconform passes over it"
EXCEPT = {
    "golden/certificate/clusters/recipients/osm-gen.yaml": "a member of the other sealing format",
    "golden/certificate/clusters/sops/osm-gen.yaml": "a member of the other sealing format",
    "golden/cluster-dns/clusters/prod/osm-gen.yaml": "an IP address",
    "golden/default-profiles/clusters/prod/osm-gen.yaml": "profiles by operating system, in one string",
    "golden/delivery-secret-text/osm-gen.yaml": "a choice that depends on another member",
    "golden/extension-commands/extensions/a.yaml": "the YAML that cloud-init reads",
    "golden/extension-containerd-keys/extensions/a.yaml": "TOML",
    "golden/gardener-system/osc.yaml": "providerConfig, whose members an operating system's document names",
    "golden/kind-of-a-misspelt-group/osp-other.yaml": GROUP,
    "golden/kubeone-old-group/clusters/prod/kubeone.yaml": GROUP,
    "golden/kustomize-changes/clusters/prod/overlay/first.yaml": PATCH,
    "golden/kustomize-changes/clusters/prod/parts/second.yaml": PATCH,
    "golden/kustomize-patch/clusters/prod/replicas.yaml": PATCH,
    "golden/kustomize-patch-ignored/clusters/prod/patch.yaml": PATCH,
    "golden/kustomize-remote-base/clusters/prod/pool.yaml": PATCH,
    "golden/kustomize-rendered/clusters/prod/source/patch.yaml": PATCH,
    "golden/kustomize-rendered/clusters/prod/source/workers.yaml": "what kustomize makes an object of",
    "golden/manifests/old.yaml": GROUP,
    "golden/round-lengths/clusters/c/osm-gen.yaml": "a member of the other sealing format",
    "golden/round-lengths/clusters/b/osm-gen.yaml": "bounds",
    "golden/round-lengths/osm-gen.yaml": "bounds",
}

golden.PROGRAM = program
conformance = root.parent / "shared/conformance"


def repositories():
    """Each repository of the tests: its name, and what puts it together in a folder."""
    base = scratch / "base"
    golden.copy(golden.HERE / "base", base)
    golden.git(base, "init", "-q", "--template=")
    golden.git(base, "add", "-A")

    def case(source):
        def make(folder):
            golden.copy(base, folder)
            golden.prepare(source, folder)
        return make

    def copy(*sources):
        def make(folder):
            folder.mkdir()
            for source, below in sources:
                (golden.copy if source.is_dir() else shutil.copy)(source, folder / below)
            golden.git(folder, "init", "-q", "--template=")
        return make

    for expected in sorted(golden.HERE.glob("*/expected")):
        yield f"golden/{expected.parent.name}", case(expected.parent)
    yield "example", copy((root / "docs/example", ""))
    yield "fleet", copy((root / "osm-gen.yaml", "osm-gen.yaml"), (root / "tests/fleet", "tests/fleet"), (root / "profiles", "profiles"))
    for shape in sorted((root / "tests/shapes").glob("*/repo")):
        yield f"shapes/{shape.parent.name}", copy((shape, ""))
    # What the program was compared with is not part of the sources.
    for folder in sorted({path.parent for path in conformance.rglob("osm-gen.yaml") if not any(
            (parent / "osm-gen.yaml").exists() for parent in path.parent.parents)}):
        yield f"conformance/{folder.relative_to(conformance)}", copy((folder, ""))


def prepare(name, make):
    folder = scratch / "repos" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    make(folder)
    run = subprocess.run([program, "validate", "--worktree", "-v", "-o", "json", "--repo", str(folder)], capture_output=True, text=True,
                         env=golden.BASE_ENV, check=False)
    return json.loads(run.stdout)


def files_of(folder):
    """The YAML files of a repository that people wrote: in what osm-gen writes, some objects have a status alone."""
    return [path for path in sorted(folder.rglob("*.y*ml")) if path.is_file() and not path.is_symlink() and
            path.relative_to(folder).parts[0] not in (".git", "out")]


def run_kubeconform(schemas, files):
    # Given folders, kubeconform passes over what follows a file that it cannot open.
    run = subprocess.run([kubeconform, "-schema-location", f"{schemas}/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json",
                          "-ignore-missing-schemas", "-output", "json", "-verbose", *map(str, files)],
                         capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["resources"]


def alarms(resources):
    """What kubeconform finds in each file."""
    found = collections.defaultdict(list)
    for resource in resources:
        if resource["status"] == "statusInvalid":
            found[resource["filename"]].append(f"{resource['kind']}: {resource['msg']}")
    return found


# ---- the schemas, and those where Gardener's contract is 2021 -----------------------------------------------------------------
schemas, schemas_2021 = scratch / "schemas", scratch / "schemas-2021"
subprocess.run([program, "schema", "--into", str(schemas)], check=True)
shutil.copytree(schemas, schemas_2021)
osc = schemas_2021 / "extensions.gardener.cloud/operatingsystemconfig_v1alpha1"
pathlib.Path(f"{osc}-2021.json").replace(f"{osc}.json")
has_schema = {(d["apiVersion"], d["name"].split("/")[0]) for d in json.loads(subprocess.check_output([program, "schema", "-o", "json"]))["schemas"]}

# ---- what both find ----------------------------------------------------------------------------------------------------
todo = dict(repositories())
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    reports = dict(zip(todo, pool.map(lambda item: prepare(*item), todo.items())))
files = {name: files_of(scratch / "repos" / name) for name in todo}
of_2021 = {name for name, paths in files.items()
           if any("gardenerContract" in path.read_text() and "2021" in path.read_text() for path in paths if path.name == "osm-gen.yaml")}
resources = [resource for folder, is_2021 in ((schemas, False), (schemas_2021, True))
             for resource in run_kubeconform(folder, [path for name in todo if (name in of_2021) == is_2021 for path in files[name]])]
found = alarms(resources)

# kubeconform passes over documents whose schema it cannot compile, as over those that have none.
validated = collections.Counter(resource["kind"] for resource in resources if resource["status"] in ("statusValid", "statusInvalid"))
skipped = [r["filename"] for r in resources if r["status"] == "statusSkipped" and (r["version"], r["kind"]) in has_schema]
check("no document with a schema is passed over", not skipped, f"{len(skipped)}: {skipped[:5]}")
for kind in sorted({kind for version, kind in has_schema if version}):
    check(f"{kind}: there are some", validated[kind] > 5, validated)

# ---- file by file --------------------------------------------------------------------------------------------------------
taken = refused = 0
left = set(EXCEPT)
for name, report in reports.items():
    messages = collections.defaultdict(list)
    for diag in report["diagnostics"]:
        if diag["severity"] in ("error", "warning"):
            messages[diag.get("path")].append(diag)
    for path in files[name]:
        inner = str(path.relative_to(scratch / "repos" / name))
        full, alarm = f"{name}/{inner}", found[str(path)]
        of_shape = [f"{diag['code']}: {diag['message']}" for diag in messages[inner] if diag["code"] in SHAPE]
        is_except = full in EXCEPT
        left.discard(full)
        if of_shape:
            refused += bool(alarm)
            check(f"{full}: an alarm{' now' * is_except}", bool(alarm) != is_except, of_shape[:3])
        elif not messages[inner]:
            taken += not alarm
            check(f"{full}: no false alarm{' any more' * is_except}", bool(alarm) == is_except, alarm[:3])
# ---- wrong variants: kubeconform's library agrees with Python's, which tests/cli compares with osm-gen --------------------------
VALUES = (None, 7, "no such word", {"zzzzzz": 1})


def places(node, path=()):
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield path + (key,)
        yield from places(node[key], path + (key,))


def variants(document):
    """Copies of a document with one change each: another value, or a misspelt member."""
    for path in places(document):
        # kubeconform itself reads the first of these, and knows the form of a time, which Python's library does not.
        if path[0] in ("apiVersion", "kind", "metadata") or path[-1] == "creationTimestamp":
            continue
        for value in (*VALUES, "misspelt"):
            changed = at = json.loads(json.dumps(document))
            for key in path[:-1]:
                at = at[key]
            if value != "misspelt":
                at[path[-1]] = value
            elif isinstance(path[-1], str):
                at[f"{path[-1]}X"] = at.pop(path[-1])
            yield f"{path}: {value!r}", changed


def members_of(document):
    return {place[-1] for place in places(document)}


fullest = {}
for resource in resources:
    kind = resource["kind"]
    if resource["status"] == "statusValid" and (resource["version"], kind) in has_schema:
        documents = [d for d in yaml.load_all(pathlib.Path(resource["filename"]).read_text(), yaml.CSafeLoader) if d]
        if len(documents) == 1 and len(members_of(documents[0])) > len(members_of(fullest.get(kind, {}))):
            fullest[kind] = json.loads(json.dumps(documents[0], default=str))
changed, verdicts = {}, {}
(scratch / "variants").mkdir()
for kind, document in fullest.items():
    group, version = document["apiVersion"].split("/")
    schema = jsonschema.Draft7Validator(json.loads((schemas / group / f"{kind.lower()}_{version}.json").read_text()))
    for number, (name, variant) in enumerate(variants(document)):
        path = scratch / f"variants/{kind}-{number}.json"
        path.write_text(json.dumps(variant))
        changed[str(path)] = (kind, name, [f"{list(e.absolute_path)}: {e.message[:90]}" for e in schema.iter_errors(variant)])
for resource in run_kubeconform(schemas, changed):
    verdicts[resource["filename"]] = resource
wrong = collections.Counter()
for path, (kind, name, errors) in changed.items():
    check(f"{kind}: {name}", verdicts[path]["status"] == ("statusInvalid" if errors else "statusValid"), (errors[:2], verdicts[path]))
    wrong[kind] += bool(errors)
for kind in sorted({kind for version, kind in has_schema if version}):
    check(f"{kind}: there are wrong variants", wrong[kind] >= 10, wrong)
check("each exception is there", not left, sorted(left))
check("there were enough of both", taken > 1000 and refused > 25, (taken, refused))
finish()
