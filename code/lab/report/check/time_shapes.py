"""What is said of a time and the size of its message: in proportion to it, the same, or less for larger ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lab.report.check.lexicon import MESSAGE
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.sizes import sizes_meant
from lab.report.check.times import TIME, times_of, told_apart
from lab.report.claim import Claim
from lab.report.moves import LEVEL

Times = dict[int, Claim]
PROPORTIONATE = 0.5  # of the sizes' factor: a time that grows by less is not in proportion
_IN_PROPORTION = re.compile(
    r"\b(?:grow|ris|increas|doubl|scal)\w*\b[^.;]*\b(?:in proportion|proportional\w*|linear\w*|"
    r"(?:with|at) (?:every|each) doubling)\b|\bproportional to the (?:message |size)",
    re.I,
)
_LARGE = rf"(?:larg|long|bigg?)(?:e|er|est)? (?:\w+ )?{MESSAGE}"
_SMALL = rf"(?:small|short|tin)(?:y|er|est|iest)? (?:\w+ )?{MESSAGE}"
_SOONER = r"(?:faster|quicker|sooner|less time|shorter)"
_LATER = r"(?:slower|longer|later|more time)"
_LARGE_SOONER = re.compile(
    rf"\b{_LARGE}\b[^.;,]*\b{_SOONER}\b(?! than (?:over|by|with|TCP|RDMA))|"
    rf"\b{_SMALL}\b[^.;,]*\b{_LATER}\b(?= than (?:\w+ ){{0,2}}(?:large|long|big))",
    re.I,
)
_SAME = re.compile(
    r"\b(?:as (?:fast|quick|quickly|long|short|slow|low|high) as|the same as|equal to|identical)\b", re.I
)
_RISES = re.compile(r"\b(?:ris(?:es?|ing)|rose|grow(?:s|n|ing)?|grew|increas\w+|climb\w*|jumps?|goes up)\b", re.I)
_SINKS = re.compile(r"\b(?:falls?|fell|drops?|dropped|decreas\w+|sinks?|sank|shrinks?|shrank|goes down)\b", re.I)
_DENIED = re.compile(
    r"\b(?:no|not|never|neither|nor|hardly|less|nearly|almost|roughly|can|may|might|could|sometimes)\b|n't\b", re.I
)


def times_follow_sizes(sentence: Sentence) -> Iterator[Objection]:
    """Where times are what was measured, and no throughput."""
    if any(f"{each.name}.peak" in sentence.ledger for each in sentence.ledger.setting.strands):
        return
    for part in sentence.parts:
        if not part.is_stated or part.uses or _DENIED.search(part.words):
            continue
        curves = [each for each in times_of(part) if len(each) > 1]
        with_sizes = [each for each in curves if {*sizes_in(part)} <= each.keys()]
        wrong = _of_all(_wrong, part, curves) or _of_all(_between, part, with_sizes)
        if wrong:
            yield Objection(wrong, part.start, tuple(dict.fromkeys(each.group for each in part.mentions)))


def _of_all(judge: Callable[[Clause, Times], str], part: Clause, curves: list[Times]) -> str:
    """What is wrong with the first, if something is with each."""
    wrong = [what for each in curves if (what := judge(part, each))]
    return wrong[0] if wrong and len(wrong) == len(curves) else ""


def _wrong(part: Clause, times: Times) -> str:
    small, large = min(times), max(times)
    if _LARGE_SOONER.search(part.words) and _time(times[large]) > _time(times[small]):
        return against(times[large], times[small])
    if TIME.search(part.words) and _IN_PROPORTION.search(part.words):
        return _out_of_proportion(part, times)
    sizes = [each for each in sizes_in(part) if each in times]
    if len(sizes) == 2 and _SAME.search(part.words):
        first, second = (times[each] for each in sizes)
        alike = max(_time(first), _time(second)) <= LEVEL * min(_time(first), _time(second))
        return "" if alike else against(first, second)
    return ""


def _between(part: Clause, times: Times) -> str:
    """`between 256 kB and 272 kB the time rises`: the second of two sizes takes longer than the first, or less."""
    sizes, rises, falls = sizes_in(part), _RISES.search(part.words), _SINKS.search(part.words)
    if len(sizes) != 2 or bool(rises) == bool(falls) or not TIME.search(part.words):
        return ""
    first, second = (times[each] for each in sorted(sizes))
    if not told_apart(first.estimate, second.estimate) or (_time(second) > _time(first)) is bool(rises):
        return ""
    return against(second, first)


def _out_of_proportion(part: Clause, times: Times) -> str:
    sizes = sorted(sizes_meant(part, times) or times)
    first, last = times[sizes[0]], times[sizes[-1]]
    if _time(last) / _time(first) >= PROPORTIONATE * sizes[-1] / sizes[0]:
        return ""
    return f"it grows from \\claim{{{first.name}}} to \\claim{{{last.name}}}, by less than the size"


def _time(claim: Claim) -> float:
    return claim.estimate.value
