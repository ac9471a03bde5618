"""Looks for secrets in bytes, in every form they could leak in. As a program: secrets on stdin, one a line;
folders and files as arguments; prints what it finds; exit status 1 when it finds any. With --serve it answers one request after
another: a line of stdin has the file with the secrets and the folders and files, separated by tabs; what it finds is followed by a
line with the status."""
import base64
import functools
import gzip
import html
import json
import pathlib
import re
import sys
import urllib.parse


@functools.lru_cache(maxsize=None)
def forms(secret):
    """What a secret looks like: pairs of a form's name and the bytes to look for."""
    return tuple(make_forms(secret))


def make_forms(secret):
    raw = secret.encode()
    yield "raw", raw
    for shift in range(3):
        # What stays the same whatever stands around it.
        text = base64.b64encode(b"\0" * shift + raw + b"\0" * 3)
        body = text[{0: 0, 1: 2, 2: 3}[shift]:(len(raw) + shift) * 8 // 6]
        yield f"base64, shifted {shift}", body
        yield f"base64 for URLs, shifted {shift}", body.replace(b"+", b"-").replace(b"/", b"_")
        for again in range(3):
            twice = base64.b64encode(b"\0" * again + body + b"\0" * 3)
            yield f"base64 twice, {shift} {again}", twice[{0: 0, 1: 2, 2: 3}[again]:(len(body) + again) * 8 // 6]
    yield "URL-quoted", urllib.parse.quote(secret, safe="").encode()
    yield "URL-quoted for forms", urllib.parse.quote_plus(secret).encode()
    yield "JSON", json.dumps(secret)[1:-1].encode()
    yield "JSON within JSON", json.dumps(json.dumps(secret)[1:-1])[1:-1].encode()
    yield "YAML, single quotes", secret.replace("'", "''").encode()
    yield "shell, single quotes", secret.replace("'", "'\\''").encode()
    yield "HTML", html.escape(secret).encode()
    yield "hex", raw.hex().encode()
    yield "hex, capitals", raw.hex().upper().encode()
    yield "UTF-16", secret.encode("utf-16-le")
    yield "backwards", raw[::-1]


def unpacked(data):
    """The bytes themselves, and what is gzipped in them, in base64 or not."""
    yield data
    for text in re.findall(rb"H4sI[A-Za-z0-9+/]{16,}=*", data):
        try:
            yield gzip.decompress(base64.b64decode(text + b"=" * (-len(text) % 4)))
        except (OSError, EOFError, ValueError):
            pass
    if data.startswith(b"\x1f\x8b"):
        yield gzip.decompress(data)


def find(secrets, data):
    """Every secret that stands in the bytes, with the form it has there."""
    texts = list(unpacked(data))
    return [(secret, form) for secret in secrets for form, needle in forms(secret) if any(needle in text for text in texts)]


def search(secrets, arguments):
    """Prints what it finds; returns the exit status."""
    files = []
    for argument in arguments:
        path = pathlib.Path(argument)
        files += [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
    assert secrets and files, "nothing to look for, or nowhere"
    found = 0
    for path in files:
        for secret, form in find(secrets, path.read_bytes()):
            print(f"{path}: {secret!r} {form}")
            found = 1
    return found


def serve():
    for request in sys.stdin:
        planted, *arguments = request.rstrip("\n").split("\t")
        try:
            status = search(secrets_of(pathlib.Path(planted).read_text().splitlines()), arguments)
        except (AssertionError, OSError) as error:
            print(error)
            status = 1
        print(status, flush=True)
    return 0


def secrets_of(lines):
    return [line.rstrip("\n") for line in lines if line.strip()]


if __name__ == "__main__":
    sys.exit(serve() if sys.argv[1:] == ["--serve"] else search(secrets_of(sys.stdin), sys.argv[1:]))
