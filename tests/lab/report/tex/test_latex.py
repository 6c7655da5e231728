"""LaTeX in, PDF out, a small document a test."""

import os
import subprocess
from pathlib import Path

import pytest

from lab.places import TEMPLATES
from lab.report.errors import ReportError
from lab.report.pdf import typesetter
from lab.report.tex import latex
from lab.report.tex.latex import compile_pdf
from lab.report.tex.render import SPECIAL, escape

HOSTILE = ["".join(SPECIAL), r"\input{/etc/passwd}", r"\write18{touch /tmp/x}", "Größe ėčž €", "y" * 9_000, "a--b'c`"]


def compiled(body: str) -> bytes:
    text = "\\documentclass{article}\n\\usepackage{lab}\n\\begin{document}\n" + body + "\n\\end{document}\n"
    return compile_pdf({"report.tex": text.encode(), "lab.sty": (TEMPLATES / "lab.sty").read_bytes()}, "report.tex")


def printed(body: str, tmp_path: Path) -> str:
    (tmp_path / "x.pdf").write_bytes(compiled(body))
    done = subprocess.run(["pdftotext", "-raw", tmp_path / "x.pdf", "-"], capture_output=True, check=True, text=True)
    return done.stdout


def test_hostile_texts_print_as_they_are(tmp_path: Path) -> None:
    lines = [escape(" ".join(text[start : start + 10] for start in range(0, len(text), 10))) for text in HOSTILE]
    words = printed("\n\n".join(lines), tmp_path)
    assert "\\input{/et" in words and "\\write18{t" in words and "root:" not in words
    assert "Größe" in words and "a--b" in words
    assert all(mark in words for mark in '\\{}$&#%_~^"')


def test_latex_reads_no_file_of_the_host_and_runs_nothing(tmp_path: Path) -> None:
    secret, proof = tmp_path / "secret.tex", tmp_path / "proof"
    secret.write_text("s3cr3t")
    for body in (rf"\input{{{secret}}}", rf"\immediate\write18{{touch {proof}}}x"):
        try:
            words = printed(body, tmp_path)
        except ReportError:
            continue
        assert "s3cr3t" not in words
    assert not proof.exists() and os.path.lexists(secret)


def test_typesetter_is_found_in_a_narrow_column(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(compiled(r"\parbox{60mm}{\raggedright\labtypesetter}"))
    banner = subprocess.run(["pdftex", "--version"], capture_output=True, check=True, text=True).stdout.splitlines()[0]
    name, version, rest = banner.split(maxsplit=2)
    assert typesetter(tmp_path / "x.pdf") == f"{name}, Version {version} {rest}"


def test_references_to_later_labels_and_pages_are_printed(tmp_path: Path) -> None:
    words = printed(r"see \ref{x} on page \pageref{x}.\newpage\section{A}\section{B}\label{x}", tmp_path)
    assert "see 2 on page 2." in words


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("fine\n\nnot \\fine here", r"report\.tex:6: Undefined control sequence \\fine \(try: a command that"),
        ("a_b", r"report\.tex:4: Missing \$ inserted \(try: "),
        ("\\begin{nothing}", r"report\.tex:4: Environment nothing undefined$"),
        ("\u4e2d", r"report\.tex:4: the report's font has no character U\+4E2D$"),
        (r"\mbox{" + "wide " * 60 + "}", r"report\.tex:4: a line is [\d.]+ pt too wide \(try: shorter words"),
        (r"\begin{figure}\rule{1pt}{2\textheight}\end{figure}", r"a figure or a table is [\d.]+ pt too high"),
    ],
)
def test_error_is_one_sentence_with_file_and_line(body: str, error: str) -> None:
    with pytest.raises(ReportError, match=error) as caught:
        compiled(body)
    assert "\n" not in str(caught.value)


def test_latex_that_is_ended_by_a_limit_hints_at_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latex, "LIMITS", ("--fsize=3000", "--core=0"))
    with pytest.raises(ReportError, match=r"ended without an error message \(try: ulimit -a"):
        compiled("Words.")
