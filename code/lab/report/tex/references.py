"""The list of sources that a text cites, made by BibTeX of TeX Live in a scratch folder."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from lab.report.errors import ReportError
from lab.report.tex import shelter

FILE = "references.bib"
STYLE = "plain"
_LOST = re.compile(r"Warning--I didn't find a database entry for \"(.*)\"")
_ERROR = re.compile(r"^(?P<what>.+)---line (?P<line>\d+) of file", re.MULTILINE)


def list_of(keys: list[str], bib: str) -> str:
    """The LaTeX of the list, without the breaks that BibTeX puts into long words."""
    with tempfile.TemporaryDirectory(prefix="lab-references-") as name:
        scratch = Path(name)
        (scratch / FILE).write_text(bib)
        lines = [*(rf"\citation{{{key}}}" for key in keys), r"\bibdata{references}", rf"\bibstyle{{{STYLE}}}"]
        (scratch / "list.aux").write_text("\n".join(lines) + "\n")
        done = shelter.run("BibTeX", ["bibtex", "list"], scratch, FILE)
        said = done.stdout.decode(errors="replace")
        if (error := _ERROR.search(said)) and done.returncode:
            raise ReportError(error["what"], file=FILE, line=int(error["line"]))
        if lost := _LOST.search(said):
            raise ReportError(f"there is no entry {lost[1]!r}, which the text cites", file=FILE)
        if done.returncode:
            raise ReportError("BibTeX cannot read it", file=FILE)
        return (scratch / "list.bbl").read_bytes().replace(b"%\n", b"").decode()
