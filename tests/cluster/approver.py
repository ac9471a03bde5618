"""gardener-resource-manager as docs/howto/gardener-csr-approver.yaml runs it: with the rights of its ServiceAccount and the
configuration of its ConfigMap. In the place of the Deployment's Pod it is a process, since no Pod runs here."""

import nodelib
import plane
import yaml

NAME = "gardener-csr-approver"
MANIFESTS = nodelib.ROOT / "docs" / "howto" / "gardener-csr-approver.yaml"
ACCOUNT = f"/api/v1/namespaces/{NAME}/serviceaccounts/{NAME}"
METRICS_PORT = 8090  # the archive's is that of the manifests
# The process finds its ServiceAccount where a Pod does.
IN_POD = """set -eu
mount -t tmpfs tmpfs /run
mkdir -p /run/secrets/kubernetes.io
cp -r "$1" /run/secrets/kubernetes.io/serviceaccount
export KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="$2"
shift 2
exec "$@"
"""


def start(site, port):
    """Applies the manifests and starts the program; it ends with the site's cluster."""
    admin, folder, paths = site.cluster.admin, site.folder / NAME, site.surroundings.paths
    plane.define(site.cluster, plane.manifests(paths["gardener-resource-manager/"], "CustomResourceDefinition"))
    items = list(yaml.safe_load_all(MANIFESTS.read_text()))
    for item in items:
        site.apply_one(item)
    status, answer = admin.call("POST", f"{ACCOUNT}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    if status != 201:
        raise AssertionError(f"{ACCOUNT}/token: {status} {answer}")
    account, certificate = folder / "account", folder / "certificate"
    for made in (account, certificate):
        made.mkdir(parents=True)
    (account / "token").write_text(answer["status"]["token"])
    (account / "ca.crt").write_text(site.ca.crt.read_text())
    (account / "namespace").write_text(NAME)
    for target, source in zip(("tls.crt", "tls.key"), site.ca.issue_for(NAME, f"/CN={NAME}", "IP:127.0.0.1")):
        (certificate / target).write_bytes(source.read_bytes())
    config = yaml.safe_load(next(item for item in items if item["kind"] == "ConfigMap")["data"]["config.yaml"])
    config["server"]["webhooks"]["tls"]["serverCertDir"] = str(certificate)
    config["server"]["metrics"]["port"] = METRICS_PORT
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    site.cluster.programs[NAME] = "unshare"
    site.cluster.run(NAME, "--mount", "--propagation", "private", "sh", "-c", IN_POD, "sh", str(account), str(port),
                     str(paths["gardener-resource-manager"]), f"--config={folder}/config.yaml")
