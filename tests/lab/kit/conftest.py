"""A kit of a small experiment."""

from pathlib import Path

import pytest
from tests.lab.hand_ins import ASSIGNMENT, EXPERIMENT

from lab.kit.kit import Kit, load_kit

HANDOUT = "# A small hand-out\n\n## Goal\n\nMeasure it: TCP has \\claim{tcp at 4K}.\n"


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    (tmp_path / "small.toml").write_text(EXPERIMENT)
    (tmp_path / "week1.toml").write_text(ASSIGNMENT)
    (tmp_path / "week1").mkdir()
    (tmp_path / "week1" / "handout.md").write_text(HANDOUT)
    return load_kit(str(tmp_path / "week1.toml"))
