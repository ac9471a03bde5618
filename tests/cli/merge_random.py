#!/usr/bin/env python3
"""Random pull requests with output, merged and rebased by git, with and without `osm-gen merge-driver`.

    merge_random.py PROGRAM PAIRS SEED [CLUSTERS]

A pair is two branches of a fleet of CLUSTERS (40) clusters, each with a change of the inputs, mostly of the same cluster, and the output that
a run made of it. Git merges each into the other and rebases each onto the other: four results, with the driver and without. A
conflict is ended by the commands of docs/troubleshooting.md. Then `check` must report a difference if, and only if, the output is
not what one run makes of the merged inputs, and after `generate` the output folder must be what one run makes, with `check` and
`verify` content. Every tenth pair also goes through a merge queue:
three branches are merged one after another before anything runs.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASE = HERE.parent / "golden" / "base"
CLUSTERS = int(sys.argv[4] if len(sys.argv) > 4 else 40)
# What changes of settings change in user-data.
PROFILE_LINE = "            echo {{ .KubeVersion }}\n"
SETTINGS_LINES = "            echo {{ .PauseImage }} '{{ .HTTPProxy }}' '{{ range .ClusterDNSIPs }}{{ . }} {{ end }}'\n"
MACHINES = """apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: {name}
  namespace: kube-system
  annotations:
    k8c.io/operating-system-profile: osp-small
spec:
  replicas: 1
  selector: {{matchLabels: {{pool: {name}}}}}
  template:
    metadata:
      labels: {{pool: {name}}}
    spec:
      versions: {{kubelet: {kubelet}}}
      providerSpec:
        value:
          cloudProvider: hetzner
          cloudProviderSpec: {{serverType: cx22}}
          operatingSystem: ubuntu
          operatingSystemSpec: {{}}
          sshPublicKeys: []
"""
CLUSTER = """apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {{name: {name}}}
spec:
  settings:
    managementCluster: self
    externalCloudProvider: true
"""


KEYS = HERE.parent / "keys"
ENVIRONMENT = {
    **os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in (("NAME", "Tester"), ("EMAIL", "tester@osm-gen.example"))},
    "OSM_GEN_SEAL_SEED": next(line for line in (KEYS / "TEST-ONLY-seed.txt").read_text().split("\n") if line and line[0] != "#"),
    "SOPS_AGE_KEY_FILE": str(KEYS / "TEST-ONLY-identity.txt")}


class Failed(Exception):
    pass


class Repository:
    def __init__(self, program, path):
        self.program, self.path = program, path

    def run(self, *words, status=0):
        done = subprocess.run(words, cwd=self.path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        if status is not None and done.returncode != status:
            raise Failed(f"{' '.join(map(str, words))}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
        return done

    def git(self, *words, status=0):
        return self.run("git", *words, status=status).stdout.strip()

    def generate(self):
        self.run(self.program, "generate", "-q", "--allow-removal")

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def out(self):
        """The output, for comparison. Proofs that are old stay as long as nothing else in their index changes (docs/spec/proofs.md 3)."""
        files = dict(reversed(line.split("\t")) for line in self.git("ls-tree", "-r", "HEAD", "out").splitlines())
        for path in files:
            if path.endswith("/index.json"):
                files[path] = {**json.loads((self.path / path).read_text()), "proofs": None}
        return files

    def write(self, path, text):
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def edit(self, path, old, new):
        text = (self.path / path).read_text()
        assert old in text, (path, old)
        self.write(path, text.replace(old, new, 1))


def make_fleet(repo):
    repo.git("-c", "init.defaultBranch=main", "init", "-q")
    repo.git("config", "gc.auto", "0")
    repo.git("config", "maintenance.auto", "false")
    profile = (BASE / "osp-small.yaml").read_text()
    assert PROFILE_LINE in profile
    repo.write("osp-small.yaml", profile.replace(PROFILE_LINE, PROFILE_LINE + SETTINGS_LINES))
    repo.write("osm-gen.yaml", (BASE / "osm-gen.yaml").read_text() + "  delivery: {applier: flux, source: {kind: GitRepository, name: fleet}}\n")
    repo.write(".gitattributes", "/out/** merge=osm-gen\n")
    for i in range(CLUSTERS):
        add_cluster(repo, f"c{i:02}")
    repo.commit("inputs")
    repo.generate()


def add_cluster(repo, name):
    info = (BASE / "clusters/prod/cluster-info.yaml").read_text().replace("https://", f"https://{name}.")
    repo.write(f"clusters/{name}/cluster-info.yaml", info)
    repo.write(f"clusters/{name}/osm-gen.yaml", CLUSTER.format(name=name))
    for pool in "abc":
        repo.write(f"clusters/{name}/{pool}.yaml", MACHINES.format(name=pool, kubelet="1.34.1"))


# ---- changes: each returns the files that it touches ------------------------------------------------------------------------


def change_kubelet(repo, rng, cluster, _):
    path = f"clusters/{cluster}/{rng.choice('abc')}.yaml"
    return [path], lambda: repo.edit(path, "kubelet: 1.34.1", f"kubelet: 1.34.{rng.randint(2, 9)}")


def change_replicas(repo, rng, cluster, _):
    path = f"clusters/{cluster}/{rng.choice('abc')}.yaml"
    return [path], lambda: repo.edit(path, "replicas: 1", f"replicas: {rng.randint(2, 9)}")


def add_machines(repo, rng, cluster, branch):
    name = f"{branch}-{rng.randint(0, 9)}"
    path = f"clusters/{cluster}/{name}.yaml"
    return [path], lambda: repo.write(path, MACHINES.format(name=name, kubelet="1.34.1"))


def remove_machines(repo, rng, cluster, _):
    path = f"clusters/{cluster}/{rng.choice('abc')}.yaml"
    return [path], lambda: repo.git("rm", "-q", path)


def rename_machines(repo, rng, cluster, branch):
    pool = rng.choice("abc")
    path, to = f"clusters/{cluster}/{pool}.yaml", f"clusters/{cluster}/{branch}-renamed.yaml"

    def change():
        repo.git("mv", path, to)
        text = (repo.path / to).read_text()
        repo.write(to, text.replace(f"name: {pool}\n", f"name: {branch}-renamed\n"))

    return [path, to], change


def change_setting(repo, rng, cluster, _):
    path = f"clusters/{cluster}/osm-gen.yaml"
    line = rng.choice(["    clusterDNS: [10.9.8.%d]\n", "    tokenRotation: \"%d\"\n", "    nodeHTTPProxy: http://proxy-%d.example.com:3128\n"])
    text = line % rng.randint(1, 200)
    return [path], lambda: repo.write(path, (repo.path / path).read_text() + text)


def change_fleet(repo, rng, _, __):
    return ["osm-gen.yaml"], lambda: repo.edit(
        "osm-gen.yaml", "spec:\n", f"spec:\n  defaults: {{pauseImage: registry.example.com/pause:{rng.randint(1, 200)}}}\n")


def change_profile(repo, rng, _, __):
    def change():
        repo.edit("osp-small.yaml", "version: v1.0.0", f"version: v1.0.{rng.randint(1, 200)}")

    return ["osp-small.yaml"], change


def new_cluster(repo, rng, _, branch):
    name = f"n{branch}{rng.randint(0, 9)}"
    return [f"clusters/{name}"], lambda: add_cluster(repo, name)


def remove_cluster(repo, rng, cluster, _):
    return [f"clusters/{cluster}", *(f"clusters/{cluster}/{name}" for name in ("osm-gen.yaml", "a.yaml", "b.yaml", "c.yaml"))], \
        lambda: repo.git("rm", "-q", "-r", f"clusters/{cluster}")


CHANGES = [change_kubelet] * 4 + [add_machines] * 4 + [change_setting] * 3 + [remove_machines] * 2 + [
    change_replicas, rename_machines, change_fleet, change_profile, new_cluster, remove_cluster]


def make_branch(repo, rng, name, cluster, taken):
    """Changes files that no other branch changes: what people have to merge themselves is not osm-gen's."""
    repo.git("checkout", "-q", "-B", name, "main")
    words = []
    while not words or rng.random() < 0.4:
        change = rng.choice(CHANGES)
        of = cluster if rng.random() < 0.8 else f"c{rng.randrange(CLUSTERS):02}"
        paths, apply = change(repo, rng, of, name)
        if any(path in taken or any(path.startswith(other + "/") or other.startswith(path + "/") for other in taken) for path in paths):
            continue
        taken.update(paths)
        apply()
        words.append(f"{change.__name__} {of}")
    repo.commit(f"{name}: {', '.join(words)}")
    repo.generate()
    return ", ".join(words)


# ---- git ----------------------------------------------------------------------------------------------------------------------


def take_one_side(repo):
    """The commands of docs/troubleshooting.md, after a look at what conflicts."""
    conflicts = repo.git("diff", "--name-only", "--diff-filter=U").splitlines()
    if not conflicts or any(not path.startswith("out/") for path in conflicts):
        raise Failed(f"conflicts outside of the output: {conflicts}")
    repo.git("rm", "-r", "-q", "-f", "out")
    repo.git("checkout", "HEAD", "--", "out")


def merge(repo, other, counts):
    done = repo.run("git", "merge", "--no-edit", "-q", other, status=None)
    if done.returncode:
        counts["conflicts"] += 1
        take_one_side(repo)
        repo.git("commit", "-q", "--no-edit")


def rebase(repo, other, counts):
    done = repo.run("git", "rebase", "-q", other, status=None)
    had_conflict = False
    while done.returncode:
        had_conflict = True
        take_one_side(repo)
        done = repo.run("git", "-c", "core.editor=true", "rebase", "--continue", status=None)
    counts["conflicts"] += had_conflict
    if (repo.path / ".git/rebase-merge").exists() or repo.git("status", "--porcelain"):
        raise Failed("the rebase is not finished: " + repo.git("status"))


def settle(repo, expected, counts):
    """From a merge to what one run makes: nothing may look calm on the way, and everything is, at the end."""
    repo.run(repo.program, "check", "-q", "--allow-removal", status=0 if repo.out() == expected else 1)
    if repo.out() != expected:
        counts["stale"] += 1
        counts["verify"] += repo.run(repo.program, "verify", "-q", status=None).returncode
    repo.generate()
    if repo.out() != expected:
        now = repo.out()
        raise Failed(f"not what one run makes: {sorted(path for path in {**now, **expected} if now.get(path) != expected.get(path))}")
    repo.run(repo.program, "check", "-q")
    done = repo.run(repo.program, "verify", "-q", status=None)
    if done.returncode:
        # A merge that git made by itself and that is right has nothing to commit.
        counts["vouched"] += 1
        repo.run(repo.program, "generate", "--vouch", "-q")
        repo.run(repo.program, "verify", "-q")


def expected_of(repo, branches):
    """What one run makes of the merged inputs, on top of the output that all branches began with."""
    repo.git("checkout", "-q", "-B", "expected", "main")
    for branch in branches:
        repo.git("merge", "-q", "--no-edit", f"{branch}~1")
    repo.generate()
    return repo.out()


def count_result(results, name, driver):
    counts = results.setdefault((name, driver), dict.fromkeys(("results", "conflicts", "stale", "verify", "vouched"), 0))
    counts["results"] += 1
    return counts


def one_pair(repo, rng, number, results):
    cluster = f"c{rng.randrange(CLUSTERS):02}"
    taken = set()
    branches = ["x", "y"] + (["z"] if number % 10 == 0 else [])
    words = [make_branch(repo, rng, name, cluster, taken) for name in branches]
    ways = [("merge", merge, "x", "y"), ("merge", merge, "y", "x"), ("rebase", rebase, "x", "y"), ("rebase", rebase, "y", "x")]
    expected = expected_of(repo, ["x", "y"])
    for driver in (True, False):
        if driver:
            repo.git("config", "merge.osm-gen.driver", f"'{repo.program}' merge-driver %O %A %B %P")
        else:
            repo.git("config", "--remove-section", "merge.osm-gen")
        for name, way, one, other in ways:
            counts = count_result(results, name, driver)
            try:
                repo.git("checkout", "-q", "-B", "work", one)
                way(repo, other, counts)
                settle(repo, expected, counts)
            except Failed as failed:
                raise Failed(f"pair {number}, {name} of {one} ({words[0]}) and {other} ({words[1]}), "
                             f"{'with' if driver else 'without'} the driver: {failed}") from failed
        if "z" in branches:
            counts = count_result(results, "queue", driver)
            whole = expected_of(repo, branches)
            repo.git("checkout", "-q", "-B", "work", "main")
            for branch in branches:
                repo.git("checkout", "-q", "--detach")
                merge(repo, branch, counts)
            repo.git("checkout", "-q", "-B", "work")
            settle(repo, whole, counts)


def main():
    program, pairs, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        repo = Repository(program, pathlib.Path(scratch))
        make_fleet(repo)
        repo.git("config", "merge.osm-gen.driver", "none")
        for number in range(pairs):
            rng = random.Random(f"{seed} {number}")
            try:
                one_pair(repo, rng, number, results)
            except Failed as failed:
                print(failed)
                return 1
    for (name, driver), counts in results.items():
        print(f"{name} {'with' if driver else 'without'} the driver: {counts['results']} results, {counts['conflicts']} with a conflict "
              f"in the output, {counts['stale']} not up to date before the run ({counts['verify']} of them noticed by verify), "
              f"{counts['vouched']} that needed --vouch")
    return 0


sys.exit(main())
