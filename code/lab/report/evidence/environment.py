"""The environment of the records, and which records are the reference."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from lab.errors import RecordError, SpecError
from lab.experiment.experiment import Experiment, Point
from lab.experiment.reader import CardFile, read_card
from lab.machine.results import ENDS
from lab.places import REFERENCE
from lab.plan.plan import Plan, SiteFacts
from lab.records.reference import read_identity
from lab.records.table import parse_table
from lab.report.evidence.evidence import Evidence, cells, measured_plan
from lab.report.evidence.labels import describe_link
from lab.report.evidence.words import versions
from lab.report.tex.render import Markup, escape
from lab.sites.site import EXACT

if TYPE_CHECKING:
    from lab.report.evidence.evidence import Evidence


SHOWN_LETTERS = 10  # of a key: `lab show` takes the beginning of one


@dataclass(frozen=True)
class RecordSet:
    """The records of one series."""

    name: str
    series: str
    label: str
    keys: tuple[str, ...]

    @property
    def first_key(self) -> str:
        """As much of it as `lab show` needs."""
        return self.keys[0][:SHOWN_LETTERS] if self.keys else ""


def record_sets(evidence: Evidence) -> tuple[RecordSet, ...]:
    """One set for each series, in the order of the experiment."""
    from lab.report.evidence.labels import label  # only here: who reads kept sets needs none of it

    series = evidence.plan.experiment.series
    return tuple(
        RecordSet(f"R{number}", each.name, label(each), evidence.keys(each.name))
        for number, each in enumerate(series, 1)
    )


def sets_of(keys: Iterable[str], sets: Iterable[RecordSet]) -> str:
    """The names of the fewest sets that hold all keys: the earlier of two that share a record."""
    missing, names = set(keys), []
    for each in sets:
        if missing & set(each.keys):
            names.append(each.name)
            missing -= set(each.keys)
    return ", ".join(names)


SITE = "exact"


@dataclass(frozen=True)
class ReferenceEvidence(Evidence):
    """Rows alone: what needs single samples, as quantiles and rounds do, is an error."""

    def samples(self, series: str, point: Point | None = None) -> NoReturn:
        """The reference keeps no samples."""
        raise RecordError(f"{series}{point or ''}: the reference has rows and no samples", hint="measure it: lab run")


def reference_evidence(experiment: Experiment, folder: Path = REFERENCE) -> ReferenceEvidence:
    """The rows that every computer measures; an error where there are none."""
    table = folder / f"{experiment.name}.csv"
    try:
        rows = parse_table(table.read_text())
    except FileNotFoundError as error:
        raise SpecError("there is no reference to take numbers from", file=table, hint="make lock") from error
    names = {row.series for row in rows}
    series = tuple(one for one in experiment.on(EXACT).series if one.name in names)
    rows = [row for row in rows if row.series in {one.name for one in series}]  # a reference may be an older one
    facts = SiteFacts(SITE, ENDS, read_identity(folder) or {}, EXACT)
    plan = measured_plan(Plan(replace(experiment, series=series), facts, ()), rows)
    keys = list(dict.fromkeys(row.record for row in rows))
    return ReferenceEvidence(plan, tuple(rows), {}, folder, 0, cells(plan, rows, keys))


SHOWN_DIGEST = 16
ORIGINS = {"data sheet": "from data sheets", "fitted": "fitted to {}", "assumed": "assumed"}


@dataclass(frozen=True)
class CardOrigins:
    """A modelled card, and its parameters by the origin of their values, in the order of its file."""

    name: str
    origins: dict[str, Markup]


def environment(evidence: Evidence) -> list[tuple[str, str | Markup]]:
    """The identity in rows: site, machine, link, programs; digests by their first letters."""
    plan = evidence.plan
    rows: list[tuple[str, str | Markup]] = [("site", plan.site.name)]
    rows += [(name, _short(value)) for name, value in sorted(plan.site.identity.items()) if name != "arguments"]
    rows += versions(evidence)
    links = dict.fromkeys(each.link for each in plan.experiment.series)
    rows += [
        (f"link {n}" if len(links) > 1 else "link", describe_link(each, plan.site)) for n, each in enumerate(links, 1)
    ]
    rows.append(("client, server", ends_of(evidence)))
    programs = {name: digest for facts in evidence.facts.values() for name, digest in facts.asked.programs.items()}
    rows += [(name, _short(digest)) for name, digest in sorted(programs.items())]
    lab = sorted({facts.judged.lab for facts in evidence.facts.values()})
    return [*rows, ("lab", ", ".join(lab))]


def ends_of(evidence: Evidence) -> str:
    """Both ends by their devices and addresses; where each trial had nodes of its own, by those. A trial that repeats
    gives the same on all nodes, so that a report does not name them."""
    moments = () if evidence.plan.site.traits.repeats else tuple(each.moment for each in evidence.facts.values())
    nodes = {", ".join(each.nodes) for each in moments} - {""}
    ends = evidence.plan.site.ends
    named = (f"{each.device} on {each.host}" if each.device else each.host for each in (ends.client, ends.server))
    return "; ".join(sorted(nodes)) or ", ".join(named)


def card_origins(evidence: Evidence) -> list[CardOrigins]:
    """The origins for every card on a link of the experiment: a fitted value repeats its report."""
    cards = (series.link.card for series in evidence.plan.experiment.series)
    return [_origins(read_card(name)) for name in dict.fromkeys(card.name for card in cards if card)]


def _origins(file: CardFile) -> CardOrigins:
    names: dict[str, list[str]] = {}
    for name, known in file.known.items():
        names.setdefault(ORIGINS[known.origin].format(known.fitted_to), []).append(rf"\texttt{{{escape(name)}}}")
    return CardOrigins(file.card.name, {origin: Markup(", ".join(of_origin)) for origin, of_origin in names.items()})


def _short(value: str) -> str | Markup:
    if re.fullmatch(r"[0-9a-f]{32,}", value):
        return Markup(rf"\texttt{{{value[:SHOWN_DIGEST]}}}\,\ldots")
    return value


def warnings(evidence: Evidence) -> list[str]:
    """The records' notes, each once; and a warning if some did not pass a check."""
    wrong = evidence.unchecked(evidence.facts)
    notes = dict.fromkeys(note for key in wrong for note in evidence.facts[key].judged.notes)
    silent = any(not evidence.facts[key].judged.notes for key in wrong)
    return [*notes, *(["a check did not pass"] if silent else [])]
