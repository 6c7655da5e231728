"""A discussion to start from: what the data show, in plain sentences, every number a claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.analysis.verdict import Verdict, judge
from lab.model.sizes import format_size
from lab.report.claim import Ledger
from lab.report.claims.ceilings import HEADERS
from lab.report.claims.rounds import rounds_curves
from lab.report.claims.shape import growth
from lab.report.claims.sweeps import points
from lab.report.draft.intercepts import line_sentences
from lab.report.draft.sides import side_sentences
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.handing import handed_otherwise
from lab.report.evidence.labels import is_ours, label
from lab.report.evidence.links import link_groups
from lab.report.evidence.pairs import Pair, Sort, pairs
from lab.report.evidence.parameter_words import parameter_words
from lab.report.tex.escape import escape
from lab.spec.experiment import Series

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
            if len(curve.sizes) == 1:
                yield _only(curve)
            else:
                yield from [_filled(curve, ledger)] if place else _shape(curve, ledger)
    for curve in repeated:
        yield from _rounds(curve, ledger)
    main = link_groups(evidence)[:1]
    for pair in pairs(evidence):
        if pair.sort is not Sort.VARIANT and any(pair.ours.series.link == group.link for group in main):
            yield _verdict(pair, ledger)
    yield from _handed(evidence)
    yield from line_sentences(evidence, ledger)
    yield from side_sentences(evidence, ledger)
    for series in evidence.sweeps:
        yield from _sweep(evidence, series, ledger)


def _only(curve: Subject) -> str:
    """A single size has no shape."""
    claim = f"{curve.name}.{format_size(curve.sizes[0])}"
    return rf"\par {escape(curve.words)} was measured at one size: its median throughput is \claim{{{claim}}}."


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
    if ledger[f"{name}.fall"].verdict is Verdict.LESS:
        yield (
            rf"From \claim{{{name}.fall.from}} to \claim{{{name}.fall.to}} the throughput of {words} "
            rf"on the same link falls, to \claim{{{name}.fall}} times that at the size before."
        )
    yield {
        Verdict.MORE: rf"At the end it still grows: the last step multiplies it by \claim{{{name}.last}} on this link.",
        Verdict.LESS: rf"The last step multiplies it by \claim{{{name}.last}} on this link: it has passed its peak.",
    }.get(ledger[f"{name}.last"].verdict, _no_step(name))


def _no_step(name: str) -> str:
    return (
        rf"The last step multiplies it by \claim{{{name}.last}} on this link, "
        r"which cannot be told from the margin of \claim{margin}."
    )


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
    """How many sizes settled, and how much the correction matters at most."""
    name, words = curve.name, escape(curve.words)
    largest = f"{name}.{format_size(int(ledger[f'{name}.share.size'].estimate.value))}"
    yield (
        rf"\par The rounds of {words} agreed in every repetition at \claim{{{name}.agreed}} of "
        rf"\claim{{count.sizes}} sizes; at \claim{{{name}.unsettled}} some repetition reached the cap first, "
        "which is a result and no gap in the data."
    )
    yield (
        rf"The correction takes off at most \claim{{{largest}.share}} of a round's time, at "
        rf"\claim{{{name}.share.size}}, and \claim{{{name}.refused}} sizes are not corrected."
    )


def _verdict(pair: Pair, ledger: Ledger) -> str:
    """Who wins, by how much, and for how many sizes the data can tell."""
    name, ahead, behind = pair.name, escape(pair.ours.words), escape(pair.base.words)
    if ledger[f"{name}.unclear"].estimate.value == len(pair.sizes):
        blank = ledger[f"{name}.least"].estimate.interval is None
        near = r"its intervals hold equality, or come within \claim{margin} of it, at every size"
        why = "too few repetitions leave it no interval" if blank else near
        return (
            rf"\par The ratio of {ahead} to {behind} on the same link lies between \claim{{{name}.least}} and "
            rf"\claim{{{name}.most}} over the sizes, but {why}, so the data cannot tell which of them has the edge."
        )
    return (
        rf"\par Of \claim{{{name}.sizes}} sizes, {ahead} is ahead of {behind} on the same link "
        rf"at \claim{{{name}.faster}} and behind at \claim{{{name}.slower}}, by more than \claim{{margin}}; "
        rf"at \claim{{{name}.unclear}} the intervals cannot tell. If nothing differed, at most "
        rf"\claim{{{name}.false}} such verdicts would be false in the mean. "
        rf"The ratio to {behind} goes from \claim{{{name}.least}} at \claim{{{name}.least.size}} "
        rf"to \claim{{{name}.most}} at \claim{{{name}.most.size}}."
    )


def _handed(evidence: Evidence) -> Iterator[str]:
    """What becomes of a ratio of small messages where both sides hand them over in another way."""
    found = list(pairs(evidence))
    usual = {each.ours.series.link: each for each in found if each.sort is Sort.TRANSPORT}
    for pair in (each for each in found if each.sort is Sort.VARIANT):
        both = all(handed_otherwise(evidence.plan.experiment, side.series) for side in (pair.ours, pair.base))
        before = usual.get(pair.ours.series.link)
        if both and before and pair.sizes[0] == before.sizes[0]:
            size = format_size(pair.sizes[0])
            yield (
                rf"\par Small messages share calls and packets; where each travels by itself, the ratio of "
                rf"{escape(pair.ours.words)} to {escape(pair.base.words)} on the same link is "
                rf"\claim{{{pair.name}.{size}}} at \claim{{smallest.size}}, instead of \claim{{{before.name}.{size}}}."
            )


def _sweep(evidence: Evidence, series: Series, ledger: Ledger) -> Iterator[str]:
    """What the best values gain at each size, and whether the intervals carry it."""
    names = [f"{series.name}.{format_size(size)}" for size in points(evidence, series)[0].sizes]
    words = escape(" and ".join(parameter_words(each) for each in series.vary))
    gained = [name for name in names if ledger[f"{name}.gain"].verdict is not Verdict.WITHIN]
    start = rf"\par {words[0].upper()}{words[1:]}: over {_point(series, f'{names[0]}.first')}, "
    if not gained:
        yield rf"{start}no value gains more than the margin of \claim{{margin}}, whatever the size of the messages."
        return
    gains = ", ".join(
        rf"by \claim{{{name}.gain}} with messages of \claim{{{name}.size}} (at {_point(series, f'{name}.best')})"
        for name in gained
    )
    yield (
        rf"{start}the best values, the smallest within \claim{{margin}} of the highest, "
        rf"multiply the throughput on the same link {gains}{_moved(gained, ledger)}."
    )
    if len(gained) < len(names):
        yield "At the other sizes no value gains more than that margin."
    if all(ledger[f"{name}.gain"].verdict is Verdict.MORE for name in gained):
        yield "The intervals, which allow for the choice of the best, support each of these."
    else:
        yield "The intervals, which allow for the choice of the best, do not support all of these."


def _moved(names: Iterable[str], ledger: Ledger) -> str:
    """What moved with the varied values, so that a gain is theirs too."""
    moved = dict.fromkeys(each for name in names for each in ledger[f"{name}.gain"].moved)
    listed = " and ".join(rf"\texttt{{{escape(each)}}}" for each in moved)
    return f"; {listed} moved with them, so that this is their effect too" if moved else ""


def _point(series: Series, name: str) -> str:
    return " and ".join(rf"\texttt{{{escape(each)}}} \claim{{{name}.{each}}}" for each in series.vary)
