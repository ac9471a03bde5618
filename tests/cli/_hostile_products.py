"""Products: repositories in which one list that inputs can make long meets another one, for tests/cli/hostile_size.sh. A run's
cost grows by both lengths together, its input by their sum, so only a limit of the run keeps it.

LISTS has everything that is read once and used for each unit; TIMES what multiplies it. All pairs are the table.
"""

import _hostile_shapes as shapes

MANY, TIMES_MANY = 4000, 2000  # at full size: a MiB or two

KUBEONE = """apiVersion: kubeone.k8c.io/v1beta2
kind: KubeOneCluster
name: prod
versions: {kubernetes: "1.35.4"}
cloudProvider: {hetzner: {}}
apiEndpoint: {host: api.example.com}
controlPlane: {hosts: [{publicAddress: 203.0.113.21}]}
"""
WORKERS = """- name: w%d
  replicas: 1
  providerSpec:
    operatingSystem: ubuntu
    cloudProviderSpec: {serverType: cx22, image: ubuntu-24.04}
"""
CLUSTER = """apiVersion: osm-gen.dev/v1alpha1
kind: Cluster
metadata: {name: prod}
spec: {settings: {managementCluster: self}}
"""


def names(n, form):
    return ", ".join(form % i for i in range(n))


def hosts(n):
    return names(20 * n, "h%d.example.com").replace(" ", "")


def defaults(text):
    return {"osm-gen.yaml": shapes.FLEET.replace("OSPs: true", "OSPs: true, " + text)}


def provision(text):
    return {"osp.yaml": shapes.profile(provision=text)}


# What each makes of a number: files of the repository.
LISTS = {
    "mirrors": lambda n: defaults("nodeContainerdRegistryMirrors: [%s]" % names(n, '"r%d.example.com=https://m.example.com"')),
    "mirrors of one registry": lambda n: defaults("nodeRegistryMirrors: [%s]" % names(n, '"https://m%d.example.com"')),
    "insecure registries": lambda n: defaults("nodeInsecureRegistries: [%s]" % names(n, "r%d.example.com")),
    "DNS servers": lambda n: defaults("clusterDNS: [%s]" % ", ".join(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}" for i in range(n))),
    "hosts without a proxy": lambda n: defaults("nodeHTTPProxy: 'http://proxy:3128', nodeNoProxy: '%s'" % hosts(n)),
    "feature gates": lambda n: defaults("nodeKubeletFeatureGates: {%s}" % names(n, "Gate%d: true")),
    "taints": lambda n: defaults("initialTaints: '%s'" % names(n, "k%d=v:NoSchedule").replace(" ", "")),
    "files of the profile": lambda n: provision(shapes.many(n, lambda i: f"    - {{path: /etc/f{i}, permissions: 644, content: {{inline: {{encoding: b64, data: x}}}}}}\n")),
    "units of the profile": lambda n: provision("    units:\n" + shapes.many(n, lambda i: f"    - {{name: u{i}.service, enable: true, content: x}}\n")),
    "packages of an extension": lambda n: {"x.yaml": shapes.extension("x", "{}", "  packages: [%s]\n" % names(n, "p%d"))},
    "sysctls of an extension": lambda n: {"x.yaml": shapes.extension("x", "{}", "  sysctls: {%s}\n" % names(n, "net.core.x%d: 1"))},
    "credentials of registries": lambda n: {
        **defaults("nodeRegistryCredentialsSecret: kube-system/r"),
        "r.yaml": shapes.secret("r", data=names(n, "r%d.example.com: '{\"username\": \"TEST-ONLY-x\"}'"))},
}
KUBEONE_LISTS = {
    "registries of KubeOne": lambda n: "containerRuntime:\n  containerd:\n    registries:\n" + shapes.many(n, lambda i: f"      r{i}.example.com: {{mirrors: ['https://m{i}.example.com']}}\n"),
    "hosts without KubeOne's proxy": lambda n: f"proxy: {{http: 'http://proxy:3128', noProxy: '{hosts(n)}'}}\n",
    "static workers of KubeOne": lambda n: "staticWorkers: {hosts: [%s]}\n" % names(n, "{publicAddress: 203.0.113.%d}"),
}
TIMES = {
    "MachineDeployments": lambda n: {"m.yaml": shapes.many(n, lambda i: shapes.machines(f"m{i}"))},
    "MachineDeployments of many clusters": lambda n: {
        name: text for i in range(n // 10) for name, text in {
            f"clusters/c{i}/osm-gen.yaml": shapes.cluster(f"c{i}") + "spec: {settings: {managementCluster: self}}\n",
            f"clusters/c{i}/cluster-info.yaml": shapes.CLUSTER_INFO,
            f"clusters/c{i}/m.yaml": shapes.many(10, lambda j: shapes.machines(f"m{j}"))}.items()},
    "MachineDeployments with many keys": lambda n: {"m.yaml": shapes.many(n // 4, lambda i: shapes.machines(f"m{i}", keys='", "'.join(f"{shapes.SSH_KEY}-{k}" for k in range(50))))},
}


def kubeone(text, n):
    return {"osm-gen.yaml": shapes.FLEET.replace(", disableDefaultOSPs: true", ""), "clusters/prod/osm-gen.yaml": CLUSTER,
            "clusters/prod/cluster-info.yaml": shapes.CLUSTER_INFO,
            "clusters/prod/kubeone.yaml": KUBEONE + text + "dynamicWorkers:\n" + shapes.many(n, lambda i: WORKERS % i)}


def products():
    """(name, files of a length and a multiple) of all pairs."""
    for name, one in LISTS.items():
        for times_name, times in TIMES.items():
            yield f"{name}, for {times_name}", lambda n, m, one=one, times=times: {**shapes.fleet(**one(n)), **times(m)}
    for name, one in KUBEONE_LISTS.items():
        yield f"{name}, for its worker sets", lambda n, m, one=one: kubeone(one(n), m)
