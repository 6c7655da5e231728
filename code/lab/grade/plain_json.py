"""Bounds on a stranger's JSON: whatever passes can be computed with, compared and printed."""

from __future__ import annotations

import json
import math

from lab.faults import OpeningFault
from lab.submission.archive import SubmissionError

LARGEST = 2**20
MOST_DIGITS = 20  # of a whole number: time in ns since 1970 has 19


def require_plain(content: bytes, where: str) -> None:
    """Refuse too much, too deep, or numbers that nothing measures. What is no JSON at all, its reader names."""
    if len(content) > LARGEST:
        raise SubmissionError(f"has more than {LARGEST} bytes", where, fault=OpeningFault.TOO_LARGE)
    try:
        json.loads(content, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except _NoNumber as error:
        raise SubmissionError(f"holds a number that nothing measures: {error}", where) from error
    except RecursionError as error:
        what = "is nested more deeply than anything that the lab writes"
        raise SubmissionError(what, where, fault=OpeningFault.TOO_LARGE) from error
    except ValueError:
        return


class _NoNumber(Exception):
    """A number beyond the bounds."""


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > MOST_DIGITS:
        raise _NoNumber(f"{text[:MOST_DIGITS]}... with {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _NoNumber(text[:MOST_DIGITS])
    return value
