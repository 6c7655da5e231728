"""The table of the environment: the identity of the records; and the origins of a modelled card's parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import describe_link
from lab.report.evidence.versions import versions
from lab.report.tex.escape import Markup, escape
from lab.spec.cards import CardFile, read_card

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
