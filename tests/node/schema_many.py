"""Run by cloud-init's own Python: "cloud-init schema" of many files, each in a process of its own, all from one that has
cloud-init loaded: to load it takes ten times as long as to check a file.

    schema_many.py RESULT FILE...

RESULT becomes a list in JSON of [exit status, what it printed], in the order of the files."""

import contextlib
import json
import os
import sys
import tempfile

import cloudinit.config.schema  # noqa: F401 # what the subcommand imports itself, once for all
from cloudinit.cmd import main as command


def check(path, output):
    """In a child: never returns."""
    status = 1
    try:
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.argv = ["cloud-init", "schema", "--config-file", path]
        result = command.main()
        status = result if isinstance(result, int) else 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def start(path):
    output = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        check(path, output.fileno())
    return child, output


def finish(child, output):
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with output:
        output.seek(0)
        return status, output.read().decode(errors="replace")


def main(result, *paths):
    running = []
    done = []
    for path in paths:
        running.append(start(path))
        if len(running) >= (os.cpu_count() or 1):
            done.append(finish(*running.pop(0)))
    done += [finish(*one) for one in running]
    with open(result, "w", encoding="utf-8") as file:
        json.dump(done, file)


main(*sys.argv[1:])
