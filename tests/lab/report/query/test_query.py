"""Queries and statements about results/reference have the answers that a person reads off the CSV."""

from __future__ import annotations

import csv
import io
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.report.query.numbers_of import numbers_of

from lab.analysis.ratios import LEAST
from lab.errors import RecordError
from lab.experiment.experiment import Series
from lab.experiment.reader import load
from lab.model.sizes import format_size
from lab.places import EXPERIMENTS, REFERENCE
from lab.report.evidence.environment import reference_evidence
from lab.report.query.grammar import QueryError
from lab.report.query.judge import judge, words
from lab.report.query.numbers import Numbers
from lab.report.query.value import Truth

COMPARED = ("verbs_throughput", "latency", "mpi_bandwidth_latency")
COLUMNS = ("confirmed_bytes_per_s", "round_trip_ns")
MARGIN = 0.01
Samples = dict[int, list[float]]


def _statements() -> Iterator[tuple[str, str, str]]:
    experiment = ""
    for line in Path(__file__).with_name("statements.txt").read_text().splitlines():
        if line.startswith("["):
            experiment = line.strip("[]")
        elif line and not line.startswith("#"):
            verdict, _, statement = line.partition(" ")
            yield experiment, verdict, statement


@pytest.mark.parametrize(("experiment", "verdict", "statement"), list(_statements()))
def test_statement_has_the_verdict_of_the_table(experiment: str, verdict: str, statement: str) -> None:
    judged = judge(numbers_of(experiment), statement)
    assert judged.truth.value == verdict, judged.shows


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


@pytest.mark.parametrize("experiment", COMPARED)
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


@settings(max_examples=2000, deadline=None)
@given(TEXTS)
def test_any_text_is_answered_or_refused_at_one_of_its_characters(text: str) -> None:
    numbers = numbers_of("verbs_throughput")
    for answer in (numbers.ask, lambda typed: judge(numbers, typed)):
        try:
            answer(text)
        except QueryError as error:
            assert 0 <= error.column <= max(len(text), 400)
            assert error.what
        except RecordError as error:  # the reference has no samples
            assert error.hint


@pytest.mark.parametrize(
    ("experiment", "query", "error", "hint"),
    [
        ("verbs_throughput", "$(touch x)", "unexpected character", ""),
        ("verbs_throughput", r"\input{/etc/passwd}", "unexpected character", ""),
        ("verbs_throughput", "card; rm -rf / at 1", "unexpected character", ""),
        ("verbs_throughput", "crad at 1", "no series or constant 'crad'", "card at 1"),
        ("verbs_throughput", "card", "card needs one size", "card at 1K"),
        ("verbs_throughput", "card at 3", "card was not measured at 3", "card at 2"),
        ("verbs_throughput", "card.latency at 1", "card has no measure 'latency'", "card"),
        ("verbs_throughput", "card.busy at 1", "busy is of one end", "card.busy.client or card.busy.server"),
        ("verbs_throughput", "card[16] at 1", "card varies nothing", "card"),
        ("verbs_throughput", "card / tcp at 1", "two links: card ran over", "card / tcp.card, or end with"),
        ("verbs_throughput", "card + card.time at 1", "a rate [+] a time", "both sides of one kind"),
        ("verbs_throughput", "report_a", "a published curve needs one of its sizes", "at 1, 2, 4"),
        ("verbs_throughput", "card * card at 1", "no unit for such a number", "a rate, a time"),
        ("write_parameters", "depth[17] at 1", "varies tx_depth: 1, 16, 128: which value", "depth[1]"),
        ("latency", "read.card.half at 1", "no measure 'half'", "read.card (a READ's data are there after the whole"),
    ],
)
def test_refused_query_has_a_reason_and_a_hint(experiment: str, query: str, error: str, hint: str) -> None:
    with pytest.raises(QueryError, match=error) as refused:
        numbers_of(experiment).ask(query)
    assert refused.value.hint.startswith(hint)


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
def test_number_of_the_plan_is_printed_in_its_unit(query: str, printed: str) -> None:
    assert words(numbers_of("verbs_throughput").ask(query)) == printed


@pytest.mark.parametrize(
    ("name", "query", "other"),
    [
        ("card.peak", "card.peak at 1", "a measure of card"),
        ("card.instructions.client", "card.instructions.client at 1", "a measure of card"),
        ("qdr.gap", "qdr.gap at 1", "a constant"),
        ("link", "link at 1", "a constant"),
    ],
)
def test_series_named_like_another_number_is_refused(name: str, query: str, other: str) -> None:
    evidence = numbers_of("verbs_throughput").evidence
    experiment = evidence.plan.experiment
    renamed = tuple(replace(one, name=name) if one.name == "verbs" else one for one in experiment.series)
    plan = replace(evidence.plan, experiment=replace(experiment, series=renamed))
    with pytest.raises(QueryError, match=f"{name} is ambiguous: a series, and {other}") as refused:
        Numbers(replace(evidence, plan=plan)).ask(query)
    assert refused.value.hint.startswith("rename the series")


def test_values_are_found_in_a_table_with_another_notation(tmp_path: Path) -> None:
    with (REFERENCE / "write_parameters.csv").open() as file:
        rows = list(csv.DictReader(file))
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(row | {"inline": row["inline"].replace("1024", "1K")} for row in rows)
    (tmp_path / "write_parameters.csv").write_text(text.getvalue())
    numbers = Numbers(reference_evidence(load(EXPERIMENTS / "write_parameters.toml"), tmp_path))
    for query in ("inline.card[1, 1024] at 1", "inline.card[1, 1K] at 1"):
        assert numbers.ask(query).estimate == numbers_of("write_parameters").ask("inline.card[1, 1024] at 1").estimate
