"""The rules by which KubeOne makes MachineDeployments and flags of a KubeOneCluster, in Python.

Written from the description of KubeOne's behaviour, apart from src/osm/kubeone, to be compared with it. Knows only what
random_cases.py generates: maps, lists, strings, whole numbers and booleans.
"""
import copy
import urllib.parse


class Refused(Exception):
    """KubeOne refuses the input; the argument is the class of its error."""


CLOUDS = "aws azure digitalocean gce hetzner kubevirt nutanix openstack equinixmetal vmwareCloudDirector vsphere none".split()
K = "v1.kubelet-config.machine-controller.kubermatic.io/"
# b: a boolean that is always set; ?: may be null; s text, l list, n number, m map.
MERGED = {
    "aws": "ami:s assignPublicIP:?b availabilityZone:s diskIops:?n diskSize:?n diskType:s ebsVolumeEncrypted:b instanceProfile:s"
           " instanceType:?s isSpotInstance:?b region:s securityGroupIDs:l subnetId:s tags:m vpcId:s",
    "gce": "diskSize:n diskType:s machineType:s network:s subnetwork:s zone:s preemptible:b assignPublicIPAddress:?b labels:m tags:l"
           " multizone:?b regional:?b customImage:s",
    "digitalocean": "region:s size:s backups:b ipv6:b private_networking:b monitoring:b tags:l",
    "hetzner": "serverType:s datacenter:s location:s image:s networks:l labels:m",
    "openstack": "floatingIPPool:s image:s flavor:s securityGroups:l availabilityZone:s network:s subnet:s rootDiskSizeGB:?n"
                 " nodeVolumeAttachLimit:?n tags:m trustDevicePath:b configDrive:b",
    "equinixmetal": "projectID:s metro:s facilities:l instanceType:s billingCycle:s tags:l",
    "vsphere": "allowInsecure:b cluster:s cpus:n datacenter:s datastore:s datastoreCluster:s diskSizeGB:?n folder:s resourcePool:s"
               " memoryMB:n templateVMName:s vmNetName:s",
}
KNOWN_ONLY = {"aws": {"spotInstanceConfig": dict}}
TYPES = {"s": str, "l": list, "n": int, "m": dict, "b": bool}
WORKER = {"name": str, "replicas": int, "providerSpec": dict}
PROVIDER_SPEC = {"cloudProviderSpec": object, "annotations": dict, "machineAnnotations": dict, "nodeAnnotations": dict,
                 "machineObjectAnnotations": dict, "labels": dict, "taints": list, "sshPublicKeys": list, "operatingSystem": str,
                 "operatingSystemSpec": object, "network": dict, "overwriteCloudConfig": str}


def is_type(value, kind):
    return value is None or kind is object or (isinstance(value, kind) and not (kind is int and isinstance(value, bool)))


def fields(cloud):
    return [entry.split(":") for entry in MERGED[cloud].split()]


def strict(value, known, error, fold=False):
    """The members under their own names; null counts as missing, but for those of any type."""
    result = {}
    for key in sorted(value) if fold else value:
        name = next((k for k in known if k == key or fold and k.lower() == key.lower()), None)
        if name is None or not is_type(value[key], known[name]):
            raise Refused(error)
        if value[key] is not None or known[name] is object:
            result[name] = value[key]
    return result


def texts(value, error):
    if any(not is_type(item, str) for item in (value.values() if isinstance(value, dict) else value)):
        raise Refused(error)


def worker_set(value, error, fold):
    value = strict(value, WORKER, error, fold)
    spec = value["providerSpec"] = strict(value.get("providerSpec", {}), PROVIDER_SPEC, error, fold)
    for key, member in spec.items():
        if PROVIDER_SPEC[key] is dict and key != "network" or key == "sshPublicKeys":
            texts(member, error)
            if isinstance(member, dict):
                spec[key] = {name: text or "" for name, text in member.items()}
    return value


def merge(cloud, into, given):
    if "cloudProviderSpec" not in given["providerSpec"]:
        raise Refused("terraform")
    known = {name: TYPES[kind[-1]] for name, kind in fields(cloud)} | KNOWN_ONLY.get(cloud, {})
    theirs = strict(given["providerSpec"]["cloudProviderSpec"] or {}, known, "terraform", fold=True)
    ours = into["providerSpec"].get("cloudProviderSpec")
    if not isinstance(ours, dict | None):
        raise Refused("workers")
    ours = dict(ours or {})
    before = dict(ours)
    for name, kind in fields(cloud):
        value = theirs.get(name)
        if kind == "b":
            value = bool(value)
        elif value is None or kind in "sln" and not value:
            continue
        ours.setdefault(name, value)
    if ours != before or "cloudProviderSpec" in into["providerSpec"]:
        into["providerSpec"]["cloudProviderSpec"] = ours


def aws(name, spec):
    known = {key: TYPES[kind[-1]] for key, kind in fields("aws")} | KNOWN_ONLY["aws"]
    found = {}
    for key in sorted(spec or {}):
        match = next((k for k in known if k.lower() == key.lower()), None)
        if match is None:
            continue
        if not is_type(spec[key], known[match]):
            raise Refused("workers")
        if spec[key] is not None:
            found[match] = spec[key]
    result = {}
    for key, kind in fields("aws"):
        if key in found:
            result[key] = found[key]
        elif kind == "s":
            result[key] = ""
        elif kind == "b":
            result[key] = False
        elif key not in ("diskIops", "isSpotInstance", "tags"):
            result[key] = None
    if "spotInstanceConfig" in found:
        result["spotInstanceConfig"] = {key: value for key, value in found["spotInstanceConfig"].items() if value}
    result["tags"] = {**found.get("tags", {}), f"kubernetes.io/cluster/{name}": "shared"}
    return result


def numbers_as_doubles(value):
    if isinstance(value, dict):
        return {key: numbers_as_doubles(member) for key, member in value.items()}
    if isinstance(value, list):
        return [numbers_as_doubles(item) for item in value]
    return int(float(value)) if isinstance(value, int) and not isinstance(value, bool) else value


def machine_deployment(name, cloud, version, logging, worker):
    spec = worker["providerSpec"]
    set_name = worker["name"]
    kubelet = {}
    if logging.get("containerLogMaxSize", "") not in ("", "100Mi"):
        kubelet[K + "ContainerLogMaxSize"] = logging["containerLogMaxSize"]
    if logging.get("containerLogMaxFiles", 0) not in (0, 5):
        kubelet[K + "ContainerLogMaxFiles"] = str(logging["containerLogMaxFiles"])
    cloud_spec = spec["cloudProviderSpec"]
    if cloud_spec is not None and not isinstance(cloud_spec, dict):
        raise Refused("workers")
    value = {"cloudProvider": {"vmwareCloudDirector": "vmware-cloud-director"}.get(cloud, cloud),
             "cloudProviderSpec": numbers_as_doubles(aws(name, cloud_spec) if cloud == "aws" else cloud_spec),
             "operatingSystem": spec.get("operatingSystem", "")}
    for key in ("operatingSystemSpec", "overwriteCloudConfig"):
        if key in spec:
            value[key] = spec[key]
    if spec.get("sshPublicKeys"):
        value["sshPublicKeys"] = spec["sshPublicKeys"]
    network = spec.get("network")
    if network is not None:
        value["network"] = {"cidr": network.get("cidr", ""), "gateway": network.get("gateway", ""),
                            "dns": {"servers": network.get("dns", {}).get("servers")}, "ipFamily": network.get("ipFamily", "")}
    labels = {**spec.get("labels", {}), "workerset": set_name}

    def metadata(annotations, **more):
        return {**more, **({"annotations": annotations} if annotations else {})}

    node = {"metadata": metadata(spec.get("nodeAnnotations"), labels=labels), "versions": {"kubelet": version},
            "providerSpec": {"value": value}}
    if spec.get("taints"):
        node["taints"] = [{"key": taint.get("key", ""), **({"value": taint["value"]} if taint.get("value") else {}),
                           "effect": taint.get("effect", "")} for taint in spec["taints"]]
    surge = 0 if network is not None else 1
    return {"apiVersion": "cluster.k8s.io/v1alpha1", "kind": "MachineDeployment",
            "metadata": metadata({**spec.get("annotations", {}), **kubelet}, name=set_name, namespace="kube-system"),
            "spec": {"minReadySeconds": 0, "replicas": worker["replicas"], "selector": {"matchLabels": {"workerset": set_name}},
                     "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": 1 - surge}},
                     "template": {"metadata": metadata({**spec.get("machineObjectAnnotations", {}), **kubelet},
                                                       namespace="kube-system", labels=labels),
                                  "spec": node}}}


def settings(manifest, cloud, version):
    found = {"namespace": "kube-system", "containerRuntime": "containerd",
             "externalCloudProvider": cloud not in ("vmwareCloudDirector", "none")}
    cache = manifest.get("features", {}).get("nodeLocalDNS")
    if cache is None or cache.get("deploy"):
        found["clusterDNS"] = "169.254.20.10"
    registry = manifest.get("registryConfiguration", {})
    minor = int(version.split(".")[1])
    found["pauseImage"] = f"{registry.get('overwriteRegistry') or 'registry.k8s.io'}/pause:{'3.10.2' if minor >= 36 else '3.10.1'}"
    registries = manifest.get("containerRuntime", {}).get("containerd", {}).get("registries", {})
    mirrors, insecure = [], []
    for name in sorted(registries):
        for mirror in registries[name].get("mirrors", []):
            if registries[name].get("overridePath"):
                parts = urllib.parse.urlsplit(mirror)
                query = sorted(urllib.parse.parse_qsl(parts.query) + [("kubermatic", "override_path=true")], key=lambda pair: pair[0])
                mirror = urllib.parse.urlunsplit(parts._replace(query=urllib.parse.urlencode(query)))
            mirrors.append(f"{name}={mirror}")
        if registries[name].get("tlsConfig", {}).get("insecureSkipVerify"):
            insecure.append(name)
    if registry.get("insecureRegistry"):
        insecure = [registry["overwriteRegistry"]]
    if mirrors:
        found["nodeContainerdRegistryMirrors"] = mirrors
    if insecure:
        found["nodeInsecureRegistries"] = insecure
    proxy, network = manifest.get("proxy", {}), manifest.get("clusterNetwork", {})
    no_proxy = proxy.get("noProxy", "")
    if proxy.get("http") or proxy.get("https"):
        front = ["127.0.0.1/8", "localhost", network.get("serviceDomainName") or "cluster.local",
                 network.get("podSubnet") or "10.244.0.0/16", network.get("serviceSubnet") or "10.96.0.0/12"]
        no_proxy = ",".join(front + front + ([no_proxy] if no_proxy else []))
    if proxy.get("http"):
        found["nodeHTTPProxy"] = proxy["http"]
    if no_proxy:
        found["nodeNoProxy"] = no_proxy
    if manifest.get("operatingSystemManager", {}).get("enableNonRootDeviceOwnership"):
        found["deviceOwnershipFromSecurityContext"] = True
    return found


def expand(manifest, terraform, has_units=False):
    """Returns the MachineDeployments and the settings, or raises Refused. has_units: the cluster has committed MachineDeployments."""
    manifest = copy.deepcopy(manifest)
    workers = [worker_set(one, "decode", fold=False) for one in manifest.get("dynamicWorkers", [])]
    clouds = [cloud for cloud in CLOUDS if manifest.get("cloudProvider", {}).get(cloud) is not None]
    hosts = manifest.get("controlPlane", {}).get("hosts", [])
    endpoint = manifest.get("apiEndpoint", {}).get("host")
    name = manifest.get("name", "")
    has_none = "none" in clouds
    if terraform is not None:
        for output in ("kubeone_workers", "kubeone_hosts", "kubeone_api"):
            strict(terraform.get(output, {}), {"sensitive": object, "type": object, "value": dict}, "terraform", fold=True)
        given = {key: worker_set(value, "terraform", fold=True)
                 for key, value in terraform.get("kubeone_workers", {}).get("value", {}).items()}
        control_plane = terraform.get("kubeone_hosts", {}).get("value", {}).get("control_plane", {})
        cloud = {"packet": "equinixmetal"}.get(control_plane.get("cloud_provider"), control_plane.get("cloud_provider"))
        if cloud is not None and cloud not in CLOUDS:
            raise Refused("terraform")
        if cloud is not None and cloud not in clouds:
            clouds.append(cloud)
        name = control_plane.get("cluster_name") or name
        hosts = control_plane.get("public_address") or control_plane.get("private_address") or hosts
        endpoint = terraform.get("kubeone_api", {}).get("value", {}).get("endpoint") or endpoint
    if len(clouds) > 1:
        raise Refused("cluster")
    if terraform is not None:
        for key in sorted(given):
            mine = next((worker for worker in workers if worker.get("name") == key), None)
            if mine is None:
                workers.append({**given[key], "name": key})
            elif clouds:
                merge(clouds[0], mine, given[key])
    if not clouds:
        raise Refused("cluster")
    cloud = clouds[0]
    controller = manifest.get("machineController")
    deploy = controller.get("deploy", False) if controller is not None else not has_none
    if workers and not deploy:
        raise Refused("workers")
    if manifest.get("operatingSystemManager", {}).get("deploy") and not deploy:
        raise Refused("cluster")
    version = manifest.get("versions", {}).get("kubernetes", "").removeprefix("v").removeprefix("v")
    for worker in workers:
        spec = worker["providerSpec"]
        family = (spec.get("network") or {}).get("ipFamily", "")
        if not worker.get("name") or worker.get("replicas", -1) < 0 or "cloudProviderSpec" not in spec or \
                family in ("IPv6", "IPv6+IPv4") or family == "IPv4+IPv6" and cloud not in ("aws", "vsphere"):
            raise Refused("workers")
    # Without Terraform's output nobody knows them, and committed MachineDeployments do not need them.
    is_known = terraform is not None or workers or not has_units
    if is_known and (not name or not hosts) or hosts and not endpoint and not isinstance(hosts[0], dict) and not hosts[0]:
        raise Refused("cluster")
    made = [machine_deployment(name, cloud, version, manifest.get("loggingConfig", {}), worker) for worker in workers]
    return made, settings(manifest, cloud, version)
