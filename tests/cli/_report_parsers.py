"""Compares the structure of reports: _report_parsers.py FOLDER [SCHEMA]. 00.FORM to 02.FORM are those of harmless names (a word, a path,
a long text), the others those of hostile ones. All must follow the published rules of their form: GitLab's, and those of SARIF's schema
if there is one."""

import copy
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

BROWSER = next((found for found in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if found), None)
MARKDOWN = shutil.which("cmark-gfm")
HARMLESS = 3


def members(value, path=""):
    """The paths of the members of JSON."""
    if isinstance(value, dict):
        return {path}.union(*(members(item, f"{path}.{key}") for key, item in value.items()))
    return {path}.union(*(members(item, path + "[]") for item in value)) if isinstance(value, list) else {path}


def elements(element, path=""):
    """The paths of the elements of XML, with the names of their attributes."""
    path = f"{path}/{element.tag}"
    return {path + " " + " ".join(sorted(element.attrib))}.union(*(elements(child, path) for child in element))


class Tags(html.parser.HTMLParser):
    """The tags of HTML, each with its attributes; the values of those that load or run something."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        loads = [f"{name}={value}" for name, value in attrs if name in ("href", "src", "action", "srcset") or name.startswith("on")]
        self.found.add(" ".join([tag, *sorted(name for name, _ in attrs), *loads]))

    def handle_comment(self, data):
        self.found.add("comment" if "osm-gen" in data else "a comment of somebody else: " + data)


def commands(text):
    """The commands that a runner executes: lines that begin with :: (after blanks) or ##[ anywhere."""
    return {match.group(1) for match in re.finditer(r"^\s*(::[a-z-]+)", text, re.M)} | set(re.findall(r"##\[\w+", text))


def escapes(text):
    """Control sequences and other control characters."""
    return set(re.findall(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f]", text))


def rendered(path):
    return subprocess.run([MARKDOWN, "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist", "--unsafe", path], check=True,
                          capture_output=True, text=True).stdout


def opened(path):
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                               "--disable-component-update", "--disable-sync", f"--user-data-dir={home}", "--dump-dom", path.as_uri()],
                              check=True, capture_output=True, text=True, timeout=120).stdout


READERS = {
    "json": lambda path: members(json.loads(path.read_text())),
    "sarif": lambda path: members(json.loads(path.read_text())),
    "gitlab": lambda path: members(json.loads(path.read_text())),
    "junit": lambda path: elements(xml.etree.ElementTree.fromstring(path.read_bytes())),
    "github": lambda path: commands(path.read_text()),
    "terminal": lambda path: escapes(path.read_text()),
    **({"markdown": lambda path: Tags(rendered(path)).found} if MARKDOWN else {}),
    **({"html": lambda path: Tags(opened(path)).found} if BROWSER else {}),
}


# ---- published rules -----------------------------------------------------------------------------------------------


def is_string(value):
    return isinstance(value, str) and value.strip() != ""


# Members of a finding of Code Quality, what each must be, and a value that it must not have. The sources are GitLab's documentation,
# docs.gitlab.com/ci/testing/code_quality (Code Quality report format), and the schema that its parser applies,
# app/validators/json_schemas/codeclimate.json.
FINDING = (
    ("description", lambda value: isinstance(value, str), None),
    ("check_name", is_string, None),
    ("fingerprint", is_string, 7),
    ("severity", lambda value: value in ("info", "minor", "major", "critical", "blocker"), "warning"),
    ("location.path", lambda value: is_string(value) and not value.startswith(("/", "./")), "/etc/passwd"),
    ("location.lines.begin", lambda value: type(value) is int and value > 0, "1"),
)


def member(finding, path):
    for name in path.split("."):
        finding = finding.get(name) if isinstance(finding, dict) else None
    return finding


def wrong_findings(findings):
    """What is wrong with a report of Code Quality."""
    if not isinstance(findings, list):
        return ["no list"]
    wrong = [f"{number}: {path}" for number, finding in enumerate(findings) for path, is_right, _ in FINDING if not is_right(member(finding, path))]
    fingerprints = [str(member(finding, "fingerprint")) for finding in findings]
    return wrong + [f"{print_} twice" for print_ in sorted(set(fingerprints)) if fingerprints.count(print_) > 1]


def with_member(finding, path, value):
    finding = copy.deepcopy(finding)
    *parents, name = path.split(".")
    inner = finding
    for parent in parents:
        inner = inner[parent]
    inner[name] = value
    return finding


def check_code_quality(folder, ok):
    for path in sorted(folder.glob("*.gitlab")):
        text = path.read_text(encoding="utf-8")
        wrong = ["a byte order mark"] if text.startswith("\ufeff") else wrong_findings(json.loads(text))
        ok(f"{path.name} follows GitLab's rules", not wrong, wrong)
    finding = json.loads(text)[0]
    for path, _, value in FINDING:
        ok(f"another {path} is a mistake", wrong_findings([with_member(finding, path, value)]) == [f"0: {path}"])
    ok("a fingerprint twice is a mistake", len(wrong_findings([finding, finding])) == 1)


def check_sarif(folder, schema, ok):
    import jsonschema

    rules = json.loads(schema.read_text())
    kind = jsonschema.validators.validator_for(rules)
    kind.check_schema(rules)
    validator = kind(rules, format_checker=kind.FORMAT_CHECKER)
    for path in sorted(folder.glob("*.sarif")):
        wrong = [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(json.loads(path.read_text()))]
        ok(f"{path.name} is valid under SARIF's schema", not wrong, wrong[:3])
    log = json.loads(path.read_text())
    ok("there are results", log["runs"][0]["results"])
    for change in ({"level": "warn"}, {"message": "text"}, {"stranger": 1}):
        broken = copy.deepcopy(log)
        broken["runs"][0]["results"][0].update(change)
        ok(f"{change} is a mistake", not validator.is_valid(broken))


def main(folder, schema=None):
    passed = failed = 0

    def ok(name, good, text=""):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print(f"not ok: {name}: {text}")

    check_code_quality(folder, ok)
    if schema:
        check_sarif(folder, schema, ok)
    for form, read in READERS.items():
        paths = sorted(folder.glob(f"*.{form}"))
        allowed = set().union(*map(read, paths[:HARMLESS]))
        assert allowed, form
        for path in paths[HARMLESS:]:
            found = read(path) - allowed
            ok(path.name, not found, sorted(found))
    print(f"{passed} passed, {failed} failed")
    return failed == 0


if __name__ == "__main__":
    sys.exit(not main(*map(pathlib.Path, sys.argv[1:])))
