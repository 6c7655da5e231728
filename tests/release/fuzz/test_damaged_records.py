"""Whatever lies in a results folder, a command that reads it ends with 0, 1 or 2 and a sentence."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.release.fuzz.mutate import Damage
from tests.release.fuzz.test_damaged_files import ends_well, on_the_fake_site, share

from lab.cli import main

__all__ = ["ends_well", "on_the_fake_site"]  # fixtures
EXPERIMENT = """title = "Two peers"
question = "Are they read?"
[parameters]
sizes = "64,1K"
iterations = 40
repetitions = 2
[[series]]
name = "peer"
program = "ib_write_bw"
operation = "write"
measure = "throughput"
[[series]]
name = "iperf"
program = "iperf3"
operation = "send"
measure = "throughput"
"""


@pytest.fixture
def measured(tmp_path: Path, on_the_fake_site: None) -> Path:
    """A folder with an experiment and its records."""
    del on_the_fake_site
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "x.toml").write_text(EXPERIMENT)
    results = str(whole / "results")
    assert main.main(["run", str(whole / "x.toml"), "--site", "exact", "--results", results]) == 0
    assert main.main(["query", str(whole / "x.toml"), "--site", "exact", "--results", results]) == 0
    return whole


@share(0.35)
@given(data=st.data())
def test_damaged_results(data: st.DataObject, tmp_path: Path, measured: Path, ends_well: Callable[..., int]) -> None:
    """Any file of a results folder: records, samples, tables, stamps, what is kept of them; or it is gone."""
    damage = Damage(data.draw)
    folder = tmp_path / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(measured, folder)
    results = folder / "results"
    files = sorted(each for each in results.rglob("*") if each.is_file())
    file = files[damage.upto(len(files) - 1)]
    _spoil(file, damage)
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
