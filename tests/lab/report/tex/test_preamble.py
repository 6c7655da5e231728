"""The lines that all reports begin with, kept as a format: lab.report.tex.latex, beside lab.report.tex.latex."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.files.store import keep_stamp
from lab.places import TEMPLATES
from lab.report.errors import ReportError
from lab.report.tex import latex
from lab.report.tex.latex import FORMAT, GZIP, Preamble, _inputs, _stamp, compile_pdf, format_of, preamble_of

LINES = "\\documentclass[10pt]{article}\n\\usepackage{lab}\n"
BODY = r"""\title{Größe}\begin{document}\section{Länge: \textcolor{labgrey}{é} \qty{3}{\kibi\byte}}\label{x}
\today\ \unit{\mega\byte\per\second} \num{50000} \ref{x}
\begin{longtable}{lr}a & b\\\end{longtable}\end{document}
"""


def files(text: str = LINES + BODY, style: bytes = b"") -> dict[str, bytes]:
    return {"report.tex": text.encode(), "lab.sty": style or (TEMPLATES / "lab.sty").read_bytes()}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of all programs of TeX Live."""
    run, seen = latex.run, list[list[str]]()

    def noted(name: str, command: list[str], scratch: Path, file: str) -> subprocess.CompletedProcess[bytes]:
        seen.append(command)
        return run(name, command, scratch, file)

    monkeypatch.setattr(latex, "run", noted)
    return seen


def test_a_pdf_has_the_same_bytes_with_a_format_and_without(runs: list[list[str]], tmp_path: Path) -> None:
    before = tmp_path / "a folder"
    plain = compile_pdf(files(), "report.tex")
    assert not any("-ini" in each for each in runs)
    runs.clear()
    assert compile_pdf(files(), "report.tex", before) == plain
    assert sum("-ini" in each for each in runs) == 1
    runs.clear()
    assert compile_pdf(files(), "report.tex", before) == plain
    (only,) = runs
    assert f"-fmt={before / FORMAT}" in only


def test_it_is_kept_unpacked(tmp_path: Path) -> None:
    compile_pdf(files(), "report.tex", tmp_path)
    assert not (tmp_path / FORMAT).read_bytes().startswith(GZIP)


def test_nothing_of_a_text_is_in_it() -> None:
    found = preamble_of(files(), "report.tex")
    assert found is not None and found.lines == LINES.encode()
    for text in (r"\typeout{x}" + LINES, LINES.replace("10pt", r"\x"), LINES.replace("{lab}", "{lab,x}"), "", BODY):
        assert preamble_of(files(text), "report.tex") is None


def test_an_error_of_the_text_is_at_its_line_and_leaves_the_format(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"report.tex:5: .*\\nothing"):
        compile_pdf(files(LINES + "\\begin{document}\n\n\\nothing\n\\end{document}"), "report.tex", tmp_path)
    assert (tmp_path / FORMAT).is_file()


def test_a_damaged_format_is_made_again(tmp_path: Path) -> None:
    plain = compile_pdf(files(), "report.tex", tmp_path)
    whole = (tmp_path / FORMAT).stat().st_size
    (tmp_path / FORMAT).write_bytes(b"damage")
    assert compile_pdf(files(), "report.tex", tmp_path) == plain
    assert (tmp_path / FORMAT).stat().st_size > whole / 2


def test_a_format_that_this_tex_refuses_is_no_error_and_no_longer_kept(tmp_path: Path) -> None:
    plain, found = compile_pdf(files(), "report.tex", tmp_path), preamble_of(files(), "report.tex")
    assert found is not None
    (tmp_path / FORMAT).write_bytes(b"of another TeX")
    keep_stamp(tmp_path / FORMAT, _stamp(found, _inputs(tmp_path)))
    assert compile_pdf(files(), "report.tex", tmp_path) == plain
    assert not (tmp_path / FORMAT).exists()


def test_where_nothing_may_be_kept_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert compile_pdf(files(), "report.tex", tmp_path / "file") == compile_pdf(files(), "report.tex")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """The formats that a TeX makes which reads one package; its tree has a list of files, and another tree has none."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "package.sty").write_text("1")
    (tmp_path / "tree" / "ls-R").write_text("package.sty")
    seen = list[int]()

    def run(_name: str, command: list[str], scratch: Path, _file: str) -> subprocess.CompletedProcess[bytes]:
        if command[0] == "kpsewhich":
            trees = f"!!{tmp_path}/tree:!!{tmp_path}/other\n"
            return subprocess.CompletedProcess(command, 0, trees.encode(), b"")
        seen.append(len(seen))
        (scratch / FORMAT).write_bytes(b"format")
        (scratch / "preamble.fls").write_text(f"PWD {scratch}\nINPUT {tmp_path}/package.sty\nINPUT lab.sty\n")
        return subprocess.CompletedProcess(command, 0, b"", b"")

    monkeypatch.setattr(latex, "run", run)
    return seen


def test_it_is_made_again_when_anything_that_it_is_made_of_changes(made: list[int], tmp_path: Path) -> None:
    def makes_one(preamble: Preamble) -> bool:
        before = len(made)
        assert format_of(preamble, tmp_path / "kept") == tmp_path / "kept" / FORMAT
        return len(made) > before

    one = Preamble(b"lines", b"style")
    assert makes_one(one) and not makes_one(one)
    for other in (Preamble(b"lines", b"stile"), Preamble(b"limes", b"style"), one):
        assert makes_one(other) and not makes_one(other)
    (tmp_path / "package.sty").write_text("newer")
    assert makes_one(one) and not makes_one(one)
    (tmp_path / "tree" / "ls-R").write_text("package.sty more.sty")
    assert makes_one(one) and not makes_one(one)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "ls-R").write_text("package.sty")
    assert makes_one(one) and not makes_one(one)
