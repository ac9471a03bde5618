"""Secrets that hold ordinary files: makes a repository of them, for tests/cli/ordinary_secrets.sh.

Each case is a file as people have it, with its canary: a line (or a part of one) that must never be written in the
clear. Everything here is TEST-ONLY.

  ordinary_secrets.py gardener|kubermatic FOLDER          manifests that hold many of the same lines in the clear
  ordinary_secrets.py canaries                            NAME, number of the line, and text, a line each
"""
import base64, hashlib, json, sys


def rand(name, kind="b64", size=24):
    raw = b"".join(hashlib.sha256(f"TEST-ONLY {name} {i}".encode()).digest() for i in range(size // 32 + 1))[:size]
    return raw.hex() if kind == "hex" else base64.b64encode(raw).decode()


def pem(label, name, size=120):
    text = rand(name, size=size)
    lines = "\n".join(text[i : i + 64] for i in range(0, len(text), 64))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n", lines.split("\n")[0]


UNIT = "[Unit]\nDescription=An agent of ours\nAfter=network-online.target\nWants=network-online.target\n\n[Service]\nType=oneshot\nRemainAfterExit=yes\n"
INSTALL = "\n[Install]\nWantedBy=multi-user.target\n"
SCRIPT = "#!/usr/bin/env bash\nset -euo pipefail\n"


def cases():
    c = rand("script-token")
    yield "script", "setup.sh", SCRIPT + f"export DEBIAN_FRONTEND=noninteractive\ncurl -fsS -H 'X-Auth: {c}' https://vault.example/v1/x\nsystemctl daemon-reload\n", c
    c = rand("posix")
    yield "script-sh", "run", f"#!/bin/sh -e\nset -o errexit\nlogin --password {c}\nexit 0\n", c
    c = rand("python")
    yield "script-python", "agent.py", f"#!/usr/bin/env python3\nimport json, os, sys\nimport subprocess\nAPI = '{c}'\n", c
    c = rand("unit")
    yield "unit", "agent.service", UNIT + f"Environment=AGENT_TOKEN={c}\nExecStart=/opt/bin/agent\nRestart=on-failure" + INSTALL, c
    c = rand("timer")
    yield "timer", "rotate.timer", f"[Unit]\nDescription=rotates {c}\n\n[Timer]\nOnCalendar=daily\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n", c
    c = rand("dropin")
    yield "containerd-dropin", "10-env.conf", f"[Service]\nRestart=always\nEnvironmentFile=-/etc/environment\nLimitNOFILE=1048576\nEnvironment=\"HTTPS_PROXY=http://node:{c[:20]}@proxy.example:3128\"\n", c[:20]
    c = rand("config.toml")
    yield "containerd-config", "config.toml", 'version = 3\n[plugins]\n[plugins."io.containerd.cri.v1.images".registry]\nconfig_path = "/etc/containerd/certs.d"\n[plugins."io.containerd.cri.v1.images".registry.configs."r.example".auth]\nusername = "robot"\npassword = "%s"\n' % c, c
    c = rand("hosts.toml")
    yield "hosts-toml", "hosts.toml", 'server = "https://registry-1.docker.io"\n\n[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n  [host."https://mirror.example".header]\n    Authorization = "Basic %s"\n' % c, c
    c = rand("kubeconfig")
    yield "kubeconfig", "kubeconfig", f"apiVersion: v1\nkind: Config\ncurrent-context: default\nclusters:\n- name: default\n  cluster:\n    server: https://api.example:6443\ncontexts:\n- name: default\n  context:\n    cluster: default\n    namespace: kube-system\n    user: default\nusers:\n- name: default\n  user:\n    token: {c}\n", c
    c = rand("pod")
    yield "static-pod", "pod.yaml", f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: nginx-proxy\n  namespace: kube-system\nspec:\n  hostNetwork: true\n  priorityClassName: system-node-critical\n  containers:\n  - name: proxy\n    image: registry.example/nginx:1.27\n    imagePullPolicy: IfNotPresent\n    env:\n    - name: TOKEN\n      value: {c}\n", c
    c = rand("docker")
    yield "dockerconfigjson", ".dockerconfigjson", json.dumps({"auths": {"registry.example.com": {"username": "robot", "password": c, "auth": base64.b64encode(f"robot:{c}".encode()).decode()}}}, indent=2) + "\n", c
    chain, _ = pem("CERTIFICATE", "leaf", 300)
    ca, _ = pem("CERTIFICATE", "ca", 300)
    key, c = pem("PRIVATE KEY", "tls-key")
    yield "pem-chain", "bundle.pem", chain + ca + key, c
    key, c = pem("OPENSSH PRIVATE KEY", "ssh-key", 260)
    yield "ssh-key", "id_ed25519", key, c
    c = rand("cloud-config")
    yield "cloud-config", "user-data", f"#cloud-config\npackage_update: true\nwrite_files:\n- path: /etc/agent.conf\n  permissions: '0600'\n  owner: root:root\n  content: |\n    key={c}\nruncmd:\n- systemctl daemon-reload\n- systemctl enable --now agent.service\n", c
    c = rand("nm", size=18)
    yield "networkmanager", "wifi.nmconnection", f"[connection]\nid=wifi\ntype=wifi\ninterface-name=wlan0\n\n[wifi-security]\nkey-mgmt=wpa-psk\npsk={c}\n\n[ipv4]\nmethod=auto\n\n[ipv6]\naddr-gen-mode=default\nmethod=auto\n", c
    c = rand("wg", size=32)
    yield "wireguard", "wg0.conf", f"[Interface]\nAddress = 10.9.0.2/24\nPrivateKey = {c}\nListenPort = 51820\n\n[Peer]\nPublicKey = {rand('wg-peer', size=32)}\nAllowedIPs = 10.9.0.0/24\nPersistentKeepalive = 25\n", c
    c = rand("netplan", size=18)
    yield "netplan", "60-static.yaml", f"network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n      dhcp-identifier: mac\n      auth:\n        key-management: 802.1x\n        method: peap\n        password: {c}\n", c
    c = rand("chrony", "hex", 20)
    yield "chrony", "chrony.conf", f"pool ntp.example iburst maxsources 4\ndriftfile /var/lib/chrony/chrony.drift\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n# 1 SHA256 HEX:{c}\n", c
    c = rand("chrony-keys", "hex", 20)
    yield "chrony-keys", "chrony.keys", f"# Consult the man page chrony.conf(5)\n1 SHA256 HEX:{c}\n2 SHA256 HEX:{rand('chrony-2', 'hex', 20)}\n", c
    c = rand("sudoers", "hex", 28)
    yield "sudoers", "90-admins", f"Defaults env_reset\nDefaults secure_path=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\n%admin ALL=(ALL) NOPASSWD: sha224:{c} /opt/bin/agent\n", c
    c = rand("sshd", size=30)
    yield "ssh-config", "config", f"Host *\n  StrictHostKeyChecking accept-new\n  UserKnownHostsFile /etc/ssh/ssh_known_hosts\nHost bastion\n  HostName bastion.example\n  ProxyCommand connect --token {c} %h\n", c
    yield "sshd-config", "sshd_config", f"PermitRootLogin no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nAuthorizedKeysFile .ssh/authorized_keys\n# {rand('sshd-note')}\n", rand("sshd-note")
    c = rand("env")
    yield "env-file", "agent.env", f"HTTP_PROXY=http://proxy.example:3128\nNO_PROXY=localhost,127.0.0.1,.svc,.cluster.local\nAPI_TOKEN={c}\nLOG_LEVEL=info\n", c
    key, c = pem("PRIVATE KEY", "gce")
    yield "service-account", "key.json", json.dumps({"type": "service_account", "project_id": "fleet", "private_key_id": rand("gce-id", "hex", 20), "private_key": key, "client_email": "x@fleet.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token"}, indent=2) + "\n", rand("gce-id", "hex", 20)
    c = rand("aws", size=30)
    yield "aws-credentials", "credentials", f"[default]\naws_access_key_id = {rand('aws-id', 'hex', 10).upper()}\naws_secret_access_key = {c}\nregion = eu-central-1\noutput = json\n", c
    c = rand("openstack")
    yield "clouds-yaml", "clouds.yaml", f"clouds:\n  openstack:\n    auth:\n      auth_url: https://keystone.example:5000/v3\n      project_name: fleet\n      username: robot\n      password: {c}\n    region_name: RegionOne\n    interface: public\n    identity_api_version: 3\n", c
    c = rand("cloud-conf")
    yield "openstack-cloud-conf", "cloud.conf", f"[Global]\nauth-url=https://keystone.example:5000/v3\nusername=robot\npassword={c}\ntenant-name=fleet\n\n[LoadBalancer]\nuse-octavia=true\nlb-provider=amphora\n", c
    c = rand("fluent")
    yield "fluent-bit", "fluent-bit.conf", f"[SERVICE]\n    Flush         5\n    Log_Level     info\n    Parsers_File  parsers.conf\n[OUTPUT]\n    Name          http\n    Match         *\n    Http_Passwd   {c}\n", c
    c = rand("kubelet")
    yield "kubelet-config", "kubelet.yaml", f"apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nauthentication:\n  anonymous:\n    enabled: false\nclusterDomain: cluster.local\n# {c}\n", c
    c = rand("eec", size=32)
    yield "encryption-config", "encryption.yaml", f"apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources:\n  - secrets\n  providers:\n  - aescbc:\n      keys:\n      - name: key1\n        secret: {c}\n  - identity: {{}}\n", c
    c = rand("netrc")
    yield "netrc", "netrc", f"machine git.example\n  login robot\n  password {c}\nmachine artifacts.example login robot password {rand('netrc-2')}\n", c
    c = rand("apt")
    yield "apt-auth", "auth.conf", f"# machines of the package mirror\nmachine mirror.example/debian login node password {c}\n", c
    c = rand("wpa", "hex", 32)
    yield "wpa-supplicant", "wpa_supplicant.conf", f"ctrl_interface=/run/wpa_supplicant\nupdate_config=1\nnetwork={{\n    ssid=\"office\"\n    key_mgmt=WPA-PSK\n    psk={c}\n}}\n", c
    c = rand("ipsec")
    yield "ipsec", "ipsec.secrets", f"# TEST ONLY: a shared secret for two sites\n10.0.0.1 10.1.0.1 : PSK \"{c}\"\n", c
    c = rand("haproxy")
    yield "haproxy", "haproxy.cfg", f"global\n    log /dev/log local0\ndefaults\n    mode http\n    timeout connect 5s\nuserlist admins\n    user admin insecure-password {c}\n", c
    c = rand("logrotate")
    yield "rsyslog", "remote.conf", f"module(load=\"imuxsock\")\n$ActionFileDefaultTemplate RSYSLOG_TraditionalFileFormat\n*.* action(type=\"omfwd\" target=\"log.example\" template=\"{c}\")\n", c


# Lines of those files, as clear files have them.
CLEAR = {
    "/opt/bin/other.sh": SCRIPT + "export DEBIAN_FRONTEND=noninteractive\nsystemctl daemon-reload\nsystemctl enable --now agent.service\n",
    "/opt/bin/other.py": "#!/usr/bin/env python3\nimport json, os, sys\nimport subprocess\n",
    "/etc/systemd/system/other.service": UNIT + "ExecStart=/opt/bin/agent\nRestart=on-failure" + INSTALL,
    "/etc/systemd/system/containerd.service.d/10-other.conf": "[Service]\nRestart=always\nEnvironmentFile=-/etc/environment\nLimitNOFILE=1048576\n",
    "/etc/containerd/other.toml": 'version = 3\n[plugins]\n[plugins."io.containerd.cri.v1.images".registry]\nconfig_path = "/etc/containerd/certs.d"\n',
    "/etc/containerd/certs.d/docker.io/hosts.toml": 'server = "https://registry-1.docker.io"\n\n[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n',
    "/etc/kubernetes/other.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: other\n  namespace: kube-system\nspec:\n  hostNetwork: true\n  priorityClassName: system-node-critical\n  containers:\n  - name: proxy\n    image: registry.example/nginx:1.27\n    imagePullPolicy: IfNotPresent\n",
    "/etc/netplan/50-other.yaml": "network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n      dhcp-identifier: mac\n",
    "/etc/chrony.conf": "pool ntp.example iburst maxsources 4\ndriftfile /var/lib/chrony/chrony.drift\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n",
    "/etc/sudoers.d/other": "Defaults env_reset\nDefaults secure_path=\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\"\n",
    "/etc/ssh/other": "PermitRootLogin no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nHost *\n  StrictHostKeyChecking accept-new\n  UserKnownHostsFile /etc/ssh/ssh_known_hosts\n",
    "/etc/other.env": "HTTP_PROXY=http://proxy.example:3128\nNO_PROXY=localhost,127.0.0.1,.svc,.cluster.local\n",
    "/etc/kubernetes/kubelet.yaml": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nauthentication:\n  anonymous:\n    enabled: false\nclusterDomain: cluster.local\n",
    "/etc/fluent.conf": "[SERVICE]\n    Flush         5\n    Log_Level     info\n    Parsers_File  parsers.conf\n",
    "/etc/cloud.conf": "[Global]\nauth-url=https://keystone.example:5000/v3\nusername=robot\ntenant-name=fleet\n",
    "/etc/write.yaml": "#cloud-config\nwrite_files:\n- path: /etc/agent.conf\n  permissions: '0600'\n  owner: root:root\n",
    "/etc/wpa.conf": "ctrl_interface=/run/wpa_supplicant\nupdate_config=1\n",
}


def document(**members):
    return json.dumps(members)


def secrets(namespace):
    for name, key, text, _ in cases():
        yield document(apiVersion="v1", kind="Secret", metadata={"name": name, "namespace": namespace}, stringData={key: text})


def gardener(folder):
    files = [{"path": path, "content": {"inline": {"encoding": "", "data": text}}} for path, text in CLEAR.items()]
    files += [{"path": f"/etc/secret/{name}", "content": {"secretRef": {"name": name, "dataKey": key}}} for name, key, _, _ in cases()]
    config = document(apiVersion="extensions.gardener.cloud/v1alpha1", kind="OperatingSystemConfig",
                      metadata={"name": "pool", "namespace": "shoot"},
                      spec={"type": "ubuntu", "purpose": "reconcile", "files": files})
    write(folder, "osc.yaml", [config])
    write(folder, "secrets.yaml", secrets("shoot"))


def kubermatic(folder):
    files = [{"path": path, "permissions": 644, "content": {"inline": {"encoding": "", "data": text}}} for path, text in CLEAR.items()]
    files += [{"path": f"/etc/secret/{name}", "content": {"secretKeyRef": {"namespace": "kube-system", "name": name, "key": key}}}
              for name, key, _, _ in cases()]
    write(folder, "extension.yaml", [document(apiVersion="osm-gen.dev/v1alpha1", kind="OperatingSystemProfileExtension",
                                              metadata={"name": "files"}, spec={"provisioningConfig": {"files": files}})])
    write(folder, "secrets.yaml", secrets("kube-system"))


def write(folder, name, documents):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
        out.write("\n---\n".join(documents) + "\n")


if sys.argv[1] == "canaries":
    for name, _, text, canary in cases():
        number, line = next((i, l) for i, l in enumerate(text.split("\n"), 1) if canary in l)
        print(name, number, line.strip(), sep="\t")
else:
    {"gardener": gardener, "kubermatic": kubermatic}[sys.argv[1]](sys.argv[2])
