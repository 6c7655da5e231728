"""Comparisons held against the ratios of the data: at each size, at all, or by the claims of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from lab.analysis.verdict import Verdict
from lab.report.check.bases import bases, is_within_one
from lab.report.check.calls import is_of_calls, is_of_operations
from lab.report.check.comparing import Compared, Scope, comparisons
from lab.report.check.comparing_words import Relation
from lab.report.check.objection import Objection
from lab.report.check.parameters import parameters_in
from lab.report.check.ratios import both_curves, distances, ratios_by_size, speeds
from lab.report.check.sends import is_of_sends
from lab.report.check.sentence import Clause, Sentence, Use, sizes_in
from lab.report.check.sizes import sizes_counted, sizes_meant
from lab.report.check.subjects import speaks_of_single
from lab.report.check.times import told_apart, verdict_of_one, verdicts_by_time
from lab.report.check.topics import is_of_no_programs
from lab.report.check.variants import is_of_inline
from lab.report.claim import Claim, ClaimKind
from lab.report.moves import LEVEL, is_alike

Verdicts = dict[int, Verdict]
UNCOMPARED = "a comparison without a claim that compares these programs"
_TURNED = {Verdict.MORE: Verdict.LESS, Verdict.LESS: Verdict.MORE}
COUNTS = {"faster": Verdict.MORE, "slower": Verdict.LESS}
SLIGHT = 1.25  # times, and a person calls it slightly more
_SLIGHTLY = re.compile(
    r"\b(?:only (?:a (?:little|bit)|somewhat|just)|slightly|marginally|barely|a (?:tiny |little )?bit|a hair|"
    r"a touch|narrowly|just about)\b",
    re.I,
)
_FAR = re.compile(
    r"\b(?:far|much|vastly|greatly|considerably|substantially|dramatically|massively|hugely|enormously|clearly|"
    r"by a (?:wide|large|huge) margin|way (?=ahead|faster|slower|behind))\b",
    re.I,
)
_NO_EFFECT = re.compile(r"no difference|does not matter", re.I)
_ROUND = re.compile(
    r"\bother way (?:a)?round\b|\bvice versa\b|\bthe (?:opposite|reverse)(?: holds| is true)?\b|\brevers", re.I
)
_OTHER_WAY = {Relation.MORE: Relation.LESS, Relation.LESS: Relation.MORE}
_SIZE_WORD = re.compile(
    r"\b(?:\d+|a|one|single|half a) ?(?:[KMG]i?B|[kmg]ilo-?bytes?|[kmg]ibi-?bytes?|[Kk]ilobytes?|[Mm]egabytes?|"
    r"bytes?)\b|"
    r"\b(?:large|small|big|long|short|tiny)\w* (?:messages?|ones?)\b"
)
_ONLY = re.compile(
    r"\b(?:only|solely|merely) (?:(?:pays? off|wins?|leads?|(?:outperforms?|beats?|helps?)(?: \w+)?|"
    r"(?:is|becomes?) (?:faster|quicker|ahead|better|worth(?: it|while)?)(?: than \w+)?) )?"
    r"(?:for|at|with|below|above|beyond|under|over|up to|on|from)\b",
    re.I,
)


def comparisons_hold(sentence: Sentence) -> Iterator[Objection]:
    """Every comparison of two programs is what the ratios say."""
    yield from _turned_round(sentence)
    for part in sentence.parts:
        if not part.is_stated or _is_of_one(part) or is_of_no_programs(part):
            continue
        for compared in comparisons(part):
            if _NO_EFFECT.match(compared.word) and parameters_in(part.words):
                continue  # of a parameter, whose sweep says it
            if what := false_of(compared, part) or overstated(compared, part):
                base = next(iter(bases(compared, part)), None)
                groups = tuple(filter(None, (compared.ours, base)))
                yield Objection(f"{what} ({compared.word!r})", compared.at, groups or tuple(sorted(sentence.groups)))


def _turned_round(sentence: Sentence) -> Iterator[Objection]:
    """`above 128 KiB it is the other way round`: than what the last comparison before says."""
    for part in sentence.parts:
        found = _ROUND.search(part.words)
        earlier = [said for each in sentence.parts if each.start < part.start for said in comparisons(each)]
        if found and earlier and part.is_stated and sizes_in(part):
            said = earlier[-1]
            turned = replace(said, relation=_OTHER_WAY.get(said.relation, said.relation), scope=Scope.OPEN)
            if what := false_of(turned, part):
                yield Objection(f"{what} ({found[0]!r})", part.start + found.start(), tuple(sentence.groups))


def _is_of_one(part: Clause) -> bool:
    """Whether calls, operations or ways of one program are set against each other."""
    judges = (is_of_calls, is_of_sends, is_of_operations, _is_of_inline, _is_of_single)
    return any(judge(part) for judge in judges)


def _is_of_inline(part: Clause) -> bool:
    """One program with its data in the requests, against itself without."""
    return is_of_inline(part) and len(part.sentence.groups) < 2


def _is_of_single(part: Clause) -> bool:
    """One program with its messages sent at once, against itself with a delay."""
    said = re.search(r"\bundelayed\b|\bmakes? (?:TCP|RDMA|it|them|messages)\b", part.words)
    return bool(said) and speaks_of_single(part.words) and len(part.sentence.groups) < 2


def false_of(said: Compared, part: Clause) -> str:
    """What the data say instead; nothing where they agree, or where nothing compares these."""
    if said.relation is Relation.UNKNOWN and any(each.name.endswith((".unclear", ".within")) for each in part.uses):
        return ""
    if counts := [each for each in part.uses if each.claim and each.name.rpartition(".")[2] in COUNTS]:
        return _of_counts(said, counts, part)
    found = [each for base in bases(said, part) if (each := verdicts(said.ours, base, part)) is not None]
    if not found:
        carried = any(each.claim and each.claim.kind is ClaimKind.RATIO for each in part.sentence.uses)
        return "" if carried or is_within_one(said, part) else UNCOMPARED
    if _is_across_sizes(said, part):
        return "two sizes are set against each other: give the claims of both"
    return next((what for each in found if (what := _against_data(said, each, part))), "")


def overstated(said: Compared, part: Clause) -> str:
    """`only slightly faster`, `far ahead`: by how much, at most of the sizes that are meant."""
    if said.denied or said.relation not in (Relation.MORE, Relation.LESS):
        return ""
    near = part.sentence.words[max(said.at - 24, part.start) : said.at + len(said.word) + 12]
    little, much = _SLIGHTLY.search(near), _FAR.search(near)
    if bool(little) == bool(much):
        return ""
    for base in bases(said, part):
        by_size = distances(said.ours, base, part)
        gaps = [by_size[size] for size in sizes_meant(part, by_size) or by_size]
        if gaps and (median(gaps) > SLIGHT if little else median(gaps) < LEVEL):
            return f"one is {median(gaps):.2g} times the other at half of the sizes"
    return ""


def _is_across_sizes(said: Compared, part: Clause) -> bool:
    """`with one byte it moves more than TCP with a kilobyte`."""
    words, place = part.sentence.words, said.at
    than = re.search(r"\bthan\b[^,]*", words[place : part.end])
    if than is None or part.uses:
        return False
    behind = Clause(part.sentence, place + than.start(), place + than.end())
    before = Clause(part.sentence, part.start, place + than.start())
    return bool(_SIZE_WORD.search(behind.words) and _SIZE_WORD.search(before.words)) and not re.search(
        r"\bboth\b|\bsame\b", part.words
    )


def verdicts(ours: str, base: str, part: Clause) -> Verdicts | None:
    """Of one over the other by size, on the link and in the way that the clause names; None where none was computed."""
    found = ratios_by_size(ours, base, part)
    if found is None:
        return verdicts_by_time(ours, base, part) or _by_curves(ours, base, part)
    return {size: _turned(claim, ours, part) for size, claim in found.items()}


def _by_curves(ours: str, base: str, part: Clause) -> Verdicts | None:
    first, second = both_curves(ours, base, part)
    found = {size: (first[size].estimate, second[size].estimate) for size in first if size in second}
    return {
        size: (Verdict.MORE if own.value > other.value else Verdict.LESS)
        if told_apart(own, other)
        else Verdict.CANT_TELL
        for size, (own, other) in found.items()
    } or None


def _turned(claim: Claim, ours: str, part: Clause) -> Verdict:
    first, verdict = part.sentence.groups_of(claim)[0], claim.verdict
    if claim.estimate.interval is None:
        verdict = verdict_of_one(claim.estimate.value)
    return verdict if first == ours else _TURNED.get(verdict, verdict)


def _of_counts(said: Compared, counts: list[Use], part: Clause) -> str:
    """`TCP wins at x sizes`: the count is of the verdicts that the word means."""
    near = min(counts, key=lambda each: abs(each.at - said.at))
    groups = part.sentence.groups_of(near.claim) if near.claim else ()
    if len(groups) != 2 or said.ours not in groups or said.relation not in (Relation.MORE, Relation.LESS):
        return ""
    if said.denied or not near.claim or (near.claim.estimate.value == 0 and said.scope is Scope.NONE):
        return ""
    wanted = Verdict.MORE if (said.relation is Relation.MORE) == (said.ours == groups[0]) else Verdict.LESS
    if COUNTS[near.name.rpartition(".")[2]] is not wanted:
        return f"\\claim{{{near.name}}} counts the opposite of what the sentence says"
    return ""


def _against_data(said: Compared, found: Verdicts, part: Clause) -> str:
    there, sizes = sizes_counted(part), sizes_meant(part, found)
    if there is not None and said.relation in (Relation.MORE, Relation.LESS):
        wanted = Verdict.MORE if said.relation is Relation.MORE else Verdict.LESS
        count = sum(verdict is wanted for verdict in found.values())
        return "" if count == there and not said.denied else f"the data say so at {count} of {len(found)} sizes"
    sizes = _sizes_of(said, part, found) or sizes
    own = [found[each] for each in sizes or found]
    if not own or (
        said.relation is Relation.EQUAL and not said.denied and _is_almost(said, part, sizes or list(found))
    ):
        return ""
    if _holds(said, own, at_sizes=bool(sizes)):
        others = [verdict for each, verdict in found.items() if each not in sizes]
        too = _ONLY.search(part.words) and sizes and any(_fits(said.relation, each) for each in others)
        return "the same holds at other sizes" if too and not said.denied else ""
    counted = {verdict: own.count(verdict) for verdict in dict.fromkeys(own)}
    return "the data say otherwise: " + ", ".join(
        f"{each.value} at {count} of {len(own)}" for each, count in counted.items()
    )


def _sizes_of(said: Compared, part: Clause, found: Verdicts) -> list[int]:
    """Of one of several: `ahead of it at 1 B and behind it at 256 B`."""
    places = [each.at for each in comparisons(part)]
    if len(places) < 2:
        return []
    behind = min((each for each in places if each > said.at), default=part.end)
    return sizes_meant(Clause(part.sentence, said.at, behind), found)


def _is_almost(said: Compared, part: Clause, sizes: list[int]) -> bool:
    """`almost level`: no ratio is further from one than a curve that is called level is from its start."""
    near = part.sentence.words[max(said.at - 24, part.start) : said.at + len(said.word)]
    if not re.search(
        r"\b(?:almost|nearly|practically|virtually|roughly|about|hardly|barely|scarcely|closely|well|nicely|close|good|par|"
        r"comparable|similar|alike)\b",
        near,
        re.I,
    ):
        return False
    ratios = [speeds(said.ours, base, part) for base in bases(said, part)]
    values = [each[size] for each in ratios for size in sizes if size in each]
    return bool(values) and all(map(is_alike, values))


NEARLY_ALL = 0.8  # of the sizes, where the rest can't be told: enough for `A is faster than B`


def _holds(said: Compared, own: list[Verdict], *, at_sizes: bool) -> bool:
    fits = [_fits(said.relation, each) for each in own]
    scope = said.scope
    if said.denied or scope is Scope.NONE:
        return not any(fits) or (scope is Scope.EVERY and not all(fits))
    if scope is Scope.MOST:
        return sum(fits) > len(fits) / 2
    if scope is Scope.OPEN and not at_sizes and said.relation in _OTHER_WAY:
        contrary = any(_fits(_OTHER_WAY[said.relation], each) for each in own)
        return not contrary and sum(fits) >= NEARLY_ALL * len(fits)
    if scope is Scope.SOME or (said.relation is Relation.UNKNOWN and not at_sizes):
        return any(fits)
    return all(fits)


def _fits(said: Relation, found: Verdict) -> bool:
    close = found in (Verdict.WITHIN, Verdict.CANT_TELL)
    return {
        Relation.MORE: found is Verdict.MORE,
        Relation.LESS: found is Verdict.LESS,
        Relation.EQUAL: close,
        Relation.UNKNOWN: close,
        Relation.NOT_LESS: found is not Verdict.LESS,
        Relation.NOT_MORE: found is not Verdict.MORE,
    }[said]
