"""Random manifests for roll.sh: roll.py make DIR SEED COUNT writes them, roll.py check BEFORE AFTER COUNTER compares the
trees: each MachineDeployment has the annotation, and nothing else changed, in value or in bytes."""
import copy
import difflib
import json
import pathlib
import random
import sys

import yaml

ANNOTATION = "osm-gen.dev/roll"


class Writer:
    """One MachineDeployment in a style that the generator draws."""

    def __init__(self, draw, name):
        self.draw, self.name = draw, name
        self.step = draw.choice([1, 2, 2, 2, 3, 4, 8])
        self.quote = draw.choice(['"{}"', "'{}'", "{}"])

    def comment(self, indent):
        return f"{' ' * indent}# {self.draw.choice(['pool', 'a: b', '- item', '{', 'osm-gen.dev/roll: x'])}\n" if self.draw.random() < .25 else ""

    def blank(self):
        return "\n" if self.draw.random() < .1 else ""

    def tail(self):
        return "   # why" if self.draw.random() < .15 else ""

    def annotations(self, indent):
        """The lines of the template's annotations, or of none."""
        pad, deeper = " " * indent, " " * (indent + self.step)
        others = [f"{key}: {self.quote.format(value)}" for key, value in
                  self.draw.sample([("a.example/x", "one"), ("example.com/b", "text"), ('"quoted key"', "z")], self.draw.randint(1, 3))]
        form = self.draw.randrange(8)
        if form < 2:
            return ""
        if form == 2:
            return f"{pad}annotations:{self.draw.choice(['', ' ', ' ~', ' null', ' {}', ' { }'])}{self.tail()}\n"
        if form == 3:
            return f"{pad}annotations: {{{', '.join(others)}}}{self.tail()}\n"
        if form == 4:
            return f"{pad}annotations: {{\n{deeper}{(',' + chr(10) + deeper).join(others)}\n{pad}}}\n"
        if form == 5:
            others.insert(self.draw.randint(0, len(others)), f"{ANNOTATION}: {self.draw.choice(['^4^', '`4`']).replace('^', chr(34)).replace('`', chr(39))}")
        lines = "".join(f"{self.comment(indent + self.step)}{self.blank()}{deeper}{line}\n" for line in others)
        return f"{pad}annotations:{self.tail()}\n{lines}"

    def metadata(self, indent):
        pad = " " * indent
        form = self.draw.randrange(8)
        if form == 0:
            return ""
        if form == 1:
            return f"{pad}metadata:{self.draw.choice(['', ' {}', ' null'])}{self.tail()}\n"
        if form == 2:
            return f"{pad}metadata: {{labels: {{pool: a}}}}{self.tail()}\n"
        deeper = " " * (indent + self.step)
        labels = f"{deeper}labels: {{pool: a}}\n" if self.draw.random() < .5 else f"{deeper}labels:\n{deeper}{' ' * self.step}pool: a\n"
        parts = [self.annotations(indent + self.step), self.comment(indent + self.step) + labels]
        self.draw.shuffle(parts)
        return f"{pad}metadata:{self.tail()}\n{''.join(parts)}"

    def spec(self, indent):
        pad, s = " " * indent, " " * self.step
        script = f"{pad}{s}    note: |\n{pad}{s}      metadata:\n{pad}{s}        annotations: {{}}\n" if self.draw.random() < .3 else ""
        return (f"{pad}spec:\n{pad}{s}versions: {{kubelet: 1.35.2}}\n{pad}{s}providerSpec:\n{pad}{s}  value:\n{pad}{s}    cloudProvider: hetzner\n"
                f"{pad}{s}    cloudProviderSpec: {{serverType: cx42}}\n{pad}{s}    operatingSystem: ubuntu\n"
                f"{pad}{s}    operatingSystemSpec: {{distUpgradeOnBoot: false}}\n{script}")

    def text(self, first=0):
        """Block style, `first` blanks before every line but the first."""
        s = " " * self.step
        template = [self.metadata(2 * self.step), self.comment(2 * self.step) + self.spec(2 * self.step)]
        self.draw.shuffle(template)
        lines = (f"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata:\n{s}name: {self.name}\n{s}namespace: kube-system\n"
                 f"{s}annotations: {{k8c.io/operating-system-profile: osp-small}}\nspec:\n{s}replicas: 2\n"
                 f"{s}selector: {{matchLabels: {{pool: a}}}}\n{s}template:\n{''.join(template)}")
        return "\n".join(line if i == 0 or not line else " " * first + line for i, line in enumerate(lines.split("\n"))).rstrip(" ")

    def as_json(self):
        value = yaml.load(self.text(), yaml.CSafeLoader)
        return json.dumps(value, indent=self.draw.choice([None, 1, 2, 4]), separators=self.draw.choice([None, (",", ":")]))


def file_of(draw, number):
    names = [f"pool-{number}-{i}" for i in range(draw.choice([1, 1, 1, 2, 3]))]
    form = draw.randrange(10)
    if form == 0:
        return ".json", Writer(draw, names[0]).as_json() + draw.choice(["", "\n"])
    if form == 1:
        items = ", ".join(Writer(draw, name).as_json() for name in names)
        return ".json", f'{{"apiVersion": "v1", "kind": "List", "items": [{items}]}}\n'
    if form == 2:
        items = "".join(f"- {Writer(draw, name).text(2)}" for name in names)
        return ".yaml", f"apiVersion: v1\nkind: List\nitems:\n{items}"
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + f"other-{number}" + "}\ndata: {osm-gen.dev/roll: \"1\"}\n"
    documents = [Writer(draw, name).text() for name in names] + ([other] if draw.random() < .3 else [])
    draw.shuffle(documents)
    text = draw.choice(["", "---\n", "# top\n---\n"]) + draw.choice(["---\n", "--- # next\n"]).join(documents)
    if draw.random() < .2:
        text = text.replace("\n", "\r\n")
    if draw.random() < .15:
        text = text.rstrip("\r\n")
    return ".yaml", text


def make(folder, seed, count):
    for number in range(count):
        ending, text = file_of(random.Random(f"{seed}-{number}"), number)
        (pathlib.Path(folder) / f"file-{number:03}{ending}").write_bytes(text.encode())


def deployments(document):
    for item in document.get("items", [document]) if isinstance(document, dict) else []:
        if item.get("kind") == "MachineDeployment":
            yield item


def expect(documents, counter):
    documents = copy.deepcopy(documents)
    for document in documents:
        for md in deployments(document):
            template = md["spec"]["template"]
            template["metadata"] = template.get("metadata") or {}
            template["metadata"]["annotations"] = template["metadata"].get("annotations") or {}
            before = template["metadata"]["annotations"].get(ANNOTATION, "0")
            template["metadata"]["annotations"][ANNOTATION] = str(int(before) + counter)
    return documents


def only_added(before, after):
    """Nothing of the text before is gone but a counter, a null and the line end of a last line."""
    if before == after:
        return None
    old, new = before.split("\n"), after.split("\n")
    for tag, i, j, k, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("replace", "delete") and (detail := only_added_here("\n".join(old[i:j]), "\n".join(new[k:end]))):
            return detail
    return None


def only_added_here(before, after):
    for tag, i, j, k, end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in ("replace", "delete") and before[i:j].strip(" \r\n") not in ("", "4", "~", "null", "n", "u", "ll", "l", "ul", "nul"):
            return f"{before[i:j]!r} became {after[k:end]!r}"
    return None


def check(before, after, counter):
    wrong, files, units = [], 0, 0
    for path in sorted(pathlib.Path(before).iterdir()):
        old, new = path.read_bytes().decode(), (pathlib.Path(after) / path.name).read_bytes().decode()
        documents = list(yaml.load_all(old, yaml.CSafeLoader))
        files, units = files + 1, units + sum(1 for d in documents for _ in deployments(d))
        if list(yaml.load_all(new, yaml.CSafeLoader)) != expect(documents, counter):
            wrong.append(f"{path.name}: another value")
        elif counter == 1 and (detail := only_added(old, new)):
            wrong.append(f"{path.name}: {detail}")
        elif new.count("\r\n") != new.count("\n") and "\r\n" in old and old.count("\r\n") == old.count("\n"):
            wrong.append(f"{path.name}: line ends")
    print(f"{files} files, {units} MachineDeployments, {len(wrong)} wrong")
    print("\n".join(wrong[:20]))
    return 1 if wrong or files == 0 else 0


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    sys.exit(check(sys.argv[2], sys.argv[3], int(sys.argv[4])))
