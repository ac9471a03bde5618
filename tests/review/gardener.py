"""Gardener's pull requests: a fleet of OperatingSystemConfigs, and the facts that a report must show of each change.

Three clusters of contract 2021 have ten pools each: an OperatingSystemConfig of purpose `reconcile`, the MachineClass, and its
MachineDeployment with two machines. osm-gen makes those of purpose `provision`. A fourth cluster has gardener-node-agent, whose
OperatingSystemConfigs of both purposes are Gardener's, and no MachineDeployments: nobody knows the number of its machines.
"""
import shutil

CLUSTERS, POOLS = ("g0", "g1", "g2"), 10

SETTINGS = """apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {{name: {name}}}
spec: {{settings: {settings}}}
"""

POOL = """apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {{name: {name}-original, namespace: {namespace}}}
spec:
  type: ubuntu
  purpose: reconcile
  reloadConfigFilePath: /var/lib/cloud-config-downloader/downloads/cloud_config
  criConfig: {{name: containerd}}
  units:
  - name: kubelet.service
    enable: true
    command: start
    content: |
      [Service]
      ExecStart=/opt/bin/kubelet --config=/var/lib/kubelet/config --bootstrap-kubeconfig=/var/lib/kubelet/kubeconfig-bootstrap
      [Install]
      WantedBy=multi-user.target
  files:
  - path: /var/lib/kubelet/config
    permissions: 0644
    content:
      inline:
        encoding: ""
        data: |
          apiVersion: kubelet.config.k8s.io/v1beta1
          kind: KubeletConfiguration
          maxPods: 110
---
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineClass
metadata: {{name: {name}, namespace: {namespace}, annotations: {{osm-gen.dev/operating-system-config: {name}-downloader}}}}
provider: OpenStack
providerSpec: {{flavorName: m1.large, imageName: ubuntu-22.04}}
credentialsSecretRef: {{name: cloud, namespace: {namespace}}}
---
apiVersion: machine.sapcloud.io/v1alpha1
kind: MachineDeployment
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{pool: {name}}}}}
  template:
    metadata: {{labels: {{pool: {name}}}}}
    spec: {{class: {{kind: MachineClass, name: {name}}}}}
"""

AGENT = """apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: gardener-node-agent-pool-init, namespace: agent}
spec:
  type: rocky
  purpose: provision
  units:
  - name: gardener-node-init.service
    enable: true
    command: start
    content: |
      [Service]
      ExecStart=/var/lib/gardener-node-agent/init.sh
      [Install]
      WantedBy=multi-user.target
---
apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {name: gardener-node-agent-pool-original, namespace: agent}
spec:
  type: rocky
  purpose: reconcile
  criConfig: {name: containerd}
  units:
  - name: kubelet.service
    enable: true
    command: start
    content: |
      [Service]
      ExecStart=/opt/bin/kubelet
      [Install]
      WantedBy=multi-user.target
"""

SYSTEM = """apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemExtension
metadata: {name: rocky}
spec:
  version: v1.0.0
  types: [rocky]
  contract: current
  provision:
    format: bash
    once: true
    after: |
      until dnf install -y containerd; do
        sleep 1
      done
      systemctl enable --now containerd
  reconcile:
    units:
    - name: containerd.service
      dropIns:
      - name: 10-limits.conf
        content: |
          [Service]
          LimitNOFILE=1048576
"""


def write(fleet):
    """Adds the clusters to a repository that has the settings of the fleet, and a cluster with a kubeconfig."""
    info = (fleet / "clusters/c000/cluster-info.yaml").read_text()
    for name in (*CLUSTERS, "agent"):
        folder = fleet / "clusters" / name
        folder.mkdir()
        flow = '{gardenerContract: "2021", gardenerFlow: downloader, tokenRotation: "1"}'
        (folder / "osm-gen.yaml").write_text(SETTINGS.format(
            name=name, settings="{gardenerNodeAgentSecrets: true}" if name == "agent" else flow))
        (folder / "cluster-info.yaml").write_text(info.replace("c000", name))
    for name in CLUSTERS:
        for number in range(POOLS):
            (fleet / "clusters" / name / f"pool-{number}.yaml").write_text(POOL.format(name=f"pool-{number}", namespace=name))
    (fleet / "clusters/agent/pool.yaml").write_text(AGENT)
    (fleet / "rocky.yaml").write_text(SYSTEM)
    shutil.rmtree(fleet / "clusters/c000")


# ---- the pull requests ---------------------------------------------------------------------------------------------


def edit(fleet, pattern, before, after):
    paths = sorted(fleet.glob(pattern))
    assert paths, pattern
    for path in paths:
        text = path.read_text()
        assert before in text, f"{path}: {before}"
        path.write_text(text.replace(before, after))


def pods(fleet):
    edit(fleet, "clusters/g?/pool-*.yaml", "maxPods: 110", "maxPods: 120")


PODS = "IN-PLACE: restarts kubelet.service, /var/lib/kubelet/config: maxPods: 110 -> maxPods: 120 in"
IMAGE = "ROLL: template of the MachineClass changed: imageName ubuntu-22.04 -> ubuntu-24.04 in"


def image(fleet):
    edit(fleet, "clusters/g?/pool-*.yaml", "imageName: ubuntu-22.04", "imageName: ubuntu-24.04")
    return [f"{IMAGE} 30 OperatingSystemConfigs of g0, g1, g2 (profile ubuntu-2021, 60 machines)"]


def kubelet_setting(fleet):
    pods(fleet)
    return [f"{PODS} 30 OperatingSystemConfigs of g0, g1, g2 (profile ubuntu-2021, 60 machines)"]


def mixed_kinds(fleet):
    pods(fleet)
    edit(fleet, "clusters/g2/pool-7.yaml", "flavorName: m1.large", "flavorName: m1.xlarge")
    return ["ROLL: template of the MachineClass changed: flavorName m1.large -> m1.xlarge",
            "in g2/g2/pool-7-downloader", f"{PODS} 30 OperatingSystemConfigs of g0, g1, g2"]


def pool_removed(fleet):
    pods(fleet)
    (fleet / "clusters/g1/pool-4.yaml").unlink()
    return ["REMOVE: g1/g1/pool-4-downloader, 2 machines: clusters/g1/pool-4.yaml was deleted",
            f"{PODS} 29 OperatingSystemConfigs of g0, g1, g2"]


def pool_added(fleet):
    pods(fleet)
    text = (fleet / "clusters/g1/pool-4.yaml").read_text().replace("pool-4", "miner")
    (fleet / "clusters/g1/other.yaml").write_text(text)
    return ["ADD: g1/g1/miner-original, 2 machines: ubuntu-2021 v", "from clusters/g1/other.yaml",
            f"{PODS} 30 OperatingSystemConfigs of g0, g1, g2"]


def config_removed(fleet):
    (fleet / "clusters/agent/pool.yaml").unlink()
    return ["REMOVE: agent/agent/gardener-node-agent-pool-init, number of machines unknown: clusters/agent/pool.yaml was deleted",
            "agent/agent/gardener-node-agent-pool-original, number of machines unknown: clusters/agent/pool.yaml was deleted"]


def system(fleet):
    for before, after in (("v1.0.0", "v1.1.0"), ("install -y containerd", "install -y containerd socat"),
                          ("LimitNOFILE=1048576", "LimitNOFILE=2097152")):
        edit(fleet, "rocky.yaml", before, after)
    return ["IN-PLACE: restarts containerd.service", "LimitNOFILE=2097152 in agent/agent/gardener-node-agent-pool-original",
            "NEW-NODES-ONLY: commandsAfter changed in agent/agent/gardener-node-agent-pool-init"]


REQUESTS = (image, kubelet_setting, mixed_kinds, pool_removed, pool_added, config_removed, system)
