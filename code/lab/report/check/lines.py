"""What is said of lines: straight ones through the times, and the share of a link that is filled."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.model.sizes import format_size
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.subjects import FREE, group_of, link_named, link_of
from lab.report.check.times import TIME
from lab.report.claim import Claim
from lab.report.setting import Strand

_EXTRAPOLATED = "an intercept is extrapolated to messages that the line does not hold for"
IDLE = 0.8  # of what headers leave: from there on nobody may call a link idle
FULL = 0.985  # of what headers leave: a link is filled
DENIED = re.compile(r"\b(?:no|not|never|nowhere|neither|nor|without|cannot|hardly|nearly|almost)\b|n't\b", re.I)
_STRAIGHT = re.compile(
    r"\b(?:linear(?:ly)?|(?:follows?|is|are|lies? on|forms?) (?:on )?(?:an?|one) "
    r"(?:single |perfect |straight )*line|"
    r"in proportion|proportional(?:ly)?|"
    r"(?:one|a) (?:single )?(?:straight )?line (?:\w+ )?"
    r"(?:describes?|fits?|follows?|explains?|models?|captures?|matches))\b",
    re.I,
)
_LINE = re.compile(r"\bline\b", re.I)
_UNBROKEN = re.compile(
    r"\b(?:no|without (?:a|any)|never (?:a|any)) (?:breaks?|kinks?|bends?)\b|"
    r"\b(?:one|a single) (?:straight )?line (?:is|was|would be) (?:enough|sufficient|all)\b|"
    r"\b(?:one|a single) (?:straight )?line suffices\b",
    re.I,
)
FILLS = re.compile(
    r"\b(?:fills?(?! (?:most|half|part|some|little|much|only|nearly|about|"
    r"(?:an? |one |two )?\w+ (?:of|per cent)))|uses? (?:up )?(?:all|the (?:whole|full|entire))|saturat\w+|exhausts?|"
    r"occup\w+)\b[^.;]*\b(?:link|cable|wire|bandwidth|line)\b|"
    r"\b(?:bounded|limited|capped|constrained|throttled|restricted|held (?:back|up)|slowed(?: down)?|bottlenecked|"
    r"choked|stopped|hampered|hindered|confined|curbed) (?:only )?by (?:the )?"
    r"(?:(?:line |link )?(?:rate|capacity|bandwidth|speed|limit) of (?:the )?)?(?:\S+ ){0,3}?"
    r"(?:link|line|wire|Ethernet|cable)\b|\b(?:link|cable|wire|Ethernet) (?:is|becomes|was) the (?:bottleneck|"
    r"limit)\b|"
    r"\b(?:us|exploit|load|utili[sz])\w* (?:the |its |this |all of the )?(?:\S+ ){0,2}"
    r"(?:link|cable|wire|bandwidth|line) (?:completely|fully|entirely|to the full|to (?:its )?capacity|up)\b|"
    r"\bmakes? (?:good|decent|proper) use of (?:the |its )?(?:\S+ ){0,2}(?:link|cable|wire|bandwidth|line|Ethernet)\b|"
    r"\b(?:us(?:es?|ing) |makes? )(?:fully|full|completely|entirely)(?: use of)? (?:the |its )?(?:\S+ )?(?:link|"
    r"cable|wire|bandwidth|line)\b|"
    r"\b(?:link|cable|wire|Ethernet) (?:\w+ly )?"
    r"(?:limits|caps|bounds|throttles|restricts|holds back|slows|constrains)\b|"
    r"\bas (?:fast|much|quick\w*) as (?:the|that|its|this) (?:\w+ )?(?:link|wire|cable|Ethernet) "
    r"(?:permits|allows|can|carries|lets)\b|"
    r"\b(?:reach\w*|at|runs? at)\s+(?:the\s+)?(?:full\s+)?(?:line|wire|link)[\s-]?(?:rate|speed)\b",
    re.I,
)


_FULL = re.compile(
    rf"{FILLS.pattern}|\b(?:link|wire|cable|Ethernet|capacity) (?:\w+ ){{0,3}}(?:filled|used up|exhausted|full)\b", re.I
)
_NEVER = re.compile(r"\b(?:no|not|never|none|neither|nor|nobody|nothing)\b|n't\b", re.I)
_IN_NONE = re.compile(r"[^,;]{0,30}?\b(?:in|for|with|by|at) (?:no|none|neither)\b", re.I)
_EXCEEDS = re.compile(
    r"\b(?:exceed\w*|surpass\w*|(?:is|are|was|lies?|goes) (?:\w+ )?(?:above|beyond)|more than) [^.;,]*?\b(?:the |"
    r"its )?(?:(?:nominal|line|"
    r"link|wire|physical|theoretical)[\s'-]*)+(?:s )?(?:rate|speed|capacity|limit|bandwidth)\b|"
    r"\b(?:exceed\w*|surpass\w*|(?:is|are|lies?|goes) (?:above|beyond|over)) (?:the )?(?:rate|capacity|limit|"
    r"speed) of (?:the |its )?\w*\s?(?:link|wire|cable|"
    r"card)\b",
    re.I,
)
_IDLE = re.compile(
    r"\b(?:link|wire|cable|Ethernet|it|capacity)\b[^.;]*\b(?:wasted|idle|unused|half[\s-]empty|empty|under-?used)\b|"
    r"\b(?:wastes?|squanders?|(?<!headers )leaves?)\b[^.;]*\b(?:link|wire|cable|Ethernet|capacity)\b|"
    r"\b(?:far|well|much|clearly|considerably) (?:below|under|short of)\b[^.;,]*"
    r"\b(?:link|wire|Ethernet|line rate|capacity)\b",
    re.I,
)
_INTERCEPT = re.compile(
    r"\bintercepts?\b[^.;,]*\b(?:is|are|equals?|gives?|shows?|means?|tells?|agrees?)\b"
    r"(?! (?:\w+ )?(?:larg|small|long|short|high|low|great|above|below|far|not)\w*)[^.;,]*\b(?:latenc\w+|(?:one|1|"
    r"single)[\s-]byte|small\w*|"
    r"start-?up|costs?)\b",
    re.I,
)


_SLOPE = re.compile(r"\bslopes?\b[^.;,]*\b(?:is|are|equals?|gives?|means?|tells?)\b[^.;,]*\blatenc", re.I)
_NOISE = re.compile(
    r"\b(?:residuals?|leaves)\b[^.;,]*"
    r"\b(?:random|noise|scatter\w*|without (?:a |any )?pattern|unsystematic|luck|chance)\b",
    re.I,
)
_AT_BREAK = re.compile(
    r"\b(?:break|there|protocol)\b[^.;]*\b(?P<up>grow\w*|ris\w+|jumps? up|increas\w*|longer|more time)\b|"
    r"\b(?:jump|leap|step|climb|shoot|ris)\w* (?P<upwards>up|upwards)\b|"
    r"\b(?:break|there|protocol)\b[^.;]*\b(?P<down>falls?|drops?|decreas\w*|shorter|less time)\b",
    re.I,
)
SYSTEMATIC = 0.3  # a correlation of neighbouring residuals that is no luck


def lines_hold(sentence: Sentence) -> Iterator[Objection]:
    """A line is straight where one line fits, and a full link is full."""
    for part in sentence.parts:
        if part.is_stated:
            for pattern, what in (
                (_STRAIGHT, _broken(part) if TIME.search(part.words) or _LINE.search(part.words) else ""),
                (FILLS, _unfilled(part)),
                (_IDLE, _filled(part)),
                (_EXCEEDS, "nothing can exceed what its link carries: \\claim{...filled} says how much of it is used"),
                (_INTERCEPT, "" if part.uses else _EXTRAPOLATED),
                (_SLOPE, "a slope is a time for each byte, and no latency"),
                (_NOISE, _patterned(part)),
                (_AT_BREAK, _against_break(part)),
            ):
                found = pattern.search(part.words)
                if found and what and not DENIED.search(part.words[: found.end()]):
                    yield Objection(what, part.start + found.start(), tuple(each.group for each in part.mentions))


def breaks_are_there(sentence: Sentence) -> Iterator[Objection]:
    """`There is no break` is false of a line that breaks between the sizes that are meant."""
    for part in sentence.parts:
        found = _UNBROKEN.search(part.words)
        if found and part.is_stated and not part.uses and (what := _broken(part)):
            yield Objection(what, part.start + found.start(), tuple(each.group for each in part.mentions))


def full_links_are_full(sentence: Sentence) -> Iterator[Objection]:
    """`No program fills the gigabit link` is false where one does."""
    for part in sentence.parts:
        found = _FULL.search(part.words)
        if part.is_stated and found and not part.uses and _is_denied(part.words, found):
            best = max(shares_of_link(part), key=lambda each: each.estimate.value, default=None)
            if best and best.estimate.value >= FULL:
                yield Objection(f"it fills \\claim{{{best.name}}} of it", part.start + found.start())


def _is_denied(words: str, found: re.Match[str]) -> bool:
    """`nothing fills it`, `it is full in no case`; not `it is full, and nothing is gained`."""
    return bool(_NEVER.search(words[: found.end()]) or _IN_NONE.match(words, found.end()))


def _patterned(part: Clause) -> str:
    """What one line leaves at neighbouring sizes is alike."""
    found = [each for strand in _strands(part) or part.sentence.ledger.setting.strands
             if (each := part.sentence.ledger.get(f"{strand.name}.fit.neighbours"))]  # fmt: skip
    most = max(found, key=lambda each: each.estimate.value, default=None)
    return f"they are not: \\claim{{{most.name}}}" if most and most.estimate.value > SYSTEMATIC else ""


def _against_break(part: Clause) -> str:
    """Whether the time of a message grows or falls where two lines meet."""
    found, ledger = _AT_BREAK.search(part.words), part.sentence.ledger
    if found is None or not TIME.search(part.words):
        return ""
    is_named = bool(re.search(r"\bbreak", part.sentence.words, re.I))
    for strand in _strands(part):
        before, after, *ends = (
            ledger.get(f"{strand.name}.fit.break.{each}") for each in ("before", "after", "from", "to")
        )
        at = {each.estimate.value for each in ends if each}
        if not is_named and not (at and at <= {*map(float, sizes_in(part))}):
            continue
        up = bool(found["up"] or found["upwards"])
        if before and after and (after.estimate.value > before.estimate.value) is not up:
            return f"it goes from \\claim{{{before.name}}} to \\claim{{{after.name}}}"
    return ""


def _strands(part: Clause) -> list[Strand]:
    groups = {each.group for each in part.mentions or part.sentence.mentions}
    every = not groups and re.search(r"\b(?:all|every|both|each|unused|idle|never|nobody|nothing)\b", part.words, re.I)
    return [each for each in part.sentence.ledger.setting.strands if every or group_of(each) in groups]


def _broken(part: Clause) -> str:
    ledger = part.sentence.ledger
    breaks = [each for strand in _strands(part) if (each := ledger.get(f"{strand.name}.fit.break"))]
    found = [each.name for each in breaks if not _on_one_side(each, sizes_in(part))]
    return f"no single line follows the times: they break at \\claim{{{found[0]}}}" if found else ""


def _on_one_side(found: Claim, sizes: tuple[int, ...]) -> bool:
    """Whether a line is said of the sizes up to the break alone, or of those beyond it."""
    at = found.estimate.value
    return bool(sizes) and (max(sizes) <= at or (len(sizes) > 1 and min(sizes) >= at))


def _filled(part: Clause) -> str:
    """What a link that is called idle carries, where it is full."""
    found = shares_of_link(part)
    best = max if not part.mentions else min
    least = best(found, key=lambda each: each.estimate.value, default=None)
    return f"it fills \\claim{{{least.name}}} of it" if least and least.estimate.value >= IDLE else ""


def shares_of_link(part: Clause) -> list[Claim]:
    """How much of the link each of the series meant fills."""
    ledger, setting = part.sentence.ledger, part.sentence.ledger.setting
    link = link_named(part.words) or link_named(part.sentence.words) or FREE
    shares = [each for strand in _strands(part) if (each := ledger.get(f"{strand.name}.filled"))]
    return [each for each in shares if link_of(each, setting) in ("", link)]


def _unfilled(part: Clause) -> str:
    if any(each.name.endswith(".filled") for each in part.uses):
        return ""  # it says itself how much
    of_link = shares_of_link(part)
    if not of_link:
        return "the link has no rate that could be filled" if _strands(part) else ""
    least = min(of_link, key=lambda each: each.estimate.value)
    if least.estimate.value < FULL:
        return f"it fills \\claim{{{least.name}}} of what headers leave"
    return _unfilled_there(least, part)


def _unfilled_there(full: Claim, part: Clause) -> str:
    """With the size that is named: less than nearly all that the largest of all messages fill."""
    ledger, name = part.sentence.ledger, full.name.removesuffix(".filled")
    peak, rates = ledger.get(f"{name}.peak"), (ledger.get(f"{name}.{format_size(size)}") for size in sizes_in(part))
    small = [each for each in rates if each and peak and each.estimate.value < IDLE * peak.estimate.value]
    return f"there it reaches \\claim{{{small[0].name}}}" if small else ""
