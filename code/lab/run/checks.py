"""Checks of a trial: failed programs, numbers that the site's counters and clock refute, the rate of the link."""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from signal import Signals
from types import MappingProxyType

from lab.analysis.card import ETHERNET, PATH_MTUS, ROCE, TCP_LEAST, largest_packet
from lab.errors import ParseError, plural
from lab.experiment.experiment import Series
from lab.model.trial import DEADLINE_STATUS, Ends, Link, Outcome
from lab.plan.builds import source_files
from lab.plan.plan import Planned, SiteFacts
from lab.programs.program import BACK, ENDS, LINES, SUMMARIES, WINDOW, Build, Program, Sample
from lab.sites.site import Traits

PATH_MTU_MOST = max(PATH_MTUS)  # bytes of a message in one packet
# Rows with bytes and a time from a start to an end that needs all data; rows with a duration.
RATES = (*SUMMARIES, BACK, WINDOW, "round", "round_completed")
DURATIONS = (*SUMMARIES, "round_trip", "round", "send", "receive")
FLOODED_STATUS, KILLED_STATUS = 128 + 25, 128 + 9  # by SIGXFSZ, by SIGKILL
NO_MEMORY = "Memory cgroup out of memory: Killed process"  # in the log of a VM's kernel
START_NS = 10**9  # the longest start of a client: to connect takes milliseconds, a launcher half a second
FIRST_NS = 5 * 10**6  # the extra time of the first client, whose program is not in memory yet: 3 ms on exact
UNACCOUNTED_TIMES = 4  # times the reported time and its warm-up: room for checks of data and an extra first round
LAST_LETTERS, LAST_LINES = 300, 3  # of a program's output, in the message about its failure
LITTLE_BYTES = 10**6  # of a program that hangs soon after its start
SAMPLES_ROW = re.compile(r"#|\d+,|size_bytes,")  # of Verbyte's CSV
RULE = r"^-{60,}$"  # above and below a message of Open MPI's launcher
# What Open MPI prints of each start by a remote shell, and of each rank that crashed.
NOISE = re.compile(
    r"^.*(?:WARNING: local probe returned |\(\S*\+0x[0-9a-f]+\)\[0x|\] Signal(?: code)?: "
    r"|\*{3} (?:Process received signal|End of error message) ).*$\n?",
    re.MULTILINE,
)
UNFINISHED = re.compile(r"\bprocess rank (\d+) with PID \d+ on\s+node \S+ exiting improperly")
BOX = re.compile(rf"{RULE}.*?{RULE}", re.MULTILINE | re.DOTALL)

Samples = tuple[Sample, ...]


def failed_steps(outcome: Outcome) -> Iterator[str]:
    """Report each end that is down, then every program that failed, first those that the deadline ended."""
    down = outcome.state.get("down")
    yield from (f"{end} is down" for end in (down if isinstance(down, list) else ()))
    failed: list[tuple[int, str]] = []
    for index, step in enumerate(outcome.steps, 1):
        words = {"client": last_words(step.client_out, step.client_err)}
        words["server"] = last_words(step.server_out, step.server_err)
        statuses = {"client": step.client_status, "server": step.server_status}
        fine = [f" (the {end} printed: {words[end]})" for end, status in statuses.items() if not status and words[end]]
        for end, status in statuses.items():
            if status:
                what = f"step {index}: the {end} {_failure(status, outcome.console)}"
                failed.append((status, f"{what}: {words[end] or 'it printed nothing'}{''.join(fine)}"))
    yield from (what for _, what in sorted(failed, key=lambda failure: failure[0] != DEADLINE_STATUS))


# Without an end, but not one that reads options.
LOOP = re.compile(r"(?:while\s*\(\s*(?:1|true)\s*\)|for\s*\(\s*;\s*;\s*\))(?!(?s:.{0,600}?)\bgetopt)")
CONNECTS = re.compile(r"connect\w*\s*\(")
ENDLESS = re.compile("the client (?:did not end before the deadline|was ended because it wrote without end)")
# What a student program may have run into, by its last words.
HINTS = {
    r"\busage\b|unknown option": "other arguments in server and client, or in each: a program printed its usage",
    r"\b(?:RTR|GID|LID)\b|query_gid": (
        "both devices are RoCE: is_global = 1 and the peer's GID, by the index {gid}; or emulate = "
        '["gids"] for an index in its sources, or emulate = ["lids"] for LIDs'
    ),
    r"reg_?mr.{0,40}(?:not supported|invalid argument)": (
        "registering memory without IBV_ACCESS_ON_DEMAND: neither device has on-demand paging"
    ),
    r"\b(?:must be|is not|not|please) set\b|\bexport [A-Z]|\bset \w+=": (
        "variables before the program in server, client or each: PORT={port} HOST={host} client"
    ),
    r"IPv6|address family": "::ffff:{host} in place of {host}, if the program takes IPv6 alone: the addresses are IPv4",
    r"mlx\d|no (?:IB|RDMA)|device.*not found": "the device has another name on this site: {device} in the commands",
    r"(?:fail|could|can|error).{0,30}\bpost|post_?(?:send|recv).{0,20}(?:fail|err|:)|post refused": (
        'grants = "connectx" if it posts more requests, or more bytes inline, than it requested'
    ),
    r"(?:fail|could|can|unable|error|out of).{0,30}(?:alloc|memory|\breg)|(?:alloc|\breg).{0,30}(?:fail|error)": (
        "less memory: an end has 512 MiB, of which 256 MiB may be registered"
    ),
    r"(?:fail|could|can|unable).{0,20}open|no such file": "name the files that it reads in binaries",
    r"SIGSEGV": "-g -fsanitize=address in build; an array of megabytes in a function needs malloc(): a stack has 8 MiB",
    r"SIGILL": "a build without -march or -mavx: the CPU of the VM is a Westmere, without AVX",
    r"but the link carries": "more iterations: a clock that starts or stops within the messages leaves some out",
    r"connection refused": "ready.tcp, ready.cm or ready.line, if the client starts before its server is ready",
}
SOURCES = {  # by the words of a failure: what in a source explains it, and what to do
    r"\bqp\b": (
        r"(?i)q_?key\w*\W+(0x[89a-f][\da-f]{7})\b",
        "choose a Q_Key below 0x80000000, since the others are for privileged programs",
    ),
    r"did not end|\bwc\b|completion|operation error": (
        r"(?s)\A(?!.*initiator_depth)(?=.*(?:RDMA_READ|WR_ATOMIC)).*?(rdma_conn_param|max_rd_atomic = 0)\b",
        "an RDMA READ or atomic needs initiator_depth and responder_resources (max_rd_atomic, max_dest_rd_atomic) >= 1",
    ),
    ENDLESS.pattern: (
        rf"(?s)\A(?=.*{CONNECTS.pattern}).*?({LOOP.pattern})",
        "give this loop a bound, or print a result with its unit in each turn (then client_stays = true ends it)",
    ),
    r"ns are reported, but the site's clock": (
        r"(?s)\A(?!.*tv_[un]sec).*?(\w+\.tv_sec\s*-\s*\w+\.tv_sec)",
        "it counts whole seconds: add the difference of tv_usec (or tv_nsec)",
    ),
    r"": (  # any failure
        r"((?:hton|ntoh)l\s*\(\s*\((?:uintptr_t|u?int64_t|unsigned long(?: long)?)\)\s*\w+\s*\))",
        "it keeps 32 of the 64 bits of an address: use htobe64() and be64toh()",
    ),
}
REFUTED = "iterations in [parameters], at most as many as the program sends, and its unit"
STAYS, LONGER = "client_stays = true", "a larger deadline_s"


def hint(planned: Planned, outcome: Outcome, problems: Iterable[str]) -> str:
    """What may help, in one line; empty for Verbyte's programs, and if nothing is known."""
    if not (build := planned.series.tool.build):
        return ""
    failure = " ".join(problems)
    return "; ".join(filter(None, (_of_outcome(planned, outcome, failure), *_of_sources(build, failure))))


def _of_outcome(planned: Planned, outcome: Outcome, failure: str) -> str:
    tool = planned.series.tool
    if any(step.client_status == DEADLINE_STATUS for step in outcome.steps):
        with suppress(ParseError):
            reading = tool.parse(planned.trial.request, outcome.steps)
            if len(reading.samples) == len(planned.trial.request.counts):
                return f"{LONGER if tool.together else STAYS}, since it has printed a result for every size"
        if what := early_messages(outcome.grown) or still_at_work(outcome.grown):
            return what
    return next((text for pattern, text in HINTS.items() if re.search(pattern, failure, re.IGNORECASE)), "")


def _of_sources(build: Build, failure: str) -> Iterator[str]:
    """The lines of the sources that may explain a failure."""
    for name, content in source_files(build):
        text = content.decode(errors="replace")
        for words, (pattern, what) in SOURCES.items():
            if re.search(words, failure, re.IGNORECASE) and (found := re.search(pattern, text)):
                line = text.count("\n", 0, found.start(1)) + 1
                yield f"{build.folder.name}/{name}:{line} names {found[1]}: {what}"


def early_messages(grown: Mapping[str, int]) -> str:
    """Return a sentence about messages without a receive, as Soft-RoCE and the modelled card count them."""
    early = sum(count for name, count in grown.items() if name.endswith(".rcvd_rnr_err"))
    if not early:
        return ""
    return (
        f"{plural(early, 'message')} arrived before a receive was posted; the sender waited (min_rnr_timer, and longer "
        "over Soft-RoCE) and sent again: post each receive before its sender may send"
    )


def still_at_work(grown: Mapping[str, int]) -> str:
    """Return a sentence about a program that may only be long, as it sent much."""
    sent = max((count for name, count in grown.items() if name.endswith("tx_bytes")), default=0)
    if sent < LITTLE_BYTES:
        return ""
    return f"{LONGER}, or fewer messages in its sources, if it only takes long: {sent} bytes were sent"


def _failure(status: int, console: str) -> str:
    if status == KILLED_STATUS and NO_MEMORY in console:
        return "was ended because it took more memory than it may"
    if status == DEADLINE_STATUS:
        return "did not end before the deadline (deadline_s)"
    if status == FLOODED_STATUS:
        return "was ended because it wrote without end (SIGXFSZ): its output is bounded"
    try:  # exit(-1) is status 255
        return f"was ended by signal {status - 128} ({Signals(status - 128).name})"
    except ValueError:
        return f"ended with status {status}"


def last_words(out: str, err: str) -> str:
    """Return the end of both outputs in one line, without the launcher's message if a rank printed one."""
    err = NOISE.sub("", err)
    errors = BOX.sub("", err).strip() or re.sub(RULE, "", err, flags=re.MULTILINE)
    if rank := UNFINISHED.search(err):
        errors = f"rank {rank[1]} ended without MPI_Finalize()"
    lines = [line for line in out.splitlines() if not SAMPLES_ROW.match(line)]
    return "; standard output: ".join(filter(None, map(_end_of, (errors, "\n".join(lines[-LAST_LINES:])))))


def _end_of(text: str) -> str:
    """The text in one line; of a long one the last words."""
    line = " ".join(text.split())
    end = line[-LAST_LETTERS:]
    return line if end == line else f"... {end.partition(' ')[2] or end}"


def refuted(
    planned: Planned,
    site: SiteFacts,
    outcome: Outcome,
    samples: Iterable[Sample],
    rounded: Mapping[int, float] = MappingProxyType({}),
) -> Iterator[str]:
    """Report each number that the site's counters, its clock or the link's rate refute; rounded: by size, the longest
    true time over the printed one."""
    samples = tuple(samples)
    yield from uncounted_bytes(planned, site.ends, outcome, samples)
    yield from untimed_ns(outcome, samples)
    longest = [replace(each, time_ns=int(each.time_ns * rounded.get(each.size_bytes, 1))) for each in samples]
    yield from above_the_link(planned, site, outcome, longest)


def untimed_ns(outcome: Outcome, samples: Samples) -> Iterator[str]:
    """Report a time, or a mean of one size, that is longer than the steps by the site's clock."""
    spans_ns = sum(step.clock_end_ns - step.clock_start_ns for step in outcome.steps)
    means_ns = (sample.time_ns for sample in samples if sample.sample == "round_trip_mean")
    if (time_ns := max(reported_time_ns(samples), *means_ns, 0)) > spans_ns:
        yield f"{time_ns} ns are reported, but the site's clock advanced by {spans_ns}"


def uncounted_bytes(planned: Planned, ends: Ends, outcome: Outcome, samples: Samples) -> Iterator[str]:
    """Report bytes that did not cross the link; nothing counts them inside one device."""
    if is_loopback(planned.series.tool, ends) or planned.series.tool.together:
        return  # of several computers, any may send the bytes that the first one reports
    counter = counter_name(planned.series, ends, outcome.counters_after)
    counted = outcome.grown.get(counter, 0)
    if (reported := _reported_bytes(samples)) > counted:
        yield f"{reported} bytes are reported, but {counter} counted {counted}: the data took another way"


def counter_name(series: Series, ends: Ends, counted: Container[str]) -> str:
    """Return the byte counter that must include the messages: the kernel's counter misses a NIC's RDMA, and only the
    link itself counts the bytes of a modelled card."""
    is_read = series.operation == "read"
    if series.has_card:
        return f"link{int(is_read)}.bytes"
    name = "rx_bytes" if is_read else "tx_bytes"
    of_device = f"{ends.client.device}.{name}"
    return of_device if series.tool.rdma and of_device in counted else f"{ends.client.interface}.{name}"


def above_the_link(planned: Planned, site: SiteFacts, outcome: Outcome, samples: Iterable[Sample]) -> Iterator[str]:
    """Report the row furthest above the link's limit; data inside one device cross no link."""
    rdma, link = planned.series.tool.rdma, planned.trial.job.link
    if rdma and site.ends.client == site.ends.server:
        return
    states = (outcome.state.get(end) for end in ENDS)
    most = bytes_per_s_most(link, states, rdma=rdma, bypass=planned.series.has_card)
    at_once = bytes_at_once(link, site.traits)
    rows = [sample for sample in samples if sample.sample in RATES and sample.time_ns > 0]
    if most is None or not rows or (at_once and planned.trial.request.parameters.verify):
        return  # checks of bytes silence the link an unknown number of times
    worst = max(rows, key=lambda row: (row.bytes - at_once) / row.time_ns)
    if 1e9 * (worst.bytes - at_once) / worst.time_ns > most:
        what = f"{worst.sample} {worst.index} of {plural(worst.size_bytes, 'byte')}"
        rate = 1e9 * worst.bytes / worst.time_ns
        yield f"{what} comes to {rate:.0f} B/s, but the link carries {most:.0f} B/s at most"


def bytes_per_s_most(link: Link, states: Iterable[object], *, rdma: bool, bypass: bool = False) -> float | None:
    """Return the model's rate less the headers of its frames; a NIC's whole rate, since its frames are unknown."""
    if link.rate_bit_s is not None:
        if link.card and bypass:
            packet = largest_packet(link.mtu)
            return link.rate_bit_s / 8 * packet / (packet + link.card.header_bytes)
        return link.rate_bit_s / 8 * payload_most(link.mtu, rdma=rdma)
    rates = [state.get("rate_bit_s") for state in states if isinstance(state, dict)]
    reported = [rate for rate in rates if isinstance(rate, int) and rate > 0]
    return min(reported) / 8 if reported else None


def payload_most(mtu: int, *, rdma: bool) -> float:
    """Return the largest share of an Ethernet link's bytes that can be payload."""
    if not rdma:
        return (mtu - TCP_LEAST) / (mtu + ETHERNET)
    packet = largest_packet(mtu)
    return packet / (packet + ROCE + ETHERNET)


def bytes_at_once(link: Link, traits: Traits) -> int:
    """Return the burst of the kernel's link model after each silence; the exact site's model has none."""
    from lab.sites.cable import burst_bytes  # imported lazily, as the VM is with it

    return 0 if traits.is_deterministic or link.rate_bit_s is None else burst_bytes(link.rate_bit_s)


def notes(program: Program, traits: Traits, ends: Ends) -> list[str]:
    warnings = []
    if program.both_spin and traits.one_core:
        warnings.append("both ends spun on one core: the numbers hold waits for the scheduler's tick")
    if program.grants:
        warnings.append(f"queues and inline data were as large as a card grants ({program.grants}), not as requested")
    if program.emulated:
        warnings.append(f"a library emulated {' and '.join(program.emulated)} (emulate)")
    if is_loopback(program, ends):
        warnings.append("one device is both ends: the data turned around inside it, and no counter of a link saw them")
    return warnings


def is_loopback(program: Program, ends: Ends) -> bool:
    """Return whether one RDMA device is both ends."""
    return program.rdma and bool(ends.client.device) and ends.client == ends.server


def unaccounted(
    planned: Planned, outcome: Outcome, samples: Iterable[Sample], header: Iterable[str] = ()
) -> Iterator[str]:
    """Report a student program whose times are far below the busy time of its clients by the site's clock.

    The shortest run of a client counts as the time to start; the rest went into messages or sleep. The check misses
    clients that all run equally long, and output without durations or with several lines of a size.
    """
    counts, time_ns = planned.trial.request.counts, reported_time_ns(samples)
    spans_ns = [step.clock_end_ns - step.clock_start_ns for step in outcome.steps]
    if not (planned.series.tool.build and time_ns and spans_ns) or planned.series.tool.chooses_sizes:
        return  # a program that chooses its sizes may have gone through others too
    if any(name.startswith(LINES) for name in header):
        return
    busy_ns = sum(spans_ns) - len(spans_ns) * min(*spans_ns, START_NS)
    with_warmup = max((size.iterations + size.warmup) / size.iterations for size in counts)
    if busy_ns - FIRST_NS > UNACCOUNTED_TIMES * with_warmup * time_ns:
        yield (
            f"the program claims {time_ns / 1e6:.3f} ms, but was busy for {busy_ns / 1e6:.3f} ms by the site's clock: "
            f"its rates may be {busy_ns / with_warmup / time_ns:.0f} times too high"
        )


def unread(planned: Planned, samples: Iterable[Sample]) -> Iterator[str]:
    """Report the sizes without a readable number in the output of a student program."""
    read = {sample.size_bytes for sample in samples}
    lost = sorted(counts.size for counts in planned.trial.request.counts if counts.size not in read)
    if lost and not planned.series.tool.silent:
        yield f"no number could be read for {', '.join(map(str, lost))} bytes: the record's header says why"


def path_of(planned: Planned, ends: Ends, outcome: Outcome, samples: Samples) -> str:
    """Return the path of the messages: a modelled card if its link counted them, else that of `path`."""
    series = planned.series
    if series.link.card and series.has_card and not list(uncounted_bytes(planned, ends, outcome, samples)):
        return f"the modelled card {series.link.card.name}"
    return path(ends, outcome, samples)


def path(ends: Ends, outcome: Outcome, samples: Iterable[Sample]) -> str:
    """Return the first path whose counters grew by all reported bytes. Soft-RoCE comes first, since its packets also
    count as frames of its interface."""
    reported, client, grown = _reported_bytes(tuple(samples)), ends.client, outcome.grown
    for name, unit in (("sent_pkts", PATH_MTU_MOST), ("rcvd_pkts", PATH_MTU_MOST), ("tx_bytes", 1), ("rx_bytes", 1)):
        if client.device and grown.get(f"{client.device}.{name}", 0) * unit >= reported:
            return f"RDMA from {client.device}"
    if max(grown.get(f"{client.interface}.{name}", 0) for name in ("tx_bytes", "rx_bytes")) >= reported:
        return f"the kernel's network from {client.interface}"
    return "none that is counted here"


def _reported_bytes(samples: Samples) -> int:
    """Sum the bytes that arrived, if the receiver reports them: iperf3's sender also counts bytes in its socket."""
    totals = _totals((sample for sample in samples if sample.sample != WINDOW), "bytes")
    return sum(of_size.get("confirmed") or max(of_size.values()) for of_size in totals.values())


def reported_time_ns(samples: Iterable[Sample]) -> int:
    """Sum the longest duration of each size, since stop times and round trips overlap; means do not count."""
    totals = _totals((sample for sample in samples if sample.sample in DURATIONS), "time_ns")
    return sum(max(of_size.values()) for of_size in totals.values())


def _totals(samples: Iterable[Sample], name: str) -> dict[int, dict[str, int]]:
    totals: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for sample in samples:
        totals[sample.size_bytes][sample.sample] += getattr(sample, name)
    return totals
