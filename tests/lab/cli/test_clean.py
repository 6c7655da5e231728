"""Sizes of the parts of a checkout, and what `lab clean` removes of them."""

import os
from pathlib import Path

import pytest
from tests.lab.conftest import Lab

from lab.cli import clean

KEPT = (
    "results/records/ab/x",
    ".cache/grade/results/x",
    ".cache/image/imported/vmlinuz",
    "code/lab/x.py",
    "submission/ada.pdf",
    "elsewhere/venv",
)
MADE = {
    "packages": ".cache/packages/1.deb",
    "image": ".cache/image/0a/initrd",
    "reports": "report/x.pdf",
    "figures": ".cache/grade/rebuilt/x.pdf",
}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (*KEPT, *MADE.values()):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"x" * 2_000_000)
    (tmp_path / ".venv").symlink_to("elsewhere")
    monkeypatch.setattr(clean, "ROOT", tmp_path)
    return tmp_path


def left(checkout: Path) -> set[str]:
    return {name for name in (*KEPT, *MADE.values(), ".venv") if os.path.lexists(checkout / name)}


def test_parts_are_listed_with_their_sizes_and_stay(lab: Lab, checkout: Path) -> None:
    os.link(checkout / MADE["packages"], checkout / ".cache/packages/2.deb")
    os.truncate(checkout / MADE["image"], 1_000_000_000)  # a hole
    sizes = {line.split()[2]: float(line.split()[0]) for line in lab("clean").out.splitlines()[:-1]}
    assert sizes.keys() == clean.PARTS.keys() | clean.KEPT.keys()
    assert all(2 <= sizes[part] < 2.1 for part in MADE) and 4 <= sizes["records"] < 4.1 and sizes["compiler"] == 0
    assert left(checkout) == {*KEPT, *MADE.values(), ".venv"}


@pytest.mark.parametrize(
    ("arguments", "removed"),
    [
        (["packages", "image"], {MADE["packages"], MADE["image"]}),
        (["packages", "--yes"], {MADE["packages"]}),
        (["--yes"], {*MADE.values(), ".venv"}),
    ],
)
def test_named_parts_are_removed_or_all_that_can_be_made_again(
    lab: Lab, arguments: list[str], removed: set[str], checkout: Path
) -> None:
    assert lab("clean", *arguments).status == 0
    assert left(checkout) == {*KEPT, *MADE.values(), ".venv"} - removed


@pytest.mark.parametrize("name", clean.KEPT)
def test_records_and_an_imported_image_cannot_be_named(lab: Lab, name: str) -> None:
    assert f"no part is called '{name}' (one of packages, " in lab("clean", name).err
