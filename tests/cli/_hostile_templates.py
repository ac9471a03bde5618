"""Templates that ask for much. SHAPES: name, number of MachineDeployments, template, the diagnostic that ends it.

    _hostile_templates.py                list the names
    _hostile_templates.py NAME FOLDER    put the template into FOLDER/profiles/ubuntu.yaml, print the number and the diagnostic
"""
import sys

LOOP = "{{ range 10000000 }}{{ $_ := %s }}{{ end }}"
TEXT = '{{ $s := repeat 1000000 "a" }}'
MAP = "{{ $m := dict }}{{ range $i := until 3000 }}{{ $_ := set $m (toString (mod (mul $i 7919) 3001)) 1 }}{{ end }}"
LONG = '{{ $k := repeat 1000 "k" }}{{ $m := dict }}{{ range $i := until 300 }}{{ $_ := set $m (print $k $i) 1 }}{{ end }}'
SHAPES = [
    ("keys", 10, MAP + LOOP % "keys $m", "OSG3004"),
    ("omit", 10, LONG + LOOP % 'omit $m "a"', "OSG3004"),
    ("merge", 10, LONG + LOOP % "merge (dict) $m", "OSG3004"),
    ("deepCopy", 10, LONG + LOOP % "deepCopy $m", "OSG3004"),
    ("toJson", 10, MAP + LOOP % "toJson $m", "OSG3004"),
    ("toYaml", 10, MAP + LOOP % "toYaml $m", "OSG3004"),
    ("range map", 10, MAP + "{{ range 10000000 }}{{ range $m }}{{ break }}{{ end }}{{ end }}", "OSG3004"),
    ("print map", 10, MAP + LOOP % "print $m", "OSG3004"),
    ("snakecase", 10, '{{ $s := repeat 10000 "aB" }}' + LOOP % "snakecase $s", "OSG3004"),
    ("swapcase", 10, TEXT + LOOP % "swapcase $s", "OSG3004"),
    ("printf", 10, LOOP % 'printf "%.1000f" 1e300', "OSG3004"),
    ("contains", 300, TEXT + LOOP % 'contains "aaaab" $s', "OSG3004"),
    ("replace", 10, TEXT + LOOP % 'len (replace "a" "b" $s)', "OSG3004"),
    ("regex", 10, TEXT + LOOP % 'regexMatch "b" $s', "OSG3004"),
    ("digests", 10, TEXT + LOOP % "sha512sum $s", "OSG3004"),
    ("dates", 10, LOOP % 'fromYamlArray "[2001-01-01, 2001-01-01]"', "OSG3004"),
    ("divf", 10, LOOP % ("divf" + " 1.2345678901234567e300" * 30), "OSG3004"),
    ("lists", 10, "{{ $l := until 3000 }}" + LOOP % "len $l", "OSG3004"),
    ("memory", 10, "{{ repeat 60000000 \"a\" | len }}{{ repeat 60000000 \"a\" | len }}", "OSG3004"),
    ("each below its own", 300, '{{ range 300000 }}{{ $_ := sha256sum "a" }}{{ end }}', "OSG1024"),
]


def main(name, folder):
    _, machines, template, code = next(shape for shape in SHAPES if shape[0] == name)
    path = folder + "/profiles/ubuntu.yaml"
    before = "              url='{{ .ServerURL }}"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert before in text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(before, f"              {template}\n{before}", 1))
    print(machines, code)


if len(sys.argv) == 1:
    print("\n".join(shape[0] for shape in SHAPES))
elif __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
