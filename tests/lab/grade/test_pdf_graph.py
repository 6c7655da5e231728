"""Two PDFs compared by structure and references: lab.grade.{pdf_graph,pdf_objects}."""

from __future__ import annotations

from typing import Any

import pytest

from lab.grade.finding import Flaw
from lab.grade.pdf_graph import BothGraphs
from lab.grade.pdf_objects import PdfObjects

FILE = {"/Type": "/Filespec", "/F": "u:a.csv", "/UF": "u:a.csv", "/EF": {"/F": "5 0 R", "/UF": "5 0 R"}}


def pdf(**changes: Any) -> PdfObjects:
    """A page with a figure and an attachment; a change replaces an object, or adds one."""
    values = {
        "1 0 R": {
            "/Type": "/Catalog",
            "/Pages": "2 0 R",
            "/Names": {"/EmbeddedFiles": {"/Names": ["u:a.csv", "4 0 R"]}},
        },
        "2 0 R": {"/Type": "/Pages", "/Kids": ["3 0 R"], "/Count": 1},
        "3 0 R": {
            "/Type": "/Page",
            "/Parent": "2 0 R",
            "/Contents": "6 0 R",
            "/Resources": {"/XObject": {"/Im": "7 0 R"}},
        },
        "4 0 R": FILE,
        "5 0 R": {"/Type": "/EmbeddedFile", "/Length": 3, "/Params": {"/Size": 3}},
        "6 0 R": {"/Length": 10},
        "7 0 R": {"/Length": 20, "/Subtype": "/Form"},
        "8 0 R": {"/Author": "u:ada"},
        "9 0 R": {"/Type": "/ObjStm"},
    }
    values |= {f"{name.removeprefix('n')} 0 R": value for name, value in changes.items() if name[0] == "n"}
    streams = {"5 0 R": "file", "6 0 R": "text", "7 0 R": "curve"} | changes.get("streams", {})
    trailer = {"/Root": "1 0 R", "/Info": "8 0 R", "/ID": ["x"], "/Size": 9} | changes.get("trailer", {})
    return PdfObjects(trailer, values, streams)


def page(**more: Any) -> dict[str, Any]:
    return {**pdf().values["3 0 R"], **more}


def root(**more: Any) -> dict[str, Any]:
    return {**pdf().values["1 0 R"], **{f"/{name}": value for name, value in more.items()}}


def renumbered() -> PdfObjects:
    """The same PDF with every object under another number."""

    def other(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: other(each) for name, each in value.items()}
        if isinstance(value, list):
            return [other(each) for each in value]
        return f"1{value}" if isinstance(value, str) and value.endswith(" 0 R") else value

    whole = pdf(trailer={"/ID": ["y"], "/Size": 99})
    streams = {other(name): digest for name, digest in whole.streams.items()}
    return PdfObjects(
        other(whole.trailer), {other(name): other(value) for name, value in whole.values.items()}, streams
    )


def test_the_same_pdf_under_other_numbers_is_the_same() -> None:
    assert list(BothGraphs(pdf(), pdf()).findings()) == list(BothGraphs(renumbered(), pdf()).findings()) == []


@pytest.mark.parametrize(
    ("changes", "kind", "place"),
    [
        ({"n3": page(**{"/Annots": [{"/Subtype": "/Stamp"}]})}, Flaw.ANNOTATION, "/Kids[0]/Annots"),
        ({"n3": page(**{"/AA": {"/O": {}}})}, Flaw.ACTION, "/AA"),
        ({"n1": root(OpenAction={"/S": "/JavaScript", "/JS": "u:x"})}, Flaw.SCRIPT, "/Root/OpenAction"),
        ({"n1": root(AF=["4 0 R"])}, Flaw.ATTACHMENT, "/Root/AF"),
        ({"n1": root(OCProperties={})}, Flaw.LAYER, "/Root/OCProperties"),
        ({"n1": root(Metadata="6 0 R")}, Flaw.METADATA, "/Root/Metadata"),
        ({"n1": root(Names={"/EmbeddedFiles": {"/Names": ["u:a.csv", "4 0 R"] * 2}})}, Flaw.ATTACHMENT, "/Names"),
        ({"n4": {**FILE, "/UF": "u:b.exe"}}, Flaw.FILE_NAME, "/UF"),
        ({"n4": {**FILE, "/EF": {"/F": "5 0 R", "/UF": "6 0 R"}}}, Flaw.FILE_NAME, "/EF/UF"),
        ({"n8": {"/Author": "u:eve"}}, Flaw.METADATA, "/Info/Author"),
        ({"n2": {"/Type": "/Pages", "/Kids": ["3 0 R", "3 0 R"], "/Count": 1}}, Flaw.STRUCTURE, "/Kids"),
        ({"streams": {"7 0 R": "another curve"}}, Flaw.FIGURE, "/XObject/Im"),
        ({"streams": {"6 0 R": "text painted over"}}, Flaw.STRUCTURE, "/Contents"),
        ({"n10": {"/Type": "/Action"}}, Flaw.STRUCTURE, "nothing in it refers to"),
        ({"trailer": {"/Encrypt": {}}}, Flaw.STRUCTURE, "/Encrypt"),
    ],
)
def test_whatever_the_rebuilt_one_lacks_is_named_with_its_place(changes: Any, kind: Flaw, place: str) -> None:
    found = list(BothGraphs(pdf(**changes), pdf()).findings())
    assert any(each.kind is kind and place in each.what for each in found), found


def test_the_bytes_of_an_attachment_are_another_checks_business() -> None:
    """They are compared as records, claims and texts."""
    longer = {"/Type": "/EmbeddedFile", "/Length": 9, "/Params": {"/Size": 9}}
    assert list(BothGraphs(pdf(n5=longer, streams={"5 0 R": "another"}), pdf()).findings()) == []


def test_nesting_without_end_is_a_finding() -> None:
    deep: Any = {}
    for _ in range(10_000):
        deep = {"/D": deep}
    other: Any = {}
    for _ in range(10_000):
        other = {"/D": other}
    (found,) = BothGraphs(pdf(n8=deep), pdf(n8=other)).findings()
    assert "deep nesting" in found.what


def test_a_page_is_compared_however_long_another_way_to_it_is() -> None:
    """A chain of 1,000 objects leads to the page, too: what lies deep is never taken for equal unseen."""
    chain: dict[str, Any] = {f"n{number}": {"/Next": f"{number + 1} 0 R"} for number in range(1000, 2000)}
    chain |= {"n2000": {"/P": ["3 0 R"]}, "n1": root(Chain="1000 0 R")}
    found = list(BothGraphs(pdf(**chain, n3=page(**{"/Annots": []})), pdf(**chain)).findings())
    assert any(each.kind is Flaw.ANNOTATION and "/Kids[0]/Annots" in each.what for each in found)
