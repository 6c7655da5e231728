"""Kinds of tampering with the pages: what the PDF shows, holds or does beside what the data give."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.lab.grade.forger import Files, Forger, substitute
from tests.lab.grade.tampering import by_qpdf, found_by, updated, with_changes, with_object

from lab.grade.finding import Flaw


def at_the_end(forger: Forger, latex: str) -> bytes:
    """The hand-in with more on its last page."""
    more = latex.replace("\\", "\\\\") + r"\\end{document}"
    return forger.pdf(pages=forger.typeset(lambda files: substitute(files, "report.tex", r"\\end\{document\}", more)))


@found_by("pages", Flaw.OTHER_BYTES)
def row_of_a_table_dropped(forger: Forger, _: int) -> bytes:
    row = r"\n[^\n&]*(?:KiB|kibi)[^\n&]*&[^\n]*\\\\(?=\n)"
    return forger.pdf(pages=forger.typeset(lambda files: substitute(files, "report.tex", row, "")))


@found_by("pages", Flaw.OTHER_BYTES)
def figure_replaced(forger: Forger, _: int) -> bytes:
    def swap(files: Files) -> None:
        names = sorted(name for name in files if name.startswith("figures/"))
        files[names[0]] = files[names[-1]]

    return forger.pdf(pages=forger.typeset(swap))


@found_by("pages", Flaw.OTHER_BYTES)
def bytes_behind_the_end(forger: Forger, variant: int) -> bytes:
    return forger.pdf() + b"more" * (1 + variant)


@found_by("pages", Flaw.OTHER_BYTES)
def script_on_opening(forger: Forger, _: int) -> bytes:
    script = {"/S": "/JavaScript", "/JS": "u:app.alert(1)"}
    return with_object(forger.pdf(), "/Catalog", {"/OpenAction": script})


@found_by("pages", Flaw.OTHER_BYTES)
def white_stamp(forger: Forger, variant: int) -> bytes:
    box = [100, 100, 300 + variant, 300]
    stamp = {"/Type": "/Annot", "/Subtype": "/Square", "/Rect": box, "/IC": [1, 1, 1], "/C": [1, 1, 1]}
    return with_object(forger.pdf(), "/Page", {"/Annots": [stamp]})


@found_by("pages", Flaw.OTHER_BYTES)
def added_to_after_it_was_made(forger: Forger, _: int) -> bytes:
    pdf = forger.pdf()
    return pdf + pdf[pdf.rfind(b"startxref") :]


@found_by("pages", Flaw.OTHER_BYTES)
def another_author(forger: Forger, variant: int) -> bytes:
    name = ("/Author", "/Title", "/Subject", "/Keywords", "/CreationDate")[variant % 5]
    return with_changes(forger.pdf(), lambda value: "/Producer" in value, {name: "u:eve"})


@found_by("pages", Flaw.OTHER_BYTES)
def object_that_nothing_refers_to(forger: Forger, variant: int) -> bytes:
    return updated(forger.pdf(), {f"obj:{9000 + variant} 0 R": {"value": {"/Hidden": "u:answers"}}})


@found_by("pages", Flaw.OTHER_BYTES)
def bytes_between_the_objects(forger: Forger, variant: int) -> bytes:
    """Before the table of places, which moves."""
    pdf = forger.pdf()
    place = int(pdf.split()[-2])
    hidden = b"%" + b"MZ hidden " * (200 * (1 + variant)) + b"\n"
    return pdf[:place] + hidden + pdf[place:].replace(f"{place}\n".encode(), f"{place + len(hidden)}\n".encode())


@found_by("pages", Flaw.OTHER_BYTES)
def page_left_out(forger: Forger, _: int) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        return by_qpdf(forger.pdf(), "--pages", ".", "1-r2", "--", folder=Path(name))


@found_by("claims", Flaw.TEXT)
def words_too_small_to_see(forger: Forger, variant: int) -> bytes:
    return at_the_end(forger, rf"{{\fontsize{{1}}{{1}}\selectfont RDMA is {2 + variant} times as fast.}}")


@found_by("pages", Flaw.OTHER_BYTES)
def attachment_too_many(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.files | {"answers.csv": b"x"})


def is_link(value: dict[str, Any]) -> bool:
    """Whether it is a link of the report."""
    return value.get("/Type") == "/Annot" and "/A" in value


@found_by("pages", Flaw.OTHER_BYTES)
def link_that_leads_elsewhere(forger: Forger, _: int) -> bytes:
    elsewhere = {"/S": "/URI", "/URI": "u:http://example.org/", "/Type": "/Action"}
    return with_changes(forger.pdf(), is_link, {"/A": elsewhere})
