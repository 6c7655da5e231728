"""Comparisons with reference tools: at which sizes, and in which files."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from tests.lab.fake_site import FakeSite

from lab.cli import bench
from lab.cli.bench import DRAWN, drawn
from lab.cli.main import main
from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.plan.plan import Plan, SiteFacts, binaries, make_plan
from lab.plan.planning import Workshop

COMPARED = """
title = "Ours and a peer"
question = "Which is faster?"
parameters = { sizes = "1..64K*4", iterations = 64_000, warmup = 10 }
[profile.exact]
why = "It is slow."
bytes_per_size_at_most = "10M"
iterations_at_least = 64
iterations_multiple_of = 64
[[series]]
name = "ours"
program = "verbs"
operation = "write"
measure = "throughput"
[[series]]
name = "peer"
program = "ib_write_bw"
operation = "write"
measure = "throughput"
parameters = { peer_post_list = 64 }
[[series]]
name = "mpi"
program = "mpi-tcp"
operation = "send"
measure = "latency"
parameters = { iterations = 64 }
[[series]]
name = "netpipe"
program = "netpipe-mpi"
operation = "send"
measure = "latency"
parameters = { iterations = 64 }
profile.exact = { bytes_per_size_at_most = "1G" }
[[comparison]]
name = "ours / peer"
ours = "ours"
peers = ["peer"]
at_least = 0.99
[[comparison]]
name = "never / peer"
ours = "ours"
peers = ["peer"]
at_least = 0.99
drawn_at_least = 1.5
[[comparison]]
name = "NetPIPE / mpi-pingpong"
ours = "mpi"
peers = ["netpipe"]
at_least = 0.99
"""


@pytest.fixture
def compared(make_small_plan: Callable[..., Plan]) -> Plan:
    return make_small_plan(COMPARED)


@pytest.fixture
def run(
    compared: Plan, fake_site: FakeSite, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    monkeypatch.setattr(bench, "open_shop", lambda *_: Workshop(fake_site, compared.site, (compared,)))
    monkeypatch.chdir(tmp_path)
    return lambda *words: main(["bench", "--results", str(results), "--jobs", "1", *words])


def test_bench_writes_each_ratio_as_json_and_a_test_for_each_comparison(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--seed", "7", "--json", "bench.json", "--junit", "bench.xml") == 1
    assert capsys.readouterr().out.startswith("seed 7\nours / peer [B/s]\n")
    document = json.loads((tmp_path / "bench.json").read_text())
    ours, never, mpi = document["comparisons"]
    assert document["seed"] == 7 and (ours["holds"], never["holds"], mpi["holds"]) == (True, False, True)
    assert [size["at_least"] for size in never["sizes"]].count(1.5) == DRAWN
    assert len(ours["sizes"]) == 9 + DRAWN and len(mpi["sizes"]) == 9
    assert all(size["ratio"] == pytest.approx(size["ours"] / size["peers"]["peer"]) for size in ours["sizes"])
    suite = Xml.fromstring((tmp_path / "bench.xml").read_text())
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("3", "1")
    (failure,) = suite.iter("failure")
    assert failure.attrib["message"].startswith("the least ratio is 1.000, at ") and "MISSED" in str(failure.text)


def test_sizes_are_drawn_by_the_seed(run: Callable[..., int], compared: Plan, results: Path) -> None:
    def sizes(seed: int) -> dict[str, tuple[int, ...]]:
        return {each.name: each.sizes("exact") for each in drawn(compared, seed).experiment.series}

    first = sizes(7)
    assert first == sizes(7) != sizes(8)
    assert first["ours"] == first["peer"] and "netpipe" not in first and "mpi" not in first
    assert all(1 < size < 65536 and size.bit_count() > 1 for size in first["ours"])
    run("--seed", "7")
    assert not {str(size) for size in first["ours"]} & {
        line.split(",")[5] for line in (results / "small.csv").read_text().splitlines()
    }


def test_reference_tools_can_run_at_any_drawn_size(facts: SiteFacts) -> None:
    """perftest sends whole post lists only."""
    experiment = load(EXPERIMENTS / "bench.toml")
    plan = make_plan(experiment, facts, dict.fromkeys(binaries([experiment]), "d"))
    for seed in range(100):
        for planned in drawn(plan, seed).planned:
            request = planned.trial.request
            if planned.series.tool.whole_lists:
                assert all(each.iterations % request.parameters.peer_post_list == 0 for each in request.counts)
