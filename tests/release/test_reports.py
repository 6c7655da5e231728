"""The six reports as a clone makes them, from the reference: every table fits its page."""

from pathlib import Path

import pytest

from lab.cli.main import main
from lab.places import EXPERIMENTS, REFERENCE


@pytest.mark.release
@pytest.mark.parametrize("file", sorted(REFERENCE.glob("*.csv")), ids=lambda file: file.stem)
def test_report_is_typeset_from_the_reference(file: Path, tmp_path: Path) -> None:
    experiment = str(EXPERIMENTS / f"{file.stem}.toml")
    assert main(["report", experiment, "--results", str(tmp_path / "none"), "--out", str(tmp_path)]) == 0
    assert (tmp_path / f"{file.stem}.pdf").read_bytes().startswith(b"%PDF")
