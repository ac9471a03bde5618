"""Puts URLs with random passwords into every place that takes a proxy or a mirror, and searches for the passwords.

A run may fail, or it may seal the password. Neither stdout, stderr, reports nor a file of the output may have the
password, or a piece of it, in the clear.
"""

import base64
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

program, scratch, base, cases = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
draw = random.Random(20260304)
HOSTILE = "/ \"'@:#?\\,=%[]{}<>|^`~!$&()*+;\t\u00fc"
passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print(f"not ok: {name}\n    {detail}")


def words():
    """A password of words that occur nowhere else, and the words: a leak of part of it is a leak."""
    parts = ["".join(draw.choice("bcdfghjkmnpqrstvwxz") for _ in range(9)) for _ in range(draw.randint(1, 3))]
    between = ["".join(draw.choice(HOSTILE) for _ in range(draw.choice([0, 1, 1, 2]))) for _ in parts[1:]] + [""]
    return "".join(part + sign for part, sign in zip(parts, between)), parts


def url(password):
    return draw.choice(
        ["http://deploy:{}@proxy.example:3128", "https://deploy:{}@mirror.example/v2", "http:/deploy:{}@proxy.example",
         "http:deploy:{}@proxy.example", "deploy:{}@proxy.example:3128", "http://{}@proxy.example", "//deploy:{}@proxy.example",
         "http://deploy:9{}@proxy.example:3128", "HTTP://deploy:1/{}@proxy.example"]).format(password)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


KUBEONE = """apiVersion: kubeone.k8c.io/v1beta2
kind: KubeOneCluster
name: prod
versions: {{kubernetes: 1.36.0}}
cloudProvider: {{hetzner: {{}}, external: true}}
containerRuntime: {{containerd: {{registries: {{docker.io: {{mirrors: [{mirror}], overridePath: true}}}}}}}}
proxy: {{http: {http}, https: {https}, noProxy: {no_proxy}}}
registryConfiguration: {{overwriteRegistry: {overwrite}}}
"""
SETTINGS = {
    "nodeHTTPProxy": lambda u: quoted(u),
    "nodeNoProxy": lambda u: quoted(".example," + u),
    "nodeRegistryMirrors": lambda u: draw.choice([quoted(u), quoted("docker.io=" + u), quoted("https://a.example," + u), f"[{quoted(u)}]"]),
    "nodeContainerdRegistryMirrors": lambda u: draw.choice([f"[{quoted('docker.io=' + u)}]", f"{{docker.io: [{quoted(u)}]}}", f"{{{quoted(u)}: [a]}}"]),
    "nodeInsecureRegistries": lambda u: draw.choice([quoted(u), f"[a.example, {quoted(u)}]"]),
    "overrideBootstrapKubeletAPIServer": lambda u: quoted(u),
    "pauseImage": lambda u: quoted(u),
}
FLAGS = {
    "nodeHTTPProxy": "node-http-proxy", "nodeNoProxy": "node-no-proxy", "nodeRegistryMirrors": "node-registry-mirrors",
    "nodeContainerdRegistryMirrors": "node-containerd-registry-mirrors", "nodeInsecureRegistries": "node-insecure-registries",
    "overrideBootstrapKubeletAPIServer": "override-bootstrap-kubelet-apiserver", "pauseImage": "pause-image",
}


def run(repo, environment, *arguments):
    return subprocess.run([program, *arguments, "--repo", str(repo)], capture_output=True, env={**os.environ, **environment})


def leaks(parts, *texts):
    for text in texts:
        for part in parts:
            if part.encode() in text or base64.b64encode(part.encode())[:10] in text:
                return text[max(0, text.find(part.encode()) - 200):][:400].decode(errors="replace")
    return ""


def git(repo, *arguments):
    subprocess.run(["git", "-C", str(repo), *arguments], check=True, stdout=subprocess.DEVNULL)


def one(number):
    password, parts = words()
    address = url(password)
    name = draw.choice(list(SETTINGS))
    value = SETTINGS[name](address)
    place = draw.choice(["cluster", "cluster", "fleet", "flag", "variable", "kubeone", "cluster-info", "machine"])
    repo = scratch / f"url-{number}"
    shutil.copytree(base, repo)
    cluster = repo / "clusters/prod/osm-gen.yaml"
    text = cluster.read_text()
    options, environment = [], {}
    if place == "cluster":
        # In one line with a mistake, whose message shows the line.
        style = draw.choice([f"    {name}: {value}\n", f"    {name}: {value}\n    nonsense: 1\n"])
        cluster.write_text(draw.choice([text + style, text.replace("  settings:\n    externalCloudProvider: true\n",
                                                                   f"  settings: {{nonsense: 1, {name}: {value}}}\n")]))
    elif place == "fleet":
        (repo / "osm-gen.yaml").write_text((repo / "osm-gen.yaml").read_text() + f"  defaults:\n    {name}: {value}\n")
    elif place == "flag":
        options = [f"--{FLAGS[name]}={draw.choice(['', 'docker.io='])}{address}"]
    elif place == "variable":
        environment = {"OSM_GEN_" + FLAGS[name].upper().replace("-", "_"): address}
    elif place == "kubeone":
        fields = dict.fromkeys(["mirror", "http", "https", "no_proxy", "overwrite"], '"a.example"')
        fields[draw.choice(list(fields))] = quoted(address)
        (repo / "clusters/prod/kubeone.yaml").write_text(KUBEONE.format(**fields))
    elif place == "machine":
        # Any string may be here: only what begins as a URL does can be known for one.
        if ":/" not in address[:6] and not address.startswith("//"):
            address = "http://" + address
        workers = repo / "clusters/prod/workers.yaml"
        workers.write_text(workers.read_text().replace("{serverType: cx42}", f"{{serverType: cx42, image: {quoted(address)}}}"))
        cluster.write_text(text + "    machineDeployments: output\n    managementCluster: self\n")
    else:
        info = repo / "clusters/prod/cluster-info.yaml"
        lines = info.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if "server:" in line)
        indent = lines[at].split("server:")[0].replace("-", " ")
        if draw.random() < 0.5:
            lines[at] = lines[at].split("server:")[0] + "server: " + quoted(address)
        else:
            lines.insert(at + 1, f"{indent}proxy-url: {quoted(address)}")
        info.write_text("\n".join(lines) + "\n")
    git(repo, "-c", "init.defaultBranch=main", "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "inputs")
    title = f"{place} {name} {address!r} {value!r}"
    for arguments in (["validate"], ["plan"], ["config", "show"], ["list"], ["generate", "--report", f"json={scratch}/r.json", "--report", f"html={scratch}/r.html"]):
        done = run(repo, environment, *arguments, *options)
        found = leaks(parts, done.stdout, done.stderr)
        check(f"{arguments[0]}: {title}", not found, found)
        check(f"{arguments[0]} ends: {title}", done.returncode in (0, 1, 2, 64), done.stderr[-600:].decode(errors="replace"))
    for report in scratch.glob("r.*"):
        found = leaks(parts, report.read_bytes())
        check(f"report {report.name}: {title}", not found, found)
        report.unlink()
    for path in (repo / "out").rglob("*"):
        if path.is_file():
            found = leaks(parts, path.read_bytes())
            check(f"{path.relative_to(repo)}: {title}", not found, found)
    shutil.rmtree(repo)


for number in range(cases):
    one(number)
print(f"{passed} passed, {failed} failed")
