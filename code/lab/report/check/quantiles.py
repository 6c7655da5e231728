"""The slow trips of a program beside its typical ones: whether its tail is long, by p95 and p99 against the median."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, size_of
from lab.report.check.sizes import sizes_meant
from lab.report.check.times import chosen_names
from lab.report.check.topics import groups, is_of_quantiles
from lab.report.claim import Claim

SHORT, LONG = 1.1, 1.05  # times the median: a tail up to here may be called short, from here on long
_CLOSE = re.compile(
    r"\b(?:coincid\w+|equal\w*|the same|identical|short|close|no|almost|nearly|hardly|barely|scarcely|little|slightly|"
    r"negligible|narrow|tight)\b",
    re.I,
)
_FAR = re.compile(
    r"\b(?:long|far|much|well|clearly|considerabl\w+|heavy|fat|wide|widest|large|largest|big|biggest|strong\w*|"
    r"pronounced|noticeabl\w+)\b(?! (?:messages?|sizes?))",
    re.I,
)
_MOST = re.compile(r"\b(?:\w+est|most)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|neither|nor)\b|n't\b", re.I)


def quantiles_hold(sentence: Sentence) -> Iterator[Objection]:
    """A tail that is called short has its p99 near the median, and one that is called long has not."""
    for part in sentence.parts:
        close, far = _CLOSE.search(part.words), _FAR.search(part.words)
        said = close or far
        if said is None or not part.is_stated or part.uses or _DENIED.search(part.words):
            continue
        if is_of_quantiles(part) and (what := _wrong(part, is_close=bool(close))):
            yield Objection(what, part.start + said.start(), groups(part))


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
    ledger = part.sentence.ledger
    for name in sorted({name for group in groups(part) for name in chosen_names(group, part)}):
        slow = {size: each for each in ledger.values() if each.series == (name,) and each.name.endswith(".p99")
                if (size := size_of(each)) is not None}  # fmt: skip
        for size in sizes_meant(part, slow) or slow:
            median = ledger.get(slow[size].name.removesuffix("p99") + "round_trip")
            if median:
                yield slow[size], slow[size].estimate.value / median.estimate.value
