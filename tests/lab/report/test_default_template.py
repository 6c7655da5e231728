"""Any experiment has a report: lab.report.{context,exhibits.overview,evidence.parameters} and templates/short.tex."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory
from tests.lab.report.test_own_programs import EXPERIMENT as OWN
from tests.lab.report.topics.test_throughput import SMALL

from lab.experiment.reader import read_card
from lab.places import TEMPLATES
from lab.plan.plan import Plan
from lab.records.record import write_record
from lab.report.build import build
from lab.report.evidence.environment import ORIGINS
from lab.report.evidence.evidence import Evidence, gather
from lab.report.evidence.parameters import parameter_rows, profile_why
from lab.report.sources import DEFAULT, Sources
from lab.report.tex.render import escape
from lab.run.measure import measure

HEAD = 'title = "Mine"\nquestion = "What is it?"\n[parameters]\nsizes = "1..16K*4"\niterations = 400\nrepetitions = 6\n'
SERIES = '[[series]]\nname = "{}"\nprogram = "{}"\noperation = "{}"\nmeasure = "{}"\n'
SWEEP = HEAD + SERIES.format("a", "verbs", "write", "throughput") + "vary.tx_depth = [32, 64, 128]\n"
TRIPS = HEAD + SERIES.format("a", "tcp", "send", "latency") + "vary.seed = [1, 2]\nparameters = {{ wait = 'event' }}\n"
ROUNDS = "parameters = { until_stable = 1, wait = 'event' }\n"
CARD = "link = { card = 'qdr' }\n"
KINDS = {
    "sweep": (SWEEP, "In a no value of tx_depth makes a difference that the data show."),
    "sweep_of_0": (SWEEP.replace("32, 64, 128", "0, 1").replace("tx_depth", "warmup"), "Effect of the parameters"),
    "read": (HEAD + SERIES.format("a", "verbs", "read", "latency"), "arrived after the whole round trip"),
    "trips_sweep": (TRIPS.format(), "no value of seed makes a difference"),
    "calls": (HEAD + SERIES.format("a", "mpi-tcp", "send", "one-way"), "Each end times its own calls"),
    "rounds": (
        HEAD + SERIES.format("a", "tcp", "send", "throughput") + ROUNDS,
        "the rounds of a agree",
    ),
    "words": (SWEEP.replace("tx_depth = [32, 64, 128]", 'wait = ["poll", "event"]'), "a poll"),
    "one_size": (HEAD.replace("1..16K*4", "100") + SERIES.format("a_b", "tcp", "send", "latency"), "of 100 B takes"),
    "odd_sizes": (HEAD.replace("1..16K*4", "3,777,100001") + SERIES.format("a", "tcp", "send", "throughput"), "777 B"),
    "card": (
        "".join([HEAD, SERIES.format("c", "verbs", "write", "throughput"), CARD])
        + "".join(
            SERIES.format(*each, "throughput") + CARD for each in (("t", "tcp", "send"), ("p", "iperf3", "send"))
        ),
        "Cross-check with reference tools",
    ),
    "all": (SMALL, "No syntax"),
}


def pdf_of(text: str, folder: Path) -> bytes:
    (folder / "mine.toml").write_text(text)
    found = laboratory.evidence_of("mine", folder / "results", folder)
    return build(Sources(folder / "mine.toml", TEMPLATES), found, folder / "cache")


@pytest.mark.parametrize("kind", KINDS)
def test_an_experiment_without_a_template_has_a_short_report(kind: str, tmp_path: Path) -> None:
    text, wanted = KINDS[kind]
    file = tmp_path / "mine.pdf"
    file.write_bytes(pdf_of(text, tmp_path))
    said = subprocess.run(["qpdf", "--check", file], capture_output=True, text=True, check=True).stdout
    printed = subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout
    assert wanted in " ".join((said + printed).split())
    pages = printed.rstrip("\f").split("\f")
    appendix = next(at for at, page in enumerate(pages) if "All sizes" in page[:40])
    assert appendix <= 6 and len(pages) - appendix <= 2
    assert "Figure 1." in pages[0] and "Table 1." in pages[0] and "The site exact is" in " ".join(pages[:2])
    assert "??" not in printed and not re.search(r"\\[a-z]", printed)


def test_page_1_compares_transports_and_reference_tools(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(KINDS["card"][0])
    body = laboratory.body_of(laboratory.evidence_of("mine", tmp_path / "results", tmp_path), tmp_path)
    answer = body.partition("Question and setting")[0]
    assert r"\texttt{c} is slower than \texttt{t} at every size: its speed is" in answer
    assert r"\claim[3]{c / t at 1} of the other with" in answer and r"\claim[3]{t / p at 16K} times with" in answer
    assert r"The highest throughput is \claim[3]{t.peak}, of \texttt{t}" in answer


def test_a_template_of_18_lines_makes_a_report_and_what_it_does_not_fill_is_the_forms(tmp_path: Path) -> None:
    """The one that docs/templates.md shows."""
    assert len((TEMPLATES / "plain_verbs.tex").read_text().splitlines()) <= 18
    names = ("plain", "window", "sliding", "signalling", "chains", "sleeping")
    series = "".join(SERIES.format(name, "tcp", "send", "throughput") for name in names)
    (tmp_path / "plain_verbs.toml").write_text(
        HEAD.replace("1..16K*4", "1,64K") + series + SERIES.format("verbs", "verbs", "write", "throughput")
    )
    found = laboratory.evidence_of("plain_verbs", tmp_path / "results", tmp_path)
    sources = Sources(tmp_path / "plain_verbs.toml", TEMPLATES)
    assert build(sources, found, tmp_path / "cache").startswith(b"%PDF")
    body = laboratory.body_of(found, tmp_path)
    assert "Throughput as the habits go, one after the other." in body
    assert (
        r"\label{figure:throughput}" in body and r"\section{Comparison}" in body and r"\label{table:parameters}" in body
    )


@pytest.mark.parametrize(("card", "origin"), [("qdr", "fitted to Report A"), ("connectx-100g", "from data sheets")])
def test_a_report_with_a_card_says_which_of_its_parameters_are_inputs(card: str, origin: str, tmp_path: Path) -> None:
    link = f'link = {{ card = "{card}" }}\n'
    (tmp_path / "mine.toml").write_text(HEAD + SERIES.format("a", "tcp", "send", "throughput") + link)
    text = laboratory.body_of(laboratory.evidence_of("mine", tmp_path / "results", tmp_path), tmp_path)
    names = [
        name for name, known in read_card(card).known.items() if origin.startswith(ORIGINS[known.origin].rstrip("{}"))
    ]
    listed = ", ".join(rf"\texttt{{{escape(name)}}}" for name in names)
    assert rf"\emph{{{origin}}}: {listed}" in text and r"\emph{assumed}: " in text
    assert "repeats an input of it confirms nothing" in text


@pytest.mark.parametrize(
    ("experiment", "name", "asked", "used"),
    [
        ("verbs_throughput", "iterations", "50000", "20 to 1000; 20 to 2000; 2000; 20 to 256; 20 to 500"),
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
    assert profile_why(evidence).startswith("A second of the VM costs several seconds of the host")


def test_own_programs_have_one_too(make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path) -> None:
    plan = make_small_plan(OWN)
    for each in plan.planned:
        write_record(tmp_path / "results", measure(each, fake_site, plan.site))
    found = gather(plan, tmp_path / "results")
    assert build(Sources(plan.experiment.file, TEMPLATES), found, tmp_path / "cache").startswith(b"%PDF")


def test_a_template_of_its_own_comes_first(tmp_path: Path) -> None:
    assert Sources(tmp_path / "mine.toml", TEMPLATES).template == DEFAULT
    assert Sources(tmp_path / "verbs_throughput.toml", TEMPLATES).template == "verbs_throughput.tex"
