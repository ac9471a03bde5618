"""RHEL's subscription: what cloud-init's module really does with the profile's user-data, on a machine that is registered and
on one that is not. subscription-manager is a stub."""

import logging
import os
import shutil

import nodelib

STUB = """#!/bin/sh
echo "$*" >>"$CALLS"
case $1 in
identity) exit "$UNREGISTERED" ;;
register) echo "The system has been registered with ID: 1-2-3" ;;
esac
"""
# What the controller writes for a machine without a subscription, as YAML reads it.
EMPTY = {"auto-attach": False, "password": None, "username": None}


class Log(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def handle(config, folder, registered):
    """Runs the module; (calls of subscription-manager, warnings)."""
    from cloudinit.config import cc_rh_subscription

    calls = folder / "calls"
    calls.write_text("")
    os.environ.update(CALLS=str(calls), UNREGISTERED="0" if registered else "1")
    log, handler = logging.getLogger("subscription"), Log()
    log.propagate = False
    log.handlers = [handler]
    try:  # 23.2 and later have a logger of their own
        cc_rh_subscription.handle("rh_subscription", config, None, log, [])
    except TypeError:
        logging.getLogger("cloudinit.config.cc_rh_subscription").addHandler(handler)
        cc_rh_subscription.handle("rh_subscription", config, None, [])
    return calls.read_text().splitlines(), handler.lines


def schema(text, path):
    path.write_text(nodelib.on_machine(text))
    result = nodelib.run(["cloud-init", "schema", "--config-file", str(path)], check=False)
    return result.returncode == 0, result.stdout + result.stderr


def test_module(t, fleet, scratch):
    folder = scratch / "module"
    folder.mkdir()
    manager = folder / "subscription-manager"
    manager.write_text(STUB)
    manager.chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
    satellite = ["register", "--activationkey=activation-key-of-the-node-tests", "--org=1234567",
                 "--baseurl=https://satellite.example.test/pulp/repos", "--serverurl=satellite.example.test"]
    user = ["register", "--username=subscriber", "--password=password-of-the-node-tests"]
    for variant, register, attach in (("plain", [], []), ("external", [], []), ("dual", satellite, []), ("full", user, ["attach --auto"])):
        for kind in ("bootstrap", "provisioning"):
            config = nodelib.load_yaml(fleet.user_data(f"rhel-aws-{variant}", variant, kind))
            name = f"subscription: {variant}: {kind}"
            calls, warnings = handle(config, folder, registered=False)
            asks = ["identity"] if register else []
            want = asks + [" ".join(register)] * bool(register) + attach
            t.equal(f"{name}: registers, or leaves the machine as it is", (calls, warnings), (want, []))
            calls, warnings = handle(config, folder, registered=True)
            t.equal(f"{name}: a registered machine is left alone", (calls, warnings), (asks, []))


def test_empty(t, fleet, scratch):
    """The controller writes an empty subscription. It is all that the schema has to say; without it, it has nothing."""
    for kind in ("bootstrap", "provisioning"):
        text = fleet.user_data("rhel-aws-plain", "plain", kind)
        config = nodelib.load_yaml(text)
        t.equal(f"subscription: {kind}: without one, as the controller has it", config.get("rh_subscription"), EMPTY)
        left_out = fleet.user_data("rhel-aws-plain", "plain", kind, "--empty-subscription=false")
        del config["rh_subscription"]
        t.equal(f"subscription: {kind}: left out, and nothing else", nodelib.load_yaml(left_out), config)
        if shutil.which("cloud-init"):
            good, said = schema(left_out, scratch / f"{kind}.yaml")
            t.check(f"subscription: {kind}: passes the schema when it is left out", good, said)
        for variant in ("dual", "full"):
            t.equal(f"subscription: {variant}: {kind}: one that is given stays",
                    fleet.user_data(f"rhel-aws-{variant}", variant, kind, "--empty-subscription=false"),
                    fleet.user_data(f"rhel-aws-{variant}", variant, kind))


def main():
    arguments, holder, scratch = nodelib.start(__doc__)
    t = nodelib.Checks()
    fleet = nodelib.Fleet(scratch, arguments.rendered)
    if not arguments.rendered:
        test_empty(t, fleet, scratch)
    try:
        import cloudinit  # noqa: F401
    except ImportError:
        t.skip("cloud-init's module", "cloud-init is not installed")
    else:
        test_module(t, fleet, scratch)
    t.finish()


if __name__ == "__main__":
    main()
