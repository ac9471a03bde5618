"""Compares the structure of reports: _report_parsers.py FOLDER. 00.FORM to 02.FORM are those of harmless names (a word, a path, a
long text), the others those of hostile ones."""

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


def main(folder):
    passed = failed = 0
    for form, read in READERS.items():
        paths = sorted(folder.glob(f"*.{form}"))
        allowed = set().union(*map(read, paths[:HARMLESS]))
        assert allowed, form
        for path in paths[HARMLESS:]:
            found = read(path) - allowed
            if found:
                print(f"not ok: {path.name}: {sorted(found)}")
            passed, failed = passed + (not found), failed + bool(found)
    print(f"{passed} passed, {failed} failed")
    return failed == 0


if __name__ == "__main__":
    sys.exit(not main(pathlib.Path(sys.argv[1])))
