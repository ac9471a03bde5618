#!/usr/bin/env bash
# Loads the kernel modules that containerd, the kubelet and kube-proxy build on. Runs before each kubelet start.
set -euo pipefail

# Without these no pod gets a file system or a network.
modprobe --all overlay br_netfilter nf_conntrack

# Only for kube-proxy's IPVS mode, and missing from some cloud kernels.
for module in ip_vs ip_vs_rr ip_vs_wrr ip_vs_sh; do
  modprobe --quiet "$module" || echo "load-kernel-modules: $module is not available; IPVS mode will not work"
done
