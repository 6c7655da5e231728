"""Whole reports, and the faults that stop them."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.lab.report import laboratory

from lab.errors import LabError
from lab.machine import snapshot
from lab.places import CARDS, EXPERIMENTS, MACHINE, ROOT, TEMPLATES
from lab.report import commands, stamp
from lab.report.build import Prepared, prepare
from lab.report.errors import ReportError, TextRefused
from lab.report.evidence.environment import environment
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.parameters import parameter_rows
from lab.report.evidence.published import published_parameters
from lab.report.evidence.words import versions
from lab.report.html.page import page
from lab.report.pdf import extract
from lab.report.sources import Sources
from lab.report.tex.render import Markup

# Modules outside of lab.report, lab.figures and lab.analysis that make words or numbers of a report.
PRINTS_THROUGH = ("causes/table.py", "model/sizes.py", "options.json", "records/facts.py", "supply/lock.py")
BLANK = 2.5  # pages of a report, summed, below the last line of each page
WHOLE = ("verbs_throughput", "write_parameters", "mpi_bandwidth_latency", "mpi_blocking_nonblocking")
FOUND = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
# numpy and its BLAS compute as on the oldest CPU that they support.
PLAIN_CPU = {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": " ".join(FOUND)}


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
    return {name: prepare(sources[name], evidence[name], cache) for name in evidence}


@pytest.fixture(scope="module")
def reports(made: dict[str, Prepared], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    for name, prepared in made.items():
        (folder / f"{name}.pdf").write_bytes(prepared.typeset())
    return {name: folder / f"{name}.pdf" for name in WHOLE}


@dataclass(frozen=True)
class Student:
    """A copy of verbs_throughput, with its evidence."""

    folder: Path
    evidence: Evidence
    cache: Path

    def write(self, name: str, text: str) -> None:
        (self.folder / "verbs_throughput" / name).write_text(text)

    def build(self, templates: Path = TEMPLATES) -> str:
        """The printed text of the report."""
        file, sources = self.folder / "report.pdf", Sources(self.folder / "verbs_throughput.toml", templates)
        file.write_bytes(prepare(sources, self.evidence, self.cache).typeset())
        return " ".join(laboratory.printed("pdftotext", "-raw", file, "-").split())


@pytest.fixture
def student(evidence: dict[str, Evidence], cache: Path, tmp_path: Path) -> Student:
    laboratory.copy_of("verbs_throughput", tmp_path)
    return Student(tmp_path, evidence["verbs_throughput"], cache)


PARTS = ("Question and setting", "Discussion", "Limits", "How to repeat this", "Environment")
FIRST_PAGE = (
    "First Author (000001), Second Author (000002)",
    *("Network measurement laboratory", "Site exact: time is counted in instructions.", "The site exact is"),
    *("Figure 1.", "Table 1."),
)


@pytest.mark.parametrize("name", WHOLE)
def test_report_is_complete_in_eight_pages(reports: dict[str, Path], name: str) -> None:
    text = laboratory.printed("pdftotext", reports[name], "-")
    first, *_ = laboratory.require_pages(text)
    assert [words for words in FIRST_PAGE if words not in first] == []
    assert [part for part in (*PARTS, "Evidence") if part not in text] == []
    assert "??" not in text and "\\" not in text
    assert sum(map(blank_share, pictures_of(reports[name]))) < BLANK


@pytest.mark.parametrize("name", WHOLE)
def test_page_is_complete(made: dict[str, Prepared], name: str) -> None:
    text = page(made[name], TEMPLATES).partition("<main")[2].partition("</main>")[0]
    assert {*PARTS} <= {*re.findall(r"<h2[^>]*>(?:\d+ )?([^<]*)</h2>", text)}
    assert text.count("<svg") == len(made[name].figures) and "\\" not in text and "??" not in text


@pytest.mark.parametrize("name", WHOLE)
def test_other_programs_can_read_a_report_and_its_attachments(
    reports: dict[str, Path], tmp_path: Path, name: str
) -> None:
    assert "No syntax or stream encoding errors" in laboratory.printed("qpdf", "--check", reports[name])
    fonts = laboratory.printed("pdffonts", reports[name]).splitlines()[2:]
    assert fonts and not any("Type 3" in line for line in fonts)
    assert all(re.search(r"yes +yes +(yes|no) +\d+ +\d+$", line) for line in fonts), "a font is not embedded"
    names = {file.name for file in extract(reports[name], tmp_path / "data")}
    typed = {"experiment.toml", "report.toml", "discussion.tex"}
    assert names == typed | {f"{name}.csv", "claims.csv", "manifest.json", "identity.json"}


def test_bytes_do_not_depend_on_folder_time_locale_and_cpu(
    made: dict[str, Prepared], reports: dict[str, Path], records: Path, tmp_path: Path
) -> None:
    name = WHOLE[0]
    where = {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, laboratory.__file__, name, str(records), str(tmp_path / "cache")]
    run = subprocess.run(
        command, cwd=tmp_path, env=os.environ | where | PLAIN_CPU, capture_output=True, text=True, check=True
    )
    contents = reports[name].read_bytes(), page(made[name], TEMPLATES).encode()
    assert run.stdout.split() == [hashlib.sha256(content).hexdigest() for content in contents]


SAID = {
    "mpi_bandwidth_latency": (
        "938 times: seven of each of 134 sizes", "5.94 GB/s", "predict 2.02 ms, 9.00 ms and 14.3 ms.",
        "times jump near 512 MiB and 1 GiB.",
    ),
    "verbs_throughput": ("another link",),
    "mpi_blocking_nonblocking": ("310.15", "434.07", "557.41", "47.66"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_report_compares_its_results_with_the_published_ones(reports: dict[str, Path], name: str) -> None:
    text = laboratory.printed(
        "pdftotext", "-layout" if name == "mpi_blocking_nonblocking" else "-raw", reports[name], "-"
    )
    words = " ".join(text.split())
    assert [part for part in SAID[name] if part not in words] == [] and "5.939" not in words
    if name == "mpi_blocking_nonblocking":
        assert len(re.findall(r"^(?:send|receive): .*;.*$", text, re.MULTILINE)) == 6
        assert len(re.findall(r"\b(?:does not hold|holds|undecided)\b", text)) >= 4 * 3


HOSTILE = ["\\input{/etc/passwd}", "\\write18{id}", "a % & #1 _ ^ ~ $x$ {\\bf}", "Żółć Ærøskøbing"]


def test_hostile_names_are_printed_and_a_missing_discussion_is_marked(student: Student) -> None:
    student.write("discussion.tex", "% not yet\n")
    names = ", ".join(f"'{name}'" for name in HOSTILE)
    student.write("report.toml", f"authors = [{names}]\ncourse = 'C & \\jobname'\n")
    printed = student.build()
    assert ", ".join(HOSTILE) in printed.replace("- ", "-") and "C & \\jobname" in printed
    assert "root:" not in printed and "uid=" not in printed
    assert "The discussion has not been written yet." in printed


@pytest.mark.parametrize(
    ("file", "text", "error"),
    [
        ("report.toml", "course = '\u05e9\u05dc\u05d5\u05dd'", "^verbs_throughput/report.toml:1: .*no character"),
        ("report.toml", "authors = 'Ada'", 'report.toml:1: authors is "Ada" .try: a list'),
        ("discussion.tex", "\\immediate\\write18{id}", "discussion.tex:1:"),
        ("discussion.tex", "Fine.\n\na_b\n\nx", r"^discussion.tex:[34]: [^\n]*$"),
        ("discussion.tex", "\\shows{verbs > tcp at 1K}", r"discussion.tex:1:8: 'verbs > tcp at 1K' is false: 0\.\d"),
    ],
)
def test_fault_of_a_text_is_refused_at_its_line(student: Student, file: str, text: str, error: str) -> None:
    student.write(file, f"{text}\n")
    with pytest.raises(LabError, match=error):
        student.build()


@pytest.mark.parametrize(
    ("template", "line", "what"),
    [
        ("short.tex", "\\x", r"\\x"),
        ("parts/left_out.tex", "\\claim{\\VAR{site}.peak}", "exact"),
        ("parts/left_out.tex", "\\figureof{\\VAR{site}}", "exact"),
        ("parts/left_out.tex", "\\VAR{plot(site, site, site, [[site, site]])}", "exact"),
    ],
)
def test_error_of_a_template_names_its_line(student: Student, template: str, line: str, what: str) -> None:
    templates = student.folder / "templates"
    shutil.copytree(TEMPLATES, templates)
    lines = (templates / template).read_text().splitlines()
    (templates / template).write_text("\n".join([*lines[:3], line, *lines[3:], ""]))
    with pytest.raises(ReportError, match=what) as caught:
        student.build(templates)
    assert (caught.value.file, caught.value.line) == (f"templates/{template}", 4)


def test_claim_from_a_record_that_failed_its_checks_stops_the_build(student: Student) -> None:
    student.write("discussion.tex", "It reaches \\claim{verbs.peak} here.\n")
    unchecked = laboratory.judged(student.evidence, student.evidence.facts, whole=False)
    with pytest.raises(TextRefused, match="did not pass every check"):
        replace(student, evidence=unchecked).build()


def test_statements_and_sources_of_a_text_are_printed_and_attached(student: Student) -> None:
    references = "@misc{frey, author = {Philipp Frey}, title = {The hidden cost of {RDMA}}}\n"
    student.write("references.bib", references)
    student.write(
        "discussion.tex",
        "TCP is faster.\\shows{verbs < tcp everywhere} Report A has \\given{117 bytes/us}.\n\n"
        "We compare \\claim{tcp.peak}, as others \\cite{frey}.\n",
    )
    printed = student.build()
    assert "TCP is faster.S1 Report A has 117 bytes/us* ." in printed
    assert re.search(r"S1 verbs < tcp everywhere 0\.\d.* true at 21 of 21; n = 6; R1, R2", printed)
    assert "not from these data: 117 bytes/us." in printed
    assert "as others [1]." in printed and "Philipp Frey. The hidden cost of RDMA." in printed
    assert "report.toml, discussion.tex, references.bib, identity.json" in printed
    files = {file.name: file.read_text() for file in extract(student.folder / "report.pdf", student.folder / "out")}
    assert files["references.bib"] == references
    assert "statement,S1,verbs < tcp everywhere," in files["claims.csv"] and "bytes/us" not in files["claims.csv"]


def test_report_is_current_until_a_text_or_a_module_changes(
    student: Student, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, folder = laboratory.plan_of("verbs_throughput", student.folder), student.folder / "report"
    monkeypatch.setattr(commands, "CACHE", student.cache.parent)
    assert not commands.is_current(plan, records, folder)
    pdf = commands.write_report(plan, records, folder)
    assert commands.is_current(plan, records, folder)
    png = (folder / "verbs_throughput" / "answer.png").read_bytes()
    assert png.startswith(b"\x89PNG") and int.from_bytes(png[16:20]) == 907  # pixels: 160 mm at 144 dpi
    cards = Path(shutil.copytree(CARDS, student.folder / "cards"))
    monkeypatch.setattr(commands, "CARDS", cards)
    assert commands.is_current(plan, records, folder)
    text = (cards / "qdr.toml").read_text()  # a report prints where the values of its card are from
    (cards / "qdr.toml").write_text(text.replace("Report A", "Report B"))
    assert not commands.is_current(plan, records, folder)
    (cards / "qdr.toml").write_text(text)
    code = shutil.copytree(stamp.CODE[0], student.folder / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(stamp, "CODE", (code,))
    assert commands.is_current(plan, records, folder)
    for name in PRINTS_THROUGH:
        module = Path(code, name)
        text = module.read_text()
        module.write_text(f"{text}# changed\n")
        assert not commands.is_current(plan, records, folder), name
        module.write_text(text)
    assert commands.is_current(plan, records, folder)
    student.write("report.toml", "authors = ['Ada']\n")
    assert not commands.is_current(plan, records, folder)
    pdf.unlink()
    assert not commands.is_current(laboratory.plan_of("verbs_throughput", student.folder), records, folder)


def test_pages_are_written_without_tex_and_a_hint_names_its_installation(
    student: Student, records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    student.write("discussion.tex", "Others have looked at it \\cite{frey}.\n")
    student.write("references.bib", "@misc{frey, title = {The hidden cost of {RDMA}}}\n")
    plan, folder = laboratory.plan_of("verbs_throughput", student.folder), student.folder / "report"
    monkeypatch.setattr(commands, "CACHE", student.cache.parent)
    monkeypatch.setattr(commands, "plans_of", lambda *_: [plan])
    monkeypatch.setenv("PATH", str(student.folder / "nothing"))
    options = Namespace(results=records, out=folder, jobs=1, html=True)
    assert commands.report(options) == 0
    assert capsys.readouterr().err == "no PDF, which needs TeX Live: pdflatex is not installed\nhint: make setup\n"
    text = (folder / "verbs_throughput.html").read_text()
    assert '<li id="source:frey"><p><code>frey</code> in references.bib</p></li>' in text and ".pdf" not in text
    options.html = False
    with pytest.raises(ReportError, match=r"pdflatex is not installed .*make setup"):
        commands.report(options)
    assert not list(folder.glob("*.pdf"))


def test_template_that_no_page_can_show_still_makes_a_pdf(
    student: Student, records: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    templates = student.folder / "templates"
    shutil.copytree(TEMPLATES, templates)
    (templates / "verbs_throughput.tex").unlink()
    (templates / "parts" / "left_out.tex").write_text("\\rule{1mm}{1mm}\n")
    monkeypatch.setattr(commands, "CACHE", student.cache.parent)
    monkeypatch.setattr(commands, "TEMPLATES", templates)
    plan = laboratory.plan_of("verbs_throughput", student.folder)
    pdf = commands.write_report(plan, records, student.folder / "report")
    assert pdf.read_bytes().startswith(b"%PDF") and not pdf.with_suffix(".html").exists()
    assert "is not written: the page cannot show the command \\rule" in capsys.readouterr().err


def test_environment_does_not_depend_on_the_order_of_the_identity(evidence: dict[str, Evidence]) -> None:
    whole, identity = evidence["verbs_throughput"], {"processor": "Westmere", "arguments": "-cpu", "image": "a" * 64}

    def rows(given: dict[str, str]) -> list[tuple[str, str | Markup]]:
        return environment(replace(whole, plan=replace(whole.plan, site=replace(whole.plan.site, identity=given))))

    assert rows(identity) == rows(dict(sorted(identity.items())))
    assert [name for name, _ in rows(identity)][:3] == ["site", "image", "processor"]


def test_parameter_without_a_published_value_is_marked(evidence: dict[str, Evidence]) -> None:
    rows = {row.name: row for row in parameter_rows(evidence["verbs_throughput"])}
    assert published_parameters("verbs_throughput").label == "Report A"
    assert (rows["iterations"].published, rows["iterations"].asked) == (r"\num{50000}", r"\num{50000}")
    assert {rows[name].published for name in ("repetitions", "windows")} == {"not said"}
    assert rows["repetitions"].asked == r"\labnum{10}"


def test_environment_names_the_versions_of_this_checkouts_snapshot_alone(evidence: dict[str, Evidence]) -> None:
    whole, known = evidence["mpi_blocking_nonblocking"], snapshot.read(MACHINE)
    assert known is not None and versions(whole) == []
    site = replace(whole.plan.site, identity={"frozen": known.frozen["memory"]})
    rows = dict(environment(replace(whole, plan=replace(whole.plan, site=site))))
    assert str(rows["kernel"]).startswith("linux-image-") and str(rows["compiler"]).startswith("gcc-12 12.")
    assert {"rdma-core", "Open MPI", "UCX", "QEMU", "C library"} <= rows.keys() and "perftest" not in rows


def test_nothing_is_printed_below_eight_points() -> None:
    texts = [*TEMPLATES.rglob("*.*"), *(ROOT / "code" / "lab" / "report").rglob("*.py")]
    assert not [file for file in texts if re.search(r"\\(?:script|sub)?(?:scriptsize|tiny)", file.read_text())]


def pictures_of(pdf: Path) -> Iterator[npt.NDArray[np.uint8]]:
    """Small grey images of the pages: three lines of head, then a byte for each pixel."""
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
