"""The repository that the boot test's machines come from, through the program: generated, committed, unsealed again."""

import base64
import json
import os
import pathlib
import subprocess

import yaml

import nodelib

API = "https://api.example.test:6443"
SETTINGS = "/etc/default/osm-node"
COMMANDS = "/var/log/node-commands"
PROFILE, EXTENSION = "osp-ubuntu-of-a-site", "of-a-site"
SETTINGS_ASKED = {"clusterDNS": ["10.96.0.10"], "pauseImage": "registry.example.test/pause:3.10"}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAd4mlY7Ld1vKQyC4BNbPiGnoUdGGYQXeSZhR0QKkDQX me"


def site_profile(text, settings, checksums):
    """The profile as docs/profiles.md has sites change it: another name, the mirrors' settings in a file. And commands of
    the site's own, which the profile as it is leaves to its services."""
    profile = yaml.safe_load(text)
    profile["metadata"]["name"] = PROFILE
    provisioning = profile["spec"]["provisioningConfig"]
    for path, permissions, data in ((SETTINGS, 644, settings), (f"{SETTINGS}.sha256", 640, checksums)):
        provisioning["files"].append({"path": path, "permissions": permissions, "content": {"inline": {"data": data}}})
    note = f"echo $(hostname) %s >>{COMMANDS}"
    provisioning["modules"] = {"bootcmd": [note % "bootcmd"],
                               "runcmd": [f"test -x /opt/bin/setup && {note % 'first'}", note % "second", note % "third"]}
    return profile


class Fleet:
    """One cluster with the pools `workers` and `others`. Its objects stand in git and nowhere else: the tokens are
    derived, so that the worker tree is all that the API server needs. `changes` makes the site's profile from the text of
    the program's own; `kubelet`, `settings` and `annotations` are the pools' version, and what is asked for them;
    `extension` is the spec of one for them all; `provisioning` is the setting, whole or split."""

    def __init__(self, scratch, changes, authority, site_ca, kubelet="1.35.2", settings=None, annotations=None, extension=None,
                 provisioning="whole"):
        self.program = os.environ.get("OSM_GEN", str(nodelib.ROOT / "build" / "osm-gen"))
        self.repo = scratch / "fleet"
        identity = self.osm_gen("keygen", "identity")
        recipient = next(line.split()[-1] for line in identity.splitlines() if "public key" in line)
        (scratch / "identity").write_text(identity)
        (scratch / "seed").write_text(self.osm_gen("keygen", "seed"))
        kubeconfig = {"apiVersion": "v1", "kind": "Config", "clusters": [{"name": "", "cluster": {
            "server": API, "certificate-authority-data": base64.b64encode(authority.crt.read_bytes()).decode()}}]}
        self.write("osm-gen.yaml", {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet", "spec": {
            "sealing": {"format": "sops", "recipients": [recipient]}, "commit": {"author": "Fleet <fleet@example.test>"}}})
        self.write("one/osm-gen.yaml", {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": "one"},
                                        "spec": {"settings": {"hostCABundle": "ca.pem", "provisioning": provisioning,
                                                               **(settings or SETTINGS_ASKED)}}})
        (self.repo / "one" / "ca.pem").write_text(site_ca.crt.read_text())
        self.write("one/cluster-info.json", {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-info", "namespace": "kube-public"},
            "data": {"kubeconfig": yaml.safe_dump(kubeconfig)}})
        self.write("one/profile.json", changes(self.osm_gen("profiles", "show", "osp-ubuntu")))
        for pool in ("workers", "others"):
            self.write(f"one/{pool}.json", {
                "apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
                "metadata": {"name": pool, "namespace": "kube-system", "annotations": {
                    "k8c.io/operating-system-profile": PROFILE,
                    **{nodelib.KUBELET_ANNOTATION + name: value
                       for name, value in (annotations or {"MaxPods": "64"}).items()}}},
                "spec": {
                    "selector": {"matchLabels": {"pool": pool}},
                    "template": {"metadata": {"labels": {"pool": pool}}, "spec": {
                        "versions": {"kubelet": kubelet}, "providerSpec": {"value": {
                            "cloudProvider": "hetzner", "cloudProviderSpec": {}, "operatingSystem": "ubuntu",
                            "sshPublicKeys": [KEY], "operatingSystemSpec": {"distUpgradeOnBoot": False}}}}}}})
        if extension:
            self.write("one/extension.json", {
                "apiVersion": "osm-gen.dev/v1alpha1", "kind": "OperatingSystemProfileExtension",
                "metadata": {"name": EXTENSION}, "spec": {**extension, "selector": {"profiles": [PROFILE]}}})
        git = ["git", "-C", str(self.repo), "-c", "user.name=test", "-c", "user.email=test@localhost"]
        for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "fleet"]):
            nodelib.run(git + command)
        self.osm_gen("generate", "--repo", self.repo, "--seal-seed-file", scratch / "seed")
        os.environ["SOPS_AGE_KEY_FILE"] = str(scratch / "identity")
        self.objects = [self.unsealed(self.repo / path) for path in self.committed("out/one/worker/*/*.yaml")]

    def write(self, path, data):
        file = self.repo / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(data))

    def osm_gen(self, *arguments):
        result = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False)
        if result.returncode:
            raise AssertionError(f"osm-gen {arguments[0]}: {result.stderr}")
        return result.stdout

    def committed(self, pattern):
        return nodelib.run(["git", "-C", str(self.repo), "ls-files", pattern]).stdout.splitlines()

    def unsealed(self, file):
        is_secret = file.name.startswith("secret-")
        return yaml.safe_load(self.osm_gen("unseal", file) if is_secret else file.read_text())

    def find(self, kind, name):
        """An object of the worker tree, or None."""
        return next((item for item in self.objects if (item["kind"], item["metadata"]["name"]) == (kind, name)), None)

    def secret_object(self, name):
        return self.find("Secret", name)

    def secret(self, name):
        """The data of a Secret of the worker tree, decoded."""
        return {key: base64.b64decode(value).decode() for key, value in self.secret_object(name)["data"].items()}

    def config_map(self, pool):
        """The ConfigMap that the pool's provisioning Secret names, or None: it is whole."""
        return self.find("ConfigMap", self.secret(f"{pool}-kube-system-provisioning-config")["cloud-config"].split(maxsplit=1)[0])

    def whole(self, pool):
        """The pool's provisioning config in one piece, whatever the setting is."""
        return self.osm_gen("render", "--repo", self.repo, "--machine-deployment", f"kube-system/{pool}", "--print", "provisioning",
                            "--provisioning", "whole", "--reveal", "--seal-seed-file", self.repo.parent / "seed")

    def node_token(self, pool):
        """The token of a pool's machines."""
        kubeconfig = yaml.safe_load(self.secret(f"kube-system-{pool}-kubelet-bootstrap-config")["kubeconfig"])
        return kubeconfig["users"][0]["user"]["token"]

    def system_config(self):
        """The OperatingSystemConfig as it stands in the management tree."""
        path = "out/one/management/kube-system/operatingsystemconfig-workers-kube-system-config.yaml"
        return yaml.safe_load(pathlib.Path(self.repo / path).read_text())
