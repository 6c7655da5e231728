"""The ratios of two programs, on the link and in the way that a clause speaks of."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.check.curves import curves_of
from lab.report.check.sentence import Clause, size_of
from lab.report.check.subjects import FREE, LIMITED, group_of, has_inline, link_named, link_of, speaks_of_single
from lab.report.check.times import LIBRARY, chosen, ratios_of_times
from lab.report.claim import Claim, ClaimKind


def ratios_by_size(ours: str, base: str, part: Clause) -> dict[int, Claim] | None:
    """The ratios of two programs, whichever is the base."""
    by_pair: dict[tuple[str, ...], dict[int, Claim]] = {}
    links: dict[tuple[str, ...], str] = {}
    setting = part.sentence.ledger.setting
    for claim in part.sentence.ledger.values():
        if claim.kind is not ClaimKind.RATIO or len(claim.series) != 2 or (size := size_of(claim)) is None:
            continue
        if set(part.sentence.groups_of(claim)) == {ours, base}:
            by_pair.setdefault(claim.series, {})[size] = claim
            links[claim.series] = link_of(claim, setting)
    link = link_named(part.words) or link_named(part.sentence.words) or FREE
    of_link = [series for series in by_pair if links[series] in ("", link)] or (
        [] if link == LIMITED else list(by_pair)
    )
    if not of_link:
        return None
    of_words = _chosen_pairs(of_link, part.words)
    return by_pair[next(_in_its_way(of_words, part.sentence.words), of_words[0])] if of_words else None


def speeds(ours: str, base: str, part: Clause) -> dict[int, float]:
    """Of ours over the base by size: by their rates, else by their times."""
    ratios = ratios_by_size(ours, base, part)
    if ratios is None:
        return ratios_of_times(ours, base, part) or ratios_of_curves(ours, base, part)
    return {size: _turned(each, ours, part) for size, each in ratios.items()}


def distances(ours: str, base: str, part: Clause) -> dict[int, float]:
    """How many times the other's the larger rate of two is, by size."""
    return {size: max(each, 1 / each) for size, each in speeds(ours, base, part).items()}


def ratios_of_curves(ours: str, base: str, part: Clause) -> dict[int, float]:
    """By the rates of two curves of which no ratio was computed."""
    first, second = both_curves(ours, base, part)
    return {size: first[size].estimate.value / second[size].estimate.value for size in first if size in second}


def both_curves(ours: str, base: str, part: Clause) -> tuple[dict[int, Claim], dict[int, Claim]]:
    rates = {group_of(each.strand): each.rates for each in curves_of(part.sentence.whole)}
    return rates.get(ours, {}), rates.get(base, {})


def _turned(ratio: Claim, ours: str, part: Clause) -> float:
    value = ratio.estimate.value
    return value if part.sentence.groups_of(ratio)[0] == ours else 1 / value


def _chosen_pairs(pairs: list[tuple[str, ...]], words: str) -> list[tuple[str, ...]]:
    """Of the operation that is named; none where MPI is, which no ratio is of."""
    named = chosen([name for pair in pairs for name in pair], words)
    found = [each for each in pairs if {*each} & {*named}]
    is_mpi = LIBRARY.search(words) and not any(name.startswith("mpi") for each in pairs for name in each)
    return [] if is_mpi else found


def _in_its_way(pairs: list[tuple[str, ...]], words: str) -> Iterator[tuple[str, ...]]:
    """The pairs whose messages travel one by one, or hold their data, where the words speak of it."""
    if speaks_of_single(words):
        yield from (each for each in pairs if all(is_variant(name) for name in each))
    if has_inline(words):
        yield from (each for each in pairs if any(name.endswith(".inline") for name in each))


def is_variant(name: str) -> bool:
    """Whether a series hands its messages over in another way than the main one."""
    return name.endswith((".single", ".nodelay", ".inline"))
