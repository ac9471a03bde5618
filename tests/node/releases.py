"""releases.py FOLDER...: runs stage 1 with releases of cloud-init, each an unpacked source tree. By hand, as the sources are
not part of this repository; scripts.py does the same with the cloud-init that is installed. Prints what each makes of `single`.

Every release gets a machine of namespaces: it is started first as at boot, with a seed, then the rendered script applies a
config. CLOUD_INIT_PYTHON names another Python with cloud-init's modules, which releases before 22.1 need: they end with 3.9.
Needs root."""

import os
import pathlib
import sys
import tempfile

import nodelib
import sandbox

CLOUD_CFG = """datasource_list: [NoCloud, None]
users: []
network: {config: disabled}
cloud_init_modules: [bootcmd, write-files]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user]
system_info: {distro: debian, paths: {cloud_dir: /var/lib/cloud/, templates_dir: /etc/cloud/templates/}}
"""
USER_DATA = "#cloud-config\nruncmd:\n- touch @ROOT@/made-by-the-user-data\n"
CONFIG = """#cloud-config
bootcmd:
- touch @ROOT@/made-by-bootcmd
write_files:
- path: '@ROOT@/made-by-write_files'
  permissions: '0640'
  content: |-
    from the config
runcmd:
- touch @ROOT@/made-by-runcmd
"""
# Nothing of it concerns the modules that run; none of it may end stage 1 with an error.
DEPRECATED = "apt_update: true\nchpasswd: {list: 'a:b'}\nmanage_etc_hosts: template\nof_no_meaning: 1\n"
INSIDE = """set -eu
for folder in /var/lib /var/log /run; do mount -t tmpfs tmpfs "$folder"; done
mount --bind '@ROOT@/cloud' /etc/cloud
mkdir -p /var/lib/cloud/seed/nocloud
cp '@ROOT@/meta-data' '@ROOT@/user-data' /var/lib/cloud/seed/nocloud
cloud-init init --local
cloud-init init
rm -f '@ROOT@'/made-by-*
cloud-init single --help | sed -n 's/^ *\\(--file\\) FILES, .*/\\1/p' >'@ROOT@/offered'
exec '@ROOT@/functions'
"""


class Release(sandbox.Machine):
    """A machine with this cloud-init, in which commands run with the functions of stage 1."""

    def __init__(self, folder, fleet, profile, tree):
        super().__init__(folder, fleet, profile, "plain", nodelib.SERVER)
        python = os.environ.get("CLOUD_INIT_PYTHON", "/usr/bin/python3")
        run = f"cd / && PYTHONPATH='{tree}' exec {python} -B -m cloudinit.cmd.main"
        self.write("/stubs/cloud-init", f'#!/bin/sh\n{run} "$@"\n', 0o755)
        (folder / "cloud/cloud.cfg.d").mkdir(parents=True)
        self.write("/cloud/cloud.cfg", CLOUD_CFG)
        self.write("/cloud/cloud.cfg.d/05_logging.cfg", (tree / "config/cloud.cfg.d/05_logging.cfg").read_text())
        self.write("/meta-data", "instance-id: i-1\n")
        self.write("/user-data", USER_DATA.replace("@ROOT@", str(folder)))

    def apply(self, config):
        """Has stage 1 apply this config; the result, and the files that were made."""
        text = self.path("/opt/bin/bootstrap").read_text().rstrip().removesuffix('main "$@"')
        self.write("/provisioning.cfg", config.replace("@ROOT@", str(self.root)))
        # The scripts' own path of the config is read-only, and not of this test.
        text = "\n".join(f"readonly config='{self.path('/provisioning.cfg')}'" if line.startswith("readonly config=") else line
                         for line in text.splitlines())
        self.write("/functions", f"{text}\napply_config\n", 0o755)
        self.write("/inside", INSIDE.replace("@ROOT@", str(self.root)))
        result = self.run("unshare", "--mount", "--net", "--uts", "--ipc", "bash", self.path("/inside"))
        return result, sorted(path.name.removeprefix("made-by-") for path in self.root.glob("made-by-*"))


def test_release(t, m, name):
    everything = ["bootcmd", "runcmd", "write_files"]
    result, made = m.apply(CONFIG)
    t.equal(f"{name}: applies a config", (result.returncode, made), (0, everything)) or print(result.stderr[-2000:])
    offered = m.path("/offered").read_text().strip() if m.path("/offered").exists() else "nothing"
    print(f"{name}: `single` offers {offered or 'no --file'}")
    result, made = m.apply(CONFIG + DEPRECATED)
    t.equal(f"{name}: applies one with deprecated keys", (result.returncode, made), (0, everything)) \
        or print(result.stderr[-2000:])
    for module, wrong in (("runcmd", "runcmd:\n- exit 3\n"), ("bootcmd", "bootcmd:\n- exit 3\n"),
                          ("write_files", "write_files:\n- path: /proc/none/file\n")):
        result, _ = m.apply(f"#cloud-config\n{wrong}")
        t.equal(f"{name}: {module} that fails is an error", result.returncode, 1)


def main():
    trees = [pathlib.Path(argument).resolve() for argument in sys.argv[1:]]
    if not trees or not all((tree / "cloudinit/cmd/main.py").exists() for tree in trees):
        sys.exit(__doc__)
    t = nodelib.Checks()
    with tempfile.TemporaryDirectory(prefix="node-test-") as holder:
        scratch = pathlib.Path(holder)
        fleet = nodelib.Fleet(scratch)
        for tree in trees:
            test_release(t, Release(scratch / tree.name, fleet, nodelib.PROFILES[0], tree), tree.name)
    t.finish()


if __name__ == "__main__":
    main()
