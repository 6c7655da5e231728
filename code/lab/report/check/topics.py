"""What a clause compares where it is not two programs: lines, quantiles, links, ends. Each has rules of its own."""

from __future__ import annotations

import re
from operator import itemgetter

from lab.report.check.sentence import Clause
from lab.report.check.subjects import CARD, FREE, LIMITED, RDMA, TCP, WIRE, link_named

ENDS = ("client", "server")
SLOPE = re.compile(
    r"\bwith (?:every|each) byte\b|\bslopes?\b|\b(?:line|fit)s?\b(?! (?:rate|speed))(?! at\b)|"
    r"\b(?:above|below|beyond|before|after|behind) "
    r"(?:its|the|their) (?:break|step)\b",
    re.I,
)
QUANTILE = re.compile(
    r"\bslow(?:est)? (?:round )?trips?\b|"
    r"\bp(?:95|99)\b|\bpercentiles?\b|\bquantiles?\b|\btails?\b(?! off)",
    re.I,
)
_MEDIAN = re.compile(r"\bmedians?\b|\btails?\b|\btypical\b", re.I)
_LINKS = (
    (LIMITED, re.compile(r"\bgigabit\b|\bEthernet\b|\b1 Gbit/s\b", re.I)),
    (
        FREE,
        re.compile(
            r"\bcable\b|\bwithout (?:a |the )?card\b|\bwithout (?:a |any )?(?:rate )?limit\b|\bunlimited\b", re.I
        ),
    ),
    (WIRE, re.compile(r"\bwire of (?:the )?[\w-]+|\bcard's wire\b", re.I)),
)
_END = re.compile(
    r"\b(?P<server>server|receiver|receiving)(?:'s)?\b|\b(?P<client>client|sender|sending)(?:'s)?\b", re.I
)
_WORK = re.compile(r"\binstructions?\b|\bprocessor\b|\bcycles?\b|\bCPU\b|\bwork\b|\bbusy\b|\bidle\b|\bloaded\b", re.I)

_PROCESSORS = re.compile(
    r"\bprocessors?\b[^.;,]*\b(?:to do|loaded|occupied)\b|"
    r"\b(?:processor|CPU)(?:'s|s')?[\s-]time\b|\btime of (?:its|the|their|both) (?:processor|CPU)s?\b",
    re.I,
)


def is_of_slopes(part: Clause) -> bool:
    """Whether it speaks of lines that are laid through times."""
    return bool(SLOPE.search(part.words))


def is_of_quantiles(part: Clause) -> bool:
    """Whether the slow trips of a program stand beside its typical ones."""
    return bool(QUANTILE.search(part.words) and _MEDIAN.search(part.words)) and len(groups(part)) < 2


def links(part: Clause) -> list[tuple[str, int]]:
    """The links that it names, each with its place, in their order."""
    found = ((link, each.start()) for link, pattern in _LINKS for each in pattern.finditer(part.words))
    first = dict(sorted(found, key=itemgetter(1), reverse=True))
    return sorted(first.items(), key=itemgetter(1))


def is_of_links(part: Clause) -> bool:
    """Whether one program is set against itself on another link."""
    return len(links(part)) == 2 and len(groups(part)) < 2


def ends(part: Clause) -> list[tuple[str, int]]:
    """Client and server, each with its place, in their order."""
    return [("server" if each["server"] else "client", each.start()) for each in _END.finditer(part.words)]


def ends_named(part: Clause) -> set[str]:
    """Client, server, both or neither."""
    return {name for name, _ in ends(part)}


def is_of_ends(part: Clause) -> bool:
    """Whether the two ends of a program are set against each other in what they execute."""
    return ends_named(part) == {*ENDS} and bool(_WORK.search(part.words))


def rival_of(group: str, part: Clause) -> str:
    """What a program stands beside where no other is named."""
    has_card = part.sentence.ledger.setting.card and link_named(part.words) != FREE
    return TCP if group != TCP else CARD if has_card else RDMA


def groups(part: Clause) -> tuple[str, ...]:
    """The programs that it names, each once."""
    return tuple(dict.fromkeys(each.group for each in part.mentions))


def is_of_processors(part: Clause) -> bool:
    """Whether it speaks of what messages take of the processors."""
    return bool(_PROCESSORS.search(part.words)) and any(
        each.endswith(".processor") or each.startswith("causes.") for each in part.sentence.ledger
    )


def is_of_no_programs(part: Clause) -> bool:
    """Whether other rules read what it compares."""
    judges = (is_of_slopes, is_of_quantiles, is_of_links, is_of_ends, is_of_processors)
    return any(judge(part) for judge in judges)
