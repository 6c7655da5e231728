"""Commands that read a damaged file or results folder end with 0, 1 or 2 and a sentence."""

import gzip
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.lab import fake_site
from tests.lab.conftest import PEERS
from tests.lab.files.test_toml import ASSIGNMENT, HOSTS, REPORT
from tests.release.fuzz.damage import Damage
from tests.toml import series_of

from lab.cli import main
from lab.errors import LabError
from lab.machine import contents
from lab.places import EXPERIMENTS, MACHINE, PUBLISHED
from lab.plan import plan, planning
from lab.report import sources
from lab.report.evidence.published import published_curves, published_times, published_values
from lab.sites import site
from lab.sites.hosts import read_slurm, read_ssh
from lab.submission.assignment import load_assignment

CASES = int(os.environ.get("LAB_FUZZ_CASES", "200"))
MOST_TRIALS = 500  # of a damaged plan: the bound is another test's
PLAIN = """title = "Small"
question = "Is it read?"
[parameters]
sizes = "1..1K*4"
iterations = 40
repetitions = 2
[link]
mtu = 4200
delay_ns = 1_000
[profile.exact]
why = "x"
iterations_at_most = 1_000
bytes_per_size_at_most = "16M"
wait = "event"
[programs.mine]
folder = "."
build = "true"
binaries = ["mine"]
server = "mine --port {port} --depth {tx_depth}"
client = "mine --size {size} {arguments} {host}"
output = "pattern"
pattern = "(?P<value>\\\\S+) (?P<unit>\\\\S+)"
""" + series_of("a ib_write_bw write throughput\nvary.tx_depth = [64, 128]", 'b mine write latency\narguments = "-x"')
PLAIN += """[[comparison]]
name = "a over b"
ours = "a"
peers = ["b"]
at_least = 1.0
geometric_mean_up_to = "1K"
"""
TEXTS = [PLAIN.encode(), *(file.read_bytes() for file in sorted(EXPERIMENTS.glob("*.toml")))]


def share(part: float, least: int = 10) -> settings:
    """A share of the cases; the same ones each time unless LAB_FUZZ_CASES is set."""
    return settings(
        max_examples=max(least, round(CASES * part)),
        derandomize="LAB_FUZZ_CASES" not in os.environ,
        database=None,
        phases=[Phase.generate],  # shrinking the first failure takes minutes
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(autouse=True)
def on_the_fake_site(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every site is the fake one, and no damaged plan is large."""
    for name in site.MODULES:
        monkeypatch.setitem(site.MODULES, name, "tests.lab.fake_site")
    monkeypatch.setattr(fake_site, "SITE", fake_site.FakeSite())
    monkeypatch.setattr(planning, "MOST_TRIALS", MOST_TRIALS)
    monkeypatch.setattr(planning, "build", lambda _: None)
    made = planning.under_test
    monkeypatch.setattr(planning, "under_test", lambda *asked: dict.fromkeys(plan.CARD_FILES, "") | made(*asked))


@pytest.fixture
def ends_well(capsys: pytest.CaptureFixture[str]) -> Callable[..., int]:
    """Run a command in this process."""

    def run(*words: str | Path) -> int:
        capsys.readouterr()
        status = main.main([str(word) for word in words])
        err = capsys.readouterr().err
        assert status in (0, 1, 2) and (status != 2 or err.strip()), (words, status, err)
        assert "Traceback" not in err and len(err) < 4000, err
        return status

    return run


def damaged(folder: Path, name: str, content: bytes) -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def refused_or_read(read: Callable[[], object]) -> None:
    """Call a reader, whose LabError a command turns into a sentence."""
    try:
        read()
    except LabError as error:
        assert str(error)


@share(0.5)
@given(data=st.data())
def test_damaged_experiments(data: st.DataObject, tmp_path: Path, ends_well: Callable[..., int]) -> None:
    damage = Damage(data.draw)
    content = damage.text(damage.one(TEXTS))
    (tmp_path / "mine").write_bytes(b"#!")
    file = damaged(tmp_path, "x.toml", content)
    ends_well("plan", file, "--site", "exact", "--results", tmp_path / "results")


@share(0.15)
@given(data=st.data())
def test_damaged_hosts(data: st.DataObject, tmp_path: Path, ends_well: Callable[..., int]) -> None:
    hosts = damaged(tmp_path, "hosts.toml", Damage(data.draw).text(HOSTS.encode()))
    file = damaged(tmp_path, "x.toml", PLAIN.replace('"mine"', '"iperf3"').replace("latency", "throughput").encode())
    ends_well("plan", file, "--hosts", hosts, "--results", tmp_path / "results")
    for read in (read_ssh, read_slurm):
        refused_or_read(partial(read, hosts))


@share(0.15)
@given(data=st.data())
def test_damaged_assignments(data: st.DataObject, tmp_path: Path, ends_well: Callable[..., int]) -> None:
    (tmp_path / "small.toml").write_text(PLAIN)
    text = ASSIGNMENT.replace('experiment = "e"', 'experiment = "small.toml"').replace("steps = 10", "steps = 0")
    file = damaged(tmp_path, "assignment.toml", Damage(data.draw).text(text.encode()))
    ends_well("submit", file, "--draft", "--results", tmp_path / "results")
    refused_or_read(lambda: load_assignment(file).accepts("0" * 64, here=True))


@share(0.2)
@given(data=st.data())
def test_damaged_report_and_course_files(data: st.DataObject, tmp_path: Path) -> None:
    """The head of a report, the VM's image, the index of published values, and a file that it names."""
    damage = Damage(data.draw)
    file = damaged(tmp_path, "report.toml", damage.text(REPORT.encode()))
    refused_or_read(lambda: sources.read_people(file))
    refused_or_read(lambda: sources.ids_in(file.read_bytes().decode(errors="replace"), file))
    refused_or_read(
        lambda: contents.load(damaged(tmp_path, "x.toml", damage.text((MACHINE / "image.toml").read_bytes())))
    )
    shutil.copytree(PUBLISHED, tmp_path / "published", dirs_exist_ok=True)
    published = damage.one(sorted((tmp_path / "published").glob("*.[ct][so][vm]*")))
    published.write_bytes(damage.text(published.read_bytes()))
    for read in (published_curves, published_times, published_values):
        for experiment in ("verbs_throughput", "mpi_bandwidth_latency", "mpi_blocking_nonblocking"):
            refused_or_read(partial(read, experiment, tmp_path / "published"))


@pytest.fixture
def measured(tmp_path: Path, on_the_fake_site: None) -> Path:
    """A folder with an experiment and its records."""
    del on_the_fake_site
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "x.toml").write_text(PEERS)
    results = str(whole / "results")
    assert main.main(["run", str(whole / "x.toml"), "--site", "exact", "--results", results]) == 0
    assert main.main(["query", str(whole / "x.toml"), "--site", "exact", "--results", results]) == 0
    return whole


@share(0.35)
@given(data=st.data())
def test_damaged_results(data: st.DataObject, tmp_path: Path, measured: Path, ends_well: Callable[..., int]) -> None:
    """Any file of a results folder is damaged or gone: records, samples, tables, stamps."""
    damage = Damage(data.draw)
    folder = tmp_path / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(measured, folder)
    results = folder / "results"
    _spoil(damage.one(sorted(each for each in results.rglob("*") if each.is_file())), damage)
    key = next(each.name for each in sorted(results.glob("records/??/*")))
    experiment = folder / "x.toml"
    for words in (
        ("plan", experiment, "--site", "exact"),
        ("query", experiment),
        ("table", experiment),
        ("show", key[:12]),
        ("run", experiment, "--site", "exact"),
    ):
        ends_well(*words, "--results", results)
    ends_well("compare", results, measured / "results")


def _spoil(file: Path, damage: Damage) -> None:
    content = file.read_bytes()
    way = damage.upto(3)
    if way == 0 and file.suffix == ".gz":
        file.write_bytes(gzip.compress(damage.text(gzip.decompress(content))))
    elif way == 1:
        file.unlink()
    elif way == 2:
        file.write_bytes(damage.text(content))
    else:
        file.write_bytes(damage.any(content))
