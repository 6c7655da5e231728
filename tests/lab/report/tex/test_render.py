"""Templates are rendered in a sandbox: everything is escaped, nothing may be undefined."""

from pathlib import Path

import pytest

from lab.report.errors import ReportError
from lab.report.tex.render import Markup, escape, render


def rendered(tmp_path: Path, template: str, **context: object) -> str:
    (tmp_path / "t.tex").write_text(template)
    return render(tmp_path, "t.tex", context).text


@pytest.mark.parametrize("text", ["\u05e9\u05dc\u05d5\u05dd", "\u202eabc", "\u4e2d", "\x00", "z" * 10_001])
def test_text_without_glyphs_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        escape(text)


def test_an_apostrophe_within_a_word_is_typeset_and_a_quote_of_code_is_not() -> None:
    assert escape("O'Neill's 'x' y'1") == (
        "O\u2019Neill\u2019s \\textquotesingle{}x\\textquotesingle{} y\\textquotesingle{}1"
    )


def test_text_is_escaped_and_markup_is_not(tmp_path: Path) -> None:
    assert rendered(tmp_path, r"\VAR{a}", a="50%_\\input{x}") == r"50\%\_\textbackslash{}input\{x\}"
    assert rendered(tmp_path, r"\VAR{a}", a=Markup(r"\emph{x}")) == r"\emph{x}"


def test_a_filter_drops_the_mark(tmp_path: Path) -> None:
    assert rendered(tmp_path, r"\VAR{a|upper}", a=Markup(r"\emph{x}")) == r"\textbackslash{}EMPH\{X\}"


def test_ordinary_latex_passes_unchanged(tmp_path: Path) -> None:
    text = "\\newcommand\\x[2]{#1 {{#2}} {%\n} <<a>> [-b-] (((c)))}\n"
    assert rendered(tmp_path, text) == text


def test_an_undefined_name_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ReportError) as caught:
        rendered(tmp_path, "fine\n\\VAR{nothing}\n")
    assert (caught.value.file, caught.value.line) == ("templates/t.tex", 2)


@pytest.mark.parametrize("code", ["''.__class__.__mro__", "a.append(1)", "a.__init__.__globals__"])
def test_the_sandbox_holds(tmp_path: Path, code: str) -> None:
    with pytest.raises(ReportError):
        rendered(tmp_path, rf"\VAR{{{code}}}", a=[1])


def test_an_error_in_rendered_latex_is_one_of_the_template(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.tex").write_text("a\n\\VAR{rows}\n")
    (tmp_path / "t.tex").write_text("x\n\\BLOCK{if rows}\n\\BLOCK{include 'parts/a.tex'}\n\\BLOCK{endif}\ny\n")
    made = render(tmp_path, "t.tex", {"rows": "1\n2"})
    assert made.text == "x\na\n1\n2\ny\n"
    traced = [str(made.in_template(ReportError("broken", file="report.tex", line=line))) for line in range(1, 6)]
    places = ("t.tex:1", "parts/a.tex:1", "parts/a.tex:2", "parts/a.tex:2", "t.tex:5")
    assert traced == [f"templates/{place}: broken" for place in places]
