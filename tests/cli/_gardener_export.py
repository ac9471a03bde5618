"""Exports of a cluster that Gardener runs: OperatingSystemConfigs with their Secrets (seed), and what nodes read (shoot).

    _gardener_export.py current|2021 seed|shoot    prints the export of one side
"""
import base64
import json
import sys

SEED_NAMESPACE = "shoot--garden--prod"


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def meta(name, namespace, **more):
    return {"name": name, "namespace": namespace, "uid": "00000000-0000-4000-8000-%012d" % (sum(map(ord, name + namespace))),
            "resourceVersion": "1001", "generation": 3, "creationTimestamp": "2026-02-02T08:00:01Z",
            "finalizers": ["extensions.gardener.cloud/operatingsystemconfigs"],
            "managedFields": [{"manager": "gardenlet", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}], **more}


def secret(name, namespace, data, kind="Opaque", **more):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta(name, namespace, **more), "type": kind,
            "data": {key: b64(value) for key, value in data.items()}}


def inline(text, encoding="b64"):
    return {"inline": {"encoding": encoding, "data": b64(text) if encoding else text}}


def file(path, content, mode=0o644):
    return {"path": path, "permissions": mode, "content": content}


def osc(name, type_, purpose, files, units, status, labels=None, annotations=None, **spec):
    return {
        "apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
        "metadata": meta(name, SEED_NAMESPACE, labels={"worker.gardener.cloud/pool": "worker", **(labels or {})},
                         annotations={"gardener.cloud/timestamp": "2026-02-02T08:00:02Z", **(annotations or {})}),
        "spec": {"type": type_, "purpose": purpose, "files": files, "units": units, **spec},
        "status": {"observedGeneration": 3, "lastOperation": {
            "type": "Reconcile", "state": "Succeeded", "progress": 100, "lastUpdateTime": "2026-02-02T08:00:09Z",
            "description": "Successfully reconciled operating system config"}, **status}}


KUBELET_CONFIG = """apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  x509:
    clientCAFile: /var/lib/kubelet/ca.crt
cgroupDriver: systemd
clusterDNS: [100.64.0.10]
"""
KUBECONFIG = """apiVersion: v1
kind: Config
clusters:
- cluster: {server: "https://api.prod.example.com"}
  name: shoot
users:
- name: kubelet-bootstrap
  user: {token: canary.0123456789abcdef}
"""
JOURNALD = "[Service]\nRestart=always\n# see https://github.com/gardener/gardener\n"
UNIT = "[Unit]\nDescription=kubelet daemon\n[Service]\nExecStart=/opt/bin/kubelet --config=/var/lib/kubelet/config\n[Install]\nWantedBy=multi-user.target\n"
REGISTRY = "machine registry.example.com\nlogin puller\npassword CANARYpull71secret\n"


def files():
    return [
        file("/var/lib/kubelet/config", inline(KUBELET_CONFIG)),
        file("/etc/systemd/journald.conf", inline("[Journal]\nMaxFileSec=24h\n", "")),
        file("/var/lib/kubelet/ca.crt", {"secretRef": {"name": "ca-kubelet", "dataKey": "ca.crt"}}),
        file("/var/lib/kubelet/kubeconfig-bootstrap", inline(KUBECONFIG), 0o600),
        file("/root/.netrc", inline(REGISTRY, ""), 0o600),
        file("/opt/bin/health-monitor", inline("#!/bin/bash\nset -o nounset\nsleep 20 # CANARY-in-no-secret: a remark\n".replace("CANARY", "remark")), 0o755),
    ]


def units(names=("kubelet.service",)):
    return [{"name": name, "command": "start", "enable": True, "content": UNIT, "dropIns": [{"name": "10-x.conf", "content": JOURNALD}]} for name in names]


CA = "-----BEGIN CERTIFICATE-----\nQ0VSVA==\n-----END CERTIFICATE-----\n"


def seed(contract):
    common = [secret("ca-kubelet", SEED_NAMESPACE, {"ca.crt": CA}),
              secret("cloudprovider", SEED_NAMESPACE, {"password": "CANARY-of-the-cloud"}),
              secret("shoot-access-machine-controller-manager", SEED_NAMESPACE, {"token": "CANARY-token"}),
              {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "Worker", "metadata": meta("prod", SEED_NAMESPACE), "spec": {"type": "x"}}]
    if contract == "2021":
        key = "cloud-config-worker-0a1b2"
        return common + [
            osc(key + "-original", "ubuntu", "reconcile", files(), units(),
                {"cloudConfig": {"secretRef": {"name": f"osc-result-{key}-original", "namespace": SEED_NAMESPACE}},
                 "command": "/usr/bin/env bash /var/lib/cloud-config-downloader/downloads/cloud_config", "units": ["kubelet.service"]},
                reloadConfigFilePath="/var/lib/cloud-config-downloader/downloads/cloud_config", criConfig={"name": "containerd"}),
            osc(key + "-downloader", "ubuntu", "provision",
                [file("/var/lib/cloud-config-downloader/credentials/bootstrap-token",
                      {**inline("<<BOOTSTRAP_TOKEN>>", ""), "transmitUnencoded": True}, 0o644),
                 file("/var/lib/cloud-config-downloader/credentials/client.key", inline("-----BEGIN RSA PRIVATE KEY-----\nQ0FOQVJZ\n-----END RSA PRIVATE KEY-----\n"))],
                units(["cloud-config-downloader.service"]),
                {"cloudConfig": {"secretRef": {"name": f"osc-result-{key}-downloader", "namespace": SEED_NAMESPACE}}, "units": ["cloud-config-downloader.service"]}),
            secret(f"osc-result-{key}-original", SEED_NAMESPACE, {"cloud_config": "#!/bin/bash\n# CANARY-user-data\n"}),
            secret(f"osc-result-{key}-downloader", SEED_NAMESPACE, {"cloud_config": "#!/bin/bash\n"})]
    key = "gardener-node-agent-worker-0123456789abcdef"
    return common + [
        osc(key + "-original", "suse-chost", "reconcile", files(), units(),
            {"extensionUnits": [{"name": "containerd.service", "dropIns": [{"name": "11-exec_config.conf", "content": "[Service]\n"}]}]},
            annotations={"reconciliation.osc.node-agent.gardener.cloud/serial": "1"},
            criConfig={"name": "containerd", "containerd": {"sandboxImage": "registry.k8s.io/pause:3.10"}}),
        osc(key.replace("worker", "other") + "-original", "talos", "reconcile", files()[:2], units(),
            {"extensionFiles": [file("/etc/talos", inline("x\n", ""))]}, labels={"worker.gardener.cloud/pool": "other", "helm.sh/chart": "x"}),
        osc(key + "-init", "suse-chost", "provision", [file("/var/lib/gardener-node-agent/init.sh", inline("#!/bin/bash\n"), 0o755)],
            units(["gardener-node-init.service"]),
            {"cloudConfig": {"secretRef": {"name": f"osc-result-{key}-init", "namespace": SEED_NAMESPACE}}}),
        secret(f"osc-result-{key}-init", SEED_NAMESPACE, {"cloud_config": "#!/bin/bash\n# CANARY-user-data\n"})]


def shoot(contract):
    role = {"2021": "cloud-config", "current": "operating-system-config"}[contract]
    name = {"2021": "cloud-config-worker-0a1b2", "current": "gardener-node-agent-worker-0123456789abcdef"}[contract]
    return [secret(name, "kube-system", {"osc.yaml": "# CANARY of the nodes\n"}, labels={"gardener.cloud/role": role, "worker.gardener.cloud/pool": "worker"}),
            secret("bootstrap-token-canary", "kube-system", {"token-id": "canary", "token-secret": "0123456789abcdef"}, "bootstrap.kubernetes.io/token")]


if __name__ == "__main__":
    json.dump({"apiVersion": "v1", "kind": "List", "items": {"seed": seed, "shoot": shoot}[sys.argv[2]](sys.argv[1])}, sys.stdout, indent=1)
