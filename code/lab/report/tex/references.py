"""The list of sources that a text cites, made by BibTeX of TeX Live in a scratch folder."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from lab.report.errors import ReportError
from lab.report.tex.latex import DEADLINE_S, LIMITS, sheltered

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
        said, failed = _run(scratch)
        if (error := _ERROR.search(said)) and failed:
            raise ReportError(error["what"], file=FILE, line=int(error["line"]))
        if lost := _LOST.search(said):
            raise ReportError(f"there is no entry {lost[1]!r}, which the text cites", file=FILE)
        if failed:
            raise ReportError("BibTeX cannot read it", file=FILE)
        return (scratch / "list.bbl").read_bytes().replace(b"%\n", b"").decode()


def _run(scratch: Path) -> tuple[str, bool]:
    command = ["prlimit", *LIMITS, "bibtex", "list"]
    try:
        done = subprocess.run(
            command,
            cwd=scratch,
            env=sheltered(scratch),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ReportError(f"BibTeX did not end within {DEADLINE_S} s", file=FILE) from error
    return done.stdout.decode(errors="replace"), done.returncode != 0
