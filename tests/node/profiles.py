"""The profiles, rendered for every provider and variant, under the eyes of what will read them on a machine: cloud-init's
schema, shellcheck, bash, systemd, and the rules of Ignition, kubelet flags and kubelet configuration."""

import configparser
import hashlib
import json
import os
import pathlib
import re
import shutil
import tomllib

import yaml

import image
import nodelib

# What others' tooling relies on: path -> (permissions, encoding). Encoded is what has text of somebody else in it.
BOOTSTRAP = {
    "/opt/bin/supervise.sh": ("0755", None),
    "/opt/bin/bootstrap": ("0700", None),
    "/etc/systemd/system/bootstrap.service": ("0644", None),
}
PROVISIONING = {
    "/opt/bin/health-monitor.sh": ("0755", None),
    "/etc/systemd/journald.conf.d/max_disk_use.conf": ("0644", None),
    "/opt/load-kernel-modules.sh": ("0755", None),
    "/etc/sysctl.d/k8s.conf": ("0644", None),
    "/opt/bin/setup.env": ("0600", "b64"),
    "/opt/bin/setup": ("0700", None),
    "/etc/systemd/system/kubelet.service": ("0600", None),
    "/etc/kubernetes/cloud-config": ("0600", "b64"),
    "/opt/bin/setup_net_env.sh": ("0755", None),
    "/etc/kubernetes/pki/ca.crt": ("0644", None),
    "/etc/systemd/system/setup.service": ("0644", None),
    "/etc/profile.d/opt-bin-path.sh": ("0644", None),
    "/etc/kubernetes/kubelet.conf": ("0600", "b64"),
    "/etc/systemd/system/kubelet-healthcheck.service": ("0644", None),
    "/opt/disable-swap.sh": ("0755", None),
    "/etc/systemd/system/containerd.service.d/environment.conf": ("0644", None),
    "/etc/systemd/system/containerd.service.d/limits.conf": ("0644", None),
    "/etc/crictl.yaml": ("0644", None),
    "/etc/containerd/config.toml": ("0600", "b64"),
}
# Flatcar's, where nothing is encoded under Ignition.
FLATCAR_BOOTSTRAP = {
    "/opt/bin/supervise.sh": "0755",
    "/opt/bin/bootstrap": "0700",
    "/etc/systemd/network/static.network": "0644",
    "/etc/systemd/system/bootstrap.service": "0644",
}
FLATCAR_PROVISIONING = {
    "/opt/bin/health-monitor.sh": "0755",
    "/etc/systemd/journald.conf.d/max_disk_use.conf": "0644",
    "/opt/load-kernel-modules.sh": "0755",
    "/etc/sysctl.d/k8s.conf": "0644",
    "/opt/bin/setup_net_env.sh": "0755",
    "/etc/systemd/network/zz-default.network.d/ipv6-fix.conf": "0644",
    "/opt/bin/setup.env": "0600",
    "/opt/bin/setup": "0700",
    "/etc/kubernetes/pki/ca.crt": "0644",
    "/etc/systemd/system/kubelet.service": "0600",
    "/etc/kubernetes/cloud-config": "0600",
    "/etc/kubernetes/kubelet.conf": "0600",
    "/etc/systemd/system/kubelet-healthcheck.service": "0644",
    "/etc/ssh/sshd_config": "0600",
    "/etc/systemd/system/containerd.service.d/environment.conf": "0644",
    "/etc/crictl.yaml": "0644",
    "/etc/containerd/config.toml": "0600",
    "/etc/systemd/system/containerd.service.d/10-custom.conf": "0644",
    "/etc/systemd/system/setup.service": "0644",
}
# Whoever knows one system's node knows them all: these files are the same in every profile.
SHARED = ("/opt/bin/supervise.sh", "/etc/systemd/system/bootstrap.service", "/opt/bin/health-monitor.sh",
          "/etc/systemd/journald.conf.d/max_disk_use.conf", "/opt/load-kernel-modules.sh", "/etc/sysctl.d/k8s.conf",
          "/etc/kubernetes/cloud-config", "/opt/bin/setup_net_env.sh", "/etc/kubernetes/pki/ca.crt",
          "/etc/systemd/system/setup.service", "/etc/profile.d/opt-bin-path.sh",
          "/etc/systemd/system/kubelet-healthcheck.service", "/opt/disable-swap.sh",
          "/etc/systemd/system/containerd.service.d/environment.conf",
          "/etc/systemd/system/containerd.service.d/limits.conf", "/etc/crictl.yaml",
          "/etc/systemd/system/containerd-healthcheck.service")
FLATCAR_SHARED = ("/opt/bin/setup", "/etc/systemd/network/static.network", "/etc/systemd/network/zz-default.network.d/ipv6-fix.conf",
                  "/etc/containerd/config.toml", "/etc/systemd/system/containerd.service.d/10-custom.conf",
                  "/etc/kubernetes/kubelet.conf", "/etc/ssh/sshd_config")
# The smallest limit of a provider that takes the text as it is; without a proxy, and where the platform has no addresses to be
# asked for, half of it.
BOOTSTRAP_LIMIT = 16384
# What the profiles of the controller v1.11 have for the same MachineDeployments of the variant plain, in bytes. Ours have at most
# 1.32 times as much, of which Flatcar's percent-encoding takes most. Its profile of Flatcar with cloud-init has no provisioning config, and it has none of Amazon Linux 2023.
CONTROLLER_PROVISIONING = {"ubuntu": 21436, "rockylinux": 21930, "rhel": 21933, "amzn2": 20502, "amzn2023": 20502,
                           "flatcar": 22888, "flatcar-cloud-init": 22888}
LEFTOVERS = re.compile(r"<no value>|<nil>|\{\{|&Duration|%!")


def expected_files(profile):
    """Of both stages: path -> (permissions, encoding)."""
    if profile.os != "flatcar":
        provisioning = {}
        for path, how in PROVISIONING.items():
            provisioning[path] = how
            provisioning.update({own: ("0644", None) for own, before in profile.files.items() if before == path})
        if not profile.version_2:
            provisioning["/etc/containerd/config-1.x.toml"] = ("0600", "b64")
        return BOOTSTRAP, provisioning
    stages = [{path: (mode, None) for path, mode in stage.items()} for stage in (FLATCAR_BOOTSTRAP, FLATCAR_PROVISIONING)]
    if profile.utility == "cloud-init":
        encoded = ("/opt/bin/setup.env", "/etc/kubernetes/cloud-config", "/etc/kubernetes/kubelet.conf", "/etc/containerd/config.toml")
        stages = [{path: (mode, "b64" if path in encoded else None) for path, (mode, _) in stage.items()} for stage in stages]
        # A file here, a unit there.
        unit = stages[1].pop("/etc/systemd/system/setup.service")
        order = list(stages[1].items())
        order.insert([path for path, _ in order].index("/etc/kubernetes/kubelet.conf"), ("/etc/systemd/system/setup.service", unit))
        stages[1] = dict(order)
    return stages


def kubelet_flags(unit):
    """flag -> value of the ExecStart line; fails on a dangling continuation."""
    command = re.search(r"(?m)^ExecStart=((?:.*\\\n)*.*)$", unit).group(1)
    words = command.replace("\\\n", " ").split()
    assert words[0] == "/opt/bin/kubelet" and "\\" not in words, words
    return dict(word.removeprefix("--").split("=", 1) for word in words[1:])


def expected_flags(profile, provider, variant):
    external = "--external-cloud-provider" in variant["flags"]
    in_tree = provider in ("aws", "azure", "gce", "vsphere") and not external
    flags = {}
    if external:
        flags["cloud-provider"] = "external"
    elif in_tree and profile.in_tree and variant["version"] == "1.26.15":
        flags.update({"cloud-provider": provider, "cloud-config": "/etc/kubernetes/cloud-config"})
    if provider != "openstack" and (provider != "aws" or external):
        flags["hostname-override"] = "${KUBELET_HOSTNAME}"
    if not ("+" in variant.get("family", "") and (external or in_tree)):
        flags["node-ip"] = "${KUBELET_NODE_IP}"
    return flags


def check_kubelet(t, case, profile, provider, variant, provisioning):
    unit = provisioning["/etc/systemd/system/kubelet.service"]["data"]
    # Up to 229 systemd knew the limit as a setting of services, by another name.
    limit = r"\[Service\][^[]*\nStartLimitInterval=0\n" if profile.cgroup_v1 else r"\[Unit\][^[]*\nStartLimitIntervalSec=0\n"
    t.check(f"{case}: the kubelet is started again and again", re.search(limit, unit), unit)
    flags = kubelet_flags(unit)
    chosen = ("cloud-provider", "cloud-config", "hostname-override", "node-ip")
    t.equal(f"{case}: kubelet flags", {k: v for k, v in flags.items() if k in chosen}, expected_flags(profile, provider, variant))
    t.equal(f"{case}: kubelet's configuration", flags.get("config"), "/etc/kubernetes/kubelet.conf")

    try:
        config = nodelib.load_yaml(provisioning["/etc/kubernetes/kubelet.conf"]["data"])
    except yaml.YAMLError as error:
        t.check(f"{case}: kubelet.conf is YAML", False, error)
        return
    t.equal(f"{case}: kubelet.conf kind", config["kind"], "KubeletConfiguration")
    reserved = {"cpu": "200m", "ephemeral-storage": "1Gi", "memory": "200Mi"}
    want = {"clusterDNS": ["10.10.10.10"], "containerLogMaxSize": "100Mi", "containerLogMaxFiles": 5,
            "kubeReserved": reserved, "systemReserved": reserved, "maxPods": None,
            "evictionHard": {"imagefs.available": "15%", "memory.available": "100Mi", "nodefs.available": "10%",
                             "nodefs.inodesFree": "5%"},
            "featureGates": {"RotateKubeletServerCertificate": True}, "imageMinimumGCAge": None, "registerWithTaints": None}
    if "annotations" in variant:
        want = {"clusterDNS": ["10.96.0.10", "fd00::a"], "containerLogMaxSize": "200Mi", "containerLogMaxFiles": 9,
                "kubeReserved": {"cpu": "300m", "memory": "400Mi"}, "systemReserved": {"cpu": "100m"}, "maxPods": 64,
                "evictionHard": {"memory.available": "5%", "nodefs.available": "7%"},
                "imageGCHighThresholdPercent": 80, "imageGCLowThresholdPercent": 60,
                "imageMinimumGCAge": "1m30s", "imageMaximumGCAge": "48h0m0s",
                "registerWithTaints": [{"key": "node.cilium.io/agent-not-ready", "value": "true", "effect": "NoSchedule"},
                                       {"key": "example.test/new", "effect": "NoExecute"}],
                "featureGates": {"RotateKubeletServerCertificate": True, "KubeletInUserNamespace": False}}
    want.update({"serverTLSBootstrap": True, "rotateCertificates": True, "cgroupDriver": "systemd", "readOnlyPort": 0,
                 "serializeImagePulls": False, "maxParallelImagePulls": 10,
                 "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
                 "resolvConf": profile.resolv_conf,
                 # A field of kubelets from 1.31 on; without it those from 1.35 on do not start under cgroup v1.
                 "failCgroupV1": False if profile.cgroup_v1 and variant["version"] >= "1.31" else None})
    t.equal(f"{case}: kubelet.conf", {key: config.get(key) for key in want}, want)


def check_containerd(t, case, profile, variant, provisioning):
    """The configuration, in the words of each containerd that the machine may have."""
    texts = {2 if profile.version_2 else 3: provisioning["/etc/containerd/config.toml"]["data"]}
    if not profile.version_2:
        texts[2] = provisioning["/etc/containerd/config-1.x.toml"]["data"]
    for version, text in texts.items():
        try:
            have = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            t.check(f"{case}: containerd's configuration {version} is TOML", False, f"{error}\n{text}")
            continue
        t.equal(f"{case}: containerd's configuration {version}", have, containerd_config(variant, version))


def containerd_config(variant, version):
    pause = "registry.example.test/pause:3.10" if "annotations" in variant else None
    registry = {"config_path": "/etc/containerd/certs.d"}
    runc = {"runtimes": {"runc": {"runtime_type": "io.containerd.runc.v2", "options": {"SystemdCgroup": True}}}}
    # The second version of the format is what containerd 1.x reads.
    if version == 2:
        cri = {"device_ownership_from_security_context": False, "registry": registry, "containerd": runc,
               "cni": {"bin_dir": "/opt/cni/bin", "conf_dir": "/etc/cni/net.d"}}
        if pause:
            cri["sandbox_image"] = pause
        plugins = {"io.containerd.grpc.v1.cri": cri}
    else:
        images = {"discard_unpacked_layers": False, "registry": registry}
        if pause:
            images["pinned_images"] = {"sandbox": pause}
        plugins = {
            "io.containerd.cri.v1.images": images,
            "io.containerd.cri.v1.runtime": {"device_ownership_from_security_context": False, "containerd": runc,
                                             "cni": {"bin_dirs": ["/opt/cni/bin"], "conf_dir": "/etc/cni/net.d"}}}
    return {"version": version, "metrics": {"address": "127.0.0.1:1338"}, "plugins": plugins}


def check_rest(t, case, profile, provider, variant, bootstrap, provisioning):
    setup = provisioning["/opt/bin/setup"]["data"]
    first = bootstrap["/opt/bin/bootstrap"]["data"]
    minor = variant["version"].rsplit(".", 1)[0]
    crictl = f"v{minor}.0" if minor in ("1.33", "1.34", "1.35", "1.36") else "v1.37.0"
    t.check(f"{case}: crictl {crictl}", f"default_cri_tools_version={crictl}\n" in setup, setup)
    forwarding = "net.ipv6.conf.all.forwarding=1" in provisioning["/opt/bin/setup_net_env.sh"]["data"]
    t.equal(f"{case}: IPv6 forwarding", forwarding, "IPv6" in variant.get("family", ""))
    t.check(f"{case}: sets the host name", "hostnamectl" in (setup if profile.os == "flatcar" else first), setup)
    t.equal(f"{case}: guest tools", "open-vm-tools" in setup, provider in profile.guest_tools)
    t.equal(f"{case}: LVM, for volumes", " lvm2 " in setup, profile.os != "flatcar")
    t.equal(f"{case}: guest agent", "qemu-guest-agent" in setup, provider in profile.guest_agent)
    t.equal(f"{case}: iSCSI", "open-iscsi" in setup, provider in profile.iscsi)
    full = "annotations" in variant
    t.equal(f"{case}: proxy", "http://proxy.example.test:3128" in first, full)
    t.equal(f"{case}: package manager's or updater's proxy", profile.proxy_file in first + setup, full)
    t.equal(f"{case}: host CA", profile.ca_command in setup, full)
    t.equal(f"{case}: registers", "--name rh_subscription" in first, profile.os == "rhel" and case.endswith(("-dual", "-full")))
    t.check(f"{case}: certificate of the cluster", "BEGIN CERTIFICATE" in bootstrap["/etc/kubernetes/pki/ca.crt"]["data"])
    for name, script in (("bootstrap", first), ("setup", setup)):
        t.check(f"{case}: {name} verifies TLS", "--cacert /etc/kubernetes/pki/ca.crt" in script
                and not re.search(r"curl[^\n]* (-k|--insecure)", script), script)


def check_flatcar(t, case, provider, variant, bootstrap, provisioning):
    """Updates, reboots and addresses of a machine's own."""
    setup, spec = provisioning["/opt/bin/setup"]["data"], variant.get("flatcar", {})
    off = spec.get("disableAutoUpdate", False)
    for unit, key in (("update-engine", "disableUpdateEngine"), ("locksmithd", "disableLocksmithD")):
        t.equal(f"{case}: {unit} is off", f"systemctl mask {unit}.service" in setup, off or spec.get(key, False))
    t.equal(f"{case}: who may reboot", "60-noreboot_norestart.rules" in setup, not off)
    kubelet = provisioning["/etc/systemd/system/kubelet.service"]["data"]
    t.equal(f"{case}: NFS", "Wants=rpc-statd.service" in kubelet, provider == "anexia")

    address = variant.get("address")
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    text = bootstrap["/etc/systemd/network/static.network"]["data"]
    # networkd passes over an empty file; one without a match it complains of.
    t.equal(f"{case}: no address, no text", not text, not address)
    parser.read_string(text)
    have = {section: dict(parser[section]) for section in parser.sections()}
    want = {"Match": {"Name": "en*"}, "Network": {"DHCP": "no", "Address": "2001:db8::4/64", "Gateway": "2001:db8::1",
                                                  "DNS": "2001:db8::53"}} if address else {}
    t.equal(f"{case}: address of its own", have, want)
    if provider == "anexia":
        return
    cloud_director = provider == "vmware-cloud-director"
    first = bootstrap["/opt/bin/bootstrap"]["data"]
    t.equal(f"{case}: asks the hypervisor for addresses", "info-get guestinfo.ovfEnv" in first, cloud_director)
    t.equal(f"{case}: stage 1 waits for the network", "systemctl start network-online.target" in first, not cloud_director)


def check_ignition(t, name, text):
    """What Ignition 2 asks of a config, as far as it can be known without it."""
    config = json.loads(text)
    t.equal(f"{name}: version", config["ignition"]["version"], "2.3.0")
    entries = config["storage"]["files"]
    paths = [entry["path"] for entry in entries]
    t.equal(f"{name}: a path once", len(paths), len(set(paths)))
    for entry in entries:
        path, source = entry["path"], entry["contents"]["source"]
        t.check(f"{name}: {path}", path.startswith("/") and entry["filesystem"] == "root" and 0 < entry["mode"] <= 0o7777
                and not entry["mode"] & 0o022 and re.fullmatch(r"data:,(?:[\w.!~*'()-]|%[0-9A-F]{2})*", source, re.A), entry)
    for unit in config["systemd"].get("units", []):
        t.check(f"{name}: {unit['name']} can be enabled", unit["enabled"] and "\n[Install]\nWantedBy=" in unit["contents"], unit)
    keys = config["passwd"]["users"]
    t.check(f"{name}: keys", [user["name"] for user in keys] == ["core"] and len(keys[0]["sshAuthorizedKeys"]) == 1, keys)


def check_source(t, profile):
    """What the profile says of itself. Templates use only what every reader of profiles has."""
    spec = profile.load()["spec"]
    t.equal(f"{profile.key}: system", (spec["osName"], spec["osVersion"], spec["provisioningUtility"]),
            (profile.os, profile.os_version, profile.utility))
    t.equal(f"{profile.key}: providers", tuple(p["name"] for p in spec["supportedCloudProviders"]), profile.providers)
    keywords = {"if", "else", "end", "range", "with", "template", "eq", "ne", "and", "or", "not", "semverCompare", "contains",
                "first", "last", "printf", "replace", "splitList", "trim"}
    actions = re.findall(r"\{\{-?\s*(.*?)\s*-?\}\}", profile.text(), re.S)
    t.check(f"{profile.key}: there are template actions", len(actions) > 50, len(actions))
    for action in actions:
        bare = re.sub(r'"(?:\\.|[^"\\])*"|/\*.*?\*/', "", action, flags=re.S)
        words = set(re.findall(r"(?<![\w.$])[A-Za-z]\w*", bare))
        t.check(f"{profile.key}: action {{{{ {action} }}}}", words <= keywords, words - keywords)


def check_embedded(t, program):
    """The program carries the profiles, and no others."""
    listed = nodelib.run([program, "profiles"]).stdout.splitlines()
    systems = sorted(path.stem for path in (nodelib.ROOT / "profiles/gardener").glob("*.yaml"))
    t.equal("embedded profiles, then Gardener's systems", [line.split()[0] for line in listed],
            sorted(profile.name for profile in nodelib.PROFILES) + systems)
    t.equal("profiles without tests", sorted(path.stem for path in (nodelib.ROOT / "profiles").glob("*.yaml")),
            sorted(profile.key for profile in nodelib.PROFILES))
    for profile in nodelib.PROFILES:
        shown = nodelib.run([program, "profiles", "show", profile.name]).stdout
        t.check(f"{profile.name}: is what profiles/ has", shown == profile.text(), "another text")


def check_shared(t):
    """The files of SHARED, as they stand in the profiles."""
    found = {}
    for profile in nodelib.PROFILES:
        spec = profile.load()["spec"]
        for stage in (spec["bootstrapConfig"], spec["provisioningConfig"]):
            texts = {f"/etc/systemd/system/{unit['name']}": unit["content"] for unit in stage.get("units", [])}
            for config in (stage, *stage.get("supportedContainerRuntimes", [])):
                texts.update({f["path"]: f["content"]["inline"]["data"] for f in config.get("files", [])})
            for path, text in texts.items():
                if path not in profile.own:
                    found.setdefault(path, {})[profile.key] = text
    for path in SHARED:
        texts = found.get(path, {})
        t.equal(f"{path}: in every profile", sorted(texts),
                sorted(profile.key for profile in nodelib.PROFILES if path not in profile.own))
        t.check(f"{path}: the same in every profile", len(set(texts.values())) == 1, sorted(texts))
    for path in FLATCAR_SHARED:
        t.equal(f"{path}: the same for Ignition and cloud-init", found[path]["flatcar"], found[path]["flatcar-cloud-init"])


def check_files(t, case, kind, entries, expected):
    have = {path: (f["permissions"], f["encoding"]) for path, f in entries.items() if path in expected}
    t.equal(f"{case}: {kind} files", have, expected)
    t.equal(f"{case}: {kind} file order", [path for path in entries if path in expected], list(expected))
    for path, entry in entries.items():
        leftover = LEFTOVERS.search(entry["data"])
        t.check(f"{case}: {path} is completely rendered", not leftover, leftover)


def different(texts):
    """The first of all user-datas that a schema cannot tell apart: they differ in what files hold, a string to it, and in the
    MachineDeployment's name."""
    found = {}
    for (case, kind), text in texts.items():
        config = nodelib.load_yaml(text)
        for entry in config.get("write_files", []):
            entry["content"] = "content"
        found.setdefault(json.dumps(config).replace(case, "NAME"), (case, kind))
    return {key: texts[key] for key in found.values()}


def check_schema(t, texts, scratch):
    """User-data as it reaches the machine, under the schemas of an old cloud-init and of a young one.

    The controller writes a subscription for RHEL even where there is none; of that, and of nothing else, the schema complains
    (see subscription.py). With emptySubscription: false it is left out. It writes a subscription's organization as a number,
    which cloud-init takes, and calls deprecated from 24.2 on; nothing else may be deprecated."""
    folder = scratch / "user-data"
    folder.mkdir()
    texts = different(texts)
    t.check("schema: there are several", len(texts) >= 20, sorted(texts))
    subscribed = set()
    for (case, kind), text in texts.items():
        config = nodelib.load_yaml(text)
        if isinstance(config.get("rh_subscription", {}).get("org"), int):
            subscribed.add((case, kind))
        if "coreos" in config:  # for Flatcar's own reader, which takes the rest as cloud-init does
            del config["coreos"]
            text = "#cloud-config\n" + nodelib.dump_yaml(config)
        (folder / f"{case}-{kind}.yaml").write_text(nodelib.on_machine(text))
    t.check("schema: some organizations are numbers", len(subscribed) >= 2, subscribed)

    script = folder / "schema_many.py"
    shutil.copy(pathlib.Path(__file__).with_name("schema_many.py"), script)
    files = [str(folder / f"{case}-{kind}.yaml") for case, kind in texts]
    for age, made in image.cloud_inits(t, "cloud-init schema"):
        result = folder / f"results-{age.suite}.json"
        command = ["/usr/bin/python3", "-B", str(script), str(result), *files]
        nodelib.run(image.inside(made, folder, *command) if made else command)
        for (case, kind), (status, said) in zip(texts, json.loads(result.read_text()), strict=True):
            deprecated = {"rh_subscription.org"} if age.cloud_init >= "24.2" and (case, kind) in subscribed else set()
            good = status == 0 and "Valid" in said and set(re.findall(r"(\S+): +Deprecated", said)) == deprecated
            if case.startswith("rhel") and case.endswith("-plain"):
                findings = set(re.findall(r"(\S+): None is not of type 'string'", said))
                good = findings == {"rh_subscription.password", "rh_subscription.username"}
            t.check(f"{case}: {kind} passes the schema of cloud-init {age.cloud_init}", good, said)


def script_digest(case, text):
    """The same for scripts that differ in the MachineDeployment's name, in versions and in checksums only."""
    text = re.sub(r"\b[0-9a-f]{64}\b", "CHECKSUM", re.sub(r"\bv?1\.\d+\.\d+\b", "VERSION", text.replace(case, "NAME")))
    return hashlib.sha256(text.encode()).hexdigest()


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
    programs = ["/opt/bin/kubelet", "/usr/bin/containerd", "/usr/bin/env"]
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
    check_shared(t)
    if not arguments.rendered:
        check_embedded(t, fleet.program)
    for profile in nodelib.PROFILES:
        check_source(t, profile)
    for name in nodelib.VARIANTS:
        for case in fleet.generate(name)[:1]:
            for kind in ("bootstrap", "provisioning"):
                t.check(f"{case}: {kind} rendered by itself is the same",
                        fleet.render(case, name, kind) == fleet.user_data(case, name, kind), "another text")
    for case, profile, provider, name in nodelib.cases():
        variant = nodelib.VARIANTS[name]
        decoded = {}
        for kind, expected in zip(("bootstrap", "provisioning"), expected_files(profile)):
            text = fleet.user_data(case, name, kind)
            if profile.utility == "ignition":
                check_ignition(t, f"{case}: {kind}", nodelib.on_machine(text))
            # The other variants differ in what is encoded only, and in RHEL's ways to register, or not to.
            elif name in ("plain", "full") or name in ("dual", "external") and profile.os == "rhel":
                texts[case, kind] = text
            decoded[kind] = nodelib.files(nodelib.on_machine(text))
            check_files(t, case, kind, decoded[kind], expected)
            for path, entry in decoded[kind].items():
                if entry["data"].startswith("#!"):
                    scripts.setdefault(script_digest(case, entry["data"]), (f"{case}: {path}", entry["data"]))
            size, limit = len(nodelib.on_machine(text).encode()), BOOTSTRAP_LIMIT
            if name == "plain":
                limit = BOOTSTRAP_LIMIT if provider == "vmware-cloud-director" and kind == "bootstrap" else BOOTSTRAP_LIMIT // 2
            if kind == "provisioning":
                limit = CONTROLLER_PROVISIONING[profile.key] * (132 if name == "plain" else 150) // 100
            t.check(f"{case}: {kind} user-data is small", size <= limit, f"{size} bytes, at most {limit}")
        t.equal(f"{case}: machine name", "/etc/machine-name" in decoded["bootstrap"], provider != "aws")
        check_kubelet(t, case, profile, provider, variant, decoded["provisioning"])
        check_containerd(t, case, profile, variant, decoded["provisioning"])
        check_rest(t, case, profile, provider, variant, decoded["bootstrap"], decoded["provisioning"])
        if profile.os == "flatcar":
            check_flatcar(t, case, provider, variant, decoded["bootstrap"], decoded["provisioning"])
        if name in ("plain", "full"):
            check_units(t, case, {**decoded["bootstrap"], **decoded["provisioning"]}, scratch)
    check_schema(t, texts, scratch)
    check_scripts(t, scripts, scratch)
    t.finish()


if __name__ == "__main__":
    main()
