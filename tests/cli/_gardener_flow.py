"""Runs the execution scripts of gardenerFlow: downloader (tests/cli/gardener_flow.sh): ROOT PROGRAM"""

import base64
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import yaml

from _checks import check, equal, finish
from _gardener_node import PROGRAM, ROOT, STATE, Fleet, Node, cluster_info, config, file, osc, run, write

# User-data reloads systemd, too.
FIRST = ["daemon-reload", "daemon-reload", "enable a.service", "restart --no-block a.service", "enable b.service", "restart --no-block b.service",
         "disable c.service", "stop c.service", "enable d.service", "restart --no-block d.service"]
AGAIN = ["daemon-reload", "daemon-reload", "enable d.service", "restart --no-block d.service"]
ONLY_A = ["daemon-reload", "daemon-reload", "enable a.service", "restart --no-block a.service", *AGAIN[2:]]
ONLY_B = ["daemon-reload", "daemon-reload", "enable b.service", "restart --no-block b.service", *AGAIN[2:]]


JOINERS = "system:bootstrappers:osm-gen:join"


def bindings_of_nodes(fleet):
    bindings = [fleet.file(f"worker/clusterrolebinding-osm-gen-node-{name}.yaml") for name in ("bootstrapper", "client", "client-renewal")]
    return [(binding["roleRef"]["name"].split(":")[-1], [subject["name"] for subject in binding["subjects"]]) for binding in bindings]


def test_output(folder):
    fleet = Fleet(folder / "output", tokenRotation="weekly")
    script = fleet.script(config())
    secret = fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")
    equal("keys of the Secret", sorted(secret), ["checksum", "cloud_config", "script"])
    equal("checksum", secret["checksum"], run("sha256sum", str(write(folder / "s", script))).split()[0])
    token = re.search(r"^token=(\S+)$", script, re.M).group(1)
    binding = fleet.file("worker/kube-system/rolebinding-cloud-config-pool.yaml")
    tokens = sorted((fleet.repo / "out/default/worker/kube-system").glob("secret-bootstrap-token-*"))
    ids = [path.stem.removeprefix("secret-bootstrap-token-") for path in tokens]
    equal("users of the two periods", sorted(subject["name"] for subject in binding["subjects"]),
          [f"system:bootstrap:{name}" for name in ids])
    check("the token is one of them", token.split(".")[0] in ids, token)
    found = fleet.unsealed(f"worker/kube-system/secret-bootstrap-token-{token.split('.')[0]}.yaml")
    equal("its Secret", f"{found['token-id']}.{found['token-secret']}", token)
    equal("it joins nodes of a pool without the flow's user-data", found["auth-extra-groups"], JOINERS)
    equal("it ends after one more period", found["expiration"], "2026-03-16T00:00:00Z")
    rules = fleet.file("worker/kube-system/role-cloud-config-pool.yaml")["rules"]
    equal("the Role", rules, [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["cloud-config-pool"],
                               "verbs": ["get"]}])
    equal("bindings of nodes", bindings_of_nodes(fleet), [("node-bootstrapper", [JOINERS]), ("nodeclient", [JOINERS]), ("selfnodeclient", ["system:nodes"])])
    clear = "".join(path.read_text() for path in (fleet.repo / "out").rglob("*.yaml"))
    check("no token in the clear", token.split(".")[1] not in clear)
    fleet.settings["gardenerBootstrapToken"] = "machine"
    fleet.generate(config())
    subjects = fleet.file("worker/kube-system/rolebinding-cloud-config-pool.yaml")["subjects"]
    equal("machines' own tokens", subjects[0], {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group",
                                                "name": "system:bootstrappers"})
    equal("those join nobody", bindings_of_nodes(fleet)[1], ("nodeclient", [JOINERS]))
    fleet.fleet["spec"]["contract"] = 1
    fleet.generate(config())
    equal("contract 1", bindings_of_nodes(fleet), [("node-bootstrapper", ["system:bootstrappers"]), ("nodeclient", ["system:bootstrappers"]),
                                                   ("selfnodeclient", ["system:nodes"])])
    check("contract 1: without groups", not any("auth-extra-groups" in fleet.unsealed(path.relative_to(fleet.repo / "out/default"))
                                                for path in (fleet.repo / "out").rglob("secret-bootstrap-token-*")))


def test_labels(folder):
    """Gardener's label of the pool, from contract 2 on; a name that is too long for a label is none."""
    fleet, names = Fleet(folder / "labels"), ["cloud-config-blue-77ac3-original", "p" * 64 + "-original"]

    def labels(name, contract):
        fleet.fleet["spec"]["contract"] = contract
        manifest = config()
        manifest["metadata"]["name"] = name
        fleet.generate(manifest)
        found = fleet.file(f"worker/kube-system/secret-cloud-config-{name.removesuffix('-original').removeprefix('cloud-config-')}.yaml")
        return {key: value for key, value in found["metadata"]["labels"].items() if key.startswith(("gardener.cloud/", "worker."))}

    equal("contract 1", [labels(name, 1) for name in names], [{"gardener.cloud/role": "cloud-config"}] * 2)
    equal("contract 2", [labels(name, 2) for name in names],
          [{"gardener.cloud/role": "cloud-config", "worker.gardener.cloud/pool": "blue"}, {"gardener.cloud/role": "cloud-config"}])
    fleet.settings = {"gardenerNodeAgentSecrets": True}
    manifest = config()
    manifest["metadata"]["name"] = "p" * 64 + "-original"
    del manifest["spec"]["reloadConfigFilePath"]
    fleet.generate(manifest)
    check("for gardener-node-agent", "worker.gardener.cloud/pool" not in fleet.file(f"worker/kube-system/secret-{'p' * 64}.yaml")["metadata"]["labels"])


def test_dumped_pair(folder):
    """gardenlet's downloader in a dumped OperatingSystemConfig of purpose provision, with tokens that machines get themselves."""
    fleet = Fleet(folder / "pair", gardenerBootstrapToken="machine")
    provision = osc([], [file("/var/lib/cloud-config-downloader/download-cloud-config.sh", "PATH_CLOUDCONFIG_DOWNLOADER_SERVER=x\n")], purpose="provision")
    provision["metadata"]["name"] = "pool-downloader"
    del provision["spec"]["reloadConfigFilePath"]
    fleet.generate(config(), provision, cluster_info())
    user_data = fleet.unsealed("management/shoot/secret-osc-result-pool-downloader.yaml")["cloud_config"]
    check("the placeholder is in the user-data", "<<BOOTSTRAP_TOKEN>>" in user_data, user_data)


def test_given_token(folder):
    fleet = Fleet(folder / "given")
    secret = {"apiVersion": "v1", "kind": "Secret",
              "metadata": {"name": "bootstrap-token-abcdef", "namespace": "kube-system",
                           "labels": {"osm-gen.dev/cloud-config": "cloud-config-pool"}},
              "stringData": {"token-id": "abcdef", "token-secret": "0123456789abcdef"}}
    for groups in ({}, {"auth-extra-groups": f"{JOINERS}ers,system:bootstrappers:other"}):
        secret["stringData"] |= groups
        error = fleet.generate(config(), secret, status=2)
        check(f"one that cannot join: {groups}", "OSG4019" in error and f"auth-extra-groups to {JOINERS}" in error, error)
    secret["stringData"]["auth-extra-groups"] = f"system:bootstrappers:other,{JOINERS}"
    script = fleet.script(config(), secret)
    check("the given token", "\ntoken=abcdef.0123456789abcdef\n" in script)
    check("its Secret is not written", not list((fleet.repo / "out").rglob("secret-bootstrap-token-*")))
    equal("its user", fleet.file("worker/kube-system/rolebinding-cloud-config-pool.yaml")["subjects"][0]["name"],
          "system:bootstrap:abcdef")
    secret["stringData"]["token-secret"] = "short"
    check("a wrong one", "OSG5003" in (error := fleet.generate(config(), secret, status=2)) or "bootstrap token" in error, error)


def test_changes(folder):
    fleet, node = Fleet(folder / "changes"), Node(folder / "node")
    first = fleet.script(config())
    equal("the first run", node.run(first)[:2], (0, FIRST))
    equal("again: nothing", node.run(first)[:2], (0, []))
    equal("a file", (node.root / "opt/demo/it's motd").read_text(), "hello\n")
    token = re.search(r"^token=(\S+)$", first, re.M).group(1)
    equal("the token", node.text(f"{STATE}/credentials/token"), token)
    equal("it is for root alone", oct((node.root / STATE / "credentials/token").stat().st_mode & 0o777), "0o600")
    kubeconfig = yaml.load(node.text("lib/kubelet/kubeconfig-bootstrap"), yaml.CSafeLoader)
    equal("the kubelet's token", kubeconfig["users"][0]["user"]["token"], token)
    equal("its server", kubeconfig["clusters"][0]["cluster"],
          {"server": "https://api.example.com", "certificate-authority-data": base64.b64encode(b"certificate\n").decode()})
    equal("a file that a unit's script names", node.run(fleet.script(config(a_conf="two\n")))[:2], (0, ONLY_A))
    equal("the script itself", node.run(fleet.script(config(a_conf="two\n", run_a="#!/bin/sh\nexec a\n")))[:2], (0, ONLY_A))
    last = dict(a_conf="two\n", run_a="#!/bin/sh\nexec a\n", b_more="Nice=1\n")
    equal("a unit", node.run(fleet.script(config(**last)))[:2], (0, ONLY_B))
    status, calls, stderr = node.run(fleet.script(config(**last, motd="bye\n")))
    equal("a file that no unit names", (status, calls), (0, AGAIN))
    check("it is reported", "it's motd has changed; no unit names it" in stderr, stderr)
    check("the others are not", stderr.count("no unit names it") == 1, stderr)
    fleet.settings["tokenRotation"] = "another"
    rotated = fleet.script(config(**last, motd="bye\n"))
    equal("a rotated token restarts nothing", node.run(rotated)[:2], (0, []))
    check("it is installed", (new := node.text(f"{STATE}/credentials/token")) != token and f"token={new}\n" in rotated)
    check("for the kubelet, too", f"token: {new}" in node.text("lib/kubelet/kubeconfig-bootstrap"))


MOUNT = "[Mount]\nWhat=/opt/by-label/KUBEDEV\nWhere=/var/lib\nType=ext4\n[Install]\nWantedBy=local-fs.target\n"


def test_data_volume(folder):
    """Nothing formats the volume of var-lib.mount: a warning, and lines for a document, which run here with stubs."""
    fleet, node = Fleet(folder / "volume"), Node(folder / "with-volume")
    manifest = config()
    manifest["spec"]["units"].append({"name": "var-lib.mount", "content": MOUNT})
    error = fleet.generate(manifest, cluster_info())
    check("a warning", "warning[OSG4135]: var-lib.mount mounts /opt/by-label/KUBEDEV, and nothing formats this device" in error, error)
    script = fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"]

    def run_again():
        shutil.rmtree(node.root / STATE / "applied", ignore_errors=True)
        node.put(f"{STATE}/cloud_config", fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["cloud_config"])
        return [call for call in node.run(script)[1] if "mount" in call]

    equal("without the device", run_again(), [])
    node.put("opt/by-label/KUBEDEV", "")
    node.stub("systemctl", (node.stubs / "systemctl").read_text() + '[ "$2" != is-enabled ] || [ -e "$NODE/enabled" ]\n')
    equal("with it", run_again(), ["--quiet is-enabled var-lib.mount", "enable var-lib.mount"])
    (node.root / "enabled").touch()
    equal("enabled already", run_again(), ["--quiet is-enabled var-lib.mount"])
    lines = re.search(r"^label=KUBEDEV .*?^fi$", (ROOT / "docs/gardener.md").read_text(), re.M | re.S).group()
    document = yaml.safe_load(run(PROGRAM, "profiles", "show", "minimal-2021"))
    document["spec"]["provision"]["after"] = lines + "\n" + document["spec"]["provision"]["after"]
    check("a document that formats it", "OSG4135" not in (error := fleet.generate(manifest, document, cluster_info())), error)
    disk, size = "/dev/loop-control", "53687091200"
    listed = [f"/dev/root-disk disk {size} ext4 gpt", f"/dev/part part {size}", "/dev/other disk 1073741824", f"/dev/table disk {size} gpt"]
    for name, disks, want in (("one disk", [f"{disk} disk {size}"], 1), ("no disk", [], 0), ("two disks", [f"{disk} disk {size}", f"/dev/other disk {size}"], 0)):
        boot = Node(folder / f"boot {name}")
        boot.put("lib/kubelet/state", "here")
        for program in ("mkfs.ext4", "mount", "umount"):
            boot.stub(f"_{program}", f'#!/bin/sh\necho "{program} $*" >>"$CALLS"\n')
        boot.stub("blkid", "#!/bin/sh\nexit 2\n")
        boot.stub("lsblk", "#!/bin/sh\n[ $# -eq 2 ] || exit 0\ncat <<'END'\n" + "\n".join(listed + disks) + "\nEND\n")
        # The namespace is made by the real mount; a block device cannot be made here.
        stubs = "".join(f'{name}() {{ "$(command -v _{name})" "$@"; }}\n' for name in ("mount", "umount"))
        status, calls, stderr = boot.run(stubs + lines.replace("[ -b ", "[ -e ").replace("mkfs.ext4", "_mkfs.ext4").replace("/run/data-volume", "/opt/volume"))
        equal(f"{name}: calls", (status, calls), (0, [f"mkfs.ext4 -q -L KUBEDEV {disk}", f"mount {disk} /opt/volume", "umount /opt/volume",
                                                     "mount LABEL=KUBEDEV /var/lib"] if want else []))
        equal(f"{name}: the files", (boot.text("opt/volume/kubelet/state"), stderr), ("here" if want else None, ""))


def test_faults(folder):
    fleet, node = Fleet(folder / "faults"), Node(folder / "faulty")
    first, second = fleet.script(config()), fleet.script(config(a_conf="two\n", b_more="Nice=1\n"))
    node.run(first)
    shutil.rmtree(node.root / "opt/demo")
    node.put("opt/demo", "a file where a folder should be")
    status, calls, stderr = node.run(second)
    equal("a file that cannot be written", (status, calls), (1, []))
    check("says so", "failed" in stderr, stderr)
    (node.root / "opt/demo").unlink()
    node.put("fail", "restart --no-block b.service\n")
    status, calls, stderr = node.run(second)
    equal("a unit that does not restart", (status, "restart --no-block a.service" in calls), (1, True))
    equal("the next run repeats it alone", node.run(second)[:2], (1, ONLY_B))
    (node.root / "fail").unlink()
    equal("until it succeeds", node.run(second)[:2], (0, ONLY_B))
    for at, call in enumerate([FIRST[0], *FIRST[2:4], FIRST[-1]]):
        killed = Node(folder / f"killed-{at}")
        killed.put("kill", call + "\n")
        check(f"killed at {call}", killed.run(first)[0] != 0)
        (killed.root / "kill").unlink()
        status, calls, stderr = killed.run(first)
        check(f"killed at {call}: what was not recorded is repeated", status == 0 and call in calls and calls[-1] == FIRST[-1], f"{calls} {stderr}")
        equal(f"killed at {call}: then nothing", killed.run(first)[:2], (0, []))


def test_unwritten(folder):
    """An interpreter of cloud-configs that reports success whatever happens."""
    fleet, node = Fleet(folder / "unwritten"), Node(folder / "interpreter")
    manifest = config()
    manifest["spec"]["type"] = "flatcar"
    script = fleet.script(manifest)
    command = re.search(r"^command='?(\S+)", script, re.M).group(1)
    node.stub("true-interpreter", "#!/bin/sh\n")
    status, calls, stderr = node.run(script.replace(command, "true-interpreter", 1))
    equal("files that the interpreter did not write", (status, calls), (1, []))
    check("each is named", stderr.count("was not written") == 4, stderr)  # one of Flatcar's own


def test_spread(folder):
    fleet, node = Fleet(folder / "spread", gardenerApplySpread=300), Node(folder / "spreading")
    equal("the first one at once", node.run(fleet.script(config()))[:2], (0, FIRST))
    change = fleet.script(config(a_conf="two\n"))
    status, calls, _ = node.run(change)
    while node.text(f"{STATE}/due") is None:  # drew 0 seconds
        node.run(fleet.script(config()))
        status, calls, _ = node.run(change)
    equal("a change later", (status, calls), (0, []))
    due = node.text(f"{STATE}/due")
    check("within the spread", 0 < int(due.split()[1]) - time.time() <= 300, due)
    node.run(change)
    equal("the time stays", node.text(f"{STATE}/due"), due)
    node.put(f"{STATE}/due", f"{due.split()[0]} {int(time.time()) - 1}\n")
    equal("then it is applied", node.run(change)[:2], (0, ONLY_A))
    equal("nothing is left of it", node.text(f"{STATE}/due"), None)


def test_certificates(folder):
    """A CA is public, also if a file has it from a Secret: it is in cluster-info, too. A private key beside it is not."""
    fleet = Fleet(folder / "certificates")
    for name in ("ca", "other"):
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650", "-subj", f"/CN={name}",
            "-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt"))
    ca, other, key = (folder / "ca.crt").read_text(), (folder / "other.crt").read_text(), (folder / "ca.key").read_text()

    def generate(text, status=0, more=""):
        manifest = config()
        manifest["spec"]["files"].append({"path": "/etc/ca.crt", "content": {"secretRef": {"name": "ca", "dataKey": "ca.crt"}}})
        manifest["spec"]["files"].append({"path": "/etc/public", "content": {"inline": {"encoding": "", "data": "public" + more}}})
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "ca", "namespace": "shoot"}, "stringData": {"ca.crt": text}}
        kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [
            {"name": "", "cluster": {"server": "https://api.example.com", "certificate-authority-data": base64.b64encode(ca.encode()).decode()}}]}
        info = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
                "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}}
        return fleet.generate(manifest, secret, info, status=status)

    generate(ca)
    effect = fleet.file("status/shoot/nodeeffect-pool-downloader.yaml")["spec"]
    equal("the CA of cluster-info", effect["files"][1]["content"], ca)
    generate(ca + "\n" + other)
    generate(other + ca)
    generate(other + key)
    clear = "".join(path.read_text() for path in (fleet.repo / "out").rglob("*.yaml"))
    check("a private key beside a certificate stays secret", key.splitlines()[1] not in clear)
    error = generate(other + key, status=2, more=key)
    check("and its leak is found", "OSG5050" in error, error)


def test_systems(folder):
    """The scripts of all systems are POSIX shell without a fault."""
    fleet = Fleet(folder / "systems")
    for kind in ("minimal", "ubuntu", "suse-chost", "memoryone-chost", "gardenlinux", "flatcar", "coreos"):
        manifest = config()
        manifest["spec"]["type"] = kind
        path = write(folder / "script", fleet.script(manifest))
        result = subprocess.run(["sh", "-n", str(path)], capture_output=True, text=True, check=False)
        check(f"{kind}: sh -n", result.returncode == 0, result.stderr)
        if shutil.which("shellcheck"):
            result = subprocess.run(["shellcheck", "-s", "sh", str(path)], capture_output=True, text=True, check=False)
            check(f"{kind}: shellcheck", result.returncode == 0, result.stdout)
        data = fleet.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["cloud_config"]
        check(f"{kind}: user-data starts no unit by itself", "restart 'a.service'" not in data and "systemctl restart a" not in data)


with tempfile.TemporaryDirectory() as scratch:
    for test in (test_output, test_labels, test_dumped_pair, test_given_token, test_changes, test_data_volume, test_faults, test_unwritten, test_spread, test_certificates, test_systems):
        test(pathlib.Path(scratch))
finish()
