"""The page of a report, opened in a browser from disk, and the data of its live figure."""

import html
import json
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.lab.grade.browser import addresses, all_found_in
from tests.lab.report import laboratory
from tests.lab.report.html.barriers import barriers

from lab.places import TEMPLATES
from lab.report.build import Prepared, prepare
from lab.report.errors import ReportError
from lab.report.evidence.evidence import gather
from lab.report.html.live import Live, live_figure
from lab.report.html.page import page as page_of
from lab.report.query.numbers import Numbers
from lab.report.sources import Sources
from lab.report.tex.render import SPECIAL, escape
from lab.report.text.latex import ALLOWED

NAME = "verbs_throughput"
DISCUSSION = "TCP moves \\claim{tcp at 1K}, \\claim{tcp / verbs at 1K} of RDMA.\\shows{verbs < tcp everywhere}\n"
Written = Callable[[str], str]
# Commands of a text that are used only with a claim, within a table or in a unit.
ELSEWHERE = "claim shows given size cite figureof tableof begin end item toprule midrule bottomrule hline"
UNITS = "byte bit second per kilo mega giga kibi mebi gibi milli micro nano percent hertz"
NOT_IN_A_LINE = frozenset(f"{ELSEWHERE} {UNITS}".split())
OPENS = """var button = [...document.querySelectorAll('.claim')].find(
  claim => claim.nextElementSibling.textContent.startsWith('WORDS'));
var tip = button.popoverTargetElement, before = tip.matches(':popover-open');
button.focus(); button.click();
var box = tip.getBoundingClientRect(), at = button.getBoundingClientRect();
return {before: before, opened: tip.matches(':popover-open'), words: tip.textContent, kind: tip.popover,
  near: Math.min(Math.abs(box.top - at.bottom), Math.abs(box.bottom - at.top)),
  focused: document.activeElement === button, inside: box.left >= 0 && box.right <= innerWidth,
  rows: [...tip.querySelectorAll('a')].map(link => [...document.getElementById(decodeURIComponent(link.hash.slice(1)))
    .closest('div').querySelectorAll('tbody tr')].map(row => row.cells[2].textContent))};"""
SORT = """var table = [...document.querySelectorAll('table')].find(
  table => table.tBodies[0].rows.length > 8 && table.tHead.textContent.startsWith('size'));
var head = table.querySelector('thead th'), button = head.querySelector('button');
function sorted() { button.click();
  return [[...table.tBodies[0].rows].map(row => +row.cells[0].dataset.value), head.getAttribute('aria-sort')]; }
return [...sorted(), ...sorted(), head.scope, document.querySelectorAll('[id="table:five"] button').length];"""
FIRST = """function low(place) { return document.querySelector(place).getBoundingClientRect().bottom; }
return [low('.answer'), low('.shown svg'), low('dl'), document.querySelectorAll('dl > div').length,
  document.documentElement.scrollWidth - innerWidth];"""
FOLDS = """var folds = [...document.querySelectorAll('main > details')];
function names(open) { return folds.filter(fold => fold.open === open).map(
  fold => fold.querySelector('summary').textContent.trim().replace(/^[0-9 ]+/, '')); }
var before = [names(false), names(true)];
return new Promise(done => { addEventListener('hashchange', () => setTimeout(() => done([...before, names(true)])));
  location.hash = '#evidence:S1'; });"""
LIVE = """var live = document.getElementById('live'), output = live.querySelector('output');
function enter(name, value, event) { var control = live.querySelector('[name=' + name + ']'); control.value = value;
  control.dispatchEvent(new Event(event, {bubbles: true})); return output.textContent; }
function choose(name, value) { return enter(name, value, 'change'); }
var result = {drawn: live.querySelectorAll('svg circle').length, is_hidden: live.hidden,
  colour: live.querySelector('svg .leader').getAttribute('stroke'),
  rate: enter('size', 10, 'input'), bytes: choose('unit', 'bytes/µs'),
  time: choose('quantity', 'time per message'), ratio: (choose('quantity', 'ratio'), choose('base', 'tcp')),
  sources: [...live.querySelectorAll('[name=source]')].map(source => !source.disabled)};
live.querySelector('[value=published]').click(); result.published = choose('quantity', 'throughput');
var moved = {clientX: live.querySelector('svg').getBoundingClientRect().left + 60, bubbles: true};
document.getElementById('drawing').dispatchEvent(new PointerEvent('pointermove', moved));
result.hovered = output.textContent; return result;"""
FILES = """return [...document.querySelectorAll('a[download]')].map(
  link => [link.download, decodeURIComponent(link.href.slice(link.href.indexOf(',') + 1))]);"""
NAMES = """var svgs = [...document.querySelectorAll('figure > svg')];
var ids = [...document.querySelectorAll('[id]')].map(named => named.id);
return {unnamed: svgs.filter(svg => !svg.getAttribute('aria-label')).length, drawn: svgs.length,
  twice: ids.length - new Set(ids).size, lang: document.documentElement.lang,
  levels: [...document.querySelectorAll('h1,h2,h3,h4,h5')].map(head => +head.tagName[1]),
  lost: [...document.querySelectorAll('a[href^="#"]')].filter(
    link => !document.getElementById(decodeURIComponent(link.getAttribute('href').slice(1)))).length,
  text: document.querySelector('main').innerText};"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """The experiment with a discussion that its measurements on the fake site support."""
    folder = tmp_path_factory.mktemp("twin")
    file = laboratory.copy_of(NAME, folder)
    (folder / NAME / "discussion.tex").write_text(DISCUSSION)
    plan = laboratory.plan_of(NAME)
    laboratory.record(plan, folder / "records")
    return prepare(Sources(file, TEMPLATES), gather(plan, folder / "records"), folder / "cache")


@pytest.fixture
def page(made: Prepared, tmp_path: Path) -> Path:
    (tmp_path / f"{NAME}.html").write_text(page_of(made, TEMPLATES))
    return tmp_path / f"{NAME}.html"


@pytest.fixture(scope="module")
def written(made: Prepared) -> Written:
    """A function that writes the page of a text."""

    def write(body: str) -> str:
        whole = r"\title{T}\begin{document}" + body + r"\end{document}"
        return page_of(replace(made, texts={"report.tex": whole}), TEMPLATES)

    return write


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_first_screen_has_the_answer_and_a_number_opens_its_query_and_records(
    page: Path, width: int, height: int
) -> None:
    (answer, figure, numbers, count, beyond), found = all_found_in(
        page, FIRST, OPENS.replace("WORDS", "tcp at 1K:"), width=width
    )
    assert max(answer, figure, numbers) <= height and 1 <= count <= 5 and beyond <= 0
    assert (found["before"], found["opened"], found["focused"], found["inside"]) == (False, True, True, True)
    assert found["near"] < 10 and found["kind"] == "auto"  # so that Escape closes it
    assert re.fullmatch(r"tcp at 1K: [\d.]+ MB/s \[[\d., ]+\]; n = 6; records R2", found["words"])


@pytest.fixture(scope="module")
def found(made: Prepared, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the scripts find in one page, by their names."""
    file = tmp_path_factory.mktemp("found") / f"{NAME}.html"
    file.write_text(page_of(made, TEMPLATES))
    statement = OPENS.replace("WORDS", "verbs < tcp everywhere: true. 0.1")
    scripts = {"names": NAMES, "files": FILES, "sort": SORT, "statement": statement, "live": LIVE, "folds": FOLDS}
    found = dict(zip(scripts, all_found_in(file, *scripts.values()), strict=True))
    return found | {"addresses": addresses(file)}


def test_statement_links_to_its_rows(found: dict[str, Any]) -> None:
    assert found["statement"]["opened"] and found["statement"]["rows"] == [["true"] * 21]


def test_long_table_sorts_by_its_numbers_and_short_table_has_no_buttons(found: dict[str, Any]) -> None:
    up, first, down, second, scope, in_short = found["sort"]
    assert (first, second, scope, in_short) == ("ascending", "descending", "col", 0)
    assert len(up) > 8 and up == sorted(up) and down == up[::-1]


def test_method_environment_and_full_tables_are_folded_until_a_link_leads_into_them(found: dict[str, Any]) -> None:
    folded, opened_before, opened_after = found["folds"]
    assert {"Question and setting", "How to repeat this", "All sizes", "Evidence", "Environment"} <= {*folded}
    assert opened_before == [] and opened_after == ["Evidence"]


def test_live_figure_prints_each_quantity_unit_and_published_curve_of_a_size(found: dict[str, Any]) -> None:
    live = found["live"]
    assert live["colour"] == "var(--blue)"  # a lighter one on a dark page
    assert not live["is_hidden"] and live["drawn"] > 40 and live["sources"] == [True, True, True]
    form = re.compile(r"1 KiB: .*TCP ([\d.]+) (\S+)(?: \[[\d., ]+\])?, n = 6")
    rate, bytes_, time = (form.match(live[name]) for name in ("rate", "bytes", "time"))
    assert rate and bytes_ and time and (rate[2], bytes_[2], time[2]) == ("MB/s", "bytes/µs", "µs")
    assert rate[1] == bytes_[1] and float(rate[1]) * float(time[1]) == pytest.approx(1024, rel=1e-3)
    assert re.search(r"TCP 1(?: \[|, n)", live["ratio"])
    assert "Report A, verbs 758 MB/s" in live["published"] and live["hovered"].startswith("1 B: ")


def test_switch_without_data_is_disabled_with_a_reason(made: Prepared) -> None:
    live = replace(made.live, has_reference=False, about="Nobody measured it.")
    text = page_of(replace(made, live=live), TEMPLATES)
    assert "Nobody measured it." in text and re.search(r'value="reference" disabled', text)


def test_long_table_shows_five_of_its_rows_and_folds_the_whole(written: Written) -> None:
    rows = "".join(rf"{size} & x \\ " for size in range(21))
    table = rf"\begin{{tabular}}{{lr}}size & y \\ \midrule {rows}\end{{tabular}}"
    some, whole = written(rf"Answer.\section{{Results}} {table}").split("<details><summary>all 21 rows</summary>")
    shown = re.findall(r'scope="row"[^>]*>(\d+)<', some)
    assert shown == ["0", "5", "10", "15", "20"] and len(re.findall('scope="row"', whole)) == 21
    assert "all 21 rows" not in written(rf"Answer.\section{{Environment}} {table}")


def test_figures_have_the_fonts_and_colours_of_the_page(page: Path) -> None:
    figures = re.findall(r"<svg role=.*?</svg>", page.read_text(), re.DOTALL)
    assert figures and all("</text>" in each for each in figures)
    assert all("var(--paper,#ffffff)" in each and "font-family" not in each for each in figures)


def test_files_of_the_report_can_be_downloaded_from_the_page(found: dict[str, Any], made: Prepared) -> None:
    files = dict(found["files"])
    assert {f"{NAME}.csv", "claims.csv", "discussion.tex", "experiment.toml"} <= files.keys()
    assert all(made.files[name].decode() == content for name, content in files.items())


def test_file_too_large_for_the_page_stays_in_the_pdf(made: Prepared) -> None:
    text = page_of(replace(made, files={"large.csv": b"1,2\n" * 100_000, "small.csv": b"1"}), TEMPLATES)
    assert 'download="small.csv"' in text and 'download="large.csv"' not in text
    assert "and large.csv" in text and len(text) < 500_000


def test_page_allows_its_script_alone(page: Path) -> None:
    text = page.read_text()
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in text and len(script.encode()) <= 15_000


def test_names_ids_headings_and_links_are_complete_and_nothing_is_loaded(found: dict[str, Any], made: Prepared) -> None:
    names = found["names"]
    assert (names["unnamed"], names["twice"], names["lost"], names["lang"]) == (0, 0, 0, "en")
    assert names["drawn"] == len(made.figures) and names["levels"][0] == 1
    assert all(below - above <= 1 for above, below in zip(names["levels"], names["levels"][1:], strict=False))
    assert found["addresses"] == set()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_in_either_colour_scheme(page: Path, scheme: str) -> None:
    page.write_text(page.read_text().replace("(prefers-color-scheme: dark)", "all" if scheme == "dark" else "not all"))
    found, passed = barriers(page)
    assert found == [] and passed > 30


def test_page_and_pdf_have_the_same_numbers(found: dict[str, Any], made: Prepared, tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(made.typeset())
    pdf = _bare(laboratory.printed("pdftotext", "-raw", tmp_path / "report.pdf", "-"))
    here = _bare(found["names"]["text"])
    typed = [backing for backing in made.backings if backing.use.body in DISCUSSION]
    values = {_bare(backing.value.printed().plain) for backing in typed if backing.value}
    assert len(values) == 2
    assert all(value in here and value in pdf for value in values)


def test_blank_line_begins_a_paragraph_and_an_unknown_command_is_named(written: Written) -> None:
    assert "<p>One &lt; 2.</p>\n<p>Two – 50\u202f000.</p>" in written("One < 2.\n \nTwo -- \\num{50000}.")
    assert "<mi>n</mi>" in written("$n = 3$") and "é" in written(r"\'e")
    with pytest.raises(ReportError, match=r"cannot show the command \\foo"):
        written(r"A \foo.")
    with pytest.raises(ReportError, match="cannot be read"):
        written(r"\emph{A")


def test_page_shows_every_escaped_letter_and_every_permitted_command(written: Written) -> None:
    typed = "".join(each for each in SPECIAL if each not in "'-\N{NO-BREAK SPACE}")
    assert f"<p>{html.escape(typed, quote=False)}</p>" in unquoted(written(escape(typed)))
    for name in sorted(ALLOWED - NOT_IN_A_LINE):
        assert written(rf"\{name}{{}}{{}}"), name


def test_citation_links_to_its_source(written: Written) -> None:
    listed = r"""\begin{thebibliography}{9}
\bibitem{one} A.~One. \newblock {\em The {RDMA} book}. \newblock \url{https://example.org/a_b~c\%20d}
\bibitem{two} B. Two, at \url{javascript:alert(1)}.
\end{thebibliography}"""
    page = written(r"As \cite{two, one} say. " + listed)
    assert '[<a href="#source:two">2</a>, <a href="#source:one">1</a>] say.' in page
    assert "<h2>References</h2>" in page and page.index('<li id="source:one">') < page.index('<li id="source:two">')
    assert "<em>The RDMA book</em>" in page and '<a href="https://example.org/a_b~c%20d"><code>' in page
    assert 'href="javascript' not in page and "<code>javascript:alert(1)</code>" in page


def test_formula_with_numbers_keeps_its_shape(written: Written) -> None:
    page = written(r"\[ \text{rate} = \frac{\labclaim{2}{\qty{3}{\byte}}}{\num{50000} - \qty{3}{\byte}} \]")
    math = page[page.index("<math") : page.index("</math>")]
    above, below = math[math.index("<mfrac>") :].split("</mrow><mrow>", 1)
    assert 'display="block"' in math and "<mtext>rate</mtext>" in math
    assert '<mtext><button type="button" class="claim" popovertarget="tip2"' in above and "<mfrac>" in math
    assert "<mtext>50\u202f000</mtext>" in below and "<mtext>3\xa0B</mtext>" in below


def test_authors_are_below_the_title_and_the_site_below_the_answer(written: Written) -> None:
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


@pytest.fixture(scope="module")
def numbers() -> Numbers:
    return laboratory.numbers_of(NAME)


def read(live: Live) -> Any:
    return json.loads(live.document)


def test_reference_is_left_out_if_the_run_has_its_values(numbers: Numbers) -> None:
    live = live_figure(numbers, {}, ())
    assert not live.has_reference and read(live)["reference"] == []
    assert live.about == "The reference is not shown: this run has the same values."


def test_point_has_the_median_interval_and_n_of_a_query(numbers: Numbers) -> None:
    (curve,) = (curve for curve in read(live_figure(numbers, {}, ()))["run"] if curve["name"] == "tcp.card")
    size, *point = curve["points"][0]
    estimate = numbers.ask("tcp.card at 1").estimate
    assert estimate.interval and size == 1
    assert point == pytest.approx([estimate.value, estimate.interval.low, estimate.interval.high, 6], rel=1e-4)


def test_queried_series_are_drawn_first(numbers: Numbers) -> None:
    assert read(live_figure(numbers, {}, ["tcp.card", "card"]))["shown"][:2] == ["tcp.card", "card"]
