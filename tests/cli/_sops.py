#!/usr/bin/env python3
"""A sops for tests: writes _sops.py SCRIPT LOG VALUE MODE as an executable script.

The script answers for one document, whose MAC is of sealed values only: each of them is VALUE. LOG gets one JSON line a
call: arguments, environment, folder, input. MODE is how it misbehaves; see below.
"""
import hashlib
import json
import os
import re
import resource
import stat
import sys

SEALED_ONLY = bytes.fromhex("8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69")


def main(log, value, mode):
    asked = sys.stdin.read()
    with open(log, "a") as out:
        print(json.dumps({"arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(), "core": resource.getrlimit(resource.RLIMIT_CORE), "input": asked}), file=out)
    if "--version" in sys.argv:
        print("sops 9.8.7" if mode != "another" else "hello, world")
        return 0
    document = json.loads(asked)
    del document["sops"]
    if mode == "no-key":
        print("Failed to get the data key\n\nGroup 0: FAILED\n  arn: FAILED\n    - | AccessDenied\n      | at https://user:TESTONLYuser@kms.example/?x", file=sys.stderr)
        return 128
    if mode == "other":
        print("Error decrypting tree: the value is " + value, file=sys.stderr)
        return 25
    mac = hashlib.sha512(SEALED_ONLY + value.encode()).hexdigest().upper()
    if list(document) == ["osm-gen"] and mode != "no-mac":
        print("MAC mismatch. File has %s, computed %s" % (mac, "0" * 128), file=sys.stderr)
        return 51
    for key in document.get("data", {}):
        document["data"][key] = value + ("x" if mode == "wrong" else "")
    if mode == "more":
        document["data"]["more"] = value
    print("{" if mode == "no-json" else json.dumps(document))
    return 0


if __name__ == "__main__" and len(sys.argv) == 5 and sys.argv[1].startswith("/"):
    script, log, value, mode = sys.argv[1:]
    text = open(__file__).read()
    text = re.sub(r"\nif __name__.*", lambda _: "\nsys.exit(main(%r, %r, %r))\n" % (log, value, mode), text, flags=re.S)
    with open(script, "w") as out:
        out.write(text)
    os.chmod(script, stat.S_IRWXU)
