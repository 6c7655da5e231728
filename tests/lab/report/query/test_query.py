"""Answers to queries and statements about results/reference, compared with its CSV tables."""

import csv
import io
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lab.fake_site import FakeSite, cost
from tests.lab.report.laboratory import evidence_of_text, numbers_of
from tests.toml import series_of

from lab.analysis.ratios import LEAST
from lab.experiment.experiment import Series
from lab.experiment.reader import load
from lab.model.sizes import format_size
from lab.places import EXPERIMENTS, REFERENCE
from lab.report.evidence.curve import curve_of
from lab.report.evidence.environment import reference_evidence
from lab.report.evidence.evidence import COMPLETED, CONFIRMED, Evidence
from lab.report.exhibits.groups import pairs
from lab.report.query.grammar import QueryError
from lab.report.query.judge import judge, words
from lab.report.query.measures import ceiling
from lab.report.query.numbers import Numbers
from lab.report.query.value import Truth

COMPARED = ("verbs_throughput", "latency", "mpi_bandwidth_latency")
COLUMNS = ("confirmed_bytes_per_s", "round_trip_ns")
MARGIN = 0.01
SEEN_LATE = 1.0005  # a poll sees the end of a window late, and of the first one a little later than of the last
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


def _samples(experiment: str) -> dict[str, Samples]:
    """Each repetition's value by series and size, read from the CSV."""
    samples: dict[str, Samples] = defaultdict(lambda: defaultdict(list))
    with (REFERENCE / f"{experiment}.csv").open() as file:
        for row in csv.DictReader(file):
            value = next((row[column] for column in COLUMNS if row[column]), "")
            if value:
                trips = 2 if row["measure"] == "latency" and row["operation"] != "read" else 1
                samples[row["series"]][int(row["size_bytes"])].append(float(value) / trips)
    return samples


@pytest.mark.parametrize("experiment", COMPARED)
def test_random_comparisons_agree_with_the_table(experiment: str) -> None:
    chance, numbers, samples = random.Random(experiment), numbers_of(experiment), _samples(experiment)
    plain = [run for run in numbers.series.values() if run.name in samples and not run.vary]
    series = [run for run in plain if min(map(len, samples[run.name].values())) >= LEAST]
    pairs = [(ours, base) for ours, base in permutations(series, 2) if ours.link == base.link]
    for _ in range(80):
        ours, base = chance.choice(pairs)
        sizes = sorted(set(samples[ours.name]) & set(samples[base.name]))
        picked = sorted(chance.sample(sizes, min(len(sizes), chance.randint(1, 4))))
        factor, sign = chance.choice((0.2, 0.5, 0.98, 1.02, 1.5, 2.0, 5.0, 10.0)), chance.choice((">", "<"))
        if picked:
            at = ", ".join(map(format_size, picked))
            truth = judge(numbers, f"{ours.name} {sign} {factor} * {base.name} at {at}").truth
            ratios = [_ratios(samples[ours.name][size], samples[base.name][size], factor, sign) for size in picked]
            _require_agreement(truth, ratios)


def _ratios(ours: list[float], base: list[float], factor: float, sign: str) -> tuple[float, float, float]:
    """The least, the middle and the largest ratio of the left side to the right one; the reverse for `<`."""
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


@pytest.mark.parametrize("name", ["verbs_throughput", "write_parameters"])
def test_rates_and_ratios_are_medians_of_the_table(name: str) -> None:
    numbers = numbers_of(name)
    for series in rates(numbers):
        for size, value in _medians(numbers, series.name, curve_of(numbers.evidence, series).column).items():
            assert numbers.ask(f"{series.name} at {size}").estimate.value == value
            assert numbers.ask(f"{series.name}.messages at {size}").estimate.value == pytest.approx(value / size)
    for ours, base, _ in pairs(numbers.evidence):
        columns = {side.name: curve_of(numbers.evidence, side).column for side in (ours, base)}
        if ours.operation == base.operation and COMPLETED in columns.values():  # then both stop there
            columns = dict.fromkeys(columns, COMPLETED)
        above, below = (_medians(numbers, name, column) for name, column in columns.items())
        for size in above.keys() & below.keys():
            ratio = numbers.ask(f"{ours.name} / {base.name} at {size}").estimate
            assert ratio.value == pytest.approx(above[size] / below[size], rel=1e-12)
            assert ratio.interval is None or ratio.interval.contains(ratio.value)
    compared = [(ours.program, base.program) for ours, base, _ in pairs(numbers.evidence)]
    assert ("verbs", "tcp") in compared and ("verbs", "ib_write_bw") in compared


def rates(numbers: Numbers) -> list[Series]:
    return [run for run in numbers.series.values() if run.measure == "throughput" and not run.vary]


def _medians(numbers: Numbers, series: str, column: str) -> dict[int, float]:
    values = defaultdict[int, list[int]](list)
    for row in numbers.evidence.rows:
        if row.series == series:
            values[row.size_bytes].append(row.counts[column])
    return {size: median(of_size) for size, of_size in values.items()}


def test_no_rate_is_above_its_ceiling_or_confirmed_before_it_is_complete() -> None:
    numbers = numbers_of("verbs_throughput")
    for series in rates(numbers):
        curve = curve_of(numbers.evidence, series)
        for size in curve.sizes:
            if most := ceiling(series, size):
                assert median(curve.counts(size)) <= SEEN_LATE * most
    completed, confirmed = (_medians(numbers, "verbs", column) for column in (COMPLETED, CONFIRMED))
    assert all(rate >= confirmed[size] for size, rate in completed.items())


@pytest.mark.parametrize("name", ["tcp", "verbs", "card"])
def test_line_through_times_is_that_of_least_squares(name: str) -> None:
    numbers = numbers_of("mpi_bandwidth_latency")
    rows = [row for row in numbers.evidence.rows if row.series == name]
    trips = np.array([row.counts["round_trip_ns"] for row in rows]) * 1e-9
    slope, intercept = np.polyfit([row.size_bytes for row in rows], trips / 2, 1)
    assert numbers.ask(f"{name}.slope").estimate.value == pytest.approx(1 / slope)
    assert numbers.ask(f"{name}.intercept").estimate.value == pytest.approx(intercept)


def test_two_lines_follow_times_at_a_change_of_protocol() -> None:
    numbers = numbers_of("mpi_bandwidth_latency")
    interval = numbers.ask("verbs.break").estimate.interval
    assert interval and (interval.low, interval.high) == (256_000, 272_000)
    assert judge(numbers, "verbs.slope > 1.1 * 528000 B / (verbs at 528000)").truth is Truth.TRUE
    assert 197e6 < numbers.ask("verbs.slope up to 256000").estimate.value < 200e6


@pytest.mark.parametrize(("series", "size"), [("verbs", 4088), ("card", 64)])
@pytest.mark.parametrize("call", ["[blocking].send", "[blocking].receive", "[non-blocking].send"])
def test_call_jumps_where_a_packet_is_full_or_data_leave_the_request(series: str, size: int, call: str) -> None:
    numbers = numbers_of("mpi_blocking_nonblocking")
    assert numbers.ask(f"{series}{call}.jump.size").estimate.value == size
    with pytest.raises(QueryError, match=f"it jumps at {size}"):
        numbers.ask(f"{series}{call}.knee")


WORDS = (
    r"card tcp.card soft.card card.peak card.knee card.slope link qdr.gap report_a depth.card[1] plan.sizes nothing "
    r"at from up to everywhere within across links saturated jumps has no effect on tx_depth in 1 64 64K 1M 0 0.95 1e9 "
    r"> < = >= <= + - * / ( ) , .. % 5% GB/s us \ { } $(id) ' ; é 99999999999999999999"
)
TEXTS = st.one_of(st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join), st.text(max_size=60))


@settings(max_examples=500)
@given(TEXTS)
def test_any_text_is_answered_or_refused_at_one_of_its_characters(text: str) -> None:
    numbers = numbers_of("verbs_throughput")
    for answer in (numbers.ask, lambda typed: judge(numbers, typed)):
        try:
            answer(text)
        except QueryError as error:
            assert 0 <= error.column <= max(len(text), 400) and error.what


@pytest.mark.parametrize(
    ("experiment", "query", "error", "hint"),
    [
        ("verbs_throughput", "$(touch x)", "unexpected character", ""),
        ("verbs_throughput", r"\input{/etc/passwd}", "unexpected character", ""),
        ("verbs_throughput", "card; rm -rf / at 1", "unexpected character", ""),
        ("verbs_throughput", "crad at 1", "no series or constant 'crad'", "card at 1"),
        ("verbs_throughput", "CARD at 1", "no series or constant 'CARD'", "card at 1"),
        ("verbs_throughput", "card at 64KB", "expected the end", "sizes are bytes: 64, and 64K for 64 KiB"),
        ("verbs_throughput", "card at 1 to 4K", "expected the end", "at 1K..4K"),
        ("verbs_throughput", "card at all sizes", "expected a size", "everywhere"),
        ("verbs_throughput", "card grows", "expected the end", "a rises up to 1K"),
        ("verbs_throughput", "card > tcp.card at 1", r"one of [+] - [*] /, not '>'", r"a statement: \shows{card > tcp"),
        ("verbs_throughput", "card in GB/s", "expected the end", "only `in %` and `in bit/s`"),
        ("verbs_throughput", "card ≈ 4 at 64", "unexpected character", "a = b within 2 % at 64K"),
        ("verbs_throughput", "card.stddev at 64", "no measure 'stddev'", "card"),
        ("verbs_throughput", "card.busy.client at 64", "was not counted at 64", "card.busy.client at 16"),
        ("verbs_throughput", "card", "card needs one size", "card at 1K"),
        ("verbs_throughput", "card at 3", "card was not measured at 3", "card at 2"),
        ("verbs_throughput", "card.latency at 1", "card has no measure 'latency'", "card"),
        ("verbs_throughput", "card.busy at 1", "busy is of one end", "card.busy.client or card.busy.server"),
        ("verbs_throughput", "card[16] at 1", "card varies nothing", "card"),
        ("verbs_throughput", "card / tcp at 1", "two links: card ran over", "card / tcp.card, or end with"),
        ("verbs_throughput", "card + card.time at 1", "a rate [+] a time", "both sides of one kind"),
        ("verbs_throughput", "report_a", "a published curve needs one of its sizes", "at 1, 2, 4"),
        ("mpi_bandwidth_latency", "report_c.slope up to 64K", "a line at least two", "a range with more published"),
        ("mpi_blocking_nonblocking", "tcp[blocking].send.jump", "the data give no jump", "lab query"),
        ("mpi_blocking_nonblocking", "tcp[blocking].receive.jump", "the data give no jump", "lab query"),
        ("verbs_throughput", "card * card at 1", "no unit for such a number", "a rate, a time"),
        ("write_parameters", "depth[17] at 1", "varies tx_depth: 1, 16, 128: which value", "depth[1]"),
        ("latency", "read.card.half at 1", "no measure 'half'", "read.card (a READ's data are there after the whole"),
    ],
)
def test_refused_query_has_a_reason_and_a_hint(experiment: str, query: str, error: str, hint: str) -> None:
    with pytest.raises(QueryError, match=error) as refused:
        numbers_of(experiment).ask(query)
    assert refused.value.hint.startswith(hint)


def test_shown_value_is_that_of_the_query_whose_bound_is_typed_before_it() -> None:
    numbers = numbers_of("verbs_throughput")
    assert judge(numbers, "4 < card / tcp.card at 1M").shows == judge(numbers, "card / tcp.card > 4 at 1M").shows


@pytest.mark.parametrize(
    ("statement", "nearest"),
    [
        ("card.inline < card at 64..1K", "card.inline < card at 256..1K"),
        ("card.inline < card from 256", "card.inline < card at 256..1K"),
        ("card rises everywhere", "card rises at 1..4K"),
        ("card / tcp.card falls from 512", "card / tcp.card falls at 1K..16K"),
        ("card / tcp.card = 5.5 within 2 % at 64K", "card / tcp.card = 5.22 within 2 % at 64K"),
        ("card = 3.957 MB/s within 1 % at 64K", "card = 3.957 GB/s within 1 % at 64K"),
        ("card.inline jumps at 4 KiB", "card.inline jumps at 2K"),
    ],
)
def test_nearest_statement_keeps_to_the_sizes_where_it_holds(statement: str, nearest: str) -> None:
    assert judge(numbers_of("verbs_throughput"), statement).nearest == nearest


@pytest.mark.parametrize(
    ("experiment", "query", "printed"),
    [
        ("verbs_throughput", "card.link", "32 Gbit/s"),
        ("verbs_throughput", "tcp.gigabit.link", "1 Gbit/s"),
        ("verbs_throughput", "qdr.rate", "32 Gbit/s"),
        ("verbs_throughput", "qdr.gap", "228.2 ns"),
        ("verbs_throughput", "plan.warmup", "512"),
        ("verbs_throughput", "card.instructions.client at 64K", "0"),
        ("mpi_bandwidth_latency", "report_c.slope", "5.939 GB/s"),
        ("mpi_bandwidth_latency", "report_c.intercept", "2.312 ms"),
        ("mpi_bandwidth_latency", "report_c.r2", "0.99892"),
        ("mpi_bandwidth_latency", "report_c.points", "938"),
        ("mpi_blocking_nonblocking", "report_d.blocking.send_latency", "310.15 µs"),
        ("mpi_blocking_nonblocking", "report_d.nonblocking.receive_bandwidth", "44.93 MB/s"),
    ],
)
def test_constant_is_printed_in_its_unit(experiment: str, query: str, printed: str) -> None:
    assert words(numbers_of(experiment).ask(query)) == printed


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
    renamed = tuple(replace(run, name=name) if run.name == "verbs" else run for run in experiment.series)
    plan = replace(evidence.plan, experiment=replace(experiment, series=renamed))
    with pytest.raises(QueryError, match=f"{name} is ambiguous: a series, and {other}") as refused:
        Numbers(replace(evidence, plan=plan)).ask(query)
    assert refused.value.hint.startswith("rename the series")


def test_varied_values_may_have_another_notation_in_the_table(tmp_path: Path) -> None:
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


@pytest.fixture
def together(tmp_path: Path) -> Evidence:
    """A time of four computers."""
    heads = "series,program,operation,measure,repetition,size_bytes,messages,round_trip_ns,round_trip_kind,record"
    row = f"eager.four,ring,send,latency,1,65536,2,1572864,mean,{'0' * 16}"
    (tmp_path / "all_reduce.csv").write_text(f"{heads}\n{row}\n")
    return reference_evidence(load(EXPERIMENTS / "all_reduce.toml"), tmp_path)


def test_time_of_several_computers_is_whole_and_has_a_bus_bandwidth(together: Evidence) -> None:
    numbers = Numbers(together)
    answers = {"": 1572864e-9, ".bus": 1.5 * 65536 / 1572864e-9, ".bound": 1.5 * 65536 / 4e9}
    for measure, value in answers.items():
        assert numbers.ask(f"eager.four{measure} at 64K").estimate.value == pytest.approx(value)
    with pytest.raises(QueryError, match="no measure 'half'"):
        numbers.ask("eager.four.half at 64K")
    with pytest.raises(QueryError, match="no measure 'bus'"):
        numbers_of("latency").ask("tcp.bus at 1")


SHARED = """
title = "Shared"
question = "How is a link shared?"
[parameters]
sizes = "64,4K"
iterations = 40
both = true
pairs = 2
""" + series_of("both verbs write throughput")


def test_sum_is_of_both_directions_and_fairness_of_the_queue_pairs(tmp_path: Path) -> None:
    numbers = Numbers(evidence_of_text(SHARED, tmp_path, site=FakeSite()))
    assert numbers.ask("both.sum / both at 4K").estimate.value == pytest.approx(2)
    assert numbers.ask("both.fairness at 4K").estimate.value == pytest.approx(0.9)  # rates 1 and 2: 3^2 / (2 * 5)


def test_lost_messages_are_a_share_and_the_rate_is_of_those_that_arrived(tmp_path: Path) -> None:
    text = SHARED.replace("both = true\npairs = 2", 'connection = "ud"').replace('"write"', '"send"')
    numbers = Numbers(evidence_of_text(text, tmp_path, site=FakeSite()))
    assert numbers.ask("both.lost at 4K").estimate.value == 0.25
    assert numbers.ask("both.time at 4K").estimate.value == pytest.approx(cost(4096) / 0.75e9)


COUNTERS = {"link1.dropped": 3, "rank1.link1.dropped": 2, "queue.pauses": 0, "rank1.queue.pauses": 4, "queue.marks": 6}
DEPTHS = {"queue.most_bytes": 100, "rank1.queue.most_bytes": 700, "side1.dropped": 9}


def test_counters_of_the_switch_are_those_of_all_queues(together: Evidence, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="the data give no dropped"):  # of the reference
        Numbers(together).ask("eager.four.dropped")
    facts = next(iter(evidence_of_text(SHARED, tmp_path, site=FakeSite()).facts.values()))
    counted = replace(facts, measured=replace(facts.measured, counters_after=COUNTERS | DEPTHS))
    counted_by_key = dict.fromkeys(together.unmeasured, counted)
    numbers = Numbers(replace(together, unmeasured=frozenset(), facts=counted_by_key))
    measures = ("dropped", "pauses", "marks", "deepest")
    assert [numbers.ask(f"eager.four.{measure}").estimate.value for measure in measures] == [5, 4, 6, 700]
    assert numbers.ask("eager.four.dropped").printed().plain == "5"  # not 5.00
