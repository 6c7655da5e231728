"""Stamps of reports: lab.report.stamp."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.model import sizes
from lab.report import stamp
from lab.sites import site


@pytest.mark.parametrize("module", [sizes, site])
def test_a_report_is_made_again_after_a_change_of_any_module_that_it_prints(module: object) -> None:
    file = Path(str(getattr(module, "__file__", "")))
    assert file.suffix == ".py" and any(file.is_relative_to(folder) for folder in stamp.CODE)
