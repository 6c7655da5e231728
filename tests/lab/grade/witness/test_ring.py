"""What computers in a ring must send, compared with what crossed the link."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from lab.grade.finding import Flaw
from lab.grade.witness.claims import Claim, SizeClaims, ring_faults
from lab.grade.witness.messages import Message
from lab.model.parameters import Counts, Parameters
from lab.model.trial import Outcome
from lab.programs.program import Request
from lab.submission.assignment import TaskStep

RANKS, SIZE, CALLS, UNTIMED, INTO = 4, 262144, 3, 1, 1 << 41
SEGMENT, STEP_NS, OUT = 16384, 100, True
SEGMENTS = SIZE // RANKS // SEGMENT
SENT = 2 * (RANKS - 1) * (CALLS + UNTIMED) * SIZE // RANKS
PLANNED: Any = SimpleNamespace(
    series=SimpleNamespace(link=SimpleNamespace(computers=RANKS), tool=SimpleNamespace(silent=False)),
    trial=SimpleNamespace(request=Request("ring", "send", "latency", (Counts(SIZE, CALLS, 0),), Parameters())),
)
STEP = TaskStep("ring", 1, "it works", sends=UNTIMED, turns=2, segment=SEGMENT, in_flight=2, into=INTO)
COUNTED = {f"rank{rank}.link0.bytes": SENT for rank in range(1, RANKS)}
TIMED_NS = (CALLS * 2 * (RANKS - 1) * SEGMENTS - 1) * STEP_NS  # from the first message of the timed calls to the last

Messages = list[Message]


def honest() -> Messages:
    """In each call reduce-scatter by SEND, then all-gather by WRITE; each segment is in flight for two steps."""
    half = (RANKS - 1) * SEGMENTS
    kinds = [kind for _ in range(CALLS + UNTIMED) for kind in (*["send"] * half, *["write-imm"] * half)]
    return [
        Message(kind, OUT, n * STEP_NS, b"", SEGMENT, (n + 2) * STEP_NS, address=INTO if kind != "send" else 0)
        for n, kind in enumerate(kinds)
    ]


def found(
    messages: Messages, counted: dict[str, int] = COUNTED, step: TaskStep = STEP, took_ns: int = TIMED_NS
) -> list[tuple[Flaw, str]]:
    claims = [SizeClaims("send", rdma=True, answered=True, size_bytes=SIZE, claims=(Claim(CALLS, took_ns),))]
    return list(ring_faults(PLANNED, Outcome((), {}, counted, 0, 1, "", 0.0), messages, step, claims))


def test_ring_that_sends_what_it_should_has_no_fault() -> None:
    assert found(honest()) == []


def test_segments_may_be_shorter_than_asked() -> None:
    def parts(m: Message, ahead_ns: int) -> Messages:
        starts = [m.start_ns + n * STEP_NS // 4 for n in range(4)]
        return [replace(m, size_bytes=SEGMENT // 4, start_ns=at, end_ns=at + ahead_ns) for at in starts]

    assert found([part for m in honest() for part in parts(m, STEP_NS)]) == []
    ((kind, what),) = found([part for m in honest() for part in parts(m, STEP_NS // 4)])
    assert kind is Flaw.METHOD and "at most 1 of" in what


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        (lambda sent: sent[1:], Flaw.MESSAGES, f"{SENT - SEGMENT} bytes by send, and 0 otherwise; 4 computers"),
        (lambda sent: [replace(m, operation="read") for m in sent], Flaw.OPERATION, "0 bytes by send"),
        (lambda sent: sent * 2, Flaw.METHOD, "not whole vectors to all"),
        (lambda sent: [replace(m, size_bytes=2 * SEGMENT) for m in sent[::2]], Flaw.METHOD, "a message has 32768"),
        (lambda sent: [replace(m, end_ns=m.start_ns + STEP_NS) for m in sent], Flaw.METHOD, "at most 1 of"),
        (lambda sent: [replace(m, address=0) for m in sent], Flaw.METHOD, "only 0 of"),
        (lambda sent: [replace(m, goes_out=False) for m in sent], Flaw.MESSAGES, "rank 0 sent 0 bytes"),
    ],
)
def test_other_traffic_than_a_ring_is_explained(change: Callable[[Messages], Messages], kind: Flaw, says: str) -> None:
    faults = found(change(honest()))
    assert {flaw for flaw, _ in faults} == {kind} and says in faults[0][1]


def test_every_computer_has_to_send_its_part() -> None:
    ((kind, what),) = found(honest(), COUNTED | {"rank2.link0.bytes": 64})
    assert kind is Flaw.MESSAGES and what.startswith("rank 2 sent 64 bytes")


def test_whole_chunks_go_by_the_operation_of_the_series() -> None:
    whole = replace(STEP, segment=0, in_flight=0, into=0)
    assert found([replace(m, operation="send") for m in honest()], step=whole) == []
    assert [kind for kind, _ in found(honest(), step=whole)] == [Flaw.OPERATION]


def test_time_in_which_the_link_did_not_carry_the_chunks_is_invented() -> None:
    small = [Message("send", OUT, 10**6 + n, b"", 8, 10**6 + n + 1) for n in range(1000)]  # of another size, faster
    ((kind, what),) = found([*honest(), *small], took_ns=TIMED_NS // 2)
    assert kind is Flaw.INVENTED and what.endswith(f"the link carries their chunks in {TIMED_NS} ns at least")
