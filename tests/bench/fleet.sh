#!/bin/sh
# fleet.sh OUTDIR N CLUSTERS: a repository's worth of manifests, N
# MachineDeployments spread evenly over CLUSTERS clusters. The same arguments
# make the same files. The keys in it are test keys.
set -eu
out=$1 n=$2 clusters=$3
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$out/profiles" "$out/clusters"
cp "$here/../../profiles/ubuntu.yaml" "$out/profiles/ubuntu.yaml"
cat >"$out/osm-gen.yaml" <<'EOF'
apiVersion: osm-gen.dev/v1alpha1
kind: Fleet
spec:
  defaults: {externalCloudProvider: true}
  sealing: {format: sops, recipients: [age1n7m5s8le3r2j6jtfg7jy50dvdpwp0jma4fke3xrgyr2f28ms8d8qspk97p]}
EOF

awk -v out="$out" -v n="$n" -v clusters="$clusters" '
# a certificate of nobody, base64 of its PEM
function ca() {
	return "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJBakNCdGFBREFnRUNBZ0VCTUFVR0F5dGxjREFRTVE0d0RBWURWUVFERXdWaVpXNWphREFnRncwM01EQXgKTURFd01EQXdNREJhR0E4eU1EazJNVEF3TWpBM01EWTBNRm93RURFT01Bd0dBMVVFQXhNRlltVnVZMmd3S2pBRgpCZ01yWlhBRElRREFEeWpKeFFJQVJvWkJxL2RUQzk0bWxmZ2srZ3RCcGRpMlMzR0cyRnQzUjZNeU1EQXdEd1lEClZSMFRBUUgvQkFVd0F3RUIvekFkQmdOVkhRNEVGZ1FVRlFlcGJWSkkzY0ZoVWsxS21XMTBkV3dqMGVJd0JRWUQKSzJWd0EwRUFYUHNWTHdzRkxQSmhhTXIyQTBEaUh3YVJRUkJFT3FVQXBET1cvTksybXorTUdnUUVwRmFSaFliVwpGWlUwVnp0QWlUaWUwYXduMERoWmxXU1RTL3lKQUE9PQotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="
}
# a token that differs from cluster to cluster
function token(c,    i, s, letters) {
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	s = ""
	for (i = 0; i < 32; i++)
		s = s substr(letters, 1 + (c * 31 + i * i * 7 + i * c) % 62, 1)
	return s
}
function cluster(c,    dir, name) {
	name = sprintf("c%03d", c)
	dir = out "/clusters/" name
	system("mkdir -p " dir)
	printf "apiVersion: osm-gen.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\n", name > (dir "/osm-gen.yaml")
	close(dir "/osm-gen.yaml")
	printf "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cluster-info\n  namespace: kube-public\ndata:\n" \
		"  kubeconfig: |\n    apiVersion: v1\n    kind: Config\n    clusters:\n    - name: \"\"\n      cluster:\n" \
		"        server: https://%s.example.com:6443\n        certificate-authority-data: %s\n", name, ca() > (dir "/cluster-info.yaml")
	close(dir "/cluster-info.yaml")
	printf "apiVersion: v1\nkind: Secret\nmetadata:\n  name: cloud-init-getter-token\n  namespace: cloud-init-settings\n" \
		"  annotations: {osm-gen.dev/clear: accepted}\n" \
		"type: kubernetes.io/service-account-token\nstringData:\n  token: %s\n", token(c) > (dir "/getter-token.yaml")
	close(dir "/getter-token.yaml")
	return dir "/machinedeployments.yaml"
}
# cloudProviderSpec with fields that the cloud has
function cloud_spec(p, i,    place, type, size) {
	place = "region-" (i % 4)
	type = "type-" (i % 6)
	size = 20 + i % 80
	if (p == "alibaba")
		return sprintf("regionID: %s, instanceType: %s, diskSize: \"%d\"", place, type, size)
	if (p == "aws")
		return sprintf("region: %s, instanceType: %s, diskSize: %d", place, type, size)
	if (p == "azure")
		return sprintf("location: %s, vmSize: %s, osDiskSize: %d", place, type, size)
	if (p == "baremetal")
		return sprintf("driver: tinkerbell, driverSpec: {hegelUrl: %s.example.com, osImageUrl: %s, clusterName: disk-%d}", place, type, size)
	if (p == "digitalocean")
		return sprintf("region: %s, size: %s, tags: [disk-%d]", place, type, size)
	if (p == "gce")
		return sprintf("zone: %s, machineType: %s, diskSize: %d", place, type, size)
	if (p == "hetzner")
		return sprintf("location: %s, serverType: %s, labels: {disk: disk-%d}", place, type, size)
	if (p == "kubevirt")
		return sprintf("clusterName: %s, virtualMachine: {instancetype: {name: %s}, template: {primaryDisk: {size: %dGi}}}", place, type, size)
	if (p == "nutanix")
		return sprintf("clusterName: %s, imageName: %s, diskSize: %d", place, type, size)
	if (p == "openstack")
		return sprintf("region: %s, flavor: %s, rootDiskSizeGB: %d", place, type, size)
	if (p == "vmware-cloud-director")
		return sprintf("vdc: %s, sizingPolicy: %s, diskSizeGB: %d", place, type, size)
	return sprintf("datacenter: %s, templateVMName: %s, diskSizeGB: %d", place, type, size) # vsphere
}
BEGIN {
	providers = split("alibaba aws azure baremetal digitalocean gce hetzner kubevirt nutanix openstack vmware-cloud-director vsphere", provider, " ")
	versions = split("1.33.4 1.34.1 1.35.0 1.36.2", version, " ")
	families = split("IPv4 IPv6 IPv4+IPv6 IPv6+IPv4", family, " ")
	made = 0
	for (c = 0; c < clusters; c++) {
		file = cluster(c)
		until = int(n * (c + 1) / clusters)
		for (first = 1; made < until; made++) {
			p = provider[1 + made % providers]
			printf "%sapiVersion: cluster.k8s.io/v1alpha1\nkind: MachineDeployment\nmetadata:\n  name: workers-%05d\n  namespace: kube-system\n" \
				"  annotations:\n    k8c.io/operating-system-profile: osp-ubuntu\n" \
				"    machinedeployment.clusters.k8s.io/revision: \"%d\"\n", first ? "" : "---\n", made, 1 + made % 9 > file
			if (made % 3 == 0)
				printf "    v1.kubelet-config.machine-controller.kubermatic.io/MaxPods: \"%d\"\n" \
					"    v1.kubelet-config.machine-controller.kubermatic.io/KubeReserved: cpu=200m,memory=%dMi\n", 100 + made % 50, 200 + made % 7 > file
			printf "spec:\n  replicas: %d\n  selector:\n    matchLabels: {workerset: workers-%05d}\n  template:\n    metadata:\n" \
				"      labels: {workerset: workers-%05d}\n    spec:\n      versions: {kubelet: %s}\n      providerSpec:\n        value:\n" \
				"          cloudProvider: %s\n          cloudProviderSpec: {%s}\n" \
				"          operatingSystem: ubuntu\n          operatingSystemSpec: {distUpgradeOnBoot: %s}\n" \
				"          network: {ipFamily: \"%s\"}\n          sshPublicKeys:\n" \
				"          - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxlZnQtYW5kLXJpZ2h0LWFuZC1taWRkbGUtcGFydDAx fleet@example.com\n", \
				1 + made % 5, made, made, version[1 + int(made / 5) % versions], p, cloud_spec(p, made), \
				made % 2 ? "false" : "true", family[1 + int(made / 7) % families] > file
			first = 0
		}
		close(file)
	}
}'
