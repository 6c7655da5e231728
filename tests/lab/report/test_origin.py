from pathlib import Path

from lab.report.errors import ReportError
from lab.report.origin import in_templates


def test_an_error_in_rendered_latex_is_traced_to_its_template_line(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.tex").write_text("first line here\nthe \\VAR{x} sentence of it\n")
    files = {"report.tex": b"one\nthe 42 sentence of it\nno template's words\n"}
    traced = in_templates(ReportError("broken", file="report.tex", line=2), files, tmp_path)
    assert (traced.file, traced.line) == ("templates/parts/a.tex", 2)
    lost = in_templates(ReportError("broken", file="report.tex", line=3), files, tmp_path)
    assert (lost.file, lost.line) == ("report.tex", 3)


def test_an_error_in_the_students_text_stays_there(tmp_path: Path) -> None:
    error = ReportError("broken", file="discussion.tex", line=2)
    assert in_templates(error, {"report.tex": b""}, tmp_path) is error
