"""What containerd makes of the folder /etc/containerd/certs.d, with its own reader (hosts/main.go)."""

import json
import subprocess

FOLDER = "/etc/containerd/certs.d"
BOTH = ["pull", "resolve"]
ALL = ["pull", "resolve", "push", "referrers"]


def host(url, capabilities=(*BOTH,), insecure=False):
    return {"url": url, "capabilities": list(capabilities), "skipVerify": insecure}


# The server of a hosts.toml comes last, for everything; so does a registry without a file.
DOCKER = host("https://registry-1.docker.io/v2", ALL)
PLAIN = {"docker.io": [host("https://registry-1.docker.io/v2"), DOCKER], "quay.io": [host("https://quay.io/v2", ALL)]}
# name -> flags, registry -> the hosts that containerd asks, credentials of config.toml
CASES = {
    "mirrors": ([
        "--node-registry-mirrors=https://second.example.test,first.example.test:5000,http://third.example.test",
        "--node-containerd-registry-mirrors=ghcr.io=https://mirror.example.test/v2/ghcr?kubermatic=override_path%3Dtrue",
        "--node-containerd-registry-mirrors=quay.io=https://mirror.example.test/quay",
        "--node-containerd-registry-mirrors=*=https://any.example.test",
    ], {
        "docker.io": [host("http://third.example.test/v2"), host("https://first.example.test:5000/v2"),
                      host("https://second.example.test/v2"), DOCKER],
        "ghcr.io": [host("https://mirror.example.test/v2/ghcr"), host("https://ghcr.io/v2", ALL)],
        "quay.io": [host("https://mirror.example.test/quay/v2"), host("https://quay.io/v2", ALL)],
        "registry.k8s.io": [host("https://any.example.test/v2"), host("https://registry.k8s.io/v2", ALL)],
    }),
    "insecure": ([
        "--node-insecure-registries=registry.example.test:5000,plain.example.test",
        "--node-containerd-registry-mirrors=plain.example.test=https://inside.example.test:8443",
        "--device-ownership-from-security-context",
    ], {
        **PLAIN,
        "registry.example.test:5000": [host("https://registry.example.test:5000/v2", insecure=True),
                                       host("https://registry.example.test:5000/v2", ALL)],
        "plain.example.test": [host("https://inside.example.test:8443/v2", insecure=True),
                               host("https://plain.example.test/v2", ALL)],
    }),
    "credentials": ([
        "--node-registry-credentials-secret=kube-system/registries",
        "--node-registry-mirrors=https://mirror.example.test",
        "--pause-image=mirror.example.test/pause:3.10",
    ], {
        "docker.io": [host("https://mirror.example.test/v2"), DOCKER],
    }),
}
CREDENTIALS = {
    "mirror.example.test": {"username": "puller", "password": "password \"of\" the node-tests"},
    "quay.io": {"auth": "cHVsbGVyOnNlY3JldA=="},
    "ghcr.io": {"identitytoken": "token-of-the-node-tests"},
}


def secret():
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "registries", "namespace": "kube-system"},
            "type": "kubernetes.io/dockerconfigjson",
            "stringData": {".dockerconfigjson": json.dumps({"auths": CREDENTIALS})}}


def read(own, folder, registries):
    """registry -> hosts, or what the reader says instead."""
    done = subprocess.run([own / "hosts", folder, *registries], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 and not done.stderr else done.stderr


def certificates(files):
    """The files of the folder: path below it -> text"""
    return {path.removeprefix(FOLDER + "/"): file for path, file in files.items() if path.startswith(FOLDER + "/")}


def write(folder, texts):
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def check(t, scratch, own, folders):
    """folders: files of certs.d as a tuple of (path, text) -> (names of cases, registry -> hosts wanted)"""
    for number, (texts, (names, wanted)) in enumerate(folders.items()):
        folder = scratch / f"certs-{number}"
        write(folder, dict(texts))
        t.equal(f"containerd's hosts with the hosts.toml of {names[0]}", read(own, folder, wanted), wanted)
    check_mistakes(t, scratch, own, folders)


def check_mistakes(t, scratch, own, folders):
    """Each key of a hosts.toml, mistyped, must be noticed."""
    changes = {"capabilities": "capability", "skip_verify": "skip_verfy", "override_path": "overide_path", "[host.": "[hosts."}
    for key, mistyped in changes.items():
        for number, (texts, (names, wanted)) in enumerate(folders.items()):
            # Without the key containerd has capabilities of its own: more than what the profiles give.
            broken = {path: text.replace(key, mistyped) for path, text in texts}
            if broken != dict(texts):
                folder = scratch / f"broken-{key.strip('[.')}-{number}"
                write(folder, broken)
                t.check(f"{key} as {mistyped} in a hosts.toml of {names[0]} is noticed",
                        read(own, folder, wanted) != wanted, broken)
                break
        else:
            t.check(f"some hosts.toml has {key}", False)
