"""The profiles with extensions (extended.py): rendered for every provider and read by cloud-init's schema, shellcheck, bash,
systemd and the rules of Ignition; stage 2 on machines in folders, as often as it takes; and with mirrors, no one else asked."""

import pathlib
import re
import shutil

import extended
import mirrors
import nodelib
import profiles
import sandbox

OWN = "/opt/osm-node"
CONFIG, OLD_CONFIG = "/etc/containerd/config.toml", "/etc/containerd/config-1.x.toml"
ANCHORS = {"ubuntu": "/usr/local/share/ca-certificates", "flatcar": "/etc/ssl/certs"}
PLATFORM = "ssh-rsa AAAA platform"
# Takes no owners: there are no such users here.
INSTALL = """for word; do
  shift
  case $word in -o|-g) skip=1 ;; *) [ -n "$skip" ] || set -- "$@" "$word"; skip= ;; esac
done
exec /usr/bin/install "$@"
"""


def added_files(profile):
    """path -> permissions of what the extensions add to a machine; those of containerd are check_containerd's."""
    files = {"/etc/site/early": "0644", "/etc/site/late": "0600", f"{OWN}/units/{extended.FIRST}": "0600",
             "/etc/systemd/system/agent@site.service": "0644",
             "/etc/systemd/system/agent@site.service.d/10-limits.conf": "0644",
             "/etc/systemd/system/containerd.service.d/90-weight.conf": "0644",
             f"{OWN}/units/700-replacing": "0600",
             f"/etc/modules-load.d/osm-node-{extended.FIRST}.conf": "0644", f"{OWN}/before-kubelet/{extended.FIRST}.sh": "0700"}
    for name in (extended.FIRST, extended.SECOND):
        files.update({f"{OWN}/certificates/{name}": "0644", f"{OWN}/ssh-keys/{name}": "0600",
                      f"{OWN}/before-setup/{name}.sh": "0700", f"{OWN}/after-setup/{name}.sh": "0700",
                      f"/etc/sysctl.d/osm-node-{name}.conf": "0644",
                      f"/etc/kubernetes/kubelet.conf.d/{name}.conf": "0600"})
    if profile.os != "flatcar":
        files[f"{OWN}/packages/500-packages"] = "0600"
    return files


def check_added(t, case, profile, variant, entries, plain):
    """The added files are there, and of the others only those that extensions have their places in are different."""
    have = {path: entry["permissions"] for path, entry in entries.items() if path not in plain}
    want = added_files(profile)
    if not profile.version_2:
        want[f"/etc/containerd/conf.d/{extended.FIRST}.toml"] = "0600"
    t.equal(f"{case}: what is added", have, want)
    t.equal(f"{case}: nothing is gone", [path for path in plain if path not in entries], [])
    changed = {path for path in plain if entries[path]["data"] != plain[path]["data"] or
               entries[path]["permissions"] != plain[path]["permissions"]}
    places = {"/opt/bin/setup", "/etc/systemd/system/kubelet.service", CONFIG, extended.REPLACED,
              f"/etc/systemd/system/{extended.REPLACED_UNIT}"}
    if not profile.version_2:
        places.add(OLD_CONFIG)
    t.equal(f"{case}: what is changed", changed, places)
    for path, entry in entries.items():
        leftover = profiles.LEFTOVERS.search(entry["data"])
        t.check(f"{case}: {path} is completely rendered", not leftover, leftover)
    t.equal(f"{case}: what is replaced", (entries[extended.REPLACED]["data"], entries[extended.REPLACED]["permissions"]),
            ("timeout: 7\n", "0600"))
    late, service = entries["/etc/site/late"]["data"], "/etc/systemd/system/kubelet.service"
    t.check(f"{case}: templates are executed", late.startswith(f"v{variant['version']} on "), late)
    t.equal(f"{case}: kubelet.service differs by an option alone", entries[service]["data"].replace(
        "  --config-dir=/etc/kubernetes/kubelet.conf.d \\\n", ""), plain[service]["data"])


def check_modules(t, case, profile, kind, text, plain):
    """They are in the document that cloud-init reads, behind the profile's own."""
    have, before = nodelib.load_yaml(text), nodelib.load_yaml(plain)
    yum = profile.os != "ubuntu" and kind == "bootstrap"
    wanted = extended.modules(yum=yum)[f"{kind}Config"]["modules"]
    for key in ("bootcmd", "runcmd"):
        t.equal(f"{case}: {kind}: {key}", have[key], before.get(key, []) + wanted[key])
    t.equal(f"{case}: {kind}: yum_repos", have.get("yum_repos"), {
        name: {key: {"true": True, "false": False}.get(value, value) for key, value in repository.items()}
        for name, repository in wanted["yum_repos"].items()} if yum else None)


def check_rendered(t, scratch, fleet, bare):
    """What the real consumers say: every provider, and with every variant the first of each profile."""
    texts, scripts = {}, {}
    for one in (fleet, bare):
        for name in nodelib.VARIANTS:
            if name != "in-tree":
                one.generate(name)
    for case, profile, provider, name in nodelib.cases():
        if name == "in-tree" or name != "plain" and provider != profile.providers[0]:
            continue
        entries, plain = {}, {}
        for kind in ("bootstrap", "provisioning"):
            text, without = fleet.user_data(case, name, kind), bare.user_data(case, name, kind)
            if profile.utility == "ignition":
                profiles.check_ignition(t, f"{case}: {kind}", nodelib.on_machine(text))
            else:
                texts[case, kind] = text
            if profile.os != "flatcar":
                check_modules(t, case, profile, kind, text, without)
            entries.update(nodelib.files(nodelib.on_machine(text)))
            plain.update(nodelib.files(nodelib.on_machine(without)))
        check_added(t, case, profile, nodelib.VARIANTS[name], entries, plain)
        for path, entry in entries.items():
            # profiles.py checks those that are in the profile: of those that extensions add to, one with each addition is enough.
            before = plain.get(path, {}).get("data", "").splitlines()
            added = [line for line in entry["data"].splitlines() if line not in before]
            if entry["data"].startswith("#!") and added:
                scripts.setdefault(profiles.script_digest(case, "\n".join([path, *added])), (f"{case}: {path}", entry["data"]))
        profiles.check_units(t, case, entries, scratch)
    t.equal("scripts of extensions were found", len([name for name, _ in scripts.values() if OWN in name]), 5)
    profiles.check_schema(t, texts, scratch)
    profiles.check_scripts(t, scripts, scratch)


class Machine(sandbox.Machine):
    """With users, and a home for each."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.user = extended.USERS[self.profile.os]
        self.write("/stubs/getent", sandbox.STUB + f"""case $2 in
root) echo root:x:0:0:root:{self.root}/root:/bin/bash ;;
{self.user}) echo {self.user}:x:1000:1000::{self.root}/home/{self.user}:/bin/bash ;;
*) exit 2 ;;
esac
""", 0o755)
        self.write("/stubs/install", sandbox.STUB + INSTALL, 0o755)
        for name in ("chown", "site", "team"):
            self.stub(name)
        self.stub("id", "echo 1000\n")
        if self.profile.os == "flatcar":
            self.stub("update-ssh-keys", f'cat >{self.root}/keys-of-"$2"\n')
        self.anchors = self.path(ANCHORS.get(self.profile.os, "/etc/pki/ca-trust/source/anchors"))
        for folder in (self.path("/root"), self.path(f"/home/{self.user}/.ssh"), self.anchors, self.path("/usr/local/bin")):
            folder.mkdir(parents=True, exist_ok=True)
        self.ready()

    def ready(self):
        """All that stage 2 asks for is at hand."""
        package = self.profile.containerd.removesuffix("*") + ".1-1"
        origin = "".join(f"{name}=none\n" for name in list(self.profile.settings)[:1] if "URL" in name)
        if self.profile.os != "flatcar":
            origin += f"CONTAINERD_PACKAGE={package}\n"
        self.write("/etc/default/osm-node", origin + sandbox.mirror_binaries(self))
        self.write("/etc/fstab", "")
        self.write("/etc/machine-name", "worker-1\n")

    def keys(self, user):
        file = self.path(f"/home/{user}/.ssh/authorized_keys" if user != "root" else "/root/.ssh/authorized_keys")
        return file.read_text() if file.exists() else None

    def registered(self):
        """What Flatcar's program was given, which writes authorized_keys itself."""
        return tuple(self.path(f"/keys-of-{user}").read_text() for user in (self.user, "root"))

    def setup(self):
        return self.run(self.path("/opt/bin/setup"))


def expected_calls(m):
    """What the machine is asked for, in order: what extensions do, and what of the profile they stand between."""
    profile, packaged = m.profile, m.profile.os != "flatcar"
    # With more to do for a package of several versions.
    install = profile.install.replace(" --allow-downgrades --allow-change-held-packages", "").replace(" --allowerasing", "")
    homes = [f"install -d -m 0700 -o {user} -g 1000 {m.root}{home}/.ssh" for user, home in (
        (m.user, f"/home/{m.user}"), ("root", "/root"))]
    keys = [*homes, homes[0]] if packaged else [f"update-ssh-keys -u {user} -a osm-node" for user in (m.user, "root")]
    calls = [profile.ca_command, *keys, "site before setup", "team before setup",
             "modprobe --all overlay br_netfilter nf_conntrack"]
    if packaged:
        calls.append(f"{install} htop tree")
    calls += ["modprobe nf_conntrack", "modprobe dummy"]
    calls += [f"sysctl --quiet --load={m.root}/etc/sysctl.d/osm-node-{name}.conf" for name in (extended.FIRST, extended.SECOND)]
    calls += ["systemctl restart containerd.service"]
    calls += [f"systemctl {words}" for words in (
        "enable agent@site.service", "restart --no-block agent@site.service", "mask --now cups.service",
        "disable --now avahi-daemon.service", "try-restart --no-block containerd.service")]
    units = "kubelet.service kubelet-healthcheck.service containerd-healthcheck.service"
    return calls + ["site before kubelet", "site loop 1", "site loop 2", f"systemctl restart --no-block {units}",
                    "site after setup", "team after setup", "systemctl disable setup.service"]


def test_setup(t, m, api):
    """Twice: what is in place stays as it is."""
    name = f"setup: {m.profile.key}"
    api.answers = [(200, sandbox.secret(kubeconfig="apiVersion: v1\nkind: Config\n"))]
    # The platform's own key, in a file whose last line has no end.
    m.write(f"/home/{m.user}/.ssh/authorized_keys", PLATFORM)
    own = f"{PLATFORM}\n{extended.KEYS['own']}\n{extended.KEYS['team']}\n"
    first = None
    for round_ in ("first", "second"):
        result = m.setup()
        t.check(f"{name}: {round_} run succeeds", result.returncode == 0, result.stderr)
        wanted = expected_calls(m)
        if round_ == "second":
            wanted = [call for call in wanted if not call.startswith("install -d -m 0700")]
        t.equal(f"{name}: {round_} run does it all, in order",
                [c.rstrip() for c in m.calls() if c.rstrip() in expected_calls(m)], wanted)
        root = extended.KEYS["root"] + "\n"
        if m.profile.os == "flatcar":
            t.equal(f"{name}: {round_} run: keys, each once, by the system's own program",
                    (m.registered(), m.keys(m.user), m.keys("root")), ((own.partition("\n")[2], root), PLATFORM, None))
        else:
            t.equal(f"{name}: {round_} run: keys, each once, behind the platform's", (m.keys(m.user), m.keys("root")), (own, root))
        trusted = {path.name: path.read_text() for path in m.anchors.iterdir()}
        certificates = [text for text in trusted.values()]
        t.equal(f"{name}: {round_} run: certificates, each once", sorted("".join(certificates).strip().split("\n")),
                sorted("".join(extended.authority(a) for a in ("proxy-1", "proxy-2", "team")).strip().split("\n")))
        if "update-ca-certificates" in m.profile.ca_command:
            t.check(f"{name}: {round_} run: one certificate a file", len(trusted) == 3 and all(
                text.count("BEGIN CERTIFICATE") == 1 for text in certificates), trusted)
        first = first or trusted
    t.equal(f"{name}: the same files of certificates again", trusted, first)
    if m.profile.os != "flatcar":
        mode = oct(m.path(f"/home/{m.user}/.ssh/authorized_keys").stat().st_mode & 0o777)
        t.equal(f"{name}: keys are for their user", mode, "0o600")


def test_failures(t, m):
    """A script that fails ends the attempt before what comes after it, which the next attempt does."""
    name = f"failure: {m.profile.key}"
    for moment, missing in (("before setup", "modprobe nf_conntrack"), ("after setup", "systemctl disable setup.service"),
                            ("before kubelet", "systemctl restart --no-block kubelet.service")):
        m.stub("site", f'case "$*" in "{moment}") exit 3 ;; esac\n')
        result = m.setup()
        script = f"{m.root}{OWN}/{moment.replace(' ', '-')}/{extended.FIRST}.sh"
        t.check(f"{name}: {moment}", result.returncode == 1 and f"error: {script} ended with status 3" in result.stderr, result)
        t.check(f"{name}: {moment}: nothing of what comes then", f"team {moment}" not in m.calls() and not [
            call for call in m.calls() if call.startswith(missing)], m.calls())
    m.stub("site", 'case "$*" in "loop 1") exit 4 ;; esac\n')
    result = m.setup()
    t.check(f"{name}: in the middle of a script", result.returncode == 1 and "site loop 2" not in m.calls(), result)
    m.stub("site")
    t.equal(f"{name}: the next attempt succeeds", m.setup().returncode, 0)
    m.stub("modprobe", '[ "$*" != dummy ]\n')
    result = m.setup()
    t.check(f"{name}: a kernel module that there is not", result.returncode == 1 and
            "error: the kernel has no module dummy" in result.stderr, result)
    m.stub("modprobe")
    keys = m.path(f"{OWN}/ssh-keys/{extended.SECOND}")
    text = keys.read_text()
    keys.write_text(re.sub(r"(?m)^\S+", "nobody-here", text))
    result = m.setup()
    t.check(f"{name}: a user that there is not", result.returncode == 78 and
            "there is no user nobody-here" in result.stderr, result)
    keys.write_text(text)
    away = ('case "$*" in "disable --now avahi-daemon.service") exit 1 ;; *is-{}*avahi*) exit 3 ;;\n'
            '*try-restart*containerd*) exit 5 ;; esac\n')
    m.stub("systemctl", away.format("*"))
    result = m.setup()
    t.check(f"{name}: a unit that there is not need not be turned off or restarted", result.returncode == 0, result)
    for state in ("active", "enabled"):
        m.stub("systemctl", away.format("active" if state == "enabled" else "enabled"))
        result = m.setup()
        t.check(f"{name}: one that stays {state} is an error", result.returncode == 1 and
                "error: avahi-daemon.service cannot be turned off" in result.stderr, result)
    m.stub("systemctl", 'case "$*" in "enable agent@site.service") exit 1 ;; esac\n')
    result = m.setup()
    t.check(f"{name}: a unit that cannot be enabled", result.returncode == 1 and
            "agent@site.service cannot be enabled" in result.stderr, result)
    m.stub("systemctl")


def check_mirrors(t, scratch, fleet):
    """With mirrors, and an extension, no one but the mirror is asked."""
    if not shutil.which("gpg"):
        t.skip("mirrors", "gpg is not installed")
        return
    shown = mirrors.examples(pathlib.Path(mirrors.DOCUMENT).read_text())
    cluster = mirrors.flags_of(shown["osm-gen.yaml"]["spec"]["settings"])

    def change(profile, manifest):
        for example in (shown["every profile"], shown.get(profile.name, {"spec": {}})):
            for stage, config in example["spec"].items():
                manifest["spec"][stage].setdefault("files", []).extend(config["files"])

    (scratch / "mirrored").mkdir()
    for path in (fleet.ca, fleet.ca_key):
        shutil.copy(path, scratch / "mirrored")
    mirrored = nodelib.Fleet(scratch / "mirrored", change=change, more=extended.documents())
    mirror = mirrors.Mirror(scratch / "mirror")
    for profile in nodelib.PROFILES:
        m = Machine(scratch / f"{profile.key}-mirrored", mirrored, profile, "plain", "https://127.0.0.1:6443", flags=cluster)
        m.path("/etc/default/osm-node").unlink()
        for path, entry in nodelib.files(nodelib.on_machine(mirrored.user_data(
                f"{profile.key}-{profile.providers[0]}-plain", "plain", "provisioning", *cluster))).items():
            if path == "/etc/default/osm-node":
                m.write(path, entry["data"])
        asked, named = mirrors.set_up(t, f"{profile.key}: with mirrors and extensions", m, mirror)
        t.equal(f"{profile.key}: with mirrors and extensions: asks no one else", asked, {mirrors.MIRROR})
        t.equal(f"{profile.key}: with mirrors and extensions: names no one else", named, {mirrors.MIRROR})
        t.check(f"{profile.key}: with mirrors and extensions: all is done", "team after setup" in m.calls(), m.calls())


def main():
    _, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    (scratch / "bare").mkdir()
    fleet = nodelib.Fleet(scratch, more=extended.documents())
    for path in (fleet.ca, fleet.ca_key):
        shutil.copy(path, scratch / "bare")
    bare = nodelib.Fleet(scratch / "bare")
    api = sandbox.ApiServer(scratch, fleet.ca, fleet.ca_key)
    for profile in nodelib.PROFILES:
        m = Machine(scratch / f"machine-{profile.key}", fleet, profile, "plain", api.url)
        test_setup(t, m, api)
        test_failures(t, m)
    check_mirrors(t, scratch, fleet)
    check_rendered(t, scratch, fleet, bare)
    t.finish()


if __name__ == "__main__":
    main()
