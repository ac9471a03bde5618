#!/usr/bin/env python3
"""A random adopter: exports of a live cluster with a secret planted anywhere, and what `osm-gen adopt` makes of them.

    adopt_random.py PROGRAM CASES SEED [--repository DIR] [--show N]

Each case plants one canary (a text that a person would recognise as a secret, or one in a place that git has no use for) and
asks that no clear byte holds it: files of the folder and their names, revisions, the commit and what `generate` makes of it,
stdout and stderr; as it is or in any encoding that is undone here. Or adopt refused, with status 2 and nothing written.
docs/migration.md ("Secrets in an export") has what is promised.
"""
import argparse
import base64
import collections
import copy
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

import yaml

import _gardener_export as gardener

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

# ---- exports -------------------------------------------------------------------------------------


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def meta(name, namespace="kube-system", **more):
    return {"name": name, "namespace": namespace, "uid": "00000000-0000-4000-8000-%012d" % (sum(map(ord, name + namespace))),
            "resourceVersion": "1001", "generation": 3, "creationTimestamp": "2025-11-02T08:00:01Z",
            "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}], **more}


def machine_deployment(name, cloud, spec, system="ubuntu", annotations=None, labels=None, keys=(), more=None):
    return {
        "apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
        "metadata": meta(name, labels={"team": "infra", **(labels or {})},
                         annotations={"k8c.io/operating-system-profile": "osp-" + system, "machinedeployment.clusters.k8s.io/revision": "3",
                                      **(annotations or {})}),
        "spec": {"replicas": 2, "minReadySeconds": 0, "progressDeadlineSeconds": 600, "revisionHistoryLimit": 1, "paused": False,
                 "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
                 "selector": {"matchLabels": {"workerset": name}},
                 "template": {
                     "metadata": {"creationTimestamp": None, "labels": {"workerset": name},
                                  "annotations": {"kubectl.kubernetes.io/restartedAt": "2025-11-02T08:00:01Z"}},
                     "spec": {"metadata": {"creationTimestamp": None, "labels": {"pool": name, "example.com/tier": "gold"}},
                              "taints": [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}],
                              "providerSpec": {"value": {"cloudProvider": cloud, "cloudProviderSpec": spec, "operatingSystem": system,
                                                         "operatingSystemSpec": {"distUpgradeOnBoot": False}, "sshPublicKeys": list(keys),
                                                         **(more or {})}},
                              "versions": {"kubelet": "1.34.1"}}}},
        "status": {"replicas": 2, "observedGeneration": 3}}


def reference(name, key, kind="secretKeyRef", namespace="kube-system"):
    return {kind: {"namespace": namespace, "name": name, "key": key}}


def secret(name, data, namespace="kube-system", kind="Opaque", **more):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta(name, namespace, **more), "type": kind,
            "data": {key: b64(value) for key, value in data.items()}}


PROFILE = {
    "apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemProfile",
    "metadata": meta("osp-corp", labels={"owner": "platform"}),
    "spec": {
        "osName": "ubuntu", "osVersion": "24.04", "version": "v1.2.0", "provisioningUtility": "cloud-init",
        "supportedCloudProviders": [{"name": "aws"}, {"name": "hetzner"}, {"name": "openstack"}, {"name": "equinixmetal"}],
        "bootstrapConfig": {
            "files": [{"path": "/opt/bin/bootstrap", "permissions": 755, "content": {"inline": {"encoding": "b64", "data":
                "#!/bin/bash\nset -euo pipefail\ncurl -s --header 'Authorization: Bearer {{ .Token }}' {{ .ServerURL }}/api/v1/x\n"}}}],
            "templates": {"greeting": "echo hello"},
            "modules": {"runcmd": ["systemctl restart bootstrap.service"]}},
        "provisioningConfig": {
            "supportedContainerRuntimes": [{"name": "containerd", "files": [{"path": "/etc/crictl.yaml", "content": {"inline": {
                "encoding": "b64", "data": "runtime-endpoint: unix:///run/containerd/containerd.sock\n"}}}],
                "templates": {"containerRuntimeInstallation": "apt-get install -y containerd.io\n"}}],
            "units": [{"name": "kubelet.service", "enable": True, "content": "[Unit]\nAfter=network.target\n[Install]\nWantedBy=multi-user.target\n",
                       "dropIns": [{"name": "10-x.conf", "content": "[Service]\nEnvironment=A=b\n"}]}],
            "files": [{"path": "/opt/bin/setup", "permissions": 755, "content": {"inline": {"encoding": "b64", "data":
                "#!/bin/bash\nset -euo pipefail\nSUM=67c983ee8a6bbce73d39a186e633c5fe4f8a70e62171ac3bd92a9c1b2c601670\n"
                "{{- template \"containerRuntimeInstallation\" }}\n"}}}]}}}

SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq2v0RrN3bQW1nQ6cC0yqk6yqzqLx2w0vXcY0zvH7mE ops@example.com"


def ca_certificate():
    live = yaml.load(open(pathlib.Path(__file__).parent / "adopt/live.yaml"), LOADER)
    return next(o for o in live["items"] if o["metadata"]["name"] == "cluster-info")


def base_objects():
    cluster_info = ca_certificate()
    return [
        cluster_info,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("cloud-settings"), "data": {"username": "svc-machines", "region": "eu-1"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("coredns"), "data": {"Corefile": ".:53 { errors }"}},
        machine_deployment("workers", "hetzner", {"serverType": "cx22", "location": "fsn1", "labels": {"stage": "prod"},
                                                  "token": reference("hetzner", "token")}, keys=[SSH_KEY],
                           annotations={"v1.kubelet-config.machine-controller.kubermatic.io/MaxPods": "110"}),
        machine_deployment("stack", "openstack", {
            "image": "Ubuntu 24.04", "flavor": "m1.small", "region": {"value": "eu-1"}, "network": "net-a", "tags": {"kube": "yes"},
            "identityEndpoint": "https://keystone.example.com:5000/v3", "projectID": "0123456789abcdef0123456789abcdef",
            "username": reference("cloud-settings", "username", "configMapKeyRef"), "password": reference("openstack", "password"),
            "domainName": "Default", "instanceReadyCheckTimeout": "2m"}),
        machine_deployment("amazon", "aws", {
            "region": "eu-central-1", "availabilityZone": "eu-central-1a", "vpcId": "vpc-0123456789abcdef0", "subnetId": "subnet-0a1b2c3d4e5f60718",
            "instanceType": "t3.medium", "ami": "ami-0abcdef1234567890", "securityGroupIDs": ["sg-0123456789abcdef0"], "diskSize": 50, "diskType": "gp3",
            "tags": {"owner": "infra"}, "accessKeyId": reference("aws", "accessKeyId"), "secretAccessKey": reference("aws", "secretAccessKey")},
            annotations={"cluster.k8s.io/cluster-api-autoscaler-node-group-min-size": "1", "k8c.io/operating-system-profile": "osp-corp"}),
        {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineSet",
         "metadata": meta("workers-5d8f9", annotations={"machinedeployment.clusters.k8s.io/revision": "3"},
                          ownerReferences=[{"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment", "name": "workers", "uid": "x"}]),
         "spec": {"replicas": 2}},
        {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "Machine", "metadata": meta("workers-5d8f9-x7k2p"), "spec": {"providerSpec": {}}},
        secret("hetzner", {"token": "TEST-ONLY-hetzner-token-in-base"}),
        secret("openstack", {"password": "TEST-ONLY-openstack-password"}),
        secret("aws", {"accessKeyId": "TEST-ONLY-access-key", "secretAccessKey": "TEST-ONLY-secret-access-key"}),
        secret("unrelated", {"password": "TEST-ONLY-unrelated-password"}),
        secret("sh.helm.release.v1.osm.v1", {"release": b64(gzip.compress(b'{"chart": {"values": {}}}'))}, kind="helm.sh/release.v1"),
        secret("cloud-init-getter-token", {"token": "TEST-ONLY-token-of-an-account", "namespace": "cloud-init-settings"}, "cloud-init-settings",
               "kubernetes.io/service-account-token", annotations={"kubernetes.io/service-account.name": "cloud-init-getter",
                                                                   "kubernetes.io/service-account.uid": "00000000-0000-4000-8000-00000000abcd"}),
        secret("bootstrap-token-cccccc", {"token-id": "cccccc", "token-secret": "testonlytoken123", "usage-bootstrap-authentication": "true"},
               kind="bootstrap.kubernetes.io/token", labels={"machinedeployment.k8s.io/name": "kube-system-workers"}),
        secret("workers-kube-system-bootstrap-config", {"cloud-config": "#cloud-config\n"}, "cloud-init-settings",
               annotations={"k8c.io/machine-deployment-revision": "3"}),
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta("cloud-init-getter", "cloud-init-settings"),
         "secrets": [{"name": "cloud-init-getter-token"}], "imagePullSecrets": [{"name": "pull"}]},
        {"apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemConfig",
         "metadata": meta("workers-kube-system-config"), "spec": {"osName": "ubuntu"}},
        PROFILE,
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta("operating-system-manager"),
         "spec": {"template": {"spec": {"containers": [{
             "name": "operating-system-manager", "image": "quay.io/kubermatic/operating-system-manager:v1.8.0",
             "command": ["/usr/local/bin/osm-controller"],
             "args": ["-cluster-dns=169.254.20.10", "-namespace=kube-system", "-pause-image=registry.example.com/pause:3.10",
                      "-node-http-proxy=http://proxy:3128", "-node-insecure-registries=registry.example.com", "-worker-count", "5"],
             "env": [{"name": "OS_REGION_NAME", "value": "eu-1"}]}]}}}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": meta("leader"), "rules": []},
    ]


def gardener_objects(contract):
    """A cluster that Gardener runs, with MachineDeployments of machine-controller-manager, which nothing reads."""
    return gardener.seed(contract) + gardener.shoot(contract) + [
        {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineDeployment", "metadata": meta("worker", gardener.SEED_NAMESPACE),
         "spec": {"replicas": 2, "template": {"spec": {"class": {"kind": "MachineClass", "name": "worker"}}}}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("coredns"), "data": {"Corefile": ".:53 { errors }"}}]


def write_export(rng, objects, folder):
    """One of the forms that kubectl and people make; returns the files."""
    form = rng.choice(["yaml", "json", "documents", "typed", "split"])
    if form == "json":
        texts = [json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=rng.choice([4, None]), ensure_ascii=rng.random() < .5)]
    elif form == "documents":
        texts = [yaml.dump_all(objects, Dumper=DUMPER, width=rng.choice([80, 10000]))]
    elif form == "typed":
        machines = [o for o in objects if o["apiVersion"] == "cluster.k8s.io/v1alpha1" and o["kind"] == "MachineDeployment"]
        texts = [yaml.dump({"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeploymentList", "items": machines}, Dumper=DUMPER),
                 yaml.dump({"apiVersion": "v1", "kind": "List", "items": [o for o in objects if o not in machines]}, Dumper=DUMPER)]
    else:
        cut = rng.randrange(1, len(objects)) if form == "split" else len(objects)
        texts = [yaml.dump({"apiVersion": "v1", "items": part, "kind": "List"}, Dumper=DUMPER) for part in (objects[:cut], objects[cut:]) if part]
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"live-{number}.{'json' if form == 'json' else 'yaml'}")
        files[-1].write_text(text, encoding="utf-8")
    return files


# ---- canaries ------------------------------------------------------------------------------------

UPPER, LOWER, DIGITS = "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnpqrstuvwxyz", "23456789"


def mixed(rng, length):
    """As chance mixes them: of three characters in a row at least two kinds."""
    text = ""
    while len(text) < length:
        text += "".join(rng.sample([rng.choice(UPPER), rng.choice(LOWER), rng.choice(DIGITS)], 3))
    return text[:length]


class Canary:
    """needle: what must be found nowhere. text: how it stands there."""

    def __init__(self, rng, in_named_place):
        kinds = ["random", "random", "hex", "jwt", "bootstrap", "github", "aws", "bearer", "url", "crypt", "named", "basic", "key"]
        self.kind = rng.choice(kinds + ["password"] * 3 * in_named_place)
        if self.kind == "hex":
            self.needle = self.text = "".join(rng.choice("0123456789abcdef") for _ in range(40))
        elif self.kind == "jwt":
            self.needle = mixed(rng, 43)
            self.text = "eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9.eyJpc3MiOiJrdWJlcm5ldGVzL3NlcnZpY2VhY2NvdW50In0." + self.needle
        elif self.kind == "bootstrap":
            self.needle = "".join(rng.choice("bcdfghjk23456789") for _ in range(15)) + "7"
            self.text = "abc2ef." + self.needle
        elif self.kind == "github":
            self.needle = mixed(rng, 36)
            self.text = "ghp_" + self.needle
        elif self.kind == "aws":
            self.needle = self.text = "AKIA" + "".join(rng.choice(UPPER + DIGITS) for _ in range(16))
        elif self.kind == "password":
            self.needle = self.text = rng.choice(["Tulip", "winter", "Falcon!", "blue-Sky_"]) + str(rng.randrange(10**6, 10**7)) + rng.choice(["!", "x", "-a"])
        elif self.kind == "bearer":
            self.needle = rng.choice(["opensesame", "let-me-in-"]) + str(rng.randrange(10**6, 10**7))
            self.text = "Bearer " + self.needle
        elif self.kind == "basic":
            self.needle = b64("robot:spring" + str(rng.randrange(10**6, 10**7)))
            self.text = "Basic " + self.needle
        elif self.kind == "url":
            self.needle = "pw" + str(rng.randrange(10**6, 10**7)) + "end"
            self.text = rng.choice(["https://robot:%s@proxy.example.com:3128", "postgres://app:%s@db/main", "amqp://u:%s@mq:5672/"]) % self.needle
        elif self.kind == "crypt":
            self.needle = mixed(rng, 86)
            self.text = "$6$rounds=4096$" + mixed(rng, 12) + "$" + self.needle
        elif self.kind == "named":
            self.needle = "Harbour" + str(rng.randrange(10**6, 10**7)) + "q"
            self.text = rng.choice(["password: %s", "DB_PASSWORD=%s", '{"clientSecret": "%s"}', "# the token: %s", "--token=%s", "apiKey=%s",
                                    "env:\n- name: DB_PASSWORD\n  value: %s\n", "server=db;password=%s;timeout=5"]) % self.needle
        elif self.kind == "key":
            self.needle = mixed(rng, 48)
            head = rng.choice(["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])
            self.text = rng.choice([f"-----BEGIN {head}-----\n{self.needle}\n-----END {head}-----\n",
                                    "AGE-SECRET-KEY-1" + self.needle.upper(),
                                    f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{self.needle}\n-----END PGP PRIVATE KEY BLOCK-----\n"])
            if self.text.startswith("AGE"):
                self.needle = self.needle.upper()
        else:
            self.needle = self.text = mixed(rng, rng.choice([32, 40, 64]))


def pem_around(text):
    body = b64(text)
    lines = "\n".join(body[i:i + 64] for i in range(0, len(body), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"


ENCODERS = {
    "base64": b64,
    "base64url": lambda t: base64.urlsafe_b64encode(t.encode()).decode().rstrip("="),
    "base64 wrapped": lambda t: base64.encodebytes(t.encode()).decode(),
    "gzip": lambda t: b64(gzip.compress(t.encode(), mtime=0)),
    "zlib": lambda t: b64(zlib.compress(t.encode())),
    "hex": lambda t: t.encode().hex(),
    "percent": lambda t: "".join("%%%02X" % c for c in t.encode()),
    "quoted": lambda t: urllib.parse.quote(t, safe=""),
    "json string": lambda t: json.dumps({"note": t}),
    "json in json": lambda t: json.dumps({"spec": json.dumps({"note": t})}),
    "base64 of json": lambda t: b64(json.dumps({"token": t})),
    "yaml": lambda t: yaml.safe_dump({"a": {"note": t}}),
    "pem": pem_around,
    "comment": lambda t: "# see " + t,
    "command": lambda t: "curl -H 'X-Auth: " + t.replace("'", "") + "' https://example.com",
    "object": lambda t: json.dumps({"apiVersion": "v1", "kind": "Secret", "data": {"token": b64(t)}}),
}


def encode(rng, text):
    chain = [rng.choice(list(ENCODERS)) for _ in range(rng.choice([0, 0, 0, 1, 1, 1, 2, 2, 3]))]
    for name in chain:
        text = ENCODERS[name](text)
    return text, chain


# ---- mutations -----------------------------------------------------------------------------------


def leaves(value, path=()):
    """(parent, key, path) of each scalar and of each map."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key, path + (key,)
        yield from leaves(inner, path + (key,))


# What git holds encrypted, or what fields whose every text is a reference's.
def is_sealed(path, kind):
    return kind == "Secret" and path and path[0] in ("data", "stringData")


IDENTIFIER = re.compile(r"(?i)(id|ids|name|names|image|namespace|ami|arn|hash|fingerprint|checksum|digest|sha256|template|network|subnet)$|^key$")
TOOLS = ["kapp.k14s.io/original", "objectset.rio.cattle.io/applied", "banzaicloud.com/last-applied", "kubectl.kubernetes.io/last-applied-configuration",
         "meta.helm.sh/release-name", "argocd.argoproj.io/tracking-id", "example.com/token", "note", "cluster.k8s.io/last-applied-configuration",
         "osm-gen.dev/anything", "v1.kubelet-config.machine-controller.kubermatic.io/KubeReserved", "machine-controller.kubermatic.io/initializers",
         "cluster.k8s.io/cluster-api-autoscaler-node-group-max-size", "password", "k8c.io/operating-system-profile"]


def metadatas(value):
    if isinstance(value, dict):
        if isinstance(value.get("metadata"), dict):
            yield value["metadata"]
        for inner in value.values():
            yield from metadatas(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from metadatas(inner)


def pick_object(rng, objects):
    weights = {"MachineDeployment": 5, "OperatingSystemProfile": 5, "OperatingSystemConfig": 6, "Secret": 2, "ConfigMap": 3, "Deployment": 3}
    return rng.choices(objects, [weights.get(o["kind"], 1) for o in objects])[0]


def is_osc(o):
    return o["apiVersion"] == "extensions.gardener.cloud/v1alpha1" and o["kind"] == "OperatingSystemConfig"


class Case:
    def __init__(self, rng, objects):
        self.rng, self.objects = rng, objects
        anywhere = ["leaf", "leaf", "leaf", "append", "annotation", "annotation", "label", "key", "unknown", "named", "whole", "item", "extra object"]
        is_gardener = any(is_osc(o) for o in objects)
        self.how = rng.choice(anywhere + (["file", "file", "file", "unit", "status", "provider config"] if is_gardener else ["ssh", "cloud", "argument"]))
        self.chain = []
        getattr(self, "do_" + self.how.replace(" ", "_"))()

    def canary_for(self, path, kind, named=False):
        """One that is recognisable in that place: docs/migration.md says what cannot be known."""
        while True:
            self.canary = Canary(self.rng, named)
            is_identifier = path and isinstance(path[-1], str) and IDENTIFIER.search(path[-1])
            in_program = (kind == "OperatingSystemProfile" and ("bootstrapConfig" in path or "provisioningConfig" in path)) or (
                kind == "OperatingSystemConfig" and "content" in path)
            if self.canary.kind in ("hex",) and (is_identifier or in_program):
                continue
            return self.canary.text

    def do_leaf(self):
        o = pick_object(self.rng, self.objects)
        parent, key, path = self.rng.choice([leaf for leaf in leaves(o) if not isinstance(leaf[0][leaf[1]], (dict, list))])
        text, self.chain = encode(self.rng, self.canary_for(path, o["kind"]))
        parent[key] = b64(text) if is_sealed(path, o["kind"]) and self.rng.random() < .8 else text
        self.where = o["kind"], path

    def do_append(self):
        o = pick_object(self.rng, self.objects)
        found = [leaf for leaf in leaves(o) if isinstance(leaf[0][leaf[1]], str) and not is_sealed(leaf[2], o["kind"])]
        parent, key, path = self.rng.choice(found)
        text, self.chain = encode(self.rng, self.canary_for(path, o["kind"]))
        parent[key] = parent[key] + self.rng.choice([" ", "\n", " # ", ","]) + text
        self.where = o["kind"], path

    def do_annotation(self):
        o = pick_object(self.rng, self.objects)
        m = self.rng.choice(list(metadatas(o)))
        key = self.rng.choice(TOOLS)
        text, self.chain = encode(self.rng, self.canary_for((key,), o["kind"], named=key in ("password", "example.com/token")))
        m["annotations"] = {**(m.get("annotations") or {}), key: text}
        self.where = o["kind"], ("annotations", key)

    def do_label(self):
        o = pick_object(self.rng, self.objects)
        m = self.rng.choice(list(metadatas(o)))
        key = self.rng.choice(["example.com/token", "app", "objectset.rio.cattle.io/hash", "kapp.k14s.io/app", "password", "tier"])
        text, self.chain = encode(self.rng, self.canary_for((), o["kind"], named=key in ("password", "example.com/token")))
        if key.endswith("hash") and self.canary.kind == "hex":
            key = "tier"
        m["labels"] = {**(m.get("labels") or {}), key: text}
        self.where = o["kind"], ("labels", key)

    def do_key(self):
        o = pick_object(self.rng, self.objects)
        maps = [(leaf[0][leaf[1]], leaf[2]) for leaf in leaves(o) if isinstance(leaf[0][leaf[1]], dict)]
        target, path = self.rng.choice(maps)
        text, self.chain = encode(self.rng, self.canary_for((), ""))
        target[text] = self.rng.choice(["x", "", None, "true"]) if not is_sealed(path, o["kind"]) else b64("x")
        self.where = o["kind"], path + ("<key>",)

    def do_unknown(self):
        o = pick_object(self.rng, self.objects)
        maps = [(leaf[0][leaf[1]], leaf[2]) for leaf in leaves(o) if isinstance(leaf[0][leaf[1]], dict) and not is_sealed(leaf[2], o["kind"])]
        target, path = self.rng.choice(maps + [(o, ())])
        key = self.rng.choice(["note", "extraConfig", "x", "userData", "status", "binaryData", "stringData"])
        text, self.chain = encode(self.rng, self.canary_for((key,), ""))
        target[key] = self.rng.choice([text, [text], {"a": {"b": text}}])
        self.where = o["kind"], path + (key,)

    def do_named(self):
        o = pick_object(self.rng, self.objects)
        maps = [(leaf[0][leaf[1]], leaf[2]) for leaf in leaves(o) if isinstance(leaf[0][leaf[1]], dict) and not is_sealed(leaf[2], o["kind"])]
        target, path = self.rng.choice(maps)
        key = self.rng.choice(["password", "token", "apiKey", "clientSecret", "dbPassword", "Authorization"])
        text, self.chain = self.canary_for((), o["kind"], named=True), []
        target[key] = self.rng.choice([text, text, {"value": text}])
        if self.rng.random() < .3:
            target.pop(key)
            target["env"] = [{"name": "DB_PASSWORD", "value": text}]
        # A template or a unit of that name is a script, in which a password alone is a word.
        if self.canary.kind == "password" and "templates" in path:
            target.pop(key, None), target.pop("env", None)
            target["x"] = "password: " + text
        self.where = o["kind"], path + (key,)

    def do_whole(self):
        o = pick_object(self.rng, self.objects)
        inside = copy.deepcopy(o)
        text, self.chain = encode(self.rng, self.canary_for((), ""))
        inside.setdefault("spec", {})
        inside["data"] = {"token": b64(text)}
        whole = json.dumps(inside)
        key, value = self.rng.choice([("kapp.k14s.io/original", whole), ("objectset.rio.cattle.io/applied", b64(gzip.compress(whole.encode(), mtime=0))),
                                      ("banzaicloud.com/last-applied", b64(zlib.compress(whole.encode()))),
                                      ("kubectl.kubernetes.io/last-applied-configuration", whole)])
        m = self.rng.choice(list(metadatas(o)))
        m["annotations"] = {**(m.get("annotations") or {}), key: value}
        self.where = o["kind"], ("annotations", key)

    def do_item(self):
        o = pick_object(self.rng, self.objects)
        lists = [(leaf[0][leaf[1]], leaf[2]) for leaf in leaves(o) if isinstance(leaf[0][leaf[1]], list)] or [([], ())]
        target, path = self.rng.choice(lists)
        text, self.chain = encode(self.rng, self.canary_for(path, o["kind"]))
        target.insert(self.rng.randrange(len(target) + 1), text)
        self.where = o["kind"], path

    def provider_value(self):
        o = self.rng.choice([o for o in self.objects if o["kind"] == "MachineDeployment"])
        return o["spec"]["template"]["spec"]["providerSpec"]["value"]

    def do_ssh(self):
        text, self.chain = encode(self.rng, self.canary_for((), ""))
        keys = self.provider_value()["sshPublicKeys"]
        keys.append(self.rng.choice([text, SSH_KEY + " " + text, "ssh-rsa " + b64(text) + " me@example.com", text + "\n" + SSH_KEY]))
        self.where = "MachineDeployment", ("sshPublicKeys",)

    def do_cloud(self):
        spec = self.provider_value()["cloudProviderSpec"]
        key = self.rng.choice(["proxyURL", "userData", "header", "tags", "labels", "password", "token", "instanceProfile", "rootDevice"])
        text, self.chain = encode(self.rng, self.canary_for((), "", named=key in ("password", "token")))
        if key in ("tags", "labels"):
            spec[key] = self.rng.choice([{"x": text}, [text], {text: "x"}])
        else:
            spec[key] = self.rng.choice([text, {"value": text}, {"deeper": text}, [text]])
            # A word under "deeper" has no name of a credential beside it, but above it.
        self.where = "MachineDeployment", ("cloudProviderSpec", key)

    def do_argument(self):
        o = next(o for o in self.objects if o["kind"] == "Deployment")
        container = o["spec"]["template"]["spec"]["containers"][0]
        text, self.chain = encode(self.rng, self.canary_for((), ""))
        flag = self.rng.choice(["-node-http-proxy=", "-pause-image=", "-node-registry-mirrors=", "-cluster-dns=", "-unknown-flag=", "-", "-namespace=",
                                "-node-containerd-registry-mirrors=docker.io=https://", "-kube-token="])
        container["args"].insert(self.rng.randrange(len(container["args"]) + 1), flag + text)
        if self.rng.random() < .3:
            container["env"].append({"name": "TOKEN", "value": text})
        self.where = "Deployment", ("args", flag)

    def osc(self):
        return self.rng.choice([o for o in self.objects if is_osc(o)])

    def do_file(self):
        o = self.osc()
        kind, path = o["kind"], ("spec", "files", "content", "inline", "data")
        text, self.chain = encode(self.rng, self.canary_for(path, kind, named=True))
        place, mode = self.rng.choice(["/etc/x", "/opt/bin/y.sh", "/var/lib/z.conf"]), 0o644
        if self.canary.kind == "password":
            # A word alone: the file's name, its mode, or a name beside it says what it is.
            text, self.chain = self.canary.text, []
            how = self.rng.choice(["name", "mode", "netrc", "yaml"])
            place = "/etc/registry/password" if how == "name" else place
            mode = self.rng.choice([0o600, 0o400, 0o700]) if how == "mode" else mode
            text = {"netrc": "machine r.example.com\nlogin u\npassword " + text + "\n", "yaml": "user: u\npassword: " + text + "\n"}.get(how, text)
        else:
            text = self.rng.choice(["", "#!/bin/bash\nset -e\n", "a: b\nc:\n- "]) + text + self.rng.choice(["", "\n", "\nexit 0\n"])
        new = gardener.file(place, gardener.inline(text, self.rng.choice(["", "b64"])), mode)
        if self.rng.random() < .2:
            new["content"]["transmitUnencoded"] = True
        files = o["spec"]["files"]
        files.insert(self.rng.randrange(len(files) + 1), new)
        if self.rng.random() < .3:
            # The same in a Secret of the export, which something reads, or not.
            self.objects.append(secret(self.rng.choice(["ca-extra", "other"]), {"x": text}, gardener.SEED_NAMESPACE))
        self.where = kind, path

    def do_unit(self):
        o = self.osc()
        text, self.chain = encode(self.rng, self.canary_for(("spec", "units", "content"), o["kind"]))
        unit = self.rng.choice(o["spec"]["units"])
        line = "[Service]\nEnvironment=X=" + text + "\n"
        if self.rng.random() < .5:
            unit["content"] += line
        else:
            unit["dropIns"].append({"name": "20-y.conf", "content": line})
        self.where = o["kind"], ("units",)

    def do_status(self):
        o = self.osc()
        text, self.chain = encode(self.rng, self.canary_for(("status", "content"), o["kind"]))
        o["status"].update(self.rng.choice([
            {"extensionFiles": [gardener.file("/etc/x", gardener.inline(text, self.rng.choice(["", "b64"])))]},
            {"extensionUnits": [{"name": "x.service", "content": "[Service]\nEnvironment=X=" + text + "\n"}]},
            {"inPlaceUpdates": {"osUpdate": {"command": "/bin/x", "args": ["--x", text]}}},
            {"command": text}, {"state": {"x": text}}, {"providerStatus": {"x": text}},
            {"lastError": {"description": text}}, {"lastOperation": {"description": text}}]))
        self.where = o["kind"], ("status",)

    def do_provider_config(self):
        o = self.osc()
        text, self.chain = encode(self.rng, self.canary_for((), o["kind"], named=True))
        word = self.rng.choice(["password", "token"]) if self.canary.kind == "password" else self.rng.choice(["mirror", "password", "note"])
        if self.canary.kind == "password":
            text, self.chain = self.canary.text, []
        o["spec"]["providerConfig"] = self.rng.choice([{word: text}, {"ntp": {word: text}}, {"x": [{word: text}]}, {"a": {"b": {word: {"value": text}}}}])
        self.where = o["kind"], ("providerConfig",)

    def do_extra_object(self):
        text, self.chain = encode(self.rng, self.canary_for((), ""))
        o = self.rng.choice([
            secret("extra", {"token": text}),
            secret("extra-labelled", {"x": "y"}, labels={"note": text}, annotations={"note": text}),
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("extra"), "data": {"config": text}},
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("cloud-settings"), "data": {"username": "svc", "other": text}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": meta("pod"), "spec": {"env": [{"name": "TOKEN", "value": text}]}},
            {"apiVersion": "v1", "kind": "Secret", "metadata": meta("hetzner"), "type": "Opaque", "data": {"token": b64("x")}, "stringData": {"token": text}},
        ])
        self.objects[:] = [x for x in self.objects if (x["kind"], x["metadata"]["name"]) != (o["kind"], o["metadata"]["name"])] + [o]
        self.where = o["kind"], ("extra",)


# ---- finding -------------------------------------------------------------------------------------

RUN = re.compile(rb"[A-Za-z0-9+/_=-]{12,}")


def decoded(data):
    """Whatever may be made of these bytes by undoing one encoding."""
    flat = re.sub(rb"[ \t\r]*\n[ \t]*", b"", data)
    for text in {data, flat}:
        for run in RUN.findall(re.sub(rb"--+|CERTIFICATE", b" ", text)):
            run = run.rstrip(b"=")
            for start in range(4):
                part = run[start:]
                part = part[:len(part) - (len(part) % 4 == 1)]
                for table in (b"+/", b"-_"):
                    try:
                        yield base64.b64decode(part + b"=" * (-len(part) % 4), altchars=table, validate=True)
                    except ValueError:
                        pass
            if len(run) % 2 == 0:
                try:
                    yield bytes.fromhex(run.decode())
                except ValueError:
                    pass
    for magic in (b"\x1f\x8b", b"\x78\x9c", b"\x78\x01", b"\x78\xda"):
        at = data.find(magic)
        if at >= 0:
            try:
                yield zlib.decompressobj(47).decompress(data[at:], 1 << 22)
            except zlib.error:
                pass
    if b"%" in data:
        yield urllib.parse.unquote_to_bytes(data)
    if b"\\" in data:
        yield re.sub(rb'\\(["\\/nrt]|u00[0-9a-fA-F]{2})',
                     lambda m: {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(m.group(1), bytes([int(m.group(1)[3:], 16)]) if m.group(1)[:1] == b"u" else m.group(1)),
                     data)


def holds(data, needle, depth=6, seen=None):
    seen = set() if seen is None else seen
    if needle in data or needle in re.sub(rb"\s+", b"", data):
        return True
    if depth == 0:
        return False
    for inner in decoded(data):
        if len(inner) >= len(needle) and inner not in seen:
            seen.add(inner)
            if holds(inner, needle, depth - 1, seen):
                return True
    return False


def self_test(rng):
    """The search finds every canary in every encoding, or the test would prove nothing."""
    for _ in range(300):
        canary = Canary(rng, True)
        text, chain = encode(rng, canary.text)
        if canary.kind == "key" and chain.count("command"):
            continue
        if not holds(b"x: " + text.encode() + b"\ny: z\n", canary.needle.encode()):
            sys.exit(f"the search is blind: {canary.kind} {chain} {text[:200]!r}")


# ---- running -------------------------------------------------------------------------------------


class Place:
    def __init__(self, program, scratch):
        self.program, self.scratch = program, scratch
        keys = pathlib.Path(__file__).resolve().parents[1] / "keys"
        identity = keys / "TEST-ONLY-identity.txt"
        seed = next(line for line in (keys / "TEST-ONLY-seed.txt").read_text().splitlines() if line and line[0] != "#")
        self.recipient = next(line.split(": ")[1] for line in identity.read_text().splitlines() if line.startswith("# public key"))
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(scratch), "SOPS_AGE_KEY_FILE": str(identity), "OSM_GEN_SEAL_SEED": seed,
                        "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        self.repo = scratch / "fleet"

    def run(self, *args, program=None):
        return subprocess.run([program or self.program, *map(str, args)], cwd=self.repo, env=self.environ, capture_output=True, check=False)

    def git(self, *args):
        done = self.run("-c", "user.name=t", "-c", "user.email=t@t", *args, program="git")
        if done.returncode:
            sys.exit(f"git {args}: {done.stderr.decode()}")
        return done.stdout

    def fresh(self):
        shutil.rmtree(self.repo, ignore_errors=True)
        self.repo.mkdir(parents=True)
        (self.repo / "osm-gen.yaml").write_text("apiVersion: osm-gen.dev/v1alpha1\nkind: Fleet\nspec:\n  sealing:\n    recipients: [%s]\n" % self.recipient)
        self.git("-c", "init.defaultBranch=main", "init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "fleet")

    def clear(self):
        shutil.rmtree(self.repo / "clusters", ignore_errors=True)

    def clear_bytes(self):
        for path in sorted(self.repo.rglob("*")):
            name = path.relative_to(self.repo)
            if name.parts[0] == ".git" or path.is_dir():
                continue
            # What is sealed is nobody's to read, and long.
            yield str(name), str(name).encode() + b"\n" + re.sub(rb"ENC\[[^\]]*\]", b"", path.read_bytes())


def problem_of(place, case, done, committed):
    """What is wrong, or None; and what adopt did."""
    needle = case.canary.needle.encode()
    if done.returncode not in (0, 2):
        return f"exit status {done.returncode}: {done.stderr[-600:].decode(errors='replace')}"
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        if holds(data, needle):
            return f"{name} holds it: {done.stderr[-600:].decode(errors='replace')}"
    if done.returncode == 2:
        left = [str(p) for p in (place.repo / "clusters").rglob("*")] if (place.repo / "clusters").exists() else []
        return f"refused, and left {left}" if left else None
    for name, data in place.clear_bytes():
        if holds(data, needle):
            return f"{name} holds it"
    if not committed:
        return None
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "adopt")
    made = place.run("generate", "--revisions", "clusters/revisions")
    for name, data in (("generate's stdout", made.stdout), ("generate's stderr", made.stderr)):
        if holds(data, needle):
            return f"{name} holds it"
    for line in place.git("ls-tree", "-r", "HEAD").decode().splitlines():
        data = re.sub(rb"ENC\[[^\]]*\]", b"", place.git("cat-file", "blob", line.split()[2]))
        if holds(line.encode() + b"\n" + data, needle):
            return f"commit: {line} holds it"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("cases", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--only", type=int, help="this case alone, and keep its export")
    options = parser.parse_args()
    self_test(random.Random(options.seed))
    bases = [base_objects(), base_objects(), gardener_objects("current"), gardener_objects("2021")]
    counts, failures = collections.Counter(), []
    with tempfile.TemporaryDirectory() as scratch:
        place = Place(os.path.abspath(options.program), pathlib.Path(scratch))
        place.fresh()
        for number in range(-len(bases), options.cases):
            if options.only is not None and number != options.only:
                continue
            rng = random.Random(options.seed * 1000003 + number)
            objects = copy.deepcopy(bases[number if number < 0 else rng.randrange(len(bases))])
            case = Case(rng, objects) if number >= 0 else None
            files = write_export(rng, objects, place.scratch)
            place.clear()
            done = place.run("adopt", *files, "--cluster", "prod", "--into", "clusters/prod")
            if case is None:
                # Nothing is planted: all of it is taken.
                if done.returncode != 0:
                    sys.exit("an export without a canary is refused:\n" + done.stderr.decode())
                continue
            committed = number % 20 == 7
            problem = problem_of(place, case, done, committed)
            if committed:
                place.fresh()
            counts["refused" if done.returncode == 2 else "adopted"] += 1
            counts[f"{case.how}: {'refused' if done.returncode == 2 else 'adopted'}"] += 1
            if problem:
                failures.append(number)
                print(f"not ok: case {number}: {case.how} of {case.where}, {case.canary.kind} {case.chain}: {problem}\n    needle {case.canary.needle}")
            if options.only is not None:
                print(done.returncode, done.stderr.decode(), case.canary.text, *map(str, files), sep="\n")
                kept = pathlib.Path(tempfile.mkdtemp(prefix="adopt-random-"))
                for file in files:
                    shutil.copy(file, kept)
                print(kept)
    print(f"{options.cases} exports, seed {options.seed}: {counts['adopted']} adopted, {counts['refused']} refused, {len(failures)} with the canary in the clear")
    if options.cases >= 100 and options.only is None and (counts["adopted"] < options.cases // 10 or counts["refused"] < options.cases // 10):
        sys.exit("most cases end in one way: the test looks at little")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
