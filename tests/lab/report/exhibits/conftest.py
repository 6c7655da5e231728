"""Exhibits of results/reference, each with an empty gallery."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.report.laboratory import numbers_of

from lab.report.exhibits.core import Exhibits, Gallery


@pytest.fixture
def exhibits_of(tmp_path: Path) -> Callable[[str], Exhibits]:
    return lambda experiment: Exhibits(numbers_of(experiment), Gallery(tmp_path))
