apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: batch
  namespace: kube-system
spec:
  replicas: 2
  selector: {matchLabels: {pool: batch}}
  template:
    metadata:
      labels: {pool: batch}
    spec:
      versions: {kubelet: ${kubelet_version}}
      providerSpec:
        value:
          cloudProvider: hetzner
          cloudProviderSpec: {serverType: cx32}
          operatingSystem: ubuntu
          operatingSystemSpec: {}
          sshPublicKeys: []
