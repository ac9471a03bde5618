#!/usr/bin/env python3
"""Random node configurations in every format, read by the programs that read them on machines: bash applies scripts in
a folder, cloud-init writes the files of a cloud-config and makes the script of its commands, Python's email reads MIME,
shellcheck and cloud-init's schema find nothing. What stands there then is what was asked for, to the byte.

    formats.sh [COUNT [SEED]]"""

import base64
import email
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import urllib.parse

import yaml

import cloudinit.user_data
import cloudinit.util
from cloudinit.config import cc_write_files

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 60
DICE = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
UNITS = "/etc/systemd/system/"
PLACEHOLDER = b"<<BOOTSTRAP_TOKEN>>"
STUB = '#!/bin/sh\nprintf "%s\\n" "${0##*/} $*" >>"$CALLS"\n'
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAIL: {what}")


def b64(data):
    return base64.b64encode(data).decode()


# ---- random nodes, as Python has them: bytes --------------------------------------------------------

PIECES = [b"'", b'"', b"\\", b"$(touch x)", b"`id`", b"$HOME", b"EOF\n", b"OSC_TEXT\n", b"OSC_TEXT", b"OSC_TEXT_2\n", b"\n", b"\n\n",
          b" ", b"\t", b"\r\n", b"#", b": ", b"- ", b"{{", b"%", b"=", b"==BOUNDARY==", b"%%s", b"!!", b"12e456", b"0644", b"~", b"yes",
          b"$private_ipv4", b"\\$public_ipv4", b"caf\xc3\xa9", b"\xe2\x80\xa8", b"\xc2\x85", b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80",
          b"\x01", b"\x7f", b"<", b">", b"&", b"+", b"a b+c", b"text", b"[Service]\n", b"ExecStart=/bin/true\n"]


def text(pieces=12, utf8=True, nul=False):
    made = b"".join(DICE.choice(PIECES) for _ in range(DICE.randrange(pieces)))
    if not utf8 and DICE.random() < 0.5:
        made += bytes(DICE.randrange(0 if nul else 1, 256) for _ in range(DICE.randrange(60)))
    return made


def name(suffix=b""):
    made = re.sub(rb"[/\0]", b"", text(4)).strip(b".")[:80].decode(errors="ignore").encode()
    return b"n%d" % DICE.randrange(10**6) + made + suffix


def unit_text():
    lines = [b"[Unit]", b"Description=it's \"quoted\" $HOME %n", b"[Service]", b"ExecStart=/bin/sh -c 'echo <a&b>'", b"# \xc3\xa9 comment",
             b"Environment=A=$private_ipv4", b"", b"Restart=always"]
    return b"\n".join(lines[:DICE.randrange(1, len(lines))]) + DICE.choice([b"", b"\n"])


def random_node(root):
    node = {"files": [], "links": [], "units": [], "script": None}
    for _ in range(DICE.randrange(5)):
        transparent = DICE.random() < 0.4
        content = text(20, utf8=transparent, nul=not transparent)
        if transparent:
            content = content + PLACEHOLDER + text(6)
        node["files"].append({"path": root + b"/opt/" + b"/".join(name() for _ in range(DICE.randrange(1, 3))),
                              "mode": DICE.choice([None, 0, 0o600, 0o644, 0o755]), "content": content, "transparent": transparent})
    for _ in range(DICE.randrange(3)):
        node["links"].append({"path": root + b"/srv/" + name(), "target": DICE.choice([b"/dev/null", b"-f", b"a b'c"]) + name()})
    for number in range(DICE.randrange(4)):
        mask = DICE.random() < 0.2
        unit = {"name": name(b"%d.service" % number), "mask": mask, "enable": DICE.choice([None, True, False]),
                "command": DICE.choice(["", "start", "stop"]), "content": None if DICE.random() < 0.3 else unit_text() * DICE.choice([1, 1, 1, 0]),
                "drop_ins": [{"name": name(b"%d.conf" % k), "content": unit_text() * DICE.choice([1, 1, 1, 0])} for k in range(DICE.randrange(3))]}
        node["units"].append(unit)
    if DICE.random() < 0.7:
        node["script"] = {"before": DICE.choice([b"", b"echo-call before 'a  b'", b"echo-call before\nif true; then\n\techo-call caf\xc3\xa9\nfi\n"]),
                          "after": DICE.choice([b"", b"systemctl daemon-reload\n", b"x=\"$(printf %s \"y\")\"\necho-call \"after $x\""]),
                          "starts": [{"name": unit["name"], "no_block": DICE.random() < 0.5} for unit in node["units"]],
                          "once": DICE.random() < 0.5}
    return node


def encoded(node):
    """The same for node-formats: texts in base64, nothing where there is nothing."""
    if isinstance(node, bytes):
        return b64(node)
    if isinstance(node, dict):
        return {key: encoded(value) if key != "command" else value for key, value in node.items() if value is not None}
    return [encoded(item) for item in node] if isinstance(node, list) else node


WRITER = subprocess.Popen([ROOT / "build" / os.environ.get("OSM_GEN_TEST_BUILD", "asan") / "node-formats"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def formats(node):
    WRITER.stdin.write(json.dumps(encoded(node)) + "\n")
    WRITER.stdin.flush()
    answer = json.loads(WRITER.stdout.readline())
    decode = base64.b64decode
    return {key: decode(value) for key, value in answer["text"].items()}, answer["errors"], decode(answer["effect"]), decode(answer["multipart"])


# ---- what shall stand there -------------------------------------------------------------------------


def wanted_tree(node, units=UNITS.encode()):
    tree = {}
    for file in node["files"]:
        tree[file["path"]] = ("file", 0o644 if file["mode"] is None else file["mode"], file["content"])
    for link in node["links"]:
        tree[link["path"]] = ("link", link["target"])
    for unit in node["units"]:
        if unit["mask"]:
            tree[units + unit["name"]] = ("link", b"/dev/null")
        elif unit["content"] is not None:
            tree[units + unit["name"]] = ("file", 0o644, unit["content"])
        for drop_in in unit["drop_ins"]:
            tree[units + unit["name"] + b".d/" + drop_in["name"]] = ("file", 0o644, drop_in["content"])
    return tree


def wanted_calls(node, folder):
    script = node["script"] or {"before": b"", "after": b"", "starts": []}
    calls = folder / "wanted-calls"
    calls.write_bytes(b"")
    for part in (script["before"], script["after"]):
        run_stubbed(folder, ["bash", "-c", part], calls)
    made = calls.read_bytes()
    for start in script["starts"]:
        made += b"systemctl enable " + start["name"] + b"\nsystemctl restart " + (b"--no-block " if start["no_block"] else b"") + start["name"] + b"\n"
    return made


def found_tree(root):
    tree = {}
    for folder, _, names in os.walk(root):
        for name_ in names + [entry for entry in os.listdir(folder) if os.path.islink(os.path.join(folder, entry))]:
            path = os.path.join(folder, name_)
            if os.path.islink(path):
                tree[path] = ("link", os.readlink(path))
            else:
                with open(path, "rb") as file:
                    tree[path] = ("file", stat.S_IMODE(os.lstat(path).st_mode), file.read())
    return tree


def check_tree(what, root, want):
    found = found_tree(root)
    differ = [(path, found.get(path), want.get(path)) for path in sorted(found.keys() | want.keys()) if found.get(path) != want.get(path)]
    check(not differ, f"{what}: another tree (found, wanted): {differ}")


def run_stubbed(folder, command, calls):
    stubs = folder / "stubs"
    if not stubs.is_dir():
        stubs.mkdir()
        for stub in ("systemctl", "echo-call"):
            (stubs / stub).write_text(STUB)
            (stubs / stub).chmod(0o755)
    return subprocess.run(command, env={"PATH": f"{stubs}:/usr/bin:/bin", "CALLS": str(calls), "LC_ALL": "C.UTF-8"}, capture_output=True,
                          timeout=60, check=False, cwd=folder)


def moved(node, root):
    """Where wanted_tree has units, in a folder."""
    return wanted_tree(node, root + UNITS.encode())


# ---- one format after the other -----------------------------------------------------------------------


def check_transparent(what, data, node):
    for file in node["files"]:
        if file["transparent"]:
            check(data.count(PLACEHOLDER) + data.count(b"%3C%3CBOOTSTRAP_TOKEN%3E%3E") == sum(f["content"].count(PLACEHOLDER) for f in node["files"]
                                                                                            if f["transparent"]), f"{what}: placeholders")
            return


def check_bash(number, data, node, folder, root):
    check_transparent(f"{number} bash", data, node)
    script = folder / "script"
    script.write_bytes(data.replace(UNITS.encode(), root + UNITS.encode()).replace(b"/var/lib/osc", root + b"/var/lib/osc"))
    syntax = subprocess.run(["bash", "-n", script], capture_output=True, check=False)
    check(syntax.returncode == 0 and not syntax.stderr, f"{number} bash -n: {syntax.stderr}")
    want, calls = moved(node, root), folder / "calls"
    once = node["script"] and node["script"]["once"]
    if once:
        want[root + b"/var/lib/osc/provision-osc-applied"] = ("file", 0o644, b"")
    for again in (False, True):
        calls.write_bytes(b"")
        run = run_stubbed(folder, ["bash", script], calls)
        check(run.returncode == 0 and not run.stderr, f"{number} bash: {run.returncode} {run.stderr}")
        check(run.stdout == (b"Provision OSC already applied, exiting...\n" if again and once else b""), f"{number} bash says {run.stdout}")
        check_tree(f"{number} bash{' the second time' if again else ''}", root, want)
        check(calls.read_bytes() == (b"" if again and once else wanted_calls(node, folder)), f"{number} bash: other calls {calls.read_bytes()}")


def check_cloud_config(number, data, node, folder, root):
    """cloud-init's own code writes the files and makes the script of the commands."""
    check_transparent(f"{number} cloud-config", data, node)
    check(data.startswith(b"#cloud-config\n"), f"{number} cloud-config: header")
    config = cloudinit.util.load_yaml(cloudinit.util.decode_binary(data))
    check(config == yaml.load(data, yaml.CSafeLoader), f"{number} cloud-config: two readers of YAML")
    check(set(config) <= {"write_files", "runcmd"}, f"{number} cloud-config: {set(config)}")
    files = config.get("write_files", [])
    for file in files:
        if file["path"].startswith(UNITS):
            file["path"] = root.decode() + file["path"]
    cc_write_files.write_files("test", files, cloudinit.util.get_cfg_option_str({}, "user", "root"))
    script, calls = folder / "runcmd", folder / "calls"
    content = cloudinit.util.shellify(config.get("runcmd", []))
    script.write_bytes(cloudinit.util.encode_text(content).replace(UNITS.encode(), root + UNITS.encode()))
    calls.write_bytes(b"")
    run = run_stubbed(folder, ["sh", script], calls)
    check(run.returncode == 0 and not run.stderr, f"{number} runcmd: {run.returncode} {run.stderr}")
    check_tree(f"{number} cloud-config", root, moved(node, root))
    check(calls.read_bytes() == wanted_calls(node, folder), f"{number} cloud-config: other calls {calls.read_bytes()}")


def check_coreos(number, data, node):
    check_transparent(f"{number} coreos", data, node)
    check(not re.search(rb"\$(public|private)_ipv", data), f"{number} coreos-cloudinit would replace an address")
    check(data.startswith(b"#cloud-config\n\n"), f"{number} coreos: header")
    config = yaml.load(data, yaml.CSafeLoader)
    want = wanted_tree(node)
    for file in config.get("write_files", []):
        content = base64.b64decode(file["content"]) if file.get("encoding") == "b64" else file["content"].encode()
        check(re.fullmatch("0?[0-7]{3,4}", file["permissions"]), f"{number} coreos: {file['permissions']}")
        check(want.pop(file["path"].encode(), None) == ("file", int(file["permissions"], 8), content), f"{number} coreos: {file['path']}")
        check(list(file) in (["encoding", "content", "path", "permissions"], ["content", "path", "permissions"]), f"{number} coreos: {list(file)}")
    units = config.get("coreos", {}).get("units", [])
    check([unit["name"].encode() for unit in units] == [unit["name"] for unit in node["units"]], f"{number} coreos: units")
    for unit, asked in zip(units, node["units"]):
        place = UNITS.encode() + asked["name"]
        check(unit.get("enable", False) == (asked["enable"] is True), f"{number} coreos: enable")
        check(unit.get("command", "") == asked["command"], f"{number} coreos: command")
        check(list(unit) == [key for key in ("name", "mask", "enable", "content", "command", "drop_ins") if key in unit], f"{number}: {list(unit)}")
        if unit.get("mask"):
            check(want.pop(place, None) == ("link", b"/dev/null"), f"{number} coreos: mask")
        if "content" in unit:
            check(want.pop(place, None) == ("file", 0o644, unit["content"].encode()), f"{number} coreos: {asked['name']}")
        for drop_in in unit.get("drop_ins", []):
            check(want.pop(place + b".d/" + drop_in["name"].encode(), None) == ("file", 0o644, drop_in["content"].encode()), f"{number}: drop-in")
    check(not want, f"{number} coreos: not written: {list(want)}")


def data_url(source):
    media, _, payload = source.removeprefix("data:").partition(",")
    check(media in ("", ";base64"), f"data URL: {media}")
    return base64.b64decode(payload, validate=True) if media else urllib.parse.unquote_to_bytes(payload)


def check_ignition(number, data, node):
    check_transparent(f"{number} ignition", data, node)
    config, want = json.loads(data), wanted_tree(node)
    check(config.pop("ignition") == {"version": "3.3.0"}, f"{number} ignition: version")
    asked = {file["path"]: file["mode"] for file in node["files"]}
    for file in config.get("storage", {}).get("files", []):
        path = file["path"].encode()
        check(file["overwrite"] is True, f"{number} ignition: overwrite")
        check(file.get("mode") == asked.get(path, 0o644), f"{number} ignition: mode {file.get('mode')}")
        check(want.pop(path, None) == ("file", file.get("mode", 0o644), data_url(file["contents"]["source"])), f"{number} ignition: {path}")
    for link in config.get("storage", {}).get("links", []):
        check(link["overwrite"] is True, f"{number} ignition: overwrite")
        check(want.pop(link["path"].encode(), None) == ("link", link["target"].encode()), f"{number} ignition: {link['path']}")
    units = config.get("systemd", {}).get("units", [])
    check([unit["name"].encode() for unit in units] == [unit["name"] for unit in node["units"]], f"{number} ignition: units")
    for unit, wish in zip(units, node["units"]):
        place = UNITS.encode() + wish["name"]
        check(unit.get("enabled") == wish["enable"], f"{number} ignition: enabled")
        if unit.get("mask"):
            check(want.pop(place, None) == ("link", b"/dev/null"), f"{number} ignition: mask")
        if "contents" in unit:
            check(want.pop(place, None) == ("file", 0o644, unit["contents"].encode()), f"{number} ignition: {wish['name']}")
        for drop_in in unit.get("dropins", []):
            check(want.pop(place + b".d/" + drop_in["name"].encode(), None) == ("file", 0o644, drop_in["contents"].encode()), f"{number}: drop-in")
    check(not want, f"{number} ignition: not written: {list(want)}")


def check_effect(number, effect, node):
    want = wanted_tree(node)
    for line in effect.decode().splitlines():
        words = re.findall(r'"(?:[^"\\]|\\.)*"|[^ ]+', line)
        if words[0] == "file":
            quoted = words[1].startswith('"')
            path = words[1].encode() if not quoted else None
            digests = [hashlib.sha256(entry[2]).hexdigest() for entry in want.values() if entry[0] == "file" and len(entry[2]) == int(words[3])]
            check(words[4].removeprefix("sha256:") in digests, f"{number} effect: {line}")
            if path:
                check(path in want, f"{number} effect: {line}")
    found = sum(line.split(" ")[0] in ("file", "link") for line in effect.decode().splitlines())
    check(found == len(want), f"{number} effect: {found} of {len(want)}")


def check_multipart(number):
    """As Python's email and as cloud-init read it: from bytes, and from a text."""
    parts = [text(20, utf8=True) + DICE.choice([b"", b"\n", PLACEHOLDER]) for _ in range(DICE.randrange(1, 4))]
    document = formats({"parts": parts})[3]
    for message in (email.message_from_bytes(document), email.message_from_string(document.decode())):
        check(message.is_multipart() and not message.defects, f"{number} MIME: {message.defects}")
        got = [part.get_payload(decode=True) for part in message.get_payload()]
        check(got == parts, f"{number} MIME: {got} {parts}")
        check(all(part.get_content_type() == "text/x-shellscript" for part in message.get_payload()), f"{number} MIME: types")
    message = cloudinit.user_data.convert_string(document)
    got = [cloudinit.util.fully_decoded_payload(part).encode(errors="surrogateescape") for part in message.get_payload()]
    check(got == parts, f"{number} MIME in cloud-init: {got} {parts}")
    check(document.count(PLACEHOLDER) == sum(part.count(PLACEHOLDER) for part in parts), f"{number} MIME: placeholders")


def check_tools(number, texts, folder):
    """What programs that only look say: slow, so not to every one."""
    script, config = folder / "script.sh", folder / "cloud-config"
    script.write_bytes(texts["bash"])
    # SC1003, SC2016: quotes and expansions in single quotes, on purpose. SC2288: a name that ends so.
    run = subprocess.run(["shellcheck", "-e", "SC1003,SC2016,SC2288", script], capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"{number} shellcheck: {run.stdout}")
    config.write_bytes(texts["cloud-config"])
    run = subprocess.run(["cloud-init", "schema", "-c", config], capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"{number} cloud-init schema: {run.stdout} {run.stderr}")


# ---- scripts that fail ----------------------------------------------------------------------------------


def check_failures(folder):
    """A file that cannot be written ends the script, and leaves nothing beside."""
    root = bytes(folder / "broken")
    node = {"files": [{"path": root + b"/is-a-folder/x", "content": b"x"}, {"path": root + b"/is-a-folder", "content": b"x"},
                      {"path": root + b"/later", "content": b"x"}], "script": {"after": b"echo-call after"}}
    calls = folder / "calls"
    calls.write_bytes(b"")
    run = run_stubbed(folder, ["bash", "-c", formats(node)[0]["bash"]], calls)
    check(run.returncode == 1 and run.stderr, f"a folder in the way: {run.returncode}")
    check(found_tree(root) == {root + b"/is-a-folder/x": ("file", 0o644, b"x")}, "a folder in the way: what stands there")
    node["files"] = [{"path": root + b"/is-a-folder/x/y", "content": b"x"}]
    run = run_stubbed(folder, ["bash", "-c", formats(node)[0]["bash"]], calls)
    check(run.returncode == 1, "a file in the way")
    node = {"links": [{"path": root + b"/is-a-folder", "target": b"x"}], "script": {"after": b"echo-call after"}}
    run = run_stubbed(folder, ["bash", "-c", formats(node)[0]["bash"]], calls)
    check(run.returncode == 1, "a folder where a link shall be")
    check(calls.read_bytes() == b"", "what fails goes on")


def check_refusals():
    """What a format cannot say is an error in that one only."""
    cases = [({"files": [{"path": b"/a", "content": b"\xff", "transparent": True}]}, {"cloud-config", "coreos-cloud-config"}),
             ({"files": [{"path": b"/a", "content": b"\0", "transparent": True}]}, {"bash", "cloud-config", "coreos-cloud-config", "ignition"}),
             ({"files": [{"path": b"/a", "content": b"\0\xff"}]}, set()),
             ({"files": [{"path": b"/a\xff", "content": b""}]}, {"cloud-config", "coreos-cloud-config", "ignition"}),
             ({"files": [{"path": b"/a", "content": b"", "mode": 0o4755}]}, {"ignition"}),
             ({"files": [{"path": b"/a//b", "content": b""}]}, {"ignition"}),
             ({"files": [{"path": b"/a", "content": b""}, {"path": b"/a", "content": b""}]}, {"ignition"}),
             ({"files": [{"path": UNITS.encode() + b"a.service", "content": b""}], "units": [{"name": b"a.service", "content": b"[Unit]\n"}]},
              {"ignition"}),
             ({"files": [{"path": b"/a/b", "content": b""}], "links": [{"path": b"/a", "target": b"/c"}]}, {"ignition", "coreos-cloud-config"}),
             ({"units": [{"name": b"a.service", "content": b"[Unit] x\n"}]}, {"ignition"}),
             ({"units": [{"name": b"a", "content": b"[Unit]\n"}]}, {"ignition"}),
             ({"units": [{"name": b"a.service", "drop_ins": [{"name": b"b", "content": b"[Unit]\n"}]}]}, {"ignition"}),
             ({"script": {"before": b"true"}}, {"coreos-cloud-config", "ignition"}),
             ({"cloud_config": b"apt_update: false"}, {"bash", "coreos-cloud-config", "ignition"}),
             ({"cloud_config": b"write_files: []"}, {"bash", "cloud-config", "coreos-cloud-config", "ignition"}),
             ({"cloud_config": b"{a: b}"}, {"bash", "cloud-config", "coreos-cloud-config", "ignition"}),
             ({"cloud_config": b"text"}, {"bash", "cloud-config", "coreos-cloud-config", "ignition"}),
             ({"cloud_config": b"a: b\n---\n"}, {"bash", "cloud-config", "coreos-cloud-config", "ignition"}),
             ({"reboot_strategy": b"off"}, {"bash", "cloud-config", "ignition"})]
    for node, refused in cases:
        texts, errors, _, _ = formats(node)
        check({key for key, value in errors.items() if value} == refused, f"{node}: {errors}")
        check(set(texts) == set(errors) - refused, f"{node}: {set(texts)}")


def check_tops(folder):
    """What only cloud-init's and CoreOS' documents have at the top."""
    file = {"path": b"/a", "content": b"x"}
    data = formats({"files": [file], "cloud_config": b"apt_update: false\nmanage_etc_hosts: true"})[0]["cloud-config"]
    check(yaml.load(data, yaml.CSafeLoader) == {"apt_update": False, "manage_etc_hosts": True,
                                               "write_files": [{"path": "/a", "encoding": "b64", "content": "eA=="}]}, f"cloud_config: {data}")
    (folder / "top").write_bytes(data)
    run = subprocess.run(["cloud-init", "schema", "-c", folder / "top"], capture_output=True, text=True, check=False)
    check(run.returncode == 0, f"cloud_config, cloud-init schema: {run.stdout} {run.stderr}")
    data = formats({"reboot_strategy": b"off", "units": [{"name": b"locksmithd.service", "mask": True, "command": "stop"}]})[0]["coreos-cloud-config"]
    check(yaml.load(data, yaml.CSafeLoader) == {"coreos": {"update": {"reboot_strategy": "off"},
                                                           "units": [{"name": "locksmithd.service", "mask": True, "command": "stop"}]}},
          f"reboot_strategy: {data}")
    for empty in ({}, {"units": []}):
        texts = formats(empty)[0]
        check(all(yaml.load(texts[key], yaml.CSafeLoader) == {} for key in ("cloud-config", "coreos-cloud-config")), f"nothing: {texts}")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="formats."))
    try:
        for number in range(COUNT):
            root = bytes(folder / "machine")
            node = random_node(root)
            texts, errors, effect, _ = formats(node)
            scriptless = dict(node, script=None)
            bare = formats(dict(scriptless, links=[]))
            check(not errors["bash"] and not errors["cloud-config"], f"{number}: {errors}")
            for format_, check_format in (("bash", check_bash), ("cloud-config", check_cloud_config)):
                check_format(number, texts[format_], node, folder, root)
                shutil.rmtree(root, ignore_errors=True)
            check(not bare[1]["coreos-cloud-config"], f"{number}: {bare[1]}")
            check_coreos(number, bare[0]["coreos-cloud-config"], dict(scriptless, links=[]))
            ignition = formats(scriptless)
            check(not ignition[1]["ignition"], f"{number}: {ignition[1]}")
            check_ignition(number, ignition[0]["ignition"], node)
            check_effect(number, effect, node)
            check_multipart(number)
            if number % 10 == 0:
                check_tools(number, texts, folder)
        check_failures(folder)
        check_tops(folder)
        check_refusals()
    finally:
        shutil.rmtree(folder)
    WRITER.stdin.close()
    check(WRITER.wait() == 0, "node-formats: a sanitizer finds something")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
