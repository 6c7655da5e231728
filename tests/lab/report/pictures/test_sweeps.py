"""Maps of two parameters: lab.report.pictures.sweeps."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.figures import HeatMap
from lab.report.pictures.sweeps import sweeps


def test_a_map_of_two_parameters_has_all_sizes_below_each_other_each_over_its_own_first_values(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("write_parameters", tmp_path)
    drawn = {each.name: each.data for each in sweeps(evidence)}
    grid = drawn["lists.card.map"]
    assert isinstance(grid, HeatMap) and not any(name.startswith("lists.card.1") for name in drawn)
    assert grid.rows[:4] == ("1 B, 1", "1 B, 4", "1 B, 64", "256 B, 1") and len(grid.rows) == 4 * 3
    firsts = [line[0] for row, line in zip(grid.rows, grid.cells, strict=True) if str(row).endswith(", 1")]
    assert [first.value for first in firsts if first] == [1.0] * 4


def test_many_sizes_have_a_map_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[sweeps.__module__], "MOST_ROWS", 11)
    evidence = laboratory.evidence_of("write_parameters", tmp_path)
    names = {each.name for each in sweeps(evidence)}
    assert {"lists.card.1", "lists.card.4K", "inline.card.map"} <= names and "lists.card.map" not in names
