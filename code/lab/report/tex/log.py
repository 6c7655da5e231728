"""The error in a LaTeX log, as one sentence with file and line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.report.errors import ReportError

# A box that sticks out by less cannot be seen.
OVERFULL_PT = 1.0
ENDED = "ulimit -a: what a file may hold and a program may take here; and df: room on the disk"
_ERROR = re.compile(r"^(?:\./)?(?P<file>[\w./-]+):(?P<line>\d+): (?P<what>.+)$", re.MULTILINE)
_OVERFULL = re.compile(
    r"^Overfull \\hbox \((?P<pt>[\d.]+)pt too wide\) (?:in paragraph |in alignment |detected )?at lines? (?P<line>\d+)",
    re.MULTILINE,
)
_TALL = re.compile(r"^Overfull \\vbox \((?P<pt>[\d.]+)pt too high\)", re.MULTILINE)
_FLOAT = re.compile(
    r"^LaTeX Warning: Float too large for page by (?P<pt>[\d.]+)pt on input line (?P<line>\d+)", re.MULTILINE
)
_BOXES = (
    (_OVERFULL, "a line is {} pt too wide"),
    (_TALL, "a page is {} pt too high"),
    (_FLOAT, "a figure or a table is {} pt too high"),
)
_UNICODE = re.compile(r"Unicode character .*?\(U\+([0-9A-F]+)\)", re.DOTALL)
ADVICE = {
    "Undefined control sequence": "a command that LaTeX knows, or text without a backslash",
    "Missing $ inserted": r"\_ for an underscore, or $...$ around a formula",
    "Extra }": "as many { as }",
    "Too many }": "as many { as }",
    "Runaway argument": "a } where the argument ends",
    "Missing number": "a number where one is expected",
}


@dataclass(frozen=True)
class Box:
    """A line or page that sticks out."""

    what: str
    file: str
    line: int | None


def first_error(log: str) -> ReportError:
    """The first error of a log that was written with -file-line-error."""
    found = _ERROR.search(log)
    if found is None:
        last = next((line for line in log.splitlines() if line.startswith("!")), "")
        return ReportError(last.lstrip("! ")) if last else ReportError("LaTeX failed and did not say why", hint=ENDED)
    what = found["what"].removeprefix("LaTeX Error: ").strip().rstrip(".")
    if bad := _UNICODE.search(found["what"]):
        what = f"the report's font has no character U+{bad[1]}"
    what += _command(log[found.end() :], what)
    hint = next((advice for start, advice in ADVICE.items() if what.startswith(start)), "")
    return ReportError(what, hint=hint, file=found["file"], line=int(found["line"]))


def unpleasant_boxes(log: str) -> list[Box]:
    """Everything that sticks out of its line or page by more than a reader overlooks."""
    return [
        Box(what.format(found["pt"]), _file_at(log, found.start()), _line(found))
        for pattern, what in _BOXES
        for found in pattern.finditer(log)
        if float(found["pt"]) > OVERFULL_PT
    ]


def _line(found: re.Match[str]) -> int | None:
    """Of a page the log gives none."""
    line = found.groupdict().get("line")
    return int(line) if line else None


def _command(after: str, what: str) -> str:
    """The undefined command is the end of the log's next line."""
    if not what.startswith("Undefined control sequence"):
        return ""
    shown = re.search(r"^l\.\d+ (.*)$", after, re.MULTILINE)
    name = re.search(r"(\\[A-Za-z@]+|\\.)\s*$", shown[1]) if shown else None
    return f" {name[1]}" if name else ""


def _file_at(log: str, position: int) -> str:
    """The file that LaTeX was reading: the log opens it with a parenthesis and closes it with another."""
    open_files: list[str] = []
    for mark in re.finditer(r"\((?:\./)?([\w./-]*)|\)", log[:position]):
        if mark[0] == ")":
            del open_files[-1:]
        else:
            open_files.append(mark[1] or "")
    return next((name for name in reversed(open_files) if name.endswith((".tex", ".sty"))), "report.tex")
