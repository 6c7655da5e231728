"""What is said of a curve's shape: its peak, knee, jumps and falls, and whether it saturates or grows steadily."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lab.analysis.verdict import Verdict
from lab.report.check.curves import CurveClaims, curves_of
from lab.report.check.growth import GROWS, SHRINKS, grows, shrinks
from lab.report.check.message_rates import is_of_messages
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, Use, sizes_in
from lab.report.check.shape_words import NO_RATE, is_denied
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of
from lab.report.claim import Claim, ClaimKind
from lab.report.moves import JUMP, is_level

COLLAPSED = 0.6  # of the rate before: a fall that may be called a collapse
HARDLY = 1.05  # a last step that may be called level, and growth as well
WIDER = 1.25  # how far from a knee's interval a size is still beside it
CLOSE = 0.999  # of a peak: printed alike
_ABOVE = re.compile(r"\b(?:beyond|above|past|after|over|larger than|exceed\w*)\s+(?:messages of )?\Z", re.I)
_PEAK = re.compile(
    r"\b(?:peaks?|peaked|maximum|highest(?! ratio)|tops? out|at most|best (?:rate|throughput|value))\b", re.I
)
_NEARS = re.compile(
    r"\b(?:near(?: to)?|close to|almost (?:at )?|nearly (?:at )?|most of|close by)\s*"
    r"(?:its|their|the) (?:\w+ )?(?:peaks?|"
    r"full (?:speed|throughput|rate)|"
    r"maximum|top|final|plateau|limit|best)\b|"
    r"\b(?:saturat|fill|exhaust)\w* (?:the|its|their|a) (?:\w+ ){0,2}(?:link|wire|cable|line|card)\b",
    re.I,
)
_NEEDS = re.compile(r"\b(?:needs?|requires?|only|before|not until|no sooner|takes?|first)\b", re.I)
_ONLY_FROM = re.compile(r"\bonly (?:from|at|above|beyond|after)\b|\bnot (?:before|until)\b", re.I)
NEEDLESS = 4  # a size that many times as large as where a curve is level already was not needed
NEAR, NEEDED = 0.9, 0.95  # of a peak: near it; so near that no larger message was needed
_LOWEST = re.compile(r"\b(?:minimum|lowest|at least)\b", re.I)
KNEE = re.compile(r"\b(?:knee|bends?|kink)\b", re.I)
_JUMP = re.compile(
    r"\b(?:jumps?|jumped|leaps?|leapt|spikes?|steep(?:est)? (?:step|rise)|surges?|soars?|shoots? up|"
    r"explod\w+|(?:sky)?rockets?|"
    r"(?:sudden|abrupt|sharp|steep) (?:increase|rise|growth|gain|step|change)|suddenly (?:ris|increas|grow)\w+)\b",
    re.I,
)
_LEVELS = re.compile(
    r"\b(?:saturat\w*(?! (?:the|a|its) (?:\w+ ){0,3}(?:link|cable|wire|Ethernet))|"
    r"(?:remain|stay)s? (?:on|at) (?:\w+ )?the same level|converg\w*|plateau\w*|level(?:s|l?ed|l?ing)? (?:off|out)|"
    r"flatten\w*|flat|(?:is|"
    r"stays|remains|nearly) constant|"
    r"(?:reach\w*|attain\w*|achiev\w*|hits?|arriv\w+ at) (?:its|their) (?:full|top|final|maximal) (?:speed|"
    r"throughput|rate)|"
    r"stagnat\w*|stops? (?:growing|rising|increasing)|no (?:further|more) (?:gain|growth|increase)|"
    r"(?:hardly|barely|scarcely|no longer|not|n't)(?: \w+)? (?:chang|grow|ris|increas|improv|climb|get (?:any |"
    r"much )?fast|var(?:y|ies))\w*"
    r"(?! (?:at every|steadily|with|in proportion|strongly|monoton|linear|always|every)))\b",
    re.I,
)
_FALLS = re.compile(
    r"\b(?:falls?(?! (?:\w+ )?behind| back)|"
    r"fell(?! behind)|drops?|dropped|dips?|go(?:es)? down|falls? off|comes? down|tails? off|"
    r"decreas\w*|"
    r"declin\w*|sinks?|degrad\w*|diminish\w*|shrinks?|deteriorat\w*|"
    r"(?P<strong>collaps\w*|plummet\w*|crash\w*|plung\w*|breaks? down|tanks?|nosediv\w*))\b",
    re.I,
)
_RATE_NOUN = re.compile(r"\b(?:throughput|curve|rate|bandwidth|speed|performance)\b", re.I)


def shapes_hold(sentence: Sentence) -> Iterator[Objection]:
    """What a clause says of a curve is what the curve does."""
    for part in sentence.parts:
        of_a_curve = part.mentions or _RATE_NOUN.search(part.words) or sentence.before
        if not part.is_stated or is_of_messages(part) or not of_a_curve:
            continue
        curves = curves_of(part)
        for pattern, judged in SHAPES:
            if (found := pattern.search(part.words)) and curves:
                yield from _judged(judged, curves, part, found)


def _judged(judged: Judge, curves: list[CurveClaims], part: Clause, found: re.Match[str]) -> Iterator[Objection]:
    """True of one of the curves that may be meant is true enough; two named programs are both meant."""
    curves = _of_the_noun(curves, part, found)
    wrong = [what for each in curves if (what := judged(each, part, found))]
    both = len({each.group for each in part.mentions}) > 1 and re.search(r"\bboth\b|\beach\b", part.words, re.I)
    if wrong and (both or len(wrong) == len(curves)):
        yield Objection(
            wrong[0], part.start + found.start(), tuple(dict.fromkeys(group_of(each.strand) for each in curves))
        )


def _of_the_noun(curves: list[CurveClaims], part: Clause, found: re.Match[str]) -> list[CurveClaims]:
    """`one dip of TCP` is of TCP alone, whoever else is named."""
    behind = re.match(r"\s+(?:of|in|for) (?:the |our )?", part.words[found.end() :])
    place = part.start + found.end() + behind.end() if behind else -1
    named = next((each.group for each in part.mentions if each.start == place), "")
    return [each for each in curves if group_of(each.strand) == named] or curves


Judge = Callable[[CurveClaims, Clause, re.Match[str]], str]


def _peak(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """The peak's value and size, if the clause gives either."""
    peak, place = curve.claim("peak"), curve.claim("peak.size")
    if re.search(r"\bup to the maximum\b", part.words):
        return ""
    if _NEARS.search(part.words) or NO_RATE.search(part.words[: found.start()]):
        return ""
    if peak is None or place is None or re.match(r"at most", found[0], re.I) or is_denied(part, found):
        return ""
    best = int(place.estimate.value)
    near = _near(part, found)
    if (
        near
        and near.claim
        and _is_rate_of(near.claim, curve)
        and near.claim.estimate.value < CLOSE * peak.estimate.value
    ):
        return f"\\claim{{{near.name}}} is not the highest: \\claim{{{peak.name}}} is"
    sizes = sizes_in(part) or sizes_meant(part, curve.rates)
    if sizes and best not in sizes and re.match(r"peak|top|max", found[0], re.I):
        return f"the peak lies at \\claim{{{place.name}}}"
    return ""


def _is_rate_of(claim: Claim, curve: CurveClaims) -> bool:
    return (claim.unit, claim.kind, claim.series) == ("B/s", ClaimKind.RATE, (curve.strand.name,))


def _near(part: Clause, found: re.Match[str]) -> Use | None:
    return min(part.uses, key=lambda each: abs(each.at - part.start - found.end()), default=None)


def _knee(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    knee, denied = curve.claim("knee"), is_denied(part, found)
    if re.match(r"bend", found[0]) and re.search(r"gradual|more than once|twice", part.words):
        return ""
    if knee is None:
        return (
            "" if denied or re.search(r"\bnone\b", part.words) else f"the data support no knee of {curve.strand.name}"
        )
    if denied:
        return f"the data support a knee: \\claim{{{knee.name}}}"
    if part.uses or not (sizes := sizes_in(part)) or knee.estimate.interval is None:
        return ""
    low, high = knee.estimate.interval.low / WIDER, knee.estimate.interval.high * WIDER
    return "" if any(low <= each <= high for each in sizes) else f"the knee lies at \\claim{{{knee.name}}}"


def _jump(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """A jump saves a message's time: its step is over that of the sizes."""
    factor, start, end = (curve.claim(f"jump{each}") for each in ("", ".from", ".to"))
    if factor is None or start is None or end is None:
        return ""
    ratio = start.estimate.value / end.estimate.value
    interval = factor.estimate.interval
    is_jump = interval is not None and interval.low * ratio > 1 + JUMP
    sizes, denied = sizes_in(part), is_denied(part, found)
    if denied:
        there = is_jump and (not sizes or {int(start.estimate.value), int(end.estimate.value)} & set(sizes))
        return f"there is a jump: \\claim{{{factor.name}}}" if there else ""
    if any(each.claim and ".jump" in each.name for each in part.uses) and re.match(r"steep", found[0], re.I):
        return ""
    if not is_jump:
        return f"no step saves a message any time, so nothing jumps: the steepest is \\claim{{{factor.name}}}"
    if sizes and not {int(start.estimate.value), int(end.estimate.value)} & set(sizes):
        return f"the steepest step goes from \\claim{{{start.name}}} to \\claim{{{end.name}}}"
    return ""


def _levels(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """Level from a size on, or at the end: the last step brings no more than the margin."""
    last, denied = curve.claim("last"), is_denied(part, found)
    if last is None:
        return ""
    sizes, rates = [each for each in sizes_in(part) if each in curve.rates], curve.rates
    if sizes and not any(".last" in each.name for each in part.uses):
        start = min(sizes)
        level = is_level([rates[each].estimate.value for each in sorted(rates) if each >= start])
        if level and not denied and _ONLY_FROM.search(part.words) and _is_level_from(start // NEEDLESS, curve):
            return f"it is level already before: \\claim{{{curve.strand.name}.level}}"
    else:
        if last.verdict is Verdict.MORE and last.estimate.value <= HARDLY:
            return ""  # it may be called either
        level = last.verdict in (Verdict.WITHIN, Verdict.CANT_TELL)
    if level is not denied:
        return ""
    return f"the curve is {'level' if level else 'not level'} there: its last step is \\claim{{{last.name}}}"


def _is_level_from(start: int, curve: CurveClaims) -> bool:
    rates = curve.rates
    return start in rates and is_level([rates[each].estimate.value for each in sorted(rates) if each >= start])


def _falls(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """Falls where its lowest step is below one, at the sizes that are named."""
    fall, start, end = (curve.claim(f"fall{each}") for each in ("", ".from", ".to"))
    if fall is None or start is None or end is None or _of_sizes(part):
        return ""
    if NO_RATE.search(part.words[: found.start()]):
        return ""
    falls, denied = fall.verdict is Verdict.LESS, is_denied(part, found)
    ends, sizes = {int(start.estimate.value), int(end.estimate.value)}, sizes_in(part)
    is_there = ends <= {*sizes} if len(sizes) > 1 else bool(ends & {*sizes})
    if falls == denied and (not denied or not sizes or is_there):
        return f"its lowest step is \\claim{{{fall.name}}}, from \\claim{{{start.name}}} to \\claim{{{end.name}}}"
    if falls and found["strong"] and not denied and fall.estimate.value > COLLAPSED:
        return f"that is no collapse: its lowest step is \\claim{{{fall.name}}}"
    beyond = _beyond(part)
    if (
        falls
        and not denied
        and sizes_in(part)
        and (start.estimate.value < beyond or not (beyond or ends & {*sizes_in(part)}))
    ):
        return f"it falls from \\claim{{{start.name}}} to \\claim{{{end.name}}}"
    return ""


def _beyond(part: Clause) -> float:
    """The size that the clause speaks of what lies above, or 0."""
    beyond = (each for each in part.numbers if _ABOVE.search(part.sentence.words[: each.start]))
    return next((min(each.values) for each in beyond), 0)


def _of_sizes(part: Clause) -> bool:
    """A fall of something else than the throughput."""
    return bool(
        re.search(
            r"\b(?:it dropped|drop(?:ped|s)? (?:packets?|samples?|nothing|as)|none is dropped|time|latency|"
            r"ratio|advantage|gap|lead|margin|slope|steepness|growth|gain|cost|overhead|share)\b",
            part.words,
            re.I,
        )
    )


def _nears(curve: CurveClaims, part: Clause, found: re.Match[str]) -> str:
    """`needs 64 KiB to get near its peak`: there it is near, and with a quarter of that size it is not."""
    peak, rates, sizes = curve.claim("peak"), curve.rates, [each for each in sizes_in(part) if each in curve.rates]
    if peak is None or not sizes:
        return ""
    share = rates[sizes[0]].estimate.value / peak.estimate.value
    if (share >= NEAR) is is_denied(part, found):
        return f"there it reaches \\claim{{{rates[sizes[0]].name}}}, and at most \\claim{{{peak.name}}}"
    before = rates.get(max((each for each in rates if each <= sizes[0] // 4), default=0))
    if before and _NEEDS.search(part.words) and before.estimate.value >= NEEDED * peak.estimate.value:
        return f"it is near already with less: \\claim{{{before.name}}}"
    return ""


SHAPES: tuple[tuple[re.Pattern[str], Judge], ...] = (
    (_NEARS, _nears),
    (_PEAK, _peak),
    (KNEE, _knee),
    (_JUMP, _jump),
    (_LEVELS, _levels),
    (_FALLS, _falls),
    (SHRINKS, shrinks),
    (GROWS, grows),
)


def extremes_are_extreme(sentence: Sentence) -> Iterator[Objection]:
    """`at most` stands beside a most, `at least` beside a least."""
    for use in sentence.uses:
        before = sentence.words[max(use.at - 24, 0) : use.at]
        for word, wrong in (
            (r"(?:at most|up to|no more than|maximum of)\s*\Z", ".least"),
            (r"(?:at least|no less than|minimum of)\s*\Z", ".most"),
        ):
            if use.claim and use.name.endswith(wrong) and re.search(word, before, re.I):
                yield Objection(f"\\claim{{{use.name}}} is the other end", use.at)
