"""The plugin in the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.machine.plugin import PluginError, built
from lab.places import MACHINE


def test_it_is_compiled_once_for_each_source(tmp_path: Path) -> None:
    first = built(MACHINE, tmp_path)
    stamp = first.stat().st_mtime_ns
    assert built(MACHINE, tmp_path) == first
    assert first.stat().st_mtime_ns == stamp
    (tmp_path / "before_halt.c").write_text((MACHINE / "before_halt.c").read_text() + "/* another */\n")
    assert built(tmp_path, tmp_path) != first


def test_what_the_compiler_says_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "before_halt.c").write_text("not C\n")
    with pytest.raises(PluginError, match=r"before_halt\.c does not compile: .*error"):
        built(tmp_path, tmp_path)
    assert [each.name for each in (tmp_path / "plugin").iterdir()] == ["lock"]


def test_a_damaged_one_is_compiled_again(tmp_path: Path) -> None:
    file = built(MACHINE, tmp_path)
    content = file.read_bytes()
    file.write_bytes(b"\x7fELF" + content[5:])
    assert built(MACHINE, tmp_path) == file and file.read_bytes() == content
