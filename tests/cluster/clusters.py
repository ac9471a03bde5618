"""All that is there before the first step: planes, their kinds, webhooks, machine-controller, Flux, the repository."""

import base64
import os

import exports
import flux
import live
import machine
import nodelib
import nodes
import plane
import repository

WEBHOOK_PORT = 9443  # the program's own
MACHINES = "/apis/cluster.k8s.io/v1alpha1/namespaces/kube-system"
VIRTUAL_MACHINES = "/apis/kubevirt.io/v1/namespaces/vms-%s/virtualmachines"
REVISION = "machinedeployment.clusters.k8s.io/revision"
SECRET_REVISION = "k8c.io/machine-deployment-revision"


class Site:
    def __init__(self, t, scratch, processes, programs):
        self.t, self.scratch, self.processes, self.programs = t, scratch, processes, programs
        self.planes = plane.start(scratch, programs, processes)
        self.hub = self.planes[repository.HUB]
        self.repo = repository.Repository(scratch, {name: self.planes[name].url() for name in repository.CLUSTERS},
                                          self.hub.ca.crt, provisioning="split")
        self.flux = flux.Flux(self.hub, self.planes, self.repo, processes, programs)
        self.nodes = nodes.Nodes(self.hub)
        self.exports = exports.Exports(scratch, programs["kubectl"], self.planes, self.repo)
        self.live = live.Live(t, self.planes, self.repo, [
            *self.definitions("operating-system-manager"), *self.definitions("kustomize-controller")])

    def definitions(self, name):
        """The CustomResourceDefinitions that come with a program."""
        return plane.manifests(self.programs[f"{name}/"], "CustomResourceDefinition")

    def open(self):
        """Kinds, webhooks and controllers; Flux has nothing to do yet."""
        folder = lambda name: self.programs[f"{name}/"]
        plane.define(self.hub, [*self.definitions("source-controller"), *self.definitions("kustomize-controller"),
                                *self.definitions("operating-system-manager"), *plane.kubevirt_definitions(folder("kubevirt"))])
        for name in repository.CLUSTERS:
            plane.define(self.planes[name], self.definitions("machine-controller"))
            self.hub.admin.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"vms-{name}"}})
        self.hub.admin.create({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.test/none",
                               "metadata": {"name": repository.STORAGE_CLASS}})
        self.start_webhooks(plane.manifests(folder("operating-system-manager"), "MutatingWebhookConfiguration",
                                            "ValidatingWebhookConfiguration"))
        for number, name in enumerate(repository.CLUSTERS):
            self.start_machine_controller(name, 8300 + 2 * number)
        self.flux.start(self.scratch)

    def start_webhooks(self, configurations):
        """The controller's webhooks as its project registers them, but reached by an address: there is no Service."""
        certificate, key = self.hub.ca.issue_for("webhook", "/CN=webhook", "IP:127.0.0.1")
        folder = self.scratch / "webhook"
        folder.mkdir()
        (folder / "tls.crt").symlink_to(certificate)
        (folder / "tls.key").symlink_to(key)
        kubeconfig = self.scratch / "webhook.kubeconfig"
        kubeconfig.write_text(self.hub.kubeconfig())
        self.processes.run("webhook", [
            self.programs["operating-system-manager"], "-namespace=kube-system", f"-cert-dir={folder}",
            "-metrics-bind-address=127.0.0.1:8200", "-health-probe-bind-address=127.0.0.1:8201"],
            {"PATH": os.environ["PATH"], "KUBECONFIG": str(kubeconfig)})
        machine.wait_for(lambda: self.processes.alive() and nodelib.run(
            ["curl", "-fsS", "http://127.0.0.1:8201/healthz"], check=False).returncode == 0, 60, "the webhooks")
        for configuration in configurations:
            configuration["metadata"] = {"name": configuration["metadata"]["name"]}
            for webhook in configuration["webhooks"]:
                path = webhook["clientConfig"]["service"]["path"]
                webhook["clientConfig"] = {"url": f"https://127.0.0.1:{WEBHOOK_PORT}{path}",
                                           "caBundle": base64.b64encode(self.hub.ca.crt.read_bytes()).decode()}
            of_machines = configuration["kind"] == "MutatingWebhookConfiguration"
            for name in repository.CLUSTERS if of_machines else (repository.HUB,):
                self.planes[name].admin.create(configuration)

    def start_machine_controller(self, name, port):
        kubeconfig = self.scratch / f"{name}.kubeconfig"
        kubeconfig.write_text(self.planes[name].kubeconfig())
        self.processes.run(f"machine-controller-{name}", [
            self.programs["machine-controller"], f"-kubeconfig={kubeconfig}", "-enable-leader-election=false",
            f"-metrics-address=127.0.0.1:{port}", f"-health-probe-address=127.0.0.1:{port + 1}", "-worker-count=4",
            "-node-csr-approver=false"],
            {"PATH": os.environ["PATH"], "KUBEVIRT_KUBECONFIG": self.hub.kubeconfig(), "POD_NAMESPACE": f"vms-{name}"})

    def compare(self, name, status):
        """`osm-gen compare` beside an export of the live cluster; AssertionError when it does not end with that status."""
        exports = [word for file in self.exports.of(name) for word in ("--live", file)]
        return self.repo.osm_gen("compare", "--repo", self.repo.path, "--seal-seed-file", self.repo.seed, "--cluster", name,
                                 *exports, status=status)

    def observe(self, step, name, settled):
        """`osm-gen observe` beside exports of both sides finds the cluster settled, or does not; what it has printed."""
        run = self.repo.start("observe", "--repo", self.repo.path, "--cluster", name, *self.exports.of(name))
        told, said = run.communicate()
        self.t.check(f"{step}: osm-gen observe finds {name} {'settled' if settled else 'not settled'}",
                     (run.returncode, told.startswith("settled:")) == ((0, True) if settled else (1, False)), told + said)
        return told

    # ---- machines

    def machines(self, name, pool):
        """The Machines of the pool's newest MachineSet, and its revision."""
        admin = self.planes[name].admin
        of_pool = lambda item: item["metadata"]["labels"].get("pool") == pool and "deletionTimestamp" not in item["metadata"]
        sets = [item for item in admin.get(f"{MACHINES}/machinesets")["items"] if of_pool(item)]
        if not sets:
            return [], None
        newest = max(sets, key=lambda item: int(item["metadata"]["annotations"].get(REVISION, 0)))
        owned = [item for item in admin.get(f"{MACHINES}/machines")["items"] if of_pool(item) and any(
            owner["uid"] == newest["metadata"]["uid"] for owner in item["metadata"].get("ownerReferences", []))]
        return owned, newest["metadata"]["annotations"].get(REVISION)

    def user_data_secret(self, name, machine_name):
        """The Secret that a machine's VirtualMachine names, or None."""
        vm = self.hub.admin.find(VIRTUAL_MACHINES % name + "/" + machine_name)
        if not vm:
            return None
        references = [volume["cloudInitNoCloud"]["secretRef"]["name"] for volume in vm["spec"]["template"]["spec"]["volumes"]
                      if "cloudInitNoCloud" in volume]
        return self.hub.admin.find(f"/api/v1/namespaces/vms-{name}/secrets/{references[0]}")

    def user_data(self, name, machine_name):
        """What the platform was given for a machine: the text of that Secret; or None."""
        item = self.user_data_secret(name, machine_name)
        return base64.b64decode(item["data"]["userdata"]).decode() if item else None

    def check_machines(self, step, name, pool, seconds=60):
        """machine-controller has made the machines of the newest template, which has git's revision, and gave their platform
        the very text of the bootstrap Secret; they join, and those of earlier templates go. The names of the machines."""
        where, wanted = f"{step}: {name}/{pool}", self.revision(name, pool)

        def made():
            self.processes.alive()
            found, live = self.machines(name, pool)
            if live != wanted:
                return None
            texts = {item["metadata"]["name"]: self.user_data(name, item["metadata"]["name"]) for item in found}
            return texts if texts and all(texts.values()) else None

        texts = self.wait_for_machines(name, made, seconds, f"{where}: a VirtualMachine of revision {wanted}")
        self.exports.keep(f"{step}, machines of {name} {pool} start")
        told = self.observe(where, name, settled=False)
        self.t.check(f"{where}: osm-gen observe names the machines that have no node yet", all(
            f"{machine_name}: without a node yet, revision {wanted}" in told for machine_name in texts), told)
        self.check_texts(where, name, pool, texts)
        for machine_name in texts:
            self.nodes.join(self.planes[name], machine_name)
        admin = self.planes[name].admin

        def rolled_out():
            """Every Machine of the pool is one of those, and has its Node."""
            found = [item for item in admin.get(f"{MACHINES}/machines")["items"]
                     if item["metadata"]["labels"].get("pool") == pool]
            return {item["metadata"]["name"]: item.get("status", {}).get("nodeRef", {}).get("name")
                    for item in found} == {machine_name: machine_name for machine_name in texts}

        self.wait_for_machines(name, rolled_out, seconds, f"{where}: the end of the roll-out")
        return sorted(texts)

    def check_texts(self, where, name, pool, texts):
        """What the platform was given for machines, by their names, is the text of the bootstrap Secret."""
        bootstrap = self.repo.secret(name, f"{pool}-kube-system-bootstrap-config")["cloud-config"]
        for machine_name, text in texts.items():
            self.t.check(f"{where}: the machine has exactly the text of the bootstrap Secret",
                         text == nodelib.on_machine(bootstrap, machine_name), machine_name)

    def wait_for_machines(self, name, condition, seconds, what):
        """As machine.wait_for; the error has machine-controller's last words."""
        try:
            return machine.wait_for(lambda: self.processes.alive() and condition(), seconds, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.processes.log(f'machine-controller-{name}')[-2500:]}") from None

    def revision(self, name, pool):
        """As the bootstrap Secret of the output has it."""
        wanted = f"{pool}-kube-system-bootstrap-config"
        item = next(item for item in self.repo.objects(name, "worker") if item["metadata"]["name"] == wanted)
        return item["metadata"]["annotations"][SECRET_REVISION]

    def replace_machine(self, name, pool):
        """Deletes the pool's machines: their MachineSet makes others. The names of those that are gone."""
        admin = self.planes[name].admin
        gone = [item["metadata"]["name"] for item in self.machines(name, pool)[0]]
        for item in gone:
            admin.call("DELETE", f"{MACHINES}/machines/{item}")
        there = lambda: [item for item in gone if admin.find(f"{MACHINES}/machines/{item}")]
        machine.wait_for(lambda: self.processes.alive() and not there(), 60, "machine-controller to delete machines")
        return gone

    # ---- tokens

    def check_token(self, step, name, pool, others):
        """The token of a pool's machines reaches its three Secrets and its ConfigMaps, and nothing else; `others` are pools of the
        cluster."""
        api, where = self.planes[name].by_token(self.repo.node_token(name, pool)), f"{step}: token of {name}/{pool}"
        in_tree = "/api/v1/namespaces/cloud-init-settings/secrets"
        secrets = lambda pool: [f"{pool}-kube-system-provisioning-config", f"kube-system-{pool}-kubelet-bootstrap-config",
                                f"{pool}-kube-system-bootstrap-config"]
        machine.wait_for(lambda: api.call("GET", f"{in_tree}/{secrets(pool)[0]}")[0] != 401, 20, f"{where} to be known")
        config_maps = self.repo.readable_config_maps(name, pool)
        want = {f"{in_tree}/{item}": 200 for item in secrets(pool)}
        want.update({plane.path_of(item): 200 for item in config_maps})
        want.update({f"{in_tree}/{item}": 403 for other in others for item in secrets(other)})
        identity = self.repo.node_token(name, pool).split(".")[0]
        want.update({path: 403 for path in (
            in_tree, f"{in_tree}/no-such-secret", f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{identity}",
            "/api/v1/configmaps", "/api/v1/secrets", "/api/v1/namespaces", "/api/v1/nodes", "/api/v1/pods",
            f"{MACHINES}/machinedeployments", "/apis/rbac.authorization.k8s.io/v1/clusterroles")})
        self.t.equal(f"{where}: what it may get", {path: api.call("GET", path)[0] for path in want}, want)
        target = f"{in_tree}/{secrets(pool)[2]}"
        self.t.equal(f"{where}: it may change nothing", [api.call("DELETE", target)[0], api.call(
            "PATCH", target, {"metadata": {"labels": {"a": "b"}}}, kind="application/merge-patch+json")[0]], [403, 403])
        for namespace in ("cloud-init-settings", "kube-system", "default"):
            review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
                      "spec": {"namespace": namespace}}
            _, answer = api.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", review)
            rules = [(rule["verbs"], rule["resources"], sorted(rule.get("resourceNames", [])))
                     for rule in answer["status"]["resourceRules"] if not rule["apiGroups"] or rule["apiGroups"] == [""]]
            may = [(["get"], ["secrets"], sorted(secrets(pool)))]
            if config_maps:
                may.append((["get"], ["configmaps"], sorted(item["metadata"]["name"] for item in config_maps)))
            self.t.equal(f"{where}: what the API server says that it may do in {namespace}", sorted(rules),
                         sorted(may) if namespace == "cloud-init-settings" else [])

    def check_refused(self, step, name, token, seconds=20):
        """The API server does not know a token any more."""
        api = self.planes[name].by_token(token)
        try:
            machine.wait_for(lambda: api.call("GET", "/api/v1/namespaces/cloud-init-settings/secrets")[0] == 401,
                             seconds, "")
            known = False
        except AssertionError:
            known = True
        self.t.check(f"{step}: {name}: the token that was is refused", not known)


def refused(status, answer, text):
    """Whether a webhook has refused something with these words."""
    return status in (400, 403, 422) and text in str(answer)


def item(kind, group, namespace, name):
    return {"apiVersion": group, "kind": kind, "metadata": {"namespace": namespace, "name": name}}

