"""Any experiment has a report: lab.report.{context,pictures.placing,tables.parameters}."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory
from tests.lab.report.test_own_programs import EXPERIMENT as OWN
from tests.lab.report.topics.test_curves import SMALL

from lab.places import TEMPLATES
from lab.plan.plan import Plan
from lab.records.record import write_record
from lab.report.build import build
from lab.report.errors import ReportError
from lab.report.evidence.evidence import Evidence, gather
from lab.report.sources import DEFAULT, Sources
from lab.report.tables.environment import ORIGINS
from lab.report.tables.parameters import parameter_rows, profile_why
from lab.report.tables.rows import TOO_FEW, RowTable
from lab.report.tex.escape import Markup, escape
from lab.run.measure import measure
from lab.spec.cards import read_card

HEAD = 'title = "Mine"\nquestion = "What is it?"\n[parameters]\nsizes = "1..16K*4"\niterations = 400\nrepetitions = 6\n'
SERIES = '[[series]]\nname = "a"\nprogram = "{}"\noperation = "{}"\nmeasure = "{}"\n'
SWEEP = HEAD + SERIES.format("verbs", "write", "throughput") + "vary.tx_depth = [32, 64, 128]\n"
TRIPS = HEAD + SERIES.format("tcp", "send", "latency") + "vary.seed = [1, 2]\nparameters = { wait = 'event' }\n"
KINDS = {
    "sweep": (SWEEP, "Every series of this experiment varies a parameter"),
    "trips": (
        HEAD + SERIES.format("verbs", "read", "latency"),
        "The data of a READ are there after the whole",
    ),
    "trips_sweep": (TRIPS, "varies a parameter of a latency"),
    "calls": (HEAD + SERIES.format("mpi-tcp", "send", "one-way"), "Each end times its own calls"),
    "rounds": (
        HEAD + SERIES.format("tcp", "send", "throughput") + "parameters = { until_stable = 1, wait = 'event' }\n",
        "repeated in rounds until they agree",
    ),
    "all": (SMALL, "No syntax"),
}


def pdf_of(text: str, folder: Path) -> bytes:
    (folder / "mine.toml").write_text(text)
    found = laboratory.evidence_of("mine", folder / "results", folder)
    return build(Sources(folder / "mine.toml", TEMPLATES), found, folder / "cache")


@pytest.mark.parametrize("kind", KINDS)
def test_an_experiment_without_a_template_has_a_report(kind: str, tmp_path: Path) -> None:
    text, wanted = KINDS[kind]
    file = tmp_path / "mine.pdf"
    file.write_bytes(pdf_of(text, tmp_path))
    said = subprocess.run(["qpdf", "--check", file], capture_output=True, text=True, check=True).stdout
    printed = subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout
    assert wanted in " ".join((said + printed).split())
    assert "??" not in printed and "Evidence" in printed and "Table" in printed


@pytest.mark.parametrize(("card", "origin"), [("qdr", "fitted to Report A"), ("connectx-100g", "from data sheets")])
def test_a_report_with_a_card_says_which_of_its_parameters_are_inputs(card: str, origin: str, tmp_path: Path) -> None:
    link = f'link = {{ card = "{card}" }}\n'
    (tmp_path / "mine.toml").write_text(HEAD + SERIES.format("tcp", "send", "throughput") + link)
    text = laboratory.body_of(laboratory.evidence_of("mine", tmp_path / "results", tmp_path), tmp_path)
    names = [
        name for name, known in read_card(card).known.items() if origin.startswith(ORIGINS[known.origin].rstrip("{}"))
    ]
    listed = ", ".join(rf"\texttt{{{escape(name)}}}" for name in names)
    assert rf"\emph{{{origin}}}: {listed}" in text and r"\emph{assumed}: " in text
    assert "repeats an input of the model, and confirms nothing" in text


@pytest.mark.parametrize(
    ("cells", "bare", "has_intervals", "why_bare"),
    [
        ([r"\labnum{1} \labinterval{\labnum{0}, \labnum{2}}"], "", True, ""),
        ([r"\labnum{1} \labinterval{\labnum{0}, \labnum{2}}", r"\num{12345}"], "", True, TOO_FEW),
        ([r"\labnum{1}", "--", ""], "", False, TOO_FEW),
        ([r"\labnum{1}"], "without intervals", False, "without intervals"),
        (["yes", "1000"], "", False, ""),
    ],
)
def test_a_caption_speaks_of_intervals_as_the_table_has_them(
    cells: list[str], bare: str, why_bare: str, *, has_intervals: bool
) -> None:
    table = RowTable((Markup("a"),), tuple((Markup(r"\qty{1}{\byte}"), Markup(cell)) for cell in cells), (), bare=bare)
    assert (table.has_intervals, table.why_bare) == (has_intervals, why_bare)


@pytest.mark.parametrize(
    ("experiment", "name", "asked", "used"),
    [
        ("verbs_throughput", "iterations", "50000", "20 to 1000; 2000; 20 to 256; 20 to 500"),
        ("write_parameters", "warmup", "5000; 512; 0 to 512", "20 to 512; 512; 20 to 100; 0 to 512"),
        ("write_parameters", "tx_depth", "6000; 1 to 512; 128; 1 to 128", "512; 64; 1 to 512; 128; 1 to 128"),
        ("write_parameters", "warmup_depths_at_least", "--", "1"),
        ("mpi_bandwidth_latency", "repetitions", "10", "6; 2"),
    ],
)
def test_the_table_of_parameters_describes_all_series(experiment: str, name: str, asked: str, used: str) -> None:
    evidence = Evidence(laboratory.plan_of(experiment), (), {}, Path("none"), 0)
    (row,) = (row for row in parameter_rows(evidence) if row.name == name)
    printed = (re.sub(r"\\(?:lab)?num\{(\d+)\}", r"\1", cell) for cell in (row.asked, row.used))
    assert tuple(printed) == (asked, used)
    assert row.source.endswith("*") is (";" in used)
    assert profile_why(evidence).startswith("A guest second costs several host seconds")


def test_own_programs_have_one_too(make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path) -> None:
    plan = make_small_plan(OWN)
    for each in plan.planned:
        write_record(tmp_path / "results", measure(each, fake_site, plan.site))
    found = gather(plan, tmp_path / "results")
    assert build(Sources(plan.experiment.file, TEMPLATES), found, tmp_path / "cache").startswith(b"%PDF")


def test_a_template_of_its_own_comes_first(tmp_path: Path) -> None:
    assert Sources(tmp_path / "mine.toml", TEMPLATES).template == DEFAULT
    assert Sources(tmp_path / "verbs_throughput.toml", TEMPLATES).template == "verbs_throughput.tex"


def test_a_sweep_of_words_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SWEEP.replace("tx_depth = [32, 64, 128]", 'wait = ["poll", "event"]'))
    found = laboratory.evidence_of("mine", tmp_path / "results", tmp_path)
    with pytest.raises(ReportError, match="a varies wait over words"):
        laboratory.body_of(found, tmp_path)
