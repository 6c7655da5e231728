"""Claims of results/reference, checked by hand: lab.report.claims.{ceilings,shape}, lab.report.evidence.*."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from tests.lab.report import laboratory

from lab.model.sizes import format_size
from lab.places import REFERENCE
from lab.records.row import Row, parse_table
from lab.report.claim import Ledger
from lab.report.claims.ceilings import ceiling_claims
from lab.report.claims.intercepts import intercepts
from lab.report.claims.lines import fit_claims
from lab.report.claims.ratios import ratio_claims
from lab.report.claims.shape import shape_claims
from lab.report.claims.sides import sides
from lab.report.claims.throughput import rate_claims
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import COMPLETED, CONFIRMED, Evidence, cells
from lab.report.evidence.margin import INSTRUCTIONS
from lab.report.evidence.pairs import pairs

NAMES = ("verbs_throughput", "write_parameters")


def reference(name: str) -> tuple[Evidence, list[Row]]:
    """The evidence of the committed table, whose series have all their sizes; one that is newer waits for a renewal."""
    rows = parse_table((REFERENCE / f"{name}.csv").read_text())
    plan = laboratory.plan_of(name)
    measured = {row.series for row in rows}
    series = tuple(each for each in plan.experiment.series if each.name in measured)
    plan = replace(plan, experiment=replace(plan.experiment, series=series))
    assert all(
        set(each.sizes("exact")) == {row.size_bytes for row in rows if row.series == each.name} for each in series
    )
    keys = list(dict.fromkeys(row.record for row in rows))
    facts = {key: laboratory.facts_of(key, plan) for key in keys}
    return Evidence(plan, tuple(rows), facts, Path("nowhere"), 0, cells(plan, rows, keys)), rows


def by_size(rows: list[Row], series: str, column: str) -> dict[int, float]:
    values: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        if row.series == series:
            values[row.size_bytes].append(row.counts[column])
    return {size: median(found) for size, found in values.items()}


@pytest.mark.parametrize("name", NAMES)
def test_rates_and_ratios_are_the_tables_medians(name: str) -> None:
    evidence, rows = reference(name)
    ledger = Ledger()
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        ledger.add(rate_claims(curve))
        for size, value in by_size(rows, series.name, curve.column).items():
            assert ledger[f"{series.name}.{format_size(size)}"].estimate.value == value
            assert ledger[f"{series.name}.{format_size(size)}.messages"].estimate.value == pytest.approx(value / size)
    for pair in pairs(evidence):
        ledger.add(ratio_claims(pair))
        above, below = (by_size(rows, side.series.name, side.column) for side in (pair.ours, pair.base))
        for size in pair.sizes:
            ratio = ledger[f"{pair.name}.{format_size(size)}"].estimate
            assert ratio.value == pytest.approx(above[size] / below[size], rel=1e-12)
            assert ratio.interval is None or ratio.interval.contains(ratio.value)
    assert {"verbs.1M", "tcp.1", "verbs_over_tcp.4K", "verbs_over_ib_write_bw.1"} <= ledger.keys()


def test_the_reference_says_what_is_known_of_this_machine() -> None:
    evidence, rows = reference("verbs_throughput")
    ledger = Ledger()
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        for found in (shape_claims(curve), ceiling_claims(curve)):
            ledger.add(found or ())
    knee = ledger["verbs.knee"].estimate  # a message leaves the one packet of 4096 bytes
    assert knee.interval is not None and 4096 < knee.interval.low < knee.value < knee.interval.high < 8192
    assert "tcp.knee" not in ledger  # it bends twice
    assert all(claim.estimate.value <= 1 for name, claim in ledger.items() if name.endswith(".filled"))
    stops = [by_size(rows, "verbs", column) for column in (COMPLETED, CONFIRMED)]
    assert all(stops[0][size] >= stops[1][size] for size in stops[0]), "a confirmation before the completion"


def test_the_lines_of_the_mpi_reference_are_no_latencies() -> None:
    evidence, rows = reference("mpi_bandwidth_latency")
    for found in intercepts(evidence):
        kept = [row for row in rows if row.series == found.times.curve.name]
        kept = [row for row in kept if row.size_bytes in found.times.sizes]
        sizes, trips = ([row.size_bytes for row in kept], [row.counts["round_trip_ns"] for row in kept])
        slope, intercept = np.polyfit(sizes, np.divide(trips, 2), 1)
        claims = {claim.name: claim.estimate.value for claim in fit_claims(found.times) or ()}
        if found.times.part == "upper" and (rate := claims.get(f"{found.times.name}.rate")):
            assert rate == pytest.approx(1e9 / slope, rel=1e-9)
        assert claims[f"{found.times.name}.intercept"] == pytest.approx(intercept / 1e9, rel=1e-6)
    assert not any(found.agrees() for found in intercepts(evidence) if found.times.name in ("tcp.fit", "verbs.fit"))


def test_no_rate_of_the_mpi_reference_is_that_of_a_line_across_its_step() -> None:
    evidence, _ = reference("mpi_bandwidth_latency")
    (whole,) = (each.times for each in intercepts(evidence) if each.times.name == "verbs.fit")
    claims = {claim.name: claim.estimate for claim in fit_claims(whole) or ()}
    assert "verbs.fit.rate" not in claims
    assert 1 / whole.line().slope.value * 1e9 > 1.1 * claims["verbs.fit.fastest"].value
    assert (claims["verbs.fit.break.from"].value, claims["verbs.fit.break.to"].value) == (256_000, 272_000)
    assert 197e6 < claims["verbs.fit.below.rate"].value < 200e6
    above, size = claims["verbs.fit.above.rate"], claims["verbs.fit.above.fastest.size"].value
    # A slope leaves out the intercept: so must the message that it is held against.
    without = size / (size / claims["verbs.fit.above.fastest"].value - claims["verbs.fit.above.intercept"].value)
    assert above.interval is not None and above.interval.low < without
    assert above.value <= (1 + INSTRUCTIONS) * without


def test_over_verbs_a_second_packet_makes_a_step_and_over_tcp_none() -> None:
    evidence, _ = reference("mpi_blocking_nonblocking")
    tcp, verbs = (list(sides(evidence, evidence.series(name))) for name in ("tcp", "verbs"))
    for found in tcp:  # where bytes begin to count beside calls is no more than a bend
        assert median(found.curve.values(4088)) < 1.02 * median(found.curve.values(4086))
    for found in (each for each in verbs if each.side == "send"):
        knee = found.knee()
        assert knee is not None and 4000 < knee.value < 4096
        assert median(found.curve.values(4088)) > 1.3 * median(found.curve.values(4086))
