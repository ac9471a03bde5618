apt_get update
apt_get install --no-install-recommends ca-certificates cifs-utils conntrack curl ethtool gpg iproute2 ipset \
  iptables ipvsadm jq kmod lvm2 nfs-common socat xfsprogs
{{- if or (eq .CloudProviderName "vsphere") (eq .CloudProviderName "vmware-cloud-director") }}
# Reports the machine's addresses to the platform.
apt_get install --no-install-recommends open-vm-tools
systemctl enable --now open-vm-tools.service
{{- else if or (eq .CloudProviderName "kubevirt") (eq .CloudProviderName "nutanix") }}
# Reports the machine's addresses to the platform, over a device that may come late.
apt_get install --no-install-recommends qemu-guest-agent
systemctl enable qemu-guest-agent.service
systemctl start --no-block qemu-guest-agent.service
{{- end }}
{{- if eq .CloudProviderName "nutanix" }}
# Nutanix volumes are attached over iSCSI.
apt_get install --no-install-recommends open-iscsi
systemctl enable --now iscsid.service
{{- end }}
