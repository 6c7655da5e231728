"""Where things are, as they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.places import from_here


def test_a_file_is_named_as_one_would_type_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert from_here(tmp_path / "report" / "x.pdf") == Path("report/x.pdf")
    assert from_here(tmp_path.parent / "x.pdf") == tmp_path.parent / "x.pdf"
