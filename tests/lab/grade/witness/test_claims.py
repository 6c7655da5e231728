"""Claims of programs compared with what crossed the link."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.grade.witness import wire
from tests.lab.grade.witness.test_packets import block

from lab.errors import plural
from lab.grade.finding import Flaw
from lab.grade.witness.claims import (
    LARGEST,
    LEAST_CLAIMED,
    MOST_BESIDE_BYTES,
    Claim,
    Seen,
    SizeClaims,
    beside,
    claim_faults,
    claims_of,
    data_faults,
    forged,
    method_faults,
)
from lab.grade.witness.messages import Message, Piece
from lab.grade.witness.packets import INSIDE, MESSAGE, REPORTED, RUNG
from lab.model.parameters import Counts, Parameters
from lab.model.trial import Outcome, StepOutcome
from lab.programs.printed import Printed, read_printed
from lab.programs.program import Reading, Request, Sample
from lab.submission.assignment import TaskStep

SIZE, COUNT, STEP_NS, OUT, SEED = 64, 20, 100, True, 250
WHOLE_NS = (COUNT + 1) * STEP_NS
SLOW_NS = 39_814  # a step of 1.46 MiB/s
REQUEST = Request("own", "send", "latency", (Counts(SIZE, COUNT, 0),), Parameters())
PRINTED = Printed(re.compile(r"avg. (?P<value>\S+) (?P<unit>\S+)"))
STEP = StepOutcome("", "", "", "", 0, 0, 0, 1)
OUTCOME = Outcome((STEP, STEP), {"rxe0.sent_pkts": 5}, {"rxe0.sent_pkts": 105, "rxe1.sent_pkts": 20}, 0, 1, "", 0.0)


def carried(operation: str = "write", size: int = SIZE, count: int = COUNT, step_ns: int = STEP_NS) -> list[Message]:
    """Messages one after the other, each in flight for two steps."""
    starts = (number * step_ns for number in range(count))
    return [Message(operation, OUT, start, b"", size, start + 2 * step_ns) for start in starts]


def claim(time_ns: int, count: int = COUNT, operation: str = "write", *, rdma: bool = True) -> SizeClaims:
    return SizeClaims(operation, rdma, answered=False, size_bytes=SIZE, claims=(Claim(count, time_ns),))


def kinds(claimed: SizeClaims, messages: list[Message], pieces: tuple[Piece, ...] = ()) -> list[Flaw]:
    return [kind for kind, _ in claim_faults(claimed, messages, pieces)]


def trips(window: int, beside: int = 0) -> list[Message]:
    """Round trips of three steps, so many in flight together; `beside`, messages without an answer."""
    messages = [Message("send", OUT, -STEP_NS * (number + 1), b"", SIZE, 0) for number in range(beside)]
    for number in range(COUNT):
        start = number * 3 * STEP_NS // window
        messages.append(Message("send", OUT, start, b"", SIZE, start + 2 * STEP_NS))
        messages.append(Message("send", not OUT, start + 2 * STEP_NS, b"", SIZE, start + 3 * STEP_NS))
    return messages


def round_trips(mean_ns: int, operation: str = "send") -> SizeClaims:
    return SizeClaims(operation, rdma=True, answered=True, size_bytes=SIZE, claims=(Claim(COUNT, COUNT * mean_ns),))


def apart(messages: list[Message]) -> list[Message]:
    """The same messages, each sent after the end of the one before."""
    return [replace(each, start_ns=2 * each.start_ns, end_ns=2 * (each.start_ns + STEP_NS)) for each in messages]


TWO = tuple(Piece(OUT, number * STEP_NS, 1000, (number + 2) * STEP_NS) for number in range(2))
BACK = tuple(replace(piece, goes_out=not OUT) for piece in TWO)
LATE = tuple(Message("send", OUT, WHOLE_NS + padded, b"", 1, WHOLE_NS + padded) for padded in (0, 50_000))


@pytest.mark.parametrize(
    ("claimed", "messages", "pieces", "flaws"),
    [
        (claim(WHOLE_NS), [*carried(), LATE[0]], (), []),
        (claim(round(LEAST_CLAIMED * WHOLE_NS)), [*carried(), LATE[1]], (), []),
        (claim(round(0.97 * WHOLE_NS)), [*carried(), LATE[0]], (), [Flaw.INVENTED]),
        (claim(round(0.97 * WHOLE_NS)), [*carried(), LATE[1]], (), [Flaw.INVENTED]),
        (claim(WHOLE_NS // 2), carried(count=2 * COUNT), (), [Flaw.INVENTED]),  # untimed messages do not help
        (claim(10**9), carried("write-imm"), (), []),
        (claim(10**9, operation="write-imm"), carried("write"), (), [Flaw.OPERATION]),
        (claim(3 * STEP_NS, 31, rdma=False), [], TWO, []),
        (claim(2 * STEP_NS, 31, rdma=False), [], TWO, [Flaw.INVENTED]),
        (claim(10**9, 32, rdma=False), [], TWO, [Flaw.MESSAGES]),
        (claim(10**9, 31, "read", rdma=False), [], BACK, []),
        (claim(10**9, 31, "read", rdma=False), [], TWO, [Flaw.MESSAGES]),
        (replace(claim(10**9), claims=(Claim(1, 10**9), Claim(2, 10**9))), carried(count=1), (), [Flaw.MESSAGES]),
        (replace(claim(10**9, 1), size_bytes=LARGEST), carried(size=LARGEST // 2), (), [Flaw.MESSAGES]),
        (replace(claim(10**9), alone=True), apart(carried()), (), []),
        (replace(claim(10**9), alone=True), carried(), (), [Flaw.MESSAGES]),
        *((round_trips(3 * STEP_NS), trips(1, beside), (), []) for beside in (0, 1, 5)),
        (round_trips(2 * STEP_NS, "read"), apart(carried("read")), (), []),
    ],
)
def test_claims_are_compared_with_the_traffic(
    claimed: SizeClaims, messages: list[Message], pieces: tuple[Piece, ...], flaws: list[Flaw]
) -> None:
    assert kinds(claimed, messages, pieces) == flaws


@pytest.mark.parametrize(
    ("messages", "by_tcp", "kind"),
    [
        (carried(size=SIZE * COUNT, count=1), 0, Flaw.MESSAGES),
        (carried(count=COUNT - 1), 0, Flaw.MESSAGES),
        (carried("send", size=SIZE + 1), 0, Flaw.MESSAGES),
        (carried("send"), 0, Flaw.OPERATION),
        ([], SIZE * COUNT // 2, Flaw.WAY),
        ([], SIZE * COUNT // 2 - 1, Flaw.MESSAGES),
        (carried(size=1), SIZE * COUNT, Flaw.WAY),
    ],
)
def test_missing_messages_are_named_with_the_traffic_instead(messages: list[Message], by_tcp: int, kind: Flaw) -> None:
    pieces = [Piece(OUT, 0, by_tcp, 1)] if by_tcp else []
    ((flaw, what),) = claim_faults(claim(10**9), messages, pieces)
    assert flaw is kind and "the program claims 20 messages of 64 bytes by write" in what
    size = plural(messages[0].size_bytes, "byte") if messages else ""
    there = f"{len(messages)} of {size} by {messages[0].operation}" if messages else "no message"
    assert f"the link had {there}" in what


def test_messages_by_another_device_are_named() -> None:
    ((kind, what),) = claim_faults(claim(10**9), [], [], carried())
    assert kind is Flaw.WAY and f"and {SIZE * COUNT} by another device" in what


def test_most_exaggerated_time_of_a_size_is_named() -> None:
    claims = tuple(Claim(COUNT, WHOLE_NS // part) for part in (2, 4, 3))
    ((_, what),) = claim_faults(replace(claim(1), claims=claims), carried(), ())
    assert f"in {WHOLE_NS // 4} ns; the link needed" in what


def test_messages_without_an_acknowledgement_or_answer_do_not_count() -> None:
    lost = [replace(message, arrived=False) for message in carried()]
    ((kind, what),) = claim_faults(claim(10**9), lost, ())
    assert kind is Flaw.MESSAGES and f"no acknowledgement shows that {COUNT} of this size arrived" in what
    ((_, what),) = claim_faults(claim(10**9), [replace(message, size_bytes=SIZE + 1) for message in lost], ())
    assert "acknowledge" not in what
    assert kinds(claim(10**9), [*lost, *carried()]) == []
    assert kinds(round_trips(3 * STEP_NS), [replace(trip, arrived=False) for trip in trips(1)]) == []


@pytest.mark.parametrize("size", [1, 5, 8, 64])
def test_each_message_must_begin_with_the_seed_and_its_number(size: int) -> None:
    seeded = carried(size=size)
    for number, message in enumerate(seeded):
        message.head = (SEED + number).to_bytes(8, "little")[:size] + bytes(3)
    claimed = SizeClaims("write", rdma=True, answered=False, size_bytes=size, claims=(Claim(COUNT, 10**9),))
    assert list(data_faults(claimed, seeded[::-1], SEED)) == list(data_faults(claimed, [], SEED)) == []
    seeded[3].head = seeded[4].head
    ((kind, what),) = data_faults(claimed, seeded, SEED)
    assert kind is Flaw.DATA and f"1 of {COUNT} messages of {plural(size, 'byte')}" in what


def test_single_round_trips_are_also_one_claim_together() -> None:
    samples = [Sample(SIZE, "round_trip", number, 1, SIZE, 7) for number in range(3)]
    samples += [Sample(8, "round_trip_mean", 0, 5, 40, 9), Sample(8, "settled", 0, 1, 8, 1)]
    single, mean = claims_of(REQUEST, Reading({}, tuple(samples), {8: 1.5}), rdma=True)
    assert single.claims == (*[Claim(1, 7)] * 3, Claim(3, 21)) and single.answered
    assert mean.claims == (Claim(5, 45, typical=True),) and (single.rounded, mean.rounded) == (1.0, 1.5)


@pytest.mark.parametrize(
    ("measure", "unit", "honest", "invented"),
    [
        ("throughput", "MiB/s", "1.46 1.49 1.5 1 1e0 0.7", "1.50 1.6 2 2e0 1500e-3"),
        ("latency", "us", "41 41.8 40 4e1", "39 40.9 3e1"),  # a message takes 41.8; C cuts whole numbers
    ],
)
def test_printed_digits_decide_how_exact_a_claim_is(measure: str, unit: str, honest: str, invented: str) -> None:
    for values, faults in ((honest, []), (invented, [Flaw.INVENTED])):
        for value in values.split():
            request = replace(REQUEST, operation="write", measure=measure)
            reading = read_printed(PRINTED, request, [(f"avg. {value} {unit}", request.counts)])
            (claimed,) = claims_of(request, reading, rdma=True)
            assert kinds(replace(claimed, answered=False), carried(step_ns=SLOW_NS)) == faults, value


@pytest.mark.parametrize(
    ("asked", "posted", "what"),
    [
        ({"inline_up_to": SIZE}, INSIDE, ""),
        ({"inline_up_to": SIZE}, RUNG | REPORTED, "IBV_SEND_INLINE is missing for 20 of 20 messages of 64 bytes"),
        ({"inline_up_to": SIZE - 1}, 0, ""),
        ({"list_of": 2}, RUNG, ""),  # half as long
        ({"list_of": 3}, RUNG, "20 calls posted 20 messages of 64 bytes"),
        ({"signals_each": 16}, REPORTED, "20 signals for 20 messages of 64 bytes (the step asks for one in 16)"),
        ({"signals_each": 16}, INSIDE | RUNG, ""),
        ({"signals_each": 2}, REPORTED, ""),  # twice as often
        ({"signals_each": 3}, REPORTED, "20 signals for"),
    ],
)
def test_requests_are_posted_as_the_step_asks(asked: dict[str, Any], posted: int, what: str) -> None:
    step = TaskStep("many", 1, "it works", **asked)
    messages = [replace(message, posted=posted) for message in carried()]
    found = list(method_faults(claim(10**9), messages, step))
    assert [kind for kind, _ in found] == ([Flaw.METHOD] if what else []) and all(what in text for _, text in found)


@pytest.mark.parametrize(
    ("claimed", "messages"),
    [
        *((round_trips(3 * STEP_NS // window), trips(window)) for window in (2, 3, 16)),
        (round_trips(STEP_NS, "read"), carried("read")),
    ],
)
def test_round_trips_in_flight_together_are_not_believed(claimed: SizeClaims, messages: list[Message]) -> None:
    ((kind, what),) = claim_faults(claimed, messages, [])
    assert kind is Flaw.MESSAGES and "waited for the answer to the one before" in what


@pytest.mark.parametrize(("typical_ns", "flaws"), [(100, []), (98, []), (97, [Flaw.INVENTED])])
def test_printed_round_trip_may_be_a_median(typical_ns: int, flaws: list[Flaw]) -> None:
    """The first round trip over TCP is slow, since it connects."""
    pieces, now = list[Piece](), 0
    for trip_ns in (5000, *[100] * (COUNT - 1)):
        pieces += (Piece(OUT, now, SIZE, now + 50), Piece(not OUT, now + trip_ns - 10, SIZE, now + trip_ns))
        now += trip_ns
    claimed = SizeClaims("send", rdma=False, answered=True, size_bytes=SIZE, claims=(Claim(COUNT, COUNT * 100),))
    assert kinds(claimed, [], tuple(pieces)) == [Flaw.INVENTED]  # the times of all round trips
    claims = (Claim(COUNT, COUNT * typical_ns, typical=True),)
    assert kinds(replace(claimed, claims=claims), [], tuple(pieces)) == flaws


@pytest.mark.parametrize(
    ("client", "server", "what"),
    [
        (100, 20, []),
        (101, 20, ["101 packets of RDMA left the client, and its device sent 100"]),
        (100, 21, ["21 packets of RDMA left the server, and its device sent 20"]),
    ],
)
def test_packets_without_a_device_are_named(client: int, server: int, what: list[str]) -> None:
    assert list(forged(OUTCOME, Counter({True: client, False: server}))) == [(Flaw.WAY, sentence) for sentence in what]


def test_packets_that_come_in_from_a_switch_have_no_known_sender() -> None:
    together = replace(OUTCOME, counters_after=OUTCOME.counters_after | {"rank1.link0.bytes": 1})
    for client, faults in ((100, 0), (101, 1)):
        assert len(list(forged(together, Counter({True: client, False: 99})))) == faults


@pytest.mark.parametrize("by_card", [False, True])
def test_messages_of_a_log_went_by_the_claimed_device_or_around_it(tmp_path: Path, by_card: bool) -> None:  # noqa: FBT001
    frames = [wire.roce(1, wire.WRITE_ONLY, size=64), wire.by_card(2, MESSAGE, size=80), wire.tcp(3, 99, syn=True)]
    (tmp_path / "log").write_bytes(b"".join(map(block, [*frames, wire.tcp(4, 100, 30)])))
    seen = Seen(tmp_path / "log", (18800,), by_card=by_card)
    sizes = [[message.size_bytes for message in there.messages] for there in (seen.rdma, seen.around)]
    assert sizes == ([[80], [64]] if by_card else [[64], [80]]) and seen.packets == {True: 1}
    assert [piece.size_bytes for piece in seen.streams.pieces[0]] == [30]


def test_large_message_may_go_in_several_requests() -> None:
    for answered, trips in ((False, 1), (True, 2)):
        ways, sizes = range(trips), enumerate((LARGEST, 8))
        parts = [Message("write", not way, start, b"", size, 9) for start, size in sizes for way in ways]
        sized = SizeClaims("write", rdma=True, answered=answered, size_bytes=LARGEST + 8, claims=(Claim(1, 10**9),))
        assert kinds(sized, parts) == [] and kinds(sized, parts[trips:]) == [Flaw.MESSAGES]


@pytest.mark.parametrize(("bytes_", "faults"), [(2 * MOST_BESIDE_BYTES, 0), (2 * MOST_BESIDE_BYTES + 1, 1)])
def test_data_beside_the_link_is_bounded(bytes_: int, faults: int) -> None:
    counters = {"side0.bytes": bytes_ // 2, "side1.bytes": bytes_ - bytes_ // 2}
    assert len(list(beside(replace(OUTCOME, counters_after=counters)))) == faults
