"""Repositories that ask for more than their size: a table of shapes, which tests/cli/hostile_growth.sh measures.

A shape is (name, size, files, command, statuses): files(n) gives the repository's files for a size, path to text; the
command is what follows `osm-gen`, with {repo} and {aside} (a folder beside it that files named "../NAME" stand in);
statuses are those that it may end with. `size` is what the growth is measured at, with the instructions at four times that; QUICK
names those of which every run of the tests does so. More shapes may be appended to SHAPES by other modules.
"""

from typing import Callable, Dict, NamedTuple, Sequence, Tuple

Files = Dict[str, str]


class Shape(NamedTuple):
    name: str
    size: int  # of the small one; the other is four times as large
    full: int  # where processor time and memory are held to what the documents say
    files: Callable[[int], Files]
    command: Sequence[str] = ("validate", "--repo", "{repo}")
    statuses: Tuple[int, ...] = (0, 2)


RECIPIENT = "age1n7m5s8le3r2j6jtfg7jy50dvdpwp0jma4fke3xrgyr2f28ms8d8qspk97p"
FLEET = f"""apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  defaults: {{externalCloudProvider: true, disableDefaultOSPs: true}}
  sealing: {{format: sops, recipients: [{RECIPIENT}]}}
"""
CLUSTER_INFO = """apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-info, namespace: kube-public}
data:
  kubeconfig: |
    apiVersion: v1
    kind: Config
    clusters:
    - name: ""
      cluster: {server: "https://api.example.com:6443", certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJBakNCdGFBREFnRUNBZ0VCTUFVR0F5dGxjREFRTVE0d0RBWURWUVFERXdWaVpXNWphREFnRncwM01EQXgKTURFd01EQXdNREJhR0E4eU1EazJNVEF3TWpBM01EWTBNRm93RURFT01Bd0dBMVVFQXhNRlltVnVZMmd3S2pBRgpCZ01yWlhBRElRREFEeWpKeFFJQVJvWkJxL2RUQzk0bWxmZ2srZ3RCcGRpMlMzR0cyRnQzUjZNeU1EQXdEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFkQmdOVkhRNEVGZ1FVRlFlcGJWSkkzY0ZoVWsxS21XMTBkV3dqMGVJd0JRWUQKSzJWd0EwRUFYUHNWTHdzRkxQSmhhTXIyQTBEaUh3YVJRUkJFT3FVQXBET1cvTksybXorTUdnUUVwRmFSaFliVwpGWlUwVnp0QWlUaWUwYXduMERoWmxXU1RTL3lKQUE9PQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg==}
"""
GETTER = """apiVersion: v1
kind: Secret
metadata: {name: cloud-init-getter-token, namespace: cloud-init-settings, annotations: {osm-gen.dev/clear: accepted}}
type: kubernetes.io/service-account-token
stringData: {token: TEST-ONLY-0123456789abcdef}
"""
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDAx fleet@example.com"


def profile(name="osp-small", spec="", version="v1.0.0", text="echo {{ .KubeVersion }}", provision=""):
    return f"""apiVersion: operatingsystemmanager.k8c.io/v1alpha1
kind: OperatingSystemProfile
metadata: {{name: {name}, namespace: kube-system}}
spec:
  osName: ubuntu
  osVersion: "24.04"
  version: {version}
  supportedCloudProviders: [{{name: hetzner}}, {{name: aws}}]
{spec}  bootstrapConfig:
    files:
    - path: /opt/bin/bootstrap
      permissions: 755
      content: {{inline: {{encoding: b64, data: "{{{{ .Token }}}} {{{{ .ServerURL }}}} {{{{ .SecretName }}}}"}}}}
  provisioningConfig:
    supportedContainerRuntimes:
    - name: containerd
      files:
      - path: /etc/containerd/config.toml
        permissions: 600
        content: {{inline: {{encoding: b64, data: "{{{{ .ContainerRuntimeConfig }}}}"}}}}
    files:
    - path: /opt/bin/setup
      permissions: 755
      content: {{inline: {{encoding: b64, data: "{text}"}}}}
{provision}---
"""


def machines(name, annotations="", labels="", osp="osp-small", spec="", value="", namespace="kube-system", keys=SSH_KEY):
    return f"""apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: {name}
  namespace: {namespace}
  labels: {{a: b{labels}}}
  annotations:
    k8c.io/operating-system-profile: {osp}
{annotations}spec:
  replicas: 1
  selector: {{matchLabels: {{workerset: {name}}}}}
  template:
    metadata: {{labels: {{workerset: {name}}}}}
    spec:
      versions: {{kubelet: 1.34.1}}
      providerSpec:
        value:
          cloudProvider: hetzner
          cloudProviderSpec: {{region: eu-1, size: large}}
          operatingSystem: ubuntu
          operatingSystemSpec: {{distUpgradeOnBoot: false}}
          network: {{ipFamily: IPv4}}
          sshPublicKeys: ["{keys}"]
{value}{spec}---
"""


def fleet(**more):
    """The least that renders, with more files."""
    base = {"osm-gen.yaml": FLEET, "cluster-info.yaml": CLUSTER_INFO, "getter.yaml": GETTER, "osp.yaml": profile()}
    return {**base, **more}


def many(n, one):
    return "".join(one(i) for i in range(n))


def extension(name, selector="{}", spec="  sysctls: {vm.max_map_count: 262144}\n"):
    return f"""apiVersion: osm-gen.dev/v1alpha1
kind: OperatingSystemProfileExtension
metadata: {{name: {name}}}
spec:
  selector: {selector}
{spec}---
"""


def secret(name, namespace="kube-system", data="a: TEST-ONLY-0123456789", kind="Secret", more=""):
    return f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: {namespace}}}\n{more}stringData: {{{data}}}\n---\n"


def cluster(name):
    return f"apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {{name: {name}}}\n"


def sealed(name):
    return f"""apiVersion: v1
kind: Secret
metadata: {{name: {name}, namespace: kube-system}}
stringData: {{a: "ENC[AES256_GCM,data:dGVzdA==,iv:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]"}}
sops: {{age: [{{recipient: {RECIPIENT}, enc: x}}], lastmodified: "2024-01-01T00:00:00Z", mac: "ENC[AES256_GCM,data:dGVzdA==,iv:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]", encrypted_regex: "^(data|stringData)$", version: 3.9.0}}
---
"""


def osc(name, files="", units="", kind="ubuntu", namespace="shoot", purpose="reconcile"):
    return f"""apiVersion: extensions.gardener.cloud/v1alpha1
kind: OperatingSystemConfig
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  type: {kind}
  purpose: {purpose}
  files:
  - path: /etc/first
    permissions: 420
    content: {{inline: {{encoding: "", data: first}}}}
{files}  units:
  - name: first.service
    content: "[Unit]"
{units}---
"""


def flow(n, name=""):
    """A pool of gardenerFlow: downloader whose units name a large file, and an output in which another file differs."""
    units = [f"  - {{name: {name or f'u{i}'}.service, enable: true, command: start, content: /etc/first}}\n" for i in range(n)]
    files = [f"  - {{path: /etc/f{i}, permissions: 420, content: {{inline: {{encoding: '', data: x}}}}}}\n" for i in range(n)]
    inputs = osc("o", "".join(files), "".join(units), "minimal").replace("data: first", "data: " + "y" * 32 * n)
    effect = f"apiVersion: osm-gen.dev/v1alpha1\nkind: NodeEffect\nmetadata: {{name: o, namespace: shoot}}\nspec:\n  files:\n  - path: /etc/first\n    content: {'y' * 32 * n}\n"
    unit = '"unit": {"cluster": "default", "kind": "OperatingSystemConfig", "namespace": "shoot", "name": "o"}'
    known = entry("status/shoot/nodeeffect-o.yaml", "o", "NodeEffect").replace("credential", "config").replace('"sealed"', unit + ', "sealed"')
    return fleet(**{
        "osm-gen.yaml": FLEET.replace("OSPs: true", "OSPs: true, gardenerContract: '2021', gardenerFlow: downloader"),
        "o.yaml": inputs.replace("  type:", "  reloadConfigFilePath: /var/lib/c\n  type:"),
        "out/default/index.json": index([known.replace('"v1"', '"osm-gen.dev/v1alpha1"').replace('"x"', '"shoot"')]),
        "out/default/status/shoot/nodeeffect-o.yaml": effect})


def pools(n):
    """Pools of gardenerFlow: downloader, each with a template of a MachineClass and a MachineDeployment."""
    machine = "---\napiVersion: machine.sapcloud.io/v1alpha1\n"
    return fleet(**{
        "osm-gen.yaml": FLEET.replace("OSPs: true", "OSPs: true, gardenerContract: '2021', gardenerFlow: downloader"),
        "o.yaml": many(n, lambda i: osc(f"o{i}", kind="minimal").replace("  type:", "  reloadConfigFilePath: /var/lib/c\n  type:")),
        "m.yaml": many(n, lambda i:
            f"{machine}kind: MachineClass\nmetadata: {{name: c{i}, namespace: shoot, annotations: {{osm-gen.dev/operating-system-config: o{i}-downloader}}}}\n"
            f"{machine}kind: MachineDeployment\nmetadata: {{name: c{i}, namespace: shoot}}\nspec: {{template: {{spec: {{class: {{kind: MachineClass, name: c{i}}}}}}}}}\n")})


def index(entries):
    return (
        '{"formatVersion": 2, "generator": "osm-gen", "cluster": "default", "recipients": [], "files": ['
        + ",\n".join(entries)
        + "]}\n"
    )


def entry(path, name="a", kind="Secret"):
    return (
        f'{{"path": "{path}", "object": {{"apiVersion": "v1", "kind": "{kind}", "namespace": "x", "name": "{name}"}},'
        '"role": "credential", "sealed": false}'
    )


def export(items):
    """As `kubectl get -o yaml` prints several kinds."""
    return "".join(items)


def setting(text):
    """One setting under the defaults."""
    return fleet_with("", **{"osm-gen.yaml": FLEET.replace("true}", "true, " + text + "}"), "m.yaml": ONE})


def wrong_names(n):
    return fleet(**{"m.yaml": many(n, lambda i: machines(f'"Wrong_{i}"'))})


def ignored(n, line):
    files = {f"d/f{i}.yaml": "a: b\n" for i in range(n // 4)}
    return fleet(**{".osm-gen-ignore": many(n * 4, line)}, **files)


def clusters(n, each=None, **more):
    files = {"osm-gen.yaml": FLEET, "osp.yaml": profile()}
    for i in range(n):
        files[f"clusters/c{i}/osm-gen.yaml"] = cluster(f"c{i}")
        files[f"clusters/c{i}/cluster-info.yaml"] = CLUSTER_INFO
        if each:
            files[f"clusters/c{i}/more.yaml"] = each(i)
    return {**files, **more}


def fleet_with(settings, **more):
    return fleet(**{"osm-gen.yaml": FLEET.replace("spec:\n", "spec:\n" + settings, 1), **more})


def collide(n):
    """Keys that meet in one slot of a table of FNV-1a, whatever multiple of a constant it starts from: none can, for
    all seeds; these are long keys that differ at their beginning alone."""
    return [f"k{i:08d}" + "x" * 200 for i in range(n)]


ONE = machines("one")

SHAPES = [
    # ---- manifests and what is wrong with them
    Shape("honest MachineDeployments", 15, 10000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}"))}), statuses=(0,)),
    Shape("wrong names in one file", 20, 12000, wrong_names),
    Shape("ConfigMaps in one file", 60, 60000, lambda n: fleet(**{"c.yaml": ONE + many(n, lambda i: f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\ndata: {{a: b}}\n---\n")})),
    Shape("unknown fields of a profile", 60, 60000, lambda n: fleet(**{"osp.yaml": profile(spec=many(n, lambda i: f"  unknown{i}: 1\n")), "m.yaml": ONE})),
    Shape("unknown profiles", 20, 10000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}", osp=f"osp-missing-{i}"))})),
    Shape("unknown profiles beside many profiles", 12, 3000, lambda n: fleet(**{"p.yaml": many(n, lambda i: profile(f"osp-{i:05d}")), "m.yaml": many(n, lambda i: machines(f"m{i}", osp=f"ops-{i:05d}-x"))})),
    Shape("a profile for each MachineDeployment", 10, 4000, lambda n: fleet(**{"p.yaml": many(n, lambda i: profile(f"osp-{i:05d}")), "m.yaml": many(n, lambda i: machines(f"m{i}", osp=f"osp-{i:05d}"))})),
    Shape("one name many times", 20, 10000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines("same"))})),
    Shape("one profile many times", 12, 6000, lambda n: fleet(**{"p.yaml": many(n, lambda i: profile("osp-twice")), "m.yaml": ONE})),
    Shape("misspelt annotations", 100, 50000, lambda n: fleet(**{"m.yaml": machines("one", annotations=many(n, lambda i: f"    k8c.io/operating-system-profil{i}: x\n"))})),
    Shape("amounts of the kubelet", 200, 100000, lambda n: fleet(**{"m.yaml": machines("one", annotations="    v1.kubelet-config.machine-controller.kubermatic.io/KubeReserved: \"" + ",".join(f"cpv{i}=1x" for i in range(n)) + "\"\n")})),
    Shape("a version of many versions", 300, 100000, lambda n: fleet(**{"osp.yaml": profile(version="v1.0.0-" + "v1.0.0-" * n + "!"), "m.yaml": ONE})),
    Shape("files that cannot be read, and profiles that are missing", 16, 3000, lambda n: {**fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}", osp=f"osp-missing-{i}"))}), **{f"b{i}.yaml": "kind: OperatingSystemProfile\napiVersion: operatingsystemmanager.k8c.io/v1alpha1\n" + "# " + "x" * 1000 + "\na: [\n" for i in range(n)}}),
    Shape("labels of a MachineDeployment", 300, 100000, lambda n: fleet(**{"m.yaml": machines("one", labels=many(n, lambda i: f", l{i}: x"))})),
    Shape("SSH keys", 100, 60000, lambda n: fleet(**{"m.yaml": machines("one", keys='", "'.join(f"{SSH_KEY}-{i}" for i in range(n)))})),
    Shape("unknown fields of a MachineDeployment", 100, 60000, lambda n: fleet(**{"m.yaml": machines("one", value=many(n, lambda i: f"          sshPublicKye{i}: x\n"))})),
    Shape("MachineDeployments beside clusters", 20, 10000, lambda n: fleet(**{"c/osm-gen.yaml": cluster("c"), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("kinds that are misspelt", 100, 60000, lambda n: fleet(**{"m.yaml": ONE + many(n, lambda i: f"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeploymen\nmetadata: {{name: m{i}}}\n---\n")})),
    Shape("settings of osm-gen that are none", 100, 60000, lambda n: fleet_with("", **{"osm-gen.yaml": FLEET + many(n, lambda i: f"  settin{i}: x\n"), "m.yaml": ONE})),
    Shape("settings under defaults", 100, 60000, lambda n: fleet_with("", **{"osm-gen.yaml": FLEET.replace("true}", "true" + many(n, lambda i: f", nodeHTTPProxi{i}: x") + "}"), "m.yaml": ONE})),
    Shape("addresses in one string", 1000, 60000, lambda n: setting("clusterDNS: '" + ",".join(f"10.0.0.{i % 250}" for i in range(n)) + "'"), statuses=(0,)),
    Shape("wrong taints", 300, 60000, lambda n: setting("initialTaints: '" + ",".join(f"k{i}:NoSchedul" for i in range(n)) + "'")),
    Shape("wrong networks without a proxy", 1000, 60000, lambda n: setting("nodeNoProxy: '" + ",".join(f"10.0.0.{i}/33" for i in range(n)) + "'")),
    Shape("feature gates that do not exist", 200, 60000, lambda n: setting("nodeKubeletFeatureGates: {" + ", ".join(f"Gate{i}: true" for i in range(n)) + "}")),
    Shape("wrong registries", 300, 60000, lambda n: setting("nodeInsecureRegistries: [" + ", ".join(f"http://r{i}" for i in range(n)) + "]")),
    # ---- YAML and JSON
    Shape("empty documents", 3000, 1000000, lambda n: fleet(**{"e.yaml": "kind: Secret\n" + "---\n" * n, "m.yaml": ONE})),
    Shape("keys given twice", 1000, 300000, lambda n: fleet(**{"e.yaml": "kind: Secret\n" + "a: b\n" * n, "m.yaml": ONE})),
    Shape("keys of one map", 1000, 300000, lambda n: fleet(**{"e.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: x}\ndata:\n" + many(n, lambda i: f"  k{i}: b\n"), "m.yaml": ONE})),
    Shape("long keys of one map", 100, 40000, lambda n: fleet(**{"e.yaml": "kind: Secret\napiVersion: v1\nmetadata: {name: x}\ndata:\n" + "".join(f"  {k}: b\n" for k in collide(n)), "m.yaml": ONE})),
    Shape("merge keys", 300, 50000, lambda n: fleet(**{"e.yaml": "kind: Secret\na: &a {x: 1, y: 2}\nb:\n" + many(n, lambda i: f"  k{i}:\n    <<: *a\n    z: 1\n"), "m.yaml": ONE})),
    Shape("merges of merges", 60, 3000, lambda n: fleet(**{"e.yaml": "kind: Secret\na0: &a0 {k: 1}\n" + many(n, lambda i: f"a{i + 1}: &a{i + 1}\n  <<: *a{i}\n  k{i}: 1\n"), "m.yaml": ONE})),
    Shape("anchors", 1000, 200000, lambda n: fleet(**{"e.yaml": "kind: Secret\na:\n" + many(n, lambda i: f"- &a{i} x\n") + "b:\n" + many(n, lambda i: f"- *a{i}\n"), "m.yaml": ONE})),
    Shape("a long line", 30000, 20000000, lambda n: fleet(**{"e.yaml": "kind: Secret\na: '" + "x y " * n + "'\n", "m.yaml": ONE})),
    Shape("a long line of mistakes", 300, 60000, lambda n: fleet(**{"m.yaml": ONE + "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {" + many(n, lambda i: f"a: 1, ") + "}\n"})),
    Shape("mistakes of one JSON file", 400, 100000, lambda n: fleet(**{"e.json": '{"kind": "Secret", "apiVersion": "v1", ' + many(n, lambda i: '"a": 1, ') + '"b": 1}', "m.yaml": ONE})),
    Shape("conflict markers", 500, 200000, lambda n: fleet(**{"e.yaml": "kind: Secret\n" + "<<<<<<< a\n=======\n>>>>>>> b\n" * n, "m.yaml": ONE})),
    Shape("files with a mistake each", 60, 20000, lambda n: {**fleet(**{"m.yaml": ONE}), **{f"f{i}.yaml": "kind: Secret\na: [\n" for i in range(n)}}),
    Shape("lists in lists", 60, 3000, lambda n: fleet(**{"e.yaml": many(n, lambda i: "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: []}]\n---\n"), "m.yaml": ONE})),
    Shape("comments", 3000, 1000000, lambda n: fleet(**{"e.yaml": "kind: Secret\n" + "# kind: MachineDeployment {{ apiVersion\n" * n, "m.yaml": ONE})),
    Shape("words of a Secret without one", 1000, 300000, lambda n: fleet(**{"e.yaml": "a: b\n" + "b: {kind: secret, password: x}\n" * 0 + many(n, lambda i: f"k{i}: -----BEGIN \n") + "x: [\n", "m.yaml": ONE})),
    # ---- paths
    Shape("ignore patterns, words", 200, 100000, lambda n: ignored(n, lambda i: f"word{i}\n")),
    Shape("ignore patterns, stars", 200, 100000, lambda n: ignored(n, lambda i: f"*x{i}*y\n")),
    Shape("one ignore pattern of stars", 400, 4000, lambda n: {**fleet(**{".osm-gen-ignore": "**/" * (n // 8) + "*a" * n + "b\n", "m.yaml": ONE}), **{f"{'a/' * 60}{'a' * 200}{i}.yaml": "a: b\n" for i in range(n // 4)}}),
    Shape("deep folders", 20, 400, lambda n: {**fleet(**{"m.yaml": ONE}), **{"d/" * 90 + f"f{i}/e.yaml": "a: b\n" for i in range(n)}}),
    Shape("charts", 100, 10000, lambda n: {**fleet(**{"m.yaml": ONE}), **{f"c{i}/Chart.yaml": "a: b\n" for i in range(n)}, **{f"c{i}/templates/x.yaml": "kind: Secret\na: {{ x }}\n" for i in range(n)}}),
    Shape("kustomizations", 100, 10000, lambda n: {**fleet(**{"m.yaml": ONE}), **{f"c{i}/kustomization.yaml": "resources: [x.yaml]\n" for i in range(n)}, **{f"c{i}/x.yaml": "apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nspec: {}\n" for i in range(n)}}),
    # ---- clusters, profiles, extensions
    Shape("clusters", 15, 5000, lambda n: clusters(n, lambda i: machines("m"))),
    Shape("clusters and Secrets", 20, 5000, lambda n: clusters(n, None, **{"s.yaml": many(n, lambda i: secret(f"s{i}"))})),
    Shape("clusters and Secrets of Gardener", 80, 5000, lambda n: clusters(n, lambda i: osc(f"o{i}"), **{"s.yaml": many(n, lambda i: secret(f"s{i}"))})),
    Shape("clusters and shared profiles", 12, 3000, lambda n: clusters(n, lambda i: machines("m"), **{"p.yaml": many(n, lambda i: profile(f"osp-{i}"))})),
    Shape("clusters and shared extensions", 12, 3000, lambda n: clusters(n, lambda i: machines("m"), **{"x.yaml": many(n, lambda i: extension(f"x{i}", "{matchLabels: {no: one}}"))})),
    Shape("clusters and shared extensions, generated", 12, 1500, lambda n: clusters(n, lambda i: machines("m"), **{"x.yaml": many(n, lambda i: extension(f"x{i}", "{matchLabels: {no: one}}"))}), ("generate", "--repo", "{repo}")),
    Shape("extensions that hide shared ones", 50, 6000, lambda n: {**clusters(1, lambda i: machines("m") + many(n, lambda i: extension(f"x{i}"))), "x.yaml": many(n, lambda i: extension(f"x{i}"))}),
    Shape("extensions for nobody and MachineDeployments", 20, 5000, lambda n: fleet(**{"x.yaml": many(n, lambda i: extension(f"x{i}", "{matchLabels: {no: one}}")), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("an extension for each MachineDeployment", 8, 2000, lambda n: fleet(**{"x.yaml": many(n, lambda i: extension(f"x{i}", f"{{machineDeployments: [m{i}]}}", f"  sysctls: {{vm.max_map_count: {i}}}\n")), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("extensions for all", 12, 2000, lambda n: fleet(**{"x.yaml": many(n, lambda i: extension(f"x{i}", "{}", f"  sysctls: {{net.core.x{i}: 1}}\n")), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("names in selectors", 40, 5000, lambda n: fleet(**{"x.yaml": extension("x", "{machineDeployments: [" + ", ".join(f"w{i}" for i in range(n)) + "]}"), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("profiles in selectors", 40, 5000, lambda n: fleet(**{"x.yaml": extension("x", "{profiles: [" + ", ".join(f"osp-w{i}" for i in range(n)) + "]}"), "p.yaml": many(n // 4, lambda i: profile(f"osp-p{i}")), "m.yaml": ONE})),
    Shape("parts of one extension", 40, 4000, lambda n: fleet(**{"x.yaml": extension("x", "{}", "  provisioningConfig:\n    files:\n" + many(n, lambda i: f"    - {{path: /etc/f{i}, permissions: 644, content: {{inline: {{encoding: b64, data: x}}}}}}\n") + "  units:\n" + many(n, lambda i: f"  - {{name: u{i}.service, content: x}}\n") + "  packages: [" + ", ".join(f"p{i}" for i in range(n)) + "]\n"), "m.yaml": ONE})),
    Shape("files of one profile", 60, 6000, lambda n: fleet(**{"osp.yaml": profile(provision=many(n, lambda i: f"    - {{path: /etc/f{i}, permissions: 644, content: {{inline: {{encoding: b64, data: x}}}}}}\n")), "m.yaml": ONE})),
    Shape("one file of a profile many times", 60, 6000, lambda n: fleet(**{"osp.yaml": profile(provision=many(n, lambda i: "    - {path: /etc/f, permissions: 644, content: {inline: {encoding: b64, data: x}}}\n")), "m.yaml": ONE})),
    Shape("units of one profile", 60, 6000, lambda n: fleet(**{"osp.yaml": profile(provision="    units:\n" + many(n, lambda i: f"    - {{name: u{i}.service, enable: true, content: x}}\n")), "m.yaml": ONE})),
    Shape("a kubeconfig of a cluster-info with many keys", 200, 50000, lambda n: fleet(**{"cluster-info.yaml": CLUSTER_INFO + many(n, lambda i: f"    key{i}: x\n"), "m.yaml": ONE})),
    Shape("extensions of a kubeconfig", 100, 20000, lambda n: fleet(**{"cluster-info.yaml": CLUSTER_INFO + "    extensions:\n" + many(n, lambda i: f"    - {{name: e{i}, extension: x}}\n"), "m.yaml": ONE})),
    Shape("mistakes in a kubeconfig", 100, 20000, lambda n: fleet(**{"cluster-info.yaml": CLUSTER_INFO + many(n, lambda i: "    key: x\n"), "m.yaml": ONE})),
    Shape("clusters and one large cluster-info", 12, 3000, lambda n: {**clusters(n, lambda i: machines("m")), **{f"clusters/c{i}/cluster-info.yaml": "a: b\n" for i in range(n)}, "cluster-info.yaml": CLUSTER_INFO + many(n * 40, lambda i: f"    # key{i}: x\n")}),
    Shape("clusters and recipients", 3, 1000, lambda n: clusters(n, lambda i: machines("m"), **{"osm-gen.yaml": FLEET.replace(f"[{RECIPIENT}]", "[" + ", ".join([RECIPIENT] * n) + "]")})),
    Shape("clusters and rules of .sops.yaml", 15, 1000, lambda n: clusters(n, lambda i: machines("m"), **{"osm-gen.yaml": FLEET.replace(f", recipients: [{RECIPIENT}]", ""), ".sops.yaml": "creation_rules:\n" + many(n, lambda i: f"- {{path_regex: 'x{i}.*y', age: {RECIPIENT}}}\n") + f"- {{age: {RECIPIENT}}}\n"})),
    Shape("templates of a name of Secrets, in one line", 200, 60000, lambda n: fleet(**{"c.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\ndata: {a: '" + "token:{{ " * n + "'}\n", "m.yaml": ONE})),
    # ---- Secrets
    Shape("Secrets", 60, 50000, lambda n: fleet(**{"s.yaml": many(n, lambda i: secret(f"s{i}")), "m.yaml": ONE})),
    Shape("one Secret many times", 60, 50000, lambda n: fleet(**{"s.yaml": many(n, lambda i: secret("s")), "m.yaml": ONE})),
    Shape("bootstrap tokens", 400, 20000, lambda n: fleet(**{"s.yaml": many(n, lambda i: secret(f"bootstrap-token-{i:06d}", data=f"token-id: '{i:06d}', token-secret: 0123456789abcdef", more="type: bootstrap.kubernetes.io/token\n").replace("namespace: kube-system}", "namespace: kube-system, labels: {machinedeployment.k8s.io/name: kube-system-one}}")), "m.yaml": ONE})),
    Shape("bootstrap tokens and MachineDeployments", 20, 4000, lambda n: fleet(**{"s.yaml": many(n, lambda i: secret(f"bootstrap-token-{i:06d}", data=f"token-id: '{i:06d}', token-secret: 0123456789abcdef", more="type: bootstrap.kubernetes.io/token\n").replace("namespace: kube-system}", f"namespace: kube-system, labels: {{machinedeployment.k8s.io/name: kube-system-m{i}}}}}")), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("sealed Secrets", 400, 10000, lambda n: fleet(**{"s.yaml": many(n, lambda i: sealed(f"bootstrap-token-{i:06d}")), "m.yaml": ONE})),
    Shape("sealed Secrets, opened", 300, 10000, lambda n: fleet(**{"s.yaml": many(n, lambda i: sealed(f"bootstrap-token-{i:06d}").replace("namespace: kube-system}", "namespace: kube-system, labels: {machinedeployment.k8s.io/name: kube-system-one}}")), "m.yaml": ONE}), ("generate", "--repo", "{repo}", "--no-commit"), (2, 3)),
    Shape("registry credentials", 60, 20000, lambda n: fleet_with("", **{"osm-gen.yaml": FLEET.replace("true}", "true, nodeRegistryCredentialsSecret: kube-system/r}"), "r.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: r, namespace: kube-system}\ntype: kubernetes.io/dockerconfigjson\nstringData:\n  .dockerconfigjson: '{\"auths\": {" + ", ".join(f'"r{i}.example": {{"username": "u{i}", "password": "TEST-ONLY-{i}-0123456789"}}' for i in range(n)) + "}}'\n", "m.yaml": ONE}), ("generate", "--repo", "{repo}", "--no-commit"), (0, 2)),
    Shape("Secrets that are generated with", 30, 10000, lambda n: fleet(**{"s.yaml": many(n, lambda i: secret(f"s{i}", data=f"a: TEST-ONLY-0123456789-{i}")), "m.yaml": ONE}), ("generate", "--repo", "{repo}", "--no-commit"), (0, 2)),
    Shape("recipients", 20, 1500, lambda n: fleet(**{"osm-gen.yaml": FLEET.replace(f"[{RECIPIENT}]", "[" + ", ".join([RECIPIENT] * n) + "]"), "m.yaml": ONE})),
    Shape("rules of .sops.yaml", 40, 1000, lambda n: fleet(**{".sops.yaml": "creation_rules:\n" + many(n, lambda i: f"- {{path_regex: 'x{i}.*y', age: {RECIPIENT}}}\n"), "m.yaml": many(n, lambda i: machines(f"m{i}"))})),
    Shape("sealing.inputs", 60, 5000, lambda n: {**fleet(**{"osm-gen.yaml": FLEET.replace("sealing: {", "sealing: {inputs: [" + ", ".join(f"s{i}x/*.yaml" for i in range(n)) + "], "), "m.yaml": ONE}), **{f"s{i}/e.yaml": sealed("cloud-init-getter-token") for i in range(n // 4)}}),
    # ---- Gardener
    Shape("files of an OperatingSystemConfig", 60, 10000, lambda n: fleet(**{"o.yaml": osc("o", files=many(n, lambda i: f"  - {{path: /etc/f{i}, permissions: 420, content: {{inline: {{encoding: '', data: x}}}}}}\n"))})),
    Shape("one file of an OperatingSystemConfig many times", 60, 10000, lambda n: fleet(**{"o.yaml": osc("o", files=many(n, lambda i: "  - {path: /etc/f, permissions: 420, content: {inline: {encoding: '', data: x}}}\n"))})),
    Shape("units of an OperatingSystemConfig", 60, 10000, lambda n: fleet(**{"o.yaml": osc("o", units=many(n, lambda i: f"  - {{name: u{i}.service, content: x, filePaths: [/etc/first, /etc/f{i}]}}\n"))})),
    Shape("one unit of an OperatingSystemConfig many times", 60, 10000, lambda n: fleet(**{"o.yaml": osc("o", units=many(n, lambda i: f"  - {{name: u.service, content: x, dropIns: [{{name: a.conf, content: x}}]}}\n"))})),
    Shape("file paths of units", 60, 6000, lambda n: fleet(**{"o.yaml": osc("o", files=many(n, lambda i: f"  - {{path: /etc/f{i}, permissions: 420, content: {{inline: {{encoding: '', data: x}}}}}}\n"), units="  - {name: u.service, content: x, filePaths: [" + ", ".join(f"/etc/g{i}" for i in range(n)) + "]}\n")})),
    Shape("OperatingSystemConfigs", 20, 10000, lambda n: fleet(**{"o.yaml": many(n, lambda i: osc(f"o{i}"))})),
    Shape("templates of MachineClasses", 20, 3000, pools),
    Shape("OperatingSystemConfigs of unknown systems", 20, 5000, lambda n: fleet(**{"s.yaml": many(n // 4, lambda i: f"apiVersion: osm-gen.dev/v1alpha1\nkind: OperatingSystemExtension\nmetadata: {{name: s{i}}}\nspec: {{version: '1.0', types: [t{i}]}}\n---\n"), "o.yaml": many(n, lambda i: osc(f"o{i}", kind=f"x{i}"))})),
    Shape("Secrets that files of OperatingSystemConfigs name", 30, 5000, lambda n: fleet(**{"o.yaml": osc("o", files=many(n, lambda i: f"  - {{path: /etc/f{i}, permissions: 420, content: {{secretRef: {{name: t{i}, dataKey: a}}}}}}\n")), "s.yaml": many(n, lambda i: secret(f"s{i}", "shoot"))})),
    Shape("a file that units of the flow name, planned", 200, 1500, flow, ("plan", "--repo", "{repo}")),
    Shape("one unit of the flow many times, planned", 200, 1500, lambda n: flow(n, "u"), ("plan", "--repo", "{repo}")),
    # ---- other commands
    Shape("an index that repeats a file", 300, 100000, lambda n: fleet(**{"out/default/index.json": index([entry("a.yaml")] * n), "out/default/a.yaml": secret("a", "x"), "m.yaml": ONE}), ("verify", "--repo", "{repo}"), (0, 1, 2)),
    Shape("an index of files that are not there", 300, 50000, lambda n: fleet(**{"out/default/index.json": index([entry(f"a{i}.yaml") for i in range(n)]), "m.yaml": ONE}), ("verify", "--repo", "{repo}"), (0, 1, 2)),
    Shape("output that no index lists", 100, 10000, lambda n: {**fleet(**{"out/default/index.json": index([]), "m.yaml": ONE}), **{f"out/default/f{i}.yaml": "a: b\n" for i in range(n)}}, ("verify", "--repo", "{repo}"), (0, 1, 2)),
    Shape("objects that stand elsewhere", 60, 10000, lambda n: {**fleet(**{"out/default/index.json": index([entry(f"worker/x/secret-a{i}.yaml", f"b{i}") for i in range(n)]), "m.yaml": ONE}), **{f"out/default/worker/x/secret-a{i}.yaml": secret(f"a{i}", "x") for i in range(n)}}, ("verify", "--repo", "{repo}"), (0, 1, 2)),
    Shape("a kustomization of the output", 300, 50000, lambda n: fleet(**{"out/default/index.json": index([entry("worker/kustomization.yaml", kind="Kustomization")]), "out/default/worker/kustomization.yaml": "resources:\n" + many(n, lambda i: f"- f{i}.yaml\n"), "m.yaml": ONE}), ("verify", "--repo", "{repo}"), (0, 1, 2)),
    Shape("an index that repeats a file, checked", 100, 50000, lambda n: fleet(**{"out/default/index.json": index([entry("a.yaml")] * n), "out/default/a.yaml": secret("a", "x"), "m.yaml": ONE}), ("plan", "--repo", "{repo}"), (0, 2)),
    Shape("indexes of clusters that are gone", 30, 5000, lambda n: {**fleet(**{"m.yaml": ONE}), **{f"out/c{i}/index.json": index([]).replace('"default"', f'"c{i}"') for i in range(n)}}, ("plan", "--repo", "{repo}"), (0, 2)),
    Shape("MachineDeployments of an export", 20, 10000, lambda n: fleet(**{"../live.yaml": many(n, lambda i: machines(f"m{i}"))}), ("adopt", "{aside}/live.yaml", "--cluster", "prod", "--into", "{repo}/clusters/prod"), (0, 1, 2)),
    Shape("Secrets of an export", 40, 10000, lambda n: fleet(**{"../live.yaml": ONE + many(n, lambda i: secret(f"s{i}"))}), ("adopt", "{aside}/live.yaml", "--cluster", "prod", "--into", "{repo}/clusters/prod"), (0, 1, 2)),
    Shape("one MachineDeployment of an export many times", 20, 10000, lambda n: fleet(**{"../live.yaml": many(n, lambda i: machines("m"))}), ("adopt", "{aside}/live.yaml", "--cluster", "prod", "--into", "{repo}/clusters/prod"), (0, 1, 2)),
    Shape("MachineDeployments that are compared", 10, 3000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}")), "../live.yaml": many(n, lambda i: machines(f"m{i}") + secret(f"m{i}-kube-system-bootstrap-config", "cloud-init-settings"))}), ("compare", "--repo", "{repo}", "--cluster", "default", "--live", "{aside}/live.yaml"), (0, 1, 2)),
    Shape("machines that are observed", 20, 5000, lambda n: fleet(**{"out/default/index.json": index([]), "../live.yaml": many(n, lambda i: machines(f"m{i}") + f"apiVersion: cluster.k8s.io/v1alpha1\nkind: MachineSet\nmetadata: {{name: s{i}, namespace: kube-system, ownerReferences: [{{kind: MachineDeployment, name: m{i}, uid: u{i}}}]}}\nspec: {{}}\n---\napiVersion: cluster.k8s.io/v1alpha1\nkind: Machine\nmetadata: {{name: x{i}, namespace: kube-system, ownerReferences: [{{kind: MachineSet, name: s{i}, uid: v{i}}}]}}\nspec: {{}}\n---\n")}), ("observe", "--repo", "{repo}", "--cluster", "default", "{aside}/live.yaml"), (0, 1, 2)),
    Shape("revisions", 30, 10000, lambda n: fleet(**{"../live.yaml": many(n, lambda i: machines(f"m{i}"))}), ("revisions", "c={aside}/live.yaml"), (0, 1, 2)),
    Shape("reports of mistakes", 30, 10000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}", osp=f"osp-missing-{i}"))}), ("validate", "--repo", "{repo}", "--report", "json={aside}/r.json", "--report", "sarif={aside}/r.sarif", "--report", "junit={aside}/r.xml", "--report", "markdown={aside}/r.md", "--report", "html={aside}/r.html", "--report", "gitlab={aside}/r.gl", "--report", "github={aside}/r.gh")),
    Shape("reports of one long line", 1000, 30000, lambda n: fleet(**{"m.yaml": ONE + "{apiVersion: v1, kind: List, items: [" + many(n, lambda i: f"{{apiVersion: cluster.k8s.io/v1alpha1, kind: MachineDeployment, metadata: {{name: W_{i}}}}},") + "]}\n"}), ("validate", "--repo", "{repo}", "--report", "json={aside}/r.json", "--report", "sarif={aside}/r.sarif", "--report", "markdown={aside}/r.md", "--report", "html={aside}/r.html")),
    Shape("a list of them", 20, 10000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}"))}), ("list", "--repo", "{repo}")),
    Shape("an inventory of them", 10, 5000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}"))}), ("inventory", "--repo", "{repo}")),
    Shape("new output", 8, 3000, lambda n: fleet(**{"m.yaml": many(n, lambda i: machines(f"m{i}"))}), ("generate", "--repo", "{repo}", "--no-commit"), (0,)),
]

# Measured with every test; `make hostile` measures all of them.
QUICK = {
    "wrong names in one file", "ConfigMaps in one file", "unknown fields of a profile",
    "unknown profiles beside many profiles", "a profile for each MachineDeployment", "misspelt annotations",
    "amounts of the kubelet", "a version of many versions", "files that cannot be read, and profiles that are missing",
    "SSH keys", "unknown fields of a MachineDeployment", "kinds that are misspelt", "settings under defaults",
    "keys given twice", "keys of one map", "merges of merges", "anchors", "a long line of mistakes",
    "mistakes of one JSON file", "lists in lists", "ignore patterns, words", "ignore patterns, stars",
    "clusters and Secrets", "clusters and shared profiles", "clusters and shared extensions",
    "extensions that hide shared ones", "extensions for nobody and MachineDeployments", "names in selectors",
    "profiles in selectors", "files of one profile", "a kubeconfig of a cluster-info with many keys",
    "extensions of a kubeconfig", "mistakes in a kubeconfig", "clusters and recipients", "bootstrap tokens",
    "sealed Secrets", "templates of a name of Secrets, in one line", "file paths of units", "templates of MachineClasses",
    "a file that units of the flow name, planned", "one unit of the flow many times, planned",
    "OperatingSystemConfigs of unknown systems", "an index that repeats a file", "MachineDeployments of an export",
    "machines that are observed", "reports of one long line",
}
