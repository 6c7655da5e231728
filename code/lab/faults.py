"""Faults of a stranger's file that show before a look at its content."""

from __future__ import annotations

from enum import Enum


class OpeningFault(Enum):
    """Each has one meaning for whoever must name it."""

    UNREADABLE = "unreadable"
    NO_REPORT = "no report"
    SEVERAL_REPORTS = "several reports"
    LINK = "link"
    NAME = "name outside the folder"
    TOO_LARGE = "too large"
    NO_DATA = "no data"
    BESIDE = "trailing data"
