#!/usr/bin/env python3
"""A host of git repositories and of one program, on loopback with TLS: server.py ROOT CERTIFICATE KEY PORTFILE

Serves ROOT/*.git through git's own http-backend, and other files below ROOT as they are. To read needs nothing. A push needs
HTTP's basic authentication with the password in ROOT/token; whatever else asks is answered 401. Below /github/ and /gitlab/ it
answers as the APIs of these (forge.py). Each request is a line of ROOT/requests: method, path, status."""
import base64
import http.server
import os
import ssl
import subprocess
import sys
import urllib.parse

import forge

root, certificate, key, portfile = sys.argv[1:]
token = open(os.path.join(root, "token")).read().strip()


class Host(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, headers, body):
        with open(os.path.join(root, "requests"), "a") as log:
            log.write(f"{self.command} {self.path} {status}\n")
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def may_push(self):
        kind, _, word = self.headers.get("Authorization", "").partition(" ")
        try:
            return kind.lower() == "basic" and base64.b64decode(word).decode().partition(":")[2] == token
        except ValueError:
            return False

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def serve(self):
        url = urllib.parse.urlsplit(self.path)
        body = self.body()
        if url.path.startswith(("/github/", "/gitlab/")):
            return self.answer(*forge.answer(root, self.command, url, self.headers, body))
        if ".git/" not in url.path:
            path = os.path.normpath(root + url.path)
            if not path.startswith(root + "/public/") or not os.path.isfile(path):
                return self.answer(404, [], b"")
            return self.answer(200, [], open(path, "rb").read())
        push = url.path.endswith("/git-receive-pack") or "service=git-receive-pack" in url.query
        if push and not self.may_push():
            return self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.path.join(root, "gitconfig"),
            "PATH_INFO": url.path,
            "QUERY_STRING": url.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            **({"REMOTE_USER": "token"} if push else {}),
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=variables, capture_output=True, check=False)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        return self.answer(status, [one for one in headers if one[0] != "Status"], rest)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = serve


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
with open(portfile + ".part", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(portfile + ".part", portfile)
server.serve_forever()
