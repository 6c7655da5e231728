"""The parts of a page, kept: lab.report.twin.pieces, beside lab.report.twin.page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.places import TEMPLATES
from lab.report.claim import Ledger, constant
from lab.report.errors import ReportError
from lab.report.twin import pieces
from lab.report.twin.material import Material
from lab.report.twin.page import page
from lab.report.twin.reading import Node, nodes_of

FIGURE = r"\begin{labplace}{figure}\labpicture{figures/%s.pdf}{FEFF0061}\caption{C}\label{figure:%s}\end{labplace}"
BODY = rf"""\title{{One}}
\begin{{document}}
\labtitle{{Ada}}{{}}{{here}}
\section{{First}}
A claim, \claim{{one}}.
{FIGURE % ("one", "one")}

\section{{Discussion}}
\input{{discussion}}

\section{{Limits}}
\subsection{{Below}}
Of \figureof{{last}} and \claim{{two}}.
{FIGURE % ("last", "last")}

\section{{Ledger}}
\input{{ledger}}
\end{{document}}
"""
SVG = b'<svg viewBox="0 0 1 1"><g id="x"/></svg>'


def material(discussion: str = "Words.", value: float = 2.0) -> Material:
    ledger = Ledger()
    ledger.add(
        [constant("one", 1.0, "", "first", "file, line 1"), constant("two", value, "", "second", "file, line 2")]
    )
    texts = {"report.tex": BODY, "discussion.tex": discussion, "ledger.tex": "A table."}
    return Material("one", texts, {"one": SVG, "last": SVG}, ledger, ())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All parts that the parser has read."""
    seen = list[str]()

    def noted(source: str) -> list[Node]:
        seen.append(source)
        return nodes_of(source)

    monkeypatch.setattr(pieces, "nodes_of", noted)
    return seen


def test_of_a_changed_sentence_only_the_discussion_is_read(read: list[str], tmp_path: Path) -> None:
    page(material(), TEMPLATES, tmp_path)
    assert len(read) == 5
    read.clear()
    page(material(), TEMPLATES, tmp_path)
    assert read == []
    page(material("Other words."), TEMPLATES, tmp_path)
    assert read == ["Other words."]


@pytest.mark.parametrize(
    "changed",
    [
        material("Other words."),
        material(r"\section{More} and \claim{two}, more."),
        material(FIGURE % ("one", "own")),
        material(value=3.0),
        replace(material(), svgs={"one": SVG, "last": SVG.replace(b'"x"', b'"y"')}),
        replace(material(), texts=material().texts | {"ledger.tex": "Another table."}),
        replace(material(), texts=material().texts | {"report.tex": BODY.replace("{Ada}", "{Bob}")}),
    ],
)
def test_a_page_of_kept_parts_is_the_page_that_a_first_one_would_be(changed: Material, tmp_path: Path) -> None:
    assert page(material(), TEMPLATES, tmp_path) == page(material(), TEMPLATES)
    for _ in range(2):
        assert page(changed, TEMPLATES, tmp_path) == page(changed, TEMPLATES) != page(material(), TEMPLATES)


def test_a_damaged_part_is_written_anew(read: list[str], tmp_path: Path) -> None:
    whole = page(material(), TEMPLATES, tmp_path)
    (tmp_path / "0.json").write_text((tmp_path / "0.json").read_text().replace("First", "Frist"))
    read.clear()
    assert page(material(), TEMPLATES, tmp_path) == whole
    assert len(read) == 1


def test_other_code_writes_all_parts_anew(read: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page(material(), TEMPLATES, tmp_path)
    read.clear()
    monkeypatch.setattr(pieces, "_code", lambda: "other")
    page(material(), TEMPLATES, tmp_path)
    assert len(read) == 5


def test_where_nothing_may_be_kept_the_page_is_written_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert page(material(), TEMPLATES, tmp_path / "file") == page(material(), TEMPLATES)


def test_an_unknown_command_is_no_kept_part(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ReportError, match="bad"):
            page(material(r"\bad"), TEMPLATES, tmp_path)
