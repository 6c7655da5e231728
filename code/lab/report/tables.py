"""The tables of a report, as rows of LaTeX cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.analysis.verdict import judge
from lab.report.claim import Ledger
from lab.report.escape import Markup, escape
from lab.report.evidence import Evidence
from lab.report.links import link_groups
from lab.report.measured import STOPS, Subject, subject
from lab.report.pairs import pairs
from lab.report.sweeps import points
from lab.report.typeset import cell, shown
from lab.report.units import show
from lab.sizes import format_size

MEGA = 1e6


@dataclass(frozen=True)
class SizeTable:
    """A table with a row for each size; the suffix tells a link's table and figures from the main link's."""

    suffix: Markup
    link: str
    stops: str  # where each series' clock stops
    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # the size first
    series: tuple[str, ...]


@dataclass(frozen=True)
class GainRow:
    """One size of a sweep: the best value against the first."""

    series: str
    parameter: str
    size: Markup
    first: Markup
    best: Markup
    rate: Markup
    gain: Markup
    verdict: str


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, as published and as run."""

    name: str
    published: Markup
    used: Markup
    source: str


def result_tables(evidence: Evidence, ledger: Ledger) -> list[SizeTable]:
    """What each series reached, one table for each link."""
    tables = []
    for group in link_groups(evidence):
        curves = [subject(evidence, each) for each in group.series]
        sizes = sorted({size for curve in curves for size in curve.sizes})
        rows = tuple(
            (_size(size), *(_claimed(ledger, f"{curve.name}.{format_size(size)}", MEGA) for curve in curves))
            for size in sizes
        )
        heads = tuple(escape(curve.words) for curve in curves)
        table = SizeTable(Markup(group.suffix), curves[0].link, _stops(curves), heads, rows, group.names)
        tables.append(table)
    return tables


def ratio_table(evidence: Evidence, ledger: Ledger) -> SizeTable | None:
    """Every ratio at every size, and how many messages were timed; None where nothing is compared."""
    found = list(pairs(evidence))
    if not found:
        return None
    rows = []
    for size in sorted({size for pair in found for size in pair.sizes}):
        counts = {str(each.ours.evidence.cell(each.ours.name, size, "messages").values[0]) for each in found}
        ratios = (_claimed(ledger, f"{pair.name}.{format_size(size)}") for pair in found)
        rows.append((_size(size), Markup(" or ".join(sorted(counts))), *ratios))
    heads = tuple(Markup(rf"\labhead{{{escape(each.ours.words)}}}{{over {escape(each.base.words)}}}") for each in found)
    series = tuple(dict.fromkeys(each.series.name for pair in found for each in (pair.ours, pair.base)))
    stops = f"Both sides of each ratio, over {_stops(pair.base for pair in found)}"
    return SizeTable(Markup(""), found[0].ours.link, stops, (Markup("messages"), *heads), tuple(rows), series)


def gain_rows(evidence: Evidence, ledger: Ledger) -> list[GainRow]:
    """A row for each swept parameter and size."""
    rows = []
    for series in evidence.all_series("throughput", varied=1):
        (parameter,) = series.vary
        for size in points(evidence, series)[0].sizes:
            name = f"{series.name}.{format_size(size)}"
            gain, first, best = ledger[f"{name}.gain"], ledger[f"{name}.first"], ledger[f"{name}.best"]
            rate = ledger[f"{series.name}.{best.estimate.value:.0f}.{format_size(size)}"]
            rows.append(
                GainRow(
                    series.name,
                    parameter,
                    _size(size),
                    Markup(shown(first).tex),
                    Markup(shown(best).tex),
                    cell(rate.estimate, MEGA),
                    cell(gain.estimate),
                    judge(gain.estimate).value,
                )
            )
    return rows


def parameter_rows(ledger: Ledger) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    rows = []
    for name, claim in ledger.items():
        group, _, parameter = name.partition(".")
        if group == "parameter":
            published = Markup(shown(ledger[f"published.{parameter}"]).tex)
            rows.append(ParameterRow(parameter, published, Markup(shown(claim).tex), claim.source))
        elif group == "profile":
            rows.append(ParameterRow(parameter, Markup("--"), Markup(shown(claim).tex), claim.source))
    return rows


def _stops(curves: Iterable[Subject]) -> str:
    """`RDMA WRITE, TCP to the receiver's confirmation; ib_write_bw to the sender's last completion`."""
    by_stop: dict[str, list[str]] = {}
    for curve in curves:
        by_stop.setdefault(STOPS[curve.column], []).append(curve.words)
    return "; ".join(f"{', '.join(names)} to {stop}" for stop, names in by_stop.items())


def _claimed(ledger: Ledger, name: str, scale: float = 1.0) -> Markup:
    """A claim as a cell; empty where the series does not have this size."""
    return cell(ledger[name].estimate, scale) if name in ledger else Markup("")


def _size(size: int) -> Markup:
    return Markup(show(size, "size", 0).tex)
