"""Where a line of rendered LaTeX comes from: the template line whose own text it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lab.report.errors import ReportError

_CODE = re.compile(r"\\(?:VAR|BLOCK|JC)\{[^}]*\}")
LEAST_LETTERS = 6  # shorter pieces of text stand in many lines


def in_templates(error: ReportError, files: dict[str, bytes], templates: Path) -> ReportError:
    """The same error at the template's line, where the rendered line can be traced to one."""
    if error.line is None or error.file not in files:
        return error
    lines = files[error.file].decode().splitlines()
    rendered = lines[min(error.line, len(lines)) - 1]
    found = max(_candidates(rendered, templates), default=None)
    if found is None:
        return error
    _, file, line = found
    return ReportError(error.what, hint=error.hint, file=file, line=line)


def _candidates(rendered: str, templates: Path) -> Iterator[tuple[int, str, int]]:
    """Template lines of which all own text is in the rendered line, with how much that is."""
    for file in sorted(templates.rglob("*.tex")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            pieces = [piece.strip() for piece in _CODE.split(line) if piece.strip()]
            length = sum(len(piece) for piece in pieces)
            if length >= LEAST_LETTERS and all(piece in rendered for piece in pieces):
                yield length, f"templates/{file.relative_to(templates)}", number
