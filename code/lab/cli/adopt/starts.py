"""How the programs of a folder are started: in a ring, by a launcher, or as a server and a client."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, starmap
from pathlib import Path

from lab.cli.adopt.folder import Folder
from lab.cli.adopt.link import Traffic
from lab.cli.adopt.sources import (
    CLIENT,
    FIXED_ADDRESS,
    GIVEN,
    SAID,
    SERVER,
    arguments,
    list_of_hosts,
    options_of,
    port_of,
    ring_arguments,
    role_variables,
    settings,
    shown_arguments,
    value_of,
    variables,
)
from lab.cli.adopt.usage import USAGE, forms_of, usage_arguments, usage_in
from lab.run.checks import CONNECTS, LOOP

PAUSE = re.compile(r"\bpause\s*\(\s*\)")
NEXT_RANK = re.compile(r"\(\s*\w+\s*\+\s*1\s*\)\s*%\s*\w+")
COLLECTIVE = re.compile(r"MPI_(?:I?all(?:reduce|gather|toall)|I?bcast|reduce_scatter)\w*\s*\(", re.IGNORECASE)
OF_TWO = re.compile(r"MPI_(?:\w*send\w*|r?put|r?get|\w*accumulate)\s*\(", re.IGNORECASE)
# What a pair has: a rank 1, or a message to it.
RANK_1 = re.compile(
    r"MPI_\w*send\w*\s*\([^;]*,\s*1\s*,\s*[^,;]+,\s*MPI_COMM|rank\w*\s*==\s*1\b|\b1\s*-\s*\w*rank", re.IGNORECASE
)
ONE = re.compile(r"(?:#\s*define\s+|const\s+int\s+)(\w+)(?:\s*=\s*|\s+)1\b")
ACCEPTS = re.compile(r"accept\w*\s*\(")
FIXED_LIST = re.compile(rf"{FIXED_ADDRESS}\s*,(?:\s*//[^\n]*)?\s*{FIXED_ADDRESS}")
ROW = re.compile(r"^\s*[\d.]+(?:[\s,;]+[\d.]+)+\s*$", re.MULTILINE)  # of numbers without a unit
SAID_NOTHING = "both ends printed no result"  # as if they had other arguments in mind
MISUSED = re.compile(f"{USAGE}|argument|unknown option|{SAID_NOTHING}", re.IGNORECASE)
UNREAD_ARGUMENT = re.compile(r"\bsto(?:i|u?ll?|d)\b|invalid|illegal|not a number|out of range|\bbad\b", re.IGNORECASE)
COUNT_FAULT = re.compile(
    r"(?i)(?:iter\w*|count|messages|requests|rounds|operations|ops|\b-?n|number[\w ]*)\b.{0,30}"
    r"(?:must|at least|>=|multiple|power|too (?:small|few|low))|at least \d+ (?:iter|mess|req|round|op)"
)
MANY = 3200  # a multiple of most windows, and more than most of them
CLIENT_FAILED = re.compile("the client (?:was )?ended")
SERVER_CONNECTS = re.compile(r"the server (?:ended|did not end)[^;]*: [^;]*connection refused", re.IGNORECASE)
SERVER_STAYS = re.compile(r"the server (?:did not end before|was ended by signal 15)")
IN_ORDER = re.compile(r"hton|getaddrinfo|be16|bswap|endian")
IPV6_ONLY = re.compile(r"inet_pton\s*\(\s*AF_INET6(?![^;]*gid)")
SCALED_SIZE = re.compile(r"\{size(?::(\d+))?\}")
HOSTS = {"hosts.txt": "{address}\n"}
HEARD = "from its options, its use of argv, its usage text"

Guess = tuple[str, str]  # a line of the experiment, and its reason


@dataclass(frozen=True)
class Tried:
    """What a trial of the guesses showed: the outputs of both ends, why it failed, and what the link carried; the
    usage texts of this trial or one before, by the end that printed them."""

    client: str = ""
    server: str = ""
    failure: str = ""
    link: Traffic | None = None
    usages: Mapping[str, str] = field(default_factory=dict)
    refused: tuple[str, ...] = ()  # experiments whose commands failed, and nothing else was left to correct


UNTRIED = Tried()


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
    iterations: int = 100  # if a command has them
    sizes: str = ""  # if a command has a size in another unit than bytes

    @property
    def text(self) -> str:
        """All in which a placeholder may be."""
        return " ".join((*self.words, *self.files.values()))

    def with_more(self) -> "Started":
        return replace(self, iterations=MANY if "{iterations}" in self.text else self.iterations)

    def is_refused(self, texts: Iterable[str]) -> bool:
        given = self.scaled(self.scale) if self.scale > 1 else self
        lines = [f"{line} #" for line, reason in given.lines if reason == HEARD]
        lines += [f"\niterations = {self.iterations} "] if "{iterations}" in self.text else []
        return any(all(line in text for line in lines) for text in texts)

    @property
    def names_sizes(self) -> bool:
        return "{size" in self.text

    @property
    def scale(self) -> int:
        """The bytes of the unit of its sizes."""
        named = SCALED_SIZE.search(self.text)
        return int(named[1] or 1) if named else 1

    def scaled(self, scale: int) -> "Started":
        """The same with one size, in a unit of so many bytes."""
        size = 1 if scale > 1 << 10 else 64
        return replace(self.up_to(str(size)), sizes=str(size * scale))

    def up_to(self, size: str) -> "Started":
        """The same for a program that begins with small sizes and ends with the given one."""
        fixed = partial(SCALED_SIZE.sub, size)
        lines = [(fixed(line), reason) for line, reason in self.lines]
        files = {name: fixed(text) for name, text in self.files.items()}
        return replace(self, lines=lines, words=[*map(fixed, self.words)], files=files)


def started_in_ring(source: Folder, binaries: list[str], tried: Tried) -> Started | None:
    """One program on all computers, with its rank and the addresses of its peers as arguments, variables or a file."""
    for binary in binaries if "mpi.h" not in source.code else ():
        main = source.source_of(binary)
        assigned, words = ring_arguments(main, source.everything, tried.failure)
        files, (words,) = with_files(source, [words], list_of_hosts, HOSTS)
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
    # A pair may need collective operations for its start.
    is_of_two = "infiniband/" in source.code or OF_TWO.search(source.code)
    same = NEXT_RANK.search(source.code) or (not is_of_two and COLLECTIVE.search(source.code))
    numbered = RANK_1.search(re.sub(rf"\b(?:{'|'.join(ONE.findall(source.code)) or '1'})\b", "1", source.code))
    if "mpi.h" not in source.code or not same or numbered:
        return None
    main = source.source_of(binaries[0])
    given = (word for word in arguments(main, "client", source.code, alone=False) if word != "{host}")
    words = [Path(binaries[0]).name, *given]
    lines = [('mpi = "tcp"', "it includes mpi.h"), (f"each = {quoted(' '.join(words))}", "all ranks do the same")]
    return Started(lines, words, main, (binaries[0],), {}, is_ring=True)


def with_files(
    source: Folder, commands: Sequence[list[str]], template: Callable[[str], str], default: Mapping[str, str]
) -> tuple[dict[str, str], list[list[str]]]:
    """The files that the programs read, as texts with placeholders, and the commands with the name of one: of several
    that a server and a client may read, its own."""
    files = {name: text for name, each in source.lists.items() if (text := template(each))}
    named = {name: text for name, text in files.items() if f'"{name}"' in source.code}
    if not any("{file}" in words for words in commands):
        return named, list(commands)
    files = named or files or dict(default)
    first = next(iter((*files, *source.lists, *source.documents)), GIVEN["text"])
    ends = tuple(SAID) if len(commands) > 1 and len(files) > 1 else [""] * len(commands)
    names = [file_of(files, end) or first for end in ends]
    filled = [[each.replace("{file}", name) for each in words] for name, words in zip(names, commands, strict=True)]
    return {name: text for name, text in files.items() if name in names}, filled


def file_of(files: Mapping[str, str], end: str) -> str:
    """The settings of an end, by the name of the file, else by an address, which a client needs."""
    named = (name for name in files if end and SAID[end].search(name.lower()))
    fitting = (name for name, text in files.items() if end and ("{host}" in text) == (end == "client"))
    return next(chain(named, fitting), "")


def started_as_pair(source: Folder, binaries: list[str], tried: Tried) -> Started:
    known = end_of(source, binaries, SERVER, ACCEPTS)
    server = known or binaries[0]
    is_pair = known or (len(binaries) == 2 and "mpi.h" not in source.code)  # else each is both ends
    others = [name for name in binaries if name != server and is_pair]
    client = end_of(source, others, CLIENT, CONNECTS) or (others[0] if len(others) == 1 else server)
    if SERVER_CONNECTS.search(tried.failure):
        server, client = client, server
    ends = {"server": server, "client": client}
    pairs = alternatives(source, ends, tried)
    first = next(pairs)
    return next((pair for pair in chain([first], pairs) if not pair.is_refused(tried.refused)), first)


def alternatives(source: Folder, binaries: Mapping[str, str], tried: Tried) -> Iterator[Started]:
    """The pairs to try in turn: with more messages if a trial had too few, and also with more if it had other arguments
    than the program takes."""
    needs_more = COUNT_FAULT.search(tried.failure)
    for commands in commands_of(source, binaries, tried):
        pair = pair_of(source, binaries, commands, tried)
        if not needs_more:
            yield pair
        if needs_more or MISUSED.search(tried.failure):
            yield pair.with_more()


def commands_of(source: Folder, binaries: Mapping[str, str], tried: Tried) -> list[list[list[str]]]:
    """The arguments of both ends: by the sources; if a trial refused these, first by usage texts, and by commands that
    a README or a comment shows."""
    sources = {end: source.source_of(binary) for end, binary in binaries.items()}
    alone, usage = sources["server"] == sources["client"], usage_in(sources["server"], binaries["server"])
    forms = forms_of(usage, Path(binaries["server"]).name)
    is_by_forms = alone and not any(options_of(sources["server"])) and len(forms) > 1
    is_misused = MISUSED.search(tried.failure)

    def of_end(end: str, binary: str) -> tuple[list[str], list[str], list[str], list[str]]:
        plain = arguments(sources[end], end, source.code, alone=alone, failure=tried.failure)
        given = usage_arguments(usage, binary, end, alone=True) if is_by_forms else plain
        by_example = shown_arguments(source.prose, Path(binary).name, sources[end]).get(end, given)
        printed = tried.usages.get(end) or (next(iter(tried.usages.values()), "") if alone else "")
        by_text = usage_arguments(printed or usage_in(sources[end], binary), binary, end, alone=alone)
        return by_text or (by_example if is_misused else given), by_example, given, plain

    used, shown, by_source, plain = (list(ends) for ends in zip(*starmap(of_end, binaries.items()), strict=True))
    is_refused = tried.usages or is_misused or UNREAD_ARGUMENT.search(tried.failure)
    return [used, shown, by_source, plain] if is_refused else [by_source, used, shown, plain]


def pair_of(source: Folder, binaries: Mapping[str, str], commands: Sequence[list[str]], tried: Tried) -> Started:
    """A server and a client with these arguments."""
    server, client = binaries.values()
    servers, clients = source.source_of(server), source.source_of(client)
    alone = servers == clients
    files, (serve, call) = with_files(source, commands, settings, {})
    shared = "\n".join(text for name, text in source.files.items() if name not in source.mains)
    serve = [*assigned(servers + shared, "server", alone=alone), Path(server).name, *serve]
    call = [*assigned(clients + shared, "client", alone=False), Path(client).name, *call]
    lines: list[Guess] = []
    if "mpi.h" in source.code:
        lines += [('mpi = "tcp"', "it includes mpi.h")]
    else:
        texts = " ".join(files.values())
        call = with_host(call, source, servers, serve, texts)
        lines += readiness(source, servers, [*serve, texts], call)
        endless = LOOP.search(servers) or PAUSE.search(servers)
        if endless or (SERVER_STAYS.search(tried.failure) and not CLIENT_FAILED.search(tried.failure)):
            lines += [("server_stays = true", "its server has a loop without an end")]
    lines += [(f"{end} = {quoted(' '.join(words))}", HEARD) for end, words in (("server", serve), ("client", call))]
    may_go_on = bool(LOOP.search(clients)) and not alone
    return Started(lines, serve + call, clients, (server, client), files, may_go_on=may_go_on)


def end_of(source: Folder, binaries: list[str], named: re.Pattern[str], calls: re.Pattern[str]) -> str:
    """The binary of one end: by its name, else by the calls in its source, those of this end alone first; empty
    without one."""
    other = CONNECTS if calls is ACCEPTS else ACCEPTS
    mains = {name: source.main_of(name) for name in binaries}
    called = sorted((bool(other.search(text)), name) for name, text in mains.items() if calls.search(text))
    best = [*(name for name in binaries if named.search(Path(name).name)), *(name for _, name in called)]
    return best[0] if best else ""


def assigned(text: str, end: str, *, alone: bool) -> list[str]:
    """The variables of a program at one end; alone: the same program is also the other end, and knows by its host."""
    without = ("text", "file", "host") if alone else ("text", "file")
    values = (f"{name}={value_of(role)}" for name, role in variables(text).items() if role not in without)
    return [*role_variables(text, end), *values]


def with_host(call: list[str], source: Folder, servers: str, serve: list[str], texts: str) -> list[str]:
    """The client's command with its server's address, and its port if the server chooses it."""
    call = call if "{host}" in " ".join((*call, texts)) else [*call, "{host}"]
    if IPV6_ONLY.search(source.code) and not re.search(r"\bAF_(?:INET|UNSPEC)\b", source.code):
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


def quoted(text: str) -> str:
    if "\n" in text:
        return json.dumps(text, ensure_ascii=False)
    return f'"{text}"' if '"' not in text and "\\" not in text else f"'{text}'"
