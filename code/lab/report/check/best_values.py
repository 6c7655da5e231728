"""The value of a parameter that is said to be the best, or to be needed: held against the best ones of its sweep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.numbers import Number, Sort
from lab.report.check.objection import Objection
from lab.report.check.parameters import PARAMETERS, best_value, parameters_in, sweeps
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.claim import Claim

_BEST = re.compile(r"\b(?:best|optimal|ideal)\b", re.I)
_NEEDED = re.compile(r"\b(?:needed|necessary|required|needs?|requires?|takes?|at least)\b", re.I)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|hardly|already|enough|suffic\w+)\b|n't\b", re.I)


def best_values_are_best(sentence: Sentence) -> Iterator[Objection]:
    """Of one parameter, by a number that is no size."""
    for part in sentence.parts:
        named, numbers = parameters_in(part.words), [each for each in part.numbers if each.sort is Sort.BARE]
        said = _BEST.search(part.words) or _NEEDED.search(part.words)
        if said is None or len(named) != 1 or len(numbers) != 1 or not part.is_stated or part.uses:
            continue
        if not _DENIED.search(part.words) and (what := _wrong(named[0], numbers[0], said, part)):
            yield Objection(what, part.start + said.start())


def _wrong(name: str, number: Number, said: re.Match[str], part: Clause) -> str:
    found = [each for strand in sweeps(name, part)[:1] for each in best_value(strand, name, part)]
    wanted = sizes_in(part)
    claims = [each for each in found if not wanted or {*each.sizes} & {*wanted}] or found
    value = number.values[0]
    if not claims or not _is_of_it(name, number, part):
        return ""
    best = [each.estimate.value for each in claims]
    right = value in best if said.re is _BEST else value <= max(best)
    return "" if right else f"the best is \\claim{{{_nearest(claims, value).name}}}"


def _is_of_it(name: str, number: Number, part: Clause) -> bool:
    """`a depth of 512`, `the best depth is one`."""
    before = part.sentence.words[part.start : number.start]
    return bool(
        re.search(
            rf"(?:{PARAMETERS[name]})(?: of| is| was| would be| lies at|:)? (?:only |just |about )?\Z", before, re.I
        )
    )


def _nearest(claims: list[Claim], value: float) -> Claim:
    return min(claims, key=lambda each: abs(each.estimate.value - value))
