"""Where instructions go: the largest kind of them, the kernel's part, and which end executes more."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from lab.model.sizes import format_size
from lab.report.check.calls import OPERATION
from lab.report.check.objection import Objection, against
from lab.report.check.processor_times import processor_times
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of, sort_of
from lab.report.check.times import names_of
from lab.report.check.topics import ENDS, ends, ends_named, groups, is_of_ends
from lab.report.claim import Claim

HALF = 50.0  # percent
ALIKE = 1.1  # times as many: two ends that may be called alike
_KINDS = {
    "copies": r"\bcop(?:y|ies|ying)\b", "checksums": r"\bchecksum", "packets": r"\bpackets?\b|\bheaders?\b",
    "system_calls": r"\bsystem calls?\b|\bsyscalls?\b", "driver": r"\bdriver\b", "buffers": r"\bbuffers?\b",
    "wake_ups": r"\bwake-?ups?\b|\bwaking\b", "user_library": r"\blibrary\b", "kernel": r"\bkernel(?:'s)?\b",
    "user": r"\bprogram(?:'s)? (?:itself|and (?:its|the) librar\w+)|\buser[\s-](?:space|code|mode|program)\b",
}  # fmt: skip
_INSTRUCTIONS = re.compile(r"\binstructions?\b|\bcycles?\b|\bwork\b|\bprocessor time\b|\bcomput\w+", re.I)
_MOST = re.compile(
    r"\b(?:most|majority|bulk|lion's share|main(?:ly)?|(?:the )?(?:larg|bigg|great|high)(?:er|est) (?:part|share|"
    r"portion|half)|executed (?:in|by) the|predominantly|dominat\w*|nearly all|almost all|more than half)\b",
    re.I,
)
_HALF = re.compile(
    r"\bmost of\b|\bmajority\b|\bbulk\b|\bnearly all\b|\balmost all\b|\bmore than half\b|\bmost (?=ins)", re.I
)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|nothing|hardly|without)\b|n't\b", re.I)
_SPARES = re.compile(r"\b(?:less|fewer|lower|idle|idler|spared)\b", re.I)
_LOADS = re.compile(
    r"\b(?:more|higher|larger|greater|busier)\b|\b(?:carr(?:y|ies)|bears?|has) (?:all )?the (?:load|burden|work)\b",
    re.I,
)
_DIFFER = re.compile(r"\bdiffer\w*\b|\bapart\b", re.I)
_ALIKE = re.compile(r"\b(?:as (?:much|many|busy|hard)|same|equal\w*|alike)\b", re.I)


def work_is_there(sentence: Sentence) -> Iterator[Objection]:
    """What is said to be the largest part of the work is that, and an end that works more executes more."""
    for part in sentence.parts:
        if not part.is_stated or part.uses or _DENIED.search(part.words):
            continue
        found = [(_of_kind(part), _MOST), (_of_ends(part) if is_of_ends(part) else "", _INSTRUCTIONS)]
        for what, pattern in found:
            if what:
                place = pattern.search(part.words)
                yield Objection(what, part.start + (place.start() if place else 0), groups(part))


def _of_kind(part: Clause) -> str:
    """The one kind that is named, where it is said to be the most."""
    kinds = [name for name, pattern in _KINDS.items() if re.search(pattern, part.words, re.I)]
    if len(kinds) != 1 or not _MOST.search(part.words) or not _INSTRUCTIONS.search(part.words):
        return ""
    bound = bool(_HALF.search(part.words))
    judged = [what for stem in _stems(part) if (what := _share(stem, kinds[0], part, bound=bound)) is not None]
    return judged[0] if judged and all(judged) else ""


def _share(stem: str, kind: str, part: Clause, *, bound: bool) -> str | None:
    ledger, every = part.sentence.ledger, part.sentence.ledger.get(stem)
    if every is None or not every.estimate.value:
        return None
    if kind in ("kernel", "user"):
        own, who = ledger.get(f"{stem}.{kind}"), "kernel" if kind == "kernel" else "program"
        few = own is not None and own.estimate.value < every.estimate.value / 2
        return f"the {who} executes \\claim{{{stem}.{kind}}} of \\claim{{{stem}}}" if few else ""
    shares = {name: claim for name in _KINDS if (claim := ledger.get(f"{stem}.{name}")) and claim.unit == "percent"}
    best = max(shares.values(), key=lambda each: each.estimate.value, default=None)
    own = shares.get(kind)
    if best is None or (own is best and (not bound or own.estimate.value > HALF)):
        return ""
    return f"the largest part is \\claim{{{best.name}}}" if own is not best else f"it is \\claim{{{best.name}}}"


def _of_ends(part: Clause) -> str:
    first = ends(part)[0][0]
    sign = 1 if _LOADS.search(part.words) else -1 if _SPARES.search(part.words) else 0
    differ = sign == 0 and _DIFFER.search(part.words)
    if sign == 0 and not differ and not _ALIKE.search(part.words):
        return ""
    pairs = [(own, other) for own, other in _ends_of(part, first) if own.estimate.value + other.estimate.value]
    wrong = [pair for pair in pairs if _is_so(*pair, sign) is bool(differ)]
    if not wrong or len(wrong) < len(pairs):
        return ""
    return against(wrong[0][0], wrong[0][1])


def _ends_of(part: Clause, first: str) -> Iterator[tuple[Claim, Claim]]:
    """Counted instructions, else processor times."""
    ledger, other = part.sentence.ledger, "client" if first == "server" else "server"
    stems = [(stem, f"{stem.rpartition('.')[0]}.{other}") for stem in _stems(part, first)]
    for ours, theirs in stems:
        own, others = ledger.get(ours), ledger.get(theirs)
        if own and others:
            yield own, others
    if not stems:
        yield from ((times[first], times[other]) for times in _timed(part) if {first, other} <= times.keys())


def _timed(part: Clause) -> Iterator[dict[str, Claim]]:
    """Processor times by end, of each series and size that may be meant."""
    own = (
        groups(part) or part.sentence.groups or tuple({group_of(each) for each in part.sentence.ledger.setting.strands})
    )
    operations = {each.lower() for each in OPERATION.findall(part.words)}
    names = {name for group in own for name in names_of(group, part)}
    strands = [each for each in part.sentence.ledger.setting.strands if each.name in names]
    for strand in [each for each in strands if each.name.partition(".")[0] in operations] or strands:
        sizes = sizes_meant(part, dict.fromkeys(strand.sizes)) or (() if sizes_in(part) else strand.sizes)
        found = defaultdict[tuple[str, int], dict[str, Claim]](dict)
        for (way, size, end), claim in processor_times(strand, part.sentence.ledger).items():
            found[way, size][end] = claim
        yield from (times for (_, size), times in found.items() if size in sizes)


def _is_so(own: Claim, other: Claim, sign: int) -> bool:
    first, second = own.estimate.value, other.estimate.value
    if sign == 0:
        return max(first, second) <= ALIKE * min(first, second)
    return (first > second) if sign > 0 else (first < second)


def _stems(part: Clause, end: str = "") -> list[str]:
    """The names of the counts that are meant: of each program and size, at the end that is named, else at both."""
    ledger, setting = part.sentence.ledger, part.sentence.ledger.setting
    wanted = [end] if end else sorted(ends_named(part)) or ENDS
    own = groups(part) or part.sentence.groups
    found = [each for each in setting.strands if group_of(each) in own and sort_of(each, setting)]
    counted = {size: size for strand in found for size in strand.sizes
               if f"causes.{strand.name}.{format_size(size)}.client" in ledger}  # fmt: skip
    sizes = sizes_meant(part, counted) or ([] if sizes_in(part) else sorted(counted))
    return [f"causes.{each.name}.{format_size(size)}.{side}" for each in found for size in sizes for side in wanted
            if f"causes.{each.name}.{format_size(size)}.{side}" in ledger]  # fmt: skip
