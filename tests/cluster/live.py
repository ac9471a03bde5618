"""What is live, beside what the files say: every object of the output, and none that is not in it."""

import flux
import repository

SIDES = [(name, side) for name in repository.CLUSTERS for side in ("management", "worker")] + [(repository.HUB, "flux")]
# Kinds that the output may hold, so that what it does not hold any more is looked for, too.
PATHS = {"management": ("/apis/operatingsystemmanager.k8c.io/v1alpha1/operatingsystemprofiles",
                        "/apis/operatingsystemmanager.k8c.io/v1alpha1/operatingsystemconfigs", "/api/v1/namespaces"),
         "worker": ("/api/v1/secrets", "/api/v1/configmaps", "/apis/rbac.authorization.k8s.io/v1/roles",
                    "/apis/rbac.authorization.k8s.io/v1/rolebindings", "/api/v1/namespaces"),
         "flux": (f"{flux.GROUP}/kustomizations", "/api/v1/namespaces")}


def key(item):
    return item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]


def comparable(item):
    """Everything that somebody has asked for: not what the API server counts, nor what Flux adds, nor a status."""
    result = {name: value for name, value in item.items() if name not in ("metadata", "status", "stringData")}
    result["labels"], result["annotations"] = flux.clean(item["metadata"])
    if item["kind"] == "Secret":
        result["data"] = repository.secret_data(item)
        result.setdefault("type", "Opaque")
    elif item["kind"] == "Namespace":
        result["labels"].pop("kubernetes.io/metadata.name", None)
        result.pop("spec", None)
    return result


def with_defaults(value, schema):
    """What the API server makes of a custom resource: members that are absent have the defaults of the kind's schema."""
    if isinstance(value, dict):
        known = schema.get("properties", {})
        added = {name: known[name]["default"] for name in known if "default" in known[name] and name not in value}
        return {name: with_defaults(entry, known.get(name, {})) for name, entry in {**added, **value}.items()}
    if isinstance(value, list):
        return [with_defaults(entry, schema.get("items", {})) for entry in value]
    return value


class Live:
    """`definitions` are the CustomResourceDefinitions of the kinds that the output has."""

    def __init__(self, t, planes, repo, definitions):
        self.t, self.planes, self.repo = t, planes, repo
        self.schemas = {definition["spec"]["names"]["kind"]: definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
                        for definition in definitions}
        self.looked_at, self.where = 0, {}
        self.kept = set()  # what Flux has been told not to delete, and is in no file any more

    def plane(self, name, side):
        return self.planes[name] if side == "worker" else self.planes[repository.HUB]

    def found(self, name, side):
        """The live objects that Flux has applied there: (kind, namespace, name) -> object."""
        result, plane = {}, self.plane(name, side)
        applier = flux.BY_HAND if side == "flux" else f"{name}-{side}"
        for path in PATHS[side]:
            answer = plane.admin.get(path)
            kind = answer["kind"].removesuffix("List")
            for item in answer["items"]:
                label = item["metadata"].get("labels", {}).get("kustomize.toolkit.fluxcd.io/name", "")
                if label == applier or label.startswith(f"{applier}-"):
                    item = {"apiVersion": answer["apiVersion"], "kind": kind, **item}
                    result[key(item)] = item
        return result

    def beside(self, name, side):
        """(key, what its file says or None, what is live or None, where they differ) of every object."""
        wanted, found = {key(item): item for item in self.repo.objects(name, side)}, self.found(name, side)
        for identity in sorted({*wanted, *found}, key=str):
            item, live = wanted.get(identity), found.get(identity)
            if not item and live["metadata"].get("annotations", {}).get(flux.PRUNE) == "disabled":
                self.kept.add(identity)
                continue
            differing = None
            if item and live:
                asked_for = with_defaults(item, self.schemas.get(item["kind"], {}))
                differing = difference(comparable(live), comparable(asked_for))
            yield identity, item, live, differing

    def check(self, step):
        """Every live object equals `osm-gen unseal` of its file, and there is no other; the live objects, by cluster, kind,
        namespace and name. `where` has the API server of each."""
        everything = {}
        for name, side in SIDES:
            where, rows = f"{step}: {name}, {side} side", list(self.beside(name, side))
            self.t.check(f"{where}: there are objects", rows)
            self.t.equal(f"{where}: in files, and not live", [row[0] for row in rows if not row[2]], [])
            self.t.equal(f"{where}: live, and in no file", [row[0] for row in rows if not row[1]], [])
            for identity, item, live, differing in rows:
                if item and live:
                    self.looked_at += 1
                    self.t.check(f"{where}: {' '.join(map(str, identity))} is what its file says", not differing,
                                 f"different: {differing}")
                    everything[name, *identity] = live
                    self.where[name, *identity] = self.plane(name, side)
        return everything

    def damaged(self):
        """The keys of what is not live, or not as its file says, or in no file."""
        return {(name, *identity) for name, side in SIDES for identity, item, live, differing in self.beside(name, side)
                if not item or not live or differing}


def difference(one, other, at=""):
    """Where two values differ: paths, never the values, which may be secret."""
    if isinstance(one, dict) and isinstance(other, dict):
        return [path for name in sorted({*one, *other})
                for path in ([f"{at}.{name}: one side has it"] if (name in one) != (name in other)
                             else difference(one[name], other[name], f"{at}.{name}"))]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [path for number, pair in enumerate(zip(one, other)) for path in difference(*pair, f"{at}[{number}]")]
    return [] if one == other and isinstance(one, bool) == isinstance(other, bool) else [at or "."]
