#!/usr/bin/env python3
"""A forge that takes files of a release, on loopback: _forge.py FOLDER PORTFILE

POST /repos/.../releases answers as GitHub does, with the address for uploads; uploads (POST with a name, PUT with a path, as GitLab has
them) go to FOLDER under their names. Without the token in FOLDER.token it answers 401.
"""
import http.server
import json
import os
import sys
import urllib.parse

folder, portfile = sys.argv[1:]


class Forge(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def take(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        token = open(folder + ".token").read()
        if token not in (self.headers.get("JOB-TOKEN"), (self.headers.get("Authorization") or "").removeprefix("Bearer ")):
            return self.answer(401, {})
        url = urllib.parse.urlsplit(self.path)
        if url.path.endswith("/releases"):
            asked = json.loads(body)
            return self.answer(201, {**asked, "upload_url": f"http://127.0.0.1:{self.server.server_port}/uploads{{?name,label}}"})
        name = dict(urllib.parse.parse_qsl(url.query)).get("name") or url.path.rsplit("/", 1)[1]
        with open(os.path.join(folder, os.path.basename(name)), "wb") as file:
            file.write(body)
        return self.answer(201, {})

    do_POST = do_PUT = take


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forge)
with open(portfile + ".part", "w") as file:
    file.write(str(server.server_port))
os.rename(portfile + ".part", portfile)
server.serve_forever()
