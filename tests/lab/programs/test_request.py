"""How long a trial may take, if nobody says so."""

from __future__ import annotations

import pytest

from lab.model.parameters import Counts, Parameters, Scalar
from lab.programs.program import DEADLINE_S, SLOW_BYTES_PER_S, TRIES, Request

MANY = (Counts(1, 50_000, 5_000), Counts(1 << 20, 50_000, 5_000))


def deadline_s(counts: tuple[Counts, ...], **values: Scalar) -> int:
    return Request("tcp", "send", "throughput", counts, Parameters().with_values(values)).deadline_s


def test_few_bytes_have_two_minutes() -> None:
    assert deadline_s((Counts(1, 40, 4),)) == DEADLINE_S == 120


def test_many_bytes_have_as_long_as_a_slow_link_needs() -> None:
    assert deadline_s(MANY) == 55_000 * ((1 << 20) + 1) // SLOW_BYTES_PER_S > 1000


def test_rounds_that_are_repeated_count_as_often_as_they_may_be() -> None:
    once = deadline_s(MANY)
    assert deadline_s(MANY, until_stable=1, rounds_cap=10) == pytest.approx(once * 101 / 11, abs=10)


def test_a_deadline_that_was_given_is_kept() -> None:
    assert deadline_s(MANY, deadline_s=7) == 7


def test_sizes_that_are_measured_again_have_time_for_it() -> None:
    sizes = tuple(Counts(1 << power, 40, 4) for power in range(20))
    assert deadline_s(sizes, least_time_s=5) == pytest.approx(20 * 5 * TRIES, abs=2)
    assert deadline_s(sizes, least_time_s="auto") == deadline_s(sizes, least_time_s=0) == DEADLINE_S
