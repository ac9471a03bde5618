"""Lets the real readers read what every profile renders, without an error or a warning: kubelets of the versions that the
machines run, containerd 1.6 to the newest, and containerd's reader of hosts.toml. Each is also seen to notice mistakes."""

import yaml

import containerds
import kubelets
import machine
import nodelib
import registries


def add_newest():
    """Variants for the kubelets that no variant of nodelib has."""
    have = {kubelets.minor_of(variant) for variant in nodelib.VARIANTS.values()}
    for minor, version in kubelets.VERSIONS.items():
        if minor not in have:
            for name in ("plain", "full"):
                nodelib.VARIANTS[f"{name}-{minor}"] = {**nodelib.VARIANTS[name], "version": version.removeprefix("v")}


def texts(user_data):
    return {path: file["data"] for path, file in nodelib.files(nodelib.on_machine(user_data)).items()}


def render(fleet):
    """(case, profile, variant, files) of every machine"""
    for case, profile, _, name in nodelib.cases():
        yield case, profile, nodelib.VARIANTS[name], texts(fleet.user_data(case, name, "provisioning"))


def render_registries(fleet, scratch):
    """(case, flags, files, registry -> hosts, credentials) of a machine a profile, with each set of flags for registries"""
    secrets = scratch / "secrets"
    secrets.mkdir()
    (secrets / "registries.yaml").write_text(yaml.safe_dump(registries.secret()))
    for profile in nodelib.PROFILES:
        for name, (flags, hosts) in registries.CASES.items():
            credentials = registries.CREDENTIALS if name == "credentials" else {}
            case = f"{profile.key}-{profile.providers[0]}-plain"
            yield (f"{case} with {name}", flags,
                   texts(fleet.user_data(case, "plain", "provisioning", "--secrets", str(secrets), *flags)), hosts, credentials)


def main():
    _, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    with holder:
        machine.need(t)
        own = machine.build_own()
        add_newest()
        fleet = nodelib.Fleet(scratch)
        configurations, folders = {}, {}

        def add(case, flags, files, hosts, credentials):
            for path, text in files.items():
                if path.startswith("/etc/containerd/") and path.count("/") == 3 and path.endswith(".toml"):
                    wanted = containerds.intended(flags, credentials)
                    names, _, before, _ = configurations.setdefault(text, ([], path, wanted, files))
                    names.append(case)
                    if wanted != before:
                        t.equal(f"{path} of {case}: one text, one meaning", wanted, before)
            key = tuple(sorted(registries.certificates(files).items()))
            folders.setdefault(key, ([], hosts))[0].append(case)

        machines = list(render(fleet))
        for case, _, variant, files in machines:
            add(case, variant["flags"], files, registries.PLAIN, {})
        for rendered in render_registries(fleet, scratch):
            add(*rendered)
        registries.check(t, scratch, own, folders)
        containerds.check_configuration(t, scratch, configurations)
        kubelets.check(t, scratch, own, machines)
    t.finish()


main()
