"""Builds: in the sandbox or in the VM, cached by their sources, and of QEMU's plugins."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from tests import namespaces
from tests.lab.compiler import builds
from tests.lab.compiler.builds import CPP, HONEST

from lab.compiler import build, toolchain
from lab.compiler.build import MODULE, build_once, build_untrusted, built_before, built_plugin, card_file  # fmt: skip
from lab.compiler.compilation import FAILED, Compilation
from lab.compiler.guest import Guest
from lab.errors import SiteError
from lab.files import bounded
from lab.machine import runner
from lab.places import CACHE, MACHINE, ROOT
from lab.supply import lock
from lab.supply.packages import SupplyError

IN_THE_VM = """
from tests.lab.compiler.builds import CPP, HONEST
from lab.compiler.build import build_untrusted
program = build_untrusted({0}.files, {0}.command, {0}.wanted, print)["mine"]
print(program == open("{1}", "rb").read())
"""


IN_VM = "compiling inside the VM (slower, first run only)"


@pytest.mark.usefixtures("users_namespaces")
@pytest.mark.parametrize("name", ["HONEST", pytest.param("CPP", marks=pytest.mark.release)])
def test_without_namespaces_the_vm_compiles_the_same_bytes_and_a_message_says_so(tmp_path: Path, name: str) -> None:
    task = getattr(builds, name)
    (tmp_path / "mine").write_bytes(build_untrusted(task.files, task.command, task.wanted, print)["mine"])
    command = [*namespaces.WITHOUT, sys.executable, "-c", IN_THE_VM.format(name, tmp_path / "mine")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *lines, equal = done.stdout.splitlines()
    assert any(line.startswith(f"{IN_VM}: no sandbox on this host: bwrap: ") for line in lines)
    assert equal == "True"


@pytest.mark.usefixtures("users_namespaces")
def test_a_makefile_that_asks_for_more_makes_the_same_program() -> None:
    asking = HONEST.files["Makefile"].replace(b"-O2", b"-O2 -march=native -mtune=native")
    asking = b"CC = clang\n" + asking.replace(b"-lm", b"`pkg-config --libs libm`")
    files = (HONEST.files, {**HONEST.files, "Makefile": asking})
    programs = [build_untrusted(each, HONEST.command, HONEST.wanted, print)["mine"] for each in files]
    assert programs[0] == programs[1]


@pytest.mark.usefixtures("users_namespaces")
def test_openmp_has_one_thread() -> None:
    source = b"""#include <omp.h>
int main(void) {
#pragma omp parallel for
	for (int i = 0; i < 3; i++) if (omp_get_thread_num() || omp_get_wtime() < 0) return 1;
	return omp_get_max_threads() - 1;
}
"""
    command = ("gcc", "-std=c11", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-o", "mine", "mine.c")
    assert build_untrusted({"mine.c": source}, command, ("mine",), print)["mine"].startswith(b"\x7fELF")


@pytest.mark.usefixtures("users_namespaces")
def test_mpi_with_threads_calls_what_the_cpu_of_the_vm_can() -> None:
    source = b"#include <mpi.h>\nint main(int n, char **v) { int got; return MPI_Init_thread(&n, &v, 3, &got); }\n"
    command = ("mpicc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-o", "mine", "mine.c")
    program = build_untrusted({"mine.c": source}, command, ("mine",), print)["mine"]
    assert b"MPI_Init\0" in program and b"MPI_Init_thread\0" not in program


@pytest.mark.usefixtures("users_namespaces")
def test_a_host_without_bubblewrap_compiles_in_the_bundled_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = build_untrusted(HONEST.files, HONEST.command, HONEST.wanted, print)
    for folder in reversed(os.get_exec_path()):  # every command of this host but bubblewrap
        for command in Path(folder).glob("*"):
            (tmp_path / command.name).unlink(missing_ok=True)
            (tmp_path / command.name).symlink_to(command)
    (tmp_path / "bwrap").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(Guest, "run", lambda *_: pytest.fail("compiled in the VM"))
    assert build_untrusted(HONEST.files, HONEST.command, HONEST.wanted, print) == expected


def test_a_host_that_cannot_compile_does_not_blame_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> tuple[int, bytes]:
        raise SupplyError("no package source has gcc")

    monkeypatch.setattr(build, "run", fail)
    with pytest.raises(SiteError, match="this computer cannot compile safely: no package source has gcc"):
        build_untrusted({}, ("make",), ("mine",), print)


TASK = Compilation({"mine.c": b"int main;"}, ("make",), ("out/mine",))


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The compiler and the section of each task that ran, by a compiler that copies the first source."""
    ran = list[tuple[str, str]]()

    def run(task: Compilation, _machine: Path, _cache: Path, _tell: object, section: str = "") -> tuple[int, bytes]:
        ran.append((task.command[0], section))
        return 0, bounded.pack(dict.fromkeys(task.wanted, next(iter(task.files.values()))))

    monkeypatch.setattr(build, "run", run)
    monkeypatch.setattr(toolchain, "place", lambda *_: tmp_path / "toolchain")
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "plugin.c").write_text("int main;\n")
    return ran


def test_a_build_runs_once_for_the_same_sources_command_and_compiler(
    tmp_path: Path, runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(task: Compilation) -> bytes:
        return build_once(task, tmp_path, tmp_path, print)["out/mine"]

    other = replace(TASK, files={"mine.c": b"int other;"})
    assert [made(task) for task in (TASK, TASK, other)] == [b"int main;", b"int main;", b"int other;"]
    made(replace(TASK, command=("make", "-s")))
    monkeypatch.setattr(toolchain, "place", lambda *_: tmp_path / "newer")
    made(TASK)
    assert len(runs) == 4


def test_an_earlier_build_is_found_without_running_another_and_a_damaged_one_runs_again(
    tmp_path: Path, runs: list[object]
) -> None:
    assert built_before(TASK, tmp_path, tmp_path) == {} and not runs
    build_once(TASK, tmp_path, tmp_path, print)
    assert built_before(TASK, tmp_path, tmp_path) == {"out/mine": b"int main;"}
    assert built_before(replace(TASK, files={"mine.c": b"int other;"}), tmp_path, tmp_path) == {} and len(runs) == 1
    (program,) = tmp_path.glob("built/*/out/mine")
    program.write_bytes(b"damaged")
    assert build_once(TASK, tmp_path, tmp_path, print)["out/mine"] == b"int main;" and len(runs) == 2


def test_cpp_sources_and_optimised_links_alone_need_the_compiler_of_cpp() -> None:
    named = [build.place(task, MACHINE, CACHE) for task in (HONEST, CPP)]
    c, cpp = (toolchain.place(MACHINE, CACHE, section).name for section in ("", lock.CPP))
    assert [build.language(task) for task in (HONEST, CPP)] == ["", lock.CPP] and len({c, cpp, *named}) == 4
    makefile = HONEST.files["Makefile"].replace(b"-O2", b"-O2 -flto")
    for optimised in ({"command": (*HONEST.command, "CC=gcc -flto")}, {"files": {"Makefile": makefile}}):
        assert build.language(replace(HONEST, **optimised)) == lock.CPP


def test_a_plugin_is_compiled_once_for_each_source_and_host(
    tmp_path: Path, runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "section", lambda: lock.section(lock.RUNNER, "amd64"))
    first = built_plugin(tmp_path, tmp_path, print)
    assert built_plugin(tmp_path, tmp_path, print) == first
    (tmp_path / "pair" / "layout.h").write_text("enum { ENDS = 3 };\n")
    other = built_plugin(tmp_path, tmp_path, print)
    monkeypatch.setattr(runner, "section", lambda: lock.section(lock.RUNNER, "arm64"))
    assert len({first, other, built_plugin(tmp_path, tmp_path, print)}) == 3
    assert runs == [("gcc", ""), ("gcc", ""), ("aarch64-linux-gnu-gcc-12", "cross arm64")]


def test_a_plugin_or_card_that_does_not_compile_is_an_error_and_leaves_nothing(
    tmp_path: Path, runs: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "run", lambda *_: (FAILED, b"plugin.c:1: error: not C\n"))
    with pytest.raises(SiteError, match=r"the plugin does not compile: .*plugin\.c:1: error: not C"):
        built_plugin(tmp_path, tmp_path, print)
    with pytest.raises(SiteError, match=r"the modelled card's \S+ does not compile: .*error: not C"):
        card_file(MODULE, MACHINE, tmp_path, print)
    left = [file.name for kind in ("plugin", "card") for file in (tmp_path / kind).iterdir()]
    assert not runs and left == ["lock", "lock"]


@pytest.mark.parametrize(
    ("host", "processor"), [("amd64", "x64"), pytest.param("arm64", "AArch64", marks=pytest.mark.release)]
)
def test_the_locked_compiler_makes_the_plugin_for_every_host(host: str, processor: str, tmp_path: Path) -> None:
    (tmp_path / "it").write_bytes(
        build.compiled_plugin(MACHINE, CACHE, lock.section(lock.RUNNER, host), lambda _: None)
    )
    with (tmp_path / "it").open("rb") as file:
        elf = ELFFile(file)
        symbols = elf.get_section_by_name(".dynsym")
        assert elf.get_machine_arch() == processor and isinstance(symbols, SymbolTableSection)
        exported = {symbol.name for symbol in symbols.iter_symbols() if symbol["st_shndx"] != "SHN_UNDEF"}
    assert {"qemu_plugin_install", "qemu_plugin_version"} <= exported
