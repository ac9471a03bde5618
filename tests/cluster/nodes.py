"""What nobody does here for a machine that starts: KubeVirt reports that it runs, and its kubelet that it is a ready node.

machine-controller then finds the Node by its provider's identity, and ends a roll-out as it does anywhere: the machines of
earlier templates go, with their Nodes.
"""

import cluster

READY = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "written by the test",
         "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastTransitionTime": "2026-01-01T00:00:00Z"}
# machine-controller adds to a node's labels and annotations, of which a kubelet's Node always has some.
LABEL, ANNOTATION = "kubernetes.io/hostname", "volumes.kubernetes.io/controller-managed-attach-detach"


def create(api, item, status):
    """An object and its status, which is another request."""
    api.create(item)
    path = f"{cluster.collection(item)}/{item['metadata']['name']}/status"
    code, answer = api.call("PATCH", path, {"status": status}, kind="application/merge-patch+json")
    if code != 200:
        raise AssertionError(f"PATCH {path}: {code} {answer}")


class Nodes:
    def __init__(self, hub):
        self.hub, self.joined = hub, 0

    def join(self, worker, name):
        """The machine `name` of a cluster has become a node, and has an address; machine-controller looks at both."""
        self.joined += 1
        address = f"198.51.100.{self.joined}"
        create(self.hub.admin, {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
                                "metadata": {"name": name, "namespace": f"vms-{worker.name}"},
                                "spec": {"domain": {"devices": {}}}},
               {"phase": "Running", "interfaces": [{"ipAddress": address}]})
        create(worker.admin, {"apiVersion": "v1", "kind": "Node",
                              "metadata": {"name": name, "labels": {LABEL: name}, "annotations": {ANNOTATION: "true"}},
                              "spec": {"providerID": f"kubevirt://{name}"}},
               {"conditions": [READY], "addresses": [{"type": "InternalIP", "address": address}]})
