"""Figures at their places in a template, each with its caption; and the figure of the first page."""

from __future__ import annotations

from collections.abc import Iterator

from lab.model.sizes import format_size
from lab.report.errors import ReportError
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label
from lab.report.evidence.pairs import Sort, pairs
from lab.report.evidence.parameter_words import parameter_words
from lab.report.evidence.record_sets import record_sets, sets_of
from lab.report.evidence.words import words_of
from lab.report.pictures.gallery import Gallery
from lab.report.tex.escape import Markup, escape
from lab.report.topics.sides import all_sides
from lab.report.topics.sweeps import Sweep, all_sweeps


def headline(evidence: Evidence, drawn: frozenset[str]) -> str:
    """The figure of what the experiment was made for; nothing where none is drawn."""
    return next((name for name in _by_weight(evidence) if name in drawn), "")


def _by_weight(evidence: Evidence) -> Iterator[str]:
    """Rounds, a modelled card over TCP, sweeps, latencies, calls, other pairs, and any throughput."""
    transports = [pair for pair in pairs(evidence) if pair.sort is Sort.TRANSPORT][:1]
    yield "corrected"
    yield from (pair.picture for pair in transports if pair.ours.series.has_card)
    for sweep in sorted(all_sweeps(evidence), key=_largest_gain, reverse=True):
        _, size = _largest_gain(sweep)
        yield from (sweep.series.name, f"{sweep.series.name}.{format_size(size)}", f"{sweep.series.name}.map")
    yield from ("half_trip", "round_trip")
    yield from (f"sides.{name}" for name in evidence.once(all_sides))
    yield from (pair.picture for pair in transports)
    yield "throughput"


def _largest_gain(sweep: Sweep) -> tuple[float, int]:
    """The largest gain of a sweep, and its size."""
    return max((gain.answer.estimate.value, size) for size, gain in sweep.gains.items())


def place(evidence: Evidence, gallery: Gallery, name: str) -> Markup:
    """A figure with its caption, its records and its content in words."""
    if name not in gallery:
        raise ReportError(f"the data give no figure {name!r}", hint="one of " + ", ".join(gallery))
    figure = gallery[name]
    alt = ("\ufeff" + figure.alt).encode("utf-16-be").hex().upper()
    drawn = gallery.pictures[name]
    words = words_of(evidence.plan.site.name, evidence.plan.site.traits)
    source = f"{words.caption} Records {sets_of(figure.keys, record_sets(evidence))}."
    if drawn.source:
        source = f"{drawn.source} {words.caption}"
    if drawn.machine:
        source = f"Published data of {drawn.machine}, not measured here."
    warned = r"\labwarned{}" if evidence.unchecked(figure.keys) else ""
    caption = f"{escape(f'{drawn.caption} {figure.n}. {source}')}{warned}"
    return Markup(
        "\\begin{labplace}{figure}\n"
        f"  \\labpicture{{figures/{name}.pdf}}{{{alt}}}\n"
        f"  \\caption{{{caption}}}\\label{{figure:{name}}}\n"
        "\\end{labplace}\n"
    )


def sweep_pictures(evidence: Evidence, gallery: Gallery, name: str) -> list[str]:
    """The figures that show the effect of a sweep."""
    sizes = (format_size(size) for size in evidence.series(name).sizes(evidence.plan.site.name))
    wanted = (name, f"{name}.map", *(f"{name}.{size}" for size in sizes))
    return [each for each in wanted if each in gallery]


def sweep_text(evidence: Evidence, gallery: Gallery, name: str) -> Markup:
    """References to a sweep's figures, and the varied values."""
    found = [rf"\figureof{{{each}}}" for each in sweep_pictures(evidence, gallery, name)]
    figures = f"{', '.join(found[:-1])} and {found[-1]} vary" if len(found) > 1 else f"{''.join(found)} varies"
    ways = " and ".join(
        rf"{escape(parameter_words(each))}, \texttt{{{escape(each)}}}, from \num{{{values[0]}}} to \num{{{values[-1]}}}"
        for each, values in evidence.series(name).vary.items()
    )
    return Markup(rf"{figures} {ways}, with {escape(label(evidence.series(name)))}.")
