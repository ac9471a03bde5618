"""_shard.py FILE FIELD VALUE: rewrites a field of a shard's head and signs the file again, as only somebody with the seed can.

The MAC is computed by docs/spec/sealing.md 3 and docs/spec/proofs.md 5 alone, with Python's BLAKE2b. Without FIELD and VALUE the
MAC is only checked, and the head is printed. The seed is OSM_GEN_SEAL_SEED; the fleet has no sealing.fleet.
"""
import hashlib
import os
import pathlib
import struct
import sys

LETTERS = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"
FIELDS = ("version", "build", "source", "tip", "inputs", "out")
LINE = b"osm-gen shard 1\n"


def seed():
    word = os.environ["OSM_GEN_SEAL_SEED"].rpartition("1")[2][:-6]
    bits = "".join(f"{LETTERS.index(letter):05b}" for letter in word)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, 256, 8))


def prf(key, size, purpose, *fields):
    text = struct.pack("<QQ", size, len(fields)) + b"".join(struct.pack("<Q", len(field)) + field for field in fields)
    return hashlib.blake2b(text, digest_size=size, key=key, person=purpose.ljust(16, b"\0")).digest()


def read_number(text, at):
    number = shift = 0
    while True:
        byte = text[at]
        at += 1
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def number(value):
    digits = bytearray()
    while value >= 0x80:
        digits.append(value & 0x7f | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)


path = pathlib.Path(sys.argv[1])
text = path.read_bytes()
root = hashlib.blake2b(b"", digest_size=32, key=seed(), person=b"osm-gen-seal-v1\0").digest()
begin = len(LINE) + 16 + 32
name, mac, content = text[len(LINE):len(LINE) + 16], text[len(LINE) + 16:begin], text[begin:]
assert text.startswith(LINE)
assert name == prf(root, 8, b"seed.id").hex().encode(), "the name of the seed"
assert mac == prf(root, 32, b"shard", content), "the MAC"
head, at = {}, 0
for field in FIELDS:
    length, at = read_number(content, at)
    head[field] = content[at:at + length]
    at += length
numbers = []
for _ in range(3):
    value, at = read_number(content, at)
    numbers.append(value)
if len(sys.argv) == 2:
    print(*numbers, *(head[field].decode() for field in FIELDS if field != "inputs"))
    sys.exit()
if sys.argv[2] == "content":
    content = content[:int(sys.argv[3])]
else:
    if sys.argv[2] in FIELDS:
        head[sys.argv[2]] = sys.argv[3].encode()
    else:
        numbers[("index", "count", "units").index(sys.argv[2])] = int(sys.argv[3])
    content = b"".join(number(len(head[field])) + head[field] for field in FIELDS) + b"".join(map(number, numbers)) + content[at:]
path.write_bytes(LINE + name + prf(root, 32, b"shard", content) + content)
