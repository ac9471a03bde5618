#!/usr/bin/env python3
"""Random histories: each command gives the same with proofs as without.

    proofs_random.py PROGRAM CASES SEED [--keep]

A case is a small fleet and some commits: edits of MachineDeployments, profiles, extensions, Secrets, settings, recipients and
the output itself; reverts, squashes, merges, rewritten messages. After each one `check`, `diff` and `plan` run in two copies of
the repository, one of them with --no-proofs, and then `generate`. Exit status, stdout, stderr and the new commit's id must be
the same in both. Commits of osm-gen depend on their source alone, so that the copies stay equal.
"""
import argparse
import base64
import copy
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEYS = HERE.parent / "keys"
OTHER_RECIPIENT = "age1n7m5s8le3r2j6jtfg7jy50dvdpwp0jma4fke3xrgyr2f28ms8d8qspk97p"

# A certificate of nobody.
CA = ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJBakNCdGFBREFnRUNBZ0VCTUFVR0F5dGxjREFRTVE0d0RBWURWUVFERXdWaVpXNWphREFnRncwM01EQXg"
      "KTURFd01EQXdNREJhR0E4eU1EazJNVEF3TWpBM01EWTBNRm93RURFT01Bd0dBMVVFQXhNRlltVnVZMmd3S2pBRgpCZ01yWlhBRElRREFEeWpKeFFJQVJvWkJ"
      "xL2RUQzk0bWxmZ2srZ3RCcGRpMlMzR0cyRnQzUjZNeU1EQXdEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFkQmdOVkhRNEVGZ1FVRlFlcGJWSkkzY0ZoVWsxS21"
      "XMTBkV3dqMGVJd0JRWUQKSzJWd0EwRUFYUHNWTHdzRkxQSmhhTXIyQTBEaUh3YVJRUkJFT3FVQXBET1cvTksybXorTUdnUUVwRmFSaFliVwpGWlUwVnp0QWl"
      "UaWUwYXduMERoWmxXU1RTL3lKQUE9PQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==")

PROFILE = """apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {{name: {name}, namespace: kube-system}}
spec:
  osName: ubuntu
  osVersion: "24.04"
  version: v1.0.{version}
  provisioningUtility: cloud-init
  supportedCloudProviders: [{{name: hetzner}}, {{name: openstack}}]
  bootstrapConfig:
    files:
    - path: /opt/bin/bootstrap
      permissions: 755
      content: {{inline: {{encoding: b64, data: "{text} {{{{ .KubeVersion }}}} {{{{ .Token }}}}"}}}}
  provisioningConfig:
    supportedContainerRuntimes:
    - name: containerd
      files:
      - path: /etc/containerd/config.toml
        permissions: 600
        content: {{inline: {{encoding: b64, data: "{{{{ .ContainerRuntimeConfig }}}}"}}}}
    files:
    - path: /opt/bin/setup
      permissions: 755
      content: {{inline: {{encoding: b64, data: "setup {more}"}}}}
    - path: /etc/setup
      permissions: 644
      content: {{inline: {{encoding: b64, data: "{text} {{{{ .CloudProviderName }}}}{now}"}}}}
"""

EXTENSION = """apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemProfileExtension
metadata: {{name: more, namespace: kube-system}}
spec:
  selector: {{profiles: [{profile}]}}
  files:
  - path: /etc/more
    content: {{text: "{text}\\n"}}
"""

MACHINES = """apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: {name}
  namespace: kube-system
  annotations: {{k8c.io/operating-system-profile: {profile}{annotations}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{pool: {name}}}}}
  template:
    metadata: {{labels: {{pool: {name}}}}}
    spec:
      versions: {{kubelet: {kubelet}}}
      providerSpec:
        value:
          cloudProvider: hetzner
          cloudProviderSpec: {{token: {token}}}
          operatingSystem: ubuntu
          operatingSystemSpec: {{distUpgradeOnBoot: {upgrade}}}
"""


class Fleet:
    """The inputs, from which the files are written anew after each edit."""

    def __init__(self, random_numbers):
        self.random = random_numbers
        # In some histories clusters split their provisioning, which profiles of our own alone can.
        self.splits = self.random.random() < 0.3
        self.of_machines = ["osp-ubuntu"] if self.splits else ["osp-own", "osp-own", "osp-ubuntu"]
        self.clusters = {"prod": {}, "edge": {}}
        self.settings = {name: {} for name in self.clusters}
        self.defaults = {"provisioning": "split"} if self.splits and self.random.random() < 0.7 else {}
        self.profiles = {"osp-own": {"version": 0, "text": "hello", "more": "", "now": ""}}
        self.extension = None
        self.tokens = {"prod": "getter-token-of-prod-0000", "edge": "getter-token-of-edge-0000"}
        self.second = False
        self.comments = 0
        self.removed = 0
        for cluster in self.clusters:
            for i in range(2):
                self.add_machines(cluster, f"pool-{i}")

    def add_machines(self, cluster, name):
        self.clusters[cluster][name] = {
            "profile": self.random.choice(self.of_machines), "annotations": "", "replicas": 2, "kubelet": "1.34.1",
            "token": self.random.choice(["some-hetzner-token-" + name, "{secretKeyRef: {namespace: kube-system, name: cloud, key: token}}"]),
            "upgrade": "false"}

    def write(self, root):
        for folder in ("clusters", "profiles"):
            shutil.rmtree(root / folder, ignore_errors=True)
            (root / folder).mkdir()
        recipients = [(KEYS / "TEST-ONLY-identity.txt").read_text().split("public key: ")[1].split()[0]]
        if self.second:
            recipients.append(OTHER_RECIPIENT)
        defaults = "".join(f"    {key}: {value}\n" for key, value in self.defaults.items())
        (root / "osm-gen.yaml").write_text(
            f"# {self.comments}\napiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n"
            f"  removalGuard: {{percent: 100, least: {3 + self.removed}}}\n  defaults:\n    clusterDNS: [10.10.10.10]\n{defaults}"
            f"{'  contract: 2' + chr(10) if self.splits else ''}"
            f"  sealing: {{recipients: [{', '.join(recipients)}]}}\n")
        for name, profile in self.profiles.items():
            (root / f"profiles/{name}.yaml").write_text(PROFILE.format(name=name, **profile))
        if self.extension:
            (root / "profiles/extension.yaml").write_text(self.extension)
        for cluster, machines in self.clusters.items():
            folder = root / "clusters" / cluster
            folder.mkdir()
            settings = "".join(f"    {key}: {value}\n" for key, value in self.settings[cluster].items())
            (folder / "osm-gen.yaml").write_text(
                f"apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {{name: {cluster}}}\nspec:\n  settings:\n"
                f"    managementCluster: self\n{settings}")
            (folder / "info.yaml").write_text(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-info, namespace: kube-public}\ndata:\n  kubeconfig: |\n"
                "    apiVersion: v1\n    kind: Config\n    clusters:\n    - name: \"\"\n"
                f"      cluster: {{server: \"https://{cluster}.osm-gen.example:6443\", certificate-authority-data: {CA}}}\n")
            clear = "annotations: {osm-gen.dev/clear: accepted}"
            (folder / "secrets.yaml").write_text(
                f"apiVersion: v1\nkind: Secret\nmetadata: {{name: cloud-init-getter-token, namespace: cloud-init-settings, {clear}}}\n"
                f"stringData: {{token: {self.tokens[cluster]}}}\n---\n"
                f"apiVersion: v1\nkind: Secret\nmetadata: {{name: cloud, namespace: kube-system, {clear}}}\n"
                f"data: {{token: {base64.b64encode(('cloud-' + self.tokens[cluster]).encode()).decode()}}}\n")
            (folder / "machines.yaml").write_text(
                f"# {self.comments}\n" + "---\n".join(MACHINES.format(name=name, **values) for name, values in sorted(machines.items())))

    # ---- edits; each returns a description

    def pick(self):
        cluster = self.random.choice(list(self.clusters))
        return cluster, self.random.choice(list(self.clusters[cluster]))

    def edit_machines(self):
        cluster, name = self.pick()
        key, values = self.random.choice([
            ("kubelet", ["1.34.1", "1.35.0", "1.33.4"]), ("replicas", [1, 2, 3]), ("upgrade", ["true", "false"]),
            ("profile", self.of_machines), ("token", ["another-token-of-hetzner", "the-third-token-of-hetzner"]),
            ("annotations", ["", ", note: \"1\"", ", machinedeployment.clusters.k8s.io/revision: \"2\"",
                             ", k8s.io/operating-system-profile: misspelt",
                             ", v1.kubelet-config.machine-controller.kubermatic.io/MaxPods: \"99\""])])
        self.clusters[cluster][name][key] = self.random.choice(values)
        return f"{cluster}/{name}: {key}"

    def add_or_remove(self):
        cluster, name = self.pick()
        if len(self.clusters[cluster]) > 2 and self.random.random() < 0.5:
            del self.clusters[cluster][name]
            return f"remove {cluster}/{name}"
        name = f"pool-{self.random.randrange(9)}"
        if name not in self.clusters[cluster]:
            self.add_machines(cluster, name)
        return f"add {cluster}/{name}"

    def edit_profile(self):
        profile = self.profiles["osp-own"]
        key, values = self.random.choice([
            ("text", ["hello", "world", "{{ .Token }}"]), ("more", ["", "--more"]),
            ("now", ["", "", " {{ now | date \\\"2006-01-02T15:04\\\" }}"])])
        profile[key] = self.random.choice(values)
        if self.random.random() < 0.9:
            profile["version"] += 1
        return f"profile: {key}"

    def edit_extension(self):
        self.extension = None if self.extension and self.random.random() < 0.4 else EXTENSION.format(
            profile=self.random.choice(["osp-own", "osp-ubuntu"]), text=self.random.choice(["one", "two"]))
        return "extension"

    def edit_secret(self):
        cluster = self.random.choice(list(self.clusters))
        # "hello" is in the clear in each profile's files; others are new.
        self.tokens[cluster] = self.random.choice([f"getter-token-number-{self.random.randrange(1000):04}", "/opt/bin/bootstrap"])
        return f"secret of {cluster}"

    def edit_settings(self):
        settings = self.random.choice([self.defaults, *self.settings.values()])
        key, values = ("provisioning", ["split", "split", "whole"]) if self.splits and self.random.random() < 0.5 else self.random.choice([
            ("nodeHTTPProxy", ["http://proxy:3128", "http://other:3128"]), ("externalCloudProvider", ["true", "false"]),
            ("pauseImage", ["registry.osm-gen.example/pause:3"]), ("tokenRotation", ["daily", "\"1\"", "\"2\""]),
            ("osc", ["sealed", "redacted", "patch"]), ("initialTaints", ["\"a=b:NoSchedule\""])])
        if key in settings and self.random.random() < 0.5:
            del settings[key]
        else:
            settings[key] = self.random.choice(values)
        return f"setting {key}"

    def edit_fleet(self):
        if self.random.random() < 0.5:
            self.second = not self.second
            return "recipients"
        self.removed += 1
        return "a guard"

    def edit_nothing(self):
        self.comments += 1
        return "a comment"


class Case:
    def __init__(self, program, number, seed, scratch):
        self.program = program
        self.random = random.Random(f"{seed} {number}")
        self.scratch = scratch
        self.now = 1772593568
        self.log = []
        self.kept = 0
        self.proofs = scratch / "proofs" / "repo"
        self.whole = scratch / "whole" / "repo"
        self.fleet = Fleet(self.random)
        self.commits = []

    def git(self, *words, repo=None):
        environment = {**os.environ, "GIT_AUTHOR_DATE": f"{self.now} +0000", "GIT_COMMITTER_DATE": f"{self.now} +0000"}
        return subprocess.run(["git", "-C", str(repo or self.proofs), *words], check=True, capture_output=True, text=True, env=environment).stdout.strip()

    def commit(self, words):
        self.now += self.random.choice([1, 60, 86400])
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", words)

    def begin(self):
        self.proofs.mkdir(parents=True)
        self.git("-c", "init.defaultBranch=main", "init", "-q")
        self.fleet.write(self.proofs)
        self.commit("inputs")
        self.whole.parent.mkdir(parents=True)
        shutil.copytree(self.proofs, self.whole)
        self.log.append("the first run")
        if self.run("generate", []) != 0:
            self.fail("the first run", self.last, "")

    # ---- steps

    def edit(self):
        edits = [self.fleet.edit_machines] * 5 + [self.fleet.add_or_remove] * 2 + [self.fleet.edit_profile] * 2 + [
            self.fleet.edit_extension, self.fleet.edit_secret, self.fleet.edit_settings, self.fleet.edit_settings, self.fleet.edit_fleet,
            self.fleet.edit_nothing]
        words = ", ".join(self.random.choice(edits)() for _ in range(self.random.choice([1, 1, 1, 2])))
        self.fleet.write(self.proofs)
        self.commit(words)
        return words

    def outputs(self):
        return sorted(path for path in (self.proofs / "out").rglob("*") if path.is_file())

    def edit_output(self):
        files = self.outputs()
        if not files:
            return "no output yet"
        file = self.random.choice(files)
        how = self.random.choice(["append", "remove", "swap", "proof", "stranger"])
        if how == "append":
            file.write_text(file.read_text() + "# by hand\n")
        elif how == "remove":
            file.unlink()
        elif how == "swap":
            file.write_text(self.random.choice(files).read_text())
        elif how == "proof":
            index = self.random.choice([path for path in files if path.name == "index.json"] or [file])
            index.write_text(index.read_text().replace('"proof": "a', '"proof": "b').replace('"kubelet": "1', '"kubelet": "2'))
        else:
            (self.proofs / "out" / "stranger.yaml").write_text("kind: Stranger\n")
        self.commit("edit the output")
        return f"output: {how} {file.relative_to(self.proofs)}"

    def revert(self):
        count = self.random.choice([1, 2, 3])
        commits = self.git("rev-list", "--first-parent", "HEAD").split()
        if len(commits) <= count + 1:
            return "nothing to revert"
        self.git("checkout", "-q", commits[count], "--", ".")
        # Files that the older commit lacks go, too.
        self.git("read-tree", "-u", "--reset", commits[count])
        self.commit(f"back to {count} before")
        return f"revert {count}"

    def squash(self):
        count = self.random.choice([2, 3])
        commits = self.git("rev-list", "--first-parent", "HEAD").split()
        if len(commits) <= count + 1:
            return "nothing to squash"
        messages = self.git("log", f"-{count}", "--format=* %B", "HEAD")
        if self.random.random() < 0.3:
            messages = "squashed\n"
        elif self.random.random() < 0.5:
            messages = "\n".join("    " + line for line in messages.split("\n"))
        self.git("reset", "-q", "--soft", f"HEAD~{count}")
        self.now += 1
        self.git("commit", "-q", "--allow-empty", "-m", "squash\n\n" + messages)
        return f"squash {count}"

    def merge(self):
        commits = self.git("rev-list", "--first-parent", "HEAD").split()
        if len(commits) < 3:
            return "nothing to merge"
        other = self.random.choice(commits[1:3])
        self.now += 1
        self.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "unused")
        tree = self.random.choice(["HEAD", other])
        merged = self.git("commit-tree", f"{tree}^{{tree}}", "-p", other, "-p", "HEAD", "-m", "merge")
        self.git("reset", "-q", "--hard", merged)
        return f"merge with the tree of {tree}"

    def rewrite(self):
        message = self.git("log", "-1", "--format=%B")
        old, new = self.random.choice([("Osm-Gen-Rendered: ", "Osm-Gen-Rendered: 0"), ("Osm-Gen-Inputs: ", "Osm-Gen-Inputs: f"),
                                       ("Osm-Gen-Rendered", "Osm-Gen-Nothing"), ("Osm-Gen-Inputs", "Osm-Gen-Nothing")])
        self.git("commit", "-q", "--amend", "--allow-empty", "-m", message.replace(old, new) + "\n")
        return f"rewrite {old}"

    # ---- both copies

    def run(self, command, more):
        results = []
        flags = ["--rotate-recipients", "--allow-removal"] + more
        for repo, extra in ((self.proofs, []), (self.whole, ["--no-proofs"])):
            done = subprocess.run([self.program, command, *flags, *extra], cwd=repo, capture_output=True, text=True, errors="replace")
            # The user-data nearest to its limit is not known to a run that has nothing to do.
            stderr = "".join(line for line in done.stderr.splitlines(True) if "fullest user-data" not in line)
            results.append((done.returncode, done.stdout, stderr, self.git("rev-parse", "HEAD", repo=repo), self.git("status", "--porcelain", repo=repo)))
        self.last = results[0][2]
        for name, proofs, whole in zip(("exit status", "stdout", "stderr", "commit", "work tree"), *results):
            if proofs != whole:
                self.fail(f"{command} {' '.join(more)}: {name} differs", proofs, whole)
        if results[0][0] not in (0, 1, 2, 3):
            self.fail(f"{command}: exit status {results[0][0]}", results[0][2], "")
        return results[0][0]

    def fail(self, words, proofs, whole):
        print(f"not the same: {words}\n  history:")
        for line in self.log:
            print("   ", line)
        print(f"  with proofs:\n{str(proofs)[:3000]}\n  without:\n{str(whole)[:3000]}")
        raise SystemExit(1)

    def step(self):
        steps = [self.edit] * 10 + [self.edit_output] * 2 + [self.revert, self.squash, self.merge, self.rewrite]
        before = self.git("rev-parse", "HEAD")
        fleet = copy.deepcopy(self.fleet)
        self.log.append(self.random.choice(steps)())
        self.git("fetch", "-q", str(self.proofs), "HEAD", repo=self.whole)
        self.git("reset", "-q", "--hard", "FETCH_HEAD", repo=self.whole)
        for command in ("check", "diff", "plan"):
            if self.random.random() < 0.4:
                self.run(command, [])
        status = self.run("generate", self.random.choice([[], [], ["-q"], ["-j", "1"]]))
        self.log[-1] += f" -> {status}"
        if status == 0:
            self.count_kept()
        if status != 0 and self.random.random() < 0.7:
            # Mistakes would stay: go back to where all was well.
            self.git("reset", "-q", "--hard", before)
            self.fleet = fleet
            self.log.append("  back")

    def count_kept(self):
        done = subprocess.run([self.program, "check", "-v", "--report", f"json={os.devnull}"], cwd=self.proofs, capture_output=True, text=True)
        for line in done.stderr.splitlines():
            if line.endswith(" kept"):
                self.kept += int(line.split(",")[1].split()[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("cases", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--keep", action="store_true", help="leave the repositories of a case that fails")
    arguments = parser.parse_args()
    seed_text = (KEYS / "TEST-ONLY-seed.txt").read_text().split("\n")
    os.environ["OSM_GEN_SEAL_SEED"] = next(line for line in seed_text if line and not line.startswith("#"))
    os.environ["SOPS_AGE_KEY_FILE"] = str(KEYS / "TEST-ONLY-identity.txt")
    os.environ.update({"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Tester", "GIT_COMMITTER_NAME": "Tester",
                       "GIT_AUTHOR_EMAIL": "tester@osm-gen.example", "GIT_COMMITTER_EMAIL": "tester@osm-gen.example"})
    kept = 0
    split = 0
    steps = 0
    for number in range(arguments.cases):
        scratch = pathlib.Path(tempfile.mkdtemp())
        try:
            case = Case(os.path.abspath(arguments.program), number, arguments.seed, scratch)
            case.begin()
            for _ in range(case.random.choice([3, 5, 8])):
                case.step()
                steps += 1
            kept += case.kept
            split += any("provisioning" in settings for settings in (case.fleet.defaults, *case.fleet.settings.values()))
        except SystemExit:
            print(f"case {number} of seed {arguments.seed}" + (f" in {scratch}" if arguments.keep else ""))
            raise
        finally:
            if not arguments.keep:
                shutil.rmtree(scratch, ignore_errors=True)
    print(f"{arguments.cases} histories, {steps} steps: the same with proofs as without; {kept} units kept, {split} histories end split")
    if kept < steps:
        sys.exit("hardly anything was kept: the histories test nothing")


if __name__ == "__main__":
    main()
