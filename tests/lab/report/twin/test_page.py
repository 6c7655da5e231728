"""The page of a report, opened in a browser as a reader opens it, from disk: lab.report.twin.*."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from tests.lab.grade.browser import addresses, found_in
from tests.lab.report import laboratory
from tests.lab.report.twin.barriers import BARRIERS
from tests.lab.report.twin.elsewhere import DISCUSSION, NAME, sources_with_evidence

from lab.places import TEMPLATES
from lab.report.build import Prepared, prepare
from lab.report.errors import ReportError
from lab.report.evidence.evidence import gather
from lab.report.tex.escape import SPECIAL, escape
from lab.report.tex.typeset import shown
from lab.report.text.latex import ALLOWED
from lab.report.twin.page import page as page_of
from lab.report.twin.quantities import printed

Written = Callable[[str], str]
# What a text may use, but only with a claim, within a table, in a unit, or before the page is made.
ELSEWHERE = "claim shows given size cite figureof tableof ownfigure begin end item toprule midrule bottomrule hline"
UNITS = "byte bit second per kilo mega giga kibi mebi gibi milli micro nano percent hertz".split()  # noqa: SIM905
NOT_IN_A_LINE = frozenset((*ELSEWHERE.split(), *UNITS))
FOCUS = """var link = Array.from(document.querySelectorAll('.claim a')).find(function (each) {
  return each.nextElementSibling && each.nextElementSibling.textContent.startsWith('tcp at 1K:'); });
var tip = link.nextElementSibling;
var hidden = getComputedStyle(tip).display; link.focus(); var open = getComputedStyle(tip).display;
document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'})); var shut = getComputedStyle(tip).display;
return [hidden, open, shut, tip.textContent, document.getElementById(link.getAttribute('aria-describedby')) === tip];"""
STATEMENT = """var link = document.querySelector('.claim sup a');
var place = document.getElementById(link.getAttribute('href').slice(1)).closest('div');
var rows = Array.from(place.querySelectorAll('tbody tr'));
var verdicts = new Set(rows.map(function (row) { return row.cells[2].textContent; }));
return [link.closest('.claim').querySelector('[role=tooltip]').textContent, rows.length, Array.from(verdicts)];"""
SORT = """var table = document.querySelector('[id="table:five"] table');
var head = table.querySelectorAll('thead th')[0];
function column() { return Array.from(table.tBodies[0].rows, function (row) { return +row.cells[0].dataset.value; }); }
var button = head.querySelector('button'); button.focus(); var reached = document.activeElement === button;
button.click(); var up = column(), said = head.getAttribute('aria-sort');
button.click(); return [reached, up, said, column(), head.getAttribute('aria-sort'), head.scope];"""
NAMES = """var svgs = Array.from(document.querySelectorAll('figure svg'));
var ids = Array.from(document.querySelectorAll('[id]'), function (each) { return each.id; });
return {unnamed: svgs.filter(function (each) { return !each.getAttribute('aria-label'); }).length, drawn: svgs.length,
  twice: ids.length - new Set(ids).size, lang: document.documentElement.lang,
  levels: Array.from(document.querySelectorAll('h1,h2,h3,h4,h5'), function (each) { return +each.tagName[1]; }),
  lost: Array.from(document.querySelectorAll('a[href^="#"]')).filter(function (each) {
    return !document.getElementById(decodeURIComponent(each.getAttribute('href').slice(1))); }).length,
  text: document.querySelector('main').innerText};"""
CONTRAST = r"""function light(colour) { return colour.match(/[\d.]+/g).slice(0, 3).map(function (each) {
  var part = each / 255; return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
}).reduce(function (sum, part, place) { return sum + part * [0.2126, 0.7152, 0.0722][place]; }, 0); }
var style = getComputedStyle(document.documentElement), probe = document.createElement('i');
function of(name) { probe.style.color = style.getPropertyValue(name); document.body.appendChild(probe);
  return light(getComputedStyle(probe).color); }
return ['--ink', '--grey', '--link'].flatMap(function (ink) { return ['--paper', '--box'].map(function (paper) {
  var both = [of(ink), of(paper)].sort(function (a, b) { return b - a; });
  return (both[0] + 0.05) / (both[1] + 0.05); }); });"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("twin")
    plan = laboratory.plan_of(NAME)
    laboratory.record(plan, folder / "records")
    return prepare(sources_with_evidence(folder), gather(plan, folder / "records"), folder / "cache")


@pytest.fixture
def page(made: Prepared, tmp_path: Path) -> Path:
    (tmp_path / f"{NAME}.html").write_text(page_of(made.material, TEMPLATES))
    return tmp_path / f"{NAME}.html"


@pytest.fixture(scope="module")
def written(made: Prepared) -> Written:
    """The page of a text of one's own."""

    def write(body: str) -> str:
        whole = r"\title{T}\begin{document}" + body + r"\end{document}"
        return page_of(replace(made.material, texts={"report.tex": whole}), TEMPLATES)

    return write


def test_a_number_shows_its_query_and_records_on_focus(page: Path) -> None:
    hidden, opened, shut, words, described = found_in(page, FOCUS)
    assert (hidden, opened, shut, described) == ("none", "block", "none", True)
    assert re.fullmatch(r"tcp at 1K: [\d.]+ MB/s \[[\d., ]+\]; n = 6; records R2", words)


def test_a_statement_leads_to_the_rows_that_it_was_judged_by(page: Path) -> None:
    words, rows, verdicts = found_in(page, STATEMENT)
    assert words.startswith("verbs < tcp everywhere: true. 0.1")
    assert (rows, verdicts) == (21, ["true"])


def test_a_table_sorts_by_its_numbers_with_a_button_that_a_key_reaches(page: Path) -> None:
    reached, up, first, down, second, scope = found_in(page, SORT)
    assert reached and (first, second, scope) == ("ascending", "descending", "col")
    assert len(up) > 2 and up == sorted(up) and down == up[::-1]


def test_names_ids_headings_and_links_are_whole_and_nothing_is_asked_for(page: Path, made: Prepared) -> None:
    found = found_in(page, NAMES)
    assert (found["unnamed"], found["twice"], found["lost"], found["lang"]) == (0, 0, 0, "en")
    assert found["drawn"] == len(made.pngs) and found["levels"][0] == 1
    assert all(below - above <= 1 for above, below in zip(found["levels"], found["levels"][1:], strict=False))
    assert addresses(page) == set()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_by_at_least_4_5_to_1(page: Path, scheme: str) -> None:
    ratios = found_in(in_scheme(page, scheme), CONTRAST)
    assert len(ratios) == 6 and min(ratios) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_that_shuts_a_reader_out(page: Path, scheme: str) -> None:
    axe = (files("axe_core_python") / "axe.min.js").read_text()
    barriers, passed = found_in(in_scheme(page, scheme), BARRIERS, axe)
    assert barriers == [] and passed > 30


def in_scheme(page: Path, scheme: str) -> Path:
    """The page as a reader who asks for dark or light sees it."""
    page.write_text(page.read_text().replace("(prefers-color-scheme: dark)", "all" if scheme == "dark" else "not all"))
    return page


def test_the_page_and_the_pdf_say_the_same_numbers(page: Path, made: Prepared, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(made.typeset())
    told = subprocess.run(
        ["pdftotext", "-raw", tmp_path / "report.pdf", "-"], capture_output=True, text=True, check=True
    )
    pdf, here = _bare(told.stdout), _bare(found_in(page, NAMES)["text"])
    typed = [backing for backing in made.material.backings if backing.use.body in DISCUSSION]
    answers = [backing.value.answer for backing in typed if backing.value]
    values = {_bare(printed(shown(answer))) for answer in answers}
    assert len(values) == 2
    assert {each for each in values if each not in here} == {each for each in values if each not in pdf} == set()


def test_the_same_page_comes_of_another_folder_time_zone_and_locale(page: Path, tmp_path: Path) -> None:
    script = "import sys; from tests.lab.report.twin import elsewhere; elsewhere.write(*sys.argv[1:])"
    environment = os.environ | {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", script, str(tmp_path / "there"), str(tmp_path / "there.html")]
    subprocess.run(command, env=environment, check=True)
    assert (tmp_path / "there.html").read_bytes() == page.read_bytes()


def test_a_blank_line_begins_a_paragraph_and_a_command_that_is_not_known_is_named(written: Written) -> None:
    assert "<p>One &lt; 2.</p>\n<p>Two – 50\u202f000.</p>" in written("One < 2.\n \nTwo -- \\num{50000}.")
    assert "<mi>n</mi>" in written("$n = 3$") and "é" in written(r"\'e")
    with pytest.raises(ReportError, match=r"does not know the command \\foo"):
        written(r"A \foo.")
    with pytest.raises(ReportError, match="cannot be read"):
        written(r"\emph{A")


def test_every_letter_that_the_lab_escapes_and_every_sign_that_a_text_may_use_is_known(written: Written) -> None:
    typed = "".join(each for each in SPECIAL if each not in "'-\N{NO-BREAK SPACE}")
    assert f"<p>{html.escape(typed, quote=False)}</p>" in unquoted(written(escape(typed)))
    for name in sorted(ALLOWED - NOT_IN_A_LINE):
        assert written(rf"\{name}{{}}{{}}"), name


def test_sources_are_listed_and_a_citation_leads_to_its_own(written: Written) -> None:
    listed = r"""\begin{thebibliography}{9}
\bibitem{one} A.~One. \newblock {\em The {RDMA} book}. \newblock \url{https://example.org/a_b~c\%20d}
\bibitem{two} B. Two, at \url{javascript:alert(1)}.
\end{thebibliography}"""
    page = written(r"As \cite{two, one} say. " + listed)
    assert '[<a href="#source:two">2</a>, <a href="#source:one">1</a>] say.' in page
    assert "<h2>References</h2>" in page and page.index('<li id="source:one">') < page.index('<li id="source:two">')
    assert "<em>The RDMA book</em>" in page and '<a href="https://example.org/a_b~c%20d"><code>' in page
    assert 'href="javascript' not in page and "<code>javascript:alert(1)</code>" in page


def test_a_formula_keeps_its_shape_whatever_numbers_it_holds(written: Written) -> None:
    page = written(r"\[ \text{rate} = \frac{\labclaim{2}{\qty{3}{\byte}}}{\num{50000} - \qty{3}{\byte}} \]")
    math = page[page.index("<math") : page.index("</math>")]
    above, below = math[math.index("<mfrac>") :].split("</mrow><mrow>", 1)
    assert 'display="block"' in math and "<mtext>rate</mtext>" in math
    assert '<mtext><span class="claim"><a href="#tip2"' in above and "<mfrac>" in math
    assert "<mtext>50\u202f000</mtext>" in below and "<mtext>3\xa0B</mtext>" in below


def test_who_wrote_it_stands_below_the_title_and_above_the_contents(written: Written) -> None:
    page = written(r"\labtitle{Ada Łovelace (7)}{}{Site \texttt{exact}.}\section{Goal} Words.")
    head = re.sub(r"\s+", " ", page[page.index("<h1") : page.index("<main")])
    lines = '<p class="who">Ada Łovelace (7)</p> <p class="who">Site <code>exact</code>.</p>'
    assert head.index("</h1>") < head.index(lines) < head.index('<a href="#section:1">1 Goal</a>')
    assert "<nav" not in written("No section.")


def unquoted(page: str) -> str:
    return page.replace("&quot;", '"')


def _bare(text: str) -> str:
    """Without blanks, for a line may break at them; one sign for minus."""
    return re.sub(r"\s", "", text).replace("\N{MINUS SIGN}", "-")
