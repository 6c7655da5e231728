"""Templates to LaTeX, in a sandbox; LaTeX to PDF, a small document a test; numbers with their units."""

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.analysis.estimate import Estimate, Interval
from lab.places import TEMPLATES
from lab.report.errors import ReportError
from lab.report.tex import latex
from lab.report.tex.latex import compile_pdf
from lab.report.tex.numbers import UNITS, in_words, last_place, show, show_exactly, significant, written_out
from lab.report.tex.render import SPECIAL, Markup, escape, render

HOSTILE = ["".join(SPECIAL), r"\input{/etc/passwd}", r"\write18{touch /tmp/x}", "Größe ėčž €", "y" * 9_000, "a--b'c`"]


def compiled(body: str) -> bytes:
    text = "\\documentclass{article}\n\\usepackage{lab}\n\\begin{document}\n" + body + "\n\\end{document}\n"
    return compile_pdf({"report.tex": text.encode(), "lab.sty": (TEMPLATES / "lab.sty").read_bytes()}, "report.tex")


def printed(body: str, tmp_path: Path) -> str:
    (tmp_path / "x.pdf").write_bytes(compiled(body))
    return laboratory.printed("pdftotext", "-raw", tmp_path / "x.pdf", "-")


def test_latex_waits_for_a_set_up_that_installs_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(latex, "SETUP_LOCK", tmp_path / "setup.lock")
    with (tmp_path / "setup.lock").open("w") as lock, ThreadPoolExecutor(1) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pdf = pool.submit(compiled, "x")
        while "waiting for the installation of packages" not in capfd.readouterr().err:
            assert not pdf.done()
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert pdf.result().startswith(b"%PDF")


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


ORDINARY = "\\newcommand\\x[2]{#1 {{#2}} {%\n} <<a>> [-b-] (((c)))}\n"


@pytest.mark.parametrize(
    ("template", "value", "made"),
    [
        (r"\VAR{a}", r"50%_\\input{x}", r"50\%\_\textbackslash{}\textbackslash{}input\{x\}"),
        (r"\VAR{a}", Markup(r"\emph{x}"), r"\emph{x}"),
        (r"\VAR{a|upper}", Markup(r"\emph{x}"), r"\textbackslash{}EMPH\{X\}"),  # a filter drops the mark
        (ORDINARY, "", ORDINARY),
    ],
)
def test_text_is_escaped_and_markup_is_not(tmp_path: Path, template: str, value: str, made: str) -> None:
    assert rendered(tmp_path, template, a=value) == made


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


@pytest.mark.parametrize(
    ("low", "high", "last"), [(1230, 1240, 0), (1200, 1270, 1), (1234.8, 1235.2, 0), (235, 2235, 3), (1235, 1235, 0)]
)
def test_number_has_digits_as_far_as_its_interval(low: float, high: float, last: int) -> None:
    assert last_place(Estimate((low + high) / 2, Interval(low, high), 10)) == last


def test_number_has_three_digits_without_an_interval_or_all_that_were_chosen() -> None:
    assert [last_place(Estimate(value, None, 1)) for value in (1235, 0)] == [1, -2]
    assert [significant(value, 3) for value in (1234, 0.01234, 0)] == [1, -4, -2]
    assert show_exactly(1_500_000, "B/s").plain == "1.5 MB/s"
    # siunitx groups the digits of the last.
    exact = [show_exactly(*number).tex for number in ((1_500_000, "B/s"), (12, ""), (50_000, ""))]
    assert exact == [r"\qty{1.5}{\mega\byte\per\second}", r"\labnum{12}", r"\num{50000}"]
    sizes = {64: "64 B", 4096: "4 KiB", 1000: "1 kB", 1025: "1025 B", 3 << 20: "3 MiB"}
    assert {size: in_words(size) for size in sizes} == sizes


@pytest.mark.parametrize(
    ("value", "unit", "place", "plain"),
    [
        (1_234_567_890, "B/s", 6, "1.235 GB/s"),
        (0.0000402, "s", -7, "40.2 µs"),
        (999, "B", 0, "999 B"),
        (1234.5, "messages/s", 2, "1200 messages/s"),
        (4096, "bytes", 0, "4.000 KiB"),
        (1.05, "", -2, "1.05"),
    ],
)
def test_prefix_leaves_a_digit_before_the_point(value: float, unit: str, place: int, plain: str) -> None:
    assert show(value, unit, place).plain == plain


def test_written_out_quantities_print_as_siunitx_prints_them(tmp_path: Path) -> None:
    numbers = (1.234e9, 1_234_000.0, 1_234.0, 1.5, 0.0015, 0.0000015, 0.0000000015, -2.0)
    sizes = [show(2.0**power, "size", 0) for power in (0, 10, 20, 30)]
    quantities = [
        show(value, unit, -10) for unit in UNITS if unit not in ("", "count", "size", "/B") for value in numbers
    ]
    texts = [quantity.tex for quantity in (*sizes, *quantities)]
    body = "\n\n".join([*texts, r"\textbf{\qty{3}{\kibi\byte}}", r"$\frac{\qty{1}{\second}}{2}$"])
    quick = written_out(body)
    assert quick.count(r"\labqty") > 20 and printed(quick, tmp_path) == printed(body, tmp_path)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\n\\qty{99.5}{\\percent} of\n\\qty{-2}{\\micro\\second}", "a\n\\labqty{99.5}{\\%} of\n\\labqty{-2}{µs}"),
        (r"\qty{12345}{\byte}", r"\qty{12345}{\byte}"),
        (r"\qty{3}{\meter}", r"\qty{3}{\meter}"),
        (r"\qty{3}{\bytes}", r"\qty{3}{\bytes}"),
        (r"\qty[mode=text]{3}{\byte}", r"\qty[mode=text]{3}{\byte}"),
        (r"\qty{x}{\byte}", r"\qty{x}{\byte}"),
    ],
)
def test_only_quantities_of_known_form_are_written_out(text: str, written: str) -> None:
    assert written_out(text) == written
