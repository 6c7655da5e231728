import re
from pathlib import Path

import pytest

from lab import places
from lab.places import ROOT


def test_any_change_of_code_or_texts_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "ROOT", tmp_path)
    seen = set()
    for part in places.PARTS:
        assert (ROOT / part).exists()
        place = tmp_path / part if "." in part else tmp_path / part / "deep" / "file.c"
        place.parent.mkdir(parents=True, exist_ok=True)
        for content in ("one", "other"):
            place.write_text(content)
            seen.add(made())
    assert len(seen) == 2 * len(places.PARTS) and all(re.fullmatch(r"1\.0\.0\+[0-9a-f]{12}", each) for each in seen)


def test_what_is_made_of_code_is_no_part_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "ROOT", tmp_path)
    (tmp_path / "code" / "lab").mkdir(parents=True)
    before = made()
    (tmp_path / "code" / "lab" / "cli.pyc").write_text("made")
    (tmp_path / "code" / "lab" / ".cli.py.swp").write_text("open")
    assert made() == before


def made() -> str:
    places.exact_version.cache_clear()
    try:
        return places.exact_version()
    finally:
        places.exact_version.cache_clear()


def test_a_version_covers_the_modelled_card_and_the_locked_packages() -> None:
    parts = [ROOT / part for part in places.PARTS]
    for file in ("code/card/device/qp.c", "code/setup/requirements.txt", "experiments/cards/qdr.toml"):
        assert any((ROOT / file).is_relative_to(part) for part in parts) and (ROOT / file).is_file()
