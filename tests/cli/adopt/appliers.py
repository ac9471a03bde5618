"""Prints an export with 29 MachineDeployments that several programs apply, each with the traces that its program leaves, and a
bootstrap token of each.

appliers.py LIVE: LIVE is an export with MachineDeployments and a bootstrap token, from which the others are made.
"""

import base64
import copy
import json
import sys

import yaml

NAMESPACE = "kube-system"


def managed(manager, operation="Update", time="2025-11-01T09:00:00Z", **more):
    return {"manager": manager, "operation": operation, "time": time, "apiVersion": "cluster.k8s.io/v1alpha1",
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}}, **more}


def helm(metadata):
    metadata["labels"]["app.kubernetes.io/managed-by"] = "Helm"
    metadata["annotations"].update({"meta.helm.sh/release-name": "pools", "meta.helm.sh/release-namespace": NAMESPACE})
    metadata["managedFields"] = [managed("helm")]


def argocd(metadata):
    metadata["annotations"]["argocd.argoproj.io/tracking-id"] = (
        f"machines:cluster.k8s.io/MachineDeployment:{NAMESPACE}/{metadata['name']}")
    metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
    metadata["managedFields"] = [managed("argocd-controller", "Apply")]


def flux(metadata):
    metadata["labels"].update({"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"})
    metadata["managedFields"] = [managed("kustomize-controller", "Apply")]


def flux_helm(metadata):
    helm(metadata)
    metadata["labels"].update({"helm.toolkit.fluxcd.io/name": "edge", "helm.toolkit.fluxcd.io/namespace": "flux-system"})


def fleet(metadata):
    helm(metadata)
    metadata["annotations"]["objectset.rio.cattle.io/id"] = "default-pools"
    metadata["labels"]["objectset.rio.cattle.io/hash"] = "0a1b2c3d4e5f"
    metadata["managedFields"] = [managed("fleetagent")]


def kapp(metadata):
    metadata["labels"].update({"kapp.k14s.io/app": "1638455805474051000", "kapp.k14s.io/association": "v1.5a9384bd"})
    metadata["annotations"]["kapp.k14s.io/identity"] = "v1;kube-system/cluster.k8s.io/MachineDeployment/x"


def kubectl(metadata):
    metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = "{}"
    metadata["managedFields"] = [managed("kubectl-client-side-apply"),
                                 managed("machine-controller", time="2025-11-03T09:00:00Z", subresource="status")]


def terraform(metadata):
    metadata["managedFields"] = [managed("kubectl", time="2025-10-01T09:00:00Z"), managed("Terraform", "Apply"),
                                 managed("cluster-autoscaler", time="2025-11-03T09:00:00Z")]


def copied(metadata):
    """A copy of an object of Argo CD's, which Argo CD does not manage, and a controller's field."""
    metadata["annotations"]["argocd.argoproj.io/tracking-id"] = f"machines:cluster.k8s.io/MachineDeployment:{NAMESPACE}/another"
    metadata["managedFields"] = [managed("machine-controller"), managed("kubectl-edit")]


POOLS = [helm] * 6 + [argocd] * 6 + [flux] * 6 + [fleet] * 5 + [flux_helm, kapp, kubectl, terraform, copied, copied]


def main():
    live = yaml.load(open(sys.argv[1], encoding="utf-8"), yaml.CSafeLoader)
    workers = next(item for item in live["items"] if (item["kind"], item["metadata"]["name"]) == ("MachineDeployment", "workers"))
    token = next(item for item in live["items"] if item["metadata"]["name"] == "bootstrap-token-bbbbbb")
    others = [item for item in live["items"]
              if not item["kind"].startswith("Machine") and item["metadata"]["name"] != "bootstrap-token-bbbbbb"]
    made = []
    for number, trace in enumerate(POOLS):
        pool, own = copy.deepcopy(workers), copy.deepcopy(token)
        name, token_id = f"pool-{number:02}", f"tok{number:03}"
        pool["metadata"].update(name=name, uid=f"pool-{number}", finalizers=["foregroundDeletion"])
        pool["metadata"].setdefault("labels", {})
        for key in ("managedFields", "generation"):
            pool["metadata"].pop(key, None)
        pool["metadata"]["annotations"].pop("kubectl.kubernetes.io/last-applied-configuration", None)
        trace(pool["metadata"])
        own["metadata"].update(name=f"bootstrap-token-{token_id}", uid=f"token-{number}",
                               labels={"machinedeployment.k8s.io/name": f"{NAMESPACE}-{name}"})
        own["data"]["token-id"] = base64.b64encode(token_id.encode()).decode()
        made += [pool, own]
    json.dump({**live, "items": others + made}, sys.stdout)


if __name__ == "__main__":
    main()
