"""A git server on a loopback port: git http-backend behind HTTP's basic authentication.

_git_http.py FOLDER USER:PASSWORD PORT-FILE: serves the repositories of FOLDER until its standard input ends; the port is
written to PORT-FILE. A path that begins in /readonly/ serves the same, and refuses pushes.
"""
import base64
import http.server
import os
import subprocess
import sys
import threading

folder, account, port_file = sys.argv[1:]
allowed = "Basic " + base64.b64encode(account.encode()).decode()
exec_path = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()


class Git(http.server.BaseHTTPRequestHandler):
    def log_message(self, format, *args):
        pass

    def refuse(self, status, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": "0", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def answer(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != allowed:
            return self.refuse(401, WWW_Authenticate='Basic realm="forge"')
        if path.startswith("/readonly/") and "git-receive-pack" in self.path:
            return self.refuse(403)
        backend = subprocess.run(
            [os.path.join(exec_path, "git-http-backend")], input=body, capture_output=True, check=False,
            env={**os.environ, "GIT_PROJECT_ROOT": folder, "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "bot",
                 "REQUEST_METHOD": self.command, "PATH_INFO": path.removeprefix("/readonly"), "QUERY_STRING": query,
                 "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                 "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                 "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")})
        head, _, text = backend.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in {**fields, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Git)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(port_file + ".new", "w", encoding="ascii") as file:
    file.write(str(server.server_address[1]))
os.rename(port_file + ".new", port_file)
sys.stdin.read()
