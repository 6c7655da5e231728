"""Whole reports, and what stops one: lab.report.{build,commands,errors,sources,stamp}."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.lab.report import laboratory

from lab.figures.marks import SMALL_PT
from lab.machine import snapshot
from lab.model import sizes
from lab.places import EXPERIMENTS, MACHINE, ROOT, TEMPLATES
from lab.report import commands, stamp
from lab.report.build import Prepared, build, prepare
from lab.report.errors import ReportError, TextRefused
from lab.report.evidence.environment import environment
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.parameters import parameter_rows, published_by
from lab.report.evidence.published import published_curves
from lab.report.evidence.words import versions
from lab.report.exhibits.core import Exhibits, Gallery
from lab.report.html.page import page
from lab.report.pdf import extract
from lab.report.query.numbers import Numbers
from lab.report.sources import Sources
from lab.report.tex.render import Markup
from lab.sites import site

NAMES = ("verbs_throughput", "write_parameters")
BLANK = 2.5  # pages of a report, summed, below the last line of each page
WHOLE = (*NAMES, "mpi_bandwidth_latency", "mpi_blocking_nonblocking")
FOUND = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
# numpy and its BLAS take these ways on the oldest processor that they run on.
PLAIN_PROCESSOR = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(FOUND)}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def evidence(records: Path) -> dict[str, Evidence]:
    return {name: laboratory.evidence_of(name, records) for name in WHOLE}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "report"


@pytest.fixture(scope="module")
def made(evidence: dict[str, Evidence], cache: Path) -> dict[str, Prepared]:
    sources = {name: Sources(EXPERIMENTS / f"{name}.toml", TEMPLATES) for name in evidence}
    return {name: prepare(sources[name], found, cache) for name, found in evidence.items()}


@pytest.fixture(scope="module")
def reports(made: dict[str, Prepared], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    for name, each in made.items():
        (folder / f"{name}.pdf").write_bytes(each.typeset())
    return {name: folder / f"{name}.pdf" for name in WHOLE}


def test_a_figure_of_ones_own_is_drawn_attached_and_marked_as_not_checked(
    own: Path, evidence: dict[str, Evidence], cache: Path, tmp_path: Path
) -> None:
    sources = Sources(own / "verbs_throughput.toml", TEMPLATES)
    (sources.folder / "laptops.csv").write_text("size_bytes,rate\n1,0.5\n1024,900\n")
    sources.discussion.write_text(
        "\\ownfigure{laptops.csv}{size_bytes}{rate}{Two laptops, see \\claim{tcp.peak} of TCP.}\n\n"
        "We compare with \\figureof{own-laptops}.\n"
    )
    made = prepare(sources, evidence["verbs_throughput"], cache)
    (tmp_path / "report.pdf").write_bytes(made.typeset())
    files = {each.name: each.read_bytes() for each in extract(tmp_path / "report.pdf", tmp_path / "out")}
    assert files["laptops.csv"] == b"size_bytes,rate\n1,0.5\n1024,900\n"
    assert "Not checked: data of the author" in page(made.material, TEMPLATES)
    assert "Not checked: rate over size_bytes" in page(made.material, TEMPLATES)
    command = ["pdftotext", str(tmp_path / "report.pdf"), "-"]
    printed = " ".join(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert "Not checked: data of the author\u2019s own, from laptops.csv (2 points). Two laptops" in printed
    assert "report.toml, discussion.tex, laptops.csv, identity.json" in printed


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """An experiment's folder that a student may spoil."""
    for name in ("verbs_throughput.toml", "verbs_throughput", "shared"):
        source = EXPERIMENTS / name
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, tmp_path / name)
    return tmp_path


def tool(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def build_own(own: Path, evidence: dict[str, Evidence], cache: Path, templates: Path = TEMPLATES) -> str:
    """The text of the report, from the student's folder."""
    pdf = own / "own.pdf"
    pdf.write_bytes(build(Sources(own / "verbs_throughput.toml", templates), evidence["verbs_throughput"], cache))
    return tool("pdftotext", "-raw", pdf, "-")


@pytest.mark.parametrize("name", WHOLE)
def test_a_report_is_whole(reports: dict[str, Path], name: str) -> None:
    text = tool("pdftotext", reports[name], "-")
    assert "First Author (000001), Second Author (000002)" in text.split("\f")[0]
    assert "Network measurement laboratory" in text.split("\f")[0]
    assert "Site exact: time is counted in instructions." in text.split("Question and setting")[0]
    assert "??" not in text and "\\" not in text
    for part in ("Question and setting", "Discussion", "Limits", "How to repeat this", "Evidence", "Environment"):
        assert part in text


@pytest.mark.parametrize("name", WHOLE)
def test_its_page_is_whole(made: dict[str, Prepared], name: str) -> None:
    text = page(made[name].material, TEMPLATES).partition("<main")[2].partition("</main>")[0]
    headings = re.findall(r"<h2[^>]*>(?:\d+ )?([^<]*)</h2>", text)
    assert {"Question and setting", "Discussion", "Limits", "How to repeat this", "Environment"} <= set(headings)
    assert text.count("<svg") == len(made[name].pngs) and "\\" not in text and "??" not in text


@pytest.mark.parametrize("name", WHOLE)
def test_other_programs_can_read_a_report(reports: dict[str, Path], name: str) -> None:
    assert "No syntax or stream encoding errors" in tool("qpdf", "--check", reports[name])
    fonts = tool("pdffonts", reports[name]).splitlines()[2:]
    assert fonts and not any("Type 3" in line for line in fonts)
    assert all(re.search(r"yes +yes +(yes|no) +\d+ +\d+$", line) for line in fonts), "a font is not embedded"


@pytest.mark.parametrize("name", WHOLE)
def test_the_data_travel_inside(reports: dict[str, Path], tmp_path: Path, name: str) -> None:
    names = {file.name for file in extract(reports[name], tmp_path / "data")}
    typed = {"experiment.toml", "report.toml", "discussion.tex"}
    assert names == typed | {f"{name}.csv", "claims.csv", "manifest.json", "identity.json"}


@pytest.mark.parametrize("name", WHOLE)
def test_another_folder_time_locale_and_processor_give_the_same_bytes(
    reports: dict[str, Path], records: Path, tmp_path: Path, name: str
) -> None:
    where = {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, laboratory.__file__, name, str(records), str(tmp_path / "cache")]
    environment = os.environ | where | PLAIN_PROCESSOR
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == hashlib.sha256(reports[name].read_bytes()).hexdigest()


def test_one_line_of_the_published_times_is_three_with_three_intercepts(reports: dict[str, Path]) -> None:
    text = " ".join(tool("pdftotext", reports["mpi_bandwidth_latency"], "-").split())
    assert "938 times: seven of each of 134 sizes" in text and "5.94 GB/s" in text and "5.939" not in text
    assert "predict 2.02 ms, 9.00 ms and 14.3 ms." in text.partition("Question and setting")[0]
    assert "times jump near 512 MiB and 1 GiB." in text


def test_the_results_and_sentences_of_the_published_report_stand_beside_ours(reports: dict[str, Path]) -> None:
    text = tool("pdftotext", "-layout", reports["mpi_blocking_nonblocking"], "-")
    rows = re.findall(r"^(?:send|receive): .*;.*$", text, re.MULTILINE)
    published = ["310.15", "434.07", "1 KiB", "256 B", "557.41", "47.66"]
    assert [value for value, row in zip(published, rows, strict=True) if value not in row] == []
    assert len(re.findall(r"\b(?:does not hold|holds|undecided)\b", text)) >= 4 * 3


def test_published_curves_are_marked_as_another_machines(evidence: dict[str, Evidence], tmp_path: Path) -> None:
    exhibits = Exhibits(Numbers(evidence["verbs_throughput"]), Gallery(tmp_path))
    theirs, ours = exhibits.curve("report_a", "Report A"), exhibits.curve("card", "card")
    assert theirs and ours and (theirs.machine, ours.machine) == ("Report A, verbs", "")
    assert theirs.y[-1].value == pytest.approx(3.963273e9) and theirs.y[0].value == pytest.approx(3.56e6)


def test_a_changed_sentence_gives_the_bytes_that_a_first_build_gives(
    own: Path, evidence: dict[str, Evidence], cache: Path, tmp_path: Path
) -> None:
    """LaTeX begins with what the last build left, be it of a longer text with more on its lists."""
    sources = Sources(own / "verbs_throughput.toml", TEMPLATES)
    longer = sources.discussion.read_text() + "\n\\section{More}\n" + "TCP is measured, too.\n\n" * 40
    for text in (longer, "TCP is measured.\n"):
        sources.discussion.write_text(text)
        again = build(sources, evidence["verbs_throughput"], cache)
    assert again == build(sources, evidence["verbs_throughput"], tmp_path / "cold")


HOSTILE = ["\\input{/etc/passwd}", "\\write18{id}", "a % & #1 _ ^ ~ $x$ {\\bf}", "Żółć Ærøskøbing"]


def test_hostile_names_print(own: Path, evidence: dict[str, Evidence], cache: Path) -> None:
    names = ", ".join(f"'{name}'" for name in HOSTILE)
    (own / "verbs_throughput" / "report.toml").write_text(f"authors = [{names}]\ncourse = 'C & \\jobname'\n")
    printed = " ".join(build_own(own, evidence, cache).split())
    assert ", ".join(HOSTILE) in printed.replace("- ", "-") and "C & \\jobname" in printed
    assert "root:" not in printed and "uid=" not in printed


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("authors = ['Ada']\nids = ['1', '2']", 2, "2 ids for 1 authors"),
        ("course = '\u05e9\u05dc\u05d5\u05dd'", 1, "no character"),
        (f"course = '{'x' * 10_001}'", 1, "up to 200 characters"),
        ("course = 'C'\nmark = 'A'", 2, "unknown key 'mark'"),
        ("authors = 'Ada'", 1, 'authors is "Ada" .try: a list'),
    ],
)
def test_what_cannot_be_printed_is_refused(
    own: Path, evidence: dict[str, Evidence], cache: Path, text: str, line: int, what: str
) -> None:
    (own / "verbs_throughput" / "report.toml").write_text(text + "\n")
    with pytest.raises(ReportError, match=what) as caught:
        build_own(own, evidence, cache)
    assert str(caught.value).startswith(f"verbs_throughput/report.toml:{line}: ")


@pytest.mark.parametrize(
    ("text", "line"),
    [("Fine.\n\\input{x}", 2), ("\\immediate\\write18{id}", 1), ("Fine.\n\n\u202eabc", 3), ("x" * 100_001, 1)],
)
def test_a_discussion_runs_nothing(own: Path, evidence: dict[str, Evidence], cache: Path, text: str, line: int) -> None:
    (own / "verbs_throughput" / "discussion.tex").write_text(text + "\n")
    with pytest.raises((ReportError, TextRefused)) as caught:
        build_own(own, evidence, cache)
    assert f"discussion.tex:{line}:" in str(caught.value)


def test_a_latex_error_is_one_sentence_at_the_students_line(
    own: Path, evidence: dict[str, Evidence], cache: Path
) -> None:
    (own / "verbs_throughput" / "discussion.tex").write_text("Fine.\n\n$\n\nx\n")
    with pytest.raises(ReportError) as caught:
        build_own(own, evidence, cache)
    assert caught.value.file.endswith("discussion.tex") and caught.value.line in (3, 4)
    assert "\n" not in str(caught.value)


def test_a_latex_error_is_at_the_templates_line_however_short(
    own: Path, evidence: dict[str, Evidence], cache: Path, tmp_path: Path
) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(TEMPLATES, templates)
    form = templates / "short.tex"
    lines = form.read_text().splitlines()
    form.write_text("\n".join([*lines[:9], "\\x", *lines[9:], ""]))
    with pytest.raises(ReportError, match=r"\\x") as caught:
        build_own(own, evidence, cache, templates)
    assert (caught.value.file, caught.value.line) == ("templates/short.tex", 10)


def test_a_template_cannot_name_what_is_not_there(
    own: Path, evidence: dict[str, Evidence], cache: Path, tmp_path: Path
) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(TEMPLATES, templates)
    for line in (
        "\\claim{\\VAR{site}.peak}",
        "\\figureof{\\VAR{site}}",
        "\\VAR{plot(site, site, site, [[site, site]])}",
    ):
        (templates / "parts" / "left_out.tex").write_text(f"Fine.\n{line}\n")
        with pytest.raises(ReportError, match="exact") as caught:
            build_own(own, evidence, cache, templates)
        assert (caught.value.file, caught.value.line) == ("templates/parts/left_out.tex", 2)


def test_a_record_that_failed_its_checks_stops_the_build(own: Path, evidence: dict[str, Evidence], cache: Path) -> None:
    found = evidence["verbs_throughput"]
    (own / "verbs_throughput" / "discussion.tex").write_text("It reaches \\claim{verbs.peak} here.\n")
    unchecked = laboratory.judged(found, found.facts, whole=False)
    with pytest.raises(TextRefused, match="did not pass every check"):
        build_own(own, {"verbs_throughput": unchecked}, cache)


def test_a_cited_source_is_listed_and_travels_inside(own: Path, evidence: dict[str, Evidence], cache: Path) -> None:
    texts = own / "verbs_throughput"
    (texts / "discussion.tex").write_text("Others have looked at it \\cite{frey}.\n")
    with pytest.raises(TextRefused, match=r"discussion\.tex:1:32: references\.bib has no entry 'frey'"):
        build_own(own, evidence, cache)
    (texts / "references.bib").write_text("@misc{frey, author = {Philipp Frey}, title = {The hidden cost of {RDMA}}}\n")
    text = build_own(own, evidence, cache)
    assert "discussion.tex, references.bib, identity.json" in " ".join(text.split())
    assert "Others have looked at it [1]." in text and "Philipp Frey. The hidden cost of RDMA." in text
    names = {each.name: each for each in extract(own / "own.pdf", own / "data")}
    assert names["references.bib"].read_bytes() == (texts / "references.bib").read_bytes()


def test_reports_are_built_at_once_and_only_when_something_changed(
    own: Path, records: Path, reports: dict[str, Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del reports
    plan = laboratory.plan_of("verbs_throughput", own)
    monkeypatch.setattr(commands, "CACHE", cache.parent)
    assert not commands.is_current(plan, records, own / "report")
    pdf = commands.write_report(plan, records, own / "report")
    assert commands.is_current(plan, records, own / "report")
    assert (own / "report" / "verbs_throughput" / "answer.png").read_bytes().startswith(b"\x89PNG")
    (own / "verbs_throughput" / "report.toml").write_text("authors = ['Ada']\n")
    assert not commands.is_current(plan, records, own / "report")
    pdf.unlink()
    assert not commands.is_current(laboratory.plan_of("verbs_throughput", own), records, own / "report")


@pytest.mark.usefixtures("evidence")
def test_pages_are_written_without_tex_and_a_hint_names_its_installation(
    own: Path,
    records: Path,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (own / "verbs_throughput" / "discussion.tex").write_text("Others have looked at it \\cite{frey}.\n")
    (own / "verbs_throughput" / "references.bib").write_text("@misc{frey, title = {The hidden cost of {RDMA}}}\n")
    plan = laboratory.plan_of("verbs_throughput", own)
    monkeypatch.setattr(commands, "CACHE", cache.parent)
    monkeypatch.setattr(commands, "plans_of", lambda _: [plan])
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    options = Namespace(results=records, out=own / "report", jobs=1, html=True)
    assert commands.report(options) == 0
    assert capsys.readouterr().err == "no PDF, which needs TeX Live: pdflatex is not installed\nhint: make setup\n"
    text = (own / "report" / "verbs_throughput.html").read_text()
    assert '<li id="source:frey"><p><code>frey</code> in references.bib</p></li>' in text and ".pdf" not in text
    options.html = False
    with pytest.raises(ReportError, match=r"pdflatex is not installed .*make setup"):
        commands.report(options)
    assert not list((own / "report").glob("*.pdf"))


def test_a_report_without_a_discussion_says_so(own: Path, evidence: dict[str, Evidence], cache: Path) -> None:
    (own / "verbs_throughput" / "discussion.tex").write_text("% not yet\n")
    assert "The discussion has not been written yet." in " ".join(build_own(own, evidence, cache).split())


def test_statements_are_listed_with_what_the_data_show_and_false_ones_stop_the_build(
    own: Path, evidence: dict[str, Evidence], cache: Path
) -> None:
    text = own / "verbs_throughput" / "discussion.tex"
    text.write_text("TCP is faster.\\shows{verbs < tcp everywhere} Report A has \\given{117 bytes/us}.\n")
    printed = " ".join(build_own(own, evidence, cache).split())
    assert "TCP is faster.S1 Report A has 117 bytes/us* ." in printed
    assert re.search(r"S1 verbs < tcp everywhere 0\.\d.* true at 21 of 21; n = 6; R1, R2", printed)
    assert "not from these data: 117 bytes/us." in printed
    with (own / "data.pdf").open("wb") as file:
        file.write((own / "own.pdf").read_bytes())
    listed = {each.name: each for each in extract(own / "data.pdf", own / "data")}["claims.csv"].read_text()
    assert "statement,S1,verbs < tcp everywhere," in listed and "bytes/us" not in listed
    text.write_text("RDMA is faster.\\shows{verbs > tcp at 1K}\n")
    with pytest.raises(TextRefused, match=r"discussion\.tex:1:23: 'verbs > tcp at 1K' is false: 0\.\d"):
        build_own(own, evidence, cache)


def test_the_environment_is_the_same_in_whatever_order_the_identity_comes(evidence: dict[str, Evidence]) -> None:
    """A record has it in another order than the site."""
    whole, identity = evidence["verbs_throughput"], {"processor": "Westmere", "arguments": "-cpu", "image": "a" * 64}

    def rows(given: dict[str, str]) -> list[tuple[str, str | Markup]]:
        return environment(replace(whole, plan=replace(whole.plan, site=replace(whole.plan.site, identity=given))))

    assert rows(identity) == rows(dict(sorted(identity.items())))
    assert [name for name, _ in rows(identity)][:3] == ["site", "image", "processor"]


def test_a_parameter_that_no_report_gives_is_not_called_published(evidence: dict[str, Evidence]) -> None:
    found = evidence["verbs_throughput"]
    rows = {row.name: row for row in parameter_rows(found)}
    assert published_by(found) == "Report A"
    assert (rows["iterations"].published, rows["iterations"].asked) == (r"\num{50000}", r"\num{50000}")
    assert {rows[name].published for name in ("repetitions", "windows")} == {"not said"}
    assert rows["repetitions"].asked == r"\labnum{10}"


def test_published_curves_have_both_links_of_a_report() -> None:
    labels = [each.label for each in published_curves("throughput_until_stable")]
    assert labels == ["Report E, TCP on 1 Gbit/s Ethernet", "Report E, 100 Gbit/s InfiniBand"]


def test_the_environment_names_versions_of_this_checkouts_machine_only(evidence: dict[str, Evidence]) -> None:
    whole, known = evidence["mpi_blocking_nonblocking"], snapshot.read(MACHINE)
    assert known is not None and versions(whole) == []
    site = replace(whole.plan.site, identity={"frozen": known.frozen["memory"]})
    rows = dict(environment(replace(whole, plan=replace(whole.plan, site=site))))
    assert str(rows["kernel"]).startswith("linux-image-") and str(rows["compiler"]).startswith("gcc-12 12.")
    assert {"rdma-core", "Open MPI", "UCX", "QEMU", "C library"} <= rows.keys() and "perftest" not in rows


@pytest.mark.parametrize("module", [sizes, site])
def test_a_change_of_any_module_that_a_report_prints_makes_it_stale(module: object) -> None:
    file = Path(str(getattr(module, "__file__", "")))
    assert file.suffix == ".py" and any(file.is_relative_to(folder) for folder in stamp.CODE)


def test_nothing_is_printed_below_eight_points() -> None:
    texts = [*TEMPLATES.rglob("*.*"), *(ROOT / "code" / "lab" / "report").rglob("*.py")]
    assert not [each for each in texts if re.search(r"\\(?:script|sub)?(?:scriptsize|tiny)", each.read_text())]
    assert SMALL_PT >= 8


def test_the_first_page_holds_the_question_the_site_and_a_figure(reports: dict[str, Path]) -> None:
    for name, pdf in reports.items():
        first = tool("pdftotext", pdf, "-").split("\f")[0]
        assert not [words for words in ("The site exact is", "Figure 1.", "Table 1.") if words not in first], name


def test_a_report_has_at_most_six_pages_and_two_of_appendix(reports: dict[str, Path]) -> None:
    for name, pdf in reports.items():
        pages = tool("pdftotext", pdf, "-").rstrip("\f").split("\f")
        appendix = next(at for at, text in enumerate(pages) if "All sizes" in text[:40])
        assert appendix <= 6 and len(pages) - appendix <= 2, name
        assert sum(map(blank_share, pictures_of(pdf))) < BLANK, name


def pictures_of(pdf: Path) -> Iterator[npt.NDArray[np.uint8]]:
    """The pages, some pixels each: a grey image is a head of three lines and its bytes."""
    made = subprocess.run(["pdftoppm", "-gray", "-r", "20", pdf], capture_output=True, check=True).stdout
    while made:
        _, size, _, rest = made.split(b"\n", 3)
        width, height = map(int, size.split())
        yield np.frombuffer(rest[: width * height], np.uint8).reshape(height, width)
        made = rest[width * height :]


def blank_share(page: npt.NDArray[np.uint8]) -> float:
    """The share of a page's text area below its last ink; the page's number is below the area."""
    top, end = len(page) * 25 // 297, len(page) * 270 // 297
    inked = np.flatnonzero((page[top:end] < 200).any(axis=1))
    return 1 - (inked[-1] + 1) / (end - top) if inked.size else 1.0
