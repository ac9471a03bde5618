"""ci/uncomment.py (tests/cli/uncomment.sh). bash says of each script whether it is the same as before."""

import pathlib
import subprocess
import sys

from _checks import check, equal, finish

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ci"))
import uncomment  # noqa: E402

# before, after
SCRIPTS = [
    ("#!/usr/bin/env bash\n# what it does\n\necho a\n", "#!/usr/bin/env bash\necho a\n"),
    ("echo a # why\necho 'b # c'  # d\n", "echo a\necho 'b # c'\n"),
    ('echo "# a" a#b $# ${#x} ${x#y} ${x##*/} "${x%%#*}" \\# x\n', None),
    ('echo "${x#"${y}"}" "$(echo "a # b" # c\n)"\n', 'echo "${x#"${y}"}" "$(echo "a # b"\n)"\n'),
    ("cat <<EOF # c\n# not a comment\n\n  $x\nEOF\n# one\n", "cat <<EOF\n# not a comment\n\n  $x\nEOF\n"),
    ("cat <<'EOF'\nit's # text\nEOF\n", None),
    ("if x; then\n  cat <<-'END' | tr a b\n\t# text\n\tEND\n  y\nfi\n", "if x; then\n cat <<-'END' | tr a b\n\t# text\n\tEND\n y\nfi\n"),
    ("cat <<A <<'B'\n# a\nA\n# b\nB\n", None),
    ("echo 'a\n\n  # b\n' \"c\n\n  # d\n\"\n", None),
    ("a=$'it\\'s # x'\n", None),
    ("x=(\n  # first\n  a # b\n  c\n)\n", "x=(\n a\n c\n)\n"),
    ("f() {\n  # c\n  g \\\n    --h # i\n}\n", "f() {\n g \\\n  --h\n}\n"),
    ("case $x in\n  # c\n  a | b) y ;; # d\n  '#') z ;;\nesac\n", "case $x in\n a | b) y ;;\n '#') z ;;\nesac\n"),
    ("# shellcheck source=/dev/null\n. /etc/os-release\n", None),
    ("((x = 16#ff, y++))\necho $((x + 2#1))\n", None),
    ("y <<<'# a'\nmapfile x < <(z # c\n)\n", "y <<<'# a'\nmapfile x < <(z\n)\n"),
    ("awk '\n  # awk has them too\n  {print}'\n", None),
]
# Go templates, which bash does not know.
TEMPLATES = [
    ('{{- if ne .User "#\\"" }}\n  # c\n  a "{{ "#" }}"\n{{- end }} # d\n', '{{- if ne .User "#\\"" }}\n a "{{ "#" }}"\n{{- end }}\n'),
    ("x='{{ .Token }}' # it's\n", "x='{{ .Token }}'\n"),
]
REFUSED = [
    ("a \\\n  # c\n  b\n", "after a line that goes on"),
    ("a \\\n\nb\n", "after a line that goes on"),
    ("a `b`\n", "use $("),
    ("x=$(case a in a) ;; esac)\n", "a case in $("),
    ("echo 'a\n", "there is no '"),
    ('echo "a\n', 'there is no "'),
    ("echo ${a\n", "there is no }"),
    ("cat <<EOF\na\n", "no end EOF"),
    ("cat <<$x\n$x\n", "whose end is not a word"),
    ("# {{ .X }}\n", "a comment with a template"),
]
FILES = [
    ("# c\n[Unit]\n\nA=b # not one\n  # d\n\n[Service]\n", "[Unit]\nA=b # not one\n[Service]\n"),
    ("#cloud-config\n# c\na: '#b'\n", "#cloud-config\na: '#b'\n"),
    ("# only\n", ""),
]


def normal(script):
    command = 'eval "$(printf "%s\\n" "script() {" "$1" "}")" && declare -f script'
    return subprocess.run(["bash", "-c", command, "bash", script], capture_output=True, text=True, check=True).stdout


for before, after in SCRIPTS + TEMPLATES:
    have = uncomment.shell(before)
    equal(repr(before), have, before if after is None else after)
    check(f"{before!r}: nothing is left to take", "\n\n" in before or len(uncomment.shell(have).split()) == len(have.split()), have)
for before, after in SCRIPTS:
    equal(f"{before!r}: to bash", normal(uncomment.shell(before)), normal(before))
for text, why in REFUSED:
    try:
        check(f"{text!r} is refused", False, uncomment.shell(text))
    except uncomment.Unclear as unclear:
        check(f"{text!r} is refused", why in str(unclear) and str(unclear).startswith("line "), unclear)
for before, after in FILES:
    equal(repr(before), uncomment.configuration(before), after)
for text in ("a: |\n  # text\n", "A=b \\\n\nC=d\n", 'x = """\n# text\n"""\n', "# {{ if }}\n"):
    try:
        check(f"{text!r} is refused", False, uncomment.configuration(text))
    except uncomment.Unclear:
        check(f"{text!r} is refused", True)
PROFILE = """# kept
spec:
  files:
    # kept
    - path: /a
      content:
        inline:
          data: |
            #!/bin/sh
            # gone

            echo a

  templates:
    # kept
    one: |-
      {{- if .X }}
      # gone
      {{- end }}
  osm-gen.dev/inventory: |
    # kept
"""
equal("a profile", "\n".join(uncomment.profile(PROFILE.splitlines())),
      "\n".join(line for line in PROFILE.splitlines() if "gone" not in line).replace("#!/bin/sh\n\n", "#!/bin/sh\n"))
finish()
