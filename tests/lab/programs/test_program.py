"""Traits of all programs: deadlines, outputs for each size, plans that can be pickled."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.programs.cases import parse, request

from lab.errors import ParseError
from lab.model.parameters import Counts, Scalar
from lab.programs import PROGRAMS

FEW, MANY = (Counts(1, 40, 4),), (Counts(1, 50_000, 5_000), Counts(1 << 20, 50_000, 5_000))
SIZES = tuple(Counts(1 << power, 40, 4) for power in range(20))
SLOW_S = 55_000 * ((1 << 20) + 1) // (10**9 // 8 // 4)  # at a quarter of a gigabit


@pytest.mark.parametrize(
    ("counts", "values", "seconds"),
    [
        (FEW, {}, 120),
        (MANY, {}, SLOW_S),
        (MANY, {"until_stable": 1, "rounds_cap": 10}, SLOW_S * 101 / 11),
        (MANY, {"deadline_s": 7}, 7),
        (SIZES, {"least_time_s": 5}, 20 * 5 * 4),
        (SIZES, {"least_time_s": "auto"}, 120),
        (SIZES, {"pace": 4}, 20 * 44 / 4),
    ],
)
def test_deadline_follows_the_bytes_over_a_slow_link(
    counts: tuple[Counts, ...], values: dict[str, Scalar], seconds: float
) -> None:
    asked = request("tcp", *counts, measure="throughput", **values)  # type: ignore[arg-type]
    assert asked.deadline_s == pytest.approx(seconds, abs=10)


@pytest.mark.parametrize("program", ["iperf3", "qperf", "ib_write_bw"])
def test_missing_output_of_a_size_is_refused(program: str) -> None:
    with pytest.raises(ParseError, match=f"{program}: 1 output for 2 sizes"):
        parse(request(program, *MANY), "")


@pytest.mark.parametrize("program", PROGRAMS)
@given(text=st.text())
def test_garbage_of_any_program_is_refused(program: str, text: str) -> None:
    with pytest.raises(ParseError):
        parse(request(program, Counts(64, 100, 0)), text)


def test_every_program_can_be_pickled_as_a_part_of_a_plan() -> None:
    """Several reports are written in processes of a pool."""
    assert pickle.loads(pickle.dumps(list(PROGRAMS.values()))) and pickle.dumps(PROGRAMS["mpi-tcp"])
