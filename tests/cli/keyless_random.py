#!/usr/bin/env python3
"""Random changes: the plan of a run without the seed has the classes of the one with it, or says UNKNOWN.

    keyless_random.py PROGRAM CASES CHANGES SEED [--keep]

A case is a small fleet with its output. Each of its changes is committed beside the others: `plan` then runs with the seed, and
without it and without any key. Every unit must have the same class in both, unless it is UNKNOWN without the seed. Some clusters
take their getter token from an encrypted Secret, from --secrets (which only the run with the seed has), or derive it.
"""
import argparse
import base64
import collections
import copy
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import proofs_random

KEYS = proofs_random.KEYS
GETTER = {"name": "cloud-init-getter-token", "namespace": "cloud-init-settings"}


class Fleet(proofs_random.Fleet):
    """Clusters with MachineDeployments in the output and machines that roll, and three ways to have a getter token."""

    def __init__(self, random_numbers, sealed):
        super().__init__(random_numbers)
        self.sealed = sealed  # texts of encrypted Secrets, by who has them; the first two have one value
        self.from_where = {name: random_numbers.choice(["clear", "clear", "derived", "sealed", "sealed", "outside"]) for name in self.clusters}
        self.which = {name: 0 for name in self.clusters}
        self.settings["prod"] = {"machineDeployments": "output", "roll": random_numbers.choice(["never", "profile", "user-data"])}
        self.settings["edge"]["managementCluster"] = "hub"
        self.defaults = {"nodeHTTPProxy": "http://fleet:pw-of-the-proxy-1@proxy.osm-gen.example:3128"}
        self.other = 0

    def write(self, root):
        super().write(root)
        for cluster, where in self.from_where.items():
            folder = root / "clusters" / cluster
            if "managementCluster" in self.settings[cluster]:
                settings = folder / "osm-gen.yaml"
                settings.write_text(settings.read_text().replace("    managementCluster: self\n", ""))
            if where == "clear":
                continue
            secrets = folder / "secrets.yaml"
            secrets.write_text(secrets.read_text().split("\n---\n", 1)[1])
            if where == "sealed":
                (folder / "token.yaml").write_text(self.sealed[cluster][self.which[cluster]])
        (root / "other.yaml").write_text(self.sealed["other"][self.other % 2].replace("cloud-init-getter-token", "of-something-else"))

    def edit_machines(self):
        words = super().edit_machines()
        if self.random.random() < 0.3:
            cluster, name = self.pick()
            self.clusters[cluster][name]["replicas"] = self.random.choice([0, 1, 5])
            words += f", {cluster}/{name}: replicas"
        return words

    def edit_settings(self):
        if self.random.random() < 0.5:
            return super().edit_settings()
        settings = self.random.choice([self.defaults, *self.settings.values()])
        key, values = self.random.choice([
            ("nodeHTTPProxy", ["http://fleet:pw-of-the-proxy-2@proxy.osm-gen.example:3128", "http://fleet:pw-of-the-proxy-3@proxy.osm-gen.example:3128"]),
            ("nodeContainerdRegistryMirrors", ["[docker.io=https://mirror-two.osm-gen.example]", "[docker.io=https://mirror-one.osm-gen.example]"]),
            ("kubeletFeatureGates", ["{NodeSwap: true}", "{NodeSwap: false}"]), ("tokenRotation", ["weekly", "monthly", "\"3\""])])
        settings[key] = self.random.choice(values)
        return f"setting {key}"

    def edit_cluster(self):
        cluster = self.random.choice(list(self.clusters))
        key, values = self.random.choice([
            ("machineDeployments", ["input", "output"]), ("managementCluster", ["hub", "self", "other"]), ("replicas", ["keep", "omit"]),
            ("roll", ["never", "profile", "user-data"])])
        self.settings[cluster][key] = self.random.choice(values)
        if self.settings[cluster].get("roll", "never") != "never":
            self.settings[cluster]["machineDeployments"] = "output"
        return f"{cluster}: {key} {self.settings[cluster][key]}"

    def edit_token(self):
        cluster = self.random.choice(list(self.clusters))
        if self.from_where[cluster] == "sealed" and self.random.random() < 0.7:
            self.which[cluster] = self.random.randrange(3)
            return f"{cluster}: another ciphertext"
        if self.from_where[cluster] == "clear" and self.random.random() < 0.5:
            return self.edit_secret()
        self.from_where[cluster] = self.random.choice(["clear", "derived", "sealed"])
        return f"{cluster}: the getter token is {self.from_where[cluster]}"

    def edit_other(self):
        self.other += 1
        return "an encrypted Secret that nothing refers to"

    def draw(self):
        edits = [self.edit_machines] * 5 + [self.edit_settings] * 5 + [self.edit_profile] * 3 + [self.edit_cluster] * 3 + [self.edit_token] * 3 + [
            self.add_or_remove, self.edit_extension, self.edit_fleet, self.edit_nothing, self.edit_other]
        return ", ".join(self.random.choice(edits)() for _ in range(self.random.choice([1, 1, 1, 2])))


class Case:
    def __init__(self, program, number, seed, scratch, sealed):
        self.program = program
        self.random = random.Random(f"{seed} {number}")
        self.repo = scratch / "repo"
        self.secrets = scratch / "secrets"
        self.fleet = Fleet(self.random, sealed)
        self.now = 1772593568
        self.words = "the first run"

    def git(self, *words):
        environment = {**os.environ, "GIT_AUTHOR_DATE": f"{self.now} +0000", "GIT_COMMITTER_DATE": f"{self.now} +0000"}
        return subprocess.run(["git", "-C", str(self.repo), *words], check=True, capture_output=True, text=True, env=environment).stdout.strip()

    def commit(self):
        self.now += self.random.choice([1, 60, 86400])
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", self.words)

    def run(self, *words, keyless=False):
        environment = dict(os.environ)
        flags = ["--rotate-recipients"] if words[0] != "generate" else ["--rotate-recipients", "--allow-removal", "--allow-roll"]
        if keyless:
            del environment["OSM_GEN_SEAL_SEED"], environment["SOPS_AGE_KEY_FILE"]
        else:
            flags += ["--secrets", str(self.secrets)]
        return subprocess.run([self.program, *words, *flags], cwd=self.repo, capture_output=True, text=True, env=environment)

    def begin(self):
        for cluster, where in self.fleet.from_where.items():
            (self.secrets / cluster).mkdir(parents=True)
            if where == "outside":
                (self.secrets / cluster / "token.json").write_text(json.dumps(
                    {"apiVersion": "v1", "kind": "Secret", "metadata": GETTER, "stringData": {"token": f"token-from-outside-of-{cluster}"}}))
        self.repo.mkdir()
        self.git("-c", "init.defaultBranch=main", "init", "-q")
        self.fleet.write(self.repo)
        self.commit()
        done = self.run("generate", "-q")
        if done.returncode != 0:
            self.fail("the first run fails", done.stderr)

    def fail(self, what, text):
        print(f"{what}: {self.words}\n{self.fleet.from_where}\n{self.fleet.settings}\n{text[:4000]}")
        raise SystemExit(1)

    def classes(self, keyless):
        done = self.run("plan", "-o", "json", keyless=keyless)
        if done.returncode == 2:
            return None, done
        if done.returncode != 0:
            self.fail(f"exit status {done.returncode}", done.stderr)
        return {(unit["cluster"], unit["name"]): unit["class"] for unit in json.loads(done.stdout)["units"]}, done

    def change(self, counts):
        """Makes a change, compares the classes, and takes it back."""
        fleet = copy.deepcopy(self.fleet)
        self.words = self.fleet.draw()
        self.fleet.write(self.repo)
        self.commit()
        known, with_seed = self.classes(False)
        unknown, without = self.classes(True)
        if known is not None and unknown is None:
            self.fail("fails without the seed only", without.stderr)
        for unit, name in (unknown or {}).items():
            if known is None:
                continue
            if name != "UNKNOWN" and name != known.get(unit):
                self.fail(f"{'/'.join(unit)} is {known.get(unit)} with the seed, {name} without", with_seed.stdout[:1500] + without.stdout)
            counts[known[unit], name != "UNKNOWN"] += 1
        if known is not None and set(known) != set(unknown):
            self.fail("other units", f"{known}\n{unknown}")
        calm = "no machine is replaced"
        if known and any(name == "UNKNOWN" for name in unknown.values()) and calm in self.run("plan", keyless=True).stdout:
            self.fail("calm beside UNKNOWN", "")
        if self.random.random() < 0.15 and self.run("generate", "-q").returncode == 0:
            return
        self.git("reset", "-q", "--hard", "HEAD~1")
        self.fleet = fleet


def encrypt(program, token):
    """Returns a getter token's Secret as `adopt` encrypts it, with a seed that nothing else has."""
    environment = {**os.environ, "OSM_GEN_SEAL_SEED": subprocess.run([program, "keygen", "seed"], check=True, capture_output=True, text=True).stdout.split("\n")[-2]}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["git", "-C", folder, "init", "-q"], check=True)
        recipient = (KEYS / "TEST-ONLY-identity.txt").read_text().split("public key: ")[1].split()[0]
        (root / "osm-gen.yaml").write_text(f"apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing: {{recipients: [{recipient}]}}\n")
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": GETTER, "type": "Opaque", "data": {"token": base64.b64encode(token.encode()).decode()}}
        machines = {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment", "metadata": {"name": "pool", "namespace": "kube-system"}, "spec": {
            "selector": {"matchLabels": {"pool": "a"}}, "template": {"metadata": {"labels": {"pool": "a"}}, "spec": {"versions": {"kubelet": "1.34.1"}, "providerSpec": {
                "value": {"cloudProvider": "hetzner", "cloudProviderSpec": {}, "operatingSystem": "ubuntu", "operatingSystemSpec": {}}}}}}}
        (root / "export.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [secret, machines]}))
        done = subprocess.run([program, "adopt", "export.json", "--cluster", "prod", "--into", "clusters/prod"], cwd=folder, env=environment, capture_output=True,
                              text=True)
        for path in (root / "clusters").rglob("*.yaml"):
            if "ENC[" in path.read_text():
                return path.read_text()
        raise SystemExit(f"adopt has encrypted nothing: {done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("cases", type=int)
    parser.add_argument("changes", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--keep", action="store_true", help="leave the repositories of a case that fails")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    seed_text = (KEYS / "TEST-ONLY-seed.txt").read_text().split("\n")
    os.environ["OSM_GEN_SEAL_SEED"] = next(line for line in seed_text if line and not line.startswith("#"))
    os.environ["SOPS_AGE_KEY_FILE"] = str(KEYS / "TEST-ONLY-identity.txt")
    os.environ.update({"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Tester", "GIT_COMMITTER_NAME": "Tester",
                       "GIT_AUTHOR_EMAIL": "tester@osm-gen.example", "GIT_COMMITTER_EMAIL": "tester@osm-gen.example"})
    tokens = ("getter-token-sealed-0001", "getter-token-sealed-0001", "getter-token-sealed-0002")
    sealed = {name: [encrypt(program, token) for token in tokens] for name in ("prod", "edge", "other")}
    counts = collections.Counter()
    for number in range(arguments.cases):
        scratch = pathlib.Path(tempfile.mkdtemp())
        try:
            case = Case(program, number, arguments.seed, scratch, sealed)
            case.begin()
            for _ in range(arguments.changes):
                case.change(counts)
        except SystemExit:
            print(f"case {number} of seed {arguments.seed}" + (f" in {scratch}" if arguments.keep else ""))
            raise
        finally:
            if not arguments.keep:
                shutil.rmtree(scratch, ignore_errors=True)
    told = sum(count for (_, is_known), count in counts.items() if is_known)
    print(f"{arguments.cases} fleets, {arguments.cases * arguments.changes} changes: {told} of {sum(counts.values())} classes known without the seed")
    for name in sorted({name for name, _ in counts}):
        print(f"  {name}: {counts[name, True]} known, {counts[name, False]} UNKNOWN")
    if told < sum(counts.values()) * 0.6:
        sys.exit("hardly any class is known without the seed")


if __name__ == "__main__":
    main()
