"""The rules that every statement of a report obeys: each gives a sentence where one is broken, else None."""

from __future__ import annotations

import re

from lab.analysis.verdict import Verdict
from lab.report.claim import Claim, ClaimKind
from lab.report.prose.statement import Statement
from lab.report.tex.rounding import finest_place

_WORDS = "two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|hundred|thousand"
_UNITS = (
    r"(?:[kKMGT]i?)?(?:B|b|bit|bits|byte|bytes|Byte|Bytes)(?:\s*/\s*(?:s|\S*s\b)|ps)?|[kMGT]bps|[KMG]iB/s|"
    r"(?:n|µ|u|m|\\mu\s*)?s|seconds?|milliseconds?|microseconds?|nanoseconds?|minutes?|\\?%|percent|per cent|"
    r"[x\N{MULTIPLICATION SIGN}]|-?fold|times|\$?\\times\$?|messages?|iterations?|repetitions?|runs?|requests?|[MGk]?Hz"
)
_NUMBER = re.compile(
    rf"(?<![\w.@])(?:\d[\d.,]*|(?i:\b(?:{_WORDS})))(?:\s|~|\\,|-)*(?:{_UNITS})(?![\w])|\b(?i:twice|threefold|tenfold)\b"
)
_MORE = re.compile(r"\b(?:faster|higher|better|greater|more|exceeds?|wins?|outperforms?|beats?|speed-?ups?)\b", re.I)
_LESS = re.compile(r"\b(?:slower|lower|worse|less|fewer|loses?)\b", re.I)
_CANT_TELL = re.compile(r"\b(?:cannot|can't|can not) (?:\w+ )?tell\b|\bno (?:clear )?difference\b", re.I)
_THAN = re.compile(r"\bthan\b", re.I)
_AGAINST = re.compile(r"\b(?:than|exceeds?|outperforms?|beats?)\b", re.I)
_OF_A_LINE = re.compile(r"\b(?:slopes?|lines?|fit(?:s|ted)?)\b", re.I)
_SPEED_UP = re.compile(r"\bspeed-?ups?\b|\bfaster\b|\bslower\b|\btimes as fast\b", re.I)


def claim_is_known(statement: Statement) -> str | None:
    """Every claim names a number of the ledger."""
    if statement.name and statement.found is None:
        return f"there is no claim {statement.name!r}: lab claims lists all"
    return None


def number_is_a_claim(statement: Statement) -> str | None:
    """No number with a unit is typed."""
    typed = _NUMBER.search(statement.words)
    return f"{typed[0]!r} is typed by hand: use \\claim" if typed else None


def speed_up_names_base_and_link(statement: Statement) -> str | None:
    """A ratio is over something, and both sides ran over one link."""
    found = statement.found
    if found is None or found.kind is not ClaimKind.RATIO:
        return None
    if not found.base or not found.link or not found.base_link:
        return "a speed-up without its base and link says nothing"
    if found.link != found.base_link:
        return f"the speed-up compares two links, {found.link} and {found.base_link}, not two programs"
    if _SPEED_UP.search(statement.words):
        for wanted in (_name_of_base(found), "link"):
            if wanted.lower() not in statement.words.lower():
                return f"the sentence about a speed-up does not name its base and link: {wanted!r} is missing"
    return None


def latency_is_measured(statement: Statement) -> str | None:
    """An intercept is extrapolated to messages that were not sent."""
    found = statement.found
    if found is not None and found.kind is ClaimKind.INTERCEPT and re.search(r"\blatenc", statement.words, re.I):
        return "an intercept is called a latency, but no small message was measured"
    return None


def slope_is_no_throughput(statement: Statement) -> str | None:
    """A line's cost per byte leaves out the cost per message: no message need be as fast."""
    found = statement.found
    if found is not None and found.kind is ClaimKind.SLOPE and not _OF_A_LINE.search(statement.words):
        return "the rate of a line is called a throughput: say that it is the slope's"
    return None


def comparison_is_supported(statement: Statement) -> str | None:
    """A text may say more or less only if the whole interval shows it."""
    more, less = bool(_MORE.search(statement.words)), bool(_LESS.search(statement.words))
    if not (more or less) or _CANT_TELL.search(statement.words):
        return None
    found = statement.found
    if found is None:
        bare = not statement.name and _THAN.search(statement.words) and "\\claim" not in statement.words
        return "a comparison without a claim: say by how much" if bare else None
    if found.kind is not ClaimKind.RATIO:
        return None
    verdict = found.verdict
    if verdict is Verdict.WITHIN:
        return f"{found.name} differs from 1 by no more than the margin, {found.margin:.0%}, which may be luck"
    if verdict is Verdict.CANT_TELL:
        beyond = f" with a margin of {found.margin:.0%}" if found.margin else ""
        return f"the interval of {found.name} does not support a comparison{beyond}: the data can't tell"
    said = more != _is_about_the_base(statement.words, _name_of_base(found))
    if more != less and verdict is not (Verdict.MORE if said else Verdict.LESS):
        return f"the interval of {found.name} says {verdict.value}, the sentence says the opposite"
    return None


def _name_of_base(ratio: Claim) -> str:
    return ratio.base.split(",")[0].split(" at ")[0]


def _is_about_the_base(words: str, base: str) -> bool:
    """Whether the base is the side that is said to be more or less: "TCP is slower than RDMA WRITE"."""
    against = _AGAINST.search(words)
    if not base or not against:
        return False
    named = re.compile(rf"(?<!over )(?<!against )(?<!with )(?<!to )\b{re.escape(base)}\b", re.I)
    return bool(named.search(words, 0, against.start())) and not named.search(words, against.end())


def rounding_is_no_finer_than_the_interval(statement: Statement) -> str | None:
    """Digits beyond the uncertainty say nothing."""
    found = statement.found
    if found is None or statement.place is None or found.kind in (ClaimKind.CONSTANT, ClaimKind.DERIVED):
        return None
    finest = finest_place(found.estimate)
    if finest is not None and statement.place < finest:
        return f"{found.name or statement.name} is printed to more digits than its interval supports"
    return None


def n_is_as_found(statement: Statement) -> str | None:
    """The repetitions that are claimed are those of the records."""
    found = statement.found
    if found is None or found.kind is ClaimKind.CONSTANT:
        return None
    if found.wanted_n is not None and found.wanted_n != found.estimate.n:
        return f"{found.wanted_n} repetitions are claimed, {found.estimate.n} found"
    return None


def records_are_sound(statement: Statement) -> str | None:
    """Every record passed the checks against the link's counters and the site's clock."""
    if statement.found is not None and statement.found.unchecked:
        return f"record {statement.found.unchecked[0][:10]} failed its sanity check"
    return None


def one_factor_is_varied(statement: Statement) -> str | None:
    """A text that names an effect also names the values that moved with the parameter."""
    found, words = statement.found, statement.words.replace(r"\_", "_")
    if found is not None and (silent := [name for name in found.moved if name not in words]):
        return f"{found.name} is the effect of {' and '.join(silent)} too, which moved: hold it, or name it here"
    return None


RULES = (
    claim_is_known,
    number_is_a_claim,
    speed_up_names_base_and_link,
    latency_is_measured,
    slope_is_no_throughput,
    comparison_is_supported,
    rounding_is_no_finer_than_the_interval,
    n_is_as_found,
    records_are_sound,
    one_factor_is_varied,
)
