"""Where the modelled card is said to be closest to a published report, or furthest from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median

from lab.model.sizes import format_size
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.subjects import CARD
from lab.report.claim import Claim

_MODEL = re.compile(r"\bmodel(?:led)?\b", re.I)
_FAR = re.compile(
    r"\b(?:furthest|farthest|worst|least (?:accurate|exact|precise)|poorest|(?:largest|greatest|biggest|highest) "
    r"(?:\w+ )?(?:error|deviation|difference)|most (?:off|wrong|inaccurate))\b",
    re.I,
)
_NEAR = re.compile(
    r"\b(?:closest|nearest|best|better than (?:at|for|with) any other|"
    r"most (?:accurate|exact|precise|faithful)|(?:smallest|least|lowest) (?:\w+ )?"
    r"(?:error|deviation|difference))\b",
    re.I,
)
_BELOW = re.compile(
    r"\b(?:falls? (?:\w+ )?short|(?:lies?|is|are|stays?|remains?) (?:\w+ )?(?:below|under|beneath|too low)|"
    r"underestimat\w*|"
    r"understat\w*|too (?:pessimistic|slow)|pessimistic)\b",
    re.I,
)
_ABOVE = re.compile(
    r"\b(?:(?:lies?|is|stays?|remains?) (?:\w+ )?(?:above|over|too high)|overestimat\w*|overstat\w*|exceeds?|"
    r"too (?:optimistic|fast)|optimistic)\b",
    re.I,
)
_OF_ERRORS = re.compile(r"\b(?:errors?|off|accura\w+|exact|precise|fits?|deviat\w+|reports?|published|from)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|no|neither|nor|nowhere)\b|n't\b", re.I)
# A report that is named here is what the model is held against, and not who speaks.
_SUPPOSED = re.compile(r"\b(?:would|might|could|should|may|expect\w*|whether)\b|\?", re.I)
_REPORT = re.compile(r"\b[Rr]eport ([A-E])\b")
_WELL = re.compile(
    r"\b(?:fits?|match\w*|reproduc\w*|agrees?|predict\w*|follows?)\b[^.;,]*\b(?:well|exactly|closely|accurately|perfectly|nicely)\b",
    re.I,
)
WELL = 10.0  # percent: a larger error is not called a good fit
_EVERY = re.compile(r"\b(?:every|each|all|any)\b[^.;]*\bsizes?\b|\balways\b|\beverywhere\b|\bthroughout\b", re.I)
_WITH_SIZE = re.compile(
    r"\bthe (?:bigger|larger|longer) the (?:messages?|sizes?),? the (?:(?P<worse>worse|poorer|less)|"
    r"better|closer|more)\b",
    re.I,
)
FEW = 3  # sizes: fewer have no third
_INLINE = re.compile(r"(?<!without )(?<!no )(?<!nothing is )(?<!not )\binlin(?:e|ed|ing)\b", re.I)
ALIKE, NEAR_ENOUGH = 1.1, 1.0  # times the extreme error, and percent: nobody calls that wrong


def model_errors_hold(sentence: Sentence) -> Iterator[Objection]:
    """`The model is furthest off at 1 KiB` is true where its error is largest there."""
    for part in sentence.parts:
        if part.uses or _DENIED.search(part.words) or not _OF_ERRORS.search(part.words):
            continue
        if _is_of_model(sentence) and not _SUPPOSED.search(part.words):
            errors = _errors(part)
            yield from _elsewhere(part, errors)
            yield from _other_way(part, errors)
            yield from _not_with_size(part, errors)
            yield from _not_well(part, errors)


def _is_of_model(sentence: Sentence) -> bool:
    """Whether the card is held against a report."""
    return bool(_MODEL.search(sentence.words) or (CARD in sentence.groups and _REPORT.search(sentence.words)))


def _not_with_size(part: Clause, errors: dict[int, Claim]) -> Iterator[Objection]:
    """`the bigger the message, the worse it fits` is false where the error of the largest third is the smaller one."""
    found = _WITH_SIZE.search(part.words)
    if found is None or len(errors) < FEW:
        return
    ordered = [abs(errors[size].estimate.value) for size in sorted(errors)]
    third = len(ordered) // 3
    rises = median(ordered[-third:]) > median(ordered[:third])
    if rises is not bool(found["worse"]):
        least, most = (errors[each] for each in (min(errors), max(errors)))
        yield Objection(against(most, least), part.start + found.start())


def _not_well(part: Clause, errors: dict[int, Claim]) -> Iterator[Objection]:
    """`fits it very well at 1 KiB` is false where the error is a large one."""
    for found in _WELL.finditer(part.words):
        behind = Clause(part.sentence, part.start + found.start(), part.end)
        wrong = [each for each in sizes_in(behind) if each in errors and abs(errors[each].estimate.value) > WELL]
        if wrong:
            yield Objection(f"its error is \\claim{{{errors[wrong[0]].name}}}", part.start + found.start())


def _other_way(part: Clause, errors: dict[int, Claim]) -> Iterator[Objection]:
    """`falls short of the report at 1 KiB` is false where the model is above it."""
    below, above = _BELOW.search(part.words), _ABOVE.search(part.words)
    found = below or above
    sizes = [each for each in sizes_in(part) if each in errors] or (list(errors) if _EVERY.search(part.words) else [])
    if found is None or (below and above) or not sizes:
        return
    wrong = [each for each in sizes if abs(errors[each].estimate.value) > NEAR_ENOUGH
             and (errors[each].estimate.value < 0) is not bool(below)]  # fmt: skip
    if wrong:
        yield Objection(f"it is the other way: \\claim{{{errors[wrong[0]].name}}}", part.start + found.start())


def _elsewhere(part: Clause, errors: dict[int, Claim]) -> Iterator[Objection]:
    """Each extreme is of the sizes that stand nearest behind it."""
    said = [each for pattern in (_FAR, _NEAR) for each in pattern.finditer(part.words)]
    for found in said:
        behind = min((each.start() for each in said if each.start() > found.start()), default=len(part.words))
        sizes = sizes_in(Clause(part.sentence, part.start + found.start(), part.start + behind))
        if not any(size in errors for size in sizes) and len(said) == 1:
            sizes = sizes_in(Clause(part.sentence, part.start, part.start + found.start()))
        if not any(size in errors for size in sizes):
            continue
        choose = max if found.re is _FAR else min
        best = choose(errors, key=lambda size: abs(errors[size].estimate.value))
        if not any(_is_as_good(errors[each], errors[best]) for each in sizes if each in errors):
            yield Objection(f"that is elsewhere: \\claim{{{errors[best].name}}}", part.start + found.start())


def _is_as_good(own: Claim, best: Claim) -> bool:
    first, second = sorted((abs(own.estimate.value), abs(best.estimate.value)))
    return second <= first * ALIKE or second - first <= NEAR_ENOUGH


def _errors(part: Clause) -> dict[int, Claim]:
    """In percent by size, of the report that is named, else of the first one that the model is held against."""
    ledger, letter = part.sentence.ledger, _REPORT.search(part.words) or _REPORT.search(part.sentence.words)
    wanted = f"report_{letter[1].lower()}" if letter else r"report_\w"
    cards = [each.name for each in ledger.setting.strands if each.card]
    is_inline = bool(_INLINE.search(part.words))
    for name in sorted(cards, key=lambda each: (("inline" in each) is not is_inline, len(each))):
        found = (each for each in ledger.values() if re.fullmatch(rf"{re.escape(name)}\.{wanted}\.\w+", each.name))
        by_size = {each.sizes[0]: each for each in found if len(each.sizes) == 1
                   and each.name.endswith(f".{format_size(each.sizes[0])}")}  # fmt: skip
        if by_size:
            return by_size
    return {}
