dnf_install ca-certificates cifs-utils conntrack-tools ethtool hostname iproute iproute-tc ipset ipvsadm kmod lvm2 \
  nfs-utils socat tar xfsprogs @packages@
%if guests
{{- if eq .CloudProviderName "vsphere" }}
# Reports the machine's addresses to the platform.
dnf_install open-vm-tools
systemctl enable --now vmtoolsd.service
{{- else if eq .CloudProviderName "kubevirt" }}
# Reports the machine's addresses to the platform, over a device that may come late.
dnf_install qemu-guest-agent
systemctl enable qemu-guest-agent.service
systemctl start --no-block qemu-guest-agent.service
{{- end }}
%end
