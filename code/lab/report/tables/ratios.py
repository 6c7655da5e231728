"""Tables of ratios: each pair at every size, the meaning of a verdict, and the number of false ones to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.report.evidence.evidence import Evidence
from lab.report.evidence.handing import handing_words
from lab.report.evidence.links import link_groups
from lab.report.evidence.margin import verdict_words
from lab.report.evidence.pairs import Sort
from lab.report.tables.rows import RowTable, SizeTable, cell_if, size_cell, stops_of
from lab.report.tex.escape import Markup, escape
from lab.report.topics.ratios import PairRatios, pair_ratios


def ratio_tables(evidence: Evidence) -> list[SizeTable]:
    """Every ratio at every size, and how many messages were timed, one table for each link."""
    tables = []
    for group in link_groups(evidence):
        wide = pair_ratios(evidence, Sort.TRANSPORT, Sort.PEER)
        found = [each for each in wide if each.pair.ours.series.link == group.link]
        if found:
            tables.append(_ratio_table(Markup(group.suffix), found))
    return tables


def _ratio_table(suffix: Markup, found: list[PairRatios]) -> SizeTable:
    pairs = [each.pair for each in found]
    rows = []
    for size in sizes_of(found):
        sides = (side for pair in pairs for side in (pair.ours, pair.base) if size in side.sizes)
        counts = {each.evidence.cell(each.name, size, "messages").values[0] for each in sides}
        ratios = (cell_if(each.by_size.get(size)) for each in found)
        rows.append((size_cell(size), Markup(" or ".join(map(str, sorted(counts)))), *ratios))
    names = (Markup(rf"\labhead{{{escape(each.ours.words)}}}{{over {escape(each.base.words)}}}") for each in pairs)
    stops = f"Both sides of each ratio, over {stops_of(pair.base for pair in pairs)}"
    heads = (Markup("messages"), *names)
    return SizeTable(suffix, pairs[0].ours.link, stops, heads, tuple(rows), series_of(found), about(found))


def about(found: Sequence[PairRatios]) -> str:
    """The sentences about ratios of small messages, the number of verdicts, and the false ones to expect."""
    estimates = (answer.estimate for each in found for answer in each.by_size.values())
    judged = verdict_words(estimates, found[0].pair.ours.evidence.plan.site.traits)
    handed = handing_words(side for each in found for side in (each.pair.ours, each.pair.base))
    return " ".join(filter(None, (handed, judged)))


def series_of(found: Sequence[PairRatios]) -> tuple[str, ...]:
    """Both sides of every pair, each once."""
    sides = (side for each in found for side in (each.pair.ours, each.pair.base))
    return tuple(dict.fromkeys(side.series.name for side in sides))


def sizes_of(found: Sequence[PairRatios]) -> list[int]:
    """Those of any of the pairs."""
    return sorted({size for each in found for size in each.by_size})


def pair_table(evidence: Evidence, sort: Sort) -> RowTable:
    """All pairs of one sort."""
    found = pair_ratios(evidence, sort)
    sizes = sizes_of(found)
    rows = tuple(
        (
            Markup(f"{escape(each.pair.ours.words)} over {escape(each.pair.base.words)}"),
            *(cell_if(each.by_size.get(size)) for size in sizes),
        )
        for each in found
    )
    return RowTable(tuple(map(size_cell, sizes)), rows, series_of(found), about(found) if found else "")


@dataclass(frozen=True)
class Transport:
    """One transport over another: its name, both sides in words, the figure and the table."""

    name: Markup
    ours: str
    base: str
    link: str
    picture: Markup
    table: Markup


def transports(evidence: Evidence) -> list[Transport]:
    """Every transport of ours over another."""
    suffixes = {group.link: group.suffix for group in link_groups(evidence)}
    return [
        Transport(
            Markup(each.name),
            each.ours.words,
            each.base.words,
            each.ours.link,
            Markup(each.picture),
            Markup(f"ratios{suffixes[each.ours.series.link]}"),
        )
        for each in (ratios.pair for ratios in pair_ratios(evidence, Sort.TRANSPORT))
    ]
