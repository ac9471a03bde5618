check_containerd
systemctl daemon-reload
systemctl enable containerd.service
systemctl restart containerd.service
