"""What the link carried in a trial, by the log of its frames: it shows which printed number is the result."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, cached_property
from itertools import accumulate, groupby, pairwise
from operator import attrgetter
from pathlib import Path
from statistics import mean, median

from lab.cli.adopt.outputs import MEAN, Output
from lab.errors import ParseError
from lab.grade.witness.claims import Seen
from lab.grade.witness.messages import Message, Piece, exchanges, one_by_one, shortest_ns, sum_bytes
from lab.machine.results import CLIENT, NAMES
from lab.model.parameters import Counts
from lab.model.trial import Job, Outcome
from lab.plan.plan import Planned
from lab.programs.printed import Printed, by_rank, bytes_of, output, read_printed
from lab.sites.site import Logged, Site

LEAST_MESSAGES = 4
PAUSE = 3  # times the usual time, between two parts of a program
TO_CONNECT = 10  # datagrams of rdma_cm, in both directions
NEAR, EXACTLY = 1.3, 1.1  # times the time of a message: programs leave out or include the first and the last ones
POSSIBLE = 4.0  # also a distance for numbers that the log neither shows nor excludes
WINDOW_BYTES = 1 << 16
MOST_BYTES = 1 << 26  # of a log: 400,000 frames
MANY_BYTES = 1024  # sizes that headers do not hide
SAME_BYTES = 0.8  # in the other direction


class Watched(Logged):
    """A site whose latest trial tells the messages of its link."""

    def __init__(self, site: Site, folder: Path) -> None:
        super().__init__(site, folder)
        self.job: Job | None = None
        self.seen: Seen | None = None

    def run(self, job: Job) -> Outcome:
        outcome = super().run(job)
        self.job, self.seen = without_token(job), None
        return outcome

    def has_run(self, planned: Planned) -> bool:
        """Whether the latest job was that of a trial, however its output was read."""
        return self.job == without_token(planned.trial.job)

    def link(self, planned: Planned) -> "Traffic | None":
        """The messages of the latest trial; None without its log, or if to read it would take longer than seconds."""
        log = self.folder / f"{NAMES[CLIENT]}.pcapng"
        is_short = log.exists() and log.stat().st_size <= MOST_BYTES
        if not self.outcome or not self.has_run(planned) or not is_short or planned.series.tool.together:
            return None
        self.seen = self.seen or Seen.of(planned, self.folder)
        return Traffic(self.seen, planned, self.outcome)


def without_token(job: Job) -> Job:
    return replace(job, environment=())


@dataclass(frozen=True)
class Pace:
    """The messages of one size: how many, and the time of each at the steadiest and on the whole."""

    messages: int
    steady_ns: float
    whole_ns: float
    both_ways: bool  # as many come back
    in_turns: bool  # each behind the answer to the one before
    at_once_ns: float = 0  # on the whole, until the later one of two directions at once has ended

    def allows(self, result: Output) -> bool:
        """Whether the factor may be that of a half of a round trip, or of the sum of both directions at once."""
        return result.factor in (None, 1) or (self.both_ways and self.in_turns is (result.measure == "latency"))

    def agrees(self, time_ns: float, measure: str) -> bool:
        return replace(self, whole_ns=max(self.whole_ns, self.at_once_ns)).distance(time_ns, measure) <= NEAR

    def distance(self, time_ns: float, measure: str) -> float:
        """The factor between a time and the nearest one of these two; a time between them is near. A rate of messages
        in turn may be that of both directions, as one message is in flight all the time."""
        times = (time_ns, 2 * time_ns) if self.in_turns and measure == "throughput" else (time_ns,)
        return min(map(self._distance, times)) if time_ns else math.inf

    def _distance(self, time_ns: float) -> float:
        paces = sorted((self.steady_ns, self.whole_ns))
        nearest = min(max(pace / time_ns, time_ns / pace) for pace in paces)
        return min(nearest, NEAR) if paces[0] <= time_ns <= paces[1] else nearest


class Traffic:
    def __init__(self, seen: Seen, planned: Planned, outcome: Outcome) -> None:
        self.seen, self.planned = seen, planned
        self.sizes = [counts.size for counts in planned.trial.request.counts]
        steps = [by_rank(step) if planned.series.tool.launched else step for step in outcome.steps]
        self.texts = [[output(step, end, with_errors=True) for step in steps] for end in NAMES]
        self.at_once = False  # both directions, by a call for both
        self.pace, self.printed_ns = cache(self._pace), cache(self._printed_ns)

    def _pace(self, size_bytes: int) -> Pace | None:
        """The messages of a size; None if the log does not tell them from others."""
        if messages := self.seen.rdma.messages:
            return pace_of([message for message in messages if message.size_bytes == size_bytes])
        pairs = self.seen.streams.pieces
        if size_bytes in self.sizes and (len(pairs) == len(self.sizes) > 1 or self.planned.series.tool.one_size):
            pieces = pairs[self.sizes.index(size_bytes) % len(pairs)]
            pace = self._pace_of_requests(pieces, size_bytes) or pace_of_bytes(pieces, size_bytes)
            return replace(pace, in_turns=False) if pace and self.at_once else pace
        pace = pace_of([turn for pieces in pairs for turn in self._turns(pieces, size_bytes)])
        return pace if pace and pace.both_ways else None

    def _pace_of_requests(self, pieces: Sequence[Piece], size_bytes: int) -> Pace | None:
        """The pace of messages with longer answers; None without such answers."""
        asked = [turn for turn in self._turns(pieces, size_bytes) if turn.goes_out]
        are_all = sum_bytes(asked) >= SAME_BYTES * sum_bytes(piece for piece in pieces if piece.goes_out)
        pace = pace_of(asked) if are_all and most_comes_in(pieces) else None
        return replace(pace, both_ways=True, in_turns=True) if pace else None

    def _turns(self, pieces: Sequence[Piece], size_bytes: int) -> Iterator[Piece]:
        """The messages of ends that send in turns."""
        if self.planned.series.tool.launched and size_bytes >= MANY_BYTES:
            for turn in exchanges(pieces, size_bytes):
                yield from (turn, replace(turn, goes_out=False, start_ns=turn.end_ns))
        for goes_out, group in groupby(pieces, lambda piece: piece.goes_out):
            run = list(group)
            if not self.planned.series.tool.launched and sum(piece.size_bytes for piece in run) == size_bytes:
                yield Piece(goes_out, run[0].start_ns, size_bytes, run[-1].end_ns)

    def operation(self, named: Sequence[str]) -> str:
        """Most messages of RDMA, of the named operations if there is one; empty over TCP."""
        of_sizes = [message for message in self.repeated if message.size_bytes in self.sizes]
        counted = Counter(message.operation for message in of_sizes or self.repeated)
        return max(counted, key=lambda name: (name in named, counted[name]), default="")

    @property
    def comes_in(self) -> bool:
        """Whether most bytes of TCP went to the client."""
        return most_comes_in([piece for pieces in self.seen.streams.pieces for piece in pieces])

    @property
    def size(self) -> int:
        """Of the RDMA messages with most bytes; 0 over TCP."""
        counted = Counter(message.size_bytes for message in self.repeated)
        return max(counted, key=lambda size: size * counted[size], default=0)

    @cached_property
    def repeated(self) -> list[Message]:
        """The messages of RDMA of a size that occurs often, unlike those that connect."""
        counted = Counter(message.size_bytes for message in self.seen.rdma.messages)
        return [message for message in self.seen.rdma.messages if counted[message.size_bytes] > TO_CONNECT]

    @property
    def messages(self) -> int:
        """The fewest messages of a size in the experiment; 0 for an unknown number."""
        return min((pace.messages for size in self.sizes if (pace := self.pace(size))), default=0)

    def result(self, candidates: Sequence[Output], unnamed: Iterable[Output], *, at_once: bool) -> Output | None:
        """The first output whose numbers are those of the link, as they are, as a half of a round trip or as a total;
        else one that is possible; else the nearest number, with any unit. at_once: one call is for both directions."""
        self.at_once = at_once
        halves = [form for each in candidates for form in half(each)]
        totals = [form for each in candidates for form in total(each)]
        whole = [*candidates, *totals]
        for forms, most in ((candidates, EXACTLY), (halves, EXACTLY), (totals, EXACTLY), (whole, NEAR)):
            if first := next((each for each in forms if self.distance(each) <= most), None):
                return self._confirmed(first)
        possible = next((each for each in candidates if self.distance(each) <= POSSIBLE), None)
        return possible or self._nearest(form for each in unnamed for form in (each, *half(each)))

    def _nearest(self, outputs: Iterable[Output]) -> Output | None:
        def worth(each: Output) -> tuple[float, bool, bool]:
            is_other = re.search("cycle|tick", each.name, re.IGNORECASE)
            return round(self.distance(each), 2), bool(is_other), not MEAN.search(each.name)

        nearest = min(outputs, key=worth, default=None)
        return self._confirmed(nearest) if nearest and self.distance(nearest) <= EXACTLY else None

    def _confirmed(self, result: Output) -> Output:
        """The output with its factor, unless it is a rate of messages in turn: what it counts, its words must tell."""
        paces = map(self.pace, self.printed_ns(result))
        is_open = result.measure == "throughput" and any(pace.in_turns for pace in paces if pace)
        return replace(result, is_carried=True, factor=result.factor or (None if is_open else 1))

    def distance(self, result: Output) -> float:
        """How far the printed numbers are from those of the link: 1 for equal ones, infinite for impossible ones."""
        printed = self.printed_ns(result)
        known = [(ns, pace) for size, ns in printed.items() if (pace := self.pace(size))]
        if not printed or not all(pace.allows(result) for _, pace in known):
            return math.inf
        if known:  # of most sizes
            distances = sorted(pace.distance(ns, result.measure) for ns, pace in known)
            return distances[(3 * len(distances) - 1) // 4]
        is_possible = all(ns * self.bytes_per_ns * NEAR >= size for size, ns in printed.items())
        return POSSIBLE if is_possible else math.inf

    @cached_property
    def bytes_per_ns(self) -> float:
        """The highest rate of the log, of at least as many bytes as a busy link has in flight."""
        pieces = (piece for pieces in self.seen.streams.pieces for piece in pieces)
        carried: list[Message | Piece] = [*self.seen.rdma.messages, *pieces]
        times_ns = shortest_ns(sorted(carried, key=attrgetter("end_ns")), WINDOW_BYTES)
        return WINDOW_BYTES / times_ns if times_ns else math.inf

    def _printed_ns(self, result: Output) -> dict[int, float]:
        """By size, the time of a message that an output says."""
        request = replace(self.planned.trial.request, measure=result.measure)
        factor, unit = Decimal(str(result.factor or 1)), result.size_unit or "B"
        form = Printed(
            re.compile(result.pattern, re.ASCII), result.unit, factor=factor, size_unit=unit, sizes_of_its_own=True
        )
        for texts in self.texts:
            sizes = sizes_in(result, "\n".join(texts)) or self.sizes
            counts = tuple(self._counts(size) for size in sizes)
            per_step = [counts] * len(texts) if result.has_size or len(texts) == 1 else [(each,) for each in counts]
            try:
                parts = [*zip(texts, per_step, strict=False)]
                reading = read_printed(form, replace(request, counts=counts), parts)
            except ParseError:
                continue
            return {
                each.size_bytes: each.time_ns / (1 if result.measure == "latency" else each.messages)
                for each in reading.samples
            }
        return {}

    def _counts(self, size_bytes: int) -> Counts:
        pace = self.pace(size_bytes)
        return Counts(size_bytes, pace.messages if pace else self.planned.trial.request.counts[0].iterations, 0)


def total(result: Output) -> Iterator[Output]:
    """The same number as the time of all messages."""
    if result.measure == "latency" and "(?P<value>" in result.pattern:
        yield replace(result, pattern=result.pattern.replace("(?P<value>", "(?P<total>"))


def half(result: Output) -> Iterator[Output]:
    """The same number as a half of a round trip, or as the sum of both directions."""
    yield replace(result, factor=2 if result.measure == "latency" else 0.5)


def sizes_in(result: Output, text: str) -> list[int]:
    matches = (re.search(result.pattern, line) for line in text.splitlines() if result.has_size)
    found = (match["size"] for match in matches if match)
    return [size for each in dict.fromkeys(found) if (size := bytes_of(each, result.size_unit or "B"))]


def pace_of(messages: Sequence[Message | Piece]) -> Pace | None:
    """The pace in the direction of most messages; None of few messages."""
    main, back = by_way(messages)
    count = len(main)
    if count < LEAST_MESSAGES:
        return None
    both_ways, ends, quarter = len(back) >= SAME_BYTES * count, sorted(message.end_ns for message in main), count // 4
    in_order = sorted(messages, key=attrgetter("start_ns"))
    in_turns = changes(in_order) >= SAME_BYTES * 2 * count if both_ways else len(one_by_one(main)) >= SAME_BYTES * count
    steady_ns = (ends[count - 1 - quarter] - ends[quarter]) / (count - 1 - 2 * quarter)
    if in_turns:
        times_ns = [second - first for first, second in pairwise(ends)]
        longest_ns = PAUSE * median(times_ns)
        steady_ns = mean(ns for ns in times_ns if ns <= longest_ns)
    whole_ns = (ends[-1] - min(message.start_ns for message in main)) / count
    at_once_ns = (max(message.end_ns for message in messages) - in_order[0].start_ns) / count
    return Pace(count, steady_ns, whole_ns, both_ways, in_turns, 0 if in_turns or not both_ways else at_once_ns)


def changes(carried: Sequence[Message | Piece]) -> int:
    """How often one end sent after all of the other end's data had arrived."""
    return sum(
        first.goes_out != second.goes_out and first.end_ns <= second.start_ns for first, second in pairwise(carried)
    )


def pace_of_bytes(pieces: Sequence[Piece], size_bytes: int) -> Pace | None:
    """The pace of messages of this size by the bytes of a connection."""
    main, back = by_way(pieces)
    sums = [*accumulate(piece.size_bytes for piece in main)]
    if not sums or sums[-1] < LEAST_MESSAGES * size_bytes:
        return None
    first, last = (bisect_left(sums, share * sums[-1]) for share in (0.25, 0.75))
    whole_ns = (main[-1].end_ns - main[0].start_ns) * size_bytes / sums[-1]
    middle = sums[last] - sums[first]
    steady_ns = (main[last].end_ns - main[first].end_ns) * size_bytes / middle if middle else whole_ns
    count = sums[-1] // size_bytes
    in_turns = changes(pieces) >= SAME_BYTES * 2 * count
    return Pace(count, steady_ns, whole_ns, sum_bytes(back) >= SAME_BYTES * sums[-1], in_turns)


def most_comes_in(pieces: Sequence[Piece]) -> bool:
    sent, received = (sum_bytes(piece for piece in pieces if piece.goes_out is way) for way in (True, False))
    return sent < SAME_BYTES * received


def by_way(carried: Sequence[Message | Piece]) -> list[list[Message | Piece]]:
    """Those of each direction, the one with most bytes first."""
    ways = [[each for each in carried if each.goes_out == way] for way in (True, False)]
    return sorted(ways, key=lambda way: (sum_bytes(way), len(way)), reverse=True)
