"""The loop, a step after the other. Each ends with the look at everything that is live (live.py)."""

import copy
import json
import time

import boots
import clusters
import machine
import mistakes
import nodelib
import repository
from plane import path_of
from repository import ONE, TWO

STEPS = []
CHANGE = "a newer kubelet for one/workers"


def step(function):
    STEPS.append(function)
    return function


def run(t, scratch, processes, programs):
    began = time.monotonic()
    site = clusters.Site(t, scratch, processes, programs)
    site.open()
    print(f"note  control planes, webhooks and controllers: {time.monotonic() - began:.0f} s", flush=True)
    booting = [boots.Booting(t, site, TWO, {first_apply: "start", machine_deployment_changed: "check"}),
               boots.Booting(t, site, ONE, {profile_changed: "start", removed: "check"})]
    try:
        for function in STEPS:
            began, before, looked_at = time.monotonic(), t.passed + t.failed, site.live.looked_at
            name = function.__name__.replace("_", " ")
            function(t, site, name)
            live = site.live.check(name)
            site.before = live
            site.exports.keep(name)
            for cluster_name in repository.CLUSTERS:
                site.observe(name, cluster_name, settled=True)
            print(f"step  {name}: {t.passed + t.failed - before} checks, {site.live.looked_at - looked_at} live objects beside "
                  f"their files, {time.monotonic() - began:.0f} s: {' '.join(function.__doc__.split())}", flush=True)
            for one in booting:
                one.after(function)
    finally:
        for one in booting:
            one.close()


def identities(site, *keys):
    """uid and resourceVersion of live objects, as the last step left them, and now."""
    before, now = {}, {}
    for key in keys:
        thing = site.before[key]
        before[key] = (thing["metadata"]["uid"], thing["metadata"]["resourceVersion"])
        found = site.live.where[key].find(thing)
        now[key] = (found["metadata"]["uid"], found["metadata"]["resourceVersion"]) if found else None
    return before, now


def unit_keys(site, name, pool):
    """The objects of a unit that bear its name, as keys of `site.before`."""
    return [key for key in site.before if key[0] == name and (
        key[3].startswith(f"{pool}-kube-system-") or key[3] == f"kube-system-{pool}-kubelet-bootstrap-config")]


# ---- the steps

@step
def first_apply(t, site, name):
    """namespaces, CRDs, three pools; the webhooks take every profile and configuration, machines start, tokens read three
    Secrets"""
    site.repo.generate()
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    site.flux.give()
    for cluster_name in repository.CLUSTERS:
        site.flux.give_machines(cluster_name)
    site.flux.wait_until_applied()
    for cluster_name, pool in ((ONE, "workers"), (ONE, "others"), (TWO, "workers")):
        site.check_machines(name, cluster_name, pool)
    webhooks(t, site, name)
    for cluster_name in repository.CLUSTERS:
        t.check(f"{name}: osm-gen compare finds {cluster_name} equal", "different" not in site.compare(cluster_name, 0).stdout)
    site.check_token(name, ONE, "workers", ["others"])
    site.check_token(name, ONE, "others", ["workers"])
    site.check_token(name, TWO, "workers", [])


def webhooks(t, site, name):
    """What they took is live; here is that they were asked: what they must refuse they refuse, what they must add is there."""
    profile = site.hub.find(clusters.item("OperatingSystemProfile", "operatingsystemmanager.k8c.io/v1alpha1", "cluster-one",
                                             repository.PROFILE))
    changed = copy.deepcopy(profile)
    changed["spec"]["osVersion"] = "1"
    answer = site.hub.admin.call("PUT", path_of(profile), changed)
    t.check(f"{name}: webhook: a profile changes with its version only", clusters.refused(*answer, "immutable"), answer[1])
    config = site.hub.find(clusters.item("OperatingSystemConfig", "operatingsystemmanager.k8c.io/v1alpha1", "cluster-one",
                                            "workers-kube-system-config"))
    changed = copy.deepcopy(config)
    changed["spec"]["osVersion"] = "1"
    answer = site.hub.admin.call("PUT", path_of(config), changed)
    t.check(f"{name}: webhook: a configuration does not change", clusters.refused(*answer, "immutable"), answer[1])
    pool = site.planes[TWO].admin.get(f"{clusters.MACHINES}/machinedeployments/workers")
    t.equal(f"{name}: webhook: the profile of a MachineDeployment that names none is the one that osm-gen took",
            [pool["metadata"]["annotations"].get("k8c.io/operating-system-profile")],
            [thing["metadata"]["name"] for thing in site.repo.objects(TWO, "management")
             if thing["kind"] == "OperatingSystemProfile"])


@step
def machine_deployment_changed(t, site, name):
    """spec.template of one pool changed: revision 2, a new MachineSet, a machine with the new text in the place of the old
    one; other pools keep theirs"""
    site.repo.write_pool(ONE, "workers", kubelet="1.34.2")
    said = site.repo.publish(CHANGE)
    site.change = site.repo.git("rev-parse", "HEAD^").stdout.strip()
    t.check(f"{name}: osm-gen says that machines are replaced", "one/kube-system/workers" in said, said)
    site.flux.wait_until_applied()
    t.equal(f"{name}: revision", site.revision(ONE, "workers"), "2")
    site.check_machines(name, ONE, "workers")
    before, now = identities(site, *unit_keys(site, ONE, "others"), *unit_keys(site, TWO, "workers"))
    t.equal(f"{name}: other pools' objects are as they were", [key for key in before if now[key] != before[key]], [])
    t.equal(f"{name}: of so many", len(before), 12)


@step
def profile_changed(t, site, name):
    """a profile with a new version: immutable Secrets and configurations are replaced, the profile is updated, no machine
    is; a new one starts with the new text"""
    site.repo.profile["spec"]["version"] = "v9.0.0"
    for stage, path in (("bootstrapConfig", "/etc/osm-gen-test-1"), ("provisioningConfig", "/etc/osm-gen-test-2")):
        site.repo.profile["spec"][stage]["files"].append(
            {"path": path, "permissions": 644, "content": {"inline": {"encoding": "b64", "data": "of the new version\n"}}})
    site.repo.write("clusters/one/profile.json", site.repo.profile)
    sets = lambda: sorted(entry["metadata"]["uid"] for entry in
                          site.planes[ONE].admin.get(f"{clusters.MACHINES}/machinesets")["items"])
    sets_before = sets()
    maps_before = [item["metadata"]["name"] for item in site.repo.config_map(ONE, "workers")]
    site.repo.publish("a profile's new version")
    site.flux.wait_until_applied()
    keys = [key for key in site.before if key[0] == ONE and (key[1] == "OperatingSystemConfig" or key[3].endswith((
        "-provisioning-config", "-system-bootstrap-config")))]
    before, now = identities(site, *keys)
    t.equal(f"{name}: such objects", len(keys), 6)
    t.equal(f"{name}: none is the object that it was", [key for key in keys if not now[key] or now[key][0] == before[key][0]],
            [])
    maps = [item["metadata"]["name"] for item in site.repo.config_map(ONE, "workers")]
    t.check(f"{name}: the ConfigMap is another one, of another name", len(maps) == 1 and maps != maps_before, (maps, maps_before))
    before, now = identities(site, *[(ONE, "ConfigMap", "cloud-init-settings", one) for one in maps_before])
    t.check(f"{name}: the one before is as it was", before and now == before, (before, now))
    before, now = identities(site, (ONE, "OperatingSystemProfile", "cluster-one", repository.PROFILE))
    t.check(f"{name}: the profile is the same object, updated", all(
        now[key][0] == before[key][0] and now[key][1] != before[key][1] for key in before), (before, now))
    t.equal(f"{name}: no MachineSet is new", sets(), sets_before)
    gone = site.replace_machine(ONE, "others")
    made = site.check_machines(name, ONE, "others")
    t.check(f"{name}: a new machine", made and not set(made) & set(gone), (made, gone))
    text = site.user_data(ONE, made[0])
    t.check(f"{name}: starts with the new text", "/etc/osm-gen-test-1" in text)


@step
def removed(t, site, name):
    """a MachineDeployment removed: Flux prunes all that is its own, its token is refused"""
    token = site.repo.node_token(ONE, "others")
    (site.repo.path / "clusters/one/machines/others.yaml").unlink()
    site.repo.publish("others are not needed any more")
    site.flux.wait_until_applied()
    gone = [key for key in site.before if key[0] == ONE and "others" in key[3]]
    t.check(f"{name}: they were there", len(gone) >= 6, gone)
    _, now = identities(site, *gone)
    t.equal(f"{name}: they are gone", [key for key in now if now[key]], [])
    site.check_refused(name, ONE, token)
    left = site.planes[ONE].admin.get(f"{clusters.MACHINES}/machinedeployments")["items"]
    t.equal(f"{name}: the MachineDeployment is gone, too", [entry["metadata"]["name"] for entry in left], ["workers"])


@step
def reverted(t, site, name):
    """the source alone: the revision counts on, and machines start; then source and output together: osm-gen warns
    (OSG6034), no machine starts until a run with --revisions"""
    site.repo.git("revert", "--no-edit", site.change)
    site.repo.generate()
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    site.flux.wait_until_applied()
    t.equal(f"{name}: the source alone: revision", site.revision(ONE, "workers"), "3")
    site.check_machines(f"{name}, the source alone", ONE, "workers")
    site.live.check(f"{name}, the source alone")
    site.repo.git("revert", "--no-edit", "HEAD", "HEAD^")
    said = site.repo.generate().stderr
    t.check(f"{name}: both together: osm-gen warns", "OSG6034" in said, said)
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    site.flux.wait_until_applied()
    live = machine.wait_for(lambda: site.machines(ONE, "workers")[1] == "4" and "4", 60, "the live MachineSet's revision 4")
    t.check(f"{name}: both together: git's revision is behind", int(site.revision(ONE, "workers")) < int(live))
    site.live.check(f"{name}, both together")
    site.exports.keep(f"{name}, both together")
    told = site.observe(f"{name}, both together", ONE, settled=False)
    t.check(f"{name}: both together: osm-gen observe says that no machine would start", "--revisions" in told, told)
    pending = machine.wait_for(lambda: site.machines(ONE, "workers")[0], 60, "a Machine")
    log = f"machine-controller-{ONE}"
    waits = lambda text: [line for line in site.processes.log(log).splitlines() if "is not ready yet" in line and text in line]
    for entry in pending:
        machine.wait_for(lambda entry=entry: waits(entry["metadata"]["name"]), 60, "machine-controller to wait")
    t.check(f"{name}: both together: no machine starts", all(
        site.user_data(ONE, entry["metadata"]["name"]) is None for entry in pending), [])
    site.repo.generate("--revisions", site.exports.revisions(ONE))
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    site.flux.wait_until_applied()
    site.check_machines(f"{name}, with --revisions", ONE, "workers", 120)


@step
def tokens_rotated(t, site, name):
    """tokenRotation changed in one cluster: new tokens work, those before are refused, the other cluster keeps its own"""
    token, other = site.repo.node_token(ONE, "workers"), site.repo.node_token(TWO, "workers")
    site.repo.clusters[ONE]["settings"]["tokenRotation"] = "2"
    site.repo.write_settings()
    site.repo.publish("new tokens")
    site.flux.wait_until_applied()
    t.check(f"{name}: the token is another one", site.repo.node_token(ONE, "workers") != token)
    t.check(f"{name}: of the other cluster it is not", site.repo.node_token(TWO, "workers") == other)
    site.check_token(name, ONE, "workers", [])
    site.check_refused(name, ONE, token)


@step
def profile_changed_again(t, site, name):
    """a profile's next version: the ConfigMap from before the last one leaves the output, and Flux leaves it in the cluster"""
    site.repo.profile["spec"]["version"] = "v9.0.1"
    site.repo.profile["spec"]["provisioningConfig"]["files"][-1]["content"]["inline"]["data"] = "of the next version\n"
    site.repo.write("clusters/one/profile.json", site.repo.profile)
    site.repo.publish("a profile's next version")
    site.flux.wait_until_applied()
    written = {item["metadata"]["name"] for item in site.repo.objects(ONE, "worker") if item["kind"] == "ConfigMap"}
    keys = [key for key in site.before if key[:2] == (ONE, "ConfigMap")]
    t.equal(f"{name}: two before, of which one is in the output, with a new one",
            [len(keys), len(written), len({key[3] for key in keys} & written)], [2, 2, 1])
    before, now = identities(site, *keys)
    t.equal(f"{name}: those before are as they were", now, before)


@step
def recipients_rotated(t, site, name):
    """sealed to another recipient, and Flux has its identity only: no live object is touched"""
    identity = site.repo.new_identity()
    site.repo.fleet["spec"]["sealing"]["recipients"] = [site.repo.recipient]
    site.repo.write_settings()
    site.repo.commit("other recipients")
    said = site.repo.osm_gen("generate", "--repo", site.repo.path, "--seal-seed-file", site.repo.seed, status=2).stderr
    t.check(f"{name}: refused unless asked for", "--rotate-recipients" in said, said)
    site.repo.generate("--rotate-recipients")
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    site.flux.give_identities(identity)
    site.flux.wait_until_applied()
    before, now = identities(site, *[key for key in site.before if key[1] == "Secret"])
    t.equal(f"{name}: Secrets are as they were", [key for key in before if now[key] != before[key]], [])


@step
def seed_rotated(t, site, name):
    """everything derived from another seed: new tokens everywhere, those before are refused"""
    tokens = {cluster_name: site.repo.node_token(cluster_name, "workers") for cluster_name in repository.CLUSTERS}
    site.repo.new_seed()
    said = site.repo.osm_gen("generate", "--repo", site.repo.path, "--seal-seed-file", site.repo.seed, status=3).stderr
    t.check(f"{name}: refused unless asked for", "--rotate-seed" in said, said)
    site.repo.generate("--rotate-seed")
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    site.flux.wait_until_applied()
    for cluster_name, token in tokens.items():
        site.check_refused(name, cluster_name, token)
        site.check_token(name, cluster_name, "workers", [])


@step
def damaged(t, site, name):
    """live objects edited or deleted: the next reconciliation brings them back as they were, and touches nothing else"""
    in_tree = lambda kind, group, thing: site.before[(ONE, kind, group, thing)]
    role = in_tree("Role", "cloud-init-settings", "workers-kube-system-bootstrap-reader")
    binding = in_tree("RoleBinding", "cloud-init-settings", "workers-kube-system-bootstrap-reader")
    kubelet = in_tree("Secret", "cloud-init-settings", "kube-system-workers-kubelet-bootstrap-config")
    bootstrap = in_tree("Secret", "cloud-init-settings", "workers-kube-system-bootstrap-config")
    config = in_tree("OperatingSystemConfig", "cluster-one", "workers-kube-system-config")
    one = site.planes[ONE]
    edits = [one.patch(role, {"rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "list"]}]}),
             one.patch(binding, {"subjects": [{"kind": "Group", "name": "system:authenticated",
                                               "apiGroup": "rbac.authorization.k8s.io"}]}),
             one.patch(kubelet, {"data": {"kubeconfig": "AAAA"}})]
    t.equal(f"{name}: edits", edits, [200, 200, 200])
    t.equal(f"{name}: the Secret with user-data cannot be edited",
            one.patch(bootstrap, {"data": {"cloud-config": "AAAA"}}), 422)
    one.delete(bootstrap)
    site.hub.delete(config)
    damaged_keys = {(ONE, thing["kind"], thing["metadata"]["namespace"], thing["metadata"]["name"])
                    for thing in (role, binding, kubelet, bootstrap, config)}
    t.equal(f"{name}: the look at what is live sees it", sorted(map(str, site.live.damaged())), sorted(map(str, damaged_keys)))
    site.exports.keep(f"{name}, before the repair")
    told = site.observe(name, ONE, settled=False)
    t.check(f"{name}: osm-gen observe finds what is damaged", all(thing["metadata"]["name"] in told for thing in (
        kubelet, bootstrap, config)), told)
    told = site.compare(ONE, 1).stdout
    t.check(f"{name}: osm-gen compare finds what is damaged", all(thing["metadata"]["name"] in told for thing in (
        kubelet, bootstrap, config)), told)
    for side in ("management", "worker"):
        site.flux.apply_again(f"{ONE}-{side}", "flux-system")
    site.compare(ONE, 0)
    before, now = identities(site, *[key for key in site.before if key[0] == ONE and key not in damaged_keys])
    t.equal(f"{name}: what was not damaged is as it was", [key for key in before if now[key] != before[key]], [])
    _, now = identities(site, *damaged_keys)
    t.check(f"{name}: what was is there", all(now.values()), now)
    site.check_token(name, ONE, "workers", [])


@step
def mistakes_found(t, site, name):
    """mistakes on purpose, in live objects, rights, a machine's text and a sealed file: the checks of the other steps fail"""
    for mistake in mistakes.ALL:
        mistake(site, name)


def two_at_once(t, site, name):
    """Two runs in one clone: one commits; the other finds it done, or ends with status 3 and says why."""
    runs = [site.repo.start("generate", "--repo", site.repo.path, "--seal-seed-file", site.repo.seed) for _ in range(2)]
    said = [(run.communicate()[1], run.returncode) for run in runs]
    t.check(f"{name}: two runs at once", 0 in [status for _, status in said] and all(
        status == 0 or (status == 3 and "error[OSG6" in text and "nothing was changed" in text) for text, status in said), said)
    print(f"note  {name}: two runs at once end with {[status for _, status in said]}", flush=True)


@step
def race_lost(t, site, name):
    """two runs at once in one clone make one commit; of two clones the second push is refused and changes nothing, and after
    a fetch the run's retry has both changes"""
    other = site.scratch / "other"
    nodelib.run(["git", "clone", "-q", str(site.repo.remote), str(other)])
    git = lambda *arguments, check=True: nodelib.run(["git", "-C", str(other), "-c", "user.name=other", "-c",
                                                      "user.email=other@localhost", *arguments], check=check)
    site.repo.write_pool(ONE, "workers", kubelet="1.34.3")
    site.repo.commit("a newer kubelet for one/workers, once more")
    source = site.repo.head()
    two_at_once(t, site, name)
    t.equal(f"{name}: two runs at once make one commit", site.repo.git("rev-list", f"{source}..HEAD").stdout.split(),
            [site.repo.head()])
    changed = repository.pool("workers", kubelet="1.34.4")
    (other / "clusters/two/machines/workers.yaml").write_text(json.dumps(changed))
    git("commit", "-q", "-a", "-m", "a newer kubelet for two/workers")
    mine = git("rev-parse", "HEAD").stdout.strip()
    site.repo.generate(folder=other)
    t.equal(f"{name}: git push", site.repo.push().returncode, 0)
    refused = git("push", "-q", "origin", "main", check=False)
    t.check(f"{name}: the second push is refused", refused.returncode != 0 and "rejected" in refused.stderr, refused.stderr)
    site.flux.wait_until_applied()
    site.live.check(f"{name}, the first one's")
    git("fetch", "-q")
    git("reset", "-q", "--hard", "origin/main")
    git("cherry-pick", mine)
    said = site.repo.generate(folder=other).stderr
    t.check(f"{name}: the retry has the one change that is new", "two/kube-system/workers" in said
            and "one/kube-system/workers" not in said.replace("fullest user-data: one/kube-system/workers", ""), said)
    git("push", "-q", "origin", "main")
    site.repo.git("pull", "-q", "--ff-only", "origin", "main")
    site.flux.wait_until_applied()
    for cluster_name in repository.CLUSTERS:
        site.check_machines(name, cluster_name, "workers")
