"""The tables of an experiment file, as they are typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lab.programs.student import OwnTable
from lab.typed_json import JsonTable

Written = int | str | bool | tuple[int | str, ...]  # a value of [parameters] or of a profile
Values = Mapping[str, Written]
Profiles = Mapping[str, Values]


@dataclass(frozen=True)
class SeriesTable:
    """A table of [[series]]."""

    name: str
    program: str
    operation: str
    measure: str
    arguments: str | None = None
    parameters: Values = field(default_factory=dict)
    profile: Profiles = field(default_factory=dict)
    link: JsonTable = field(default_factory=dict)
    soft_roce: bool = False
    vary: Mapping[str, tuple[int | str | bool, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ComparisonTable:
    """A table of [[comparison]]."""

    name: str
    ours: str
    at_least: int | float
    peers: tuple[str, ...] = ()
    geometric_mean_up_to: int | str | None = None
    limit_bytes_per_s: int | None = None


@dataclass(frozen=True)
class CausesTable:
    """The table [causes]."""

    series: tuple[str, ...]
    sizes: int | str | tuple[int | str, ...]


@dataclass(frozen=True)
class Document:
    """The whole file."""

    title: str
    question: str
    parameters: Values
    series: tuple[SeriesTable, ...]
    link: JsonTable = field(default_factory=dict)
    profile: Profiles = field(default_factory=dict)
    programs: Mapping[str, OwnTable] = field(default_factory=dict)
    comparison: tuple[ComparisonTable, ...] = ()
    causes: CausesTable | None = None
