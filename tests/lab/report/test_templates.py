"""The reports of templates on other data than the reference's."""

import re
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory
from tests.lab.report.evidence.test_curve import SMALL
from tests.lab.report.laboratory import UnsteadySite
from tests.toml import series_of

from lab.experiment.reader import read_card
from lab.files.toml import read_whole
from lab.places import EXPERIMENTS, TEMPLATES
from lab.plan.plan import SiteFacts
from lab.report.build import prepare
from lab.report.evidence.environment import ORIGINS
from lab.report.evidence.evidence import Evidence, gather
from lab.report.evidence.parameters import parameter_rows
from lab.report.evidence.words import profile_why
from lab.report.exhibits.groups import pairs
from lab.report.query.numbers import Numbers
from lab.report.sources import Sources
from lab.report.tex.render import escape
from lab.report.text.macros import macros_of
from lab.sites.ssh import LinkOfHosts

PARAMETERS = 'sizes = "1..16K*4"\niterations = 400\nrepetitions = 6'
ROUNDS, CARD = "\nparameters = { until_stable = 1, wait = 'event' }", "\nlink = { card = 'qdr' }"


def mine(*series: str, sizes: str = "1..16K*4") -> str:
    return laboratory.experiment(PARAMETERS.replace("1..16K*4", sizes), *series)


OVER_CARD = ("c verbs write throughput", "t tcp send throughput", "p iperf3 send throughput")
VARIED = "a verbs write throughput\nvary.tx_depth = [32, 64, 128]"
KINDS = {
    "sweep": (mine(VARIED), "In a no value of tx_depth makes a difference that the data show."),
    "read": (mine("a verbs read latency"), "arrived after the whole round trip"),
    "calls": (mine("a mpi-tcp send one-way"), "Each end times its own calls"),
    "rounds": (mine("a tcp send throughput" + ROUNDS), "the rounds of a agree"),
    "one_size": (mine("a_b tcp send latency", sizes="100"), "of 100 B takes"),
    "odd_sizes": (mine("a tcp send throughput", sizes="3,777,100001"), "777 B"),
    "card": (mine(*(each + CARD for each in OVER_CARD)), "Cross-check with reference tools"),
    "all": (SMALL, "No syntax"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_experiment_without_a_template_has_a_short_report(kind: str, tmp_path: Path) -> None:
    text, sentence = KINDS[kind]
    evidence, file = laboratory.evidence_of_text(text, tmp_path), tmp_path / "mine.pdf"
    file.write_bytes(prepare(Sources(tmp_path / "mine.toml", TEMPLATES), evidence, tmp_path / "cache").typeset())
    printed = laboratory.printed("pdftotext", file, "-")
    assert sentence in " ".join((laboratory.printed("qpdf", "--check", file) + printed).split())
    first, second, *_ = laboratory.require_pages(printed)
    assert "Figure 1." in first and "Table 1." in first and "The site exact is" in first + second
    assert "??" not in printed and not re.search(r"\\[a-z]", printed)


def test_page_1_compares_transports_and_reference_tools(tmp_path: Path) -> None:
    body = laboratory.body_of(laboratory.evidence_of_text(KINDS["card"][0], tmp_path))
    answer = body.partition("Question and setting")[0]
    assert r"\texttt{c} is slower than \texttt{t} at every size: its speed is" in answer
    assert r"\claim[3]{c / t at 1} of the other with" in answer and r"\claim[3]{t / p at 16K} times with" in answer
    assert r"The highest throughput is \claim[3]{t.peak}, of \texttt{t}" in answer


def test_template_of_18_lines_makes_a_report_with_the_default_blocks(tmp_path: Path) -> None:
    """The one that docs/reports.md shows."""
    assert len((TEMPLATES / "plain_verbs.tex").read_text().splitlines()) <= 18
    names = ("plain", "window", "sliding", "signalling", "chains", "sleeping")
    series = (f"{name} tcp send throughput" for name in names)
    text = mine(*series, "verbs verbs write throughput", sizes="1,64K")
    found = laboratory.evidence_of_text(text, tmp_path, "plain_verbs")
    sources = Sources(tmp_path / "plain_verbs.toml", TEMPLATES)
    assert prepare(sources, found, tmp_path / "cache").typeset().startswith(b"%PDF")
    body = laboratory.body_of(found)
    assert "Throughput as the habits go, one after the other." in body
    assert (
        r"\label{figure:throughput}" in body and r"\section{Comparison}" in body and r"\label{table:parameters}" in body
    )


@pytest.mark.parametrize(("card", "origin"), [("qdr", "fitted to Report A"), ("connectx-100g", "from data sheets")])
def test_report_with_a_card_lists_its_parameters_by_origin(card: str, origin: str, tmp_path: Path) -> None:
    evidence = laboratory.evidence_of_text(mine("a tcp send throughput" + CARD.replace("qdr", card)), tmp_path)
    text = laboratory.body_of(evidence)
    names = [
        name for name, known in read_card(card).known.items() if origin.startswith(ORIGINS[known.origin].rstrip("{}"))
    ]
    listed = ", ".join(rf"\texttt{{{escape(name)}}}" for name in names)
    assert rf"\emph{{{origin}}}: {listed}" in text and r"\emph{assumed}: " in text
    assert "repeats an input of it confirms nothing" in text


@pytest.mark.parametrize(
    ("experiment", "name", "asked", "used"),
    [
        ("verbs_throughput", "iterations", "50000",
         "20 to 800; 20 to 2000; 20 to 1000; 2000; 1000; 20 to 256; 20 to 500"),
        ("write_parameters", "warmup", "5000; 512; 0 to 512", "20 to 512; 512; 20 to 100; 0 to 512"),
        ("write_parameters", "tx_depth", "6000; 1 to 512; 128; 1 to 128", "512; 64; 1 to 512; 128; 1 to 128"),
        ("mpi_bandwidth_latency", "repetitions", "10", "6; 1"),
    ],
)  # fmt: skip
def test_table_of_parameters_describes_all_series(experiment: str, name: str, asked: str, used: str) -> None:
    evidence = Evidence(laboratory.plan_of(experiment), (), {}, Path("none"))
    (row,) = (row for row in parameter_rows(evidence) if row.name == name)
    printed = (re.sub(r"\\(?:lab)?num\{(\d+)\}", r"\1", cell) for cell in (row.asked, row.used))
    assert tuple(printed) == (asked, used)
    assert profile_why(evidence).startswith("A second of the VM costs several seconds of the host")


def without_cards(text: str) -> str:
    """The latencies with their series over a plain link only, as a site without modelled cards has them."""
    head, *series = text.split("[[series]]\n")
    return "[[series]]\n".join([head, *(part for part in series if "card =" not in part)]).replace(
        '"write.card", "tcp.card", ', ""
    )


@pytest.fixture(scope="module", params=["with", "without"])
def latency(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp(request.param)
    text = (EXPERIMENTS / "latency.toml").read_text()
    text = text if request.param == "with" else without_cards(text)
    return laboratory.body_of(laboratory.evidence_of_text(text, folder, "latency"))


def test_latency_report_claims_only_measured_times(latency: str) -> None:
    figures = {*re.findall(r"\\label\{figure:(\w+)\}", latency)}
    assert {"answer", "size", "tails"} <= figures and not {"causes", "processor"} & figures
    assert {"five", "published", "fetch"} <= {*re.findall(r"\\label\{table:(\w+)\}", latency)}
    halves = [use.body for use in macros_of(latency) if re.search(r"\bread(\.card)?(?!\.rtt)( at|\.p)", use.body)]
    assert not halves and ("read.card.rtt" in latency) == ("write.card" in latency)
    assert (r"\emph{assumed}" in latency) == (r"\claim[2]{(fdr.doorbell" in latency) == ("write.card" in latency)


FALSE_HERE = ("The depth of the send queue decides", "Four requests in a call", "More messages only seem to help")


def test_sentences_that_the_data_does_not_support_are_left_out(tmp_path: Path) -> None:
    body = laboratory.body_of(laboratory.evidence_of("write_parameters", tmp_path))
    assert not [sentence for sentence in FALSE_HERE if sentence in body]
    assert "The parameters, the largest effect first." in body and "The depth matters most" not in body


REAL = SiteFacts("ssh", UnsteadySite().ends, {"hosts": "ada to bob", "link": "100 Gb/sec (4X EDR)"}, LinkOfHosts.traits)


def report_of_a_real_link(name: str, folder: Path) -> str:
    """The text of the report of an experiment on two hosts."""
    toml = read_whole(EXPERIMENTS / f"{name}.toml").text.replace("profile.exact", "profile.ssh")
    (folder / f"{name}.toml").write_text(toml)
    plan = laboratory.plan_of(name, folder, REAL)
    laboratory.record(plan, folder)
    pdf = folder / "report.pdf"
    prepared = prepare(Sources(plan.experiment.file, TEMPLATES), gather(plan, folder), folder / "cache")
    pdf.write_bytes(prepared.typeset())
    return " ".join(laboratory.printed("pdftotext", pdf, "-").split())


@pytest.mark.parametrize("name", ["verbs_throughput", "mpi_bandwidth_latency"])
def test_report_of_a_real_link_does_not_mention_a_cable_or_one_core(name: str, tmp_path: Path) -> None:
    text = report_of_a_real_link(name, tmp_path)
    assert "ssh link, 100 Gb/sec (4X EDR)" in text and "Repetitions ran one after the other" in text
    assert not re.search("cable|perturbed|(CPU|processor) core", text.partition("How to repeat this")[0])
    left_out = "left out: card, card.inline, tcp.card, soft.card, ib_write_bw.card, tcp.gigabit"
    assert (left_out in text) == (name == "verbs_throughput")


def test_report_of_parameters_on_a_link_without_a_card_is_about_the_link(tmp_path: Path) -> None:
    text = report_of_a_real_link("write_parameters", tmp_path)
    assert "over the link, at all points" in text and "Report B" in text and "Inline data: a read less" not in text
    assert "kernel RDMA" not in text.replace("RDMA is kernel RDMA (Soft-RoCE, rxe0)", "")


OWN_PROGRAMS = r"""
title = "Own programs on a fake link"
question = "What do their habits cost?"
[parameters]
sizes = "64,4K"
iterations = 40
repetitions = 2
[programs.mine]
folder = "."
build = "true"
binaries = ["mine"]
server = "mine --serve {port}"
client = "mine -s {size} -n {iterations} {arguments} {host}"
output = "pattern"
pattern = '^(?P<size>\d+)\s+\d+\s+\S+\s+(?P<value>\S+)'
unit = "MiB/s"
""" + series_of(
    "plain mine write throughput",
    'deep mine write throughput\narguments = "--depth 64"',
    "verbs verbs write throughput",
)


@pytest.fixture
def of_programs(tmp_path: Path) -> Evidence:
    return laboratory.evidence_of_text(OWN_PROGRAMS, tmp_path, site=FakeSite())


def test_pairs_compare_ours_with_each_and_each_with_its_predecessor(of_programs: Evidence) -> None:
    assert [(ours.name, base.name, sort) for ours, base, sort in pairs(of_programs)] == [
        ("verbs", "plain", "user"),
        ("verbs", "deep", "user"),
        ("deep", "plain", "step"),
    ]


def test_both_rates_end_at_the_last_completion(of_programs: Evidence) -> None:
    numbers = Numbers(of_programs)
    assert numbers.ask("verbs / plain at 4K").estimate.value == pytest.approx(1, abs=0.01)
    assert numbers.ask("deep / plain at 64").estimate.interval is None, "too few repetitions"


def test_report_compares_ours_with_each_and_each_with_its_predecessor(of_programs: Evidence, tmp_path: Path) -> None:
    body = laboratory.body_of(of_programs)
    for ratio in ("verbs / plain", "verbs / deep", "deep / plain"):
        assert rf"\claim[3]{{{ratio} at 64}}" in body
    assert r"\label{figure:ratio}" in body and r"\label{figure:throughput}" in body
    prepared = prepare(Sources(of_programs.plan.experiment.file, TEMPLATES), of_programs, tmp_path)
    assert prepared.typeset().startswith(b"%PDF")
