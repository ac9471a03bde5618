"""Runs the user-data and the downloader of gardenerFlow: downloader (tests/cli/gardener_download.sh): ROOT PROGRAM"""

import base64
import copy
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import yaml

from _gardener_api import Api, Authority
from _checks import check, equal, finish
from _gardener_node import PROGRAM, STATE, Fleet, Node, config, osc, run, service

DOWNLOADER = f"{STATE}/download-cloud-config.sh"
PROVISION = "management/shoot/secret-osc-result-pool-downloader.yaml"
SLEEP = """#!/bin/sh
echo "$1" >>"$SLEPT"
"""
CURL = """#!/bin/sh
echo "$*" >>"$ARGUMENTS"
exec /usr/bin/curl "$@"
"""
# Kills the script at the call that $KILL_AT counts to.
SYNC = """#!/bin/sh
echo >>"$SYNCS"
[ "$(wc -l <"$SYNCS")" != "${KILL_AT:-0}" ] || kill -9 "$PPID"
"""


def cluster_info(api, *authorities):
    ca = b"".join(authority.certificate.read_bytes() for authority in authorities)
    kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [
        {"name": "", "cluster": {"server": api.url + "/", "certificate-authority-data": base64.b64encode(ca).decode()}}]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
            "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}}


class New:
    """A new node, a fleet, and its API server."""

    def __init__(self, folder, authority, **defaults):
        self.api, self.authority = Api(authority), authority
        self.fleet = Fleet(folder / "fleet", **defaults)
        self.node = Node(folder / "node")
        shutil.rmtree(self.node.root / STATE)
        for name, text in (("sleep", SLEEP), ("curl", CURL), ("sync", SYNC)):
            self.node.stub(name, text)
        self.env = {"SLEPT": str(folder / "slept"), "ARGUMENTS": str(folder / "arguments"), "SYNCS": str(folder / "syncs")}

    def generate(self, *manifests, info=None):
        error = self.fleet.generate(*manifests, info or cluster_info(self.api, self.authority))
        self.api.apply(self.fleet)
        return error

    def user_data(self):
        return self.fleet.unsealed(PROVISION)["cloud_config"]

    def boot(self, *manifests):
        self.generate(*(manifests or [config()]))
        return self.node.run(self.user_data(), shell="bash", **self.env)

    def download(self, **env):
        return self.node.run(self.node.text(DOWNLOADER), **self.env, **env)

    def slept(self):
        path = pathlib.Path(self.env["SLEPT"])
        seconds = [int(line) for line in path.read_text().split()]
        path.unlink()
        return seconds


def test_boot(folder, authority):
    new = New(folder, authority)
    status, calls, stderr = new.boot()
    equal("the first boot", (status, calls), (0, ["daemon-reload", "enable cloud-config-downloader.service",
                                                  "restart cloud-config-downloader.service"]))
    check("its user-data is far below 16 KiB", len(new.user_data()) < 12000, len(new.user_data()))
    equal("the token is for root alone", oct((new.node.root / STATE / "credentials/bootstrap-token").stat().st_mode & 0o777), "0o600")
    unit = (new.node.root / "systemd/cloud-config-downloader.service").read_text()
    check("every 30 seconds", "\nRestart=always\nRestartSec=30\n" in unit and f"ExecStart=/bin/sh /var/{DOWNLOADER}\n" in unit, unit)
    effect = new.fleet.file("status/shoot/nodeeffect-pool-downloader.yaml")["spec"]
    equal("reviewers see its files", [file["path"].split("/")[-1] for file in effect["files"]],
          ["server", "ca.crt", "bootstrap-token", "download-cloud-config.sh"])
    equal("without the token", effect["files"][2]["content"].split("#")[0].split(":")[0], "<sealed")
    status, calls, stderr = new.download()
    equal("the first download applies", (status, calls[:4]), (0, ["daemon-reload", "daemon-reload", "enable a.service",
                                                                  "restart --no-block a.service"]))
    equal("a file", (new.node.root / "opt/demo/it's motd").read_text(), "hello\n")
    equal("again: nothing", new.download()[:2], (0, []))
    equal("one question each", new.api.asked, [("/api/v1/namespaces/kube-system/secrets/cloud-config-pool", 200)] * 2)
    token = new.node.text(f"{STATE}/credentials/token")
    arguments = pathlib.Path(new.env["ARGUMENTS"]).read_text()
    check("no token in a command line", token.split(".")[1] not in arguments and "secrets/cloud-config-pool" in arguments, arguments)
    check("each at a time of its own", all(seconds < 10 for seconds in new.slept()))
    new.generate(config(a_conf="two\n"))
    status, calls, stderr = new.download()
    check("a change restarts what changed", status == 0 and "restart --no-block a.service" in calls and "restart --no-block b.service" not in calls,
          f"{calls} {stderr}")


def test_programs(folder, authority):
    """Without curl GNU Wget downloads; each awk reads the answer."""
    new = New(folder, authority)
    programs = folder / "programs"
    programs.mkdir()
    for name in os.listdir("/usr/bin"):
        if name not in ("curl", "jq", "awk", "python3") and not (programs / name).exists():
            (programs / name).symlink_to(f"/usr/bin/{name}")
    (new.node.stubs / "curl").unlink()
    variants = [[shutil.which(name)] for name in ("mawk", "gawk", "original-awk") if shutil.which(name)]
    variants += [["busybox", "awk"]] if shutil.which("busybox") else []
    for variant in variants:
        new.node.stub("awk", f'#!/bin/sh\nexec {" ".join(variant)} "$@"\n')
        new.boot()
        asked = len(new.api.asked)
        result = new.download(PATH=f"{new.node.stubs}:{programs}")
        equal(f"{variant[-1]}, wget", (result[0], new.api.asked[asked:]), (0, [("/api/v1/namespaces/kube-system/secrets/cloud-config-pool", 200)]))
        equal(f"{variant[-1]}: the script", new.node.text(f"{STATE}/script"),
              new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"])
        (new.node.root / STATE / "script").unlink()
    other = Authority(folder / "other")
    new.api.trust(other)
    status, _, stderr = new.download(PATH=f"{new.node.stubs}:{programs}", SSL_CERT_FILE=str(other.certificate))
    check("wget trusts the cluster's CA alone", status == 1 and new.node.text(f"{STATE}/script") is None, stderr)
    (programs / "wget").unlink()
    status, _, stderr = new.download(PATH=f"{new.node.stubs}:{programs}")
    check("neither program", status == 1 and "neither curl nor GNU Wget" in stderr, stderr)


def test_adverse(folder, authority):
    """Damaged answers, another server, a stopped one: nothing runs, and the node waits for longer each time."""
    new = New(folder, authority)
    new.boot()
    whole = copy.deepcopy(new.api.secrets)

    def nothing(name, says):
        status, calls, stderr = new.download()
        check(name, (status, calls) == (1, []) and new.node.text(f"{STATE}/script") is None and says in stderr, f"{status} {calls} {stderr}")

    for name, damage in (("cut off", lambda body: body[:len(body) // 2]),
                         ("empty", lambda body: b""),
                         ("a page of HTML", lambda body: b"<html>captive portal</html>".ljust(len(body))),
                         ("cut off and closed", lambda body: (body[:len(body) // 2] + b'"}}').ljust(len(body))),
                         ("one letter", lambda body: body.replace(b'"script": "Iy', b'"script": "Iz')),
                         ("another Secret", lambda body: body.replace(b'"name": "cloud-config-pool"', b'"name": "cloud-config-lake"')),
                         ("another kind", lambda body: body.replace(b'"kind": "Secret"', b'"kind": "Status"')),
                         ("two scripts", lambda body: body.replace(b'"script": "I', b'"script": "IyE=", "script": "I').ljust(len(body))[:len(body)])):
        new.api.damage = damage
        nothing(f"damaged: {name}", "")
    new.api.damage = lambda body: body
    new.api.secrets["cloud-config-pool"]["data"] = {"script": base64.b64encode(b"true\n").decode()}
    nothing("no checksum", "its checksum is wrong")
    new.api.secrets = {}
    nothing("the Secret is missing", "Secret kube-system/cloud-config-pool is missing")
    new.api.allowed = set()
    nothing("forbidden", "may not read Secret kube-system/cloud-config-pool")
    new.api.secrets = whole
    new.api.trust(Authority(folder / "other"))
    nothing("another CA", "cannot download https://127.0.0.1")
    new.api.trust(authority)
    seconds = new.slept()
    pauses = seconds[1::2]
    check("it waits for longer each time, up to a limit", all(pause >= least for pause, least in zip(pauses, [5, 10, 20, 40, 80, 150, 150, 150]))
          and max(pauses) < 450, seconds)
    new.api.apply(new.fleet)
    equal("then it applies", new.download()[0], 0)
    equal("and forgets its failures", new.node.text(f"{STATE}/failures"), None)
    new.generate(config(a_conf="two\n"))
    new.node.put("kill", "restart --no-block a.service\n")
    check("a power cut between steps", new.download()[0] != 0)
    (new.node.root / "kill").unlink()
    new.api.stop()
    status, calls, stderr = new.download()
    check("without the API server the node ends what it began", status == 1 and "restart --no-block a.service" in calls, f"{calls} {stderr}")
    equal("once", new.download()[:2], (1, []))


def test_user_data_apart(folder, authority):
    """From contract 2 on the script does not repeat the user-data, which halves the Secret. A downloader of contract 1 is replaced first."""
    new = New(folder, authority)
    large = "".join(chr(33 + (i * i + i // 7) % 90) for i in range(300_000))
    new.fleet.fleet["spec"]["contract"] = 1
    new.boot()
    equal("contract 1", new.download()[0], 0)
    new.fleet.fleet["spec"]["contract"] = 2
    new.generate(config(a_conf="three\n", motd=large))
    secret = new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")
    check("the Secret is small enough", len(secret["script"]) < 64_000 < len(secret["cloud_config"]), [len(value) for value in secret.values()])
    status, calls, stderr = new.download()
    check("the downloader of contract 1", status == 1 and "restart --no-block a.service" not in calls and "downloaded again" in stderr, f"{status} {calls} {stderr}")
    status, calls, stderr = new.download()
    check("the next one applies it", status == 0 and "restart --no-block a.service" in calls, f"{status} {calls} {stderr}")
    equal("a large file", (new.node.root / "opt/demo/it's motd").read_text(), large)
    new.generate(config(a_conf="four\n"))
    new.api.damage = lambda body: body.replace(b'"cloud_config": "Iy', b'"cloud_config": "Iz')
    status, calls, stderr = new.download()
    check("damaged user-data is not applied", (status, calls) == (1, []) and "downloaded again" in stderr, f"{status} {calls} {stderr}")
    new.api.damage = lambda body: body
    equal("the next download is", new.download()[0], 0)


def test_power_cut(folder, authority):
    """Killed at each file that is put in place, from the first download on."""
    new = New(folder, authority)
    new.boot()
    wanted = new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"]
    for at in range(1, 30):
        pathlib.Path(new.env["SYNCS"]).write_text("")
        status = new.download(KILL_AT=str(at))[0]
        if len(pathlib.Path(new.env["SYNCS"]).read_text()) < at:
            break
        check(f"killed at {at}", status != 0)
        check(f"killed at {at}: the script is whole", new.node.text(f"{STATE}/script") in (None, wanted))
        status, calls, stderr = new.download()
        check(f"killed at {at}: the next run goes on", status == 0, stderr)
        equal(f"killed at {at}: then nothing", new.download()[:2], (0, []))
        shutil.rmtree(new.node.root / STATE)
        for name in ("systemd", "opt"):
            shutil.rmtree(new.node.root / name)
            (new.node.root / name).mkdir()
        new.node.run(new.user_data(), shell="bash", **new.env)
    check("several places", at > 6, at)


def test_rotated(folder, authority):
    new = New(folder, authority, tokenRotation="weekly")
    new.boot()
    new.api.now = new.fleet.date
    equal("the first week", new.download()[0], 0)
    first = new.node.text(f"{STATE}/credentials/token")

    def weeks_later(count):
        new.fleet.date += count * 7 * 86400
        new.generate(config())
        new.api.now = new.fleet.date

    weeks_later(1)
    status, calls, stderr = new.download()
    equal("a week later, with the token of the week before", (status, calls), (0, []))
    check("it has the next one", new.node.text(f"{STATE}/credentials/token") != first)
    second = new.node.text(f"{STATE}/credentials/token")
    weeks_later(3)
    status, calls, stderr = new.download()
    check("off for more than two periods: reported", status == 1 and "no valid token (401)" in stderr and "bootstrap-token" in stderr, stderr)
    fresh = re.search(r"^token=(\S+)$", new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"], re.M).group(1)
    new.node.put(f"{STATE}/credentials/bootstrap-token", fresh + "\n")
    equal("a token that somebody writes", new.download()[0], 0)
    check("is replaced by the pool's", new.node.text(f"{STATE}/credentials/token") == fresh != second)


CERTIFICATE = "lib/kubelet/pki/kubelet-client-current.pem"
KUBECONFIG = "lib/kubelet/kubeconfig-bootstrap"


def test_two_tokens(folder, authority):
    """From contract 2 on a running node has a token that only reads. The one to join with is gone when it has joined."""
    new = New(folder, authority, tokenRotation="weekly")
    new.boot()
    new.api.now = new.fleet.date
    join = new.node.text(f"{STATE}/credentials/bootstrap-token")
    equal("user-data's token joins", new.api.roles(join), ["node-bootstrapper", "nodeclient"])
    equal("and reads the Secret", new.download()[0], 0)
    kept = new.node.text(f"{STATE}/credentials/token")
    equal("the other token only reads", (new.api.roles(kept), new.api.groups[kept]), ([], {"system:bootstrappers"}))
    check("the kubelet asks with the first one", f"token: {join}" in new.node.text(KUBECONFIG) and kept not in new.node.text(KUBECONFIG))
    secret = new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")
    check("the Secret does not give it away", not any(join.split(".")[1] in text for text in secret.values()))
    equal("until it has its certificate", (new.download()[0], new.node.text(f"{STATE}/credentials/bootstrap-token")), (0, join))
    new.node.put(CERTIFICATE, "certificate and key\n")
    equal("then nothing restarts", new.download()[:2], (0, []))
    left = [path for path in new.node.root.rglob("*") if path.is_file() and join.split(".")[1].encode() in path.read_bytes()]
    equal("and the node has it nowhere", (left, new.node.text(KUBECONFIG)), ([], None))
    equal("it reads on", (new.download()[0], new.node.text(f"{STATE}/credentials/token")), (0, kept))
    new.fleet.settings["gardenerBootstrapToken"] = "machine"
    new.generate(config())
    script = new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"]
    token = re.search(r"^token=(\S+)$", script, re.M).group(1)
    check("machines' own tokens: the pool's joins", new.api.roles(token) == ["node-bootstrapper", "nodeclient"] and "\njoining=" not in script)


def test_two_tokens_rotated(folder, authority):
    """Both change with each of three periods. A node that was off for two has neither."""
    new = New(folder, authority, tokenRotation="weekly")
    readers, joins = [], []
    for week in range(3):
        new.fleet.date += 7 * 86400 if week else 0
        new.generate(config())
        new.api.now = new.fleet.date
        if week == 0:
            new.node.run(new.user_data(), shell="bash", **new.env)
            joins.append(new.node.text(f"{STATE}/credentials/bootstrap-token"))
        else:
            joins.append(next(token for token in new.api.users if new.api.roles(token) and token not in joins))
        equal(f"week {week}: the download", new.download()[0], 0)
        readers.append(new.node.text(f"{STATE}/credentials/token"))
        new.node.put(CERTIFICATE, "certificate and key\n")
    equal("six tokens", len({*readers, *joins}), 6)
    equal("those of two weeks are there", sorted(new.api.users), sorted([*readers[1:], *joins[1:]]))
    check("the last user-data has the newest", joins[2] in base64.b64decode(re.search(
        r"bootstrap-token.*?([A-Za-z0-9+/=]{32})", new.user_data(), re.S).group(1)).decode())
    new.fleet.date += 2 * 7 * 86400
    new.generate(config(a_conf="two\n"))
    new.api.now = new.fleet.date
    status, calls, stderr = new.download()
    check("off for two periods: nothing is applied, and it is reported", (status, calls) == (1, []) and "no valid token (401)" in stderr, f"{calls} {stderr}")
    fresh = next(token for token in new.api.users if not new.api.roles(token))
    new.node.put(f"{STATE}/credentials/bootstrap-token", fresh + "\n")
    status, calls, stderr = new.download()
    check("a token that reads is enough", status == 0 and "restart --no-block a.service" in calls, f"{calls} {stderr}")
    equal("it is at its place", [new.node.text(f"{STATE}/credentials/{name}") is None for name in ("token", "bootstrap-token")], [False, True])
    new.fleet.date += 2 * 7 * 86400
    new.generate(config(a_conf="two\n"))
    new.api.now = new.fleet.date
    equal("off until also the certificate has ended", new.download()[:2], (1, []))
    fresh = next(token for token in new.api.users if token in new.user_data() or new.api.roles(token))
    (new.node.root / CERTIFICATE).unlink()
    new.node.put(f"{STATE}/credentials/bootstrap-token", fresh + "\n")
    equal("the token for joining, without the certificate", new.download()[0], 0)
    check("the kubelet joins with it", f"token: {fresh}\n" in new.node.text(KUBECONFIG), new.node.text(KUBECONFIG))


def export(fleet, path, *more):
    """What kubectl prints when the output was applied."""
    items = list(more)
    for found in sorted((fleet.repo / "out/default").rglob("*.yaml")):
        if found.name != "kustomization.yaml" and "status" not in found.parts:
            text = found.read_text()
            items.append(yaml.load(run(PROGRAM, "unseal", str(found)) if "\nsops:" in text else text, yaml.CSafeLoader))
    path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(path)


def test_reported(folder, authority):
    """A node writes into its Node which Secret it has applied, with the kubelet's certificate, and observe reads it."""
    new = New(folder, authority)
    pool = "worker/kube-system/secret-cloud-config-pool.yaml"
    name, sum_ = "osm-gen.dev/cloud-config", "checksum/cloud-config-data"

    def committed():
        return new.fleet.file(pool)["metadata"]["annotations"]["checksum/data-script"]

    def observed(labels=None, *more):
        nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": node, "annotations": annotations, "labels": labels or {}}}
                 for node, annotations in new.api.nodes.items()]
        result = new.fleet.program("observe", *more, export(new.fleet, folder / "export.yaml", *nodes))
        return result.returncode, [line for line in result.stdout.splitlines() if line.startswith("Node ")], result.stdout

    new.boot()
    equal("before it has joined", (new.download()[0], new.api.written), (0, []))
    equal("the Secret has the digest of its script", committed(), hashlib.sha256(new.fleet.unsealed(pool)["script"].encode()).hexdigest())
    new.node.put(CERTIFICATE, authority.kubelet("node-1"))
    status, calls, stderr = new.download()
    check("without a Node it is only reported", (status, calls) == (0, []) and "tried again each minute" in stderr, stderr)
    equal("one try", ([code for _, code in new.api.written], new.download()[0], len(new.api.written)), ([201, 404], 0, 2))
    new.api.nodes = {"node-1": {"a": "b"}}
    equal("observe does not know whose Node it is", observed()[:2], (0, []))
    equal("unless it has the pool's label", observed({"worker.gardener.cloud/pool": "pool"})[:2],
          (1, ["Node node-1: has not yet applied Secret kube-system/cloud-config-pool"]))
    equal("not that of another", observed({"worker.gardener.cloud/pool": "other"})[:2], (0, []))
    os.utime(new.node.root / STATE / "work/unreported", (0, 0))
    equal("later", (new.download()[0], new.api.nodes["node-1"]), (0, {"a": "b", sum_: committed(), name: "cloud-config-pool"}))
    asked = len(new.api.written)
    equal("once", (new.download()[0], len(new.api.written)), (0, asked))
    status, lines, text = observed()
    check("observe: settled", (status, lines) == (0, []) and text.startswith("settled") and "; 1 of 1 nodes have applied it" in text, text)
    equal("observe -v lists it", observed(None, "-v")[1], ["Node node-1: has applied Secret kube-system/cloud-config-pool"])
    new.generate(config(a_conf="two\n"))
    old = new.api.nodes["node-1"][sum_]
    status, lines, text = observed()
    check("a change that no node has", (status, lines) == (1, ["Node node-1: has not yet applied Secret kube-system/cloud-config-pool"]) and
          "0 of 1 nodes" in text, text)
    equal("no look at nodes", observed(None, "--no-machines")[:2], (0, []))
    (new.node.root / "fail").write_text("restart --no-block a.service\n")
    equal("that fails", (new.download()[0], new.api.nodes["node-1"][sum_]), (1, old))
    (new.node.root / "fail").unlink()
    equal("and is repeated", (new.download()[0], new.api.nodes["node-1"][sum_] == committed() != old), (0, True))
    programs = folder / "programs"
    programs.mkdir()
    for found in os.listdir("/usr/bin"):
        if found not in ("curl", "jq", "python3"):
            (programs / found).symlink_to(f"/usr/bin/{found}")
    (new.node.stubs / "curl").unlink()
    new.generate(config(a_conf="three\n"))
    equal("with GNU Wget", (new.download(PATH=f"{new.node.stubs}:{programs}")[0], new.api.nodes["node-1"][sum_]), (0, committed()))
    new.fleet.fleet["spec"]["contract"] = 1
    new.generate(config())
    check("contract 1 has none", "checksum/data-script" not in new.fleet.file(pool)["metadata"].get("annotations", {}))


def test_two_tokens_later(folder, authority):
    """A node of contract 1 goes on reading with its token, which no longer joins."""
    new = New(folder, authority)
    new.fleet.fleet["spec"]["contract"] = 1
    new.boot()
    equal("contract 1", new.download()[0], 0)
    token = new.node.text(f"{STATE}/credentials/token")
    equal("one token for all", (new.node.text(f"{STATE}/credentials/bootstrap-token"), new.api.roles(token)), (token, ["node-bootstrapper", "nodeclient"]))
    new.node.put(CERTIFICATE, "certificate and key\n")
    new.fleet.fleet["spec"]["contract"] = 2
    check("none is lost", "OSG4132" not in (error := new.generate(config())), error)
    status, calls, stderr = new.download()
    equal("contract 2", (status, new.node.text(f"{STATE}/credentials/token"), new.api.roles(token)), (0, token, []))
    equal("nothing else is left", [new.node.text(path) for path in (f"{STATE}/credentials/bootstrap-token", KUBECONFIG)], [None, None])


def test_lost(folder, authority):
    """Tokens that end with the next output keep running nodes from it: osm-gen warns, and only then."""
    new = New(folder, authority, tokenRotation="one")
    new.boot()
    equal("the first token", new.download()[0], 0)
    check("the same tokens", "OSG4132" not in (error := new.generate(config(a_conf="two\n"))), error)
    new.fleet.settings["tokenRotation"] = "two"
    error = new.generate(config())
    check("a changed word", "OSG4132" in error and "lose their token" in error, error)
    status, calls, stderr = new.download()
    check("the node has no token", status == 1 and "no valid token (401)" in stderr, stderr)
    new.fleet.settings["tokenRotation"] = "weekly"
    check("the first period", "OSG4132" in (error := new.generate(config())), error)
    for weeks, warns in ((1, False), (1, False), (2, True)):
        new.fleet.date += weeks * 7 * 86400
        equal(f"{weeks} weeks later", "OSG4132" in new.generate(config()), warns)
    new.fleet.settings["gardenerBootstrapToken"] = "machine"
    check("machines' own first tokens", "OSG4132" not in (error := new.generate(config())), error)


def test_neighbours(folder, authority):
    """A pool's token reads the Secret of its pool only."""
    new = New(folder, authority)
    lake = copy.deepcopy(config())
    lake["metadata"]["name"] = "lake-original"
    new.boot(config(), lake)
    script = new.node.text(DOWNLOADER)
    check("its own", new.download()[0] == 0)
    status, calls, stderr = new.node.run(script.replace("name=cloud-config-pool", "name=cloud-config-lake"), **new.env)
    equal("the other pool's", new.api.asked[-1], ("/api/v1/namespaces/kube-system/secrets/cloud-config-lake", 403))


def test_server_changes(folder, authority):
    """A new CA and a new downloader reach running nodes; so does a unit that was changed by hand."""
    new = New(folder, authority)
    new.boot()
    new.download()
    later = Authority(folder / "later")
    new.generate(config(), info=cluster_info(new.api, authority, later))
    (new.node.root / "systemd/cloud-config-downloader.service").write_text("[Service]\n")
    status, calls, stderr = new.download()
    equal("both CAs", (status, calls), (0, ["daemon-reload"]))
    check("the unit is back", "RestartSec=30" in new.node.text("systemd/cloud-config-downloader.service"))
    new.api.trust(later)
    equal("the new CA alone", new.download()[:2], (0, []))


def test_given(folder, authority):
    """An OperatingSystemConfig of purpose provision in the repository wins; without one and a server there is a warning."""
    new = New(folder, authority)
    given = osc([{"name": "mine.service", "content": service("/opt/mine")}], [], purpose="provision")
    given["metadata"]["name"] = "pool-downloader"
    del given["spec"]["reloadConfigFilePath"]
    error = new.generate(config(), given)
    check("it is the user-data", "mine.service" in new.user_data() and "OSG4131" not in error, error)
    script = new.fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"]
    check("its downloader is not replaced", "\nhas_downloader=no\n" in script)
    error = new.fleet.generate(config())
    check("neither", "OSG4131" in error and not (new.fleet.repo / "out/default" / PROVISION).exists(), error)
    info = cluster_info(new.api, authority)
    info["data"]["kubeconfig"] = info["data"]["kubeconfig"].replace("https:", "http:")
    check("a server without TLS", "OSG4018" in (error := new.fleet.generate(config(), info, status=2)) and "https://" in error, error)


def test_given_apart(folder, authority):
    """In a file of its own its values are forgotten once it is rendered, which one thread does before the pool."""
    new = New(folder, authority)
    given = osc([{"name": "mine.service", "content": service("/opt/mine")}], [], purpose="provision")
    given["metadata"]["name"] = "pool-downloader"
    del given["spec"]["reloadConfigFilePath"]
    (new.fleet.repo / "provision.yaml").write_text(yaml.safe_dump(given))
    os.environ["OSM_GEN_JOBS"] = "1"
    error = new.generate(config())
    del os.environ["OSM_GEN_JOBS"]
    check("it is the user-data, too", "mine.service" in new.user_data() and "OSG4131" not in error, error)


@functools.cache
def shellcheck(script):
    return subprocess.run(["shellcheck", "-"], input=script, capture_output=True, text=True, check=False)


def test_systems(folder, authority):
    new = New(folder, authority, gardenerBootstrapToken="machine")
    for kind, cri in (("minimal", "docker"), ("ubuntu", "containerd"), ("ubuntu", "docker"), ("suse-chost", "containerd"),
                      ("memoryone-chost", "docker"), ("gardenlinux", "containerd"), ("flatcar", "containerd"), ("coreos", "docker")):
        manifest = config()
        manifest["spec"] |= {"type": kind, "criConfig": {"name": cri}}
        new.generate(manifest)
        data = new.user_data()
        equal(f"{kind}: machine-controller-manager finds its placeholder", data.count("<<BOOTSTRAP_TOKEN>>"), 1)
        check(f"{kind}: within 16 KiB", len(data) < 16384, len(data))
        unit = [unit for unit in new.fleet.file("status/shoot/nodeeffect-pool-downloader.yaml")["spec"]["units"]
                if unit["name"] == "cloud-config-downloader.service"][0]
        check(f"{kind}: after {cri}", f"After=network-online.target {cri}.service\n" in unit["content"], unit)
        if data.startswith("#!"):
            result = subprocess.run(["bash", "-n"], input=data, capture_output=True, text=True, check=False)
            check(f"{kind}: bash -n", result.returncode == 0, result.stderr)
        if shutil.which("shellcheck"):
            script = [file for file in new.fleet.file("status/shoot/nodeeffect-pool-downloader.yaml")["spec"]["files"]
                      if file["path"].endswith("/download-cloud-config.sh")][0]["content"]
            result = shellcheck(script)
            check(f"{kind}: shellcheck", result.returncode == 0, result.stdout)


with tempfile.TemporaryDirectory() as scratch:
    known = Authority(pathlib.Path(scratch) / "authority")
    for test in (test_boot, test_programs, test_adverse, test_user_data_apart, test_power_cut, test_rotated, test_two_tokens, test_two_tokens_rotated, test_two_tokens_later,
                 test_reported, test_lost, test_neighbours, test_server_changes, test_given, test_given_apart, test_systems):
        (pathlib.Path(scratch) / test.__name__).mkdir()
        test(pathlib.Path(scratch) / test.__name__, known)
finish()
