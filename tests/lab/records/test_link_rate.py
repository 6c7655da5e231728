"""What a link can carry, and forged rows that say more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lab.model.trial import End, Ends, Outcome, StepOutcome
from lab.plan.plan import Plan, Planned, SiteFacts
from lab.programs.program import Sample
from lab.run.checks import above_the_link, bytes_at_once, payload_most, refuted
from lab.sites.site import EXACT, Clock
from lab.typed_json import JsonTable, JsonValue

Make = Callable[..., Plan]
ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
KINDS = ["window", "completed", "confirmed", "round", "round_completed"]
SITE = SiteFacts("exact", ENDS, {}, EXACT)
GIGABIT = """
title = "Over a gigabit"
question = "How much?"
[parameters]
sizes = "64"
iterations = 40
[link]
mtu = 1500
RATE
[[series]]
name = "ours"
program = "PROGRAM"
operation = "OPERATION"
measure = "throughput"
"""
MODEL = "rate_bit_s = 1_000_000_000"
TCP, WRITE = ("tcp", "send"), ("verbs", "write")
MOST = {TCP: 125e6 * 1460 / 1538, WRITE: 125e6 * 1024 / 1106}


def planned(make: Make, program: tuple[str, str], rate: str = MODEL) -> Planned:
    words = {"RATE": rate, "PROGRAM": program[0], "OPERATION": program[1]}
    text = GIGABIT
    for word, value in words.items():
        text = text.replace(word, value)
    return make(text).planned[0]


def row(kind: str, rate: float) -> Sample:
    return Sample(1 << 20, kind, 0, 100, 100 << 20, round((100 << 20) / rate * 1e9))


def outcome(**state: JsonValue) -> Outcome:
    step = StepOutcome("", "", "", "", 0, 0, 0, 10**12)
    return Outcome((step,), {"v0.tx_bytes": 0}, {"v0.tx_bytes": 10**12}, 0, 10**12, "", 0.0, state)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", [TCP, WRITE], ids=["tcp", "write"])
def test_a_forged_row_above_what_headers_leave_is_refused(
    make_small_plan: Make, kind: str, program: tuple[str, str]
) -> None:
    trial = planned(make_small_plan, program)
    good, forged = (row(kind, share * MOST[program]) for share in (0.9999, 1.0001))
    assert list(refuted(trial, SITE, outcome(), [good])) == []
    (sentence,) = refuted(trial, SITE, outcome(), [good, forged])
    assert sentence.startswith(f"{kind} 0 of 1048576 bytes comes to 1")
    assert f"the link carries {MOST[program]:.0f} B/s at most" in sentence


def test_a_card_that_says_its_rate_is_believed_the_slower_of_two(make_small_plan: Make) -> None:
    trial = planned(make_small_plan, TCP, "")
    cards = outcome(client={"rate_bit_s": 10**10}, server={"rate_bit_s": 10**9})
    assert list(above_the_link(trial, SITE, cards, [row("completed", 124e6)])) == []
    assert len(list(above_the_link(trial, SITE, cards, [row("completed", 126e6)]))) == 1


@pytest.mark.parametrize(
    "state", [{}, {"client": {"rate_bit_s": 0}}, {"client": {"rate_bit_s": None}}, {"down": ["x"]}]
)
def test_a_link_of_which_no_rate_is_known_refuses_nothing(make_small_plan: Make, state: JsonTable) -> None:
    trial = planned(make_small_plan, TCP, "")
    assert list(above_the_link(trial, SITE, outcome(**state), [row("completed", 1e12)])) == []


def test_data_that_turn_around_inside_one_device_pass_no_link(make_small_plan: Make) -> None:
    one = replace(SITE, ends=replace(ENDS, server=ENDS.client))
    card = outcome(client={"rate_bit_s": 10**9})
    assert list(above_the_link(planned(make_small_plan, WRITE, ""), one, card, [row("completed", 1e9)])) == []


def test_what_a_kernels_model_lets_pass_at_once_is_no_rate(make_small_plan: Make) -> None:
    host = replace(SITE, traits=replace(EXACT, clock=Clock.WALL))
    trial, time_ns = planned(make_small_plan, TCP), 100_000_000
    carried = round(MOST[TCP] * time_ns / 1e9) + bytes_at_once(trial.trial.job.link, host.traits)
    good, forged = (Sample(1, "completed", 0, count, count, time_ns) for count in (carried - 1, carried + 1))
    assert list(above_the_link(trial, host, outcome(), [good])) == []
    assert len(list(above_the_link(trial, host, outcome(), [forged]))) == 1
    assert len(list(above_the_link(trial, SITE, outcome(), [good]))) == 1


def test_of_a_frame_headers_leave_less_to_rdma_than_to_tcp() -> None:
    assert payload_most(1500, rdma=False) == 1460 / 1538
    assert payload_most(4200, rdma=True) == 4096 / 4178
    assert payload_most(576, rdma=True) == 512 / 594
