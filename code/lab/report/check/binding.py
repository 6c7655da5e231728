"""A claim is about the programs, the link and the size that its sentence names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, Use, size_of, sizes_in
from lab.report.check.subjects import LIMITED, WIRE, Mention, link_named, link_of, sort_of
from lab.report.claim import Claim, ClaimKind

_PRONOUN = re.compile(r"\A\s*(?:It|Its|This|They|Their|The same)\b")
_AFTER = re.compile(r"\A\s*(?:\([^)]*\)\s*)?(?:with|for|by|of|over|under|from|using)\s+(?:the\s+)?\Z")


def claims_are_of_the_subject(sentence: Sentence) -> Iterator[Objection]:
    """Each claim is about a program that its clause names."""
    single = [each for each in sentence.uses if each.claim and len(sentence.groups_of(each.claim)) == 1]
    single = [each for each in single if each.claim and each.claim.unit != "bit/s"]  # that is the link's
    wrong = [each for each in single if not _is_near(each, sentence)]
    if wrong and not _in_order(single, sentence):
        for use in wrong:
            yield _other(use, sentence)
    elif _is_crossed(single, sentence):
        yield _other(single[0], sentence)
    for use in sentence.uses:
        if (
            use.claim
            and len(groups := sentence.groups_of(use.claim)) == 2
            and not _pair_is_named(use, groups, sentence)
        ):
            yield _other(use, sentence)


def _other(use: Use, sentence: Sentence) -> Objection:
    assert use.claim is not None
    of, named = " over ".join(sentence.groups_of(use.claim)), _named(use, sentence)
    return Objection(f"\\claim{{{use.name}}} is about {of}, the sentence about {' and '.join(named)}", use.at, named)


def _named(use: Use, sentence: Sentence) -> tuple[str, ...]:
    near = next(each for each in sentence.segments if each.start <= use.at < each.end)
    found = near.mentions or sentence.part_at(use.at).mentions or sentence.mentions
    return tuple(dict.fromkeys(each.group for each in found)) or tuple(sorted(sentence.before))


def _is_near(use: Use, sentence: Sentence) -> bool:
    """Whether the nearest program before the claim in its segment, or right behind it, is its own."""
    assert use.claim is not None
    (own,) = sentence.groups_of(use.claim)
    if not sentence.mentions:
        return not (_PRONOUN.match(sentence.words) and sentence.before) or own in sentence.before
    after = next((each for each in sentence.mentions if each.start > use.at), None)
    if after and _AFTER.match(sentence.words[use.at + 1 : after.start]):
        return after.group == own
    segment = next(each for each in sentence.segments if each.start <= use.at < each.end)
    if segment.mentions:
        before = [each for each in segment.mentions if each.start < use.at]
        return (before[-1] if before else segment.mentions[0]).group == own or _both(segment, own)
    earlier = [each for each in sentence.mentions if each.start < use.at]
    return (earlier[-1] if earlier else sentence.mentions[0]).group == own or _first(sentence, use).group == own


def _both(segment: Clause, own: str) -> bool:
    """A segment whose subject is a comparison: `RDMA over TCP reaches`."""
    named = [each.group for each in segment.mentions]
    return len(set(named)) > 1 and named[0] == own


def _first(sentence: Sentence, use: Use) -> Mention:
    part = sentence.part_at(use.at)
    return part.mentions[0] if part.mentions else sentence.mentions[0]


def _in_order(single: list[Use], sentence: Sentence) -> bool:
    """`A and B reach x and y`: as many claims as programs, in the same order."""
    own = [sentence.groups_of(each.claim)[0] for each in single if each.claim]
    named = [each.group for each in sentence.mentions]
    return len(own) > 1 and own == named and all(each.end <= single[0].at for each in sentence.mentions)


def _is_crossed(single: list[Use], sentence: Sentence) -> bool:
    """`A and B reach y and x`: the other way round."""
    own = [sentence.groups_of(each.claim)[0] for each in single if each.claim]
    named = list(sentence.mentions)
    if len(own) != 2 or len(named) != 2 or named[1].end > single[0].at or own == [each.group for each in named]:
        return False
    listed = re.fullmatch(r"\s*,?\s*(?:and|or)\s+(?:our\s+)?", sentence.words[named[0].end : named[1].start])
    return bool(listed) and sorted(own) == sorted(each.group for each in named)


def _pair_is_named(use: Use, groups: tuple[str, ...], sentence: Sentence) -> bool:
    """No third program in the segment, the clause and, where these name none, the sentence."""
    segment = next(each for each in sentence.segments if each.start <= use.at < each.end)
    named = {each.group for each in segment.mentions} or {each.group for each in sentence.part_at(use.at).mentions}
    named = named or set(sentence.groups)
    return named <= set(groups)


def claims_are_of_the_link(sentence: Sentence) -> Iterator[Objection]:
    """A claim of one link is not said of the other."""
    for use in sentence.uses:
        of = link_of(use.claim, sentence.ledger.setting) if use.claim else ""
        named = link_named(sentence.part_at(use.at).words) or link_named(sentence.words)
        named = named or (
            LIMITED if any(each.claim is not None and each.claim.unit == "bit/s" for each in sentence.uses) else ""
        )
        if of and named and of != named and not _is_set_against(use, sentence):
            yield Objection(f"\\claim{{{use.name}}} was measured on {of}, the sentence speaks of {named}", use.at)
        elif of == LIMITED and not named and _is_beside(of, sentence) and _is_of_rate(use, sentence):
            yield Objection(f"\\claim{{{use.name}}} was measured on {LIMITED}: name the link", use.at)


def _is_of_rate(use: Use, sentence: Sentence) -> bool:
    """Whether a claim needs its link named: a size does not, nor what a sweep varied, which ran on one link."""
    strands = (sentence.ledger.setting.strand(name) for name in (use.claim.series if use.claim else ()))
    return use.claim is not None and use.claim.unit != "size" and not any(each and each.varied for each in strands)


def _is_set_against(use: Use, sentence: Sentence) -> bool:
    """`it reaches x instead of y`: the other link's claim stands beside the one of this link."""
    before = sentence.words[max(use.at - 24, 0) : use.at]
    return len(sentence.uses) > 1 and bool(
        re.search(
            r"\b(?:instead of|against|rather than|down from|"
            r"up from)\s+\Z",
            before,
        )
    )


def _is_beside(link: str, sentence: Sentence) -> bool:
    """Whether a link beside the main one is left unnamed."""
    setting = sentence.ledger.setting
    main = next((each for each in setting.strands if sort_of(each, setting) != WIRE), setting.strands[0])
    return sort_of(main, setting) != link and not re.search(
        r"\blinks?\b|\bheaders\b|\bthere\b|\bthat wire\b", sentence.words
    )


def claims_are_of_the_size(sentence: Sentence) -> Iterator[Objection]:
    """A claim of one size is not said of another."""
    for use in sentence.uses:
        size = size_of(use.claim) if use.claim else None
        if use.claim is None or size is None:
            continue
        named = _sizes_near(use, sentence)
        if named and size not in named:
            yield Objection(
                f"\\claim{{{use.name}}} is of another size than the sentence names", use.at, _named(use, sentence)
            )
        elif what := _wrong_range(use.claim, size, sentence.part_at(use.at), sentence):
            yield Objection(what, use.at, _named(use, sentence))


def extremes_are_of_their_size(sentence: Sentence) -> Iterator[Objection]:
    """The least, the most and the peak are of one size, and are said of no other."""
    for use in sentence.uses:
        place = sentence.ledger.get(f"{use.name}.size") if use.name.endswith((".least", ".most", ".peak")) else None
        named = sizes_in(sentence.part_at(use.at)) if place and not _is_of_many(sentence) else ()
        if place and named and int(place.estimate.value) not in named:
            yield Objection(f"\\claim{{{use.name}}} is of \\claim{{{place.name}}}", use.at, _named(use, sentence))


def _is_of_many(sentence: Sentence) -> bool:
    """Whether ends or other claims stand beside it, so that a size may be of those."""
    return len(sentence.uses) > 1 or bool(
        re.search(r"\b(?:from|between|beyond|above|below|up to|until|down to|already|instead|than)\b", sentence.words)
    )


def _sizes_near(use: Use, sentence: Sentence) -> tuple[int, ...]:
    before = [each for each in sentence.segments if each.start <= use.at]
    for segment in (*reversed(before), *(each for each in sentence.segments if each.start > use.at)):
        if found := sizes_in(segment):
            return found
        if re.search(r"\b(?:largest|smallest|others?|rest|these|those)\b", segment.words):
            break
    return ()


def _wrong_range(claim: Claim, size: int, part: Clause, sentence: Sentence) -> str:
    """`small` is the lower half of the sizes, `large` the upper one."""
    known = sorted(
        {each for strand in sentence.ledger.setting.strands if strand.name in claim.series for each in strand.sizes}
    )
    if len(known) < 4:
        return ""
    middle = known[len(known) // 2]
    small, large = (
        re.search(rf"\b{word}\w* (?:size|message|one)", part.words, re.I)
        for word in ("(?:small|short)", "(?:large|long|big)")
    )
    if bool(small) == bool(large):
        return ""
    if (small and size > middle) or (large and size < middle):
        return (
            f"\\claim{{{claim.name}}} is of a {'large' if small else 'small'} message, the sentence says the opposite"
        )
    return ""


def kinds_are_as_said(sentence: Sentence) -> Iterator[Objection]:
    """What follows a claim (`times as fast as`) is said of a claim of that kind, the right way round."""
    for use in sentence.uses:
        if use.claim is None:
            continue
        behind, part = sentence.words[use.at + 1 :], sentence.part_at(use.at)
        if times := re.match(
            r"\s*(?:times|-?fold|x\b|×|(?=of the (?:throughput|rate|bandwidth|speed) of|"
            r"of (?:RDMA|TCP)'s|"
            r"of what (?:RDMA|TCP|verbs|sockets|Soft|the card|WRITE)))\s*(?P<how>faster|slower|more|less|higher|"
            r"lower|as\s+\w+|the|of\s+(?:its|the|that|what|\w+'s)|\Z)?",
            behind,
        ):
            yield from _times(use, times["how"] or "", part, sentence)


def _times(use: Use, how: str, part: Clause, sentence: Sentence) -> Iterator[Objection]:
    claim, groups = use.claim, sentence.groups_of(use.claim) if use.claim else ()
    assert claim is not None
    if claim.kind is not ClaimKind.RATIO and not how:
        return
    if claim.kind is not ClaimKind.RATIO:
        yield Objection(f"\\claim{{{use.name}}} is no ratio", use.at)
        return
    named = tuple(dict.fromkeys(each.group for each in part.mentions))
    if len(named) >= 2 and len(groups) == 1:
        yield Objection(f"\\claim{{{use.name}}} compares {claim.base or 'nothing'}, not two programs", use.at, named)
    before = [each.group for each in part.mentions if each.start < use.at]
    if len(groups) == 2 and how.split()[:1] in (["as"], ["the"], ["of"]) and before and before[-1] == groups[1]:
        yield Objection(
            f"\\claim{{{use.name}}} is {groups[0]} over {groups[1]}, the sentence turns it round", use.at, named
        )
    if len(groups) == 2 and how in ("faster", "slower", "more", "less", "higher", "lower"):
        up = (claim.estimate.value > 1) == (before[-1:] != [groups[1]])
        if claim.estimate.value < 1 or up != (how in ("faster", "more", "higher")):
            yield Objection(
                f"\\claim{{{use.name}}} is a ratio of {claim.estimate.value:.3g}: say `times as fast as`", use.at, named
            )
