yum_install ca-certificates cifs-utils conntrack-tools curl ethtool hostname iproute ipset iptables ipvsadm jq \
  kmod lvm2 nfs-utils socat tar xfsprogs yum-plugin-versionlock
