"""The tables of latencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from lab.report.claim import Claim
from lab.report.claims.latency import QUANTILES, LatencyClaims
from lab.report.claims.ledger import AllClaims
from lab.report.claims.speeds import SpeedClaims
from lab.report.tables.rows import RowTable, cell_if, size_cell
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import bare_cell
from lab.report.tex.units import MICRO

MOST_COLUMNS = 4


def latency_table(claims: AllClaims) -> RowTable:
    """Half of the round trip of the series that have the smallest size."""
    curves = claims.latencies.values()
    smallest = min((size for each in curves for size in each.curve.sizes), default=0)
    found = [each for each in curves if smallest in each.curve.sizes]
    columns = [
        (escape(each.curve.words), {size: trip.half_trip for size, trip in each.by_size.items()}) for each in found
    ]
    return _by_size(columns, [each.curve.name for each in found], MICRO)


def tail_table(claims: AllClaims) -> RowTable:
    """Three rows for each of our series: of half of the round trip the median and the quantiles that trips support."""
    found = [each for each in claims.latencies.values() if any(kept.halves for kept in each.quantiles)]
    sizes = sorted({kept.trips.size for each in found for kept in each.quantiles if kept.halves})
    rows = [row for each in found for row in _tails(each, sizes)]
    return RowTable(tuple(map(size_cell, sizes)), tuple(rows), tuple(each.curve.name for each in found))


def speed_table(claims: AllClaims) -> RowTable:
    """Each of ours over another transport or over its peer."""
    columns = [(_over(each), each.by_size) for each in claims.speeds]
    names = dict.fromkeys(side.name for each in claims.speeds for side in (each.ours, each.base))
    return _by_size(columns, names, 1.0)


def _over(speed: SpeedClaims) -> Markup:
    return Markup(rf"\lablines{{{escape(speed.ours.words)}}}{{over {escape(speed.base.words)}}}")


def _by_size(columns: list[tuple[Markup, dict[int, Claim]]], names: Iterable[str], scale: float) -> RowTable:
    """Few columns stand so, with a row for each size; many become rows, at the sizes that most of them have."""
    sizes = sorted({size for _, values in columns for size in values})
    if len(columns) <= MOST_COLUMNS:
        rows = [(size_cell(size), *(cell_if(values.get(size), scale) for _, values in columns)) for size in sizes]
        return RowTable(tuple(head for head, _ in columns), tuple(rows), tuple(names))
    sizes = common_sizes([values.keys() for _, values in columns])
    rows = [(head, *(cell_if(values.get(size), scale) for size in sizes)) for head, values in columns]
    return RowTable(tuple(map(size_cell, sizes)), tuple(rows), tuple(names))


def common_sizes(of_each: Iterable[Collection[int]]) -> list[int]:
    """The first, the middle and the last of the three or more sizes that most have."""
    counts = Counter(size for sizes in of_each for size in sizes)
    least = sorted(counts.values())[-3:][0]
    found = sorted(size for size, count in counts.items() if count >= least)
    return sorted({found[0], found[len(found) // 2], found[-1]})


def _tails(found: LatencyClaims, sizes: list[int]) -> Iterator[tuple[Markup, ...]]:
    halves = {kept.trips.size: kept.halves for kept in found.quantiles}
    medians = (found.by_size[size].half_trip if size in found.by_size else None for size in sizes)
    yield (escape(f"{found.curve.words}, p50"), *map(_bare, medians))
    for quantile, short in QUANTILES.items():
        tails = (halves.get(size, {}).get(quantile) for size in sizes)
        yield (Markup(rf"\quad {short}"), *map(_bare, tails))


def _bare(claim: Claim | None) -> Markup:
    """Without its interval, which the ledger has."""
    return bare_cell(claim, MICRO) if claim else Markup("")


def _half_trip(found: LatencyClaims, size: int) -> Markup:
    trip = found.by_size.get(size)
    return cell_if(trip.half_trip if trip else None, MICRO)
