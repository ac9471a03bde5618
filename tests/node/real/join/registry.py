"""A registry of container images, as much of it as a pull asks for, and images made of one static program."""

import gzip
import hashlib
import http.server
import io
import json
import tarfile

import servers

MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Registry:
    """Serves the images added; `seen` has (method, path with its query) of every request."""

    def __init__(self, port, pair):
        self.blobs, self.tags, self.seen = {}, {}, []
        outer = self

        class Handler(servers.Quiet, http.server.BaseHTTPRequestHandler):
            def do_HEAD(self):
                self.answer(False)

            def do_GET(self):
                self.answer(True)

            def answer(self, with_body):
                outer.seen.append((self.command, self.path))
                status, kind, data = outer.find(self.path.split("?")[0])
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                if status == 200:
                    self.send_header("Docker-Content-Digest", digest_of(data))
                self.end_headers()
                if with_body:
                    self.wfile.write(data)

        servers.serve(Handler, port, pair)

    def find(self, path):
        """(status, content type, data) of /v2/NAME/manifests/REFERENCE and /v2/NAME/blobs/DIGEST."""
        if path in ("/v2", "/v2/"):
            return 200, "application/json", b"{}"
        parts = path.removeprefix("/v2/").rsplit("/", 2)
        if len(parts) == 3 and parts[1] in ("manifests", "blobs"):
            name, what, reference = parts
            data = self.blobs.get(self.tags.get((name, reference), reference))
            if data is not None:
                return 200, MANIFEST if what == "manifests" else "application/octet-stream", data
        return 404, "application/json", b'{"errors": [{"code": "NOT_FOUND"}]}'

    def keep(self, kind, data):
        self.blobs[digest_of(data)] = data
        return {"mediaType": kind, "digest": digest_of(data), "size": len(data)}

    def add(self, name, tag, arch, busybox, entrypoint):
        """An image with busybox, its names for `entrypoint` and `sh`, and nothing else."""
        links = {f"bin/{applet}": "busybox" for applet in ("sh", "sleep", "cat", "id", "hostname", "ip", "ping", "touch")}
        layer = pack(("bin", "etc", "proc", "sys", "dev", "tmp"), {"bin/busybox": busybox}, links)
        self.add_layer(name, tag, arch, layer, {"Entrypoint": entrypoint, "Env": ["PATH=/bin"]})

    def add_layer(self, name, tag, arch, tar, config):
        """An image with one layer."""
        described = {"architecture": arch, "os": "linux", "config": config, "rootfs": {"type": "layers", "diff_ids": [digest_of(tar)]}}
        manifest = {
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": self.keep("application/vnd.oci.image.config.v1+json", json.dumps(described).encode()),
            "layers": [self.keep("application/vnd.oci.image.layer.v1.tar+gzip", gzip.compress(tar, 1, mtime=0))]}
        self.tags[name, tag] = self.keep(MANIFEST, json.dumps(manifest).encode())["digest"]


def pack(folders, executables, links):
    """A tar file: folders, path -> executable's bytes, path -> where the link leads."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        for folder in folders:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for path, data in executables.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(data), 0o755
            archive.addfile(entry, io.BytesIO(data))
        for path, target in links.items():
            entry = tarfile.TarInfo(path)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return layer.getvalue()
