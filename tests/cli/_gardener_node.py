"""Fleets and nodes for tests of gardenerFlow: downloader. The script's arguments are ROOT PROGRAM.

A node is a folder. It is mounted over /etc/systemd/system, /var/lib and /opt in a mount namespace of its own, where
scripts run as they are. systemctl is a stub that notes down how it was called."""

import base64
import os
import pathlib
import re
import subprocess
import sys

import yaml

from _checks import check

ROOT, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
STATE = "lib/cloud-config-downloader"
SYSTEMCTL = """#!/bin/sh
echo "systemctl $*" >>"$CALLS"
if [ -e "$FAIL" ] && grep -qF -- "$*" "$FAIL"; then exit 1; fi
if [ -e "$KILL" ] && grep -qxF -- "$*" "$KILL"; then kill -9 "$PPID"; fi
"""
IN_NAMESPACE = """mount --bind "$NODE/systemd" /etc/systemd/system && mount --bind "$NODE/lib" /var/lib &&
mount --bind "$NODE/opt" /opt && exec "$@"
"""


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def write(path, text):
    path.write_text(text)
    return path


class Fleet:
    """A repository of OperatingSystemConfigs; what osm-gen writes for it."""

    defaults = {"gardenerContract": "2021", "gardenerFlow": "downloader", "gardenerApplySpread": 0}

    def __init__(self, folder, **settings):
        self.repo, self.date = folder, 1772600000
        folder.mkdir()
        recipient = re.search(r"^ *- (age1\w+)$", (ROOT / "osm-gen.yaml").read_text(), re.M).group(1)
        self.settings = self.defaults | settings
        self.fleet = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet", "spec": {"sealing": {"recipients": [recipient]}}}
        run("git", "init", "-q", "-b", "main", str(folder))

    def commit(self, *manifests):
        self.fleet["spec"]["defaults"] = self.settings
        write(self.repo / "osm-gen.yaml", yaml.safe_dump(self.fleet))
        write(self.repo / "osc.yaml", yaml.safe_dump_all(manifests))
        run("git", "-C", str(self.repo), "add", "-A")
        run("git", "-C", str(self.repo), "commit", "-q", "--allow-empty", "-m", "inputs",
            env=os.environ | {"GIT_COMMITTER_DATE": f"{self.date} +0000"})

    def program(self, *args):
        return subprocess.run([PROGRAM, *args, "--repo", str(self.repo)], capture_output=True, text=True, check=False)

    def generate(self, *manifests, status=0):
        self.commit(*manifests)
        result = self.program("generate")
        check(f"generate ends with {status}", result.returncode == status, f"{result.returncode}: {result.stderr}")
        return result.stderr

    def file(self, path):
        return yaml.load((self.repo / "out/default" / path).read_text(), yaml.CSafeLoader)

    def unsealed(self, path):
        secret = yaml.load(run(PROGRAM, "unseal", str(self.repo / "out/default" / path)), yaml.CSafeLoader)
        data = {key: base64.b64decode(value).decode() for key, value in secret.get("data", {}).items()}
        return data | secret.get("stringData", {})

    def script(self, *manifests):
        self.generate(*manifests)
        return self.unsealed("worker/kube-system/secret-cloud-config-pool.yaml")["script"]


class Node:
    def __init__(self, folder):
        self.root, self.stubs, self.calls_file = folder, folder / "stubs", folder / "calls"
        for name in ("systemd", "lib", "opt", "stubs"):
            (folder / name).mkdir(parents=True)
        self.stub("systemctl", SYSTEMCTL)
        self.calls_file.touch()
        self.put(f"{STATE}/credentials/server", "https://api.example.com")
        self.put(f"{STATE}/credentials/ca.crt", "certificate\n")

    def stub(self, name, text):
        (self.stubs / name).write_text(text)
        (self.stubs / name).chmod(0o755)

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def text(self, path):
        return (self.root / path).read_text() if (self.root / path).exists() else None

    def run(self, script, shell="sh", **env):
        """(status, calls, stderr)"""
        self.calls_file.write_text("")
        (self.root / "script").write_text(script)
        environment = {"PATH": f"{self.stubs}:{os.environ['PATH']}", "NODE": str(self.root), "CALLS": str(self.calls_file),
                       "FAIL": str(self.root / "fail"), "KILL": str(self.root / "kill"), "LC_ALL": "C"} | env
        result = subprocess.run(["unshare", "-rm", "sh", "-c", IN_NAMESPACE, "sh", shell, str(self.root / "script")],
                                capture_output=True, text=True, env=environment, timeout=60, check=False)
        calls = [line.removeprefix("systemctl ") for line in self.calls_file.read_text().splitlines()]
        return result.returncode, calls, result.stderr


def cluster_info(ca="one"):
    kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [
        {"name": "", "cluster": {"server": "https://api.example.com", "certificate-authority-data": base64.b64encode(ca.encode()).decode()}}]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
            "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}}


def osc(units, files, kind="minimal", **spec):
    return {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
            "metadata": {"name": "pool-original", "namespace": "shoot"},
            "spec": {"type": kind, "purpose": "reconcile",
                     "reloadConfigFilePath": "/var/lib/cloud-config-downloader/downloads/cloud_config",
                     "units": units, "files": files} | spec}


def file(path, data, mode=0o644):
    return {"path": path, "permissions": mode, "content": {"inline": {"encoding": "", "data": data}}}


def service(run_, more=""):
    return f"[Service]\nExecStart={run_}\n{more}[Install]\nWantedBy=multi-user.target\n"


def config(a_conf="one\n", b_more="", motd="hello\n", run_a="#!/bin/sh\nexec a --config=/opt/demo/a.conf\n"):
    return osc([{"name": "a.service", "enable": True, "command": "start", "content": service("/opt/demo/run-a")},
                {"name": "b.service", "content": service("/opt/b --bootstrap-kubeconfig=/var/lib/kubelet/kubeconfig-bootstrap",
                                                         b_more)},
                {"name": "c.service", "enable": False, "command": "stop", "content": service("/opt/c")},
                {"name": "d.service", "command": "restart", "dropIns": [{"name": "10-d.conf", "content": "[Service]\n"}]},
                {"name": "docker.service", "dropIns": [{"name": "10-d.conf", "content": "[Service]\n"}]}],
               [file("/opt/demo/run-a", run_a, 0o755), file("/opt/demo/a.conf", a_conf), file("/opt/demo/it's motd", motd)])
