"""What a text says of the world beyond the numbers: cards, networks, machines, spread, effects that nobody varied."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence
from lab.report.claim import Ledger

_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|without|cannot|instead of|unlike|nothing|none)\b|n't\b", re.I)
_NETWORK = re.compile(r"\b(?:InfiniBand|FDR|EDR|HDR|NDR|QDR|Omni-?Path|iWARP|switch)\b")
_CARD = re.compile(
    r"\b(?:ConnectX|Mellanox|NVIDIA|BlueField|(?:network|RDMA|Ethernet|host channel|"
    r"InfiniBand)[\s-]+(?:adapters?|cards?|interfaces? cards?|controllers?)"
    r"|NICs?|HCAs?|RNICs?|the cards?|network hardware|hardware|DMA|offload\w*)\b"
)
_MACHINES = re.compile(
    r"\b(?:two|both|2|different|separate|several|distinct)\s+(?:\w+\s+)?(?:servers?|machines?|hosts?|computers?|"
    r"nodes?)\b|"
    r"\b(?:a|their own|its own)\s+(?:processors?|cores?|machines?|computers?)(?: core)? each\b|"
    r"\bon another (?:server|machine|host)\b",
    re.I,
)
_BUFFER = re.compile(
    r"\b(?:network|card|adapter|hardware|NIC)(?:'s)?\s+buffers?\b|\bbuffers? (?:size )?of the (?:network|card|"
    r"adapter|hardware|NIC)\b",
    re.I,
)
_BYPASS = re.compile(
    r"\b(?:bypass\w*|circumvent\w*|goes? (?:around|past))"
    r" (?:the )?(?:\w+ )?(?:kernel|operating system|CPU|processor)\b|"
    r"\bkernel[\s-]bypass\b|\bzero[\s-]cop(?:y|ies)\b",
    re.I,
)
_MENTIONED = re.compile(
    r"\b(?:a|any|real|such a|the) (?:real )?(?:\w+ )?cards? (?:would|does|could|might)\b|\breal cards?\b|"
    r"\bemulat|\bsoftware\b|\bmodel",
    re.I,
)
_SAME = re.compile(
    r"\b(?:no|without(?: any)?|zero)\s+(?:\w+\s+)?(?:spread|variance|variation|noise|scatter|deviation|error)\b|"
    r"\b(?:exactly|always)\s+(?:the same|identical|equal)\b|\b(?:every|all|each)\s+(?:the\s+)?(?:repetitions?|"
    r"runs?|measurements?)\b[^.;]*?"
    r"\b(?:same|identical|agree\w*|equal|lie within|within)\b",
    re.I,
)
_SIGNIFICANT = re.compile(
    r"\bstatistical(?:ly)? significan\w*|\bsignifican\w*\b[^.;]*\bp\s*[<=>]|\bp[\s-]?values?\b|\bp\s*[<=]", re.I
)
PARAMETERS = {
    "depth": r"\bdepths?\b|\bqueues?\b|\bdeeper\b",
    "warmup": r"\bwarm(?:ing)?[\s-]?up\b",
    "iterations": r"\biterations?\b",
    "mtu": r"\bMTU\b",
    "inline": r"\binlin(?:e|ing)\b",
    "post_list": r"\bpost(?:ed)?[\s-]lists?\b|\bchains?\b|\blists? of (?:\w+ )*requests\b",
    "signal_every": r"\bsignal(?:led|ling|ing)\b",
    "windows": r"\bwindow size\b",
}
NAMES = {"depth": ("tx_depth",), "warmup": ("warmup",), "iterations": ("iterations",), "post_list": ("post_list",)}
NAMES |= {"signal_every": ("signal_every",), "mtu": ("mtu",), "inline": ("inline",)}
_RECEIVE = re.compile(r"\b(?:receive|rx)[\s_-]*(?:queue|depth)|\bdepth of the receive", re.I)
_EFFECT = re.compile(
    r"\b(?:effects?|affects?|influences?|impacts?|matters?|changes? the|makes?|improves?|increases?|reduces?|"
    r"lowers?|raises?|triples?|doubles?|"
    r"slows?|speeds?|helps?|hurts?|costs? throughput|different results|lead to|results in|boosts?|faster|slower|"
    r"best (?:depth|value))\b",
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
            if found and not _is_denied(part, found) and not (pattern is _CARD and _MENTIONED.search(part.words)):
                if pattern is _MACHINES and not setting.one_core:
                    continue
                yield Objection(f"{what} ({found[0]!r})", part.start + found.start())
                break


_WORLD = (
    (_BYPASS, "nothing goes past the kernel here: Soft-RoCE is a part of it"),
    (_BUFFER, "a buffer's size is an interpretation: it was not measured"),
    (_NETWORK, "the records are of no such network: the link is a model, and RDMA is Soft-RoCE"),
    (_CARD, "no card took part: Soft-RoCE does its work in the kernel"),
    (_MACHINES, "both ends ran on one machine and share its processor core"),
)


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


def effects_were_measured(sentence: Sentence) -> Iterator[Objection]:
    """A parameter that was not varied has no known effect; one that was, has a claim of it."""
    for part in sentence.parts:
        effect = _EFFECT.search(part.words)
        if (
            not part.is_stated
            or effect is None
            or re.search(r"\bvaried\b|\bnothing about\b|\bsubject of\b", part.words)
        ):
            continue
        named = [name for name, pattern in PARAMETERS.items() if re.search(pattern, part.words, re.I)]
        for name in named:
            if what := _unmeasured(name, part, sentence.ledger):
                yield Objection(what, part.start + effect.start())
                break


def _unmeasured(name: str, part: Clause, ledger: Ledger) -> str:
    varied = {each: strand.name for strand in ledger.setting.strands for each in strand.varied}
    series = [varied[each] for each in NAMES.get(name, (name,)) if each in varied]
    if not series or _RECEIVE.search(part.words):
        return f"{name} was not varied here, so that nothing shows its effect" if _is_about(name, part) else ""
    used = {each for use in part.sentence.uses if use.claim for each in use.claim.series}
    if not used & set(series) and not part.uses:
        return f"the effect of {name} needs its claim, such as \\claim{{{_gain(series[0], ledger)}}}"
    return ""


def _is_about(name: str, part: Clause) -> bool:
    """Whether the parameter is the cause: it stands before the effect."""
    found, effect = re.search(PARAMETERS[name], part.words, re.I), _EFFECT.search(part.words)
    return bool(found and effect and found.start() < effect.start())


def _gain(series: str, ledger: Ledger) -> str:
    return next((name for name in ledger if name.startswith(f"{series}.") and name.endswith(".gain")), f"{series}.gain")
