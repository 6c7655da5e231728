"""Which C file calls which, by the symbols of their objects: the calls go one way."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "code" / "bench"
OBJECTS = ROOT / ".cache" / "bench"
Graph = dict[str, set[str]]


def symbols(file: Path) -> Iterator[tuple[str, str]]:
    """The global symbols of an object with the letter of their kind; U is one that another file defines."""
    lines = subprocess.run(["nm", "--extern-only", file], capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        *_, kind, name = line.split()
        yield kind, name


def graph_of(objects: list[Path]) -> Graph:
    """The files whose functions and objects each file uses."""
    found = {file.stem: list(symbols(file)) for file in objects}
    home = {name: stem for stem, all_of_it in found.items() for kind, name in all_of_it if kind != "U"}
    return {stem: {home[name] for kind, name in used if kind == "U" and name in home} for stem, used in found.items()}


def circle_in(graph: Graph) -> list[str]:
    """The files of one circle, the first again at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def test_no_c_file_is_called_back_by_one_that_it_calls() -> None:
    subprocess.run(["make", "-s", "-C", SOURCES], check=True)
    graph = graph_of([file for file in OBJECTS.glob("*.o") if (SOURCES / f"{file.stem}.c").exists()])
    assert {"program", "verbs_send", "tcp", "mpi_pingpong"} <= set(graph), "these objects are not the programs'"
    assert circle_in(graph) == []


def test_a_circle_is_named_by_its_files(tmp_path: Path) -> None:
    for name, calls in (("send", "receive"), ("receive", "wait"), ("wait", "send"), ("main", "send")):
        source = tmp_path / f"{name}.c"
        source.write_text(f"void {calls}(void);\nvoid {name}(void);\nvoid {name}(void)\n{{\n\t{calls}();\n}}\n")
        subprocess.run(["gcc", "-c", "-o", source.with_suffix(".o"), source], check=True)
    assert set(circle_in(graph_of(list(tmp_path.glob("*.o"))))) == {"send", "receive", "wait"}
