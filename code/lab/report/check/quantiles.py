"""The slow trips of a program beside its typical ones: whether its tail is long, by p95 and p99 against the median."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from operator import itemgetter

from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, size_of
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import GROUPS, sort_of
from lab.report.check.times import chosen_names
from lab.report.check.topics import groups, is_of_quantiles
from lab.report.claim import Claim

SHORT, LONG = 1.1, 1.05  # times the median: a tail up to here may be called short, from here on long
_CLOSE = re.compile(
    r"\b(?:coincid\w+|equal\w*|the same|identical|short|close|no|almost|nearly|hardly|barely|scarcely|little|slightly|"
    r"negligible|narrow|tight|(?:cannot|can not|can't) be (?:distinguished|told|separated))\b",
    re.I,
)
_FAR = re.compile(
    r"\b(?:long|far|much|well|clearly|considerabl\w+|heavy|fat|wide|widest|large|largest|big|biggest|strong\w*|"
    r"pronounced|noticeabl\w+)\b(?! (?:messages?|sizes?))",
    re.I,
)
_WIDEST = re.compile(r"\b(?:furthest|farthest|longest|widest|heaviest|largest|worst|most)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|neither|nor)\b|n't\b", re.I)


def quantiles_hold(sentence: Sentence) -> Iterator[Objection]:
    """A tail that is called short has its p99 near the median, and one that is called long has not."""
    for part in sentence.parts:
        if (widest := _WIDEST.search(part.words)) and is_of_quantiles(part) and part.is_stated and not part.uses:
            yield from _elsewhere(part, widest)
            continue
        close, far = _CLOSE.search(part.words), _FAR.search(part.words)
        said = close or far
        if said is None or not part.is_stated or part.uses or _is_denied(part, said):
            continue
        if is_of_quantiles(part) and (what := _wrong(part, is_close=bool(close))):
            yield Objection(what, part.start + said.start(), groups(part))


def _is_denied(part: Clause, said: re.Match[str]) -> bool:
    """Beside the word itself."""
    return bool(_DENIED.search(part.words[: said.start()] + part.words[said.end() :]))


def _elsewhere(part: Clause, widest: re.Match[str]) -> Iterator[Objection]:
    """`it is READ whose p99 lies furthest above its median`: of all series on its link."""
    setting = part.sentence.ledger.setting
    own = {name for group in groups(part) for name in chosen_names(group, part)}
    sorts = {sort_of(each, setting) for each in setting.strands if each.name in own}
    others = {each.name for each in setting.strands if sort_of(each, setting) in sorts and each.program in GROUPS} - own
    ours, theirs = (max(_of_names(names, part), key=itemgetter(1), default=None) for names in (own, others))
    if ours and theirs and ours[1] < theirs[1]:
        yield Objection(f"that is \\claim{{{theirs[0].name}}}", part.start + widest.start(), groups(part))


def _wrong(part: Clause, *, is_close: bool) -> str:
    ratios = list(_ratios(part))
    if not ratios:
        return ""
    if is_close:
        far = [claim for claim, ratio in ratios if ratio > SHORT]
        return f"it is further off: \\claim{{{far[0].name}}}" if far else ""
    near = [claim for claim, ratio in ratios if ratio < LONG]
    return f"it is not: \\claim{{{near[0].name}}}" if len(near) == len(ratios) else ""


def _ratios(part: Clause) -> Iterator[tuple[Claim, float]]:
    """p99 over the median of each series and size that is meant."""
    return _of_names({name for group in groups(part) for name in chosen_names(group, part)}, part)


def _of_names(names: Collection[str], part: Clause) -> Iterator[tuple[Claim, float]]:
    ledger = part.sentence.ledger
    for name in sorted(names):
        slow = {size: each for each in ledger.values() if each.series == (name,) and each.name.endswith(".p99")
                if (size := size_of(each)) is not None}  # fmt: skip
        for size in sizes_meant(part, slow) or slow:
            median = ledger.get(slow[size].name.removesuffix("p99") + "round_trip")
            if median:
                yield slow[size], slow[size].estimate.value / median.estimate.value
