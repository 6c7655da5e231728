"""The page of a report, opened in a browser as a reader opens it, from disk: lab.report.twin.*."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.lab.grade.browser import addresses, found_in
from tests.lab.report import laboratory
from tests.lab.report.html.barriers import BARRIERS
from tests.lab.report.html.elsewhere import DISCUSSION, NAME, sources_with_evidence

from lab.places import TEMPLATES
from lab.report.build import Prepared, prepare
from lab.report.errors import ReportError
from lab.report.evidence.evidence import gather
from lab.report.html.page import page as page_of
from lab.report.tex.numbers import shown
from lab.report.tex.render import SPECIAL, escape
from lab.report.text.latex import ALLOWED

Written = Callable[[str], str]
# What a text may use, but only with a claim, within a table, in a unit, or before the page is made.
ELSEWHERE = "claim shows given size cite figureof tableof ownfigure begin end item toprule midrule bottomrule hline"
UNITS = "byte bit second per kilo mega giga kibi mebi gibi milli micro nano percent hertz".split()  # noqa: SIM905
NOT_IN_A_LINE = frozenset((*ELSEWHERE.split(), *UNITS))
OPENS = """var button = Array.from(document.querySelectorAll('.claim')).find(function (each) {
  return each.nextElementSibling.textContent.startsWith(WORDS); });
var shown = button.popoverTargetElement, before = shown.matches(':popover-open');
button.focus(); button.click();
var box = shown.getBoundingClientRect(), at = button.getBoundingClientRect();
var near = Math.min(Math.abs(box.top - at.bottom), Math.abs(box.bottom - at.top));
return {before: before, opened: shown.matches(':popover-open'), words: shown.textContent, how: shown.popover,
  near: near, focused: document.activeElement === button,
  inside: box.left >= 0 && box.right <= innerWidth,
  rows: Array.from(shown.querySelectorAll('a'), function (link) {
    var place = document.getElementById(decodeURIComponent(link.hash.slice(1))).closest('div');
    return Array.from(place.querySelectorAll('tbody tr'), function (row) { return row.cells[2].textContent; }); })};"""
SORT = """var table = Array.from(document.querySelectorAll('table')).find(function (each) {
  return each.tBodies[0].rows.length > 8 && each.tHead.textContent.startsWith('size');
});
function column() { return Array.from(table.tBodies[0].rows, function (row) { return +row.cells[0].dataset.value; }); }
var head = table.querySelectorAll('thead th')[0], button = head.querySelector('button'); button.click();
var up = column(), said = head.getAttribute('aria-sort');
button.click(); return [up, said, column(), head.getAttribute('aria-sort'), head.scope,
  document.querySelectorAll('[id="table:five"] button').length];"""
FIRST = """function low(place) { return document.querySelector(place).getBoundingClientRect().bottom; }
return [low('.answer'), low('.shown svg'), low('dl'), document.querySelectorAll('dl > div').length,
  document.documentElement.scrollWidth - innerWidth];"""
FOLDS = """var folds = Array.from(document.querySelectorAll('main > details'));
var before = folds.map(function (fold) { return fold.querySelector('summary').textContent.trim(); });
var open = folds.filter(function (fold) { return fold.open; }).length;
location.hash = '#evidence:S1';
return new Promise(function (found) { setTimeout(function () {
  found([before, open, folds.filter(function (fold) { return fold.open; }).map(function (fold) {
    return fold.querySelector('summary').textContent.trim(); })]); }, 100); });"""
LIVE = """var live = document.getElementById('live'), told = live.querySelector('output');
function choose(name, value) { var control = live.querySelector('[name=' + name + ']'); control.value = value;
  control.dispatchEvent(new Event('change', {bubbles: true})); }
function slide(place) { var slider = live.querySelector('[name=size]'); slider.value = place;
  slider.dispatchEvent(new Event('input', {bubbles: true})); return told.textContent; }
var found = {drawn: live.querySelectorAll('svg circle').length, is_hidden: live.hidden, rate: slide(10)};
choose('unit', 'bytes/µs'); found.bytes = told.textContent;
choose('quantity', 'time per message'); found.time = told.textContent;
choose('quantity', 'ratio'); choose('base', 'tcp'); found.ratio = told.textContent;
found.sources = Array.from(live.querySelectorAll('[name=source]'), function (each) { return !each.disabled; });
var published = live.querySelector('[value=published]'); published.click(); choose('quantity', 'throughput');
found.published = told.textContent;
var box = live.querySelector('svg').getBoundingClientRect();
var moved = new PointerEvent('pointermove', {clientX: box.left + 60, bubbles: true});
document.getElementById('drawing').dispatchEvent(moved);
found.hovered = told.textContent; return found;"""
FILES = """return Promise.all(Array.from(document.querySelectorAll('a[download]'), function (link) {
  return [link.download, decodeURIComponent(link.href.slice(link.href.indexOf(',') + 1))]; }));"""
NAMES = """var svgs = Array.from(document.querySelectorAll('figure > svg'));
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


def opened(page: Path, words: str, width: int = 800) -> dict[str, Any]:
    found: dict[str, Any] = found_in(page, OPENS.replace("WORDS", repr(words)), width=width)
    return found


@pytest.mark.parametrize("width", [1280, 390])
def test_a_number_opens_its_query_and_records_beside_it(page: Path, width: int) -> None:
    found = opened(page, "tcp at 1K:", width)
    assert (found["before"], found["opened"], found["focused"], found["inside"]) == (False, True, True, True)
    assert found["near"] < 10 and found["how"] == "auto"  # so that Escape closes it
    assert re.fullmatch(r"tcp at 1K: [\d.]+ MB/s \[[\d., ]+\]; n = 6; records R2", found["words"])


def test_a_statement_leads_to_the_rows_that_it_was_judged_by(page: Path) -> None:
    found = opened(page, "verbs < tcp everywhere: true. 0.1")
    assert found["opened"] and found["rows"] == [["true"] * 21]


def test_a_long_table_sorts_by_its_numbers_and_a_short_one_has_no_buttons(page: Path) -> None:
    up, first, down, second, scope, in_short = found_in(page, SORT)
    assert (first, second, scope, in_short) == ("ascending", "descending", "col", 0)
    assert len(up) > 8 and up == sorted(up) and down == up[::-1]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_answer_figure_and_numbers_are_on_the_first_screen(page: Path, width: int, height: int) -> None:
    answer, figure, numbers, count, beyond = found_in(page, FIRST, width=width)
    assert max(answer, figure, numbers) <= height and 1 <= count <= 5 and beyond <= 0


def test_method_environment_and_full_tables_are_folded_until_a_link_leads_into_them(page: Path) -> None:
    folded, opened_before, opened_after = found_in(page, FOLDS)
    assert {"Question and setting", "How to repeat this", "All sizes", "Evidence", "Environment"} <= {
        each.lstrip("0123456789 ") for each in folded
    }
    assert opened_before == 0 and [each.lstrip("0123456789 ") for each in opened_after] == ["Evidence"]


def test_the_live_figure_tells_each_quantity_and_unit_of_a_size(page: Path) -> None:
    found = found_in(page, LIVE)
    assert not found["is_hidden"] and found["drawn"] > 40
    told = re.compile(r"1 KiB: .*TCP ([\d.]+) (\S+)(?: \[[\d., ]+\])?, n = 6")
    rate, bytes_, time = (told.match(found[name]) for name in ("rate", "bytes", "time"))
    assert rate and bytes_ and time and (rate[2], bytes_[2], time[2]) == ("MB/s", "bytes/µs", "µs")
    assert rate[1] == bytes_[1] and float(rate[1]) * float(time[1]) == pytest.approx(1024, rel=1e-3)
    assert re.search(r"TCP 1(?: \[|, n)", found["ratio"])


def test_the_live_figure_reads_published_curves_and_the_size_under_the_pointer(page: Path) -> None:
    found = found_in(page, LIVE)
    assert found["sources"] == [True, True, True]
    assert "Report A, verbs 758 MB/s" in found["published"] and found["hovered"].startswith("1 B: ")


def test_a_switch_without_data_is_disabled_and_says_why(made: Prepared) -> None:
    live = replace(made.material.live, has_reference=False, is_reference=True)
    text = page_of(replace(made.material, live=live), TEMPLATES)
    assert "this run has the same values" in text and re.search(r'value="reference" disabled', text)


def test_a_long_table_shows_five_of_its_rows_and_folds_the_whole(written: Written) -> None:
    rows = "".join(rf"{size} & x \\ " for size in range(21))
    table = rf"\begin{{tabular}}{{lr}}size & y \\ \midrule {rows}\end{{tabular}}"
    some, whole = written(rf"Answer.\section{{Results}} {table}").split("<details><summary>all 21 rows</summary>")
    shown = re.findall(r'scope="row"[^>]*>(\d+)<', some)
    assert shown == ["0", "5", "10", "15", "20"] and len(re.findall('scope="row"', whole)) == 21
    assert "all 21 rows" not in written(rf"Answer.\section{{Environment}} {table}")


def test_the_letters_and_papers_of_a_figure_are_those_of_the_page(page: Path) -> None:
    figures = re.findall(r"<svg role=.*?</svg>", page.read_text(), re.DOTALL)
    assert figures and all("</text>" in each for each in figures)
    assert all("var(--paper,#ffffff)" in each and "font-family" not in each for each in figures)


def test_the_files_of_the_report_can_be_downloaded_from_the_page(page: Path, made: Prepared) -> None:
    found = dict(found_in(page, FILES))
    assert {f"{NAME}.csv", "claims.csv", "discussion.tex", "experiment.toml"} <= found.keys()
    assert all(made.inside[name].decode() == content for name, content in found.items())


def test_a_file_too_large_for_the_page_stays_in_the_pdf(made: Prepared) -> None:
    text = page_of(replace(made.material, files={"large.csv": b"1,2\n" * 100_000, "small.csv": b"1"}), TEMPLATES)
    assert 'download="small.csv"' in text and 'download="large.csv"' not in text
    assert "and large.csv" in text and len(text) < 500_000


def test_the_page_lets_its_script_run_and_no_other(page: Path) -> None:
    text = page.read_text()
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in text and len(script.encode()) <= 15_000


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
    values = {_bare(shown(answer).plain) for answer in answers}
    assert len(values) == 2
    assert {each for each in values if each not in here} == {each for each in values if each not in pdf} == set()


def test_the_same_page_comes_of_another_folder_time_zone_and_locale(page: Path, tmp_path: Path) -> None:
    script = "import sys; from tests.lab.report.html import elsewhere; elsewhere.write(*sys.argv[1:])"
    environment = os.environ | {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", script, str(tmp_path / "there"), str(tmp_path / "there.html")]
    subprocess.run(command, env=environment, check=True)
    assert (tmp_path / "there.html").read_bytes() == page.read_bytes()


def test_a_blank_line_begins_a_paragraph_and_a_command_that_is_not_known_is_named(written: Written) -> None:
    assert "<p>One &lt; 2.</p>\n<p>Two – 50\u202f000.</p>" in written("One < 2.\n \nTwo -- \\num{50000}.")
    assert "<mi>n</mi>" in written("$n = 3$") and "é" in written(r"\'e")
    with pytest.raises(ReportError, match=r"cannot show the command \\foo"):
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
    assert '<mtext><button type="button" class="claim" popovertarget="tip2"' in above and "<mfrac>" in math
    assert "<mtext>50\u202f000</mtext>" in below and "<mtext>3\xa0B</mtext>" in below


def test_who_wrote_it_stands_below_the_title_and_above_the_contents(written: Written) -> None:
    page = written(r"\labtitle{Ada Łovelace (7)}{}{Site \texttt{exact}.}\section{Goal} Words.")
    places = [
        page.index(each) for each in ("</h1>", "Ada Łovelace (7)</p>", "Words.", "Site <code>exact</code>.", "untagged")
    ]
    assert places == sorted(places) and "<nav" not in written("No section.")


def unquoted(page: str) -> str:
    return page.replace("&quot;", '"')


def _bare(text: str) -> str:
    """Without blanks, for a line may break at them; one sign for minus."""
    return re.sub(r"\s", "", text).replace("\N{MINUS SIGN}", "-")
