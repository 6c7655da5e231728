"""Who a sentence speaks of: the programs, the link and the sizes that it names, and those of a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.report.check.pronouns import stand_ins
from lab.report.claim import Claim
from lab.report.setting import Chosen, Strand

RDMA, TCP, OWN = "RDMA", "TCP", "ours"
CARD = "RDMA over the card"
GROUPS = {"verbs": RDMA, "mpi-verbs": RDMA, "tcp": TCP, "mpi-tcp": TCP}
_NAMED = (
    (RDMA, r"\bRDMA(?:[\s-]+(?:WRITE|READ|SEND|write|read|send))?\b|\b(?:WRITE|READ|SEND)\b|"
        r"(?i:(?<!of the )(?<!three )(?<!these )(?<!all )\bverbs\b)|"
        r"Soft-?RoCE|\brxe\b|\b[Oo]ne-sided (?:writes?|operations?)\b"),
    (TCP, r"\bTCP\b|\btcp\b|\b[Ss]ockets?\b"),
)  # fmt: skip
_PEERS = r"\bperftest\b"
_OWN = re.compile(r"\b(?:[Oo]ur\s+(?:own\s+)?(?:programs?|client|code|tool|benchmark|engine)|[Oo]urs|us)\b")
SOFTWARE = re.compile(r"Soft-?RoCE|\brxe\b|\bsoftware\b", re.I)  # RDMA that no card does
LIMITED, FREE, WIRE = "a link with a rate", "the cable", "the card's wire"
_WIRE = re.compile(r"(?<!no )(?<!without the )(?<!without a )(?<!without )\bcards?\b(?! (?:would|could|might))", re.I)
_LIMITED = re.compile(
    r"\b(?:1|one)\s?-?Gbit(?:/s)?\b|\b1\s?G(?:bps|b/s|bE)\b|\b[Gg]igabit\b(?!\s+per)|"
    r"\b(?:(?:rate-)?limited|slow(?:er)?) link\b|"
    r"\bEthernet\b"
)
_FREE = re.compile(
    r"\bcable\b|\b[Ww]ithout (?:the |a )?card\b|\bno card\b|\bwithout (?:a |any )?(?:rate )?limit|"
    r"\b(?:un|not )limited\b|\bno (?:rate )?limit\b"
)
_INLINE = re.compile(
    r"\binlin(?:e|ed|ing)\b|\b(?:data|message|payload|bytes) (?:\w+ )?(?:in|into|inside|within) "
    r"(?:the|a|its|each|their) (?:work )?(?:requests?|descriptors?)\b",
    re.I,
)
_WITHOUT = re.compile(r"\b(?:without|no|not)\s+(?:\w+ )?\Z", re.I)
_OVER = re.compile(r"\bover (?:the )?\Z", re.I)  # a transport, and no program of ours
_NO_DELAY = re.compile(
    r"no[\s-]?delay|\bundelayed\b|without (?:Nagle|delay)|one (?:message )?at a time|by itself|\bsingly\b|"
    r"single (?:messages?|RDMA)",
    re.I,
)


@dataclass(frozen=True)
class Mention:
    """A program in a sentence."""

    group: str
    start: int
    end: int


def group_of(strand: Strand) -> str:
    """The transport of the lab's own programs; any other program stands for itself."""
    group = GROUPS.get(strand.program, strand.program)
    return CARD if strand.card and group == RDMA else group


def mentions(words: str, setting: Chosen, before: Sequence[str] = ()) -> tuple[Mention, ...]:
    """The programs named, in their order; a name within a longer name does not count.

    `before` holds those of the sentence before, which `the former` may mean.
    """
    found = sorted(_mentions(words, setting), key=lambda each: (each.start, -each.end))
    kept: list[Mention] = []
    for each in found:
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    named = [*((-2, each) for each in before), *((each.end, each.group) for each in kept)]
    kept += [Mention(*each) for each in stand_ins(words, named, (RDMA, TCP))]
    return tuple(sorted(_with_ours(words, kept), key=lambda each: each.start))


def _mentions(words: str, setting: Chosen) -> Iterator[Mention]:
    for group, pattern in (*_NAMED, *_others(setting)):
        yield from (Mention(group, each.start(), each.end()) for each in re.finditer(pattern, words))


def _others(setting: Chosen) -> Iterator[tuple[str, str]]:
    programs = dict.fromkeys(each.program for each in setting.strands if each.program not in GROUPS)
    for program in programs:
        tools = rf"|{_PEERS}" if program.startswith("ib_") else ""
        yield program, rf"\b{re.escape(program)}\b{tools}"
        yield from ((program, r"\biperf\b") for _ in range(program == "iperf3"))
        yield from ((program, r"\bNet(?:PIPE|pipe)\b") for _ in range(program.startswith("netpipe")))
    for strand in (each for each in setting.strands if "." in each.name):
        yield group_of(strand), rf"(?<![\w.]){re.escape(strand.name)}(?![\w.]*\w)"


def _with_ours(words: str, named: list[Mention]) -> Iterator[Mention]:
    """Our program is the one that the named peer stands beside."""
    yield from named
    programs = {each.group for each in named if not _OVER.search(words[: each.start])}
    peers = programs - {RDMA, TCP}
    if len(peers) == 1 and not {RDMA, TCP} & programs:
        ours = RDMA if all(each.startswith("ib_") for each in peers) else TCP
        yield from (Mention(ours, each.start(), each.end()) for each in _OWN.finditer(words))


def groups_of(claim: Claim, setting: Chosen) -> tuple[str, ...]:
    """The programs of a claim; of a ratio, the one above and its base."""
    strands = (setting.strand(name) for name in claim.series)
    return tuple(dict.fromkeys(group_of(each) for each in strands if each))


def link_named(words: str) -> str:
    """The link of a sentence, where it names one of the sorts."""
    patterns = ((LIMITED, _LIMITED), (FREE, _FREE), (WIRE, _WIRE))
    named = [link for link, pattern in patterns if pattern.search(words)]
    return named[0] if len(named) == 1 else ""


def link_of(claim: Claim, setting: Chosen) -> str:
    """The sort of a claim's link; nothing where the experiment has one link, or the claim none."""
    found = {sort_of(each, setting) for name in claim.series if (each := setting.strand(name))}
    return found.pop() if len(found) == 1 else ""


def sort_of(strand: Strand, setting: Chosen) -> str:
    """The same of one series."""
    return _sort(strand) if len({_sort(each) for each in setting.strands}) > 1 else ""


def _sort(strand: Strand) -> str:
    if "wire of the modelled card" in strand.link:
        return WIRE
    return LIMITED if strand.rate_bit_s else FREE


def speaks_of_inline(words: str) -> bool:
    """Whether data within the request are meant."""
    return bool(_INLINE.search(words))


def has_inline(words: str) -> bool:
    """Whether it is said of messages within the request, and not of those without."""
    return any(not _WITHOUT.search(words[: found.start()]) for found in _INLINE.finditer(words))


def begins_with_inline(words: str) -> bool:
    """Whether messages within the request are named first."""
    found = _INLINE.search(words)
    return found is not None and not _WITHOUT.search(words[: found.start()])


def speaks_of_single(words: str) -> bool:
    """Whether messages that travel one by one are meant."""
    return bool(_NO_DELAY.search(words))


def speaks_of_the_same_way(words: str) -> bool:
    """Whether the way is the one that was named before: `it is slower that way`."""
    return bool(re.search(r"\b(?:that|this) way\b|\bdoing so\b|\bwith(?:out)? (?:it|them)\b", words, re.I))
