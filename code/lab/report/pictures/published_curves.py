"""Published curves beside ours, marked as another machine's."""

from __future__ import annotations

from collections.abc import Iterator

from lab.figures import BySize, Curve
from lab.figures.drawers import published as draw_published
from lab.report.evidence.curve import subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.links import link_groups
from lab.report.evidence.published_curves import published_curves
from lab.report.pictures.sketch import MB_S, Sketch, rate_curve


def published(evidence: Evidence) -> Iterator[Sketch[BySize]]:
    """One figure where curves were published for the experiment."""
    plan = evidence.plan
    curves, groups = published_curves(plan.experiment.name), link_groups(evidence)
    if not (curves and groups):
        return
    ours = [rate_curve(subject(evidence, series)) for series in groups[0].series if is_ours(series)]
    theirs = [Curve(each.label, tuple(map(float, each.sizes)), each.rates, machine=each.machine) for each in curves]
    data = BySize("published", (*ours, *theirs), plan.site.name, unit=MB_S)
    notes = "; ".join(f"{each.label}: {each.note}" for each in curves)
    caption = f"Throughput here and as published for other machines, whose hardware and links differ. {notes}."
    yield Sketch("published", caption, data, draw_published)
