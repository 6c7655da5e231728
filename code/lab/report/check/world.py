"""What a text says of the world beyond the numbers: cards, networks, machines, spread."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence

_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|without|cannot|instead of|unlike|nothing|none)\b|n't\b", re.I)
_NETWORK = re.compile(
    r"\b(?:InfiniBand|FDR|EDR|HDR|NDR|QDR|Omni-?Path|iWARP|"
    r"switch(?!\s+(?:\w+\s+)?(?:off|on|from|to)\b))\b"
)
_CARD = re.compile(
    r"\b(?:ConnectX|Mellanox|NVIDIA|BlueField|(?:network|RDMA|Ethernet|host channel|"
    r"InfiniBand)[\s-]+(?:adapters?|cards?|interfaces? cards?|controllers?)"
    r"|NICs?|HCAs?|RNICs?|the cards?|network hardware|hardware|DMA|offload\w*)\b"
)
_MADE = re.compile(
    r"\b(?:ConnectX|Mellanox|NVIDIA|BlueField|Chelsio|Broadcom)\b|\b(?:real|physical|genuine|actual) (?:\w+ )?"
    r"(?:cards?|hardware|adapters?|NICs?)\b"
)
_PARTS = re.compile(
    r"\b(?:ASICs?|FPGAs?|DMA engines?|PCIe? (?:\w+ )?(?:bursts?|lanes?|slots?|bus)|firmware|Xeons?|EPYC|Core i\d|"
    r"L[123][\s-]caches?|NUMA|hyper-?threading|turbo (?:mode|boost))\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:again|once more|repeated|re-?ran|ran|measured)\b[^.;]*\bon (?:a|an|two|several|some) (?:second|other|"
    r"another|different|third) (?:\w+ ){0,2}(?:computers?|machines?|servers?|hosts?|hardware)\b|"
    r"\bon another (?:pair of )?(?:computers?|machines?)\b",
    re.I,
)
_LEFT_OUT = re.compile(
    r"\b(?:outliers?|repetitions?|runs|measurements|trials|values|rounds)\b[^.;,]*\b(?:were|was|are|is|have been|got) "
    r"(?:\w+ )?(?:thrown (?:away|out)|removed|dropped|discarded|excluded|filtered(?: out)?|left out|rejected)\b|"
    r"\b(?:remov|discard|exclud|filter|reject|dropp)\w* (?:the |all |any |some )?(?:\w+ )?outliers?\b",
    re.I,
)
_MACHINES = re.compile(
    r"\b(?:two|both|2|different|separate|several|distinct)\s+(?:\w+\s+)?(?:servers?|machines?|hosts?|computers?|"
    r"nodes?)\b|"
    r"\b(?:a|their own|its own)\s+(?:processors?|cores?|machines?|computers?)(?: core)? each\b|"
    r"\b(?:hosts|servers|nodes|machines|computers) were (?:connected|linked|joined|wired)\b|\bback[\s-]to[\s-]back\b|"
    r"\b(?:DAC|fib(?:re|er)|copper|optical|twisted)[\s-](?:cable|pair|link|fib)|"
    r"\bon another (?:server|machine|host)\b",
    re.I,
)
_BUFFER = re.compile(
    r"\b(?:network|card|adapter|hardware|NIC)(?:'s)?\s+buffers?\b|\bbuffers? (?:size )?of the (?:network|card|"
    r"adapter|hardware|NIC)\b|\b(?:kernel|socket|MPI|library|system)(?:'s)? buffers? (?:\w+ ){0,2}"
    r"(?:hold|has|have|is|are|of|with|size)",
    re.I,
)
_BYPASS = re.compile(
    r"\b(?:bypass\w*|circumvent\w*|goes? (?:around|past))"
    r" (?:the )?(?:\w+ )?(?:kernel|operating system|CPU|processor)\b|"
    r"\bkernel[\s-]bypass\b|\bzero[\s-]cop(?:y|ies)\b",
    re.I,
)
# Whatever goes through the kernel, named without the card; and all that was measured.
_OF_OTHERS = re.compile(
    r"\A(?!.*\b(?:cards?|unlike|contrast|compared|than|whereas)\b).*\b(?:Soft-?RoCE|rxe|TCP|sockets?)\b", re.I
)
_OF_ALL = re.compile(
    r"\b(?:all|every|each|both|any)\b (?:of )?(?:our |the |these )?(?:\w+ )?(?:series|transports?|cases?|experiments?|"
    r"measurements?|runs?|programs?)\b",
    re.I,
)
_OF_SOFTWARE = re.compile(r"\s*(?:The |Our )?(?:Soft-?RoCE|rxe|TCP|sockets?)\b(?![^.;,]*\bcards?\b)", re.I)
_SPARES = re.compile(
    r"\b(?:tak|offload|reliev|free|spar|unburden)\w*\b[^.;,]*\b(?:processors?|CPUs?|cores?)\b",
    re.I,
)
_MENTIONED = re.compile(
    r"\b(?:a|any|real|such a|the) (?:real )?(?:\w+ )?cards? (?:would|does|could|might)\b|\breal cards?\b|"
    r"\bemulat|\bsoftware\b|\bmodel",
    re.I,
)
_UNMEASURED = re.compile(
    r"\b(?:CPU|processor) (?:load|usage|utili[sz]ation)\b|\b(?:less|more|fewer) (?:CPU|memory|power|energy)\b|"
    r"\b(?:power|energy) consumption\b|\bcache misses\b|\bretransmi\w+\b|\bjitter\b|\bper cent of the CPU\b",
)
# What the same of is no result.
_CIRCUMSTANCE = (
    r"links?|wires?|cables?|machines?|computers?|hosts?|sites?|networks?|set-?ups?|conditions|parameters|programs?|"
    r"hardware|processors?|cores?|seeds?|sizes|order|way"
)
_SAME = re.compile(
    r"\b(?:no|without(?: any)?|zero)\s+(?:\w+\s+)?(?:spread|variance|variation|noise|scatter|deviation|error)\b|"
    r"\b(?:repetitions?|runs|measurements|medians)\b (?:\w+ ){0,3}?within (?:\w+ )?"
    r"(?:\d|a|one|half|two|three|five|ten)\b|\b(?:exactly|always)\s+(?:the same|identical|equal)\b|"
    r"\b(?:every|all|each)\s+(?:the\s+)?(?:repetitions?|runs?|measurements?)\b[^.;]*?"
    rf"\b(?:same\b(?! (?:\w+ )?(?:{_CIRCUMSTANCE}))|(?:identical|agree\w*|equal|lie within|within)\b)",
    re.I,
)
_SIGNIFICANT = re.compile(
    r"\b(?:ANOVA|MANOVA|t-?tests?|F-?tests?|chi-?squared?|Mann-Whitney|Wilcoxon|Kruskal(?:-Wallis)?|Kolmogorov|"
    r"null hypothes[ie]s|analysis of variance)\b|"
    r"\bstatistical(?:ly)? significan\w*|\bsignifican\w*\b[^.;]*\bp\s*[<=>]|\bp[\s-]?values?\b|\bp\s*[<=]",
    re.I,
)


def world_is_as_recorded(sentence: Sentence) -> Iterator[Objection]:
    """No card, network or second machine where the site has none."""
    setting = sentence.ledger.setting
    for part in sentence.parts:
        if not part.is_stated or not setting.modelled:
            continue
        for pattern, what in _WORLD:
            found = pattern.search(part.words)
            if (
                found
                and not _is_denied(part, found)
                and not (pattern in (_CARD, _MADE) and _MENTIONED.search(part.words))
            ):
                if pattern is _MACHINES and not setting.one_core:
                    continue
                if setting.card and pattern is _BYPASS and _is_of_others(part, found):
                    yield Objection(_PAST, part.start + found.start())
                    break
                if setting.card and (pattern in _OF_CARDS or (pattern is _NETWORK and _MENTIONED.search(part.words))):
                    continue
                yield Objection(f"{what} ({found[0]!r})", part.start + found.start())
                break


def software_spares_nobody(sentence: Sentence) -> Iterator[Objection]:
    """`Soft-RoCE takes the work off the processor`: it is the processor that does it."""
    for part in sentence.parts:
        found = _SPARES.search(part.words)
        if found and part.is_stated and not _DENIED.search(part.words) and _OF_SOFTWARE.match(part.words):
            yield Objection(
                "its work is the processor's: Soft-RoCE is a part of the kernel", part.start + found.start()
            )


def _is_of_others(part: Clause, found: re.Match[str]) -> bool:
    return bool(_OF_OTHERS.search(part.words[: found.start()]) or _OF_ALL.search(part.words))


_PAST = "nothing but the card goes past the kernel here: Soft-RoCE is a part of it"
_WORLD = (
    (_MADE, "the card is a model: no such hardware was measured"),
    (_BYPASS, "nothing goes past the kernel here: Soft-RoCE is a part of it"),
    (_BUFFER, "a buffer's size is an interpretation: it was not measured"),
    (_NETWORK, "the records are of no such network: the link is a model, and RDMA is Soft-RoCE"),
    (_UNMEASURED, "that was not measured here"),
    (_PARTS, "no such hardware is in it: processors are emulated, and a card is a model"),
    (_ELSEWHERE, "all records are of this site: nothing was measured elsewhere"),
    (_LEFT_OUT, "no repetition and no round is left out"),
    (_CARD, "no card took part: Soft-RoCE does its work in the kernel"),
    (_MACHINES, "both ends ran on one machine and share its processor core"),
)
_OF_CARDS = (_BYPASS, _CARD)  # true of a modelled card, where one carried messages


def _is_denied(part: Clause, found: re.Match[str]) -> bool:
    near = part.words[max(found.start() - 60, 0) : found.end() + 30]
    return bool(_DENIED.search(near))


def spread_is_known(sentence: Sentence) -> Iterator[Objection]:
    """How far repetitions lie apart is what the intervals say; the lab tests by intervals and computes no p."""
    for part in sentence.parts:
        if not part.is_stated:
            continue
        if found := _SIGNIFICANT.search(part.words):
            yield Objection(
                "no test of significance was made: give the claim, whose interval decides", part.start + found.start()
            )
        elif (found := _SAME.search(part.words)) and not part.uses:
            yield Objection(
                "how far repetitions lie apart is not a claim here: the intervals say it", part.start + found.start()
            )
