"""Exports of what is live, by kubectl itself, for the commands of osm-gen that read them.

With CLUSTER_EXPORTS=FOLDER every step, and some in between, leave there in a folder of their name what such a command needs:
of each cluster CLUSTER-management.yaml and CLUSTER-worker.yaml, the repository as it was (fleet), its age identities and seed.
"""

import os
import pathlib
import shutil

import nodelib
import repository

# What a side's export has: the kinds that osm-gen reads of it, and those that it only writes.
MANAGEMENT = "operatingsystemprofiles,operatingsystemconfigs,secrets"
WORKER = "machinedeployments,machinesets,machines,secrets,configmaps,roles,rolebindings"


class Exports:
    def __init__(self, scratch, program, planes, repo):
        self.folder, self.program, self.planes, self.repo = scratch / "exports", program, planes, repo
        kept = os.environ.get("CLUSTER_EXPORTS")
        self.kept = pathlib.Path(kept) if kept else None
        self.folder.mkdir()
        for name, plane in planes.items():
            (self.folder / f"{name}.kubeconfig").write_text(plane.kubeconfig())

    def kubectl(self, name, *arguments):
        """What kubectl prints, asked of a plane."""
        return nodelib.run([str(self.program), "--kubeconfig", str(self.folder / f"{name}.kubeconfig"), *arguments],
                           env={"HOME": str(self.folder)}).stdout

    def of(self, cluster, folder=None):
        """The files with what is live of a cluster: its management side, and the cluster itself."""
        folder = folder or self.folder
        management, worker = (folder / f"{cluster}-{side}.yaml" for side in ("management", "worker"))
        management.write_text(self.kubectl(repository.HUB, "get", MANAGEMENT, "-n", f"cluster-{cluster}", "-o", "yaml"))
        worker.write_text(self.kubectl(cluster, "get", WORKER, "-A", "-o", "yaml"))
        return management, worker

    def revisions(self, cluster):
        """A folder with what --revisions wants of a cluster."""
        folder = self.folder / "revisions"
        folder.mkdir(exist_ok=True)
        (folder / f"{cluster}.json").write_text(self.kubectl(cluster, "get", "machinedeployments", "-A", "-o", "json"))
        return folder

    def keep(self, step):
        if self.kept is None:
            return
        folder = self.kept / step.replace(",", "").replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for cluster in repository.CLUSTERS:
            self.of(cluster, folder)
        shutil.copytree(self.repo.path, folder / "fleet")
        for file in (self.repo.identities, self.repo.seed):
            shutil.copy(file, folder)
