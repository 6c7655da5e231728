"""What is said of times by size: which of two programs took less, and whether the time rises at every step."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from lab.analysis.estimate import Estimate
from lab.analysis.verdict import Verdict, apart
from lab.model.sizes import format_size
from lab.report.check.meant import meant
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, size_of, sizes_in
from lab.report.check.subjects import FREE, group_of, link_named, sort_of
from lab.report.claim import Claim, Ledger
from lab.report.setting import Strand

MARGIN = 0.01
ONCE = 1.1  # times: so far a value that was measured once must lie from another one
TIME = re.compile(r"\btimes?\b(?! as)|\blatenc|\bround[\s-]trips?\b|\bduration", re.I)
_OF_MESSAGES = (".round_trip", ".mean")
_ALWAYS = re.compile(
    r"\b(?:ris\w+|rose|grow\w*|increas\w*|climb\w*|go(?:es)? up)\b[^.;]*\b(?:with (?:every|each)|at (?:every|each)|"
    r"always|steadily|monotonic\w*|throughout|without exception)\b|\b(?:steadily|always|monotonic\w*)\s+(?:ris|"
    r"grow|incr)"
    r"|\bno (?:size|step|point)\b[^.;]*\b(?:falls?|drops?|decreas\w+)\b"
    r"|\bnever (?:falls?|fell|drops?|dropped|decreas\w+|sinks?|shrinks?)\b",
    re.I,
)
_THAN_ANY = re.compile(r"\blonger than (?:any|every|each|all)(?: \w+)? (?:smaller|shorter)\b", re.I)
_FALLS = re.compile(
    r"\b(?:(?:becomes?|gets?|grows?) shorter|falls?|fell|drops?|dropped|decreas\w+|sinks?|sank|shrinks?|goes down)\b",
    re.I,
)
_BEYOND = re.compile(r"\b(?:bigger|larger|longer|more) than\b|\b(?:above|beyond|over|after|from)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|no|nowhere|hardly|neither|nor)\b|n't\b", re.I)
CALLS = {"send": r"\bsend(?:s|ing)?\b|\bI?send\b", "receive": r"\breceiv|\bI?recv\b"}
_MODES = {"non-blocking": r"\bnon-?blocking\b|\bI(?:send|recv)\b", "blocking": r"(?<!non-)(?<!non)\bblocking\b"}
LIBRARY = re.compile(r"\bMPI\b")
_SMALL = re.compile(r"\b(?:small|short|tiny|few)(?!er )\w* (?:\w+ )?(?:messages?|ones?|bytes)\b", re.I)
LIBRARY_CALL = re.compile(r"\b(?:sends?|receives?)\b", re.I)
_OPERATION = re.compile(r"\b(?:WRITE|READ|SEND)\b")


def calls_named(words: str) -> tuple[list[str], list[str]]:
    """Send or receive, blocking or not, as far as the words say."""
    of_call = [name for name, pattern in CALLS.items() if re.search(pattern, words, re.I)]
    of_mode = [name for name, pattern in _MODES.items() if re.search(pattern, words, re.I)]
    return of_call, of_mode


def verdicts_by_time(ours: str, base: str, part: Clause) -> dict[int, Verdict] | None:
    """By size, whether ours was quicker: where no ratio was computed, intervals that lie apart say it."""
    first, second = _times(ours, part), _times(base, part)
    both = [name for name in first if name in second]
    found: dict[int, set[Verdict]] = {}
    for name in both:
        size = size_of(first[name])
        assert size is not None
        found.setdefault(size, set()).add(_quicker(first[name], second[name]))
    return {size: each.pop() if len(each) == 1 else Verdict.CANT_TELL for size, each in sorted(found.items())} or None


def ratios_of_times(ours: str, base: str, part: Clause) -> dict[int, float]:
    """The time of the base over that of ours, by size."""
    first, second = _times(ours, part), _times(base, part)
    both = [(first[name], second[name]) for name in first if name in second]
    return {size_of(own) or 0: other.estimate.value / own.estimate.value for own, other in both}


def _quicker(ours: Claim, base: Claim) -> Verdict:
    if not told_apart(ours.estimate, base.estimate):
        return Verdict.CANT_TELL
    return Verdict.MORE if ours.estimate.value < base.estimate.value else Verdict.LESS


def told_apart(first: Estimate, second: Estimate) -> bool:
    """By their intervals; where one was measured once and has none, by more than repetitions differ."""
    if first.interval and second.interval:
        return apart(first, second, MARGIN)
    return verdict_of_one(first.value / second.value) is not Verdict.CANT_TELL


def verdict_of_one(ratio: float) -> Verdict:
    """Of a ratio without an interval."""
    return Verdict.MORE if ratio > ONCE else Verdict.LESS if ratio < 1 / ONCE else Verdict.CANT_TELL


def _times(group: str, part: Clause) -> dict[str, Claim]:
    """The times of a program by size, by their names without the series."""
    ledger, (calls, modes) = part.sentence.ledger, calls_named(part.words)
    names = chosen_names(group, part)
    found = {}
    for claim in ledger.values():
        if claim.unit != "s" or not claim.name.endswith(_OF_MESSAGES) or size_of(claim) is None:
            continue
        if len(claim.series) == 1 and claim.series[0] in names:
            name = claim.name.removeprefix(f"{claim.series[0]}.")
            if _is_of(name, calls) and _is_of(name, modes):
                found[name] = claim
    return found


def names_of(group: str, part: Clause) -> set[str]:
    """The series of a program that the clause means; else all of those on its link."""
    link = link_named(part.words) or link_named(part.sentence.words) or FREE
    setting = part.sentence.ledger.setting
    strands = [each for each in setting.strands if sort_of(each, setting) in ("", link)]
    for found in (meant(part), strands, setting.strands):
        if names := {each.name for each in found if group_of(each) == group}:
            return names
    return set()


def chosen_names(group: str, part: Clause) -> set[str]:
    """The series of a program that do the operation, or use the library, that the clause names; else all of them."""
    names = set(chosen(sorted(names_of(group, part)), part.words))
    small = {each for each in names if each.endswith(".small")} if _SMALL.search(part.words) else set()
    return small or names


def chosen(names: Sequence[str], words: str) -> list[str]:
    """Of several series, those of the operation that the words name, or of MPI where they name it."""
    wanted = {each.lower() for each in _OPERATION.findall(words)} or (
        {"mpi", "mpi-tcp"} if LIBRARY.search(words) else set()
    )
    found = [each for each in names if each.partition(".")[0] in wanted]
    return found or [each for each in names if not each.startswith("mpi")] or list(names)


def times_of(part: Clause) -> Iterator[dict[int, Claim]]:
    """The times by size of each program that is named, of whatever was timed; without one, of every series."""
    setting = part.sentence.ledger.setting
    groups = {each.group for each in part.mentions or part.sentence.mentions} or {*map(group_of, setting.strands)}
    for group in sorted(groups):
        curves: dict[str, dict[int, Claim]] = defaultdict(dict)
        for each in _times(group, part).values():
            if (size := size_of(each)) is not None:
                curves[each.name.replace(f".{format_size(size)}.", ".", 1)][size] = each
        yield from curves.values()


def round_trips(strand: Strand, ledger: Ledger) -> dict[int, Claim]:
    """Of one series, by size."""
    found = ((size, ledger.get(f"{strand.name}.{format_size(size)}.round_trip")) for size in strand.sizes)
    return {size: each for size, each in found if each}


def _is_of(name: str, wanted: list[str]) -> bool:
    return not wanted or bool({*name.split(".")} & {*wanted}) or not ({*name.split(".")} & {*CALLS, *_MODES})


def times_rise(sentence: Sentence) -> Iterator[Objection]:
    """A time that is said to rise at every step has no step down, and one that is said to fall has one."""
    for part in sentence.parts:
        found = _always(part.words) or _FALLS.search(part.words)
        if found and part.is_stated and _is_of_times(part.words):
            groups = {each.group for each in part.mentions or sentence.mentions}
            for group in sorted(groups):
                yield from _judged(group, part, found)


def _is_of_times(words: str) -> bool:
    return bool(TIME.search(words) or _THAN_ANY.search(words) or (LIBRARY_CALL.search(words) and "shorter" in words))


def _always(words: str) -> re.Match[str] | None:
    return _ALWAYS.search(words) or _THAN_ANY.search(words)


def _judged(group: str, part: Clause, found: re.Match[str]) -> Iterator[Objection]:
    times = _times(group, part).values()
    down = sorted(_steps_down(times))
    always, sizes = _always(part.words), sizes_in(part)
    if not times or (not always and _DENIED.search(part.words)):
        return
    if always and len(sizes) > 1 and (level := _level(times, sizes)):
        yield Objection(level, part.start + found.start(), (group,))
        return
    within = [each for each in down if len(sizes) < 2 or (min(sizes) <= each[0] and each[1] <= max(sizes))]
    if always and within:
        small, large = within[0]
        yield Objection(
            f"it does not: it falls between {small} and {large} bytes", part.start + found.start(), (group,)
        )
    elif not always and not any(_is_there(step, sizes, part.words) for step in down):
        yield Objection("no step down is in the data there", part.start + found.start(), (group,))


def _is_there(step: tuple[int, int], sizes: tuple[int, ...], words: str) -> bool:
    """At one of these sizes, or beyond it where the clause says so."""
    return not sizes or bool({*step} & {*sizes}) or bool(_BEYOND.search(words) and step[0] >= min(sizes))


def _level(times: Iterable[Claim], sizes: tuple[int, ...]) -> str:
    """Where the time of the last of the sizes is that of the first."""
    own = {size_of(each): each for each in times}
    first, last = own.get(min(sizes)), own.get(max(sizes))
    return "" if first is None or last is None or apart(first.estimate, last.estimate, MARGIN) else against(last, first)


def _steps_down(times: Iterable[Claim]) -> Iterator[tuple[int, int]]:
    """Sizes between which a curve falls: that of the sends, say, which is not that of the receives."""
    curves: dict[str, list[tuple[int, Estimate]]] = defaultdict(list)
    for each in times:
        if (size := size_of(each)) is not None:
            curves[each.name.replace(f".{format_size(size)}.", ".", 1)].append((size, each.estimate))
    for curve in curves.values():
        for (small, before), (large, after) in pairwise(sorted(curve, key=itemgetter(0))):
            if after.value < before.value and apart(before, after, MARGIN):
                yield small, large
