"""`lab adopt`: guess an experiment from a folder of programs, write its file, and run one small trial."""

import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lab.cli.measure import open_shop, run_remaining, say_failures, say_interrupted, write_table
from lab.cli.results import BINARY, Output, number_named, outputs, printed_outputs
from lab.cli.sources import (
    CLIENT,
    CPP,
    MAIN,
    OPERATIONS,
    SERVER,
    arguments,
    binaries_of_make,
    build_of_cmake,
    command_of_make,
    compile_line,
    iterations_of,
    port_of,
    size_of,
    with_argv,
)
from lab.errors import SpecError
from lab.files.storage import write_text
from lab.machine.results import NAMES
from lab.places import from_here
from lab.plan.builds import source_files
from lab.plan.planning import Workshop
from lab.programs.program import Build
from lab.records.record import record_folder
from lab.records.table import make_table
from lab.run.run import RunSummary

TEMPLATE = """\
title = "{name}"
question = "How fast is {name}?"

[parameters]
sizes = "{sizes}" # a small trial
iterations = {iterations} # as many as the program sends
warmup = 0
repetitions = 1
deadline_s = 20 # of the site's clock, for all sizes

[programs.{name}]
folder = "{folder}"
{program}

[[series]]
name = "{name}"
program = "{name}"
operation = "{operation}"
measure = "{measure}"
"""
LOOP = re.compile(r"while\s*\(\s*(?:1|true)\s*\)|for\s*\(\s*;\s*;\s*\)")

Guess = tuple[str, str]  # a line of the experiment, and its reason


class Folder:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def files(self) -> dict[str, str]:
        texts = {name: content.decode(errors="replace") for name, content in source_files(Build((), self.folder))}
        return {name: with_argv(text) for name, text in texts.items()}

    @cached_property
    def mains(self) -> dict[str, str]:
        return {name: text for name, text in self.files.items() if name.endswith((".c", *CPP)) and MAIN.search(text)}

    @cached_property
    def code(self) -> str:
        return "\n".join(text for name, text in self.files.items() if name.endswith((".c", ".h", ".hpp", *CPP)))

    def build(self) -> tuple[str, list[str]]:
        """The build command and the names of the binaries."""
        for name in ("Makefile", "makefile", "GNUmakefile"):
            if name in self.files:
                return command_of_make(self.files[name]), binaries_of_make(self.files[name], self.mains)
        for name, text in self.files.items():
            if name.endswith("CMakeLists.txt"):
                return build_of_cmake(text, self.files, Path(name).parent, self.code)
        lines = [compile_line(Path(name).stem, [name], self.code) for name in self.mains]
        return " && ".join(lines), [Path(name).stem for name in self.mains]

    def data(self) -> list[str]:
        """The files of the folder that the programs open."""
        opened = dict.fromkeys(re.findall(r'open\s*\(\s*"([\w./-]+)"', self.code))
        return [name for name in opened if (self.folder / name).is_file()]

    def source_of(self, binary: str) -> str:
        """The source of a binary's main(): the one that is called like it, or a part of it, else the first."""
        stems = {Path(name).stem: text for name, text in self.mains.items()}
        part = (text for stem, text in stems.items() if stem in binary)
        return stems.get(Path(binary).stem) or next(part, next(iter(stems.values()), ""))


@dataclass(frozen=True)
class Tried:
    """What a trial of the guesses showed: the outputs of both ends, and why it failed."""

    client: str = ""
    server: str = ""
    failure: str = ""


def experiment_of(source: Folder, tried: Tried = Tried()) -> tuple[str, list[Guess]]:
    """The text of the experiment, and the guesses about its program: by its sources, and by a trial of them."""
    build, binaries = source.build()
    if not binaries:
        scripts = ", ".join(sorted(each.name for each in source.folder.glob("*.py")))
        what = f"{scripts}: no site has Python for programs under test" if scripts else "no program was found"
        raise SpecError(what, file=source.folder, hint="a Makefile, or a source in C or C++ with main()")
    server = next((name for name in binaries if SERVER.search(name)), binaries[0])
    client = next((name for name in binaries if CLIENT.search(name)), binaries[-1] if len(binaries) == 2 else server)
    servers, clients = source.source_of(server), source.source_of(client)
    alone = servers == clients
    serve = [Path(server).name, *arguments(servers, "server", source.code, alone=alone)]
    call = [Path(client).name, *arguments(clients, "client", source.code, alone=alone)]
    names = ", ".join(map(quoted, dict.fromkeys((server, client, *source.data()))))
    guesses = [(f"build = {quoted(build)}", "from its Makefile, CMakeLists.txt or sources")]
    guesses += [(f"binaries = [{names}]", "made by the build, or opened by the program")]
    if "mpi.h" in source.code:
        guesses += [('mpi = "tcp"', "it includes mpi.h")]
    else:
        call = with_host(call, source, servers, serve)
        guesses += readiness(source, servers, serve, call)
    if re.search(r"infiniband/verbs\.h|rdma/rdma", source.code) and "{device}" not in serve:
        guesses += [("rdma = true", "it includes infiniband/verbs.h or rdma_cma.h")]
    if LOOP.search(servers) or "the server did not end before" in tried.failure:
        guesses += [("server_stays = true", "its server has a loop without an end")]
    guesses += [(f"{end} = {quoted(' '.join(words))}", HEARD) for end, words in (("server", serve), ("client", call))]
    output, printed = output_of_program([*outputs(clients), *outputs(source.code)], tried)
    named = bool(re.search(r"\{sizes?\}", " ".join(serve + call)))
    guesses += reading(output, source.code, by_server=printed == tried.server != "")
    if output and not named and output.has_size:
        guesses.append((STAYS, "it chooses its sizes, and may go on"))
    elif output and (ENDLESS in tried.failure or (LOOP.search(clients) and not alone)):
        guesses.append((STAYS, "its client has a loop without an end"))
    name = re.sub(r"[^a-z0-9_]+", "_", source.folder.name.lower()).strip("_0123456789") or "mine"
    text = TEMPLATE.format(
        name=name,
        folder=source.folder.name,
        program="\n".join(f"{line} # {reason}" for line, reason in guesses),
        sizes="64,4K" if named else sizes_of(output, source.code, printed),
        iterations=100 if "{iterations}" in " ".join(call) else iterations_printed(source.code, printed),
        operation=next((name for name, pattern in OPERATIONS.items() if re.search(pattern, source.code)), "send"),
        measure=output.measure if output else "throughput",
    )
    return text, guesses


def output_of_program(known: list[Output], tried: Tried) -> tuple[Output | None, str]:
    """The output to read, and the text that has it: one of the sources if the trial printed it, else one printed."""
    for text in filter(None, (tried.client, tried.server)):
        if found := next((output for output in known if re.search(output.pattern, text)), None):
            return found, text
        if printed := printed_outputs(text):
            return printed[0], text
    return next(iter(known), None), ""


def sizes_of(output: Output | None, code: str, printed: str) -> str:
    """The sizes of a program that chooses them: those that it printed, else those that its sources name."""
    if not (output and output.has_size):
        return str(number_named(printed, "size|bytes") or size_of(code))
    sizes = dict.fromkeys(match["size"].replace(" ", "") for match in re.finditer(output.pattern, printed))
    return ",".join(list(sizes)[:4]) if sizes and not {"64", "4096"} & set(sizes) else "64,4K"


def iterations_printed(code: str, printed: str) -> int:
    return number_named(printed, "iterations|iters|messages|packets|count|repetitions") or iterations_of(code)


ENDLESS = "the client did not end before the deadline"
STAYS = "client_stays = true"
HEARD = "from its options, its use of argv, its usage text"


def with_host(call: list[str], source: Folder, servers: str, serve: list[str]) -> list[str]:
    """The client's command with its server's address, and its port if the server chooses it."""
    call = call if "{host}" in call else [*call, "{host}"]
    if "{port}" in serve or "{port}" not in call:
        return call
    port = "" if re.search(r"getsockname|rdma_get_src_port", servers) else port_of(source.code)
    return [word.replace("{port}", port or "{printed:port}") for word in call]


def readiness(source: Folder, servers: str, serve: list[str], call: list[str]) -> Iterator[Guess]:
    """The lines about the server's start and end."""
    port, sign = port_of(source.code), "cm" if re.search(r"rdma_listen|rdma_create_ep", servers) else "tcp"
    if "{port}" not in serve and "{printed:port}" not in call:
        known = (f"ready.{sign} = {port}", "the port in its sources")
        yield known if port else ("ready.after_s = 0.5", "no port was found in its sources")


def reading(output: Output | None, code: str, *, by_server: bool) -> Iterator[Guess]:
    if output is None:
        yield 'output = "none"', "no printf() has a number with a unit"
        return
    unit = output.binary_unit if BINARY.search(code) else output.unit
    yield 'output = "pattern"', "lines with a number and its unit"
    yield f"pattern = '{output.pattern}'", "its printf()"
    yield f'unit = "{unit}"', "its printf(), or its heading" if unit == output.unit else "it divides by 1024 * 1024"
    if output.size_unit:
        yield f'size_unit = "{output.size_unit}"', "the heading of its table"
    if by_server:
        yield 'printed_by = "server"', "its client printed no result"


def quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else f"'{text}'"


def adopt(options: Namespace) -> int:
    """Write the experiment of a folder, run it, and print what was seen and what to change."""
    if not options.folder.is_dir():
        raise SpecError("is not a folder", file=options.folder, hint="lab adopt FOLDER")
    folder = options.folder.resolve()
    file, source, text = folder.with_name(f"{folder.name}.toml"), Folder(folder), ""
    if file.exists():
        print(f"{from_here(file)}: used as it is; remove it to guess again")
    else:
        text, guesses = experiment_of(source)
        write_text(file, text)
        print(f"{from_here(file)}: written, by these guesses:", *map(shown, guesses), sep="\n  ", flush=True)
    shop, summary = run_file(file, options)
    if text and not summary.interrupted:
        (planned,) = shop.plans[0].planned
        better, more = experiment_of(source, tried(options.results, planned.trial.key, summary))
        if better != text:
            write_text(file, better)
            changed = [shown(guess) for guess in more if guess not in guesses]
            print(f"{from_here(file)}: written again, by what it printed:", *changed, sep="\n  ", flush=True)
            shop, summary = run_file(file, options)
    if summary.interrupted:
        return say_interrupted(summary)
    if summary.failed:
        again = f"change {from_here(file)}, then: lab adopt {options.folder}"
        print(f"the trial failed, for the reason below; {again}", flush=True)
        return say_failures(summary)
    (plan,) = shop.plans
    for row in make_table(plan, options.results):
        rate = row.counts.get("completed_bytes_per_s") or row.counts.get("confirmed_bytes_per_s", 0)
        trip = row.counts.get("round_trip_ns")
        print(f"  {row.size_bytes} bytes: {f'{trip / 1000:.3f} us' if trip else f'{rate:,} B/s'}")
    print(f"measured: {from_here(write_table(plan, options.results))}; compare it with what the program prints")
    print(f"next: set sizes, iterations and repetitions in {from_here(file)}, then: lab run {from_here(file)} --report")
    return 0


def shown(guess: Guess) -> str:
    return f"{guess[0]}  ({guess[1]})"


def run_file(file: Path, options: Namespace) -> tuple[Workshop, RunSummary]:
    shop = open_shop([file], options)
    return shop, run_remaining(shop, options.results, options.jobs)


def tried(results: Path, key: str, summary: RunSummary) -> Tried:
    """What a trial printed, from its record or from the evidence of its failure."""
    folder = results / "failed" / key if summary.failed else record_folder(results, key)
    client, server = (file.read_text() if (file := folder / f"{end}.log").exists() else "" for end in NAMES)
    return Tried(client, server, " ".join(what for _, what in summary.failed))
