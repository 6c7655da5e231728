"""The experiment of a folder: its lines are guesses by the sources, and by a trial of them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from lab.cli.adopt.folder import Folder
from lab.cli.adopt.link import Traffic, sizes_in
from lab.cli.adopt.outputs import (
    BINARY,
    MEAN,
    PRINT,
    Output,
    is_time,
    number_named,
    of_one_kind,
    outputs,
    printed_outputs,
    unit_of_times,
    unnamed_outputs,
)
from lab.cli.adopt.sources import FIXED_DEVICE, FIXED_HOST, GIVEN, LARGEST, OPERATIONS, iterations_of, size_of
from lab.cli.adopt.starts import (
    ACCEPTS,
    ROW,
    UNTRIED,
    Guess,
    Started,
    Tried,
    quoted,
    started_as_pair,
    started_by_launcher,
    started_in_ring,
)
from lab.errors import SpecError
from lab.run.checks import CONNECTS, ENDLESS

TEMPLATE = """\
title = "{name}"
question = "How fast is {name}?"

[parameters]
sizes = "{sizes}" # {why_sizes}
iterations = {iterations} # at most as many as the program sends
warmup = 0
repetitions = 1
deadline_s = {deadline_s} # of the site's clock, for all sizes
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
UNITS = {4: "ints", 8: "doubles", 1 << 10: "KB", 1 << 20: "MB"}  # of sizes, by their bytes
SMALLEST, SIZES, TRIAL, NO_SIZE = 64, "64,4K", "a small trial", "a guess: no size is in its sources or its output"
REFUTED = "are reported, but"
OTHER_SIZE = "a size that is not in the request"
OTHER_WAY = "took another way"
NOT_SENT = re.compile(rf"\d+ bytes {REFUTED} \S*tx_bytes counted \d+: the data {OTHER_WAY}")
TOTAL = re.compile(
    r"total|elaps|overall|(?:completed|finished)\\s[+*]in\b|time\\s[+*]for\\s[+*]\(\?P<messages>|\(\?P<messages>.*\b(?:took|in)(?:\\s[+*])*$",
    re.IGNORECASE,
)
NO_GID = re.compile(r"gid\w*[\s=(]+-\s*1\b", re.IGNORECASE)  # the default index of an option for RoCE
UNREACHED = re.compile(
    "refused|unreachable|timed out|resolve|no such host|connect|SIGPIPE|assign requested", re.IGNORECASE
)
MEETS = re.compile(r"\bsocket|getaddrinfo|\bconnect\s*\(|mpi\.h|rdma/r")
SENDS = re.compile(r"MPI_[IBRS]{0,2}send\s*\(", re.IGNORECASE)
READS_ARGUMENTS = re.compile(r"(?<!int )\b(?:argc|argv\b(?!\s*(?:\[\s*\])?\s*\)))")
GID_FAULT = re.compile(r"\bgid\b|query_gid|\bRTR\b", re.IGNORECASE)
SLEEP = re.compile(r"(?<!\w)sleep\s*\(\s*(\d{1,2})\s*\)")
SIZE_FAULT = re.compile(
    r"(?i)(?:size|length|bytes)\b.{0,40}(?:\b(?:must|at (?:most|least)|max\w*|between|multiple|too \w+)|[<>]=)"
)
LEAST = re.compile(r"(?i)(?:>=|at least|multiple of|between)\s*(\d+)")
MOST = re.compile(r"(?i)(?:<=|at most|max\w*|\.\.|\bto|\band|up to)\s*(\d+)")
# The names of operations in lines with a result, of RDMA or of a store of keys.
NAMED = {"read": r"(?i)\bread|\bget\b", "write": r"(?i)\bwrite|\bput\b", "send": r"(?i)\bsend"}
SHORT_S, LONG_S = 4, 10  # beside its sleeps; short, as a busy second of `exact` takes 12 s of the host's
SHORTER = "with fewer turns of its longest loop: it took longer than deadline_s"
STAYS, SILENT = "client_stays = true", 'output = "none"'
# A time that is divided by 2, or words for it.
HALF = re.compile(
    r"half.{0,6}(?:rtt|round|trip)|\bone.?way|RTT/2"
    r"|(?:(?:time|lat|rtt|elapsed|diff|delta|sec)\w*|(?:\b|_)(?:now|end|t\d*|[un]s))"
    r"\W[^;{}\n\"]*/=?\s*\(?(?:\s*\w+\s*\*)?\s*2(?:\.0*)?\s*(?:[*)/;,]|$)",
    re.IGNORECASE | re.MULTILINE,
)
BOTH_WAYS = re.compile(
    r"(?<![\w.])2(?:\.0*)?\s*\*\s*\(?\s*(?:\(double\)\s*)?[\w.>-]*(?:size|bytes|len)\w*\)?\s*/", re.IGNORECASE
)
SENT, RECEIVED = r"\w*(?:tx|sent)\w*", r"\w*(?:rx|rec(?:v|eived))\w*"
OF_BOTH = re.compile(rf"{SENT} \+ {RECEIVED}|{RECEIVED} \+ {SENT}|\bbi-?(?:dir|b)\w*|\bboth\b", re.IGNORECASE)
ROUND_TRIP = re.compile(r"^(?!.*half).*(?:round(?:\\s\+|\W)*trip|rtt(?!\W*/\W*2))", re.IGNORECASE)


def experiment_of(source: Folder, tried: Tried = UNTRIED) -> tuple[str, list[Guess]]:
    """The text of the experiment, and the guesses about its program: by its sources, and by a trial of them."""
    build, binaries = source.build()
    scripts = [*source.folder.glob("*.py"), *source.folder.glob("*/*.py")]
    if bool(CONNECTS.search(source.code)) != bool(ACCEPTS.search(source.code)):  # the other end may be a script
        scripts = [script for script in scripts if "socket" in script.read_text("latin1")]
    elif binaries:
        scripts = []
    if not binaries or scripts:
        names = ", ".join(sorted(each.name for each in scripts))
        what = f"{names}: no site has Python for programs under test" if scripts else "no program was found"
        raise SpecError(what, file=source.folder, hint="a Makefile, or sources of both ends in C or C++ with main()")
    if "infiniband/verbs.h" in source.code and re.search(r"\bf?open\(", source.code) and not MEETS.search(source.code):
        what = "its ends meet by files, not by a socket, rdma_cm or MPI, and the computers of a link share no folder"
        raise SpecError(what, file=source.folder, hint="a socket for what is in the files")
    best = next((name for name in binaries if outputs(source.main_of(name))), "")
    words = re.split(r"\W|_", best)  # of several pairs first the one with a result
    binaries.sort(key=lambda name: -sum(map(str.__eq__, re.split(r"\W|_", name), words)))
    started = (
        started_in_ring(source, binaries, tried)
        or started_by_launcher(source, binaries)
        or started_as_pair(source, binaries, tried)
    )
    prints = partial(outputs, times=started.is_ring, in_turns=source.in_turns)
    code = source.code_of(started.binaries)
    printing = [*prints(started.main), *prints(code, times=False)]
    named = GIVEN["result"] if GIVEN["result"] in started.words else source.result_file
    result_file = "" if printing else named
    known = prints(code, to_file=True) if result_file else printing
    operation = operation_of(code, started, tried)
    if operation == "read":  # then these bytes do not mean too many iterations
        tried = replace(tried, failure=NOT_SENT.sub("", tried.failure))
    output, printed = output_of_program(
        known,
        tried,
        operation,
        times=started.is_ring,
        of_time=unit_of_times(code),
        at_once="MPI_Sendrecv" in code and not SENDS.search(code),
    )
    is_known = output is not None and output.pattern in (each.pattern for each in known)
    computed = f"{PRINT.sub('', code)}\n{output.name}" if output and is_known else code  # not for other results
    output = output and of_one_kind(output, printed)
    is_long = ENDLESS.search(tried.failure) and printed in ("", tried.server)
    if is_long and "{iterations}" not in started.text and source.shorten(int(size_of(code) or 4096)):
        return experiment_of(source, replace(tried, failure=ENDLESS.sub("", tried.failure)))
    counts = started.is_ring and (not started.names_sizes or started.scale > 1)
    output = of_elements(output, code) if output and counts else output
    if output and not output.is_carried:
        output = of_all(output, is_ring=started.is_ring, in_turns=source.in_turns)
    if started.names_sizes:
        started, output = with_printed_sizes(started, output, printed if OTHER_SIZE in tried.failure else "")
    given = (name for name in source.documents if name in started.words)
    data = (name for name in (*source.data(), *given) if name not in started.files)
    names = ", ".join(map(quoted, dict.fromkeys((*started.binaries, *data))))
    guesses = [
        (f"build = {quoted(build)}", SHORTER if source.turns else "from its Makefile, CMakeLists.txt or sources"),
        (f"binaries = [{names}]", "made by the build, or opened by the program"),
        *started.lines,
        *((f"files.{quoted(name)} = {quoted(text)}", "it reads it") for name, text in started.files.items()),
        *needs(code, started, tried),
        *([(f"result_file = {quoted(result_file)}", "it writes its results there")] if result_file else []),
        *reading(output, computed, by_server=printed == tried.server != "", is_ring=started.is_ring),
        *([] if result_file or source.turns else staying(started, output, printed and tried.failure)),
    ]
    return text_of(source, code, started, operation, output, printed, tried, guesses), guesses


def with_printed_sizes(started: Started, output: Output | None, others: str) -> tuple[Started, Output | None]:
    """The commands and the output to read, if the sizes that were given are in another unit than bytes, or if the
    program printed others."""
    sizes = sizes_in(output, others) if output else []
    scale = next((scale for scale in UNITS if sizes[:1] == [scale * SMALLEST]), started.scale)
    if scale > 1:
        scaled = started.scaled(scale)
        if output and sizes[:1] == [int(scaled.sizes) // scale]:  # in the same unit
            output = replace(output, size_unit=UNITS[scale])
        return scaled, output
    if len(sizes) > 2:
        return started.up_to(LARGEST), output
    if output and others:
        output = replace(output, pattern=output.pattern.replace("(?P<size>", "(?:"), has_size=False)
    return started, output


def needs(code: str, started: Started, tried: Tried) -> Iterator[Guess]:
    """The lines about the device and the computer."""
    if re.search(r"infiniband/verbs\.h|rdma/r", code) and "{device}" not in started.words:
        yield "rdma = true", "it includes infiniband/verbs.h or rdma_cma.h"
    emulated = dict[str, str]()
    peers = re.search(r"\{(?:address|next)", started.text)
    if FIXED_HOST.search(code) and not peers and (UNREACHED.search(tried.failure) or not READS_ARGUMENTS.search(code)):
        emulated["addresses"] = "its sources name a computer"
    if FIXED_DEVICE.search(code) and "{device}" not in started.words:
        emulated["devices"] = "its sources name a device"
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
    if output.has_size and not (started.names_sizes or started.sizes):
        yield STAYS, "it chooses its sizes, and may go on"
    elif started.may_go_on or ENDLESS.search(failure):
        yield STAYS, "its client has a loop without an end"


def text_of(
    source: Folder,
    code: str,
    started: Started,
    operation: str,
    output: Output | None,
    printed: str,
    tried: Tried,
    guesses: list[Guess],
) -> str:
    if started.sizes:
        sizes, why = started.sizes, "its commands have another unit"
    elif not started.names_sizes:
        sizes, why = sizes_of(output, code, printed, tried.link)
    else:
        sizes, why = sizes_allowed(tried.failure)
    return TEMPLATE.format(
        name=re.sub(r"[^a-z0-9_]+", "_", source.folder.name.lower()).strip("_0123456789") or "mine",
        folder=source.folder.name,
        link=LINK if started.is_ring else "",
        program="\n".join(f"{line} # {reason}" for line, reason in guesses),
        sizes=sizes,
        why_sizes=why,
        deadline_s=deadline_s_of(source, started, output, tried),
        iterations=source.turns or iterations_of_program(code, started, output, printed, tried),
        operation=operation,
        measure=output.measure if output else "throughput",
    )


def sizes_allowed(failure: str) -> tuple[str, str]:
    """The sizes of a trial, or one that a program allows by its message about another."""
    if not (fault := SIZE_FAULT.search(failure)):
        return SIZES, TRIAL
    words = failure[fault.start() : fault.end() + 30]
    least, most = (int(found[1]) if (found := limit.search(words)) else 64 for limit in (LEAST, MOST))
    return str(least if least > 64 else min(64, most)), "another one was refused"


def deadline_s_of(source: Folder, started: Started, output: Output | None, tried: Tried) -> int:
    """A short deadline, and a longer one for a client whose loop was made shorter, or that did not end, although it has
    no loop without an end, and if what it printed meanwhile can be read."""
    goes_on = started.may_go_on or (not output and ROW.search(tried.client))
    is_long = source.turns or (ENDLESS.search(tried.failure) and not goes_on)
    values = [word.rpartition("=")[2] for word in started.words]
    lasts_s = int(GIVEN["seconds"]) if GIVEN["seconds"] in values else 0
    lasts_s += sum(map(int, SLEEP.findall(source.code)))
    return (LONG_S if is_long else SHORT_S) + lasts_s * (1 + started.names_sizes)  # of a pair for each of SIZES


def operation_of(code: str, started: Started, tried: Tried) -> str:
    """The operation that the sources name, else `send`. If the client did not send so much: `read`, as it is the server
    that sends all messages, or another operation that the sources name."""
    named = [name for name, pattern in OPERATIONS.items() if name in started.words or re.search(pattern, code)]
    if tried.link and (carried := tried.link.operation(named)):
        return carried
    if OTHER_WAY in tried.failure and ((tried.link and tried.link.comes_in) or "{iterations}" in started.text):
        return "read" if named[:1] != ["read"] else next(iter(named[1:]), "send")
    return min(named, key=lambda name: name not in started.words, default="send")


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


def about(operation: str, known: list[Output]) -> list[Output]:
    """The outputs whose lines name the operation, if others name another one; else all."""
    named = {name: [output for output in known if re.search(words, output.pattern)] for name, words in NAMED.items()}
    return named.get(operation) or known if sum(map(bool, named.values())) > 1 else known


def output_of_program(
    known: list[Output], tried: Tried, operation: str, *, times: bool, of_time: str, at_once: bool
) -> tuple[Output | None, str]:
    """The output to read, and the text that has it: one of the sources if the trial printed it, else one printed."""
    known = about(operation, known)
    texts = filter(None, (tried.client, tried.server))
    printed = {text: printed_outputs(text, times=times, of_time=of_time) for text in texts}
    if tried.link:
        candidates = [*dict.fromkeys((*known, *chain.from_iterable(printed.values())))]
        unnamed = chain.from_iterable(map(unnamed_outputs, printed))
        if carried := tried.link.result(candidates, unnamed, at_once=at_once):
            return carried, next(text for text in printed if re.search(carried.pattern, text))
    for text, found in printed.items():
        for output in known:
            if match := re.search(output.pattern, text):
                is_latency = not output.unit and is_time(match["unit"])
                return replace(output, measure="latency") if is_latency else output, text
        if first := about(operation, found)[:1]:
            return first[0], text
    return next(iter(known), None), ""


def sizes_of(output: Output | None, code: str, printed: str, link: Traffic | None) -> tuple[str, str]:
    """The sizes of a program that chooses them: those that it printed, else those that its sources name."""
    if not (output and output.has_size):
        if link and link.size:
            return str(link.size), TRIAL
        number = number_named(printed, "size|byte")
        is_of_ranks = number == 2 and "mpi.h" in code
        named = size_of(code) if is_of_ranks or not number else str(number)
        return (named, TRIAL) if named else ("64", NO_SIZE)
    sizes = sizes_in(output, printed)
    return ",".join(map(str, sizes[:4])) if sizes and not {64, 4096} <= set(sizes) else SIZES, TRIAL


def iterations_of_program(code: str, started: Started, output: Output | None, printed: str, tried: Tried) -> int:
    """The messages of a size: one, if the number in the sources was more than the program sent, or if its time of all
    is of no number."""
    names = "iterations|iters|messages|packets|count|repetitions|wiederholungen|files?\\b"
    if "{iterations}" in started.text:
        return started.iterations
    if number := number_named(printed, names):
        return number
    named, is_total = iterations_of(code), output is not None and "(?P<total>" in output.pattern
    if tried.link and (count := tried.link.messages):
        return count if is_total and not named <= count <= 1.5 * named else min(count, named or count)
    return 1 if REFUTED in tried.failure or (is_total and not named) else named or 100


def reading(output: Output | None, code: str, *, by_server: bool, is_ring: bool) -> Iterator[Guess]:
    if output is None:
        yield SILENT, "no printf() has a number with a unit"
        return
    unit = output.binary_unit if BINARY.search(code) else output.unit
    yield 'output = "pattern"', "lines with a number and its unit"
    first, *others = output.kinds or ("",)
    only = f", only with {first}; for {' or '.join(others)} add a program with that word and a series" if others else ""
    why, why_unit = "its printf()", "its printf(), or its heading"
    if output.is_carried:
        why = why_unit = "what the link carried"
    if unit != output.unit:
        why_unit = "it divides by 1024 * 1024"
    yield f"pattern = '{output.pattern}'", f"{why}{only}"
    if unit:
        yield f'unit = "{unit}"', why_unit
    if output.size_unit:
        yield f'size_unit = "{output.size_unit}"', "the heading of its table"
    yield from factor_of(output, code, is_ring=is_ring)
    if by_server:
        yield 'printed_by = "server"', "its client printed no result"


def factor_of(output: Output, code: str, *, is_ring: bool) -> Iterator[Guess]:
    """The line that makes a round trip of its half, or one direction of both."""
    if output.factor == 1:
        return
    if output.factor:
        yield f"factor = {output.factor}", "what the link carried"
    elif output.measure == "latency" and not is_ring:
        is_whole = ROUND_TRIP.search(output.name) or ROUND_TRIP.search(output.pattern)
        if half := HALF.search(output.name) or (None if is_whole else HALF.search(code)):
            yield "factor = 2", f"half of a round trip: {' '.join(half[0].split())[-20:]}"
    elif (
        output.measure == "throughput"
        and not is_ring
        and (both := OF_BOTH.search(output.name) or BOTH_WAYS.search(code))
    ):
        yield "factor = 0.5", f"the bytes of both directions: {both[0]}"
