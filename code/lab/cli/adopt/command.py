"""`lab adopt`: guess an experiment from a folder of programs, write its file, and run one small trial."""

import json
import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path

from lab.cli.adopt.outputs import BINARY, MEAN, TURNS, Output, is_time, number_named, outputs, printed_outputs
from lab.cli.adopt.sources import (
    ADDRESS,
    CLIENT,
    CPP,
    MAIN,
    OPERATIONS,
    SERVER,
    TEXT,
    arguments,
    binaries_of_lines,
    binaries_of_make,
    build_of_cmake,
    command_of_make,
    compile_line,
    iterations_of,
    lacks_its_sources,
    list_of_hosts,
    port_of,
    ring_arguments,
    settings,
    shown_arguments,
    size_of,
    variables,
    with_argv,
)
from lab.cli.measure import open_shop, run_remaining, say_failures, say_interrupted, write_table
from lab.errors import SpecError
from lab.files.storage import write_text
from lab.machine.results import NAMES
from lab.places import from_here
from lab.plan.builds import source_files
from lab.plan.planning import Workshop
from lab.programs.printed import COLOUR, bytes_of
from lab.programs.program import Build
from lab.records.record import record_folder
from lab.records.table import make_table
from lab.run.run import RunSummary

TEMPLATE = """\
title = "{name}"
question = "How fast is {name}?"

[parameters]
sizes = "{sizes}" # {why_sizes}
iterations = {iterations} # at most as many as the program sends
warmup = 0
repetitions = 1
deadline_s = 10 # of the site's clock, for all sizes
{link}
[programs.{name}]
folder = "{folder}"
{program}

[[series]]
name = "{name}"
program = "{name}"
operation = "{operation}"
measure = "{measure}"
"""
LINK = """
[link]
computers = 2 # up to 16; a switch joins them
"""
SIZES, TRIAL, NO_SIZE = "64,4K", "a small trial", "a guess: no size is in its sources or its output"
CORRECTIONS = 3  # at most: by the failure of a trial, its sizes, and the failure with these
READ = ("", ".txt", ".conf", ".cfg", ".ini", ".config", ".json", ".list", ".hosts", ".env")
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
UNREAD_FILES = ("CMakeLists.txt", *MAKEFILES, "configure", "LICENSE", "README", "README.txt")
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
    def everything(self) -> str:
        return "\n".join(self.files.values())

    @cached_property
    def code(self) -> str:
        return "\n".join(self.files[name] for name in self.code_names)

    @property
    def in_turns(self) -> bool:
        """Whether the ends send in turns."""
        return bool(TURNS.search("\n".join((*self.code_names, self.code))))

    @property
    def code_names(self) -> list[str]:
        return [name for name in self.files if name.endswith((".c", ".h", ".hpp", *CPP))]

    def build(self) -> tuple[str, list[str]]:
        """The build command and the names of the binaries."""
        configures = "configure" in self.files
        makefiles = (*MAKEFILES, "Makefile.in") if configures else MAKEFILES

        def rank(name: str) -> tuple[int, int]:
            """The nearest first; of one folder Makefiles, then CMake, then scripts."""
            known = (*makefiles, "CMakeLists.txt", Path(name).name)
            return name.count("/"), known.index(Path(name).name)

        for name in sorted(self.files, key=rank):
            text, folder = self.files[name], Path(name).parent
            if Path(name).name in makefiles and not lacks_its_sources(text, folder, self.files):
                binaries = [str(folder / each) for each in binaries_of_make(text, self.mains)]
                make = command_of_make(text, folder)
                lines, others = self.other_end(binaries)
                return " && ".join(["sh configure"] * configures + [make, *lines]), [*binaries, *others]
            if name.endswith("CMakeLists.txt") and "add_executable" in text:
                return build_of_cmake(text, self.files, folder, self.code)
            if name.endswith(".sh") and (binaries := binaries_of_lines(text)):
                return f"sh {name}", binaries
        parts = [name for name in self.files if name.endswith((".c", *CPP)) and name not in self.mains]
        lines = [compile_line(Path(name).stem, [name, *parts], self.code) for name in self.mains]
        return " && ".join(lines), [Path(name).stem for name in self.mains]

    def other_end(self, binaries: list[str]) -> tuple[list[str], list[str]]:
        """The lines of the compiler for the end that a Makefile does not make, and its binary."""
        ends = [end for end in (SERVER, CLIENT) if not any(map(end.search, binaries))]
        stems = {name: Path(name).stem for name in self.mains}
        others = [name for name, stem in stems.items() if len(ends) == 1 and ends[0].search(stem)]
        return [compile_line(stems[name], [name], self.code) for name in others], [stems[name] for name in others]

    def data(self) -> list[str]:
        """The files of the folder that the programs open."""
        opened = dict.fromkeys(re.findall(r'"([\w./-]+\.\w+)"', self.code))
        known = {self.result_file, *self.files}
        return [name for name in opened if name not in known and (self.folder / name).is_file()]

    @cached_property
    def result_file(self) -> str:
        """The file that the programs write; empty without one."""
        if not re.search(r'fopen\s*\([^;]*,\s*"[wa]|ofstream', self.code):
            return ""
        named = re.findall(r'"([\w./-]+\.(?:csv|tsv|dat|txt|log|out))"', self.code)
        return next(iter(sorted(named, key=lambda name: (self.folder / name).exists())), "")

    @cached_property
    def lists(self) -> dict[str, str]:
        """The texts of files beside the sources that may be read: lists of hosts, settings."""
        beside = (file for file in sorted(self.folder.iterdir()) if file.is_file() and file.stat().st_size < 4096)
        names = {file.name: file.read_text(errors="replace") for file in beside if file.suffix in READ}
        return {name: text for name, text in names.items() if f'"{name}"' in self.code or name not in UNREAD_FILES}

    def source_of(self, binary: str) -> str:
        """The source of a binary's main(): the one that is called like it, or a part of it, else by most words of the
        name, else the first."""
        stems, name = {Path(name).stem: text for name, text in self.mains.items()}, Path(binary).stem
        words = {stem: len({*re.split("[-_]", stem)} & {*re.split("[-_]", name)}) for stem in stems}
        return stems[max(stems, key=lambda stem: (stem == name, stem in name, words[stem]))] if stems else ""


@dataclass(frozen=True)
class Tried:
    """What a trial of the guesses showed: the outputs of both ends, and why it failed."""

    client: str = ""
    server: str = ""
    failure: str = ""


@dataclass(frozen=True)
class Started:
    """How the programs of a folder are started: the lines of the experiment, all words of the commands, and the source
    with the main() that prints."""

    lines: list[Guess]
    words: list[str]
    main: str
    binaries: tuple[str, ...]
    files: dict[str, str]  # that they read, with placeholders
    is_ring: bool = False  # which has no server
    may_go_on: bool = False  # its client has a loop without an end

    @property
    def text(self) -> str:
        """All in which a placeholder may be."""
        return " ".join((*self.words, *self.files.values()))

    @property
    def names_sizes(self) -> bool:
        return "{size" in self.text


def experiment_of(source: Folder, tried: Tried = Tried()) -> tuple[str, list[Guess]]:
    """The text of the experiment, and the guesses about its program: by its sources, and by a trial of them."""
    build, binaries = source.build()
    if not binaries:
        scripts = ", ".join(sorted(each.name for each in source.folder.glob("*.py")))
        what = f"{scripts}: no site has Python for programs under test" if scripts else "no program was found"
        raise SpecError(what, file=source.folder, hint="a Makefile, or a source in C or C++ with main()")
    started = (
        started_in_ring(source, binaries, tried)
        or started_by_launcher(source, binaries)
        or started_as_pair(source, binaries, tried)
    )
    prints = partial(outputs, times=started.is_ring, in_turns=source.in_turns)
    printing = [*prints(started.main), *prints(source.code, times=False)]
    result_file = "" if printing else source.result_file
    known = prints(source.code, to_file=True) if result_file else printing
    output, printed = output_of_program(known, tried, times=started.is_ring)
    output = of_elements(output, source.code) if output and started.is_ring else output
    output = of_all(output, is_ring=started.is_ring, in_turns=source.in_turns) if output else None
    if output and started.names_sizes and OTHER_SIZE in tried.failure:
        output = replace(output, pattern=output.pattern.replace("(?P<size>", "(?:"), has_size=False)
    data = (name for name in source.data() if name not in started.files)
    names = ", ".join(map(quoted, dict.fromkeys((*started.binaries, *data))))
    guesses = [
        (f"build = {quoted(build)}", "from its Makefile, CMakeLists.txt or sources"),
        (f"binaries = [{names}]", "made by the build, or opened by the program"),
        *started.lines,
        *((f"files.{quoted(name)} = {quoted(text)}", "it reads it") for name, text in started.files.items()),
        *needs(source.code, started, tried),
        *([(f"result_file = {quoted(result_file)}", "it writes its results there")] if result_file else []),
        *reading(output, source.code, by_server=printed == tried.server != "", is_ring=started.is_ring),
        *([] if result_file else staying(started, output, printed and tried.failure)),
    ]
    return text_of(source, started, output, printed, tried, guesses), guesses


def started_in_ring(source: Folder, binaries: list[str], tried: Tried) -> Started | None:
    """One program on all computers, with its rank and the addresses of its peers as arguments, variables or a file."""
    for binary in binaries if "mpi.h" not in source.code else ():
        main = source.source_of(binary)
        assigned, words = ring_arguments(main, source.everything, tried.failure)
        files, words = with_files(source, words, list_of_hosts, HOSTS)
        used = " ".join((*assigned, *words, *files.values()))
        peers = "{addresses" in used or "{address}" in used
        knows_rank = "{rank}" in used or "{index}" in used
        others = peers or "{next}" in used or "{address:0}" in used or FIXED_LIST.search(source.code)
        if (peers and "gethostname" in source.code) or (knows_rank and others):
            words = [*assigned, Path(binary).name, *words]
            lines = [(f"each = {quoted(' '.join(words))}", HEARD)]
            return Started(lines, words, main, (binary,), files, is_ring=True)
    return None


def started_by_launcher(source: Folder, binaries: list[str]) -> Started | None:
    """An MPI program whose ranks do the same, in a collective operation or a ring."""
    same = NEXT_RANK if "infiniband/" in source.code else COLLECTIVE  # verbs need one for their start
    if "mpi.h" not in source.code or not same.search(source.code) or RANK_1.search(source.code):
        return None
    main = source.source_of(binaries[0])
    given = (word for word in arguments(main, "client", source.code, alone=False) if word != "{host}")
    words = [Path(binaries[0]).name, *given]
    lines = [('mpi = "tcp"', "it includes mpi.h"), (f"each = {quoted(' '.join(words))}", "all ranks do the same")]
    return Started(lines, words, main, (binaries[0],), {}, is_ring=True)


def with_files(
    source: Folder, words: list[str], template: Callable[[str], str], default: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The files that the programs read, as texts with placeholders, and the arguments with the name of one."""
    files = {name: text for name, each in source.lists.items() if (text := template(each))}
    named = {name: text for name, text in files.items() if f'"{name}"' in source.code}
    if "{file}" not in words:
        return named, words
    files = named or files or dict(default)
    first = next(iter((*files, *source.lists)), TEXT)
    words = [word.replace("{file}", first) for word in words]
    return {name: text for name, text in files.items() if name == first}, words


def started_as_pair(source: Folder, binaries: list[str], tried: Tried) -> Started:
    server = next((name for name in binaries if SERVER.search(name)), binaries[0])
    client = next((name for name in binaries if CLIENT.search(name)), binaries[-1] if len(binaries) == 2 else server)
    servers, clients = source.source_of(server), source.source_of(client)
    alone = servers == clients
    serve = arguments(servers, "server", source.code, alone=alone, failure=tried.failure)
    call = arguments(clients, "client", source.code, alone=alone)
    if MISUSED.search(tried.failure):
        readme = "\n".join(text for name, text in source.files.items() if name.endswith((".md", ".txt")))
        serve = shown_arguments(readme, Path(server).name, servers).get("server", serve)
        call = shown_arguments(readme, Path(client).name, clients).get("client", call)
    files, words = with_files(source, [*serve, "", *call], settings, {})
    serve, call = words[: len(serve)], words[len(serve) + 1 :]
    shared = "\n".join(text for name, text in source.files.items() if name not in source.mains)
    serve = [*assigned(servers + shared, alone=alone), Path(server).name, *serve]
    call = [*assigned(clients + shared, alone=False), Path(client).name, *call]
    lines: list[Guess] = []
    if "mpi.h" in source.code:
        lines += [('mpi = "tcp"', "it includes mpi.h")]
    else:
        texts = " ".join(files.values())
        call = with_host(call, source, servers, serve, texts)
        lines += readiness(source, servers, [*serve, texts], call)
        if LOOP.search(servers) or (SERVER_STAYS.search(tried.failure) and not CLIENT_FAILED.search(tried.failure)):
            lines += [("server_stays = true", "its server has a loop without an end")]
    lines += [(f"{end} = {quoted(' '.join(words))}", HEARD) for end, words in (("server", serve), ("client", call))]
    may_go_on = bool(LOOP.search(clients)) and not alone
    return Started(lines, serve + call, clients, (server, client), files, may_go_on=may_go_on)


def assigned(text: str, *, alone: bool) -> list[str]:
    """The variables of a program at one end; alone: the same program is also the other end, and knows by its host."""
    without = ("text", "file", "host") if alone else ("text", "file")
    return [f"{name}={{{role}}}" for name, role in variables(text).items() if role not in without]


def needs(code: str, started: Started, tried: Tried) -> Iterator[Guess]:
    """The lines about the device and the computer."""
    if re.search(r"infiniband/verbs\.h|rdma/rdma", code) and "{device}" not in started.words:
        yield "rdma = true", "it includes infiniband/verbs.h or rdma_cma.h"
    emulated = dict[str, str]()
    fault = GID_FAULT.search(tried.failure) and "{gid}" not in " ".join(started.words)
    has_gid = re.search(r"is_global\s*=\s*[^0\s]|\bsgid_index\b", code)
    if re.search(r"\bdlid\b", code) and (not has_gid or (NO_GID.search(code) and (fault or "query_gid" not in code))):
        emulated["lids"] = "its connections have LIDs, and no GID"
    elif fault:
        emulated["gids"] = "the index of its GID is another card's"
    if started.is_ring and "mpi.h" not in code and not re.search(r"\{(?:rank|index)\}", " ".join(started.words)):
        emulated["hostname"] = "it looks for its own name in the list"
    if emulated:
        yield f"emulate = [{', '.join(map(quoted, emulated))}]", "; ".join(emulated.values())


def staying(started: Started, output: Output | None, failure: str) -> Iterator[Guess]:
    """The line about a client that goes on; `failure` is that of a trial that printed a result."""
    if output is None or started.is_ring:
        return
    if output.has_size and not started.names_sizes:
        yield STAYS, "it chooses its sizes, and may go on"
    elif started.may_go_on or ENDLESS.search(failure):
        yield STAYS, "its client has a loop without an end"


def text_of(
    source: Folder, started: Started, output: Output | None, printed: str, tried: Tried, guesses: list[Guess]
) -> str:
    sizes, why = (SIZES, TRIAL) if started.names_sizes else sizes_of(output, source.code, printed)
    return TEMPLATE.format(
        name=re.sub(r"[^a-z0-9_]+", "_", source.folder.name.lower()).strip("_0123456789") or "mine",
        folder=source.folder.name,
        link=LINK if started.is_ring else "",
        program="\n".join(f"{line} # {reason}" for line, reason in guesses),
        sizes=sizes,
        why_sizes=why,
        iterations=iterations_of_program(source.code, started, output, printed, tried),
        operation=operation_of(source.code, started, tried),
        measure=output.measure if output else "throughput",
    )


def operation_of(code: str, started: Started, tried: Tried) -> str:
    """The operation that the sources name, else `send`; or `read`, if it is the server that sends all messages."""
    default = "read" if OTHER_WAY in tried.failure and "{iterations}" in started.text else "send"
    return next((name for name, pattern in OPERATIONS.items() if re.search(pattern, code)), default)


def of_elements(output: Output, code: str) -> Output:
    """The output of an all-reduce, whose count is the length of a vector: its size."""
    if output.has_size or "(?P<messages>" not in output.pattern:
        return output
    unit = "doubles" if re.search(r"all_?reduce\w*\s*\([^;]*double", code, re.IGNORECASE) else "ints"
    pattern = output.pattern.replace("(?P<messages>", "(?P<size>")
    return replace(output, pattern=pattern, has_size=True, size_unit=unit)


def of_all(output: Output, *, is_ring: bool, in_turns: bool) -> Output:
    """The output of a line with the time of all messages."""
    words = output.pattern.partition("(?P<value>")[0]
    if output.measure != "latency" or "/" in output.unit or MEAN.search(words) or not TOTAL.search(words):
        return output
    measure = "latency" if is_ring or in_turns else "throughput"
    return replace(output, pattern=output.pattern.replace("(?P<value>", "(?P<total>"), measure=measure)


def output_of_program(known: list[Output], tried: Tried, *, times: bool) -> tuple[Output | None, str]:
    """The output to read, and the text that has it: one of the sources if the trial printed it, else one printed."""
    for text in filter(None, (tried.client, tried.server)):
        for output in known:
            if match := re.search(output.pattern, text):
                is_latency = not output.unit and is_time(match["unit"])
                return replace(output, measure="latency") if is_latency else output, text
        if printed := printed_outputs(text, times=times):
            return printed[0], text
    return next(iter(known), None), ""


def sizes_of(output: Output | None, code: str, printed: str) -> tuple[str, str]:
    """The sizes of a program that chooses them: those that it printed, else those that its sources name."""
    if not (output and output.has_size):
        number = number_named(printed, "size|bytes")
        is_of_ranks = number == 2 and "mpi.h" in code
        named = size_of(code) if is_of_ranks or not number else str(number)
        return (named, TRIAL) if named else ("64", NO_SIZE)
    found = (match["size"] for line in printed.splitlines() if (match := re.search(output.pattern, line)))
    sizes = [size for text in dict.fromkeys(found) if (size := bytes_of(text, output.size_unit or "B"))]
    return ",".join(map(str, sizes[:4])) if sizes and not {64, 4096} <= set(sizes) else SIZES, TRIAL


def iterations_of_program(code: str, started: Started, output: Output | None, printed: str, tried: Tried) -> int:
    """The messages of a size: one, if the number in the sources was more than the program sent, or if its time of all
    is of no number."""
    names = "iterations|iters|messages|packets|count|repetitions|files?\\b"
    if "{iterations}" in started.text:
        return 100
    if number := number_named(printed, names):
        return number
    named, is_total = iterations_of(code), output is not None and "(?P<total>" in output.pattern
    return 1 if REFUTED in tried.failure or (is_total and not named) else named or 100


NEXT_RANK = re.compile(r"\(\s*\w+\s*\+\s*1\s*\)\s*%\s*\w+")
COLLECTIVE = re.compile(
    rf"MPI_(?:I?all(?:reduce|gather|toall)|I?bcast|reduce_scatter)\w*\s*\(|{NEXT_RANK.pattern}", re.IGNORECASE
)
# What a pair has: a rank 1, or a message to it.
RANK_1 = re.compile(
    r"MPI_\w*send\w*\s*\([^;]*,\s*1\s*,\s*[^,;]+,\s*MPI_COMM|rank\w*\s*==\s*1\b|\b1\s*-\s*\w*rank", re.IGNORECASE
)
REFUTED = "are reported, but"
OTHER_SIZE = "a size that is not in the request"
OTHER_WAY = "took another way"
TOTAL = re.compile(
    r"total|elapsed|overall|time\\s[+*]for\\s[+*]\(\?P<messages>|\(\?P<messages>.*\b(?:took|in)(?:\\s[+*])*$",
    re.IGNORECASE,
)
FIXED_ADDRESS = rf'"((?!0\.0\.0\.0){ADDRESS}|localhost|mlx[\w-]+)"'
FIXED_LIST = re.compile(rf"{FIXED_ADDRESS}\s*,(?:\s*//[^\n]*)?\s*{FIXED_ADDRESS}")
NO_GID = re.compile(r"gid\w*[\s=(]+-\s*1\b", re.IGNORECASE)  # the default index of an option for RoCE
PEER = "take the peer from an argument, and bind to INADDR_ANY"
ADVICE = {  # by the words of a failure: what in a source explains it, and what to do
    "refused|unreachable|timed out|resolve|no such host|did not end|connect|SIGPIPE|assign requested": (
        FIXED_ADDRESS,
        PEER,
    ),
    r"\bqp\b": (
        r"(?i)q_?key\w*\W+(0x[89a-f][\da-f]{7})\b",
        "choose a Q_Key below 0x80000000, since the others are for privileged programs",
    ),
    r"did not end|\bwc\b|completion|operation error": (
        r"(?s)\A(?!.*initiator_depth)(?=.*(?:RDMA_READ|WR_ATOMIC)).*?(rdma_conn_param|max_rd_atomic = 0)\b",
        "an RDMA READ or atomic needs initiator_depth and responder_resources (max_rd_atomic, max_dest_rd_atomic) >= 1",
    ),
}
GID_FAULT = re.compile(r"\bgid\b|query_gid|\bRTR\b", re.IGNORECASE)
ENDLESS = re.compile("the client (?:did not end before the deadline|was ended because it wrote without end)")
MISUSED = re.compile("usage|argument", re.IGNORECASE)
CLIENT_FAILED = re.compile("the client (?:was )?ended")
SERVER_STAYS = re.compile(r"the server (?:did not end before|was ended by signal 15)")
STAYS, SILENT = "client_stays = true", 'output = "none"'
NO_RESULT = "no line has a number with its unit: set output, pattern and unit (docs/programs.md, Read the output) in"
# A time that is divided by 2, or words for it.
HALF = re.compile(
    r"half.{0,6}(?:rtt|round|trip)|\bone.?way|RTT/2"
    r"|(?:(?:time|lat|rtt|elapsed|diff|delta|sec)\w*|(?:\b|_)(?:now|end|t\d*|[un]s))"
    r"\W[^;{}\n\"]*/=?\s*\(?(?:\s*\w+\s*\*)?\s*2(?:\.0*)?\s*(?:[*)/;,]|$)",
    re.IGNORECASE | re.MULTILINE,
)
ROUND_TRIP = re.compile(r"^(?!.*half).*(?:round(?:\\s\+|\W)*trip|rtt(?!\W*/\W*2))", re.IGNORECASE)
IN_ORDER = re.compile(r"hton|getaddrinfo|be16|bswap|endian")
IPV6_ONLY = re.compile(r"inet_pton\s*\(\s*AF_INET6")
HOSTS = {"hosts.txt": "{address}\n"}
HEARD = "from its options, its use of argv, its usage text"


def with_host(call: list[str], source: Folder, servers: str, serve: list[str], texts: str) -> list[str]:
    """The client's command with its server's address, and its port if the server chooses it."""
    call = call if "{host}" in " ".join((*call, texts)) else [*call, "{host}"]
    if IPV6_ONLY.search(source.code):
        call = [word.replace("{host}", "::ffff:{host}") for word in call]
    if "{port}" in " ".join(serve) or "{port}" not in " ".join(call):
        return call
    port = "" if re.search(r"getsockname|rdma_get_src_port", servers) else port_of(source.code)
    return [word.replace("{port}", port or "{printed:port}") for word in call]


def readiness(source: Folder, servers: str, serve: list[str], call: list[str]) -> Iterator[Guess]:
    """The lines about the server's start and end."""
    port, sign = port_of(source.code), "cm" if re.search(r"rdma_listen|rdma_create_ep", servers) else "tcp"
    if "{port}" not in " ".join(serve) and "{printed:port}" not in call:
        known = (f"ready.{sign} = {port}", "the port in its sources")
        yield known if port else ("ready.after_s = 0.5", "no port was found in its sources")
    elif not IN_ORDER.search(source.code):
        yield "ready.after_s = 0.5", "its sources have no port in the network's byte order"


def reading(output: Output | None, code: str, *, by_server: bool, is_ring: bool) -> Iterator[Guess]:
    if output is None:
        yield SILENT, "no printf() has a number with a unit"
        return
    unit = output.binary_unit if BINARY.search(code) else output.unit
    yield 'output = "pattern"', "lines with a number and its unit"
    yield f"pattern = '{output.pattern}'", "its printf()"
    if unit:
        yield f'unit = "{unit}"', "its printf(), or its heading" if unit == output.unit else "it divides by 1024 * 1024"
    if output.size_unit:
        yield f'size_unit = "{output.size_unit}"', "the heading of its table"
    half = HALF.search(code) if output.measure == "latency" and not is_ring else None
    if half and not ROUND_TRIP.search(output.pattern):
        yield "factor = 2", f"half of a round trip: {' '.join(half[0].split())[-20:]}"
    if by_server:
        yield 'printed_by = "server"', "its client printed no result"


def quoted(text: str) -> str:
    if "\n" in text:
        return json.dumps(text, ensure_ascii=False)
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
    (shop, summary), failures = run_file(file, options), ""
    for correction in range(CORRECTIONS if text else 0):
        (planned,) = shop.plans[0].planned
        seen = tried(options.results, planned.trial.key, summary)
        # Of all trials, so that no correction is taken back.
        failures += " ".join([seen.failure, *MISUSED.findall(seen.client + seen.server)])
        better, more = experiment_of(source, replace(seen, failure=failures))
        if summary.interrupted or better == text or (correction and not summary.failed and SILENT not in text):
            break
        write_text(file, better)
        changed = [shown(guess) for guess in more if guess not in guesses]
        print(f"{from_here(file)}: written again, by what it printed:", *changed, sep="\n  ", flush=True)
        (shop, summary), text, guesses = run_file(file, options), better, more
    if summary.interrupted:
        return say_interrupted(summary)
    if summary.failed:
        again = f"change {from_here(file)}, then: lab adopt {options.folder}"
        known = re.search(r"\{(?:address|next)", file.read_text())
        lines = (line for line in advice(source, summary) if not (known and line.endswith(PEER)))
        print(f"the trial failed, for the reason below; {again}", *lines, sep="\n  ")
        return say_failures(summary)
    (plan,) = shop.plans
    rows = make_table(plan, options.results)
    if not rows:
        printed = tried(options.results, plan.planned[0].trial.key, summary)
        print(f"both ends ended without an error, but {NO_RESULT} {from_here(file)}; the last lines of both:")
        print(*printed.client.splitlines()[-3:], *printed.server.splitlines()[-3:], sep="\n  ")
        return 1
    for row in rows:
        rate = row.counts.get("completed_bytes_per_s") or row.counts.get("confirmed_bytes_per_s", 0)
        trip = row.counts.get("round_trip_ns")
        print(f"  {row.size_bytes} bytes: {f'{trip / 1000:.3f} us' if trip else f'{rate:,} B/s'}")
    if NO_SIZE in file.read_text():
        print(f"  the size is {NO_SIZE}")
    print(f"measured: {from_here(write_table(plan, options.results))}; compare it with what the program prints")
    print(f"next: set sizes, iterations and repetitions in {from_here(file)}, then: lab run {from_here(file)} --report")
    return 0


def advice(source: Folder, summary: RunSummary) -> Iterator[str]:
    """The lines of the sources that may explain a failure, as an address if programs could not connect."""
    failure = " ".join(what for _, what in summary.failed)
    for name, (words, what) in product(source.code_names, ADVICE.items()):
        text = source.files[name]
        for found in re.finditer(what[0], text) if re.search(words, failure, re.IGNORECASE) else ():
            line = text.count("\n", 0, found.start(1)) + 1
            yield f"{source.folder.name}/{name}:{line} names {found[1]}: {what[1]}"


def shown(guess: Guess) -> str:
    return f"{guess[0]}  ({guess[1]})"


def run_file(file: Path, options: Namespace) -> tuple[Workshop, RunSummary]:
    shop = open_shop([file], options)
    return shop, run_remaining(shop, options.results, options.jobs)


def tried(results: Path, key: str, summary: RunSummary) -> Tried:
    """What a trial printed, from its record or from the evidence of its failure."""
    folder = results / "failed" / key if summary.failed else record_folder(results, key)
    client, server = (file.read_text() if (file := folder / f"{end}.log").exists() else "" for end in NAMES)
    return Tried(COLOUR.sub("", client), COLOUR.sub("", server), " ".join(what for _, what in summary.failed))
