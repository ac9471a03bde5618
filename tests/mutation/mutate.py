"""Finds what can be changed in a C file of this repository, as `make format` lays it out: a function's body begins with a
line `{` and ends with a line `}`."""

import dataclasses
import re

KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "BUG", "BUG_ON"}
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
# Longer ones first, so that none is taken for a part of another one; those without an entry above are only passed over.
OPERATOR = re.compile(r"<<=|>>=|->|<<|>>|<=|>=|==|!=|&&|\|\||<|>")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])")
CALL = re.compile(r"^\t+(?:\(void\)!?)?([a-zA-Z_]\w*)\(")
SIGNATURE = re.compile(r"^(?:static |inline )*(bool|enum status)\b[^;{}=]*?\b([a-z_]\w*)\(")
NAME = re.compile(r"\b([a-zA-Z_]\w*)\(")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    function: str
    line: int  # from 1
    operator: str
    start: int  # of what is replaced, in the file
    end: int
    text: str  # what is put there

    def apply(self, source):
        return source[:self.start] + self.text + source[self.end:]

    def lines(self, source):
        """The lines that change, before and after, without indentation and joined."""
        first = source.rfind("\n", 0, self.start) + 1
        last = source.find("\n", self.end)
        before, after = source[first:last], source[first:self.start] + self.text + source[self.end:last]
        return " ".join(before.split()), " ".join(after.split())


def blanked(source):
    """The source with blanks for comments, literals and directives of the preprocessor, at the same places."""
    parts = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
    return parts.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), source)


def closing(text, at):
    """The place after the parenthesis that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place + 1
    return len(text)


def functions(text):
    """(name, kind of result, begin, end) of each body."""
    for match in re.finditer(r"^\{\n", text, re.M):
        end = text.find("\n}", match.start())
        head = text[:match.start()].rstrip()
        head = head[max(head.rfind("\n\n"), head.rfind("\n}"), head.rfind(";")) + 1:].strip()
        names = NAME.findall(head)
        if not names or head.startswith(("struct ", "enum ")) and "(" not in head:
            continue
        signature = SIGNATURE.match(" ".join(head.split()))
        yield names[0], signature.group(1) if signature else "", match.end(), end


def find(path, source):
    """All mutants of the file."""
    text = blanked(source)

    def mutant(operator, start, end, new):
        return Mutant(path, name, source.count("\n", 0, start) + 1, operator, start, end, new)

    for name, result, begin, end in functions(text):
        body = text[begin:end]
        for match in re.finditer(r"\b(?:if|while) \(", body):
            start = begin + match.end() - 1
            stop = closing(text, start)
            yield mutant("negate", start, stop, f"(!{source[start:stop]})")
        for match in OPERATOR.finditer(body):
            if match.group() in SWAPPED and text[begin + match.start() - 1] in " \n\t" and text[begin + match.end()] in " \n":
                yield mutant("operator", begin + match.start(), begin + match.end(), SWAPPED[match.group()])
        for match in NUMBER.finditer(body):
            digits = match.group(1)
            value = int(digits, 8 if re.fullmatch("0[0-7]+", digits) else 0)
            for other in {value + 1, value - 1 if value > 0 else value + 1}:
                yield mutant("constant", begin + match.start(1), begin + match.end(1), str(other))
        at = begin
        for line in body.splitlines(keepends=True):
            call = CALL.match(line)
            if call and call.group(1) not in KEYWORDS:
                start = at + len(line) - len(line.lstrip("\t"))
                stop = closing(text, at + call.end() - 1)
                if text[stop:stop + 2] == ";\n":
                    yield mutant("delete", start, stop, "(void)0")
            at += len(line)
        if result:
            # After the declarations a compiler may say that the rest is not reached, which is no error.
            yield mutant("return", begin, begin, "\treturn true;\n" if result == "bool" else "\treturn STATUS_OK;\n")
