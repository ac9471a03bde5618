"""Takes comments, blank lines and half of the indentation out of what a profile puts on nodes; for ci/profiles.

What a script does stays the same: shell() knows quotes, here-documents, expansions and templates, and refuses what it does not
know. Lines that begin with `#!`, `#cloud-config` or `# shellcheck ` stay."""

import re

KEPT = re.compile(r"#!|#cloud-config|# shellcheck ")
BLOCK = re.compile(r"( *)(?:- )?([\w.-]+): (\|-?)")
HEREDOC = re.compile(r"<<(-?)[ \t]*(?:'(\w+)'|\"(\w+)\"|(\w+))")


class Unclear(Exception):
    """A text that cannot be shortened without a doubt; the text says where and why."""


class Shell:
    """The reader of one script. `out` has what is kept, `at` is the place in the text."""

    def __init__(self, text):
        self.text, self.at, self.out, self.heredocs = text, 0, [], []

    def fail(self, why):
        raise Unclear(f"line {self.text.count(chr(10), 0, self.at) + 1}: {why}")

    def take(self, count=1):
        self.out.append(self.text[self.at:self.at + count])
        self.at += count

    def take_through(self, end):
        to = self.text.find(end, self.at)
        if to < 0:
            self.fail(f"there is no {end}")
        self.take(to + len(end) - self.at)

    def sees(self, what):
        return self.text.startswith(what, self.at)

    def special(self):
        """Takes what is one in each context but single quotes and here-documents: an escape, a template, an expansion."""
        if self.sees("\\"):
            self.take(2)
        elif self.sees("{{"):
            self.take_through("}}")
        elif self.sees("${"):
            self.take(2)
            self.expansion()
        elif self.sees("$("):
            self.take(2)
            self.commands(")")
        elif self.sees("`"):
            self.fail("a ` is not understood: use $(...)")
        else:
            return False
        return True

    def single_quoted(self):
        self.take()
        self.take_through("'")

    def c_quoted(self):
        self.take(2)
        while not self.sees("'"):
            if self.at >= len(self.text):
                self.fail("there is no '")
            self.take(2 if self.sees("\\") else 1)
        self.take()

    def double_quoted(self):
        self.take()
        while not self.sees('"'):
            if self.at >= len(self.text):
                self.fail('there is no "')
            if not self.special():
                self.take()
        self.take()

    def expansion(self):
        """The rest of ${...}."""
        while not self.sees("}"):
            if self.at >= len(self.text):
                self.fail("there is no }")
            if self.sees('"'):
                self.double_quoted()
            elif self.sees("'"):
                self.single_quoted()
            elif not self.special():
                self.take()
        self.take()

    def heredoc(self):
        found = HEREDOC.match(self.text, self.at)
        if not found:
            self.fail("a here-document whose end is not a word")
        self.heredocs.append((found.group(1), found.group(2) or found.group(3) or found.group(4)))
        self.take(found.end() - self.at)

    def line_end(self):
        """The end of a line, with the here-documents that begin after it, or nothing of a line that has nothing else."""
        line = "".join(self.out).rpartition("\n")[2]
        if line.strip():
            while self.out and not self.out[-1].rstrip(" \t"):
                self.out.pop()
            self.out[-1] = self.out[-1].rstrip(" \t")
            self.out.append("\n")
        else:
            while self.out and not self.out[-1].strip(" \t"):
                self.out.pop()
        self.at += 1
        for dash, end in self.heredocs:
            found = re.compile(rf"^{chr(9) + '*' if dash else ''}{end}$", re.M).search(self.text, self.at)
            if not found:
                self.fail(f"the here-document has no end {end}")
            self.take(found.end() - self.at)
            self.out.append("\n")
            self.at += 1
        self.heredocs = []
        self.indentation()

    def indentation(self):
        """Each two blanks become one, and no tab: readers of YAML differ in what they make of one."""
        blanks = re.compile(" *").match(self.text, self.at).end() - self.at
        self.at += blanks
        self.out.append(" " * ((blanks + 1) // 2))

    def comment(self):
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        if KEPT.match(self.text, self.at):
            self.take(end - self.at)
            return
        if "{{" in self.text[self.at:end]:
            self.fail("a comment with a template")
        self.at = end

    def continued(self):
        """An escaped end of a line: what follows is part of the line."""
        if re.compile(r"\\\n[ \t]*(#|\n|$)").match(self.text, self.at):
            self.fail("a comment or nothing after a line that goes on")
        self.take(2)
        self.indentation()

    def commands(self, end=None):
        """Commands, up to the parenthesis that ends them or the end of the text."""
        depth = 0
        while self.at < len(self.text):
            if end and depth == 0 and self.sees(end):
                self.take()
                return
            before = self.text[self.at - 1] if self.at else "\n"
            if self.sees("#") and before in " \t\n;&|()<>":
                self.comment()
            elif self.sees("\n"):
                self.line_end()
            elif self.sees("\\\n"):
                self.continued()
            elif self.sees("'"):
                self.single_quoted()
            elif self.sees('"'):
                self.double_quoted()
            elif self.sees("$'"):
                self.c_quoted()
            elif end and re.compile(r"case\b").match(self.text, self.at) and before in " \t\n;(":
                self.fail("a case in $(...)")
            elif self.sees("<<<"):
                self.take(3)
            elif self.sees("<<"):
                self.heredoc()
            elif not self.special():
                depth += self.sees("(") - (self.sees(")") and bool(end))
                self.take()
        if end:
            self.fail(f"there is no {end}")


def shell(text):
    """The script without comments. It ends with a line end if the text does."""
    reader = Shell(text)
    reader.indentation()
    reader.commands()
    if reader.heredocs:
        reader.fail("a here-document has no text")
    return "".join(reader.out)


def configuration(text):
    """A unit, a file of YAML, TOML or name=value: comments are whole lines."""
    lines = text.split("\n")
    if re.search(r'"""|\'\'\'|(?m:[:-] [|>][-+]?$)', text):
        raise Unclear("lines of a longer value may look like comments")
    out = []
    for number, line in enumerate(lines):
        comment = line.lstrip().startswith("#") and not KEPT.match(line.lstrip())
        if comment and "{{" in line:
            raise Unclear(f"line {number + 1}: a comment with a template")
        if not line.strip() and number and lines[number - 1].endswith("\\"):
            raise Unclear(f"line {number + 1}: nothing after a line that goes on")
        if line.strip() and not comment:
            out.append(line.rstrip())
    return "\n".join(out) + ("\n" if out and text.endswith("\n") else "")


def profile(lines):
    """The lines of a profile, its scripts and other files without comments."""
    out, at, parents = [], 0, []
    while at < len(lines):
        line = lines[at]
        at += 1
        out.append(line)
        found = BLOCK.fullmatch(line)
        key = re.match(r"( *)(?:- )?([\w./-]+):", line)
        if key:
            parents = [(indent, name) for indent, name in parents if indent < len(key.group(1))]
            parents.append((len(key.group(1)), key.group(2)))
        if not found or found.group(2) == "inventory":
            continue
        first = at
        while at < len(lines) and (not lines[at] or len(lines[at]) - len(lines[at].lstrip()) > len(found.group(1))):
            at += 1
        body = lines[first:at]
        while body and not body[-1]:
            body.pop()
        indent = len(body[0]) - len(body[0].lstrip())
        text = "\n".join(part[indent:] for part in body) + "\n"
        is_shell = text.startswith("#!") or "templates" in [name for _, name in parents]
        try:
            text = shell(text) if is_shell else configuration(text)
        except Unclear as unclear:
            raise Unclear(f"{'.'.join(name for _, name in parents)} ({body[0].strip()}): {unclear}") from None
        out += [" " * indent + part if part else "" for part in text.splitlines()]
        out += [""] * (at - first - len(body))
    return out
