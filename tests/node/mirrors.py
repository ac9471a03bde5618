"""docs/profiles.md against the profiles: every host that a rendered profile names is in the table of hosts, every setting in
that of settings, and with the document's examples nothing but the mirror is asked. Stage 2 runs as it is; curl is a stub
that serves what is wanted and notes down from where."""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import tarfile

import nodelib
import sandbox

DOCUMENT = nodelib.ROOT / "docs" / "profiles.md"
NAMES = {"ubuntu": "Ubuntu", "rockylinux": "Rocky Linux", "rhel": "RHEL", "amzn2": "Amazon Linux 2",
         "amzn2023": "Amazon Linux 2023", "flatcar": "Flatcar", "flatcar-cloud-init": "Flatcar with cloud-init"}
MIRROR = "mirror.example.com"
# Of the cluster, the flags and the MachineDeployments of nodelib.
GIVEN = {"api.example.test", "proxy.example.test", "satellite.example.test", "127.0.0.1"}
ADDRESS = re.compile(r"[a-z]+://([A-Za-z0-9.-]+)")
DOWNLOADS = re.compile(r"^(\w+)=\$\{\1:-(.*)\}$", re.M)


def hosts(text):
    return set(ADDRESS.findall(text)) - GIVEN


def table(text, *header):
    """The rows of the table whose header begins so, as lists of cells."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if rows and not line.startswith("|"):
            break
        if rows or cells[:len(header)] == list(header):
            rows.append(cells)
    return rows[2:]


def concerns(cell, profile):
    """Is the profile among those that a cell `Which` names?"""
    if cell.startswith("all"):
        return NAMES[profile.key] not in cell.removeprefix("all but ").split(", ")
    return NAMES[profile.key] in cell.split(", ")


def quoted(cell):
    return re.findall(r"`([^`]*)`", cell)


def examples(text):
    """The document's examples: first comment -> YAML."""
    blocks = re.findall(r"```yaml\n# (.*)\n((?:.*\n)*?)```", text)
    return {name: nodelib.load_yaml(block) for name, block in blocks}


def check_hosts(t, fleet, document):
    rows = table(document, "Host", "Port", "Which")
    found = collections.defaultdict(set)
    for variant in nodelib.VARIANTS:
        fleet.generate(variant)
    for case, profile, _, variant in nodelib.cases():
        for kind in ("bootstrap", "provisioning"):
            for path, entry in nodelib.files(nodelib.on_machine(fleet.user_data(case, variant, kind))).items():
                for host in hosts(entry["data"]):
                    found[profile.key, host].add(path)
    for profile in nodelib.PROFILES:
        named = {host for key, host in found if key == profile.key}
        for host in named:
            known = [row for row in rows if host in quoted(row[0]) and concerns(row[2], profile)]
            t.check(f"{profile.key}: {host} is in the table of hosts", known, sorted(found[profile.key, host]))
        t.check(f"{profile.key}: hosts were found", {"dl.k8s.io", "github.com", "registry-1.docker.io"} <= named, named)
        for row in rows:
            for setting in quoted(row[4]):
                if setting.isupper() and row[2] == NAMES[profile.key]:
                    t.check(f"{profile.key}: {setting} is a setting of it", f"{setting}=" in profile.text(), row)


def check_settings(t, document):
    """Names and defaults of stage 2's settings."""
    rows = table(document, "Setting", "Which", "Default")
    for profile in nodelib.PROFILES:
        function = re.search(r"default_settings\(\) \{\n(.*?)\n *\}\n", profile.text(), re.S).group(1)
        defaults = dict(DOWNLOADS.findall(re.sub(r"(?m)^[ \t]+", "", function)))
        listed = {quoted(row[0])[0]: (quoted(row[2]) or [""])[0] for row in rows if concerns(row[1], profile)}
        t.equal(f"{profile.key}: settings and their defaults", listed, defaults)


def check_messages(t):
    """What the document on a node's console quotes is what the scripts say."""
    rows = table((nodelib.ROOT / "docs/howto/machines.md").read_text(), "message on the console or in the log")
    said = [profile.text() for profile in nodelib.PROFILES]
    t.check("messages: the document has some", len(rows) > 10, rows)
    for phrase in (phrase for row in rows for phrase in quoted(row[0])):
        # Numbers and names are filled in when it is said.
        parts = [part.strip() for part in re.sub(r" \d+$", "", phrase).split("...")]
        t.check(f"messages: {phrase}", any(all(part in text for part in parts) for text in said), parts)


def check_providers(t, document):
    rows = table(document, "Provider", "What its machines reach besides")
    t.equal("providers", [row[0] for row in rows], sorted({p for profile in nodelib.PROFILES for p in profile.providers}))
    t.check("providers: what they reach", all(len(row) == 2 and row[1] for row in rows), rows)
    header = next(line for line in document.splitlines() if line.startswith("| providers |"))
    cells = [tuple(cell.split()) for cell in header.strip("|").split("|")[1:]]
    t.equal("providers of each profile", sorted(cells), sorted(profile.providers for profile in nodelib.PROFILES))


class Mirror:
    """What stage 2 downloads, wherever it asks for it, and a key for the repository."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        tool = folder / "crictl"
        tool.write_text("tool")
        with tarfile.open(folder / "archive", "w:gz") as archive:
            archive.add(tool, arcname="crictl")
        (folder / "binary").write_text("binary")
        (folder / "secret").write_text(json.dumps(sandbox.secret(kubeconfig="apiVersion: v1\nkind: Config\n")))
        home = folder / "gnupg"
        home.mkdir(mode=0o700)
        gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet", "--passphrase", ""]
        nodelib.run(gpg + ["--quick-gen-key", "mirror@example.test", "ed25519", "sign"])
        listing = nodelib.run(gpg + ["--with-colons", "--list-keys"]).stdout
        self.fingerprint = re.search(r"(?m)^fpr:+([0-9A-F]+):", listing).group(1)
        (folder / "key").write_text(nodelib.run(gpg + ["--armor", "--export"]).stdout)
        subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)

    def serve(self, m):
        """Puts a curl on the machine that has all that, and gives the settings that are not addresses."""
        archive = sandbox.sha256((self.folder / "archive").read_bytes())
        m.write("/sums", f"{archive}  cni-plugins-linux-amd64-{m.profile.cni}.tgz\n"
                f"{archive}  crictl-v1.35.0-linux-amd64.tar.gz\n")
        m.stub("curl", f"""
for url; do :; done
echo "$url" >>{m.path("/asked")}
while [ "$1" != --output ] && [ $# -gt 1 ]; do shift; done
[ $# -gt 1 ] && exec >"$2"
case $url in
*/secrets/*) cat {self.folder}/secret; printf '\\n200' ;;
*.sha256) sha256sum <{self.folder}/binary | cut -d " " -f 1 ;;
*.tgz|*.tar.gz) cat {self.folder}/archive ;;
*/gpg) cat {self.folder}/key ;;
*/kubelet|*/kubectl) cat {self.folder}/binary ;;
*) exit 22 ;;
esac
""")
        m.path("/usr/local/bin").mkdir(parents=True, exist_ok=True)
        m.path("/etc/apt/sources.list.d").mkdir(parents=True, exist_ok=True)
        m.write("/etc/fstab", "")
        return {"CHECKSUMS_FILE": str(m.path("/sums")), "CONTAINERD_APT_KEY_FINGERPRINT": self.fingerprint,
                "CONTAINERD_YUM_KEY_FINGERPRINT": self.fingerprint}


def set_up(t, name, m, mirror):
    """Runs stage 2; the hosts it asks, and those that the files below /etc name to others."""
    settings = mirror.serve(m)
    result = m.run(m.path("/opt/bin/setup"), **settings)
    t.check(f"{name}: succeeds", result.returncode == 0, result.stderr)
    asked = m.path("/asked").read_text().splitlines()
    t.check(f"{name}: asks the API server", [url for url in asked if url.startswith(m.api_url)], asked)
    named = set()
    for path in m.path("/etc").rglob("*"):
        if path.is_file():
            # What is tried when a mirror fails.
            text = re.sub(r'(?m)^server = ".*"$', "", path.read_text(errors="replace"))
            named |= hosts(re.sub(r"(?m)^Documentation=.*$", "", text))
    return hosts("\n".join(asked)), named


def flags_of(settings):
    """The flags for a cluster's settings."""
    result = []
    for name, value in settings.items():
        flag = re.sub(r"[A-Z]", lambda letter: "-" + letter.group().lower(), name)
        result += [f"--{flag}={item}" for item in (value if isinstance(value, list) else [value])]
    return result


def check_mirrors(t, scratch, fleet, document):
    if not shutil.which("gpg"):
        t.skip("mirrors", "gpg is not installed")
        return
    shown, api = examples(document), "https://127.0.0.1:6443"
    cluster = flags_of(shown["osm-gen.yaml"]["spec"]["settings"])

    def change(profile, manifest):
        for example in (shown["every profile"], shown.get(profile.name, {"spec": {}})):
            for stage, config in example["spec"].items():
                manifest["spec"][stage].setdefault("files", []).extend(config["files"])

    packaged = {profile.name for profile in nodelib.PROFILES if profile.os != "flatcar"}
    t.equal("mirrors: an example of package sources for each", packaged | {"every profile", "osm-gen.yaml"}, set(shown))
    (scratch / "mirrored").mkdir()
    mirrored = nodelib.Fleet(scratch / "mirrored", change=change)
    mirror = Mirror(scratch / "mirror")
    rows = table(document, "Host", "Port", "Which")
    for profile in nodelib.PROFILES:
        m = sandbox.Machine(scratch / f"{profile.key}-plain", fleet, profile, "plain", api)
        asked, _ = set_up(t, f"{profile.key}: without mirrors", m, mirror)
        want = {host for row in rows if "stage 2: " in row[3] and concerns(row[2], profile) for host in quoted(row[0])[:1]}
        t.equal(f"{profile.key}: without mirrors: asks the hosts of the table", asked, want)

        m = sandbox.Machine(scratch / f"{profile.key}-mirrored", mirrored, profile, "plain", api, flags=cluster)
        asked, named = set_up(t, f"{profile.key}: with mirrors", m, mirror)
        t.equal(f"{profile.key}: with mirrors: asks no one else", asked, {MIRROR})
        t.equal(f"{profile.key}: with mirrors: names no one else", named, {MIRROR})
        for registry in ("docker.io", "registry.k8s.io", "quay.io"):
            path = m.path(f"/etc/containerd/certs.d/{registry}/hosts.toml")
            t.check(f"{profile.key}: with mirrors: images of {registry}", path.exists()
                    and f'[host."https://{MIRROR}/{registry}"]' in path.read_text(), path)
        config = m.path("/etc/containerd/config.toml").read_text()
        t.check(f"{profile.key}: with mirrors: the pause image", f'"{MIRROR}/registry.k8s.io/pause:3.10"' in config, config)
        if profile.os == "flatcar":
            t.check(f"{profile.key}: with mirrors: updates", f"SERVER=https://{MIRROR}/"
                    in m.path("/etc/flatcar/update.conf").read_text(), m.path("/etc/flatcar/update.conf"))
    if shutil.which("cloud-init"):
        path = scratch / "apt.yaml"
        path.write_text("#cloud-config\n" + shown["osp-ubuntu"]["spec"]["bootstrapConfig"]["files"][0]["content"]["inline"]["data"])
        result = nodelib.run(["cloud-init", "schema", "--config-file", str(path)], check=False)
        t.check("ubuntu: the apt sources pass cloud-init's schema", result.returncode == 0, result.stdout + result.stderr)


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    document = pathlib.Path(DOCUMENT).read_text()
    check_providers(t, document)
    check_messages(t)
    check_settings(t, document)
    check_hosts(t, fleet, document)
    if not arguments.rendered:
        check_mirrors(t, scratch, fleet, document)
    t.finish()


if __name__ == "__main__":
    main()
