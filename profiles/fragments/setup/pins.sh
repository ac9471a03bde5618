%if cgroup_v1
  [cni-plugins-linux-amd64-v1.7.1.tgz]=1a28a0506bfe5bcdc981caf1a49eeab7e72da8321f1119b7be85f22621013098
  [cni-plugins-linux-arm64-v1.7.1.tgz]=119fcb508d1ac2149e49a550752f9cd64d023a1d70e189b59c476e4d2bf7c497
%else
  [cni-plugins-linux-amd64-v1.9.1.tgz]=b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303
  [cni-plugins-linux-arm64-v1.9.1.tgz]=56171987d3947707c3563db2f4001bccaf50fd63468611b9f3cbecb1375ee7ec
%end
{{- if semverCompare "~1.33.0" .KubeVersion }}
  [crictl-v1.33.0-linux-amd64.tar.gz]=8307399e714626e69d1213a4cd18c8dec3d0201ecdac009b1802115df8973f0f
  [crictl-v1.33.0-linux-arm64.tar.gz]=e1f34918d77d5b4be85d48f5d713ca617698a371b049ea1486000a5e86ab1ff3
{{- else if semverCompare "~1.34.0" .KubeVersion }}
  [crictl-v1.34.0-linux-amd64.tar.gz]=a8ff2a3edb37a98daf3aba7c3b284fe0aa5bff24166d896ab9ef64c8913c9f51
  [crictl-v1.34.0-linux-arm64.tar.gz]=c31d252e203df5f4cf37f314bd3092eb79087e791631c1e607087c74b6d0423f
{{- else if semverCompare "~1.35.0" .KubeVersion }}
  [crictl-v1.35.0-linux-amd64.tar.gz]=2e141e5b22cb189c40365a11807d69b76b9b3caced89fac2f4ec879408ce2177
  [crictl-v1.35.0-linux-arm64.tar.gz]=519071de89b64c43e2a1661bb5489c6c3fd5e9e5fcef75e50e542b0c891f1118
{{- else if semverCompare "~1.36.0" .KubeVersion }}
  [crictl-v1.36.0-linux-amd64.tar.gz]=83855e114566a8a8c44c548d515670f51de3a5e1da8b2effb59870e2f10c25a3
  [crictl-v1.36.0-linux-arm64.tar.gz]=68328594ccf780a80ae2b092d9f6ce484eec7cf540c275242e8fd954bfd95332
{{- else }}
  [crictl-v1.37.0-linux-amd64.tar.gz]=67c983ee8a6bbce73d39a186e633c5fe4f8a70e62171ac3bd92a9c1b2c601670
  [crictl-v1.37.0-linux-arm64.tar.gz]=c9dfdf9ebc353a0027c88622206a5e90ee6f0e78cfabf1a9ef4dc575298fd555
{{- end }}
