"""The table of parameters: as a report published them, as the experiment asks for them, and as they were run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lab.report.claims.ledger import AllClaims
from lab.report.evidence.published_parameters import published_parameters
from lab.report.tex.escape import Markup
from lab.report.tex.typeset import shown
from lab.report.tex.units import number_tex

NOT_SAID, NONE = Markup("not said"), Markup("--")


@dataclass(frozen=True)
class ParameterRow:
    """One parameter: published, asked for, and used."""

    name: str
    published: Markup
    asked: Markup
    used: Markup
    source: str


def parameter_rows(claims: AllClaims) -> list[ParameterRow]:
    """Every parameter that reports quote, and the site's bounds on it."""
    return list(_rows(claims))


def published_by(claims: AllClaims) -> str:
    """The report that the experiment repeats; nothing where it repeats none."""
    return published_parameters(claims.evidence.plan.experiment.name).label


def _rows(claims: AllClaims) -> Iterator[ParameterRow]:
    theirs = published_parameters(claims.evidence.plan.experiment.name).values
    for name, found in claims.constants.parameters.items():
        published = Markup(number_tex(f"{theirs[name]:.12g}")) if name in theirs else NOT_SAID
        used = Markup(" to ".join(dict.fromkeys(shown(each).tex for each in (found.least, found.most))))
        yield ParameterRow(name, published, Markup(shown(found.published).tex), used, found.most.source)
    for name, bound in claims.constants.bounds.items():
        yield ParameterRow(name, NONE, NONE, Markup(shown(bound).tex), bound.source)
