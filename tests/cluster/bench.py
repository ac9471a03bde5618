"""How long Flux takes for a reconciliation that changes nothing, of a cluster with many MachineDeployments: as a whole, with
`delivery.maxUnits` above their number, and cut into parts, as it is without the setting.

The profile is osm-gen's own for Ubuntu, the controllers have their default limits. Each layout is applied first; then all
Kustomizations of the cluster are asked to reconcile at once, as after a commit that changes nothing of them. The wall time
until the last one is done and the processor time of kustomize-controller are the figures, of each of RUNS runs. In between
the sides are cut, and every object must outlive that.
"""

import os
import pathlib
import time

import flux
import machine
import plane
import repository
from repository import HUB, ONE

RUNS = 2
LIMIT = 1800
TICKS = os.sysconf("SC_CLK_TCK")


def run(t, scratch, processes, programs, units="1000"):
    planes = plane.start(scratch, programs, processes, (HUB, ONE))
    pools = [(ONE, f"pool-{number:04}") for number in range(int(units))]
    repo = repository.Repository(scratch, {ONE: planes[ONE].url()}, planes[HUB].ca.crt, pools)
    plane.define(planes[HUB], [definition for name in ("source-controller", "kustomize-controller", "operating-system-manager")
                               for definition in plane.manifests(programs[f"{name}/"], "CustomResourceDefinition")])
    applier = flux.Flux(planes[HUB], planes, repo, processes, programs)
    applier.start(scratch)
    applier.give()
    uids = []
    for layout, most in (("as a whole", 100 * len(pools)), ("in parts", None)):
        delivery = repo.fleet["spec"]["delivery"]
        delivery.pop("maxUnits", None)
        if most:
            delivery["maxUnits"] = most
        repo.write_settings()
        repo.git("commit", "-q", "-a", "--allow-empty", "-m", layout)
        began = time.monotonic()
        repo.generate()
        t.equal(f"{layout}: git push", repo.push().returncode, 0)
        generated = time.monotonic()
        applier.wait_until_applied(LIMIT)
        applied = time.monotonic()
        parts = [item for item in applier.kustomizations() if item["metadata"]["name"].startswith(f"{ONE}-")]
        objects = sum(len(item["status"]["inventory"]["entries"]) for item in parts if "inventory" in item["status"])
        uids.append(sorted(item["metadata"]["uid"] for item in planes[ONE].admin.get("/api/v1/secrets")["items"]))
        print(f"bench {layout}: {units} MachineDeployments, {objects} objects in {len(parts)} Kustomizations; osm-gen and push "
              f"{generated - began:.1f} s, first apply {applied - generated:.1f} s", flush=True)
        for number in range(RUNS):
            wall, processor, slowest = unchanged(applier, processes, parts)
            print(f"bench {layout}: unchanged, run {number + 1}: {wall:.1f} s, {processor:.1f} s of kustomize-controller's "
                  f"processor time; the last Kustomization: {slowest}", flush=True)
    t.check("every Secret outlives the cut", uids[0] == uids[1] and len(uids[0]) >= 3 * len(pools), list(map(len, uids)))


def processor_time(process):
    words = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICKS


def unchanged(applier, processes, parts):
    """(wall time, processor time, name and time of the last one to be done) of a reconciliation of all parts."""
    controller = processes.running["kustomize-controller"]
    before, began = processor_time(controller), time.monotonic()
    paths = ["{}/namespaces/{namespace}/kustomizations/{name}".format(flux.GROUP, **item["metadata"]) for item in parts]
    asked = {path: applier.ask(path) for path in paths}
    last = ["", 0.0]

    def done():
        processes.alive()
        for path, word in list(asked.items()):
            item = applier.hub.admin.get(path)
            if item["status"].get("lastHandledReconcileAt") == word:
                if not flux.state(item)[0]:
                    continue
                del asked[path]
                last[:] = item["metadata"]["name"], time.monotonic() - began
        return not asked

    machine.wait_for(done, LIMIT, "an unchanged reconciliation")
    return time.monotonic() - began, processor_time(controller) - before, f"{last[0]}, {last[1]:.1f} s"
