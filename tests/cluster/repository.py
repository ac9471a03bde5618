"""The fleet's repository: what people write, what osm-gen makes of it, and the copy that Flux reads.

Two clusters that are managed from `hub`. `one` has a profile of its own and the pools `workers` and `others`, and has osm-gen
make the namespace of its management side; in the loop its provisioning configs are split. `two` is as KKP has it: its
Kustomizations, its kubeconfig and the namespace of its management side are in one namespace that is there before, and its
OperatingSystemConfigs are sealed. What osm-gen writes is `out/`; what it does not, MachineDeployments and how Flux applies them,
stands in `clusters/` and flux.py.
"""

import base64
import collections
import json
import os
import subprocess

import yaml

import nodelib

HUB, ONE, TWO = "hub", "one", "two"
CLUSTERS = (ONE, TWO)
PROFILE = "osp-ubuntu-of-a-site"
# Where the Kustomizations of a cluster are, and what the Secret with its kubeconfig is called there.
DELIVERY = {ONE: ("flux-system", "one-kubeconfig", "value"), TWO: ("cluster-two", "admin-kubeconfig", "kubeconfig")}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX me"
STORAGE_CLASS = "local"
POOLS = ((ONE, "workers"), (ONE, "others"), (TWO, "workers"))


def pool(name, kubelet="1.34.1", replicas=1, profile=None):
    """A MachineDeployment with every field that machine-controller's own webhook would add."""
    annotations = {"k8c.io/operating-system-profile": profile} if profile else {}
    spec = {"cloudProvider": "kubevirt", "operatingSystem": "ubuntu", "sshPublicKeys": [KEY],
            "operatingSystemSpec": {"distUpgradeOnBoot": False},
            "cloudProviderSpec": {"clusterName": {"value": "test"}, "virtualMachine": {"template": {
                "cpus": {"value": "1"}, "memory": {"value": "2048M"}, "primaryDisk": {
                    "osImage": {"value": "http://images.example.test/ubuntu.img"}, "size": {"value": "10Gi"},
                    "storageClassName": {"value": STORAGE_CLASS}, "storageAccessType": {"value": "ReadWriteOnce"}}}}}}
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": name, "namespace": "kube-system", "annotations": annotations},
            "spec": {"replicas": replicas, "minReadySeconds": 0, "progressDeadlineSeconds": 600, "revisionHistoryLimit": 5,
                     "paused": False,
                     "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                     "selector": {"matchLabels": {"pool": name}},
                     "template": {"metadata": {"labels": {"pool": name}},
                                  "spec": {"metadata": {"labels": {"pool": name}}, "versions": {"kubelet": kubelet},
                                           "providerSpec": {"value": spec}}}}}


Result = collections.namedtuple("Result", "stdout stderr")


class Repository:
    """A clone on branch main, and `remote`, bare, that it pushes to. `servers` has the URL of each cluster's API server,
    `pools` is (cluster, name) of each MachineDeployment, `more` are settings of `one`."""

    def __init__(self, folder, servers, authority, pools=POOLS, **more):
        self.program = os.environ.get("OSM_GEN", str(nodelib.ROOT / "build" / "osm-gen"))
        self.folder, self.path, self.remote = folder, folder / "fleet", folder / "fleet.git"
        self.identities, self.seed = folder / "identities", folder / "seed"
        self.new_identity()
        self.new_seed()
        self.fleet = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet", "spec": {
            "sealing": {"format": "sops", "recipients": [self.recipient]}, "commit": {"author": "Fleet <fleet@example.test>"},
            "delivery": {"applier": "flux", "source": {"kind": "GitRepository", "name": "fleet", "namespace": "flux-system"},
                         "kubeconfigSecret": "{cluster}-kubeconfig"}}}
        namespace, secret, key = DELIVERY[TWO]
        self.clusters = {
            ONE: {"settings": {"managementCluster": HUB, "namespace": "cluster-one", **more},
                  "delivery": {"managementNamespace": "create"}},
            TWO: {"settings": {"managementCluster": HUB, "namespace": "cluster-two", "osc": "sealed"},
                  "delivery": {"namespace": namespace, "kubeconfigSecret": secret, "kubeconfigKey": key,
                               "managementNamespace": "exists"}}}
        self.clusters = {name: self.clusters[name] for name in servers}
        for name in self.clusters:
            kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "", "cluster": {
                "server": servers[name], "certificate-authority-data": base64.b64encode(authority.read_bytes()).decode()}}]}
            self.write(f"clusters/{name}/cluster-info.json", {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
                "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}})
        self.profile = yaml.safe_load(self.osm_gen("profiles", "show", "osp-ubuntu").stdout)
        self.profile["metadata"].update(name=PROFILE, namespace="cluster-one")
        self.write("clusters/one/profile.json", self.profile)
        self.write_settings()
        for cluster, name in pools:
            self.write_pool(cluster, name)
        for command in (["init", "-q", "-b", "main", self.path], ["init", "-q", "--bare", "-b", "main", self.remote]):
            nodelib.run(["git", *map(str, command)])
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@localhost")
        self.git("remote", "add", "origin", str(self.remote))
        self.commit("the fleet")

    # ---- what people do

    def write(self, path, data):
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(data, indent=1) + "\n")

    def write_settings(self):
        self.write("osm-gen.yaml", self.fleet)
        for name, spec in self.clusters.items():
            self.write(f"clusters/{name}/osm-gen.yaml", {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Cluster",
                                                         "metadata": {"name": name}, "spec": spec})

    def write_pool(self, cluster, name, **changes):
        self.write(f"clusters/{cluster}/machines/{name}.yaml",
                   pool(name, profile=PROFILE if cluster == ONE else None, **changes))

    def git(self, *arguments, **options):
        return nodelib.run(["git", "-C", str(self.path), *arguments], **options)

    def commit(self, message, date=None):
        """With a date, the committer's in seconds, also if nothing has changed since."""
        self.git("add", "--all")
        dated = {"env": {**os.environ, "GIT_COMMITTER_DATE": f"@{date} +0000"}} if date else {}
        self.git("commit", "-q", *(["--allow-empty"] if date else []), "-m", message, **dated)

    def head(self):
        return self.git("rev-parse", "HEAD").stdout.strip()

    def push(self):
        """Its exit status is the caller's to look at."""
        return self.git("push", "-q", "origin", "main", check=False)

    # ---- what osm-gen does

    def new_identity(self):
        """Another age identity, beside those there are; `recipient` is its public key."""
        identity = self.osm_gen("keygen", "identity").stdout
        self.recipient = next(line.split()[-1] for line in identity.splitlines() if "public key" in line)
        with self.identities.open("a") as file:
            file.write(identity)
        return identity

    def new_seed(self):
        self.seed.write_text(self.osm_gen("keygen", "seed").stdout)

    def start(self, *arguments):
        """A run that goes on by itself."""
        return subprocess.Popen([self.program, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={"PATH": os.environ["PATH"], "SOPS_AGE_KEY_FILE": str(self.identities)})

    def osm_gen(self, *arguments, status=0):
        """What it has printed and said; AssertionError when it does not end with that status."""
        run = self.start(*arguments)
        result = Result(*run.communicate())
        if run.returncode != status:
            told = result.stdout if arguments[0] == "compare" else ""
            raise AssertionError(f"osm-gen {arguments[0]} ends with {run.returncode}: {result.stderr}{told}")
        return result

    def generate(self, *options, folder=None):
        return self.osm_gen("generate", "--repo", folder or self.path, "--seal-seed-file", self.seed, *options)

    def publish(self, message, *options):
        """Commits, has osm-gen commit its output, and pushes both; what osm-gen said."""
        self.commit(message)
        said = self.generate(*options).stderr
        result = self.push()
        if result.returncode:
            raise AssertionError(f"git push: {result.stderr}")
        return said

    # ---- what there is then

    def index(self, cluster):
        return json.loads((self.path / "out" / cluster / "index.json").read_text())

    def objects(self, cluster, side):
        """The side's objects as `osm-gen unseal` prints their files, or as they stand in those that are clear; the side
        `flux` is what a management cluster's Flux is given."""
        folder = self.path / "out" / (f"flux/{cluster}" if side == "flux" else f"{cluster}/{side}")
        files = sorted(path for path in folder.rglob("*.yaml") if path.name != "kustomization.yaml")
        sealed = [path for path in files if "ENC[" in path.read_text()]
        clear = [path for path in files if path not in sealed]
        texts = [self.osm_gen("unseal", path).stdout for path in sealed] + [path.read_text() for path in clear]
        return [yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) for text in texts]

    def secret(self, cluster, name):
        """The data of a Secret of the worker side, decoded."""
        item = next(item for item in self.objects(cluster, "worker")
                    if (item["kind"], item["metadata"]["name"]) == ("Secret", name))
        return {key: base64.b64decode(value).decode() for key, value in secret_data(item).items()}

    def whole(self, cluster, name):
        """A pool's provisioning config in one piece, whatever the setting is."""
        return self.osm_gen("render", "--repo", self.path, "--machine-deployment", f"{cluster}/kube-system/{name}", "--print",
                            "provisioning", "--provisioning", "whole", "--reveal", "--seal-seed-file", self.seed).stdout

    def config_map(self, cluster, name):
        """[The ConfigMap that a pool's provisioning Secret names], or [] when it is whole."""
        first = self.secret(cluster, f"{name}-kube-system-provisioning-config")["cloud-config"].split(maxsplit=1)[0]
        return [item for item in self.objects(cluster, "worker") if item["kind"] == "ConfigMap" and item["metadata"]["name"] == first]

    def readable_config_maps(self, cluster, name):
        """The ConfigMaps that a pool's Role lets its machines read: that one, and one that machines which start may yet have."""
        items = self.objects(cluster, "worker")
        role = next(item for item in items if (item["kind"], item["metadata"]["name"]) == (
            "Role", f"{name}-kube-system-bootstrap-reader"))
        names = {name for rule in role["rules"] if rule["resources"] == ["configmaps"] for name in rule["resourceNames"]}
        return [item for item in items if item["kind"] == "ConfigMap" and item["metadata"]["name"] in names]

    def node_token(self, cluster, name):
        """The token of a pool's machines."""
        kubeconfig = yaml.safe_load(self.secret(cluster, f"kube-system-{name}-kubelet-bootstrap-config")["kubeconfig"])
        return kubeconfig["users"][0]["user"]["token"]


def secret_data(item):
    """What the API server makes of a Secret's data and stringData."""
    texts = {key: base64.b64encode(text.encode()).decode() for key, text in item.get("stringData", {}).items()}
    return {**item.get("data", {}), **texts}
