"""The rules that every statement of a report obeys: each gives a sentence where one is broken, else None."""

from __future__ import annotations

import re

from lab.analysis.verdict import Verdict
from lab.report.check.statement import Statement
from lab.report.claim import ClaimKind
from lab.report.tex.rounding import finest_place

_COMPARED = re.compile(r"\b(?:faster|slower|outperforms?|beats?|speed-?ups?|wins?|loses?)\b", re.I)
_CANT_TELL = re.compile(
    r"\b(?:cannot|can't|can not) (?:\w+ )?tell\b|\bno (?:clear )?difference\b|\b(?:not|never|no|none|nowhere|"
    r"neither)\b",
    re.I,
)
_CALLED_RATE = re.compile(
    r"\b(?P<what>throughput|bandwidth|data rate)\b(?: of [^.;,]{1,40}?)? "
    r"(?:(?:is|was|of|at|amounts to|comes to|reaches) )?(?:about |only |just )?\Z",
    re.I,
)
_CALLED_TIME = re.compile(
    r"\b(?P<what>latency|delay|duration|round[\s-]trip time)\b(?: of [^.;,]{1,40}?)? "
    r"(?:(?:is|was|of|at|amounts to|comes to|reaches) )?(?:about |only |just )?\Z",
    re.I,
)
_OF_A_LINE = re.compile(r"\b(?:slopes?|lines?|fit(?:s|ted)?)\b", re.I)
_DENIED_LATENCY = re.compile(r"\b(?:no|not|never)\b[^.;]*\blatenc", re.I)


def claim_is_known(statement: Statement) -> str | None:
    """Every claim names a number of the ledger."""
    return f"there is no claim {statement.name!r}" if statement.name and statement.found is None else None


def speed_up_names_base_and_link(statement: Statement) -> str | None:
    """A ratio is over something, and both sides ran over one link."""
    found = statement.found
    if found is None or found.kind is not ClaimKind.RATIO:
        return None
    if not found.base or not found.link or not found.base_link:
        return "a speed-up without its base and link says nothing"
    if found.link != found.base_link:
        return f"the speed-up compares two links, {found.link} and {found.base_link}, not two programs"
    return None


def latency_is_measured(statement: Statement) -> str | None:
    """An intercept is extrapolated to messages that were not sent."""
    found = statement.found
    called = re.search(r"\blatenc", statement.words, re.I) and not _DENIED_LATENCY.search(statement.words)
    if found is not None and found.kind is ClaimKind.INTERCEPT and called:
        return "an intercept is called a latency, but no small message was measured"
    return None


def slope_is_no_throughput(statement: Statement) -> str | None:
    """A line's cost per byte leaves out the cost per message: no message need be as fast."""
    found = statement.found
    if found is not None and found.kind is ClaimKind.SLOPE and not _OF_A_LINE.search(statement.words):
        return "the rate of a line is called a throughput: say that it is the slope's"
    return None


def unit_is_of_what_is_said(statement: Statement) -> str | None:
    """`a throughput of` what is a time, and the other way round."""
    found, before = statement.found, statement.words.partition("\\claim")[0]
    for unit, called, kept in (("s", _CALLED_RATE, _CALLED_TIME), ("B/s", _CALLED_TIME, _CALLED_RATE)):
        said = called.search(before)
        if found is not None and found.unit == unit and said and not kept.search(before, said.start()):
            return f"{found.name} is {'a time' if unit == 's' else 'a rate'}, and no {said['what'].lower()}"
    return None


def comparison_is_supported(statement: Statement) -> str | None:
    """A ratio that its interval leaves open carries no comparison."""
    found = statement.found
    if found is None or found.kind is not ClaimKind.RATIO or not _COMPARED.search(statement.words):
        return None
    if _CANT_TELL.search(statement.words):
        return None
    if found.verdict is Verdict.WITHIN:
        return f"{found.name} differs from 1 by no more than the margin, {found.margin:.0%}, which may be luck"
    if found.verdict is Verdict.CANT_TELL:
        beyond = f" with a margin of {found.margin:.0%}" if found.margin else ""
        return f"the interval of {found.name} does not support a comparison{beyond}: the data can't tell"
    return None


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
    speed_up_names_base_and_link,
    latency_is_measured,
    slope_is_no_throughput,
    unit_is_of_what_is_said,
    comparison_is_supported,
    rounding_is_no_finer_than_the_interval,
    n_is_as_found,
    records_are_sound,
    one_factor_is_varied,
)
