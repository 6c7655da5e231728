"""The table of parameters, as published and as run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.report.claims.ledger import AllClaims
from lab.report.tex.escape import Markup
from lab.report.tex.typeset import shown

UNPUBLISHED = Markup("--")


@dataclass(frozen=True)
class ParameterRow:
    """One parameter, as published and as run."""

    name: str
    published: Markup
    used: Markup
    source: str


def parameter_rows(claims: AllClaims) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    return list(_rows(claims))


def _rows(claims: AllClaims) -> Iterator[ParameterRow]:
    for name, found in claims.constants.parameters.items():
        ends = dict.fromkeys(shown(each).tex for each in (found.least, found.most))
        yield ParameterRow(name, Markup(shown(found.published).tex), Markup(" to ".join(ends)), found.most.source)
    for name, bound in claims.constants.bounds.items():
        yield ParameterRow(name, UNPUBLISHED, Markup(shown(bound).tex), bound.source)
