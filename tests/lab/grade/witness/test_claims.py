"""Claims against what crossed the link."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from lab.grade.finding import Flaw
from lab.grade.witness.claims import LEAST_SAID, Feat, Told, findings, least_ns, said, unseeded
from lab.grade.witness.messages import Message, Piece
from lab.model.parameters import Counts, Parameters
from lab.programs.printed import Printed, read_printed
from lab.programs.program import Reading, Request, Sample

SIZE, COUNT, STEP_NS, OUT, SEED = 64, 20, 100, True, 250
ASKED = Request("own", "send", "latency", (Counts(SIZE, COUNT, 0),), Parameters())
PRINTED = Printed(re.compile(r"avg. (?P<value>\S+) (?P<unit>\S+)"))


def carried(operation: str = "write", size: int = SIZE, count: int = COUNT, step_ns: int = STEP_NS) -> list[Message]:
    """Messages one after the other, each under way for two steps."""
    starts = (number * step_ns for number in range(count))
    return [Message(operation, OUT, start, b"", size, start + 2 * step_ns) for start in starts]


def claim(time_ns: int, count: int = COUNT, operation: str = "write", *, rdma: bool = True) -> Told:
    return Told(operation, rdma, answered=False, size_bytes=SIZE, claims=(Feat(count, time_ns),))


WHOLE_NS = (COUNT + 1) * STEP_NS


def test_what_the_link_carried_in_that_time_is_believed() -> None:
    assert list(findings(claim(WHOLE_NS), carried(), [])) == []
    assert list(findings(claim(round(LEAST_SAID * WHOLE_NS)), carried(), [])) == []


@pytest.mark.parametrize("padded", [0, 50_000])
def test_a_time_that_is_less_is_invented_however_long_the_program_lives(padded: int) -> None:
    late = [*carried(), Message("send", OUT, WHOLE_NS + padded, b"", 1, WHOLE_NS + padded)]
    ((kind, what),) = findings(claim(round(0.97 * WHOLE_NS)), late, [])
    assert kind is Flaw.INVENTED and f"{WHOLE_NS} ns at least" in what


def test_messages_before_the_timed_ones_make_nothing_faster() -> None:
    assert least_ns(carried(count=2 * COUNT), COUNT * SIZE) == WHOLE_NS
    ((kind, _),) = findings(claim(WHOLE_NS // 2), carried(count=2 * COUNT), [])
    assert kind is Flaw.INVENTED


@pytest.mark.parametrize(
    ("messages", "by_tcp", "kind"),
    [
        (carried(size=SIZE * COUNT, count=1), 0, Flaw.MESSAGES),
        (carried(count=COUNT - 1), 0, Flaw.MESSAGES),
        (carried("send"), 0, Flaw.OPERATION),
        ([], SIZE * COUNT, Flaw.WAY),
        (carried(size=1), SIZE * COUNT, Flaw.WAY),
    ],
)
def test_what_is_there_in_place_of_the_messages_is_named(messages: list[Message], by_tcp: int, kind: Flaw) -> None:
    pieces = [Piece(OUT, 0, by_tcp, 1)] if by_tcp else []
    ((found, what),) = findings(claim(10**9), messages, pieces)
    assert found is kind and "20 messages of 64 bytes by write are claimed" in what


def test_a_message_with_immediate_data_is_a_write_but_no_write_is_one_with_immediate_data() -> None:
    assert list(findings(claim(10**9), carried("write-imm"), [])) == []
    ((kind, _),) = findings(claim(10**9, operation="write-imm"), carried("write"), [])
    assert kind is Flaw.OPERATION


def test_of_tcp_the_bytes_are_seen() -> None:
    pieces = [Piece(OUT, number * STEP_NS, 1000, (number + 2) * STEP_NS) for number in range(2)]
    assert list(findings(claim(3 * STEP_NS, 31, rdma=False), [], pieces)) == []
    ((kind, _),) = findings(claim(2 * STEP_NS, 31, rdma=False), [], pieces)
    assert kind is Flaw.INVENTED
    ((kind, _),) = findings(claim(10**9, 32, rdma=False), [], pieces)
    assert kind is Flaw.MESSAGES


@pytest.mark.parametrize("size", [1, 5, 8, 64])
def test_each_message_begins_with_the_seed_and_its_number(size: int) -> None:
    seeded = carried(size=size)
    for number, each in enumerate(seeded):
        each.head = (SEED + number).to_bytes(8, "little")[:size] + bytes(3)
    claimed = Told("write", rdma=True, answered=False, size_bytes=size, claims=(Feat(COUNT, 10**9),))
    assert list(unseeded(claimed, seeded[::-1], SEED)) == []
    seeded[3].head = seeded[4].head
    ((kind, what),) = unseeded(claimed, seeded, SEED)
    assert kind is Flaw.DATA and f"1 of {COUNT} messages of {size} bytes" in what


def test_single_round_trips_are_a_claim_together_and_a_mean_is_one_for_all() -> None:
    samples = [Sample(SIZE, "round_trip", number, 1, SIZE, 7) for number in range(3)]
    samples += [Sample(8, "round_trip_mean", 0, 5, 40, 9), Sample(8, "settled", 0, 1, 8, 1)]
    one, other = said(ASKED, Reading({}, tuple(samples), {8: 1.5}), rdma=True)
    assert one.claims == (*[Feat(1, 7)] * 3, Feat(3, 21)) and one.answered
    assert other.claims == (Feat(5, 45),) and (one.rounded, other.rounded) == (1.0, 1.5)


SLOW_NS = 39_814  # a step of 1.46 MiB/s


def printed(value: str, measure: str, unit: str) -> Told:
    """What is read of a line that knows nothing of the lab."""
    asked = replace(ASKED, operation="write", measure=measure)
    reading = read_printed(PRINTED, asked, [(f"avg. {value} {unit}", asked.counts)])
    (told,) = said(asked, reading, rdma=True)
    return replace(told, answered=False)


@pytest.mark.parametrize("value", ["1.46", "1.49", "1.5", "1", "1e0", "0.7"])
def test_a_rate_that_was_rounded_honestly_is_believed(value: str) -> None:
    assert list(findings(printed(value, "throughput", "MiB/s"), carried(step_ns=SLOW_NS), [])) == []


@pytest.mark.parametrize("value", ["1.50", "1.6", "2", "2e0", "1500e-3"])
def test_a_rate_above_what_its_digits_leave_open_is_invented(value: str) -> None:
    assert [kind for kind, _ in findings(printed(value, "throughput", "MiB/s"), carried(step_ns=SLOW_NS), [])] == [
        Flaw.INVENTED
    ]


@pytest.mark.parametrize(
    ("value", "found"), [("41", 0), ("41.8", 0), ("40", 0), ("39", 1), ("40.9", 1), ("4e1", 0), ("3e1", 1)]
)
def test_a_whole_number_of_a_time_may_have_been_cut(value: str, found: int) -> None:
    """A message took 41.8 microseconds."""
    assert len(list(findings(printed(value, "latency", "us"), carried(step_ns=SLOW_NS), []))) == found


def trips(window: int, operation: str = "send", beside: int = 0) -> list[Message]:
    """Round trips of three steps, so many under way together; `beside`, messages without an answer."""
    made = [Message(operation, OUT, -STEP_NS * (each + 1), b"", SIZE, 0) for each in range(beside)]
    for number in range(COUNT):
        start = number * 3 * STEP_NS // window
        made.append(Message(operation, OUT, start, b"", SIZE, start + 2 * STEP_NS))
        made.append(Message(operation, not OUT, start + 2 * STEP_NS, b"", SIZE, start + 3 * STEP_NS))
    return made


def round_trips(mean_ns: int, operation: str = "send") -> Told:
    return Told(operation, rdma=True, answered=True, size_bytes=SIZE, claims=(Feat(COUNT, COUNT * mean_ns),))


@pytest.mark.parametrize("beside", [0, 1, 5])
def test_round_trips_one_after_the_other_are_believed_whatever_else_was_sent(beside: int) -> None:
    assert list(findings(round_trips(3 * STEP_NS), trips(1, beside=beside), [])) == []


@pytest.mark.parametrize("window", [2, 3, 16])
def test_round_trips_that_were_under_way_together_are_none(window: int) -> None:
    """A program that keeps a window of them open says a part of the time that one takes."""
    ((kind, what),) = findings(round_trips(3 * STEP_NS // window), trips(window), [])
    assert kind is Flaw.MESSAGES and "waited for the answer to the one before" in what


def test_of_reads_the_next_is_asked_for_when_the_one_before_is_there() -> None:
    one_by_one = [replace(each, start_ns=2 * each.start_ns, end_ns=2 * each.start_ns + 200) for each in carried("read")]
    assert list(findings(round_trips(2 * STEP_NS, "read"), one_by_one, [])) == []
    ((kind, what),) = findings(round_trips(STEP_NS, "read"), carried("read"), [])
    assert kind is Flaw.MESSAGES and f"1 of {COUNT} messages waited" in what
