/*
 * The files that init writes without --example. "@CONTRACT@" is replaced by the newest output
 * contract, INIT_RECIPIENT by the recipient of the new identity.
 */
#include "init_files.h"

#define CERTIFICATE                                                                                \
	"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJ2akNDQVdPZ0F3SUJBZ0lVRjVGK2lIR2c3"             \
	"NE5TRWl4bXgzK1NsZVdtaG9Rd0NnWUlLb1pJemowRUF3SXcKTXpFeE1DOEdBMVVFQXd3b1JWaEJU"             \
	"VkJNUlNCUFRreFpMQ0J3ZFhRZ2VXOTFjaUJqYkhWemRHVnlKM01nUTBFZwphR1Z5WlRBZ0Z3MHlO"             \
	"akV4TWpNd016VTVNalJhR0E4eU1USTJNVEF6TURBek5Ua3lORm93TXpFeE1DOEdBMVVFCkF3d29S"             \
	"VmhCVFZCTVJTQlBUa3haTENCd2RYUWdlVzkxY2lCamJIVnpkR1Z5SjNNZ1EwRWdhR1Z5WlRCWk1C"             \
	"TUcKQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQUJKTHlSdWI3M2ZYRlluWVFxTTlNTklPQzhk"             \
	"Nzh4N0EwaFMxMgp4UVdvRXdTZ1htRlJmeitVb0kzWFdQMDc5MnZyS21RbW00VTErWkZHdHZSVkZq"             \
	"ai9rZGlqVXpCUk1CMEdBMVVkCkRnUVdCQlNXd3k1MTduSDNiQTFXQzJCSTA5dlRIYzNZWGpBZkJn"             \
	"TlZIU01FR0RBV2dCU1d3eTUxN25IM2JBMVcKQzJCSTA5dlRIYzNZWGpBUEJnTlZIUk1CQWY4RUJU"             \
	"QURBUUgvTUFvR0NDcUdTTTQ5QkFNQ0Ewa0FNRVlDSVFEKwpZVXJ1WHFqVTdBUDJubkkzL3QrQUZG"             \
	"YVlUbnZjaU9RcDZEY0NiR1lhbkFJaEFNRXJrRHBCb1gxTG4wTncxYVJjClA2akJudEhLalhpN3ZM"             \
	"aDJxeHduQUhLSwotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="

const struct init_file init_files[] = {
    {".sops.yaml", INIT_ALWAYS, NULL},
    {".osm-gen-ignore", INIT_ALSO_LATER, NULL},
    {".gitattributes", INIT_ALSO_LATER, NULL},
    {"clusters/example/osm-gen.yaml", INIT_EXAMPLE,
     "# Everything in this folder belongs to this cluster. Name it, and the folder, after yours.\n"
     "apiVersion: osm-gen.dev/v1alpha1\n"
     "kind: Cluster\n"
     "metadata:\n"
     "  name: example\n"
     "spec:\n"
     "  settings:\n"
     "    # The cluster applies its own management side. With KKP up to 2.21: its seed cluster.\n"
     "    managementCluster: self\n"
     "    externalCloudProvider: true\n"},
    {"clusters/example/cluster-info.yaml", INIT_EXAMPLE,
     "# Where new machines find the API server. Replace it by your cluster's own:\n"
     "#   kubectl get configmap cluster-info --namespace kube-public -o yaml\n"
     "apiVersion: v1\n"
     "kind: ConfigMap\n"
     "metadata:\n"
     "  name: cluster-info\n"
     "  namespace: kube-public\n"
     "data:\n"
     "  kubeconfig: |\n"
     "    apiVersion: v1\n"
     "    kind: Config\n"
     "    clusters:\n"
     "    - name: \"\"\n"
     "      cluster:\n"
     "        certificate-authority-data: " CERTIFICATE "\n"
     "        server: https://api.example.com:6443\n"},
    {"clusters/example/workers.yaml", INIT_EXAMPLE,
     "# A MachineDeployment as machine-controller takes it: replace it by yours.\n"
     "apiVersion: cluster.k8s.io/v1alpha1\n"
     "kind: MachineDeployment\n"
     "metadata:\n"
     "  name: workers\n"
     "  namespace: kube-system\n"
     "  annotations:\n"
     "    # `osm-gen profiles` lists the profiles inside the program.\n"
     "    k8c.io/operating-system-profile: osp-ubuntu\n"
     "spec:\n"
     "  replicas: 1\n"
     "  selector:\n"
     "    matchLabels: {pool: workers}\n"
     "  template:\n"
     "    metadata:\n"
     "      labels: {pool: workers}\n"
     "    spec:\n"
     "      versions:\n"
     "        kubelet: 1.34.1\n"
     "      providerSpec:\n"
     "        value:\n"
     "          sshPublicKeys: []\n"
     "          cloudProvider: hetzner\n"
     "          cloudProviderSpec: {serverType: cx22, datacenter: fsn1-dc14}\n"
     "          operatingSystem: ubuntu\n"
     "          operatingSystemSpec:\n"
     "            distUpgradeOnBoot: false\n"},
    /* Written last: if it exists, an earlier init was completed. */
    {"osm-gen.yaml", INIT_ALWAYS,
     "# The settings of the whole fleet. `osm-gen config show` prints what holds for a cluster, "
     "and\n"
     "# `osm-gen config settings` every setting that there is.\n"
     "apiVersion: osm-gen.dev/v1alpha1\n"
     "kind: Fleet\n"
     "spec:\n"
     "  # A newer osm-gen writes the same bytes until `osm-gen upgrade` raises this.\n"
     "  contract: @CONTRACT@\n"
     "  # Settings of every cluster that does not have its own.\n"
     "  defaults:\n"
     "    clusterDNS: [10.10.10.10]\n"
     "    # nodeHTTPProxy: http://proxy.example.com:3128\n"
     "  # Who can read what is sealed. A cluster may name its own recipients.\n"
     "  sealing:\n"
     "    format: sops\n"
     "    recipients:\n"
     "    - " INIT_RECIPIENT "\n"
     "  # The author of the commits that osm-gen makes.\n"
     "  # commit:\n"
     "  #   author: \"Fleet Bot <bot@example.com>\"\n"},
};

const size_t init_file_count = COUNT_OF(init_files);
