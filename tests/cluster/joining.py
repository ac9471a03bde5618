"""The two tokens of a pool of gardenerFlow: downloader (docs/spec/gardener.md 7.2) at a real API server with RBAC.

Each output contract is applied, and every token asks for what it should have and for what it should not: the pool's Secret,
the list of all, and the certificate of another node. Then contract 2 rotates over three periods. Whether a request would be
approved is what the API server answers about the right that kube-controller-manager asks for; that one does not run here.
"""

import time

import cluster
import gardener
import machine
import plane
import repository
from repository import ONE

POOL = f"{gardener.SECRETS}/cloud-config-pool"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
BOTH, ONLY_READS = (200, 403, 201, True), (200, 403, 403, False)


class Site:
    def __init__(self, scratch, processes, programs):
        self.plane = plane.start(scratch, programs, processes, (ONE,))[ONE]
        self.repo = repository.Repository(scratch, {ONE: self.plane.url()}, self.plane.ca.crt, ())
        self.repo.clusters[ONE]["settings"].update(gardenerContract="2021", gardenerFlow="downloader", tokenRotation="weekly")
        self.date, self.applied = int(time.time()), {}

    def publish(self, message, **fleet):
        """Commits, generates, and applies the worker side; what has left it is deleted."""
        self.repo.fleet["spec"].update(fleet)
        self.repo.write("clusters/one/pool.json", {
            "apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
            "metadata": {"name": "pool-original", "namespace": "shoot"},
            "spec": {"type": "minimal", "purpose": "reconcile", "units": [], "reloadConfigFilePath": f"{gardener.STATE}/downloads/cloud_config",
                     "files": [gardener.inline("/etc/motd", "hello\n")]}})
        self.repo.write_settings()
        self.repo.commit(message, self.date)
        self.repo.generate("--allow-removal")
        last, self.applied = self.applied, {plane.path_of(item): item for item in self.repo.objects(ONE, "worker")}
        for path, item in self.applied.items():
            status, answer = self.plane.admin.call("PATCH", f"{path}?fieldManager=applier&force=true", item, kind="application/apply-patch+yaml")
            if status not in (200, 201):
                raise AssertionError(f"{path}: {status} {answer}")
        for path in set(last) - set(self.applied):
            self.plane.admin.call("DELETE", path)
        tokens = self.tokens()
        machine.wait_for(lambda: all(self.plane.by_token(token).call("GET", POOL)[0] == 200 for token in tokens), 60, "the tokens to be known")
        return tokens

    def tokens(self):
        """The applied tokens, with their extra groups."""
        found = {}
        for item in self.applied.values():
            if item.get("type") == "bootstrap.kubernetes.io/token":
                data = self.repo.secret(ONE, item["metadata"]["name"])
                found[f"{data['token-id']}.{data['token-secret']}"] = data.get("auth-extra-groups", "")
        return found

    def may(self, token):
        """(status of the pool's Secret, of the list, of a request for another node's certificate, whether that is approved)"""
        api = self.plane.by_token(token)
        user = api.call("POST", SELF, {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})[1]["status"]["userInfo"]
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
            "user": user["username"], "groups": user["groups"], "resourceAttributes": {
                "group": "certificates.k8s.io", "resource": "certificatesigningrequests", "subresource": "nodeclient", "verb": "create"}}}
        return (api.call("GET", POOL)[0], api.call("GET", gardener.SECRETS)[0],
                api.call("POST", f"{gardener.REQUESTS}?dryRun=All", gardener.request_for_node("another-node"))[0],
                self.plane.admin.call("POST", REVIEWS, review)[1]["status"]["allowed"])


def marked(site):
    """What the execution script asks with the certificate of node-a: who it is, and to change two Nodes."""
    nodes = ("node-a", "node-b")
    for name in nodes:
        site.plane.admin.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
    pair = site.plane.ca.issue_for("node-a", "/O=system:nodes/CN=system:node:node-a")
    kubelet = cluster.Api(site.plane.ca.crt, pair, port=site.plane.port)
    change = {"metadata": {"annotations": {"checksum/cloud-config-data": "00", "osm-gen.dev/cloud-config": "cloud-config-pool"}}}
    user = kubelet.call("POST", SELF, {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})[1]["status"]["userInfo"]
    return user["username"], [kubelet.call("PATCH", f"/api/v1/nodes/{name}", change, kind="application/merge-patch+json")[0] for name in nodes]


def run(t, scratch, processes, programs):
    site = Site(scratch, processes, programs)
    one = site.publish("contract 1", contract=1)
    t.equal("contract 1: each token joins", [site.may(token) for token in one], [BOTH] * 2)
    two = site.publish("contract 2", contract=2)
    for token in one:
        machine.wait_for(lambda token=token: site.may(token)[2] == 403, 60, "the changed bindings")
    t.equal("contract 2: the pool's tokens are the same, and only read", [(token in two, site.may(token)) for token in one], [(True, ONLY_READS)] * 2)
    joining = [token for token in two if token not in one]
    t.equal("contract 2: the tokens for joining", [(two[token], site.may(token)) for token in joining], [("system:bootstrappers:osm-gen:join", BOTH)] * 2)
    t.equal("a kubelet's certificate changes its own Node, and no other", marked(site), ("system:node:node-a", [200, 403]))
    weeks = [two]
    for week in (1, 2):
        site.date += gardener.WEEK
        weeks.append(site.publish(f"week {week}"))
        t.equal(f"week {week}: one token of each kind is new", sorted(weeks[-1][token] for token in set(weeks[-1]) - set(weeks[-2])),
                ["", "system:bootstrappers:osm-gen:join"])
        t.equal(f"week {week}: what they may do", [site.may(token) for token in weeks[-1]],
                [BOTH if groups else ONLY_READS for groups in weeks[-1].values()])
    machine.wait_for(lambda: all(site.plane.by_token(token).call("GET", POOL)[0] == 401 for token in two), 60, "the first tokens to end")
    t.check("a node that was off for two periods has none that is valid", not set(two) & set(weeks[-1]), len(two))
