"""docs/profiles.md, "CIS benchmark", against the profiles: which rules about nodes of the CIS Kubernetes Benchmark v1.12 hold,
for each profile, provider and variant. The rules are section 4 of the benchmark, with its numbers, as kube-bench reads them
(github.com/aquasecurity/kube-bench, cfg/cis-1.12/node.yaml): modes and owners of files, flags and configuration of the kubelet."""

import copy
import json
import re

import mirrors
import nodelib
import profiles

UNIT, CONFIGURATION = "/etc/systemd/system/kubelet.service", "/etc/kubernetes/kubelet.conf"
CA_FILE = "/etc/kubernetes/pki/ca.crt"
# TLS 1.3's, and those of 1.2 with forward secrecy and authenticated encryption.
STRONG = {f"TLS_{name}" for name in (
    "AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256", *(
        f"ECDHE_{key}_WITH_{cipher}" for key in ("ECDSA", "RSA")
        for cipher in ("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256")))}


class Node:
    """What a machine has after both stages: files with modes and owners, the kubelet's flags, and its configuration."""

    def __init__(self, bootstrap, provisioning):
        self.modes, self.owners = {}, {}
        for text in (bootstrap, provisioning):
            self.modes.update({path: int(file["permissions"], 8) for path, file in nodelib.files(text).items()})
            self.owners.update(owners(text))
        texts = {path: file["data"] for path, file in nodelib.files(provisioning).items()}
        self.flags = profiles.kubelet_flags(texts[UNIT])
        self.config = nodelib.load_yaml(texts[CONFIGURATION])
        # The kubelet merges these, and members that are maps, which no rule reads, deeper.
        for path in sorted(path for path in texts if path.startswith(self.flags.get("config-dir", "none") + "/")):
            self.config.update(nodelib.load_yaml(texts[path]))

    def within(self, path, mode):
        """The file is there, and its mode allows nothing that `mode` does not."""
        return self.modes.get(path, 0o777) & ~mode == 0

    def of_root(self, path):
        return path in self.modes and self.owners.get(path) == "root:root"


def owners(user_data):
    """path -> owner of each file. Who is not named is root for cloud-init and for Ignition."""
    if user_data.startswith("{"):
        return {entry["path"]: ":".join(str(entry.get(who, {}).get("name", "root")) for who in ("user", "group"))
                for entry in json.loads(user_data)["storage"]["files"]}
    return {entry["path"]: entry.get("owner", "root:root") for entry in nodelib.load_yaml(user_data)["write_files"]}


def kubeconfig_is(node, holds):
    """The kubelet writes its kubeconfig itself, as root and with 0600. kube-bench takes the configuration for it, from its name."""
    return node.flags["kubeconfig"] not in node.modes and holds(CONFIGURATION)


# rule -> whether a node keeps it. The rules about kube-proxy's files are none of a node's that has it as a DaemonSet.
RULES = {
    "4.1.1": lambda node: node.within(UNIT, 0o600),
    "4.1.2": lambda node: node.of_root(UNIT),
    "4.1.5": lambda node: kubeconfig_is(node, lambda path: node.within(path, 0o600)),
    "4.1.6": lambda node: kubeconfig_is(node, node.of_root),
    "4.1.7": lambda node: node.within(node.config["authentication"]["x509"]["clientCAFile"], 0o644),
    "4.1.8": lambda node: node.of_root(node.config["authentication"]["x509"]["clientCAFile"]),
    "4.1.9": lambda node: node.within(node.flags["config"], 0o600),
    "4.1.10": lambda node: node.of_root(node.flags["config"]),
    "4.2.1": lambda node: node.config["authentication"]["anonymous"]["enabled"] is False,
    "4.2.2": lambda node: node.config["authorization"]["mode"] == "Webhook",
    "4.2.3": lambda node: node.config["authentication"]["x509"]["clientCAFile"] in node.modes,
    "4.2.4": lambda node: node.config["readOnlyPort"] == 0,
    "4.2.5": lambda node: node.config.get("streamingConnectionIdleTimeout", "4h0m0s") not in ("0", "0s", 0),
    "4.2.6": lambda node: node.config.get("makeIPTablesUtilChains", True) is True,
    "4.2.7": lambda node: "hostname-override" not in node.flags,
    "4.2.8": lambda node: node.config.get("eventRecordQPS", 50) >= 0,
    "4.2.9": lambda node: {"tlsCertFile", "tlsPrivateKeyFile"} <= set(node.config) or node.config["serverTLSBootstrap"] is True,
    "4.2.10": lambda node: node.config["rotateCertificates"] is True,
    "4.2.11": lambda node: node.config.get("featureGates", {}).get("RotateKubeletServerCertificate", True) is True,
    "4.2.12": lambda node: bool(node.config["tlsCipherSuites"]) and set(node.config["tlsCipherSuites"]) <= STRONG,
    "4.2.13": lambda node: node.config.get("podPidsLimit", -1) > 0,
    "4.2.14": lambda node: node.config.get("seccompDefault", False) is True,
}
# rule -> a node that no longer keeps it: each rule can fail.
MISTAKES = {
    "4.1.1": lambda node: node.modes.update({UNIT: 0o644}),
    "4.1.2": lambda node: node.owners.update({UNIT: "kube:kube"}),
    "4.1.5": lambda node: node.modes.update({CONFIGURATION: 0o640}),
    "4.1.6": lambda node: node.owners.update({CONFIGURATION: "root:kube"}),
    "4.1.7": lambda node: node.modes.update({CA_FILE: 0o664}),
    "4.1.8": lambda node: node.owners.update({CA_FILE: "kube:root"}),
    "4.1.9": lambda node: node.modes.pop(CONFIGURATION),
    "4.1.10": lambda node: node.owners.pop(CONFIGURATION),
    "4.2.1": lambda node: node.config["authentication"].update(anonymous={"enabled": True}),
    "4.2.2": lambda node: node.config.update(authorization={"mode": "AlwaysAllow"}),
    "4.2.3": lambda node: node.modes.pop(CA_FILE),
    "4.2.4": lambda node: node.config.update(readOnlyPort=10255),
    "4.2.5": lambda node: node.config.update(streamingConnectionIdleTimeout="0s"),
    "4.2.6": lambda node: node.config.update(makeIPTablesUtilChains=False),
    "4.2.7": lambda node: node.flags.update({"hostname-override": "worker-1"}),
    "4.2.8": lambda node: node.config.update(eventRecordQPS=-1),
    "4.2.9": lambda node: node.config.update(serverTLSBootstrap=False),
    "4.2.10": lambda node: node.config.update(rotateCertificates=False),
    "4.2.11": lambda node: node.config.update(featureGates={"RotateKubeletServerCertificate": False}),
    "4.2.12": lambda node: node.config["tlsCipherSuites"].append("TLS_RSA_WITH_AES_128_CBC_SHA"),
    "4.2.13": lambda node: node.config.update(podPidsLimit=-1),
    "4.2.14": lambda node: node.config.update(seccompDefault=False),
}
OTHERS = {"4.1.3", "4.1.4", "4.3.1"}


def documented(t):
    """rule -> the word of its row: `holds`, `differs` or `yours`."""
    rows = mirrors.table(mirrors.DOCUMENT.read_text(), "Rule", "What it asks for")
    words = {row[0]: row[2] for row in rows}
    t.equal("the table has each rule once, in order", [row[0] for row in rows],
            sorted([*RULES, *OTHERS], key=lambda rule: [int(part) for part in rule.split(".")]))
    t.equal("the rules about kube-proxy", {rule for rule, word in words.items() if word == "not the node's"}, OTHERS)
    return words


def nodes(fleet):
    """(case, provider, variant, node) of every machine."""
    for variant in nodelib.VARIANTS:
        fleet.generate(variant)
    for case, _, provider, variant in nodelib.cases():
        yield case, provider, variant, Node(*(nodelib.on_machine(fleet.user_data(case, variant, kind))
                                              for kind in ("bootstrap", "provisioning")))


def check_rules(t, words, machines):
    for case, provider, variant, node in machines:
        for rule, keeps in RULES.items():
            wanted = words.get(rule) == "holds"
            if words.get(rule) == "differs":
                external = "--external-cloud-provider" in nodelib.VARIANTS[variant]["flags"]
                wanted = provider == "openstack" or provider == "aws" and not external
            t.equal(f"{case}: {rule} ({words.get(rule)})", keeps(node), wanted)


def check_mistakes(t, node):
    """Each mistake breaks its own rule."""
    t.equal("each rule has a mistake", set(MISTAKES), set(RULES))
    for rule, make in MISTAKES.items():
        broken = copy.deepcopy(node)
        make(broken)
        t.check(f"{rule}: a mistake is noticed", not RULES[rule](broken))


def check_extension(t, words, fleet):
    """What is left to the user holds with the document's extension."""
    machines = list(nodes(fleet))
    left = [rule for rule, word in words.items() if word == "yours"]
    t.check("some rules are left to the user", left)
    for case, _, variant, node in machines:
        # A kubelet that is older than 1.30 reads no drop-ins, and osm-gen refuses extensions with a configuration for it.
        if variant != "in-tree":
            for rule in left:
                t.check(f"{case}: {rule} holds with the extension", RULES[rule](node), node.config)


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    with holder:
        words = documented(t)
        machines = list(nodes(nodelib.Fleet(scratch, arguments.rendered)))
        check_rules(t, words, machines)
        kept = next(node for _, provider, _, node in machines if provider == "openstack")
        check_mistakes(t, kept)
        if not arguments.rendered:
            section = mirrors.DOCUMENT.read_text().split("## CIS benchmark\n")[1]
            extension = nodelib.load_yaml(re.search(r"```yaml\n(.*?)```", section, re.S)[1])
            cases = [f"kube-system/{case}" for case, _, _, variant in nodelib.cases() if variant != "in-tree"]
            extension["spec"]["selector"] = {"machineDeployments": cases}
            extended = scratch / "extended"
            extended.mkdir()
            check_extension(t, words, nodelib.Fleet(extended, more=[extension]))
    t.finish()


if __name__ == "__main__":
    main()
