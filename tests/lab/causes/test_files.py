"""Functions of files by what their pages hold: lab.causes.{files,tally}, with a program that gcc makes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from lab.causes.symbols import (
    POLLING,
    TWICE,
    UNNAMED,
    VDSO,
    CodeFiles,
    CodePage,
    Executed,
    Function,
    Symbols,
    codes,
    of_kernel,
    parse_kernel,
)

SOURCE = "int twice(int n) { return 2 * n; } int main(int n, char **v) { return twice(n) + !v; }"
KERNEL = parse_kernel("ffffffff81000100 T memcpy\n")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("program") / "doubler"
    subprocess.run(["gcc", "-x", "c", "-o", file, "-"], input=SOURCE, text=True, check=True)
    return file


def place_of(program: Path, name: str) -> int:
    """Where in the file a function begins."""
    with program.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbol = next(each for each in table.iter_symbols() if each.name == name)
        return int(next(elf.address_offsets(symbol["st_value"], 1)))


def page_with(program: Path, place: int) -> bytes:
    start = place // 4096 * 4096
    return program.read_bytes()[start : start + 4096].ljust(4096, b"\0")


def tally_of(files: CodeFiles, page: CodePage) -> dict[Function, int]:
    executed = sum(page.counts.values())
    return {each: n for each, n in Symbols(KERNEL, files).tally(Executed(executed, (page,))).items() if n}


def test_a_page_is_of_its_file_wherever_a_process_has_it(program: Path) -> None:
    files, place = CodeFiles(codes({"bin/doubler": program.read_bytes()})), place_of(program, "twice")
    page = CodePage(0x7F0000123000, page_with(program, place), {place % 4096: 3, place % 4096 + 4: 2})
    assert tally_of(files, page) == {Function("doubler", "twice"): 5}


def test_code_without_a_name_is_its_files(program: Path) -> None:
    subprocess.run(["strip", "-o", bare := program.with_name("bare"), program], check=True)
    place = place_of(program, "twice")
    page = CodePage(0x5000, page_with(bare, place), {place % 4096: 1})
    assert tally_of(CodeFiles(codes({"bare": bare.read_bytes()})), page) == {Function("bare", UNNAMED): 1}


def test_code_of_no_file_is_what_the_kernel_gives_each_process(program: Path) -> None:
    files = CodeFiles(codes({"bin/doubler": program.read_bytes(), "etc/hosts": b"127.0.0.1", "bin/broken": b"\x7fELF"}))
    assert tally_of(files, CodePage(0x7FFF0000, b"\x90" * 4096, {0: 7})) == {Function(VDSO, VDSO): 7}


def test_of_programs_with_the_same_page_the_one_that_ran_elsewhere_too_is_taken(program: Path) -> None:
    place = place_of(program, "twice")
    shared = page_with(program, place)
    files = CodeFiles(codes({"a": program.read_bytes(), "b": program.read_bytes()}))
    own = bytes(4096)
    files.pages[own] = [(files.pages[shared][1][0], 0)]
    assert files.places([shared])[shared][0].name == "a"
    assert files.places([shared, own])[shared][0].name == "b"


def test_what_begins_again_after_a_page_fault_is_taken_away() -> None:
    page = CodePage(0xFFFFFFFF81000000, b"", {0x100: 10})
    tally = Symbols(KERNEL, CodeFiles(codes({}))).tally(Executed(9, (page,)))
    assert tally == {of_kernel("memcpy"): 10, TWICE: -1}


def test_polls_that_found_nothing_are_of_no_function() -> None:
    page = CodePage(0xFFFFFFFF81000000, b"", {0x100: 10}, {0x100: 7})
    tally = Symbols(KERNEL, CodeFiles(codes({}))).tally(Executed(10, (page,)))
    assert +tally == {of_kernel("memcpy"): 3, POLLING: 7}
