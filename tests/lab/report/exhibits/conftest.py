"""Exhibits of results/reference, each with an empty gallery."""

from collections.abc import Callable

import pytest
from tests.lab.report.laboratory import numbers_of

from lab.report.exhibits.core import Exhibits


@pytest.fixture
def exhibits_of() -> Callable[[str], Exhibits]:
    return lambda experiment: Exhibits(numbers_of(experiment), {})
