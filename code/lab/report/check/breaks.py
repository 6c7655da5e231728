"""Two programs by the sizes at which their lines break or bend: which of the two does so at the smaller one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Sentence, sizes_in
from lab.report.check.times import names_of
from lab.report.check.topics import groups
from lab.report.claim import Claim
from lab.report.moves import is_alike

_BREAK = re.compile(r"\bbreaks?\b", re.I)
_KNEE = re.compile(r"\bknees?\b", re.I)
_LARGER = re.compile(r"\b(?:larger|bigger|longer|later|higher)\b[^.;]*\bthan\b", re.I)
_SMALLER = re.compile(r"\b(?:smaller|shorter|earlier|sooner|lower)\b[^.;]*\bthan\b", re.I)
_SAME = re.compile(r"\bthe same (?:place|size|point|message)\b", re.I)
NEAR = 1.1  # times: what a person calls the place of a break may lie beside it
_DENIED = re.compile(r"\b(?:not|never|neither|nor|no)\b|n't\b", re.I)


def breaks_compare(sentence: Sentence) -> Iterator[Objection]:
    """`TCP breaks at a smaller size than verbs` is what their breaks say."""
    for part in sentence.parts:
        kind = "fit.break" if _BREAK.search(part.words) else "knee" if _KNEE.search(part.words) else ""
        same = _SAME.search(part.words)
        larger, smaller, named = _LARGER.search(part.words), _SMALLER.search(part.words), groups(part)
        if not kind or (not same and bool(larger) == bool(smaller)):
            continue
        if len(named) != 2 or not part.is_stated or part.uses:
            continue
        found = [_first(sorted(names_of(each, part)), kind, sentence) for each in named]
        if found[0] and found[1] and not _DENIED.search(part.words):
            ratio = found[0].estimate.value / found[1].estimate.value
            is_so = is_alike(ratio) if same else (ratio > 1) is bool(larger)
            if not is_so:
                yield Objection(against(found[0], found[1]), part.start, named)


def breaks_lie_there(sentence: Sentence) -> Iterator[Objection]:
    """`TCP has its break at 64 kB and verbs at 256 kB`: each at its own size, in the order of their names."""
    for part in sentence.parts:
        named, sizes = [each.group for each in part.mentions], sizes_in(part)
        if not _BREAK.search(part.words) or len(named) != 2 or len({*named}) != 2 or len(sizes) != 2:
            continue
        if not part.is_stated or part.uses or _DENIED.search(part.words):
            continue
        for group, size in zip(named, sizes, strict=True):
            found, end = (_first(sorted(names_of(group, part)), f"fit.break.{at}", sentence) for at in ("from", "to"))
            if found and end and not found.estimate.value / NEAR <= size <= end.estimate.value * NEAR:
                yield Objection(f"that lies at \\claim{{{found.name}}}", part.start, (group,))


def _first(names: list[str], kind: str, sentence: Sentence) -> Claim | None:
    return next(filter(None, (sentence.ledger.get(f"{name}.{kind}") for name in names)), None)
