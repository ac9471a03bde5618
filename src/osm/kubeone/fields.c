/*
 * The members of a KubeOneCluster (kubeone.k8c.io v1beta2, v1beta3). Choices and bounds are those
 * that KubeOne requires of every manifest, whatever Terraform's output adds; rules.c reports them.
 */
#include "osm/kubeone/fields.h"
#include "osm/kubeone/internal.h"

/* clang-format off */
static const struct shape empty = {.name = "Empty"};

/* ---- hosts --------------------------------------------------------------------------------- */

SHAPE_TABLE(taint, "Taint",
    ROW_TEXT("key", "of pods' tolerations, too"),
    ROW_TEXT("value", "compared with that of a toleration"),
    ROW_TEXT("effect", "NoSchedule, PreferNoSchedule or NoExecute"),
    ROW_TEXT("timeAdded", "when a taint with NoExecute was added, RFC 3339"),
);

#define KUBELET(pods, most_percent) \
    ROW_TEXT_DICT("systemReserved", "resources for the system's daemons, such as cpu: 200m"), \
    ROW_TEXT_DICT("kubeReserved", "resources for Kubernetes' own daemons, such as memory: 300Mi"), \
    ROW_TEXT_DICT("evictionHard", \
             "signals below which pods are evicted, such as memory.available: 100Mi"), \
    ROW_INT32("maxPods", "how many pods the node runs at most", .initial = "110", .least = (pods), \
          .most = (pods) ? INT32_MAX : 0), \
    ROW_INT("podPidsLimit", "how many processes a pod may have", .flags = KUBEONE_V1BETA3), \
    ROW_INT32("imageGCHighThresholdPercent", "unused images are removed when the disk is this full", \
          .initial = "85", .most = (most_percent)), \
    ROW_INT32("imageGCLowThresholdPercent", "until it is this full", .initial = "80", \
          .most = (most_percent)), \
    SHAPE_ROW("imageMinimumGCAge", DURATION, ONE, "how long an unused image is kept at least", .initial = "2m"), \
    SHAPE_ROW("imageMaximumGCAge", DURATION, ONE, "how long an unused image is kept at most; 0 for no limit")
SHAPE_TABLE(kubelet, "KubeletConfig", KUBELET(1, 100));
/* Terraform's output may replace the hosts, and with them what would be wrong here. */
SHAPE_TABLE(host_kubelet, "HostKubelet", KUBELET(0, 0));

SHAPE_TABLE(host, "Host",
    ROW_TEXT("publicAddress", "address that KubeOne connects to", .initial = "privateAddress"),
    ROW_TEXTS("ipv6Addresses", "for clusters with IPv6"),
    ROW_TEXT("privateAddress", "address of the node in the cluster", .initial = "publicAddress"),
    ROW_INT("sshPort", NULL, .initial = "22"),
    ROW_TEXT("sshUsername", NULL, .initial = "root"),
    ROW_TEXT("sshPrivateKeyFile", "path of the private key"),
    ROW_TEXT("sshCertFile", "path of the certificate of the key"),
    SHAPE_ROW("sshHostPublicKey", BASE64, ONE, "the host's public key; any is accepted if it is missing"),
    ROW_TEXT("sshAgentSocket", "path of the agent's socket, or env:NAME of a variable that has it",
         .initial = "env:SSH_AUTH_SOCK"),
    ROW_TEXT("bastion", "address of the host through which SSH goes"),
    ROW_INT("bastionPort", NULL, .initial = "22"),
    ROW_TEXT("bastionUser", NULL, .initial = "sshUsername"),
    SHAPE_ROW("bastionHostPublicKey", BASE64, ONE, "the bastion's public key; any is accepted if it is missing"),
    ROW_TEXT("bastionPrivateKeyFile", "path of the private key for the bastion"),
    ROW_TEXT("hostname", "name of the node", .initial = "that of the host"),
    ROW_BOOL("isLeader", "the host on which KubeOne runs kubeadm first; at most one"),
    ROW_MAPS("taints", taint, "of the node; [] for none"),
    ROW_TEXT_DICT("labels", "a key that ends in - removes the label"),
    ROW_TEXT_DICT("annotations", "a key that ends in - removes the annotation"),
    ROW_MAP("kubelet", host_kubelet, "the host's own, over kubeletConfig"),
    ROW_TEXT("operatingSystem", "ubuntu, debian, centos, rhel, rockylinux or flatcar",
         .initial = "that of the host"),
);

SHAPE_TABLE(node_settings, "NodeSettings",
    ROW_TEXT_DICT("labels", "of the nodes"),
    ROW_TEXT_DICT("annotations", "of the nodes"),
    ROW_MAPS("taints", taint, "of the nodes"),
);
SHAPE_TABLE(node_set_system, "NodeSetSystem",
    ROW_BOOL("distUpgradeOnBoot", "upgrade all packages at the first boot"),
);
SHAPE_TABLE(ssh, "SSH",
    ROW_TEXTS("publicKeys", "keys that the user of the machines accepts"),
    ROW_INT("port", NULL, .initial = "22"),
    ROW_TEXT("username", NULL, .initial = "root"),
    ROW_TEXT("privateKeyFile", "path of the private key"),
    ROW_TEXT("certFile", "path of the certificate of the key"),
    SHAPE_ROW("hostPublicKey", BASE64, ONE, "the machines' public key; any is accepted if it is missing"),
    ROW_TEXT("agentSocket", "path of the agent's socket, or env:NAME of a variable that has it"),
    ROW_TEXT("bastion", "address of the host through which SSH goes"),
    ROW_INT("bastionPort", NULL, .initial = "22"),
    ROW_TEXT("bastionUser", NULL, .initial = "username"),
    SHAPE_ROW("bastionHostPublicKey", BASE64, ONE, "the bastion's public key; any is accepted if it is missing"),
);
SHAPE_TABLE(node_set, "NodeSet",
    ROW_TEXT("name", "prefix of the machines' names"),
    ROW_INT("replicas", "how many machines"),
    ROW_INT("generation", "another number replaces the machines"),
    ROW_MAP("nodeSettings", node_settings, "labels, annotations and taints"),
    ROW_TEXT("operatingSystem", "of the machines, such as ubuntu"),
    ROW_MAP("operatingSystemSpec", node_set_system, "settings of the operating system"),
    ROW_MAP("ssh", ssh, "how KubeOne reaches the machines"),
    SHAPE_ROW("cloudProviderSpec", ANY, ONE, "the machines, as the cloud has them"),
);
SHAPE_TABLE(control_plane, "ControlPlane",
    ROW_MAPS("hosts", host, "machines that exist; Terraform's output replaces them"),
    ROW_MAPS("nodeSets", node_set,
         "machines that KubeOne creates, an odd number; on hetzner, openstack and kubevirt"),
);
SHAPE_TABLE(static_workers, "StaticWorkers",
    ROW_MAPS("hosts", host, "machines that exist; Terraform's output adds some"),
);
SHAPE_TABLE(api_endpoint, "APIEndpoint",
    ROW_TEXT("host", "address of the API servers' load balancer",
         .initial = "the first host of the control plane"),
    ROW_INT("port", "1 to 65535", .initial = "6443", .most = 65535),
    ROW_TEXTS("alternativeNames", "further names and addresses in the API server's certificate"),
);

/* ---- clouds -------------------------------------------------------------------------------- */

SHAPE_TABLE(hetzner_balancer, "HetznerLoadBalancer",
    ROW_TEXT("name", "of the load balancer at Hetzner"),
    ROW_TEXT("type", "such as lb11"),
    ROW_TEXT("location", "such as fsn1"),
    ROW_BOOL("publicIP", "reachable from the internet"),
    ROW_TEXT_DICT("labels", "at Hetzner"),
);
SHAPE_TABLE(hetzner_control_plane, "HetznerControlPlane",
    ROW_MAP("loadBalancer", hetzner_balancer, "that KubeOne creates for the API servers"),
);
SHAPE_TABLE(hetzner, "Hetzner",
    ROW_TEXT("networkID", "name or number of the private network; required with controlPlane"),
    ROW_MAP("controlPlane", hetzner_control_plane, "what KubeOne creates for the control plane"),
);
SHAPE_TABLE(kubevirt_balancer, "KubeVirtLoadBalancer",
    ROW_TEXT("name", "of the Service in the infrastructure cluster"),
    ROW_TEXT("serviceType", "of the Service, such as LoadBalancer"),
    ROW_TEXT_DICT("annotations", "of the Service"),
);
SHAPE_TABLE(kubevirt_control_plane, "KubeVirtControlPlane",
    ROW_MAP("loadBalancer", kubevirt_balancer, "that KubeOne creates for the API servers"),
);
SHAPE_TABLE(kubevirt, "KubeVirt",
    ROW_TEXT("infraNamespace", "namespace of the machines in the infrastructure cluster; required"),
    ROW_BOOL("zoneAndRegionEnabled",
         "label nodes with the zone and region of the infrastructure cluster"),
    ROW_BOOL("loadBalancerEnabled", "have the cloud controller manager make load balancers"),
    ROW_MAP("controlPlane", kubevirt_control_plane, "what KubeOne creates for the control plane"),
);
SHAPE_TABLE(openstack_balancer, "OpenStackLoadBalancer",
    ROW_TEXT("name", "of the load balancer in OpenStack"),
    ROW_TEXT("poolID", "of the pool that gets the control plane's machines"),
);
SHAPE_TABLE(openstack_control_plane, "OpenStackControlPlane",
    ROW_MAP("loadBalancer", openstack_balancer, "that KubeOne uses for the API servers"),
);
SHAPE_TABLE(openstack, "OpenStack",
    ROW_MAP("controlPlane", openstack_control_plane, "what KubeOne creates for the control plane"),
);
SHAPE_TABLE(vmware_cloud_director, "VMwareCloudDirector",
    ROW_TEXT("vApp", "that the machines belong to"),
    ROW_TEXT("storageProfile", "for the CSI driver's volumes"),
);
SHAPE_TABLE(cloud_provider, "CloudProvider",
    ROW_BOOL("external", "use the cloud controller manager outside of Kubernetes"),
    ROW_BOOL("disableBundledCSIDrivers", "do not install the CSI driver of the cloud"),
    ROW_TEXT("cloudConfig",
         "file of the cloud controller manager; required on azure, openstack and vsphere",
         .flags = SHAPE_SECRET),
    ROW_TEXT("csiConfig", "file of vSphere's CSI driver; on vsphere only", .flags = SHAPE_SECRET),
    ROW_TEXT("secretProviderClassName", "SecretProviderClass that has the cloud's credentials"),
    ROW_MAP("aws", empty, "Amazon Web Services; name one cloud"),
    ROW_MAP("azure", empty, "Microsoft Azure"),
    ROW_MAP("digitalocean", empty, "DigitalOcean"),
    ROW_MAP("gce", empty, "Google Compute Engine"),
    ROW_MAP("hetzner", hetzner, "Hetzner Cloud"),
    ROW_MAP("kubevirt", kubevirt, "KubeVirt"),
    ROW_MAP("nutanix", empty, "Nutanix"),
    ROW_MAP("openstack", openstack, "OpenStack"),
    ROW_MAP("equinixmetal", empty, "Equinix Metal"),
    ROW_MAP("vmwareCloudDirector", vmware_cloud_director, "VMware Cloud Director"),
    ROW_MAP("vsphere", empty, "VMware vSphere"),
    ROW_MAP("none", empty, "no cloud; machine-controller is not installed by default"),
);

/* ---- container runtime --------------------------------------------------------------------- */

SHAPE_TABLE(docker, "Docker",
    ROW_TEXTS("registryMirrors", "no effect: KubeOne has no docker any more"),
);
SHAPE_TABLE(registry_tls, "RegistryTLS",
    ROW_BOOL("insecureSkipVerify", "accept any certificate of the registry"),
);
SHAPE_TABLE(registry_auth, "RegistryAuth",
    ROW_TEXT("username", NULL),
    ROW_TEXT("password", NULL, .flags = SHAPE_SECRET),
    ROW_TEXT("auth", "username:password in base64", .flags = SHAPE_SECRET),
    ROW_TEXT("identityToken", "token in the place of a password", .flags = SHAPE_SECRET),
);
SHAPE_TABLE(registry, "Registry",
    ROW_TEXTS("mirrors", "URLs, the first that answers is used"),
    ROW_BOOL("overridePath", "the mirrors' URLs have the whole path, with /v2"),
    ROW_MAP("tlsConfig", registry_tls, NULL),
    ROW_MAP("auth", registry_auth,
        "credentials; encrypt them, or leave the map empty and commit a Secret"),
);
SHAPE_TABLE(containerd, "Containerd",
    ROW_MAP_DICT("registries", registry, "by host; \"*\" for all others"),
    ROW_BOOL("deviceOwnershipFromSecurityContext",
         "devices belong to the user that a container runs as"),
    ROW_TEXT("sandboxImage", "pause image", .initial = "that of kubeadm"),
);
SHAPE_TABLE(container_runtime, "ContainerRuntime",
    ROW_MAP("docker", docker, "no effect: KubeOne has no docker any more", .flags = KUBEONE_V1BETA2),
    ROW_MAP("containerd", containerd, "settings of containerd"),
);

/* ---- network ------------------------------------------------------------------------------- */

SHAPE_TABLE(ipvs, "IPVS",
    ROW_TEXT("scheduler", "how a backend is chosen", .initial = "rr"),
    ROW_TEXTS("excludeCIDRs", "networks whose IPVS rules kube-proxy leaves alone"),
    ROW_BOOL("strictARP", "answer ARP for local addresses only"),
    SHAPE_ROW("tcpTimeout", DURATION, ONE, "idle time of TCP connections; 0 for the kernel's"),
    SHAPE_ROW("tcpFinTimeout", DURATION, ONE, "idle time of TCP connections after a FIN; 0 for the kernel's"),
    SHAPE_ROW("udpTimeout", DURATION, ONE, "idle time of UDP packets; 0 for the kernel's"),
);
SHAPE_TABLE(kube_proxy, "KubeProxy",
    ROW_BOOL("skipInstallation", "do not install kube-proxy"),
    ROW_MAP("ipvs", ipvs, "use IPVS; not together with iptables"),
    ROW_MAP("iptables", empty, "use iptables"),
);
SHAPE_TABLE(canal, "Canal",
    ROW_INT("mtu", "of the pods' network in bytes", .initial = "what fits the cloud, mostly 1450"),
);
SHAPE_TABLE(cilium, "Cilium",
    ROW_TEXT("kubeProxyReplacement", "strict or disabled; strict needs kubeProxy.skipInstallation",
         .initial = "disabled", .flags = KUBEONE_V1BETA2),
    ROW_BOOL("kubeProxyReplacement", "needs kubeProxy.skipInstallation", .flags = KUBEONE_V1BETA3),
    ROW_BOOL("enableHubble", "install Hubble, which shows the network's flows"),
    ROW_BOOL("enableL2Announcements", "announce addresses of Services in the local network"),
    ROW_BOOL("enableGatewayAPI", "needs kubeProxyReplacement"),
    ROW_BOOL("enableLocalRedirectPolicy", "needs kubeProxyReplacement, and no nodeLocalDNS"),
);
SHAPE_TABLE(weave_net, "WeaveNet",
    ROW_BOOL("encrypted", "encrypt traffic between nodes"),
);
SHAPE_TABLE(cni, "CNI",
    ROW_MAP("canal", canal, "Canal; name one plugin"),
    ROW_MAP("cilium", cilium, "Cilium"),
    ROW_MAP("weaveNet", weave_net, "Weave Net"),
    ROW_MAP("external", empty, "KubeOne installs none"),
);
#define SUBNET "^([0-9.]+/[+-]?[0-9]+)?$"
SHAPE_TABLE(network, "ClusterNetwork",
    ROW_TEXT("podSubnet", "network of all pods", .initial = "10.244.0.0/16", .pattern = SUBNET),
    ROW_TEXT("podSubnetIPv6", "network of all pods with IPv6", .initial = "fd01::/48"),
    ROW_TEXT("serviceSubnet", "network of all Services", .initial = "10.96.0.0/12", .pattern = SUBNET),
    ROW_TEXT("serviceSubnetIPv6", "network of all Services with IPv6", .initial = "fd02::/120"),
    ROW_TEXT("serviceDomainName", "domain of the cluster's DNS", .initial = "cluster.local"),
    ROW_TEXT("nodePortRange", "ports of Services of type NodePort", .initial = "30000-32767"),
    ROW_MAP("cni", cni, "plugin of the pods' network", .initial = "canal"),
    ROW_MAP("kubeProxy", kube_proxy, "how kube-proxy works", .initial = "iptables"),
    ROW_TEXT("ipFamily", "IPv4+IPv6 on aws, vsphere and none only", .initial = "IPv4",
         .choices = "|IPv4|IPv4+IPv6"),
    ROW_INT("nodeCIDRMaskSizeIPv4",
        "length of the prefix of a node's pods; more than that of podSubnet", .initial = "24"),
    ROW_INT("nodeCIDRMaskSizeIPv6",
        "length of the prefix of a node's pods; more than that of podSubnetIPv6", .initial = "64"),
);
SHAPE_TABLE(proxy, "Proxy",
    ROW_TEXT("http", "URL of the proxy, for nodes, too"),
    ROW_TEXT("https", "URL of the proxy for https; for the control plane only"),
    ROW_TEXT("noProxy",
         "hosts and networks without the proxy, separated by commas; KubeOne adds the cluster's"),
);

/* ---- worker sets --------------------------------------------------------------------------- */

SHAPE_TABLE(dns, "DNS",
    ROW_TEXTS("servers", "addresses of DNS servers"),
);
SHAPE_TABLE(static_network, "StaticNetwork",
    ROW_TEXT("cidr", "address of the machine with its prefix"),
    ROW_TEXT("gateway", "address of the gateway"),
    ROW_MAP("dns", dns, NULL),
    ROW_TEXT("ipFamily", "IPv4, or IPv4+IPv6 on aws and vsphere", .initial = "IPv4"),
);
#define SPEC_HELP "the machines, as the cloud has them; Terraform's output adds members"
SHAPE_TABLE(provider_spec, "ProviderSpec",
    SHAPE_ROW("cloudProviderSpec", ANY, ONE, SPEC_HELP, .flags = KUBEONE_DECODED),
    SHAPE_ROW("cloudProviderSpec", MAP, ONE, SPEC_HELP, .flags = KUBEONE_SHOWN),
    ROW_TEXT_DICT("annotations", "of the MachineDeployment, such as k8c.io/operating-system-profile"),
    ROW_TEXT_DICT("machineAnnotations", "no effect; use nodeAnnotations", .flags = KUBEONE_V1BETA2),
    ROW_TEXT_DICT("nodeAnnotations", "of the nodes"),
    ROW_TEXT_DICT("machineObjectAnnotations", "of the Machines"),
    ROW_TEXT_DICT("labels", "of the Machines and the nodes"),
    ROW_MAPS("taints", taint, "of the nodes"),
    ROW_TEXTS("sshPublicKeys", "keys that the user of the machines accepts"),
    ROW_TEXT("operatingSystem", "flatcar, ubuntu, rhel, rockylinux or amzn2"),
    SHAPE_ROW("operatingSystemSpec", ANY, ONE, "settings of the operating system, such as distUpgradeOnBoot"),
    ROW_MAP("network", static_network, "for machines without DHCP"),
    ROW_TEXT("overwriteCloudConfig", "user-data in the place of the rendered one"),
);
SHARED_TABLE(kubeone_worker_set_shape, "WorkerSet",
    ROW_TEXT("name", "of the MachineDeployment", .flags = SHAPE_FILLED),
    ROW_INT("replicas", "how many machines", .flags = SHAPE_REQUIRED, .most = INT32_MAX),
    ROW_MAP("providerSpec", provider_spec, "what the machines are"),
);

/* ---- what KubeOne installs ----------------------------------------------------------------- */

SHAPE_TABLE(machine_controller, "MachineController",
    ROW_BOOL("deploy", "install machine-controller, which dynamicWorkers need"),
);
SHAPE_TABLE(system_manager, "OperatingSystemManager",
    ROW_BOOL("deploy", "install the controller; false where osm-gen takes its place"),
    ROW_BOOL("enableNonRootDeviceOwnership", "devices belong to the user that a container runs as"),
);
SHAPE_TABLE(certificate_authority, "CertificateAuthority",
    ROW_TEXT("bundle", "certificates that nodes trust, PEM"),
    ROW_TEXT("file", "path of a file with them, relative to the manifest; wins over bundle"),
    SHAPE_ROW("certificateValidityPeriod", DURATION, ONE, "of kubeadm's certificates", .initial = "8760h"),
    SHAPE_ROW("caCertificateValidityPeriod", DURATION, ONE, "of kubeadm's CA certificates", .initial = "87600h"),
);
SHAPE_TABLE(core_dns, "CoreDNS",
    ROW_INT32("replicas", NULL, .initial = "2", .most = INT32_MAX),
    ROW_BOOL("deployPodDisruptionBudget", NULL, .initial = "true"),
    ROW_TEXT("imageRepository", "registry of the image"),
);
SHAPE_TABLE(enable, "Enable",
    ROW_BOOL("enable", "turn the feature on"),
);
SHAPE_TABLE(config_file, "ConfigFile",
    ROW_TEXT("configFilePath", "path of the admission plugin's configuration; required"),
);
SHAPE_TABLE(with_config_file, "EnableWithConfigFile",
    ROW_BOOL("enable", "turn the feature on"),
    ROW_MAP("config", config_file, NULL),
);
SHAPE_TABLE(static_audit_config, "StaticAuditLogConfig",
    ROW_TEXT("policyFilePath", "path of the audit policy; required"),
    ROW_TEXT("logPath", "file of the log on the hosts", .initial = "/var/log/kubernetes/audit.log"),
    ROW_INT("logMaxAge", "how long logs are kept, days", .initial = "30"),
    ROW_INT("logMaxBackup", "how many old logs are kept", .initial = "3"),
    ROW_INT("logMaxSize", "size of a log before a new one begins, megabytes", .initial = "100"),
);
SHAPE_TABLE(static_audit, "StaticAuditLog",
    ROW_BOOL("enable", "turn the feature on"),
    ROW_MAP("config", static_audit_config, NULL),
);
SHAPE_TABLE(audit_throttle, "AuditThrottle",
    ROW_BOOL("disable", "send batches as fast as they come"),
    ROW_INT("burst", "how many batches may be sent at once"),
    SHAPE_ROW("QPS", FLOAT, ONE, "how many batches are sent in a second"),
);
SHAPE_TABLE(audit_batch, "AuditBatch",
    ROW_INT("bufferSize", "how many events wait at most"),
    ROW_INT("maxSize", "how many events a batch has at most"),
    SHAPE_ROW("maxWait", DURATION, ONE, "how long a batch waits for further events"),
    ROW_MAP("throttle", audit_throttle, "limits how often batches are sent"),
);
SHAPE_TABLE(audit_truncate, "AuditTruncate",
    ROW_BOOL("enable", "cut events and batches that are too large"),
    ROW_INT("maxBatchSize", "size of a batch, bytes"),
    ROW_INT("maxEventSize", "size of an event, bytes"),
);
SHAPE_TABLE(webhook_audit_config, "WebhookAuditLogConfig",
    ROW_TEXT("policyFilePath", "path of the audit policy; required"),
    ROW_TEXT("configFilePath", "path of the webhook's kubeconfig; required"),
    SHAPE_ROW("initialBackOff", DURATION, ONE, "time before the first retry"),
    ROW_TEXT("mode", "batch, blocking or blocking-strict"),
    ROW_TEXT("version", "API version of the events, such as audit.k8s.io/v1"),
    ROW_MAP("batch", audit_batch, "how events are put together"),
    ROW_MAP("truncate", audit_truncate, "how large events are cut"),
);
SHAPE_TABLE(webhook_audit, "WebhookAuditLog",
    ROW_BOOL("enable", "turn the feature on"),
    ROW_MAP("config", webhook_audit_config, NULL),
);
SHAPE_TABLE(oidc_config, "OpenIDConnectConfig",
    ROW_TEXT("issuerUrl", "URL of the provider, https; required"),
    ROW_TEXT("clientId", "client that all tokens must be for"),
    ROW_TEXT("usernameClaim", "claim that has the user's name", .initial = "sub"),
    ROW_TEXT("usernamePrefix", "put before each user's name", .initial = "oidc:"),
    ROW_TEXT("groupsClaim", "claim that has the user's groups", .initial = "groups"),
    ROW_TEXT("groupsPrefix", "put before each group", .initial = "oidc:"),
    ROW_TEXT("requiredClaim", "KEY=VALUE that a token must have"),
    ROW_TEXT("signingAlgs", "algorithms that are accepted, separated by commas", .initial = "RS256"),
    ROW_TEXT("caFile", "path of the CA that signed the provider's certificate"),
);
SHAPE_TABLE(oidc, "OpenIDConnect",
    ROW_BOOL("enable", "turn the feature on"),
    ROW_MAP("config", oidc_config, NULL),
);
SHAPE_TABLE(encryption, "EncryptionProviders",
    ROW_BOOL("enable", "encrypt Secrets in etcd"),
    ROW_TEXT("customEncryptionConfiguration",
         "an EncryptionConfiguration in the place of KubeOne's own", .flags = SHAPE_SECRET),
);
SHAPE_TABLE(node_local_dns, "NodeLocalDNS",
    ROW_BOOL("deploy", "false: nodes ask the cluster's DNS; then set clusterDNS for osm-gen"),
);
SHAPE_TABLE(features, "Features",
    ROW_MAP("coreDNS", core_dns, "the cluster's DNS"),
    ROW_MAP("alwaysPullImages", enable, "admission plugin: images are pulled for each pod"),
    ROW_MAP("eventRateLimit", with_config_file, "admission plugin: limits events"),
    ROW_MAP("podNodeSelector", with_config_file, "admission plugin: node selectors for namespaces"),
    ROW_MAP("podSecurityPolicy", enable, "no effect since Kubernetes 1.25", .flags = KUBEONE_V1BETA2),
    ROW_MAP("staticAuditLog", static_audit, "audit log in a file"),
    ROW_MAP("dynamicAuditLog", enable, "no effect since Kubernetes 1.19"),
    ROW_MAP("webhookAuditLog", webhook_audit, "audit log to a webhook", .flags = KUBEONE_V1BETA3),
    ROW_MAP("metricsServer", enable, "metrics-server, on by default"),
    ROW_MAP("openidConnect", oidc, "log in with OpenID Connect"),
    ROW_MAP("encryptionProviders", encryption, "encryption of Secrets in etcd"),
    ROW_MAP("nodeLocalDNS", node_local_dns, "a DNS cache on each node, on by default"),
);

SHAPE_TABLE(addon, "Addon",
    ROW_TEXT("name", "folder of the addon in path, or one of KubeOne's own addons"),
    ROW_TEXT_DICT("params", "parameters of its templates"),
    ROW_BOOL("disableTemplating", "its manifests are not templates"),
    ROW_BOOL("delete", "remove the addon from the cluster"),
);
SHAPE_TABLE(helm_auth, "HelmAuth",
    ROW_TEXT("username", "required with password"),
    ROW_TEXT("password", "required with username", .flags = SHAPE_SECRET),
);
SHAPE_TABLE(helm_values, "HelmValues",
    ROW_TEXT("valuesFile", "path of a file with values"),
    SHAPE_ROW("inline", ANY, ONE, "values themselves"),
);
SHAPE_TABLE(helm_release, "HelmRelease",
    ROW_TEXT("chart", "name or path of the chart; this or chartURL is required"),
    ROW_TEXT("repoURL", "URL of the repository of charts"),
    ROW_TEXT("chartURL", "URL of the chart"),
    ROW_TEXT("version", "of the chart", .initial = "the newest"),
    ROW_TEXT("releaseName", "required with chartURL", .initial = "chart"),
    ROW_TEXT("namespace", "of the release", .flags = SHAPE_FILLED),
    ROW_BOOL("wait", "until all that the release has is ready"),
    ROW_BOOL("insecure", "accept any certificate of the repository"),
    SHAPE_ROW("timeout", DURATION, ONE, "of waiting"),
    ROW_MAPS("values", helm_values, "later ones win"),
    ROW_MAP("auth", helm_auth, "credentials for the repository"),
);
SHAPE_TABLE(addon_reference, "AddonOrHelmRelease",
    ROW_MAP("addon", addon, "manifests that KubeOne applies"),
    ROW_MAP("helmRelease", helm_release, "a chart that KubeOne installs"),
);
SHAPE_TABLE(addons, "Addons",
    ROW_BOOL("enable", "apply addons", .flags = KUBEONE_V1BETA2),
    ROW_TEXT("path", "folder of addons, relative to the manifest"),
    ROW_TEXT_DICT("globalParams", "parameters of all addons' templates", .flags = KUBEONE_V1BETA2),
    ROW_MAPS("addons", addon, "addons to apply or to delete", .flags = KUBEONE_V1BETA2),
    ROW_MAPS("addons", addon_reference, "addons and Helm releases", .flags = KUBEONE_V1BETA3),
);
SHAPE_TABLE(system_packages, "SystemPackages",
    ROW_BOOL("configureRepositories", "add Kubernetes' package repositories on hosts",
         .initial = "true"),
);
SHAPE_TABLE(registry_configuration, "RegistryConfiguration",
    ROW_TEXT("overwriteRegistry",
         "registry of all images that KubeOne installs, such as 127.0.0.1:5000"),
    ROW_BOOL("insecureRegistry", "it has no valid certificate; needs overwriteRegistry"),
);
SHAPE_TABLE(logging, "LoggingConfig",
    ROW_TEXT("containerLogMaxSize", "size of a container's log before a new one begins",
         .initial = "100Mi"),
    ROW_INT32("containerLogMaxFiles", "how many logs a container has", .initial = "5"),
);
SHAPE_TABLE(cipher_suites, "TLSCipherSuites",
    ROW_TEXTS("apiServer", "cipher suites of the API server"),
    ROW_TEXTS("etcd", "cipher suites of etcd"),
    ROW_TEXTS("kubelet", "cipher suites of kubelets"),
);
SHAPE_TABLE(component, "Component",
    ROW_TEXT_DICT("flags", "flags without --; use featureGates for feature-gates"),
    SHAPE_ROW("featureGates", BOOL, DICT, "feature gates and whether they are on"),
);
SHAPE_TABLE(etcd, "Etcd",
    ROW_INT("quotaBackendBytes",
        "size of the database at most, bytes, from 2 GiB on; 0 for the default"),
    ROW_TEXT("autoCompactionRetention", "how long, or for how many revisions, history is kept"),
    ROW_TEXT("autoCompactionMode", "unit of autoCompactionRetention", .choices = "|periodic|revision"),
);
SHAPE_TABLE(components, "ControlPlaneComponents",
    ROW_MAP("controllerManager", component, "kube-controller-manager"),
    ROW_MAP("scheduler", component, "kube-scheduler"),
    ROW_MAP("apiServer", component, "kube-apiserver"),
    ROW_MAP("etcd", etcd, NULL),
);

/* ---- the document -------------------------------------------------------------------------- */

SHAPE_TABLE(versions, "Versions",
    ROW_TEXT("kubernetes", "release of the control plane and of dynamicWorkers' kubelets, in quotes",
         .flags = SHAPE_FILLED, 
         .pattern = "^v{0,2}[0-9]+(\\.[0-9]+){0,2}(\\+[0-9A-Za-z.-]+)?$"),
);
SHARED_TABLE(kubeone_cluster, OSM_KUBEONE_KIND,
    ROW_TEXT("apiVersion", NULL, .flags = SHAPE_FILLED | KUBEONE_V1BETA2,
         .choices = OSM_KUBEONE_GROUP "/v1beta2"),
    ROW_TEXT("apiVersion", NULL, .flags = SHAPE_FILLED | KUBEONE_V1BETA3,
         .choices = OSM_KUBEONE_GROUP "/v1beta3"),
    ROW_TEXT("kind", NULL, .flags = SHAPE_FILLED, .choices = OSM_KUBEONE_KIND),
    ROW_TEXT("name", "of the cluster: a-z, 0-9, - and .; Terraform's output may replace it"),
    ROW_MAP("controlPlane", control_plane, "hosts of the control plane"),
    ROW_MAP("kubeletConfig", kubelet, "kubelets of the hosts"),
    ROW_MAP("apiEndpoint", api_endpoint, "where the API server is reached"),
    ROW_MAP("cloudProvider", cloud_provider, "the cloud; Terraform's output may name it"),
    ROW_MAP("versions", versions, NULL, .flags = SHAPE_REQUIRED),
    ROW_MAP("containerRuntime", container_runtime, "containerd and its registries"),
    ROW_MAP("clusterNetwork", network, "networks of pods and Services"),
    ROW_MAP("proxy", proxy, "proxies of hosts and nodes"),
    ROW_MAP("staticWorkers", static_workers, "workers that KubeOne installs over SSH"),
    ROW_MAPS("dynamicWorkers", kubeone_worker_set_shape,
         "worker sets, of which MachineDeployments are made"),
    ROW_MAP("machineController", machine_controller, NULL),
    ROW_MAP("operatingSystemManager", system_manager, NULL),
    ROW_TEXT("caBundle", "certificates that nodes trust, PEM; better in certificateAuthority"),
    ROW_MAP("certificateAuthority", certificate_authority,
        "certificates that nodes trust, and how long kubeadm's are valid"),
    ROW_MAP("features", features, "what KubeOne turns on or off"),
    ROW_MAP("addons", addons, "manifests that KubeOne applies"),
    ROW_MAPS("helmReleases", helm_release, "charts that KubeOne installs", .flags = KUBEONE_V1BETA2),
    ROW_MAP("systemPackages", system_packages, "packages of the hosts"),
    ROW_MAP("registryConfiguration", registry_configuration, "registry of KubeOne's images"),
    ROW_MAP("loggingConfig", logging, "logs of containers"),
    ROW_MAP("tlsCipherSuites", cipher_suites, "cipher suites that servers accept"),
    ROW_MAP("controlPlaneComponents", components, "flags of the control plane"),
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
