"""Published curves beside ours, marked as another machine's."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import BySize, Curve
from lab.figures import published as draw_published
from lab.report.claim import Ledger
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import link_groups
from lab.report.evidence.published_curves import published_curves
from lab.report.pictures.picture import MB_S, Picture, claimed_curve


def published(evidence: Evidence, ledger: Ledger) -> Iterator[Picture]:
    """One figure where curves were published for the experiment."""
    curves = published_curves(evidence.plan.experiment.name)
    groups = link_groups(evidence)
    if not (curves and groups):
        return
    ours = [claimed_curve(subject(evidence, each), ledger) for each in groups[0].series if is_ours(each)]
    theirs = [Curve(each.label, tuple(map(float, each.sizes)), each.rates, machine=each.machine) for each in curves]
    data = BySize("published", (*ours, *theirs), evidence.plan.site.name, unit=MB_S)
    notes = "; ".join(f"{each.label}: {each.note}" for each in curves)
    caption = f"Throughput here and as published for other machines, whose hardware and links differ. {notes}."
    yield Picture("published", caption, data, draw_published)
