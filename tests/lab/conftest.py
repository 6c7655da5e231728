"""A fake site and small experiments for everything that is tested without hardware."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.lab.fake_site import FakeSite, planned, run_plan
from tests.lab.hand_ins import Course, Site, make_course, make_work, with_report
from tests.lab.sites.computers import pretend
from tests.toml import series_of

from lab.cli.main import main
from lab.plan.plan import Plan, SiteFacts
from lab.report.tex.latex import compile_pdf
from lab.sites.site import MODULES
from lab.submission.hand_in import Work

PEERS = """
title = "Peers on a fake link"
question = "Does the path from TOML to table work?"
[parameters]
sizes = "1..1K*4"
iterations = 40
repetitions = 2
""" + series_of("peer ib_write_bw write throughput", "iperf iperf3 send throughput")
OURS = "\n" + series_of(
    "ours verbs write throughput\nvary.tx_depth = [64, 128]", 'trips tcp send latency\nparameters = { wait = "event" }'
)


@pytest.fixture(scope="session")
def blank_pdf() -> bytes:
    """A page with a letter, for tests of what is attached to one."""
    return compile_pdf({"x.tex": b"\\documentclass{article}\\begin{document}x\\end{document}"}, "x.tex")


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course for all tests, so that its figures are drawn once."""
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def ada(course: Course) -> Work:
    """A student's finished report, for tests that only read it."""
    return with_report(course, make_work(course, "ada", Site()))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def fake_site() -> FakeSite:
    return FakeSite()


class Ran(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


Lab = Callable[..., Ran]


@pytest.fixture
def lab(fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Lab:
    """`lab` in this process, with the fake site in place of the exact one."""
    monkeypatch.setattr("tests.lab.fake_site.SITE", fake_site)
    monkeypatch.setitem(MODULES, "exact", "tests.lab.fake_site")

    def run(*words: object) -> Ran:
        capsys.readouterr()
        try:
            status = main(list(map(str, words)))
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Ran(status, *capsys.readouterr())

    return run


Pretend = Callable[..., Path]


@pytest.fixture
def computer_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Let this computer have these RDMA devices alone; the folder of its /sys and /proc is returned."""

    def make(*devices: str) -> Path:
        pretend(tmp_path, monkeypatch, *devices)
        return tmp_path

    return make


@pytest.fixture
def facts(fake_site: FakeSite) -> SiteFacts:
    return SiteFacts.of(fake_site)


@pytest.fixture
def experiment_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write an experiment; the default has two reference tools and needs no built program."""

    def write(text: str = PEERS) -> Path:
        file = tmp_path / "small.toml"
        file.write_text(text)
        return file

    return write


@pytest.fixture
def make_small_plan(experiment_file: Callable[[str], Path], facts: SiteFacts) -> Callable[..., Plan]:
    """Plan the small experiment, with Verbyte's programs too."""

    def make(text: str = PEERS + OURS, digest: str = "d") -> Plan:
        return planned(experiment_file(text), facts, digest)

    return make


@pytest.fixture
def measured_plan(make_small_plan: Callable[..., Plan], fake_site: FakeSite, results: Path) -> Plan:
    """The small plan, with a record of each trial in `results`."""
    plan: Plan = make_small_plan()
    run_plan(plan, fake_site, results)
    return plan


@pytest.fixture
def handlers() -> Iterator[None]:
    """An interrupted command ignores further signals until its process ends."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
