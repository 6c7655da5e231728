"""What can be wrong with a stranger's file before anything in it is looked at."""

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
