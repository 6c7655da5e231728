"""Paths as they are shown, and the version of a checkout."""

import re
from pathlib import Path

import pytest

from lab import places
from lab.places import ROOT, from_here


def test_path_is_shown_relative_to_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert from_here(tmp_path / "report" / "x.pdf") == Path("report/x.pdf")
    assert from_here(tmp_path.parent / "x.pdf") == tmp_path.parent / "x.pdf"


def test_version_changes_with_code_and_texts_and_not_with_built_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "ROOT", tmp_path)
    versions, version = list[str](), places.exact_version.__wrapped__
    for part in places.PARTS:
        assert (ROOT / part).exists()
        file = tmp_path / part / "deep" / "file.c"
        file.parent.mkdir(parents=True)
        for content in ("one", "other"):
            file.write_text(content)
            versions.append(version())
    assert len(set(versions)) == len(versions) == 2 * len(places.PARTS)
    assert all(re.fullmatch(r"1\.0\.0\+[0-9a-f]{12}", text) for text in versions)
    (tmp_path / "code" / "cli.pyc").write_text("built")
    (tmp_path / "code" / ".cli.py.swp").write_text("open")
    assert version() == versions[-1]


@pytest.mark.parametrize("name", ["code/card/device/qp.c", "code/setup/requirements.txt", "experiments/cards/qdr.toml"])
def test_version_covers_the_modelled_card_and_the_locked_packages(name: str) -> None:
    assert (ROOT / name).is_file() and any((ROOT / name).is_relative_to(ROOT / part) for part in places.PARTS)
