"""Runs the scripts of Flatcar's profiles, as scripts.py does those of the others: against an API server that answers wrongly,
a hypervisor that hands out addresses, links into a read-only system. What would change the machine is a stub."""

import configparser
import json
import shutil

import nodelib
import sandbox
import scripts

IGNITION = json.dumps({"ignition": {"version": "2.3.0"}, "storage": {}})
CONFIG = "#cloud-config\n\nssh_pwauth: false\n"
KUBECONFIG = "apiVersion: v1\nkind: Config\n"
BINARIES = "kubelet.service kubelet-healthcheck.service containerd-healthcheck.service"


def networkd(path):
    """Of a .network file: section -> name -> value."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(path)
    return {section: dict(parser[section]) for section in parser.sections()}


def test_stage_1(t, m, api):
    script, old = m.path("/opt/bin/bootstrap"), m.path("/usr/share/oem/config.ign")
    m.write("/etc/machine-id", "0" * 32)
    unit = m.path("/etc/systemd/system/bootstrap.service")
    first_boot = m.path("/boot/flatcar/first_boot")
    for name, status, body in (("404", 404, {"kind": "Status", "code": 404}), ("no data", 200, {"data": None}),
                               ("no such key", 200, sandbox.secret(other="x")),
                               ("null", 200, sandbox.secret(cloud_config="null")),
                               ("a cloud-config", 200, sandbox.secret(cloud_config="#cloud-config\n")),
                               ("not base64", 200, {"data": {"cloud-config": "%%%"}})):
        api.answers = [(status, body)]
        result = m.run(script)
        t.check(f"stage 1: {name} is an error", result.returncode != 0 and "bootstrap: error:" in result.stderr, result)
        t.check(f"stage 1: {name} changes nothing", not old.exists() and not first_boot.exists() and unit.exists(), name)
        t.check(f"stage 1: {name} does not reboot", not [c for c in m.calls() if "reboot" in c], m.calls())

    trusted = m.path("/etc/kubernetes/pki/ca.crt").read_text()
    (m.root / "stranger").mkdir()
    stranger, _ = nodelib.certificate(m.root / "stranger")
    m.write("/etc/kubernetes/pki/ca.crt", stranger.read_text())
    api.seen.clear()
    result = m.run(script)
    t.check("stage 1: sends no token to a server it does not know", result.returncode != 0 and not api.seen, (result, api.seen))
    m.write("/etc/kubernetes/pki/ca.crt", trusted)

    api.answers = [(404, {}), (200, {"data": {}}), (200, sandbox.secret(cloud_config=IGNITION))]
    result = m.run(m.path("/opt/bin/supervise.sh"), script)
    t.equal("stage 1: tries again until the answer is good", (result.returncode, len(api.seen)), (0, 3))
    t.check("stage 1: sends the token", len({a for _, a in api.seen}) == 1 and api.seen[0][1].startswith("Bearer "), api.seen)
    t.check("stage 1: asks for the provisioning Secret", api.seen[0][0].endswith("-provisioning-config"), api.seen)
    t.equal("stage 1: stores the config", old.read_text() if old.exists() else None, IGNITION)
    t.equal("stage 1: for root's eyes only", oct(old.stat().st_mode & 0o777), "0o600")
    t.equal("stage 1: makes the next boot a first one, without stage 1",
            (first_boot.exists(), m.path("/etc/machine-id").exists(), unit.exists(), unit.with_name(unit.name + ".d").exists()),
            (True, False, False, False))
    t.equal("stage 1: waits for the network, and reboots", [c for c in m.calls() if not c.startswith(("sleep", "journalctl"))],
            ["systemctl start network-online.target"] * 3 + ["systemctl disable bootstrap.service", "systemctl reboot"])

    m.path("/oem").mkdir()
    old.unlink()
    m.run(script)
    t.equal("stage 1: where newer images have the OEM partition", (m.path("/oem/config.ign").exists(), old.exists()), (True, False))


def test_cloud_director(t, m):
    """`m` is one of VMware Cloud Director."""
    properties = {"vCloud_primaryNic": 1, "vCloud_numnics": 3}
    for i, mode in enumerate(("static", "static", "dhcp")):
        properties |= {f"vCloud_bootproto_{i}": mode, f"vCloud_macaddr_{i}": f"00:50:56:00:00:0{i}", f"vCloud_ip_{i}": f"10.{i}.0.7",
                       f"vCloud_netmask_{i}": "255.255.240.0", f"vCloud_gateway_{i}": f"10.{i}.0.1",
                       f"vCloud_dns1_{i}": f"10.{i}.0.2", f"vCloud_dns2_{i}": f"10.{i}.0.3"}
    lines = "".join(f'      <Property oe:key="{name}" oe:value="{value}"/>\n' for name, value in properties.items())
    m.write("/environment.xml", f'<?xml version="1.0"?>\n<Environment>\n   <PropertySection>\n{lines}   </PropertySection>\n')
    m.stub("vmtoolsd", f'[ "$*" = "--cmd info-get guestinfo.ovfEnv" ] && cat {m.path("/environment.xml")}\n')
    folder = m.path("/etc/systemd/network")
    folder.mkdir(parents=True, exist_ok=True)
    result = m.call_function("configure_network", script="/opt/bin/bootstrap")
    t.equal("Cloud Director: reads the addresses", (result.returncode, m.calls()[-1]), (0, "networkctl reload"))
    want = {"10-vcloud-0.network": {"Match": {"MACAddress": "00:50:56:00:00:00"}, "Network": {"Address": "10.0.0.7/20"}},
            "10-vcloud-1.network": {"Match": {"MACAddress": "00:50:56:00:00:01"}, "Network": {
                "Address": "10.1.0.7/20", "Gateway": "10.1.0.1", "DNS": "10.1.0.2 10.1.0.3"}}}
    t.equal("Cloud Director: static interfaces", {path.name: networkd(path) for path in folder.glob("10-vcloud-*")}, want)
    masks = {"255.255.255.255": 32, "255.255.255.252": 30, "255.255.255.0": 24, "255.254.0.0": 15, "255.0.0.0": 8, "0.0.0.0": 0}
    result = m.call_function("".join(f"prefix_length {mask}\n" for mask in masks), script="/opt/bin/bootstrap")
    t.equal("Cloud Director: masks", [int(line) for line in result.stdout.split()], list(masks.values()))
    m.write("/environment.xml", "")
    result = m.call_function("configure_network", script="/opt/bin/bootstrap")
    t.equal("Cloud Director: nothing is said of addresses", result.returncode, 0)


def test_proxy(t, m):
    want = sorted(['PATH="/usr/bin"'] + [f"{name}=http://proxy.example.test:3128" for name in
                                         ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")]
                  + [f"{name}=.svc,.cluster.local,10.0.0.0/8" for name in ("NO_PROXY", "no_proxy")])
    environment, system = m.path("/etc/environment"), m.path("/usr/lib/environment")
    for name, text, lines in (("a link into the system", 'PATH="/usr/bin"\n', want),
                              ("a link to nothing", None, [line for line in want if "PATH" not in line])):
        environment.unlink(missing_ok=True)
        system.unlink(missing_ok=True)
        if text:
            m.write("/usr/lib/environment", text)
        environment.symlink_to(system)
        for _ in range(2):
            result = m.call_function("configure_proxy", script="/opt/bin/bootstrap")
        have = sorted(environment.read_text().splitlines()) if environment.exists() else None
        t.equal(f"{m.profile.key}: proxy: {name}", (result.returncode, environment.is_symlink(), have), (0, False, lines))
        if text:
            t.equal(f"{m.profile.key}: proxy: the system's file is left alone", system.read_text(), text)


def test_updates(t, machine):
    rules, config = "/etc/polkit-1/rules.d/60-noreboot_norestart.rules", "/etc/flatcar/update.conf"
    off = {unit: [f"systemctl mask {unit}.service", f"systemctl stop {unit}.service"] for unit in ("update-engine", "locksmithd")}
    again = ["systemctl try-restart update-engine.service"]
    for variant, want in (("plain", again + off["locksmithd"]), ("dual", off["update-engine"]),
                          ("external", off["update-engine"] + off["locksmithd"]), ("full", ["systemctl daemon-reload"] + again)):
        m = machine(variant)
        m.write(config, "GROUP=stable\nSERVER=https://old\n")
        for _ in range(2):
            result = m.call_function("read_settings; default_settings; configure_updates",
                                     FLATCAR_UPDATE_SERVER="https://nebraska.example.test/v1/update/")
        name = f"{m.profile.key}: updates: {variant}"
        calls = [c for c in m.calls() if c.startswith("systemctl")]
        t.equal(name, (result.returncode, calls), (0, want))
        t.equal(f"{name}: who may reboot", m.path(rules).exists(), variant != "external")
        mirrored = "SERVER=https://nebraska.example.test/v1/update/" if variant in ("plain", "full") else "SERVER=https://old"
        t.equal(f"{name}: from the mirror", m.path(config).read_text(), f"GROUP=stable\n{mirrored}\n")
    drop_in = m.path("/etc/systemd/system/update-engine.service.d/50-proxy.conf")
    t.check("updates: through the proxy", "\nEnvironment=ALL_PROXY=http://proxy.example.test:3128\n" in drop_in.read_text(), drop_in)
    if shutil.which("systemd-analyze"):
        m.write("/etc/systemd/system/update-engine.service", "[Service]\nExecStart=/bin/true\n")
        result = nodelib.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                              str(m.path("/etc/systemd/system/update-engine.service"))], check=False)
        t.check("updates: systemd reads the drop-in", "50-proxy.conf" not in result.stderr, result.stderr)


def test_settings(t, m):
    show = "read_settings; default_settings; printf '%s\\n' " + " ".join(f'"${name}"' for name in (
        "KUBE_VERSION", "KUBE_BINARIES_URL", "CNI_VERSION", "CNI_PLUGINS_URL", "CRI_TOOLS_URL", "FLATCAR_UPDATE_SERVER"))
    result = m.call_function(show)
    t.equal(f"{m.profile.key}: settings: defaults", result.stdout.split("\n"),
            ["v1.35.1", "https://dl.k8s.io/release", m.profile.cni,
             "https://github.com/containernetworking/plugins/releases/download",
             "https://github.com/kubernetes-sigs/cri-tools/releases/download", "", ""])
    m.write("/etc/default/osm-node", "# comment\nCNI_VERSION=v9.9.9\nKUBE_BINARIES_URL=\"https://mirror/kube\"\n"
            "CRI_TOOLS_URL=$(touch hacked)\nFLATCAR_UPDATE_SERVER=disabled\nKUBE_VERSION=v1.0.0")
    result = m.call_function(show, KUBE_VERSION="v2.0.0", CNI_PLUGINS_URL="https://mirror/cni")
    t.equal(f"{m.profile.key}: settings: environment, file, default", result.stdout.split("\n"),
            ["v2.0.0", "https://mirror/kube", "v9.9.9", "https://mirror/cni", "$(touch hacked)", "disabled", ""])
    m.path("/etc/default/osm-node").unlink()


def test_setup(t, m, api):
    """All of /opt/bin/setup, twice."""
    m.write("/etc/default/osm-node", sandbox.mirror_binaries(m))
    m.write("/etc/machine-name", "Worker-1\n")
    m.path("/opt/bin/kubelet").unlink(missing_ok=True)
    api.answers = [(200, sandbox.secret(kubeconfig=KUBECONFIG))]
    for round_ in ("first", "second"):
        api.seen.clear()
        result = m.run(m.path("/opt/bin/setup"))
        name = f"{m.profile.key}: setup: {round_} run"
        t.equal(f"{name} succeeds", (result.returncode, result.stderr if result.returncode else ""), (0, ""))
        wanted = [
            "modprobe --all overlay br_netfilter nf_conntrack", "hostnamectl set-hostname Worker-1",
            "systemctl mask locksmithd.service", "systemctl mask docker.socket docker.service", "systemctl enable containerd.service",
            "systemctl restart containerd.service", f"systemctl enable {BINARIES}", f"systemctl restart --no-block {BINARIES}",
            "systemctl disable setup.service"]
        t.equal(f"{name} does it all, in order", [c for c in m.calls() if c in wanted], wanted)
        t.check(f"{name} asks for its Secret", len(api.seen) == 1 and api.seen[0][0].endswith("-kubelet-bootstrap-config"), api.seen)
        t.check(f"{name} asks no one else", "github.com" not in result.stderr and "dl.k8s.io" not in result.stderr, result.stderr)
    t.equal(f"{m.profile.key}: kubelet is there", m.path("/opt/bin/kubelet").read_text(), "kubelet")
    t.equal(f"{m.profile.key}: bootstrap kubeconfig", m.path("/etc/kubernetes/bootstrap-kubelet.conf").read_text(), KUBECONFIG)
    t.check(f"{m.profile.key}: nothing is downloaded twice", "downloading" not in result.stderr, result.stderr)
    t.equal(f"{m.profile.key}: scratch folders are gone", list(m.path("/var/tmp").iterdir()), [])


def test_cloud_init(t, m, api):
    """Stage 1 where coreos-cloudinit reads the user-data: it applies the rest, too."""
    script, done = m.path("/opt/bin/bootstrap"), m.path("/etc/bootstrap-complete")
    m.stub("coreos-cloudinit", f'cp "${{1#--from-file=}}" {m.path("/applied")}\n')
    for name, status, body in (("404", 404, {}), ("no key", 200, {"data": {}}), ("null", 200, sandbox.secret(cloud_config="null")),
                               ("Ignition", 200, sandbox.secret(cloud_config=IGNITION)),
                               ("not base64", 200, {"data": {"cloud-config": "%%%"}})):
        api.answers = [(status, body)]
        result = m.run(script)
        t.check(f"cloud-init: {name} is an error", result.returncode != 0 and "bootstrap: error:" in result.stderr, result)
        t.check(f"cloud-init: {name} is applied by no one", not m.path("/applied").exists() and not done.exists(), name)
    api.answers = [(404, {}), (200, sandbox.secret(cloud_config=CONFIG))]
    api.seen.clear()
    result = m.run(m.path("/opt/bin/supervise.sh"), script)
    t.equal("cloud-init: tries again until the answer is good", (result.returncode, len(api.seen)), (0, 2))
    t.check("cloud-init: asks for the provisioning Secret, with the token",
            api.seen[0][0].endswith("-provisioning-config") and api.seen[0][1].startswith("Bearer "), api.seen)
    t.equal("cloud-init: applied", m.path("/applied").read_text(), CONFIG)
    calls = [c.split(" --from-file")[0] for c in m.calls() if not c.startswith("sleep")]
    t.equal("cloud-init: starts stage 2", calls[calls.index("coreos-cloudinit"):],
            ["coreos-cloudinit", "systemctl daemon-reload", "systemctl enable setup.service",
             "systemctl restart --no-block setup.service", "systemctl disable bootstrap.service"])
    t.equal("cloud-init: knows new addresses first", calls[0], "networkctl reload")
    t.equal("cloud-init: leaves no config behind", list(m.path("/var/tmp").iterdir()), [])
    unit = m.path("/etc/systemd/system/bootstrap.service").read_text()
    t.check("cloud-init: not again at the next boot", done.exists()
            and "\nConditionPathExists=!/etc/bootstrap-complete\n" in unit, unit)
    done.unlink()
    m.stub("coreos-cloudinit", "exit 1\n")
    result = m.run(script)
    t.check("cloud-init: a reader that fails is an error", result.returncode != 0 and not done.exists()
            and "systemctl restart --no-block setup.service" not in m.calls(), result)


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    api = sandbox.ApiServer(scratch, fleet.ca, fleet.ca_key)

    def machine(profile, variant, provider=None):
        folder = scratch / f"machine-{profile.key}-{variant}-{provider}"
        return sandbox.Machine(folder, fleet, profile, variant, api.url, provider)

    for profile in (profile for profile in nodelib.PROFILES if profile.os == "flatcar"):
        plain, full = machine(profile, "plain"), machine(profile, "full")
        scripts.test_host_ca(t, full, fleet.ca.read_text().strip())
        scripts.test_downloads(t, plain)
        scripts.test_kubeconfig(t, plain, api)
        test_settings(t, plain)
        test_updates(t, lambda variant, profile=profile: machine(profile, variant, profile.providers[-1]))
        test_setup(t, plain, api)
        test_proxy(t, full)
        if profile.utility == "cloud-init":
            test_cloud_init(t, plain, api)
        else:
            test_stage_1(t, plain, api)
            scripts.test_name(t, machine(profile, "plain", "aws"))
            test_cloud_director(t, machine(profile, "plain", "vmware-cloud-director"))
    t.finish()


if __name__ == "__main__":
    main()
