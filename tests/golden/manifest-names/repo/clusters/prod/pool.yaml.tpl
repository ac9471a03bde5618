apiVersion: cluster.k8s.io/v1alpha1
kind: MachineDeployment
metadata:
  name: workers
  namespace: kube-system
  annotations:
    k8c.io/operating-system-profile: osp-small
spec:
  replicas: 3
  template:
    spec:
      versions:
        kubelet: 1.35.2
      providerSpec:
        value:
          sshPublicKeys: []
          cloudProvider: hetzner
          cloudProviderSpec: {serverType: ${type}}
          operatingSystem: ubuntu
          operatingSystemSpec:
            distUpgradeOnBoot: false
