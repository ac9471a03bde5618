"""Runs what the profiles do about addresses and IPv6 on networks of namespaces: a machine with a network card, the network's
router, which sends router advertisements, and a pod. The kernel of this machine reads them and routes, so that a change of
its rules would be noticed: some of the checks are of the kernel alone and say why the scripts do what they do. The scripts are
the rendered ones; their /etc is a folder, as in scripts.py."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import nodelib
import sandbox

ADVERTISE = pathlib.Path(__file__).with_name("advertise.py")
PREFIX, POD_PREFIX = "2001:db8:1::", "2001:db8:bad::"
NAMESPACES = ["unshare", "--net", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
NETWORK_FILES = {"/etc/hosts": "", "/etc/resolv.conf": "", "/etc/nsswitch.conf": "hosts: files\n"}


class Namespace:
    """Network and mount namespaces of their own, which last until they are closed, or until this process ends."""

    def __init__(self):
        # It echoes a line when it is in the namespaces, and ends when its input does.
        self.holder = subprocess.Popen([*NAMESPACES, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdin.write(b"there\n")
        self.holder.stdin.flush()
        self.holder.stdout.readline()
        # A namespace of mounts has a root of its own: in a chroot that is another one than this process has.
        self.enter = ["nsenter", f"--target={self.holder.pid}", "--net", "--mount", "--root"]
        # Addresses are usable at once, without the second that the search for duplicates takes.
        self.set("net.ipv6.conf.default.accept_dad=0")
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *command, **options):
        return nodelib.run(self.enter + [str(word) for word in command], **options)

    def ip(self, *arguments):
        return json.loads(self.run("ip", "-json", *arguments).stdout or "[]")

    def set(self, *settings):
        self.run("sysctl", "--quiet", "--write", *settings)

    def get(self, name):
        return self.run("sysctl", "--values", name).stdout.strip()

    def replace(self, path, text, scratch):
        """The file at the path has this text here, and only here."""
        own = scratch / path.replace("/", "_")
        own.write_text(text)
        self.run("mount", "--bind", own, pathlib.Path(path).resolve())

    def default_routes(self):
        """Interface -> the seconds for which it has an IPv6 default route."""
        return {route["dev"]: route.get("expires") for route in self.ip("-6", "route", "show", "default")}

    def link_local(self, interface):
        """Waits for the interface to have its link-local address."""
        if not until(lambda: self.ip("-6", "address", "show", "dev", interface, "scope", "link", "-tentative")):
            raise TimeoutError(f"{interface} gets no link-local address")

    def advertise(self, interface, lifetime, prefix=PREFIX):
        self.link_local(interface)
        self.run(sys.executable, "-B", ADVERTISE, interface, lifetime, prefix)

    def close(self):
        self.holder.stdin.close()
        self.holder.wait()


def until(condition, seconds=120):
    """Waits for what the kernel does in its own time; returns whether it came."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


class Network:
    """A router and a machine that are linked by the machine's eth0, which is down."""

    def __init__(self, scratch):
        self.router, self.machine = Namespace(), Namespace()
        self.namespaces = [self.router, self.machine]
        self.cards = scratch / "cards"
        shutil.rmtree(self.cards, ignore_errors=True)
        self.cards.mkdir(parents=True)
        # Which interfaces are cards is read below /sys, where a namespace's virtual ones have no device.
        self.machine.run("mount", "--bind", self.cards, "/sys/class/net")
        for path, text in NETWORK_FILES.items():
            self.machine.replace(path, text, self.cards)
        self.router.set("net.ipv6.conf.all.forwarding=1")
        self.link("eth0", self.router, "lan")

    def link(self, name, peer, peer_name):
        """A further interface of the machine, linked with one of another namespace, which is up."""
        self.machine.run("ip", "link", "add", name, "type", "veth", "peer", "name", peer_name, "netns", str(peer.holder.pid))
        peer.run("ip", "link", "set", peer_name, "up")

    def card(self, name):
        (self.cards / name / "device").mkdir(parents=True)

    def up(self, name="eth0"):
        self.machine.run("ip", "link", "set", name, "up")
        self.machine.link_local(name)

    def pod(self):
        namespace = Namespace()
        self.namespaces.append(namespace)
        self.link("veth1", namespace, "eth0")
        self.up("veth1")
        return namespace

    def learn(self, lifetime=600):
        """The machine gets a default route and an address from the router."""
        self.router.advertise("lan", lifetime)
        return until(lambda: self.machine.default_routes() and self.machine.ip("-6", "address", "show", "scope", "global"))

    def takes(self, sender, interface, own_interface, lifetime, prefix=PREFIX):
        """Whether the machine takes a router advertisement of this lifetime that arrives at its own interface."""
        before = self.received(own_interface)
        sender.advertise(interface, lifetime, prefix)
        if not until(lambda: self.received(own_interface) > before):
            raise TimeoutError(f"no advertisement arrives at {own_interface}")
        return (self.machine.default_routes().get(own_interface) or 0) > lifetime - 120

    def received(self, interface):
        counters = self.machine.run("cat", f"/proc/net/dev_snmp6/{interface}").stdout.split()
        return int(counters[counters.index("Icmp6InRouterAdvertisements") + 1])

    def close(self):
        for namespace in self.namespaces:
            namespace.close()


class Node(sandbox.Machine):
    """A machine whose scripts run on a network, with the real sysctl and the real resolver."""

    def __init__(self, folder, fleet, profile, variant):
        super().__init__(folder, fleet, profile, variant, nodelib.SERVER)
        self.network = None
        for name in ("sysctl", "getent"):
            self.path(f"/stubs/{name}").unlink(missing_ok=True)
        self.write("/etc/machine-name", "worker-1\n")

    def run(self, *command, **environment):
        return super().run(*self.network.machine.enter, *command, **environment)

    def load_sysctl(self):
        """What systemd-sysctl does at boot, for the settings that a network namespace has of its own."""
        lines = self.path("/etc/sysctl.d/k8s.conf").read_text().splitlines()
        self.write("/ipv6.conf", "".join(f"{line}\n" for line in lines if line.strip().startswith("net.ipv6.")))
        self.network.machine.run("sysctl", "--quiet", f"--load={self.path('/ipv6.conf')}")

    def set_up(self):
        """Runs setup_net_env.sh; the result, and the addresses that the kubelet is started with."""
        file = self.path("/etc/kubernetes/nodeip.conf")
        file.unlink(missing_ok=True)
        result = self.run(self.path("/opt/bin/setup_net_env.sh"))
        lines = file.read_text().splitlines() if file.exists() else []
        return result, [line.removeprefix("KUBELET_NODE_IP=") for line in lines if line.startswith("KUBELET_NODE_IP=")]


def test_kernel(t, scratch):
    """What the kernel does with router advertisements: the reasons of the scripts, and proof that the checks can fail."""
    network = Network(scratch)
    machine = network.machine
    network.up()
    t.check("kernel: a machine learns its default route", network.learn() and list(machine.default_routes()) == ["eth0"])
    machine.set("net.ipv6.conf.all.forwarding=1")
    t.equal("kernel: loses it when it forwards", machine.default_routes(), {})
    t.check("kernel: takes no advertisement then", not network.takes(network.router, "lan", "eth0", 1800))
    machine.set("net.ipv6.conf.all.forwarding=0")
    t.check("kernel: takes one when it forwards no more", network.learn())
    machine.set("net.ipv6.conf.all.accept_ra=2", "net.ipv6.conf.all.forwarding=1")
    t.equal("kernel: accept_ra of all interfaces is of no use", machine.default_routes(), {})
    machine.set("net.ipv6.conf.all.forwarding=0")
    network.learn()
    machine.set("net.ipv6.conf.eth0.accept_ra=2", "net.ipv6.conf.all.forwarding=1")
    t.equal("kernel: accept_ra of the interface is", list(machine.default_routes()), ["eth0"])
    machine.set("net.ipv6.conf.all.forwarding=0", "net.ipv6.conf.eth0.accept_ra=0")
    machine.run("ip", "-6", "route", "flush", "default")
    machine.run("ip", "-6", "route", "add", "default", "via", "fe80::1", "dev", "eth0", "proto", "ra", "expires", "600")
    machine.set("net.ipv6.conf.all.forwarding=1")
    t.equal("kernel: leaves alone what systemd-networkd and NetworkManager make of advertisements",
            list(machine.default_routes()), ["eth0"])
    machine.set("net.ipv6.conf.default.accept_ra=2")
    t.check("kernel: accept_ra as a default makes a pod the machine's router",
            network.takes(network.pod(), "eth0", "veth1", 1800, POD_PREFIX))
    network.close()


def test_forwarding(t, node, scratch, name, boot=False):
    """A machine that forwards keeps the default route that it has from router advertisements. `boot`: the settings of
    /etc/sysctl.d are loaded before the interface comes up, otherwise when it has its route."""
    node.network = network = Network(scratch)
    machine = network.machine
    network.card("eth0")
    network.link("eth0.7", network.router, "vlan")
    network.card("eth0.7")
    network.link("managed", network.router, "managed")
    network.card("managed")
    machine.set("net.ipv6.conf.managed.accept_ra=0")
    if boot:
        node.load_sysctl()
    network.up()
    machine.run("ip", "address", "add", "10.9.0.2/24", "dev", "eth0")
    machine.run("ip", "route", "add", "default", "via", "10.9.0.1")
    network.learn()
    if not boot:
        node.load_sysctl()
    t.equal(f"{name}: has its default route after /etc/sysctl.d", list(machine.default_routes()), ["eth0"])

    result, _ = node.set_up()
    t.equal(f"{name}: is set up", result.returncode, 0) or print(result.stderr)
    t.equal(f"{name}: forwards IPv6", machine.get("net.ipv6.conf.all.forwarding"), "1")
    t.equal(f"{name}: keeps its default route", list(machine.default_routes()), ["eth0"])
    t.check(f"{name}: takes the next advertisement", network.takes(network.router, "lan", "eth0", 1800))
    accept = {interface: machine.get(f"net/ipv6/conf/{interface}/accept_ra")
              for interface in ("eth0", "eth0.7", "managed", "lo")}
    t.equal(f"{name}: which interfaces take advertisements", accept, {"eth0": "2", "eth0.7": "2", "managed": "0", "lo": "1"})

    pod = network.pod()
    t.check(f"{name}: does not take a pod for a router", not network.takes(pod, "eth0", "veth1", 1800, POD_PREFIX))
    result, _ = node.set_up()
    t.equal(f"{name}: the kubelet's next start", result.returncode, 0) or print(result.stderr)
    t.check(f"{name}: does not take a pod for a router then", not network.takes(pod, "eth0", "veth1", 1800, POD_PREFIX))
    t.check(f"{name}: takes the router's advertisements still", network.takes(network.router, "lan", "eth0", 3600))

    # The network scripts of Amazon Linux 2 do this at each boot, after /etc/sysctl.d has been read.
    for interface in ("all", "eth0", "veth1"):
        machine.set(f"net.ipv6.conf.{interface}.forwarding=0", f"net.ipv6.conf.{interface}.accept_ra=1")
    node.set_up()
    t.equal(f"{name}: forwards again, with its route, after a reset",
            (machine.get("net.ipv6.conf.all.forwarding"), list(machine.default_routes())), ("1", ["eth0"]))
    network.close()


def test_no_forwarding(t, node, scratch):
    """An IPv4 cluster leaves IPv6 alone."""
    node.network = network = Network(scratch)
    network.card("eth0")
    network.up()
    network.learn()
    node.load_sysctl()
    network.machine.run("ip", "address", "add", "10.9.0.2/24", "dev", "eth0")
    network.machine.run("ip", "route", "add", "default", "via", "10.9.0.1")
    result, addresses = node.set_up()
    t.equal("IPv4 only: is set up", (result.returncode, addresses), (0, ["10.9.0.2"]))
    t.equal("IPv4 only: IPv6 is as it was", [network.machine.get(f"net.ipv6.conf.{name}")
                                             for name in ("all.forwarding", "eth0.accept_ra")], ["0", "1"])
    network.close()


NAME = "api.example.test"
FOUR, SIX = ["10.9.0.2/24"], ["2001:db8:9::2/64"]
BOTH, NAMED_BOTH = FOUR + SIX, f"10.9.0.1 {NAME}\n2001:db8:9::1 {NAME}\n"
OUT = ["default via 10.9.0.1"]
# name, variant, server, /etc/hosts, addresses of eth0, routes, what the kubelet gets
ADDRESSES = (
    ("by name", "plain", f"https://{NAME}:6443", NAMED_BOTH, FOUR, [], "10.9.0.2"),
    ("by name, without port", "plain", f"https://{NAME}", NAMED_BOTH, FOUR, [], "10.9.0.2"),
    ("by address", "plain", "https://10.9.0.1:6443", "", FOUR, [], "10.9.0.2"),
    ("by address, without port", "plain", "https://10.9.0.1", "", FOUR, [], "10.9.0.2"),
    ("IPv6 by name", "external", f"https://{NAME}:6443", NAMED_BOTH, BOTH, [], "2001:db8:9::2"),
    ("IPv6 by address", "external", "https://[2001:db8:9::1]:6443", "", BOTH, [], "2001:db8:9::2"),
    ("IPv6 by address, without port", "external", "https://[2001:db8:9::1]", "", BOTH, [], "2001:db8:9::2"),
    ("both by name", "dual", f"https://{NAME}:6443", NAMED_BOTH, BOTH, [], "10.9.0.2,2001:db8:9::2"),
    ("both by name, IPv6 first", "full", f"https://{NAME}:6443", NAMED_BOTH, BOTH, [], "2001:db8:9::2,10.9.0.2"),
    # The server has one family; the other leads elsewhere.
    ("both, a server without IPv6", "dual", f"https://{NAME}:6443", f"10.9.0.1 {NAME}\n", BOTH,
     ["-6 default via 2001:db8:9::1"], "10.9.0.2,2001:db8:9::2"),
    ("both, a server without IPv4", "dual", "https://[2001:db8:9::1]:6443", "", BOTH, OUT, "10.9.0.2,2001:db8:9::2"),
    ("a name that nobody knows", "plain", f"https://{NAME}:6443", "", FOUR, OUT, "10.9.0.2"),
    ("a server that no route leads to", "plain", "https://10.7.0.1:6443", "", FOUR,
     ["unreachable 10.7.0.0/24", *OUT], "10.9.0.2"),
    # Several addresses: that towards the server is the right one.
    ("a second address", "plain", "https://10.8.0.1:6443", "", ["10.9.0.2/24", "10.8.0.2/24"], OUT, "10.8.0.2"),
    ("a name with several addresses", "plain", f"https://{NAME}:6443", f"10.7.0.1 {NAME}\n10.9.0.1 {NAME}\n", FOUR, [],
     "10.9.0.2"),
    # None.
    ("no address", "plain", "https://10.9.0.1:6443", "", [], [], None),
    ("no route", "plain", "https://10.7.0.1:6443", "", FOUR, [], None),
    ("both, none of IPv6", "dual", f"https://{NAME}:6443", f"10.9.0.1 {NAME}\n", FOUR, [], None),
    ("IPv6, nothing but the link-local address yet", "external", "https://[2001:db8:7::1]:6443", "", [],
     ["-6 default via fe80::1 dev eth0"], None),
)


def test_addresses(t, nodes, scratch):
    """The kubelet's addresses are those towards the API server; a default route is not needed."""
    for name, variant, server, hosts, addresses, routes, want in ADDRESSES:
        node = nodes[variant]
        script = node.path("/opt/bin/setup_net_env.sh")
        text = script.read_text()
        if not t.check(f"addresses: {name}: the script knows the server", f"'{nodelib.SERVER}'" in text):
            continue
        node.network = network = Network(scratch)
        network.machine.replace("/etc/hosts", hosts, scratch)
        network.up()
        for address in addresses:
            network.machine.run("ip", "address", "add", address, "dev", "eth0", "nodad")
        for route in routes:
            words = route.split()
            family = [words.pop(0)] if words[0] == "-6" else []
            network.machine.run("ip", *family, "route", "add", *words)
        if not routes:
            outside = network.machine.run("ip", "route", "get", "192.0.2.1", check=False)
            t.check(f"addresses: {name}: nothing leads out of the machine", outside.returncode != 0, outside)
        script.write_text(text.replace(f"'{nodelib.SERVER}'", f"'{server}'"))
        result, have = node.set_up()
        script.write_text(text)
        if want:
            t.equal(f"addresses: {name}", (result.returncode, have), (0, [want])) or print(result.stderr)
        else:
            t.check(f"addresses: {name}: is an error that names the server, after a while", result.returncode != 0
                    and server in result.stderr and not have and node.calls().count("sleep 2") == 30, result)
        network.close()


def why_not():
    """What keeps the test from running here, or None."""
    missing = [name for name in ("ip", "mount", "nsenter", "sysctl", "unshare") if not shutil.which(name)]
    if missing:
        return f"not installed: {' '.join(missing)}"
    missing = [path for path in NETWORK_FILES if not os.path.exists(path)]
    if missing:
        return f"not here to mount on: {' '.join(missing)}"
    probe = "mount -t tmpfs tmpfs /mnt && ip link add probe type veth && sysctl net.ipv6.conf.probe.accept_ra"
    result = nodelib.run([*NAMESPACES, "sh", "-c", probe], check=False)
    return f"no namespaces with IPv6 here: {result.stderr.strip()}" if result.returncode else None


def run_tests(t, scratch, fleet):
    def node(profile, variant, suffix=""):
        return Node(scratch / f"{profile.key}-{variant}{suffix}", fleet, profile, variant)

    test_kernel(t, scratch / "kernel")
    for profile in nodelib.PROFILES:
        test_forwarding(t, node(profile, "dual"), scratch / profile.key, f"{profile.key}: set-up")
    # The script is the same text in every profile.
    nodes = {variant: node(nodelib.PROFILES[0], variant, "-shared") for variant in ("plain", "dual", "external", "full")}
    folder = scratch / "shared"
    test_forwarding(t, nodes["dual"], folder, "boot", boot=True)
    test_forwarding(t, nodes["external"], folder, "boot, IPv6 only", boot=True)
    test_forwarding(t, nodes["full"], folder, "boot, IPv6 first", boot=True)
    test_no_forwarding(t, nodes["plain"], folder)
    test_addresses(t, nodes, folder)


def main():
    reason = why_not()
    if reason:
        print(f"skip  network: {reason}")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    if os.geteuid() != 0:
        # Root of a user namespace can do the rest.
        os.execvp("unshare", [*NAMESPACES, sys.executable, "-B", __file__, *sys.argv[1:]])
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    try:
        run_tests(t, scratch, fleet)
    except subprocess.CalledProcessError as error:
        t.check(f"a network of namespaces works: {error}", False, error.stderr)
    except TimeoutError as error:
        t.check("a network of namespaces works", False, error)
    t.finish()


if __name__ == "__main__":
    main()
