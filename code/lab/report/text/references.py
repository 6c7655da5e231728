"""The sources that a discussion cites, and references.bib."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from lab.report.errors import FaultKind, ReportError, TextFault
from lab.report.tex import latex
from lab.report.tex.render import escape
from lab.report.text.latex import fault, unclosed, unsafe, without_comments
from lab.report.text.macros import CITED, keys_cited

FILE = "references.bib"
STYLE = "plain"
_LOST = re.compile(r"Warning--I didn't find a database entry for \"(.*)\"")
_ERROR = re.compile(r"^(?P<what>.+)---line (?P<line>\d+) of file", re.MULTILINE)


FORM = "@misc{KEY, title = {...}, year = 2026}, with every brace closed"


def list_of_sources(text: str, bib: str) -> str:
    """The LaTeX of the list of the sources that a text cites; raise for an entry that cannot be printed."""
    listed = list_of(keys, bib) if (keys := keys_cited(text)) else ""
    require_plain_list(listed, FILE)
    return listed


def list_of(keys: list[str], bib: str) -> str:
    """The LaTeX of the list, without the breaks that BibTeX puts into long words; only the keys without BibTeX."""
    if not shutil.which("bibtex"):
        items = (rf"\bibitem{{{key}}} \texttt{{{escape(key)}}} in {FILE}" for key in keys)
        return "\n".join([r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}"])
    with tempfile.TemporaryDirectory(prefix="lab-references-") as name:
        scratch = Path(name)
        (scratch / FILE).write_text(bib)
        lines = [*(rf"\citation{{{key}}}" for key in keys), r"\bibdata{references}", rf"\bibstyle{{{STYLE}}}"]
        (scratch / "list.aux").write_text("\n".join(lines) + "\n")
        done = latex.run("BibTeX", ["bibtex", "list"], scratch, FILE)
        output = done.stdout.decode(errors="replace")
        if (error := _ERROR.search(output)) and done.returncode:
            raise ReportError(error["what"], hint=FORM, file=FILE, line=int(error["line"]))
        if lost := _LOST.search(output):
            raise ReportError(f"the entry {lost[1]!r}, which the text cites, is missing", file=FILE)
        if done.returncode:
            raise ReportError("BibTeX cannot read the file", hint=FORM, file=FILE)
        return (scratch / "list.bbl").read_bytes().replace(b"%\n", b"").decode()


MOST_ENTRIES = 200
LETTERS = frozenset(
    "emph textit textbf texttt url LaTeX TeX textmu ss ae oe AE OE o O l L aa AA i j c v u k r H".split()  # noqa: SIM905
)
_WRITTEN = LETTERS | {"bibitem", "newblock", "em"}  # as BibTeX writes
_ENTRY = re.compile(r"@\s*\w+\s*[{(]")
_KEY = re.compile(r"@\s*(?!(?:comment|preamble|string)\b)\w+\s*[{(]\s*([^\s,}]+)", re.IGNORECASE)
_BARE_PERCENT = re.compile(r"(?<!\\)%")


def references_refused(text: str, file: str) -> list[TextFault]:
    if len(_ENTRY.findall(text)) > MOST_ENTRIES:
        return [TextFault(file, 1, 1, FaultKind.SOURCE, f"more than {MOST_ENTRIES} entries", "remove uncited entries")]
    faults = [*_percents(text, file), *unsafe(text, file, LETTERS)]
    return sorted(faults, key=lambda fault: (fault.line, fault.column))


def lost_sources(text: str, file: str, references: str) -> Iterator[TextFault]:
    """Every cited key without an entry."""
    known, bare = _KEY.findall(references), without_comments(text)
    for cited in CITED.finditer(bare):
        for key in re.finditer(r"[^\s,]+", cited[1]):
            if key[0] not in known:
                near = get_close_matches(key[0], known, n=1, cutoff=0.5)
                hint = rf"\cite{{{near[0]}}}" if near else f"add @misc{{{key[0]}, ...}} to references.bib"
                what = f"references.bib has no entry {key[0]!r}"
                yield fault(text, file, cited.start(1) + key.start(), FaultKind.SOURCE, what, hint)


def require_plain_list(written: str, file: str) -> None:
    """Raise if BibTeX's list has commands, which BibTeX can join from harmless pieces."""
    body = re.sub(r"\\(?:begin|end)\{thebibliography\}", "", written)
    for wrong in (*unsafe(body, file, _WRITTEN), *_percents(body, file), *unclosed(body, file)):
        raise ReportError(wrong.what, hint=wrong.hint, file=file)


def _percents(text: str, file: str) -> Iterator[TextFault]:
    """Every bare %, which begins a comment in LaTeX but not in BibTeX."""
    for match in _BARE_PERCENT.finditer(text):
        yield fault(text, file, match.start(), FaultKind.LATEX, "a bare % in references", r"\%")
