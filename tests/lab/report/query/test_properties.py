"""Random statements against a naive reading of the CSV: lab.report.query.{grammar,numbers,value,constants}."""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from functools import cache
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.report.query.numbers_of import numbers_of

from lab.analysis.ratios import LEAST
from lab.errors import RecordError
from lab.experiment.experiment import Series
from lab.model.sizes import format_size
from lab.places import REFERENCE
from lab.report.query.grammar import QueryError
from lab.report.query.judge import judge, words
from lab.report.query.value import Truth

EXPERIMENTS = ("verbs_throughput", "latency", "mpi_bandwidth_latency")
COLUMNS = ("confirmed_bytes_per_s", "round_trip_ns")
MARGIN = 0.01
Samples = dict[int, list[float]]


@cache
def _samples(experiment: str) -> dict[str, Samples]:
    """Each repetition's value by series and size, as anybody reads it off the file."""
    found: dict[str, Samples] = defaultdict(lambda: defaultdict(list))
    with (REFERENCE / f"{experiment}.csv").open() as file:
        for row in csv.DictReader(file):
            value = next((row[column] for column in COLUMNS if row[column]), "")
            if value:
                trips = 2 if row["measure"] == "latency" and row["operation"] != "read" else 1
                found[row["series"]][int(row["size_bytes"])].append(float(value) / trips)
    return found


def _pairs(experiment: str) -> list[tuple[Series, Series]]:
    known = _samples(experiment)
    plain = [one for one in numbers_of(experiment).series.values() if one.name in known and not one.vary]
    series = [one for one in plain if min(map(len, known[one.name].values())) >= LEAST]
    return [(one, other) for one in series for other in series if one != other and one.link == other.link]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_no_random_comparison_disagrees_with_the_table(experiment: str) -> None:
    chance = random.Random(experiment)
    pairs, known = _pairs(experiment), _samples(experiment)
    for _ in range(200):
        ours, base = chance.choice(pairs)
        sizes = sorted(set(known[ours.name]) & set(known[base.name]))
        picked = sorted(chance.sample(sizes, min(len(sizes), chance.randint(1, 4)))) if sizes else []
        factor = chance.choice((0.2, 0.5, 0.98, 1.02, 1.5, 2.0, 5.0, 10.0))
        sign = chance.choice((">", "<"))
        if picked:
            at = ", ".join(map(format_size, picked))
            truth = judge(numbers_of(experiment), f"{ours.name} {sign} {factor} * {base.name} at {at}").truth
            ratios = [_ratios(known[ours.name][size], known[base.name][size], factor, sign) for size in picked]
            _require_agreement(truth, ratios)


def _ratios(ours: list[float], base: list[float], factor: float, sign: str) -> tuple[float, float, float]:
    """The least, the middle and the most that the left side is of the right one; turned around for `<`."""
    least, middle, most = min(ours) / max(base), median(ours) / median(base), max(ours) / min(base)
    least, middle, most = least / factor, middle / factor, most / factor
    return (least, middle, most) if sign == ">" else (1 / most, 1 / middle, 1 / least)


def _require_agreement(truth: Truth, ratios: list[tuple[float, float, float]]) -> None:
    if truth is Truth.TRUE:
        assert all(middle > 1 for _, middle, _ in ratios)
    if truth is Truth.FALSE:
        assert any(middle <= 1 + 2 * MARGIN for _, middle, _ in ratios)
    if all(least > 1 + 2 * MARGIN for least, _, _ in ratios):
        assert truth is Truth.TRUE
    if any(most < 1 for _, _, most in ratios):
        assert truth is Truth.FALSE


WORDS = (
    r"card tcp.card soft.card card.peak card.knee card.slope link qdr.gap report_a depth.card[1] plan.sizes nothing "
    r"at from up to everywhere within across links saturated jumps has no effect on tx_depth in 1 64 64K 1M 0 0.95 1e9 "
    r"> < = >= <= + - * / ( ) , .. % 5% GB/s us \ { } $(id) ' ; é 99999999999999999999"
)
TEXTS = st.one_of(st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join), st.text(max_size=60))


@settings(max_examples=5000, deadline=None)
@given(TEXTS)
def test_any_text_is_answered_or_refused_at_a_character_of_it(text: str) -> None:
    numbers = numbers_of("verbs_throughput")
    for answer in (numbers.ask, lambda typed: judge(numbers, typed)):
        try:
            answer(text)
        except QueryError as error:
            assert 0 <= error.column <= max(len(text), 400)
            assert error.what
        except RecordError as error:  # the reference has no samples
            assert error.hint


def test_shell_and_latex_in_a_statement_stay_text() -> None:
    for typed in (
        "$(touch x) > card at 1",
        r"\input{/etc/passwd} > card at 1",
        "`id` > card at 1",
        "card; rm -rf / at 1",
    ):
        with pytest.raises(QueryError, match=r"unexpected character|expected"):
            judge(numbers_of("verbs_throughput"), typed)


def test_a_read_has_no_half_and_the_error_says_why() -> None:
    with pytest.raises(QueryError, match="no measure 'half'") as caught:
        numbers_of("latency").ask("read.card.half at 1")
    assert caught.value.hint.startswith("read.card (a READ's data are there after the whole round trip")


@pytest.mark.parametrize(
    ("query", "printed"),
    [
        ("card.link", "32 Gbit/s"),
        ("qdr.rate", "32 Gbit/s"),
        ("tcp.gigabit.link", "1 Gbit/s"),
        ("qdr.gap", "228.2 ns"),
        ("plan.warmup", "512"),
    ],
)
def test_a_number_of_the_plan_is_printed_in_its_unit(query: str, printed: str) -> None:
    assert words(numbers_of("verbs_throughput").ask(query)) == printed
