"""Throughput of known costs: rates, ceilings, windows, rounds until they are stable; times of messages."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.lab import fake_site as fake_module
from tests.lab.fake_site import FakeSite
from tests.lab.report import laboratory

from lab.analysis.estimate import supported_quantile
from lab.errors import RecordError
from lab.experiment.experiment import Point
from lab.records.record import Record, open_record, write_record
from lab.report.evidence.curve import Rounds, curve_of
from lab.report.evidence.evidence import Evidence, gather
from lab.report.exhibits.groups import pairs
from lab.report.query.measures import ceiling
from lab.report.query.numbers import Numbers

SMALL = laboratory.experiment(
    'sizes = "1..64K*4"\niterations = 400\nwarmup = 0\nrepetitions = 6',
    "verbs verbs write throughput",
    "tcp tcp send throughput",
    'slow tcp send throughput\nparameters.sizes = "4K,64K"\nlink = { mtu = 1500, rate_bit_s = 100_000_000 }',
    'trips verbs send latency\nparameters = { wait = "event", sizes = "1..4K*4" }',
    'depth verbs write throughput\nparameters.sizes = "1,64,4K"\nvary.tx_depth = [1, 64]',
    'lists verbs write throughput\nparameters.sizes = "64"\nvary.post_list = [1, 4]\nvary.signal_every = [1, 4, 16]',
)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of_text(SMALL, tmp_path_factory.mktemp("small"))


def test_no_link_is_filled_beyond_its_ceiling_and_no_pair_is_of_two_links(evidence: Evidence) -> None:
    slow, numbers = evidence.series("slow"), Numbers(evidence)
    shares = [numbers.ask(f"slow.filled at {size}").estimate.value for size in slow.sizes("fake")]
    assert 0.8 < max(shares) <= 1 and ceiling(evidence.series("verbs"), 1) is None
    assert [(ours.name, base.name) for ours, base, _ in pairs(evidence)] == [("verbs", "tcp")]


ROUNDS = laboratory.experiment(
    'sizes = "1..1K*4"\niterations = 40\nrepetitions = 6\nwait = "event"\nuntil_stable = 1',
    "rounds tcp send throughput",
    "writes verbs write throughput",
    "reads verbs read throughput",
    'fast tcp send throughput\nparameters.sizes = "256,1K"\nlink.rate_bit_s = 350_000_000',
    'bytes tcp send throughput\nparameters.sizes = "1K"\nvary.iterations = [1, 4]',
)
MESSAGE_NS = 20_000 + 4 * 64  # of the fake site, 64 bytes


@pytest.fixture(scope="module")
def of_rounds(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of_text(ROUNDS, tmp_path_factory.mktemp("rounds"), site=FakeSite())


def rounds_at(evidence: Evidence, name: str, size: int, point: Point | None = None) -> Rounds:
    return curve_of(evidence, evidence.series(name), point).rounds[size]


# By series: the time of a round that the correction takes as that of its data.
OF_DATA_NS = {"rounds": 40 * MESSAGE_NS - 20_000, "writes": 0.99 * 40 * MESSAGE_NS, "reads": 0.99 * 40 * MESSAGE_NS}


@pytest.mark.parametrize("name", OF_DATA_NS)
def test_size_has_a_plain_and_a_corrected_throughput(of_rounds: Evidence, name: str) -> None:
    rounds = rounds_at(of_rounds, name, 64)
    correction = rounds.correction()
    assert rounds.plain_rates[0] == pytest.approx(64e9 / MESSAGE_NS)
    assert correction.rate and correction.rate.value == pytest.approx(1e9 * 64 * 40 / OF_DATA_NS[name])
    assert correction.share.value == pytest.approx(1 - OF_DATA_NS[name] / (40 * MESSAGE_NS), rel=1e-3)
    assert rounds.reached == len(rounds.counts) == 6 and set(rounds.counts) == {6}
    assert set(rounds.trips_ns) == {40_000} and min(rounds.spreads) >= 1


# The delays of tests/bench/test_rounds.c: a trip is 30 us there and 20 us back, and 100 messages take 2 us each.
THERE_NS, BACK_NS, DATA_NS, MESSAGES = 30_000, 20_000, 200_000, 100


@pytest.mark.parametrize("back_ns", [0, BACK_NS, THERE_NS + BACK_NS], ids=["nothing", "some", "all"])
@pytest.mark.parametrize("operation", ["send", "write-imm", "write", "read"])
def test_interval_contains_the_throughput_of_known_delays(operation: str, back_ns: int) -> None:
    trip_ns, rounds = THERE_NS + BACK_NS, 10
    arrived_ns = trip_ns - back_ns + rounds * DATA_NS
    completed_ns = arrived_ns + back_ns
    reported_ns = completed_ns + trip_ns if operation in ("write", "read") else completed_ns
    measured = Rounds(
        operation,
        64 * MESSAGES * rounds,
        (5,) * 6,
        6,
        tuple(reported_ns + luck for luck in range(-3, 3)),
        tuple(completed_ns + luck for luck in range(-3, 3)),
        (trip_ns,) * 6,
    )
    rate = measured.correction().rate
    true_ns = completed_ns if operation == "read" else arrived_ns
    assert rate is not None and rate.interval is not None
    assert rate.interval.contains(64 * MESSAGES * rounds / (true_ns * 1e-9))


def test_round_hardly_longer_than_the_trip_is_not_corrected(of_rounds: Evidence) -> None:
    correction = rounds_at(of_rounds, "bytes", 1024, {"iterations": 1}).correction()
    assert correction.rate is None and correction.share.value > 0.1


def test_report_shows_which_repetitions_agreed_and_what_the_correction_takes_off(of_rounds: Evidence) -> None:
    body = laboratory.body_of(of_rounds)
    assert "In all repetitions the rounds of \\texttt{rounds} agree at \\claim{rounds.agreed} of 6 sizes." in body
    assert r"\label{figure:agreed}" in body and r"\label{figure:rounds}" in body
    assert "half of the round trip of the control message, or, for RDMA WRITE and READ, what follows the last" in body


def test_corrected_throughput_above_the_rate_of_the_link_is_named(of_rounds: Evidence) -> None:
    rate = rounds_at(of_rounds, "fast", 1024).correction().rate
    assert rate and rate.interval and rate.interval.high > 350e6 / 8 > rate.value
    body = " ".join(laboratory.body_of(of_rounds).split())
    assert r"above the rate of the link takes off too much: \texttt{fast} at \qty{1}{\kibi\byte}." in body


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("round", lambda sample: replace(sample, time_ns=2 * sample.time_ns) if sample.index == 5 else sample),
        ("settled", lambda sample: replace(sample, sample="unsettled")),
    ],
    ids=["the last round is slower", "called unsettled"],
)
def test_rounds_that_do_not_follow_the_stop_rule_are_refused(
    of_rounds: Evidence, tmp_path: Path, kind: str, change: Callable[[Any], Any]
) -> None:
    shutil.copytree(of_rounds.results, tmp_path, dirs_exist_ok=True)
    first = of_rounds.plan.planned[0]
    key = first.trial.key
    record = open_record(tmp_path, key)
    samples = tuple(change(sample) if sample.sample == kind else sample for sample in record.samples())
    write_record(tmp_path, Record(record.facts(), samples))
    with pytest.raises(RecordError, match="do not end by the stop rule"):
        rounds_at(gather(of_rounds.plan, tmp_path), "rounds", first.series.sizes("fake")[-1])


def test_message_takes_half_a_round_trip_and_a_read_the_whole(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("latency", tmp_path)
    numbers = Numbers(evidence)
    for name, trips_of_a_message in (("send.card", 0.5), ("read.card", 1.0)):
        for quantile in (0.95, 0.99):
            trips = numbers.curve(evidence.series(name), {}).round_trips(64)
            whole = median(part.value for repetition in trips if (part := supported_quantile(repetition, quantile)))
            answer = numbers.ask(f"{name}.p{100 * quantile:.0f} at 64").estimate
            assert answer.n == len(trips) and answer.value == pytest.approx(trips_of_a_message * whole / 1e9)
        message, whole_s = (numbers.ask(f"{name}{measure} at 64").estimate.value for measure in ("", ".rtt"))
        assert message == pytest.approx(trips_of_a_message * whole_s)


def test_varied_latency_has_quantiles_at_each_point(tmp_path: Path) -> None:
    series = "trips verbs send latency\nvary.tx_depth = [1, 4]"
    text = laboratory.experiment('sizes = "64"\niterations = 400\nrepetitions = 6', series)
    numbers = Numbers(laboratory.evidence_of_text(text, tmp_path))
    for depth in (1, 4):
        slow, middle = (numbers.ask(f"trips[{depth}]{measure} at 64").estimate for measure in (".p99", ""))
        assert slow.n == middle.n == 6 and slow.value >= middle.value


CALLS = laboratory.experiment(
    'sizes = "1..4K*2,255,257,3K"\niterations = 4\nrepetitions = 6',
    'mpi mpi-tcp send one-way\nvary.calls = ["blocking", "non-blocking"]',
)


@pytest.fixture
def both_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """Calls whose bytes up to 512 B cost nothing; repetitions differ a little."""

    class Site(fake_module.FakeSite):
        def run(self, job: Any) -> Any:
            luck: int = job.perturbation.start_delay_ns // 1000 % 7
            monkeypatch.setattr(
                fake_module, "cost", lambda size: 20_000 + 8 * max(size - 512, 0) + 10 * (luck * size % 11)
            )
            return super().run(job)

    return laboratory.evidence_of_text(CALLS, tmp_path, site=Site())


def test_calls_of_an_end_are_answered_and_shown(both_ends: Evidence) -> None:
    numbers = Numbers(both_ends)
    first, middle, spread = (
        numbers.ask(f"mpi[blocking].send.{name} at 1K").estimate for name in ("first_call", "median", "deviation")
    )
    assert first.value == pytest.approx(middle.value) and first.n == 6 and spread.value < 0.1 * middle.value
    knee = numbers.ask("mpi[non-blocking].receive.knee").estimate
    assert knee.interval and knee.interval.contains(512)
    body = laboratory.body_of(both_ends)
    assert r"\claim[3]{mpi[blocking].send at 1} (\texttt{mpi blocking, send})" in body
    assert "mpi non-blocking, receive" in body.replace("-{}", "-") and r"\label{figure:calls}" in body
