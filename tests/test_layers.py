"""C files call each other, and folders include headers of each other, in one direction only."""

import re
import subprocess
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

CODE = Path(__file__).resolve().parents[1] / "code"
Graph = dict[str, set[str]]


@dataclass(frozen=True)
class Folder:
    """The layers are C files from the lowest up: a file calls files of lower layers only. `headers` are the other
    folders whose headers its files include."""

    layers: tuple[str, ...]
    headers: tuple[str, ...] = ()


FOLDERS = {
    "bench": Folder(
        (
            "die mpi_calls option_table pattern processor sizes span stable ticks windows",
            "buffer mpi_options null options output pings set_clock side verbs_options verbs_queue",
            "columns csv hello rule_table verbs_plan",
            "door explain verbs_address verbs_device",
            "rules verbs_connect watch",
            "stream verbs_receive",
            "verified",
            "bench rounds session tcp_bytes verbs_control",
            "sweep tcp_control tcp_streams verbs_send",
            "mpi_exchange program tcp verbs_pingpong",
            "verbs",
            "mpi_pingpong tcp_client tcp_server verbs_client verbs_server",
        )
    ),
    "card/device": Folder(
        (
            "costs grh memory object packet schedule",
            "notice port queue rate region",
            "cq engine gather",
            "answers completion congestion receive",
            "atomic message recovery",
            "requester responder",
            "qp",
            "arrival bell command",
            "card",
            "plug",
        ),
        headers=("card", "machine/pair"),
    ),
    "card/library": Folder(
        (
            "board pages poll real slots",
            "draft receive send",
            "events",
            "address channel pair pool queue region",
            "attributes context",
        ),
        headers=("card",),
    ),
    "card/module": Folder((), headers=("card",)),
    "machine/pair": Folder(
        (
            "checksum copies log options ring translations turns wire",
            "cut pair",
            "promise",
            "step",
            "clock netdev",
            "plugin",
        )
    ),
    "machine/switch": Folder(("addresses queue", "bridge", "main"), headers=("machine/pair",)),
    "machine/profile": Folder(("pages polls", "plugin")),
}
COMPILED = [name for name in FOLDERS if name != "card/module"]  # that one takes the kernel's headers


def calls(name: str, out: Path) -> Graph:
    """The files of a folder whose functions and objects each of its files uses."""
    symbols: dict[str, list[list[str]]] = {}
    includes = [f"-I{CODE / folder}" for folder in FOLDERS[name].headers]
    for source in (CODE / name).glob("*.c"):
        compiler = "mpicc" if source.stem.startswith("mpi_") else "gcc"
        target = out / f"{source.stem}.o"
        command = [compiler, "-std=gnu11", "-w", "-D_GNU_SOURCE", *includes, "-c", "-o", str(target), str(source)]
        subprocess.run(command, check=True)
        printed = subprocess.run(["nm", "--extern-only", target], capture_output=True, text=True, check=True).stdout
        symbols[source.stem] = [line.split()[-2:] for line in printed.splitlines()]
    home = {symbol: file for file, lines in symbols.items() for kind, symbol in lines if kind != "U"}
    return {
        file: {home[symbol] for kind, symbol in lines if kind == "U" and symbol in home}
        for file, lines in symbols.items()
    }


@pytest.mark.parametrize("name", COMPILED)
def test_a_c_file_calls_only_files_of_lower_layers(name: str, tmp_path: Path) -> None:
    folder = FOLDERS[name]
    graph = calls(name, tmp_path)
    level = {file: number for number, layer in enumerate(folder.layers) for file in layer.split()}
    assert sorted(level) == sorted(graph), "every C file has one layer"
    assert {(file, callee) for file in graph for callee in graph[file] if level[callee] >= level[file]} == set()


@pytest.mark.parametrize("name", FOLDERS)
def test_headers_are_included_one_way_and_from_known_folders_only(name: str) -> None:
    known = [CODE / folder for folder in (name, *FOLDERS[name].headers)]
    headers: Graph = {}
    for file in sorted((CODE / name).glob("*.[ch]")):
        paths = re.findall(r'^#include "(.*)"$', file.read_text(), re.MULTILINE)
        places = [next(p for f in (file.parent, *known) if (p := (f / path).resolve()).exists()) for path in paths]
        assert {place.parent for place in places} <= set(known), file.name
        if file.suffix == ".h":
            headers[file.name] = {place.name for place in places if place.parent == file.parent}
    TopologicalSorter(headers).prepare()  # raises CycleError
