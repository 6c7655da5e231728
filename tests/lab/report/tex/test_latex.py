"""LaTeX in, PDF out, a small document a test: lab.report.tex.{log,passes,shelter}, lab.report.pdf."""

import os
import subprocess
from pathlib import Path

import pytest

from lab.places import TEMPLATES
from lab.report.errors import ReportError
from lab.report.pdf import typesetter
from lab.report.tex import latex
from lab.report.tex.latex import PassFiles, compile_pdf, reads_pages
from lab.report.tex.render import SPECIAL, escape

STYLE = (TEMPLATES / "lab.sty").read_bytes()
HOSTILE = ["".join(SPECIAL), r"\input{/etc/passwd}", r"\write18{touch /tmp/x}", "Größe ėčž €", "y" * 9_000, "a--b'c`"]


def document(body: str) -> dict[str, bytes]:
    text = "\\documentclass{article}\n\\usepackage{lab}\n\\begin{document}\n" + body + "\n\\end{document}\n"
    return {"report.tex": text.encode(), "lab.sty": STYLE}


def words(pdf: bytes, tmp_path: Path) -> str:
    (tmp_path / "x.pdf").write_bytes(pdf)
    done = subprocess.run(["pdftotext", "-raw", tmp_path / "x.pdf", "-"], capture_output=True, check=True, text=True)
    return done.stdout


def test_hostile_texts_print_as_they_are(tmp_path: Path) -> None:
    lines = [escape(" ".join(each[start : start + 10] for start in range(0, len(each), 10))) for each in HOSTILE]
    printed = words(compile_pdf(document("\n\n".join(lines)), "report.tex"), tmp_path)
    assert "\\input{/et" in printed and "\\write18{t" in printed and "root:" not in printed
    assert "Größe" in printed and "a--b" in printed
    assert all(mark in printed for mark in '\\{}$&#%_~^"')


def test_the_typesetter_is_named_as_it_calls_itself(tmp_path: Path) -> None:
    """In a column that is narrower than that of the table of the environment."""
    (tmp_path / "x.pdf").write_bytes(compile_pdf(document(r"\parbox{60mm}{\raggedright\labtypesetter}"), "report.tex"))
    said = subprocess.run(["pdftex", "--version"], capture_output=True, check=True, text=True).stdout.splitlines()[0]
    name, version, rest = said.split(maxsplit=2)
    assert typesetter(tmp_path / "x.pdf") == f"{name}, Version {version} {rest}"


@pytest.mark.parametrize("text", ["\u05e9\u05dc\u05d5\u05dd", "\u202eabc", "\u4e2d", "\x00", "z" * 10_001])
def test_what_no_font_has_is_refused_before_latex(text: str) -> None:
    with pytest.raises(ReportError):
        escape(text)


def test_same_text_same_bytes_wherever_and_whenever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = compile_pdf(document(r"\today\ \labclaim{1}{x}"), "report.tex")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert compile_pdf(document(r"\today\ \labclaim{1}{x}"), "report.tex") == first


TABLE = r"""\section{%s}\begin{longtable}{lr}%s & \ref{x}\\b & 2\\\end{longtable}
\begin{figure}\caption{C}\label{x}\end{figure}%s"""
TEXTS = [TABLE % each for each in (("A", "a", ""), ("B", "much wider", r"\section{More}"), ("A", "a", r"\newpage y"))]


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The main files of all runs of LaTeX."""
    run, seen = latex.one_pass, list[str]()

    def counted(scratch: Path, main: str, quick: Path | None = None) -> str:
        seen.append(main)
        return run(scratch, main, quick)

    monkeypatch.setattr(latex, "one_pass", counted)
    return seen


def test_a_build_after_another_takes_one_pass_and_gives_the_same_bytes(passes: list[str], tmp_path: Path) -> None:
    first = compile_pdf(document(TEXTS[0]), "report.tex", tmp_path)
    cold = len(passes)
    again = document(TEXTS[0].replace("a &", "c &"))
    assert compile_pdf(again, "report.tex", tmp_path) == compile_pdf(again, "report.tex") != first
    assert len(passes) == cold + 1 + cold


@pytest.mark.parametrize("text", TEXTS[1:])
def test_what_another_text_left_changes_no_byte(text: str, tmp_path: Path) -> None:
    compile_pdf(document(TEXTS[0]), "report.tex", tmp_path)
    assert compile_pdf(document(text), "report.tex", tmp_path) == compile_pdf(document(text), "report.tex")


def test_damage_to_what_was_left_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "report.aux").write_text("\\relax\n\\nonsense{")
    assert compile_pdf(document(TEXTS[0]), "report.tex", tmp_path) == compile_pdf(document(TEXTS[0]), "report.tex")


def test_only_a_text_that_prints_pages_waits_for_them() -> None:
    here, there = (PassFiles(((".aux", rb"\newlabel{x}{{2}{%d}{Title}{figure.2}{}}" % page),)) for page in (3, 4))
    other = PassFiles(((".aux", rb"\newlabel{x}{{3}{3}{Title}{figure.2}{}}"),))
    assert here.agrees(there, with_pages=False) and not here.agrees(there, with_pages=True)
    assert not here.agrees(other, with_pages=False) and not PassFiles().agrees(PassFiles(), with_pages=False)
    assert reads_pages([b"see", rb"page \pageref{x}"]) and not reads_pages([rb"see \ref{x}"])


def test_an_error_is_one_sentence_with_file_and_line() -> None:
    with pytest.raises(ReportError) as caught:
        compile_pdf(document("fine\n\nnot \\fine here"), "report.tex")
    assert (caught.value.file, caught.value.line) == ("report.tex", 6)
    assert "\\fine" in str(caught.value) and "\n" not in str(caught.value)


def test_a_line_past_the_margin_stops_the_build() -> None:
    with pytest.raises(ReportError, match="too wide"):
        compile_pdf(document(r"\mbox{" + "wide " * 60 + "}"), "report.tex")


def test_a_figure_past_the_end_of_the_page_stops_the_build() -> None:
    with pytest.raises(ReportError, match=r"a figure or a table is [\d.]+ pt too high"):
        compile_pdf(document(r"\begin{figure}\rule{1pt}{2\textheight}\end{figure}"), "report.tex")


def test_latex_reads_no_file_of_the_computer_and_runs_nothing(tmp_path: Path) -> None:
    secret, proof = tmp_path / "secret.tex", tmp_path / "proof"
    secret.write_text("s3cr3t")
    for body in (rf"\input{{{secret}}}", rf"\immediate\write18{{touch {proof}}}x"):
        try:
            printed = words(compile_pdf(document(body), "report.tex"), tmp_path)
        except ReportError:
            continue
        assert "s3cr3t" not in printed
    assert not proof.exists() and os.path.lexists(secret)


def test_latex_that_may_write_little_says_where_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal ends it, and its log has no error."""
    monkeypatch.setattr(latex, "LIMITS", ("--fsize=3000", "--core=0"))
    with pytest.raises(ReportError, match=r"did not say why \(try: ulimit -a"):
        compile_pdf(document("Words."), "report.tex")
