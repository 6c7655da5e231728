"""The tables of a report, as rows of LaTeX cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.claims.latency import round_trips
from lab.report.claims.sweeps import points
from lab.report.evidence.curve import STOPS, Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.handing import handing_words
from lab.report.evidence.links import link_groups
from lab.report.evidence.margin import verdict_words
from lab.report.evidence.pairs import Pair, Sort, pairs
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import claim_cell, shown
from lab.report.tex.units import MEGA, MICRO, show
from lab.spec.experiment import Series


@dataclass(frozen=True)
class SizeTable:
    """A table with a row for each size; the suffix tells a link's table and figures from the main link's."""

    suffix: Markup
    link: str
    stops: str  # where each series' clock stops
    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # the size first
    series: tuple[str, ...]
    about: str = ""  # of ratios: how messages travel, and what a verdict is


@dataclass(frozen=True)
class GainRow:
    """One size of a sweep: the best values against the first."""

    parameter: str
    size: Markup
    first: Markup
    best: Markup
    rate: Markup
    gain: Markup
    verdict: Markup  # and what moved with what was varied


@dataclass(frozen=True)
class GainTable:
    """A row for each sweep and size, and what a verdict is."""

    rows: tuple[GainRow, ...]
    about: str


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
            (size_cell(size), *(claimed(ledger, f"{curve.name}.{format_size(size)}", MEGA) for curve in curves))
            for size in sizes
        )
        heads = tuple(escape(curve.words) for curve in curves)
        table = SizeTable(Markup(group.suffix), curves[0].link, _stops(curves), heads, rows, group.names)
        tables.append(table)
    return tables


def ratio_tables(evidence: Evidence, ledger: Ledger) -> list[SizeTable]:
    """Every ratio at every size, and how many messages were timed, one table for each link."""
    tables = []
    for group in link_groups(evidence):
        wide = [each for each in pairs(evidence) if each.sort in (Sort.TRANSPORT, Sort.PEER)]
        found = [each for each in wide if each.ours.series.link == group.link]
        if found:
            tables.append(_ratio_table(Markup(group.suffix), found, ledger))
    return tables


def _ratio_table(suffix: Markup, found: list[Pair], ledger: Ledger) -> SizeTable:
    rows = []
    for size in sorted({size for pair in found for size in pair.sizes}):
        sides = (side for pair in found for side in (pair.ours, pair.base) if size in side.sizes)
        counts = {each.evidence.cell(each.name, size, "messages").values[0] for each in sides}
        ratios = (claimed(ledger, f"{pair.name}.{format_size(size)}") for pair in found)
        rows.append((size_cell(size), Markup(" or ".join(map(str, sorted(counts)))), *ratios))
    heads = (Markup(rf"\labhead{{{escape(each.ours.words)}}}{{over {escape(each.base.words)}}}") for each in found)
    series = tuple(dict.fromkeys(each.series.name for pair in found for each in (pair.ours, pair.base)))
    stops = f"Both sides of each ratio, over {_stops(pair.base for pair in found)}"
    link = found[0].ours.link
    return SizeTable(suffix, link, stops, (Markup("messages"), *heads), tuple(rows), series, about(found, ledger))


def about(found: list[Pair], ledger: Ledger) -> str:
    """What a ratio of small messages holds, how many verdicts there are, and how many may be false."""
    estimates = (ledger[f"{pair.name}.{format_size(size)}"].estimate for pair in found for size in pair.sizes)
    judged = verdict_words(estimates, found[0].ours.evidence.plan.site.traits)
    handed = handing_words(side for pair in found for side in (pair.ours, pair.base))
    return " ".join(filter(None, (handed, judged)))


@dataclass(frozen=True)
class RowTable:
    """A row for each series or pair and a column for each size, where there are many of them over few sizes; or the
    other way round."""

    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # what or which size it is, then the values
    series: tuple[str, ...]
    about: str = ""


def pair_table(evidence: Evidence, ledger: Ledger, sort: Sort) -> RowTable:
    """All pairs of one sort."""
    found = [each for each in pairs(evidence) if each.sort is sort]
    sizes = sorted({size for pair in found for size in pair.sizes})
    rows = tuple(
        (
            Markup(f"{escape(pair.ours.words)} over {escape(pair.base.words)}"),
            *(claimed(ledger, f"{pair.name}.{format_size(size)}") for size in sizes),
        )
        for pair in found
    )
    series = tuple(dict.fromkeys(each.series.name for pair in found for each in (pair.ours, pair.base)))
    return RowTable(tuple(map(size_cell, sizes)), rows, series, about(found, ledger) if found else "")


def rate_table(evidence: Evidence, ledger: Ledger) -> RowTable:
    """What each series of the main link reached."""
    curves = [subject(evidence, each) for group in link_groups(evidence)[:1] for each in group.series]
    sizes = sorted({size for curve in curves for size in curve.sizes})
    rows = tuple(
        (escape(curve.words), *(claimed(ledger, f"{curve.name}.{format_size(size)}", MEGA) for size in sizes))
        for curve in curves
    )
    return RowTable(tuple(map(size_cell, sizes)), rows, tuple(curve.series.name for curve in curves))


def latency_table(evidence: Evidence, ledger: Ledger) -> RowTable:
    """Half of the round trip, over the sizes of the series that has the smallest."""
    curves = [round_trips(evidence, each) for each in evidence.all_series("latency")]
    sizes = min((curve.sizes for curve in curves), default=())
    found = [curve for curve in curves if sizes and curve.sizes[0] == sizes[0]]
    rows = tuple(
        (
            size_cell(size),
            *(claimed(ledger, f"{curve.name}.{format_size(size)}.half_trip", MICRO) for curve in found),
        )
        for size in sizes
    )
    return RowTable(tuple(escape(curve.words) for curve in found), rows, tuple(curve.name for curve in found))


def gain_table(evidence: Evidence, ledger: Ledger) -> GainTable:
    """What the best values of each sweep gain."""
    places = [(series, size) for series in evidence.sweeps for size in points(evidence, series)[0].sizes]
    gains = (ledger[f"{series.name}.{format_size(size)}.gain"].estimate for series, size in places)
    about = verdict_words(gains, evidence.plan.site.traits)
    return GainTable(tuple(_gain_row(series, ledger, size) for series, size in places), about)


def _gain_row(series: Series, ledger: Ledger, size: int) -> GainRow:
    name = f"{series.name}.{format_size(size)}"
    gain = ledger[f"{name}.gain"]
    first, best = ([ledger[f"{name}.{which}.{each}"] for each in series.vary] for which in ("first", "best"))
    point = ".".join(f"{each.estimate.value:.0f}" for each in best)
    return GainRow(
        parameter=", ".join(series.vary),
        size=size_cell(size),
        first=Markup(", ".join(shown(each).tex for each in first)),
        best=Markup(", ".join(shown(each).tex for each in best)),
        rate=claim_cell(ledger[f"{series.name}.{point}.{format_size(size)}"], MEGA),
        gain=claim_cell(gain),
        verdict=Markup(gain.verdict.value + (f"; moved too: {names}" if (names := _typed(gain.moved)) else "")),
    )


def _typed(names: Iterable[str]) -> str:
    return ", ".join(rf"\texttt{{{escape(name)}}}" for name in names)


def parameter_rows(ledger: Ledger) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    rows = []
    for name, claim in ledger.items():
        group, _, parameter = name.partition(".")
        if group == "parameter" and f"{name}.least" in ledger:
            published = Markup(shown(ledger[f"published.{parameter}"]).tex)
            ends = dict.fromkeys(shown(each).tex for each in (ledger[f"{name}.least"], claim))
            rows.append(ParameterRow(parameter, published, Markup(" to ".join(ends)), claim.source))
        elif group == "profile":
            rows.append(ParameterRow(parameter, Markup("--"), Markup(shown(claim).tex), claim.source))
    return rows


def _stops(curves: Iterable[Subject]) -> str:
    """`RDMA WRITE, TCP to the receiver's confirmation; ib_write_bw to the sender's last completion`."""
    by_stop: dict[str, list[str]] = {}
    for curve in curves:
        by_stop.setdefault(STOPS[curve.column], []).append(curve.words)
    return "; ".join(f"{', '.join(names)} to {stop}" for stop, names in by_stop.items())


def claimed(ledger: Ledger, name: str, scale: float = 1.0) -> Markup:
    """A claim as a cell; empty where the series does not have this size."""
    return claim_cell(ledger[name], scale) if name in ledger else Markup("")


def size_cell(size: int) -> Markup:
    return Markup(show(size, "size", 0).tex)
