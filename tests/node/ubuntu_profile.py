"""The Ubuntu profile, rendered for every provider and variant, under the eyes of what will read it on a machine:
cloud-init's schema, shellcheck, bash, systemd, and the rules of kubelet flags and kubelet configuration."""

import concurrent.futures
import hashlib
import os
import re
import shutil

import yaml

import nodelib

# What others' tooling relies on: path -> (permissions, encoding).
BOOTSTRAP = {
    "/opt/bin/supervise.sh": ("0755", "b64"),
    "/opt/bin/bootstrap": ("0755", "b64"),
    "/etc/systemd/system/bootstrap.service": ("0644", "b64"),
}
PROVISIONING = {
    "/opt/bin/health-monitor.sh": ("0755", "b64"),
    "/etc/systemd/journald.conf.d/max_disk_use.conf": ("0644", "b64"),
    "/opt/load-kernel-modules.sh": ("0755", "b64"),
    "/etc/sysctl.d/k8s.conf": ("0644", "b64"),
    "/etc/default/grub.d/60-swap-accounting.cfg": ("0644", "b64"),
    "/opt/bin/setup": ("0755", "b64"),
    "/etc/systemd/system/kubelet.service": ("0600", "b64"),
    "/etc/kubernetes/cloud-config": ("0600", "b64"),
    "/opt/bin/setup_net_env.sh": ("0755", "b64"),
    "/etc/kubernetes/pki/ca.crt": ("0644", "b64"),
    "/etc/systemd/system/setup.service": ("0644", "b64"),
    "/etc/profile.d/opt-bin-path.sh": ("0644", "b64"),
    "/etc/kubernetes/kubelet.conf": ("0600", "b64"),
    "/etc/systemd/system/kubelet-healthcheck.service": ("0644", "b64"),
    "/opt/disable-swap.sh": ("0755", "b64"),
    "/etc/systemd/system/containerd.service.d/environment.conf": ("0644", None),
    "/etc/systemd/system/containerd.service.d/limits.conf": ("0644", None),
    "/etc/crictl.yaml": ("0644", None),
    "/etc/containerd/config.toml": ("0600", "b64"),
}
# The smallest limit of a provider that takes the text as it is.
BOOTSTRAP_LIMIT = 16384
LEFTOVERS = re.compile(r"<no value>|<nil>|\{\{|&Duration|%!")


def kubelet_flags(unit):
    """flag -> value of the ExecStart line; fails on a dangling continuation."""
    command = re.search(r"(?m)^ExecStart=((?:.*\\\n)*.*)$", unit).group(1)
    words = command.replace("\\\n", " ").split()
    assert words[0] == "/opt/bin/kubelet" and "\\" not in words, words
    return dict(word.removeprefix("--").split("=", 1) for word in words[1:])


def expected_flags(provider, variant):
    external = "--external-cloud-provider" in variant["flags"]
    in_tree = provider in ("aws", "azure", "gce", "vsphere") and not external
    flags = {}
    if external:
        flags["cloud-provider"] = "external"
    elif in_tree and variant["version"] == "1.28.15":
        flags.update({"cloud-provider": provider, "cloud-config": "/etc/kubernetes/cloud-config"})
    if provider != "openstack" and (provider != "aws" or external):
        flags["hostname-override"] = "${KUBELET_HOSTNAME}"
    if not ("+" in variant.get("family", "") and (external or in_tree)):
        flags["node-ip"] = "${KUBELET_NODE_IP}"
    for flag in variant["flags"]:
        if flag.startswith("--initial-taints="):
            flags["register-with-taints"] = flag.split("=", 1)[1]
    return flags


def check_kubelet(t, case, provider, variant, provisioning):
    flags = kubelet_flags(provisioning["/etc/systemd/system/kubelet.service"]["data"])
    chosen = ("cloud-provider", "cloud-config", "hostname-override", "node-ip", "register-with-taints")
    t.equal(f"{case}: kubelet flags", {k: v for k, v in flags.items() if k in chosen}, expected_flags(provider, variant))
    t.equal(f"{case}: kubelet's configuration", flags.get("config"), "/etc/kubernetes/kubelet.conf")

    try:
        config = yaml.safe_load(provisioning["/etc/kubernetes/kubelet.conf"]["data"])
    except yaml.YAMLError as error:
        t.check(f"{case}: kubelet.conf is YAML", False, error)
        return
    t.equal(f"{case}: kubelet.conf kind", config["kind"], "KubeletConfiguration")
    reserved = {"cpu": "200m", "ephemeral-storage": "1Gi", "memory": "200Mi"}
    want = {"clusterDNS": ["10.10.10.10"], "containerLogMaxSize": "100Mi", "containerLogMaxFiles": 5,
            "kubeReserved": reserved, "systemReserved": reserved, "maxPods": None,
            "evictionHard": {"imagefs.available": "15%", "memory.available": "100Mi", "nodefs.available": "10%",
                             "nodefs.inodesFree": "5%"},
            "featureGates": {"RotateKubeletServerCertificate": True}, "imageMinimumGCAge": None}
    if "annotations" in variant:
        want = {"clusterDNS": ["10.96.0.10", "fd00::a"], "containerLogMaxSize": "200Mi", "containerLogMaxFiles": 9,
                "kubeReserved": {"cpu": "300m", "memory": "400Mi"}, "systemReserved": {"cpu": "100m"}, "maxPods": 64,
                "evictionHard": {"memory.available": "5%", "nodefs.available": "7%"},
                "imageGCHighThresholdPercent": 80, "imageGCLowThresholdPercent": 60,
                "imageMinimumGCAge": "1m30s", "imageMaximumGCAge": "48h0m0s",
                "featureGates": {"RotateKubeletServerCertificate": True, "NodeSwap": False}}
    want.update({"serverTLSBootstrap": True, "rotateCertificates": True, "cgroupDriver": "systemd", "readOnlyPort": 0})
    t.equal(f"{case}: kubelet.conf", {key: config.get(key) for key in want}, want)


def check_rest(t, case, provider, variant, bootstrap, provisioning):
    setup, first = provisioning["/opt/bin/setup"]["data"], bootstrap["/opt/bin/bootstrap"]["data"]
    minor = variant["version"].rsplit(".", 1)[0]
    crictl = f"v{minor}.0" if minor in ("1.33", "1.34", "1.35") else "v1.36.0"
    t.check(f"{case}: crictl {crictl}", f"default_cri_tools_version={crictl}\n" in setup, setup)
    forwarding = "net.ipv6.conf.all.forwarding = 1" in provisioning["/etc/sysctl.d/k8s.conf"]["data"]
    t.equal(f"{case}: IPv6 forwarding", forwarding, "IPv6" in variant.get("family", ""))
    t.equal(f"{case}: sets the host name", "hostnamectl" in first, provider in ("azure", "digitalocean", "hetzner"))
    t.equal(f"{case}: guest tools", "open-vm-tools" in setup, provider in ("vsphere", "vmware-cloud-director"))
    t.equal(f"{case}: iSCSI", "open-iscsi" in setup, provider == "nutanix")
    full = "annotations" in variant
    t.equal(f"{case}: proxy", "http://proxy.example.test:3128" in first, full)
    t.equal(f"{case}: host CA", "update-ca-certificates" in setup, full)
    t.check(f"{case}: certificate of the cluster", "BEGIN CERTIFICATE" in bootstrap["/etc/kubernetes/pki/ca.crt"]["data"])
    for name, script in (("bootstrap", first), ("setup", setup)):
        t.check(f"{case}: {name} verifies TLS", "--cacert /etc/kubernetes/pki/ca.crt" in script
                and not re.search(r"curl[^\n]* (-k|--insecure)", script), script)


def check_actions(t):
    """Templates use only what every reader of profiles has, as the controller's own do."""
    keywords = {"if", "else", "end", "range", "with", "template", "eq", "ne", "and", "or", "not", "semverCompare"}
    text = nodelib.PROFILE.read_text()
    actions = re.findall(r"\{\{-?\s*(.*?)\s*-?\}\}", text, re.S)
    t.check("the profile has template actions", len(actions) > 50, len(actions))
    for action in actions:
        words = set(re.findall(r"(?<![\w.$])[A-Za-z]\w*", re.sub(r'"[^"]*"|/\*.*?\*/', "", action, flags=re.S)))
        t.check(f"action {{{{ {action} }}}}", words <= keywords, words - keywords)


def check_files(t, case, kind, entries, expected):
    have = {path: (f["permissions"], f["encoding"]) for path, f in entries.items() if path in expected}
    t.equal(f"{case}: {kind} files", have, expected)
    t.equal(f"{case}: {kind} file order", [path for path in entries if path in expected], list(expected))
    for path, entry in entries.items():
        leftover = LEFTOVERS.search(entry["data"])
        t.check(f"{case}: {path} is completely rendered", not leftover, leftover)


def check_schema(t, texts, scratch):
    """Every user-data as it reaches the machine."""
    if not shutil.which("cloud-init"):
        t.skip("cloud-init schema", "cloud-init is not installed")
        return
    folder = scratch / "user-data"
    folder.mkdir()

    def one(item):
        (case, kind), text = item
        path = folder / f"{case}-{kind}.yaml"
        path.write_text(nodelib.on_machine(text))
        return case, kind, nodelib.run(["cloud-init", "schema", "--config-file", str(path)], check=False)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, kind, result in pool.map(one, texts.items()):
            good = result.returncode == 0 and "Valid" in result.stdout
            t.check(f"{case}: {kind} passes cloud-init's schema", good, result.stdout + result.stderr)


def check_scripts(t, scripts, scratch):
    """Each different script once, whoever it was rendered for."""
    folder = scratch / "scripts"
    folder.mkdir()
    for digest, (name, text) in sorted(scripts.items()):
        path = folder / digest[:12]
        path.write_text(text)
        result = nodelib.run(["bash", "-n", str(path)], check=False)
        t.check(f"{name}: bash -n", result.returncode == 0, result.stderr)
        if shutil.which("shellcheck"):
            result = nodelib.run(["shellcheck", "--norc", "--severity=style", str(path)], check=False)
            t.check(f"{name}: shellcheck", result.returncode == 0, result.stdout + result.stderr)
    t.check("scripts were found", len(scripts) >= 9, sorted(name for name, _ in scripts.values()))
    if not shutil.which("shellcheck"):
        t.skip("shellcheck", "shellcheck is not installed")


def check_units(t, case, entries, scratch):
    """systemd's own reader, in a root that has the programs the units start."""
    if not shutil.which("systemd-analyze"):
        t.skip(f"{case}: units", "systemd-analyze is not installed")
        return
    root = scratch / f"root-{case}"
    system = root / "etc/systemd/system"
    programs = ["/opt/bin/kubelet", "/usr/bin/containerd"]
    for path, entry in entries.items():
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(entry["data"])
        target.chmod(int(entry["permissions"], 8))
    for path in programs:
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("#!/bin/sh\n")
        target.chmod(0o755)
    for name in ("network-online", "sysinit", "basic", "shutdown", "multi-user", "local-fs"):
        (system / f"{name}.target").write_text(f"[Unit]\nDescription={name}\nDefaultDependencies=no\n")
    (system / "containerd.service").write_text("[Service]\nExecStart=/usr/bin/containerd\n")
    units = sorted(str(path) for path in system.glob("*.service"))
    result = nodelib.run(["systemd-analyze", "verify", "--man=no", "--root", str(root)] + units, check=False)
    noise = re.compile(r"world-inaccessible|system\.slice|-\.slice|Failed to (prepare|create|open).*(bus|dbus)")
    lines = [line for line in result.stderr.splitlines() if line.strip() and not noise.search(line)]
    t.check(f"{case}: systemd reads the units", not lines, "\n".join(lines))


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    texts, scripts = {}, {}
    check_actions(t)
    for case, provider, name in nodelib.cases():
        variant = nodelib.VARIANTS[name]
        decoded = {}
        for kind, expected in (("bootstrap", BOOTSTRAP), ("provisioning", PROVISIONING)):
            text = fleet.user_data(case, name, kind)
            texts[case, kind] = text
            decoded[kind] = nodelib.files(nodelib.on_machine(text))
            check_files(t, case, kind, decoded[kind], expected)
            for path, entry in decoded[kind].items():
                if entry["data"].startswith("#!"):
                    digest = hashlib.sha256(entry["data"].encode()).hexdigest()
                    scripts.setdefault(digest, (f"{case}: {path}", entry["data"]))
        size = len(nodelib.on_machine(texts[case, "bootstrap"]).encode())
        t.check(f"{case}: bootstrap user-data fits", size <= BOOTSTRAP_LIMIT, f"{size} bytes")
        t.equal(f"{case}: machine name", "/etc/machine-name" in decoded["bootstrap"], provider != "aws")
        check_kubelet(t, case, provider, variant, decoded["provisioning"])
        check_rest(t, case, provider, variant, decoded["bootstrap"], decoded["provisioning"])
        if name in ("plain", "full"):
            check_units(t, case, {**decoded["bootstrap"], **decoded["provisioning"]}, scratch)
    check_schema(t, texts, scratch)
    check_scripts(t, scripts, scratch)
    t.finish()


if __name__ == "__main__":
    main()
