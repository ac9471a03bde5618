"""What is in C files, as far as lints and figures need it: comments taken off, functions found by layout."""
import re


def strip(text):
    """The text without comments, and with strings emptied, but for names of headers."""
    text = re.sub(r'"(\\.|[^"\\\n])*"', lambda m: m.group(0) if "/" in m.group(0) and m.group(0).endswith('.h"') else '""', text)
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S)


def functions(lines):
    """(number of the first line, name, parameters, length, is it static) of each function that is defined here."""
    for end_of_signature, line in enumerate(lines):
        if line != "{":
            continue
        begin = end_of_signature - 1
        while begin > 0 and lines[begin - 1] and not lines[begin - 1].startswith("#") and not lines[begin - 1].endswith((";", "}", "*/")):
            begin -= 1
        text = " ".join(lines[begin:end_of_signature])
        signature = re.search(r"(\w+)\s*\((.*)\)[^()]*$", text)
        end = next(at for at in range(end_of_signature, len(lines)) if lines[at].startswith("}"))
        if signature:
            inner = re.sub(r"\([^()]*\)", "", signature.group(2))  # a pointer to a function is one parameter
            parameters = [] if inner in ("", "void") else [part.strip() for part in inner.split(",")]
            yield begin + 1, signature.group(1), parameters, end - begin + 1, text.startswith("static")
