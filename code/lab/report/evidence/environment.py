"""The environment of the records, the sets of records that reports list, and the reference as evidence."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lab.errors import SpecError
from lab.experiment.experiment import Experiment
from lab.experiment.reader import read_card
from lab.machine.results import ENDS
from lab.places import REFERENCE
from lab.plan.plan import Plan, SiteFacts
from lab.records.reference import SITE, read_identity
from lab.records.table import parse_table
from lab.report.evidence.evidence import Evidence, measured_plan
from lab.report.evidence.labels import describe_link
from lab.report.evidence.words import versions
from lab.report.tex.render import Markup, escape
from lab.sites.site import EXACT

SHOWN_LETTERS = 10  # of a key: `lab show` needs only its beginning
SHOWN_DIGEST = 16
ORIGINS = {"data sheet": "from data sheets", "fitted": "fitted to {}", "assumed": "assumed"}


@dataclass(frozen=True)
class RecordSet:
    name: str
    series: str
    keys: tuple[str, ...]

    @property
    def first_key(self) -> str:
        return self.keys[0][:SHOWN_LETTERS] if self.keys else ""


def record_sets(evidence: Evidence) -> tuple[RecordSet, ...]:
    return tuple(
        RecordSet(f"R{number}", series.name, evidence.keys(series.name))
        for number, series in enumerate(evidence.plan.experiment.series, 1)
    )


def sets_of(keys: Iterable[str], sets: Iterable[RecordSet]) -> str:
    """The names of the fewest sets that hold all keys: the earlier of two that share a record."""
    missing, names = set(keys), []
    for record_set in sets:
        if missing & set(record_set.keys):
            names.append(record_set.name)
            missing -= set(record_set.keys)
    return ", ".join(names)


def reference_evidence(experiment: Experiment, folder: Path = REFERENCE) -> Evidence:
    """The rows of the reference; raise if it has none. An older reference may lack some series, and have other keys."""
    table = folder / f"{experiment.name}.csv"
    try:
        rows = parse_table(table.read_text())
    except FileNotFoundError as error:
        raise SpecError("the experiment has no reference", file=table, hint="make lock") from error
    measured = {row.series for row in rows}
    series = tuple(run for run in experiment.on(EXACT).series if run.name in measured)
    rows = [row for row in rows if row.series in {run.name for run in series}]
    facts = SiteFacts(SITE, ENDS, read_identity(folder) or {}, EXACT)
    plan = measured_plan(Plan(replace(experiment, series=series), facts, ()), rows)
    return Evidence(plan, tuple(rows), {}, folder, frozenset(row.record for row in rows))


def environment(evidence: Evidence) -> list[tuple[str, str | Markup]]:
    """The identity in rows: site, machine, link, programs; digests by their first letters."""
    plan, facts = evidence.plan, evidence.facts.values()
    rows: list[tuple[str, str | Markup]] = [("site", plan.site.name)]
    rows += [(name, _short(value)) for name, value in sorted(plan.site.identity.items()) if name != "arguments"]
    rows += versions(evidence)
    links = list(dict.fromkeys(series.link for series in plan.experiment.series))
    names = ["link"] if len(links) == 1 else [f"link {number}" for number in range(1, len(links) + 1)]
    rows += [(name, describe_link(link, plan.site)) for name, link in zip(names, links, strict=True)]
    rows.append(("client, server", ends_of(evidence)))
    programs = {name: digest for record in facts for name, digest in record.asked.programs.items()}
    rows += [(name, _short(digest)) for name, digest in sorted(programs.items())]
    return [*rows, ("lab", ", ".join(sorted({record.assessment.lab for record in facts})))]


def ends_of(evidence: Evidence) -> str:
    """Both ends by their devices and addresses, or the nodes of the trials if each trial had others. A report of a site
    whose trials repeat names no nodes, since all of them give the same bytes."""
    site = evidence.plan.site
    moments = () if site.traits.is_deterministic else tuple(facts.moment for facts in evidence.facts.values())
    nodes = {", ".join(moment.nodes) for moment in moments} - {""}
    ends = (f"{end.device} on {end.host}" if end.device else end.host for end in (site.ends.client, site.ends.server))
    return "; ".join(sorted(nodes)) or ", ".join(ends)


@dataclass(frozen=True)
class CardOrigins:
    """A modelled card, and its parameters by the origin of their values, in the order of its file."""

    name: str
    origins: dict[str, Markup]


def card_origins(evidence: Evidence) -> list[CardOrigins]:
    """The origins for every card on a link of the experiment: a fitted value repeats its report."""
    links, cards = [series.link for series in evidence.plan.experiment.series], []
    for card in dict.fromkeys(link.card.name for link in links if link.card):
        names = defaultdict[str, list[str]](list)
        for name, value in read_card(card).known.items():
            names[ORIGINS[value.origin].format(value.fitted_to)].append(rf"\texttt{{{escape(name)}}}")
        cards.append(CardOrigins(card, {origin: Markup(", ".join(parts)) for origin, parts in names.items()}))
    return cards


def _short(value: str) -> str | Markup:
    is_digest = re.fullmatch(r"[0-9a-f]{32,}", value)
    return Markup(rf"\texttt{{{value[:SHOWN_DIGEST]}}}\,\ldots") if is_digest else value


def warnings(evidence: Evidence) -> list[str]:
    """The records' notes, each once; and a warning if some did not pass a check."""
    unsound = [evidence.facts[key].assessment for key in evidence.unchecked(evidence.facts)]
    notes = dict.fromkeys(note for assessment in unsound for note in assessment.notes)
    return [*notes, *(["a check did not pass"] if any(not assessment.notes for assessment in unsound) else [])]
