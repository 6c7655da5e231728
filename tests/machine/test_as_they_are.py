"""Programs of other authors, compiled and run on the exact site: the styles in experiments/examples."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.toml import series_of

from lab.cli.measure import run_remaining
from lab.model.sizes import parse_sizes
from lab.places import EXAMPLES
from lab.plan.plan import SiteFacts
from lab.plan.planning import open_campaign
from lab.records.record import Record, open_record
from lab.run.measure import measure
from lab.sites.exact import ExactSite

RANKS_SIZES = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18]  # of mpi_bootstrap
BY_VERBS, BY_KERNEL = "RDMA from rxe0", "the kernel's network from v0"
FASTEST_NS, SLOWEST_NS = 2_000, 3_000_000  # of a message or its round trip over Soft-RoCE or TCP on this machine


def measured(exact: ExactSite, named: str | Path, series: str = "") -> Record:
    campaign = open_campaign([Path(named)], exact, print)
    planned = next(each for each in campaign.plans[0].planned if series in ("", each.series.name))
    return measure(planned, exact, SiteFacts.of(exact))


def sizes(record: Record) -> list[int]:
    """Return the sizes, after a check that the times are plausible for a message over this link."""
    assert all(FASTEST_NS < each.time_ns / timed(each.sample, each.messages) < SLOWEST_NS for each in record.samples)
    return sorted(each.size_bytes for each in record.samples)


def timed(sample: str, messages: int) -> int:
    return 1 if sample == "round_trip_mean" else messages


def test_loop_over_sizes_is_read_without_sizes_printed_as_zero(exact: ExactSite) -> None:
    record = measured(exact, "loop_of_sizes")
    assert {each.size_bytes: each.messages for each in record.samples} == {2**power: 64 for power in range(4, 16)}
    header = record.facts.measured.header or {}
    assert {name for name in header if name.startswith("unread")} == {"unread_2", "unread_4", "unread_8"}
    assert header["rounded_16"] == "100"  # 0.01 Gb/sec
    assert header["unread_4"] == "0.00 Gb/sec is impossible"
    assert any("no number could be read for 2, 4, 8 bytes" in note for note in record.facts.assessment.notes)


@pytest.mark.parametrize(
    ("name", "series", "wanted"),
    [
        ("cm_tutorial", "", [64]),
        ("mpi_bootstrap", "", RANKS_SIZES),
        pytest.param("send_pingpong", "pingpong", [64, 4096, 65536], marks=pytest.mark.release),
    ],
)
def test_styles_run_over_the_modelled_card_unchanged(
    exact: ExactSite, tmp_path: Path, name: str, series: str, wanted: list[int]
) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text().replace('folder = "', f'folder = "{EXAMPLES}/')
    head, link, rest = text.partition("repetitions = 2\n")
    (tmp_path / "over.toml").write_text(f'{head}{link}[link]\ncard = "qdr"\n{rest}')
    record = measured(exact, tmp_path / "over.toml", series)
    assert sorted(each.size_bytes for each in record.samples) == wanted
    assert record.facts.assessment.path == "the modelled card qdr"


@pytest.mark.parametrize(
    ("name", "series", "wanted", "path"),
    [
        ("send_pingpong", "pingpong", [64, 4096, 65536], BY_VERBS),
        pytest.param("read_rate", "eight", [256, 4096, 65536], BY_VERBS, marks=pytest.mark.release),
        pytest.param("tcp_select", "", [1024, 16384, 65536], BY_KERNEL, marks=pytest.mark.release),
        pytest.param("mpi_cpp", "", [1, 16, 256, 4096, 65536], BY_KERNEL, marks=pytest.mark.release),
        pytest.param("mpi_bootstrap", "", RANKS_SIZES, BY_VERBS, marks=pytest.mark.release),
        pytest.param("cm_tutorial", "", [64], BY_VERBS, marks=pytest.mark.release),
    ],
)
def test_each_size_is_read(exact: ExactSite, name: str, series: str, wanted: list[int], path: str) -> None:
    record = measured(exact, name, series)
    assert sizes(record) == wanted and record.facts.assessment.path == path
    if name == "cm_tutorial":
        assert [(each.sample, each.messages) for each in record.samples] == [("round_trip_mean", 1000)]


STYLES = Path(__file__).with_name("styles")
STYLE = """
title = "t"
question = "q"
[parameters]
sizes = "{sizes}"
iterations = {iterations}
repetitions = 1
deadline_s = 20
{link}
[programs.mine]
folder = "styles"
client_stays = true
output = "pattern"
{program}
""" + series_of("mine mine {operation} {measure}")
RC = r"""
build = "make"
binaries = ["server", "client"]
server = "server"
client = "client 192.168.1.1"
ready.tcp = 12345
rdma = true
grants = "connectx"
emulate = ["addresses", "devices", "lids"]
pattern = '(?P<size>\d+) bytes: (?P<value>[\d.]+) (?P<unit>MB/s)'
"""
TCP = r"""
build = "gcc -O2 -o tcp tcp.c && chmod +x run.sh"
binaries = ["tcp", "run.sh", "tcp.config"]
server = "tcp"
client = "run.sh {host} {printed:port}"
server_stays = true
pattern = 'size (?P<size>\d+ KB): (?P<value>[\d.]+) (?P<unit>MB/s)'
"""


@pytest.mark.parametrize(
    ("program", "link", "work", "path"),
    [
        pytest.param(RC, "", (100, "write", "throughput", "8,64"), BY_VERBS, marks=pytest.mark.release),
        (RC, '[link]\ncard = "qdr"', (100, "write", "throughput", "8,64"), "the modelled card qdr"),
        (TCP, "", (20, "send", "throughput", "1K,16K"), BY_KERNEL),
    ],
    ids=["rc", "rc over a card", "tcp"],
)
def test_habits_of_tutorials_are_no_obstacle(
    exact: ExactSite, tmp_path: Path, program: str, link: str, work: tuple[int, str, str, str], path: str
) -> None:
    (tmp_path / "styles").symlink_to(STYLES)
    iterations, operation, measure, wanted = work
    filled = {"iterations": iterations, "operation": operation, "measure": measure, "sizes": wanted}
    (tmp_path / "mine.toml").write_text(STYLE.format(**filled, program=program, link=link))
    record = measured(exact, tmp_path / "mine.toml")
    assert sorted(each.size_bytes for each in record.samples) == list(parse_sizes(wanted))
    assert record.facts.assessment.path == path


def test_ring_with_variables_files_and_early_messages_runs_and_the_messages_are_named(
    exact: ExactSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = open_campaign([Path("hostfile_ring")], exact, print)
    (planned, *_) = campaign.plans[0].planned
    plan = replace(campaign.plans[0], planned=(planned,))
    assert not run_remaining(replace(campaign, plans=(plan,)), tmp_path, 1).failed
    assert sorted(each.size_bytes for each in open_record(tmp_path, planned.trial.key).samples()) == [64, 512, 4096]
    assert "messages arrived before a receive was posted" in capsys.readouterr().err
