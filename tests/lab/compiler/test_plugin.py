"""The plugin by the locked compiler, and where the cache has it: lab.compiler.plugins, lab.machine.runner."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from lab.compiler import build, plugins
from lab.compiler.compilation import FAILED, Compilation
from lab.compiler.plugins import PluginError, built_plugin
from lab.files import bounded
from lab.machine import runner
from lab.machine.runner import NAME
from lab.places import CACHE, MACHINE
from lab.supply import lock

Compiled = list[tuple[str, ...]]


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiled:
    """A source, and a compiler that notes how it is called."""
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "plugin.c").write_text("int main;\n")
    (tmp_path / "pair" / "layout.h").write_text("enum { ENDS = 2 };\n")
    calls = Compiled()

    def run(task: Compilation, *others: object) -> tuple[int, bytes]:
        calls.append((task.command[0], *map(str, others[3:])))
        return 0, bounded.pack({NAME: b"\x7fELF"})

    monkeypatch.setattr(build, "run", run)
    return calls


def test_it_is_compiled_once_for_each_source_and_host(
    tmp_path: Path, compiled: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "section", lambda: lock.runner("amd64"))
    first = built_plugin(tmp_path, tmp_path, print)
    assert built_plugin(tmp_path, tmp_path, print) == first
    (tmp_path / "pair" / "layout.h").write_text("enum { ENDS = 3 };\n")
    other = built_plugin(tmp_path, tmp_path, print)
    monkeypatch.setattr(runner, "section", lambda: lock.runner("arm64"))
    assert len({first, other, built_plugin(tmp_path, tmp_path, print)}) == 3
    assert compiled == [("gcc", ""), ("gcc", ""), ("aarch64-linux-gnu-gcc-12", "cross arm64")]


def test_what_the_compiler_says_is_told_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "plugin.c").write_text("not C\n")
    monkeypatch.setattr(build, "run", lambda *_: (FAILED, b"plugin.c:1: error: not C\n"))
    with pytest.raises(PluginError, match=r"the plugin does not compile: .*plugin\.c:1: error: not C"):
        built_plugin(tmp_path, tmp_path, print)
    assert [each.name for each in (tmp_path / "plugin").iterdir()] == ["lock"]


def test_a_damaged_one_is_compiled_again(tmp_path: Path, compiled: Compiled) -> None:
    file = built_plugin(tmp_path, tmp_path, print)
    file.write_bytes(b"damaged")
    assert built_plugin(tmp_path, tmp_path, print) == file and file.read_bytes() == b"\x7fELF"
    assert len(compiled) == 2


@pytest.mark.parametrize(("host", "processor"), [("amd64", "x64"), ("arm64", "AArch64")])
def test_the_locked_compiler_makes_it_for_every_host(host: str, processor: str, tmp_path: Path) -> None:
    (tmp_path / "it").write_bytes(plugins.compiled_plugin(MACHINE, CACHE, lock.runner(host), lambda _: None))
    with (tmp_path / "it").open("rb") as file:
        elf = ELFFile(file)
        assert elf.get_machine_arch() == processor
        assert {"qemu_plugin_install", "qemu_plugin_version"} <= exported(elf)


def exported(elf: ELFFile) -> set[str]:
    symbols = elf.get_section_by_name(".dynsym")
    assert isinstance(symbols, SymbolTableSection)
    return {each.name for each in symbols.iter_symbols() if each["st_shndx"] != "SHN_UNDEF"}
