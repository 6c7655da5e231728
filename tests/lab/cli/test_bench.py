"""Comparisons with reference tools: at which sizes, and in which files."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from tests.lab.conftest import Lab
from tests.lab.fake_site import FakeSite, planned
from tests.toml import series_of

from lab.cli import bench
from lab.cli.bench import DRAWN, drawn
from lab.places import EXPERIMENTS
from lab.plan.plan import Plan
from lab.plan.planning import Campaign

COMPARED = """
title = "Ours and a peer"
question = "Which is faster?"
parameters = { sizes = "1..64K*4", iterations = 64_000, warmup = 10 }
[profile.exact]
why = "It is slow."
bytes_per_size_at_most = "10M"
iterations_at_least = 64
iterations_multiple_of = 64
""" + series_of(
    "ours verbs write throughput",
    "peer ib_write_bw write throughput\nparameters.peer_post_list = 64",
    "mpi mpi-tcp send latency\nparameters.iterations = 64",
    'netpipe netpipe-mpi send latency\nparameters.iterations = 64\nprofile.exact.bytes_per_size_at_most = "1G"',
)
for name, ours, peer, more in (
    ("ours / peer", "ours", "peer", ""),
    ("never / peer", "ours", "peer", "drawn_at_least = 1.5"),
    ("NetPIPE / mpi-pingpong", "mpi", "netpipe", ""),
):
    COMPARED += f'[[comparison]]\nname = "{name}"\nours = "{ours}"\npeers = ["{peer}"]\nat_least = 0.99\n{more}\n'


@pytest.fixture
def compared(make_small_plan: Callable[..., Plan]) -> Plan:
    return make_small_plan(COMPARED)


@pytest.fixture
def run(
    lab: Lab, compared: Plan, fake_site: FakeSite, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Lab:
    monkeypatch.setattr(bench, "campaign_of", lambda *_: Campaign(fake_site, compared.site, (compared,)))
    monkeypatch.chdir(tmp_path)
    return lambda *words: lab("bench", "--results", results, "--jobs", 1, *words)


def test_bench_writes_each_ratio_as_json_and_a_test_for_each_comparison(run: Lab, tmp_path: Path) -> None:
    status, out, _ = run("--seed", 7, "--json", "bench.json", "--junit", "bench.xml")
    assert status == 1 and out.startswith("seed 7; --seed 7 chooses the same again\nours / peer [B/s]\n")
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


def test_sizes_are_drawn_by_the_seed(run: Lab, compared: Plan, results: Path) -> None:
    def sizes(seed: int) -> dict[str, tuple[int, ...]]:
        return {each.name: each.sizes("exact") for each in drawn(compared, seed).experiment.series}

    first = sizes(7)
    assert first == sizes(7) != sizes(8)
    assert first["ours"] == first["peer"] and "netpipe" not in first and "mpi" not in first
    assert all(1 < size < 65536 and size.bit_count() > 1 for size in first["ours"])
    run("--seed", 7)
    assert not {str(size) for size in first["ours"]} & {
        line.split(",")[5] for line in (results / "small.csv").read_text().splitlines()
    }


def test_reference_tools_can_run_at_any_drawn_size() -> None:
    """perftest sends whole post lists only."""
    plan = planned(EXPERIMENTS / "bench.toml")
    for seed in range(100):
        for each in drawn(plan, seed).planned:
            request = each.trial.request
            if each.series.tool.whole_lists:
                assert all(counts.iterations % request.parameters.peer_post_list == 0 for counts in request.counts)
