"""What a node must be like that has joined its cluster, asked through the API server wherever that can be."""

import json
import os
import re
import resource
import time

import yaml

import cluster
import extension
import fleet
import machine
import programs
from observe import wait_in_journal
from scene import (ADDRESS, CLUSTER_DNS, CNI_CONFIG, IN_TREE, KUBELET, MAX_PODS, NAME, NAME_SERVER, NODE, PODS, REGISTRY, SECRETS, TAINT,
                   WAIT)

CONFIG_MAPS = IN_TREE.replace("/secrets", "/configmaps")
# Stage 1 reads the Secret with it: the attempt goes on when the file has gone.
HELD = "/var/lib/held"
JQ = f"""#!/bin/sh
case "$*" in *cloud-config*) : >{HELD}; while [ -e {HELD} ]; do sleep 0.1; done ;; esac
exec /usr/bin/jq "$@"
"""


def condition(item, kind):
    """A condition of a Node or Pod, or an empty one."""
    return next((c for c in item.get("status", {}).get("conditions", []) if c["type"] == kind), {})


def amount(text):
    """Of processors, or of memory in KiB."""
    units = {"m": 0.001, "Ki": 1, "Mi": 1024}
    number, unit = re.fullmatch(r"(\d+)(\D*)", text).groups()
    return round(int(number) * units.get(unit, 1), 3)


def starts(t, site):
    """Power-on; with `provisioning: split`, until stage 1 has met all that may be wrong with the ConfigMap."""
    item = site.fleet.config_map("workers")
    if not item:
        site.start_machine()
        return
    admin, path = site.cluster.admin, cluster.path_of(item)
    admin.delete(path)
    site.start_machine()
    m, url = site.node, f"cannot get {fleet.API}{path}"
    wait_in_journal(m, "bootstrap", f"{url}: the API server answers 404", 120)
    admin.create({**item, "data": {**item["data"], "config": item["data"]["config"] + "\n"}})
    wait_in_journal(m, "bootstrap", f"error: the ConfigMap {item['metadata']['name']} is not the one that", 60)
    m.write("/usr/local/bin/jq", JQ, 0o755)
    machine.wait_for(m.path(HELD).exists, 60, "an attempt that has the Secret", m)
    site.cluster.stop("kube-apiserver")
    m.path("/usr/local/bin/jq").unlink()
    m.path(HELD).unlink()
    wait_in_journal(m, "bootstrap", f"{url}: the host does not take the connection", 60)
    t.check("split: nothing is applied before all fits", "bootstrap: applying" not in m.journal("bootstrap"), m.journal("bootstrap"))
    site.cluster.start_server()
    admin.delete(path)
    admin.create(item)
    site.failures += site.failed("bootstrap")


def joins(t, site):
    """From power-on to a Node."""
    admin = site.cluster.admin
    started = time.monotonic()
    found = machine.wait_for(lambda: site.cluster.alive() and site.tries() and admin.find(NODE), 400, "the Node")
    print(f"note  join: the Node was there {time.monotonic() - started:.1f} s after power-on")
    labels = found["metadata"]["labels"]
    t.equal("node: its labels", {key: labels.get(f"kubernetes.io/{key}") for key in ("hostname", "os", "arch")},
            {"hostname": NAME, "os": "linux", "arch": site.arch})
    t.check("node: the taints asked for", TAINT in found["spec"].get("taints", []), found["spec"])
    addresses = {(entry["type"], entry["address"]) for entry in found["status"]["addresses"]}
    t.equal("node: its addresses", addresses, {("InternalIP", ADDRESS), ("Hostname", NAME)})
    info = found["status"]["nodeInfo"]
    t.equal("node: its versions", [info["kubeletVersion"], info["containerRuntimeVersion"]],
            [programs.KUBERNETES, "containerd://" + programs.version_of(site.paths["containerd"] / "containerd")])
    capacity, allocatable = found["status"]["capacity"], found["status"]["allocatable"]
    t.equal("node: as many Pods as asked for", capacity["pods"], str(MAX_PODS))
    t.equal("node: what is reserved is not for Pods", [amount(capacity[key]) - amount(allocatable[key]) for key in
                                                       ("cpu", "memory")], [0.26, 450 * 1024])


def client_certificate(t, site):
    """The kubelet's CSR came with the pool's token and needed nobody."""
    token = site.fleet.node_token("workers")
    user = f"system:bootstrap:{token.split('.')[0]}"
    requests = [r for r in site.cluster.requests_for_certificates()
                if r["spec"]["signerName"] == "kubernetes.io/kube-apiserver-client-kubelet"]
    if t.equal("CSR: one, with the pool's token", [(r["spec"]["username"], cluster.NODE_GROUP in r["spec"]["groups"])
                                                  for r in requests], [(user, True)]):
        subject, _ = cluster.subject_of(requests[0])
        t.equal("CSR: for the node's own name", set(subject.split(",")), {f"CN=system:node:{NAME}", "O=system:nodes"})
        approved = condition(requests[0], "Approved")
        t.equal("CSR: the controller manager approves it", [approved.get("status"), approved.get("reason")],
                ["True", "AutoApproved"])
        t.check("CSR: it is signed", requests[0]["status"].get("certificate"), requests[0]["status"])
    for name in SECRETS:
        t.check(f"token: {name} was fetched with it", ("get", f"{IN_TREE}/{name}", user, 200) in site.cluster.requests(),
                [entry for entry in site.cluster.requests() if entry[2] == user])
    config_map = site.fleet.config_map("workers")
    t.equal("token: ConfigMaps that were fetched with it", {path for verb, path, who, status in site.cluster.requests()
                                                           if "/configmaps/" in path and who == user and status == 200},
            {cluster.path_of(config_map)} if config_map else set())
    t.check("token: it is in no journal", token.split(".")[1] not in site.node.journal(), "")


def token_rights(t, site):
    """What the token may do, asked of the API server."""
    api = cluster.Api(site.cluster_ca.crt, token=site.fleet.node_token("workers"))
    mine = [*SECRETS, "workers-kube-system-bootstrap-config"]
    identity = site.fleet.node_token("workers").split(".")[0]
    want = {f"{IN_TREE}/{name}": 200 for name in mine}
    want.update({f"{IN_TREE}/{name.replace('workers', 'others')}": 403 for name in mine})
    if config_map := site.fleet.config_map("workers"):
        want[cluster.path_of(config_map)] = 200
    for path in (IN_TREE, f"{IN_TREE}/no-such-secret", CONFIG_MAPS, f"{CONFIG_MAPS}/no-such-config-map",
                 f"/api/v1/namespaces/kube-system/secrets/bootstrap-token-{identity}",
                 "/api/v1/secrets", "/api/v1/nodes", PODS, "/api/v1/namespaces",
                 "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"):
        want[path] = 403
    have = {path: api.call("GET", path)[0] for path in want}
    t.equal("token: reads what is its own and nothing else", have, want)
    changes = [api.call(verb, path, body)[0] for verb, path, body in (
        ("DELETE", f"{IN_TREE}/{mine[0]}", None), ("PUT", f"{IN_TREE}/{mine[0]}", site.fleet.secret_object(mine[0])),
        ("POST", IN_TREE, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "new"}}))]
    t.equal("token: changes nothing", changes, [403, 403, 403])
    wrong = cluster.Api(site.cluster_ca.crt, token=f"{identity}.{'b' * 16}")
    t.equal("token: its secret half counts", wrong.call("GET", f"{IN_TREE}/{mine[0]}")[0], 401)


def serving_certificate(t, site):
    """The kubelet asks for one as well, which waits for approval: before, the API server does not talk to it."""
    waiting = lambda: [r for r in site.cluster.requests_for_certificates()
                       if r["spec"]["signerName"] == "kubernetes.io/kubelet-serving"]
    request = machine.wait_for(waiting, 60, "the CSR for a serving certificate")[-1]
    t.equal("serving CSR: asked for by the node", request["spec"]["username"], f"system:node:{NAME}")
    t.equal("serving CSR: waits for approval", request["status"], {})
    subject, names = cluster.subject_of(request)
    t.equal("serving CSR: for the node's own name and address", [set(subject.split(",")), set(names.split(", "))],
            [{f"CN=system:node:{NAME}", "O=system:nodes"}, {f"DNS:{NAME}", f"IP Address:{ADDRESS}"}])
    site.cluster.approve(request)
    machine.wait_for(lambda: site.cluster.admin.call("GET", f"{NODE}/proxy/configz")[0] == 200, 60,
                     "the kubelet's serving certificate")


def differences(want, have, path=""):
    """Where a value differs that the first one names."""
    if isinstance(want, dict) and isinstance(have, dict):
        return [text for key, value in want.items() for text in differences(value, have.get(key), f"{path}.{key}")]
    # The answer leaves out what is zero or false.
    return [] if want == have or have is None and not want else [f"{path.lstrip('.')}: {have!r} instead of {want!r}"]


def effective_configuration(t, site):
    """What the kubelet says it works with is what was rendered."""
    rendered = yaml.safe_load(site.node.read("/etc/kubernetes/kubelet.conf"))
    t.equal("configz: what the annotation asks for", rendered["maxPods"], int(KUBELET["MaxPods"]))
    rendered.update(yaml.safe_load(site.node.read(f"/etc/kubernetes/kubelet.conf.d/{extension.NAME}.conf")))
    have = site.cluster.admin.get(f"{NODE}/proxy/configz")["kubeletconfig"]
    for key in ("apiVersion", "kind"):
        rendered.pop(key)
    # The kubelet spells durations out.
    rendered["imageMinimumGCAge"] = rendered["imageMinimumGCAge"].removesuffix("s") + "s"
    t.equal("configz: what was rendered", differences(rendered, have), [])
    t.equal("configz: what was asked for", {key: have.get(key) for key in (
        "maxPods", "clusterDNS", "containerLogMaxSize", "containerLogMaxFiles", "kubeReserved", "systemReserved",
        "evictionHard", "imageGCHighThresholdPercent", "imageGCLowThresholdPercent", "imageMinimumGCAge", "cgroupDriver",
        "serializeImagePulls", "registerWithTaints", "containerRuntimeEndpoint")}, {
        "maxPods": MAX_PODS, "clusterDNS": [CLUSTER_DNS], "containerLogMaxSize": "20Mi", "containerLogMaxFiles": 3,
        "kubeReserved": {"cpu": "150m", "memory": "210Mi"}, "systemReserved": {"cpu": "110m", "memory": "120Mi"},
        "evictionHard": {"memory.available": "120Mi", "nodefs.available": "6%"}, "imageGCHighThresholdPercent": 82,
        "imageGCLowThresholdPercent": 61, "imageMinimumGCAge": "3m0s", "cgroupDriver": "systemd", "serializeImagePulls": False,
        "registerWithTaints": [TAINT], "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock"})
    said = site.node.journal("kubelet")
    t.check("kubelet: no unknown fields", "strict decoding" not in said, said[:3000])
    t.equal("kubelet: no deprecated flags", re.findall(r"Flag --([a-z-]+) has been deprecated", said), [])


def ready(t, site):
    """Not without a Pod network; with one, at once."""
    admin = site.cluster.admin
    before = condition(machine.wait_for(lambda: (lambda item: condition(item, "Ready") and item)(admin.get(NODE)), 60,
                                        "a status of the Node"), "Ready")
    t.check("node: not ready without a CNI configuration", before["status"] == "False" and "cni" in before["message"].lower(),
            before)
    t.check("node: /etc/cni/net.d is there, and empty", site.node.path("/etc/cni/net.d").is_dir()
            and not any(site.node.path("/etc/cni/net.d").iterdir()), "")
    site.node.write("/etc/cni/net.d/10-pods.conflist", json.dumps(CNI_CONFIG))
    is_ready(site, "the Node to be ready")
    taints = machine.wait_for(lambda: (lambda taints: len(taints) == 1 and taints)(admin.get(NODE)["spec"].get("taints", [])),
                              60, "the not-ready taint to go")
    t.equal("node: the taint asked for stays", taints, [TAINT])


def is_ready(site, what, seconds=120):
    machine.wait_for(lambda: condition(site.cluster.admin.get(NODE), "Ready").get("status") == "True", seconds, what)


def pod(name, script, **spec):
    """A Pod that a scheduler has given to the node."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {
        "nodeName": NAME, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
        "tolerations": [{"key": TAINT["key"], "operator": "Exists"}],
        "containers": [{"name": "main", "image": f"{REGISTRY}/team/program:v1", "args": [script],
                        "resources": {"requests": {"memory": "16Mi"}, "limits": {"memory": "32Mi", "cpu": "200m"}}}], **spec}}


def ended(site, name):
    """The state of a Pod's container once it has ended."""
    def look():
        item = site.cluster.admin.get(f"{PODS}/{name}")
        statuses = item["status"].get("containerStatuses", [])
        return statuses and statuses[0]["state"].get("terminated")
    try:
        return machine.wait_for(look, 120, f"the Pod {name} to end")
    except AssertionError as error:
        events = site.cluster.admin.get("/api/v1/namespaces/default/events")["items"]
        words = "\n".join(f"{event['reason']}: {event.get('message')}" for event in events[-12:])
        raise AssertionError(f"{error}\n{words}") from None


def is_up(site):
    """The Pod server if it is ready, else False."""
    item = site.cluster.admin.get(f"{PODS}/server")
    return condition(item, "Ready").get("status") == "True" and item


def pods_run(t, site):
    """To their end, with the node's DNS, limits and network, from images that only the registry's mirror has."""
    admin = site.cluster.admin
    admin.create(pod("server", f"echo up; {WAIT}", restartPolicy="Always"))
    server = machine.wait_for(lambda: is_up(site), 120, "the Pod server to be ready")
    address = server["status"]["podIP"]
    t.check("pod: its address is of the Pod network", address.startswith("10.244.7."), address)
    t.equal("pod: it runs on the node's address", server["status"]["hostIP"], ADDRESS)

    admin.create(pod("once", f"hostname; cat /etc/resolv.conf /proc/self/limits; ping -c 1 -W 5 {address} >/dev/null && "
                             "echo reached; cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; exit 7"))
    t.equal("pod: its status", [ended(site, "once").get(key) for key in ("exitCode", "reason")], [7, "Error"])
    status, log = admin.call("GET", f"{PODS}/once/log")
    t.equal("pod: its log can be read", status, 200)
    lines = log.splitlines()
    t.equal("pod: its name", lines[:1], ["once"])
    t.check("pod: the cluster's DNS", f"nameserver {CLUSTER_DNS}" in lines and any(
        line.startswith("search default.svc.cluster.local") for line in lines), log)
    # The profile's limit for containerd, as far as the system lets it be raised.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = min(1048576, most) if programs.lacks_sys_resource() and most != resource.RLIM_INFINITY else 1048576
    t.check("pod: containerd's limit of open files", any(
        line.split()[:4] == ["Max", "open", "files", str(most)] for line in lines), log)
    t.check("pod: it reaches another", "reached" in lines, log)
    t.equal("pod: it has its ServiceAccount", lines[-1:], ["default"])

    admin.create(pod("of-the-host", "cat /etc/resolv.conf", hostNetwork=True, dnsPolicy="Default"))
    t.equal("pod: a Pod of the host's network ends well", ended(site, "of-the-host")["exitCode"], 0)
    log = admin.call("GET", f"{PODS}/of-the-host/log")[1]
    t.check("pod: the node's own name server", f"nameserver {NAME_SERVER}" in log.splitlines(), log)

    pulled = {path for _, path in site.registry.seen}
    for name, tag in (("pause", "3.10"), ("team/program", "v1")):
        t.check(f"images: {name} came through the mirror of {REGISTRY}",
                f"/v2/{name}/manifests/{tag}?ns={REGISTRY}" in pulled, sorted(pulled))
    status, metrics = admin.call("GET", f"{NODE}/proxy/metrics/resource")
    t.check("kubelet: it measures Pods", status == 200 and 'pod="server"' in metrics, metrics[:500])


def units(t, site):
    """systemd's view of the node."""
    m = site.node
    names = ("kubelet", "containerd", "kubelet-healthcheck", "containerd-healthcheck")
    t.equal("units: running", m.run("systemctl", "is-active", *names).stdout.split(), ["active"] * 4)
    t.equal("units: none has failed", m.failed(), [])
    slices = m.run("systemctl", "list-units", "--type=slice", "--plain", "--no-legend").stdout
    t.check("units: Pods are in slices of systemd", "kubepods-burstable-pod" in slices, slices)
    restarts = m.run("systemctl", "show", "kubelet", "containerd", "--property=NRestarts").stdout.split()
    t.equal("units: neither kubelet nor containerd was restarted", restarts, ["NRestarts=0"] * 2)


def certificates(site):
    """The CSRs so far, and the certificates that the kubelet uses."""
    pki = site.node.path("/etc/kubernetes/pki")
    return ([r["metadata"]["name"] for r in site.cluster.requests_for_certificates()],
            {str(path.name): os.readlink(path) for path in pki.glob("kubelet-*-current.pem")})


def heartbeat(site):
    """When the kubelet last said that the node is alive; empty before it has."""
    lease = site.cluster.admin.find(f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{NAME}")
    return lease["spec"]["renewTime"] if lease else ""


def extended(t, site):
    """What the extension adds, as the real programs see it: a Pod runs with NVIDIA's runtime."""
    extension.on_node(t, site.node, site.proxy_ca, site.origin)
    site.cluster.admin.create({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"},
                               "handler": "nvidia"})
    site.cluster.admin.create(pod("accelerated", "echo with a runtime of its own", runtimeClassName="nvidia"))
    t.equal("extension: a Pod with the runtime ends well", ended(site, "accelerated")["exitCode"], 0)
    t.check("extension: the runtime was NVIDIA's, for this Pod alone", extension.used(site.node), "")


def restarts(t, site):
    """A restarted kubelet, then a machine that was off and on: both go on with the certificates that there are."""
    m, admin = site.node, site.cluster.admin
    for what, act in (("restarted kubelet", lambda: m.run("systemctl", "restart", "kubelet", timeout=120)),
                      ("rebooted machine", lambda: (m.power_off(), m.power_on()))):
        beat = machine.wait_for(lambda: heartbeat(site), 60, "a first word of the node")
        before = certificates(site)
        t.equal(f"{what}: two certificates before", len(before[1]), 2)
        asked = [entry for entry in site.cluster.requests() if entry[2].startswith("system:bootstrap:")]
        act()
        machine.wait_for(lambda: heartbeat(site) > beat, 120, f"a word of the node: {what}")
        is_ready(site, f"{what}: the Node to be ready")
        machine.wait_for(lambda: admin.call("GET", f"{NODE}/proxy/healthz")[0] == 200, 60, f"{what}: the kubelet's answer")
        t.equal(f"{what}: no new CSR, the same certificates", certificates(site), before)
        t.equal(f"{what}: the token is not used again",
                [entry for entry in site.cluster.requests() if entry[2].startswith("system:bootstrap:")], asked)
        name = "after-" + what.replace(" ", "-")
        admin.create(pod(name, "echo again"))
        t.equal(f"{what}: Pods run", [ended(site, name)["exitCode"], admin.call("GET", f"{PODS}/{name}/log")[1]],
                [0, "again\n"])
    again = machine.wait_for(lambda: is_up(site), 60, "the Pod server to be ready after the reboot")
    t.equal("rebooted machine: the Pod that runs on was started once more",
            again["status"]["containerStatuses"][0]["restartCount"], 1)
