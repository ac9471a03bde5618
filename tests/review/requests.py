#!/usr/bin/env python3
"""Pull requests, and what each form of a report must show of them.

requests.py split FLEET             each MachineDeployment gets a file of its own, except in the last cluster
requests.py gardener FLEET          Gardener's clusters take the place of the fleet's
requests.py run FLEET PROGRAM SET [DOCUMENT]
                                    makes each pull request of the set (machines or gardener) from the committed fleet, and reads
                                    all forms of its plan and the message of the commit that a run makes; DOCUMENT has a table of
                                    which form shows what

A fact is a string. The facts of a pull request must occur in this order, in the first 25 lines and the first 2,000
characters of what a form shows.
"""
import base64
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as tree

import gardener

LINES, CHARACTERS = 25, 2000
FORMS = ("markdown", "html", "github", "gitlab", "junit", "sarif", "json")
BLOB = base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + b"a helper key of nobody, 32 bytes").decode()
KEY = f"ssh-ed25519 {BLOB} helper@example.com"
OTHER = "age124de6n9rnjkee985aseersevwgnlfw8jfekq5ucn00xxk58vly9sje2d5l"


def split(fleet):
    for path in sorted(fleet.glob("clusters/*/machinedeployments.yaml")):
        text = re.sub(r"kubelet: [0-9.]+", "kubelet: 1.34.1", path.read_text())
        text = re.sub(r'    machinedeployment.clusters.k8s.io/revision: "\d+"\n', "", text)
        if path.parent.name == "c011":
            path.write_text(text)
            continue
        for document in text.split("---\n"):
            name = re.search(r"name: (\S+)", document).group(1)
            (path.parent / f"{name}.yaml").write_text(document)
        path.unlink()


# ---- the pull requests ---------------------------------------------------------------------------------------------


def edit(fleet, pattern, before, after):
    paths = sorted(fleet.glob(pattern))
    assert paths, pattern
    for path in paths:
        text = path.read_text()
        assert re.search(before, text), f"{path}: {before}"
        path.write_text(re.sub(before, after, text))


def bump(fleet, pattern="clusters/*/*.yaml"):
    for path in sorted(fleet.glob(pattern)):
        path.write_text(path.read_text().replace("kubelet: 1.34.1", "kubelet: 1.34.2"))


BUMP = "kubelet 1.34.1 -> 1.34.2 in"


def uniform(fleet):
    """the kubelet of a whole fleet"""
    bump(fleet)
    return [f"ROLL: {BUMP} 120 MachineDeployments of 12 clusters such as c000 (profile osp-ubuntu, 360 machines)"]


def one_cluster(fleet):
    """the kubelet of one cluster"""
    bump(fleet, "clusters/c003/*.yaml")
    return [f"ROLL: {BUMP} 10 MachineDeployments of c003 (profile osp-ubuntu, 30 machines)"]


def mixed(fleet):
    """a removed MachineDeployment among version bumps"""
    bump(fleet, "clusters/c00[1-5]/*.yaml")
    edit(fleet, "clusters/c006/workers-00060.yaml", "kubelet: 1.34.1", "kubelet: 1.35.0")
    (fleet / "clusters/c007/workers-00070.yaml").unlink()
    return ["REMOVE: c007/kube-system/workers-00070, 1 machine: clusters/c007/workers-00070.yaml was deleted",
            f"ROLL: {BUMP} 50 MachineDeployments of c001, c002, c003, c004, c005",
            "ROLL: kubelet 1.34.1 -> 1.35.0", "in c006/kube-system/workers-00060"]


def hidden_removal(fleet):
    """a removed one among 119 that change"""
    bump(fleet)
    (fleet / "clusters/c003/workers-00037.yaml").unlink()
    return ["REMOVE: c003/kube-system/workers-00037, 3 machines: clusters/c003/workers-00037.yaml was deleted",
            f"ROLL: {BUMP} 119 MachineDeployments of 12 clusters"]


def hidden_addition(fleet):
    """an added one among 120 that change"""
    text = (fleet / "clusters/c004/workers-00041.yaml").read_text().replace("workers-00041", "miner")
    bump(fleet)
    (fleet / "clusters/c004/other.yaml").write_text(text)
    return ["ADD: c004/kube-system/miner, 2 machines: osp-ubuntu v1.4.0, ", "from clusters/c004/other.yaml",
            f"ROLL: {BUMP} 120 MachineDeployments of 12 clusters"]


def other_version(fleet):
    """another `apiVersion`: it is not read any more"""
    bump(fleet, "clusters/c00[0-4]/*.yaml")
    edit(fleet, "clusters/c007/workers-00071.yaml", "cluster.k8s.io/v1alpha1", "cluster.x-k8s.io/v1beta1")
    return ["REMOVE: c007/kube-system/workers-00071, 2 machines: clusters/c007/workers-00071.yaml:1:13: its apiVersion "
            'is "cluster.x-k8s.io/v1beta1" now, not cluster.k8s.io/v1alpha1', f"ROLL: {BUMP} 50 MachineDeployments"]


def other_kind(fleet):
    """another `kind`"""
    edit(fleet, "clusters/c007/workers-00072.yaml", "cluster.k8s.io/v1alpha1\nkind: MachineDeployment", "apps/v1\nkind: Deployment")
    return ["REMOVE: c007/kube-system/workers-00072, 3 machines: clusters/c007/workers-00072.yaml:2:7: its kind is "
            '"Deployment" now, not MachineDeployment']


def being_deleted(fleet):
    """a `deletionTimestamp`"""
    edit(fleet, "clusters/c008/workers-00080.yaml", "metadata:\n  name", 'metadata:\n  deletionTimestamp: "2026-01-01T00:00:00Z"\n  name')
    return ["REMOVE: c008/kube-system/workers-00080, 1 machine: clusters/c008/workers-00080.yaml:4:22: it has a "
            "metadata.deletionTimestamp"]


def ignored(fleet):
    """excluded by `.osm-gen-ignore`"""
    (fleet / ".osm-gen-ignore").write_text("clusters/c008/workers-0008[0-1].yaml\n")
    return ["REMOVE: c008/kube-system/workers-00080, 1 machine: .osm-gen-ignore excludes clusters/c008/workers-00080.yaml",
            "c008/kube-system/workers-00081, 2 machines: .osm-gen-ignore excludes clusters/c008/workers-00081.yaml"]


def part_of_file(fleet):
    """removed from a file with others"""
    path = fleet / "clusters/c011/machinedeployments.yaml"
    documents = path.read_text().split("---\n")
    path.write_text("---\n".join(documents[:3] + documents[4:]))
    bump(fleet, "clusters/c011/*.yaml")
    return ["REMOVE: c011/kube-system/workers-00113, 4 machines: clusters/c011/machinedeployments.yaml no longer has it",
            f"ROLL: {BUMP} 9 MachineDeployments of c011"]


def renamed(fleet):
    """renamed"""
    edit(fleet, "clusters/c002/workers-00020.yaml", "workers-00020", "ingress")
    return ["REMOVE: c002/kube-system/workers-00020, 1 machine: clusters/c002/workers-00020.yaml no longer has it; "
            "kube-system/ingress is new in that file", "ADD: c002/kube-system/ingress, 1 machine"]


def moved(fleet):
    """moved to another cluster"""
    (fleet / "clusters/c001/workers-00010.yaml").rename(fleet / "clusters/c002/workers-00010.yaml")
    return ["REMOVE: c001/kube-system/workers-00010, 1 machine: clusters/c001/workers-00010.yaml was deleted; cluster "
            "c002 has it now", "ADD: c002/kube-system/workers-00010, 1 machine"]


def cluster_renamed(fleet):
    """a renamed cluster"""
    edit(fleet, "clusters/c009/osm-gen.yaml", "name: c009", "name: d009")
    return ["10 MachineDeployments (30 machines) are removed, 10 MachineDeployments (30 machines) are new",
            "REMOVE: c009/kube-system/workers-00090, 1 machine: cluster d009 has it now"]


def many_removed(fleet):
    """100 removed"""
    for path in list(fleet.glob("clusters/c00[0-9]/workers-*.yaml")):
        path.unlink()
    return ["100 MachineDeployments (300 machines) are removed",
            "REMOVE: c000/kube-system/workers-00000, 1 machine: clusters/c000/workers-00000.yaml was deleted"]


def recipients(fleet):
    """another recipient"""
    edit(fleet, "osm-gen.yaml", r"recipients: \[", f"recipients: [{OTHER}, ")
    return ["Recipients changed: 12 clusters are sealed to others than before",
            "METADATA: recipients changed in 120 MachineDeployments of 12 clusters"]


def mirror(fleet):
    """a mirror of a registry"""
    edit(fleet, "osm-gen.yaml", r"externalCloudProvider: true",
         'externalCloudProvider: true, nodeContainerdRegistryMirrors: "docker.io=https://mirror.example.net"')
    return ["A new host that nodes download from: mirror.example.net",
            "mirrors of docker.io", "in 120 MachineDeployments of 12 clusters such as c000"]


def proxy(fleet):
    """a proxy"""
    edit(fleet, "clusters/c005/osm-gen.yaml", "metadata: {name: c005}",
         "metadata: {name: c005}\nspec: {settings: {nodeHTTPProxy: \"http://proxy.example.net:3128\"}}")
    return ["A new host that nodes download from: proxy.example.net:3128",
            "http://proxy.example.net:3128", "in 10 MachineDeployments of c005"]


def ssh_key(fleet):
    """an added SSH key"""
    bump(fleet, "clusters/c00[0-4]/*.yaml")
    edit(fleet, "clusters/c006/workers-00061.yaml", "          - ssh-ed25519", f"          - {KEY}\n          - ssh-ed25519")
    return [f"An SSH key added: ssh-ed25519 ...{BLOB[-12:]} helper@example.com",
            "SSH key ssh-ed25519", "helper@example.com added in c006/kube-system/workers-00061"]


def profile(fleet):
    """another version of a profile, and a new host"""
    edit(fleet, "profiles/ubuntu.yaml", r"(?m)^  version: \S+", "  version: v9.9.9")
    edit(fleet, "profiles/ubuntu.yaml", "https://dl.k8s.io", "https://mirror.example.net")
    return ["A new host that nodes download from: mirror.example.net",
            "NEW-NODES-ONLY: profile version v1.4.0 -> v9.9.9 in 120 MachineDeployments of 12 clusters"]


def machine_type(fleet):
    """a member of `operatingSystemSpec`"""
    edit(fleet, "clusters/c010/workers-00102.yaml", "distUpgradeOnBoot: true", "distUpgradeOnBoot: false")
    return ["ROLL: ", "in c010/kube-system/workers-00102 (profile osp-ubuntu, 3 machines)"]


def members(fleet):
    """a label and a taint of `spec.template`"""
    edit(fleet, "clusters/c006/workers-00061.yaml", r"labels: \{workerset: workers-00061\}", "labels: {workerset: workers-00061, tier: gold}")
    edit(fleet, "clusters/c007/workers-00071.yaml", "versions: ", "taints: [{key: dedicated, value: night, effect: NoExecute}]\n      versions: ")
    return [("ROLL: machine label tier set to gold in c006/kube-system/workers-00061",
             "ROLL: spec.template changed in 2 MachineDeployments of c006, c007"),
            ("ROLL: taint dedicated=night:NoExecute added in c007/kube-system/workers-00071", "")]


def rotation(fleet):
    """a setting: `tokenRotation`"""
    edit(fleet, "clusters/c005/osm-gen.yaml", "metadata: {name: c005}", "metadata: {name: c005}\nspec: {settings: {tokenRotation: weekly}}")
    return [("METADATA: sealed values changed, tokenRotation set to weekly in 10 MachineDeployments of c005",
             "METADATA: sealed values changed in 10 MachineDeployments of c005")]


def downgrade(fleet):
    """a downgrade of the kubelet"""
    for path in fleet.glob("clusters/*/*.yaml"):
        path.write_text(path.read_text().replace("kubelet: 1.34.1", "kubelet: 1.33.9"))
    return ["A downgrade", "ROLL: kubelet 1.34.1 -> 1.33.9"]


def older_containerd(fleet):
    """an older containerd"""
    edit(fleet, "profiles/ubuntu.yaml", r"(?m)^  version: \S+", "  version: v9.9.9")
    edit(fleet, "profiles/ubuntu.yaml", r"containerd\.io=2\.2\*", "containerd.io=1.7*")
    return [("A downgrade: containerd 2.2* -> 1.7*", r"A downgrade: containerd 2.2\x2a -> 1.7\x2a"),
            ("containerd 2.2* -> 1.7*", r"containerd 2.2\x2a -> 1.7\x2a")]


def into_a_shell(fleet):
    """a command whose output a shell runs"""
    edit(fleet, "profiles/ubuntu.yaml", r"(?m)^  version: \S+", "  version: v9.9.9")
    edit(fleet, "profiles/ubuntu.yaml", r"( +)systemctl enable containerd\.service\n",
         r"\1systemctl enable containerd.service\n\1echo aGVsbG8= | base64 -d | bash\n")
    return ["A shell runs what another command prints: /opt/bin/setup: echo aGVsbG8=",
            "NEW-NODES-ONLY: profile version v1.4.0 -> v9.9.9"]


REQUESTS = (uniform, one_cluster, mixed, hidden_removal, hidden_addition, other_version, other_kind, being_deleted,
            ignored, part_of_file, renamed, moved, cluster_renamed, many_removed, recipients, mirror, proxy, ssh_key,
            profile, machine_type, members, rotation, downgrade, older_containerd, into_a_shell)

SETS = {"machines": REQUESTS, "gardener": gardener.REQUESTS}
# The guards that CI would pass where the change is wanted; only a run that commits needs them.
OPTIONS = {recipients: ("--rotate-recipients",), other_version: ("--allow-removal",), other_kind: ("--allow-removal",)}
GUARDS = ("--allow-removal",)

# ---- the forms -----------------------------------------------------------------------------------------------------


def unit_line(unit):
    count = unit["replicas"]
    machines = "number of machines unknown" if count is None else f"{count:,} machine{'' if count == 1 else 's'}"
    return f"{unit['cluster']}/{unit['namespace']}/{unit['name']}, {machines}"


def read_json(text):
    """The members of the document, in the document's order, as lines."""
    lines = []
    for key, value in json.loads(text).items():
        if key in ("removed", "added"):
            lines += [f"{'REMOVE' if key == 'removed' else 'ADD'}: {unit_line(unit)}: {unit.get('reason', '')}"
                      f"{unit.get('source', '')}" for unit in value]
        elif key == "classes":
            lines += [f"{name} {count['units']} ({count['replicas']})" for name, count in value.items() if count["units"]]
        elif key == "notes":
            lines += [f"{note['title']}: {note['text']} "
                      + (f"{note['units'][0]['cluster']}/{note['units'][0]['namespace']}/{note['units'][0]['name']}"
                         if len(note["units"]) == 1 else "") for note in value]
        elif key == "groups":
            lines += [f"{group['class']}: {group['heading']}" for group in value]
    return "\n".join(lines)


def visible(text):
    text = re.sub(r"<(style|script|noscript|head)\b.*?</\1>", "", text, flags=re.S)
    text = re.sub(r"<details>.*?</details>", "", text, flags=re.S)
    text = re.sub(r"</(p|h1|h2|h3|tr|li|section|div|svg)>", "\n", text)
    text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def shown(form, text):
    """What a person reads of a form, in order."""
    if form == "markdown":
        return re.sub(r"<!--.*?-->\n", "", text).replace("`", "").replace("**", "")
    if form == "html":
        return visible(text)
    if form == "github":
        return "\n".join(urllib.parse.unquote(re.sub(r"^::\w+ (?:file=[^,]*,line=\d+,col=\d+,)?title=", "", line)).replace("::", "\n", 1)
                         for line in text.splitlines())
    if form == "gitlab":
        return "\n".join(item["description"] for item in json.loads(text))
    if form == "sarif":
        return "\n".join(result["message"]["text"] for result in json.loads(text)["runs"][0]["results"])
    if form == "junit":
        return "\n".join(case.get("name") + "\n" + "".join(case.itertext())
                         for case in tree.fromstring(text)[0].iter("testcase"))
    if form == "json":
        return read_json(text)
    return text


# Forms with a list of units under one title: "REMOVE: 1 MachineDeployment, 3 machines", then the names.
TITLED = ("terminal", "markdown", "html", "junit")
# Forms with an annotation for each fact, in the order of the list of facts: added units come after those that roll.
ANNOTATED = ("github", "gitlab", "sarif")


def commit_facts(fact):
    """A removed unit's machines are not in the message, which is the same in a clone without the history."""
    if not fact.startswith("ADD: "):
        fact = re.sub(r"^((?:REMOVE: )?\S+), (?:number of machines unknown|\d+ machines?): ", r"\1: ", fact)
    if re.match(r"\d+ \w+ .*removed", fact):
        return  # the subject has the number of units
    yield re.sub(r"^(REMOVE|ADD): ", lambda found: "- " if found[1] == "REMOVE" else "+ ", escaped(fact))


def escaped(fact):
    """As the message has it: nobody is mentioned, nothing is linked."""
    return fact.replace("://", "\\x3a//").replace("@", "\\x40")


def facts_of(form, facts):
    """The facts as a form has them: without the sentence or the class where it has another place for these."""
    if form in ANNOTATED:
        facts = sorted(facts, key=lambda fact: isinstance(fact, str) and fact.startswith(("ADD: ", "from ")))
    for fact in facts:
        if isinstance(fact, tuple):  # the second one is that of a message, which is the same without the history
            fact = fact[form == "commit"]
        if form == "commit":
            yield from commit_facts(fact)
        elif form in ("json", "sarif", "gitlab", "github") and re.match(r"\d+ MachineDeployments .*removed", fact):
            continue
        elif form in ANNOTATED and fact.startswith(("REMOVE: ", "ADD: ")):
            yield "removed" if fact.startswith("REMOVE: ") else "ADD"
            yield fact.split(": ", 1)[1]
        elif form in TITLED and fact.startswith(("REMOVE: ", "ADD: ")):
            yield fact.split(": ")[0]
            yield fact.split(": ", 1)[1]
        elif form == "html":
            yield fact.replace("ROLL: ", "ROLL ").replace("METADATA: ", "METADATA ").replace("NEW-NODES-ONLY: ", "NEW-NODES-ONLY ")
        elif form in ("json",) and fact.startswith("from "):
            yield fact.replace("from ", "")
        elif form in ("json",) and fact.startswith("ADD: "):
            yield ": ".join(fact.split(": ")[:2])
        else:
            yield fact


def normal(text):
    """Compares words only: HTML and GitHub put a title and its text apart."""
    return " ".join(text.replace(":", " ").replace(" ,", ",").split())


def missing(form, text, facts, fold=True):
    """The first fact that a form lacks: above the fold and in order, or else anywhere."""
    seen = "\n".join(shown(form, text).split("\n")[:LINES])[:CHARACTERS] if fold else shown(form, text)
    words = normal(seen)
    at = 0
    for fact in facts_of(form, facts):
        found = words.find(normal(fact), at if fold else 0)
        if found < 0:
            return fact
        at = found
    return None


# ---- running -------------------------------------------------------------------------------------------------------


def mark(form, text, facts, lost):
    if lost is None:
        return "●"
    return "◐" if missing(form, text, facts, fold=False) is None else "○"


def table(marks, forms):
    """Which form has the facts of which pull request where, as the documents have it."""
    yield "| | " + " | ".join(forms) + " |"
    yield "|---|" + ":-:|" * len(forms)
    for request, row in marks.items():
        yield f"| {request.__doc__} | " + " | ".join(row) + " |"


def git(fleet, *words):
    return subprocess.run(["git", "-C", str(fleet), *words], check=True, capture_output=True, text=True).stdout


def run(fleet, program, requests, document):
    passed = failed = 0
    folder = pathlib.Path(tempfile.mkdtemp(dir=fleet.parent))

    def ok(name, good, text=""):
        nonlocal passed, failed
        passed += good
        failed += not good
        if not good:
            print(f"not ok: {name}\n    " + text.replace("\n", "\n    "))

    start = git(fleet, "rev-parse", "HEAD").strip()
    marks = {}
    for request in requests:
        facts = request(fleet)
        git(fleet, "add", "-A")
        git(fleet, "commit", "-q", "-m", request.__name__)
        reports = [word for form in FORMS for word in ("--report", f"{form}={folder}/{form}")]
        plan = subprocess.run([program, "plan", "-q", *OPTIONS.get(request, ()), *reports], cwd=fleet, capture_output=True, text=True)
        texts = {"terminal": plan.stdout} | {form: (folder / form).read_text() for form in FORMS}
        ok(f"{request.__name__}: plan", plan.returncode == 0, plan.stderr)
        made = subprocess.run([program, "generate", "-q", *GUARDS, *OPTIONS.get(request, ())], cwd=fleet, capture_output=True,
                              text=True)
        ok(f"{request.__name__}: generate", made.returncode == 0, made.stderr)
        texts["commit"] = git(fleet, "log", "-1", "--format=%B")
        for form, text in texts.items():
            lost = missing(form, text, facts)
            marks.setdefault(request, []).append(mark(form, text, facts, lost))
            ok(f"{request.__name__}, {form}: above the fold, in order", lost is None,
               f"lacks: {lost}\n" + "\n".join(shown(form, text).split("\n")[:LINES])[:CHARACTERS])
            if request is many_removed:
                names = [f"c{number // 10:03}/kube-system/workers-{number:05}" for number in range(100)]
                ok(f"{request.__name__}, {form}: every name", all(name in shown(form, text) for name in names))
        git(fleet, "reset", "-q", "--hard", start)
        git(fleet, "clean", "-q", "-f", "-d")
    if document:
        wanted = "\n".join(table(marks, list(texts)))
        ok(f"the table of {document.name}", wanted in document.read_text(), wanted)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    if sys.argv[1] == "split":
        split(pathlib.Path(sys.argv[2]))
    elif sys.argv[1] == "gardener":
        gardener.write(pathlib.Path(sys.argv[2]))
    else:
        document = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else None
        sys.exit(run(pathlib.Path(sys.argv[2]), os.path.abspath(sys.argv[3]), SETS[sys.argv[4]], document))
