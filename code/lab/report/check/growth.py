"""Curves that are said to grow steadily, strongly, without end, or to shrink with the size."""

from __future__ import annotations

import re
from itertools import pairwise

from lab.analysis.verdict import Verdict, apart, judge
from lab.report.check.curves import CurveClaims
from lab.report.check.sentence import Clause, sizes_in
from lab.report.check.shape_words import NO_RATE, is_denied
from lab.report.check.sizes import sizes_meant
from lab.report.claim import Claim

PROPORTIONATE = 0.85  # of the sizes own factor: a step below brings less than in proportion
SHRINKS = re.compile(
    r"\b(?:fall|drop|go(?:es)? down|decreas|declin|sink|degrad|diminish|shrink|deteriorat|worsen|suffer)\w*"
    r" (?:\w+ )?(?:with|as) (?:(?:the|increasing|growing|larger|longer|bigger|their) )*"
    r"(?:messages?|(?:message )?(?:sizes?|length))\b(?! (?:of|from|between)\b)",
    re.I,
)
GROWS = re.compile(
    r"\b(?:grow\w*|ris(?:es?|ing)|rose|increas\w*|climb\w*|scal\w*|doubl\w*)\b[^.;]*?\b(?:steadil\w*|"
    r"monotonic\w*|linear\w*|proportion\w*|evenly|smooth\w*|"
    r"with (?:every|each)|at (?:every|each)|strong\w*|always|constantly|continuous\w*|uniform\w*)\b|\b(?:steady|"
    r"monotonic|linear|always|strong(?:ly)?|"
    r"steadily|still)\s+"
    r"(?:grow\w*|ris\w*|increas\w*|climb\w*|scal\w*|doubl\w*)|"
    r"\b(?:scal|doubl)\w* (?:\w+ )?with (?:the |its )?(?:message |size)|"
    r"\bdoubl\w+\b[^.;]*\bdoubl\w+\b|\bhalv\w+\b[^.;]*\bhalv\w+\b|\bin step with the (?:message |size)|"
    r"\bproportional to the (?:message |size)|"
    r"\b(?:grow\w*|ris\w+|rose|increas\w*|climb\w*|improv\w*)\b[^.;]*?\b(?:all along|throughout|all the way|"
    r"as (?:steeply|fast|quickly) as before)\b|\bever[\s-](?:growing|rising|increasing)\b|"
    r"\b(?:keeps?|kept|goes on|went on|continues?|continued) (?:on )?(?:to )?"
    r"(?:grow|ris|increas|climb|gain|improv)\w*",
    re.I,
)
_FROM_THERE = re.compile(r"\b(?:after|beyond|above|past|from)\b", re.I)
_ENDLESS = re.compile(r"\b(?:still|keeps?|kept|goes on|went on|continues?|continued)\b", re.I)
_STRICT = re.compile(r"linear|proportion|strong|doubl|halv|uniform|evenly|scal\w* (?:\w+ )?with|in step", re.I)


def grows(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """Steadily: no step down; strongly or in proportion: no step far from that of the sizes."""
    if is_denied(part, found) or (
        re.search(r"\b(?:almost|nearly|roughly|approximately)\b", found[0]) and sizes_in(part)
    ):
        return ""
    named = sizes_in(part) or tuple(sizes_meant(part, curve.rates))
    rates = {
        size: each
        for size, each in curve.rates.items()
        if not named or len(named) < 2 or min(named) <= size <= max(named)
    }
    steps = [
        (large / small, rates[large].estimate.value / rates[small].estimate.value)
        for small, large in pairwise(sorted(rates))
    ]
    is_endless = bool(_ENDLESS.search(found[0]))
    looked_at = [] if any(".last" in each.name for each in part.uses) else steps[-1:] if is_endless else steps
    if _STRICT.search(found[0]) and any(gain < size * PROPORTIONATE for size, gain in looked_at):
        return "it does not: from some size on a step brings less than the sizes' own factor"
    is_bounded = bool(named) and max(named) < max(curve.rates) and not _FROM_THERE.search(part.words)
    if is_endless and not is_bounded:
        last = curve.claim("last")
        return "" if last is None or last.verdict is Verdict.MORE else f"the last step is \\claim{{{last.name}}}"
    fall = curve.claim("fall")
    if len(named) < 2 and fall is not None and judge(fall.estimate, margin=fall.margin) is Verdict.LESS:
        return f"it falls once: \\claim{{{fall.name}}}"
    return _falls_somewhere(rates) if fall is None else ""


def _falls_somewhere(rates: dict[int, Claim]) -> str:
    """The first step down that the intervals show, where no claim of the lowest step is made."""
    for (_, before), (_, after) in pairwise(sorted(rates.items())):
        if after.estimate.value < before.estimate.value and apart(before.estimate, after.estimate):
            return f"it falls once: \\claim{{{after.name}}}"
    return ""


def shrinks(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """With the size: less with the largest message than with the smallest."""
    if is_denied(part, found) or NO_RATE.search(part.words[: found.start()]) or len(curve.rates) < 2:
        return ""
    first, last = (curve.rates[size] for size in (min(curve.rates), max(curve.rates)))
    if last.estimate.value < first.estimate.value:
        return ""
    return f"it grows: from \\claim{{{first.name}}} to \\claim{{{last.name}}}"
