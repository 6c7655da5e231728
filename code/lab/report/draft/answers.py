"""What the data answer, topic by topic: sentences for the first page, one for the last, and the figure to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.analysis.verdict import Verdict
from lab.model.sizes import format_size
from lab.report.claims.latency import LatencyClaims
from lab.report.claims.ledger import AllClaims
from lab.report.claims.ratios import RatioClaims
from lab.report.claims.sides import SideClaims
from lab.report.claims.sweeps import GainClaims, SweepClaims
from lab.report.draft.intercepts import agreement
from lab.report.draft.latency import ONE_WAY, by_transport, halves, speed, tails
from lab.report.draft.ratios import counts_words, is_open, open_words, range_words
from lab.report.draft.rounds import NO_PROMISE, agreed, correction, over_sizes, twin_briefly, worst_twin
from lab.report.draft.sides import beside_each_other, is_told_apart
from lab.report.draft.sweeps import moved_words, parameters_of, words_of
from lab.report.evidence.labels import is_ours, label
from lab.report.evidence.links import link_groups
from lab.report.evidence.pairs import Sort
from lab.report.prose.uses import cite
from lab.report.tables.sides import by_end
from lab.report.tex.escape import escape

FEW_BYTES = (
    "Subtracting the way back of an answer changes little where a round holds many bytes, and is a guess where it "
    "holds few."
)
DEPENDS = "The answer depends on the size of the message: no single factor holds at all sizes."
NO_MESSAGE = (
    "A send's time says when its buffer is free again, and a receive's holds the wait for the sender: neither of them "
    "is the time that a message takes."
)


@dataclass(frozen=True)
class Answer:
    """One topic; the first of its figures that was drawn is the one to show."""

    figures: tuple[str, ...]
    sentences: tuple[str, ...]
    conclusion: str = ""


def answers(claims: AllClaims) -> list[Answer]:
    """The topics of an experiment; what it was made for comes first, and what a card changes before what varies."""
    main = claims.ratios_of(Sort.TRANSPORT)[:1]
    over_card = main and main[0].pair.ours.series.has_card
    first, last = ((_of_pairs,), ()) if over_card else ((), (_of_pairs,))
    topics = (_of_rounds, *first, _of_sweeps, _of_lines, _of_trips, _of_sides, *last, _of_peaks)
    return [answer for topic in topics for answer in topic(claims)]


def _of_rounds(claims: AllClaims) -> Iterator[Answer]:
    for found in over_sizes(claims)[:1]:
        twins = worst_twin(claims)
        rule = [twin_briefly(twins)] if twins else []
        said = (agreed(found), correction(found), *rule)
        yield Answer(("corrected",), said, NO_PROMISE if twins else FEW_BYTES)


def _of_sweeps(claims: AllClaims) -> Iterator[Answer]:
    best = [(sweep, gain) for sweep in claims.sweeps.values() if (gain := _largest(sweep))]
    best.sort(key=lambda pair: -pair[1].gain.estimate.value)
    idle = [each for each in claims.sweeps.values() if each.series not in [sweep.series for sweep, _ in best]]
    margin = cite(claims.constants.judging.margin)
    if best:
        sweep, gain = best[0]
        left_out = f"leaves out a factor of {cite(gain.gain)} on the same link{moved_words([gain])}"
        last = f"A throughput that is quoted without {parameters_of(sweep.series)} {left_out}."
        yield Answer(_figures(sweep, gain), tuple(_gain(*each) for each in best), last)
    if idle:
        said = f"Nothing that was tried for {_all_parameters(idle)} gains more than the margin of {margin}."
        yield Answer((idle[0].series.name,), (said,))


def _all_parameters(sweeps: Iterable[SweepClaims]) -> str:
    """Each of them once for each program."""
    varied = dict[str, dict[str, None]]()
    for each in sweeps:
        varied.setdefault(escape(label(each.series)), {}).update(dict.fromkeys(each.series.vary))
    return " and for ".join(f"{words_of(names)} of {who}" for who, names in varied.items())


def _largest(sweep: SweepClaims) -> GainClaims | None:
    gained = [each for each in sweep.gains.values() if each.gain.verdict is Verdict.MORE]
    return max(gained, key=lambda each: each.gain.estimate.value, default=None)


def _gain(sweep: SweepClaims, found: GainClaims) -> str:
    words = parameters_of(sweep.series)
    return (
        f"The best values of {words} multiply the throughput of {escape(label(sweep.series))} on the same link by "
        f"{cite(found.gain)} with messages of {cite(found.size)}{moved_words([found])}."
    )


def _figures(sweep: SweepClaims, found: GainClaims) -> tuple[str, ...]:
    name = sweep.series.name
    return name, f"{name}.{format_size(int(found.size.estimate.value))}", f"{name}.map"


def _of_lines(claims: AllClaims) -> Iterator[Answer]:
    large = dict.fromkeys(each.intercept.times.curve.name for each in claims.intercepts)
    found = [claims.latencies[name] for name in large]
    if found:
        broken = [each for each in found if each.fits and each.fits.whole.broken]
        shown = (broken or found)[0].curve.name
        found.sort(key=lambda each: not each.curve.series.link.card)
        said = (*map(_line, found), *_intercept(claims))
        moved = filter(None, map(_rate, found))
        yield Answer(("bandwidth", f"{shown}.fit"), said, " ".join((*moved, agreement(claims.intercepts))))


def _line(found: LatencyClaims) -> str:
    assert found.fits
    words, fit = escape(found.curve.words), found.fits.whole
    if fit.broken is None:
        rate = fit.line.rate
        said = f"has a slope that stands for {cite(rate)}" if rate else "has a slope that stands for no rate"
        return f"The line through the times of {words} {said}."
    at, change = fit.broken, f"from {cite(fit.broken.before)} to {cite(fit.broken.after)}"
    falls = at.after.estimate.value < at.before.estimate.value
    way = f"falls {change}, although the message is larger" if falls else f"grows {change}"
    return (
        f"No single line follows the times of {words}: from {cite(at.below.high)} to {cite(at.above.low)} "
        f"the time of a message {way}."
    )


def _rate(found: LatencyClaims) -> str:
    """What the line through the largest sizes stands for."""
    assert found.fits
    whole = found.fits.whole
    line = whole.broken.above if whole.broken else whole.line
    return (
        f"The slope of {escape(found.curve.words)} at its largest sizes stands for {cite(line.rate)}."
        if line.rate
        else ""
    )


def _intercept(claims: AllClaims) -> Iterator[str]:
    for each in claims.intercepts[:1]:
        if each.over_small.estimate.value > 0:
            yield (
                f"The intercept of {escape(each.intercept.times.curve.words)} is {cite(each.over_small)} times half of "
                "the round trip of the smallest message."
            )


def _of_trips(claims: AllClaims) -> Iterator[Answer]:
    """Where no line was laid through the times for its own sake."""
    found = by_transport(claims)
    if found and not claims.intercepts:
        ahead = [speed(each) for each in claims.speeds if not each.is_peer]
        said = (halves(found[0]), *ahead[:1], *tails(found[0][-1:]))
        yield Answer(("half_trip",), said, ONE_WAY)


def _of_sides(claims: AllClaims) -> Iterator[Answer]:
    if not claims.sides:
        return
    leaping = [each for sides in claims.sides.values() for each in sides if each.leap]
    shown = leaping[0].side.curve.series.name if leaping else next(iter(claims.sides))
    said = (*map(_calls, claims.sides.values()), *map(_leap, leaping[:1]))
    told = [beside_each_other(each) for found in claims.calls.values() for each in found if is_told_apart(each)]
    apart = [f"In the mean over all sizes {'; '.join(told)}."] if told else []
    yield Answer((f"sides.{shown}",), said, " ".join((*apart, NO_MESSAGE)))


def _calls(found: tuple[SideClaims, ...]) -> str:
    words = escape(label(found[0].side.curve.series))
    ends = (
        f"a {end} of {words} takes {' and '.join(f'{cite(each.below)} {each.side.variant}'.strip() for each in sides)}"
        for end, sides in by_end(found).items()
    )
    return f"On average, {'; '.join(ends)}."


def _leap(found: SideClaims) -> str:
    assert found.leap
    return (
        f"Between messages of {cite(found.leap.start)} and of {cite(found.leap.end)} the time of a "
        f"{escape(found.side.words)}, grows to {cite(found.leap.factor)} times what it was, on the same link."
    )


def _of_pairs(claims: AllClaims) -> Iterator[Answer]:
    margin, every = claims.constants.judging.margin, claims.ratios_of(Sort.TRANSPORT)
    for found in every[:1]:
        said = (open_words(found, margin),) if is_open(found) else (counts_words(found, margin), range_words(found))
        beside = (each for each in every if each.pair.ours.series.link == found.pair.ours.series.link)
        yield Answer((found.pair.picture,), said, " ".join(dict.fromkeys(filter(None, map(_verdict, beside)))))


def _verdict(found: RatioClaims) -> str:
    """No more than the counts say."""
    ours, base, sizes = escape(found.pair.ours.words), escape(found.pair.base.words), len(found.by_size)
    near = "at any size here; it comes closest at"
    if found.slower.estimate.value == sizes:
        return f"{ours} does not catch up with {base} {near} {cite(found.most.size)}."
    if found.faster.estimate.value == sizes:
        return f"{base} does not catch up with {ours} {near} {cite(found.least.size)}."
    return "" if is_open(found) else DEPENDS


def _of_peaks(claims: AllClaims) -> Iterator[Answer]:
    main = [each for group in link_groups(claims.evidence)[:1] for each in group.series if is_ours(each)]
    found = [(claims.curves[each.name].curve.words, claims.curves[each.name].shape) for each in main]
    said = [f"{escape(words)} reaches at most {cite(at.peak)}, at {cite(at.peak_size)}" for words, at in found if at]
    if said:
        yield Answer(("throughput",), (f"{'; '.join(said)}.",))
