"""With `provisioning: split`, a machine gets the very files that it gets with `whole`, or says why it does not boot. Runs stage 1
of each profile against an API server that has the Secret and the ConfigMap."""

import base64
import json
import os
import shutil
import tempfile
import urllib.parse

import nodelib
import sandbox

SPLIT = ("--provisioning", "split")
CURL = shutil.which("curl", path="/usr/sbin:/usr/bin:/sbin:/bin")


def stored(secret):
    """A Secret as the API server has it, which puts the text of stringData into data."""
    for key, text in secret.pop("stringData", {}).items():
        secret.setdefault("data", {})[key] = base64.b64encode(text.encode()).decode()
    return secret


class Parts:
    """What the output has of the cases of a variant: Secrets, unsealed, and ConfigMaps, by case."""

    def __init__(self, fleet, variant):
        self.secrets, self.config_maps, self.scripts, self.clear = {}, {}, {}, ""
        with tempfile.TemporaryDirectory(dir=fleet.scratch) as out:
            nodelib.run([fleet.program, "generate", "-q", "--repo", str(fleet.repo), "--out", out, "--seal-seed-file",
                         str(fleet.seed), *fleet.flags(variant, *SPLIT)])
            folder = f"{out}/default/worker/cloud-init-settings"
            named = {}
            for name in os.listdir(folder):
                if name.startswith("configmap-"):
                    text = open(f"{folder}/{name}", encoding="utf-8").read()
                    self.clear += text
                    named[name] = nodelib.load_yaml(text)
            self.named = named
            for case, _, _, name in nodelib.cases():
                if name != variant:
                    continue
                role = nodelib.load_yaml(open(f"{folder}/role-{case}-kube-system-bootstrap-reader.yaml", encoding="utf-8"))
                rules = [rule for rule in role["rules"] if rule["resources"] == ["configmaps"]]
                (self.config_maps[case],) = [named[f"configmap-{name}.yaml"] for rule in rules for name in rule["resourceNames"]]
                for kind, into in (("provisioning", self.secrets), ("bootstrap", self.scripts)):
                    text = nodelib.run([fleet.program, "unseal", f"{folder}/secret-{case}-kube-system-{kind}-config.yaml"],
                                       env={**os.environ, "SOPS_AGE_KEY_FILE": str(nodelib.IDENTITY)}).stdout
                    into[case] = stored(nodelib.load_yaml(text))

    def answers(self, case):
        return [(200, self.secrets[case]), (200, self.config_maps[case])]


def contents(user_data):
    """What a reader makes of user-data: the files by path, and the rest."""
    if not user_data.startswith("{"):
        rest = nodelib.load_yaml(user_data)
        written = rest.pop("write_files")
        return nodelib.files(user_data), len(written), rest
    rest, files = json.loads(user_data), {}
    written = rest["storage"].pop("files")
    for entry in written:
        head, _, data = entry["contents"].pop("source").partition(",")
        files[entry["path"]] = (base64.b64decode(data, validate=True) if head.endswith(";base64")
                                else urllib.parse.unquote_to_bytes(data)), entry
    return files, len(written), rest


def stage_1(machine, case, parts, applied):
    """Puts the stage 1 of `provisioning: split` on the machine; returns its path."""
    text = base64.b64decode(parts.scripts[case]["data"]["cloud-config"]).decode()
    script = nodelib.files(text)["/opt/bin/bootstrap"]["data"]
    machine.write("/opt/bin/bootstrap", machine.moved(script), 0o700)
    machine.stub("cloud-init", f"""case $* in *--help) ;; *--file*) cat {machine.root}/run/osm-node/*.cfg >{applied} ;; esac\n""")
    machine.stub("coreos-cloudinit", f'cp "${{1#--from-file=}}" {applied}\n')
    machine.write("/stubs/curl", f"#!/bin/sh\nexec {CURL} --noproxy '*' \"$@\"\n", 0o755)
    return machine.path("/opt/bin/bootstrap"), script


def run_stage_1(machine, script, applied):
    for path in (applied, machine.path("/usr/share/oem/config.ign")):
        path.unlink(missing_ok=True)
    result = machine.run(script)
    stored = machine.path("/usr/share/oem/config.ign")
    if stored.exists():
        shutil.copy(stored, applied)
    return result, applied.read_text() if applied.exists() else None


def test_files(t, machine, case, parts, whole, api):
    applied = machine.root / "applied"
    script, text = stage_1(machine, case, parts, applied)
    api.answers = parts.answers(case)
    api.seen.clear()
    result, got = run_stage_1(machine, script, applied)
    t.equal(f"{case}: stage 1 succeeds", (result.returncode, result.stderr if result.returncode else ""), (0, ""))
    if got is None:
        t.check(f"{case}: gives the config to its reader", False, result.stderr)
        return
    have, want = contents(got), contents(whole)
    t.equal(f"{case}: as many files as with whole", have[1], want[1])
    for path in sorted({*have[0], *want[0]}):
        t.equal(f"{case}: {path}", have[0].get(path), want[0].get(path))
    t.equal(f"{case}: and the rest of it", have[2], want[2])
    name = parts.config_maps[case]["metadata"]["name"]
    t.equal(f"{case}: asks for the two objects, with the token", [(path.rsplit("/", 2)[1:], bool(token)) for path, token in api.seen],
            [(["secrets", f"{case}-kube-system-provisioning-config"], True), (["configmaps", name], True)])
    t.equal(f"{case}: leaves no config behind", [*machine.path("/run/osm-node").rglob("*.cfg")], [])
    t.check(f"{case}: the script has not grown by more than 2 KiB",
            len(text) < len(nodelib.files(machine.whole_bootstrap)["/opt/bin/bootstrap"]["data"]) + 2048, len(text))


def test_troubles(t, machine, case, parts, api):
    """What is wrong with the ConfigMap is told, nothing is applied, and a later attempt succeeds."""
    applied = machine.root / "applied"
    script, _ = stage_1(machine, case, parts, applied)
    secret, config_map = parts.answers(case)
    changed = json.loads(json.dumps(config_map[1]))
    changed["data"]["config"] += "\n"
    moved = json.loads(json.dumps(config_map[1]))
    moved["data"]["other"] = moved["data"].pop("config")
    name = config_map[1]["metadata"]["name"]
    not_the_one = f"bootstrap: error: the ConfigMap {name} is not the one that"
    for what, answer, said in (
            ("a changed ConfigMap", (200, changed), not_the_one), ("another key", (200, moved), not_the_one),
            ("no data", (200, {"data": None}), not_the_one), ("one file less", (200, {"data": {"config": ""}}), not_the_one),
            ("a missing ConfigMap", (404, {}), f"configmaps/{name}: the API server answers 404"),
            ("no right to read it", (403, {}), f"configmaps/{name}: the API server answers 403")):
        api.answers = [secret, answer]
        result, got = run_stage_1(machine, script, applied)
        t.check(f"{case}: {what} is an error", result.returncode == 1 and said in result.stderr, result.stderr)
        t.equal(f"{case}: {what} applies nothing", got, None)
        t.equal(f"{case}: {what} leaves no file", [str(path) for folder in ("/run/osm-node", "/var/tmp") for path in
                                                   machine.path(folder).glob("*")], [])
    api.answers = [secret, (404, {}), secret, (200, changed), secret, config_map]
    api.seen.clear()
    applied.unlink(missing_ok=True)
    result = machine.run(machine.path("/opt/bin/supervise.sh"), script)
    t.equal(f"{case}: tries again, both, until they fit", (result.returncode, len(api.seen)), (0, 6))
    machine.path("/usr/share/oem/config.ign").unlink(missing_ok=True)

    # The API server goes away between the two: curl meets a closed port.
    machine.write("/stubs/curl", f"""#!/bin/bash
count=$(cat {machine.root}/asked 2>/dev/null || echo 0)
echo $((count + 1)) >{machine.root}/asked
if ((count == 1)); then set -- "${{@/#https:\\/\\/127.0.0.1:[0-9]*\\//https://127.0.0.1:1/}}"; fi
exec {CURL} "$@"
""", 0o755)
    api.answers = [secret, secret, config_map]
    api.seen.clear()
    result, got = run_stage_1(machine, script, applied)
    t.check(f"{case}: an API server that stops in between is an error", result.returncode == 1 and
            f"configmaps/{name}: the host does not take the connection" in result.stderr, result.stderr)
    t.equal(f"{case}: and applies nothing", got, None)
    result, got = run_stage_1(machine, script, applied)
    t.check(f"{case}: when it is back the machine goes on", result.returncode == 0 and got is not None, result.stderr)


def test_letters(t, machine, case, parts, whole, api):
    """A line of the Secret may be long, and its letters of several bytes."""
    applied = machine.root / "applied"
    script, _ = stage_1(machine, case, parts, applied)
    secret = json.loads(json.dumps(parts.secrets[case]))
    text = base64.b64decode(secret["data"]["cloud-config"]).decode()
    for name in ("\u00fc" * 5000, "x" + "\u00fc" * 5000):
        key = nodelib.SSH_KEY.removesuffix(" me")
        secret["data"]["cloud-config"] = base64.b64encode(text.replace(f"{key} me", f"{key} {name}").encode()).decode()
        api.answers = [(200, secret), (200, parts.config_maps[case])]
        result, got = run_stage_1(machine, script, applied)
        t.equal(f"{case}: letters of several bytes are no error", (result.returncode, got is None), (0, False))
        t.check(f"{case}: they arrive", got and contents(got)[2] == contents(whole.replace(f"{key} me", f"{key} {name}"))[2], len(name))


def test_whole(t, machine, case, parts, whole, api):
    """A cluster goes back to whole: machines that were started before read its Secrets."""
    applied = machine.root / "applied"
    script, _ = stage_1(machine, case, parts, applied)
    api.answers = [(200, sandbox.secret(cloud_config=whole))]
    result, got = run_stage_1(machine, script, applied)
    t.equal(f"{case}: reads a whole Secret, too", (result.returncode, got), (0, whole))


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    api = sandbox.ApiServer(scratch, fleet.ca, fleet.ca_key)
    for variant in nodelib.VARIANTS:
        parts = Parts(fleet, variant)
        fleet.generate(variant)
        t.check(f"{variant}: no token in a ConfigMap", nodelib.TOKEN not in parts.clear, variant)
        t.check(f"{variant}: fewer ConfigMaps than MachineDeployments", len(parts.named) < len([*nodelib.cases()]), len(parts.named))
        for case, profile, provider, name in nodelib.cases():
            if name != variant or provider != profile.providers[0]:
                continue
            machine = sandbox.Machine(scratch / f"machine-{case}", fleet, profile, variant, api.url, provider)
            machine.whole_bootstrap = fleet.user_data(case, variant, "bootstrap")
            whole = fleet.user_data(case, variant, "provisioning")
            test_files(t, machine, case, parts, whole, api)
            if variant == "plain":
                test_troubles(t, machine, case, parts, api)
                test_letters(t, machine, case, parts, whole, api)
                test_whole(t, machine, case, parts, whole, api)
    t.finish()


if __name__ == "__main__":
    main()
