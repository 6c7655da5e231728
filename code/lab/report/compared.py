"""Claims that lay one series beside another on the same link: ratios of medians, with base and link named."""

from __future__ import annotations

from collections.abc import Iterator

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import ratio_of_medians
from lab.analysis.verdict import Verdict, judge
from lab.report.claim import Claim, Kind
from lab.report.measured import Subject
from lab.report.pairs import Pair
from lab.report.units import in_words
from lab.sizes import format_size


def ratio_claims(pair: Pair) -> Iterator[Claim]:
    """The ratio at each size, the extremes, and for how many sizes the data can tell which is faster."""
    name, ours, base = pair.name, pair.ours, pair.base
    by_size = {size: ratio(ours, base, size, f"{name}.{format_size(size)}") for size in pair.sizes}
    yield from by_size.values()
    for which, pick in (("least", min), ("most", max)):
        size = pick(by_size, key=lambda each: by_size[each].estimate.value)
        found = by_size[size]
        yield _renamed(found, f"{name}.{which}", f"{which} of all sizes: {found.meaning}")
        words = f"size at which {ours.words} over {base.words} is {which}"
        yield _of_all(by_size, Claim(f"{name}.{which}.size", _exactly(size), "size", Kind.DERIVED, words))
    words = f"sizes at which {ours.words} and {base.words} are compared"
    yield _of_all(by_size, Claim(f"{name}.sizes", _exactly(len(by_size)), "", Kind.DERIVED, words))
    for verdict, word in ((Verdict.MORE, "faster"), (Verdict.LESS, "slower"), (Verdict.CANT_TELL, "unclear")):
        count = sum(judge(each.estimate) is verdict for each in by_size.values())
        words = f"sizes at which the interval says that {ours.words} against {base.words} is {verdict.value}"
        yield _of_all(by_size, Claim(f"{name}.{word}", _exactly(count), "", Kind.DERIVED, words))


def ratio(ours: Subject, base: Subject, size: int, name: str) -> Claim:
    """One ratio; n is that of the side with fewer repetitions."""
    above, below = ours.cell(size), base.cell(size)
    keys = (*above.keys, *below.keys)
    return Claim(
        name,
        ratio_of_medians(above.values, below.values),
        "",
        Kind.RATIO,
        f"{ours.words} over {base.words}, messages of {in_words(size)}",
        keys,
        min(ours.wanted_n, base.wanted_n),
        base=base.words,
        link=ours.link,
        base_link=base.link,
        unchecked=ours.evidence.unchecked(keys),
    )


def _exactly(value: int) -> Estimate:
    return Estimate(value, None, 0)


def _of_all(by_size: dict[int, Claim], claim: Claim) -> Claim:
    """A claim that rests on the ratios of all sizes."""
    first = next(iter(by_size.values()))
    n = Estimate(claim.estimate.value, None, first.estimate.n)
    shared = {"estimate": n, "keys": first.keys, "wanted_n": first.wanted_n, "link": first.link}
    return Claim(**{**vars(claim), **shared})


def _renamed(claim: Claim, name: str, meaning: str) -> Claim:
    return Claim(**{**vars(claim), "name": name, "meaning": meaning})
