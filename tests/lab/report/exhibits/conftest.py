"""Exhibits of the reference's data, with a gallery of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.report.exhibits.core import Exhibits, Gallery

MakeExhibits = Callable[[str], Exhibits]


@pytest.fixture
def exhibits_of(tmp_path: Path) -> MakeExhibits:
    return lambda experiment: Exhibits(numbers_of(experiment), Gallery(tmp_path))
