#!/usr/bin/env python3
"""Fakes of AWS KMS and of Vault's transit engine on loopback: _kms.py KEY-FILE LOG TOKEN

Prints its port. A "ciphertext" is the text under a key stream of SHA-256, with its MAC: enough that only the right
key opens it, and that the server sees which key was asked for. LOG gets one line a request.
"""
import base64
import hashlib
import hmac
import http.server
import json
import sys

key = open(sys.argv[1], "rb").read()
log = open(sys.argv[2], "a", buffering=1)
token = sys.argv[3]


def stream(name, nonce, size):
    blocks = (hmac.digest(key, b"%s %s %d" % (name.encode(), nonce, i), "sha256") for i in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def seal(name, text):
    nonce = hashlib.sha256(key + text).digest()[:16]
    body = nonce + bytes(a ^ b for a, b in zip(text, stream(name, nonce, len(text))))
    return body + hmac.digest(key, name.encode() + body, "sha256")


def unseal(name, body):
    body, mac = body[:-32], body[-32:]
    if not hmac.compare_digest(mac, hmac.digest(key, name.encode() + body, "sha256")):
        raise ValueError("not a ciphertext of this key")
    return bytes(a ^ b for a, b in zip(body[16:], stream(name, body[:16], len(body) - 16)))


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def aws(self, call, asked):
        # The context of a call is part of the key.
        name = asked["KeyId"] + json.dumps(asked.get("EncryptionContext") or {}, sort_keys=True)
        print("aws", call, asked["KeyId"], file=log)
        if call == "Encrypt":
            blob = seal(name, base64.b64decode(asked["Plaintext"]))
            self.answer(200, {"KeyId": asked["KeyId"], "CiphertextBlob": base64.b64encode(blob).decode()})
        else:
            text = unseal(name, base64.b64decode(asked["CiphertextBlob"]))
            self.answer(200, {"KeyId": asked["KeyId"], "Plaintext": base64.b64encode(text).decode()})

    def vault(self, asked):
        _, _, engine, call, name = self.path.split("/")
        print("vault", call, engine, name, file=log)
        if self.headers.get("X-Vault-Token") != token:
            self.answer(403, {"errors": ["permission denied"]})
        elif call == "encrypt":
            blob = seal(name, base64.b64decode(asked["plaintext"]))
            self.answer(200, {"data": {"ciphertext": "vault:v1:" + base64.b64encode(blob).decode()}})
        else:
            text = unseal(name, base64.b64decode(asked["ciphertext"].split(":")[2]))
            self.answer(200, {"data": {"plaintext": base64.b64encode(text).decode()}})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        try:
            if "X-Amz-Target" in self.headers:
                self.aws(self.headers["X-Amz-Target"].split(".")[1], asked)
            else:
                self.vault(asked)
        except ValueError as error:
            self.answer(400, {"__type": "InvalidCiphertextException", "message": str(error), "errors": [str(error)]})

    do_PUT = do_POST


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
