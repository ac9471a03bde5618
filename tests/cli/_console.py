"""Runs the `console` blocks of a document and compares what they print: _console.py DOCUMENT FOLDER

A line "$ COMMAND" is run in one shell, in FOLDER, as are lines "> TEXT" that go on with it; the lines after it are what
it prints. A line "..." stands for any lines. A command succeeds unless "$ echo $?" follows. A yaml block after a line
that ends in "`PATH`:" is written to that file. What no two runs have alike (keys, commits, sizes of sealed text) is masked
on both sides, and FOLDER stands as /home/you/tutorial.
"""
import difflib
import os
import re
import subprocess
import sys

PLACE = "/home/you/tutorial"
MASKS = [
    (r"age1[a-z0-9]{58}", "age1KEY"),
    (r"\b[0-9a-f]{7,64}\b", "HEX"),
    (r"bootstrap-token-[a-z0-9]{6}", "bootstrap-token-ID"),
    (r"ENC\[AES256_GCM,data:[^\]]*\]", "ENC[]"),
    (r"[0-9,]+ of 32,768 bytes", "N of 32,768 bytes"),
]


def steps_of(text):
    """Yields ("file", path, text) and ("run", command, [line of output])."""
    said = ""
    lines = iter(text.split("\n"))
    for line in lines:
        fence = re.match(r"```(\w+)$", line)
        if not fence:
            said = line or said
            continue
        body = []
        for inner in lines:
            if inner == "```":
                break
            body.append(inner)
        path = re.search(r"`([^`]+)`:$", said)
        if fence[1] == "yaml" and path:
            yield "file", path[1], "\n".join(body) + "\n"
        if fence[1] == "console":
            command = None
            for inner in body:
                if inner.startswith("$ "):
                    if command is not None:
                        yield "run", command, output
                    command, output = inner[2:], []
                elif inner.startswith("> ") and not output:
                    command += "\n" + inner[2:]
                else:
                    output.append(inner)
            yield "run", command, output
        said = ""


def mask(text):
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text)
    return text.rstrip("\n") + "\n"


def matches(want, got):
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in want[:-1].split("\n"))
    return re.fullmatch(pattern, got) is not None


def main():
    document, folder = sys.argv[1:]
    notes = folder + ".steps"
    os.makedirs(notes)
    with open(document, encoding="utf-8") as file:
        steps = list(steps_of(file.read()))
    script = ["status=0"]
    for number, (kind, name, body) in enumerate(steps):
        note = f"{notes}/{number}"
        with open(note, "w", encoding="utf-8") as file:
            file.write(body if kind == "file" else name)
        if kind == "file":
            script.append(f"cp {note} {name} || exit")
        else:
            script.append(f'command=$(cat {note}); (exit $status); eval "$command" >{note}.out 2>&1 </dev/null')
            script.append(f"status=$?; echo $status >{note}.status")
    subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, check=True)

    passed = failed = 0
    for number, (kind, name, body) in enumerate(steps):
        if kind == "file":
            continue
        with open(f"{notes}/{number}.status", encoding="utf-8") as file:
            status = int(file.read())
        with open(f"{notes}/{number}.out", encoding="utf-8") as file:
            got = mask(file.read().replace(os.path.realpath(folder), PLACE))
        want = mask("\n".join(body))
        asked = number + 1 < len(steps) and steps[number + 1][1] == "echo $?"
        if matches(want, got) and (status == 0 or asked):
            passed += 1
            continue
        failed += 1
        print(f"not ok: $ {name} (exit status {status})")
        sys.stdout.writelines("    " + line for line in difflib.unified_diff(
            want.splitlines(True), got.splitlines(True), "document", "printed"))
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
