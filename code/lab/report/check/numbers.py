"""Numbers as people type them: digits, words, parts and multiples, each with the unit behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Sort(Enum):
    """What a number is of, by its unit."""

    RATE = "a rate"
    SIZE = "a size"
    TIME = "a time"
    RATIO = "a ratio"
    PERCENT = "a percentage"
    COUNT = "a count"
    BARE = "a number"


@dataclass(frozen=True)
class Number:
    """One typed number."""

    typed: str
    values: tuple[float, ...]  # as it may be meant: KB is 1000 or 1024 bytes
    sort: Sort
    noun: str  # the unit, or the word behind a bare number
    start: int
    end: int
    worded: bool


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
SMALL = {word: value for value, word in enumerate([*ONES.split(), "eighteen", "nineteen"])}
TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
LARGE = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
PARTS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1, "fraction": 0.0}
_WORD = "|".join((*SMALL, *TENS, *LARGE))
_DIGITS = r"\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_WORDS = rf"(?:an?\s+)?(?:{_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_WORD}))*s?"
_PREFIX = r"(?:[kKMGTµumn]i?|kilo|mega|giga|tera|kibi|mebi|gibi|milli|micro|nano)?"
_PER = r"\s*(?:/\s*|\s+per\s+|\s+an?\s+|\s+in\s+a\s+|p(?=s\b))(?:second|sec|microsecond|millisecond|[mµun]?s)"
_UNITS = (
    (Sort.RATE, rf"{_PREFIX}[\s-]*(?:bytes?|bits?|B|b|Bytes?|Bits?){_PER}\b|[kKMGT]i?[bB](?:it)?ps|"
        rf"k?\s*(?:messages?|msgs?)"
     rf"{_PER}\b|[kMG]?Hz|[kKMGT]bit"),
    (Sort.SIZE, r"(?:[kKMGT]i?|kilo|mega|giga|kibi|mebi|gibi)?[\s-]*(?:bytes?|Bytes?|B|octets?)\b|[KMG]\b"),
    (Sort.TIME, r"(?:[nµum]s|milli|micro|nano)?-?(?:s|sec|seconds?|minutes?|hours?)\b|[nµum]s\b|cycles?\b"),
    (Sort.PERCENT, r"%|percent|per\s+cent|percentage\s+points?"),
    (Sort.RATIO, r"-?fold\b|times\b|[x×](?!\w)"),
    (Sort.COUNT, r"(?:timed\s+|warm-?up\s+|work\s+|message\s+|different\s+|outstanding\s+|"
        r"of\s+the\s+)*(?:iterations?|repetitions?|"
     r"runs?|rounds?|requests?|sizes?|messages?|trials?|series|windows?|rows?|records?|entries|ratios|points?|samples?|"
     r"packets?|"
     r"measurements?|steps?|data\s+points?|(?=deep\b)|sends?|operations?|instructions?)\b"),
)  # fmt: skip
_SCALES = {"k": 3, "K": 3, "kilo": 3, "M": 6, "mega": 6, "G": 9, "giga": 9, "T": 12, "Ki": 3, "Mi": 6, "Gi": 9}
_SCALES |= {"kibi": 3, "mebi": 6, "gibi": 9, "ki": 3}
_NUMBER = re.compile(
    rf"(?P<hex>\b[A-Za-z_][\w-]*\d[\w.]*)|(?<![\w.])(?P<digits>{_DIGITS})|\b(?P<words>{_WORDS})\b"
    r"|\b(?P<share>half\s+an?\s+(?:kilo|mega|giga|kibi|mebi|gibi)byte)\b"
    rf"|\b(?:an?\s+|one\s+)?(?P<part>{'|'.join(PARTS)})s?\s+(?=of\b|the\b|that\b|as\b|a\b|an\b|gigabyte|lower|higher|faster|slower|less|more|"
    rf"megabyte|giga|mega)"
    rf"|(?<=\bby )(?:about |almost |nearly |over |roughly |(?:more|less) than |at (?:least|most) )?"
    rf"(?:(?:an?|one|two|three) )?(?P<by>{'|'.join(PARTS)})s?\b"
    r"|\b(?P<times>twice|thrice|doubl(?:es?|ed|ing)|tripl(?:es?|ed|ing)|quadrupl(?:es?|ed)|quintupl(?:es?|ed)|halv(?:es?|ed|ing)|"
    r"(?:two|three|four|five|ten|hundred|many|several|\d+)-?fold|orders?\s+of\s+magnitude|"
    r"(?:several|(?<!how )(?<!however )many|hundreds\s+of|"
    r"tens\s+of|dozens\s+of)\s+times|(?:tens|hundreds|thousands|millions|dozens)\s+of)\b"
    r"|\b(?P<unit>an?\s+(?:milli|micro|nano)second|(?:(?<=in )|(?<=under )|(?<=than )|(?<=within )|"
    r"(?<=about ))an?\s+second"
    r"(?=\s*(?:[.,;:)]|for\b|to\b|or\b|and\b|\Z)))\b",
    re.IGNORECASE,
)


_DONE = re.compile(r"\b(?:repeat|measur|run|ran|execut|perform|tried|try|test|sampl)\w*\b[^.;,]{0,40}\Z", re.I)
_ONE_OF = re.compile(r"\b[Oo]ne (?:in|out of|of every) (?:every )?\Z")
_TWO_THINGS = re.compile(r"two (?:\w+ )?(?:messages|requests|packets|calls|rounds|sizes|runs)\b", re.I)
_MORE = re.compile(r"\s*(?:as|the|that|those|what|more|less|\w+er)\b", re.I)


def numbers(words: str) -> Iterator[Number]:
    """All numbers of a sentence, in their order."""
    for found in _NUMBER.finditer(words):
        if found["hex"]:
            continue  # part of a name: C11, x86
        if number := _number(found, words):
            yield number


def _number(found: re.Match[str], words: str) -> Number | None:
    typed, start, end = found[0], found.start(), found.end()
    if _ONE_OF.search(words[:start]) or (words[:start].endswith("etween ") and _TWO_THINGS.match(words, start)):
        return None
    if found["times"] and _DONE.search(words[:start]) and not _MORE.match(words, end):
        return None  # how often, and not how much
    if found["times"]:
        return Number(typed, (0.0,), Sort.RATIO, typed, start, end, worded=True)
    if found["share"]:
        unit = re.split(r"\s", typed)[-1]
        return Number(typed, _scaled(0.5, unit), Sort.SIZE, unit, start, end, worded=True)
    if found["unit"]:
        return Number(typed, (1.0,), Sort.TIME, typed, start, end, worded=True)
    if part := found["part"] or found["by"]:
        return Number(typed, (PARTS[part.lower()],), Sort.RATIO, typed, start, end, worded=True)
    value = _digits(found["digits"]) if found["digits"] else _spoken(found["words"])
    if value is None:
        return None
    for sort, unit in _UNITS:
        if behind := re.compile(rf"[\s~-]*(?P<unit>{unit})").match(words, end):
            text = words[start : behind.end()]
            return Number(
                text, _scaled(value, behind["unit"]), sort, behind["unit"], start, behind.end(), not found["digits"]
            )
    noun = re.compile(r"[\s-]*([A-Za-z-]+)?").match(words, end)
    return Number(typed, (value,), Sort.BARE, (noun and noun[1]) or "", start, end, not found["digits"])


def _digits(typed: str) -> float:
    return float(typed.replace(",", "").replace("'", ""))


def _spoken(typed: str) -> float | None:
    total = part = 0.0
    for word in re.findall(r"[a-z]+", typed.lower()):
        bare = word if word in SMALL or word in TENS or word in LARGE else word.removesuffix("s")
        if bare in SMALL or bare in TENS:
            part += SMALL.get(bare, TENS.get(bare, 0))
        elif bare in LARGE and LARGE[bare] <= 100:
            part = (part or 1) * LARGE[bare]
        elif bare in LARGE:
            total, part = total + (part or 1) * LARGE[bare], 0.0
    return total + part


def _scaled(value: float, unit: str) -> tuple[float, ...]:
    """The value in bytes, bits or the bare unit; a prefix of bytes means powers of 1000, of 1024, or either."""
    prefix = re.match(r"(kilo|mega|giga|kibi|mebi|gibi|[kKMGT]i?)(?=[\s-]*[bB]|\Z|[bB])", unit)
    if prefix is None:
        return (value,)
    places = _SCALES.get(prefix[1], 0)
    binary = value * 2.0 ** (places // 3 * 10)
    return (
        (binary,)
        if prefix[1].endswith("i") or prefix[1] in ("kibi", "mebi", "gibi")
        else (round(value * 10**places, 6), binary)
    )
