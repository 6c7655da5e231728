"""The first page's sentences and the last page's: what was measured, what came out, and what it can say."""

from __future__ import annotations

from lab.report.claims.ledger import AllClaims
from lab.report.draft.answers import answers
from lab.report.evidence.labels import is_ours, label
from lab.report.evidence.words import words_of
from lab.report.prose.listing import listed
from lab.report.prose.uses import cite
from lab.report.tex.escape import Markup, escape

FINDINGS = 3  # of five sentences: the first says what was measured, the last what it can say


def abstract(claims: AllClaims) -> Markup:
    """Five sentences; a topic that comes first has the most of them."""
    found = [sentence for answer in answers(claims) for sentence in answer.sentences]
    return Markup(" ".join([_measured(claims), *found[:FINDINGS], _reach(claims)]))


def conclusion(claims: AllClaims) -> Markup:
    """The consequence of each topic, and how far it reaches."""
    found = [answer.conclusion for answer in answers(claims) if answer.conclusion]
    return Markup(" ".join([*found, _reach(claims)]))


def headline(claims: AllClaims, drawn: frozenset[str]) -> str:
    """The figure of the first topic that has one; nothing where none has."""
    wanted = (name for answer in answers(claims) for name in answer.figures)
    return next((name for name in wanted if name in drawn), "")


def _measured(claims: AllClaims) -> str:
    """Who, over which sizes, how often."""
    series, sizes = claims.evidence.plan.experiment.series, claims.constants.sizes
    own = dict.fromkeys(label(each) for each in series if is_ours(each)) or dict.fromkeys(map(label, series))
    return (
        f"This report measures {listed(map(escape, own))} on the site {escape(claims.evidence.plan.site.name)}, "
        f"with messages from {cite(sizes.smallest)} to {cite(sizes.largest)}, "
        f"in {cite(claims.constants.parameters['repetitions'].most)} repetitions."
    )


def _reach(claims: AllClaims) -> str:
    site = claims.evidence.plan.site
    return escape(words_of(site.name, site.traits).reach)
