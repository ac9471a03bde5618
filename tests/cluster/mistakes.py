"""Mistakes made on purpose, which the very checks of the steps must find: a test that cannot fail says nothing.

Each is looked at with a count of checks of its own (Found), is found under the names that it must be, and is taken back.
"""

import contextlib
import io
import re

import clusters
import flux
import machine
import nodelib
from plane import path_of
from repository import HUB, ONE, TWO

SETTINGS, POOL = "cloud-init-settings", "workers"


class Found(nodelib.Checks):
    """Keeps the names of the checks that fail, and does not print them."""

    def __init__(self):
        super().__init__()
        self.names = []

    def check(self, name, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            self.names.append(name)
        return good


def found(site, look):
    """The names of the checks that fail in a look; the site's own count does not have them."""
    t, found_ = site.t, Found()
    site.t = site.live.t = found_
    try:
        look()
    finally:
        site.t = site.live.t = t
    return sorted(found_.names)


def core(kind, namespace, name):
    group = "v1" if kind == "Secret" else "rbac.authorization.k8s.io/v1"
    return clusters.item(kind, group, namespace, name)


def live_objects(site, name):
    """What is live is altered, missing, or one too many: each side of the look at it."""
    one, two, hub = site.planes[ONE], site.planes[TWO], site.planes[HUB]
    kubelet = core("Secret", SETTINGS, f"kube-system-{POOL}-kubelet-bootstrap-config")
    provisioning = core("Secret", SETTINGS, f"{POOL}-kube-system-provisioning-config")
    binding = core("RoleBinding", SETTINGS, f"{POOL}-kube-system-bootstrap-reader")
    config = clusters.item("OperatingSystemConfig", "operatingsystemmanager.k8c.io/v1alpha1", "cluster-one",
                           f"{POOL}-kube-system-config")
    delivery = clusters.item("Kustomization", flux.GROUP.removeprefix("/apis/"), "cluster-two", "two-worker")
    stray = {**core("Secret", "kube-system", "stray"), "stringData": {"a": "b"}}
    stray["metadata"]["labels"] = {"kustomize.toolkit.fluxcd.io/name": "one-worker"}
    label = lambda value: {"metadata": {"labels": {"stray": value}, "annotations": {"stray": value}}}
    statuses = [hub.patch(delivery, {"spec": {"suspend": True}}), one.patch(kubelet, {"data": {"kubeconfig": "AAAA"}}),
                two.patch(provisioning, label("a")), hub.patch(config, label("a"))]
    site.t.equal(f"{name}: live objects: edits", statuses, [200] * 4)
    two.delete(binding)
    one.admin.create(stray)
    is_what = lambda where, thing: (f"{name}: {where}: {thing['kind']} {thing['metadata']['namespace']} "
                                    f"{thing['metadata']['name']} is what its file says")
    site.t.equal(f"{name}: live objects: the checks that fail", found(site, lambda: site.live.check(name)), sorted([
        is_what("hub, flux side", delivery), is_what("one, worker side", kubelet), is_what("two, worker side", provisioning),
        is_what("one, management side", config), f"{name}: two, worker side: in files, and not live",
        f"{name}: one, worker side: live, and in no file"]))
    one.delete(stray)
    two.patch(provisioning, label(None))
    hub.patch(config, label(None))
    hub.patch(delivery, {"spec": {"suspend": None}})
    site.flux.apply_again("one-worker", "flux-system")
    site.flux.apply_again("two-worker", "cluster-two")


def rights(site, name):
    """A token reads any Secret of its namespace; one that is no secret any more is known to the API server."""
    role = core("Role", SETTINGS, f"{POOL}-kube-system-bootstrap-reader")
    rules = {"rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}
    site.t.equal(f"{name}: rights: edit", site.planes[ONE].patch(role, rules), 200)
    where = f"{name}: token of {ONE}/{POOL}"
    site.t.equal(f"{name}: rights: the checks that fail", found(site, lambda: site.check_token(name, ONE, POOL, [])), [
        f"{where}: what it may get", f"{where}: what the API server says that it may do in {SETTINGS}"])
    site.flux.apply_again("one-worker", "flux-system")
    token = site.repo.node_token(TWO, POOL)
    site.t.equal(f"{name}: a token that stays: the check that fails",
                 found(site, lambda: site.check_refused(name, TWO, token, seconds=1)),
                 [f"{name}: {TWO}: the token that was is refused"])


def platform(site, name):
    """A machine's platform was given a line more than the bootstrap Secret has."""
    machine_name = site.machines(TWO, POOL)[0][0]["metadata"]["name"]
    given = site.user_data_secret(TWO, machine_name)
    before = given["data"]["userdata"]
    text = site.user_data(TWO, machine_name) + "\n"
    edit = {"apiVersion": "v1", "kind": "Secret", "metadata": given["metadata"]}
    site.t.equal(f"{name}: platform: edit", site.hub.admin.call(
        "PATCH", path_of(edit), {"stringData": {"userdata": text}}, kind="application/merge-patch+json")[0], 200)
    look = lambda: site.check_texts(name, TWO, POOL, {machine_name: site.user_data(TWO, machine_name)})
    site.t.equal(f"{name}: platform: the check that fails", found(site, look),
                 [f"{name}: the machine has exactly the text of the bootstrap Secret"])
    site.hub.patch(edit, {"data": {"userdata": before}})


def sealed_file(site, name):
    """One letter of one sealed Secret is another in git: Flux does not apply it, and no command of osm-gen takes it."""
    file = next(path for path in sorted((site.repo.path / "out" / TWO / "worker").rglob("*.yaml"))
                if f"{POOL}-kube-system-bootstrap-config" in path.read_text() and "ENC[" in path.read_text())
    text = file.read_text()
    at = re.search(r"cloud-config: ENC\[AES256_GCM,data:", text).end()
    file.write_text(text[:at] + ("B" if text[at] == "A" else "A") + text[at + 1:])
    site.repo.commit("a sealed Secret that is altered")
    site.t.equal(f"{name}: sealed file: git push", site.repo.push().returncode, 0)
    site.flux.ask_source()
    words = lambda: next(flux.state(item)[3] or "" for item in site.flux.kustomizations()
                         if item["metadata"]["name"] == "two-worker")
    machine.wait_for(lambda: site.processes.alive() and "decrypt" in words(), 60, "Flux to refuse a sealed Secret")
    site.t.check(f"{name}: sealed file: the wait for Flux says which Kustomization it is", "two-worker: " in failure(
        lambda: site.flux.wait_until_applied(2)))
    site.t.check(f"{name}: sealed file: osm-gen unseal refuses it", "osm-gen unseal ends with" in failure(
        lambda: site.live.check(name)))
    site.t.check(f"{name}: sealed file: osm-gen verify refuses it", "osm-gen verify ends with" in failure(
        lambda: site.repo.osm_gen("verify", "--repo", site.repo.path)))
    site.repo.git("revert", "--no-edit", "HEAD")
    site.t.equal(f"{name}: sealed file: git push", site.repo.push().returncode, 0)
    site.flux.wait_until_applied()


def failure(function):
    """The text of the AssertionError in which a function ends, or nothing."""
    try:
        function()
    except AssertionError as error:
        return str(error)
    return ""


def status(site, name):
    """A run with a check that has failed does not end well, and neither does one without checks."""
    for what, count in (("a check that failed", Found()), ("no checks", nodelib.Checks())):
        if what != "no checks":
            count.check("good", True)
            count.check("bad", False)
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                count.finish()
                ended = None
            except SystemExit as end:
                ended = end.code
        site.t.equal(f"{name}: the status after {what}", ended, 1)


ALL = (live_objects, rights, platform, sealed_file, status)
