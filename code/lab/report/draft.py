"""A discussion to start from: what the data show, in plain sentences, every number a claim."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.verdict import Verdict, judge
from lab.report.ceilings import HEADERS
from lab.report.claim import Ledger
from lab.report.escape import escape
from lab.report.evidence import Evidence
from lab.report.labels import is_ours, label
from lab.report.lines_draft import line_sentences
from lab.report.links import link_groups
from lab.report.measured import Subject, subject
from lab.report.pairs import Pair, pairs
from lab.report.rounds import rounds_curves
from lab.report.shape import growth
from lab.report.sides_draft import side_sentences
from lab.report.sweeps import points
from lab.report.words import parameter_words
from lab.sizes import format_size
from lab.spec import Series

JUMP = 0.05  # of a message's time: a step that saves less is no jump


def draft(evidence: Evidence, ledger: Ledger) -> str:
    """One sentence a line; which sentences there are follows from the intervals."""
    return "\n".join(_sentences(evidence, ledger)) + "\n"


def _sentences(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    repeated = [curve for curve in rounds_curves(evidence) if not curve.point]
    if evidence.all_series("throughput"):
        figure = "corrected" if repeated else "throughput"
        yield rf"\figureof{{{figure}}} shows how the throughput grows with the size of the message."
    for place, group in enumerate(link_groups(evidence)):
        for curve in (subject(evidence, each) for each in group.series if is_ours(each)):
            yield from [_filled(curve, ledger)] if place else _shape(curve, ledger)
    for curve in repeated:
        yield from _rounds(curve, ledger)
    main = link_groups(evidence)[:1]
    for pair in pairs(evidence):
        if any(pair.ours.series.link == group.link for group in main):
            yield _verdict(pair, ledger)
    yield from line_sentences(evidence, ledger)
    yield from side_sentences(evidence, ledger)
    for series in evidence.sweeps:
        yield from _sweep(evidence, series, ledger)


def _shape(curve: Subject, ledger: Ledger) -> Iterator[str]:
    """Where the curve bends, jumps or falls, and whether it still grows at its end."""
    name, words = curve.name, escape(curve.words)
    yield (
        rf"\par {words} reaches its highest median throughput, \claim{{{name}.peak}}, at \claim{{{name}.peak.size}}."
    )
    if f"{name}.knee" in ledger:
        yield rf"On logarithmic axes its curve bends once, at \claim{{{name}.knee}} by segmented regression."
    else:
        yield "Its curve has no knee that the data support: it bends gradually, or more than once."
    yield _jump(name, words, ledger)
    if judge(ledger[f"{name}.fall"].estimate) is Verdict.LESS:
        yield (
            rf"From \claim{{{name}.fall.from}} to \claim{{{name}.fall.to}} the throughput of {words} "
            rf"on the same link falls, to \claim{{{name}.fall}} times that at the size before."
        )
    yield {
        Verdict.MORE: rf"At the end it still grows: the last step multiplies it by \claim{{{name}.last}} on this link.",
        Verdict.LESS: rf"The last step multiplies it by \claim{{{name}.last}} on this link: it has passed its peak.",
        Verdict.CANT_TELL: rf"The last step multiplies it by \claim{{{name}.last}} on this link, which may be nothing.",
    }[judge(ledger[f"{name}.last"].estimate)]


def _filled(curve: Subject, ledger: Ledger) -> str:
    """What a curve makes of a link beside the main one."""
    name, rate, share = curve.name, "", ""
    if f"{name}.filled" in ledger:
        rate, share = rf" of \claim{{{name}.rate}}", rf", which is \claim{{{name}.filled}} times {HEADERS}"
    return (
        rf"\par On its own link{rate}, {escape(label(curve.series))} reaches at most "
        rf"\claim{{{name}.peak}}, at \claim{{{name}.peak.size}}{share}."
    )


def _jump(name: str, words: str, ledger: Ledger) -> str:
    """A step is a jump where its whole interval says so: each message then takes less time than the smaller ones."""
    small, large = (ledger[f"{name}.jump.{end}"].estimate.value for end in ("from", "to"))
    steepest = (
        rf"Of all steps to the next size, that from \claim{{{name}.jump.from}} to \claim{{{name}.jump.to}} is "
        rf"steepest for its sizes: on the same link it multiplies the throughput of {words} by \claim{{{name}.jump}}"
    )
    if judge(growth(ledger[f"{name}.jump"], small, large), margin=JUMP) is Verdict.MORE:
        return f"{steepest}, a jump."
    return f"{steepest}, about as much as the size or below it, so there is no jump."


def _rounds(curve: Subject, ledger: Ledger) -> Iterator[str]:
    """How many sizes settled, and how much half of the round trip matters at most."""
    name, words = curve.name, escape(curve.words)
    largest = f"{name}.{format_size(int(ledger[f'{name}.share.size'].estimate.value))}"
    yield (
        rf"\par The rounds of {words} agreed in every repetition at \claim{{{name}.agreed}} of "
        rf"\claim{{count.sizes}} sizes; at \claim{{{name}.unsettled}} some repetition reached the cap first, "
        "which is a result and no gap in the data."
    )
    yield (
        rf"Half of the round trip is at most \claim{{{largest}.share}} of a round's time, at "
        rf"\claim{{{name}.share.size}}, and \claim{{{name}.refused}} sizes are not corrected."
    )


def _verdict(pair: Pair, ledger: Ledger) -> str:
    """Who wins, by how much, and for how many sizes the data can tell."""
    name, ahead, behind = pair.name, escape(pair.ours.words), escape(pair.base.words)
    if ledger[f"{name}.unclear"].estimate.value == len(pair.sizes):
        blank = ledger[f"{name}.least"].estimate.interval is None
        why = "too few repetitions leave it no interval" if blank else "its intervals hold equality at every size"
        return (
            rf"\par The ratio of {ahead} to {behind} on the same link lies between \claim{{{name}.least}} and "
            rf"\claim{{{name}.most}} over the sizes, but {why}, so the data cannot tell which of them has the edge."
        )
    return (
        rf"\par Of \claim{{{name}.sizes}} sizes, {ahead} is ahead of {behind} on the same link "
        rf"at \claim{{{name}.faster}} and behind at \claim{{{name}.slower}}; at \claim{{{name}.unclear}} "
        rf"the intervals cannot tell. The ratio to {behind} goes from \claim{{{name}.least}} "
        rf"at \claim{{{name}.least.size}} to \claim{{{name}.most}} at \claim{{{name}.most.size}}."
    )


def _sweep(evidence: Evidence, series: Series, ledger: Ledger) -> Iterator[str]:
    """What the best values gain at each size, and whether the intervals carry it."""
    names = [f"{series.name}.{format_size(size)}" for size in points(evidence, series)[0].sizes]
    best = {name: _point(series, f"{name}.best") for name in names}
    gains = ", ".join(
        rf"by \claim{{{name}.gain}} with messages of \claim{{{name}.size}} (at {best[name]})" for name in names
    )
    words = " and ".join(parameter_words(each) for each in series.vary)
    yield (
        rf"\par {escape(words[0].upper() + words[1:])}: over {_point(series, f'{names[0]}.first')}, "
        rf"the best values multiply the throughput on the same link {gains}."
    )
    carried = sum(judge(ledger[f"{name}.gain"].estimate) is Verdict.MORE for name in names)
    if carried == len(names):
        yield "The intervals support each of these."
    elif carried:
        yield "The intervals support only some of these; the rest cannot be told from no change."
    else:
        yield "The repetitions cannot tell these from no change."


def _point(series: Series, name: str) -> str:
    return " and ".join(rf"\texttt{{{escape(each)}}} \claim{{{name}.{each}}}" for each in series.vary)
