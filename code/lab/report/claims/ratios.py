"""Claims that lay one series beside another on the same link: ratios of medians, with base and link named."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import ratio_of_medians, ratios_of_medians
from lab.analysis.verdict import Verdict, false_verdicts
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.curve import Subject
from lab.report.evidence.pairs import CurvePair
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class Extreme(ClaimGroup):
    """The least or the most of the ratios, and its size."""

    ratio: Claim
    size: Claim


@dataclass(frozen=True)
class RatioClaims(ClaimGroup):
    """A pair at every size, the extremes, and at how many sizes the data can tell which is faster."""

    pair: CurvePair
    by_size: dict[int, Claim]
    least: Extreme
    most: Extreme
    sizes: Claim
    faster: Claim
    slower: Claim
    unclear: Claim  # with those within the margin
    within: Claim
    false: Claim  # verdicts that may be, if nothing differs


def ratio_claims(pair: CurvePair) -> RatioClaims:
    """The ratio at each size, the extremes, and for how many sizes the data can tell which is faster."""
    name, words = pair.name, f"{pair.ours.words} over {pair.base.words}"
    by_size = {size: ratio(pair.ours, pair.base, size, f"{name}.{format_size(size)}") for size in pair.sizes}

    def counted(word: str, *verdicts: Verdict) -> Claim:
        count = sum(each.verdict in verdicts for each in by_size.values())
        said = " or ".join(each.value for each in verdicts)
        meaning = f"sizes at which the interval of {words} says: {said} (margin {100 * pair.ours.margin:g} %)"
        return _of_all(by_size, f"{name}.{word}", count, meaning)

    _, wrong = false_verdicts(each.estimate for each in by_size.values())
    meaning = f"verdicts on {words} that at most are false in the mean, if nothing differs"
    return RatioClaims(
        pair,
        by_size,
        *_extremes(pair, by_size),
        _of_all(by_size, f"{name}.sizes", len(by_size), f"sizes at which {words} is compared"),
        counted("faster", Verdict.MORE),
        counted("slower", Verdict.LESS),
        counted("unclear", Verdict.CANT_TELL, Verdict.WITHIN),
        counted("within", Verdict.WITHIN),
        _of_all(by_size, f"{name}.false", wrong, meaning),
    )


def ratio(ours: Subject, base: Subject, size: int, name: str) -> Claim:
    """One ratio; n is that of the side with fewer repetitions."""
    above, below = ours.cell(size), base.cell(size)
    keys = (*above.keys, *below.keys)
    return Claim(
        name,
        ratio_of_medians(above.values, below.values),
        "",
        ClaimKind.RATIO,
        f"{ours.words} over {base.words}, messages of {in_words(size)}",
        keys,
        min(ours.wanted_n, base.wanted_n),
        base=base.words,
        link=ours.link,
        base_link=base.link,
        unchecked=ours.evidence.unchecked(keys),
        margin=ours.margin,
        series=(ours.series.name, base.series.name),
        sizes=(size,),
    )


def _extremes(pair: CurvePair, by_size: dict[int, Claim]) -> tuple[Extreme, Extreme]:
    """The least and the most of all sizes; chosen by their values, so that their intervals allow for the choice."""
    sides = [(pair.ours.values(size), pair.base.values(size)) for size in by_size]
    chosen = dict(zip(by_size, ratios_of_medians(sides), strict=True))

    def extreme(which: str, size: int) -> Extreme:
        meaning = f"{which} of all sizes, its interval widened for the choice: {by_size[size].meaning}"
        about = f"size at which {pair.ours.words} over {pair.base.words} is {which}"
        return Extreme(
            replace(by_size[size], name=f"{pair.name}.{which}", meaning=meaning, estimate=chosen[size]),
            replace(_of_all(by_size, f"{pair.name}.{which}.size", size, about), unit="size"),
        )

    values = {size: estimate.value for size, estimate in chosen.items()}
    return extreme("least", min(values, key=values.__getitem__)), extreme("most", max(values, key=values.__getitem__))


def _of_all(by_size: dict[int, Claim], name: str, value: float, meaning: str) -> Claim:
    """A number that rests on the ratios of all sizes, and on every record behind them."""
    ratios = list(by_size.values())
    keys = tuple(dict.fromkeys(key for each in ratios for key in each.keys))
    unchecked = tuple(dict.fromkeys(key for each in ratios for key in each.unchecked))
    n, first = min(each.estimate.n for each in ratios), ratios[0]
    claim = Claim(name, Estimate(value, None, n), "", ClaimKind.DERIVED, meaning, keys, first.wanted_n, link=first.link)
    return replace(claim, unchecked=unchecked, series=first.series, sizes=tuple(by_size))
