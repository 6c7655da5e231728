"""docs/records.md: every column and field of what the lab writes, from the types that write them."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Union, get_args, get_origin, get_type_hints

from lab.docs.markdown import rows
from lab.docs.record_words import CLAIM_COLUMNS as OF_CLAIMS
from lab.docs.record_words import COLUMNS as OF_TABLES
from lab.docs.record_words import COUNTERS, FIELDS, FILES, IDENTITY, KINDS, STATE
from lab.model.card import Card
from lab.model.parameters import Counts
from lab.model.trial import End, Ends, Link, Perturbation
from lab.programs.request import Sample
from lab.records.facts import CHECKS, Asked, FirstAsked, Judged, Measured, Moment, StepFacts
from lab.records.row import COLUMNS, OF_PROCESSORS, OF_ROUNDS, OF_SIDES
from lab.report.text.printing import COLUMNS as CLAIM_COLUMNS
from lab.sites.traits import Traits

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PLAIN = {int: "a whole number", str: "a text", bool: "true or false", float: "a number", type(None): "null"}
INNER = (Counts, Traits, Ends, End, Link, Card, Perturbation, StepFacts, FirstAsked)
PARTS = {
    Asked: "What was asked. With any of it changed, it would be another trial with another key.",
    Measured: "What the site and the programs said.",
    Judged: "What the lab found when it looked.",
    Moment: "What is of the moment. Another run of the same trial differs here; no grader compares it.",
}
HEAD = """# What the lab writes

Written by `make docs` from the types in the code: change those, not this page. KEY is a trial's key, KK its first two
digits. All times are whole nanoseconds of the site's clock.
"""


def page() -> str:
    """The whole page."""
    files = rows(("file", "what"), _meanings(tuple(FILES), FILES))
    return "\n".join([HEAD, files, *_csv_tables(), *_record(), COUNTERS, *_identity(), STATE])


def _csv_tables() -> Iterator[str]:
    names = (*COLUMNS[:-1], *OF_PROCESSORS, *OF_ROUNDS, *OF_SIDES, COLUMNS[-1])
    yield "## NAME.csv\nIn `results/`, in `results/reference/` and in a report's PDF. An empty cell was not measured."
    yield "Each parameter that a series varies has a column too, before `record`.\n"
    yield rows(("column", "meaning"), _meanings(names, OF_TABLES))
    yield "## samples.csv.gz\nThe first line names the format, the last says how many rows there are.\n"
    yield _fields(Sample)
    yield rows(("`sample`", "meaning"), _meanings(tuple(KINDS), KINDS))
    yield f"## claims.csv\n\n{rows(('column', 'meaning'), _meanings(CLAIM_COLUMNS, OF_CLAIMS))}"


def _record() -> Iterator[str]:
    yield "## record.json\nOne flat table; here it stands in four parts. A field without a value is left out.\n"
    yield rows(("field", "value", "meaning"), [("`key`", "a text", FIELDS["Facts"]["key"])])
    for part, words in PARTS.items():
        yield f"{words}\n\n{_fields(part)}"
    yield f"The checks are: {', '.join(CHECKS)}.\n"
    for kind in INNER:
        yield f"### {kind.__name__}\n\n{_fields(kind)}"


def _identity() -> Iterator[str]:
    yield "## Identity\nTexts by name. Names that differ between the two ends begin with `client_` or `server_`.\n"
    yield rows(("site", "names"), _meanings(tuple(IDENTITY), IDENTITY))


def _fields(kind: type[DataclassInstance]) -> str:
    hints = get_type_hints(kind)
    meanings = FIELDS[kind.__name__]
    return rows(
        ("field", "value", "meaning"),
        [(f"`{each.name}`", describe(hints[each.name]), meanings[each.name]) for each in fields(kind)],
    )


def _meanings(names: tuple[str, ...], meanings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(f"`{name}`", meanings[name]) for name in names]


def describe(kind: object) -> str:
    """A type in words."""
    if kind in PLAIN:
        return PLAIN[kind]
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return f"a list, each {describe(parts[0])}"
    if origin is dict:
        return f"a table, each {describe(parts[1])}"
    if origin in (Union, types.UnionType):
        return " or ".join(describe(each) for each in parts if each is not type(None))
    if is_dataclass(kind) and isinstance(kind, type):
        return f"a table: {kind.__name__}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{each.value}`" for each in kind)
    return "a table"
