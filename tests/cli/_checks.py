"""Counts the checks of a test that is written in Python: check and equal for each, finish at the end."""

import sys

LONGEST = 3000
counts = {"passed": 0, "failed": 0}


def check(name, holds, detail=""):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print(f"not ok: {name}\n    {detail}"[:LONGEST])


def equal(name, have, want):
    check(name, have == want, f"have: {have!r}\n    want: {want!r}")


def finish():
    """Prints the counts as the last line, and ends with 1 if a check failed."""
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    sys.exit(counts["failed"] > 0)
