"""Check that everything a person reads is plain, British English; `make lint` runs this."""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import codespell_lib

ROOT = Path(__file__).resolve().parents[1]
AVOIDED = {
    r"(?<![Tt]here )\b(is|are|was|were) no (?!longer|more|less|other|difference|reason)\w+": "is not a, must be",
    r"\b(lies?|lays?|laid|lain)\b": "is, contains",
    r"\b(by|of|for|to|from) who\b": "by people who ...",
    r"[.:;] Who (?!is |has )\w+": "The student who ...",
    r"\bof now\b|\bby which\b|\bin the mean\b|\bbe had\b|\bso many (of|as)\b": "today's, with which, available",
    r"\b[Tt]he lab('s)?\b": "Verbyte",
    r"\bunder way\b": "in flight, running",
    r"\bh[eo]ld against\b": "compared with",
    r"(?<!/)\bstrangers?\b|\bmend(s|ed)?\b": "untrusted, fix",
    r"\bhand-ins?\b": "submission",
    r"\bown ones?\b": "the noun",
    r"\bprocessors?\b": "CPU",
}
MARKUP = re.compile(r"```.*?```|^ {4}[^\n]*$|`[^`\n]*`|\]\([^)]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`[^`\n]*`|<[^<>]*>")
SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}")  # else a key, a pattern or markup
C_TEXT = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
# British in computing, too.
TERMS = {"authorized", "focused", "capitalize", "program", "programs", "routing", "writable"}
PROSE = ("*.md", "*.py", "*.[ch]", "templates/*.tex", "*advice.toml")
# Measurements, these patterns, names of files.
LEFT_OUT = {"hosts.md", "english.py", "test_layers.py"}


def files() -> list[Path]:
    """List the tracked and new files that contain prose for people."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PROSE]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [file for file in map(ROOT.joinpath, names) if file.is_file() and file.name not in LEFT_OUT]


def prose(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the file's prose with line numbers: text of a page; strings, docstrings and comments of a program."""
    text = file.read_text(encoding="utf-8")
    match file.suffix:
        case ".py":
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and SENTENCE.search(node.value):
                    yield node.lineno, QUOTED.sub("", node.value)
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT:
                    yield token.start[0], QUOTED.sub("", token.string)
        case ".c" | ".h":
            for found in C_TEXT.finditer(text):
                if " " in found[0]:
                    yield text.count("\n", 0, found.start()) + 1, found[0]
        case _:
            yield from enumerate(MARKUP.sub(lambda found: "\n" * found[0].count("\n"), text).splitlines(), 1)


@cache
def american() -> dict[str, str]:
    """Map American spellings to British ones."""
    dictionary = Path(codespell_lib.__file__).parent / "data" / "dictionary_en-GB_to_en-US.txt"
    pairs = (line.split("->") for line in dictionary.read_text(encoding="utf-8").splitlines() if line)
    return {us.split(",")[0].strip(): gb for gb, us in pairs if us.strip() not in TERMS}


def faults(text: str) -> list[str]:
    """Return what a reviewer would strike out, each with the plain word."""
    avoided = [f"{match[0]!r}: {plain}" for pattern, plain in AVOIDED.items() for match in re.finditer(pattern, text)]
    return avoided + [f"{word!r}: {american()[word]}" for word in re.findall(r"[a-z]+", text) if word in american()]


def main() -> int:
    """Print every fault with its place; return 1 if there are any."""
    lines = [
        f"{file.relative_to(ROOT)}:{number}: {fault}"
        for file in files()
        for number, text in prose(file)
        for fault in faults(text)
    ]
    print(*lines, sep="\n", end="\n" if lines else "")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
