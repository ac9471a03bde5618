"""Canaries: secrets of our own making, planted in every kind of place that can hold one, and looked for in
everything that osm-gen leaves behind, whichever command ran and whether it succeeded or failed.

Called by canaries.sh: canaries.py PROGRAM SCRATCH ROOT; with "leaky" behind it the program has a mistake
of ours (tests/leaky), which must be found."""
import base64
import gzip
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from _checks import check, finish  # noqa: E402
from _find_secrets import find  # noqa: E402

program, scratch, root = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
canaries = {}
RECIPIENT = "age1f0g29682n697tgt6xrx2sf30fw96xxysxgajs2eddjsr8e4c4s7slsenmk"
seed = os.environ["OSM_GEN_SEAL_SEED"]
identity = [line for line in pathlib.Path(os.environ["SOPS_AGE_KEY_FILE"]).read_text().split() if line.startswith("AGE-SECRET-KEY-")][0]


# What all canaries begin with but those whose form is given. Where it stands in no form, none of them does.
BEGIN = ("canary", "Canary")


clean = set()


def found(secrets, data):
    """As find, and quick where nothing is found or the same bytes were searched before."""
    search = (tuple(secrets), hashlib.sha256(data).digest())
    if search in clean:
        return []
    if not find(BEGIN, data):
        secrets = [text for text in secrets if not text.startswith(BEGIN)]
    hits = find(secrets, data)
    if not hits:
        clean.add(search)
    return hits


def canary(place, tail="/+'\"<&é "):
    """A secret for one place; its tail has what each way of quoting changes."""
    text = "canary" + hashlib.sha256(place.encode()).hexdigest()[:24] + tail.rstrip() + "z"
    canaries[place] = text
    return text


def token(place):
    """A bootstrap token."""
    digest = hashlib.sha256(place.encode()).hexdigest()
    canaries[place] = digest[6:22]
    return digest[:6] + "." + digest[6:22]


def plain(place):
    return canary(place, "")


# ---- inputs --------------------------------------------------------------------------------------

def secret(namespace, name, data, kind="Opaque", encoded=False, **metadata):
    values = {k: base64.b64encode(v.encode()).decode() for k, v in data.items()} if encoded else data
    return {"apiVersion": "v1", "kind": "Secret", "type": kind, "metadata": {"namespace": namespace, "name": name, **metadata},
            "data" if encoded else "stringData": values}


def config_map(namespace, name, data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": name}, "data": data}


def reference(kind, name, key):
    return {kind: {"namespace": "kube-system", "name": name, "key": key}}


def machines(name, provider, spec, system="ubuntu", system_spec=None, kubelet="1.35.2", profile=None, annotations=None):
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": {"name": name, "namespace": "kube-system",
                         "annotations": {"k8c.io/operating-system-profile": profile or f"osp-{system}", **(annotations or {})}},
            "spec": {"selector": {"matchExpressions": [{"key": "none", "operator": "DoesNotExist"}]},
                     "template": {"spec": {"versions": {"kubelet": kubelet}, "providerSpec": {"value": {
                "cloudProvider": provider, "cloudProviderSpec": spec, "operatingSystem": system,
                "operatingSystemSpec": system_spec or {}}}}}}}


def cluster(name, settings=None):
    return {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Cluster", "metadata": {"name": name}, "spec": {"settings": {
        "managementCluster": "self", **(settings or {})}}}


def cluster_info(name):
    authority = base64.b64encode((root / "tests/golden/settings/repo/clusters/prod/ca.pem").read_bytes()).decode()
    return config_map("kube-public", "cluster-info", {"kubeconfig": json.dumps({
        "apiVersion": "v1", "kind": "Config", "clusters": [{"name": "", "cluster": {
            "server": f"https://{name}.osm-gen.example:6443", "certificate-authority-data": authority}}]})})


def kubeconfig(password):
    return json.dumps({"apiVersion": "v1", "kind": "Config", "users": [{"name": "u", "user": {"username": "robot", "password": password}}],
                       "clusters": [{"name": "c", "cluster": {"server": "https://infra.osm-gen.example"}}],
                       "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}], "current-context": "x"})


FLEET = {"apiVersion": "osm-gen.dev/v1alpha1", "kind": "Fleet",
         "spec": {"sealing": {"format": "sops", "recipients": [RECIPIENT]}}}


MACHINES = ("openstack", "kubevirt", "rhel", "text")


def quoted(text):
    """As it stands in a URL."""
    from urllib.parse import quote
    return quote(text, safe="")


def template(name, text):
    """A profile that writes a text of a template's choice."""
    part = {"path": "/etc/text", "permissions": 600, "content": {"inline": {"encoding": "b64", "data": text}}}
    return {"apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemProfile",
            "metadata": {"name": name, "namespace": "kube-system"},
            "spec": {"osName": "ubuntu", "osVersion": "24.04", "version": "v1.0.0", "supportedCloudProviders": [{"name": "hetzner"}],
                     "bootstrapConfig": {"files": [part]},
                     "provisioningConfig": {"supportedContainerRuntimes": [{"name": "containerd", "files": []}], "files": [part]}}}


def getter(text, **more):
    return secret("cloud-init-settings", "cloud-init-getter-token", {"token": text}, **more)


def gardener(name, system, purpose, **spec):
    """An OperatingSystemConfig of Gardener's whose files and placeholder come from a Secret."""
    files = [{"path": "/etc/a b/'quoted'", "permissions": 0o600, "content": {"secretRef": {"name": "files", "dataKey": "text"}}},
             {"path": "/etc/binary", "content": {"secretRef": {"name": "files", "dataKey": "binary"}}},
             {"path": "/etc/clear", "content": {"transmitUnencoded": True, "secretRef": {"name": "files", "dataKey": "clear"}}}]
    return {"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": "OperatingSystemConfig",
            "metadata": {"name": name, "namespace": "shoot"},
            "spec": {"type": system, "purpose": purpose, "files": files,
                     "units": [{"name": "a.service", "content": "[Service]\nExecStart=/bin/true\n"}], **spec}}


GARDENER = {"gardener": ("ubuntu", "suse-chost", "gardenlinux", "flatcar", "memoryone-chost", "minimal"),
            "gardener-2021": ("ubuntu", "suse-chost", "gardenlinux", "coreos", "memoryone-chost", "minimal"),
            "gardener-cloud-config": ("ubuntu", "suse-chost")}


def gardener_clusters():
    """Every format, of both purposes, under both contracts."""
    settings = {"gardener": {"gardenerNodeAgentSecrets": True, "gardenerMachineSecret": True},
                "gardener-2021": {"gardenerContract": "2021"},
                "gardener-cloud-config": {"gardenerContract": "2021", "gardenerFormat": "cloud-config"}}
    return {folder: [cluster(folder, settings[folder]),
                     secret("shoot", "files", {"text": canary(f"{folder}: file"), "binary": canary(f"{folder}: another file", "\u00ff\r\n"),
                                               "clear": canary(f"{folder}: readable file", "")}, encoded=True)] +
            [gardener(f"{system}-{purpose}", system, purpose) for system in systems for purpose in ("provision", "reconcile")]
            for folder, systems in GARDENER.items()}


def gardener_flows():
    """gardenlet's part under both contracts: OperatingSystemConfigs that nodes fetch, and a pool of machine-controller-manager's."""
    machine_class = {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineClass", "provider": "OpenStack",
                     "metadata": {"name": "pool", "namespace": "shoot",
                                  "annotations": {"osm-gen.dev/operating-system-config": "pool-downloader"}},
                     "providerSpec": {"flavorName": "m1"}, "secretRef": {"name": "cloud", "namespace": "shoot"}}
    pool = {"apiVersion": "machine.sapcloud.io/v1alpha1", "kind": "MachineDeployment", "metadata": {"name": "pool", "namespace": "shoot"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"name": "pool"}}, "template": {
                "metadata": {"labels": {"name": "pool"}}, "spec": {"class": {"kind": "MachineClass", "name": "pool"}}}}}
    made = {}
    for folder, name, settings, more in (
            ("downloader", "pool-original", {"gardenerContract": "2021", "gardenerFlow": "downloader"}, {"reloadConfigFilePath": "/var/lib/r"}),
            ("node-agent", "gardener-node-agent-pool-original", {"gardenerFlow": "node-agent", "gardenerKubernetesVersion": "1.33.1",
             "gardenerNodeAgentURL": f"https://robot:{quoted(canary('URL of the node-agent'))}@files.osm-gen.example/agent",
             "gardenerNodeAgentSHA256": ["amd64=" + "0" * 64]}, {})):
        made[folder] = [
            cluster(folder, settings),
            secret("shoot", "cloud", {"password": canary(f"{folder}: Secret of a MachineClass")}),
            secret("shoot", "files", {"text": canary(f"{folder}: fetched file"), "binary": canary(f"{folder}: fetched binary", "\u00ff\r\n"),
                                      "clear": canary(f"{folder}: fetched readable file", "")}, encoded=True),
            gardener(name, "minimal", "reconcile", **more)]
    made["downloader"] += [machine_class, pool]
    return made


def whole_fleet():
    """Folder to objects: clusters that together have every kind of place."""
    service_account = json.dumps({"type": "service_account", "project_id": "p", "private_key": plain("gce service account")})
    registries = json.dumps({"auths": {
        "registry.osm-gen.example": {"username": "robot", "password": canary("registry password")},
        "other.osm-gen.example": {"auth": base64.b64encode(("robot:" + canary("registry auth")).encode()).decode()}}})
    return {
        "given": [
            cluster("given", {
                "externalCloudProvider": False, "nodeRegistryCredentialsSecret": "kube-system/registries",
                "nodeHTTPProxy": f"http://proxyuser:{quoted(canary('proxy'))}@proxy.osm-gen.example:3128",
                "nodeRegistryMirrors": [f"https://mirroruser:{quoted(canary('mirror'))}@mirror.osm-gen.example"],
                "nodeContainerdRegistryMirrors": [f"quay.io=https://robot:{quoted(canary('containerd mirror'))}@quay.osm-gen.example"]}),
            getter(canary("getter token, base64"), encoded=True),
            secret("kube-system", "registries", {".dockerconfigjson": registries}, "kubernetes.io/dockerconfigjson"),
            secret("kube-system", "clouds", {
                "token": canary("secretKeyRef"), "kubeconfig": kubeconfig(canary("kubeconfig in a Secret")),
                "password": canary("openstack Secret"), "unused": canary("key that nothing refers to")}),
            secret("other", "unused", {"text": canary("Secret that nothing refers to")}),
            config_map("kube-system", "clouds", {"password": canary("configMapKeyRef")}),
            secret("kube-system", "bootstrap-token-" + token("bootstrap token")[:6], {
                "token-id": token("bootstrap token")[:6], "token-secret": token("bootstrap token")[7:]},
                "bootstrap.kubernetes.io/token", labels={"machinedeployment.k8s.io/name": "kube-system-hetzner"}),
            machines("hetzner", "hetzner", {"serverType": "cx42", "token": canary("inline token")}),
            machines("referred", "hetzner", {"serverType": "cx42", "token": reference("secretKeyRef", "clouds", "token")}),
            machines("aws", "aws", {"region": "us-east-1", "secretAccessKey": canary("inline AWS key")}, kubelet="1.28.1"),
            machines("azure", "azure", {"tenantID": "t", "subscriptionID": "s", "clientID": "c", "location": "l", "resourceGroup": "r",
                                        "clientSecret": canary("azure client secret")}, kubelet="1.28.1"),
            machines("openstack", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "username": "u", "domainName": "d",
                                                "projectName": "p", "password": reference("secretKeyRef", "clouds", "password")},
                     kubelet="1.28.1"),
            machines("mapped", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "username": "u", "domainName": "d",
                                             "projectName": "p", "password": reference("configMapKeyRef", "clouds", "password")},
                     kubelet="1.28.1"),
            machines("application", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "applicationCredentialID": "a",
                                                  "applicationCredentialSecret": canary("application credential")}, kubelet="1.28.1"),
            machines("vsphere", "vsphere", {"vsphereURL": "https://v.osm-gen.example", "username": "u", "datacenter": "d", "cluster": "c",
                                            "datastore": "s", "password": canary("vsphere password")}, kubelet="1.28.1"),
            machines("nutanix", "nutanix", {"endpoint": "e", "username": "u", "password": canary("nutanix password"),
                                            "proxyURL": f"http://u:{quoted(canary('nutanix proxy'))}@p.osm-gen.example"}),
            machines("kubevirt", "kubevirt", {"auth": {"kubeconfig": reference("secretKeyRef", "clouds", "kubeconfig")}}, kubelet="1.28.1"),
            machines("gce", "gce", {"zone": "z", "serviceAccount": base64.b64encode(service_account.encode()).decode()}, kubelet="1.28.1"),
            machines("rhel", "aws", {"region": "us-east-1"}, "rhel", {
                "rhelSubscriptionManagerUser": "subscriber", "rhelSubscriptionManagerPassword": canary("RHEL password"),
                "rhsmOfflineToken": canary("RHEL offline token")}),
            template("osp-text", "{{ .Token }} {{ .Token | b64enc }} {{ .HTTPProxy | trim | quote }}"),
            machines("text", "hetzner", {"serverType": "cx42"}, profile="osp-text"),
        ],
        "account": [
            cluster("account", {"bootstrapTokenServiceAccountName": "kube-system/boot"}),
            getter(canary("getter token, text")),
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "boot", "namespace": "kube-system"},
             "secrets": [{"name": "boot-token"}]},
            secret("kube-system", "boot-token", {"token": canary("ServiceAccount token")}, "kubernetes.io/service-account-token",
                   annotations={"kubernetes.io/service-account.name": "boot"}),
            machines("workers", "hetzner", {"serverType": "cx42"}),
        ],
        "derived": [cluster("derived"), machines("workers", "hetzner", {"serverType": "cx42"})],
        "machines": [
            cluster("machines", {"machineDeployments": "output", "replicas": "keep", "roll": "user-data", "externalCloudProvider": False}),
            machines("workers", "hetzner", {"serverType": "cx42", "token": canary("inline token of an output MachineDeployment")},
                     annotations={"note": "of a MachineDeployment"}),
            machines("openstack", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "username": "u", "domainName": "d",
                                                "projectName": "p", "password": canary("inline password of an output MachineDeployment")},
                     kubelet="1.28.1"),
        ],
        # What is in the clear there is in a ConfigMap.
        "split": [
            cluster("split", {
                "provisioning": "split", "externalCloudProvider": False, "nodeRegistryCredentialsSecret": "kube-system/registries",
                "nodeHTTPProxy": f"http://proxyuser:{quoted(canary('proxy of a split'))}@proxy.osm-gen.example:3128",
                "nodeContainerdRegistryMirrors": [f"quay.io=https://robot:{quoted(canary('containerd mirror of a split'))}@quay.osm-gen.example"]}),
            getter(canary("getter token of a split")),
            secret("kube-system", "registries", {".dockerconfigjson": json.dumps({"auths": {
                "registry.osm-gen.example": {"username": "robot", "password": canary("registry password of a split")}}})},
                "kubernetes.io/dockerconfigjson"),
            machines("openstack", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "username": "u", "domainName": "d",
                                                "projectName": "p", "password": canary("inline password of a split")}),
            machines("rhel", "aws", {"region": "us-east-1"}, "rhel", {
                "rhelSubscriptionManagerUser": "subscriber", "rhelSubscriptionManagerPassword": canary("RHEL password of a split")}),
        ],
        "environment": [
            cluster("environment", {"externalCloudProvider": False}), getter(plain("getter token of another cluster")),
            machines("workers", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "username": "u", "domainName": "d",
                                              "projectName": "p"}, kubelet="1.28.1"),
        ],
        "mounted": [cluster("mounted"), machines("workers", "hetzner", {"serverType": "cx42"})],
        **gardener_clusters(),
        **gardener_flows(),
    }


def git(repo, *arguments):
    return subprocess.run(["git", "-C", str(repo), *arguments], check=True, capture_output=True).stdout


def write(folder, name, objects):
    folder.mkdir(parents=True, exist_ok=True)
    text = objects if isinstance(objects, str) else json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=1)
    (folder / name).write_text(text, encoding="utf-8")


def commit(repo, message):
    if not (repo / ".git").is_dir():
        git(repo, "-c", "init.defaultBranch=main", "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", message)


def fleet(name, clusters):
    repo = scratch / name
    write(repo, "osm-gen.yaml", json.dumps(FLEET))
    for folder, objects in clusters.items():
        settings = [o for o in objects if o["kind"] == "Cluster"]
        write(repo / folder, "osm-gen.yaml", json.dumps(settings[0]))
        write(repo / folder, "objects.json", [cluster_info(folder)] + [o for o in objects if o["kind"] != "Cluster"])
    commit(repo, "inputs")
    return repo


# ---- running, and looking everywhere --------------------------------------------------------------

before = {}


def forget(repo):
    """What is there now was not made by osm-gen: inputs hold their secrets."""
    before[repo] = set(git(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())


def new_objects(repo):
    """Every object that git has now and had not before, whole."""
    names = set(git(repo, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()) - before[repo]
    if not names:
        return b""
    return subprocess.run(["git", "-C", str(repo), "cat-file", "--batch"], input=b"\n".join(sorted(names)) + b"\n",
                          check=True, capture_output=True).stdout


def surroundings(repo):
    """What a command can have left behind: name to bytes."""
    places = {"git objects": new_objects(repo), "git reflog": git(repo, "reflog", "show", "--all", "--format=%H %gs"),
              "git log": git(repo, "log", "--all", "--format=%B%an%ae%cn%ce", "-n", "5")}
    files = [p for p in (repo / ".git").rglob("*") if p.is_file() and "objects" not in p.parts]
    for folder in (repo / "out", scratch / "tmp", scratch / "home", scratch / "cwd", scratch / "exported", scratch / "artifact", scratch / "reports"):
        if folder.exists():
            files += [p for p in folder.rglob("*") if p.is_file()]
    for path in files:
        places[str(path.relative_to(scratch))] = path.read_bytes()
    places["names of files"] = "\n".join(map(str, files)).encode()
    return places


runs = 0
REPORTS = ("json", "sarif", "junit", "markdown", "html", "github", "gitlab")


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def run(name, repo, status, *arguments, reports=True, environment=None, hidden=None):
    """One command: its status, and no canary anywhere afterwards."""
    global runs
    runs += 1
    for folder in ("tmp", "home", "cwd"):
        (scratch / folder).mkdir(exist_ok=True)
    shutil.rmtree(scratch / "reports", ignore_errors=True)
    (scratch / "reports").mkdir()
    command = [program, *arguments]
    if reports:
        command += [f"--report={form}={scratch}/reports/{form}" for form in REPORTS]
    env = dict(os.environ, TMPDIR=str(scratch / "tmp"), HOME=str(scratch / "home"), **(environment or {}))
    done = subprocess.run(command, capture_output=True, env=env, cwd=scratch / "cwd", timeout=300)
    check(f"{name}: exit status {status}", done.returncode == status, f"{done.returncode}: {done.stderr.decode(errors='replace')[:2000]}")
    places = {"stdout": done.stdout, "stderr": done.stderr, **surroundings(repo)}
    secrets = list(canaries.values() if hidden is None else hidden) + [seed, identity]
    hits = [f"{place}: {secret!r} {form}" for place, data in places.items() for secret, form in found(secrets, data)]
    check(f"{name}: no canary", not hits, "\n    ".join(hits))
    left = [str(p) for folder in ("tmp", "home", "cwd") for p in (scratch / folder).rglob("*")]
    check(f"{name}: nothing in temporary folders", not left, str(left))
    return done


def leaky():
    """The passwords in URLs of settings are not tainted: they are found, where output shows them."""
    repo = fleet("leaky", whole_fleet())
    forget(repo)
    subprocess.run([program, "generate", "--repo", str(repo), "--allow-env", "OS_PASSWORD"], capture_output=True,
                   env=dict(os.environ, OS_PASSWORD=canary("environment")), check=True)
    shown = {place for place, secret in canaries.items() for data in surroundings(repo).values() if found([quoted(secret), secret], data)}
    check("the proxy's password is found", "proxy" in shown, str(shown))
    check("and nothing that is still tainted", shown <= {"proxy", "mirror", "containerd mirror", "URL of the node-agent"}, str(shown))
    finish()


def looked_at(when, repo, inputs, variables):
    """Commands that show what a run would do, with the seed and without."""
    for name, seed_given in (("", True), (" without a seed", False)):
        environment = variables if seed_given else {**variables, "OSM_GEN_SEAL_SEED": ""}
        # Without a seed no secret is compared, and nothing else has changed.
        compared = 0 if when == "of changed secrets" and not seed_given else 1
        for command, status in ((["plan"], 0), (["plan", "-o", "json"], 0), (["diff", "-o", "json"], compared), (["list", "-o", "json"], 0),
                                (["inventory", "-o", "json"], 0), (["validate", "-o", "json"], 0)):
            run(f"{' '.join(command)} {when}{name}", repo, status, *command, *inputs, reports="json" not in command, environment=environment)


def main():
    secrets = scratch / "secrets"
    write(secrets / "mounted", "token.json", [getter(canary("--secrets"))])
    repo = fleet("fleet", whole_fleet())
    forget(repo)
    inputs = ["--repo", str(repo), "--secrets", str(secrets), "--allow-env", "OS_PASSWORD"]
    variables = {"OS_PASSWORD": canary("environment")}

    # ---- every command, succeeding -----------------------------------------------------------------
    run("validate", repo, 0, "validate", *inputs, environment=variables)
    run("validate --worktree", repo, 0, "validate", "--worktree", *inputs, environment=variables)
    run("check before", repo, 1, "check", *inputs, environment=variables)
    run("diff before", repo, 1, "diff", *inputs, environment=variables)
    run("generate --no-commit", repo, 0, "generate", "--no-commit", *inputs, environment=variables)
    run("generate --worktree", repo, 0, "generate", "--worktree", "--out", str(scratch / "exported"), *inputs, environment=variables)
    git(repo, "clean", "-fdq", "out")
    looked_at("before", repo, inputs, variables)
    run("generate", repo, 0, "generate", "-v", *inputs, environment=variables)
    # The tokens that the seed gave are known now; they were canaries all the time.
    sealed = sorted((repo / "out/derived/worker").rglob("secret-*.yaml"))
    check("derived tokens are sealed", len(sealed) >= 3, str(sealed))
    for path in sealed:
        text = subprocess.run([program, "unseal", str(path)], check=True, capture_output=True).stdout.decode()
        for line in text.splitlines():
            name, _, value = line.strip().partition(": ")
            if name == "token-secret":
                value = value.strip('"')
                try:
                    value = base64.b64decode(value, validate=True).decode()
                except ValueError:
                    pass
                canaries["derived token " + path.name] = value
    check("a derived token is a canary", any(place.startswith("derived token") for place in canaries), str(sealed))
    run("generate, nothing new", repo, 0, "generate", "-v", *inputs, environment=variables)
    run("generate --artifact", repo, 0, "generate", "--artifact", str(scratch / "artifact"), *inputs, environment=variables)
    run("check", repo, 0, "check", *inputs, environment=variables)
    run("diff", repo, 0, "diff", *inputs, environment=variables)
    for what in ("osc", "machine-deployment"):
        run(f"render {what} of an output MachineDeployment", repo, 0, "render", "machines/kube-system/workers", *inputs, "--print", what,
            reports=False, environment=variables)
    check("ConfigMaps are in the output", len(list((repo / "out/split/worker").rglob("configmap-*.yaml"))) == 2, "")
    for what in ("bootstrap", "provisioning", "configmap"):
        run(f"render {what} of a split", repo, 0, "render", "split/kube-system/openstack", *inputs, "--print", what,
            reports=False, environment=variables)
    for what in ("osc", "bootstrap", "provisioning"):
        for machine in MACHINES:
            run(f"render {what} of {machine}", repo, 0, "render", *inputs, "--machine-deployment", f"given/kube-system/{machine}",
                "--print", what, reports=False, environment=variables)
    for folder, systems in GARDENER.items():
        for system in systems:
            for what in ("user-data", "status", "effect"):
                run(f"render {what} of {folder}/{system}", repo, 0, "render", *inputs, "--operating-system-config",
                    f"{folder}/shoot/{system}-provision", "--print", what, reports=False, environment=variables)
    run("render node-agent", repo, 0, "render", *inputs, "--operating-system-config", "gardener/shoot/ubuntu-reconcile",
        "--print", "node-agent", reports=False, environment=variables)
    for command in (["profiles"], ["profiles", "show", "osp-ubuntu"], ["explain", "OSG5050"], ["help"], ["--version"]):
        run(" ".join(command), repo, 0, *command, reports=False)

    # Every value changes: what a diff, a message and a report say of it.
    changed = {folder: json.loads(json.dumps(objects).replace("canary", "Canary")) for folder, objects in whole_fleet().items()}
    for folder, objects in changed.items():
        write(repo / folder, "objects.json", [cluster_info(folder)] + [o for o in objects if o["kind"] != "Cluster"])
    for place in list(canaries):
        canaries["changed " + place] = canaries[place].replace("canary", "Canary")
    commit(repo, "every secret is another one")
    forget(repo)
    looked_at("of changed secrets", repo, inputs, variables)
    run("diff of changed secrets", repo, 1, "diff", *inputs, environment=variables)
    run("check of changed secrets", repo, 1, "check", *inputs, environment=variables)
    run("generate of changed secrets", repo, 0, "generate", "-v", *inputs, environment=variables)

    run("verify", repo, 0, "verify", "-v", "--repo", str(repo), reports=False)
    run("verify for programs", repo, 0, "verify", "-o", "json", "--repo", str(repo), reports=False)
    adopted(repo, inputs, variables)

    # ---- every command, failing --------------------------------------------------------------------
    commands = (["generate", "-v"], ["check"], ["diff"], ["validate"])
    for name, spoil in FAILURES.items():
        broken = {"prod": [cluster("prod"), getter(plain("getter of " + name)), machines("workers", "hetzner", {"serverType": "cx42"})]}
        bad = fleet("broken-" + hashlib.sha256(name.encode()).hexdigest()[:8], broken)
        spoil(bad / "prod", name)
        commit(bad, "broken")
        forget(bad)
        for command in commands:
            run(f"{command[0]}: {name}", bad, 2, *command, "--repo", str(bad))
    surrounded(repo, inputs, variables)
    pushed(secrets, variables)
    for name, changes in {"no seed": {"OSM_GEN_SEAL_SEED": ""}, "a damaged seed": {"OSM_GEN_SEAL_SEED": seed[:-1] + ("A" if seed[-1] != "A" else "B")},
                          "no folder for temporary files": {"TMPDIR": "/nonexistent"}}.items():
        for command in ("generate", "check", "diff", "plan"):
            environment = {**variables, **changes}
            works = "folder" in name or (command in ("diff", "plan") and name == "no seed")
            run(f"{command}: {name}", repo, 0 if works else 3, command, *inputs, environment={k: v for k, v in environment.items() if k != "TMPDIR"})
    sealed = str(sorted((repo / "out/given/worker").rglob("secret-*.yaml"))[0])
    other = scratch / "TEST-ONLY-other-identity.txt"
    other.write_bytes(subprocess.run([program, "keygen", "identity"], check=True, capture_output=True).stdout)
    run("unseal with another identity", repo, 3, "unseal", sealed, reports=False, environment={"SOPS_AGE_KEY_FILE": str(other)})
    tampered = scratch / "tampered.yaml"
    tampered.write_text(pathlib.Path(sealed).read_text().replace("ENC[AES256_GCM,data:", "ENC[AES256_GCM,data:AAAA", 1))
    run("unseal of a changed file", repo, 2, "unseal", str(tampered), reports=False)
    moved = subprocess.run(["git", "-C", str(repo), "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    pathlib.Path(sealed).write_text(tampered.read_text())
    commit(repo, "a sealed value is changed")
    run("verify of a changed file", repo, 1, "verify", "-v", "--repo", str(repo), reports=False)
    run("verify of no revision", repo, 3, "verify", "--repo", str(repo), "--rev", "none", reports=False)
    subprocess.run(["git", "-C", str(repo), "reset", "-q", "--hard", moved], check=True)
    for name in (["list"], ["list", "-o", "json"], ["config", "show"], ["config", "show", "-o", "json"], ["doctor"], ["doctor", "-o", "json"]):
        # list renders, and the variables that this fleet needs are not allowed here; the inputs have warnings for doctor.
        run(" ".join(name), repo, {"list": 2, "config": 0, "doctor": 1}[name[0]], *name, "--repo", str(repo), reports=False)
    run("unseal of no file", repo, 3, "unseal", str(scratch / "none.yaml"), reports=False)
    run("usage", repo, 64, "generate", "--nothing-of-the-kind", *inputs)
    run("a seed for its file", repo, 64, "generate", "--seal-seed-file", seed, *inputs, hidden=[])

    # An input that is encrypted: osm-gen's own sealed Secret serves as one.
    original = sorted((repo / "out/given/worker").rglob("secret-text-kube-system-bootstrap-config.yaml"))
    check("a sealed Secret to take for an input", len(original) == 1, str(original))
    if original:
        name = original[0].name.removeprefix("secret-").removesuffix(".yaml")
        again = fleet("encrypted", {"prod": [cluster("prod", {"externalCloudProvider": False}), getter(plain("getter beside an encrypted input")), machines(
            "workers", "hetzner", {"serverType": "cx42"}), machines("sealed", "openstack", {
                "identityEndpoint": "https://k.osm-gen.example", "username": "u", "domainName": "d", "projectName": "p",
                "password": {"secretKeyRef": {"namespace": "cloud-init-settings", "name": name, "key": "cloud-config"}}}, kubelet="1.28.1")]})
        # Without its first line, which says that osm-gen made it: such files are no inputs.
        (again / "prod/encrypted.yaml").write_text(original[0].read_text().split("\n", 1)[1])
        commit(again, "an encrypted input")
        forget(again)
        for command, status in (("generate", 0), ("check", 0), ("diff", 0), ("validate", 0)):
            run(f"{command}: an encrypted input", again, status, command, "--repo", str(again))
        shown = ["render", "--repo", str(again), "--machine-deployment", "prod/kube-system/sealed", "--print", "osc"]
        for name, more, holds in (("hidden", [], False), ("revealed", ["--reveal"], True)):
            held = subprocess.run([program, *shown, *more], check=True, capture_output=True).stdout
            hits = find(["#cloud-config\n"], held)
            check(f"the encrypted input was opened, and stands {name}", bool(hits) == holds, str(hits))

    check("25 kinds of places at least", len([p for p in canaries if not p.startswith("changed")]) >= 25, str(len(canaries)))
    print(f"# {runs} commands, {len(canaries)} canaries")
    finish()


# ---- a live cluster ---------------------------------------------------------------------------------

def live(name, objects, text):
    """An export as kubectl prints it, with Secrets and configurations that the controller rendered."""
    made = [secret("cloud-init-settings", f"{machine}-kube-system-{part}-config", {"cloud-config": f"#cloud-config\n# {text}\ntoken: {text}\n"},
                   encoded=True, annotations={"k8c.io/machine-deployment-revision": "1"})
            for machine in ("aws", "gone") for part in ("bootstrap", "provisioning")]
    made.append({"apiVersion": "operatingsystemmanager.k8c.io/v1alpha1", "kind": "OperatingSystemConfig",
                 "metadata": {"namespace": "kube-system", "name": "aws-kube-system-config"},
                 "spec": {"osName": "ubuntu", "cloudProvider": {"name": "aws", "spec": {"secretAccessKey": text}}}})
    made.append({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "kube-system", "name": "operating-system-manager"},
                 "spec": {"template": {"spec": {"containers": [{"name": "operating-system-manager", "args": [
                     f"-node-http-proxy=http://u:{quoted(canary('argument of the controller'))}@p.osm-gen.example", "-namespace=kube-system",
                     "-node-registry-credentials-secret=kube-system/registries"]}]}}}})
    path = scratch / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects + made}))
    return str(path)


def adopted(repo, inputs, variables):
    """adopt and compare, of a cluster with secrets in every kind of place."""
    objects = [cluster_info("given")] + [o for o in whole_fleet()["given"] if o["kind"] != "Cluster"]
    text = canary("live user-data", "")
    proxy = ["--node-http-proxy", f"http://u:{quoted(canary('argument of the controller'))}@p.osm-gen.example"]
    whole = live("live-whole.json", objects, text)
    good = live("live.json", [o for o in objects if o["metadata"]["name"] != "rhel"], text)
    empty = fleet("adopting", {"beside": whole_fleet()["account"]})
    forget(empty)
    for name, status, export, more in (("what no Secret holds", 2, whole, []), ("with -v", 0, good, ["-v"])):
        run(f"adopt: {name}", empty, status, "adopt", export, "--cluster", "live", "--into", str(empty / "taken"), *more, reports=False)
    commit(empty, "adopted")
    run("generate what was adopted", empty, 0, "generate", "-v", "--repo", str(empty), *proxy, environment=variables)
    for name, more in (("text", ["-v"]), ("JSON", ["-o", "json"])):
        run(f"compare as {name}", repo, 1, "compare", "--live", good, "--cluster", "given", *inputs, *more, reports=False, environment=variables)
        run(f"compare what was adopted, as {name}", empty, 1, "compare", "--live", good, "--cluster", "live", "--repo", str(empty), *proxy, *more, reports=False)
        run(f"observe as {name}", empty, 1, "observe", good, "--cluster", "live", "--repo", str(empty), *more, reports=False)
    (scratch / "cut.json").write_text(pathlib.Path(good).read_text()[:-9])
    run("adopt: cut short", empty, 2, "adopt", str(scratch / "cut.json"), "--cluster", "x", "--into", str(empty / "x"), reports=False)
    run("observe: cut short", empty, 2, "observe", str(scratch / "cut.json"), "--repo", str(empty), reports=False)
    run("compare: cut short", empty, 2, "compare", "--live", str(scratch / "cut.json"), "--repo", str(empty), reports=False)


# ---- mistakes beside secrets ----------------------------------------------------------------------

def add(name):
    def decorate(function):
        FAILURES[name] = function
        return function
    return decorate


def without_getter(folder):
    path = folder / "objects.json"
    path.write_text(path.read_text().replace('"cloud-init-getter-token"', '"another"'))


FAILURES = {}


@add("YAML that ends within a Secret")
def _(folder, name):
    write(folder, "bad.yaml", f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: n}}\nstringData:\n  token: \"{plain(name)}\n")


@add("a key given twice in a Secret")
def _(folder, name):
    write(folder, "bad.yaml", f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: n}}\nstringData:\n  token: {plain(name)}\n  token: {plain(name + 2 * ' again')}\n")


@add("base64 that is none")
def _(folder, name):
    write(folder, "bad.yaml", f"apiVersion: v1\nkind: Secret\nmetadata: {{name: cloud-init-getter-token, namespace: cloud-init-settings}}\ndata:\n  token: \"{plain(name)}!!!\"\n")
    without_getter(folder)


@add("a list in place of a token")
def _(folder, name):
    write(folder, "bad.yaml", f"apiVersion: v1\nkind: Secret\nmetadata: {{name: cloud-init-getter-token, namespace: cloud-init-settings}}\nstringData:\n  token: [{plain(name)}]\n")
    without_getter(folder)


@add("a conflict beside a Secret")
def _(folder, name):
    write(folder, "bad.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\nstringData:\n"
          f"<<<<<<< ours\n  token: {plain(name)}\n=======\n  token: {plain(name + ' theirs')}\n>>>>>>> theirs\n")


@add("a credential under an unknown key")
def _(folder, name):
    objects = machines("bad", "hetzner", {"serverType": "cx42"})
    objects["spec"]["template"]["spec"]["providerSpec"]["value"]["apiToken"] = canary(name)
    write(folder, "bad.json", [objects])


@add("a credential of the wrong type")
def _(folder, name):
    write(folder, "bad.json", [machines("bad", "openstack", {"identityEndpoint": "https://k.osm-gen.example", "password": {"text": canary(name)}},
                                        kubelet="1.28.1")])
    write(folder, "osm-gen.yaml", json.dumps(cluster("prod", {"externalCloudProvider": False})))


@add("a proxy in a list")
def _(folder, name):
    write(folder, "osm-gen.yaml", json.dumps(cluster("prod", {"nodeHTTPProxy": [f"http://robot:{plain(name)}@proxy.osm-gen.example"]})))


@add("an unknown setting that holds a password")
def _(folder, name):
    write(folder, "osm-gen.yaml", json.dumps(cluster("prod", {"proxyPassword": canary(name)})))


@add("registry credentials that are no JSON")
def _(folder, name):
    write(folder, "osm-gen.yaml", json.dumps(cluster("prod", {"nodeRegistryCredentialsSecret": "kube-system/registries"})))
    write(folder, "bad.json", [secret("kube-system", "registries", {".dockerconfigjson": '{"auths": {"r": {"password": "' + plain(name) + '"}'},
                                      "kubernetes.io/dockerconfigjson")])


@add("a template that fails with a secret")
def _(folder, name):
    write(folder, "bad.json", [template("osp-bad", "{{ fail .Token }}"), machines("bad", "hetzner", {"serverType": "cx42"}, profile="osp-bad")])


@add("a template that parses a secret as a number")
def _(folder, name):
    write(folder, "bad.json", [template("osp-bad", "{{ index (list 1 2) .Token }}"), machines("bad", "hetzner", {"serverType": "cx42"}, profile="osp-bad")])


@add("a bootstrap token that is none")
def _(folder, name):
    write(folder, "bad.json", [secret("kube-system", "bootstrap-token-abc123", {"token-id": "abc123"}, "bootstrap.kubernetes.io/token",
                                      labels={"machinedeployment.k8s.io/name": "kube-system-workers"}),
                               secret("kube-system", "bootstrap-token-abc124", {"token-id": "abc124", "token-secret": [canary(name)]},
                                      "bootstrap.kubernetes.io/token", labels={"machinedeployment.k8s.io/name": "kube-system-workers"})])


@add("a kubeconfig that cannot be read")
def _(folder, name):
    write(folder, "bad.json", [config_map("kube-public", "cluster-info", {"kubeconfig": "users: [{name: u, user: {password: " + plain(name)}) ])


@add("a private key among certificates")
def _(folder, name):
    key = "-----BEGIN PRIVATE KEY-----\n" + base64.b64encode(plain(name).encode()).decode() + "\n-----END PRIVATE KEY-----\n"
    write(folder, "ca.pem", key)
    write(folder, "osm-gen.yaml", json.dumps(cluster("prod", {"hostCABundle": "ca.pem"})))


@add("user-data over the limit")
def _(folder, name):
    write(folder, "bad.json", [template("osp-bad", "{{ .Token }}{{ repeat 30000 \"text \" }}"),
                               machines("bad", "hetzner", {"serverType": "cx42"}, profile="osp-bad")])


# ---- while it runs --------------------------------------------------------------------------------

def surrounded(repo, inputs, variables):
    """What others see of a process that holds secrets: its arguments and environment, and the core that a crash leaves."""
    fifo = scratch / "revisions"
    os.mkfifo(fifo)
    for signal in ("ABRT", "SEGV"):
        process = subprocess.Popen([program, "generate", *inputs, "--revisions", str(fifo)], cwd=scratch / "cwd", stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=dict(os.environ, **variables), preexec_fn=limit)
        # It waits where it opens the file; the keys have been read by then.
        waiting = False
        for _ in range(200):
            if sleeping(process.pid):
                waiting = True
                break
            time.sleep(0.05)
        check("it waits for the revisions", waiting)
        limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
        check("no core is written", any(line.split()[4:6] == ["0", "0"] for line in limits.splitlines() if line.startswith("Max core")), limits)
        for place in ("environ", "cmdline"):
            try:
                data = pathlib.Path(f"/proc/{process.pid}/{place}").read_bytes()
            except PermissionError:
                continue
            hits = find([seed, identity], data)
            check(f"no key in {place}", not hits, str([form for _, form in hits]))
        process.send_signal(getattr(__import__("signal"), "SIG" + signal))
        process.wait(timeout=60)
        left = [str(p) for p in (scratch / "cwd").rglob("*")]
        check(f"no core after SIG{signal}", not left, str(left))
    fifo.unlink()


# What a server's hook sees of the git that pushes, and of all above it but osm-gen, whose /proc is closed.
SEEN = """#!/bin/sh
pid=$$
while [ "$pid" -gt 1 ]; do
	for place in cmdline environ; do
		[ ! -r "/proc/$pid/$place" ] || tr '\\0' '\\n' <"/proc/$pid/$place" >>"@"
	done
	[ "$(cat "/proc/$pid/comm")" != osm-gen ] || exit 0
	pid=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status")
done
"""


def pushed(secrets, variables):
    """A push, refused and done: the remote, its notes, the messages, and the processes of git."""
    repo, remote, seen = fleet("pushing", whole_fleet()), scratch / "remote.git", scratch / "seen-by-hook"
    subprocess.run(["git", "clone", "-q", "--bare", str(repo), str(remote)], check=True)
    git(repo, "remote", "add", "origin", f"file://{remote}")
    git(repo, "fetch", "-q")
    for place in (repo, remote):
        forget(place)
    hook = remote / "hooks/pre-receive"
    inputs = ["--repo", str(repo), "--secrets", str(secrets), "--allow-env", "OS_PASSWORD", "--push", "--notes", "-v"]
    for name, status, end in (("refused", 3, "echo refused >&2; exit 1\n"), ("done", 0, "exit 0\n")):
        hook.write_text(SEEN.replace("@", str(seen)).replace("exit 0", end.strip()) + end)
        hook.chmod(0o755)
        run(f"push: {name}", repo, status, "generate", *inputs, environment=variables)
    text = seen.read_bytes()
    check("push: the hook saw git's processes", b"receive-pack" in text and b"PATH=" in text, repr(text[-2000:]))
    places = {"processes of git": text, "the remote's objects": new_objects(remote),
              "the remote's notes": git(remote, "log", "-p", "--format=%B", "refs/notes/osm-gen")}
    secret_texts = [*canaries.values(), seed, identity]
    hits = [f"{place}: {secret!r} {form}" for place, data in places.items() for secret, form in found(secret_texts, data)]
    check("push: no canary", not hits, "\n    ".join(hits))
    check("push: the remote has the output", len(new_objects(remote)) > 100000, "")


def sleeping(pid):
    """Whether the process sleeps, and has read its keys: nothing runs before it opens the FIFO."""
    state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state == "S"


if __name__ == "__main__":
    (leaky if sys.argv[4:] == ["leaky"] else main)()
