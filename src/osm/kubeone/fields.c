/*
 * The members of a KubeOneCluster (kubeone.k8c.io v1beta2, v1beta3). Choices and bounds are those
 * that KubeOne requires of every manifest, whatever Terraform's output adds; rules.c reports them.
 */
#include "osm/kubeone/fields.h"
#include "osm/kubeone/internal.h"

/* clang-format off */
static const struct shape empty = {.name = "Empty"};

/* ---- hosts --------------------------------------------------------------------------------- */

TABLE(taint, "Taint",
    TEXT("key", "of pods' tolerations, too"),
    TEXT("value", "compared with that of a toleration"),
    TEXT("effect", "NoSchedule, PreferNoSchedule or NoExecute"),
    TEXT("timeAdded", "when a taint with NoExecute was added, RFC 3339"),
);

#define KUBELET(pods, most_percent) \
    TEXT_MAP("systemReserved", "resources for the system's daemons, such as cpu: 200m"), \
    TEXT_MAP("kubeReserved", "resources for Kubernetes' own daemons, such as memory: 300Mi"), \
    TEXT_MAP("evictionHard", \
             "signals below which pods are evicted, such as memory.available: 100Mi"), \
    INT32("maxPods", "how many pods the node runs at most", .initial = "110", .least = (pods), \
          .most = (pods) ? INT32_MAX : 0), \
    INT("podPidsLimit", "how many processes a pod may have", .flags = KUBEONE_V1BETA3), \
    INT32("imageGCHighThresholdPercent", "unused images are removed when the disk is this full", \
          .initial = "85", .most = (most_percent)), \
    INT32("imageGCLowThresholdPercent", "until it is this full", .initial = "80", \
          .most = (most_percent)), \
    DURATION("imageMinimumGCAge", "how long an unused image is kept at least", .initial = "2m"), \
    DURATION("imageMaximumGCAge", "how long an unused image is kept at most; 0 for no limit")
TABLE(kubelet, "KubeletConfig", KUBELET(1, 100));
/* Terraform's output may replace the hosts, and with them what would be wrong here. */
TABLE(host_kubelet, "HostKubelet", KUBELET(0, 0));

TABLE(host, "Host",
    TEXT("publicAddress", "address that KubeOne connects to", .initial = "privateAddress"),
    TEXTS("ipv6Addresses", "for clusters with IPv6"),
    TEXT("privateAddress", "address of the node in the cluster", .initial = "publicAddress"),
    INT("sshPort", NULL, .initial = "22"),
    TEXT("sshUsername", NULL, .initial = "root"),
    TEXT("sshPrivateKeyFile", "path of the private key"),
    TEXT("sshCertFile", "path of the certificate of the key"),
    BASE64("sshHostPublicKey", "the host's public key; any is accepted if it is missing"),
    TEXT("sshAgentSocket", "path of the agent's socket, or env:NAME of a variable that has it",
         .initial = "env:SSH_AUTH_SOCK"),
    TEXT("bastion", "address of the host through which SSH goes"),
    INT("bastionPort", NULL, .initial = "22"),
    TEXT("bastionUser", NULL, .initial = "sshUsername"),
    BASE64("bastionHostPublicKey", "the bastion's public key; any is accepted if it is missing"),
    TEXT("bastionPrivateKeyFile", "path of the private key for the bastion"),
    TEXT("hostname", "name of the node", .initial = "that of the host"),
    BOOL("isLeader", "the host on which KubeOne runs kubeadm first; at most one"),
    LIST("taints", taint, "of the node; [] for none"),
    TEXT_MAP("labels", "a key that ends in - removes the label"),
    TEXT_MAP("annotations", "a key that ends in - removes the annotation"),
    MAP("kubelet", host_kubelet, "the host's own, over kubeletConfig"),
    TEXT("operatingSystem", "ubuntu, debian, centos, rhel, rockylinux or flatcar",
         .initial = "that of the host"),
);

TABLE(node_settings, "NodeSettings",
    TEXT_MAP("labels", "of the nodes"),
    TEXT_MAP("annotations", "of the nodes"),
    LIST("taints", taint, "of the nodes"),
);
TABLE(node_set_system, "NodeSetSystem",
    BOOL("distUpgradeOnBoot", "upgrade all packages at the first boot"),
);
TABLE(ssh, "SSH",
    TEXTS("publicKeys", "keys that the user of the machines accepts"),
    INT("port", NULL, .initial = "22"),
    TEXT("username", NULL, .initial = "root"),
    TEXT("privateKeyFile", "path of the private key"),
    TEXT("certFile", "path of the certificate of the key"),
    BASE64("hostPublicKey", "the machines' public key; any is accepted if it is missing"),
    TEXT("agentSocket", "path of the agent's socket, or env:NAME of a variable that has it"),
    TEXT("bastion", "address of the host through which SSH goes"),
    INT("bastionPort", NULL, .initial = "22"),
    TEXT("bastionUser", NULL, .initial = "username"),
    BASE64("bastionHostPublicKey", "the bastion's public key; any is accepted if it is missing"),
);
TABLE(node_set, "NodeSet",
    TEXT("name", "prefix of the machines' names"),
    INT("replicas", "how many machines"),
    INT("generation", "another number replaces the machines"),
    MAP("nodeSettings", node_settings, "labels, annotations and taints"),
    TEXT("operatingSystem", "of the machines, such as ubuntu"),
    MAP("operatingSystemSpec", node_set_system, "settings of the operating system"),
    MAP("ssh", ssh, "how KubeOne reaches the machines"),
    ANY("cloudProviderSpec", "the machines, as the cloud has them"),
);
TABLE(control_plane, "ControlPlane",
    LIST("hosts", host, "machines that exist; Terraform's output replaces them"),
    LIST("nodeSets", node_set,
         "machines that KubeOne creates, an odd number; on hetzner, openstack and kubevirt"),
);
TABLE(static_workers, "StaticWorkers",
    LIST("hosts", host, "machines that exist; Terraform's output adds some"),
);
TABLE(api_endpoint, "APIEndpoint",
    TEXT("host", "address of the API servers' load balancer",
         .initial = "the first host of the control plane"),
    INT("port", "1 to 65535", .initial = "6443", .most = 65535),
    TEXTS("alternativeNames", "further names and addresses in the API server's certificate"),
);

/* ---- clouds -------------------------------------------------------------------------------- */

TABLE(hetzner_balancer, "HetznerLoadBalancer",
    TEXT("name", "of the load balancer at Hetzner"),
    TEXT("type", "such as lb11"),
    TEXT("location", "such as fsn1"),
    BOOL("publicIP", "reachable from the internet"),
    TEXT_MAP("labels", "at Hetzner"),
);
TABLE(hetzner_control_plane, "HetznerControlPlane",
    MAP("loadBalancer", hetzner_balancer, "that KubeOne creates for the API servers"),
);
TABLE(hetzner, "Hetzner",
    TEXT("networkID", "name or number of the private network; required with controlPlane"),
    MAP("controlPlane", hetzner_control_plane, "what KubeOne creates for the control plane"),
);
TABLE(kubevirt_balancer, "KubeVirtLoadBalancer",
    TEXT("name", "of the Service in the infrastructure cluster"),
    TEXT("serviceType", "of the Service, such as LoadBalancer"),
    TEXT_MAP("annotations", "of the Service"),
);
TABLE(kubevirt_control_plane, "KubeVirtControlPlane",
    MAP("loadBalancer", kubevirt_balancer, "that KubeOne creates for the API servers"),
);
TABLE(kubevirt, "KubeVirt",
    TEXT("infraNamespace", "namespace of the machines in the infrastructure cluster; required"),
    BOOL("zoneAndRegionEnabled",
         "label nodes with the zone and region of the infrastructure cluster"),
    BOOL("loadBalancerEnabled", "have the cloud controller manager make load balancers"),
    MAP("controlPlane", kubevirt_control_plane, "what KubeOne creates for the control plane"),
);
TABLE(openstack_balancer, "OpenStackLoadBalancer",
    TEXT("name", "of the load balancer in OpenStack"),
    TEXT("poolID", "of the pool that gets the control plane's machines"),
);
TABLE(openstack_control_plane, "OpenStackControlPlane",
    MAP("loadBalancer", openstack_balancer, "that KubeOne uses for the API servers"),
);
TABLE(openstack, "OpenStack",
    MAP("controlPlane", openstack_control_plane, "what KubeOne creates for the control plane"),
);
TABLE(vmware_cloud_director, "VMwareCloudDirector",
    TEXT("vApp", "that the machines belong to"),
    TEXT("storageProfile", "for the CSI driver's volumes"),
);
TABLE(cloud_provider, "CloudProvider",
    BOOL("external", "use the cloud controller manager outside of Kubernetes"),
    BOOL("disableBundledCSIDrivers", "do not install the CSI driver of the cloud"),
    TEXT("cloudConfig",
         "file of the cloud controller manager; required on azure, openstack and vsphere",
         .flags = SHAPE_SECRET),
    TEXT("csiConfig", "file of vSphere's CSI driver; on vsphere only", .flags = SHAPE_SECRET),
    TEXT("secretProviderClassName", "SecretProviderClass that has the cloud's credentials"),
    MAP("aws", empty, "Amazon Web Services; name one cloud"),
    MAP("azure", empty, "Microsoft Azure"),
    MAP("digitalocean", empty, "DigitalOcean"),
    MAP("gce", empty, "Google Compute Engine"),
    MAP("hetzner", hetzner, "Hetzner Cloud"),
    MAP("kubevirt", kubevirt, "KubeVirt"),
    MAP("nutanix", empty, "Nutanix"),
    MAP("openstack", openstack, "OpenStack"),
    MAP("equinixmetal", empty, "Equinix Metal"),
    MAP("vmwareCloudDirector", vmware_cloud_director, "VMware Cloud Director"),
    MAP("vsphere", empty, "VMware vSphere"),
    MAP("none", empty, "no cloud; machine-controller is not installed by default"),
);

/* ---- container runtime --------------------------------------------------------------------- */

TABLE(docker, "Docker",
    TEXTS("registryMirrors", "no effect: KubeOne has no docker any more"),
);
TABLE(registry_tls, "RegistryTLS",
    BOOL("insecureSkipVerify", "accept any certificate of the registry"),
);
TABLE(registry_auth, "RegistryAuth",
    TEXT("username", NULL),
    TEXT("password", NULL, .flags = SHAPE_SECRET),
    TEXT("auth", "username:password in base64", .flags = SHAPE_SECRET),
    TEXT("identityToken", "token in the place of a password", .flags = SHAPE_SECRET),
);
TABLE(registry, "Registry",
    TEXTS("mirrors", "URLs, the first that answers is used"),
    BOOL("overridePath", "the mirrors' URLs have the whole path, with /v2"),
    MAP("tlsConfig", registry_tls, NULL),
    MAP("auth", registry_auth,
        "credentials; encrypt them, or leave the map empty and commit a Secret"),
);
TABLE(containerd, "Containerd",
    MAPS("registries", registry, "by host; \"*\" for all others"),
    BOOL("deviceOwnershipFromSecurityContext",
         "devices belong to the user that a container runs as"),
    TEXT("sandboxImage", "pause image", .initial = "that of kubeadm"),
);
TABLE(container_runtime, "ContainerRuntime",
    MAP("docker", docker, "no effect: KubeOne has no docker any more", .flags = KUBEONE_V1BETA2),
    MAP("containerd", containerd, "settings of containerd"),
);

/* ---- network ------------------------------------------------------------------------------- */

TABLE(ipvs, "IPVS",
    TEXT("scheduler", "how a backend is chosen", .initial = "rr"),
    TEXTS("excludeCIDRs", "networks whose IPVS rules kube-proxy leaves alone"),
    BOOL("strictARP", "answer ARP for local addresses only"),
    DURATION("tcpTimeout", "idle time of TCP connections; 0 for the kernel's"),
    DURATION("tcpFinTimeout", "idle time of TCP connections after a FIN; 0 for the kernel's"),
    DURATION("udpTimeout", "idle time of UDP packets; 0 for the kernel's"),
);
TABLE(kube_proxy, "KubeProxy",
    BOOL("skipInstallation", "do not install kube-proxy"),
    MAP("ipvs", ipvs, "use IPVS; not together with iptables"),
    MAP("iptables", empty, "use iptables"),
);
TABLE(canal, "Canal",
    INT("mtu", "of the pods' network in bytes", .initial = "what fits the cloud, mostly 1450"),
);
TABLE(cilium, "Cilium",
    TEXT("kubeProxyReplacement", "strict or disabled; strict needs kubeProxy.skipInstallation",
         .initial = "disabled", .flags = KUBEONE_V1BETA2),
    BOOL("kubeProxyReplacement", "needs kubeProxy.skipInstallation", .flags = KUBEONE_V1BETA3),
    BOOL("enableHubble", "install Hubble, which shows the network's flows"),
    BOOL("enableL2Announcements", "announce addresses of Services in the local network"),
    BOOL("enableGatewayAPI", "needs kubeProxyReplacement"),
    BOOL("enableLocalRedirectPolicy", "needs kubeProxyReplacement, and no nodeLocalDNS"),
);
TABLE(weave_net, "WeaveNet",
    BOOL("encrypted", "encrypt traffic between nodes"),
);
TABLE(cni, "CNI",
    MAP("canal", canal, "Canal; name one plugin"),
    MAP("cilium", cilium, "Cilium"),
    MAP("weaveNet", weave_net, "Weave Net"),
    MAP("external", empty, "KubeOne installs none"),
);
#define SUBNET "^([0-9.]+/[+-]?[0-9]+)?$"
TABLE(network, "ClusterNetwork",
    TEXT("podSubnet", "network of all pods", .initial = "10.244.0.0/16", .pattern = SUBNET),
    TEXT("podSubnetIPv6", "network of all pods with IPv6", .initial = "fd01::/48"),
    TEXT("serviceSubnet", "network of all Services", .initial = "10.96.0.0/12", .pattern = SUBNET),
    TEXT("serviceSubnetIPv6", "network of all Services with IPv6", .initial = "fd02::/120"),
    TEXT("serviceDomainName", "domain of the cluster's DNS", .initial = "cluster.local"),
    TEXT("nodePortRange", "ports of Services of type NodePort", .initial = "30000-32767"),
    MAP("cni", cni, "plugin of the pods' network", .initial = "canal"),
    MAP("kubeProxy", kube_proxy, "how kube-proxy works", .initial = "iptables"),
    TEXT("ipFamily", "IPv4+IPv6 on aws, vsphere and none only", .initial = "IPv4",
         .choices = "|IPv4|IPv4+IPv6"),
    INT("nodeCIDRMaskSizeIPv4",
        "length of the prefix of a node's pods; more than that of podSubnet", .initial = "24"),
    INT("nodeCIDRMaskSizeIPv6",
        "length of the prefix of a node's pods; more than that of podSubnetIPv6", .initial = "64"),
);
TABLE(proxy, "Proxy",
    TEXT("http", "URL of the proxy, for nodes, too"),
    TEXT("https", "URL of the proxy for https; for the control plane only"),
    TEXT("noProxy",
         "hosts and networks without the proxy, separated by commas; KubeOne adds the cluster's"),
);

/* ---- worker sets --------------------------------------------------------------------------- */

TABLE(dns, "DNS",
    TEXTS("servers", "addresses of DNS servers"),
);
TABLE(static_network, "StaticNetwork",
    TEXT("cidr", "address of the machine with its prefix"),
    TEXT("gateway", "address of the gateway"),
    MAP("dns", dns, NULL),
    TEXT("ipFamily", "IPv4, or IPv4+IPv6 on aws and vsphere", .initial = "IPv4"),
);
#define SPEC_HELP "the machines, as the cloud has them; Terraform's output adds members"
TABLE(provider_spec, "ProviderSpec",
    ANY("cloudProviderSpec", SPEC_HELP, .flags = KUBEONE_DECODED),
    ROW("cloudProviderSpec", SHAPE_MAP, SHAPE_ONE, SPEC_HELP, .flags = KUBEONE_SHOWN),
    TEXT_MAP("annotations", "of the MachineDeployment, such as k8c.io/operating-system-profile"),
    TEXT_MAP("machineAnnotations", "no effect; use nodeAnnotations", .flags = KUBEONE_V1BETA2),
    TEXT_MAP("nodeAnnotations", "of the nodes"),
    TEXT_MAP("machineObjectAnnotations", "of the Machines"),
    TEXT_MAP("labels", "of the Machines and the nodes"),
    LIST("taints", taint, "of the nodes"),
    TEXTS("sshPublicKeys", "keys that the user of the machines accepts"),
    TEXT("operatingSystem", "flatcar, ubuntu, rhel, rockylinux or amzn2"),
    ANY("operatingSystemSpec", "settings of the operating system, such as distUpgradeOnBoot"),
    MAP("network", static_network, "for machines without DHCP"),
    TEXT("overwriteCloudConfig", "user-data in the place of the rendered one"),
);
SHARED_TABLE(kubeone_worker_set_shape, "WorkerSet",
    TEXT("name", "of the MachineDeployment", .flags = SHAPE_FILLED),
    INT("replicas", "how many machines", .flags = SHAPE_REQUIRED, .most = INT32_MAX),
    MAP("providerSpec", provider_spec, "what the machines are"),
);

/* ---- what KubeOne installs ----------------------------------------------------------------- */

TABLE(machine_controller, "MachineController",
    BOOL("deploy", "install machine-controller, which dynamicWorkers need"),
);
TABLE(system_manager, "OperatingSystemManager",
    BOOL("deploy", "install the controller; false where osm-gen takes its place"),
    BOOL("enableNonRootDeviceOwnership", "devices belong to the user that a container runs as"),
);
TABLE(certificate_authority, "CertificateAuthority",
    TEXT("bundle", "certificates that nodes trust, PEM"),
    TEXT("file", "path of a file with them, relative to the manifest; wins over bundle"),
    DURATION("certificateValidityPeriod", "of kubeadm's certificates", .initial = "8760h"),
    DURATION("caCertificateValidityPeriod", "of kubeadm's CA certificates", .initial = "87600h"),
);
TABLE(core_dns, "CoreDNS",
    INT32("replicas", NULL, .initial = "2", .most = INT32_MAX),
    BOOL("deployPodDisruptionBudget", NULL, .initial = "true"),
    TEXT("imageRepository", "registry of the image"),
);
TABLE(enable, "Enable",
    BOOL("enable", "turn the feature on"),
);
TABLE(config_file, "ConfigFile",
    TEXT("configFilePath", "path of the admission plugin's configuration; required"),
);
TABLE(with_config_file, "EnableWithConfigFile",
    BOOL("enable", "turn the feature on"),
    MAP("config", config_file, NULL),
);
TABLE(static_audit_config, "StaticAuditLogConfig",
    TEXT("policyFilePath", "path of the audit policy; required"),
    TEXT("logPath", "file of the log on the hosts", .initial = "/var/log/kubernetes/audit.log"),
    INT("logMaxAge", "how long logs are kept, days", .initial = "30"),
    INT("logMaxBackup", "how many old logs are kept", .initial = "3"),
    INT("logMaxSize", "size of a log before a new one begins, megabytes", .initial = "100"),
);
TABLE(static_audit, "StaticAuditLog",
    BOOL("enable", "turn the feature on"),
    MAP("config", static_audit_config, NULL),
);
TABLE(audit_throttle, "AuditThrottle",
    BOOL("disable", "send batches as fast as they come"),
    INT("burst", "how many batches may be sent at once"),
    ROW("QPS", SHAPE_FLOAT, SHAPE_ONE, "how many batches are sent in a second"),
);
TABLE(audit_batch, "AuditBatch",
    INT("bufferSize", "how many events wait at most"),
    INT("maxSize", "how many events a batch has at most"),
    DURATION("maxWait", "how long a batch waits for further events"),
    MAP("throttle", audit_throttle, "limits how often batches are sent"),
);
TABLE(audit_truncate, "AuditTruncate",
    BOOL("enable", "cut events and batches that are too large"),
    INT("maxBatchSize", "size of a batch, bytes"),
    INT("maxEventSize", "size of an event, bytes"),
);
TABLE(webhook_audit_config, "WebhookAuditLogConfig",
    TEXT("policyFilePath", "path of the audit policy; required"),
    TEXT("configFilePath", "path of the webhook's kubeconfig; required"),
    DURATION("initialBackOff", "time before the first retry"),
    TEXT("mode", "batch, blocking or blocking-strict"),
    TEXT("version", "API version of the events, such as audit.k8s.io/v1"),
    MAP("batch", audit_batch, "how events are put together"),
    MAP("truncate", audit_truncate, "how large events are cut"),
);
TABLE(webhook_audit, "WebhookAuditLog",
    BOOL("enable", "turn the feature on"),
    MAP("config", webhook_audit_config, NULL),
);
TABLE(oidc_config, "OpenIDConnectConfig",
    TEXT("issuerUrl", "URL of the provider, https; required"),
    TEXT("clientId", "client that all tokens must be for"),
    TEXT("usernameClaim", "claim that has the user's name", .initial = "sub"),
    TEXT("usernamePrefix", "put before each user's name", .initial = "oidc:"),
    TEXT("groupsClaim", "claim that has the user's groups", .initial = "groups"),
    TEXT("groupsPrefix", "put before each group", .initial = "oidc:"),
    TEXT("requiredClaim", "KEY=VALUE that a token must have"),
    TEXT("signingAlgs", "algorithms that are accepted, separated by commas", .initial = "RS256"),
    TEXT("caFile", "path of the CA that signed the provider's certificate"),
);
TABLE(oidc, "OpenIDConnect",
    BOOL("enable", "turn the feature on"),
    MAP("config", oidc_config, NULL),
);
TABLE(encryption, "EncryptionProviders",
    BOOL("enable", "encrypt Secrets in etcd"),
    TEXT("customEncryptionConfiguration",
         "an EncryptionConfiguration in the place of KubeOne's own", .flags = SHAPE_SECRET),
);
TABLE(node_local_dns, "NodeLocalDNS",
    BOOL("deploy", "false: nodes ask the cluster's DNS; then set clusterDNS for osm-gen"),
);
TABLE(features, "Features",
    MAP("coreDNS", core_dns, "the cluster's DNS"),
    MAP("alwaysPullImages", enable, "admission plugin: images are pulled for each pod"),
    MAP("eventRateLimit", with_config_file, "admission plugin: limits events"),
    MAP("podNodeSelector", with_config_file, "admission plugin: node selectors for namespaces"),
    MAP("podSecurityPolicy", enable, "no effect since Kubernetes 1.25", .flags = KUBEONE_V1BETA2),
    MAP("staticAuditLog", static_audit, "audit log in a file"),
    MAP("dynamicAuditLog", enable, "no effect since Kubernetes 1.19"),
    MAP("webhookAuditLog", webhook_audit, "audit log to a webhook", .flags = KUBEONE_V1BETA3),
    MAP("metricsServer", enable, "metrics-server, on by default"),
    MAP("openidConnect", oidc, "log in with OpenID Connect"),
    MAP("encryptionProviders", encryption, "encryption of Secrets in etcd"),
    MAP("nodeLocalDNS", node_local_dns, "a DNS cache on each node, on by default"),
);

TABLE(addon, "Addon",
    TEXT("name", "folder of the addon in path, or one of KubeOne's own addons"),
    TEXT_MAP("params", "parameters of its templates"),
    BOOL("disableTemplating", "its manifests are not templates"),
    BOOL("delete", "remove the addon from the cluster"),
);
TABLE(helm_auth, "HelmAuth",
    TEXT("username", "required with password"),
    TEXT("password", "required with username", .flags = SHAPE_SECRET),
);
TABLE(helm_values, "HelmValues",
    TEXT("valuesFile", "path of a file with values"),
    ANY("inline", "values themselves"),
);
TABLE(helm_release, "HelmRelease",
    TEXT("chart", "name or path of the chart; this or chartURL is required"),
    TEXT("repoURL", "URL of the repository of charts"),
    TEXT("chartURL", "URL of the chart"),
    TEXT("version", "of the chart", .initial = "the newest"),
    TEXT("releaseName", "required with chartURL", .initial = "chart"),
    TEXT("namespace", "of the release", .flags = SHAPE_FILLED),
    BOOL("wait", "until all that the release has is ready"),
    BOOL("insecure", "accept any certificate of the repository"),
    DURATION("timeout", "of waiting"),
    LIST("values", helm_values, "later ones win"),
    MAP("auth", helm_auth, "credentials for the repository"),
);
TABLE(addon_reference, "AddonOrHelmRelease",
    MAP("addon", addon, "manifests that KubeOne applies"),
    MAP("helmRelease", helm_release, "a chart that KubeOne installs"),
);
TABLE(addons, "Addons",
    BOOL("enable", "apply addons", .flags = KUBEONE_V1BETA2),
    TEXT("path", "folder of addons, relative to the manifest"),
    TEXT_MAP("globalParams", "parameters of all addons' templates", .flags = KUBEONE_V1BETA2),
    LIST("addons", addon, "addons to apply or to delete", .flags = KUBEONE_V1BETA2),
    LIST("addons", addon_reference, "addons and Helm releases", .flags = KUBEONE_V1BETA3),
);
TABLE(system_packages, "SystemPackages",
    BOOL("configureRepositories", "add Kubernetes' package repositories on hosts",
         .initial = "true"),
);
TABLE(registry_configuration, "RegistryConfiguration",
    TEXT("overwriteRegistry",
         "registry of all images that KubeOne installs, such as 127.0.0.1:5000"),
    BOOL("insecureRegistry", "it has no valid certificate; needs overwriteRegistry"),
);
TABLE(logging, "LoggingConfig",
    TEXT("containerLogMaxSize", "size of a container's log before a new one begins",
         .initial = "100Mi"),
    INT32("containerLogMaxFiles", "how many logs a container has", .initial = "5"),
);
TABLE(cipher_suites, "TLSCipherSuites",
    TEXTS("apiServer", "cipher suites of the API server"),
    TEXTS("etcd", "cipher suites of etcd"),
    TEXTS("kubelet", "cipher suites of kubelets"),
);
TABLE(component, "Component",
    TEXT_MAP("flags", "flags without --; use featureGates for feature-gates"),
    ROW("featureGates", SHAPE_BOOL, SHAPE_DICT, "feature gates and whether they are on"),
);
TABLE(etcd, "Etcd",
    INT("quotaBackendBytes",
        "size of the database at most, bytes, from 2 GiB on; 0 for the default"),
    TEXT("autoCompactionRetention", "how long, or for how many revisions, history is kept"),
    TEXT("autoCompactionMode", "unit of autoCompactionRetention", .choices = "|periodic|revision"),
);
TABLE(components, "ControlPlaneComponents",
    MAP("controllerManager", component, "kube-controller-manager"),
    MAP("scheduler", component, "kube-scheduler"),
    MAP("apiServer", component, "kube-apiserver"),
    MAP("etcd", etcd, NULL),
);

/* ---- the document -------------------------------------------------------------------------- */

TABLE(versions, "Versions",
    TEXT("kubernetes", "release of the control plane and of dynamicWorkers' kubelets, in quotes",
         .flags = SHAPE_FILLED, 
         .pattern = "^v{0,2}[0-9]+(\\.[0-9]+){0,2}(\\+[0-9A-Za-z.-]+)?$"),
);
SHARED_TABLE(kubeone_cluster, OSM_KUBEONE_KIND,
    TEXT("apiVersion", NULL, .flags = SHAPE_FILLED | KUBEONE_V1BETA2,
         .choices = OSM_KUBEONE_GROUP "/v1beta2"),
    TEXT("apiVersion", NULL, .flags = SHAPE_FILLED | KUBEONE_V1BETA3,
         .choices = OSM_KUBEONE_GROUP "/v1beta3"),
    TEXT("kind", NULL, .flags = SHAPE_FILLED, .choices = OSM_KUBEONE_KIND),
    TEXT("name", "of the cluster: a-z, 0-9, - and .; Terraform's output may replace it"),
    MAP("controlPlane", control_plane, "hosts of the control plane"),
    MAP("kubeletConfig", kubelet, "kubelets of the hosts"),
    MAP("apiEndpoint", api_endpoint, "where the API server is reached"),
    MAP("cloudProvider", cloud_provider, "the cloud; Terraform's output may name it"),
    MAP("versions", versions, NULL, .flags = SHAPE_REQUIRED),
    MAP("containerRuntime", container_runtime, "containerd and its registries"),
    MAP("clusterNetwork", network, "networks of pods and Services"),
    MAP("proxy", proxy, "proxies of hosts and nodes"),
    MAP("staticWorkers", static_workers, "workers that KubeOne installs over SSH"),
    LIST("dynamicWorkers", kubeone_worker_set_shape,
         "worker sets, of which MachineDeployments are made"),
    MAP("machineController", machine_controller, NULL),
    MAP("operatingSystemManager", system_manager, NULL),
    TEXT("caBundle", "certificates that nodes trust, PEM; better in certificateAuthority"),
    MAP("certificateAuthority", certificate_authority,
        "certificates that nodes trust, and how long kubeadm's are valid"),
    MAP("features", features, "what KubeOne turns on or off"),
    MAP("addons", addons, "manifests that KubeOne applies"),
    LIST("helmReleases", helm_release, "charts that KubeOne installs", .flags = KUBEONE_V1BETA2),
    MAP("systemPackages", system_packages, "packages of the hosts"),
    MAP("registryConfiguration", registry_configuration, "registry of KubeOne's images"),
    MAP("loggingConfig", logging, "logs of containers"),
    MAP("tlsCipherSuites", cipher_suites, "cipher suites that servers accept"),
    MAP("controlPlaneComponents", components, "flags of the control plane"),
);
/* clang-format on */

struct value osm_kubeone_schema(struct arena *arena, bool is_v1beta3)
{
	const struct shape_schema schema = {
	    .title = OSM_KUBEONE_KIND " of " OSM_KUBEONE_GROUP,
	    .description = "A cluster of KubeOne. Terraform's output, which is not part of it, may "
	                   "add hosts, the cloud and worker sets.",
	    .may_be_encrypted = true,
	    .absent = KUBEONE_DECODED | (is_v1beta3 ? KUBEONE_V1BETA2 : KUBEONE_V1BETA3),
	};

	return shape_json_schema(arena, &kubeone_cluster, &schema);
}
